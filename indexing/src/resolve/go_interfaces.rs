//! Go interfaces: finds the types that have all methods of an interface, and adds `implements` and
//! `overrides` edges.
//!
//! The required methods are those of the interface and of the interfaces it embeds. Candidates are
//! the types that have one of the rarest required methods; each candidate is then checked for all
//! methods, its own and those of embedded types. An interface adds no edges if it embeds an unknown
//! type, or if more types satisfy it than say anything.

use super::definition::{Definition, ExternalSymbol, Resolution};
use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::family::LanguageFamily;
use super::file_context::FileContext;
use super::same_name_symbols::FileRegion;
use super::type_ref;
use kenning_graph::facts::SymbolFact;
use kenning_graph::paths::folder_of;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Types that satisfy one interface; more say nothing.
const MAX_SATISFYING: usize = 100;
/// Candidate types checked per interface.
const MAX_LOOKED_AT: usize = 300;
/// Symbols of one method name that are visited for candidates, if another method already gives
/// some.
const MAX_NAMED: usize = 1000;
/// Methods of one interface that are compared.
const MAX_METHODS: usize = 100;
/// Depth to which embedded interfaces are followed.
const MAX_DEPTH: u32 = 6;

/// A method that a type must have.
struct RequiredMethod<'a> {
    name: &'a str,
    /// Parameters and result; `None` for a method of an interface outside the workspace.
    shape: Option<MethodShape<'a>>,
}

/// The parameters of a method, its result, and its number of parameters.
type MethodShape<'a> = (&'a str, &'a str, Option<u8>);

/// The name and the shape of a method.
pub(super) type MethodKey<'a> = (&'a str, Option<MethodShape<'a>>);

/// Types by folder and name.
pub(super) type ImplementingTypes<'a> = BTreeSet<(&'a str, &'a str)>;

/// The types that have a method, by method.
pub(super) type TypesByMethod<'a> = FxHashMap<MethodKey<'a>, Arc<ImplementingTypes<'a>>>;

/// Adds the edges from the types that have all methods of an interface of this file.
///
/// The edges start at types of other files, but belong to this file, whose text has the list of
/// methods. Each method was looked up by its name.
pub(super) fn add_interface_edges<'a>(
    context: &FileContext<'a>,
    at: usize,
    interface: &SymbolRef<'a>,
    edges: &mut EdgeCollector,
) {
    let methods: Vec<(usize, &'a SymbolFact)> = interface_methods(context, at).collect();
    let mut wanted: Vec<RequiredMethod<'a>> = methods
        .iter()
        .map(|(_, fact)| RequiredMethod {
            name: &fact.name,
            shape: Some((&fact.params, &fact.ty, fact.arity)),
        })
        .collect();
    if add_embedded_methods(context, interface, 0, &mut wanted).is_none()
        || wanted.is_empty()
        || wanted.len() > MAX_METHODS
    {
        return;
    }
    let mut found = Vec::new();
    for (folder, container) in candidate_types(context, &wanted) {
        let types = context.resolver.top_level_in_region(FileRegion::Folder(folder), container, |s| {
            s.kind.is_type() && s.kind != SymbolKind::Interface
        });
        for definition in types.definitions {
            if let Definition::Symbol(ty) = definition
                && wanted.iter().all(|method| has_method(context, &ty, method))
            {
                found.push(ty);
            }
        }
    }
    if found.len() > MAX_SATISFYING {
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
    let behind = context.facts.symbols.iter().enumerate().take(context.symbols.len()).skip(interface + 1);
    let methods = behind.take_while(move |(_, fact)| fact.span.start < end);
    methods.filter(move |(_, fact)| fact.kind == SymbolKind::Method && fact.container == container)
}

/// Adds the methods of embedded interfaces to `wanted`. Returns `None` if one of these interfaces
/// is unknown, or if there are too many.
fn add_embedded_methods<'a>(
    context: &FileContext<'a>,
    interface: &SymbolRef<'a>,
    depth: u32,
    wanted: &mut Vec<RequiredMethod<'a>>,
) -> Option<()> {
    if depth > MAX_DEPTH || wanted.len() > MAX_METHODS {
        return None;
    }
    for (_, base) in interface.base_types() {
        let meant = context.resolver.resolve_base(interface, base);
        let [definition] = &meant.definitions[..] else { return None };
        match definition {
            Definition::Symbol(inner) if inner.kind == SymbolKind::Interface => {
                let members = context.resolver.view.members_in_container(inner.path, &inner.display_name());
                for member in members.iter().filter(|member| member.kind == SymbolKind::Method) {
                    let shape = Some((member.param_types(), member.type_text(), member.arity));
                    wanted.push(RequiredMethod { name: member.name, shape });
                }
                add_embedded_methods(context, inner, depth + 1, wanted)?;
            }
            Definition::External(external) => add_library_methods(external, wanted)?,
            Definition::Builtin if base == "error" => {
                wanted.push(RequiredMethod { name: "Error", shape: None });
            }
            _ => return None,
        }
    }
    Some(())
}

/// Adds the methods of an interface of the standard library. Returns `None` if the interface is
/// unknown.
fn add_library_methods(interface: &ExternalSymbol, wanted: &mut Vec<RequiredMethod>) -> Option<()> {
    let package = interface.package.rsplit('/').next().unwrap_or("");
    let methods =
        LanguageFamily::Go.language_builtins().interfaces.get(&format!("{package}.{}", interface.name))?;
    wanted.extend(methods.iter().map(|name| RequiredMethod { name, shape: None }));
    Some(())
}

/// Returns candidate types, by folder and name: those that declare the rarest of the methods
/// themselves, or another one whose name few symbols have.
fn candidate_types<'a>(context: &FileContext<'a>, wanted: &[RequiredMethod<'a>]) -> ImplementingTypes<'a> {
    let mut named: Vec<_> =
        wanted.iter().map(|method| (context.resolver.view.count_named(method.name), method)).collect();
    named.sort_by_key(|(count, _)| *count);
    let few = named.iter().enumerate().filter(|(at, (count, _))| *at == 0 || *count <= MAX_NAMED);
    let mut having: Vec<Arc<ImplementingTypes<'a>>> =
        few.map(|(_, (_, method))| types_with_method(context, method)).collect();
    having.sort_by_key(|types| types.len());
    let mut all = BTreeSet::new();
    for types in having {
        if !all.is_empty() && all.len() + types.len() > MAX_LOOKED_AT {
            break;
        }
        all.extend(types.iter().take(MAX_LOOKED_AT));
    }
    all
}

/// Returns the types that declare a method themselves. The result is shared by all interfaces with
/// this method. The lookup of the name was logged when its symbols were counted.
fn types_with_method<'a>(
    context: &FileContext<'a>,
    method: &RequiredMethod<'a>,
) -> Arc<ImplementingTypes<'a>> {
    context.resolver.view.shared_indexes().types_with_method((method.name, method.shape), || {
        let named = context.resolver.view.symbols_named(method.name);
        let fitting =
            named.iter().filter(|s| s.kind == SymbolKind::Method && has_required_signature(s, method));
        fitting.map(|s| (folder_of(s.path), s.container)).collect()
    })
}

/// Whether a type has a method, its own or that of an embedded type.
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

/// Whether a method has the required parameters and result. Ignores package qualifiers: a package
/// writes its own types without one, other packages write them with one.
fn has_required_signature(symbol: &SymbolRef, wanted: &RequiredMethod) -> bool {
    let Some((params, ty, arity)) = wanted.shape else { return true };
    symbol.arity == arity
        && strip_qualifiers(symbol.param_types()) == strip_qualifiers(params)
        && result_types(symbol.type_text()) == result_types(ty)
}

/// Returns the types of a result, without names.
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
