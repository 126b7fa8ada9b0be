//! Finds the symbols that a question names if it says nothing else about them: `Cart.add_item`,
//! `add item`, "where is the function add item defined".

use crate::channels::is_result_kind;
use crate::path_role::is_secondary;
use kenning_graph::analysis::{raw_words, whole_token};
use kenning_graph::{Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Maximum number of words in a question that may be a name. A longer question is a description.
const MAX_WORDS: usize = 12;

/// The words with which people ask for a definition (`data/question_words.txt`).
static QUESTION_WORDS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| include_str!("../../data/question_words.txt").split_whitespace().collect());

/// Returns the symbols whose name the question asks for, product code before tests. Underscores and
/// case do not matter.
pub(super) fn find_named_symbols(snapshot: &Snapshot, question: &str) -> Vec<SymbolId> {
    let words: Vec<String> = raw_words(question).take(MAX_WORDS + 1).map(str::to_lowercase).collect();
    if words.len() > MAX_WORDS {
        return Vec::new();
    }
    let is_question_word = |word: &&String| QUESTION_WORDS.contains(word.as_str());
    let before = words.iter().take_while(is_question_word).count();
    let after = words.iter().rev().take_while(is_question_word).count();
    // A name may itself begin or end with such a word, so the longest name counts.
    let mut names: Vec<&[String]> = (0..=before)
        .flat_map(|start| (0..=after).map(move |trimmed| (start, trimmed)))
        .filter_map(|(start, trimmed)| words.get(start..words.len() - trimmed))
        .filter(|name| !name.is_empty())
        .collect();
    // The sort is stable: among names of one length, the name that starts first comes first.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let found = names.into_iter().map(|name| symbols_with_name(snapshot, &name.concat()));
    found.into_iter().find(|symbols| !symbols.is_empty()).unwrap_or_default()
}

fn symbols_with_name(snapshot: &Snapshot, name: &str) -> Vec<SymbolId> {
    let token = whole_token(name);
    let has_name = |symbol: &SymbolRef<'_>| is_result_kind(symbol.kind) && whole_token(symbol.name) == token;
    let found = snapshot.symbols_with_token(&token).filter_map(|id| snapshot.symbol(id)).filter(has_name);
    let mut found: Vec<SymbolRef<'_>> = found.collect();
    found.sort_by_cached_key(|symbol| {
        (symbol.derived.is_some(), is_secondary(symbol), symbol.path.to_owned(), symbol.span.start)
    });
    found.dedup_by_key(|symbol| symbol.id);
    found.iter().map(|symbol| symbol.id).collect()
}

#[cfg(test)]
mod tests {
    use super::find_named_symbols;
    use crate::fixture::build_fixture;

    #[test]
    fn a_question_that_only_asks_for_a_name_finds_its_symbols() {
        let app = build_fixture(
            "//- a.py\nclass Cart: A cart.\nmethod Cart.add_item { item }\nfunction is_empty { cart }\nfunction item { add_item }\n\
             //- tests/a.py\ntest function addItem { x }\n",
        );
        let names = |question: &str| {
            let found = find_named_symbols(&app.snapshot, question).into_iter();
            found.map(|id| app.symbol_name(id)).collect::<Vec<_>>()
        };
        for question in
            ["add_item", "AddItem", "add item", "where is add item defined?", "the method `add_item`"]
        {
            assert_eq!(names(question), ["Cart.add_item", "addItem"], "{question}");
        }
        assert_eq!(names("is empty"), ["is_empty"]);
        for question in ["", "where is it defined", "add an item to the cart", &"add item ".repeat(20)] {
            assert!(names(question).is_empty(), "{question}");
        }
    }
}
