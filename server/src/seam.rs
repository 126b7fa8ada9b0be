//! The interfaces of the crates this one stands on, until they are merged: same names, same types.
#![allow(missing_docs, clippy::unused_self)]

use kenning_graph::snapshot::CallStats;
use kenning_graph::{Hash, Snapshot};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub trait TextProvider: Send + Sync {
    fn text(&self, path: &str, hash: &Hash) -> Option<Arc<str>>;
}
pub trait Progress: Sync {
    fn report(&self, stage: &str, done: usize, total: usize);
    fn cancelled(&self) -> bool;
}
#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    pub db: Option<PathBuf>,
    pub cache_home: Option<PathBuf>,
    pub threads: Option<usize>,
    pub max_file_size: u64,
}
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WorkspaceError(pub String);
#[derive(Debug)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}
#[derive(Debug, Default)]
pub struct IndexReport {
    pub files: usize,
    pub symbols: usize,
    pub edges: usize,
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
struct NoText;
impl TextProvider for NoText {
    fn text(&self, _: &str, _: &Hash) -> Option<Arc<str>> {
        None
    }
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
    pub fn set_buffer(&mut self, _: &str, _: &str) -> Snapshot {
        Snapshot::empty()
    }
    pub fn close_buffer(&mut self, _: &str) -> Snapshot {
        Snapshot::empty()
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
    pub fn text_source(&self) -> Arc<dyn TextProvider> {
        Arc::new(NoText)
    }
}

pub mod retrieval {
    use super::*;
    use kenning_graph::{EdgeKind, Provenance, SymbolKind};
    use serde::Serialize;
    use std::collections::BTreeMap;

    pub trait TextSource: Sync {
        fn text(&self, path: &str, content_hash: &Hash) -> Option<Arc<str>>;
    }
    pub trait StageObserver {
        fn stage(&mut self, name: &'static str);
    }
    #[derive(Clone, Debug, Default)]
    pub struct RankConfig {}
    impl RankConfig {
        pub fn seeds() -> Self {
            Self {}
        }
    }
    #[derive(Clone, Debug, Default)]
    pub struct RequestOptions {
        pub budget: Option<usize>,
        pub no_learning: bool,
    }
    #[derive(Clone, Debug, Default)]
    pub struct TaskRequest {
        pub task: String,
        pub options: RequestOptions,
    }
    #[derive(Clone, Debug, Default)]
    pub struct FilesRequest {
        pub files: Vec<String>,
        pub options: RequestOptions,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Detail {
        Body,
        Trimmed,
        Signature,
        Name,
    }
    #[derive(Clone, Debug)]
    pub struct PackSymbol {
        pub id: Hash,
        pub qualified_name: String,
        pub name: String,
        pub kind: SymbolKind,
        pub language: String,
        pub file: String,
        pub line: u32,
        pub end_line: u32,
        pub signature: String,
        pub doc: String,
        pub score: f32,
        pub distance: u32,
        pub confidence: f32,
        pub provenance: Provenance,
        pub channels: Vec<String>,
        pub components: BTreeMap<String, f32>,
        pub detail: Detail,
        pub tokens: usize,
        pub text: Option<String>,
    }
    #[derive(Clone, Debug)]
    pub struct PackEdge {
        pub source: usize,
        pub target: usize,
        pub kind: EdgeKind,
        pub provenance: Provenance,
        pub confidence: f32,
    }
    #[derive(Clone, Debug)]
    pub struct Omitted {
        pub name: String,
        pub reason: String,
        pub tokens: usize,
    }
    #[derive(Clone, Debug, Default)]
    pub struct Pack {
        pub task: String,
        pub pack_root: Hash,
        pub base_root: Option<Hash>,
        pub source_root: Hash,
        pub snapshot: Hash,
        pub budget: usize,
        pub tokens_used: usize,
        pub symbols: Vec<PackSymbol>,
        pub edges: Vec<PackEdge>,
        pub omitted: Vec<Omitted>,
        pub omitted_counts: BTreeMap<String, usize>,
    }
    #[derive(Clone, Debug, Default, Serialize)]
    pub struct Explanation {}
    #[derive(Clone, Debug, Default)]
    pub struct Trace {}
    impl Trace {
        pub fn why(&self, _: &Hash) -> Option<Explanation> {
            None
        }
    }
    pub struct TaskAnswer {
        pub pack: Pack,
        pub trace: Trace,
    }
    pub struct Analysis<'a> {
        pub snapshot: &'a Snapshot,
        pub config: &'a RankConfig,
        pub text: &'a dyn TextSource,
    }
    impl Analysis<'_> {
        pub fn for_task(&self, request: &TaskRequest, _: &mut dyn StageObserver) -> TaskAnswer {
            let pack = Pack { task: request.task.clone(), ..Pack::default() };
            TaskAnswer { pack, trace: Trace {} }
        }
        pub fn for_files(&self, request: &FilesRequest, _: &mut dyn StageObserver) -> TaskAnswer {
            let pack = Pack { task: request.files.join(" "), ..Pack::default() };
            TaskAnswer { pack, trace: Trace {} }
        }
    }
}
pub fn symbols_of(_language: &str, _text: &[u8]) -> Vec<String> {
    Vec::new()
}
