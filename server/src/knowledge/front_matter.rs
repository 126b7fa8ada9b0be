//! Front matter: the YAML between two lines `---` at the start of a Markdown file.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::{Error, Spanned, UserMessageFormatter};
use std::ops::Range;

/// The location of the front matter in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontMatterRange {
    /// There is none: the whole text is the body.
    None,
    /// The first line is `---`, and no line closes it.
    Unclosed,
    /// The text has front matter.
    Closed {
        /// The bytes of the YAML, between the lines `---`.
        yaml: Range<usize>,
        /// The first byte of the body.
        body: usize,
    },
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Finds the front matter of a text. One empty line after it belongs to neither part.
pub fn find_front_matter(text: &str) -> FrontMatterRange {
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return FrontMatterRange::None;
    };
    let yaml_start = start + first.len();
    let mut at = yaml_start;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            let mut body = at + line.len();
            let rest = &text[body..];
            body += if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
            return FrontMatterRange::Closed { yaml: yaml_start..at, body };
        }
        at += line.len();
    }
    FrontMatterRange::Unclosed
}

/// The keys of front matter that have a meaning. Other keys belong to the user.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawFrontMatter {
    pub title: Option<Spanned<String>>,
    pub tags: Option<Vec<String>>,
    pub kind: Option<Spanned<String>>,
    pub status: Option<Spanned<String>>,
    pub priority: Option<Spanned<String>>,
    pub due: Option<Spanned<String>>,
    pub description: Option<String>,
    pub triggers: Option<Vec<String>>,
    pub file_patterns: Option<Vec<String>>,
    pub source: Option<Spanned<String>>,
    pub links: Option<Vec<RawLink>>,
}

/// A link as it is written.
#[derive(Debug, Deserialize)]
pub struct RawLink {
    pub to: Spanned<String>,
    pub kind: Option<Spanned<String>>,
    pub id: Option<String>,
    pub body: Option<String>,
    pub lines: Option<u32>,
}

/// A problem in a part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIssue {
    /// The 1-based line in the file.
    pub line: u32,
    /// The problem, and what to do.
    pub message: String,
}

/// Returns the 1-based line in the file of a value. The front matter begins in line 2.
pub fn line_in_file<T>(value: &Spanned<T>) -> u32 {
    u32::try_from(value.referenced.line()).unwrap_or(u32::MAX).saturating_add(1)
}

/// Parses the YAML of front matter.
///
/// # Errors
/// Returns the problem with its line in the file.
pub fn parse_yaml<'de, T: Deserialize<'de>>(yaml: &'de str) -> Result<T, FileIssue> {
    serde_saphyr::from_str(yaml).map_err(|error| {
        // An error of the syntax explains more than the wrong type that follows from it.
        let syntax: Result<IgnoredAny, Error> = serde_saphyr::from_str(yaml);
        describe_error(&syntax.err().unwrap_or(error))
    })
}

/// Messages of the YAML library, with replacements in plain words.
const PLAIN_WORDS: [(&str, &str); 3] = [
    ("expected sequence start", "expected a list, as in [a, b]"),
    ("expected mapping start", "expected keys with values, as in title: Text"),
    ("expected string scalar", "expected a text"),
];

fn describe_error(error: &Error) -> FileIssue {
    let line = error.location().map_or(0, |location| location.line());
    let text = error.without_snippet().render_with_formatter(&UserMessageFormatter);
    // The finding names the line already.
    let text = text.split(" at line ").next().unwrap_or_default();
    let text = text.strip_prefix("error: ").unwrap_or(text).trim();
    let text = PLAIN_WORDS.iter().find(|(known, _)| *known == text).map_or(text, |(_, plain)| plain);
    FileIssue {
        line: u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1),
        message: format!("the front matter is ignored until it is corrected: {text}"),
    }
}

/// Renders a text as a YAML value on one line. If the library's form would be read as another text
/// (with a space that is not ASCII at an end), quotes the text as in JSON, which is also YAML.
///
/// # Errors
/// Returns an error if the library cannot write it.
pub fn render_scalar(value: &serde_json::Value) -> Result<String, serde_saphyr::ser::Error> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let rendered = serde_saphyr::to_string_with_options(value, options)?;
    let rendered = rendered.trim_end_matches(['\r', '\n']);
    let is_same = |text: &str| {
        let line = format!("key: {text}\n");
        let read: Result<serde_json::Value, _> = serde_saphyr::from_str(&line);
        read.is_ok_and(|read| read["key"] == *value)
    };
    if value.is_string() && !is_same(rendered) { Ok(value.to_string()) } else { Ok(rendered.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_found_with_any_line_ends() {
        let parts = |text: &str| match find_front_matter(text) {
            FrontMatterRange::Closed { yaml, body } => Some((text[yaml].to_owned(), text[body..].to_owned())),
            _ => None,
        };
        let found = |yaml: &str, body: &str| Some((yaml.to_owned(), body.to_owned()));
        assert_eq!(parts("---\na: 1\n---\n\nBody\n"), found("a: 1\n", "Body\n"));
        assert_eq!(parts("\u{feff}---\r\na: 1\r\n---\r\n\r\nBody"), found("a: 1\r\n", "Body"));
        assert_eq!(parts("---\n---"), found("", ""));
        assert_eq!(parts("--- \na: 1\n...\n\n\nBody"), found("a: 1\n", "\nBody"));
        for none in ["", "Body", "\n---\na: 1\n---\n", "----\n---\n"] {
            assert_eq!(find_front_matter(none), FrontMatterRange::None, "{none:?}");
        }
        assert_eq!(find_front_matter("---\na: 1\n"), FrontMatterRange::Unclosed);
    }

    #[test]
    fn errors_name_their_line_in_the_file() {
        let issue = |yaml: &str| {
            let issue = parse_yaml::<RawFrontMatter>(yaml).unwrap_err();
            let text =
                issue.message.strip_prefix("the front matter is ignored until it is corrected: ").unwrap();
            format!("{}: {text}", issue.line)
        };
        expect_test::expect![[r#"
            2: expected a list, as in [a, b]
            3: duplicate mapping key `title` is not allowed here
            2: unclosed bracket '['
            3: missing field `to`
            2: mapping values are not allowed in this context
            2: expected keys with values, as in title: Text"#]]
        .assert_eq(
            &[
                "tags: a, b\n",
                "title: x\ntitle: y\n",
                "title: [a\n",
                "links:\n  - kind: x\n",
                "a: b: c\n",
                "- a\n",
            ]
            .map(issue)
            .join("\n"),
        );
    }

    #[test]
    fn a_value_is_on_one_line_and_reads_as_it_was() {
        for text in
            ["plain", "no", "a: b", "two\nlines", "", "0123", "long ".repeat(60).as_str(), "#x", "é\u{2028}"]
        {
            let scalar = render_scalar(&text.into()).unwrap();
            assert_eq!(scalar.lines().count(), 1, "{scalar}");
            assert_eq!(parse_yaml::<String>(&scalar).unwrap(), text);
        }
    }
}
