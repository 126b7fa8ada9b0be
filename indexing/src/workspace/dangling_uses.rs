//! Finds the uses that a change leaves dangling: symbols that used something that it removed.
//!
//! The input is the graph after the change, and the changed files as they were before it. The old
//! versions are put back into a copy of the graph and resolved, together with the files that looked
//! up their declarations. The edges to removed symbols in that graph lead to the users.

use super::apply_changes::resolve_again;
use super::text_provider::TextProvider;
use crate::git::{BaseFile, ChangeSet, ChangedFile};
use crate::project::Project;
use kenning_graph::snapshot::FileChange;
use kenning_graph::{EdgeKind, FileId, Hash, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Maximum number of files that are resolved as they were before the change. A removed base class
/// can be used in every file.
const MAX_FILES: usize = 2000;

/// Maximum number of users in a result. A removed logging function can have more.
const MAX_USERS: usize = 2000;

/// A symbol that used something that the change removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedNameUser {
    /// The user, as a symbol of the graph after the change.
    pub symbol: SymbolId,
    /// The qualified name of the removed symbol within its file, or the old path if the file itself
    /// was used.
    pub removed: String,
}

/// The result of [`find_dangling_uses`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DanglingUses {
    /// The users of removed symbols, each once, sorted by qualified name.
    pub users: Vec<RemovedNameUser>,
    /// Whether `users` is complete. If false, there may be more.
    pub is_complete: bool,
}

/// Finds the users of the names and paths that a change removed. Puts the old versions of the
/// changed files into the graph, and resolves the files that looked up their declarations, as for
/// any change. May read source files.
pub fn find_dangling_uses(
    snapshot: &Snapshot,
    project: &Project,
    text: &TextProvider,
    changes: &ChangeSet,
) -> DanglingUses {
    let mut is_complete = !changes.removed_truncated;
    let changed: Vec<(&ChangedFile, &BaseFile)> =
        changes.files.iter().filter_map(|file| Some((file, file.before.as_deref()?))).collect();
    if changed.is_empty() {
        return DanglingUses { users: Vec::new(), is_complete };
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
    is_complete &= files.len() <= MAX_FILES;
    files.truncate(MAX_FILES);
    let facts = |path: &str, language: &str, hash: &Hash| text.file_facts(path, language, hash);
    resolve_again(&mut before, project, &files, &facts);

    let mut users: BTreeMap<String, RemovedNameUser> = BTreeMap::new();
    let mut importers: BTreeMap<String, (FileId, RemovedNameUser)> = BTreeMap::new();
    let mut files_of_users: FxHashSet<FileId> = FxHashSet::default();
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
                let removed_user = RemovedNameUser { symbol: user.id, removed: name.clone() };
                match user.file {
                    Some(file) if user.kind == SymbolKind::File && edge.kind == EdgeKind::Imports => {
                        // A file that changed may have lost its import.
                        if changed.iter().all(|(_, old)| old.path != user.path) {
                            importers.entry(key).or_insert((file, removed_user));
                        }
                    }
                    file => {
                        files_of_users.extend(file);
                        users.entry(key).or_insert(removed_user);
                    }
                }
            });
        }
    }
    // A file that imports something removed is reported as a whole only if none of its symbols is
    // reported as a user.
    users.extend(
        importers
            .into_iter()
            .filter(|(_, (file, _))| !files_of_users.contains(file))
            .map(|(key, (_, user))| (key, user)),
    );
    is_complete &= users.len() <= MAX_USERS;
    DanglingUses { users: users.into_values().take(MAX_USERS).collect(), is_complete }
}

fn insertion_of_file(file: &BaseFile) -> FileChange {
    FileChange::Put {
        path: file.path.clone(),
        content_hash: file.content_hash,
        size: file.size,
        mtime_ns: 0,
        facts: file.facts.clone(),
    }
}

/// Returns the symbols of a file's old version that the change removed, with their names. If
/// nothing exists at the old path, these are all symbols of the file and the file itself.
fn removed_symbols(
    snapshot: &Snapshot,
    before: &Snapshot,
    file: &ChangedFile,
    old: &BaseFile,
) -> Vec<(SymbolId, String)> {
    let ids = before.file_by_path(&old.path).map(|id| before.file_symbols(id)).unwrap_or_default();
    let Some((&file_symbol, ids)) = ids.split_first() else { return Vec::new() };
    let moved = file.old_path.is_some() || file.status == crate::git::ChangeStatus::Deleted;
    let mut removed: Vec<(SymbolId, String)> = Vec::new();
    for (&id, fact) in ids.iter().zip(&old.facts.symbols) {
        let name = fact.qualified_name();
        // If a name is overloaded, only its removed overloads count.
        let is_removed = file.removed.binary_search(&name).is_ok()
            && before.symbol(id).is_some_and(|symbol| snapshot.symbol_by_hash(&symbol.hash).is_none());
        if moved || is_removed {
            removed.push((id, name));
        }
    }
    if moved {
        removed.push((file_symbol, old.path.clone()));
    }
    removed
}
