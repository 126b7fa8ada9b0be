//! Names in documentation: from the documented symbol to what its text names.

use super::edges::{Edges, MAX_CANDIDATES, Strength};
use super::family::Family;
use super::meaning::{Found, Meaning, Place};
use super::own::Own;
use kenning_graph::facts::{FILE_SCOPE, Import, NameSpan, Reference};
use kenning_graph::{EdgeKind, SymbolRef};

/// Adds an edge from the symbol whose documentation stands here (or the file) to the symbol that it names.
///
/// `documents` is "comment or document to symbol" (seed 000, section 4); a comment is no node of ours, its symbol stands
/// for it. Only names that a scope, an import or a full path explains; what lies outside the workspace is left out.
pub(super) fn documents(own: &Own, reference: &Reference, edges: &mut Edges) {
    let name = own.facts.strings.get(reference.name);
    let receiver = own.facts.strings.get(reference.receiver);
    let found = meaning(own, reference.scope, receiver, name);
    let targets: Vec<SymbolRef> = found
        .meanings
        .iter()
        .filter_map(|meaning| match meaning {
            Meaning::Symbol(symbol) => Some(*symbol),
            _ => None,
        })
        .collect();
    if targets.len() > MAX_CANDIDATES {
        return;
    }
    // Overloads are named together.
    let together = targets
        .iter()
        .all(|s| (s.path, s.container, s.name) == (targets[0].path, targets[0].container, name));
    let strength = if together { Strength::RESOLVED } else { Strength::RESOLVED.shared(targets.len()) };
    for target in &targets {
        edges.symbol(
            own.id(reference.scope),
            target.id,
            EdgeKind::Documents,
            strength,
            Some(reference.at.line),
        );
    }
}

fn meaning<'a>(own: &Own<'a>, scope: u32, receiver: &str, name: &str) -> Found<'a> {
    let r = &own.r;
    let place = own.place(scope);
    if matches!(receiver, "this" | "self") {
        return of_enclosing(own, place, name);
    }
    if receiver.is_empty() {
        let found = r.lookup(place, name);
        if !found.is_empty() || found.bound {
            return (*found).clone();
        }
        return of_enclosing(own, place, name);
    }
    let found = r.type_path(place, &format!("{receiver}.{name}"));
    if !found.is_empty() || !matches!(r.family, Family::Python | Family::Java) {
        return found;
    }
    // A full path that nothing imports: its longest part that is a module or a type is the module.
    let parts: Vec<&str> = receiver.split('.').collect();
    for split in (1..=parts.len().min(6)).rev() {
        let import = Import {
            path: parts[..split].join("."),
            name: parts.get(split).copied().unwrap_or(name).to_owned(),
            scope: FILE_SCOPE,
            at: NameSpan::default(),
            ..Import::default()
        };
        let mut found = r.import_meaning(r.path, &import, &import.name);
        for part in parts.iter().skip(split + 1) {
            found = r.step(&found, part);
        }
        if split < parts.len() {
            found = r.step(&found, name);
        }
        if found.meanings.iter().any(|meaning| matches!(meaning, Meaning::Symbol(_))) {
            return found;
        }
    }
    Found::nothing()
}

/// A member of the type around a place.
fn of_enclosing<'a>(own: &Own<'a>, place: Place, name: &str) -> Found<'a> {
    own.r.enclosing_type(place).map_or_else(Found::nothing, |ty| (*own.r.members(&ty, name)).clone())
}
