//! JavaScript and TypeScript: default, namespace and CommonJS imports; `export` and `private`.

use super::{Declared, Dialect, unquoted};
use kenning_graph::facts::Import;
use kenning_graph::vocabulary::Visibility;

/// The Rust part of JavaScript and TypeScript.
pub(crate) struct EcmaScript;

impl Dialect for EcmaScript {
    fn visibility(&self, declared: &Declared) -> Visibility {
        if declared.has("private") || declared.name.starts_with('#') {
            Visibility::Private
        } else if declared.has("protected") {
            Visibility::Protected
        } else if declared.parent.is_some() || declared.has("export") || declared.head.contains("exports.") {
            Visibility::Public
        } else {
            Visibility::Internal
        }
    }

    fn import(&self, import: &mut Import, statement: &str) -> bool {
        import.path = unquoted(&import.path);
        import.name = unquoted(&import.name);
        import.alias = unquoted(&import.alias);
        let is_import = statement.starts_with("import") && !statement.contains("require(");
        if import.name == "*" && !import.alias.is_empty() {
            // `* as ns` binds the module itself.
            import.name.clear();
        } else if import.name.is_empty() && !import.alias.is_empty() && is_import {
            "default".clone_into(&mut import.name);
        } else if import.alias.is_empty() && import.name != "*" {
            import.alias.clone_from(&import.name);
        }
        !import.path.is_empty()
    }
}
