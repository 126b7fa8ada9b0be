//! Finds the files that a question is about.
//!
//! A question that is the name of a file finds that file first. Otherwise the search ranks the
//! files of the graph by their best symbols, then by their whole text. It also ranks all files by
//! the words of their paths.

use super::match_quality::BARE_MATCH;
use super::nearest::{NearestLists, WordHits, fuse_ranks};
use super::symbol_search::SymbolList;
use super::word_scores::{query_words, rank_ids};
use super::{DOCUMENT_WEIGHT, SearchHit, SearchLimits, SearchTarget};
use crate::Analysis;
use crate::config::TextConfig;
use crate::query::{TaskQuery, inverse_document_frequency};
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::{FileId, Snapshot};
use rustc_hash::{FxHashMap, FxHashSet};

/// The score of a file whose path has all words of the question.
const PATH_SCORE: f64 = 0.98;

/// A file that was found.
pub(super) struct FileHit {
    /// The hit.
    pub hit: SearchHit,
    /// The clue that led to the file.
    pub found_by: FileClue,
}

/// The clue by which a question leads to a file, the surest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileClue {
    /// The question has the name of the file, with its extension.
    Name,
    /// The question is the name of the file without the extension, which may mean something else.
    Stem,
    /// The words of the question match the file.
    Words,
}

/// The files that a question finds by their paths.
#[derive(Default)]
pub(super) struct MatchedPaths {
    /// Files that the question names.
    named: Vec<FileHit>,
    /// Files whose paths have words of the question.
    by_words: Vec<SearchHit>,
}

/// Finds files of the graph and of `others` by their paths.
pub(super) fn match_paths(snapshot: &Snapshot, question: &str, others: Vec<String>) -> MatchedPaths {
    let indexed = indexed_paths(snapshot);
    MatchedPaths {
        named: named_files(&indexed, &others, question),
        by_words: rank_by_path(&indexed, &others, question),
    }
}

/// Returns the best files of the workspace, best first, each once.
pub(super) fn find_files(
    analysis: &Analysis<'_>,
    paths: MatchedPaths,
    [symbols, sections]: [&SymbolList; 2],
    nearest: Option<&NearestLists>,
    limits: &SearchLimits,
) -> Vec<FileHit> {
    let snapshot = analysis.snapshot;
    let mut hits = paths.named;
    let mut others = paths.by_words;
    let by_text = files_by_text(snapshot, &analysis.config.text, &symbols.query);
    let lists = [(symbols, 1.0, false), (sections, DOCUMENT_WEIGHT, true)];
    for ((list, weight, has_documents), by_text) in lists.into_iter().zip(by_text) {
        let mut ranked = if list.quality >= BARE_MATCH {
            rank_indexed(snapshot, list, by_text, limits)
        } else {
            Vec::new()
        };
        if let Some(nearest) = nearest {
            let mut near = nearest.files.clone();
            near.retain(|(file, _)| snapshot.is_document(*file) == has_documents);
            let enough = nearest.enough_hits;
            let found = WordHits { hits: &ranked, first: 0, quality: list.quality, enough };
            ranked = fuse_ranks(found, &near, limits);
        }
        others.extend(ranked.into_iter().map(|(file, score)| build_file_hit(file, score * weight)));
    }
    hits.extend(others.into_iter().map(|hit| FileHit { hit, found_by: FileClue::Words }));
    hits.retain(|file| file.hit.score >= limits.min_score);
    hits.sort_by(|a, b| {
        let by_score = b.hit.score.total_cmp(&a.hit.score).then(a.found_by.cmp(&b.found_by));
        by_score.then_with(|| file_sort_key(snapshot, a).cmp(&file_sort_key(snapshot, b)))
    });
    let mut seen = FxHashSet::default();
    hits.retain(|file| seen.insert(path_of_target(snapshot, &file.hit.target).to_owned()));
    hits.truncate(limits.max_results);
    hits
}

fn indexed_paths(snapshot: &Snapshot) -> Vec<(FileId, &str)> {
    let files = snapshot.files().into_iter();
    files.filter_map(|file| Some((file, snapshot.file(file)?.path))).collect()
}

fn build_file_hit(file: FileId, score: f64) -> SearchHit {
    SearchHit { target: SearchTarget::File(file), score, via: None }
}

fn build_other_hit(path: &str, score: f64) -> SearchHit {
    SearchHit { target: SearchTarget::OtherFile(path.to_owned()), score, via: None }
}

fn path_of_target<'a>(snapshot: &'a Snapshot, target: &'a SearchTarget) -> &'a str {
    match target {
        SearchTarget::File(file) => snapshot.file(*file).map_or("", |file| file.path),
        SearchTarget::OtherFile(path) => path,
        SearchTarget::Symbol(_) => "",
    }
}

/// Returns the files that a word of the question names: by the end of the path, or by the name
/// without the extension if it is the whole question.
fn named_files(indexed: &[(FileId, &str)], others: &[String], question: &str) -> Vec<FileHit> {
    let question = question.trim().to_lowercase();
    let words: Vec<&str> = question.split_whitespace().map(|word| word.trim_matches(is_quote)).collect();
    let find_clue = |path: &str| {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let is_end = |word: &&str| word.contains('.') && ends_path(&path, word);
        if name == question || words.iter().any(is_end) {
            Some(FileClue::Name)
        } else {
            name.split_once('.').filter(|(stem, _)| *stem == question).map(|_| FileClue::Stem)
        }
    };
    let indexed =
        indexed.iter().filter_map(|(file, path)| Some((build_file_hit(*file, 1.0), find_clue(path)?)));
    let others = others.iter().filter_map(|path| Some((build_other_hit(path, 1.0), find_clue(path)?)));
    indexed.chain(others).map(|(hit, found_by)| FileHit { hit, found_by }).collect()
}

/// Returns the key that orders files with equal scores: shorter paths come first.
fn file_sort_key<'a>(snapshot: &'a Snapshot, file: &'a FileHit) -> (usize, &'a str) {
    let path = path_of_target(snapshot, &file.hit.target);
    (path.len(), path)
}

fn is_quote(character: char) -> bool {
    matches!(character, '`' | '"' | '\'' | '?' | ',' | '(' | ')')
}

/// Whether a path ends in these whole parts.
fn ends_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Ranks files: first the files of the ranked symbols or sections in their order, then the files of
/// `by_text`, whose text matches only as a whole.
fn rank_indexed(
    snapshot: &Snapshot,
    symbols: &SymbolList,
    by_text: Vec<FileId>,
    limits: &SearchLimits,
) -> Vec<(FileId, f64)> {
    let by_symbol = symbols.hits.iter().filter_map(|(symbol, _)| snapshot.file_of_symbol(*symbol));
    let mut seen = FxHashSet::default();
    let files: Vec<FileId> = by_symbol.chain(by_text).filter(|file| seen.insert(*file)).collect();
    (1..).zip(files).map(|(rank, file)| (file, symbols.quality * limits.share_of_rank(rank))).collect()
}

/// Returns the files of code and the documents whose text matches, best first.
fn files_by_text(snapshot: &Snapshot, config: &TextConfig, query: &TaskQuery) -> [Vec<FileId>; 2] {
    let query = query_words(query);
    let params = config.file_prior.as_ref().map_or(&config.bm25, |prior| &prior.bm25).text_params();
    let scores = [snapshot.file_scores(&query, &params), snapshot.document_file_scores(&query, &params)];
    let find_path = |id: u32| snapshot.file(FileId(id)).map(|file| file.path);
    scores.map(|scores| rank_ids(scores, find_path).into_iter().map(|(file, _)| FileId(file)).collect())
}

/// Ranks all files by the words of their paths. The score is the share of the information of the
/// question's words that the path has. Words that few paths have carry more information.
fn rank_by_path(indexed: &[(FileId, &str)], others: &[String], question: &str) -> Vec<SearchHit> {
    let mut analyzer = Analyzer::default();
    let words = QuestionWords::from_text(question, &mut analyzer);
    let paths = indexed.iter().map(|(_, path)| *path).chain(others.iter().map(String::as_str));
    let found: Vec<u64> = paths.map(|path| words.find_in(path, &mut analyzer)).collect();
    let information: Vec<f64> = (0..words.numbers.len())
        .map(|number| {
            let frequency = found.iter().filter(|bits| *bits >> number & 1 == 1).count();
            inverse_document_frequency(found.len() as u32, frequency as u32)
        })
        .collect();
    let total: f64 = information.iter().sum();
    let sum = |bits: u64| {
        let parts = information.iter().enumerate().filter(|(number, _)| bits >> number & 1 == 1);
        parts.map(|(_, information)| information).sum::<f64>()
    };
    let scored = found.into_iter().enumerate().filter(|(_, bits)| *bits != 0);
    let hits = scored.map(|(at, bits)| {
        let score = sum(bits) / total * PATH_SCORE;
        match indexed.get(at) {
            Some((file, _)) => build_file_hit(*file, score),
            None => build_other_hit(&others[at - indexed.len()], score),
        }
    });
    hits.collect()
}

/// The distinct stems of a question, each with its number.
struct QuestionWords {
    numbers: FxHashMap<String, u32>,
}

impl QuestionWords {
    /// Reads the first 64 stems of a text.
    fn from_text(text: &str, analyzer: &mut Analyzer) -> Self {
        let mut numbers = FxHashMap::default();
        analyzer.for_each_token(text, |token| {
            let number = numbers.len() as u32;
            if number < u64::BITS && !token.starts_with(WHOLE_TOKEN_PREFIX) && !numbers.contains_key(token) {
                numbers.insert(token.to_owned(), number);
            }
        });
        Self { numbers }
    }

    /// Returns the stems that a path has, one bit for each.
    fn find_in(&self, path: &str, analyzer: &mut Analyzer) -> u64 {
        let mut bits = 0;
        analyzer.for_each_token(path, |token| {
            if let Some(number) = self.numbers.get(token) {
                bits |= 1 << number;
            }
        });
        bits
    }
}
