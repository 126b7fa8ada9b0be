//! Tests of a server's life: start, idle stop, restart, open documents, units of columns, and the
//! status of servers that cannot run.

use super::fake_server::FakeServers;
use super::toy_workspace::ToyWorkspace;
use super::{TestRun, answer_correctly};
use crate::servers::{ServerOverride, ServerSearch};
use crate::{Enrichment, EnrichmentConfig, PriorityRequest, ServerState};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A file with a call, and the file that declares its target.
const FILES: [(&str, &str); 2] = [("a.go", "def main\n  call help\n"), ("b.go", "def help\n")];

#[tokio::test(start_paused = true)]
async fn a_server_starts_with_the_first_question_and_stops_when_idle() {
    let run = TestRun::new(&FILES, answer_correctly);
    assert!(run.enrichment.server_statuses().is_empty());
    run.sweep().await;
    assert_eq!(run.status().state, ServerState::Ready);
    let stopped = run.wait_for_state(ServerState::Stopped).await;
    assert_eq!(stopped.reason, "idle");
    assert_eq!(run.fake.received("exit").len(), 1);
    // The server starts again on demand.
    run.toy.write("a.go", "def main\n  call main\n  call help\n");
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("a.go")]);
    run.enrichment.wait_until_questions_answered().await;
    assert_eq!(run.fake.starts.load(Ordering::Relaxed), 2);
    assert!(run.toy.verdict_lines().contains("main#0: confirmed a.go::main"));
}

#[tokio::test(start_paused = true)]
async fn a_restarted_server_gets_the_documents_of_the_editor() {
    let run = TestRun::new(&FILES, answer_correctly);
    run.enrichment.update_buffer("b.go", Some(crate::DocumentText::new(FILES[1].1)));
    run.sweep().await;
    run.enrichment.restart_servers(Some("gopls"));
    run.wait_for_state(ServerState::Stopped).await;
    run.toy.write("a.go", "def main\n  call main\n");
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityRequest::whole_file("a.go")]);
    run.enrichment.wait_until_questions_answered().await;
    run.wait_for_state(ServerState::Ready).await;
    let opened = run.fake.received("textDocument/didOpen");
    let opened_b =
        opened.iter().filter(|params| params["textDocument"]["uri"].as_str().unwrap().ends_with("b.go"));
    assert_eq!((opened_b.count(), run.fake.starts.load(Ordering::Relaxed)), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn the_number_of_open_documents_is_limited() {
    let files: Vec<(String, String)> =
        (0..500).map(|i| (format!("f{i:03}.go"), format!("def f{i}\n  call f{i}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let run = TestRun::new(&files, answer_correctly);
    run.sweep().await;
    let (opened, closed) =
        (run.fake.received("textDocument/didOpen"), run.fake.received("textDocument/didClose"));
    // 400 is the limit for gopls in `servers.toml`.
    assert!(opened.len() - closed.len() <= 400, "{} opened, {} closed", opened.len(), closed.len());
    assert_eq!(run.status().metrics.confirmed, 500);
}

#[tokio::test(start_paused = true)]
async fn columns_are_counted_in_the_units_of_the_server() {
    for (encoding, column) in [("utf-8", 14), ("utf-16", 11), ("utf-32", 10)] {
        let toy = ToyWorkspace::new(&[("a.go", "def f\n  é🙂 call f\n")]);
        let mut fake = FakeServers::new(&toy, answer_correctly);
        fake.capabilities["positionEncoding"] = json!(encoding);
        let run = TestRun::with_servers(toy, fake, EnrichmentConfig::default());
        run.enrichment.start_sweep(None);
        run.wait_for_state(ServerState::Ready).await;
        run.enrichment.wait_until_questions_answered().await;
        let asked = run.fake.received("textDocument/definition");
        let columns: Vec<_> = asked
            .iter()
            .filter(|p| p["position"]["line"] == 1)
            .map(|p| p["position"]["character"].clone())
            .collect();
        assert!(columns.contains(&json!(column)), "{encoding}: {columns:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_status_reports_a_missing_or_disabled_server() {
    let toy = ToyWorkspace::new(&FILES);
    let search = Some(ServerSearch { root: "/w s/ä".into(), ..ServerSearch::default() });
    let config = EnrichmentConfig { search: search.clone(), ..EnrichmentConfig::default() };
    let workspace: Arc<ToyWorkspace> = Arc::clone(&toy);
    let enrichment = Enrichment::new(config, workspace, Arc::clone(&toy) as Arc<dyn crate::VerdictSink>);
    enrichment.start_sweep(None);
    enrichment.wait_until_questions_answered().await;
    let status = enrichment.server_statuses().pop().unwrap();
    assert_eq!(
        (status.state, status.language.as_str(), status.name.as_str()),
        (ServerState::Absent, "go", "gopls")
    );
    assert_eq!(status.reason, "go install golang.org/x/tools/gopls@latest");
    let disabled = ServerOverride { disabled: true, ..ServerOverride::default() };
    let config = EnrichmentConfig {
        search,
        servers: [("gopls".to_owned(), disabled)].into(),
        ..EnrichmentConfig::default()
    };
    let enrichment = Enrichment::new(config, Arc::clone(&toy) as Arc<dyn crate::WorkspaceSource>, toy);
    enrichment.prioritize_files(vec![
        PriorityRequest::whole_file("a.go"),
        PriorityRequest::whole_file("missing.go"),
    ]);
    enrichment.wait_until_questions_answered().await;
    assert_eq!(enrichment.server_statuses().pop().unwrap().reason, "disabled in the configuration");
    tokio::time::sleep(Duration::from_secs(1)).await;
}
