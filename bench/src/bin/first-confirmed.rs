//! `first-confirmed`: measures the time from opening a file until the language server on `PATH`
//! confirms its first edge.

use bench::confirmed::{measure, to_markdown};
use bench::speed::{describe_machine, last_two_names};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// Time how long a language server takes to confirm the first edge of an opened file
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure [default: kenning next to this program]
    #[arg(long, value_name = "FILE")]
    kenning: Option<PathBuf>,
    /// Extension of the files to open, such as `go`
    #[arg(long)]
    extension: String,
    /// Number of files to open, spread over the tree
    #[arg(long, default_value_t = 8)]
    files: usize,
    /// The tree to open
    root: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Arguments { kenning, extension, files, root } = Arguments::parse();
    let kenning = match kenning {
        Some(path) => path,
        None => std::env::current_exe()?.with_file_name(format!("kenning{}", std::env::consts::EXE_SUFFIX)),
    };
    let measured = measure(&kenning, &root, &extension, files)?;
    let command =
        format!("first-confirmed --extension {extension} --files {files} {}", last_two_names(&root));
    std::io::stdout().write_all(to_markdown(&measured, &command, &describe_machine()).as_bytes())?;
    Ok(())
}
