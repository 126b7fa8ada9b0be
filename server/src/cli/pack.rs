//! `kenning pack`: the pack for a task.

use super::args::{PackArgs, PrintArgs};
use super::changes::print_changes;
use super::delivery::{AnswerForms, deliver_answer};
use super::pack_memory::PackMemory;
use super::workspace::AnswerInputs;
use super::{configuration, input, output, workspace};
use crate::answer::{self, AnswerSources, AnsweredPack, PackForm, PackQuestion, QuestionSubject};
use crate::cancel::CancelToken;
use crate::format::delta::{PackReply, choose_reply};
use crate::format::sent_pack::SentPack;
use crate::format::wording::no_match_statement;
use crate::format::{PackFormat, PackView, RenderedPack};
use crate::learning::task_memory::remember_pack;
use crate::terminal::Screen;
use crate::terminal::markdown_view::render_markdown;
use crate::timings::StageTimings;
use anyhow::bail;
use kenning_graph::Snapshot;
use kenning_indexing::workspace::Workspace;

/// Prints the pack for the task, or for the changes since the default branch.
pub fn run_pack(args: &PackArgs) -> anyhow::Result<()> {
    if args.changed {
        return print_changes(&args.print, None);
    }
    let task = if args.stdin { input::read_task(&["-".to_owned()]) } else { input::read_task(&args.task) }?;
    let documents = if args.no_documents { DocumentChoice::None } else { DocumentChoice::Configured };
    let subject = |_: &Workspace| Ok(QuestionSubject::Task(task));
    let printed = print_pack(&args.print, StageTimings::start_now(), documents, subject)?;
    if args.strict && printed == PrintedPack::NothingMatches {
        bail!("nothing in this workspace matches the task");
    }
    Ok(())
}

/// The statement that a printed pack makes about its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintedPack {
    /// The pack contains code that matches the question.
    Matches,
    /// Nothing in the workspace matches the task.
    NothingMatches,
}

/// The documents whose sections a printed pack may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentChoice {
    /// The documents of the option `pack.documents`.
    Configured,
    /// No documents.
    None,
}

/// Answers one question and prints the pack. `subject` builds the question's subject from the
/// opened workspace.
pub fn print_pack(
    args: &PrintArgs,
    mut timings: StageTimings,
    documents: DocumentChoice,
    subject: impl FnOnce(&Workspace) -> anyhow::Result<QuestionSubject>,
) -> anyhow::Result<PrintedPack> {
    timings.begin_stage("refresh");
    let workspace = workspace::open_for_answer(&args.answer.workspace, &args.answer.refresh)?;
    timings.end_stage();
    let config = configuration::effective_config(workspace.root_path()).config;
    let mut question = workspace::build_question(subject(&workspace)?, &args.answer, &config)?;
    if documents == DocumentChoice::None {
        question.documents = None;
    }
    let snapshot = workspace.current_snapshot();
    answer::check_files_indexed(&snapshot, &question.subject)?;
    let inputs = AnswerInputs::read_for_question(&workspace, &question, &config)?;
    let freshness = workspace::build_freshness(&workspace);
    let format = args.chosen_format().unwrap_or(config.pack.format);
    let form = PackForm { format, explain: args.explain };
    let sources = AnswerSources { form: Some(form), ..inputs.as_sources() };
    let answer =
        answer::answer_question(&snapshot, sources, &question, &mut timings, &CancelToken::default())?;
    remember_answer(&workspace, &snapshot, &question, &answer);
    let timings = args.timings.then_some(&timings);
    let view = PackView { answer: &answer, freshness: &freshness, timings, explain: args.explain };
    let answer = format.count_used_tokens(&view)?;
    let view = PackView { answer: &answer, ..view };
    let memory = PackMemory::for_database(&workspace::data_paths(&args.answer.workspace)?);
    let plain = render_reply(args.pack_root.as_deref(), &memory, format, view)?;
    let markdown = match &plain {
        RenderedPack::Text(text) if args.may_be_rendered(format) => text.clone(),
        _ => String::new(),
    };
    let on_screen = |screen: &Screen| render_markdown(&markdown, screen);
    let symbols = answer.pack.symbols.iter().chain(&answer.pack.documents);
    let forms = AnswerForms {
        plain,
        paths: symbols.map(|symbol| symbol.file.as_str()).collect(),
        on_screen: (!markdown.is_empty()).then_some(&on_screen),
    };
    deliver_answer(workspace.root_path(), &args.delivery, forms)?;
    Ok(match no_match_statement(&answer.pack) {
        Some(_) => PrintedPack::NothingMatches,
        None => PrintedPack::Matches,
    })
}

/// Remembers the first symbols of the pack, if the task memory is on. A failure is only a warning,
/// because this pack does not depend on it.
fn remember_answer(
    workspace: &Workspace,
    snapshot: &Snapshot,
    question: &PackQuestion,
    answer: &AnsweredPack,
) {
    if question.no_learning {
        return;
    }
    let memory = workspace.memory_location();
    if let Err(error) = remember_pack(Some(&memory), snapshot, question, &answer.pack) {
        output::print_warning(&format!("the task memory does not remember this pack: {error}"));
    }
}

/// Renders the pack for a reader who may have the pack `known`, and remembers it.
fn render_reply(
    known: Option<&str>,
    memory: &PackMemory,
    format: PackFormat,
    view: PackView<'_>,
) -> anyhow::Result<RenderedPack> {
    if known.is_some() && format == PackFormat::Gcb {
        bail!("the format gcb has no form for a difference; leave out --pack-root, or choose --format gcf");
    }
    let current = SentPack::from_answer(view.answer);
    let base = known.and_then(|root| memory.find_pack(root));
    let reply = choose_reply(known, base.as_ref(), &current, view, format)?;
    if let (Some(root), None, PackReply::Whole) = (known, &base, &reply) {
        output::print_note(&format!("pack {root} is not remembered; this is the whole pack"));
    }
    let rendered = match reply.render(format, &current, &view)? {
        Some(rendered) => rendered,
        None => format.codec().render_pack(&view)?,
    };
    if let Err(error) = memory.record_pack(&current) {
        output::print_warning(&format!("{error}; --pack-root will not know this pack"));
    }
    Ok(rendered)
}
