//! The identity of symbols, phantoms and edges: the inputs of their hashes.
//!
//! A symbol's hash covers an empty text (reserved for the ordinal of the workspace folder), the
//! path, the name inside the file, the kind, the normalized parameter types, and an ordinal that
//! counts equal signatures only. It never covers a line.

use crate::facts::FileFacts;
use crate::hash::{Hash, HashBuilder};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use rustc_hash::FxHashMap;

/// Returns the identity of the file symbol of `path`.
pub fn file_symbol_hash(path: &str) -> Hash {
    symbol_hash(path, "", SymbolKind::File, "", 0)
}

fn symbol_hash(path: &str, qualified: &str, kind: SymbolKind, params: &str, ordinal: u32) -> Hash {
    let mut hasher = HashBuilder::new("symbol");
    hasher
        .add_text("")
        .add_text(path)
        .add_text(qualified)
        .add_text(kind.as_str())
        .add_text(params)
        .add_number(u64::from(ordinal));
    hasher.finish()
}

/// Returns the identities of all symbols of a file: the file symbol first, then `facts.symbols` in
/// order.
pub fn symbol_hashes(path: &str, facts: &FileFacts) -> Vec<Hash> {
    let mut next_ordinals: FxHashMap<(String, SymbolKind, &str), u32> = FxHashMap::default();
    let mut out = Vec::with_capacity(facts.symbols.len() + 1);
    out.push(file_symbol_hash(path));
    for symbol in &facts.symbols {
        let qualified = symbol.qualified_name();
        let ordinal = next_ordinals.entry((qualified.clone(), symbol.kind, &symbol.params)).or_insert(0);
        out.push(symbol_hash(path, &qualified, symbol.kind, &symbol.params, *ordinal));
        *ordinal += 1;
    }
    out
}

/// Returns the identity of a phantom.
pub fn phantom_hash(kind: SymbolKind, package: &str, name: &str) -> Hash {
    let mut hasher = HashBuilder::new("phantom");
    hasher.add_text(kind.as_str()).add_text(package).add_text(name);
    hasher.finish()
}

/// Returns the identity of an edge: both ends, kind and provenance.
pub fn edge_hash(source: &Hash, target: &Hash, kind: EdgeKind, provenance: Provenance) -> Hash {
    let mut hasher = HashBuilder::new("edge");
    hasher.add_hash(source).add_hash(target).add_text(kind.as_str()).add_text(provenance.as_str());
    hasher.finish()
}
