//! Symbols that are declared in one file and defined in another, as in C: a declaration leads to
//! its definition, and a private definition is visible only where its file is imported.
//!
//! [`SymbolRef::is_declaration_only`] recognizes a declaration. The rules apply to the families
//! that set `FamilyRules::separate_definitions`. This module also chooses among several
//! declarations of one type, and drops declarations that a later one replaces.

use super::definition::ModuleRef;
use super::lang;
use super::resolver::{ImportTarget, Resolver};
use kenning_graph::paths::{is_same_folder, split_folder};
use kenning_graph::{SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Maximum number of files that count as imported by one file. Umbrella headers import thousands.
const MAX_IMPORTED_FILES: usize = 3_000;
/// Maximum number of symbols with one name that are compared. Every program has a `main`.
const MAX_SAME_NAME: usize = 200;
/// Maximum number of definitions of one declaration. A declaration with more is usually a callback
/// that many programs define.
const MAX_DEFINITIONS_PER_DECLARATION: usize = 4;

/// The properties that the declaration and the definition of a symbol share.
#[derive(PartialEq, Eq)]
struct SymbolKey<'a> {
    container: &'a str,
    is_type: bool,
    is_callable: bool,
    arity: Option<u8>,
}

impl<'a> Resolver<'a> {
    /// Keeps one of several declarations of a type: the declaration in this file, or else the
    /// declaration with the first path. Member lookups search all declarations anyway.
    pub(super) fn keep_one_declaration(&self, found: &mut Vec<SymbolRef<'a>>) {
        found.sort_by_key(|s| (s.container, s.name, s.path != self.path, s.path));
        found.dedup_by(|next, previous| {
            previous.kind.is_type()
                && next.kind.is_type()
                && previous.container == next.container
                && (!self.family.separates_packages()
                    || self.package_of_file(previous.path) == self.package_of_file(next.path))
        });
    }

    /// Replaces declarations by their definitions. If this file sees some of the symbols, drops the
    /// others.
    pub(super) fn prefer_definitions(&self, found: &mut Vec<SymbolRef<'a>>) {
        self.drop_private_symbols(found);
        if found.len() > MAX_SAME_NAME {
            // The rules below compare the symbols with one another.
            let imported = self.imported_files();
            found.retain(|s| imported.contains(s.path));
            found.truncate(MAX_SAME_NAME);
        }
        // A macro replaces all other symbols with its name.
        if found.iter().any(is_macro) {
            found.retain(is_macro);
        }
        let missing: Vec<SymbolRef> = found
            .iter()
            .filter(|s| s.is_declaration_only() && !found.iter().any(|other| other.defines(s)))
            .copied()
            .collect();
        for declaration in missing {
            for definition in self.find_definitions(&declaration) {
                if !found.iter().any(|s| s.id == definition.id) {
                    found.push(definition);
                }
            }
        }
        if found.len() < 2 {
            return;
        }
        self.keep_visible(found);
        let definitions: Vec<SymbolRef> =
            found.iter().filter(|s| !s.is_declaration_only()).copied().collect();
        found.retain(|s| !s.is_declaration_only() || !definitions.iter().any(|other| other.defines(s)));
        self.keep_one_variant(found);
    }

    /// Keeps the symbols in files that this file imports, and the definitions of symbols that these
    /// files declare. Keeps all if there are none.
    fn keep_visible(&self, found: &mut Vec<SymbolRef<'a>>) {
        if found.iter().all(|s| s.path == self.path) {
            return;
        }
        let imported = self.imported_files();
        let is_imported = |s: &SymbolRef| imported.contains(s.path);
        let declarations: Vec<SymbolRef> =
            found.iter().filter(|s| s.is_declaration_only() && is_imported(s)).copied().collect();
        let is_visible = |s: &SymbolRef<'a>| is_imported(s) || declarations.iter().any(|d| s.defines(d));
        if found.iter().any(is_visible) {
            found.retain(is_visible);
        }
    }

    /// Drops the private top-level symbols of files that this file does not import.
    fn drop_private_symbols(&self, found: &mut Vec<SymbolRef<'a>>) {
        let is_private_elsewhere = |s: &SymbolRef| is_private(s) && s.path != self.path;
        if found.iter().any(is_private_elsewhere) {
            let imported = self.imported_files();
            found.retain(|s| !is_private_elsewhere(s) || imported.contains(s.path));
        }
    }

    /// Keeps one of several symbols with the same container and parameters: the symbol in this
    /// file, or else the symbols in imported files. Keeps the first symbol of each file, because
    /// the others are variants for other platforms.
    fn keep_one_variant(&self, found: &mut Vec<SymbolRef<'a>>) {
        if found.len() < 2 {
            return;
        }
        let all = found.clone();
        let variants = |s: &SymbolRef<'a>| -> Vec<SymbolRef<'a>> {
            all.iter()
                .filter(|other| symbol_key(other) == symbol_key(s) && other.param_types() == s.param_types())
                .copied()
                .collect()
        };
        found.retain(|s| {
            let same = variants(s);
            if same.len() < 2 || s.kind.is_type() {
                return true;
            }
            if let Some(own) = same.iter().find(|other| other.path == self.path) {
                return own.id == s.id;
            }
            let imported = self.imported_files();
            let is_imported = imported.contains(s.path);
            let first_of_file = same.iter().find(|other| other.path == s.path);
            let is_hidden = !is_imported && same.iter().any(|other| imported.contains(other.path));
            !is_hidden && first_of_file.is_some_and(|first| first.id == s.id)
        });
    }

    /// Returns the definitions of a symbol that is only declared. Prefers definitions in a file
    /// with the same name as the declaration's file, then definitions in its folder. File names are
    /// compared up to the first dot.
    fn find_definitions(&self, declaration: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
        let name = declaration.name;
        let is_private_elsewhere = |s: &SymbolRef| is_private(s) && s.path != declaration.path;
        let mut found: Vec<SymbolRef> =
            self.view.symbols_in_container(declaration.container, name).iter().collect();
        found.retain(|s| s.defines(declaration) && !is_private_elsewhere(s));
        if found.is_empty() && !declaration.container.is_empty() {
            let same_name = self.view.symbols_named(name);
            let named = same_name.iter().take(MAX_SAME_NAME).copied();
            found = named.filter(|s| s.defines(declaration) && !is_private_elsewhere(s)).collect();
        }
        let has_same_parameters = |s: &SymbolRef| s.param_types() == declaration.param_types();
        if found.iter().any(has_same_parameters) {
            found.retain(has_same_parameters);
        }
        let stem = |path: &'a str| {
            let (_, file) = split_folder(path);
            file.split_once('.').map_or(file, |(stem, _)| stem)
        };
        let is_in_folder = |s: &SymbolRef<'a>| is_same_folder(s.path, declaration.path);
        let has_stem = |s: &SymbolRef<'a>| stem(s.path) == stem(declaration.path);
        for prefer in [&has_stem as &dyn Fn(&SymbolRef<'a>) -> bool, &is_in_folder] {
            if found.len() > 1 && found.iter().any(prefer) {
                found.retain(prefer);
            }
        }
        if found.len() > MAX_DEFINITIONS_PER_DECLARATION {
            found.clear();
        }
        found
    }

    /// Whether a file is this file or a file that it imports, directly or not.
    pub(super) fn sees_file(&self, path: &str) -> bool {
        self.imported_files().contains(path)
    }

    /// Returns the paths of this file and of all files that it imports, directly or not.
    fn imported_files(&self) -> Rc<FxHashSet<String>> {
        if let Some(cached) = self.imported.borrow().as_ref() {
            return Rc::clone(cached);
        }
        let mut seen: FxHashSet<String> = FxHashSet::from_iter([self.path.to_owned()]);
        let mut pending = vec![self.path.to_owned()];
        while let Some(path) = pending.pop() {
            for import in self.view.imports_of_file(&path).iter() {
                if !import.name.is_empty() || !import.alias.is_empty() || seen.len() >= MAX_IMPORTED_FILES {
                    continue;
                }
                if let ImportTarget::Modules(modules) = lang::import_target(self, &path, import, "") {
                    for module in modules {
                        if let ModuleRef::File { path, .. } = module
                            && seen.insert(path.clone())
                        {
                            pending.push(path);
                        }
                    }
                }
            }
        }
        let seen = Rc::new(seen);
        *self.imported.borrow_mut() = Some(Rc::clone(&seen));
        seen
    }
}

/// Whether a symbol is visible only in its file and in files that import it: a private symbol or a
/// macro.
fn is_private(symbol: &SymbolRef) -> bool {
    match symbol.kind {
        SymbolKind::Function | SymbolKind::Variable => symbol.visibility == Visibility::Private,
        SymbolKind::Constant => matches!(symbol.visibility, Visibility::Private | Visibility::Internal),
        SymbolKind::Macro => true,
        _ => false,
    }
}

/// Whether a symbol is a macro, with or without parameters.
fn is_macro(symbol: &SymbolRef) -> bool {
    symbol.kind == SymbolKind::Macro
        || (symbol.kind == SymbolKind::Constant && symbol.visibility == Visibility::Internal)
}

/// Returns the properties that a symbol shares with its other declarations.
fn symbol_key<'a>(symbol: &SymbolRef<'a>) -> SymbolKey<'a> {
    SymbolKey {
        container: symbol.container,
        is_type: symbol.kind.is_type(),
        is_callable: symbol.kind.is_callable(),
        arity: symbol.arity,
    }
}

/// Drops declarations that a later one in the same scope replaces. A leading `~` in the
/// type text marks them. Keeps all if all are marked.
pub(super) fn keep_last_declared(found: &mut Vec<SymbolRef>) {
    let is_last = |s: &SymbolRef| !s.is_declaration_only();
    if found.iter().any(is_last) {
        found.retain(is_last);
    }
}
