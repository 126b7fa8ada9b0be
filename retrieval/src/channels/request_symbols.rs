//! Finds the symbols of requests about files or changes: all symbols of a file, or those at changed
//! and removed lines.

use crate::channels::is_result_kind;
use crate::query::locations;
use crate::request::ChangedFile;
use kenning_graph::{FileId, Snapshot, SymbolId};
use rustc_hash::FxHashSet;

/// Returns the symbols of the files at `paths`, in that order, and the paths that are not in the
/// snapshot.
pub(crate) fn file_symbols(snapshot: &Snapshot, paths: &[String]) -> (Vec<SymbolId>, Vec<String>) {
    let whole_files: Vec<ChangedFile> =
        paths.iter().map(|path| ChangedFile { path: path.clone(), ..ChangedFile::default() }).collect();
    changed_symbols(snapshot, &whole_files)
}

/// Returns the symbols that changed lines touch (all symbols of a file without lines), and the
/// paths that are not in the snapshot.
pub(crate) fn changed_symbols(snapshot: &Snapshot, files: &[ChangedFile]) -> (Vec<SymbolId>, Vec<String>) {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut unknown = Vec::new();
    for file in files {
        let path = file.path.trim_start_matches("./");
        let Some(id) = snapshot.code_file_by_path(path) else {
            unknown.push(file.path.clone());
            continue;
        };
        for symbol in touched_symbols(snapshot, id, file) {
            if seen.insert(symbol) {
                found.push(symbol);
            }
        }
    }
    (found, unknown)
}

fn touched_symbols(snapshot: &Snapshot, id: FileId, file: &ChangedFile) -> Vec<SymbolId> {
    let symbols: Vec<_> = snapshot
        .file_symbols(id)
        .into_iter()
        .filter_map(|id| snapshot.symbol(id))
        .filter(|s| is_result_kind(s.kind))
        .collect();
    let ranges = &file.lines;
    if ranges.is_empty() && file.removed_after.is_empty() {
        return symbols.iter().map(|s| s.id).collect();
    }
    let is_changed = |line: u32| ranges.iter().any(|&(first, last)| first <= line && line <= last);
    let mut found: Vec<SymbolId> =
        symbols.iter().filter(|s| is_changed(s.name_span.line + 1)).map(|s| s.id).collect();
    let lines = snapshot.file(id).map_or(0, |f| f.lines);
    for &(first, last) in ranges {
        found.extend(
            (first..=last.min(lines)).filter_map(|line| locations::enclosing_symbol(snapshot, id, line)),
        );
    }
    found.extend(file.removed_after.iter().filter_map(|&line| symbol_around_gap(snapshot, id, line)));
    found.sort_unstable();
    found.dedup();
    symbols.iter().map(|s| s.id).filter(|id| found.contains(id)).collect()
}

/// Returns the symbol from which lines after the 1-based `line` were removed: the innermost one
/// that continues after that line. If there is none, the removed lines were the last of a symbol,
/// and the result is the symbol that encloses the line.
fn symbol_around_gap(snapshot: &Snapshot, file: FileId, line: u32) -> Option<SymbolId> {
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    let continuing =
        symbols.filter(|s| is_result_kind(s.kind) && s.span.start_line < line && line <= s.span.end_line);
    let innermost = continuing.min_by_key(|s| (s.span.end_line - s.span.start_line, s.id)).map(|s| s.id);
    innermost.or_else(|| locations::enclosing_symbol(snapshot, file, line))
}
