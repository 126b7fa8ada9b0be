//! Tests of the votes of commits, and of the activity and age of files and symbols, on small
//! graphs.

use super::*;
use crate::fixture::{SnapshotFixture, build_fixture};
use crate::{Analysis, RankConfig, RankedSymbol, TaskRequest};
use expect_test::{Expect, expect};
use kenning_graph::analysis::Analyzer;
use kenning_graph::commits::TouchedFile;

const APP: &str = "\
//- src/app.py
class App
method App.run: Runs the loop.
method App.stop
function main
//- src/store.py
class Store
method Store.load
field Store.path
//- tests/test_app.py
test function test_run
";

const SECONDS_PER_DAY: i64 = 86_400;

fn tokenize(text: &str) -> Box<str> {
    let mut out = Vec::new();
    Analyzer::default().for_each_token(text, |token| out.push(token.to_owned()));
    out.join(" ").into()
}

/// Builds a commit that is `days` old. A file is `path`, `path<old_path` or `path:chain chain`.
fn build_commit(days: i64, message: &str, files: &[&str]) -> CommitFacts {
    let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
    let file = |text: &&str| {
        let (path, symbols) = text.split_once(':').unwrap_or((text, ""));
        let (path, old) = path.split_once('<').map_or((path, None), |(path, old)| (path, Some(old)));
        TouchedFile {
            path: path.into(),
            old_path: old.map(Into::into),
            symbols: symbols.split_whitespace().map(Into::into).collect(),
        }
    };
    CommitFacts {
        id: format!("{days:04}").into(),
        time: 2_000 * SECONDS_PER_DAY - days * SECONDS_PER_DAY,
        subject: subject.into(),
        subject_tokens: tokenize(subject),
        body_tokens: tokenize(body),
        touched_count: files.len() as u32,
        files: files.iter().map(file).collect(),
    }
}

fn render_votes(app: &SnapshotFixture, history: &CommitHistory, task: &str, config: &RankConfig) -> String {
    let query = crate::TaskQuery::from_task(task, &app.snapshot, config);
    let votes = CommitVotes::cast_votes(history, &query, &app.snapshot, config);
    let mut lines: Vec<String> = votes
        .voters
        .iter()
        .map(|v| format!("{} {:.3} gives {:.3}: {}", v.id, v.similarity, v.weight, v.subject))
        .collect();
    let input = crate::ChannelInput {
        snapshot: &app.snapshot,
        config,
        query: &query,
        text: app,
        history: Some(history),
        votes: &votes,
        vectors: None,
        earlier: &[],
    };
    use crate::channels::Channel;
    lines.extend(
        TouchedChannel
            .find_hits(&input)
            .iter()
            .map(|hit| format!("{} {:.3}", app.symbol_name(hit.symbol), hit.score)),
    );
    for id in app.snapshot.symbols() {
        if let Some(part) = votes.file_vote_component(&input, id) {
            lines.push(format!("file of {}: {:.3}", app.symbol_name(id), part.value));
        }
    }
    lines.join("\n") + "\n"
}

fn check(commits: Vec<CommitFacts>, task: &str, expect: Expect) {
    let (app, history) = (build_fixture(APP), CommitHistory::new(commits));
    let votes = render_votes(&app, &history, task, &RankConfig::default());
    expect.assert_eq(if votes.trim().is_empty() { "no votes" } else { &votes });
}

fn unrelated_commits() -> Vec<CommitFacts> {
    (0..20)
        .map(|n| build_commit(n * 10, &format!("Other{n} words{n} entirely{n}"), &["src/store.py:Store"]))
        .collect()
}

#[test]
fn the_votes_of_a_similar_commit_shrink_with_its_age_and_size() {
    let mut commits = unrelated_commits();
    commits.insert(
        10,
        build_commit(
            100,
            "Signal handler hangs",
            &["src/app.py:App.stop.x main.inner", "tests/test_app.py:test_run"],
        ),
    );
    commits.push(build_commit(
        1100,
        "Signal handler hangs",
        &["src/store.py:Ns.Store.load.y Store.path", "src/app.py:App.run", "README"],
    ));
    check(
        commits,
        "signal handler hangs",
        expect![[r#"
            0100 0.935 gives 0.816: Signal handler hangs
            1100 0.935 gives 0.408: Signal handler hangs
            App.stop 0.697
            main 0.697
            App.run 0.423
            Store 0.423
            Store.load 0.423
            file of App: 0.315
            file of App.run: 0.315
            file of App.stop: 0.315
            file of main: 0.315
            file of Store: 0.161
            file of Store.load: 0.161
            file of Store.path: 0.161
        "#]],
    );
}

#[test]
fn names_in_modules_are_found_without_the_module() {
    let app = build_fixture(
        "\
//- src/log.cc
module spdlog
class spdlog.Logger
method spdlog.Logger.flush
function spdlog.flush
function flush
",
    );
    let file = app.snapshot.file_by_path("src/log.cc").unwrap();
    let found = |chain: &str| {
        let symbols = symbols_of_chains(&app.snapshot, file, &[chain.into()]);
        symbols.iter().filter_map(|&id| app.snapshot.symbol(id)).map(|s| s.display_name()).collect::<Vec<_>>()
    };
    assert_eq!(found("Logger.flush"), ["spdlog.Logger.flush"]);
    assert_eq!(found("spdlog.Logger.flush.x"), ["spdlog.Logger.flush"]);
    assert_eq!(found("flush"), ["flush"], "the symbol with the very name comes first");
    assert!(found("Logger2.run").is_empty());
}

#[test]
fn the_similarity_is_absolute() {
    let mut commits = unrelated_commits();
    commits.push(build_commit(0, "Signal", &["src/app.py:App.stop"]));
    check(
        commits,
        "signal handler hangs when unplugged\n\nIt is not clear why.",
        expect![[r#"
            0000 0.165 gives 0.027: Signal
            App.stop 0.165
            file of App: 0.049
            file of App.run: 0.049
            file of App.stop: 0.049
            file of main: 0.049
        "#]],
    );
}

#[test]
fn large_commits_do_not_vote_and_tests_get_votes_only_if_the_task_mentions_tests() {
    let many: Vec<String> =
        (0..21).map(|n| format!("f{n}.py")).chain(["src/app.py:App.run".to_owned()]).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut commits = unrelated_commits();
    commits.push(build_commit(0, "signal handler", &many));
    commits.push(build_commit(0, "signal handler", &["tests/test_app.py:test_run"]));
    check(commits.clone(), "signal handler", expect!["no votes"]);
    check(
        commits,
        "test the signal handler",
        expect![[r#"
            0000 0.524 gives 0.275: signal handler
            test_run 0.524
            file of test_run: 0.157
        "#]],
    );
}

#[test]
fn files_are_followed_through_renames() {
    let mut commits = unrelated_commits();
    commits.push(build_commit(1, "move", &["src/app.py<lib/core.py"]));
    commits.push(build_commit(2, "move", &["lib/core.py<core.py"]));
    commits.push(build_commit(3, "signal handler", &["core.py:App.run"]));
    check(
        commits,
        "signal handler",
        expect![[r#"
            0003 0.972 gives 0.942: signal handler
            App.run 0.971
            file of App: 0.291
            file of App.run: 0.291
            file of App.stop: 0.291
            file of main: 0.291
        "#]],
    );
}

#[test]
fn activity_and_age_are_found_by_the_current_path() {
    let app = build_fixture(APP);
    let history = CommitHistory::new(vec![
        build_commit(0, "a", &["src/store.py:Store.load"]),
        build_commit(5, "b", &["src/app.py<a.py:Ns.App.run.x"]),
        build_commit(365, "c", &["a.py:App"]),
        build_commit(730, "d", &["a.py"]),
    ]);
    assert_eq!(history.len(), 4);
    let activity = |path: &str| (history.file_activity(path, 365.0) * 100.0).round() / 100.0;
    assert_eq!([activity("src/app.py"), activity("src/store.py"), activity("gone.py")], [1.74, 1.0, 0.0]);
    let age = |name: &str| {
        let symbol = app.snapshot.symbol(app.symbol_id(name)).unwrap();
        history.symbol_age(&symbol, u64::MAX).map(|age| age / SECONDS_PER_DAY as u64)
    };
    assert_eq!(
        ["App.run", "App", "App.stop", "Store", "test_run"].map(age),
        [Some(5), Some(5), Some(730), Some(0), None]
    );
}

fn rank_symbols(
    app: &SnapshotFixture,
    history: Option<&CommitHistory>,
    config: &RankConfig,
) -> Vec<RankedSymbol> {
    let analysis = Analysis { history, ..Analysis::new(&app.snapshot, config, app) };
    analysis.rank_task(&TaskRequest::new("stop the loop on a signal"))
}

#[test]
fn votes_are_components_of_the_score_and_the_baseline_has_none() {
    let app = build_fixture(APP);
    let mut commits = unrelated_commits();
    commits.push(build_commit(0, "loop ends on a signal", &["src/app.py:main"]));
    let history = CommitHistory::new(commits);
    let config = RankConfig { rerank: None, ..RankConfig::linear_preset() };
    let main = rank_symbols(&app, Some(&history), &config)
        .into_iter()
        .find(|r| app.symbol_name(r.symbol) == "main")
        .unwrap();
    let names: Vec<&str> = main.components.iter().map(|part| part.name).collect();
    assert_eq!(names, ["bm25", "history", "history_files", "commit_recency"]);
    assert_eq!(crate::total_score(&main.components), main.score);
    let without = rank_symbols(&app, None, &config);
    assert!(without.iter().all(|r| r.components.iter().all(|part| !part.name.starts_with("history"))));
    let baseline = RankConfig::bm25_bodies();
    assert_eq!(rank_symbols(&app, Some(&history), &baseline), rank_symbols(&app, None, &baseline));
}

#[test]
fn the_age_of_the_last_commit_is_a_component_in_the_seeds_configuration() {
    let app = build_fixture(APP);
    let config = RankConfig::seeds_preset();
    let recency = |days: i64| {
        let history = CommitHistory::new(vec![
            build_commit(0, "x", &[]),
            build_commit(days, "y", &["src/app.py:App.stop"]),
        ]);
        let found = rank_symbols(&app, Some(&history), &config)
            .into_iter()
            .find(|r| app.symbol_name(r.symbol) == "App.stop");
        found.unwrap().components.iter().find(|part| part.name == "commit_recency").map(|part| part.value)
    };
    assert_eq!([0, 6, 29, 31].map(recency), [Some(0.05), Some(0.03), Some(0.01), None]);
}

#[test]
fn empty_and_malformed_histories_and_tasks_do_not_panic() {
    let config = RankConfig::default();
    let app = build_fixture(APP);
    for commits in
        [vec![], vec![CommitFacts::default()], vec![build_commit(-5, "é", &["", "a<a", "b<a", "a:. .. a."])]]
    {
        let history = CommitHistory::new(commits);
        for task in ["", "é", "a a a", "signal"] {
            let _ = render_votes(&app, &history, task, &config);
        }
    }
}
