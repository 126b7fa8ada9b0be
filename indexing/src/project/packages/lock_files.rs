//! Reads the versions in lock files.
//!
//! The input is the text of a lock file, which lists every package of a build. The output is
//! [`LockedVersions`], which returns the version of a package that a manifest names. Each format
//! has a reader, which accepts any text: a malformed text only gives fewer versions.

use super::super::node::strip_json_comments;
use super::positions::yaml_lines;
use kenning_graph::packages::PackageEcosystem;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a lock file, which determines its parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockKind {
    Npm,
    Pnpm,
    Yarn,
    Bun,
    Cargo,
    Python,
    Gem,
    Composer,
    Nuget,
    Pub,
    Mix,
    Gradle,
}

impl LockKind {
    /// Returns the kind of the lock file with this name; `None` if no lock file has this name.
    pub fn from_file_name(name: &str) -> Option<Self> {
        Some(match name {
            "package-lock.json" | "npm-shrinkwrap.json" => Self::Npm,
            "pnpm-lock.yaml" => Self::Pnpm,
            "yarn.lock" => Self::Yarn,
            "bun.lock" => Self::Bun,
            "Cargo.lock" => Self::Cargo,
            "poetry.lock" | "uv.lock" | "pdm.lock" => Self::Python,
            "Gemfile.lock" => Self::Gem,
            "composer.lock" => Self::Composer,
            "packages.lock.json" => Self::Nuget,
            "pubspec.lock" => Self::Pub,
            "mix.lock" => Self::Mix,
            "gradle.lockfile" => Self::Gradle,
            _ => return None,
        })
    }

    const fn ecosystem(self) -> PackageEcosystem {
        match self {
            Self::Npm | Self::Pnpm | Self::Yarn | Self::Bun => PackageEcosystem::Npm,
            Self::Cargo => PackageEcosystem::Cargo,
            Self::Python => PackageEcosystem::Pypi,
            Self::Gem => PackageEcosystem::Gem,
            Self::Composer => PackageEcosystem::Composer,
            Self::Nuget => PackageEcosystem::Nuget,
            Self::Pub => PackageEcosystem::Pub,
            Self::Mix => PackageEcosystem::Hex,
            Self::Gradle => PackageEcosystem::Maven,
        }
    }
}

/// The versions in one lock file.
pub(super) struct LockedVersions {
    pub ecosystem: PackageEcosystem,
    /// The versions by the normalized name of the package.
    versions: BTreeMap<String, Vec<LockedVersion>>,
}

/// A version of a package.
struct LockedVersion {
    version: String,
    scope: LockScope,
}

/// The dependencies for which a version was chosen.
#[derive(PartialEq, Eq)]
enum LockScope {
    /// All dependencies.
    Any,
    /// The dependencies of the manifests in this folder, relative to the lock file.
    Folder(String),
    /// The dependencies with this requirement.
    Requirement(String),
}

impl LockedVersions {
    /// Reads a lock file.
    pub fn read_lock(kind: LockKind, text: &str) -> Self {
        let mut lock = Self { ecosystem: kind.ecosystem(), versions: BTreeMap::new() };
        match kind {
            LockKind::Npm => lock.read_npm(text),
            LockKind::Pnpm => lock.read_pnpm(text),
            LockKind::Yarn => lock.read_yarn(text),
            LockKind::Bun => lock.read_bun(text),
            LockKind::Cargo | LockKind::Python => lock.read_package_tables(text),
            LockKind::Composer => lock.read_composer(text),
            LockKind::Nuget => lock.read_nuget(text),
            LockKind::Pub => lock.read_pub(text),
            LockKind::Gem => {
                for line in text.lines().filter_map(|line| line.strip_prefix("    ")) {
                    if let Some((name, rest)) = line.split_once(" (").filter(|_| !line.starts_with(' ')) {
                        lock.add_version(name, rest.trim_end_matches(')'), LockScope::Any);
                    }
                }
            }
            LockKind::Mix => {
                for line in text.lines() {
                    // `"plug": {:hex, :plug, "1.16.1", ...`
                    let mut texts = super::python::quoted_texts(line);
                    if let (Some(name), Some(version), true) =
                        (texts.next(), texts.next(), line.contains("{:hex"))
                    {
                        lock.add_version(name, version, LockScope::Any);
                    }
                }
            }
            LockKind::Gradle => {
                for line in text.lines().filter(|line| !line.starts_with('#')) {
                    // `group:artifact:version=configurations`
                    let coordinates = line.split('=').next().unwrap_or_default();
                    if let Some((name, version)) = coordinates.rsplit_once(':') {
                        lock.add_version(name, version, LockScope::Any);
                    }
                }
            }
        }
        lock
    }

    /// Returns the version of a package that the manifest in this folder, relative to the lock
    /// file, uses. Returns `None` if several versions are possible.
    pub fn find_version(&self, name: &str, folder: &str, requirement: &str) -> Option<&str> {
        let versions = self.versions.get(name)?;
        let first = |matches: &dyn Fn(&LockScope) -> bool| {
            versions.iter().find(|locked| matches(&locked.scope)).map(|locked| locked.version.as_str())
        };
        let of_folder =
            |wanted: &str| first(&|scope| matches!(scope, LockScope::Folder(known) if known == wanted));
        let of_requirement =
            first(&|scope| matches!(scope, LockScope::Requirement(known) if known == requirement));
        of_folder(folder)
            .or(of_requirement)
            .or_else(|| of_folder("").filter(|_| self.applies_root_versions()))
            .or_else(|| {
                let any = versions.iter().filter(|locked| locked.scope == LockScope::Any);
                let all: BTreeSet<&str> = any.map(|locked| locked.version.as_str()).collect();
                let matching = || all.iter().filter(|version| begins_with_requirement(version, requirement));
                match (all.len(), matching().count()) {
                    (1, _) => all.first().copied(),
                    (_, 1) => matching().next().copied(),
                    _ => None,
                }
            })
    }

    /// Whether the versions at the root of the lock file also apply to the folders below.
    fn applies_root_versions(&self) -> bool {
        self.ecosystem == PackageEcosystem::Npm
    }

    fn add_version(&mut self, name: &str, version: &str, scope: LockScope) {
        let name = self.ecosystem.normalize_name(name);
        // pnpm appends the versions of peers: `18.2.0(react@18.2.0)`.
        let version = version.split('(').next().unwrap_or(version).trim();
        if !version.is_empty() && version.starts_with(|c: char| c.is_ascii_digit() || c == 'v') {
            self.versions.entry(name).or_default().push(LockedVersion { version: version.to_owned(), scope });
        }
    }

    fn read_npm(&mut self, text: &str) {
        let Ok(lock) = serde_json::from_str::<NpmLock>(text) else { return };
        for (path, package) in lock.packages {
            let Some((folder, name)) = path.split_once("node_modules/") else { continue };
            // Deeper packages are dependencies of dependencies.
            if !name.contains("node_modules/") {
                let folder = folder.trim_end_matches('/').to_owned();
                self.add_version(name, &package.version, LockScope::Folder(folder));
            }
        }
        for (name, package) in lock.dependencies {
            self.add_version(&name, &package.version, LockScope::Folder(String::new()));
        }
    }

    /// Reads `importers: <folder>: dependencies: <name>: version: 1.2.3`. In older files without
    /// `importers`, the root is the only one, and the version follows the name.
    fn read_pnpm(&mut self, text: &str) {
        let mut path: Vec<(usize, &str)> = Vec::new();
        for line in yaml_lines(text) {
            if line.indent == 0 && matches!(line.key, "packages" | "snapshots") {
                break;
            }
            while path.last().is_some_and(|(indent, _)| *indent >= line.indent) {
                path.pop();
            }
            path.push((line.indent, line.key));
            let keys: Vec<&str> = path.iter().map(|(_, key)| *key).collect();
            let (folder, name) = match keys[..] {
                ["importers", folder, _, name, "version"] => (folder, name),
                ["importers", folder, section, name] if section.ends_with("ependencies") => (folder, name),
                [section, name, "version"] | [section, name] if section.ends_with("ependencies") => {
                    ("", name)
                }
                _ => continue,
            };
            let folder = folder.trim_start_matches('.').trim_start_matches('/').to_owned();
            self.add_version(name, line.value, LockScope::Folder(folder));
        }
    }

    /// Reads `"react@^18.2.0", react@^18:` and the following line `version "18.2.0"`.
    fn read_yarn(&mut self, text: &str) {
        let mut headings: Vec<(&str, &str)> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if !line.starts_with(' ') {
                headings.clear();
                let parts = line.trim_end_matches(':').split([',', '"']).map(str::trim);
                headings.extend(parts.filter_map(|part| {
                    // The name of a scoped package begins with `@`.
                    let at = part.char_indices().skip(1).find(|(_, c)| *c == '@')?.0;
                    Some((&part[..at], part[at + 1..].trim_start_matches("npm:")))
                }));
            } else if let Some(version) = line.trim().strip_prefix("version") {
                let version = version.trim_start_matches([':', ' ']).trim_matches('"');
                for (name, requirement) in headings.drain(..) {
                    self.add_version(name, version, LockScope::Requirement(requirement.to_owned()));
                }
            }
        }
    }

    /// Reads `"packages": {"react": ["react@18.2.0", ..]}`. The key of a version that only one
    /// package uses begins with the name of that package, which can be a package of the workspace:
    /// `"web/react"`.
    fn read_bun(&mut self, text: &str) {
        let Ok(lock) = serde_json::from_str::<BunLock>(&strip_json_comments(text)) else { return };
        let folders: BTreeMap<&str, &str> = lock
            .workspaces
            .iter()
            .map(|(folder, package)| (package.name.as_str(), folder.as_str()))
            .collect();
        for (key, fields) in &lock.packages {
            let resolved = fields.first().and_then(serde_json::Value::as_str).unwrap_or_default();
            // The name of a scoped package begins with `@`.
            let Some((name, version)) = resolved.rsplit_once('@').filter(|(name, _)| !name.is_empty()) else {
                continue;
            };
            let folder = match key.strip_suffix(name) {
                Some("") => Some(""),
                Some(user) => folders.get(user.trim_end_matches('/')).copied(),
                // An alias: `"old": ["react@17.0.0", ..]`.
                None => None,
            };
            if let Some(folder) = folder {
                self.add_version(name, version, LockScope::Folder(folder.to_owned()));
            }
        }
    }

    /// Reads the tables `[[package]]` of Cargo, Poetry, uv and PDM.
    fn read_package_tables(&mut self, text: &str) {
        let (mut name, mut in_package) = ("", false);
        for line in text.lines() {
            if line.starts_with('[') {
                (name, in_package) = ("", line.trim() == "[[package]]");
            }
            let Some((key, value)) = line.split_once(" = ").filter(|_| in_package) else { continue };
            match key {
                "name" => name = value.trim().trim_matches('"'),
                "version" if !name.is_empty() => {
                    self.add_version(name, value.trim().trim_matches('"'), LockScope::Any);
                }
                _ => {}
            }
        }
    }

    fn read_composer(&mut self, text: &str) {
        let Ok(lock) = serde_json::from_str::<ComposerLock>(text) else { return };
        for package in lock.packages.into_iter().chain(lock.dev_packages) {
            self.add_version(&package.name, &package.version, LockScope::Any);
        }
    }

    fn read_nuget(&mut self, text: &str) {
        let Ok(lock) = serde_json::from_str::<NugetLock>(text) else { return };
        for (name, package) in lock.dependencies.into_values().flatten() {
            self.add_version(&name, &package.resolved, LockScope::Any);
        }
    }

    fn read_pub(&mut self, text: &str) {
        let mut name = "";
        for line in yaml_lines(text) {
            match (line.indent, line.key) {
                (2, key) => name = key,
                (4, "version") => self.add_version(name, line.value, LockScope::Any),
                _ => {}
            }
        }
    }
}

/// Whether a version has the numbers of a requirement at its beginning: `1.4.2` for `^1.4`.
fn begins_with_requirement(version: &str, requirement: &str) -> bool {
    let wanted = requirement.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = wanted.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(wanted.len());
    let wanted: Vec<&str> = wanted[..end].split('.').filter(|part| !part.is_empty()).collect();
    let has: Vec<&str> = version.split('.').collect();
    // Before 1.0, the second number also separates incompatible versions.
    let compared = if wanted.first() == Some(&"0") { 2 } else { 1 }.min(wanted.len());
    !wanted.is_empty() && has.get(..compared) == wanted.get(..compared)
}

#[derive(Deserialize)]
struct NpmLock {
    #[serde(default)]
    packages: BTreeMap<String, NpmPackage>,
    #[serde(default)]
    dependencies: BTreeMap<String, NpmPackage>,
}

#[derive(Deserialize)]
struct NpmPackage {
    #[serde(default)]
    version: String,
}

#[derive(Deserialize)]
struct BunLock {
    #[serde(default)]
    workspaces: BTreeMap<String, BunWorkspace>,
    #[serde(default)]
    packages: BTreeMap<String, Vec<serde_json::Value>>,
}

#[derive(Deserialize)]
struct BunWorkspace {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct ComposerLock {
    #[serde(default)]
    packages: Vec<ComposerPackage>,
    #[serde(default, rename = "packages-dev")]
    dev_packages: Vec<ComposerPackage>,
}

#[derive(Deserialize)]
struct ComposerPackage {
    #[serde(default)]
    name: String,
    #[serde(default)]
    version: String,
}

#[derive(Deserialize)]
struct NugetLock {
    #[serde(default)]
    dependencies: BTreeMap<String, BTreeMap<String, NugetPackage>>,
}

#[derive(Deserialize)]
struct NugetPackage {
    #[serde(default)]
    resolved: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_lock_file_names_versions() {
        let npm = "{\"packages\": {\"\": {\"version\": \"9\"}, \"node_modules/react\": {\"version\": \"18.3.1\"}, \
            \"node_modules/x/node_modules/react\": {\"version\": \"17.0.0\"}, \
            \"web/node_modules/react\": {\"version\": \"16.1.0\"}, \"node_modules/w\": {\"link\": true}}}";
        let pnpm = "importers:\n\n  .:\n    dependencies:\n      react:\n        specifier: ^18\n        \
            version: 18.3.1(a@1)\n  web:\n    devDependencies:\n      react:\n        version: 17.0.2\npackages:\n";
        let yarn = "# yarn\n\n\"react@^18\", react@^18.2.0:\n  version \"18.3.1\"\n\n\"@a/b@npm:^1\":\n  version: 1.2.3\n";
        let bun = "{\"workspaces\": {\"\": {\"name\": \"root\"}, \"apps/web\": {\"name\": \"web\"}}, \"packages\": {\n\
            \"react\": [\"react@18.3.1\", \"\", {}, \"\"],\n\"web/react\": [\"react@17.0.2\"], // comment\n\
            \"@a/b\": [\"@a/b@1.2.3\"], \"x/react\": [\"react@16.0.0\"], \"w\": [\"w@workspace:apps/w\"],\n}}";
        let cargo = "[[package]]\nname = \"syn\"\nversion = \"1.0.9\"\n\n[[package]]\nname = \"syn\"\nversion = \"2.0.1\"\n";
        let composer = "{\"packages\": [{\"name\": \"a/b\", \"version\": \"v1.2\"}], \"packages-dev\": []}";
        let nuget = "{\"dependencies\": {\"net8.0\": {\"Serilog\": {\"resolved\": \"3.1.1\"}}}}";
        let gem = "GEM\n  specs:\n    rails (7.0.4)\n      actionpack (= 7.0.4)\n";
        let python =
            "[[package]]\nname = \"Flask\"\nversion = \"3.0.0\"\n[package.extras]\nversion = \"1\"\n";
        for (kind, text, name, folder, requirement, expected) in [
            (LockKind::Npm, npm, "react", "", "^18", Some("18.3.1")),
            (LockKind::Npm, npm, "react", "web", "^16", Some("16.1.0")),
            (LockKind::Npm, npm, "react", "other", "^18", Some("18.3.1")),
            (LockKind::Npm, npm, "w", "", "*", None),
            (LockKind::Pnpm, pnpm, "react", "", "^18", Some("18.3.1")),
            (LockKind::Pnpm, pnpm, "react", "web", "", Some("17.0.2")),
            (LockKind::Yarn, yarn, "react", "a", "^18.2.0", Some("18.3.1")),
            (LockKind::Yarn, yarn, "@a/b", "", "^1", Some("1.2.3")),
            (LockKind::Yarn, yarn, "react", "", "^19", None),
            (LockKind::Bun, bun, "react", "", "^18", Some("18.3.1")),
            (LockKind::Bun, bun, "react", "apps/web", "^17", Some("17.0.2")),
            (LockKind::Bun, bun, "react", "apps/other", "^18", Some("18.3.1")),
            (LockKind::Bun, bun, "@a/b", "", "^1", Some("1.2.3")),
            (LockKind::Bun, bun, "w", "", "*", None),
            (LockKind::Cargo, cargo, "syn", "", "2", Some("2.0.1")),
            (LockKind::Cargo, cargo, "syn", "", "", None),
            (LockKind::Python, python, "flask", "", "", Some("3.0.0")),
            (LockKind::Composer, composer, "a/b", "", "^1", Some("v1.2")),
            (LockKind::Nuget, nuget, "serilog", "", "", Some("3.1.1")),
            (LockKind::Gem, gem, "rails", "", "", Some("7.0.4")),
            (LockKind::Gem, gem, "actionpack", "", "", None),
            (LockKind::Pub, "packages:\n  http:\n    version: \"1.2.0\"\n", "http", "", "", Some("1.2.0")),
            (LockKind::Mix, "  \"plug\": {:hex, :plug, \"1.16.1\", \"\"},\n", "plug", "", "", Some("1.16.1")),
            (LockKind::Gradle, "# a\na.b:c:1.0=x,y\n", "a.b:c", "", "", Some("1.0")),
        ] {
            let lock = LockedVersions::read_lock(kind, text);
            assert_eq!(
                lock.find_version(name, folder, requirement),
                expected,
                "{kind:?} {name} {requirement}"
            );
        }
    }

    #[test]
    fn malformed_lock_files_name_nothing() {
        for kind in [
            "package-lock.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock",
            "Cargo.lock",
            "Gemfile.lock",
            "mix.lock",
        ] {
            let kind = LockKind::from_file_name(kind).expect("a lock file");
            for text in ["", "{", "@", "\"", " version", "[[package]]", "    é (", "importers:\n  é:\n  -"]
            {
                assert!(LockedVersions::read_lock(kind, text).versions.is_empty(), "{kind:?} {text}");
            }
        }
    }
}
