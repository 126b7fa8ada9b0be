//! Reads Kenning's folder in the cache.
//!
//! A folder of a workspace is called `<name>-<hash>`, a folder with facts `facts-<hash>`. A
//! workspace that is itself called `facts` may share its folder with its facts, so the kind of a
//! folder depends on its files, not on its name. Links count with their own size and are never
//! followed.

use super::owned_files::CompanionKind;
use kenning_graph::store::{DatabaseHeader, DatabaseKind, WorkspaceRecord, is_in_use};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of hexadecimal digits at the end of the name of a folder.
const HASH_DIGITS: usize = 16;

/// The file whose modification time is the time of the last automatic pruning.
pub(super) const PRUNE_STAMP: &str = "last-prune";

/// Everything in Kenning's folder in the cache.
#[derive(Clone, Debug, Default)]
pub struct CacheContents {
    /// The folder.
    pub home: PathBuf,
    /// The folders of workspaces and of facts, sorted by name.
    pub folders: Vec<CacheFolder>,
    /// Everything else, sorted by name.
    pub items: Vec<CacheItem>,
}

/// A folder with the index of a workspace, with facts, or with both.
#[derive(Clone, Debug)]
pub struct CacheFolder {
    /// The path of the folder.
    pub path: PathBuf,
    /// The name of the folder.
    pub name: String,
    /// The sizes of its parts.
    pub sizes: FolderSizes,
    /// The time of the last use; `None` if it cannot be read.
    pub last_used: Option<SystemTime>,
    /// The workspace whose data the folder holds; `None` if only earlier versions have used it.
    pub record: Option<WorkspaceRecord>,
    /// The state of the index; `None` if the folder holds neither an index nor learned data.
    pub index: Option<IndexState>,
    /// Whether the folder has an index besides learned data.
    pub has_graph: bool,
    /// The state of the facts; `None` if the folder holds none.
    pub facts: Option<FactsState>,
}

/// The sizes of the parts of a folder, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FolderSizes {
    /// Data that Kenning can rebuild: graph, image, vectors, remembered packs.
    pub index: u64,
    /// Data that it cannot rebuild: feedback, learned data, imported runs.
    pub learned: u64,
    /// Facts.
    pub facts: u64,
    /// Files whose names Kenning does not give.
    pub unknown: u64,
}

impl FolderSizes {
    /// Returns the size of all parts.
    pub fn total(&self) -> u64 {
        self.index + self.learned + self.facts + self.unknown
    }
}

/// The state of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// A process has it open.
    InUse,
    /// The workspace exists, and this version can use the index.
    Current,
    /// The workspace no longer exists.
    WorkspaceGone,
    /// Kenning cannot determine whether the workspace exists.
    Unreachable,
    /// The database is damaged; the next use rebuilds it.
    Damaged,
    /// A version with this older schema wrote it; the next use updates it.
    OlderSchema(u32),
    /// A version with this newer schema wrote it.
    NewerSchema(u32),
    /// An earlier version wrote it and did not record the workspace.
    UnknownWorkspace,
    /// The index was removed, and learned data was kept.
    OnlyLearned,
}

impl IndexState {
    /// Returns the name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InUse => "in_use",
            Self::Current => "current",
            Self::WorkspaceGone => "workspace_gone",
            Self::Unreachable => "unreachable",
            Self::Damaged => "damaged",
            Self::OlderSchema(_) => "older_schema",
            Self::NewerSchema(_) => "newer_schema",
            Self::UnknownWorkspace => "unknown_workspace",
            Self::OnlyLearned => "only_learned",
        }
    }
}

impl Display for IndexState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse => f.write_str("in use"),
            Self::Current => f.write_str("current"),
            Self::WorkspaceGone => f.write_str("workspace is gone"),
            Self::Unreachable => f.write_str("cannot be reached"),
            Self::Damaged => f.write_str("damaged"),
            Self::OlderSchema(schema) => write!(f, "older schema ({schema})"),
            Self::NewerSchema(schema) => write!(f, "newer schema ({schema})"),
            Self::UnknownWorkspace => f.write_str("older version"),
            Self::OnlyLearned => f.write_str("learned data only"),
        }
    }
}

/// The state of a cache of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactsState {
    /// A process has it open.
    InUse,
    /// An index refers to it.
    Referenced,
    /// No index refers to it.
    Unreferenced,
    /// A version with this newer schema wrote it.
    NewerSchema(u32),
    /// No index is known to refer to it, but an earlier version may have written one that does.
    MaybeReferenced,
}

impl FactsState {
    /// Returns the name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InUse => "in_use",
            Self::Referenced => "current",
            Self::NewerSchema(_) => "newer_schema",
            Self::Unreferenced => "unused",
            Self::MaybeReferenced => "unknown_workspace",
        }
    }
}

impl Display for FactsState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InUse => "in use",
            Self::Referenced => "current",
            Self::NewerSchema(schema) => return write!(f, "newer schema ({schema})"),
            Self::Unreferenced => "no index uses it",
            Self::MaybeReferenced => "older version",
        })
    }
}

/// A file or folder in the cache that belongs to no workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheItem {
    /// The path.
    pub path: PathBuf,
    /// The kind of item.
    pub kind: ItemKind,
    /// The size in bytes, including everything below it.
    pub bytes: u64,
}

/// The kind of an item of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Results that a session wrote for clients that cannot show them.
    ShownDocuments,
    /// The caches of language servers that Kenning started.
    ServerCaches,
    /// The time of the last automatic pruning.
    PruneStamp,
    /// Not written by Kenning.
    Unknown,
}

impl ItemKind {
    /// Describes the item for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::ShownDocuments => "documents that editors have shown",
            Self::ServerCaches => "caches of language servers",
            Self::PruneStamp => "the time of the last pruning",
            Self::Unknown => "other files",
        }
    }

    /// Returns the name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShownDocuments => "shown_documents",
            Self::ServerCaches => "server_caches",
            Self::PruneStamp => "prune_stamp",
            Self::Unknown => "other",
        }
    }
}

/// The part of a folder that a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilePart {
    Index,
    Learned,
    Facts,
    Unknown,
}

impl FilePart {
    /// The databases in a folder.
    const DATABASES: [(&str, Self); 5] = [
        ("graph.db", Self::Index),
        ("vectors.db", Self::Index),
        ("memory.db", Self::Learned),
        ("runs.db", Self::Learned),
        ("facts.db", Self::Facts),
    ];

    /// Returns the part of a folder that a file or folder in it belongs to.
    pub fn from_name(name: &str) -> Self {
        Self::classify(name).map_or(Self::Unknown, |(part, _)| part)
    }

    /// Returns the part of a folder that a file or folder in it belongs to, and its kind; `None` if
    /// Kenning does not give this name.
    pub fn classify(name: &str) -> Option<(Self, CompanionKind)> {
        if name == "packs" {
            return Some((Self::Index, CompanionKind::Packs));
        }
        let kind_beside =
            |(database, part): &(&str, Self)| Some((*part, CompanionKind::from_name(name, database)?));
        Self::DATABASES.iter().find_map(kind_beside)
    }
}

impl CacheContents {
    /// Reads the folder. A missing folder counts as empty.
    ///
    /// # Errors
    /// Returns an error if the folder exists but cannot be read.
    pub fn read_folder(home: &Path) -> io::Result<Self> {
        let mut contents = Self { home: home.to_owned(), ..Self::default() };
        let entries = match std::fs::read_dir(home) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(contents),
            entries => entries?,
        };
        let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        for path in paths {
            // Another process may have removed it.
            let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match has_hash(&name).then(|| CacheFolder::read_folder(&path, name.clone(), &metadata)).flatten()
            {
                Some(folder) => contents.folders.push(folder),
                None => contents.items.push(CacheItem::read_entry(path, &name, &metadata)),
            }
        }
        contents.find_referenced_facts();
        Ok(contents)
    }

    /// Returns the size of everything in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.folders.iter().map(|folder| folder.sizes.total()).sum::<u64>()
            + self.items.iter().map(|item| item.bytes).sum::<u64>()
    }

    /// Returns the number of folders with an index.
    pub fn index_count(&self) -> usize {
        self.folders.iter().filter(|folder| folder.index.is_some()).count()
    }

    /// Returns the number of folders with facts.
    pub fn facts_count(&self) -> usize {
        self.folders.iter().filter(|folder| folder.facts.is_some()).count()
    }

    /// Returns the workspaces whose indexes refer to the facts in a folder, sorted.
    pub fn users_of_facts(&self, name: &str) -> Vec<&str> {
        let indexes = self.folders.iter().filter(|folder| folder.has_graph);
        let records = indexes.filter_map(|folder| folder.record.as_ref());
        let mut roots: Vec<&str> =
            records.filter(|r| r.facts.as_deref() == Some(name)).map(|r| r.root.as_str()).collect();
        roots.sort_unstable();
        roots
    }

    /// Sets the state of the facts that no process uses, from the indexes that refer to them.
    pub(super) fn find_referenced_facts(&mut self) {
        let indexes = || self.folders.iter().filter(|folder| folder.has_graph);
        let records = || indexes().filter_map(|folder| folder.record.as_ref());
        let referenced: BTreeSet<String> = records().filter_map(|record| record.facts.clone()).collect();
        let has_unknown = indexes().any(|folder| folder.record.is_none());
        for folder in &mut self.folders {
            if folder.facts.is_none_or(|state| state == FactsState::InUse) {
                continue;
            }
            folder.facts = Some(if referenced.contains(&folder.name) {
                match folder.facts {
                    Some(FactsState::NewerSchema(schema)) => FactsState::NewerSchema(schema),
                    _ => FactsState::Referenced,
                }
            } else if has_unknown {
                FactsState::MaybeReferenced
            } else {
                FactsState::Unreferenced
            });
        }
    }
}

impl CacheFolder {
    /// Reads a folder; `None` if it is a link or a file, or if it contains no data of Kenning.
    fn read_folder(path: &Path, name: String, metadata: &Metadata) -> Option<Self> {
        if !metadata.is_dir() {
            return None;
        }
        let (mut sizes, mut last_used) = (FolderSizes::default(), None);
        let mut parts = Vec::new();
        for entry in std::fs::read_dir(path).ok()?.flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            let (part, size) = (FilePart::from_name(&file), TreeSize::measure(&entry.path()));
            *match part {
                FilePart::Index => &mut sizes.index,
                FilePart::Learned => &mut sizes.learned,
                FilePart::Facts => &mut sizes.facts,
                FilePart::Unknown => &mut sizes.unknown,
            } += size.bytes;
            last_used = last_used.max(size.modified);
            parts.push((part, file));
        }
        let has = |part| parts.iter().any(|(other, _)| *other == part);
        let graph = path.join("graph.db");
        let has_index = has(FilePart::Index) || has(FilePart::Learned);
        if !has_index && !has(FilePart::Facts) {
            return None;
        }
        let facts = path.join("facts.db");
        let record = WorkspaceRecord::read_beside(&graph);
        // Besides the record, an index has at least its database or a part of it.
        let has_graph = parts.iter().any(|(part, file)| {
            *part == FilePart::Index && !["graph.workspace", "graph.lock"].contains(&file.as_str())
        });
        let index = has_index.then(|| find_index_state(&graph, record.as_ref(), has_graph));
        let facts_state = has(FilePart::Facts).then(|| find_facts_state(&facts));
        let record = record.or_else(|| WorkspaceRecord::read_beside(&facts));
        Some(Self {
            path: path.to_owned(),
            name,
            sizes,
            last_used,
            record,
            index,
            has_graph,
            facts: facts_state,
        })
    }

    /// Returns the path of the graph's database.
    pub fn graph_path(&self) -> PathBuf {
        self.path.join("graph.db")
    }
}

/// Determines the state of the index with this database.
fn find_index_state(graph: &Path, record: Option<&WorkspaceRecord>, has_graph: bool) -> IndexState {
    if is_in_use(graph) {
        return IndexState::InUse;
    }
    let presence = record.map(|record| {
        record.root_path().map_or(WorkspacePresence::Unknown, |p| WorkspacePresence::from_root(&p))
    });
    if presence == Some(WorkspacePresence::Gone) {
        return IndexState::WorkspaceGone;
    }
    if !has_graph {
        return IndexState::OnlyLearned;
    }
    // A database that a killed process left may be empty except for its log.
    let has_log = std::fs::symlink_metadata(graph.with_extension("db-wal")).is_ok_and(|log| log.len() > 0);
    let newest = DatabaseKind::Graph.newest_schema();
    match DatabaseHeader::read_from_file(graph) {
        DatabaseHeader::Damaged if !has_log => IndexState::Damaged,
        DatabaseHeader::Schema(schema) if !DatabaseKind::Graph.is_plausible_schema(schema) => {
            IndexState::Damaged
        }
        DatabaseHeader::Schema(schema) if schema > newest => IndexState::NewerSchema(schema),
        DatabaseHeader::Schema(schema) if schema < newest && !has_log => IndexState::OlderSchema(schema),
        _ => match presence {
            None => IndexState::UnknownWorkspace,
            Some(WorkspacePresence::Unknown) => IndexState::Unreachable,
            Some(_) => IndexState::Current,
        },
    }
}

/// Determines the state of the facts in this database, on the assumption that no index refers to
/// them.
fn find_facts_state(facts: &Path) -> FactsState {
    if is_in_use(facts) {
        return FactsState::InUse;
    }
    match DatabaseHeader::read_from_file(facts) {
        DatabaseHeader::Schema(schema) if schema > DatabaseKind::Facts.newest_schema() => {
            FactsState::NewerSchema(schema)
        }
        _ => FactsState::Unreferenced,
    }
}

/// Whether a workspace exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkspacePresence {
    Present,
    Gone,
    Unknown,
}

impl WorkspacePresence {
    fn from_root(root: &Path) -> Self {
        match std::fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => Self::Present,
            Ok(_) => Self::Gone,
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
                Self::Gone
            }
            Err(_) => Self::Unknown,
        }
    }
}

impl CacheItem {
    fn read_entry(path: PathBuf, name: &str, metadata: &Metadata) -> Self {
        let kind = match name {
            "shown" if metadata.is_dir() => ItemKind::ShownDocuments,
            "servers" if metadata.is_dir() => ItemKind::ServerCaches,
            PRUNE_STAMP if metadata.is_file() => ItemKind::PruneStamp,
            _ => ItemKind::Unknown,
        };
        let bytes = TreeSize::measure(&path).bytes;
        Self { path, kind, bytes }
    }
}

/// The size of a file or of everything below a folder, and the time of the last change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TreeSize {
    pub bytes: u64,
    pub modified: Option<SystemTime>,
}

impl TreeSize {
    /// Measures without following links. Skips everything that cannot be read.
    pub fn measure(path: &Path) -> Self {
        let mut size = Self::default();
        let mut pending = vec![path.to_owned()];
        while let Some(path) = pending.pop() {
            let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                pending.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|e| e.path()));
            } else {
                size.bytes += metadata.len();
                size.modified = size.modified.max(metadata.modified().ok());
            }
        }
        size
    }
}

/// Whether a name ends like the names of the folders that Kenning creates: `-<hash>`.
fn has_hash(name: &str) -> bool {
    let is_hash = |hash: &str| {
        hash.len() == HASH_DIGITS && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    name.rsplit_once('-').is_some_and(|(_, hash)| is_hash(hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_shows_its_part_of_the_folder() {
        let names = ["graph.db", "graph.db-wal", "graph.new-12", "graph.db.damaged-7", "packs", "vectors.db"];
        assert!(names.iter().all(|name| FilePart::from_name(name) == FilePart::Index));
        for name in ["memory.db", "memory.mark", "runs.db-wal", "memory.db.damaged-7"] {
            assert_eq!(FilePart::from_name(name), FilePart::Learned);
        }
        assert_eq!(FilePart::from_name("facts.db"), FilePart::Facts);
        for name in ["notes.txt", "packs.zip", "graphs.db", ".DS_Store", "graph.txt", "graph.db.bak"] {
            assert_eq!(FilePart::from_name(name), FilePart::Unknown);
        }
    }

    #[test]
    fn only_folders_with_a_hash_belong_to_workspaces() {
        assert!(has_hash("flask-0123456789abcdef") && has_hash("a-b-0123456789abcdef"));
        for name in ["flask", "flask-0123456789abcde", "flask-0123456789ABCDEF", "0123456789abcdef"] {
            assert!(!has_hash(name), "{name}");
        }
    }
}
