//! Symbols that are declared in one place and defined in another, as in C.

use super::SymbolRef;
use crate::vocabulary::SymbolKind;

impl SymbolRef<'_> {
    /// Whether a symbol is only declared, or a later declaration replaces it. A leading `~` in the
    /// type text marks it.
    pub fn is_declaration_only(&self) -> bool {
        self.type_text().starts_with('~')
    }

    /// Whether this symbol is the definition of the symbol that `declaration` declares.
    pub fn defines(&self, declaration: &SymbolRef) -> bool {
        !self.is_declaration_only()
            && self.name == declaration.name
            && self.kind.is_callable() == declaration.kind.is_callable()
            && !self.kind.is_type()
            && self.kind != SymbolKind::Macro
            && self.arity == declaration.arity
            && ends_with_path(declaration.container, self.container)
            && (!self.container.is_empty() || declaration.container.is_empty())
    }
}

/// Whether a dotted path ends with the segments of another path.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || end.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::ends_with_path;

    #[test]
    fn a_path_ends_with_whole_segments() {
        let ends =
            [("a.b.C", "b.C"), ("a.b.C", ""), ("C", "C"), ("a.bC", "C")].map(|(p, e)| ends_with_path(p, e));
        assert_eq!(ends, [true, true, true, false]);
    }
}
