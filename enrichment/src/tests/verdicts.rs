//! Tests that answers of servers become the right verdicts, in the right order and without repeated
//! questions.

use super::fake_server::{FakeServers, Reaction, is_method, location};
use super::toy_workspace::ToyWorkspace;
use super::{TestRun, answer_correctly};
use crate::{EnrichmentConfig, PriorityRequest, ServerState};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// Two files with calls between them.
const FILES: [(&str, &str); 2] = [
    ("a.go", "def main\n  call help\n  call far\n  call gone\n"),
    ("b c.go", "def help\n  é🙂 call far\ndef far\n"),
];

#[tokio::test(start_paused = true)]
async fn calls_are_confirmed_if_the_server_agrees() {
    let run = TestRun::new(&FILES, answer_correctly);
    run.sweep().await;
    assert_eq!(
        run.toy.verdict_lines(),
        "a.go::main far#1: confirmed b c.go::far\n\
         a.go::main gone#2: nothing\n\
         a.go::main help#0: confirmed b c.go::help\n\
         b c.go::help far#0: confirmed b c.go::far\n"
    );
    let status = run.status();
    assert_eq!((status.state, status.waiting, status.version.as_str()), (ServerState::Ready, 0, "1"));
    assert_eq!((status.metrics.confirmed, status.metrics.starts), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn answered_questions_are_not_asked_again() {
    let run = TestRun::new(&FILES, answer_correctly);
    run.sweep().await;
    let asked = run.fake.received("textDocument/definition").len();
    run.sweep().await;
    assert_eq!(run.fake.received("textDocument/definition").len(), asked);
}

/// Returns the verdict about `call thing` in `use.go` for an answer from the server.
async fn verdict_for(answer: impl Fn(&ToyWorkspace) -> Value) -> String {
    let files = [("a.go", "def thing\n  x\n"), ("b.go", "type other\ndef thing\n  y\n")];
    verdict_in_files(&files, answer).await
}

/// Returns the verdict about `call thing` in `use.go`, with the declarations in `files`.
async fn verdict_in_files(files: &[(&str, &str)], answer: impl Fn(&ToyWorkspace) -> Value) -> String {
    verdict_about("thing", files, answer).await
}

/// Returns the verdict about a call in `use.go`, of `thing` or `.thing`.
async fn verdict_about(
    call: &str,
    files: &[(&str, &str)],
    answer: impl Fn(&ToyWorkspace) -> Value,
) -> String {
    let text = format!("def main\n  call {call}\n  call! main\n");
    let toy = ToyWorkspace::new(&[files, &[("use.go", text.as_str())]].concat());
    let answer = answer(&toy);
    let fake = FakeServers::new(&toy, move |_, message| {
        let asked =
            is_method(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        if asked { Reaction::Answer(answer.clone()) } else { Reaction::Correct }
    });
    let run = TestRun::with_servers(toy, fake, EnrichmentConfig::default());
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("use.go")]);
    run.enrichment.wait_until_questions_answered().await;
    let verdicts = run.toy.verdict_lines();
    let line =
        verdicts.lines().find(|line| line.starts_with("use.go::main thing#0: ")).unwrap_or("none: none");
    line.split_once(": ").unwrap().1.to_owned()
}

#[tokio::test(start_paused = true)]
async fn the_target_is_the_symbol_exactly_at_the_location() {
    assert_eq!(verdict_for(|toy| location(toy, "a.go", 0, 4)).await, "confirmed a.go::thing");
    assert_eq!(verdict_for(|toy| location(toy, "b.go", 1, 4)).await, "retargeted b.go::thing");
    assert_eq!(
        verdict_for(|toy| location(toy, "b.go", 1, 9)).await,
        "retargeted b.go::thing",
        "the end of the name"
    );
    assert_eq!(verdict_for(|toy| location(toy, "b.go", 1, 0)).await, "retargeted b.go::thing", "the keyword");
    assert_eq!(
        verdict_for(|toy| location(toy, "b.go", 0, 5)).await,
        "elsewhere",
        "another name, one line above"
    );
    assert_eq!(verdict_for(|toy| location(toy, "b.go", 2, 2)).await, "local", "inside a body");
    assert_eq!(
        verdict_for(|toy| location(toy, "b.go", 99, 0)).await,
        "elsewhere",
        "past the end of the file"
    );
    assert_eq!(
        verdict_for(|toy| location(toy, "b.go", 1, 99)).await,
        "elsewhere",
        "past the end of the line"
    );
    assert_eq!(verdict_for(|_| Value::Null).await, "nothing");
}

#[tokio::test(start_paused = true)]
async fn a_member_inside_a_body_can_stand_for_another_member() {
    let files = [("a.go", "def thing\n  x\n")];
    let inside = |toy: &ToyWorkspace| location(toy, "a.go", 1, 2);
    assert_eq!(verdict_about("thing", &files, inside).await, "local");
    assert_eq!(verdict_about(".thing", &files, inside).await, "elsewhere");
}

#[tokio::test(start_paused = true)]
async fn the_start_of_a_value_refers_to_the_name_of_its_variable() {
    let verdict_at = async |text: &str, line, character| {
        verdict_in_files(&[("a.go", text)], |toy| location(toy, "a.go", line, character)).await
    };
    assert_eq!(verdict_at("def thing = (a) => {\n  x\n", 0, 12).await, "confirmed a.go::thing");
    assert_eq!(verdict_at("def thing = async (a) => {\n  x\n", 0, 18).await, "confirmed a.go::thing");
    assert_eq!(verdict_at("def thing: (a) => {} = (a) => {\n", 0, 23).await, "confirmed a.go::thing");
    assert_eq!(
        verdict_at("def thing = (a) => {\n  x = (b)\n", 1, 6).await,
        "local",
        "another value inside the value"
    );
    assert_eq!(verdict_at("def thing = a => b = (c)\n", 0, 21).await, "local");
}

#[tokio::test(start_paused = true)]
async fn several_locations_resolve_to_the_guessed_target_or_to_their_common_symbol() {
    let both = |toy: &ToyWorkspace| json!([location(toy, "b.go", 1, 4), location(toy, "a.go", 0, 4)]);
    assert_eq!(verdict_for(both).await, "confirmed a.go::thing");
    let twice = |toy: &ToyWorkspace| json!([location(toy, "b.go", 1, 4), location(toy, "b.go", 1, 5)]);
    assert_eq!(verdict_for(twice).await, "retargeted b.go::thing");
}

#[tokio::test(start_paused = true)]
async fn targets_outside_get_their_package() {
    let answer_at = |uri: &str| {
        let range = json!({"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 9}});
        let answer = json!([{"uri": uri, "range": range}]);
        move |_: &ToyWorkspace| answer.clone()
    };
    assert_eq!(
        verdict_for(answer_at("file:///usr/local/go/src/net/http/client.go")).await,
        "external net/http thing"
    );
    assert_eq!(
        verdict_for(answer_at("file:///g/pkg/mod/golang.org/x/net@v0.1.0/html/a b.go")).await,
        "external golang.org/x/net/html thing"
    );
    assert_eq!(verdict_for(answer_at("file:///other/project/x.go")).await, "external  thing");
    // This file is in the workspace's folder but not in the graph.
    assert_eq!(verdict_for(answer_at("file:///w%20s/%C3%A4/vendor/lib/x.go")).await, "external lib thing");
}

#[tokio::test(start_paused = true)]
async fn a_location_in_a_missing_or_foreign_file_is_dropped_and_counted() {
    let range = json!({"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 9}});
    for uri in [
        "file:///usr/local/go/src/net/http/missing.go",
        "file:///w%20s/%C3%A4/missing.go",
        "file:///etc/passwd",
        "http://example.com/x.go",
        "untitled:x y%zz",
    ] {
        let answer = json!([{"uri": uri, "range": range}]);
        let run = TestRun::new(&[("a.go", "def thing\n"), ("use.go", "def main\n  call thing\n")], {
            move |_, message| {
                let uri = &message["params"]["textDocument"]["uri"];
                let asked = is_method(message, "textDocument/definition")
                    && uri.as_str().unwrap_or("").ends_with("use.go")
                    && message["params"]["position"]["line"] == 1;
                if asked { Reaction::Answer(answer.clone()) } else { Reaction::Correct }
            }
        });
        run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("use.go")]);
        run.enrichment.wait_until_questions_answered().await;
        assert_eq!(
            (run.toy.verdict_lines().as_str(), run.status().metrics.dropped),
            ("use.go::main thing#0: elsewhere\n", 1),
            "{uri}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn priority_files_come_first() {
    let mut files: Vec<(String, String)> =
        (0..30).map(|i| (format!("f{i:02}.go"), format!("def f{i}\n  call far\n"))).collect();
    files.push(("z.go".to_owned(), "def far\n  call! far\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let run = TestRun::new(&files, answer_correctly);
    run.enrichment.start_sweep(None);
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("f20.go")]);
    run.enrichment.wait_until_questions_answered().await;
    let first = run.toy.verdicts().first().map(|verdict| verdict.subject);
    let snapshot = crate::WorkspaceSource::current_snapshot(&*run.toy);
    let subject = snapshot.symbol(snapshot.symbol_by_hash(&first.unwrap()).unwrap()).unwrap();
    assert_eq!(subject.path, "f20.go");
    assert_eq!(run.status().metrics.confirmed, 31);
}

#[tokio::test(start_paused = true)]
async fn a_limit_on_questions_ends_the_sweep() {
    let files: Vec<(String, String)> =
        (0..30).map(|i| (format!("f{i:02}.go"), format!("def f{i}\n  call f{i}\n  call f1\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let run = TestRun::new(&files, answer_correctly);
    run.enrichment.start_sweep(Some(5));
    run.enrichment.wait_until_questions_answered().await;
    assert_eq!(run.toy.verdicts().len(), 5, "even within a file");
    run.sweep().await;
    assert_eq!(run.toy.verdicts().len(), 60);
}

#[tokio::test(start_paused = true)]
async fn after_an_edit_only_changed_bodies_are_asked_about_again() {
    let run = TestRun::new(&FILES, answer_correctly);
    run.sweep().await;
    let asked = run.fake.received("textDocument/definition").len();
    let edited = "def help\n  é🙂 call far\n  call help\ndef far\n";
    run.toy.write("b c.go", edited);
    run.enrichment.notify_file_changes(&[("b c.go".to_owned(), crate::FileChangeKind::Changed)]);
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("b c.go")]);
    run.enrichment.wait_until_questions_answered().await;
    assert_eq!(
        run.fake.received("textDocument/definition").len() - asked,
        2,
        "the two calls in the changed body"
    );
    assert_eq!(run.fake.received("workspace/didChangeWatchedFiles").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_server_has_the_text_of_the_editor() {
    let run = TestRun::new(&FILES, answer_correctly);
    run.sweep().await;
    let unsaved = "def main\n  call far\n";
    run.toy.write("a.go", unsaved);
    run.enrichment.update_buffer("a.go", Some(crate::DocumentText::new(unsaved)));
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("a.go")]);
    run.enrichment.wait_until_questions_answered().await;
    let changes = run.fake.received("textDocument/didChange");
    assert_eq!(changes.last().unwrap()["contentChanges"][0]["text"], unsaved);
    assert!(run.toy.verdict_lines().contains("a.go::main far#0: confirmed b c.go::far\n"));
    run.enrichment.update_buffer("a.go", None);
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("b c.go")]);
    run.enrichment.wait_until_questions_answered().await;
    assert_eq!(run.fake.received("textDocument/didClose").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn implementations_supertypes_and_other_uses_are_discovered() {
    let files = [
        ("a.go", "iface shape\ntype box\n  x\ntype ring\n  y\ndef area\n  call! ring\n"),
        ("a_test.go", "type fixture\n  x\ndef check\n  uses area\n  call! area\n"),
    ];
    let toy = ToyWorkspace::new(&files);
    let locations = [
        location(&toy, "a.go", 1, 5),
        location(&toy, "a.go", 3, 5),
        location(&toy, "a_test.go", 0, 5),
        location(&toy, "a.go", 0, 6),
    ];
    // The last location is the name of a declaration.
    let uses =
        [location(&toy, "a_test.go", 3, 7), location(&toy, "a_test.go", 4, 8), location(&toy, "a.go", 3, 5)];
    let interface = location(&toy, "a.go", 0, 6);
    let base = json!({"name": "shape", "uri": locations[3]["uri"], "range": locations[3]["range"], "selectionRange": locations[3]["range"]});
    let mut fake = FakeServers::new(&toy, move |_, message| {
        let line = &message["params"]["position"]["line"];
        match message["method"].as_str().unwrap_or("") {
            "textDocument/implementation" if *line == 0 => Reaction::Answer(json!(locations)),
            // Asked about a class, gopls lists the interfaces that it implements.
            "textDocument/implementation" if *line == 3 => Reaction::Answer(json!([interface])),
            "textDocument/prepareTypeHierarchy" if *line == 1 => Reaction::Answer(json!([base])),
            "typeHierarchy/supertypes" => Reaction::Answer(json!([base])),
            "textDocument/references" if *line == 5 => Reaction::Answer(json!(uses)),
            _ => Reaction::Correct,
        }
    });
    for capability in ["implementationProvider", "typeHierarchyProvider", "referencesProvider"] {
        fake.capabilities[capability] = json!(true);
    }
    let run = TestRun::with_servers(toy, fake, EnrichmentConfig::default());
    run.sweep().await;
    assert_eq!(
        run.toy.verdict_lines(),
        "a.go::area ring#0: confirmed a.go::ring\n\
         a.go::box implements a.go::shape\n\
         a.go::ring implements a.go::shape\n\
         a_test.go::check area#0: confirmed a.go::area\n\
         a_test.go::check references a.go::area\n\
         a_test.go::fixture implements a.go::shape\n"
    );
    // Discovery does not ask about symbols of test files.
    let asked = run.fake.received("textDocument/references");
    assert!(asked.iter().all(|params| !params["textDocument"]["uri"].as_str().unwrap().contains("_test")));
}

#[tokio::test(start_paused = true)]
async fn one_question_covers_all_calls_in_a_body() {
    let files = [("a.go", "def main\n  call one\n  call two\n  call one\n  call! main\ndef one\ndef two\n")];
    let toy = ToyWorkspace::new(&files);
    let item = |line: u32, column: u32| {
        let target = location(&toy, "a.go", line, column);
        json!({"name": "x", "uri": target["uri"], "range": target["range"], "selectionRange": target["range"]})
    };
    let range =
        |line: u32| json!({"start": {"line": line, "character": 7}, "end": {"line": line, "character": 10}});
    let main = json!([item(0, 4)]);
    let calls = json!([
        {"to": item(5, 4), "fromRanges": [range(1), range(3)]},
        {"to": item(6, 4), "fromRanges": [range(2)]},
        {"to": {"nonsense": 1}},
    ]);
    let mut fake = FakeServers::new(&toy, move |_, message| match message["method"].as_str().unwrap_or("") {
        "textDocument/prepareCallHierarchy" => Reaction::Answer(main.clone()),
        "callHierarchy/outgoingCalls" => Reaction::Answer(calls.clone()),
        _ => Reaction::Correct,
    });
    fake.capabilities["callHierarchyProvider"] = json!({});
    let run = TestRun::with_servers(Arc::clone(&toy), fake, EnrichmentConfig::default());
    run.sweep().await;
    assert_eq!(run.fake.received("callHierarchy/outgoingCalls").len(), 1);
    let questions = run.fake.received("textDocument/definition");
    assert!(questions.iter().all(|params| !(1..=3).contains(&params["position"]["line"].as_u64().unwrap())));
    assert_eq!(run.status().metrics.confirmed, 4);
}

#[tokio::test(start_paused = true)]
async fn a_second_session_without_changes_asks_nothing() {
    let toy = ToyWorkspace::new(&FILES);
    let first = TestRun::with_servers(
        Arc::clone(&toy),
        FakeServers::new(&toy, answer_correctly),
        EnrichmentConfig::default(),
    );
    first.sweep().await;
    let second = TestRun::with_servers(
        Arc::clone(&toy),
        FakeServers::new(&toy, answer_correctly),
        EnrichmentConfig::default(),
    );
    second.sweep().await;
    assert_eq!((second.status().state, second.status().metrics.requests), (ServerState::Ready, 0));
    assert_eq!(second.fake.received("textDocument/didOpen").len(), 0);
    // A new question makes the server read the workspace.
    toy.write("a.go", "def main\n  call far\n");
    toy.index();
    second.enrichment.prioritize_files(vec![PriorityRequest::whole_file("a.go")]);
    second.enrichment.wait_until_questions_answered().await;
    assert!(toy.verdict_lines().contains("a.go::main far#0: confirmed b c.go::far\n"));
}

#[tokio::test(start_paused = true)]
async fn an_opened_file_waits_for_at_most_one_batch_of_the_sweep() {
    let long = |name: &str| format!("def {name}\n{}", "  call far\n".repeat(500));
    let mut files: Vec<(String, String)> =
        (0..8).map(|i| (format!("f{i}.go"), long(&format!("f{i}")))).collect();
    files.push(("z.go".to_owned(), "def far\n  call far\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (asked, reached) = (AtomicUsize::new(0), Arc::new(Notify::new()));
    let notifier = Arc::clone(&reached);
    let run = TestRun::new(&files, move |_, message| {
        if is_method(message, "textDocument/definition") && asked.fetch_add(1, Ordering::Relaxed) == 700 {
            notifier.notify_one();
        }
        Reaction::Correct
    });
    run.enrichment.start_sweep(None);
    reached.notified().await;
    let before = run.fake.received("textDocument/definition").len();
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("z.go")]);
    run.enrichment.wait_until_questions_answered().await;
    let questions = run.fake.received("textDocument/definition");
    let is_opened = |params: &Value| params["textDocument"]["uri"].as_str().unwrap().ends_with("z.go");
    let first = questions.iter().skip(before).position(is_opened).unwrap();
    assert!(first <= 48, "{first} questions about other files came first");
    assert_eq!(run.status().metrics.confirmed, 4001);
}

#[tokio::test(start_paused = true)]
async fn an_opened_file_preempts_slow_questions_which_are_asked_again_later() {
    let files = [("a.go", "def far\n  call far\n"), ("z.go", "def near\n  call near\n")];
    let (first, reached) = (AtomicUsize::new(0), Arc::new(Notify::new()));
    let notifier = Arc::clone(&reached);
    let is_file =
        |params: &Value, name: &str| params["textDocument"]["uri"].as_str().unwrap().ends_with(name);
    let run = TestRun::new(&files, move |_, message| {
        let is_swept = is_method(message, "textDocument/definition") && is_file(&message["params"], "a.go");
        // The first question only shows whether the server is ready.
        if is_swept && first.fetch_add(1, Ordering::Relaxed) == 1 {
            notifier.notify_one();
            return Reaction::Delay(Duration::from_secs(8));
        }
        Reaction::Correct
    });
    run.enrichment.start_sweep(None);
    reached.notified().await;
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("z.go")]);
    run.enrichment.wait_until_questions_answered().await;
    let asked = run.fake.received("textDocument/definition");
    let asked: Vec<&str> =
        asked.iter().map(|params| if is_file(params, "z.go") { "opened" } else { "swept" }).collect();
    assert_eq!(asked, ["swept", "swept", "opened", "swept"]);
    assert_eq!(run.fake.received("$/cancelRequest").len(), 1);
    assert_eq!(run.status().metrics.confirmed, 2);
}
