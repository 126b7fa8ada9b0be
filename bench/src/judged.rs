//! Compares the calls of an enriched workspace with the verdicts of language servers: at every call
//! site, not at a sample.

use anyhow::{Context, ensure};
use kenning_graph::verdicts::{AskedReference, ServerResolution, Verdict, VerdictAnswer};
use kenning_graph::{EdgeKind, Hash, Provenance, Snapshot, SymbolKind};
use kenning_indexing::workspace::{Workspace, WorkspaceOptions};
use std::collections::BTreeMap;
use std::path::Path;

/// The resolution of a call by the text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Text {
    /// One symbol of the workspace, found by scope, import or type (`ast_resolved`).
    Inside,
    /// A named target outside the workspace.
    Outside,
    /// Symbols found by name alone, or several candidates (`ast_inferred`).
    Open,
    /// No target, or an external one without a name.
    Silent,
}

/// The server's answer about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    /// The same symbol.
    Same,
    /// Another symbol of the workspace.
    Other,
    /// A target outside the workspace.
    Outside,
    /// A parameter or a local variable.
    Local,
    /// No known target.
    Nothing,
}

/// Counts of the calls of one workspace, and the sites where text and server differ.
#[derive(Debug, Default)]
pub struct Judged {
    /// Number of call sites by the text's resolution and the server's answer.
    pub counts: BTreeMap<(Text, Said), usize>,
    /// `path:line name: ours -> theirs` for each site that the text resolved and for which the
    /// server has another target.
    pub differences: Vec<String>,
    /// Number of `calls` edges without the verdicts of servers.
    pub before: usize,
    /// Number of `calls` edges with the verdicts.
    pub after: usize,
    /// Number of `calls` edges that a server confirmed or found.
    pub confirmed: usize,
}

impl Judged {
    fn of(&self, text: Text, said: Said) -> usize {
        self.counts.get(&(text, said)).copied().unwrap_or(0)
    }

    /// Returns the share of the calls that the text resolved into the workspace for which the
    /// server has the same target. Returns `None` if the server has no answer about any of them.
    pub fn precision(&self) -> Option<f64> {
        let right = self.of(Text::Inside, Said::Same);
        let wrong: usize =
            [Said::Other, Said::Outside, Said::Local].map(|said| self.of(Text::Inside, said)).iter().sum();
        (right + wrong > 0).then(|| right as f64 / (right + wrong) as f64)
    }
}

/// Reads the verdicts in the index `database` of the workspace at `root`, and compares them with
/// its calls.
///
/// # Errors
/// Fails if the index cannot be opened or has no verdicts.
pub fn judge(root: &Path, database: &Path) -> anyhow::Result<Judged> {
    let options = WorkspaceOptions { db: Some(database.to_owned()), ..WorkspaceOptions::default() };
    let workspace = Workspace::open(root, options).with_context(|| root.display().to_string())?;
    let snapshot = workspace.current_snapshot();
    let verdicts = workspace.all_verdicts();
    ensure!(!verdicts.is_empty(), "{}: no server was asked; run `kenning enrich` first", database.display());
    let mut judged = Judged::default();
    for verdict in &verdicts {
        judged.add(&snapshot, verdict);
    }
    judged.differences.sort_unstable();
    judged.before = calls(&snapshot.clone().without_verdicts(), |_| true);
    judged.after = calls(&snapshot, |_| true);
    judged.confirmed = calls(&snapshot, |provenance| provenance == Provenance::LspResolved);
    Ok(judged)
}

fn calls(snapshot: &Snapshot, counts: impl Fn(Provenance) -> bool) -> usize {
    let mut number = 0;
    for id in snapshot.symbols() {
        snapshot.for_each_out_edge(id, |edge| {
            number += usize::from(edge.kind == EdgeKind::Calls && counts(edge.provenance));
        });
    }
    number
}

impl Judged {
    fn add(&mut self, snapshot: &Snapshot, verdict: &Verdict) {
        let VerdictAnswer::Reference { reference, is } = &verdict.answer else { return };
        if !reference.makes.iter().any(|made| made.kind == EdgeKind::Calls) {
            return;
        }
        let (text, ours) = text_of(snapshot, reference);
        let (said, theirs) = match is {
            ServerResolution::Confirmed(target) => (Said::Same, name_of(snapshot, &target.symbol)),
            ServerResolution::Retargeted(target) => (Said::Other, name_of(snapshot, &target.symbol)),
            ServerResolution::External { package, name } => (Said::Outside, format!("{package} {name}")),
            ServerResolution::Local => (Said::Local, "a local name".to_owned()),
            ServerResolution::Unresolved(_) => (Said::Nothing, String::new()),
        };
        *self.counts.entry((text, said)).or_default() += 1;
        if text == Text::Inside && matches!(said, Said::Other | Said::Outside | Said::Local) {
            let subject = snapshot.symbol_by_hash(&verdict.subject).and_then(|id| snapshot.symbol(id));
            let place = subject.map_or_else(String::new, |subject| {
                format!("{}:{}", subject.path, subject.span.start_line + reference.line + 1)
            });
            self.differences.push(format!("{place} {}: {ours} -> {theirs}", reference.name));
        }
    }
}

/// Returns the text's resolution of a call, and the name of its target.
fn text_of(snapshot: &Snapshot, reference: &AskedReference) -> (Text, String) {
    let mut guesses = reference.guesses.iter().filter(|guess| guess.kind == EdgeKind::Calls);
    let Some(first) = guesses.next() else { return (Text::Silent, String::new()) };
    if guesses.next().is_some() || first.provenance == Provenance::AstInferred {
        return (Text::Open, String::new());
    }
    let target = snapshot.symbol_by_hash(&first.target).and_then(|id| snapshot.symbol(id));
    let outside = target.is_some_and(|target| target.kind == SymbolKind::External);
    (if outside { Text::Outside } else { Text::Inside }, name_of(snapshot, &first.target))
}

fn name_of(snapshot: &Snapshot, symbol: &Hash) -> String {
    let symbol = snapshot.symbol_by_hash(symbol).and_then(|id| snapshot.symbol(id));
    symbol.map_or_else(
        || "?".to_owned(),
        |symbol| match symbol.container {
            "" => format!("{}::{}", symbol.path, symbol.name),
            container => format!("{}::{container}.{}", symbol.path, symbol.name),
        },
    )
}
