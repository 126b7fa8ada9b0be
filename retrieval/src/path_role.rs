//! The role of a file by its path: product code, or tests, benchmarks, examples and documentation.

use kenning_graph::SymbolRef;
use kenning_graph::analysis::word_parts;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::sync::LazyLock;

/// The contents of `paths.toml`: lists of words, separated by white space.
#[derive(Deserialize)]
struct PathRulesFile {
    folders: String,
    words: String,
    last_words: String,
    stems: String,
}

/// The words of `paths.toml` that mark secondary paths, in lower case.
struct PathRules {
    folders: FxHashSet<String>,
    words: FxHashSet<String>,
    last_words: FxHashSet<String>,
    stems: FxHashSet<String>,
}

static RULES: LazyLock<PathRules> = LazyLock::new(|| {
    let file: PathRulesFile =
        toml::from_str(include_str!("../data/paths.toml")).expect("paths.toml is checked by a test");
    let parse_words = |words: String| words.split_whitespace().map(str::to_owned).collect();
    PathRules {
        folders: parse_words(file.folders),
        words: parse_words(file.words),
        last_words: parse_words(file.last_words),
        stems: parse_words(file.stems),
    }
});

/// Whether the file at `path` contains tests, benchmarks, examples or documentation.
pub fn is_secondary_path(path: &str) -> bool {
    let (folders, name) = split_folder(path);
    are_secondary_folders(folders) || is_secondary_name(name)
}

/// Computes [`is_secondary_path`] for many paths, and classifies each folder only once.
#[derive(Default)]
pub(crate) struct PathRoles<'a> {
    folders: FxHashMap<&'a str, bool>,
}

impl<'a> PathRoles<'a> {
    /// Returns the same as the function [`is_secondary_path`].
    pub fn is_secondary_path(&mut self, path: &'a str) -> bool {
        let (folders, name) = split_folder(path);
        *self.folders.entry(folders).or_insert_with(|| are_secondary_folders(folders))
            || is_secondary_name(name)
    }
}

fn split_folder(path: &str) -> (&str, &str) {
    kenning_graph::paths::split_folder(path)
}

fn are_secondary_folders(folders: &str) -> bool {
    let rules = &*RULES;
    folders.split('/').any(|folder| {
        has_word(&rules.folders, folder) || name_words(folder).any(|word| has_word(&rules.words, word))
    })
}

fn is_secondary_name(name: &str) -> bool {
    let rules = &*RULES;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    has_word(&rules.stems, stem)
        || name_words(stem).any(|word| has_word(&rules.words, word))
        // These words count only as the last of several.
        || name_words(stem).skip(1).last().is_some_and(|word| has_word(&rules.last_words, word))
}

/// Whether a symbol is a test or is in a file of tests, benchmarks, examples or documentation.
pub fn is_secondary(symbol: &SymbolRef<'_>) -> bool {
    symbol.is_test || is_secondary_path(symbol.path)
}

fn name_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(word_parts)
}

/// Whether a set of lower-case words contains a word, ignoring case.
fn has_word(set: &FxHashSet<String>, word: &str) -> bool {
    if word.chars().any(char::is_uppercase) { set.contains(&word.to_lowercase()) } else { set.contains(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_benchmarks_examples_and_docs_are_secondary() {
        for path in [
            "tests/test_app.py",
            "src/test/java/a/FooTest.java",
            "pkg/server_test.go",
            "src/app.spec.ts",
            "spec/app_spec.rb",
            "Ocelot.UnitTests/Foo.cs",
            "crates/core/benches/x.rs",
            "examples/hello.rs",
            "docs_src/tutorial/main.py",
            "lib/test_helper.rb",
            "conftest.py",
            "web/__tests__/a.js",
            "TestFoo.java",
        ] {
            assert!(is_secondary_path(path), "{path}");
        }
    }

    #[test]
    fn product_code_is_not_secondary() {
        for path in [
            "src/flask/testing.py",
            "src/latest/contest.py",
            "openapi/spec.go",
            "lib/attest.rs",
            "src/inspector.ts",
            "documents/model.rb",
            "",
            "/",
        ] {
            assert!(!is_secondary_path(path), "{path}");
        }
    }
}
