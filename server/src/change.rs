//! A change to a workspace, together with the symbols that used the definitions that it removed.

use kenning_graph::{Snapshot, SymbolId};
use kenning_indexing::git::ChangeSet;
use kenning_indexing::project::Project;
use kenning_indexing::workspace::{DanglingUses, TextProvider, find_dangling_uses};

/// A change, with the users of the definitions that it removed.
#[derive(Clone, Debug)]
pub struct WorkspaceChange {
    /// The change as git shows it.
    pub change_set: ChangeSet,
    /// The users of removed definitions.
    pub dangling: DanglingUses,
}

impl WorkspaceChange {
    /// Finds the users of the definitions that a change removed; finds none without `text`. May
    /// read files.
    pub fn new(
        change_set: ChangeSet,
        snapshot: &Snapshot,
        project: &Project,
        text: Option<&TextProvider>,
    ) -> Self {
        let dangling = match text {
            Some(text) => find_dangling_uses(snapshot, project, text, &change_set),
            None => DanglingUses {
                users: Vec::new(),
                is_complete: change_set.files.iter().all(|f| f.before.is_none()),
            },
        };
        Self { change_set, dangling }
    }

    /// Returns the symbols that used a removed definition.
    pub fn users_of_removed(&self) -> Vec<SymbolId> {
        self.dangling.users.iter().map(|user| user.symbol).collect()
    }

    /// Returns the name of a removed definition that a symbol used; `None` if it used none.
    pub fn removed_for_symbol(&self, snapshot: &Snapshot, symbol: SymbolId) -> Option<&str> {
        let removed_name =
            |id| self.dangling.users.iter().find(|user| user.symbol == id).map(|user| &*user.removed);
        // A symbol inside a user counts as the user: the methods of a class, and everything in a
        // file.
        let mut enclosing = Some(symbol);
        while let Some(id) = enclosing {
            if let Some(removed) = removed_name(id) {
                return Some(removed);
            }
            enclosing = snapshot.symbol(id).and_then(|symbol| symbol.parent);
        }
        let file = snapshot.symbol(symbol)?.file?;
        removed_name(*snapshot.file_symbols(file).first()?)
    }
}
