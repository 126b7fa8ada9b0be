//! A position in a file as people and answers write it: `FILE:LINE`, `FILE:LINE:COLUMN`, or
//! `FILE:LINE-LINE` as packs cite lines.
//!
//! Invariant: lines and columns start at 1 in the text, and at 0 in the snapshot.

use kenning_graph::{FileId, Snapshot, SymbolId};

/// A position in a file; line and column start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenPosition<'a> {
    /// The path of the file, as it was written.
    pub file: &'a str,
    /// The line, or the first one of a range.
    pub line: u32,
    /// The column in characters.
    pub column: Option<u32>,
}

impl<'a> WrittenPosition<'a> {
    /// Reads a position; `None` if the text does not end with a line.
    pub fn parse(text: &'a str) -> Option<Self> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
        let (head, last) = text.rsplit_once(':')?;
        let (last, is_range) = match last.split_once('-') {
            Some((first, end)) => (number(end).and(number(first))?, true),
            None => (number(last)?, false),
        };
        let with_column = head.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?)));
        let (file, line, column) = match with_column.filter(|_| !is_range) {
            Some((file, line)) => (file, line, Some(last)),
            None => (head, last, None),
        };
        (!file.is_empty()).then_some(Self { file, line, column })
    }

    /// Returns the symbol that the line declares, else the innermost definition around it. `None` if
    /// the file is not in the index by this path, or if there is no definition.
    pub fn find_definition(&self, snapshot: &Snapshot) -> Option<SymbolId> {
        definition_on_line(snapshot, snapshot.file_by_path(self.file)?, self.line - 1)
    }
}

/// Returns the path of a file without the position after it, for arguments that name whole files.
/// `exists` says whether a path is that of a file.
pub fn without_position(path: &str, exists: impl Fn(&str) -> bool) -> &str {
    match WrittenPosition::parse(path) {
        Some(position) if !exists(path) => position.file,
        _ => path,
    }
}

/// Returns the symbol that a line declares, else the innermost definition that contains it. Lines
/// start at 0.
pub fn definition_on_line(snapshot: &Snapshot, file: FileId, line: u32) -> Option<SymbolId> {
    let symbols = snapshot.file_symbols(file).into_iter().skip(1).filter_map(|id| snapshot.symbol(id));
    let enclosing = symbols.filter(|s| (s.span.start_line..=s.span.end_line).contains(&line));
    enclosing
        .min_by_key(|s| (s.name_span.line != line, s.span.end_line - s.span.start_line, s.name_span.start))
        .map(|s| s.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_distinguished_from_names() {
        let position = |text| WrittenPosition::parse(text).map(|p| (p.file, p.line, p.column));
        assert_eq!(position("src/a.py:12"), Some(("src/a.py", 12, None)));
        assert_eq!(position("src/a.py:12:5"), Some(("src/a.py", 12, Some(5))));
        assert_eq!(position("src/a.py:12-40"), Some(("src/a.py", 12, None)));
        assert_eq!(position("C:\\a.py:12"), Some(("C:\\a.py", 12, None)));
        assert_eq!(position("a b.py:1"), Some(("a b.py", 1, None)));
        for name in ["Cart.add", "src/a.py::Cart.add", "a.py:0", "a.py:x", ":3", "12", "a.py:", "a.py:3-x"] {
            assert_eq!(position(name), None, "{name}");
        }
    }

    #[test]
    fn a_list_of_files_may_name_lines() {
        assert_eq!(without_position("a.py:12", |path| path == "a.py"), "a.py");
        assert_eq!(without_position("a:12", |path| path == "a:12"), "a:12");
    }
}
