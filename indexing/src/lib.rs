//! Text to symbols and references, references to edges, changed file to changed graph.

pub mod git;
pub mod project;
pub mod walk;
