//! How each call site of a file is resolved, and why those that are not resolved are not: what benchmarks read.

use super::edges::Edges;
use super::reason::{self, Reason};
use super::site::{Candidate, candidates};
use super::view::Shared;
use super::{uses, with_own};
use crate::project::Project;
use kenning_graph::facts::{NameSpan, Role};
use kenning_graph::{EdgeKind, FileFacts, FileId, Snapshot, SymbolId};

/// A call or a construction in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSite {
    /// Where the called name stands.
    pub name: NameSpan,
    /// What stands before the name, in the notation of [`kenning_graph::facts::Reference`].
    pub receiver: String,
    /// The innermost symbol around the call; the file's outside of all symbols.
    pub caller: SymbolId,
    /// Where it leads.
    pub outcome: Outcome,
}

/// Where a call leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// To these symbols of the workspace; several where the text alone cannot tell.
    Symbols(Vec<Candidate>),
    /// Out of the workspace.
    External,
    /// To nothing known.
    Unresolved(Reason),
}

/// Every call site of a file, in the order of the text, resolved by the code that makes all edges. The facts must be those
/// that the snapshot was given for the file.
pub fn call_sites(snapshot: &Snapshot, project: &Project, file: FileId, facts: &FileFacts) -> Vec<CallSite> {
    let shared = Shared::new(snapshot);
    let sites = with_own(snapshot, &shared, project, file, facts, |own| {
        let calls = facts.references.iter().filter(|r| matches!(r.role, Role::Call | Role::Construct));
        calls
            .map(|reference| {
                let mut edges = Edges::with_loops();
                uses::reference(&own, reference, &mut edges);
                let mut targets = candidates(snapshot, &edges);
                targets.retain(|c| {
                    c.kind == EdgeKind::Calls
                        && snapshot.symbol(c.symbol).is_some_and(|s| !s.kind.is_phantom())
                });
                let outcome = if !targets.is_empty() {
                    Outcome::Symbols(targets)
                } else if edges.calls.external > 0 {
                    Outcome::External
                } else {
                    Outcome::Unresolved(reason::of(&own, reference))
                };
                let receiver = facts.strings.get(reference.receiver).to_owned();
                CallSite { name: reference.at, receiver, caller: own.id(reference.scope), outcome }
            })
            .collect()
    });
    sites.unwrap_or_default()
}
