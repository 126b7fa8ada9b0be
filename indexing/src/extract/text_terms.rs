//! Tokens for the text index: the words of the leaves, counted per symbol and field.
//!
//! The input is the scan of a file with its symbols, or the texts of a document with its sections.
//! A leaf counts for the innermost symbol around it and for the callables around that. A
//! documentation comment counts only once, with the symbol that it documents. The output is a
//! [`FileText`]: the terms of each symbol, and of the rest of the file.

use super::symbols::{FileSymbols, has_body};
use super::tree_scan::{LeafKind, TreeScan};
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::facts::{FILE_SCOPE, FileText, StringTableBuilder, SymbolFact, TermCounts};
use kenning_graph::text::TextField;
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of words whose tokens an extractor remembers. Large workspaces have millions of
/// words.
const MAX_CACHED_WORDS: usize = 100_000;
/// Maximum length in bytes of a word whose tokens are remembered. Longer words rarely recur.
const MAX_CACHED_WORD_BYTES: usize = 64;
/// Maximum length in bytes of a word that is counted. Longer words are encoded data.
const MAX_WORD_BYTES: usize = 128;
/// Maximum number of symbols that count the text of a nested symbol, including that symbol. Hostile
/// files nest thousands of functions.
const MAX_OWNERS: usize = 12;

/// A cache of the tokens of words. An extractor keeps it across files.
#[derive(Default)]
pub(crate) struct WordTokens {
    analyzer: Analyzer,
    tokens: FxHashMap<Box<str>, Rc<[Box<str>]>>,
}

impl WordTokens {
    /// Returns the tokens of a word from the cache, or splits the word.
    fn tokenize_word(&mut self, word: &str) -> Rc<[Box<str>]> {
        if let Some(tokens) = self.tokens.get(word) {
            return Rc::clone(tokens);
        }
        if self.tokens.len() > MAX_CACHED_WORDS {
            self.tokens.clear();
        }
        let mut out: Vec<Box<str>> = Vec::new();
        self.analyzer.for_each_token(word, |token| out.push(token.into()));
        let out: Rc<[Box<str>]> = out.into();
        if word.len() <= MAX_CACHED_WORD_BYTES {
            self.tokens.insert(word.into(), Rc::clone(&out));
        }
        out
    }
}

/// A counter of the tokens of one file.
pub(crate) struct TermCounter<'w, 't> {
    words: &'w mut WordTokens,
    terms: StringTableBuilder,
    /// The words of this file, with the range of their terms in `numbers`.
    known: FxHashMap<&'t str, Range<usize>>,
    /// The terms, and whether each one is a part of its word and not the whole word.
    numbers: Vec<(u32, bool)>,
    /// One document per symbol, and a last one for the rest of the file.
    documents: Vec<TextDocument>,
}

/// The terms of one symbol.
#[derive(Default, Clone)]
struct TextDocument {
    /// `term << 8 | field`, once per occurrence.
    occurrences: Vec<u64>,
    lengths: [u32; kenning_graph::text::FIELDS],
}

impl TextDocument {
    fn add_terms(&mut self, field: TextField, terms: &[(u32, bool)]) {
        for &(term, is_word) in terms {
            self.occurrences.push(u64::from(term) << 8 | field as u64);
            self.lengths[field as usize] += u32::from(is_word);
        }
    }

    fn into_term_counts(mut self) -> TermCounts {
        self.occurrences.sort_unstable();
        let distinct = self.occurrences.chunk_by(u64::eq).count();
        let mut counts: Vec<(u32, u8, u16)> = Vec::with_capacity(distinct);
        for key in self.occurrences {
            let (term, field) = ((key >> 8) as u32, (key & 0xff) as u8);
            match counts.last_mut() {
                Some(last) if last.0 == term && last.1 == field => last.2 = last.2.saturating_add(1),
                _ => counts.push((term, field, 1)),
            }
        }
        TermCounts { counts, lengths: self.lengths.map(|length| length.min(u32::from(u16::MAX)) as u16) }
    }
}

impl<'w, 't> TermCounter<'w, 't> {
    /// Creates a counter for a file with `symbols` symbols.
    pub fn new(words: &'w mut WordTokens, symbols: usize) -> Self {
        let documents = vec![TextDocument::default(); symbols + 1];
        Self {
            words,
            terms: StringTableBuilder::default(),
            known: FxHashMap::default(),
            numbers: Vec::new(),
            documents,
        }
    }

    /// Returns the range in `numbers` of the terms of a word.
    fn term_numbers(&mut self, word: &'t str) -> Range<usize> {
        if let Some(terms) = self.known.get(word) {
            return terms.clone();
        }
        let start = self.numbers.len();
        for token in &*self.words.tokenize_word(word) {
            self.numbers.push((self.terms.intern(token), !token.starts_with(WHOLE_TOKEN_PREFIX)));
        }
        let terms = start..self.numbers.len();
        self.known.insert(word, terms.clone());
        terms
    }

    /// Adds the words of a text to a field of the owners' documents.
    fn count_text(&mut self, owners: &[usize], field: TextField, text: &'t str) {
        for word in kenning_graph::analysis::raw_words(text) {
            if word.len() > MAX_WORD_BYTES {
                continue;
            }
            let terms = self.term_numbers(word);
            for &owner in owners {
                self.documents[owner].add_terms(field, &self.numbers[terms.clone()]);
            }
        }
    }

    fn count_name(&mut self, owner: usize, name: &str) {
        let mut tokens: Vec<String> = Vec::new();
        self.words.analyzer.for_each_name_token(name, |token| tokens.push(token.to_owned()));
        let terms: Vec<_> =
            tokens.iter().map(|t| (self.terms.intern(t), !t.starts_with(WHOLE_TOKEN_PREFIX))).collect();
        self.documents[owner].add_terms(TextField::Name, &terms);
    }

    /// Counts all words in the file's symbols and leaves.
    pub fn count_file(
        mut self,
        text: &'t str,
        scan: &TreeScan,
        symbols: &'t FileSymbols,
        file_docstring: Option<u32>,
    ) -> FileText {
        for (index, symbol) in symbols.facts.iter().enumerate() {
            self.count_name(index, &symbol.name);
            self.count_text(&[index], TextField::Container, &symbol.container);
            self.count_text(&[index], TextField::Signature, &symbol.signature);
            self.count_text(&[index], TextField::Doc, &symbol.doc);
        }
        let owners: Vec<Vec<usize>> =
            (0..symbols.facts.len()).map(|index| text_owners(index, symbols)).collect();
        let rest = [symbols.facts.len()];
        for leaf in &scan.words {
            let index = symbols.symbol_at(leaf.start);
            // A documentation comment is already counted with its symbol. Only a callable also
            // counts the comments nested in it.
            let in_callable = symbols.facts.get(index as usize).is_some_and(|s| has_body(s.kind));
            let field = match leaf.kind {
                LeafKind::Comment if symbols.doc_comments.contains_key(&leaf.start) && !in_callable => {
                    continue;
                }
                LeafKind::Comment => TextField::Comments,
                LeafKind::String if symbols.docstrings.contains_key(&leaf.start) => TextField::Comments,
                LeafKind::String if file_docstring == Some(leaf.start) => TextField::Comments,
                LeafKind::String => TextField::Strings,
                LeafKind::Code => TextField::Code,
            };
            let owners = if index == FILE_SCOPE { &rest[..] } else { &owners[index as usize] };
            self.count_text(owners, field, text.get(leaf.start as usize..leaf.end as usize).unwrap_or(""));
        }
        self.into_file_text()
    }

    /// Counts the words of a document: the headings of its sections, and texts with the section
    /// that they belong to ([`FILE_SCOPE`] if none) and their field.
    pub fn count_document(
        mut self,
        sections: &'t [SymbolFact],
        texts: impl Iterator<Item = (u32, TextField, &'t str)>,
    ) -> FileText {
        for (index, section) in sections.iter().enumerate() {
            // A heading is prose: it is not one identifier.
            self.count_text(&[index], TextField::Name, &section.name);
            self.count_text(&[index], TextField::Container, &section.container);
        }
        for (section, field, text) in texts {
            let owner = if section == FILE_SCOPE { sections.len() } else { section as usize };
            self.count_text(&[owner], field, text);
        }
        self.into_file_text()
    }

    /// Counts the words of a text that could not be parsed, as code of the file.
    pub fn count_unparsed(mut self, text: &'t str) -> FileText {
        self.count_text(&[0], TextField::Code, text);
        self.into_file_text()
    }

    fn into_file_text(self) -> FileText {
        let mut documents: Vec<TermCounts> =
            self.documents.into_iter().map(TextDocument::into_term_counts).collect();
        let rest = documents.pop().unwrap_or_default();
        FileText { terms: self.terms.into_table(), symbols: documents, rest }
    }
}

/// Returns the symbols that count the text of a symbol: itself, its type if it is a field or an
/// enum member, and all callables around it.
fn text_owners(at: usize, symbols: &FileSymbols) -> Vec<usize> {
    let mut out = vec![at];
    let mut is_part_of_parent = true;
    let mut current = at;
    while let Some(parent) = symbols.facts[current].parent {
        let is_part = matches!(symbols.facts[current].kind, SymbolKind::Field | SymbolKind::EnumMember);
        is_part_of_parent &= is_part;
        let parent = parent as usize;
        let kind = symbols.facts[parent].kind;
        if has_body(kind) || is_part_of_parent {
            out.push(parent);
        }
        if out.len() >= MAX_OWNERS {
            break;
        }
        current = parent;
    }
    out
}
