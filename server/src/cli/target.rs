//! The symbol that a person means: by its name, its id, or a place in a file.

use super::files::in_workspace;
use crate::answer;
use crate::session::lines::{Encoding, LineIndex, Position};
use anyhow::bail;
use kenning_graph::{FileId, Snapshot, SymbolId};
use kenning_indexing::workspace::TextProvider;
use kenning_retrieval::features::symbol_at;
use std::path::Path;

/// The symbols that `wanted` may mean, the likeliest first; at least one.
pub fn find(
    root: &Path,
    snapshot: &Snapshot,
    text: &TextProvider,
    wanted: &str,
) -> anyhow::Result<Vec<SymbolId>> {
    let Some(place) = Place::read(wanted) else { return Ok(vec![answer::find_symbol(snapshot, wanted)?]) };
    let path = in_workspace(root, Path::new(place.file))?;
    let Some(file) = snapshot.file_by_path(&path) else {
        bail!("{path} is not in the index; name a place in a source file of the workspace");
    };
    match symbol_in(snapshot, text, file, &path, &place) {
        Some(found) => Ok(vec![found]),
        None => bail!("no symbol stands at line {} of {path}; name a line inside a definition", place.line),
    }
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`, both from 1.
#[derive(Debug, PartialEq, Eq)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: Option<u32>,
}

impl<'a> Place<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|&n| n > 0);
        let (head, last) = text.rsplit_once(':')?;
        let last = number(last)?;
        let with_column = head.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?)));
        let (file, line, column) = match with_column {
            Some((file, line)) => (file, line, Some(last)),
            None => (head, last, None),
        };
        (!file.is_empty()).then_some(Self { file, line, column })
    }
}

/// With a column what stands there; without one what the line declares, else the innermost definition around it.
fn symbol_in(
    snapshot: &Snapshot,
    text: &TextProvider,
    file: FileId,
    path: &str,
    place: &Place<'_>,
) -> Option<SymbolId> {
    let line = place.line - 1;
    if let Some(column) = place.column {
        let text = text.text(path, &snapshot.file(file)?.content_hash)?;
        // People count characters.
        let position = Position { line, character: column - 1 };
        let offset = LineIndex::new(&text).offset(&text, position, Encoding::Utf32)?;
        return Some(symbol_at(snapshot, file, u32::try_from(offset).ok()?)?.symbol());
    }
    let symbols = snapshot.file_symbols(file).into_iter().skip(1).filter_map(|id| snapshot.symbol(id));
    let around = symbols.filter(|s| (s.span.start_line..=s.span.end_line).contains(&line));
    around
        .min_by_key(|s| (s.name_span.line != line, s.span.end_line - s.span.start_line, s.name_span.start))
        .map(|s| s.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_names() {
        let place = |text| Place::read(text).map(|p| (p.file, p.line, p.column));
        assert_eq!(place("src/a.py:12"), Some(("src/a.py", 12, None)));
        assert_eq!(place("src/a.py:12:5"), Some(("src/a.py", 12, Some(5))));
        assert_eq!(place("C:\\a.py:12"), Some(("C:\\a.py", 12, None)));
        assert_eq!(place("a b.py:1"), Some(("a b.py", 1, None)));
        for name in ["Cart.add", "src/a.py::Cart.add", "a.py:0", "a.py:x", ":3", "12", "a.py:"] {
            assert_eq!(place(name), None, "{name}");
        }
    }
}
