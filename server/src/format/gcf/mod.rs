//! GCF, the Graph Compact Format (github.com/blackwell-systems/gcf, wire version 3 and later): the
//! graph profile, with sessions and differences.
//!
//! A pack becomes a header, one line for each symbol in sections by group, and one line for each
//! edge. GCF has neither code nor signatures; the name of a node has the path and the line at which
//! the code is (`graph`). `session` refers to symbols that the reader already has, `delta` writes
//! only what changed.
//!
//! Everything here follows the published specification, so any decoder of the graph profile reads
//! it: names are encoded instead of quoted, the root is that of the graph, and the state of the
//! index is a comment.

mod delta;
pub mod graph;
mod session;

pub use session::{GcfSession, MAX_SESSION_SYMBOLS, render_session};

use super::codec::{PackCodec, PackView, RenderedPack};
use super::delta::PackDelta;
use super::sent_pack::{SentPack, SentSymbol};
use super::wording::no_match_statement;
use kenning_retrieval::pack::{count_tokens, escape_control_chars};
use std::fmt::Write;

/// The beginning of every header.
const HEADER: &str = "GCF profile=graph tool=kenning";

/// The codec of GCF.
pub struct GcfCodec;

impl PackCodec for GcfCodec {
    fn shows_text(&self) -> bool {
        false
    }

    fn render_pack(&self, view: &PackView<'_>) -> Result<RenderedPack, serde_json::Error> {
        Ok(RenderedPack::Text(render_pack(view)))
    }

    fn render_delta(&self, delta: &PackDelta<'_>) -> Result<Option<RenderedPack>, serde_json::Error> {
        let whole_tokens = count_tokens(&render_pack(&delta.view));
        Ok(Some(RenderedPack::Text(delta::render_delta(delta, whole_tokens))))
    }

    fn render_unchanged(
        &self,
        pack: &SentPack,
        view: &PackView<'_>,
    ) -> Result<Option<RenderedPack>, serde_json::Error> {
        let (root, symbols) = (&pack.graph_root, pack.symbols.len());
        let mut text = format!("{HEADER} unchanged=true pack_root={root} symbols={symbols}\n");
        write_freshness(&mut text, view);
        Ok(Some(RenderedPack::Text(text)))
    }
}

/// Renders a whole pack.
fn render_pack(view: &PackView<'_>) -> String {
    let pack = SentPack::from_answer(view.answer);
    let body = render_body(view, &pack, |at| NodeNumber { id: at, is_new: true });
    let root = format!(" pack_root={}", pack.graph_root);
    with_header(view, &pack, &root, &body)
}

/// The number of a node in a payload.
struct NodeNumber {
    id: usize,
    /// Whether the reader does not have the node, so that its line has all fields.
    is_new: bool,
}

/// Renders the sections. `number` returns the number of the symbol at an index.
fn render_body(view: &PackView<'_>, pack: &SentPack, number: impl Fn(usize) -> NodeNumber) -> String {
    let mut body = String::new();
    write_freshness(&mut body, view);
    if let Some(statement) = no_match_statement(&view.answer.pack) {
        let _ = writeln!(body, "# {statement}");
    }
    let mut section = None;
    for (at, SentSymbol { node, .. }) in pack.symbols.iter().enumerate() {
        if section != Some(node.distance) {
            section = Some(node.distance);
            let _ = writeln!(body, "## {}", section_name(node.distance));
        }
        let _ = match number(at) {
            NodeNumber { id, is_new: true } => {
                writeln!(body, "@{id} {} {} {} {}", node.kind, node.name, node.score, node.provenance)
            }
            NodeNumber { id, is_new: false } => writeln!(body, "@{id}  # previously transmitted"),
        };
    }
    if !pack.edges.is_empty() {
        let _ = writeln!(body, "## edges [{}]", pack.edges.len());
        let mut edges: Vec<(usize, usize, &str)> = pack
            .edges
            .iter()
            .map(|edge| (number(edge.source).id, number(edge.target).id, edge.kind.as_str()))
            .collect();
        edges.sort_unstable();
        for (source, target, kind) in edges {
            let _ = writeln!(body, "@{target}<@{source} {kind}");
        }
    }
    write_documents(&mut body, view);
    body
}

fn section_name(distance: u32) -> String {
    match distance {
        0 => "targets".to_owned(),
        1 => "related".to_owned(),
        2 => "extended".to_owned(),
        far => format!("distance_{far}"),
    }
}

/// Writes the freshness of the answer as a comment, which decoders ignore.
fn write_freshness(out: &mut String, view: &PackView<'_>) {
    if let Some(line) = view.freshness.render_line() {
        let _ = writeln!(out, "# {line}");
    }
}

/// Writes the sections of documents as comments, because they are not nodes of the graph.
fn write_documents(out: &mut String, view: &PackView<'_>) {
    for section in &view.answer.pack.documents {
        let line = format!("{}:{} {}", section.file, section.line, section.name);
        let printable: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(out, "# documentation: {}", escape_control_chars(&printable));
    }
}

/// Returns the payload with its header. The field `tokens` counts the payload without itself.
fn with_header(view: &PackView<'_>, pack: &SentPack, last_fields: &str, body: &str) -> String {
    let mut sizes = format!(" symbols={}", pack.symbols.len());
    if !pack.edges.is_empty() {
        let _ = write!(sizes, " edges={}", pack.edges.len());
    }
    let budget = match view.answer.pack.budget {
        0 => String::new(),
        budget => format!(" budget={budget}"),
    };
    let tokens = count_tokens(&format!("{HEADER}{budget}{sizes}{last_fields}\n{body}"));
    format!("{HEADER}{budget} tokens={tokens}{sizes}{last_fields}\n{body}")
}

#[cfg(test)]
mod decoder;
#[cfg(test)]
mod tests;
