//! The user's settings for a server, which override its row of the table.

use super::ServerSpec;
use crate::json_merge::merge_json;
use serde_json::Value;

/// The user's settings for a server. An absent value keeps the value of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerOverride {
    /// Whether Kenning must not use the server.
    pub disabled: bool,
    /// The program: a name on the search path or an absolute path.
    pub program: Option<String>,
    /// Arguments of the program.
    pub arguments: Option<Vec<String>>,
    /// Values to merge into the initialization options.
    pub options: Value,
    /// Values to merge into the settings.
    pub settings: Value,
    /// Maximum number of requests that wait for an answer at one time.
    pub in_flight: Option<usize>,
    /// Limit for the memory of the server and its descendants, in MiB.
    pub memory_mib: Option<u64>,
}

impl ServerSpec {
    /// Returns the row with the user's settings applied.
    pub fn with_override(&self, settings: &ServerOverride) -> Self {
        let mut server = self.clone();
        if let Some(program) = &settings.program {
            let arguments = server.command.split_off(1.min(server.command.len()));
            server.command = vec![program.clone()];
            server.command.extend(arguments);
        }
        if let Some(arguments) = &settings.arguments {
            server.command.truncate(1);
            server.command.extend(arguments.iter().cloned());
        }
        merge_json(&mut server.always.options, &settings.options);
        merge_json(&mut server.always.settings, &settings.settings);
        server.in_flight = settings.in_flight.unwrap_or(server.in_flight).max(1);
        server.memory_mib = settings.memory_mib.unwrap_or(server.memory_mib);
        server
    }
}
