//! Checks the names in the product's crates (`CONTRIBUTING.md`, "Names"): few public types have
//! one-word names, no two public types of a crate share a name, and function names are phrases.

use super::Finding;
use super::checkout::TextFile;
use super::rust_text::{FunctionExtent, find_functions, is_word_char, line_of, split_layers, without_tests};
use std::collections::BTreeMap;

/// The crates whose names are checked.
pub const CRATES: [&str; 5] = ["graph", "indexing", "enrichment", "retrieval", "server"];

/// Maximum share of public types with a one-word name per crate, in percent.
const MAX_ONE_WORD_PERCENT: usize = 35;

/// Minimum average number of words in function names per crate, in tenths.
const MIN_WORDS_TENTHS: usize = 19;

/// Function names that say nothing about the function.
const MEANINGLESS_NAMES: [&str; 6] = ["of", "put", "place", "said", "told", "look"];

const TYPE_KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "union", "type"];

/// The counts of a crate's names.
#[derive(Debug, Default)]
pub struct NameCounts {
    pub public_types: usize,
    pub one_word_types: usize,
    pub functions: usize,
    pub function_words: usize,
}

/// Returns the product sources of a crate, without tests or fixtures.
pub fn product_sources<'a>(sources: &'a [TextFile], crate_folder: &str) -> Vec<&'a TextFile> {
    let folder = format!("{crate_folder}/src/");
    let is_test = |part: &str| part == "tests" || part == "tests.rs";
    sources.iter().filter(|s| s.path.starts_with(&folder) && !s.path.split('/').any(is_test)).collect()
}

/// Counts the names of a crate and returns a finding for each name that is not allowed.
pub fn check_crate(sources: &[&TextFile]) -> (NameCounts, Vec<Finding>) {
    let mut counts = NameCounts::default();
    let mut findings = Vec::new();
    let mut definitions: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for source in sources {
        let code = without_tests(&split_layers(&source.text).code);
        for (name, offset) in public_types(&code) {
            counts.public_types += 1;
            counts.one_word_types += usize::from(count_camel_words(name) == 1);
            definitions
                .entry(name.to_owned())
                .or_default()
                .push((source.path.clone(), line_of(&code, offset)));
        }
        for FunctionExtent { name, line, .. } in find_functions(&code) {
            counts.functions += 1;
            counts.function_words += name.split('_').filter(|word| !word.is_empty()).count();
            if MEANINGLESS_NAMES.contains(&name.as_str()) {
                findings.push(Finding {
                    file: source.path.clone(),
                    line,
                    problem: format!("a function is called `{name}`"),
                    advice: "Name what it returns or changes (CONTRIBUTING.md, \"Names\")",
                });
            }
        }
    }
    for (name, mut positions) in definitions {
        // Equal names in one file are variants of one type for different operating systems.
        positions.dedup_by(|a, b| a.0 == b.0);
        if positions.len() > 1 {
            let (file, line) = positions.remove(0);
            let others: Vec<String> = positions.iter().map(|(file, line)| format!("{file}:{line}")).collect();
            findings.push(Finding {
                file,
                line,
                problem: format!("the type `{name}` shares its name with {}", others.join(", ")),
                advice: "Give each a name that says what it is (CONTRIBUTING.md, \"Names\")",
            });
        }
    }
    (counts, findings)
}

/// Returns a finding for each limit that the counts of a crate break.
pub fn check_counts(crate_folder: &str, counts: &NameCounts) -> Vec<Finding> {
    let finding = |problem: String| Finding {
        file: format!("{crate_folder}/src"),
        line: 1,
        problem,
        advice: "Rename what you added (CONTRIBUTING.md, \"Names\")",
    };
    let mut findings = Vec::new();
    if counts.one_word_types * 100 > counts.public_types * MAX_ONE_WORD_PERCENT {
        findings.push(finding(format!(
            "{} of {} public types have one-word names, more than {MAX_ONE_WORD_PERCENT}%",
            counts.one_word_types, counts.public_types
        )));
    }
    if counts.function_words * 10 < counts.functions * MIN_WORDS_TENTHS {
        findings.push(finding(format!(
            "the names of {} functions have {} words, fewer than {}.{} on average",
            counts.functions,
            counts.function_words,
            MIN_WORDS_TENTHS / 10,
            MIN_WORDS_TENTHS % 10
        )));
    }
    findings
}

/// Returns the public types, including `pub(super)` and `pub(crate)`, with the offset of each name.
fn public_types(code: &str) -> Vec<(&str, usize)> {
    let mut types = Vec::new();
    for (at, _) in code.match_indices("pub") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| is_word_char(c) || c == '(') {
            continue;
        }
        let mut rest = code[at + 3..].trim_start();
        if let Some(inside) = rest.strip_prefix('(') {
            let Some(end) = inside.find(')') else { continue };
            rest = inside[end + 1..].trim_start();
        }
        let Some(rest) = TYPE_KEYWORDS
            .iter()
            .find_map(|keyword| rest.strip_prefix(keyword).filter(|rest| rest.starts_with(' ')))
        else {
            continue;
        };
        let rest = rest.trim_start();
        let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        types.push((&rest[..end], code.len() - rest.len()));
    }
    types
}

/// Returns the number of words in a camel-case name. An acronym counts as one word.
fn count_camel_words(name: &str) -> usize {
    let letters: Vec<char> = name.chars().collect();
    let starts_word = |at: usize| {
        let (before, here, after) = (letters[at - 1], letters[at], letters.get(at + 1));
        here.is_uppercase() && (!before.is_uppercase() || after.is_some_and(|c| c.is_lowercase()))
    };
    1 + (1..letters.len()).filter(|&at| starts_word(at)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name_are_counted() {
        for (name, words) in [("Span", 1), ("FileFacts", 2), ("LSPClient", 2), ("HttpURL", 2), ("SHA", 1)] {
            assert_eq!(count_camel_words(name), words, "{name}");
        }
    }

    #[test]
    fn meaningless_names_and_shared_names_are_found() {
        let text = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let first =
            text("graph/src/a.rs", "pub struct FileFacts;\nstruct Own;\nfn of() {}\npub fn read_file() {}\n");
        let second = text("graph/src/b.rs", "pub(super) enum FileFacts {}\n");
        let (counts, findings) = check_crate(&[&first, &second]);
        assert_eq!((counts.public_types, counts.one_word_types), (2, 0));
        assert_eq!((counts.functions, counts.function_words), (2, 3));
        assert_eq!(findings.len(), 2, "{findings:?}");
    }

    #[test]
    fn too_many_short_names_are_found() {
        let short = NameCounts { public_types: 100, one_word_types: 36, functions: 10, function_words: 18 };
        assert_eq!(check_counts("graph", &short).len(), 2);
        let long = NameCounts { public_types: 100, one_word_types: 35, functions: 10, function_words: 19 };
        assert_eq!(check_counts("graph", &long), []);
    }
}
