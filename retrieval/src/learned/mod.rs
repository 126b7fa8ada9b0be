//! The learned ranker: orders the first candidates by an ensemble of regression trees.
//!
//! Each candidate becomes a row of features ([`feature_names`]), which only read what the pipeline
//! knows: the scores of its stages, the words of the task and of the candidate, the graph around
//! it, the history, and the shape of the task. Nothing depends on the name of a repository. The
//! trees are data (`data/ranker.bin`), learned from the commits of many public repositories
//! (`docs/ranking.md`).

mod feature_table;
mod history_features;
mod list_features;
mod order_features;
mod ranker;
mod relative_features;
mod symbol_features;
mod task_features;
mod term_features;
mod trees;
mod word_features;

pub use feature_table::{FeatureTable, feature_names};
pub use ranker::{LearnedConfig, LearnedTrace};

pub(crate) use ranker::reorder_candidates;
