//! Relates the manifests of a workspace to each other: which dependencies are packages of the
//! workspace, which versions a manifest inherits, and which versions the lock files name.
//!
//! The input is the [`ManifestNames`] of every manifest and the [`LockedVersions`] of every lock
//! file. The output is [`WorkspacePackages`], with one entry for each package of a manifest. A
//! manifest inherits only from manifests in its folder or in the folders above it.

use super::declaration::{DeclaredDependency, DependencyOrigin, ManifestNames};
use super::lock_files::{LockKind, LockedVersions};
use kenning_graph::packages::{ManifestPackage, PackageEcosystem, WorkspacePackages};
use kenning_graph::paths::{file_name, join_path, matches_name_pattern, parent_folder, path_below};
use std::collections::{BTreeMap, BTreeSet};

/// The manifests and lock files of a workspace.
#[derive(Default)]
pub(super) struct PackageLinker {
    /// The manifests with their paths, in the order of the folders.
    manifests: Vec<(String, ManifestNames)>,
    /// The lock files with their folders.
    locks: Vec<(String, LockedVersions)>,
}

/// A package by its ecosystem and its normalized name.
type PackageKey = (PackageEcosystem, String);

/// An index of the packages that the manifests of a workspace name.
struct ManifestIndex<'m> {
    /// The manifests that define a package, by path.
    defined: BTreeMap<PackageKey, BTreeSet<&'m str>>,
    /// The manifests in a folder, by ecosystem.
    by_folder: BTreeMap<(PackageEcosystem, &'m str), &'m str>,
    /// The requirements that other manifests can inherit, by package and folder of the manifest.
    requirements: BTreeMap<(PackageKey, &'m str), &'m str>,
    /// The folders of local dependencies that other manifests can inherit, by package and folder of
    /// the manifest.
    local_folders: BTreeMap<(PackageKey, &'m str), &'m str>,
    /// The packages in version catalogs with their versions, by folder and alias.
    catalogs: BTreeMap<(&'m str, &'m str), &'m (String, String)>,
    /// The folders of workspaces with their patterns, by ecosystem.
    workspaces: Vec<(PackageEcosystem, &'m str, &'m [String])>,
}

impl PackageLinker {
    /// Adds a manifest. Manifests must be added in the order of their folders.
    pub fn add_manifest(&mut self, path: String, names: ManifestNames) {
        self.manifests.push((path, names));
    }

    /// Adds a lock file of a folder.
    pub fn add_lock(&mut self, folder: &str, kind: LockKind, text: &str) {
        self.locks.push((folder.to_owned(), LockedVersions::read_lock(kind, text)));
    }

    /// Returns the packages with inherited requirements, locked versions and the manifests that
    /// define them.
    pub fn link_packages(&self) -> WorkspacePackages {
        let index = ManifestIndex::new(&self.manifests);
        let mut packages = WorkspacePackages::default();
        for (path, names) in &self.manifests {
            let key = |name: &str| (names.ecosystem, names.ecosystem.normalize_name(name));
            let mut seen: BTreeSet<String> = BTreeSet::new();
            for (name, line) in names.defined.iter().filter(|(name, _)| !name.trim().is_empty()) {
                let (ecosystem, name) = key(name);
                if seen.insert(name.clone()) {
                    packages.defined.insert(ManifestPackage {
                        ecosystem,
                        name,
                        manifest: path.clone(),
                        line: *line,
                        requirement: String::new(),
                        locked: String::new(),
                        local: String::new(),
                    });
                }
            }
            let mut dependencies: Vec<DeclaredDependency> = names.dependencies.clone();
            dependencies.extend(index.catalog_dependencies(path, names));
            dependencies.sort_by_key(|declared| declared.line);
            seen.clear();
            for declared in dependencies {
                let Some((local, name)) = index.local_manifest(path, names.ecosystem, &declared) else {
                    continue;
                };
                if name.trim().is_empty() || !seen.insert(name.clone()) {
                    continue;
                }
                let key = (names.ecosystem, name);
                let requirement = index.full_requirement(path, &key, &declared.requirement);
                let locked = self.locked_version(path, &key, &requirement).filter(|_| local.is_empty());
                packages.dependencies.insert(ManifestPackage {
                    ecosystem: key.0,
                    name: key.1,
                    manifest: path.clone(),
                    line: declared.line,
                    requirement,
                    locked: locked.unwrap_or_default(),
                    local,
                });
            }
        }
        packages
    }

    /// Returns the version in the nearest lock file of the ecosystem in the folder of the manifest
    /// or above it.
    fn locked_version(
        &self,
        manifest: &str,
        (ecosystem, name): &PackageKey,
        requirement: &str,
    ) -> Option<String> {
        let folder = parent_folder(manifest);
        let locks = self
            .locks
            .iter()
            .filter(|(above, lock)| lock.ecosystem == *ecosystem && path_below(folder, above).is_some());
        let (above, lock) = locks.max_by_key(|(above, _)| above.len())?;
        lock.find_version(name, path_below(folder, above)?, requirement).map(str::to_owned)
    }
}

impl<'m> ManifestIndex<'m> {
    fn new(manifests: &'m [(String, ManifestNames)]) -> Self {
        let mut index = Self {
            defined: BTreeMap::new(),
            by_folder: BTreeMap::new(),
            requirements: BTreeMap::new(),
            local_folders: BTreeMap::new(),
            catalogs: BTreeMap::new(),
            workspaces: Vec::new(),
        };
        for (path, names) in manifests {
            let (ecosystem, folder) = (names.ecosystem, parent_folder(path));
            let key = |name: &str| (ecosystem, ecosystem.normalize_name(name));
            for (name, _) in &names.defined {
                index.defined.entry(key(name)).or_default().insert(path);
                index.by_folder.entry((ecosystem, folder)).or_insert(path);
            }
            for declared in &names.dependencies {
                if !declared.requirement.is_empty() && !names_catalog(&declared.requirement) {
                    index.requirements.entry((key(&declared.name), folder)).or_insert(&declared.requirement);
                }
                if let DependencyOrigin::Path(target) = &declared.origin {
                    index.local_folders.entry((key(&declared.name), folder)).or_insert(target);
                }
            }
            // The catalog of a build is in the folder `gradle` of its root.
            let root = folder.strip_suffix("gradle").map_or(folder, |root| root.trim_end_matches('/'));
            for entry in &names.aliases {
                if let Some(package) = &entry.package {
                    index.catalogs.entry((root, &entry.alias)).or_insert(package);
                }
            }
            if !names.members.is_empty() {
                index.workspaces.push((ecosystem, folder, &names.members));
            }
            // A build script may define no coordinates, but it is the manifest of its project.
            let is_script = matches!(file_name(path), "build.gradle" | "build.gradle.kts");
            if is_script {
                index.by_folder.entry((ecosystem, folder)).or_insert(path);
            }
        }
        index
    }

    /// Returns the dependencies that a manifest names by an alias of a version catalog.
    fn catalog_dependencies(
        &self,
        path: &'m str,
        names: &'m ManifestNames,
    ) -> impl Iterator<Item = DeclaredDependency> {
        names.aliases.iter().filter(|entry| entry.package.is_none()).filter_map(|entry| {
            let mut folders = folders_above(parent_folder(path));
            let (name, version) =
                folders.find_map(|folder| self.catalogs.get(&(folder, entry.alias.as_str())))?;
            Some(DeclaredDependency::from_registry(name, entry.line, version))
        })
    }

    /// Returns the manifest in the workspace that a dependency leads to, empty if it leads to the
    /// registry, and the normalized name of the package. Returns `None` if the dependency names a
    /// project of the build that has no manifest.
    fn local_manifest(
        &self,
        path: &str,
        ecosystem: PackageEcosystem,
        declared: &DeclaredDependency,
    ) -> Option<(String, String)> {
        let name = ecosystem.normalize_name(&declared.name);
        let in_folder = |folder: &str| self.by_folder.get(&(ecosystem, folder)).copied();
        let defining = || self.defined.get(&(ecosystem, name.clone())).into_iter().flatten().copied();
        let manifest_at = |target: &str| {
            let named = defining().find(|&manifest| manifest == target || parent_folder(manifest) == target);
            named.or_else(|| in_folder(target))
        };
        let local = match &declared.origin {
            DependencyOrigin::Path(target) => manifest_at(target),
            DependencyOrigin::Workspace => defining().find(|&manifest| manifest != path),
            DependencyOrigin::Project(below) => {
                let mut folders = folders_above(parent_folder(path));
                // A project of a build is never a package of the registry.
                Some(folders.find_map(|folder| in_folder(&join_path(folder, below)))?)
            }
            DependencyOrigin::Registry => {
                let key = (ecosystem, name.clone());
                let inherited = declared.requirement.is_empty() && ecosystem == PackageEcosystem::Cargo;
                let mut folders = folders_above(parent_folder(path)).filter(|_| inherited);
                match folders.find_map(|folder| self.local_folders.get(&(key.clone(), folder))) {
                    Some(target) => manifest_at(target),
                    None => defining().find(|&manifest| {
                        manifest != path && self.shares_workspace(ecosystem, path, manifest)
                    }),
                }
            }
        };
        Some((local.filter(|&local| local != path).unwrap_or_default().to_owned(), name))
    }

    /// Whether a package that the manifest `definer` defines replaces the package of the registry
    /// with the same name for the manifest `user`. Names of Maven and Composer begin with the name
    /// of their publisher, so the answer is always yes. For npm and Go, both manifests must be in
    /// one workspace.
    fn shares_workspace(&self, ecosystem: PackageEcosystem, user: &str, definer: &str) -> bool {
        match ecosystem {
            PackageEcosystem::Maven | PackageEcosystem::Composer => true,
            PackageEcosystem::Npm | PackageEcosystem::Go => {
                let of_ecosystem = self.workspaces.iter().filter(|workspace| workspace.0 == ecosystem);
                of_ecosystem.into_iter().any(|(_, root, patterns)| {
                    let is_member = |manifest: &str| is_member(root, patterns, parent_folder(manifest));
                    is_member(definer) && (is_member(user) || parent_folder(user) == *root)
                })
            }
            _ => false,
        }
    }

    /// Returns the requirement of a dependency: the declared one, or the inherited one from the
    /// nearest manifest that has it.
    fn full_requirement(&self, path: &str, key: &PackageKey, declared: &str) -> String {
        let inherits = match key.0 {
            PackageEcosystem::Cargo | PackageEcosystem::Maven | PackageEcosystem::Nuget => {
                declared.is_empty()
            }
            _ => names_catalog(declared),
        };
        let mut folders = folders_above(parent_folder(path)).filter(|_| inherits);
        let inherited = folders.find_map(|folder| self.requirements.get(&(key.clone(), folder)).copied());
        inherited.unwrap_or(declared).to_owned()
    }
}

/// Whether a requirement refers to the catalog of a pnpm workspace.
fn names_catalog(requirement: &str) -> bool {
    requirement.starts_with("catalog:")
}

/// Returns a folder and the folders above it, including the root.
fn folders_above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| parent_folder(folder)))
}

/// Whether a folder matches the patterns of a workspace at `root`. The last matching pattern
/// decides. Patterns that begin with `!` exclude.
fn is_member(root: &str, patterns: &[String], folder: &str) -> bool {
    let Some(below) = path_below(folder, root) else { return false };
    let below: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    let matches = |pattern: &str| {
        let parts: Vec<&str> = pattern.split('/').filter(|part| !["", "."].contains(part)).collect();
        matches_parts(&parts, &below)
    };
    patterns.iter().fold(false, |is_member, pattern| match pattern.strip_prefix('!') {
        Some(excluded) => is_member && !matches(excluded),
        None => is_member || matches(pattern),
    })
}

/// Whether a path matches a pattern: `*` matches any text in a part, `**` any parts.
fn matches_parts(pattern: &[&str], path: &[&str]) -> bool {
    // Whether the pattern so far matches the first `n` parts of the path, by `n`.
    let mut ends = vec![false; path.len() + 1];
    ends[0] = true;
    for part in pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            next[at] = match (*part, at.checked_sub(1)) {
                ("**", None) => ends[at],
                ("**", Some(before)) => ends[at] || next[before],
                (_, None) => false,
                (part, Some(before)) => ends[before] && matches_name_pattern(part, path[before]),
            };
        }
        ends = next;
    }
    ends[path.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_select_the_members_of_a_workspace() {
        let patterns = ["packages/*", "./apps/**", "!packages/old", "lib-*"].map(str::to_owned);
        let member = |folder| is_member("w", &patterns, folder);
        for folder in ["w/packages/a", "w/apps/a/b", "w/apps", "w/lib-x"] {
            assert!(member(folder), "{folder}");
        }
        for folder in ["w", "w/packages", "w/packages/a/b", "w/packages/old", "packages/a", "w/libx"] {
            assert!(!member(folder), "{folder}");
        }
    }
}
