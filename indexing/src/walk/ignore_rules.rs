//! Reads the ignore files that apply to a folder, and decides whether they leave out a name in it.
//!
//! The rules are those of git, preceded by `.ignore` files:
//!
//! * Among files of one kind, the deepest one with a matching pattern decides.
//! * In order of precedence, the kinds are `.ignore`, `.gitignore`, `.git/info/exclude` and the
//!   user's global excludes.
//! * Files above a repository do not apply to it, except `.ignore` files.
//! * A hidden path that no pattern matches is left out, unless `languages.toml` lists it.
//!
//! A folder and the folders above it share one [`PatternBudget`] for compiled patterns, so the
//! rules of a folder do not depend on the order of a walk.

use crate::languages::LanguageRegistry;
use crate::named_file::{FileProblem, LinkRule, read_patterns};
use crate::pattern_list::{PatternBudget, compile_lines};
use ignore::Match;
use ignore::gitignore::Gitignore;
use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A reader of the rules of a workspace.
pub(super) struct RuleReader<'a> {
    root: &'a Path,
    /// Whether the workspace is in a repository. If so, git's ignore files above a repository do
    /// not apply to it; otherwise the files of all folders apply.
    is_in_repository: bool,
    kinds: RuleKinds,
    global: Gitignore,
    problems: Mutex<BTreeSet<FileProblem>>,
}

/// The kinds of rules that apply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleKinds {
    /// The rules of the walk.
    All,
    /// Only the rules of git: `.ignore` files do not count, and hidden files count.
    Git,
}

/// The rules of a folder and, through `above`, of the folders above it. A folder without rules of
/// its own shares the rules of the folder above.
pub(super) struct FolderRules {
    above: Option<Arc<Self>>,
    /// The patterns of `.ignore`.
    plain: Gitignore,
    /// The patterns of `.gitignore`.
    git: Gitignore,
    /// The patterns of `.git/info/exclude`.
    local: Gitignore,
    /// Whether the folder is the root of a repository.
    starts_repository: bool,
    /// The budget for the folders below.
    remaining_budget: PatternBudget,
}

/// The kinds of rule files that a folder has.
#[derive(Clone, Copy)]
pub(crate) struct RuleFiles {
    /// Whether it has `.ignore`.
    plain: bool,
    /// Whether it has `.gitignore`.
    pub git: bool,
    /// Whether it has `.gitattributes`, which the rules of the walk do not read.
    pub attributes: bool,
    /// Whether it has `.git` or `.jj`.
    pub repository: bool,
}

impl RuleFiles {
    /// The value for a folder that was not listed: it may have files of every kind.
    const UNKNOWN: Self = Self { plain: true, git: true, attributes: true, repository: true };

    /// Returns the rule files among the entries of a folder.
    pub(super) fn among_entries(entries: &[DirEntry]) -> Self {
        let mut files = Self { plain: false, git: false, attributes: false, repository: false };
        for entry in entries {
            let name = entry.file_name();
            files.plain |= name == ".ignore";
            files.git |= name == ".gitignore";
            files.attributes |= name == ".gitattributes";
            files.repository |= name == ".git" || name == ".jj";
        }
        files
    }

    /// Whether the folder adds no rules.
    fn is_empty(self) -> bool {
        !(self.plain || self.git || self.repository)
    }
}

impl<'a> RuleReader<'a> {
    /// Creates a reader for the workspace at `root`, a canonical path.
    pub(super) fn new(root: &'a Path) -> Self {
        let is_in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
        // The user's global file is trusted, like their configuration.
        let global = Gitignore::global().0;
        Self { root, is_in_repository, kinds: RuleKinds::All, global, problems: Mutex::default() }
    }

    /// Creates a reader for the rules of git alone.
    pub(super) fn for_git(root: &'a Path) -> Self {
        Self { kinds: RuleKinds::Git, ..Self::new(root) }
    }

    /// Returns the rules for the names in `folder`: the rules of the folder itself and of all
    /// folders above it.
    pub(super) fn rules_in_folder(&self, folder: &Path) -> Arc<FolderRules> {
        let mut folders: Vec<&Path> = folder.ancestors().collect();
        folders.reverse();
        let mut rules = Arc::new(FolderRules::without_rules());
        for folder in folders {
            rules = self.rules_below(&rules, folder, RuleFiles::UNKNOWN);
        }
        rules
    }

    /// Returns the rules of the folders above `folder`.
    pub(super) fn rules_above_folder(&self, folder: &Path) -> Arc<FolderRules> {
        folder
            .parent()
            .map_or_else(|| Arc::new(FolderRules::without_rules()), |above| self.rules_in_folder(above))
    }

    /// Returns the rules for the names in `folder`, given its rule files and the rules of the
    /// folder above it.
    pub(super) fn rules_below(
        &self,
        above: &Arc<FolderRules>,
        folder: &Path,
        files: RuleFiles,
    ) -> Arc<FolderRules> {
        if files.is_empty() {
            return Arc::clone(above);
        }
        let mut remaining_budget = above.remaining_budget;
        let mut compile_if = |exists: bool, file: &Path, links: LinkRule<'_>| {
            if exists {
                self.compile_pattern_file(folder, file, links, &mut remaining_budget)
            } else {
                Gitignore::empty()
            }
        };
        // A folder above the workspace is not part of it, so links there are not followed at all.
        let links =
            if folder.starts_with(self.root) { LinkRule::Inside(self.root) } else { LinkRule::Refuse };
        let plain = files.plain && self.kinds == RuleKinds::All;
        let plain = compile_if(plain, &folder.join(".ignore"), links);
        let git = compile_if(files.git, &folder.join(".gitignore"), LinkRule::Refuse);
        let exclude = files.repository.then(|| crate::git::find_exclude_file(folder)).flatten();
        let local = match exclude {
            Some(file) => compile_if(true, &file, LinkRule::Follow),
            None => Gitignore::empty(),
        };
        let starts_repository = self.is_in_repository
            && files.repository
            && (folder.join(".git").exists() || folder.join(".jj").exists());
        if plain.is_empty() && git.is_empty() && local.is_empty() && !starts_repository {
            return Arc::clone(above);
        }
        Arc::new(FolderRules {
            above: Some(Arc::clone(above)),
            plain,
            git,
            local,
            starts_repository,
            remaining_budget,
        })
    }

    fn compile_pattern_file(
        &self,
        folder: &Path,
        file: &Path,
        links: LinkRule<'_>,
        budget: &mut PatternBudget,
    ) -> Gitignore {
        let (list, problem) = match read_patterns(file, links) {
            Ok(Some(text)) => compile_lines(folder, &text, budget),
            Ok(None) => (Gitignore::empty(), None),
            Err(refusal) => (Gitignore::empty(), Some(format!("{refusal}; its patterns are ignored"))),
        };
        if let Some(message) = problem {
            let problem = FileProblem::new(self.root, file, message);
            self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(problem);
        }
        list
    }

    /// Whether the rules of its folder leave out the file or folder at this absolute path.
    pub(super) fn is_ignored(&self, rules: &FolderRules, path: &Path, is_folder: bool) -> bool {
        match rules.ignore_verdict(path, is_folder).or_else(|| pattern_verdict(&self.global, path, is_folder))
        {
            Some(ignored) => ignored,
            None => self.kinds == RuleKinds::All && self.is_left_out_as_hidden(rules, path, is_folder),
        }
    }

    /// Whether a path is hidden and not one of the hidden paths that belong to a workspace. In a
    /// folder that is walked only because it leads to such a path, all other paths are left out.
    fn is_left_out_as_hidden(&self, rules: &FolderRules, path: &Path, is_folder: bool) -> bool {
        let relative = path.strip_prefix(self.root).unwrap_or(path);
        let parts: Vec<&str> = relative.iter().map(|part| part.to_str().unwrap_or("")).collect();
        let Some((_, above)) = parts.split_last() else { return false };
        let first_hidden = parts.iter().position(|part| part.starts_with('.'));
        let Some(hidden) = first_hidden else { return is_hidden(path) };
        let includes = LanguageRegistry::get().includes_hidden_path(&parts, is_folder, hidden);
        if hidden == above.len() {
            return !includes;
        }
        // A pattern can re-include a hidden folder, with everything in it that is not hidden.
        let folder = self.root.join(parts[..=hidden].join("/"));
        let is_reincluded = rules.ignore_verdict(&folder, true) == Some(false);
        if is_reincluded { is_hidden(path) && !includes } else { !includes }
    }

    /// Returns the problems with the ignore files that were read.
    pub(super) fn into_problems(self) -> BTreeSet<FileProblem> {
        self.problems.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FolderRules {
    fn without_rules() -> Self {
        let none = Gitignore::empty;
        let remaining_budget = PatternBudget::default();
        Self {
            above: None,
            plain: none(),
            git: none(),
            local: none(),
            starts_repository: false,
            remaining_budget,
        }
    }

    /// Whether a path is ignored, or `None` if no rule matches it.
    fn ignore_verdict(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let (mut plain, mut git, mut local) = (None, None, None);
        let mut above_repository = false;
        for rules in std::iter::successors(Some(self), |rules| rules.above.as_deref()) {
            plain = plain.or_else(|| pattern_verdict(&rules.plain, path, is_folder));
            if !above_repository {
                git = git.or_else(|| pattern_verdict(&rules.git, path, is_folder));
                local = local.or_else(|| pattern_verdict(&rules.local, path, is_folder));
            }
            above_repository |= rules.starts_repository;
        }
        plain.or(git).or(local)
    }
}

fn pattern_verdict(list: &Gitignore, path: &Path, is_folder: bool) -> Option<bool> {
    match list.matched(path, is_folder) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

fn is_hidden(path: &Path) -> bool {
    let by_name = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    by_name || has_hidden_attribute(path)
}

#[cfg(windows)]
fn has_hidden_attribute(path: &Path) -> bool {
    use std::os::windows::fs::MetadataExt as _;
    /// `FILE_ATTRIBUTE_HIDDEN` of the Windows API.
    const HIDDEN: u32 = 2;
    path.symlink_metadata().is_ok_and(|metadata| metadata.file_attributes() & HIDDEN != 0)
}

#[cfg(not(windows))]
fn has_hidden_attribute(_: &Path) -> bool {
    false
}
