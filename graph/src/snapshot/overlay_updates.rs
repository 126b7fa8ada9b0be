//! Updates the maps of the overlay when a file changes.
//!
//! After a keystroke, most entries of a file are unchanged. The functions here compare the old with
//! the new state and touch only the entries that differ, because the maps share all other parts
//! with the previous snapshot.

use super::base::BaseGraph;
use super::overlay::{FileContent, ResolvedEdges, SnapshotOverlay, StoredEdge};
use super::shared_map::SharedMap;
use super::types::{FileId, SymbolId};
use crate::sketch::BodySketch;
use crate::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::hash::Hash;

/// The symbols of one file with their positions in it and their names; the file symbol and sections
/// have no name.
type SymbolPositions<'c> = FxHashMap<SymbolId, (u32, Option<&'c str>)>;

impl SnapshotOverlay {
    /// Replaces the edges of a file in both adjacency maps. `before` and `now` are in the order of
    /// [`ResolvedEdges::edges`].
    pub fn replace_edges(&mut self, before: Option<&ResolvedEdges>, now: Option<&ResolvedEdges>) {
        let mut old = before.into_iter().flat_map(|resolved| &resolved.edges).peekable();
        let mut new = now.into_iter().flat_map(|resolved| &resolved.edges).peekable();
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => edge_order_key(old).cmp(&edge_order_key(new)),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let removed = if order.is_le() { old.next() } else { None };
            let added = if order.is_ge() { new.next() } else { None };
            if removed != added {
                self.replace_edge(removed, added);
            }
        }
    }

    /// Replaces one edge with another that has the same ends and kind; adds or removes it if one is
    /// `None`.
    fn replace_edge(&mut self, removed: Option<&StoredEdge>, added: Option<&StoredEdge>) {
        let Some(edge) = removed.or(added) else { return };
        for (map, end) in [(&mut self.outgoing, edge.source), (&mut self.incoming, edge.target)] {
            let at = removed.and_then(|removed| map.get(&end)?.iter().position(|known| known == removed));
            match (at, added) {
                (Some(at), Some(added)) => {
                    if let Some(list) = map.get_mut(&end) {
                        list[at] = *added;
                    }
                }
                (Some(at), None) => edit_list(map, &end, |list| {
                    list.remove(at);
                }),
                (None, Some(added)) => map.get_or_insert_with(end, Vec::new).push(*added),
                (None, None) => {}
            }
        }
    }

    /// Replaces the documents of a file in the totals of the text index. Call this before the file
    /// is replaced or removed. `now` is `None` for a file that is removed.
    pub fn replace_totals(&mut self, base: &BaseGraph, file: FileId, now: Option<&FileContent>) {
        let before = match self.file_content(file) {
            Some(content) => Some(content.totals),
            None if self.removed.contains(&file) => None,
            None => Some(base.text_totals_of_file(file)),
        };
        if let Some(before) = before {
            self.totals.add_totals(&before, -1);
        }
        if let Some(now) = now {
            self.totals.add_totals(&now.totals, 1);
        }
    }

    /// Replaces the symbols of a file in the maps of names, positions, packages and sketches. `now`
    /// is `None` for a file that is removed.
    pub fn replace_symbols(&mut self, file: FileId, now: Option<&FileContent>) {
        let before = self.file_content(file).cloned();
        let before = before.as_deref();
        self.replace_package(file, before, now);
        self.replace_sketches(before, now);
        let old: SymbolPositions = before.into_iter().flat_map(symbol_positions).collect();
        // Most files are new to the overlay, so that there is nothing to compare.
        let new: SymbolPositions =
            now.filter(|_| !old.is_empty()).into_iter().flat_map(symbol_positions).collect();
        for (id, &(_, name)) in &old {
            let current = new.get(id);
            if current.is_none() {
                self.positions.remove(id);
            }
            if let Some(name) = name.filter(|_| current.is_none_or(|current| current.1 != name)) {
                edit_list(&mut self.names, name, |list| list.retain(|other| other != id));
            }
        }
        // The symbols are in source order.
        for (id, (position, name)) in now.into_iter().flat_map(symbol_positions) {
            let previous = old.get(&id);
            if previous.is_none_or(|previous| previous.0 != position) {
                self.positions.insert(id, (file, position));
            }
            let Some(name) = name.filter(|_| previous.is_none_or(|previous| previous.1 != name)) else {
                continue;
            };
            match self.names.get_mut(name) {
                Some(list) => list.push(id),
                None => self.names.insert(name.into(), vec![id]),
            }
        }
    }

    fn replace_package(&mut self, file: FileId, before: Option<&FileContent>, now: Option<&FileContent>) {
        let package = |content: Option<&FileContent>| content.map(|content| content.facts.package.clone());
        let (previous, current) = (package(before), package(now));
        if previous == current {
            return;
        }
        if let Some(list) = previous.and_then(|previous| self.packages.get_mut(previous.as_str())) {
            list.retain(|other| *other != file);
        }
        if let Some(current) = current {
            self.packages.entry(current.into()).or_default().push(file);
        }
    }

    fn replace_sketches(&mut self, before: Option<&FileContent>, now: Option<&FileContent>) {
        let sketches = |content: Option<&FileContent>| -> FxHashMap<SymbolId, BodySketch> {
            content
                .into_iter()
                .flat_map(FileContent::sketched_symbols)
                .map(|(id, sketch)| (id, *sketch))
                .collect()
        };
        let (old, new) = (sketches(before), sketches(now));
        let removed: FxHashSet<SymbolId> =
            old.iter().filter(|(id, sketch)| new.get(id) != Some(sketch)).map(|(&id, _)| id).collect();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for band in removed.iter().filter_map(|id| old.get(id)).flat_map(BodySketch::band_hashes) {
            // One pass for all symbols of the file, because thousands of them may share a band.
            if seen.insert(band) {
                edit_list(&mut self.bands, &band, |list| list.retain(|id| !removed.contains(id)));
            }
        }
        for (id, sketch) in now.into_iter().flat_map(FileContent::sketched_symbols) {
            if old.get(&id) != Some(sketch) {
                for band in sketch.band_hashes() {
                    self.bands.get_or_insert_with(band, Vec::new).push(id);
                }
            }
        }
    }
}

/// Returns the key by which the edges of one file are sorted; it is unique in the file.
fn edge_order_key(edge: &StoredEdge) -> impl Ord {
    (edge.source, edge.kind, edge.target)
}

/// Returns the symbols of a file with their positions and names, in source order. The headings of
/// sections are not names that code can look up.
fn symbol_positions(content: &FileContent) -> impl Iterator<Item = (SymbolId, (u32, Option<&str>))> {
    let is_name = |kind: SymbolKind| kind != SymbolKind::Section;
    let symbols = content.facts.symbols.iter();
    let names = symbols.map(move |symbol| is_name(symbol.kind).then_some(symbol.name.as_str()));
    let named = content.ids.iter().zip(std::iter::once(None).chain(names));
    named.zip(0..).map(|((&id, name), position)| (id, (position, name)))
}

/// Edits a list of the map; removes the list if it is empty afterwards.
fn edit_list<K, Q, T>(map: &mut SharedMap<K, Vec<T>>, key: &Q, change: impl FnOnce(&mut Vec<T>))
where
    K: Eq + Hash + Clone + std::borrow::Borrow<Q>,
    Q: Eq + Hash + ?Sized,
    T: Clone,
{
    let Some(list) = map.get_mut(key) else { return };
    change(list);
    if list.is_empty() {
        map.remove(key);
    }
}
