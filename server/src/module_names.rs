//! Reads the part of a pasted name before the symbol as a module: `fastapi.Depends`,
//! `tantivy::schema::Schema`, `crate::Index`.
//!
//! A module offers the symbols that its file declares, and those that its file imports, because
//! importers write the name of the module that re-exports a symbol. The name of a module consists of
//! the folders below the source folder and the name of the file; the file that is the module of its
//! folder (`module_files` in `languages.toml`) adds no part. The part before the source folder is
//! the name of the package.

use kenning_graph::{EdgeKind, Snapshot, SymbolKind, SymbolRef};
use kenning_indexing::languages::LanguageRegistry;

/// Folders between the folder of a package and its modules.
const SOURCE_FOLDERS: [&str; 2] = ["src", "lib"];

/// The name of the own package in paths of modules.
const OWN_PACKAGE: &str = "crate";

/// Returns the symbols among `named` that the module `parts` offers: those that it declares, or
/// else those that it re-exports. `container_length` returns how many parts at the end of the name
/// are the container of a symbol, or `None` if its container does not fit.
pub(super) fn offered_by_module<'s>(
    snapshot: &Snapshot,
    named: &[SymbolRef<'s>],
    parts: &[&str],
    container_length: &dyn Fn(&SymbolRef<'s>) -> Option<usize>,
) -> Vec<SymbolRef<'s>> {
    let module_of = |symbol: &SymbolRef<'s>| {
        let length = container_length(symbol)?;
        parts.get(..parts.len() - length).filter(|module| !module.is_empty())
    };
    let declares = |symbol: &&SymbolRef<'s>| {
        module_of(symbol).is_some_and(|module| is_named(symbol.path, symbol.language, module))
    };
    let declared: Vec<SymbolRef<'s>> = named.iter().filter(declares).copied().collect();
    if !declared.is_empty() {
        return declared;
    }
    let re_exports = |symbol: &&SymbolRef<'s>| {
        module_of(symbol).is_some_and(|module| is_imported_by(snapshot, symbol, module))
    };
    named.iter().filter(re_exports).copied().collect()
}

/// Whether a file with this module name imports the symbol, or the type around it in its file.
fn is_imported_by(snapshot: &Snapshot, symbol: &SymbolRef<'_>, module: &[&str]) -> bool {
    let Some(outer) = symbol.container.split(['.', '/']).next().filter(|outer| !outer.is_empty()) else {
        return has_importer(snapshot, symbol, module);
    };
    let outer = snapshot.symbols_by_name(outer).into_iter().filter_map(|id| snapshot.symbol(id));
    let mut outer = outer.filter(|outer| outer.container.is_empty() && outer.path == symbol.path);
    outer.any(|outer| has_importer(snapshot, &outer, module))
}

/// Whether a file with this module name imports exactly this symbol.
fn has_importer(snapshot: &Snapshot, symbol: &SymbolRef<'_>, module: &[&str]) -> bool {
    let mut found = false;
    snapshot.for_each_in_edge(symbol.id, |edge| {
        if found || edge.kind != EdgeKind::Imports {
            return;
        }
        let importer = snapshot.symbol(edge.source);
        found = importer
            .is_some_and(|file| file.kind == SymbolKind::File && is_named(file.path, file.language, module));
    });
    found
}

/// Whether the name of a file's module ends with these parts.
fn is_named(path: &str, language: &str, parts: &[&str]) -> bool {
    let scope = module_scope(path, language);
    let fits = |(at, (have, want)): (usize, (&&str, &&str))| {
        // The folder of a package may have another name than the package, and the package of the
        // workspace has no folder.
        let is_package = at + 1 == scope.len();
        (is_package && (have.is_empty() || *want == OWN_PACKAGE))
            || have.replace('-', "_") == want.replace('-', "_")
    };
    parts.len() <= scope.len() && scope.iter().rev().zip(parts.iter().rev()).enumerate().all(fits)
}

/// Returns the parts of the name of a file's module, the package first: empty if the package is the
/// workspace.
fn module_scope<'p>(path: &'p str, language: &str) -> Vec<&'p str> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut parts: Vec<&str> = stem.split('/').collect();
    let row = LanguageRegistry::get().find_by_id(language).map(|language| &language.row);
    if row.zip(parts.last()).is_some_and(|(row, last)| row.module_files.iter().any(|file| file == last)) {
        parts.pop();
    }
    let source = parts.iter().rposition(|part| SOURCE_FOLDERS.contains(part));
    match source {
        Some(0) => parts[0] = "",
        Some(at) => {
            parts.drain(..at - 1);
            parts.remove(1);
        }
        None => {}
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_as_importers_name_them() {
        for (path, language, name) in [
            ("fastapi/__init__.py", "python", &["fastapi"][..]),
            ("fastapi/routing.py", "python", &["fastapi", "routing"]),
            ("src/flask/globals.py", "python", &["flask", "globals"]),
            ("src/lib.rs", "rust", &["tantivy"]),
            ("src/lib.rs", "rust", &["crate"]),
            ("src/schema/mod.rs", "rust", &["tantivy", "schema"]),
            ("src/schema/mod.rs", "rust", &["schema"]),
            ("crates/hir-def/src/nameres.rs", "rust", &["hir_def", "nameres"]),
            ("crates/hir-def/src/nameres.rs", "rust", &["crate", "nameres"]),
            ("packages/server/src/index.ts", "typescript", &["server"]),
        ] {
            assert!(is_named(path, language, name), "{path} {name:?}");
        }
        for (path, language, name) in [
            ("fastapi/params.py", "python", &["fastapi"][..]),
            ("crates/hir-def/src/nameres.rs", "rust", &["hir", "nameres"]),
            ("src/schema/mod.rs", "rust", &["a", "tantivy", "schema"]),
            ("src/schema/field.rs", "rust", &["tantivy", "schema"]),
        ] {
            assert!(!is_named(path, language, name), "{path} {name:?}");
        }
    }
}
