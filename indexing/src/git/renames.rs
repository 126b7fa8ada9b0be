//! Renamed files: pairs of a deleted and an added file with similar content.

use super::changes::{ContentChange, FileVersion};
use super::line_diff::{MIN_SIMILARITY, line_similarity};

/// Number of deleted or added files above which only files with equal content are paired. Comparing
/// all pairs would take too long; git has a similar limit.
const MAX_COMPARED_FILES: usize = 200;

/// Joins renamed files. Returns each change with the old path and content if the file was renamed.
pub(super) fn join_renames(
    changes: Vec<ContentChange>,
) -> Vec<(ContentChange, Option<(String, FileVersion)>)> {
    let (mut deleted, rest): (Vec<ContentChange>, Vec<ContentChange>) =
        changes.into_iter().partition(|change| change.after.is_none());
    let (mut added, modified): (Vec<ContentChange>, Vec<ContentChange>) =
        rest.into_iter().partition(|change| change.before.is_none());
    let mut files: Vec<_> = modified.into_iter().map(|change| (change, None)).collect();
    for (old, new) in pair_files(&deleted, &added) {
        let old = std::mem::replace(&mut deleted[old], empty_change());
        let new = std::mem::replace(&mut added[new], empty_change());
        if let Some(version) = old.before {
            files.push((new, Some((old.path, version))));
        }
    }
    let rest = deleted.into_iter().chain(added).filter(|change| !change.path.is_empty());
    files.extend(rest.map(|change| (change, None)));
    files
}

fn empty_change() -> ContentChange {
    ContentChange { path: String::new(), before: None, after: None }
}

/// Returns pairs of a deleted and an added file, with each file in at most one pair. The most
/// similar pairs are formed first. Among equally similar pairs, equal file names come first, then
/// the order of the paths decides.
fn pair_files(deleted: &[ContentChange], added: &[ContentChange]) -> Vec<(usize, usize)> {
    let compare_lines = deleted.len() <= MAX_COMPARED_FILES && added.len() <= MAX_COMPARED_FILES;
    let mut pairs = Vec::new();
    for (old, deleted_file) in deleted.iter().enumerate() {
        let Some(before) = deleted_file.before.as_ref().and_then(|version| version.text.as_deref()) else {
            continue;
        };
        for (new, added_file) in added.iter().enumerate() {
            let Some(after) = added_file.after.as_ref().and_then(|version| version.text.as_deref()) else {
                continue;
            };
            let similarity = match before == after {
                true if before.is_empty() => 0.0,
                true => 1.0,
                false if compare_lines => line_similarity(before, after),
                false => 0.0,
            };
            if similarity >= MIN_SIMILARITY {
                let other_name = file_name(&deleted_file.path) != file_name(&added_file.path);
                pairs.push(((1.0 - similarity, other_name), old, new));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.0.total_cmp(&b.0.0).then(a.0.1.cmp(&b.0.1)).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut used_old, mut used_new) = (vec![false; deleted.len()], vec![false; added.len()]);
    pairs.retain(|&(_, old, new)| {
        let unpaired = !used_old[old] && !used_new[new];
        if unpaired {
            (used_old[old], used_new[new]) = (true, true);
        }
        unpaired
    });
    pairs.into_iter().map(|(_, old, new)| (old, new)).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
