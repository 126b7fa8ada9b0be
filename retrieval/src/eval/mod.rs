//! The scorers of the retrieval benchmark. They score a ranked list against the truths of its task.
//!
//! The scorers are pure functions over plain structs. The callers (`kenning eval`, crate `bench`)
//! read task files, run the pipeline and print tables. There are two task sets with one scorer
//! each:
//!
//! * [`commits`]: the truths are the symbols that a real commit edited, with their files;
//! * [`curated`]: the truths are hand-picked names without a file.
//!
//! The reference implementations are `bench/commits/score.py` and `bench/curated/score.py`. A test
//! in crate `bench` compares every metric of every task with theirs.

pub mod commits;
pub mod curated;
mod curated_names;
mod names;
pub mod statistics;
pub mod summary;

/// Returns the gain of a hit at a rank (from 1) in a discounted cumulative gain:
/// `1 / log2(rank + 1)`.
fn rank_discount(rank: usize) -> f64 {
    1.0 / ((rank + 1) as f64).log2()
}

/// Returns the discounted cumulative gain of a perfect list of ten for this number of truths.
fn ideal_gain(truths: usize) -> f64 {
    (1..=truths.min(10)).map(rank_discount).sum()
}
