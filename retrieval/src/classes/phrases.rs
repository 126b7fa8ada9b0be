//! Finds phrases in a text, as whole words, in the singular or the plural.
//!
//! [`canonicalize_text`] brings texts and phrases into the form in which they are compared.
//! [`PhraseMatcher`] finds all phrases in one pass over such a text.

use aho_corasick::AhoCorasick;

/// The mark between sentences in a canonical text. No phrase crosses it.
const SENTENCE_BREAK: &str = "|";

/// Longest word, in bytes. A longer run of letters is encoded data, and no phrase crosses it.
const MAX_WORD_BYTES: usize = 128;

/// Returns the form of a text in which phrases are compared: its words in the [singular
/// form](singular_form) with a space on each side. Thus `auth` does not match in `author`, and
/// `error handlers` matches `error-handler`.
pub(crate) fn canonicalize_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(char::is_alphanumeric).unwrap_or(rest.len());
        let (between, after) = rest.split_at(start);
        let end = after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        if ends_sentence(between) || word.len() > MAX_WORD_BYTES {
            push_word(&mut out, SENTENCE_BREAK);
        }
        if !word.is_empty() && word.len() <= MAX_WORD_BYTES {
            push_word(&mut out, &singular_form(word));
        }
        rest = after;
    }
    out
}

/// Returns a word in lower case without its plural ending: `Queries` becomes `query`, `caches` and
/// `cache` both become `cach`. The stems of the text index are too coarse here: `authorization` and
/// `author` have the same stem.
pub(crate) fn singular_form(word: &str) -> String {
    let mut word = word.to_lowercase();
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
    {
        word.pop();
    }
    let sibilant = word.strip_suffix('e').is_some_and(|rest| {
        rest.len() > 2 && ["ss", "x", "sh", "ch", "z"].iter().any(|end| rest.ends_with(end))
    });
    if sibilant {
        word.pop();
    }
    word
}

fn push_word(out: &mut String, word: &str) {
    out.push_str(word);
    out.push(' ');
}

/// Whether the text between two words ends a sentence, a clause or a paragraph. `asp.net` and a
/// wrapped line do not.
fn ends_sentence(between: &str) -> bool {
    let mut chars = between.chars().peekable();
    let mut lines = 0;
    while let Some(c) = chars.next() {
        lines += u32::from(c == '\n');
        if ".,;:!?".contains(c)
            && chars.peek().is_none_or(|next| next.is_whitespace())
            && chars.peek().is_some()
        {
            return true;
        }
    }
    lines > 1
}

/// A phrase that was found in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PhraseMatch {
    /// Index of the phrase's owner.
    pub owner: usize,
    /// Index of the phrase among the phrases of its owner.
    pub phrase: usize,
}

/// An automaton over the phrases of many owners.
#[derive(Clone, Debug)]
pub(crate) struct PhraseMatcher {
    automaton: AhoCorasick,
    owners: Vec<PhraseMatch>,
}

impl PhraseMatcher {
    /// Builds an automaton over the phrases of each owner. Phrases without a word never match.
    pub fn new<'a>(phrases_by_owner: impl Iterator<Item = &'a [String]>) -> Self {
        let (mut patterns, mut owners) = (Vec::new(), Vec::new());
        for (owner, phrases) in phrases_by_owner.enumerate() {
            for (phrase, text) in phrases.iter().enumerate() {
                let pattern = canonicalize_text(text);
                if pattern.len() > 1 {
                    patterns.push(pattern);
                    owners.push(PhraseMatch { owner, phrase });
                }
            }
        }
        // An automaton has up to 2^31 states, and the phrases come from files and settings of at
        // most a few megabytes.
        let automaton = AhoCorasick::new(patterns).expect("the phrases fit into an automaton");
        Self { automaton, owners }
    }

    /// Returns every phrase in a text from [`canonicalize_text`], once, by owner and number.
    pub fn find_phrases(&self, canonical: &str) -> Vec<PhraseMatch> {
        let mut seen = vec![false; self.owners.len()];
        for found in self.automaton.find_overlapping_iter(canonical) {
            seen[found.pattern().as_usize()] = true;
        }
        let mut found: Vec<PhraseMatch> =
            self.owners.iter().zip(seen).filter(|(_, seen)| *seen).map(|(owner, _)| owner.clone()).collect();
        found.sort_unstable();
        found
    }
}

/// Returns the words of a phrase in the form in which they are compared.
pub(crate) fn phrase_words(phrase: &str) -> Vec<String> {
    canonicalize_text(phrase)
        .split_whitespace()
        .filter(|word| *word != SENTENCE_BREAK)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(phrases: &[&str], text: &str, expect: Expect) {
        let owned: Vec<Vec<String>> = phrases.iter().map(|phrase| vec![(*phrase).to_owned()]).collect();
        let automaton = PhraseMatcher::new(owned.iter().map(Vec::as_slice));
        let found = automaton.find_phrases(&canonicalize_text(text));
        let shown: Vec<&str> = found.iter().map(|found| phrases[found.owner]).collect();
        expect.assert_eq(&shown.join(", "));
    }

    #[test]
    fn phrases_are_found_as_whole_words_singular_or_plural() {
        let phrases =
            ["auth", "authorization", "error handler", "set up", "asp.net core", "io", "cache query"];
        check(&phrases, "the author of the version", expect![""]);
        check(&phrases, "caches queries", expect!["cache query"]);
        check(&phrases, "Auth: wrap the Error-Handlers", expect!["auth, error handler"]);
        check(&phrases, "error_handler was set\n  up", expect!["error handler, set up"]);
        check(&phrases, "upgrade to ASP.NET Core", expect!["asp.net core"]);
    }

    #[test]
    fn phrases_may_overlap_and_contain_one_another() {
        check(
            &["error", "error handling", "handling of errors", "handling"],
            "error handling of errors",
            expect!["error, error handling, handling of errors, handling"],
        );
    }

    #[test]
    fn no_phrase_crosses_the_end_of_a_sentence() {
        check(&["error handler"], "Log the error. Handler names matter", expect![""]);
        check(&["error handler"], "the error\n\nhandler", expect![""]);
        check(&["error handler"], "the error\nhandler.", expect!["error handler"]);
    }

    #[test]
    fn empty_repeated_and_symbolic_texts_match_no_phrase() {
        for text in ["", " ", "|", "🙂", "\0", "....", "a|b", &"x".repeat(1000), &"error ".repeat(1000)] {
            check(&["", "|", "🙂", "no such phrase"], text, expect![""]);
        }
    }
}
