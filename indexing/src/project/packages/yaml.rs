//! Reads the packages that manifests in YAML name: `pubspec.yaml` and `pnpm-workspace.yaml`.

use super::ManifestReader;
use super::declaration::{DeclaredDependency, DependencyOrigin, ManifestNames};
use super::positions::yaml_lines;
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::{join_relative, parent_folder};

/// Reads the package and the dependencies of a `pubspec.yaml`.
pub(super) fn read_pubspec(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pub);
    let text = source.manifest_text(path).unwrap_or_default();
    let (mut section, mut indent) = ("", 0);
    for line in yaml_lines(&text) {
        if line.indent == 0 {
            (section, indent) = (line.key, 0);
            if line.key == "name" {
                names.add_defined(line.value, line.line);
            }
            continue;
        }
        if !["dependencies", "dev_dependencies"].contains(&section) {
            continue;
        }
        if indent == 0 || line.indent == indent {
            indent = line.indent;
            names.add_dependency(line.key, line.line, line.value);
            continue;
        }
        let Some(last) = names.dependencies.last_mut() else { continue };
        match line.key {
            "path" => {
                if let Some(folder) = join_relative(parent_folder(path), line.value) {
                    last.origin = DependencyOrigin::Path(folder);
                }
            }
            "version" => *last = DeclaredDependency::from_registry(&last.name, last.line, line.value),
            // The package is part of the toolchain and not of the registry.
            "sdk" => _ = names.dependencies.pop(),
            _ => {}
        }
    }
    names
}

/// Reads the members and the catalogs of a `pnpm-workspace.yaml`.
pub(super) fn read_pnpm_workspace(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Npm);
    let text = source.manifest_text(path).unwrap_or_default();
    let mut section = "";
    for line in yaml_lines(&text) {
        let is_item = line.key == "-";
        if line.indent == 0 && !is_item {
            section = line.key;
        } else if section == "packages" && is_item {
            names.members.push(line.value.to_owned());
        } else if section.starts_with("catalog") && !is_item && !line.value.is_empty() {
            names.add_dependency(line.key, line.line, line.value);
        }
    }
    names
}
