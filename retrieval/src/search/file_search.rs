//! The files that a question is about.
//!
//! A question that is the name of a file finds that file first. Otherwise files of the graph are
//! ranked by their text and, in hybrid mode, by their best symbols; other files by the words of their
//! paths.

use super::match_quality::BARE_MATCH;
use super::symbol_search::SymbolList;
use super::text_lists::{fuse_ranks, shares_of_best};
use super::{SearchHit, SearchLimits, SearchMode, SearchRequest, SearchTarget};
use crate::Analysis;
use crate::query::inverse_document_frequency;
use kenning_graph::analysis::{Analyzer, WHOLE};
use kenning_graph::text::{TextQuery, TextQueryTerm};
use kenning_graph::{FileId, Snapshot};
use rustc_hash::{FxHashMap, FxHashSet};

/// The score of a file whose name without the extension is the question.
const STEM_SCORE: f64 = 0.98;

/// Number of the best files by text and of the best symbols whose files are fused.
const FUSED_FILES: usize = 200;

/// A file that was found.
pub(super) struct FileHit {
    /// The hit.
    pub hit: SearchHit,
    /// Whether the question names the file.
    pub is_named: bool,
}

/// Returns the best files of the workspace, best first, each once.
pub(super) fn find_files(
    analysis: &Analysis<'_>,
    request: &SearchRequest,
    symbols: &SymbolList,
    limits: &SearchLimits,
) -> Vec<FileHit> {
    let snapshot = analysis.snapshot;
    let indexed: Vec<(FileId, &str)> = indexed_paths(snapshot);
    let named = named_files(&indexed, request).into_iter().map(|hit| FileHit { hit, is_named: true });
    let mut hits: Vec<FileHit> = named.collect();
    let mut others: Vec<SearchHit> = rank_by_path(&indexed, request);
    if symbols.quality >= BARE_MATCH {
        let ranked = rank_indexed(analysis, request, symbols, limits);
        others.extend(ranked.into_iter().map(|(file, share)| file_hit(file, symbols.quality * share)));
    }
    super::sort_hits(&mut others);
    hits.extend(others.into_iter().map(|hit| FileHit { hit, is_named: false }));
    let mut seen = FxHashSet::default();
    hits.retain(|file| file.hit.score >= limits.min_score);
    hits.retain(|file| seen.insert(path_of_target(snapshot, &file.hit.target).to_owned()));
    hits.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
    hits.truncate(limits.max_results);
    hits
}

fn indexed_paths(snapshot: &Snapshot) -> Vec<(FileId, &str)> {
    let files = snapshot.files().into_iter();
    let mut paths: Vec<(FileId, &str)> =
        files.filter_map(|file| Some((file, snapshot.file(file)?.path))).collect();
    paths.sort_unstable_by(|a, b| a.1.cmp(b.1));
    paths
}

fn file_hit(file: FileId, score: f64) -> SearchHit {
    SearchHit { target: SearchTarget::File(file), score, via: None }
}

fn other_hit(path: &str, score: f64) -> SearchHit {
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
/// without the extension if it is the whole question. Shorter paths come first.
fn named_files(indexed: &[(FileId, &str)], request: &SearchRequest) -> Vec<SearchHit> {
    let question = request.query.trim().to_lowercase();
    let words: Vec<&str> = question.split_whitespace().map(|word| word.trim_matches(is_quote)).collect();
    let score_path = |path: &str| {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let is_named = |word: &&str| word.contains('.') && ends_path(&path, word);
        if words.iter().any(is_named) || name == question {
            Some(1.0)
        } else {
            name.split_once('.').filter(|(stem, _)| *stem == question).map(|_| STEM_SCORE)
        }
    };
    let named =
        indexed.iter().filter_map(|(file, path)| Some((path.len(), file_hit(*file, score_path(path)?))));
    let others = request.other_files.iter();
    let others = others.filter_map(|path| Some((path.len(), other_hit(path, score_path(path)?))));
    let mut hits: Vec<(usize, SearchHit)> = named.chain(others).collect();
    hits.sort_by_key(|(length, _)| *length);
    hits.into_iter().map(|(_, hit)| hit).collect()
}

fn is_quote(character: char) -> bool {
    matches!(character, '`' | '"' | '\'' | '?' | ',' | '(' | ')')
}

/// Whether a path ends in these whole parts.
fn ends_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Ranks the files of the graph by their text and, in hybrid mode, by their best symbols.
fn rank_indexed(
    analysis: &Analysis<'_>,
    request: &SearchRequest,
    symbols: &SymbolList,
    limits: &SearchLimits,
) -> Vec<(FileId, f64)> {
    let snapshot = analysis.snapshot;
    let by_text = files_by_text(analysis, symbols);
    match request.mode {
        SearchMode::Keyword => shares_of_best(&by_text),
        SearchMode::Hybrid => {
            let by_text = by_text.into_iter().map(|(file, _)| file).collect();
            let best = symbols.hits.iter().take(FUSED_FILES);
            let mut seen = FxHashSet::default();
            let by_symbol = best.filter_map(|(symbol, _)| snapshot.file_of_symbol(*symbol));
            let by_symbol = by_symbol.filter(|file| seen.insert(*file)).collect();
            fuse_ranks(&[by_text, by_symbol], limits.rrf_k)
        }
    }
}

/// Returns the files whose text matches, best first.
fn files_by_text(analysis: &Analysis<'_>, symbols: &SymbolList) -> Vec<(FileId, f64)> {
    let Analysis { snapshot, config, .. } = *analysis;
    let terms = symbols.query.terms.iter().map(|term| TextQueryTerm {
        tokens: vec![term.token.clone()],
        weight: term.weight,
        field: None,
        prefix: false,
    });
    let query = TextQuery { terms: terms.collect() };
    let bm25 = config.text.file_prior.as_ref().map_or(&config.text.bm25, |prior| &prior.bm25);
    let mut found = snapshot.search_files(&query, &bm25.text_params());
    found.truncate(FUSED_FILES);
    found.into_iter().map(|(file, score)| (file, f64::from(score))).collect()
}

/// Ranks all files by the words of their paths: the share of the information of the question's words
/// that a path has. Words of few paths say more than others.
fn rank_by_path(indexed: &[(FileId, &str)], request: &SearchRequest) -> Vec<SearchHit> {
    let mut analyzer = Analyzer::default();
    let words = stems_of_text(&request.query, &mut analyzer);
    if words.is_empty() {
        return Vec::new();
    }
    let paths = indexed.iter().map(|(_, path)| *path).chain(request.other_files.iter().map(String::as_str));
    let found: Vec<FxHashSet<String>> = paths
        .map(|path| {
            let mut stems = stems_of_text(path, &mut analyzer);
            stems.retain(|stem| words.contains(stem));
            stems
        })
        .collect();
    let mut frequency: FxHashMap<&str, u32> = FxHashMap::default();
    for stem in found.iter().flatten() {
        *frequency.entry(stem).or_default() += 1;
    }
    let information = |stem: &str| {
        let frequency = frequency.get(stem).copied().unwrap_or(0);
        inverse_document_frequency(found.len() as u32, frequency)
    };
    let sum = |stems: &FxHashSet<String>| {
        let mut parts: Vec<f64> = stems.iter().map(|stem| information(stem)).collect();
        parts.sort_unstable_by(f64::total_cmp);
        parts.into_iter().sum::<f64>()
    };
    let all = sum(&words);
    let scored = found.iter().enumerate().filter(|(_, stems)| !stems.is_empty());
    let hits = scored.map(|(at, stems)| {
        let score = if all > 0.0 { sum(stems) / all } else { 0.0 };
        match indexed.get(at) {
            Some((file, _)) => file_hit(*file, score * STEM_SCORE),
            None => other_hit(&request.other_files[at - indexed.len()], score * STEM_SCORE),
        }
    });
    hits.collect()
}

fn stems_of_text(text: &str, analyzer: &mut Analyzer) -> FxHashSet<String> {
    let mut stems = FxHashSet::default();
    analyzer.for_each_token(text, |token| {
        if !token.starts_with(WHOLE) {
            stems.insert(token.to_owned());
        }
    });
    stems
}
