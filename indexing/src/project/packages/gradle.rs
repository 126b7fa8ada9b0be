//! Gradle: build scripts in Groovy and Kotlin, version catalogs, `gradle.properties`. Scripts are
//! programs. They do not run; the reader sees only their string literals.

use super::python::quoted_texts;
use super::{ManifestNames, ManifestReader};
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::folder_of;

/// Reads the coordinates of the project and of its dependencies.
pub(super) fn read_gradle(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Maven);
    let Some(text) = source.manifest_text(path) else { return names };
    if path.ends_with(".properties") {
        let group = text.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "group").then(|| value.trim().to_owned())
        });
        names.defined.extend(group.map(|group| own_coordinates(&group, path)));
        return names;
    }
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if let Some(value) = assigned_value(line, "group") {
            names.defined.extend(
                quoted_texts(value)
                    .next()
                    .filter(|group| !group.contains('$'))
                    .map(|group| own_coordinates(group, path)),
            );
        }
        names.dependencies.extend(quoted_texts(line).filter_map(parse_coordinates));
        // A catalog may name group and artifact separately: `{ group = "a.b", name = "c" }`.
        if let (Some(group), Some(name)) =
            (value_assigned_in_line(line, "group"), value_assigned_in_line(line, "name"))
        {
            names.dependencies.push(format!("{group}:{name}"));
        }
    }
    names
}

/// Returns the coordinates of a project. Its name is that of its folder unless its settings set
/// another.
fn own_coordinates(group: &str, path: &str) -> String {
    format!("{group}:{}", folder_of(path).rsplit('/').next().unwrap_or_default())
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

/// Returns the part `group:artifact` of `group:artifact:version`.
fn parse_coordinates(text: &str) -> Option<String> {
    let mut parts = text.split(':');
    let (group, artifact) = (parts.next()?, parts.next()?);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    (is_name(group) && is_name(artifact)).then(|| format!("{group}:{artifact}"))
}
