//! `index-speed`: measures how long the built `kenning` takes to index repositories and to answer
//! tasks.

use anyhow::Context;
use bench::speed::{
    IndexMeasurement, describe_machine, last_two_names, measure_repository, to_csv, to_markdown,
};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// Time how long the built kenning takes to index repositories and to answer tasks
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure_repository [default: kenning next to this program]
    #[arg(long, value_name = "FILE")]
    kenning: Option<PathBuf>,
    /// Number of times to index each repository from scratch, each followed by a bare parse; the run
    /// with the median CPU time is reported
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Also write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Only parse a repository, for comparison with indexing
    #[arg(long, hide = true, value_name = "REPOSITORY", exclusive = true)]
    parse_only: Option<PathBuf>,
    /// Repositories to index
    #[arg(required_unless_present = "parse_only", value_name = "REPOSITORY")]
    repositories: Vec<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(root) = arguments.parse_only {
        writeln!(std::io::stdout(), "{}", bench::baselines::parse_files(&root)?)?;
        return Ok(());
    }
    let kenning = match arguments.kenning {
        Some(path) => path,
        None => std::env::current_exe()?.with_file_name(format!("kenning{}", std::env::consts::EXE_SUFFIX)),
    };
    anyhow::ensure!(
        kenning.is_file(),
        "{} does not exist; run `cargo build --release` first",
        kenning.display()
    );
    let mut measurements: Vec<IndexMeasurement> = Vec::new();
    for repository in &arguments.repositories {
        measurements.push(
            measure_repository(&kenning, repository, usize::from(arguments.runs))
                .with_context(|| repository.display().to_string())?,
        );
    }
    let names: Vec<_> = arguments.repositories.iter().map(|path| last_two_names(path)).collect();
    let command = format!("index-speed --runs {} {}", arguments.runs, names.join(" "));
    let machine = describe_machine();
    if let Some(path) = arguments.csv {
        let text = to_csv(&measurements, &command, &machine);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    std::io::stdout().write_all(to_markdown(&measurements, &command, &machine).as_bytes())?;
    Ok(())
}
