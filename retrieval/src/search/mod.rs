//! Search: finds the symbols, sections and files that a question is about.
//!
//! A [`SearchRequest`] names a scope, a mode and the limits of [`SearchLimits`]. A search runs in
//! four steps (`docs/search.md`):
//!
//! 1. `symbol_search`, `section_search` and `file_search` rank everything in the scope: by the text
//!    index alone (`keyword`), by all channels of the ranking (`hybrid`), or by vectors alone
//!    (`vector`). If the workspace has vectors, `hybrid` fuses both lists (`nearest`).
//! 2. `match_quality` turns the ranks into scores from 0 to 1 that mean the same for every question,
//!    so that nonsense finds nothing.
//! 3. `expansion` follows edges from the best symbols.
//! 4. The best hits remain, each once. `derived_hits` puts files that no one edits behind all others.
//!
//! The search reads the same snapshot and the same text index as the ranking of packs.

mod code_phrases;
mod derived_hits;
mod expansion;
mod file_search;
mod limits;
mod match_quality;
mod name_search;
mod named_symbols;
mod nearest;
mod question_words;
mod section_search;
mod symbol_search;
mod word_scores;

pub use limits::{LimitOverrides, SearchLimits, SearchMode, SearchScope};
pub use name_search::find_names;
pub(crate) use section_search::MatchingSections;

use crate::Analysis;
use crate::parallel::run_concurrently;
use crate::pipeline::{RunCancelled, StageObserver};
use derived_hits::{RequestedHits, put_derived_last};
use expansion::{HitKind, expand_hits};
use file_search::{FileClue, FileHit, MatchedPaths};
use kenning_graph::{EdgeKind, FileId, Snapshot, SymbolId};
use nearest::NearestLists;
use rustc_hash::FxHashSet;

/// The factor of the scores of documents next to code, because developers look for code first. By
/// rank, the first document then comes after about seven hits in code.
const DOCUMENT_WEIGHT: f64 = 0.9;

/// A question to the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRequest {
    /// The question: words, a name, or the name of a file.
    pub query: String,
    /// The kinds of things to search.
    pub scope: SearchScope,
    /// The way of ranking.
    pub mode: SearchMode,
    /// The limits that differ from the defaults of the scope.
    pub overrides: LimitOverrides,
}

/// The target of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchTarget {
    /// A symbol, or a section of a document.
    Symbol(SymbolId),
    /// A file of the graph.
    File(FileId),
    /// The path of a file that is not in the graph.
    OtherFile(String),
}

/// A result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// The symbol or file.
    pub target: SearchTarget,
    /// The score, from 0 to 1. One half or more means that the workspace matches the question.
    pub score: f64,
    /// The step that led to it from a better hit; `None` if the words of the question did.
    pub via: Option<ExpansionStep>,
}

impl SearchHit {
    /// Returns the file of the graph that the hit is, or that contains it.
    fn containing_file(&self, snapshot: &Snapshot) -> Option<FileId> {
        match self.target {
            SearchTarget::Symbol(symbol) => snapshot.file_of_symbol(symbol),
            SearchTarget::File(file) => Some(file),
            SearchTarget::OtherFile(_) => None,
        }
    }
}

/// A step along an edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpansionStep {
    /// The symbol from which the edge was followed.
    pub from: SymbolId,
    /// The kind of the edge.
    pub kind: EdgeKind,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchAnswer {
    /// The hits, best first.
    pub hits: Vec<SearchHit>,
}

impl Analysis<'_> {
    /// Searches the workspace. `list_others` returns the paths of files that are not in the graph,
    /// relative to the root, with `/` as the separator. The search calls it on another thread, and
    /// only if it searches files.
    ///
    /// # Errors
    /// Returns [`RunCancelled`] if the observer reports that the request was cancelled.
    pub fn search_workspace(
        &self,
        request: &SearchRequest,
        list_others: &(dyn Fn() -> Vec<String> + Sync),
        observer: &mut dyn StageObserver,
    ) -> Result<SearchAnswer, RunCancelled> {
        let request = &question_words::remove_pronouns(request);
        let limits = SearchLimits::for_scope(request.scope).with_overrides(request.overrides);
        let mut rank = || -> Result<_, RunCancelled> {
            let nearest = NearestLists::find_for_request(self, request);
            let near = nearest.as_ref();
            let symbols = symbol_search::rank_symbols(self, request, near, &limits, observer)?;
            let sections = section_search::rank_sections(self, request, &symbols, near, &limits);
            Ok(([symbols, sections], nearest))
        };
        let (paths, ranked) = if request.scope.includes_files() && request.mode != SearchMode::Vector {
            let find_paths = || file_search::match_paths(self.snapshot, &request.query, list_others());
            run_concurrently(find_paths, rank)
        } else {
            (MatchedPaths::default(), rank())
        };
        let ([symbols, sections], nearest) = ranked?;
        let mut requested = RequestedHits::collect(self.snapshot, &symbols, &[]);
        let mut hits = Vec::new();
        if request.scope.includes_code() {
            hits.extend(expand_hits(self.snapshot, &symbols.hits, HitKind::Code, &limits));
        }
        if request.scope.includes_docs() {
            let found = expand_hits(self.snapshot, &sections.hits, HitKind::Section, &limits);
            let weight = if request.scope == SearchScope::All { DOCUMENT_WEIGHT } else { 1.0 };
            hits.extend(found.into_iter().map(|hit| SearchHit { score: hit.score * weight, ..hit }));
        }
        if request.scope.includes_files() {
            let mut file_limits =
                SearchLimits::for_scope(SearchScope::Files).with_overrides(request.overrides);
            // Among symbols, a file needs as much evidence as they do.
            file_limits.min_score = file_limits.min_score.max(limits.min_score);
            let files =
                file_search::find_files(self, paths, [&symbols, &sections], nearest.as_ref(), &file_limits);
            requested = RequestedHits::collect(self.snapshot, &symbols, &files);
            hits = join_files(self.snapshot, files, hits);
        }
        sort_hits(&mut hits);
        put_derived_last(self.snapshot, &mut hits, &requested);
        hits.truncate(limits.max_results);
        Ok(SearchAnswer { hits })
    }
}

/// Returns the hits of both lists, best first. Among equal scores, a file that the question names
/// with its extension comes before the symbols, and other files come after them. Leaves out a file
/// that was found only by its words if one of its symbols is a hit, which says more.
fn join_files(snapshot: &Snapshot, files: Vec<FileHit>, symbols: Vec<SearchHit>) -> Vec<SearchHit> {
    let shown: FxHashSet<FileId> = symbols.iter().filter_map(|hit| hit.containing_file(snapshot)).collect();
    let is_new = |hit: &SearchHit| hit.containing_file(snapshot).is_none_or(|file| !shown.contains(&file));
    let (named, others): (Vec<FileHit>, Vec<FileHit>) =
        files.into_iter().partition(|file| file.found_by == FileClue::Name);
    let others = others.into_iter().filter(|file| file.found_by == FileClue::Stem || is_new(&file.hit));
    let (named, others) = (named.into_iter().map(|file| file.hit), others.map(|file| file.hit));
    let mut hits: Vec<SearchHit> = named.chain(symbols).chain(others).collect();
    sort_hits(&mut hits);
    hits
}

/// Sorts hits by score, best first. Equal scores keep the order of the lists they come from.
fn sort_hits(hits: &mut [SearchHit]) {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;
