//! Tests of the reasons for ranks, on small snapshots.

use super::{NeighborRole, RankCause, RankReasons, RelativeRole};
use crate::fixture::{SnapshotFixture, build_fixture};
use crate::{Analysis, CommitHistory, RankConfig, RunTrace, TaskRequest, total_score};
use expect_test::expect;
use kenning_graph::analysis::Analyzer;
use kenning_graph::commits::{CommitFacts, TouchedFile};
use std::fmt::Write;

const APP: &str = "//- src/session.py\n\
    class Session: A session of a user.\n\
    method Session.save_cookie: Saves the cookie. { store key } -> store\n\
    method Session.drop { remove key }\n\
    //- src/store.py\n\
    function store: Writes to the store. { write session }\n\
    function purge { remove value }\n\
    constant LIMIT { \"too many cookies\" SameSite }\n\
    //- tests/test_session.py\n\
    test function test_cookie { session cookie } -> Session.save_cookie\n";

fn trace_task(app: &SnapshotFixture, config: &RankConfig, task: &str) -> RunTrace {
    Analysis::new(&app.snapshot, config, app).trace_task(&TaskRequest::new(task))
}

fn collect_reasons(app: &SnapshotFixture, task: &str, symbol: &str) -> RankReasons {
    let trace = trace_task(app, &RankConfig::default(), task);
    RankReasons::collect(&trace, &app.snapshot, app.symbol_id(symbol))
}

fn render_words(reasons: &RankReasons) -> String {
    let mut out = format!("{} of {}", reasons.words.matched, reasons.words.known);
    for found in &reasons.words.fields {
        let words: Vec<&str> = found.words.iter().map(|word| word.text.as_str()).collect();
        let _ = write!(out, "; {:?}: {}", found.field, words.join(" "));
    }
    out
}

#[test]
fn words_are_shown_as_written_each_in_one_field() {
    let app = build_fixture(APP);
    let shown: Vec<String> = [
        ("Saving cookies of a session", "Session.save_cookie"),
        ("why does save_cookie lose the Session", "Session.save_cookie"),
        ("Saving cookies of a session", "purge"),
    ]
    .iter()
    .map(|(task, symbol)| render_words(&collect_reasons(&app, task, symbol)))
    .collect();
    expect![[r#"
        3 of 3; Name: Saving cookies; Container: session
        3 of 3; Name: save_cookie; Container: Session
        0 of 3"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn effects_add_up_to_the_distance_from_the_mean_score() {
    let app = build_fixture(APP);
    for config in [RankConfig::default(), RankConfig::linear_preset(), RankConfig::seeds_preset()] {
        let trace = trace_task(&app, &config, "save the session cookie");
        let scores: Vec<f64> = trace.ranked.iter().map(|ranked| total_score(&ranked.components)).collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        for (ranked, score) in trace.ranked.iter().zip(&scores) {
            let reasons = RankReasons::collect(&trace, &app.snapshot, ranked.symbol);
            let effects: f64 = reasons.effects.iter().map(|effect| effect.effect).sum();
            assert!((effects - (score - mean)).abs() < 1e-9, "{}: {effects} {}", config.name, score - mean);
        }
        let first = RankReasons::collect(&trace, &app.snapshot, trace.ranked[0].symbol);
        assert!(first.effects.iter().all(|effect| effect.gap == 0.0), "nothing ranks before the first");
    }
}

#[test]
fn facts_describe_names_neighbors_and_roles() {
    let app = build_fixture(APP);
    let named = collect_reasons(&app, "fix save_cookie in src/session.py:2", "Session.save_cookie").facts;
    assert!(named.named.symbol && named.named.file && named.named.line, "{:?}", named.named);
    let plain = collect_reasons(&app, "save the session cookie", "store");
    assert!(!plain.facts.named.symbol && !plain.facts.named.file);
    let near = plain.facts.neighbor.expect("save_cookie calls it");
    assert_eq!((near.neighbor.name.as_str(), near.role), ("Session.save_cookie", NeighborRole::User));
    let test = collect_reasons(&app, "save the session cookie", "test_cookie");
    assert!(test.facts.is_secondary && test.effect_of(RankCause::TestCode).gap < 0.0, "{:?}", test.effects);
    let used = test.facts.neighbor.expect("it calls save_cookie");
    assert_eq!((used.neighbor.name.as_str(), used.role), ("Session.save_cookie", NeighborRole::Used));
    let class = collect_reasons(&app, "save the session cookie", "Session.drop").facts.relative.unwrap();
    assert_eq!((class.relative.name.as_str(), class.role), ("Session", RelativeRole::Container));
}

#[test]
fn a_symbol_outside_the_list_has_words_but_no_effects() {
    let app = build_fixture(APP);
    let config = RankConfig::default();
    let mut trace = trace_task(&app, &config, "cookies");
    let symbol = app.symbol_id("LIMIT");
    trace.ranked.retain(|ranked| ranked.symbol != symbol);
    let reasons = RankReasons::collect(&trace, &app.snapshot, symbol);
    assert_eq!(reasons.effects, []);
    assert_eq!(render_words(&reasons), "1 of 1; Strings: cookies");
}

/// Builds a commit that changed `symbol` in `path`, `days` days before the newest commit.
fn build_commit(days: i64, subject: &str, path: &str, symbol: &str) -> CommitFacts {
    let mut tokens = Vec::new();
    Analyzer::default().for_each_token(subject, |token| tokens.push(token.to_owned()));
    CommitFacts {
        id: format!("{days:04}").into(),
        time: (2_000 - days) * 86_400,
        subject: subject.into(),
        subject_tokens: tokens.join(" ").into(),
        body_tokens: "".into(),
        touched_count: 1,
        files: vec![TouchedFile { path: path.into(), old_path: None, symbols: vec![symbol.into()] }],
    }
}

#[test]
fn similar_commits_are_described_by_the_words_that_most_of_them_share_with_the_task() {
    let app = build_fixture(APP);
    let history = CommitHistory::new(vec![
        build_commit(0, "Update the changelog", "src/store.py", "purge"),
        build_commit(1, "Set SameSite on every cookie", "src/session.py", "Session.save_cookie"),
        build_commit(2, "Let a cookie have SameSite", "src/session.py", "Session.save_cookie"),
        build_commit(3, "Drop the cookie of a session", "src/session.py", "Session.drop"),
    ]);
    let config = RankConfig::default();
    let analysis = Analysis { history: Some(&history), ..Analysis::new(&app.snapshot, &config, &app) };
    // `LIMIT` contains "SameSite", so the word is known in the workspace.
    let trace = analysis.trace_task(&TaskRequest::new("reject SameSite without a secure cookie"));
    let commits = |symbol: &str| {
        let reasons = RankReasons::collect(&trace, &app.snapshot, app.symbol_id(symbol));
        let commits = reasons.facts.commits;
        let words: Vec<String> = commits.words.into_iter().map(|word| word.text).collect();
        format!("{symbol}: {} it, {} its file; {}", commits.symbol, commits.file, words.join(" "))
    };
    let shown = ["Session.save_cookie", "Session.drop", "store"].map(commits).join("\n");
    expect![[r#"
        Session.save_cookie: 2 it, 2 its file; SameSite cookie
        Session.drop: 1 it, 2 its file; cookie
        store: 0 it, 0 its file; "#]]
    .assert_eq(&shown);
}
