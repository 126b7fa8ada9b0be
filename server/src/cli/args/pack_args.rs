//! The arguments of the commands that print a pack: `kenning pack`, `kenning files` and
//! `kenning changes`.

use super::{AnswerArgs, DeliveryArgs};
use crate::format::PackFormat;
use crate::format::sent_pack::MIN_ROOT_DIGITS;
use crate::hash_prefix::HashPrefix;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `kenning pack`.
#[derive(Debug, Args)]
pub struct PackArgs {
    /// The task in words, or - to read it from standard input
    #[arg(required_unless_present_any = ["stdin", "changed"], value_name = "TASK")]
    pub task: Vec<String>,
    /// Read the task from standard input
    #[arg(long, conflicts_with = "task")]
    pub stdin: bool,
    /// Print the code that matters for the change since the default branch, as `kenning changes`
    /// prints it
    #[arg(long, conflicts_with_all = ["task", "stdin", "strict", "no_documents"])]
    pub changed: bool,
    /// Exit with status 1 if nothing in the workspace matches the task
    #[arg(long)]
    pub strict: bool,
    /// Add no sections of documents, whatever the value of `pack.documents`
    #[arg(long)]
    pub no_documents: bool,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// The arguments of `kenning files`.
#[derive(Debug, Args)]
pub struct FilesArgs {
    /// Files of the workspace
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// The arguments of `kenning changes`.
#[derive(Debug, Args)]
pub struct ChangesArgs {
    /// Compare with the merge base of this revision and HEAD [default: the remote's default branch,
    /// main or master, else HEAD]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// The options of all commands that print a pack.
#[derive(Clone, Debug, Args)]
pub struct PrintArgs {
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Format of the result [default: the option pack.format, else markdown; in a terminal,
    /// Markdown without its marks]
    #[arg(long, value_enum)]
    pub format: Option<PackFormat>,
    /// Print JSON; the same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Add the reasons for the ranking: score components, channels, evidence, whole ids (Markdown,
    /// XML and JSON), and the weak candidates of a task that nothing in the workspace matches
    #[arg(long)]
    pub explain: bool,
    /// The root of a pack that the reader has: print only the differences, or a note that nothing
    /// changed. The answer is the whole pack if most of it changed, or if that root is not one of
    /// the last 16 of the workspace
    #[arg(long, value_name = "ROOT", value_parser = parse_pack_root)]
    pub pack_root: Option<String>,
    /// Add the time that each stage took (JSON only)
    #[arg(long)]
    pub timings: bool,
    #[command(flatten)]
    pub delivery: DeliveryArgs,
}

/// Parses the root of a pack: at least 12 hexadecimal digits, or the root in a GCF text.
fn parse_pack_root(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    match HashPrefix::parse(digits, MIN_ROOT_DIGITS) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!(
            "it is not the root of a pack; pass the {MIN_ROOT_DIGITS} digits that the pack shows, or pack_root= of a \
             GCF text"
        )),
    }
}

impl PrintArgs {
    /// Returns the format that the arguments choose; `None` for the format of the options.
    pub fn chosen_format(&self) -> Option<PackFormat> {
        if self.json { Some(PackFormat::Json) } else { self.format }
    }

    /// Whether the pack is shown to a person if standard output is a terminal.
    pub fn may_be_rendered(&self, format: PackFormat) -> bool {
        self.chosen_format().is_none() && format == PackFormat::Markdown
    }
}
