//! Finds the string literals in a source text, and determines whether a message was formed from
//! one.
//!
//! [`scan_literals`] reads the literals of any language. It joins neighboring literals that form
//! one text, and splits each at its placeholders into fixed parts. A message was formed from a
//! literal if it contains the fixed parts in their order, with anything between them.
//!
//! The scan knows no grammar. An apostrophe in a comment may be read as a literal, which does no
//! harm, because no message contains its text.

/// Maximum length of a literal that is read, in bytes. Longer literals are data.
const MAX_LITERAL_BYTES: usize = 600;

/// Maximum length of the text between two joined literals, and of a placeholder, in bytes. Longer
/// text is code between unrelated literals.
const MAX_JOINT_BYTES: usize = 80;

/// Maximum number of literals read from one text. Data files have hundreds of thousands.
const MAX_LITERALS: usize = 2000;

/// A literal, or several that are joined to one text. Its fixed parts are normalized
/// ([`normalize_text`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StringLiteral {
    /// Byte offset of the first quotation mark.
    pub at: usize,
    /// The texts between placeholders.
    pub parts: Vec<String>,
}

/// Returns a text in the form in which literals and messages are compared: lower case, single
/// spaces, plain quotation marks.
pub(crate) fn normalize_text(text: &str) -> String {
    let plain_quote = |c: char| match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        c => c,
    };
    let lower: String = text.chars().map(plain_quote).flat_map(char::to_lowercase).collect();
    let mut out = String::with_capacity(lower.len());
    for c in lower.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

impl StringLiteral {
    /// Whether `message` (normalized) was formed from this literal, or quotes a part of it.
    pub fn matches_message(&self, message: &str) -> bool {
        self.has_fixed_parts_in(message) || self.parts.iter().any(|part| part.contains(message.trim()))
    }

    fn has_fixed_parts_in(&self, message: &str) -> bool {
        let mut from = 0;
        let mut has_part = false;
        for part in self.parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
            has_part = true;
            match find_word(message, part, from) {
                Some(at) => from = at + part.len(),
                None => return false,
            }
        }
        has_part
    }
}

/// Returns the byte offset at which `part` occurs in `text` at or after `from`, but not in the
/// middle of a word.
fn find_word(text: &str, part: &str, from: usize) -> Option<usize> {
    let mut from = from;
    while let Some(at) = text.get(from..)?.find(part).map(|at| at + from) {
        let inside = part.starts_with(char::is_alphanumeric)
            && text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        if !inside {
            return Some(at);
        }
        from = at + part.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Returns the literals of a source text in any language, at most [`MAX_LITERALS`].
pub(crate) fn scan_literals(source: &str) -> Vec<StringLiteral> {
    let mut found: Vec<StringLiteral> = Vec::new();
    let (mut at, mut end_of_last) = (0, None::<usize>);
    while let Some((start, next)) = find_quote(source, at) {
        let Some((inner, end)) = read_literal(source, start) else {
            at = next;
            continue;
        };
        let joint = end_of_last.and_then(|last| source.get(last..start)).map(classify_join);
        match (joint.unwrap_or(LiteralJoin::None), found.last_mut()) {
            (LiteralJoin::Direct, Some(last)) => last.join_parts(split_fixed_parts(inner)),
            (LiteralJoin::Expression, Some(last)) => last.parts.extend(split_fixed_parts(inner)),
            _ => found.push(StringLiteral { at: start, parts: split_fixed_parts(inner) }),
        }
        if found.len() >= MAX_LITERALS {
            break;
        }
        end_of_last = Some(end);
        at = end;
    }
    found
}

impl StringLiteral {
    /// Appends the parts of a literal that continues this one without a placeholder in between.
    fn join_parts(&mut self, parts: Vec<String>) {
        let mut parts = parts.into_iter();
        if let (Some(last), Some(first)) = (self.parts.last_mut(), parts.next()) {
            last.push_str(&first);
        }
        self.parts.extend(parts);
    }
}

/// The relation between two literals.
enum LiteralJoin {
    /// The literals form one text.
    Direct,
    /// An expression is printed between the literals.
    Expression,
    /// The literals are unrelated.
    None,
}

/// Classifies the relation of two literals by the source text between them.
fn classify_join(between: &str) -> LiteralJoin {
    let trimmed = between.trim();
    let is_filler = |c: char| c.is_whitespace() || "+\\.&$@frbuFRBU".contains(c);
    let may_join = between.contains(char::is_whitespace) || trimmed.contains(['+', '.', '&', '\\']);
    if may_join && between.len() <= MAX_JOINT_BYTES && trimmed.chars().all(is_filler) {
        return LiteralJoin::Direct;
    }
    let is_expression = trimmed.len() > 1 && trimmed.starts_with('+') && trimmed.ends_with('+');
    if is_expression && between.len() <= MAX_JOINT_BYTES && !trimmed.contains([';', '{', '\n']) {
        return LiteralJoin::Expression;
    }
    LiteralJoin::None
}

/// Returns the byte offset of the next quotation mark that may open a literal, and the offset after
/// it.
fn find_quote(source: &str, from: usize) -> Option<(usize, usize)> {
    let mut from = from;
    loop {
        let at = source.get(from..)?.find(['"', '\'', '`'])? + from;
        let before = source[..at].chars().next_back();
        // Apostrophes come after letters. Prefixes of literals (f'', b'') have one letter or two.
        let prefix = source[..at].chars().rev().take_while(|c| c.is_alphanumeric()).count();
        if source[at..].starts_with('\'') && before.is_some_and(char::is_alphanumeric) && prefix > 2 {
            from = at + 1;
            continue;
        }
        return Some((at, at + 1));
    }
}

/// Returns the text of the literal that opens at `start`, without quotation marks, and the byte
/// offset after the literal. Returns `None` if it is not closed or is too long.
fn read_literal(source: &str, start: usize) -> Option<(&str, usize)> {
    let rest = &source[start..];
    let mark = ["\"\"\"", "'''", "\"", "'", "`"].into_iter().find(|mark| rest.starts_with(mark))?;
    let is_multiline = mark.len() == 3 || mark == "`";
    let begin = start + mark.len();
    let mut escaped = false;
    for (at, c) in source[begin..].char_indices() {
        if at > MAX_LITERAL_BYTES || (c == '\n' && !is_multiline && !escaped) {
            return None;
        }
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if source[begin + at..].starts_with(mark) {
            return Some((&source[begin..begin + at], begin + at + mark.len()));
        }
    }
    None
}

/// Splits a literal at its placeholders (`%s`, `%(name)d`, `{}`, `{name!r}`, `${x}`, `#{x}`) and
/// normalizes the parts.
fn split_fixed_parts(inner: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut at = 0;
    while let Some(c) = inner[at..].chars().next() {
        let rest = &inner[at..];
        if let Some(length) = placeholder_len(rest) {
            parts.push(normalize_text(&std::mem::take(&mut part)));
            at += length;
        } else if let Some(plain) = ["{{", "}}", "%%"].into_iter().find(|pair| rest.starts_with(pair)) {
            part.push_str(&plain[..1]);
            at += 2;
        } else if c == '\\' {
            let escaped = rest[1..].chars().next();
            let is_mark = |mark: &char| "\"'`\\/".contains(*mark);
            part.push(escaped.filter(is_mark).unwrap_or(' '));
            at += 1 + escaped.map_or(0, char::len_utf8);
        } else {
            part.push(c);
            at += c.len_utf8();
        }
    }
    parts.push(normalize_text(&part));
    parts
}

/// Returns the length of the placeholder at the beginning of `text`, or `None` if there is none.
fn placeholder_len(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix('%') {
        return format_verb_len(rest).map(|length| length + 1);
    }
    let open = ["${", "#{", "{"].into_iter().find(|open| text.starts_with(open))?;
    if open == "{" && text.starts_with("{{") {
        return None;
    }
    let mut depth = 0usize;
    for (at, c) in text.char_indices().take(MAX_JOINT_BYTES) {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the length of the rest of a printf verb: `(name)s`, `-5.2f`, `+v`, `1$s`, `lld`.
fn format_verb_len(text: &str) -> Option<usize> {
    let name_len = match text.strip_prefix(['(', '<', '{']) {
        Some(rest) => rest.find([')', '>', '}']).map(|end| end + 2).filter(|end| *end < MAX_JOINT_BYTES)?,
        None => 0,
    };
    let rest = &text[name_len..];
    let flags = rest.find(|c: char| !(c.is_ascii_digit() || "+-# .*$lhzjtL[]".contains(c)))?;
    let verb = rest[flags..].chars().next()?;
    // `100% of` has a space, which is also a flag, but a verb is not followed by more letters.
    let is_verb = !rest[flags + verb.len_utf8()..].starts_with(char::is_alphabetic) || !rest.starts_with(' ');
    ("sdiuoxXfFeEgGcrapvqTtbUw@".contains(verb) && is_verb).then_some(name_len + flags + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(source: &str, expect: Expect) {
        let line = |literal: &StringLiteral| format!("{}: {}\n", literal.at, literal.parts.join(" * "));
        expect.assert_eq(&scan_literals(source).iter().map(line).collect::<String>());
    }

    #[test]
    fn literals_are_cut_at_their_placeholders() {
        check(
            r#"raise ValueError(f"cannot load {name!r:>5} from {path}")
fmt.Errorf("%w: route %q is %+v of 100%% at %[1]d", err)
log('no %(kind)s left, don\'t retry')
throw new Error(`unknown ${a.b({c: 1})} here`)
raise "Theme #{name} is {{gone}}""#,
            expect![[r#"
                18: cannot load  *  from  * 
                68:  * : route  *  is  *  of 100% at  * 
                118: no  *  left, don't retry
                168: unknown  *  here
                205: theme  *  is {gone}
            "#]],
        );
    }

    #[test]
    fn neighboring_literals_are_one_text() {
        check(
            "f(\"the first \"\n   \"and the second\")\n\"at \" + index + \" of many\"; g(\"a b\", \"c d\")",
            expect![[r#"
                2: the first and the second
                36: at  *  of many
                66: a b
                73: c d
            "#]],
        );
    }

    #[test]
    fn a_message_matches_if_it_contains_the_fixed_parts_in_order() {
        let matches = |source: &str, message: &str| {
            scan_literals(source).iter().any(|literal| literal.matches_message(&normalize_text(message)))
        };
        assert!(matches("\"cannot load {x} from {y}\"", "Cannot load 'a.toml'  from /etc"));
        assert!(!matches("\"cannot load {x} from {y}\"", "taken from /etc: cannot load it"));
        assert!(!matches("\"oad it\"", "cannot load it"), "a match must not begin in the middle of a word");
        assert!(
            matches("\"the broker is gone. Restart it.\"", "broker is gone"),
            "a message may quote a part of the literal"
        );
        assert!(!matches("\"{}\"", "anything"));
    }

    #[test]
    fn hostile_text_has_a_bounded_number_of_literals() {
        for text in [
            "",
            "'",
            "\"",
            "`",
            "\"\\",
            "'''",
            "\"%",
            "\"%(\"",
            "\"{\"",
            "\"${\"",
            "a'b'c",
            "\"\u{1f642}%\u{1f642}\"",
        ] {
            let _ = scan_literals(text);
        }
        assert_eq!(scan_literals(&"\"a b\";".repeat(9000)).len(), MAX_LITERALS);
        assert!(scan_literals(&format!("\"{}\"", "x".repeat(9000))).is_empty());
    }
}
