//! What the user says of a server, laid over its row of the table.

use super::ServerSpec;
use crate::json_merge::merge_json;
use serde_json::Value;

/// What the user says of a server; what is absent stays as in the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerOverride {
    /// `false`: it is not used.
    pub disabled: bool,
    /// Its program: a name on the search path or an absolute path.
    pub program: Option<String>,
    /// Its arguments.
    pub arguments: Option<Vec<String>>,
    /// Laid over the initialization options.
    pub options: Value,
    /// Laid over the settings.
    pub settings: Value,
    /// Requests that wait for an answer at one time.
    pub in_flight: Option<usize>,
    /// The most that it and its children may use, in MiB.
    pub memory_mib: Option<u64>,
}

impl ServerSpec {
    /// The row with what the user says laid over it.
    pub fn with_override(&self, said: &ServerOverride) -> Self {
        let mut server = self.clone();
        if let Some(program) = &said.program {
            let arguments = server.command.split_off(1.min(server.command.len()));
            server.command = vec![program.clone()];
            server.command.extend(arguments);
        }
        if let Some(arguments) = &said.arguments {
            server.command.truncate(1);
            server.command.extend(arguments.iter().cloned());
        }
        merge_json(&mut server.always.options, &said.options);
        merge_json(&mut server.always.settings, &said.settings);
        server.in_flight = said.in_flight.unwrap_or(server.in_flight).max(1);
        server.memory_mib = said.memory_mib.unwrap_or(server.memory_mib);
        server
    }
}
