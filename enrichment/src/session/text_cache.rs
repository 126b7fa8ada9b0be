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
    cached: Mutex<CachedTexts>,
}

#[derive(Default)]
struct CachedTexts {
    by_path: HashMap<String, Arc<LineIndexedText>>,
    /// Total length of the texts in bytes.
    bytes: usize,
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
        if let Some(cached) = self.cached_text(path).filter(|cached| cached.hash == hash) {
            return Some(cached);
        }
        let (reader, file) = (Arc::clone(workspace), path.to_owned());
        let read = tokio::task::spawn_blocking(move || reader.file_text(&file)).await;
        let text = Arc::new(LineIndexedText::new(read.ok()??));
        self.cache_text(path, &text);
        (text.hash == hash).then_some(text)
    }

    fn cached_text(&self, path: &str) -> Option<Arc<LineIndexedText>> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner).by_path.get(path).cloned()
    }

    /// Stores the text of a file.
    pub fn cache_text(&self, path: &str, text: &Arc<LineIndexedText>) {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.bytes > MAX_BYTES {
            *cached = CachedTexts::default();
        }
        cached.bytes += text.text.len();
        if let Some(old) = cached.by_path.insert(path.to_owned(), Arc::clone(text)) {
            cached.bytes -= old.text.len();
        }
    }
}
