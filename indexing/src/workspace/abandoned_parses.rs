//! Unchanged files whose parsing was given up, so that every report names them, not only the report
//! of the refresh that read them.

use super::DiskIndex;
use crate::walk::{SkipReason, SkippedFile};
use kenning_graph::FileId;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Smallest size in bytes of a file that can be given up. The shortest texts whose nesting is too
/// deep are longer.
const MIN_BYTES: u64 = 800;

impl DiskIndex {
    /// Returns the files of the graph whose parsing was given up, except those in `read`. Loads the
    /// facts only of files without symbols.
    pub(super) fn abandoned_parses(&self, read: &FxHashSet<&str>) -> Vec<SkippedFile> {
        let bare = |id: &FileId| {
            let file = self.snapshot.file(*id);
            file.is_some_and(|f| f.size >= MIN_BYTES && !read.contains(f.path))
                && self.snapshot.file_symbols(*id).len() <= 1
        };
        let suspects: Vec<FileId> = self.snapshot.files().into_iter().filter(bare).collect();
        let (snapshot, source, root) = (&self.snapshot, &self.facts, &self.root);
        let given_up = suspects.par_iter().filter_map(|&id| {
            let file = snapshot.file(id)?;
            let facts = source.facts_of_file(root, file.path, file.language, &file.content_hash)?;
            let skipped = SkippedFile { path: file.path.to_owned(), reason: SkipReason::NotParsed };
            facts.quality.abandoned.then_some(skipped)
        });
        given_up.collect()
    }
}
