//! Requests for packs (about a task, files or a change) with their options, and the evidence that
//! the caller supplies.

use kenning_graph::{Hash, SymbolId, SymbolRef};

/// The options of every kind of request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestOptions {
    /// Tokens of the pack; `None` for the configuration's budget.
    pub budget: Option<usize>,
    /// Whether session and feedback are ignored, so that equal requests give equal packs. History
    /// and run time still count.
    pub no_learning: bool,
    /// Symbols that the pack shows before all others, in this order. Symbols that are not in the
    /// snapshot are ignored.
    pub pinned: Vec<SymbolId>,
    /// Symbols that the pack never shows, even if they are pinned.
    pub excluded: Vec<SymbolId>,
    /// Whether the pack of a task that nothing in the workspace matches is filled like any other,
    /// instead of listing the closest candidates.
    pub keep_weak: bool,
    /// The documents that the pack of a task may have sections of; `None` for none.
    pub documents: Option<PackDocuments>,
}

/// The documents of a workspace whose sections a pack may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackDocuments {
    /// The folder whose documents are left out, relative to the root with `/` as the separator;
    /// empty for none.
    pub excluded_folder: String,
}

impl PackDocuments {
    /// Whether the document at a path is left out.
    pub(crate) fn leaves_out(&self, path: &str) -> bool {
        !self.excluded_folder.is_empty()
            && path.strip_prefix(&self.excluded_folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// A task in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskRequest {
    /// Any text: a line, a commit message, a pasted issue or log.
    pub task: String,
    /// Budget, learning, pins and exclusions.
    pub options: RequestOptions,
}

impl TaskRequest {
    /// Creates a request with default options.
    pub fn new(task: impl Into<String>) -> Self {
        Self { task: task.into(), options: RequestOptions::default() }
    }
}

/// Files that someone is about to work on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesRequest {
    /// Workspace-relative paths with `/` as the separator.
    pub files: Vec<String>,
    /// Budget, learning, pins and exclusions.
    pub options: RequestOptions,
}

/// A change that someone made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeRequest {
    /// The changed files.
    pub files: Vec<ChangedFile>,
    /// Symbols that use a symbol that the change removed. They count as changed.
    pub users: Vec<SymbolId>,
    /// Budget, learning, pins and exclusions.
    pub options: RequestOptions,
}

/// A changed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// Workspace-relative path with `/` as the separator.
    pub path: String,
    /// Changed lines, first and last, 1-based. The whole file counts as changed if this and
    /// `removed_after` are empty.
    pub lines: Vec<(u32, u32)>,
    /// 1-based lines after which lines were removed without a replacement; 0 for lines before the
    /// first.
    pub removed_after: Vec<u32>,
}

/// Evidence for a symbol beyond the graph: use, history, run time. Ages are in seconds at the time
/// of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymbolEvidence {
    /// Share of reports that found the symbol useful, 0..=1.
    pub feedback: Option<f64>,
    /// Share of readers of packs for similar tasks who used the symbol, 0..=1. Weaker than
    /// feedback, which replaces it.
    pub usage: Option<f64>,
    /// Strength of the learned associations of the task's words with the symbol, 0..=1.
    pub vocabulary: f64,
    /// The strength, 0..=1, with which earlier similar tasks recall the symbol because their packs
    /// began with it.
    pub recall: f64,
    /// Sum of decayed uses in this session.
    pub session: f64,
    /// Age of the last commit that touched the symbol.
    pub commit_age: Option<u64>,
    /// Age of the last observation at run time.
    pub observed_age: Option<u64>,
}

/// A source of [`SymbolEvidence`].
pub trait EvidenceSource: Sync {
    /// Returns the evidence for this symbol; the default if there is none.
    fn evidence_for(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence;

    /// Returns the symbols that are candidates because of the learned vocabulary, even if no stage
    /// of the ranking finds them. The order has no influence.
    fn associated_symbols(&self) -> Vec<Hash> {
        Vec::new()
    }
}
