//! The text index of a snapshot: BM25F with separate fields, over symbols and over files.
//!
//! Code and documents are different corpora (`corpus`) in one index.
//!
//! Each changed file has its own small index (`file_index`); the base has postings for all others.
//! Both use the fields of [`TextField`], whose numbers are part of the base's format. `scoring`
//! answers a [`TextQuery`] over both, with the statistics of both (`text_totals`), so that an edit
//! changes scores as a new base would.

mod corpus;
mod file_index;
mod scoring;
mod text_query;
mod text_totals;

pub(crate) use corpus::{CORPUS_COUNT, Corpus};
#[cfg(test)]
pub(crate) use file_index::READ_POSTINGS;
pub(crate) use file_index::{FileTextIndex, document_flags, has_file_text, read_postings, write_posting};

pub(crate) use text_totals::TextTotals;

pub use scoring::SymbolSet;
pub use text_query::{FieldParams, LengthNorm, TextParams, TextQuery, TextQueryTerm};

/// The number of [`TextField`]s.
pub const FIELDS: usize = 9;

/// A field of a document in the text index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum TextField {
    /// The symbol's simple name; for files, the names of all symbols.
    Name = 0,
    /// The dotted container inside the file.
    Container = 1,
    /// The path of the file without its extension.
    Path = 2,
    /// The signature as written.
    Signature = 3,
    /// The doc comment or docstring.
    Doc = 4,
    /// Identifiers in the body.
    Code = 5,
    /// String literals in the body.
    Strings = 6,
    /// Comments in the body.
    Comments = 7,
    /// The words of the file's stem and of its parent folder.
    Concepts = 8,
}

impl TextField {
    /// All fields, in the order of their numbers.
    pub const ALL: [Self; FIELDS] = [
        Self::Name,
        Self::Container,
        Self::Path,
        Self::Signature,
        Self::Doc,
        Self::Code,
        Self::Strings,
        Self::Comments,
        Self::Concepts,
    ];

    /// Returns the name used in options and traces.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Container => "container",
            Self::Path => "path",
            Self::Signature => "signature",
            Self::Doc => "doc",
            Self::Code => "code",
            Self::Strings => "strings",
            Self::Comments => "comments",
            Self::Concepts => "concepts",
        }
    }
}
