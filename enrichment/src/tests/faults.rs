//! Tests with servers that are slow, silent, confused, lying, broken or crashing: no false verdict
//! is kept, and the status shows the problem.

use super::fake::{Does, Fake, is, location, message};
use super::toy::Toy;
use super::{Run, well};
use crate::{EnrichmentConfig, FileChangeKind, PriorityFile, ServerState};
use kenning_graph::verdicts::NoAnswerReason;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

const FILES: [(&str, &str); 2] =
    [("a.go", "def main\n  call help\n  call! far\n"), ("b.go", "def help\n  call far\ndef far\n")];
/// An edit that happens while the server is asked.
type Edit = Box<dyn Fn() + Send>;

const TRUTH: &str = "a.go::main far#1: confirmed b.go::far\n\
                     a.go::main help#0: confirmed b.go::help\n\
                     b.go::help far#0: confirmed b.go::far\n";

#[tokio::test(start_paused = true)]
async fn an_empty_answer_of_a_server_that_is_loading_is_no_fact() {
    let began = Instant::now();
    let run = Run::new(&FILES, move |_, message| {
        let loading = began.elapsed() < Duration::from_secs(30);
        if is(message, "textDocument/definition") && loading { Does::Answers(json!([])) } else { Does::Well }
    });
    run.enrichment.start_sweep(None);
    run.until(ServerState::Loading).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!((run.status().state, run.toy.kept().len()), (ServerState::Loading, 0));
    run.enrichment.wait_until_settled().await;
    assert_eq!(run.toy.said(), TRUTH);
    assert!(began.elapsed() < Duration::from_secs(40));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_that_it_works_is_waited_for() {
    let began = Instant::now();
    let progress = |kind: &str| {
        let value = json!({"kind": kind, "title": "Indexing"});
        message(json!({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": 1, "value": value}}))
    };
    let ended = AtomicBool::new(false);
    let run = Run::new(&FILES, move |_, message| {
        if is(message, "initialized") {
            return Does::Says(progress("begin"));
        }
        // The server answers, but wrongly.
        if began.elapsed() < Duration::from_secs(4) && is(message, "textDocument/definition") {
            return Does::Answers(json!([]));
        }
        if began.elapsed() > Duration::from_secs(4) && !ended.swap(true, Ordering::Relaxed) {
            return Does::Says(progress("end"));
        }
        Does::Well
    });
    run.sweep().await;
    assert_eq!(run.toy.said(), TRUTH);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_leads_everything_to_missing_files_is_given_up_at_once() {
    let range = json!({"start": {"line": 3, "character": 4}, "end": {"line": 3, "character": 9}});
    let answer = json!([{"uri": "file:///somewhere/missing/x.go", "range": range}]);
    let run = Run::new(&FILES, move |_, message| {
        if is(message, "textDocument/definition") { Does::Answers(answer.clone()) } else { Does::Well }
    });
    run.enrichment.start_sweep(None);
    let status = run.until(ServerState::Failed).await;
    assert_eq!(status.reason, "its answers lead to files that do not exist");
    assert_eq!(status.tally.starts, 1);
    assert_eq!(run.toy.said(), "");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_knows_nothing_is_given_up_after_all_tries() {
    let run = Run::new(&FILES, |_, message| {
        if is(message, "textDocument/definition") { Does::Answers(Value::Null) } else { Does::Well }
    });
    run.enrichment.start_sweep(None);
    let status = run.until(ServerState::Failed).await;
    assert!(status.reason.starts_with("the server knows none of "), "{}", status.reason);
    assert_eq!((status.tally.starts, run.toy.kept().len()), (6, 0));
    // A server that was given up does not block those who wait for the end.
    run.enrichment.wait_until_settled().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_any_message_is_survived() {
    // The server crashes once, at each message of the dialogue in turn.
    for crash_at in 0..16 {
        let heard = Arc::new(AtomicUsize::new(0));
        let run = Run::new(&FILES, move |_, _| {
            if heard.fetch_add(1, Ordering::Relaxed) == crash_at { Does::Ends } else { Does::Well }
        });
        run.sweep().await;
        assert_eq!(run.toy.said(), TRUTH, "crashed at message {crash_at}");
        assert!(run.status().tally.starts <= 2);
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_crashes_always_is_tried_five_times_more_and_then_given_up_with_its_reason() {
    let began = Instant::now();
    let run = Run::new(&FILES, |_, message| if is(message, "initialized") { Does::Ends } else { Does::Well });
    run.enrichment.start_sweep(None);
    run.until(ServerState::Backoff).await;
    let status = run.until(ServerState::Failed).await;
    assert_eq!(status.tally.starts, 6);
    assert!(status.reason.contains("the server closed its output"), "{}", status.reason);
    assert!(began.elapsed() >= Duration::from_secs(1 + 2 + 4 + 8 + 16), "{:?}", began.elapsed());
    // The server is tried again after a restart on request.
    run.enrichment.restart_servers(None);
    run.when(|status| status.tally.starts == 7).await;
}

#[tokio::test(start_paused = true)]
async fn a_file_at_which_the_server_crashes_twice_is_left_out_and_the_others_are_not() {
    let run = Run::new(&FILES, |_, message| {
        let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
        let asked = is(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        if asked && uri.ends_with("a.go") { Does::Ends } else { Does::Well }
    });
    run.sweep().await;
    assert_eq!(run.toy.said(), "b.go::help far#0: confirmed b.go::far\n");
    assert_eq!((run.status().tally.skipped_files, run.status().tally.starts), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_replaced() {
    let files = [(
        "a.go",
        "def f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n",
    )];
    let run = Run::new(&files, |life, message| {
        let asked = is(message, "textDocument/definition") && message["params"]["position"]["line"] != 0;
        if life == 1 && asked { Does::Silent } else { Does::Well }
    });
    run.sweep().await;
    assert_eq!((run.status().tally.starts, run.status().tally.confirmed), (2, 9));
    // The questions that were given up were cancelled.
    assert!(!run.fake.heard("$/cancelRequest").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_initialises_is_given_up() {
    let run =
        Run::new(&FILES, |_, message| if is(message, "initialize") { Does::Silent } else { Does::Well });
    run.enrichment.start_sweep(None);
    let status = run.until(ServerState::Failed).await;
    assert!(status.reason.contains("initialize"), "{}", status.reason);
}

#[tokio::test(start_paused = true)]
async fn slow_answers_count_and_one_that_is_late_twice_is_not_waited_for_again() {
    let run = Run::new(&FILES, |_, message| {
        let line = &message["params"]["position"]["line"];
        let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
        match (is(message, "textDocument/definition"), uri.ends_with("b.go"), line.as_u64()) {
            (true, true, Some(1)) => Does::Late(Duration::from_secs(40)),
            (true, false, Some(1)) => Does::Late(Duration::from_secs(20)),
            _ => Does::Well,
        }
    });
    run.sweep().await;
    assert!(run.toy.said().contains("a.go::main help#0: confirmed b.go::help"));
    assert!(run.toy.said().contains("b.go::help far#0: late\n"));
    let asked = run.fake.heard("textDocument/definition").len();
    run.sweep().await;
    assert_eq!(run.fake.heard("textDocument/definition").len(), asked);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_refused_is_counted_and_not_asked_again() {
    let run = Run::new(&FILES, |_, message| {
        let asked = is(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        if asked { Does::Refuses } else { Does::Well }
    });
    run.sweep().await;
    let said =
        "a.go::main far#1: confirmed b.go::far\na.go::main help#0: refused\nb.go::help far#0: refused\n";
    assert_eq!(run.toy.said(), said);
    assert_eq!(run.status().tally.unresolved.get(&NoAnswerReason::Refused), Some(&2));
    let asked = run.fake.heard("textDocument/definition").len();
    run.sweep().await;
    assert_eq!(run.fake.heard("textDocument/definition").len(), asked);
}

#[tokio::test(start_paused = true)]
async fn broken_streams_end_a_life_and_not_the_truth() {
    for bytes in [
        &b"Content-Length: many\r\n\r\n"[..],
        b"Content-Length: 2147483648\r\n\r\n",
        b"Content-Length: 9999999999999999999999\r\n\r\n",
    ] {
        let run = Run::new(&FILES, move |life, message| {
            if life == 1 && is(message, "textDocument/definition") {
                Does::Says(bytes.to_vec())
            } else {
                Does::Well
            }
        });
        run.sweep().await;
        assert_eq!((run.toy.said().as_str(), run.status().tally.starts), (TRUTH, 2));
    }
}

#[tokio::test(start_paused = true)]
async fn nonsense_between_answers_is_passed_over() {
    let unknown = message(json!({"jsonrpc": "2.0", "id": 4711, "result": [{"uri": "file:///x"}]}));
    for bytes in
        [message(json!([1, 2])), b"Content-Length: 3\r\n\r\n{]}".to_vec(), b"stray line\n".to_vec(), unknown]
    {
        let run = Run::new(&FILES, move |_, message| {
            if is(message, "textDocument/definition") { Does::Says(bytes.clone()) } else { Does::Well }
        });
        run.sweep().await;
        assert_eq!((run.toy.said().as_str(), run.status().tally.starts), (TRUTH, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_server_asks_meanwhile_is_answered() {
    let asks = |id: u32, method: &str, params: Value| {
        message(json!({"jsonrpc": "2.0", "id": format!("s{id}"), "method": method, "params": params}))
    };
    let mut all = Vec::new();
    for (id, (method, params)) in [
        ("workspace/configuration", json!({"items": [{"section": "x"}]})),
        ("client/registerCapability", json!({"registrations": []})),
        ("window/workDoneProgress/create", json!({"token": 1})),
        ("window/showMessageRequest", json!({"type": 1, "message": "?", "actions": []})),
        ("workspace/applyEdit", json!({"edit": {}})),
        ("workspace/workspaceFolders", Value::Null),
        ("window/showDocument", json!({"uri": "file:///x"})),
        ("invented/thing", json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        all.extend(asks(id as u32, method, params));
    }
    let answers = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&answers);
    let run = Run::new(&FILES, move |_, message| {
        if message.get("method").is_none() {
            heard.lock().unwrap().push(message["id"].clone());
            return Does::Silent;
        }
        if is(message, "initialized") { Does::Says(all.clone()) } else { Does::Well }
    });
    run.sweep().await;
    assert_eq!(run.toy.said(), TRUTH);
    assert_eq!(answers.lock().unwrap().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn huge_answers_are_read_up_to_a_bound() {
    let toy = Toy::new(&FILES);
    let place = location(&toy, "b.go", 0, 4);
    let fake = Fake::new(&toy, move |_, message| {
        let asked = is(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
        if asked && uri.ends_with("a.go") {
            Does::Answers(json!(vec![place.clone(); 30_000]))
        } else {
            Does::Well
        }
    });
    let run = Run::with(toy, fake, EnrichmentConfig::default());
    run.sweep().await;
    assert_eq!(run.toy.said(), TRUTH);
}

#[tokio::test(start_paused = true)]
async fn an_edit_between_question_and_answer_makes_the_answer_void() {
    for moved in ["a.go", "b.go"] {
        let toy = Toy::new(&FILES);
        let told: Arc<Mutex<Option<Edit>>> = Arc::default();
        let (asked, edit) = (AtomicBool::new(false), Arc::clone(&told));
        let fake = Fake::new(&toy, move |_, message| {
            let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
            let question =
                is(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
            if question && uri.ends_with("a.go") && !asked.swap(true, Ordering::Relaxed) {
                // Change the file while the answer is on its way.
                if let Some(edit) = &*edit.lock().unwrap() {
                    edit();
                }
            }
            Does::Well
        });
        let run = Arc::new(Run::with(Arc::clone(&toy), fake, EnrichmentConfig::default()));
        let weak = Arc::downgrade(&run);
        *told.lock().unwrap() = Some(Box::new(move || {
            let Some(run) = weak.upgrade() else { return };
            let text = format!("def before\n{}", run.toy.texts()[moved]);
            run.toy.write(moved, &text);
            run.enrichment.notify_file_changes(&[(moved.to_owned(), FileChangeKind::Changed)]);
        }));
        run.enrichment.start_sweep(None);
        // The graph is updated later.
        run.when(|status| status.tally.unresolved.contains_key(&NoAnswerReason::Changed)).await;
        assert!(!run.toy.said().contains("help#0"), "{moved}: {}", run.toy.said());
        run.toy.index();
        run.enrichment
            .prioritize_files(vec![PriorityFile::whole_file("a.go"), PriorityFile::whole_file("b.go")]);
        run.enrichment.wait_until_settled().await;
        assert_eq!(run.toy.said(), TRUTH, "{moved}: {:?}", run.status());
        assert!(run.status().tally.unresolved.contains_key(&NoAnswerReason::Changed), "{moved}");
    }
}

#[tokio::test(start_paused = true)]
async fn servers_end_in_order_and_also_those_that_hang_at_the_end() {
    let run = Run::new(&FILES, well);
    run.sweep().await;
    let fake = Arc::clone(&run.fake);
    run.enrichment.shutdown_servers().await;
    assert_eq!((fake.heard("shutdown").len(), fake.heard("exit").len()), (1, 1));
    let run = Run::new(&FILES, |_, message| if is(message, "shutdown") { Does::Silent } else { Does::Well });
    run.sweep().await;
    run.enrichment.shutdown_servers().await;
    let run = Run::new(&FILES, |_, message| if is(message, "shutdown") { Does::Ends } else { Does::Well });
    run.sweep().await;
    run.enrichment.shutdown_servers().await;
}
