//! The only place that writes to standard output and standard error.
//!
//! Kenning prints text that others wrote: names of files and tests, code, values of a `kenning.toml`,
//! messages of parsers and of the system. A terminal obeys the control characters in
//! such text. In: texts that callers assembled without looking at their characters. Out: the same
//! texts, in which every character that is unsafe to print is visible
//! ([`kenning_retrieval::pack::is_unsafe_to_print`]).
//!
//! * Plain text ([`write_text`]) and pieces of text with a style ([`write_pieces`]) keep no control
//!   characters but tabs and line breaks.
//! * Text with styles inside ([`write_styled`], [`LogStream`]) keeps the codes that Kenning, clap
//!   and the log write: colors, weights, and links to files. No foreign text can get further than
//!   that, even if the code that rendered the text forgot to escape it.
//! * Bytes ([`write_bytes`]) are not written to a terminal.
//!
//! Pipes and files get the same text as a terminal, because people look at them in terminals.
//!
//! The rule `terminal_output` of `tests/tests/tidy` forbids all other writing to these streams.

use anstream::AutoStream;
use anstyle::Style;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use console::Term;
use kenning_retrieval::pack::{escape_control_chars, is_unsafe_to_print};
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// A standard stream that can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardStream {
    /// Standard output, for results.
    Output,
    /// Standard error, for everything else.
    Error,
}

impl StandardStream {
    /// Whether the stream is a terminal.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Output => io::stdout().is_terminal(),
            Self::Error => io::stderr().is_terminal(),
        }
    }

    /// Whether the user's environment wants styles on the stream (`NO_COLOR`, `CLICOLOR`,
    /// `CLICOLOR_FORCE`, `TERM=dumb`).
    pub fn shows_styles(self) -> bool {
        let choice = match self {
            Self::Output => AutoStream::choice(&io::stdout()),
            Self::Error => AutoStream::choice(&io::stderr()),
        };
        choice != anstream::ColorChoice::Never
    }

    fn write_raw(self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Output => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Self::Error => io::stderr().lock().write_all(bytes),
        }
    }
}

/// Returns the rows and columns of the terminal behind standard output, if it reports them.
pub fn output_size() -> Option<(u16, u16)> {
    Term::stdout().size_checked()
}

/// Writes a text without styles.
///
/// # Errors
/// Returns the error of the system.
pub fn write_text(stream: StandardStream, text: &str) -> io::Result<()> {
    stream.write_raw(escape_control_chars(text).as_bytes())
}

/// Writes texts, each in its style if the stream shows styles.
///
/// # Errors
/// Returns the error of the system.
pub fn write_pieces(stream: StandardStream, pieces: &[(Style, &str)]) -> io::Result<()> {
    let is_styled = stream.shows_styles();
    let piece = |(style, text): &(Style, &str)| {
        let text = escape_control_chars(text);
        if is_styled && *style != Style::new() {
            format!("{style}{text}{style:#}")
        } else {
            text.into_owned()
        }
    };
    stream.write_raw(pieces.iter().map(piece).collect::<String>().as_bytes())
}

/// Writes a text that has styles and links already.
///
/// # Errors
/// Returns the error of the system.
pub fn write_styled(stream: StandardStream, text: &str) -> io::Result<()> {
    stream.write_raw(escape_unknown_codes(text).as_bytes())
}

/// Writes bytes to standard output.
///
/// # Errors
/// Returns an error if standard output is a terminal, which bytes would confuse, and the error of
/// the system.
pub fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    if StandardStream::Output.is_terminal() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "a terminal cannot show bytes"));
    }
    StandardStream::Output.write_raw(bytes)
}

/// Asks the terminal of standard error or standard output to copy a text (OSC 52). Returns false if
/// neither is a terminal.
///
/// # Errors
/// Returns the error of the system.
pub fn copy_through_terminal(text: &str) -> io::Result<bool> {
    let streams = [StandardStream::Error, StandardStream::Output];
    let Some(stream) = streams.into_iter().find(|stream| stream.is_terminal()) else { return Ok(false) };
    stream.write_raw(clipboard_code(text).as_bytes()).map(|()| true)
}

/// Returns the code with which a terminal copies a text. Base64 has no control characters.
fn clipboard_code(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text))
}

/// Standard error as the target of the log. Each call writes whole lines.
#[derive(Clone, Copy, Debug)]
pub struct LogStream;

impl Write for LogStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_styled(StandardStream::Error, &String::from_utf8_lossy(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a text safe to print that keeps the codes of [`known_code`].
pub fn escape_unknown_codes(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe_to_print) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        out.push_str(&escape_control_chars(&rest[..at]));
        let code = known_code(&rest[at..]);
        match code {
            Some(code) => out.push_str(code),
            None => out.push_str("\\u{1b}"),
        }
        rest = &rest[at + code.map_or(1, str::len)..];
    }
    out.push_str(&escape_control_chars(rest));
    Cow::Owned(out)
}

/// Returns the code at the beginning of a text if it is one that Kenning writes: a style, or the
/// beginning or end of a link to a file. Neither can hide text, move the cursor or run anything.
fn known_code(text: &str) -> Option<&str> {
    let length = match text.strip_prefix("\x1b[") {
        Some(style) => {
            let end = style.find(|c: char| !c.is_ascii_digit() && c != ';')?;
            let is_known = style[..end].split(';').all(is_known_style);
            (is_known && style[end..].starts_with('m')).then_some("\x1b[".len() + end + 1)?
        }
        None => {
            let link = text.strip_prefix("\x1b]8;;")?;
            let end = link.find(|c: char| !c.is_ascii_graphic())?;
            let is_file = end == 0 || link.starts_with("file://");
            (is_file && link[end..].starts_with("\x1b\\")).then_some("\x1b]8;;".len() + end + 2)?
        }
    };
    Some(&text[..length])
}

/// Whether a parameter of a style is the end of all styles, a weight, italics, an underline or a
/// color out of 16. Others hide text or make it blink.
fn is_known_style(parameter: &str) -> bool {
    matches!(parameter, "0" | "1" | "2" | "3" | "4")
        || (parameter.len() == 2 && parameter.starts_with(['3', '9']) && !parameter.ends_with(['8', '9']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_styles_and_links_to_files_are_kept() {
        for known in [
            "\x1b[1m\x1b[34mdef\x1b[0m",
            "\x1b[1;31mred\x1b[0m",
            "\x1b[2m\x1b[3m\x1b[4m\x1b[97mx\x1b[0m",
            "\x1b]8;;file:///w/a%20b.py\x1b\\\x1b[35ma b.py\x1b[0m\x1b]8;;\x1b\\",
            "plain größe\n\ttabs\r\n",
        ] {
            assert_eq!(escape_unknown_codes(known), known);
        }
        for (foreign, escaped) in [
            ("\x1b]52;c;ZXZpbA==\x07", "\\u{1b}]52;c;ZXZpbA==\\u{7}"),
            ("\x1b[2J\x1b[8mhidden", "\\u{1b}[2J\\u{1b}[8mhidden"),
            ("\x1b[38;5;1m\x1b[7m\x1b[m", "\\u{1b}[38;5;1m\\u{1b}[7m\\u{1b}[m"),
            ("\x1b]8;;http://evil\x1b\\x", "\\u{1b}]8;;http://evil\\u{1b}\\x"),
            ("\x1b]8;;file:///\x1b]52;c;eA==\x07", "\\u{1b}]8;;file:///\\u{1b}]52;c;eA==\\u{7}"),
            ("\x1b[1", "\\u{1b}[1"),
            ("\x1b", "\\u{1b}"),
            ("\x1b[1m\u{9b}31m\u{202e}\r", "\x1b[1m\\u{9b}31m\\u{202e}\\u{d}"),
        ] {
            assert_eq!(escape_unknown_codes(foreign), escaped);
        }
    }

    #[test]
    fn a_terminal_gets_a_copied_text_in_base64() {
        assert_eq!(clipboard_code("a\u{1b}"), "\x1b]52;c;YRs=\x07");
    }
}
