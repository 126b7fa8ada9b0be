//! The attributes `linguist-generated` and `linguist-vendored` of `.gitattributes` files.

use crate::named_file::{FileProblem, LinkRule, read_patterns};
use crate::pattern_list::{PatternBudget, PatternError, PatternListBuilder, budget_message};
use ignore::Match;
use ignore::gitignore::Gitignore;
use kenning_graph::derived::DerivedReason;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The attributes of a workspace, read folder by folder on demand. Keeps only the attributes of the
/// folders above the last queried path. If paths are queried in sorted order, each file is read
/// once, and the budget of one folder bounds the memory.
pub(super) struct GitAttributes {
    root: PathBuf,
    /// The folders that lead to the last path, the root first. Each stores the budget that remains
    /// for the folders below it.
    folders: Vec<FolderAttributes>,
    problems: BTreeSet<FileProblem>,
}

struct FolderAttributes {
    folder: String,
    lists: Option<AttributeLists>,
    remaining_budget: PatternBudget,
}

struct AttributeLists {
    generated: Gitignore,
    vendored: Gitignore,
}

impl GitAttributes {
    /// Creates the attributes of the workspace at `root`, without reading any file.
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), folders: Vec::new(), problems: BTreeSet::new() }
    }

    /// Returns the reason why no one edits the file at this path, if attributes give one. As in git, a
    /// deeper `.gitattributes` takes precedence over a higher one, and the last matching line of a
    /// file counts.
    pub(super) fn derived_reason(&mut self, path: &str) -> Option<DerivedReason> {
        self.enter_folder(kenning_graph::paths::parent_folder(path));
        let (mut generated, mut vendored) = (None, None);
        for attributes in self.folders.iter().rev().filter_map(|folder| folder.lists.as_ref()) {
            generated = generated.or_else(|| pattern_verdict(&attributes.generated, path));
            vendored = vendored.or_else(|| pattern_verdict(&attributes.vendored, path));
        }
        match (generated, vendored) {
            (Some(true), _) => Some(DerivedReason::Generated),
            (_, Some(true)) => Some(DerivedReason::Vendored),
            _ => None,
        }
    }

    /// Returns the problems with the `.gitattributes` files that were read.
    pub(super) fn into_problems(self) -> BTreeSet<FileProblem> {
        self.problems
    }

    /// Reads the attributes of a folder and of the folders above it, unless they are loaded
    /// already.
    fn enter_folder(&mut self, folder: &str) {
        let contains_folder = |above: &str| {
            above.is_empty()
                || folder.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let shared = self.folders.iter().take_while(|above| contains_folder(&above.folder)).count();
        self.folders.truncate(shared);
        if self.folders.is_empty() {
            self.read_folder("");
        }
        let loaded = self.folders.last().map_or(0, |last| last.folder.len());
        let folder_ends =
            folder.match_indices('/').map(|(at, _)| at).chain((!folder.is_empty()).then_some(folder.len()));
        for end in folder_ends.filter(|end| *end > loaded).collect::<Vec<_>>() {
            self.read_folder(&folder[..end]);
        }
    }

    fn read_folder(&mut self, folder: &str) {
        let mut remaining_budget =
            self.folders.last().map_or_else(PatternBudget::default, |above| above.remaining_budget);
        let file = self.root.join(folder).join(".gitattributes");
        let (lists, problem) = match read_patterns(&file, LinkRule::Refuse) {
            Ok(Some(text)) => {
                let (lists, problem) = AttributeLists::parse_text(folder, &text, &mut remaining_budget);
                (Some(lists), problem)
            }
            Ok(None) => (None, None),
            Err(refusal) => (None, Some(format!("{refusal}; its attributes are ignored"))),
        };
        self.problems.extend(problem.map(|message| FileProblem::new(&self.root, &file, message)));
        self.folders.push(FolderAttributes { folder: folder.to_owned(), lists, remaining_budget });
    }
}

fn pattern_verdict(matcher: &Gitignore, path: &str) -> Option<bool> {
    match matcher.matched(path, false) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

impl AttributeLists {
    /// Parses the lines of a file and ignores invalid ones, as git does. The message says which
    /// lines exceed the budget.
    fn parse_text(folder: &str, text: &str, budget: &mut PatternBudget) -> (Self, Option<String>) {
        let mut generated = PatternListBuilder::new(Path::new(folder));
        let mut vendored = PatternListBuilder::new(Path::new(folder));
        let mut problem = None;
        'lines: for (number, line) in (1..).zip(text.lines()) {
            let Some((pattern, attributes)) = split_line(line.trim()) else { continue };
            for attribute in attributes.split_whitespace() {
                let (name, set) = attribute_state(attribute);
                let builder = match name {
                    "linguist-generated" => &mut generated,
                    "linguist-vendored" => &mut vendored,
                    _ => continue,
                };
                let line = if set { pattern.to_owned() } else { format!("!{pattern}") };
                match builder.add_line(&line, budget) {
                    Ok(()) => {}
                    Err(PatternError::Invalid(error)) => {
                        tracing::debug!(error, line = number, "cannot parse a pattern in .gitattributes");
                    }
                    Err(PatternError::OverBudget) => {
                        problem = Some(budget_message("line", number));
                        break 'lines;
                    }
                }
            }
        }
        let mut build_list = |builder: PatternListBuilder| {
            builder.build_list().unwrap_or_else(|error| {
                problem = Some(format!("its attributes are ignored: {error}"));
                Gitignore::empty()
            })
        };
        let lists = Self { generated: build_list(generated), vendored: build_list(vendored) };
        (lists, problem)
    }
}

/// Splits a line into its pattern, which may be quoted, and the attributes after it.
fn split_line(line: &str) -> Option<(&str, &str)> {
    if line.is_empty() || line.starts_with('#') || line.starts_with('!') || line.starts_with("[attr]") {
        return None;
    }
    match line.strip_prefix('"') {
        Some(rest) => rest.split_once('"'),
        None => line.split_once(char::is_whitespace),
    }
}

/// Returns the name of an attribute and whether the text sets it. `-name`, `!name` and `name=false`
/// do not.
fn attribute_state(attribute: &str) -> (&str, bool) {
    if let Some(name) = attribute.strip_prefix(['-', '!']) {
        return (name, false);
    }
    match attribute.split_once('=') {
        Some((name, value)) => (name, !matches!(value, "false" | "0")),
        None => (attribute, true),
    }
}
