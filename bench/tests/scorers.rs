//! Tests that the scorers of `retrieval::eval` agree with the reference scorers in Python, task by
//! task.
//!
//! The ranked lists are made of the truths and of other symbols of the same repository, spelled in
//! every way that the scorers accept. Needs `python3` on the path (its standard library only).

use kenning_retrieval::eval::commits::{self, BaseTree, RankedAnswer};
use kenning_retrieval::eval::{curated, statistics};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The scorers compute nearly all sums in the same order. The tolerance is far below the third
/// decimal.
const TOLERANCE: f64 = 1e-9;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn python(arguments: &[&Path]) -> String {
    let run =
        Command::new("python3").args(arguments).output().expect("python3 is needed; scripts/test says how");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// A seeded random choice, so that every run compares the same lists.
struct Choice(u64);

impl Choice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Returns another spelling of a qualified name.
fn respell(name: &str, choice: &mut Choice) -> String {
    let (container, last) = name.rsplit_once('.').unwrap_or(("", name));
    match choice.below(12) {
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

fn respell_path(path: &str, choice: &mut Choice) -> String {
    match choice.below(8) {
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
type Symbols = Vec<(String, String)>;

fn tree(repo: &str) -> (BaseTree, Symbols) {
    let symbols = folder("commits/symbols");
    let text = |row: &Value, key: &str| row[key].as_str().expect("a string").to_owned();
    let rows: Symbols = read_json(&symbols.join(format!("{repo}.json")))
        .as_array()
        .expect("an array of symbols")
        .iter()
        .map(|row| (text(row, "file"), text(row, "qualified")))
        .collect();
    let files = std::fs::read_to_string(symbols.join(format!("{repo}.files"))).expect("the list of files");
    let files = files.split('\n').map(str::to_owned).collect();
    (BaseTree::new(rows.clone(), Some(files)), rows)
}

fn made_up_answers(
    task: &commits::CommitTask,
    rows: &[(String, String)],
    choice: &mut Choice,
) -> Vec<RankedAnswer> {
    let mut list = Vec::new();
    for _ in 0..choice.below(26) {
        let truth = &task.truths[choice.below(task.truths.len())];
        let (file, qualified) = match choice.below(5) {
            0 => (truth.file.clone(), truth.qualified.clone()),
            1 => (truth.file.clone(), rows[choice.below(rows.len())].1.clone()),
            2 if !truth.inner.is_empty() => {
                let inner = &truth.inner[choice.below(truth.inner.len())];
                (truth.file.clone(), format!("{}.{inner}", truth.name))
            }
            _ => rows[choice.below(rows.len())].clone(),
        };
        let last = qualified.rsplit('.').next().unwrap_or_default().to_owned();
        let name = if choice.below(6) == 0 { String::new() } else { last };
        let qualified = if choice.below(6) == 0 { String::new() } else { respell(&qualified, choice) };
        list.push(RankedAnswer { name, qualified, file: respell_path(&file, choice) });
    }
    list
}

type Lists = BTreeMap<String, Vec<RankedAnswer>>;

/// Returns two artificial runs over the commit set, and their figures according to this crate.
fn commit_runs(tasks: &[commits::CommitTask]) -> [(Lists, Vec<[f64; commits::METRICS.len()]>); 2] {
    let mut trees: BTreeMap<&str, (BaseTree, Symbols)> = BTreeMap::new();
    for task in tasks {
        trees.entry(&task.repo).or_insert_with(|| tree(&task.repo));
    }
    [1, 2].map(|seed| {
        let mut choice = Choice(seed);
        let (mut lists, mut rows) = (Lists::new(), Vec::new());
        for task in tasks {
            let (tree, symbols) = &trees[task.repo.as_str()];
            let answers = made_up_answers(task, symbols, &mut choice);
            rows.push(commits::score_answers(task, &answers, tree));
            lists.insert(task.id.clone(), answers);
        }
        (lists, rows)
    })
}

fn column(rows: &[[f64; commits::METRICS.len()]], at: usize) -> Vec<f64> {
    rows.iter().map(|row| row[at]).collect()
}

#[test]
fn commit_figures_agree_with_the_reference_scorer() {
    let set = folder("commits");
    let tasks: Vec<commits::CommitTask> =
        serde_json::from_value(read_json(&set.join("tasks.json"))).expect("tasks of the commit set");
    let [(first, first_rows), (second, second_rows)] = commit_runs(&tasks);
    let out = tempfile::tempdir().expect("a temporary folder");
    let [a, b, scores] = ["a.json", "b.json", "scores.json"].map(|name| out.path().join(name));
    std::fs::write(&a, serde_json::to_vec(&first).expect("lists as JSON")).expect("writing a list");
    std::fs::write(&b, serde_json::to_vec(&second).expect("lists as JSON")).expect("writing a list");
    let flags = [Path::new("--brief"), Path::new("--json")];
    let printed = python(&[&set.join("score.py"), &a, &b, flags[0], flags[1], &scores]);

    let reference = read_json(&scores);
    let mut hits = 0;
    for (task, row) in tasks.iter().zip(&first_rows) {
        for (metric, value) in commits::METRICS.iter().zip(row) {
            let expected = reference["tasks"][&task.id][metric].as_f64().expect("a figure");
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
            .map(|v| v.as_f64().expect("a figure"));
        assert!((estimate.mean - mean).abs() < TOLERANCE, "{metric}");
        // The bounds come from other random numbers, so they are close but not equal.
        assert!((estimate.low - low).abs() < 0.006 && (estimate.high - high).abs() < 0.006, "{metric}");
    }
    compare_pairs(&printed, &first_rows, &second_rows);
}

/// Returns the lines of the printed comparison: metric, both means, difference, interval, wins,
/// losses, ties, p.
fn compare_pairs(
    printed: &str,
    first: &[[f64; commits::METRICS.len()]],
    second: &[[f64; commits::METRICS.len()]],
) {
    let (_, comparison) = printed.split_once("Wilcoxon p").expect("a comparison");
    let mut compared = 0;
    for line in comparison.lines().filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().filter(|field| *field != "[").collect();
        let at = commits::METRICS.iter().position(|metric| *metric == fields[0]).expect("a known metric");
        let paired = statistics::compare_paired(&column(first, at), &column(second, at));
        let tail = &fields[fields.len() - 4..];
        assert_eq!(fields[1..3], [format!("{:.3}", paired.first), format!("{:.3}", paired.second)], "{line}");
        assert_eq!(tail[..3], [paired.wins, paired.losses, paired.ties].map(|n| n.to_string()), "{line}");
        let p: f64 = tail[3].parse().expect("a number");
        assert!((p - paired.p).abs() <= 0.06 * p, "{line}: {}", paired.p);
        compared += 1;
    }
    assert_eq!(compared, 11, "{printed}");
}

fn made_up_names(task: &curated::CuratedTask, others: &[String], choice: &mut Choice) -> Vec<String> {
    let mut name = || match choice.below(3) {
        0 => respell(&others[choice.below(others.len())].clone(), choice),
        _ => respell(&task.ground_truth[choice.below(task.ground_truth.len())].clone(), choice),
    };
    (0..14).map(|_| name()).collect()
}

#[test]
fn curated_figures_agree_with_the_reference_scorer() {
    let set = folder("curated");
    let tasks: Vec<curated::CuratedTask> =
        serde_json::from_value(read_json(&set.join("tasks.json"))).expect("tasks of the curated set");
    let others: Vec<String> = tasks.iter().flat_map(|task| task.ground_truth.clone()).collect();
    let mut choice = Choice(3);
    let mut lists = BTreeMap::new();
    for task in &tasks {
        let decoys = choice.below(12);
        let mut names: Vec<String> =
            (0..decoys).map(|_| others[choice.below(others.len())].clone()).collect();
        names.extend(made_up_names(task, &others, &mut choice));
        lists.insert(task.id.clone(), names);
    }
    lists.insert(tasks[0].id.clone(), Vec::new());
    let out = tempfile::tempdir().expect("a temporary folder");
    let [ranked, scores] = ["ranked.json", "scores.json"].map(|name| out.path().join(name));
    std::fs::write(&ranked, serde_json::to_vec(&lists).expect("lists as JSON")).expect("writing the lists");
    python(&[&set.join("score.py"), &ranked, Path::new("--json"), &scores]);

    let reference = read_json(&scores);
    let keys = ["p10", "r10", "ndcg10", "mrr", "sp10", "sr10", "sndcg"];
    let mut sums = [0.0; curated::METRICS.len()];
    for task in &tasks {
        let row = curated::score_names(task, &lists[&task.id]);
        for (at, key) in keys.iter().enumerate() {
            let expected = reference["per_task"][&task.id][key].as_f64().expect("a figure");
            assert!((row[at] - expected).abs() < TOLERANCE, "{} {key}: {}, not {expected}", task.id, row[at]);
            sums[at] += row[at];
        }
    }
    for (sum, key) in sums.iter().zip(keys) {
        let mean = sum / tasks.len() as f64;
        let expected = reference["summary"]["overall"][key].as_f64().expect("a figure");
        // The reference rounds its means to four decimals.
        assert!((mean - expected).abs() < 0.000_051, "{key}: {mean}, not {expected}");
        assert!(mean > 0.05 && mean < 0.95, "{key}: lists at an end of the scale compare nothing");
    }
}
