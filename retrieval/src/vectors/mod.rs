//! Vectors: finds symbols, sections and files whose meaning is near the meaning of a text.
//!
//! A [`TextEmbedder`] turns a text into numbers; it is a model that the caller has loaded.
//! [`embed_file`] gives every symbol of a file its vector, quantized to one byte per number
//! (`quantize`). A [`VectorIndex`] holds the blocks of all files and finds the nearest rows. The
//! search is exact. For a kind with more than [`EXACT_LIMIT`] rows, it uses a [`NeighborGraph`] if
//! the caller has built one.
//!
//! Vectors are optional everywhere. No result loses a symbol because the symbol has no vector.

mod embedding_text;
mod neighbor_graph;
mod quantize;
mod vector_index;

pub use embedding_text::{TEXT_RULES, embed_file};
pub use neighbor_graph::NeighborGraph;
pub use quantize::QuantizedVector;
pub use vector_index::{EXACT_LIMIT, NearRow, VectorIndex};

use kenning_graph::vectors::VectorKind;
use kenning_graph::{Snapshot, SymbolId};

/// A model that turns texts into vectors. Equal texts give equal vectors.
pub trait TextEmbedder: Sync {
    /// Returns the vector of a text; all zeros if the model knows no word of it.
    fn embed_text(&self, text: &str) -> Vec<f32>;

    /// Returns the number of values of every vector.
    fn dimensions(&self) -> usize;
}

/// The vectors of a workspace with the model that they come from.
#[derive(Clone, Copy)]
pub struct VectorSearch<'a> {
    /// The vectors.
    pub index: &'a VectorIndex,
    /// The model.
    pub embedder: &'a dyn TextEmbedder,
}

impl VectorSearch<'_> {
    /// Returns the vector of a question; `None` if the model knows no word of it.
    pub fn embed_question(&self, question: &str) -> Option<QuantizedVector> {
        let text = embedding_text::plain_words(question);
        QuantizedVector::from_floats(&self.embedder.embed_text(&text))
    }

    /// Returns the symbols of a kind that are nearest to a question, best first, with the cosine of
    /// the angle between both vectors. Leaves out symbols with less than `min_cosine`.
    pub fn find_nearest(
        &self,
        snapshot: &Snapshot,
        question: &QuantizedVector,
        query: NearestQuery,
    ) -> Vec<(SymbolId, f32)> {
        let rows = self.index.find_nearest(query.kind, question, query.limit);
        let near = rows.into_iter().filter(|row| row.cosine >= query.min_cosine);
        near.filter_map(|row| Some((snapshot.symbol_by_hash(&row.symbol)?, row.cosine))).collect()
    }
}

/// The kind and the limits of a search for the nearest rows, apart from the question.
#[derive(Clone, Copy, Debug)]
pub struct NearestQuery {
    /// The kind of the rows.
    pub kind: VectorKind,
    /// Maximum number of rows.
    pub limit: usize,
    /// Minimum cosine of a row.
    pub min_cosine: f32,
}
