//! Calls that no text in the workspace contains: by the language itself, and by the base of a type.

use kenning_graph::SymbolRef;
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Deserialize)]
struct CallersFile {
    implicit: Vec<ImplicitNames>,
    passive: Vec<PassiveBases>,
}

/// Names that a language calls itself.
#[derive(Deserialize)]
struct ImplicitNames {
    language: String,
    prefix: String,
    suffix: String,
}

/// Bases that call no member of their subtypes.
#[derive(Deserialize)]
struct PassiveBases {
    package: String,
    names: Vec<String>,
}

static CALLERS: LazyLock<CallersFile> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/outside_callers.toml"))
        .expect("outside_callers.toml is checked by a test")
});

/// Whether the language itself calls symbols with this name, so that the text contains no calls.
pub(super) fn is_called_implicitly(symbol: &SymbolRef<'_>) -> bool {
    let has_affixes = |names: &ImplicitNames| {
        let inner = symbol.name.strip_prefix(names.prefix.as_str());
        inner.is_some_and(|inner| inner.len() > names.suffix.len() && inner.ends_with(&names.suffix))
    };
    CALLERS.implicit.iter().any(|names| names.language == symbol.language && has_affixes(names))
}

/// Whether a base outside the workspace only marks or describes its subtypes and never calls their
/// members. Types that are built into the language have no package.
pub(super) fn is_passive_base(package: &str, name: &str) -> bool {
    let has_name = |bases: &PassiveBases| bases.names.iter().any(|known| known == name);
    CALLERS.passive.iter().any(|bases| bases.package == package && has_name(bases))
}

#[cfg(test)]
mod tests {
    use super::{CALLERS, is_passive_base};

    #[test]
    fn every_row_has_names() {
        assert!(CALLERS.implicit.iter().all(|names| !names.language.is_empty()));
        assert!(CALLERS.passive.iter().all(|bases| !bases.names.is_empty()));
        assert!(is_passive_base("typing", "Generic") && !is_passive_base("threading", "Thread"));
    }
}
