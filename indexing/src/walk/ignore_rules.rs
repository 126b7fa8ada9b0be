//! The ignore files that hold in a folder, and what they say about the names in it.
//!
//! The rules are those of git with `.ignore` files before them: of one kind, the deepest file that says anything decides; a
//! `.ignore` decides before a `.gitignore`, that before `.git/info/exclude`, and that before the user's global excludes. What
//! lies above a repository says nothing about its files, except in `.ignore` files. Patterns are compiled within one
//! [`PatternBudget`] for a folder and those above it, so that what a folder ignores does not depend on the order of a walk.

use crate::named_file::{FileProblem, LinkRule, read_patterns};
use crate::pattern_list::{PatternBudget, compile_lines};
use ignore::Match;
use ignore::gitignore::Gitignore;
use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Reads the rules of a workspace.
pub(super) struct RuleReader<'a> {
    root: &'a Path,
    /// In a repository its own rules count, and what is above it says nothing of its files; elsewhere the ignore files of all
    /// folders count.
    in_repository: bool,
    kinds: RuleKinds,
    global: Gitignore,
    problems: Mutex<BTreeSet<FileProblem>>,
}

/// Whose rules hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleKinds {
    /// Those of the walk.
    All,
    /// Those of git alone: no `.ignore` files, and hidden files are like others.
    Git,
}

/// The rules of a folder and, through `above`, of those above it. A folder without any shares those of the one above.
pub(super) struct FolderRules {
    above: Option<Arc<Self>>,
    plain: Gitignore,
    git: Gitignore,
    local: Gitignore,
    starts_repository: bool,
    left: PatternBudget,
}

/// Which files with rules a folder has.
#[derive(Clone, Copy)]
pub(crate) struct RuleFiles {
    /// `.ignore`.
    plain: bool,
    /// `.gitignore`.
    pub git: bool,
    /// `.gitattributes`, which the rules of the walk do not read.
    pub attributes: bool,
    /// `.git`, or `.jj`.
    pub repository: bool,
}

impl RuleFiles {
    /// Any of them: the folder was not listed.
    const UNKNOWN: Self = Self { plain: true, git: true, attributes: true, repository: true };

    /// Those among the entries of a folder.
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

    /// Whether the folder has no rules of its own.
    fn is_empty(self) -> bool {
        !(self.plain || self.git || self.repository)
    }
}

impl<'a> RuleReader<'a> {
    /// For the workspace at `root`, which is canonical.
    pub(super) fn new(root: &'a Path) -> Self {
        let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
        // The user's own file: it is trusted as their configuration is.
        let global = Gitignore::global().0;
        Self { root, in_repository, kinds: RuleKinds::All, global, problems: Mutex::default() }
    }

    /// As [`Self::new`], with the rules of git alone.
    pub(super) fn for_git(root: &'a Path) -> Self {
        Self { kinds: RuleKinds::Git, ..Self::new(root) }
    }

    /// The rules for the names in `folder`: its own and those of all folders above it.
    pub(super) fn rules_in_folder(&self, folder: &Path) -> Arc<FolderRules> {
        let mut folders: Vec<&Path> = folder.ancestors().collect();
        folders.reverse();
        let mut rules = Arc::new(FolderRules::without_rules());
        for folder in folders {
            rules = self.rules_below(&rules, folder, RuleFiles::UNKNOWN);
        }
        rules
    }

    /// The rules for the names above `folder`.
    pub(super) fn rules_above_folder(&self, folder: &Path) -> Arc<FolderRules> {
        folder
            .parent()
            .map_or_else(|| Arc::new(FolderRules::without_rules()), |above| self.rules_in_folder(above))
    }

    /// The rules for the names in `folder`, in which these files are, given those of the folder above it.
    pub(super) fn rules_below(
        &self,
        above: &Arc<FolderRules>,
        folder: &Path,
        files: RuleFiles,
    ) -> Arc<FolderRules> {
        if files.is_empty() {
            return Arc::clone(above);
        }
        let mut left = above.left;
        let mut read = |wanted: bool, file: &Path, links: LinkRule<'_>| {
            if wanted {
                self.compile_pattern_file(folder, file, links, &mut left)
            } else {
                Gitignore::empty()
            }
        };
        // What is above the workspace is not in it: there, a link is not followed at all.
        let links =
            if folder.starts_with(self.root) { LinkRule::Inside(self.root) } else { LinkRule::Refuse };
        let plain = files.plain && self.kinds == RuleKinds::All;
        let plain = read(plain, &folder.join(".ignore"), links);
        let git = read(files.git, &folder.join(".gitignore"), LinkRule::Refuse);
        let exclude = files.repository.then(|| crate::git::find_exclude_file(folder)).flatten();
        let local = match exclude {
            Some(file) => read(true, &file, LinkRule::Follow),
            None => Gitignore::empty(),
        };
        let starts_repository = self.in_repository
            && files.repository
            && (folder.join(".git").exists() || folder.join(".jj").exists());
        if plain.is_empty() && git.is_empty() && local.is_empty() && !starts_repository {
            return Arc::clone(above);
        }
        Arc::new(FolderRules { above: Some(Arc::clone(above)), plain, git, local, starts_repository, left })
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
            Err(refusal) => (Gitignore::empty(), Some(format!("{refusal}; its patterns are not used"))),
        };
        if let Some(message) = problem {
            let problem = FileProblem::new(self.root, file, message);
            self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(problem);
        }
        list
    }

    /// Whether the rules for the names in its folder leave out `path`: a file or folder by this absolute path.
    pub(super) fn is_ignored(&self, rules: &FolderRules, path: &Path, is_folder: bool) -> bool {
        match rules.ignore_verdict(path, is_folder).or_else(|| pattern_verdict(&self.global, path, is_folder))
        {
            Some(ignored) => ignored,
            None => self.kinds == RuleKinds::All && is_hidden(path),
        }
    }

    /// What is wrong with the files that were read, sorted.
    pub(super) fn into_problems(self) -> BTreeSet<FileProblem> {
        self.problems.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FolderRules {
    fn without_rules() -> Self {
        let none = Gitignore::empty;
        let left = PatternBudget::default();
        Self { above: None, plain: none(), git: none(), local: none(), starts_repository: false, left }
    }

    /// Whether a path is ignored, where a rule says so or the contrary.
    fn ignore_verdict(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let (mut plain, mut git, mut local) = (None, None, None);
        let mut outside = false;
        for rules in std::iter::successors(Some(self), |rules| rules.above.as_deref()) {
            plain = plain.or_else(|| pattern_verdict(&rules.plain, path, is_folder));
            if !outside {
                git = git.or_else(|| pattern_verdict(&rules.git, path, is_folder));
                local = local.or_else(|| pattern_verdict(&rules.local, path, is_folder));
            }
            outside |= rules.starts_repository;
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
