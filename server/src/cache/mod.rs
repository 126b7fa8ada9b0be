//! Kenning's folder in the user's cache: reading its contents, and removing them.
//!
//! `contents` reads the folder: one [`CacheFolder`] for each workspace and each cache of facts, and
//! everything else by name, so that nothing that takes space is hidden. `prune` decides which data
//! is no longer needed, `owned_files` recognizes the files that Kenning wrote, `removal` removes
//! them, and `report` formats the contents and the results. `usage` adds up sizes for `kenning
//! status`.
//!
//! Invariants: nothing that a process uses is removed (`kenning_graph::store::RemovalLock`). A file
//! is removed only if its content, or the record of its folder, shows that it is Kenning's. Links
//! are neither followed nor removed. Data that Kenning cannot rebuild by itself (feedback, learned
//! data, imported runs) is kept unless the user asks for its removal.

mod contents;
mod owned_files;
mod prune;
mod removal;
mod report;
mod usage;

pub use contents::{CacheContents, CacheFolder, CacheItem, FactsState, FolderSizes, IndexState, ItemKind};
pub use owned_files::{is_document_name, is_file, is_pack_name};
pub use prune::{
    PruneReport, PruneRules, RemovalMode, RemovalReason, RemovedData, clear_everything, clear_named_database,
    clear_workspace, prune_cache, prune_once_a_day,
};
pub use removal::{LearnedData, RemovalError, RemovedBytes, remove_facts, remove_index};
pub use report::{prune_json, render_contents, render_prune_report, render_size, size_json, table_json};
pub use usage::DiskUsage;
