//! Downstream language servers: finding, running and supervising them, and turning their answers
//! into verdicts about the graph.
//!
//! * `servers` reads the table of servers (`servers.toml`) and decides which one to use, how to
//!   start it, and whether that is safe in an untrusted workspace.
//! * `client` runs one server as a child process and exchanges requests and notifications with it.
//! * `session` asks one running server about the references of a file and turns its answers into
//!   verdicts.
//! * `supervisor` starts a server when there are jobs for it, watches and restarts it, and stops it
//!   when it is idle. It runs the jobs for code that the user is viewing first.
//!
//! [`Enrichment`] combines all of them for one workspace: it has one server per language and
//! project folder.
//!
//! The crate must not know SQL, ranking or parsing. It reads the workspace through
//! [`WorkspaceSource`] and delivers its results to a [`VerdictSink`].

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

pub use enrichment::{Enrichment, EnrichmentConfig};
pub use server_metrics::ServerMetrics;
pub use session::{DefinitionLocation, FileChangeKind, request_definitions};
pub use supervisor::{
    PriorityRequest, ProcessConnector, ServerConnector, ServerFuture, ServerState, ServerStatus, StartRequest,
};
pub use workspace::{DocumentText, VerdictSink, WorkspaceSource};
