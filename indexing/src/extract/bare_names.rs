//! Names that are values on their own: constants, variables, functions, and fields where no
//! receiver is needed.
//!
//! Any word of a body may be such a name. Only names that the file declares or imports, and names
//! in the case of constants, are recorded.

use super::raw_facts::{RawFacts, RawReference};
use super::symbols::{FileSymbols, is_constant_case};
use super::tree_scan::{ScannedName, TreeScan};
use crate::languages::LanguageRow;
use kenning_graph::facts::{NameSpan, ReferenceRole};
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::FxHashSet;

/// Maximum length of a name in bytes. Longer words are mostly encoded data.
const MAX_NAME_BYTES: usize = 100;

/// Adds a reference for each bare name that is not part of another reference.
pub(crate) fn collect_bare_names(
    text: &str,
    row: &LanguageRow,
    scan: &TreeScan,
    symbols: &FileSymbols,
    facts: &mut RawFacts,
) {
    let mut value_names: FxHashSet<&str> = FxHashSet::default();
    for symbol in &symbols.facts {
        let is_value = match symbol.kind {
            SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Function => true,
            SymbolKind::Field | SymbolKind::Property => row.bare_members,
            _ => false,
        };
        if is_value {
            value_names.insert(&symbol.name);
        }
    }
    let imported: Vec<String> = facts
        .imports
        .iter()
        .filter(|import| !import.name.is_empty() && !import.alias.is_empty())
        .map(|import| import.alias.clone())
        .collect();
    value_names.extend(imported.iter().map(String::as_str));
    let reference_starts: FxHashSet<u32> =
        facts.references.iter().map(|reference| reference.at.start).collect();
    for &ScannedName { start, end, line, column } in &scan.names {
        let Some(name) = text.get(start as usize..end as usize) else { continue };
        let is_bare_name = name.len() <= MAX_NAME_BYTES
            && (value_names.contains(name.trim_start_matches('@')) || is_constant_case(name));
        if !is_bare_name || reference_starts.contains(&start) {
            continue;
        }
        facts.references.push(RawReference {
            name: name.to_owned(),
            at: NameSpan { start, len: end - start, line, column },
            ..RawReference::with_role(ReferenceRole::Name)
        });
    }
}
