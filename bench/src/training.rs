//! Builds training tasks from a repository's history, by the rules of `commits/tasks.json`.
//!
//! The input is a working tree at a base commit, in a repository that contains later commits. A
//! task's text is the cleaned message of a later commit, and its truths are the symbols of the base
//! commit that this commit edits. Commits are taken in the order of their ids, which is as good as
//! a random order and the same on every machine.

use crate::git::run_git;
use anyhow::Context;
use kenning_graph::analysis::Analyzer;
use kenning_graph::{Snapshot, SymbolId, SymbolKind};
use kenning_indexing::git::{CommitLog, ReadLines};
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use kenning_retrieval::eval::commits::{CommitTask, EditedSymbol, TaskTags};
use kenning_retrieval::{is_secondary_path, symbols_of_chains};
use regex::Regex;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// Maximum number of truths of a task. Commits with more of them mix several tasks.
const MAX_TRUTHS: usize = 8;
/// Maximum number of files with truths. Commits that edit more of them mix several tasks.
const MAX_FILES: usize = 5;
/// Maximum number of files of any kind that the commit of a task edits. Larger commits are
/// mechanical.
const MAX_TOUCHED_FILES: u32 = 30;
/// Minimum number of words in a message's first line. Shorter messages do not describe a task.
const MIN_WORDS: usize = 3;
/// Maximum number of bytes of a task's text. The messages of squashed commits are much longer.
const MAX_TEXT: usize = 1_000;

const SECONDS_PER_DAY: i64 = 86_400;

/// Messages that describe no task: maintenance that edits code in passing.
static NO_TASK: LazyLock<Regex> = LazyLock::new(|| {
    let words = "merge|revert|bump|release|prepare|version|v?\\d+\\.\\d+|changelog|typos?|fix typos?|format|reformat|fmt|lint|clippy|\
                 rubocop|prettier|wip|tmp|update (deps|dependenc|changelog|readme|copyright)|upgrade (deps|dependenc)|chore|docs?\\b|ci\\b|style\\b|\
                 \\[maven-release|reapply|(apply|make) (the )?\\S*(lint|ruff|clippy|rubocop|mypy|checkstyle|spotless)";
    Regex::new(&format!("(?i)^({words})")).expect("the expression is valid")
});
/// References to issues and pull requests: in brackets, or `#12` with a verb before it.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    let expression = r"(?i)\s*[(\[](gh-|#|pr |issue )\s*\d+[^)\]]*[)\]]|\s*\b(fix(es|ed)?|close[sd]?|resolve[sd]?|refs?|see)?:?\s*#\d+\b";
    Regex::new(expression).expect("the expression is valid")
});
/// The scope before a subject: `router: ...`, `fix(router): ...`.
static SCOPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\w+\(([\w/.-]{1,30})\)|([\w/.-]{1,30}))!?: ").expect("the expression is valid")
});
/// The first words of trailers, which follow the message.
static TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^([\w-]+-by|reviewers?|pr[ -]url|change-id|cc|test plan|differential revision): ")
        .expect("the expression is valid")
});

/// A commit after the base commit.
struct LaterCommit {
    id: String,
    time: i64,
    message: String,
}

/// The text of a task, from the message of a commit.
#[derive(Debug, PartialEq, Eq)]
struct TaskText {
    text: String,
    scope: Option<String>,
    has_body: bool,
}

/// Indexes a working tree.
///
/// # Errors
/// Fails if the tree cannot be read.
pub fn index_tree(tree: &Path) -> anyhow::Result<Snapshot> {
    let folder = tempfile::tempdir()?;
    let options =
        WorkspaceOptions { db: Some(folder.path().join("graph.db")), ..WorkspaceOptions::default() };
    let mut workspace = Workspace::open(tree, options).with_context(|| tree.display().to_string())?;
    workspace.refresh_all(&NoProgress)?;
    Ok(workspace.current_snapshot())
}

/// A symbol of a tree, as the scorer of task sets reads it.
#[derive(Debug, Serialize)]
pub struct TreeSymbol {
    /// Path from the root of the tree.
    file: String,
    /// `Class.method` inside the file.
    qualified: String,
}

/// Returns all symbols of a tree, sorted.
pub fn tree_symbols(snapshot: &Snapshot) -> Vec<TreeSymbol> {
    let symbols = snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id));
    let in_tree = symbols.filter(|symbol| !symbol.kind.is_phantom() && symbol.kind != SymbolKind::File);
    let names: BTreeSet<(String, String)> =
        in_tree.map(|symbol| (symbol.path.to_owned(), symbol.display_name())).collect();
    names.into_iter().map(|(file, qualified)| TreeSymbol { file, qualified }).collect()
}

/// The repository that training tasks come from.
#[derive(Clone, Copy, Debug)]
pub struct TrainingSource<'a> {
    /// The working tree at the base commit, with the objects of later commits.
    pub tree: &'a Path,
    /// The newest commit that may become a task.
    pub tip: &'a str,
    /// The name of the repository in the tasks.
    pub repo: &'a str,
    /// The main language of the repository.
    pub language: &'a str,
}

/// Builds up to `count` tasks from the commits between the tree's commit and the tip.
///
/// # Errors
/// Fails if git fails.
pub fn training_tasks(
    snapshot: &Snapshot,
    source: TrainingSource<'_>,
    count: usize,
) -> anyhow::Result<Vec<CommitTask>> {
    let TrainingSource { tree, tip, repo, language } = source;
    let mut log = CommitLog::open(tree).with_context(|| format!("{} has no history", tree.display()))?;
    let base = run_git(tree, &["log", "-1", "--format=%H %at"])?;
    let (base, base_time) = base.trim().split_once(' ').context("git printed no time for the base commit")?;
    let base_time: i64 = base_time.parse()?;
    let mut commits = list_commits(tree, base, tip)?;
    commits.sort_by(|a, b| a.id.cmp(&b.id));
    let mut tasks = Vec::new();
    for commit in commits {
        if tasks.len() == count {
            break;
        }
        let Some(text) = clean_message(&commit.message) else { continue };
        let Ok(facts) = log.read_commit(&commit.id, ReadLines::Yes) else { continue };
        if facts.touched_count > MAX_TOUCHED_FILES {
            continue;
        }
        let files = facts.files.iter().map(|file| (&*file.path, file.symbols.as_slice()));
        let truths = find_truths(snapshot, files);
        let truth_files: BTreeSet<&str> = truths.iter().map(|truth| truth.file.as_str()).collect();
        if truths.is_empty() || truths.len() > MAX_TRUTHS || truth_files.len() > MAX_FILES {
            continue;
        }
        let files = truth_files.into_iter().map(str::to_owned).collect();
        let age_days = (commit.time - base_time) / SECONDS_PER_DAY;
        tasks.push(CommitTask {
            id: format!("{repo}-{}", &commit.id[..10]),
            repo: repo.to_owned(),
            base_commit: Some(base.to_owned()),
            language: language.to_owned(),
            tags: task_tags(&text, &truths, age_days),
            description: text.text,
            truths,
            files,
        });
    }
    Ok(tasks)
}

/// Returns the commits of `tip` that are not in `base`, without merges.
fn list_commits(tree: &Path, base: &str, tip: &str) -> anyhow::Result<Vec<LaterCommit>> {
    let range = format!("{base}..{tip}");
    let output = run_git(tree, &["log", "--no-merges", "--format=%x01%H%x00%at%x00%B", &range])?;
    let commits = output.split('\u{1}').skip(1).map(|record| {
        let mut parts = record.splitn(3, '\0');
        let mut next = || parts.next().context("git printed fewer than three fields");
        Ok(LaterCommit { id: next()?.to_owned(), time: next()?.parse()?, message: next()?.trim().to_owned() })
    });
    commits.collect()
}

/// Returns the first line and the first paragraph of a message without references to issues and
/// trailers. Returns `None` for messages that describe no task.
fn clean_message(message: &str) -> Option<TaskText> {
    let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
    let subject = REFERENCE.replace_all(subject.trim(), "").trim().to_owned();
    let plain = SCOPE.replace(&subject, "");
    let words = plain.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    if words < MIN_WORDS || NO_TASK.is_match(&subject) || NO_TASK.is_match(&plain) {
        return None;
    }
    let scope = SCOPE.captures(&subject).and_then(|found| found.get(1).or(found.get(2)));
    let scope = scope.map(|scope| scope.as_str().to_owned());
    let lines = body.lines().map(str::trim).skip_while(|line| line.is_empty());
    let paragraph: Vec<String> = lines
        .take_while(|line| !line.is_empty())
        .filter(|line| !TRAILER.is_match(line))
        .map(|line| REFERENCE.replace_all(line, "").trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    let has_body = !paragraph.is_empty();
    let mut text = subject;
    if has_body {
        text += "\n\n";
        text += &paragraph.join(" ");
    }
    let end = (0..=text.len().min(MAX_TEXT)).rev().find(|&at| text.is_char_boundary(at))?;
    text.truncate(end);
    Some(TaskText { text, scope, has_body })
}

/// Returns the symbols that the changed lines of product files belong to. A nested function counts
/// as the function around it, and a field as its type.
fn find_truths<'f>(
    snapshot: &Snapshot,
    files: impl Iterator<Item = (&'f str, &'f [Box<str>])>,
) -> Vec<EditedSymbol> {
    let mut inner_names: BTreeMap<SymbolId, BTreeSet<String>> = BTreeMap::new();
    for (path, chains) in files.filter(|(path, _)| !is_secondary_path(path)) {
        let Some(file) = snapshot.file_by_path(path) else { continue };
        for chain in chains {
            for id in symbols_of_chains(snapshot, file, std::slice::from_ref(chain)) {
                let owner = owning_symbol(snapshot, id);
                // Adding a member is not an edit of the enclosing type.
                if is_new_member(snapshot, id, owner, chain) {
                    continue;
                }
                let inner = inner_names.entry(owner).or_default();
                if owner != id {
                    inner.extend(snapshot.symbol(id).map(|symbol| symbol.display_name()));
                }
            }
        }
    }
    let to_truth = |(id, inner): (SymbolId, BTreeSet<String>)| {
        let symbol = snapshot.symbol(id)?;
        if symbol.is_test || matches!(symbol.kind, SymbolKind::File | SymbolKind::Module) {
            return None;
        }
        Some(EditedSymbol {
            name: symbol.name.to_owned(),
            qualified: symbol.display_name(),
            kind: symbol.kind.as_str().to_owned(),
            file: symbol.path.to_owned(),
            inner: inner.into_iter().collect(),
        })
    };
    let mut truths: Vec<EditedSymbol> = inner_names.into_iter().filter_map(to_truth).collect();
    truths.sort_by(|a, b| (&a.file, &a.qualified).cmp(&(&b.file, &b.qualified)));
    truths.dedup_by(|a, b| (&a.file, &a.qualified) == (&b.file, &b.qualified));
    truths
}

/// Whether a chain of names ends in a member of a type that the base commit does not have yet.
fn is_new_member(snapshot: &Snapshot, found: SymbolId, owner: SymbolId, chain: &str) -> bool {
    let is_callable = snapshot.symbol_facets(owner).is_some_and(|facets| facets.kind.is_callable());
    let last = chain.rsplit('.').next().unwrap_or(chain);
    !is_callable && snapshot.symbol(found).is_some_and(|symbol| symbol.name != last)
}

/// Returns the outermost function around a symbol, or else the type that declares a field, or the
/// symbol itself.
fn owning_symbol(snapshot: &Snapshot, id: SymbolId) -> SymbolId {
    let mut owner = id;
    let mut next = Some(id);
    while let Some(symbol) = next.and_then(|at| snapshot.symbol(at)) {
        let is_member_value = matches!(
            snapshot.symbol(owner).map(|owner| owner.kind),
            Some(SymbolKind::Field | SymbolKind::EnumMember)
        );
        if symbol.kind.is_callable() || (is_member_value && symbol.kind.is_type()) {
            owner = symbol.id;
        }
        next = symbol.parent;
    }
    owner
}

/// Returns the tags of a task, by which results are broken down.
fn task_tags(text: &TaskText, truths: &[EditedSymbol], age_days: i64) -> TaskTags {
    let lower = text.text.to_lowercase();
    let mut analyzer = Analyzer::default();
    let mut text_tokens: BTreeSet<String> = BTreeSet::new();
    analyzer.for_each_token(&text.text, |token| {
        text_tokens.insert(token.to_owned());
    });
    let (mut any, mut all) = (false, false);
    for truth in truths {
        let mut tokens = Vec::new();
        analyzer.for_each_name_token(&truth.name, |token| tokens.push(text_tokens.contains(token)));
        any |= tokens.contains(&true);
        all |= !tokens.contains(&false);
    }
    let vocab = if all {
        "lexical"
    } else if any {
        "partial"
    } else {
        "gap"
    };
    let stem = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.split('.').next().unwrap_or(name).to_lowercase()
    };
    let has_word = |word: &str| lower.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word);
    TaskTags {
        vocab: vocab.to_owned(),
        verbatim: truths.iter().any(|truth| has_word(&truth.name.to_lowercase())),
        n_truths: truths.len(),
        names_file: truths.iter().any(|truth| lower.contains(&truth.file.to_lowercase())),
        names_stem: truths.iter().any(|truth| has_word(&stem(&truth.file))),
        scope: text.scope.clone(),
        has_body: text.has_body,
        age_days,
        split: "train".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::clean_message;

    fn cleaned_text(message: &str) -> Option<String> {
        clean_message(message).map(|task| task.text)
    }

    #[test]
    fn messages_about_running_tools_are_not_tasks() {
        for message in
            ["Apply ruff rules", "make golangci-lint happy", "[maven-release-plugin] prepare for next"]
        {
            assert_eq!(cleaned_text(message), None, "{message}");
        }
        assert!(cleaned_text("Apply the discount rules of an order").is_some());
    }

    #[test]
    fn a_task_is_the_subject_and_the_first_paragraph_without_references() {
        let message = "router: match hosts without a port (#123)\n\nFixes #9\nHosts may have a port,\nwhich was compared.\n\nMore.\n\nSigned-off-by: A <a@b>";
        let task = clean_message(message).unwrap();
        assert_eq!(
            task.text,
            "router: match hosts without a port\n\nHosts may have a port, which was compared."
        );
        assert_eq!((task.scope.as_deref(), task.has_body), (Some("router"), true));
    }

    #[test]
    fn maintenance_and_very_short_messages_are_not_tasks() {
        for message in [
            "Merge branch 'x' into y",
            "Bump serde to 2.0",
            "fix: typo in a comment",
            "Fix it",
            "v1.2.3 is out now",
        ] {
            assert_eq!(cleaned_text(message), None, "{message}");
        }
        assert_eq!(
            cleaned_text("fix(http): keep the body of a redirect"),
            Some("fix(http): keep the body of a redirect".into())
        );
    }
}
