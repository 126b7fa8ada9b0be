//! Reference sites: the references of a file that a language server can resolve, each with the
//! edges that the text alone gives it.
//!
//! The edges come from the code that adds the edges of the file, which runs for one reference at a
//! time. A site also has the edges that a target confirmed by a server would get.

use super::edge_collector::EdgeCollector;
use super::file_context::FileContext;
use super::lang::family::LanguageFamily;
use super::tracked_snapshot::SharedIndexes;
use super::{name_uses, use_site, with_file_context};
use crate::project::Project;
use kenning_graph::facts::{ReferenceFact, ReferenceRole};
use kenning_graph::snapshot::identity::phantom_hash;
use kenning_graph::snapshot::{EdgeTarget, NewEdge};
use kenning_graph::verdicts::{
    ContextHash, GuessedEdge, ReferenceSite, SiteKey, TargetEdge, symbol_body_hash,
};
use kenning_graph::{EdgeKind, FileFacts, FileId, Hash, Snapshot, SymbolId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Returns the references of a file in text order: every call, construction and decorator, and
/// every other reference that has an edge from the text. `facts` must describe the version of the
/// file that the snapshot contains.
pub fn collect_sites(
    snapshot: &Snapshot,
    project: &Project,
    file: FileId,
    facts: &FileFacts,
) -> Vec<ReferenceSite> {
    let shared = SharedIndexes::new(snapshot, project);
    let found = with_file_context(snapshot, &shared, project, file, facts, |context| {
        let mut reader = SiteReader { snapshot, context: &context, subjects: FxHashMap::default(), file };
        let mut found: Vec<ReferenceSite> =
            facts.references.iter().filter_map(|reference| reader.build_site(reference)).collect();
        count_guess_sites(&mut found);
        found
    });
    found.unwrap_or_default()
}

/// Whether a file at this path has tests, by the conventions of its language. Returns `false` for
/// languages without resolution rules.
pub fn is_test_file(language: &str, path: &str) -> bool {
    LanguageFamily::from_language(language).is_some_and(|family| family.is_test_path(path))
}

/// A symbol whose body contains references.
struct SiteSubject {
    hash: Hash,
    body: u64,
    context_hash: u64,
    line: u32,
    /// Number of references in the body that have been read.
    references_read: u32,
}

/// Builds the sites of one file, reference by reference.
struct SiteReader<'s, 'a> {
    snapshot: &'s Snapshot,
    context: &'s FileContext<'a>,
    file: FileId,
    subjects: FxHashMap<SymbolId, SiteSubject>,
}

impl SiteReader<'_, '_> {
    /// Returns the site of a reference. Returns `None` if a server cannot resolve the reference or
    /// a confirmed target would get no edge.
    fn build_site(&mut self, reference: &ReferenceFact) -> Option<ReferenceSite> {
        let key = self.next_site_key(reference)?;
        if !is_answerable(reference) {
            return None;
        }
        let (context, file) = (self.context, self.snapshot.file(self.file)?);
        let mut edges = EdgeCollector::with_loops();
        if reference.role == ReferenceRole::Base {
            use_site::add_base_reference_edges(context, reference, &mut edges);
        } else {
            name_uses::add_reference_edges(context, reference, &mut edges);
        }
        let guesses: Vec<GuessedEdge> =
            edges.found.iter().filter_map(|edge| self.build_guess(edge)).collect();
        let target_edges = self.edges_for_target(reference, &key, &guesses);
        if target_edges.is_empty() {
            return None;
        }
        let is_external = edges.calls.external > 0
            || edges.found.iter().any(|edge| matches!(edge.target, EdgeTarget::Phantom { .. }));
        let subject = self.subjects.get(&context.symbol_id(reference.scope))?;
        Some(ReferenceSite {
            key,
            context: subject.context_hash,
            path: Arc::from(file.path),
            content: file.content_hash,
            name: context.facts.strings.get(reference.name).into(),
            at: reference.at,
            subject_line: subject.line,
            role: reference.role,
            target_edges,
            guesses,
            is_external,
        })
    }

    /// Returns the key of the next reference. Counts every reference of the subject, including
    /// references that are not sites.
    fn next_site_key(&mut self, reference: &ReferenceFact) -> Option<SiteKey> {
        let id = self.context.symbol_id(reference.scope);
        let (snapshot, file) = (self.snapshot, self.file);
        let subject = match self.subjects.entry(id) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let symbol = snapshot.symbol(id)?;
                entry.insert(SiteSubject {
                    hash: symbol.hash,
                    body: symbol_body_hash(snapshot, &symbol),
                    context_hash: ContextHash::new(snapshot, file).for_symbol(&symbol),
                    line: symbol.span.start_line,
                    references_read: 0,
                })
            }
        };
        let nth = subject.references_read;
        subject.references_read += 1;
        Some(SiteKey { subject: subject.hash, body: subject.body, nth })
    }

    fn build_guess(&self, edge: &NewEdge) -> Option<GuessedEdge> {
        let target = match &edge.target {
            EdgeTarget::Symbol(id) => self.snapshot.symbol(*id)?.hash,
            EdgeTarget::Phantom { kind, package, name } => phantom_hash(*kind, package, name),
        };
        Some(GuessedEdge {
            source: self.snapshot.symbol(edge.source)?.hash,
            target,
            kind: edge.kind,
            provenance: edge.provenance,
            confidence: edge.confidence,
            sites: 1,
        })
    }

    /// Returns the edges that a target of the reference gets if a server confirms it: the edges
    /// guessed from the text and, for calls and decorators, the edge of the role.
    fn edges_for_target(
        &self,
        reference: &ReferenceFact,
        key: &SiteKey,
        guesses: &[GuessedEdge],
    ) -> Vec<TargetEdge> {
        let decorator = reference.role == ReferenceRole::Decorator;
        let mut edges: Vec<TargetEdge> = guesses
            .iter()
            .map(|guess| {
                // A guess about an external decorator is a `references` edge, but a target in the
                // workspace decorates.
                let kind = if decorator { EdgeKind::Decorates } else { guess.kind };
                let end = if decorator { key.subject } else { guess.source };
                TargetEdge { kind, end, starts_at_target: decorator, excludes_tests: kind == EdgeKind::Tests }
            })
            .collect();
        if let Some(kind) = role_edge_kind(reference.role) {
            edges.push(TargetEdge {
                kind,
                end: key.subject,
                starts_at_target: decorator,
                excludes_tests: false,
            });
            let test = name_uses::enclosing_test(self.context, reference).filter(|_| kind == EdgeKind::Calls);
            if let Some(test) = test.and_then(|scope| self.snapshot.symbol(self.context.symbol_id(scope))) {
                let kind = EdgeKind::Tests;
                edges.push(TargetEdge {
                    kind,
                    end: test.hash,
                    starts_at_target: false,
                    excludes_tests: true,
                });
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Whether a server can resolve the reference. Servers do not resolve environment variables,
/// documentation or quoted names.
fn is_answerable(reference: &ReferenceFact) -> bool {
    let is_unknown_to_servers = matches!(
        reference.role,
        ReferenceRole::Env
            | ReferenceRole::Process
            | ReferenceRole::Flag
            | ReferenceRole::Resource
            | ReferenceRole::Model
            | ReferenceRole::Dependency
            | ReferenceRole::File
            | ReferenceRole::Deployment
            | ReferenceRole::Doc
            | ReferenceRole::Fixture
            | ReferenceRole::Quoted
            | ReferenceRole::Link
    );
    reference.at.len > 0 && !is_unknown_to_servers
}

/// Returns the kind of edge that every reference with this role has. Returns `None` if the kind
/// depends on the target.
fn role_edge_kind(role: ReferenceRole) -> Option<EdgeKind> {
    match role {
        ReferenceRole::Call | ReferenceRole::Construct => Some(EdgeKind::Calls),
        ReferenceRole::Decorator => Some(EdgeKind::Decorates),
        _ => None,
    }
}

/// Sets the number of sites of each guess: the references of the file with the same edge.
fn count_guess_sites(found: &mut [ReferenceSite]) {
    let mut counts: FxHashMap<(Hash, Hash, EdgeKind), u32> = FxHashMap::default();
    for guess in found.iter().flat_map(|site| &site.guesses) {
        *counts.entry((guess.source, guess.target, guess.kind)).or_default() += 1;
    }
    for guess in found.iter_mut().flat_map(|site| &mut site.guesses) {
        guess.sites = counts.get(&(guess.source, guess.target, guess.kind)).copied().unwrap_or(1);
    }
}
