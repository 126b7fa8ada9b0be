//! The entries of a web framework whose source is in the workspace: the functions that run for
//! every request of a test client before a handler does.
//!
//! An application has no entries, because its framework is outside the workspace. The source of a
//! framework has one or two, and every test that sends a request runs them.

use crate::path_role::is_secondary_path;
use kenning_graph::analysis::raw_words;
use kenning_graph::{Edge, EdgeKind, Snapshot, SymbolId, SymbolRef};
use serde::Deserialize;
use std::sync::LazyLock;

/// Maximum number of entries with the same name. In a workspace with more handlers of the same
/// interface, a request is no evidence for any one of them.
const MAX_ENTRIES: usize = 4;

/// Confidence of an edge from a test's request to an entry.
const REQUEST_CONFIDENCE: f32 = 0.6;

#[derive(Deserialize)]
struct EntriesFile {
    entry: Vec<EntryRow>,
}

/// The signature by which the entries of a framework are recognized.
#[derive(Deserialize)]
struct EntryRow {
    language: String,
    name: Option<String>,
    parameters: Vec<String>,
}

static ENTRIES: LazyLock<EntriesFile> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/entries.toml")).expect("entries.toml is checked by a test")
});

/// Returns edges from the tests that send requests to an entry. Empty if the symbol is not an entry
/// or is one of more than [`MAX_ENTRIES`].
pub(super) fn request_edges(snapshot: &Snapshot, id: SymbolId) -> Vec<Edge> {
    let Some(symbol) = snapshot.symbol(id).filter(|symbol| symbol.kind.is_callable()) else {
        return Vec::new();
    };
    if !is_entry(&symbol) {
        return Vec::new();
    }
    let namesakes = snapshot.symbols_by_name(symbol.name).into_iter().filter_map(|id| snapshot.symbol(id));
    let product = namesakes.filter(|other| !is_secondary_path(other.path) && is_entry(other));
    if is_secondary_path(symbol.path) || product.count() > MAX_ENTRIES {
        return Vec::new();
    }
    let files = snapshot.code_files().into_iter().filter(|&id| {
        snapshot.file(id).is_some_and(|file| file.language == symbol.language && is_secondary_path(file.path))
    });
    let mut edges = Vec::new();
    for client in files.flat_map(|file| snapshot.file_symbols(file)) {
        let mut first_request: Option<Edge> = None;
        snapshot.for_each_out_edge(client, |edge| {
            if edge.kind == EdgeKind::ConsumesEndpoint
                && first_request.is_none_or(|first_request| edge.line < first_request.line)
            {
                first_request = Some(edge);
            }
        });
        edges.extend(first_request.map(|edge| Edge {
            source: client,
            target: id,
            confidence: edge.confidence.min(REQUEST_CONFIDENCE),
            ..edge
        }));
    }
    edges
}

fn is_entry(symbol: &SymbolRef<'_>) -> bool {
    ENTRIES.entry.iter().any(|row| {
        let words = || raw_words(symbol.signature_text());
        row.language == symbol.language
            && row.name.as_deref().is_none_or(|name| name == symbol.name)
            && row.parameters.iter().all(|parameter| words().any(|word| word == parameter))
    })
}

#[cfg(test)]
mod tests {
    use super::ENTRIES;

    #[test]
    fn every_entry_has_a_language_and_parameters() {
        assert!(ENTRIES.entry.iter().all(|row| !row.language.is_empty() && !row.parameters.is_empty()));
    }
}
