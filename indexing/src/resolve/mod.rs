//! Resolution, the second pass of indexing: turns the references in file facts into edges, with the
//! facts of the whole workspace.
//!
//! Input: a `Snapshot`, the [`Project`] (manifests, search paths) and the facts of the files to
//! resolve. Output: one `FileEdges` per file, with its edges, its call counts and its lookups.
//!
//! `resolve_files` runs in two phases:
//!
//! 1. It creates indexes over the snapshot that all files of the call share
//!    (`tracked_snapshot::SharedIndexes`). They are filled on demand.
//! 2. It resolves the files in parallel. Each file gets a view that logs its lookups
//!    ([`tracked_snapshot::TrackedSnapshot`]), a `resolver::Resolver` that looks up names, members
//!    and types across files, and a `file_context::FileContext` with its scopes and local names.
//!    One function per source of edges (declarations, imports, references, routes, tests, ...) then
//!    adds edges to an `edge_collector::EdgeCollector`.
//!
//! Invariants:
//!
//! * A file's edges are a function of its own facts, the project and the values of the keys it
//!   looked up through the view. Nothing else is read. Resolving only the files whose keys changed
//!   therefore gives the same graph as resolving all files.
//! * The result does not depend on the number of threads or the order of the files.
//!
//! The differences between languages are in `resolve/lang`. Documents have no scopes;
//! `document_edges` resolves their names and links.

mod argument_labels;
mod call_outcome;
mod closure_arguments;
mod co_tested;
mod declaration_edges;
mod definition;
mod doc_references;
mod document_edges;
mod edge_collector;
mod extension_methods;
mod file_context;
mod file_names;
mod graphql_resolvers;
mod helper_tests;
mod import_edges;
mod inherited_methods;
mod lang;
mod lookup_cache;
mod members;
mod mount_graph;
mod name_uses;
mod named_types;
mod open_types;
mod overloads;
mod overrides;
mod package_edges;
mod path_notation;
mod platform_variants;
mod receiver_results;
mod reference_sites;
mod resolver;
mod route_edges;
mod rpc_services;
mod same_name_symbols;
mod separate_definitions;
mod shared_resources;
mod similar_bodies;
mod static_members;
mod structural_values;
mod symbol_values;
mod test_fixtures;
mod tracked_snapshot;
mod unresolved_reason;
mod use_site;

use crate::project::Project;
use kenning_graph::snapshot::FileEdges;
use kenning_graph::{FileFacts, FileId, Snapshot, SymbolRef};
use lang::family::LanguageFamily;
use rayon::prelude::*;
use std::sync::Arc;

pub(crate) use package_edges::files_with_changed_dependencies;

pub use call_outcome::{CallOutcome, CallSite, collect_call_sites};
pub use reference_sites::{collect_sites, is_test_file};
pub use unresolved_reason::UnresolvedReason;
pub use use_site::{UseCandidate, UseSite, calls_in_symbol, resolve_site};

/// Version of the resolver. Raise it when a change gives other edges for the same facts. Files
/// whose stored edges have another version are resolved again.
pub const RESOLVER_VERSION: u32 = 15;

/// Resolves these files and returns their edges, in the order of `files`. The snapshot must have
/// been built from these facts. Runs on the current rayon pool; the result does not depend on its
/// size. Files of languages without resolution rules get only the edges to their owners and
/// packages.
pub fn resolve_files(
    snapshot: &Snapshot,
    project: &Project,
    files: &[(FileId, Arc<FileFacts>)],
) -> Vec<FileEdges> {
    let shared = tracked_snapshot::SharedIndexes::new(snapshot, project);
    files.par_iter().map(|(file, facts)| resolve_file(snapshot, &shared, project, *file, facts)).collect()
}

fn resolve_file<'a>(
    snapshot: &'a Snapshot,
    shared: &'a tracked_snapshot::SharedIndexes<'a>,
    project: &'a Project,
    file: FileId,
    facts: &'a FileFacts,
) -> FileEdges {
    let Some(entry) = snapshot.file(file) else { return FileEdges::default() };
    let mut edges = edge_collector::EdgeCollector::default();
    if let Some(&file_symbol) = snapshot.file_symbols(file).first() {
        edges.add_owner_edges(file_symbol, &project.owners.owners_of_file(entry.path));
        package_edges::add_dependency_edges(snapshot, project, file_symbol, entry.path, &mut edges);
    }
    if facts.is_document {
        let lookups = document_edges::add_document_edges(snapshot, shared, file, facts, &mut edges);
        return FileEdges { path: entry.path.to_owned(), edges: edges.found, lookups, calls: edges.calls };
    }
    let lookups = with_file_context(snapshot, shared, project, file, facts, |context| {
        declaration_edges::add_declaration_edges(&context, &mut edges);
        lang::rust_impls::add_file_impl_edges(&context, &mut edges);
        import_edges::add_file_import_edges(&context, &mut edges);
        name_uses::add_file_reference_edges(&context, &mut edges);
        test_fixtures::add_fixture_edges(&context, &mut edges);
        route_edges::add_route_edges(&context, &mut edges);
        mount_graph::record_mount_lookups(&context, snapshot, project, file);
        rpc_services::add_service_edges(&context, &mut edges);
        shared_resources::add_definition_edges(&context, &mut edges);
        graphql_resolvers::add_resolver_edges(&context, &mut edges);
        co_tested::add_co_tested_edges(&context, &mut edges);
        similar_bodies::add_similarity_edges(&context, &mut edges);
        helper_tests::add_helper_test_edges(&context, &mut edges);
        test_fixtures::add_setup_edges(&context, &mut edges);
        context.resolver.view.into_lookups()
    });
    FileEdges {
        path: entry.path.to_owned(),
        edges: edges.found,
        lookups: lookups.unwrap_or_default(),
        calls: edges.calls,
    }
}

/// Runs `run` on the context of a file. Returns `None` if the file cannot be resolved: it is not in
/// the graph, its language has no rules, or the facts do not match the snapshot.
fn with_file_context<'a, T>(
    snapshot: &'a Snapshot,
    shared: &'a tracked_snapshot::SharedIndexes<'a>,
    project: &'a Project,
    file: FileId,
    facts: &'a FileFacts,
    run: impl FnOnce(file_context::FileContext<'a>) -> T,
) -> Option<T> {
    let entry = snapshot.file(file)?;
    let family = LanguageFamily::from_language(&facts.language)?;
    let mut symbols: Vec<SymbolRef> = snapshot.file_symbol_refs(file);
    if symbols.is_empty() {
        return None;
    }
    let file_symbol = symbols.remove(0).id;
    if symbols.len() != facts.symbols.len() {
        tracing::warn!(path = entry.path, "facts and snapshot disagree on the symbols of a file");
        return None;
    }
    let view = tracked_snapshot::TrackedSnapshot::new(snapshot, shared, family);
    let mut resolver = resolver::Resolver::new(view, project, family, entry.path, &facts.package);
    resolver.impls = lang::rust_impls::ForeignImpl::collect_impls(facts);
    Some(run(file_context::FileContext::new(resolver, facts, file_symbol, symbols)))
}

#[cfg(test)]
mod tests;
