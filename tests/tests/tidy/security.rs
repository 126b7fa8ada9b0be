//! What `SECURITY.md` claims is checked by tests that it names: each of them must exist.

use super::Finding;
use super::tree::Text;
use std::collections::BTreeSet;

/// Claims with a word of this kind before the names of tests.
const MARK: &str = "Checked by ";

/// The names of the tests behind the claims, with the line of each: what stands in backticks after [`MARK`], to the end of the
/// paragraph.
pub fn named_tests(text: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    let mut named = false;
    for (number, line) in text.lines().enumerate() {
        let from = line.find(MARK);
        if line.trim().is_empty() {
            named = false;
        }
        let rest = match from {
            Some(at) => &line[at..],
            None if named => line,
            None => continue,
        };
        named = true;
        names.extend(rest.split('`').skip(1).step_by(2).map(|name| (number + 1, name.to_owned())));
    }
    names
}

/// The names of functions in sources: Rust's and Python's.
pub fn functions(texts: &[Text]) -> BTreeSet<String> {
    let ending = |text: &Text| text.path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let is_source = |text: &&Text| matches!(ending(text).as_deref(), Some("rs" | "py"));
    let lines = texts.iter().filter(is_source).flat_map(|text| text.text.lines());
    let name = |line: &str| {
        let at = line.find("fn ").map(|at| at + 3).or_else(|| line.find("def ").map(|at| at + 4))?;
        let rest = &line[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some(rest[..end].to_owned())
    };
    lines.filter_map(name).collect()
}

/// Tests that `SECURITY.md` names and that do not exist.
pub fn check(text: &str, functions: &BTreeSet<String>) -> Vec<Finding> {
    let missing = named_tests(text).into_iter().filter(|(_, name)| !functions.contains(name));
    missing
        .map(|(line, name)| Finding {
            file: "SECURITY.md".to_owned(),
            line,
            what: format!("there is no test `{name}`"),
            mend: "name a test that checks the claim",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_whose_test_is_gone_is_found() {
        let source =
            Text { path: "a/tests/a.rs".to_owned(), text: "#[test]\nfn nothing_runs() {}\n".to_owned() };
        let text = "Nothing runs. Checked by `nothing_runs`,\n`nothing_is_read`.\n\nOther `words`.\n";
        assert_eq!(named_tests(text).len(), 2);
        let findings = check(text, &functions(&[source]));
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].line, findings[0].what.as_str()), (2, "there is no test `nothing_is_read`"));
    }
}
