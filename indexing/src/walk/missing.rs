//! Whether a path where nothing stands yet would be indexed: the rules of the walk, asked for a name.

use super::attributes::Attributes;
use super::{Excludes, WalkOptions, in_go_vendor};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whether a file at `path`, which does not exist, would be taken in.
pub(super) fn takes(root: &Path, options: &WalkOptions, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let mut folder = root.to_owned();
    let mut standing = 0;
    // As far as there are folders, what the walk does with them counts.
    while standing + 1 < parts.len() && folder.join(parts[standing]).is_dir() {
        folder.push(parts[standing]);
        standing += 1;
    }
    if standing > 0 && !is_walked(root, options, &parts[..standing].join("/")) {
        return false;
    }
    let rules = Rules::of(&folder);
    let mut at = folder;
    for (i, part) in parts.iter().enumerate().skip(standing) {
        at.push(part);
        if rules.ignores(&at, i + 1 < parts.len()) {
            return false;
        }
    }
    let excluded = Excludes::new(root, &options.exclude).is_ok_and(|excludes| excludes.cover(path));
    !excluded && Attributes::new(root).skip(path).is_none() && !in_go_vendor(root, path, &mut BTreeMap::new())
}

/// Whether the walk comes into a folder that exists: it would see a name in it.
fn is_walked(root: &Path, options: &WalkOptions, folder: &str) -> bool {
    let Ok(mut builder) = super::walker(root, options) else { return false };
    let wanted = root.join(folder);
    let target = wanted.clone();
    builder.filter_entry(move |entry| target.starts_with(entry.path()));
    builder.build().flatten().any(|entry| entry.path() == wanted)
}

/// The ignore files that count for names in one folder, by kind; of one kind, the deepest that says anything decides.
struct Rules {
    kinds: [Vec<Gitignore>; 4],
}

impl Rules {
    fn of(folder: &Path) -> Self {
        let (mut plain, mut git, mut local) = (Vec::new(), Vec::new(), Vec::new());
        let mut in_repository = true;
        for folder in folder.ancestors() {
            plain.extend(read(&folder.join(".ignore")));
            if in_repository {
                git.extend(read(&folder.join(".gitignore")));
                if folder.join(".git").exists() {
                    local.extend(local_excludes(folder));
                    // What stands above a repository says nothing of its files.
                    in_repository = false;
                }
            }
        }
        Self { kinds: [plain, git, local, vec![Gitignore::global().0]] }
    }

    fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        for kind in &self.kinds {
            for rules in kind {
                let matched = match path.strip_prefix(rules.path()) {
                    Ok(relative) => rules.matched(relative, is_folder),
                    Err(_) => rules.matched(path, is_folder),
                };
                match matched {
                    Match::None => {}
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                }
            }
        }
        false
    }
}

fn read(file: &Path) -> Option<Gitignore> {
    file.is_file().then(|| Gitignore::new(file).0)
}

/// `info/exclude` of the repository at `folder`; a linked worktree shares that of its repository.
fn local_excludes(folder: &Path) -> Option<Gitignore> {
    let common: PathBuf = crate::git::common_dir(folder)?;
    let mut builder = GitignoreBuilder::new(folder);
    let file = common.join("info/exclude");
    if !file.is_file() || builder.add(&file).is_some() {
        return None;
    }
    builder.build().ok()
}
