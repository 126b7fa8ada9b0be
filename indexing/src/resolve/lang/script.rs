//! TypeScript and JavaScript: relative imports, `tsconfig` paths, packages of the workspace.

use super::super::meaning::{Found, Meaning, Module};
use super::super::resolver::{Resolver, Target};
use super::super::view::lies_in;
use crate::project::{below, folder_of, join, join_relative};

const EXTENSIONS: [&str; 8] = ["ts", "tsx", "d.ts", "js", "jsx", "mts", "mjs", "cjs"];

pub(super) fn import_target<'a>(r: &Resolver<'a>, path: &str, import: &str) -> Target<'a> {
    // `export { a as b }`, `export default a`: the file's own symbol under another name.
    if import.is_empty() {
        return Target::Modules(vec![Module::file(path)]);
    }
    if import.starts_with("./") || import.starts_with("../") || import == "." || import == ".." {
        let file = join_relative(folder_of(path), import).and_then(|path| file_at(r, &path));
        return file.map_or(Target::Unknown, |file| Target::Modules(vec![Module::file(file)]));
    }
    let file = configured(r, path, import).or_else(|| packaged(r, import));
    match file {
        Some(file) => Target::Modules(vec![Module::file(file)]),
        None => Target::External(import.to_owned()),
    }
}

/// The source file an import without extension, or with that of its compiled form, means.
fn file_at(r: &Resolver, path: &str) -> Option<String> {
    let exists = |path: String| r.view.file_exists(&path).then_some(path);
    if let Some((stem, extension)) = path.rsplit_once('.') {
        let sources: &[&str] = match extension {
            "js" => &["ts", "tsx", "js", "jsx"],
            "jsx" => &["tsx", "jsx"],
            "mjs" => &["mts", "mjs"],
            "cjs" => &["cts", "cjs"],
            "ts" | "tsx" | "mts" | "cts" => &[extension],
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
    let index = join(path, "index");
    EXTENSIONS.iter().find_map(|extension| exists(format!("{index}.{extension}")))
}

/// By `paths` and `baseUrl` of the nearest configuration.
fn configured(r: &Resolver, path: &str, import: &str) -> Option<String> {
    let config = r.project.script_configs.iter().find(|config| lies_in(path, &config.folder))?;
    for (pattern, targets) in &config.paths {
        let Some(rest) = matched(pattern, import) else { continue };
        let mut files = targets.iter().filter_map(|target| file_at(r, &target.replacen('*', rest, 1)));
        if let Some(file) = files.next() {
            return Some(file);
        }
    }
    file_at(r, &join(config.base_url.as_deref()?, import))
}

/// What the `*` of a pattern stands for; empty where the pattern has none and equals the import.
fn matched<'s>(pattern: &str, import: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        None => (pattern == import).then_some(""),
        Some((before, after)) => import.strip_prefix(before)?.strip_suffix(after),
    }
}

/// By the name of a package of the workspace.
fn packaged(r: &Resolver, import: &str) -> Option<String> {
    for package in &r.project.node_packages {
        let Some(subpath) = below(import, &package.name) else { continue };
        if let Some((_, file)) = package.entries.iter().find(|(entry, _)| entry == subpath) {
            return Some(file.clone());
        }
        if !subpath.is_empty() {
            let places = [join(&package.folder, subpath), join(&package.folder, &format!("src/{subpath}"))];
            return places.iter().find_map(|place| file_at(r, place));
        }
    }
    None
}

/// The default export: the symbol with the name it is imported under, or with the file's, or the file itself.
pub(super) fn special_export<'a>(r: &Resolver<'a>, module: &Module, name: &str, local: &str) -> Found<'a> {
    let Module::File { path, .. } = module else { return Found::nothing() };
    if name != "default" {
        return Found::nothing();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    for guess in [local, stem] {
        let found = r.named_in_where(path, guess, |s| s.container.is_empty());
        if !found.is_empty() {
            return found;
        }
    }
    Found::of(vec![Meaning::Module(module.clone())])
}
