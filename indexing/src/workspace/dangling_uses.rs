//! What a change leaves behind: the symbols that used what it removed, found in the graph as it was before.

use super::apply_changes::resolve_again;
use super::text_provider::TextProvider;
use crate::git::{ChangeSet, ChangedFile, FileBefore};
use crate::project::Project;
use kenning_graph::snapshot::FileChange;
use kenning_graph::{EdgeKind, FileId, Hash, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Files that are resolved as they were before, at most.
const MAX_FILES: usize = 2000;

/// Maximum number of users that are reported.
const MAX_USERS: usize = 2000;

/// What used something that a change removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedNameUser {
    /// The user, in the graph of now.
    pub symbol: SymbolId,
    /// What it used: the name inside the file that it was in; the old path where the file itself was used.
    pub removed: String,
}

/// What a change leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DanglingUses {
    /// The users of what was removed, each once, by qualified name.
    pub users: Vec<RemovedNameUser>,
    /// All of them; otherwise there are, or may be, more.
    pub whole: bool,
}

/// Finds what used the removed names and paths of a change: the changed files are put into the graph as they were, and
/// those that looked up what they declared are resolved again, as for any change. May read files.
pub fn find_dangling_uses(
    snapshot: &Snapshot,
    project: &Project,
    text: &TextProvider,
    changes: &ChangeSet,
) -> DanglingUses {
    let mut whole = !changes.removed_truncated;
    let changed: Vec<(&ChangedFile, &FileBefore)> =
        changes.files.iter().filter_map(|file| Some((file, file.before.as_deref()?))).collect();
    if changed.is_empty() {
        return DanglingUses { users: Vec::new(), whole };
    }
    let (mut before, keys) =
        snapshot.with_files(changed.iter().map(|(_, file)| insertion_of_file(file)).collect());
    let mut files: Vec<FileId> =
        changed.iter().filter_map(|(_, file)| before.file_by_path(&file.path)).collect();
    for file in before.files_affected_by(&keys) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    whole &= files.len() <= MAX_FILES;
    files.truncate(MAX_FILES);
    let facts = |path: &str, language: &str, hash: &Hash| text.file_facts(path, language, hash);
    resolve_again(&mut before, project, &files, &facts);

    let mut users: BTreeMap<String, RemovedNameUser> = BTreeMap::new();
    let mut importers: BTreeMap<String, (FileId, RemovedNameUser)> = BTreeMap::new();
    let mut using: FxHashSet<FileId> = FxHashSet::default();
    for &(file, old) in &changed {
        for (symbol, name) in removed_symbols(snapshot, &before, file, old) {
            before.for_each_in_edge(symbol, |edge| {
                if !edge.kind.is_use() {
                    return;
                }
                let source = before.symbol(edge.source).map(|source| source.hash);
                let user = source.and_then(|hash| snapshot.symbol_by_hash(&hash));
                let Some(user) = user.and_then(|id| snapshot.symbol(id)) else { return };
                let key = format!("{}\0{}", user.qualified_name(), user.hash.to_hex());
                let found = RemovedNameUser { symbol: user.id, removed: name.clone() };
                match user.file {
                    Some(file) if user.kind == SymbolKind::File && edge.kind == EdgeKind::Imports => {
                        // What a file imported before it changed itself, it may import no more.
                        if changed.iter().all(|(_, old)| old.path != user.path) {
                            importers.entry(key).or_insert((file, found));
                        }
                    }
                    file => {
                        using.extend(file);
                        users.entry(key).or_insert(found);
                    }
                }
            });
        }
    }
    // A file that imports what is gone is touched as a whole only where nothing in it says what uses it.
    users.extend(
        importers
            .into_iter()
            .filter(|(_, (file, _))| !using.contains(file))
            .map(|(key, (_, user))| (key, user)),
    );
    whole &= users.len() <= MAX_USERS;
    DanglingUses { users: users.into_values().take(MAX_USERS).collect(), whole }
}

fn insertion_of_file(file: &FileBefore) -> FileChange {
    FileChange::Put {
        path: file.path.clone(),
        content_hash: file.content_hash,
        size: file.size,
        mtime_ns: 0,
        facts: file.facts.clone(),
    }
}

/// The symbols of a file as it was that are not there any more, with their names: all, and the file itself, when its path
/// is gone.
fn removed_symbols(
    snapshot: &Snapshot,
    before: &Snapshot,
    file: &ChangedFile,
    old: &FileBefore,
) -> Vec<(SymbolId, String)> {
    let ids = before.file_by_path(&old.path).map(|id| before.file_symbols(id)).unwrap_or_default();
    let Some((&itself, ids)) = ids.split_first() else { return Vec::new() };
    let moved = file.old_path.is_some() || file.status == crate::git::ChangeStatus::Deleted;
    let mut removed: Vec<(SymbolId, String)> = Vec::new();
    for (&id, fact) in ids.iter().zip(&old.facts.symbols) {
        let name = fact.qualified_name();
        // Of overloads only those that are gone.
        let gone = file.removed.binary_search(&name).is_ok()
            && before.symbol(id).is_some_and(|s| snapshot.symbol_by_hash(&s.hash).is_none());
        if moved || gone {
            removed.push((id, name));
        }
    }
    if moved {
        removed.push((itself, old.path.clone()));
    }
    removed
}
