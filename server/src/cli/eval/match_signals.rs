//! `--signals`: a table of how well the repository matches each task. `bench/scripts/fit_match.py`
//! fits the rule on these tables.

use super::task_set::{TaskQuery, TaskSet};
use kenning_retrieval::TaskMatch;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The signals of all tasks.
#[derive(Debug, Default)]
pub struct MatchSignals {
    rows: String,
    unmatched: BTreeSet<String>,
}

impl MatchSignals {
    /// Adds a task. Skips a task that the configuration does not judge.
    pub fn add_task(&mut self, set: &TaskSet, query: &TaskQuery<'_>, task_match: Option<TaskMatch>) {
        let Some(TaskMatch { known, strength, is_exact, is_match }) = task_match else { return };
        let (kind, exact) = (set.kind_name(), u8::from(is_exact));
        let _ = writeln!(self.rows, "{kind},{},{},{known:.4},{strength:.4},{exact}", query.repo, query.task);
        if !is_match {
            self.unmatched.insert(query.task.to_owned());
        }
    }

    /// Returns the tasks that nothing in their repositories matches.
    pub fn unmatched_tasks(&self) -> &BTreeSet<String> {
        &self.unmatched
    }

    /// Renders one row for each task.
    pub fn to_csv(&self) -> String {
        format!("set,repo,task,known,strength,exact\n{}", self.rows)
    }
}
