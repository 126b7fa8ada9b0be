//! Overrides: adds edges from a member to the members of base types that it overrides.

use super::definition::Definition;
use super::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES};
use super::file_context::FileContext;
use super::overloads::{self, ParameterMatch};
use super::static_members::Staticness;
use super::tracked_snapshot::split_last_segment;
use kenning_graph::facts::SymbolFact;
use kenning_graph::{EdgeKind, SymbolRef, Visibility};

/// Adds the edges from a member of the types `owners` to the members that it overrides.
pub(super) fn add_override_edges<'a>(
    context: &FileContext<'a>,
    fact: &SymbolFact,
    symbol: &SymbolRef<'a>,
    owners: &[SymbolRef<'a>],
    edges: &mut EdgeCollector,
) {
    if fact.visibility == Visibility::Private && !context.resolver.family.overrides_private_methods() {
        return;
    }
    let staticness = Staticness::from_signature(&fact.signature);
    if staticness == Staticness::Static && context.resolver.family.hides_static_methods() {
        return;
    }
    for owner in owners {
        let found = context.resolver.inherited_with_staticness(owner, &fact.name, staticness);
        let same_kind = found.definitions.iter().filter_map(|definition| match definition {
            Definition::Symbol(s) if s.kind == fact.kind && s.id != symbol.id => {
                Some(*s).filter(|s| Staticness::from_signature(s.signature_text()) == staticness)
            }
            _ => None,
        });
        let mut targets: Vec<SymbolRef> = same_kind.collect();
        if context.resolver.family.has_overloads() {
            keep_overridden(context, fact, symbol, owner, &mut targets);
        } else {
            keep_same_parameters(fact, &mut targets);
        }
        if targets.len() <= MAX_CANDIDATES {
            for target in &targets {
                let line = Some(fact.name_span.line);
                edges.add_symbol_edge(
                    symbol.id,
                    target.id,
                    EdgeKind::Overrides,
                    EdgeStrength::RESOLVED,
                    line,
                );
            }
        }
    }
}

/// Keeps the targets with the same parameters, or else the targets with the same number of
/// parameters. Keeps all if there are no such targets.
fn keep_same_parameters(fact: &SymbolFact, targets: &mut Vec<SymbolRef>) {
    for matches in [
        (|s: &SymbolRef, f: &SymbolFact| s.param_types() == f.params) as fn(&SymbolRef, &SymbolFact) -> bool,
        |s, f| s.arity == f.arity,
    ] {
        if targets.len() > 1 && targets.iter().any(|s| matches(s, fact)) {
            targets.retain(|s| matches(s, fact));
        }
    }
}

/// For languages with overloads: keeps the targets with the same parameters. If there are none,
/// keeps the targets that may have the same parameters, because a type parameter of the base can be
/// any type. Drops such a target if another overload of the type has exactly its parameters.
fn keep_overridden<'a>(
    context: &FileContext<'a>,
    fact: &SymbolFact,
    symbol: &SymbolRef<'a>,
    owner: &SymbolRef<'a>,
    targets: &mut Vec<SymbolRef<'a>>,
) {
    targets.retain(|target| target.arity == fact.arity);
    if context.resolver.family.has_explicit_interface_members()
        && let Some(interface) = explicit_interface_name(&fact.signature, &fact.name)
    {
        targets.retain(|target| split_last_segment(target.container).1 == interface);
    }
    let compare = |target: &SymbolRef<'a>| {
        overloads::compare_parameters(&context.resolver, target.param_types(), &fact.params)
    };
    if targets.iter().any(|target| compare(target) == ParameterMatch::Same) {
        return targets.retain(|target| compare(target) == ParameterMatch::Same);
    }
    targets.retain(|target| compare(target) == ParameterMatch::Possible);
    if targets.is_empty() {
        return;
    }
    let members = context.resolver.own_members(owner, &fact.name);
    let others: Vec<&SymbolRef> = members
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Symbol(other) if other.kind == fact.kind && other.id != symbol.id => Some(other),
            _ => None,
        })
        .collect();
    let has_exact_overload = |target: &SymbolRef| {
        others.iter().any(|other| {
            overloads::compare_parameters(&context.resolver, target.param_types(), other.param_types())
                == ParameterMatch::Same
        })
    };
    targets.retain(|target| !has_exact_overload(target));
}

/// C#: returns the simple name of the interface that a member implements explicitly: `IStore` for
/// `void IStore<T>.Save()`.
fn explicit_interface_name<'s>(signature: &'s str, name: &str) -> Option<&'s str> {
    let mut prefixes = signature.match_indices(name).map(|(at, _)| &signature[..at]);
    let mut path = prefixes.find_map(|prefix| prefix.strip_suffix('.'))?;
    if path.ends_with('>') {
        let mut depth = 0;
        let open = path.char_indices().rev().find(|&(_, c)| {
            depth += i32::from(c == '>') - i32::from(c == '<');
            depth == 0
        });
        path = &path[..open?.0];
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start =
        path.rfind(|c| !is_part(c)).map_or(0, |at| at + path[at..].chars().next().map_or(1, char::len_utf8));
    Some(&path[start..]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interface_of_an_explicit_member_is_read_from_its_signature() {
        for (signature, name, expected) in [
            ("void IRepo.Save(string a)", "Save", Some("IRepo")),
            ("IEnumerator<T> N.IEnumerable<Map<T, U>>.GetEnumerator()", "GetEnumerator", Some("IEnumerable")),
            ("int IRepo.Size { get; }", "Size", Some("IRepo")),
            ("public void Save(string a)", "Save", None),
            (">.Save", "Save", None),
            ("é.Save", "Save", Some("é")),
        ] {
            assert_eq!(explicit_interface_name(signature, name), expected, "{signature}");
        }
    }
}
