//! The workspace as `kenning-indexing` will give it, until it is built in: same names, same types.
#![allow(missing_docs, clippy::unused_self, clippy::unnecessary_wraps)]

use kenning_graph::snapshot::CallStats;
use kenning_graph::{Hash, Snapshot};
pub use kenning_indexing::walk::Skipped;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

#[derive(Debug, Default)]
pub struct TextProvider {}
impl TextProvider {
    pub fn text(&self, _path: &str, _hash: &Hash) -> Option<Arc<str>> {
        None
    }
}
pub trait Progress: Sync {
    fn report(&self, stage: &'static str, done: usize, total: usize);
    fn cancelled(&self) -> bool {
        false
    }
}
#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    pub db: Option<PathBuf>,
    pub cache_home: Option<PathBuf>,
    pub threads: Option<usize>,
    pub max_file_size: u64,
    pub keep_going: bool,
}
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WorkspaceError(pub String);
#[derive(Clone, Debug, Default)]
pub struct IndexReport {
    pub files: usize,
    pub symbols: usize,
    pub parsed: usize,
    pub from_cache: usize,
    pub removed: usize,
    pub resolved_files: usize,
    pub bytes: u64,
    pub seconds: f64,
    pub skipped: Vec<Skipped>,
    pub calls: CallStats,
    pub rebuilt: Option<String>,
}
pub struct Workspace {
    root: PathBuf,
}
impl Workspace {
    pub fn open(root: &Path, _: WorkspaceOptions) -> Result<Workspace, WorkspaceError> {
        Ok(Workspace { root: root.to_owned() })
    }
    pub fn root(&self) -> &Path {
        &self.root
    }
    pub fn db_path(&self) -> &Path {
        &self.root
    }
    pub fn is_writer(&self) -> bool {
        true
    }
    pub fn refresh(&mut self, _: &dyn Progress) -> Result<IndexReport, WorkspaceError> {
        Ok(IndexReport::default())
    }
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::empty()
    }
    pub fn set_buffer(&mut self, _: &str, _: &str) -> Result<Snapshot, WorkspaceError> {
        Ok(Snapshot::empty())
    }
    pub fn close_buffer(&mut self, _: &str) -> Result<Snapshot, WorkspaceError> {
        Ok(Snapshot::empty())
    }
    pub fn unsaved_files(&self) -> usize {
        0
    }
    pub fn indexed_at(&self) -> Option<SystemTime> {
        None
    }
    pub fn head(&self) -> Option<String> {
        None
    }
    pub fn text_source(&self) -> Arc<TextProvider> {
        Arc::new(TextProvider::default())
    }
}
pub fn symbols_of(_language: &str, _text: &[u8]) -> Vec<String> {
    Vec::new()
}
