//! The groups in which the text forms show the symbols of a pack, and their order for reading.

use super::wording::no_match_statement;
use crate::answer::AnsweredPack;
use kenning_graph::SymbolKind;
use kenning_retrieval::{Pack, PackGroup};
use std::collections::HashMap;

/// The groups of symbols, in the order of the text forms.
pub const GROUPS: [PackGroup; 4] =
    [PackGroup::Pinned, PackGroup::Subject, PackGroup::Related, PackGroup::Tests];

/// The heading of the sections of documents.
pub const DOCUMENTATION_HEADING: &str = "Documentation";

/// Returns the heading of a group, which depends on the kind of request.
pub fn group_heading(answer: &AnsweredPack, group: PackGroup) -> &'static str {
    match group {
        PackGroup::Pinned => "Pinned",
        PackGroup::Subject if answer.change.is_some() => "Changed",
        PackGroup::Subject if answer.pack.task.is_empty() => "In these files",
        PackGroup::Subject if no_match_statement(&answer.pack).is_some() => "Closest",
        PackGroup::Subject => "Change here",
        PackGroup::Related => "Related",
        PackGroup::Tests => "Tests",
        PackGroup::Documentation => DOCUMENTATION_HEADING,
    }
}

/// Returns the indices of a group's symbols in reading order: the file of the best symbol first,
/// and the symbols of a file by line, before the rest of the file.
pub fn reading_order(pack: &Pack, group: PackGroup) -> Vec<usize> {
    let mut members: Vec<usize> =
        (0..pack.symbols.len()).filter(|&at| pack.symbols[at].group == group).collect();
    let mut files: HashMap<&str, usize> = HashMap::new();
    for &at in &members {
        let next = files.len();
        files.entry(&pack.symbols[at].file).or_insert(next);
    }
    members.sort_by_key(|&at| {
        let symbol = &pack.symbols[at];
        let is_rest = symbol.kind == SymbolKind::File;
        (files[symbol.file.as_str()], is_rest, symbol.text_line, symbol.line, at)
    });
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::samples::{empty_answer, sample_symbol};
    use kenning_retrieval::DetailLevel;

    #[test]
    fn files_keep_their_rank_and_symbols_their_line() {
        let mut answer = empty_answer("a task");
        for (file, line) in [("b.py", 30), ("a.py", 7), ("b.py", 2), ("a.py", 9)] {
            let mut symbol = sample_symbol("x", 0, DetailLevel::Name, None);
            (symbol.file, symbol.line, symbol.text_line) = (file.to_owned(), line, line);
            answer.pack.symbols.push(symbol);
        }
        assert_eq!(reading_order(&answer.pack, PackGroup::Subject), [2, 0, 1, 3]);
        answer.pack.symbols[2].kind = SymbolKind::File;
        assert_eq!(reading_order(&answer.pack, PackGroup::Subject), [0, 2, 1, 3]);
        assert_eq!(reading_order(&answer.pack, PackGroup::Tests), [0; 0]);
        assert_eq!(group_heading(&answer, PackGroup::Subject), "Change here");
        answer.pack.task.clear();
        assert_eq!(group_heading(&answer, PackGroup::Subject), "In these files");
    }
}
