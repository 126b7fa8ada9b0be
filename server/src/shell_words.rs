//! Quotes words for the shells into which people paste printed commands.
//!
//! A word comes from a name in a workspace of another author and may contain anything. For each
//! shell, [`ShellKind::can_quote`] says which words it can be given, and a quoted word is read back
//! as exactly the same word.
//!
//! * Other systems than Windows get words for `sh`. A word with characters that control a terminal
//!   becomes `$'...'`, which `bash`, `zsh` and `ksh` read, so that the escaped form is what people
//!   see and paste.
//! * On Windows, one form fits `cmd.exe`, PowerShell and the shell of Git: double quotes around
//!   words without characters that one of them interprets. Programs such as `npx` are batch files,
//!   for which `cmd.exe` reads the words again, so quotes do not help there.

use kenning_retrieval::pack::is_unsafe_to_print;

/// The shells that a command is printed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// `sh`, `bash`, `zsh`.
    Posix,
    /// `cmd.exe`, PowerShell, and `bash` on Windows.
    Windows,
}

impl ShellKind {
    /// Returns the shells of the operating system that this program runs on.
    pub const fn of_platform() -> Self {
        if cfg!(windows) { Self::Windows } else { Self::Posix }
    }

    /// Whether a word can contain this text. A text for which this is false has no quoted form.
    pub fn can_quote(self, text: &str) -> bool {
        match self {
            // No program can be passed a zero byte.
            Self::Posix => !text.contains('\0'),
            Self::Windows => {
                // PowerShell takes the typographic quotes for quotes.
                let is_special = |c: char| "\"$`%!^&|<>\\\u{201c}\u{201d}\u{201e}".contains(c);
                !text.chars().any(|c| is_special(c) || c.is_control() || is_unsafe_to_print(c))
            }
        }
    }

    /// Returns a word in quotes if it needs them. The shell must be able to quote it.
    pub fn quote_word(self, word: &str) -> String {
        if !word.is_empty() && self.is_plain(word) { word.to_owned() } else { self.quote_text(word) }
    }

    /// Returns a text in quotes. The shell must be able to quote it.
    pub fn quote_text(self, text: &str) -> String {
        match self {
            Self::Posix if text.contains(needs_escape) => escape_text(text),
            Self::Posix => format!("'{}'", text.replace('\'', r"'\''")),
            Self::Windows => format!("\"{text}\""),
        }
    }

    /// Whether a text means itself without quotes, at the beginning of a word and inside it.
    fn is_plain(self, text: &str) -> bool {
        let also_plain = match self {
            Self::Posix => "_-./:@%+=,",
            Self::Windows => "_-./:+",
        };
        // `zsh` replaces `=ls` with the path of `ls`.
        !text.starts_with('=') && text.chars().all(|c| c.is_ascii_alphanumeric() || also_plain.contains(c))
    }
}

fn needs_escape(c: char) -> bool {
    c.is_control() || is_unsafe_to_print(c)
}

/// Returns a text as `$'...'`. Bytes are written in octal, because all shells read at most three
/// digits, while some read hexadecimal digits without a limit.
fn escape_text(text: &str) -> String {
    let mut out = String::from("$'");
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            // The expansion of earlier commands (`!`) in `bash` does not know this form of quotes
            // and would take an escaped quote for the end of the word.
            '\'' => out.push_str("\\047"),
            '!' => out.push_str("\\041"),
            c if needs_escape(c) => {
                let mut bytes = [0; 4];
                let octal = c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\{byte:03o}"));
                out.extend(octal);
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_if_they_need_it() {
        for (word, quoted) in [
            ("tests/test_a.py::test_one", "tests/test_a.py::test_one"),
            ("", "''"),
            ("=ls", "'=ls'"),
            ("a b", "'a b'"),
            ("isn't", r"'isn'\''t'"),
            ("$(touch pwn)", "'$(touch pwn)'"),
            ("é", "'é'"),
            ("x\u{1b}]52;c;eA==\u{7}'!", r"$'x\033]52;c;eA==\007\047\041'"),
            ("a\n\tb\\", r"$'a\n\tb\\'"),
            ("x\u{202e}y\u{2028}1", r"$'x\342\200\256y\342\200\2501'"),
        ] {
            assert_eq!(ShellKind::Posix.quote_word(word), quoted);
        }
        assert!(!ShellKind::Posix.can_quote("a\0b"));
    }

    #[test]
    fn windows_gets_no_word_that_one_of_its_shells_interprets() {
        let windows = ShellKind::Windows;
        for word in
            ["a\"b", "$x", "a`b", "%PATH%", "a!", "a^b", "a&b", "a|b", "a<b", "a\\", "a\nb", "\u{201c}"]
        {
            assert!(!windows.can_quote(word), "{word}");
        }
        for (word, quoted) in
            [("a b", "\"a b\""), ("isn't", "\"isn't\""), ("src/a.ts", "src/a.ts"), ("", "\"\"")]
        {
            assert!(windows.can_quote(word));
            assert_eq!(windows.quote_word(word), quoted);
        }
    }
}
