//! `$/setTrace` and `$/logTrace`: reports how the server handled each message, for debugging.

use lsp_types::LogTraceParams;
use serde_json::Value;
use std::fmt::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, Request};

/// The level without traces.
const OFF: u8 = 0;
/// The level of traces without parameters.
const MESSAGES: u8 = 1;
/// The level of traces with parameters.
const VERBOSE: u8 = 2;

/// Maximum number of bytes of a message's parameters that a trace shows. The text of an opened
/// document would hide everything else.
const MAX_PARAM_BYTES: usize = 4096;

/// The level of tracing that the client wants, and the client to send traces to.
pub struct MessageTrace {
    level: AtomicU8,
    client: Client,
}

/// The record of a message that is being handled.
pub struct TraceRecord {
    name: String,
    params: Option<String>,
}

impl MessageTrace {
    /// Creates the trace for `client`. Nothing is sent until the client asks for it.
    pub fn new(client: Client) -> Self {
        Self { level: AtomicU8::new(OFF), client }
    }

    /// Sets the level from a trace value of the protocol. An unknown value is logged and changes
    /// nothing.
    pub fn set_verbosity(&self, value: Option<&Value>) {
        let level = match value.and_then(Value::as_str) {
            Some("off") => OFF,
            // Visual Studio Code's third value differs only in how it displays traces.
            Some("messages" | "compact") => MESSAGES,
            Some("verbose") => VERBOSE,
            _ => {
                if let Some(value) = value.filter(|value| !value.is_null()) {
                    tracing::warn!(%value, "ignoring a trace value that is not off, messages or verbose");
                }
                return;
            }
        };
        self.level.store(level, Ordering::Relaxed);
    }

    /// Starts the record of a message, to be sent when the message is handled; `None` if the client
    /// wants no traces.
    pub fn begin_record(&self, request: &Request) -> Option<TraceRecord> {
        let level = self.level.load(Ordering::Relaxed);
        if level == OFF {
            return None;
        }
        let name = match request.id() {
            Some(id) => format!("request '{} - ({id})'", request.method()),
            None => format!("notification '{}'", request.method()),
        };
        let params = (level == VERBOSE).then(|| {
            let params = request.params().map_or_else(|| "null".to_owned(), Value::to_string);
            format!("Params: {}", shorten_params(params))
        });
        Some(TraceRecord { name, params })
    }

    /// Sends the record with the outcome of the message.
    pub async fn end_record(&self, record: TraceRecord, duration: Duration, error: Option<&Error>) {
        let milliseconds = duration.as_secs_f64() * 1e3;
        let outcome = error.map_or_else(String::new, |error| format!(": {} ({})", error.message, error.code));
        let message = format!("Handled {} in {milliseconds:.1} ms{outcome}", record.name);
        let params = LogTraceParams { message, verbose: record.params };
        self.client.send_notification::<lsp_types::notification::LogTrace>(params).await;
    }
}

/// Returns the text, or its start with the total length if it is longer than [`MAX_PARAM_BYTES`].
fn shorten_params(mut text: String) -> String {
    if text.len() > MAX_PARAM_BYTES {
        let length = text.len();
        let cut = (0..=MAX_PARAM_BYTES).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(cut);
        let _ = write!(text, "... ({length} bytes)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_parameters_are_cut_between_characters() {
        assert_eq!(shorten_params("short".into()), "short");
        let cut = shorten_params("a".repeat(MAX_PARAM_BYTES - 1) + "éé");
        assert_eq!(cut, "a".repeat(MAX_PARAM_BYTES - 1) + "... (4099 bytes)");
    }
}
