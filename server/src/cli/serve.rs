//! `kenning serve`: the language server over standard input and output.

use super::args::{DatabaseArgs, ServeArgs};
use crate::config::trust::TrustStore;
use crate::log::ClientLog;
use crate::lsp::{self, ServeOptions, SessionEnd};
use crate::session::ServersOptions;
use crate::session_sockets::SessionKind;
use anyhow::Context;
use kenning_indexing::reader_threads::READER_STACK_BYTES;
use kenning_indexing::workspace::WorkspaceOptions;
use std::process::ExitCode;

/// Serves until the client ends the session. Returns exit status 0 after `shutdown` and `exit`, 1
/// otherwise.
pub fn run_serve(args: ServeArgs, log: Option<ClientLog>) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(READER_STACK_BYTES)
        .build()
        .context("the language server cannot start its threads")?;
    let options = ServeOptions {
        root: args.root,
        ranking: args.config,
        client_process: args.client_process_id,
        log,
        standard_input: true,
        offered_as: Some(SessionKind::Editor),
        ..session_options(args.database)
    };
    let end = runtime.block_on(lsp::serve_client(tokio::io::stdin(), tokio::io::stdout(), options));
    // A pending read of standard input may never return and must not keep the process alive.
    runtime.shutdown_background();
    Ok(match end {
        SessionEnd::Orderly => ExitCode::SUCCESS,
        SessionEnd::Abrupt => ExitCode::FAILURE,
    })
}

/// Returns the options that all sessions of this user share, and prunes the cache in the background
/// if that is due.
pub fn session_options(database: DatabaseArgs) -> ServeOptions {
    let prune_database = database.clone();
    // If the thread cannot start, a later process prunes the cache.
    let _ = std::thread::Builder::new()
        .name("kenning-prune".to_owned())
        .spawn(move || super::workspace::prune_cache_if_due(&prune_database));
    ServeOptions {
        workspace: WorkspaceOptions {
            db: database.db,
            wait_for_files: true,
            threads: Some(bulk_thread_count()),
            ..WorkspaceOptions::default()
        },
        trust: TrustStore::for_user().inspect_err(|error| tracing::warn!("{error}")).ok(),
        servers: Some(ServersOptions::default()),
        ..ServeOptions::default()
    }
}

/// Returns the number of threads for bulk work; one core stays free for the editor.
fn bulk_thread_count() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1))
}
