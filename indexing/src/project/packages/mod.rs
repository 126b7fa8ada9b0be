//! The packages that manifests name: those of the workspace and their dependencies. Ranking reads
//! them; resolution does not.

mod gradle;
mod maven_and_nuget;
mod python;
mod ruby;

use super::{ManifestReader, go};
use kenning_graph::packages::{ManifestPackage, PackageEcosystem, WorkspacePackages};
use kenning_graph::paths::join_path;
use toml::Value;

/// Maximum number of names that are read from one manifest. A longer list is data.
const MAX_NAMES_PER_MANIFEST: usize = 2_000;

/// Folders that have manifests but no source files: requirement files, Gradle's own scripts and
/// catalogs.
const MANIFEST_FOLDERS: &[&str] = &["requirements", "gradle", ".github/requirements"];

/// Whether a file of this name is a manifest that names packages.
pub(super) fn is_package_manifest(name: &str) -> bool {
    ManifestKind::from_file_name(name).is_some()
}

/// The kind of a manifest, which determines its parser.
#[derive(Clone, Copy)]
enum ManifestKind {
    Npm,
    PyProject,
    Requirements,
    SetupCfg,
    SetupPy,
    Cargo,
    Go,
    Maven,
    Gradle,
    Nuget,
    Gem,
}

impl ManifestKind {
    fn from_file_name(name: &str) -> Option<Self> {
        Some(match name {
            "package.json" => Self::Npm,
            "pyproject.toml" => Self::PyProject,
            "setup.cfg" => Self::SetupCfg,
            "setup.py" => Self::SetupPy,
            "Cargo.toml" => Self::Cargo,
            "go.mod" => Self::Go,
            "pom.xml" => Self::Maven,
            "Gemfile" => Self::Gem,
            "gradle.properties" => Self::Gradle,
            "Directory.Packages.props" | "Directory.Build.props" => Self::Nuget,
            _ => {
                let (stem, extension) = name.rsplit_once('.')?;
                match extension {
                    "gradle" | "kts" => Self::Gradle,
                    "toml" if stem.ends_with(".versions") => Self::Gradle,
                    "csproj" => Self::Nuget,
                    "gemspec" => Self::Gem,
                    "txt" | "in" if stem.contains("requirements") => Self::Requirements,
                    _ => return None,
                }
            }
        })
    }
}

/// Returns the packages of the manifests in `folders`. A manifest that cannot be read names none.
pub(super) fn workspace_packages(folders: &[String], source: &mut ManifestReader) -> WorkspacePackages {
    let mut packages = WorkspacePackages::default();
    let manifest_folders = MANIFEST_FOLDERS.iter().map(|&name| name.to_owned());
    let mut all: Vec<String> = folders.iter().cloned().chain(manifest_folders).collect();
    all.sort_unstable();
    all.dedup();
    for folder in &all {
        let in_requirements = folder.rsplit('/').next() == Some("requirements");
        for name in source.folder_names(folder) {
            let kind = ManifestKind::from_file_name(&name).or_else(|| {
                (in_requirements && matches!(name.rsplit_once('.'), Some((_, "txt" | "in"))))
                    .then_some(ManifestKind::Requirements)
            });
            if let Some(kind) = kind {
                let path = join_path(folder, &name);
                let names = read_manifest(kind, &path, source);
                add_packages(&mut packages.defined, &names.defined, names.ecosystem, &path);
                add_packages(&mut packages.dependencies, &names.dependencies, names.ecosystem, &path);
            }
        }
    }
    packages
}

fn add_packages(
    packages: &mut std::collections::BTreeSet<ManifestPackage>,
    names: &[String],
    ecosystem: PackageEcosystem,
    manifest: &str,
) {
    for name in names.iter().take(MAX_NAMES_PER_MANIFEST).filter(|name| !name.trim().is_empty()) {
        packages.insert(ManifestPackage {
            ecosystem,
            name: ecosystem.normalize_name(name),
            manifest: manifest.to_owned(),
        });
    }
}

/// The package names in one manifest.
struct ManifestNames {
    ecosystem: PackageEcosystem,
    /// The packages that the manifest defines.
    defined: Vec<String>,
    /// The packages that the manifest depends on.
    dependencies: Vec<String>,
}

impl ManifestNames {
    fn new(ecosystem: PackageEcosystem) -> Self {
        Self { ecosystem, defined: Vec::new(), dependencies: Vec::new() }
    }
}

fn read_manifest(kind: ManifestKind, path: &str, source: &mut ManifestReader) -> ManifestNames {
    match kind {
        ManifestKind::Npm => read_npm(path, source),
        ManifestKind::Cargo => read_cargo(path, source),
        ManifestKind::Go => read_go_module(path, source),
        ManifestKind::PyProject => python::read_pyproject(path, source),
        ManifestKind::Requirements => python::read_requirements(path, source),
        ManifestKind::SetupCfg => python::read_setup_cfg(path, source),
        ManifestKind::SetupPy => python::read_setup_py(path, source),
        ManifestKind::Maven => maven_and_nuget::read_maven(path, source),
        ManifestKind::Nuget => maven_and_nuget::read_nuget(path, source),
        ManifestKind::Gradle => gradle::read_gradle(path, source),
        ManifestKind::Gem => ruby::read_gems(path, source),
    }
}

fn read_npm(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Npm);
    let Some(manifest) = source.read_json(path) else { return names };
    names.defined.extend(manifest.get("name").and_then(serde_json::Value::as_str).map(str::to_owned));
    for section in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        let table = manifest.get(section).and_then(serde_json::Value::as_object);
        names.dependencies.extend(table.into_iter().flat_map(serde_json::Map::keys).cloned());
    }
    names
}

fn read_cargo(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Cargo);
    let Some(manifest) = source.read_toml(path) else { return names };
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    names.defined.extend(name.map(str::to_owned));
    let workspace = manifest.get("workspace").and_then(Value::as_table);
    let tables = super::cargo::dependency_tables(&manifest).into_iter();
    let tables =
        tables.chain(workspace.and_then(|table| table.get("dependencies")).and_then(Value::as_table));
    for (name, dependency) in tables.flatten() {
        let renamed = dependency.get("package").and_then(Value::as_str);
        names.dependencies.push(renamed.unwrap_or(name).to_owned());
    }
    names
}

fn read_go_module(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Go);
    let Some(text) = source.manifest_text(path) else { return names };
    // The workspace does not use indirect dependencies itself.
    let direct: Vec<&str> = text.lines().filter(|line| !line.contains("// indirect")).collect();
    let direct = direct.join("\n");
    names
        .defined
        .extend(go::directive_arguments(&direct, "module").first().map(|line| go::unquote_text(line)));
    for line in go::directive_arguments(&direct, "require") {
        names.dependencies.extend(line.split_whitespace().next().map(go::unquote_text));
    }
    names
}
