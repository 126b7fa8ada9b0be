//! Documentation: the comments before a declaration, and docstrings, without their markers.

use super::tree_scan::TreeScan;
use crate::languages::LanguageRow;

/// Maximum length of documentation in bytes. Manuals in comments fill pages. The rest is cut off.
pub(super) const MAX_DOC_BYTES: usize = 2_000;

/// Comments for linters and formatters, which are not documentation.
const DIRECTIVES: &[&str] = &[
    "rubocop:",
    "eslint",
    "@ts-",
    "prettier-ignore",
    "biome-ignore",
    "noqa",
    "type:",
    "pylint:",
    "istanbul",
];

/// The decorators and documentation before a declaration.
pub(crate) struct LeadingDocs {
    /// Start of the declaration, including the decorators before it.
    pub start: u32,
    /// The documentation.
    pub doc: String,
    /// Starts of the comments that form the documentation.
    pub comments: Vec<u32>,
}

/// Reads backwards from a declaration, collecting the decorators and comments directly before it.
pub(crate) fn read_leading_docs(start: u32, text: &str, scan: &TreeScan, row: &LanguageRow) -> LeadingDocs {
    let bytes = text.as_bytes();
    let mut out = LeadingDocs { start, doc: String::new(), comments: Vec::new() };
    let mut at = start;
    let mut parts: Vec<&str> = Vec::new();
    loop {
        let mut end = at;
        let mut newlines = 0;
        while end > 0 && bytes[end as usize - 1].is_ascii_whitespace() {
            end -= 1;
            newlines += u32::from(bytes[end as usize] == b'\n');
        }
        if let Some(&decoration) = scan.decorations.get(&end).filter(|_| newlines <= 1) {
            at = decoration;
            out.start = decoration;
        } else if let Some(&comment) = scan.comments.get(&end).filter(|_| newlines <= 1) {
            // A comment after code belongs to that code.
            let line_start = text[..comment as usize].rfind('\n').map_or(0, |at| at + 1);
            if !text[line_start..comment as usize].trim().is_empty() {
                break;
            }
            parts.push(&text[comment as usize..end as usize]);
            out.comments.push(comment);
            at = comment;
        } else {
            break;
        }
    }
    parts.reverse();
    out.doc = clean_comments(&parts, row);
    if at == 0 && ["Copyright", "SPDX-License", "Licensed"].iter().any(|marker| out.doc.contains(marker)) {
        (out.doc, out.comments) = (String::new(), Vec::new());
    }
    out
}

/// Joins comments without their markers, at most [`MAX_DOC_BYTES`] bytes.
fn clean_comments(comments: &[&str], row: &LanguageRow) -> String {
    let mut out = String::new();
    for comment in comments {
        for line in comment.lines() {
            let line = strip_marker(line.trim(), row);
            if DIRECTIVES.iter().any(|directive| line.starts_with(directive)) {
                continue;
            }
            let line = if row.xml_docs { strip_tags(line) } else { line.to_owned() };
            if out.is_empty() && line.is_empty() {
                continue;
            }
            out.push_str(line.trim_end());
            out.push('\n');
            if out.len() > MAX_DOC_BYTES {
                return super::expressions::truncate_at_char(&out, MAX_DOC_BYTES).trim_end().to_owned();
            }
        }
    }
    out.trim_end().to_owned()
}

/// Removes the comment markers from a line. A directive for a tool becomes empty.
fn strip_marker<'a>(line: &'a str, row: &LanguageRow) -> &'a str {
    if ["//go:", "//nolint", "//line ", "#!"].iter().any(|directive| line.starts_with(directive)) {
        return "";
    }
    let ends = [("/*", "*/"), ("(*", "*)"), ("{-", "-}")];
    let mut ends =
        ends.iter().filter(|(begin, _)| *begin == "/*" || row.comment_marks.iter().any(|mark| mark == begin));
    let line = ends.find_map(|(_, end)| line.strip_suffix(end)).unwrap_or(line).trim_end();
    let common_markers = ["///", "//!", "//", "/**", "/*!", "/*", "=begin", "=end", "#:"];
    for marker in row.comment_marks.iter().map(String::as_str).chain(common_markers) {
        if let Some(rest) = line.strip_prefix(marker) {
            return rest.strip_prefix(' ').unwrap_or(rest);
        }
    }
    let line =
        if line.starts_with('#') { line.trim_start_matches('#') } else { line.trim_start_matches('*') };
    line.strip_prefix(' ').unwrap_or(line)
}

/// Removes the XML tags from a line, except for the names in their attributes.
fn strip_tags(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('>') else {
            rest = &rest[open..];
            break;
        };
        // Keep the name in `<see cref="Foo"/>`.
        let tag = &rest[open..open + close];
        if let Some(reference) = tag.split('"').nth(1) {
            out.push_str(reference);
        }
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    out.trim().to_owned()
}

/// Returns the content of a docstring, dedented, at most [`MAX_DOC_BYTES`] bytes.
pub(crate) fn clean_docstring(content: &str) -> String {
    let lines = content.trim().lines();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common_indent =
        lines.clone().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let mut out = String::new();
    for (at, line) in lines.enumerate() {
        let line = if at == 0 { line } else { line.get(common_indent.min(indent(line))..).unwrap_or(line) };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    super::expressions::truncate_at_char(out.trim_end(), MAX_DOC_BYTES).trim_end().to_owned()
}
