//! Answers about one symbol: its blast radius, the tests that a change of it affects, its neighbours, what stands at a
//! byte of a file.
//!
//! Hover, code lens, commands and command line show the same numbers because all of them ask here. What they count:
//!
//! * **callers**: distinct symbols with a `calls` edge to the target.
//! * **dependents**: distinct symbols that reach the target within [`DEPENDENT_HOPS`] hops over `calls`, `overrides`,
//!   `implements` and `extends`; counting stops at [`MAX_DEPENDENTS`].
//! * **tests**: distinct tests that reach it within [`TEST_HOPS`] hops over the same edges and `tests`. A test is what
//!   the text marks as one or what a `tests` edge starts at. Functions inside a test are part of it; a function
//!   of test code that others call is their helper and not a test.
//!
//! The target itself is never counted. What "the target" is depends on its kind: of a type also its constructors (who
//! constructs it, calls it; who extends it, depends on it), of a file everything that it declares (what is counted then
//! stands outside the file). A field, a constant or a symbol outside the workspace has callers only where something
//! calls it; [`BlastRadius::mentions`] says how many symbols use it otherwise.

mod affected;
mod blast;
mod count;
mod neighbourhood;
mod overriding;
mod reachability;
mod symbol_lookup;
#[cfg(test)]
mod tests;
mod tests_of;

pub use affected::{AffectedTest, AffectedTests, affected_tests};
pub use blast::{
    BlastOptions, BlastRadius, DependentSymbol, DirectCaller, FolderCount, OverrideReach, TestReach,
    blast_counts, blast_radius,
};
pub use count::{BlastCounts, SymbolCount};
pub use neighbourhood::{NeighbourSymbol, SymbolNeighbourhood, build_neighbourhood};
pub use reachability::{DEPENDENT_HOPS, MAX_DEPENDENTS, TEST_HOPS};
pub use symbol_lookup::{SymbolAt, symbol_at};

use kenning_graph::Edge;

/// Edges below this confidence fit several targets or a common name; what rests on one is shown as approximate.
/// Resolution gives 0.7 to an edge by a unique name.
pub const AMBIGUOUS_BELOW: f32 = 0.7;

/// Whether an edge may as well lead elsewhere.
pub fn is_ambiguous(edge: &Edge) -> bool {
    edge.confidence < AMBIGUOUS_BELOW
}
