//! Sets up logging: to standard error, and for the language server also to its client.

use super::{Cli, Command};
use crate::log::ClientLog;
use crate::terminal::standard_streams::{LogStream, StandardStream};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::{EnvFilter, fmt};

/// The environment variable that selects the messages on standard error, in the notation of
/// `tracing_subscriber::EnvFilter`.
const FILTER_VARIABLE: &str = "KENNING_LOG";

/// Starts logging as the arguments and the environment configure it. Returns the log for the client
/// if the command is `serve`, else `None`.
pub fn start_logging(cli: &Cli) -> Option<ClientLog> {
    let level = match (&cli.command, cli.verbose) {
        (_, true) => "info",
        (Command::Serve(_), false) => "warn",
        _ => "error",
    };
    let value = std::env::var(FILTER_VARIABLE).ok().filter(|text| !text.is_empty());
    let parsed = value.as_deref().map(EnvFilter::try_new).transpose();
    let (filter, problem) = match parsed {
        Ok(filter) => (filter.unwrap_or_else(|| EnvFilter::new(level)), None),
        Err(error) => (EnvFilter::new(level), Some(error)),
    };
    let client = matches!(cli.command, Command::Serve(_)).then(ClientLog::default);
    let colors = StandardStream::Error.is_terminal();
    let stderr = fmt::layer().with_writer(|| LogStream).with_ansi(colors).with_filter(filter);
    let subscriber =
        tracing_subscriber::registry().with(stderr).with(client.as_ref().map(ClientLog::tracing_layer));
    // This fails only if another subscriber is already installed, which then stays in use.
    let _ = tracing::subscriber::set_global_default(subscriber);
    if let Some(error) = problem {
        tracing::error!("{FILTER_VARIABLE} is ignored: it must be a filter such as kenning=debug: {error}");
    }
    client
}
