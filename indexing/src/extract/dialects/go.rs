//! Go: capital letters export, an import's name is its path's last segment.

use super::{Declared, Dialect, unquoted};
use kenning_graph::facts::{Import, SymbolFact};
use kenning_graph::vocabulary::Visibility;

/// The Rust part of Go.
pub(crate) struct Go;

impl Dialect for Go {
    fn visibility(&self, declared: &Declared) -> Visibility {
        let exported = declared.name.chars().next().is_some_and(char::is_uppercase);
        if exported { Visibility::Public } else { Visibility::Internal }
    }

    fn import(&self, import: &mut Import, _statement: &str) -> bool {
        import.path = unquoted(&import.path);
        match import.alias.as_str() {
            "_" => import.alias.clear(),
            "." => {
                import.alias.clear();
                "*".clone_into(&mut import.name);
            }
            "" => import.alias = package_name(&import.path),
            _ => {}
        }
        !import.path.is_empty()
    }

    fn is_test(&self, symbol: &SymbolFact) -> bool {
        let follows = ["Test", "Benchmark", "Fuzz", "Example"]
            .iter()
            .find_map(|prefix| symbol.name.strip_prefix(prefix))
            .and_then(|rest| rest.chars().next());
        let takes_t = symbol.params.contains("testing.");
        let example = symbol.name.starts_with("Example") && symbol.arity == Some(0);
        (takes_t || example) && !follows.is_some_and(char::is_lowercase)
    }
}

/// The name that a package most likely has: the last segment of its path, without a version (`/v2`, `.v3`) and
/// without the usual `go-` before or `-go` behind it.
fn package_name(path: &str) -> String {
    let is_version =
        |s: &str| s.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let mut segments = path.rsplit('/');
    let mut last = segments.next().unwrap_or(path);
    if is_version(last) {
        last = segments.next().unwrap_or(last);
    }
    if let Some((stem, version)) = last.rsplit_once('.')
        && is_version(version)
    {
        last = stem;
    }
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").unwrap_or(last).to_owned()
}
