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
    let filter = EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new(level));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .finish();
    // Fails only when something else logs already; then that goes on.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
