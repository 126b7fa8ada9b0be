//! The packages that one manifest names, before they are compared with the other manifests.

use super::python::quoted_texts;
use kenning_graph::packages::PackageEcosystem;

/// Maximum length in bytes of a version requirement. A longer text is a URL or a program.
const MAX_REQUIREMENT: usize = 80;

/// The packages that one manifest names.
pub(super) struct ManifestNames {
    pub ecosystem: PackageEcosystem,
    /// The packages that the manifest defines, with the lines that name them.
    pub defined: Vec<(String, u32)>,
    /// The packages that the manifest depends on.
    pub dependencies: Vec<DeclaredDependency>,
    /// The patterns of the folders whose packages are members of the manifest's workspace, with `*`
    /// and `**`; relative to the folder of the manifest.
    pub members: Vec<String>,
    /// The names by which other manifests refer to the dependencies: `libs.kafka.clients` in
    /// Gradle.
    pub aliases: Vec<CatalogAlias>,
}

/// A package that a manifest depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredDependency {
    /// The name as written.
    pub name: String,
    /// The 0-based line of the name.
    pub line: u32,
    /// The accepted versions as written; empty if the manifest does not name any.
    pub requirement: String,
    /// The location of the package.
    pub origin: DependencyOrigin,
}

/// The location of a dependency's package according to the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DependencyOrigin {
    /// The registry, or a package of the workspace that replaces the package of the registry.
    Registry,
    /// The package of the workspace with the same name.
    Workspace,
    /// This folder, or the folder of this manifest.
    Path(String),
    /// A folder with this path, relative to the folder of the manifest or a folder above it.
    Project(String),
}

/// A definition or use of an alias in a version catalog.
pub(super) struct CatalogAlias {
    /// The alias with dots: `kafka.clients`.
    pub alias: String,
    /// The 0-based line of the alias.
    pub line: u32,
    /// The name and requirement of the package that the alias defines; `None` for a use.
    pub package: Option<(String, String)>,
}

impl ManifestNames {
    /// Creates an empty list for an ecosystem.
    pub fn new(ecosystem: PackageEcosystem) -> Self {
        let (defined, dependencies) = (Vec::new(), Vec::new());
        Self { ecosystem, defined, dependencies, members: Vec::new(), aliases: Vec::new() }
    }

    /// Adds a package that the manifest defines at a 0-based line.
    pub fn add_defined(&mut self, name: &str, line: u32) {
        self.defined.push((name.to_owned(), line));
    }

    /// Adds a dependency on a package of the registry.
    pub fn add_dependency(&mut self, name: &str, line: u32, requirement: &str) {
        self.dependencies.push(DeclaredDependency::from_registry(name, line, requirement));
    }
}

impl DeclaredDependency {
    /// Creates a dependency on a package of the registry.
    pub fn from_registry(name: &str, line: u32, requirement: &str) -> Self {
        let origin = DependencyOrigin::Registry;
        Self { name: name.to_owned(), line, requirement: requirement_text(requirement), origin }
    }
}

/// Returns a requirement on one line. Returns an empty text for URLs, which may contain
/// credentials, and for requirements over [`MAX_REQUIREMENT`].
fn requirement_text(requirement: &str) -> String {
    let text = requirement.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() > MAX_REQUIREMENT || text.contains("://") || text.contains('@') {
        String::new()
    } else {
        text
    }
}

/// Returns the quoted texts that look like version requirements, joined with commas: they begin
/// with a number, or with an operator before a number.
pub(super) fn quoted_requirements(text: &str) -> String {
    let is_version = |text: &&str| {
        text.trim_start_matches([' ', '~', '>', '<', '=', '!', '^', 'v'])
            .starts_with(|c: char| c.is_ascii_digit())
    };
    quoted_texts(text).filter(is_version).collect::<Vec<_>>().join(", ")
}
