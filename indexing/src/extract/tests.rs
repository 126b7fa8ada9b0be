//! Tests of extraction: a fixture per language, and properties that hold for any input.

mod any_input;
mod bash;
mod build_files;
mod c;
mod components;
mod cpp;
mod csharp;
mod dart;
mod documents;
mod elixir;
mod error_recovery;
mod go;
mod haskell;
mod java;
mod javascript;
mod kotlin;
mod lua;
mod macro_items;
mod objc;
mod ocaml;
mod patterns;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod text;
mod tsx;
mod typescript;
mod zig;

use super::{Extractor, render_facts};
use expect_test::{Expect, ExpectFile};

/// Compares the rendered facts of a source text with the expected ones.
fn check(language: &str, source: &str, expected: Expect) {
    let facts = Extractor::new().extract_file(language, source.as_bytes());
    expected.assert_eq(&render_facts(&facts));
}

/// Compares the rendered facts of a source text with those in a file, for fixtures that cover a
/// whole language.
fn check_file(language: &str, source: &str, expected: &ExpectFile) {
    let facts = Extractor::new().extract_file(language, source.as_bytes());
    expected.assert_eq(&render_facts(&facts));
}
