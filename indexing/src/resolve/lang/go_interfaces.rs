//! Go interfaces: finds the types that have all methods of an interface, and adds `implements` and
//! `overrides` edges.
//!
//! An interface requires its own methods and the methods of the interfaces that it embeds.
//! Candidates are the types that declare one of the rarest required methods. Each candidate must
//! then have all methods, declared or through embedded types. An interface gets no edges if it
//! embeds an unknown type, or if more than `MAX_IMPLEMENTATIONS` types satisfy it.

use super::super::definition::{Definition, ExternalSymbol, Resolution};
use super::super::edge_collector::{EdgeCollector, EdgeStrength};
use super::super::file_context::FileContext;
use super::super::same_name_symbols::FileRegion;
use super::family::LanguageFamily;
use super::type_ref;
use kenning_graph::facts::SymbolFact;
use kenning_graph::paths::parent_folder;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of types that satisfy an interface. An interface with more, such as a marker
/// interface, is too general for its edges to be useful.
const MAX_IMPLEMENTATIONS: usize = 100;
/// Maximum number of candidate types that are checked per interface. Generated code has thousands
/// of types with a method `String`.
const MAX_CANDIDATE_TYPES: usize = 300;
/// Maximum number of symbols with the name of a method, unless the method is the rarest. The search
/// for candidates visits each of them; `String` and `Close` have thousands.
const MAX_SAME_NAME: usize = 1000;
/// Maximum number of required methods. Generated interfaces have thousands.
const MAX_METHODS: usize = 100;
/// Maximum depth of embedded interfaces. Broken code can embed them in a cycle.
const MAX_DEPTH: u32 = 6;

/// A method that a type must have.
struct RequiredMethod<'a> {
    name: &'a str,
    /// Parameters and result; `None` for a method of an interface outside the workspace.
    signature: Option<GoMethodSignature<'a>>,
}

/// The signature of a method.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::resolve) struct GoMethodSignature<'a> {
    params: &'a str,
    result: &'a str,
    /// Number of parameters.
    arity: Option<u8>,
}

/// The name and the signature of a method.
pub(in crate::resolve) type MethodKey<'a> = (&'a str, Option<GoMethodSignature<'a>>);

/// Types by folder and name.
pub(in crate::resolve) type ImplementingTypes<'a> = BTreeSet<(&'a str, &'a str)>;

/// The types that have a method, by method.
pub(in crate::resolve) type TypesByMethod<'a> = FxHashMap<MethodKey<'a>, Arc<ImplementingTypes<'a>>>;

/// Adds the edges from the types that have all methods of an interface of this file.
///
/// The edges start at types of other files, but belong to this file, whose text lists the required
/// methods. The file depends on those types through its lookups of the method names.
pub(in crate::resolve) fn add_interface_edges<'a>(
    context: &FileContext<'a>,
    at: usize,
    interface: &SymbolRef<'a>,
    edges: &mut EdgeCollector,
) {
    let methods: Vec<(usize, &'a SymbolFact)> = interface_methods(context, at).collect();
    let mut required: Vec<RequiredMethod<'a>> = methods
        .iter()
        .map(|(_, fact)| RequiredMethod {
            name: &fact.name,
            signature: Some(GoMethodSignature { params: &fact.params, result: &fact.ty, arity: fact.arity }),
        })
        .collect();
    if add_embedded_methods(context, interface, 0, &mut required).is_none()
        || required.is_empty()
        || required.len() > MAX_METHODS
    {
        return;
    }
    let mut found = Vec::new();
    for (folder, container) in candidate_types(context, &required) {
        let types = context.resolver.top_level_in_region(FileRegion::Folder(folder), container, |s| {
            s.kind.is_type() && s.kind != SymbolKind::Interface
        });
        for definition in types.definitions {
            if let Definition::Symbol(ty) = definition
                && required.iter().all(|method| has_method(context, &ty, method))
            {
                found.push(ty);
            }
        }
    }
    if found.len() > MAX_IMPLEMENTATIONS {
        return;
    }
    for ty in found {
        edges.add_symbol_edge(ty.id, interface.id, EdgeKind::Implements, EdgeStrength::RESOLVED, None);
        for (method, fact) in &methods {
            add_override_edge(context, &ty, context.symbols[*method].id, &fact.name, edges);
        }
    }
}

fn add_override_edge<'a>(
    context: &FileContext<'a>,
    ty: &SymbolRef<'a>,
    method: SymbolId,
    name: &str,
    edges: &mut EdgeCollector,
) {
    for member in &context.resolver.own_members(ty, name).definitions {
        if let Definition::Symbol(member) = member {
            edges.add_symbol_edge(member.id, method, EdgeKind::Overrides, EdgeStrength::RESOLVED, None);
        }
    }
}

/// Returns the methods that an interface of this file declares itself.
fn interface_methods<'a>(
    context: &FileContext<'a>,
    interface: usize,
) -> impl Iterator<Item = (usize, &'a SymbolFact)> {
    let container = context.facts.symbols[interface].qualified_name();
    let end = context.facts.symbols[interface].span.end;
    // The methods come after the name of the interface, in text order.
    let following = context.facts.symbols.iter().enumerate().take(context.symbols.len()).skip(interface + 1);
    let methods = following.take_while(move |(_, fact)| fact.span.start < end);
    methods.filter(move |(_, fact)| fact.kind == SymbolKind::Method && fact.container == container)
}

/// Adds the methods of embedded interfaces to `required`. Returns `None` if one of these interfaces
/// is unknown, or if there are too many.
fn add_embedded_methods<'a>(
    context: &FileContext<'a>,
    interface: &SymbolRef<'a>,
    depth: u32,
    required: &mut Vec<RequiredMethod<'a>>,
) -> Option<()> {
    if depth > MAX_DEPTH || required.len() > MAX_METHODS {
        return None;
    }
    for (_, base) in interface.base_types() {
        let resolved = context.resolver.resolve_base(interface, base);
        let [definition] = &resolved.definitions[..] else { return None };
        match definition {
            Definition::Symbol(inner) if inner.kind == SymbolKind::Interface => {
                let members = context.resolver.view.members_in_container(inner.path, &inner.display_name());
                for member in members.iter().filter(|member| member.kind == SymbolKind::Method) {
                    let signature = GoMethodSignature {
                        params: member.param_types(),
                        result: member.type_text(),
                        arity: member.arity,
                    };
                    required.push(RequiredMethod { name: member.name, signature: Some(signature) });
                }
                add_embedded_methods(context, inner, depth + 1, required)?;
            }
            Definition::External(external) => add_library_methods(external, required)?,
            Definition::Builtin if base == "error" => {
                required.push(RequiredMethod { name: "Error", signature: None });
            }
            _ => return None,
        }
    }
    Some(())
}

/// Adds the methods of an interface of the standard library. Returns `None` if the interface is
/// unknown.
fn add_library_methods(interface: &ExternalSymbol, required: &mut Vec<RequiredMethod>) -> Option<()> {
    let package = interface.package.rsplit('/').next().unwrap_or("");
    let methods =
        LanguageFamily::Go.language_builtins().interfaces.get(&format!("{package}.{}", interface.name))?;
    required.extend(methods.iter().map(|name| RequiredMethod { name, signature: None }));
    Some(())
}

/// Returns candidate types, by folder and name: the types that declare the rarest of the methods,
/// or another method whose name few symbols have.
fn candidate_types<'a>(context: &FileContext<'a>, required: &[RequiredMethod<'a>]) -> ImplementingTypes<'a> {
    let mut by_count: Vec<_> =
        required.iter().map(|method| (context.resolver.view.count_named(method.name), method)).collect();
    by_count.sort_by_key(|(count, _)| *count);
    let selected = by_count.iter().enumerate().filter(|(at, (count, _))| *at == 0 || *count <= MAX_SAME_NAME);
    let mut type_sets: Vec<Arc<ImplementingTypes<'a>>> =
        selected.map(|(_, (_, method))| types_with_method(context, method)).collect();
    type_sets.sort_by_key(|types| types.len());
    let mut all = BTreeSet::new();
    for types in type_sets {
        if !all.is_empty() && all.len() + types.len() > MAX_CANDIDATE_TYPES {
            break;
        }
        all.extend(types.iter().take(MAX_CANDIDATE_TYPES));
    }
    all
}

/// Returns the types that declare a method. All interfaces with this method share the result.
/// `candidate_types` has logged the lookup of the name by counting its symbols.
fn types_with_method<'a>(
    context: &FileContext<'a>,
    method: &RequiredMethod<'a>,
) -> Arc<ImplementingTypes<'a>> {
    context.resolver.view.shared_indexes().types_with_method((method.name, method.signature), || {
        let symbols = context.resolver.view.symbols_named(method.name);
        let matching =
            symbols.iter().filter(|s| s.kind == SymbolKind::Method && has_required_signature(s, method));
        matching.map(|s| (parent_folder(s.path), s.container)).collect()
    })
}

/// Whether a type has a method: its own method, or a method of an embedded type.
fn has_method<'a>(context: &FileContext<'a>, ty: &SymbolRef<'a>, method: &RequiredMethod<'a>) -> bool {
    let members = context.resolver.members_of_type(ty, method.name);
    method_symbols(&members).any(|member| has_required_signature(&member, method))
}

fn method_symbols<'f, 'a>(found: &'f Resolution<'a>) -> impl Iterator<Item = SymbolRef<'a>> + 'f {
    found.definitions.iter().filter_map(|definition| match definition {
        Definition::Symbol(s) if s.kind == SymbolKind::Method => Some(*s),
        _ => None,
    })
}

/// Whether a method has the required parameters and result. Ignores package qualifiers, because a
/// package writes its own types without one.
fn has_required_signature(symbol: &SymbolRef, required: &RequiredMethod) -> bool {
    let Some(signature) = required.signature else { return true };
    symbol.arity == signature.arity
        && strip_qualifiers(symbol.param_types()) == strip_qualifiers(signature.params)
        && result_types(symbol.type_text()) == result_types(signature.result)
}

/// Returns the types of a result list, without the names of the results.
fn result_types(text: &str) -> Vec<String> {
    let list = text.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(text);
    type_ref::parse_result_types(list).into_iter().map(strip_qualifiers).collect()
}

/// Returns a list of types without package qualifiers, spaces and parentheses.
fn strip_qualifiers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = 0;
    for c in text.chars() {
        match c {
            '.' if !text.contains("...") => out.truncate(word),
            ' ' | '(' | ')' => word = out.len(),
            c => {
                out.push(c);
                if !(c.is_alphanumeric() || c == '_') {
                    word = out.len();
                }
            }
        }
    }
    out
}
