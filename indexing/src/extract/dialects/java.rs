//! The dialect of Java: members of interfaces are public, and imports name a class or a member.

use super::{Dialect, VisibilityInput};
use kenning_graph::facts::ImportFact;
use kenning_graph::vocabulary::{SymbolKind, Visibility};

/// The dialect of Java.
pub(crate) struct JavaDialect;

impl Dialect for JavaDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        let member_of_interface = matches!(declared.parent, Some(SymbolKind::Interface))
            || (declared.parent == Some(SymbolKind::Record) && declared.kind == SymbolKind::Field);
        if declared.has_modifier("private") {
            Visibility::Private
        } else if declared.has_modifier("protected") {
            Visibility::Protected
        } else if declared.has_modifier("public")
            || member_of_interface
            || declared.kind == SymbolKind::EnumMember
        {
            Visibility::Public
        } else {
            Visibility::Internal
        }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        import.path.retain(|c| !c.is_whitespace());
        if !import.name.is_empty() {
            "*".clone_into(&mut import.name);
        } else if let Some((path, name)) = import.path.clone().rsplit_once('.') {
            (import.path, import.name, import.alias) = (path.to_owned(), name.to_owned(), name.to_owned());
        }
        !import.path.is_empty()
    }

    fn declared_package(&self, captured: &[String]) -> String {
        captured.first().map(|name| name.split_whitespace().collect()).unwrap_or_default()
    }
}
