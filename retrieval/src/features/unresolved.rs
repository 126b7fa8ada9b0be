//! Determines whether a symbol may have uses that the graph does not show, so that "no callers" is
//! not certain.
//!
//! [`find_hidden_uses`] returns the first reason that applies: another symbol's text contains the
//! name, the language itself calls the symbol, or the symbol is a member of a type with a base
//! outside the workspace. If a check would cost too much, it assumes a hidden use instead of
//! a certain zero.

use super::outside_callers::{is_called_implicitly, is_passive_base};
use kenning_graph::analysis::{Analyzer, is_compound, whole_token};
use kenning_graph::{EdgeKind, Provenance, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashSet;

/// Maximum number of types that are visited above the type of a member. Generated types can
/// implement hundreds of interfaces.
const MAX_BASES: usize = 32;

/// Maximum number of symbols with one name whose users are collected. With more namesakes, as for
/// `get`, a use always counts as unresolved.
const MAX_NAMESAKES: usize = 32;

/// Maximum number of symbols with the name in their text that are compared with the known users. If
/// more symbols contain the name, as for `name`, a use always counts as unresolved.
const MAX_NAMING_SYMBOLS: usize = 256;

/// The reason why uses of a symbol may be missing from the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenUses {
    /// The text of another symbol contains the name, as in a call through a receiver of unknown
    /// type, in reflection or in a registration by name.
    NamedElsewhere,
    /// The language calls the symbol.
    CalledImplicitly,
    /// The symbol is a member of a type with a base outside the workspace, which may call it.
    OutsideBase,
}

/// Whether uses of a symbol may be missing from the graph.
pub(super) fn may_have_hidden_uses(snapshot: &Snapshot, id: SymbolId) -> bool {
    find_hidden_uses(snapshot, id).is_some()
}

/// Returns the reason why uses of a symbol may be missing from the graph, or `None` if no use can
/// be missing.
pub(super) fn find_hidden_uses(snapshot: &Snapshot, id: SymbolId) -> Option<HiddenUses> {
    let symbol = snapshot.symbol(id)?;
    if symbol.kind == SymbolKind::File || symbol.kind.is_phantom() || symbol.name.is_empty() {
        return None;
    }
    if is_named_elsewhere(snapshot, &symbol) {
        return Some(HiddenUses::NamedElsewhere);
    }
    if is_called_implicitly(&symbol) {
        return Some(HiddenUses::CalledImplicitly);
    }
    let outside = symbol.parent.is_some_and(|parent| has_base_among(snapshot, parent, OutsideBases::All));
    outside.then_some(HiddenUses::OutsideBase)
}

/// Whether the text of another symbol contains this name although that symbol neither declares the
/// name nor has an edge to a symbol with the name.
fn is_named_elsewhere(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> bool {
    // Ruby's names may end in a mark, which is not a part of the token.
    let name = symbol.name.trim_end_matches(['?', '!', '=']);
    let mut tokens = Vec::new();
    if is_compound(name) {
        tokens.push(whole_token(name));
    } else {
        Analyzer::default().for_each_name_token(name, |token| tokens.push(token.to_owned()));
    }
    let Some(token) = tokens.first().filter(|_| name.contains(char::is_alphanumeric)) else {
        // An operator is called without its name.
        return true;
    };
    let mut named_in = snapshot.symbols_with_token(token).take(MAX_NAMING_SYMBOLS + 1).peekable();
    if named_in.peek().is_none() {
        return false;
    }
    let namesakes = snapshot.symbols_by_name(symbol.name);
    if namesakes.len() > MAX_NAMESAKES {
        return true;
    }
    let known = collect_known_users(snapshot, symbol.id, &namesakes);
    named_in.enumerate().any(|(at, id)| at == MAX_NAMING_SYMBOLS || !known.contains(&id))
}

/// Returns the symbols that declare a name, use the symbol or certainly use a namesake, and the
/// symbols around them, because the text of a function includes the functions inside it.
fn collect_known_users(snapshot: &Snapshot, symbol: SymbolId, namesakes: &[SymbolId]) -> FxHashSet<SymbolId> {
    let mut known = FxHashSet::default();
    let mut add_with_enclosing = |id| {
        let mut next = Some(id);
        while let Some(current) = next.filter(|&current| known.insert(current)) {
            next = snapshot.symbol(current).and_then(|symbol| symbol.parent);
        }
    };
    for &namesake in namesakes {
        add_with_enclosing(namesake);
        snapshot.for_each_in_edge(namesake, |edge| {
            let is_use = !matches!(edge.kind, EdgeKind::MemberOf | EdgeKind::Contains | EdgeKind::Inherits);
            let is_certain = namesake == symbol || edge.provenance != Provenance::AstInferred;
            if is_use && is_certain {
                add_with_enclosing(edge.source);
            }
        });
    }
    known
}

/// The bases outside the workspace that count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutsideBases {
    /// Types of libraries that the text imports.
    Libraries,
    /// Also types that are built into the language, and bases that could not be resolved.
    All,
}

/// Whether a type extends or implements, directly or over several steps, a type of a library.
pub(super) fn has_library_base(snapshot: &Snapshot, ty: SymbolId) -> bool {
    has_base_among(snapshot, ty, OutsideBases::Libraries)
}

/// Whether a type extends or implements, directly or over several steps, a type outside the
/// workspace. Passive bases, which call no member of their subtypes, are ignored.
fn has_base_among(snapshot: &Snapshot, ty: SymbolId, bases: OutsideBases) -> bool {
    let (mut pending, mut seen) = (vec![ty], FxHashSet::default());
    while let Some(current) = pending.pop() {
        let (mut outside, mut resolved_names) = (false, Vec::new());
        snapshot.for_each_out_edge(current, |edge| {
            if !matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements) {
                return;
            }
            let Some(base) = snapshot.symbol(edge.target) else { return };
            resolved_names.push(base.name);
            outside |= base.kind.is_phantom() && !is_passive_base(base.path, base.name);
            if seen.len() < MAX_BASES && seen.insert(edge.target) {
                pending.push(edge.target);
            }
        });
        // Bases without an edge are built into the language, or could not be resolved.
        let declared = snapshot.symbol(current);
        outside |= declared.filter(|_| bases == OutsideBases::All).is_some_and(|symbol| {
            let mut names = symbol.base_types().map(|(_, text)| simple_type_name(text));
            names.any(|name| !resolved_names.contains(&name) && !is_passive_base("", name))
        });
        if outside {
            return true;
        }
    }
    false
}

/// Returns the last name of a type in an entry of a base list: `Handler` for `http.Handler<T>`.
fn simple_type_name(text: &str) -> &str {
    let end = text.find(['<', '[', '(']).unwrap_or(text.len());
    let plain = text[..end].trim();
    plain.rsplit(['.', ':', '/', ' ', '*', '&']).next().unwrap_or(plain)
}
