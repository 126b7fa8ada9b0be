//! The places of a file that are references of its text.

use super::ServerSession;
use kenning_graph::Hash;
use kenning_graph::snapshot::Snapshot;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of files in the cache. When it is full, it is emptied.
const MAX_FILES: usize = 500;

/// Start and end of each reference in bytes, sorted.
type SiteSpans = Arc<Vec<(u32, u32)>>;

/// A cache of the references of files.
#[derive(Default)]
pub(super) struct SiteCache(Mutex<HashMap<String, (Hash, SiteSpans)>>);

impl ServerSession {
    /// Whether a byte of a file belongs to a reference of its text. Reads the references on a
    /// thread that may block.
    pub(super) async fn is_reference_site(
        &self,
        snapshot: &Snapshot,
        path: &str,
        hash: Hash,
        offset: u32,
    ) -> bool {
        let spans = match self.cached_site_spans(path, hash) {
            Some(spans) => spans,
            None => self.read_site_spans(snapshot, path, hash).await,
        };
        let after = spans.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).and_then(|at| spans.get(at)).is_some_and(|(_, end)| offset < *end)
    }

    fn cached_site_spans(&self, path: &str, hash: Hash) -> Option<SiteSpans> {
        let kept = self.sites.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(path).filter(|(known, _)| *known == hash).map(|(_, spans)| Arc::clone(spans))
    }

    async fn read_site_spans(&self, snapshot: &Snapshot, path: &str, hash: Hash) -> SiteSpans {
        let (workspace, snapshot, wanted) = (Arc::clone(&self.workspace), snapshot.clone(), path.to_owned());
        let read = tokio::task::spawn_blocking(move || workspace.reference_sites(&snapshot, &wanted)).await;
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
