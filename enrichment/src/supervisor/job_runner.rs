//! Running of jobs, one file after the other.
//!
//! The questions about a file are asked in portions. Before each portion of the sweep, pending
//! requests from the user are served. A request that arrives while a portion is being asked
//! preempts it: after a short grace period the portion is cancelled at the server and asked again
//! later. Finished portions are delivered to the sink immediately.

use super::job_queue::{JobQueue, Priority, PriorityRequest, QueuedJob};
use super::server_slot::ServerSlot;
use crate::session::{
    AnswerBatch, FileQuestions, GiveUpReason, QuestionRound, ServerSession, UnreadableFile,
};
use kenning_graph::facts::ReferenceRole;
use kenning_graph::verdicts::{ReferenceSite, Verdict};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::sleep;

/// Questions in one portion of a request.
const PORTION: usize = 12;
/// Questions in one portion of the sweep. A portion takes as long as its slowest question, so few
/// portions use a server best. A larger portion loses more work when it is preempted.
const SWEEP_PORTION: usize = 36;
/// Questions in the first portion of a request. The answers of a portion are shown together, so one
/// slow question would delay the others.
const FIRST_PORTION: usize = 1;
/// Time for which a portion continues after a new request arrived. It is then cancelled and asked
/// again after the request, because a few questions can keep a server busy for seconds.
const GRACE: Duration = Duration::from_millis(200);
/// Number of times that a portion can be preempted. After that it runs to its end, because a user
/// who keeps typing would otherwise delay it forever.
const PATIENCE: usize = 2;

/// A request that is being served.
struct ActiveRequest {
    job: QueuedJob,
    sheet: Arc<FileQuestions>,
    portions: VecDeque<Vec<usize>>,
    round: QuestionRound,
    /// Number of the batch; requests from later batches go first.
    number: u64,
    patience: usize,
    again: usize,
}

impl ServerSlot {
    /// Runs one job.
    pub(super) async fn run_job(
        &self,
        asker: &Arc<ServerSession>,
        job: QueuedJob,
    ) -> Result<(), GiveUpReason> {
        let again = match job.lane {
            Priority::Demand => return self.serve_requests(asker, Some(job)).await,
            Priority::Sweep => self.sweep_file(asker, &job).await?,
            Priority::Discover => self.discover_file(asker, &job).await?,
        };
        if again {
            self.queue.retry_later(job);
        }
        Ok(())
    }

    /// Reads the file of a job. Returns `None` if the file is gone, or if the graph is behind its
    /// text; in that case the job is scheduled again.
    async fn read_job_file(&self, asker: &Arc<ServerSession>, job: &QueuedJob) -> Option<Arc<FileQuestions>> {
        match asker.read_file_questions(&job.wish.path).await {
            Ok(sheet) => Some(Arc::new(sheet)),
            Err(UnreadableFile::Gone) => None,
            Err(UnreadableFile::Behind) => {
                self.queue.retry_later(job.clone());
                None
            }
        }
    }

    /// Asks about the references of a file. Returns whether some have to be asked again.
    async fn sweep_file(&self, asker: &Arc<ServerSession>, job: &QueuedJob) -> Result<bool, GiveUpReason> {
        let Some(sheet) = self.read_job_file(asker, job).await else { return Ok(false) };
        let round = self.queue.question_round(job);
        let wanted = self.wanted_sites(&sheet, &job.wish).concat();
        self.ask_in_portions(asker, &wanted, |portion| asker.resolve_sites(&sheet, portion, round)).await
    }

    async fn discover_file(&self, asker: &Arc<ServerSession>, job: &QueuedJob) -> Result<bool, GiveUpReason> {
        let Some(sheet) = self.read_job_file(asker, job).await else { return Ok(false) };
        let round = self.queue.question_round(job);
        let subjects = asker.discovery_subjects(&sheet);
        let ask = |portion| asker.discover_edges(&sheet, portion, round);
        self.ask_in_portions(asker, &subjects, ask).await
    }

    /// Asks about `all` items of a file in portions, and serves requests from the user in between.
    /// Returns whether some items have to be asked again.
    async fn ask_in_portions<T: Clone, F>(
        &self,
        asker: &Arc<ServerSession>,
        all: &[T],
        ask: impl Fn(Vec<T>) -> F,
    ) -> Result<bool, GiveUpReason>
    where
        F: Future<Output = Result<AnswerBatch, GiveUpReason>>,
    {
        let mut again = 0;
        let mut portions: VecDeque<(Vec<T>, usize)> =
            all.chunks(SWEEP_PORTION).map(|portion| (portion.to_vec(), PATIENCE)).collect();
        while let Some((mut portion, mut patience)) = portions.pop_front() {
            self.serve_requests(asker, None).await?;
            portion.truncate(self.take_budget(portion.len()));
            if portion.is_empty() {
                return Ok(false);
            }
            if let Some(answers) = self.run_unless_preempted(0, &mut patience, ask(portion.clone())).await? {
                again += answers.again;
                self.deliver_verdicts(answers.verdicts);
            } else {
                // The user is active. Ask the cancelled questions in smaller portions, so that the
                // next request waits less.
                self.refund_budget(portion.len());
                let pieces = portion.chunks(PORTION).map(|piece| (piece.to_vec(), patience));
                portions = pieces.chain(portions).collect();
            }
        }
        Ok(again > 0)
    }

    /// Awaits the answers to a portion. Returns `None` if a request from a batch later than
    /// `number` preempted it; the questions are then cancelled at the server.
    async fn run_unless_preempted(
        &self,
        number: u64,
        patience: &mut usize,
        asked: impl Future<Output = Result<AnswerBatch, GiveUpReason>>,
    ) -> Result<Option<AnswerBatch>, GiveUpReason> {
        if *patience == 0 {
            return asked.await.map(Some);
        }
        let wished = async {
            self.queue.wait_for_request(number).await;
            sleep(GRACE).await;
        };
        tokio::select! {
            biased;
            answers = asked => answers.map(Some),
            () = wished => {
                *patience -= 1;
                Ok(None)
            }
        }
    }

    /// Serves `first` and all queued requests, the newest first. A request that was interrupted
    /// continues afterwards.
    async fn serve_requests(
        &self,
        asker: &Arc<ServerSession>,
        first: Option<QueuedJob>,
    ) -> Result<(), GiveUpReason> {
        let mut begun: Vec<ActiveRequest> = Vec::new();
        if let Some(job) = first {
            begun.extend(self.begin_request(asker, job).await);
        }
        loop {
            let after = begun.last().map_or(0, |wish| wish.number);
            if let Some(wish) = self.queue.take_newer_request(after) {
                begun.extend(self.begin_request(asker, QueuedJob { lane: Priority::Demand, wish }).await);
                continue;
            }
            let Some(wish) = begun.last_mut() else { return Ok(()) };
            if let Some(portion) = wish.portions.front() {
                let asked = asker.resolve_sites(&wish.sheet, portion.clone(), wish.round);
                if let Some(answers) =
                    self.run_unless_preempted(wish.number, &mut wish.patience, asked).await?
                {
                    wish.portions.pop_front();
                    wish.patience = PATIENCE;
                    wish.again += answers.again;
                    self.deliver_verdicts(answers.verdicts);
                }
            } else if let Some(done) = begun.pop().filter(|done| done.again > 0) {
                self.queue.retry_later(done.job);
            }
        }
    }

    /// Starts a request. Returns `None` if its file is gone or the graph is behind its text.
    async fn begin_request(&self, asker: &Arc<ServerSession>, job: QueuedJob) -> Option<ActiveRequest> {
        let number = self.queue.last_request_number();
        let sheet = self.read_job_file(asker, &job).await?;
        let round = self.queue.question_round(&job);
        let [open, mut resolved] = self.wanted_sites(&sheet, &job.wish);
        // Calls of plain names come first, because a server answers them without inferring types.
        resolved.sort_by_key(|&index| {
            sheet
                .sites
                .get(index)
                .is_none_or(|site| site.role != ReferenceRole::Call || sheet.is_member_access(site))
        });
        let mixed = interleave_sites(resolved, open);
        let (first, rest) = mixed.split_at(FIRST_PORTION.min(mixed.len()));
        let first = Some(first).filter(|first| !first.is_empty());
        let portions = first.into_iter().chain(rest.chunks(PORTION)).map(<[usize]>::to_vec).collect();
        Some(ActiveRequest { job, sheet, portions, round, number, patience: PATIENCE, again: 0 })
    }

    /// Skips jobs that have nothing left to ask, up to the first one that has. A server that is
    /// asked nothing need not load the workspace.
    pub(super) async fn skip_answered_files(&self, asker: &Arc<ServerSession>) {
        while let Some(job) = self.queue.take_job() {
            // Requeue the job also if the server ends here. No question was asked yet, so the file
            // is not the cause.
            let back = RequeueOnDrop(&self.queue);
            let left = match asker.read_file_questions(&job.wish.path).await {
                Ok(sheet) if job.lane == Priority::Discover => !asker.discovery_subjects(&sheet).is_empty(),
                Ok(sheet) => self.wanted_sites(&sheet, &job.wish).iter().any(|sites| !sites.is_empty()),
                Err(unreadable) => unreadable == UnreadableFile::Behind,
            };
            if left {
                return;
            }
            self.queue.finish_current();
            drop(back);
        }
    }

    /// Returns the indexes of the sites to ask about: those that the text leaves open, and those
    /// that it resolves.
    fn wanted_sites(&self, sheet: &FileQuestions, wish: &PriorityRequest) -> [Vec<usize>; 2] {
        let site = |index: usize| sheet.sites.get(index);
        let subject = |index: &usize| {
            wish.symbols.is_empty() || site(*index).is_some_and(|s| wish.symbols.contains(&s.key.subject))
        };
        let pending = sheet.pending.iter().copied().filter(subject);
        let (open, resolved): (Vec<usize>, Vec<usize>) =
            pending.partition(|&index| site(index).is_some_and(ReferenceSite::is_undetermined));
        [open, if self.terms.verify { resolved } else { Vec::new() }]
    }

    /// Takes up to `questions` from the sweep's budget and returns how many may be asked. Discards
    /// all jobs if the budget is used up.
    fn take_budget(&self, questions: usize) -> usize {
        let taken = |left: i64| left.clamp(0, questions as i64);
        let take = |left| Some(left - taken(left));
        let left = self.terms.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or(0);
        if left <= 0 {
            self.queue.clear_waiting();
        }
        taken(left) as usize
    }

    /// Returns cancelled questions to the sweep's budget.
    fn refund_budget(&self, questions: usize) {
        self.terms.budget.fetch_add(questions as i64, Ordering::Relaxed);
    }

    fn deliver_verdicts(&self, batch: Vec<Verdict>) {
        if batch.is_empty() {
            return;
        }
        self.update_metrics(|tally| tally.record_verdicts(&batch));
        self.terms.sink.accept_verdicts(batch);
    }
}

/// Requeues the current job when dropped, unless it was finished.
struct RequeueOnDrop<'a>(&'a JobQueue);

impl Drop for RequeueOnDrop<'_> {
    fn drop(&mut self) {
        self.0.requeue_current();
    }
}

/// Alternates the items of two lists and appends the rest of the longer one. A user who views a
/// file soon sees confirmed edges as well as answers about open references.
fn interleave_sites(one: Vec<usize>, other: Vec<usize>) -> Vec<usize> {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut all = Vec::with_capacity(one.len() + other.len());
    loop {
        let two = [one.next(), other.next()];
        if two == [None, None] {
            return all;
        }
        all.extend(two.into_iter().flatten());
    }
}
