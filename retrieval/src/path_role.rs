//! What a path says of its file: product code, or tests, benchmarks, examples and documentation.

use kenning_graph::SymbolRef;
use kenning_graph::analysis::parts;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Deserialize)]
struct File {
    folders: String,
    words: String,
    last_words: String,
    stems: String,
}

struct Rules {
    folders: FxHashSet<String>,
    words: FxHashSet<String>,
    last_words: FxHashSet<String>,
    stems: FxHashSet<String>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let file: File =
        toml::from_str(include_str!("../data/paths.toml")).expect("paths.toml is checked by a test");
    let set = |words: String| words.split_whitespace().map(str::to_owned).collect();
    Rules {
        folders: set(file.folders),
        words: set(file.words),
        last_words: set(file.last_words),
        stems: set(file.stems),
    }
});

/// Whether the file at `path` holds tests, benchmarks, examples or documentation.
pub fn is_secondary_path(path: &str) -> bool {
    let rules = &*RULES;
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let has_word = |text: &str| words(text).any(|word| rules.words.contains(&word));
    if folders.split('/').any(|folder| rules.folders.contains(&folder.to_lowercase()) || has_word(folder)) {
        return true;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let last = words(stem).last();
    let several = words(stem).nth(1).is_some();
    rules.stems.contains(&stem.to_lowercase())
        || has_word(stem)
        || (several && last.is_some_and(|word| rules.last_words.contains(&word)))
}

/// Whether a symbol is a test or stands in a file of tests, benchmarks, examples or documentation.
pub fn is_secondary(symbol: &SymbolRef<'_>) -> bool {
    symbol.is_test || is_secondary_path(symbol.path)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(parts).map(str::to_lowercase)
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
    fn product_code_is_not() {
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
