//! The packages that a workspace defines and depends on, according to its manifests.

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
}

impl PackageEcosystem {
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
            Self::Nuget | Self::Npm => name.to_lowercase(),
            Self::Maven | Self::Gem => name.to_owned(),
        }
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
