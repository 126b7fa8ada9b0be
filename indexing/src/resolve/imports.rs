//! Imports to edges: from the file to the symbols, files and packages it imports.

use super::edges::{Edges, MAX_CANDIDATES, Strength};
use super::family::Family;
use super::lang;
use super::meaning::{Meaning, Module};
use super::own::Own;
use super::resolver::Target;
use kenning_graph::facts::Import;
use kenning_graph::{EdgeKind, SymbolKind};

/// Files of one imported package that the importing file is joined to, at most: of a larger one no file in
/// particular is meant.
const MAX_FILES: usize = 20;

/// Makes the `imports` edges of the file.
pub(super) fn imports(own: &Own, edges: &mut Edges) {
    for one in &own.facts.imports {
        import(own, one, edges);
    }
}

/// Makes the `imports` edges of one import.
pub(super) fn import(own: &Own, import: &Import, edges: &mut Edges) {
    let line = import.at.line;
    let bound = if import.alias.is_empty() { import.name.as_str() } else { import.alias.as_str() };
    let target = lang::import_target(&own.r, own.r.path, import, bound);
    if let Target::External(package) = &target {
        let name = if import.name == "*" { "" } else { import.name.as_str() };
        // Python binds the first part of a dotted name, and imports all of it.
        let package = if own.r.family == Family::Python { &import.path } else { package };
        edges.phantom(own.file, (SymbolKind::External, package, name), EdgeKind::Imports, line);
        return;
    }
    let names_member = !import.name.is_empty() && import.name != "*" && !import.path.is_empty();
    let mut reached = false;
    if names_member {
        let found = own.r.import_meaning(own.r.path, import, bound);
        reached = meanings(own, &found.meanings, line, edges);
    }
    if !reached {
        let modules = match target {
            Target::Modules(modules) => modules.into_iter().map(Meaning::Module).collect(),
            Target::Types(types) => types,
            Target::External(_) | Target::Unknown => Vec::new(),
        };
        meanings(own, &modules, line, edges);
    }
}

/// Adds edges to these; whether there was anything to point to.
fn meanings(own: &Own, meanings: &[Meaning], line: u32, edges: &mut Edges) -> bool {
    let mut reached = false;
    for meaning in meanings.iter().take(MAX_CANDIDATES) {
        match meaning {
            Meaning::Symbol(symbol) => {
                edges.symbol(own.file, symbol.id, EdgeKind::Imports, Strength::RESOLVED, Some(line));
                reached = true;
            }
            Meaning::Module(module) => {
                let files = files(own, module);
                if files.len() > MAX_FILES {
                    continue;
                }
                for path in files {
                    if let Some(file) = own.r.view.file_symbol(&path) {
                        edges.symbol(own.file, file, EdgeKind::Imports, Strength::RESOLVED, Some(line));
                        reached = true;
                    }
                }
            }
            _ => {}
        }
    }
    reached
}

/// The files of a module that are no tests.
fn files(own: &Own, module: &Module) -> Vec<String> {
    let r = &own.r;
    let paths: Vec<&str> = match module {
        Module::File { path, .. } => return vec![path.clone()],
        Module::Folder(folder) => r.view.files_in(folder),
        Module::Package(package) => r.view.paths_of_package(package),
    };
    paths.into_iter().filter(|path| !r.family.is_test_path(path)).map(str::to_owned).collect()
}
