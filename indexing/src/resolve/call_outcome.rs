//! The outcome of each call site in a file: its targets, or the reason why it has none. Benchmarks
//! compare the outcomes with the answers of language servers.

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
    /// Position of the called name.
    pub name: NameSpan,
    /// Path before the name, in the notation of [`kenning_graph::facts::ReferenceFact`].
    pub receiver: String,
    /// The innermost symbol around the call; the file's symbol outside all others.
    pub caller: SymbolId,
    /// Target of the call.
    pub outcome: CallOutcome,
    /// Whether this is a decorator. Its edge is `decorates`, from the decorator to the decorated
    /// symbol.
    pub is_decorator: bool,
}

/// The target of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallOutcome {
    /// Symbols of the workspace; several if the text alone does not identify one.
    Symbols(Vec<UseCandidate>),
    /// A target outside the workspace.
    External,
    /// No known target.
    Unresolved(UnresolvedReason),
}

/// Returns the call sites of each of these files in text order, resolved with the code that also
/// adds the edges. The snapshot must have been built from these facts. Runs on the current rayon
/// pool.
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
    let sites = with_file_context(snapshot, shared, project, file, facts, |context| {
        let calls = facts.references.iter().filter(|reference| is_call_reference(reference));
        calls.map(|reference| resolve_call_site(snapshot, &context, reference)).collect()
    });
    sites.unwrap_or_default()
}

fn is_call_reference(reference: &ReferenceFact) -> bool {
    matches!(reference.role, ReferenceRole::Call | ReferenceRole::Construct | ReferenceRole::Decorator)
}

fn resolve_call_site(snapshot: &Snapshot, context: &FileContext, reference: &ReferenceFact) -> CallSite {
    let mut edges = EdgeCollector::with_loops();
    name_uses::add_reference_edges(context, reference, &mut edges);
    let is_decorator = reference.role == ReferenceRole::Decorator;
    let kind = if is_decorator { EdgeKind::Decorates } else { EdgeKind::Calls };
    let is_external = edges.calls.external > 0
        || edges.found.iter().any(|edge| matches!(edge.target, EdgeTarget::Phantom { .. }));
    let mut targets = edge_candidates(snapshot, &edges);
    targets.retain(|target| {
        target.kind == kind && snapshot.symbol(target.symbol).is_some_and(|symbol| !symbol.kind.is_phantom())
    });
    let outcome = if !targets.is_empty() {
        CallOutcome::Symbols(targets)
    } else if is_external {
        CallOutcome::External
    } else {
        CallOutcome::Unresolved(unresolved_reason::explain_unresolved(context, reference))
    };
    let receiver = context.facts.strings.get(reference.receiver).to_owned();
    CallSite {
        name: reference.at,
        receiver,
        caller: context.symbol_id(reference.scope),
        outcome,
        is_decorator,
    }
}
