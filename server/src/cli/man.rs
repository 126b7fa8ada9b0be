//! `kenning man`: the manual page.

use super::{Cli, output};
use clap::CommandFactory;

/// Prints the manual page in roff: an overview of all commands, then each command with its flags.
pub fn run_man() -> anyhow::Result<()> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        clap_mangen::Man::new(sub.clone()).render(&mut page)?;
    }
    output::print_text(&String::from_utf8_lossy(&page))
}
