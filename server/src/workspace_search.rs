//! The single entry point to the search: takes a question and a state of the workspace, returns hits.
//!
//! The command line, the language server's command and `workspace/symbol` all search here.

use crate::answer::{AnswerSources, QuestionError, StageTimer, SymbolBodies};
use crate::cancel::CancelToken;
use crate::timings::StageTimings;
use clap::ValueEnum;
use kenning_graph::Snapshot;
use kenning_indexing::walk::list_files;
use kenning_retrieval::search::{LimitOverrides, SearchAnswer, SearchMode, SearchRequest, SearchScope};
use kenning_retrieval::{Analysis, RankConfig, WorkspaceFacts};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

/// What a search looks at, as users name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchScopeName {
    /// Symbols of source files.
    Code,
    /// Sections of documents.
    Docs,
    /// Whole files of every kind.
    Files,
    /// Everything.
    #[default]
    All,
}

impl SearchScopeName {
    /// Returns the scope.
    pub const fn scope(self) -> SearchScope {
        match self {
            Self::Code => SearchScope::Code,
            Self::Docs => SearchScope::Docs,
            Self::Files => SearchScope::Files,
            Self::All => SearchScope::All,
        }
    }
}

/// How a search ranks, as users name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchModeName {
    /// By words, names, places, history and the graph.
    #[default]
    Hybrid,
    /// By words alone.
    Keyword,
}

impl SearchModeName {
    /// Returns the mode.
    pub const fn mode(self) -> SearchMode {
        match self {
            Self::Hybrid => SearchMode::Hybrid,
            Self::Keyword => SearchMode::Keyword,
        }
    }
}

/// A question to the search.
#[derive(Clone, Debug)]
pub struct SearchQuestion {
    /// The question: words, a name, or the name of a file.
    pub query: String,
    /// What to search.
    pub scope: SearchScope,
    /// How to rank.
    pub mode: SearchMode,
    /// The limits that differ from those of the scope.
    pub overrides: LimitOverrides,
    /// The ranking configuration.
    pub config: Arc<RankConfig>,
}

/// Checks a question as far as possible without a workspace.
///
/// # Errors
/// Returns `QuestionError::EmptyQuery` if the query is blank, and `QuestionError::BadLimit` with the
/// name of a limit that is out of its range.
pub fn check_question(question: &SearchQuestion) -> Result<(), QuestionError> {
    if question.query.trim().is_empty() {
        return Err(QuestionError::EmptyQuery);
    }
    let LimitOverrides { min_score, bfs_decay, rrf_k, .. } = question.overrides;
    let is_share = |value: &f64| (0.0..=1.0).contains(value);
    for (limit, value) in [("minScore", min_score), ("bfsDecay", bfs_decay)] {
        if value.is_some_and(|value| !is_share(&value)) {
            return Err(QuestionError::BadLimit { limit, range: "from 0 to 1" });
        }
    }
    if rrf_k.is_some_and(|k| !k.is_finite() || k < 0.0) {
        return Err(QuestionError::BadLimit { limit: "rrfK", range: "of 0 or more" });
    }
    Ok(())
}

/// Searches a workspace.
///
/// # Errors
/// Returns an error if the question is not valid or if the run is cancelled.
pub fn search_workspace(
    root: &Path,
    exclude: &[String],
    snapshot: &Snapshot,
    sources: AnswerSources<'_>,
    question: &SearchQuestion,
    cancel: &CancelToken,
) -> Result<SearchAnswer, QuestionError> {
    check_question(question)?;
    let bodies = SymbolBodies(sources.text);
    let analysis = Analysis {
        workspace: sources.workspace.unwrap_or(WorkspaceFacts::EMPTY),
        history: sources.history,
        ..Analysis::new(snapshot, &question.config, &bodies)
    };
    let request = SearchRequest {
        query: question.query.clone(),
        scope: question.scope,
        mode: question.mode,
        overrides: question.overrides,
        other_files: find_other_files(root, exclude, snapshot, question.scope),
    };
    let mut timings = StageTimings::start_now();
    Ok(analysis.search_workspace(&request, &mut StageTimer { timings: &mut timings, cancel })?)
}

/// Returns the files of the workspace that are not in the graph. They are listed anew for every
/// question, because nothing reports changes to them.
fn find_other_files(root: &Path, exclude: &[String], snapshot: &Snapshot, scope: SearchScope) -> Vec<String> {
    if !scope.includes_files() {
        return Vec::new();
    }
    let mut paths = list_files(root, exclude).unwrap_or_else(|error| {
        tracing::warn!(%error, "the search only finds files that are indexed");
        Vec::new()
    });
    paths.retain(|path| snapshot.file_by_path(path).is_none());
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, overrides: LimitOverrides) -> Result<(), String> {
        let (scope, mode, config) = (SearchScope::Code, SearchMode::Hybrid, Arc::default());
        let question = SearchQuestion { query: query.to_owned(), scope, mode, overrides, config };
        check_question(&question).map_err(|error| error.to_string())
    }

    #[test]
    fn wrong_questions_say_what_is_wrong() {
        let none = LimitOverrides::default();
        assert_eq!(check("a", none), Ok(()));
        let cases = [
            ("  ", none, "the query is empty; pass a few words, a name or the name of a file"),
            ("a", LimitOverrides { min_score: Some(1.5), ..none }, "minScore must be a number from 0 to 1"),
            (
                "a",
                LimitOverrides { bfs_decay: Some(f64::NAN), ..none },
                "bfsDecay must be a number from 0 to 1",
            ),
            ("a", LimitOverrides { rrf_k: Some(-1.0), ..none }, "rrfK must be a number of 0 or more"),
        ];
        for (query, overrides, message) in cases {
            assert_eq!(check(query, overrides), Err(message.to_owned()));
        }
    }
}
