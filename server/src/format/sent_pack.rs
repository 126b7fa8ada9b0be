//! Packs that a client has received, so that it need not receive them again.
//!
//! A [`SentPack`] keeps only the parts of a pack that a later difference needs: the identities,
//! positions and graph nodes of the symbols, and a hash of the shown content of each symbol.
//! [`SentPacks`] keeps the last packs of one client.

use super::gcf::GcfSession;
use super::gcf::graph::{GraphNode, graph_nodes, graph_root};
use super::ripple::hash_files;
use crate::answer::AnsweredPack;
use crate::hash_prefix::HashPrefix;
use kenning_graph::Hash;
use kenning_graph::hash::HashBuilder;
use kenning_retrieval::PackSymbol;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of packs to keep for a client. A long session requests hundreds.
pub const MAX_PACKS: usize = 16;

/// Fewest digits that identify a pack: as many as answers show.
pub const MIN_ROOT_DIGITS: usize = 12;

/// A pack that a client has received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentPack {
    /// The root of the pack, as 64 hexadecimal digits.
    pub root: String,
    /// The root of its graph, as GCF computes it.
    pub graph_root: String,
    /// The symbols, in rank order.
    pub symbols: Vec<SentSymbol>,
    /// The edges between the symbols, without duplicates.
    pub edges: Vec<SentEdge>,
    /// Hash of the shown sections of documents; empty without any.
    #[serde(default)]
    pub documents: String,
    /// Hash of the files that usually change together with the subject; empty without any.
    #[serde(default)]
    pub ripple: String,
}

/// A symbol of a pack that a client has received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentSymbol {
    /// The identity, as 64 hexadecimal digits.
    pub id: String,
    /// The qualified name.
    pub name: String,
    /// Workspace-relative path.
    pub file: String,
    /// 1-based line of the name.
    pub line: u32,
    /// 1-based last line of the declaration.
    pub end_line: u32,
    /// Hash of the shown content, without the position.
    pub content: String,
    /// The symbol as a node of GCF.
    pub node: GraphNode,
}

/// An edge of a pack that a client has received.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SentEdge {
    /// Index of the source in [`SentPack::symbols`].
    pub source: usize,
    /// Index of the target.
    pub target: usize,
    /// The kind of relation.
    pub kind: String,
}

impl SentPack {
    /// Builds the record of an answer.
    pub fn from_answer(answer: &AnsweredPack) -> Self {
        let pack = &answer.pack;
        let symbols: Vec<SentSymbol> = pack
            .symbols
            .iter()
            .zip(graph_nodes(pack))
            .map(|(symbol, node)| SentSymbol {
                id: symbol.id.to_hex(),
                name: symbol.qualified_name.clone(),
                file: symbol.file.clone(),
                line: symbol.line,
                end_line: symbol.end_line,
                content: hash_shown_content(symbol).to_hex(),
                node,
            })
            .collect();
        let mut edges: Vec<SentEdge> = pack
            .edges
            .iter()
            .filter(|edge| edge.source.max(edge.target) < symbols.len())
            .map(|edge| SentEdge { source: edge.source, target: edge.target, kind: edge.kind.to_string() })
            .collect();
        edges.sort();
        edges.dedup();
        let graph_root = graph_root(&symbols, &edges);
        let documents = hash_documents(&pack.documents);
        let ripple = hash_files(&answer.ripple).map(Hash::to_hex).unwrap_or_default();
        Self { root: pack.pack_root.to_hex(), graph_root, symbols, edges, documents, ripple }
    }

    /// Whether `known` identifies this pack: it is the beginning of the pack's root, or the root of
    /// its graph.
    pub fn has_root(&self, known: &str) -> bool {
        let hash = Hash::from_hex(&self.root);
        let is_prefix = HashPrefix::parse(known, MIN_ROOT_DIGITS)
            .is_some_and(|prefix| hash.is_some_and(|hash| prefix.matches(&hash)));
        is_prefix || self.has_graph_root(known)
    }

    /// Whether `known` is the root of the graph of this pack.
    pub fn has_graph_root(&self, known: &str) -> bool {
        self.graph_root.eq_ignore_ascii_case(known)
    }

    /// Whether all edges connect symbols of the pack, which a damaged file may violate.
    pub fn is_consistent(&self) -> bool {
        self.edges.iter().all(|edge| edge.source.max(edge.target) < self.symbols.len())
    }
}

/// Hashes the shown content of a symbol, without its position and its scores.
fn hash_shown_content(symbol: &PackSymbol) -> Hash {
    let mut hasher = HashBuilder::new("shown symbol");
    hasher.add_text(symbol.group.as_str()).add_text(symbol.detail.as_str());
    hasher.add_text(&symbol.signature).add_text(&symbol.doc);
    hasher.add_text(symbol.text.as_deref().unwrap_or_default());
    hasher.finish()
}

/// Hashes the sections of documents with their places; empty without any.
fn hash_documents(documents: &[PackSymbol]) -> String {
    if documents.is_empty() {
        return String::new();
    }
    let mut hasher = HashBuilder::new("shown documents");
    for section in documents {
        hasher.add_hash(&section.id).add_text(&section.file).add_number(u64::from(section.line));
        hasher.add_hash(&hash_shown_content(section));
    }
    hasher.finish().to_hex()
}

/// The last packs that one client received, oldest first.
#[derive(Debug, Default)]
pub struct SentPacks(VecDeque<Arc<SentPack>>);

impl SentPacks {
    /// Returns the pack that `known` identifies. Returns `None` if it was already dropped.
    pub fn find_pack(&self, known: &str) -> Option<Arc<SentPack>> {
        self.0.iter().rev().find(|pack| pack.has_root(known)).cloned()
    }

    /// Stores a pack as the newest one, and drops the oldest ones beyond [`MAX_PACKS`].
    pub fn record_pack(&mut self, pack: Arc<SentPack>) {
        self.0.retain(|known| known.root != pack.root);
        self.0.push_back(pack);
        let excess = self.0.len().saturating_sub(MAX_PACKS);
        self.0.drain(..excess);
    }
}

/// The packs that one client has received, and its session of GCF.
#[derive(Debug, Default)]
pub struct ClientPacks {
    /// The last packs.
    pub packs: SentPacks,
    /// The session of GCF, if the client has started one.
    pub gcf_session: Option<GcfSession>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::samples::{empty_answer, full_answer};

    fn pack_with_root(content: &str) -> Arc<SentPack> {
        let mut answer = empty_answer("task");
        answer.pack.pack_root = Hash::from_content(content.as_bytes());
        Arc::new(SentPack::from_answer(&answer))
    }

    #[test]
    fn a_client_keeps_only_its_last_packs() {
        let mut sent = SentPacks::default();
        let first = pack_with_root("first");
        sent.record_pack(Arc::clone(&first));
        for name in [&first.root[..], &first.root[..12], &first.root.to_uppercase()] {
            assert_eq!(sent.find_pack(name), Some(Arc::clone(&first)), "{name}");
        }
        for unknown in ["", &first.root[..11], "0123456789ab", "sha256:"] {
            assert_eq!(sent.find_pack(unknown), None, "{unknown}");
        }
        for number in 1..MAX_PACKS {
            sent.record_pack(pack_with_root(&number.to_string()));
            sent.record_pack(Arc::clone(&first));
        }
        assert_eq!((sent.0.len(), sent.find_pack(&first.root)), (MAX_PACKS, Some(first.clone())));
        for number in 0..MAX_PACKS {
            sent.record_pack(pack_with_root(&format!("later {number}")));
        }
        assert_eq!((sent.0.len(), sent.find_pack(&first.root)), (MAX_PACKS, None));
    }

    #[test]
    fn the_root_of_the_graph_also_names_a_pack() {
        let pack = SentPack::from_answer(&full_answer());
        assert!(pack.graph_root.starts_with("sha256:") && pack.has_root(&pack.graph_root.clone()));
        assert!(!pack.has_root(&pack.graph_root[..20]));
    }

    #[test]
    fn only_what_a_reader_sees_changes_the_content_of_a_symbol() {
        let answer = full_answer();
        let symbol = &answer.pack.symbols[1];
        let mut other = symbol.clone();
        (other.score, other.line, other.tokens, other.distance) = (0.1, 99, 7, 1);
        assert_eq!(hash_shown_content(&other), hash_shown_content(symbol));
        for change in [
            |symbol: &mut PackSymbol| symbol.group = kenning_retrieval::PackGroup::Tests,
            |symbol: &mut PackSymbol| symbol.detail = kenning_retrieval::DetailLevel::Name,
            |symbol: &mut PackSymbol| symbol.signature.push('x'),
            |symbol: &mut PackSymbol| symbol.doc.push('x'),
            |symbol: &mut PackSymbol| symbol.text = Some("x".into()),
        ] {
            let mut other = symbol.clone();
            change(&mut other);
            assert_ne!(hash_shown_content(&other), hash_shown_content(symbol), "{other:?}");
        }
    }
}
