//! `pack-tokens`: counts the tokens of the same packs in every format, and of the answers to
//! readers who already have a pack.

use anyhow::Context;
use bench::pack_tokens::{TokenMeter, measure_explained, to_csv};
use bench::session::{AllowedServers, BenchSession};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// The tasks, about this repository.
const TASKS: &str = include_str!("../own_tasks.txt");

/// Count the tokens of packs in every format, with tasks about this repository
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure
    #[arg(long, value_name = "FILE", default_value = "target/release/kenning")]
    kenning: PathBuf,
    /// The workspace to pack
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Token budgets of the packs; explained packs use only the first
    #[arg(long, value_name = "TOKENS", num_args = 1.., default_values_t = [8_000, 2_000])]
    budget: Vec<u64>,
    /// File to write the table to
    #[arg(long, value_name = "FILE", default_value = "bench/results/pack-tokens.csv")]
    csv: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let root = arguments.root.canonicalize().with_context(|| arguments.root.display().to_string())?;
    let kenning =
        arguments.kenning.canonicalize().with_context(|| arguments.kenning.display().to_string())?;
    let cache = tempfile::tempdir()?;
    let tasks: Vec<&str> = TASKS.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut session = BenchSession::start_indexed(&kenning, &root, cache.path(), AllowedServers::None)?;
    session.wait_for_commits()?;
    let mut rows = Vec::new();
    for &budget in &arguments.budget {
        rows.extend(TokenMeter { session: &mut session, budget }.measure_tasks(&tasks)?);
    }
    session.shut_down()?;
    if let Some(&budget) = arguments.budget.first() {
        rows.extend(measure_explained(&kenning, &root, cache.path(), &tasks, budget, &rows)?);
    }
    let budgets: Vec<String> = arguments.budget.iter().map(u64::to_string).collect();
    let text = to_csv(&rows, &format!("pack-tokens --budget {}", budgets.join(" ")));
    std::fs::write(&arguments.csv, &text).with_context(|| arguments.csv.display().to_string())?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
