//! How each call site of a file is resolved, and why those that are not resolved are not: what benchmarks read.

use super::edge_collector::EdgeCollector;
use super::file_context::FileContext;
use super::tracked_snapshot::SharedIndexes;
use super::unresolved_reason::{self, UnresolvedReason};
use super::use_site::{UseCandidate, edge_candidates};
use super::{name_uses, with_file_context};
use crate::project::Project;
use kenning_graph::facts::{NameSpan, ReferenceFact, ReferenceRole};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, FileFacts, FileId, Snapshot, SymbolId};
use rayon::prelude::*;
use std::sync::Arc;

/// A call, a construction or a decorator in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSite {
    /// Where the called name stands.
    pub name: NameSpan,
    /// The path before the name, in the notation of [`kenning_graph::facts::ReferenceFact`].
    pub receiver: String,
    /// The innermost symbol around the call; the file's outside of all symbols.
    pub caller: SymbolId,
    /// Where it leads.
    pub outcome: CallOutcome,
    /// A decorator: its edge is `decorates`, from what is called to what is decorated.
    pub decorator: bool,
}

/// Where a call leads.
#[derive(Clone, Debug, PartialEq)]
pub enum CallOutcome {
    /// To these symbols of the workspace; several where the text alone cannot tell.
    Symbols(Vec<UseCandidate>),
    /// Out of the workspace.
    External,
    /// To nothing known.
    Unresolved(UnresolvedReason),
}

/// The call sites of each of these files, in the order of its text, resolved by the code that makes all edges. The facts must
/// be those that the snapshot was given for the files. Runs on the current rayon pool.
pub fn collect_call_sites(
    snapshot: &Snapshot,
    project: &Project,
    files: &[(FileId, Arc<FileFacts>)],
) -> Vec<Vec<CallSite>> {
    let shared = SharedIndexes::new(snapshot, project);
    files
        .par_iter()
        .map(|(file, facts)| call_sites_in_file(snapshot, &shared, project, *file, facts))
        .collect()
}

fn call_sites_in_file<'a>(
    snapshot: &'a Snapshot,
    shared: &'a SharedIndexes<'a>,
    project: &'a Project,
    file: FileId,
    facts: &'a FileFacts,
) -> Vec<CallSite> {
    let sites = with_file_context(snapshot, shared, project, file, facts, |own| {
        let calls = facts.references.iter().filter(|reference| is_call_reference(reference));
        calls.map(|reference| resolve_call_site(snapshot, &own, reference)).collect()
    });
    sites.unwrap_or_default()
}

fn is_call_reference(reference: &ReferenceFact) -> bool {
    matches!(reference.role, ReferenceRole::Call | ReferenceRole::Construct | ReferenceRole::Decorator)
}

fn resolve_call_site(snapshot: &Snapshot, own: &FileContext, reference: &ReferenceFact) -> CallSite {
    let mut edges = EdgeCollector::with_loops();
    name_uses::add_reference_edges(own, reference, &mut edges);
    let decorator = reference.role == ReferenceRole::Decorator;
    let kind = if decorator { EdgeKind::Decorates } else { EdgeKind::Calls };
    let outside = edges.calls.external > 0
        || edges.found.iter().any(|edge| matches!(edge.target, EdgeTarget::Phantom { .. }));
    let mut targets = edge_candidates(snapshot, &edges);
    targets.retain(|c| {
        c.kind == kind && snapshot.symbol(c.symbol).is_some_and(|symbol| !symbol.kind.is_phantom())
    });
    let outcome = if !targets.is_empty() {
        CallOutcome::Symbols(targets)
    } else if outside {
        CallOutcome::External
    } else {
        CallOutcome::Unresolved(unresolved_reason::explain_unresolved(own, reference))
    };
    let receiver = own.facts.strings.get(reference.receiver).to_owned();
    CallSite { name: reference.at, receiver, caller: own.symbol_id(reference.scope), outcome, decorator }
}
