//! Files that are components: scripts in the elements of a template (`<script>`), as in Vue and
//! Svelte.
//!
//! The parser receives the text with everything outside the scripts blanked, so that all offsets
//! stay the same ([`keep_scripts`]). [`read_template`] then scans the rest for the uses of names
//! that the script imports or declares: elements of components, and expressions in braces and in
//! dynamic attributes (`:items`, `@click`, `v-if`).

use super::raw_facts::{RawFacts, RawReference};
use super::tree_scan::{LeafKind, ScannedName, TextLeaf, TreeScan};
use kenning_graph::facts::{NameSpan, ReferenceRole};
use kenning_graph::positions::LineIndex;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Maximum length in bytes of the name of an element. Malformed markup has longer ones.
const MAX_TAG_BYTES: usize = 100;

/// Returns the text with everything outside its script elements replaced by spaces, except line
/// ends. Every byte of the scripts stays in its place.
pub(super) fn keep_scripts(text: &str, elements: &[String]) -> String {
    let mut out: Vec<u8> =
        text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect();
    for section in find_sections(text, elements) {
        out[section.clone()].copy_from_slice(&text.as_bytes()[section]);
    }
    // Sections begin and end at ASCII characters, so the result is UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

/// Returns the contents of the elements with these names, in the order of the text.
fn find_sections(text: &str, elements: &[String]) -> Vec<Range<usize>> {
    let mut sections = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|found| at + found) {
        at = open + 1;
        if text[open..].starts_with("<!--") {
            at = text[open..].find("-->").map_or(text.len(), |end| open + end);
            continue;
        }
        let name = tag_name(&text[at..]);
        if !elements.iter().any(|element| element == name) {
            continue;
        }
        let Some(start) = find_tag_end(text, at + name.len()) else { break };
        let close = format!("</{name}");
        let end = text[start..].find(&close).map_or(text.len(), |end| start + end);
        sections.push(start..end);
        at = end;
    }
    sections
}

/// Returns the name at the start of a tag.
fn tag_name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let end = text.bytes().position(|byte| !is_part(byte.into())).unwrap_or(text.len());
    &text[..end]
}

/// Returns the position after the `>` of a tag. Quoted attributes can contain that character.
fn find_tag_end(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Adds the words of the template, and its uses of the names that the script imports.
pub(super) fn read_template<'t>(
    text: &str,
    elements: &[String],
    lines: &LineIndex,
    scan: &mut TreeScan<'t>,
    facts: &mut RawFacts<'t>,
) {
    let imported: FxHashSet<String> = facts.imports.iter().map(|import| import.alias.clone()).collect();
    let mut template = TemplateReader { text, lines, imported, scan, facts };
    let mut from = 0;
    for section in find_sections(text, elements) {
        template.read_markup(from..section.start);
        from = section.end;
    }
    template.read_markup(from..text.len());
    scan.words.sort_by_key(|leaf| leaf.start);
}

/// Reads the markup of a component, which is the text outside its scripts.
struct TemplateReader<'r, 't> {
    text: &'r str,
    lines: &'r LineIndex,
    imported: FxHashSet<String>,
    scan: &'r mut TreeScan<'t>,
    facts: &'r mut RawFacts<'t>,
}

impl TemplateReader<'_, '_> {
    /// Reads a part of the text outside the scripts.
    fn read_markup(&mut self, range: Range<usize>) {
        let mut line_start = range.start;
        for line in self.text[range.clone()].split_inclusive('\n') {
            if !line.trim().is_empty() {
                let (start, end) = (line_start as u32, (line_start + line.trim_end().len()) as u32);
                self.scan.words.push(TextLeaf { start, end, kind: LeafKind::Code });
            }
            line_start += line.len();
        }
        let bytes = self.text.as_bytes();
        let mut at = range.start;
        while at < range.end {
            match bytes[at] {
                b'<' => at = self.read_tag(at + 1, range.end),
                b'{' => at = self.read_braces(at, range.end),
                _ => at += 1,
            }
        }
    }

    /// Reads a tag. Returns the position after it.
    fn read_tag(&mut self, start: usize, end: usize) -> usize {
        let name = tag_name(&self.text[start..end]);
        if name.is_empty() || name.len() > MAX_TAG_BYTES {
            return start;
        }
        if matches!(name, "style") {
            let close = self.text[start..end].find("</style");
            return close.map_or(end, |found| start + found + 2);
        }
        self.push_component(start, name);
        let bytes = self.text.as_bytes();
        let mut at = start + name.len();
        let mut attribute = at;
        while at < end {
            match bytes[at] {
                b'>' => return at + 1,
                b'{' => at = self.read_braces(at, end),
                quote @ (b'"' | b'\'') => {
                    let length = self.text[at + 1..end].bytes().position(|byte| byte == quote);
                    let close = length.map_or(end, |length| at + 1 + length);
                    let before = self.text[attribute..at].trim_start();
                    if before.starts_with([':', '@', '#']) || before.starts_with("v-") {
                        self.read_expression(at + 1..close);
                    }
                    at = close + 1;
                }
                byte if byte.is_ascii_whitespace() => {
                    attribute = at;
                    at += 1;
                }
                _ => at += 1,
            }
        }
        end
    }

    /// Reads an expression in braces. Returns the position after it.
    fn read_braces(&mut self, start: usize, end: usize) -> usize {
        let mut depth = 0;
        for (offset, byte) in self.text[start..end].bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.read_expression(start..start + offset);
                return start + offset + 1;
            }
        }
        end
    }

    /// Adds the names in an expression that are not members of another value.
    fn read_expression(&mut self, range: Range<usize>) {
        let bytes = self.text.as_bytes();
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80;
        let mut at = range.start;
        let mut quote = None;
        while at < range.end {
            let byte = bytes[at];
            if quote.is_some() || matches!(byte, b'"' | b'\'' | b'`') {
                quote = match quote {
                    Some(open) if open == byte => None,
                    Some(open) => Some(open),
                    None => Some(byte),
                };
                at += 1;
                continue;
            }
            if !is_word(byte) {
                at += 1;
                continue;
            }
            let length = bytes[at..range.end].iter().position(|&byte| !is_word(byte));
            let end = length.map_or(range.end, |length| at + length);
            if at == 0 || bytes[at - 1] != b'.' {
                let (line, column) = self.lines.line_and_column(at as u32);
                self.scan.names.push(ScannedName { start: at as u32, end: end as u32, line, column });
            }
            at = end;
        }
    }

    /// Adds the use of a component that the script imports. `<my-button>` is the component
    /// `MyButton`.
    fn push_component(&mut self, start: usize, tag: &str) {
        let name = if tag.contains('-') { pascal_case(tag) } else { tag.to_owned() };
        let first = name.split('.').next().unwrap_or("");
        if !name.starts_with(char::is_uppercase) || !self.imported.contains(first) {
            return;
        }
        let (line, column) = self.lines.line_and_column(start as u32);
        self.facts.references.push(RawReference {
            name: first.to_owned(),
            at: NameSpan { start: start as u32, len: tag.len() as u32, line, column },
            ..RawReference::with_role(ReferenceRole::Call)
        });
    }
}

/// Returns `MyButton` for `my-button`.
fn pascal_case(tag: &str) -> String {
    let words = tag.split('-').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::keep_scripts;

    #[test]
    fn only_the_contents_of_scripts_stay_and_no_byte_moves() {
        let text = "<!-- <script>no</script> -->\n<script lang=\"a>b\">let ü;\n</script><p>x</p><script>1";
        let kept = keep_scripts(text, &["script".to_owned()]);
        assert_eq!(kept.len(), text.len());
        assert_eq!(kept.split_whitespace().collect::<Vec<_>>(), ["let", "ü;", "1"]);
        assert_eq!(kept.find("let"), text.find("let"));
    }

    #[test]
    fn any_text_is_accepted() {
        for text in ["<", "<script", "<script a='", "<script>", "</script", "<!--", "<é", "{", "ü<script>ü"]
        {
            assert_eq!(keep_scripts(text, &["script".to_owned()]).len(), text.len());
        }
    }
}
