//! Edges from declarations: membership, bases, overridden members, satisfied interfaces.

use super::definition::{Definition, Resolution};
use super::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES, PhantomTarget};
use super::file_context::FileContext;
use super::inherited_methods;
use super::lang::family::LanguageFamily;
use super::lang::go_interfaces;
use super::overrides;
use kenning_graph::facts::{BaseRelation, BaseType, SymbolFact};
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};

/// Adds the edges of all declarations of the file.
pub(super) fn add_declaration_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let mut inherited = inherited_methods::InheritedMethods::default();
    for (at, fact) in context.facts.symbols.iter().enumerate() {
        let Some(symbol) = context.symbols.get(at) else { break };
        add_member_edges(context, fact, symbol, edges);
        if fact.kind.is_type() {
            add_all_base_edges(context, fact, symbol, edges);
            inherited_methods::add_inherited_edges(context, symbol, &mut inherited, edges);
            if context.resolver.family.has_implicit_interfaces() && fact.kind == SymbolKind::Interface {
                go_interfaces::add_interface_edges(context, at, symbol, edges);
            }
        } else if matches!(fact.kind, SymbolKind::Method | SymbolKind::Property) {
            overrides::add_override_edges(context, fact, symbol, &owner_types(context, fact), edges);
        }
    }
}

/// Returns the types that a symbol is a member of: the type around it, or the types that its
/// container names.
fn owner_types<'a>(context: &FileContext<'a>, fact: &SymbolFact) -> Vec<SymbolRef<'a>> {
    if let Some(parent) = fact.parent {
        let parent = context.symbols.get(parent as usize).filter(|parent| parent.kind.is_type());
        return parent.into_iter().copied().collect();
    }
    if fact.container.is_empty() {
        return Vec::new();
    }
    let mut types = context.resolver.types_of_container(&fact.container);
    types.truncate(MAX_CANDIDATES);
    types
}

fn add_member_edges(context: &FileContext, fact: &SymbolFact, symbol: &SymbolRef, edges: &mut EdgeCollector) {
    for owner in owner_types(context, fact) {
        edges.add_symbol_edge(symbol.id, owner.id, EdgeKind::MemberOf, EdgeStrength::STRUCTURAL, None);
    }
}

fn add_all_base_edges<'a>(
    context: &FileContext<'a>,
    fact: &SymbolFact,
    symbol: &SymbolRef<'a>,
    edges: &mut EdgeCollector,
) {
    for entry in &fact.bases {
        add_base_entry_edges(context, fact, symbol, entry, edges);
    }
}

/// Adds the edges of one entry of a base list.
pub(super) fn add_base_entry_edges<'a>(
    context: &FileContext<'a>,
    fact: &SymbolFact,
    symbol: &SymbolRef<'a>,
    base: &BaseType,
    edges: &mut EdgeCollector,
) {
    let found = context.resolver.resolve_base(symbol, &base.name);
    add_base_edges(context, symbol, fact.name_span.line, &found, base.relation, edges);
}

/// Adds the edges from a type to the definitions of one of its bases. `line` is the line that names
/// the base, `relation` the relation that the text states.
pub(super) fn add_base_edges<'a>(
    context: &FileContext<'a>,
    symbol: &SymbolRef<'a>,
    line: u32,
    found: &Resolution<'a>,
    relation: BaseRelation,
    edges: &mut EdgeCollector,
) {
    let targets: Vec<&SymbolRef> = found
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Symbol(s) => Some(s),
            _ => None,
        })
        .collect();
    if targets.len() > MAX_CANDIDATES {
        return;
    }
    for target in &targets {
        let (kind, strength) = base_edge_kind(context.resolver.family, relation, symbol.kind, target);
        edges.add_symbol_edge(symbol.id, target.id, kind, strength.split_among(targets.len()), Some(line));
    }
    for definition in &found.definitions {
        if let Definition::External(external) = definition {
            let kind = match relation {
                BaseRelation::Implements => EdgeKind::Implements,
                BaseRelation::Extends | BaseRelation::Embeds => EdgeKind::Extends,
            };
            let target = PhantomTarget {
                kind: SymbolKind::External,
                package: &external.package,
                name: &external.name,
            };
            edges.add_phantom_edge(symbol.id, target, kind, line);
        }
    }
}

/// Returns the kind and strength of the edge for an entry of a base list.
fn base_edge_kind(
    family: LanguageFamily,
    relation: BaseRelation,
    from: SymbolKind,
    target: &SymbolRef,
) -> (EdgeKind, EdgeStrength) {
    let is_contract = matches!(target.kind, SymbolKind::Interface | SymbolKind::Trait);
    let from_contract = matches!(from, SymbolKind::Interface | SymbolKind::Trait);
    match relation {
        BaseRelation::Implements => (EdgeKind::Implements, EdgeStrength::RESOLVED),
        BaseRelation::Embeds if family.embeds_types_as_fields() => {
            (EdgeKind::Extends, EdgeStrength::STRUCTURAL)
        }
        BaseRelation::Embeds => (EdgeKind::Implements, EdgeStrength::RESOLVED),
        // The list may not distinguish a base class from an interface; the declaration of the base
        // does.
        BaseRelation::Extends if is_contract && !from_contract => {
            (EdgeKind::Implements, EdgeStrength::RESOLVED)
        }
        BaseRelation::Extends => (EdgeKind::Extends, EdgeStrength::RESOLVED),
    }
}
