//! Finds the secret values that are assigned to a name: `password = "..."`, `"token": "..."`,
//! `# export API_KEY=...`, `.setPassword(\n"...")`.
//!
//! The text between a name and its value is read byte by byte, without a parser, because it may be
//! of any language, or a comment. The value is a literal in quotes, or a word without quotes. A
//! word counts if its characters look random, or if it is inside a comment, a docstring or a
//! string.

use super::alternatives::TargetValue;
use super::byte_values::find_byte_list;
use super::tables::{CredentialTables, SecretKind};
use super::values::{MAX_VALUE_BYTES, is_secret_literal, is_secret_word};
use std::cell::OnceCell;
use std::ops::Range;

/// The number of bytes after a name within which its value must start. Hostile text can have
/// megabytes of blanks after each name.
const MAX_VALUE_DISTANCE: usize = 160;

/// The number of bytes to read before a name, to find the start of its line. Minified files have
/// lines of megabytes.
const MAX_LINE_BYTES: usize = 400;

/// The number of bytes before a name within which a comment around it must start. License headers
/// and commented-out code can be far longer.
const MAX_COMMENT_BYTES: usize = 8 << 10;

/// The maximum length of a value without quotes, in bytes. Encoded data can be far longer.
const MAX_WORD_BYTES: usize = 512;

/// The maximum length of a type between a name and its value, in bytes. Object types in TypeScript
/// can be far longer.
const MAX_TYPE_BYTES: usize = 60;

/// The maximum length of the name of a type or function before a value, in bytes. Minified and
/// generated code has far longer names.
const MAX_NAME_BYTES: usize = 40;

/// The maximum number of wrappers around a literal: `Some(Secret::new("..."))` has two. Generated
/// code can nest more.
const MAX_WRAPPERS: usize = 3;

/// The maximum length of the prefix of a literal, such as `br#`, in bytes.
const MAX_LITERAL_PREFIX_BYTES: usize = 3;

/// The context that all names in a text share.
#[derive(Default)]
pub(super) struct TextContext {
    /// Whether the whole text is prose, such as a message or a name.
    is_prose: bool,
    /// The positions of the triple quotes in the text, by kind of quote. They are collected when
    /// the first value needs them.
    quotes: OnceCell<[Vec<usize>; 2]>,
}

impl TextContext {
    pub(super) fn for_prose() -> Self {
        Self { is_prose: true, quotes: OnceCell::new() }
    }

    /// Whether a docstring is open at a position.
    fn is_in_docstring(&self, text: &str, at: usize) -> bool {
        let positions = |quotes: &str| text.match_indices(quotes).map(|(at, _)| at).collect();
        let quotes = self.quotes.get_or_init(|| ["\"\"\"", "'''"].map(positions));
        quotes.iter().any(|positions| positions.partition_point(|&quote| quote < at) % 2 == 1)
    }
}

/// The operator between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueOperator {
    /// `=`, `:=`, `=>`, `==`, `||`
    Assign,
    Colon,
    Comma,
    /// `(` after `setPassword`
    Call,
    /// `>` of `<password>`
    Element,
    /// A blank after `--password`, `:-` in a shell
    Option,
}

/// The result of parsing a literal.
enum LiteralMatch {
    Secret(Range<usize>),
    /// A literal that is not secret.
    NotSecret(Range<usize>),
    /// No literal starts at the position.
    Missing,
}

/// The name of a credential in a text, with what the search for its value needs.
pub(super) struct NameSite<'t> {
    text: &'t str,
    bytes: &'t [u8],
    name: Range<usize>,
    kind: SecretKind,
    context: &'t TextContext,
    /// The end of the bytes to read after the name.
    limit: usize,
}

impl<'t> NameSite<'t> {
    pub(super) fn new(text: &'t str, name: Range<usize>, kind: SecretKind, context: &'t TextContext) -> Self {
        let limit = text.len().min(name.end + MAX_VALUE_DISTANCE);
        Self { text, bytes: text.as_bytes(), name, kind, context, limit }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    pub(super) fn name(&self) -> Range<usize> {
        self.name.clone()
    }

    /// Adds the secret values that are assigned to the name.
    pub(super) fn find_values(&self, found: &mut Vec<Range<usize>>) {
        if let TargetValue::Literal(value) = self.find_target_value() {
            if is_secret_literal(&self.text[value.clone()], self.kind, true) {
                found.push(value);
            }
            return;
        }
        let value = self.find_value(found);
        found.extend(value);
    }

    /// Returns the secret value that is assigned to the name. Adds further values to `found`.
    fn find_value(&self, found: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
        let mut at = self.name.end;
        while self.byte_at(at).is_some_and(|byte| byte.is_ascii_digit()) {
            at += 1;
        }
        let mut is_quoted = false;
        at += usize::from(self.byte_at(at) == Some(b'\\'));
        if matches!(self.byte_at(at), Some(b'"' | b'\'' | b'`')) {
            is_quoted = true;
            at += 1;
        }
        if is_quoted || self.byte_at(at) == Some(b']') {
            at += usize::from(matches!(self.byte_at(at), Some(b']' | b')')));
        }
        let name_end = at;
        at = self.skip_blanks(at);
        let had_blank = at > name_end;
        if self.byte_at(at) == Some(b'{') {
            at = self.skip_accessors(at)?;
        }
        let (operator, after) = self.parse_operator(at, is_quoted, had_blank)?;
        match self.parse_literal(after, operator) {
            LiteralMatch::Secret(value) => {
                self.add_siblings(value.end, self.kind, found);
                return Some(value);
            }
            LiteralMatch::NotSecret(value) => {
                self.add_siblings(value.end, self.kind, found);
                return None;
            }
            LiteralMatch::Missing => {}
        }
        if operator == ValueOperator::Assign
            && let Some(branch) = self.first_branch(after)
            && let LiteralMatch::Secret(value) | LiteralMatch::NotSecret(value) =
                self.parse_literal(branch, operator)
        {
            self.add_siblings(value.end, self.kind, found);
            return is_secret_literal(&self.text[value.clone()], self.kind, true).then_some(value);
        }
        if matches!(operator, ValueOperator::Assign | ValueOperator::Colon)
            && let Some(list) = find_byte_list(self.text, after, self.limit)
        {
            return Some(list);
        }
        let after_type = match operator {
            ValueOperator::Colon => self.skip_type(after),
            _ => None,
        };
        let Some(after) = after_type else { return self.parse_word(after, operator) };
        match self.parse_literal(after, ValueOperator::Assign) {
            LiteralMatch::Secret(value) => Some(value),
            LiteralMatch::NotSecret(_) => None,
            LiteralMatch::Missing => self.parse_word(after, ValueOperator::Assign),
        }
    }

    fn byte_at(&self, at: usize) -> Option<u8> {
        (at < self.limit).then(|| self.bytes[at])
    }

    fn matches_at(&self, at: usize, text: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn skip_blanks(&self, mut at: usize) -> usize {
        while matches!(self.byte_at(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    }

    /// Returns the position after `{ get; set; }`.
    fn skip_accessors(&self, at: usize) -> Option<usize> {
        let end = (at + 1..self.limit.min(at + MAX_TYPE_BYTES))
            .find(|&at| matches!(self.bytes[at], b'{' | b'}' | b'\n'))?;
        (self.bytes[end] == b'}').then(|| self.skip_blanks(end + 1))
    }

    /// Returns the operator at a position, and its end.
    fn parse_operator(&self, at: usize, is_quoted: bool, had_blank: bool) -> Option<(ValueOperator, usize)> {
        const ASSIGNS: [&str; 17] = [
            "?:", "===", "!==", "||=", "??=", "<<-", "==", "!=", "=>", ":=", "?=", "+=", "||", "??", "<-",
            "~>", "=",
        ];
        if let Some(operator) = ASSIGNS.iter().find(|operator| self.matches_at(at, operator)) {
            return Some((ValueOperator::Assign, at + operator.len()));
        }
        let before = &self.bytes[self.name.start.saturating_sub(MAX_LINE_BYTES)..self.name.start];
        match self.byte_at(at)? {
            b':' if self.matches_at(at, ":-") => Some((ValueOperator::Option, at + 2)),
            b'.' if is_quoted => self.skip_fallback(at + 1).map(|after| (ValueOperator::Assign, after)),
            b':' if !self.matches_at(at, "::") => Some((ValueOperator::Colon, at + 1)),
            b',' if is_quoted || self.is_constant_name() => Some((ValueOperator::Comma, at + 1)),
            b'(' if !had_blank && is_setter_call(before) => Some((ValueOperator::Call, at + 1)),
            b'"' | b'\'' if had_blank && before.ends_with(b":") => Some((ValueOperator::Comma, at)),
            b'>' if !had_blank && (is_quoted || is_element_name(before)) => {
                Some((ValueOperator::Element, at + 1))
            }
            b'o' if self.matches_at(at, "or ") => Some((ValueOperator::Assign, at + 3)),
            // `Password string = "..."`
            byte if had_blank && (byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'[')) => {
                let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_.*[]".contains(&byte);
                let length = self.bytes[at..self.limit]
                    .iter()
                    .take(MAX_NAME_BYTES)
                    .take_while(|&&byte| is_type(byte))
                    .count();
                let operator = self.skip_blanks(at + length);
                let is_assigned = self.byte_at(operator) == Some(b'=')
                    && !matches!(self.byte_at(operator + 1), Some(b'=' | b'>' | b'~'));
                if is_assigned {
                    return Some((ValueOperator::Assign, operator + 1));
                }
                is_option_name(before).then_some((ValueOperator::Option, at))
            }
            _ if had_blank && is_option_name(before) => Some((ValueOperator::Option, at)),
            _ => None,
        }
    }

    /// Returns the position after the `(` of `.unwrap_or(`.
    fn skip_fallback(&self, at: usize) -> Option<usize> {
        let after = self.skip_wrapper(at);
        (after > at).then_some(after)
    }

    /// Returns the position after the `=` of `: Option<&str> = "..."`.
    fn skip_type(&self, at: usize) -> Option<usize> {
        let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_.<>[]|,&'? ()".contains(&byte);
        let end = (at..self.limit.min(at + MAX_TYPE_BYTES)).find(|&at| !is_type(self.bytes[at]))?;
        let is_assigned = self.bytes[end] == b'=' && !matches!(self.byte_at(end + 1), Some(b'=' | b'>'));
        is_assigned.then_some(end + 1)
    }

    /// Parses the literal that starts after an operator.
    fn parse_literal(&self, after: usize, operator: ValueOperator) -> LiteralMatch {
        let mut at = self.skip_space(after);
        for _ in 0..MAX_WRAPPERS {
            at = self.skip_wrapper(at);
        }
        let Some((start, end)) = quoted_bounds(self.text, at) else { return LiteralMatch::Missing };
        // `{"password": "a", ...}` names a value, but `f("password", "a")` and labels have the same
        // form, so fewer values count there.
        let is_assigned = matches!(operator, ValueOperator::Assign | ValueOperator::Call);
        if operator == ValueOperator::Call && !self.matches_at(self.skip_space(end + 1), ")") {
            return LiteralMatch::NotSecret(start..end);
        }
        let value = &self.text[start..end];
        let token = value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("token "));
        let (value, kind) = token.map_or((value, self.kind), |token| (token, SecretKind::Key));
        let is_secret = is_secret_literal(value, kind, is_assigned);
        let range = end - value.len()..end;
        if is_secret { LiteralMatch::Secret(range) } else { LiteralMatch::NotSecret(range) }
    }

    /// Skips blanks and at most two line breaks, including a `\` that continues a line.
    fn skip_space(&self, mut at: usize) -> usize {
        let mut breaks = 0;
        while let Some(byte) = self.byte_at(at) {
            breaks += usize::from(byte == b'\n');
            let is_space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
                || (byte == b'\\' && matches!(self.byte_at(at + 1), Some(b'\n' | b'\r')));
            if breaks > 2 || !is_space {
                break;
            }
            at += 1;
        }
        at
    }

    /// Skips `Some(`, `new Secret(`, `&` or `(`; returns the position unchanged if none of them is
    /// there.
    fn skip_wrapper(&self, at: usize) -> usize {
        const BYTES_CONVERSION: &str = "[]byte(";
        const CONSTRUCTION: &str = "new ";
        if matches!(self.byte_at(at), Some(b'&' | b'(' | b'[')) {
            let length = if self.matches_at(at, BYTES_CONVERSION) { BYTES_CONVERSION.len() } else { 1 };
            return self.skip_space(at + length);
        }
        if self.matches_at(at, CONSTRUCTION) {
            return self.skip_blanks(at + CONSTRUCTION.len());
        }
        let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte);
        let length = self.bytes[at.min(self.limit)..self.limit]
            .iter()
            .take(MAX_NAME_BYTES)
            .take_while(|&&byte| is_path(byte))
            .count();
        if length == 0 || self.byte_at(at + length) != Some(b'(') {
            return at;
        }
        let path = self.text[at..at + length].to_ascii_lowercase();
        let last = path.rsplit(['.', ':']).next().unwrap_or_default();
        if CredentialTables::built_in().wrappers.contains(last) {
            self.skip_space(at + length + 1)
        } else {
            at
        }
    }

    /// Returns the value without quotes that starts after an operator, if it is secret.
    fn parse_word(&self, after: usize, operator: ValueOperator) -> Option<Range<usize>> {
        if matches!(operator, ValueOperator::Comma | ValueOperator::Call) {
            return None;
        }
        let start = if operator == ValueOperator::Element { after } else { self.skip_blanks(after) };
        let ends_word = |byte: u8| byte.is_ascii_whitespace() || b"\"'`,;)}]<>\\&|".contains(&byte);
        let rest = &self.bytes[start.min(self.bytes.len())..self.bytes.len().min(start + MAX_WORD_BYTES)];
        let length = rest.iter().position(|&byte| ends_word(byte)).unwrap_or(rest.len());
        let value = self.text.get(start..start + length)?;
        // The host of an address is not part of its token.
        let value = value.rsplit_once('@').filter(|_| self.is_in_address()).map_or(value, |(token, _)| token);
        let value = value.trim_end_matches(['.', ':', '!', '?']);
        let end = start + value.len();
        let next = self.bytes.get(end).copied();
        if value.contains('(') || matches!(next, Some(b'(' | b'[')) {
            return None;
        }
        let is_closed = match operator {
            ValueOperator::Element => next == Some(b'<'),
            _ => true,
        };
        let is_prose =
            || operator == ValueOperator::Element || operator == ValueOperator::Option || self.is_in_prose();
        let is_setting = || {
            let is_last = self.bytes.get(end).is_none_or(u8::is_ascii_whitespace);
            // Code has blanks around `=`; lines of settings do not.
            let has_operator = match operator {
                ValueOperator::Assign => self.matches_at(self.name.end, "=") && start == self.name.end + 1,
                operator => operator == ValueOperator::Colon,
            };
            is_last && has_operator && self.is_constant_name()
        };
        (is_closed && is_secret_word(value, self.kind, is_setting(), is_prose)).then_some(start..end)
    }

    /// Whether the word with the name is a URL.
    fn is_in_address(&self) -> bool {
        let before = &self.bytes[self.name.start.saturating_sub(MAX_LINE_BYTES)..self.name.start];
        let word_start = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
        before[word_start..].windows(3).any(|part| part == b"://")
    }

    /// Whether the name looks like a constant: `SASL_PASSWORD`.
    fn is_constant_name(&self) -> bool {
        self.bytes[self.name.clone()].iter().all(|byte| !byte.is_ascii_lowercase())
    }

    /// Whether the name is in a comment, a string, a docstring, or a line of a shell.
    fn is_in_prose(&self) -> bool {
        if self.context.is_prose {
            return true;
        }
        let from = self.name.start.saturating_sub(MAX_LINE_BYTES);
        let before = &self.bytes[from..self.name.start];
        let line = &before[before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)..];
        const LINE_STARTS: [&[u8]; 16] = [
            b"#", b"//", b"/*", b"*", b"--", b";", b"%", b"<!--", b"rem ", b"REM ", b"export ", b"set ",
            b"ENV ", b"ARG ", b"$env:", b"$ ",
        ];
        let trimmed = line.trim_ascii_start();
        // `PASSWORD=...` without blanks, as in a shell.
        if self.is_constant_name() && self.matches_at(self.name.end, "=") {
            return true;
        }
        if LINE_STARTS.iter().any(|start| trimmed.starts_with(start)) || ends_inside_literal(line) {
            return true;
        }
        self.is_in_block_comment()
    }

    /// Whether a comment or a docstring of several lines surrounds the name.
    fn is_in_block_comment(&self) -> bool {
        let before = &self.bytes[self.name.start.saturating_sub(MAX_COMMENT_BYTES)..self.name.start];
        let last = |part: &[u8]| before.windows(part.len()).rposition(|window| window == part);
        let is_open =
            |open: &[u8], close: &[u8]| last(open).is_some_and(|at| last(close).is_none_or(|end| end < at));
        self.context.is_in_docstring(self.text, self.name.start)
            || is_open(b"/*", b"*/")
            || is_open(b"<!--", b"-->")
    }
}

/// Whether a line leaves a string open at its end, or has a comment after code.
fn ends_inside_literal(line: &[u8]) -> bool {
    let (mut open, mut before) = (None, b' ');
    for (at, &byte) in line.iter().enumerate() {
        match open {
            Some(quote) if byte == quote && before != b'\\' => open = None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'`') || (byte == b'\'' && !before.is_ascii_alphanumeric()) => {
                open = Some(byte);
            }
            None => {
                let is_comment =
                    byte == b'#' || (byte == b'/' && matches!(line.get(at + 1), Some(b'/' | b'*')));
                if is_comment && before.is_ascii_whitespace() {
                    return true;
                }
            }
        }
        before = byte;
    }
    open.is_some()
}

/// Whether the text before a name makes `name(` a call that sets it: `set`, `with`, `.`.
fn is_setter_call(before: &[u8]) -> bool {
    let word_start = before
        .iter()
        .rposition(|&byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
        .map_or(0, |at| at + 1);
    let (path, word) = before.split_at(word_start);
    let word = word.to_ascii_lowercase();
    let is_setter = ["set", "with", "use", "add"].iter().any(|verb| word.starts_with(verb.as_bytes()));
    is_setter || (word.is_empty() && path.ends_with(b"."))
}

/// Whether the text before a name makes it the name of an element: `<password>`, `<db.password>`.
fn is_element_name(before: &[u8]) -> bool {
    let before_word =
        before.iter().rposition(|&byte| !(byte.is_ascii_alphanumeric() || b"_.-:".contains(&byte)));
    before_word.is_some_and(|at| before[at] == b'<')
}

/// Whether the text before a name makes it an option (`--password`), a word after `login` in a line
/// of netrc, or the scheme of a header (`Authorization: token`).
fn is_option_name(before: &[u8]) -> bool {
    let word_start = before
        .iter()
        .rposition(|&byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\''))
        .map_or(0, |at| at + 1);
    let (line, word) = before.split_at(word_start);
    let line = &line[line.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)..];
    let mentions = |part: &[u8]| line.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    word.starts_with(b"--") || (word.is_empty() && (mentions(b"login ") || mentions(b"authorization")))
}

/// Returns the bounds of the text in quotes that starts at a position. Accepts the prefixes of
/// literals (`b"`, `@"`, `r#"`); the literal must end on the same line.
pub(super) fn quoted_bounds(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let prefix = bytes
        .get(at..)?
        .iter()
        .take(MAX_LITERAL_PREFIX_BYTES)
        .take_while(|byte| byte.is_ascii_alphabetic() || b"@$#".contains(byte))
        .count();
    let mut open = at + prefix;
    let is_escaped = bytes.get(open) == Some(&b'\\');
    open += usize::from(is_escaped);
    let quote = *bytes.get(open).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let mut start = open + 1;
    let is_triple = !is_escaped && bytes.get(start..start + 2) == Some(&[quote, quote]);
    start += if is_triple { 2 } else { 0 };
    let mut end = start;
    loop {
        match *bytes.get(end)? {
            b'\n' => return None,
            b'\\' if is_escaped && bytes.get(end + 1) == Some(&quote) => return Some((start, end)),
            b'\\' => end += 1,
            byte if byte == quote => return Some((start, end)),
            _ => {}
        }
        end += 1;
        if end - start > MAX_VALUE_BYTES {
            return None;
        }
    }
}
