//! Compares the symbols that extraction finds with the tags of Universal Ctags.
//!
//! The input is a tree. [`compare_symbols`] reads its files by language, runs ctags on them
//! (`ctags`), and extracts the symbols of each file. A tag counts as found if a symbol has its name
//! on its line. Otherwise the table of [`CtagsDifferences`] may explain it, or it is missing. The output
//! is one [`SymbolComparison`] per language, with the missing tags and the number of symbols that
//! ctags does not have.

mod ctags;
mod differences;
mod repositories;

pub use ctags::Tag;
pub use differences::{CtagsDifferences, TagContext};
pub use repositories::{ComparedRepository, listed_repositories};

use anyhow::Context;
use kenning_indexing::extract::{Extraction, Extractor};
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::walk::{WalkOptions, content_skip_reason, walk_tree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The languages to compare: ctags' name, and the ids of Kenning's languages that it covers. ctags
/// has no parser for Dart, Scala, Swift and Zig.
pub const COMPARED_LANGUAGES: &[(&str, &[&str])] = &[
    ("Go", &["go"]),
    ("Python", &["python"]),
    ("TypeScript", &["typescript", "tsx"]),
    ("JavaScript", &["javascript"]),
    ("Rust", &["rust"]),
    ("Java", &["java"]),
    ("C#", &["csharp"]),
    ("Ruby", &["ruby"]),
    ("C", &["c"]),
    ("C++", &["cpp"]),
    ("ObjectiveC", &["objc"]),
    ("PHP", &["php"]),
    ("Kotlin", &["kotlin"]),
    ("Lua", &["lua"]),
    ("Sh", &["bash"]),
    ("Elixir", &["elixir"]),
    ("Haskell", &["haskell"]),
    ("OCaml", &["ocaml", "ocaml_interface"]),
    ("SQL", &["sql"]),
    ("Protobuf", &["proto"]),
];

/// The comparison of the tags of one language in one repository with Kenning's symbols.
#[derive(Clone, Debug, Default)]
pub struct SymbolComparison {
    /// Name of the repository's folder.
    pub repo: String,
    /// The name of the language in ctags.
    pub language: &'static str,
    /// Number of indexed files of the language.
    pub files: usize,
    /// Number of tags with distinct lines and names.
    pub tags: usize,
    /// Number of tags for which Kenning has a symbol with the same name on the same line.
    pub found: usize,
    /// Tags that `ctags-differences.toml` explains, by reason.
    pub explained: BTreeMap<String, ExplainedTags>,
    /// Tags that are neither symbols nor explained.
    pub missing: Vec<MissingTag>,
    /// Number of symbols that ctags does not have.
    pub beyond: usize,
}

/// A tag that is neither a symbol nor explained.
#[derive(Clone, Debug)]
pub struct MissingTag {
    /// The tag.
    pub tag: Tag,
    /// Kinds of the syntax nodes around its name, innermost first.
    pub node_kinds: Vec<String>,
}

/// The tags that one reason explains.
#[derive(Clone, Debug)]
pub struct ExplainedTags {
    /// The number of tags.
    pub count: usize,
    /// The first tag, as `path:line name (kind)`.
    pub example: String,
}

/// Restricts a comparison to a part of a repository.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComparedPart<'a> {
    /// ctags' name of the only language to compare.
    pub language: Option<&'a str>,
    /// Prefixes of the paths to compare. An empty list compares all paths.
    pub path_prefixes: &'a [String],
}

/// Compares the symbols of a part of the repository at `root`, language by language.
///
/// # Errors
/// Fails if the tree cannot be walked, or if ctags fails or its output cannot be parsed.
pub fn compare_symbols(
    root: &Path,
    differences: &CtagsDifferences,
    part: ComparedPart,
) -> anyhow::Result<Vec<SymbolComparison>> {
    let root = root.canonicalize().with_context(|| root.display().to_string())?;
    let candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
    let options = WalkOptions::new(&candidate);
    let mut files_by_language: BTreeMap<&'static str, Vec<SourceFile>> = BTreeMap::new();
    for file in walk_tree(&root, &options)?.files {
        if !part.path_prefixes.is_empty() && !part.path_prefixes.iter().any(|p| file.path.starts_with(p)) {
            continue;
        }
        let bytes = std::fs::read(&file.absolute).with_context(|| file.path.clone())?;
        let language = LanguageRegistry::get().find_by_file(&file.path, &bytes);
        let language = language.map_or("", |language| language.language_id());
        let compared = COMPARED_LANGUAGES.iter().find(|(_, languages)| languages.contains(&language));
        let compared = compared.filter(|(name, _)| part.language.is_none_or(|only| only == *name));
        if let Some((name, _)) = compared
            && content_skip_reason(&file.path, &bytes, &options).is_none()
        {
            let source_file = SourceFile { path: file.path, language, bytes };
            files_by_language.entry(name).or_default().push(source_file);
        }
    }
    let repo = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut comparisons = Vec::new();
    for (language, files) in files_by_language {
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let mut tags = ctags::run_ctags(&root, language, &paths)?;
        let mut comparison = SymbolComparison { repo: repo.clone(), language, ..SymbolComparison::default() };
        let mut extractor = Extractor::new();
        for file in &files {
            let extraction = extractor.extract_with_tree(file.language, &file.bytes, None);
            comparison.add_file(tags.remove(&file.path).unwrap_or_default(), file, &extraction, differences);
        }
        comparisons.push(comparison);
    }
    Ok(comparisons)
}

struct SourceFile {
    path: String,
    language: &'static str,
    bytes: Vec<u8>,
}

impl SymbolComparison {
    /// Adds the tags and symbols of one file to the comparison.
    fn add_file(
        &mut self,
        tags: Vec<Tag>,
        file: &SourceFile,
        extraction: &Extraction,
        differences: &CtagsDifferences,
    ) {
        self.files += 1;
        let known_symbols: BTreeSet<(u32, &str)> =
            extraction.facts.symbols.iter().map(|s| (s.name_span.line + 1, s.name.as_str())).collect();
        let source = String::from_utf8_lossy(&file.bytes);
        let mut line_start = 0;
        let mut lines: Vec<(usize, &str)> = Vec::new();
        for line in source.split_inclusive('\n') {
            lines.push((line_start, line));
            line_start += line.len();
        }
        let mut seen: BTreeSet<(u32, String)> = BTreeSet::new();
        for tag in tags {
            if !seen.insert((tag.line, tag.name.clone())) {
                continue;
            }
            self.tags += 1;
            if known_symbols.contains(&(tag.line, tag.name.as_str())) {
                self.found += 1;
                continue;
            }
            let (start, line) = lines.get(tag.line as usize - 1).copied().unwrap_or((0, ""));
            let at = differences::find_word(line, &tag.name).map(|at| start + at);
            let node_kinds = at.map_or_else(Vec::new, |at| enclosing_node_kinds(extraction, at));
            let context = TagContext { line, node_kinds: &node_kinds, symbols: &known_symbols };
            match differences.explain(self.language, &tag, &context) {
                Some(reason) => {
                    let example = || format!("{}:{} {} ({})", tag.path, tag.line, tag.name, tag.kind);
                    let entry = self.explained.entry(reason.to_owned());
                    entry.or_insert_with(|| ExplainedTags { count: 0, example: example() }).count += 1;
                }
                None => self.missing.push(MissingTag {
                    tag,
                    node_kinds: node_kinds.into_iter().map(str::to_owned).collect(),
                }),
            }
        }
        self.beyond +=
            known_symbols.iter().filter(|(line, name)| !seen.contains(&(*line, (*name).to_owned()))).count();
    }
}

/// Returns the kinds of the syntax nodes around a byte, innermost first; empty if the file could
/// not be parsed.
fn enclosing_node_kinds(extraction: &Extraction, at: usize) -> Vec<&str> {
    let leaf =
        extraction.tree.as_ref().and_then(|tree| tree.root_node().descendant_for_byte_range(at, at + 1));
    std::iter::successors(leaf, tree_sitter::Node::parent).map(|node| node.kind()).collect()
}
