//! Logs, which go to standard error and nowhere else.

use super::{Cli, Command};
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// The variable that chooses what is logged, in the notation of `tracing_subscriber::EnvFilter`.
const VARIABLE: &str = "KENNING_LOG";

/// Starts logging as the arguments and the environment ask.
pub fn start(cli: &Cli) {
    let level = match (&cli.command, cli.verbose) {
        (_, true) => "info",
        (Command::Serve(_), false) => "warn",
        _ => "error",
    };
    let asked = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
    let parsed = asked.as_deref().map(EnvFilter::try_new).transpose();
    let (filter, problem) = match parsed {
        Ok(filter) => (filter.unwrap_or_else(|| EnvFilter::new(level)), None),
        Err(error) => (EnvFilter::new(level), Some(error)),
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .finish();
    // Fails only when something else logs already; then that goes on.
    let _ = tracing::subscriber::set_global_default(subscriber);
    if let Some(error) = problem {
        tracing::error!("{VARIABLE} is ignored, it is no filter like kenning=debug: {error}");
    }
}
