//! GCB, the binary form of the graph: version 1 of the layout with the magic `GCB1`.
//!
//! A text is its length in bytes (unsigned LEB128) and its UTF-8 bytes, so a name needs no escape.
//! Numbers are unsigned LEB128, and fractions are binary32, little endian. The header has the tool,
//! the tokens, the budget and the numbers of symbols and edges. A symbol has its name with path and
//! line, its kind, score, evidence and distance, its signature, and four score components of
//! another ranking, which are zero here. An edge has the indices of its ends, its kind and its
//! status.
//!
//! GCB stores no root, and has no form for a difference and no place for sections of documents.

use super::codec::{PackCodec, PackView, RenderedPack};
use super::delta::PackDelta;
use super::gcf::graph::located_name;
use super::sent_pack::SentPack;
use kenning_graph::{EdgeKind, Provenance, SymbolKind};
use kenning_retrieval::{Pack, PackSymbol};

/// The first bytes of the format.
const MAGIC: &[u8; 4] = b"GCB1";

/// The version of the layout.
const VERSION: u8 = 1;

/// The name of the program that writes the format.
const TOOL: &str = "kenning";

/// The codec of GCB.
pub struct GcbCodec;

impl PackCodec for GcbCodec {
    fn shows_text(&self) -> bool {
        false
    }

    fn shows_documents(&self) -> bool {
        false
    }

    fn can_count_itself(&self) -> bool {
        // Another number changes the tokens of the base64 text around it.
        false
    }

    fn render_pack(&self, view: &PackView<'_>) -> Result<RenderedPack, serde_json::Error> {
        Ok(RenderedPack::Bytes(encode_pack(&view.answer.pack)))
    }

    fn render_delta(&self, _: &PackDelta<'_>) -> Result<Option<RenderedPack>, serde_json::Error> {
        Ok(None)
    }

    fn render_unchanged(
        &self,
        _: &SentPack,
        _: &PackView<'_>,
    ) -> Result<Option<RenderedPack>, serde_json::Error> {
        Ok(None)
    }
}

fn encode_pack(pack: &Pack) -> Vec<u8> {
    let mut out = ByteWriter::default();
    out.bytes.extend_from_slice(MAGIC);
    out.bytes.push(VERSION);
    out.write_text(TOOL);
    let edges: Vec<_> =
        pack.edges.iter().filter(|edge| edge.source.max(edge.target) < pack.symbols.len()).collect();
    for number in [pack.tokens_used, pack.budget, pack.symbols.len(), edges.len()] {
        out.write_number(number as u64);
    }
    for symbol in &pack.symbols {
        write_symbol(&mut out, symbol);
    }
    for edge in edges {
        out.write_number(edge.source as u64);
        out.write_number(edge.target as u64);
        // The last byte is the status in a comparison of two graphs; a pack has none.
        out.bytes.extend([edge_number(edge.kind), 0]);
    }
    out.bytes
}

fn write_symbol(out: &mut ByteWriter, symbol: &PackSymbol) {
    out.write_text(&located_name(symbol));
    out.bytes.push(kind_number(symbol.kind));
    out.write_fraction(symbol.score);
    out.bytes.push(provenance_number(symbol.provenance));
    out.bytes.push(u8::try_from(symbol.distance).unwrap_or(u8::MAX));
    out.write_text(&symbol.signature);
    for _ in 0..4 {
        out.write_fraction(0.0);
    }
}

/// Returns the number of a kind, or of the nearest one that the format has; 0 is unknown.
const fn kind_number(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Function | SymbolKind::Macro => 1,
        SymbolKind::Struct
        | SymbolKind::Enum
        | SymbolKind::TypeAlias
        | SymbolKind::Record
        | SymbolKind::Union => 2,
        SymbolKind::Method | SymbolKind::Constructor => 3,
        SymbolKind::Interface | SymbolKind::Trait => 4,
        SymbolKind::Variable => 5,
        SymbolKind::Constant | SymbolKind::EnumMember => 6,
        SymbolKind::Resource => 7,
        SymbolKind::Table => 8,
        SymbolKind::Class => 9,
        SymbolKind::Field | SymbolKind::Property => 11,
        SymbolKind::Route => 12,
        SymbolKind::External => 13,
        SymbolKind::File => 14,
        SymbolKind::Module => 15,
        SymbolKind::EnvVar => 17,
        SymbolKind::Process => 18,
        SymbolKind::Owner | SymbolKind::Author | SymbolKind::Flag | SymbolKind::Section => 0,
    }
}

/// Returns the number of a provenance; 0 is unknown.
const fn provenance_number(provenance: Provenance) -> u8 {
    match provenance {
        Provenance::AstInferred => 1,
        Provenance::AstResolved => 2,
        Provenance::LspResolved => 3,
        Provenance::Runtime => 6,
        Provenance::Structural => 7,
        Provenance::Git => 0,
    }
}

/// Returns the number of a relation; 0 is unknown.
const fn edge_number(kind: EdgeKind) -> u8 {
    match kind {
        EdgeKind::Calls => 1,
        EdgeKind::Imports => 2,
        EdgeKind::Implements => 3,
        EdgeKind::References => 4,
        EdgeKind::HandlesRoute => 5,
        EdgeKind::DependsOn => 6,
        EdgeKind::Extends => 10,
        EdgeKind::Overrides => 11,
        EdgeKind::Decorates => 12,
        EdgeKind::Throws => 13,
        EdgeKind::OwnedBy => 14,
        EdgeKind::AuthoredBy => 15,
        EdgeKind::Tests | EdgeKind::Covers => 16,
        EdgeKind::RuntimeCalls => 17,
        EdgeKind::Contains => 21,
        EdgeKind::MemberOf => 22,
        EdgeKind::Documents => 23,
        EdgeKind::ConsumesEndpoint => 24,
        EdgeKind::ImplementsRpc => 25,
        EdgeKind::ConsumesRpc => 26,
        EdgeKind::GatedByFlag => 27,
        EdgeKind::DeployedBy => 28,
        EdgeKind::TestedBy => 29,
        EdgeKind::SimilarTo => 33,
        EdgeKind::CoTestedWith => 34,
        EdgeKind::TypeHintOf => 35,
        EdgeKind::AccessesField => 36,
        EdgeKind::ReadsEnv => 37,
        EdgeKind::ExecutesProcess => 38,
        EdgeKind::Inherits | EdgeKind::DefinedBy => 0,
    }
}

/// Collects the bytes of the format.
#[derive(Default)]
struct ByteWriter {
    bytes: Vec<u8>,
}

impl ByteWriter {
    /// Writes an unsigned number as LEB128: seven bits a byte, the lowest first.
    fn write_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push((number as u8 & 0x7f) | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn write_text(&mut self, text: &str) {
        self.write_number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn write_fraction(&mut self, number: f64) {
        self.bytes.extend_from_slice(&(number as f32).to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
