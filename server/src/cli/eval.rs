//! `kenning eval`: measures retrieval on a task set.
//!
//! In: a task set, and a folder with the repositories that its tasks are about. Out: the metrics,
//! as a table or as JSON; on request also ranked lists, features, packs or signals as files. Reads
//! one repository after the other, ranks its tasks in parallel, and scores all lists at the end.
//!
//! Invariants: no task profits from another, because feedback is off except in a replay. The
//! history contains no commit that a task was made from.

mod features;
mod match_signals;
mod nonsense;
mod packs;
mod replay;
mod report;
mod task_set;

use super::args::EvalArgs;
use super::progress::TerminalProgress;
use super::{configuration, output, workspace};
use crate::answer::SymbolBodies;
use crate::config::Config;
use crate::format::json;
use crate::rank_overrides::{apply_overrides, check_vector_overrides};
use crate::vectors::ReadyVectors;
use anyhow::{Context, ensure};
use features::{CandidateRows, FeatureTables};
use kenning_graph::{Snapshot, SymbolId};
use kenning_indexing::workspace::{TextProvider, Workspace, WorkspaceOptions};
use kenning_retrieval::eval::commits::RankedAnswer;
use kenning_retrieval::{Analysis, CommitHistory, RankConfig, TaskMatch, TaskRequest, WorkspaceFacts};
use match_signals::MatchSignals;
use packs::RenderedPacks;
use rayon::prelude::*;
use replay::{ReplayReport, RoundLists};
use report::EvalReport;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use task_set::{RankedLists, TaskQuery, TaskSelection, TaskSet};

/// The maximum number of entries in a ranked list. The scorers of commit sets can read 200, and the
/// ranking of a large repository has thousands.
const LIST_LENGTH: usize = 100;

/// Ranks every task of the set, prints the metrics and writes the requested files.
pub fn run_eval(args: &EvalArgs) -> anyhow::Result<()> {
    let selection = TaskSelection { repos: &args.repos, ids: &args.task };
    let set = TaskSet::read_tasks(&args.tasks, selection)?;
    let name = args.ranking.config.unwrap_or_default();
    let config = apply_overrides(name.rank_config(), &args.ranking.set)?;
    if let Some(rounds) = args.replay {
        return run_replay(args, &set, &config, rounds.into());
    }
    let mut lists = RankedLists::new();
    let mut latencies = Vec::new();
    let mut tables = FeatureTables::new(config.learned.is_some());
    let mut packs = RenderedPacks::default();
    let mut signals = MatchSignals::default();
    let groups = group_by_repository(&set, &args.corpus)?;
    let options = read_options(groups.keys().copied(), args)?;
    for (repo, queries) in groups {
        let repository = EvalRepository::read_for_queries(repo, &queries, args, &config, &options[repo])?;
        if args.features.is_some() {
            for (task, rows) in collect_candidates(&repository, &config, &queries) {
                tables.add_task(&set, repo, &task, &rows);
            }
        }
        if args.packs.is_some() {
            packs.add_repository(&repository, &config, &queries, &args.budgets, args.whole_files)?;
            continue;
        }
        for (query, answer) in queries.iter().zip(rank_queries(&repository, &config, &queries)) {
            signals.add_task(&set, query, answer.task_match);
            lists.insert(query.task.to_owned(), answer.list);
            latencies.push(answer.time);
        }
    }
    if let Some(path) = &args.packs {
        return packs.write_json(path);
    }
    if let Some(path) = &args.features {
        tables.write_files(path)?;
    }
    if let Some(path) = &args.signals {
        write_file(path, signals.to_csv().as_bytes())?;
    }
    if let Some(path) = &args.out {
        let text = serde_json::to_string(&set.lists_as_json(&lists))?;
        write_file(path, (text + "\n").as_bytes())?;
    }
    let report = EvalReport {
        set: set.kind_name(),
        config: name.as_str().to_owned(),
        command: reproducible_command(args),
        metrics: set.metric_names(),
        groups: set.group_means(&lists, signals.unmatched_tasks()),
        unanswered: lists.values().filter(|list| list.is_empty()).count(),
        latencies,
        threads: rayon::current_num_threads(),
    };
    if let Some(path) = &args.csv {
        write_file(path, report.to_csv().as_bytes())?;
    }
    let text = if args.json { json::render_json(&report.to_json())? } else { report.render_table() };
    output::print_text(&text)
}

/// Replays the tasks in rounds with simulated use and prints the MRR of each round.
fn run_replay(args: &EvalArgs, set: &TaskSet, config: &RankConfig, rounds: usize) -> anyhow::Result<()> {
    let mut lists: Vec<RoundLists> = (0..rounds).map(|_| RoundLists::default()).collect();
    let groups = group_by_repository(set, &args.corpus)?;
    let options = read_options(groups.keys().copied(), args)?;
    for (repo, queries) in groups {
        let repository = EvalRepository::read_for_queries(repo, &queries, args, config, &options[repo])?;
        replay::replay_repository(&repository, config, set, &queries, &mut lists);
    }
    let report = ReplayReport::new(set, args.ranking.config.unwrap_or_default().as_str(), &lists);
    let text = if args.json { json::render_json(&report.to_json())? } else { report.render_table() };
    output::print_text(&text)
}

/// Groups the queries by repository.
///
/// # Errors
/// Returns an error if a repository is missing from the corpus, so that no run fails after hours of
/// work.
fn group_by_repository<'a>(
    set: &'a TaskSet,
    corpus: &Path,
) -> anyhow::Result<BTreeMap<&'a str, Vec<TaskQuery<'a>>>> {
    let mut groups: BTreeMap<&str, Vec<TaskQuery<'_>>> = BTreeMap::new();
    for query in set.task_queries() {
        groups.entry(query.repo).or_default().push(query);
    }
    let missing: Vec<&str> = groups.keys().copied().filter(|repo| !corpus.join(repo).is_dir()).collect();
    ensure!(
        missing.is_empty(),
        "{} has no {}; check the repositories out with bench/layout.sh, or choose others with --repos",
        corpus.display(),
        missing.join(", ")
    );
    Ok(groups)
}

/// Reads the options of each repository, of which only the model of vectors is used.
///
/// # Errors
/// Returns an error if the arguments override a constant of vectors that has no effect on a
/// repository, so that no run fails after hours of work.
fn read_options<'a>(
    repos: impl Iterator<Item = &'a str>,
    args: &EvalArgs,
) -> anyhow::Result<BTreeMap<&'a str, Config>> {
    let read = |repo: &'a str| {
        let root = args.corpus.join(repo);
        let options = configuration::effective_config_with_warnings(&root).config;
        check_vector_overrides(&args.ranking.set, options.vectors.model.as_deref())
            .with_context(|| root.display().to_string())?;
        Ok((repo, options))
    };
    repos.map(read).collect()
}

/// A repository to evaluate on: its graph, the facts from its manifests, its history, its texts and
/// its vectors.
struct EvalRepository {
    snapshot: Snapshot,
    workspace: WorkspaceFacts,
    history: Option<CommitHistory>,
    text: Arc<TextProvider>,
    /// The vectors; `None` if they are off or the ranking does not use them.
    vectors: Option<Arc<ReadyVectors>>,
}

impl EvalRepository {
    /// Reads the repository `repo` of the corpus for queries that `ranking` answers.
    ///
    /// # Errors
    /// Returns an error that names the folder if the repository cannot be used.
    fn read_for_queries(
        repo: &str,
        queries: &[TaskQuery<'_>],
        args: &EvalArgs,
        ranking: &RankConfig,
        options: &Config,
    ) -> anyhow::Result<Self> {
        let root = args.corpus.join(repo);
        let base = queries.iter().find_map(|query| query.base);
        let model = options.vectors.model.as_deref().filter(|_| ranking.vectors.is_used());
        Self::read_repository(&root, base, args, model).with_context(|| root.display().to_string())
    }

    /// Reads a repository: its graph, updated from the disk, its history, and the vectors of
    /// `model`.
    ///
    /// # Errors
    /// Returns an error if the tree is not at `base` while the history is in use: a later history
    /// contains the commits that the tasks were made from. Returns an error if the model cannot be
    /// used.
    fn read_repository(
        root: &Path,
        base: Option<&str>,
        args: &EvalArgs,
        model: Option<&str>,
    ) -> anyhow::Result<Self> {
        let options = WorkspaceOptions { verdicts: args.enriched, ..WorkspaceOptions::default() };
        let mut workspace = Workspace::open(root, options)?;
        let report = workspace.refresh_all(&TerminalProgress::new())?;
        ensure!(report.files > 0, "no source file that Kenning can index");
        let mut history = None;
        if !args.no_history {
            let head = workspace.head_commit();
            ensure!(
                base.is_none() || head.is_none() || base == head.as_deref(),
                "the tree is at {}, but the tasks start at {}; check it out with bench/layout.sh, or ignore the history with --no-history",
                head.unwrap_or_default(),
                base.unwrap_or_default()
            );
            workspace.read_commits(&mut || false)?;
            history = Some(CommitHistory::new(workspace.load_commits()?));
        }
        let facts = WorkspaceFacts::new(&workspace.current_project().packages, Vec::new());
        let text = workspace.text_source();
        let vectors = workspace::load_vectors(&workspace, model)?;
        Ok(Self { snapshot: workspace.current_snapshot(), workspace: facts, history, text, vectors })
    }

    fn build_analysis<'a>(&'a self, config: &'a RankConfig, bodies: &'a SymbolBodies<'a>) -> Analysis<'a> {
        let (workspace, history) = (&self.workspace, self.history.as_ref());
        let vectors = self.vectors.as_deref().map(ReadyVectors::as_search);
        Analysis { workspace, history, vectors, ..Analysis::new(&self.snapshot, config, bodies) }
    }
}

/// The answer to one query.
struct RankedQuery {
    list: Vec<RankedAnswer>,
    /// The match between the task and the repository; `None` if the configuration does not judge
    /// it.
    task_match: Option<TaskMatch>,
    time: Duration,
}

/// Ranks every query independently, without learned feedback, several in parallel.
fn rank_queries(
    repository: &EvalRepository,
    config: &RankConfig,
    queries: &[TaskQuery<'_>],
) -> Vec<RankedQuery> {
    let bodies = SymbolBodies(Some(&repository.text));
    let (analysis, snapshot) = (repository.build_analysis(config, &bodies), &repository.snapshot);
    let answer = |query: &TaskQuery<'_>| {
        let started = Instant::now();
        let trace = analysis.trace_task(&TaskRequest::new(query.text));
        let time = started.elapsed();
        let entries = trace.ranked.iter().take(LIST_LENGTH);
        let list = entries.filter_map(|entry| to_answer(snapshot, entry.symbol)).collect();
        RankedQuery { list, task_match: trace.task_match, time }
    };
    queries.par_iter().map(answer).collect()
}

/// Collects the candidates of every query that the configuration's ranker orders, with their
/// features.
fn collect_candidates(
    repository: &EvalRepository,
    config: &RankConfig,
    queries: &[TaskQuery<'_>],
) -> Vec<(String, CandidateRows)> {
    let bodies = SymbolBodies(Some(&repository.text));
    let (analysis, snapshot) = (repository.build_analysis(config, &bodies), &repository.snapshot);
    let collect = |query: &TaskQuery<'_>| {
        let request = TaskRequest::new(query.text);
        let row = |symbol, score, row: Vec<f32>| Some((to_answer(snapshot, symbol)?, score, row));
        let rows: CandidateRows = if let Some(learned) = analysis.compute_learned_features(&request) {
            let scored = learned.symbols.iter().zip(&learned.scores).zip(learned.features.rows());
            scored.filter_map(|((&symbol, &score), values)| row(symbol, score, values.to_vec())).collect()
        } else {
            let (ranked, rows) = analysis.compute_rerank_features(&request, features::MAX_CANDIDATES);
            let scored = ranked.iter().zip(rows);
            scored
                .filter_map(|(entry, values)| {
                    row(entry.symbol, entry.score, values.iter().map(|&value| value as f32).collect())
                })
                .collect()
        };
        (query.task.to_owned(), rows)
    };
    queries.par_iter().map(collect).collect()
}

fn to_answer(snapshot: &Snapshot, id: SymbolId) -> Option<RankedAnswer> {
    let symbol = snapshot.symbol(id)?;
    let [name, file] = [symbol.name, symbol.path].map(str::to_owned);
    Some(RankedAnswer { name, qualified: symbol.display_name(), file })
}

/// Returns the command that repeats the run. Absolute paths are shortened to their last components,
/// because the rest is specific to this machine.
fn reproducible_command(args: &EvalArgs) -> String {
    let tail = |path: &Path, parts: usize| {
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        let start = if path.is_absolute() { names.len().saturating_sub(parts) } else { 0 };
        names[start..].join("/")
    };
    let (tasks, corpus) = (tail(&args.tasks, 2), tail(&args.corpus, 1));
    let mut command = format!(
        "kenning eval --tasks {tasks} --corpus {corpus} --config {}",
        args.ranking.config.unwrap_or_default().as_str()
    );
    for setting in &args.ranking.set {
        command.push_str(" --set ");
        command.push_str(setting.as_str());
    }
    if args.no_history {
        command.push_str(" --no-history");
    }
    if args.enriched {
        command.push_str(" --enriched");
    }
    if !args.repos.is_empty() {
        command.push_str(" --repos ");
        command.push_str(&args.repos.join(","));
    }
    for task in &args.task {
        command.push_str(" --task ");
        command.push_str(task);
    }
    command
}

fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{group_by_repository, reproducible_command};
    use crate::cli::args::{EvalArgs, RankingArgs};
    use crate::cli::eval::task_set::{TaskSelection, TaskSet};
    use crate::ranking_choice::RankConfigName;
    use std::path::PathBuf;

    fn args(tasks: &str, corpus: &str, repos: &[&str]) -> EvalArgs {
        EvalArgs {
            tasks: PathBuf::from(tasks),
            corpus: PathBuf::from(corpus),
            out: None,
            csv: None,
            ranking: RankingArgs { config: Some(RankConfigName::Seeds), set: Vec::new() },
            features: None,
            signals: None,
            packs: None,
            budgets: Vec::new(),
            whole_files: false,
            no_history: false,
            enriched: false,
            repos: repos.iter().map(|&repo| repo.to_owned()).collect(),
            task: vec!["x-1".to_owned(); usize::from(!repos.is_empty())],
            json: false,
            replay: None,
        }
    }

    #[test]
    fn the_command_names_no_folder_of_this_machine() {
        let relative = reproducible_command(&args("bench/curated/tasks.json", "corpus/curated", &[]));
        assert_eq!(
            relative,
            "kenning eval --tasks bench/curated/tasks.json --corpus corpus/curated --config seeds"
        );
        let absolute = reproducible_command(&args("/a/b/curated/tasks.json", "/a/b/corpus", &["x", "y"]));
        assert_eq!(
            absolute,
            "kenning eval --tasks curated/tasks.json --corpus corpus --config seeds --repos x,y --task x-1"
        );
    }

    #[test]
    fn missing_repositories_are_reported_before_any_work() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let tasks = folder.path().join("tasks.json");
        let task = |repo: &str| {
            format!(
                r#"{{"id": "{repo}-1", "repo": "{repo}", "tier": "easy", "description": "x", "ground_truth": ["y"]}}"#
            )
        };
        std::fs::write(&tasks, format!("[{}, {}, {}]", task("c"), task("a"), task("b"))).unwrap();
        let set = TaskSet::read_tasks(&tasks, TaskSelection::default()).unwrap();
        let error = group_by_repository(&set, folder.path()).unwrap_err().to_string();
        assert!(
            error.ends_with(
                " has no b, c; check the repositories out with bench/layout.sh, or choose others with --repos"
            ),
            "{error}"
        );
    }
}
