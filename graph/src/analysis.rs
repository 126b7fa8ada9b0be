//! Text analysis, the same for documents and queries: words, stems and whole identifiers.
//!
//! A text becomes two kinds of tokens:
//! * **Word tokens** are the camel-case and snake-case parts of every word, lower-cased and stemmed
//!   (Snowball English, "Porter2"), without stop words and single characters.
//! * **Whole tokens** are compound identifiers as one token, lower-cased and without underscores,
//!   marked by a leading `=` (`beforeRequest` and `before_request` both give `=beforerequest`).

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// The prefix of whole tokens.
pub const WHOLE_TOKEN_PREFIX: char = '=';

/// The version of the tokenization. Increase it when tokens change; facts and base images with
/// another version are rebuilt.
pub const ANALYSIS_VERSION: u32 = 1;

static STOP_WORDS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| include_str!("../data/stopwords.txt").split_whitespace().collect());

/// Whether the index and queries leave out a lower-case word.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

static CODE_WORDS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| include_str!("../data/code_words.txt").split_whitespace().collect());

/// Whether a lower-case stop word means something in the names of code: `is_empty`, `wait_for`.
pub fn is_code_word(word: &str) -> bool {
    CODE_WORDS.contains(word)
}

/// Splits text into runs of letters, digits and underscores.
pub fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[run_length(rest, RunKind::Separator)..];
        let (word, tail) = rest.split_at(run_length(rest, RunKind::Word));
        rest = tail;
        (!word.is_empty()).then_some(word)
    })
}

/// The kind of a run of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunKind {
    /// Letters, digits and underscores.
    Word,
    /// All other characters.
    Separator,
}

/// Returns the byte length of the leading run of a kind. ASCII, which is nearly all source, is not
/// decoded.
fn run_length(text: &str, kind: RunKind) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (is_word, width) = if byte.is_ascii() {
            (byte.is_ascii_alphanumeric() || byte == b'_', 1)
        } else {
            text[at..].chars().next().map_or((false, 1), |c| (char_kind(c) != CharKind::Other, c.len_utf8()))
        };
        if is_word != (kind == RunKind::Word) {
            break;
        }
        at += width;
    }
    at
}

/// The kind of a character of an identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CharKind {
    Upper,
    Lower,
    Digit,
    Other,
}

/// The number of characters in [`CHAR_KINDS`]: the Basic Multilingual Plane.
const TABLE_CHARS: u32 = 0x1_0000;

/// The kinds of the first [`TABLE_CHARS`] characters. Without this table, lookups in the Unicode
/// data take a tenth of the time of indexing documents in Cyrillic or Chinese.
static CHAR_KINDS: LazyLock<Box<[CharKind]>> = LazyLock::new(|| {
    let kinds = (0..TABLE_CHARS).map(|code| char::from_u32(code).map_or(CharKind::Other, classify_char));
    kinds.collect()
});

/// Returns the kind of a character: [`CharKind::Other`] exactly if it is not alphanumeric.
fn char_kind(c: char) -> CharKind {
    match c {
        'A'..='Z' => CharKind::Upper,
        'a'..='z' => CharKind::Lower,
        '0'..='9' => CharKind::Digit,
        c if c.is_ascii() => CharKind::Other,
        c => CHAR_KINDS.get(c as usize).copied().unwrap_or_else(|| classify_char(c)),
    }
}

fn classify_char(c: char) -> CharKind {
    if c.is_uppercase() {
        CharKind::Upper
    } else if c.is_alphabetic() {
        CharKind::Lower
    } else if c.is_numeric() {
        CharKind::Digit
    } else {
        CharKind::Other
    }
}

/// Returns the camel-case and snake-case parts of one raw word, as written: `HTTPServer_v2` gives
/// `HTTP`, `Server`, `v`, `2`.
pub fn word_parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        while let Some(first) = rest.chars().next() {
            let (part, tail) = rest.split_at(part_end(rest));
            rest = tail;
            if char_kind(first) != CharKind::Other {
                return Some(part);
            }
        }
        None
    })
}

/// Returns the end of the first part of a text, in bytes.
fn part_end(text: &str) -> usize {
    let mut chars = text.char_indices().map(|(at, c)| (at, char_kind(c)));
    let Some((mut before, mut previous)) = chars.next() else { return 0 };
    for (at, current) in chars {
        match (previous, current) {
            // In `HTTPServer` the last capital starts the next part; in `Server` it does not.
            (CharKind::Upper, CharKind::Lower) if before > 0 => return before,
            (CharKind::Upper, CharKind::Lower) => {}
            _ if previous != current => return at,
            _ => {}
        }
        (before, previous) = (at, current);
    }
    text.len()
}

/// Whether a raw word is a compound identifier: longer than three characters, with an inner
/// underscore or an inner capital.
pub fn is_compound(word: &str) -> bool {
    if word.chars().nth(3).is_none() {
        return false;
    }
    if word.trim_matches('_').contains('_') {
        return true;
    }
    let (mut earlier, mut previous) = (CharKind::Other, CharKind::Other);
    word.chars().map(char_kind).any(|current| {
        let starts_part = match (previous, current) {
            (CharKind::Lower, CharKind::Upper) => true,
            (CharKind::Upper, CharKind::Lower) => earlier == CharKind::Upper,
            _ => false,
        };
        (earlier, previous) = (previous, current);
        starts_part
    })
}

/// Returns the whole token of an identifier: `=` and its characters, lower-cased and without
/// underscores.
pub fn whole_token(identifier: &str) -> String {
    let mut out = String::with_capacity(identifier.len() + 1);
    write_whole_token(identifier, &mut out);
    out
}

/// Writes the whole token of an identifier to a buffer.
fn write_whole_token(identifier: &str, out: &mut String) {
    out.clear();
    out.push(WHOLE_TOKEN_PREFIX);
    let chars = identifier.chars().filter(|&c| c != '_');
    if identifier.is_ascii() {
        out.extend(chars.map(|c| c.to_ascii_lowercase()));
    } else {
        out.extend(chars.flat_map(char::to_lowercase));
    }
}

/// Splits texts into tokens, with a cache of stems. It is cheap to create, and fast when reused for
/// many texts. Each thread has its own analyzer.
pub struct Analyzer {
    stemmer: Stemmer,
    /// The buffer for the current whole token.
    whole: String,
    stems: FxHashMap<Box<str>, Option<Box<str>>>,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            whole: String::new(),
            stems: FxHashMap::default(),
        }
    }
}

/// The maximum number of stems that an [`Analyzer`] caches, so that hostile text cannot grow the
/// cache without limit.
const MAX_STEMS: usize = 200_000;

/// The maximum length of an indexed word, in bytes. Longer words are data (base64, hashes, minified
/// text) rather than names.
const MAX_WORD_BYTES: usize = 128;

impl Analyzer {
    /// Returns the stem of one part (in any case), or `None` if it is a stop word or a single
    /// character.
    pub fn stem_part(&mut self, part: &str) -> Option<&str> {
        if self.stems.len() > MAX_STEMS {
            self.stems.clear();
        }
        if !self.stems.contains_key(part) {
            let lower = part.to_lowercase();
            let stem = if lower.chars().nth(1).is_none() || is_stop_word(&lower) {
                None
            } else if lower.is_ascii() {
                Some(self.stemmer.stem(&lower).into_owned().into_boxed_str())
            } else {
                Some(lower.into_boxed_str())
            };
            self.stems.insert(part.into(), stem);
        }
        self.stems.get(part).and_then(|stem| stem.as_deref())
    }

    /// Calls `emit` with each token of `text`: word tokens, and whole tokens of compound
    /// identifiers.
    pub fn for_each_token(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        for word in raw_words(text) {
            if word.len() > MAX_WORD_BYTES {
                continue;
            }
            for part in word_parts(word) {
                if let Some(stem) = self.stem_part(part) {
                    emit(stem);
                }
            }
            if is_compound(word) {
                write_whole_token(word, &mut self.whole);
                emit(&self.whole);
            }
        }
    }

    /// Calls `emit` with the tokens of a symbol's own name: its word tokens, and its whole token
    /// exactly once, even if the name is not a compound.
    pub fn for_each_name_token(&mut self, name: &str, mut emit: impl FnMut(&str)) {
        self.for_each_token(name, |token| {
            if !token.starts_with(WHOLE_TOKEN_PREFIX) {
                emit(token);
            }
        });
        write_whole_token(name, &mut self.whole);
        emit(&self.whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        Analyzer::default().for_each_token(text, |t| out.push(t.to_owned()));
        out
    }

    #[test]
    fn identifiers_split_at_case_underscore_and_digits() {
        let parts = |word| super::word_parts(word).collect::<Vec<_>>();
        assert_eq!(parts("HTTPServer_v2"), ["HTTP", "Server", "v", "2"]);
        assert_eq!(parts("beforeRequest"), ["before", "Request"]);
        assert_eq!(parts("__init__"), ["init"]);
        assert_eq!(parts("ABC"), ["ABC"]);
        assert_eq!(parts("aB"), ["a", "B"]);
        assert_eq!(parts("_"), Vec::<&str>::new());
        assert_eq!(parts("größeMessen"), ["größe", "Messen"]);
    }

    #[test]
    fn the_table_of_characters_agrees_with_unicode() {
        for c in '\0'..=char::MAX {
            assert_eq!(char_kind(c), classify_char(c), "{c:?}");
            assert_eq!(char_kind(c) != CharKind::Other, c.is_alphanumeric(), "{c:?}");
        }
    }

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores_of_any_script() {
        for text in [
            "",
            "  ",
            "a",
            "größe_1 (x->y)",
            "日本語, ça-va\u{301}",
            "\u{1f600}a\u{1f600}",
            "½ ² _ x²",
            "a\u{a0}b",
        ] {
            let split =
                text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
            assert_eq!(raw_words(text).collect::<Vec<_>>(), split.collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn text_gives_stems_and_whole_identifiers() {
        assert_eq!(
            tokens("Registers `before_request` handlers"),
            ["regist", "request", "=beforerequest", "handler"]
        );
        assert_eq!(tokens("read-only user's c++ v2.0"), ["read", "user"]);
        assert_eq!(tokens("🙂"), Vec::<String>::new());
    }

    #[test]
    fn words_that_mean_something_in_code_are_stop_words_that_names_keep() {
        for kept in ["for", "do", "if", "not", "is", "has", "can"] {
            assert!(is_code_word(kept) && is_stop_word(kept), "{kept}");
        }
        let dropped = "a an the and or but of with by from in to it we would could should";
        for dropped in dropped.split(' ') {
            assert!(!is_code_word(dropped) && is_stop_word(dropped), "{dropped}");
        }
        assert_eq!(CODE_WORDS.len(), 7);
    }

    #[test]
    fn a_name_always_has_its_whole_token() {
        let mut out = Vec::new();
        Analyzer::default().for_each_name_token("run", |t| out.push(t.to_owned()));
        assert_eq!(out, ["run", "=run"]);
    }
}
