//! Completes the names of symbols in a shell, from the existing index of the workspace.

use super::workspace_root::default_root;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use kenning_graph::{Snapshot, SymbolKind};
use kenning_indexing::workspace::{DatabasePaths, Workspace, WorkspaceOptions};
use kenning_retrieval::pack::{escape_control_chars, is_unsafe_to_print};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The maximum number of proposed symbols. A short prefix matches thousands.
const MAX_PROPOSED: usize = 200;

/// Returns the completer for the names of symbols.
pub fn complete_symbols() -> ArgValueCompleter {
    ArgValueCompleter::new(propose_symbols)
}

/// Returns the symbols whose names begin with the text that the user has typed. Returns none if
/// there is no index, without a message, because a shell would show it in the middle of the line.
fn propose_symbols(typed: &OsStr) -> Vec<CompletionCandidate> {
    let db = std::env::var_os("KENNING_DB").map(PathBuf::from);
    typed.to_str().and_then(|typed| read_proposals(&default_root(), db, typed)).unwrap_or_default()
}

fn read_proposals(root: &Path, db: Option<PathBuf>, typed: &str) -> Option<Vec<CompletionCandidate>> {
    let options = WorkspaceOptions { db, ..WorkspaceOptions::default() };
    let paths = DatabasePaths::from_root(root, &options).ok()?;
    if typed.is_empty() || !paths.graph.exists() {
        return None;
    }
    let workspace = Workspace::open(root, options).ok()?;
    Some(list_proposals(&workspace.current_snapshot(), typed))
}

fn list_proposals(snapshot: &Snapshot, typed: &str) -> Vec<CompletionCandidate> {
    // Look up the last part of a name, and compare the other parts.
    let last = typed.rsplit(['.', ':', '#']).next().unwrap_or(typed);
    let is_simple = last == typed;
    let mut proposals: BTreeMap<String, String> = BTreeMap::new();
    let members = || {
        let owner = typed.strip_suffix('.')?;
        let owners = snapshot.symbols_by_folded_name(&owner.rsplit('.').next()?.to_lowercase());
        let file_symbols = owners.into_iter().filter_map(|id| snapshot.symbol(id).map(|symbol| symbol.path));
        let files = file_symbols.filter_map(|path| snapshot.file_by_path(path));
        Some(files.flat_map(|file| snapshot.file_symbols(file)).collect::<Vec<_>>())
    };
    let found = match last {
        "" => members().unwrap_or_default(),
        last => snapshot.symbols_by_prefix(&last.to_lowercase(), MAX_PROPOSED * 4),
    };
    for symbol in found.into_iter().filter_map(|id| snapshot.symbol(id)) {
        // A method may be named without its class.
        let name = if is_simple { symbol.name.to_owned() } else { symbol.display_name() };
        let is_declared = !matches!(symbol.kind, SymbolKind::File | SymbolKind::External);
        // A shell would show and insert control characters as they are.
        let is_printable = !name.contains(is_unsafe_to_print);
        if is_declared && is_printable && name.starts_with(typed) && proposals.len() < MAX_PROPOSED {
            let place = format!("{} {}:{}", symbol.kind.as_str(), symbol.path, symbol.name_span.line + 1);
            proposals.entry(name).or_insert_with(|| escape_control_chars(&place).replace(['\n', '\t'], " "));
        }
    }
    let candidate = |(name, place): (String, String)| CompletionCandidate::new(name).help(Some(place.into()));
    proposals.into_iter().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::index_files;

    #[test]
    fn names_are_completed_by_their_beginning() {
        let shop = index_files(&[(
            "app.py",
            "class Cart:\n    def add_item(self):\n        pass\n    def drop(self):\n        pass\n\ndef cancel():\n    pass\n",
        )]);
        let snapshot = shop.workspace.current_snapshot();
        let names = |typed: &str| -> Vec<String> {
            let proposals = list_proposals(&snapshot, typed);
            proposals.iter().map(|found| found.get_value().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names("Ca"), ["Cart"]);
        assert_eq!(names("ca"), ["cancel"]);
        assert_eq!(names("add"), ["add_item"]);
        assert_eq!(names("Cart."), ["Cart.add_item", "Cart.drop"]);
        assert_eq!(names("Cart.ad"), ["Cart.add_item"]);
        assert_eq!(names("zz"), [""; 0]);
        let help = list_proposals(&snapshot, "cancel")[0].get_help().map(ToString::to_string);
        assert_eq!(help.as_deref(), Some("function app.py:7"));
    }

    #[test]
    fn a_workspace_without_an_index_has_no_proposals_and_gets_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("graph.db");
        assert!(read_proposals(folder.path(), Some(db.clone()), "a").is_none());
        assert!(!db.exists());
    }
}
