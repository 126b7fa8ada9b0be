//! A cache of the locations in a file that are references of its text. Discovery skips these
//! locations, because each reference gets its own question.

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
        let next = spans.partition_point(|(start, _)| *start <= offset);
        next.checked_sub(1).and_then(|at| spans.get(at)).is_some_and(|(_, end)| offset < *end)
    }

    fn cached_site_spans(&self, path: &str, hash: Hash) -> Option<SiteSpans> {
        let cache = self.sites.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(path).filter(|(cached_hash, _)| *cached_hash == hash).map(|(_, spans)| Arc::clone(spans))
    }

    async fn read_site_spans(&self, snapshot: &Snapshot, path: &str, hash: Hash) -> SiteSpans {
        let (workspace, snapshot, file) = (Arc::clone(&self.workspace), snapshot.clone(), path.to_owned());
        let sites = tokio::task::spawn_blocking(move || workspace.reference_sites(&snapshot, &file)).await;
        let sites = sites.unwrap_or_default();
        let mut spans: Vec<_> =
            sites.iter().map(|site| (site.at.start, site.at.start + site.at.len)).collect();
        spans.sort_unstable();
        let spans = Arc::new(spans);
        let mut cache = self.sites.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= MAX_FILES {
            cache.clear();
        }
        cache.insert(path.to_owned(), (hash, Arc::clone(&spans)));
        spans
    }
}
