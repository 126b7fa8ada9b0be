//! The sizes that `kenning status` shows.

use super::contents::{CacheContents, FilePart, TreeSize};
use super::owned_files::CompanionKind;
use crate::format::wording::group_digits;
use crate::status::render_bytes;
use kenning_indexing::workspace::DatabasePaths;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// The space that a workspace and the whole cache take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiskUsage {
    /// The size of the files of this index in bytes, including learned data and vectors.
    index_bytes: u64,
    /// The size in bytes of the cache of facts, which the worktrees of a repository share.
    facts_bytes: u64,
    /// The size of Kenning's whole folder in the cache in bytes.
    cache_bytes: u64,
    /// The number of indexes in the cache.
    cached_indexes: usize,
}

impl DiskUsage {
    /// Measures the files of a workspace and Kenning's folder in the cache.
    pub fn measure(paths: &DatabasePaths, cache: Option<&Path>) -> Self {
        let contents = cache.and_then(|cache| CacheContents::read_folder(cache).ok()).unwrap_or_default();
        let name = paths.graph.file_name().unwrap_or_default().to_string_lossy();
        let is_index = |file: &str| {
            if paths.named_by_user {
                return CompanionKind::from_name(file, &name).is_some();
            }
            matches!(FilePart::from_name(file), FilePart::Index | FilePart::Learned)
        };
        Self {
            index_bytes: sum_files(&paths.graph, is_index),
            facts_bytes: sum_files(&paths.facts, |file| FilePart::from_name(file) == FilePart::Facts),
            cache_bytes: contents.total_bytes(),
            cached_indexes: contents.index_count(),
        }
    }

    /// Returns the sizes in words, for `kenning status`.
    pub fn describe_space(&self) -> String {
        let own = render_bytes(self.index_bytes + self.facts_bytes);
        let all = render_bytes(self.cache_bytes);
        let indexes = match self.cached_indexes {
            1 => "1 index".to_owned(),
            count => format!("{} indexes", group_digits(count)),
        };
        format!("{own} for this workspace; the cache takes {all} for {indexes} (kenning cache list)")
    }
}

/// Adds up the files in the folder of a database whose names `is_part` accepts.
fn sum_files(database: &Path, is_part: impl Fn(&str) -> bool) -> u64 {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let parts = entries.filter(|entry| is_part(&entry.file_name().to_string_lossy()));
    parts.map(|entry| TreeSize::measure(&entry.path()).bytes).sum()
}
