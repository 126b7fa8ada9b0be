//! AsciiDoc, line by line: titles, paragraphs, delimited blocks, links and cross-references.

use super::outline::{RawDocument, RawHeading};
use crate::extract::expressions::truncate_at_char;
use std::borrow::Cow;

/// Maximum length of the target of a link in bytes, so that a long line with many openings and no
/// ends is read in linear time.
const MAX_TARGET_BYTES: usize = 300;

/// The marks around blocks of code or verbatim text.
const VERBATIM: &[&str] = &["----", "....", "++++", "```"];
/// The macros whose target is the path of a file.
const LINK_MACROS: &[&str] = &["link:", "xref:", "include::", "image::"];

/// Reads an AsciiDoc text into `document`.
pub(super) fn read_asciidoc<'t>(text: &'t str, document: &mut RawDocument<'t>) {
    let mut reader = AsciidocReader { text, document, block: None, tag: "", paragraph: None };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let next = start + line.len();
        reader.read_line(start, line.trim_end(), next);
        start = next;
    }
    reader.end_block(text.len());
    reader.end_paragraph();
}

/// A delimited block: its mark and the first byte of its content. Comments have no content.
struct OpenBlock<'t> {
    mark: &'t str,
    start: usize,
    tag: &'t str,
}

/// The state of reading: the open block and the open paragraph.
struct AsciidocReader<'r, 't> {
    text: &'t str,
    document: &'r mut RawDocument<'t>,
    block: Option<OpenBlock<'t>>,
    /// The language that the attributes of the next block give.
    tag: &'t str,
    /// The first byte and the text of the open paragraph.
    paragraph: Option<(usize, String)>,
}

impl<'t> AsciidocReader<'_, 't> {
    /// Reads a line without its end. `next` is the first byte of the line after it.
    fn read_line(&mut self, start: usize, line: &'t str, next: usize) {
        if let Some(block) = &self.block {
            if line == block.mark {
                self.end_block(start);
            }
            return;
        }
        if line.trim().is_empty() || line.starts_with("//") && !line.starts_with("////") {
            self.end_paragraph();
            return;
        }
        let is_run =
            |mark: &&&str| line.starts_with(**mark) && line.bytes().all(|byte| byte == mark.as_bytes()[0]);
        let fence = line.strip_prefix("```").filter(|info| !info.contains('`'));
        if line.starts_with("////") || fence.is_some() || VERBATIM.iter().find(is_run).is_some() {
            self.end_paragraph();
            let tag = fence.filter(|info| !info.is_empty()).unwrap_or(std::mem::take(&mut self.tag));
            let mark = if fence.is_some() { &line[..3] } else { line };
            self.block = Some(OpenBlock { mark, start: next, tag });
            return;
        }
        if let Some((level, name)) = split_title(line) {
            self.end_paragraph();
            let name_start = start + line.len() - name.len();
            let name_end = start + line.len();
            self.document.add_heading(RawHeading {
                level,
                name: plain_text(name),
                written: line.to_owned(),
                start: start as u32,
                name_start: name_start as u32,
                name_end: name_end as u32,
            });
            self.read_links(start, line);
            self.tag = "";
            return;
        }
        if line.starts_with('[') && line.ends_with(']') && !line.starts_with("[[") {
            let attributes = line[1..line.len() - 1].split(',').map(str::trim).collect::<Vec<_>>();
            if attributes.first().is_some_and(|style| style.starts_with("source")) {
                self.tag = attributes.get(1).copied().unwrap_or("");
            }
            return;
        }
        // Skip an attribute of the document, such as `:toc:`.
        if line.starts_with(':') && line[1..].contains(':') && self.paragraph.is_none() {
            return;
        }
        self.read_links(start, line);
        if line.starts_with("include::") {
            return;
        }
        self.read_spans(start, line);
        let (_, paragraph) = self.paragraph.get_or_insert_with(|| (start, String::new()));
        paragraph.push_str(&plain_text(line));
        paragraph.push(' ');
    }

    fn end_block(&mut self, end: usize) {
        let Some(OpenBlock { mark, start, tag }) = self.block.take() else { return };
        if !mark.starts_with('/') && start < end {
            let code = Cow::Borrowed(&self.text[start..end]);
            self.document.add_code(code, tag, |at| (start + at) as u32);
        }
    }

    fn end_paragraph(&mut self) {
        if let Some((start, text)) = self.paragraph.take() {
            self.document.add_paragraph(start as u32, &text);
        }
    }

    /// Adds the spans of code in a line; the rest is prose.
    fn read_spans(&mut self, start: usize, line: &'t str) {
        let mut at = 0;
        let mut parts = line.split('`').peekable();
        let mut in_code = false;
        while let Some(part) = parts.next() {
            if in_code && parts.peek().is_some() {
                // The form `+text+` is verbatim.
                let code = part.trim_matches('+');
                let offset = part.len() - part.trim_start_matches('+').len();
                self.document.add_span((start + at + offset) as u32, Cow::Borrowed(code));
            } else if !part.trim().is_empty() {
                self.document.add_prose((start + at) as u32, Cow::Borrowed(part));
            }
            at += part.len() + 1;
            in_code = !in_code;
        }
    }

    fn read_links(&mut self, start: usize, line: &str) {
        for mark in LINK_MACROS {
            for (at, _) in line.match_indices(mark) {
                let target = truncate_at_char(&line[at + mark.len()..], MAX_TARGET_BYTES);
                if let Some(end) = target.find('[') {
                    self.document.add_link((start + at) as u32, &target[..end], "");
                }
            }
        }
        for (at, _) in line.match_indices("<<") {
            let target = truncate_at_char(&line[at + 2..], MAX_TARGET_BYTES);
            if let Some(end) = target.find(">>") {
                let target = target[..end].split(',').next().unwrap_or("").trim();
                let is_path = target.contains('#') || target.contains(".adoc");
                let target = if is_path { target.to_owned() } else { ["#", target].concat() };
                self.document.add_link((start + at) as u32, &target, "");
            }
        }
    }
}

/// Splits a title into its level and its text. The title of the document has the level 1.
fn split_title(line: &str) -> Option<(u8, &str)> {
    let mark = if line.starts_with('#') { '#' } else { '=' };
    let level = line.len() - line.trim_start_matches(mark).len();
    let name = line[level..].strip_prefix(' ')?.trim_start();
    ((1..=6).contains(&level) && !name.is_empty()).then_some((level as u8, name))
}

fn plain_text(line: &str) -> String {
    line.replace(['`', '*'], "").trim().to_owned()
}
