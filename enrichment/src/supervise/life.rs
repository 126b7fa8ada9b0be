//! The life of a server: started, loading, asked, ended, started again.

use super::memory;
use super::seat::Seat;
use super::state::State;
use crate::ask::{Asker, GivenUp, NotReady, until_ready};
use crate::lsp::LanguageServer;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Starts after one that ended by itself; then it is given up.
const RESTARTS: u32 = 5;
/// Time before the first of them; twice as long before each further one.
const FIRST_REST: Duration = Duration::from_secs(1);
/// A server that worked so long has not failed before.
const STABLE: Duration = Duration::from_secs(600);
/// How long a server may take to end when it is told to.
const GOODBYE: Duration = Duration::from_secs(3);
/// Files that are looked at for questions whose answers are known.
const PROBED_FILES: usize = 12;

/// How a life ended.
#[derive(Debug)]
enum End {
    /// Nothing was asked for long.
    Idle,
    /// Somebody wants it to be started anew.
    Restart,
    /// Everything ends.
    Shutdown,
    /// It crashed, hung, could not be started, or never knew anything.
    Broken(String),
    /// It was stopped for good.
    Stopped(String),
}

impl Seat {
    /// Runs its server as long as everything runs.
    pub async fn run(self: Arc<Self>) {
        let mut failures = 0;
        let mut ending = self.terms.ending.subscribe();
        loop {
            tokio::select! {
                () = self.queue.filled() => {}
                _ = ending.wait_for(|ending| *ending) => return,
            }
            let began = Instant::now();
            let end = self.life().await;
            self.detach();
            self.board.change(|status| (status.pid, status.memory) = (None, 0));
            match end {
                End::Shutdown => return self.board.enter(State::Stopped, ""),
                End::Idle => {
                    failures = 0;
                    self.board.enter(State::Stopped, "nothing was asked for a while");
                }
                End::Restart => {
                    failures = 0;
                    // Started anew when there is something to ask.
                    self.board.enter(State::Stopped, "");
                }
                End::Stopped(reason) => {
                    if !self.failed(&reason).await {
                        return;
                    }
                    failures = 0;
                }
                End::Broken(reason) => {
                    failures = if began.elapsed() > STABLE { 1 } else { failures + 1 };
                    if self.queue.ended() {
                        self.count(|tally| tally.skipped_files += 1);
                    }
                    let goes_on = if failures > RESTARTS {
                        let goes_on = self.failed(&reason).await;
                        failures = 0;
                        goes_on
                    } else {
                        self.rest(failures, &reason).await
                    };
                    if !goes_on {
                        return;
                    }
                }
            }
        }
    }

    /// Waits before the next start; `false` when everything ends.
    async fn rest(&self, failures: u32, reason: &str) -> bool {
        self.board.enter(State::Backoff, reason);
        let mut ending = self.terms.ending.subscribe();
        tokio::select! {
            () = sleep(FIRST_REST * 2u32.pow(failures - 1)) => true,
            () = self.restart.notified() => true,
            _ = ending.wait_for(|ending| *ending) => false,
        }
    }

    /// Waits until somebody restarts it; `false` when everything ends.
    async fn failed(&self, reason: &str) -> bool {
        self.board.enter(State::Failed, reason);
        let mut ending = self.terms.ending.subscribe();
        tokio::select! {
            () = self.restart.notified() => {
                self.queue.forgive();
                true
            }
            _ = ending.wait_for(|ending| *ending) => false,
        }
    }

    /// From start to end.
    async fn life(&self) -> End {
        let mut ending = self.terms.ending.subscribe();
        self.board.enter(State::Starting, "");
        self.count(|tally| tally.starts += 1);
        let started = tokio::select! {
            started = self.terms.connect.connect(self.start()) => started,
            () = self.restart.notified() => return End::Restart,
            _ = ending.wait_for(|ending| *ending) => return End::Shutdown,
        };
        let server = match started {
            Ok(server) => server,
            Err(error) => return End::Broken(error.to_string()),
        };
        let asker = Arc::new(Asker::new(
            Arc::clone(&self.terms.workspace),
            self.language,
            &self.found.server,
            &server,
            Arc::clone(&self.board.tally),
        ));
        self.board.change(|status| {
            status.pid = server.id();
            server.sandbox_note().clone_into(&mut status.sandbox);
            asker.id.version.as_ref().clone_into(&mut status.version);
        });
        self.attach(&asker.documents);
        let client = server.client().clone();
        let end = tokio::select! {
            reason = client.gone() => End::Broken(reason),
            reason = memory::over_limit(server.id(), self.found.server.memory_mib, &self.board) => End::Stopped(reason),
            () = self.restart.notified() => End::Restart,
            _ = ending.wait_for(|ending| *ending) => End::Shutdown,
            end = self.ask(&asker) => end,
        };
        self.detach();
        drop(asker);
        drop(client);
        say_goodbye(server, &end).await;
        end
    }

    async fn ask(&self, asker: &Arc<Asker>) -> End {
        self.board.enter(State::Loading, "");
        self.pass_over(asker).await;
        if self.queue.len() == 0 {
            self.board.enter(State::Ready, "");
            tokio::select! {
                () = self.queue.filled() => self.board.enter(State::Loading, ""),
                () = sleep(self.terms.idle) => return End::Idle,
            }
        }
        match until_ready(asker, &self.queue.peek(PROBED_FILES)).await {
            Ok(()) => {}
            Err(NotReady::GivenUp(GivenUp(reason))) => return End::Broken(reason),
            Err(NotReady::Misleads(reason)) => return End::Stopped(reason.to_owned()),
        }
        self.board.enter(State::Ready, "");
        loop {
            let job = tokio::select! {
                biased;
                job = self.queue.next() => job,
                () = sleep(self.terms.idle) => return End::Idle,
            };
            self.board.enter(State::Busy, "");
            let began = Instant::now();
            let done = self.work(asker, job).await;
            self.count(|tally| tally.busy += began.elapsed());
            if let Err(GivenUp(reason)) = done {
                return End::Broken(reason);
            }
            self.queue.done();
            if self.queue.len() == 0 {
                self.board.enter(State::Ready, "");
            }
        }
    }
}

/// A server that is well is told to end; any other is killed.
async fn say_goodbye(server: LanguageServer, end: &End) {
    if matches!(end, End::Idle | End::Restart | End::Shutdown)
        && let Err(error) = server.stop(GOODBYE).await
    {
        tracing::debug!(%error, "it is not known how a language server ended");
    }
}
