//! Looks up symbols by name.
//!
//! In: a name, exact or in lower case, or a part of a name. Out: live symbols, by path and position
//! or by name. The base has an index ordered by lower-cased simple name, which a binary search
//! reads; the overlay has a map of names. Sections of documents are in neither of them.
//!
//! Invariant: a result has no symbol of the base whose file the overlay replaces or removes.

use super::base::{BaseGraph, ImageSection, NONE};
use super::types::SymbolId;
use super::{FileId, Snapshot};
use crate::hash::Hash;
use std::cmp::Ordering;

/// Compares a name, after lower-casing it, with a lower-case text.
fn folded_cmp(name: &str, lower: &str) -> Ordering {
    name.chars().flat_map(char::to_lowercase).cmp(lower.chars())
}

/// Whether a name, after lower-casing it, starts with a lower-case text.
fn folded_starts_with(name: &str, lower: &str) -> bool {
    let mut chars = name.chars().flat_map(char::to_lowercase);
    lower.chars().all(|c| chars.next() == Some(c))
}

/// Compares two names in the order of the name index.
pub(crate) fn folded_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        let lower = |byte: u8| byte.to_ascii_lowercase();
        return a.bytes().map(lower).cmp(b.bytes().map(lower));
    }
    a.chars().flat_map(char::to_lowercase).cmp(b.chars().flat_map(char::to_lowercase))
}

/// Returns a function that tells whether a name has this part, which is in lower case. It ignores
/// the name's case, and its underscores if the part has none.
fn part_matcher(part: &str) -> impl FnMut(&[u8]) -> bool {
    let keeps_underscores = part.contains('_');
    // Every name needs the memory, so it is kept.
    let mut folded = String::new();
    move |name| {
        let name = std::str::from_utf8(name).unwrap_or("");
        folded.clear();
        let chars = name.chars().filter(|&c| keeps_underscores || c != '_');
        folded.extend(chars.flat_map(char::to_lowercase));
        folded.contains(part)
    }
}

/// Matches strings of a base. Caches the last result, because neighboring records often have the
/// same string.
struct StringMatcher<'a, F> {
    base: &'a BaseGraph,
    matches: F,
    last: Option<(u32, bool)>,
}

impl<'a, F: FnMut(&[u8]) -> bool> StringMatcher<'a, F> {
    fn new(base: &'a BaseGraph, matches: F) -> Self {
        Self { base, matches, last: None }
    }

    fn matches_string(&mut self, string: u32) -> bool {
        match self.last {
            Some((last, matches)) if last == string => matches,
            _ => {
                let matches = (self.matches)(self.base.string_bytes(string));
                self.last = Some((string, matches));
                matches
            }
        }
    }
}

impl Snapshot {
    /// Returns the live symbols with exactly this simple name, by path and position.
    pub fn symbols_by_name(&self, name: &str) -> Vec<SymbolId> {
        let mut matcher = StringMatcher::new(&self.base, |bytes| bytes == name.as_bytes());
        let mut found = self.base_symbols_named(name);
        found.retain(|&id| {
            self.base.symbol_records().get(id.0 as usize).is_some_and(|s| matcher.matches_string(s.name))
        });
        let changed: Vec<SymbolId> = self.overlay.names.get(name).into_iter().flatten().copied().collect();
        self.merge_sorted(found, changed)
    }

    /// Returns the symbols of [`Snapshot::symbols_by_name`] whose container has this qualified name
    /// (`""` for top-level symbols). Reads much less if thousands of symbols share a name.
    pub fn symbols_named_in_container(&self, container: &str, name: &str) -> Vec<SymbolId> {
        let (mut name_matcher, mut container_matcher) = (
            StringMatcher::new(&self.base, |bytes| bytes == name.as_bytes()),
            StringMatcher::new(&self.base, |bytes| bytes == container.as_bytes()),
        );
        let mut found = self.base_symbols_named(name);
        found.retain(|&id| {
            let record = self.base.symbol_records().get(id.0 as usize);
            record.is_some_and(|s| {
                container_matcher.matches_string(s.container) && name_matcher.matches_string(s.name)
            })
        });
        let changed = self.overlay.names.get(name).into_iter().flatten().copied();
        let is_inside = |id: &SymbolId| self.symbol(*id).is_some_and(|s| s.container == container);
        self.merge_sorted(found, changed.filter(is_inside).collect())
    }

    /// Returns the live symbols of the base whose simple name equals `name`, ignoring case.
    fn base_symbols_named(&self, name: &str) -> Vec<SymbolId> {
        let lower = name.to_lowercase();
        self.base_name_run(&lower, usize::MAX, |id| self.base_name_cmp(id, &lower) == Ordering::Equal)
    }

    /// Returns the live symbols of one file with exactly this simple name, in unspecified order.
    /// Searches by name and file at once, so that a name that is common in the workspace costs no
    /// more than any other name.
    pub fn symbols_named_in_file(&self, file: FileId, name: &str) -> Vec<SymbolId> {
        if self.overlay.masks_content(file) {
            return self
                .overlay
                .file_content(file)
                .map_or_else(Vec::new, |content| content.symbols_named(name).collect());
        }
        let Some(record) = self.base.file_records().get(file.0 as usize) else { return Vec::new() };
        let (first, end) = (record.first_symbol, record.first_symbol.saturating_add(record.symbol_count));
        let lower = name.to_lowercase();
        let order: &[u32] = self.base.section_slice(ImageSection::ByName);
        let compare = |at: usize| self.base_name_cmp(order[at], &lower).then(order[at].cmp(&first));
        let from = self.base.name_hints.find_lower_bound((lower.as_str(), first), order.len(), compare);
        let matching = order[from..]
            .iter()
            .copied()
            .take_while(|&id| id < end && self.base_name_cmp(id, &lower) == Ordering::Equal);
        matching.map(SymbolId).filter(|&id| self.base_name(id) == name).collect()
    }

    /// Returns the live symbols whose lower-cased simple name is `lower`, by path and position.
    pub fn symbols_by_folded_name(&self, lower: &str) -> Vec<SymbolId> {
        let mut found =
            self.base_name_run(lower, usize::MAX, |id| self.base_name_cmp(id, lower) == Ordering::Equal);
        if !self.overlay.names.is_empty() {
            // The base keeps the spellings of a name next to each other, but sorts each of them
            // separately.
            found.extend(self.overlay_symbols_matching(|n| folded_cmp(n, lower) == Ordering::Equal));
            found.sort_by_cached_key(|&id| self.symbol_order_key(id));
        }
        found
    }

    /// Returns the first `limit` live symbols whose lower-cased simple name starts with `lower`, by
    /// name, path and position.
    pub fn symbols_by_prefix(&self, lower: &str, limit: usize) -> Vec<SymbolId> {
        let mut found =
            self.base_name_run(lower, limit, |id| folded_starts_with(self.base_name(SymbolId(id)), lower));
        found.extend(self.overlay_symbols_matching(|n| folded_starts_with(n, lower)));
        self.sort_by_name(found, limit)
    }

    /// Returns the first `limit` live symbols whose lower-cased simple name contains `lower`, by
    /// name, path and position. A text without underscores also matches across the underscores of
    /// a name: `getcookie` is in `get_cookie`. Reads the whole name index, so use it as a last
    /// resort.
    pub fn symbols_by_substring(&self, lower: &str, limit: usize) -> Vec<SymbolId> {
        let mut matcher = StringMatcher::new(&self.base, part_matcher(lower));
        let order: &[u32] = self.base.section_slice(ImageSection::ByName);
        let mut found: Vec<SymbolId> = order
            .iter()
            .copied()
            .filter(|&id| {
                let record = self.base.symbol_records().get(id as usize);
                record.is_some_and(|s| matcher.matches_string(s.name)) && self.is_in_base(SymbolId(id))
            })
            .map(SymbolId)
            .take(limit)
            .collect();
        let mut matches = part_matcher(lower);
        found.extend(self.overlay_symbols_matching(|name| matches(name.as_bytes())));
        self.sort_by_name(found, limit)
    }

    /// Does the same as [`folded_cmp`] for a name of the base. Compares bytes if both are ASCII, as
    /// nearly all names are, because every step of a binary search calls this.
    fn base_name_cmp(&self, id: u32, lower: &str) -> Ordering {
        let bytes =
            self.base.symbol_records().get(id as usize).map_or(&[][..], |s| self.base.string_bytes(s.name));
        if bytes.is_ascii() && lower.is_ascii() {
            return bytes.iter().map(u8::to_ascii_lowercase).cmp(lower.bytes());
        }
        folded_cmp(std::str::from_utf8(bytes).unwrap_or(""), lower)
    }

    fn base_name(&self, id: SymbolId) -> &str {
        self.base.symbol_records().get(id.0 as usize).map_or("", |s| self.base.string_text(s.name))
    }

    /// Whether the base's record of a symbol is live.
    fn is_in_base(&self, id: SymbolId) -> bool {
        self.base
            .symbol_records()
            .get(id.0 as usize)
            .is_some_and(|s| s.file != NONE && !self.overlay.masks_content(FileId(s.file)))
    }

    /// Returns at most `limit` live symbols of the base, starting at the first name that is not
    /// before `lower` and ending before the first name that does not match. `matches` must depend
    /// on the name only.
    fn base_name_run(&self, lower: &str, limit: usize, matches: impl Fn(u32) -> bool) -> Vec<SymbolId> {
        let order: &[u32] = self.base.section_slice(ImageSection::ByName);
        let from = self
            .base
            .name_hints
            .find_lower_bound(lower, order.len(), |at| self.base_name_cmp(order[at], lower));
        // Symbols with the same name are adjacent, so the name is checked once.
        let mut last = None;
        let mut in_run = |id: SymbolId| {
            let string = self.base.symbol_records().get(id.0 as usize).map(|s| s.name);
            let is_same_name = string.is_some() && last == string;
            last = string;
            is_same_name || matches(id.0)
        };
        order[from..]
            .iter()
            .map(|&id| SymbolId(id))
            .take_while(|&id| in_run(id))
            .filter(|&id| self.is_in_base(id))
            .take(limit)
            .collect()
    }

    fn overlay_symbols_matching(
        &self,
        mut matches: impl FnMut(&str) -> bool,
    ) -> impl Iterator<Item = SymbolId> {
        let names = self.overlay.names.iter().filter(move |(name, _)| matches(name));
        names.flat_map(|(_, ids)| ids.iter().copied())
    }

    /// Merges symbols of the base, which are sorted by path and position, with symbols of the
    /// overlay.
    fn merge_sorted(&self, unchanged: Vec<SymbolId>, mut changed: Vec<SymbolId>) -> Vec<SymbolId> {
        changed.sort_by_cached_key(|&id| self.symbol_order_key(id));
        let mut merged = Vec::with_capacity(unchanged.len() + changed.len());
        let mut rest = unchanged.as_slice();
        for id in changed {
            let key = self.symbol_order_key(id);
            let (before, after) =
                rest.split_at(rest.partition_point(|&other| self.symbol_order_key(other) < key));
            merged.extend_from_slice(before);
            merged.push(id);
            rest = after;
        }
        merged.extend_from_slice(rest);
        merged
    }

    /// Returns the key by which symbols with the same name are sorted.
    fn symbol_order_key(&self, id: SymbolId) -> Option<(&str, u32, u32, Hash)> {
        self.symbol(id).map(|s| (s.path, s.span.start, s.name_span.start, s.hash))
    }

    fn sort_by_name(&self, mut ids: Vec<SymbolId>, limit: usize) -> Vec<SymbolId> {
        if !self.overlay.names.is_empty() {
            ids.sort_by_cached_key(|&id| {
                self.symbol(id).map(|s| (s.name.to_lowercase(), s.path.to_owned(), s.span.start, s.hash))
            });
        }
        ids.truncate(limit);
        ids
    }
}
