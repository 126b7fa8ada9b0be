//! The neighbourhood of a symbol as data, as DOT and as SVG.

use super::json::{SCHEMA, rounded};
use super::places::{Locate, SymbolJson, symbol};
use super::svg;
use crate::freshness::Freshness;
use clap::ValueEnum;
use kenning_graph::{Snapshot, SymbolId};
use kenning_retrieval::features::Neighbourhood;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Hops that are shown when nothing else is asked.
pub const USUAL_DEPTH: u8 = 2;

/// Nodes that are shown when nothing else is asked: more make no readable picture.
pub const USUAL_NODES: usize = 60;

/// Nodes that can be asked for.
pub const MAX_NODES: usize = 1000;

/// A form in which a neighbourhood can be printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GraphFormat {
    /// As data.
    #[default]
    Json,
    /// For Graphviz.
    Dot,
    /// As a picture.
    Svg,
}

/// The symbols around one, and the edges among them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Graph")]
pub struct GraphJson<'a> {
    /// Version of this form.
    schema: u32,
    /// The symbol that was asked for first, then by distance.
    pub nodes: Vec<NodeJson>,
    /// Edges among the nodes, by source, target and kind.
    pub edges: Vec<GraphEdgeJson>,
    /// Nodes within the asked distance were left out.
    truncated: bool,
    /// How true the answer is.
    freshness: &'a Freshness,
    /// The form that `format` asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A symbol of a graph.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Node")]
pub struct NodeJson {
    /// The symbol itself; its fields are those of the node.
    #[serde(flatten)]
    pub symbol: SymbolJson,
    /// Hops from the symbol that was asked for, in either direction.
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
    /// What it says: `calls`, `implements` ...
    pub kind: &'static str,
    /// How it is known.
    provenance: &'static str,
    /// 0 to 1.
    confidence: f64,
    /// It may as well lead elsewhere.
    pub ambiguous: bool,
}

impl<'a> GraphJson<'a> {
    /// The JSON form.
    pub fn new(
        snapshot: &Snapshot,
        found: &Neighbourhood,
        freshness: &'a Freshness,
        locate: &dyn Locate,
    ) -> Self {
        let mut index: BTreeMap<SymbolId, usize> = BTreeMap::new();
        let mut nodes = Vec::new();
        for node in &found.nodes {
            if let Some(symbol) = symbol(snapshot, node.symbol, locate) {
                index.insert(node.symbol, nodes.len());
                nodes.push(NodeJson { symbol, distance: node.distance });
            }
        }
        let edges = found.edges.iter().filter_map(|edge| {
            Some(GraphEdgeJson {
                source: *index.get(&edge.source)?,
                target: *index.get(&edge.target)?,
                kind: edge.kind.as_str(),
                provenance: edge.provenance.as_str(),
                confidence: rounded(f64::from(edge.confidence)),
                ambiguous: kenning_retrieval::features::is_ambiguous(edge),
            })
        });
        let edges = edges.collect();
        Self { schema: SCHEMA, nodes, edges, truncated: found.truncated, freshness, text: None }
    }

    /// The graph in this form, ending with a line break.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn print(&self, format: GraphFormat) -> Result<String, serde_json::Error> {
        Ok(match format {
            GraphFormat::Json => super::json::text(self)?,
            GraphFormat::Dot => self.dot(),
            GraphFormat::Svg => svg::draw(self),
        })
    }

    /// The graph in the language of Graphviz.
    fn dot(&self) -> String {
        let mut out =
            String::from("digraph kenning {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let label = format!("{}\n{}", node.symbol.name, position(&node.symbol));
            let bold = if node.distance == 0 { ", penwidth=2" } else { "" };
            let _ = writeln!(out, "  n{number} [label={}{bold}];", quoted(&label));
        }
        for edge in &self.edges {
            let style = if edge.ambiguous { ", style=dashed" } else { "" };
            let _ = writeln!(
                out,
                "  n{} -> n{} [label={}{style}];",
                edge.source,
                edge.target,
                quoted(&edge.kind.replace('_', " "))
            );
        }
        out.push_str("}\n");
        out
    }
}

/// `path:line`, or what is known of a symbol outside the workspace.
pub fn position(symbol: &SymbolJson) -> String {
    match symbol.line {
        0 if symbol.file.is_empty() => "external".to_owned(),
        0 => format!("external: {}", symbol.file),
        line => format!("{}:{line}", symbol.file),
    }
}

/// A quoted string of DOT, in which only quotes and back slashes mean something.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
