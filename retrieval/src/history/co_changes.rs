//! Files that changed together: evidence from the version history for the files that a change is
//! also likely to touch.
//!
//! A commit that touches a seed and another file makes a pair of the two.
//! [`CommitHistory::co_changed_files`] counts the pairs of the commits that touched the seeds, so
//! the index stores no pairs. The more files a commit touched, the less each of its pairs
//! weighs, because a commit to fifty files is weak evidence for any two of them.

use super::{CommitHistory, HistoryCommit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of files of a commit whose pairs count. Larger commits move, reformat or import
/// code.
const MAX_TOUCHED: u32 = 60;

/// Maximum number of commits that are read for one request, the newest first. Changelogs and lock
/// files are in most commits of a repository.
const MAX_COMMITS: usize = 3_000;

/// Half-life of a pair's recent weight, in days.
const HALF_LIFE_DAYS: f64 = 365.0;

/// A file that is about to change, with its symbols that are about to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSeed {
    /// The path of the file.
    pub path: String,
    /// The dotted names of the symbols; empty for the whole file.
    pub symbols: Vec<String>,
}

/// A file that changed together with the seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoChange {
    /// The current path of the file.
    pub path: String,
    /// Number of commits that touched the file and a seed.
    pub together: u32,
    /// Number of these commits that touched one of the seeds' symbols.
    pub with_symbol: u32,
    /// Number of commits that touched a seed, with or without this file, except for commits of too
    /// many files to count.
    pub seed_commits: u32,
    /// Number of commits that touched the file.
    pub file_commits: u32,
    /// Sum of the pairs' weights.
    pub weight: f64,
    /// Sum of the pairs' weights, each halved for every year of the commit's age.
    pub recent_weight: f64,
    /// Sum of the weights of the pairs with one of the seeds' symbols.
    pub symbol_weight: f64,
    /// Days from the newest of these commits to the newest commit of the repository.
    pub age_days: f64,
}

impl CommitHistory {
    /// Returns the files that changed together with the seeds, heaviest first and then by path,
    /// at most `limit`. Leaves out the seeds. Empty if no commit touched a seed.
    pub fn co_changed_files(&self, seeds: &[ChangeSeed], limit: usize) -> Vec<CoChange> {
        let seed_files: FxHashSet<u32> =
            seeds.iter().filter_map(|seed| self.path_numbers.get(seed.path.as_str()).copied()).collect();
        let mut commits: Vec<(u32, bool)> = seeds.iter().flat_map(|seed| self.seed_commits(seed)).collect();
        commits.sort_unstable_by_key(|&(commit, touches_symbol)| (commit, !touches_symbol));
        commits.dedup_by_key(|(commit, _)| *commit);
        commits.truncate(MAX_COMMITS);
        let mut by_file: FxHashMap<u32, CoChange> = FxHashMap::default();
        for &(number, touches_symbol) in &commits {
            let commit = &self.commits[number as usize];
            let weight = pair_weight(commit);
            let recent_weight = weight * 0.5f64.powf(commit.age_days / HALF_LIFE_DAYS);
            for file in commit.files.iter().filter(|file| !seed_files.contains(&file.path)) {
                let entry = by_file
                    .entry(file.path)
                    .or_insert_with(|| self.new_co_change(file.path, commits.len(), commit));
                entry.together += 1;
                entry.weight += weight;
                entry.recent_weight += recent_weight;
                if touches_symbol {
                    entry.with_symbol += 1;
                    entry.symbol_weight += weight;
                }
            }
        }
        let mut co_changes: Vec<CoChange> = by_file.into_values().collect();
        co_changes.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.path.cmp(&b.path)));
        co_changes.truncate(limit);
        co_changes
    }

    /// Returns the commits that touched a seed and at most [`MAX_TOUCHED`] files, each with whether
    /// it touched one of the seed's symbols.
    fn seed_commits(&self, seed: &ChangeSeed) -> impl Iterator<Item = (u32, bool)> {
        let touches = self.touches_of_path(&seed.path).iter();
        touches.filter_map(|touch| {
            let commit = &self.commits[touch.commit as usize];
            let chains = &commit.files.get(touch.file_index as usize)?.symbols;
            let touches_symbol = chains.iter().any(|chain| {
                seed.symbols.iter().any(|name| super::recency::chain_contains_name(chain, name))
            });
            (commit.touched_count <= MAX_TOUCHED).then_some((touch.commit, touches_symbol))
        })
    }

    fn new_co_change(&self, path: u32, seed_commits: usize, newest: &HistoryCommit) -> CoChange {
        CoChange {
            path: self.paths[path as usize].to_string(),
            seed_commits: seed_commits as u32,
            file_commits: self.touches[path as usize].len() as u32,
            age_days: newest.age_days,
            ..CoChange::default()
        }
    }
}

/// Returns the weight of each pair of a commit.
fn pair_weight(commit: &HistoryCommit) -> f64 {
    1.0 / f64::from(commit.touched_count.max(2) - 1).sqrt()
}
