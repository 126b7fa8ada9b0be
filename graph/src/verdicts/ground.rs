//! What a verdict stands on, as numbers that change with it.

use crate::facts::Import;
use crate::hash::{Hash, Hasher};
use crate::snapshot::{FileId, Snapshot, SymbolRef};
use crate::vocabulary::SymbolKind;

/// The text of a symbol, as a number: its own hash, for the file itself that of the content.
pub fn body_of(snapshot: &Snapshot, symbol: &SymbolRef) -> u64 {
    match (symbol.kind, symbol.file.and_then(|file| snapshot.file(file))) {
        (SymbolKind::File, Some(file)) => file.content_hash.prefix(),
        _ => symbol.body_hash,
    }
}

/// How a symbol is declared, as a number: what a reference to it depends on.
pub fn signature_of(symbol: &SymbolRef) -> u64 {
    let mut hasher = Hasher::new("declared");
    hasher.text(symbol.signature()).text(symbol.params()).text(symbol.ty()).text(symbol.bases_raw());
    hasher.number(u64::from(symbol.visibility.number()));
    hasher.finish().prefix()
}

/// What the references in the symbols of one file stand on.
pub struct Ground<'a> {
    snapshot: &'a Snapshot,
    file: FileId,
    imports: Hash,
}

impl<'a> Ground<'a> {
    /// Reads what the file imports.
    pub fn new(snapshot: &'a Snapshot, file: FileId) -> Self {
        Self { snapshot, file, imports: imports_of(&snapshot.file_imports(file)) }
    }

    /// What the file imports and which edges its text shows to start at one of its symbols, as a number: when one of
    /// them changes, a reference in the symbol may stand for something else though its own text is the same.
    pub fn of(&self, symbol: &SymbolRef) -> u64 {
        let mut ends = Vec::new();
        self.snapshot.stored_out(symbol.id, |edge| {
            if edge.owner == self.file && edge.kind.is_use() {
                ends.push((edge.kind, edge.target));
            }
        });
        let end = |id| self.snapshot.symbol(id).map(|end| end.hash).unwrap_or_default();
        let mut ends: Vec<_> = ends.into_iter().map(|(kind, target)| (kind, end(target))).collect();
        ends.sort_unstable();
        let mut hasher = Hasher::new("ground");
        hasher.hash(&self.imports);
        for (kind, target) in &ends {
            hasher.number(u64::from(kind.number())).hash(target);
        }
        hasher.finish().prefix()
    }
}

/// What a file imports, wherever the imports stand.
fn imports_of(imports: &[Import]) -> Hash {
    let mut hasher = Hasher::new("imports");
    for import in imports {
        hasher.text(&import.path).text(&import.name).text(&import.alias);
        hasher.number(u64::from(import.reexport)).number(u64::from(import.scope));
    }
    hasher.finish()
}
