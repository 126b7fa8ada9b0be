//! Renders the answers of servers, and their effect on the edges of the graph, as text.

use kenning_graph::snapshot::{Edge, Snapshot, SymbolId, SymbolRef};
use kenning_graph::verdicts::{AskedReference, ServerResolution, VerdictAnswer, symbol_body_hash};
use kenning_graph::{EdgeKind, Hash, Provenance, SymbolKind};
use kenning_indexing::workspace::Workspace;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Renders the counts of each server that do not depend on the machine.
pub fn render_counts(report: &[Value]) -> String {
    let mut text = String::new();
    for server in report {
        let _ = write!(text, "{} {}:", server["name"].as_str().unwrap(), server["state"].as_str().unwrap());
        for count in ["confirmed", "retargeted", "phantoms", "local", "nothing", "discovered", "stale"] {
            let _ = write!(text, " {} {count},", server[count]);
        }
        let _ = writeln!(text, " unresolved {}", server["unresolved"]);
    }
    text
}

/// Returns the differences between the reports of two runs. The second run must ask nothing.
pub fn compare_reports(first: &[Value], second: &[Value]) -> Vec<String> {
    let mut differences = Vec::new();
    for (first, second) in first.iter().zip(second) {
        let counts = ["confirmed", "retargeted", "phantoms", "local", "unresolved", "discovered", "stale"];
        for count in counts {
            if first[count] != second[count] {
                differences.push(format!("{count}: {}, then {}", first[count], second[count]));
            }
        }
        if second["requests"] != 0 {
            differences.push(format!("{} requests", second["requests"]));
        }
    }
    differences
}

/// Renders one line for each reference that was asked about, by file and position.
pub fn render_answers(workspace: &Workspace) -> String {
    let snapshot = workspace.current_snapshot();
    let mut lines = BTreeSet::new();
    for verdict in workspace.all_verdicts() {
        let Some(subject) = find_symbol(&snapshot, &verdict.subject) else { continue };
        if let VerdictAnswer::Reference { reference, resolution } = &verdict.answer
            && verdict.body == symbol_body_hash(&snapshot, &subject)
        {
            lines.insert(answer_line(&snapshot, &subject, reference, resolution));
        }
    }
    let mut text = String::new();
    let mut file = String::new();
    for (path, line, _, outcome) in lines {
        if path != file {
            let _ = writeln!(text, "{path}");
            file = path;
        }
        let _ = writeln!(text, "{line:4} {outcome}");
    }
    text
}

fn answer_line(
    snapshot: &Snapshot,
    subject: &SymbolRef,
    reference: &AskedReference,
    resolution: &ServerResolution,
) -> (String, u32, u32, String) {
    let kinds: BTreeSet<&str> = reference.target_edges.iter().map(|edge| edge.kind.as_str()).collect();
    let guesses: BTreeSet<String> = reference
        .guesses
        .iter()
        .map(|guess| guess.far_end(&reference.target_edges))
        .map(|hash| {
            find_symbol(snapshot, &hash).map_or_else(|| "?".to_owned(), |target| located_name(&target))
        })
        .collect();
    let guesses = guesses.into_iter().collect::<Vec<_>>().join(" | ");
    let target_name = |hash: &Hash| {
        find_symbol(snapshot, hash).map_or_else(|| "?".to_owned(), |target| located_name(&target))
    };
    let outcome = match resolution {
        ServerResolution::Confirmed(target) => format!("confirmed {}", target_name(&target.symbol)),
        ServerResolution::Retargeted(target) => {
            format!("retargeted {}, not {guesses}", target_name(&target.symbol))
        }
        ServerResolution::External { package, name } => {
            let outside = format!("[{package}] {name}");
            if guesses == outside {
                format!("outside {outside}")
            } else {
                format!("outside {outside}, not {guesses}")
            }
        }
        ServerResolution::Local => format!("local, not {guesses}"),
        ServerResolution::Unresolved(why) => format!("{}, instead of {guesses}", why.as_str()),
    };
    let outcome = outcome.strip_suffix(", not ").unwrap_or(&outcome).to_owned();
    let outcome = outcome.strip_suffix(", instead of ").unwrap_or(&outcome).to_owned();
    let kinds = kinds.into_iter().collect::<Vec<_>>().join("+");
    let line = subject.span.start_line + reference.line + 1;
    let outcome = format!("{}: {} {kinds} {outcome}", enclosing_name(subject), reference.name);
    (subject.path.to_owned(), line, reference.nth, outcome)
}

/// Renders the edges that only servers show, the edges of the text that they refute, and a summary.
pub fn render_edges(snapshot: &Snapshot) -> String {
    let plain = snapshot.clone().without_verdicts();
    let (before, after) = (sorted_edges(&plain), sorted_edges(snapshot));
    let mut text = String::from("edges that no text shows\n");
    let (mut replaced, mut upgraded) = (0, 0);
    for edge in &after {
        let known = before.iter().any(|other| edge_ends(other) == edge_ends(edge));
        replaced += usize::from(!known);
        upgraded += usize::from(known && edge.provenance == Provenance::LspResolved);
        if !known {
            let _ = writeln!(text, "     {}", edge_text(snapshot, edge));
        }
    }
    text.push_str("edges of the text that are refuted\n");
    for edge in &before {
        if !after.iter().any(|other| edge_ends(other) == edge_ends(edge)) {
            let _ = writeln!(
                text,
                "     {}, {} {}",
                edge_text(snapshot, edge),
                edge.provenance.as_str(),
                edge.confidence
            );
        }
    }
    let _ = writeln!(text, "{replaced} new edges, {upgraded} edges of the text confirmed");
    text
}

fn edge_ends(edge: &Edge) -> (SymbolId, SymbolId, EdgeKind) {
    (edge.source, edge.target, edge.kind)
}

/// Returns all edges of a graph, sorted by their ends.
fn sorted_edges(snapshot: &Snapshot) -> Vec<Edge> {
    let mut edges = Vec::new();
    for id in snapshot.symbols() {
        snapshot.for_each_out_edge(id, |edge| edges.push(edge));
    }
    edges.sort_by_cached_key(|edge| edge_text(snapshot, edge));
    edges
}

fn edge_text(snapshot: &Snapshot, edge: &Edge) -> String {
    let end = |id| snapshot.symbol(id).map_or_else(|| "?".to_owned(), |symbol| located_name(&symbol));
    format!("{} {} {}", end(edge.source), edge.kind.as_str(), end(edge.target))
}

fn find_symbol<'a>(snapshot: &'a Snapshot, hash: &Hash) -> Option<SymbolRef<'a>> {
    snapshot.symbol(snapshot.symbol_by_hash(hash)?)
}

/// Returns the name of the symbol around a reference.
fn enclosing_name(subject: &SymbolRef) -> String {
    if subject.kind == SymbolKind::File { "the file".to_owned() } else { qualified_name(subject) }
}

/// Returns the dotted name of a symbol, including its container.
fn qualified_name(symbol: &SymbolRef) -> String {
    if symbol.container.is_empty() {
        symbol.name.to_owned()
    } else {
        format!("{}.{}", symbol.container, symbol.name)
    }
}

/// Returns a symbol with its file and line, or with its package.
fn located_name(symbol: &SymbolRef) -> String {
    match symbol.file {
        Some(_) => format!("{}:{} {}", symbol.path, symbol.span.start_line + 1, qualified_name(symbol)),
        None => format!("[{}] {}", symbol.path, symbol.name),
    }
}
