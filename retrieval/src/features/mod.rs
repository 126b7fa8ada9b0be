//! Answers about one symbol: its blast radius, the tests that a change of it affects, its
//! neighbours, and the symbol at a byte of a file.
//!
//! Hover, code lens, commands and command line show the same numbers because all of them call these
//! functions. The numbers are defined as follows:
//!
//! * **callers**: distinct symbols that call the target, pass it on to be called, call something that
//!   it overrides, or request its route.
//! * **uses**: distinct symbols that use the target or one of its members in any way.
//! * **implementations**: distinct types that extend or implement it.
//! * **dependents**: distinct symbols that reach the target within [`MAX_HOPS`] hops over these
//!   edges; counting stops at [`MAX_DEPENDENTS`].
//! * **tests**: distinct tests among the dependents, and those with a `tests` edge. A test is a symbol
//!   that the text marks as one or the source of a `tests` edge. Functions inside a test are part of
//!   it. A function of test code that others call is a helper and not a test.
//!
//! The target itself is never counted. The target of a type includes its members, so that what uses a
//! member uses the type. The target of a file includes everything that the file declares, so only
//! symbols outside the file are counted.
//!
//! `incoming_edges` decides which edges are followed, `reachability` follows them, `unresolved` says
//! whether a zero is certain.

mod affected;
mod blast;
mod count;
mod incoming_edges;
mod neighbourhood;
mod overriding;
mod reachability;
mod request_entries;
mod symbol_lookup;
#[cfg(test)]
mod tests;
mod tests_of;
mod unresolved;
mod users;

pub use affected::{AffectedTest, AffectedTests, affected_tests};
pub use blast::{
    BlastOptions, BlastRadius, DependentSymbol, DirectCaller, FolderCount, OverrideReach, TestReach,
    blast_counts, blast_radius,
};
pub use count::{BlastCounts, CountedKind, SymbolCount};
pub use neighbourhood::{NeighbourSymbol, SymbolNeighbourhood, build_neighbourhood};
pub use reachability::{MAX_DEPENDENTS, MAX_HOPS};
pub use symbol_lookup::{SymbolAt, symbol_at};
pub use unresolved::HiddenUses;
pub use users::{DirectUser, UserRole, direct_users, has_users};

use kenning_graph::Edge;

/// Confidence below which an edge fits several targets or a common name. Results that rest on such
/// an edge are shown as approximate. Resolution gives 0.7 to an edge by a unique name.
pub const AMBIGUOUS_BELOW: f32 = 0.7;

/// Whether an edge may lead to another target instead.
pub fn is_ambiguous(edge: &Edge) -> bool {
    edge.confidence < AMBIGUOUS_BELOW
}
