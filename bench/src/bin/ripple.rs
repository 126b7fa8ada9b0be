//! `ripple`: builds ripple tasks from repositories, with the features of every candidate file.

use anyhow::Context;
use bench::ripple::{FEATURE_NAMES, ripple_tasks};
use clap::Parser;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

/// Build ripple tasks: which other files does a commit edit?
#[derive(Debug, Parser)]
struct Arguments {
    /// The number of tasks per repository
    #[arg(long, default_value_t = 40)]
    tasks: usize,
    /// The file to write: one JSON object per line, the first with the names of the features
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Working trees with their history. Other commits are checked out in them during the run
    #[arg(required = true, value_name = "TREE")]
    trees: Vec<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN).init();
    let file = std::fs::File::create(&arguments.out).with_context(|| arguments.out.display().to_string())?;
    let mut out = BufWriter::new(file);
    writeln!(out, "{}", serde_json::json!({ "measures": FEATURE_NAMES }))?;
    for tree in &arguments.trees {
        ripple_tasks(tree, arguments.tasks, |task| {
            serde_json::to_writer(&mut out, &task)?;
            writeln!(out)?;
            Ok(())
        })?;
        out.flush()?;
    }
    Ok(())
}
