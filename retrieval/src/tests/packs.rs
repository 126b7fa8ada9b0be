//! Tests of packs: what they show, within their budget, for tasks, files and changes.

use super::{APP, analyze, task};
use crate::fixture::build_fixture;
use crate::*;
use expect_test::{Expect, expect};
use kenning_graph::SymbolKind;

fn check_pack(answer: &TaskAnswer, expect: Expect) {
    let pack = &answer.pack;
    let mut shown = format!("{} of {} tokens\n", pack.tokens_used, pack.budget);
    for s in &pack.symbols {
        shown += &format!("{:.3} {} tokens, distance {}\n{}", s.score, s.tokens, s.distance, render_item(s));
    }
    for e in &pack.edges {
        shown += &format!("{} {} {}\n", pack.symbols[e.source].name, e.kind, pack.symbols[e.target].name);
    }
    shown += &format!("omitted {:?}\n", pack.omitted_counts);
    expect.assert_eq(&shown);
}

#[test]
fn the_best_symbols_show_their_text_and_the_rest_their_signature() {
    let app = build_fixture(APP);
    let config = RankConfig::linear_preset();
    check_pack(
        &analyze(&app, &config).pack_task(&task("load the config", None)),
        expect![[r#"
            94 of 8000 tokens
            1.877 55 tokens, distance 0
            - `src/app/config.py:1` `load_config` (function, lines 1-3)

            ```python
            function load_config: Read a config from a file. { open parse toml }
              first_line = read()
              return first_line
            ```
            0.362 39 tokens, distance 0
            - `src/app/app.py:4` `make_app` (function)

            ```python
            function make_app: Build an application from a config. { loader } -> load_config
            ```
            make_app calls load_config
            omitted {}
        "#]],
    );
}

#[test]
fn a_small_budget_reduces_detail_before_it_drops_symbols() {
    let app = build_fixture(APP);
    let config = RankConfig::linear_preset();
    check_pack(
        &analyze(&app, &config).pack_task(&task("load the config", Some(60))),
        expect![[r#"
            60 of 60 tokens
            1.877 30 tokens, distance 0
            - `src/app/config.py:1` `load_config` (function)
              `function load_config`
              Read a config from a file.
            0.362 30 tokens, distance 0
            - `src/app/app.py:4` `make_app` (function)
              `function make_app`
              Build an application from a config.
            make_app calls load_config
            omitted {}
        "#]],
    );
}

#[test]
fn pinned_symbols_come_first_and_excluded_ones_never_appear() {
    let app = build_fixture(APP);
    let config = RankConfig::linear_preset();
    let names = |pinned: &[&str], excluded: &[&str]| -> Vec<String> {
        let symbols = |names: &[&str]| names.iter().map(|name| app.symbol_id(name)).collect();
        let mut request = task("load the config", None);
        request.options.pinned = symbols(pinned);
        request.options.excluded = symbols(excluded);
        let pack = analyze(&app, &config).pack_task(&request).pack;
        let symbols = pack.symbols.iter().filter(|s| s.kind != SymbolKind::File);
        symbols.map(|s| format!("{} {:.3}", s.name, s.score)).collect()
    };
    assert_eq!(names(&[], &[]), ["load_config 1.877", "make_app 0.362"]);
    assert_eq!(names(&["make_app"], &[]), ["make_app 1.877", "load_config 1.877"]);
    assert_eq!(names(&[], &["load_config"]), ["make_app 0.362"]);
    assert_eq!(names(&["load_config", "load_config"], &["load_config"]), ["make_app 0.362"]);
    let mut request = task("find the view that matches a request", None);
    let shows_dispatch = |request: &TaskRequest| {
        let pack = analyze(&app, &config).pack_task(request).pack;
        pack.symbols.iter().any(|s| s.text.as_deref().is_some_and(|text| text.contains("App.dispatch")))
    };
    assert!(shows_dispatch(&request));
    request.options.excluded = vec![app.symbol_id("App.dispatch")];
    assert!(!shows_dispatch(&request), "no other symbol shows its lines");
    // Neither the words nor the walk find this symbol.
    assert_eq!(names(&["App.dispatch"], &[])[0], "App.dispatch 1.877");
}

#[test]
fn a_doubtful_pack_lists_places_until_the_reader_asks_for_more() {
    let functions: String = (0..150)
        .map(|n| format!("function load_{n}: Load the config number {n}. {{ parse }}\n  parse(step_{n})\n"))
        .collect();
    let app = build_fixture(&format!("//- src/load.py\n{functions}"));
    let config = RankConfig::default();
    let mut request = task("improve the handling of a number and its config", None);
    let first = analyze(&app, &config).pack_task(&request).pack;
    assert_eq!(first.confidence.map(|found| found.level), Some(ConfidenceLevel::Low));
    assert_eq!(first.symbols.len(), config.pack.places);
    assert!(first.symbols.iter().all(|symbol| symbol.text.is_none()));
    assert_eq!(first.first.len(), FIRST_SYMBOLS);
    request.options.excluded = first.symbols.iter().map(|symbol| symbol.symbol).collect();
    let next = analyze(&app, &config).pack_task(&request).pack;
    assert!(next.symbols.iter().any(|symbol| symbol.text.is_some()), "{:?}", next.symbols);
}

#[test]
fn no_budget_is_ever_exceeded() {
    let app = build_fixture(APP);
    for config in [RankConfig::default(), RankConfig::seeds_preset()] {
        for budget in (0..400).step_by(7) {
            let pack = analyze(&app, &config).pack_task(&task("before_request config", Some(budget))).pack;
            let sum: usize = pack.symbols.iter().map(|s| pack::count_tokens(&render_item(s))).sum();
            assert_eq!(sum, pack.tokens_used);
            assert!(sum <= budget, "{sum} > {budget}");
        }
    }
}

#[test]
fn without_texts_bodies_become_signatures() {
    let app = build_fixture(APP);
    let config = RankConfig::default();
    let answer = Analysis::new(&app.snapshot, &config, &NoText).pack_task(&task("load the config", None));
    assert!(!answer.pack.symbols.is_empty());
    assert!(answer.pack.symbols.iter().all(|s| s.detail == DetailLevel::Signature && s.text.is_none()));
}

#[test]
fn credentials_are_masked_in_the_text_of_a_pack() {
    let app = build_fixture(
        "//- a.py\nfunction connect: Open a connection. { login }\n  login(password=\"zq4w8e9r1t\")\n",
    );
    let config = RankConfig::default();
    let answer = analyze(&app, &config).pack_task(&task("open a connection", None));
    let text = answer.pack.symbols[0].text.as_deref().unwrap_or_default();
    assert!(text.contains("login(password=\"**********\")"), "{text}");
}

#[test]
fn equal_input_gives_equal_packs_and_a_changed_budget_another_root() {
    let app = build_fixture(APP);
    let again = build_fixture(APP);
    let config = RankConfig::default();
    let first = analyze(&app, &config).pack_task(&task("load  the config", None)).pack;
    let second = analyze(&again, &config).pack_task(&task("load the config", None)).pack;
    assert_eq!(first.pack_root, second.pack_root);
    assert_eq!(first.symbols, second.symbols);
    let small = analyze(&app, &config).pack_task(&task("load the config", Some(60))).pack;
    assert_ne!(first.pack_root, small.pack_root);
}

#[test]
fn files_give_their_symbols_and_callers() {
    let app = build_fixture(APP);
    let config = RankConfig::default();
    let request = FilesRequest {
        files: vec!["./src/app/config.py".into(), "gone.py".into()],
        options: RequestOptions::default(),
    };
    let answer = analyze(&app, &config).pack_files(&request);
    assert_eq!(answer.pack.unknown_files, ["gone.py"]);
    check_pack(
        &answer,
        expect![[r#"
            94 of 8000 tokens
            0.823 55 tokens, distance 0
            - `src/app/config.py:1` `load_config` (function, lines 1-3)

            ```python
            function load_config: Read a config from a file. { open parse toml }
              first_line = read()
              return first_line
            ```
            0.260 39 tokens, distance 1
            - `src/app/app.py:4` `make_app` (function)

            ```python
            function make_app: Build an application from a config. { loader } -> load_config
            ```
            make_app calls load_config
            omitted {}
        "#]],
    );
}

#[test]
fn a_change_starts_from_the_symbols_of_its_lines() {
    let app = build_fixture(APP);
    let config = RankConfig::default();
    let file = ChangedFile { path: "src/app/app.py".into(), lines: vec![(3, 3)], removed_after: vec![] };
    let request = ChangeRequest { files: vec![file], ..ChangeRequest::default() };
    let answer =
        analyze(&app, &config).pack_change(&request, &mut NoObserver).expect("the run is not cancelled");
    let seeds: Vec<String> = answer.trace.seeds.iter().map(|s| app.symbol_name(s.symbol)).collect();
    assert_eq!(seeds, ["App.preprocess"]);
    assert_eq!(answer.pack.budget, 8000);
    check_pack(
        &answer,
        expect![[r#"
            274 of 8000 tokens
            0.823 44 tokens, distance 0
            - `src/app/app.py:3` `App.preprocess` (method)

            ```python
            method App.preprocess: Run hooks in order. { before_request_funcs } -> Scaffold.record, lib.chain
            ```
            0.500 33 tokens, distance 1
            - `src/app/scaffold.py:1` `Scaffold` (class)

            ```python
            class Scaffold: Common behavior of applications and blueprints.
            ```
            0.476 35 tokens, distance 1
            - `src/app/scaffold.py:4` `Scaffold.record` (method)

            ```python
            method Scaffold.record: Remember a deferred call. { deferred }
            ```
            0.384 44 tokens, distance 1
            - `src/app/scaffold.py:2` `Scaffold.before_request` (method)

            ```python
            method Scaffold.before_request: Register a function to run before each request. { funcs setdefault append }
            ```
            0.296 42 tokens, distance 1
            - `src/app/scaffold.py:3` `Scaffold.after_request` (method)

            ```python
            method Scaffold.after_request: Register a function to run after each request. { funcs append }
            ```
            0.488 30 tokens, distance 1
            - `src/app/app.py:1` `App` (class)

            ```python
            class App: The application object. => Scaffold
            ```
            0.424 46 tokens, distance 1
            - `src/app/app.py:2` `App.dispatch` (method)

            ```python
            method App.dispatch: Find the view that matches a request and call it. { url_rule view } -> App.preprocess
            ```
            App.preprocess calls Scaffold.record
            App.preprocess member_of App
            Scaffold.record member_of Scaffold
            Scaffold.before_request member_of Scaffold
            Scaffold.after_request member_of Scaffold
            App implements Scaffold
            App.dispatch calls App.preprocess
            App.dispatch member_of App
            omitted {}
        "#]],
    );
}
