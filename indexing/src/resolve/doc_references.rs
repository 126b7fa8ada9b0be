//! Names in documentation: adds edges from a documented symbol to the symbols that its
//! documentation names.

use super::definition::{Definition, LookupScope, Resolution};
use super::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES};
use super::file_context::FileContext;
use kenning_graph::facts::{FILE_SCOPE, ImportFact, NameSpan, ReferenceFact};
use kenning_graph::{EdgeKind, SymbolRef};

/// Maximum number of leading segments of a full path that are tried as a module. Deeper packages
/// are rare, and each attempt is a lookup.
const MAX_MODULE_SEGMENTS: usize = 6;

/// Adds a `documents` edge from the documented symbol (or the file) to the symbol that the
/// documentation names.
///
/// A comment is not a node of the graph, so the edge starts at the symbol that it documents. A name
/// gets an edge only if a scope, an import or a full path leads to it. Skips targets outside the
/// workspace.
pub(super) fn add_doc_edges(context: &FileContext, reference: &ReferenceFact, edges: &mut EdgeCollector) {
    let name = context.facts.strings.get(reference.name);
    let receiver = context.facts.strings.get(reference.receiver);
    let found = resolve_doc_name(context, reference.scope, receiver, name);
    let targets: Vec<SymbolRef> = found
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Symbol(symbol) => Some(*symbol),
            _ => None,
        })
        .collect();
    if targets.len() > MAX_CANDIDATES {
        return;
    }
    // A name refers to all of its overloads.
    let are_overloads = targets
        .iter()
        .all(|s| (s.path, s.container, s.name) == (targets[0].path, targets[0].container, name));
    let strength = if are_overloads {
        EdgeStrength::RESOLVED
    } else {
        EdgeStrength::RESOLVED.split_among(targets.len())
    };
    for target in &targets {
        edges.add_symbol_edge(
            context.symbol_id(reference.scope),
            target.id,
            EdgeKind::Documents,
            strength,
            Some(reference.at.line),
        );
    }
}

fn resolve_doc_name<'a>(context: &FileContext<'a>, scope: u32, receiver: &str, name: &str) -> Resolution<'a> {
    let resolver = &context.resolver;
    let lookup_scope = context.lookup_scope(scope);
    if matches!(receiver, "this" | "self") {
        return resolve_in_enclosing_type(context, lookup_scope, name);
    }
    if receiver.is_empty() {
        let found = resolver.lookup_name(lookup_scope, name);
        if !found.is_empty() || found.is_bound {
            return (*found).clone();
        }
        return resolve_in_enclosing_type(context, lookup_scope, name);
    }
    let found = resolver.resolve_type_path(lookup_scope, &format!("{receiver}.{name}"));
    if !found.is_empty() || !resolver.family.docs_use_full_paths() {
        return found;
    }
    // The name may be a full path without an import. The leading segments are tried as a module,
    // the longest path first.
    let parts: Vec<&str> = receiver.split('.').collect();
    for module_length in (1..=parts.len().min(MAX_MODULE_SEGMENTS)).rev() {
        let import = ImportFact {
            path: parts[..module_length].join("."),
            name: parts.get(module_length).copied().unwrap_or(name).to_owned(),
            scope: FILE_SCOPE,
            at: NameSpan::default(),
            ..ImportFact::default()
        };
        let mut found = resolver.resolve_import(resolver.path, &import, &import.name);
        for part in parts.iter().skip(module_length + 1) {
            found = resolver.resolve_member(&found, part);
        }
        if module_length < parts.len() {
            found = resolver.resolve_member(&found, name);
        }
        if found.definitions.iter().any(|definition| matches!(definition, Definition::Symbol(_))) {
            return found;
        }
    }
    Resolution::not_found()
}

/// Looks up a member of the type that encloses a scope.
fn resolve_in_enclosing_type<'a>(
    context: &FileContext<'a>,
    lookup_scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    context
        .resolver
        .enclosing_type(lookup_scope)
        .map_or_else(Resolution::not_found, |ty| (*context.resolver.members_of_type(&ty, name)).clone())
}
