//! The base of a change: the newest commit that a revision and the checked-out commit have in
//! common.

use super::changes::ChangesError;
use gix::{ObjectId, Repository};

/// The references to try as the default base, in this order. Those of the remote come first,
/// because reviewers compare with the branch that work is merged into.
const DEFAULT_BASES: [&str; 7] = [
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/remotes/upstream/HEAD",
    "refs/heads/main",
    "refs/heads/master",
    "refs/heads/trunk",
];

/// The base of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangeBase {
    /// The name of the revision, as requested or chosen.
    pub name: String,
    /// The newest commit that the revision and the checked-out commit have in common; `None` before
    /// the first commit.
    pub commit: Option<ObjectId>,
}

/// Returns the base of the change against `requested`, or against the default branch with `None`.
///
/// # Errors
/// Returns an error if `requested` is not a commit, or has no known commit in common with the
/// checked-out one.
pub(super) fn find_base(
    repository: &Repository,
    requested: Option<&str>,
) -> Result<ChangeBase, ChangesError> {
    // A branch without commits has no id.
    let head = repository.head().ok().and_then(|head| head.id()).map(gix::Id::detach);
    match (requested, head) {
        (None, None) => Ok(ChangeBase { name: "the empty tree".to_owned(), commit: None }),
        (None, Some(head)) => Ok(default_base(repository, head)),
        (Some(requested), head) => {
            let commit = find_commit(repository, requested)
                .ok_or_else(|| ChangesError::UnknownBase(requested.to_owned()))?;
            // If there is no checked-out commit, the working tree is compared with the revision
            // itself.
            let commit = match head {
                Some(head) => merge_base(repository, commit, head)
                    .ok_or_else(|| ChangesError::Unrelated(requested.to_owned()))?,
                None => commit,
            };
            Ok(ChangeBase { name: requested.to_owned(), commit: Some(commit) })
        }
    }
}

/// Returns the first default base that has a commit in common with `head`, or `head` itself.
fn default_base(repository: &Repository, head: ObjectId) -> ChangeBase {
    let base = DEFAULT_BASES.iter().find_map(|name| {
        let reference = repository.try_find_reference(*name).ok().flatten()?;
        let tip = reference.into_fully_peeled_id().ok()?.detach();
        let commit = merge_base(repository, tip, head)?;
        let short = name.trim_start_matches("refs/remotes/").trim_start_matches("refs/heads/");
        Some(ChangeBase { name: short.to_owned(), commit: Some(commit) })
    });
    base.unwrap_or_else(|| ChangeBase { name: "HEAD".to_owned(), commit: Some(head) })
}

fn find_commit(repository: &Repository, revision: &str) -> Option<ObjectId> {
    let id = repository.rev_parse_single(revision).ok()?;
    let object = id.object().ok()?.peel_tags_to_end().ok()?;
    Some(object.try_into_commit().ok()?.id)
}

fn merge_base(repository: &Repository, first: ObjectId, second: ObjectId) -> Option<ObjectId> {
    if first == second {
        return Some(first);
    }
    repository.merge_base(first, second).ok().map(gix::Id::detach)
}
