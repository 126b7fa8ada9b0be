//! Finds the packages of declared families, whose manifests have a line with the package's name.

use super::ManifestReader;
use crate::languages::{LanguageRegistry, PackageRules};
use kenning_graph::paths::join_path;
use std::collections::BTreeMap;

/// Returns the folders of the packages, by family and package name. If packages share a name, the
/// package in the first folder counts.
pub(super) fn find_package_folders(
    paths: &[String],
    folders: &[String],
    source: &mut ManifestReader<'_>,
) -> BTreeMap<String, BTreeMap<String, String>> {
    let registry = LanguageRegistry::get();
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for rules in registry.family_rules() {
        let Some(packages) = &rules.packages else { continue };
        let is_of_family = |path: &String| {
            registry.find_by_path(path).is_some_and(|language| language.row.family == rules.id)
        };
        if !paths.iter().any(is_of_family) {
            continue;
        }
        for folder in folders {
            if let Some(name) = read_package_name(folder, packages, source) {
                found.entry(rules.id.clone()).or_default().entry(name).or_insert_with(|| folder.clone());
            }
        }
    }
    found
}

/// Whether a family reads the names of packages from files of this name.
pub(super) fn is_package_manifest(name: &str) -> bool {
    let rules = LanguageRegistry::get().family_rules().iter();
    rules.filter_map(|rules| rules.packages.as_ref()).any(|packages| packages.manifest == name)
}

/// Returns the name in the manifest of a folder: the value of the first line `name: value`.
fn read_package_name(folder: &str, rules: &PackageRules, source: &mut ManifestReader<'_>) -> Option<String> {
    let text = source.manifest_text(&join_path(folder, &rules.manifest))?;
    let value = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    let name = value.split('#').next().unwrap_or(value).trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}
