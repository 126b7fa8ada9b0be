//! Compares the symbols that extraction finds with those of Universal Ctags, tag by tag.

mod ctags;
mod differences;

pub use ctags::Tag;
pub use differences::{Differences, Site};

use anyhow::Context;
use kenning_indexing::extract::{Extraction, Extractor};
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::walk::{WalkOptions, content_skip_reason, walk_tree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The languages that are compared: ctags' name, and Kenning's languages that it covers.
pub const COMPARED: &[(&str, &[&str])] = &[
    ("Go", &["go"]),
    ("Python", &["python"]),
    ("TypeScript", &["typescript", "tsx"]),
    ("JavaScript", &["javascript"]),
    ("Rust", &["rust"]),
    ("Java", &["java"]),
    ("C#", &["csharp"]),
    ("Ruby", &["ruby"]),
];

/// The comparison of the tags of one language in one repository with Kenning's symbols.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
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
    pub explained: BTreeMap<String, Explained>,
    /// Tags that are neither symbols nor explained.
    pub missing: Vec<Tag>,
    /// Number of symbols that ctags does not have.
    pub beyond: usize,
}

/// The tags that one reason explains.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The number of tags.
    pub count: usize,
    /// The first tag, as `path:line name (kind)`.
    pub example: String,
}

/// Compares the languages of the files in the repository at `root`: all of them, or the one that
/// `only` names.
///
/// # Errors
/// Fails if the tree cannot be walked, or if ctags fails or its output cannot be parsed.
pub fn compare(
    root: &Path,
    differences: &Differences,
    only: Option<&str>,
) -> anyhow::Result<Vec<Comparison>> {
    let root = root.canonicalize().with_context(|| root.display().to_string())?;
    let candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
    let options = WalkOptions::new(&candidate);
    let mut texts: BTreeMap<&'static str, Vec<Text>> = BTreeMap::new();
    for file in walk_tree(&root, &options)?.files {
        let bytes = std::fs::read(&file.absolute).with_context(|| file.path.clone())?;
        let language =
            LanguageRegistry::get().find_by_path(&file.path).map_or("", |language| language.language_id());
        let compared = COMPARED.iter().find(|(_, ours)| ours.contains(&language));
        let compared = compared.filter(|(name, _)| only.is_none_or(|only| only == *name));
        if let Some((name, _)) = compared
            && content_skip_reason(&file.path, &bytes, &options).is_none()
        {
            texts.entry(name).or_default().push(Text { path: file.path, language, bytes });
        }
    }
    let repo = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut comparisons = Vec::new();
    for (language, texts) in texts {
        let paths: Vec<&str> = texts.iter().map(|text| text.path.as_str()).collect();
        let mut tags = ctags::tags(&root, language, &paths)?;
        let mut comparison = Comparison { repo: repo.clone(), language, ..Comparison::default() };
        let mut extractor = Extractor::new();
        for text in &texts {
            let read = extractor.extract_with_tree(text.language, &text.bytes, None);
            comparison.add(tags.remove(&text.path).unwrap_or_default(), text, &read, differences);
        }
        comparisons.push(comparison);
    }
    Ok(comparisons)
}

struct Text {
    path: String,
    language: &'static str,
    bytes: Vec<u8>,
}

impl Comparison {
    fn add(&mut self, tags: Vec<Tag>, text: &Text, read: &Extraction, differences: &Differences) {
        self.files += 1;
        let ours: BTreeSet<(u32, &str)> =
            read.facts.symbols.iter().map(|s| (s.name_span.line + 1, s.name.as_str())).collect();
        let source = String::from_utf8_lossy(&text.bytes);
        let mut next = 0;
        let mut lines: Vec<(usize, &str)> = Vec::new();
        for line in source.split_inclusive('\n') {
            lines.push((next, line));
            next += line.len();
        }
        let mut seen: BTreeSet<(u32, String)> = BTreeSet::new();
        for tag in tags {
            if !seen.insert((tag.line, tag.name.clone())) {
                continue;
            }
            self.tags += 1;
            if ours.contains(&(tag.line, tag.name.as_str())) {
                self.found += 1;
                continue;
            }
            let (start, line) = lines.get(tag.line as usize - 1).copied().unwrap_or((0, ""));
            let at = differences::word(line, &tag.name).map(|at| start + at);
            let around = at.map_or(Vec::new(), |at| around(read, at));
            let site = Site { line, around: &around, ours: &ours };
            match differences.explain(self.language, &tag, &site) {
                Some(reason) => {
                    let example = || format!("{}:{} {} ({})", tag.path, tag.line, tag.name, tag.kind);
                    let entry = self.explained.entry(reason.to_owned());
                    entry.or_insert_with(|| Explained { count: 0, example: example() }).count += 1;
                }
                None => self.missing.push(tag),
            }
        }
        self.beyond +=
            ours.iter().filter(|(line, name)| !seen.contains(&(*line, (*name).to_owned()))).count();
    }
}

/// Returns the kinds of the syntax nodes around a byte, innermost first. Returns none if the file
/// could not be parsed.
fn around(read: &Extraction, at: usize) -> Vec<&'static str> {
    let leaf = read.tree.as_ref().and_then(|tree| tree.root_node().descendant_for_byte_range(at, at + 1));
    std::iter::successors(leaf, tree_sitter::Node::parent).map(|node| node.kind()).collect()
}
