//! One file after the other: questions in portions, so that what people wish comes in between.

use super::queue::{Job, Lane, Wish};
use super::seat::Seat;
use crate::ask::{Asker, GivenUp, Sheet, Unreadable};
use kenning_graph::verdicts::Verdict;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Questions of one portion: what people wish waits for the end of the portion before it, and is shown after its first.
const PORTION: usize = 12;

impl Seat {
    /// Does one piece of work.
    pub(super) async fn work(&self, asker: &Arc<Asker>, job: Job) -> Result<(), GivenUp> {
        let again = match job.lane {
            Lane::Discover => self.discover(asker, &job).await?,
            Lane::Demand | Lane::Sweep => self.upgrade(asker, &job).await?,
        };
        if again {
            self.queue.again(job);
        }
        Ok(())
    }

    /// Asks about the references of a file; whether some are to be asked again.
    async fn upgrade(&self, asker: &Arc<Asker>, job: &Job) -> Result<bool, GivenUp> {
        let sheet = match asker.sheet(&job.wish.path).await {
            Ok(sheet) => Arc::new(sheet),
            Err(unreadable) => return Ok(unreadable == Unreadable::Behind),
        };
        let mut again = 0;
        let round = self.queue.round(job);
        for portion in self.wanted(&sheet, &job.wish).chunks(PORTION) {
            self.wishes(asker).await?;
            if job.lane == Lane::Sweep && !self.allows(portion.len()) {
                return Ok(false);
            }
            let answers = asker.upgrade(&sheet, portion.to_vec(), round).await?;
            again += answers.again;
            self.keep(answers.verdicts);
        }
        Ok(again > 0)
    }

    /// What people wished meanwhile.
    async fn wishes(&self, asker: &Arc<Asker>) -> Result<(), GivenUp> {
        while let Some(wish) = self.queue.next_demand() {
            let job = Job { lane: Lane::Demand, wish };
            let sheet = match asker.sheet(&job.wish.path).await {
                Ok(sheet) => Arc::new(sheet),
                Err(Unreadable::Gone) => continue,
                Err(Unreadable::Behind) => {
                    self.queue.again(job);
                    continue;
                }
            };
            let mut again = 0;
            let round = self.queue.round(&job);
            for portion in self.wanted(&sheet, &job.wish).chunks(PORTION) {
                let answers = asker.upgrade(&sheet, portion.to_vec(), round).await?;
                again += answers.again;
                self.keep(answers.verdicts);
            }
            if again > 0 {
                self.queue.again(job);
            }
        }
        Ok(())
    }

    async fn discover(&self, asker: &Arc<Asker>, job: &Job) -> Result<bool, GivenUp> {
        let sheet = match asker.sheet(&job.wish.path).await {
            Ok(sheet) => Arc::new(sheet),
            Err(unreadable) => return Ok(unreadable == Unreadable::Behind),
        };
        let mut again = 0;
        let round = self.queue.round(job);
        for portion in asker.subjects(&sheet).chunks(PORTION) {
            self.wishes(asker).await?;
            if !self.allows(portion.len()) {
                return Ok(false);
            }
            let answers = asker.discover(&sheet, portion.to_vec(), round).await?;
            again += answers.again;
            self.keep(answers.verdicts);
        }
        Ok(again > 0)
    }

    /// Passes over files about which nothing is left to be asked, up to the first one about which there is: a server need not
    /// read the workspace to be asked nothing.
    pub(super) async fn pass_over(&self, asker: &Arc<Asker>) {
        while let Some(job) = self.queue.take() {
            let left = match asker.sheet(&job.wish.path).await {
                Ok(sheet) if job.lane == Lane::Discover => !asker.subjects(&sheet).is_empty(),
                Ok(sheet) => !self.wanted(&sheet, &job.wish).is_empty(),
                Err(unreadable) => unreadable == Unreadable::Behind,
            };
            if left {
                return self.queue.put_back();
            }
            self.queue.done();
        }
    }

    /// The sites of a file that are to be asked about: what the text leaves open first.
    fn wanted(&self, sheet: &Sheet, wish: &Wish) -> Vec<usize> {
        let site = |index: usize| sheet.sites.get(index);
        let subject = |index: &usize| {
            wish.symbols.is_empty() || site(*index).is_some_and(|s| wish.symbols.contains(&s.key.subject))
        };
        let pending: Vec<usize> = sheet.pending.iter().copied().filter(subject).collect();
        let (mut open, resolved): (Vec<usize>, Vec<usize>) = pending
            .into_iter()
            .partition(|&index| site(index).is_some_and(kenning_graph::verdicts::Site::is_open));
        if self.terms.verify {
            open.extend(resolved);
        }
        open
    }

    fn allows(&self, questions: usize) -> bool {
        let questions = questions as i64;
        let left = self.terms.budget.fetch_sub(questions, Ordering::Relaxed);
        if left <= 0 {
            self.queue.clear();
        }
        left > 0
    }

    fn keep(&self, batch: Vec<Verdict>) {
        if batch.is_empty() {
            return;
        }
        self.count(|tally| tally.count(&batch));
        self.terms.sink.take(batch);
    }
}
