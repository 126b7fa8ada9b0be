//! Downstream language servers: which there are for each language, which of them this machine has, running them, and
//! turning their answers into verdicts about the graph.
//!
//! The crate must not know SQL, ranking or parsing. What it needs of the workspace comes through [`WorkspaceSource`], what it
//! finds goes to a [`VerdictSink`].

pub mod client;
pub mod servers;

mod enrichment;
mod json_merge;
mod line_index;
mod server_metrics;
mod session;
mod supervisor;
mod workspace;

#[cfg(test)]
mod tests;

pub use enrichment::{Enrichment, EnrichmentConfig, PriorityFile};
pub use server_metrics::ServerMetrics;
pub use session::{FileChangeKind, request_definitions};
pub use supervisor::{
    ProcessConnector, ServerConnector, ServerFuture, ServerState, ServerStatus, StartRequest,
};
pub use workspace::{DocumentText, VerdictSink, WorkspaceSource};
