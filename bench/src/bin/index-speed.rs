//! `index-speed`: times indexing and answering of the built `kenning` on given repositories.

use anyhow::Context;
use bench::speed::{Measurement, csv, markdown, measure};
use clap::Parser;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Time indexing and answering of the built kenning on repositories
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure [default: kenning beside this program]
    #[arg(long, value_name = "FILE")]
    kenning: Option<PathBuf>,
    /// Also write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Repositories to index
    #[arg(required = true, value_name = "REPOSITORY")]
    repositories: Vec<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let kenning = match arguments.kenning {
        Some(path) => path,
        None => std::env::current_exe()?.with_file_name(format!("kenning{}", std::env::consts::EXE_SUFFIX)),
    };
    anyhow::ensure!(
        kenning.is_file(),
        "{} is not there; run `cargo build --release` first",
        kenning.display()
    );
    let mut measurements: Vec<Measurement> = Vec::new();
    for repository in &arguments.repositories {
        measurements.push(measure(&kenning, repository).with_context(|| repository.display().to_string())?);
    }
    let names: Vec<_> = arguments.repositories.iter().map(|path| last(path)).collect();
    let command = format!("index-speed {}", names.join(" "));
    let machine = machine();
    if let Some(path) = arguments.csv {
        let text = csv(&measurements, &command, &machine);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    std::io::stdout().write_all(markdown(&measurements, &command, &machine).as_bytes())?;
    Ok(())
}

/// The last two names of a path: the rest is this machine's.
fn last(path: &Path) -> String {
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
    names[names.len().saturating_sub(2)..].join("/")
}

/// System, processor and the number of its threads, as far as the system says.
fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?.to_owned();
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let processor = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{} on {threads} threads of {processor}", std::env::consts::OS)
}
