//! Runs the checks of the fuzz targets on parts of the seeds with random changes.
//!
//! `KENNING_CASES` sets the number of inputs for each language.

#[path = "../../fuzz/src/lib.rs"]
mod fuzz;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Byte sequences that parsers treat specially.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b"<",
    b">",
    b"\"",
    b"'",
    b"`",
    b"\"\"\"",
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b"\\",
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"/*",
    b"*/",
    b"//",
    b"#",
    b"=",
    b"=>",
    b"::",
    b"class ",
    b"def ",
    b"fn ",
    b"import ",
    b"end\n",
    b"if ",
    b"<<~X\n",
    b"${",
    b"#{",
    b"@",
    b"\xf0\x9f\xa6\x80",
];

/// A change to a text: its position, the number of removed bytes, and the piece to insert.
type RandomChange = (u16, u8, prop::sample::Index);

fn apply_changes(seed: &[u8], changes: &[RandomChange]) -> Vec<u8> {
    let mut text = seed.to_vec();
    for (at, removed, piece) in changes {
        let at = text.len() * usize::from(*at) / 65_536;
        let end = (at + usize::from(*removed) / 8).min(text.len());
        text.splice(at..end, piece.get(PIECES).iter().copied());
    }
    text
}

fn check_language(language: &str) {
    let cases = std::env::var("KENNING_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    let seed =
        std::fs::read(format!("{}/fuzz/seeds/{language}", env!("CARGO_MANIFEST_DIR"))).expect("a seed");
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    // Every run has the same inputs; a higher number of cases adds inputs at the end.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let changes = prop::collection::vec(any::<RandomChange>(), 0..6);
    let input = (any::<[u8; 3]>(), any::<u16>(), 0..2_000_usize, changes);
    let result = runner.run(&input, |(header, from, length, changes)| {
        let body = &seed[3..];
        let from = body.len() * usize::from(from) / 65_536;
        let part = &body[from..(from + length).min(body.len())];
        fuzz::check_language(language, &[&header[..], &apply_changes(part, &changes)].concat());
        Ok(())
    });
    if let Err(error) = result {
        panic!("{language}: {error}");
    }
}

macro_rules! languages {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            check_language(stringify!($name));
        }
    )* };
}

languages!(go python typescript tsx javascript vue svelte rust java csharp ruby c cpp objc php kotlin swift);
languages!(scala lua dart elixir bash zig haskell ocaml ocaml_interface sql proto compose dockerfile terraform);
languages!(graphql makefile cmake manifest);
languages!(github_actions gitlab_ci kubernetes openapi dotenv);
languages!(markdown mdx restructuredtext asciidoc jupyter);

#[test]
fn every_language_has_a_seed_and_a_target() {
    for language in kenning_indexing::languages::LanguageRegistry::get().all_languages() {
        for file in
            [format!("seeds/{}", language.language_id()), format!("targets/{}.rs", language.language_id())]
        {
            let path = format!("{}/fuzz/{file}", env!("CARGO_MANIFEST_DIR"));
            assert!(std::path::Path::new(&path).is_file(), "{file} is missing from indexing/fuzz");
        }
    }
}
