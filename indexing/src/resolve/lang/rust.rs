//! Rust: crates, modules as files and as blocks, `use` paths.

use super::super::meaning::{External, Found, Meaning, Module, Place};
use super::super::resolver::{Resolver, Target};
use super::super::view::{lies_in, split_last};
use crate::project::{Project, below, folder_of, join, join_relative};
use kenning_graph::SymbolKind;
use kenning_graph::facts::{FILE_SCOPE, Import};
use std::rc::Rc;

/// Whether two files belong to the same Cargo package (its library and its binaries are not told apart).
pub(in super::super) fn same_crate(project: &Project, a: &str, b: &str) -> bool {
    project.cargo_package(a).map(|p| &p.folder) == project.cargo_package(b).map(|p| &p.folder)
}

/// Whether a file is the root of a crate, so that its modules stand beside it.
fn is_root(project: &Project, path: &str) -> bool {
    let Some(package) = project.cargo_package(path) else {
        return path.ends_with("lib.rs") || path.ends_with("main.rs");
    };
    if path == package.library || package.roots.iter().any(|root| root == path) {
        return true;
    }
    let Some(inside) = below(path, &package.folder) else { return false };
    let folder = folder_of(inside);
    inside == "src/main.rs"
        || ["src/bin", "tests", "examples", "benches"].contains(&folder)
        || (inside.ends_with("/main.rs") && ["src/bin", "examples"].contains(&folder_of(folder)))
}

/// The folder in which the modules of a file stand.
fn module_folder(project: &Project, path: &str) -> String {
    if is_root(project, path) || path.ends_with("/mod.rs") || path == "mod.rs" {
        return folder_of(path).to_owned();
    }
    path.strip_suffix(".rs").unwrap_or(path).to_owned()
}

/// The root files of the crate that a file belongs to.
fn crate_roots(r: &Resolver, path: &str) -> Vec<Module> {
    if is_root(r.project, path) {
        return vec![Module::file(path)];
    }
    let Some(package) = r.project.cargo_package(path) else { return Vec::new() };
    let roots = [package.library.clone(), join(&package.folder, "src/main.rs")];
    let roots = roots.into_iter().chain(package.roots.iter().cloned());
    let mut found: Vec<Module> = Vec::new();
    for root in roots.filter(|root| lies_in(path, folder_of(root))) {
        if r.view.file_exists(&root) && !found.contains(&Module::file(root.as_str())) {
            found.push(Module::file(root));
        }
    }
    found
}

/// The modules in which a file's module is declared.
fn parents(r: &Resolver, path: &str) -> Vec<Module> {
    let folder = if path.ends_with("/mod.rs") { folder_of(folder_of(path)) } else { folder_of(path) };
    let mut candidates = vec![join(folder, "mod.rs"), join(folder, "lib.rs"), join(folder, "main.rs")];
    if !folder.is_empty() {
        candidates.push(format!("{folder}.rs"));
    }
    if let Some(package) = r.project.cargo_package(path) {
        let roots = std::iter::once(&package.library).chain(&package.roots);
        candidates.extend(roots.filter(|root| folder_of(root) == folder).cloned());
    }
    candidates.sort_unstable();
    candidates.dedup();
    let other = candidates.into_iter().filter(|candidate| candidate != path);
    other.filter(|candidate| r.view.file_exists(candidate)).map(Module::file).collect()
}

/// The block modules of a container: the leading part of it that consists of modules.
fn block_module(r: &Resolver, path: &str, container: &str) -> String {
    let mut known = String::new();
    for segment in container.split('.').filter(|segment| !segment.is_empty()) {
        match r.symbol_at(path, &known, segment) {
            Some(symbol) if symbol.kind == SymbolKind::Module => known = joined(&known, segment),
            _ => break,
        }
    }
    known
}

fn joined(container: &str, name: &str) -> String {
    if container.is_empty() { name.to_owned() } else { format!("{container}.{name}") }
}

fn modules(modules: Vec<Module>) -> Found<'static> {
    Found { bound: true, ..Found::of(modules.into_iter().map(Meaning::Module).collect()) }
}

/// `crate`, `self`, `super` and the standard library at the start of a path.
pub(super) fn path_root<'a>(r: &Resolver<'a>, place: Place, first: &str) -> Option<Found<'a>> {
    Some(match first {
        "crate" | "$crate" => modules(crate_roots(r, place.path)),
        "self" | "super" => {
            let container = block_module(r, place.path, place.container);
            modules(match (first, container.as_str()) {
                ("self", _) => vec![Module::File { path: place.path.to_owned(), container }],
                ("super", "") => parents(r, place.path),
                (_, container) => {
                    let container = split_last(container).0.to_owned();
                    vec![Module::File { path: place.path.to_owned(), container }]
                }
            })
        }
        "std" | "core" | "alloc" | "proc_macro" => external(first),
        _ => return None,
    })
}

fn external(name: &str) -> Found<'static> {
    Found::of(vec![Meaning::External(Rc::new(External::new(name, "")))])
}

/// Modules beside the file, the crate's other targets, other packages of the workspace.
pub(super) fn implicit<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    let container = block_module(r, place.path, place.container);
    let here = Module::File { path: place.path.to_owned(), container: container.clone() };
    if !container.is_empty() {
        let own = r.named_at_where(Place { container: &container, ..place }, name, |_| true);
        if !own.is_empty() {
            return own;
        }
    }
    let below = submodules(r, &here, name);
    if !below.is_empty() {
        return modules(below);
    }
    workspace_crate(r, place.path, name)
}

fn workspace_crate<'a>(r: &Resolver<'a>, path: &str, name: &str) -> Found<'a> {
    let renamed =
        r.project.cargo_package(path).and_then(|p| p.renamed.iter().find(|(alias, _)| alias == name));
    let name = renamed.map_or(name, |(_, package)| package);
    let named = r.project.cargo_packages.iter().filter(|p| p.name == name);
    let found: Vec<Module> =
        named.filter(|p| r.view.file_exists(&p.library)).map(|p| Module::file(p.library.as_str())).collect();
    if !found.is_empty() {
        return modules(found);
    }
    let foreign = r
        .project
        .cargo_package(path)
        .is_some_and(|p| p.dependencies.binary_search_by(|d| d.as_str().cmp(name)).is_ok());
    if foreign { external(name) } else { Found::nothing() }
}

pub(super) fn submodules(r: &Resolver, module: &Module, name: &str) -> Vec<Module> {
    let Module::File { path, container } = module else { return Vec::new() };
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Vec::new();
    }
    let folder = join(&module_folder(r.project, path), &container.replace('.', "/"));
    let stem = join(&folder, name);
    let files = [".rs", "/mod.rs"].map(|end| [stem.as_str(), end].concat());
    files.into_iter().filter(|file| file != path && r.view.file_exists(file)).map(Module::file).collect()
}

pub(super) fn import_target<'a>(r: &Resolver<'a>, path: &str, import: &Import) -> Target<'a> {
    // `#[path = "a/b.rs"] mod name;`
    if let Some(file) = import.path.strip_prefix("./") {
        let file = join_relative(folder_of(path), file).filter(|file| r.view.file_exists(file));
        return file.map_or(Target::Unknown, |file| Target::Modules(vec![Module::file(file)]));
    }
    // A `use` in a block: the only block whose name matters is a module, and of those `mod tests` in practice.
    let in_block = import.scope != FILE_SCOPE;
    let mut segments = import.path.split('.').filter(|segment| !segment.is_empty());
    let Some(first) = segments.next() else {
        // `use name;`, `extern crate name;`
        return root_target(r, path, &import.name);
    };
    let place = Place { path, container: "" };
    let mut found = match (first, in_block) {
        ("super", true) => {
            let mut both = modules(vec![Module::file(path)]);
            if import.path.starts_with("super.super") {
                both = Found::nothing();
            }
            both
        }
        _ => root(r, place, first),
    };
    if found.is_empty() {
        return if found.bound { Target::Unknown } else { Target::External(import.path.clone()) };
    }
    for segment in segments {
        found = match segment {
            "super" => parents_of(r, &found),
            _ => r.step(&found, segment),
        };
    }
    target(found, &import.path)
}

fn root<'a>(r: &Resolver<'a>, place: Place, first: &str) -> Found<'a> {
    if let Some(found) = path_root(r, place, first) {
        return found;
    }
    let implicit = implicit(r, place, first);
    if !implicit.is_empty() {
        return implicit;
    }
    // `use Enum::*` and `use block_module::name` in the file that declares them.
    r.named_at_where(Place { container: "", ..place }, first, |s| s.kind.is_type())
}

/// `use name;`: a module or crate of this name, bound as a whole.
fn root_target<'a>(r: &Resolver<'a>, path: &str, name: &str) -> Target<'a> {
    let found = root(r, Place { path, container: "" }, name);
    if found.is_empty() { Target::External(name.to_owned()) } else { target(found, name) }
}

fn parents_of<'a>(r: &Resolver<'a>, found: &Found<'a>) -> Found<'a> {
    let mut out = Found::bound();
    for meaning in &found.meanings {
        if let Meaning::Module(Module::File { path, .. }) = meaning {
            out.extend(&modules(parents(r, path)));
        }
    }
    out
}

fn target<'a>(found: Found<'a>, path: &str) -> Target<'a> {
    let mut modules = Vec::new();
    let mut types = Vec::new();
    for meaning in found.meanings {
        match meaning {
            Meaning::Module(module) => modules.push(module),
            Meaning::Symbol(symbol) if symbol.kind.is_type() => types.push(Meaning::Symbol(symbol)),
            Meaning::External(_) => return Target::External(path.to_owned()),
            _ => {}
        }
    }
    match (modules.is_empty(), types.is_empty()) {
        (false, _) => Target::Modules(modules),
        (true, false) => Target::Types(types),
        (true, true) => Target::Unknown,
    }
}
