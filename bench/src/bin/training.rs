//! `training`: builds training tasks for the ranking from the later commits of a repository.

use anyhow::Context;
use bench::training::training_tasks;
use clap::Parser;
use std::path::PathBuf;

/// Build training tasks: which symbols does a later commit edit?
#[derive(Debug, Parser)]
struct Arguments {
    /// The name of the repository in the tasks
    #[arg(long)]
    repo: String,
    /// The main language of the repository
    #[arg(long)]
    language: String,
    /// The newest commit that may become a task
    #[arg(long, value_name = "COMMIT")]
    tip: String,
    /// Maximum number of tasks
    #[arg(long, default_value_t = 80)]
    tasks: usize,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Working tree at the base commit, with the objects of later commits
    tree: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let Arguments { repo, language, tip, tasks, out, tree } = &arguments;
    let tasks = training_tasks(tree, tip, repo, language, *tasks)?;
    let text = serde_json::to_string_pretty(&tasks)?;
    std::fs::write(out, text + "\n").with_context(|| out.display().to_string())?;
    tracing::info!("{repo}: {} tasks", tasks.len());
    Ok(())
}
