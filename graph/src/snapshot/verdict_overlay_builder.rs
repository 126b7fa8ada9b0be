//! Applies verdicts to a graph, and follows the graph when it changes.
//!
//! The builder remembers the last graph that it composed. For the next one it recomposes only the
//! files that changed, that have new verdicts, or that depend on symbols that changed. Dependent
//! files can be spread over several compositions, so that a change of a central file does not delay
//! an edit. A graph with another base has other ids, so everything is recomposed for it.

use super::Snapshot;
use super::file_composer;
use super::overlay::{PhantomSymbol, SnapshotOverlay};
use super::types::{FileId, SymbolId};
use super::verdict_overlay::VerdictOverlay;
use crate::hash::Hash;
use crate::verdicts::{Verdict, VerdictIndex, declaration_hash, external_hash};
use crate::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Composes verdicts with the latest graph. It belongs to the thread that changes the graph.
#[derive(Default)]
pub struct VerdictOverlayBuilder {
    rulings: VerdictIndex,
    composed: Arc<VerdictOverlay>,
    /// The graph to which `composed` belongs.
    of: Option<Snapshot>,
    /// The symbols with new verdicts since the last composition.
    news: FxHashSet<Hash>,
    /// The files that depend on a change elsewhere and are not recomposed yet.
    behind: BTreeSet<FileId>,
    looked_at: usize,
}

/// The files to recompose.
#[derive(Default)]
struct DueFiles {
    /// The files that changed themselves.
    changed: BTreeSet<FileId>,
    /// The files that depend on something that changed.
    dependent: BTreeSet<FileId>,
}

impl VerdictOverlayBuilder {
    /// Adds verdicts. They become visible with the next composition.
    pub fn record_verdicts<'v>(&mut self, verdicts: impl IntoIterator<Item = &'v Verdict>) {
        let changed = self.rulings.record_verdicts(verdicts);
        if !changed.is_empty() {
            Arc::make_mut(&mut self.composed).batches += 1;
            self.news.extend(changed);
        }
    }

    /// Returns the graph with the verdicts on it. Recomposes all changed files, but at most
    /// `at_once` of the files that only depend on a change. The other dependent files keep their
    /// previous edges until later calls reach them ([`VerdictOverlayBuilder::pending_count`] is 0
    /// then).
    pub fn compose_snapshot(&mut self, plain: &Snapshot, at_once: usize) -> Snapshot {
        self.looked_at = 0;
        if self.rulings.is_empty() {
            return plain.clone();
        }
        let due = match self.of.take() {
            Some(before) if Arc::ptr_eq(&before.base, &plain.base) => self.collect_due_files(&before, plain),
            _ => self.restart_all(plain),
        };
        self.of = Some(plain.clone().without_verdicts());
        self.behind.extend(due.dependent);
        let mut now = due.changed;
        let follow: Vec<FileId> =
            self.behind.iter().filter(|file| !now.contains(file)).take(at_once).copied().collect();
        now.extend(follow);
        self.behind.retain(|file| !now.contains(file));
        self.recompose_files(plain, &now);
        plain.clone().with_verdict_overlay(Arc::clone(&self.composed))
    }

    /// Returns the number of files that still have to be recomposed.
    pub fn pending_count(&self) -> usize {
        self.behind.len()
    }

    /// Returns the number of files that the last composition visited.
    pub fn recomposed_count(&self) -> usize {
        self.looked_at
    }

    /// Discards the composition and returns all files with verdicts, because another base has other
    /// ids.
    fn restart_all(&mut self, plain: &Snapshot) -> DueFiles {
        let batches = self.composed.batches;
        self.composed = Arc::new(VerdictOverlay { batches, ..VerdictOverlay::default() });
        self.news.clear();
        self.behind.clear();
        let files = self.rulings.all_subjects().filter_map(|subject| file_of_subject(plain, &subject));
        DueFiles { changed: files.collect(), ..DueFiles::default() }
    }

    fn collect_due_files(&mut self, before: &Snapshot, after: &Snapshot) -> DueFiles {
        let mut due = DueFiles::default();
        due.changed.extend(self.news.drain().filter_map(|subject| file_of_subject(after, &subject)));
        for (file, content) in changed_files(&before.overlay, &after.overlay) {
            due.changed.insert(file);
            if content {
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
            let (was, is) = (old.get(&id), new.get(&id));
            if was == is {
                continue;
            }
            let Some(hash) = was.or(is).map(|(hash, _)| *hash) else { continue };
            due.extend(
                self.rulings.dependent_subjects(&hash).filter_map(|subject| file_of_subject(after, &subject)),
            );
            if was.is_none() != is.is_none() {
                // Readers hide edges to a missing symbol, so the visible edges of these files
                // changed.
                for snapshot in [before, after] {
                    snapshot.for_each_stored_in(id, |edge| {
                        if self.composed.files.contains_key(&edge.owner) {
                            due.insert(edge.owner);
                        }
                    });
                }
            }
        }
    }

    /// Adds the files with verdicts on an external symbol for which the graph of the text has
    /// gained or lost a phantom.
    fn add_phantom_users(
        &self,
        before: &SnapshotOverlay,
        after: &SnapshotOverlay,
        due: &mut BTreeSet<FileId>,
    ) {
        let (went, came) = (
            before.phantoms.entries_differing_from(&after.phantoms),
            after.phantoms.entries_differing_from(&before.phantoms),
        );
        let mut numbers = FxHashSet::default();
        let went = went.filter(|(id, _)| !after.phantoms.contains_key(id));
        let came = came.filter(|(id, _)| !before.phantoms.contains_key(id));
        for (_, phantom) in went.chain(came) {
            if phantom.kind == SymbolKind::External {
                numbers.extend(self.rulings.external_by_hash(&phantom.hash));
            }
        }
        if numbers.is_empty() {
            return;
        }
        let using =
            self.composed.files.iter().filter(|(_, rows)| rows.outside.iter().any(|n| numbers.contains(n)));
        due.extend(using.map(|(&file, _)| file));
    }

    fn recompose_files(&mut self, plain: &Snapshot, files: &BTreeSet<FileId>) {
        if files.is_empty() {
            return;
        }
        let composed = Arc::make_mut(&mut self.composed);
        if composed.servers.len() != self.rulings.known_servers().len() {
            composed.servers = Arc::new(self.rulings.known_servers().to_vec());
        }
        for &file in files {
            composed.detach_file(file);
            let rows = file_composer::compose_file_edges(plain, &self.rulings, file);
            self.looked_at += 1;
            let Some(rows) = rows else { continue };
            for &number in &rows.outside {
                intern_phantom(composed, &self.rulings, number);
            }
            composed.attach_file(file, rows);
        }
    }
}

/// Adds the phantom with this number and all before it to the overlay.
fn intern_phantom(composed: &mut VerdictOverlay, rulings: &VerdictIndex, number: u32) {
    let Some((package, name)) = rulings.external_name(number) else { return };
    let hash = external_hash(package, name);
    if composed.phantom_ids.get(&hash).is_some() {
        return;
    }
    let phantoms = Arc::make_mut(&mut composed.phantoms);
    while phantoms.len() <= number as usize {
        let Some((package, name)) = rulings.external_name(phantoms.len() as u32) else { return };
        let hash = external_hash(package, name);
        composed.phantom_ids.insert(hash, phantoms.len() as u32);
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

/// Returns the files that differ between two overlays of one base, and whether their content does.
fn changed_files(before: &SnapshotOverlay, after: &SnapshotOverlay) -> Vec<(FileId, bool)> {
    let mut changed = Vec::new();
    for (&file, layer) in &after.layers {
        let old = before.layers.get(&file);
        let content = !is_same_arc(old.and_then(|old| old.content.as_ref()), layer.content.as_ref());
        let edges =
            old.is_none() || !is_same_arc(old.and_then(|old| old.resolved.as_ref()), layer.resolved.as_ref());
        if content || edges {
            changed.push((file, content));
        }
    }
    let gone = before.layers.iter().filter(|(file, _)| !after.layers.contains_key(file));
    changed.extend(gone.map(|(&file, layer)| (file, layer.content.is_some())));
    changed.extend(before.removed.symmetric_difference(&after.removed).map(|&file| (file, true)));
    changed
}

fn is_same_arc<T>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}
