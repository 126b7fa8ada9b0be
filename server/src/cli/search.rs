//! `kenning search`: symbols and files that a question is about.

use super::args::SearchArgs;
use super::search_lines::{LineStyle, render_hits, render_paths};
use super::{configuration, input, output, workspace};
use crate::answer::{AnswerSources, QuestionError, workspace_facts};
use crate::cancel::CancelToken;
use crate::format::json;
use crate::format::search::SearchJson;
use crate::format::symbol_locations::NoDocuments;
use crate::ranking_choice::choose_ranking;
use crate::workspace_search::{SearchQuestion, check_question, search_workspace};
use std::sync::Arc;

/// Prints what the search finds.
pub fn run_search(args: &SearchArgs) -> anyhow::Result<()> {
    let query = input::read_words(&args.query, QuestionError::EmptyQuery)?;
    let mut question = SearchQuestion {
        query,
        scope: args.scope.scope(),
        mode: args.mode.mode(),
        overrides: args.limit_overrides(),
        config: Arc::default(),
    };
    check_question(&question)?;
    let opened = workspace::open_for_answer(&args.symbols.workspace, args.symbols.refresh)?;
    let config = configuration::effective_config(opened.root_path()).config;
    question.config = Arc::new(choose_ranking(None, &config));
    let snapshot = opened.current_snapshot();
    let text = opened.text_source();
    let facts = workspace_facts(&opened.current_project(), &config);
    let history = workspace::load_history(&opened, &config)?;
    let sources = AnswerSources {
        text: Some(&text),
        workspace: Some(&facts),
        history: history.as_ref(),
        ..AnswerSources::default()
    };
    let (root, exclude) = (opened.root_path(), &config.index.exclude);
    let found = search_workspace(root, exclude, &snapshot, sources, &question, &CancelToken::default())?;
    let freshness = workspace::build_freshness(&opened);
    let answer = SearchJson::new(&question.query, &found, &snapshot, &freshness, &NoDocuments);
    if args.json {
        return output::print_text(&json::render_json(&answer)?);
    }
    let style = LineStyle::choose(args.color, root);
    output::print_text(&if args.paths_only {
        render_paths(&answer, &style)
    } else {
        render_hits(&answer, &style)
    })
}
