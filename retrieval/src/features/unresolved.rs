//! Whether a name is written at more places than its declarations: then "no callers" is not certain.

use kenning_graph::analysis::{Analyzer, is_compound, whole_token};
use kenning_graph::{Snapshot, SymbolId, SymbolKind};

/// Whether a symbol that does not declare the name of this one has it in its text. Calls through
/// receivers of unknown type, reflection and registrations by name look like this.
pub(super) fn is_named_elsewhere(snapshot: &Snapshot, id: SymbolId) -> bool {
    let Some(symbol) = snapshot.symbol(id) else { return false };
    if symbol.kind == SymbolKind::File || symbol.kind.is_phantom() || symbol.name.is_empty() {
        return false;
    }
    let mut tokens = Vec::new();
    if is_compound(symbol.name) {
        tokens.push(whole_token(symbol.name));
    } else {
        Analyzer::default().for_each_name_token(symbol.name, |token| tokens.push(token.to_owned()));
    }
    let declared = snapshot.symbols_by_name(symbol.name).len();
    tokens.first().is_some_and(|token| snapshot.document_frequency(token) as usize > declared)
}
