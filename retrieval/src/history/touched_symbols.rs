//! Finds the symbols of the current graph that a commit touched in a file.

use kenning_graph::{FileId, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashMap;

/// Resolves chains of names around changed lines ([`kenning_graph::commits::TouchedFile::symbols`])
/// to symbols of a file. Returns each symbol once, in the order of the ids.
pub fn symbols_of_chains(snapshot: &Snapshot, file: FileId, chains: &[Box<str>]) -> Vec<SymbolId> {
    let names = FileSymbolNames::for_file(snapshot, file);
    let mut symbols: Vec<SymbolId> = chains.iter().flat_map(|chain| names.innermost_symbols(chain)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    symbols
}

/// The symbols of a file by their dotted names.
pub(super) struct FileSymbolNames<'a> {
    snapshot: &'a Snapshot,
    by_name: FxHashMap<String, Vec<SymbolId>>,
}

impl<'a> FileSymbolNames<'a> {
    /// Indexes the symbols of a file by their dotted names, and, unless another symbol has that
    /// name, by their names inside the innermost module: the lines of a namespace are often not
    /// indented, so a chain does not contain its name.
    pub fn for_file(snapshot: &'a Snapshot, file: FileId) -> Self {
        let mut by_name: FxHashMap<String, Vec<SymbolId>> = FxHashMap::default();
        let mut in_modules: FxHashMap<String, Vec<SymbolId>> = FxHashMap::default();
        for id in snapshot.file_symbols(file) {
            let Some(symbol) = snapshot.symbol(id) else { continue };
            if symbol.kind != SymbolKind::File && !symbol.kind.is_phantom() {
                by_name.entry(symbol.display_name()).or_default().push(id);
                if let Some(name) = name_in_module(snapshot, id) {
                    in_modules.entry(name).or_default().push(id);
                }
            }
        }
        for (name, ids) in in_modules {
            by_name.entry(name).or_insert(ids);
        }
        Self { snapshot, by_name }
    }

    /// Returns the innermost symbol that a chain of names contains, with all its overloads. Empty
    /// if there is none. Leading names may be unknown, such as a namespace or a module without a
    /// name, and so may inner names, such as locals or calls.
    pub fn innermost_symbols(&self, chain: &str) -> Vec<SymbolId> {
        let parts: Vec<&str> = chain.split('.').collect();
        let mut found: Option<String> = None;
        for end in 1..=parts.len() {
            let known = match &found {
                Some(outer) => Some(format!("{outer}.{}", parts[end - 1])),
                None => (0..end)
                    .map(|start| parts[start..end].join("."))
                    .find(|name| self.by_name.contains_key(name)),
            };
            if let Some(known) = known.filter(|name| self.by_name.contains_key(name)) {
                found = Some(known);
            }
        }
        let ids = found.and_then(|name| self.by_name.get(&name)).map_or(&[][..], Vec::as_slice);
        let mut symbols: Vec<SymbolId> = ids.iter().map(|&id| self.find_representative(id)).collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    /// Returns the symbol that represents another in answers: the type for a field, the function
    /// for anything inside it.
    fn find_representative(&self, mut id: SymbolId) -> SymbolId {
        let mut representative_id = id;
        while let Some(symbol) = self.snapshot.symbol(id) {
            let Some(parent) = symbol.parent.and_then(|parent| self.snapshot.symbol(parent)) else { break };
            if parent.kind == SymbolKind::File {
                break;
            }
            let is_part = matches!(symbol.kind, SymbolKind::Field | SymbolKind::EnumMember);
            if is_part || parent.kind.is_callable() {
                representative_id = parent.id;
            }
            id = parent.id;
        }
        representative_id
    }
}

/// Returns the dotted name of a symbol inside its innermost module, or `None` if it is in none.
fn name_in_module(snapshot: &Snapshot, id: SymbolId) -> Option<String> {
    let name = snapshot.symbol(id)?.display_name();
    let mut parent = snapshot.symbol(id)?.parent;
    while let Some(outer) = parent.and_then(|parent| snapshot.symbol(parent)) {
        if outer.kind == SymbolKind::Module {
            return name.strip_prefix(&outer.display_name())?.strip_prefix('.').map(str::to_owned);
        }
        parent = outer.parent;
    }
    None
}
