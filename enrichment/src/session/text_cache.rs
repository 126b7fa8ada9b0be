//! A cache of the texts of files that answers lead to.

use crate::line_index::LineIndexedText;
use crate::workspace::WorkspaceSource;
use kenning_graph::Hash;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size of the cached texts in bytes. Beyond it, the cache is emptied.
const MAX_BYTES: usize = 64 << 20;

/// Reads texts and caches them.
#[derive(Default)]
pub(crate) struct TextCache {
    kept: Mutex<(HashMap<String, Arc<LineIndexedText>>, usize)>,
}

impl TextCache {
    /// Returns the text of a file with this hash, from the cache or read on a thread that may
    /// block. Returns `None` if the file cannot be read or has another hash.
    pub async fn read_text(
        &self,
        workspace: &Arc<dyn WorkspaceSource>,
        path: &str,
        hash: Hash,
    ) -> Option<Arc<LineIndexedText>> {
        if let Some(kept) = self.cached_text(path).filter(|kept| kept.hash == hash) {
            return Some(kept);
        }
        let (reader, wanted) = (Arc::clone(workspace), path.to_owned());
        let read = tokio::task::spawn_blocking(move || reader.file_text(&wanted)).await;
        let text = Arc::new(LineIndexedText::new(read.ok()??));
        self.cache_text(path, &text);
        (text.hash == hash).then_some(text)
    }

    fn cached_text(&self, path: &str) -> Option<Arc<LineIndexedText>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).0.get(path).cloned()
    }

    /// Stores a text.
    pub fn cache_text(&self, path: &str, text: &Arc<LineIndexedText>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.1 > MAX_BYTES {
            *kept = (HashMap::new(), 0);
        }
        kept.1 += text.text.len();
        if let Some(old) = kept.0.insert(path.to_owned(), Arc::clone(text)) {
            kept.1 -= old.text.len();
        }
    }
}
