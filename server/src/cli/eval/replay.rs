//! `kenning eval --replay N`: repeats the tasks of a set in rounds while a simulated reader uses
//! the packs, and measures the gain from learning.
//!
//! The reader uses the truths of a task that are in its pack and leaves the other symbols unused.
//! Each round is measured twice. `all uses` lets a task profit from its own earlier rounds, like a
//! person who asks again. `other tasks` leaves out the uses of the task itself, so that only the
//! uses of other tasks count. The first round has no learned data.

use super::task_set::{RankedLists, TaskQuery, TaskSet};
use super::{EvalRepository, LIST_LENGTH, to_answer};
use crate::answer::{SymbolBodies, learning_key_of_task};
use crate::learning::{LearnedEvidence, LearnedRows, LearningKey, package_root};
use kenning_graph::store::{SymbolUse, WordAssociation};
use kenning_graph::{Hash, Snapshot};
use kenning_retrieval::eval::commits::RankedAnswer;
use kenning_retrieval::{Analysis, RankConfig, TaskRequest};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The ranked lists of one round.
#[derive(Default)]
pub struct RoundLists {
    all_uses: RankedLists,
    other_tasks: RankedLists,
}

/// The use of the packs for one task by the simulated reader: for each symbol, the numbers of times
/// that the reader used it and left it unused.
type TaskUses = BTreeMap<Hash, (u32, u32)>;

/// A task of a repository, with the key of its learned data.
struct ReplayTask<'a> {
    query: TaskQuery<'a>,
    key: LearningKey,
}

/// Replays the tasks of one repository and adds their lists to `rounds`.
pub fn replay_repository(
    repository: &EvalRepository,
    config: &RankConfig,
    set: &TaskSet,
    queries: &[TaskQuery<'_>],
    rounds: &mut [RoundLists],
) {
    let tasks: Vec<ReplayTask<'_>> = queries
        .iter()
        .map(|query| ReplayTask { query: *query, key: learning_key_of_task(query.text) })
        .collect();
    let mut uses: Vec<TaskUses> = vec![TaskUses::default(); tasks.len()];
    for lists in rounds {
        let run = |at: usize| {
            let all = run_task(repository, config, &tasks, &uses, at, None);
            let other = run_task(repository, config, &tasks, &uses, at, Some(at));
            (all, other.list)
        };
        let outcomes: Vec<(TaskRun, Vec<RankedAnswer>)> = (0..tasks.len()).into_par_iter().map(run).collect();
        for ((task, uses), (all, other)) in tasks.iter().zip(&mut uses).zip(outcomes) {
            add_simulated_use(set, task.query.task, &all.packed, uses);
            lists.all_uses.insert(task.query.task.to_owned(), all.list);
            lists.other_tasks.insert(task.query.task.to_owned(), other);
        }
    }
}

/// The ranked list and the symbols of the pack for a task.
struct TaskRun {
    list: Vec<RankedAnswer>,
    packed: Vec<(Hash, RankedAnswer)>,
}

/// Answers a task with the data learned from all tasks except `excluded`.
fn run_task(
    repository: &EvalRepository,
    config: &RankConfig,
    tasks: &[ReplayTask<'_>],
    uses: &[TaskUses],
    at: usize,
    excluded: Option<usize>,
) -> TaskRun {
    let snapshot = &repository.snapshot;
    let task = &tasks[at];
    let mut rows = LearnedRows::default();
    for (other, (known, uses)) in tasks.iter().zip(uses).enumerate() {
        if Some(other) != excluded {
            add_rows(snapshot, &known.key, uses, &task.key.keywords, &mut rows);
        }
    }
    let learned = LearnedEvidence::from_rows(&rows, &task.key, snapshot);
    let bodies = SymbolBodies(Some(&repository.text));
    let analysis = Analysis { evidence: Some(&learned), ..repository.build_analysis(config, &bodies) };
    let answer = analysis.pack_task(&TaskRequest::new(task.query.text));
    let ranked = answer.trace.ranked.iter().take(LIST_LENGTH);
    let packed = answer.pack.symbols.iter();
    TaskRun {
        list: ranked.filter_map(|entry| to_answer(snapshot, entry.symbol)).collect(),
        packed: packed.filter_map(|entry| Some((entry.id, to_answer(snapshot, entry.symbol)?))).collect(),
    }
}

/// Adds the rows about the uses of one task that a task with these keywords reads.
fn add_rows(
    snapshot: &Snapshot,
    key: &LearningKey,
    uses: &TaskUses,
    keywords: &[String],
    rows: &mut LearnedRows,
) {
    let Some(cluster) = key.cluster else { return };
    let shared: Vec<&String> = key.keywords.iter().filter(|word| keywords.contains(word)).collect();
    for (&symbol, &(used, unused)) in uses {
        let found = snapshot.symbol_by_hash(&symbol).and_then(|id| snapshot.symbol(id));
        let Some(package_root) = found.and_then(|found| package_root(snapshot, &found)) else { continue };
        rows.uses.push(SymbolUse { symbol, cluster, package_root, used, unused, at: 0 });
        let associate = |keyword: &&String| {
            let keyword = (*keyword).clone();
            WordAssociation { keyword, symbol, cluster, package_root, count: used, at: 0 }
        };
        if used > 0 {
            rows.words.extend(shared.iter().map(associate));
        }
    }
}

/// Counts the truths of a pack as used and its other symbols as unused, unless it has no truth.
fn add_simulated_use(set: &TaskSet, task: &str, packed: &[(Hash, RankedAnswer)], uses: &mut TaskUses) {
    let used: BTreeSet<Hash> =
        packed.iter().filter(|(_, answer)| set.is_truth(task, answer)).map(|(hash, _)| *hash).collect();
    if used.is_empty() {
        return;
    }
    for (hash, _) in packed {
        let counts = uses.entry(*hash).or_default();
        if used.contains(hash) {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
    }
}

fn format_signed_percent(share: f64) -> String {
    format!("{:+.1}%", share * 100.0)
}

/// The MRR of each round.
pub struct ReplayReport {
    set: &'static str,
    config: String,
    tasks: usize,
    /// For each round, the MRR with all uses and the MRR with the uses of other tasks.
    rounds: Vec<(f64, f64)>,
}

impl ReplayReport {
    /// Scores the lists of the rounds.
    pub fn new(set: &TaskSet, config: &str, rounds: &[RoundLists]) -> Self {
        let metric = set.metric_names().iter().position(|name| *name == "MRR");
        let mrr = |lists: &RankedLists| {
            let all = set.group_means(lists, &BTreeSet::new()).into_iter().next();
            all.zip(metric).map_or(0.0, |(group, metric)| group.means[metric].mean)
        };
        Self {
            set: set.kind_name(),
            config: config.to_owned(),
            tasks: rounds.first().map_or(0, |lists| lists.all_uses.len()),
            rounds: rounds.iter().map(|lists| (mrr(&lists.all_uses), mrr(&lists.other_tasks))).collect(),
        }
    }

    /// Returns the relative gains of the last round over the first, which has no learned data.
    fn compute_gains(&self) -> (f64, f64) {
        let (Some(first), Some(last)) = (self.rounds.first(), self.rounds.last()) else { return (0.0, 0.0) };
        let gain = |first: f64, last: f64| if first > 0.0 { last / first - 1.0 } else { 0.0 };
        (gain(first.0, last.0), gain(first.1, last.1))
    }

    /// Renders the rounds as a table.
    pub fn render_table(&self) -> String {
        let (set, config, tasks, rounds) = (self.set, &self.config, self.tasks, self.rounds.len());
        let mut out = format!("{set}, configuration {config}: {tasks} tasks, {rounds} rounds, MRR\n\n");
        out.push_str("round   all uses   other tasks\n");
        for (at, (all, other)) in self.rounds.iter().enumerate() {
            let _ = writeln!(out, "{:>5}   {all:>8.4}   {other:>11.4}", at + 1);
        }
        let (all, other) = self.compute_gains();
        let _ =
            writeln!(out, " gain   {:>8}   {:>11}", format_signed_percent(all), format_signed_percent(other));
        out
    }

    /// Returns the rounds as JSON.
    pub fn to_json(&self) -> Value {
        let rounds = self.rounds.iter().map(|(all, other)| json!({ "all_uses": all, "other_tasks": other }));
        json!({
            "set": self.set,
            "config": self.config,
            "tasks": self.tasks,
            "mrr": rounds.collect::<Vec<Value>>(),
        })
    }
}
