//! `training-tasks`: builds training tasks for the ranking from the later commits of a repository.

use anyhow::Context;
use bench::questions::{QuestionSource, QuestionWordings, identifier_questions};
use bench::training::{TrainingSource, index_tree, training_tasks, tree_symbols};
use clap::Parser;
use serde::Serialize;
use std::path::{Path, PathBuf};

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
    /// Maximum number of questions about identifiers
    #[arg(long, default_value_t = 42)]
    questions: usize,
    /// Word the questions for training instead of evaluation
    #[arg(long)]
    train: bool,
    /// The folder to write to: `NAME.json` in `tasks`, `questions` and `symbols`
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Working tree at the base commit, with the objects of later commits
    tree: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let Arguments { repo, language, tip, tasks, questions, train, out, tree } = &arguments;
    let wordings = QuestionWordings::parse(include_str!("../../training/questions.toml"))?;
    let wordings = if *train { wordings.train } else { wordings.evaluation };
    let snapshot = index_tree(tree)?;
    let source = TrainingSource { tree, tip, repo, language };
    let tasks = training_tasks(&snapshot, source, *tasks)?;
    let questions = identifier_questions(&snapshot, QuestionSource { repo, language }, &wordings, *questions);
    write_json(out, "symbols", repo, &tree_symbols(&snapshot))?;
    write_json(out, "questions", repo, &questions)?;
    // The tasks come last, because their file marks a finished repository.
    write_json(out, "tasks", repo, &tasks)?;
    tracing::info!("{repo}: {} tasks, {} questions", tasks.len(), questions.len());
    Ok(())
}

fn write_json(out: &Path, folder: &str, repo: &str, rows: &[impl Serialize]) -> anyhow::Result<()> {
    let folder = out.join(folder);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let path = folder.join(format!("{repo}.json"));
    let text = serde_json::to_string_pretty(rows)?;
    std::fs::write(&path, text + "\n").with_context(|| path.display().to_string())
}
