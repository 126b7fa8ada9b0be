//! Reads the packages that Python's manifests name: `pyproject.toml`, requirement files,
//! `setup.cfg` and `setup.py`.
//!
//! [`PyProject`] reads the tables of the standards (`[project]`, `[dependency-groups]`) and of
//! Poetry and uv. `setup.py` is a program, which Kenning does not run: it reads only string
//! literals. All formats share the syntax of a requirement, which [`parse_requirement`] reads.

use super::ManifestReader;
use super::declaration::{DeclaredDependency, DependencyOrigin, ManifestNames};
use super::positions::{LocatedText, TomlPositions};
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::{join_relative, parent_folder};
use toml::{Table, Value};

/// Reads a requirement: the name without extras, and the accepted versions without markers. For
/// `Flask[async] >= 2; python_version > "3"`, they are `Flask` and `>= 2`.
fn parse_requirement(text: &str, line: u32) -> Option<DeclaredDependency> {
    let text = text.split('#').next().unwrap_or("").trim();
    let end = text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    // A path or a URL is not a name.
    let is_name = name.starts_with(char::is_alphanumeric) && !rest.starts_with(['/', ':', '\\']);
    let rest = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest);
    let versions = rest.split([';', '\\']).next().unwrap_or_default();
    let versions = versions.split(" --").next().unwrap_or_default().trim_matches(['(', ')', ' ']);
    is_name.then(|| DeclaredDependency::from_registry(name, line, versions))
}

fn nested_table<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Table> {
    path.iter().try_fold(table, |table, key| table.get(*key)?.as_table())
}

/// A reader of the dependencies in a `pyproject.toml`.
struct PyProject<'m> {
    manifest: &'m Table,
    positions: TomlPositions<'m>,
    folder: &'m str,
    found: Vec<DeclaredDependency>,
}

impl PyProject<'_> {
    /// Reads the requirements in the array with these nested keys.
    fn read_array(&mut self, path: &[&str]) {
        let Some((last, parents)) = path.split_last() else { return };
        let array = nested_table(self.manifest, parents).and_then(|table| table.get(*last)?.as_array());
        for (item, text) in array.into_iter().flatten().enumerate() {
            let line = self.positions.line_of_item(path, item);
            self.found.extend(text.as_str().and_then(|text| parse_requirement(text, line)));
        }
    }

    /// Reads the arrays in the table with these nested keys.
    fn read_arrays(&mut self, path: &[&str]) {
        let manifest = self.manifest;
        for key in nested_table(manifest, path).into_iter().flat_map(Table::keys) {
            self.read_array(&[path, &[key.as_str()]].concat());
        }
    }

    /// Reads Poetry's table with these nested keys, whose keys are names.
    fn read_table(&mut self, path: &[&str]) {
        let manifest = self.manifest;
        for (name, value) in nested_table(manifest, path).into_iter().flatten() {
            let line = self.positions.line_of_key(&[path, &[name.as_str()]].concat());
            let field = |key: &str| value.get(key).and_then(Value::as_str);
            let requirement = value.as_str().or_else(|| field("version")).unwrap_or_default();
            let mut declared = DeclaredDependency::from_registry(name, line, requirement);
            if let Some(folder) = field("path").and_then(|folder| join_relative(self.folder, folder)) {
                declared.origin = DependencyOrigin::Path(folder);
            }
            self.found.push(declared);
        }
    }

    /// Sets the origin of the dependencies that the settings of uv replace with local packages.
    fn read_sources(&mut self) {
        let sources = nested_table(self.manifest, &["tool", "uv", "sources"]);
        for (name, value) in sources.into_iter().flatten() {
            let normalize = |name: &str| PackageEcosystem::Pypi.normalize_name(name);
            let folder = value.get("path").and_then(Value::as_str);
            let origin = match folder.and_then(|folder| join_relative(self.folder, folder)) {
                Some(folder) => DependencyOrigin::Path(folder),
                None if value.get("workspace").and_then(Value::as_bool) == Some(true) => {
                    DependencyOrigin::Workspace
                }
                None => continue,
            };
            for declared in self.found.iter_mut().filter(|found| normalize(&found.name) == normalize(name)) {
                declared.origin = origin.clone();
            }
        }
    }
}

/// Reads the project and the dependencies of a `pyproject.toml`.
pub(super) fn read_pyproject(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pypi);
    let Some(manifest) = source.read_toml(path) else { return names };
    let text = source.manifest_text(path).unwrap_or_default();
    let positions = TomlPositions::new(&text);
    let mut project =
        PyProject { manifest: &manifest, positions, folder: parent_folder(path), found: Vec::new() };
    for table in [&["project"][..], &["tool", "poetry"]] {
        let Some(settings) = nested_table(&manifest, table) else { continue };
        let nested = |key| [table, &[key]].concat();
        if let Some(name) = settings.get("name").and_then(Value::as_str) {
            names.add_defined(name, project.positions.line_of_key(&nested("name")));
        }
        project.read_array(&nested("dependencies"));
        project.read_arrays(&nested("optional-dependencies"));
        project.read_table(&nested("dependencies"));
        project.read_table(&nested("dev-dependencies"));
        let groups = settings.get("group").and_then(Value::as_table).into_iter().flat_map(Table::keys);
        for group in groups {
            project.read_table(&[&nested("group")[..], &[group.as_str(), "dependencies"]].concat());
        }
    }
    // Poetry lists the language among the dependencies.
    project.found.retain(|dependency| dependency.name != "python");
    // Dependency groups of PEP 735.
    project.read_arrays(&["dependency-groups"]);
    project.read_sources();
    names.dependencies = project.found;
    names
}

/// Reads the dependencies of a requirement file.
pub(super) fn read_requirements(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pypi);
    if let Some(text) = source.manifest_text(path) {
        let lines = text.lines().zip(0..);
        names.dependencies = lines.filter_map(|(text, line)| parse_requirement(text, line)).collect();
    }
    names
}

/// Reads the project and the dependencies of a `setup.cfg`.
pub(super) fn read_setup_cfg(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Pypi);
    let Some(text) = source.manifest_text(path) else { return names };
    let (mut section, mut key) = (String::new(), String::new());
    for (line, number) in text.lines().zip(0..) {
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
            ("metadata", "name") => names.add_defined(value, number),
            ("options", "install_requires" | "tests_require") | ("options.extras_require", _) => {
                names.dependencies.extend(parse_requirement(value, number));
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
    let located = LocatedText::new(&text);
    for key in ["install_requires", "tests_require", "extras_require"] {
        let Some((_, rest)) = text.split_once(key) else { continue };
        let Some(list) = rest.trim_start().strip_prefix('=').map(str::trim_start) else { continue };
        if list.starts_with(['[', '{']) {
            let literals = quoted_texts(bracketed_text(list));
            names
                .dependencies
                .extend(literals.filter_map(|literal| parse_requirement(literal, located.line_of(literal))));
        }
    }
    if let Some((_, rest)) = text.split_once("name=") {
        let value = rest.trim_start();
        if value.starts_with(['"', '\''])
            && let Some(name) = quoted_texts(value.lines().next().unwrap_or("")).next()
        {
            names.add_defined(name, located.line_of(name));
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
