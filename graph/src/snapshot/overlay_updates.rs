//! Updates the maps of the overlay when a file changes.
//!
//! After a keystroke, most entries of a file are unchanged. The functions here compare the old with
//! the new state and touch only the entries that differ, because the maps share all other parts
//! with the previous snapshot.

use super::overlay::{FileContent, ResolvedEdges, SnapshotOverlay, StoredEdge};
use super::shared_map::SharedMap;
use super::types::{FileId, SymbolId};
use crate::sketch::BodySketch;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::hash::Hash;

/// The symbols of one file with their positions in it and their names; the file symbol has no name.
type SymbolPlaces<'c> = FxHashMap<SymbolId, (u32, Option<&'c str>)>;

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
            let gone = if order.is_le() { old.next() } else { None };
            let come = if order.is_ge() { new.next() } else { None };
            if gone != come {
                self.replace_edge(gone, come);
            }
        }
    }

    /// Replaces one edge with another that has the same ends and kind; adds or removes it if one is
    /// `None`.
    fn replace_edge(&mut self, gone: Option<&StoredEdge>, come: Option<&StoredEdge>) {
        let Some(edge) = gone.or(come) else { return };
        for (map, end) in [(&mut self.out, edge.source), (&mut self.inn, edge.target)] {
            let at = gone.and_then(|gone| map.get(&end)?.iter().position(|known| known == gone));
            match (at, come) {
                (Some(at), Some(come)) => {
                    if let Some(list) = map.get_mut(&end) {
                        list[at] = *come;
                    }
                }
                (Some(at), None) => edit_list(map, &end, |list| {
                    list.remove(at);
                }),
                (None, Some(come)) => map.get_or_insert_with(end, Vec::new).push(*come),
                (None, None) => {}
            }
        }
    }

    /// Replaces the symbols of a file in the maps of names, positions, packages and sketches. `now`
    /// is `None` for a file that is removed.
    pub fn replace_symbols(&mut self, file: FileId, now: Option<&FileContent>) {
        let before = self.file_content(file).cloned();
        let before = before.as_deref();
        self.replace_package(file, before, now);
        self.replace_sketches(before, now);
        let old: SymbolPlaces = before.into_iter().flat_map(symbol_places).collect();
        // Most files are inserted once, and then there is nothing to compare.
        let new: SymbolPlaces = now.filter(|_| !old.is_empty()).into_iter().flat_map(symbol_places).collect();
        for (id, &(_, name)) in &old {
            let is = new.get(id);
            if is.is_none() {
                self.places.remove(id);
            }
            if let Some(name) = name.filter(|_| is.is_none_or(|is| is.1 != name)) {
                edit_list(&mut self.names, name, |list| list.retain(|other| other != id));
            }
        }
        // In source order.
        for (id, (place, name)) in now.into_iter().flat_map(symbol_places) {
            let was = old.get(&id);
            if was.is_none_or(|was| was.0 != place) {
                self.places.insert(id, (file, place));
            }
            let Some(name) = name.filter(|_| was.is_none_or(|was| was.1 != name)) else { continue };
            match self.names.get_mut(name) {
                Some(list) => list.push(id),
                None => self.names.insert(name.into(), vec![id]),
            }
        }
    }

    fn replace_package(&mut self, file: FileId, before: Option<&FileContent>, now: Option<&FileContent>) {
        let package = |content: Option<&FileContent>| content.map(|content| content.facts.package.clone());
        let (was, is) = (package(before), package(now));
        if was == is {
            return;
        }
        if let Some(list) = was.and_then(|was| self.packages.get_mut(was.as_str())) {
            list.retain(|other| *other != file);
        }
        if let Some(is) = is {
            self.packages.entry(is.into()).or_default().push(file);
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
        let gone: FxHashSet<SymbolId> =
            old.iter().filter(|(id, sketch)| new.get(id) != Some(sketch)).map(|(&id, _)| id).collect();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for band in gone.iter().filter_map(|id| old.get(id)).flat_map(BodySketch::band_hashes) {
            // One pass for all symbols of the file, because thousands of them may share a band.
            if seen.insert(band) {
                edit_list(&mut self.bands, &band, |list| list.retain(|id| !gone.contains(id)));
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

/// Returns the symbols of a file, in source order.
fn symbol_places(content: &FileContent) -> impl Iterator<Item = (SymbolId, (u32, Option<&str>))> {
    let names = content.facts.symbols.iter().map(|symbol| Some(symbol.name.as_str()));
    let named = content.ids.iter().zip(std::iter::once(None).chain(names));
    named.zip(0..).map(|((&id, name), place)| (id, (place, name)))
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
