//! Tests that the scorers of `retrieval::eval` agree with the reference scorers in Python, task by
//! task.
//!
//! The ranked lists mix the truths with other symbols of the same repository, in all spellings that
//! the scorers accept. Needs `python3` on the path, but no packages.

use kenning_retrieval::eval::commits::{self, BaseTree, RankedAnswer};
use kenning_retrieval::eval::{curated, statistics};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum difference between two scorers. They compute nearly all sums in the same order, and
/// results are published to the third decimal.
const TOLERANCE: f64 = 1e-9;

fn bench_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn run_python(arguments: &[&Path]) -> String {
    let run = Command::new("python3").args(arguments).output().expect("python3 is needed; see scripts/test");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// A seeded random number generator, so that every run compares the same lists.
struct RandomSource(u64);

impl RandomSource {
    fn number_below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Returns another spelling of a qualified name.
fn respell(name: &str, random: &mut RandomSource) -> String {
    let (container, last) = name.rsplit_once('.').unwrap_or(("", name));
    match random.number_below(12) {
        0 => name.replace('.', "::"),
        1 => name.replace('.', "#"),
        2 => last.to_owned(),
        3 => format!("(*{container}).{last}"),
        4 => format!("(r *{container}[T]) {last}"),
        5 => format!("{name}<T>(int, List<T>)"),
        6 => format!("module.{name}"),
        7 => format!("Other.{last}"),
        8 => format!("src/main.go.{name}"),
        9 => name.to_lowercase(),
        10 => format!("{name}.inner"),
        _ => name.to_owned(),
    }
}

fn respell_path(path: &str, random: &mut RandomSource) -> String {
    match random.number_below(8) {
        0 => format!("/tmp/checkout/{path}"),
        1 => format!("file:///tmp/{path}"),
        2 => format!("./{path}"),
        3 => path.replace('/', "\\"),
        4 => path.rsplit('/').next().unwrap_or(path).to_owned(),
        5 => String::new(),
        _ => path.to_owned(),
    }
}

/// The symbols of a repository as (file, qualified name).
type RepositorySymbols = Vec<(String, String)>;

fn read_base_tree(repo: &str) -> (BaseTree, RepositorySymbols) {
    let symbols = bench_folder("commits/symbols");
    let text = |row: &Value, key: &str| row[key].as_str().expect("a string").to_owned();
    let rows: RepositorySymbols = read_json(&symbols.join(format!("{repo}.json")))
        .as_array()
        .expect("an array of symbols")
        .iter()
        .map(|row| (text(row, "file"), text(row, "qualified")))
        .collect();
    let files = std::fs::read_to_string(symbols.join(format!("{repo}.files"))).expect("the list of files");
    let files = files.split('\n').map(str::to_owned).collect();
    (BaseTree::new(rows.clone(), Some(files)), rows)
}

fn random_answers(
    task: &commits::CommitTask,
    rows: &[(String, String)],
    random: &mut RandomSource,
) -> Vec<RankedAnswer> {
    let mut list = Vec::new();
    for _ in 0..random.number_below(26) {
        let truth = &task.truths[random.number_below(task.truths.len())];
        let (file, qualified) = match random.number_below(5) {
            0 => (truth.file.clone(), truth.qualified.clone()),
            1 => (truth.file.clone(), rows[random.number_below(rows.len())].1.clone()),
            2 if !truth.inner.is_empty() => {
                let inner = &truth.inner[random.number_below(truth.inner.len())];
                (truth.file.clone(), format!("{}.{inner}", truth.name))
            }
            _ => rows[random.number_below(rows.len())].clone(),
        };
        let last = qualified.rsplit('.').next().unwrap_or_default().to_owned();
        let name = if random.number_below(6) == 0 { String::new() } else { last };
        let qualified = if random.number_below(6) == 0 { String::new() } else { respell(&qualified, random) };
        list.push(RankedAnswer { name, qualified, file: respell_path(&file, random) });
    }
    list
}

/// The ranked answers of a run by the id of the task.
type AnswerLists = BTreeMap<String, Vec<RankedAnswer>>;

/// Returns two artificial runs over the commit set, and their metrics according to
/// `kenning_retrieval`.
fn build_commit_runs(
    tasks: &[commits::CommitTask],
) -> [(AnswerLists, Vec<[f64; commits::METRICS.len()]>); 2] {
    let mut trees: BTreeMap<&str, (BaseTree, RepositorySymbols)> = BTreeMap::new();
    for task in tasks {
        trees.entry(&task.repo).or_insert_with(|| read_base_tree(&task.repo));
    }
    [1, 2].map(|seed| {
        let mut random = RandomSource(seed);
        let (mut lists, mut rows) = (AnswerLists::new(), Vec::new());
        for task in tasks {
            let (tree, symbols) = &trees[task.repo.as_str()];
            let answers = random_answers(task, symbols, &mut random);
            rows.push(commits::score_answers(task, &answers, tree));
            lists.insert(task.id.clone(), answers);
        }
        (lists, rows)
    })
}

fn metric_column(rows: &[[f64; commits::METRICS.len()]], at: usize) -> Vec<f64> {
    rows.iter().map(|row| row[at]).collect()
}

#[test]
fn commit_metrics_agree_with_the_reference_scorer() {
    let set = bench_folder("commits");
    let tasks: Vec<commits::CommitTask> =
        serde_json::from_value(read_json(&set.join("tasks.json"))).expect("tasks of the commit set");
    let [(first, first_rows), (second, second_rows)] = build_commit_runs(&tasks);
    let out = tempfile::tempdir().expect("a temporary folder");
    let [first_path, second_path, scores] =
        ["a.json", "b.json", "scores.json"].map(|name| out.path().join(name));
    std::fs::write(&first_path, serde_json::to_vec(&first).expect("lists as JSON")).expect("writes a list");
    std::fs::write(&second_path, serde_json::to_vec(&second).expect("lists as JSON")).expect("writes a list");
    let flags = [Path::new("--brief"), Path::new("--json")];
    let printed =
        run_python(&[&set.join("score.py"), &first_path, &second_path, flags[0], flags[1], &scores]);

    let reference = read_json(&scores);
    let mut hits = 0;
    for (task, row) in tasks.iter().zip(&first_rows) {
        for (metric, value) in commits::METRICS.iter().zip(row) {
            let expected = reference["tasks"][&task.id][metric].as_f64().expect("a metric");
            assert!((value - expected).abs() < TOLERANCE, "{} {metric}: {value}, not {expected}", task.id);
        }
        hits += usize::from(row[2] > 0.0);
    }
    // Lists that never or always hit would test nothing.
    assert!((100..380).contains(&hits), "{hits} of {} tasks hit", tasks.len());
    for (at, metric) in commits::METRICS.iter().enumerate() {
        let overall = &reference["overall"][metric];
        let rows: Vec<&[f64]> = first_rows.iter().map(<[f64; 14]>::as_slice).collect();
        let estimate = statistics::bootstrap_means(&rows, commits::METRICS.len())[at];
        let [mean, low, high] = [&overall["mean"], &overall["ci95"][0], &overall["ci95"][1]]
            .map(|v| v.as_f64().expect("a metric"));
        assert!((estimate.mean - mean).abs() < TOLERANCE, "{metric}");
        // The bounds come from other random numbers, so they are close but not equal.
        assert!((estimate.low - low).abs() < 0.006 && (estimate.high - high).abs() < 0.006, "{metric}");
    }
    check_comparison(&printed, &first_rows, &second_rows);
}

/// Checks the comparison that the reference scorer printed against the comparison by
/// `kenning_retrieval`. Each line has the metric, both means, their difference with its interval,
/// wins, losses, ties and the p-value.
fn check_comparison(
    printed: &str,
    first: &[[f64; commits::METRICS.len()]],
    second: &[[f64; commits::METRICS.len()]],
) {
    let (_, comparison) = printed.split_once("Wilcoxon p").expect("a comparison");
    let mut compared = 0;
    for line in comparison.lines().filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().filter(|field| *field != "[").collect();
        let at = commits::METRICS.iter().position(|metric| *metric == fields[0]).expect("a known metric");
        let paired = statistics::compare_paired(&metric_column(first, at), &metric_column(second, at));
        let tail = &fields[fields.len() - 4..];
        assert_eq!(fields[1..3], [format!("{:.3}", paired.first), format!("{:.3}", paired.second)], "{line}");
        assert_eq!(tail[..3], [paired.wins, paired.losses, paired.ties].map(|n| n.to_string()), "{line}");
        let p_value: f64 = tail[3].parse().expect("a number");
        assert!((p_value - paired.p).abs() <= 0.06 * p_value, "{line}: {}", paired.p);
        compared += 1;
    }
    assert_eq!(compared, 11, "{printed}");
}

fn random_names(task: &curated::CuratedTask, others: &[String], random: &mut RandomSource) -> Vec<String> {
    let mut name = || match random.number_below(3) {
        0 => respell(&others[random.number_below(others.len())].clone(), random),
        _ => respell(&task.ground_truth[random.number_below(task.ground_truth.len())].clone(), random),
    };
    (0..14).map(|_| name()).collect()
}

#[test]
fn curated_metrics_agree_with_the_reference_scorer() {
    let set = bench_folder("curated");
    let tasks: Vec<curated::CuratedTask> =
        serde_json::from_value(read_json(&set.join("tasks.json"))).expect("tasks of the curated set");
    let others: Vec<String> = tasks.iter().flat_map(|task| task.ground_truth.clone()).collect();
    let mut random = RandomSource(3);
    let mut lists = BTreeMap::new();
    for task in &tasks {
        let decoys = random.number_below(12);
        let mut names: Vec<String> =
            (0..decoys).map(|_| others[random.number_below(others.len())].clone()).collect();
        names.extend(random_names(task, &others, &mut random));
        lists.insert(task.id.clone(), names);
    }
    lists.insert(tasks[0].id.clone(), Vec::new());
    let out = tempfile::tempdir().expect("a temporary folder");
    let [ranked, scores] = ["ranked.json", "scores.json"].map(|name| out.path().join(name));
    std::fs::write(&ranked, serde_json::to_vec(&lists).expect("lists as JSON")).expect("writes the lists");
    run_python(&[&set.join("score.py"), &ranked, Path::new("--json"), &scores]);

    let reference = read_json(&scores);
    let keys = ["p10", "r10", "ndcg10", "mrr", "sp10", "sr10", "sndcg"];
    let mut sums = [0.0; curated::METRICS.len()];
    for task in &tasks {
        let row = curated::score_names(task, &lists[&task.id]);
        for (at, key) in keys.iter().enumerate() {
            let expected = reference["per_task"][&task.id][key].as_f64().expect("a metric");
            assert!((row[at] - expected).abs() < TOLERANCE, "{} {key}: {}, not {expected}", task.id, row[at]);
            sums[at] += row[at];
        }
    }
    for (sum, key) in sums.iter().zip(keys) {
        let mean = sum / tasks.len() as f64;
        let expected = reference["summary"]["overall"][key].as_f64().expect("a metric");
        // The reference rounds its means to four decimals.
        assert!((mean - expected).abs() < 0.000_051, "{key}: {mean}, not {expected}");
        assert!(mean > 0.05 && mean < 0.95, "{key}: lists with such a mean would not test the scorer");
    }
}
