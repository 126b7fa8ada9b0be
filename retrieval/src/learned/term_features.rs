//! Features from the occurrences of the task's terms in each field of a candidate.
//!
//! The terms come from the query, greatest contribution first, in three groups: words of the first
//! line, words of the other lines, and identifiers as whole tokens. The coverage of a group is the
//! share of its terms that a candidate contains, weighted by inverse document frequency. The
//! occurrences are read from the text index, once for each term.

use crate::channels::ChannelInput;
use crate::parallel::par_halves;
use crate::query::QueryTerm;
use crate::rank::RankedSymbol;
use kenning_graph::SymbolId;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::text::{FIELDS, SymbolSet, TextField};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of the columns, in the order of the values of `candidate_values`.
pub(super) const NAMES: [&str; 27] = [
    "subject_cover",
    "subject_cover_name",
    "subject_cover_container",
    "subject_cover_path",
    "subject_cover_signature",
    "subject_cover_doc",
    "subject_cover_code",
    "subject_cover_strings",
    "subject_cover_comments",
    "body_cover",
    "body_cover_name",
    "body_cover_code",
    "identifier_cover",
    "identifier_cover_name",
    "identifier_cover_signature",
    "identifier_cover_code",
    "bm25_name",
    "bm25_path",
    "bm25_signature",
    "bm25_doc",
    "bm25_code",
    "bm25_strings",
    "bm25_comments",
    "matched_terms",
    "has_first_term",
    "has_first_term_in_name",
    "has_second_term",
];

/// Maximum number of documents of a term whose occurrences are read. More common terms carry little
/// information and have the longest lists.
const MAX_DOCUMENTS: u32 = 20_000;

/// BM25's k1, the saturation of counts, for one field.
const K1: f32 = 1.2;

/// BM25's b, the strength of the length normalization, for one field.
const B: f32 = 0.75;

/// Number of terms with the greatest contributions that have features of their own.
const LEADING_TERMS: usize = 2;

/// A set of terms whose coverage is a feature.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TermGroup {
    /// Words of the first line.
    Subject,
    /// Words of the other lines.
    Body,
    /// Identifiers as whole tokens.
    Identifier,
}

/// A term and its occurrences in the candidates.
struct TermOccurrences {
    group: TermGroup,
    idf: f32,
    /// For each candidate, the occurrences in each field; all zero without the term.
    counts: Vec<[u16; FIELDS]>,
}

/// The occurrences of all terms in all candidates.
pub(super) struct TermFeatures {
    /// Greatest contribution first.
    terms: Vec<TermOccurrences>,
    lengths: Vec<[u16; FIELDS]>,
    /// Mean length of each field among the candidates.
    mean: [f32; FIELDS],
}

impl TermFeatures {
    /// Reads the occurrences of the task's terms in all candidates.
    pub fn collect(input: &ChannelInput<'_>, ranked: &[RankedSymbol]) -> Self {
        let positions: FxHashMap<SymbolId, usize> =
            ranked.iter().enumerate().map(|(at, candidate)| (candidate.symbol, at)).collect();
        let candidates: SymbolSet = positions.keys().copied().collect();
        let subject = subject_tokens(&input.query.text);
        let read_term = |term: &QueryTerm| {
            let mut counts = vec![[0u16; FIELDS]; ranked.len()];
            if term.documents <= MAX_DOCUMENTS {
                for (symbol, found) in input.snapshot.token_counts(&term.token, &candidates) {
                    counts[positions[&symbol]] = found;
                }
            }
            let group = match term.token.starts_with(WHOLE_TOKEN_PREFIX) {
                true => TermGroup::Identifier,
                false if subject.contains(&term.token) => TermGroup::Subject,
                false => TermGroup::Body,
            };
            let idf = (term.contribution / f64::from(term.weight.max(f32::MIN_POSITIVE))) as f32;
            TermOccurrences { group, idf, counts }
        };
        let terms = par_halves(&input.query.terms, |half| half.iter().map(read_term).collect());
        let lengths: Vec<[u16; FIELDS]> =
            ranked.iter().map(|candidate| input.snapshot.field_lengths(candidate.symbol)).collect();
        Self { terms, mean: mean_lengths(&lengths), lengths }
    }

    /// Returns the values of the candidate at index `at`, in the order of [`NAMES`].
    pub fn candidate_values(&self, at: usize) -> [f32; NAMES.len()] {
        use TermGroup::{Body, Identifier, Subject};
        let cover = |group, field: Option<TextField>| self.coverage(at, group, field);
        let any = |count: &[u16; FIELDS]| count.iter().any(|&n| n > 0);
        let leading: Vec<&[u16; FIELDS]> =
            self.terms.iter().take(LEADING_TERMS).map(|term| &term.counts[at]).collect();
        let leads = |number: usize| leading.get(number).is_some_and(|counts| any(counts));
        let matched = self.terms.iter().filter(|term| any(&term.counts[at])).count();
        let in_name = leading.first().is_some_and(|counts| counts[TextField::Name as usize] > 0);
        let flag = |on: bool| f32::from(u8::from(on));
        [
            cover(Subject, None),
            cover(Subject, Some(TextField::Name)),
            cover(Subject, Some(TextField::Container)),
            cover(Subject, Some(TextField::Path)),
            cover(Subject, Some(TextField::Signature)),
            cover(Subject, Some(TextField::Doc)),
            cover(Subject, Some(TextField::Code)),
            cover(Subject, Some(TextField::Strings)),
            cover(Subject, Some(TextField::Comments)),
            cover(Body, None),
            cover(Body, Some(TextField::Name)),
            cover(Body, Some(TextField::Code)),
            cover(Identifier, None),
            cover(Identifier, Some(TextField::Name)),
            cover(Identifier, Some(TextField::Signature)),
            cover(Identifier, Some(TextField::Code)),
            self.field_score(at, TextField::Name),
            self.field_score(at, TextField::Path),
            self.field_score(at, TextField::Signature),
            self.field_score(at, TextField::Doc),
            self.field_score(at, TextField::Code),
            self.field_score(at, TextField::Strings),
            self.field_score(at, TextField::Comments),
            matched as f32,
            flag(leads(0)),
            flag(in_name),
            flag(leads(1)),
        ]
    }

    /// Returns the share of a group's terms that a candidate contains, in one field or in any,
    /// weighted by inverse document frequency.
    fn coverage(&self, at: usize, group: TermGroup, field: Option<TextField>) -> f32 {
        let (mut found, mut all) = (0.0f32, 0.0f32);
        for term in self.terms.iter().filter(|term| term.group == group) {
            all += term.idf;
            let counts = &term.counts[at];
            let contains = match field {
                Some(field) => counts[field as usize] > 0,
                None => counts.iter().any(|&n| n > 0),
            };
            found += if contains { term.idf } else { 0.0 };
        }
        if all > 0.0 { found / all } else { 0.0 }
    }

    /// Returns the BM25 score of one field, with the mean length among the candidates.
    fn field_score(&self, at: usize, field: TextField) -> f32 {
        let field = field as usize;
        let norm = 1.0 - B + B * f32::from(self.lengths[at][field]) / self.mean[field];
        let score = |term: &TermOccurrences| {
            let count = f32::from(term.counts[at][field]);
            term.idf * count / (count + K1 * norm)
        };
        self.terms.iter().map(score).sum()
    }
}

fn mean_lengths(lengths: &[[u16; FIELDS]]) -> [f32; FIELDS] {
    std::array::from_fn(|field| {
        let sum: u32 = lengths.iter().map(|row| u32::from(row[field])).sum();
        (sum as f32 / lengths.len().max(1) as f32).max(1.0)
    })
}

/// Returns the tokens of a task's first line.
fn subject_tokens(text: &str) -> FxHashSet<String> {
    let mut tokens = FxHashSet::default();
    Analyzer::default().for_each_token(text.lines().next().unwrap_or(""), |token| {
        tokens.insert(token.to_owned());
    });
    tokens
}
