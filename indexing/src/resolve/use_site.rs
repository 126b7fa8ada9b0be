//! What a use of a name in a file stands for: the edges that this one use makes, by the code that makes all edges.

use super::edge_collector::EdgeCollector;
use super::file_context::FileContext;
use super::rust_impls::{self, ForeignImpl};
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
    /// Where the name stands.
    pub name: NameSpan,
    /// What it can stand for, calls first; several where the text alone cannot tell. Empty for what is no symbol: a local
    /// variable, a name of the language.
    pub candidates: Vec<UseCandidate>,
}

/// Something that a use of a name can stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UseCandidate {
    /// The symbol, of the workspace or outside.
    pub symbol: SymbolId,
    /// What the use does with it.
    pub kind: EdgeKind,
    /// How that is known.
    pub provenance: Provenance,
    /// 0..=1; below 0.7 where the use fits several symbols.
    pub confidence: f32,
}

/// The use of a name at a byte of a file, or ending there; `None` where there is none. The facts must be those that the
/// snapshot was given for the file.
pub fn resolve_site(
    snapshot: &Snapshot,
    project: &Project,
    file: FileId,
    facts: &FileFacts,
    offset: u32,
) -> Option<UseSite> {
    let name = find_name_at(facts, offset)?;
    let shared = SharedIndexes::new(snapshot, project);
    with_file_context(snapshot, &shared, project, file, facts, |own| {
        let mut edges = EdgeCollector::with_loops();
        add_site_edges(&own, name, &mut edges);
        UseSite { name, candidates: edge_candidates(snapshot, &edges) }
    })
}

/// The calls that stand directly in a symbol of a file, or in the file outside of all symbols, in the order of the text;
/// calls of nothing known left out. The facts must be those that the snapshot was given for the file.
pub fn calls_in_symbol(
    snapshot: &Snapshot,
    project: &Project,
    file: FileId,
    facts: &FileFacts,
    caller: SymbolId,
) -> Vec<UseSite> {
    let shared = SharedIndexes::new(snapshot, project);
    let sites = with_file_context(snapshot, &shared, project, file, facts, |own| {
        let mut sites = Vec::new();
        let calls = facts
            .references
            .iter()
            .filter(|r| matches!(r.role, ReferenceRole::Call | ReferenceRole::Construct));
        for reference in calls.filter(|reference| own.symbol_id(reference.scope) == caller) {
            let mut edges = EdgeCollector::with_loops();
            name_uses::add_reference_edges(&own, reference, &mut edges);
            let candidates = edge_candidates(snapshot, &edges);
            if !candidates.is_empty() {
                sites.push(UseSite { name: reference.at, candidates });
            }
        }
        sites
    });
    sites.unwrap_or_default()
}

/// What the edges of one use lead to, calls first.
pub(super) fn edge_candidates(snapshot: &Snapshot, edges: &EdgeCollector) -> Vec<UseCandidate> {
    let mut candidates: Vec<UseCandidate> = Vec::new();
    for edge in edges.found.iter().filter(|edge| edge.kind != EdgeKind::Tests) {
        let symbol = match (&edge.target, edge.kind) {
            // A decorator points at what it decorates.
            (_, EdgeKind::Decorates) => Some(edge.source),
            (EdgeTarget::Symbol(id), _) => Some(*id),
            (EdgeTarget::Phantom { kind, package, name }, _) => {
                snapshot.symbol_by_hash(&phantom_hash(*kind, package, name))
            }
        };
        let Some(symbol) = symbol else { continue };
        let (kind, provenance, confidence) = (edge.kind, edge.provenance, edge.confidence);
        if !candidates.iter().any(|known| known.symbol == symbol) {
            candidates.push(UseCandidate { symbol, kind, provenance, confidence });
        }
    }
    candidates.sort_by_key(|candidate| candidate.kind != EdgeKind::Calls);
    candidates
}

/// The name at a byte among the references and imports of a file; one that begins there comes before one that ends there.
fn find_name_at(facts: &FileFacts, offset: u32) -> Option<NameSpan> {
    let references = facts.references.iter().map(|reference| reference.at);
    let names = references.chain(facts.imports.iter().map(|import| import.at));
    let touched = names.filter(|at| at.len > 0 && (at.start..=at.start + at.len).contains(&offset));
    touched.max_by_key(|at| (at.start, std::cmp::Reverse(at.len)))
}

fn add_site_edges(own: &FileContext, name: NameSpan, edges: &mut EdgeCollector) {
    for reference in own.facts.references.iter().filter(|reference| reference.at == name) {
        if reference.role == ReferenceRole::Base {
            add_base_reference_edges(own, reference, edges);
        } else {
            name_uses::add_reference_edges(own, reference, edges);
        }
    }
    for import in own.facts.imports.iter().filter(|import| import.at == name) {
        import_edges::add_import_edges(own, import, edges);
    }
}

/// Entries of base lists are resolved as part of their type.
pub(super) fn add_base_reference_edges(
    own: &FileContext,
    reference: &ReferenceFact,
    edges: &mut EdgeCollector,
) {
    if let Some(one) = ForeignImpl::from_reference(own.facts, reference) {
        return rust_impls::add_impl_edges(own, &one, edges);
    }
    let name = own.facts.strings.get(reference.name);
    for (fact, symbol) in own.facts.symbols.iter().zip(&own.symbols) {
        let around = (fact.span.start..fact.span.end).contains(&reference.at.start);
        for entry in fact.bases.iter().filter(|entry| around && split_last_segment(&entry.name).1 == name) {
            declaration_edges::add_base_entry_edges(own, fact, symbol, entry, edges);
        }
    }
}
