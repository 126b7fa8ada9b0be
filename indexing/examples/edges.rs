//! Resolves a folder and prints how its call sites were resolved. With a path, also prints all
//! edges and unresolved calls in that file; with a kind of edges, all edges of that kind.
//!
//! `cargo run --example edges -- FOLDER [PATH|KIND]`

use kenning_graph::facts::ReferenceRole;
use kenning_graph::snapshot::{EdgeTarget, FileChange};
use kenning_graph::{EdgeKind, Hash, Snapshot};
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
    let Some(root) = arguments.next() else { return writeln!(out, "usage: edges FOLDER [PATH]") };
    let path_or_kind = arguments.next();
    let candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
    let claimed = |path: &str, text: &[u8]| LanguageRegistry::get().find_by_beginning(path, text).is_some();
    let mut options = WalkOptions::new(&candidate);
    options.first_bytes = Some(&claimed);
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
    let inputs: Vec<_> =
        facts.iter().filter_map(|(path, f)| Some((snapshot.file_by_path(path)?, f.clone()))).collect();
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
        "files {} extract {extracted:?} put {inserted:?} resolve {resolved:?} lookups {lookups}",
        edges.len()
    )?;
    writeln!(out, "{calls:?} issues {:?}", project.issues)?;
    for ((kind, inside), count) in kinds {
        writeln!(out, "  {kind}{} {count}", if inside { "" } else { " (outside)" })?;
    }
    let Some(path_or_kind) = path_or_kind else { return Ok(()) };
    let name = |id| snapshot.symbol(id).map(|s| s.qualified_name()).unwrap_or_default();
    if let Some(kind) = EdgeKind::parse(&path_or_kind) {
        for edge in edges.iter().flat_map(|file| &file.edges).filter(|edge| edge.kind == kind) {
            let target = match &edge.target {
                EdgeTarget::Symbol(target) => name(*target),
                EdgeTarget::Phantom { package, name, .. } => format!("<{package}> {name}"),
            };
            writeln!(out, "{:.2} {} -> {target}", edge.confidence, name(edge.source))?;
        }
    }
    for file in edges.iter().filter(|file| file.path == path_or_kind) {
        let mut lines = BTreeSet::new();
        for edge in &file.edges {
            let target = match &edge.target {
                EdgeTarget::Symbol(id) => name(*id),
                EdgeTarget::Phantom { package, name, .. } => format!("<{package}> {name}"),
            };
            let line = edge.line.map_or(0, |line| line + 1);
            lines.insert((
                line,
                format!("{} {} -> {target} {:.2}", edge.kind, name(edge.source), edge.confidence),
            ));
            if edge.kind == EdgeKind::Calls {
                lines.insert((line, String::new()));
            }
        }
        let called: BTreeSet<u32> =
            lines.iter().filter(|(_, text)| text.is_empty()).map(|(line, _)| *line).collect();
        for (line, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
            writeln!(out, "{line}: {text}")?;
        }
        let Some(facts) = facts.get(&path_or_kind) else { continue };
        for r in facts
            .references
            .iter()
            .filter(|r| matches!(r.role, ReferenceRole::Call | ReferenceRole::Construct))
        {
            if !called.contains(&(r.at.line + 1)) {
                writeln!(
                    out,
                    "? {}: {} . {}",
                    r.at.line + 1,
                    facts.strings.get(r.receiver),
                    facts.strings.get(r.name)
                )?;
            }
        }
    }
    Ok(())
}
