//! How each call site of a file is resolved, and why those that are not resolved are not: what benchmarks read.

use super::edges::Edges;
use super::own::Own;
use super::reason::{self, Reason};
use super::site::{Candidate, candidates};
use super::view::Shared;
use super::{uses, with_own};
use crate::project::Project;
use kenning_graph::facts::{NameSpan, Reference, Role};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, FileFacts, FileId, Snapshot, SymbolId};
use rayon::prelude::*;
use std::sync::Arc;

/// A call, a construction or a decorator in a file.
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
    /// A decorator: its edge is `decorates`, from what is called to what is decorated.
    pub decorator: bool,
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

/// The call sites of each of these files, in the order of its text, resolved by the code that makes all edges. The facts must
/// be those that the snapshot was given for the files. Runs on the current rayon pool.
pub fn call_sites(
    snapshot: &Snapshot,
    project: &Project,
    files: &[(FileId, Arc<FileFacts>)],
) -> Vec<Vec<CallSite>> {
    let shared = Shared::new(snapshot, project);
    files.par_iter().map(|(file, facts)| of_file(snapshot, &shared, project, *file, facts)).collect()
}

fn of_file<'a>(
    snapshot: &'a Snapshot,
    shared: &'a Shared<'a>,
    project: &'a Project,
    file: FileId,
    facts: &'a FileFacts,
) -> Vec<CallSite> {
    let sites = with_own(snapshot, shared, project, file, facts, |own| {
        let calls = facts.references.iter().filter(|reference| is_call(reference));
        calls.map(|reference| call_site(snapshot, &own, reference)).collect()
    });
    sites.unwrap_or_default()
}

fn is_call(reference: &Reference) -> bool {
    matches!(reference.role, Role::Call | Role::Construct | Role::Decorator)
}

fn call_site(snapshot: &Snapshot, own: &Own, reference: &Reference) -> CallSite {
    let mut edges = Edges::with_loops();
    uses::reference(own, reference, &mut edges);
    let decorator = reference.role == Role::Decorator;
    let kind = if decorator { EdgeKind::Decorates } else { EdgeKind::Calls };
    let outside = edges.calls.external > 0
        || edges.found.iter().any(|edge| matches!(edge.target, EdgeTarget::Phantom { .. }));
    let mut targets = candidates(snapshot, &edges);
    targets.retain(|c| {
        c.kind == kind && snapshot.symbol(c.symbol).is_some_and(|symbol| !symbol.kind.is_phantom())
    });
    let outcome = if !targets.is_empty() {
        Outcome::Symbols(targets)
    } else if outside {
        Outcome::External
    } else {
        Outcome::Unresolved(reason::of(own, reference))
    };
    let receiver = own.facts.strings.get(reference.receiver).to_owned();
    CallSite { name: reference.at, receiver, caller: own.id(reference.scope), outcome, decorator }
}
