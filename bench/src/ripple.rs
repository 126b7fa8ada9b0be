//! Builds ripple tasks: given the symbols that a commit edits in one file, which other files does
//! it edit?
//!
//! The input is the working tree of a repository with its history, and each task comes from one
//! commit. Its seed is the symbols that the commit edits in one file; its gold is the other source
//! files that the commit edits. For each task, the tree is checked out at the commit's parent, and
//! the history ends there. A task lists the features of every candidate file, so that all rankings,
//! and the fitting of the model, can use one run.

use crate::git::run_git;
use anyhow::Context;
use kenning_graph::commits::CommitFacts;
use kenning_graph::{Snapshot, SymbolId, SymbolKind};
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use kenning_retrieval::features::affected_tests;
use kenning_retrieval::ripple::{FEATURES, RippleSeeds, TestFile, candidate_features, likely_test_files};
use kenning_retrieval::{CommitHistory, is_secondary_path, symbols_of_chains};
use serde::Serialize;
use std::path::Path;

/// Maximum number of source files that the commit of a task edits. Larger commits move, rename or
/// reformat.
const MAX_EDITED_FILES: usize = 12;
/// Maximum number of files of any kind that the commit of a task touches. Larger commits are
/// mechanical.
const MAX_TOUCHED_FILES: u32 = 40;
/// Maximum number of newest commits from which the tasks are chosen. Long histories have tens of
/// thousands.
const MAX_COMMITS: usize = 900;
/// Maximum number of test files in an answer, as many as a person would run.
const MAX_TEST_FILES: usize = 15;
/// Maximum number of tests that are looked up per task. A central symbol is reached by thousands.
const MAX_TESTS: usize = 1000;

/// A task with its candidate files.
#[derive(Serialize)]
pub struct RippleTask {
    /// The name of the repository.
    pub repo: String,
    /// The commit's id.
    pub commit: String,
    /// The file whose edited symbols are the seed.
    pub seed: String,
    /// The qualified names of the symbols.
    pub symbols: Vec<String>,
    /// The other source files that the commit edits.
    pub gold: Vec<String>,
    /// The path of each candidate file, with its features.
    pub candidates: Vec<(String, Vec<f64>)>,
    /// The task for the tests of the whole commit; `None` if the commit edits no existing test.
    pub tests: Option<TestTask>,
}

/// The test files that a ranking has to find, given all other symbols that a commit edits, with the
/// answers of `kenning tests` and of two baselines.
#[derive(Serialize)]
pub struct TestTask {
    /// The test files that the commit edits.
    pub gold: Vec<String>,
    /// The answer of `kenning tests`.
    pub answer: Vec<String>,
    /// Number of tests that reach the symbols.
    pub reaching: usize,
    /// Baseline: the files whose tests reach the symbols, nearest first.
    pub reach_only: Vec<String>,
    /// Baseline: the test files that changed most often together with the symbols' files.
    pub co_change_only: Vec<String>,
}

/// Builds up to `count` tasks from a repository, spread evenly over its newest commits, and passes
/// each to `write_task`. Checks out other commits in the tree, and the original commit at the end,
/// even after an error.
///
/// # Errors
/// Fails if git, the index or `write_task` fails.
pub fn ripple_tasks(
    tree: &Path,
    count: usize,
    mut write_task: impl FnMut(RippleTask) -> anyhow::Result<()>,
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
    let usable: Vec<usize> =
        (0..commits.len().min(MAX_COMMITS)).filter(|&at| is_task_commit(&commits[at])).collect();
    let step = (usable.len() as f64 / count as f64).max(1.0);
    let chosen = (0..count).map(|n| (n as f64 * step) as usize).filter_map(|at| usable.get(at));
    with_restored_head(tree, || {
        for &at in chosen {
            let commit = &commits[at];
            if let Err(error) = run_git(tree, &["checkout", "-q", &format!("{}^", commit.id)]) {
                tracing::warn!("{repo}: skipped {}: {error:#}", commit.id);
                continue;
            }
            let mut workspace = Workspace::open(tree, options())?;
            workspace.refresh_all(&NoProgress)?;
            let history = CommitHistory::new(commits[at + 1..].to_vec());
            if let Some(task) = build_task(&repo, &workspace.current_snapshot(), commit, &history) {
                write_task(task)?;
            }
        }
        Ok(())
    })
}

/// Calls `work`, which may check out other commits in the tree, and then checks out the original
/// commit, even if `work` fails.
///
/// # Errors
/// Fails if `work` or git fails. If both fail, the error of `work` has the error of git as context.
fn with_restored_head(tree: &Path, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    let head = run_git(tree, &["rev-parse", "HEAD"])?;
    let outcome = work();
    match (outcome, run_git(tree, &["checkout", "-q", head.trim()])) {
        (outcome, Ok(_)) => outcome,
        (Ok(()), Err(error)) => Err(error),
        (Err(error), Err(restore)) => {
            Err(error.context(format!("the tree is not on its original commit: {restore:#}")))
        }
    }
}

/// Whether a commit edits at least two and not too many source files.
fn is_task_commit(commit: &CommitFacts) -> bool {
    let edited = commit.files.iter().filter(|file| file.old_path.is_none() && !file.symbols.is_empty());
    (2..=MAX_EDITED_FILES).contains(&edited.count()) && commit.touched_count <= MAX_TOUCHED_FILES
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
        .max_by_key(|(at, (path, symbols))| (!is_secondary_path(path), symbols.len(), std::cmp::Reverse(*at)))
        .map(|(at, _)| at)?;
    let tests = build_test_task(snapshot, history, &edited);
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
        tests,
        candidates: rows.into_iter().map(|row| (row.path, row.values.to_vec())).collect(),
    })
}

/// Builds the task of a commit's tests; `None` if it edits no test file, or nothing else.
fn build_test_task(
    snapshot: &Snapshot,
    history: &CommitHistory,
    edited: &[(String, Vec<SymbolId>)],
) -> Option<TestTask> {
    let is_test_file = |path: &str| {
        let file = snapshot.file_by_path(path);
        file.is_some_and(|file| snapshot.file_symbol_refs(file).iter().any(|symbol| symbol.is_test))
    };
    let is_test = |id: &SymbolId| is_in_test(snapshot, *id);
    // In Rust, tests and the code that they test may be in one file.
    let is_test_edit = |path: &str, symbols: &[SymbolId]| {
        symbols.iter().any(is_test) || (is_secondary_path(path) && is_test_file(path))
    };
    let tests = edited.iter().filter(|(path, symbols)| is_test_edit(path, symbols));
    let gold: Vec<String> = tests.map(|(path, _)| path.clone()).collect();
    let product = edited.iter().filter(|(path, _)| !is_secondary_path(path));
    let product = product.flat_map(|(_, symbols)| symbols).copied();
    let symbols: Vec<SymbolId> = product.filter(|id| !is_test(id)).collect();
    if gold.is_empty() || symbols.is_empty() {
        return None;
    }
    let affected = affected_tests(snapshot, &symbols, MAX_TESTS);
    let paths = |files: Vec<TestFile>| files.into_iter().map(|file| file.path).collect::<Vec<String>>();
    // An edited file with product code may also contain the tests of that code.
    let files_with_tests: Vec<String> = edited
        .iter()
        .filter(|(path, edited)| is_test_file(path) && edited.iter().any(|id| symbols.contains(id)))
        .map(|(path, _)| path.clone())
        .collect();
    let has_reaching_test = |path: &String| {
        affected.tests.iter().any(|test| snapshot.symbol(test.test).is_some_and(|symbol| symbol.path == path))
    };
    let likely = likely_test_files(snapshot, Some(history), &symbols, &affected, MAX_TEST_FILES);
    let mut answer: Vec<String> =
        files_with_tests.iter().filter(|path| has_reaching_test(path)).cloned().collect();
    answer.extend(paths(likely));
    answer.truncate(MAX_TEST_FILES);
    let mut reach_only: Vec<String> = Vec::new();
    for path in affected.tests.iter().filter_map(|test| snapshot.symbol(test.test)).map(|symbol| symbol.path)
    {
        if !reach_only.iter().any(|known| known == path) {
            reach_only.push(path.to_owned());
        }
    }
    let mut co_changed: Vec<(f64, String)> =
        candidate_features(snapshot, Some(history), RippleSeeds { symbols: &symbols })
            .into_iter()
            .filter(|row| is_test_file(&row.path) && row.values[0] > 0.0)
            .map(|row| (row.values[0], row.path))
            .collect();
    co_changed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut co_change_only: Vec<String> = files_with_tests;
    co_change_only.extend(co_changed.into_iter().map(|(_, path)| path));
    reach_only.truncate(MAX_TEST_FILES);
    co_change_only.truncate(MAX_TEST_FILES);
    Some(TestTask { gold, answer, reaching: affected.tests.len(), reach_only, co_change_only })
}

/// Whether a symbol is a test or a part of one.
fn is_in_test(snapshot: &Snapshot, id: SymbolId) -> bool {
    let mut next = snapshot.symbol(id);
    while let Some(symbol) = next {
        if symbol.is_test {
            return true;
        }
        next = symbol.parent.and_then(|parent| snapshot.symbol(parent));
    }
    false
}

/// The names of the features.
pub const FEATURE_NAMES: &[&str] = &FEATURES;

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{bail, ensure};

    /// Creates a repository with two commits. Returns the id of the second, which is checked out.
    fn make_repository(tree: &Path) -> anyhow::Result<String> {
        run_git(tree, &["init", "-q"])?;
        for title in ["first", "second"] {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
            let commit = ["commit", "-q", "--allow-empty", "--no-verify", "--no-gpg-sign", "-m", title];
            run_git(tree, &[&identity[..], &commit[..]].concat())?;
        }
        run_git(tree, &["rev-parse", "HEAD"])
    }

    #[test]
    fn the_original_commit_is_checked_out_after_success_and_after_an_error() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let tree = folder.path();
        let head = make_repository(tree)?;
        for fails in [false, true] {
            let outcome = with_restored_head(tree, || {
                run_git(tree, &["checkout", "-q", "HEAD^"])?;
                ensure!(run_git(tree, &["rev-parse", "HEAD"])? != head, "the first commit is checked out");
                if fails {
                    bail!("the index failed");
                }
                Ok(())
            });
            assert_eq!(
                outcome.err().map(|error| error.to_string()),
                fails.then(|| "the index failed".to_owned())
            );
            assert_eq!(run_git(tree, &["rev-parse", "HEAD"])?, head);
        }
        Ok(())
    }
}
