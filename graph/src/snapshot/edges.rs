//! Reads edges from base, overlay and verdicts together, and adds the mirrors of stored kinds.
//!
//! An edge is stored once, in the base or the overlay, with the file that shows it. Reading
//! composes the layers: it skips edges of masked files and edges that language servers hide, adds
//! edges that servers discovered, and yields the mirror of each edge whose kind has one
//! ([`mirror_kind`]). Edges of documents are not visible from their targets
//! ([`Snapshot::edges_from_documents`]), so that a document does not change the uses, the degree or
//! the walks of the code that it mentions. `for_each_...` visits every edge, in any order;
//! `out_edges` and `in_edges` keep the strongest edge per kind and end, sorted.

use super::Snapshot;
use super::base::{
    EDGE_FOREIGN, EDGE_FROM_DOCUMENT, EdgeRecord, ForeignOwner, ImageSection, IncomingRecord, NONE,
};
use super::overlay::StoredEdge;
use super::types::{Edge, FileId, GraphCounts, SymbolId};
use super::verdict_overlay::for_each_added_edge;
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};

/// Returns the kind under which an edge is read from its target; `None` if the kind has no mirror.
/// Mirrors are never stored: a member's file shows `member_of`, and its type reads the same edge as
/// `contains`.
pub const fn mirror_kind(kind: EdgeKind) -> Option<EdgeKind> {
    match kind {
        EdgeKind::MemberOf => Some(EdgeKind::Contains),
        EdgeKind::Tests => Some(EdgeKind::TestedBy),
        _ => None,
    }
}

impl Snapshot {
    /// Returns the edges that start at a symbol, including mirrors and the history layer. Keeps the
    /// strongest edge per target and kind; sorted by kind and target.
    pub fn out_edges(&self, id: SymbolId) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.for_each_out_edge(id, |edge| edges.push(edge));
        edges.extend(self.layer_edges(id));
        keep_strongest(edges, |edge| edge.target)
    }

    /// Returns the edges of documents that end at a symbol: of the sections (or files) that name it
    /// or link to it. Keeps the strongest edge per source and kind; sorted by kind and source. All
    /// other functions that read the edges at a target leave these edges out.
    pub fn edges_from_documents(&self, id: SymbolId) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.for_each_raw_in(id, |raw| {
            if self.is_from_document(&raw) {
                edges.extend(raw.decode_edge());
            }
        });
        keep_strongest(edges, |edge| edge.source)
    }

    /// Whether a document shows an edge.
    fn is_from_document(&self, raw: &RawEdge<'_>) -> bool {
        match raw {
            RawEdge::Base { record, .. } => record.flags & EDGE_FROM_DOCUMENT != 0,
            RawEdge::Overlay(edge) => {
                matches!(edge.kind, EdgeKind::Documents | EdgeKind::References | EdgeKind::OwnedBy)
                    && self.is_document(edge.owner)
            }
        }
    }

    /// Returns the edges that end at a symbol, including mirrors. Keeps the strongest edge per
    /// source and kind; sorted by kind and source.
    pub fn in_edges(&self, id: SymbolId) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.for_each_in_edge(id, |edge| edges.push(edge));
        keep_strongest(edges, |edge| edge.source)
    }

    /// Calls `f` with every edge that starts at a symbol, in unspecified order. An edge that two
    /// files show is visited twice.
    pub fn for_each_out_edge(&self, id: SymbolId, mut f: impl FnMut(Edge)) {
        self.for_each_composed_out(id, &mut f);
        self.for_each_composed_in(id, |edge| visit_mirrored(&edge, &mut f));
    }

    /// Calls `f` with every edge that ends at a symbol, in unspecified order.
    pub fn for_each_in_edge(&self, id: SymbolId, mut f: impl FnMut(Edge)) {
        self.for_each_composed_in(id, &mut f);
        self.for_each_composed_out(id, |edge| visit_mirrored(&edge, &mut f));
    }

    /// Calls `f` with the other end of every edge at a symbol: first for the edges of
    /// [`Snapshot::for_each_out_edge`], then for the edges of [`Snapshot::for_each_in_edge`]. Reads
    /// the stored edges once, while these two functions together read them twice.
    pub fn for_each_neighbor(
        &self,
        id: SymbolId,
        buffer: &mut NeighborBuffer,
        mut f: impl FnMut(SymbolId, EdgeKind, Provenance),
    ) {
        let NeighborBuffer { outgoing, incoming } = buffer;
        outgoing.clear();
        incoming.clear();
        self.for_each_composed_out(id, |edge| outgoing.push((edge.target, edge.kind, edge.provenance)));
        self.for_each_composed_in(id, |edge| incoming.push((edge.source, edge.kind, edge.provenance)));
        for (direct, mirrored) in [(&*outgoing, &*incoming), (&*incoming, &*outgoing)] {
            for &(end, kind, provenance) in direct {
                f(end, kind, provenance);
            }
            for &(end, kind, provenance) in mirrored {
                if let Some(kind) = mirror_kind(kind) {
                    f(end, kind, provenance);
                }
            }
        }
    }

    /// Calls `f` with the edges that are stored at their source `id`, without the edges that
    /// language servers hide and with the edges that they add.
    fn for_each_composed_out(&self, id: SymbolId, mut f: impl FnMut(Edge)) {
        let row = self.verdicts.outgoing.get(&id);
        self.for_each_raw_out(id, |raw| {
            let Some(edge) = raw.decode_edge() else { return };
            if !row.is_some_and(|row| row.hides_edge(edge.kind, edge.target)) {
                f(edge);
            }
        });
        for_each_added_edge(row, |edge| {
            if self.is_shown(edge.source) && self.is_shown(edge.target) {
                f(edge);
            }
        });
    }

    /// Calls `f` with the edges that are stored at their target `id`, without the edges that
    /// language servers hide and with the edges that they add.
    fn for_each_composed_in(&self, id: SymbolId, mut f: impl FnMut(Edge)) {
        let row = self.verdicts.incoming.get(&id);
        self.for_each_raw_in(id, |raw| {
            if self.is_from_document(&raw) {
                return;
            }
            let Some(edge) = raw.decode_edge() else { return };
            if !row.is_some_and(|row| row.hides_edge(edge.kind, edge.source)) {
                f(edge);
            }
        });
        for_each_added_edge(row, |edge| {
            if self.is_shown(edge.source) && self.is_shown(edge.target) {
                f(edge);
            }
        });
    }

    /// Calls `f` with the indexer's edges that start at a symbol, without mirrors.
    pub(crate) fn for_each_stored_out(&self, id: SymbolId, mut f: impl FnMut(StoredEdge)) {
        self.for_each_raw_out(id, |raw| self.stored_edge(&raw).into_iter().for_each(&mut f));
    }

    /// Calls `f` with the indexer's edges that end at a symbol, without mirrors.
    pub(crate) fn for_each_stored_in(&self, id: SymbolId, mut f: impl FnMut(StoredEdge)) {
        self.for_each_raw_in(id, |raw| self.stored_edge(&raw).into_iter().for_each(&mut f));
    }

    fn for_each_raw_out<'a>(&'a self, id: SymbolId, mut f: impl FnMut(RawEdge<'a>)) {
        let starts: &[u32] = self.base.section_slice(ImageSection::OutStarts);
        let first = starts.get(id.0 as usize).copied().unwrap_or(0);
        let row: &[EdgeRecord] = self.base.csr_row(ImageSection::OutStarts, ImageSection::Out, id.0 as usize);
        for (i, record) in row.iter().enumerate() {
            self.visit_base_edge(id, first + i as u32, record, &mut f);
        }
        for edge in self.overlay.edges_at(&self.overlay.outgoing, id) {
            if self.is_live(edge.target) && self.is_live(edge.source) {
                f(RawEdge::Overlay(edge));
            }
        }
    }

    fn for_each_raw_in<'a>(&'a self, id: SymbolId, mut f: impl FnMut(RawEdge<'a>)) {
        let out: &[EdgeRecord] = self.base.section_slice(ImageSection::Out);
        let row: &[IncomingRecord] =
            self.base.csr_row(ImageSection::InStarts, ImageSection::In, id.0 as usize);
        for incoming in row {
            if let Some(record) = out.get(incoming.edge as usize) {
                self.visit_base_edge(SymbolId(incoming.source), incoming.edge, record, &mut f);
            }
        }
        for edge in self.overlay.edges_at(&self.overlay.incoming, id) {
            if self.is_live(edge.source) && self.is_live(edge.target) {
                f(RawEdge::Overlay(edge));
            }
        }
    }

    fn visit_base_edge<'a>(
        &self,
        source: SymbolId,
        index: u32,
        record: &'a EdgeRecord,
        f: &mut impl FnMut(RawEdge<'a>),
    ) {
        let is_unchanged = self.overlay.layers.is_empty() && self.overlay.removed.is_empty();
        // The owner of an edge is stored with its source, far from the edge. Reading it is skipped
        // if no overlay entry can hide an edge.
        let is_live = is_unchanged || {
            let owner = self.edge_owner(source, index, record);
            !self.overlay.masks_edges(owner) && self.is_live(source) && self.is_live(SymbolId(record.target))
        };
        if is_live {
            f(RawEdge::Base { source, index, record });
        }
    }

    fn stored_edge(&self, raw: &RawEdge<'_>) -> Option<StoredEdge> {
        match *raw {
            RawEdge::Overlay(edge) => Some(*edge),
            RawEdge::Base { source, index, record } => Some(StoredEdge {
                source,
                target: SymbolId(record.target),
                owner: self.edge_owner(source, index, record),
                line: record.line,
                kind: EdgeKind::from_number(record.kind)?,
                provenance: Provenance::from_number(record.provenance)?,
                confidence: record.confidence,
            }),
        }
    }

    fn edge_owner(&self, source: SymbolId, index: u32, record: &EdgeRecord) -> FileId {
        if record.flags & EDGE_FOREIGN != 0 {
            let owners: &[ForeignOwner] = self.base.section_slice(ImageSection::Foreign);
            if let Ok(at) = owners.binary_search_by_key(&index, |owner| owner.edge) {
                return FileId(owners[at].file);
            }
        }
        FileId(self.base.symbol_records().get(source.0 as usize).map_or(NONE, |s| s.file))
    }

    /// Returns the stored edges that one file shows, sorted by identity of source, kind and target.
    pub fn edges_of_file(&self, file: FileId) -> Vec<Edge> {
        self.owned_edges(file).iter().map(edge_from_stored).collect()
    }

    pub(crate) fn owned_edges(&self, file: FileId) -> Vec<StoredEdge> {
        let mut edges = self.edges_shown_by(file);
        edges.sort_by_cached_key(|e| (self.hash_of_symbol(e.source), e.kind, self.hash_of_symbol(e.target)));
        edges
    }

    /// Returns [`Snapshot::owned_edges`] in an arbitrary order, which is the same at every call.
    pub(crate) fn edges_shown_by(&self, file: FileId) -> Vec<StoredEdge> {
        let mut edges = Vec::new();
        if let Some(layer) = self.overlay.layers.get(&file) {
            // The edges are sorted by source, so that the liveness of a source is computed once.
            let mut source: Option<(SymbolId, bool)> = None;
            for edge in layer.resolved.iter().flat_map(|r| &r.edges) {
                let live = match source {
                    Some((id, live)) if id == edge.source => live,
                    _ => self.is_live(edge.source),
                };
                source = Some((edge.source, live));
                if live && self.is_live(edge.target) {
                    edges.push(*edge);
                }
            }
        } else {
            for id in self.file_symbols(file) {
                self.for_each_stored_out(id, |edge| {
                    if edge.owner == file {
                        edges.push(edge);
                    }
                });
            }
            self.collect_foreign_edges(file, &mut edges);
        }
        edges
    }

    /// Adds the base edges that `file` shows and whose source is in another file.
    fn collect_foreign_edges(&self, file: FileId, edges: &mut Vec<StoredEdge>) {
        let starts: &[u32] = self.base.section_slice(ImageSection::OutStarts);
        let out: &[EdgeRecord] = self.base.section_slice(ImageSection::Out);
        for edge in self.foreign_edge_indexes(file) {
            let source = starts.partition_point(|&start| start <= edge).saturating_sub(1);
            if let Some(record) = out.get(edge as usize) {
                self.visit_base_edge(SymbolId(source as u32), edge, record, &mut |raw| {
                    edges.extend(self.stored_edge(&raw));
                });
            }
        }
    }

    /// Returns the indexes of the base edges that `file` shows and whose source is in another file.
    fn foreign_edge_indexes(&self, file: FileId) -> impl Iterator<Item = u32> {
        let owners: &[ForeignOwner] = self.base.section_slice(ImageSection::Foreign);
        let order: &[u32] = self.base.section_slice(ImageSection::ForeignOrder);
        let owner = move |at: u32| {
            owners.get(at as usize).copied().unwrap_or(ForeignOwner { edge: NONE, file: NONE })
        };
        let from = order.partition_point(|&at| owner(at).file < file.0);
        let owners_from = order[from..].iter().map(move |&at| owner(at));
        owners_from.take_while(move |owner| owner.file == file.0).map(|owner| owner.edge)
    }

    /// Returns the number of edges, mirrors included. Agrees with [`Snapshot::compute_counts`]
    /// without reading the whole graph.
    pub fn edge_count(&self) -> usize {
        let with_mirror = |kind: EdgeKind| 1 + usize::from(mirror_kind(kind).is_some());
        let masked = self.overlay.layers.keys().chain(&self.overlay.removed);
        let masked: usize =
            masked.map(|&file| self.base_edge_kinds(file).map(with_mirror).sum::<usize>()).sum();
        let added: usize = self
            .overlay
            .outgoing
            .values()
            .flatten()
            .filter(|edge| {
                self.overlay.is_current_edge(edge) && self.is_live(edge.source) && self.is_live(edge.target)
            })
            .map(|edge| with_mirror(edge.kind))
            .sum();
        let text = (self.base.meta.edges as usize).saturating_sub(masked) + added;
        (text + self.verdicts.added_count).saturating_sub(self.verdicts.hidden_count)
    }

    /// Returns the kinds of the edges that the base stores for a file, masked or not.
    fn base_edge_kinds(&self, file: FileId) -> impl Iterator<Item = EdgeKind> {
        let record = self.base.file_records().get(file.0 as usize);
        let symbols = record.map_or(0..0, |f| f.first_symbol..f.first_symbol.saturating_add(f.symbol_count));
        let end = self.base.symbol_records().len() as u32;
        let owned = (symbols.start.min(end)..symbols.end.min(end)).flat_map(|id| {
            self.base
                .csr_row::<EdgeRecord>(ImageSection::OutStarts, ImageSection::Out, id as usize)
                .iter()
                .filter(|e| e.flags & EDGE_FOREIGN == 0)
        });
        let out: &[EdgeRecord] = self.base.section_slice(ImageSection::Out);
        let foreign = self.foreign_edge_indexes(file).filter_map(|edge| out.get(edge as usize));
        owned.chain(foreign).filter_map(|edge| EdgeKind::from_number(edge.kind))
    }

    /// Computes the totals by kind, language and provenance. Reads the whole graph.
    pub fn compute_counts(&self) -> GraphCounts {
        let mut counts = GraphCounts::default();
        let mut tally = EdgeTally::new(self.overlay.next_symbol);
        for id in self.files() {
            let Some(file) = self.file(id) else { continue };
            counts.files += 1;
            counts.calls.add_stats(file.calls);
            *counts.files_by_language.entry(file.language.to_owned()).or_default() += 1;
            for symbol in self.file_symbol_refs(id) {
                if symbol.kind != SymbolKind::File {
                    counts.symbols += usize::from(symbol.kind != SymbolKind::Section);
                    *counts.symbols_by_kind.entry(symbol.kind.as_str()).or_default() += 1;
                }
                self.for_each_composed_out(symbol.id, |edge| {
                    for kind in std::iter::once(edge.kind).chain(mirror_kind(edge.kind)) {
                        tally.add_edge(kind, edge.provenance);
                    }
                    if self.file_of_symbol(edge.target).is_none() {
                        tally.mark_phantom(edge.target);
                    }
                });
            }
        }
        self.count_phantom_edges(&mut tally);
        tally.write_counts(&mut counts);
        counts
    }

    /// Counts the edges that start at phantoms.
    fn count_phantom_edges(&self, tally: &mut EdgeTally) {
        let base_phantoms =
            (self.base.meta.first_phantom..self.base.symbol_records().len() as u32).map(SymbolId);
        let overlay_phantoms = self.overlay.phantoms.iter().map(|(&id, _)| id);
        let mut sources: Vec<SymbolId> = base_phantoms.chain(overlay_phantoms).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            self.for_each_stored_out(source, |edge| {
                tally.add_edge(edge.kind, edge.provenance);
                tally.mark_phantom(source);
            });
        }
    }
}

/// Counts of edges, indexed by the numbers of kinds and provenances because there are millions to
/// count.
struct EdgeTally {
    kinds: [usize; 256],
    provenances: [usize; 256],
    /// Whether each symbol of base and overlay is a phantom at an end of a counted edge.
    phantoms: Vec<bool>,
    /// The counted phantoms that only servers or the history know. Their ids are too large for
    /// `phantoms`.
    others: rustc_hash::FxHashSet<SymbolId>,
}

impl EdgeTally {
    fn new(symbols: u32) -> Self {
        let phantoms = vec![false; symbols as usize];
        Self { kinds: [0; 256], provenances: [0; 256], phantoms, others: rustc_hash::FxHashSet::default() }
    }

    fn mark_phantom(&mut self, phantom: SymbolId) {
        match self.phantoms.get_mut(phantom.0 as usize) {
            Some(is_marked) => *is_marked = true,
            None => {
                self.others.insert(phantom);
            }
        }
    }

    fn add_edge(&mut self, kind: EdgeKind, provenance: Provenance) {
        self.kinds[usize::from(kind.number())] += 1;
        self.provenances[usize::from(provenance.number())] += 1;
    }

    /// Writes the counts, without kinds or provenances that have no edge.
    fn write_counts(self, counts: &mut GraphCounts) {
        let non_zero = |(name, count): (&'static str, usize)| (count > 0).then_some((name, count));
        let kinds = EdgeKind::ALL.iter().map(|kind| (kind.as_str(), self.kinds[usize::from(kind.number())]));
        let provenances =
            Provenance::ALL.iter().map(|p| (p.as_str(), self.provenances[usize::from(p.number())]));
        counts.edges = self.kinds.iter().sum();
        counts.edges_by_kind = kinds.filter_map(non_zero).collect();
        counts.edges_by_provenance = provenances.filter_map(non_zero).collect();
        counts.phantoms = self.phantoms.iter().filter(|is_marked| **is_marked).count() + self.others.len();
    }
}

/// The buffer of [`Snapshot::for_each_neighbor`], reused from one symbol to the next.
#[derive(Debug, Default)]
pub struct NeighborBuffer {
    outgoing: Vec<(SymbolId, EdgeKind, Provenance)>,
    incoming: Vec<(SymbolId, EdgeKind, Provenance)>,
}

/// A stored edge, borrowed from base or overlay.
enum RawEdge<'a> {
    Base { source: SymbolId, index: u32, record: &'a EdgeRecord },
    Overlay(&'a StoredEdge),
}

impl RawEdge<'_> {
    /// Decodes the edge; returns `None` if a number of the base is not a kind or provenance.
    fn decode_edge(&self) -> Option<Edge> {
        match *self {
            RawEdge::Overlay(edge) => Some(edge_from_stored(edge)),
            RawEdge::Base { source, record, .. } => Some(Edge {
                source,
                target: SymbolId(record.target),
                kind: EdgeKind::from_number(record.kind)?,
                provenance: Provenance::from_number(record.provenance)?,
                confidence: confidence_share(record.confidence),
                line: (record.line != NONE).then_some(record.line),
            }),
        }
    }
}

pub(super) fn edge_from_stored(edge: &StoredEdge) -> Edge {
    Edge {
        source: edge.source,
        target: edge.target,
        kind: edge.kind,
        provenance: edge.provenance,
        confidence: confidence_share(edge.confidence),
        line: (edge.line != NONE).then_some(edge.line),
    }
}

/// Converts hundredths to a share from 0 to 1.
fn confidence_share(hundredths: u8) -> f32 {
    f32::from(hundredths) / 100.0
}

/// Calls `f` with the mirror of an edge, if its kind has one.
fn visit_mirrored(edge: &Edge, f: &mut impl FnMut(Edge)) {
    if let Some(kind) = mirror_kind(edge.kind) {
        f(Edge { source: edge.target, target: edge.source, kind, ..*edge });
    }
}

/// Keeps the strongest edge per kind and end.
fn keep_strongest(mut edges: Vec<Edge>, end: impl Fn(&Edge) -> SymbolId) -> Vec<Edge> {
    edges.sort_by(|a, b| {
        (a.kind, end(a))
            .cmp(&(b.kind, end(b)))
            .then(b.provenance.cmp(&a.provenance))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.line.cmp(&b.line))
    });
    edges.dedup_by(|weaker, strongest| (weaker.kind, end(weaker)) == (strongest.kind, end(strongest)));
    edges
}
