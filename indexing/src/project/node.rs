//! Reads the manifests of TypeScript and JavaScript: `tsconfig.json`, `jsconfig.json` and
//! `package.json`.
//!
//! The output is a [`ScriptConfig`] for each configuration that affects imports, and a
//! [`NodePackage`] for each named package. Manifests often name build output, which is not indexed;
//! [`source_of_target`] finds the source file for it.
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "the tools compare case-sensitively")]

use super::{ManifestReader, sort_deepest_first};
use kenning_graph::paths::{join_path, join_relative, parent_folder};
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum length of `extends` chains, and depth of nested conditions in `exports`. Longer chains
/// are loops.
const MAX_EXTENDS: usize = 8;

/// The settings of a `tsconfig.json` or `jsconfig.json` about imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptConfig {
    /// The folder of the file. The settings apply to all files below it.
    pub folder: String,
    /// Folder from which bare imports start, if set.
    pub base_url: Option<String>,
    /// Pairs of a pattern with at most one `*` and its targets (workspace paths with at most one
    /// `*`), in the order in which they are tried: exact patterns first, then by descending length
    /// of the text before the `*`.
    pub paths: Vec<(String, Vec<String>)>,
}

/// An npm package of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodePackage {
    /// The name in imports: `@trpc/server`.
    pub name: String,
    /// The folder of its `package.json`.
    pub folder: String,
    /// The files that imports of the package reach, sorted by subpath.
    pub entries: Vec<PackageEntry>,
    /// The files of the workspace that the manifest names for users of the package, sorted. They
    /// may be build output, unlike [`NodePackage::entries`].
    pub published: Vec<String>,
}

/// A file that an import of a package reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageEntry {
    /// The import without the name of the package: `""` is the package itself, `"adapters/ws"` is
    /// `name/adapters/ws`, and `"#x"` is a name that the package gives to one of its own files.
    pub subpath: String,
    /// The source file.
    pub file: String,
}

impl NodePackage {
    /// Returns the file that a subpath of the package reaches.
    pub fn file_of_subpath(&self, subpath: &str) -> Option<&str> {
        self.entries.iter().find(|entry| entry.subpath == subpath).map(|entry| entry.file.as_str())
    }
}

/// Returns the configurations in `folders` that affect imports, deepest first.
pub(super) fn script_configs(folders: &[String], source: &mut ManifestReader) -> Vec<ScriptConfig> {
    let mut configs = Vec::new();
    for folder in folders {
        for name in ["tsconfig.json", "jsconfig.json"] {
            let path = join_path(folder, name);
            let Some(value) = source.read_json(&path) else { continue };
            let (mut base_url, mut paths) = (None, None);
            collect_options(&path, &value, MAX_EXTENDS, source, &mut base_url, &mut paths);
            let mut paths = paths.unwrap_or_default();
            paths.sort_by(|(a, _), (b, _)| {
                pattern_specificity(b).cmp(&pattern_specificity(a)).then_with(|| a.cmp(b))
            });
            if base_url.is_some() || !paths.is_empty() {
                configs.push(ScriptConfig { folder: folder.clone(), base_url, paths });
            }
            break;
        }
    }
    sort_deepest_first(&mut configs, |config| &config.folder);
    configs
}

fn pattern_specificity(pattern: &str) -> (bool, usize) {
    pattern.find('*').map_or((true, pattern.len()), |at| (false, at))
}

/// Patterns of `paths` with their targets.
type PathMappings = Vec<(String, Vec<String>)>;

/// Reads `baseUrl` and `paths` from a configuration. Reads options that it leaves unset from the
/// configurations that it extends.
fn collect_options(
    path: &str,
    value: &Value,
    depth: usize,
    source: &mut ManifestReader,
    base_url: &mut Option<String>,
    paths: &mut Option<PathMappings>,
) {
    let folder = parent_folder(path);
    let options = value.get("compilerOptions");
    let declared_base = options
        .and_then(|options| options.get("baseUrl"))
        .and_then(Value::as_str)
        .and_then(|base| join_relative(folder, base));
    if let (None, Some(table)) = (&paths, options.and_then(|o| o.get("paths")).and_then(Value::as_object)) {
        let start = declared_base.clone().or_else(|| base_url.clone()).unwrap_or_else(|| folder.to_owned());
        let targets = |value: &Value| -> Vec<String> {
            let targets = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            targets.filter_map(|target| join_relative(&start, target)).collect()
        };
        *paths = Some(table.iter().map(|(pattern, value)| (pattern.clone(), targets(value))).collect());
    }
    if base_url.is_none() {
        *base_url = declared_base;
    }
    if depth == 0 {
        return;
    }
    let extended: Vec<&str> = match value.get("extends") {
        Some(Value::String(target)) => vec![target],
        // Later entries win, so they are read first.
        Some(Value::Array(targets)) => targets.iter().rev().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for target in extended.into_iter().filter(|target| target.starts_with('.')) {
        let Some(mut path) = join_relative(folder, target) else { continue };
        if !path.ends_with(".json") {
            path.push_str(".json");
        }
        if let Some(value) = source.read_json(&path) {
            collect_options(&path, &value, depth - 1, source, base_url, paths);
        }
    }
}

/// Returns the named packages of the `package.json` files in `folders`, sorted.
pub(super) fn node_packages(
    folders: &[String],
    paths: &[String],
    source: &mut ManifestReader,
) -> Vec<NodePackage> {
    let indexed: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let mut packages = Vec::new();
    for folder in folders {
        let Some(value) = source.read_json(&join_path(folder, "package.json")) else { continue };
        let Some(name) = value.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
            continue;
        };
        let mut entries: Vec<PackageEntry> = Vec::new();
        let mut add = |subpath: &str, target: &str| {
            if !entries.iter().any(|entry| entry.subpath == subpath)
                && let Some(file) = source_of_target(folder, target, &indexed)
            {
                entries.push(PackageEntry { subpath: subpath.to_owned(), file });
            }
        };
        visit_exports(value.get("exports"), &mut add);
        if let Some(Value::Object(imports)) = value.get("imports") {
            for (key, value) in imports.iter().filter(|(key, _)| !key.contains('*')) {
                visit_targets(value, MAX_EXTENDS, &mut |target| add(key, target));
            }
        }
        for key in ["source", "types", "module", "main"] {
            if let Some(target) = value.get(key).and_then(Value::as_str) {
                add("", target);
            }
        }
        add("", "index");
        add("", "src/index");
        entries.sort_unstable();
        let published = published_files(&value, folder, &indexed);
        packages.push(NodePackage { name: name.to_owned(), folder: folder.clone(), entries, published });
    }
    packages.sort_unstable();
    packages
}

/// Returns the files of the workspace that a `package.json` names for users of the package, sorted.
fn published_files(manifest: &Value, folder: &str, indexed: &BTreeSet<&str>) -> Vec<String> {
    let mut files = BTreeSet::new();
    let mut add = |target: &str| {
        let file = join_relative(folder, target).filter(|path| indexed.contains(path.as_str()));
        files.extend(file);
    };
    for key in ["main", "module", "browser", "unpkg", "jsdelivr", "exports"] {
        if let Some(value) = manifest.get(key) {
            visit_targets(value, MAX_EXTENDS, &mut add);
        }
    }
    files.into_iter().collect()
}

/// Calls `add` with the subpaths and targets of an `exports` field, with conditions in the order of
/// the text.
fn visit_exports(exports: Option<&Value>, add: &mut dyn FnMut(&str, &str)) {
    match exports {
        Some(Value::Object(table)) if table.keys().any(|key| key.starts_with('.')) => {
            for (key, value) in table {
                let subpath = key.trim_start_matches('.').trim_start_matches('/');
                if !subpath.contains('*') {
                    visit_targets(value, MAX_EXTENDS, &mut |target| add(subpath, target));
                }
            }
        }
        Some(value) => visit_targets(value, MAX_EXTENDS, &mut |target| add("", target)),
        None => {}
    }
}

fn visit_targets(value: &Value, depth: usize, add: &mut dyn FnMut(&str)) {
    match value {
        Value::String(target) => add(target),
        Value::Array(values) if depth > 0 => {
            for value in values {
                visit_targets(value, depth - 1, add);
            }
        }
        Value::Object(table) if depth > 0 => {
            for value in table.values() {
                visit_targets(value, depth - 1, add);
            }
        }
        _ => {}
    }
}

/// Returns the source file of an entry: the file itself or, if the entry points to build output
/// (`dist/index.js`, `build/esm/index.mjs`), the file with the same name under `src`.
fn source_of_target(folder: &str, target: &str, indexed: &BTreeSet<&str>) -> Option<String> {
    let target = target.trim_start_matches("./");
    // Handwritten declaration files have more information than the code that they declare.
    // Generated declaration files are not in the workspace.
    let declared = target.ends_with(".d.ts").then(|| join_relative(folder, target)).flatten();
    let declared = declared.filter(|path| indexed.contains(path.as_str()));
    let has_source_beside = |path: &str| {
        let stem = path.strip_suffix(".d.ts").unwrap_or(path);
        ["ts", "tsx"].iter().any(|extension| indexed.contains(format!("{stem}.{extension}").as_str()))
    };
    if let Some(path) = declared.filter(|path| !has_source_beside(path)) {
        return Some(path);
    }
    let stem = target
        .strip_suffix(".d.ts")
        .or_else(|| target.strip_suffix(".d.mts"))
        .or_else(|| target.strip_suffix(".d.cts"))
        .unwrap_or_else(|| match target.rsplit_once('.') {
            Some((stem, extension)) if !extension.contains('/') && !stem.is_empty() => stem,
            _ => target,
        });
    let mut stems = vec![stem.to_owned()];
    let mut rest = stem;
    while let Some((_, below)) = rest.split_once('/') {
        stems.push(format!("src/{below}"));
        stems.push(below.to_owned());
        rest = below;
    }
    for stem in stems {
        let path = join_relative(folder, &stem)?;
        for extension in ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"] {
            let candidate = format!("{path}.{extension}");
            if indexed.contains(candidate.as_str()) {
                return Some(candidate);
            }
        }
    }
    None
}

/// Turns JSON with comments and trailing commas, as in `tsconfig.json`, into plain JSON.
pub(super) fn strip_json_comments(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => {
                out.push('"');
                while let Some(c) = chars.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => {
                while chars.peek().is_some_and(|&c| c != '\n') {
                    chars.next();
                }
            }
            ('/', Some('*')) => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            (']' | '}', _) => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
