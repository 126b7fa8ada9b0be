//! Runs the jobs of a server, one file after the other.
//!
//! The runner asks the questions about a file in portions. Before each portion of the sweep, it
//! serves pending requests from the user. A request that arrives during a portion preempts it:
//! after a short grace period the runner cancels the portion at the server and asks its questions
//! again later. It delivers finished portions to the sink immediately.

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

/// Number of questions in one portion of a request.
const REQUEST_PORTION: usize = 12;
/// Number of questions in one portion of the sweep. A portion takes as long as its slowest
/// question, so a few large portions keep the server busiest. A larger portion loses more work when
/// it is preempted.
const SWEEP_PORTION: usize = 36;
/// Number of questions in the first portion of a request. The answers of a portion are shown
/// together, so one slow question would delay the others.
const FIRST_PORTION: usize = 1;
/// Time for which a portion continues after a new request arrives. The runner then cancels the
/// portion, because a few questions can keep a server busy for seconds.
const PREEMPTION_DELAY: Duration = Duration::from_millis(200);
/// Number of times that a portion can be preempted. After that it runs to its end, because a user
/// who keeps typing would otherwise delay it forever.
const MAX_PREEMPTIONS: usize = 2;

/// A request that is being served.
struct ActiveRequest {
    job: QueuedJob,
    questions: Arc<FileQuestions>,
    portions: VecDeque<Vec<usize>>,
    round: QuestionRound,
    /// Number of its batch; requests from later batches go first.
    batch: u64,
    /// Number of times that the current portion can still be preempted.
    preemptions_left: usize,
    /// Number of questions to ask again later.
    retries: usize,
}

impl ServerSlot {
    /// Runs one job.
    pub(super) async fn run_job(
        &self,
        session: &Arc<ServerSession>,
        job: QueuedJob,
    ) -> Result<(), GiveUpReason> {
        let needs_retry = match job.priority {
            Priority::Demand => return self.serve_requests(session, Some(job)).await,
            Priority::Sweep => self.sweep_file(session, &job).await?,
            Priority::Discover => self.discover_file(session, &job).await?,
        };
        if needs_retry {
            self.queue.retry_later(job);
        }
        Ok(())
    }

    /// Reads the file of a job. Returns `None` if the file is gone, or if the graph is behind its
    /// text; in that case the job is scheduled again.
    async fn read_job_file(
        &self,
        session: &Arc<ServerSession>,
        job: &QueuedJob,
    ) -> Option<Arc<FileQuestions>> {
        match session.read_file_questions(&job.request.path).await {
            Ok(questions) => Some(Arc::new(questions)),
            Err(UnreadableFile::Gone) => None,
            Err(UnreadableFile::GraphOutdated) => {
                self.queue.retry_later(job.clone());
                None
            }
        }
    }

    /// Asks about the references of a file. Returns whether some questions must be asked again.
    async fn sweep_file(&self, session: &Arc<ServerSession>, job: &QueuedJob) -> Result<bool, GiveUpReason> {
        let Some(questions) = self.read_job_file(session, job).await else { return Ok(false) };
        let round = self.queue.question_round(job);
        let sites = self.sites_to_ask(&questions, &job.request).concat();
        self.ask_in_portions(session, &sites, |portion| session.resolve_sites(&questions, portion, round))
            .await
    }

    async fn discover_file(
        &self,
        session: &Arc<ServerSession>,
        job: &QueuedJob,
    ) -> Result<bool, GiveUpReason> {
        let Some(questions) = self.read_job_file(session, job).await else { return Ok(false) };
        let round = self.queue.question_round(job);
        let subjects = session.discovery_subjects(&questions);
        let ask = |portion| session.discover_edges(&questions, portion, round);
        self.ask_in_portions(session, &subjects, ask).await
    }

    /// Asks about the items of a file in portions, and serves requests from the user in between.
    /// Returns whether some questions must be asked again.
    async fn ask_in_portions<T: Clone, F>(
        &self,
        session: &Arc<ServerSession>,
        items: &[T],
        ask: impl Fn(Vec<T>) -> F,
    ) -> Result<bool, GiveUpReason>
    where
        F: Future<Output = Result<AnswerBatch, GiveUpReason>>,
    {
        let mut retries = 0;
        let mut portions: VecDeque<(Vec<T>, usize)> =
            items.chunks(SWEEP_PORTION).map(|portion| (portion.to_vec(), MAX_PREEMPTIONS)).collect();
        while let Some((mut portion, mut preemptions_left)) = portions.pop_front() {
            self.serve_requests(session, None).await?;
            portion.truncate(self.take_budget(portion.len()));
            if portion.is_empty() {
                return Ok(false);
            }
            let answers = ask(portion.clone());
            if let Some(answers) = self.run_unless_preempted(0, &mut preemptions_left, answers).await? {
                retries += answers.retries;
                self.deliver_verdicts(answers.verdicts);
            } else {
                // The user is active. Ask the cancelled questions in smaller portions, so that the
                // next request waits less.
                self.refund_budget(portion.len());
                let pieces = portion.chunks(REQUEST_PORTION).map(|piece| (piece.to_vec(), preemptions_left));
                portions = pieces.chain(portions).collect();
            }
        }
        Ok(retries > 0)
    }

    /// Awaits the answers to a portion. Returns `None` if a request from a batch later than
    /// `batch` preempted it; the questions are then cancelled at the server.
    async fn run_unless_preempted(
        &self,
        batch: u64,
        preemptions_left: &mut usize,
        answers: impl Future<Output = Result<AnswerBatch, GiveUpReason>>,
    ) -> Result<Option<AnswerBatch>, GiveUpReason> {
        if *preemptions_left == 0 {
            return answers.await.map(Some);
        }
        let preempted = async {
            self.queue.wait_for_request(batch).await;
            sleep(PREEMPTION_DELAY).await;
        };
        tokio::select! {
            biased;
            answers = answers => answers.map(Some),
            () = preempted => {
                *preemptions_left -= 1;
                Ok(None)
            }
        }
    }

    /// Serves `first` and all queued requests, the newest first. A request that was interrupted
    /// continues afterwards.
    async fn serve_requests(
        &self,
        session: &Arc<ServerSession>,
        first: Option<QueuedJob>,
    ) -> Result<(), GiveUpReason> {
        let mut active: Vec<ActiveRequest> = Vec::new();
        if let Some(job) = first {
            active.extend(self.begin_request(session, job).await);
        }
        loop {
            let after = active.last().map_or(0, |request| request.batch);
            if let Some(request) = self.queue.take_newer_request(after) {
                active.extend(
                    self.begin_request(session, QueuedJob { priority: Priority::Demand, request }).await,
                );
                continue;
            }
            let Some(request) = active.last_mut() else { return Ok(()) };
            if let Some(portion) = request.portions.front() {
                let answers = session.resolve_sites(&request.questions, portion.clone(), request.round);
                if let Some(answers) =
                    self.run_unless_preempted(request.batch, &mut request.preemptions_left, answers).await?
                {
                    request.portions.pop_front();
                    request.preemptions_left = MAX_PREEMPTIONS;
                    request.retries += answers.retries;
                    self.deliver_verdicts(answers.verdicts);
                }
            } else if let Some(finished) = active.pop().filter(|finished| finished.retries > 0) {
                self.queue.retry_later(finished.job);
            }
        }
    }

    /// Starts a request. Returns `None` if its file is gone or the graph is behind its text.
    async fn begin_request(&self, session: &Arc<ServerSession>, job: QueuedJob) -> Option<ActiveRequest> {
        let batch = self.queue.last_request_number();
        let questions = self.read_job_file(session, &job).await?;
        let round = self.queue.question_round(&job);
        let [open, mut resolved] = self.sites_to_ask(&questions, &job.request);
        // Calls to plain names come first, because a server answers them without inferring types.
        resolved.sort_by_key(|&index| {
            questions
                .sites
                .get(index)
                .is_none_or(|site| site.role != ReferenceRole::Call || questions.is_member_access(site))
        });
        let sites = interleave_sites(resolved, open);
        let (first_portion, later_sites) = sites.split_at(FIRST_PORTION.min(sites.len()));
        let first_portion = Some(first_portion).filter(|portion| !portion.is_empty());
        let portions = first_portion.into_iter().chain(later_sites.chunks(REQUEST_PORTION));
        let portions = portions.map(<[usize]>::to_vec).collect();
        Some(ActiveRequest {
            job,
            questions,
            portions,
            round,
            batch,
            preemptions_left: MAX_PREEMPTIONS,
            retries: 0,
        })
    }

    /// Skips jobs without open questions, up to the first one that has some. A server that gets no
    /// question need not load the workspace.
    pub(super) async fn skip_answered_files(&self, session: &Arc<ServerSession>) {
        while let Some(job) = self.queue.take_job() {
            // Requeue the job even if the server ends here. No question was asked yet, so the file
            // is not the cause.
            let requeue = RequeueOnDrop(&self.queue);
            let has_questions = match session.read_file_questions(&job.request.path).await {
                Ok(questions) if job.priority == Priority::Discover => {
                    !session.discovery_subjects(&questions).is_empty()
                }
                Ok(questions) => {
                    self.sites_to_ask(&questions, &job.request).iter().any(|sites| !sites.is_empty())
                }
                Err(unreadable) => unreadable == UnreadableFile::GraphOutdated,
            };
            if has_questions {
                return;
            }
            self.queue.finish_current();
            drop(requeue);
        }
    }

    /// Returns the indices of the sites to ask about: the sites that the indexer has not resolved,
    /// and the sites that it has.
    fn sites_to_ask(&self, questions: &FileQuestions, request: &PriorityRequest) -> [Vec<usize>; 2] {
        let site = |index: usize| questions.sites.get(index);
        let is_requested = |index: &usize| {
            request.symbols.is_empty()
                || site(*index).is_some_and(|s| request.symbols.contains(&s.key.subject))
        };
        let pending = questions.pending.iter().copied().filter(is_requested);
        let (open, resolved): (Vec<usize>, Vec<usize>) =
            pending.partition(|&index| site(index).is_some_and(ReferenceSite::is_undetermined));
        [open, if self.config.verify { resolved } else { Vec::new() }]
    }

    /// Takes up to `questions` from the sweep's budget and returns how many may be asked. Discards
    /// all jobs if the budget is used up.
    fn take_budget(&self, questions: usize) -> usize {
        let granted = |budget: i64| budget.clamp(0, questions as i64);
        let spend = |budget| Some(budget - granted(budget));
        let budget = &self.config.budget;
        let before = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).unwrap_or(0);
        if before <= 0 {
            self.queue.clear_waiting();
        }
        granted(before) as usize
    }

    /// Returns cancelled questions to the sweep's budget.
    fn refund_budget(&self, questions: usize) {
        self.config.budget.fetch_add(questions as i64, Ordering::Relaxed);
    }

    fn deliver_verdicts(&self, batch: Vec<Verdict>) {
        if batch.is_empty() {
            return;
        }
        self.update_metrics(|metrics| metrics.record_verdicts(&batch));
        self.config.sink.accept_verdicts(batch);
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
/// file thus soon sees confirmed edges as well as answers about open references.
fn interleave_sites(first: Vec<usize>, second: Vec<usize>) -> Vec<usize> {
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut sites = Vec::with_capacity(first.len() + second.len());
    loop {
        let pair = [first.next(), second.next()];
        if pair == [None, None] {
            return sites;
        }
        sites.extend(pair.into_iter().flatten());
    }
}
