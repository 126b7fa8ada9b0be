//! Pairs of adjacent words of a task that are also adjacent in a field of a symbol.
//!
//! The text index has no positions. It finds the symbols with both words in one field, and this
//! module reads the fields of these symbols.

use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::{Snapshot, SymbolId};

/// Two words, stemmed.
pub(super) type WordPair = [String; 2];

/// Finds pairs of words in the fields of symbols.
pub(super) struct PairFinder<'a> {
    snapshot: &'a Snapshot,
    analyzer: Analyzer,
}

impl<'a> PairFinder<'a> {
    /// Creates a finder for the symbols of a snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, analyzer: Analyzer::default() }
    }

    /// Whether the words are adjacent, in their order, in the name, the container, the path, the
    /// documentation or the signature of a symbol. Stop words between them are ignored.
    pub fn has_pair(&mut self, symbol: SymbolId, pair: &WordPair) -> bool {
        let Some(symbol) = self.snapshot.symbol(symbol) else { return false };
        // The name follows its container, as in `Cart.add_item`.
        let qualified = symbol.qualified_name();
        [qualified.as_str(), symbol.doc_text(), symbol.signature_text()]
            .into_iter()
            .any(|text| contains_pair(&mut self.analyzer, text, pair))
    }
}

fn contains_pair(analyzer: &mut Analyzer, text: &str, [first, second]: &WordPair) -> bool {
    let (mut follows_first, mut found) = (false, false);
    analyzer.for_each_token(text, |token| {
        // The token of a whole identifier repeats its parts, so it has no position of its own.
        if !token.starts_with(WHOLE_TOKEN_PREFIX) {
            found |= follows_first && token == second;
            follows_first = token == first;
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::build_fixture;
    use crate::{Analysis, RankConfig, TaskRequest};

    #[test]
    fn adjacent_words_score_more_than_separate_words_of_one_field() {
        let shop = build_fixture(
            "//- a.py\nfunction one: Opens the session cookie.\n//- b.py\nfunction two: Opens the cookie session.\n",
        );
        let config = RankConfig::seeds_preset();
        let trace = Analysis::new(&shop.snapshot, &config, &shop)
            .pack_task(&TaskRequest::new("session cookie"))
            .trace;
        let list = trace.channels.iter().find(|list| list.name == "bm25").expect("the text channel ran");
        let score = |name: &str| {
            let hit = list.hits.iter().find(|hit| hit.symbol == shop.symbol_id(name));
            hit.map_or(0.0, |hit| hit.score)
        };
        assert!(score("two") > 0.0 && score("one") > 1.2 * score("two"), "{:?}", list.hits);
    }

    #[test]
    fn a_pair_is_two_words_in_a_row() {
        let finds = |text: &str| {
            let mut analyzer = Analyzer::default();
            let mut stem = |word: &str| analyzer.stem_part(word).expect("a word").to_owned();
            let pair = [stem("session"), stem("cookie")];
            contains_pair(&mut analyzer, text, &pair)
        };
        for text in ["session cookies", "open_session_cookie", "the SessionCookie of", "session of a cookie"]
        {
            assert!(finds(text), "{text}");
        }
        for text in ["cookie session", "session with another cookie", "session", "", "sessioncookie"] {
            assert!(!finds(text), "{text}");
        }
    }
}
