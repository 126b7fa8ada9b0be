//! The recent changes of files and symbols and their number, counted from the newest commit because
//! the ranking has no clock.

use super::{CommitFile, CommitHistory, HistoryCommit, SECONDS_PER_DAY};
use kenning_graph::SymbolRef;

impl CommitHistory {
    /// Returns how busy a file is: the number of its commits, where each halves in value every
    /// `half_life_days` of its age. 0 for an unknown path.
    pub(crate) fn file_activity(&self, path: &str, half_life_days: f64) -> f64 {
        let touches = self.touches_of(path);
        touches
            .iter()
            .map(|&(commit, _)| 0.5f64.powf(self.commits[commit as usize].age_days / half_life_days))
            .sum()
    }

    /// Returns an upper bound of [`Self::file_activity`]: the value of a file that every commit
    /// touched today.
    pub(crate) fn max_file_activity(&self) -> f64 {
        self.commits.len() as f64
    }

    /// Returns the seconds from the last commit that touched a symbol to the newest commit, or
    /// `None` if there are more than `at_most`. If no changed lines were read, a commit to the file
    /// counts.
    pub(crate) fn symbol_age(&self, symbol: &SymbolRef<'_>, at_most: u64) -> Option<u64> {
        let commit = |number: u32| &self.commits[number as usize];
        let touches = self.touches_of(symbol.path).iter();
        let mut young = touches.filter(|touch| commit_seconds(commit(touch.0)) <= at_most).peekable();
        young.peek()?;
        let name = symbol.display_name();
        let touched = young.find(|(number, file)| {
            let files: &[CommitFile] = &commit(*number).files;
            files.get(*file as usize).is_some_and(|file| {
                file.symbols.is_empty() || file.symbols.iter().any(|chain| chain_contains_name(chain, &name))
            })
        });
        touched.map(|touch| commit_seconds(commit(touch.0)))
    }

    pub(super) fn touches_of(&self, path: &str) -> &[(u32, u32)] {
        self.numbers
            .get(path)
            .and_then(|&number| self.touches.get(number as usize))
            .map_or(&[], Vec::as_slice)
    }
}

fn commit_seconds(commit: &HistoryCommit) -> u64 {
    (commit.age_days * SECONDS_PER_DAY) as u64
}

/// Whether a chain of names leads to or through a dotted name. Only the chain may have further
/// outer names.
pub(super) fn chain_contains_name(chain: &str, name: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with('.');
    let mut rest = Some(chain).filter(|chain| chain.len() >= name.len());
    while let Some(here) = rest {
        if here.strip_prefix(name).is_some_and(is_end) {
            return true;
        }
        rest = here.split_once('.').map(|(_, after)| after);
    }
    false
}
