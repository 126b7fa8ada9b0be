//! A change of a workspace with what it leaves behind in a state of the graph.

use kenning_graph::{Snapshot, SymbolId};
use kenning_indexing::git::ChangeSet;
use kenning_indexing::project::Project;
use kenning_indexing::workspace::{DanglingUses, TextProvider, find_dangling_uses};

/// A change, and who used what it removed.
#[derive(Clone, Debug)]
pub struct WorkspaceChange {
    /// What git shows.
    pub seen: ChangeSet,
    /// The users of what is gone.
    pub left: DanglingUses,
}

impl WorkspaceChange {
    /// Looks for the users of what a change removed. Without texts none can be found. May read files.
    pub fn new(seen: ChangeSet, snapshot: &Snapshot, project: &Project, text: Option<&TextProvider>) -> Self {
        let left = match text {
            Some(text) => find_dangling_uses(snapshot, project, text, &seen),
            None => DanglingUses { users: Vec::new(), whole: seen.files.iter().all(|f| f.before.is_none()) },
        };
        Self { seen, left }
    }

    /// The symbols that used what is gone.
    pub fn users_of_removed(&self) -> Vec<SymbolId> {
        self.left.users.iter().map(|user| user.symbol).collect()
    }

    /// What a symbol used that is gone.
    pub fn removed_for_symbol(&self, snapshot: &Snapshot, symbol: SymbolId) -> Option<&str> {
        let used_by = |id| self.left.users.iter().find(|user| user.symbol == id).map(|user| &*user.removed);
        // What stands in a user counts as the user: the methods of a class, all of a file.
        let mut at = Some(symbol);
        while let Some(id) = at {
            if let Some(removed) = used_by(id) {
                return Some(removed);
            }
            at = snapshot.symbol(id).and_then(|symbol| symbol.parent);
        }
        let file = snapshot.symbol(symbol)?.file?;
        used_by(*snapshot.file_symbols(file).first()?)
    }
}
