//! The jobs of one server: requests for what the user is viewing first, then the sweep over all
//! files, then discovery of edges that no text shows.
//!
//! A job that cannot be finished now rests before its next attempt. A file at which the server
//! ended twice is skipped until the counts are cleared.

use crate::session::QuestionRound;
use kenning_graph::Hash;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Attempts for a file that changes while it is asked about, or whose text is newer than the graph.
/// After the last one, the file waits for its next change.
const ATTEMPTS: u32 = 6;
/// Time before the second attempt; doubled before each further one.
const REST: Duration = Duration::from_millis(250);
/// Number of times that a server may end at one file before the file is skipped.
const ENDS: u32 = 2;

/// A file, or some symbols of it, to ask about as soon as possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriorityRequest {
    /// Path relative to the workspace.
    pub path: String,
    /// Identities of the symbols; empty for the whole file.
    pub symbols: BTreeSet<Hash>,
}

/// The lane of a job, in order of priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    Demand,
    Sweep,
    Discover,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueuedJob {
    pub lane: Priority,
    pub wish: PriorityRequest,
}

/// The jobs of one server.
#[derive(Default)]
pub(crate) struct JobQueue {
    inner: Mutex<QueueState>,
    filled: Notify,
    wished: Notify,
}

#[derive(Default)]
struct QueueState {
    /// Requests with the number of their batch; a later batch has a greater number.
    demand: VecDeque<(u64, PriorityRequest)>,
    wished: u64,
    sweep: FileQueue,
    discover: FileQueue,
    resting: Vec<(Instant, QueuedJob)>,
    in_hand: Option<QueuedJob>,
    attempts: HashMap<String, u32>,
    ends: HashMap<String, u32>,
}

/// An ordered queue that holds each file at most once.
#[derive(Default)]
struct FileQueue {
    order: VecDeque<String>,
    known: HashSet<String>,
}

impl FileQueue {
    fn push_back(&mut self, path: String) {
        if self.known.insert(path.clone()) {
            self.order.push_back(path);
        }
    }

    fn push_front(&mut self, path: String) {
        if self.known.insert(path.clone()) {
            self.order.push_front(path);
        }
    }

    fn pop_front(&mut self) -> Option<String> {
        let path = self.order.pop_front()?;
        self.known.remove(&path);
        Some(path)
    }
}

impl JobQueue {
    fn lock_state(&self) -> MutexGuard<'_, QueueState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues requests before everything else, in the given order.
    pub fn push_requests(&self, wishes: Vec<PriorityRequest>) {
        let mut inner = self.lock_state();
        inner.wished += 1;
        let number = inner.wished;
        for wish in wishes.into_iter().rev() {
            inner.attempts.remove(&wish.path);
            inner.demand.retain(|(_, other)| *other != wish);
            inner.demand.push_front((number, wish));
        }
        drop(inner);
        self.filled.notify_one();
        self.wished.notify_one();
    }

    /// Appends files to the sweep and, if `discover` is set, to discovery.
    pub fn push_files(&self, paths: impl IntoIterator<Item = String>, discover: bool) {
        let mut inner = self.lock_state();
        for path in paths {
            inner.attempts.remove(&path);
            if discover {
                inner.discover.push_back(path.clone());
            }
            inner.sweep.push_back(path);
        }
        drop(inner);
        self.filled.notify_one();
    }

    /// Discards all jobs. Keeps the counts of server ends.
    pub fn clear_waiting(&self) {
        let mut inner = self.lock_state();
        let ends = std::mem::take(&mut inner.ends);
        *inner = QueueState { ends, wished: inner.wished, ..QueueState::default() };
    }

    /// Resets how often servers ended at each file.
    pub fn clear_crash_counts(&self) {
        self.lock_state().ends.clear();
    }

    /// Waits for a job that can run now, and takes it.
    pub async fn next_job(&self) -> QueuedJob {
        loop {
            let rest = {
                let mut inner = self.lock_state();
                if let Some(job) = inner.pop_job(Instant::now()) {
                    inner.in_hand = Some(job.clone());
                    return job;
                }
                inner.resting.iter().map(|(until, _)| *until).min()
            };
            match rest {
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
        let mut inner = self.lock_state();
        inner.in_hand = inner.pop_job(Instant::now());
        inner.in_hand.clone()
    }

    /// Puts the current job back to the front of its lane.
    pub fn requeue_current(&self) {
        let mut inner = self.lock_state();
        let Some(job) = inner.in_hand.take() else { return };
        match job.lane {
            Priority::Demand => inner.push_request_front(job.wish),
            Priority::Sweep => inner.sweep.push_front(job.wish.path),
            Priority::Discover => inner.discover.push_front(job.wish.path),
        }
        drop(inner);
        self.filled.notify_one();
    }

    /// Returns how often the job's file was tried before and whether this is the last attempt.
    pub fn question_round(&self, job: &QueuedJob) -> QuestionRound {
        let before = self.lock_state().attempts.get(&job.wish.path).copied().unwrap_or(0);
        QuestionRound { before, last: before + 1 >= ATTEMPTS }
    }

    /// Returns the number of the latest batch of requests. Later ones have greater numbers.
    pub fn last_request_number(&self) -> u64 {
        self.lock_state().wished
    }

    /// Takes the next request from a batch later than `after`. Returns `None` if there is none.
    pub fn take_newer_request(&self, after: u64) -> Option<PriorityRequest> {
        let mut inner = self.lock_state();
        let at = inner.demand.iter().position(|&(number, _)| number > after)?;
        inner.demand.remove(at).map(|(_, wish)| wish)
    }

    /// Waits until there is a request from a batch later than `after`.
    pub async fn wait_for_request(&self, after: u64) {
        while !self.lock_state().demand.iter().any(|&(number, _)| number > after) {
            self.wished.notified().await;
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

    /// Returns the number of jobs that wait, rest or are running.
    pub fn len(&self) -> usize {
        let inner = self.lock_state();
        let waiting = inner.demand.len() + inner.sweep.order.len() + inner.discover.order.len();
        waiting + inner.resting.len() + usize::from(inner.in_hand.is_some())
    }

    /// Returns the first `count` paths in the order in which they will be asked about.
    pub fn peek_paths(&self, count: usize) -> Vec<String> {
        let inner = self.lock_state();
        let demand = inner.demand.iter().map(|(_, wish)| &wish.path);
        let all = demand.chain(&inner.sweep.order).chain(&inner.discover.order);
        let resting = inner.resting.iter().map(|(_, job)| &job.wish.path);
        let mut seen = HashSet::new();
        all.chain(resting).filter(|path| seen.insert(path.as_str())).take(count).cloned().collect()
    }

    /// Marks the current job as finished.
    pub fn finish_current(&self) {
        self.lock_state().in_hand = None;
    }

    /// Schedules another attempt for a job that could not be finished now. Drops the job after the
    /// last attempt.
    pub fn retry_later(&self, job: QueuedJob) {
        let mut inner = self.lock_state();
        let attempts = inner.attempts.entry(job.wish.path.clone()).or_default();
        *attempts += 1;
        if *attempts < ATTEMPTS {
            let rest = REST * 2u32.pow(*attempts - 1);
            inner.resting.push((Instant::now() + rest, job));
        }
        drop(inner);
        self.filled.notify_one();
    }

    /// Records that the server ended during the current job, and moves the job to the back of its
    /// lane. Returns `true` if the file is skipped from now on instead.
    pub fn record_server_end(&self) -> bool {
        let mut inner = self.lock_state();
        let Some(job) = inner.in_hand.take() else { return false };
        let ends = inner.ends.entry(job.wish.path.clone()).or_default();
        *ends += 1;
        if *ends >= ENDS {
            return true;
        }
        match job.lane {
            Priority::Demand => inner.push_request_back(job.wish),
            Priority::Sweep => inner.sweep.push_back(job.wish.path),
            Priority::Discover => inner.discover.push_back(job.wish.path),
        }
        false
    }
}

impl QueueState {
    /// Puts a request back to the front. It gets the number of the latest batch, so that it does
    /// not appear newer than that.
    fn push_request_front(&mut self, wish: PriorityRequest) {
        self.demand.push_front((self.wished, wish));
    }

    fn push_request_back(&mut self, wish: PriorityRequest) {
        self.demand.push_back((self.wished, wish));
    }

    fn pop_job(&mut self, now: Instant) -> Option<QueuedJob> {
        loop {
            let job = self.pop_any_job(now)?;
            // Skip files at which servers end, whoever asks for them.
            if self.ends.get(&job.wish.path).is_none_or(|&ends| ends < ENDS) {
                return Some(job);
            }
        }
    }

    fn pop_any_job(&mut self, now: Instant) -> Option<QueuedJob> {
        let file = |lane, path| QueuedJob { lane, wish: PriorityRequest { path, symbols: BTreeSet::new() } };
        if let Some((_, wish)) = self.demand.pop_front() {
            return Some(QueuedJob { lane: Priority::Demand, wish });
        }
        if let Some(at) = self.resting.iter().position(|(until, _)| *until <= now) {
            return Some(self.resting.remove(at).1);
        }
        if let Some(path) = self.sweep.pop_front() {
            return Some(file(Priority::Sweep, path));
        }
        self.discover.pop_front().map(|path| file(Priority::Discover, path))
    }
}

#[cfg(test)]
mod tests {
    use super::{JobQueue, Priority, PriorityRequest, QueuedJob};
    use tokio::time::Instant;

    fn wish(path: &str) -> PriorityRequest {
        PriorityRequest { path: path.to_owned(), ..PriorityRequest::default() }
    }

    async fn next(queue: &JobQueue) -> (Priority, String) {
        let job = queue.next_job().await;
        queue.finish_current();
        (job.lane, job.wish.path)
    }

    #[tokio::test]
    async fn wishes_come_before_the_sweep_and_discovery_last() {
        let queue = JobQueue::default();
        queue.push_files(["a", "b", "a"].map(str::to_owned), true);
        queue.push_requests(vec![wish("x"), wish("y")]);
        queue.push_requests(vec![wish("b")]);
        let mut order = Vec::new();
        while queue.len() > 0 {
            order.push(next(&queue).await);
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
        assert_eq!(order, expected.map(|(lane, path)| (lane, path.to_owned())));
    }

    #[tokio::test]
    async fn a_wish_gives_way_only_to_what_was_wished_after_it() {
        let queue = JobQueue::default();
        queue.push_requests(vec![wish("a"), wish("b")]);
        assert_eq!(next(&queue).await.1, "a");
        let number = queue.last_request_number();
        assert_eq!(queue.take_newer_request(number), None, "b was wished with a");
        queue.push_requests(vec![wish("c")]);
        queue.wait_for_request(number).await;
        assert_eq!(queue.take_newer_request(number), Some(wish("c")));
        assert_eq!(queue.take_newer_request(number), None);
        assert_eq!(queue.take_newer_request(0), Some(wish("b")));
    }

    #[tokio::test(start_paused = true)]
    async fn what_could_not_be_done_rests_longer_each_time_and_is_given_up() {
        let queue = JobQueue::default();
        queue.push_files(["a".to_owned()], false);
        let began = Instant::now();
        let mut rests = Vec::new();
        while queue.len() > 0 {
            let job = queue.next_job().await;
            rests.push(began.elapsed().as_millis() / 250);
            queue.finish_current();
            queue.retry_later(job);
        }
        assert_eq!(rests, [0, 1, 3, 7, 15, 31]);
        // The next change of the file queues it again.
        queue.push_requests(vec![wish("a")]);
        assert_eq!(next(&queue).await, (Priority::Demand, "a".to_owned()));
    }

    #[tokio::test]
    async fn a_file_at_which_the_server_ends_twice_is_left_out() {
        let queue = JobQueue::default();
        queue.push_files(["a", "b"].map(str::to_owned), false);
        assert_eq!(queue.next_job().await, QueuedJob { lane: Priority::Sweep, wish: wish("a") });
        assert!(!queue.record_server_end());
        assert_eq!(next(&queue).await.1, "b", "it goes to the end");
        assert_eq!(queue.next_job().await.wish.path, "a");
        assert!(queue.record_server_end());
        queue.push_requests(vec![wish("a"), wish("c")]);
        assert_eq!(next(&queue).await.1, "c");
        queue.clear_crash_counts();
        queue.push_requests(vec![wish("a")]);
        assert_eq!(next(&queue).await.1, "a");
    }
}
