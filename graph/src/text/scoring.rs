//! Scoring: BM25F over the postings of base and overlay (Robertson, Zaragoza, Taylor 2004), with an
//! exponent on the inverse document frequency.

use super::file_index::{FieldCounts, FileTextIndex, read_postings};
use super::{CORPUS_COUNT, Corpus, FIELDS, FieldParams, LengthNorm, TextParams, TextQuery, TextQueryTerm};
use crate::snapshot::base::ImageSection;
use crate::snapshot::{FileId, Snapshot, SymbolId};

/// A set of symbols that is fast to test, for reading long lists of occurrences.
#[derive(Clone, Debug, Default)]
pub struct SymbolSet {
    /// One bit for each id.
    bits: Vec<u64>,
}

impl SymbolSet {
    /// Whether the set contains a symbol.
    pub fn contains(&self, symbol: SymbolId) -> bool {
        self.bits.get(symbol.0 as usize / 64).is_some_and(|word| word >> (symbol.0 % 64) & 1 == 1)
    }
}

impl FromIterator<SymbolId> for SymbolSet {
    fn from_iter<I: IntoIterator<Item = SymbolId>>(symbols: I) -> Self {
        let mut bits: Vec<u64> = Vec::new();
        for symbol in symbols {
            let word = symbol.0 as usize / 64;
            if bits.len() <= word {
                bits.resize(word + 1, 0);
            }
            bits[word] |= 1 << (symbol.0 % 64);
        }
        Self { bits }
    }
}

/// The index terms that a query token matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TermMatch {
    /// The term that equals the token.
    Exact,
    /// Every term that starts with the token.
    Prefix,
}

impl TermMatch {
    fn accepts(self, term: &str, token: &str) -> bool {
        match self {
            Self::Exact => term == token,
            Self::Prefix => term.starts_with(token),
        }
    }
}

/// The number of documents and their mean field lengths, on which scores depend.
struct CorpusStatistics {
    documents: u32,
    mean: [f32; FIELDS],
}

impl Snapshot {
    /// Returns the symbols with a score above 0, best first; equal scores are ordered by id. Finds
    /// only documents of the index ([`super::file_index::document_flags`]). Scores are those of a
    /// base with the current files: frequencies and lengths include the overlay.
    pub fn search_symbols(&self, query: &TextQuery, params: &TextParams) -> Vec<(SymbolId, f32)> {
        rank_scores(self.symbol_scores(query, params)).into_iter().map(|(id, s)| (SymbolId(id), s)).collect()
    }

    /// Returns the files with a score above 0, best first; equal scores are ordered by id.
    pub fn search_files(&self, query: &TextQuery, params: &TextParams) -> Vec<(FileId, f32)> {
        rank_scores(self.file_scores(query, params)).into_iter().map(|(id, s)| (FileId(id), s)).collect()
    }

    /// Returns the score of every symbol by its id, 0 for symbols that do not match. Cheaper than
    /// [`Snapshot::search_symbols`] for callers that need no order.
    pub fn symbol_scores(&self, query: &TextQuery, params: &TextParams) -> Vec<f32> {
        self.score_documents(Corpus::Symbols, query, params)
    }

    /// Returns the score of every file by its id, 0 for files that do not match.
    pub fn file_scores(&self, query: &TextQuery, params: &TextParams) -> Vec<f32> {
        self.score_documents(Corpus::Files, query, params)
    }

    /// Returns the score of every section of a document by its id, 0 for all other symbols. The
    /// text of a document outside all sections is scored under the id of its file symbol. Documents
    /// have their own statistics, so the scores cannot be compared with those of
    /// [`Snapshot::symbol_scores`].
    pub fn section_scores(&self, query: &TextQuery, params: &TextParams) -> Vec<f32> {
        self.score_documents(Corpus::Sections, query, params)
    }

    /// Returns the score of every document file by its id, 0 for files of code. Only the path and
    /// the headings count.
    pub fn document_file_scores(&self, query: &TextQuery, params: &TextParams) -> Vec<f32> {
        self.score_documents(Corpus::DocumentFiles, query, params)
    }

    /// Returns the number of sections that [`Snapshot::section_scores`] searches.
    pub fn section_count(&self) -> u32 {
        self.corpus_statistics(Corpus::Sections).documents
    }

    /// Returns the number of sections that contain an analyzed token in any field, counted as
    /// [`Snapshot::document_frequency`] counts symbols.
    pub fn section_frequency(&self, token: &str) -> u32 {
        self.token_frequency(Corpus::Sections, token)
    }

    /// Returns the number of documents of the symbol index.
    pub fn document_count(&self) -> u32 {
        self.corpus_statistics(Corpus::Symbols).documents
    }

    /// Returns the number of documents that contain an analyzed token in any field. Reads the
    /// token's postings if the overlay replaces files of the base.
    pub fn document_frequency(&self, token: &str) -> u32 {
        self.token_frequency(Corpus::Symbols, token)
    }

    fn token_frequency(&self, corpus: Corpus, token: &str) -> u32 {
        let terms = self.matching_base_terms(token, TermMatch::Exact);
        let in_base: u32 = if self.overlay.masks_any_content() {
            let live = terms.flat_map(|term| self.base_postings(corpus, term));
            live.filter(|(document, _)| self.is_live_in_base(corpus, *document)).count() as u32
        } else {
            terms.map(|term| self.term_frequency(term, corpus)).sum()
        };
        let changed = self.overlay_indexes(corpus).flat_map(|(_, index)| {
            matching_terms(index, token, TermMatch::Exact).map(|at| index.symbols[at].len())
        });
        in_base + changed.sum::<usize>() as u32
    }

    /// Iterates over the symbols whose current text contains an analyzed token in any field. Finds
    /// only documents of the index, like [`Snapshot::search_symbols`].
    pub fn symbols_with_token<'a>(&'a self, token: &'a str) -> impl Iterator<Item = SymbolId> + 'a {
        let base = self
            .matching_base_terms(token, TermMatch::Exact)
            .flat_map(|term| self.base_postings(Corpus::Symbols, term))
            .map(|(document, _)| document)
            .filter(|&document| self.is_live_in_base(Corpus::Symbols, document));
        let changed = self.overlay_indexes(Corpus::Symbols).flat_map(move |(file, index)| {
            let content = self.overlay.file_content(file);
            let documents = matching_terms(index, token, TermMatch::Exact)
                .flat_map(|at| index.symbols[at].iter().map(|(symbol, _)| *symbol));
            documents.filter_map(move |symbol| content.map(|content| content.ids[symbol as usize].0))
        });
        base.chain(changed).map(SymbolId)
    }

    /// Returns the occurrences of an analyzed token in the symbols of a set, by field. A symbol
    /// without the token has no entry. Finds only documents of the index, like
    /// [`Snapshot::search_symbols`].
    pub fn token_counts(&self, token: &str, symbols: &SymbolSet) -> Vec<(SymbolId, [u16; FIELDS])> {
        let base = self
            .matching_base_terms(token, TermMatch::Exact)
            .flat_map(|term| self.base_postings(Corpus::Symbols, term))
            .filter(|(document, _)| symbols.contains(SymbolId(*document)))
            .filter(|(document, _)| self.is_live_in_base(Corpus::Symbols, *document));
        let changed = self.overlay_indexes(Corpus::Symbols).flat_map(|(file, index)| {
            let content = self.overlay.file_content(file);
            let rows = matching_terms(index, token, TermMatch::Exact).flat_map(|at| &index.symbols[at]);
            rows.filter_map(move |(symbol, counts)| Some((content?.ids[*symbol as usize].0, *counts)))
        });
        let changed = changed.filter(|(document, _)| symbols.contains(SymbolId(*document)));
        base.chain(changed).map(|(document, counts)| (SymbolId(document), counts)).collect()
    }

    /// Returns the number of tokens of a symbol, by field; zeros if it is not in the index.
    pub fn field_lengths(&self, symbol: SymbolId) -> [u16; FIELDS] {
        self.document_lengths(Corpus::Symbols, symbol.0)
    }

    fn score_documents(&self, corpus: Corpus, query: &TextQuery, params: &TextParams) -> Vec<f32> {
        let statistics = self.corpus_statistics(corpus);
        let documents = if corpus.has_files() {
            self.base.file_records().len().max(self.overlay.next_file as usize)
        } else {
            self.base.symbol_records().len().max(self.overlay.next_symbol as usize)
        };
        let mut scores = vec![0f32; documents];
        for term in &query.terms {
            let (matches, frequency) = self.term_matches(corpus, term);
            let idf = inverse_frequency(statistics.documents, frequency).powf(params.idf_exponent);
            for (document, counts) in matches {
                let lengths = self.document_lengths(corpus, document);
                let saturated = saturate_count(&counts, &lengths, &statistics.mean, params);
                if saturated > 0.0
                    && let Some(score) = scores.get_mut(document as usize)
                {
                    *score += term.weight * idf * saturated;
                }
            }
        }
        scores
    }

    /// Returns the documents that a query term matches, ascending, and its document frequency.
    fn term_matches(&self, corpus: Corpus, term: &TextQueryTerm) -> (Vec<(u32, FieldCounts)>, u32) {
        let mut found: Option<(Vec<(u32, FieldCounts)>, u32)> = None;
        for token in &term.tokens {
            let next = self.token_matches(corpus, token, term);
            found = Some(match found {
                None => next,
                Some((matches, _)) => {
                    let common = intersect_counts(&matches, &next.0);
                    let frequency = common.len() as u32;
                    (common, frequency)
                }
            });
        }
        found.unwrap_or_default()
    }

    /// Returns the documents that contain a token of a query term, ascending, and its document
    /// frequency.
    fn token_matches(
        &self,
        corpus: Corpus,
        token: &str,
        term: &TextQueryTerm,
    ) -> (Vec<(u32, FieldCounts)>, u32) {
        let mut found: Vec<(u32, FieldCounts)> = Vec::new();
        let term_match = if term.prefix { TermMatch::Prefix } else { TermMatch::Exact };
        let mut push = |document: u32, mut counts: FieldCounts| {
            if let Some(field) = term.field {
                let count = counts[field as usize];
                counts = [0; FIELDS];
                counts[field as usize] = count;
            }
            if counts.iter().any(|&c| c > 0) {
                found.push((document, counts));
            }
        };
        for index in self.matching_base_terms(token, term_match) {
            for (document, counts) in self.base_postings(corpus, index) {
                if self.is_live_in_base(corpus, document) {
                    push(document, counts);
                }
            }
        }
        for (file, index) in self.overlay_indexes(corpus) {
            for at in matching_terms(index, token, term_match) {
                if corpus.has_files() {
                    push(file.0, index.file[at]);
                    continue;
                }
                let Some(content) = self.overlay.file_content(file) else { continue };
                for (symbol, counts) in &index.symbols[at] {
                    push(content.ids[*symbol as usize].0, *counts);
                }
            }
        }
        found.sort_unstable_by_key(|(document, _)| *document);
        if term.prefix {
            merge_same_documents(&mut found);
        }
        let frequency = found.len() as u32;
        (found, frequency)
    }

    /// Returns the changed files of the overlay whose text belongs to a corpus, with their indexes.
    fn overlay_indexes(&self, corpus: Corpus) -> impl Iterator<Item = (FileId, &FileTextIndex)> {
        let contents =
            self.overlay.layers.iter().filter_map(|(&id, layer)| Some((id, layer.content.as_ref()?)));
        contents
            .filter(move |(_, content)| content.facts.is_document == corpus.has_documents())
            .map(|(id, content)| (id, content.text_index()))
    }

    /// Returns the numbers of the base's terms that `token` matches.
    fn matching_base_terms(&self, token: &str, term_match: TermMatch) -> impl Iterator<Item = usize> {
        let (mut low, mut high) = (0, self.base.term_count());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.base.term_text(middle) < token {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let end = self.base.term_count();
        (low..end).take_while(move |&at| term_match.accepts(self.base.term_text(at), token))
    }

    fn base_postings(&self, corpus: Corpus, term: usize) -> impl Iterator<Item = (u32, FieldCounts)> {
        let (ends, section) = corpus.posting_sections();
        read_postings(self.base.term_postings(ends, section, term))
    }

    fn term_frequency(&self, term: usize, corpus: Corpus) -> u32 {
        let stats: &[[u32; CORPUS_COUNT]] = self.base.section_slice(ImageSection::TermStats);
        stats.get(term).map_or(0, |frequencies| frequencies[corpus as usize])
    }

    fn is_live_in_base(&self, corpus: Corpus, document: u32) -> bool {
        if !self.overlay.masks_any_content() {
            return true;
        }
        let file = if corpus.has_files() {
            Some(document)
        } else {
            self.base.symbol_records().get(document as usize).map(|symbol| symbol.file)
        };
        file.is_some_and(|file| !self.overlay.masks_content(FileId(file)))
    }

    fn document_lengths(&self, corpus: Corpus, document: u32) -> FieldCounts {
        if corpus.has_files() {
            return match self.overlay.file_content(FileId(document)) {
                Some(content) => content.text_index().file_lengths,
                None => self.base.document_lengths(ImageSection::FileLengths, document as usize),
            };
        }
        match self.overlay.positions.get(&SymbolId(document)) {
            Some(&(file, index)) => self
                .overlay
                .file_content(file)
                .and_then(|c| c.text_index().symbol_lengths.get(index as usize).copied())
                .unwrap_or([0; FIELDS]),
            None => self.base.document_lengths(ImageSection::SymbolLengths, document as usize),
        }
    }

    fn corpus_statistics(&self, corpus: Corpus) -> CorpusStatistics {
        let meta = &self.base.meta;
        let difference = self.overlay.totals.corpus_totals(corpus);
        let documents = i64::from(meta.documents[corpus as usize]) + difference.documents;
        // A damaged base may have fewer documents than the overlay replaces.
        let documents = u32::try_from(documents).unwrap_or_default();
        let totals = &meta.totals[corpus as usize];
        let mean = std::array::from_fn(|field| {
            let total = totals[field].saturating_add_signed(difference.lengths[field]);
            (total as f32 / documents.max(1) as f32).max(1e-6)
        });
        CorpusStatistics { documents, mean }
    }
}

/// Returns the documents with a score above 0, best first; equal scores are ordered by id.
fn rank_scores(scores: Vec<f32>) -> Vec<(u32, f32)> {
    let mut ranked: Vec<(u32, f32)> = (0u32..).zip(scores).filter(|(_, score)| *score > 0.0).collect();
    ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

/// Returns the positions of the terms of a file's index that `token` matches.
fn matching_terms<'a>(
    index: &'a FileTextIndex,
    token: &'a str,
    term_match: TermMatch,
) -> impl Iterator<Item = usize> + 'a {
    let start = index.terms.partition_point(|term| **term < *token);
    (start..index.terms.len()).take_while(move |&at| term_match.accepts(&index.terms[at], token))
}

/// Adds up neighboring entries of the same document.
fn merge_same_documents(found: &mut Vec<(u32, FieldCounts)>) {
    found.dedup_by(|next, previous| {
        let is_same_document = next.0 == previous.0;
        if is_same_document {
            previous.1.iter_mut().zip(next.1).for_each(|(sum, count)| *sum = sum.saturating_add(count));
        }
        is_same_document
    });
}

/// Returns the documents of both lists with the smaller count per field, without documents that
/// have no field in common.
fn intersect_counts(left: &[(u32, FieldCounts)], right: &[(u32, FieldCounts)]) -> Vec<(u32, FieldCounts)> {
    left.iter()
        .filter_map(|(document, counts)| {
            let at = right.binary_search_by_key(document, |(other, _)| *other).ok()?;
            let common: FieldCounts = std::array::from_fn(|field| counts[field].min(right[at].1[field]));
            common.iter().any(|&c| c > 0).then_some((*document, common))
        })
        .collect()
}

/// Computes BM25's inverse document frequency, which is never negative.
fn inverse_frequency(documents: u32, frequency: u32) -> f32 {
    let (n, df) = (documents.max(frequency) as f32, frequency as f32);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
}

/// Computes the saturated, length-normalized count of a term in a document.
fn saturate_count(
    counts: &FieldCounts,
    lengths: &FieldCounts,
    mean: &[f32; FIELDS],
    params: &TextParams,
) -> f32 {
    match params.norm {
        LengthNorm::PerField => {
            let weighted: f32 = (0..FIELDS)
                .filter(|&field| counts[field] > 0 && params.fields[field].weight > 0.0)
                .map(|field| {
                    let FieldParams { weight, b } = params.fields[field];
                    let norm = 1.0 - b + b * f32::from(lengths[field]) / mean[field];
                    weight * f32::from(counts[field]) / norm
                })
                .sum();
            weighted * (params.k1 + 1.0) / (weighted + params.k1)
        }
        LengthNorm::WholeRow { b } => {
            let used_fields = || (0..FIELDS).filter(move |&field| params.fields[field].weight > 0.0);
            let weighted: f32 =
                used_fields().map(|field| params.fields[field].weight * f32::from(counts[field])).sum();
            let length: f32 = used_fields().map(|field| f32::from(lengths[field])).sum();
            let average: f32 = used_fields().map(|field| mean[field]).sum();
            if weighted <= 0.0 {
                return 0.0;
            }
            weighted * (params.k1 + 1.0) / (weighted + params.k1 * (1.0 - b + b * length / average.max(1e-6)))
        }
    }
}
