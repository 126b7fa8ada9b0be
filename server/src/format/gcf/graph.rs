//! A pack as the graph of GCF: nodes with encoded names, and the root that identifies them.
//!
//! The graph profile of GCF allows only printable ASCII without white space in a name. All other
//! bytes of the UTF-8 text, and `%`, are written as in URIs: `GET%20/users`.

use crate::format::sent_pack::{SentEdge, SentSymbol};
use kenning_graph::{Hash, SymbolKind};
use kenning_retrieval::{Pack, PackGroup, PackSymbol};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A node of the graph, in the words of GCF. Its kind and name identify it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GraphNode {
    /// The abbreviated kind.
    pub kind: String,
    /// The encoded name: path, line and name inside the file.
    pub name: String,
    /// The score with two decimals.
    pub score: String,
    /// The provenance of the best edge to the symbol.
    pub provenance: String,
    /// The section: 0 for targets, 1 for related symbols, 2 for tests. GCF measures it in hops; Kenning
    /// gives the part of the pack, so that the order is that of the other forms.
    pub distance: u32,
}

/// Returns the nodes of a pack, in rank order.
pub fn graph_nodes(pack: &Pack) -> Vec<GraphNode> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let nodes = pack.symbols.iter().map(|symbol| {
        let plain = encode_name(&located_name(symbol));
        // Edges name their ends, so names must differ even if several symbols of one name are on
        // one line.
        let numbered = (2..).map(|number: u32| format!("{plain}#{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let name = names.find(|name| !seen.contains(name)).unwrap_or(plain);
        seen.insert(name.clone());
        let kind = kind_name(symbol.kind);
        GraphNode {
            kind: kind.to_owned(),
            name,
            score: two_decimals(symbol.score),
            provenance: symbol.provenance.as_str().to_owned(),
            distance: distance_of_group(symbol.group),
        }
    });
    nodes.collect()
}

const fn distance_of_group(group: PackGroup) -> u32 {
    match group {
        PackGroup::Pinned | PackGroup::Subject => 0,
        PackGroup::Related => 1,
        PackGroup::Tests | PackGroup::Documentation => 2,
    }
}

/// Returns the abbreviation of a kind. Kinds that GCF does not list keep their names.
pub const fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Function => "fn",
        SymbolKind::Interface => "iface",
        SymbolKind::Variable => "var",
        SymbolKind::Constant => "const",
        SymbolKind::Route => "route",
        SymbolKind::External => "ext",
        other => other.as_str(),
    }
}

/// Returns the name of a symbol with its path and line: `src/app.py:12::App.hook`.
pub fn located_name(symbol: &PackSymbol) -> String {
    match symbol.kind {
        kind if kind.is_phantom() => symbol.qualified_name.clone(),
        SymbolKind::File => symbol.file.clone(),
        _ => format!("{}:{}::{}", symbol.file, symbol.line, symbol.name),
    }
}

/// Writes every byte that a name of GCF cannot contain, and `%`, as `%` and two digits.
pub fn encode_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'%' | 0..=0x20 | 0x7f.. => {
                let _ = write!(out, "%{byte:02X}");
            }
            _ => out.push(byte as char),
        }
    }
    out
}

/// Formats a score with two decimals; a number that is not finite counts as zero.
fn two_decimals(score: f64) -> String {
    format!("{:.2}", if score.is_finite() { score } else { 0.0 })
}

/// Returns the canonical form of a number with two decimals: without zeros at the end.
fn canonical_number(score: &str) -> &str {
    let number = score.trim_end_matches('0').trim_end_matches('.');
    if number.is_empty() || number == "-0" { "0" } else { number }
}

/// Computes the root of a graph with the algorithm `gcf-pack-root-v1`: the SHA-256 of the sorted
/// records of its nodes and edges.
pub fn graph_root(symbols: &[SentSymbol], edges: &[SentEdge]) -> String {
    let mut nodes: Vec<String> = symbols
        .iter()
        .map(|SentSymbol { node, .. }| {
            let score = canonical_number(&node.score);
            format!("S\t{}\t{}\t{score}\t{}\t{}\n", node.kind, node.name, node.provenance, node.distance)
        })
        .collect();
    let mut relations: Vec<String> = edges
        .iter()
        .filter_map(|edge| {
            let (source, target) = (&symbols.get(edge.source)?.node, &symbols.get(edge.target)?.node);
            let (from, to) = (&source.name, &target.name);
            Some(format!("E\t{}\t{from}\t{}\t{to}\t{}\n", source.kind, target.kind, edge.kind))
        })
        .collect();
    nodes.sort_unstable();
    relations.sort_unstable();
    let records = nodes.concat() + &relations.concat();
    format!("sha256:{}", Hash::from_content(records.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(kind: &str, name: &str, score: &str, provenance: &str, distance: u32) -> SentSymbol {
        let node = GraphNode {
            kind: kind.into(),
            name: name.into(),
            score: score.into(),
            provenance: provenance.into(),
            distance,
        };
        let (id, content, file) = (String::new(), String::new(), String::new());
        SentSymbol { id, name: name.into(), file, line: 1, end_line: 1, content, node }
    }

    #[test]
    fn roots_equal_those_of_the_published_conformance_tests() {
        let (auth, server) = (
            symbol("fn", "pkg.Auth", "0.78", "lsp_resolved", 0),
            symbol("fn", "pkg.Server", "0.54", "lsp_resolved", 1),
        );
        let calls = SentEdge { source: 1, target: 0, kind: "calls".into() };
        assert_eq!(
            graph_root(&[auth, server], &[calls]),
            "sha256:8e6d32973b4005c604399a14faa32799d54f427800008312a3357c349d41e572"
        );
        assert_eq!(
            graph_root(&[symbol("fn", "pkg.Main", "1.00", "lsp_resolved", 0)], &[]),
            "sha256:da39c1fb07913659a75865cf4afaa971683448625d19ac92c0303e90f678585f"
        );
        let (foo, bar) = (
            symbol("fn", "z.Foo", "0.90", "lsp_resolved", 0),
            symbol("type", "a.Bar", "0.50", "ast_inferred", 1),
        );
        let edges = [
            SentEdge { source: 0, target: 1, kind: "calls".into() },
            SentEdge { source: 1, target: 0, kind: "imports".into() },
        ];
        assert_eq!(
            graph_root(&[foo, bar], &edges),
            "sha256:fa9ffe4a5d09fc21e1e122000b269ac9098fbec8d21eee5665ed33711be8af94"
        );
    }

    #[test]
    fn numbers_are_rounded_to_even_and_lose_their_zeros_in_the_root() {
        let scores = [0.125, 0.625, 1.0, -0.001, f64::NAN, f64::INFINITY, 12.3].map(two_decimals);
        assert_eq!(scores, ["0.12", "0.62", "1.00", "-0.00", "0.00", "0.00", "12.30"]);
        let canonical = scores.each_ref().map(|score| canonical_number(score));
        assert_eq!(canonical, ["0.12", "0.62", "1", "0", "0", "0", "12.3"]);
    }

    #[test]
    fn names_are_printable_words() {
        assert_eq!(encode_name("src/app.py:12::App.hook<T>"), "src/app.py:12::App.hook<T>");
        assert_eq!(encode_name("GET /users\t100%\nü\u{7f}"), "GET%20/users%09100%25%0A%C3%BC%7F");
    }
}
