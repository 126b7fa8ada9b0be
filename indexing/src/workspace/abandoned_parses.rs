//! Finds unchanged files that the parser gave up on. Every report lists them, not only the report
//! of the refresh that read them.

use super::DiskIndex;
use crate::walk::{SkipReason, SkippedFile};
use kenning_graph::FileId;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Smallest size in bytes of a file that the parser can give up on. Every text whose nesting is too
/// deep is longer.
const MIN_ABANDONED_BYTES: u64 = 800;

impl DiskIndex {
    /// Returns the files of the graph that the parser gave up on, except the files at the
    /// `reported` paths. Loads the facts only of files without symbols.
    pub(super) fn abandoned_parses(&self, reported: &FxHashSet<&str>) -> Vec<SkippedFile> {
        let is_suspect = |id: &FileId| {
            let file = self.snapshot.file(*id);
            file.is_some_and(|file| file.size >= MIN_ABANDONED_BYTES && !reported.contains(file.path))
                && self.snapshot.file_symbols(*id).len() <= 1
        };
        let suspects: Vec<FileId> = self.snapshot.files().into_iter().filter(is_suspect).collect();
        let (snapshot, source, root) = (&self.snapshot, &self.facts, &self.root);
        let abandoned = suspects.par_iter().filter_map(|&id| {
            let file = snapshot.file(id)?;
            let facts = source.facts_of_file(root, file.path, file.language, &file.content_hash)?;
            let skipped = SkippedFile { path: file.path.to_owned(), reason: SkipReason::NotParsed };
            facts.quality.abandoned.then_some(skipped)
        });
        abandoned.collect()
    }
}
