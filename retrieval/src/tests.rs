//! Tests of the whole pipeline on small snapshots.

use crate::fixture::{SnapshotFixture, build_fixture};
use crate::*;
use expect_test::{Expect, expect};
use kenning_graph::SymbolId;
use std::sync::LazyLock;

mod adaptive;
mod name_tiers;
mod pack_strategies;
mod packs;
mod recorded_calls;
mod reports;
mod score_components;

/// A small web framework: a base class, an application, its configuration, and a test.
const APP: &str = "\
//- src/app/scaffold.py
class Scaffold: Common behavior of applications and blueprints.
method Scaffold.before_request: Register a function to run before each request. { funcs setdefault append }
method Scaffold.after_request: Register a function to run after each request. { funcs append }
method Scaffold.record: Remember a deferred call. { deferred }
//- src/app/app.py
class App: The application object. => Scaffold
method App.dispatch: Find the view that matches a request and call it. { url_rule view } -> App.preprocess
method App.preprocess: Run hooks in order. { before_request_funcs } -> Scaffold.record, lib.chain
function make_app: Build an application from a config. { loader } -> load_config
//- src/app/config.py
function load_config: Read a config from a file. { open parse toml }
  first_line = read()
  return first_line
//- tests/test_app.py
function test_before_request: Hooks run before the request. { client get } -> Scaffold.before_request
";

fn analyze<'a>(fixture: &'a SnapshotFixture, config: &'a RankConfig) -> Analysis<'a> {
    Analysis::new(&fixture.snapshot, config, fixture)
}

/// Returns the input of packing a ranked list, of a task without words.
fn pack_input<'a>(
    fixture: &'a SnapshotFixture,
    ranked: &'a [RankedSymbol],
    phantoms: f64,
) -> pack::PackInput<'a> {
    static NO_LIKELIHOODS: LazyLock<EditLikelihoods> = LazyLock::new(EditLikelihoods::default);
    pack::PackInput {
        snapshot: &fixture.snapshot,
        likelihoods: &NO_LIKELIHOODS,
        ranked,
        noise: &[],
        phantoms,
        is_about_tests: false,
        terms: &[],
        is_task: true,
        pinned: &[],
        excluded: &[],
        budget: 60,
    }
}

fn check_ranking(config: &RankConfig, task: &str, expect: Expect) {
    let app = build_fixture(APP);
    let ranked = analyze(&app, config).rank_task(&TaskRequest::new(task));
    let line = |r: &RankedSymbol| {
        let parts: Vec<String> = r.components.iter().map(|c| format!("{} {:.3}", c.name, c.value)).collect();
        format!(
            "{:.3} {} [{}] {}\n",
            r.score,
            app.symbol_name(r.symbol),
            r.channels.join(" "),
            parts.join(" ")
        )
    };
    expect.assert_eq(&ranked.iter().map(line).collect::<String>());
}

#[test]
fn word_matches_rank_above_candidates_of_the_walk() {
    check_ranking(
        &RankConfig::linear_preset(),
        "add a before_request hook",
        expect![[r#"
            1.321 Scaffold.before_request [bm25] bm25 1.000 name_coverage 0.015 name_precision 0.131 name_exact 0.059 doc_coverage -0.029 file_best 0.022 file_sum -0.106 caller 0.028 holder 0.020 sibling -0.040 callable 0.083 public 0.051 size 0.036 users -0.009 walk 0.059
            0.550 Scaffold.after_request [bm25] bm25 0.365 name_coverage 0.015 name_precision 0.131 doc_coverage -0.029 file_best 0.060 file_sum -0.106 holder 0.020 sibling -0.109 callable 0.083 public 0.051 size 0.036 walk 0.033
            0.545 App.preprocess [bm25] bm25 0.383 doc_coverage -0.063 file_best 0.007 file_sum -0.044 caller 0.012 callee 0.000 holder 0.016 sibling -0.013 callable 0.083 public 0.051 size 0.036 users -0.009 uses 0.024 walk 0.060
            0.337 Scaffold [bm25] bm25 0.052 walk 0.161 file_best 0.060 file_sum -0.106 caller 0.010 member 0.035 type 0.046 public 0.051 size 0.036 users -0.009
            0.296 App [bm25] bm25 0.032 walk 0.122 file_best 0.023 file_sum -0.044 callee 0.000 member 0.013 type 0.046 public 0.051 size 0.036 uses 0.015
            0.273 App.dispatch [bm25] bm25 0.119 doc_coverage -0.029 file_best 0.023 file_sum -0.044 callee 0.001 holder 0.016 sibling -0.042 callable 0.083 public 0.051 size 0.036 uses 0.015 walk 0.043
            0.248 make_app [bm25] bm25 0.038 walk 0.046 file_best 0.023 file_sum -0.044 callee 0.000 callable 0.083 public 0.051 size 0.036 uses 0.015
            0.241 load_config [walk] walk 0.039 file_sum -0.001 caller 0.006 callable 0.083 public 0.051 size 0.072 users -0.009
            0.219 Scaffold.record [bm25] bm25 0.061 walk 0.092 file_best 0.060 file_sum -0.106 caller 0.040 holder 0.020 sibling -0.109 callable 0.083 public 0.051 size 0.036 users -0.009
            0.172 test_before_request [bm25] bm25 0.266 name_coverage 0.015 name_precision 0.066 doc_coverage -0.092 file_sum -0.018 callee 0.003 callable 0.083 test -0.284 public 0.051 size 0.036 uses 0.015 walk 0.031
        "#]],
    );
}

#[test]
fn the_seeds_configuration_scores_by_seven_components() {
    check_ranking(
        &RankConfig::seeds_preset(),
        "add a before_request hook",
        expect![[r#"
            0.732 Scaffold.before_request [bm25 tiered:exact] blast_radius 0.311 confidence 0.170 recency 0.045 distance 0.150 authority 0.055
            0.713 App.preprocess [bm25] blast_radius 0.220 confidence 0.170 recency 0.045 distance 0.150 authority 0.127
            0.574 App.dispatch [bm25] blast_radius 0.171 confidence 0.100 recency 0.045 distance 0.150 authority 0.108
            0.521 Scaffold [walk] blast_radius 0.350 confidence 0.170 recency 0.045 distance 0.075 authority -0.119
            0.496 Scaffold.after_request [bm25 tiered:substring] blast_radius 0.150 confidence 0.100 recency 0.045 distance 0.150 authority 0.051
            0.427 Scaffold.record [walk] blast_radius 0.136 confidence 0.170 recency 0.045 distance 0.075
            0.392 App [walk] blast_radius 0.203 confidence 0.100 recency 0.045 distance 0.075 authority -0.031
            0.140 test_before_request [bm25 tiered:substring] blast_radius 0.171 confidence 0.100 recency 0.045 distance 0.150 test_file -0.327
        "#]],
    );
}

#[test]
fn the_baseline_scores_by_text_alone() {
    check_ranking(
        &RankConfig::bm25_bodies(),
        "add a before_request hook",
        expect![[r#"
        1.000 test_before_request [bm25] bm25 1.000
        0.804 App.preprocess [bm25] bm25 0.804
        0.442 Scaffold.after_request [bm25] bm25 0.442
        0.438 Scaffold.before_request [bm25] bm25 0.438
        0.234 App.dispatch [bm25] bm25 0.234
    "#]],
    );
}

#[test]
fn a_stack_frame_leads_to_the_symbol_that_encloses_its_line() {
    check_ranking(
        &RankConfig::linear_preset(),
        "crash on start\n  File \"/home/me/x/src/app/config.py\", line 2, in load_config",
        expect![[r#"
            2.543 load_config [bm25 location:line classes:universal.configuration path:folder] bm25 1.000 location 1.000 classes 0.160 name_coverage 0.026 name_precision 0.131 name_exact 0.059 file_name_coverage 0.032 doc_coverage -0.050 file_sum -0.106 caller 0.013 callable 0.083 public 0.051 size 0.072 users -0.009 walk 0.080
            0.620 make_app [bm25 classes:graph] bm25 0.130 classes 0.140 name_coverage 0.000 name_precision 0.131 file_name_coverage 0.001 doc_coverage -0.030 file_best 0.001 file_sum -0.020 callee 0.003 callable 0.083 public 0.051 size 0.036 uses 0.015 walk 0.079
            0.383 App [bm25] bm25 0.042 walk 0.072 name_coverage 0.000 name_precision 0.131 file_name_coverage 0.001 file_best 0.007 file_sum -0.020 callee 0.000 member 0.001 type 0.046 public 0.051 size 0.036 uses 0.015
            0.293 App.preprocess [bm25] bm25 0.050 container_coverage 0.001 file_name_coverage 0.001 file_best 0.007 file_sum -0.020 caller 0.002 callee 0.000 holder 0.004 sibling -0.003 callable 0.083 public 0.051 size 0.036 users -0.009 uses 0.024 walk 0.066
            0.275 App.dispatch [bm25] bm25 0.050 container_coverage 0.001 file_name_coverage 0.001 file_best 0.007 file_sum -0.020 callee 0.000 holder 0.004 sibling -0.003 callable 0.083 public 0.051 size 0.036 uses 0.015 walk 0.050
            0.261 Scaffold [bm25] bm25 0.040 walk 0.101 file_best 0.001 file_sum -0.009 caller 0.002 member 0.001 type 0.046 public 0.051 size 0.036 users -0.009
            0.257 Scaffold.before_request [bm25] bm25 0.047 file_best 0.001 file_sum -0.009 caller 0.002 holder 0.004 sibling -0.002 callable 0.083 public 0.051 size 0.036 users -0.009 walk 0.054
            0.252 Scaffold.record [bm25] bm25 0.047 file_best 0.001 file_sum -0.009 caller 0.002 holder 0.004 sibling -0.002 callable 0.083 public 0.051 size 0.036 users -0.009 walk 0.047
            0.244 Scaffold.after_request [bm25] bm25 0.047 file_best 0.001 file_sum -0.009 holder 0.004 sibling -0.002 callable 0.083 public 0.051 size 0.036 walk 0.033
            -0.038 test_before_request [bm25] bm25 0.007 walk 0.055 file_name_coverage 0.001 file_sum -0.002 callee 0.000 callable 0.083 test -0.284 public 0.051 size 0.036 uses 0.015
        "#]],
    );
}

#[test]
fn a_frame_in_an_installed_copy_leads_to_the_file_of_the_workspace() {
    check_ranking(
        &RankConfig::linear_preset(),
        "crash\n  File \"/venv/lib/site-packages/app/config.py\", line 2, in load_config",
        expect![[r#"
            2.543 load_config [bm25 location:line classes:universal.configuration path:folder] bm25 1.000 location 1.000 classes 0.160 name_coverage 0.026 name_precision 0.131 name_exact 0.059 file_name_coverage 0.033 doc_coverage -0.051 file_sum -0.106 caller 0.012 callable 0.083 public 0.051 size 0.072 users -0.009 walk 0.081
            0.596 make_app [bm25 classes:graph] bm25 0.100 classes 0.140 name_coverage 0.000 name_precision 0.131 file_name_coverage 0.001 doc_coverage -0.030 file_best 0.000 file_sum -0.014 callee 0.003 callable 0.083 public 0.051 size 0.036 uses 0.015 walk 0.080
            0.359 App [bm25] bm25 0.015 name_coverage 0.000 name_precision 0.131 file_name_coverage 0.001 file_best 0.007 file_sum -0.014 callee 0.000 member 0.000 type 0.046 public 0.051 size 0.036 uses 0.015 walk 0.071
            0.266 App.preprocess [bm25] bm25 0.018 container_coverage 0.001 file_name_coverage 0.001 file_best 0.007 file_sum -0.014 caller 0.001 callee 0.000 holder 0.001 sibling -0.001 callable 0.083 public 0.051 size 0.036 users -0.009 uses 0.024 walk 0.068
            0.249 App.dispatch [bm25] bm25 0.018 container_coverage 0.001 file_name_coverage 0.001 file_best 0.007 file_sum -0.014 callee 0.000 holder 0.001 sibling -0.001 callable 0.083 public 0.051 size 0.036 uses 0.015 walk 0.052
            0.232 Scaffold [bm25] bm25 0.013 walk 0.096 file_best 0.000 file_sum -0.003 caller 0.001 member 0.000 type 0.046 public 0.051 size 0.036 users -0.009
            0.228 Scaffold.before_request [bm25] bm25 0.015 walk 0.053 file_best 0.000 file_sum -0.003 caller 0.001 holder 0.001 sibling -0.001 callable 0.083 public 0.051 size 0.036 users -0.009
            0.222 Scaffold.record [bm25] bm25 0.015 walk 0.047 file_best 0.000 file_sum -0.003 caller 0.001 holder 0.001 sibling -0.001 callable 0.083 public 0.051 size 0.036 users -0.009
            0.216 Scaffold.after_request [bm25] bm25 0.015 walk 0.033 file_best 0.000 file_sum -0.003 holder 0.001 sibling -0.001 callable 0.083 public 0.051 size 0.036
            -0.057 test_before_request [bm25] bm25 0.007 walk 0.034 file_name_coverage 0.001 file_sum -0.001 callee 0.000 callable 0.083 test -0.284 public 0.051 size 0.036 uses 0.015
        "#]],
    );
}

/// Returns the linear configuration that reads parts of names as they are written.
fn without_respelling() -> RankConfig {
    let mut config = RankConfig::linear_preset();
    config.query.respells = false;
    config
}

#[test]
fn a_text_of_stop_words_or_typos_still_finds_names() {
    check_ranking(
        &RankConfig::linear_preset(),
        "make",
        expect![[r#"
            0.674 make_app [tiered:prefix] tiered 0.500 file_sum -0.106 callee 0.000 callable 0.083 public 0.051 size 0.036 uses 0.015 walk 0.094
            0.423 load_config [walk] walk 0.137 file_sum -0.015 caller 0.104 callable 0.083 public 0.051 size 0.072 users -0.009
        "#]],
    );
    // Without respelling, only the names channel finds a part of a name.
    check_ranking(
        &without_respelling(),
        "dispatc",
        expect![[r#"
            0.695 App.dispatch [tiered:prefix] tiered 0.500 file_best 0.009 file_sum -0.106 callee 0.000 holder 0.026 sibling -0.014 callable 0.083 public 0.051 size 0.036 uses 0.015 walk 0.094
            0.286 App.preprocess [walk] walk 0.126 file_best 0.060 file_sum -0.106 caller 0.104 callee 0.000 holder 0.026 sibling -0.109 callable 0.083 public 0.051 size 0.036 users -0.009 uses 0.024
            0.284 App [walk] walk 0.147 file_best 0.060 file_sum -0.106 callee 0.000 member 0.035 type 0.046 public 0.051 size 0.036 uses 0.015
            0.221 Scaffold.record [walk] walk 0.045 file_best 0.004 file_sum -0.012 caller 0.013 holder 0.011 sibling -0.002 callable 0.083 public 0.051 size 0.036 users -0.009
            0.193 Scaffold [walk] walk 0.060 file_best 0.003 file_sum -0.012 caller 0.016 member 0.002 type 0.046 public 0.051 size 0.036 users -0.009
            0.183 Scaffold.after_request [walk] walk 0.015 file_best 0.004 file_sum -0.012 holder 0.011 sibling -0.005 callable 0.083 public 0.051 size 0.036
            0.174 Scaffold.before_request [walk] walk 0.015 file_best 0.004 file_sum -0.012 holder 0.011 sibling -0.005 callable 0.083 public 0.051 size 0.036 users -0.009
        "#]],
    );
}

#[test]
fn any_text_gives_an_answer() {
    let app = build_fixture(APP);
    let log = "ERROR src/app/app.py:3 request failed: {\"key\": 1} \u{1f642}\n".repeat(2000);
    let tasks = [
        "",
        " ",
        "🙂",
        "read-only",
        "user's",
        "c++",
        "v2.0",
        "async/await",
        "config:",
        "\"quotes",
        "NEAR(",
        "`",
        &log,
    ];
    for config in [RankConfig::default(), RankConfig::seeds_preset(), RankConfig::bm25_bodies()] {
        for task in tasks {
            let answer = analyze(&app, &config).pack_task(&TaskRequest::new(task));
            for r in &answer.trace.ranked {
                assert!(r.score.is_finite());
                assert_eq!(r.score, total_score(&r.components), "{task}");
            }
        }
    }
}

fn task(text: &str, budget: Option<usize>) -> TaskRequest {
    TaskRequest {
        task: text.into(),
        options: RequestOptions { budget, no_learning: true, ..RequestOptions::default() },
    }
}

#[test]
fn an_explanation_describes_the_run_of_the_pack() {
    let app = build_fixture(APP);
    let config = without_respelling();
    let answer = analyze(&app, &config).pack_task(&task("dispatc", None));
    let why = answer.trace.explain_symbol(&app.snapshot, app.symbol_id("Scaffold.record"));
    let ranked = why.ranked.as_ref().expect("the walk reaches it");
    assert_eq!(why.rank.map(|r| &answer.trace.ranked[r - 1]), Some(ranked));
    let shown = format!(
        "rank {:?} of {}\npath {}\nchannels {:?}\npacked {:?}\n",
        why.rank,
        why.candidates,
        why.path.join(" > "),
        why.channels.iter().map(|c| c.channel).collect::<Vec<_>>(),
        why.packed.map(|decision| (decision.outcome, decision.tokens))
    );
    expect![[r#"
        rank Some(4) of 7
        path src/app/app.py::App.dispatch > src/app/app.py::App.preprocess > src/app/scaffold.py::Scaffold.record
        channels []
        packed Some((Shown(Body), 35))
    "#]]
    .assert_eq(&shown);
    let unknown = answer.trace.explain_symbol(&app.snapshot, SymbolId(u32::MAX));
    assert_eq!((unknown.rank, unknown.packed), (None, None));
}

#[test]
fn the_first_five_do_not_depend_on_the_walk() {
    let app = build_fixture(APP);
    // The reranker also uses the walk; this test is about the stage before it.
    let with_walk = RankConfig { rerank: None, ..RankConfig::linear_preset() };
    let score = config::ScoreConfig::FusedWithWalk { protected: usize::MAX, walk: 0.0 };
    let without_walk = RankConfig { score, ..with_walk.clone() };
    for text in ["request", "config file", "before_request", "run hooks in order"] {
        let first_five = |config: &RankConfig| -> Vec<SymbolId> {
            analyze(&app, config)
                .rank_task(&TaskRequest::new(text))
                .iter()
                .take(5)
                .map(|r| r.symbol)
                .collect()
        };
        let (with, without) = (first_five(&with_walk), first_five(&without_walk));
        assert_eq!(with[..without.len()], without[..], "{text}");
    }
}

#[test]
fn removed_lines_touch_the_symbols_that_contained_them() {
    let app = build_fixture(
        "//- a.py\nclass Cart: Things.\n  one\n  two\nfunction add: Add.\n  three\n\nfunction drop: Drop.\n",
    );
    let config = RankConfig::default();
    let touched = |removed_after: Vec<u32>| -> Vec<String> {
        let file = ChangedFile { path: "a.py".into(), lines: vec![], removed_after };
        let request = ChangeRequest { files: vec![file], ..ChangeRequest::default() };
        let answer =
            analyze(&app, &config).pack_change(&request, &mut NoObserver).expect("the run is not cancelled");
        answer.trace.seeds.iter().map(|s| app.symbol_name(s.symbol)).collect()
    };
    assert_eq!(touched(vec![1]), ["Cart"], "between two lines of the class");
    assert_eq!(touched(vec![5]), ["add"], "after the last line of the function");
    assert_eq!(touched(vec![0]), Vec::<String>::new(), "before the first symbol");
    assert_eq!(touched(vec![6]), Vec::<String>::new(), "between two symbols");
    assert_eq!(touched(vec![2, 4]), ["Cart", "add"]);
}

#[test]
fn the_observer_sees_the_stages_in_order() {
    struct StageNames(Vec<&'static str>);
    impl StageObserver for StageNames {
        fn begin_stage(&mut self, name: &'static str) {
            self.0.push(name);
        }
    }
    let app = build_fixture(APP);
    let mut names = StageNames(Vec::new());
    analyze(&app, &RankConfig::default())
        .pack_task_observed(&task("config", None), &mut names)
        .expect("the run is not cancelled");
    assert_eq!(names.0, ["query", "channels", "fusion", "walk", "score", "pack", "done"]);
}

#[test]
fn a_cancelled_run_stops_before_its_next_stage() {
    struct CancelAfter {
        last: &'static str,
        stages: Vec<&'static str>,
    }
    impl StageObserver for CancelAfter {
        fn begin_stage(&mut self, name: &'static str) {
            self.stages.push(name);
        }
        fn is_cancelled(&self) -> bool {
            self.stages.last() == Some(&self.last)
        }
    }
    let app = build_fixture(APP);
    let config = RankConfig::default();
    for (last, count) in [("query", 1), ("fusion", 3), ("walk", 4), ("score", 5)] {
        let mut observer = CancelAfter { last, stages: Vec::new() };
        let result = analyze(&app, &config).pack_task_observed(&task("config", None), &mut observer);
        assert_eq!(result.err(), Some(RunCancelled), "{last}");
        assert_eq!(observer.stages.len(), count, "{last}");
    }
    let request = FilesRequest { files: vec!["src/app/app.py".into()], options: RequestOptions::default() };
    let mut observer = CancelAfter { last: "walk", stages: Vec::new() };
    assert_eq!(analyze(&app, &config).pack_files_observed(&request, &mut observer).err(), Some(RunCancelled));
}

#[test]
fn the_editor_position_starts_the_walk_and_does_not_reorder_word_matches() {
    let app = build_fixture(APP);
    let config = RankConfig::default();
    let answer_at = |position: Option<(&str, u32)>| {
        let editor = position.map(|(path, line)| EditorPosition { path: path.into(), line });
        let channels: Vec<&dyn Channel> = editor.iter().map(|e| e as &dyn Channel).collect();
        let analysis = Analysis { channels: &channels, ..analyze(&app, &config) };
        analysis.pack_task(&task("config from a file", None))
    };
    let (without_editor, with_editor) = (answer_at(None), answer_at(Some(("src/app/app.py", 2))));
    let word_matches = |answer: &TaskAnswer| -> Vec<String> {
        answer.trace.ranked.iter().filter(|r| r.fused.is_some()).map(|r| app.symbol_name(r.symbol)).collect()
    };
    assert_eq!(word_matches(&without_editor), word_matches(&with_editor));
    let dispatch = app.symbol_id("App.dispatch");
    let why = with_editor.trace.explain_symbol(&app.snapshot, dispatch);
    assert_eq!(why.seed.map(|(_, weight)| weight), Some(0.3));
    assert_eq!(why.channels.iter().map(|c| (c.channel, c.reason)).collect::<Vec<_>>(), [("editor", "here")]);
    let shown = with_editor.pack.symbols.iter().find(|s| s.symbol == dispatch).expect("the walk reaches it");
    assert_eq!((shown.distance, &shown.channels[..]), (1, &["editor:here".to_owned()][..]));
    assert!(without_editor.pack.symbols.iter().all(|s| s.symbol != dispatch));
    assert_eq!(
        answer_at(Some(("gone.py", 1))).pack,
        without_editor.pack,
        "a file that is not in the graph has no effect"
    );
}

#[test]
fn an_extra_channel_takes_part_in_the_fusion() {
    struct VotesForSymbol(SymbolId);
    impl Channel for VotesForSymbol {
        fn display_name(&self) -> &'static str {
            "history"
        }
        fn channel_config(&self, _config: &RankConfig) -> config::ChannelConfig {
            config::ChannelConfig { weight: 0.5, only_below: None }
        }
        fn list_usage(&self) -> ListUsage {
            ListUsage::Fused(ScoreScale::Absolute)
        }
        fn find_hits(&self, _input: &ChannelInput<'_>) -> Vec<ChannelHit> {
            vec![ChannelHit { symbol: self.0, score: 0.8, reason: "" }]
        }
    }
    let app = build_fixture(APP);
    let votes = VotesForSymbol(app.symbol_id("Scaffold.record"));
    let config = RankConfig::linear_preset();
    let channels: [&dyn Channel; 1] = [&votes];
    let analysis = Analysis { channels: &channels, ..analyze(&app, &config) };
    let ranked = analysis.rank_task(&TaskRequest::new("dispatch a view"));
    let record = ranked.iter().find(|r| r.symbol == votes.0).expect("the channel found it");
    assert_eq!(record.components.first().map(|c| (c.name, c.value)), Some(("history", 0.4)));
}
