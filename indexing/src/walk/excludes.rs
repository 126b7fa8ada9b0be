//! Patterns of files to leave out, in the syntax of `.gitignore`.

use super::WalkError;
use ignore::overrides::{Override, OverrideBuilder};
use std::path::Path;

/// Files that are left out whatever the ignore files say.
#[derive(Clone, Debug)]
pub struct Excludes(Override);

impl Excludes {
    /// The patterns, relative to the workspace's root.
    ///
    /// # Errors
    /// The first pattern that is none.
    pub fn new(root: &Path, patterns: &[String]) -> Result<Self, WalkError> {
        let bad =
            |pattern: &str, message: String| WalkError::BadExclude { pattern: pattern.to_owned(), message };
        let mut builder = OverrideBuilder::new(root);
        for pattern in patterns {
            check_exclude(pattern).map_err(|message| bad(pattern, message))?;
            builder.add(&format!("!{pattern}")).map_err(|error| bad(pattern, error.to_string()))?;
        }
        let built = builder.build().map_err(|error| bad(&patterns.join(", "), error.to_string()))?;
        Ok(Self(built))
    }

    /// Whether the file at a path relative to the root, or a folder above it, is left out.
    pub fn cover(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        self.0.matched(path, false).is_ignore()
            || folders.any(|folder| self.0.matched(folder, true).is_ignore())
    }

    pub(super) fn overrides(self) -> Override {
        self.0
    }
}

/// Checks one pattern.
///
/// # Errors
/// What is wrong with it.
pub fn check_exclude(pattern: &str) -> Result<(), String> {
    if pattern.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if pattern.starts_with('!') {
        return Err("a pattern cannot take another back: leave out the !".to_owned());
    }
    let mut builder = OverrideBuilder::new("");
    let built = builder.add(&format!("!{pattern}")).and_then(|builder| builder.build());
    built.map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_covered_by_itself_or_by_a_folder_above_it() {
        let patterns = ["made/", "*.gen.py", "/top.py", "a/**/z"].map(str::to_owned);
        let excludes = Excludes::new(Path::new("/w"), &patterns).unwrap();
        for path in ["made/x.py", "src/made/deep/x.py", "src/x.gen.py", "top.py", "a/b/z/x.py"] {
            assert!(excludes.cover(path), "{path}");
        }
        for path in ["made", "src/top.py", "x.py", "b/z/x.py"] {
            assert!(!excludes.cover(path), "{path}");
        }
        assert!(!Excludes::new(Path::new("/w"), &[]).unwrap().cover("x.py"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["", " ", "!keep.py", "a[", "{a"] {
            assert!(check_exclude(pattern).is_err(), "{pattern}");
            let error = Excludes::new(Path::new("/w"), &[pattern.to_owned()]).unwrap_err().to_string();
            assert!(error.starts_with("the exclude pattern "), "{error}");
        }
    }
}
