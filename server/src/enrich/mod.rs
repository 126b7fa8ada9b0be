//! Connects `kenning-enrichment` to a workspace: its text and references for language servers, a
//! sink for their verdicts, and reports on their contributions.

mod report;
mod sink;
mod source;

pub use report::ServerReport;
pub use sink::BatchingSink;
pub use source::{LiveWorkspace, WorkspaceState};

use crate::config::Config;
use kenning_enrichment::servers::ServerOverride;
use std::collections::BTreeMap;

/// Returns the settings of language servers in the form that enrichment takes.
pub fn server_overrides(config: &Config) -> BTreeMap<String, ServerOverride> {
    let overrides = config.servers.iter().map(|(name, server)| {
        let server_override = ServerOverride {
            disabled: !server.enabled,
            program: server.command.clone(),
            arguments: server.args.clone(),
            ..ServerOverride::default()
        };
        (name.clone(), server_override)
    });
    overrides.collect()
}
