//! A readable layout of JSON with few tokens: one line for each field, and one for each entry of a
//! list.

use serde_json::ser::Formatter;
use std::io::{Result, Write};

/// Deepest level of nesting whose entries have their own lines: the lists of the outermost object.
const ROW_DEPTH: usize = 2;

/// Breaks lines before the fields of the outermost object and the entries of its lists; writes
/// everything else without spaces.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowFormatter {
    depth: usize,
}

impl RowFormatter {
    fn begin_entry<W: Write + ?Sized>(self, writer: &mut W, first: bool, has_lines: bool) -> Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if has_lines { break_line(writer, self.depth) } else { Ok(()) }
    }
}

fn break_line<W: Write + ?Sized>(writer: &mut W, indentation: usize) -> Result<()> {
    writer.write_all(b"\n")?;
    writer.write_all(&b"  "[..indentation.min(ROW_DEPTH)])
}

impl Formatter for RowFormatter {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        writer.write_all(b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.begin_entry(writer, first, self.depth <= ROW_DEPTH)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            break_line(writer, 0)?;
        }
        writer.write_all(b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.begin_entry(writer, first, self.depth < ROW_DEPTH)
    }
}
