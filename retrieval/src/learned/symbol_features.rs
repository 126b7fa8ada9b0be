//! Features of a candidate that do not depend on the task: kind, size, connections and file.

use crate::path_role::is_secondary;
use kenning_graph::{EdgeKind, Snapshot, SymbolKind, SymbolRef, Visibility};
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The names of the columns, in the order of the values of `candidate_values`.
pub(super) const NAMES: [&str; 22] = [
    "kind",
    "is_type",
    "callable_kind",
    "is_public",
    "is_test",
    "is_secondary",
    "lines",
    "parameters",
    "doc_bytes",
    "users",
    "uses",
    "members",
    "container_depth",
    "path_depth",
    "has_generic_stem",
    "has_legacy_path",
    "is_declaration_file",
    "language",
    "file_lines",
    "place_in_file",
    "name_bytes",
    "overriding_symbols",
];

#[derive(Deserialize)]
struct FileWordsTable {
    generic_stems: String,
    legacy_words: String,
    declaration_endings: Vec<String>,
    languages: Vec<String>,
}

/// Words in paths that mark generic, legacy and declaration files, from `data/file_words.toml`.
struct FileWords {
    generic_stems: HashSet<String>,
    legacy_words: HashSet<String>,
    declaration_endings: Vec<String>,
    languages: Vec<String>,
}

static WORDS: LazyLock<FileWords> = LazyLock::new(|| {
    let file: FileWordsTable = toml::from_str(include_str!("../../data/file_words.toml"))
        .expect("file_words.toml is checked by a test");
    let set = |words: String| words.split_whitespace().map(str::to_owned).collect();
    FileWords {
        generic_stems: set(file.generic_stems),
        legacy_words: set(file.legacy_words),
        declaration_endings: file.declaration_endings,
        languages: file.languages,
    }
});

/// Returns the features of a candidate. If the task asks for tests, tests count as product code.
pub(super) fn candidate_values(
    snapshot: &Snapshot,
    symbol: &SymbolRef<'_>,
    asks_for_tests: bool,
) -> [f32; NAMES.len()] {
    let (mut users, mut uses, mut members, mut overriding_symbols) = (0u32, 0u32, 0u32, 0u32);
    snapshot.for_each_in_edge(symbol.id, |edge| {
        users += u32::from(edge.kind.is_use());
        overriding_symbols += u32::from(edge.kind == EdgeKind::Overrides);
    });
    snapshot.for_each_out_edge(symbol.id, |edge| {
        uses += u32::from(edge.kind.is_use());
        members += u32::from(edge.kind == EdgeKind::Contains);
    });
    let file_lines = symbol.file.and_then(|file| snapshot.file(file)).map_or(1, |file| file.lines.max(1));
    let (folders, file) = kenning_graph::paths::split_folder(symbol.path);
    let stem = file.split('.').next().unwrap_or("");
    let is_legacy = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| WORDS.legacy_words.contains(&word.to_lowercase()))
    };
    let language = WORDS.languages.iter().position(|language| language == symbol.language);
    let segments =
        |text: &str, separator: char| text.split(separator).filter(|part| !part.is_empty()).count();
    let flag = |on: bool| f32::from(u8::from(on));
    [
        f32::from(symbol.kind.number()),
        flag(symbol.kind.is_type()),
        // 0 for symbols that cannot be called, 1 for functions and methods, 2 for constructors.
        flag(symbol.kind.is_callable()) + flag(symbol.kind == SymbolKind::Constructor),
        flag(symbol.visibility == Visibility::Public),
        flag(symbol.is_test && !asks_for_tests),
        flag(is_secondary(symbol) && !asks_for_tests),
        (symbol.span.end_line.saturating_sub(symbol.span.start_line) + 1) as f32,
        symbol.arity.map_or(-1.0, f32::from),
        symbol.doc_text().len() as f32,
        users as f32,
        uses as f32,
        members as f32,
        segments(symbol.container, '.') as f32,
        segments(folders, '/') as f32,
        flag(WORDS.generic_stems.contains(stem)),
        flag(is_legacy(symbol.path)),
        flag(WORDS.declaration_endings.iter().any(|ending| file.ends_with(ending.as_str()))),
        language.map_or(-1.0, |at| at as f32),
        file_lines as f32,
        symbol.span.start_line as f32 / file_lines as f32,
        symbol.name.len() as f32,
        overriding_symbols as f32,
    ]
}
