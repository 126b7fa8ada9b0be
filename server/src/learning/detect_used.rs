//! Detects which symbols an action of a reader uses. An editor reports the files that it opens and
//! edits and the symbols that it shows; an agent reports the diff of its edits.

use kenning_graph::analysis::raw_words;
use kenning_graph::{Hash, Snapshot, SymbolId};
use kenning_retrieval::{ChangedFile, changed_symbols};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum length of a name that the text of an edit can refer to, in characters. Shorter names are
/// ordinary words.
const MIN_NAME_CHARS: usize = 4;

/// Maximum number of containers around a changed symbol that are considered. Hostile files nest
/// thousands of definitions.
const MAX_NESTING: usize = 32;

/// An action of the reader of a pack.
#[derive(Clone, Debug)]
pub enum ReaderAction {
    /// Opened a file, a path in the workspace.
    Opened(String),
    /// Changed lines of files.
    Edited {
        /// The changed lines.
        files: Vec<ChangedFile>,
        /// The text that was written; empty if it is unknown.
        text: String,
    },
    /// Asked about symbols: a hover, a jump, a call hierarchy.
    Visited(Vec<SymbolId>),
}

/// Returns the symbols among `served` that an action uses, sorted.
///
/// * An edit uses the served symbols that it changes: the innermost ones around the changed lines.
///   It also uses the served symbols whose names its text mentions.
/// * Opening a file uses the served symbol of that file, if there is only one. Of several symbols,
///   the reader may have wanted any.
/// * A visit uses the visited symbols.
pub fn detect_used(snapshot: &Snapshot, served: &BTreeSet<Hash>, action: &ReaderAction) -> Vec<Hash> {
    let used: BTreeSet<Hash> = match action {
        ReaderAction::Opened(path) => {
            let in_file = served.iter().copied().filter(|hash| is_in_file(snapshot, hash, path));
            let in_file: Vec<Hash> = in_file.collect();
            if in_file.len() == 1 { in_file.into_iter().collect() } else { BTreeSet::new() }
        }
        ReaderAction::Edited { files, text } => {
            let changed = changed_symbols(snapshot, files).into_iter();
            let mut used: BTreeSet<Hash> =
                changed.filter_map(|id| nearest_served(snapshot, served, id)).collect();
            used.extend(mentioned_symbols(snapshot, served, text));
            used
        }
        ReaderAction::Visited(symbols) => {
            let hashes = symbols.iter().filter_map(|&id| snapshot.symbol(id).map(|symbol| symbol.hash));
            hashes.filter(|hash| served.contains(hash)).collect()
        }
    };
    used.into_iter().collect()
}

fn is_in_file(snapshot: &Snapshot, hash: &Hash, path: &str) -> bool {
    let symbol = snapshot.symbol_by_hash(hash).and_then(|id| snapshot.symbol(id));
    symbol.is_some_and(|symbol| symbol.path == path)
}

/// Returns the symbol if it was served, or else the innermost served container.
fn nearest_served(snapshot: &Snapshot, served: &BTreeSet<Hash>, mut id: SymbolId) -> Option<Hash> {
    for _ in 0..MAX_NESTING {
        let symbol = snapshot.symbol(id)?;
        if served.contains(&symbol.hash) {
            return Some(symbol.hash);
        }
        id = symbol.parent?;
    }
    None
}

/// Returns the served symbols whose names a text mentions as whole words. A name that several
/// served symbols share identifies none.
fn mentioned_symbols(snapshot: &Snapshot, served: &BTreeSet<Hash>, text: &str) -> Vec<Hash> {
    let words: BTreeSet<&str> = raw_words(text).collect();
    let mut named: BTreeMap<&str, Vec<Hash>> = BTreeMap::new();
    for hash in served {
        let Some(symbol) = snapshot.symbol_by_hash(hash).and_then(|id| snapshot.symbol(id)) else { continue };
        if symbol.name.chars().count() >= MIN_NAME_CHARS && words.contains(symbol.name) {
            named.entry(symbol.name).or_default().push(*hash);
        }
    }
    named.into_values().filter(|hashes| hashes.len() == 1).flatten().collect()
}
