//! Text to symbols and references, references to edges, changed file to changed graph.

mod builtins;
pub mod extract;
pub mod git;
pub mod languages;
pub mod named_file;
mod pattern_list;
pub mod project;
pub mod resolve;
pub mod walk;
pub mod workspace;
