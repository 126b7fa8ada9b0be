//! The difference between two packs in GCF.
//!
//! GCF has no line for a changed node. The difference removes a node whose score, evidence or
//! distance changed, and adds it again; a node whose line changed has another name.

use super::super::delta::PackDelta;
use super::super::sent_pack::SentPack;
use super::graph::GraphNode;
use super::{HEADER, write_documents, write_freshness};
use kenning_retrieval::pack::count_tokens;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Renders a difference; `whole_tokens` is the number of tokens of the whole pack.
pub fn render_delta(delta: &PackDelta<'_>, whole_tokens: usize) -> String {
    let (base, current) = (delta.base, delta.current);
    let mut body = String::new();
    write_freshness(&mut body, &delta.view);
    let (before, after) = (nodes_of_pack(base), nodes_of_pack(current));
    let removed: Vec<&GraphNode> = in_rank_order(base).filter(|node| !after.contains(node)).collect();
    let added: Vec<&GraphNode> = in_rank_order(current).filter(|node| !before.contains(node)).collect();
    write_section(&mut body, "removed", removed.iter().map(|node| format!("{} {}", node.kind, node.name)));
    let added_lines = added.iter().enumerate().map(|(id, node)| {
        let GraphNode { kind, name, score, provenance, distance } = node;
        format!("@{id} {kind} {name} {score} {provenance} {distance}")
    });
    write_section(&mut body, "added", added_lines);
    let (before, after) = (edge_lines(base), edge_lines(current));
    write_section(&mut body, "edges_removed", before.difference(&after).cloned());
    write_section(&mut body, "edges_added", after.difference(&before).cloned());
    if delta.has_other_documents {
        if delta.view.answer.pack.documents.is_empty() {
            body.push_str("# no documentation\n");
        }
        write_documents(&mut body, &delta.view);
    }
    let roots = format!(" delta=true base_root={} new_root={}", base.graph_root, current.graph_root);
    let tokens = count_tokens(&format!("{HEADER}{roots}\n{body}"));
    let savings = 100 - (100 * tokens).checked_div(whole_tokens).unwrap_or(0).min(100);
    format!("{HEADER}{roots} tokens={tokens} savings={savings}%\n{body}")
}

fn in_rank_order(pack: &SentPack) -> impl Iterator<Item = &GraphNode> {
    pack.symbols.iter().map(|symbol| &symbol.node)
}

fn nodes_of_pack(pack: &SentPack) -> BTreeSet<&GraphNode> {
    in_rank_order(pack).collect()
}

fn edge_lines(pack: &SentPack) -> BTreeSet<String> {
    let name = |at: usize| pack.symbols.get(at).map(|symbol| symbol.node.name.as_str());
    let lines = pack
        .edges
        .iter()
        .filter_map(|edge| Some(format!("{} -> {} {}", name(edge.source)?, name(edge.target)?, edge.kind)));
    lines.collect()
}

fn write_section(out: &mut String, name: &str, lines: impl Iterator<Item = String>) {
    for (at, line) in lines.enumerate() {
        if at == 0 {
            let _ = writeln!(out, "## {name}");
        }
        let _ = writeln!(out, "{line}");
    }
}
