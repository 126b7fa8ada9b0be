//! From a task, files, a change or a position to a ranked, explained, token-budgeted answer.

pub mod eval;
