//! Determines whether a symbol may have uses that the graph does not show, so that "no callers" is
//! not certain.

use super::request_entries::{is_called_implicitly, is_passive_base};
use kenning_graph::analysis::{Analyzer, is_compound, whole_token};
use kenning_graph::{EdgeKind, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashSet;

/// Maximum number of types that are visited above the type of a member.
const MAX_BASES: usize = 32;

/// Number of symbols of one name from which some of their uses always count as unresolved.
const MAX_NAMESAKES: usize = 32;

/// Number of symbols with the name in their text from which one of them always counts as unresolved.
const MAX_NAMING_SYMBOLS: usize = 256;

/// The reason why uses of a symbol may be missing from the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenUses {
    /// The text of a symbol that does not declare the name has the name: calls through receivers of
    /// unknown type, reflection and registrations by name look like this.
    NamedElsewhere,
    /// The language or a framework calls it.
    CalledImplicitly,
    /// It is a member of a type with a base outside of the workspace, which may call it.
    OutsideBase,
}

/// Whether uses of a symbol may be missing from the graph.
pub(super) fn may_have_hidden_uses(snapshot: &Snapshot, id: SymbolId) -> bool {
    find_hidden_uses(snapshot, id).is_some()
}

/// Returns the reason why uses of a symbol may be missing from the graph, or `None` if no use can be
/// missing.
pub(super) fn find_hidden_uses(snapshot: &Snapshot, id: SymbolId) -> Option<HiddenUses> {
    let symbol = snapshot.symbol(id)?;
    if symbol.kind == SymbolKind::File || symbol.kind.is_phantom() || symbol.name.is_empty() {
        return None;
    }
    if is_named_elsewhere(snapshot, &symbol) {
        return Some(HiddenUses::NamedElsewhere);
    }
    if is_called_implicitly(snapshot, &symbol) {
        return Some(HiddenUses::CalledImplicitly);
    }
    let outside = symbol.parent.is_some_and(|parent| has_outside_base(snapshot, parent));
    outside.then_some(HiddenUses::OutsideBase)
}

/// Whether the text of a symbol has this name although the symbol neither declares the name nor has an edge to a
/// symbol of the name.
fn is_named_elsewhere(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> bool {
    let mut tokens = Vec::new();
    if is_compound(symbol.name) {
        tokens.push(whole_token(symbol.name));
    } else {
        Analyzer::default().for_each_name_token(symbol.name, |token| tokens.push(token.to_owned()));
    }
    let Some(token) = tokens.first() else { return false };
    let mut named_in = snapshot.symbols_with_token(token).take(MAX_NAMING_SYMBOLS + 1).peekable();
    if named_in.peek().is_none() {
        return false;
    }
    let namesakes = snapshot.symbols_by_name(symbol.name);
    if namesakes.len() > MAX_NAMESAKES {
        return true;
    }
    let known = collect_known_users(snapshot, &namesakes);
    named_in.enumerate().any(|(at, id)| at == MAX_NAMING_SYMBOLS || !known.contains(&id))
}

/// Returns symbols, everything that has an edge to one of them, and what encloses those: the text of a function
/// includes that of the functions inside it.
fn collect_known_users(snapshot: &Snapshot, symbols: &[SymbolId]) -> FxHashSet<SymbolId> {
    let mut known = FxHashSet::default();
    let mut add_with_enclosing = |id| {
        let mut next = Some(id);
        while let Some(at) = next.filter(|&at| known.insert(at)) {
            next = snapshot.symbol(at).and_then(|symbol| symbol.parent);
        }
    };
    for &symbol in symbols {
        add_with_enclosing(symbol);
        snapshot.for_each_in_edge(symbol, |edge| {
            if !matches!(edge.kind, EdgeKind::MemberOf | EdgeKind::Contains) {
                add_with_enclosing(edge.source);
            }
        });
    }
    known
}

/// Whether a type extends or implements, directly or over several steps, a type outside of the
/// workspace. Passive bases, which call no member of their subtypes, do not count.
pub(super) fn has_outside_base(snapshot: &Snapshot, ty: SymbolId) -> bool {
    let (mut pending, mut seen) = (vec![ty], FxHashSet::default());
    while let Some(at) = pending.pop() {
        let mut outside = false;
        snapshot.for_each_out_edge(at, |edge| {
            if matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements) {
                outside |= snapshot
                    .symbol(edge.target)
                    .is_some_and(|base| base.kind.is_phantom() && !is_passive_base(&base));
                if seen.len() < MAX_BASES && seen.insert(edge.target) {
                    pending.push(edge.target);
                }
            }
        });
        if outside {
            return true;
        }
    }
    false
}
