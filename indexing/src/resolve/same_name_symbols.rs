//! Symbols with the same name, indexed once for all files that are resolved together.
//!
//! Thousands of symbols can share a name. Above `INDEX_THRESHOLD`, `SameNameSymbols` builds indexes
//! by container and region on first use; below, it scans the list. Each query returns a
//! `SymbolGroup`, a list of positions that reads no symbol until it is iterated.

use super::lang;
use crate::project::Project;
use kenning_graph::paths::parent_folder;
use kenning_graph::{Snapshot, SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

/// Symbols with the same name sorted by path, so that a binary search finds the symbols of one
/// file.
pub(super) type SortedSymbols<'a> = Arc<[SymbolRef<'a>]>;

/// A group of files of the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum FileRegion<'r> {
    /// The files directly in a folder.
    Folder(&'r str),
    /// The files that declare a package or namespace.
    Package(&'r str),
    /// The files of the Cargo package in a folder, or the files outside all Cargo packages.
    Crate(Option<&'r str>),
}

impl<'a> FileRegion<'a> {
    /// Returns the region of a symbol that has the same kind as `same_kind`.
    fn from_symbol(symbol: &SymbolRef<'a>, same_kind: FileRegion<'_>, context: RegionContext<'a>) -> Self {
        match same_kind {
            FileRegion::Folder(_) => Self::Folder(parent_folder(symbol.path)),
            FileRegion::Package(_) => {
                let file = symbol.file.and_then(|file| context.snapshot.file(file));
                Self::Package(file.map_or("", |file| file.package))
            }
            FileRegion::Crate(_) => Self::for_crate(context.project, symbol.path),
        }
    }

    /// Returns the region of all files of the Cargo package that a file belongs to. Does not
    /// distinguish its library from its binaries.
    pub fn for_crate(project: &'a Project, path: &str) -> Self {
        Self::Crate(project.cargo_package(path).map(|package| package.folder.as_str()))
    }

    /// Returns the position of the region's kind in the arrays of [`SameNameIndexes`].
    const fn kind_index(self) -> usize {
        match self {
            Self::Folder(_) => 0,
            Self::Package(_) => 1,
            Self::Crate(_) => 2,
        }
    }
}

/// The data from which the region of a symbol is computed.
#[derive(Clone, Copy)]
pub(super) struct RegionContext<'a> {
    pub snapshot: &'a Snapshot,
    pub project: &'a Project,
}

/// Number of symbols with the same name above which they are indexed instead of scanned.
pub(super) const INDEX_THRESHOLD: usize = 64;

/// Maximum number of base-list entries that are read for one type, summed over its declarations.
/// Only generated types have more. Each entry costs a lookup for every member that the type does
/// not declare itself.
pub(super) const MAX_BASES: usize = 128;

/// The symbols of one family with the same name, in any container or in one container.
pub(super) struct SameNameSymbols<'a> {
    pub all: SortedSymbols<'a>,
    context: RegionContext<'a>,
    /// Indexes of a large list, built on first use.
    indexes: OnceLock<Box<SameNameIndexes<'a>>>,
}

/// Positions in the list of a name, ascending.
type ListPositions = Arc<[u32]>;

/// The indexes of a large list, one for each kind of query.
#[derive(Default)]
struct SameNameIndexes<'a> {
    containers: OnceLock<FxHashMap<&'a str, ListPositions>>,
    /// By region and container, for each kind of region.
    regions: [OnceLock<FxHashMap<(FileRegion<'a>, &'a str), ListPositions>>; 3],
    /// The types in the list by region, whatever their containers, for each kind of region.
    types: [OnceLock<FxHashMap<FileRegion<'a>, ListPositions>>; 3],
    /// The types in the list that name bases, by container.
    deriving: OnceLock<FxHashMap<&'a str, ListPositions>>,
    extension_methods: OnceLock<ListPositions>,
    trait_methods: OnceLock<ListPositions>,
}

impl<'a> SameNameSymbols<'a> {
    /// Creates the list from symbols in any order.
    pub fn from_symbols(mut found: Vec<SymbolRef<'a>>, context: RegionContext<'a>) -> Self {
        found.sort_by(|a, b| a.path.cmp(b.path));
        Self { all: found.into(), context, indexes: OnceLock::new() }
    }

    /// Returns the symbols in one container.
    pub fn symbols_in_container(&self, container: &str) -> SymbolGroup<'a> {
        let positions = match self.indexes_if_large() {
            Some(indexes) => {
                let build_index = || self.index_by(|s| Some(s.container));
                indexes.containers.get_or_init(build_index).get(container).cloned()
            }
            None => Some(self.positions_where(|s| s.container == container)),
        };
        self.symbols_at(positions)
    }

    /// Returns the symbols in one container, in any file of a region.
    pub fn symbols_in_region(&self, region: FileRegion<'_>, container: &str) -> SymbolGroup<'a> {
        let positions = match self.indexes_if_large() {
            Some(indexes) => {
                let build_index = || self.index_by(|s| Some((self.region_of(s, region), s.container)));
                indexes.regions[region.kind_index()]
                    .get_or_init(build_index)
                    .get(&(region, container))
                    .cloned()
            }
            None => Some(
                self.positions_where(|s| s.container == container && self.region_of(s, region) == region),
            ),
        };
        self.symbols_at(positions)
    }

    /// Returns the types in a region.
    pub fn types_in_region(&self, region: FileRegion<'_>) -> SymbolGroup<'a> {
        let positions = match self.indexes_if_large() {
            Some(indexes) => {
                let build_index = || self.index_by(|s| s.kind.is_type().then(|| self.region_of(s, region)));
                indexes.types[region.kind_index()].get_or_init(build_index).get(&region).cloned()
            }
            None => Some(self.positions_where(|s| s.kind.is_type() && self.region_of(s, region) == region)),
        };
        self.symbols_at(positions)
    }

    /// Returns the types in one container that name bases. In a large list, returns one type per
    /// file and list of bases, and at most the first [`MAX_BASES`] types by path and bases.
    pub fn deriving_types(&self, container: &str) -> SymbolGroup<'a> {
        let derives = |s: &SymbolRef<'a>| s.kind.is_type() && !s.encoded_bases().is_empty();
        let positions = match self.indexes_if_large() {
            Some(indexes) => {
                let build_index = || {
                    let by_container = self.index_by(|s| derives(s).then_some(s.container));
                    by_container
                        .into_iter()
                        .map(|(container, positions)| (container, self.dedup_by_bases(&positions)))
                        .collect()
                };
                indexes.deriving.get_or_init(build_index).get(container).cloned()
            }
            None => Some(self.positions_where(|s| s.container == container && derives(s))),
        };
        self.symbols_at(positions)
    }

    /// Keeps one position per file and list of bases, and at most [`MAX_BASES`] positions.
    fn dedup_by_bases(&self, positions: &[u32]) -> ListPositions {
        let key = |position: &u32| self.all.get(*position as usize).map(|s| (s.path, s.encoded_bases()));
        let mut deduplicated = positions.to_vec();
        deduplicated.sort_by_key(key);
        deduplicated.dedup_by_key(|position| key(position));
        deduplicated.truncate(MAX_BASES);
        deduplicated.into()
    }

    /// Returns the extension methods; empty in families without them.
    pub fn extension_methods(&self) -> SymbolGroup<'a> {
        let is_extension = |s: &SymbolRef<'a>| lang::is_extension_method(s);
        let positions = match self.indexes_if_large() {
            Some(indexes) => {
                indexes.extension_methods.get_or_init(|| self.positions_where(is_extension)).clone()
            }
            None => self.positions_where(is_extension),
        };
        self.symbols_at(Some(positions))
    }

    /// Returns the methods that a trait declares. Only Rust has any.
    pub fn trait_methods(&self) -> SymbolGroup<'a> {
        let parent = |s: &SymbolRef<'a>| s.parent.and_then(|parent| self.context.snapshot.symbol(parent));
        let is_of_trait = |s: &SymbolRef<'a>| {
            s.kind == SymbolKind::Method && parent(s).is_some_and(|parent| parent.kind == SymbolKind::Trait)
        };
        let positions = match self.indexes_if_large() {
            Some(indexes) => indexes.trait_methods.get_or_init(|| self.positions_where(is_of_trait)).clone(),
            None => self.positions_where(is_of_trait),
        };
        self.symbols_at(Some(positions))
    }

    fn region_of(&self, symbol: &SymbolRef<'a>, same_kind: FileRegion<'_>) -> FileRegion<'a> {
        FileRegion::from_symbol(symbol, same_kind, self.context)
    }

    fn indexes_if_large(&self) -> Option<&SameNameIndexes<'a>> {
        (self.all.len() > INDEX_THRESHOLD).then(|| &**self.indexes.get_or_init(Box::default))
    }

    fn index_by<K: Hash + Eq>(
        &self,
        key: impl Fn(&SymbolRef<'a>) -> Option<K>,
    ) -> FxHashMap<K, ListPositions> {
        count_visits(self.all.len());
        let mut index: FxHashMap<K, Vec<u32>> = FxHashMap::default();
        for (position, symbol) in self.all.iter().enumerate() {
            if let Some(key) = key(symbol) {
                index.entry(key).or_default().push(position as u32);
            }
        }
        index.into_iter().map(|(key, positions)| (key, positions.into())).collect()
    }

    fn positions_where(&self, fits: impl Fn(&SymbolRef<'a>) -> bool) -> ListPositions {
        count_visits(self.all.len());
        let fitting = self.all.iter().enumerate().filter(|(_, symbol)| fits(symbol));
        fitting.map(|(position, _)| position as u32).collect()
    }

    fn symbols_at(&self, positions: Option<ListPositions>) -> SymbolGroup<'a> {
        SymbolGroup { all: self.all.clone(), positions: positions.unwrap_or_default() }
    }
}

/// Some of the symbols with the same name, sorted by path. Reads a symbol only when the iterator
/// reaches it.
pub(super) struct SymbolGroup<'a> {
    all: SortedSymbols<'a>,
    positions: ListPositions,
}

impl<'a> SymbolGroup<'a> {
    /// Iterates over the symbols in the order of their paths.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = SymbolRef<'a>> {
        self.positions.iter().filter_map(|&position| {
            count_visits(1);
            self.all.get(position as usize).copied()
        })
    }

    /// Whether all of the symbols are in the file at `path`.
    pub fn lies_in_file(&self, path: &str) -> bool {
        let (first, last) = (self.iter().next(), self.iter().next_back());
        first.into_iter().chain(last).all(|symbol| symbol.path == path)
    }
}

/// Counts the symbols that a search visits. Does nothing outside tests.
#[cfg(not(test))]
pub(super) const fn count_visits(_symbols: usize) {}

#[cfg(test)]
thread_local! {
    static VISITS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
pub(super) fn count_visits(symbols: usize) {
    VISITS.set(VISITS.get() + symbols);
}

/// Returns the number of symbols that this thread has visited since the last call.
#[cfg(test)]
pub(super) fn take_visits() -> usize {
    VISITS.take()
}
