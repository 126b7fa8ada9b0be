//! The lifecycle of a server: start, loading, answers, end, restart.
//!
//! [`ServerSlot::supervise_server`] waits for a job, runs the server once, and decides by the
//! [`RunOutcome`] what comes next: it waits for the next job (idle, restarted), restarts the server
//! after a growing delay (broken), or waits for a restart by the user (broken too often, stopped).
//! Every state is published. The loop ends only when all servers are shut down.

use super::memory_limit;
use super::server_slot::ServerSlot;
use super::server_status::ServerState;
use crate::client::LanguageServer;
use crate::session::{GiveUpReason, MAX_READ_FILES, NotReady, ServerSession, wait_until_ready};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Maximum number of restarts after consecutive failures, before Kenning gives up on the server. A
/// server that crashes on every start would be restarted forever.
const MAX_RESTARTS: u32 = 5;
/// Delay before the first restart; it doubles with each further restart.
const FIRST_RESTART_DELAY: Duration = Duration::from_secs(1);
/// Lifetime of a server after which its failure counts as the first one again.
const STABLE_LIFETIME: Duration = Duration::from_secs(600);
/// Time limit for the shutdown of a server.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// The reason why a run of the server ended.
#[derive(Debug)]
enum RunOutcome {
    /// No question arrived within the idle time.
    Idle,
    /// A restart was requested.
    Restart,
    /// Kenning shuts down all servers.
    Shutdown,
    /// The server crashed, hung, could not be started, or never knew a definition.
    Broken(String),
    /// The server was stopped and must not restart by itself.
    Stopped(String),
}

impl ServerSlot {
    /// Runs the slot's server whenever there are jobs, until all servers are shut down.
    pub async fn supervise_server(self: Arc<Self>) {
        let mut failures = 0;
        let mut shutdown = self.config.shutdown.subscribe();
        loop {
            tokio::select! {
                () = self.queue.wait_until_filled() => {}
                _ = shutdown.wait_for(|is_shutdown| *is_shutdown) => return,
            }
            let start = Instant::now();
            let outcome = self.run_server().await;
            self.detach_documents();
            self.publisher.update_status(|status| (status.pid, status.memory) = (None, 0));
            match outcome {
                RunOutcome::Shutdown => return self.publisher.enter_state(ServerState::Stopped, ""),
                RunOutcome::Idle => {
                    failures = 0;
                    self.publisher.enter_state(ServerState::Stopped, "idle");
                }
                RunOutcome::Restart => {
                    failures = 0;
                    // The server starts again when there is something to ask.
                    self.publisher.enter_state(ServerState::Stopped, "");
                }
                RunOutcome::Stopped(reason) => {
                    if !self.enter_failed(&reason).await {
                        return;
                    }
                    failures = 0;
                }
                RunOutcome::Broken(reason) => {
                    failures = if start.elapsed() > STABLE_LIFETIME { 1 } else { failures + 1 };
                    if self.queue.record_server_end() {
                        self.update_metrics(|metrics| metrics.skipped_files += 1);
                    }
                    let keeps_running = if failures > MAX_RESTARTS {
                        let keeps_running = self.enter_failed(&reason).await;
                        failures = 0;
                        keeps_running
                    } else {
                        self.enter_backoff(failures, &reason).await
                    };
                    if !keeps_running {
                        return;
                    }
                }
            }
        }
    }

    /// Waits before the next start. Returns `false` if all servers are being shut down.
    async fn enter_backoff(&self, failures: u32, reason: &str) -> bool {
        self.publisher.enter_state(ServerState::Backoff, reason);
        let mut shutdown = self.config.shutdown.subscribe();
        tokio::select! {
            () = sleep(FIRST_RESTART_DELAY * 2u32.pow(failures - 1)) => true,
            () = self.restart.notified() => true,
            _ = shutdown.wait_for(|is_shutdown| *is_shutdown) => false,
        }
    }

    /// Waits until the server is restarted on request. Returns `false` if all servers are being
    /// shut down.
    async fn enter_failed(&self, reason: &str) -> bool {
        self.publisher.enter_state(ServerState::Failed, reason);
        let mut shutdown = self.config.shutdown.subscribe();
        tokio::select! {
            () = self.restart.notified() => {
                self.queue.clear_server_ends();
                true
            }
            _ = shutdown.wait_for(|is_shutdown| *is_shutdown) => false,
        }
    }

    /// Runs the server once, from its start to its end.
    async fn run_server(&self) -> RunOutcome {
        let mut shutdown = self.config.shutdown.subscribe();
        self.publisher.enter_state(ServerState::Starting, "");
        self.update_metrics(|metrics| metrics.starts += 1);
        let result = tokio::select! {
            result = self.config.connector.connect_server(self.start_request()) => result,
            () = self.restart.notified() => return RunOutcome::Restart,
            _ = shutdown.wait_for(|is_shutdown| *is_shutdown) => return RunOutcome::Shutdown,
        };
        let server = match result {
            Ok(server) => server,
            Err(error) => return RunOutcome::Broken(error.to_string()),
        };
        let session = Arc::new(ServerSession::new(
            Arc::clone(&self.config.workspace),
            self.language,
            &self.found.server,
            &server,
            Arc::clone(&self.publisher.metrics),
        ));
        self.publisher.update_status(|status| {
            status.pid = server.process_id();
            server.sandbox_note().clone_into(&mut status.sandbox);
            session.id.version.as_ref().clone_into(&mut status.version);
        });
        self.attach_documents(&session.documents);
        let client = server.lsp_client().clone();
        let outcome = tokio::select! {
            reason = client.wait_until_gone() => RunOutcome::Broken(reason),
            reason = memory_limit::watch_memory_limit(server.process_id(), self.found.server.memory_mib, &self.publisher) => RunOutcome::Stopped(reason),
            () = self.restart.notified() => RunOutcome::Restart,
            _ = shutdown.wait_for(|is_shutdown| *is_shutdown) => RunOutcome::Shutdown,
            outcome = self.run_jobs(&session) => outcome,
        };
        self.detach_documents();
        drop(session);
        drop(client);
        stop_server(server, &outcome).await;
        outcome
    }

    /// Waits until the server is ready and runs jobs until there are none for the idle time.
    async fn run_jobs(&self, session: &Arc<ServerSession>) -> RunOutcome {
        self.publisher.enter_state(ServerState::Loading, "");
        self.skip_answered_files(session).await;
        if self.queue.len() == 0 {
            self.publisher.enter_state(ServerState::Ready, "");
            tokio::select! {
                () = self.queue.wait_until_filled() => self.publisher.enter_state(ServerState::Loading, ""),
                () = sleep(self.config.idle_timeout) => return RunOutcome::Idle,
            }
        }
        match wait_until_ready(session, &self.queue.peek_paths(MAX_READ_FILES)).await {
            Ok(()) => {}
            Err(NotReady::GivenUp(GiveUpReason(reason))) => return RunOutcome::Broken(reason),
            Err(NotReady::Misleads(reason)) => return RunOutcome::Stopped(reason.to_owned()),
        }
        self.publisher.enter_state(ServerState::Ready, "");
        loop {
            let job = tokio::select! {
                biased;
                job = self.queue.next_job() => job,
                () = sleep(self.config.idle_timeout) => return RunOutcome::Idle,
            };
            self.publisher.enter_state(ServerState::Busy, "");
            let start = Instant::now();
            let result = self.run_job(session, job).await;
            self.update_metrics(|metrics| metrics.busy += start.elapsed());
            if let Err(GiveUpReason(reason)) = result {
                return RunOutcome::Broken(reason);
            }
            self.queue.finish_current();
            if self.queue.len() == 0 {
                self.publisher.enter_state(ServerState::Ready, "");
            }
        }
    }
}

/// Shuts down a healthy server. Any other server is killed when it is dropped.
async fn stop_server(server: LanguageServer, outcome: &RunOutcome) {
    if matches!(outcome, RunOutcome::Idle | RunOutcome::Restart | RunOutcome::Shutdown)
        && let Err(error) = server.shut_down(SHUTDOWN_TIMEOUT).await
    {
        tracing::debug!(%error, "cannot determine how a language server ended");
    }
}
