//! The neighborhood of a symbol as JSON, DOT and SVG.

use super::json::{SCHEMA, round_score};
use super::svg;
use super::symbol_locations::{DocumentLocator, SymbolJson, symbol_json};
use crate::freshness::Freshness;
use clap::ValueEnum;
use kenning_graph::{Snapshot, SymbolId};
use kenning_retrieval::features::SymbolNeighborhood;
use kenning_retrieval::pack::escape_control_chars;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Default maximum distance in hops.
pub const DEFAULT_DEPTH: u8 = 2;

/// Default maximum number of nodes; a diagram with more is unreadable.
pub const DEFAULT_NODES: usize = 60;

/// Largest number of nodes that a request may ask for.
pub const MAX_NODES: usize = 1000;

/// The format of a neighborhood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GraphFormat {
    /// JSON, for programs.
    #[default]
    Json,
    /// DOT, for Graphviz.
    Dot,
    /// SVG, a diagram.
    Svg,
}

/// The symbols around a symbol, and the edges among them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Graph")]
pub struct GraphJson<'a> {
    /// Version of this format.
    schema: u32,
    /// The symbols: the requested one first, then by distance.
    pub nodes: Vec<NodeJson>,
    /// Edges among the nodes, by source, target and kind.
    pub edges: Vec<GraphEdgeJson>,
    /// True if nodes within the requested distance were left out.
    truncated: bool,
    /// Freshness of the answer.
    freshness: &'a Freshness,
    /// The answer in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A symbol of a graph.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GraphNode")]
pub struct NodeJson {
    /// The symbol; its fields are inlined into the node.
    #[serde(flatten)]
    pub symbol: SymbolJson,
    /// Hops from the requested symbol, in either direction.
    pub distance: u8,
}

/// An edge of a graph.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GraphEdge")]
pub struct GraphEdgeJson {
    /// Index of the source in `nodes`.
    pub source: usize,
    /// Index of the target in `nodes`.
    pub target: usize,
    /// The kind of relation: `calls`, `implements` ...
    pub kind: &'static str,
    /// The provenance of the edge.
    provenance: &'static str,
    /// Confidence that the edge is right, from 0 to 1.
    confidence: f64,
    /// True if the edge may lead elsewhere.
    pub ambiguous: bool,
}

impl<'a> GraphJson<'a> {
    /// Builds the JSON form.
    pub fn new(
        snapshot: &Snapshot,
        neighborhood: &SymbolNeighborhood,
        freshness: &'a Freshness,
        locator: &dyn DocumentLocator,
    ) -> Self {
        let mut indices: BTreeMap<SymbolId, usize> = BTreeMap::new();
        let mut nodes = Vec::new();
        for node in &neighborhood.nodes {
            if let Some(symbol) = symbol_json(snapshot, node.symbol, locator) {
                indices.insert(node.symbol, nodes.len());
                nodes.push(NodeJson { symbol, distance: node.distance });
            }
        }
        let edges = neighborhood.edges.iter().filter_map(|edge| {
            Some(GraphEdgeJson {
                source: *indices.get(&edge.source)?,
                target: *indices.get(&edge.target)?,
                kind: edge.kind.as_str(),
                provenance: edge.provenance.as_str(),
                confidence: round_score(f64::from(edge.confidence)),
                ambiguous: kenning_retrieval::features::is_ambiguous(edge),
            })
        });
        let edges = edges.collect();
        Self { schema: SCHEMA, nodes, edges, truncated: neighborhood.truncated, freshness, text: None }
    }

    /// Renders the graph in the given format, ending with a line break.
    ///
    /// # Errors
    /// Returns an error if serde cannot serialize the graph as JSON.
    pub fn render_as(&self, format: GraphFormat) -> Result<String, serde_json::Error> {
        Ok(match format {
            GraphFormat::Json => super::json::render_json(self)?,
            GraphFormat::Dot => self.render_dot(),
            GraphFormat::Svg => svg::draw_graph(self),
        })
    }

    /// Renders the graph in Graphviz's language.
    fn render_dot(&self) -> String {
        let mut out =
            String::from("digraph kenning {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let label = format!("{}\n{}", node.symbol.name, describe_position(&node.symbol));
            let bold = if node.distance == 0 { ", penwidth=2" } else { "" };
            let _ = writeln!(out, "  n{number} [label={}{bold}];", quote_dot(&label));
        }
        for edge in &self.edges {
            let style = if edge.ambiguous { ", style=dashed" } else { "" };
            let _ = writeln!(
                out,
                "  n{} -> n{} [label={}{style}];",
                edge.source,
                edge.target,
                quote_dot(&edge.kind.replace('_', " "))
            );
        }
        out.push_str("}\n");
        out
    }
}

/// Returns `path:line`, or `external` with the package, if known, for a symbol outside the
/// workspace.
pub fn describe_position(symbol: &SymbolJson) -> String {
    match symbol.line {
        0 if symbol.file.is_empty() => "external".to_owned(),
        0 => format!("external: {}", symbol.file),
        line => format!("{}:{line}", symbol.file),
    }
}

/// Quotes a string for DOT, where only quotes and backslashes need escaping, safe to print.
fn quote_dot(text: &str) -> String {
    let mut out = String::from("\"");
    for c in escape_control_chars(text).chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn node(name: &str, distance: u8) -> NodeJson {
        let symbol = SymbolJson {
            id: name.to_owned(),
            qualified_name: format!("a.py::{name}"),
            name: name.to_owned(),
            kind: "function",
            file: "a.py".to_owned(),
            line: 3,
            location: None,
        };
        NodeJson { symbol, distance }
    }

    fn edge(source: usize, target: usize) -> GraphEdgeJson {
        let (kind, provenance) = ("member_of", "ast_resolved");
        GraphEdgeJson { source, target, kind, provenance, confidence: 0.85, ambiguous: false }
    }

    fn graph(freshness: &Freshness) -> GraphJson<'_> {
        let nodes = vec![node("own", 0), node("<b a=\"1\">&\u{1b}\\", 1), node("right", 1)];
        let edges = vec![GraphEdgeJson { ambiguous: true, ..edge(1, 0) }, edge(0, 2)];
        GraphJson { schema: SCHEMA, nodes, edges, truncated: false, freshness, text: None }
    }

    #[test]
    fn names_are_quoted_for_graphviz() {
        expect![[r#"
            digraph kenning {
              rankdir=LR;
              node [shape=box, fontname="monospace"];
              n0 [label="own\na.py:3", penwidth=2];
              n1 [label="<b a=\"1\">&\\u{1b}\\\na.py:3"];
              n2 [label="right\na.py:3"];
              n1 -> n0 [label="member of", style=dashed];
              n0 -> n2 [label="member of"];
            }
        "#]]
        .assert_eq(&graph(&Freshness::default()).render_dot());
    }

    #[test]
    fn a_diagram_has_columns_and_escapes_names() {
        let freshness = Freshness::default();
        let diagram = graph(&freshness).render_as(GraphFormat::Svg).unwrap();
        assert_eq!(diagram, graph(&freshness).render_as(GraphFormat::Svg).unwrap());
        let text: Vec<&str> = diagram.lines().filter(|line| line.starts_with("<g>")).collect();
        expect![[r#"
            <g><title>a.py::own (function)</title><rect class="box own" x="249" y="24" width="57" height="40" rx="5"/><text class="name" x="259" y="41">own</text><text class="at" x="259" y="55">a.py:3</text></g>
            <g><title>a.py::&lt;b a=&quot;1&quot;&gt;&amp;\u{1b}\ (function)</title><rect class="box" x="24" y="24" width="115" height="40" rx="5"/><text class="name" x="34" y="41">&lt;b a=&quot;1&quot;&gt;&amp;\u{1b}\</text><text class="at" x="34" y="55">a.py:3</text></g>
            <g><title>a.py::right (function)</title><rect class="box" x="416" y="24" width="60" height="40" rx="5"/><text class="name" x="426" y="41">right</text><text class="at" x="426" y="55">a.py:3</text></g>"#]]
        .assert_eq(&text.join("\n"));
        assert!(diagram.contains("class=\"edge maybe\""), "an ambiguous edge is dashed");
        assert!(!diagram.contains("<b "), "{diagram}");
    }

    #[test]
    fn an_empty_graph_is_an_empty_diagram() {
        let freshness = Freshness::default();
        let empty = GraphJson { nodes: Vec::new(), edges: Vec::new(), ..graph(&freshness) };
        assert!(empty.render_as(GraphFormat::Svg).unwrap().ends_with("</svg>\n"));
    }
}
