//! `kenning tests`: the tests that reach changed code.

use super::args::TestsArgs;
use super::delivery::{AnswerForms, deliver_answer};
use super::{changes, configuration, files, output, workspace};
use crate::answer;
use crate::change::WorkspaceChange;
use crate::format::affected::{AffectedJson, FoundTests, MAX_LISTED, TestsSubject};
use crate::format::symbol_locations::NoDocuments;
use crate::format::{OutputFormat, RenderedPack, json};
use crate::terminal::Screen;
use crate::test_commands::TestCommands;
use std::process::ExitCode;

/// The exit status of `--run` if there is no command to print.
const NOTHING_TO_RUN: u8 = 3;

/// Prints the tests that reach the named files, or the change since the base. With `--run`, returns
/// the exit status 3 if there is nothing to run.
pub fn run_tests(args: &TestsArgs) -> anyhow::Result<ExitCode> {
    let paths = files::workspace_paths(&args.symbols.workspace.root, &args.files)?;
    let workspace = workspace::open_for_answer(&args.symbols.workspace, &args.symbols.refresh)?;
    let snapshot = workspace.current_snapshot();
    let change: WorkspaceChange;
    let subject = if paths.is_empty() {
        change = changes::changes_since(&workspace, args.base.as_deref())?;
        TestsSubject::Change(&change)
    } else {
        TestsSubject::Files(&paths)
    };
    let is_incomplete = false;
    let (targets, tests) = answer::find_affected_tests(&snapshot, subject, is_incomplete)?;
    let freshness = workspace::build_freshness(&workspace);
    let config = configuration::effective_config(workspace.root_path()).config;
    let history = workspace::load_history(&workspace, &config)?;
    let commands = TestCommands::for_workspace(workspace.root_path(), &workspace.current_project());
    let (targets, tests, history) = (&targets[..], &tests, history.as_ref());
    let found = FoundTests { targets, tests, commands: &commands, history };
    let answer = AffectedJson::new(&snapshot, subject, found, &freshness, &NoDocuments);
    if args.run
        && let Some(reason) = answer.describe_missing_commands(subject)
    {
        output::print_note(&reason);
        return Ok(ExitCode::from(NOTHING_TO_RUN));
    }
    let plain = match args.format.chosen_format() {
        _ if args.run => answer.render_commands(),
        OutputFormat::Markdown => answer.render_markdown(subject, MAX_LISTED),
        OutputFormat::Json => json::render_json(&answer)?,
    };
    if let Some(sentence) = answer.describe_left_out().filter(|_| args.run) {
        output::print_note(&sentence);
    }
    let on_screen = |screen: &Screen| answer.render_screen(subject, screen);
    let forms = AnswerForms {
        plain: RenderedPack::Text(plain),
        paths: answer.test_paths(),
        on_screen: (!args.run && !args.format.is_explicit()).then_some(&on_screen),
    };
    deliver_answer(workspace.root_path(), &args.delivery, forms)?;
    Ok(ExitCode::SUCCESS)
}
