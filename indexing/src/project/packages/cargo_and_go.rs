//! Reads the packages that `Cargo.toml`, `go.mod` and `go.work` name.

use super::super::{cargo, go};
use super::ManifestReader;
use super::declaration::{DeclaredDependency, DependencyOrigin, ManifestNames};
use super::positions::TomlPositions;
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::{join_relative, parent_folder};
use toml::Value;

/// Reads the package and all dependencies of a `Cargo.toml`, including `[workspace.dependencies]`.
pub(super) fn read_cargo(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Cargo);
    let Some(manifest) = source.read_toml(path) else { return names };
    let text = source.manifest_text(path).unwrap_or_default();
    let positions = TomlPositions::new(&text);
    if let Some(name) = manifest.get("package").and_then(|package| package.get("name")?.as_str()) {
        names.add_defined(name, positions.line_of_key(&["package", "name"]));
    }
    let mut sections = cargo::dependency_sections(&manifest);
    let shared = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies")?.as_table());
    sections.extend(shared.map(|table| (vec!["workspace", "dependencies"], table)));
    for (section, table) in sections {
        for (key, dependency) in table {
            let field = |name: &str| dependency.get(name).and_then(Value::as_str);
            let line = positions.line_of_key(&[&section[..], &[key]].concat());
            let requirement = dependency.as_str().or_else(|| field("version")).unwrap_or_default();
            let name = field("package").unwrap_or(key);
            let mut declared = DeclaredDependency::from_registry(name, line, requirement);
            if let Some(folder) = field("path").and_then(|folder| join_relative(parent_folder(path), folder))
            {
                declared.origin = DependencyOrigin::Path(folder);
            }
            names.dependencies.push(declared);
        }
    }
    names
}

/// Reads the module and the direct dependencies of a `go.mod`.
pub(super) fn read_go_module(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Go);
    let Some(text) = source.manifest_text(path) else { return names };
    if let Some((line, module)) = go::directive_lines(&text, "module").first() {
        names.add_defined(&go::unquote_text(module), *line);
    }
    let replaced: Vec<_> = go::directive_lines(&text, "replace")
        .into_iter()
        .filter_map(|(_, line)| go::parse_replacement(path, &line))
        .collect();
    let lines: Vec<&str> = text.lines().collect();
    for (line, requirement) in go::directive_lines(&text, "require") {
        // The workspace does not use indirect dependencies itself.
        if lines.get(line as usize).is_some_and(|line| line.contains("// indirect")) {
            continue;
        }
        let mut words = requirement.split_whitespace();
        let Some(name) = words.next().map(go::unquote_text) else { continue };
        let mut declared = DeclaredDependency::from_registry(&name, line, words.next().unwrap_or_default());
        if let Some(replacement) = replaced.iter().find(|replacement| replacement.path == name) {
            declared.origin = DependencyOrigin::Path(replacement.folder.clone());
        }
        names.dependencies.push(declared);
    }
    names
}

/// Reads the folders of a `go.work`, whose modules replace modules of the registry.
pub(super) fn read_go_workspace(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Go);
    let text = source.manifest_text(path).unwrap_or_default();
    names.members =
        go::directive_lines(&text, "use").iter().map(|(_, used)| go::unquote_text(used)).collect();
    names
}
