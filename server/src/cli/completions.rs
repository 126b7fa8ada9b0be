//! `kenning completions`: completion scripts for shells.

use super::args::CompletionsArgs;
use super::{Cli, output};
use clap::CommandFactory;

/// Prints the completion script for a shell.
pub fn run_completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kenning", &mut script);
    output::print_text(&String::from_utf8_lossy(&script))
}
