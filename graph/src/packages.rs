//! The packages that a workspace defines and depends on, according to its manifests.
//!
//! In: names of packages as manifests, lock files and imports write them. Out: normalized names per
//! ecosystem, and the length of the part of an import path that names a package. The manifests are
//! read elsewhere; this module has only the types and the rules of the registries.
//!
//! Invariant: two spellings of the same package have the same normalized name.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The registry to which a package name belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PackageEcosystem {
    /// Python.
    Pypi,
    /// JavaScript and TypeScript.
    Npm,
    /// Rust.
    Cargo,
    /// Go modules, by their module path.
    Go,
    /// Java and Kotlin, `group:artifact`.
    Maven,
    /// .NET.
    Nuget,
    /// Ruby.
    Gem,
    /// PHP, `vendor/package`.
    Composer,
    /// Dart and Flutter.
    Pub,
    /// Elixir and Erlang.
    Hex,
}

impl PackageEcosystem {
    /// All ecosystems.
    pub const ALL: &'static [Self] = &[
        Self::Pypi,
        Self::Npm,
        Self::Cargo,
        Self::Go,
        Self::Maven,
        Self::Nuget,
        Self::Gem,
        Self::Composer,
        Self::Pub,
        Self::Hex,
    ];

    /// Returns the word for the ecosystem, as in the name of a package's node: `npm::react`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pypi => "pypi",
            Self::Npm => "npm",
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Maven => "maven",
            Self::Nuget => "nuget",
            Self::Gem => "gem",
            Self::Composer => "composer",
            Self::Pub => "pub",
            Self::Hex => "hex",
        }
    }

    /// Returns the ecosystem whose [`Self::as_str`] is `word`.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|ecosystem| ecosystem.as_str() == word)
    }

    /// Normalizes a name so that two spellings of the same package are equal.
    pub fn normalize_name(self, name: &str) -> String {
        let name = name.trim();
        match self {
            // PEP 503: runs of `-`, `_` and `.` become one `-`.
            Self::Pypi => {
                let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join("-").to_lowercase()
            }
            Self::Cargo => name.replace('_', "-"),
            // `example.com/module/v2` is another version of `example.com/module`.
            Self::Go => match name.rsplit_once("/v") {
                Some((module, digits))
                    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) =>
                {
                    module.to_owned()
                }
                _ => name.to_owned(),
            },
            Self::Nuget | Self::Npm | Self::Composer => name.to_lowercase(),
            Self::Maven | Self::Gem | Self::Pub | Self::Hex => name.to_owned(),
        }
    }

    /// Returns how many bytes of an import path name a package, or `None` if the path does not show
    /// that it leads to the package. If several packages match, the one with the longest match
    /// provides the import. Import paths that do not contain the name of their package (Maven,
    /// Composer, Hex, or `yaml` of PyYAML) never match.
    pub fn match_import(self, package: &str, import: &str) -> Option<usize> {
        let separator = match self {
            Self::Npm | Self::Go | Self::Gem => '/',
            Self::Pypi | Self::Cargo | Self::Nuget => '.',
            Self::Pub => {
                let name = import.strip_prefix("package:")?.split('/').next()?;
                return (name == package).then_some(name.len());
            }
            Self::Maven | Self::Composer | Self::Hex => return None,
        };
        let import = import.split("::").next().filter(|_| self == Self::Cargo).unwrap_or(import);
        let ends = import.match_indices(separator).map(|(at, _)| at).chain([import.len()]);
        ends.rev().find(|&end| self.normalize_name(&import[..end]) == package)
    }
}

/// A package that a manifest names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManifestPackage {
    /// The registry of the name.
    pub ecosystem: PackageEcosystem,
    /// The name, [normalized](PackageEcosystem::normalize_name).
    pub name: String,
    /// The workspace-relative path of the manifest.
    pub manifest: String,
    /// The 0-based line of the manifest that names the package.
    pub line: u32,
    /// The accepted versions, as written: `^18.2.0`, `>=2,<3`. They may come from another manifest:
    /// the root of a Cargo workspace, a parent POM. Empty if the manifest accepts any version, or
    /// defines the package.
    pub requirement: String,
    /// The version in the lock file; empty if there is no lock file, or if it has several versions
    /// and does not show which one the manifest uses.
    pub locked: String,
    /// The manifest in the workspace that defines the package; empty if the dependency is on a
    /// package from the registry.
    pub local: String,
}

/// The packages of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspacePackages {
    /// The packages that the manifests define.
    pub defined: BTreeSet<ManifestPackage>,
    /// The packages that the manifests depend on: at run time, in tests or for the build.
    pub dependencies: BTreeSet<ManifestPackage>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_show_their_package_where_the_names_agree() {
        use PackageEcosystem::{Cargo, Gem, Go, Maven, Npm, Nuget, Pub, Pypi};
        for (ecosystem, package, import, expected) in [
            (Npm, "react", "react", Some(5)),
            (Npm, "react", "react/jsx-runtime", Some(5)),
            (Npm, "react", "react-dom", None),
            (Npm, "@trpc/server", "@trpc/server/adapters", Some(12)),
            (Pypi, "flask-sqlalchemy", "flask_sqlalchemy.model", Some(16)),
            (Pypi, "google-cloud-storage", "google.cloud.storage", Some(20)),
            (Pypi, "pyyaml", "yaml", None),
            (Go, "github.com/a/b", "github.com/a/b/v2/c", Some(17)),
            (Go, "github.com/a/b", "github.com/a/bc", None),
            (Cargo, "serde-json", "serde_json.value", Some(10)),
            (Nuget, "newtonsoft.json", "Newtonsoft.Json.Linq", Some(15)),
            (Gem, "rack", "rack/utils", Some(4)),
            (Pub, "http", "package:http/http.dart", Some(4)),
            (Maven, "org.a:b", "org.a.b", None),
        ] {
            assert_eq!(ecosystem.match_import(package, import), expected, "{package} {import}");
        }
    }

    #[test]
    fn words_of_ecosystems_round_trip() {
        for &ecosystem in PackageEcosystem::ALL {
            assert_eq!(PackageEcosystem::parse(ecosystem.as_str()), Some(ecosystem));
        }
    }

    #[test]
    fn all_spellings_of_a_package_normalize_to_one_name() {
        for (ecosystem, spelling, expected) in [
            (PackageEcosystem::Pypi, "Flask_SQLAlchemy", "flask-sqlalchemy"),
            (PackageEcosystem::Pypi, "zope.interface", "zope-interface"),
            (PackageEcosystem::Cargo, "serde_json", "serde-json"),
            (PackageEcosystem::Go, "github.com/caddyserver/caddy/v2", "github.com/caddyserver/caddy"),
            (PackageEcosystem::Go, "example.com/vault/vx", "example.com/vault/vx"),
            (PackageEcosystem::Nuget, "Microsoft.EntityFrameworkCore", "microsoft.entityframeworkcore"),
            (PackageEcosystem::Npm, "@trpc/server", "@trpc/server"),
            (PackageEcosystem::Maven, "org.apache.kafka:kafka-clients", "org.apache.kafka:kafka-clients"),
        ] {
            assert_eq!(ecosystem.normalize_name(spelling), expected, "{spelling}");
        }
    }
}
