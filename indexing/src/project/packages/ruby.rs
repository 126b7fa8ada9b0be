//! Ruby: `Gemfile` and gem specifications. They are programs and are not run; only calls with a
//! plain text are read.

use super::python::quoted_texts;
use super::{ManifestNames, ManifestReader};
use kenning_graph::packages::PackageEcosystem;

pub(super) fn read_gems(path: &str, source: &mut ManifestReader) -> ManifestNames {
    let mut named = ManifestNames::new(PackageEcosystem::Gem);
    let Some(text) = source.manifest_text(path) else { return named };
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let (call, rest) = line.split_at(line.find([' ', '(', '=']).unwrap_or(line.len()));
        let first = || quoted_texts(rest).next().map(str::to_owned);
        match call.rsplit('.').next() {
            Some("gem" | "add_dependency" | "add_runtime_dependency" | "add_development_dependency") => {
                named.dependencies.extend(first());
            }
            Some("name") if call.contains('.') => named.own.extend(first()),
            // `gemspec` in a `Gemfile` refers to the gem specification beside it, which is read on
            // its own.
            _ => {}
        }
    }
    named
}
