//! The jobs of one server: requests for code that the user is viewing first, then the sweep over
//! all files, then discovery of edges that no text shows.
//!
//! A job that cannot be finished now is retried after a delay. If the server ends twice during the
//! jobs of one file, the file is skipped until the counts are cleared.

use crate::session::QuestionRound;
use kenning_graph::Hash;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Maximum number of attempts for a file that changes while the server is asked about it, or whose
/// text is newer than the graph. After the last attempt, the file waits for its next change.
const MAX_ATTEMPTS: u32 = 6;
/// Delay before the second attempt; it doubles with each further attempt.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(250);
/// Number of server ends during the jobs of one file after which the file is skipped. A single end
/// may have another cause.
const MAX_SERVER_ENDS: u32 = 2;

/// A file, or some symbols of it, to ask about as soon as possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriorityRequest {
    /// Path relative to the workspace.
    pub path: String,
    /// Identities of the symbols to ask about; empty for the whole file.
    pub symbols: BTreeSet<Hash>,
}

impl PriorityRequest {
    /// Creates a request for a whole file.
    pub fn whole_file(path: &str) -> Self {
        Self { path: path.to_owned(), symbols: BTreeSet::new() }
    }
}

/// The priority of a job, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// Code that the user is viewing.
    Demand,
    /// The references of a file, in the background.
    Sweep,
    /// The symbols of a file, for edges that the text does not show.
    Discover,
}

/// A job: a request with its priority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueuedJob {
    pub priority: Priority,
    pub request: PriorityRequest,
}

/// The jobs of one server.
#[derive(Default)]
pub(crate) struct JobQueue {
    state: Mutex<QueueState>,
    /// Notified when a job is added or delayed.
    filled: Notify,
    /// Notified when a priority request is added.
    request_added: Notify,
}

/// The jobs of a queue, by priority.
#[derive(Default)]
struct QueueState {
    /// Requests with the number of their batch; a later batch has a greater number.
    demand: VecDeque<(u64, PriorityRequest)>,
    /// Number of the latest batch of requests.
    last_batch: u64,
    sweep: FileQueue,
    discover: FileQueue,
    /// Jobs to retry, each with the time of the next attempt.
    delayed: Vec<(Instant, QueuedJob)>,
    /// The job that is running.
    current: Option<QueuedJob>,
    /// Number of attempts by path.
    attempts: HashMap<String, u32>,
    /// Number of server ends during the jobs of a file, by path.
    server_ends: HashMap<String, u32>,
}

/// An ordered queue that holds each file at most once.
#[derive(Default)]
struct FileQueue {
    order: VecDeque<String>,
    queued: HashSet<String>,
}

impl FileQueue {
    fn push_back(&mut self, path: String) {
        if self.queued.insert(path.clone()) {
            self.order.push_back(path);
        }
    }

    fn push_front(&mut self, path: String) {
        if self.queued.insert(path.clone()) {
            self.order.push_front(path);
        }
    }

    fn pop_front(&mut self) -> Option<String> {
        let path = self.order.pop_front()?;
        self.queued.remove(&path);
        Some(path)
    }
}

impl JobQueue {
    fn lock_state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues requests before everything else, in the order of the list.
    pub fn push_requests(&self, requests: Vec<PriorityRequest>) {
        let mut state = self.lock_state();
        state.last_batch += 1;
        let number = state.last_batch;
        for request in requests.into_iter().rev() {
            state.attempts.remove(&request.path);
            state.demand.retain(|(_, other)| *other != request);
            state.demand.push_front((number, request));
        }
        drop(state);
        self.filled.notify_one();
        self.request_added.notify_one();
    }

    /// Appends files to the sweep and to discovery.
    pub fn push_files(&self, paths: impl IntoIterator<Item = String>) {
        let mut state = self.lock_state();
        for path in paths {
            state.attempts.remove(&path);
            state.discover.push_back(path.clone());
            state.sweep.push_back(path);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Discards all jobs. Keeps the counts of server ends.
    pub fn clear_waiting(&self) {
        let mut state = self.lock_state();
        let server_ends = std::mem::take(&mut state.server_ends);
        *state = QueueState { server_ends, last_batch: state.last_batch, ..QueueState::default() };
    }

    /// Resets the counts of server ends.
    pub fn clear_server_ends(&self) {
        self.lock_state().server_ends.clear();
    }

    /// Waits for a job that can run now, and takes it.
    pub async fn next_job(&self) -> QueuedJob {
        loop {
            let next_attempt = {
                let mut state = self.lock_state();
                if let Some(job) = state.pop_job(Instant::now()) {
                    state.current = Some(job.clone());
                    return job;
                }
                state.delayed.iter().map(|(until, _)| *until).min()
            };
            match next_attempt {
                Some(until) => tokio::select! {
                    () = self.filled.notified() => {}
                    () = sleep_until(until) => {}
                },
                None => self.filled.notified().await,
            }
        }
    }

    /// Takes a job that can run now. Returns `None` if there is none.
    pub fn take_job(&self) -> Option<QueuedJob> {
        let mut state = self.lock_state();
        state.current = state.pop_job(Instant::now());
        state.current.clone()
    }

    /// Puts the current job back to the front of the jobs with its priority.
    pub fn requeue_current(&self) {
        let mut state = self.lock_state();
        let Some(job) = state.current.take() else { return };
        match job.priority {
            Priority::Demand => state.push_request_front(job.request),
            Priority::Sweep => state.sweep.push_front(job.request.path),
            Priority::Discover => state.discover.push_front(job.request.path),
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Returns the number of earlier attempts for the job's file, and whether this is the last one.
    pub fn question_round(&self, job: &QueuedJob) -> QuestionRound {
        let earlier_attempts = self.lock_state().attempts.get(&job.request.path).copied().unwrap_or(0);
        QuestionRound { earlier_attempts, is_last: earlier_attempts + 1 >= MAX_ATTEMPTS }
    }

    /// Returns the number of the latest batch of requests. Later batches have greater numbers.
    pub fn last_request_number(&self) -> u64 {
        self.lock_state().last_batch
    }

    /// Takes the next request from a batch later than `after`. Returns `None` if there is none.
    pub fn take_newer_request(&self, after: u64) -> Option<PriorityRequest> {
        let mut state = self.lock_state();
        let at = state.demand.iter().position(|&(number, _)| number > after)?;
        state.demand.remove(at).map(|(_, request)| request)
    }

    /// Waits until there is a request from a batch later than `after`.
    pub async fn wait_for_request(&self, after: u64) {
        while !self.lock_state().demand.iter().any(|&(number, _)| number > after) {
            self.request_added.notified().await;
        }
    }

    /// Waits until there is a job.
    pub async fn wait_until_filled(&self) {
        while self.len() == 0 {
            self.filled.notified().await;
        }
        // Pass the notification on to the task that waits for the job itself.
        self.filled.notify_one();
    }

    /// Returns the number of jobs that wait, are delayed or are running.
    pub fn len(&self) -> usize {
        let state = self.lock_state();
        let waiting = state.demand.len() + state.sweep.order.len() + state.discover.order.len();
        waiting + state.delayed.len() + usize::from(state.current.is_some())
    }

    /// Returns the first `count` paths in the order in which they will be asked about.
    pub fn peek_paths(&self, count: usize) -> Vec<String> {
        let state = self.lock_state();
        let demand = state.demand.iter().map(|(_, request)| &request.path);
        let waiting = demand.chain(&state.sweep.order).chain(&state.discover.order);
        let delayed = state.delayed.iter().map(|(_, job)| &job.request.path);
        let mut seen = HashSet::new();
        waiting.chain(delayed).filter(|path| seen.insert(path.as_str())).take(count).cloned().collect()
    }

    /// Marks the current job as finished.
    pub fn finish_current(&self) {
        self.lock_state().current = None;
    }

    /// Schedules another attempt for a job that could not be finished now. Drops the job after the
    /// last attempt.
    pub fn retry_later(&self, job: QueuedJob) {
        let mut state = self.lock_state();
        let attempts = state.attempts.entry(job.request.path.clone()).or_default();
        *attempts += 1;
        if *attempts < MAX_ATTEMPTS {
            let delay = FIRST_RETRY_DELAY * 2u32.pow(*attempts - 1);
            state.delayed.push((Instant::now() + delay, job));
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Records that the server ended during the current job, and moves the job to the back of the
    /// jobs with its priority. If the file is to be skipped from now on, drops the job instead and
    /// returns `true`.
    pub fn record_server_end(&self) -> bool {
        let mut state = self.lock_state();
        let Some(job) = state.current.take() else { return false };
        let ends = state.server_ends.entry(job.request.path.clone()).or_default();
        *ends += 1;
        if *ends >= MAX_SERVER_ENDS {
            return true;
        }
        match job.priority {
            Priority::Demand => state.push_request_back(job.request),
            Priority::Sweep => state.sweep.push_back(job.request.path),
            Priority::Discover => state.discover.push_back(job.request.path),
        }
        false
    }
}

impl QueueState {
    /// Puts a request back to the front. It gets the number of the latest batch, so that it does
    /// not appear newer than that.
    fn push_request_front(&mut self, request: PriorityRequest) {
        self.demand.push_front((self.last_batch, request));
    }

    fn push_request_back(&mut self, request: PriorityRequest) {
        self.demand.push_back((self.last_batch, request));
    }

    fn pop_job(&mut self, now: Instant) -> Option<QueuedJob> {
        loop {
            let job = self.pop_any_job(now)?;
            // Skip files during whose jobs the server ends, even if the user requests them.
            if self.server_ends.get(&job.request.path).is_none_or(|&ends| ends < MAX_SERVER_ENDS) {
                return Some(job);
            }
        }
    }

    fn pop_any_job(&mut self, now: Instant) -> Option<QueuedJob> {
        let file_job = |priority, path| QueuedJob {
            priority,
            request: PriorityRequest { path, symbols: BTreeSet::new() },
        };
        if let Some((_, request)) = self.demand.pop_front() {
            return Some(QueuedJob { priority: Priority::Demand, request });
        }
        if let Some(at) = self.delayed.iter().position(|(until, _)| *until <= now) {
            return Some(self.delayed.remove(at).1);
        }
        if let Some(path) = self.sweep.pop_front() {
            return Some(file_job(Priority::Sweep, path));
        }
        self.discover.pop_front().map(|path| file_job(Priority::Discover, path))
    }
}

#[cfg(test)]
mod tests {
    use super::{JobQueue, Priority, PriorityRequest, QueuedJob};
    use tokio::time::Instant;

    fn request(path: &str) -> PriorityRequest {
        PriorityRequest { path: path.to_owned(), ..PriorityRequest::default() }
    }

    async fn run_next(queue: &JobQueue) -> (Priority, String) {
        let job = queue.next_job().await;
        queue.finish_current();
        (job.priority, job.request.path)
    }

    fn push_to_sweep(queue: &JobQueue, paths: impl IntoIterator<Item = String>) {
        let mut state = queue.lock_state();
        for path in paths {
            state.sweep.push_back(path);
        }
    }

    #[tokio::test]
    async fn requests_come_before_the_sweep_and_discovery_comes_last() {
        let queue = JobQueue::default();
        queue.push_files(["a", "b", "a"].map(str::to_owned));
        queue.push_requests(vec![request("x"), request("y")]);
        queue.push_requests(vec![request("b")]);
        let mut order = Vec::new();
        while queue.len() > 0 {
            order.push(run_next(&queue).await);
        }
        let expected = [
            (Priority::Demand, "b"),
            (Priority::Demand, "x"),
            (Priority::Demand, "y"),
            (Priority::Sweep, "a"),
            (Priority::Sweep, "b"),
            (Priority::Discover, "a"),
            (Priority::Discover, "b"),
        ];
        assert_eq!(order, expected.map(|(priority, path)| (priority, path.to_owned())));
    }

    #[tokio::test]
    async fn only_a_request_of_a_later_batch_preempts_a_request() {
        let queue = JobQueue::default();
        queue.push_requests(vec![request("a"), request("b")]);
        assert_eq!(run_next(&queue).await.1, "a");
        let number = queue.last_request_number();
        assert_eq!(queue.take_newer_request(number), None, "a and b are in one batch");
        queue.push_requests(vec![request("c")]);
        queue.wait_for_request(number).await;
        assert_eq!(queue.take_newer_request(number), Some(request("c")));
        assert_eq!(queue.take_newer_request(number), None);
        assert_eq!(queue.take_newer_request(0), Some(request("b")));
    }

    #[tokio::test(start_paused = true)]
    async fn an_unfinished_job_is_retried_after_growing_delays_and_then_dropped() {
        let queue = JobQueue::default();
        push_to_sweep(&queue, ["a".to_owned()]);
        let start = Instant::now();
        let mut delays = Vec::new();
        while queue.len() > 0 {
            let job = queue.next_job().await;
            delays.push(start.elapsed().as_millis() / 250);
            queue.finish_current();
            queue.retry_later(job);
        }
        assert_eq!(delays, [0, 1, 3, 7, 15, 31]);
        // The next change to the file queues it again.
        queue.push_requests(vec![request("a")]);
        assert_eq!(run_next(&queue).await, (Priority::Demand, "a".to_owned()));
    }

    #[tokio::test]
    async fn a_file_is_skipped_after_the_server_ended_twice_during_its_jobs() {
        let queue = JobQueue::default();
        push_to_sweep(&queue, ["a", "b"].map(str::to_owned));
        assert_eq!(queue.next_job().await, QueuedJob { priority: Priority::Sweep, request: request("a") });
        assert!(!queue.record_server_end());
        assert_eq!(run_next(&queue).await.1, "b", "a moved to the back");
        assert_eq!(queue.next_job().await.request.path, "a");
        assert!(queue.record_server_end());
        queue.push_requests(vec![request("a"), request("c")]);
        assert_eq!(run_next(&queue).await.1, "c");
        queue.clear_server_ends();
        queue.push_requests(vec![request("a")]);
        assert_eq!(run_next(&queue).await.1, "a");
    }
}
