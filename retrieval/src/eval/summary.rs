//! Means of task scores over all tasks and over groups of tasks.

use super::statistics::{MeanEstimate, bootstrap_means};
use super::{commits, curated};
use std::collections::BTreeMap;

/// A group that a task belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskGroup {
    /// The kind of the group: [`REPO`], `tier`, ...
    pub kind: &'static str,
    /// The task's value for this kind.
    pub value: String,
}

impl TaskGroup {
    /// Creates the group of tasks with this value.
    pub fn new(kind: &'static str, value: impl Into<String>) -> Self {
        Self { kind, value: value.into() }
    }
}

/// The kind of the group that contains all tasks.
pub const ALL: &str = "all";

/// The kind of the groups by repository.
pub const REPO: &str = "repo";

/// The scores of one task: a row of metrics in the order of the scorer's `METRICS`.
#[derive(Debug, Clone)]
pub struct ScoredTask {
    /// The groups of this task, in addition to [`ALL`].
    pub groups: Vec<TaskGroup>,
    /// The metrics.
    pub metrics: Vec<f64>,
}

/// The means of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupMeans {
    /// The kind of the group: [`ALL`], [`REPO`], `tier`, ...
    pub kind: &'static str,
    /// The group's value; empty for [`ALL`].
    pub value: String,
    /// Number of tasks.
    pub tasks: usize,
    /// The mean of each metric, in the order of the scorer's `METRICS`.
    pub means: Vec<MeanEstimate>,
}

/// Returns the means over all tasks first, then the means of each group, in the order of the
/// groups' kinds and with sorted values. Empty without tasks. Every task must have `columns`
/// metrics.
pub fn summarize_groups(tasks: &[ScoredTask], columns: usize) -> Vec<GroupMeans> {
    let mut rows: BTreeMap<(usize, &'static str, &str), Vec<&[f64]>> = BTreeMap::new();
    for task in tasks {
        rows.entry((0, ALL, "")).or_default().push(&task.metrics);
        for (order, group) in (1..).zip(&task.groups) {
            rows.entry((order, group.kind, &group.value)).or_default().push(&task.metrics);
        }
    }
    let means = |rows: &[&[f64]]| bootstrap_means(rows, columns);
    rows.into_iter()
        .map(|((_, kind, value), rows)| GroupMeans {
            kind,
            value: value.to_owned(),
            tasks: rows.len(),
            means: means(&rows),
        })
        .collect()
}

/// Returns the groups of a task of the curated set.
pub fn curated_groups(task: &curated::CuratedTask) -> Vec<TaskGroup> {
    vec![TaskGroup::new("tier", &task.tier), TaskGroup::new(REPO, &task.repo)]
}

/// Returns the groups of a task of the commit set.
pub fn commit_groups(task: &commits::CommitTask) -> Vec<TaskGroup> {
    let tags = &task.tags;
    let yes_or_no = |holds: bool| if holds { "yes" } else { "no" };
    let truths = match tags.n_truths {
        0 | 1 => "1",
        2 | 3 => "2-3",
        _ => "4-8",
    };
    let age = match tags.age_days {
        ..180 => "<180 d",
        180..540 => "180-540 d",
        540.. => ">540 d",
    };
    let has_scope = tags.scope.as_ref().is_some_and(|scope| !scope.is_empty());
    vec![
        TaskGroup::new(REPO, &task.repo),
        TaskGroup::new("language", &task.language),
        TaskGroup::new("vocabulary", &tags.vocab),
        TaskGroup::new("verbatim", yes_or_no(tags.verbatim)),
        TaskGroup::new("truths", truths),
        TaskGroup::new("names file or stem", yes_or_no(tags.names_file || tags.names_stem)),
        TaskGroup::new("scope prefix", yes_or_no(has_scope)),
        TaskGroup::new("body", yes_or_no(tags.has_body)),
        TaskGroup::new("age", age),
        TaskGroup::new("split", &tags.split),
    ]
}

#[cfg(test)]
mod tests {
    use super::{ScoredTask, TaskGroup, summarize_groups};
    use expect_test::expect;

    #[test]
    fn groups_come_after_all_tasks_and_count_their_own_tasks() {
        let task = |repo: &str, tier: &str, metric: f64| ScoredTask {
            groups: vec![TaskGroup::new("tier", tier), TaskGroup::new("repo", repo)],
            metrics: vec![metric, 1.0],
        };
        let tasks = [task("flask", "hard", 0.0), task("caddy", "easy", 1.0), task("flask", "easy", 0.5)];
        let mut seen = Vec::new();
        for group in summarize_groups(&tasks, 2) {
            let [first, second] = [group.means[0].mean, group.means[1].mean];
            seen.push(format!("{} {:6} n={} {first:.2} {second:.2}", group.kind, group.value, group.tasks));
        }
        expect![[r"
            all        n=3 0.50 1.00
            tier easy   n=2 0.75 1.00
            tier hard   n=1 0.00 1.00
            repo caddy  n=1 1.00 1.00
            repo flask  n=2 0.25 1.00"]]
        .assert_eq(&seen.join("\n"));
        assert_eq!(summarize_groups(&[], 2), []);
    }
}
