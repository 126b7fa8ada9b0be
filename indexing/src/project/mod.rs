//! Reads the manifests of a workspace: where imports lead, who owns which file, and which packages
//! the workspace defines and uses.
//!
//! The input is the list of indexed files and a reader of manifests ([`ManifestFiles`]). The output
//! is a [`Project`], an immutable value with one part per language. Resolution reads all parts;
//! ranking reads `packages`.
//!
//! Invariants:
//!
//! * Paths are relative to the workspace, and all lists have a fixed order, so that equal manifests
//!   give an equal [`Project::fingerprint`]. When the fingerprint changes, every file is resolved
//!   again, unless `ProjectDifference` shows that only some files are affected.
//! * A manifest that cannot be read counts as absent and becomes a [`ProjectIssue`].

mod cargo;
mod code_owners;
mod compile_commands;
mod difference;
mod go;
mod import_folders;
mod node;
mod package_names;
mod packages;
mod python;
mod ruby;

pub use cargo::{CargoPackage, RenamedDependency};
pub use code_owners::CodeOwners;
pub(crate) use difference::ProjectDifference;
pub use go::{GoModule, ModuleReplacement};
pub use node::{NodePackage, PackageEntry, ScriptConfig};

use crate::named_file::{FileRefusal, LinkRule, MAX_MANIFEST, read_text};
use kenning_graph::hash::{Hash, HashBuilder};
use kenning_graph::packages::{ManifestPackage, WorkspacePackages};
use kenning_graph::paths::parent_folder;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Names of files that [`Project::load_manifests`] reads and that determine edges. A change to one
/// may change every edge.
const MANIFESTS: &[&str] = &[
    "go.mod",
    "go.work",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "package.json",
    "tsconfig.json",
    "jsconfig.json",
    "CODEOWNERS",
    compile_commands::FILE_NAME,
];

/// Whether [`Project::load_manifests`] reads files of this name.
pub fn is_manifest(name: &str) -> bool {
    MANIFESTS.contains(&name)
        || packages::is_package_manifest(name)
        || package_names::is_package_manifest(name)
}

/// The facts that manifests and the layout of the files determine. All paths are relative to the
/// workspace, with `/` as the separator; the root is the empty string. All lists have a fixed
/// order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Go modules, longest module path first.
    pub go_modules: Vec<GoModule>,
    /// Cargo packages, deepest folder first.
    pub cargo_packages: Vec<CargoPackage>,
    /// The index in [`Self::cargo_packages`] of the first package of each folder.
    cargo_by_folder: FxHashMap<String, usize>,
    /// Folders that hold top-level Python packages and modules, deepest first.
    pub python_roots: Vec<String>,
    /// `tsconfig.json` and `jsconfig.json` files, deepest folder first.
    pub script_configs: Vec<ScriptConfig>,
    /// npm packages with a name, sorted by name.
    pub node_packages: Vec<NodePackage>,
    /// Folders on Ruby's load path, sorted.
    pub ruby_load_paths: Vec<String>,
    /// The folders from which the import paths of a language family start, sorted, by family. Only
    /// families whose rules are data have an entry.
    pub import_folders: BTreeMap<String, Vec<String>>,
    /// The folders of packages that imports name, by family and package name. Only families whose
    /// rules name a manifest have an entry.
    pub package_folders: BTreeMap<String, BTreeMap<String, String>>,
    /// The owners of files.
    pub owners: CodeOwners,
    /// The packages that manifests name.
    pub packages: WorkspacePackages,
    /// The dependencies in [`Self::packages`] by the path of their manifest.
    dependencies: BTreeMap<String, Vec<ManifestPackage>>,
    /// Manifests that could not be read. They count as absent.
    pub issues: Vec<ProjectIssue>,
}

/// A manifest that counts as absent because it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProjectIssue {
    /// The path of the manifest in the workspace.
    pub path: String,
    /// The reason why it cannot be read.
    pub message: String,
}

impl Project {
    /// Reads the manifests in the folders of the indexed files and in the folders above them, up to
    /// `root`. A manifest that cannot be read becomes one of the [`Project::issues`].
    pub fn load_manifests(root: &Path, paths: &[String]) -> Self {
        Self::load_with_unsaved(root, paths, &|_| None)
    }

    /// Does the same as [`Project::load_manifests`], with unsaved texts instead of files:
    /// `unsaved` returns the text for a path, or `None` to read the disk.
    pub fn load_with_unsaved(
        root: &Path,
        paths: &[String],
        unsaved: &dyn Fn(&str) -> Option<Arc<str>>,
    ) -> Self {
        let read = |path: &str| {
            if let Some(text) = unsaved(path) {
                return Ok(Some(text.to_string()));
            }
            match read_text(&root.join(path), MAX_MANIFEST, LinkRule::Inside(root)) {
                // A folder may have the name of a manifest.
                Err(FileRefusal::Folder) => Ok(None),
                other => other.map_err(|refusal| refusal.to_string()),
            }
        };
        let names = |folder: &str| {
            let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Vec::new() };
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
        };
        Self::read_from_files(paths, &ManifestFiles { read: &read, names: &names })
    }

    /// Does the same as [`Project::read_from_files`], with only a function that reads files. All
    /// folders appear to be empty.
    pub fn read_manifests(paths: &[String], read: &dyn Fn(&str) -> Result<Option<String>, String>) -> Self {
        Self::read_from_files(paths, &ManifestFiles { read, names: &|_| Vec::new() })
    }

    /// Does the same as [`Project::load_manifests`], with `files` instead of the file system.
    pub fn read_from_files(paths: &[String], files: &ManifestFiles<'_>) -> Self {
        let mut source = ManifestReader { files, issues: BTreeSet::new() };
        let folders = folders_of(paths);
        let cargo_packages = cargo::cargo_packages(&folders, &mut source);
        let by_folder = cargo_packages.iter().enumerate().rev();
        let mut project = Self {
            go_modules: go::go_modules(&folders, &mut source),
            cargo_by_folder: by_folder.map(|(at, package)| (package.folder.clone(), at)).collect(),
            cargo_packages,
            python_roots: python::python_roots(paths, &folders, &mut source),
            script_configs: node::script_configs(&folders, &mut source),
            node_packages: node::node_packages(&folders, paths, &mut source),
            ruby_load_paths: ruby::load_paths(paths),
            import_folders: import_folders::find_import_folders(paths, &folders, &mut source),
            package_folders: package_names::find_package_folders(paths, &folders, &mut source),
            owners: CodeOwners::read_owners(&mut source),
            packages: packages::workspace_packages(&folders, &mut source),
            dependencies: BTreeMap::new(),
            issues: Vec::new(),
        };
        for dependency in &project.packages.dependencies {
            project.dependencies.entry(dependency.manifest.clone()).or_default().push(dependency.clone());
        }
        project.issues = source.issues.into_iter().collect();
        project
    }

    /// Returns the Cargo package that a file belongs to: the package of the nearest folder above
    /// it.
    pub(crate) fn cargo_package(&self, path: &str) -> Option<&CargoPackage> {
        let mut folder = parent_folder(path);
        loop {
            match self.cargo_by_folder.get(folder) {
                Some(&at) => return self.cargo_packages.get(at),
                None if folder.is_empty() => return None,
                None => folder = parent_folder(folder),
            }
        }
    }

    /// Returns the packages that a manifest depends on; none if the file is not a manifest.
    pub fn dependencies_of_manifest(&self, path: &str) -> &[ManifestPackage] {
        self.dependencies.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns a hash of everything that the edges of manifests depend on.
    pub fn dependencies_fingerprint(&self) -> Hash {
        let mut hasher = HashBuilder::new("dependencies");
        for ManifestPackage { ecosystem, name, manifest, line, local, .. } in &self.packages.dependencies {
            hasher.add_text(&format!("{ecosystem:?} {name:?} {manifest:?} {line} {local:?}"));
        }
        hasher.finish()
    }

    /// Returns a hash of all parts of the project that resolution may read. When it changes, every
    /// file is resolved again. Owners and packages are not part of it, because resolving a file
    /// reads only the owners and packages of that file ([`CodeOwners::owners_of_file`],
    /// [`Self::dependencies_of_manifest`]).
    pub fn fingerprint(&self) -> Hash {
        let mut hasher = HashBuilder::new("project");
        // The debug format includes every field in a fixed order, quoted. Issues are not part of
        // resolution.
        let Self {
            go_modules,
            cargo_packages,
            python_roots,
            script_configs,
            node_packages,
            ruby_load_paths,
            import_folders,
            package_folders,
            ..
        } = self;
        hasher.add_text(&format!("{go_modules:?}"));
        hasher.add_text(&format!("{cargo_packages:?}"));
        hasher.add_text(&format!("{python_roots:?}"));
        hasher.add_text(&format!("{script_configs:?}"));
        hasher.add_text(&format!("{node_packages:?}"));
        hasher.add_text(&format!("{ruby_load_paths:?}"));
        hasher.add_text(&format!("{import_folders:?}"));
        hasher.add_text(&format!("{package_folders:?}"));
        hasher.finish()
    }
}

/// A source of manifests.
pub struct ManifestFiles<'a> {
    /// Returns the text of the file at a workspace path, `None` if there is none, or the reason why
    /// it cannot be read.
    pub read: &'a dyn Fn(&str) -> Result<Option<String>, String>,
    /// Returns the names in a folder, in any order; none if the folder cannot be read.
    pub names: &'a dyn Fn(&str) -> Vec<String>,
}

/// A reader of manifests that collects their issues.
struct ManifestReader<'a> {
    files: &'a ManifestFiles<'a>,
    issues: BTreeSet<ProjectIssue>,
}

impl ManifestReader<'_> {
    fn manifest_text(&mut self, path: &str) -> Option<String> {
        match (self.files.read)(path) {
            Ok(text) => text,
            Err(message) => {
                self.record_issue(path, message);
                None
            }
        }
    }

    /// Returns the names in a folder, sorted.
    fn folder_names(&self, folder: &str) -> Vec<String> {
        let mut names = (self.files.names)(folder);
        names.sort_unstable();
        names
    }

    fn read_toml(&mut self, path: &str) -> Option<toml::Table> {
        match self.manifest_text(path)?.parse() {
            Ok(table) => Some(table),
            Err(error) => {
                self.record_issue(path, error.to_string().trim().to_owned());
                None
            }
        }
    }

    fn read_json(&mut self, path: &str) -> Option<serde_json::Value> {
        let text = self.manifest_text(path)?;
        match serde_json::from_str(&node::strip_json_comments(&text)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.record_issue(path, error.to_string());
                None
            }
        }
    }

    fn record_issue(&mut self, path: &str, message: String) {
        self.issues.insert(ProjectIssue { path: path.to_owned(), message });
    }
}

/// Returns the folders of the files and all folders above them, including the root, sorted.
fn folders_of(paths: &[String]) -> Vec<String> {
    let mut folders = BTreeSet::from([String::new()]);
    for path in paths {
        let mut folder = parent_folder(path);
        while !folder.is_empty() && folders.insert(folder.to_owned()) {
            folder = parent_folder(folder);
        }
    }
    folders.into_iter().collect()
}

/// Sorts by depth of the folder, deepest first, then by the folder, so that the nearest manifest
/// above a file comes first.
fn sort_deepest_first<T>(items: &mut [T], folder: impl Fn(&T) -> &str) {
    let depth = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
    items.sort_by(|a, b| depth(folder(b)).cmp(&depth(folder(a))).then_with(|| folder(a).cmp(folder(b))));
}

#[cfg(test)]
mod tests;
