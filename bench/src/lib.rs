//! Measurements of the built `kenning` and of its parts.
//!
//! * `speed`, `latency`, `confirmed`: times and memory of child processes and of a language-server
//!   session (`child`, `session`), with a bare parse and ctags for comparison (`baselines`).
//! * `calls`, `call_comparison`: call edges against the answers of language servers.
//! * `pack_tokens`: tokens of packs in every format, and savings for readers who have a pack.
//! * `symbols`: symbols against the tags of Universal Ctags.
//! * `training`, `questions`: training tasks for the ranking, from the history and the symbols of
//!   repositories.
//! * `ripple`: tasks that ask which other files a commit edits.
//! * `class_targets`: targets of the equivalence classes against the sources of frameworks.
//!
//! The retrieval benchmark is `kenning eval`; `tests/scorers.rs` compares its scorers with the
//! reference scorers.

pub mod baselines;
pub mod call_comparison;
pub mod calls;
pub mod child;
pub mod class_targets;
pub mod confirmed;
pub mod git;
pub mod latency;
pub mod pack_tokens;
pub mod questions;
pub mod ripple;
pub mod session;
pub mod speed;
pub mod symbols;
pub mod training;
