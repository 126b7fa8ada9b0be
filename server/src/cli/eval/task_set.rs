//! The task sets of the retrieval benchmark: reads them and scores ranked lists against them.
//!
//! In: a file of tasks, for a commit set also the symbol lists of its repositories, and ranked
//! answers by task. Out: the queries, and the means of the metrics per group of tasks. The fields
//! of the tasks show the kind of the set; each kind has its own scorer.
//!
//! Invariant: a selection that names an unknown repository or task is an error, so that no run
//! measures less than the user asked for.

use super::nonsense::{NonsenseFile, NonsenseQuestion};
use crate::config::config_layer::closest_word;
use anyhow::{Context, bail, ensure};
use kenning_retrieval::eval::commits::{BaseTree, RankedAnswer};
use kenning_retrieval::eval::summary::{
    GroupMeans, ScoredTask, commit_groups, curated_groups, summarize_groups,
};
use kenning_retrieval::eval::{commits, curated};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Ranked answers by task id, best first.
pub type RankedLists = BTreeMap<String, Vec<RankedAnswer>>;

/// The name of the metric that counts the tasks for which the ranking reports that nothing in the
/// workspace matches.
const NOTHING_MATCHES: &str = "nothing";

/// A task set of any kind, with the data that its scorer needs.
#[derive(Debug)]
pub enum TaskSet {
    /// The truths are the symbols that commits edited. The map has the tree of each repository.
    Commits(Vec<commits::CommitTask>, BTreeMap<String, BaseTree>),
    /// The truths are names that people picked.
    Curated(Vec<curated::CuratedTask>),
    /// Nothing in the repository matches any of the questions.
    Nonsense(Vec<NonsenseQuestion>),
}

/// A task and the repository that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskQuery<'a> {
    pub task: &'a str,
    pub repo: &'a str,
    pub text: &'a str,
    /// The commit that the tree must be at; `None` if the set states none.
    pub base: Option<&'a str>,
}

/// The tasks of a set to evaluate. Without a restriction, all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskSelection<'a> {
    /// Only tasks about these repositories; empty for no restriction.
    pub repos: &'a [String],
    /// Only tasks with these ids; empty for no restriction.
    pub ids: &'a [String],
}

impl TaskSelection<'_> {
    /// Checks that the tasks, as pairs of repository and id, include every selected repository and
    /// id.
    fn check_tasks_exist(&self, tasks: impl Iterator<Item = (String, String)>) -> anyhow::Result<()> {
        let (repos, ids): (BTreeSet<String>, BTreeSet<String>) = tasks.unzip();
        if let Some(repo) = self.repos.iter().find(|repo| !repos.contains(*repo)) {
            let names: Vec<&str> = repos.iter().map(String::as_str).collect();
            bail!("no task is about `{repo}`; the repositories are: {}", names.join(", "));
        }
        let Some(id) = self.ids.iter().find(|id| !ids.contains(*id)) else { return Ok(()) };
        match closest_word(id, ids.iter().map(String::as_str)) {
            Some(similar) => bail!("no task has the id `{id}`; did you mean {similar}?"),
            None => bail!("no task has the id `{id}`; pass the `id` of a task of the file"),
        }
    }

    fn includes(&self, repo: &str, id: &str) -> bool {
        let selects = |list: &[String], value: &str| list.is_empty() || list.iter().any(|item| item == value);
        selects(self.repos, repo) && selects(self.ids, id)
    }

    fn describe_empty_selection(&self, path: &Path) -> String {
        let (ids, repos) = (self.ids.join(", "), self.repos.join(", "));
        format!("{}: none of the tasks {ids} is about {repos}", path.display())
    }
}

/// A row of a symbol list; its other fields are ignored.
#[derive(Deserialize)]
struct SymbolRow {
    file: String,
    qualified: String,
}

impl TaskSet {
    /// Reads a task set and, for a commit set, the symbol lists in the folder `symbols/` next to
    /// it. Keeps only the tasks of `selection`.
    pub fn read_tasks(path: &Path, selection: TaskSelection<'_>) -> anyhow::Result<Self> {
        let file: Value = read_json(path)?;
        if file.get("repositories").is_some() {
            return Self::read_nonsense(path, file, selection);
        }
        let mut rows: Vec<Value> = parse_tasks(path, file)?;
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        selection
            .check_tasks_exist(rows.iter().map(|row| (text(row, "repo"), text(row, "id"))))
            .with_context(|| path.display().to_string())?;
        ensure!(!rows.is_empty(), "{} contains no task", path.display());
        rows.retain(|row| selection.includes(&text(row, "repo"), &text(row, "id")));
        let first = rows.first().with_context(|| selection.describe_empty_selection(path))?;
        let is_curated = first.get("ground_truth").is_some();
        if !is_curated && first.get("truths").is_none() {
            bail!("{} is not a task set: its tasks have neither `truths` nor `ground_truth`", path.display());
        }
        let set = Value::Array(rows);
        if is_curated {
            return Ok(Self::Curated(parse_tasks(path, set)?));
        }
        let tasks: Vec<commits::CommitTask> = parse_tasks(path, set)?;
        let symbols = path.parent().unwrap_or(Path::new(".")).join("symbols");
        let names: BTreeSet<&str> = tasks.iter().map(|task| task.repo.as_str()).collect();
        let trees = names.into_iter().map(|repo| Ok((repo.to_owned(), read_tree(&symbols, repo)?)));
        let trees = trees.collect::<anyhow::Result<_>>()?;
        Ok(Self::Commits(tasks, trees))
    }

    fn read_nonsense(path: &Path, file: Value, selection: TaskSelection<'_>) -> anyhow::Result<Self> {
        let questions = parse_tasks::<NonsenseFile>(path, file)?.into_questions();
        selection
            .check_tasks_exist(questions.iter().map(|question| (question.repo.clone(), question.id.clone())))
            .with_context(|| path.display().to_string())?;
        let is_asked = |question: &NonsenseQuestion| selection.includes(&question.repo, &question.id);
        let asked: Vec<NonsenseQuestion> = questions.into_iter().filter(is_asked).collect();
        ensure!(!asked.is_empty(), "{}", selection.describe_empty_selection(path));
        Ok(Self::Nonsense(asked))
    }

    /// Returns the kind of the set: `commits`, `curated` or `nonsense`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Commits(..) => "commits",
            Self::Curated(_) => "curated",
            Self::Nonsense(_) => "nonsense",
        }
    }

    /// Returns the names of the metrics, in the order of the means.
    pub fn metric_names(&self) -> Vec<&'static str> {
        let scored: &[&str] = match self {
            Self::Commits(..) => &commits::METRICS,
            Self::Curated(_) => &curated::METRICS,
            Self::Nonsense(_) => &[],
        };
        scored.iter().copied().chain([NOTHING_MATCHES]).collect()
    }

    /// Returns the queries, in the order of the set.
    pub fn task_queries(&self) -> Vec<TaskQuery<'_>> {
        match self {
            Self::Commits(tasks, _) => tasks
                .iter()
                .map(|task| TaskQuery {
                    task: &task.id,
                    repo: &task.repo,
                    text: &task.description,
                    base: task.base_commit.as_deref(),
                })
                .collect(),
            Self::Curated(tasks) => tasks
                .iter()
                .map(|task| TaskQuery {
                    task: &task.id,
                    repo: &task.repo,
                    text: &task.description,
                    base: None,
                })
                .collect(),
            Self::Nonsense(questions) => questions
                .iter()
                .map(|question| TaskQuery {
                    task: &question.id,
                    repo: &question.repo,
                    text: &question.text,
                    base: None,
                })
                .collect(),
        }
    }

    /// Computes the means of the metrics over all tasks and over each group. A task without a list
    /// scores zero. `unmatched` has the tasks for which the ranking reports that nothing matches.
    pub fn group_means(&self, lists: &RankedLists, unmatched: &BTreeSet<String>) -> Vec<GroupMeans> {
        let with_match_metric = |id: &String, mut metrics: Vec<f64>| {
            metrics.push(f64::from(u8::from(unmatched.contains(id))));
            metrics
        };
        let list = |id: &String| lists.get(id).map_or(&[][..], Vec::as_slice);
        let scored: Vec<ScoredTask> = match self {
            Self::Commits(tasks, trees) => {
                let empty_tree = BaseTree::default();
                let score = |task: &commits::CommitTask| {
                    commits::score_answers(task, list(&task.id), trees.get(&task.repo).unwrap_or(&empty_tree))
                        .to_vec()
                };
                tasks
                    .iter()
                    .map(|task| ScoredTask {
                        groups: commit_groups(task),
                        metrics: with_match_metric(&task.id, score(task)),
                    })
                    .collect()
            }
            Self::Curated(tasks) => {
                let score = |task: &curated::CuratedTask| {
                    let names: Vec<String> =
                        list(&task.id).iter().map(|answer| answer.qualified.clone()).collect();
                    curated::score_names(task, &names).to_vec()
                };
                tasks
                    .iter()
                    .map(|task| ScoredTask {
                        groups: curated_groups(task),
                        metrics: with_match_metric(&task.id, score(task)),
                    })
                    .collect()
            }
            Self::Nonsense(questions) => questions
                .iter()
                .map(|question| ScoredTask {
                    groups: question.groups(),
                    metrics: with_match_metric(&question.id, Vec::new()),
                })
                .collect(),
        };
        summarize_groups(&scored, self.metric_names().len())
    }

    /// Whether an answer is a truth of the task, by the strict rule if the set has two rules.
    pub fn is_truth(&self, id: &str, answer: &RankedAnswer) -> bool {
        self.score_single_answer(id, answer, commits::HIT_1, curated::STRICT_P_10) > 0.0
    }

    /// Whether an answer is in the file of a truth. Curated truths name no file; for them, the
    /// answer must be a truth itself.
    pub fn is_in_truth_file(&self, id: &str, answer: &RankedAnswer) -> bool {
        self.score_single_answer(id, answer, commits::FILE_HIT_1, curated::STRICT_P_10) > 0.0
    }

    /// Scores a list that contains only `answer` and returns one metric. Returns 0 if the set has
    /// no such task.
    fn score_single_answer(
        &self,
        id: &str,
        answer: &RankedAnswer,
        commit_metric: usize,
        curated_metric: usize,
    ) -> f64 {
        let metric = match self {
            Self::Commits(tasks, trees) => tasks.iter().find(|task| task.id == id).map(|task| {
                let empty_tree = BaseTree::default();
                let tree = trees.get(&task.repo).unwrap_or(&empty_tree);
                commits::score_answers(task, std::slice::from_ref(answer), tree)[commit_metric]
            }),
            Self::Curated(tasks) => tasks.iter().find(|task| task.id == id).map(|task| {
                curated::score_names(task, std::slice::from_ref(&answer.qualified))[curated_metric]
            }),
            Self::Nonsense(_) => None,
        };
        metric.unwrap_or(0.0)
    }

    /// Returns the lists in the form that the reference scorers read: objects with name, qualified
    /// name and file for commit sets, qualified names for the other sets.
    pub fn lists_as_json(&self, lists: &RankedLists) -> Value {
        let entry = |answer: &RankedAnswer| match self {
            Self::Commits(..) => {
                serde_json::json!({ "name": answer.name, "qualified": answer.qualified, "file": answer.file })
            }
            Self::Curated(_) | Self::Nonsense(_) => Value::String(answer.qualified.clone()),
        };
        let rows = lists.iter().map(|(task, list)| (task.clone(), list.iter().map(entry).collect::<Value>()));
        Value::Object(rows.collect())
    }
}

fn read_tree(symbols: &Path, repo: &str) -> anyhow::Result<BaseTree> {
    let rows: Vec<SymbolRow> = read_json(&symbols.join(format!("{repo}.json")))?;
    let list_path = symbols.join(format!("{repo}.files"));
    let files = match std::fs::read(&list_path) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).split('\n').map(str::to_owned).collect()),
        // The list is optional; without it, the files with symbols are used.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| list_path.display().to_string()),
    };
    Ok(BaseTree::new(rows.into_iter().map(|row| (row.file, row.qualified)), files))
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is not the expected JSON", path.display()))
}

fn parse_tasks<T: serde::de::DeserializeOwned>(path: &Path, value: Value) -> anyhow::Result<T> {
    serde_json::from_value(value).with_context(|| format!("{} is not the expected task set", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{RankedLists, TaskQuery, TaskSelection, TaskSet};
    use expect_test::expect;
    use kenning_retrieval::eval::commits::RankedAnswer;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    const CURATED: &str = r#"[
        {"id": "a-1", "repo": "a", "tier": "easy", "description": "how", "ground_truth": ["App.run"], "tags": []},
        {"id": "b-1", "repo": "b", "tier": "hard", "description": "why", "ground_truth": ["Client"]}]"#;

    const COMMITS: &str = r#"[{"id": "a-1", "repo": "a", "language": "go", "description": "fix run", "files": ["a.go"],
        "truths": [{"name": "run", "qualified": "App.run", "kind": "method", "file": "a.go", "line": 3}],
        "tags": {"vocab": "gap", "verbatim": false, "n_truths": 1, "names_file": false, "names_stem": false,
                 "scope": null, "has_body": false, "age_days": 3, "split": "dev"}}]"#;

    fn write_file(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn select<'a>(repos: &'a [String], ids: &'a [String]) -> TaskSelection<'a> {
        TaskSelection { repos, ids }
    }

    fn lists(task: &str, qualified: &str, file: &str) -> RankedLists {
        let name = qualified.rsplit('.').next().unwrap().to_owned();
        let answer = RankedAnswer { name, qualified: qualified.to_owned(), file: file.to_owned() };
        RankedLists::from([(task.to_owned(), vec![answer])])
    }

    #[test]
    fn a_curated_set_is_recognized_and_scored_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let set =
            TaskSet::read_tasks(&write_file(folder.path(), "tasks.json", CURATED), TaskSelection::default())
                .unwrap();
        assert_eq!(set.kind_name(), "curated");
        assert_eq!(set.task_queries()[1], TaskQuery { task: "b-1", repo: "b", text: "why", base: None });
        let lists = lists("a-1", "App.run", "a.go");
        let means = set.group_means(&lists, &BTreeSet::new());
        assert_eq!((means[0].tasks, means[0].means[3].mean), (2, 0.5), "one of two tasks is answered");
        assert_eq!(set.lists_as_json(&lists).to_string(), r#"{"a-1":["App.run"]}"#);
    }

    #[test]
    fn a_commit_set_is_recognized_and_scored_with_its_symbols() {
        let folder = tempfile::tempdir().unwrap();
        let tasks = write_file(folder.path(), "tasks.json", COMMITS);
        write_file(
            folder.path(),
            "symbols/a.json",
            r#"[{"file": "a.go", "qualified": "App.run", "line": 3}]"#,
        );
        write_file(folder.path(), "symbols/a.files", "a.go\nb.go\n");
        let set = TaskSet::read_tasks(&tasks, select(&["a".to_owned()], &[])).unwrap();
        assert_eq!(set.kind_name(), "commits");
        let lists = lists("a-1", "App.run", "checkout/a.go");
        assert_eq!(set.group_means(&lists, &BTreeSet::new())[0].means[0].mean, 1.0);
        let json = set.lists_as_json(&lists).to_string();
        assert_eq!(json, r#"{"a-1":[{"name":"run","qualified":"App.run","file":"checkout/a.go"}]}"#);
    }

    #[test]
    fn a_nonsense_set_asks_each_text_of_each_repository_and_counts_the_unmatched() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"{"repositories": ["x/a", "x/b"], "tasks": [
            {"id": "n-1", "kind": "everyday", "generic": false, "half": "tune", "description": "lasagna", "not_for": []},
            {"id": "n-2", "kind": "foreign", "generic": true, "half": "test", "description": "add a shader", "not_for": ["x/b"]}]}"#;
        let path = write_file(folder.path(), "tasks.json", text);
        let set = TaskSet::read_tasks(&path, TaskSelection::default()).unwrap();
        let ids: Vec<&str> = set.task_queries().iter().map(|query| query.task).collect();
        assert_eq!((set.kind_name(), ids), ("nonsense", vec!["x/a/n-1", "x/a/n-2", "x/b/n-1"]));
        let unmatched = BTreeSet::from(["x/a/n-1".to_owned(), "x/b/n-1".to_owned()]);
        let mut groups = Vec::new();
        for group in set.group_means(&RankedLists::new(), &unmatched) {
            groups.push(format!("{} {} {} {:.2}", group.kind, group.value, group.tasks, group.means[0].mean));
        }
        expect![[r"
            all  3 0.67
            repo x/a 2 0.50
            repo x/b 1 1.00
            half test 1 0.00
            half tune 2 1.00
            kind everyday 2 1.00
            kind foreign 1 0.00
            generic words no 2 1.00
            generic words yes 1 0.00"]]
        .assert_eq(&groups.join("\n"));
        let only = TaskSet::read_tasks(&path, select(&["x/b".to_owned()], &[])).unwrap();
        assert_eq!(only.task_queries().len(), 1);
        let error = TaskSet::read_tasks(&path, select(&["x/c".to_owned()], &[])).unwrap_err();
        assert!(format!("{error:#}").ends_with("no task is about `x/c`; the repositories are: x/a, x/b"));
    }

    #[test]
    fn only_selected_tasks_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let tasks = write_file(folder.path(), "tasks.json", CURATED);
        let read = |repos: &[&str], ids: &[&str]| {
            let [repos, ids] = [repos, ids].map(|list| list.iter().map(|&item| item.to_owned()).collect());
            let (repos, ids): (Vec<String>, Vec<String>) = (repos, ids);
            let set =
                TaskSet::read_tasks(&tasks, select(&repos, &ids)).map_err(|error| format!("{error:#}"))?;
            Ok(set.task_queries().iter().map(|query| query.task.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(read(&["b"], &[]), Ok(vec!["b-1".to_owned()]));
        assert_eq!(read(&[], &["b-1"]), Ok(vec!["b-1".to_owned()]));
        assert_eq!(read(&[], &["b-1", "a-1"]), Ok(vec!["a-1".to_owned(), "b-1".to_owned()]));
        assert_eq!(read(&["a"], &["a-1", "b-1"]), Ok(vec!["a-1".to_owned()]));
        let problem = |repos: &[&str], ids: &[&str]| {
            let error: String = read(repos, ids).unwrap_err();
            error.replace(&format!("{}: ", tasks.display()), "")
        };
        assert_eq!(problem(&[], &["b-11"]), "no task has the id `b-11`; did you mean b-1?");
        assert_eq!(problem(&[], &["zzz"]), "no task has the id `zzz`; pass the `id` of a task of the file");
        assert_eq!(problem(&["b"], &["a-1"]), "none of the tasks a-1 is about b");
    }

    #[test]
    fn errors_describe_the_problem_of_a_task_set() {
        let folder = tempfile::tempdir().unwrap();
        let mut errors = Vec::new();
        for (name, text, repos) in [
            ("text.json", "hello", vec![]),
            ("object.json", "{}", vec![]),
            ("empty.json", "[]", vec![]),
            ("other.json", r#"[{"id": "x"}]"#, vec![]),
            ("half.json", r#"[{"id": "x", "ground_truth": []}]"#, vec![]),
            ("named.json", CURATED, vec!["c".to_owned()]),
            ("symbols.json", COMMITS, vec![]),
        ] {
            let tasks = write_file(folder.path(), name, text);
            let error = TaskSet::read_tasks(&tasks, select(&repos, &[])).unwrap_err();
            let folder_prefix = format!("{}/", folder.path().display());
            errors.push(format!("{error:#}").replace(&folder_prefix, ""));
        }
        let missing = TaskSet::read_tasks(Path::new("missing.json"), TaskSelection::default());
        errors.push(format!("{:#}", missing.unwrap_err()));
        expect![[r"
            text.json is not the expected JSON: expected value at line 1 column 1
            object.json is not the expected task set: invalid type: map, expected a sequence
            empty.json contains no task
            other.json is not a task set: its tasks have neither `truths` nor `ground_truth`
            half.json is not the expected task set: missing field `repo`
            named.json: no task is about `c`; the repositories are: a, b
            symbols/a.json cannot be read: No such file or directory (os error 2)
            missing.json cannot be read: No such file or directory (os error 2)"]]
        .assert_eq(&errors.join("\n"));
    }
}
