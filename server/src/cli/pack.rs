//! `kenning pack`: the pack for a task.

use super::args::{PackArgs, PrintArgs};
use super::workspace::AnswerInputs;
use super::{configuration, input, output, workspace};
use crate::answer::{self, QuestionSubject};
use crate::cancel::CancelToken;
use crate::timings::StageTimings;
use kenning_indexing::workspace::Workspace;

/// Prints the pack for the task.
pub fn run_pack(args: &PackArgs) -> anyhow::Result<()> {
    let task = input::read_task(&args.task)?;
    print_pack(&args.print, StageTimings::start_now(), |_| Ok(QuestionSubject::Task(task)))
}

/// Answers one question and prints the pack. `subject` builds the question's subject from the
/// opened workspace.
pub fn print_pack(
    args: &PrintArgs,
    mut timings: StageTimings,
    subject: impl FnOnce(&Workspace) -> anyhow::Result<QuestionSubject>,
) -> anyhow::Result<()> {
    timings.begin_stage("refresh");
    let workspace = workspace::open_for_answer(&args.answer.workspace, args.answer.refresh)?;
    timings.end_stage();
    let config = configuration::effective_config(workspace.root_path()).config;
    let question = workspace::build_question(subject(&workspace)?, &args.answer, &config)?;
    let snapshot = workspace.current_snapshot();
    answer::check_files_indexed(&snapshot, &question.subject)?;
    let inputs = AnswerInputs::read_for_question(&workspace, &question, &config)?;
    let answer = answer::answer_question(
        &snapshot,
        inputs.as_sources(),
        &question,
        &mut timings,
        &CancelToken::default(),
    )?;
    let freshness = workspace::build_freshness(&workspace);
    let format = args.format.unwrap_or(config.pack.format);
    output::print_text(&format.render_pack(&answer, &freshness, args.timings.then_some(&timings))?)
}
