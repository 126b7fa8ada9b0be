//! Resolution of a single use of a name, for queries about a position or a symbol. Runs the code
//! that adds the edges of the file, for this use only.

use super::edge_collector::EdgeCollector;
use super::file_context::FileContext;
use super::lang::rust_impls::{self, ForeignImpl};
use super::tracked_snapshot::{SharedIndexes, split_last_segment};
use super::{declaration_edges, import_edges, name_uses, with_file_context};
use crate::project::Project;
use kenning_graph::facts::{NameSpan, ReferenceFact, ReferenceRole};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::snapshot::identity::phantom_hash;
use kenning_graph::{EdgeKind, FileFacts, FileId, Provenance, Snapshot, SymbolId};

/// A use of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct UseSite {
    /// Position of the name.
    pub name: NameSpan,
    /// Possible targets, calls first; several if the text alone does not identify one. Empty for a
    /// name that refers to no symbol: a local variable, a builtin of the language.
    pub candidates: Vec<UseCandidate>,
}

/// A possible target of a use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UseCandidate {
    /// The symbol, in the workspace or outside it.
    pub symbol: SymbolId,
    /// Kind of the edge from the use to the symbol.
    pub kind: EdgeKind,
    /// Provenance of the target.
    pub provenance: Provenance,
    /// Confidence from 0 to 1; below 0.7 if the use fits several symbols.
    pub confidence: f32,
}

/// Returns the use of the name that contains byte `offset` of a file or ends there. Returns `None`
/// if there is no name. The snapshot must contain `facts`.
pub fn resolve_site(
    snapshot: &Snapshot,
    project: &Project,
    file: FileId,
    facts: &FileFacts,
    offset: u32,
) -> Option<UseSite> {
    let name = find_name_at(facts, offset)?;
    let shared = SharedIndexes::new(snapshot, project);
    with_file_context(snapshot, &shared, project, file, facts, |context| {
        let mut edges = EdgeCollector::with_loops();
        add_site_edges(&context, name, &mut edges);
        UseSite { name, candidates: edge_candidates(snapshot, &edges) }
    })
}

/// Returns the calls whose innermost symbol is `caller`, which may be the symbol of the file, in
/// text order. Omits calls without a known target. The snapshot must contain `facts`.
pub fn calls_in_symbol(
    snapshot: &Snapshot,
    project: &Project,
    file: FileId,
    facts: &FileFacts,
    caller: SymbolId,
) -> Vec<UseSite> {
    let shared = SharedIndexes::new(snapshot, project);
    let sites = with_file_context(snapshot, &shared, project, file, facts, |context| {
        let mut sites = Vec::new();
        let calls = facts
            .references
            .iter()
            .filter(|reference| matches!(reference.role, ReferenceRole::Call | ReferenceRole::Construct));
        for reference in calls.filter(|reference| context.symbol_id(reference.scope) == caller) {
            let mut edges = EdgeCollector::with_loops();
            name_uses::add_reference_edges(&context, reference, &mut edges);
            let candidates = edge_candidates(snapshot, &edges);
            if !candidates.is_empty() {
                sites.push(UseSite { name: reference.at, candidates });
            }
        }
        sites
    });
    sites.unwrap_or_default()
}

/// Returns the targets of the edges of one use, calls first.
pub(super) fn edge_candidates(snapshot: &Snapshot, edges: &EdgeCollector) -> Vec<UseCandidate> {
    let mut candidates: Vec<UseCandidate> = Vec::new();
    for edge in edges.found.iter().filter(|edge| edge.kind != EdgeKind::Tests) {
        let symbol = match (&edge.target, edge.kind) {
            // The edge starts at the decorator.
            (_, EdgeKind::Decorates) => Some(edge.source),
            (EdgeTarget::Symbol(id), _) => Some(*id),
            (EdgeTarget::Phantom { kind, package, name }, _) => {
                snapshot.symbol_by_hash(&phantom_hash(*kind, package, name))
            }
        };
        let Some(symbol) = symbol else { continue };
        let (kind, provenance, confidence) = (edge.kind, edge.provenance, edge.confidence);
        if !candidates.iter().any(|candidate| candidate.symbol == symbol) {
            candidates.push(UseCandidate { symbol, kind, provenance, confidence });
        }
    }
    candidates.sort_by_key(|candidate| candidate.kind != EdgeKind::Calls);
    candidates
}

/// Returns the name at a byte among the references and imports of a file. A name that starts there
/// takes precedence over a name that ends there.
fn find_name_at(facts: &FileFacts, offset: u32) -> Option<NameSpan> {
    let references = facts.references.iter().map(|reference| reference.at);
    let names = references.chain(facts.imports.iter().map(|import| import.at));
    let touching = names.filter(|at| at.len > 0 && (at.start..=at.start + at.len).contains(&offset));
    touching.max_by_key(|at| (at.start, std::cmp::Reverse(at.len)))
}

fn add_site_edges(context: &FileContext, name: NameSpan, edges: &mut EdgeCollector) {
    for reference in context.facts.references.iter().filter(|reference| reference.at == name) {
        if reference.role == ReferenceRole::Base {
            add_base_reference_edges(context, reference, edges);
        } else {
            name_uses::add_reference_edges(context, reference, edges);
        }
    }
    for import in context.facts.imports.iter().filter(|import| import.at == name) {
        import_edges::add_import_edges(context, import, edges);
    }
}

/// Adds the edges of a reference in a base list, which is otherwise resolved as part of its type.
pub(super) fn add_base_reference_edges(
    context: &FileContext,
    reference: &ReferenceFact,
    edges: &mut EdgeCollector,
) {
    if let Some(foreign_impl) = ForeignImpl::from_reference(context.facts, reference) {
        return rust_impls::add_impl_edges(context, &foreign_impl, edges);
    }
    let name = context.facts.strings.get(reference.name);
    for (fact, symbol) in context.facts.symbols.iter().zip(&context.symbols) {
        let contains_reference = (fact.span.start..fact.span.end).contains(&reference.at.start);
        for entry in
            fact.bases.iter().filter(|entry| contains_reference && split_last_segment(&entry.name).1 == name)
        {
            declaration_edges::add_base_entry_edges(context, fact, symbol, entry, edges);
        }
    }
}
