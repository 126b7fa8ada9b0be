//! Markdown and MDX, read by pulldown-cmark.

use super::outline::{PositionMap, RawDocument, RawHeading, WIKI_LINK};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;

/// Reads a Markdown text without its front matter into `document`.
pub(super) fn read_markdown<'t>(text: &'t str, positions: &PositionMap<'_>, document: &mut RawDocument<'t>) {
    let body = front_matter_end(text);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_WIKILINKS;
    let mut reader = MarkdownReader {
        text,
        positions,
        body,
        document,
        heading: None,
        paragraph: None,
        fence: None,
        depth: 0,
    };
    for (event, range) in Parser::new_ext(&text[body..], options).into_offset_iter() {
        reader.read_event(event, range);
    }
}

/// Returns the end of the front matter at the beginning of a text: lines between `---` and `---`.
fn front_matter_end(text: &str) -> usize {
    let start = text.trim_start_matches('\u{feff}');
    let opening = start.split_inclusive('\n').next().unwrap_or("");
    if opening.trim_end() != "---" || !opening.ends_with('\n') {
        return 0;
    }
    let mut at = text.len() - start.len() + opening.len();
    for line in text[at..].split_inclusive('\n') {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return at;
        }
    }
    0
}

/// Replaces the `import` and `export` statements of MDX at the beginning of lines with spaces, and
/// returns the paths of imported files with the first byte of their statements. A statement reaches
/// to the next empty line.
pub(super) fn blank_modules(text: &str) -> (Cow<'_, str>, Vec<(u32, &str)>) {
    let mut out: Option<Vec<u8>> = None;
    let mut imports = Vec::new();
    let (mut at, mut in_fence, mut in_statement) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_fence = !in_fence;
        }
        in_statement = !in_fence
            && !line.trim().is_empty()
            && (in_statement || line.starts_with("import ") || line.starts_with("export "));
        if !in_statement {
            continue;
        }
        if let Some((_, rest)) = line.split_once(" from ").or_else(|| line.split_once("import "))
            && let Some(quote) = rest.trim_start().chars().next().filter(|c| matches!(c, '"' | '\''))
            && let Some(path) = rest.trim_start()[1..].split(quote).next()
            && path.starts_with('.')
        {
            imports.push((start as u32, path));
        }
        let bytes = out.get_or_insert_with(|| text.as_bytes().to_vec());
        bytes[start..at]
            .iter_mut()
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b' ');
    }
    // Whole lines are replaced, so the result is UTF-8.
    let blanked = out.and_then(|bytes| String::from_utf8(bytes).ok());
    (blanked.map_or(Cow::Borrowed(text), Cow::Owned), imports)
}

/// The state of reading: the heading, paragraph and block of code around the current event.
struct MarkdownReader<'r, 'm, 't> {
    positions: &'r PositionMap<'m>,
    /// The byte at which the parsed text begins.
    body: usize,
    text: &'t str,
    document: &'r mut RawDocument<'t>,
    heading: Option<OpenHeading>,
    /// The first byte and the text of the open paragraph.
    paragraph: Option<(u32, String)>,
    /// The language tag and the parts of the open block of code.
    fence: Option<(String, Vec<(usize, CowStr<'t>)>)>,
    /// The number of quotes and lists around the current event.
    depth: u32,
}

/// A heading whose end has not been read.
struct OpenHeading {
    level: u8,
    start: usize,
    name: String,
    /// The bytes of the name; `None` before its first part.
    name_range: Option<Range<usize>>,
}

impl<'t> MarkdownReader<'_, '_, 't> {
    /// Returns the byte of the file for a byte of the parsed text.
    fn file_offset(&self, at: usize) -> u32 {
        self.positions.file_offset(self.body + at)
    }

    fn read_event(&mut self, event: Event<'t>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.open_tag(tag, range),
            Event::End(tag) => self.close_tag(tag),
            Event::Text(text) => {
                if let Some((_, parts)) = &mut self.fence {
                    parts.push((range.start, text));
                    return;
                }
                self.add_inline(&text, &range);
                if self.heading.is_none() {
                    self.document
                        .add_prose(self.positions.file_offset(self.body + range.start), into_cow(text));
                }
            }
            Event::Code(text) => {
                self.add_inline(&text, &range);
                // The offset of the text: the range includes the backticks.
                let start = range.start + (range.len().saturating_sub(text.len())) / 2;
                let start = self.file_offset(start);
                self.document.add_span(start, into_cow(text));
            }
            Event::SoftBreak | Event::HardBreak => self.add_inline(" ", &range),
            _ => {}
        }
    }

    /// Adds inline text to the open heading and paragraph.
    fn add_inline(&mut self, text: &str, range: &Range<usize>) {
        if let Some(heading) = &mut self.heading {
            heading.name.push_str(text);
            let known = heading.name_range.get_or_insert_with(|| range.clone());
            known.end = range.end;
        }
        if let Some((_, paragraph)) = &mut self.paragraph {
            paragraph.push_str(text);
        }
    }

    fn open_tag(&mut self, tag: Tag<'t>, range: Range<usize>) {
        match tag {
            // A heading in a quote or a list belongs to the text around it.
            Tag::Heading { level, .. } if self.depth == 0 => {
                self.heading = Some(OpenHeading {
                    level: level as u8,
                    start: range.start,
                    name: String::new(),
                    name_range: None,
                });
            }
            Tag::Paragraph => self.paragraph = Some((self.file_offset(range.start), String::new())),
            Tag::BlockQuote(_) | Tag::List(_) => self.depth += 1,
            Tag::CodeBlock(kind) => {
                let tag = match kind {
                    CodeBlockKind::Fenced(info) => language_of_info(&info).to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.fence = Some((tag, Vec::new()));
            }
            Tag::Link { link_type, dest_url, .. } => {
                let notation = if matches!(link_type, LinkType::WikiLink { .. }) { WIKI_LINK } else { "" };
                let start = self.file_offset(range.start);
                self.document.add_link(start, &dest_url, notation);
            }
            _ => {}
        }
    }

    fn close_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                if let Some(OpenHeading { level, start, name, name_range: Some(range) }) = self.heading.take()
                {
                    let written = self.text.get(self.body + start..).and_then(|rest| rest.lines().next());
                    let written = written.unwrap_or("").to_owned();
                    let [start, name_start, name_end] =
                        [start, range.start, range.end].map(|at| self.file_offset(at));
                    let heading = RawHeading { level, name, written, start, name_start, name_end };
                    self.document.add_heading(heading);
                }
            }
            TagEnd::Paragraph => {
                if let Some((start, text)) = self.paragraph.take() {
                    self.document.add_paragraph(start, &text);
                }
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => self.depth = self.depth.saturating_sub(1),
            TagEnd::CodeBlock => {
                let Some((tag, parts)) = self.fence.take() else { return };
                for (start, text) in parts {
                    let (positions, body) = (self.positions, self.body);
                    let offset = |at: usize| positions.file_offset(body + start + at);
                    self.document.add_code(into_cow(text), &tag, offset);
                }
            }
            _ => {}
        }
    }
}

/// Returns the language in the info string of a block: `rust` in `rust,ignore`, `python` in
/// `{.python}`.
pub(super) fn language_of_info(info: &str) -> &str {
    let info = info.trim().trim_start_matches(['{', '.']);
    let end = info
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | ':' | ';'))
        .unwrap_or(info.len());
    &info[..end]
}

fn into_cow(text: CowStr<'_>) -> Cow<'_, str> {
    match text {
        CowStr::Borrowed(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.into_string()),
    }
}
