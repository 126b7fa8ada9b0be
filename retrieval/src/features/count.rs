//! Numbers of symbols, with marks for approximate and capped numbers.

use std::fmt;

/// A number of symbols and how reliable it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolCount {
    /// Number of symbols found.
    pub value: usize,
    /// Whether some of them rest on ambiguous edges ([`super::is_ambiguous`]).
    pub approximate: bool,
    /// Whether counting stopped here, so that there are, or may be, more.
    pub capped: bool,
}

impl fmt::Display for SymbolCount {
    /// Writes `5`, `~5` or `1000+`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (if self.approximate { "~" } else { "" }, if self.capped { "+" } else { "" });
        write!(f, "{before}{}{after}", self.value)
    }
}

/// The three numbers of a symbol, which [`super`] defines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlastCounts {
    /// Distinct direct callers.
    pub callers: SymbolCount,
    /// Distinct symbols that depend on the symbol.
    pub dependents: SymbolCount,
    /// Distinct tests that reach the symbol.
    pub tests: SymbolCount,
}
