//! Files that were not parsed and did not change since: a report names them every time, not only when they are read.

use super::DiskIndex;
use crate::walk::{SkipReason, SkippedFile};
use kenning_graph::FileId;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// No file smaller than this many bytes is given up: the shortest texts that are nested too deeply are longer.
const MIN_BYTES: u64 = 800;

impl DiskIndex {
    /// The files of the graph, but for those in `read`, whose parsing was given up. Only files without symbols are asked.
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
