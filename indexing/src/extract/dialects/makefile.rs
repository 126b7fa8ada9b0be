//! The dialect of Makefiles: the grammar takes a conditional after a recipe for a part of the recipe, with
//! the rules in it.

use super::{Dialect, lift_members};
use crate::extract::raw_facts::DialectNote;
use kenning_graph::facts::SymbolFact;
use kenning_graph::vocabulary::SymbolKind;

/// The dialect of Makefiles.
pub(crate) struct MakefileDialect;

impl Dialect for MakefileDialect {
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        lift_members(symbols, |kind| kind == SymbolKind::Function);
    }
}
