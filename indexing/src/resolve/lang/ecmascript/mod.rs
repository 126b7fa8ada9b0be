//! TypeScript and JavaScript: the targets of imports, the exports of modules, and the declarations
//! that a call reaches.
//!
//! An import path is a relative path, or it is tried by the `paths` and `baseUrl` of the nearest
//! configuration, by the names of the packages of the workspace, and by the usual aliases, in this
//! order. Any other path is external. A CommonJS module exports one value, whose members are its
//! exports. `types` resolves type expressions, which `type_syntax` parses; `values` follows paths
//! of values, and `this_value` resolves `this`.

pub(in super::super) mod this_value;
mod type_syntax;
pub(in super::super) mod types;
pub(in super::super) mod values;

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::super::static_members::Staticness;
use crate::languages::LanguageRegistry;
use kenning_graph::facts::ImportFact;
use kenning_graph::paths::{join_path, join_relative, lies_in_folder, parent_folder, path_below};
use kenning_graph::{SymbolKind, SymbolRef};

/// Extensions of source files, in the order in which they are tried.
const EXTENSIONS: [&str; 8] = ["ts", "tsx", "d.ts", "js", "jsx", "mts", "mjs", "cjs"];

/// Prefixes of import paths, with the folders of the package that they refer to.
const USUAL_ALIASES: [(&str, &str); 3] = [("@/", "src"), ("~/", "src"), ("$lib/", "src/lib")];

/// Returns the target of an import path in the file at `path`.
pub(super) fn import_target<'a>(resolver: &Resolver<'a>, path: &str, import: &str) -> ImportTarget<'a> {
    // `export { a as b }` and `export default a` export a symbol of the file under another name.
    if import.is_empty() {
        return ImportTarget::Modules(vec![ModuleRef::from_path(path)]);
    }
    if import.starts_with("./") || import.starts_with("../") || import == "." || import == ".." {
        let file =
            join_relative(parent_folder(path), import).and_then(|path| find_source_file(resolver, &path));
        return file
            .map_or(ImportTarget::Unknown, |file| ImportTarget::Modules(vec![ModuleRef::from_path(file)]));
    }
    let file = resolve_by_tsconfig(resolver, path, import)
        .or_else(|| resolve_workspace_package(resolver, path, import))
        .or_else(|| resolve_usual_alias(resolver, path, import));
    match file {
        Some(file) => ImportTarget::Modules(vec![ModuleRef::from_path(file)]),
        None => ImportTarget::External(import.to_owned()),
    }
}

/// Returns the source file of an import whose path has no extension, or the extension of the
/// compiled file.
fn find_source_file(resolver: &Resolver, path: &str) -> Option<String> {
    let exists = |path: String| resolver.view.file_exists(&path).then_some(path);
    if let Some((stem, extension)) = path.rsplit_once('.') {
        let sources: &[&str] = match extension {
            "js" => &["ts", "tsx", "d.ts", "js", "jsx"],
            "jsx" => &["tsx", "d.ts", "jsx"],
            "mjs" => &["mts", "d.mts", "mjs"],
            "cjs" => &["cts", "d.cts", "cjs"],
            "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => &[extension],
            _ => &[],
        };
        if let Some(file) = sources.iter().find_map(|source| exists(format!("{stem}.{source}"))) {
            return Some(file);
        }
    }
    if !path.is_empty()
        && let Some(file) = EXTENSIONS.iter().find_map(|extension| exists(format!("{path}.{extension}")))
    {
        return Some(file);
    }
    // The manifest of a folder names the folder's entry file.
    let package = resolver.project.node_packages.iter().find(|package| package.folder == path);
    if let Some(file) = package.and_then(|package| package.file_of_subpath("")) {
        return Some(file.to_owned());
    }
    let index = join_path(path, "index");
    EXTENSIONS.iter().find_map(|extension| exists(format!("{index}.{extension}")))
}

/// Resolves an import by `paths` and `baseUrl` of the nearest configuration.
fn resolve_by_tsconfig(resolver: &Resolver, path: &str, import: &str) -> Option<String> {
    let config =
        resolver.project.script_configs.iter().find(|config| lies_in_folder(path, &config.folder))?;
    for (pattern, targets) in &config.paths {
        let Some(rest) = match_pattern(pattern, import) else { continue };
        let mut files =
            targets.iter().filter_map(|target| find_source_file(resolver, &target.replacen('*', rest, 1)));
        if let Some(file) = files.next() {
            return Some(file);
        }
    }
    find_source_file(resolver, &join_path(config.base_url.as_deref()?, import))
}

/// Resolves an import by the aliases that the build tools of Vue and Svelte define by default.
fn resolve_usual_alias(resolver: &Resolver, path: &str, import: &str) -> Option<String> {
    let target = USUAL_ALIASES
        .iter()
        .find_map(|(alias, folder)| import.strip_prefix(alias).map(|rest| join_path(folder, rest)))?;
    let packages = resolver.project.node_packages.iter();
    let enclosing = packages.filter(|package| lies_in_folder(path, &package.folder));
    let folder = enclosing.max_by_key(|package| package.folder.len()).map_or("", |package| &package.folder);
    find_source_file(resolver, &join_path(folder, &target))
}

/// Returns the text that the `*` of a pattern matches. Returns `""` if the pattern has no `*`
/// and equals the import, and `None` if it does not match.
fn match_pattern<'s>(pattern: &str, import: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        None => (pattern == import).then_some(""),
        Some((before, after)) => import.strip_prefix(before)?.strip_suffix(after),
    }
}

/// Resolves an import by the name of a package of the workspace.
fn resolve_workspace_package(resolver: &Resolver, path: &str, import: &str) -> Option<String> {
    if import.starts_with('#') {
        // A `#` name is an alias that a package defines for its files.
        let enclosing =
            resolver.project.node_packages.iter().filter(|package| lies_in_folder(path, &package.folder));
        let package = enclosing.max_by_key(|package| package.folder.len())?;
        return package.file_of_subpath(import).map(str::to_owned);
    }
    for package in &resolver.project.node_packages {
        let Some(subpath) = path_below(import, &package.name) else { continue };
        if let Some(file) = package.file_of_subpath(subpath) {
            return Some(file.to_owned());
        }
        if !subpath.is_empty() {
            let paths =
                [join_path(&package.folder, subpath), join_path(&package.folder, &format!("src/{subpath}"))];
            return paths.iter().find_map(|path| find_source_file(resolver, path));
        }
    }
    None
}

/// The export name of a CommonJS module's whole value (`module.exports = x`).
const WHOLE_MODULE: &str = "export=";

/// The container of the keys of the object that a CommonJS module exports.
const EXPORTS: &str = "exports";

/// Returns the symbol that a CommonJS module exports as a key of one object: `module.exports = {
/// limit: 3 }`. Returns nothing if the module declares a function or class named `exports`, because
/// the members in this container are then members of that symbol.
pub(super) fn find_exported_key<'a>(
    resolver: &Resolver<'a>,
    module: &ModuleRef,
    name: &str,
) -> Resolution<'a> {
    let ModuleRef::File { path, container } = module else { return Resolution::not_found() };
    if !container.is_empty() {
        return Resolution::not_found();
    }
    let scope = LookupScope { path, container: EXPORTS };
    let keys = resolver.symbols_in_scope_where(scope, name, |s| s.kind == SymbolKind::Field);
    if keys.is_empty() || resolver.find_symbol_at(path, "", EXPORTS).is_some() {
        Resolution::not_found()
    } else {
        keys
    }
}

/// Whether a symbol is a member of its container and not merely visible inside it.
pub(in super::super) fn is_member_symbol(symbol: &SymbolRef) -> bool {
    is_member_kind(symbol.kind)
}

/// Whether symbols of this kind are members of their containers.
pub(in super::super) const fn is_member_kind(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field)
}

/// Resolves an import of a whole module, or an export of a symbol of the file under another name.
/// Returns `None` for other imports.
pub(super) fn resolve_special_import<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
) -> Option<Resolution<'a>> {
    if import.path.is_empty() {
        // In `export { a as b }`, look up `a` in the file.
        let lookup = || (*resolver.lookup_name(LookupScope { path, container: "" }, &import.name)).clone();
        let mut found = resolver.with_depth_limit(lookup).unwrap_or_default();
        found.is_bound = true;
        return Some(found);
    }
    let imports_module = import.name.is_empty();
    let ImportTarget::Modules(targets) = import_target(resolver, path, &import.path) else { return None };
    imports_module.then(|| resolve_modules(resolver, targets))
}

/// Returns the definitions of imported modules: each module, and the value that it sets as its
/// exports, if any.
fn resolve_modules<'a>(resolver: &Resolver<'a>, modules: Vec<ModuleRef>) -> Resolution<'a> {
    let mut found = Resolution::bound_to_unknown();
    for module in modules {
        found.extend(&resolver.resolve_export(&module, WHOLE_MODULE));
        found.push(Definition::Module(module));
    }
    found
}

/// Looks up an export that no declaration of a module names: a member of the value that it sets as
/// its exports, or, for `default`, that value or else the module itself.
pub(super) fn find_special_export<'a>(
    resolver: &Resolver<'a>,
    module: &ModuleRef,
    name: &str,
) -> Resolution<'a> {
    if name == WHOLE_MODULE {
        return Resolution::not_found();
    }
    let whole = resolver.resolve_export(module, WHOLE_MODULE);
    if name != "default" {
        return if whole.is_empty() {
            Resolution::not_found()
        } else {
            resolver.resolve_member(&whole, name)
        };
    }
    if whole.is_empty() {
        let exported =
            find_component(resolver, module).map_or(Definition::Module(module.clone()), Definition::Symbol);
        Resolution::from_definitions(vec![exported])
    } else {
        (*whole).clone()
    }
}

/// Returns the symbol of a file that is a component; `None` for any other file.
fn find_component<'a>(resolver: &Resolver<'a>, module: &ModuleRef) -> Option<SymbolRef<'a>> {
    let ModuleRef::File { path, .. } = module else { return None };
    let language = LanguageRegistry::get().find_by_path(path)?;
    if language.row.script_sections.is_empty() {
        return None;
    }
    resolver.view.symbol_by_id(resolver.view.file_symbol(path)?)
}

/// Keeps the declarations that a call to a name reaches. Keeps one overload, and one accessor of a
/// property, per container and staticness. Drops interfaces and aliases that share the name.
pub(in super::super) fn keep_called_declarations(arity: u8, targets: &mut Vec<SymbolRef>) {
    let is_erased_type = |s: &SymbolRef| matches!(s.kind, SymbolKind::Interface | SymbolKind::TypeAlias);
    if targets.iter().any(|s| !is_erased_type(s)) {
        targets.retain(|s| !is_erased_type(s));
    }
    // If overloads fit equally well, the one with the shortest parameter list remains. It cannot be
    // the first in the text, because resolution may not read the lines of other files.
    let rank = |s: &SymbolRef| (s.arity != Some(arity), s.param_types().len());
    targets.sort_by(|a, b| {
        member_declaration_key(a)
            .cmp(&member_declaration_key(b))
            .then_with(|| rank(a).cmp(&rank(b)))
            .then_with(|| a.param_types().cmp(b.param_types()))
    });
    targets.dedup_by(|next, previous| member_declaration_key(next) == member_declaration_key(previous));
}

/// Returns the scope in which a member is declared, and its staticness.
fn member_declaration_key<'a>(symbol: &SymbolRef<'a>) -> (&'a str, &'a str, &'a str, Staticness) {
    let staticness = Staticness::from_signature(symbol.signature_text());
    (symbol.path, symbol.container, symbol.name, staticness)
}
