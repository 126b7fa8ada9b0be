//! `kenning man`: the manual page.

use super::{Cli, output};
use clap::CommandFactory;

/// Prints the page in roff: the commands together, then each with its flags.
pub fn run() -> anyhow::Result<()> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let name = sub.get_display_name().unwrap_or_else(|| sub.get_name()).to_owned();
        clap_mangen::Man::new(sub.clone().name(name)).render(&mut page)?;
    }
    output::print(&String::from_utf8_lossy(&page))
}
