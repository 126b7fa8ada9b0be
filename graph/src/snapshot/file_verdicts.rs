//! Applies the verdicts on one file: turns the answers of servers about its references into edges
//! to add and edges to hide.
//!
//! For each symbol of the file, the builder checks whether the verdicts belong to the current text
//! (body, context and target declaration). Current verdicts add the edges of the target that the
//! server named and count, per edge of the indexer, how many of its references a server answered.
//! Such an edge is hidden if a server's edge replaces it, or if servers answered about all of
//! its references and none of the answers leads to its end. Other verdicts count as stale.
//!
//! An answer that names an accessor of a property stands for all accessors with that name: servers
//! return the same one for reads and writes.

use super::Snapshot;
use super::base::NONE;
use super::overlay::StoredEdge;
use super::types::{FileId, SymbolId, SymbolRef};
use super::verdict_overlay::{
    EdgeKey, FileVerdictEdges, ReferenceStatus, VerdictCounts, VerdictStatus, WHOLE_SYMBOL, server_phantom_id,
};
use crate::hash::{Hash, HashBuilder};
use crate::verdicts::{
    CompactDiscoveredEdge, CompactResolution, CompactTargetEdge, CompactVerdict, ContextHash, VerdictIndex,
    declaration_hash, external_hash, symbol_body_hash,
};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the edges that the verdicts on a file's references add and hide; `None` if no server
/// answered about the file.
pub(super) fn build_file_verdict_edges(
    plain: &Snapshot,
    index: &VerdictIndex,
    file: FileId,
) -> Option<FileVerdictEdges> {
    let mut builder = FileVerdictBuilder::new(plain, index, file);
    for symbol in plain.file_symbols(file).into_iter().filter_map(|id| plain.symbol(id)) {
        builder.apply_verdicts(&symbol);
        builder.apply_discovery(&symbol);
    }
    builder.into_file_edges()
}

/// Returns a symbol together with the other accessors of its property: getter and setter have one
/// name. Returns only the symbol if it is no property.
pub(super) fn accessors_with_name_of(snapshot: &Snapshot, id: SymbolId) -> Vec<SymbolId> {
    let property = snapshot.symbol(id).filter(|symbol| symbol.kind == SymbolKind::Property);
    let Some((property, file)) = property.and_then(|symbol| Some((symbol, symbol.file?))) else {
        return vec![id];
    };
    let mut accessors = snapshot.symbols_named_in_file(file, property.name);
    accessors.retain(|&id| {
        snapshot
            .symbol(id)
            .is_some_and(|other| other.kind == property.kind && other.container == property.container)
    });
    accessors
}

/// The target of a reference, according to a server.
enum ReferenceTarget {
    Symbol {
        id: SymbolId,
        is_test: bool,
        is_data: bool,
    },
    /// The number of a symbol outside the workspace.
    External(u32),
}

/// Counts of the verdicts on the references that led to one edge of the indexer.
#[derive(Default)]
struct GuessTally {
    /// The number of references that led to the edge.
    sites: u32,
    /// The number of these references that a server resolved, inside or outside the workspace.
    answered: u32,
    /// Whether one of the answers leads to an end of the edge.
    confirmed: bool,
}

/// Applies the verdicts on one file and collects the resulting edges.
struct FileVerdictBuilder<'a> {
    /// The graph without verdicts.
    plain: &'a Snapshot,
    index: &'a VerdictIndex,
    file: FileId,
    /// The context of the file, computed when the first verdict needs it.
    context: Option<ContextHash<'a>>,
    /// The edges that servers' answers add, each with its first line.
    edges: BTreeMap<EdgeKey, u32>,
    /// The edges that only discovery found, with the server that found each.
    discovered: BTreeMap<EdgeKey, u16>,
    /// The edges of the indexer on whose references a server answered.
    guess_tallies: BTreeMap<EdgeKey, GuessTally>,
    statuses: Vec<ReferenceStatus>,
    /// The counts of verdicts by server number.
    server_counts: BTreeMap<u16, VerdictCounts>,
    /// The numbers of the external symbols that the verdicts name.
    phantoms: BTreeSet<u32>,
}

impl<'a> FileVerdictBuilder<'a> {
    fn new(plain: &'a Snapshot, index: &'a VerdictIndex, file: FileId) -> Self {
        Self {
            plain,
            index,
            file,
            context: None,
            edges: BTreeMap::new(),
            discovered: BTreeMap::new(),
            guess_tallies: BTreeMap::new(),
            statuses: Vec::new(),
            server_counts: BTreeMap::new(),
            phantoms: BTreeSet::new(),
        }
    }

    fn apply_verdicts(&mut self, subject: &SymbolRef<'a>) {
        let Some((context, verdicts)) =
            self.index.verdicts_of(&subject.hash, symbol_body_hash(self.plain, subject))
        else {
            if let Some((server, count)) = self.index.count_latest_verdicts(&subject.hash) {
                self.server_counts.entry(server).or_default().stale += count;
            }
            return;
        };
        let current_context =
            self.context.get_or_insert_with(|| ContextHash::new(self.plain, self.file)).for_symbol(subject);
        for verdict in &verdicts {
            let status = if current_context == context {
                self.apply_verdict(subject, verdict)
            } else {
                VerdictStatus::Stale
            };
            self.record_status(subject, verdict.nth, status, verdict.server);
        }
    }

    fn record_status(&mut self, subject: &SymbolRef, nth: u32, status: VerdictStatus, server: u16) {
        self.server_counts.entry(server).or_default().count_status(status);
        self.statuses.push(ReferenceStatus { subject: subject.id, nth, status, server });
    }

    /// Applies the verdict on one reference. Returns its status.
    fn apply_verdict(&mut self, subject: &SymbolRef<'a>, verdict: &CompactVerdict) -> VerdictStatus {
        let (target, status) = match verdict.resolution {
            CompactResolution::Unresolved(reason) => return VerdictStatus::Unresolved(reason),
            CompactResolution::Local => {
                self.record_answer(verdict, &[]);
                return VerdictStatus::Local;
            }
            CompactResolution::External(number) => {
                (Some(ReferenceTarget::External(number)), VerdictStatus::External)
            }
            CompactResolution::Confirmed { target, signature } => {
                (self.resolve_target(target, signature), VerdictStatus::Confirmed)
            }
            CompactResolution::Retargeted { target, signature } => {
                (self.resolve_target(target, signature), VerdictStatus::Retargeted)
            }
        };
        let Some(target) = target else { return VerdictStatus::Stale };
        let ids = match target {
            ReferenceTarget::Symbol { id, .. } => accessors_with_name_of(self.plain, id),
            ReferenceTarget::External(number) => vec![self.record_external_symbol(number)],
        };
        self.record_answer(verdict, &ids);
        let line = subject.span.start_line.saturating_add(verdict.line);
        for &id in &ids {
            for edge in &verdict.target_edges {
                self.add_target_edge(*edge, id, &target, line);
            }
        }
        status
    }

    /// Records, for the edges derived from a reference, whether the server's answer leads to one of
    /// their ends. `ids` are the targets of the answer; none for a local name, which is not in the
    /// graph.
    fn record_answer(&mut self, verdict: &CompactVerdict, ids: &[SymbolId]) {
        for guess in &verdict.guesses {
            let ends = [guess.source, guess.target].map(|number| self.find_known_symbol(number));
            let [Some(source), Some(target)] = ends else { continue };
            let tally = self.guess_tallies.entry(EdgeKey { source, target, kind: guess.kind }).or_default();
            tally.sites = tally.sites.max(guess.sites);
            tally.answered += 1;
            tally.confirmed |= ids.contains(&source) || ids.contains(&target);
        }
    }

    /// Returns the workspace symbol that a verdict names; `None` if the symbol is gone or its
    /// declaration has changed.
    fn resolve_target(&self, number: u32, signature: u64) -> Option<ReferenceTarget> {
        let symbol = self.plain.symbol(self.plain.symbol_by_hash(&self.index.hash_of_id(number))?)?;
        let is_data = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property);
        let target = ReferenceTarget::Symbol { id: symbol.id, is_test: symbol.is_test, is_data };
        (declaration_hash(&symbol) == signature).then_some(target)
    }

    /// Returns the id of a symbol of the graph or of an external symbol that a server named.
    fn find_known_symbol(&self, number: u32) -> Option<SymbolId> {
        let hash = self.index.hash_of_id(number);
        let in_graph = self.plain.symbol_by_hash(&hash);
        in_graph.or_else(|| self.index.external_by_hash(&hash).map(server_phantom_id))
    }

    /// Records that a verdict names an external symbol, and returns the symbol's id. Prefers the
    /// phantom of the indexer's graph over a phantom that only servers named.
    fn record_external_symbol(&mut self, number: u32) -> SymbolId {
        self.phantoms.insert(number);
        let hash = self.index.external_name(number).map(|(package, name)| external_hash(package, name));
        hash.and_then(|hash| self.plain.symbol_by_hash(&hash)).unwrap_or_else(|| server_phantom_id(number))
    }

    /// Adds one edge that a reference makes to its target `id`.
    fn add_target_edge(
        &mut self,
        edge: CompactTargetEdge,
        id: SymbolId,
        target: &ReferenceTarget,
        line: u32,
    ) {
        let Some(end) = self.find_known_symbol(edge.end) else { return };
        let (is_external, is_test, is_data) = match *target {
            ReferenceTarget::Symbol { is_test, is_data, .. } => (false, is_test, is_data),
            ReferenceTarget::External(_) => (true, false, false),
        };
        if end == id || (edge.excludes_tests && (is_test || is_external)) {
            return;
        }
        let (source, target, kind) = match (edge.starts_at_target, edge.kind) {
            // A decorator outside the workspace: the decorated symbol refers to it.
            (true, _) if is_external => (end, id, EdgeKind::References),
            (true, kind) => (id, end, kind),
            (false, EdgeKind::AccessesField) if !is_data => (end, id, EdgeKind::References),
            (false, kind) => (end, id, kind),
        };
        self.add_edge(EdgeKey { source, target, kind }, line);
    }

    fn add_edge(&mut self, key: EdgeKey, line: u32) {
        let first_line = self.edges.entry(key).or_insert(line);
        *first_line = (*first_line).min(line);
    }

    /// Applies the discovery about a symbol, and the discovered edges that start at it.
    fn apply_discovery(&mut self, symbol: &SymbolRef<'a>) {
        if let Some(discovery) = self.index.find_discovery(&symbol.hash) {
            let is_current = discovery.body == symbol_body_hash(self.plain, symbol);
            let status = if is_current { VerdictStatus::Discovered } else { VerdictStatus::Stale };
            self.record_status(symbol, WHOLE_SYMBOL, status, discovery.server);
        }
        let body = symbol_body_hash(self.plain, symbol);
        for (edge, server) in self.index.discovered_edges_from(&symbol.hash) {
            if edge.source_body == body {
                self.add_discovered_edge(symbol, &edge, server);
            }
        }
    }

    fn add_discovered_edge(&mut self, source: &SymbolRef<'a>, edge: &CompactDiscoveredEdge, server: u16) {
        let Some(ReferenceTarget::Symbol { id: target, .. }) =
            self.resolve_target(edge.target, edge.signature)
        else {
            return;
        };
        if target == source.id || self.has_stronger_use(source.id, target, edge.kind) {
            return;
        }
        let line = edge.line.map_or(NONE, |line| source.span.start_line.saturating_add(line));
        let key = EdgeKey { source: source.id, target, kind: edge.kind };
        if !self.edges.contains_key(&key) {
            self.discovered.insert(key, server);
        }
        self.add_edge(key, line);
    }

    /// Whether the indexer already found a stronger edge. A caller of a symbol also mentions it, so
    /// the mention adds nothing.
    fn has_stronger_use(&self, source: SymbolId, target: SymbolId, kind: EdgeKind) -> bool {
        let mut is_used = false;
        if kind == EdgeKind::References {
            self.plain
                .for_each_stored_out(source, |edge| is_used |= edge.target == target && edge.kind.is_use());
        }
        is_used
    }

    fn into_file_edges(mut self) -> Option<FileVerdictEdges> {
        if self.statuses.is_empty() && self.edges.is_empty() && self.server_counts.is_empty() {
            return None;
        }
        let mut text_edges = TextEdgeCache { plain: self.plain, file: self.file, rows: FxHashMap::default() };
        let (mut added, mut hidden) = (Vec::new(), BTreeSet::new());
        for (&key, &line) in &self.edges {
            let text_line = text_edges.find_line(key);
            if text_line.is_some() {
                hidden.insert(key);
            } else if let Some(&server) = self.discovered.get(&key) {
                self.server_counts.entry(server).or_default().discovered += 1;
            }
            // The first occurrence in the text wins, even if no server was asked about it.
            let line = text_line.filter(|&line| line != NONE).unwrap_or(line);
            added.push(server_edge(key, self.file, line));
        }
        for (&key, tally) in &self.guess_tallies {
            let is_refuted = !tally.confirmed && tally.answered >= tally.sites;
            if is_refuted && !self.edges.contains_key(&key) && text_edges.find_line(key).is_some() {
                hidden.insert(key);
            }
        }
        let hidden: Vec<EdgeKey> = hidden.into_iter().collect();
        let mut statuses = self.statuses;
        statuses.sort_unstable_by_key(|status| (status.subject, status.nth));
        Some(FileVerdictEdges {
            digest: digest_changes(self.plain, self.index, &added, &hidden),
            added,
            hidden,
            statuses: statuses.into(),
            counts_by_server: self.server_counts.into_iter().collect(),
            phantoms: self.phantoms.into_iter().collect(),
        })
    }
}

fn server_edge(key: EdgeKey, owner: FileId, line: u32) -> StoredEdge {
    let EdgeKey { source, target, kind } = key;
    let provenance = Provenance::LspResolved;
    let confidence = (provenance.base_confidence() * 100.0).round() as u8;
    StoredEdge { source, target, owner, line, kind, provenance, confidence }
}

/// The end of an edge that is in the file at hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FileEnd {
    Source,
    Target,
}

/// The edges that the indexer found, read once per end.
struct TextEdgeCache<'a> {
    plain: &'a Snapshot,
    file: FileId,
    /// Other end, kind and line of the edges of which a symbol of the file is this end.
    rows: FxHashMap<(SymbolId, FileEnd), FxHashMap<(SymbolId, EdgeKind), u32>>,
}

impl TextEdgeCache<'_> {
    /// Returns the line of an edge that the indexer found; `None` if it did not find the edge.
    fn find_line(&mut self, key: EdgeKey) -> Option<u32> {
        let EdgeKey { source, target, kind } = key;
        // The end in this file has few edges; an end in another file may have very many.
        let is_outgoing = self.plain.file_of_symbol(source) == Some(self.file);
        let (file_end, end, other) =
            if is_outgoing { (FileEnd::Source, source, target) } else { (FileEnd::Target, target, source) };
        let plain = self.plain;
        let row = self.rows.entry((end, file_end)).or_insert_with(|| {
            let mut row = FxHashMap::default();
            let mut add_edge = |edge: StoredEdge| {
                let other = if is_outgoing { edge.target } else { edge.source };
                let line = row.entry((other, edge.kind)).or_insert(edge.line);
                *line = (*line).min(edge.line);
            };
            if is_outgoing {
                plain.for_each_stored_out(end, &mut add_edge);
            } else {
                plain.for_each_stored_in(end, &mut add_edge);
            }
            row
        });
        row.get(&(other, kind)).copied()
    }
}

/// Computes a digest of the added and hidden edges that does not depend on ids.
fn digest_changes(
    plain: &Snapshot,
    index: &VerdictIndex,
    added: &[StoredEdge],
    hidden: &[EdgeKey],
) -> [u64; 4] {
    if added.is_empty() && hidden.is_empty() {
        return [0; 4];
    }
    let hash = |id: SymbolId| {
        plain.symbol(id).map_or_else(|| external_phantom_hash(index, id), |symbol| symbol.hash)
    };
    let added_ends = added.iter().map(|e| (hash(e.source), hash(e.target), e.kind, true));
    let hidden_ends = hidden.iter().map(|e| (hash(e.source), hash(e.target), e.kind, false));
    let mut changes: Vec<_> = added_ends.chain(hidden_ends).collect();
    changes.sort_unstable();
    let mut hasher = HashBuilder::new("verdicts");
    for (source, target, kind, added) in &changes {
        hasher
            .add_hash(source)
            .add_hash(target)
            .add_number(u64::from(kind.number()))
            .add_number(u64::from(*added));
    }
    let bytes = hasher.finish().0;
    let word = |at: usize| u64::from_le_bytes(bytes[at * 8..at * 8 + 8].try_into().unwrap_or_default());
    [word(0), word(1), word(2), word(3)]
}

fn external_phantom_hash(index: &VerdictIndex, id: SymbolId) -> Hash {
    let number = id.0.wrapping_sub(server_phantom_id(0).0);
    index.external_name(number).map_or_else(Hash::default, |(package, name)| external_hash(package, name))
}
