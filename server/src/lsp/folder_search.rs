//! The search in a folder of the session, for the command and for `workspace/symbol`.

use super::to_proto;
use crate::answer::{AnswerSources, QuestionError, workspace_facts};
use crate::cancel::CancelToken;
use crate::config::Config;
use crate::knowledge::KnowledgeFolder;
use crate::session::{FolderState, ServedFolder};
use crate::vectors::VectorReadiness;
use crate::workspace_search::{
    FoundItems, SearchQuestion, SearchedKnowledge, SearchedWorkspace, search_workspace,
};
use kenning_retrieval::search::SearchMode;
use tower_lsp::jsonrpc::Result;

/// Searches one state of a folder. Lists the files of the folder, so call it on a blocking thread.
///
/// # Errors
/// Returns `InvalidParams` if the question is not valid, and `RequestCancelled` if it was
/// cancelled.
pub fn search_folder(
    folder: &ServedFolder,
    state: &FolderState,
    config: &Config,
    question: &SearchQuestion,
    cancel: &CancelToken,
) -> Result<FoundItems> {
    let facts = workspace_facts(&state.project, config);
    let readiness = match question.mode {
        SearchMode::Keyword => VectorReadiness::Off,
        SearchMode::Hybrid => folder.vectors_if_ready(state, config, cancel),
        SearchMode::Vector => folder
            .current_vectors(state, config, cancel)
            .map_err(|error| to_proto::question_error(&QuestionError::NoVectors(error.to_string())))?
            .map_or(VectorReadiness::Off, VectorReadiness::Ready),
    };
    let vectors_pending = readiness.is_pending();
    let vectors = readiness.into_vectors();
    let sources = AnswerSources {
        vectors: vectors.as_deref(),
        text: state.text.as_deref(),
        workspace: Some(&facts),
        history: state.history.as_deref(),
        ..AnswerSources::default()
    };
    let root = folder.root_path();
    let knowledge = KnowledgeFolder::open_configured(root, &config.knowledge.folder).ok().map(|opened| {
        let known = folder.knowledge_cache().read_current(&opened, root, state);
        SearchedKnowledge { folder: opened, entries: known.base.entries.clone() }
    });
    let searched = SearchedWorkspace {
        root,
        exclude: &config.index.exclude,
        snapshot: &state.snapshot,
        sources,
        knowledge: knowledge.as_ref(),
    };
    let found = search_workspace(&searched, question, cancel);
    let found = found.map_err(|error| to_proto::question_error(&error))?;
    Ok(FoundItems { vectors_pending, ..found })
}
