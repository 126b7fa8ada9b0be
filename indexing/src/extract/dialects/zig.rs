//! The dialect of Zig: only `pub` declarations are visible in other files.

use super::{Dialect, VisibilityInput, strip_quotes};
use crate::extract::raw_facts::DialectNote;
use kenning_graph::facts::{ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};

/// The dialect of Zig.
pub(crate) struct ZigDialect;

impl Dialect for ZigDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        let is_part = matches!(declared.kind, SymbolKind::Field | SymbolKind::EnumMember);
        let is_public = is_part || declared.has_modifier("pub") || declared.has_modifier("export");
        if is_public { Visibility::Public } else { Visibility::Private }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        let path = strip_quotes(&import.path);
        import.path = if path == "@This" { ".".to_owned() } else { path };
        !import.path.is_empty()
    }

    /// Distinguishes `test name {}` from the declaration that it tests. The members of a type that
    /// a function returns belong to the function.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        for symbol in symbols.iter_mut() {
            let mut segments: Vec<&str> = symbol.container.split('.').collect();
            let count = segments.len();
            segments.dedup();
            if segments.len() < count {
                symbol.container = segments.join(".");
            }
            if symbol.is_test && symbol.signature == format!("test {}", symbol.name) {
                symbol.name.insert_str(0, "test ");
            }
        }
    }
}
