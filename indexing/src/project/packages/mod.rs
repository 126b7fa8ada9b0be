//! The packages that manifests name: those of the workspace and their dependencies, with the
//! versions in the manifests and lock files.
//!
//! Each kind of manifest has one reader, which turns its text into `ManifestNames`. `linking` then
//! relates the manifests to each other. Ranking reads the names, resolution turns the dependencies
//! of a manifest into edges, and answers show the versions.

mod cargo_and_go;
mod declaration;
mod elixir;
mod gradle;
mod json;
mod linking;
mod lock_files;
mod maven_and_nuget;
mod positions;
mod python;
mod ruby;
mod yaml;

use super::ManifestReader;
use declaration::ManifestNames;
use kenning_graph::packages::WorkspacePackages;
use kenning_graph::paths::join_path;
use linking::PackageLinker;
use lock_files::LockKind;

/// Maximum number of names that are read from one manifest. A longer list is data.
const MAX_NAMES_PER_MANIFEST: usize = 2_000;

/// Folders that have manifests but no source files: requirement files, Gradle's own scripts and
/// catalogs.
const MANIFEST_FOLDERS: &[&str] = &["requirements", "gradle", ".github/requirements"];

/// Whether a file of this name is a manifest that names packages, or a lock file with their
/// versions.
pub(super) fn is_package_manifest(name: &str) -> bool {
    ManifestKind::from_file_name(name).is_some() || LockKind::from_file_name(name).is_some()
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
    Composer,
    Pub,
    Mix,
    GoWorkspace,
    PnpmWorkspace,
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
            "composer.json" => Self::Composer,
            "pubspec.yaml" => Self::Pub,
            "mix.exs" => Self::Mix,
            "go.work" => Self::GoWorkspace,
            "pnpm-workspace.yaml" => Self::PnpmWorkspace,
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
    let manifest_folders = MANIFEST_FOLDERS.iter().map(|&name| name.to_owned());
    let mut all: Vec<String> = folders.iter().cloned().chain(manifest_folders).collect();
    all.sort_unstable();
    all.dedup();
    let mut linker = PackageLinker::default();
    for folder in &all {
        let in_requirements = folder.rsplit('/').next() == Some("requirements");
        for name in source.folder_names(folder) {
            let path = join_path(folder, &name);
            let kind = ManifestKind::from_file_name(&name).or_else(|| {
                (in_requirements && matches!(name.rsplit_once('.'), Some((_, "txt" | "in"))))
                    .then_some(ManifestKind::Requirements)
            });
            if let Some(kind) = kind {
                let mut names = read_manifest(kind, &path, source);
                names.defined.truncate(MAX_NAMES_PER_MANIFEST);
                names.dependencies.truncate(MAX_NAMES_PER_MANIFEST);
                linker.add_manifest(path, names);
            } else if let Some(kind) = LockKind::from_file_name(&name)
                && let Ok(Some(text)) = (source.files.read)(&path)
            {
                linker.add_lock(folder, kind, &text);
            }
        }
    }
    linker.link_packages()
}

fn read_manifest(kind: ManifestKind, path: &str, source: &mut ManifestReader) -> ManifestNames {
    match kind {
        ManifestKind::Npm => json::read_npm(path, source),
        ManifestKind::Composer => json::read_composer(path, source),
        ManifestKind::Cargo => cargo_and_go::read_cargo(path, source),
        ManifestKind::Go => cargo_and_go::read_go_module(path, source),
        ManifestKind::GoWorkspace => cargo_and_go::read_go_workspace(path, source),
        ManifestKind::PyProject => python::read_pyproject(path, source),
        ManifestKind::Requirements => python::read_requirements(path, source),
        ManifestKind::SetupCfg => python::read_setup_cfg(path, source),
        ManifestKind::SetupPy => python::read_setup_py(path, source),
        ManifestKind::Maven => maven_and_nuget::read_maven(path, source),
        ManifestKind::Nuget => maven_and_nuget::read_nuget(path, source),
        ManifestKind::Gradle => gradle::read_gradle(path, source),
        ManifestKind::Gem => ruby::read_gems(path, source),
        ManifestKind::Pub => yaml::read_pubspec(path, source),
        ManifestKind::PnpmWorkspace => yaml::read_pnpm_workspace(path, source),
        ManifestKind::Mix => elixir::read_mix(path, source),
    }
}
