//! Finds the files whose owners changed.

use crate::project::CodeOwners;
use kenning_graph::{EdgeKind, FileId, Snapshot};

/// Returns the files whose owners differ from those in the graph, in the order of the graph.
pub(super) fn files_with_changed_owners(snapshot: &Snapshot, owners: &CodeOwners) -> Vec<FileId> {
    let files = snapshot.files().into_iter().filter(|&id| {
        let mut stored_owners: Vec<&str> = Vec::new();
        if let Some(&symbol) = snapshot.file_symbols(id).first() {
            snapshot.for_each_out_edge(symbol, |edge| {
                if edge.kind == EdgeKind::OwnedBy {
                    stored_owners.extend(snapshot.symbol(edge.target).map(|owner| owner.name));
                }
            });
        }
        let mut owners_now = snapshot.file(id).map_or_else(Vec::new, |file| owners.owners_of_file(file.path));
        stored_owners.sort_unstable();
        owners_now.sort_unstable();
        stored_owners != owners_now
    });
    files.collect()
}
