//! Enrichment as the server runs it: what language servers get of a workspace, where their answers go, and what is reported of
//! them.

mod report;
mod sink;
mod source;

pub use report::ServerReport;
pub use sink::BatchingSink;
pub use source::{LiveWorkspace, WorkspaceState};

use crate::config::Config;
use kenning_enrichment::servers::ServerOverride as Said;
use std::collections::BTreeMap;

/// What the configuration says of language servers, as enrichment takes it.
pub fn server_overrides(config: &Config) -> BTreeMap<String, Said> {
    let said = config.servers.iter().map(|(name, server)| {
        let said = Said {
            disabled: !server.enabled,
            program: server.command.clone(),
            arguments: server.args.clone(),
            ..Said::default()
        };
        (name.clone(), said)
    });
    said.collect()
}
