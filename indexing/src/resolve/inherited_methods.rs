//! Inherited methods: adds edges from a type to the methods that it inherits, from bases in any
//! file of the workspace.
//!
//! A breadth-first search visits the bases of a type, the nearest first. A method gets no edge if
//! it is private and cannot be overridden, or if the type or a nearer base declares a method with the
//! same signature. [`InheritedMethods`] caches the result for types with several declarations in a
//! file.

use super::definition::Definition;
use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use super::lang::MemberRegion;
use super::same_name_symbols::count_visits;
use super::static_members::Staticness;
use kenning_graph::paths::parent_folder;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Maximum number of inherited methods per type. Base classes of UI frameworks have hundreds.
const MAX_INHERITED: usize = 200;
/// Maximum number of bases visited per type, including indirect ones. Generated types can have
/// more, and broken code can have cycles.
const MAX_BASES: usize = 40;

/// The inherited methods of the types in a file, by
/// [`super::resolver::Resolver::canonical_declaration`]. The methods of a type with many
/// declarations in the file are collected once.
pub(super) type InheritedMethods = FxHashMap<SymbolId, Rc<[SymbolId]>>;

/// Adds an edge from a type to each method that it inherits and does not override.
pub(super) fn add_inherited_edges<'a>(
    context: &FileContext<'a>,
    symbol: &SymbolRef<'a>,
    inherited: &mut InheritedMethods,
    edges: &mut EdgeCollector,
) {
    let canonical = context.resolver.canonical_declaration(symbol);
    let methods =
        inherited.entry(canonical).or_insert_with(|| collect_inherited_methods(context, symbol).into());
    for &method in methods.iter() {
        edges.add_symbol_edge(symbol.id, method, EdgeKind::Inherits, EdgeStrength::RESOLVED, None);
    }
}

/// Returns the methods that a type inherits and does not override. Visits nearer bases first, whose
/// methods hide methods of farther bases.
fn collect_inherited_methods<'a>(context: &FileContext<'a>, symbol: &SymbolRef<'a>) -> Vec<SymbolId> {
    let mut found = Vec::new();
    let mut queue: VecDeque<(SymbolRef<'a>, bool)> = workspace_bases(context, symbol).into();
    if queue.is_empty() {
        return found;
    }
    let mut hidden_signatures: FxHashSet<MethodSignature> =
        declared_methods(context, symbol).iter().map(|method| override_signature(context, method)).collect();
    let mut seen: FxHashSet<SymbolId> = FxHashSet::from_iter([symbol.id]);
    while let Some((base, keeps_methods)) = queue.pop_front() {
        if seen.len() > MAX_BASES || !seen.insert(base.id) {
            continue;
        }
        queue.extend(workspace_bases(context, &base));
        if !keeps_methods {
            continue;
        }
        let methods = declared_methods(context, &base);
        for method in &methods {
            let is_private = method.visibility == Visibility::Private
                && !context.resolver.family.overrides_private_methods();
            if found.len() < MAX_INHERITED
                && !is_private
                && !hidden_signatures.contains(&override_signature(context, method))
            {
                found.push(method.id);
            }
        }
        hidden_signatures.extend(methods.iter().map(|method| override_signature(context, method)));
    }
    found
}

/// Adds an edge from a type to each method of one base that the type does not override.
pub(super) fn add_edges_from_base<'a>(
    context: &FileContext<'a>,
    symbol: &SymbolRef<'a>,
    base: &SymbolRef<'a>,
    edges: &mut EdgeCollector,
) {
    let methods = declared_methods(context, base);
    for method in methods.iter().filter(|method| context.resolver.own_members(symbol, method.name).is_empty())
    {
        edges.add_symbol_edge(symbol.id, method.id, EdgeKind::Inherits, EdgeStrength::RESOLVED, None);
    }
}

/// Name, parameters and staticness of a method.
type MethodSignature<'a> = (&'a str, &'a str, Staticness);

/// Returns the signature that a method shares with the methods that it overrides: its name, its
/// parameters in languages with overloads, and its staticness in languages where static and
/// instance methods can share a name.
fn override_signature<'a>(context: &FileContext, method: &SymbolRef<'a>) -> MethodSignature<'a> {
    let has_overloads = context.resolver.family.has_overloads();
    let staticness = if context.resolver.family.separates_static_members() {
        Staticness::from_signature(method.signature_text())
    } else {
        Staticness::Instance
    };
    (method.name, if has_overloads { method.param_types() } else { "" }, staticness)
}

/// Returns the bases of a type in the workspace. The flag shows whether the type inherits the
/// methods of the base.
fn workspace_bases<'a>(context: &FileContext<'a>, ty: &SymbolRef<'a>) -> Vec<(SymbolRef<'a>, bool)> {
    let found = context.resolver.resolve_bases(ty);
    let symbols = found.definitions.iter().filter_map(|definition| match definition {
        Definition::Symbol(s) | Definition::Instance(s) if s.id != ty.id => {
            Some((*s, context.resolver.inherits_base_methods(ty, s)))
        }
        _ => None,
    });
    symbols.collect()
}

/// Returns the methods declared for a type, in all its files.
fn declared_methods<'a>(context: &FileContext<'a>, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
    let container = ty.display_name();
    let mut found = Vec::new();
    for path in member_locations(context, ty) {
        found.extend(context.resolver.view.members_in_container(path, &container));
    }
    count_visits(found.len());
    found.retain(|member| member.kind == SymbolKind::Method);
    found
}

/// Returns the paths at which methods of a type are declared: the file of the type, its folder, or
/// every file that declares a part of it.
fn member_locations<'a>(context: &FileContext<'a>, ty: &SymbolRef<'a>) -> Vec<&'a str> {
    match context.resolver.family.member_region() {
        MemberRegion::Folder => vec![parent_folder(ty.path)],
        MemberRegion::Package | MemberRegion::Workspace => {
            let parts = context.resolver.type_declarations(ty);
            parts.iter().map(|part| part.path).collect::<BTreeSet<_>>().into_iter().collect()
        }
        MemberRegion::File | MemberRegion::Crate => vec![ty.path],
    }
}
