//! Builds tasks from the commits that added files: the message describes a concept, and the answers
//! are the public declarations of the new files.
//!
//! Later commits mostly edit functions. Questions such as "retry policy" ask for the types and
//! functions that make up a concept, which is what the message of an adding commit describes. Each task
//! excludes its own commit from the history.

use crate::git::run_git;
use crate::training::{TrainingSource, clean_message};
use kenning_graph::{Snapshot, SymbolKind, SymbolRef, Visibility};
use kenning_retrieval::eval::commits::{CommitTask, EditedSymbol, TaskTags};
use kenning_retrieval::is_secondary;
use std::collections::BTreeSet;

/// Maximum number of product files that a commit may add.
const MAX_FILES: usize = 3;
/// Maximum number of answers, greatest declarations first.
const MAX_ANSWERS: usize = 6;

/// A commit that added files.
struct AddingCommit<'a> {
    id: &'a str,
    message: &'a str,
    added_files: Vec<&'a str>,
}

/// Builds up to `count` tasks from the commits up to the tree's commit, in the order of their ids.
///
/// # Errors
/// Fails if git fails.
pub fn introduction_tasks(
    snapshot: &Snapshot,
    source: TrainingSource<'_>,
    count: usize,
) -> anyhow::Result<Vec<CommitTask>> {
    let TrainingSource { tree, repo, language, .. } = source;
    let options = ["log", "--no-merges", "--diff-filter=A", "--name-only", "--no-renames"];
    let output = run_git(tree, &[&options[..], &["--format=%x01%H%x00%B%x00"]].concat())?;
    let mut commits: Vec<AddingCommit<'_>> = output.split('\u{1}').skip(1).filter_map(parse_commit).collect();
    commits.sort_by_key(|commit| commit.id);
    let mut tasks = Vec::new();
    for commit in commits {
        if tasks.len() == count {
            break;
        }
        let files = product_files(snapshot, &commit.added_files);
        if files.is_empty() || files.len() > MAX_FILES {
            continue;
        }
        let Some(text) = clean_message(commit.message) else { continue };
        let answers = public_declarations(snapshot, &files);
        if answers.is_empty() {
            continue;
        }
        tasks.push(CommitTask {
            id: format!("{repo}-introduction-{}", &commit.id[..10]),
            repo: repo.to_owned(),
            base_commit: None,
            excluded_commit: Some(commit.id.to_owned()),
            language: language.to_owned(),
            description: text.text,
            tags: TaskTags {
                vocab: "introduction".to_owned(),
                verbatim: false,
                n_truths: answers.len(),
                names_file: false,
                names_stem: false,
                scope: text.scope,
                has_body: text.has_body,
                age_days: 0,
                split: "introduction".to_owned(),
            },
            files: answers
                .iter()
                .map(|answer| answer.file.clone())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            truths: answers,
        });
    }
    Ok(tasks)
}

fn parse_commit(record: &str) -> Option<AddingCommit<'_>> {
    let mut parts = record.splitn(3, '\0');
    let (id, message, files) = (parts.next()?, parts.next()?.trim(), parts.next()?);
    Some(AddingCommit { id, message, added_files: files.lines().filter(|line| !line.is_empty()).collect() })
}

/// Returns those files that are product code of the tree.
fn product_files<'a>(snapshot: &Snapshot, files: &[&'a str]) -> Vec<&'a str> {
    let is_product = |path: &&str| {
        let symbols = snapshot.file_by_path(path).map(|file| snapshot.file_symbol_refs(file));
        symbols.is_some_and(|symbols| symbols.iter().any(|symbol| !is_secondary(symbol)))
    };
    files.iter().copied().filter(is_product).collect()
}

/// Returns the top-level types and functions of files that are public, or all if none is.
fn public_declarations(snapshot: &Snapshot, files: &[&str]) -> Vec<EditedSymbol> {
    let ids = files.iter().filter_map(|path| snapshot.file_by_path(path));
    let is_declaration = |symbol: &SymbolRef<'_>| {
        (symbol.kind.is_type() || symbol.kind.is_callable())
            && !matches!(symbol.kind, SymbolKind::Module | SymbolKind::Constructor)
            && is_outermost(snapshot, symbol)
            && !is_secondary(symbol)
    };
    let mut symbols: Vec<SymbolRef<'_>> =
        ids.flat_map(|file| snapshot.file_symbol_refs(file)).filter(is_declaration).collect();
    if symbols.iter().any(|symbol| symbol.visibility == Visibility::Public) {
        symbols.retain(|symbol| symbol.visibility == Visibility::Public);
    }
    let lines = |symbol: &SymbolRef<'_>| symbol.span.end_line.saturating_sub(symbol.span.start_line);
    symbols.sort_by_key(|symbol| (std::cmp::Reverse(lines(symbol)), symbol.path, symbol.span.start));
    symbols.truncate(MAX_ANSWERS);
    let answer = |symbol: &SymbolRef<'_>| EditedSymbol {
        name: symbol.name.to_owned(),
        qualified: symbol.display_name(),
        kind: symbol.kind.as_str().to_owned(),
        file: symbol.path.to_owned(),
        inner: Vec::new(),
    };
    symbols.iter().map(answer).collect()
}

/// Whether no type or function contains a symbol. Modules and namespaces may.
fn is_outermost(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> bool {
    let parent = symbol.parent.and_then(|parent| snapshot.symbol(parent));
    parent.is_none_or(|parent| matches!(parent.kind, SymbolKind::File | SymbolKind::Module))
}
