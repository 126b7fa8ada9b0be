//! The groups in which the text forms show the symbols of a pack.

use kenning_retrieval::PackSymbol;

/// A group of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolGroup {
    /// The request matches the symbol directly.
    Target,
    /// One hop away from a target.
    Related,
    /// Farther away.
    Extended,
}

impl SymbolGroup {
    /// All groups, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Target, Self::Related, Self::Extended];
}

/// Returns the group that shows a symbol.
pub const fn group_of_symbol(symbol: &PackSymbol) -> SymbolGroup {
    match symbol.distance {
        0 => SymbolGroup::Target,
        1 => SymbolGroup::Related,
        _ => SymbolGroup::Extended,
    }
}
