//! Queries and parameters of the text index.

use super::{FIELDS, TextField};

/// One term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct TextQueryTerm {
    /// The analyzed tokens (stems, or `=whole`). If there are several, all must occur in the same
    /// field, and the smallest of their counts is that of the term.
    pub tokens: Vec<String>,
    /// The factor of this term's contribution.
    pub weight: f32,
    /// The only field to search; `None` for all fields.
    pub field: Option<TextField>,
    /// Whether the (single) token is a prefix of the terms to find.
    pub prefix: bool,
}

/// A query: the sum of its terms. Every query is valid; unknown tokens contribute nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextQuery {
    /// The terms, whose scores are added up.
    pub terms: Vec<TextQueryTerm>,
}

/// The weight and length normalization of one field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldParams {
    /// The factor of a term's count in this field.
    pub weight: f32,
    /// BM25's b for this field, from 0 to 1.
    pub b: f32,
}

/// The treatment of document length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LengthNorm {
    /// BM25F: each field has its own length and b (Robertson, Zaragoza, Taylor 2004).
    PerField,
    /// One length for the whole row and one b, as SQLite FTS5's `bm25()` does.
    WholeRow {
        /// BM25's b.
        b: f32,
    },
}

/// The parameters of a text search.
#[derive(Clone, Debug, PartialEq)]
pub struct TextParams {
    /// BM25's k1, the saturation of term frequency.
    pub k1: f32,
    /// The exponent of the inverse document frequency; 1 is BM25.
    pub idf_exponent: f32,
    /// The parameters of each field, by [`TextField`] number.
    pub fields: [FieldParams; FIELDS],
    /// The treatment of document length.
    pub norm: LengthNorm,
}
