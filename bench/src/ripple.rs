//! Ripple: which other files does a commit edit?
//!
//! In comes the working tree of a repository with its history, out come tasks. A task is a commit of
//! that history: the seed is the symbols that it edits in one file, the gold is the other source
//! files that it edits. For each task the tree is at the commit's parent, and only the commits before
//! it may teach. The candidates come with their measures, so that one run serves every ranking and
//! the fitting of the model.

use anyhow::{Context, bail};
use kenning_graph::commits::CommitFacts;
use kenning_graph::{Snapshot, SymbolKind};
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use kenning_retrieval::ripple::{FEATURES, RippleSeeds, candidate_features};
use kenning_retrieval::{CommitHistory, symbols_of_chains};
use serde::Serialize;
use std::path::Path;
use std::process::Command;

/// Commits with more source files are not tasks: they move, rename or reformat.
const MAX_FILES: usize = 12;
/// The newest commits of which tasks are made.
const NEWEST: usize = 900;

/// A task with its candidates.
#[derive(Serialize)]
pub struct RippleTask {
    /// The name of the repository.
    pub repo: String,
    /// The commit.
    pub commit: String,
    /// The file whose edited symbols are the seed.
    pub seed: String,
    /// The qualified names of the symbols.
    pub symbols: Vec<String>,
    /// The other source files that the commit edits.
    pub gold: Vec<String>,
    /// Each candidate file with its measures.
    pub candidates: Vec<(String, Vec<f64>)>,
}

/// Makes up to `count` tasks of a repository, spread evenly over its newest commits. Checks out
/// other commits in the tree, and the first one again at the end.
///
/// # Errors
/// If git or the index fails.
pub fn ripple_tasks(
    tree: &Path,
    count: usize,
    mut each: impl FnMut(RippleTask) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let options =
        || WorkspaceOptions { db: Some(folder.path().join("graph.db")), ..WorkspaceOptions::default() };
    let repo = tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let commits = {
        let mut workspace = Workspace::open(tree, options()).with_context(|| tree.display().to_string())?;
        workspace.refresh_all(&NoProgress)?;
        workspace.read_commits(&mut || false)?;
        workspace.load_commits()?
    };
    let fitting: Vec<usize> = (0..commits.len().min(NEWEST)).filter(|&at| is_task(&commits[at])).collect();
    let step = (fitting.len() as f64 / count as f64).max(1.0);
    let chosen = (0..count).map(|n| (n as f64 * step) as usize).filter_map(|at| fitting.get(at));
    let head = git(tree, &["rev-parse", "HEAD"])?;
    for &at in chosen {
        let commit = &commits[at];
        if let Err(error) = git(tree, &["checkout", "-q", &format!("{}^", commit.id)]) {
            tracing::warn!("{repo}: {} is skipped: {error:#}", commit.id);
            continue;
        }
        let mut workspace = Workspace::open(tree, options())?;
        workspace.refresh_all(&NoProgress)?;
        let history = CommitHistory::new(commits[at + 1..].to_vec());
        if let Some(task) = build_task(&repo, &workspace.current_snapshot(), commit, &history) {
            each(task)?;
        }
    }
    git(tree, &["checkout", "-q", head.trim()])?;
    Ok(())
}

/// Whether a commit edits several source files, and not too many.
fn is_task(commit: &CommitFacts) -> bool {
    let edited = commit.files.iter().filter(|file| file.old_path.is_none() && !file.symbols.is_empty());
    (2..=MAX_FILES).contains(&edited.count()) && commit.touched <= 40
}

/// Builds the task of a commit; `None` if fewer than two of its files are in the graph.
fn build_task(
    repo: &str,
    snapshot: &Snapshot,
    commit: &CommitFacts,
    history: &CommitHistory,
) -> Option<RippleTask> {
    let mut edited = Vec::new();
    for file in commit.files.iter().filter(|file| file.old_path.is_none()) {
        let Some(id) = snapshot.file_by_path(&file.path) else { continue };
        let mut symbols = symbols_of_chains(snapshot, id, &file.symbols);
        symbols.retain(|&id| snapshot.symbol(id).is_some_and(|s| s.kind != SymbolKind::File));
        edited.push((file.path.to_string(), symbols));
    }
    let seed = edited
        .iter()
        .enumerate()
        .filter(|(_, (_, symbols))| !symbols.is_empty())
        .max_by_key(|(at, (path, symbols))| {
            (!kenning_retrieval::is_secondary_path(path), symbols.len(), std::cmp::Reverse(*at))
        })
        .map(|(at, _)| at)?;
    let (path, symbols) = edited.swap_remove(seed);
    let gold: Vec<String> = edited.into_iter().map(|(path, _)| path).collect();
    if gold.is_empty() {
        return None;
    }
    let rows = candidate_features(snapshot, Some(history), RippleSeeds { symbols: &symbols });
    let mut names: Vec<String> =
        symbols.iter().filter_map(|&id| snapshot.symbol(id)).map(|s| s.qualified_name()).collect();
    names.sort();
    Some(RippleTask {
        repo: repo.to_owned(),
        commit: commit.id.to_string(),
        seed: path,
        symbols: names,
        gold,
        candidates: rows.into_iter().map(|row| (row.path, row.values.to_vec())).collect(),
    })
}

/// The names of the measures.
pub const MEASURES: &[&str] = &FEATURES;

/// Runs git in the tree and returns its output.
fn git(tree: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").arg("-C").arg(tree).args(arguments).output().context("git")?;
    if !output.status.success() {
        bail!("git {arguments:?} in {}: {}", tree.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
