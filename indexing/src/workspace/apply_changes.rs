//! Updates a graph after files changed, whether a single keystroke or a whole tree.
//!
//! The input is a snapshot, the changed files with their new facts ([`GraphChanges`]) and the
//! project. First the snapshot gets the new symbols. Then the edges of two groups of files are
//! resolved: the changed files, and the files that looked up something that changed. The output is
//! a new snapshot. The three entry points differ in how they treat the second group:
//! [`apply_changes`] resolves all of it, [`apply_within_limit`] skips it if it is too large, and
//! [`apply_in_steps`] can be interrupted between files.

use crate::project::Project;
use crate::resolve::resolve_files;
use kenning_graph::snapshot::{FileChange, FileEdges};
use kenning_graph::{FileFacts, FileId, Hash, Snapshot};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Number of files that are resolved together. Their edges stay unpacked in memory until they are
/// stored, so this bounds memory use. Resolution shares its lookups within such a group.
const FILES_PER_BATCH: usize = 1024;

/// Number of files that are resolved between two calls to `interrupted`. Resolving them takes about
/// ten milliseconds.
const FILES_PER_STEP: usize = 4;

/// A graph after changes, and the files that were resolved for it.
pub(super) struct AppliedChanges {
    pub snapshot: Snapshot,
    /// Paths of the changed files that are in the graph, sorted.
    pub changed: Vec<String>,
    /// Paths of the other files whose edges were resolved again, in the order of resolution.
    pub resolved: Vec<String>,
}

/// A function that returns the facts of an unchanged file by path, language and content hash.
pub(super) type StoredFacts<'a> = &'a (dyn Fn(&str, &str, &Hash) -> Option<Arc<FileFacts>> + Sync);

/// Files to resolve besides the changed files and the files that looked up something that changed.
pub(super) enum ExtraFiles {
    /// All files, because the manifests changed.
    All,
    /// These files, in the order of their paths.
    Files(Vec<FileId>),
}

/// The changed files, and the files that have to be resolved for another reason.
pub(super) struct GraphChanges {
    pub files: Vec<FileChange>,
    pub extra: ExtraFiles,
}

/// A graph with changed files, and the files whose edges have to be resolved.
struct PendingResolution {
    next: Snapshot,
    /// The changed files that are in the graph, sorted by path.
    changed: Vec<FileId>,
    /// Other files to resolve: they looked up something that changed, or the caller named them.
    others: Vec<FileId>,
}

fn insert_changed_files(snapshot: &Snapshot, changes: GraphChanges) -> PendingResolution {
    let GraphChanges { files: changes, extra } = changes;
    let put_paths: FxHashSet<String> = changes
        .iter()
        .filter(|change| matches!(change, FileChange::Put { .. }))
        .map(|change| change.file_path().to_owned())
        .collect();
    let (next, keys) = snapshot.with_files(changes);
    let affected = match extra {
        ExtraFiles::All => next.files(),
        ExtraFiles::Files(files) => {
            let mut affected = next.files_affected_by(&keys);
            let known: FxHashSet<FileId> = affected.iter().copied().collect();
            affected.extend(files.into_iter().filter(|id| !known.contains(id) && next.file(*id).is_some()));
            affected
        }
    };
    let mut changed: Vec<FileId> = put_paths.iter().filter_map(|path| next.file_by_path(path)).collect();
    changed.sort_unstable_by_key(|&id| next.file(id).map(|file| file.path.to_owned()));
    let changed_ids: FxHashSet<FileId> = changed.iter().copied().collect();
    let others: Vec<FileId> = affected.into_iter().filter(|id| !changed_ids.contains(id)).collect();
    PendingResolution { next, changed, others }
}

/// Resolves `files` and replaces their edges in `next`.
pub(super) fn resolve_again(next: &mut Snapshot, project: &Project, files: &[FileId], stored: StoredFacts) {
    for files in files.chunks(FILES_PER_BATCH) {
        let edges = resolve_edges(next, project, files, stored);
        next.add_edges(edges);
    }
}

/// Does the same as [`resolve_again`] for a graph that is about to be written to a base image. As
/// soon as a file is resolved, frees the data of the file that only resolution reads.
fn resolve_in_bulk(next: &mut Snapshot, project: &Project, files: &[FileId], stored: StoredFacts) {
    for files in files.chunks(FILES_PER_BATCH) {
        let edges = resolve_edges(next, project, files, stored);
        next.add_edges_by_file(edges);
        next.drop_references(files);
    }
}

fn resolve_edges(
    next: &Snapshot,
    project: &Project,
    files: &[FileId],
    stored: StoredFacts,
) -> Vec<FileEdges> {
    // A file whose facts are unavailable, because it changed on disk meanwhile, keeps its edges.
    // The watcher or the next refresh brings its new content.
    let inputs: Vec<(FileId, Arc<FileFacts>)> =
        files.par_iter().filter_map(|&id| Some((id, facts_of_file(next, id, stored)?))).collect();
    resolve_files(next, project, &inputs)
}

/// The number of files that a change affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeVolume {
    /// Few files, so that the graph can be read at once.
    Small,
    /// Many files: the caller has to write the graph to a base image or attach its edges before
    /// reading it.
    Bulk,
}

/// Applies changes and resolves all affected files.
pub(super) fn apply_changes(
    snapshot: &Snapshot,
    project: &Project,
    changes: GraphChanges,
    volume: ChangeVolume,
    stored: StoredFacts,
) -> AppliedChanges {
    let PendingResolution { mut next, changed, others } = insert_changed_files(snapshot, changes);
    let all: Vec<FileId> = changed.iter().chain(&others).copied().collect();
    match volume {
        ChangeVolume::Small => resolve_again(&mut next, project, &all, stored),
        ChangeVolume::Bulk => resolve_in_bulk(&mut next, project, &all, stored),
    }
    let paths = |ids: &[FileId]| {
        ids.iter().filter_map(|&id| next.file(id)).map(|file| file.path.to_owned()).collect()
    };
    let (changed, resolved) = (paths(&changed), paths(&others));
    AppliedChanges { snapshot: next, changed, resolved }
}

/// Applies changes and resolves the changed files. Also resolves the other affected files if there
/// are at most `limit` of them; otherwise these keep their old edges. Returns the new graph and the
/// number of files with old edges.
pub(super) fn apply_within_limit(
    snapshot: &Snapshot,
    project: &Project,
    changes: GraphChanges,
    limit: usize,
    stored: StoredFacts,
) -> (Snapshot, usize) {
    let PendingResolution { mut next, mut changed, others } = insert_changed_files(snapshot, changes);
    let deferred = if others.len() > limit { others.len() } else { 0 };
    if deferred == 0 {
        changed.extend(others);
    }
    resolve_again(&mut next, project, &changed, stored);
    (next, deferred)
}

/// Does the same as [`apply_changes`] in small steps. Returns `None` if `interrupted` returned true
/// before a step.
pub(super) fn apply_in_steps(
    snapshot: &Snapshot,
    project: &Project,
    changes: GraphChanges,
    stored: StoredFacts,
    interrupted: &mut dyn FnMut() -> bool,
) -> Option<Snapshot> {
    let PendingResolution { mut next, changed, others } = insert_changed_files(snapshot, changes);
    let all: Vec<FileId> = changed.into_iter().chain(others).collect();
    for files in all.chunks(FILES_PER_STEP) {
        if interrupted() {
            return None;
        }
        resolve_again(&mut next, project, files, stored);
    }
    Some(next)
}

fn facts_of_file(snapshot: &Snapshot, id: FileId, stored: StoredFacts) -> Option<Arc<FileFacts>> {
    if let Some(facts) = snapshot.file_facts(id) {
        return Some(facts);
    }
    let file = snapshot.file(id)?;
    stored(file.path, file.language, &file.content_hash)
}
