//! Reads the packages that Ruby's `Gemfile` and gem specifications name. The files are programs,
//! which Kenning does not run: it reads only calls with a string literal.

use super::ManifestReader;
use super::declaration::{DeclaredDependency, DependencyOrigin, ManifestNames, quoted_requirements};
use super::python::quoted_texts;
use kenning_graph::packages::PackageEcosystem;
use kenning_graph::paths::{join_relative, parent_folder};

/// Reads the gem and the dependencies of a `Gemfile` or gem specification.
pub(super) fn read_gems(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Gem);
    let Some(text) = source.manifest_text(path) else { return names };
    for (line, number) in text.lines().map(str::trim).zip(0..).filter(|(line, _)| !line.starts_with('#')) {
        let (call, rest) = line.split_at(line.find([' ', '(', '=']).unwrap_or(line.len()));
        let Some(first) = quoted_texts(rest).next() else { continue };
        match call.rsplit('.').next() {
            Some("gem" | "add_dependency" | "add_runtime_dependency" | "add_development_dependency") => {
                let (_, options) = rest.split_once(first).unwrap_or_default();
                let requirement = quoted_requirements(options.get(1..).unwrap_or_default());
                let mut declared = DeclaredDependency::from_registry(first, number, &requirement);
                let folder = ["path: ", ":path => "].iter().find_map(|key| options.split_once(key));
                let folder = folder.and_then(|(_, value)| quoted_texts(value).next());
                if let Some(folder) = folder.and_then(|folder| join_relative(parent_folder(path), folder)) {
                    declared.origin = DependencyOrigin::Path(folder);
                }
                names.dependencies.push(declared);
            }
            Some("name") if call.contains('.') => names.add_defined(first, number),
            // `gemspec` in a `Gemfile` refers to the gem specification next to it, which is read
            // separately.
            _ => {}
        }
    }
    names
}
