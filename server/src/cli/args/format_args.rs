//! The choice of an output format.

use crate::format::OutputFormat;
use clap::Args;

/// The format of an answer.
#[derive(Clone, Copy, Debug, Args)]
pub struct FormatArgs {
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Print JSON; the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArgs {
    /// Returns the format that the arguments choose.
    pub fn chosen_format(self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.format }
    }
}
