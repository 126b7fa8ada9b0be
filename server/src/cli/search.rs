//! `kenning search`: symbols and files that match a query.

use super::args::SearchArgs;
use super::delivery::{AnswerForms, deliver_answer};
use super::{configuration, input, workspace};
use crate::answer::{AnswerSources, QuestionError, workspace_facts};
use crate::cancel::CancelToken;
use crate::format::search::SearchJson;
use crate::format::search_lines::{hit_paths, render_hits};
use crate::format::symbol_locations::NoDocuments;
use crate::format::{RenderedPack, json};
use crate::freshness::Freshness;
use crate::knowledge::KnowledgeFolder;
use crate::ranking_choice::choose_ranking;
use crate::terminal::Screen;
use crate::workspace_search::{
    SearchQuestion, SearchedKnowledge, SearchedWorkspace, check_question, search_workspace,
};
use kenning_retrieval::search::SearchMode;
use std::sync::Arc;

/// Prints the results of the search.
pub fn run_search(args: &SearchArgs) -> anyhow::Result<()> {
    let query = input::read_words(&args.query, QuestionError::EmptyQuery)?;
    let mut question = SearchQuestion {
        query,
        scope: args.scope,
        mode: args.mode.mode(),
        overrides: args.limit_overrides(),
        config: Arc::default(),
    };
    check_question(&question)?;
    let opened = workspace::open_for_answer(&args.symbols.workspace, &args.symbols.refresh)?;
    let config = configuration::effective_config(opened.root_path()).config;
    question.config = Arc::new(choose_ranking(None, &config));
    let snapshot = opened.current_snapshot();
    let text = opened.text_source();
    let facts = workspace_facts(&opened.current_project(), &config);
    let history = workspace::load_history(&opened, &config)?;
    let vectors = match question.mode {
        SearchMode::Keyword => None,
        SearchMode::Vector => workspace::load_vectors(&opened, config.vectors.model.as_deref())?,
        SearchMode::Hybrid => workspace::load_vectors_if_usable(&opened, &config),
    };
    let sources = AnswerSources {
        vectors: vectors.as_deref(),
        text: Some(&text),
        workspace: Some(&facts),
        history: history.as_ref(),
        ..AnswerSources::default()
    };
    let root = opened.root_path();
    let knowledge = match config.knowledge.folder.as_str() {
        "" => None,
        folder => {
            let folder = KnowledgeFolder::open_configured(root, folder)?;
            let entries = folder.read_base(&|_| None).entries;
            Some(SearchedKnowledge { folder, entries })
        }
    };
    let searched = SearchedWorkspace {
        root,
        exclude: &config.index.exclude,
        snapshot: &snapshot,
        sources,
        knowledge: knowledge.as_ref(),
    };
    let found = search_workspace(&searched, &question, &CancelToken::default())?;
    let freshness = workspace::build_freshness(&opened);
    let history_pending = freshness.history_pending && question.uses_history();
    let freshness = Freshness { history_pending, ..freshness };
    let answer = SearchJson::new(&question.query, &found, &snapshot, &freshness, &NoDocuments);
    let plain = if args.json { json::render_json(&answer)? } else { render_hits(&answer, &Screen::plain()) };
    let on_screen = |screen: &Screen| render_hits(&answer, screen);
    let forms = AnswerForms {
        plain: RenderedPack::Text(plain),
        paths: hit_paths(&answer),
        on_screen: (!args.json).then_some(&on_screen),
    };
    deliver_answer(root, &args.delivery, forms)
}
