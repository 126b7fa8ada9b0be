//! Parser for paths in the notation of [`kenning_graph::facts::ReferenceFact::receiver`]: segments
//! separated by dots, each a name (or a type in braces) and the parts taken from its value, such as
//! `rows()[]#1.name`. The parser accepts any text.

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuePart {
    /// The result of a call.
    CallResult,
    /// An indexed element.
    Index,
    /// The value that a loop yields.
    Each,
    /// The key that a loop yields.
    Key,
    /// The value that a context manager returns on entry.
    EnterResult,
    /// The argument at this position that a callable passes to a function literal.
    ClosureArgument(usize),
    /// The value at this position in a tuple or another list of values.
    Component(usize),
}

/// One segment of a path: a name, or a type in braces, and the parts taken from its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathSegment<'s> {
    pub name: &'s str,
    pub parts: Vec<ValuePart>,
}

impl<'s> PathSegment<'s> {
    fn from_text(text: &'s str) -> Self {
        let name_end = match text.strip_prefix('{') {
            // A type in braces may contain anything.
            Some(_) => text.rfind('}').map_or(text.len(), |at| at + 1),
            None => text.find(['(', '[', '#']).unwrap_or(text.len()),
        };
        let (name, mut rest) = text.split_at(name_end);
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (part, len) = parse_part(rest);
            parts.extend(part);
            rest = rest.get(len.max(1)..).unwrap_or("");
        }
        Self { name, parts }
    }

    /// Returns the text of the type, if the segment is a type in braces.
    pub fn type_text(&self) -> Option<&'s str> {
        self.name.strip_prefix('{').and_then(|text| text.strip_suffix('}'))
    }
}

/// Returns the part at the start of a text, if any, and the length of its notation in bytes.
fn parse_part(text: &str) -> (Option<ValuePart>, usize) {
    let fixed = [
        ("()", ValuePart::CallResult),
        ("[]", ValuePart::Index),
        ("#each", ValuePart::Each),
        ("#key", ValuePart::Key),
        ("#enter", ValuePart::EnterResult),
    ];
    for (mark, part) in fixed {
        if text.starts_with(mark) {
            return (Some(part), mark.len());
        }
    }
    for mark in ["#in", "#"] {
        let digits = text
            .strip_prefix(mark)
            .map_or("", |rest| &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())]);
        if let Ok(position) = digits.parse() {
            let part = if mark == "#" {
                ValuePart::Component(position)
            } else {
                ValuePart::ClosureArgument(position)
            };
            return (Some(part), mark.len() + digits.len());
        }
    }
    (None, text.chars().next().map_or(1, char::len_utf8))
}

/// Returns the segments of a path.
pub(super) fn parse_segments(path: &str) -> Vec<PathSegment<'_>> {
    split_outside_braces(path, '.').map(PathSegment::from_text).collect()
}

/// Splits a path into the alternatives that `|` separates.
pub(super) fn split_alternatives(path: &str) -> impl Iterator<Item = &str> {
    split_outside_braces(path, '|')
}

/// Splits a text at the separators outside types in braces.
fn split_outside_braces(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == separator && depth <= 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_path(path: &str) -> String {
        let describe = |s: PathSegment| format!("{}{:?}", s.name, s.parts);
        parse_segments(path).into_iter().map(describe).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn paths_are_split_into_segments_and_their_parts() {
        assert_eq!(describe_path("self.app.make()"), "self[] app[] make[CallResult]");
        assert_eq!(describe_path("rows()[]#1.name"), "rows[CallResult, Index, Component(1)] name[]");
        assert_eq!(describe_path("{map[string]a.B}[].c"), "{map[string]a.B}[Index] c[]");
        assert_eq!(describe_path("a.each#in1"), "a[] each[ClosureArgument(1)]");
        assert_eq!(describe_path("xs#each#0#key"), "xs[Each, Component(0), Key]");
        assert_eq!(split_alternatives("a|{b|c}|d()").collect::<Vec<_>>(), ["a", "{b|c}", "d()"]);
    }

    #[test]
    fn the_parser_accepts_any_text() {
        for text in [
            "",
            "(",
            "[",
            "#",
            "#x",
            "{",
            "}",
            "{}",
            "a(b",
            "é#9é",
            "a.",
            ".",
            "#99999999999999999999999",
            "#in",
            "#inx",
        ] {
            parse_segments(text);
        }
    }
}
