//! `kenning completions`: completion scripts for shells. The scripts ask this program, so that they
//! also complete the symbols of the workspace.

use super::args::CompletionsArgs;
use super::{Cli, output};
use anyhow::Context;
use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::env::Shells;

/// The environment variable with which a script asks for completions.
const COMPLETION_VARIABLE: &str = "KENNING_COMPLETE";

/// Answers a completion script and ends the process if such a script has started it.
pub fn answer_shell() {
    CompleteEnv::with_factory(Cli::command)
        .var(COMPLETION_VARIABLE)
        .bin("kenning")
        .completer("kenning")
        .complete();
}

/// Prints the completion script for a shell.
pub fn run_completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let name = args.shell.to_string();
    let shells = Shells::builtins();
    let shell = shells.completer(&name).with_context(|| format!("{name} cannot be completed"))?;
    let mut script = Vec::new();
    shell
        .write_registration(COMPLETION_VARIABLE, "kenning", "kenning", "kenning", &mut script)
        .context("cannot write the script")?;
    output::print_text(&String::from_utf8_lossy(&script))
}
