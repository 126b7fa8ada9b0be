//! Joins verdicts to a graph, and follows the graph when it changes: only files that changed, or that depend on what
//! changed in them, are composed again.

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

/// Composes verdicts with the latest graph. Has one owner: the one who changes the graph.
#[derive(Default)]
pub struct VerdictOverlayBuilder {
    rulings: VerdictIndex,
    composed: Arc<VerdictOverlay>,
    /// The graph that `composed` belongs to.
    of: Option<Snapshot>,
    /// Symbols with new verdicts since then.
    news: FxHashSet<Hash>,
    /// Files that depend on what changed elsewhere and have yet to follow.
    behind: BTreeSet<FileId>,
    looked_at: usize,
}

/// Files to look at again.
#[derive(Default)]
struct DueFiles {
    /// They changed themselves.
    changed: BTreeSet<FileId>,
    /// Something they depend on changed.
    dependent: BTreeSet<FileId>,
}

impl VerdictOverlayBuilder {
    /// Takes more of what servers say; it is seen with the next composition.
    pub fn record_verdicts<'v>(&mut self, verdicts: impl IntoIterator<Item = &'v Verdict>) {
        let changed = self.rulings.record_verdicts(verdicts);
        if !changed.is_empty() {
            Arc::make_mut(&mut self.composed).batches += 1;
            self.news.extend(changed);
        }
    }

    /// The graph with what servers say of it. Of the files that did not change and only depend on what did, at most `at_once`
    /// are brought up to it: the others show what they showed until [`VerdictOverlayBuilder::pending_count`] is 0.
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

    /// Number of files that have yet to follow.
    pub fn pending_count(&self) -> usize {
        self.behind.len()
    }

    /// Number of files that the last composition visited.
    pub fn recomposed_count(&self) -> usize {
        self.looked_at
    }

    /// Recomposes everything: another base has other ids.
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

    /// Adds the files that depend on symbols of a file that came, went or are declared otherwise.
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
                // Edges to what is not there are not shown: what their files stand on is another.
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

    /// Adds the files that lead to something outside which the graph of the text has a symbol for now, or no longer.
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

/// Keeps the phantom behind a number.
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

/// The symbols of a file and how they are declared.
fn declared_symbols(snapshot: &Snapshot, file: FileId) -> FxHashMap<SymbolId, (Hash, u64)> {
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    symbols.map(|symbol| (symbol.id, (symbol.hash, declaration_hash(&symbol)))).collect()
}

/// The files that differ between two overlays of one base, and whether their contents do.
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
