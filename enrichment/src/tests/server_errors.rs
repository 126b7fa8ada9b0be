//! Tests with servers that are slow, silent, confused, wrong, broken or crashing: the sink gets no
//! false verdict, and the status shows the problem.

use super::fake_server::{FakeServers, Reaction, encode_message, is_method, location};
use super::toy_workspace::ToyWorkspace;
use super::{TestRun, answer_correctly};
use crate::{EnrichmentConfig, FileChangeKind, PriorityRequest, ServerState};
use kenning_graph::verdicts::NoAnswerReason;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// Two files with calls between them.
const FILES: [(&str, &str); 2] =
    [("a.go", "def main\n  call help\n  call! far\n"), ("b.go", "def help\n  call far\ndef far\n")];

/// An edit that happens while the server computes an answer.
type EditAction = Box<dyn Fn() + Send>;

/// The verdicts of a server that answers correctly.
const CORRECT_VERDICTS: &str = "a.go::main far#1: confirmed b.go::far\n\
                     a.go::main help#0: confirmed b.go::help\n\
                     b.go::help far#0: confirmed b.go::far\n";

#[tokio::test(start_paused = true)]
async fn an_empty_answer_from_a_loading_server_does_not_count() {
    let start = Instant::now();
    let run = TestRun::new(&FILES, move |_, message| {
        let loading = start.elapsed() < Duration::from_secs(30);
        if is_method(message, "textDocument/definition") && loading {
            Reaction::Answer(json!([]))
        } else {
            Reaction::Correct
        }
    });
    run.enrichment.start_sweep(None);
    run.wait_for_state(ServerState::Loading).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!((run.status().state, run.toy.verdicts().len()), (ServerState::Loading, 0));
    run.enrichment.wait_until_questions_answered().await;
    assert_eq!(run.toy.verdict_lines(), CORRECT_VERDICTS);
    assert!(start.elapsed() < Duration::from_secs(40));
}

#[tokio::test(start_paused = true)]
async fn questions_wait_until_the_server_reports_that_it_is_idle() {
    let start = Instant::now();
    let progress = |kind: &str| {
        let value = json!({"kind": kind, "title": "Indexing"});
        encode_message(
            json!({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": 1, "value": value}}),
        )
    };
    let ended = AtomicBool::new(false);
    let run = TestRun::new(&FILES, move |_, message| {
        if is_method(message, "initialized") {
            return Reaction::SendFirst(progress("begin"));
        }
        // While it is indexing, the server answers wrongly.
        if start.elapsed() < Duration::from_secs(4) && is_method(message, "textDocument/definition") {
            return Reaction::Answer(json!([]));
        }
        if start.elapsed() > Duration::from_secs(4) && !ended.swap(true, Ordering::Relaxed) {
            return Reaction::SendFirst(progress("end"));
        }
        Reaction::Correct
    });
    run.sweep().await;
    assert_eq!(run.toy.verdict_lines(), CORRECT_VERDICTS);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_returns_only_missing_files_is_abandoned_immediately() {
    let range = json!({"start": {"line": 3, "character": 4}, "end": {"line": 3, "character": 9}});
    let answer = json!([{"uri": "file:///somewhere/missing/x.go", "range": range}]);
    let run = TestRun::new(&FILES, move |_, message| {
        if is_method(message, "textDocument/definition") {
            Reaction::Answer(answer.clone())
        } else {
            Reaction::Correct
        }
    });
    run.enrichment.start_sweep(None);
    let status = run.wait_for_state(ServerState::Failed).await;
    assert_eq!(status.reason, "its answers lead to files that do not exist");
    assert_eq!(status.metrics.starts, 1);
    assert_eq!(run.toy.verdict_lines(), "");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_knows_nothing_is_abandoned_after_all_restarts() {
    let run = TestRun::new(&FILES, |_, message| {
        if is_method(message, "textDocument/definition") {
            Reaction::Answer(Value::Null)
        } else {
            Reaction::Correct
        }
    });
    run.enrichment.start_sweep(None);
    let status = run.wait_for_state(ServerState::Failed).await;
    assert!(status.reason.starts_with("the server knows none of "), "{}", status.reason);
    assert_eq!((status.metrics.starts, run.toy.verdicts().len()), (6, 0));
    // A server that Kenning gave up on does not block `wait_until_questions_answered`.
    run.enrichment.wait_until_questions_answered().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_any_message_loses_no_verdict() {
    // The server crashes once, at each message of the dialogue in turn.
    for crash_at in 0..16 {
        let received = Arc::new(AtomicUsize::new(0));
        let run = TestRun::new(&FILES, move |_, _| {
            if received.fetch_add(1, Ordering::Relaxed) == crash_at {
                Reaction::Disconnect
            } else {
                Reaction::Correct
            }
        });
        run.sweep().await;
        assert_eq!(run.toy.verdict_lines(), CORRECT_VERDICTS, "crashed at message {crash_at}");
        assert!(run.status().metrics.starts <= 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_always_crashes_is_abandoned_after_five_restarts_with_the_reason() {
    let start = Instant::now();
    let run = TestRun::new(&FILES, |_, message| {
        if is_method(message, "initialized") { Reaction::Disconnect } else { Reaction::Correct }
    });
    run.enrichment.start_sweep(None);
    run.wait_for_state(ServerState::Backoff).await;
    let status = run.wait_for_state(ServerState::Failed).await;
    assert_eq!(status.metrics.starts, 6);
    assert!(status.reason.contains("the server closed its output"), "{}", status.reason);
    assert!(start.elapsed() >= Duration::from_secs(1 + 2 + 4 + 8 + 16), "{:?}", start.elapsed());
    // A restart on request starts the server again.
    run.enrichment.restart_servers(None);
    run.wait_for_status(|status| status.metrics.starts == 7).await;
}

#[tokio::test(start_paused = true)]
async fn only_the_file_at_which_the_server_crashes_twice_is_skipped() {
    let run = TestRun::new(&FILES, |_, message| {
        let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
        let is_question =
            is_method(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        if is_question && uri.ends_with("a.go") { Reaction::Disconnect } else { Reaction::Correct }
    });
    run.sweep().await;
    assert_eq!(run.toy.verdict_lines(), "b.go::help far#0: confirmed b.go::far\n");
    assert_eq!((run.status().metrics.skipped_files, run.status().metrics.starts), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_restarted() {
    let files = [(
        "a.go",
        "def f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n  call f\n",
    )];
    let run = TestRun::new(&files, |start_number, message| {
        let is_question =
            is_method(message, "textDocument/definition") && message["params"]["position"]["line"] != 0;
        if start_number == 1 && is_question { Reaction::Ignore } else { Reaction::Correct }
    });
    run.sweep().await;
    assert_eq!((run.status().metrics.starts, run.status().metrics.confirmed), (2, 9));
    // Questions without an answer are cancelled.
    assert!(!run.fake.received("$/cancelRequest").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_initializes_is_abandoned() {
    let run = TestRun::new(&FILES, |_, message| {
        if is_method(message, "initialize") { Reaction::Ignore } else { Reaction::Correct }
    });
    run.enrichment.start_sweep(None);
    let status = run.wait_for_state(ServerState::Failed).await;
    assert!(status.reason.contains("initialize"), "{}", status.reason);
}

#[tokio::test(start_paused = true)]
async fn slow_answers_count_but_a_question_that_times_out_twice_is_not_asked_again() {
    let run = TestRun::new(&FILES, |_, message| {
        let line = &message["params"]["position"]["line"];
        let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
        match (is_method(message, "textDocument/definition"), uri.ends_with("b.go"), line.as_u64()) {
            (true, true, Some(1)) => Reaction::Delay(Duration::from_secs(40)),
            (true, false, Some(1)) => Reaction::Delay(Duration::from_secs(20)),
            _ => Reaction::Correct,
        }
    });
    run.sweep().await;
    assert!(run.toy.verdict_lines().contains("a.go::main help#0: confirmed b.go::help"));
    assert!(run.toy.verdict_lines().contains("b.go::help far#0: late\n"));
    let asked = run.fake.received("textDocument/definition").len();
    run.sweep().await;
    assert_eq!(run.fake.received("textDocument/definition").len(), asked);
}

#[tokio::test(start_paused = true)]
async fn a_refused_question_is_counted_and_not_asked_again() {
    let run = TestRun::new(&FILES, |_, message| {
        let is_question =
            is_method(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        if is_question { Reaction::Refuse } else { Reaction::Correct }
    });
    run.sweep().await;
    let expected =
        "a.go::main far#1: confirmed b.go::far\na.go::main help#0: refused\nb.go::help far#0: refused\n";
    assert_eq!(run.toy.verdict_lines(), expected);
    assert_eq!(run.status().metrics.unresolved.get(&NoAnswerReason::Refused), Some(&2));
    let asked = run.fake.received("textDocument/definition").len();
    run.sweep().await;
    assert_eq!(run.fake.received("textDocument/definition").len(), asked);
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_restarts_the_server_and_loses_no_verdict() {
    for bytes in [
        &b"Content-Length: many\r\n\r\n"[..],
        b"Content-Length: 2147483648\r\n\r\n",
        b"Content-Length: 9999999999999999999999\r\n\r\n",
    ] {
        let run = TestRun::new(&FILES, move |start_number, message| {
            if start_number == 1 && is_method(message, "textDocument/definition") {
                Reaction::SendFirst(bytes.to_vec())
            } else {
                Reaction::Correct
            }
        });
        run.sweep().await;
        assert_eq!((run.toy.verdict_lines().as_str(), run.status().metrics.starts), (CORRECT_VERDICTS, 2));
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_messages_between_answers_are_skipped() {
    let unknown = encode_message(json!({"jsonrpc": "2.0", "id": 4711, "result": [{"uri": "file:///x"}]}));
    for bytes in [
        encode_message(json!([1, 2])),
        b"Content-Length: 3\r\n\r\n{]}".to_vec(),
        b"stray line\n".to_vec(),
        unknown,
    ] {
        let run = TestRun::new(&FILES, move |_, message| {
            if is_method(message, "textDocument/definition") {
                Reaction::SendFirst(bytes.clone())
            } else {
                Reaction::Correct
            }
        });
        run.sweep().await;
        assert_eq!((run.toy.verdict_lines().as_str(), run.status().metrics.starts), (CORRECT_VERDICTS, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn requests_from_the_server_are_answered_between_questions() {
    let server_request = |id: u32, method: &str, params: Value| {
        encode_message(json!({"jsonrpc": "2.0", "id": format!("s{id}"), "method": method, "params": params}))
    };
    let mut requests = Vec::new();
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
        requests.extend(server_request(id as u32, method, params));
    }
    let answers = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&answers);
    let run = TestRun::new(&FILES, move |_, message| {
        if message.get("method").is_none() {
            recorded.lock().unwrap().push(message["id"].clone());
            return Reaction::Ignore;
        }
        if is_method(message, "initialized") {
            Reaction::SendFirst(requests.clone())
        } else {
            Reaction::Correct
        }
    });
    run.sweep().await;
    assert_eq!(run.toy.verdict_lines(), CORRECT_VERDICTS);
    assert_eq!(answers.lock().unwrap().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn huge_answers_are_read_up_to_a_limit() {
    let toy = ToyWorkspace::new(&FILES);
    let target = location(&toy, "b.go", 0, 4);
    let fake = FakeServers::new(&toy, move |_, message| {
        let is_question =
            is_method(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
        let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
        if is_question && uri.ends_with("a.go") {
            Reaction::Answer(json!(vec![target.clone(); 30_000]))
        } else {
            Reaction::Correct
        }
    });
    let run = TestRun::with_servers(toy, fake, EnrichmentConfig::default());
    run.sweep().await;
    assert_eq!(run.toy.verdict_lines(), CORRECT_VERDICTS);
}

#[tokio::test(start_paused = true)]
async fn an_edit_between_question_and_answer_invalidates_the_answer() {
    for edited in ["a.go", "b.go"] {
        let toy = ToyWorkspace::new(&FILES);
        let pending_edit: Arc<Mutex<Option<EditAction>>> = Arc::default();
        let (asked, edit) = (AtomicBool::new(false), Arc::clone(&pending_edit));
        let fake = FakeServers::new(&toy, move |_, message| {
            let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or("");
            let is_question =
                is_method(message, "textDocument/definition") && message["params"]["position"]["line"] == 1;
            if is_question && uri.ends_with("a.go") && !asked.swap(true, Ordering::Relaxed) {
                // Edit the file before the answer is sent.
                if let Some(edit) = &*edit.lock().unwrap() {
                    edit();
                }
            }
            Reaction::Correct
        });
        let run = Arc::new(TestRun::with_servers(Arc::clone(&toy), fake, EnrichmentConfig::default()));
        let weak = Arc::downgrade(&run);
        *pending_edit.lock().unwrap() = Some(Box::new(move || {
            let Some(run) = weak.upgrade() else { return };
            let text = format!("def before\n{}", run.toy.texts()[edited]);
            run.toy.write(edited, &text);
            run.enrichment.notify_file_changes(&[(edited.to_owned(), FileChangeKind::Changed)]);
        }));
        run.enrichment.start_sweep(None);
        // The graph does not have the edit yet.
        run.wait_for_status(|status| status.metrics.unresolved.contains_key(&NoAnswerReason::Changed)).await;
        assert!(!run.toy.verdict_lines().contains("help#0"), "{edited}: {}", run.toy.verdict_lines());
        run.toy.index();
        run.enrichment
            .prioritize_files(vec![PriorityRequest::whole_file("a.go"), PriorityRequest::whole_file("b.go")]);
        run.enrichment.wait_until_questions_answered().await;
        assert_eq!(run.toy.verdict_lines(), CORRECT_VERDICTS, "{edited}: {:?}", run.status());
        assert!(run.status().metrics.unresolved.contains_key(&NoAnswerReason::Changed), "{edited}");
    }
}

#[tokio::test(start_paused = true)]
async fn servers_shut_down_in_order_even_if_they_hang_or_crash() {
    let run = TestRun::new(&FILES, answer_correctly);
    run.sweep().await;
    let fake = Arc::clone(&run.fake);
    run.enrichment.shutdown_servers().await;
    assert_eq!((fake.received("shutdown").len(), fake.received("exit").len()), (1, 1));
    let run = TestRun::new(&FILES, |_, message| {
        if is_method(message, "shutdown") { Reaction::Ignore } else { Reaction::Correct }
    });
    run.sweep().await;
    run.enrichment.shutdown_servers().await;
    let run = TestRun::new(&FILES, |_, message| {
        if is_method(message, "shutdown") { Reaction::Disconnect } else { Reaction::Correct }
    });
    run.sweep().await;
    run.enrichment.shutdown_servers().await;
}
