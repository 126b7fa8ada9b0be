//! Go: the types that have all methods of an interface, those of embedded interfaces and embedded types included.

use super::edges::{Edges, Strength};
use super::family::Family;
use super::meaning::{External, Found, Meaning};
use super::named::Region;
use super::own::Own;
use super::shapes;
use crate::project::folder_of;
use kenning_graph::facts::SymbolFact;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Types that are shown to satisfy one interface, at most; more say nothing.
const MAX_SATISFYING: usize = 100;
/// Types that are looked at for one interface.
const MAX_LOOKED_AT: usize = 300;
/// Symbols of one name that are looked at for the types that have a method, where another method shows types already.
const MAX_NAMED: usize = 1000;
/// Methods of one interface that are compared.
const MAX_METHODS: usize = 100;
/// Interfaces that are embedded in one another are followed this far.
const MAX_DEPTH: u32 = 6;

/// A method that a type must have.
struct Wanted<'a> {
    name: &'a str,
    /// `None` for a method of an interface outside the workspace.
    shape: Option<MethodShape<'a>>,
}

/// Parameters of a method, its result, and the number of the parameters.
type MethodShape<'a> = (&'a str, &'a str, Option<u8>);

/// The name of a method and its shape.
pub(super) type MethodKey<'a> = (&'a str, Option<MethodShape<'a>>);

/// Types by folder and name.
pub(super) type Having<'a> = BTreeSet<(&'a str, &'a str)>;

/// The types that have a method.
pub(super) type TypesByMethod<'a> = FxHashMap<MethodKey<'a>, Arc<Having<'a>>>;

/// Adds the edges from the types that have all methods of an interface of this file.
///
/// The edges start at types of other files but are shown by this file, whose text holds the list of methods; each
/// method was looked up by its name.
pub(super) fn satisfied<'a>(own: &Own<'a>, at: usize, interface: &SymbolRef<'a>, edges: &mut Edges) {
    let methods: Vec<(usize, &'a SymbolFact)> = methods_of(own, at).collect();
    let mut wanted: Vec<Wanted<'a>> = methods
        .iter()
        .map(|(_, fact)| Wanted { name: &fact.name, shape: Some((&fact.params, &fact.ty, fact.arity)) })
        .collect();
    if embedded(own, interface, 0, &mut wanted).is_none() || wanted.is_empty() || wanted.len() > MAX_METHODS {
        return;
    }
    let mut found = Vec::new();
    for (folder, container) in candidates(own, &wanted) {
        let types = own.r.at_top_within(Region::Folder(folder), container, |s| {
            s.kind.is_type() && s.kind != SymbolKind::Interface
        });
        for meaning in types.meanings {
            if let Meaning::Symbol(ty) = meaning
                && wanted.iter().all(|method| has(own, &ty, method))
            {
                found.push(ty);
            }
        }
    }
    if found.len() > MAX_SATISFYING {
        return;
    }
    for ty in found {
        edges.symbol(ty.id, interface.id, EdgeKind::Implements, Strength::RESOLVED, None);
        for (method, fact) in &methods {
            overrides(own, &ty, own.symbols[*method].id, &fact.name, edges);
        }
    }
}

fn overrides<'a>(own: &Own<'a>, ty: &SymbolRef<'a>, method: SymbolId, name: &str, edges: &mut Edges) {
    for member in &own.r.own_members(ty, name).meanings {
        if let Meaning::Symbol(member) = member {
            edges.symbol(member.id, method, EdgeKind::Overrides, Strength::RESOLVED, None);
        }
    }
}

/// The methods of an interface of this file that are written in it.
fn methods_of<'a>(own: &Own<'a>, interface: usize) -> impl Iterator<Item = (usize, &'a SymbolFact)> {
    let container = own.facts.symbols[interface].qualified();
    let end = own.facts.symbols[interface].span.end;
    // They stand behind the name of the interface, in the order of the text.
    let behind = own.facts.symbols.iter().enumerate().take(own.symbols.len()).skip(interface + 1);
    let methods = behind.take_while(move |(_, fact)| fact.span.start < end);
    methods.filter(move |(_, fact)| fact.kind == SymbolKind::Method && fact.container == container)
}

/// Adds the methods that embedded interfaces bring; `None` where one of them is not known.
fn embedded<'a>(
    own: &Own<'a>,
    interface: &SymbolRef<'a>,
    depth: u32,
    wanted: &mut Vec<Wanted<'a>>,
) -> Option<()> {
    if depth > MAX_DEPTH || wanted.len() > MAX_METHODS {
        return None;
    }
    for (_, base) in interface.bases() {
        let meant = own.r.base(interface, base);
        let [meaning] = &meant.meanings[..] else { return None };
        match meaning {
            Meaning::Symbol(inner) if inner.kind == SymbolKind::Interface => {
                let members = own.r.view.members_in(inner.path, &inner.display_name());
                for member in members.iter().filter(|member| member.kind == SymbolKind::Method) {
                    let shape = Some((member.params(), member.ty(), member.arity));
                    wanted.push(Wanted { name: member.name, shape });
                }
                embedded(own, inner, depth + 1, wanted)?;
            }
            Meaning::External(external) => of_library(external, wanted)?,
            Meaning::Builtin if base == "error" => wanted.push(Wanted { name: "Error", shape: None }),
            _ => return None,
        }
    }
    Some(())
}

/// The methods of an interface of the standard library.
fn of_library(interface: &External, wanted: &mut Vec<Wanted>) -> Option<()> {
    let package = interface.package.rsplit('/').next().unwrap_or("");
    let methods = Family::Go.builtins().interfaces.get(&format!("{package}.{}", interface.name))?;
    wanted.extend(methods.iter().map(|name| Wanted { name, shape: None }));
    Some(())
}

/// The types, by folder and name, that have at least the rarest of the methods themselves, or another where not too many do.
fn candidates<'a>(own: &Own<'a>, wanted: &[Wanted<'a>]) -> Having<'a> {
    let mut named: Vec<_> =
        wanted.iter().map(|method| (own.r.view.count_named(method.name), method)).collect();
    named.sort_by_key(|(count, _)| *count);
    let few = named.iter().enumerate().filter(|(at, (count, _))| *at == 0 || *count <= MAX_NAMED);
    let mut having: Vec<Arc<Having<'a>>> = few.map(|(_, (_, method))| having(own, method)).collect();
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

/// The types that have a method themselves: read once for all interfaces that have it as well. That its name was looked up
/// was noted when the symbols of the name were counted.
fn having<'a>(own: &Own<'a>, method: &Wanted<'a>) -> Arc<Having<'a>> {
    own.r.view.shared().having((method.name, method.shape), || {
        let named = own.r.view.named(method.name);
        let fitting = named.iter().filter(|s| s.kind == SymbolKind::Method && fits(s, method));
        fitting.map(|s| (folder_of(s.path), s.container)).collect()
    })
}

/// Whether a type has a method, its own or that of an embedded type.
fn has<'a>(own: &Own<'a>, ty: &SymbolRef<'a>, method: &Wanted<'a>) -> bool {
    let members = own.r.members(ty, method.name);
    methods(&members).any(|member| fits(&member, method))
}

fn methods<'f, 'a>(found: &'f Found<'a>) -> impl Iterator<Item = SymbolRef<'a>> + 'f {
    found.meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Symbol(s) if s.kind == SymbolKind::Method => Some(*s),
        _ => None,
    })
}

/// Whether a method has the parameters and the result that are wanted. Packages are left out of the comparison: the same
/// type is written with and without its package inside and outside of it.
fn fits(symbol: &SymbolRef, wanted: &Wanted) -> bool {
    let Some((params, ty, arity)) = wanted.shape else { return true };
    symbol.arity == arity && bare(symbol.params()) == bare(params) && results(symbol.ty()) == results(ty)
}

/// The types of a result, without names.
fn results(text: &str) -> Vec<String> {
    let list = text.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(text);
    shapes::results(list).into_iter().map(bare).collect()
}

/// A type list without package qualifiers, spaces and parentheses.
fn bare(text: &str) -> String {
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
