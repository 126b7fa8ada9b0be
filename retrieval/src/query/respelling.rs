//! Finds the spelling of names that a task has in lower case, without underscores or in part.
//!
//! People type `requestcontext` for `RequestContext` or `request_context`, and `requestcont` in a
//! search. The index does not know such a word. With the spelling of the workspace, the task names
//! the symbol, as if it had been copied.

use crate::channels::is_result_kind;
use crate::path_role::is_secondary;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX, is_compound, raw_words, whole_token};
use kenning_graph::{Snapshot, SymbolRef};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Maximum number of different words that are looked up. Pasted logs have thousands.
const MAX_WORDS: usize = 200;

/// Minimum length of a word, in bytes. Shorter words join the parts of names by chance.
const MIN_WORD_BYTES: usize = 5;

/// Minimum length of a word that may be a part of names, in bytes. Shorter words are parts of names
/// by chance.
const MIN_PART_BYTES: usize = 6;

/// Maximum number of names that are read for a word. Few names contain a whole other one.
const MAX_NAMES_VISITED: usize = 2000;

/// Maximum number of names for a word that is a part of them.
const MAX_COMPLETIONS: usize = 3;

/// Returns the words of a text that the workspace only has as compound names or, if the text is one
/// word, as a part of names, with the spelling of these names.
pub(super) fn find_respellings(text: &str, snapshot: &Snapshot) -> BTreeMap<String, String> {
    let is_looked_up = |word: &&str| word.len() >= MIN_WORD_BYTES && !is_compound(word);
    let mut all_words = raw_words(text);
    let only_word = all_words.next().filter(|_| all_words.next().is_none());
    if let Some(word) = only_word.filter(is_looked_up) {
        let respelled = find_spelling(word, snapshot).or_else(|| complete_name(word, snapshot));
        return respelled.map(|names| (word.to_owned(), names)).into_iter().collect();
    }
    let mut seen = FxHashSet::default();
    let words = raw_words(text).filter(is_looked_up).filter(|word| seen.insert(*word)).take(MAX_WORDS);
    let respelled = words.filter_map(|word| Some((word.to_owned(), find_spelling(word, snapshot)?)));
    respelled.collect()
}

/// Returns the compound name of a symbol that is `word` in lower case and without underscores,
/// unless the workspace has the word itself. Prefers names that differ by their case only, and of
/// these, types. The name itself breaks ties, so that the order of equal names does not matter.
fn find_spelling(word: &str, snapshot: &Snapshot) -> Option<String> {
    let whole = whole_token(word);
    if snapshot.document_frequency(&whole) == 0 || !is_unknown_word(word, snapshot) {
        return None;
    }
    let symbols = symbols_with_part(&whole, snapshot);
    let spelled = symbols.filter(|symbol| is_compound(symbol.name) && whole_token(symbol.name) == whole);
    let best =
        spelled.min_by_key(|symbol| (symbol.name.contains('_'), !symbol.kind.is_type(), symbol.name))?;
    Some(best.name.to_owned())
}

/// Returns the names that a word is a part of, separated by spaces: product code before tests, then
/// those that begin with it, then the shortest. Returns `None` for a short word, and if the
/// workspace has the word itself.
fn complete_name(word: &str, snapshot: &Snapshot) -> Option<String> {
    let part = whole_token(word);
    if word.len() < MIN_PART_BYTES || !is_unknown_word(word, snapshot) {
        return None;
    }
    let mut symbols: Vec<SymbolRef<'_>> = symbols_with_part(&part, snapshot).collect();
    symbols.sort_by_cached_key(|symbol| {
        let begins = whole_token(symbol.name).starts_with(&part);
        (is_secondary(symbol), !begins, symbol.name.len(), symbol.name)
    });
    let mut seen = FxHashSet::default();
    let names = symbols.iter().map(|symbol| symbol.name).filter(|name| seen.insert(*name));
    let names: Vec<&str> = names.take(MAX_COMPLETIONS).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

/// Returns the symbols whose name has a word, given as a whole token, in any spelling.
fn symbols_with_part<'a>(whole: &str, snapshot: &'a Snapshot) -> impl Iterator<Item = SymbolRef<'a>> {
    let folded = whole.strip_prefix(WHOLE_TOKEN_PREFIX).unwrap_or(whole);
    let found = snapshot.symbols_by_substring(folded, MAX_NAMES_VISITED);
    found.into_iter().filter_map(|id| snapshot.symbol(id)).filter(|symbol| is_result_kind(symbol.kind))
}

/// Whether the workspace does not have the stem of a word. Stop words have no stems, and are known.
fn is_unknown_word(word: &str, snapshot: &Snapshot) -> bool {
    let (mut stems, mut known) = (0, false);
    Analyzer::default().for_each_token(word, |token| {
        stems += 1;
        known |= snapshot.document_frequency(token) > 0;
    });
    stems > 0 && !known
}

#[cfg(test)]
mod tests {
    use super::find_respellings;
    use crate::fixture::build_fixture;
    use crate::{Analysis, RankConfig, TaskRequest};

    const APP: &str = "//- src/ctx.py\nclass RequestContext: Holds a request.\nmethod RequestContext.push_all\n\
                       //- src/app.py\nfunction teardown: Tears the request down.\nfunction file_name { filename }\n\
                       function wh_ich\nfunction request_context\n";

    #[test]
    fn a_word_that_occurs_only_as_a_compound_name_gets_its_spelling() {
        let app = build_fixture(APP);
        let respelled = find_respellings(
            "fix requestcontext and Pushall like RequestContext, not which filename, teardown, other",
            &app.snapshot,
        );
        let expected = [("Pushall", "push_all"), ("requestcontext", "RequestContext")];
        assert_eq!(respelled, expected.map(|(word, name)| (word.to_owned(), name.to_owned())).into());
    }

    #[test]
    fn a_single_word_gets_the_names_that_it_is_a_part_of() {
        let app = build_fixture(&format!(
            "{APP}function push_all_requests\nfunction get_push_all\n//- tests/test_app.py\nfunction push_alone\n"
        ));
        let respelled = |word| find_respellings(word, &app.snapshot).remove(word);
        assert_eq!(respelled("pushal").as_deref(), Some("push_all push_all_requests get_push_all"));
        assert_eq!(respelled("questcont").as_deref(), Some("RequestContext request_context"));
        assert_eq!(respelled("eardow").as_deref(), Some("teardown"));
        for not_respelled in ["questcont push", "request", "push", "eques"] {
            assert_eq!(respelled(not_respelled), None, "{not_respelled}");
        }
    }

    #[test]
    fn a_task_with_a_name_in_lower_case_finds_the_symbol_unless_switched_off() {
        let app = build_fixture(APP);
        let first = |respells| {
            let mut config = RankConfig::default();
            config.query.respells = respells;
            let task = "fix the requestcontext, (requestcontext) on teardown".to_owned();
            let answer = Analysis::new(&app.snapshot, &config, &app)
                .pack_task(&TaskRequest { task, ..TaskRequest::default() });
            let is_exact = answer.trace.task_match.is_some_and(|found| found.is_exact);
            (answer.pack.symbols.first().map(|symbol| symbol.name.clone()), is_exact)
        };
        assert_eq!(first(true), (Some("RequestContext".to_owned()), true));
        assert_eq!(first(false), (Some("teardown".to_owned()), false));
    }
}
