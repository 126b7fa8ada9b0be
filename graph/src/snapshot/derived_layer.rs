//! The derived files of a graph by their ids.
//!
//! Like the history layer, the marks belong to no text and are not part of the source root. They
//! survive edits, because a file keeps its id until the next base.

use super::{FileId, Snapshot};
use crate::derived::{DerivedFiles, DerivedReason};
use crate::hash::{Hash, HashBuilder};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The reasons of the derived files of one graph.
#[derive(Debug, Default)]
pub(crate) struct DerivedLayer {
    reasons: FxHashMap<FileId, DerivedReason>,
}

impl Snapshot {
    /// Returns the same graph, in which exactly the files of `derived` are marked as derived.
    /// Ignores paths that are not in the graph. Equal marks leave the snapshot the same
    /// ([`Snapshot::is_same_as`]).
    #[must_use]
    pub fn with_derived_files(mut self, derived: &DerivedFiles) -> Self {
        let marks = derived.files().filter_map(|(path, reason)| Some((self.file_by_path(path)?, reason)));
        let reasons: FxHashMap<FileId, DerivedReason> = marks.collect();
        if reasons != self.derived.reasons {
            self.derived = Arc::new(DerivedLayer { reasons });
        }
        self
    }

    /// Returns the reason why no one edits a file; `None` for source.
    pub fn derived_reason(&self, file: FileId) -> Option<DerivedReason> {
        self.derived.reasons.get(&file).copied()
    }

    /// Counts the derived files by reason.
    pub fn count_derived_files(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for (&file, reason) in &self.derived.reasons {
            if !self.overlay.removed.contains(&file) {
                *counts.entry(reason.as_str()).or_default() += 1;
            }
        }
        counts
    }

    /// Returns the identity of the marks; `None` if no file is derived.
    pub(super) fn derived_identity(&self) -> Option<Hash> {
        if self.derived.reasons.is_empty() {
            return None;
        }
        let marks = self.derived.reasons.iter();
        let mut marks: Vec<(&str, &str)> =
            marks.map(|(&file, reason)| (self.file_path(file), reason.as_str())).collect();
        marks.sort_unstable();
        let mut hasher = HashBuilder::new("derived");
        for (path, reason) in marks {
            hasher.add_text(path).add_text(reason);
        }
        Some(hasher.finish())
    }
}
