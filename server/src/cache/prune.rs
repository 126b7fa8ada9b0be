//! Decides which data in the cache is no longer needed, and removes it.
//!
//! Pruning on demand removes the indexes of workspaces that no longer exist, indexes of older
//! schemas, and facts that no index refers to. Automatic pruning runs at most once a day and
//! removes only data that has not been used for 30 days. A workspace counts as gone only if the
//! folder around it exists and is not empty, so that the indexes of a disk that is not mounted are
//! kept.

use super::contents::{
    CacheContents, CacheFolder, CacheItem, FactsState, IndexState, ItemKind, PRUNE_STAMP, TreeSize,
};
use super::owned_files::{OwnedEntry, list_server_caches, remove_server_caches};
use super::removal::{
    LearnedData, RemovalError, RemovalPlan, RemovedBytes, check_unused, remove_facts, remove_index,
    remove_named_database,
};
use kenning_graph::private_files;
use kenning_graph::store::WorkspaceRecord;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time without use after which automatic pruning removes data.
const AUTOMATIC_AGE: Duration = Duration::from_secs(30 * 86_400);

/// The time between two automatic prunings.
const AUTOMATIC_INTERVAL: Duration = Duration::from_secs(86_400);

/// The rules that select the data to remove.
#[derive(Clone, Copy, Debug, Default)]
pub struct PruneRules {
    /// Whether Kenning prunes by itself rather than at the user's request. It then removes much
    /// less.
    pub is_automatic: bool,
    /// Also remove indexes that have not been used for this time.
    pub older_than: Option<Duration>,
    /// Whether to delete the learned data of removed indexes.
    pub learned: LearnedData,
    /// Whether to remove the data.
    pub mode: RemovalMode,
}

/// Whether data is removed or only listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemovalMode {
    /// Remove it.
    #[default]
    Remove,
    /// Only report what would be removed.
    DryRun,
}

/// The result of pruning.
#[derive(Debug, Default)]
pub struct PruneReport {
    /// Whether nothing was removed.
    pub is_dry_run: bool,
    /// The removed items; in a dry run, the items to remove.
    pub removed: Vec<RemovedData>,
    /// The items that could not be removed: name and reason.
    pub failures: Vec<(String, RemovalError)>,
    /// The size of the cache afterwards, in bytes.
    pub left_bytes: u64,
}

/// An index, facts or another item that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedData {
    /// The name, for people: `the index of /home/me/shop`.
    pub name: String,
    /// The folder or file.
    pub path: PathBuf,
    /// The files and folders that were removed.
    pub files: Vec<PathBuf>,
    /// The files and folders that were kept, because they are not recognizably Kenning's although
    /// they have such names.
    pub unrecognized: Vec<PathBuf>,
    /// The reason for the removal.
    pub reason: RemovalReason,
    /// The sizes of the removed and the kept data.
    pub bytes: RemovedBytes,
}

/// The reason why an item is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalReason {
    /// The workspace no longer exists.
    WorkspaceGone,
    /// A version with this older schema wrote the index.
    OlderSchema(u32),
    /// The index has not been used for this time.
    Unused(Duration),
    /// No index refers to the facts.
    NoIndex,
    /// The user asked for the removal.
    Asked,
}

/// Removes the data that the rules select from Kenning's folder in the cache.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn prune_cache(home: &Path, rules: PruneRules) -> io::Result<PruneReport> {
    let mut cleaner = CacheCleaner::read_folder(home, rules.mode)?;
    let now = SystemTime::now();
    for at in 0..cleaner.contents.folders.len() {
        if let Some(reason) = find_index_reason(&cleaner.contents.folders[at], rules, now) {
            let learned = match reason {
                RemovalReason::OlderSchema(_) => LearnedData::Keep,
                _ => rules.learned,
            };
            cleaner.remove_index_at(at, reason, learned);
        }
    }
    cleaner.contents.find_referenced_facts();
    for at in 0..cleaner.contents.folders.len() {
        if let Some(reason) = find_facts_reason(&cleaner.contents.folders[at], rules, now) {
            cleaner.remove_facts_at(at, reason);
        }
    }
    Ok(cleaner.into_report())
}

/// Prunes the cache automatically, unless that happened within the last day. Logs each removal.
pub fn prune_once_a_day(home: &Path) {
    let stamp = home.join(PRUNE_STAMP);
    let age = |path: &Path| std::fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
    if !home.is_dir() || age(&stamp).is_some_and(|age| age < AUTOMATIC_INTERVAL) {
        return;
    }
    let rules = PruneRules { is_automatic: true, ..PruneRules::default() };
    // An existing file is not truncated, because it may not be Kenning's.
    let pruned = private_files::open_or_create(&stamp)
        .and_then(|file| file.set_modified(SystemTime::now()))
        .and_then(|()| prune_cache(home, rules));
    match pruned {
        Ok(report) => {
            for RemovedData { name, bytes, .. } in report.removed {
                tracing::info!(
                    bytes = bytes.removed,
                    "removed {name} from the cache, where it was no longer used"
                );
            }
            for (name, error) in report.failures {
                tracing::info!(%error, "cannot remove {name} from the cache");
            }
        }
        Err(error) => tracing::info!(%error, "cannot prune the cache"),
    }
}

/// Removes the index of one workspace, and its facts if no other index refers to them.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn clear_workspace(
    home: &Path,
    folder: &Path,
    learned: LearnedData,
    mode: RemovalMode,
) -> io::Result<PruneReport> {
    let mut cleaner = CacheCleaner::read_folder(home, mode)?;
    let folders = &cleaner.contents.folders;
    let has_data =
        |other: &CacheFolder| other.index.is_some() && (other.has_graph || learned == LearnedData::Delete);
    let Some(at) = folders.iter().position(|other| other.path == folder && has_data(other)) else {
        return Ok(cleaner.into_report());
    };
    let facts = folders[at].record.as_ref().and_then(|record| record.facts.clone());
    cleaner.remove_index_at(at, RemovalReason::Asked, learned);
    cleaner.contents.find_referenced_facts();
    let facts_at = cleaner.contents.folders.iter().position(|other| Some(&other.name) == facts.as_ref());
    if let Some(at) = facts_at
        && matches!(
            cleaner.contents.folders[at].facts,
            Some(FactsState::Unreferenced | FactsState::MaybeReferenced)
        )
    {
        cleaner.remove_facts_at(at, RemovalReason::NoIndex);
    }
    Ok(cleaner.into_report())
}

/// Removes the index in a database that the user named, which is called `name` in the report. `home`
/// is Kenning's folder in the cache, whose size the report states.
///
/// # Errors
/// Returns an error if the folder in the cache cannot be read.
pub fn clear_named_database(
    home: &Path,
    database: &Path,
    name: String,
    mode: RemovalMode,
) -> io::Result<PruneReport> {
    let mut cleaner = CacheCleaner::read_folder(home, mode)?;
    let removed = cleaner.remove_planned(
        || RemovalPlan::for_named_database(database),
        database,
        || remove_named_database(database),
    );
    let left_bytes = cleaner.contents.total_bytes();
    cleaner.record_removal(name, database, RemovalReason::Asked, removed);
    Ok(PruneReport { left_bytes, ..cleaner.into_report() })
}

/// Removes all indexes, all facts, shown documents and the caches of language servers.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn clear_everything(home: &Path, learned: LearnedData, mode: RemovalMode) -> io::Result<PruneReport> {
    let mut cleaner = CacheCleaner::read_folder(home, mode)?;
    for at in 0..cleaner.contents.folders.len() {
        let folder = &cleaner.contents.folders[at];
        let (has_facts, is_in_use) = (folder.facts.is_some(), folder.facts == Some(FactsState::InUse));
        if folder.index.is_some() && (folder.has_graph || learned == LearnedData::Delete) {
            cleaner.remove_index_at(at, RemovalReason::Asked, learned);
        }
        // If facts are in use, the failure of the index already reports it.
        if has_facts && !is_in_use {
            cleaner.remove_facts_at(at, RemovalReason::Asked);
        }
    }
    // A failure shows that a session may be running, whose servers use their caches.
    if cleaner.failures.is_empty() {
        cleaner.remove_items();
    }
    Ok(cleaner.into_report())
}

/// Returns the reason to remove the index in a folder; `None` to keep it.
fn find_index_reason(folder: &CacheFolder, rules: PruneRules, now: SystemTime) -> Option<RemovalReason> {
    let state = folder.index.filter(|state| *state != IndexState::InUse)?;
    if !folder.has_graph && rules.learned == LearnedData::Keep {
        return None;
    }
    let unused = unused_time(folder, now);
    match state {
        IndexState::WorkspaceGone if !rules.is_automatic => return Some(RemovalReason::WorkspaceGone),
        IndexState::WorkspaceGone if unused >= AUTOMATIC_AGE && is_parent_present(folder) => {
            return Some(RemovalReason::WorkspaceGone);
        }
        IndexState::OlderSchema(schema) if !rules.is_automatic && folder.has_graph => {
            return Some(RemovalReason::OlderSchema(schema));
        }
        _ => {}
    }
    rules.older_than.filter(|limit| unused >= *limit).map(|_| RemovalReason::Unused(unused))
}

/// Returns the reason to remove the facts in a folder; `None` to keep them.
fn find_facts_reason(folder: &CacheFolder, rules: PruneRules, now: SystemTime) -> Option<RemovalReason> {
    let is_old = unused_time(folder, now) >= AUTOMATIC_AGE;
    match folder.facts? {
        FactsState::Unreferenced if !rules.is_automatic || is_old => Some(RemovalReason::NoIndex),
        FactsState::MaybeReferenced if is_old => Some(RemovalReason::NoIndex),
        _ => None,
    }
}

/// Returns the time since the last use; zero if it is unknown or in the future.
fn unused_time(folder: &CacheFolder, now: SystemTime) -> Duration {
    folder.last_used.and_then(|used| now.duration_since(used).ok()).unwrap_or_default()
}

/// Whether the folder around the workspace exists and has an entry. The mount point of a disk that
/// is not mounted is missing or empty.
fn is_parent_present(folder: &CacheFolder) -> bool {
    let root = folder.record.as_ref().and_then(WorkspaceRecord::root_path);
    let parent = root.as_deref().and_then(Path::parent);
    parent
        .and_then(|parent| std::fs::read_dir(parent).ok())
        .is_some_and(|mut entries| entries.next().is_some())
}

/// Removes data and records the removals and failures.
struct CacheCleaner {
    contents: CacheContents,
    removed: Vec<RemovedData>,
    failures: Vec<(String, RemovalError)>,
    mode: RemovalMode,
}

impl CacheCleaner {
    fn read_folder(home: &Path, mode: RemovalMode) -> io::Result<Self> {
        let contents = CacheContents::read_folder(home)?;
        Ok(Self { contents, removed: Vec::new(), failures: Vec::new(), mode })
    }

    fn remove_index_at(&mut self, at: usize, reason: RemovalReason, learned: LearnedData) {
        let folder = &self.contents.folders[at];
        let (name, path) = (describe_index(folder), folder.path.clone());
        let removed = self.remove_planned(
            || RemovalPlan::for_index(&path, learned),
            &path.join("graph.db"),
            || remove_index(&path, learned),
        );
        if removed.is_ok() {
            self.contents.folders[at].has_graph = false;
        }
        self.record_removal(name, &path, reason, removed);
    }

    fn remove_facts_at(&mut self, at: usize, reason: RemovalReason) {
        let folder = &self.contents.folders[at];
        let name = match &folder.record {
            Some(record) => format!("the facts of {}", record.root),
            None => folder.name.clone(),
        };
        let path = folder.path.clone();
        let removed = self.remove_planned(
            || RemovalPlan::for_facts(&path),
            &path.join("facts.db"),
            || remove_facts(&path),
        );
        self.record_removal(name, &path, reason, removed);
    }

    /// Makes a plan and carries it out, unless this is a dry run. A dry run only checks that no
    /// process uses `database`.
    fn remove_planned(
        &self,
        make_plan: impl FnOnce() -> Result<RemovalPlan, RemovalError>,
        database: &Path,
        remove: impl FnOnce() -> Result<RemovedBytes, RemovalError>,
    ) -> Result<(RemovalPlan, RemovedBytes), RemovalError> {
        let plan = make_plan()?;
        let bytes = match self.mode {
            RemovalMode::DryRun => check_unused(database).map(|()| plan.sizes())?,
            RemovalMode::Remove => remove()?,
        };
        Ok((plan, bytes))
    }

    /// Adds a removal or its failure to the report.
    fn record_removal(
        &mut self,
        name: String,
        path: &Path,
        reason: RemovalReason,
        removed: Result<(RemovalPlan, RemovedBytes), RemovalError>,
    ) {
        match removed {
            Ok((plan, bytes)) => self.removed.push(RemovedData {
                name,
                path: path.to_owned(),
                files: plan.paths(),
                unrecognized: plan.unrecognized().to_vec(),
                reason,
                bytes,
            }),
            Err(error) => self.failures.push((name, error)),
        }
    }

    /// Removes the items that belong to no workspace, except files that Kenning did not write.
    fn remove_items(&mut self) {
        for item in std::mem::take(&mut self.contents.items) {
            let name = item.kind.describe().to_owned();
            match self.remove_item(&item) {
                Some(Ok(RemovedFiles { files, bytes })) => {
                    let bytes = RemovedBytes { removed: bytes, kept: 0 };
                    let (path, unrecognized, reason) = (item.path.clone(), Vec::new(), RemovalReason::Asked);
                    self.removed.push(RemovedData { name, path, files, unrecognized, reason, bytes });
                }
                Some(Err((path, reason))) => self.failures.push((name, RemovalError::File { path, reason })),
                None => {}
            }
            self.contents.items.push(item);
        }
    }

    /// Removes an item. Returns the removed files and their size, or the path that cannot be removed;
    /// `None` if nothing in it is Kenning's.
    fn remove_item(&self, item: &CacheItem) -> Option<Result<RemovedFiles, (PathBuf, io::Error)>> {
        let is_dry_run = self.mode == RemovalMode::DryRun;
        let entry = match item.kind {
            ItemKind::Unknown => return None,
            ItemKind::ServerCaches => {
                let caches = list_server_caches(&item.path);
                let bytes = caches.iter().map(|cache| TreeSize::measure(cache).bytes).sum();
                let removed = if is_dry_run { Ok(()) } else { remove_server_caches(&item.path) };
                return (!caches.is_empty()).then(|| removed.map(|()| RemovedFiles { files: caches, bytes }));
            }
            ItemKind::ShownDocuments => OwnedEntry::recognize_shown_documents(&item.path)?,
            ItemKind::PruneStamp => OwnedEntry::recognize_stamp(&item.path)?,
        };
        let removed = if is_dry_run { Ok(entry.bytes) } else { entry.remove() };
        Some(removed.map(|bytes| RemovedFiles { files: vec![entry.path], bytes }))
    }

    fn into_report(self) -> PruneReport {
        let Self { contents, removed, failures, mode } = self;
        let removed_bytes: u64 = removed.iter().map(|data| data.bytes.removed).sum();
        let left_bytes = contents.total_bytes().saturating_sub(removed_bytes);
        PruneReport { is_dry_run: mode == RemovalMode::DryRun, removed, failures, left_bytes }
    }
}

/// The removed files of an item, and their size in bytes.
struct RemovedFiles {
    files: Vec<PathBuf>,
    bytes: u64,
}

fn describe_index(folder: &CacheFolder) -> String {
    match &folder.record {
        Some(record) if folder.has_graph => format!("the index of {}", record.root),
        Some(record) => format!("the learned data of {}", record.root),
        None => format!("the index {}", folder.name),
    }
}
