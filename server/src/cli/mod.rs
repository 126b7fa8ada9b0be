//! The command line: arguments in, one result on standard output and one exit status out.
//!
//! `main` parses the arguments (`args`), starts logging (`logging`), and runs one command. Each
//! command has its own file. Most of them take the same four steps: open the workspace and bring
//! its index up to date with the disk (`workspace`), build a question from the arguments and the
//! effective configuration (`configuration`), answer it from one snapshot, and deliver the rendered
//! answer (`delivery`, `output`).
//!
//! Invariants: standard output carries only the result, or the protocol in `kenning serve` and
//! `kenning mcp`. Warnings, logs and progress go to standard error. The exit status is 0 for
//! success, 1 for a failure with one line that explains it, 2 for wrong usage, and 3 if
//! `kenning tests --run` has nothing to run. A panic ends a command like any other error (`panics`).

mod agents;
mod agents_hook;
mod args;
mod blast;
mod cache;
mod changes;
mod completions;
mod configuration;
mod debug;
mod delivery;
mod doctor;
mod editor_texts;
mod enrich;
mod eval;
mod feedback;
mod files;
mod forget;
mod graph;
mod help_examples;
mod help_layout;
mod index;
mod input;
mod knowledge;
mod logging;
mod man;
mod mcp;
mod new_index;
mod output;
mod pack;
mod pack_memory;
mod panics;
mod progress;
mod root_guard;
mod runs;
mod search;
mod serve;
mod status;
mod symbol_completion;
mod target;
mod task_words;
mod tests;
mod trust;
mod why;
mod workspace;
mod workspace_root;

pub use args::{Cli, Command};

use crate::log::ClientLog;
use clap::FromArgMatches;
use kenning_indexing::reader_threads::{configure_reader_pool, run_on_reader_stack};
use std::process::ExitCode;

/// The exit status for wrong usage.
const WRONG_USAGE: u8 = 2;

/// Runs the command that the process was started with and returns its exit status.
pub fn main() -> ExitCode {
    // Until there is a log, a panic prints nothing. Its message may contain text of a workspace.
    panics::install_hook(false);
    completions::answer_shell();
    let mut command = help_examples::command_with_examples();
    let arguments = task_words::separate_task_words(&mut command, std::env::args_os().collect());
    let parsed = command.try_get_matches_from_mut(arguments);
    let parsed = parsed
        .and_then(|matches| Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command)));
    let cli = match parsed {
        Ok(cli) => cli,
        // The status is 0 after help and version, and 2 on wrong usage.
        Err(usage) => return output::print_usage(&usage),
    };
    delivery::choose_terminal(cli.terminal);
    let log = logging::start_logging(&cli);
    panics::install_hook(matches!(cli.command, Command::Serve(_)));
    configure_reader_pool();
    let result = panics::catch_panic(|| run_on_reader_stack(|| run_command(cli, log)))
        .unwrap_or_else(|internal| Err(internal.into()));
    result.unwrap_or_else(|error| {
        output::print_failure(&error);
        if error.is::<root_guard::RefusedRoot>() { ExitCode::from(WRONG_USAGE) } else { ExitCode::FAILURE }
    })
}

fn run_command(cli: Cli, log: Option<ClientLog>) -> anyhow::Result<ExitCode> {
    let verbose = cli.verbose;
    match cli.command {
        Command::Serve(args) => return serve::run_serve(args, log),
        Command::Mcp(args) => mcp::run_mcp(args),
        Command::Doctor(args) => return doctor::run_doctor(&args, verbose),
        Command::Index(args) => index::run_index(&args, verbose),
        Command::Pack(args) => pack::run_pack(&args),
        Command::Search(args) => search::run_search(&args),
        Command::Files(args) => files::run_files(&args),
        Command::Changes(args) => changes::run_changes(&args),
        Command::Blast(args) => blast::run_blast(&args),
        Command::Tests(args) => return tests::run_tests(&args),
        Command::Graph(args) => graph::run_graph(&args),
        Command::Why(args) => why::run_why(&args),
        Command::Debug(args) => debug::run_debug(&args),
        Command::Feedback(args) => feedback::run_feedback(&args),
        Command::Forget(args) => forget::run_forget(&args),
        Command::Runs(args) => runs::run_runs(&args),
        Command::Note(args) => knowledge::run_note(&args),
        Command::Task(args) => knowledge::run_task(&args),
        Command::Skill(args) => knowledge::run_skill(&args),
        Command::Agents(args) => agents::run_agents(&args),
        Command::Enrich(args) => enrich::run_enrich(&args),
        Command::Status(args) => status::run_status(&args, verbose),
        Command::Cache(args) => cache::run_cache(&args),
        Command::Config(args) => configuration::run_config(&args),
        Command::Trust(args) => trust::run_trust(&args),
        Command::Eval(args) => eval::run_eval(&args),
        Command::Completions(args) => completions::run_completions(&args),
        Command::Man(args) => man::run_man(&args),
    }?;
    Ok(ExitCode::SUCCESS)
}
