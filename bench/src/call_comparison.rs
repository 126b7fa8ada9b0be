//! Compares the calls in an enriched workspace with the verdicts of language servers. Unlike
//! `calls`, it covers every call site that a server was asked about.
//!
//! [`compare_calls`] reads the index that `kenning enrich` wrote. Each verdict stores the guesses
//! of the text next to the answer of the server, so no server runs. The result is a table of both,
//! the sites where they differ, and the number of edges without and with verdicts.

use anyhow::{Context, ensure};
use kenning_graph::verdicts::{AskedReference, ServerResolution, Verdict, VerdictAnswer};
use kenning_graph::{EdgeKind, Hash, Provenance, Snapshot, SymbolKind};
use kenning_indexing::workspace::{Workspace, WorkspaceOptions};
use std::collections::BTreeMap;
use std::path::Path;

/// The resolution of a call by the text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextResolution {
    /// One symbol of the workspace, found by scope, import or type (`ast_resolved`).
    Unique,
    /// A named target outside the workspace.
    External,
    /// Symbols found by name alone, or several candidates (`ast_inferred`).
    Ambiguous,
    /// No target, or an external one without a name.
    Unresolved,
}

/// The server's answer about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServerAnswer {
    /// The same symbol.
    Same,
    /// Another symbol of the workspace.
    Other,
    /// A target outside the workspace.
    External,
    /// A parameter or a local variable.
    Local,
    /// No known target.
    Unknown,
}

/// Counts of the calls in one workspace, and the sites where text and server differ.
#[derive(Debug, Default)]
pub struct CallComparison {
    /// Number of call sites by the text's resolution and the server's answer.
    pub counts: BTreeMap<(TextResolution, ServerAnswer), usize>,
    /// `path:line name: text's target -> server's target` for each resolved site for which the
    /// server has another target.
    pub differences: Vec<String>,
    /// Number of `calls` edges without the verdicts of servers.
    pub text_calls: usize,
    /// Number of `calls` edges with the verdicts.
    pub merged_calls: usize,
    /// Number of `calls` edges that a server confirmed or discovered.
    pub confirmed_calls: usize,
}

impl CallComparison {
    fn count(&self, text: TextResolution, answer: ServerAnswer) -> usize {
        self.counts.get(&(text, answer)).copied().unwrap_or(0)
    }

    /// Returns the share of calls with the server's target among the calls that the text resolved
    /// into the workspace. Returns `None` if the server has no answer about any of them.
    pub fn precision(&self) -> Option<f64> {
        let right = self.count(TextResolution::Unique, ServerAnswer::Same);
        let wrong: usize = [ServerAnswer::Other, ServerAnswer::External, ServerAnswer::Local]
            .map(|answer| self.count(TextResolution::Unique, answer))
            .iter()
            .sum();
        (right + wrong > 0).then(|| right as f64 / (right + wrong) as f64)
    }
}

/// Reads the verdicts in the index `database` of the workspace at `root`, and compares them with
/// its calls.
///
/// # Errors
/// Fails if the index cannot be opened or has no verdicts.
pub fn compare_calls(root: &Path, database: &Path) -> anyhow::Result<CallComparison> {
    let options = WorkspaceOptions { db: Some(database.to_owned()), ..WorkspaceOptions::default() };
    let workspace = Workspace::open(root, options).with_context(|| root.display().to_string())?;
    let snapshot = workspace.current_snapshot();
    let verdicts = workspace.all_verdicts();
    ensure!(!verdicts.is_empty(), "{}: no server was asked; run `kenning enrich` first", database.display());
    let mut comparison = CallComparison::default();
    for verdict in &verdicts {
        comparison.add_verdict(&snapshot, verdict);
    }
    comparison.differences.sort_unstable();
    comparison.text_calls = count_calls(&snapshot.clone().without_verdicts(), |_| true);
    comparison.merged_calls = count_calls(&snapshot, |_| true);
    comparison.confirmed_calls = count_calls(&snapshot, |provenance| provenance == Provenance::LspResolved);
    Ok(comparison)
}

fn count_calls(snapshot: &Snapshot, includes: impl Fn(Provenance) -> bool) -> usize {
    let mut count = 0;
    for id in snapshot.symbols() {
        snapshot.for_each_out_edge(id, |edge| {
            count += usize::from(edge.kind == EdgeKind::Calls && includes(edge.provenance));
        });
    }
    count
}

impl CallComparison {
    /// Counts one verdict, and lists it if text and server resolve the call to different targets.
    fn add_verdict(&mut self, snapshot: &Snapshot, verdict: &Verdict) {
        let VerdictAnswer::Reference { reference, resolution } = &verdict.answer else { return };
        if !reference.target_edges.iter().any(|edge| edge.kind == EdgeKind::Calls) {
            return;
        }
        let (text, text_target) = text_resolution(snapshot, reference);
        let (answer, server_target) = match resolution {
            ServerResolution::Confirmed(target) => {
                (ServerAnswer::Same, symbol_name(snapshot, &target.symbol))
            }
            ServerResolution::Retargeted(target) => {
                (ServerAnswer::Other, symbol_name(snapshot, &target.symbol))
            }
            ServerResolution::External { package, name } => {
                (ServerAnswer::External, format!("{package} {name}"))
            }
            ServerResolution::Local => (ServerAnswer::Local, "a local name".to_owned()),
            ServerResolution::Unresolved(_) => (ServerAnswer::Unknown, String::new()),
        };
        *self.counts.entry((text, answer)).or_default() += 1;
        if text == TextResolution::Unique
            && matches!(answer, ServerAnswer::Other | ServerAnswer::External | ServerAnswer::Local)
        {
            let subject = snapshot.symbol_by_hash(&verdict.subject).and_then(|id| snapshot.symbol(id));
            let location = subject.map_or_else(String::new, |subject| {
                format!("{}:{}", subject.path, subject.span.start_line + reference.line + 1)
            });
            self.differences.push(format!("{location} {}: {text_target} -> {server_target}", reference.name));
        }
    }
}

/// Returns how the text resolves a call, and the name of the target.
fn text_resolution(snapshot: &Snapshot, reference: &AskedReference) -> (TextResolution, String) {
    let mut guesses = reference.guesses.iter().filter(|guess| guess.kind == EdgeKind::Calls);
    let Some(first) = guesses.next() else { return (TextResolution::Unresolved, String::new()) };
    if guesses.next().is_some() || first.provenance == Provenance::AstInferred {
        return (TextResolution::Ambiguous, String::new());
    }
    let target = snapshot.symbol_by_hash(&first.target).and_then(|id| snapshot.symbol(id));
    let is_external = target.is_some_and(|target| target.kind == SymbolKind::External);
    (
        if is_external { TextResolution::External } else { TextResolution::Unique },
        symbol_name(snapshot, &first.target),
    )
}

fn symbol_name(snapshot: &Snapshot, symbol: &Hash) -> String {
    let symbol = snapshot.symbol_by_hash(symbol).and_then(|id| snapshot.symbol(id));
    symbol.map_or_else(
        || "?".to_owned(),
        |symbol| match symbol.container {
            "" => format!("{}::{}", symbol.path, symbol.name),
            container => format!("{}::{container}.{}", symbol.path, symbol.name),
        },
    )
}
