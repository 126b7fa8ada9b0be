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

/// Consecutive lines that one commit last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlameRun {
    /// The first line, 0-based.
    pub first_line: u32,
    /// The number of lines.
    pub line_count: u32,
    /// The index of the commit in [`FileBlame::commits`].
    pub commit: u32,
}

/// The lines of a file, grouped into runs that one commit last changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBlame {
    /// The commits, sorted by time.
    pub commits: Vec<BlameCommit>,
    /// The runs in the order of the file. Lines outside all runs are older than the commits that
    /// were read.
    pub runs: Vec<BlameRun>,
}

impl FileBlame {
    /// Returns the last commit that changed one of the lines `first..=last`, 0-based; `None` if
    /// none of them is in a run.
    pub fn last_commit(&self, first: u32, last: u32) -> Option<&BlameCommit> {
        let from = self.runs.partition_point(|run| run.first_line.saturating_add(run.line_count) <= first);
        let touched = self.runs[from..].iter().take_while(|run| run.first_line <= last);
        // The commits are sorted by time, so the greatest index is the latest.
        touched.map(|run| run.commit).max().and_then(|commit| self.commits.get(commit as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_commit_of_some_lines_is_the_newest_of_their_runs() {
        let commit = |time: i64| BlameCommit { time, id: time.to_string(), author: "a".to_owned() };
        let run = |first_line, line_count, commit| BlameRun { first_line, line_count, commit };
        let blame = FileBlame {
            commits: vec![commit(1), commit(5), commit(9)],
            runs: vec![run(0, 3, 1), run(3, 1, 2), run(4, 2, 0), run(8, 2, 0)],
        };
        let last = |from, to| blame.last_commit(from, to).map(|commit| commit.time);
        assert_eq!(
            [last(0, 2), last(2, 3), last(4, 9), last(6, 7), last(3, 99), last(50, 60)],
            [Some(5), Some(9), Some(1), None, Some(9), None]
        );
    }
}
