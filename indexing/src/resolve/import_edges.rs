//! Edges of imports: from the file to the symbols, files and packages it imports.

use super::definition::{Definition, ModuleRef};
use super::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES, PhantomTarget};
use super::file_context::FileContext;
use super::lang;
use super::resolver::ImportTarget;
use kenning_graph::facts::ImportFact;
use kenning_graph::{EdgeKind, SymbolKind};

/// Maximum number of files of an imported package to which the importing file gets edges. An edge
/// to one of hundreds of files is not useful.
const MAX_FILES: usize = 20;

/// Adds the `imports` edges of the file.
pub(super) fn add_file_import_edges(context: &FileContext, edges: &mut EdgeCollector) {
    for import in &context.facts.imports {
        add_import_edges(context, import, edges);
    }
}

/// Adds the `imports` edges of one import.
pub(super) fn add_import_edges(context: &FileContext, import: &ImportFact, edges: &mut EdgeCollector) {
    let line = import.at.line;
    let bound = if import.alias.is_empty() { import.name.as_str() } else { import.alias.as_str() };
    let target = lang::import_target(&context.resolver, context.resolver.path, import, bound);
    if let ImportTarget::External(package) = &target {
        let name = if import.name == "*" { "" } else { import.name.as_str() };
        let package = if context.resolver.family.imports_whole_paths() { &import.path } else { package };
        let target = PhantomTarget { kind: SymbolKind::External, package, name };
        edges.add_phantom_edge(context.file, target, EdgeKind::Imports, line);
        return;
    }
    let names_member = !import.name.is_empty() && import.name != "*" && !import.path.is_empty();
    let mut has_edge = false;
    if names_member {
        let found = context.resolver.resolve_import(context.resolver.path, import, bound);
        has_edge = add_definition_edges(context, &found.definitions, line, edges);
    }
    if !has_edge {
        let modules = match target {
            ImportTarget::Modules(modules) => modules.into_iter().map(Definition::Module).collect(),
            ImportTarget::Types(types) => types,
            ImportTarget::External(_) | ImportTarget::Unknown => Vec::new(),
        };
        add_definition_edges(context, &modules, line, edges);
    }
}

/// Adds edges to these definitions. Returns whether it added an edge.
fn add_definition_edges(
    context: &FileContext,
    definitions: &[Definition],
    line: u32,
    edges: &mut EdgeCollector,
) -> bool {
    let mut has_edge = false;
    for definition in definitions.iter().take(MAX_CANDIDATES) {
        match definition {
            Definition::Symbol(symbol) => {
                edges.add_symbol_edge(
                    context.file,
                    symbol.id,
                    EdgeKind::Imports,
                    EdgeStrength::RESOLVED,
                    Some(line),
                );
                has_edge = true;
            }
            Definition::Module(module) => {
                let files = module_files(context, module);
                if files.len() > MAX_FILES {
                    continue;
                }
                for path in files {
                    if let Some(file) = context.resolver.view.file_symbol(&path) {
                        edges.add_symbol_edge(
                            context.file,
                            file,
                            EdgeKind::Imports,
                            EdgeStrength::RESOLVED,
                            Some(line),
                        );
                        has_edge = true;
                    }
                }
            }
            _ => {}
        }
    }
    has_edge
}

/// Returns the files of a module, without test files.
fn module_files(context: &FileContext, module: &ModuleRef) -> Vec<String> {
    let resolver = &context.resolver;
    let paths: Vec<&str> = match module {
        ModuleRef::File { path, .. } => return vec![path.clone()],
        ModuleRef::Folder(folder) => resolver.view.files_in_folder(folder),
        ModuleRef::Package(package) => resolver.view.paths_of_package(package),
    };
    paths.into_iter().filter(|path| !resolver.family.is_test_path(path)).map(str::to_owned).collect()
}
