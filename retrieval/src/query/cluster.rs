//! Clusters of similar requests, so that feedback on one counts for the others (`docs/ranking.md`).

use super::{KeywordSet, truncate_text};
use crate::config::RankConfig;
use kenning_graph::Hash;
use kenning_graph::hash::HashBuilder;
use std::collections::BTreeSet;

/// Returns the cluster of a task: the hash of its sorted primary keywords, or of its single words
/// if it has no primary keywords. Returns `None` for a task without keywords.
pub fn task_cluster(task: &str, config: &RankConfig) -> Option<Hash> {
    let keywords = KeywordSet::from_text(truncate_text(task.trim(), config.query.max_bytes));
    let primary = hash_members("task", keywords.primary_keywords().map(str::to_lowercase));
    primary.or_else(|| hash_members("words", keywords.components.iter().map(|word| word.to_lowercase())))
}

/// Returns the cluster of a request about files, whatever their order; `None` without files.
pub fn files_cluster<'a>(paths: impl IntoIterator<Item = &'a str>) -> Option<Hash> {
    hash_members("files", paths.into_iter().map(|path| path.trim_start_matches("./").to_owned()))
}

fn hash_members(kind: &str, members: impl Iterator<Item = String>) -> Option<Hash> {
    let sorted: BTreeSet<String> = members.collect();
    if sorted.is_empty() {
        return None;
    }
    let mut hasher = HashBuilder::new("cluster");
    hasher.add_text(kind);
    for member in &sorted {
        hasher.add_text(member);
    }
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_with_the_same_names_are_one_cluster() {
        let cluster = |task: &str| task_cluster(task, &RankConfig::default());
        let hook = cluster("fix the `before_request` hook");
        assert_eq!(hook, cluster("`before_request`: fix the hook"), "order and filling words do not count");
        assert_ne!(hook, cluster("fix the `after_request` hook"));
        assert_ne!(hook, None);
        assert_ne!(cluster("speed"), None, "words count if there is no name");
        assert_ne!(cluster("speed"), cluster("size"));
        assert_eq!(cluster(" \u{1f642} "), None);
        assert_eq!(files_cluster(["./a.py", "b.py"]), files_cluster(["b.py", "a.py"]));
        assert_eq!(files_cluster([]), None);
    }
}
