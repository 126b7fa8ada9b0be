//! Judging the graph's calls: a sample of call sites, what a language server says of each, and what we say.

pub mod ask;
pub mod reasons;
pub mod repositories;
pub mod sample;
pub mod score;
pub mod syntax;
pub mod tree;
pub mod truth;
