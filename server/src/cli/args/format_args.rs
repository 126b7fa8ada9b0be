//! The choice of an output format.

use crate::format::OutputFormat;
use clap::Args;

/// The format of an answer.
#[derive(Clone, Copy, Debug, Args)]
pub struct FormatArgs {
    /// Format of the result [default: markdown; in a terminal, a form without its marks]
    #[arg(long, value_enum)]
    format: Option<OutputFormat>,
    /// Print JSON; the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArgs {
    /// Returns the format that the arguments choose.
    pub fn chosen_format(self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { self.format.unwrap_or_default() }
    }

    /// Whether the arguments name a format. A terminal then shows that format unchanged.
    pub fn is_explicit(self) -> bool {
        self.json || self.format.is_some()
    }
}
