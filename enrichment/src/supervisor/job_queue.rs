//! What one server is to be asked about: what people look at first, then everything, then what no text shows.

use crate::session::QuestionRound;
use kenning_graph::Hash;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// A file that changes under the questions, or that the graph is behind of, is tried so often; its next change brings it
/// back.
const ATTEMPTS: u32 = 6;
/// How long it rests before the second attempt; twice as long before each further one.
const REST: Duration = Duration::from_millis(250);
/// Ends of a server at one file after which the file is left out.
const ENDS: u32 = 2;

/// A file, or some symbols of it, to be asked about at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriorityRequest {
    /// Path in the workspace.
    pub path: String,
    /// The symbols; none for the whole file.
    pub symbols: BTreeSet<Hash>,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    Demand,
    Sweep,
    Discover,
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueuedJob {
    pub lane: Priority,
    pub wish: PriorityRequest,
}

/// The work of one server.
#[derive(Default)]
pub(crate) struct JobQueue {
    inner: Mutex<QueueState>,
    filled: Notify,
    wished: Notify,
}

#[derive(Default)]
struct QueueState {
    /// Each with its number: a greater one was wished later.
    demand: VecDeque<(u64, PriorityRequest)>,
    wished: u64,
    sweep: FileQueue,
    discover: FileQueue,
    resting: Vec<(Instant, QueuedJob)>,
    in_hand: Option<QueuedJob>,
    attempts: HashMap<String, u32>,
    ends: HashMap<String, u32>,
}

/// Files in order, each once.
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

    /// Puts wishes before everything else, the first one first.
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

    /// Adds files behind those that wait.
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

    /// Forgets everything that waits.
    pub fn clear_waiting(&self) {
        let mut inner = self.lock_state();
        let ends = std::mem::take(&mut inner.ends);
        *inner = QueueState { ends, wished: inner.wished, ..QueueState::default() };
    }

    /// Forgets at which files servers ended.
    pub fn clear_crash_counts(&self) {
        self.lock_state().ends.clear();
    }

    /// Waits for work that can be done now.
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

    /// Work that can be done now, if there is any.
    pub fn take_job(&self) -> Option<QueuedJob> {
        let mut inner = self.lock_state();
        inner.in_hand = inner.pop_job(Instant::now());
        inner.in_hand.clone()
    }

    /// What was taken is the next again.
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

    /// How often this was tried before.
    pub fn question_round(&self, job: &QueuedJob) -> QuestionRound {
        let before = self.lock_state().attempts.get(&job.wish.path).copied().unwrap_or(0);
        QuestionRound { before, last: before + 1 >= ATTEMPTS }
    }

    /// The number of the last wish: those that come have greater ones.
    pub fn last_request_number(&self) -> u64 {
        self.lock_state().wished
    }

    /// The next wish of a person after the one with this number, if there is one.
    pub fn take_newer_request(&self, after: u64) -> Option<PriorityRequest> {
        let mut inner = self.lock_state();
        let at = inner.demand.iter().position(|&(number, _)| number > after)?;
        inner.demand.remove(at).map(|(_, wish)| wish)
    }

    /// Waits until a person wishes something after the wish with this number.
    pub async fn wait_for_request(&self, after: u64) {
        while !self.lock_state().demand.iter().any(|&(number, _)| number > after) {
            self.wished.notified().await;
        }
    }

    /// Waits until something is there to be asked.
    pub async fn wait_until_filled(&self) {
        while self.len() == 0 {
            self.filled.notified().await;
        }
        // Whoever waits for the work itself is to be woken as well.
        self.filled.notify_one();
    }

    /// Files that wait or are in hand.
    pub fn len(&self) -> usize {
        let inner = self.lock_state();
        let waiting = inner.demand.len() + inner.sweep.order.len() + inner.discover.order.len();
        waiting + inner.resting.len() + usize::from(inner.in_hand.is_some())
    }

    /// The first paths in the order in which they will be asked about.
    pub fn peek_paths(&self, count: usize) -> Vec<String> {
        let inner = self.lock_state();
        let demand = inner.demand.iter().map(|(_, wish)| &wish.path);
        let all = demand.chain(&inner.sweep.order).chain(&inner.discover.order);
        let resting = inner.resting.iter().map(|(_, job)| &job.wish.path);
        let mut seen = HashSet::new();
        all.chain(resting).filter(|path| seen.insert(path.as_str())).take(count).cloned().collect()
    }

    /// What was in hand is done.
    pub fn finish_current(&self) {
        self.lock_state().in_hand = None;
    }

    /// A wish could not be fulfilled now; it is tried again after a while.
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

    /// The server ended: what was in hand is tried once more, later. Whether it was left out instead.
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
    /// A wish that is taken up again is no newer than the last one.
    fn push_request_front(&mut self, wish: PriorityRequest) {
        self.demand.push_front((self.wished, wish));
    }

    fn push_request_back(&mut self, wish: PriorityRequest) {
        self.demand.push_back((self.wished, wish));
    }

    fn pop_job(&mut self, now: Instant) -> Option<QueuedJob> {
        loop {
            let job = self.pop_any_job(now)?;
            // A file at which servers end is left out, whoever wishes it.
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
        // Its next change brings it back.
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
