//! Checks that the tests that `SECURITY.md` names as checks of its claims exist.

use super::Finding;
use super::checkout::TextFile;
use std::collections::BTreeSet;

/// The text between a claim and the names of its tests.
const NAMES_START: &str = "Checked by";

/// The text that ends the names of a claim's tests.
const NAMES_END: &str = "`.";

/// Returns the names of the tests that check the claims, with their lines: the texts in backticks
/// between [`NAMES_START`] and [`NAMES_END`].
pub fn named_tests(text: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices(NAMES_START) {
        let end = text[at..].find(NAMES_END).map_or(text.len(), |end| at + end + 1);
        let mut line = 1 + text[..at].matches('\n').count();
        for (part, words) in text[at..end].split('`').enumerate() {
            if part % 2 == 1 {
                names.push((line, words.to_owned()));
            }
            line += words.matches('\n').count();
        }
    }
    names
}

/// Returns the names of the functions in Rust and Python sources.
pub fn function_names(texts: &[TextFile]) -> BTreeSet<String> {
    let extension = |text: &TextFile| text.path.rsplit_once('.').map(|(_, extension)| extension.to_owned());
    let is_source = |text: &&TextFile| matches!(extension(text).as_deref(), Some("rs" | "py"));
    let lines = texts.iter().filter(is_source).flat_map(|text| text.text.lines());
    let function_name = |line: &str| {
        let at = line.find("fn ").map(|at| at + 3).or_else(|| line.find("def ").map(|at| at + 4))?;
        let rest = &line[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(rest[..end].to_owned())
    };
    lines.filter_map(function_name).collect()
}

/// Returns a finding for each test that `SECURITY.md` names and that does not exist.
pub fn check(text: &str, functions: &BTreeSet<String>) -> Vec<Finding> {
    let missing = named_tests(text).into_iter().filter(|(_, name)| !functions.contains(name));
    missing
        .map(|(line, name)| Finding {
            file: "SECURITY.md".to_owned(),
            line,
            problem: format!("there is no test `{name}`"),
            advice: "Name a test that checks the claim",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_test_is_found() {
        let source =
            TextFile { path: "a/tests/a.rs".to_owned(), text: "#[test]\nfn nothing_runs() {}\n".to_owned() };
        let text = "Nothing runs. Checked by `nothing_runs`,\n`nothing_is_read`.\n\nOther `words`.\n";
        assert_eq!(named_tests(text).len(), 2);
        let findings = check(text, &function_names(&[source]));
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (findings[0].line, findings[0].problem.as_str()),
            (2, "there is no test `nothing_is_read`")
        );
    }
}
