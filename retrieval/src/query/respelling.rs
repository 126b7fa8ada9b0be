//! Finds the spelling of names that a task has in lower case and without underscores.
//!
//! People type `requestcontext` for `RequestContext` or `request_context`. The index does not know
//! such a word, but it knows the whole token of the name. With the spelling of the workspace, the
//! task names the symbol, as if it had been copied.

use kenning_graph::Snapshot;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX, is_compound, raw_words, whole_token};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Maximum number of different words that are looked up. Pasted logs have thousands.
const MAX_WORDS: usize = 200;

/// Minimum length of a word, in bytes. Shorter words join the parts of names by chance.
const MIN_WORD_BYTES: usize = 5;

/// Maximum number of names that are read for a word. Few names contain a whole other one.
const MAX_NAMES_VISITED: usize = 2000;

/// Returns the words of a text that the workspace only has as a compound name, with the spelling of
/// this name.
pub(super) fn find_respellings(text: &str, snapshot: &Snapshot) -> BTreeMap<String, String> {
    let words = raw_words(text).filter(|word| word.len() >= MIN_WORD_BYTES && !is_compound(word));
    let mut seen = FxHashSet::default();
    let words = words.filter(|word| seen.insert(*word)).take(MAX_WORDS);
    let respelled = words.filter_map(|word| Some((word.to_owned(), find_spelling(word, snapshot)?)));
    respelled.collect()
}

/// Returns the compound name of a symbol that is `word` in lower case and without underscores,
/// unless the workspace has the word itself.
fn find_spelling(word: &str, snapshot: &Snapshot) -> Option<String> {
    let whole = whole_token(word);
    if snapshot.document_frequency(&whole) == 0 || !is_unknown_word(word, snapshot) {
        return None;
    }
    let folded = whole.strip_prefix(WHOLE_TOKEN_PREFIX)?;
    let candidates = snapshot.symbols_by_substring(folded, MAX_NAMES_VISITED);
    let mut names = candidates.into_iter().filter_map(|id| snapshot.symbol(id)).map(|symbol| symbol.name);
    names.find(|name| is_compound(name) && whole_token(name) == whole).map(str::to_owned)
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
                       //- src/app.py\nfunction teardown: Tears the request down.\nfunction file_name { filename }\nfunction wh_ich\n";

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
