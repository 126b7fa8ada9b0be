//! Lists of patterns in the syntax of `.gitignore`, compiled within a budget.
//!
//! A pattern without wildcards is an entry of a hash map. Patterns with wildcards are compiled into
//! an automaton, whose memory and work per path grow with the total length of these patterns. A
//! file with 2.5 MB of them took 1.2 GB and three seconds; the largest list within the budget takes
//! 55 MB and 0.2 s.

use crate::named_file::shorten_text;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;

/// Maximum number of patterns that apply to one folder. Generated lists in public repositories have
/// about 5,000.
const MAX_PATTERNS: usize = 20_000;

/// Maximum size in bytes of all patterns that apply to one folder. 20,000 patterns have 1 MiB if
/// each is a path of 50 bytes.
const MAX_BYTES: usize = 1 << 20;

/// Maximum size in bytes of the patterns with wildcards that apply to one folder. Popular template
/// collections have about 20 KB.
const MAX_WILDCARD_BYTES: usize = 64 << 10;

/// Maximum size of one pattern in bytes: the longest path that Linux accepts.
const MAX_PATTERN_BYTES: usize = 4096;

/// The remaining budget for one folder. The lists of the folder and of all its parents share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternBudget {
    patterns: usize,
    bytes: usize,
    wildcard_bytes: usize,
}

impl Default for PatternBudget {
    fn default() -> Self {
        Self { patterns: MAX_PATTERNS, bytes: MAX_BYTES, wildcard_bytes: MAX_WILDCARD_BYTES }
    }
}

impl PatternBudget {
    /// Deducts the cost of a pattern. Returns whether it fits; if it does not, the budget remains
    /// unchanged.
    pub fn try_spend(&mut self, pattern: &str) -> bool {
        let wildcard_bytes = if needs_automaton(pattern) { pattern.len() } else { 0 };
        let remaining = self.patterns.checked_sub(1).zip(self.bytes.checked_sub(pattern.len()));
        let Some(((patterns, bytes), wildcard_bytes)) =
            remaining.zip(self.wildcard_bytes.checked_sub(wildcard_bytes))
        else {
            return false;
        };
        if pattern.len() > MAX_PATTERN_BYTES {
            return false;
        }
        *self = Self { patterns, bytes, wildcard_bytes };
        true
    }

    /// Returns the advice for users whose pattern does not fit.
    pub fn budget_advice() -> String {
        format!(
            "the limit for one folder is {MAX_PATTERNS} patterns with {MAX_BYTES} bytes, and \
             {MAX_WILDCARD_BYTES} bytes of patterns with wildcards; shorten the list"
        )
    }
}

/// Whether a pattern needs more than a lookup of a name or an extension (`*.log`).
fn needs_automaton(pattern: &str) -> bool {
    let pattern = pattern.trim_start_matches('!');
    pattern.strip_prefix("*.").unwrap_or(pattern).contains(['*', '?', '[', '{', '\\'])
}

/// The reason why a line was not added to a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// The pattern exceeds the remaining budget.
    OverBudget,
    /// The line is not a valid pattern; the text is the error.
    Invalid(String),
}

/// A builder that checks patterns one by one and compiles them together.
pub struct PatternListBuilder {
    builder: GitignoreBuilder,
    count: usize,
}

impl PatternListBuilder {
    /// Creates a list of patterns that are relative to `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { builder: GitignoreBuilder::new(folder), count: 0 }
    }

    /// Creates a list like [`Self::new`] in which an unclosed bracket is an error instead of a
    /// literal.
    pub fn new_strict(folder: &Path) -> Self {
        let mut list = Self::new(folder);
        list.builder.allow_unclosed_class(false);
        list
    }

    /// Adds a line of an ignore file. Empty lines and comments are skipped.
    ///
    /// # Errors
    /// Returns a [`PatternError`] if the line is left out. The list stays usable.
    pub fn add_line(&mut self, line: &str, budget: &mut PatternBudget) -> Result<(), PatternError> {
        if line.starts_with('#') || line.trim_end().is_empty() {
            return Ok(());
        }
        if !budget.try_spend(line.trim_end()) {
            return Err(PatternError::OverBudget);
        }
        self.builder
            .add_line(None, line)
            .map_err(|error| PatternError::Invalid(shorten_text(&error.to_string())))?;
        self.count += 1;
        Ok(())
    }

    /// Compiles the list.
    ///
    /// # Errors
    /// Returns the error of the pattern compiler if the patterns cannot be compiled together.
    pub fn build_list(&self) -> Result<Gitignore, String> {
        if self.count == 0 {
            return Ok(Gitignore::empty());
        }
        self.builder.build().map_err(|error| shorten_text(&error.to_string()))
    }
}

/// Compiles the patterns of an ignore file that fit into the budget. Returns the list, and a
/// message about the rest if there is one. As in git, lines that are not valid patterns match
/// nothing.
pub fn compile_lines(folder: &Path, text: &str, budget: &mut PatternBudget) -> (Gitignore, Option<String>) {
    let mut builder = PatternListBuilder::new(folder);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut problem = None;
    for (number, line) in (1..).zip(text.lines()) {
        match builder.add_line(line, budget) {
            Ok(()) => {}
            Err(PatternError::Invalid(error)) => tracing::debug!(line = number, error, "invalid pattern"),
            Err(PatternError::OverBudget) => {
                problem = Some(budget_message("line", number));
                break;
            }
        }
    }
    match builder.build_list() {
        Ok(list) => (list, problem),
        Err(error) => (Gitignore::empty(), Some(format!("its patterns are ignored: {error}"))),
    }
}

/// Returns the message that the patterns from this line or entry on are ignored.
pub fn budget_message(unit: &str, number: usize) -> String {
    format!("the patterns from {unit} {number} on are ignored: {}", PatternBudget::budget_advice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile_list(text: &str) -> (usize, Option<String>) {
        let (list, problem) = compile_lines(Path::new("/w"), text, &mut PatternBudget::default());
        (list.len(), problem)
    }

    #[test]
    fn patterns_over_the_budget_are_reported_by_line_and_the_others_apply() {
        let plain = (0..MAX_PATTERNS + 5).map(|n| format!("name{n}\n")).collect::<Vec<_>>().concat();
        let (count, problem) = compile_list(&format!("# comment\n\n{plain}"));
        assert_eq!(count, MAX_PATTERNS);
        assert!(problem.unwrap().starts_with("the patterns from line 20003 on are ignored: "));

        let wildcards = (0..5_000).map(|n| format!("{}{n}\n", "*a".repeat(100))).collect::<Vec<_>>().concat();
        let (list, problem) = compile_lines(Path::new("/w"), &wildcards, &mut PatternBudget::default());
        let problem = problem.unwrap();
        assert!(problem.starts_with("the patterns from line 324 on are ignored: "), "{problem}");
        assert!(problem.len() < 300, "{problem}");
        assert!(list.matched(format!("/w/{}7", "xa".repeat(100)), false).is_ignore(), "the first ones match");

        let long = format!("keep\n{}\n", "x".repeat(MAX_PATTERN_BYTES + 1));
        assert!(compile_list(&long).1.unwrap().starts_with("the patterns from line 2 on"));
        assert_eq!(compile_list("\u{feff}*.log\n!keep.log\n/build/\n"), (3, None));
    }

    #[test]
    fn subfolders_share_the_budget_of_their_parents() {
        let mut budget = PatternBudget::default();
        let text = (0..MAX_PATTERNS).map(|n| format!("name{n}\n")).collect::<Vec<_>>().concat();
        assert_eq!(compile_lines(Path::new("/w"), &text, &mut budget).1, None);
        let (list, problem) = compile_lines(Path::new("/w/below"), "x\n", &mut budget);
        assert!(list.is_empty() && problem.is_some());
    }

    #[test]
    fn names_and_extensions_need_no_automaton() {
        for pattern in ["node_modules", "/build/", "*.log", "!*.log", "a/b/c.txt"] {
            assert!(!needs_automaton(pattern), "{pattern}");
        }
        for pattern in ["*a", "a*", "a?b", "[ab]", "{a,b}", "**/x", "*.l?g"] {
            assert!(needs_automaton(pattern), "{pattern}");
        }
    }
}
