//! Tests of whole workspaces with scripted servers.

mod fake_server;
mod lifecycle;
mod server_errors;
pub(crate) mod toy_workspace;
mod verdicts;

use crate::servers::ServerSearch;
use crate::{Enrichment, EnrichmentConfig, ServerState, ServerStatus};
use fake_server::{FakeConnector, FakeServers, Reaction};
use serde_json::Value;
use std::sync::Arc;
use toy_workspace::ToyWorkspace;

/// A workspace with a scripted server.
struct TestRun {
    toy: Arc<ToyWorkspace>,
    fake: Arc<FakeServers>,
    enrichment: Enrichment,
    _programs: tempfile::TempDir,
}

impl TestRun {
    fn new(
        files: &[(&str, &str)],
        script: impl Fn(usize, &Value) -> Reaction + Send + Sync + 'static,
    ) -> Self {
        let toy = ToyWorkspace::new(files);
        let fake = FakeServers::new(&toy, script);
        Self::with_servers(toy, fake, EnrichmentConfig::default())
    }

    fn with_servers(toy: Arc<ToyWorkspace>, fake: FakeServers, config: EnrichmentConfig) -> Self {
        let programs = tempfile::tempdir().unwrap();
        let program = programs.path().join(if cfg!(windows) { "gopls.exe" } else { "gopls" });
        std::fs::write(&program, "").unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let path = vec![programs.path().to_owned()];
        let search = ServerSearch { path, root: "/w s/ä".into(), ..ServerSearch::default() };
        let fake = Arc::new(fake);
        let config = EnrichmentConfig { search: Some(search), ..config };
        let (workspace, sink) = (Arc::clone(&toy), Arc::clone(&toy));
        let enrichment =
            Enrichment::with_connector(config, workspace, sink, Arc::new(FakeConnector(Arc::clone(&fake))));
        Self { toy, fake, enrichment, _programs: programs }
    }

    /// Asks about all files and waits until no questions are left.
    async fn sweep(&self) {
        self.enrichment.start_sweep(None);
        self.enrichment.wait_until_questions_answered().await;
    }

    fn status(&self) -> ServerStatus {
        self.enrichment.server_statuses().pop().expect("a server is in use")
    }

    /// Waits until a server is in `state`.
    async fn wait_for_state(&self, state: ServerState) -> ServerStatus {
        self.wait_for_status(|status| status.state == state).await
    }

    /// Waits until a server has a status for which `has_property` returns true.
    async fn wait_for_status(&self, has_property: impl Fn(&ServerStatus) -> bool) -> ServerStatus {
        let mut changed = self.enrichment.watch_status();
        loop {
            changed.mark_unchanged();
            if let Some(status) = self.enrichment.server_statuses().into_iter().find(&has_property) {
                return status;
            }
            changed.changed().await.unwrap();
        }
    }
}

/// Answers every message correctly.
fn answer_correctly(_: usize, _: &Value) -> Reaction {
    Reaction::Correct
}
