//! Writes the text index of a new base.
//!
//! In: the facts of the files in the overlay, and the text index of the old base. Out: the sections
//! with the lengths of documents, the terms and their postings, by corpus.
//!
//! Indexes the files of the overlay, adds the postings of the old base that no file of the overlay
//! masks, under the new ids, and writes the terms in their order. Invariant: the result is the same
//! as if all files were indexed from scratch.

use super::ImageSection;
use super::base_writer::BaseWriter;
use super::encoded_postings::{TermPostings, merge_postings};
use crate::snapshot::{FileId, SymbolId};
use crate::text::{CORPUS_COUNT, Corpus, FIELDS, FileTextIndex, TextField, read_postings};
use rustc_hash::FxHashMap;
use std::io::{Seek, Write};

impl<W: Write + Seek> BaseWriter<'_, W> {
    pub(super) fn write_text_index(&mut self) -> std::io::Result<()> {
        let mut terms: FxHashMap<Box<str>, TermPostings> = FxHashMap::default();
        let mut symbol_lengths = vec![[0u16; FIELDS]; self.symbol_count];
        let mut file_lengths = vec![[0u16; FIELDS]; self.files.len()];
        for (i, file) in self.files.clone().into_iter().enumerate() {
            self.check_interrupted()?;
            if let Some(content) = self.snapshot.overlay.file_content(file) {
                let index = FileTextIndex::from_facts(&content.path, &content.facts, &content.documents);
                let first = self.new_symbol.get(&content.ids[0]).copied().unwrap_or(0);
                let (symbol_corpus, file_corpus) = if index.is_document {
                    (Corpus::Sections, Corpus::DocumentFiles)
                } else {
                    (Corpus::Symbols, Corpus::Files)
                };
                file_lengths[i] = index.file_lengths;
                let rows = &mut symbol_lengths[first as usize..first as usize + index.symbol_lengths.len()];
                rows.copy_from_slice(&index.symbol_lengths);
                for (term, (symbols, counts)) in
                    index.terms.into_iter().zip(index.symbols.iter().zip(&index.file))
                {
                    let postings = terms.entry(term).or_default();
                    for (symbol, counts) in symbols {
                        postings[symbol_corpus as usize].push(first + symbol, counts);
                    }
                    if counts.iter().any(|&c| c > 0) {
                        postings[file_corpus as usize].push(i as u32, counts);
                    }
                }
            } else {
                let base = &self.snapshot.base;
                file_lengths[i] = base.document_lengths(ImageSection::FileLengths, file.0 as usize);
                for symbol in self.snapshot.file_symbols(file) {
                    if let Some(&new) = self.new_symbol.get(&symbol) {
                        symbol_lengths[new as usize] =
                            base.document_lengths(ImageSection::SymbolLengths, symbol.0 as usize);
                    }
                }
            }
        }
        self.merge_base_terms(&mut terms)?;
        self.record_totals(&symbol_lengths, &file_lengths);
        self.write_records(ImageSection::SymbolLengths, symbol_lengths.as_flattened())?;
        self.write_records(ImageSection::FileLengths, file_lengths.as_flattened())?;
        drop((symbol_lengths, file_lengths));
        self.write_terms(terms)
    }

    /// Adds the live postings of the old base, under their new ids, to the postings of the overlay.
    fn merge_base_terms(&mut self, terms: &mut FxHashMap<Box<str>, TermPostings>) -> std::io::Result<()> {
        let snapshot = self.snapshot;
        let base = &snapshot.base;
        for term in 0..base.term_count() {
            self.check_interrupted()?;
            let old = Corpus::ALL.map(|corpus| self.live_postings(corpus, term));
            if old.iter().all(Vec::is_empty) {
                continue;
            }
            let entry = terms.entry(base.term_text(term).into()).or_default();
            for (postings, old) in entry.iter_mut().zip(old) {
                *postings = merge_postings(postings, old);
            }
        }
        Ok(())
    }

    /// Returns the postings of a term of the old base that no overlay entry masks, under their new
    /// ids.
    fn live_postings(&self, corpus: Corpus, term: usize) -> Vec<(u32, [u16; FIELDS])> {
        let (snapshot, base) = (self.snapshot, &self.snapshot.base);
        let (ends, section) = corpus.posting_sections();
        let postings = read_postings(base.term_postings(ends, section, term));
        if corpus.has_files() {
            let live = postings.filter(|(id, _)| !snapshot.overlay.masks_content(FileId(*id)));
            return live
                .filter_map(|(id, counts)| Some((*self.new_file.get(&FileId(id))?, counts)))
                .collect();
        }
        let is_live = |id: u32| {
            let record = base.symbol_records().get(id as usize);
            record.is_some_and(|symbol| !snapshot.overlay.masks_content(FileId(symbol.file)))
        };
        let live = postings.filter(|(id, _)| is_live(*id));
        live.filter_map(|(id, counts)| Some((*self.new_symbol.get(&SymbolId(id))?, counts))).collect()
    }

    /// Records the sum of the lengths of all documents of each corpus. `symbols` and `files` have
    /// the lengths by the new ids.
    fn record_totals(&mut self, symbols: &[[u16; FIELDS]], files: &[[u16; FIELDS]]) {
        let mut totals = [[0; FIELDS]; CORPUS_COUNT];
        let mut add = |corpus: Corpus, row: &[u16; FIELDS]| {
            let total: &mut [u64; FIELDS] = &mut totals[corpus as usize];
            total.iter_mut().zip(row).for_each(|(total, &length)| *total += u64::from(length));
        };
        let snapshot = self.snapshot;
        for (&file, row) in self.files.iter().zip(files) {
            let is_document = snapshot.is_document(file);
            add(if is_document { Corpus::DocumentFiles } else { Corpus::Files }, row);
            let corpus = if is_document { Corpus::Sections } else { Corpus::Symbols };
            for id in snapshot.file_symbols(file) {
                if let Some(row) = self.new_symbol.get(&id).and_then(|&new| symbols.get(new as usize)) {
                    add(corpus, row);
                }
            }
        }
        self.meta.totals = totals;
    }

    fn write_terms(&mut self, terms: FxHashMap<Box<str>, TermPostings>) -> std::io::Result<()> {
        let mut sorted: Vec<(Box<str>, TermPostings)> = terms.into_iter().collect();
        sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let stats: Vec<[u32; CORPUS_COUNT]> =
            sorted.iter().map(|(_, postings)| postings.each_ref().map(|p| p.count)).collect();
        self.write_records(ImageSection::TermStats, stats.as_flattened())?;
        let ends = running_ends(sorted.iter().map(|(term, _)| term.len()));
        self.write_records(ImageSection::TermEnds, &ends)?;
        self.image
            .write_section_parts(ImageSection::TermBytes, sorted.iter().map(|(term, _)| term.as_bytes()))?;
        for corpus in Corpus::ALL {
            let (ends_section, section) = corpus.posting_sections();
            let parts = sorted.iter().map(|(_, postings)| &postings[corpus as usize].bytes);
            self.write_records(ends_section, &running_ends(parts.clone().map(Vec::len)))?;
            self.image.write_section_parts(section, parts)?;
        }
        Ok(())
    }
}

/// Returns the end of each part of a list of consecutive parts with these lengths.
fn running_ends(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    lengths
        .scan(0, |end, length| {
            *end += length as u32;
            Some(*end)
        })
        .collect()
}

// The length rows have one column per `TextField`, and the number of columns is part of the format.
const _: () = assert!(TextField::ALL.len() == FIELDS);
