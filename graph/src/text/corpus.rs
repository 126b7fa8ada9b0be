//! The corpora of the text index. They share one dictionary of terms. Each has its own number of
//! documents, mean lengths and document frequencies, so that prose does not change the scores of
//! code.

use crate::snapshot::base::ImageSection;

/// A collection of documents with its own statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum Corpus {
    /// The symbols of code.
    Symbols = 0,
    /// The files of code.
    Files = 1,
    /// The sections of documents, and the documents with text outside all sections, numbered by
    /// symbol.
    Sections = 2,
    /// The files of documents: their paths and headings.
    DocumentFiles = 3,
}

/// The number of corpora.
pub(crate) const CORPUS_COUNT: usize = 4;

impl Corpus {
    /// All corpora, in the order of their numbers.
    pub const ALL: [Self; CORPUS_COUNT] = [Self::Symbols, Self::Files, Self::Sections, Self::DocumentFiles];

    /// Whether the corpus has the text of documents rather than of code.
    pub const fn has_documents(self) -> bool {
        matches!(self, Self::Sections | Self::DocumentFiles)
    }

    /// Whether the documents are whole files, numbered by file rather than by symbol.
    pub const fn has_files(self) -> bool {
        matches!(self, Self::Files | Self::DocumentFiles)
    }

    /// Returns the sections of the image with the ends of each term's postings and with the
    /// postings.
    pub const fn posting_sections(self) -> (ImageSection, ImageSection) {
        match self {
            Self::Symbols => (ImageSection::SymbolPostingEnds, ImageSection::SymbolPostings),
            Self::Files => (ImageSection::FilePostingEnds, ImageSection::FilePostings),
            Self::Sections => (ImageSection::SectionPostingEnds, ImageSection::SectionPostings),
            Self::DocumentFiles => {
                (ImageSection::DocumentFilePostingEnds, ImageSection::DocumentFilePostings)
            }
        }
    }
}
