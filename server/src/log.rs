//! Kenning's log for an editor. It contains only lines up to the level that the editor chose.
//! Logging never waits for an editor that does not read.

use crate::config::options::LogLevel;
use std::fmt::{self, Debug, Formatter, Write};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Filter, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Maximum number of lines that wait for an editor that does not read. Further lines are dropped
/// and counted.
const MAX_WAITING_LINES: usize = 1024;

/// Prefix of the targets that the editor sees. Messages of libraries go to standard error only.
const TARGET_PREFIX: &str = "kenning";

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The severity.
    pub level: Level,
    /// The message with its fields.
    pub text: String,
}

/// The channel for log lines to one editor. Clones share it.
#[derive(Clone)]
pub struct ClientLog(Arc<ClientLogState>);

/// The state that all clones of a [`ClientLog`] share.
struct ClientLogState {
    /// The [`LogLevel`] as a number.
    level: AtomicU8,
    sender: Sender<LogLine>,
    receiver: Mutex<Option<Receiver<LogLine>>>,
    dropped: AtomicU64,
}

impl Default for ClientLog {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(MAX_WAITING_LINES);
        Self(Arc::new(ClientLogState {
            level: AtomicU8::new(LogLevel::default() as u8),
            sender,
            receiver: Mutex::new(Some(receiver)),
            dropped: AtomicU64::new(0),
        }))
    }
}

impl Debug for ClientLog {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClientLog").field(&self.level_filter()).finish()
    }
}

impl ClientLog {
    /// Returns the layer that collects the lines, for the process's subscriber.
    pub fn tracing_layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        self.clone().with_filter(self.clone())
    }

    /// Sets the level that the editor wants.
    pub fn set_level(&self, level: LogLevel) {
        if self.0.level.swap(level as u8, Ordering::Relaxed) != level as u8 {
            // Call sites cache whether their lines are logged.
            tracing::callsite::rebuild_interest_cache();
        }
    }

    /// Returns the receiver of the lines; `None` if it was taken before.
    pub fn take_lines(&self) -> Option<Receiver<LogLine>> {
        self.0.receiver.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the number of lines that were dropped since the last call.
    pub fn take_dropped(&self) -> u64 {
        self.0.dropped.swap(0, Ordering::Relaxed)
    }

    fn level_filter(&self) -> LevelFilter {
        const LEVELS: [LevelFilter; 6] = [
            LevelFilter::OFF,
            LevelFilter::ERROR,
            LevelFilter::WARN,
            LevelFilter::INFO,
            LevelFilter::DEBUG,
            LevelFilter::TRACE,
        ];
        LEVELS[usize::from(self.0.level.load(Ordering::Relaxed)).min(LEVELS.len() - 1)]
    }

    fn is_logged(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(TARGET_PREFIX) && *metadata.level() <= self.level_filter()
    }
}

impl<S: Subscriber> Filter<S> for ClientLog {
    fn enabled(&self, metadata: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        self.is_logged(metadata)
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.is_logged(metadata) { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level_filter())
    }
}

impl<S: Subscriber> Layer<S> for ClientLog {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = EventText::default();
        event.record(&mut text);
        let line = LogLine { level: *event.metadata().level(), text: text.into_message() };
        if self.0.sender.try_send(line).is_err() {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The message of an event with its fields.
#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
}

impl EventText {
    fn into_message(self) -> String {
        if self.fields.is_empty() { self.message } else { format!("{} ({})", self.message, self.fields) }
    }

    fn write_field(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        if field.name() == "message" {
            self.message = value.to_string();
            return;
        }
        let comma = if self.fields.is_empty() { "" } else { ", " };
        let _ = write!(self.fields, "{comma}{}: {value}", field.name());
    }
}

impl Visit for EventText {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.write_field(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write_field(field, format_args!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    fn lines(receiver: &mut Receiver<LogLine>) -> Vec<String> {
        let mut lines = Vec::new();
        while let Ok(line) = receiver.try_recv() {
            lines.push(format!("{} {}", line.level, line.text));
        }
        lines
    }

    #[test]
    fn an_editor_gets_only_messages_of_kenning_up_to_its_level() {
        let log = ClientLog::default();
        let mut receiver = log.take_lines().unwrap();
        assert!(log.take_lines().is_none());
        let log_events = || {
            tracing::error!(path = "a b.py", version = 3, "failed");
            tracing::info!(error = %"why", "done");
            tracing::debug!("detail");
            tracing::error!(target: "rustls", "another library");
        };
        tracing::subscriber::with_default(tracing_subscriber::registry().with(log.tracing_layer()), || {
            log_events();
            assert_eq!(
                lines(&mut receiver),
                ["ERROR failed (path: a b.py, version: 3)", "INFO done (error: why)"]
            );
            log.set_level(LogLevel::Debug);
            log_events();
            assert_eq!(lines(&mut receiver).len(), 3);
            log.set_level(LogLevel::Error);
            log_events();
            assert_eq!(lines(&mut receiver).len(), 1);
            log.set_level(LogLevel::Off);
            log_events();
            assert_eq!(lines(&mut receiver), [""; 0]);
        });
    }

    #[test]
    fn an_editor_that_does_not_read_costs_no_memory() {
        let log = ClientLog::default();
        let mut receiver = log.take_lines().unwrap();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(log.tracing_layer()), || {
            for n in 0..MAX_WAITING_LINES + 7 {
                tracing::info!(n, "line");
            }
        });
        assert_eq!(lines(&mut receiver).len(), MAX_WAITING_LINES);
        assert_eq!((log.take_dropped(), log.take_dropped()), (7, 0));
    }
}
