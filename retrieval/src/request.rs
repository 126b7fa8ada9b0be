//! What an answer is asked for.

use kenning_graph::{SymbolId, SymbolRef};

/// What holds for every kind of request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestOptions {
    /// Tokens of the pack; `None`: the configuration's.
    pub budget: Option<usize>,
    /// Leave session, feedback and vocabulary out: two equal calls give equal bytes. What history and run time say stays.
    pub no_learning: bool,
    /// Symbols that the pack shows before all others, in this order. What is not in the snapshot says nothing.
    pub pinned: Vec<SymbolId>,
    /// Symbols that the pack never shows, not even where they are pinned.
    pub excluded: Vec<SymbolId>,
}

/// A task in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskRequest {
    /// Any text: a line, a commit message, a pasted issue or log.
    pub task: String,
    /// Budget and learning.
    pub options: RequestOptions,
}

impl TaskRequest {
    /// A task with the usual options.
    pub fn new(task: impl Into<String>) -> Self {
        Self { task: task.into(), options: RequestOptions::default() }
    }
}

/// Files that someone is about to work on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesRequest {
    /// Workspace-relative paths with `/`.
    pub files: Vec<String>,
    /// Budget and learning.
    pub options: RequestOptions,
}

/// A change that someone made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeRequest {
    /// The changed files.
    pub files: Vec<ChangedFile>,
    /// Symbols that use what is gone: they count as changed.
    pub users: Vec<SymbolId>,
    /// Budget and learning.
    pub options: RequestOptions,
}

/// A changed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// Workspace-relative path with `/`.
    pub path: String,
    /// Changed lines, first and last, 1-based; the whole file when this and `removed_after` are empty.
    pub lines: Vec<(u32, u32)>,
    /// 1-based lines behind which lines were removed and nothing was put in their place; 0: before the first.
    pub removed_after: Vec<u32>,
}

/// What is known of a symbol beyond the graph: use, history, run time. Ages are in seconds at the time of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymbolEvidence {
    /// Share of reports that found the symbol useful, 0..=1.
    pub feedback: Option<f64>,
    /// Sum of decayed uses in this session.
    pub session: f64,
    /// Age of the last commit that touched the symbol.
    pub commit_age: Option<u64>,
    /// Age of the last observation at run time.
    pub observed_age: Option<u64>,
}

/// A source of [`SymbolEvidence`].
pub trait EvidenceSource: Sync {
    /// What is known of this symbol; the default when nothing is.
    fn evidence_for(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence;
}
