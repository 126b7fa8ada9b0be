//! The command line: arguments in, one result on standard output, one exit status.

mod args;
mod blast;
mod changes;
mod completions;
mod configuration;
mod debug;
mod doctor;
mod enrich;
mod eval;
mod files;
mod forget;
mod graph;
mod index;
mod input;
mod logging;
mod man;
mod output;
mod pack;
mod panics;
mod progress;
mod serve;
mod status;
mod target;
mod tests;
mod trust;
mod why;
mod workspace;

pub use args::{Cli, Command};

use crate::log::ClientLog;
use clap::Parser;
use std::process::ExitCode;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    // Clap itself ends the process: 0 after help and version, 2 on wrong usage.
    let cli = Cli::parse();
    let log = logging::start(&cli);
    panics::install_hook(matches!(cli.command, Command::Serve(_)));
    let result = panics::catch(|| run(cli, log)).unwrap_or_else(|internal| Err(internal.into()));
    result.unwrap_or_else(|error| {
        output::failure(&error);
        ExitCode::FAILURE
    })
}

fn run(cli: Cli, log: Option<ClientLog>) -> anyhow::Result<ExitCode> {
    let verbose = cli.verbose;
    match cli.command {
        Command::Serve(args) => return serve::run(args, log),
        Command::Doctor(args) => return doctor::run(&args),
        Command::Index(args) => index::run(&args, verbose),
        Command::Pack(args) => pack::run(&args),
        Command::Files(args) => files::run(&args),
        Command::Changes(args) => changes::run(&args),
        Command::Blast(args) => blast::run(&args),
        Command::Tests(args) => tests::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Why(args) => why::run(&args),
        Command::Debug(args) => debug::run(&args),
        Command::Forget(args) => forget::run(&args),
        Command::Enrich(args) => enrich::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Config(args) => configuration::run(&args),
        Command::Trust(args) => trust::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man => man::run(),
    }?;
    Ok(ExitCode::SUCCESS)
}
