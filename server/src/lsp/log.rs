//! `window/logMessage`: sends Kenning's log to the editor.

use crate::format::wording::render_quantity;
use crate::log::{ClientLog, LogLine};
use lsp_types::MessageType;
use tower_lsp::Client;
use tracing::Level;

/// Sends log lines to the client until the session ends.
pub async fn forward_log(client: Client, log: ClientLog) {
    let Some(mut lines) = log.take_lines() else { return };
    while let Some(line) = lines.recv().await {
        client.log_message(message_type(line.level), line.text).await;
        let dropped = log.take_dropped();
        if dropped > 0 {
            let lines = render_quantity(dropped as usize, "log line");
            let text = format!("Dropped {lines}, because the client reads too slowly");
            let line = LogLine { level: Level::WARN, text };
            client.log_message(message_type(line.level), line.text).await;
        }
    }
}

fn message_type(level: Level) -> MessageType {
    match level {
        Level::ERROR => MessageType::ERROR,
        Level::WARN => MessageType::WARNING,
        Level::INFO => MessageType::INFO,
        _ => MessageType::LOG,
    }
}
