//! Rust: crates, modules in files and in blocks, and the targets of `use` paths.
//!
//! A crate is a root file and the modules below it; Cargo's conventions and the manifests determine
//! the roots. A path starts at the crate, at a module (`self`, `super`), at a module next to the
//! file, at a library of the workspace (possibly under another name), or at an external crate.
//! Paths through block modules use containers, because these modules have no file.

use super::super::definition::{Definition, ExternalSymbol, LookupScope, ModuleRef, Resolution};
use super::super::path_notation::ValuePart;
use super::super::resolver::{ImportTarget, Resolver};
use super::super::tracked_snapshot::split_last_segment;
use crate::extract::dialects::closure_argument;
use crate::project::Project;
use kenning_graph::facts::{FILE_SCOPE, ImportFact};
use kenning_graph::paths::{join_path, join_relative, lies_in_folder, parent_folder, path_below};
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// Whether two files belong to the same Cargo package. Does not distinguish its library from its
/// binaries.
pub(in super::super) fn is_same_crate(project: &Project, first: &str, second: &str) -> bool {
    let folder_of_crate = |path: &str| project.cargo_package(path).map(|package| &package.folder);
    folder_of_crate(first) == folder_of_crate(second)
}

/// Whether a file is the root of a crate. The modules of a root are in the root's folder.
fn is_crate_root(project: &Project, path: &str) -> bool {
    let Some(package) = project.cargo_package(path) else {
        return path.ends_with("lib.rs") || path.ends_with("main.rs");
    };
    if path == package.library || package.roots.iter().any(|root| root == path) {
        return true;
    }
    let Some(path_in_package) = path_below(path, &package.folder) else { return false };
    let folder = parent_folder(path_in_package);
    path_in_package == "src/main.rs"
        || ["src/bin", "tests", "examples", "benches"].contains(&folder)
        || (path_in_package.ends_with("/main.rs") && ["src/bin", "examples"].contains(&parent_folder(folder)))
}

/// Returns the folder with the modules of a file.
fn module_folder(project: &Project, path: &str) -> String {
    if is_crate_root(project, path) || path.ends_with("/mod.rs") || path == "mod.rs" {
        return parent_folder(path).to_owned();
    }
    path.strip_suffix(".rs").unwrap_or(path).to_owned()
}

/// Returns the root files of the crate that a file belongs to.
fn crate_roots(resolver: &Resolver, path: &str) -> Vec<ModuleRef> {
    if is_crate_root(resolver.project, path) {
        return vec![ModuleRef::from_path(path)];
    }
    let Some(package) = resolver.project.cargo_package(path) else { return Vec::new() };
    let roots = [package.library.clone(), join_path(&package.folder, "src/main.rs")];
    let roots = roots.into_iter().chain(package.roots.iter().cloned());
    let mut found: Vec<ModuleRef> = Vec::new();
    for root in roots.filter(|root| lies_in_folder(path, parent_folder(root))) {
        if resolver.view.file_exists(&root) && !found.contains(&ModuleRef::from_path(root.as_str())) {
            found.push(ModuleRef::from_path(root));
        }
    }
    found
}

/// Returns the modules in which a file's module can be declared.
fn parent_modules(resolver: &Resolver, path: &str) -> Vec<ModuleRef> {
    let folder =
        if path.ends_with("/mod.rs") { parent_folder(parent_folder(path)) } else { parent_folder(path) };
    let mut candidates =
        vec![join_path(folder, "mod.rs"), join_path(folder, "lib.rs"), join_path(folder, "main.rs")];
    if !folder.is_empty() {
        candidates.push(format!("{folder}.rs"));
    }
    if let Some(package) = resolver.project.cargo_package(path) {
        let roots = std::iter::once(&package.library).chain(&package.roots);
        candidates.extend(roots.filter(|root| parent_folder(root) == folder).cloned());
    }
    candidates.sort_unstable();
    candidates.dedup();
    let other = candidates.into_iter().filter(|candidate| candidate != path);
    other.filter(|candidate| resolver.view.file_exists(candidate)).map(ModuleRef::from_path).collect()
}

/// Returns the leading part of a container that consists of block modules.
fn block_module_path(resolver: &Resolver, path: &str, container: &str) -> String {
    let mut module_path = String::new();
    for segment in container.split('.').filter(|segment| !segment.is_empty()) {
        match resolver.find_symbol_at(path, &module_path, segment) {
            Some(symbol) if symbol.kind == SymbolKind::Module => {
                module_path = join_container(&module_path, segment);
            }
            _ => break,
        }
    }
    module_path
}

fn join_container(container: &str, name: &str) -> String {
    if container.is_empty() { name.to_owned() } else { format!("{container}.{name}") }
}

fn resolve_to_modules(modules: Vec<ModuleRef>) -> Resolution<'static> {
    Resolution {
        is_bound: true,
        ..Resolution::from_definitions(modules.into_iter().map(Definition::Module).collect())
    }
}

/// Resolves `crate`, `self`, `super` and the standard library at the start of a path. Returns
/// `None` for any other name.
pub(super) fn resolve_path_root<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    first: &str,
) -> Option<Resolution<'a>> {
    Some(match first {
        "crate" | "$crate" => resolve_to_modules(crate_roots(resolver, scope.path)),
        "self" | "super" => {
            let container = block_module_path(resolver, scope.path, scope.container);
            resolve_to_modules(match (first, container.as_str()) {
                ("self", _) => vec![ModuleRef::File { path: scope.path.to_owned(), container }],
                ("super", "") => parent_modules(resolver, scope.path),
                (_, container) => {
                    let container = split_last_segment(container).0.to_owned();
                    vec![ModuleRef::File { path: scope.path.to_owned(), container }]
                }
            })
        }
        "std" | "core" | "alloc" | "proc_macro" => external_crate(first),
        _ => return None,
    })
}

fn external_crate(name: &str) -> Resolution<'static> {
    Resolution::from_definitions(vec![Definition::External(Rc::new(ExternalSymbol::new(name, "")))])
}

/// Looks up a name among the modules next to the file and the packages of the workspace, and,
/// inside a block module, among that module's symbols.
pub(super) fn resolve_unimported_name<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let container = block_module_path(resolver, scope.path, scope.container);
    let own_module = ModuleRef::File { path: scope.path.to_owned(), container: container.clone() };
    if !container.is_empty() {
        let symbols =
            resolver.symbols_in_scope_where(LookupScope { container: &container, ..scope }, name, |_| true);
        if !symbols.is_empty() {
            return symbols;
        }
    }
    let submodules = find_submodules(resolver, &own_module, name);
    if !submodules.is_empty() {
        return resolve_to_modules(submodules);
    }
    find_workspace_crate(resolver, scope.path, name)
}

/// Returns the library with a name, which may be renamed in the manifest, or the external crate.
fn find_workspace_crate<'a>(resolver: &Resolver<'a>, path: &str, name: &str) -> Resolution<'a> {
    let package = resolver.project.cargo_package(path);
    let renamed = package.and_then(|package| package.renamed.iter().find(|renamed| renamed.alias == name));
    let name = renamed.map_or(name, |renamed| &renamed.package);
    let packages = resolver.project.cargo_packages.iter().filter(|p| p.name == name);
    let found: Vec<ModuleRef> = packages
        .filter(|p| resolver.view.file_exists(&p.library))
        .map(|p| ModuleRef::from_path(p.library.as_str()))
        .collect();
    if !found.is_empty() {
        return resolve_to_modules(found);
    }
    let is_dependency = resolver
        .project
        .cargo_package(path)
        .is_some_and(|p| p.dependencies.binary_search_by(|d| d.as_str().cmp(name)).is_ok());
    if is_dependency { external_crate(name) } else { Resolution::not_found() }
}

/// Returns the files of the module with this name below a module.
pub(super) fn find_submodules(resolver: &Resolver, module: &ModuleRef, name: &str) -> Vec<ModuleRef> {
    let ModuleRef::File { path, container } = module else { return Vec::new() };
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Vec::new();
    }
    let folder = join_path(&module_folder(resolver.project, path), &container.replace('.', "/"));
    let stem = join_path(&folder, name);
    let files = [".rs", "/mod.rs"].map(|end| [stem.as_str(), end].concat());
    files
        .into_iter()
        .filter(|file| file != path && resolver.view.file_exists(file))
        .map(ModuleRef::from_path)
        .collect()
}

/// Returns the target of an import in the file at `path`: modules, types or an external crate.
pub(super) fn import_target<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
) -> ImportTarget<'a> {
    // `#[path = "a/b.rs"] mod name;` imports a file by its path.
    if let Some(file) = import.path.strip_prefix("./") {
        let file = join_relative(parent_folder(path), file).filter(|file| resolver.view.file_exists(file));
        return file
            .map_or(ImportTarget::Unknown, |file| ImportTarget::Modules(vec![ModuleRef::from_path(file)]));
    }
    // In a block, `super` is the file itself, because the only blocks that change the meaning of
    // `super` are block modules such as `mod tests`.
    let in_block = import.scope != FILE_SCOPE;
    let mut segments = import.path.split('.').filter(|segment| !segment.is_empty());
    let Some(first) = segments.next() else {
        // `use name;` and `extern crate name;` have no path.
        return root_import_target(resolver, path, &import.name);
    };
    let scope = LookupScope { path, container: "" };
    let mut found = match (first, in_block) {
        ("super", true) => {
            let mut modules = resolve_to_modules(vec![ModuleRef::from_path(path)]);
            if import.path.starts_with("super.super") {
                modules = Resolution::not_found();
            }
            modules
        }
        _ => resolve_root(resolver, scope, first),
    };
    if found.is_empty() {
        return if found.is_bound {
            ImportTarget::Unknown
        } else {
            ImportTarget::External(import.path.clone())
        };
    }
    for segment in segments {
        found = match segment {
            "super" => parents_of_modules(resolver, &found),
            _ => resolver.resolve_member(&found, segment),
        };
    }
    to_import_target(found, &import.path)
}

fn resolve_root<'a>(resolver: &Resolver<'a>, scope: LookupScope, first: &str) -> Resolution<'a> {
    if let Some(found) = resolve_path_root(resolver, scope, first) {
        return found;
    }
    let implicit = resolve_unimported_name(resolver, scope, first);
    if !implicit.is_empty() {
        return implicit;
    }
    // `use Enum::*` and `use block_module::name` can start at a symbol of the same file.
    resolver.symbols_in_scope_where(LookupScope { container: "", ..scope }, first, |s| s.kind.is_type())
}

/// Returns the target of `use name;`: a module or crate with this name, bound as a whole.
fn root_import_target<'a>(resolver: &Resolver<'a>, path: &str, name: &str) -> ImportTarget<'a> {
    let found = resolve_root(resolver, LookupScope { path, container: "" }, name);
    if found.is_empty() { ImportTarget::External(name.to_owned()) } else { to_import_target(found, name) }
}

fn parents_of_modules<'a>(resolver: &Resolver<'a>, found: &Resolution<'a>) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    for definition in &found.definitions {
        if let Definition::Module(ModuleRef::File { path, .. }) = definition {
            out.extend(&resolve_to_modules(parent_modules(resolver, path)));
        }
    }
    out
}

fn to_import_target<'a>(found: Resolution<'a>, path: &str) -> ImportTarget<'a> {
    let mut modules = Vec::new();
    let mut types = Vec::new();
    for definition in found.definitions {
        match definition {
            Definition::Module(module) => modules.push(module),
            Definition::Symbol(symbol) if symbol.kind.is_type() => types.push(Definition::Symbol(symbol)),
            Definition::External(_) => return ImportTarget::External(path.to_owned()),
            _ => {}
        }
    }
    match (modules.is_empty(), types.is_empty()) {
        (false, _) => ImportTarget::Modules(modules),
        (true, false) => ImportTarget::Types(types),
        (true, true) => ImportTarget::Unknown,
    }
}

/// Returns a part of a value. Components are arguments of closures ([`closure_argument`]).
pub(super) fn part_of_value<'a>(
    resolver: &Resolver<'a>,
    definition: &Definition<'a>,
    part: ValuePart,
) -> Resolution<'a> {
    let instance = |s: &SymbolRef<'a>| Resolution::from_definitions(vec![Definition::Instance(*s)]);
    match (definition, part) {
        (Definition::Collection(s, levels), _) => {
            let has_part = match part {
                ValuePart::Index => true,
                ValuePart::Component(closure_argument::PAIR_VALUE) => levels.holds_pairs(),
                ValuePart::Each | ValuePart::Component(closure_argument::ELEMENT) => !levels.holds_pairs(),
                _ => false,
            };
            let element = has_part.then(|| Definition::in_collections(*s, levels.inner_levels()));
            element.map_or_else(Resolution::not_found, |element| Resolution::from_definitions(vec![element]))
        }
        (
            Definition::Instance(s),
            ValuePart::Each | ValuePart::Component(closure_argument::ELEMENT | closure_argument::CONTENT),
        ) => {
            let next = resolver.members_of_type(s, "next");
            if !next.is_empty() {
                return resolver.call_results(&next);
            }
            // Resolution gives an `Option` the type of its value. If that type has no such
            // method, the method belongs to `Option` and passes the value.
            let has_such_method = resolver
                .family
                .language_builtins()
                .content_callbacks
                .iter()
                .any(|name| !resolver.members_of_type(s, name).is_empty());
            if part == ValuePart::Component(closure_argument::CONTENT) && !has_such_method {
                return instance(s);
            }
            Resolution::not_found()
        }
        (Definition::Symbol(s), ValuePart::Each) if s.kind.is_type() => instance(s),
        (Definition::External(_) | Definition::Builtin, ValuePart::Index | ValuePart::Each) => {
            Resolution::builtin()
        }
        _ => Resolution::not_found(),
    }
}
