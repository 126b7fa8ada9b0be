//! The arguments for the destination of an answer and its look in a terminal.

use clap::{Args, ColorChoice};
use std::path::PathBuf;

/// The look of answers in a terminal, the same for all commands.
#[derive(Clone, Copy, Debug, Args)]
pub struct TerminalArgs {
    /// When to use colors and links [default: auto, which follows NO_COLOR and CLICOLOR_FORCE]
    #[arg(
        long,
        value_enum,
        default_value_t = ColorChoice::Auto,
        value_name = "WHEN",
        global = true,
        hide_default_value = true
    )]
    pub color: ColorChoice,
    /// Print long answers at once (KENNING_PAGER and PAGER choose the pager)
    #[arg(long, global = true)]
    pub no_pager: bool,
}

/// The destination of an answer.
#[derive(Clone, Debug, Default, Args)]
pub struct DeliveryArgs {
    /// Print only the paths of the files, each once
    #[arg(long = "paths-only", short = 'l', conflicts_with = "json")]
    pub paths_only: bool,
    /// Write the answer in its plain form to this file, which is replaced as a whole; - is standard
    /// output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Copy the answer to the clipboard instead of printing it
    #[arg(long)]
    pub copy: bool,
}
