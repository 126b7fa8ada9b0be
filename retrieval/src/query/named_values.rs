//! Finds the words of a text that may be the values of string literals: configuration keys
//! (`linger.ms`, `SESSION_COOKIE_NAME`), header names (`X-Forwarded-For`) and flags
//! (`--no-ignore`).

use super::vocabulary::VOCABULARY;

/// Maximum number of values from one text. Pasted configurations have hundreds.
const MAX_VALUES: usize = 8;

/// Maximum length of a value in bytes. Longer words are data.
const MAX_BYTES: usize = 80;

/// Minimum length of a value in bytes. Shorter words occur in too many literals.
const MIN_BYTES: usize = 5;

/// Returns the words of `text` that may be the values of string literals, each once, in the order
/// of the text and without the dashes of a flag. They need not occur in the code.
pub(super) fn scan_values(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let is_end = |c: char| c.is_whitespace() || "()[]{}<>,;=|".contains(c);
    let words = text.split(is_end).enumerate();
    // The first word of a commit message is the part that it changes: `reverse_proxy: retry`.
    let is_scope = |word: &str| word.ends_with(':') && word.starts_with(char::is_alphabetic);
    let words = words.filter(|(at, word)| *at > 0 || !is_scope(word)).map(|(_, word)| word);
    for word in words.filter(|word| (MIN_BYTES..=2 * MAX_BYTES).contains(&word.len())) {
        if let Some(value) = parse_value(word).filter(|value| !found.iter().any(|known| known == value)) {
            found.push(value.to_owned());
            if found.len() == MAX_VALUES {
                break;
            }
        }
    }
    found
}

/// Returns the value that a word may be, without quotation marks and punctuation.
fn parse_value(word: &str) -> Option<&str> {
    let is_mark = |c: char| "\"'`\u{201c}\u{201d}\u{2018}\u{2019}".contains(c);
    let bare = word.trim_end_matches(['.', ':', '!', '?']).trim_matches(is_mark);
    let is_quoted = word.starts_with(is_mark);
    let is_flag = bare.starts_with("--");
    let value = bare.trim_start_matches('-');
    let parts: Vec<&str> = value.split(['.', '-', '_']).collect();
    let is_part = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric());
    let starts_with_letter = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_key = (MIN_BYTES..=MAX_BYTES).contains(&value.len())
        && parts.len() > 1
        && parts.iter().all(is_part)
        && parts.first().is_some_and(starts_with_letter)
        && !VOCABULARY.dotted_prose.contains(&value.to_lowercase());
    // Prose joins words by hyphens: `long-running`.
    let is_prose = !value.contains(['.', '_']) && !value.contains(|c: char| c.is_ascii_uppercase());
    (is_key && (!is_prose || is_quoted || is_flag)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{MAX_VALUES, scan_values};

    #[test]
    fn keys_headers_and_flags_may_be_values() {
        let text = "What does linger.ms do? Set `max.poll.records` (default 500), SESSION_COOKIE_NAME and \
                    \"keep-alive\"; the X-Forwarded-For header. rg --no-ignore --max-depth=3, linger.ms.";
        assert_eq!(
            scan_values(text),
            [
                "linger.ms",
                "max.poll.records",
                "SESSION_COOKIE_NAME",
                "keep-alive",
                "X-Forwarded-For",
                "no-ignore",
                "max-depth"
            ]
        );
    }

    #[test]
    fn prose_numbers_and_hostile_texts_are_no_values() {
        for text in [
            "a long-running job, e.g. a non-blocking one",
            "v2.0 1.2.3 10.0.0.1",
            "",
            "--",
            "-.-._",
            "\u{1f642}-\u{1f642}",
            "reverse_proxy: retry",
            "a..b c__d",
        ] {
            assert_eq!(scan_values(text), [""; 0], "{text}");
        }
        let many: String = (0..99).map(|n| format!("key.number{n} ")).collect();
        assert_eq!(scan_values(&many).len(), MAX_VALUES);
        assert!(scan_values(&"a.b".repeat(9999)).is_empty());
    }
}
