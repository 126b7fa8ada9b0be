//! Numbers that say how sure they are.

use std::fmt;

/// A number of symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolCount {
    /// How many were found.
    pub value: usize,
    /// Part of them rests on ambiguous edges ([`super::is_ambiguous`]).
    pub approximate: bool,
    /// Counting stopped here: there are, or may be, more.
    pub capped: bool,
}

impl fmt::Display for SymbolCount {
    /// `5`, `~5`, `1000+`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (if self.approximate { "~" } else { "" }, if self.capped { "+" } else { "" });
        write!(f, "{before}{}{after}", self.value)
    }
}

/// The three numbers of a symbol ([`super`] defines them).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlastCounts {
    /// Distinct direct callers.
    pub callers: SymbolCount,
    /// Distinct symbols that depend on it.
    pub dependents: SymbolCount,
    /// Distinct tests that reach it.
    pub tests: SymbolCount,
}
