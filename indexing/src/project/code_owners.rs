//! The owners of files according to `CODEOWNERS`, in the syntax of GitHub and GitLab.
//!
//! The input is the text of the first `CODEOWNERS` file in [`OWNERS_PATHS`]. The output is
//! [`CodeOwners`], which returns the owners of a path. Patterns have the syntax of `.gitignore`,
//! except that `docs/*` does not match files in subfolders, and they share one [`PatternBudget`].
//! Lines that cannot be used become issues of the project.

use super::ManifestReader;
use crate::pattern_list::{PatternBudget, PatternError, PatternListBuilder, budget_message};
use ignore::gitignore::Gitignore;
use kenning_graph::hash::{Hash, HashBuilder};
use kenning_graph::paths::parent_folders;
use rustc_hash::FxHashMap;
use std::path::Path;

/// The possible paths of the file, relative to the root of the workspace. The first existing file
/// counts. The order is GitHub's, followed by the folder that only GitLab supports.
const OWNERS_PATHS: &[&str] = &[".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// Maximum number of rules that are read. The matcher grows with their number, and no one writes a
/// longer list by hand.
const MAX_RULES: usize = 10_000;

/// The owners of the files of a workspace.
#[derive(Clone, Debug, Default)]
pub struct CodeOwners {
    sections: Vec<OwnersSection>,
}

/// A section in GitLab's syntax; a file in GitHub's syntax is one section. A file has the owners
/// from all sections that match it.
#[derive(Clone, Debug)]
struct OwnersSection {
    /// The name in lower case. Sections with equal names in lower case are merged.
    name: String,
    rules: Vec<OwnersRule>,
    /// Patterns of files to which this section does not apply.
    excluded: Vec<String>,
    matcher: OwnersMatcher,
    exclusion: OwnersMatcher,
}

/// A line with a pattern and its owners.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OwnersRule {
    pattern: String,
    /// The owners. If empty, the files that the pattern matches have no owner.
    owners: Vec<String>,
}

/// Compares two lists of owners by their rules.
impl PartialEq for CodeOwners {
    fn eq(&self, other: &Self) -> bool {
        let key =
            |section: &OwnersSection| (section.name.clone(), section.rules.clone(), section.excluded.clone());
        self.sections.iter().map(key).eq(other.sections.iter().map(key))
    }
}

impl Eq for CodeOwners {}

impl CodeOwners {
    /// Reads the first existing file of [`OWNERS_PATHS`].
    pub(super) fn read_owners(source: &mut ManifestReader) -> Self {
        for path in OWNERS_PATHS {
            if let Some(text) = source.manifest_text(path) {
                return Self::parse_owners(path, &text, source);
            }
        }
        Self::default()
    }

    /// Returns the owners of the file at this path as written (`@user`, `@organization/team`, an
    /// address), in the order of the sections and then of the line. In each section, the last
    /// matching rule counts.
    pub fn owners_of_file(&self, path: &str) -> Vec<&str> {
        let mut owners: Vec<&str> = Vec::new();
        for section in &self.sections {
            if section.exclusion.last_match(path).is_some() {
                continue;
            }
            let rule = section.matcher.last_match(path).and_then(|at| section.rules.get(at));
            for owner in rule.into_iter().flat_map(|rule| &rule.owners) {
                if !owners.contains(&owner.as_str()) {
                    owners.push(owner);
                }
            }
        }
        owners
    }

    /// Returns a hash that changes when the owners of any file may have changed.
    pub fn owners_fingerprint(&self) -> Hash {
        let mut hasher = HashBuilder::new("owners");
        for section in &self.sections {
            hasher.add_text(&section.name).add_text(&format!("{:?} {:?}", section.rules, section.excluded));
        }
        hasher.finish()
    }

    fn parse_owners(path: &str, text: &str, source: &mut ManifestReader) -> Self {
        let mut sections: Vec<OwnersSection> = vec![OwnersSection::new("")];
        let (mut current, mut default): (usize, Vec<String>) = (0, Vec::new());
        let mut count = 0;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some((name, owners)) = parse_heading(line) {
                default = parse_owner_list(owners);
                let name = name.to_lowercase();
                current = sections.iter().position(|s| s.name == name).unwrap_or_else(|| {
                    sections.push(OwnersSection::new(&name));
                    sections.len() - 1
                });
                continue;
            }
            count += 1;
            if count > MAX_RULES {
                source.record_issue(path, format!("more than {MAX_RULES} rules; the others are ignored"));
                break;
            }
            let (pattern, rest) = split_pattern(line);
            let section = &mut sections[current];
            match pattern.strip_prefix('!') {
                // GitHub ignores such lines.
                Some(_) if path.starts_with(".github/") => {}
                Some(excluded) => section.excluded.push(excluded.to_owned()),
                None => {
                    let owners = parse_owner_list(rest);
                    let has_words = rest.split_whitespace().next().is_some_and(|word| !word.starts_with('#'));
                    if owners.is_empty() && has_words {
                        source.record_issue(path, format!("'{line}' names no owner and is skipped"));
                        continue;
                    }
                    let owners = if owners.is_empty() { default.clone() } else { owners };
                    section.rules.push(OwnersRule { pattern: pattern.to_owned(), owners });
                }
            }
        }
        let mut budget = PatternBudget::default();
        for section in &mut sections {
            let patterns: Vec<&str> = section.rules.iter().map(|rule| rule.pattern.as_str()).collect();
            section.matcher = OwnersMatcher::new(&patterns, path, &mut budget, source);
            let excluded: Vec<&str> = section.excluded.iter().map(String::as_str).collect();
            section.exclusion = OwnersMatcher::new(&excluded, path, &mut budget, source);
        }
        sections.retain(|section| !section.rules.is_empty());
        Self { sections }
    }
}

impl OwnersSection {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            rules: Vec::new(),
            excluded: Vec::new(),
            matcher: OwnersMatcher::default(),
            exclusion: OwnersMatcher::default(),
        }
    }
}

/// A matcher that finds the last pattern for a path.
#[derive(Clone, Debug)]
struct OwnersMatcher {
    files: Gitignore,
    /// The patterns for folders, without patterns that match only the direct contents of a folder.
    folders: Gitignore,
    /// The last index of each pattern.
    last_indices: FxHashMap<String, usize>,
}

impl Default for OwnersMatcher {
    fn default() -> Self {
        Self { files: Gitignore::empty(), folders: Gitignore::empty(), last_indices: FxHashMap::default() }
    }
}

impl OwnersMatcher {
    fn new(patterns: &[&str], path: &str, budget: &mut PatternBudget, source: &mut ManifestReader) -> Self {
        let empty = || PatternListBuilder::new(Path::new(""));
        let (mut files, mut folders) = (empty(), empty());
        let mut last_indices = FxHashMap::default();
        for (index, pattern) in patterns.iter().enumerate() {
            match files.add_line(pattern, budget) {
                Ok(()) => {}
                Err(PatternError::Invalid(error)) => {
                    source.record_issue(path, format!("'{pattern}' is not a pattern: {error}"));
                    continue;
                }
                Err(PatternError::OverBudget) => {
                    source.record_issue(path, budget_message("rule", index + 1));
                    break;
                }
            }
            // In a `.gitignore`, `docs/*` would match the folders in `docs` and so everything in
            // them.
            if !pattern.ends_with("/*") {
                let _ = folders.add_line(pattern, budget);
            }
            last_indices.insert((*pattern).to_owned(), index);
        }
        match (files.build_list(), folders.build_list()) {
            (Ok(files), Ok(folders)) => Self { files, folders, last_indices },
            (Err(error), _) | (_, Err(error)) => {
                source.record_issue(path, error);
                Self::default()
            }
        }
    }

    /// Returns the index of the last pattern that matches the file at a path or a folder around it.
    fn last_match(&self, path: &str) -> Option<usize> {
        if self.last_indices.is_empty() {
            return None;
        }
        let matching_index = |matcher: &Gitignore, path: &str, folder: bool| {
            let matched = matcher.matched(path, folder);
            matched.inner().and_then(|glob| self.last_indices.get(glob.original()).copied())
        };
        let in_folders =
            parent_folders(path).filter_map(|folder| matching_index(&self.folders, folder, true)).max();
        matching_index(&self.files, path, false).max(in_folders)
    }
}

/// Returns the name and the default owners of a section's heading: `[Name]`, `^[Name][2] @owner`.
fn parse_heading(line: &str) -> Option<(&str, &str)> {
    let (name, mut rest) = line.strip_prefix('^').unwrap_or(line).strip_prefix('[')?.split_once(']')?;
    if let Some((count, after_count)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        if !count.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        rest = after_count;
    }
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some((name.trim(), rest))
}

/// Splits a line into its pattern, in which a backslash escapes a space, and the rest.
fn split_pattern(line: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        if c.is_whitespace() && !escaped {
            return line.split_at(at);
        }
        escaped = c == '\\' && !escaped;
    }
    (line, "")
}

/// Returns the owners in the text after a pattern, up to a comment.
fn parse_owner_list(text: &str) -> Vec<String> {
    let words = text.split_whitespace().take_while(|word| !word.starts_with('#'));
    words.filter(|word| word.contains('@')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
