//! The registry of languages.
//!
//! A language consists of a row of `languages.toml` (file names, node kinds, special names), a
//! tree-sitter grammar and its queries. [`LanguageRegistry::get`] loads the rows once. A
//! language's queries and tables of node kinds are compiled when its first file is read. The
//! registry finds a language by id, by path, or by the `#!` line of a file without an extension.
//!
//! A row describes a language with data. Behavior that data cannot express is in the language's
//! dialect (`extract/dialects`).

#[cfg(test)]
mod added_language_test;
mod family_rules;
mod file_claims;
mod grammars;
#[cfg(feature = "language-pack")]
mod installed_grammars;
mod key_path_rules;
mod language_row;
mod node_kinds;

use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

pub(crate) use family_rules::{DefinedResource, FamilyRules, PackageRules, VisibleRegion};
pub(crate) use file_claims::CLAIM_BYTES;
pub(crate) use grammars::{Grammar, find_highlight_query};
pub(crate) use key_path_rules::{KeyPathFact, KeyPathRule, PathPart};
pub use language_row::{ClauseKey, LanguageRow, OverloadKey};
pub(crate) use node_kinds::{ExpressionRule, KindFlags, KindTable};

use crate::bounded_parse::bound_allocations;
use crate::extract::LanguagePatterns;

/// Number of bytes in which [`LanguageRow::line_markers`] are searched for.
const MAX_MARKED_BYTES: usize = 64 * 1024;

/// Number of bytes of a `#!` line that are read: the interpreter and its first options.
const MAX_SHEBANG_BYTES: usize = 200;

/// A language: its row, and its grammar with everything that is compiled from it on first use.
pub struct Language {
    /// The row of `languages.toml`.
    pub row: LanguageRow,
    pub(crate) grammar: &'static Grammar,
    compiled: OnceLock<CompiledLanguage>,
}

/// Everything that is derived once from a language's grammar, queries and row.
pub(crate) struct CompiledLanguage {
    pub language: tree_sitter::Language,
    pub patterns: LanguagePatterns,
    pub kinds: KindTable,
}

impl Language {
    /// Creates a language with its grammar, without compiling anything.
    fn new(mut row: LanguageRow, grammar: &'static Grammar) -> Self {
        if row.family.is_empty() {
            row.family.clone_from(&row.id);
        }
        Self { row, grammar, compiled: OnceLock::new() }
    }

    /// Returns the language id (`"go"`, `"tsx"`, ...).
    pub fn language_id(&self) -> &str {
        &self.row.id
    }

    /// Whether the files of the language are documents rather than code.
    pub fn is_document(&self) -> bool {
        self.row.document.is_some()
    }

    /// Returns an example of a path that belongs to the language: `folder/stem.ext`, or, for a
    /// language of named files, `folder/stem/name`. If the row claims the extension by keys, the
    /// path belongs to the language only if the text of the file has these keys.
    pub fn example_path(&self, folder: &str, stem: &str) -> String {
        let row = &self.row;
        if let Some(extension) = row.extensions.first().or(row.claimed_extensions.first()) {
            return format!("{folder}/{stem}.{extension}");
        }
        let name = row.file_names.first().or(row.paths.first()).map_or(stem, String::as_str);
        format!("{folder}/{stem}/{}", name.replace('*', stem))
    }

    /// Returns the tree-sitter grammar of the language.
    pub fn tree_sitter_language(&self) -> tree_sitter::Language {
        self.grammar.tree_sitter_language()
    }

    /// Returns the compiled queries and tables, compiling them on first use.
    pub(crate) fn get_or_compile(&self) -> &CompiledLanguage {
        self.compiled.get_or_init(|| {
            let language = self.tree_sitter_language();
            // Queries are part of the program; a test compiles all of them.
            let patterns = LanguagePatterns::compile_sources(&language, self.grammar.queries)
                .expect("an embedded query compiles");
            let mut kinds = KindTable::new(&language, &self.row);
            kinds.mark_inspected_kinds(|kind| patterns.needs_children(kind));
            CompiledLanguage { language, patterns, kinds }
        })
    }
}

/// A grammar that the user has installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledGrammar {
    /// The id of its language.
    pub language: String,
    /// The reason why files of the language have no symbols; `None` if they have symbols.
    pub problem: Option<String>,
}

/// All supported languages.
pub struct LanguageRegistry {
    all: Vec<Language>,
    families: Vec<FamilyRules>,
    not_code: FxHashSet<String>,
    installed: Vec<InstalledGrammar>,
    installed_fingerprint: u32,
    hidden_paths: Vec<String>,
}

/// The content of `languages.toml`.
#[derive(Deserialize)]
struct LanguageTable {
    not_code: Vec<String>,
    hidden_paths: Vec<String>,
    language: Vec<LanguageRow>,
    family: Vec<FamilyRules>,
}

static LANGUAGES: LazyLock<LanguageRegistry> = LazyLock::new(|| {
    let table: LanguageTable =
        toml::from_str(include_str!("../languages.toml")).expect("languages.toml is part of the program");
    bound_allocations();
    let all = table.language.into_iter().filter_map(|row| {
        let grammar = grammars::GRAMMARS.iter().find(|g| g.id == row.id)?;
        Some(Language::new(row, grammar))
    });
    let registry = LanguageRegistry {
        all: all.collect(),
        families: table.family,
        not_code: table.not_code.into_iter().collect(),
        hidden_paths: table.hidden_paths,
        installed: Vec::new(),
        installed_fingerprint: 0,
    };
    #[cfg(feature = "language-pack")]
    let registry = registry.with_installed_grammars();
    registry
});

impl LanguageRegistry {
    /// Returns the registry, loading it on first use.
    pub fn get() -> &'static Self {
        &LANGUAGES
    }

    #[cfg(feature = "language-pack")]
    fn with_installed_grammars(mut self) -> Self {
        let installed = installed_grammars::load_grammars(|name| self.find_by_id(name).is_some());
        self.all.extend(installed.languages);
        self.installed = installed.grammars;
        self.installed_fingerprint = installed.fingerprint;
        self
    }

    /// Returns the grammars that the user has installed, in the order of their names. A build
    /// without the feature `language-pack` has none.
    pub fn installed_grammars(&self) -> &[InstalledGrammar] {
        &self.installed
    }

    /// Returns a number that differs if an installed grammar differs; 0 if there are none.
    pub fn installed_fingerprint(&self) -> u32 {
        self.installed_fingerprint
    }

    /// Returns every language, in the order of `languages.toml`, and then the installed ones.
    pub fn all_languages(&self) -> &[Language] {
        &self.all
    }

    /// Returns the rules of the families whose resolution is data, in the order of
    /// `languages.toml`.
    pub(crate) fn family_rules(&self) -> &[FamilyRules] {
        &self.families
    }

    /// Keeps the extensions, in lowercase, of files that may hold code of a language that is not in
    /// the registry.
    pub(crate) fn keep_unknown_code(
        &self,
        mut extensions: BTreeMap<String, usize>,
    ) -> BTreeMap<String, usize> {
        extensions.retain(|extension, _| !self.not_code.contains(extension));
        extensions
    }

    /// Finds the language with this id.
    pub fn find_by_id(&self, id: &str) -> Option<&Language> {
        self.all.iter().find(|l| l.row.id == id)
    }

    /// Finds the language of a path, by its whole file name or its extension (ignoring ASCII case).
    pub fn find_by_path(&self, path: impl AsRef<Path>) -> Option<&Language> {
        let path = path.as_ref();
        let name = path.file_name()?.to_str()?;
        if let Some(language) = self.all.iter().find(|l| l.row.file_names.iter().any(|n| n == name)) {
            return Some(language);
        }
        let is_at_path =
            |l: &&Language| l.row.paths.iter().any(|end| file_claims::matches_path_end(path, name, end));
        if let Some(language) = self.all.iter().find(is_at_path) {
            return Some(language);
        }
        let extension = path.extension()?.to_str()?;
        let mut languages = self.all.iter();
        let language = languages.find(|l| l.row.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension)));
        language.or_else(|| self.find_installed(path))
    }

    /// Finds the installed language to which the name of a file belongs.
    #[cfg(feature = "language-pack")]
    fn find_installed(&self, path: &Path) -> Option<&Language> {
        if self.installed.is_empty() {
            return None;
        }
        let id = installed_grammars::language_id_of_path(path)?;
        self.find_by_id(id).filter(|_| self.installed.iter().any(|grammar| grammar.language == id))
    }

    /// Returns `None`, because a build without `language-pack` loads no grammars.
    #[cfg(not(feature = "language-pack"))]
    #[allow(clippy::unused_self, reason = "the other build needs it")]
    fn find_installed(&self, _: &Path) -> Option<&Language> {
        None
    }

    /// Finds the language of a file by its path, and by its text if languages share the extension.
    /// If the path does not identify a language, the beginning of the text
    /// [may](Self::may_be_claimed).
    pub fn find_by_file(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Option<&Language> {
        let path = path.as_ref();
        self.find_by_markers(path, bytes)
            .or_else(|| self.find_by_path(path))
            .or_else(|| self.find_by_beginning(path, bytes))
    }

    /// Finds the language of a file whose path does not identify it by the beginning of its text:
    /// by its `#!` line or by its top-level keys.
    pub fn find_by_beginning(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Option<&Language> {
        let Some(extension) = path.as_ref().extension() else { return self.find_by_shebang(bytes) };
        let claims = |l: &&Language| {
            has_extension(&l.row.claimed_extensions, extension)
                && file_claims::has_top_level_keys(bytes, &l.row.claiming_keys)
        };
        self.all.iter().find(claims)
    }

    /// Whether the beginning of a file's text may identify its language: the path does not, and the
    /// name has no extension or one that a language claims by keys.
    pub fn may_be_claimed(&self, path: impl AsRef<Path>) -> bool {
        let path = path.as_ref();
        let is_claimed =
            |extension: &OsStr| self.all.iter().any(|l| has_extension(&l.row.claimed_extensions, extension));
        path.extension().is_none_or(is_claimed) && self.find_by_path(path).is_none()
    }

    /// Whether a hidden file or folder is part of a workspace. `parts` are the parts of its path
    /// from the root, and `hidden_from` is the index of the first hidden one.
    pub(crate) fn includes_hidden_path(&self, parts: &[&str], is_folder: bool, hidden_from: usize) -> bool {
        file_claims::is_listed_hidden_path(parts, is_folder, hidden_from, &self.hidden_paths)
    }

    /// Finds the first language that claims a file by [`LanguageRow::line_markers`]. Reads only the
    /// first [`MAX_MARKED_BYTES`] bytes and skips block comments.
    fn find_by_markers(&self, path: &Path, bytes: &[u8]) -> Option<&Language> {
        let extension = path.extension()?.to_str()?;
        let claims = |l: &&Language| {
            l.row.marked_extensions.iter().any(|e| e.eq_ignore_ascii_case(extension))
                && has_marked_line(bytes, &l.row.line_markers)
        };
        self.all.iter().find(claims)
    }

    /// Finds the language of a script by the interpreter in its `#!` line.
    pub fn find_by_shebang(&self, bytes: &[u8]) -> Option<&Language> {
        let line = bytes.strip_prefix(b"#!")?.split(|&b| b == b'\n' || b == b'\r').next()?;
        let line = std::str::from_utf8(line.get(..line.len().min(MAX_SHEBANG_BYTES))?).ok()?;
        let mut words = line.split_ascii_whitespace().map(|w| w.rsplit('/').next().unwrap_or(w));
        let mut interpreter = words.next()?;
        if interpreter == "env" {
            interpreter = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
        }
        self.all.iter().find(|l| l.row.shebangs.iter().any(|s| s == interpreter))
    }
}

/// Whether a line outside block comments begins with one of the markers.
fn has_marked_line(bytes: &[u8], markers: &[String]) -> bool {
    let mut in_comment = false;
    bytes[..bytes.len().min(MAX_MARKED_BYTES)].split(|&b| b == b'\n').any(|line| {
        let was_comment = in_comment;
        if let Some(mark) = line.windows(2).rposition(|pair| pair == b"/*" || pair == b"*/") {
            in_comment = line[mark] == b'/';
        }
        let line = line.trim_ascii_start();
        !was_comment && markers.iter().any(|marker| line.starts_with(marker.as_bytes()))
    })
}

fn has_extension(list: &[String], extension: &OsStr) -> bool {
    list.iter().any(|listed| extension.eq_ignore_ascii_case(listed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_shebangs_determine_the_language() {
        let id = |path: &str| LanguageRegistry::get().find_by_path(path).map(Language::language_id);
        assert_eq!(id("a/b.go"), Some("go"));
        assert_eq!(id("x.PY"), Some("python"));
        assert_eq!(id("x.unknown"), None);
        assert_eq!(id("README"), None);
        let documents = ["a.md", "a.markdown", "a.mdx", "a.rst", "a.adoc", "a.ipynb"].map(id);
        assert_eq!(
            documents.map(Option::unwrap_or_default),
            ["markdown", "markdown", "mdx", "restructuredtext", "asciidoc", "jupyter"]
        );
        let manifests =
            ["package.json", "a/dev-requirements.txt", "requirements/dev.txt", "a/libs.versions.toml"];
        assert_eq!(manifests.map(id), [Some("manifest"); 4]);
        assert_eq!(["notes.txt", "versions.toml", "setup.py"].map(id), [None, None, Some("python")]);
        let id_by_shebang =
            |line: &str| LanguageRegistry::get().find_by_shebang(line.as_bytes()).map(Language::language_id);
        assert_eq!(id_by_shebang("#!/usr/bin/env -S python3 -u\n"), Some("python"));
        assert_eq!(id_by_shebang("#!/bin/zz"), None);
        assert_eq!(id_by_shebang("#!"), None);
        assert_eq!(id_by_shebang("#!/usr/bin/ruby\rputs 1"), Some("ruby"));
        let id_by_file = |path| {
            LanguageRegistry::get().find_by_file(path, b"#!/bin/env node\n").map(Language::language_id)
        };
        assert_eq!(
            [id_by_file("bin/a"), id_by_file("a.go"), id_by_file("a.md")],
            [Some("javascript"), Some("go"), Some("markdown")]
        );
    }

    #[test]
    fn the_text_of_a_header_determines_its_language() {
        let id = |text: &str| {
            LanguageRegistry::get().find_by_file("a.h", text.as_bytes()).map(Language::language_id)
        };
        assert_eq!(id("#pragma once\nstruct A { int b; };\n"), Some("c"));
        assert_eq!(id("/* class of\nclass of things */\nint f(void);"), Some("c"));
        assert_eq!(id("#pragma once\nnamespace a {\n}\n"), Some("cpp"));
        assert_eq!(id("struct A {\n public:\n  int b;\n};\n"), Some("cpp"));
    }

    #[test]
    fn every_row_has_a_grammar_and_every_grammar_a_row() {
        let table: LanguageTable = toml::from_str(include_str!("../languages.toml")).expect("parses");
        let mut rows: Vec<_> = table.language.iter().map(|r| r.id.as_str()).collect();
        let mut grammars: Vec<_> = grammars::GRAMMARS.iter().map(|g| g.id).collect();
        rows.sort_unstable();
        grammars.sort_unstable();
        assert_eq!(rows, grammars);
    }

    #[test]
    fn every_query_compiles() {
        for language in LanguageRegistry::get().all_languages() {
            let grammar = language.grammar.tree_sitter_language();
            if let Err(error) = LanguagePatterns::compile_sources(&grammar, language.grammar.queries) {
                panic!("{}: {error}", language.language_id());
            }
        }
    }

    #[test]
    fn every_kind_and_field_of_a_row_exists_in_its_grammar() {
        for language in LanguageRegistry::get().all_languages() {
            let grammar = language.grammar.tree_sitter_language();
            let missing = node_kinds::missing_kinds(&grammar, &language.row);
            assert!(missing.is_empty(), "{}: {missing:?}", language.language_id());
        }
    }
}
