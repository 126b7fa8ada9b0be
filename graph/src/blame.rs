//! Blame: the commits that last changed the lines of a file, according to version control.

use serde::{Deserialize, Serialize};

/// The commit that last changed some lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlameCommit {
    /// The commit time, in seconds since the Unix epoch.
    pub time: i64,
    /// The commit id, in lower-case hex.
    pub id: String,
    /// The author's name and address, with credentials masked.
    pub author: String,
}

/// The lines of a file, grouped into runs that one commit last changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBlame {
    /// The commits, sorted by time.
    pub commits: Vec<BlameCommit>,
    /// The first line (0-based), the number of lines, and the index of the commit for each run, in
    /// the order of the file. Lines outside all runs are older than the commits that were read.
    pub runs: Vec<(u32, u32, u32)>,
}

impl FileBlame {
    /// Returns the last commit that changed one of the lines `first..=last`, 0-based; `None` if
    /// none of them is in a run.
    pub fn last_commit(&self, first: u32, last: u32) -> Option<&BlameCommit> {
        let from = self.runs.partition_point(|&(start, count, _)| start.saturating_add(count) <= first);
        let touched = self.runs[from..].iter().take_while(|&&(start, ..)| start <= last);
        // The commits are sorted by time, so the greatest index is the latest.
        touched.map(|&(.., commit)| commit).max().and_then(|commit| self.commits.get(commit as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_commit_of_some_lines_is_the_newest_of_their_runs() {
        let commit = |time: i64| BlameCommit { time, id: time.to_string(), author: "a".to_owned() };
        let blame = FileBlame {
            commits: vec![commit(1), commit(5), commit(9)],
            runs: vec![(0, 3, 1), (3, 1, 2), (4, 2, 0), (8, 2, 0)],
        };
        let last = |from, to| blame.last_commit(from, to).map(|commit| commit.time);
        assert_eq!(
            [last(0, 2), last(2, 3), last(4, 9), last(6, 7), last(3, 99), last(50, 60)],
            [Some(5), Some(9), Some(1), None, Some(9), None]
        );
    }
}
