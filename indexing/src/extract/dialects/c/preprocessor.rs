//! Text that is C only after preprocessing: macros without a semicolon, attributes that are macros,
//! and conditional lines in the middle of a declaration.
//!
//! The grammars read the text before preprocessing, and errors in it hide declarations. For a text
//! with errors, [`rewrite_preprocessing`] returns rewrites that blank such macros and all branches
//! of such conditional lines but the first. `source_rewrites` drops a rewrite that causes errors.

use crate::extract::source_rewrites::SourceRewrite;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Words that begin a type or a declaration.
const DECLARATION_WORDS: [&str; 34] = [
    "auto",
    "bool",
    "char",
    "class",
    "const",
    "constexpr",
    "double",
    "enum",
    "explicit",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "long",
    "namespace",
    "operator",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "static",
    "struct",
    "template",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
];

/// Maximum number of tokens between the word `template` and a macro among its parameters. Without a
/// limit, a long list of macros takes quadratic time.
const MAX_TEMPLATE_TOKENS: usize = 80;

/// Macros of Objective-C that declare an enum.
const ENUM_MACROS: [&str; 5] = ["NS_ENUM", "NS_OPTIONS", "NS_CLOSED_ENUM", "NS_ERROR_ENUM", "CF_ENUM"];

/// Words that are a type or end one.
const TYPE_WORDS: [&str; 11] =
    ["auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void"];

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Literal,
    /// Any other byte.
    Mark(u8),
    /// A directive, to the end of its last line.
    Directive,
}

/// A token of the text. White space and comments are not tokens.
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

/// A range to rewrite, with the parts of it to blank.
struct Blanking {
    range: Range<usize>,
    parts: Vec<Range<usize>>,
}

/// Returns the rewrites of a text that the grammar cannot parse.
pub(super) fn rewrite_preprocessing(text: &str) -> Vec<SourceRewrite> {
    let tokens = split_tokens(text);
    let mut rewrites = split_conditionals(text, &tokens);
    let mut blanked: Vec<Range<usize>> =
        rewrites.iter().flat_map(|blanking| blanking.parts.clone()).collect();
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
    let (removed, parameters) = macro_words(text, &rest);
    rewrites.extend(removed.into_iter().map(|range| Blanking { range: range.clone(), parts: vec![range] }));
    let rewrite = |Blanking { range, parts }: Blanking| {
        let mut rewrite = SourceRewrite { range, bytes: Vec::new() };
        for part in parts {
            rewrite.blank(text, part);
        }
        rewrite
    };
    let parameter = |range: Range<usize>| {
        let mut rewrite = rewrite(Blanking { range: range.clone(), parts: vec![range.clone()] });
        // Any type is a parameter; names of macros have at least three bytes.
        rewrite.bytes.extend((range.start..).zip(*b"int"));
        rewrite
    };
    let parameters: Vec<SourceRewrite> = parameters.into_iter().map(parameter).collect();
    let conditions = file_conditions(text, &tokens).chain(enum_macros(text, &rest));
    conditions.chain(rewrites.into_iter().map(rewrite)).chain(parameters).collect()
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
                from = text
                    .get(from + 2..)
                    .and_then(|rest| rest.find("*/"))
                    .map_or(bytes.len(), |end| from + end + 4);
                continue;
            }
            _ if byte.is_ascii_whitespace() || byte == b'\\' => {
                from += 1;
                continue;
            }
            (b'#', _) if is_line_start => end_of_logical_line(bytes, from),
            (b'"' | b'\'', _) => end_of_literal(bytes, from),
            _ if is_word_byte(byte) => {
                (from..bytes.len()).find(|&end| !is_word_byte(bytes[end])).unwrap_or(bytes.len())
            }
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

/// A group of conditional lines, from `#if` to `#endif`.
struct ConditionalGroup {
    /// The positions of the directives among the tokens.
    directives: Vec<usize>,
}

/// Returns the groups of conditional lines that a grammar cannot parse: those in the middle of a
/// statement, and those whose branches open and close different numbers of brackets.
fn split_conditionals(text: &str, tokens: &[Token]) -> Vec<Blanking> {
    let mut open: Vec<ConditionalGroup> = Vec::new();
    let mut found = Vec::new();
    for (position, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Directive)
    {
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
                if is_include_guard(text, tokens, &group) {
                    // Without the guard, an error in the file does not reach its beginning.
                    let lines = [group.directives[0], position].map(|at| tokens[at].start..tokens[at].end);
                    found.push(Blanking { range: lines[0].clone(), parts: lines.to_vec() });
                } else if is_split(text, tokens, &group) {
                    found.push(blank_branches(text, tokens, &group));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a group is `#ifndef NAME`, `#define NAME` and `#endif` around the whole text.
fn is_include_guard(text: &str, tokens: &[Token], group: &ConditionalGroup) -> bool {
    let [first, last] = group.directives[..] else { return false };
    let word = |position: usize, keyword: &str| {
        let directive = tokens.get(position)?.text(text).trim_start_matches('#').trim_start();
        directive.strip_prefix(keyword)?.split_whitespace().next()
    };
    first == 0
        && last + 1 == tokens.len()
        && word(first, "ifndef").is_some_and(|name| word(first + 1, "define") == Some(name))
}

/// Returns rewrites to `#if 1` for the conditions that name a file: `#if HAS_INCLUDE(<file.h>)`.
fn file_conditions<'p>(text: &'p str, tokens: &'p [Token]) -> impl Iterator<Item = SourceRewrite> + 'p {
    let directives = tokens.iter().filter(|token| token.kind == TokenKind::Directive);
    directives.filter_map(move |token| {
        let directive = token.text(text);
        let at = ["elif ", "elif(", "if ", "if("].iter().find_map(|word| directive.find(word))?;
        let keyword = directive.get(1..at)?.trim().is_empty();
        let condition = token.start + directive.get(at..)?.find([' ', '('])? + at;
        if !keyword || !(directive.contains("(<") || directive.contains("(\"")) {
            return None;
        }
        let mut rewrite = SourceRewrite { range: token.start..token.end, bytes: Vec::new() };
        rewrite.blank(text, condition..token.end);
        rewrite.bytes.push((condition + 1, b'1'));
        Some(rewrite)
    })
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
        let is_unbalanced = |open: u8, close: u8| {
            let opened = branch.iter().filter(|token| token.is_mark(open)).count();
            opened != branch.iter().filter(|token| token.is_mark(close)).count()
        };
        let mut code = branch.iter().filter(is_code);
        let begins_in_statement = code.next().is_some_and(|token| token.text(text) == "else");
        let ends_in_statement = branch.last().is_some_and(|token| !ends_statement(token));
        is_unbalanced(b'{', b'}') || is_unbalanced(b'(', b')') || begins_in_statement || ends_in_statement
    })
}

/// Returns the range of a group and the parts to blank: its directives, and all its branches
/// except the first that has code and is not disabled.
fn blank_branches(text: &str, tokens: &[Token], group: &ConditionalGroup) -> Blanking {
    let end_of = |position: usize| tokens[position].end;
    let first = group.directives[0];
    let last = group.directives[group.directives.len() - 1];
    let is_disabled = tokens[first].text(text).trim_end().ends_with("if 0");
    let has_code = |pair: &[usize]| pair[0] + 1 < pair[1];
    let branches: Vec<&[usize]> = group.directives.windows(2).collect();
    let kept = branches.iter().position(|pair| has_code(pair) && !(is_disabled && pair[0] == first));
    let mut parts = Vec::new();
    for (index, pair) in branches.iter().enumerate() {
        let end = if Some(index) == kept { end_of(pair[0]) } else { tokens[pair[1]].start };
        parts.push(tokens[pair[0]].start..end);
    }
    parts.push(tokens[last].start..end_of(last));
    Blanking { range: tokens[first].start..end_of(last), parts }
}

/// Returns the rewrites of `typedef NS_ENUM(type, Name) {` as `enum Name {`.
fn enum_macros<'p>(text: &'p str, tokens: &'p [Token]) -> impl Iterator<Item = SourceRewrite> + 'p {
    tokens.windows(7).filter_map(move |window| {
        let [keyword, name, open, _, comma, enum_name, close] = window else { return None };
        let is_enum = keyword.text(text) == "typedef"
            && ENUM_MACROS.contains(&name.text(text))
            && open.is_mark(b'(')
            && comma.is_mark(b',')
            && close.is_mark(b')');
        let mut rewrite = SourceRewrite { range: keyword.start..close.end, bytes: Vec::new() };
        rewrite.blank(text, keyword.start..enum_name.start);
        rewrite.blank(text, close.start..close.end);
        rewrite.bytes.extend((keyword.start..).zip(*b"enum"));
        is_enum.then_some(rewrite)
    })
}

/// Finds words in capitals that are macros. Returns two lists of ranges, which include arguments:
/// macros at the places of attributes, specifiers and declarations, and template parameters.
fn macro_words(text: &str, tokens: &[Token]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let classes: FxHashSet<&str> = tokens
        .windows(2)
        .filter(|pair| ["class", "struct", "union"].contains(&pair[0].text(text)))
        .map(|pair| pair[1].text(text))
        .collect();
    let (mut found, mut parameters) = (Vec::new(), Vec::new());
    let mut position = 0;
    while position < tokens.len() {
        let token = tokens[position];
        if token.kind != TokenKind::Word || !is_macro_name(token.text(text)) {
            position += 1;
            continue;
        }
        let after = end_of_arguments(tokens, position + 1);
        let range = token.start..tokens[after - 1].end;
        let place = MacroPlace { text, tokens, position, after, classes: &classes };
        if position > 0 && tokens[position - 1].text(text) == "if" {
            // `if CONSTEXPR (condition)`: the condition stays.
            found.push(token.start..token.end);
            position += 1;
            continue;
        }
        if place.is_template_parameter() {
            parameters.push(range);
        } else if place.is_removable() {
            found.push(range);
        } else if is_test_with_title(text, tokens, position, after) {
            // `TEST_CASE("title") {` becomes `TEST_CASE(       ) {`.
            found.push(tokens[position + 1].end..tokens[after - 1].start);
        }
        position = after;
    }
    (found, parameters)
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

/// A macro, with the tokens around it.
struct MacroPlace<'p> {
    text: &'p str,
    tokens: &'p [Token],
    /// The position of the name.
    position: usize,
    /// The position after the arguments.
    after: usize,
    /// The names of the classes of the file.
    classes: &'p FxHashSet<&'p str>,
}

impl MacroPlace<'_> {
    fn word_at(&self, position: Option<usize>) -> &str {
        let token = position.and_then(|position| self.tokens.get(position));
        token.filter(|token| token.kind == TokenKind::Word).map_or("", |token| token.text(self.text))
    }

    fn is_mark_at(&self, position: Option<usize>, marks: &[u8]) -> bool {
        let token = position.and_then(|position| self.tokens.get(position));
        token.is_some_and(|token| marks.iter().any(|&mark| token.is_mark(mark)))
    }

    /// Whether the macro is an attribute, a specifier or a declaration without a semicolon.
    fn is_removable(&self) -> bool {
        let (before, next) = (self.position.checked_sub(1), Some(self.after));
        let has_arguments = self.after > self.position + 1;
        let begins_statement = before.is_none() || self.is_mark_at(before, b";{}:>");
        // `class API Name {`
        if ["class", "struct", "union", "enum"].contains(&self.word_at(before)) {
            return !self.word_at(next).is_empty();
        }
        // `) NOEXCEPT {` and `) ATTRIBUTE(x);`
        let closes_head = self.is_mark_at(before, b")") || self.word_at(before) == "const";
        if closes_head && self.is_mark_at(next, b"{;") {
            return true;
        }
        // `TRY {` and `CATCH(...) {`
        let catches_all = has_arguments && self.is_mark_at(Some(self.position + 2), b".");
        if begins_statement && self.is_mark_at(next, b"{") {
            return !has_arguments || catches_all;
        }
        self.is_name_attribute()
            || self.is_line_of_its_own(begins_statement)
            || self.is_specifier(begins_statement)
    }

    /// Whether the macro follows the name of a parameter or variable: `f(int x UNUSED)`.
    fn is_name_attribute(&self) -> bool {
        let name = self.word_at(self.position.checked_sub(1));
        let before_name = self.position.checked_sub(2);
        !name.is_empty()
            && !DECLARATION_WORDS.contains(&name)
            && (!self.word_at(before_name).is_empty() || self.is_mark_at(before_name, b"*&>"))
            && self.is_mark_at(Some(self.after), b"),;")
    }

    /// Whether the macro fills its line and is not the type of the function in the next line.
    fn is_line_of_its_own(&self, begins_statement: bool) -> bool {
        let end = self.tokens[self.after - 1].end;
        let gap =
            self.tokens.get(self.after).map_or("\n", |next| self.text.get(end..next.start).unwrap_or(""));
        let has_arguments = self.after > self.position + 1;
        let is_type = !has_arguments
            && !self.word_at(Some(self.after)).is_empty()
            && self.is_mark_at(Some(self.after + 1), b"(");
        begins_statement
            && is_first_in_line(self.text, self.tokens[self.position].start)
            && gap.contains('\n')
            && !is_type
    }

    /// Whether the macro precedes the type of a declaration, or a constructor.
    fn is_specifier(&self, begins_statement: bool) -> bool {
        let (before, next) = (self.position.checked_sub(1), self.word_at(Some(self.after)));
        let has_arguments = self.after > self.position + 1;
        // `API ~Name()` and `int WINAPI name(`
        let is_calling_convention = TYPE_WORDS.contains(&self.word_at(before))
            || (self.is_mark_at(before, b"*") && !self.word_at(self.position.checked_sub(2)).is_empty());
        if (begins_statement && self.is_mark_at(Some(self.after), b"~"))
            || (is_calling_convention && !next.is_empty() && self.is_mark_at(Some(self.after + 1), b"("))
        {
            return true;
        }
        let is_at_place =
            begins_statement || !self.word_at(before).is_empty() || self.is_mark_at(before, b")");
        if !is_at_place || next.is_empty() || self.word_at(before) == "return" {
            return false;
        }
        let is_constructor = self.classes.contains(next) && self.is_mark_at(Some(self.after + 1), b"(");
        if DECLARATION_WORDS.contains(&next) || (is_constructor && !has_arguments) {
            return true;
        }
        // `API type name(`: two words follow, so the macro is not the type.
        let mut behind = self.after + 1;
        while self.is_mark_at(Some(behind), b":") {
            behind += if self.word_at(Some(behind + 2)).is_empty() { 1 } else { 3 };
        }
        let follows_type = !self.word_at(Some(behind)).is_empty()
            || (self.is_mark_at(Some(behind), b"*&<") && !has_arguments);
        follows_type || (has_arguments && begins_statement)
    }

    /// Whether the macro is a parameter of a template: `template <class T, ENABLE_IF(x)>`.
    fn is_template_parameter(&self) -> bool {
        let has_arguments = self.after > self.position + 1;
        if !has_arguments
            || !self.is_mark_at(self.position.checked_sub(1), b"<,")
            || !self.is_mark_at(Some(self.after), b">,")
        {
            return false;
        }
        let before = self.tokens[..self.position].iter().rev().take(MAX_TEMPLATE_TOKENS);
        let mut before = before.take_while(|token| !b";{}".iter().any(|&mark| token.is_mark(mark)));
        before.any(|token| token.text(self.text) == "template")
    }
}

/// Whether only white space precedes a byte in its line.
fn is_first_in_line(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or("");
    before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
}

/// Whether a macro call declares a test: its name is that of a test macro, its first argument is a
/// literal, and a body follows.
fn is_test_with_title(text: &str, tokens: &[Token], position: usize, after: usize) -> bool {
    super::declaration_collector::TITLED_TESTS.contains(&tokens[position].text(text))
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
            (
                "FILE *f; DIR d = X; BOOL g(void) { return TRUE; }",
                "FILE *f; DIR d = X; BOOL g(void) { return TRUE; }\n",
            ),
            ("class A { X_API A(int a) : b(a) {} };", "class A { A(int a) : b(a) {} };\n"),
            (
                "void f(int a UNUSED, int b) { if X_CONSTEXPR (a) {} X_TRY {} X_CATCH(...) {} }",
                "void f(int a , int b) { if (a) {} {} {} }\n",
            ),
            ("template <class T, ENABLE_IF(!is<T>())> void f(T);", "template <class T, int > void f(T);\n"),
            ("class A { API ~A(); }; int CAPI f(void);", "class A { ~A(); }; int f(void);\n"),
            ("Foo *a SINCE(ios(1), macos(2)); int b = MAX(a, 1);", "Foo *a ; int b = MAX(a, 1);\n"),
            ("typedef NS_ENUM(NSInteger, Kind) {\n  A,\n};", "enum Kind {\nA,\n};\n"),
            ("#ifndef A_H\n#define A_H\nint a;\n#endif", "\n#define A_H\nint a;\n\n"),
            ("#if HAS_INCLUDE(<a.h>)\nint a;\n#endif", "#if 1\nint a;\n#endif\n"),
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
        for text in ["#", "#if", "#endif", "\"", "'\\", "/*", "A_B(", "ABC", "#if 1\n(\n#else", "\\", "é\\\n"]
        {
            rewrite(text);
        }
    }
}
