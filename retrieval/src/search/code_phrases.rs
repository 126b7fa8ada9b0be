//! Finds phrases of a question with words that the text index leaves out but names of code keep:
//! "is valid", "wait for", "has permission".
//!
//! In prose, `is` and `for` say nothing, so that the index has no such words
//! (`data/stopwords.txt`). In names they have a meaning (`data/code_words.txt`): `is_valid` is not
//! `validate`. Among the symbols that the other words of a question find, the symbols whose name
//! has such a phrase therefore come first.

use kenning_graph::analysis::{Analyzer, is_code_word, is_stop_word, raw_words, word_parts};
use kenning_graph::{Snapshot, SymbolId};

/// Maximum rank of a symbol for which phrases count. A phrase says little about a symbol that the
/// other words of the question hardly match.
const MAX_RANK: usize = 50;

/// Maximum number of words of a question that are read. The rest of a pasted log is not a phrase of
/// a name.
const MAX_WORDS: usize = 400;

/// Two neighboring words of a question, at least one of them a code word. Other words are stems.
type CodePhrase = [String; 2];

/// Returns the symbols among the first of a ranked list whose names have a phrase of the question,
/// in their order.
pub(super) fn find_symbols_with_phrases(
    snapshot: &Snapshot,
    question: &str,
    ranked: &[SymbolId],
) -> Vec<SymbolId> {
    let mut analyzer = Analyzer::default();
    let words = raw_words(question).take(MAX_WORDS).flat_map(word_parts);
    let phrases = read_phrases(words, &mut analyzer);
    if phrases.is_empty() {
        return Vec::new();
    }
    let mut has_phrase = |symbol: &SymbolId| {
        let Some(symbol) = snapshot.symbol(*symbol) else { return false };
        read_phrases(word_parts(symbol.name), &mut analyzer).iter().any(|phrase| phrases.contains(phrase))
    };
    ranked.iter().take(MAX_RANK).copied().filter(|symbol| has_phrase(symbol)).collect()
}

/// Returns the phrases in a list of words.
fn read_phrases<'a>(words: impl Iterator<Item = &'a str>, analyzer: &mut Analyzer) -> Vec<CodePhrase> {
    let mut phrases = Vec::new();
    let mut previous: Option<(String, bool)> = None;
    for word in words {
        let lower = word.to_lowercase();
        let is_code = is_code_word(&lower);
        let token = if is_code {
            Some(lower)
        } else if is_stop_word(&lower) {
            None
        } else {
            analyzer.stem_part(word).map(str::to_owned)
        };
        let current = token.map(|token| (token, is_code));
        if let (Some((first, is_first_code)), Some((second, is_code))) = (&previous, &current)
            && (*is_first_code || *is_code)
        {
            phrases.push([first.clone(), second.clone()]);
        }
        previous = current;
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(text: &str) -> Vec<String> {
        let words = raw_words(text).flat_map(word_parts);
        read_phrases(words, &mut Analyzer::default()).into_iter().map(|phrase| phrase.join(" ")).collect()
    }

    #[test]
    fn code_words_are_kept_and_other_stop_words_end_a_phrase() {
        assert_eq!(phrases("where is valid input checked"), ["is valid"]);
        assert_eq!(phrases("isNotEmpty"), ["is not", "not empti"]);
        assert_eq!(phrases("wait for the lock"), ["wait for"]);
        for kept in ["for", "do", "if", "not", "is", "has", "can"] {
            assert_eq!(phrases(&format!("{kept} lock")), [format!("{kept} lock")]);
        }
        for dropped in ["a", "an", "the", "and", "or", "but", "of", "with", "by", "from", "in", "to", "it"] {
            assert!(phrases(&format!("{dropped} lock")).is_empty(), "{dropped}");
        }
        assert!(phrases("save the session cookie").is_empty());
    }
}
