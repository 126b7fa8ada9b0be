//! The single entry point to the search: takes a question and a snapshot of the workspace, and
//! returns hits.
//!
//! The command line, the language server's command and `workspace/symbol` all use this module. It
//! checks the question, searches the graph and the files that are not in it, searches the entries
//! of the knowledge folder, and leaves out the sections of these entries among the hits of the
//! graph.

use crate::answer::{AnswerSources, QuestionError, StageTimer, SymbolBodies};
use crate::cancel::CancelToken;
use crate::knowledge::{
    KnowledgeEntry, KnowledgeError, KnowledgeFolder, LinkLimits, RecallLimits, add_linked_entries,
    search_entries,
};
use crate::timings::StageTimings;
use crate::vectors::ReadyVectors;
use clap::ValueEnum;
use kenning_graph::Snapshot;
use kenning_indexing::walk::list_files;
use kenning_retrieval::search::{
    LimitOverrides, SearchAnswer, SearchLimits, SearchMode, SearchRequest, SearchScope, SearchTarget,
};
use kenning_retrieval::{Analysis, RankConfig, WorkspaceFacts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// The kinds of items to search, as users name them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchScopeName {
    /// Symbols of source files.
    Code,
    /// Sections of documents.
    Docs,
    /// Whole files of every kind.
    Files,
    /// Notes, tasks and skills.
    Knowledge,
    /// Everything.
    #[default]
    All,
}

impl SearchScopeName {
    /// Returns the part of the graph to search; `None` if the graph is not searched.
    const fn graph_scope(self) -> Option<SearchScope> {
        match self {
            Self::Code => Some(SearchScope::Code),
            Self::Docs => Some(SearchScope::Docs),
            Self::Files => Some(SearchScope::Files),
            Self::All => Some(SearchScope::All),
            Self::Knowledge => None,
        }
    }

    const fn includes_knowledge(self) -> bool {
        matches!(self, Self::Knowledge | Self::All)
    }
}

/// The way in which a search ranks, as users name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchModeName {
    /// By words, names, places, history and the graph, and by meaning if `vectors.model` is set.
    #[default]
    Hybrid,
    /// By words alone.
    Keyword,
    /// By meaning alone, if `vectors.model` is set.
    Vector,
}

impl SearchModeName {
    /// Returns the mode of the search in `retrieval`.
    pub const fn mode(self) -> SearchMode {
        match self {
            Self::Hybrid => SearchMode::Hybrid,
            Self::Keyword => SearchMode::Keyword,
            Self::Vector => SearchMode::Vector,
        }
    }
}

/// A question to the search.
#[derive(Clone, Debug)]
pub struct SearchQuestion {
    /// The question: words, a name, or the name of a file.
    pub query: String,
    /// The kinds of things to search.
    pub scope: SearchScopeName,
    /// The way of ranking.
    pub mode: SearchMode,
    /// The limits that differ from those of the scope.
    pub overrides: LimitOverrides,
    /// The ranking configuration.
    pub config: Arc<RankConfig>,
}

impl SearchQuestion {
    /// Whether the ranking uses the commits of the repository.
    pub fn uses_history(&self) -> bool {
        self.scope.graph_scope().is_some()
            && match self.mode {
                SearchMode::Hybrid => true,
                SearchMode::Keyword => self.config.text.file_activity > 0.0,
                SearchMode::Vector => false,
            }
    }
}

/// Checks the parts of a question that do not depend on a workspace.
///
/// # Errors
/// Returns `QuestionError::EmptyQuery` if the query is blank, and `QuestionError::BadLimit` with
/// the name of a limit that is out of its range.
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

/// The workspace of a search.
pub struct SearchedWorkspace<'a> {
    /// The root, whose files are listed.
    pub root: &'a Path,
    /// The patterns of files that are left out.
    pub exclude: &'a [String],
    /// The graph.
    pub snapshot: &'a Snapshot,
    /// The inputs of the ranking besides the graph.
    pub sources: AnswerSources<'a>,
    /// The notes, tasks and skills; `None` if the workspace has no folder for them.
    pub knowledge: Option<&'a SearchedKnowledge>,
}

/// The notes, tasks and skills of a workspace.
pub struct SearchedKnowledge {
    /// The folder that holds the entries.
    pub folder: KnowledgeFolder,
    /// The entries of the folder.
    pub entries: Vec<KnowledgeEntry>,
}

/// The results of a search.
#[derive(Clone, Debug, Default)]
pub struct FoundItems {
    /// The symbols, sections and files, best first.
    pub answer: SearchAnswer,
    /// The notes, tasks and skills with their scores, best first.
    pub entries: Vec<(KnowledgeEntry, f64)>,
    /// Maximum number of results of both lists together.
    pub max_results: usize,
    /// Whether vectors are missing because they are not computed yet.
    pub vectors_pending: bool,
}

/// Searches a workspace.
///
/// # Errors
/// Returns an error if the question is not valid, if its scope is knowledge and the workspace has
/// no folder for it, if its mode needs vectors that the workspace does not have, or if the search
/// is canceled.
pub fn search_workspace(
    workspace: &SearchedWorkspace<'_>,
    question: &SearchQuestion,
    cancel: &CancelToken,
) -> Result<FoundItems, QuestionError> {
    check_question(question)?;
    let graph_scope = question.scope.graph_scope();
    if graph_scope.is_none() && workspace.knowledge.is_none() {
        return Err(QuestionError::NoKnowledge(KnowledgeError::Off.to_string()));
    }
    if question.mode == SearchMode::Vector && workspace.sources.vectors.is_none() {
        return Err(QuestionError::NoVectors(NO_VECTORS.to_owned()));
    }
    let limits = SearchLimits::for_scope(graph_scope.unwrap_or_default()).with_overrides(question.overrides);
    let mut found = FoundItems { max_results: limits.max_results, ..FoundItems::default() };
    if let Some(scope) = graph_scope {
        found.answer = search_graph(workspace, question, scope, cancel)?;
    }
    if let Some(knowledge) = workspace.knowledge {
        drop_entry_sections(workspace.snapshot, &knowledge.folder, &mut found.answer);
        if question.scope.includes_knowledge() {
            found.entries = find_entries(&question.query, &knowledge.entries, limits);
        }
    }
    Ok(found)
}

/// Returns the entries that a question is about, and the entries that are linked to the best of
/// them.
fn find_entries(query: &str, entries: &[KnowledgeEntry], limits: SearchLimits) -> Vec<(KnowledgeEntry, f64)> {
    let SearchLimits { top_k, bfs_depth, max_results, min_score, bfs_decay, .. } = limits;
    let found = search_entries(query, entries, RecallLimits { max_entries: max_results, min_score });
    let links = LinkLimits { top_k, depth: bfs_depth, decay: bfs_decay, min_score, max_entries: max_results };
    let all = add_linked_entries(found, entries, links);
    all.into_iter().map(|recalled| (recalled.entry.clone(), recalled.score)).collect()
}

/// The error message for a search by vectors alone in a workspace without vectors.
const NO_VECTORS: &str = "the mode vector needs a model; set vectors.model to the folder of a model2vec model \
                          (docs/vectors.md), or use the mode hybrid";

/// Removes the sections and files of entries, because the results list entries separately.
fn drop_entry_sections(snapshot: &Snapshot, folder: &KnowledgeFolder, answer: &mut SearchAnswer) {
    answer.hits.retain(|hit| {
        let path = match &hit.target {
            SearchTarget::Symbol(symbol) => snapshot.symbol(*symbol).map(|symbol| symbol.path),
            SearchTarget::File(file) => snapshot.file(*file).map(|file| file.path),
            SearchTarget::OtherFile(path) => Some(path.as_str()),
        };
        path.is_none_or(|path| folder.entry_of_path(path).is_none())
    });
}

fn search_graph(
    workspace: &SearchedWorkspace<'_>,
    question: &SearchQuestion,
    scope: SearchScope,
    cancel: &CancelToken,
) -> Result<SearchAnswer, QuestionError> {
    let SearchedWorkspace { root, exclude, snapshot, sources, .. } = *workspace;
    let bodies = SymbolBodies(sources.text);
    let analysis = Analysis {
        workspace: sources.workspace.unwrap_or(WorkspaceFacts::EMPTY),
        history: sources.history,
        vectors: sources.vectors.map(ReadyVectors::as_search),
        ..Analysis::new(snapshot, &question.config, &bodies)
    };
    let request = SearchRequest {
        query: question.query.clone(),
        scope,
        mode: question.mode,
        overrides: question.overrides,
    };
    let list_others = || find_other_files(root, exclude, snapshot);
    let mut timings = StageTimings::start_now();
    Ok(analysis.search_workspace(
        &request,
        &list_others,
        &mut StageTimer { timings: &mut timings, cancel },
    )?)
}

/// Returns the files of the workspace that are not in the graph. They are listed again for every
/// question, because nothing reports changes to them.
fn find_other_files(root: &Path, exclude: &[String], snapshot: &Snapshot) -> Vec<String> {
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
        let (scope, mode, config) = (SearchScopeName::Code, SearchMode::Hybrid, Arc::default());
        let question = SearchQuestion { query: query.to_owned(), scope, mode, overrides, config };
        check_question(&question).map_err(|error| error.to_string())
    }

    #[test]
    fn invalid_questions_return_an_error_with_the_cause() {
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
