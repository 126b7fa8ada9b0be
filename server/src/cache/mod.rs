//! Kenning's folder in the user's cache: reading its contents, and removing them.
//!
//! `contents` reads the folder: one [`CacheFolder`] for each workspace and each cache of facts, and
//! everything else by name, so that nothing that takes space is hidden. `prune` decides which data
//! is no longer needed, `removal` removes it, and `report` formats both. `usage` adds up sizes for
//! `kenning status`.
//!
//! Invariants: nothing that a process uses is removed (`kenning_graph::store::RemovalLock`). Only
//! files with names that Kenning gives are removed, links are removed but never followed, and data
//! that Kenning cannot rebuild by itself (feedback, learned data, imported runs) is kept unless the
//! user asks for its removal.

mod contents;
mod prune;
mod removal;
mod report;
mod usage;

pub use contents::{CacheContents, CacheFolder, CacheItem, FactsState, FolderSizes, IndexState, ItemKind};
pub use prune::{
    PruneReport, PruneRules, RemovalReason, RemovedData, clear_everything, clear_workspace, prune_cache,
    prune_once_a_day,
};
pub use removal::{
    LearnedData, RemovalError, RemovedBytes, remove_facts, remove_index, remove_named_database,
};
pub use report::{prune_json, render_contents, render_prune_report, render_size, size_json, table_json};
pub use usage::DiskUsage;
