//! The interface through which retrieval gets the bodies of symbols, because it reads no files
//! itself.

use kenning_graph::Hash;
use std::sync::Arc;

/// A source of the texts of files.
pub trait TextSource: Sync {
    /// Returns the text of the file at `path` if its content still has this hash. Otherwise returns
    /// `None`, and the pack shows the signature instead.
    fn read_text(&self, path: &str, content_hash: &Hash) -> Option<Arc<str>>;
}

/// A source without texts, with which packs show only signatures and names.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoText;

impl TextSource for NoText {
    fn read_text(&self, _path: &str, _content_hash: &Hash) -> Option<Arc<str>> {
        None
    }
}
