//! reStructuredText, line by line: titles with their adornments, paragraphs, literal blocks, and
//! the directives and roles that name code or files.

use super::outline::{RawDocument, RawHeading};
use crate::extract::doc_links::split_link;
use std::borrow::Cow;

/// Roles of Sphinx whose text names code.
const CODE_ROLES: &[&str] = &[
    "attr", "class", "const", "data", "exc", "func", "meth", "mod", "obj", "type", "struct", "macro",
    "member",
];
/// Directives whose argument names code.
const CODE_DIRECTIVES: &[&str] = &[
    "autoclass",
    "autodata",
    "autoexception",
    "autofunction",
    "automethod",
    "automodule",
    "attribute",
    "class",
    "currentmodule",
    "data",
    "exception",
    "function",
    "method",
    "module",
];
/// Directives whose body is code in the language of their argument.
const BLOCK_DIRECTIVES: &[&str] = &["code", "code-block", "sourcecode"];
/// Directives whose argument is the path of a file.
const FILE_DIRECTIVES: &[&str] = &["include", "literalinclude", "image", "figure"];

/// The tag of blocks that begin with the prompt `>>>`.
const SESSION_TAG: &str = "pycon";

/// A line without its end.
#[derive(Clone, Copy)]
struct TextLine<'t> {
    start: usize,
    text: &'t str,
}

impl TextLine<'_> {
    fn indent(self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    fn is_blank(self) -> bool {
        self.text.trim().is_empty()
    }

    /// Returns the character that the line repeats, if it can adorn a title.
    fn adornment(self) -> Option<char> {
        let line = self.text.trim_end();
        let first = line.chars().next().filter(char::is_ascii_punctuation)?;
        (line.len() >= 2 && line.chars().all(|c| c == first)).then_some(first)
    }
}

/// Splits a text into lines with their first bytes.
fn split_lines(text: &str) -> Vec<TextLine<'_>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let at = start;
        start += line.len();
        TextLine { start: at, text: line.trim_end_matches(['\n', '\r']) }
    });
    lines.collect()
}

/// Reads a reStructuredText text into `document`.
pub(super) fn read_restructured_text<'t>(text: &'t str, document: &mut RawDocument<'t>) {
    let lines = split_lines(text);
    let mut reader = RstReader { lines: &lines, text, document, styles: Vec::new() };
    let mut at = 0;
    while at < lines.len() {
        at = reader.read_at(at).max(at + 1);
    }
}

/// The place of inline markup.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InlinePlace {
    /// A title, whose words the heading already has.
    Title,
    /// A line of a paragraph.
    Paragraph,
}

/// The state of reading: the lines and the title styles so far.
struct RstReader<'r, 't> {
    lines: &'r [TextLine<'t>],
    text: &'t str,
    document: &'r mut RawDocument<'t>,
    /// The adornments of titles and whether they have an overline, in the order of their first use.
    /// The position of a style is its level.
    styles: Vec<(char, bool)>,
}

impl<'t> RstReader<'_, 't> {
    /// Reads the element that begins at a line. Returns the number of the line after it.
    fn read_at(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        if line.is_blank() {
            return at + 1;
        }
        if let Some(next) = self.read_title(at) {
            return next;
        }
        let trimmed = line.text.trim_start();
        if let Some(rest) = trimmed.strip_prefix(".. ") {
            return self.read_explicit(at, rest);
        }
        if trimmed.starts_with(">>>") {
            let end = self.lines[at..]
                .iter()
                .position(|line| line.is_blank())
                .map_or(self.lines.len(), |length| at + length);
            self.add_block(at..end, SESSION_TAG);
            return end;
        }
        self.read_paragraph(at)
    }

    /// Reads a title: a line above its adornment, or between two equal adornments. Returns the
    /// number of the line after it.
    fn read_title(&mut self, at: usize) -> Option<usize> {
        let adornment = |at: usize| self.lines.get(at).and_then(|line| line.adornment());
        let overline = adornment(at);
        let title_at = if overline.is_some() { at + 1 } else { at };
        let title = *self.lines.get(title_at)?;
        let underline = adornment(title_at + 1)?;
        let width = title.text.trim().chars().count();
        let is_title = !title.is_blank()
            && title.adornment().is_none()
            && self.lines[title_at + 1].text.trim_end().len() >= width.min(4)
            && match overline {
                Some(over) => over == underline,
                None => title.indent() == 0,
            };
        if !is_title {
            return None;
        }
        let style = (underline, overline.is_some());
        let level = self.styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        let name_start = title.start + title.indent();
        let name_end = title.start + title.text.trim_end().len();
        let level = u8::try_from(level + 1).unwrap_or(u8::MAX);
        let name = plain_text(title.text.trim());
        self.document.add_heading(RawHeading {
            level,
            name,
            written: title.text.to_owned(),
            start: self.lines[at].start as u32,
            name_start: name_start as u32,
            name_end: name_end as u32,
        });
        self.read_inline(title.start, title.text, InlinePlace::Title);
        Some(title_at + 2)
    }

    /// Reads a directive, a comment or a target, which begin with `..`. `rest` is the text after
    /// the dots. Returns the number of the line after it.
    fn read_explicit(&mut self, at: usize, rest: &'t str) -> usize {
        let line = self.lines[at];
        let Some((name, argument)) = rest.split_once("::") else {
            // Comments and targets have no words.
            return if rest.trim_start().starts_with('_') { at + 1 } else { self.body_end(at) };
        };
        let name = name.trim().rsplit(':').next().unwrap_or(name);
        let argument_start = line.start + line.text.len() - argument.trim_start().len();
        let argument = argument.trim();
        if CODE_DIRECTIVES.contains(&name)
            && let Some((receiver, symbol, offset)) = split_link(argument)
        {
            self.document.add_name((argument_start + offset) as u32, symbol, receiver, "");
        }
        if FILE_DIRECTIVES.contains(&name) {
            self.document.add_link(argument_start as u32, argument, "");
        }
        if BLOCK_DIRECTIVES.contains(&name) {
            let end = self.body_end(at);
            self.add_block(at + 1..end, argument);
            return end;
        }
        if name == "toctree" {
            let end = self.body_end(at);
            for entry in &self.lines[at + 1..end] {
                let path = entry.text.trim();
                let path = path.split_once('<').map_or(path, |(_, path)| path.trim_end_matches('>'));
                if !path.is_empty() && !path.starts_with(':') {
                    self.document.add_link((entry.start + entry.indent()) as u32, path, "");
                }
            }
            return end;
        }
        if !argument.is_empty() {
            self.document.add_prose(argument_start as u32, Cow::Borrowed(argument));
        }
        // The body of any other directive is text.
        at + 1
    }

    /// Returns the end of the indented lines after a line, with the blank lines between them.
    fn body_end(&self, at: usize) -> usize {
        let indent = self.lines[at].indent();
        let mut end = at + 1;
        for (index, line) in self.lines.iter().enumerate().skip(at + 1) {
            if line.is_blank() {
                continue;
            }
            if line.indent() <= indent {
                break;
            }
            end = index + 1;
        }
        end
    }

    /// Adds a block of code, without the options of its directive.
    fn add_block(&mut self, range: std::ops::Range<usize>, tag: &str) {
        let lines = &self.lines[range];
        let is_head = |line: &&TextLine<'_>| line.is_blank() || line.text.trim_start().starts_with(':');
        let skipped = lines.iter().take_while(is_head).count();
        let (Some(first), Some(last)) = (lines.get(skipped), lines.last()) else { return };
        let start = first.start;
        let code = &self.text[start..last.start + last.text.len()];
        self.document.add_code(Cow::Borrowed(code), tag, |at| (start + at) as u32);
    }

    /// Reads a paragraph and the literal block that it announces. Returns the number of the line
    /// after them.
    fn read_paragraph(&mut self, at: usize) -> usize {
        let mut end = at;
        while self.lines.get(end).is_some_and(|line| !line.is_blank()) {
            // The line may be the first of a title.
            if end > at
                && self.lines.get(end + 1).is_some_and(|next| next.adornment().is_some())
                && self.lines[end].indent() == 0
                && self.lines[end - 1].is_blank()
            {
                break;
            }
            end += 1;
        }
        let first = self.lines[at];
        let is_field = first.text.trim_start().starts_with(':');
        let mut plain = String::new();
        for line in &self.lines[at..end] {
            self.read_inline(line.start, line.text, InlinePlace::Paragraph);
            plain.push_str(&plain_text(line.text));
            plain.push(' ');
        }
        if !is_field && first.adornment().is_none() {
            self.document.add_paragraph(first.start as u32, plain.trim().trim_end_matches(':'));
        }
        let announces_block = self.lines[end - 1].text.trim_end().ends_with("::");
        if announces_block {
            let body_end = self.body_end(end - 1);
            self.add_block(end..body_end, "");
            return body_end;
        }
        end
    }

    /// Reads the markup in a line: literals, roles, links. The rest is prose.
    fn read_inline(&mut self, start: usize, line: &'t str, place: InlinePlace) {
        let mut at = 0;
        while let Some(tick) = line[at..].find('`').map(|offset| at + offset) {
            if place == InlinePlace::Paragraph && at < tick {
                self.document.add_prose((start + at) as u32, Cow::Borrowed(&line[at..tick]));
            }
            let ticks = if line[tick..].starts_with("``") { "``" } else { "`" };
            let content_start = tick + ticks.len();
            let Some(length) = line[content_start..].find(ticks) else {
                at = content_start;
                continue;
            };
            let content = &line[content_start..content_start + length];
            self.read_interpreted(start + content_start, content, ticks, &line[..tick], place);
            at = content_start + length + ticks.len();
        }
        if place == InlinePlace::Paragraph && !line[at..].trim().is_empty() {
            self.document.add_prose((start + at) as u32, Cow::Borrowed(&line[at..]));
        }
    }

    /// Reads a literal, or interpreted text with its role.
    fn read_interpreted(
        &mut self,
        start: usize,
        content: &'t str,
        ticks: &str,
        before: &str,
        place: InlinePlace,
    ) {
        if ticks == "``" {
            self.document.add_span(start as u32, Cow::Borrowed(content));
            return;
        }
        let role = before.strip_suffix(':').map(|head| head.rsplit([':', ' ', '(']).next().unwrap_or(head));
        let (target_at, target) = match content.rfind('<').filter(|_| content.ends_with('>')) {
            Some(open) => (start + open + 1, &content[open + 1..content.len() - 1]),
            None => (start, content),
        };
        match role {
            Some(role) if CODE_ROLES.contains(&role) => {
                if let Some((receiver, name, offset)) = split_link(target) {
                    self.document.add_name((target_at + offset) as u32, name, receiver, "");
                }
            }
            Some("doc" | "download" | "file") => self.document.add_link(target_at as u32, target, ""),
            None if target_at != start => self.document.add_link(target_at as u32, target, ""),
            _ => {}
        }
        if place == InlinePlace::Paragraph {
            self.document.add_prose(start as u32, Cow::Borrowed(content));
        }
    }
}

/// Returns a line without the marks of roles, literals and emphasis, and without the targets of
/// links.
fn plain_text(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for (at, part) in line.split('`').enumerate() {
        let part = if at % 2 == 1 {
            // The content of a mark: a text may come before its target, and `~` hides the path.
            let text = part.rfind('<').filter(|_| part.ends_with('>')).map_or(part, |open| &part[..open]);
            text.trim_end().trim_start_matches('~')
        } else {
            let after_link = if at > 0 { part.trim_start_matches('_') } else { part };
            // The name of a role comes before the mark.
            match after_link.strip_suffix(':').and_then(|head| head.rfind(':')) {
                Some(colon) if !after_link[colon..].contains(char::is_whitespace) => &after_link[..colon],
                _ => after_link,
            }
        };
        out.push_str(part);
    }
    out.replace("**", "").trim().to_owned()
}
