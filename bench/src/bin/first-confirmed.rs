//! `first-confirmed`: times how soon the first edge of an opened file is confirmed by the language server on `PATH`.

use bench::confirmed::{markdown, measure};
use bench::speed::{last, machine};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// Time from opening a file to its first edge that a language server confirmed
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure [default: kenning beside this program]
    #[arg(long, value_name = "FILE")]
    kenning: Option<PathBuf>,
    /// Ending of the files to open, as `go`
    #[arg(long)]
    ending: String,
    /// How many of them, spread over the tree
    #[arg(long, default_value_t = 8)]
    files: usize,
    /// The tree to open
    root: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Arguments { kenning, ending, files, root } = Arguments::parse();
    let kenning = match kenning {
        Some(path) => path,
        None => std::env::current_exe()?.with_file_name(format!("kenning{}", std::env::consts::EXE_SUFFIX)),
    };
    let measured = measure(&kenning, &root, &ending, files)?;
    let command = format!("first-confirmed --ending {ending} --files {files} {}", last(&root));
    std::io::stdout().write_all(markdown(&measured, &command, &machine()).as_bytes())?;
    Ok(())
}
