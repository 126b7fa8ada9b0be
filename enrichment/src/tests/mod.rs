//! Tests of whole workspaces with scripted servers.

mod fake;
mod faults;
mod life;
mod phases;
pub(crate) mod toy;

use crate::servers::ServerSearch;
use crate::{Enrichment, EnrichmentConfig, ServerState, ServerStatus};
use fake::{Connects, Does, Fake};
use serde_json::Value;
use std::sync::Arc;
use toy::Toy;

/// A workspace with a scripted server.
struct Run {
    toy: Arc<Toy>,
    fake: Arc<Fake>,
    enrichment: Enrichment,
    _programs: tempfile::TempDir,
}

impl Run {
    fn new(files: &[(&str, &str)], script: impl Fn(usize, &Value) -> Does + Send + Sync + 'static) -> Self {
        let toy = Toy::new(files);
        let fake = Fake::new(&toy, script);
        Self::with(toy, fake, EnrichmentConfig::default())
    }

    fn with(toy: Arc<Toy>, fake: Fake, config: EnrichmentConfig) -> Self {
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
            Enrichment::with_connector(config, workspace, sink, Arc::new(Connects(Arc::clone(&fake))));
        Self { toy, fake, enrichment, _programs: programs }
    }

    /// Asks about everything and waits until nothing is left.
    async fn sweep(&self) {
        self.enrichment.start_sweep(None);
        self.enrichment.wait_until_settled().await;
    }

    fn status(&self) -> ServerStatus {
        self.enrichment.server_statuses().pop().expect("a server is used")
    }

    /// Waits until the server is in a state.
    async fn until(&self, state: ServerState) -> ServerStatus {
        self.when(|status| status.state == state).await
    }

    async fn when(&self, is: impl Fn(&ServerStatus) -> bool) -> ServerStatus {
        let mut changed = self.enrichment.watch_status();
        loop {
            changed.mark_unchanged();
            if let Some(status) = self.enrichment.server_statuses().into_iter().find(&is) {
                return status;
            }
            changed.changed().await.unwrap();
        }
    }
}

/// Reacts to every message correctly.
fn well(_: usize, _: &Value) -> Does {
    Does::Well
}
