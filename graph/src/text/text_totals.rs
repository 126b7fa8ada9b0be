//! The number of documents and the sums of their lengths, on which the scores of all documents
//! depend.
//!
//! A base has the totals of its files. The overlay has the difference: with each file that it
//! replaces, it subtracts the totals of the old text and adds those of the new text. The totals of
//! a snapshot are therefore those of a base with the same files, whatever the order of the edits.

use super::{CORPUS_COUNT, Corpus, FIELDS};

/// The totals of one corpus, or a difference between two of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CorpusTotals {
    /// The number of documents.
    pub documents: i64,
    /// The sum of the lengths of all documents, by field.
    pub lengths: [i64; FIELDS],
}

/// The totals of all corpora.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextTotals([CorpusTotals; CORPUS_COUNT]);

impl TextTotals {
    /// Returns the totals of a corpus.
    pub fn corpus_totals(&self, corpus: Corpus) -> &CorpusTotals {
        &self.0[corpus as usize]
    }

    /// Adds a file as one document.
    pub fn add_file(&mut self, is_document: bool, lengths: &[u16; FIELDS]) {
        self.add_document(if is_document { Corpus::DocumentFiles } else { Corpus::Files }, lengths);
    }

    /// Adds a symbol or section that is a document.
    pub fn add_symbol(&mut self, is_document: bool, lengths: &[u16; FIELDS]) {
        self.add_document(if is_document { Corpus::Sections } else { Corpus::Symbols }, lengths);
    }

    fn add_document(&mut self, corpus: Corpus, lengths: &[u16; FIELDS]) {
        let totals = &mut self.0[corpus as usize];
        totals.documents += 1;
        totals.lengths.iter_mut().zip(lengths).for_each(|(total, &length)| *total += i64::from(length));
    }

    /// Adds other totals `factor` times; -1 subtracts them.
    pub fn add_totals(&mut self, other: &Self, factor: i64) {
        for (totals, other) in self.0.iter_mut().zip(&other.0) {
            totals.documents += factor * other.documents;
            totals.lengths.iter_mut().zip(other.lengths).for_each(|(total, sum)| *total += factor * sum);
        }
    }
}
