//! Python: `pyproject.toml`, requirement files, `setup.cfg`, `setup.py`.

use super::{ManifestNames, ManifestReader};
use kenning_graph::packages::PackageEcosystem;
use toml::{Table, Value};

/// Returns the name at the start of a requirement, without extras, versions and markers:
/// `Flask` for `Flask[async] >= 2`.
fn requirement_name(line: &str) -> Option<String> {
    let line = line.split('#').next().unwrap_or("").trim();
    let end = line.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    // A path or a URL is not a name.
    let is_name = name.starts_with(char::is_alphanumeric) && !rest.starts_with(['/', ':', '\\']);
    is_name.then(|| name.to_owned())
}

fn string_values(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn nested_table<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Table> {
    path.iter().try_fold(table, |table, key| table.get(*key)?.as_table())
}

pub(super) fn read_pyproject(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pypi);
    let Some(manifest) = source.read_toml(path) else { return names };
    let projects = [nested_table(&manifest, &["project"]), nested_table(&manifest, &["tool", "poetry"])];
    for project in projects.into_iter().flatten() {
        names.defined.extend(project.get("name").and_then(Value::as_str).map(str::to_owned));
        names.dependencies.extend(string_values(project.get("dependencies")).filter_map(requirement_name));
        let optional = project.get("optional-dependencies").and_then(Value::as_table);
        for group in optional.into_iter().flat_map(Table::values) {
            names.dependencies.extend(string_values(Some(group)).filter_map(requirement_name));
        }
        // Poetry's tables have names as keys.
        for section in ["dependencies", "dev-dependencies"] {
            let keys = project.get(section).and_then(Value::as_table).into_iter().flat_map(Table::keys);
            names.dependencies.extend(keys.cloned());
        }
        let groups = project.get("group").and_then(Value::as_table).into_iter().flat_map(Table::values);
        for group in groups.filter_map(|group| group.get("dependencies")?.as_table()) {
            names.dependencies.extend(group.keys().cloned());
        }
    }
    // Poetry lists the language among the dependencies.
    names.dependencies.retain(|name| name != "python");
    // Dependency groups of PEP 735.
    for group in nested_table(&manifest, &["dependency-groups"]).into_iter().flat_map(Table::values) {
        names.dependencies.extend(string_values(Some(group)).filter_map(requirement_name));
    }
    names
}

pub(super) fn read_requirements(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pypi);
    if let Some(text) = source.manifest_text(path) {
        names.dependencies = text.lines().filter_map(requirement_name).collect();
    }
    names
}

pub(super) fn read_setup_cfg(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pypi);
    let Some(text) = source.manifest_text(path) else { return names };
    let (mut section, mut key) = (String::new(), String::new());
    for line in text.lines() {
        let content = line.trim();
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.trim_end().strip_suffix(']')) {
            (section, key) = (name.to_owned(), String::new());
            continue;
        }
        let mut value = content;
        if !line.starts_with([' ', '\t']) {
            let Some((name, rest)) = content.split_once('=') else { continue };
            (key, value) = (name.trim().to_owned(), rest.trim());
        }
        match (section.as_str(), key.as_str()) {
            ("metadata", "name") => names.defined.push(value.to_owned()),
            ("options", "install_requires" | "tests_require") | ("options.extras_require", _) => {
                names.dependencies.extend(requirement_name(value));
            }
            _ => {}
        }
    }
    names
}

/// Reads the name, and the string literals in the lists `install_requires`, `tests_require` and
/// `extras_require`. Does not run the script.
pub(super) fn read_setup_py(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pypi);
    let Some(text) = source.manifest_text(path) else { return names };
    for key in ["install_requires", "tests_require", "extras_require"] {
        let Some((_, rest)) = text.split_once(key) else { continue };
        let Some(list) = rest.trim_start().strip_prefix('=').map(str::trim_start) else { continue };
        if list.starts_with(['[', '{']) {
            names.dependencies.extend(quoted_texts(bracketed_text(list)).filter_map(requirement_name));
        }
    }
    if let Some((_, rest)) = text.split_once("name=") {
        let value = rest.trim_start();
        if value.starts_with(['"', '\'']) {
            names.defined.extend(quoted_texts(value.lines().next().unwrap_or("")).next().map(str::to_owned));
        }
    }
    names
}

/// Returns the contents of the bracket at the beginning of a text.
fn bracketed_text(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// Returns the quoted texts, without handling escapes.
pub(super) fn quoted_texts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\''])?;
        let quote = rest[start..].chars().next()?;
        let inner = &rest[start + 1..];
        let end = inner.find(quote)?;
        rest = &inner[end + 1..];
        Some(&inner[..end])
    })
}
