//! Tests of resolution, and their support: functions that read a workspace from text and format its
//! edges as text.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

mod bash;
mod build_files;
mod c;
mod call_outcomes;
mod components;
mod configuration;
mod csharp;
mod dart;
mod documents;
mod edge_kinds;
mod elixir;
mod endpoints;
mod env_and_processes;
mod file_level_edges;
mod go;
mod graphql;
mod haskell;
mod hostile_input;
mod incremental;
mod incremental_members;
mod java;
mod kotlin;
mod lua;
mod mounts;
mod name_at_cursor;
mod ocaml;
mod overloads;
mod packages;
mod partial_endpoints;
mod php;
mod python;
mod reference_sites;
mod routes;
mod rpc;
mod ruby;
mod ruby_types;
mod rust;
mod scala;
mod script;
mod script_exports;
mod script_this;
mod script_types;
mod shared_names;
mod shared_resources;
mod static_members;
mod swift;
mod zig;

use super::resolve_files;
use crate::extract::Extractor;
use crate::languages::LanguageRegistry;
use crate::project::{ManifestFiles, Project};
use expect_test::Expect;
use kenning_graph::facts::FileFacts;
use kenning_graph::paths::{file_name, parent_folder};
use kenning_graph::snapshot::{CallStats, FileChange, FileEdges};
use kenning_graph::{Edge, EdgeKind, Hash, Provenance, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// Files by path.
pub(super) type Files = BTreeMap<String, String>;

/// Splits a fixture into files at its `//- path` lines. Removes the indentation of a section's
/// first line from all its lines.
pub(super) fn parse_fixture(fixture: &str) -> Files {
    let mut files = Files::new();
    let mut current: Option<(String, Option<usize>)> = None;
    for line in fixture.lines() {
        if let Some(path) = line.trim_start().strip_prefix("//- ") {
            files.insert(path.to_owned(), String::new());
            current = Some((path.to_owned(), None));
        } else if let Some((path, indent)) = &mut current {
            let own_indent = line.len() - line.trim_start().len();
            let indent = *indent.get_or_insert(own_indent);
            let text = files.get_mut(path).unwrap();
            writeln!(text, "{}", line.get(indent.min(own_indent)..).unwrap_or("")).unwrap();
        }
    }
    files
}

/// Returns the facts of a file; `None` if its language is unknown.
pub(super) fn extract_facts(path: &str, text: &str) -> Option<Arc<FileFacts>> {
    let language = LanguageRegistry::get().find_by_file(path, text.as_bytes())?;
    Some(Arc::new(Extractor::new().extract_file(language.language_id(), text.as_bytes())))
}

/// Returns the change that adds or replaces a file; `None` if the file's language is unknown.
pub(super) fn put_change(path: &str, text: &str) -> Option<FileChange> {
    Some(FileChange::Put {
        path: path.to_owned(),
        content_hash: Hash::from_content(text.as_bytes()),
        size: text.len() as u64,
        mtime_ns: 0,
        facts: extract_facts(path, text)?,
    })
}

/// Reads the project from the manifests among the files.
pub(super) fn read_project(files: &Files) -> Project {
    let paths: Vec<String> =
        files.keys().filter(|path| LanguageRegistry::get().find_by_path(path).is_some()).cloned().collect();
    let names = |folder: &str| {
        let in_folder = files.keys().filter(|path| parent_folder(path) == folder);
        in_folder.map(|path| file_name(path).to_owned()).collect()
    };
    Project::read_from_files(
        &paths,
        &ManifestFiles { read: &|path| Ok(files.get(path).cloned()), names: &names },
    )
}

/// Returns the snapshot of a workspace with all edges.
pub(super) fn resolve_workspace(files: &Files) -> Snapshot {
    let (snapshot, edges) = resolve_edges(files);
    snapshot.with_edges(edges)
}

/// Resolves the whole workspace. Returns the graph without edges, and the edges of each file.
pub(super) fn resolve_edges(files: &Files) -> (Snapshot, Vec<FileEdges>) {
    let changes = files.iter().filter_map(|(path, text)| put_change(path, text)).collect();
    let (snapshot, _) = Snapshot::empty().with_files(changes);
    let inputs: Vec<_> = files
        .iter()
        .filter_map(|(path, text)| Some((snapshot.file_by_path(path)?, extract_facts(path, text)?)))
        .collect();
    let edges = resolve_files(&snapshot, &read_project(files), &inputs);
    (snapshot, edges)
}

/// Returns the edges of the wanted kinds as sorted lines: `kind source -> target`, with the
/// confidence unless the edge is certain.
pub(super) fn format_edges(snapshot: &Snapshot, wanted: impl Fn(EdgeKind) -> bool) -> String {
    let mut lines = BTreeSet::new();
    let name = |id| snapshot.symbol(id).unwrap().qualified_name();
    for file in snapshot.files() {
        for id in snapshot.file_symbols(file) {
            let from_outside = snapshot.in_edges(id).into_iter().filter(|edge| edge.kind.starts_outside());
            let edges = snapshot.out_edges(id).into_iter().chain(from_outside);
            for edge in edges.filter(|edge| wanted(edge.kind)) {
                lines.insert(format!(
                    "{} {} -> {}{}\n",
                    edge.kind,
                    name(edge.source),
                    name(edge.target),
                    format_strength(&edge)
                ));
            }
        }
    }
    lines.into_iter().collect()
}

/// Returns the provenance and confidence of an edge; an empty string for a certain edge.
fn format_strength(edge: &Edge) -> String {
    match edge.provenance {
        Provenance::AstResolved | Provenance::Structural => String::new(),
        _ => format!(" ({} {:.2})", edge.provenance, edge.confidence),
    }
}

/// Checks the edges of these kinds. If the kinds include calls, also checks the call statistics.
pub(super) fn check(fixture: &str, kinds: &[EdgeKind], expected: Expect) {
    let snapshot = resolve_workspace(&parse_fixture(fixture));
    let mut calls = CallStats::default();
    for file in snapshot.files() {
        calls.add_stats(snapshot.file(file).unwrap().calls);
    }
    let mut text = format_edges(&snapshot, |kind| kinds.contains(&kind));
    if kinds.contains(&EdgeKind::Calls) {
        let CallStats { resolved, ambiguous, external, unresolved } = calls;
        writeln!(
            text,
            "resolved {resolved} ambiguous {ambiguous} external {external} unresolved {unresolved}"
        )
        .unwrap();
    }
    expected.assert_eq(&text);
}
