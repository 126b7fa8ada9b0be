//! Exclude patterns: files to leave out, in the syntax of `.gitignore`.

use super::WalkError;
use crate::named_file::shorten_text;
use crate::pattern_list::{PatternBudget, PatternError, PatternListBuilder, budget_message};
use ignore::gitignore::Gitignore;
use std::path::Path;

/// Patterns of files that are left out regardless of the ignore files.
#[derive(Clone, Debug)]
pub struct ExcludePatterns {
    list: Gitignore,
    problem: Option<String>,
}

impl ExcludePatterns {
    /// Compiles patterns relative to the workspace's root. Ignores the patterns that exceed the
    /// budget ([`Self::budget_problem`]).
    ///
    /// # Errors
    /// Returns [`WalkError::BadExclude`] for the first pattern that is not valid.
    pub fn new(root: &Path, patterns: &[String]) -> Result<Self, WalkError> {
        let bad_exclude = |pattern: &str, message: String| WalkError::BadExclude {
            pattern: shorten_text(pattern),
            message,
        };
        let (mut builder, mut budget) = (PatternListBuilder::new_strict(root), PatternBudget::default());
        let mut problem = None;
        for (number, pattern) in (1..).zip(patterns) {
            match add_pattern(&mut builder, pattern, &mut budget) {
                Ok(()) => {}
                Err(PatternError::Invalid(message)) => return Err(bad_exclude(pattern, message)),
                Err(PatternError::OverBudget) => {
                    problem = Some(budget_message("number", number));
                    break;
                }
            }
        }
        let list = builder.build_list().map_err(|message| bad_exclude("all patterns together", message))?;
        Ok(Self { list, problem })
    }

    /// Returns an empty list.
    pub(super) fn without_patterns() -> Self {
        Self { list: Gitignore::empty(), problem: None }
    }

    /// Whether the file at a path relative to the root, or a folder above it, is left out.
    pub fn covers_path(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        self.matches_path(Path::new(path), false)
            || folders.any(|folder| self.matches_path(Path::new(folder), true))
    }

    /// Whether the pattern list matches the path of a file or folder itself.
    pub(super) fn matches_path(&self, path: &Path, is_folder: bool) -> bool {
        !self.list.matched(path, is_folder).is_none()
    }

    /// Returns the message about the patterns that exceed the budget, if there are any.
    pub fn budget_problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

/// Adds an exclude pattern to a list.
fn add_pattern(
    builder: &mut PatternListBuilder,
    pattern: &str,
    budget: &mut PatternBudget,
) -> Result<(), PatternError> {
    let refuse = |message: &str| Err(PatternError::Invalid(message.to_owned()));
    if pattern.trim().is_empty() {
        return refuse("it is empty");
    }
    if pattern.starts_with('!') {
        return refuse("an exclude pattern cannot be negated; remove the !");
    }
    // A line that begins with `!` is never a comment. All patterns of the list get the same prefix,
    // so it has no other effect.
    builder.add_line(&format!("!{pattern}"), budget)
}

/// Checks one pattern.
///
/// # Errors
/// Returns the reason why the pattern is not valid.
pub fn check_exclude(pattern: &str) -> Result<(), String> {
    let mut builder = PatternListBuilder::new_strict(Path::new(""));
    match add_pattern(&mut builder, pattern, &mut PatternBudget::default()) {
        Ok(()) => Ok(()),
        Err(PatternError::Invalid(message)) => Err(message),
        Err(PatternError::OverBudget) => Err("it is too long".to_owned()),
    }
}

/// Returns the number of patterns at the start of the list that fit into the budget, and a message
/// about the others. Returns `usize::MAX` and no message if all fit.
pub fn fitting_excludes<'p>(patterns: impl IntoIterator<Item = &'p str>) -> (usize, Option<String>) {
    let mut budget = PatternBudget::default();
    for (fitting, pattern) in patterns.into_iter().enumerate() {
        if !budget.try_spend(&format!("!{pattern}")) {
            return (fitting, Some(budget_message("number", fitting + 1)));
        }
    }
    (usize::MAX, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_covered_by_itself_or_by_a_folder_above_it() {
        let patterns = ["made/", "*.gen.py", "/top.py", "a/**/z"].map(str::to_owned);
        let excludes = ExcludePatterns::new(Path::new("/w"), &patterns).unwrap();
        for path in ["made/x.py", "src/made/deep/x.py", "src/x.gen.py", "top.py", "a/b/z/x.py"] {
            assert!(excludes.covers_path(path), "{path}");
        }
        for path in ["made", "src/top.py", "x.py", "b/z/x.py"] {
            assert!(!excludes.covers_path(path), "{path}");
        }
        assert!(!ExcludePatterns::new(Path::new("/w"), &[]).unwrap().covers_path("x.py"));
    }

    #[test]
    fn invalid_patterns_are_refused() {
        for pattern in ["", " ", "!keep.py", "a[", "{a"] {
            assert!(check_exclude(pattern).is_err(), "{pattern}");
            let error = ExcludePatterns::new(Path::new("/w"), &[pattern.to_owned()]).unwrap_err().to_string();
            assert!(error.starts_with("the exclude pattern "), "{error}");
        }
    }

    #[test]
    fn patterns_over_the_budget_are_reported_and_the_others_apply() {
        let many: Vec<String> = (0..3_000).map(|n| format!("{}{n}", "*a".repeat(100))).collect();
        let excludes = ExcludePatterns::new(Path::new("/w"), &many).unwrap();
        assert!(excludes.covers_path(&format!("{}7", "xa".repeat(100))));
        let problem = excludes.budget_problem().unwrap();
        assert!(problem.starts_with("the patterns from number 322 on are ignored"), "{problem}");
        assert!(problem.len() < 300);
        let (fitting, same) = fitting_excludes(many.iter().map(String::as_str));
        assert_eq!((fitting, same.as_deref()), (321, Some(problem)));
        let few = ExcludePatterns::new(Path::new("/w"), &many[..fitting]).unwrap();
        assert_eq!(few.budget_problem(), None);
        let long = ExcludePatterns::new(Path::new("/w"), &["[".repeat(3_000)]).unwrap_err().to_string();
        assert!(long.len() < 600, "{long}");
    }
}
