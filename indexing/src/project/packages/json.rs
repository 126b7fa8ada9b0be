//! Reads the packages that manifests in JSON name: `package.json` and `composer.json`.

use super::ManifestReader;
use super::declaration::{DeclaredDependency, DependencyOrigin, ManifestNames};
use super::positions::json_key_lines;
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::{join_relative, parent_folder};
use serde_json::Value;

/// Prefixes of requirements that name a folder.
const FOLDER_PREFIXES: [&str; 3] = ["file:", "link:", "portal:"];

/// Reads the package, the dependencies and the workspace members of a `package.json`.
pub(super) fn read_npm(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Npm);
    let sections = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let Some(manifest) = read_sections(path, &sections, &mut names, source) else { return names };
    for dependency in &mut names.dependencies {
        if let Some(folder) =
            FOLDER_PREFIXES.iter().find_map(|prefix| dependency.requirement.strip_prefix(prefix))
        {
            if let Some(folder) = join_relative(parent_folder(path), folder) {
                dependency.origin = DependencyOrigin::Path(folder);
            }
        } else if dependency.requirement.starts_with("workspace:") {
            dependency.origin = DependencyOrigin::Workspace;
        }
    }
    let workspaces = manifest.get("workspaces");
    let patterns =
        workspaces.and_then(|value| value.get("packages")).or(workspaces).and_then(Value::as_array);
    names.members.extend(patterns.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    names
}

/// Reads the package and the dependencies of a `composer.json`.
pub(super) fn read_composer(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Composer);
    _ = read_sections(path, &["require", "require-dev"], &mut names, source);
    // Names without a slash are the language and its extensions.
    names.dependencies.retain(|dependency| dependency.name.contains('/'));
    names
}

/// Reads the name and the dependencies in the objects `sections`. Returns the manifest.
fn read_sections(
    path: &str,
    sections: &[&str],
    names: &mut ManifestNames,
    source: &mut ManifestReader,
) -> Option<Value> {
    let text = source.manifest_text(path)?;
    let manifest = source.read_json(path)?;
    let lines = json_key_lines(&text);
    let line = |section: &str, key: &str| lines.get(&(section, key)).copied().unwrap_or(0);
    if let Some(name) = manifest.get("name").and_then(Value::as_str) {
        names.add_defined(name, line("", "name"));
    }
    for section in sections {
        let table = manifest.get(*section).and_then(Value::as_object);
        names.dependencies.extend(table.into_iter().flatten().map(|(name, requirement)| {
            let requirement = requirement.as_str().unwrap_or_default();
            DeclaredDependency::from_registry(name, line(section, name), requirement)
        }));
    }
    Some(manifest)
}
