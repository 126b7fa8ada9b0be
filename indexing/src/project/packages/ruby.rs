//! Ruby: `Gemfile` and gem specifications. They are programs and do not run; only calls with a
//! string literal are read.

use super::python::quoted_texts;
use super::{ManifestNames, ManifestReader};
use kenning_graph::packages::PackageEcosystem;

pub(super) fn read_gems(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut names = ManifestNames::new(PackageEcosystem::Gem);
    let Some(text) = source.manifest_text(path) else { return names };
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let (call, rest) = line.split_at(line.find([' ', '(', '=']).unwrap_or(line.len()));
        let first_argument = || quoted_texts(rest).next().map(str::to_owned);
        match call.rsplit('.').next() {
            Some("gem" | "add_dependency" | "add_runtime_dependency" | "add_development_dependency") => {
                names.dependencies.extend(first_argument());
            }
            Some("name") if call.contains('.') => names.defined.extend(first_argument()),
            // `gemspec` in a `Gemfile` refers to the gem specification next to it, which is read
            // separately.
            _ => {}
        }
    }
    names
}
