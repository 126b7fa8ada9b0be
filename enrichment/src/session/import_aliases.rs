//! Decides whether a name can refer to a symbol with a different name, through an alias, a
//! constructor or a re-export.
//!
//! Site resolution calls [`can_refer_to`] to check that a symbol at a location of a server's answer
//! is the target of the site and not another symbol around that location. It calls
//! [`follows_value`] when the answer is a local name: the indexer may have followed the value of a
//! variable, which a server does not.

use crate::servers::LanguageServers;
use kenning_graph::facts::{ImportFact, ReferenceRole};
use kenning_graph::snapshot::{Snapshot, SymbolRef};
use kenning_graph::verdicts::ReferenceSite;
use kenning_graph::vocabulary::SymbolKind;
use std::collections::BTreeSet;

/// Pairs of alias and original name in the imports of the workspace.
#[derive(Debug, Default)]
pub(crate) struct ImportAliases(BTreeSet<(String, String)>);

impl ImportAliases {
    /// Collects the aliases in the imports of every file.
    pub fn new(snapshot: &Snapshot) -> Self {
        let mut aliases = BTreeSet::new();
        for file in snapshot.files() {
            for import in snapshot.file_imports(file).iter().filter(|import| is_renaming(import)) {
                aliases.insert((import.alias.clone(), import.name.clone()));
            }
        }
        Self(aliases)
    }

    fn is_alias(&self, alias: &str, name: &str) -> bool {
        let is_recorded = |name: &str| self.0.contains(&(alias.to_owned(), name.to_owned()));
        // The declaration of a default export has a name that differs from `default`.
        is_recorded(name) || is_recorded("default")
    }
}

fn is_renaming(import: &ImportFact) -> bool {
    !import.alias.is_empty() && !import.name.is_empty() && import.alias != import.name
}

/// Whether the name at a site in this language can refer to a symbol.
pub(crate) fn can_refer_to(
    language: &LanguageServers,
    site: &ReferenceSite,
    symbol: &SymbolRef,
    aliases: &ImportAliases,
) -> bool {
    let (used, declared) = (&*site.name, symbol.name);
    let container = symbol.container.rsplit('.').next().unwrap_or("");
    used == declared
        || (symbol.kind == SymbolKind::Constructor && (used == container || language.is_type_keyword(used)))
        || (symbol.kind.is_type() && language.is_type_keyword(used))
        || (site.role == ReferenceRole::Decorator && language.is_decorator_name(used, declared))
        || aliases.is_alias(used, declared)
        // A constructor called through an alias of its type.
        || (symbol.kind == SymbolKind::Constructor && aliases.is_alias(used, container))
}

/// Whether the indexer resolved a site to a symbol with another name. If so, it followed the value of
/// a variable or parameter, whereas a server reports only the declaration of that variable.
pub(crate) fn follows_value(snapshot: &Snapshot, site: &ReferenceSite, aliases: &ImportAliases) -> bool {
    let target = |hash| snapshot.symbol_by_hash(&hash).and_then(|id| snapshot.symbol(id));
    let mut guessed = site.guesses.iter().filter_map(|guess| target(guess.far_end(&site.target_edges)));
    guessed.any(|symbol| symbol.name != &*site.name && !aliases.is_alias(&site.name, symbol.name))
}
