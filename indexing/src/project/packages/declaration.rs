//! What one manifest says about packages, before it is compared with the other manifests.

use super::python::quoted_texts;
use kenning_graph::packages::PackageEcosystem;

/// Maximum length in bytes of the requirement of a version. A longer one is a URL or a program.
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
    /// The names by which other manifests refer to the dependencies: `libs.kafka.clients` in Gradle.
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
    /// Where the package is.
    pub origin: DependencyOrigin,
}

/// Where the package of a dependency is, according to its manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DependencyOrigin {
    /// In the registry, or in a package of the workspace that stands for the one in the registry.
    Registry,
    /// In the package of the workspace with this name.
    Workspace,
    /// In this folder, or in the folder of this manifest.
    Path(String),
    /// In a folder with this path below the folder of the manifest or one above it.
    Project(String),
}

/// A use of a version catalog.
pub(super) struct CatalogAlias {
    /// The alias with dots: `kafka.clients`.
    pub alias: String,
    /// The 0-based line of the use.
    pub line: u32,
    /// The package that the alias stands for; `None` in the manifests that use it.
    pub package: Option<(String, String)>,
}

impl ManifestNames {
    pub fn new(ecosystem: PackageEcosystem) -> Self {
        let (defined, dependencies) = (Vec::new(), Vec::new());
        Self { ecosystem, defined, dependencies, members: Vec::new(), aliases: Vec::new() }
    }

    pub fn add_defined(&mut self, name: &str, line: u32) {
        self.defined.push((name.to_owned(), line));
    }

    /// Adds a dependency on a package of the registry.
    pub fn add_dependency(&mut self, name: &str, line: u32, requirement: &str) {
        self.dependencies.push(DeclaredDependency::from_registry(name, line, requirement));
    }
}

impl DeclaredDependency {
    pub fn from_registry(name: &str, line: u32, requirement: &str) -> Self {
        let origin = DependencyOrigin::Registry;
        Self { name: name.to_owned(), line, requirement: requirement_text(requirement), origin }
    }
}

/// Returns a requirement on one line. URLs do not count, because they may contain credentials.
fn requirement_text(requirement: &str) -> String {
    let text = requirement.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() > MAX_REQUIREMENT || text.contains("://") || text.contains('@') {
        String::new()
    } else {
        text
    }
}

/// Returns the quoted texts that look like requirements of versions: they begin with a number, or
/// with an operator before a number.
pub(super) fn quoted_requirements(text: &str) -> String {
    let is_version = |text: &&str| {
        text.trim_start_matches([' ', '~', '>', '<', '=', '!', '^', 'v'])
            .starts_with(|c: char| c.is_ascii_digit())
    };
    quoted_texts(text).filter(is_version).collect::<Vec<_>>().join(", ")
}
