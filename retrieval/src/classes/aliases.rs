//! Aliases from the graph: the words in the names of a symbol's callers and callees act as phrases
//! for the symbol (`docs/ranking.md`).

use super::phrases::{phrase_words, singular_form};
use crate::config::EquivalenceClassConfig;
use crate::query::vocabulary::VOCABULARY;
use kenning_graph::analysis::word_parts;
use kenning_graph::{EdgeKind, Snapshot, SymbolId};
use rustc_hash::FxHashSet;

/// Maximum number of callers and callees visited per symbol. Logging functions have tens of
/// thousands of callers.
const MAX_NEIGHBORS: usize = 200;

/// Shortest meaningful word of a neighbor's name, in bytes.
const MIN_WORD_BYTES: usize = 3;

/// Returns the symbols among `hits` whose neighbors' names contain words of the task, with a score
/// of 0..=1. Two adjacent words of one name count like a phrase; a single word is weak evidence.
pub(crate) fn find_aliases(
    text: &str,
    snapshot: &Snapshot,
    hits: &[SymbolId],
    config: &EquivalenceClassConfig,
) -> Vec<(SymbolId, f64)> {
    let task = phrase_words(text);
    let singles: FxHashSet<&str> = task.iter().map(String::as_str).collect();
    let pairs: FxHashSet<(&str, &str)> = task.windows(2).map(|pair| (&*pair[0], &*pair[1])).collect();
    let mut aliases = Vec::new();
    for &id in hits {
        let Some(symbol) = snapshot.symbol(id) else { continue };
        let own_words: FxHashSet<String> = word_parts(symbol.name).map(singular_form).collect();
        let (mut has_word, mut has_pair) = (false, false);
        for neighbor in neighboring_symbols(snapshot, id) {
            let Some(neighbor) = snapshot.symbol(neighbor) else { continue };
            let words = meaningful_words(neighbor.name, &own_words);
            has_word |= words.iter().any(|word| singles.contains(word.as_str()));
            has_pair |= words.windows(2).any(|pair| pairs.contains(&(pair[0].as_str(), pair[1].as_str())));
        }
        let strength = match (has_pair, has_word) {
            (true, _) => 1.0,
            (false, true) => config.single_word,
            (false, false) => continue,
        };
        aliases.push((id, config.layers.graph * strength));
    }
    aliases
}

fn neighboring_symbols(snapshot: &Snapshot, id: SymbolId) -> Vec<SymbolId> {
    let mut neighbors = Vec::new();
    let mut add = |kind, other| {
        if kind == EdgeKind::Calls && neighbors.len() < MAX_NEIGHBORS {
            neighbors.push(other);
        }
    };
    snapshot.for_each_in_edge(id, |edge| add(edge.kind, edge.source));
    snapshot.for_each_out_edge(id, |edge| add(edge.kind, edge.target));
    neighbors
}

/// Returns the words of a name that are neither generic nor in the target's own name.
fn meaningful_words(name: &str, own_words: &FxHashSet<String>) -> Vec<String> {
    word_parts(name)
        .filter(|part| {
            part.len() >= MIN_WORD_BYTES && !VOCABULARY.generic_words.contains(&part.to_lowercase())
        })
        .map(singular_form)
        .filter(|word| !own_words.contains(word))
        .collect()
}
