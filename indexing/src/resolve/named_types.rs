//! Parser for type expressions of Rust, Java, C# and Ruby.
//!
//! `parse_named_types` returns the named types whose members a value of the type can have, each
//! with the collections around such a value (`CollectionLevels`). It removes wrappers and splits
//! unions.

use super::lang::family::LanguageFamily;
use crate::builtins::Builtins;

/// A named type in a type expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedType {
    /// Dotted path of the name.
    pub path: String,
    /// Collections around a value of the type.
    pub levels: CollectionLevels,
}

/// The collections around a value, from the outermost to the innermost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CollectionLevels {
    /// Number of collections.
    depth: u8,
    /// Bit set of the collections that hold pairs (mappings, numbered elements), whose second part
    /// holds the value. The lowest bit is the outermost collection.
    pairs: u8,
}

impl CollectionLevels {
    /// Whether there is no collection around the value.
    pub const fn is_none(self) -> bool {
        self.depth == 0
    }

    /// Whether the outermost collection holds pairs.
    pub const fn holds_pairs(self) -> bool {
        self.pairs & 1 != 0
    }

    /// Returns the same levels, with an outermost collection that holds pairs only if `pairs` is
    /// set.
    pub fn with_pairs(self, pairs: bool) -> Self {
        Self { pairs: (self.pairs & !1) | u8::from(pairs), ..self }
    }

    /// Returns the levels inside the outermost collection.
    pub const fn inner_levels(self) -> Self {
        Self { depth: self.depth.saturating_sub(1), pairs: self.pairs >> 1 }
    }

    /// Returns the levels with one more collection, inside the innermost.
    fn with_inner_level(self, pairs: bool) -> Self {
        let bit = u8::from(pairs).checked_shl(self.depth.into()).unwrap_or(0);
        Self { depth: self.depth.saturating_add(1), pairs: self.pairs | bit }
    }
}

/// Depth to which nested type arguments are parsed. Hostile types nest thousands.
const MAX_DEPTH: u32 = 6;
/// Length in bytes above which a type expression is ignored. Generated types can have thousands of
/// bytes.
const MAX_TEXT_LENGTH: usize = 600;
/// Maximum number of named types that are returned for a union. Unions of syntax nodes or events
/// have hundreds.
const MAX_ALTERNATIVES: usize = 4;

/// Returns the named types of a type expression. Replaces wrappers such as references, pointers,
/// `Option` and `Promise` by the type they hold, and a union by its parts. Treats slices and lists
/// as collections of their elements.
pub(super) fn parse_named_types(text: &str, family: LanguageFamily) -> Vec<NamedType> {
    let mut out = Vec::new();
    collect_named_types(text, family.language_builtins(), CollectionLevels::default(), 0, &mut out);
    out.truncate(MAX_ALTERNATIVES);
    out
}

/// Appends the named types of `text` to `out`. `levels` are the collections around `text`.
fn collect_named_types(
    text: &str,
    builtins: &Builtins,
    levels: CollectionLevels,
    depth: u32,
    out: &mut Vec<NamedType>,
) {
    if depth > MAX_DEPTH || text.len() > MAX_TEXT_LENGTH {
        return;
    }
    let text = strip_type_prefixes(text);
    if text.is_empty() {
        return;
    }
    for (open, close) in [("[]", ""), ("[", "]")] {
        if let Some(inner) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            // `[T]`, `[T; n]` and `[]T`.
            let inner = inner.split(';').next().unwrap_or("");
            return collect_named_types(inner, builtins, levels.with_inner_level(false), depth + 1, out);
        }
    }
    if let Some(inner) = text.strip_suffix("[]") {
        return collect_named_types(inner, builtins, levels.with_inner_level(false), depth + 1, out);
    }
    let parts = split_top_level(text, '|');
    if parts.len() > 1 {
        for part in parts {
            collect_named_types(part, builtins, levels, depth + 1, out);
        }
        return;
    }
    let (name, arguments) = split_type_arguments(text);
    let name = name.trim().replace("::", ".").replace('\\', ".");
    // A leading `\` marks the path of an absolute name.
    let name = if name.starts_with('.') { format!("\\{name}") } else { name };
    let simple = name.rsplit('.').next().unwrap_or("");
    if !arguments.is_empty() {
        let arguments = split_top_level(arguments, ',');
        if builtins.transparent.contains(simple) {
            return collect_named_types(arguments[0], builtins, levels, depth + 1, out);
        }
        if builtins.mappings.contains(simple) {
            let last = arguments[arguments.len() - 1];
            return collect_named_types(last, builtins, levels.with_inner_level(true), depth + 1, out);
        }
        if builtins.collections.contains(simple) || builtins.collections.contains(&name) {
            // `Iterator<Item = T>`; `Item` is not a type here.
            let last = arguments[arguments.len() - 1].trim();
            let item = last.strip_prefix("Item").and_then(|rest| rest.trim_start().strip_prefix('='));
            return collect_named_types(
                item.unwrap_or(last),
                builtins,
                levels.with_inner_level(false),
                depth + 1,
                out,
            );
        }
    }
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || matches!(c, '$' | '@' | '\\');
    if !name.is_empty()
        && name.chars().all(is_path)
        && !matches!(simple, "None" | "null" | "undefined" | "nil")
    {
        out.push(NamedType { path: name, levels });
    }
}

/// Removes quotes, pointers, references, lifetimes and the keywords before a type.
fn strip_type_prefixes(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        text = text.trim_start_matches(['*', '&', '"', '\'', '~', ':']).trim();
        text = text.trim_end_matches(['?', '!', '"', '\'', '*']).trim();
        // `?T`, but not the wildcard `? extends T`.
        text = text.strip_prefix('?').filter(|rest| !rest.starts_with(' ')).unwrap_or(text);
        for word in [
            "mut ",
            "dyn ",
            "impl ",
            "const ",
            "readonly ",
            "ref ",
            "out ",
            "in ",
            "final ",
            "async ",
            "any ",
            "some ",
            "inout ",
            "->",
            "? extends ",
        ] {
            text = text.strip_prefix(word).unwrap_or(text).trim();
        }
        // Remove a lifetime, whose quote is already removed.
        if (before.starts_with("&'") || before.starts_with('\''))
            && let Some((lifetime, rest)) = text.split_once(' ')
            && lifetime.chars().all(|c| c.is_lowercase() || c == '_')
        {
            text = rest.trim();
        }
        if text.starts_with('(') && text.ends_with(')') && closes_at_end(text) {
            text = text[1..text.len() - 1].trim();
            // A tuple has no members; use its first component.
            text = split_top_level(text, ',').first().copied().unwrap_or("").trim();
        }
        if text == before {
            return text;
        }
    }
}

/// Whether the parenthesis at the start of a text closes at its end.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

/// Splits `Name<A, B>` or `Name[A, B]` into the name and the text between the brackets.
fn split_type_arguments(text: &str) -> (&str, &str) {
    let Some(at) = text.find(['<', '[']) else {
        // In `Trait + Send` and before a `where` clause, take the first name.
        return (text.split([' ', '+']).next().unwrap_or(""), "");
    };
    let close = if text.as_bytes()[at] == b'<' { '>' } else { ']' };
    let end = text.rfind(close).filter(|&end| end > at).unwrap_or(text.len());
    (&text[..at], text.get(at + 1..end).unwrap_or(""))
}

/// Splits a text at the separators outside all brackets.
pub(super) fn split_top_level(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i32, 0);
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '-' || previous == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
        previous = c;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_types(text: &str, family: LanguageFamily) -> String {
        let types = parse_named_types(text, family);
        let stars = |levels: CollectionLevels| u32::from(levels.depth) + levels.pairs.count_ones();
        let describe = |ty: &NamedType| format!("{}{}", ty.path, "*".repeat(stars(ty.levels) as usize));
        types.iter().map(describe).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn wrappers_are_replaced_by_the_wrapped_type() {
        let cases = [
            ("Promise<Array<User>>", LanguageFamily::Script, "User*"),
            ("Foo[] | undefined", LanguageFamily::Script, "Foo*"),
            ("&'a mut Vec<Box<dyn Matcher + Send>>", LanguageFamily::Rust, "Matcher*"),
            ("Option<Arc<crate::walk::Walk>>", LanguageFamily::Rust, "crate.walk.Walk"),
            ("Result<Self, Error>", LanguageFamily::Rust, "Self"),
            ("impl Iterator<Item = &'a Foo>", LanguageFamily::Rust, "Foo*"),
            ("Vec<Item>", LanguageFamily::Rust, "Item*"),
            ("HashMap<String, Item>", LanguageFamily::Rust, "Item**"),
            ("Task<List<Route>>", LanguageFamily::CSharp, "Route*"),
            ("Foo?", LanguageFamily::CSharp, "Foo"),
            ("Map<String, List<? extends Foo[]>>", LanguageFamily::Java, "Foo***"),
            ("() => void", LanguageFamily::Script, ""),
        ];
        for (text, family, expected) in cases {
            assert_eq!(describe_types(text, family), expected, "{text}");
        }
    }

    #[test]
    fn the_parser_accepts_any_text() {
        for text in ["<", "[", "((", "|", "&'", "a<b", "]", "é<ü>", ">", "'", "[;", "a[b]c<"] {
            parse_named_types(text, LanguageFamily::Rust);
            parse_named_types(text, LanguageFamily::Script);
        }
    }
}
