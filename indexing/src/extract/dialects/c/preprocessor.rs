//! Text that only the preprocessor makes C: macros without a semicolon, attributes that are macros,
//! and conditional lines in the middle of a declaration.
//!
//! The grammars read the text before preprocessing, and errors in it hide declarations. For a text
//! with errors, [`rewrite_preprocessing`] returns rewrites that blank such macros and all branches
//! of such conditional lines but the first. A rewrite that causes errors is taken back.

use crate::extract::source_rewrites::SourceRewrite;
use std::ops::Range;

/// Words that begin a type or a declaration.
const DECLARATION_WORDS: [&str; 34] = [
    "auto", "bool", "char", "class", "const", "constexpr", "double", "enum", "explicit", "extern", "float",
    "friend", "inline", "int", "long", "namespace", "operator", "private", "protected", "public", "register",
    "short", "signed", "static", "struct", "template", "typedef", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile",
];

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Literal,
    /// One byte that is none of the others.
    Mark(u8),
    /// A directive, to the end of its last line.
    Directive,
}

/// A token of the text; white space and comments are none.
#[derive(Clone, Copy, Debug)]
struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

impl Token {
    fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or("")
    }

    const fn is_mark(&self, mark: u8) -> bool {
        matches!(self.kind, TokenKind::Mark(own) if own == mark)
    }
}

/// Returns the rewrites of a text that the grammar cannot parse.
pub(super) fn rewrite_preprocessing(text: &str) -> Vec<SourceRewrite> {
    let tokens = split_tokens(text);
    let mut rewrites = split_conditionals(text, &tokens);
    let mut blanked: Vec<Range<usize>> = rewrites.iter().flat_map(|(_, blanked)| blanked.clone()).collect();
    blanked.sort_by_key(|range| range.start);
    let is_blanked = |token: &Token| {
        let after = blanked.partition_point(|range| range.start <= token.start);
        blanked[..after].iter().rev().take(8).any(|range| token.start < range.end)
    };
    let rest: Vec<Token> = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Directive && !is_blanked(token))
        .copied()
        .collect();
    rewrites.extend(macro_words(text, &rest).into_iter().map(|range| (range.clone(), vec![range])));
    let rewrite = |(range, blanked): (Range<usize>, Vec<Range<usize>>)| {
        let mut rewrite = SourceRewrite { range, bytes: Vec::new() };
        for range in blanked {
            rewrite.blank(text, range);
        }
        rewrite
    };
    rewrites.into_iter().map(rewrite).collect()
}

/// Splits a text into tokens. Any text gives a result.
fn split_tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let (mut tokens, mut from, mut is_line_start) = (Vec::new(), 0, true);
    while from < bytes.len() {
        let byte = at(from);
        let end = match (byte, at(from + 1)) {
            (b'\n', _) => {
                is_line_start = true;
                from += 1;
                continue;
            }
            (b'/', b'/') => {
                from = end_of_logical_line(bytes, from);
                continue;
            }
            (b'/', b'*') => {
                from = text.get(from + 2..).and_then(|rest| rest.find("*/")).map_or(bytes.len(), |end| from + end + 4);
                continue;
            }
            _ if byte.is_ascii_whitespace() || byte == b'\\' => {
                from += 1;
                continue;
            }
            (b'#', _) if is_line_start => end_of_logical_line(bytes, from),
            (b'"' | b'\'', _) => end_of_literal(bytes, from),
            _ if is_word_byte(byte) => (from..bytes.len()).find(|&end| !is_word_byte(bytes[end])).unwrap_or(bytes.len()),
            _ => from + 1,
        };
        let kind = match byte {
            b'#' if is_line_start => TokenKind::Directive,
            b'"' | b'\'' => TokenKind::Literal,
            _ if byte.is_ascii_digit() => TokenKind::Literal,
            _ if is_word_byte(byte) => TokenKind::Word,
            _ => TokenKind::Mark(byte),
        };
        tokens.push(Token { kind, start: from, end });
        is_line_start = false;
        from = end;
    }
    tokens
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the end of a line that a backslash may continue.
fn end_of_logical_line(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            let before = bytes[..at].strip_suffix(b"\r").unwrap_or(&bytes[..at]);
            if !before.ends_with(b"\\") {
                return at;
            }
        }
        at += 1;
    }
    at
}

/// Returns the end of a literal, which does not cross a line.
fn end_of_literal(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == bytes[from] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// A group of conditional lines: the tokens of the directives, by position.
struct ConditionalGroup {
    directives: Vec<usize>,
}

/// Returns the groups of conditional lines that a grammar cannot parse: those in the middle of a
/// statement, and those whose branches open and close different numbers of brackets. Each has the
/// range of the group and the ranges to blank.
fn split_conditionals(text: &str, tokens: &[Token]) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
    let mut open: Vec<ConditionalGroup> = Vec::new();
    let mut found = Vec::new();
    for (position, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Directive) {
        let word = token.text(text).trim_start_matches('#').trim_start();
        let word = word.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        match word {
            "if" | "ifdef" | "ifndef" => open.push(ConditionalGroup { directives: vec![position] }),
            "elif" | "else" | "elifdef" | "elifndef" => {
                if let Some(group) = open.last_mut() {
                    group.directives.push(position);
                }
            }
            "endif" => {
                let Some(mut group) = open.pop() else { continue };
                group.directives.push(position);
                if is_split(text, tokens, &group) {
                    found.push(blank_branches(text, tokens, &group));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the lines of a group separate parts of one declaration or statement.
fn is_split(text: &str, tokens: &[Token], group: &ConditionalGroup) -> bool {
    let is_code = |token: &&Token| token.kind != TokenKind::Directive;
    let first = group.directives[0];
    let before = tokens[..first].last();
    let ends_statement =
        |token: &Token| token.kind == TokenKind::Directive || b";{}:".iter().any(|&mark| token.is_mark(mark));
    if before.is_some_and(|token| !ends_statement(token)) {
        return true;
    }
    group.directives.windows(2).any(|pair| {
        let branch = &tokens[pair[0] + 1..pair[1]];
        let count = |open: u8, close: u8| {
            let opened = branch.iter().filter(|token| token.is_mark(open)).count();
            opened != branch.iter().filter(|token| token.is_mark(close)).count()
        };
        let mut code = branch.iter().filter(is_code);
        let begins_in_statement = code.next().is_some_and(|token| token.text(text) == "else");
        let ends_in_statement = branch.last().is_some_and(|token| !ends_statement(token));
        count(b'{', b'}') || count(b'(', b')') || begins_in_statement || ends_in_statement
    })
}

/// Returns the range of a group, and the ranges of its directives and of all its branches but the
/// first that is not disabled.
fn blank_branches(text: &str, tokens: &[Token], group: &ConditionalGroup) -> (Range<usize>, Vec<Range<usize>>) {
    let end_of = |position: usize| tokens[position].end;
    let first = group.directives[0];
    let last = group.directives[group.directives.len() - 1];
    let is_disabled = tokens[first].text(text).trim_end().ends_with("if 0");
    let has_code = |pair: &[usize]| pair[0] + 1 < pair[1];
    let branches: Vec<&[usize]> = group.directives.windows(2).collect();
    let kept = branches.iter().position(|pair| has_code(pair) && !(is_disabled && pair[0] == first));
    let mut blanked = Vec::new();
    for (index, pair) in branches.iter().enumerate() {
        let end = if Some(index) == kept { end_of(pair[0]) } else { tokens[pair[1]].start };
        blanked.push(tokens[pair[0]].start..end);
    }
    blanked.push(tokens[last].start..end_of(last));
    (tokens[first].start..end_of(last), blanked)
}

/// Returns the ranges of words in capitals that are macros at the places of attributes, specifiers
/// and declarations, with their arguments.
fn macro_words(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut position = 0;
    while position < tokens.len() {
        let token = tokens[position];
        if token.kind != TokenKind::Word || !is_macro_name(token.text(text)) {
            position += 1;
            continue;
        }
        let after = end_of_arguments(tokens, position + 1);
        let range = token.start..tokens[after - 1].end;
        if let Some(blanked) = blank_macro(text, tokens, position, after) {
            found.push(range.start..blanked.max(range.end));
        } else if is_test_with_title(text, tokens, position, after) {
            // `TEST_CASE("title") {` becomes `TEST_CASE(       ) {`.
            found.push(tokens[position + 1].end..tokens[after - 1].start);
        }
        position = after;
    }
    found
}

/// Whether a name is in capitals, as names of macros are.
fn is_macro_name(name: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() >= 3 && name.chars().all(is_capital) && name.chars().any(|c| c.is_ascii_uppercase())
}

/// Returns the position after a list of arguments that begins at `position`, or `position`.
fn end_of_arguments(tokens: &[Token], position: usize) -> usize {
    if !tokens.get(position).is_some_and(|token| token.is_mark(b'(')) {
        return position;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(position).take(400) {
        if token.is_mark(b'(') {
            depth += 1;
        } else if token.is_mark(b')') {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    position
}

/// Returns the end of the text to blank if the macro at `position`, whose arguments end at `after`,
/// is an attribute, a specifier or a declaration without a semicolon.
fn blank_macro(text: &str, tokens: &[Token], position: usize, after: usize) -> Option<usize> {
    let end = tokens[after - 1].end;
    let before = position.checked_sub(1).and_then(|at| tokens.get(at));
    let next = tokens.get(after);
    let has_arguments = after > position + 1;
    let word = |token: Option<&Token>| token.map_or("", |token| token.text(text));
    let is_word = |token: Option<&Token>| token.is_some_and(|token| token.kind == TokenKind::Word);
    let starts_line = is_first_in_line(text, tokens[position].start);
    let ends_line = next.is_none_or(|next| text.get(end..next.start).is_some_and(|gap| gap.contains('\n')));
    let begins_statement =
        before.is_none_or(|token| b";{}:".iter().any(|&mark| token.is_mark(mark)) || token.is_mark(b'>'));
    // `class API Name {`
    if ["class", "struct", "union", "enum"].contains(&word(before)) && is_word(next) {
        return Some(end);
    }
    // `) NOEXCEPT {` and `) ATTRIBUTE(x);`
    let closes_head = before.is_some_and(|token| token.is_mark(b')')) || word(before) == "const";
    if closes_head && next.is_some_and(|next| next.is_mark(b'{') || next.is_mark(b';')) {
        return Some(end);
    }
    if begins_statement && starts_line && ends_line {
        // A line of its own, unless it is the type of the function in the next line.
        let is_type = !has_arguments && is_word(next) && tokens.get(after + 1).is_some_and(|t| t.is_mark(b'('));
        let is_body = next.is_some_and(|next| next.is_mark(b'{'));
        return (!is_type && !is_body).then_some(end);
    }
    let is_specifier_place = begins_statement || is_word(before) || before.is_some_and(|t| t.is_mark(b')'));
    if !is_specifier_place || !is_word(next) || word(before) == "return" || word(before) == "define" {
        return None;
    }
    if DECLARATION_WORDS.contains(&word(next)) {
        return Some(end);
    }
    // `API type name(`: two words follow, so the macro is not the type.
    let mut behind = after + 1;
    while tokens.get(behind).is_some_and(|token| token.is_mark(b':')) {
        behind += if tokens.get(behind + 2).is_some_and(|token| token.kind == TokenKind::Word) { 3 } else { 1 };
    }
    let second = tokens.get(behind);
    let follows_type = is_word(second)
        || second.is_some_and(|token| b"*&<".iter().any(|&mark| token.is_mark(mark))) && !has_arguments;
    (follows_type || (has_arguments && begins_statement)).then_some(end)
}

/// Whether only white space precedes a byte in its line.
fn is_first_in_line(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or("");
    before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
}

/// Whether a macro call with a body has a literal as its first argument and the name of a test.
fn is_test_with_title(text: &str, tokens: &[Token], position: usize, after: usize) -> bool {
    super::TITLED_TESTS.contains(&tokens[position].text(text))
        && tokens.get(after).is_some_and(|token| token.is_mark(b'{'))
        && tokens.get(position + 2).is_some_and(|token| token.kind == TokenKind::Literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewrite(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte) in rewrite_preprocessing(text).into_iter().flat_map(|rewrite| rewrite.bytes) {
            bytes[at] = byte;
        }
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
    }

    #[test]
    fn macros_at_the_places_of_attributes_are_blanked() {
        let cases = [
            ("API_EXPORT int f(void);", "int f(void);\n"),
            ("X_BEGIN\nnamespace a {\n}\nX_END\n", "\nnamespace a {\n}\n\n"),
            ("class API Foo final {};", "class Foo final {};\n"),
            ("int f(int a) NOEXCEPT { return MAX_SIZE; }", "int f(int a) { return MAX_SIZE; }\n"),
            ("template <class T> INLINE void f(T x) {}", "template <class T> void f(T x) {}\n"),
            ("NO_SANITIZE(\"a\") static void f(void) {}", "static void f(void) {}\n"),
            ("FILE *f; DIR d = X; BOOL g(void) { return TRUE; }", "FILE *f; DIR d = X; BOOL g(void) { return TRUE; }\n"),
            ("TEST_CASE(\"a\", \"[b]\") { f(); }", "TEST_CASE( ) { f(); }\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(rewrite(text), expected, "{text}");
        }
    }

    #[test]
    fn conditional_lines_inside_a_statement_keep_their_first_branch() {
        let text = "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n  g(a,\n#if B\n b);\n#else\n c);\n#endif\n}\n\
            #ifdef C\nint h(void);\n#else\nint i(void);\n#endif\n";
        let expected = "\nint f(int a) {\n\n\n\ng(a,\n\nb);\n\n\n\n}\n\
            #ifdef C\nint h(void);\n#else\nint i(void);\n#endif\n";
        assert_eq!(rewrite(text), expected);
    }

    #[test]
    fn any_text_can_be_rewritten() {
        for text in ["#", "#if", "#endif", "\"", "'\\", "/*", "A_B(", "ABC", "#if 1\n(\n#else", "\\", "é\\\n"] {
            rewrite(text);
        }
    }
}
