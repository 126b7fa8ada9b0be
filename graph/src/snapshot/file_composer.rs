//! Composes the verdicts on one file: turns what servers answered about its references into edges
//! to add and edges to hide.
//!
//! For each symbol of the file, the composer checks whether the verdicts belong to the current text
//! (body, context and target declaration). Current verdicts add the edges of the target that the
//! server named and count, per edge of the text, how many of its references a server answered. An
//! edge of the text is hidden if a server's edge replaces it, or if servers answered about all of
//! its references and none of the answers leads to its end. Other verdicts count as stale.

use super::Snapshot;
use super::base::NONE;
use super::overlay::StoredEdge;
use super::types::{FileId, SymbolId, SymbolRef};
use super::verdict_overlay::{
    DISCOVERY, FileVerdictEdges, ReferenceStatus, VerdictCounts, VerdictStatus, server_phantom_id,
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
pub(super) fn compose_file_edges(
    plain: &Snapshot,
    rulings: &VerdictIndex,
    file: FileId,
) -> Option<FileVerdictEdges> {
    let mut reader = FileComposer::new(plain, rulings, file);
    for symbol in plain.file_symbols(file).into_iter().filter_map(|id| plain.symbol(id)) {
        reader.apply_verdicts(&symbol);
        reader.apply_discovery(&symbol);
    }
    reader.into_file_edges()
}

/// The key of an edge: source, target, kind.
type EdgeKey = (SymbolId, SymbolId, EdgeKind);

/// The target of a reference, as a server gave it.
enum ReferenceTarget {
    Symbol { id: SymbolId, is_test: bool, is_data: bool },
    Outside(u32),
}

/// The verdicts on the references that made one edge of the text.
#[derive(Default)]
struct GuessTally {
    /// The number of references that made the edge.
    sites: u32,
    /// The number of these references that a server resolved, inside or outside the workspace.
    answered: u32,
    confirmed: bool,
}

struct FileComposer<'a> {
    plain: &'a Snapshot,
    rulings: &'a VerdictIndex,
    file: FileId,
    ground: Option<ContextHash<'a>>,
    /// The edges of servers, with the line of the first place that shows each.
    edges: BTreeMap<EdgeKey, u32>,
    /// The edges that only discovery found, with the server that found each.
    discovered: BTreeMap<EdgeKey, u16>,
    guessed: BTreeMap<EdgeKey, GuessTally>,
    said: Vec<ReferenceStatus>,
    tallies: BTreeMap<u16, VerdictCounts>,
    outside: BTreeSet<u32>,
}

impl<'a> FileComposer<'a> {
    fn new(plain: &'a Snapshot, rulings: &'a VerdictIndex, file: FileId) -> Self {
        Self {
            plain,
            rulings,
            file,
            ground: None,
            edges: BTreeMap::new(),
            discovered: BTreeMap::new(),
            guessed: BTreeMap::new(),
            said: Vec::new(),
            tallies: BTreeMap::new(),
            outside: BTreeSet::new(),
        }
    }

    fn apply_verdicts(&mut self, subject: &SymbolRef<'a>) {
        let Some((ground, rulings)) =
            self.rulings.verdicts_of(&subject.hash, symbol_body_hash(self.plain, subject))
        else {
            if let Some((server, count)) = self.rulings.outdated_verdicts_of(&subject.hash) {
                self.tallies.entry(server).or_default().stale += count;
            }
            return;
        };
        let now =
            self.ground.get_or_insert_with(|| ContextHash::new(self.plain, self.file)).for_symbol(subject);
        for ruling in &rulings {
            let standing =
                if now == ground { self.apply_verdict(subject, ruling) } else { VerdictStatus::Stale };
            self.record_status(subject, ruling.nth, standing, ruling.server);
        }
    }

    fn record_status(&mut self, subject: &SymbolRef, nth: u32, standing: VerdictStatus, server: u16) {
        self.tallies.entry(server).or_default().count_status(standing);
        self.said.push(ReferenceStatus { subject: subject.id, nth, standing, server });
    }

    /// Applies the verdict on one reference; returns its status.
    fn apply_verdict(&mut self, subject: &SymbolRef<'a>, ruling: &CompactVerdict) -> VerdictStatus {
        let (target, standing) = match ruling.is {
            CompactResolution::Unresolved(why) => return VerdictStatus::Unresolved(why),
            CompactResolution::Local => {
                self.record_answer(ruling, None);
                return VerdictStatus::Local;
            }
            CompactResolution::External(number) => {
                (Some(ReferenceTarget::Outside(number)), VerdictStatus::External)
            }
            CompactResolution::Confirmed { target, signature } => {
                (self.resolve_target(target, signature), VerdictStatus::Confirmed)
            }
            CompactResolution::Retargeted { target, signature } => {
                (self.resolve_target(target, signature), VerdictStatus::Retargeted)
            }
        };
        let Some(target) = target else { return VerdictStatus::Stale };
        let id = match target {
            ReferenceTarget::Symbol { id, .. } => id,
            ReferenceTarget::Outside(number) => self.external_symbol(number),
        };
        self.record_answer(ruling, Some(id));
        let line = subject.span.start_line.saturating_add(ruling.line);
        for made in &ruling.makes {
            self.add_target_edge(*made, id, &target, line);
        }
        standing
    }

    /// Records, for the edges that the text made of a reference, whether the server's answer leads
    /// to one of their ends.
    fn record_answer(&mut self, ruling: &CompactVerdict, id: Option<SymbolId>) {
        for guess in &ruling.guesses {
            let ends = [guess.source, guess.target].map(|name| self.find_known_symbol(name));
            let [Some(source), Some(target)] = ends else { continue };
            let guessed = self.guessed.entry((source, target, guess.kind)).or_default();
            guessed.sites = guessed.sites.max(guess.sites);
            guessed.answered += 1;
            guessed.confirmed |= id.is_some_and(|id| id == source || id == target);
        }
    }

    /// Returns the symbol of the workspace that a verdict names; `None` if it is gone or declared
    /// differently now.
    fn resolve_target(&self, name: u32, signature: u64) -> Option<ReferenceTarget> {
        let symbol = self.plain.symbol(self.plain.symbol_by_hash(&self.rulings.hash_of_id(name))?)?;
        let is_data = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property);
        let target = ReferenceTarget::Symbol { id: symbol.id, is_test: symbol.is_test, is_data };
        (declaration_hash(&symbol) == signature).then_some(target)
    }

    fn find_known_symbol(&self, name: u32) -> Option<SymbolId> {
        let hash = self.rulings.hash_of_id(name);
        let known = self.plain.symbol_by_hash(&hash);
        known.or_else(|| self.rulings.external_by_hash(&hash).map(server_phantom_id))
    }

    /// Returns the id of an external symbol. Prefers the phantom of the text's graph over one of
    /// the server's own.
    fn external_symbol(&mut self, number: u32) -> SymbolId {
        self.outside.insert(number);
        let known = self.rulings.external_name(number).map(|(package, name)| external_hash(package, name));
        known.and_then(|hash| self.plain.symbol_by_hash(&hash)).unwrap_or_else(|| server_phantom_id(number))
    }

    fn add_target_edge(
        &mut self,
        made: CompactTargetEdge,
        id: SymbolId,
        target: &ReferenceTarget,
        line: u32,
    ) {
        let Some(end) = self.find_known_symbol(made.end) else { return };
        let (is_outside, is_test, is_data) = match *target {
            ReferenceTarget::Symbol { is_test, is_data, .. } => (false, is_test, is_data),
            ReferenceTarget::Outside(_) => (true, false, false),
        };
        if end == id || (made.not_to_tests && (is_test || is_outside)) {
            return;
        }
        let ends = match (made.from_target, made.kind) {
            // A decorator outside of the workspace: the decorated symbol refers to it.
            (true, _) if is_outside => (end, id, EdgeKind::References),
            (true, kind) => (id, end, kind),
            (false, EdgeKind::AccessesField) if !is_data => (end, id, EdgeKind::References),
            (false, kind) => (end, id, kind),
        };
        self.add_edge(ends, line);
    }

    fn add_edge(&mut self, ends: EdgeKey, line: u32) {
        let known = self.edges.entry(ends).or_insert(line);
        *known = (*known).min(line);
    }

    /// Applies what discovery found about a symbol, and the discovered edges that start at it.
    fn apply_discovery(&mut self, symbol: &SymbolRef<'a>) {
        if let Some(discovery) = self.rulings.find_discovery(&symbol.hash) {
            let current = discovery.body == symbol_body_hash(self.plain, symbol);
            let standing = if current { VerdictStatus::Discovered } else { VerdictStatus::Stale };
            self.record_status(symbol, DISCOVERY, standing, discovery.server);
        }
        let body = symbol_body_hash(self.plain, symbol);
        for (found, server) in self.rulings.discovered_edges_from(&symbol.hash) {
            if found.source_body == body {
                self.add_discovered_edge(symbol, &found, server);
            }
        }
    }

    fn add_discovered_edge(&mut self, source: &SymbolRef<'a>, found: &CompactDiscoveredEdge, server: u16) {
        let Some(ReferenceTarget::Symbol { id: target, .. }) =
            self.resolve_target(found.target, found.signature)
        else {
            return;
        };
        if target == source.id || self.has_stronger_use(source.id, target, found.kind) {
            return;
        }
        let line = found.line.map_or(NONE, |line| source.span.start_line.saturating_add(line));
        if !self.edges.contains_key(&(source.id, target, found.kind)) {
            self.discovered.insert((source.id, target, found.kind), server);
        }
        self.add_edge((source.id, target, found.kind), line);
    }

    /// Whether the text already shows a stronger edge: a caller of a symbol also mentions it, so
    /// the mention adds nothing.
    fn has_stronger_use(&self, source: SymbolId, target: SymbolId, kind: EdgeKind) -> bool {
        let mut used = false;
        if kind == EdgeKind::References {
            self.plain
                .for_each_stored_out(source, |edge| used |= edge.target == target && edge.kind.is_use());
        }
        used
    }

    fn into_file_edges(mut self) -> Option<FileVerdictEdges> {
        if self.said.is_empty() && self.edges.is_empty() && self.tallies.is_empty() {
            return None;
        }
        let mut shown = TextEdgeCache { plain: self.plain, file: self.file, rows: FxHashMap::default() };
        let (mut added, mut hidden) = (Vec::new(), BTreeSet::new());
        for (&(source, target, kind), &line) in &self.edges {
            let known = shown.find_line(source, target, kind);
            if known.is_some() {
                hidden.insert((source, target, kind));
            } else if let Some(&server) = self.discovered.get(&(source, target, kind)) {
                self.tallies.entry(server).or_default().discovered += 1;
            }
            // The first occurrence in the text wins, even if no server was asked about it.
            let line = known.filter(|&line| line != NONE).unwrap_or(line);
            added.push(server_edge((source, target, kind), self.file, line));
        }
        for (&ends, guessed) in &self.guessed {
            let refuted = !guessed.confirmed && guessed.answered >= guessed.sites;
            if refuted && !self.edges.contains_key(&ends) && shown.find_line(ends.0, ends.1, ends.2).is_some()
            {
                hidden.insert(ends);
            }
        }
        let hidden: Vec<EdgeKey> = hidden.into_iter().collect();
        let mut said = self.said;
        said.sort_unstable_by_key(|said| (said.subject, said.nth));
        Some(FileVerdictEdges {
            digest: digest_changes(self.plain, self.rulings, &added, &hidden),
            added,
            hidden,
            said: said.into(),
            tallies: self.tallies.into_iter().collect(),
            outside: self.outside.into_iter().collect(),
        })
    }
}

fn server_edge((source, target, kind): EdgeKey, owner: FileId, line: u32) -> StoredEdge {
    let provenance = Provenance::LspResolved;
    let confidence = (provenance.base_confidence() * 100.0).round() as u8;
    StoredEdge { source, target, owner, line, kind, provenance, confidence }
}

/// The edges that the text shows, read once per end.
struct TextEdgeCache<'a> {
    plain: &'a Snapshot,
    file: FileId,
    /// Other end, kind and line of the edges of a symbol of the file. The key's flag is `true` for
    /// the edges that start at the symbol.
    rows: FxHashMap<(SymbolId, bool), FxHashMap<(SymbolId, EdgeKind), u32>>,
}

impl TextEdgeCache<'_> {
    /// Returns the line of an edge that the text shows; `None` if the text does not show the edge.
    fn find_line(&mut self, source: SymbolId, target: SymbolId, kind: EdgeKind) -> Option<u32> {
        // The end in this file has few edges; an end elsewhere may have any number.
        let out = self.plain.file_of_symbol(source) == Some(self.file);
        let (own, other) = if out { (source, target) } else { (target, source) };
        let plain = self.plain;
        let row = self.rows.entry((own, out)).or_insert_with(|| {
            let mut row = FxHashMap::default();
            let mut note = |edge: StoredEdge| {
                let other = if out { edge.target } else { edge.source };
                let line = row.entry((other, edge.kind)).or_insert(edge.line);
                *line = (*line).min(edge.line);
            };
            if out {
                plain.for_each_stored_out(own, &mut note);
            } else {
                plain.for_each_stored_in(own, &mut note);
            }
            row
        });
        row.get(&(other, kind)).copied()
    }
}

/// Computes a digest of the added and hidden edges that does not depend on ids.
fn digest_changes(
    plain: &Snapshot,
    rulings: &VerdictIndex,
    added: &[StoredEdge],
    hidden: &[EdgeKey],
) -> [u64; 4] {
    if added.is_empty() && hidden.is_empty() {
        return [0; 4];
    }
    let hash = |id: SymbolId| {
        plain.symbol(id).map_or_else(|| external_phantom_hash(rulings, id), |symbol| symbol.hash)
    };
    let plus = added.iter().map(|e| (hash(e.source), hash(e.target), e.kind, true));
    let minus = hidden.iter().map(|&(source, target, kind)| (hash(source), hash(target), kind, false));
    let mut all: Vec<_> = plus.chain(minus).collect();
    all.sort_unstable();
    let mut hasher = HashBuilder::new("verdicts");
    for (source, target, kind, added) in &all {
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

fn external_phantom_hash(rulings: &VerdictIndex, id: SymbolId) -> Hash {
    let number = id.0.wrapping_sub(server_phantom_id(0).0);
    rulings.external_name(number).map_or_else(Hash::default, |(package, name)| external_hash(package, name))
}
