//! Hashes of the dependencies of a verdict. A hash changes whenever its dependency changes.

use crate::facts::ImportFact;
use crate::hash::{Hash, HashBuilder};
use crate::snapshot::{FileId, Snapshot, SymbolRef};
use crate::vocabulary::SymbolKind;

/// Returns the hash of a symbol's text. For a file symbol this is the hash of the content.
pub fn symbol_body_hash(snapshot: &Snapshot, symbol: &SymbolRef) -> u64 {
    match (symbol.kind, symbol.file.and_then(|file| snapshot.file(file))) {
        (SymbolKind::File, Some(file)) => file.content_hash.sort_prefix(),
        _ => symbol.body_hash,
    }
}

/// Returns the hash of a symbol's declaration, on which references to the symbol depend.
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

/// Computes the hash of the context of the references in each symbol of one file.
pub struct ContextHash<'a> {
    snapshot: &'a Snapshot,
    file: FileId,
    imports: Hash,
}

impl<'a> ContextHash<'a> {
    /// Prepares the hashes of a file: hashes its imports, which all of its symbols share.
    pub fn new(snapshot: &'a Snapshot, file: FileId) -> Self {
        Self { snapshot, file, imports: hash_imports(&snapshot.file_imports(file)) }
    }

    /// Returns the hash of the file's imports and of the indexer's edges that start at the symbol.
    /// When one of them changes, a reference in the symbol may have another target even though the
    /// symbol's own text is the same.
    pub fn for_symbol(&self, symbol: &SymbolRef) -> u64 {
        let mut ends = Vec::new();
        self.snapshot.for_each_stored_out(symbol.id, |edge| {
            if edge.owner == self.file && edge.kind.is_use() {
                ends.push((edge.kind, edge.target));
            }
        });
        let identity = |id| self.snapshot.symbol(id).map(|end| end.hash).unwrap_or_default();
        let mut ends: Vec<_> = ends.into_iter().map(|(kind, target)| (kind, identity(target))).collect();
        ends.sort_unstable();
        let mut hasher = HashBuilder::new("ground");
        hasher.add_hash(&self.imports);
        for (kind, target) in &ends {
            hasher.add_number(u64::from(kind.number())).add_hash(target);
        }
        hasher.finish().sort_prefix()
    }
}

/// Hashes the imports of a file without their positions.
fn hash_imports(imports: &[ImportFact]) -> Hash {
    let mut hasher = HashBuilder::new("imports");
    for import in imports {
        hasher.add_text(&import.path).add_text(&import.name).add_text(&import.alias);
        hasher.add_number(u64::from(import.reexport)).add_number(u64::from(import.scope));
    }
    hasher.finish()
}
