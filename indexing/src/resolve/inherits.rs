//! The methods that a type inherits from its bases, in whatever files these stand.

use super::edges::{Edges, Strength};
use super::family::Family;
use super::meaning::Meaning;
use super::named::note_passed;
use super::own::Own;
use super::sides::Side;
use crate::project::folder_of;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// Methods that a type is shown to inherit, at most.
const MAX_INHERITED: usize = 200;
/// Bases that are looked at for one type, those of bases included.
const MAX_BASES: usize = 40;

/// The methods that the types of a file inherit, by [`super::resolver::Resolver::whole`]: those of a type that the file
/// writes in many places are found once.
pub(super) type Given = FxHashMap<SymbolId, Rc<[SymbolId]>>;

/// Adds an edge from a type to each method that it has from a base and does not define itself.
pub(super) fn inherited<'a>(own: &Own<'a>, symbol: &SymbolRef<'a>, given: &mut Given, edges: &mut Edges) {
    let whole = own.r.whole(symbol);
    let methods = given.entry(whole).or_insert_with(|| inherited_methods(own, symbol).into());
    for &method in methods.iter() {
        edges.symbol(symbol.id, method, EdgeKind::Inherits, Strength::RESOLVED, None);
    }
}

/// The methods that a type has from its bases and does not define itself. Nearer bases go first: what one of them defines,
/// those behind it do not give.
fn inherited_methods<'a>(own: &Own<'a>, symbol: &SymbolRef<'a>) -> Vec<SymbolId> {
    let mut found = Vec::new();
    let mut queue: VecDeque<(SymbolRef<'a>, bool)> = bases(own, symbol).into();
    if queue.is_empty() {
        return found;
    }
    let mut taken: FxHashSet<Signature> =
        methods(own, symbol).iter().map(|method| signature(own, method)).collect();
    let mut seen: FxHashSet<SymbolId> = FxHashSet::from_iter([symbol.id]);
    while let Some((base, keeps_methods)) = queue.pop_front() {
        if seen.len() > MAX_BASES || !seen.insert(base.id) {
            continue;
        }
        queue.extend(bases(own, &base));
        if !keeps_methods {
            continue;
        }
        let methods = methods(own, &base);
        for method in &methods {
            let hidden = method.visibility == Visibility::Private && own.r.family != Family::Python;
            if found.len() < MAX_INHERITED && !hidden && !taken.contains(&signature(own, method)) {
                found.push(method.id);
            }
        }
        taken.extend(methods.iter().map(|method| signature(own, method)));
    }
    found
}

/// Adds an edge from a type to each method that one of its bases gives it.
pub(super) fn of_base<'a>(own: &Own<'a>, symbol: &SymbolRef<'a>, base: &SymbolRef<'a>, edges: &mut Edges) {
    let given = methods(own, base);
    for method in given.iter().filter(|method| own.r.own_members(symbol, method.name).is_empty()) {
        edges.symbol(symbol.id, method.id, EdgeKind::Inherits, Strength::RESOLVED, None);
    }
}

/// Name, parameters and side of a method.
type Signature<'a> = (&'a str, &'a str, Side);

/// What one method overrides another by: its name, in languages with overloads its parameters, and who has it where that
/// tells methods of one name apart.
fn signature<'a>(own: &Own, method: &SymbolRef<'a>) -> Signature<'a> {
    let overloads = matches!(own.r.family, Family::Java | Family::CSharp);
    let side = if own.r.family.has_sides() { Side::of(method.signature()) } else { Side::Value };
    (method.name, if overloads { method.params() } else { "" }, side)
}

/// The bases of a type that stand in the workspace, and whether it has their methods.
fn bases<'a>(own: &Own<'a>, ty: &SymbolRef<'a>) -> Vec<(SymbolRef<'a>, bool)> {
    let found = own.r.bases(ty);
    let symbols = found.meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Symbol(s) | Meaning::Instance(s) if s.id != ty.id => Some((*s, own.r.keeps_methods(ty, s))),
        _ => None,
    });
    symbols.collect()
}

/// The methods that are declared for a type, in all its files.
fn methods<'a>(own: &Own<'a>, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
    let container = ty.display_name();
    let mut found = Vec::new();
    for place in places(own, ty) {
        found.extend(own.r.view.members_in(place, &container));
    }
    note_passed(found.len());
    found.retain(|member| member.kind == SymbolKind::Method);
    found
}

/// Where members of a type can stand: its own file; for Go its folder; for C# and Ruby every file that holds a part of it.
fn places<'a>(own: &Own<'a>, ty: &SymbolRef<'a>) -> Vec<&'a str> {
    match own.r.family {
        Family::Go => vec![folder_of(ty.path)],
        Family::CSharp | Family::Ruby => {
            let parts = own.r.declarations(ty);
            parts.iter().map(|part| part.path).collect::<BTreeSet<_>>().into_iter().collect()
        }
        Family::Python | Family::Script | Family::Rust | Family::Java => vec![ty.path],
    }
}
