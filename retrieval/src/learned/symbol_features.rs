//! Features of a candidate that do not depend on the task: kind, size, connections and file.

use crate::path_role::is_secondary;
use kenning_graph::{EdgeKind, Snapshot, SymbolKind, SymbolRef, Visibility};
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::LazyLock;

pub(super) const NAMES: [&str; 22] = [
    "kind",
    "is_type",
    "is_callable",
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
    "has_old_path",
    "is_declaration_file",
    "language",
    "file_lines",
    "place_in_file",
    "name_bytes",
    "overrides",
];

#[derive(Deserialize)]
struct FileWords {
    generic_stems: String,
    old_words: String,
    declaration_endings: Vec<String>,
    languages: Vec<String>,
}

/// The words about files, from `data/file_words.toml`.
struct FileRules {
    generic_stems: HashSet<String>,
    old_words: HashSet<String>,
    declaration_endings: Vec<String>,
    languages: Vec<String>,
}

static RULES: LazyLock<FileRules> = LazyLock::new(|| {
    let file: FileWords = toml::from_str(include_str!("../../data/file_words.toml"))
        .expect("file_words.toml is checked by a test");
    let set = |words: String| words.split_whitespace().map(str::to_owned).collect();
    FileRules {
        generic_stems: set(file.generic_stems),
        old_words: set(file.old_words),
        declaration_endings: file.declaration_endings,
        languages: file.languages,
    }
});

pub(super) fn candidate_values(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> [f32; NAMES.len()] {
    let (mut users, mut uses, mut members, mut overrides) = (0u32, 0u32, 0u32, 0u32);
    snapshot.for_each_in_edge(symbol.id, |edge| {
        users += u32::from(edge.kind.is_use());
        overrides += u32::from(edge.kind == EdgeKind::Overrides);
    });
    snapshot.for_each_out_edge(symbol.id, |edge| {
        uses += u32::from(edge.kind.is_use());
        members += u32::from(edge.kind == EdgeKind::Contains);
    });
    let file_lines = symbol.file.and_then(|file| snapshot.file(file)).map_or(1, |file| file.lines.max(1));
    let (folders, file) = kenning_graph::paths::split_folder(symbol.path);
    let stem = file.split('.').next().unwrap_or("");
    let is_old = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric()).any(|word| RULES.old_words.contains(&word.to_lowercase()))
    };
    let language = RULES.languages.iter().position(|language| language == symbol.language);
    let segments =
        |text: &str, separator: char| text.split(separator).filter(|part| !part.is_empty()).count();
    let flag = |on: bool| f32::from(u8::from(on));
    [
        f32::from(symbol.kind.number()),
        flag(symbol.kind.is_type()),
        flag(symbol.kind.is_callable()) + flag(symbol.kind == SymbolKind::Constructor),
        flag(symbol.visibility == Visibility::Public),
        flag(symbol.is_test),
        flag(is_secondary(symbol)),
        (symbol.span.end_line.saturating_sub(symbol.span.start_line) + 1) as f32,
        symbol.arity.map_or(-1.0, f32::from),
        symbol.doc_text().len() as f32,
        users as f32,
        uses as f32,
        members as f32,
        segments(symbol.container, '.') as f32,
        segments(folders, '/') as f32,
        flag(RULES.generic_stems.contains(stem)),
        flag(is_old(symbol.path)),
        flag(RULES.declaration_endings.iter().any(|ending| file.ends_with(ending.as_str()))),
        language.map_or(-1.0, |at| at as f32),
        file_lines as f32,
        symbol.span.start_line as f32 / file_lines as f32,
        symbol.name.len() as f32,
        overrides as f32,
    ]
}
