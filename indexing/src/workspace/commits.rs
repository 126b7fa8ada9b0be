//! The history of a workspace: the messages and changed files of its commits, read once and stored.

use super::facts_source::now_seconds;
use super::{DiskState, WorkspaceError};
use crate::git::{COMMIT_RULES_VERSION, CommitLog, ReadLines, folder_in_repository};
use crate::named_file::FileProblem;
use kenning_graph::commits::CommitFacts;
use kenning_graph::store::HistoryKey;

/// Number of newest commits whose changed lines are also read. When you change it, also change
/// [`COMMIT_RULES_VERSION`].
const COMMITS_WITH_LINES: usize = 1_000;

/// Number of commits that are stored together. An interruption loses at most this many.
const COMMITS_PER_BATCH: usize = 100;

/// The numbers of commits that a reading of the history read, knew or skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitsReport {
    /// Number of commits that were read.
    pub read: usize,
    /// Number of commits that were stored already.
    pub known: usize,
    /// Number of commits that cannot be read, as in a partial clone.
    pub unreadable: usize,
    /// Number of commits among those that were read whose files are left out, because they change
    /// more files than Kenning compares.
    pub too_large: usize,
    /// Number of commits that were not read because of an interruption, or because another process
    /// is the writer.
    pub unread: usize,
}

impl DiskState {
    /// Reads the newest commits that are not stored yet and stores them, newest first. Calls
    /// `interrupted` before each commit and stops if it returns true. Only the writer of the graph
    /// reads commits. Returns early if the whole history was already read from the same head
    /// commit. Removes commits that are not in the history. Returns `None` outside a git
    /// repository, or if its history cannot be read.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn read_commits(
        &self,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<CommitsReport>, WorkspaceError> {
        let (Some(mut log), Some(facts)) = (CommitLog::open(&self.root), &self.facts) else {
            return Ok(None);
        };
        let (workspace, complete_key) = (self.history_key(), log.state_key(self.options.history_commits));
        if facts.load_history_head(&workspace)? == Some(complete_key.clone()) && !log.is_shallow() {
            let known = facts.load_history_length(&workspace)?;
            return Ok(Some(CommitsReport { known, ..CommitsReport::default() }));
        }
        let ids = match log.newest_commits(self.options.history_commits) {
            Ok(ids) => ids,
            Err(error) => {
                tracing::warn!(root = %self.root.display(), "cannot read the git history: {error}");
                return Ok(None);
            }
        };
        let known = facts.load_known_commits(COMMIT_RULES_VERSION)?;
        let mut report = CommitsReport::default();
        let (mut readable, mut batch) = (Vec::with_capacity(ids.len()), Vec::new());
        let mut stopped = !self.is_writer;
        for (position, id) in ids.iter().enumerate() {
            let with_lines = position < COMMITS_WITH_LINES;
            if known.get(id).is_some_and(|&had_lines| had_lines || !with_lines) {
                report.known += 1;
                readable.push(id.clone());
                continue;
            }
            stopped = stopped || interrupted();
            if stopped {
                report.unread += 1;
                continue;
            }
            let lines = if with_lines { ReadLines::Yes } else { ReadLines::No };
            match log.read_commit(id, lines) {
                Ok(commit) => {
                    report.read += 1;
                    if commit.is_too_large() {
                        tracing::warn!(commit = id, "a commit changes more files than Kenning compares");
                        report.too_large += 1;
                    }
                    readable.push(id.clone());
                    batch.push((commit, with_lines));
                }
                Err(error) => {
                    tracing::debug!(commit = id, %error, "a commit cannot be read");
                    report.unreadable += 1;
                }
            }
            if batch.len() == COMMITS_PER_BATCH {
                facts.insert_commits(COMMIT_RULES_VERSION, &batch)?;
                batch.clear();
            }
        }
        if !batch.is_empty() {
            facts.insert_commits(COMMIT_RULES_VERSION, &batch)?;
        }
        // An incomplete history is stored under another key, so that the next reading continues it.
        let key_with_gaps = format!("{complete_key} with gaps");
        let stored_key = facts.load_history_head(&workspace)?;
        if !self.is_writer && stored_key.as_ref() == Some(&key_with_gaps) {
            // The writer has read everything that can be read.
            report.unreadable += std::mem::take(&mut report.unread);
        }
        let state_key = match (report.unread, report.unreadable) {
            (0, 0) => complete_key,
            (0, _) => key_with_gaps,
            _ => format!("{complete_key} in part"),
        };
        let is_new = report.read > 0 || stored_key.as_deref() != Some(&state_key);
        if self.is_writer && is_new {
            let key = HistoryKey { workspace: &workspace, head: &state_key };
            facts.replace_history(key, now_seconds(), &readable)?;
        }
        Ok(Some(report))
    }

    /// Whether the repository has commits that are not stored yet and that can be read. False
    /// outside a git repository, and if its history cannot be read.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn has_unread_commits(&self) -> Result<bool, WorkspaceError> {
        let (Some(log), Some(facts)) = (CommitLog::open(&self.root), &self.facts) else {
            return Ok(false);
        };
        let complete_key = log.state_key(self.options.history_commits);
        let stored_key = facts.load_history_head(&self.history_key())?.unwrap_or_default();
        if stored_key == complete_key || stored_key == format!("{complete_key} with gaps") {
            return Ok(false);
        }
        // A repository without a commit has nothing to read, and one whose history cannot be read
        // never will.
        Ok(log.newest_commits(self.options.history_commits).is_ok_and(|commits| !commits.is_empty()))
    }

    /// Returns the stored commits, newest first, with paths relative to the workspace. Changed
    /// files elsewhere in the repository are counted but not named. Reads nothing from git.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn load_commits(&self) -> Result<Vec<CommitFacts>, WorkspaceError> {
        let (Some(folder), Some(facts)) = (folder_in_repository(&self.root), &self.facts) else {
            return Ok(Vec::new());
        };
        let mut commits = facts.load_history(&self.history_key(), COMMIT_RULES_VERSION)?;
        commits.retain(|commit| !commit.is_too_large());
        for (position, commit) in commits.iter_mut().enumerate() {
            // The result does not depend on when a commit was read: only the newest ones have
            // changed lines.
            if position >= COMMITS_WITH_LINES {
                commit.files.iter_mut().for_each(|file| file.symbols.clear());
            }
            if folder.is_empty() {
                continue;
            }
            commit.files.retain_mut(|file| {
                let Some(path) = file.path.strip_prefix(&*folder).map(Box::from) else { return false };
                file.path = path;
                file.old_path =
                    file.old_path.as_deref().and_then(|old| old.strip_prefix(&*folder)).map(Box::from);
                true
            });
        }
        Ok(commits)
    }

    /// Returns a problem that names the stored commits whose files are left out, because they change
    /// more files than Kenning compares. Returns `None` if there are none.
    ///
    /// # Errors
    /// Returns the errors of the cache.
    pub fn find_large_commits(&self) -> Result<Option<FileProblem>, WorkspaceError> {
        let Some(facts) = &self.facts else { return Ok(None) };
        let commits = facts.load_history(&self.history_key(), COMMIT_RULES_VERSION)?;
        let ids: Vec<&str> =
            commits.iter().filter(|commit| commit.is_too_large()).map(|commit| &commit.id[..12]).collect();
        Ok((!ids.is_empty()).then(|| large_commits_problem(&ids)))
    }

    fn history_key(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }
}

/// Maximum number of commits that a problem names.
const MAX_NAMED_COMMITS: usize = 3;

fn large_commits_problem(ids: &[&str]) -> FileProblem {
    let mut names = ids[..ids.len().min(MAX_NAMED_COMMITS)].join(", ");
    if ids.len() > MAX_NAMED_COMMITS {
        names = format!("{names} and {} more", ids.len() - MAX_NAMED_COMMITS);
    }
    let what = if ids.len() == 1 { "commit changes" } else { "commits change" };
    let message = format!(
        "the {what} more files than Kenning compares ({names}); the history of files leaves them out"
    );
    FileProblem { path: ".git".to_owned(), message }
}

#[cfg(test)]
mod tests;
