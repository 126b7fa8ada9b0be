//! Joining what servers say to a graph, and following the graph when it changes: only files that changed, or that depend
//! on what changed in them, are looked at again.

use super::Snapshot;
use super::compose_file;
use super::composed::Composed;
use super::overlay::{Overlay, Phantom};
use super::types::{FileId, SymbolId};
use crate::hash::Hash;
use crate::verdicts::{Rulings, Verdict, external, signature_of};
use crate::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Composes verdicts with the latest graph. Has one owner: the one who changes the graph.
#[derive(Default)]
pub struct Composer {
    rulings: Rulings,
    composed: Arc<Composed>,
    /// The graph that `composed` belongs to.
    of: Option<Snapshot>,
    /// Symbols of which something new was said since.
    news: FxHashSet<Hash>,
    /// Files that depend on what changed elsewhere and have yet to follow.
    behind: BTreeSet<FileId>,
    looked_at: usize,
}

/// Files to look at again.
#[derive(Default)]
struct Due {
    /// They changed themselves.
    changed: BTreeSet<FileId>,
    /// Something they depend on changed.
    dependent: BTreeSet<FileId>,
}

impl Composer {
    /// Takes more of what servers say; it is seen with the next composition.
    pub fn take<'v>(&mut self, verdicts: impl IntoIterator<Item = &'v Verdict>) {
        let changed = self.rulings.take(verdicts);
        if !changed.is_empty() {
            Arc::make_mut(&mut self.composed).batches += 1;
            self.news.extend(changed);
        }
    }

    /// The graph with what servers say of it. Of the files that did not change and only depend on what did, at most `at_once`
    /// are brought up to it: the others show what they showed until [`Composer::behind`] is 0.
    pub fn compose(&mut self, plain: &Snapshot, at_once: usize) -> Snapshot {
        self.looked_at = 0;
        if self.rulings.is_empty() {
            return plain.clone();
        }
        let due = match self.of.take() {
            Some(before) if Arc::ptr_eq(&before.base, &plain.base) => self.due(&before, plain),
            _ => self.start_over(plain),
        };
        self.of = Some(plain.clone().plain());
        self.behind.extend(due.dependent);
        let mut now = due.changed;
        let follow: Vec<FileId> =
            self.behind.iter().filter(|file| !now.contains(file)).take(at_once).copied().collect();
        now.extend(follow);
        self.behind.retain(|file| !now.contains(file));
        self.look_at(plain, &now);
        plain.clone().with_composed(Arc::clone(&self.composed))
    }

    /// Number of files that have yet to follow.
    pub fn behind(&self) -> usize {
        self.behind.len()
    }

    /// Number of files that the last composition looked at.
    pub fn looked_at(&self) -> usize {
        self.looked_at
    }

    /// Everything is composed anew: another base has other ids.
    fn start_over(&mut self, plain: &Snapshot) -> Due {
        let batches = self.composed.batches;
        self.composed = Arc::new(Composed { batches, ..Composed::default() });
        self.news.clear();
        self.behind.clear();
        let files = self.rulings.subjects().filter_map(|subject| file_of(plain, &subject));
        Due { changed: files.collect(), ..Due::default() }
    }

    fn due(&mut self, before: &Snapshot, after: &Snapshot) -> Due {
        let mut due = Due::default();
        due.changed.extend(self.news.drain().filter_map(|subject| file_of(after, &subject)));
        for (file, content) in changed_files(&before.overlay, &after.overlay) {
            due.changed.insert(file);
            if content {
                self.add_dependents(before, after, file, &mut due.dependent);
            }
        }
        self.add_users_of_phantoms(&before.overlay, &after.overlay, &mut due.dependent);
        due
    }

    /// Adds the files that depend on symbols of a file that came, went or are declared otherwise.
    fn add_dependents(&self, before: &Snapshot, after: &Snapshot, file: FileId, due: &mut BTreeSet<FileId>) {
        let (old, new) = (declared(before, file), declared(after, file));
        let ids = old.keys().chain(new.keys().filter(|id| !old.contains_key(id)));
        for &id in ids {
            let (was, is) = (old.get(&id), new.get(&id));
            if was == is {
                continue;
            }
            let Some(hash) = was.or(is).map(|(hash, _)| *hash) else { continue };
            due.extend(self.rulings.dependents(&hash).filter_map(|subject| file_of(after, &subject)));
            if was.is_none() != is.is_none() {
                // Edges to what is not there are not shown: what their files stand on is another.
                for snapshot in [before, after] {
                    snapshot.stored_in(id, |edge| {
                        if self.composed.files.contains_key(&edge.owner) {
                            due.insert(edge.owner);
                        }
                    });
                }
            }
        }
    }

    /// Adds the files that lead to something outside which the graph of the text has a symbol for now, or no longer.
    fn add_users_of_phantoms(&self, before: &Overlay, after: &Overlay, due: &mut BTreeSet<FileId>) {
        let (went, came) =
            (before.phantoms.differing(&after.phantoms), after.phantoms.differing(&before.phantoms));
        let mut numbers = FxHashSet::default();
        let went = went.filter(|(id, _)| !after.phantoms.contains_key(id));
        let came = came.filter(|(id, _)| !before.phantoms.contains_key(id));
        for (_, phantom) in went.chain(came) {
            if phantom.kind == SymbolKind::External {
                numbers.extend(self.rulings.outside_by_hash(&phantom.hash));
            }
        }
        if numbers.is_empty() {
            return;
        }
        let using =
            self.composed.files.iter().filter(|(_, rows)| rows.outside.iter().any(|n| numbers.contains(n)));
        due.extend(using.map(|(&file, _)| file));
    }

    fn look_at(&mut self, plain: &Snapshot, files: &BTreeSet<FileId>) {
        if files.is_empty() {
            return;
        }
        let composed = Arc::make_mut(&mut self.composed);
        if composed.servers.len() != self.rulings.servers().len() {
            composed.servers = Arc::new(self.rulings.servers().to_vec());
        }
        for &file in files {
            composed.detach(file);
            let rows = compose_file::rows(plain, &self.rulings, file);
            self.looked_at += 1;
            let Some(rows) = rows else { continue };
            for &number in &rows.outside {
                know(composed, &self.rulings, number);
            }
            composed.attach(file, rows);
        }
    }
}

/// Keeps the phantom behind a number.
fn know(composed: &mut Composed, rulings: &Rulings, number: u32) {
    let Some((package, name)) = rulings.outside(number) else { return };
    let hash = external(package, name);
    if composed.phantom_ids.get(&hash).is_some() {
        return;
    }
    let phantoms = Arc::make_mut(&mut composed.phantoms);
    while phantoms.len() <= number as usize {
        let Some((package, name)) = rulings.outside(phantoms.len() as u32) else { return };
        let hash = external(package, name);
        composed.phantom_ids.insert(hash, phantoms.len() as u32);
        phantoms.push(Phantom {
            hash,
            kind: SymbolKind::External,
            package: Arc::clone(package),
            name: Arc::clone(name),
        });
    }
}

fn file_of(snapshot: &Snapshot, subject: &Hash) -> Option<FileId> {
    snapshot.file_of(snapshot.symbol_by_hash(subject)?)
}

/// The symbols of a file and how they are declared.
fn declared(snapshot: &Snapshot, file: FileId) -> FxHashMap<SymbolId, (Hash, u64)> {
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    symbols.map(|symbol| (symbol.id, (symbol.hash, signature_of(&symbol)))).collect()
}

/// The files that differ between two overlays of one base, and whether their contents do.
fn changed_files(before: &Overlay, after: &Overlay) -> Vec<(FileId, bool)> {
    let mut changed = Vec::new();
    for (&file, layer) in &after.layers {
        let old = before.layers.get(&file);
        let content = !same(old.and_then(|old| old.content.as_ref()), layer.content.as_ref());
        let edges =
            old.is_none() || !same(old.and_then(|old| old.resolved.as_ref()), layer.resolved.as_ref());
        if content || edges {
            changed.push((file, content));
        }
    }
    let gone = before.layers.iter().filter(|(file, _)| !after.layers.contains_key(file));
    changed.extend(gone.map(|(&file, layer)| (file, layer.content.is_some())));
    changed.extend(before.removed.symmetric_difference(&after.removed).map(|&file| (file, true)));
    changed
}

fn same<T>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}
