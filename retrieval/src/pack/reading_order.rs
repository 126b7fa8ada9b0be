//! The order in which every form shows the symbols of a pack.
//!
//! Groups come in the order of their use. In a group, the file of the best symbol comes first, and
//! all its symbols follow by rank, so that a reader opens each file once. What is left of a file
//! comes after its symbols.

use super::PackSymbol;
use kenning_graph::SymbolKind;
use rustc_hash::FxHashMap;

/// Sorts symbols, which are in rank order, for reading.
pub(super) fn sort_for_reading(symbols: &mut Vec<PackSymbol>) {
    let mut files: FxHashMap<(u8, &str), usize> = FxHashMap::default();
    let keys: Vec<(u8, usize, bool)> = symbols
        .iter()
        .map(|symbol| {
            let group = symbol.group as u8;
            let next = files.len();
            let file = *files.entry((group, symbol.file.as_str())).or_insert(next);
            (group, file, symbol.kind == SymbolKind::File)
        })
        .collect();
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|&at| (keys[at], at));
    let mut taken: Vec<Option<PackSymbol>> = std::mem::take(symbols).into_iter().map(Some).collect();
    symbols.extend(order.into_iter().filter_map(|at| taken[at].take()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::build_fixture;
    use crate::pack::{PackGroup, describe_symbol};
    use crate::rank::{CandidateOrigin, RankedSymbol};

    #[test]
    fn files_keep_the_rank_of_their_best_symbol() {
        let app = build_fixture(
            "//- a.py\nfunction a1\nfunction a2\n//- b.py\nfunction b1\nfunction b2\nfunction b3\n",
        );
        let item = |(name, group): (&str, PackGroup)| {
            let ranked = RankedSymbol::new(app.symbol_id(name), CandidateOrigin::Walk);
            let described = describe_symbol(&app.snapshot, &ranked).expect("a symbol of the fixture");
            PackSymbol { group, ..described }
        };
        let (subject, related) = (PackGroup::Subject, PackGroup::Related);
        let ranked = [("b2", subject), ("b3", related), ("a1", subject), ("b1", subject), ("a2", related)];
        let mut symbols: Vec<PackSymbol> = ranked.into_iter().map(item).collect();
        sort_for_reading(&mut symbols);
        let names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["b2", "b1", "a1", "b3", "a2"]);
    }
}
