//! Checks the dependencies of each crate against the crates and packages that it may depend on.

use super::{Finding, checkout};
use cargo_metadata::Metadata;

/// A dependency in a manifest.
#[derive(Debug, Clone)]
pub struct Dependency {
    /// Name of the crate that has the dependency.
    pub from: String,
    /// Name of the package it depends on.
    pub to: String,
    /// Path of the manifest, relative to the root.
    pub manifest: String,
    /// Line in the manifest, from 1.
    pub line: usize,
}

/// The workspace crates that each crate may depend on (docs/architecture.md). No crate depends on
/// `tests` or `bench`.
const ALLOWED_CRATES: [(&str, &[&str]); 7] = [
    ("kenning-graph", &[]),
    ("kenning-indexing", &["kenning-graph"]),
    ("kenning-enrichment", &["kenning-graph"]),
    ("kenning-retrieval", &["kenning-graph"]),
    ("kenning", &["kenning-graph", "kenning-indexing", "kenning-enrichment", "kenning-retrieval"]),
    ("tests", &["kenning", "kenning-graph", "kenning-indexing", "kenning-enrichment", "kenning-retrieval"]),
    ("bench", &["kenning-graph", "kenning-indexing", "kenning-enrichment", "kenning-retrieval"]),
];

/// Packages that only some crates may depend on. A name that ends in `-` covers all names with that
/// prefix.
const RESTRICTED_PACKAGES: [(&str, &[&str]); 10] = [
    ("rusqlite", &["kenning-graph", "tests", "bench"]),
    ("ls-types", &["kenning", "kenning-enrichment", "tests"]),
    ("tower-lsp-server", &["kenning", "tests"]),
    ("gix", &["kenning-indexing"]),
    ("model2vec-rs", &["kenning"]),
    ("tokenizers", &["kenning"]),
    ("instant-distance", &["kenning-retrieval"]),
    ("tree-sitter", &["kenning-indexing", "bench"]),
    ("tree-sitter-", &["kenning-indexing"]),
    ("anyhow", &["kenning", "tests", "bench"]),
];

/// Returns the dependencies of the workspace's crates, including those for tests and build scripts.
pub fn read_dependencies(metadata: &Metadata) -> Vec<Dependency> {
    let mut dependencies = Vec::new();
    for package in metadata.workspace_packages() {
        let text = std::fs::read_to_string(&package.manifest_path)
            .unwrap_or_else(|e| panic!("{}: {e}", package.manifest_path));
        let root = checkout::root();
        let manifest = package.manifest_path.as_std_path().strip_prefix(&root).expect("within the workspace");
        for dependency in &package.dependencies {
            let name = dependency.rename.as_deref().unwrap_or(&dependency.name);
            let declares =
                |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
            dependencies.push(Dependency {
                from: package.name.to_string(),
                to: dependency.name.clone(),
                manifest: manifest.to_string_lossy().into_owned(),
                line: text.lines().position(declares).map_or(1, |at| at + 1),
            });
        }
    }
    dependencies
}

/// Returns a finding for each dependency that the tables do not allow.
pub fn check(dependencies: &[Dependency]) -> Vec<Finding> {
    dependencies
        .iter()
        .filter_map(|dependency| {
            let Dependency { from, to, manifest, line } = dependency;
            advice_if_forbidden(from, to).map(|advice| Finding {
                file: manifest.clone(),
                line: *line,
                problem: format!("`{from}` must not depend on `{to}`"),
                advice,
            })
        })
        .collect()
}

/// Returns what to do instead of a forbidden dependency, or `None` if the dependency is allowed.
fn advice_if_forbidden(from: &str, to: &str) -> Option<&'static str> {
    let Some((_, allowed)) = ALLOWED_CRATES.iter().find(|(name, _)| *name == from) else {
        return Some(
            "Add the new crate to the table in tests/tests/tidy/packages.rs and docs/architecture.md",
        );
    };
    if ALLOWED_CRATES.iter().any(|(name, _)| *name == to) && !allowed.contains(&to) {
        return Some("Pass what is needed as plain data, or do it in `server`, which sees all crates");
    }
    let is_forbidden = |(name, owners): &(&str, &[&str])| {
        let covers = if name.ends_with('-') { to.starts_with(name) } else { to == *name };
        covers && !owners.contains(&from)
    };
    RESTRICTED_PACKAGES
        .iter()
        .any(is_forbidden)
        .then_some("Move the code to the crate that owns this package")
}

#[cfg(test)]
mod tests {
    use super::{Dependency, check};

    fn findings(from: &str, to: &str) -> Vec<String> {
        let (from, to) = (from.to_owned(), to.to_owned());
        let dependency = Dependency { from, to, manifest: "x/Cargo.toml".to_owned(), line: 3 };
        check(&[dependency]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_forbidden_edge_is_reported_with_its_line() {
        let report = findings("kenning-retrieval", "kenning-indexing");
        assert!(
            report[0]
                .starts_with("x/Cargo.toml:3: `kenning-retrieval` must not depend on `kenning-indexing`")
        );
    }

    #[test]
    fn siblings_and_restricted_packages_are_refused() {
        for (from, to) in [
            ("kenning-indexing", "kenning-enrichment"),
            ("kenning-enrichment", "kenning-retrieval"),
            ("kenning-graph", "kenning-indexing"),
            ("bench", "kenning"),
            ("kenning", "rusqlite"),
            ("kenning-retrieval", "ls-types"),
            ("kenning-enrichment", "tower-lsp-server"),
            ("kenning-graph", "gix"),
            ("kenning", "tree-sitter-go"),
            ("kenning-graph", "anyhow"),
            ("newcomer", "serde"),
        ] {
            assert_eq!(findings(from, to).len(), 1, "{from} -> {to}");
        }
    }

    #[test]
    fn dependencies_in_the_tables_pass() {
        for (from, to) in [
            ("kenning-retrieval", "kenning-graph"),
            ("kenning", "kenning-enrichment"),
            ("kenning-graph", "rusqlite"),
            ("kenning-indexing", "tree-sitter-rust"),
            ("kenning-retrieval", "serde"),
        ] {
            assert_eq!(findings(from, to), Vec::<String>::new(), "{from} -> {to}");
        }
    }
}
