//! Postings of the text index in the encoding of the image.

use crate::text::{CORPUS_COUNT, FIELDS, read_postings, write_posting};

/// The encoded postings of one term, by corpus.
pub(super) type TermPostings = [EncodedPostings; CORPUS_COUNT];

/// Postings in the encoding of the image, sorted by document.
#[derive(Default)]
pub(super) struct EncodedPostings {
    pub(super) bytes: Vec<u8>,
    last: u32,
    pub(super) count: u32,
}

impl EncodedPostings {
    /// Appends the counts of a document. Its number must be greater than all earlier numbers.
    pub(super) fn push(&mut self, document: u32, counts: &[u16; FIELDS]) {
        let delta = if self.count == 0 { document } else { document - self.last };
        write_posting(&mut self.bytes, delta, counts);
        self.last = document;
        self.count += 1;
    }
}

/// Merges encoded postings with the postings of an old base, sorted by document.
pub(super) fn merge_postings(new: &EncodedPostings, old: Vec<(u32, [u16; FIELDS])>) -> EncodedPostings {
    let mut all: Vec<(u32, [u16; FIELDS])> = read_postings(&new.bytes).collect();
    all.extend(old);
    all.sort_unstable_by_key(|(id, _)| *id);
    let mut out = EncodedPostings::default();
    for (id, counts) in &all {
        out.push(*id, counts);
    }
    out
}
