//! The texts and facts of a workspace: open buffers first, then the disk, always checked by content hash.

use super::buffer::Buffer;
use super::facts_source::FactsSource;
use crate::extract::source_text::{decode_utf8, normalize_line_ends};
use crate::named_file::read_source;
use kenning_graph::{FileFacts, Hash};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Open buffers by path; copied when one changes, so it holds nothing large itself.
pub(super) type OpenBuffers = Arc<BTreeMap<Arc<str>, Arc<Buffer>>>;

/// Gives the text of a file, or what it says, if the file is still what the graph was made from. Reads the disk: ask
/// where waiting is allowed.
pub struct TextProvider {
    root: Arc<Path>,
    buffers: OpenBuffers,
    /// None before the databases are open.
    facts: Option<Arc<FactsSource>>,
}

impl TextProvider {
    pub(super) fn new(root: Arc<Path>, buffers: OpenBuffers, facts: Option<Arc<FactsSource>>) -> Self {
        Self { root, buffers, facts }
    }

    fn find_buffer(&self, path: &str, hash: &Hash) -> Option<&Buffer> {
        self.buffers.get(path).map(|buffer| &**buffer).filter(|buffer| buffer.content_hash() == *hash)
    }

    /// The text of a workspace-relative path whose SHA-256 is `hash`; `None` when neither the buffer nor the disk
    /// has that text (any more). It is what the index read, so that offsets and lines are the same: with a byte for each
    /// byte that is not UTF-8, and a line feed for a carriage return that stands alone.
    pub fn file_text(&self, path: &str, hash: &Hash) -> Option<Arc<str>> {
        if let Some(buffer) = self.find_buffer(path, hash) {
            return Some(match normalize_line_ends(buffer.buffer_text()) {
                Cow::Borrowed(_) => buffer.buffer_text().clone(),
                Cow::Owned(text) => text.into(),
            });
        }
        let bytes = read_source(&self.root.join(path))?;
        (Hash::from_content(&bytes) == *hash).then(|| decode_utf8(&bytes).0.into())
    }

    /// What the file at a workspace-relative path says, if its SHA-256 is `hash`: from its buffer, from the cache,
    /// else from the disk.
    pub fn file_facts(&self, path: &str, language: &str, hash: &Hash) -> Option<Arc<FileFacts>> {
        let open = self.find_buffer(path, hash).and_then(Buffer::file_facts).cloned();
        open.or_else(|| self.facts.as_ref()?.facts_of_file(&self.root, path, language, hash))
    }
}
