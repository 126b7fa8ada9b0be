//! The view through which resolution reads other files. It is the only access to them.
//!
//! A `TrackedSnapshot` belongs to the file that is being resolved. It logs every lookup, so that
//! the file is resolved again exactly when a result that it read has changed. `SharedIndexes` holds
//! the indexes behind the views of all files that are resolved together: symbols by name, files by
//! folder and package, members by container, mounts. The indexes do not log; a view logs the lookup
//! before it reads them.

use super::file_names::FileNames;
use super::lang::family::LanguageFamily;
use super::lang::go_interfaces::{ImplementingTypes, MethodKey, TypesByMethod};
use super::mount_graph::{MountGraph, MountScope};
use super::same_name_symbols::{
    FileRegion, INDEX_THRESHOLD, RegionContext, SameNameSymbols, SortedSymbols, SymbolGroup, count_visits,
};
use crate::project::Project;
use kenning_graph::facts::ImportFact;
use kenning_graph::sketch::BodySketch;
use kenning_graph::snapshot::LookupKey;
use kenning_graph::{FileId, FileRef, Snapshot, SymbolId, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A symbol with the sketch of its body.
pub(super) struct SketchedSymbol<'a> {
    pub symbol: SymbolRef<'a>,
    pub sketch: BodySketch,
}

/// Symbols by name, and files by folder and by package, shared by the files that are resolved
/// together. The indexes are functions of the snapshot and the project; the view that reads an
/// index logs the lookup.
pub(super) struct SharedIndexes<'a> {
    snapshot: &'a Snapshot,
    project: &'a Project,
    shards: Vec<Mutex<IndexShard<'a>>>,
    /// Mounts by family: at index 0 without the mounts of tests, at index 1 with them.
    mounts: [OnceLock<FxHashMap<LanguageFamily, MountGraph>>; 2],
    types_by_method: Mutex<TypesByMethod<'a>>,
    file_names: OnceLock<FileNames<'a>>,
}

#[derive(Default)]
struct IndexShard<'a> {
    names: FxHashMap<(LanguageFamily, String), Arc<SameNameSymbols<'a>>>,
    names_in_container: FxHashMap<(LanguageFamily, String, String), Arc<SameNameSymbols<'a>>>,
    /// Number of searches for the symbols of one container, by family and name.
    searches: FxHashMap<(LanguageFamily, String), u32>,
    folders: FxHashMap<String, Arc<[FileRef<'a>]>>,
    packages: FxHashMap<String, Arc<FxHashSet<FileId>>>,
    members: FxHashMap<String, Arc<MembersByContainer<'a>>>,
}

/// Symbols by the qualified name of their container.
type MembersByContainer<'a> = FxHashMap<&'a str, Vec<SymbolRef<'a>>>;

/// Number of shards. With this many, the threads of a large machine seldom wait for each other.
const SHARDS: usize = 64;

/// Number of searches for one name, container by container, before all its symbols are loaded. Code
/// looks up a name such as `new` in thousands of containers.
const MAX_SEARCHES: u32 = 16;

impl<'a> SharedIndexes<'a> {
    pub fn new(snapshot: &'a Snapshot, project: &'a Project) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self {
            snapshot,
            project,
            shards,
            mounts: Default::default(),
            types_by_method: Mutex::default(),
            file_names: OnceLock::new(),
        }
    }

    /// Returns the mounts of all files by language family, with or without the mounts of tests. The
    /// first call reads them.
    pub fn mounts_by_family(
        &'a self,
        project: &'a Project,
        scope: MountScope,
    ) -> &'a FxHashMap<LanguageFamily, MountGraph> {
        let read = || MountGraph::build_by_family(self.snapshot, self, project, scope);
        self.mounts[scope as usize].get_or_init(read)
    }

    /// Returns the files by their names. The first call reads their paths.
    pub fn file_names(&self) -> &FileNames<'a> {
        self.file_names.get_or_init(|| FileNames::from_snapshot(self.snapshot))
    }

    /// Returns the types that have `method`. Calls `find` only if they are not cached.
    pub fn types_with_method(
        &self,
        method: MethodKey<'a>,
        find: impl FnOnce() -> ImplementingTypes<'a>,
    ) -> Arc<ImplementingTypes<'a>> {
        let lock_types = || self.types_by_method.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(types) = lock_types().get(&method) {
            return types.clone();
        }
        let types = Arc::new(find());
        lock_types().insert(method, types.clone());
        types
    }

    fn lock_shard(&self, key: LookupKey) -> MutexGuard<'_, IndexShard<'a>> {
        self.shards[key.key_number() as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn files_in_folder(&self, folder: &str) -> Arc<[FileRef<'a>]> {
        let mut shard = self.lock_shard(LookupKey::Folder(folder));
        if let Some(cached) = shard.folders.get(folder) {
            return cached.clone();
        }
        let ids = self.snapshot.files_in_folder(folder);
        let files: Arc<[FileRef<'a>]> = ids.into_iter().filter_map(|id| self.snapshot.file(id)).collect();
        shard.folders.insert(folder.to_owned(), files.clone());
        files
    }

    fn files_of_package(&self, package: &str) -> Arc<FxHashSet<FileId>> {
        let mut shard = self.lock_shard(LookupKey::Package(package));
        if let Some(cached) = shard.packages.get(package) {
            return cached.clone();
        }
        let ids = self.snapshot.files_of_package(package).into_iter();
        let files = Arc::new(ids.filter(|&id| !self.snapshot.is_document(id)).collect::<FxHashSet<_>>());
        shard.packages.insert(package.to_owned(), files.clone());
        files
    }

    /// Returns the members in the file at `path`, or in the files directly in the folder `path`,
    /// ordered by file and position.
    fn members_at_path(&self, path: &str) -> Arc<MembersByContainer<'a>> {
        let mut shard = self.lock_shard(LookupKey::Members { file_or_folder: path, container: "" });
        if let Some(cached) = shard.members.get(path) {
            return cached.clone();
        }
        let mut members = MembersByContainer::default();
        let files = match self.snapshot.file_by_path(path) {
            Some(file) => vec![file],
            None => self.snapshot.files_in_folder(path),
        };
        for id in files.into_iter().flat_map(|file| self.snapshot.file_symbols(file).into_iter().skip(1)) {
            if let Some(symbol) = self.snapshot.symbol(id)
                && !symbol.container.is_empty()
            {
                members.entry(symbol.container).or_default().push(symbol);
            }
        }
        let members = Arc::new(members);
        shard.members.insert(path.to_owned(), members.clone());
        members
    }

    /// Returns the symbols with this name in `container`, and possibly in other containers. Reads
    /// only the symbols in `container`, unless [`Self::is_worth_loading`] asks for the whole name.
    fn symbols_in_container(
        &self,
        family: LanguageFamily,
        container: &str,
        name: &str,
    ) -> Arc<SameNameSymbols<'a>> {
        if self.is_worth_loading(family, name) {
            return self.symbols_named(family, name);
        }
        let key = LookupKey::NameInContainer { container, name };
        let cache_key = (family, container.to_owned(), name.to_owned());
        if let Some(cached) = self.lock_shard(key).names_in_container.get(&cache_key) {
            return cached.clone();
        }
        let ids = if name.is_empty() {
            Vec::new()
        } else {
            self.snapshot.symbols_named_in_container(container, name)
        };
        let found = self.sort_symbols(family, ids);
        self.lock_shard(key).names_in_container.insert(cache_key, found.clone());
        found
    }

    /// Whether all symbols of `name` are loaded, or have been searched often enough to load them.
    /// Counts this search.
    fn is_worth_loading(&self, family: LanguageFamily, name: &str) -> bool {
        let key = (family, name.to_owned());
        let mut shard = self.lock_shard(LookupKey::Name(name));
        if shard.names.contains_key(&key) {
            return true;
        }
        let searches = shard.searches.entry(key).or_default();
        *searches = searches.saturating_add(1);
        *searches > MAX_SEARCHES
    }

    fn symbols_named(&self, family: LanguageFamily, name: &str) -> Arc<SameNameSymbols<'a>> {
        let key = (family, name.to_owned());
        if let Some(cached) = self.lock_shard(LookupKey::Name(name)).names.get(&key) {
            return cached.clone();
        }
        let ids = if name.is_empty() { Vec::new() } else { self.snapshot.symbols_by_name(name) };
        let found = self.sort_symbols(family, ids);
        self.lock_shard(LookupKey::Name(name)).names.insert(key, found.clone());
        found
    }

    fn sort_symbols(&self, family: LanguageFamily, ids: Vec<SymbolId>) -> Arc<SameNameSymbols<'a>> {
        let symbols = ids.into_iter().filter_map(|id| self.snapshot.symbol(id));
        let context = RegionContext { snapshot: self.snapshot, project: self.project };
        Arc::new(SameNameSymbols::from_symbols(
            symbols.filter(|symbol| family.contains_symbol(symbol)).collect(),
            context,
        ))
    }
}

/// All symbols with the same name, as one view has read them.
struct SameNameList<'a> {
    symbols: Arc<SameNameSymbols<'a>>,
    /// Whether the lookup of the whole name is logged, not only lookups of its parts.
    is_logged: bool,
}

/// Symbols of one name by the qualified name of their container.
type SymbolsByContainer<'a> = Rc<FxHashMap<&'a str, Vec<SymbolRef<'a>>>>;

fn group_by_container<'a>(symbols: &[SymbolRef<'a>]) -> SymbolsByContainer<'a> {
    group_by_key(symbols, |symbol| Some(symbol.container))
}

fn group_by_key<'a>(
    symbols: &[SymbolRef<'a>],
    key: impl Fn(&SymbolRef<'a>) -> Option<&'a str>,
) -> SymbolsByContainer<'a> {
    let mut found: FxHashMap<&str, Vec<SymbolRef>> = FxHashMap::default();
    for symbol in symbols {
        if let Some(key) = key(symbol) {
            found.entry(key).or_default().push(*symbol);
        }
    }
    Rc::new(found)
}

/// The snapshot as seen by one file of one language family. Logs every lookup.
pub(super) struct TrackedSnapshot<'a> {
    snapshot: &'a Snapshot,
    shared: &'a SharedIndexes<'a>,
    family: LanguageFamily,
    lookups: RefCell<FxHashSet<u32>>,
    names: RefCell<FxHashMap<String, SameNameList<'a>>>,
    /// Symbols of names that one file declares more than `INDEX_THRESHOLD` times, by name, path and
    /// container.
    large_groups: RefCell<FxHashMap<String, FxHashMap<String, SymbolsByContainer<'a>>>>,
    /// Symbols of a file by name, path and the container around their container.
    nested: RefCell<FxHashMap<String, FxHashMap<String, SymbolsByContainer<'a>>>>,
    packages: RefCell<FxHashMap<String, Arc<FxHashSet<FileId>>>>,
    imports: RefCell<FxHashMap<String, Arc<[ImportFact]>>>,
}

impl<'a> TrackedSnapshot<'a> {
    /// Creates a view with an empty log of lookups, for files of one family.
    pub fn new(snapshot: &'a Snapshot, shared: &'a SharedIndexes<'a>, family: LanguageFamily) -> Self {
        Self {
            snapshot,
            shared,
            family,
            lookups: RefCell::default(),
            names: RefCell::default(),
            large_groups: RefCell::default(),
            nested: RefCell::default(),
            packages: RefCell::default(),
            imports: RefCell::default(),
        }
    }

    pub(super) fn log_lookup(&self, key: LookupKey) {
        self.lookups.borrow_mut().insert(key.key_number());
    }

    /// Logs lookups by their key numbers.
    pub(super) fn log_lookups(&self, keys: impl Iterator<Item = u32>) {
        self.lookups.borrow_mut().extend(keys);
    }

    pub(super) fn shared_indexes(&self) -> &'a SharedIndexes<'a> {
        self.shared
    }

    pub(super) const fn language_family(&self) -> LanguageFamily {
        self.family
    }

    /// Returns the key numbers of all lookups, sorted.
    pub fn into_lookups(self) -> Vec<u32> {
        let mut lookups: Vec<u32> = self.lookups.into_inner().into_iter().collect();
        lookups.sort_unstable();
        lookups
    }

    /// Returns the symbols of the family with this simple name, sorted by path. The order within a
    /// file is unspecified; decisions must not depend on it.
    pub fn symbols_named(&self, name: &str) -> SortedSymbols<'a> {
        let all = self.same_name_symbols(name).all.clone();
        count_visits(all.len());
        all
    }

    /// Returns the paths of all files with this name (`list.ml`), sorted.
    pub fn files_named(&self, name: &str) -> &[&'a str] {
        self.log_lookup(LookupKey::FileName(name));
        self.shared.file_names().code_named(name)
    }

    /// Whether the region has another type with the simple name of `ty`.
    pub fn has_other_type(&self, region: FileRegion<'_>, ty: &SymbolRef<'a>) -> bool {
        self.same_name_symbols(ty.name).types_in_region(region).iter().any(|other| other.id != ty.id)
    }

    /// Returns the number of symbols of the family with this simple name.
    pub fn count_named(&self, name: &str) -> usize {
        self.same_name_symbols(name).all.len()
    }

    /// Returns the extension methods with this simple name, sorted by path. Empty in
    /// families without extension methods.
    pub fn extension_methods(&self, name: &str) -> SymbolGroup<'a> {
        self.same_name_symbols(name).extension_methods()
    }

    /// Returns the methods with this simple name that traits declare, sorted by path. Only Rust has
    /// any.
    pub fn trait_methods(&self, name: &str) -> SymbolGroup<'a> {
        self.same_name_symbols(name).trait_methods()
    }

    fn same_name_symbols(&self, name: &str) -> Arc<SameNameSymbols<'a>> {
        if let Some(list) = self.names.borrow().get(name).filter(|list| list.is_logged) {
            return list.symbols.clone();
        }
        self.log_lookup(LookupKey::Name(name));
        let mut names = self.names.borrow_mut();
        let new_list =
            || SameNameList { symbols: self.shared.symbols_named(self.family, name), is_logged: false };
        let list = names.entry(name.to_owned()).or_insert_with(new_list);
        list.is_logged = true;
        list.symbols.clone()
    }

    /// Returns the list of all symbols of `name` if this view has it already, or if most files will
    /// need it. Otherwise returns `None`, and the caller reads only the symbols that `part` names.
    /// Logs `part`, unless the whole name is logged.
    fn find_loaded_list(&self, name: &str, part: LookupKey) -> Option<Arc<SameNameSymbols<'a>>> {
        if let Some(list) = self.names.borrow().get(name) {
            if !list.is_logged {
                self.log_lookup(part);
            }
            return Some(list.symbols.clone());
        }
        self.log_lookup(part);
        // During a first index no symbol is in a base image yet, and some file needs nearly every
        // list.
        if self.snapshot.base_symbol_count() > 0 || !matches!(part, LookupKey::NameInContainer { .. }) {
            return None;
        }
        let symbols = self.shared.symbols_named(self.family, name);
        let list = SameNameList { symbols: symbols.clone(), is_logged: false };
        self.names.borrow_mut().insert(name.to_owned(), list);
        Some(symbols)
    }

    /// Returns the symbols with this simple name in the file at `path`.
    pub fn symbols_in_file(&self, path: &str, name: &str) -> Vec<SymbolRef<'a>> {
        if let Some(list) = self.find_loaded_list(name, LookupKey::NameInFile { path, name }) {
            let start = list.all.partition_point(|symbol| symbol.path < path);
            return list.all[start..].iter().take_while(|symbol| symbol.path == path).copied().collect();
        }
        let Some(file) = self.snapshot.file_by_path(path) else { return Vec::new() };
        let ids = self.snapshot.symbols_named_in_file(file, name).into_iter();
        ids.filter_map(|id| self.snapshot.symbol(id))
            .filter(|symbol| self.family.contains_symbol(symbol))
            .collect()
    }

    /// Returns the symbols with this simple name in one container of the file at `path`, in text
    /// order. `container` is a qualified name.
    pub fn symbols_in_scope(&self, path: &str, container: &str, name: &str) -> Vec<SymbolRef<'a>> {
        // The lookup was logged when the symbols were grouped.
        if let Some(group) = self.large_groups.borrow().get(name).and_then(|paths| paths.get(path)) {
            return group.get(container).cloned().unwrap_or_default();
        }
        let mut symbols = self.symbols_in_file(path, name);
        if symbols.len() > INDEX_THRESHOLD {
            let group = group_by_container(&symbols);
            let found = group.get(container).cloned().unwrap_or_default();
            self.large_groups.borrow_mut().entry(name.to_owned()).or_default().insert(path.to_owned(), group);
            return found;
        }
        symbols.retain(|symbol| symbol.container == container);
        symbols
    }

    /// Returns the symbols with this simple name in the file at `path` whose container is itself
    /// declared directly in `container` (a qualified name), in text order. Returns nothing if there
    /// are more than `INDEX_THRESHOLD` of them.
    pub fn symbols_below_scope(&self, path: &str, container: &str, name: &str) -> Vec<SymbolRef<'a>> {
        let cached = self.nested.borrow().get(name).and_then(|paths| paths.get(path)).cloned();
        // The lookup was logged when the symbols were grouped.
        let nested = cached.unwrap_or_else(|| {
            let outer_container =
                |symbol: &SymbolRef<'a>| symbol.container.rsplit_once('.').map(|(outer, _)| outer);
            let nested = group_by_key(&self.symbols_in_file(path, name), outer_container);
            let mut paths = self.nested.borrow_mut();
            paths.entry(name.to_owned()).or_default().insert(path.to_owned(), Rc::clone(&nested));
            nested
        });
        nested.get(container).filter(|found| found.len() <= INDEX_THRESHOLD).cloned().unwrap_or_default()
    }

    /// Returns the symbols of the family with this simple name in a container with this qualified
    /// name, sorted by path.
    pub fn symbols_in_container(&self, container: &str, name: &str) -> SymbolGroup<'a> {
        self.same_name_in_container(container, name).symbols_in_container(container)
    }

    /// Returns the types with this simple name in `container` that name bases, within the limits of
    /// [`SameNameSymbols::deriving_types`].
    pub fn deriving_types(&self, container: &str, name: &str) -> SymbolGroup<'a> {
        self.same_name_in_container(container, name).deriving_types(container)
    }

    /// Returns the symbols with this simple name in `container`, in the files of a region.
    pub fn symbols_in_region(&self, region: FileRegion<'_>, container: &str, name: &str) -> SymbolGroup<'a> {
        self.log_region(region);
        self.same_name_in_container(container, name).symbols_in_region(region, container)
    }

    /// Returns the symbols of a name in the files of a region that are in one of several
    /// containers, container by container.
    pub fn symbols_in_containers<'c>(
        &self,
        region: FileRegion<'_>,
        containers: impl Iterator<Item = &'c str>,
        name: &str,
    ) -> Vec<SymbolRef<'a>> {
        // Reading all symbols of a name once costs less than a search for each container.
        let all = self.same_name_symbols(name);
        self.log_region(region);
        let groups = containers.map(|container| all.symbols_in_region(region, container));
        groups.flat_map(|group| group.iter().collect::<Vec<_>>()).collect()
    }

    /// Logs the key of a package. The files of other regions depend only on paths and the project.
    ///
    /// The files of the package need no log entry: a file that joins or leaves a package changes
    /// the package's key.
    fn log_region(&self, region: FileRegion<'_>) {
        if let FileRegion::Package(package) = region {
            self.log_lookup(LookupKey::Package(package));
        }
    }

    fn same_name_in_container(&self, container: &str, name: &str) -> Arc<SameNameSymbols<'a>> {
        let loaded = self.find_loaded_list(name, LookupKey::NameInContainer { container, name });
        loaded.unwrap_or_else(|| self.shared.symbols_in_container(self.family, container, name))
    }

    /// Returns a symbol that this view returned before.
    ///
    /// This needs no log entry: the lookup that returned the id is logged.
    pub fn symbol_by_id(&self, id: SymbolId) -> Option<SymbolRef<'a>> {
        self.snapshot.symbol(id)
    }

    /// Returns the symbols of the family whose bodies have this band in their sketches, in no
    /// particular order.
    pub fn symbols_in_band(&self, band: u32) -> Vec<SketchedSymbol<'a>> {
        self.log_lookup(LookupKey::Band(band));
        let ids = self.snapshot.symbols_in_band(band);
        let found = ids.into_iter().filter_map(|id| {
            let (symbol, sketch) = (self.snapshot.symbol(id)?, self.snapshot.body_sketch(id)?);
            (LanguageFamily::from_language(symbol.language) == Some(self.family))
                .then_some(SketchedSymbol { symbol, sketch })
        });
        found.collect()
    }

    /// Returns the family's members of the container with this qualified name, in the file at
    /// `path` or in the files directly in the folder `path`, in text order.
    pub fn members_in_container(&self, path: &str, container: &str) -> Vec<SymbolRef<'a>> {
        self.log_lookup(LookupKey::Members { file_or_folder: path, container });
        let members = self.shared.members_at_path(path);
        let found = members.get(container).into_iter().flatten();
        found
            .filter(|symbol| LanguageFamily::from_language(symbol.language) == Some(self.family))
            .copied()
            .collect()
    }

    /// Whether a file of code, in any language, exists at this path.
    pub fn file_exists(&self, path: &str) -> bool {
        self.log_lookup(LookupKey::Path(path));
        self.snapshot.code_file_by_path(path).is_some()
    }

    /// Returns the symbol that represents the file of code at this path.
    pub fn file_symbol(&self, path: &str) -> Option<SymbolId> {
        self.log_lookup(LookupKey::Path(path));
        let file = self.snapshot.code_file_by_path(path)?;
        // The first symbol of a file is the file itself; it depends only on the path.
        self.snapshot.file_symbols(file).first().copied()
    }

    /// Returns the paths of the family's files directly in this folder, sorted.
    pub fn files_in_folder(&self, folder: &str) -> Vec<&'a str> {
        self.log_lookup(LookupKey::Folder(folder));
        self.shared
            .files_in_folder(folder)
            .iter()
            .filter(|file| LanguageFamily::from_language(file.language) == Some(self.family))
            .map(|file| file.path)
            .collect()
    }

    /// Returns the files that declare this package or namespace.
    pub fn files_of_package(&self, package: &str) -> Arc<FxHashSet<FileId>> {
        if let Some(cached) = self.packages.borrow().get(package) {
            return cached.clone();
        }
        self.log_lookup(LookupKey::Package(package));
        let files = self.shared.files_of_package(package);
        self.packages.borrow_mut().insert(package.to_owned(), files.clone());
        files
    }

    /// Returns the paths of the family's files that declare this package, sorted.
    pub fn paths_of_package(&self, package: &str) -> Vec<&'a str> {
        let files = self.files_of_package(package);
        let mut paths: Vec<&'a str> = files
            .iter()
            .filter_map(|&id| self.snapshot.file(id))
            .filter(|file| LanguageFamily::from_language(file.language) == Some(self.family))
            .map(|file| file.path)
            .collect();
        paths.sort_unstable();
        paths
    }

    /// Returns the package that the file at this path declares, or `""`.
    ///
    /// The result has no key: it changes only together with the key of the returned package, or
    /// with the existence of the file. Both are logged.
    pub fn package_of_file(&self, path: &str) -> &'a str {
        self.log_lookup(LookupKey::Path(path));
        let file = self.snapshot.file_by_path(path).and_then(|id| self.snapshot.file(id));
        let package = file.map_or("", |file| file.package);
        self.log_lookup(LookupKey::Package(package));
        package
    }

    /// Returns the imports of the file at this path, or nothing if there is no such file.
    pub fn imports_of_file(&self, path: &str) -> Arc<[ImportFact]> {
        if let Some(cached) = self.imports.borrow().get(path) {
            return cached.clone();
        }
        self.log_lookup(LookupKey::Imports(path));
        self.log_lookup(LookupKey::Path(path));
        let imports: Arc<[ImportFact]> = match self.snapshot.file_by_path(path) {
            Some(id) => self.snapshot.file_imports(id),
            None => Arc::new([]),
        };
        self.imports.borrow_mut().insert(path.to_owned(), imports.clone());
        imports
    }
}

/// Whether `qualified` is `container.name`, or `name` if the container is empty.
pub(super) fn is_qualified_name(qualified: &str, container: &str, name: &str) -> bool {
    if container.is_empty() {
        return qualified == name;
    }
    qualified.strip_prefix(container).and_then(|rest| rest.strip_prefix('.')) == Some(name)
}

/// Splits a dotted path into the part before its last segment and the last segment.
pub(super) fn split_last_segment(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}
