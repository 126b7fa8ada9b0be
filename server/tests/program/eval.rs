//! Tests `kenning eval` with the real binary, from a task file to lists, rows and a table.

use std::path::Path;
use std::process::{Command, Output};

const TASKS: &str = r#"[
  {"id": "shop-1", "repo": "shop", "tier": "easy", "description": "apply a discount to the cart total",
   "ground_truth": ["Cart.apply_discount"]},
  {"id": "shop-2", "repo": "shop", "tier": "hard", "description": "send the invoice mail",
   "ground_truth": ["send_invoice", "Missing.name"]}
]"#;

const SOURCE: &str = "class Cart:
    def apply_discount(self, percent):
        \"\"\"Apply a discount to the total.\"\"\"
        self.total -= self.total * percent / 100

    def clear(self):
        self.items = []


def send_invoice(cart):
    \"\"\"Send the invoice by mail.\"\"\"
    mail(cart)
";

fn run_eval(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kenning"))
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .args(["eval", "--tasks", "tasks.json", "--corpus", "corpus"])
        .args(arguments)
        .output()
        .expect("the binary runs")
}

fn create_corpus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("corpus/shop")).expect("the corpus");
    std::fs::write(folder.path().join("corpus/shop/shop.py"), SOURCE).expect("the source");
    std::fs::write(folder.path().join("tasks.json"), TASKS).expect("the tasks");
    folder
}

#[test]
fn a_run_writes_lists_rows_and_table() {
    let folder = create_corpus();
    let run = run_eval(folder.path(), &["--out", "ranked.json", "--csv", "rows.csv"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the run wrote it");

    let ranked: serde_json::Value = serde_json::from_str(&read("ranked.json")).expect("JSON");
    assert_eq!(ranked["shop-1"][0], "Cart.apply_discount");
    assert_eq!(ranked["shop-2"][0], "send_invoice");

    let rows = read("rows.csv");
    let command = "kenning eval --tasks tasks.json --corpus corpus --config default";
    assert!(
        rows.contains(&format!("curated,default,all,2,sR@10,0.7500,0.5000,1.0000,{command}\n")),
        "{rows}"
    );
    assert!(rows.contains("curated,default,shop,2,MRR,1.0000,"), "{rows}");

    let table = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(table.starts_with("curated, configuration default: 2 tasks, 0 unanswered\n"), "{table}");
    for group in ["all ", "tier: easy", "tier: hard", "repo: shop"] {
        assert!(table.lines().any(|line| line.starts_with(group)), "{group} in {table}");
    }
}

#[test]
fn a_run_counts_the_tasks_that_nothing_matches() {
    let folder = create_corpus();
    let nonsense = r#"{"repositories": ["shop"], "tasks": [
        {"id": "n-1", "kind": "everyday", "generic": false, "half": "tune", "description": "lasagna", "not_for": []},
        {"id": "n-2", "kind": "everyday", "generic": false, "half": "test", "description": "clear the cart", "not_for": []}]}"#;
    std::fs::write(folder.path().join("tasks.json"), nonsense).expect("the tasks");
    let run = run_eval(folder.path(), &["--csv", "rows.csv", "--signals", "signals.csv"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the run wrote it");
    let rows = read("rows.csv");
    assert!(rows.contains("\nnonsense,default,all,2,nothing,0.5000,"), "{rows}");
    assert!(rows.contains("\nnonsense,default,half: tune,1,nothing,1.0000,"), "{rows}");
    assert!(rows.contains("\nnonsense,default,half: test,1,nothing,0.0000,"), "{rows}");
    let signals = read("signals.csv");
    assert!(signals.starts_with("set,repo,task,known,strength,exact\n"), "{signals}");
    assert!(signals.contains("\nnonsense,shop,shop/n-1,0.0000,0.0000,0\n"), "{signals}");
    assert!(signals.contains("\nnonsense,shop,shop/n-2,1.0000,"), "{signals}");
}

#[test]
fn equal_runs_give_equal_lists() {
    let folder = create_corpus();
    let lists = |name: &str| {
        assert!(run_eval(folder.path(), &["--out", name]).status.success());
        std::fs::read(folder.path().join(name)).expect("the run wrote it")
    };
    assert_eq!(lists("first.json"), lists("second.json"));
}

#[test]
fn one_task_of_a_set_is_evaluated_alone() {
    let folder = create_corpus();
    let run = run_eval(folder.path(), &["--task", "shop-2", "--out", "one.json", "--csv", "one.csv"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the run wrote it");
    let ranked: serde_json::Value = serde_json::from_str(&read("one.json")).expect("JSON");
    assert_eq!(ranked.as_object().expect("lists").keys().collect::<Vec<_>>(), ["shop-2"]);
    assert!(
        read("one.csv").lines().nth(1).is_some_and(|row| row.ends_with(" --config default --task shop-2"))
    );
    let unknown = run_eval(folder.path(), &["--task", "shop-3"]);
    let error = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(error.contains("no task has the id `shop-3`; did you mean shop-"), "{error}");
}

#[test]
fn a_missing_repository_prints_one_error_line_and_exits_with_1() {
    let folder = create_corpus();
    std::fs::remove_dir_all(folder.path().join("corpus/shop")).expect("removed");
    let run = run_eval(folder.path(), &[]);
    assert_eq!(run.status.code(), Some(1));
    let error = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains("corpus has no shop"), "{error}");
}

#[test]
fn a_replay_prints_every_round_and_leaves_the_first_one_cold() {
    let folder = create_corpus();
    let run = run_eval(folder.path(), &["--replay", "3", "--json"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let rounds = report["mrr"].as_array().expect("the rounds");
    assert_eq!((rounds.len(), &report["tasks"]), (3, &serde_json::json!(2)));
    assert_eq!(rounds[0]["all_uses"], rounds[0]["other_tasks"], "nothing was used yet");
    let table = String::from_utf8(run_eval(folder.path(), &["--replay", "3"]).stdout).expect("UTF-8");
    assert!(table.starts_with("curated, configuration default: 2 tasks, 3 rounds, MRR\n"), "{table}");
    assert_eq!(table, String::from_utf8(run_eval(folder.path(), &["--replay", "3"]).stdout).expect("UTF-8"));
}
