//! The arguments of `kenning man`.

use clap::Args;
use std::path::PathBuf;

/// The arguments of `kenning man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command whose page is printed, as in `kenning man agents install` [default: the
    /// overview]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
