//! Queries and parameters of the text index.

use super::{FIELDS, TextField};

/// One term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct TextQueryTerm {
    /// Analysed tokens (stems, or `=whole`). Several: all must occur in the same field, counted as their minimum.
    pub tokens: Vec<String>,
    /// Factor of this term's contribution.
    pub weight: f32,
    /// Search this field only.
    pub field: Option<TextField>,
    /// The (single) token is the beginning of a term.
    pub prefix: bool,
}

/// A query: the sum of its terms. Any query is valid; unknown tokens contribute nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextQuery {
    /// The terms.
    pub terms: Vec<TextQueryTerm>,
}

/// Weight and length normalisation of one field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldParams {
    /// Factor of a term's count in this field.
    pub weight: f32,
    /// BM25's b for this field, 0..=1.
    pub b: f32,
}

/// How document length enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LengthNorm {
    /// BM25F: each field by its own length and b (Robertson, Zaragoza, Taylor 2004).
    PerField,
    /// One length for the whole row and one b, as SQLite FTS5's `bm25()` does.
    WholeRow {
        /// BM25's b.
        b: f32,
    },
}

/// Parameters of a text search.
#[derive(Clone, Debug, PartialEq)]
pub struct TextParams {
    /// Term-frequency saturation.
    pub k1: f32,
    /// Exponent of the inverse document frequency; 1 is BM25.
    pub idf_exponent: f32,
    /// By [`TextField`] number.
    pub fields: [FieldParams; FIELDS],
    /// Length normalisation.
    pub norm: LengthNorm,
}
