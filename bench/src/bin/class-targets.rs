//! `class-targets`: checks that the frameworks' own sources define the targets of their equivalence
//! classes (phrases of tasks with the names in code that they stand for).

use anyhow::Context;
use bench::class_targets::{check_frameworks, to_csv};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// Look up the targets of the equivalence classes in the frameworks' own sources
#[derive(Debug, Parser)]
struct Arguments {
    /// A folder with a sub-folder for each framework, named by its id: flask, spark-java
    #[arg(long, value_name = "DIR")]
    sources: PathBuf,
    /// Folder for the indexes, one sub-folder per framework
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    /// File to write the table to
    #[arg(long, value_name = "FILE", default_value = "bench/results/class-targets.csv")]
    csv: PathBuf,
    /// Exit with an error when a target is missing
    #[arg(long)]
    strict: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut out = std::io::stdout();
    let mut missing = 0;
    let checked = check_frameworks(&arguments.sources, arguments.db.as_deref(), &mut |result| {
        missing += result.missing.len();
        let _ =
            writeln!(out, "{}: {} found, {} missing", result.framework, result.found, result.missing.len());
        for (class, target) in &result.missing {
            let _ = writeln!(out, "  {class}: {target}");
        }
    })?;
    let text = to_csv(&checked, "class-targets --sources <folder with the frameworks' sources>");
    std::fs::write(&arguments.csv, text).with_context(|| arguments.csv.display().to_string())?;
    anyhow::ensure!(!arguments.strict || missing == 0, "missing targets: {missing}");
    Ok(())
}
