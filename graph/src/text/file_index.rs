//! The text index of one file: the counts of its terms in each symbol and in the file as one
//! document. Also encodes and decodes postings.

use super::{FIELDS, TextField, TextTotals};
use crate::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use crate::facts::{FileFacts, StringTable, TermCounts};
use crate::vocabulary::SymbolKind;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The occurrences of one term in one document, by field.
pub(crate) type FieldCounts = [u16; FIELDS];

/// The counts of one term: by document, and in the file as one document.
type TermRows = (Vec<(u32, FieldCounts)>, FieldCounts);

/// The index of one file.
#[derive(Debug, Default)]
pub(crate) struct FileTextIndex {
    /// The terms, in byte order.
    pub terms: Vec<Box<str>>,
    /// The counts in the file's documents by term, as `(position, counts)`, ascending. Position 0
    /// is the file symbol, and the symbols of the facts follow it.
    pub symbols: Vec<Vec<(u32, FieldCounts)>>,
    /// The counts in the file as one document, by term.
    pub file: Vec<FieldCounts>,
    /// The field lengths by position; zero for symbols that are not documents.
    pub symbol_lengths: Vec<FieldCounts>,
    /// The field lengths of the file.
    pub file_lengths: FieldCounts,
    /// Whether the file is a document, so that its text belongs to the corpora of documents.
    pub is_document: bool,
}

#[cfg(test)]
thread_local! {
    /// The number of postings that this thread has read.
    pub(crate) static READ_POSTINGS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

thread_local! {
    static ANALYZER: RefCell<Analyzer> = RefCell::new(Analyzer::default());
}

impl FileTextIndex {
    /// Builds the index of a file from the counts of its facts and the tokens of its path.
    /// `documents` says for each symbol of the facts whether it is a document of its own.
    pub fn from_facts(path: &str, facts: &FileFacts, documents: &[bool]) -> Self {
        let (path_tokens, path_lengths) = ANALYZER.with_borrow_mut(|analyzer| tokenize_path(analyzer, path));
        let mut terms = TermTable::from_strings(&facts.text.terms);
        let path_terms: Vec<(usize, FieldCounts)> =
            path_tokens.iter().map(|(token, counts)| (terms.term_number(token), *counts)).collect();
        let FileLengths { symbols: symbol_lengths, file: file_lengths } =
            FileLengths::from_facts(path_lengths, facts, documents);
        for (position, counts, is_indexed) in texts_of_file(facts, documents) {
            if !is_indexed {
                continue;
            }
            for &(term, field, count) in &counts.counts {
                let Some((postings, _)) = terms.rows.get_mut(term as usize) else { continue };
                if let Some(slot) = counts_of_symbol(postings, position as u32).get_mut(field as usize) {
                    *slot = slot.saturating_add(count);
                }
            }
            for &(number, field_counts) in &path_terms {
                let row = counts_of_symbol(&mut terms.rows[number].0, position as u32);
                *row = add_counts(*row, field_counts);
            }
        }
        for (position, counts, is_indexed) in texts_of_file(facts, documents) {
            // The text outside all symbols belongs to the file in any case.
            if is_indexed || position == 0 {
                add_to_file(&mut terms, counts, file_fields(facts));
            }
        }
        for &(number, field_counts) in &path_terms {
            let file = &mut terms.rows[number].1;
            *file = add_counts(*file, field_counts);
        }
        let is_document = facts.is_document;
        let mut index = Self { symbol_lengths, file_lengths, is_document, ..Self::default() };
        for number in std::mem::take(&mut terms.order) {
            let (postings, file) = std::mem::take(&mut terms.rows[number]);
            // The facts also have terms that occur only in symbols that are not documents.
            if !postings.is_empty() || file != [0; FIELDS] {
                index.terms.push(terms.texts[number].into());
                index.symbols.push(postings);
                index.file.push(file);
            }
        }
        index
    }
}

/// The field lengths of the documents of a file.
struct FileLengths {
    /// The lengths by position; zero for symbols that are not documents.
    symbols: Vec<FieldCounts>,
    /// The lengths of the file as one document.
    file: FieldCounts,
}

impl FileLengths {
    fn from_facts(path_lengths: FieldCounts, facts: &FileFacts, documents: &[bool]) -> Self {
        let mut lengths = Self { symbols: vec![[0; FIELDS]; facts.symbols.len() + 1], file: [0; FIELDS] };
        for (position, counts, is_indexed) in texts_of_file(facts, documents) {
            if is_indexed {
                lengths.symbols[position] = add_counts(counts.lengths, path_lengths);
            }
            if is_indexed || position == 0 {
                for field in file_fields(facts).iter().map(|field| *field as usize) {
                    lengths.file[field] = lengths.file[field].saturating_add(counts.lengths[field]);
                }
            }
        }
        lengths.file = add_counts(lengths.file, path_lengths);
        lengths
    }
}

impl TextTotals {
    /// Counts the documents of a file and sums up their lengths.
    pub fn from_facts(path: &str, facts: &FileFacts, documents: &[bool]) -> Self {
        let (_, path_lengths) = ANALYZER.with_borrow_mut(|analyzer| tokenize_path(analyzer, path));
        let lengths = FileLengths::from_facts(path_lengths, facts, documents);
        let mut totals = Self::default();
        totals.add_file(facts.is_document, &lengths.file);
        for (position, _, is_indexed) in texts_of_file(facts, documents) {
            if is_indexed {
                totals.add_symbol(facts.is_document, &lengths.symbols[position]);
            }
        }
        totals
    }
}

/// Returns the texts of a file by position, and whether each is a document of its own.
fn texts_of_file<'f>(
    facts: &'f FileFacts,
    documents: &'f [bool],
) -> impl Iterator<Item = (usize, &'f TermCounts, bool)> {
    let is_indexed = std::iter::once(has_file_text(facts)).chain(documents.iter().copied());
    let texts = std::iter::once(&facts.text.rest).chain(&facts.text.symbols);
    texts.zip(is_indexed).enumerate().map(|(position, (counts, is_indexed))| (position, counts, is_indexed))
}

/// The counts of terms, by the number of the term in the facts, so that counting needs no
/// comparison of texts. Terms that occur only in the path have greater numbers.
struct TermTable<'f> {
    texts: Vec<&'f str>,
    rows: Vec<TermRows>,
    /// The term numbers, sorted by text.
    order: Vec<usize>,
}

impl<'f> TermTable<'f> {
    fn from_strings(table: &'f StringTable) -> Self {
        let texts: Vec<&str> = (0..table.len()).map(|number| table.get(number as u32)).collect();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_unstable_by_key(|&number| texts[number]);
        Self { rows: vec![TermRows::default(); texts.len()], texts, order }
    }

    /// Returns the number of a term; assigns a new one if it is unknown.
    fn term_number(&mut self, term: &'f str) -> usize {
        match self.order.binary_search_by(|&number| self.texts[number].cmp(term)) {
            Ok(at) => self.order[at],
            Err(at) => {
                let number = self.texts.len();
                self.texts.push(term);
                self.rows.push(TermRows::default());
                self.order.insert(at, number);
                number
            }
        }
    }
}

/// Returns the row of `symbol`, adding it if needed. Symbols arrive in ascending order, so it is
/// the last row or a new one.
fn counts_of_symbol(postings: &mut Vec<(u32, FieldCounts)>, symbol: u32) -> &mut FieldCounts {
    if postings.last().is_none_or(|(s, _)| *s != symbol) {
        postings.push((symbol, [0; FIELDS]));
    }
    let at = postings.len() - 1;
    &mut postings[at].1
}

/// Returns whether each symbol of a file is a document of the text index. All are, except fields,
/// enum members and symbols nested in a callable, whose text belongs to the callable.
pub(crate) fn document_flags(facts: &FileFacts) -> Vec<bool> {
    let mut in_callable = vec![false; facts.symbols.len()];
    facts
        .symbols
        .iter()
        .enumerate()
        .map(|(i, symbol)| {
            if let Some(parent) = symbol.parent.map(|p| p as usize).filter(|&p| p < i) {
                in_callable[i] = in_callable[parent] || facts.symbols[parent].kind.is_callable();
            }
            !in_callable[i] && !matches!(symbol.kind, SymbolKind::Field | SymbolKind::EnumMember)
        })
        .collect()
}

/// Whether the text outside all symbols of a file is a document of its own. For a file of code it
/// is not.
pub(crate) fn has_file_text(facts: &FileFacts) -> bool {
    facts.is_document && !facts.text.rest.counts.is_empty()
}

/// The fields of a file of code as one document: the names of its symbols and all code, strings and
/// comments.
const FILE_FIELDS: [TextField; 4] =
    [TextField::Name, TextField::Code, TextField::Strings, TextField::Comments];
/// The fields of a document as a whole: its headings.
const DOCUMENT_FILE_FIELDS: [TextField; 1] = [TextField::Name];

/// Returns the fields of a file that belong to the file as one document.
fn file_fields(facts: &FileFacts) -> &'static [TextField] {
    if facts.is_document { &DOCUMENT_FILE_FIELDS } else { &FILE_FIELDS }
}

/// Adds the counts of some fields to the file as one document.
fn add_to_file(terms: &mut TermTable<'_>, counts: &TermCounts, file_fields: &[TextField]) {
    for &(term, field, count) in &counts.counts {
        let Some((_, file)) = terms.rows.get_mut(term as usize) else { continue };
        let is_whole_name =
            field == TextField::Name as u8 && terms.texts[term as usize].starts_with(WHOLE_TOKEN_PREFIX);
        if is_whole_name || !file_fields.iter().any(|file_field| *file_field as u8 == field) {
            continue;
        }
        file[field as usize] = file[field as usize].saturating_add(count);
    }
}

fn add_counts(left: FieldCounts, right: FieldCounts) -> FieldCounts {
    std::array::from_fn(|field| left[field].saturating_add(right[field]))
}

/// Returns the tokens of a path without its extension (field `path`) and of the file's stem and
/// folder (field `concepts`).
fn tokenize_path(analyzer: &mut Analyzer, path: &str) -> (Vec<(String, FieldCounts)>, FieldCounts) {
    let name_start = path.rfind('/').map_or(0, |at| at + 1);
    let stem_end =
        path[name_start..].rfind('.').filter(|&dot| dot > 0).map_or(path.len(), |dot| name_start + dot);
    let without_extension = &path[..stem_end];
    let concepts_start = path[..name_start.saturating_sub(1)].rfind('/').map_or(0, |at| at + 1);
    let mut tokens: BTreeMap<String, FieldCounts> = BTreeMap::new();
    let mut lengths = [0; FIELDS];
    for (text, field) in
        [(without_extension, TextField::Path), (&without_extension[concepts_start..], TextField::Concepts)]
    {
        analyzer.for_each_token(text, |token| {
            let slot = &mut tokens.entry(token.to_owned()).or_default()[field as usize];
            *slot = slot.saturating_add(1);
            if !token.starts_with(WHOLE_TOKEN_PREFIX) {
                lengths[field as usize] += 1;
            }
        });
    }
    (tokens.into_iter().collect(), lengths)
}

/// Appends a number in groups of 7 bits, low first.
pub(crate) fn write_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number in groups of 7 bits; returns `None` at the end or if the data is damaged.
fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Appends one posting: the distance from the previous document, a mask of fields, the counts.
pub(crate) fn write_posting(out: &mut Vec<u8>, delta: u32, counts: &FieldCounts) {
    write_varint(out, delta);
    let mask = (0..FIELDS).filter(|&field| counts[field] > 0).fold(0u32, |mask, field| mask | 1 << field);
    write_varint(out, mask);
    for count in counts.iter().filter(|&&c| c > 0) {
        write_varint(out, u32::from(*count));
    }
}

/// Reads the postings of one term; stops at damaged data.
pub(crate) fn read_postings(mut bytes: &[u8]) -> impl Iterator<Item = (u32, FieldCounts)> + '_ {
    let mut document = 0u32;
    let mut first = true;
    std::iter::from_fn(move || {
        let delta = read_varint(&mut bytes)?;
        #[cfg(test)]
        READ_POSTINGS.set(READ_POSTINGS.get() + 1);
        document = if first { delta } else { document.checked_add(delta)? };
        first = false;
        let mask = read_varint(&mut bytes)?;
        let mut counts = [0; FIELDS];
        for (field, slot) in counts.iter_mut().enumerate() {
            if mask & 1 << field != 0 {
                *slot = read_varint(&mut bytes)?.min(u32::from(u16::MAX)) as u16;
            }
        }
        Some((document, counts))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_round_trip() {
        let mut bytes = Vec::new();
        let mut first = [0; FIELDS];
        first[0] = 3;
        first[8] = 700;
        let mut second = [0; FIELDS];
        second[5] = 1;
        write_posting(&mut bytes, 7, &first);
        write_posting(&mut bytes, 200_000, &second);
        assert_eq!(read_postings(&bytes).collect::<Vec<_>>(), [(7, first), (200_007, second)]);
        bytes.truncate(bytes.len() - 1);
        assert_eq!(read_postings(&bytes).count(), 1, "reading stops at the damaged tail");
    }

    #[test]
    fn a_path_yields_words_and_concepts() {
        let (tokens, lengths) = tokenize_path(&mut Analyzer::default(), "src/http/requestParser.test.ts");
        let names: Vec<_> =
            tokens.iter().map(|(token, counts)| (token.as_str(), counts[2], counts[8])).collect();
        assert_eq!(
            names,
            [
                ("=requestparser", 1, 1),
                ("http", 1, 1),
                ("parser", 1, 1),
                ("request", 1, 1),
                ("src", 1, 0),
                ("test", 1, 1)
            ]
        );
        assert_eq!((lengths[2], lengths[8]), (5, 4));
    }
}
