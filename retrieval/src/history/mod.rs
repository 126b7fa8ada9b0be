//! The history of the repository: commits with the files and symbols that they touched.
//!
//! After the words of a task, the code that similar tasks touched is the best evidence for the code
//! that it will touch. [`CommitHistory`] indexes the commits once. `search` finds the commits that
//! resemble a task, `votes` lets them vote for symbols and files of the current graph, `recency`
//! computes how recently and how often files and symbols changed, and `co_changes` finds files that
//! changed together. Ages count from the newest commit.

mod co_changes;
mod recency;
mod search;
mod touched_symbols;
mod votes;

pub use co_changes::{ChangeSeed, CoChange};
pub use touched_symbols::symbols_of_chains;
pub use votes::{CommitVote, VotingCommit};
pub(crate) use votes::{CommitVotes, TouchedChannel};

use kenning_graph::analysis::WHOLE_TOKEN_PREFIX;
use kenning_graph::commits::CommitFacts;
use rustc_hash::FxHashMap;

/// Weight of a token in the first line of a message, relative to one in the rest.
const SUBJECT_WEIGHT: u32 = 2;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// The commits of a repository, indexed for search. The index is built once and shared. It does not
/// refer to the graph, so edits do not invalidate it.
#[derive(Clone, Debug, Default)]
pub struct CommitHistory {
    /// The commits, newest first.
    commits: Vec<HistoryCommit>,
    /// The commits whose messages contain each token, newest first.
    postings: FxHashMap<Box<str>, Vec<Posting>>,
    /// Mean length of a message in tokens.
    mean_length: f64,
    /// The current path of each file that was touched, by number.
    paths: Vec<Box<str>>,
    /// The number of each path in `paths`.
    path_numbers: FxHashMap<Box<str>, u32>,
    /// The commits that touched each file, newest first, by the file's number.
    touches: Vec<Vec<FileTouch>>,
}

/// A token in the message of a commit.
#[derive(Clone, Copy, Debug)]
struct Posting {
    /// Index of the commit in the history.
    commit: u32,
    /// Number of occurrences. Each occurrence in the first line counts [`SUBJECT_WEIGHT`] times.
    count: u32,
}

/// A file that a commit touched.
#[derive(Clone, Copy, Debug)]
struct FileTouch {
    /// Index of the commit in the history.
    commit: u32,
    /// Index of the file among the files of the commit.
    file_index: u32,
}

/// The facts about a commit that votes and co-changes need.
#[derive(Clone, Debug)]
struct HistoryCommit {
    id: Box<str>,
    subject: Box<str>,
    /// Seconds since the Unix epoch.
    time: i64,
    /// Days before the newest commit; 0 for a commit that claims to be newer.
    age_days: f64,
    /// Length of the message in tokens.
    length: u32,
    /// Number of all files that the commit touched.
    touched_count: u32,
    files: Vec<CommitFile>,
}

#[derive(Clone, Debug)]
struct CommitFile {
    /// Number of the current path.
    path: u32,
    /// The dotted names of the declarations around the changed lines.
    symbols: Vec<Box<str>>,
}

impl CommitHistory {
    /// Builds the history of these commits, newest first. Paths are relative to the workspace. The
    /// renames of later commits map older paths to current ones.
    pub fn new(facts: Vec<CommitFacts>) -> Self {
        // The newest commit by its own time. Later dates of other commits count as age 0, so one
        // wrong clock does not make all others old.
        let newest_time = facts.first().map_or(0, |commit| commit.time);
        let mut history = Self::default();
        let mut current_paths: FxHashMap<Box<str>, u32> = FxHashMap::default();
        let mut total = 0u64;
        for (index, facts) in (0u32..).zip(facts) {
            let length = history.add_tokens(index, &facts);
            total += u64::from(length);
            let mut files: Vec<CommitFile> = Vec::with_capacity(facts.files.len());
            let mut renames = Vec::new();
            for file in facts.files {
                let known = current_paths.get(&file.path).copied();
                let path = known.unwrap_or_else(|| history.intern_path(&file.path));
                if let Some(old) = file.old_path {
                    renames.push((old, path));
                }
                // A file that was copied and edited may be listed twice.
                if files.iter().all(|other| other.path != path) {
                    let touch = FileTouch { commit: index, file_index: files.len() as u32 };
                    history.touches[path as usize].push(touch);
                    files.push(CommitFile { path, symbols: file.symbols });
                }
            }
            current_paths.extend(renames);
            history.commits.push(HistoryCommit {
                id: facts.id,
                subject: facts.subject,
                time: facts.time,
                age_days: ((newest_time - facts.time) as f64 / SECONDS_PER_DAY).max(0.0),
                length,
                touched_count: facts.touched_count,
                files,
            });
        }
        history.mean_length = (total as f64 / history.commits.len().max(1) as f64).max(1e-6);
        history
    }

    /// Returns the number of commits.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Whether there are no commits.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Returns the number of a path. Adds the path if it is new.
    fn intern_path(&mut self, path: &str) -> u32 {
        if let Some(&number) = self.path_numbers.get(path) {
            return number;
        }
        let number = self.paths.len() as u32;
        self.paths.push(path.into());
        self.path_numbers.insert(path.into(), number);
        self.touches.push(Vec::new());
        number
    }

    /// Adds the tokens of a message to the postings. Returns the length of the message, in which
    /// whole identifiers do not count in addition to their parts.
    fn add_tokens(&mut self, commit: u32, facts: &CommitFacts) -> u32 {
        let mut length = 0;
        for (tokens, weight) in [(&facts.subject_tokens, SUBJECT_WEIGHT), (&facts.body_tokens, 1)] {
            for token in tokens.split_ascii_whitespace() {
                if !token.starts_with(WHOLE_TOKEN_PREFIX) {
                    length += weight;
                }
                if !self.postings.contains_key(token) {
                    self.postings.insert(token.into(), Vec::new());
                }
                let Some(postings) = self.postings.get_mut(token) else { continue };
                match postings.last_mut() {
                    Some(last) if last.commit == commit => last.count += weight,
                    _ => postings.push(Posting { commit, count: weight }),
                }
            }
        }
        length
    }
}

#[cfg(test)]
mod tests;
