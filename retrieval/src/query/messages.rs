//! Finds the messages that a text quotes: the text after `ValueError:` or `ERROR`, and sentences in
//! quotation marks.

use super::report::WORDS;
use kenning_graph::analysis::{raw_words, word_parts};

/// Maximum number of messages from one text. Pasted logs have thousands.
const MAX_MESSAGES: usize = 8;

/// Maximum length of a message in bytes. A longer message, such as a dump of data, is truncated.
const MAX_BYTES: usize = 400;

/// Minimum number of words in a quotation that is a message rather than a name.
const MIN_WORDS: usize = 3;

/// Returns the messages that `text` quotes, each once, in the order of the text. They need not come
/// from a literal in the code.
pub(super) fn scan_messages(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add_message = |message: &str| {
        let message = message.trim();
        let end =
            (0..=message.len().min(MAX_BYTES)).rev().find(|&at| message.is_char_boundary(at)).unwrap_or(0);
        let message = &message[..end];
        let has_words = raw_words(message).filter(|word| word.contains(char::is_alphabetic)).nth(1).is_some();
        if has_words && found.len() < MAX_MESSAGES && found.iter().all(|known| known != message) {
            found.push(message.to_owned());
        }
    };
    let mut follows_panic = false;
    for line in text.lines().filter(|line| line.len() <= 20 * MAX_BYTES) {
        if std::mem::take(&mut follows_panic) {
            add_message(line);
        }
        // Matches `thread 'main' panicked at src/main.rs:1:2:`. The message is on the next line.
        follows_panic = line.contains(" panicked at ") && line.trim_end().ends_with(':');
        match text_after_failure(line) {
            Some(message) => add_message(message),
            None => quoted_sentences(line).into_iter().for_each(&mut add_message),
        }
    }
    found
}

/// Returns the text after a word that reports a failure.
fn text_after_failure(line: &str) -> Option<&str> {
    let mut at = 0;
    for word in line.split_inclusive(|c: char| c.is_whitespace() || c == ']').take(24) {
        at += word.len();
        let word = word.trim_end();
        let bare = word.trim_matches(|c: char| "[]():*`\"'".contains(c));
        // Handles `error[E0308]: ...` and `CS0103:`.
        let name = bare.split(['[', '(']).next().unwrap_or(bare);
        let last = name.rsplit(['.', ':', '$', '\\']).next().unwrap_or(name);
        let lower = last.to_lowercase();
        let is_failure_word = WORDS.failure_words.contains(&lower);
        let is_uppercase_word = is_failure_word && last.len() > 3 && last.chars().all(char::is_uppercase);
        let is_failure_name =
            word_parts(last).last().is_some_and(|part| WORDS.failure_names.contains(&part.to_lowercase()))
                && last.starts_with(char::is_uppercase);
        let rest = line.get(at..)?.trim_start();
        // Handles `error CS0103: ...`.
        let after_code =
            rest.split_once(':').filter(|(code, _)| is_diagnostic_code(code)).map(|(_, rest)| rest);
        if (is_failure_word || is_failure_name) && word.ends_with(':') {
            return Some(rest);
        }
        if is_failure_word && let Some(rest) = rest.strip_prefix(':').filter(|_| word.ends_with(']')) {
            return Some(rest);
        }
        if is_failure_word && after_code.is_some() {
            return after_code;
        }
        if is_uppercase_word {
            return Some(rest);
        }
    }
    None
}

/// Whether a text is the code of a diagnostic: `CS0103`, `TS2304`, `E0308`.
fn is_diagnostic_code(text: &str) -> bool {
    (3..=10).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns the quotations in a line that have the length of a sentence.
fn quoted_sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut before = ' ';
    while let Some(at) = rest.find(['"', '\'', '`', '\u{201c}']) {
        let open = rest[at..].chars().next().unwrap_or('"');
        before = rest[..at].chars().next_back().unwrap_or(before);
        let inner = &rest[at + open.len_utf8()..];
        let close = if open == '\u{201c}' { '\u{201d}' } else { open };
        // A quotation mark after a letter is an apostrophe.
        let end = if before.is_alphanumeric() { None } else { closing_quote(inner, close) };
        match end {
            Some(end) => {
                if raw_words(&inner[..end]).nth(MIN_WORDS - 1).is_some() {
                    found.push(&inner[..end]);
                }
                rest = &inner[end + close.len_utf8()..];
                before = close;
            }
            None => {
                before = open;
                rest = inner;
            }
        }
    }
    found
}

/// Returns the byte offset at which a quotation ends. An apostrophe within a word does not end it.
fn closing_quote(inner: &str, close: char) -> Option<usize> {
    inner.char_indices().find_map(|(at, c)| {
        let next = inner[at + c.len_utf8()..].chars().next();
        (c == close && !next.is_some_and(char::is_alphanumeric)).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        expect.assert_eq(&(scan_messages(text).join("\n") + "\n"));
    }

    #[test]
    fn messages_follow_failures_or_are_in_quotation_marks() {
        check(
            "E   flask.config.ValueError: cannot load 'a.toml'
java.lang.IllegalStateException: Cart is closed
error[E0308]: mismatched types here
src/Cart.cs(25,13): error CS0103: The name does not exist
panic: route already added
2024-01-02 10:00 ERROR [main] - broker is gone
thread 'main' panicked at src/main.rs:1:2:
index out of bounds
It says \"no such host is known\", don't ask `about it now` or 'the other one' isn't",
            expect![[r#"
                cannot load 'a.toml'
                Cart is closed
                mismatched types here
                The name does not exist
                route already added
                [main] - broker is gone
                index out of bounds
                no such host is known
            "#]],
        );
        check(
            "don\u{2019}t say \u{201c}the file is gone\u{201d} or 'it isn't open yet'",
            expect![[r#"
                the file is gone
                it isn't open yet
            "#]],
        );
    }

    #[test]
    fn prose_without_failures_has_no_messages() {
        for text in [
            "Improve error handling: add an Error type. The `Error` class has a \"name\".",
            "\" ' ` \u{201c} : error: \u{1f642}",
        ] {
            assert_eq!(scan_messages(text), [""; 0]);
        }
        assert_eq!(scan_messages(&"error: it went wrong here\n".repeat(9999)).len(), 1);
    }
}
