//! Renders one item of a pack as Markdown. Budgets count the tokens of exactly this text.
//!
//! Names, signatures, comments and code come from files of other authors, so no text may break out
//! of its item: code is fenced with more backquotes than it contains ([`code_fence`],
//! [`code_span`]), prose begins no block, element or link ([`render_prose`]), and control
//! characters are escaped ([`escape_control_chars`]).

use super::{DetailLevel, PackSymbol};
use kenning_graph::SymbolKind;
use std::borrow::Cow;

/// Renders one symbol, with a line break at the end, safe to print ([`escape_control_chars`]).
pub fn render_item(symbol: &PackSymbol) -> String {
    let item = format_item(symbol);
    match escape_control_chars(&item) {
        Cow::Borrowed(_) => item,
        Cow::Owned(safe) => safe,
    }
}

/// Renders one symbol as Markdown in its level of detail, before escaping.
fn format_item(symbol: &PackSymbol) -> String {
    // `path:line` comes first because editors and terminals turn it into a link.
    let location = code_span(&format!("{}:{}", symbol.file, symbol.line));
    let name = code_span(&symbol.name);
    match symbol.detail {
        DetailLevel::Name => format!("- {location} {name} ({})\n", symbol.kind),
        DetailLevel::Signature => {
            let mut out = format!("- {location} {name} ({})\n", symbol.kind);
            if !symbol.signature.is_empty() {
                push_parts(&mut out, &["  ", &code_span(&symbol.signature), "\n"]);
            }
            if !symbol.doc.is_empty() {
                push_parts(&mut out, &["  ", &render_prose(&symbol.doc), "\n"]);
            }
            out
        }
        DetailLevel::Body | DetailLevel::Trimmed => {
            let text = symbol.text.as_deref().unwrap_or("");
            let fence = code_fence(text);
            if symbol.kind == SymbolKind::File {
                let mut out = format!("- {location} (file)\n\n");
                push_parts(&mut out, &[&fence, &symbol.language, "\n", text, "\n", &fence, "\n"]);
                return out;
            }
            let mut out = render_head(symbol);
            out.push('\n');
            push_parts(
                &mut out,
                &[&fence, &symbol.language, "\n", text.trim_end_matches('\n'), "\n", &fence, "\n"],
            );
            out
        }
    }
}

/// Renders the line above the text of a symbol: its place, name, kind and lines, with a line break at
/// the end, before escaping.
pub fn render_head(symbol: &PackSymbol) -> String {
    let location = code_span(&format!("{}:{}", symbol.file, symbol.line));
    let lines = match (symbol.text_line, symbol.end_line) {
        (first, last) if first < last => format!(", lines {first}-{last}"),
        _ => String::new(),
    };
    format!("- {location} {} ({}{lines})\n", code_span(&symbol.name), symbol.kind)
}

/// Renders one line of a comment as Markdown that shows it unchanged: outside code spans, it begins
/// no block, no element and no link.
pub fn render_prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let text = text.trim_start();
    // Three or more backquotes at the beginning would be a fence, even if they are closed on the
    // same line.
    let starts_with_fence = text.starts_with("```");
    if text.starts_with(['#', '>', '-', '+', '*', '=', '~', '|']) {
        out.push('\\');
    }
    let mut rest = text;
    while let Some(at) = rest.find(['`', '<', ']']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix(']') {
            // Only a bracket with a target after it is a link; other brackets stay as they are.
            out.push_str(if after.starts_with('(') { "\\]" } else { "]" });
            rest = after;
            continue;
        }
        if rest.starts_with('<') {
            out.push_str("\\<");
            rest = &rest[1..];
            continue;
        }
        let run = rest.len() - rest.trim_start_matches('`').len();
        let end = if starts_with_fence && rest.len() == text.len() {
            None
        } else {
            find_code_end(&rest[run..], run)
        };
        match end {
            // Text in code is shown unchanged.
            Some(end) => {
                out.push_str(&rest[..run + end]);
                rest = &rest[run + end..];
            }
            None => {
                (0..run).for_each(|_| out.push_str("\\`"));
                rest = &rest[run..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the end of the inline code that begins with `run` backquotes, after its closing
/// backquotes.
fn find_code_end(text: &str, run: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find('`').map(|at| from + at) {
        let length = text[at..].len() - text[at..].trim_start_matches('`').len();
        if length == run {
            return Some(at + length);
        }
        from = at + length;
    }
    None
}

fn push_parts(out: &mut String, parts: &[&str]) {
    out.extend(parts.iter().copied());
}

/// Returns a fence that is longer than every run of backquotes in `text`.
pub fn code_fence(text: &str) -> String {
    "`".repeat(longest_backquote_run(text).max(2) + 1)
}

/// Whether a character must not reach a terminal as it is: a control character, which may begin a
/// command for the terminal; one that changes the direction of text (Unicode's property
/// `Bidi_Control`), which can make code look like other code; or one of the two line breaks that
/// only some programs recognize. Line breaks and tabs are control characters.
pub fn is_unsafe_to_print(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `text` with every character that is unsafe to print ([`is_unsafe_to_print`]), except tabs
/// and line breaks, escaped as in `\u{1b}`. A file of another author must not control the terminal
/// that shows it.
pub fn escape_control_chars(text: &str) -> Cow<'_, str> {
    let is_safe = |at: usize, c: char| match c {
        '\n' | '\t' => true,
        '\r' => text[at + 1..].starts_with('\n'),
        c => !is_unsafe_to_print(c),
    };
    if text.char_indices().all(|(at, c)| is_safe(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if is_safe(at, c) {
            safe.push(c);
        } else {
            safe.extend(c.escape_unicode());
        }
    }
    Cow::Owned(safe)
}

/// Returns `text` as inline code on one line, whatever backquotes and line breaks it contains, safe
/// to print ([`escape_control_chars`]).
pub fn code_span(text: &str) -> String {
    // The name of a file may contain a line break, after which a heading could begin.
    let text = escape_control_chars(text).replace('\r', "\\r").replace('\n', "\\n");
    let run = longest_backquote_run(&text);
    if run == 0 {
        return format!("`{text}`");
    }
    let mark = "`".repeat(run + 1);
    format!("{mark} {text} {mark}")
}

fn longest_backquote_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(escape_control_chars("a\tb\r\nc\n"), "a\tb\r\nc\n");
        assert_eq!(
            escape_control_chars("a\u{1b}[2Jb\rc\u{7}\u{9b}1m\0"),
            "a\\u{1b}[2Jb\\u{d}c\\u{7}\\u{9b}1m\\u{0}"
        );
        assert_eq!(escape_control_chars("x\u{202e}y\u{2066}"), "x\\u{202e}y\\u{2066}");
        assert_eq!(escape_control_chars("\u{61c}\u{200f}\u{2028}"), "\\u{61c}\\u{200f}\\u{2028}");
        assert_eq!(escape_control_chars("größe é 😀"), "größe é 😀");
        assert_eq!(code_span("a\u{1b}b"), "`a\\u{1b}b`");
        assert_eq!(code_span("a\n## b\r\n"), "`a\\n## b\\r\\n`");
    }

    #[test]
    fn prose_begins_no_block_no_element_and_no_link() {
        for (text, rendered) in [
            ("Plain words, `code<T>` and a_b.", "Plain words, `code<T>` and a_b."),
            ("Vec<T> and </symbol>", "Vec\\<T> and \\</symbol>"),
            ("``` begins no fence ```", "\\`\\`\\` begins no fence \\`\\`\\`"),
            ("# no heading", "\\# no heading"),
            ("- no item", "\\- no item"),
            ("a `b without end <x>", "a \\`b without end \\<x>"),
            ("a ``b`c <d>`` <e>", "a ``b`c <d>`` \\<e>"),
            (
                "[click](javascript:alert(1)), [1] and `a[0](b)`",
                "[click\\](javascript:alert(1)), [1] and `a[0](b)`",
            ),
        ] {
            assert_eq!(render_prose(text), rendered);
        }
    }

    #[test]
    fn fences_and_spans_are_longer_than_the_backquotes_inside() {
        assert_eq!(code_fence("a ``` b"), "````");
        assert_eq!(code_fence("plain"), "```");
        assert_eq!(code_span("a`b"), "`` a`b ``");
        assert_eq!(code_span("ab"), "`ab`");
    }
}
