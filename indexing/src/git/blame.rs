//! Blame: the commits that the lines of files come from.
//!
//! A [`Blamer`] reads one file at a time at the checked-out commit. It follows lines through
//! renames and for [`MAX_AGE_SECONDS`]; older lines have no commit. A file whose content is not the
//! committed one has no blame. No program that the repository names runs.

use super::bounded_objects::{BoundedObjects, ReadBudget};
use super::changes::disable_programs;
use super::panic_guard::{catch_panic, catch_panic_in_result};
use super::{folder_in_worktree, open_history, read_guarded};
use gix::bstr::BStr;
use gix::{ObjectId, Repository};
use kenning_graph::Hash;
use kenning_graph::blame::{BlameCommit, BlameRun, FileBlame};
use kenning_graph::credentials::mask_prose;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Maximum age of a followed line, in seconds before the checked-out commit: three years. The time
/// for a blame grows with the length of the history, and older lines all count as old.
const MAX_AGE_SECONDS: i64 = 3 * 365 * 24 * 3600;

/// Size of the object cache in bytes. Successive steps read the same trees.
const OBJECT_CACHE_BYTES: usize = 64 << 20;

/// Maximum number of files of a commit that are compared with one another to find the earlier path
/// of an added file. Imports of vendored code add thousands.
const MAX_RENAME_CANDIDATES: usize = 400;

/// Maximum sum of the sizes of the trees and commits that are read for the blame of a file, in
/// bytes. A thousand commits to a folder with ten thousand files take 1 GiB.
const MAX_READ_BYTES: u64 = 8 << 30;

/// Maximum memory in bytes for comparing two trees: folders with 100,000 files each.
const MAX_PATH_BYTES: u64 = 32 << 20;

/// Maximum sum of the squares of the thousands of entries of the compared trees. It permits 1,500
/// commits to a folder with 9,000 files, and a few to enormous folders.
const MAX_SQUARED_ENTRIES: u64 = 500_000;

/// Number of files whose blame may stop at a limit. Each takes seconds, and the commits that cause
/// it are part of the history of all files.
const MAX_STOPS: usize = 3;

/// A reader of the history of the checked-out commit.
pub struct Blamer {
    repository: Repository,
    head: ObjectId,
    /// The time before which lines count as old, in seconds since the Unix epoch.
    since: i64,
    /// The workspace's folder in the repository, with a trailing `/`; empty for the whole
    /// repository.
    prefix: String,
    /// Contents to compare, by path. Creating this cache reads the list of all files in the
    /// repository, so it is created once and not for each file.
    blobs: gix::diff::blob::Platform,
    /// Whether a commit is in the history of the checked-out one, by the commit's id.
    ancestors: FxHashMap<String, bool>,
    /// Number of files whose blame may still stop at a limit. After that, no file is read.
    stops_left: usize,
}

impl Blamer {
    /// Opens the repository around a workspace. Returns `None` if there is none, it has no commit,
    /// or it cannot be read.
    pub fn open(root: &Path) -> Option<Self> {
        read_guarded(|| Self::open_unguarded(root))
    }

    fn open_unguarded(root: &Path) -> Option<Self> {
        let mut repository = open_history(root)?;
        disable_programs(&mut repository);
        repository.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        let blobs = repository.diff_resource_cache_for_tree_diff().ok()?;
        let prefix = folder_in_worktree(&repository, root)?;
        let head = repository.head().ok()?.id()?.detach();
        let time = repository.find_commit(head).ok()?.time().ok()?.seconds;
        let (since, ancestors) = (time - MAX_AGE_SECONDS, FxHashMap::default());
        Some(Self { repository, head, since, prefix, blobs, ancestors, stops_left: MAX_STOPS })
    }

    /// Returns the checked-out commit as lower-case hex.
    pub fn head_commit(&self) -> String {
        self.head.to_hex().to_string()
    }

    /// Returns the path in the repository for a path in the workspace.
    pub fn repository_path(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// Whether `commit` is in the history of the checked-out commit. A blame computed at such a
    /// commit is still valid for contents that did not change since.
    pub fn contains_commit(&mut self, commit: &str) -> bool {
        if let Some(&known) = self.ancestors.get(commit) {
            return known;
        }
        let merge_base =
            |id| catch_panic(|| self.repository.merge_base(id, self.head).ok().map(gix::Id::detach));
        let is_ancestor = ObjectId::from_hex(commit.as_bytes())
            .is_ok_and(|id| id == self.head || merge_base(id) == Ok(Some(id)));
        self.ancestors.insert(commit.to_owned(), is_ancestor);
        is_ancestor
    }

    /// Returns the blame of a file of the workspace, or `Ok(None)` if the file is not committed or
    /// its content is not the committed one.
    ///
    /// # Errors
    /// Returns the repository's error as text.
    pub fn blame_file(&mut self, path: &str, content: &Hash) -> Result<Option<FileBlame>, String> {
        catch_panic_in_result(|| self.blame_unguarded(path, content))
    }

    fn blame_unguarded(&mut self, path: &str, content: &Hash) -> Result<Option<FileBlame>, String> {
        let path = self.repository_path(path);
        let committed_content = || -> Result<Option<Vec<u8>>, String> {
            let tree =
                self.repository.find_commit(self.head).map_err(error_text)?.tree().map_err(error_text)?;
            let Some(entry) = tree.lookup_entry_by_path(&path).map_err(error_text)? else { return Ok(None) };
            if !entry.mode().is_blob() {
                return Ok(None);
            }
            Ok(Some(entry.object().map_err(error_text)?.detach().data))
        };
        if committed_content()?.is_none_or(|bytes| Hash::from_content(&bytes) != *content) {
            return Ok(None);
        }
        let outcome = self.blame_entries(&path)?;
        let mut ids: Vec<ObjectId> = outcome.entries.iter().map(|entry| entry.commit_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut commits = Vec::with_capacity(ids.len());
        for id in ids {
            commits.push((self.read_commit(id)?, id));
        }
        commits.sort();
        let positions: FxHashMap<ObjectId, u32> =
            commits.iter().enumerate().map(|(at, (_, id))| (*id, at as u32)).collect();
        let mut runs: Vec<BlameRun> = outcome
            .entries
            .iter()
            .filter_map(|entry| {
                let commit = *positions.get(&entry.commit_id)?;
                // The walk attributes lines that are older than the limit to the commit at which it
                // stops, although that commit did not write them.
                let is_recent = commits[commit as usize].0.time >= self.since;
                is_recent.then_some(BlameRun {
                    first_line: entry.start_in_blamed_file,
                    line_count: entry.len.get(),
                    commit,
                })
            })
            .collect();
        runs.sort_unstable();
        Ok(Some(FileBlame { commits: commits.into_iter().map(|(commit, _)| commit).collect(), runs }))
    }

    fn blame_entries(&mut self, path: &str) -> Result<gix::blame::Outcome, String> {
        let options = gix::blame::Options {
            diff_algorithm: self.repository.diff_algorithm().map_err(error_text)?,
            since: Some(gix::date::Time { seconds: self.since, offset: 0 }),
            rewrites: Some(gix::diff::Rewrites { limit: MAX_RENAME_CANDIDATES, ..Default::default() }),
            ..Default::default()
        };
        if self.stops_left == 0 {
            return Err("the history has folders with more entries than Kenning compares".to_owned());
        }
        let budget = ReadBudget {
            read_bytes: MAX_READ_BYTES,
            path_bytes: Some(MAX_PATH_BYTES),
            squared_entries: MAX_SQUARED_ENTRIES,
        };
        let objects = BoundedObjects::new(&self.repository.objects, budget);
        // Without a commit graph, the objects show where each comparison begins.
        let (commits, path) = (None, BStr::new(path));
        let outcome = gix::blame::file(&objects, self.head, commits, &mut self.blobs, path, options);
        self.blobs.clear_resource_cache_keep_allocation();
        self.stops_left -= usize::from(objects.is_exceeded());
        outcome.map_err(error_text)
    }

    fn read_commit(&self, id: ObjectId) -> Result<BlameCommit, String> {
        let commit = self.repository.find_commit(id).map_err(error_text)?;
        let author = commit.author().map_err(error_text)?;
        Ok(BlameCommit {
            time: commit.time().map_err(error_text)?.seconds,
            id: id.to_hex().to_string(),
            author: mask_prose(&format!("{} <{}>", author.name, author.email)).into_owned(),
        })
    }
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
