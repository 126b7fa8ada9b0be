//! Targets that are only declared: a server may answer with a declaration in a header, while the
//! graph has the edge at the definition.

use crate::servers::LanguageServers;
use kenning_graph::snapshot::{Snapshot, SymbolId, SymbolRef};
use kenning_graph::verdicts::ReferenceSite;

/// Returns the definition of a symbol that is only declared: the definition that the text resolved
/// to, or the only one. Returns the symbol itself if it is a definition or its definition is
/// unknown.
pub(crate) fn definition_of_target(
    snapshot: &Snapshot,
    site: &ReferenceSite,
    id: SymbolId,
    language: &LanguageServers,
) -> SymbolId {
    let Some(declaration) = snapshot.symbol(id).filter(SymbolRef::is_declaration_only) else { return id };
    let same_name =
        snapshot.symbols_by_name(declaration.name).into_iter().filter_map(|id| snapshot.symbol(id));
    let mut definitions: Vec<SymbolRef> = same_name
        .filter(|symbol| {
            language.id == symbol.language || language.also.iter().any(|id| id == symbol.language)
        })
        .filter(|symbol| symbol.defines(&declaration))
        .collect();
    let has_same_parameters = |symbol: &SymbolRef| symbol.param_types() == declaration.param_types();
    if definitions.iter().any(has_same_parameters) {
        definitions.retain(has_same_parameters);
    }
    let guessed = definitions.iter().find(|symbol| site.is_guessed(&symbol.hash));
    match (guessed, &definitions[..]) {
        (Some(definition), _) | (None, [definition]) => definition.id,
        (None, _) => id,
    }
}
