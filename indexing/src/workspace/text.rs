//! The texts of a workspace: open buffers first, then the disk, always checked by content hash.

use kenning_graph::Hash;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Gives the text of a file, if it is still the text that the graph was made from.
#[derive(Debug)]
pub struct TextProvider {
    root: PathBuf,
    buffers: BTreeMap<String, Arc<str>>,
}

impl TextProvider {
    pub(super) fn new(root: PathBuf, buffers: BTreeMap<String, Arc<str>>) -> Self {
        Self { root, buffers }
    }

    /// The text of a workspace-relative path whose SHA-256 is `hash`; `None` when neither the buffer nor the disk
    /// has that text (any more). Invalid UTF-8 is read with replacement characters, as it was for the index.
    pub fn text(&self, path: &str, hash: &Hash) -> Option<Arc<str>> {
        if let Some(text) = self.buffers.get(path)
            && Hash::of_content(text.as_bytes()) == *hash
        {
            return Some(text.clone());
        }
        let bytes = std::fs::read(self.root.join(path)).ok()?;
        if Hash::of_content(&bytes) != *hash {
            return None;
        }
        Some(match String::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into(),
        })
    }
}
