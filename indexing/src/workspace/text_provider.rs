//! The texts and facts of a workspace: from open buffers first, then from the disk, always checked
//! by content hash.

use super::buffer::Buffer;
use super::facts_source::FactsSource;
use crate::extract::source_text::{decode_utf8, normalize_line_ends};
use crate::hidden_values::hide_values;
use crate::languages::LanguageRegistry;
use crate::named_file::read_source;
use kenning_graph::{FileFacts, Hash};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Open buffers by path. Each change clones the map, which is cheap because the buffers are shared.
pub(super) type OpenBuffers = Arc<BTreeMap<Arc<str>, Arc<Buffer>>>;

/// A source of the texts and facts of files. It returns them only if a file still has the content
/// that the graph was built from. Reads the disk, so call it only where blocking is allowed.
pub struct TextProvider {
    root: Arc<Path>,
    buffers: OpenBuffers,
    /// The cached facts; `None` before the databases are open.
    facts: Option<Arc<FactsSource>>,
}

/// Replaces the hidden values in the text of a file, as the index does.
fn mask_hidden_values<'t>(path: &str, text: Cow<'t, str>) -> Cow<'t, str> {
    let Some(language) = LanguageRegistry::get().find_by_file(path, text.as_bytes()) else { return text };
    match hide_values(&language.row, &text) {
        Cow::Owned(hidden) => Cow::Owned(hidden),
        Cow::Borrowed(_) => text,
    }
}

impl TextProvider {
    /// Creates a source of texts from buffers, the disk, and cached facts.
    pub(super) fn new(root: Arc<Path>, buffers: OpenBuffers, facts: Option<Arc<FactsSource>>) -> Self {
        Self { root, buffers, facts }
    }

    fn find_buffer(&self, path: &str, hash: &Hash) -> Option<&Buffer> {
        self.buffers.get(path).map(|buffer| &**buffer).filter(|buffer| buffer.content_hash() == *hash)
    }

    /// Returns the text of a workspace-relative path whose SHA-256 is `hash`, or `None` if neither
    /// the buffer nor the disk has that text. The text is as the index read it, so its offsets and
    /// lines agree with the graph: each byte that is not UTF-8 is replaced with one byte, and each
    /// lone carriage return with a line feed. Hidden values are replaced by spaces.
    pub fn file_text(&self, path: &str, hash: &Hash) -> Option<Arc<str>> {
        if let Some(buffer) = self.find_buffer(path, hash) {
            return Some(match mask_hidden_values(path, normalize_line_ends(buffer.buffer_text())) {
                Cow::Borrowed(_) => buffer.buffer_text().clone(),
                Cow::Owned(text) => text.into(),
            });
        }
        let bytes = read_source(&self.root.join(path))?;
        let text = || mask_hidden_values(path, decode_utf8(&bytes).0).into();
        (Hash::from_content(&bytes) == *hash).then(text)
    }

    /// Returns the facts of the file at a workspace-relative path if its SHA-256 is `hash`. Looks
    /// in its buffer, then in the cache, then on disk. Returns `None` if no source has that
    /// content.
    pub fn file_facts(&self, path: &str, language: &str, hash: &Hash) -> Option<Arc<FileFacts>> {
        let from_buffer = self.find_buffer(path, hash).and_then(Buffer::file_facts).cloned();
        from_buffer.or_else(|| self.facts.as_ref()?.facts_of_file(&self.root, path, language, hash))
    }
}
