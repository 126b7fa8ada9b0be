//! Looking symbols up by name: an index ordered by the lower-cased simple name, and the overlay's names.

use super::base::{NONE, Section};
use super::types::SymbolId;
use super::{FileId, Snapshot};
use crate::hash::Hash;
use std::cmp::Ordering;

/// Compares a name, lower-cased, with a text that is lower-case already. Nearly all names are ASCII, and this is asked for
/// every step of a bisection.
fn folded_cmp(name: &str, lower: &str) -> Ordering {
    if name.is_ascii() && lower.is_ascii() {
        return name.bytes().map(|byte| byte.to_ascii_lowercase()).cmp(lower.bytes());
    }
    name.chars().flat_map(char::to_lowercase).cmp(lower.chars())
}

/// Whether a name, lower-cased, starts with a text that is lower-case already.
fn folded_starts_with(name: &str, lower: &str) -> bool {
    let mut chars = name.chars().flat_map(char::to_lowercase);
    lower.chars().all(|c| chars.next() == Some(c))
}

/// The order of the name index.
pub(crate) fn folded_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        let lower = |byte: u8| byte.to_ascii_lowercase();
        return a.bytes().map(lower).cmp(b.bytes().map(lower));
    }
    a.chars().flat_map(char::to_lowercase).cmp(b.chars().flat_map(char::to_lowercase))
}

impl Snapshot {
    /// Live symbols with exactly this simple name, by path and position.
    pub fn by_name(&self, name: &str) -> Vec<SymbolId> {
        let lower = name.to_lowercase();
        let mut found = self.base_names(&lower, usize::MAX, |n| folded_cmp(n, &lower) == Ordering::Equal);
        found.retain(|&id| self.base_name(id) == name);
        let overlaid: Vec<SymbolId> = self.overlay.names.get(name).into_iter().flatten().copied().collect();
        self.merged(found, overlaid)
    }

    /// Live symbols of one file with exactly this simple name, in no promised order. Bisects by name and file at once, so
    /// that a name that half the workspace has costs no more than another.
    pub fn by_name_in(&self, file: FileId, name: &str) -> Vec<SymbolId> {
        if self.overlay.masks_content(file) {
            return self.overlay.content(file).map_or_else(Vec::new, |content| content.named(name).collect());
        }
        let Some(record) = self.base.files().get(file.0 as usize) else { return Vec::new() };
        let (first, end) = (record.first_symbol, record.first_symbol.saturating_add(record.symbol_count));
        let lower = name.to_lowercase();
        let order: &[u32] = self.base.slice(Section::ByName);
        let from = order.partition_point(|&id| {
            folded_cmp(self.base_name(SymbolId(id)), &lower).then(id.cmp(&first)) == Ordering::Less
        });
        let here = order[from..].iter().copied().take_while(|&id| {
            id < end && folded_cmp(self.base_name(SymbolId(id)), &lower) == Ordering::Equal
        });
        here.map(SymbolId).filter(|&id| self.base_name(id) == name).collect()
    }

    /// Live symbols whose lower-cased simple name is `lower`, by path and position.
    pub fn by_folded_name(&self, lower: &str) -> Vec<SymbolId> {
        let mut found = self.base_names(lower, usize::MAX, |n| folded_cmp(n, lower) == Ordering::Equal);
        if !self.overlay.names.is_empty() {
            // Several spellings stand together in the base, each in order.
            found.extend(self.overlay_names(|n| folded_cmp(n, lower) == Ordering::Equal));
            found.sort_by_cached_key(|&id| self.place(id));
        }
        found
    }

    /// The first `limit` live symbols whose lower-cased simple name starts with `lower`, by name, path and position.
    pub fn by_folded_prefix(&self, lower: &str, limit: usize) -> Vec<SymbolId> {
        let mut found = self.base_names(lower, limit, |n| folded_starts_with(n, lower));
        found.extend(self.overlay_names(|n| folded_starts_with(n, lower)));
        self.by_name_order(found, limit)
    }

    /// The first `limit` live symbols whose lower-cased simple name holds `lower`, by name, path and position. Reads the
    /// whole name index: the last resort.
    pub fn by_folded_substring(&self, lower: &str, limit: usize) -> Vec<SymbolId> {
        let holds = |name: &str| name.to_lowercase().contains(lower);
        let order: &[u32] = self.base.slice(Section::ByName);
        let mut found: Vec<SymbolId> = order
            .iter()
            .map(|&id| SymbolId(id))
            .filter(|&id| holds(self.base_name(id)) && self.in_base(id))
            .take(limit)
            .collect();
        found.extend(self.overlay_names(holds));
        self.by_name_order(found, limit)
    }

    fn base_name(&self, id: SymbolId) -> &str {
        self.base.symbols().get(id.0 as usize).map_or("", |s| self.base.string(s.name))
    }

    /// Whether the base's record of a symbol still counts.
    fn in_base(&self, id: SymbolId) -> bool {
        self.base
            .symbols()
            .get(id.0 as usize)
            .is_some_and(|s| s.file != NONE && !self.overlay.masks_content(FileId(s.file)))
    }

    fn base_names(&self, lower: &str, limit: usize, matches: impl Fn(&str) -> bool) -> Vec<SymbolId> {
        let order: &[u32] = self.base.slice(Section::ByName);
        let from =
            order.partition_point(|&id| folded_cmp(self.base_name(SymbolId(id)), lower) == Ordering::Less);
        order[from..]
            .iter()
            .map(|&id| SymbolId(id))
            .take_while(|&id| matches(self.base_name(id)))
            .filter(|&id| self.in_base(id))
            .take(limit)
            .collect()
    }

    fn overlay_names(&self, matches: impl Fn(&str) -> bool) -> impl Iterator<Item = SymbolId> {
        let names = self.overlay.names.iter().filter(move |(name, _)| matches(name));
        names.flat_map(|(_, ids)| ids.iter().copied())
    }

    /// Symbols of the base, which are in the order of path and position, and those of the overlay in one list.
    fn merged(&self, of_base: Vec<SymbolId>, mut overlaid: Vec<SymbolId>) -> Vec<SymbolId> {
        overlaid.sort_by_cached_key(|&id| self.place(id));
        let mut merged = Vec::with_capacity(of_base.len() + overlaid.len());
        let mut rest = of_base.as_slice();
        for id in overlaid {
            let place = self.place(id);
            let (before, after) = rest.split_at(rest.partition_point(|&other| self.place(other) < place));
            merged.extend_from_slice(before);
            merged.push(id);
            rest = after;
        }
        merged.extend_from_slice(rest);
        merged
    }

    /// What symbols of one name are ordered by.
    fn place(&self, id: SymbolId) -> Option<(&str, u32, u32, Hash)> {
        self.symbol(id).map(|s| (s.path, s.span.start, s.name_span.start, s.hash))
    }

    fn by_name_order(&self, mut ids: Vec<SymbolId>, limit: usize) -> Vec<SymbolId> {
        if !self.overlay.names.is_empty() {
            ids.sort_by_cached_key(|&id| {
                self.symbol(id).map(|s| (s.name.to_lowercase(), s.path.to_owned(), s.span.start, s.hash))
            });
        }
        ids.truncate(limit);
        ids
    }
}
