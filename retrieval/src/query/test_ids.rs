//! Finds the tests that a text names in the forms that test runners print:
//! `tests/test_x.py::TestA::test_b[1]`, `--- FAIL: TestX/case`, `module::tests::name`,
//! `com.acme.FooTest#method`, `FAIL src/x.test.ts > suite > title`, `rspec spec/x_spec.rb:12`.
//!
//! Each line is read on its own. A line with a title names one test; otherwise each word may be an
//! id. A plain word is an id only after the mark of a test runner, such as `FAIL`
//! (`data/reports.toml`). The ids are only candidates: `named_tests` resolves them to the tests of
//! the graph.

use super::report::WORDS;
use kenning_graph::analysis::{raw_words, word_parts};
use rustc_hash::FxHashSet;

/// Maximum number of tests from one text. A long list of failing tests does not identify a code
/// location.
const MAX_TESTS: usize = 40;

/// Maximum length of an id, in bytes. The parameters of a test may contain anything.
const MAX_BYTES: usize = 300;

/// The id of a test in a text. The test need not exist in the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TestId {
    /// The file as written, with `/` as the separator; empty if none is named.
    pub path: String,
    /// 1-based line in the file.
    pub line: Option<u32>,
    /// Names from the outermost to the test's own; empty if it has only titles.
    pub names: Vec<String>,
    /// Titles of suites and of the test.
    pub titles: Vec<String>,
    /// The whole id as in the text, where `test_words` replaces it.
    pub written: String,
}

/// The mark of a test runner that is also a word of prose. Rust prints `test name ... ok`.
const PROSE_MARK: &str = "test";

/// Words in a test's name that only mark it as a test.
const TEST_WORDS: [&str; 5] = ["test", "tests", "spec", "should", "it"];

impl TestId {
    /// Returns the words of the test's own name, or of its titles, that describe the code under
    /// test.
    pub(super) fn test_words(&self) -> String {
        let name = self.names.last().map_or_else(|| self.titles.join(" "), Clone::clone);
        let words: Vec<&str> = raw_words(&name).flat_map(word_parts).collect();
        let is_descriptive = |word: &&str| !TEST_WORDS.contains(&word.to_lowercase().as_str());
        words.into_iter().filter(is_descriptive).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the tests that `text` names, each once, in the order of the text.
pub(super) fn scan_test_ids(text: &str) -> Vec<TestId> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for line in text.lines() {
        for test in test_ids_in_line(line) {
            let key = (test.path.clone(), test.line, test.names.clone(), test.titles.clone());
            if seen.insert(key) {
                found.push(test);
                if found.len() == MAX_TESTS {
                    return found;
                }
            }
        }
    }
    found
}

/// Returns the tests that a line names: one titled test, or every word that is the id of a test.
fn test_ids_in_line(line: &str) -> Vec<TestId> {
    if line.len() > 4 * MAX_BYTES {
        return Vec::new();
    }
    if let Some(test) = parse_titled_test(line) {
        return vec![test];
    }
    let mut found = Vec::new();
    let mut marked = false;
    let mut words = line.split_whitespace().peekable();
    let mut before = "";
    while let Some(word) = words.next() {
        let bare = word.trim_matches(|c: char| "\"'`,;()<>[]*".contains(c));
        let bare = bare.trim_end_matches(['.', ':']);
        let is_mark = WORDS.test_marks.contains(bare);
        // Prose also has the word `test` before a noun, as in "pass it to the test client".
        let is_noun = before == PROSE_MARK && words.peek() != Some(&"...") && is_plain_word(bare);
        marked &= !is_noun;
        before = word;
        if !is_mark
            && (marked
                || word.contains("::")
                || word.contains('#')
                || word.contains('/')
                || word.contains('.'))
            && let Some(test) = parse_test_id(bare, marked)
        {
            found.push(test);
            marked = false;
            continue;
        }
        // Matches `--- FAIL: TestX`, `[FAIL] Shop.CartTest.Adds` and `---- a::b stdout ----`.
        let mark = word.trim_matches(|c: char| "[]:-=".contains(c));
        // More punctuation may come before the id, as in `=== RUN`.
        marked = WORDS.test_marks.contains(mark) || (marked && mark.is_empty());
    }
    found
}

/// Whether a word may be a noun: it consists of lower-case letters.
fn is_plain_word(word: &str) -> bool {
    word.chars().all(char::is_lowercase)
}

/// Parses one word. After a test runner's mark, a plain name suffices.
fn parse_test_id(word: &str, marked: bool) -> Option<TestId> {
    if word.len() < 3 || word.len() > MAX_BYTES || word.contains("://") {
        return None;
    }
    let written = word.to_owned();
    if let Some((path, line)) = parse_spec_line(word) {
        return marked.then_some(TestId { path, line: Some(line), written, ..TestId::default() });
    }
    // Cut off the parameters of a case: `[a-b]`, `(int)`, `{argumentsProvider}`.
    let plain = word.split(['[', '(', '{']).next().unwrap_or("");
    let plain = plain.rsplit_once(':').map_or(plain, |(head, tail)| {
        let is_line = !head.ends_with(':') && !tail.is_empty() && tail.chars().all(|c| c.is_ascii_digit());
        if is_line { head } else { plain }
    });
    let (path, names) = match plain.split_once("::") {
        Some((path, rest)) if is_file_path(path) => (path.replace('\\', "/"), rest.split("::").collect()),
        Some(_) => (String::new(), plain.split("::").collect::<Vec<_>>()),
        None if plain.contains('#') => (String::new(), plain.split(['.', '#']).collect()),
        None if plain.contains('/') => (String::new(), vec![parse_go_subtest(plain)?]),
        None => (String::new(), plain.split('.').collect()),
    };
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
    };
    // A dotted name may be anything, so it counts as a test only if a part contains `test` or
    // `spec`.
    let mentions_test = names.iter().any(|name| {
        let lower = name.to_lowercase();
        lower.contains("test") || lower.contains("spec")
    });
    let is_test_id =
        marked || !path.is_empty() || plain.contains(['/', '#', ':']) || (names.len() > 1 && mentions_test);
    (is_test_id && !names.is_empty() && names.iter().all(is_name)).then(|| TestId {
        path,
        names: names.into_iter().map(str::to_owned).collect(),
        written,
        ..TestId::default()
    })
}

/// Returns the test function of a Go subtest, `TestX/case`.
fn parse_go_subtest(word: &str) -> Option<&str> {
    let (name, _) = word.split_once('/')?;
    let rest = ["Test", "Benchmark", "Fuzz", "Example"].iter().find_map(|kind| name.strip_prefix(kind))?;
    rest.starts_with(|c: char| c.is_uppercase() || c == '_').then_some(name)
}

/// Parses a path with a line, such as `./spec/x_spec.rb:12`.
fn parse_spec_line(word: &str) -> Option<(String, u32)> {
    let (path, line) = word.rsplit_once(':')?;
    let line = line.parse().ok()?;
    (path.contains('/') && is_file_path(path)).then(|| (path.replace('\\', "/"), line))
}

/// Whether a word is a path to a file: it has a short lower-case extension, and folders or a plain
/// stem.
fn is_file_path(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=4).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && (word.contains(['/', '\\'])
                || !stem.contains('.')
                || stem.ends_with("test")
                || stem.ends_with("spec"))
    })
}

/// Parses a title after a sign or mark: `● suite › test`, `FAIL src/x.test.ts > suite > test`,
/// `CartTest > adds() FAILED`.
fn parse_titled_test(line: &str) -> Option<TestId> {
    let trimmed = line.trim();
    let after_sign = trimmed.strip_prefix(|c: char| WORDS.test_signs.contains(&c));
    let (first, rest) = trimmed.split_once(char::is_whitespace)?;
    let after_mark = WORDS.test_marks.contains(first.trim_matches(['[', ']', ':'])).then_some(rest);
    let (last_head, last) = trimmed.rsplit_once(char::is_whitespace)?;
    let before_mark = WORDS.test_marks.contains(last).then_some(last_head);
    let marked = after_sign.or(after_mark).or(before_mark)?;
    // Only ` > ` with spaces is a separator, so a comparison does not count:
    // `expected: <1> but was: <2>`.
    let title = marked.replace(" \u{203a} ", " > ");
    let title = title.as_str();
    let mut parts: Vec<&str> = title.split(" > ").map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_id = parts.first().is_some_and(|part| part.contains("::"));
    if is_id || (parts.len() < 2 && after_sign.is_none()) {
        return None;
    }
    let mut test = TestId { written: marked.trim().to_owned(), ..TestId::default() };
    if parts.first().is_some_and(|part| is_file_path(part)) {
        test.path = parts.remove(0).replace('\\', "/");
    }
    if title.len() > MAX_BYTES || parts.is_empty() {
        return None;
    }
    let titles = parts.iter().map(|part| part.trim_end_matches("()").to_owned());
    let is_name =
        |part: &String| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
    let titles: Vec<String> = titles.collect();
    if titles.len() > 1 && titles.iter().all(is_name) {
        test.names = titles.iter().flat_map(|part| part.split('.')).map(str::to_owned).collect();
    } else {
        test.titles = titles;
    }
    Some(test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let line = |test: &TestId| {
            let line = test.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("- {}{line} | {} | {}\n", test.path, test.names.join(" "), test.titles.join(" / "))
        };
        expect.assert_eq(&scan_test_ids(text).iter().map(line).collect::<String>());
    }

    #[test]
    fn the_ids_of_many_test_runners_are_found() {
        check(
            "FAILED tests/test_app.py::TestHooks::test_before[a-1.5] - assert 1 == 2
test_expiry (tests.test_session.SessionTest.test_expiry) ... FAIL
--- FAIL: TestRouter/trailing_slash (0.00s)
--- FAIL: TestServe (0.10s)
=== RUN   TestParse
the case TestMatch/empty_path
test search::tests::finds_all ... FAILED
test works ... ok, and the test test_twice
---- printer::tests::wraps_lines stdout ----
[ERROR] CartTest.adds:42 expected: <1> but was: <2>
com.acme.shop.CartTest#removes(int)[2]
CartTest > totals() FAILED
  Failed Shop.Tests.CartTest.Clears [3 ms]
rspec ./spec/site_spec.rb:12 # Site reads drafts
 FAIL  src/router.test.ts > Router > matches a wildcard
  \u{25cf} Router \u{203a} keeps the order (5 ms)
tests::deep::inner::works",
            expect![[r#"
                - tests/test_app.py | TestHooks test_before | 
                -  | tests test_session SessionTest test_expiry | 
                -  | TestRouter | 
                -  | TestServe | 
                -  | TestParse | 
                -  | TestMatch | 
                -  | search tests finds_all | 
                -  | works | 
                -  | test_twice | 
                -  | printer tests wraps_lines | 
                -  | CartTest adds | 
                -  | com acme shop CartTest removes | 
                -  | CartTest totals | 
                -  | Shop Tests CartTest Clears | 
                - ./spec/site_spec.rb:12 |  | 
                - src/router.test.ts |  | Router / matches a wildcard
                -  |  | Router / keeps the order (5 ms)
                -  | tests deep inner works | 
            "#]],
        );
    }

    #[test]
    fn prose_names_no_tests_and_hostile_text_a_bounded_number() {
        for text in [
            "Pass a header to the test client and to a test runner.",
            "The parser tests fail. See src/app.py, config.py and issue #12, e.g. v2.0/v3.",
            ":: # / . FAIL FAIL: \u{25cf} > > [FAIL] a::",
        ] {
            assert_eq!(scan_test_ids(text), []);
        }
        let many: String = (0..5000).map(|i| format!("FAILED a/b.py::t{i}\n")).collect();
        assert_eq!(scan_test_ids(&many).len(), MAX_TESTS);
        assert!(scan_test_ids(&"x::".repeat(100_000)).is_empty());
    }
}
