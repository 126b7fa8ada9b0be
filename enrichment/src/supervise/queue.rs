//! What one server is to be asked about: what people look at first, then everything, then what no text shows.

use crate::ask::Round;
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
pub struct Wish {
    /// Path in the workspace.
    pub path: String,
    /// The symbols; none for the whole file.
    pub symbols: BTreeSet<Hash>,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Demand,
    Sweep,
    Discover,
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub lane: Lane,
    pub wish: Wish,
}

/// The work of one server.
#[derive(Default)]
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    filled: Notify,
    wished: Notify,
}

#[derive(Default)]
struct Inner {
    /// Each with its number: a greater one was wished later.
    demand: VecDeque<(u64, Wish)>,
    wished: u64,
    sweep: Files,
    discover: Files,
    resting: Vec<(Instant, Job)>,
    in_hand: Option<Job>,
    attempts: HashMap<String, u32>,
    ends: HashMap<String, u32>,
}

/// Files in order, each once.
#[derive(Default)]
struct Files {
    order: VecDeque<String>,
    known: HashSet<String>,
}

impl Files {
    fn push(&mut self, path: String) {
        if self.known.insert(path.clone()) {
            self.order.push_back(path);
        }
    }

    fn push_front(&mut self, path: String) {
        if self.known.insert(path.clone()) {
            self.order.push_front(path);
        }
    }

    fn pop(&mut self) -> Option<String> {
        let path = self.order.pop_front()?;
        self.known.remove(&path);
        Some(path)
    }
}

impl Queue {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts wishes before everything else, the first one first.
    pub fn demand(&self, wishes: Vec<Wish>) {
        let mut inner = self.inner();
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
    pub fn sweep(&self, paths: impl IntoIterator<Item = String>, discover: bool) {
        let mut inner = self.inner();
        for path in paths {
            inner.attempts.remove(&path);
            if discover {
                inner.discover.push(path.clone());
            }
            inner.sweep.push(path);
        }
        drop(inner);
        self.filled.notify_one();
    }

    /// Forgets everything that waits.
    pub fn clear(&self) {
        let mut inner = self.inner();
        let ends = std::mem::take(&mut inner.ends);
        *inner = Inner { ends, wished: inner.wished, ..Inner::default() };
    }

    /// Forgets at which files servers ended.
    pub fn forgive(&self) {
        self.inner().ends.clear();
    }

    /// Waits for work that can be done now.
    pub async fn next(&self) -> Job {
        loop {
            let rest = {
                let mut inner = self.inner();
                if let Some(job) = inner.pop(Instant::now()) {
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
    pub fn take(&self) -> Option<Job> {
        let mut inner = self.inner();
        inner.in_hand = inner.pop(Instant::now());
        inner.in_hand.clone()
    }

    /// What was taken is the next again.
    pub fn put_back(&self) {
        let mut inner = self.inner();
        let Some(job) = inner.in_hand.take() else { return };
        match job.lane {
            Lane::Demand => inner.wish_first(job.wish),
            Lane::Sweep => inner.sweep.push_front(job.wish.path),
            Lane::Discover => inner.discover.push_front(job.wish.path),
        }
        drop(inner);
        self.filled.notify_one();
    }

    /// How often this was tried before.
    pub fn round(&self, job: &Job) -> Round {
        let before = self.inner().attempts.get(&job.wish.path).copied().unwrap_or(0);
        Round { before, last: before + 1 >= ATTEMPTS }
    }

    /// The number of the last wish: those that come have greater ones.
    pub fn last_wish(&self) -> u64 {
        self.inner().wished
    }

    /// The next wish of a person after the one with this number, if there is one.
    pub fn next_demand(&self, after: u64) -> Option<Wish> {
        let mut inner = self.inner();
        let at = inner.demand.iter().position(|&(number, _)| number > after)?;
        inner.demand.remove(at).map(|(_, wish)| wish)
    }

    /// Waits until a person wishes something after the wish with this number.
    pub async fn wished(&self, after: u64) {
        while !self.inner().demand.iter().any(|&(number, _)| number > after) {
            self.wished.notified().await;
        }
    }

    /// Waits until something is there to be asked.
    pub async fn filled(&self) {
        while self.len() == 0 {
            self.filled.notified().await;
        }
        // Whoever waits for the work itself is to be woken as well.
        self.filled.notify_one();
    }

    /// Files that wait or are in hand.
    pub fn len(&self) -> usize {
        let inner = self.inner();
        let waiting = inner.demand.len() + inner.sweep.order.len() + inner.discover.order.len();
        waiting + inner.resting.len() + usize::from(inner.in_hand.is_some())
    }

    /// The first paths in the order in which they will be asked about.
    pub fn peek(&self, count: usize) -> Vec<String> {
        let inner = self.inner();
        let demand = inner.demand.iter().map(|(_, wish)| &wish.path);
        let all = demand.chain(&inner.sweep.order).chain(&inner.discover.order);
        let resting = inner.resting.iter().map(|(_, job)| &job.wish.path);
        let mut seen = HashSet::new();
        all.chain(resting).filter(|path| seen.insert(path.as_str())).take(count).cloned().collect()
    }

    /// What was in hand is done.
    pub fn done(&self) {
        self.inner().in_hand = None;
    }

    /// A wish could not be fulfilled now; it is tried again after a while.
    pub fn again(&self, job: Job) {
        let mut inner = self.inner();
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
    pub fn ended(&self) -> bool {
        let mut inner = self.inner();
        let Some(job) = inner.in_hand.take() else { return false };
        let ends = inner.ends.entry(job.wish.path.clone()).or_default();
        *ends += 1;
        if *ends >= ENDS {
            return true;
        }
        match job.lane {
            Lane::Demand => inner.wish_last(job.wish),
            Lane::Sweep => inner.sweep.push(job.wish.path),
            Lane::Discover => inner.discover.push(job.wish.path),
        }
        false
    }
}

impl Inner {
    /// A wish that is taken up again is no newer than the last one.
    fn wish_first(&mut self, wish: Wish) {
        self.demand.push_front((self.wished, wish));
    }

    fn wish_last(&mut self, wish: Wish) {
        self.demand.push_back((self.wished, wish));
    }

    fn pop(&mut self, now: Instant) -> Option<Job> {
        loop {
            let job = self.pop_any(now)?;
            // A file at which servers end is left out, whoever wishes it.
            if self.ends.get(&job.wish.path).is_none_or(|&ends| ends < ENDS) {
                return Some(job);
            }
        }
    }

    fn pop_any(&mut self, now: Instant) -> Option<Job> {
        let file = |lane, path| Job { lane, wish: Wish { path, symbols: BTreeSet::new() } };
        if let Some((_, wish)) = self.demand.pop_front() {
            return Some(Job { lane: Lane::Demand, wish });
        }
        if let Some(at) = self.resting.iter().position(|(until, _)| *until <= now) {
            return Some(self.resting.remove(at).1);
        }
        if let Some(path) = self.sweep.pop() {
            return Some(file(Lane::Sweep, path));
        }
        self.discover.pop().map(|path| file(Lane::Discover, path))
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Lane, Queue, Wish};
    use tokio::time::Instant;

    fn wish(path: &str) -> Wish {
        Wish { path: path.to_owned(), ..Wish::default() }
    }

    async fn next(queue: &Queue) -> (Lane, String) {
        let job = queue.next().await;
        queue.done();
        (job.lane, job.wish.path)
    }

    #[tokio::test]
    async fn wishes_come_before_the_sweep_and_discovery_last() {
        let queue = Queue::default();
        queue.sweep(["a", "b", "a"].map(str::to_owned), true);
        queue.demand(vec![wish("x"), wish("y")]);
        queue.demand(vec![wish("b")]);
        let mut order = Vec::new();
        while queue.len() > 0 {
            order.push(next(&queue).await);
        }
        let expected = [
            (Lane::Demand, "b"),
            (Lane::Demand, "x"),
            (Lane::Demand, "y"),
            (Lane::Sweep, "a"),
            (Lane::Sweep, "b"),
            (Lane::Discover, "a"),
            (Lane::Discover, "b"),
        ];
        assert_eq!(order, expected.map(|(lane, path)| (lane, path.to_owned())));
    }

    #[tokio::test]
    async fn a_wish_gives_way_only_to_what_was_wished_after_it() {
        let queue = Queue::default();
        queue.demand(vec![wish("a"), wish("b")]);
        assert_eq!(next(&queue).await.1, "a");
        let number = queue.last_wish();
        assert_eq!(queue.next_demand(number), None, "b was wished with a");
        queue.demand(vec![wish("c")]);
        queue.wished(number).await;
        assert_eq!(queue.next_demand(number), Some(wish("c")));
        assert_eq!(queue.next_demand(number), None);
        assert_eq!(queue.next_demand(0), Some(wish("b")));
    }

    #[tokio::test(start_paused = true)]
    async fn what_could_not_be_done_rests_longer_each_time_and_is_given_up() {
        let queue = Queue::default();
        queue.sweep(["a".to_owned()], false);
        let began = Instant::now();
        let mut rests = Vec::new();
        while queue.len() > 0 {
            let job = queue.next().await;
            rests.push(began.elapsed().as_millis() / 250);
            queue.done();
            queue.again(job);
        }
        assert_eq!(rests, [0, 1, 3, 7, 15, 31]);
        // Its next change brings it back.
        queue.demand(vec![wish("a")]);
        assert_eq!(next(&queue).await, (Lane::Demand, "a".to_owned()));
    }

    #[tokio::test]
    async fn a_file_at_which_the_server_ends_twice_is_left_out() {
        let queue = Queue::default();
        queue.sweep(["a", "b"].map(str::to_owned), false);
        assert_eq!(queue.next().await, Job { lane: Lane::Sweep, wish: wish("a") });
        assert!(!queue.ended());
        assert_eq!(next(&queue).await.1, "b", "it goes to the end");
        assert_eq!(queue.next().await.wish.path, "a");
        assert!(queue.ended());
        queue.demand(vec![wish("a"), wish("c")]);
        assert_eq!(next(&queue).await.1, "c");
        queue.forgive();
        queue.demand(vec![wish("a")]);
        assert_eq!(next(&queue).await.1, "a");
    }
}
