//! Resolves a folder and counts its call sites by result. With a path, also prints all edges and
//! unresolved calls in that file; with a kind of edges, all edges of that kind.
//!
//! `cargo run --example edges -- FOLDER [PATH|KIND]`

use kenning_graph::facts::{FileFacts, ReferenceRole};
use kenning_graph::snapshot::{EdgeTarget, FileChange, FileEdges};
use kenning_graph::{EdgeKind, Hash, Snapshot, SymbolId};
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::project::Project;
use kenning_indexing::resolve::resolve_files;
use kenning_indexing::walk::{WalkOptions, content_skip_reason, walk_tree};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next() else { return writeln!(out, "usage: edges FOLDER [PATH|KIND]") };
    let path_or_kind = arguments.next();
    let is_candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
    let is_claimed =
        |path: &str, text: &[u8]| LanguageRegistry::get().find_by_beginning(path, text).is_some();
    let mut options = WalkOptions::new(&is_candidate);
    options.first_bytes = Some(&is_claimed);
    let started = Instant::now();
    let walk = walk_tree(Path::new(&root), &options).map_err(std::io::Error::other)?;
    let mut extractor = Extractor::new();
    let mut changes = Vec::new();
    let mut facts = BTreeMap::new();
    for file in &walk.files {
        let bytes = std::fs::read(&file.absolute)?;
        if content_skip_reason(&file.path, &bytes, &options).is_some() {
            continue;
        }
        let Some(language) = LanguageRegistry::get().find_by_file(&file.path, &bytes) else { continue };
        let file_facts = Arc::new(extractor.extract_file(language.language_id(), &bytes));
        facts.insert(file.path.clone(), file_facts.clone());
        changes.push(FileChange::Put {
            path: file.path.clone(),
            content_hash: Hash::from_content(&bytes),
            size: file.size,
            mtime_ns: file.mtime_ns,
            facts: file_facts,
        });
    }
    let paths: Vec<String> = facts.keys().cloned().collect();
    let project = Project::load_manifests(Path::new(&root), &paths);
    let extracted = started.elapsed();
    let started = Instant::now();
    let (snapshot, _) = Snapshot::empty().with_files(changes);
    let inserted = started.elapsed();
    let inputs: Vec<_> = facts
        .iter()
        .filter_map(|(path, facts)| Some((snapshot.file_by_path(path)?, facts.clone())))
        .collect();
    let started = Instant::now();
    let edges = resolve_files(&snapshot, &project, &inputs);
    let resolved = started.elapsed();
    let mut calls = kenning_graph::snapshot::CallStats::default();
    let mut kinds: BTreeMap<(EdgeKind, bool), usize> = BTreeMap::new();
    let mut lookups = 0;
    for file in &edges {
        calls.add_stats(file.calls);
        lookups += file.lookups.len();
        for edge in &file.edges {
            *kinds.entry((edge.kind, matches!(edge.target, EdgeTarget::Symbol(_)))).or_default() += 1;
        }
    }
    writeln!(
        out,
        "files {} extract {extracted:?} insert {inserted:?} resolve {resolved:?} lookups {lookups}",
        edges.len()
    )?;
    writeln!(out, "{calls:?} issues {:?}", project.issues)?;
    for ((kind, inside), count) in kinds {
        writeln!(out, "  {kind}{} {count}", if inside { "" } else { " (outside)" })?;
    }
    let Some(path_or_kind) = path_or_kind else { return Ok(()) };
    if let Some(kind) = EdgeKind::parse(&path_or_kind) {
        print_edges_of_kind(&mut out, &snapshot, &edges, kind)?;
    }
    for file in edges.iter().filter(|file| file.path == path_or_kind) {
        let facts = facts.get(&file.path).map(Arc::as_ref);
        print_file_edges(&mut out, &snapshot, file, facts)?;
    }
    Ok(())
}

fn print_edges_of_kind(
    out: &mut impl Write,
    snapshot: &Snapshot,
    files: &[FileEdges],
    kind: EdgeKind,
) -> std::io::Result<()> {
    for edge in files.iter().flat_map(|file| &file.edges).filter(|edge| edge.kind == kind) {
        let source = symbol_name(snapshot, edge.source);
        writeln!(out, "{:.2} {source} -> {}", edge.confidence, target_name(snapshot, &edge.target))?;
    }
    Ok(())
}

/// Prints the edges of a file by line, and then its calls without an edge.
fn print_file_edges(
    out: &mut impl Write,
    snapshot: &Snapshot,
    file: &FileEdges,
    facts: Option<&FileFacts>,
) -> std::io::Result<()> {
    let mut lines = BTreeSet::new();
    let mut called_lines = BTreeSet::new();
    for edge in &file.edges {
        let (source, target) = (symbol_name(snapshot, edge.source), target_name(snapshot, &edge.target));
        let line = edge.line.map_or(0, |line| line + 1);
        lines.insert((line, format!("{} {source} -> {target} {:.2}", edge.kind, edge.confidence)));
        if edge.kind == EdgeKind::Calls {
            called_lines.insert(line);
        }
    }
    for (line, text) in &lines {
        writeln!(out, "{line}: {text}")?;
    }
    let Some(facts) = facts else { return Ok(()) };
    for reference in &facts.references {
        let line = reference.at.line + 1;
        if matches!(reference.role, ReferenceRole::Call | ReferenceRole::Construct)
            && !called_lines.contains(&line)
        {
            let (receiver, name) = (facts.strings.get(reference.receiver), facts.strings.get(reference.name));
            writeln!(out, "? {line}: {receiver} . {name}")?;
        }
    }
    Ok(())
}

fn symbol_name(snapshot: &Snapshot, id: SymbolId) -> String {
    snapshot.symbol(id).map(|symbol| symbol.qualified_name()).unwrap_or_default()
}

fn target_name(snapshot: &Snapshot, target: &EdgeTarget) -> String {
    match target {
        EdgeTarget::Symbol(id) => symbol_name(snapshot, *id),
        EdgeTarget::Phantom { package, name, .. } => format!("<{package}> {name}"),
    }
}
