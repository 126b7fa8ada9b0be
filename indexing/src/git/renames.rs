//! Renamed files: pairs of a deleted and an added file with similar content.

use super::changes::{ContentChange, FileVersion};
use super::line_diff::{MIN_SIMILARITY, line_similarity};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

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
    if deleted.len() > MAX_COMPARED_FILES || added.len() > MAX_COMPARED_FILES {
        return pair_equal_files(deleted, added);
    }
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
                false => line_similarity(before, after),
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

/// Returns the pairs of files with equal contents that [`pair_files`] forms, in linear time.
fn pair_equal_files(deleted: &[ContentChange], added: &[ContentChange]) -> Vec<(usize, usize)> {
    let mut by_content: FxHashMap<&[u8], VecDeque<usize>> = FxHashMap::default();
    let mut by_name: FxHashMap<(&[u8], &str), VecDeque<usize>> = FxHashMap::default();
    for (new, file) in added.iter().enumerate() {
        if let Some(content) = content_of(file.after.as_ref()) {
            by_content.entry(content).or_default().push_back(new);
            by_name.entry((content, file_name(&file.path))).or_default().push_back(new);
        }
    }
    let (mut pairs, mut used) = (Vec::new(), vec![false; added.len()]);
    let contents = || {
        let files = deleted.iter().enumerate();
        files.filter_map(|(old, file)| Some((old, file, content_of(file.before.as_ref())?)))
    };
    let mut is_paired = vec![false; deleted.len()];
    for (old, file, content) in contents() {
        if let Some(new) = by_name.get_mut(&(content, file_name(&file.path))).and_then(VecDeque::pop_front) {
            (used[new], is_paired[old]) = (true, true);
            pairs.push((old, new));
        }
    }
    for (old, _, content) in contents().filter(|&(old, ..)| !is_paired[old]) {
        let waiting = by_content.get_mut(content).into_iter();
        let new = waiting.flat_map(|files| std::iter::from_fn(|| files.pop_front())).find(|&new| !used[new]);
        if let Some(new) = new {
            used[new] = true;
            pairs.push((old, new));
        }
    }
    pairs
}

/// Returns the content of a file that can be paired.
fn content_of(version: Option<&FileVersion>) -> Option<&[u8]> {
    version?.text.as_deref().filter(|content| !content.is_empty())
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(content: &str) -> FileVersion {
        FileVersion { text: Some(content.into()) }
    }

    #[test]
    fn many_files_with_equal_contents_are_paired_like_few() {
        let files = |folder: &str, names: &[(&str, &str)]| -> Vec<(String, String)> {
            names.iter().map(|(name, content)| (format!("{folder}/{name}"), (*content).to_owned())).collect()
        };
        let old = files("a", &[("x.py", "1"), ("y.py", "1"), ("z.py", "2"), ("e.py", ""), ("n.py", "9")]);
        let new = files("b", &[("y.py", "1"), ("w.py", "1"), ("q.py", "2"), ("e.py", ""), ("m.py", "7")]);
        let change = |(path, content): &(String, String), is_old: bool| ContentChange {
            path: path.clone(),
            before: is_old.then(|| version(content)),
            after: (!is_old).then(|| version(content)),
        };
        let deleted: Vec<_> = old.iter().map(|file| change(file, true)).collect();
        let added: Vec<_> = new.iter().map(|file| change(file, false)).collect();
        let mut few = pair_files(&deleted, &added);
        let mut many = pair_equal_files(&deleted, &added);
        few.sort_unstable();
        many.sort_unstable();
        assert_eq!(few, [(0, 1), (1, 0), (2, 2)]);
        assert_eq!(many, few);
        // Comparing all pairs would take hours.
        let moved = |folder: &str, is_old: bool| -> Vec<ContentChange> {
            (0..50_000).map(|at| change(&(format!("{folder}/{at}.py"), "1".to_owned()), is_old)).collect()
        };
        assert_eq!(pair_files(&moved("a", true), &moved("b", false)).len(), 50_000);
    }
}
