//! Lists the direct users of a symbol, each with its role: callers, callers of an overridden
//! symbol, other uses, implementations, and code that may run it by creating its object.
//!
//! These users are the dependents at one hop of a blast radius. The users of a user are the next
//! level of a tree, so a tree of users needs no other data.

use super::incoming_edges::{ExpandedRole, IncomingEdges, Indirection, is_use};
use super::is_ambiguous;
use super::reachability::{ReachSearch, ReachingSymbol};
use kenning_graph::{EdgeKind, Provenance, Snapshot, SymbolId};

/// The role of a user for the symbol that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UserRole {
    /// It calls the symbol, passes it on to be called, or requests its route. Calls that a trace
    /// recorded also count.
    Caller,
    /// It calls a symbol that this symbol overrides; dispatch decides at run time which of them
    /// runs.
    Dispatch,
    /// It uses the symbol without a call: by reading, writing or naming it, or in a signature.
    Use,
    /// It extends, implements or overrides the symbol.
    Implementation,
    /// It may run the symbol: it creates an instance of a type with a member that the language or
    /// code outside the workspace calls, it contains the function, or it is a test that runs after
    /// the symbol has set it up.
    Possible,
    /// It is a test that reaches the symbol.
    Test,
}

impl UserRole {
    /// Returns the name of the role in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Dispatch => "dispatch",
            Self::Use => "use",
            Self::Implementation => "implementation",
            Self::Possible => "possible",
            Self::Test => "test",
        }
    }

    /// Returns the role of a dependent for the next symbol on its path to the target. A test has
    /// the role of its use of that symbol.
    pub(super) fn of_dependent(snapshot: &Snapshot, reached: &ReachingSymbol) -> Self {
        let edge = &reached.edge;
        match edge.kind {
            EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Overrides => Self::Implementation,
            EdgeKind::Calls | EdgeKind::References
                if reached.through.is_some_and(|base| base != edge.target) =>
            {
                Self::Dispatch
            }
            EdgeKind::MemberOf | EdgeKind::Contains | EdgeKind::Tests => Self::Possible,
            // Code that names a callable without a call usually passes it on to be called.
            EdgeKind::References if is_callable(snapshot, edge.target) => Self::Caller,
            kind if is_use(kind) => Self::Use,
            _ => Self::Caller,
        }
    }
}

/// A symbol that uses a target directly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectUser {
    /// The user.
    pub symbol: SymbolId,
    /// Its role for the target. Never [`UserRole::Test`]: a test that calls the target is a caller.
    pub role: UserRole,
    /// The used symbol: the target, or a part of it (a member of a type).
    pub used: SymbolId,
    /// For [`UserRole::Dispatch`]: the overridden symbol that is called.
    pub through: Option<SymbolId>,
    /// The kind of the edge to the used symbol.
    pub kind: EdgeKind,
    /// Provenance of that edge.
    pub provenance: Provenance,
    /// 0-based line of the first use in the user's file.
    pub line: Option<u32>,
    /// Whether the use may be a use of another symbol.
    pub ambiguous: bool,
    /// Whether the user is a part of a test.
    pub is_test: bool,
}

/// Returns the direct users of these targets taken together: by role, users in tests last, and then
/// by path and line.
pub fn direct_users(snapshot: &Snapshot, targets: &[SymbolId]) -> Vec<DirectUser> {
    list_users(&ReachSearch::new(snapshot, targets, 1, Indirection::Dispatch), usize::MAX)
}

/// Returns at most `limit` of the direct users.
pub(super) fn list_users(reach: &ReachSearch, limit: usize) -> Vec<DirectUser> {
    if limit == 0 {
        return Vec::new();
    }
    let snapshot = reach.snapshot;
    let mut users: Vec<DirectUser> =
        reach.direct_dependents().map(|reached| describe_user(snapshot, reached)).collect();
    users.sort_by_cached_key(|user| {
        let symbol = snapshot.symbol(user.symbol);
        let path = symbol.map_or_else(String::new, |s| s.path.to_owned());
        (user.role, user.is_test, path, user.line, symbol.map_or(0, |s| s.span.start), user.symbol)
    });
    users.truncate(limit);
    users
}

fn describe_user(snapshot: &Snapshot, reached: &ReachingSymbol) -> DirectUser {
    let role = UserRole::of_dependent(snapshot, reached);
    DirectUser {
        symbol: reached.id,
        role,
        used: reached.edge.target,
        through: reached.through.filter(|_| role == UserRole::Dispatch),
        kind: reached.edge.kind,
        provenance: reached.edge.provenance,
        line: reached.edge.line,
        ambiguous: is_ambiguous(&reached.edge),
        is_test: snapshot.symbol_facets(reached.id).is_some_and(|facets| facets.is_test),
    }
}

/// Whether a symbol or, if it is a type, one of its members has users.
pub fn has_users(snapshot: &Snapshot, id: SymbolId) -> bool {
    let mut is_used = false;
    snapshot.for_each_in_edge(id, |edge| match edge.kind {
        EdgeKind::Calls | EdgeKind::Overrides | EdgeKind::Implements | EdgeKind::Extends => is_used = true,
        kind => is_used |= is_use(kind),
    });
    let is_type = snapshot.symbol_facets(id).is_some_and(|facets| facets.kind.is_type());
    is_used
        || !IncomingEdges::read(snapshot, id, ExpandedRole::Target, Indirection::Dispatch).followed.is_empty()
        || (is_type && !direct_users(snapshot, &[id]).is_empty())
}

fn is_callable(snapshot: &Snapshot, id: SymbolId) -> bool {
    snapshot.symbol_facets(id).is_some_and(|facets| facets.kind.is_callable())
}
