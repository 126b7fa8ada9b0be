//! Edges that declarations show: membership, bases, overriding, satisfied interfaces.

use super::edges::{Edges, MAX_CANDIDATES, Strength};
use super::family::Family;
use super::inherits;
use super::meaning::{Found, Meaning};
use super::overrides;
use super::own::Own;
use super::satisfied;
use kenning_graph::facts::{Base, Relation, SymbolFact};
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};

/// Makes the edges of all declarations of the file.
pub(super) fn declarations(own: &Own, edges: &mut Edges) {
    let mut given = inherits::Given::default();
    for (at, fact) in own.facts.symbols.iter().enumerate() {
        let Some(symbol) = own.symbols.get(at) else { break };
        member_of(own, fact, symbol, edges);
        if fact.kind.is_type() {
            bases(own, fact, symbol, edges);
            inherits::inherited(own, symbol, &mut given, edges);
            if own.r.family == Family::Go && fact.kind == SymbolKind::Interface {
                satisfied::satisfied(own, at, symbol, edges);
            }
        } else if matches!(fact.kind, SymbolKind::Method | SymbolKind::Property) {
            overrides::overrides(own, fact, symbol, &owners(own, fact), edges);
        }
    }
}

/// The types that a symbol is a member of: the one around it, or the one its container names.
fn owners<'a>(own: &Own<'a>, fact: &SymbolFact) -> Vec<SymbolRef<'a>> {
    if let Some(parent) = fact.parent {
        let parent = own.symbols.get(parent as usize).filter(|parent| parent.kind.is_type());
        return parent.into_iter().copied().collect();
    }
    if fact.container.is_empty() {
        return Vec::new();
    }
    let mut types = own.r.type_of_container(&fact.container);
    types.truncate(MAX_CANDIDATES);
    types
}

fn member_of(own: &Own, fact: &SymbolFact, symbol: &SymbolRef, edges: &mut Edges) {
    for owner in owners(own, fact) {
        edges.symbol(symbol.id, owner.id, EdgeKind::MemberOf, Strength::STRUCTURAL, None);
    }
}

fn bases<'a>(own: &Own<'a>, fact: &SymbolFact, symbol: &SymbolRef<'a>, edges: &mut Edges) {
    for entry in &fact.bases {
        base(own, fact, symbol, entry, edges);
    }
}

/// Makes the edges of one entry of a base list.
pub(super) fn base<'a>(
    own: &Own<'a>,
    fact: &SymbolFact,
    symbol: &SymbolRef<'a>,
    base: &Base,
    edges: &mut Edges,
) {
    let found = own.r.base(symbol, &base.name);
    base_edges(own, (symbol, fact.name_span.line), &found, base.relation, edges);
}

/// Makes the edges from a type, for which a line says so, to what a base of it stands for.
pub(super) fn base_edges<'a>(
    own: &Own<'a>,
    (symbol, line): (&SymbolRef<'a>, u32),
    found: &Found<'a>,
    said: Relation,
    edges: &mut Edges,
) {
    let targets: Vec<&SymbolRef> = found
        .meanings
        .iter()
        .filter_map(|meaning| match meaning {
            Meaning::Symbol(s) => Some(s),
            _ => None,
        })
        .collect();
    if targets.len() > MAX_CANDIDATES {
        return;
    }
    for target in &targets {
        let (kind, strength) = relation(own.r.family, said, symbol.kind, target);
        edges.symbol(symbol.id, target.id, kind, strength.shared(targets.len()), Some(line));
    }
    for meaning in &found.meanings {
        if let Meaning::External(external) = meaning {
            let kind = match said {
                Relation::Implements => EdgeKind::Implements,
                Relation::Extends | Relation::Embeds => EdgeKind::Extends,
            };
            let target = (SymbolKind::External, external.package.as_str(), external.name.as_str());
            edges.phantom(symbol.id, target, kind, line);
        }
    }
}

/// The edge that a base list entry makes.
fn relation(
    family: Family,
    relation: Relation,
    from: SymbolKind,
    target: &SymbolRef,
) -> (EdgeKind, Strength) {
    let contract = matches!(target.kind, SymbolKind::Interface | SymbolKind::Trait);
    let from_contract = matches!(from, SymbolKind::Interface | SymbolKind::Trait);
    match relation {
        Relation::Implements => (EdgeKind::Implements, Strength::RESOLVED),
        // Go: an embedded type is named in the type itself.
        Relation::Embeds if family == Family::Go => (EdgeKind::Extends, Strength::STRUCTURAL),
        Relation::Embeds => (EdgeKind::Implements, Strength::RESOLVED),
        // C#: the list does not tell a base class from an interface, the declaration does.
        Relation::Extends if contract && !from_contract => (EdgeKind::Implements, Strength::RESOLVED),
        Relation::Extends => (EdgeKind::Extends, Strength::RESOLVED),
    }
}
