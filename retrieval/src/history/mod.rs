//! What the past of the repository says: commits, and the files and symbols that they touched.
//!
//! After the words themselves, the best evidence for which code a task touches is which code similar tasks touched
//! before.

mod recent;
mod search;
mod touched_symbols;
mod votes;

pub use votes::{CommitVote, VotingCommit};
pub(crate) use votes::{CommitVotes, TouchedChannel};

use kenning_graph::analysis::WHOLE;
use kenning_graph::commits::CommitFacts;
use rustc_hash::FxHashMap;

/// How often a token of the first line counts for one of the rest of a message.
const SUBJECT: u32 = 2;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// The commits of a repository, ready to be searched. Made once and shared; it knows nothing of the graph, so it holds
/// whatever is edited.
#[derive(Clone, Debug, Default)]
pub struct CommitHistory {
    /// Newest first.
    commits: Vec<HistoryCommit>,
    /// Commits and counts by token.
    postings: FxHashMap<Box<str>, Vec<(u32, u32)>>,
    /// Mean length of a message in tokens.
    mean_length: f64,
    /// Today's path of each file that was touched, by number.
    paths: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
    /// The commits that touched a file and the place of the file in them, newest first, by the file's number.
    touches: Vec<Vec<(u32, u32)>>,
}

/// A commit as votes need it.
#[derive(Clone, Debug)]
struct HistoryCommit {
    id: Box<str>,
    subject: Box<str>,
    /// Seconds since the Unix epoch.
    time: i64,
    /// Days before the newest commit; 0 for what claims to be newer.
    age_days: f64,
    /// Tokens of the message.
    length: u32,
    /// All files that it touched.
    touched: u32,
    files: Vec<CommitFile>,
}

#[derive(Clone, Debug)]
struct CommitFile {
    /// Number of today's path.
    path: u32,
    /// What the changed lines stand in.
    symbols: Vec<Box<str>>,
}

impl CommitHistory {
    /// The history of these commits, newest first. Paths must be those of the graph; older ones are followed through the
    /// renames of later commits.
    pub fn new(facts: Vec<CommitFacts>) -> Self {
        // The newest by its own word; a clock that was wrong must not make all others old.
        let newest = facts.first().map_or(0, |commit| commit.time);
        let mut history = Self::default();
        let mut today: FxHashMap<Box<str>, u32> = FxHashMap::default();
        let mut total = 0u64;
        for (place, facts) in (0u32..).zip(facts) {
            let length = history.add_tokens(place, &facts);
            total += u64::from(length);
            let mut files: Vec<CommitFile> = Vec::with_capacity(facts.files.len());
            let mut renames = Vec::new();
            for file in facts.files {
                let known = today.get(&file.path).copied();
                let path = known.unwrap_or_else(|| history.path_number(&file.path));
                if let Some(old) = file.old_path {
                    renames.push((old, path));
                }
                // A file that was copied and edited may be there twice.
                if files.iter().all(|other| other.path != path) {
                    history.touches[path as usize].push((place, files.len() as u32));
                    files.push(CommitFile { path, symbols: file.symbols });
                }
            }
            today.extend(renames);
            history.commits.push(HistoryCommit {
                id: facts.id,
                subject: facts.subject,
                time: facts.time,
                age_days: ((newest - facts.time) as f64 / SECONDS_PER_DAY).max(0.0),
                length,
                touched: facts.touched,
                files,
            });
        }
        history.mean_length = (total as f64 / history.commits.len().max(1) as f64).max(1e-6);
        history
    }

    /// Number of commits.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    fn path_number(&mut self, path: &str) -> u32 {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        let number = self.paths.len() as u32;
        self.paths.push(path.into());
        self.numbers.insert(path.into(), number);
        self.touches.push(Vec::new());
        number
    }

    /// Counts the tokens of a message; gives its length, in which whole identifiers do not count again.
    fn add_tokens(&mut self, place: u32, facts: &CommitFacts) -> u32 {
        let mut length = 0;
        for (tokens, weight) in [(&facts.subject_tokens, SUBJECT), (&facts.body_tokens, 1)] {
            for token in tokens.split_ascii_whitespace() {
                if !token.starts_with(WHOLE) {
                    length += weight;
                }
                if !self.postings.contains_key(token) {
                    self.postings.insert(token.into(), Vec::new());
                }
                let Some(postings) = self.postings.get_mut(token) else { continue };
                match postings.last_mut() {
                    Some((last, count)) if *last == place => *count += weight,
                    _ => postings.push((place, weight)),
                }
            }
        }
        length
    }
}

#[cfg(test)]
mod tests;
