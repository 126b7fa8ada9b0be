//! Python: underscores hide, `import a.b` binds `a`.

use super::{Declared, Dialect};
use kenning_graph::facts::{Import, SymbolFact};
use kenning_graph::vocabulary::Visibility;

/// The Rust part of Python.
pub(crate) struct Python;

impl Dialect for Python {
    fn visibility(&self, declared: &Declared) -> Visibility {
        let dunder = declared.name.starts_with("__") && declared.name.ends_with("__");
        if declared.name.starts_with('_') && !dunder { Visibility::Private } else { Visibility::Public }
    }

    fn import(&self, import: &mut Import, _statement: &str) -> bool {
        for part in [&mut import.path, &mut import.name] {
            part.retain(|c| !c.is_whitespace());
        }
        if import.alias.is_empty() {
            let bound =
                if import.name.is_empty() { import.path.split('.').next() } else { Some(&*import.name) };
            import.alias = bound.filter(|&name| name != "*").unwrap_or("").to_owned();
        }
        !import.path.is_empty()
    }

    fn is_test(&self, symbol: &SymbolFact) -> bool {
        // A method `test_x` is a test in a test class only.
        symbol.container.is_empty() || symbol.container.contains("Test")
    }
}
