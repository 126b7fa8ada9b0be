//! A blast radius as JSON, as Markdown, and for a terminal.
//!
//! In: the dependents of a symbol that retrieval found, and the freshness of the answer. Out: a
//! [`BlastJson`], from which the text forms are rendered.
//!
//! Invariants: a number that rests on ambiguous edges or on files that are not indexed yet is
//! marked as approximate, in every form. All forms show the same numbers.

mod screen_view;

use super::json::{SCHEMA, round_score};
use super::other_folders;
use super::package_uses::{self, PackageUsesJson};
use super::ripple::{self, RippleJson};
use super::symbol_locations::{DocumentLocator, Location, SymbolJson, symbol_json};
use super::users::{UserGroupJson, describe_no_users, describe_use_of, group_users};
use super::wording::{describe_provenance, mark_pending, render_counts};
use crate::freshness::Freshness;
use kenning_graph::{Provenance, Snapshot, SymbolId};
use kenning_retrieval::features::{BlastRadius, SymbolCount, TestReach, blast_counts};
use kenning_retrieval::pack::code_span;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The maximum number of entries per list of the Markdown form, if the request names none. A core
/// symbol has thousands of dependents.
pub const MAX_LISTED: usize = 40;

/// The dependents of a symbol, with their distances and the evidence for them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BlastRadius")]
pub struct BlastJson<'a> {
    /// Version of this format.
    schema: u32,
    /// The symbol that the request asked about.
    pub(super) target: SymbolJson,
    /// Other symbols that the requested position may refer to; the likeliest one is the target.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<SymbolJson>,
    /// The overloads that the answer counts together, each with its own title; empty if there is
    /// only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overloads: Vec<OverloadJson>,
    /// The numbers of callers, dependents and tests in words, as lenses show them.
    pub(super) title: String,
    /// The numbers of callers, uses, implementations, dependents and tests.
    counts: CountsJson,
    /// Direct callers, by path and line.
    callers: Vec<CallerJson>,
    /// The symbols that use the target directly and the tests that reach it, by role and by file.
    /// They are the first level of a tree of users.
    pub(super) users: Vec<UserGroupJson>,
    /// A sentence if there are no users, with the reason why users may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) no_users: Option<String>,
    /// Dependents by distance, from one hop up to the requested depth.
    levels: Vec<Vec<DependentJson>>,
    /// The folders that contain dependents, the folder with the most first.
    folders: Vec<FolderJson>,
    /// Tests that reach the target within 6 hops, the nearest first.
    tests: Vec<ReachingTestJson>,
    /// The number of direct callers per provenance.
    evidence: BTreeMap<&'static str, usize>,
    /// The number of direct callers that each language server confirmed.
    servers: &'a BTreeMap<String, usize>,
    /// The number of direct callers whose call may lead elsewhere.
    ambiguous: usize,
    /// Symbols that the target overrides: a call to one of them may run the target. Not part of the
    /// numbers.
    through_overrides: Vec<OverrideJson>,
    /// The number of distinct symbols that use the target in other ways than by calling it.
    mentions: usize,
    /// Files that a change to the target may also touch, the likeliest first: files that changed
    /// together with it, that use it or that it uses, and parallel implementations.
    pub ripple: Vec<RippleJson>,
    /// The manifests and files that use the target, if it is a package of a registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<PackageUsesJson>,
    /// True if a list is shorter than its count, or if counting stopped early.
    truncated: bool,
    /// Freshness of the answer.
    pub(super) freshness: &'a Freshness,
    /// The answer in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The numbers of callers, uses, implementations, dependents and tests of a symbol.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BlastCounts")]
struct CountsJson {
    /// Distinct direct callers: symbols that call the target, a symbol that it overrides, or its
    /// route, or that pass the target on to be called.
    callers: CountJson,
    /// Distinct symbols that use the target or its members, calls included.
    uses: CountJson,
    /// Distinct types that extend or implement the target.
    implementations: CountJson,
    /// Distinct symbols that reach the target within 6 hops, tests included.
    dependents: CountJson,
    /// Distinct tests that reach the target within 6 hops.
    tests: CountJson,
}

/// The size of a set of symbols. It may be approximate, or a lower bound.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SymbolCount")]
pub struct CountJson {
    /// The number of symbols found.
    pub value: usize,
    /// True if part of the number rests on ambiguous edges, or if files are pending or broken;
    /// shown as `~5`.
    pub approximate: bool,
    /// True if counting stopped at this number; shown as `1,000+`.
    pub capped: bool,
}

impl From<SymbolCount> for CountJson {
    fn from(SymbolCount { value, approximate, capped }: SymbolCount) -> Self {
        Self { value, approximate, capped }
    }
}

/// A direct caller.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Caller")]
struct CallerJson {
    #[serde(flatten)]
    symbol: SymbolJson,
    /// 1-based line of the first call in the caller's file; null if unknown.
    call_line: Option<u32>,
    /// The location of that call, for clients that open it.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_location: Option<Location>,
    /// The provenance of the call.
    provenance: &'static str,
    /// Confidence that the call is right, from 0 to 1.
    confidence: f64,
    /// True if the call may lead elsewhere.
    ambiguous: bool,
}

/// A symbol that depends on the target.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Dependent")]
struct DependentJson {
    #[serde(flatten)]
    symbol: SymbolJson,
    /// The id of the next symbol on the path to the target.
    on: String,
    /// The role for that symbol: `caller`, `dispatch`, `use`, `implementation` or `possible`.
    role: &'static str,
    /// The relation to that symbol, as the kind of the edge: `calls`, `overrides`, `references` ...
    edge: &'static str,
    /// A description of the use of that symbol: `calls it`, `reads or writes Order.total`.
    relation: String,
    /// The provenance of the relation: `lsp_resolved`, `ast_resolved`, `ast_inferred` ...
    provenance: &'static str,
    /// True if every path to the target uses an edge that may lead elsewhere.
    ambiguous: bool,
}

/// The dependents in one folder.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FolderCount")]
struct FolderJson {
    /// The path relative to the workspace's root, with `/` as the separator; empty for the root.
    folder: String,
    /// The number of dependents in the folder.
    dependents: usize,
}

/// A test that reaches the target.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TestReach")]
struct ReachingTestJson {
    #[serde(flatten)]
    symbol: SymbolJson,
    /// The distance to the target in hops.
    distance: u8,
    /// The id of the next symbol on the path to the target.
    on: String,
    /// True if every path to the target uses an edge that may lead elsewhere.
    ambiguous: bool,
}

/// A symbol that the target overrides or implements.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ThroughOverride")]
struct OverrideJson {
    /// The overridden symbol.
    base: SymbolJson,
    /// The number of its direct callers that do not also call the target itself.
    callers: CountJson,
}

/// An overload of the target.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BlastOverload")]
struct OverloadJson {
    #[serde(flatten)]
    symbol: SymbolJson,
    /// Its signature, on one line.
    signature: String,
    /// Its own numbers, as a lens shows them.
    title: String,
}

/// Returns the overloads of a target with their own numbers; an empty list if there is only one
/// symbol.
fn list_overloads(
    snapshot: &Snapshot,
    blast: &BlastRadius,
    freshness: &Freshness,
    locator: &dyn DocumentLocator,
) -> Vec<OverloadJson> {
    if blast.targets.len() < 2 {
        return Vec::new();
    }
    let overload = |&id: &SymbolId| {
        let counts = blast_counts(snapshot, &[id]);
        let counts = if freshness.is_unsettled() { mark_pending(counts) } else { counts };
        Some(OverloadJson {
            symbol: symbol_json(snapshot, id, locator)?,
            signature: snapshot.symbol(id)?.signature_text().to_owned(),
            title: render_counts(&counts),
        })
    };
    blast.targets.iter().filter_map(overload).collect()
}

impl<'a> BlastJson<'a> {
    /// Builds the JSON form. Returns `None` if the target is not in the snapshot.
    pub fn new(
        snapshot: &Snapshot,
        blast: &'a BlastRadius,
        alternatives: &[SymbolId],
        freshness: &'a Freshness,
        locator: &dyn DocumentLocator,
    ) -> Option<Self> {
        let to_json = |id| symbol_json(snapshot, id, locator);
        let hash = |id| snapshot.symbol(id).map(|s| s.hash.to_hex()).unwrap_or_default();
        let callers = blast.callers.iter().filter_map(|caller| {
            let symbol = to_json(caller.symbol)?;
            let call_location = caller.line.and_then(|line| locator.locate_line(&symbol.file, line));
            Some(CallerJson {
                symbol,
                call_line: caller.line.map(|line| line + 1),
                call_location,
                provenance: caller.provenance.as_str(),
                confidence: round_score(f64::from(caller.confidence)),
                ambiguous: caller.ambiguous,
            })
        });
        let to_dependents = |level: &Vec<kenning_retrieval::features::DependentSymbol>| {
            let dependents = level.iter().filter_map(|dependent| {
                Some(DependentJson {
                    symbol: to_json(dependent.symbol)?,
                    on: hash(dependent.next),
                    role: dependent.role.as_str(),
                    edge: dependent.kind.as_str(),
                    relation: describe_use_of(snapshot, &blast.targets, dependent.next, dependent.kind),
                    provenance: dependent.provenance.as_str(),
                    ambiguous: dependent.ambiguous,
                })
            });
            dependents.collect()
        };
        let tests = blast.tests.iter().filter_map(|test| {
            let symbol = to_json(test.test)?;
            let TestReach { distance, next, ambiguous, .. } = *test;
            Some(ReachingTestJson { symbol, distance, on: hash(next), ambiguous })
        });
        let overrides = blast.through_overrides.iter().filter_map(|overridden| {
            Some(OverrideJson { base: to_json(overridden.base)?, callers: overridden.callers.into() })
        });
        let folders = blast.folders.iter();
        // While files wait to be indexed, every number may change.
        let counts = if freshness.is_unsettled() { mark_pending(blast.counts) } else { blast.counts };
        Some(Self {
            schema: SCHEMA,
            target: to_json(*blast.targets.first()?)?,
            alternatives: alternatives.iter().filter_map(|&id| to_json(id)).collect(),
            overloads: list_overloads(snapshot, blast, freshness, locator),
            title: render_counts(&counts),
            counts: CountsJson {
                callers: counts.callers.into(),
                uses: counts.uses.into(),
                implementations: counts.implementations.into(),
                dependents: counts.dependents.into(),
                tests: counts.tests.into(),
            },
            callers: callers.collect(),
            users: group_users(snapshot, blast, freshness, locator),
            no_users: describe_no_users(blast, freshness),
            levels: blast.levels.iter().map(to_dependents).collect(),
            folders: folders
                .map(|f| FolderJson { folder: f.folder.clone(), dependents: f.dependents })
                .collect(),
            tests: tests.collect(),
            evidence: blast.evidence.iter().map(|(provenance, &n)| (provenance.as_str(), n)).collect(),
            servers: &blast.servers,
            ambiguous: blast.ambiguous,
            through_overrides: overrides.collect(),
            mentions: blast.mentions,
            ripple: Vec::new(),
            package: None,
            truncated: blast.truncated || freshness.is_unsettled(),
            freshness,
            text: None,
        })
    }

    /// Adds the users in other folders. They are not part of the numbers.
    pub fn add_users_elsewhere(&mut self, group: UserGroupJson) {
        self.users.push(group);
        self.no_users = None;
    }

    /// Renders the Markdown form for people, ending with a line break. Each item starts with
    /// `path:line`. Each list has at most `max_listed` items.
    pub fn render_markdown(&self, max_listed: usize) -> String {
        let target = &self.target;
        let mut out = format!("# Blast radius of {}\n\n", code_span(&target.name));
        let _ = writeln!(out, "{} ({}): {}", render_location(target), target.kind, self.title);
        if !self.alternatives.is_empty() {
            let names: Vec<String> = self.alternatives.iter().map(|s| code_span(&s.qualified_name)).collect();
            let _ = writeln!(out, "\nThe position may also refer to {}.", names.join(", "));
        }
        if !self.overloads.is_empty() {
            out.push_str("\nOverloads, counted together:\n\n");
        }
        for OverloadJson { symbol, signature, title } in &self.overloads {
            let _ = writeln!(out, "- {} {}: {title}", render_location(symbol), code_span(signature));
        }
        if let Some(line) = self.freshness.render_line() {
            let _ = writeln!(out, "\n> Freshness: {line}.");
        }
        if let Some(sentence) = &self.no_users {
            let _ = writeln!(out, "\n{sentence}");
        }
        self.render_callers(&mut out, max_listed);
        for (hops, level) in self.levels.iter().enumerate().skip(1).filter(|(_, level)| !level.is_empty()) {
            let items = level.iter().map(|d| (&d.symbol, d.ambiguous, format!(", {}", d.relation)));
            write_symbol_list(&mut out, &format!("{} hops away", hops + 1), max_listed, items);
        }
        let tests = self.tests.iter().map(|test| {
            let hops =
                if test.distance == 1 { "1 hop".to_owned() } else { format!("{} hops", test.distance) };
            (&test.symbol, test.ambiguous, format!(", {hops}"))
        });
        write_symbol_list(&mut out, "Tests", max_listed, tests);
        other_folders::write_section(&mut out, &self.users);
        if let Some(uses) = &self.package {
            package_uses::write_sections(&mut out, uses);
        }
        ripple::write_section(&mut out, &self.ripple);
        if self.folders.len() > 1 {
            out.push_str("\n## Folders\n\n");
            for folder in self.folders.iter().take(max_listed) {
                let name = if folder.folder.is_empty() { "." } else { &folder.folder };
                let _ = writeln!(out, "- {}: {}", code_span(name), folder.dependents);
            }
        }
        if self.truncated {
            out.push_str("\nThe lists may be incomplete.\n");
        }
        out
    }

    /// Renders the direct callers with their evidence, then the one-hop dependents that do not call
    /// the target (they extend or override it).
    fn render_callers(&self, out: &mut String, max_listed: usize) {
        let items = self.callers.iter().map(|caller| {
            let call = caller.call_line.map(|line| format!(", calls on line {line}")).unwrap_or_default();
            (&caller.symbol, caller.ambiguous, call)
        });
        write_symbol_list(out, "Callers", max_listed, items);
        if !self.evidence.is_empty() {
            let evidence: Vec<String> = self
                .evidence
                .iter()
                .map(|(provenance, n)| {
                    let words = Provenance::parse(provenance).map_or(*provenance, describe_provenance);
                    format!("{n} {words}")
                })
                .collect();
            let _ = write!(out, "\nEvidence: {}", evidence.join(", "));
            if self.ambiguous > 0 {
                let _ = write!(out, "; {} may call another definition (~)", self.ambiguous);
            }
            out.push_str(".\n");
        }
        for overridden in &self.through_overrides {
            let (base, callers) = (&overridden.base, overridden.callers.value);
            let _ = writeln!(
                out,
                "\nOverrides {} at {}, whose callers ({callers}) may reach this definition.",
                code_span(&base.name),
                render_location(base)
            );
        }
        let called: Vec<&str> = self.callers.iter().map(|caller| caller.symbol.id.as_str()).collect();
        let others = self.levels.first().into_iter().flatten();
        let others = others.filter(|d| !called.contains(&d.symbol.id.as_str()) && d.edge != "calls");
        write_symbol_list(
            out,
            "Direct dependents",
            max_listed,
            others.map(|d| (&d.symbol, d.ambiguous, format!(", {}", d.relation))),
        );
        if self.mentions > 0 {
            let symbols = if self.mentions == 1 { "symbol uses" } else { "symbols use" };
            let _ =
                writeln!(out, "\n{} {symbols} it without a call (reads, writes, mentions).", self.mentions);
        }
    }
}

/// Renders `path:line` as inline code, which editors and terminals turn into a link. A symbol
/// outside the workspace has its qualified name instead.
pub fn render_location(symbol: &SymbolJson) -> String {
    match symbol.line {
        0 => code_span(&symbol.qualified_name),
        line => code_span(&format!("{}:{line}", symbol.file)),
    }
}

/// Writes a section with one item per symbol, or nothing if there are no items.
fn write_symbol_list<'s>(
    out: &mut String,
    heading: &str,
    max_listed: usize,
    items: impl Iterator<Item = (&'s SymbolJson, bool, String)>,
) {
    let items: Vec<_> = items.collect();
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n## {heading}\n");
    for (symbol, ambiguous, detail) in items.iter().take(max_listed) {
        let mark = if *ambiguous { " ~" } else { "" };
        let _ = writeln!(
            out,
            "- {} {} ({}{detail}){mark}",
            render_location(symbol),
            code_span(&symbol.name),
            symbol.kind
        );
    }
    if let Some(more) = items.len().checked_sub(max_listed).filter(|&more| more > 0) {
        let _ = writeln!(out, "- … and {more} more");
    }
}
