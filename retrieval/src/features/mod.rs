//! Answers about one symbol: its blast radius, the tests that a change to it affects, its
//! neighbors, and the symbol at a byte of a file.
//!
//! Hover, code lens, commands and command line show the same numbers because all of them call these
//! functions. The numbers are defined as follows:
//!
//! * **callers**: distinct symbols that call the target, pass it on to be called, call a symbol
//!   that it overrides, or request its route.
//! * **uses**: distinct symbols that use the target or one of its members in any way.
//! * **implementations**: distinct types that extend or implement it.
//! * **dependents**: distinct symbols that reach the target within [`MAX_HOPS`] hops over the edges
//!   of `incoming_edges`; counting stops at [`MAX_DEPENDENTS`].
//! * **tests**: distinct tests that are dependents, have a `tests` edge to one or ran the target in
//!   a recording. Tests that a recording refutes are not counted. A test is a symbol that the text
//!   marks as one or the source of a `tests` edge. Functions inside a test are part of it. A
//!   function of test code that others call is a helper and not a test.
//!
//! The target itself is never counted. A type as a target includes its members, so a use of a
//! member is a use of the type. A file as a target includes everything that it declares, so only
//! symbols outside the file are counted.
//!
//! `incoming_edges` selects the edges to follow, `reachability` follows them, and `unresolved`
//! determines whether a zero is certain.

mod affected;
mod blast;
mod blast_counts;
mod incoming_edges;
mod neighborhood;
mod object_users;
mod outside_callers;
mod overriding;
mod reachability;
mod reaching_tests;
mod request_entries;
mod shared_users;
mod symbol_lookup;
mod test_setup;
#[cfg(test)]
mod tests;
mod unresolved;
mod users;

pub use affected::{AffectedTest, AffectedTests, affected_tests};
pub use blast::{
    BlastOptions, BlastRadius, DependentSymbol, DirectCaller, FolderCount, OverrideReach, TestReach,
    blast_counts, blast_radius,
};
pub use blast_counts::{BlastCounts, CountedKind, RecordedTests, SymbolCount, group_digits};
pub use neighborhood::{NeighborSymbol, SymbolNeighborhood, build_neighborhood};
pub use reachability::{MAX_DEPENDENTS, MAX_HOPS};
pub(crate) use reaching_tests::{is_test, outermost_test};
pub use shared_users::{SharedUser, shared_nodes, users_of_nodes};
pub use symbol_lookup::{SymbolAt, symbol_at};
pub use unresolved::HiddenUses;
pub use users::{DirectUser, UserRole, direct_users, has_users};

use kenning_graph::Edge;

/// Confidence below which an edge may have several targets. Counts that depend on such an edge are
/// approximate. Resolution gives an edge by a unique name a confidence of 0.7.
pub const AMBIGUOUS_BELOW: f32 = 0.7;

/// Whether an edge may lead to another target instead.
pub fn is_ambiguous(edge: &Edge) -> bool {
    edge.confidence < AMBIGUOUS_BELOW
}
