//! Puts hits in files that no one edits behind all others, unless the question asks for them.

use super::file_search::{FileClue, FileHit};
use super::symbol_search::SymbolList;
use super::{SearchHit, SearchTarget};
use kenning_graph::derived::DerivedReason;
use kenning_graph::{FileId, Snapshot, SymbolId};
use rustc_hash::FxHashSet;

/// The hits that a question names and that no source file has: they lead, although they are derived.
pub(super) struct RequestedHits {
    symbols: FxHashSet<SymbolId>,
    files: FxHashSet<FileId>,
}

impl RequestedHits {
    /// Collects the symbols and files that the question names, if all of them are derived.
    pub fn collect(snapshot: &Snapshot, symbols: &SymbolList, files: &[FileHit]) -> Self {
        let symbols = symbols.hits.iter().take(symbols.named).map(|(symbol, _)| *symbol);
        let symbols: FxHashSet<SymbolId> = symbols.collect();
        let named = files.iter().filter(|file| file.found_by == FileClue::Name);
        let all_derived = named.clone().all(|file| is_derived(snapshot, &file.hit));
        let files = named.filter_map(|file| match file.hit.target {
            SearchTarget::File(id) => Some(id),
            _ => None,
        });
        // Build output has the name of something that its source exports without a name.
        let is_derived_symbol = |&symbol: &SymbolId| {
            let reason = snapshot.symbol(symbol).and_then(|symbol| symbol.derived);
            reason.is_some_and(|reason| reason != DerivedReason::Built)
        };
        Self {
            files: if all_derived { files.collect() } else { FxHashSet::default() },
            symbols: if symbols.iter().all(is_derived_symbol) { symbols } else { FxHashSet::default() },
        }
    }

    fn contains(&self, hit: &SearchHit) -> bool {
        match &hit.target {
            SearchTarget::Symbol(symbol) => self.symbols.contains(symbol),
            SearchTarget::File(file) => self.files.contains(file),
            SearchTarget::OtherFile(_) => false,
        }
    }
}

/// Moves the derived hits that were not requested to the end, with scores below those of source.
pub(super) fn put_derived_last(snapshot: &Snapshot, hits: &mut Vec<SearchHit>, requested: &RequestedHits) {
    let is_last = |hit: &SearchHit| is_derived(snapshot, hit) && !requested.contains(hit);
    let (mut derived, source): (Vec<SearchHit>, Vec<SearchHit>) = hits.drain(..).partition(is_last);
    let lowest = source.last().map_or(1.0, |hit| hit.score);
    for hit in &mut derived {
        hit.score = hit.score.min(lowest);
    }
    *hits = source;
    hits.append(&mut derived);
}

fn is_derived(snapshot: &Snapshot, hit: &SearchHit) -> bool {
    hit.containing_file(snapshot).is_some_and(|file| snapshot.derived_reason(file).is_some())
}
