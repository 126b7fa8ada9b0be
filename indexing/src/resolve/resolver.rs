//! Looking up names, members and types across files, for one file at a time.

use super::family::Family;
use super::impls::Impl;
use super::lang;
use super::meaning::{External, Found, Meaning, Module, Place};
use super::memo::{ByName, ByPlace};
use super::named::Region;
use super::view::{View, is_qualified, lies_in, same_folder, split_last};
use crate::project::{Project, folder_of};
use kenning_graph::facts::{FILE_SCOPE, Import};
use kenning_graph::{SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Longest chain of lookups that lead to one another (imports to re-exports to bases to types ...).
const MAX_DEPTH: u32 = 48;

/// Lookups for one file. Every answer is a function of the project and of what the view has logged.
pub(super) struct Resolver<'a> {
    pub view: View<'a>,
    pub project: &'a Project,
    pub family: Family,
    /// The path of the file that is resolved.
    pub path: &'a str,
    /// Its declared package.
    pub package: &'a str,
    /// Rust: what the file implements for types of other files.
    pub(super) impls: Vec<Impl>,
    /// Rust: methods of the traits that the file sees, by name.
    pub(super) of_traits: RefCell<FxHashMap<Box<str>, Rc<Found<'a>>>>,
    depth: Cell<u32>,
    /// Exports that are being looked for: what is found meanwhile may lack what they lead to.
    exporting: Cell<u32>,
    names: RefCell<ByPlace<Rc<Found<'a>>>>,
    symbols: RefCell<ByPlace<Option<SymbolRef<'a>>>>,
    exports: RefCell<ByName<Module, Rc<Found<'a>>>>,
    /// Where wildcard imports lead, by where the view holds them: it does so as long as it lives.
    wildcard_targets: RefCell<FxHashMap<*const Import, Rc<Target<'a>>>>,
    pub(super) members: RefCell<ByName<SymbolId, Rc<Found<'a>>>>,
    pub(super) values: RefCell<FxHashMap<SymbolId, Rc<Found<'a>>>>,
    /// Types by path, container and text.
    pub(super) types: RefCell<ByPlace<Rc<Found<'a>>>>,
    pub(super) base_lists: RefCell<FxHashMap<SymbolId, Rc<Found<'a>>>>,
}

impl<'a> Resolver<'a> {
    pub fn new(
        view: View<'a>,
        project: &'a Project,
        family: Family,
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
            of_traits: RefCell::default(),
            depth: Cell::new(0),
            exporting: Cell::new(0),
            names: RefCell::default(),
            symbols: RefCell::default(),
            exports: RefCell::default(),
            wildcard_targets: RefCell::default(),
            members: RefCell::default(),
            values: RefCell::default(),
            types: RefCell::default(),
            base_lists: RefCell::default(),
        }
    }

    /// Runs a lookup one level deeper; `None` when lookups lead to one another without end.
    pub(super) fn deeper<T>(&self, run: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() >= MAX_DEPTH {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let result = run();
        self.depth.set(self.depth.get() - 1);
        Some(result)
    }

    /// The package that a file declares.
    pub fn package_of(&self, path: &str) -> &'a str {
        if path == self.path { self.package } else { self.view.package_of(path) }
    }

    /// What a name without receiver stands for at a place: enclosing scopes, imports, the file, wildcard imports,
    /// the package, the language. Local variables are not seen here.
    pub fn lookup(&self, place: Place, name: &str) -> Rc<Found<'a>> {
        let Place { path, container } = place;
        if let Some(known) = self.names.borrow().get(path, container, name) {
            return known.clone();
        }
        // A lookup that leads to itself finds nothing.
        self.names.borrow_mut().insert(path, container, name, Rc::default());
        let found = Rc::new(self.deeper(|| self.lookup_fresh(place, name)).unwrap_or_default());
        self.names.borrow_mut().insert(path, container, name, found.clone());
        found
    }

    fn lookup_fresh(&self, place: Place, name: &str) -> Found<'a> {
        let enclosing = self.enclosing(place, name);
        if !enclosing.is_empty() {
            return enclosing;
        }
        // Beyond its containers, a name means the same everywhere in a file; but for Rust's block modules.
        if !place.container.is_empty() && self.family != Family::Rust {
            let mut found = (*self.lookup(Place { container: "", ..place }, name)).clone();
            found.opaque |= enclosing.opaque;
            return found;
        }
        let imported = self.imported(place.path, name);
        if imported.bound {
            return self.own_instead(place.path, name, &imported).unwrap_or(imported);
        }
        let own = self.named_in_where(place.path, name, |s| self.is_top_level(s));
        if !own.is_empty() {
            return own;
        }
        let implicit = lang::implicit(self, place, name);
        if !implicit.is_empty() {
            return implicit;
        }
        let wild = self.wildcards(place.path, name);
        if wild.bound {
            return wild;
        }
        if self.family.builtins().names.contains(name) {
            return Found::builtin();
        }
        enclosing
    }

    /// Python: what the file itself declares where an import that leads outside may fail.
    fn own_instead(&self, path: &str, name: &str, imported: &Found<'a>) -> Option<Found<'a>> {
        let outside = |meaning: &Meaning| matches!(meaning, Meaning::External(_) | Meaning::Builtin);
        if self.family != Family::Python || !imported.meanings.iter().all(outside) {
            return None;
        }
        let top = Place { path, container: "" };
        let own = self.named_at_where(top, name, |s| s.kind.is_type() || s.kind.is_callable());
        Some(own).filter(|own| !own.is_empty())
    }

    /// Symbols of the containers around a place, innermost first.
    fn enclosing(&self, place: Place, name: &str) -> Found<'a> {
        let mut container = place.container;
        let mut opaque = false;
        // Whether no type has been passed yet.
        let mut innermost = true;
        while !container.is_empty() {
            let (outer, simple) = split_last(container);
            let owner = self.symbol_at(place.path, outer, simple);
            innermost &= owner.is_none_or(|o| !o.kind.is_type() || o.kind == SymbolKind::Module);
            let is_type = owner.is_some_and(|o| o.kind.is_type() && o.kind != SymbolKind::Module);
            let all = !is_type || self.family.implicit_receiver();
            // Types of Go and Rust are no scopes: what belongs to one is named through it.
            if is_type && matches!(self.family, Family::Go | Family::Rust) {
                container = outer;
                continue;
            }
            if let (Some(owner), true, true) = (owner, is_type, all) {
                let found = self.members(&owner, name);
                if !found.is_empty() {
                    return (*found).clone();
                }
                opaque |= found.opaque;
            } else if let (Some(owner), Family::Ruby) = (owner, self.family)
                && owner.kind == SymbolKind::Module
            {
                // Constants of a module are visible inside it, wherever they stand; its methods in its own methods only.
                let mut found = (*self.members(&owner, name)).clone();
                found.meanings.retain(|meaning| {
                    matches!(meaning, Meaning::Symbol(s)
                        if innermost || s.kind.is_type() || s.kind == SymbolKind::Constant)
                });
                innermost = false;
                if !found.is_empty() {
                    return found;
                }
            } else if is_type && container == place.container {
                // In the body of the class itself its names are visible (decorators, defaults, nested types).
                let found = self.named_at_where(Place { container, ..place }, name, |_| true);
                if !found.is_empty() {
                    return found;
                }
            } else if is_type {
                let found = self.named_at_where(Place { container, ..place }, name, |s| s.kind.is_type());
                if !found.is_empty() && self.family != Family::Python {
                    return found;
                }
            } else {
                let is_name = |s: &SymbolRef| self.family != Family::Script || !lang::script::is_member(s);
                let found = self.named_at_where(Place { container, ..place }, name, is_name);
                if !found.is_empty() {
                    return found;
                }
            }
            container = outer;
        }
        Found { opaque, ..Found::nothing() }
    }

    /// The symbol `container.name` of a file. Of several the types come first.
    pub fn symbol_at(&self, path: &str, container: &str, name: &str) -> Option<SymbolRef<'a>> {
        if let Some(known) = self.symbols.borrow().get(path, container, name) {
            return *known;
        }
        let here = self.view.named_at(path, container, name);
        let found = here.iter().find(|s| s.kind.is_type()).or_else(|| here.first()).copied();
        self.symbols.borrow_mut().insert(path, container, name, found);
        found
    }

    /// The symbols with a name that fit a condition.
    pub fn named_where(&self, name: &str, fits: impl Fn(&SymbolRef<'a>) -> bool) -> Found<'a> {
        let named = self.view.named(name);
        self.meant(named.iter().filter(|s| fits(s)).copied().collect())
    }

    /// The symbols with a name that stand in no container, in whatever file, and fit a condition.
    pub fn at_top_where(&self, name: &str, fits: impl Fn(&SymbolRef<'a>) -> bool) -> Found<'a> {
        self.meant(self.view.named_of("", name).iter().filter(fits).collect())
    }

    /// Of those the ones in the files of a region.
    pub fn at_top_within(
        &self,
        region: Region<'_>,
        name: &str,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) -> Found<'a> {
        self.meant(self.view.named_within(region, "", name).iter().filter(fits).collect())
    }

    /// The symbols with a name in one file that fit a condition.
    pub fn named_in_where(&self, path: &str, name: &str, fits: impl Fn(&SymbolRef<'a>) -> bool) -> Found<'a> {
        let mut named = self.view.named_in(path, name);
        named.retain(|s| fits(s));
        self.meant(named)
    }

    /// The symbols with a name that stand in one container of one file and fit a condition.
    pub fn named_at_where(
        &self,
        place: Place,
        name: &str,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) -> Found<'a> {
        let mut named = self.view.named_at(place.path, place.container, name);
        named.retain(|s| fits(s));
        self.meant(named)
    }

    pub(super) fn meant(&self, mut found: Vec<SymbolRef<'a>>) -> Found<'a> {
        if found.len() > 1 && matches!(self.family, Family::CSharp | Family::Ruby) {
            self.keep_one_part(&mut found);
        }
        if found.len() > 1 && self.family == Family::Python {
            keep_last_declared(&mut found);
        }
        if found.len() > self.max_meanings() {
            return Found::bound();
        }
        Found::of(found.into_iter().map(Meaning::Symbol).collect())
    }

    /// Of the parts of a type that is written in several places, keeps the one in this file, or else the one
    /// with the first path: members are looked for in all parts anyway.
    fn keep_one_part(&self, found: &mut Vec<SymbolRef<'a>>) {
        found.sort_by(|a, b| {
            (a.container, a.name, a.path != self.path, a.path).cmp(&(
                b.container,
                b.name,
                b.path != self.path,
                b.path,
            ))
        });
        found.dedup_by(|next, kept| {
            kept.kind.is_type()
                && next.kind.is_type()
                && kept.container == next.container
                && (self.family == Family::Ruby || self.package_of(kept.path) == self.package_of(next.path))
        });
    }

    /// Whether a symbol stands at the top of its file, or directly in its namespaces.
    pub fn is_top_level(&self, symbol: &SymbolRef<'a>) -> bool {
        symbol.container.is_empty()
            || (self.family == Family::CSharp
                && lang::csharp::top_containers(self.package_of(symbol.path))
                    .any(|container| container == symbol.container))
    }

    fn imports_of(&self, path: &str) -> std::sync::Arc<[Import]> {
        self.view.imports_of(path)
    }

    /// What the imports of a file bind a name to.
    fn imported(&self, path: &str, name: &str) -> Found<'a> {
        let imports = self.imports_of(path);
        let mut found = Found::nothing();
        for import in imports.iter().filter(|import| lang::binds_here(self, import, name)) {
            found.bound = true;
            found.extend(&self.import_meaning(path, import, name));
        }
        prefer_workspace(&mut found);
        found
    }

    /// What one import binds its name to.
    pub fn import_meaning(&self, path: &str, import: &Import, bound_name: &str) -> Found<'a> {
        if let Some(found) = lang::special_import(self, path, import) {
            return found;
        }
        let run = || match lang::import_target(self, path, import, bound_name) {
            Target::Modules(modules)
                if import.name.is_empty()
                    || (import.path.is_empty() && self.family == Family::Rust)
                    || (import.name == "*" && !import.alias.is_empty()) =>
            {
                Found::of(modules.into_iter().map(Meaning::Module).collect())
            }
            Target::Modules(modules) => {
                let mut found = Found::bound();
                for module in &modules {
                    found.extend(&self.export(module, &import.name));
                }
                found
            }
            Target::Types(types) if import.name.is_empty() || import.path.is_empty() => Found::of(types),
            Target::Types(types) => {
                let mut found = self.step(&Found::of(types), &import.name);
                found.bound = true;
                found
            }
            Target::External(package) => {
                Found::of(vec![Meaning::External(Rc::new(External::new(&package, &import.name)))])
            }
            Target::Unknown => Found::bound(),
        };
        self.deeper(run).unwrap_or_else(Found::bound)
    }

    /// What wildcard imports of a file make of a name.
    fn wildcards(&self, path: &str, name: &str) -> Found<'a> {
        let imports = self.imports_of(path);
        let mut found = Found::nothing();
        for import in imports.iter().filter(|import| lang::is_wildcard_here(self.family, import)) {
            found.extend(&self.wildcard(path, import, name));
        }
        found
    }

    /// What one wildcard import makes of a name.
    fn wildcard(&self, path: &str, import: &Import, name: &str) -> Found<'a> {
        let run = || {
            let mut found = Found::nothing();
            match &*self.wildcard_target(path, import, name) {
                Target::Modules(modules) => {
                    for module in modules {
                        found.extend(&self.export(module, name));
                    }
                }
                Target::Types(types) => found.extend(&self.step(&Found::of(types.clone()), name)),
                Target::External(_) | Target::Unknown => {}
            }
            // That an import is not found says nothing of the name.
            found.bound = !found.meanings.is_empty();
            found
        };
        self.deeper(run).unwrap_or_default()
    }

    /// Where a wildcard import of a file leads, when a name is wanted of it.
    fn wildcard_target(&self, path: &str, import: &Import, name: &str) -> Rc<Target<'a>> {
        if lang::target_depends_on_name(self.family) {
            return Rc::new(lang::import_target(self, path, import, name));
        }
        let key = std::ptr::from_ref(import);
        if let Some(known) = self.wildcard_targets.borrow().get(&key) {
            return Rc::clone(known);
        }
        let target = Rc::new(lang::import_target(self, path, import, name));
        if self.exporting.get() == 0 {
            self.wildcard_targets.borrow_mut().insert(key, Rc::clone(&target));
        }
        target
    }

    /// What a module offers under a name: its own symbols, what it re-exports, its submodules.
    pub fn export(&self, module: &Module, name: &str) -> Rc<Found<'a>> {
        if let Some(known) = self.exports.borrow().get(module).and_then(|names| names.get(name)) {
            return known.clone();
        }
        self.exports.borrow_mut().entry(module.clone()).or_default().insert(name.into(), Rc::default());
        self.exporting.set(self.exporting.get() + 1);
        let found = Rc::new(self.deeper(|| self.export_fresh(module, name)).unwrap_or_default());
        self.exporting.set(self.exporting.get() - 1);
        self.exports.borrow_mut().entry(module.clone()).or_default().insert(name.into(), found.clone());
        found
    }

    fn export_fresh(&self, module: &Module, name: &str) -> Found<'a> {
        let key = lang::exported_key(self, module, name);
        if !key.is_empty() {
            return key;
        }
        let own = match module {
            Module::File { path, container } => {
                self.named_at_where(Place { path, container }, name, |_| true)
            }
            Module::Folder(folder) if self.family == Family::Go => {
                let own_package = folder_of(self.path) == folder;
                self.at_top_within(Region::Folder(folder), name, |s| {
                    own_package || !s.path.ends_with("_test.go")
                })
            }
            Module::Folder(_) => self.meant(Vec::new()),
            Module::Package(package) if self.family == Family::CSharp => {
                let containers = lang::csharp::top_containers(package);
                self.meant(self.view.named_within_any(Region::Package(package), containers, name))
            }
            Module::Package(package) => self.at_top_within(Region::Package(package), name, |_| true),
        };
        if own.bound {
            return own;
        }
        if let Module::File { path, container } = module {
            let passed = self.reexported(path, container, name);
            if !passed.is_empty() {
                return passed;
            }
        }
        let special = lang::special_export(self, module, name);
        if !special.is_empty() {
            return special;
        }
        Found::of(lang::submodules(self, module, name).into_iter().map(Meaning::Module).collect())
    }

    /// What a file passes on under a name: its own imports that others may see.
    fn reexported(&self, path: &str, container: &str, name: &str) -> Found<'a> {
        let imports = self.imports_of(path);
        let mut found = Found::nothing();
        let passes = |import: &&Import| {
            lang::passes_on(self.family, import) && (container.is_empty() || import.scope != FILE_SCOPE)
        };
        for import in imports.iter().filter(passes).filter(|import| lang::binds(self, import, name)) {
            found.extend(&self.import_meaning(path, import, name));
        }
        if found.is_empty() {
            for import in
                imports.iter().filter(passes).filter(|import| lang::is_wildcard(self.family, import))
            {
                found.extend(&self.wildcard(path, import, name));
            }
        }
        prefer_workspace(&mut found);
        found
    }

    /// Whether a symbol of another file can be meant from here, as far as its visibility says.
    pub fn visible(&self, symbol: &SymbolRef<'a>) -> bool {
        symbol.path == self.path
            || match symbol.visibility {
                Visibility::Public | Visibility::Protected => true,
                Visibility::Internal => match self.family {
                    Family::Go | Family::Java => same_folder(symbol.path, self.path),
                    Family::Rust => lang::rust::same_crate(self.project, symbol.path, self.path),
                    _ => true,
                },
                Visibility::Private => match self.family {
                    Family::Go => same_folder(symbol.path, self.path),
                    Family::Rust => lies_in(self.path, folder_of(symbol.path)),
                    Family::Python | Family::Ruby => true,
                    _ => false,
                },
            }
    }

    /// The types that a qualified container names for a member of this file: used for members that stand
    /// outside their type.
    pub fn type_of_container(&self, container: &str) -> Vec<SymbolRef<'a>> {
        let (outer, simple) = split_last(container);
        if let Some(ty) = self.symbol_at(self.path, outer, simple).filter(|s| s.kind.is_type()) {
            return vec![ty];
        }
        let implementing = self.implementing_as(container);
        if !implementing.is_empty() {
            return implementing;
        }
        let found = self.type_path(Place { path: self.path, container: outer }, simple);
        let types = found.meanings.iter().filter_map(|meaning| match meaning {
            Meaning::Symbol(s) if s.kind.is_type() && is_qualified(container, s.container, s.name) => {
                Some(*s)
            }
            Meaning::Symbol(s) if s.kind.is_type() && s.name == simple => Some(*s),
            _ => None,
        });
        types.collect()
    }
}

/// Python: of several declarations of one name in one place, keeps the one that the others give way to.
fn keep_last_declared(found: &mut Vec<SymbolRef>) {
    let stays = |s: &SymbolRef| !s.ty().starts_with('~');
    if found.iter().any(stays) {
        found.retain(stays);
    }
}

/// Where an import leads.
pub(super) enum Target<'a> {
    /// To modules of the workspace.
    Modules(Vec<Module>),
    /// To types, whose members are imported.
    Types(Vec<Meaning<'a>>),
    /// Out of the workspace, to this package.
    External(String),
    /// To a place in the workspace that does not exist.
    Unknown,
}

/// Where a name is bound twice (a fallback for a missing package), what lies in the workspace is meant.
fn prefer_workspace(found: &mut Found) {
    let outside = |meaning: &Meaning| matches!(meaning, Meaning::External(_) | Meaning::Builtin);
    if found.meanings.iter().any(|meaning| !outside(meaning)) {
        found.meanings.retain(|meaning| !outside(meaning));
    }
}
