//! Name, member and type lookups across files, on behalf of one file.
//!
//! `Resolver` takes a name, an import or a type expression and the `LookupScope` where it is
//! written, and returns a `Resolution`: the definitions it can lead to. The lookups here cover
//! names, imports, exports and visibility; `members.rs` adds members, bases and values of types.
//!
//! Invariants:
//!
//! * Every lookup reads other files through the view, which logs it.
//! * Lookups call one another recursively. A cache entry is written before a lookup runs, so a
//!   lookup that leads back to itself finds nothing, and `MAX_DEPTH` bounds the chain.

use super::definition::{Definition, ExternalSymbol, LocatedType, LookupScope, ModuleRef, Resolution};
use super::lang;
use super::lang::family::LanguageFamily;
use super::lang::rust_impls::ForeignImpl;
use super::lookup_cache::{NameCache, ScopeCache};
use super::same_name_symbols::FileRegion;
use super::separate_definitions::keep_last_declared;
use super::tracked_snapshot::{TrackedSnapshot, is_qualified_name, split_last_segment};
use crate::project::Project;
use kenning_graph::facts::{FILE_SCOPE, ImportFact};
use kenning_graph::{SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Maximum depth of nested lookups: an import leads to a re-export, the re-export to a base, the
/// base to a type. Re-exports and bases can form chains of any length, and cycles.
const MAX_DEPTH: u32 = 48;

/// Maximum number of functions in progress that can call themselves. Between two nested lookups,
/// resolution follows what files say in loops of its own: members of values, call results, imports.
/// No code needs more than a few dozen; the limit keeps a chain of thousands of links from
/// overflowing the stack.
const MAX_NESTED_CALLS: u32 = 256;

/// The number of calls in progress, with its limit.
struct NestingCount {
    count: Cell<u32>,
    limit: u32,
}

impl NestingCount {
    fn with_limit(limit: u32) -> Self {
        Self { count: Cell::new(0), limit }
    }

    /// Runs a call. Returns `None` without running it if the limit is reached.
    fn run_nested<T>(&self, run: impl FnOnce() -> T) -> Option<T> {
        if self.count.get() >= self.limit {
            return None;
        }
        self.count.set(self.count.get() + 1);
        let result = run();
        self.count.set(self.count.get() - 1);
        Some(result)
    }
}

/// Lookups for one file. Every result is a function of the project and of the logged lookups.
pub(super) struct Resolver<'a> {
    pub view: TrackedSnapshot<'a>,
    pub project: &'a Project,
    pub family: LanguageFamily,
    /// Path of the file that is being resolved.
    pub path: &'a str,
    /// Package that the file declares.
    pub package: &'a str,
    /// The `impl` blocks of this file for types of other files.
    pub(super) impls: Vec<ForeignImpl>,
    /// Cached methods of the traits visible in the file, by name.
    pub(super) trait_methods: RefCell<FxHashMap<Box<str>, Rc<Resolution<'a>>>>,
    lookups: NestingCount,
    nested_calls: NestingCount,
    /// Number of export lookups in progress. Results found meanwhile may be incomplete, because a
    /// lookup in progress counts as empty.
    exports_in_progress: Cell<u32>,
    names: RefCell<ScopeCache<Rc<Resolution<'a>>>>,
    symbols: RefCell<ScopeCache<Option<SymbolRef<'a>>>>,
    exports: RefCell<NameCache<ModuleRef, Rc<Resolution<'a>>>>,
    /// Targets of wildcard imports, by the address of the import. The address stays valid because
    /// the view owns the imports.
    wildcard_targets: RefCell<FxHashMap<*const ImportFact, Rc<ImportTarget<'a>>>>,
    pub(super) members: RefCell<NameCache<SymbolId, Rc<Resolution<'a>>>>,
    pub(super) structural_members: RefCell<NameCache<Rc<LocatedType>, Rc<Resolution<'a>>>>,
    pub(super) values: RefCell<FxHashMap<SymbolId, Rc<Resolution<'a>>>>,
    /// Types by path, container and text.
    pub(super) types: RefCell<ScopeCache<Rc<Resolution<'a>>>>,
    pub(super) base_lists: RefCell<FxHashMap<SymbolId, Rc<Resolution<'a>>>>,
    /// Paths of this file and of the files that it imports, directly or not; computed on first use.
    pub(super) imported: RefCell<Option<Rc<FxHashSet<String>>>>,
}

impl<'a> Resolver<'a> {
    pub fn new(
        view: TrackedSnapshot<'a>,
        project: &'a Project,
        family: LanguageFamily,
        path: &'a str,
        package: &'a str,
    ) -> Self {
        Self {
            view,
            project,
            family,
            path,
            package,
            impls: Vec::new(),
            trait_methods: RefCell::default(),
            lookups: NestingCount::with_limit(MAX_DEPTH),
            nested_calls: NestingCount::with_limit(MAX_NESTED_CALLS),
            exports_in_progress: Cell::new(0),
            names: RefCell::default(),
            symbols: RefCell::default(),
            exports: RefCell::default(),
            wildcard_targets: RefCell::default(),
            members: RefCell::default(),
            structural_members: RefCell::default(),
            values: RefCell::default(),
            types: RefCell::default(),
            base_lists: RefCell::default(),
            imported: RefCell::default(),
        }
    }

    /// Runs a nested lookup. Returns `None` without running it if `MAX_DEPTH` is reached, because
    /// the chain is probably endless.
    pub(super) fn with_depth_limit<T>(&self, run: impl FnOnce() -> T) -> Option<T> {
        self.lookups.run_nested(run)
    }

    /// Runs a part of a lookup that can lead to itself without another lookup in between. Returns
    /// `None` without running it if [`MAX_NESTED_CALLS`] are in progress. Every cycle of calls in
    /// resolution passes through this or through [`Self::with_depth_limit`].
    pub(super) fn with_nesting_limit<T>(&self, run: impl FnOnce() -> T) -> Option<T> {
        self.nested_calls.run_nested(run)
    }

    /// Returns the package that a file declares.
    pub fn package_of_file(&self, path: &str) -> &'a str {
        if path == self.path { self.package } else { self.view.package_of_file(path) }
    }

    /// Looks up a name without a receiver, as seen from `scope`: in enclosing scopes, imports, the
    /// file, wildcard imports, the package and the language's builtins. Ignores local variables.
    pub fn lookup_name(&self, scope: LookupScope, name: &str) -> Rc<Resolution<'a>> {
        let LookupScope { path, container } = scope;
        if let Some(cached) = self.names.borrow().get(path, container, name) {
            return cached.clone();
        }
        // A lookup that leads back to itself finds nothing.
        self.names.borrow_mut().insert(path, container, name, Rc::default());
        let found =
            Rc::new(self.with_depth_limit(|| self.lookup_name_uncached(scope, name)).unwrap_or_default());
        self.names.borrow_mut().insert(path, container, name, found.clone());
        found
    }

    fn lookup_name_uncached(&self, scope: LookupScope, name: &str) -> Resolution<'a> {
        let enclosing = self.lookup_enclosing(scope, name);
        if !enclosing.is_empty() {
            return enclosing;
        }
        // A name that no container declares resolves to the same symbols everywhere in a file,
        // except in block modules. Look it up once, without a container.
        if !scope.container.is_empty() && !self.family.has_block_modules() {
            let mut found = (*self.lookup_name(LookupScope { container: "", ..scope }, name)).clone();
            found.has_unknown_members |= enclosing.has_unknown_members;
            return found;
        }
        let imported = self.lookup_imported(scope.path, name);
        if imported.is_bound {
            return self.prefer_own_declaration(scope.path, name, &imported).unwrap_or(imported);
        }
        // Where the whole workspace is visible, the symbols of this file are among its symbols.
        if !self.family.declares(|rules| rules.separate_definitions) {
            let declared = self.symbols_in_file_where(scope.path, name, |s| self.is_top_level(s));
            if !declared.is_empty() {
                return declared;
            }
        }
        let implicit = lang::resolve_unimported_name(self, scope, name);
        if !implicit.is_empty() {
            return implicit;
        }
        let from_wildcards = self.lookup_in_wildcards(scope.path, name);
        if from_wildcards.is_bound {
            return from_wildcards;
        }
        if self.family.language_builtins().names.contains(name) {
            return Resolution::builtin();
        }
        enclosing
    }

    /// Returns the types and callables that the file declares under `name` as substitutes for
    /// imports that may fail: if all its imports of the name lead outside the workspace. Returns
    /// `None` otherwise.
    fn prefer_own_declaration(
        &self,
        path: &str,
        name: &str,
        imported: &Resolution<'a>,
    ) -> Option<Resolution<'a>> {
        let is_external =
            |definition: &Definition| matches!(definition, Definition::External(_) | Definition::Builtin);
        if !self.family.has_import_fallbacks() || !imported.definitions.iter().all(is_external) {
            return None;
        }
        let file_scope = LookupScope { path, container: "" };
        let declared =
            self.symbols_in_scope_where(file_scope, name, |s| s.kind.is_type() || s.kind.is_callable());
        (!declared.is_empty()).then_some(declared)
    }

    /// Looks up a name in the containers around a scope, innermost first.
    fn lookup_enclosing(&self, scope: LookupScope, name: &str) -> Resolution<'a> {
        let mut container = scope.container;
        let mut has_unknown_members = false;
        // Whether no type or module lies between the scope and the current container.
        let mut is_innermost = true;
        while !container.is_empty() {
            let (outer, simple) = split_last_segment(container);
            let owner = self.find_symbol_at(scope.path, outer, simple);
            let owner = owner.or_else(|| self.type_declared_elsewhere(scope.path, container));
            is_innermost &= owner.is_none_or(|o| !o.kind.is_type() || o.kind == SymbolKind::Module);
            let is_type = owner.is_some_and(|o| o.kind.is_type() && o.kind != SymbolKind::Module);
            if is_type && !self.family.types_are_scopes() {
                container = outer;
                continue;
            }
            if let (Some(owner), true, true) = (owner, is_type, self.family.has_implicit_receiver()) {
                let found = self.members_of_type(&owner, name);
                if !found.is_empty() {
                    return (*found).clone();
                }
                has_unknown_members |= found.has_unknown_members;
            } else if let (Some(owner), true) = (owner, self.family.declares(|rules| rules.namespace_imports))
                && owner.kind == SymbolKind::Module
            {
                let found = self.own_members(&owner, name);
                if !found.is_empty() {
                    return found;
                }
            } else if let (Some(owner), true) = (owner, self.family.modules_have_methods())
                && owner.kind == SymbolKind::Module
            {
                let mut found = (*self.members_of_type(&owner, name)).clone();
                found.definitions.retain(|definition| {
                    matches!(definition, Definition::Symbol(s)
                        if is_innermost || s.kind.is_type() || s.kind == SymbolKind::Constant)
                });
                is_innermost = false;
                if !found.is_empty() {
                    return found;
                }
            } else if is_type && container == scope.container {
                // Code directly in the body of a class sees the class's names: decorators,
                // defaults, nested types.
                let found = self.symbols_in_scope_where(LookupScope { container, ..scope }, name, |_| true);
                if !found.is_empty() {
                    return found;
                }
            } else if is_type {
                let found = self
                    .symbols_in_scope_where(LookupScope { container, ..scope }, name, |s| s.kind.is_type());
                if !found.is_empty() && self.family.methods_see_nested_types() {
                    return found;
                }
            } else {
                let is_visible_inside = |s: &SymbolRef| lang::is_visible_in_owner(self.family, s);
                let found =
                    self.symbols_in_scope_where(LookupScope { container, ..scope }, name, is_visible_inside);
                if !found.is_empty() {
                    return found;
                }
            }
            container = outer;
        }
        Resolution { has_unknown_members, ..Resolution::not_found() }
    }

    /// Returns the symbol `container.name` of a file. If there are several, types come first.
    pub fn find_symbol_at(&self, path: &str, container: &str, name: &str) -> Option<SymbolRef<'a>> {
        if let Some(cached) = self.symbols.borrow().get(path, container, name) {
            return *cached;
        }
        let symbols = self.view.symbols_in_scope(path, container, name);
        let found = symbols.iter().find(|s| s.kind.is_type()).or_else(|| symbols.first()).copied();
        self.symbols.borrow_mut().insert(path, container, name, found);
        found
    }

    /// Returns the symbols with this name that satisfy `fits`.
    pub fn symbols_named_where(&self, name: &str, fits: impl Fn(&SymbolRef<'a>) -> bool) -> Resolution<'a> {
        let symbols = self.view.symbols_named(name);
        self.resolution_of_symbols(symbols.iter().filter(|s| fits(s)).copied().collect())
    }

    /// Returns the symbols with this name that have no container and satisfy `fits`, in any file.
    pub fn top_level_where(&self, name: &str, fits: impl Fn(&SymbolRef<'a>) -> bool) -> Resolution<'a> {
        self.resolution_of_symbols(self.view.symbols_in_container("", name).iter().filter(fits).collect())
    }

    /// Returns the symbols with this name in the files of a region that have no container and
    /// satisfy `fits`.
    pub fn top_level_in_region(
        &self,
        region: FileRegion<'_>,
        name: &str,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) -> Resolution<'a> {
        self.resolution_of_symbols(
            self.view.symbols_in_region(region, "", name).iter().filter(fits).collect(),
        )
    }

    /// Returns the symbols with this name in one file that satisfy `fits`.
    pub fn symbols_in_file_where(
        &self,
        path: &str,
        name: &str,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) -> Resolution<'a> {
        let mut symbols = self.view.symbols_in_file(path, name);
        symbols.retain(|s| fits(s));
        self.resolution_of_symbols(symbols)
    }

    /// Returns the symbols with this name in one container of one file that satisfy `fits`.
    pub fn symbols_in_scope_where(
        &self,
        scope: LookupScope,
        name: &str,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) -> Resolution<'a> {
        let mut symbols = self.view.symbols_in_scope(scope.path, scope.container, name);
        symbols.retain(|s| fits(s));
        self.resolution_of_symbols(symbols)
    }

    /// Converts symbols to a resolution. Drops declarations that another declaration replaces, and
    /// returns an unknown target if too many symbols remain.
    pub(super) fn resolution_of_symbols(&self, mut found: Vec<SymbolRef<'a>>) -> Resolution<'a> {
        if found.len() > 1 && self.family.joins_type_declarations() {
            self.keep_one_declaration(&mut found);
        }
        if found.len() > 1 && self.family.redeclares_names() {
            keep_last_declared(&mut found);
        }
        if self.family.declares(|rules| rules.separate_definitions) {
            self.prefer_definitions(&mut found);
        }
        if found.len() > self.max_definitions() {
            return Resolution::bound_to_unknown();
        }
        Resolution::from_definitions(found.into_iter().map(Definition::Symbol).collect())
    }

    /// Whether a symbol is at the top level of its file, or directly in the file's namespaces.
    pub fn is_top_level(&self, symbol: &SymbolRef<'a>) -> bool {
        symbol.container.is_empty()
            || lang::top_containers(self.family, self.package_of_file(symbol.path))
                .is_some_and(|mut containers| containers.any(|container| container == symbol.container))
    }

    fn imports_of_file(&self, path: &str) -> std::sync::Arc<[ImportFact]> {
        self.view.imports_of_file(path)
    }

    /// Returns the definitions that the imports of a file bind to a name.
    fn lookup_imported(&self, path: &str, name: &str) -> Resolution<'a> {
        let imports = self.imports_of_file(path);
        let mut found = Resolution::not_found();
        for import in imports.iter().filter(|import| lang::binds_name_locally(self, import, name)) {
            found.is_bound = true;
            found.extend(&self.resolve_import(path, import, name));
        }
        prefer_workspace(&mut found);
        found
    }

    /// Returns the definitions that one import binds to its name.
    pub fn resolve_import(&self, path: &str, import: &ImportFact, bound_name: &str) -> Resolution<'a> {
        if let Some(found) = lang::resolve_special_import(self, path, import) {
            return found;
        }
        let resolve_target = || match lang::import_target(self, path, import, bound_name) {
            ImportTarget::Modules(modules)
                if import.name.is_empty()
                    || (import.path.is_empty() && self.family.imports_modules_by_name())
                    || (import.name == "*" && !import.alias.is_empty()) =>
            {
                Resolution::from_definitions(modules.into_iter().map(Definition::Module).collect())
            }
            ImportTarget::Modules(modules) => {
                let mut found = Resolution::bound_to_unknown();
                for module in &modules {
                    found.extend(&self.resolve_export(module, &import.name));
                }
                found
            }
            ImportTarget::Types(types) if import.name.is_empty() || import.path.is_empty() => {
                Resolution::from_definitions(types)
            }
            ImportTarget::Types(types) => {
                let mut found = self.resolve_member(&Resolution::from_definitions(types), &import.name);
                found.is_bound = true;
                found
            }
            ImportTarget::External(package) => Resolution::from_definitions(vec![Definition::External(
                Rc::new(ExternalSymbol::new(&package, &import.name)),
            )]),
            ImportTarget::Unknown => Resolution::bound_to_unknown(),
        };
        self.with_depth_limit(resolve_target).unwrap_or_else(Resolution::bound_to_unknown)
    }

    /// Looks up a name in the wildcard imports of a file.
    fn lookup_in_wildcards(&self, path: &str, name: &str) -> Resolution<'a> {
        let imports = self.imports_of_file(path);
        let mut found = Resolution::not_found();
        for import in imports.iter().filter(|import| lang::is_local_wildcard(self.family, import)) {
            found.extend(&self.resolve_wildcard_import(path, import, name));
        }
        found
    }

    /// Looks up a name in one wildcard import.
    fn resolve_wildcard_import(&self, path: &str, import: &ImportFact, name: &str) -> Resolution<'a> {
        let resolve_target = || {
            let mut found = Resolution::not_found();
            match &*self.wildcard_target(path, import, name) {
                ImportTarget::Modules(modules) => {
                    for module in modules {
                        found.extend(&self.resolve_export(module, name));
                    }
                }
                ImportTarget::Types(types) => {
                    found.extend(&self.resolve_member(&Resolution::from_definitions(types.clone()), name));
                }
                ImportTarget::External(_) | ImportTarget::Unknown => {}
            }
            // A wildcard import without the name does not bind it.
            found.is_bound = !found.definitions.is_empty();
            found
        };
        self.with_depth_limit(resolve_target).unwrap_or_default()
    }

    /// Returns the target of a wildcard import for a lookup of `name`.
    fn wildcard_target(&self, path: &str, import: &ImportFact, name: &str) -> Rc<ImportTarget<'a>> {
        if lang::target_depends_on_name(self.family) {
            return Rc::new(lang::import_target(self, path, import, name));
        }
        let key = std::ptr::from_ref(import);
        if let Some(cached) = self.wildcard_targets.borrow().get(&key) {
            return Rc::clone(cached);
        }
        let target = Rc::new(lang::import_target(self, path, import, name));
        if self.exports_in_progress.get() == 0 {
            self.wildcard_targets.borrow_mut().insert(key, Rc::clone(&target));
        }
        target
    }

    /// Looks up a name that a module exports: its own symbols, its re-exports, its submodules.
    pub fn resolve_export(&self, module: &ModuleRef, name: &str) -> Rc<Resolution<'a>> {
        if let Some(cached) = self.exports.borrow().get(module).and_then(|names| names.get(name)) {
            return cached.clone();
        }
        self.exports.borrow_mut().entry(module.clone()).or_default().insert(name.into(), Rc::default());
        self.exports_in_progress.set(self.exports_in_progress.get() + 1);
        let found =
            Rc::new(self.with_depth_limit(|| self.resolve_export_uncached(module, name)).unwrap_or_default());
        self.exports_in_progress.set(self.exports_in_progress.get() - 1);
        self.exports.borrow_mut().entry(module.clone()).or_default().insert(name.into(), found.clone());
        found
    }

    fn resolve_export_uncached(&self, module: &ModuleRef, name: &str) -> Resolution<'a> {
        let exported_key = lang::find_exported_key(self, module, name);
        if !exported_key.is_empty() {
            return exported_key;
        }
        let declared = match module {
            ModuleRef::File { path, container } => {
                self.symbols_in_scope_where(LookupScope { path, container }, name, |_| true)
            }
            ModuleRef::Folder(folder) => lang::find_folder_export(self, folder, name),
            ModuleRef::Package(package) => {
                let region = FileRegion::Package(package);
                if let Some(containers) = lang::top_containers(self.family, package) {
                    self.resolution_of_symbols(self.view.symbols_in_containers(region, containers, name))
                } else if package.is_empty() {
                    self.top_level_where(name, |symbol| self.package_of_file(symbol.path).is_empty())
                } else {
                    self.top_level_in_region(region, name, |_| true)
                }
            }
        };
        if declared.is_bound {
            return declared;
        }
        if let ModuleRef::File { path, container } = module {
            let reexported = self.resolve_reexport(path, container, name);
            if !reexported.is_empty() {
                return reexported;
            }
        }
        let special = lang::find_special_export(self, module, name);
        if !special.is_empty() {
            return special;
        }
        Resolution::from_definitions(
            lang::find_submodules(self, module, name).into_iter().map(Definition::Module).collect(),
        )
    }

    /// Looks up a name among the re-exports of a file: its imports that other files can see.
    fn resolve_reexport(&self, path: &str, container: &str, name: &str) -> Resolution<'a> {
        let imports = self.imports_of_file(path);
        let mut found = Resolution::not_found();
        let is_reexport = |import: &&ImportFact| {
            lang::is_reexport(self.family, import) && (container.is_empty() || import.scope != FILE_SCOPE)
        };
        for import in imports.iter().filter(is_reexport).filter(|import| lang::binds_name(self, import, name))
        {
            found.extend(&self.resolve_import(path, import, name));
        }
        if found.is_empty() {
            for import in imports
                .iter()
                .filter(is_reexport)
                .filter(|import| lang::is_wildcard_import(self.family, import))
            {
                found.extend(&self.resolve_wildcard_import(path, import, name));
            }
        }
        prefer_workspace(&mut found);
        found
    }

    /// Whether the visibility of `symbol` lets this file refer to it.
    pub fn is_visible(&self, symbol: &SymbolRef<'a>) -> bool {
        symbol.path == self.path
            || match symbol.visibility {
                Visibility::Public | Visibility::Protected => true,
                Visibility::Internal => lang::is_internal_visible(self, symbol.path),
                Visibility::Private => lang::is_private_visible(self, symbol.path),
            }
    }

    /// Returns the types that a qualified container names, for a member of this file that is
    /// declared outside its type.
    pub fn types_of_container(&self, container: &str) -> Vec<SymbolRef<'a>> {
        let (outer, simple) = split_last_segment(container);
        if let Some(ty) = self.find_symbol_at(self.path, outer, simple).filter(|s| s.kind.is_type()) {
            return vec![ty];
        }
        let implementing = self.implementing_types_named(container);
        if !implementing.is_empty() {
            return implementing;
        }
        let found = self.resolve_type_path(LookupScope { path: self.path, container: outer }, simple);
        let types = found.definitions.iter().filter_map(|definition| match definition {
            Definition::Symbol(s)
                if s.kind.is_type() && is_qualified_name(container, s.container, s.name) =>
            {
                Some(*s)
            }
            Definition::Symbol(s) if s.kind.is_type() && s.name == simple => Some(*s),
            _ => None,
        });
        types.collect()
    }
}

/// The target of an import.
pub(super) enum ImportTarget<'a> {
    /// Modules of the workspace.
    Modules(Vec<ModuleRef>),
    /// Types whose members are imported.
    Types(Vec<Definition<'a>>),
    /// A package outside the workspace, by name.
    External(String),
    /// A missing file or module of the workspace.
    Unknown,
}

/// Drops the targets outside the workspace if others are in the workspace. Code binds a name twice
/// to provide a fallback for a missing package.
fn prefer_workspace(found: &mut Resolution) {
    let is_external =
        |definition: &Definition| matches!(definition, Definition::External(_) | Definition::Builtin);
    if found.definitions.iter().any(|definition| !is_external(definition)) {
        found.definitions.retain(|definition| !is_external(definition));
    }
}
