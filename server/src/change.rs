//! A change of a workspace, together with the symbols of a graph that used what it removed.

use kenning_graph::{Snapshot, SymbolId};
use kenning_indexing::git::ChangeSet;
use kenning_indexing::project::Project;
use kenning_indexing::workspace::{DanglingUses, TextProvider, find_dangling_uses};

/// A change, with the users of the definitions that it removed.
#[derive(Clone, Debug)]
pub struct WorkspaceChange {
    /// The change as git shows it.
    pub seen: ChangeSet,
    /// The users of removed definitions.
    pub left: DanglingUses,
}

impl WorkspaceChange {
    /// Finds the users of the definitions that a change removed. Without `text` none can be found.
    /// May read files.
    pub fn new(seen: ChangeSet, snapshot: &Snapshot, project: &Project, text: Option<&TextProvider>) -> Self {
        let left = match text {
            Some(text) => find_dangling_uses(snapshot, project, text, &seen),
            None => DanglingUses { users: Vec::new(), whole: seen.files.iter().all(|f| f.before.is_none()) },
        };
        Self { seen, left }
    }

    /// Returns the symbols that used a removed definition.
    pub fn users_of_removed(&self) -> Vec<SymbolId> {
        self.left.users.iter().map(|user| user.symbol).collect()
    }

    /// Returns the name of a removed definition that a symbol used; `None` if it used none.
    pub fn removed_for_symbol(&self, snapshot: &Snapshot, symbol: SymbolId) -> Option<&str> {
        let used_by = |id| self.left.users.iter().find(|user| user.symbol == id).map(|user| &*user.removed);
        // A symbol inside a user counts as the user: the methods of a class, and everything in a
        // file.
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
