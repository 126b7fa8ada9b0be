//! The 0-based lines of keys and items in manifests: JSON, TOML and YAML.
//!
//! The parser for TOML returns positions. The parser for JSON does not, so a scanner finds the
//! lines of keys. Manifests and lock files use only a simple part of YAML, which is read line by
//! line without another parser. All functions accept malformed texts.

use kenning_graph::positions::LineIndex;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text of a manifest with its lines.
pub(super) struct LocatedText<'t> {
    text: &'t str,
    lines: LineIndex,
}

impl<'t> LocatedText<'t> {
    /// Indexes the lines of a text.
    pub fn new(text: &'t str) -> Self {
        Self { text, lines: LineIndex::new(text) }
    }

    /// Returns the 0-based line of a slice of the text; 0 for any other text.
    pub fn line_of(&self, part: &str) -> u32 {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if offset <= self.text.len() { self.line_at(offset) } else { 0 }
    }

    /// Returns the 0-based line of a byte offset.
    pub fn line_at(&self, offset: usize) -> u32 {
        self.lines.line_and_column(u32::try_from(offset).unwrap_or(0)).0
    }
}

/// Returns the lines of the keys in the top-level objects of a JSON text, by the key of the object
/// and the key in it. For the top-level keys, the key of the object is empty. Accepts any text.
pub(super) fn json_key_lines(text: &str) -> BTreeMap<(&str, &str), u32> {
    let located = LocatedText::new(text);
    let mut lines = BTreeMap::new();
    let (mut depth, mut section) = (0_usize, "");
    let mut rest = text;
    while let Some(at) = rest.find(['"', '{', '}', '[', ']']) {
        let (mark, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match mark {
            b'"' => {
                let Some(end) = closing_quote(after) else { break };
                let key = &after[..end];
                rest = &after[end + 1..];
                if !rest.trim_start().starts_with(':') {
                    continue;
                }
                if depth == 1 {
                    section = key;
                    lines.entry(("", key)).or_insert_with(|| located.line_of(key));
                } else if depth == 2 {
                    lines.entry((section, key)).or_insert_with(|| located.line_of(key));
                }
            }
            b'{' | b'[' => depth += 1,
            _ => depth = depth.saturating_sub(1),
        }
    }
    lines
}

/// Returns the position of the quote that ends a JSON string.
fn closing_quote(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at),
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
    None
}

/// The positions of the keys and items of a TOML text.
pub(super) struct TomlPositions<'t> {
    text: LocatedText<'t>,
    root: Option<Spanned<DeTable<'t>>>,
}

impl<'t> TomlPositions<'t> {
    /// Parses a text. A malformed text has no positions.
    pub fn new(text: &'t str) -> Self {
        Self { text: LocatedText::new(text), root: DeTable::parse(text).ok() }
    }

    /// Returns the line of the last of these nested keys, or the first line if it does not exist.
    pub fn line_of_key(&self, path: &[&str]) -> u32 {
        self.find_entry(path).map_or(0, |(key, _)| self.text.line_at(key))
    }

    /// Returns the line of an item of the array with these nested keys.
    pub fn line_of_item(&self, path: &[&str], item: usize) -> u32 {
        let array = self.find_entry(path).and_then(|(_, value)| value.as_array());
        let item = array.and_then(|array| array.get(item));
        item.map_or(0, |item| self.text.line_at(item.span().start))
    }

    /// Returns the byte offset of the last of these nested keys, and its value.
    fn find_entry(&self, path: &[&str]) -> Option<(usize, &DeValue<'t>)> {
        let mut table = self.root.as_ref()?.get_ref();
        let (last, parents) = path.split_last()?;
        let entry = |table: &'_ DeTable<'t>, key: &str| -> Option<usize> {
            table.keys().position(|known| known.get_ref().as_ref() == key)
        };
        for parent in parents {
            let at = entry(table, parent)?;
            table = table.values().nth(at)?.get_ref().as_table()?;
        }
        let at = entry(table, last)?;
        Some((table.keys().nth(at)?.span().start, table.values().nth(at)?.get_ref()))
    }
}

/// A line `key: value` of a YAML text.
pub(super) struct YamlLine<'t> {
    /// Number of spaces before the key.
    pub indent: usize,
    /// The key without quotes; `-` for an item of a list.
    pub key: &'t str,
    /// The value without quotes and comment; empty if it follows on other lines.
    pub value: &'t str,
    /// The 0-based number of the line.
    pub line: u32,
}

/// Returns the lines of a text in the part of YAML that manifests and lock files use. Accepts any
/// text.
pub(super) fn yaml_lines(text: &str) -> impl Iterator<Item = YamlLine<'_>> {
    text.lines().zip(0..).filter_map(|(line, number)| {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            return None;
        }
        if let Some(item) = content.strip_prefix("- ") {
            return Some(YamlLine { indent, key: "-", value: plain_scalar(item), line: number });
        }
        let quote = content.chars().next().filter(|c| ['"', '\''].contains(c));
        let (key, value) = match quote {
            Some(quote) => {
                let (key, rest) = content[1..].split_once(quote)?;
                (key, rest.strip_prefix(':')?)
            }
            None => content.split_once(": ").or_else(|| Some((content.trim_end().strip_suffix(':')?, "")))?,
        };
        Some(YamlLine { indent, key: key.trim(), value: plain_scalar(value), line: number })
    })
}

/// Returns a value without quotes and comment.
fn plain_scalar(value: &str) -> &str {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner;
        }
    }
    value.split(" #").next().unwrap_or(value).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_json_objects_have_lines() {
        let lines = json_key_lines("{\n\"a\": {\n \"b\\\"\": [\n{\"no\": 1}],\n \"c\": \"x\" },\n\"b\": 1}");
        let expected = [(("", "a"), 1), (("", "b"), 5), (("a", "b\\\""), 2), (("a", "c"), 4)];
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), expected);
        for text in ["", "{", "{\"", "}}{\"a\":\"b", "[[\"x\\"] {
            assert!(json_key_lines(text).len() <= 1, "{text}");
        }
    }

    #[test]
    fn keys_and_items_of_toml_have_lines() {
        let positions = TomlPositions::new("[a.b]\nc = 1\nd = [\n 'x',\n 'y'\n]\n[e]\n");
        let lines = [&["a", "b", "c"][..], &["e"], &["no"], &["a", "b", "c", "no"]];
        assert_eq!(lines.map(|path| positions.line_of_key(path)), [1, 6, 0, 0]);
        assert_eq!(positions.line_of_item(&["a", "b", "d"], 1), 4);
    }

    #[test]
    fn lines_of_yaml_have_keys_and_values() {
        let lines = yaml_lines("a: b # c\n'@x/y':\n  z: \"1: 2\"\n- 'p/*'\n# no\n  é\n");
        let read: Vec<String> =
            lines.map(|line| format!("{} {} {}={}", line.line, line.indent, line.key, line.value)).collect();
        assert_eq!(read, ["0 0 a=b", "1 0 @x/y=", "2 2 z=1: 2", "3 0 -=p/*"]);
    }
}
