//! The scorer of the commit set: compares results with the symbols and files that a commit edited.
//!
//! A result is a hit if these match:
//!
//! * **file**: if the result names a file, it must be the file of the truth. The scorer cuts a path
//!   to its longest suffix that is a file of the tree.
//! * **name**: a qualified result must end in the truth's own `Class.method`; a bare name must
//!   equal the last part of it. If the file is known, the scorer first searches `X.m` among the
//!   symbols of that file, so that `Foo.run` never counts as a top-level `run`. A nested function
//!   or field that contains the change counts as the truth around it.
//!
//! Each truth is credited once. The scorer drops repeats of one (file, name) in a list before it
//! counts ranks. Results for other files stay in the list and take up ranks.

use super::names::{name_parts, normalize_path};
use super::{ideal_gain, rank_discount};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the metrics in a row of [`score_answers`], in order: symbols first, then files.
pub const METRICS: [&str; 14] = [
    "hit@1", "hit@5", "hit@10", "R@10", "P@10", "MRR", "NDCG@10", "fAcc@1", "fAcc@5", "fAcc@10", "fAll@5",
    "fAll@10", "fR@10", "fMRR",
];

/// The column of `hit@1` in [`METRICS`].
pub const HIT_1: usize = 0;

/// The column of `fAcc@1` in [`METRICS`].
pub const FILE_HIT_1: usize = 7;

/// Maximum number of results that are ranked. Some tools print thousands.
const RANKED_LIMIT: usize = 200;

/// A task: the message of a commit, and the symbols and files that the commit edited.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct CommitTask {
    /// Unique name of the task, which is the key of ranked lists.
    pub id: String,
    /// Short name of the repository, the folder under the corpus.
    pub repo: String,
    /// The commit at which the tree is checked out. Nothing later may be visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_commit: Option<String>,
    /// Main language of the repository.
    pub language: String,
    /// The task text: cleaned subject and first paragraph.
    pub description: String,
    /// The edited symbols, as they are at the base commit. Never empty.
    pub truths: Vec<EditedSymbol>,
    /// The edited files, as they are at the base commit.
    pub files: Vec<String>,
    /// The traits of the task, for group means.
    pub tags: TaskTags,
}

/// One edited symbol.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct EditedSymbol {
    /// Simple name.
    pub name: String,
    /// `Class.method` inside the file, or the simple name of a top-level symbol.
    pub qualified: String,
    /// Kind in the words of the task set (`function`, `class`, ...).
    pub kind: String,
    /// Path from the root of the tree.
    pub file: String,
    /// Nested functions and fields that count as this symbol.
    #[serde(default)]
    pub inner: Vec<String>,
}

/// The traits of a task.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct TaskTags {
    /// Class of the share of the truths' names that the text contains: `gap`, `partial`, ...
    pub vocab: String,
    /// Whether the text contains a truth's name.
    pub verbatim: bool,
    /// Number of truths.
    pub n_truths: usize,
    /// Whether the text names a truth's file.
    pub names_file: bool,
    /// Whether the text names the stem of a truth's file.
    pub names_stem: bool,
    /// The scope prefix of the subject (`router:`), if any.
    pub scope: Option<String>,
    /// Whether the commit message has more than a subject.
    pub has_body: bool,
    /// Days from the base commit to the task's commit.
    pub age_days: i64,
    /// The split of the task: `dev` or `test`.
    pub split: String,
}

/// One entry of a ranked list. Only the name is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RankedAnswer {
    /// Simple name.
    #[serde(default)]
    pub name: String,
    /// `Class.method` inside the file; empty when unknown.
    #[serde(default)]
    pub qualified: String,
    /// Path from the root of the tree, or any path that ends in it; empty when unknown.
    #[serde(default)]
    pub file: String,
}

/// The files of a repository at the base commit and the qualified names in each.
#[derive(Debug, Clone, Default)]
pub struct BaseTree {
    files: BTreeSet<String>,
    symbols: BTreeMap<String, BTreeSet<String>>,
}

impl BaseTree {
    /// Builds a tree from its (file, qualified name) pairs and its list of files. Without a list,
    /// the tree has the files that contain symbols.
    pub fn new(symbols: impl IntoIterator<Item = (String, String)>, files: Option<Vec<String>>) -> Self {
        let mut by_file: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, qualified) in symbols {
            by_file.entry(file).or_default().insert(qualified);
        }
        let files = match files {
            Some(listed) => listed.into_iter().filter(|file| !file.is_empty()).collect(),
            None => by_file.keys().cloned().collect(),
        };
        Self { files, symbols: by_file }
    }

    /// Returns the file that a result's path refers to: its longest suffix that exists, or the path
    /// itself.
    fn resolve_path(&self, path: &str) -> String {
        let path = normalize_path(path);
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let suffix =
            (0..parts.len()).map(|from| parts[from..].join("/")).find(|suffix| self.files.contains(suffix));
        suffix.unwrap_or(path)
    }

    fn declares_symbol(&self, file: &str, qualified: &str) -> bool {
        self.symbols.get(file).is_some_and(|names| names.contains(qualified))
    }
}

/// A result in the form that is compared with the truths.
struct NormalizedAnswer {
    parts: Vec<String>,
    file: String,
}

/// Returns the metrics of one ranked list, best first, in the order of [`METRICS`]; all zero for an
/// empty list.
pub fn score_answers(task: &CommitTask, answers: &[RankedAnswer], tree: &BaseTree) -> [f64; METRICS.len()] {
    let (candidates, files) = distinct_answers(answers, tree);
    let ranks = truth_ranks(task, &candidates, tree);
    let expected: BTreeSet<&str> = task.files.iter().map(String::as_str).collect();
    let file_ranks: Vec<usize> = (1..)
        .zip(&files)
        .filter(|(_, file)| expected.contains(file.as_str()))
        .map(|(rank, _)| rank)
        .collect();

    let top: Vec<usize> = ranks.iter().copied().filter(|&rank| rank <= 10).collect();
    let truths = task.truths.len().max(1);
    let gain: f64 = top.iter().copied().map(rank_discount).sum();
    let within = |limit: usize| file_ranks.iter().filter(|&&rank| rank <= limit).count();
    let all = |limit: usize| f64::from(within(limit) == expected.len());
    [
        first_hit_within(&ranks, 1),
        first_hit_within(&ranks, 5),
        first_hit_within(&ranks, 10),
        top.len() as f64 / truths as f64,
        top.len() as f64 / 10.0,
        reciprocal_rank(&ranks),
        gain / ideal_gain(truths),
        first_hit_within(&file_ranks, 1),
        first_hit_within(&file_ranks, 5),
        first_hit_within(&file_ranks, 10),
        all(5),
        all(10),
        within(10) as f64 / expected.len().max(1) as f64,
        reciprocal_rank(&file_ranks),
    ]
}

fn first_hit_within(ranks: &[usize], limit: usize) -> f64 {
    f64::from(ranks.first().is_some_and(|&rank| rank <= limit))
}

fn reciprocal_rank(ranks: &[usize]) -> f64 {
    ranks.first().map_or(0.0, |&rank| 1.0 / rank as f64)
}

/// Returns the list without repeats, and its files in the order of their first mention.
fn distinct_answers(answers: &[RankedAnswer], tree: &BaseTree) -> (Vec<NormalizedAnswer>, Vec<String>) {
    let mut resolved: BTreeMap<&str, String> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let (mut candidates, mut files) = (Vec::new(), Vec::new());
    for answer in answers {
        let file = match answer.file.as_str() {
            "" => String::new(),
            path => resolved.entry(path).or_insert_with(|| tree.resolve_path(path)).clone(),
        };
        if !file.is_empty() && !files.contains(&file) {
            files.push(file.clone());
        }
        let parts = answer_parts(answer);
        let tail = parts[parts.len().saturating_sub(2)..].to_vec();
        // An answer without a name only counts for its file.
        if !parts.is_empty() && seen.insert((file.clone(), tail)) && candidates.len() < RANKED_LIMIT {
            candidates.push(NormalizedAnswer { parts, file });
        }
    }
    (candidates, files)
}

/// Returns the parts of the qualified name, or of the simple name if the qualified name does not
/// end in the simple name, because it is then a path or an id.
fn answer_parts(answer: &RankedAnswer) -> Vec<String> {
    let simple = name_parts(&answer.name);
    if answer.qualified.is_empty() {
        return simple;
    }
    let qualified = name_parts(&answer.qualified);
    if answer.name.is_empty() || simple.last() == qualified.last() { qualified } else { simple }
}

/// Returns the ranks (from 1) at which truths are found, ascending. A result credits at most one
/// truth.
fn truth_ranks(task: &CommitTask, candidates: &[NormalizedAnswer], tree: &BaseTree) -> Vec<usize> {
    let mut uncredited: Vec<&EditedSymbol> = task.truths.iter().collect();
    let mut ranks = Vec::new();
    for (rank, candidate) in (1..).zip(candidates) {
        if let Some(at) = uncredited.iter().position(|truth| is_truth_hit(candidate, truth, tree)) {
            uncredited.remove(at);
            ranks.push(rank);
        }
    }
    ranks
}

fn is_truth_hit(candidate: &NormalizedAnswer, truth: &EditedSymbol, tree: &BaseTree) -> bool {
    let NormalizedAnswer { parts, file } = candidate;
    let has_file = !file.is_empty();
    if has_file && *file != truth.file {
        return false;
    }
    let is_inner = |name: &String| has_file && truth.inner.contains(name);
    let [.., container, last] = parts.as_slice() else {
        return parts.first().is_some_and(|only| *only == truth.name || is_inner(only));
    };
    let outer = truth.qualified.split('.').next().unwrap_or_default();
    let is_inside_truth = is_inner(last) && (*container == truth.name || container == outer);
    let pair = format!("{container}.{last}");
    if has_file && tree.declares_symbol(&truth.file, &pair) {
        return pair == truth.qualified || is_inside_truth;
    }
    if ends_in_truth(parts, truth, outer) {
        // A top-level truth may have a module name in front, unless the part before it is a type of
        // that file. Then the name means another member.
        let is_type =
            matches!(truth.kind.as_str(), "class" | "enum" | "struct" | "type" | "interface" | "record");
        let is_top_level = !truth.name.starts_with("operator") && !truth.qualified.contains('.');
        return !is_top_level || is_type || !tree.declares_symbol(&truth.file, container);
    }
    is_inside_truth
}

/// Whether the parts end in the truth's qualified name.
fn ends_in_truth(parts: &[String], truth: &EditedSymbol, outer: &str) -> bool {
    if truth.name.starts_with("operator") {
        // The name of an operator may contain dots.
        return matches!(parts, [.., container, last] if container == outer && *last == truth.name);
    }
    let expected: Vec<&str> = truth.qualified.split('.').collect();
    parts.len() >= expected.len() && parts[parts.len() - expected.len()..].iter().eq(expected.iter())
}

#[cfg(test)]
mod tests {
    use super::{BaseTree, CommitTask, EditedSymbol, METRICS, RankedAnswer, TaskTags, score_answers};

    const APP: &str = "src/app.py";

    fn truth(qualified: &str, kind: &str, inner: &[&str]) -> EditedSymbol {
        let name = qualified.rsplit('.').next().unwrap_or_default().to_owned();
        let inner = inner.iter().map(|&name| name.to_owned()).collect();
        EditedSymbol {
            name,
            qualified: qualified.to_owned(),
            kind: kind.to_owned(),
            file: APP.to_owned(),
            inner,
        }
    }

    fn task(truths: Vec<EditedSymbol>) -> CommitTask {
        let tags = TaskTags {
            vocab: "gap".to_owned(),
            verbatim: false,
            n_truths: truths.len(),
            names_file: false,
            names_stem: false,
            scope: None,
            has_body: false,
            age_days: 7,
            split: "dev".to_owned(),
        };
        let [id, repo, language, description] = ["t", "flask", "python", "do"].map(str::to_owned);
        CommitTask {
            id,
            repo,
            base_commit: None,
            language,
            description,
            truths,
            files: vec![APP.to_owned()],
            tags,
        }
    }

    fn tree() -> BaseTree {
        let names = ["App", "App.run", "run", "Client", "Client.send", "operator =="];
        let symbols = names.map(|name| (APP.to_owned(), name.to_owned()));
        BaseTree::new(symbols, Some(vec![APP.to_owned(), "src/other.py".to_owned(), "app.py".to_owned()]))
    }

    fn answer(qualified: &str, file: &str) -> RankedAnswer {
        let name = qualified.rsplit(['.', ':', '#']).next().unwrap_or_default().to_owned();
        RankedAnswer { name, qualified: qualified.to_owned(), file: file.to_owned() }
    }

    fn metric_value(row: &[f64; METRICS.len()], name: &str) -> f64 {
        METRICS.iter().position(|metric| *metric == name).map_or(f64::NAN, |at| row[at])
    }

    fn is_hit(truth: &EditedSymbol, qualified: &str, file: &str) -> bool {
        let row = score_answers(&task(vec![truth.clone()]), &[answer(qualified, file)], &tree());
        metric_value(&row, "hit@1") > 0.0
    }

    #[test]
    fn a_method_is_hit_only_with_its_own_class() {
        let run = truth("App.run", "method", &[]);
        for name in ["App.run", "run", "App::run", "App#run", "pkg.App.run", "(*App).run", "App<T>.run(int)"]
        {
            assert!(is_hit(&run, name, APP), "{name}");
        }
        assert!(is_hit(&run, "App.run", ""), "no file");
        assert!(!is_hit(&run, "Client.run", APP));
        assert!(!is_hit(&run, "App.run", "src/other.py"), "another file");
        assert!(!is_hit(&run, "App", APP));
    }

    #[test]
    fn a_member_never_counts_as_a_top_level_function() {
        let run = truth("run", "function", &[]);
        assert!(is_hit(&run, "run", APP));
        assert!(is_hit(&run, "app.run", APP), "a module may come first");
        assert!(!is_hit(&run, "App.run", APP), "a known member");
        assert!(!is_hit(&run, "Client.run", APP), "a type of that file comes first");
        assert!(is_hit(&truth("Client", "class", &[]), "App.Client", APP), "types may nest");
    }

    #[test]
    fn a_nested_name_counts_as_the_truth_around_it() {
        let run = truth("App.run", "method", &["helper", "Timeout"]);
        assert!(is_hit(&run, "helper", APP));
        assert!(is_hit(&run, "run.helper", APP));
        assert!(is_hit(&run, "App.Timeout", APP));
        assert!(!is_hit(&run, "helper", ""), "without the file it may be any helper");
        assert!(!is_hit(&run, "Client.helper", APP));
    }

    #[test]
    fn operators_are_whole_names() {
        let equal = truth("operator ==", "method", &[]);
        assert!(is_hit(&equal, "operator ==", APP));
        assert!(!is_hit(&equal, "operator !=", APP));
    }

    #[test]
    fn a_path_is_cut_to_the_longest_tail_in_the_tree() {
        let run = truth("App.run", "method", &[]);
        assert!(is_hit(&run, "App.run", "/tmp/checkout/src/app.py"));
        assert!(is_hit(&run, "App.run", "file:///tmp/src/app.py"));
        assert!(is_hit(&run, "App.run", ".\\src\\app.py"));
        assert!(!is_hit(&run, "App.run", "/tmp/app.py"), "this path is the other app.py");
    }

    #[test]
    fn repeats_cost_no_rank_and_each_truth_counts_once() {
        let truths = vec![truth("App.run", "method", &[]), truth("Client.send", "method", &[])];
        let list = ["App", "App", "App.run", "App.run", "Client.send"].map(|name| answer(name, APP));
        let row = score_answers(&task(truths), &list, &tree());
        assert_eq!(metric_value(&row, "MRR"), 0.5);
        assert_eq!(metric_value(&row, "P@10"), 0.2);
        assert_eq!(metric_value(&row, "R@10"), 1.0);
        let gain = (1.0 / 3f64.log2() + 0.5) / (1.0 + 1.0 / 3f64.log2());
        assert!((metric_value(&row, "NDCG@10") - gain).abs() < 1e-12);
    }

    #[test]
    fn files_are_ranked_by_first_mention() {
        let list = [answer("x", "src/other.py"), answer("", APP), answer("y", APP)];
        let row = score_answers(&task(vec![truth("App.run", "method", &[])]), &list, &tree());
        assert_eq!(metric_value(&row, "fAcc@1"), 0.0);
        assert_eq!(metric_value(&row, "fAcc@5"), 1.0);
        assert_eq!(metric_value(&row, "fMRR"), 0.5);
        assert_eq!(metric_value(&row, "fR@10"), 1.0);
        assert_eq!(metric_value(&row, "hit@10"), 0.0);
    }

    #[test]
    fn a_qualified_name_that_does_not_end_in_the_name_is_ignored() {
        let answer_with_id =
            RankedAnswer { name: "run".to_owned(), qualified: "id-4711".to_owned(), file: APP.to_owned() };
        let row = score_answers(&task(vec![truth("run", "function", &[])]), &[answer_with_id], &tree());
        assert_eq!(metric_value(&row, "hit@1"), 1.0);
    }

    #[test]
    fn an_empty_list_scores_zero() {
        assert_eq!(
            score_answers(&task(vec![truth("run", "function", &[])]), &[], &tree()),
            [0.0; METRICS.len()]
        );
    }
}
