//! The names of the declarations around changed lines, read from indentation and declaration
//! headers.
//!
//! The history of a repository has thousands of versions of files, and parsing each would take many
//! times as long as indexing. Git finds the headers of its hunks in the same way. The input is a
//! text and its changed lines. The output is dotted names (`Class.method`), which are looked up in
//! the graph later. Names that are not symbols there are ignored, so a superfluous inner name does
//! no harm.
//!
//! The words that begin declarations and statements are in `indexing/headers.toml`.

use super::line_diff::LineDiff;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::cell::OnceCell;
use std::sync::LazyLock;

/// Maximum number of names per file. A commit that touches more is not specific to any of them.
const MAX_NAMES_PER_FILE: usize = 200;

/// Maximum number of parts of a dotted name. Hostile files nest thousands of declarations.
const MAX_NAME_PARTS: usize = 12;

/// Maximum length of a name in bytes. Longer words are data.
const MAX_NAME_BYTES: usize = 100;

/// Maximum number of bytes of a line that are read. Longer lines are data, not declarations.
const MAX_LINE_BYTES: usize = 400;

/// Maximum number of words before a declared name. `pub default const unsafe extern "C" fn` has
/// six; a line with more is not a declaration.
const MAX_LEADING_WORDS: usize = 8;

/// The directives whose declarations have the indentation of the directive.
const CONTAINER_DIRECTIVES: [&str; 3] = ["interface", "implementation", "protocol"];

/// The words of `headers.toml`, by their role in a line.
#[derive(Deserialize)]
struct HeaderWords {
    functions: FxHashSet<String>,
    types: FxHashSet<String>,
    values: FxHashSet<String>,
    first_values: FxHashSet<String>,
    statements: FxHashSet<String>,
    labels: FxHashSet<String>,
    continuations: FxHashSet<String>,
    trailers: FxHashSet<String>,
}

static WORDS: LazyLock<HeaderWords> = LazyLock::new(|| {
    toml::from_str(include_str!("../../headers.toml")).expect("headers.toml is checked by a test")
});

/// Whether a line of a message is a trailer, which names the people or issues of the commit and
/// does not describe the change.
pub(super) fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(':') else { return false };
    let key = key.trim().to_lowercase();
    (key.ends_with("-by") && !key.contains(' ')) || WORDS.trailers.contains(&key)
}

/// The kind of declaration that a header begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HeaderKind {
    Function,
    Type,
    /// A value, a call or an entry of a list. It counts as a declaration only outside functions.
    Other,
}

/// A line that may enclose others.
struct HunkHeader<'a> {
    /// The number of columns before the line, plus one. A header that encloses lines with its own
    /// indentation has one less.
    indent: usize,
    line: &'a str,
    /// The declared name, once it was computed.
    name: OnceCell<Option<(HeaderKind, String)>>,
}

/// Returns the declarations that enclose the changed lines of a text: dotted names from the outside
/// in, each once, in the order of the text. At most `MAX_NAMES_PER_FILE`.
pub(super) fn enclosing_names(text: &str, lines: &LineDiff) -> Vec<Box<str>> {
    let mut changes = ChangedLineCursor::new(lines);
    let mut open: Vec<HunkHeader<'_>> = Vec::new();
    let mut names = Vec::new();
    let mut seen = FxHashSet::default();
    for (number, line) in (1u32..).zip(text.lines()) {
        let Some(changed) = changes.is_line_changed(number) else { break };
        let content = line.trim_start();
        if content.is_empty() {
            continue;
        }
        let indent = indent_columns(line) + 1;
        match line_role(content) {
            LineRole::Comment => {}
            LineRole::Container => {
                let kept = open.partition_point(|header| header.indent < indent - 1);
                open.truncate(kept);
                let name = container_name(truncate_line(content));
                open.push(HunkHeader { indent: indent - 1, line: "", name: OnceCell::from(name) });
            }
            LineRole::Closing => {
                let kept = open.partition_point(|header| header.indent <= indent);
                open.truncate(kept);
            }
            LineRole::Header => {
                let kept = open.partition_point(|header| header.indent < indent);
                let line = truncate_line(content);
                let before = open.get(kept).filter(|header| header.indent == indent);
                let name = before.and_then(|header| equation_name(header, line));
                let name = name.map_or_else(OnceCell::new, |name| OnceCell::from(Some(name)));
                open.truncate(kept);
                open.push(HunkHeader { indent, line, name });
            }
        }
        if changed && names.len() < MAX_NAMES_PER_FILE {
            let enclosing = match line_role(content) {
                LineRole::Comment => open.partition_point(|header| header.indent < indent),
                _ => open.len(),
            };
            let chain = dotted_name(&mut open[..enclosing]);
            if !chain.is_empty() && seen.insert(chain.clone()) {
                names.push(chain.into_boxed_str());
            }
        }
    }
    names
}

/// A cursor over the changed lines, which are requested in ascending order.
struct ChangedLineCursor<'a> {
    ranges: std::iter::Peekable<std::slice::Iter<'a, (u32, u32)>>,
    removed: std::iter::Peekable<std::slice::Iter<'a, u32>>,
}

impl<'a> ChangedLineCursor<'a> {
    fn new(lines: &'a LineDiff) -> Self {
        Self { ranges: lines.changed.iter().peekable(), removed: lines.removed_after.iter().peekable() }
    }

    /// Whether a line changed, or lines after it were removed. Returns `None` if no further line
    /// changed.
    fn is_line_changed(&mut self, number: u32) -> Option<bool> {
        while self.ranges.next_if(|(_, last)| *last < number).is_some() {}
        while self.removed.next_if(|line| **line < number).is_some() {}
        let (range, removed) = (self.ranges.peek(), self.removed.peek());
        if range.is_none() && removed.is_none() {
            return None;
        }
        Some(range.is_some_and(|(first, _)| *first <= number) || removed.is_some_and(|line| **line == number))
    }
}

fn truncate_line(line: &str) -> &str {
    let mut end = line.len().min(MAX_LINE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

/// Returns the number of columns before the first character. A tab advances to the next multiple of
/// four.
fn indent_columns(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column = column / 4 * 4 + 4,
            _ => break,
        }
    }
    column
}

/// The role of a line in the nesting of declarations.
enum LineRole {
    /// The line may enclose lines with deeper indentation.
    Header,
    /// The line encloses the lines with its indentation until the next such line: `@interface A`.
    Container,
    /// The line ends or continues a declaration or statement with the same indentation.
    Closing,
    /// The indentation of the line has no meaning.
    Comment,
}

fn line_role(content: &str) -> LineRole {
    if content.starts_with(['#', '*']) || ["//", "/*", "--"].iter().any(|mark| content.starts_with(mark)) {
        return LineRole::Comment;
    }
    if content.trim_end().strip_suffix(':').is_some_and(|label| WORDS.labels.contains(label)) {
        return LineRole::Comment;
    }
    if let Some(directive) = content.strip_prefix('@') {
        // `@interface A {` declares an annotation type.
        let is_container =
            CONTAINER_DIRECTIVES.contains(&first_word(directive)) && !content.ends_with(['{', ';']);
        return if is_container { LineRole::Container } else { LineRole::Closing };
    }
    if content.starts_with([')', ']', '}', '{']) {
        return LineRole::Closing;
    }
    let word = first_word(content);
    if WORDS.continuations.contains(word) { LineRole::Closing } else { LineRole::Header }
}

fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| !is_name_char(c)).unwrap_or(text.len())]
}

/// Returns the type of a container line: `A` of `@implementation A (Category)`.
fn container_name(line: &str) -> Option<(HeaderKind, String)> {
    let name = first_word(line.split_once([' ', '\t'])?.1.trim_start());
    (!name.is_empty()).then(|| (HeaderKind::Type, name.to_owned()))
}

/// Returns the declared name of a line that is an equation of the same function as the line before
/// it, which has its signature (`name :: Type`) or is another equation.
fn equation_name(before: &HunkHeader<'_>, line: &str) -> Option<(HeaderKind, String)> {
    let word = first_word(line);
    if word.is_empty() || first_word(before.line) != word {
        return None;
    }
    let rest = before.line[word.len()..].trim_start();
    // The type of a long signature is on the next lines.
    let is_signature = rest.starts_with(":: ") || (rest.is_empty() && line.contains('='));
    let equation = Some((HeaderKind::Function, word.to_owned()));
    if is_signature || before.name.get() == Some(&equation) { equation } else { None }
}

/// Returns the dotted name that these nested headers declare; empty if they declare nothing.
fn dotted_name(open: &mut [HunkHeader<'_>]) -> String {
    let mut chain = String::new();
    let (mut depth, mut in_function, mut in_type) = (0, false, false);
    for header in open {
        let name = header.name.get_or_init(|| declared_name(header.line));
        let Some((kind, name)) = name else { continue };
        // Values and calls in a function are local to it.
        if (in_function && *kind == HeaderKind::Other) || depth == MAX_NAME_PARTS {
            continue;
        }
        if depth > 0 {
            chain.push('.');
        }
        chain.push_str(name);
        depth += 1;
        // An entry of a type without a declaring word may be a method, so the lines in it are not
        // declarations either.
        in_function = match kind {
            HeaderKind::Function => true,
            HeaderKind::Type => false,
            HeaderKind::Other => in_type,
        };
        in_type = *kind == HeaderKind::Type;
    }
    chain
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the name that a line declares and its kind, according to this line alone.
fn declared_name(line: &str) -> Option<(HeaderKind, String)> {
    let declaration = selector_name(line)
        .or_else(|| default_export(line))
        .or_else(|| name_by_keyword(line))
        .or_else(|| name_before_call(line))
        .or_else(|| name_before_value(line))?;
    (declaration.1.len() <= MAX_NAME_BYTES).then_some(declaration)
}

/// Finds the selector of a method: `run:on:` of `- (void)run:(Task *)task on:(Queue *)queue {`.
fn selector_name(line: &str) -> Option<(HeaderKind, String)> {
    let after = line.strip_prefix(['-', '+'])?.trim_start().strip_prefix('(')?;
    let mut rest = after_closing_parenthesis(after)?.trim_start();
    let mut selector = String::new();
    loop {
        let label = first_word(rest);
        let after = rest[label.len()..].trim_start();
        let Some(after) = after.strip_prefix(':') else {
            if selector.is_empty() {
                selector.push_str(label);
            }
            break;
        };
        selector.push_str(label);
        selector.push(':');
        let mut after = after.trim_start();
        if let Some(inner) = after.strip_prefix('(') {
            after = after_closing_parenthesis(inner)?.trim_start();
        }
        rest = after[first_word(after).len()..].trim_start();
    }
    (!selector.is_empty()).then_some((HeaderKind::Function, selector))
}

/// Returns the text after the parenthesis that closes one before the beginning of a text.
fn after_closing_parenthesis(text: &str) -> Option<&str> {
    let mut depth = 1usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

/// Returns the name of an exported object that has no name of its own.
fn default_export(line: &str) -> Option<(HeaderKind, String)> {
    let value = line.strip_prefix("export default")?.trim_start();
    value.starts_with('{').then(|| (HeaderKind::Other, "default".to_owned()))
}

/// Finds a name after a declaring word: `pub fn name`, `func (r *T) name`, `impl Trait for Type`.
fn name_by_keyword(line: &str) -> Option<(HeaderKind, String)> {
    let mut rest = line;
    for place in 0..MAX_LEADING_WORDS {
        rest = rest.trim_start_matches([' ', '\t']);
        let word = first_word(rest);
        let after = &rest[word.len()..];
        if word.is_empty() {
            return None;
        }
        let kind = if WORDS.functions.contains(word) {
            Some(HeaderKind::Function)
        } else if WORDS.types.contains(word) {
            Some(HeaderKind::Type)
        } else if WORDS.values.contains(word) || (place == 0 && WORDS.first_values.contains(word)) {
            Some(HeaderKind::Other)
        } else {
            None
        };
        if let Some(kind) = kind
            && let Some(name) = name_after_keyword(word, after)
        {
            // In `static fn`, `const fn` and `type class`, the last declaring word counts.
            if kind != HeaderKind::Function && is_declaring_word(&name) {
                rest = after;
                continue;
            }
            return Some((kind, name));
        }
        rest = match word {
            "pub" => {
                after.strip_prefix('(').and_then(|inner| inner.split_once(')')).map_or(after, |(_, r)| r)
            }
            "extern" => after
                .trim_start()
                .strip_prefix('"')
                .and_then(|inner| inner.split_once('"'))
                .map_or(after, |(_, r)| r),
            _ => after,
        };
        if !rest.starts_with([' ', '\t']) {
            return None;
        }
    }
    None
}

fn is_declaring_word(word: &str) -> bool {
    [&WORDS.functions, &WORDS.types, &WORDS.values].iter().any(|words| words.contains(word))
        || matches!(word, "async" | "unsafe" | "mut" | "final" | "readonly" | "abstract" | "partial")
}

/// Returns the name at the beginning of `after`, the text after the declaring word `word`.
fn name_after_keyword(word: &str, after: &str) -> Option<String> {
    if word == "impl" {
        return implementing_type(after);
    }
    let after = after.strip_prefix('!').unwrap_or(after);
    let after = after.strip_prefix('*').unwrap_or(after);
    if !after.starts_with([' ', '\t']) {
        return None;
    }
    let after = after.trim_start().trim_start_matches('*').trim_start();
    // `type NAME other` gives a name to an existing type.
    let after = if word != "type" && WORDS.types.contains(word) { skip_macro(after) } else { after };
    if word == "func"
        && let Some((receiver, rest)) = after.strip_prefix('(').and_then(|inner| inner.split_once(')'))
    {
        let receiver = receiver.split('[').next().unwrap_or(receiver);
        let owner = receiver.rsplit(|c: char| !is_name_char(c)).find(|part| !part.is_empty())?;
        let name = first_word(rest.trim_start());
        return (!name.is_empty()).then(|| format!("{owner}.{name}"));
    }
    let after = after.strip_prefix("self.").unwrap_or(after);
    let mut name = String::new();
    let mut rest = after;
    loop {
        let part = first_word(rest);
        if part.is_empty() || part.starts_with(|c: char| c.is_numeric()) {
            break;
        }
        name.push_str(part);
        rest = &rest[part.len()..];
        let next = rest.strip_prefix("::").or_else(|| rest.strip_prefix('.'));
        match next {
            Some(next) if next.starts_with(is_name_char) => {
                name.push('.');
                rest = next;
            }
            _ => break,
        }
    }
    if word.starts_with("def") && !name.is_empty() && rest.starts_with(['?', '!']) {
        name.push_str(&rest[..1]);
    }
    (!name.is_empty()).then_some(name)
}

/// Skips a macro before a name: `API_EXPORT Type` of `class API_EXPORT Type {`.
fn skip_macro(text: &str) -> &str {
    let word = first_word(text);
    let is_macro =
        word.contains('_') && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '0'..='9'));
    let after = text[word.len()..].trim_start();
    let next = first_word(after);
    let names_type = !next.is_empty() && !WORDS.continuations.contains(next) && !is_declaring_word(next);
    if is_macro && after.len() < text.len() - word.len() && names_type { after } else { text }
}

/// Returns the type of `impl<T> Trait for path::Type<T> {`.
fn implementing_type(after: &str) -> Option<String> {
    let mut text = after.trim_start();
    if text.starts_with('<') {
        text = text[closing_bracket_end(text)..].trim_start();
    }
    let text = text.split(" where ").next().unwrap_or(text);
    let text = text.split('{').next().unwrap_or(text);
    let text = text.rsplit(" for ").next().unwrap_or(text);
    let text = text.trim().trim_start_matches(['&', '*']);
    let text = text.split('<').next().unwrap_or(text).trim_end();
    let name = text.rsplit("::").next().unwrap_or(text);
    (!name.is_empty() && name.chars().all(is_name_char)).then(|| name.to_owned())
}

/// Returns the index of the byte after the bracket that closes the angle bracket at the beginning
/// of a text, or the length of the text.
fn closing_bracket_end(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if at > 0 && text.as_bytes()[at - 1] != b'-' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// Finds the name before the first parenthesis, for methods without a declaring word (`void run(`,
/// `async load(`).
fn name_before_call(line: &str) -> Option<(HeaderKind, String)> {
    let (before, _) = line.split_once('(')?;
    if before.contains(['=', '"', '\'', '`', ';']) || WORDS.statements.contains(first_word(line)) {
        return None;
    }
    let before = before.trim_end();
    let before = match before.strip_suffix('>') {
        Some(inner) => inner.rsplit_once('<').map_or(before, |(name, _)| name).trim_end(),
        None => before,
    };
    let name = member_definition(before).or_else(|| trailing_name(before))?;
    Some((HeaderKind::Other, name))
}

/// Returns the name of a member that is defined outside its type: `Type.member` for
/// `void Type::member`.
fn member_definition(text: &str) -> Option<String> {
    let (before, last) = text.rsplit_once("::")?;
    let before =
        before.strip_suffix('>').and_then(|inner| inner.split_once('<')).map_or(before, |(name, _)| name);
    let owner = before.rsplit(|c: char| !is_name_char(c)).next().unwrap_or(before);
    let is_member = !owner.is_empty()
        && last.strip_prefix('~').unwrap_or(last).chars().all(is_name_char)
        && last.chars().any(is_name_char);
    is_member.then(|| format!("{owner}.{last}"))
}

/// Finds the name before a value, a type or a separator: `name = `, `name: `, `Type name;`,
/// `NAME,`.
fn name_before_value(line: &str) -> Option<(HeaderKind, String)> {
    if WORDS.statements.contains(first_word(line)) {
        return None;
    }
    let before = line.split(['=', '{', ';', ':']).next().unwrap_or(line);
    // A comma between angle brackets is part of a type.
    let before = if before.contains('<') { before } else { before.split(',').next().unwrap_or(before) };
    let before = before.trim_end();
    if before.contains(['(', '"', '\'', '`', '+', '-', '/', '|']) {
        return None;
    }
    trailing_name(before).map(|name| (HeaderKind::Other, name))
}

/// Returns the name at the end of a text, unless it belongs to something else (`a.b`).
fn trailing_name(text: &str) -> Option<String> {
    let start = text
        .rfind(|c: char| !is_name_char(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let name = &text[start..];
    let is_qualified = text[..start].ends_with(['.', ':', '>', '&']) && !text[..start].ends_with("> ");
    let is_declared = !name.is_empty()
        && !name.starts_with(|c: char| c.is_numeric())
        && !is_qualified
        && !WORDS.statements.contains(name)
        && !is_declaring_word(name);
    is_declared.then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
