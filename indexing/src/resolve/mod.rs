//! References to edges: the second, project-wide pass.
//!
//! A file's edges are a function of its own facts, the [`Project`] and the values of the keys it looked up through
//! [`view::View`]; nothing else is read. So resolving the files whose keys changed gives the same graph as resolving
//! all of them.

mod co_tested;
mod docs;
mod edges;
mod extensions;
mod family;
mod fixtures;
mod impls;
mod imports;
mod inherits;
mod lang;
mod meaning;
mod members;
mod memo;
mod mounts;
mod named;
mod notation;
mod outcome;
mod overloads;
mod overrides;
mod own;
mod reason;
mod resolver;
mod routes;
mod rpc;
mod satisfied;
mod shaped;
mod shapes;
mod sides;
mod similar;
mod site;
mod sites;
mod structure;
mod tested;
mod types;
mod uses;
mod view;

use crate::project::Project;
use family::Family;
use kenning_graph::snapshot::FileEdges;
use kenning_graph::{FileFacts, FileId, Snapshot, SymbolRef};
use rayon::prelude::*;
use std::sync::Arc;

pub use outcome::{CallSite, Outcome, call_sites};
pub use reason::Reason;
pub use site::{Candidate, Site, calls_in, resolve_site};
pub use sites::{is_test_file, sites};

/// Raise when the same facts give other edges: stored edges made with another number are made again.
pub const RESOLVER_VERSION: u32 = 10;

/// The edges of these files, in the order of the files. The facts must be those the snapshot was given for them.
/// Runs on the current rayon pool; the result does not depend on its size. Files of languages without resolution
/// rules get no edges but those to their owners.
pub fn resolve_files(
    snapshot: &Snapshot,
    project: &Project,
    files: &[(FileId, Arc<FileFacts>)],
) -> Vec<FileEdges> {
    let shared = view::Shared::new(snapshot, project);
    files.par_iter().map(|(file, facts)| resolve_file(snapshot, &shared, project, *file, facts)).collect()
}

fn resolve_file<'a>(
    snapshot: &'a Snapshot,
    shared: &'a view::Shared<'a>,
    project: &'a Project,
    file: FileId,
    facts: &'a FileFacts,
) -> FileEdges {
    let Some(entry) = snapshot.file(file) else { return FileEdges::default() };
    let mut edges = edges::Edges::default();
    if let Some(&file_symbol) = snapshot.file_symbols(file).first() {
        edges.owners(file_symbol, &project.owners.of(entry.path));
    }
    let lookups = with_own(snapshot, shared, project, file, facts, |own| {
        structure::declarations(&own, &mut edges);
        impls::implementations(&own, &mut edges);
        imports::imports(&own, &mut edges);
        uses::references(&own, &mut edges);
        fixtures::fixtures(&own, &mut edges);
        routes::routes(&own, &mut edges);
        mounts::depend(&own, (snapshot, project), file);
        rpc::services(&own, &mut edges);
        co_tested::pairs(&own, &mut edges);
        similar::bodies(&own, &mut edges);
        tested::through_helpers(&own, &mut edges);
        fixtures::set_up(&own, &mut edges);
        own.r.view.into_lookups()
    });
    FileEdges {
        path: entry.path.to_owned(),
        edges: edges.found,
        lookups: lookups.unwrap_or_default(),
        calls: edges.calls,
    }
}

/// Runs something on a file that is ready to be resolved; `None` where it cannot be: it is not in the graph, its language
/// has no rules, or the facts are not those of the snapshot.
fn with_own<'a, T>(
    snapshot: &'a Snapshot,
    shared: &'a view::Shared<'a>,
    project: &'a Project,
    file: FileId,
    facts: &'a FileFacts,
    run: impl FnOnce(own::Own<'a>) -> T,
) -> Option<T> {
    let entry = snapshot.file(file)?;
    let family = Family::of(&facts.language)?;
    let mut symbols: Vec<SymbolRef> = snapshot.symbols_in(file);
    if symbols.is_empty() {
        return None;
    }
    let file_symbol = symbols.remove(0).id;
    if symbols.len() != facts.symbols.len() {
        tracing::warn!(path = entry.path, "facts and snapshot disagree on the symbols of a file");
        return None;
    }
    let view = view::View::new(snapshot, shared, family);
    let mut resolver = resolver::Resolver::new(view, project, family, entry.path, &facts.package);
    resolver.impls = impls::Impl::all(facts);
    Some(run(own::Own::new(resolver, facts, file_symbol, symbols)))
}

#[cfg(test)]
mod tests;
