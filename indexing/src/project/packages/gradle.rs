//! Reads the packages that Gradle's files name: build scripts in Groovy and Kotlin, version
//! catalogs and `gradle.properties`. Scripts are programs, which Kenning does not run: it reads
//! only their string literals.

use super::ManifestReader;
use super::declaration::{CatalogAlias, DeclaredDependency, DependencyOrigin, ManifestNames};
use super::python::quoted_texts;
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::parent_folder;
use std::collections::BTreeMap;
use std::path::Path;

/// Parts of a version catalog that are not packages.
const CATALOG_PARTS: [&str; 3] = ["versions.", "plugins.", "bundles."];

/// Reads the coordinates of the project and of its dependencies.
pub(super) fn read_gradle(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Maven);
    let Some(text) = source.manifest_text(path) else { return names };
    if path.ends_with(".properties") {
        for (line, number) in text.lines().zip(0..) {
            if let Some((_, group)) = line.split_once('=').filter(|(key, _)| key.trim() == "group") {
                names.add_defined(&own_coordinates(group.trim(), path), number);
                break;
            }
        }
        return names;
    }
    let is_catalog = Path::new(path).extension().is_some_and(|extension| extension == "toml");
    let versions = catalog_versions(&text);
    for (line, number) in text.lines().map(str::trim).zip(0..).filter(|(line, _)| !line.starts_with("//")) {
        if let Some(value) = assigned_value(line, "group")
            && let Some(group) = quoted_texts(value).next().filter(|group| !group.contains('$'))
        {
            names.add_defined(&own_coordinates(group, path), number);
        }
        let version = catalog_version(line, &versions);
        let first = names.dependencies.len();
        names
            .dependencies
            .extend(quoted_texts(line).filter_map(|text| parse_coordinates(text, number, version)));
        // A catalog may name group and artifact separately: `{ group = "a.b", name = "c" }`.
        if let (Some(group), Some(name)) =
            (value_assigned_in_line(line, "group"), value_assigned_in_line(line, "name"))
        {
            names.add_dependency(&format!("{group}:{name}"), number, version);
        }
        if !is_catalog {
            let uses = catalog_uses(line);
            names.aliases.extend(uses.map(|alias| CatalogAlias { alias, line: number, package: None }));
        } else if let (Some(declared), Some((alias, _))) =
            (names.dependencies.get(first), line.split_once('='))
        {
            let package = Some((declared.name.clone(), declared.requirement.clone()));
            let alias = alias.trim().trim_matches('"').replace(['-', '_'], ".");
            names.aliases.push(CatalogAlias { alias, line: number, package });
        }
        names.dependencies.extend(project_dependency(line, number));
    }
    names
}

/// Returns the coordinates of a project. The artifact has the name of the folder, which is Gradle's
/// default.
fn own_coordinates(group: &str, path: &str) -> String {
    format!("{group}:{}", parent_folder(path).rsplit('/').next().unwrap_or_default())
}

/// Returns the versions that a catalog names, by their key.
fn catalog_versions(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().map(str::trim).skip_while(|line| *line != "[versions]").skip(1);
    let entries = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once('='));
    entries.filter_map(|(key, value)| Some((key.trim(), quoted_texts(value).next()?))).collect()
}

/// Returns the version in an entry of a catalog: `version = "5"` or `version.ref = "junit"`. Empty
/// if there is none.
fn catalog_version<'a>(line: &'a str, versions: &BTreeMap<&str, &'a str>) -> &'a str {
    let Some((_, rest)) = line.split_once("version") else { return "" };
    let value = |rest: &'a str| quoted_texts(rest.trim_start().strip_prefix('=')?).next();
    match rest.trim_start().strip_prefix(".ref") {
        Some(reference) => value(reference).and_then(|key| versions.get(key).copied()).unwrap_or_default(),
        None => value(rest).unwrap_or_default(),
    }
}

/// Returns the aliases of the version catalog `libs` that a line of a build script uses.
fn catalog_uses(line: &str) -> impl Iterator<Item = String> {
    line.match_indices("libs.").filter_map(|(at, prefix)| {
        let starts_word = !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._".contains(c));
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "._".contains(c))).unwrap_or(rest.len());
        let alias = rest[..end].trim_end_matches(".get");
        let is_package = !alias.is_empty() && !CATALOG_PARTS.iter().any(|part| alias.starts_with(part));
        (starts_word && is_package).then(|| alias.to_owned())
    })
}

/// Returns the dependency on another project of the build: `project(":core:api")` is in the folder
/// `core/api` of the build, whose root is the nearest folder that has it.
fn project_dependency(line: &str, number: u32) -> Option<DeclaredDependency> {
    // `project(":core") { ... }` alone configures another project.
    let (_, rest) = line.split_once("project(").filter(|(before, _)| before.ends_with([' ', '(']))?;
    let name = quoted_texts(rest).next()?.strip_prefix(':')?.replace(':', "/");
    let origin = DependencyOrigin::Project(name.clone());
    Some(DeclaredDependency { origin, ..DeclaredDependency::from_registry(&name, number, "") })
}

/// Returns the value of `key = value` or `key value` at the start of a line.
fn assigned_value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?;
    rest.starts_with([' ', '=', '\t']).then_some(rest)
}

/// Returns the text that is assigned to a key anywhere in a line.
fn value_assigned_in_line<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(key)?;
    let value = rest.trim_start().strip_prefix('=').or_else(|| rest.trim_start().strip_prefix(':'))?;
    quoted_texts(value).next().filter(|text| !text.contains(':'))
}

/// Reads `group:artifact:version`. If the version is missing, it is `version`.
fn parse_coordinates(text: &str, line: u32, version: &str) -> Option<DeclaredDependency> {
    let mut parts = text.split(':');
    let (group, artifact) = (parts.next()?, parts.next()?);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    let version = parts.next().unwrap_or(version);
    (is_name(group) && is_name(artifact))
        .then(|| DeclaredDependency::from_registry(&format!("{group}:{artifact}"), line, version))
}
