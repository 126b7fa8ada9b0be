//! Tests that servers run only when they are needed.

use super::fake::Fake;
use super::toy::Toy;
use super::{Run, well};
use crate::servers::{ServerOverride, ServerSearch};
use crate::{Enrichment, EnrichmentConfig, PriorityFile, ServerState};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const FILES: [(&str, &str); 2] = [("a.go", "def main\n  call help\n"), ("b.go", "def help\n")];

#[tokio::test(start_paused = true)]
async fn nothing_runs_before_something_is_asked_and_what_is_idle_is_stopped() {
    let run = Run::new(&FILES, well);
    assert!(run.enrichment.server_statuses().is_empty());
    run.sweep().await;
    assert_eq!(run.status().state, ServerState::Ready);
    let stopped = run.until(ServerState::Stopped).await;
    assert_eq!(stopped.reason, "idle");
    assert_eq!(run.fake.heard("exit").len(), 1);
    // The server starts again on demand.
    run.toy.write("a.go", "def main\n  call main\n  call help\n");
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("a.go")]);
    run.enrichment.wait_until_settled().await;
    assert_eq!(run.fake.lives.load(Ordering::Relaxed), 2);
    assert!(run.toy.said().contains("main#0: confirmed a.go::main"));
}

#[tokio::test(start_paused = true)]
async fn a_new_life_is_told_what_the_editor_has_open() {
    let run = Run::new(&FILES, well);
    run.enrichment.update_buffer("b.go", Some(crate::DocumentText::new(FILES[1].1)));
    run.sweep().await;
    run.enrichment.restart_servers(Some("gopls"));
    run.until(ServerState::Stopped).await;
    run.toy.write("a.go", "def main\n  call main\n");
    run.toy.index();
    run.enrichment.prioritize_files(vec![PriorityFile::whole_file("a.go")]);
    run.enrichment.wait_until_settled().await;
    run.until(ServerState::Ready).await;
    let opened = run.fake.heard("textDocument/didOpen");
    let b = opened.iter().filter(|params| params["textDocument"]["uri"].as_str().unwrap().ends_with("b.go"));
    assert_eq!((b.count(), run.fake.lives.load(Ordering::Relaxed)), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn documents_are_closed_again() {
    let files: Vec<(String, String)> =
        (0..500).map(|i| (format!("f{i:03}.go"), format!("def f{i}\n  call f{i}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let run = Run::new(&files, well);
    run.sweep().await;
    let (opened, closed) = (run.fake.heard("textDocument/didOpen"), run.fake.heard("textDocument/didClose"));
    // 400 is the limit for gopls in `servers.toml`.
    assert!(opened.len() - closed.len() <= 400, "{} opened, {} closed", opened.len(), closed.len());
    assert_eq!(run.status().tally.confirmed, 500);
}

#[tokio::test(start_paused = true)]
async fn columns_are_counted_as_the_server_counts() {
    for (encoding, column) in [("utf-8", 14), ("utf-16", 11), ("utf-32", 10)] {
        let toy = Toy::new(&[("a.go", "def f\n  é🙂 call f\n")]);
        let mut fake = Fake::new(&toy, well);
        fake.capabilities["positionEncoding"] = json!(encoding);
        let run = Run::with(toy, fake, EnrichmentConfig::default());
        run.enrichment.start_sweep(None);
        run.until(ServerState::Ready).await;
        run.enrichment.wait_until_settled().await;
        let asked = run.fake.heard("textDocument/definition");
        let columns: Vec<_> = asked
            .iter()
            .filter(|p| p["position"]["line"] == 1)
            .map(|p| p["position"]["character"].clone())
            .collect();
        assert!(columns.contains(&json!(column)), "{encoding}: {columns:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_missing_or_off_is_told_and_nothing_fails() {
    let toy = Toy::new(&FILES);
    let search = Some(ServerSearch { root: "/w s/ä".into(), ..ServerSearch::default() });
    let config = EnrichmentConfig { search: search.clone(), ..EnrichmentConfig::default() };
    let workspace: Arc<Toy> = Arc::clone(&toy);
    let enrichment = Enrichment::new(config, workspace, Arc::clone(&toy) as Arc<dyn crate::VerdictSink>);
    enrichment.start_sweep(None);
    enrichment.wait_until_settled().await;
    let status = enrichment.server_statuses().pop().unwrap();
    assert_eq!(
        (status.state, status.language.as_str(), status.name.as_str()),
        (ServerState::Absent, "go", "gopls")
    );
    assert_eq!(status.reason, "go install golang.org/x/tools/gopls@latest");
    let off = ServerOverride { disabled: true, ..ServerOverride::default() };
    let config = EnrichmentConfig {
        search,
        servers: [("gopls".to_owned(), off)].into(),
        ..EnrichmentConfig::default()
    };
    let enrichment = Enrichment::new(config, Arc::clone(&toy) as Arc<dyn crate::WorkspaceSource>, toy);
    enrichment
        .prioritize_files(vec![PriorityFile::whole_file("a.go"), PriorityFile::whole_file("not there.go")]);
    enrichment.wait_until_settled().await;
    assert_eq!(enrichment.server_statuses().pop().unwrap().reason, "disabled in the configuration");
    tokio::time::sleep(Duration::from_secs(1)).await;
}
