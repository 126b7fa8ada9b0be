//! What a verdict stands on, as numbers that change with it.

use crate::facts::ImportFact;
use crate::hash::{Hash, HashBuilder};
use crate::snapshot::{FileId, Snapshot, SymbolRef};
use crate::vocabulary::SymbolKind;

/// The text of a symbol, as a number: its own hash, for the file itself that of the content.
pub fn symbol_body_hash(snapshot: &Snapshot, symbol: &SymbolRef) -> u64 {
    match (symbol.kind, symbol.file.and_then(|file| snapshot.file(file))) {
        (SymbolKind::File, Some(file)) => file.content_hash.sort_prefix(),
        _ => symbol.body_hash,
    }
}

/// How a symbol is declared, as a number: what a reference to it depends on.
pub fn declaration_hash(symbol: &SymbolRef) -> u64 {
    let mut hasher = HashBuilder::new("declared");
    hasher
        .add_text(symbol.signature_text())
        .add_text(symbol.param_types())
        .add_text(symbol.type_text())
        .add_text(symbol.encoded_bases());
    hasher.add_number(u64::from(symbol.visibility.number()));
    hasher.finish().sort_prefix()
}

/// What the references in the symbols of one file stand on.
pub struct ContextHash<'a> {
    snapshot: &'a Snapshot,
    file: FileId,
    imports: Hash,
}

impl<'a> ContextHash<'a> {
    /// Reads what the file imports.
    pub fn new(snapshot: &'a Snapshot, file: FileId) -> Self {
        Self { snapshot, file, imports: hash_imports(&snapshot.file_imports(file)) }
    }

    /// What the file imports and which edges its text shows to start at one of its symbols, as a number: when one of
    /// them changes, a reference in the symbol may stand for something else though its own text is the same.
    pub fn for_symbol(&self, symbol: &SymbolRef) -> u64 {
        let mut ends = Vec::new();
        self.snapshot.for_each_stored_out(symbol.id, |edge| {
            if edge.owner == self.file && edge.kind.is_use() {
                ends.push((edge.kind, edge.target));
            }
        });
        let end = |id| self.snapshot.symbol(id).map(|end| end.hash).unwrap_or_default();
        let mut ends: Vec<_> = ends.into_iter().map(|(kind, target)| (kind, end(target))).collect();
        ends.sort_unstable();
        let mut hasher = HashBuilder::new("ground");
        hasher.add_hash(&self.imports);
        for (kind, target) in &ends {
            hasher.add_number(u64::from(kind.number())).add_hash(target);
        }
        hasher.finish().sort_prefix()
    }
}

/// What a file imports, wherever the imports stand.
fn hash_imports(imports: &[ImportFact]) -> Hash {
    let mut hasher = HashBuilder::new("imports");
    for import in imports {
        hasher.add_text(&import.path).add_text(&import.name).add_text(&import.alias);
        hasher.add_number(u64::from(import.reexport)).add_number(u64::from(import.scope));
    }
    hasher.finish()
}
