//! How the bodies of symbols reach retrieval, which reads no file itself.

use kenning_graph::Hash;
use std::sync::Arc;

/// Gives the text of files.
pub trait TextSource: Sync {
    /// The text of the file at `path` if its content still has this hash; otherwise `None`, and the pack shows the
    /// signature instead.
    fn read_text(&self, path: &str, content_hash: &Hash) -> Option<Arc<str>>;
}

/// No texts: every symbol is shown by its signature or name.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoText;

impl TextSource for NoText {
    fn read_text(&self, _path: &str, _content_hash: &Hash) -> Option<Arc<str>> {
        None
    }
}
