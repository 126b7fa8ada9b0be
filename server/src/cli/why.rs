//! `kenning why`: explains one symbol of the pack for a task, from the trace.

use super::args::WhyArgs;
use super::delivery::print_markdown;
use super::workspace::AnswerInputs;
use super::{configuration, input, target, workspace};
use crate::answer::{self, QuestionSubject};
use crate::cancel::CancelToken;
use crate::format::explanation::{self, ExplanationJson};
use crate::symbol_names::id_text;

/// Prints the reasons for the rank of the symbol in the pack for the task.
pub fn run_why(args: &WhyArgs) -> anyhow::Result<()> {
    let task = input::read_task(&args.task)?;
    let workspace = workspace::open_for_answer(&args.answer.workspace, &args.answer.refresh)?;
    let config = configuration::effective_config(workspace.root_path()).config;
    let question = workspace::build_question(QuestionSubject::Task(task), &args.answer, &config)?;
    let snapshot = workspace.current_snapshot();
    let inputs = AnswerInputs::read_for_question(&workspace, &question, &config)?;
    let target = target::find_targets(&workspace, &snapshot, &args.symbol)?;
    let symbol = id_text(&snapshot, target.symbols[0]);
    let cancel = CancelToken::default();
    let rank_explanation =
        answer::explain_symbol(&snapshot, inputs.as_sources(), &question, &symbol, &cancel)?;
    let report = ExplanationJson::new(&rank_explanation);
    let markdown = || {
        if args.numbers {
            explanation::render_with_numbers(&rank_explanation)
        } else {
            explanation::render_explanation(&rank_explanation)
        }
    };
    print_markdown(workspace.root_path(), args.format, &report, markdown)
}
