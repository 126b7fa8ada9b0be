//! Builds the verdict overlay of a graph, and updates it when the graph changes.
//!
//! The builder remembers the last graph that it composed. For the next graph it recomposes only the
//! files that changed, that have new verdicts, or that depend on symbols that changed. Dependent
//! files can be spread over several compositions, so that a change to a central file does not delay
//! an edit. A graph with another base has other ids, so the builder recomposes all its files.

use super::Snapshot;
use super::file_verdicts::{self, accessors_with_name_of};
use super::overlay::{PhantomSymbol, SnapshotOverlay};
use super::types::{FileId, SymbolId};
use super::verdict_overlay::VerdictOverlay;
use crate::hash::Hash;
use crate::verdicts::{Verdict, VerdictIndex, declaration_hash, external_hash};
use crate::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Applies verdicts to the latest graph. It belongs to the thread that changes the graph.
#[derive(Default)]
pub struct VerdictOverlayBuilder {
    index: VerdictIndex,
    overlay: Arc<VerdictOverlay>,
    /// The graph, without verdicts, that `overlay` belongs to.
    composed_graph: Option<Snapshot>,
    /// The symbols with new verdicts since the last composition.
    new_subjects: FxHashSet<Hash>,
    /// The files that depend on a change elsewhere and are not recomposed yet.
    pending: BTreeSet<FileId>,
    /// The number of files that the last composition recomposed.
    recomposed: usize,
}

/// The files to recompose.
#[derive(Default)]
struct DueFiles {
    /// The files that changed themselves.
    changed: BTreeSet<FileId>,
    /// The files with verdicts on, or edges to, a symbol that changed.
    dependent: BTreeSet<FileId>,
}

impl VerdictOverlayBuilder {
    /// Adds verdicts. They become visible with the next composition.
    pub fn record_verdicts<'v>(&mut self, verdicts: impl IntoIterator<Item = &'v Verdict>) {
        let changed = self.index.record_verdicts(verdicts);
        if !changed.is_empty() {
            Arc::make_mut(&mut self.overlay).batches += 1;
            self.new_subjects.extend(changed);
        }
    }

    /// Returns the graph `plain` with the verdicts applied. Recomposes all changed files, but at
    /// most `max_dependent` of the files that only depend on a change. The other dependent files
    /// keep their previous edges until later calls recompose them;
    /// [`VerdictOverlayBuilder::pending_count`] returns their number.
    pub fn compose_snapshot(&mut self, plain: &Snapshot, max_dependent: usize) -> Snapshot {
        self.recomposed = 0;
        if self.index.is_empty() {
            return plain.clone();
        }
        let due = match self.composed_graph.take() {
            Some(before) if Arc::ptr_eq(&before.base, &plain.base) => self.collect_due_files(&before, plain),
            _ => self.restart_composition(plain),
        };
        self.composed_graph = Some(plain.clone().without_verdicts());
        self.pending.extend(due.dependent);
        let mut due_now = due.changed;
        let dependent: Vec<FileId> =
            self.pending.iter().filter(|file| !due_now.contains(file)).take(max_dependent).copied().collect();
        due_now.extend(dependent);
        self.pending.retain(|file| !due_now.contains(file));
        self.recompose_files(plain, &due_now);
        plain.clone().with_verdict_overlay(Arc::clone(&self.overlay))
    }

    /// Returns the number of files that are not recomposed yet.
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }

    /// Returns the number of files that the last composition recomposed.
    pub fn recomposed_count(&self) -> usize {
        self.recomposed
    }

    /// Discards the composition and returns all files with verdicts, because another base has other
    /// ids.
    fn restart_composition(&mut self, plain: &Snapshot) -> DueFiles {
        let batches = self.overlay.batches;
        self.overlay = Arc::new(VerdictOverlay { batches, ..VerdictOverlay::default() });
        self.new_subjects.clear();
        self.pending.clear();
        let files = self.index.all_subjects().filter_map(|subject| file_of_subject(plain, &subject));
        DueFiles { changed: files.collect(), ..DueFiles::default() }
    }

    fn collect_due_files(&mut self, before: &Snapshot, after: &Snapshot) -> DueFiles {
        let mut due = DueFiles::default();
        due.changed.extend(self.new_subjects.drain().filter_map(|subject| file_of_subject(after, &subject)));
        for (file, content_changed) in changed_files(&before.overlay, &after.overlay) {
            due.changed.insert(file);
            if content_changed {
                self.add_dependents(before, after, file, &mut due.dependent);
            }
        }
        self.add_phantom_users(&before.overlay, &after.overlay, &mut due.dependent);
        due
    }

    /// Adds the files that depend on symbols of `file` that appeared, disappeared or changed their
    /// declaration.
    fn add_dependents(&self, before: &Snapshot, after: &Snapshot, file: FileId, due: &mut BTreeSet<FileId>) {
        let (old, new) = (declared_symbols(before, file), declared_symbols(after, file));
        let ids = old.keys().chain(new.keys().filter(|id| !old.contains_key(id)));
        for &id in ids {
            let (previous, current) = (old.get(&id), new.get(&id));
            if previous == current {
                continue;
            }
            // A verdict on one accessor of a property also has edges to the others.
            let mut accessors: Vec<SymbolId> =
                [before, after].iter().flat_map(|snapshot| accessors_with_name_of(snapshot, id)).collect();
            accessors.sort_unstable();
            accessors.dedup();
            for accessor in accessors {
                let known = old.get(&accessor).or_else(|| new.get(&accessor));
                let Some((hash, _)) = known else { continue };
                let subjects = self.index.dependent_subjects(hash);
                due.extend(subjects.filter_map(|subject| file_of_subject(after, &subject)));
            }
            if previous.is_none() != current.is_none() {
                // Readers hide edges to a missing symbol, so the visible edges of these files
                // changed.
                for snapshot in [before, after] {
                    snapshot.for_each_stored_in(id, |edge| {
                        if self.overlay.files.contains_key(&edge.owner) {
                            due.insert(edge.owner);
                        }
                    });
                }
            }
        }
    }

    /// Adds the files with verdicts on an external symbol for which the indexer has added or
    /// removed a phantom.
    fn add_phantom_users(
        &self,
        before: &SnapshotOverlay,
        after: &SnapshotOverlay,
        due: &mut BTreeSet<FileId>,
    ) {
        let (removed, added) = (
            before.phantoms.entries_differing_from(&after.phantoms),
            after.phantoms.entries_differing_from(&before.phantoms),
        );
        let mut numbers = FxHashSet::default();
        let removed = removed.filter(|(id, _)| !after.phantoms.contains_key(id));
        let added = added.filter(|(id, _)| !before.phantoms.contains_key(id));
        for (_, phantom) in removed.chain(added) {
            if phantom.kind == SymbolKind::External {
                numbers.extend(self.index.external_by_hash(&phantom.hash));
            }
        }
        if numbers.is_empty() {
            return;
        }
        let users =
            self.overlay.files.iter().filter(|(_, rows)| rows.phantoms.iter().any(|n| numbers.contains(n)));
        due.extend(users.map(|(&file, _)| file));
    }

    fn recompose_files(&mut self, plain: &Snapshot, files: &BTreeSet<FileId>) {
        if files.is_empty() {
            return;
        }
        let overlay = Arc::make_mut(&mut self.overlay);
        if overlay.servers.len() != self.index.known_servers().len() {
            overlay.servers = Arc::new(self.index.known_servers().to_vec());
        }
        for &file in files {
            overlay.detach_file(file);
            let rows = file_verdicts::build_file_verdict_edges(plain, &self.index, file);
            self.recomposed += 1;
            let Some(rows) = rows else { continue };
            for &number in &rows.phantoms {
                intern_phantom(overlay, &self.index, number);
            }
            overlay.attach_file(file, rows);
        }
    }
}

/// Adds the phantom with this number, and all with smaller numbers, to the overlay.
fn intern_phantom(overlay: &mut VerdictOverlay, index: &VerdictIndex, number: u32) {
    let Some((package, name)) = index.external_name(number) else { return };
    let hash = external_hash(package, name);
    if overlay.phantom_ids.get(&hash).is_some() {
        return;
    }
    let phantoms = Arc::make_mut(&mut overlay.phantoms);
    while phantoms.len() <= number as usize {
        let Some((package, name)) = index.external_name(phantoms.len() as u32) else { return };
        let hash = external_hash(package, name);
        overlay.phantom_ids.insert(hash, phantoms.len() as u32);
        phantoms.push(PhantomSymbol {
            hash,
            kind: SymbolKind::External,
            package: Arc::clone(package),
            name: Arc::clone(name),
        });
    }
}

fn file_of_subject(snapshot: &Snapshot, subject: &Hash) -> Option<FileId> {
    snapshot.file_of_symbol(snapshot.symbol_by_hash(subject)?)
}

/// Returns the symbols of a file with their identities and the hashes of their declarations.
fn declared_symbols(snapshot: &Snapshot, file: FileId) -> FxHashMap<SymbolId, (Hash, u64)> {
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    symbols.map(|symbol| (symbol.id, (symbol.hash, declaration_hash(&symbol)))).collect()
}

/// Returns the files that differ between two overlays of one base, each with whether its content
/// differs.
fn changed_files(before: &SnapshotOverlay, after: &SnapshotOverlay) -> Vec<(FileId, bool)> {
    let mut changed = Vec::new();
    for (&file, layer) in &after.layers {
        let old = before.layers.get(&file);
        let content_changed = !is_same_arc(old.and_then(|old| old.content.as_ref()), layer.content.as_ref());
        let edges_changed =
            old.is_none() || !is_same_arc(old.and_then(|old| old.resolved.as_ref()), layer.resolved.as_ref());
        if content_changed || edges_changed {
            changed.push((file, content_changed));
        }
    }
    let removed = before.layers.iter().filter(|(file, _)| !after.layers.contains_key(file));
    changed.extend(removed.map(|(&file, layer)| (file, layer.content.is_some())));
    changed.extend(before.removed.symmetric_difference(&after.removed).map(|&file| (file, true)));
    changed
}

fn is_same_arc<T>(first: Option<&Arc<T>>, second: Option<&Arc<T>>) -> bool {
    match (first, second) {
        (Some(first), Some(second)) => Arc::ptr_eq(first, second),
        (None, None) => true,
        _ => false,
    }
}
