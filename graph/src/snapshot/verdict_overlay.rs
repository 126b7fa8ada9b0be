//! The verdict overlay: the edges that language servers add to and hide in one state of the graph,
//! indexed by both ends.
//!
//! [`super::VerdictOverlayBuilder`] builds it, and every reader of edges applies it. It never
//! changes the edges that the indexer resolved.

use super::overlay::{PhantomSymbol, StoredEdge};
use super::shared_map::SharedMap;
use super::types::{Edge, FileId, SymbolId, SymbolRef};
use super::{Snapshot, blank_symbol};
use crate::hash::{Hash, HashBuilder};
use crate::verdicts::{NoAnswerReason, ServerId};
use crate::vocabulary::EdgeKind;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The first id of phantoms that only servers know. The ids of the history layer follow them.
const FIRST_PHANTOM: u32 = 0xA000_0000;

/// The last id of phantoms that only servers know.
const LAST_PHANTOM: u32 = 0xBFFF_FFFF;

/// The reference number of an answer about a symbol as a whole, which discovery asks for.
pub const WHOLE_SYMBOL: u32 = u32::MAX;

/// The edges that servers add to a graph and hide in it.
#[derive(Clone, Debug, Default)]
pub struct VerdictOverlay {
    /// The differences, by the source of the edges.
    pub(super) outgoing: SharedMap<SymbolId, EdgeRowDiff>,
    /// The differences, by the target of the edges.
    pub(super) incoming: SharedMap<SymbolId, EdgeRowDiff>,
    pub(super) files: SharedMap<FileId, Arc<FileVerdictEdges>>,
    /// The phantoms, by number.
    pub(super) phantoms: Arc<Vec<PhantomSymbol>>,
    pub(super) phantom_ids: SharedMap<Hash, u32>,
    pub(super) servers: Arc<Vec<Arc<ServerId>>>,
    /// The counts per server, summed over all files.
    pub(super) counts_by_server: FxHashMap<u16, VerdictCounts>,
    /// The sum of the files' digests.
    pub(super) digest: [u64; 4],
    /// The number of added edges of all files.
    pub(super) added_count: usize,
    /// The number of hidden edges of all files.
    pub(super) hidden_count: usize,
    /// The number of batches of verdicts that are included.
    pub(super) batches: u64,
}

/// The difference that servers make to the edges at one symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeRowDiff {
    pub added: Vec<StoredEdge>,
    /// The kind and the other end of each hidden edge, sorted.
    pub hidden: Vec<(EdgeKind, SymbolId)>,
}

/// An edge without its line: two symbols have at most one edge of a kind in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeKey {
    pub source: SymbolId,
    pub target: SymbolId,
    pub kind: EdgeKind,
}

/// The result of the verdicts on one file.
#[derive(Debug, Default)]
pub(super) struct FileVerdictEdges {
    pub added: Vec<StoredEdge>,
    /// The hidden edges, sorted.
    pub hidden: Vec<EdgeKey>,
    /// The status of each verdict, sorted by symbol and reference number.
    pub statuses: Box<[ReferenceStatus]>,
    /// The counts of the verdicts, by server number.
    pub counts_by_server: Vec<(u16, VerdictCounts)>,
    pub digest: [u64; 4],
    /// The phantoms in use, by their number in [`crate::verdicts::VerdictIndex`].
    pub phantoms: Box<[u32]>,
}

/// The status of the verdict on one reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReferenceStatus {
    pub subject: SymbolId,
    pub nth: u32,
    pub status: VerdictStatus,
    pub server: u16,
}

/// The status of an answer in the current graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VerdictStatus {
    /// The answer is the target that the indexer resolved.
    Confirmed,
    /// The answer is another symbol of the workspace.
    Retargeted,
    /// The answer is outside the workspace.
    External,
    /// The answer is a parameter or variable inside a body, which is not a symbol of the graph.
    Local,
    /// The server has no answer.
    Unresolved(NoAnswerReason),
    /// Discovery asked about the symbol.
    Discovered,
    /// The answer belongs to another state of the symbol, its target or the imports. The server
    /// must be asked again.
    Stale,
}

/// The counts of one server's answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    /// References that the server resolves to the same target as the indexer.
    pub confirmed: usize,
    /// References that the server resolves to another target in the workspace.
    pub retargeted: usize,
    /// References that the server resolves to a target outside the workspace.
    pub external: usize,
    /// References that the server resolves to a parameter or variable inside a body.
    pub local: usize,
    /// References without an answer, by reason in the order of [`NoAnswerReason::ALL`].
    pub unresolved: [usize; NoAnswerReason::ALL.len()],
    /// Edges that only discovery found.
    pub discovered: usize,
    /// Answers that are stale.
    pub stale: usize,
}

impl VerdictCounts {
    pub(super) fn count_status(&mut self, status: VerdictStatus) {
        match status {
            VerdictStatus::Confirmed => self.confirmed += 1,
            VerdictStatus::Retargeted => self.retargeted += 1,
            VerdictStatus::External => self.external += 1,
            VerdictStatus::Local => self.local += 1,
            VerdictStatus::Unresolved(reason) => self.unresolved[reason as usize] += 1,
            VerdictStatus::Discovered => {}
            VerdictStatus::Stale => self.stale += 1,
        }
    }

    fn combine_with(&mut self, other: &Self, combine: impl Fn(usize, usize) -> usize) {
        self.confirmed = combine(self.confirmed, other.confirmed);
        self.retargeted = combine(self.retargeted, other.retargeted);
        self.external = combine(self.external, other.external);
        self.local = combine(self.local, other.local);
        for (count, other) in self.unresolved.iter_mut().zip(other.unresolved) {
            *count = combine(*count, other);
        }
        self.discovered = combine(self.discovered, other.discovered);
        self.stale = combine(self.stale, other.stale);
    }
}

impl VerdictOverlay {
    /// Removes the edges and counts of a file.
    pub(super) fn detach_file(&mut self, file: FileId) {
        let Some(rows) = self.files.get(&file).cloned() else { return };
        self.files.remove(&file);
        for edge in &rows.added {
            for (map, end) in [(&mut self.outgoing, edge.source), (&mut self.incoming, edge.target)] {
                edit_row(map, end, |row| {
                    if let Some(at) = row.added.iter().position(|known| known == edge) {
                        row.added.swap_remove(at);
                    }
                });
            }
        }
        for &EdgeKey { source, target, kind } in &rows.hidden {
            for (map, end, other) in
                [(&mut self.outgoing, source, target), (&mut self.incoming, target, source)]
            {
                edit_row(map, end, |row| {
                    if let Ok(at) = row.hidden.binary_search(&(kind, other)) {
                        row.hidden.remove(at);
                    }
                });
            }
        }
        self.update_sums(&rows, usize::wrapping_sub, u64::wrapping_sub);
    }

    /// Adds the edges and counts of a file.
    pub(super) fn attach_file(&mut self, file: FileId, rows: FileVerdictEdges) {
        for edge in &rows.added {
            self.outgoing.get_or_insert_with(edge.source, EdgeRowDiff::default).added.push(*edge);
            self.incoming.get_or_insert_with(edge.target, EdgeRowDiff::default).added.push(*edge);
        }
        for &EdgeKey { source, target, kind } in &rows.hidden {
            for (map, end, other) in
                [(&mut self.outgoing, source, target), (&mut self.incoming, target, source)]
            {
                let hidden = &mut map.get_or_insert_with(end, EdgeRowDiff::default).hidden;
                let at = hidden.partition_point(|known| *known < (kind, other));
                hidden.insert(at, (kind, other));
            }
        }
        self.update_sums(&rows, usize::wrapping_add, u64::wrapping_add);
        self.files.insert(file, Arc::new(rows));
    }

    /// Adds the counts and the digest of a file to the sums, or subtracts them.
    fn update_sums(
        &mut self,
        rows: &FileVerdictEdges,
        combine_counts: fn(usize, usize) -> usize,
        combine_words: fn(u64, u64) -> u64,
    ) {
        self.added_count = combine_counts(self.added_count, rows.added.len());
        self.hidden_count = combine_counts(self.hidden_count, rows.hidden.len());
        for (word, other) in self.digest.iter_mut().zip(rows.digest) {
            *word = combine_words(*word, other);
        }
        for (server, tally) in &rows.counts_by_server {
            let sum = self.counts_by_server.entry(*server).or_default();
            sum.combine_with(tally, combine_counts);
            if *sum == VerdictCounts::default() {
                self.counts_by_server.remove(server);
            }
        }
    }

    /// Returns the identity of the added and hidden edges: equal for equal text and equal answers.
    /// Returns `None` if there are none.
    fn edges_identity(&self) -> Option<Hash> {
        if self.digest == [0; 4] {
            return None;
        }
        let mut hasher = HashBuilder::new("composed");
        for word in self.digest {
            hasher.add_number(word);
        }
        Some(hasher.finish())
    }
}

/// Edits the row of a symbol, if there is one. Removes the row if it is empty afterwards.
fn edit_row(map: &mut SharedMap<SymbolId, EdgeRowDiff>, id: SymbolId, edit: impl FnOnce(&mut EdgeRowDiff)) {
    let Some(row) = map.get_mut(&id) else { return };
    edit(row);
    if row.added.is_empty() && row.hidden.is_empty() {
        map.remove(&id);
    }
}

/// Returns the id of a phantom that only servers know.
pub(super) fn server_phantom_id(number: u32) -> SymbolId {
    SymbolId(FIRST_PHANTOM.saturating_add(number).min(LAST_PHANTOM))
}

impl EdgeRowDiff {
    /// Whether the edge of this kind to or from `other` is hidden.
    pub(super) fn hides_edge(&self, kind: EdgeKind, other: SymbolId) -> bool {
        self.hidden.binary_search(&(kind, other)).is_ok()
    }
}

impl Snapshot {
    /// Returns the verdicts that readers of this graph see.
    pub fn verdict_overlay(&self) -> &Arc<VerdictOverlay> {
        &self.verdicts
    }

    /// Returns the same graph with these verdicts.
    #[must_use]
    pub fn with_verdict_overlay(mut self, verdicts: Arc<VerdictOverlay>) -> Self {
        self.verdicts = verdicts;
        self
    }

    /// Returns the same graph without verdicts.
    #[must_use]
    pub fn without_verdicts(mut self) -> Self {
        self.verdicts = Arc::default();
        self
    }

    /// Returns the identity of everything that readers see: the text and the verdicts.
    pub fn identity_hash(&self) -> Hash {
        let source = self.source_root();
        let layers = [self.verdicts.edges_identity(), self.derived_identity()];
        if layers == [None, None] {
            return source;
        }
        let mut hasher = HashBuilder::new("snapshot");
        hasher.add_hash(&source);
        for layer in layers.iter().flatten() {
            hasher.add_hash(layer);
        }
        hasher.finish()
    }

    /// Returns the identity of the verdicts that change edges; `None` if there are none.
    pub fn verdicts_hash(&self) -> Option<Hash> {
        self.verdicts.edges_identity()
    }

    /// Returns the counts of each server, sorted by its name and version.
    pub fn verdict_counts(&self) -> Vec<(Arc<ServerId>, VerdictCounts)> {
        let VerdictOverlay { counts_by_server, servers, .. } = &*self.verdicts;
        let counts = counts_by_server
            .iter()
            .filter_map(|(number, tally)| Some((Arc::clone(servers.get(usize::from(*number))?), *tally)));
        let mut counts: Vec<_> = counts.collect();
        counts.sort_by(|a, b| a.0.cmp(&b.0));
        counts
    }

    /// Returns the status of the verdict on a reference, and the server that gave it. `nth` is the
    /// reference's number in the enclosing symbol, or [`WHOLE_SYMBOL`] for questions about the symbol
    /// itself. Returns `None` if no server was asked about the current text.
    pub fn find_verdict_status(
        &self,
        subject: SymbolId,
        nth: u32,
    ) -> Option<(VerdictStatus, &Arc<ServerId>)> {
        let rows = self.verdicts.files.get(&self.file_of_symbol(subject)?)?;
        let at = rows.statuses.binary_search_by_key(&(subject, nth), |row| (row.subject, row.nth)).ok()?;
        let row = rows.statuses.get(at)?;
        Some((row.status, self.verdicts.servers.get(usize::from(row.server))?))
    }

    /// Returns the number of current and of stale answers about the references of a symbol.
    pub fn answer_counts(&self, subject: SymbolId) -> (usize, usize) {
        let Some(rows) = self.file_of_symbol(subject).and_then(|file| self.verdicts.files.get(&file)) else {
            return (0, 0);
        };
        let from = rows.statuses.partition_point(|row| row.subject < subject);
        let rows = rows.statuses[from..].iter().take_while(|row| row.subject == subject);
        rows.filter(|row| row.nth != WHOLE_SYMBOL).fold((0, 0), |(current, stale), row| {
            if row.status == VerdictStatus::Stale { (current, stale + 1) } else { (current + 1, stale) }
        })
    }

    /// Whether a symbol is live or a phantom that only servers know.
    pub(super) fn is_shown(&self, id: SymbolId) -> bool {
        self.is_live(id) || self.server_phantom(id).is_some()
    }

    /// Returns the files with stale answers, each with the number of these answers, sorted by path.
    pub fn stale_files(&self) -> Vec<(FileId, usize)> {
        let stale = |rows: &FileVerdictEdges| {
            rows.counts_by_server.iter().map(|(_, tally)| tally.stale).sum::<usize>()
        };
        let counts = self.verdicts.files.iter().map(|(&file, rows)| (file, stale(rows)));
        let mut files: Vec<(FileId, usize)> = counts.filter(|(_, stale)| *stale > 0).collect();
        files.sort_by(|a, b| self.file_path(a.0).cmp(self.file_path(b.0)));
        files
    }

    pub(super) fn server_phantom(&self, id: SymbolId) -> Option<SymbolRef<'_>> {
        let number = id.0.checked_sub(FIRST_PHANTOM).filter(|_| id.0 <= LAST_PHANTOM)?;
        let phantom = self.verdicts.phantoms.get(number as usize)?;
        Some(SymbolRef {
            hash: phantom.hash,
            path: &phantom.package,
            name: &phantom.name,
            kind: phantom.kind,
            ..blank_symbol(id)
        })
    }

    /// Returns the phantom with this identity that only servers know.
    pub(super) fn server_phantom_by_hash(&self, hash: &Hash) -> Option<SymbolId> {
        self.verdicts.phantom_ids.get(hash).map(|&number| server_phantom_id(number))
    }
}

/// Calls `f` with the edges that servers add at a symbol. `row` is the symbol's row of
/// [`VerdictOverlay::outgoing`] or [`VerdictOverlay::incoming`].
pub(super) fn for_each_added_edge(row: Option<&EdgeRowDiff>, mut f: impl FnMut(Edge)) {
    for edge in row.into_iter().flat_map(|row| &row.added) {
        f(super::edges::edge_from_stored(edge));
    }
}
