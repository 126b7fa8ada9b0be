//! Features from comparing the words of the task with the names around a candidate.
//!
//! Names are compared in two ways: by their tokens (stems of their parts), each with its share of
//! the task's contribution, and as written, by raw words of the task. A qualified pair is two raw
//! words that the task joins like `Session.save`.

use crate::query::TaskQuery;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX, is_compound, raw_words, whole_token};
use kenning_graph::{Snapshot, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of the columns, in the order of the values of `candidate_values`.
pub(super) const NAMES: [&str; 20] = [
    "name_cover",
    "name_precision",
    "name_exact",
    "name_words",
    "name_is_compound",
    "container_cover",
    "container_precision",
    "stem_cover",
    "stem_precision",
    "folder_cover",
    "doc_cover",
    // 0 if the task does not contain the name as written, 1 for its body, 2 for its first line.
    "name_written",
    "name_written_at",
    "container_written",
    "stem_written",
    "qualified_written",
    "path_written",
    "signature_cover",
    "namesakes",
    "type_cover",
];

/// Greatest value of the feature `namesakes`.
const MAX_NAMESAKES: usize = 1_000;

/// Position of a name that the task does not contain.
const NOT_WRITTEN: f32 = 500.0;

/// The words of the task, prepared for comparison with the names of candidates.
pub(super) struct WordFeatures<'a> {
    query: &'a TaskQuery,
    /// Each word's share of the summed contribution of the task's words; identifiers do not count
    /// in the sum.
    shares: FxHashMap<String, f32>,
    /// The first position of each raw word, as written.
    written: FxHashMap<&'a str, usize>,
    /// Number of raw words in the first line.
    subject_words: usize,
    /// Pairs of adjacent names that the task joins by `.`, `::`, `->` or `#`.
    qualified: FxHashSet<(String, String)>,
    analyzer: Analyzer,
}

/// The overlap of a text's words with the words of the task.
#[derive(Default)]
struct WordOverlap {
    /// Weighted share of the task's words that are in the text.
    recall: f32,
    /// Share of the text's words that are in the task.
    precision: f32,
    /// Whether the text is an identifier of the task.
    is_identifier: bool,
    /// Number of different words.
    words: usize,
}

impl<'a> WordFeatures<'a> {
    /// Indexes the words of a task.
    pub fn from_query(query: &'a TaskQuery) -> Self {
        let is_word = |token: &str| !token.starts_with(WHOLE_TOKEN_PREFIX);
        let sum: f64 = query.terms.iter().filter(|t| is_word(&t.token)).map(|t| t.contribution).sum();
        let share = |contribution: f64| if sum > 0.0 { (contribution / sum) as f32 } else { 0.0 };
        let mut written = FxHashMap::default();
        for (position, word) in raw_words(&query.searchable_text).enumerate() {
            written.entry(word).or_insert(position);
        }
        let subject = query.searchable_text.lines().next().unwrap_or("");
        Self {
            query,
            shares: query.terms.iter().map(|t| (t.token.clone(), share(t.contribution))).collect(),
            written,
            subject_words: raw_words(subject).count(),
            qualified: qualified_pairs(&query.searchable_text),
            analyzer: Analyzer::default(),
        }
    }

    /// Returns the values of a candidate, in the order of [`NAMES`].
    pub fn candidate_values(&mut self, snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> [f32; NAMES.len()] {
        let name = self.measure_overlap(symbol.name);
        let container = self.measure_overlap(symbol.container);
        let (folders, file) = kenning_graph::paths::split_folder(symbol.path);
        let stem_text = file.split('.').next().unwrap_or("");
        let stem = self.measure_overlap(stem_text);
        let folder = self.measure_overlap(folders.rsplit('/').next().unwrap_or(""));
        let outer = symbol.container.rsplit('.').next().unwrap_or("");
        let position = self.written.get(symbol.name).copied();
        let is_qualified = self.qualified.contains(&(outer.to_owned(), symbol.name.to_owned()));
        let names_path = self.query.locations.iter().any(|named| {
            let path = named.path.as_str();
            symbol.path.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                || path.strip_suffix(symbol.path).is_some_and(|rest| rest.ends_with('/'))
        });
        let in_subject = position.is_some_and(|at| at < self.subject_words);
        let flag = |on: bool| f32::from(u8::from(on));
        [
            name.recall,
            name.precision,
            flag(name.is_identifier),
            name.words as f32,
            flag(is_compound(symbol.name)),
            container.recall,
            container.precision,
            stem.recall,
            stem.precision,
            folder.recall,
            self.measure_overlap(symbol.doc_text()).recall,
            flag(position.is_some()) + flag(in_subject),
            position.map_or(NOT_WRITTEN, |at| at as f32),
            flag(self.is_written_in_task(outer)),
            flag(self.is_written_in_task(stem_text)),
            flag(is_qualified),
            flag(names_path),
            self.measure_overlap(symbol.param_types()).recall,
            snapshot.symbols_by_name(symbol.name).len().min(MAX_NAMESAKES) as f32,
            self.measure_overlap(symbol.type_text()).recall,
        ]
    }

    /// Whether the task contains a name as written, or an identifier that equals it apart from case
    /// and underscores.
    fn is_written_in_task(&self, name: &str) -> bool {
        !name.is_empty() && (self.written.contains_key(name) || self.shares.contains_key(&whole_token(name)))
    }

    fn measure_overlap(&mut self, text: &str) -> WordOverlap {
        let mut overlap = WordOverlap::default();
        let (mut seen, mut known) = (FxHashSet::default(), 0u32);
        let shares = &self.shares;
        self.analyzer.for_each_name_token(text, |token| {
            let share = shares.get(token).copied();
            if token.starts_with(WHOLE_TOKEN_PREFIX) {
                overlap.is_identifier |= share.is_some();
            } else if seen.insert(token.to_owned())
                && let Some(share) = share
            {
                known += 1;
                overlap.recall += share;
            }
        });
        overlap.words = seen.len();
        overlap.precision = known as f32 / seen.len().max(1) as f32;
        overlap
    }
}

/// Returns the pairs of names that a text joins by `.`, `::`, `->` or `#`.
fn qualified_pairs(text: &str) -> FxHashSet<(String, String)> {
    let mut pairs = FxHashSet::default();
    let mut before: Option<(&str, usize)> = None;
    for word in raw_words(text) {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        if let Some((outer, end)) = before
            && matches!(&text[end..start], "." | "::" | "->" | "#")
        {
            pairs.insert((outer.to_owned(), word.to_owned()));
        }
        before = Some((word, start + word.len()));
    }
    pairs
}
