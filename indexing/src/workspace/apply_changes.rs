//! From changed files to a consistent graph: their new symbols, then the edges of every file that changed or that
//! looked up something that changed. The same for one keystroke and for a whole tree.

use crate::project::Project;
use crate::resolve::resolve_files;
use kenning_graph::snapshot::{FileChange, FileEdges};
use kenning_graph::{FileFacts, FileId, Hash, Snapshot};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Files resolved together: their edges are unpacked at once before they are stored. Bounds that memory; resolution
/// shares what it looks up within such a group.
const FILES_AT_ONCE: usize = 1024;

/// Files resolved between two looks whether something more urgent has come: some ten milliseconds.
const FILES_IN_A_STEP: usize = 4;

/// A settled graph and what it took.
pub(super) struct AppliedChanges {
    pub snapshot: Snapshot,
    /// Paths of files whose content changed and that are in the graph.
    pub changed: Vec<String>,
    /// Paths of further files whose edges were resolved again.
    pub resolved: Vec<String>,
}

/// Gives the facts of a file that did not change, by path, language and content.
pub(super) type StoredFacts<'a> = &'a (dyn Fn(&str, &str, &Hash) -> Option<Arc<FileFacts>> + Sync);

/// Files to resolve again besides those that changed or looked up what changed.
pub(super) enum ExtraFiles {
    /// All files: the manifests changed.
    All,
    /// These, in the order of their paths.
    Files(Vec<FileId>),
}

/// What happened to files, and which other files have to be resolved again because of something else.
pub(super) struct GraphChanges {
    pub files: Vec<FileChange>,
    pub further: ExtraFiles,
}

/// Changed files in the graph, and the files whose edges have to follow.
struct PendingResolution {
    next: Snapshot,
    /// Files whose content changed and that are in the graph, by path.
    changed: Vec<FileId>,
    /// Files that looked up something that changed, by path.
    others: Vec<FileId>,
}

fn begin_changes(snapshot: &Snapshot, changes: GraphChanges) -> PendingResolution {
    let GraphChanges { files: changes, further } = changes;
    let put: FxHashSet<String> = changes
        .iter()
        .filter(|change| matches!(change, FileChange::Put { .. }))
        .map(|change| change.file_path().to_owned())
        .collect();
    let (next, keys) = snapshot.with_files(changes);
    let affected = match further {
        ExtraFiles::All => next.files(),
        ExtraFiles::Files(files) => {
            let mut affected = next.files_affected_by(&keys);
            let known: FxHashSet<FileId> = affected.iter().copied().collect();
            affected.extend(files.into_iter().filter(|id| !known.contains(id) && next.file(*id).is_some()));
            affected
        }
    };
    let mut changed: Vec<FileId> = put.iter().filter_map(|path| next.file_by_path(path)).collect();
    changed.sort_unstable_by_key(|&id| next.file(id).map(|f| f.path.to_owned()));
    let own: FxHashSet<FileId> = changed.iter().copied().collect();
    let others: Vec<FileId> = affected.into_iter().filter(|id| !own.contains(id)).collect();
    PendingResolution { next, changed, others }
}

/// Resolves these files again.
pub(super) fn resolve_again(next: &mut Snapshot, project: &Project, files: &[FileId], stored: StoredFacts) {
    for files in files.chunks(FILES_AT_ONCE) {
        let edges = resolve_edges(next, project, files, stored);
        next.add_edges(edges);
    }
}

/// [`resolve_again`] for a graph that is about to be written to a base: what only resolution reads of a file is let go as soon
/// as the file is done.
fn resolve_in_bulk(next: &mut Snapshot, project: &Project, files: &[FileId], stored: StoredFacts) {
    for files in files.chunks(FILES_AT_ONCE) {
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
    // A file whose facts cannot be had (it changed on the disk meanwhile) keeps its edges; the watcher or the next
    // refresh brings its new content.
    let inputs: Vec<(FileId, Arc<FileFacts>)> =
        files.par_iter().filter_map(|&id| Some((id, facts_of_file(next, id, stored)?))).collect();
    resolve_files(next, project, &inputs)
}

/// Applies changes, and resolves further files again. With `bulk`, the graph has to be written to a base, or its edges
/// attached, before it is read.
pub(super) fn apply_changes(
    snapshot: &Snapshot,
    project: &Project,
    changes: GraphChanges,
    bulk: bool,
    stored: StoredFacts,
) -> AppliedChanges {
    let PendingResolution { mut next, changed, others } = begin_changes(snapshot, changes);
    let all: Vec<FileId> = changed.iter().chain(&others).copied().collect();
    if bulk {
        resolve_in_bulk(&mut next, project, &all, stored);
    } else {
        resolve_again(&mut next, project, &all, stored);
    }
    let paths =
        |ids: &[FileId]| ids.iter().filter_map(|&id| next.file(id)).map(|f| f.path.to_owned()).collect();
    let (changed, resolved) = (paths(&changed), paths(&others));
    AppliedChanges { snapshot: next, changed, resolved }
}

/// Applies changes; when more than `limit` other files have to be resolved again, these keep their edges. Returns how many
/// files that leaves with the edges of before.
pub(super) fn apply_within_limit(
    snapshot: &Snapshot,
    project: &Project,
    changes: GraphChanges,
    limit: usize,
    stored: StoredFacts,
) -> (Snapshot, usize) {
    let PendingResolution { mut next, mut changed, others } = begin_changes(snapshot, changes);
    let left = if others.len() > limit { others.len() } else { 0 };
    if left == 0 {
        changed.extend(others);
    }
    resolve_again(&mut next, project, &changed, stored);
    (next, left)
}

/// [`apply_changes`] by small steps; `None` when `interrupted` said so between two of them.
pub(super) fn apply_in_steps(
    snapshot: &Snapshot,
    project: &Project,
    changes: GraphChanges,
    stored: StoredFacts,
    interrupted: &mut dyn FnMut() -> bool,
) -> Option<Snapshot> {
    let PendingResolution { mut next, changed, others } = begin_changes(snapshot, changes);
    let all: Vec<FileId> = changed.into_iter().chain(others).collect();
    for files in all.chunks(FILES_IN_A_STEP) {
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
