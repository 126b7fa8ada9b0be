//! Which places of a file are references of its text.

use super::Asker;
use kenning_graph::Hash;
use kenning_graph::snapshot::Snapshot;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Files whose references are kept; above it, all are dropped.
const MAX_FILES: usize = 500;

/// First byte and end of each reference.
type Spans = Arc<Vec<(u32, u32)>>;

/// The references of files, kept for a while.
#[derive(Default)]
pub(super) struct Sites(Mutex<HashMap<String, (Hash, Spans)>>);

impl Asker {
    /// Whether a byte of a file belongs to a reference of its text. Reads the references on a thread that may block.
    pub(super) async fn is_site(&self, snapshot: &Snapshot, path: &str, hash: Hash, offset: u32) -> bool {
        let spans = match self.kept_sites(path, hash) {
            Some(spans) => spans,
            None => self.read_sites(snapshot, path, hash).await,
        };
        let after = spans.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).and_then(|at| spans.get(at)).is_some_and(|(_, end)| offset < *end)
    }

    fn kept_sites(&self, path: &str, hash: Hash) -> Option<Spans> {
        let kept = self.sites.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(path).filter(|(known, _)| *known == hash).map(|(_, spans)| Arc::clone(spans))
    }

    async fn read_sites(&self, snapshot: &Snapshot, path: &str, hash: Hash) -> Spans {
        let (workspace, snapshot, wanted) = (Arc::clone(&self.workspace), snapshot.clone(), path.to_owned());
        let read = tokio::task::spawn_blocking(move || workspace.sites(&snapshot, &wanted)).await;
        let sites = read.unwrap_or_default();
        let mut spans: Vec<_> =
            sites.iter().map(|site| (site.at.start, site.at.start + site.at.len)).collect();
        spans.sort_unstable();
        let spans = Arc::new(spans);
        let mut kept = self.sites.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_FILES {
            kept.clear();
        }
        kept.insert(path.to_owned(), (hash, Arc::clone(&spans)));
        spans
    }
}
