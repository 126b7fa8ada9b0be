//! The commit log of a repository: messages, changed files, and the names around changed lines.
//!
//! `newest_commits` lists the commits; `read_commit` compares the trees of one commit and its
//! parent (`tree_changes.rs`), and reads the names around the changed lines with `hunk_headers`.
//! Messages become tokens with credentials masked. No program that the repository's configuration
//! names runs. Errors are returned as text, because a damaged history only costs this evidence.

use super::changes::disable_programs;
use super::hunk_headers::{enclosing_names, is_trailer};
use super::line_diff::{LineDiff, diff_lines, is_binary};
use super::panic_guard::{catch_panic, catch_panic_in_result};
use super::tree_changes::{CompareError, HistoryBudget, TreeChange, TreeComparison};
use super::{MAX_OBJECT_BYTES, open_history, read_guarded};
use crate::languages::LanguageRegistry;
use gix::bstr::ByteSlice;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use gix::{ObjectId, Repository};
use kenning_graph::analysis::Analyzer;
use kenning_graph::commits::{CommitFacts, TouchedFile};
use kenning_graph::credentials::mask_prose;
use std::path::Path;

/// The version of the rules by which commits are read. Commits that were read under another version
/// are read again. Raise it when the rules change. It includes the versions of the masking of
/// credentials and of the analysis of words.
pub const RULES_VERSION: u32 =
    (4 << 12) + (kenning_graph::credentials::MASK_VERSION << 4) + kenning_graph::analysis::ANALYSIS_VERSION;

/// Size of the object cache in bytes. Neighboring commits share most of their trees.
const OBJECT_CACHE_BYTES: usize = 32 << 20;

/// Maximum number of changed files for which a commit's changed lines are read. Larger commits move
/// or reformat code.
const MAX_FILES_WITH_LINES: usize = 50;

/// Maximum number of source files that are stored for one commit. Imports of vendored code touch
/// thousands.
const MAX_FILES: usize = 500;

/// Maximum number of bytes of a message that are read. Longer messages contain pasted logs.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// Maximum sum of the sizes of the commits that are read to list the newest ones, in bytes. Most
/// have 500 bytes, but a deflated one can have a thousandth of its size. Beyond this, the history
/// ends early.
const MAX_COMMIT_BYTES: u64 = 1 << 30;

/// Number of bytes after [`MAX_MESSAGE_BYTES`] that masking reads, so that it recognizes a
/// credential that begins before that limit and ends after it.
const MAX_CREDENTIAL_BYTES: usize = 4 << 10;

/// Size in bytes above which files are not compared line by line.
const MAX_COMPARED_BYTES: usize = 1 << 20;

/// Whether to read the changed lines of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLines {
    /// Read the paths and the changed lines.
    Yes,
    /// Read only the paths.
    No,
}

/// A reader of the history of the checked-out commit.
pub struct CommitLog {
    repository: Repository,
    head: ObjectId,
    blobs: gix::diff::blob::Platform,
    trees: gix::diff::tree::State,
    budget: HistoryBudget,
    analyzer: Analyzer,
}

impl CommitLog {
    /// Opens the repository around a workspace. Returns `None` if there is none, it has no commit,
    /// or it cannot be read.
    pub fn open(root: &Path) -> Option<Self> {
        read_guarded(|| Self::open_unguarded(root))
    }

    fn open_unguarded(root: &Path) -> Option<Self> {
        let mut repository = open_history(root)?;
        disable_programs(&mut repository);
        repository.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        let head = repository.head().ok()?.id()?.detach();
        let blobs = repository.diff_resource_cache_for_tree_diff().ok()?;
        let (trees, budget) = (gix::diff::tree::State::default(), HistoryBudget::default());
        Some(Self { repository, head, blobs, trees, budget, analyzer: Analyzer::default() })
    }

    /// Returns a key that changes when the facts of the newest `limit` commits may change. It
    /// contains the checked-out commit, [`RULES_VERSION`] and the limit.
    pub fn state_key(&self, limit: usize) -> String {
        format!("{} {RULES_VERSION} {limit}", self.head.to_hex())
    }

    /// Whether the history is cut off (a shallow clone) and may become longer without a new commit.
    /// False if that cannot be read.
    pub fn is_shallow(&self) -> bool {
        catch_panic(|| self.repository.is_shallow()).unwrap_or(false)
    }

    /// Returns the newest commits in the history of the checked-out one, without merges, newest
    /// first. If the history ends early (a shallow clone), returns the commits that exist.
    ///
    /// # Errors
    /// Returns the repository's error if not even the first commit can be read.
    pub fn newest_commits(&self, limit: usize) -> Result<Vec<String>, String> {
        catch_panic_in_result(|| self.newest_commits_unguarded(limit))
    }

    fn newest_commits_unguarded(&self, limit: usize) -> Result<Vec<String>, String> {
        let mut read_bytes = 0_u64;
        let is_within_budget = move |id: &gix::oid| {
            // The walk reports a commit that is missing or too large.
            let size = self.repository.find_header(id).map_or(0, |header| header.size());
            read_bytes += size.min(MAX_OBJECT_BYTES as u64);
            read_bytes <= MAX_COMMIT_BYTES
        };
        let walk = self.repository.rev_walk([self.head]);
        let walk = walk.sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst));
        let mut ids = Vec::new();
        for commit in walk.selected(is_within_budget).map_err(error_text)? {
            let commit = match commit {
                Ok(commit) => commit,
                // Older objects are missing, as in a partial clone.
                Err(error) if !ids.is_empty() => {
                    tracing::debug!(%error, "the history ends early");
                    break;
                }
                Err(error) => return Err(error_text(error)),
            };
            if commit.parent_ids.len() > 1 {
                continue;
            }
            if ids.len() == limit {
                break;
            }
            ids.push(commit.id.to_hex().to_string());
        }
        Ok(ids)
    }

    /// Reads the message and the changed files of a commit and, with [`ReadLines::Yes`], the names
    /// around its changed lines. Returns [`CommitFacts::too_large`] for a commit that changes more
    /// files than a limit permits.
    ///
    /// # Errors
    /// Returns the repository's error.
    pub fn read_commit(&mut self, id: &str, lines: ReadLines) -> Result<CommitFacts, String> {
        catch_panic_in_result(|| self.read_commit_unguarded(id, lines))
    }

    fn read_commit_unguarded(&mut self, id: &str, lines: ReadLines) -> Result<CommitFacts, String> {
        let hash = ObjectId::from_hex(id.as_bytes()).map_err(error_text)?;
        let (time, message, parent, tree) = {
            let commit = self.repository.find_commit(hash).map_err(error_text)?;
            let time = commit.author().map_err(error_text)?.time().map_err(error_text)?.seconds;
            let message = commit.message_raw_sloppy().to_str_lossy().into_owned();
            let parent = commit.parent_ids().next().map(gix::Id::detach);
            (time, message, parent, commit.tree_id().map_err(error_text)?.detach())
        };
        let mut files = match self.changed_files(parent, tree, lines == ReadLines::Yes) {
            Ok(files) => files,
            Err(CompareError::TooLarge) => return Ok(CommitFacts::too_large(id, time)),
            Err(CompareError::Unreadable(error)) => return Err(error),
        };
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let count = files.len();
        files.retain(|file| {
            let language = LanguageRegistry::get().find_by_path(&file.path);
            language.is_some_and(|language| !(language.row.unparsed || language.is_document()))
        });
        files.truncate(MAX_FILES);
        let with_lines = lines == ReadLines::Yes && count <= MAX_FILES_WITH_LINES;
        let files = files
            .into_iter()
            .map(|file| self.read_touched_file(file, with_lines))
            .collect::<Result<_, _>>()?;
        let (subject, subject_tokens, body_tokens) = self.tokenize_message(&message);
        Ok(CommitFacts {
            id: id.into(),
            time,
            subject,
            subject_tokens,
            body_tokens,
            touched_count: count as u32,
            files,
        })
    }

    /// Returns the files in which a tree differs from that of a commit.
    fn changed_files(
        &mut self,
        parent: Option<ObjectId>,
        tree: ObjectId,
        compares_contents: bool,
    ) -> Result<Vec<TreeChange>, CompareError> {
        let old = match parent {
            Some(parent) => {
                let parent = self.repository.find_commit(parent).map_err(CompareError::from_display)?;
                parent.tree_id().map_err(CompareError::from_display)?.detach()
            }
            None => ObjectId::empty_tree(tree.kind()),
        };
        let (repository, blobs, state) = (&self.repository, &mut self.blobs, &mut self.trees);
        let mut comparison = TreeComparison { repository, blobs, state, budget: &mut self.budget };
        comparison.changed_files(old, tree, compares_contents)
    }

    fn read_touched_file(&self, file: TreeChange, with_lines: bool) -> Result<TouchedFile, String> {
        let language = LanguageRegistry::get().find_by_path(&file.path);
        let hides_values = language.is_some_and(|language| language.row.hides_assigned_values);
        let symbols = match (with_lines && !hides_values, file.after) {
            (true, Some(after)) => self.changed_symbols(file.before, after)?,
            _ => Vec::new(),
        };
        Ok(TouchedFile { path: file.path.into(), old_path: file.old_path.map(Into::into), symbols })
    }

    /// Returns the names around the lines that differ between two versions of a file.
    fn changed_symbols(&self, before: Option<ObjectId>, after: ObjectId) -> Result<Vec<Box<str>>, String> {
        let Some(after) = self.read_content(after)? else { return Ok(Vec::new()) };
        let lines = match before {
            None => LineDiff { changed: vec![(1, u32::MAX)], removed_after: Vec::new() },
            Some(before) => match self.read_content(before)? {
                Some(before) => diff_lines(&before, &after),
                None => return Ok(Vec::new()),
            },
        };
        let chains = enclosing_names(&after.to_str_lossy(), &lines);
        Ok(chains.into_iter().map(|chain| mask_prose(&chain).into()).collect())
    }

    /// Returns the content of a blob, or `None` if it is not text or is too long.
    fn read_content(&self, id: ObjectId) -> Result<Option<Vec<u8>>, String> {
        let header = self.repository.find_header(id).map_err(error_text)?;
        if header.size() > MAX_COMPARED_BYTES as u64 {
            return Ok(None);
        }
        let data = self.repository.find_blob(id).map_err(error_text)?.detach().data;
        Ok((!is_binary(&data)).then_some(data))
    }

    /// Returns the first line of a message, its tokens, and the tokens of the rest without
    /// trailers, all with credentials masked.
    fn tokenize_message(&mut self, message: &str) -> (Box<str>, Box<str>, Box<str>) {
        let message = mask_prose(truncate_text(message, MAX_MESSAGE_BYTES + MAX_CREDENTIAL_BYTES));
        let message = truncate_text(&message, MAX_MESSAGE_BYTES).trim_start();
        let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
        let subject_tokens = self.tokenize_line(subject);
        let mut body_tokens = String::new();
        for line in body.lines().filter(|line| !is_trailer(line)) {
            let tokens = self.tokenize_line(line);
            if !tokens.is_empty() && !body_tokens.is_empty() {
                body_tokens.push(' ');
            }
            body_tokens.push_str(&tokens);
        }
        (subject.trim().into(), subject_tokens.into(), body_tokens.into())
    }

    /// Returns the tokens of a line, separated by spaces.
    fn tokenize_line(&mut self, line: &str) -> String {
        let mut out = String::new();
        self.analyzer.for_each_token(line, |token| {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(token);
        });
        out
    }
}

/// Returns the first `bytes` bytes of a text, or fewer to end at a character boundary.
fn truncate_text(text: &str, bytes: usize) -> &str {
    let end = (0..=text.len().min(bytes)).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
