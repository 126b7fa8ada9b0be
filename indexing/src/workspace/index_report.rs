//! The progress of a refresh and its result, as callers see them.

use crate::named_file::FileProblem;
use crate::walk::SkippedFile;
use kenning_graph::snapshot::CallStats;
use std::collections::BTreeMap;

/// A receiver of the progress of a long run, which can also stop it.
pub trait IndexProgress: Sync {
    /// Reports that `done` of `total` items of a stage (`"read"`, `"resolve"`, `"store"`) are
    /// finished.
    fn report_progress(&self, stage: &'static str, done: usize, total: usize);
    /// Whether to stop. Committed changes are kept.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A receiver that ignores the progress.
pub struct NoProgress;

impl IndexProgress for NoProgress {
    fn report_progress(&self, _: &'static str, _: usize, _: usize) {}
}

/// The result of a refresh.
#[derive(Clone, Debug, Default)]
pub struct IndexReport {
    /// Number of files in the graph.
    pub files: usize,
    /// Number of symbols in the graph.
    pub symbols: usize,
    /// Number of edges in the graph, mirrors included.
    pub edges: usize,
    /// Number of files that were parsed.
    pub parsed: usize,
    /// Number of changed files whose facts were found by their content hash.
    pub from_cache: usize,
    /// Number of files that were removed.
    pub removed: usize,
    /// Number of files whose edges were resolved.
    pub resolved_files: usize,
    /// Total size of the changed files in bytes.
    pub bytes: u64,
    /// Duration of the refresh in seconds.
    pub seconds: f64,
    /// Files that were left out, with the reasons.
    pub skipped: Vec<SkippedFile>,
    /// Unreadable manifests, configuration files and repositories. A refresh of single files
    /// repeats the findings of the last walk of the whole tree.
    pub problems: Vec<FileProblem>,
    /// Number of files whose language is unknown, by extension. A refresh of single files repeats
    /// the numbers of the last walk of the whole tree.
    pub unknown_extensions: BTreeMap<String, usize>,
    /// Paths of the read files with bytes that are not UTF-8, which were replaced.
    pub lossy: Vec<String>,
    /// Number of call sites in all files, by the outcome of their resolution.
    pub calls: CallStats,
    /// Reports of repaired damage with the location of the damaged file, as sentences; `None`
    /// without repairs.
    pub rebuilt: Option<String>,
}
