//! Identity of symbols, phantoms and edges: what a hash covers.
//!
//! A symbol's hash covers the workspace folder ordinal (empty for a single folder), its path, its name inside the
//! file, kind, normalised parameter types, and an ordinal among equal signatures only; never a line.

use crate::facts::{BaseRelation, FileFacts};
use crate::hash::{Hash, HashBuilder};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use rustc_hash::FxHashMap;

/// The identity of the file symbol of `path`.
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

/// The identities of all symbols of a file: the file symbol first, then `facts.symbols` in order.
pub fn symbol_hashes(path: &str, facts: &FileFacts) -> Vec<Hash> {
    let mut seen: FxHashMap<(String, SymbolKind, &str), u32> = FxHashMap::default();
    let mut out = Vec::with_capacity(facts.symbols.len() + 1);
    out.push(file_symbol_hash(path));
    for symbol in &facts.symbols {
        let qualified = symbol.qualified_name();
        let ordinal = seen.entry((qualified.clone(), symbol.kind, &symbol.params)).or_insert(0);
        out.push(symbol_hash(path, &qualified, symbol.kind, &symbol.params, *ordinal));
        *ordinal += 1;
    }
    out
}

/// The identity of something outside the workspace.
pub fn phantom_hash(kind: SymbolKind, package: &str, name: &str) -> Hash {
    let mut hasher = HashBuilder::new("phantom");
    hasher.add_text(kind.as_str()).add_text(package).add_text(name);
    hasher.finish()
}

/// The identity of an edge: both ends, its type and its provenance.
pub fn edge_hash(source: &Hash, target: &Hash, kind: EdgeKind, provenance: Provenance) -> Hash {
    let mut hasher = HashBuilder::new("edge");
    hasher.add_hash(source).add_hash(target).add_text(kind.as_str()).add_text(provenance.as_str());
    hasher.finish()
}

/// Encodes a base list as [`super::SymbolRef::base_types`] reads it.
pub fn encode_bases(bases: &[crate::facts::BaseType]) -> String {
    let mut out = String::new();
    for base in bases {
        if !out.is_empty() {
            out.push('\u{1f}');
        }
        out.push(match base.relation {
            BaseRelation::Extends => 'e',
            BaseRelation::Implements => 'i',
            BaseRelation::Embeds => 'm',
        });
        out.push_str(&base.name);
    }
    out
}

/// Which symbols of a file are documents of the text index: all but fields, enum members and what is nested in
/// a callable (their text stands in the symbol around them, too).
pub fn indexed_documents(facts: &FileFacts) -> Vec<bool> {
    let mut in_callable = vec![false; facts.symbols.len()];
    facts
        .symbols
        .iter()
        .enumerate()
        .map(|(i, symbol)| {
            if let Some(parent) = symbol.parent.map(|p| p as usize).filter(|&p| p < i) {
                in_callable[i] = in_callable[parent] || facts.symbols[parent].kind.is_callable();
            }
            !in_callable[i] && !matches!(symbol.kind, SymbolKind::Field | SymbolKind::EnumMember)
        })
        .collect()
}
