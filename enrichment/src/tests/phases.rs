//! Tests that answers of servers become the right verdicts.

use super::fake::{Does, Fake, is, location};
use super::toy::Toy;
use super::{Run, well};
use crate::{EnrichmentConfig, PriorityFile, ServerState};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

const TWO: [(&str, &str); 2] = [
    ("a.go", "def main\n  call help\n  call far\n  call gone\n"),
    ("b c.go", "def help\n  é🙂 call far\ndef far\n"),
];

#[tokio::test(start_paused = true)]
async fn calls_are_confirmed_where_the_server_agrees() {
    let run = Run::new(&TWO, well);
    run.sweep().await;
    assert_eq!(
        run.toy.said(),
        "a.go::main far#1: confirmed b c.go::far\n\
         a.go::main gone#2: nothing\n\
         a.go::main help#0: confirmed b c.go::help\n\
         b c.go::help far#0: confirmed b c.go::far\n"
    );
    let status = run.status();
    assert_eq!((status.state, status.waiting, status.version.as_str()), (ServerState::Ready, 0, "1"));
    assert_eq!((status.tally.confirmed, status.tally.starts), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_is_not_asked_again() {
    let run = Run::new(&TWO, well);
    run.sweep().await;
    let asked = run.fake.heard("textDocument/definition").len();
    run.sweep().await;
    assert_eq!(run.fake.heard("textDocument/definition").len(), asked);
}

/// Returns the stored verdict about `call thing` in `use.go` for an answer of the server.
async fn answered(answer: impl Fn(&Toy) -> Value) -> String {
    let files = [("a.go", "def thing\n  x\n"), ("b.go", "type other\ndef thing\n  y\n")];
    answered_in(&files, answer).await
}

/// Returns the same for other declarations.
async fn answered_in(files: &[(&str, &str)], answer: impl Fn(&Toy) -> Value) -> String {
    let toy = Toy::new(&[files, &[("use.go", "def main\n  call thing\n  call! main\n")]].concat());
    let answer = answer(&toy);
    let fake = Fake::new(&toy, move |_, message| {
        let asked = is(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        if asked { Does::Answers(answer.clone()) } else { Does::Well }
    });
    let run = Run::with(toy, fake, EnrichmentConfig::default());
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("use.go")]);
    run.enrichment.wait_until_settled().await;
    let said = run.toy.said();
    let line = said.lines().find(|line| line.starts_with("use.go::main thing#0: ")).unwrap_or("none: none");
    line.split_once(": ").unwrap().1.to_owned()
}

#[tokio::test(start_paused = true)]
async fn the_target_is_the_symbol_at_the_place_and_nothing_near_it() {
    assert_eq!(answered(|toy| location(toy, "a.go", 0, 4)).await, "confirmed a.go::thing");
    assert_eq!(answered(|toy| location(toy, "b.go", 1, 4)).await, "retargeted b.go::thing");
    assert_eq!(answered(|toy| location(toy, "b.go", 1, 9)).await, "retargeted b.go::thing", "its end");
    assert_eq!(answered(|toy| location(toy, "b.go", 1, 0)).await, "retargeted b.go::thing", "the keyword");
    assert_eq!(
        answered(|toy| location(toy, "b.go", 0, 5)).await,
        "elsewhere",
        "another name, one line above"
    );
    assert_eq!(answered(|toy| location(toy, "b.go", 2, 2)).await, "local", "inside of a body");
    assert_eq!(answered(|toy| location(toy, "b.go", 99, 0)).await, "elsewhere", "behind the end of the file");
    assert_eq!(answered(|toy| location(toy, "b.go", 1, 99)).await, "elsewhere", "behind the end of the line");
    assert_eq!(answered(|_| Value::Null).await, "nothing");
}

#[tokio::test(start_paused = true)]
async fn a_place_where_the_value_of_a_name_begins_means_the_name() {
    let at = async |text: &str, line, character| {
        answered_in(&[("a.go", text)], |toy| location(toy, "a.go", line, character)).await
    };
    assert_eq!(at("def thing = (a) => {\n  x\n", 0, 12).await, "confirmed a.go::thing");
    assert_eq!(at("def thing = async (a) => {\n  x\n", 0, 18).await, "confirmed a.go::thing");
    assert_eq!(at("def thing: (a) => {} = (a) => {\n", 0, 23).await, "confirmed a.go::thing");
    assert_eq!(at("def thing = (a) => {\n  x = (b)\n", 1, 6).await, "local", "a value inside of the value");
    assert_eq!(at("def thing = a => b = (c)\n", 0, 21).await, "local");
}

#[tokio::test(start_paused = true)]
async fn of_several_targets_the_guessed_one_counts_else_none() {
    let both = |toy: &Toy| json!([location(toy, "b.go", 1, 4), location(toy, "a.go", 0, 4)]);
    assert_eq!(answered(both).await, "confirmed a.go::thing");
    let twice = |toy: &Toy| json!([location(toy, "b.go", 1, 4), location(toy, "b.go", 1, 5)]);
    assert_eq!(answered(twice).await, "retargeted b.go::thing");
}

#[tokio::test(start_paused = true)]
async fn what_lies_outside_gets_its_package() {
    let at = |uri: &str| {
        let range = json!({"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 9}});
        let answer = json!([{"uri": uri, "range": range}]);
        move |_: &Toy| answer.clone()
    };
    assert_eq!(answered(at("file:///usr/local/go/src/net/http/client.go")).await, "external net/http thing");
    assert_eq!(
        answered(at("file:///g/pkg/mod/golang.org/x/net@v0.1.0/html/a b.go")).await,
        "external golang.org/x/net/html thing"
    );
    assert_eq!(answered(at("file:///other/project/x.go")).await, "external  thing");
    // This file is in the workspace's folder but not in the graph.
    assert_eq!(answered(at("file:///w%20s/%C3%A4/vendor/lib/x.go")).await, "external lib thing");
}

#[tokio::test(start_paused = true)]
async fn a_place_in_a_file_that_is_not_there_is_dropped_and_counted() {
    let range = json!({"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 9}});
    for uri in [
        "file:///usr/local/go/src/net/http/missing.go",
        "file:///w%20s/%C3%A4/missing.go",
        "file:///etc/passwd",
        "http://example.com/x.go",
        "untitled:x y%zz",
    ] {
        let answer = json!([{"uri": uri, "range": range}]);
        let run = Run::new(&[("a.go", "def thing\n"), ("use.go", "def main\n  call thing\n")], {
            move |_, message| {
                let uri = &message["params"]["textDocument"]["uri"];
                let asked = is(message, "textDocument/definition")
                    && uri.as_str().unwrap_or("").ends_with("use.go")
                    && message["params"]["position"]["line"] == 1;
                if asked { Does::Answers(answer.clone()) } else { Does::Well }
            }
        });
        run.enrichment.prioritize_files(vec![PriorityFile::whole_file("use.go")]);
        run.enrichment.wait_until_settled().await;
        assert_eq!(
            (run.toy.said().as_str(), run.status().tally.dropped),
            ("use.go::main thing#0: elsewhere\n", 1),
            "{uri}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_people_look_at_comes_first() {
    let mut files: Vec<(String, String)> =
        (0..30).map(|i| (format!("f{i:02}.go"), format!("def f{i}\n  call far\n"))).collect();
    files.push(("z.go".to_owned(), "def far\n  call! far\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let run = Run::new(&files, well);
    run.enrichment.start_sweep(None);
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("f20.go")]);
    run.enrichment.wait_until_settled().await;
    let first = run.toy.kept().first().map(|verdict| verdict.subject);
    let snapshot = crate::WorkspaceSource::current_snapshot(&*run.toy);
    let subject = snapshot.symbol(snapshot.symbol_by_hash(&first.unwrap()).unwrap()).unwrap();
    assert_eq!(subject.path, "f20.go");
    assert_eq!(run.status().tally.confirmed, 31);
}

#[tokio::test(start_paused = true)]
async fn a_limit_ends_the_sweep() {
    let files: Vec<(String, String)> =
        (0..30).map(|i| (format!("f{i:02}.go"), format!("def f{i}\n  call f{i}\n  call f1\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let run = Run::new(&files, well);
    run.enrichment.start_sweep(Some(5));
    run.enrichment.wait_until_settled().await;
    assert_eq!(run.toy.kept().len(), 5, "also where a file has more");
    run.sweep().await;
    assert_eq!(run.toy.kept().len(), 60);
}

#[tokio::test(start_paused = true)]
async fn after_an_edit_only_what_changed_is_asked_again() {
    let run = Run::new(&TWO, well);
    run.sweep().await;
    let asked = run.fake.heard("textDocument/definition").len();
    let edited = "def help\n  é🙂 call far\n  call help\ndef far\n";
    run.toy.write("b c.go", edited);
    run.enrichment.notify_file_changes(&[("b c.go".to_owned(), crate::FileChangeKind::Changed)]);
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("b c.go")]);
    run.enrichment.wait_until_settled().await;
    assert_eq!(
        run.fake.heard("textDocument/definition").len() - asked,
        2,
        "the two calls of the changed body"
    );
    assert_eq!(run.fake.heard("workspace/didChangeWatchedFiles").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_server_has_the_text_of_the_editor() {
    let run = Run::new(&TWO, well);
    run.sweep().await;
    let unsaved = "def main\n  call far\n";
    run.toy.write("a.go", unsaved);
    run.enrichment.update_buffer("a.go", Some(crate::DocumentText::new(unsaved)));
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("a.go")]);
    run.enrichment.wait_until_settled().await;
    let changes = run.fake.heard("textDocument/didChange");
    assert_eq!(changes.last().unwrap()["contentChanges"][0]["text"], unsaved);
    assert!(run.toy.said().contains("a.go::main far#0: confirmed b c.go::far\n"));
    run.enrichment.update_buffer("a.go", None);
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("b c.go")]);
    run.enrichment.wait_until_settled().await;
    assert_eq!(run.fake.heard("textDocument/didClose").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn implementers_supertypes_and_other_uses_are_discovered() {
    let files = [
        ("a.go", "iface shape\ntype box\n  x\ntype ring\n  y\ndef area\n  call! ring\n"),
        ("a_test.go", "type fixture\n  x\ndef check\n  uses area\n  call! area\n"),
    ];
    let toy = Toy::new(&files);
    let places = [
        location(&toy, "a.go", 1, 5),
        location(&toy, "a.go", 3, 5),
        location(&toy, "a_test.go", 0, 5),
        location(&toy, "a.go", 0, 6),
    ];
    // The last one is the name of a declaration.
    let uses =
        [location(&toy, "a_test.go", 3, 7), location(&toy, "a_test.go", 4, 8), location(&toy, "a.go", 3, 5)];
    let upwards = location(&toy, "a.go", 0, 6);
    let base = json!({"name": "shape", "uri": places[3]["uri"], "range": places[3]["range"], "selectionRange": places[3]["range"]});
    let mut fake = Fake::new(&toy, move |_, message| {
        let line = &message["params"]["position"]["line"];
        match message["method"].as_str().unwrap_or("") {
            "textDocument/implementation" if *line == 0 => Does::Answers(json!(places)),
            // Asked about a class, gopls lists the interfaces that it implements.
            "textDocument/implementation" if *line == 3 => Does::Answers(json!([upwards])),
            "textDocument/prepareTypeHierarchy" if *line == 1 => Does::Answers(json!([base])),
            "typeHierarchy/supertypes" => Does::Answers(json!([base])),
            "textDocument/references" if *line == 5 => Does::Answers(json!(uses)),
            _ => Does::Well,
        }
    });
    for offered in ["implementationProvider", "typeHierarchyProvider", "referencesProvider"] {
        fake.capabilities[offered] = json!(true);
    }
    let run = Run::with(toy, fake, EnrichmentConfig::default());
    run.sweep().await;
    assert_eq!(
        run.toy.said(),
        "a.go::area ring#0: confirmed a.go::ring\n\
         a.go::box implements a.go::shape\n\
         a.go::ring implements a.go::shape\n\
         a_test.go::check area#0: confirmed a.go::area\n\
         a_test.go::check references a.go::area\n\
         a_test.go::fixture implements a.go::shape\n"
    );
    // No question is asked about symbols of test files.
    let asked = run.fake.heard("textDocument/references");
    assert!(asked.iter().all(|params| !params["textDocument"]["uri"].as_str().unwrap().contains("_test")));
}

#[tokio::test(start_paused = true)]
async fn one_question_answers_for_the_calls_of_a_body() {
    let files = [("a.go", "def main\n  call one\n  call two\n  call one\n  call! main\ndef one\ndef two\n")];
    let toy = Toy::new(&files);
    let item = |line: u32, column: u32| {
        let place = location(&toy, "a.go", line, column);
        json!({"name": "x", "uri": place["uri"], "range": place["range"], "selectionRange": place["range"]})
    };
    let range =
        |line: u32| json!({"start": {"line": line, "character": 7}, "end": {"line": line, "character": 10}});
    let main = json!([item(0, 4)]);
    let calls = json!([
        {"to": item(5, 4), "fromRanges": [range(1), range(3)]},
        {"to": item(6, 4), "fromRanges": [range(2)]},
        {"to": {"nonsense": 1}},
    ]);
    let mut fake = Fake::new(&toy, move |_, message| match message["method"].as_str().unwrap_or("") {
        "textDocument/prepareCallHierarchy" => Does::Answers(main.clone()),
        "callHierarchy/outgoingCalls" => Does::Answers(calls.clone()),
        _ => Does::Well,
    });
    fake.capabilities["callHierarchyProvider"] = json!({});
    let run = Run::with(Arc::clone(&toy), fake, EnrichmentConfig::default());
    run.sweep().await;
    assert_eq!(run.fake.heard("callHierarchy/outgoingCalls").len(), 1);
    let questions = run.fake.heard("textDocument/definition");
    assert!(questions.iter().all(|params| !(1..=3).contains(&params["position"]["line"].as_u64().unwrap())));
    assert_eq!(run.status().tally.confirmed, 4);
}

#[tokio::test(start_paused = true)]
async fn a_second_session_in_which_nothing_changed_asks_nothing() {
    let toy = Toy::new(&TWO);
    let first = Run::with(Arc::clone(&toy), Fake::new(&toy, well), EnrichmentConfig::default());
    first.sweep().await;
    let second = Run::with(Arc::clone(&toy), Fake::new(&toy, well), EnrichmentConfig::default());
    second.sweep().await;
    assert_eq!((second.status().state, second.status().tally.requests), (ServerState::Ready, 0));
    assert_eq!(second.fake.heard("textDocument/didOpen").len(), 0);
    // A new question makes the server read the workspace.
    toy.write("a.go", "def main\n  call far\n");
    toy.index();
    second.enrichment.prioritize_files(vec![PriorityFile::whole_file("a.go")]);
    second.enrichment.wait_until_settled().await;
    assert!(toy.said().contains("a.go::main far#0: confirmed b c.go::far\n"));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_opened_waits_for_one_portion_of_the_sweep_at_most() {
    let long = |name: &str| format!("def {name}\n{}", "  call far\n".repeat(500));
    let mut files: Vec<(String, String)> =
        (0..8).map(|i| (format!("f{i}.go"), long(&format!("f{i}")))).collect();
    files.push(("z.go".to_owned(), "def far\n  call far\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (asked, reached) = (AtomicUsize::new(0), Arc::new(Notify::new()));
    let tells = Arc::clone(&reached);
    let run = Run::new(&files, move |_, message| {
        if is(message, "textDocument/definition") && asked.fetch_add(1, Ordering::Relaxed) == 700 {
            tells.notify_one();
        }
        Does::Well
    });
    run.enrichment.start_sweep(None);
    reached.notified().await;
    let before = run.fake.heard("textDocument/definition").len();
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("z.go")]);
    run.enrichment.wait_until_settled().await;
    let questions = run.fake.heard("textDocument/definition");
    let of_opened = |params: &Value| params["textDocument"]["uri"].as_str().unwrap().ends_with("z.go");
    let first = questions.iter().skip(before).position(of_opened).unwrap();
    assert!(first <= 48, "{first} questions about other files came first");
    assert_eq!(run.status().tally.confirmed, 4001);
}

#[tokio::test(start_paused = true)]
async fn questions_that_take_long_give_way_to_a_file_that_is_opened_and_are_asked_again() {
    let files = [("a.go", "def far\n  call far\n"), ("z.go", "def near\n  call near\n")];
    let (first, reached) = (AtomicUsize::new(0), Arc::new(Notify::new()));
    let tells = Arc::clone(&reached);
    let of = |params: &Value, name: &str| params["textDocument"]["uri"].as_str().unwrap().ends_with(name);
    let run = Run::new(&files, move |_, message| {
        let is_swept = is(message, "textDocument/definition") && of(&message["params"], "a.go");
        // The first question only shows whether the server is ready.
        if is_swept && first.fetch_add(1, Ordering::Relaxed) == 1 {
            tells.notify_one();
            return Does::Late(Duration::from_secs(8));
        }
        Does::Well
    });
    run.enrichment.start_sweep(None);
    reached.notified().await;
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("z.go")]);
    run.enrichment.wait_until_settled().await;
    let asked = run.fake.heard("textDocument/definition");
    let asked: Vec<&str> =
        asked.iter().map(|params| if of(params, "z.go") { "opened" } else { "swept" }).collect();
    assert_eq!(asked, ["swept", "swept", "opened", "swept"]);
    assert_eq!(run.fake.heard("$/cancelRequest").len(), 1);
    assert_eq!(run.status().tally.confirmed, 2);
}
