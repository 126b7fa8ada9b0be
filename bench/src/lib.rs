//! Measuring the speed of the built `kenning`: child processes, a language-server session, the table.
//!
//! The retrieval benchmark is `kenning eval`; `tests/scorers.rs` compares its scorers with the reference ones.

pub mod calls;
pub mod child;
pub mod class_targets;
pub mod confirmed;
pub mod judged;
pub mod latency;
pub mod session;
pub mod speed;
pub mod symbols;
pub mod yardsticks;
