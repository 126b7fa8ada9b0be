//! Downstream language servers: which there are for each language, which of them this machine has, running them, and
//! turning their answers into verdicts about the graph.
//!
//! The crate must not know SQL, ranking or parsing. What it needs of the workspace comes through [`Workspace`], what it
//! finds goes to a [`VerdictSink`].

pub mod lsp;
pub mod servers;

mod ask;
mod enrichment;
mod lined;
mod merge;
mod supervise;
mod tally;
mod workspace;

#[cfg(test)]
mod tests;

pub use ask::{Change, definitions};
pub use enrichment::{Config, Demand, Enrichment};
pub use supervise::{Connect, Connecting, ServerStatus, Spawn, Start, State};
pub use tally::Tally;
pub use workspace::{Text, VerdictSink, Workspace};
