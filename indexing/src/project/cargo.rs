//! Cargo packages: their names, dependencies and the root files of their targets.

use super::{ManifestReader, sort_deepest_first};
use kenning_graph::paths::{join_path, join_relative};
use toml::{Table, Value};

/// A Cargo package of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CargoPackage {
    /// The name that other crates use, with `_` for `-`: the name in `[lib]`, or else the name in
    /// `[package]`.
    pub name: String,
    /// The folder of its `Cargo.toml`.
    pub folder: String,
    /// Root file of the library. Defaults to `src/lib.rs`, whether or not that exists.
    pub library: String,
    /// Root files that the manifest names for binaries, examples, tests, benches and the build
    /// script, sorted.
    pub roots: Vec<String>,
    /// The dependencies that the manifest renames, sorted.
    pub renamed: Vec<RenamedDependency>,
    /// Names of all dependencies as the code writes them, sorted.
    pub dependencies: Vec<String>,
}

/// A dependency that has another name in the code than its package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenamedDependency {
    /// The name in the code.
    pub alias: String,
    /// The name of the package, with `_` for `-`.
    pub package: String,
}

/// Returns the packages of the `Cargo.toml` files in `folders`, deepest first.
pub(super) fn cargo_packages(folders: &[String], source: &mut ManifestReader) -> Vec<CargoPackage> {
    let mut packages = Vec::new();
    for folder in folders {
        let path = join_path(folder, "Cargo.toml");
        let Some(manifest) = source.read_toml(&path) else { continue };
        let Some(package) = manifest.get("package").and_then(Value::as_table) else { continue };
        let Some(name) = text_value(package, "name") else {
            source.record_issue(&path, "the package has no name".to_owned());
            continue;
        };
        let library = manifest.get("lib").and_then(Value::as_table);
        let name = library.and_then(|table| text_value(table, "name")).unwrap_or(name);
        let root = library.and_then(|table| text_value(table, "path")).unwrap_or("src/lib.rs");
        packages.push(CargoPackage {
            name: name.replace('-', "_"),
            folder: folder.clone(),
            library: join_relative(folder, root).unwrap_or_default(),
            roots: crate_roots(folder, &manifest, package),
            renamed: renamed_dependencies(&manifest),
            dependencies: dependency_names(&manifest),
        });
    }
    sort_deepest_first(&mut packages, |package| &package.folder);
    packages
}

fn text_value<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    table.get(key).and_then(Value::as_str)
}

fn crate_roots(folder: &str, manifest: &Table, package: &Table) -> Vec<String> {
    let mut roots = Vec::new();
    for kind in ["bin", "example", "test", "bench"] {
        let targets = manifest.get(kind).and_then(Value::as_array).into_iter().flatten();
        roots.extend(targets.filter_map(|target| text_value(target.as_table()?, "path")));
    }
    roots.extend(text_value(package, "build"));
    let mut roots: Vec<String> = roots.iter().filter_map(|root| join_relative(folder, root)).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// Returns the tables of dependencies, including those for single targets
/// (`[target.'cfg(unix)'.dependencies]`), with the keys that lead to them.
pub(super) fn dependency_sections(manifest: &Table) -> Vec<(Vec<&str>, &Table)> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let targets = targets.filter_map(|(target, table)| Some((vec!["target", target], table.as_table()?)));
    let mut found = Vec::new();
    for (path, table) in std::iter::once((Vec::new(), manifest)).chain(targets) {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let dependencies = table.get(section).and_then(Value::as_table);
            found.extend(dependencies.map(|dependencies| ([&path[..], &[section]].concat(), dependencies)));
        }
    }
    found
}

/// Returns the tables of dependencies.
fn dependency_tables(manifest: &Table) -> impl Iterator<Item = &Table> {
    dependency_sections(manifest).into_iter().map(|(_, table)| table)
}

fn dependency_names(manifest: &Table) -> Vec<String> {
    let names = dependency_tables(manifest).flat_map(Table::keys).map(|name| name.replace('-', "_"));
    names.collect::<std::collections::BTreeSet<String>>().into_iter().collect()
}

fn renamed_dependencies(manifest: &Table) -> Vec<RenamedDependency> {
    let mut renamed = Vec::new();
    for dependencies in dependency_tables(manifest) {
        for (name, dependency) in dependencies {
            if let Some(package) = dependency.as_table().and_then(|table| text_value(table, "package")) {
                let (alias, package) = (name.replace('-', "_"), package.replace('-', "_"));
                renamed.push(RenamedDependency { alias, package });
            }
        }
    }
    renamed.sort_unstable();
    renamed.dedup();
    renamed
}
