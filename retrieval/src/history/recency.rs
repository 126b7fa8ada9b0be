//! Computes how recently and how often files and symbols changed. Ages count from the newest
//! commit, because the ranking has no clock.

use super::{CommitFile, CommitHistory, FileTouch, HistoryCommit, SECONDS_PER_DAY};
use kenning_graph::SymbolRef;

/// Number of a file's newest commits that are searched for the changes of a symbol. Some files are
/// in thousands of commits.
const SEARCHED_COMMITS: usize = 200;

/// The known changes of a symbol and of its file. Ages are in days.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ChangeCounts {
    pub symbol_age: Option<f64>,
    pub symbol_commits: usize,
    pub file_age: Option<f64>,
    pub file_commits: usize,
}

impl CommitHistory {
    /// Returns the activity of a file: the number of its commits, where the weight of a commit
    /// halves every `half_life_days` of its age. Returns 0 for an unknown path.
    pub(crate) fn file_activity(&self, path: &str, half_life_days: f64) -> f64 {
        let touches = self.touches_of_path(path);
        touches
            .iter()
            .map(|touch| 0.5f64.powf(self.commits[touch.commit as usize].age_days / half_life_days))
            .sum()
    }

    /// Returns an upper bound of [`Self::file_activity`]: the value of a file that every commit
    /// touched at age 0.
    pub(crate) fn max_file_activity(&self) -> f64 {
        self.commits.len() as f64
    }

    /// Returns the seconds from the last commit that touched a symbol to the newest commit, or
    /// `None` if there are more than `max_age`. A commit whose changed lines were not read counts
    /// as a change of every symbol in the file.
    pub(crate) fn symbol_age(&self, symbol: &SymbolRef<'_>, max_age: u64) -> Option<u64> {
        let commit = |number: u32| &self.commits[number as usize];
        let touches = self.touches_of_path(symbol.path).iter();
        let mut recent =
            touches.filter(|touch| commit_age_seconds(commit(touch.commit)) <= max_age).peekable();
        recent.peek()?;
        let name = symbol.display_name();
        let touched = recent.find(|touch| {
            let files: &[CommitFile] = &commit(touch.commit).files;
            files.get(touch.file_index as usize).is_some_and(|file| {
                file.symbols.is_empty() || file.symbols.iter().any(|chain| chain_contains_name(chain, &name))
            })
        });
        touched.map(|touch| commit_age_seconds(commit(touch.commit)))
    }

    /// Counts the known changes of a symbol and its file. A commit whose changed lines were not
    /// read counts as a change of every symbol in the file. Only the [`SEARCHED_COMMITS`] newest
    /// commits of a file are searched for the symbol.
    pub(crate) fn count_changes(&self, symbol: &SymbolRef<'_>) -> ChangeCounts {
        let touches = self.touches_of_path(symbol.path);
        let age = |number: u32| self.commits[number as usize].age_days;
        let name = symbol.display_name();
        let mut counts = ChangeCounts {
            file_age: touches.first().map(|touch| age(touch.commit)),
            file_commits: touches.len(),
            ..ChangeCounts::default()
        };
        for &FileTouch { commit, file_index } in touches.iter().take(SEARCHED_COMMITS) {
            let Some(file) = self.commits[commit as usize].files.get(file_index as usize) else { continue };
            if file.symbols.is_empty() || file.symbols.iter().any(|chain| chain_contains_name(chain, &name)) {
                counts.symbol_commits += 1;
                counts.symbol_age.get_or_insert(age(commit));
            }
        }
        counts
    }

    /// Returns the commits that touched the file at a current path, newest first.
    pub(super) fn touches_of_path(&self, path: &str) -> &[FileTouch] {
        self.path_numbers
            .get(path)
            .and_then(|&number| self.touches.get(number as usize))
            .map_or(&[], Vec::as_slice)
    }
}

fn commit_age_seconds(commit: &HistoryCommit) -> u64 {
    (commit.age_days * SECONDS_PER_DAY) as u64
}

/// Whether a chain of names contains a dotted name as consecutive parts. The chain may have further
/// outer and inner names.
pub(super) fn chain_contains_name(chain: &str, name: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with('.');
    let mut rest = Some(chain).filter(|chain| chain.len() >= name.len());
    while let Some(suffix) = rest {
        if suffix.strip_prefix(name).is_some_and(is_end) {
            return true;
        }
        rest = suffix.split_once('.').map(|(_, after)| after);
    }
    false
}
