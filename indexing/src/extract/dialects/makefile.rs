//! The dialect of Makefiles: the grammar parses a conditional after a recipe, with the rules in it,
//! as a part of the recipe.

use super::{Dialect, lift_members};
use crate::extract::raw_facts::DialectNote;
use kenning_graph::facts::SymbolFact;
use kenning_graph::vocabulary::SymbolKind;

/// The dialect of Makefiles.
pub(crate) struct MakefileDialect;

impl Dialect for MakefileDialect {
    /// Moves rules in conditionals out of the rule whose recipe contains them.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        lift_members(symbols, |kind| kind == SymbolKind::Function);
    }
}
