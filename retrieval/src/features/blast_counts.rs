//! The counts of a symbol that titles show, with marks for approximate and capped counts.

use kenning_graph::SymbolKind;
use std::fmt;

/// A symbol count and its reliability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolCount {
    /// Number of symbols found.
    pub value: usize,
    /// Whether some of them depend on ambiguous edges ([`super::is_ambiguous`]).
    pub approximate: bool,
    /// Whether counting stopped at a bound, so that there may be more.
    pub capped: bool,
}

impl fmt::Display for SymbolCount {
    /// Writes `5`, `~5` or `1,000+`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (prefix, suffix) = (if self.approximate { "~" } else { "" }, if self.capped { "+" } else { "" });
        write!(f, "{prefix}{}{suffix}", group_digits(self.value))
    }
}

/// Returns a number with commas between groups of three digits: `50,000`.
pub fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The kind of a symbol, which decides the counts that its title shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedKind {
    /// A function, a method, a file or a module: symbols that have callers.
    #[default]
    Callable,
    /// A type: a symbol that has uses, implementations and extensions.
    Type,
    /// A constant, a variable, a field or an enum member: symbols that have uses.
    Value,
}

impl CountedKind {
    /// Returns the kind that determines which counts of a symbol are shown.
    pub fn from_symbol_kind(kind: SymbolKind) -> Self {
        match kind {
            SymbolKind::File | SymbolKind::Module => Self::Callable,
            kind if kind.is_callable() => Self::Callable,
            kind if kind.is_type() => Self::Type,
            _ => Self::Value,
        }
    }
}

/// The recorded tests of a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedTests {
    /// Number of tests that ran the symbol in a recording and are still valid: neither the test nor
    /// the symbol has changed since.
    pub fresh: usize,
    /// Number of tests that ran the symbol only before the test or the symbol changed.
    pub stale: usize,
    /// The time of the last recording, in seconds since the Unix epoch.
    pub last_seen: i64,
}

/// The counts of a symbol. [`super`] defines each count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlastCounts {
    /// The kind, which determines the counts that a title shows.
    pub kind: CountedKind,
    /// Distinct direct callers.
    pub callers: SymbolCount,
    /// Distinct symbols that use the symbol or its members, calls included.
    pub uses: SymbolCount,
    /// Distinct types that extend or implement the symbol.
    pub implementations: SymbolCount,
    /// Distinct symbols that depend on the symbol.
    pub dependents: SymbolCount,
    /// Distinct tests that reach the symbol.
    pub tests: SymbolCount,
    /// The tests among them that ran the symbol in a recording.
    pub recorded: RecordedTests,
    /// Whether a count is 0 although the symbol may be used in a way that the text does not show.
    /// Such a 0 is approximate.
    pub may_have_hidden_uses: bool,
}
