//! Ruby: `Gemfile` and gem specifications. They are programs; the calls with a plain text are read.

use super::python::quoted;
use super::{Manifests, Named};
use kenning_graph::packages::PackageEcosystem;

pub(super) fn gems(path: &str, source: &mut Manifests) -> Named {
    let mut named = Named::new(PackageEcosystem::Gem);
    let Some(text) = source.text(path) else { return named };
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let (call, rest) = line.split_at(line.find([' ', '(', '=']).unwrap_or(line.len()));
        let first = || quoted(rest).next().map(str::to_owned);
        match call.rsplit('.').next() {
            Some("gem" | "add_dependency" | "add_runtime_dependency" | "add_development_dependency") => {
                named.dependencies.extend(first());
            }
            Some("name") if call.contains('.') => named.own.extend(first()),
            // The gem specification beside it says the rest.
            _ => {}
        }
    }
    named
}
