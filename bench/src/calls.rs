//! Grading of the graph's call edges against the answers from a language server.
//!
//! `sample` draws call sites from bare syntax trees, so that the sample includes calls that
//! extraction misses. `truth_collection` follows each call to its declarations with a language
//! server, and returns the rows of a truth file (`truth`). `score` compares the edges of an indexed
//! tree (`tree`) with that file. `reasons` counts, without a server, why calls have no edge.
//! `syntax` finds calls and classifies definitions by the node kinds of each grammar, and
//! `repositories` is the table of repositories.

pub mod reasons;
pub mod repositories;
pub mod sample;
pub mod score;
pub mod syntax;
pub mod tree;
pub mod truth;
pub mod truth_collection;
