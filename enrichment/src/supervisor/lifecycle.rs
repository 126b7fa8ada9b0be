//! The life of a server: start, load, answer, end, restart.

use super::memory_limit;
use super::server_slot::ServerSlot;
use super::server_status::ServerState;
use crate::client::LanguageServer;
use crate::session::{GiveUpReason, NotReady, ServerSession, wait_until_ready};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Restarts after failures in a row before the server is given up.
const RESTARTS: u32 = 5;
/// Pause before the first restart; doubled before each further one.
const FIRST_REST: Duration = Duration::from_secs(1);
/// Lifetime after which a failure counts as the first one again.
const STABLE: Duration = Duration::from_secs(600);
/// Time limit for the shutdown of a server.
const GOODBYE: Duration = Duration::from_secs(3);
/// Files in which readiness probes are looked for.
const PROBED_FILES: usize = 12;

/// The reason why a run of the server ended.
#[derive(Debug)]
enum RunOutcome {
    /// No question came for the idle time.
    Idle,
    /// A restart was requested.
    Restart,
    /// Kenning shuts down all servers.
    Shutdown,
    /// The server crashed, hung, could not be started, or never knew a definition.
    Broken(String),
    /// The server was stopped for good.
    Stopped(String),
}

impl ServerSlot {
    /// Runs the slot's server whenever there are jobs, until all servers are shut down.
    pub async fn supervise_server(self: Arc<Self>) {
        let mut failures = 0;
        let mut ending = self.terms.ending.subscribe();
        loop {
            tokio::select! {
                () = self.queue.wait_until_filled() => {}
                _ = ending.wait_for(|ending| *ending) => return,
            }
            let began = Instant::now();
            let end = self.run_server().await;
            self.detach_documents();
            self.board.update_status(|status| (status.pid, status.memory) = (None, 0));
            match end {
                RunOutcome::Shutdown => return self.board.enter_state(ServerState::Stopped, ""),
                RunOutcome::Idle => {
                    failures = 0;
                    self.board.enter_state(ServerState::Stopped, "idle");
                }
                RunOutcome::Restart => {
                    failures = 0;
                    // The server starts again when there is something to ask.
                    self.board.enter_state(ServerState::Stopped, "");
                }
                RunOutcome::Stopped(reason) => {
                    if !self.enter_failed(&reason).await {
                        return;
                    }
                    failures = 0;
                }
                RunOutcome::Broken(reason) => {
                    failures = if began.elapsed() > STABLE { 1 } else { failures + 1 };
                    if self.queue.record_server_end() {
                        self.update_metrics(|tally| tally.skipped_files += 1);
                    }
                    let goes_on = if failures > RESTARTS {
                        let goes_on = self.enter_failed(&reason).await;
                        failures = 0;
                        goes_on
                    } else {
                        self.enter_backoff(failures, &reason).await
                    };
                    if !goes_on {
                        return;
                    }
                }
            }
        }
    }

    /// Waits before the next start. Returns `false` if all servers are being shut down.
    async fn enter_backoff(&self, failures: u32, reason: &str) -> bool {
        self.board.enter_state(ServerState::Backoff, reason);
        let mut ending = self.terms.ending.subscribe();
        tokio::select! {
            () = sleep(FIRST_REST * 2u32.pow(failures - 1)) => true,
            () = self.restart.notified() => true,
            _ = ending.wait_for(|ending| *ending) => false,
        }
    }

    /// Waits until the server is restarted on request. Returns `false` if all servers are being
    /// shut down.
    async fn enter_failed(&self, reason: &str) -> bool {
        self.board.enter_state(ServerState::Failed, reason);
        let mut ending = self.terms.ending.subscribe();
        tokio::select! {
            () = self.restart.notified() => {
                self.queue.clear_crash_counts();
                true
            }
            _ = ending.wait_for(|ending| *ending) => false,
        }
    }

    /// Runs the server once, from its start to its end.
    async fn run_server(&self) -> RunOutcome {
        let mut ending = self.terms.ending.subscribe();
        self.board.enter_state(ServerState::Starting, "");
        self.update_metrics(|tally| tally.starts += 1);
        let started = tokio::select! {
            started = self.terms.connect.connect_server(self.start_request()) => started,
            () = self.restart.notified() => return RunOutcome::Restart,
            _ = ending.wait_for(|ending| *ending) => return RunOutcome::Shutdown,
        };
        let server = match started {
            Ok(server) => server,
            Err(error) => return RunOutcome::Broken(error.to_string()),
        };
        let asker = Arc::new(ServerSession::new(
            Arc::clone(&self.terms.workspace),
            self.language,
            &self.found.server,
            &server,
            Arc::clone(&self.board.tally),
        ));
        self.board.update_status(|status| {
            status.pid = server.process_id();
            server.sandbox_note().clone_into(&mut status.sandbox);
            asker.id.version.as_ref().clone_into(&mut status.version);
        });
        self.attach_documents(&asker.documents);
        let client = server.lsp_client().clone();
        let end = tokio::select! {
            reason = client.wait_until_gone() => RunOutcome::Broken(reason),
            reason = memory_limit::watch_memory_limit(server.process_id(), self.found.server.memory_mib, &self.board) => RunOutcome::Stopped(reason),
            () = self.restart.notified() => RunOutcome::Restart,
            _ = ending.wait_for(|ending| *ending) => RunOutcome::Shutdown,
            end = self.run_jobs(&asker) => end,
        };
        self.detach_documents();
        drop(asker);
        drop(client);
        stop_server(server, &end).await;
        end
    }

    async fn run_jobs(&self, asker: &Arc<ServerSession>) -> RunOutcome {
        self.board.enter_state(ServerState::Loading, "");
        self.skip_answered_files(asker).await;
        if self.queue.len() == 0 {
            self.board.enter_state(ServerState::Ready, "");
            tokio::select! {
                () = self.queue.wait_until_filled() => self.board.enter_state(ServerState::Loading, ""),
                () = sleep(self.terms.idle) => return RunOutcome::Idle,
            }
        }
        match wait_until_ready(asker, &self.queue.peek_paths(PROBED_FILES)).await {
            Ok(()) => {}
            Err(NotReady::GivenUp(GiveUpReason(reason))) => return RunOutcome::Broken(reason),
            Err(NotReady::Misleads(reason)) => return RunOutcome::Stopped(reason.to_owned()),
        }
        self.board.enter_state(ServerState::Ready, "");
        loop {
            let job = tokio::select! {
                biased;
                job = self.queue.next_job() => job,
                () = sleep(self.terms.idle) => return RunOutcome::Idle,
            };
            self.board.enter_state(ServerState::Busy, "");
            let began = Instant::now();
            let done = self.run_job(asker, job).await;
            self.update_metrics(|tally| tally.busy += began.elapsed());
            if let Err(GiveUpReason(reason)) = done {
                return RunOutcome::Broken(reason);
            }
            self.queue.finish_current();
            if self.queue.len() == 0 {
                self.board.enter_state(ServerState::Ready, "");
            }
        }
    }
}

/// Shuts down a healthy server. Any other is killed when it is dropped.
async fn stop_server(server: LanguageServer, end: &RunOutcome) {
    if matches!(end, RunOutcome::Idle | RunOutcome::Restart | RunOutcome::Shutdown)
        && let Err(error) = server.shut_down(GOODBYE).await
    {
        tracing::debug!(%error, "cannot determine how a language server ended");
    }
}
