//! The dialect of OCaml: paths of modules, and the names that a type declaration adds to its
//! module.

use super::{Dialect, lift_members};
use crate::extract::raw_facts::DialectNote;
use kenning_graph::facts::{ImportFact, SymbolFact};
use kenning_graph::vocabulary::SymbolKind;

/// The dialect of OCaml.
pub(crate) struct OcamlDialect;

impl Dialect for OcamlDialect {
    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        import.path.retain(|c| !c.is_whitespace());
        if import.alias.is_empty() {
            "*".clone_into(&mut import.name);
        }
        !import.path.is_empty()
    }

    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        // The values of a module type are functions. Only classes have methods.
        for index in 0..symbols.len() {
            let parent = symbols[index].parent.and_then(|parent| symbols.get(parent as usize));
            if symbols[index].kind == SymbolKind::Method
                && parent.is_some_and(|parent| parent.kind == SymbolKind::Interface)
            {
                symbols[index].kind = SymbolKind::Function;
            }
        }
        lift_members(symbols, |kind| {
            matches!(kind, SymbolKind::TypeAlias | SymbolKind::Struct | SymbolKind::Enum)
        });
    }
}
