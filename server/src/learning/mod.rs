//! Learning: the feedback of a person on the symbols of packs, the use that readers make of them,
//! and the symbols that a session was shown recently (`docs/ranking.md`, "Learning").
//!
//! A session remembers the packs that it sent (`served_packs`). If the client then uses their
//! symbols (`detect_used`), a use event goes to `memory.db` in one transaction. So does explicit
//! feedback, and the record of a task if the task memory is on (`task_memory`).
//!
//! Feedback and uses count for one cluster of similar tasks, and the vocabulary (`vocabulary`) for
//! all tasks that share a word. All of them count only while the structure of the symbol's package
//! is unchanged. The record of shown symbols is in the memory of the process and ends with the
//! session. Everything reaches ranking as `LearnedEvidence`, one value per request.

mod detect_used;
mod recently_shown;
mod served_packs;
mod session;
pub mod task_memory;
mod unified_diff;
pub mod vocabulary;

pub use detect_used::{ReaderAction, detect_used};
pub use recently_shown::RecentlyShown;
pub use served_packs::{PackUse, ServedPack, ServedPacks};
pub use session::SessionLearning;
pub use unified_diff::UnifiedDiff;

use kenning_graph::paths::parent_folder;
use kenning_graph::store::{
    FeedbackSum, MemoryLocation, RememberedSymbol, RootedSymbol, SalvageReport, StoreError, SymbolUse,
    UseEvent, WordAssociation,
};
use kenning_graph::{Hash, Snapshot, SymbolRef};
use kenning_retrieval::{EvidenceSource, SymbolEvidence};
use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

/// The key of the learned data that applies to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearningKey {
    /// The cluster of similar questions; `None` for a question without keywords.
    pub cluster: Option<Hash>,
    /// The keywords for which uses are remembered; empty for questions that are not tasks.
    pub keywords: Vec<String>,
    /// Whether the task memory is on.
    pub recalls_tasks: bool,
}

/// The stored rows of learned data that apply to a question.
#[derive(Clone, Debug, Default)]
pub struct LearnedRows {
    /// The feedback for the cluster of the question.
    pub feedback: Vec<FeedbackSum>,
    /// The uses for the cluster of the question.
    pub uses: Vec<SymbolUse>,
    /// The vocabulary of all clusters.
    pub words: Vec<WordAssociation>,
    /// The symbols that the task memory remembers, for all tasks.
    pub remembered: Vec<RememberedSymbol>,
    /// The time at which the rows were read, in seconds since the Unix epoch.
    pub read_at: u64,
}

/// The learned evidence that applies to one request.
#[derive(Clone, Debug, Default)]
pub struct LearnedEvidence {
    /// Numbers of useful and not useful answers, by symbol.
    feedback: HashMap<Hash, (u32, u32)>,
    /// Numbers of readers who used a symbol and who did not.
    uses: HashMap<Hash, (u32, u32)>,
    /// The strength of the learned associations with the question's words, by symbol.
    vocabulary: BTreeMap<Hash, f64>,
    /// The strength with which earlier tasks recall each symbol.
    recall: BTreeMap<Hash, f64>,
    /// Session boosts, by symbol.
    session: HashMap<Hash, f64>,
    /// The report on a damaged or missing database, if there was one.
    salvage: Option<SalvageReport>,
}

impl LearnedEvidence {
    /// Reads the learned data that applies to a question and to the current graph. Without a
    /// cluster or a database, the evidence is empty.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read. Leaves the file unchanged, unless it is
    /// damaged and belongs to Kenning: then sets it aside ([`LearnedEvidence::salvage_report`]).
    pub fn read_for_question(
        location: &MemoryLocation,
        key: &LearningKey,
        snapshot: &Snapshot,
    ) -> Result<Self, StoreError> {
        let (Some(cluster), true) = (key.cluster, location.has_memory()) else { return Ok(Self::default()) };
        let (store, salvage) = location.open_store()?;
        let words = if key.keywords.is_empty() { Vec::new() } else { store.load_vocabulary()? };
        let rows = LearnedRows {
            feedback: store.load_feedback(Some(&cluster))?,
            uses: store.load_uses(Some(&cluster))?,
            words,
            remembered: if key.recalls_tasks { store.load_remembered()? } else { Vec::new() },
            read_at: seconds_since_epoch(),
        };
        Ok(Self { salvage, ..Self::from_rows(&rows, key, snapshot) })
    }

    /// Builds the evidence from the rows that are still valid.
    pub fn from_rows(rows: &LearnedRows, key: &LearningKey, snapshot: &Snapshot) -> Self {
        let (mut learned, mut roots) = (Self::default(), PackageRootCache::new(snapshot));
        for sum in rows.feedback.iter().filter(|sum| key.cluster == Some(sum.cluster)) {
            if roots.is_still_valid(&sum.symbol, &sum.package_root) {
                let counts = learned.feedback.entry(sum.symbol).or_default();
                *counts = (counts.0 + sum.useful, counts.1 + sum.not_useful);
            }
        }
        for row in rows.uses.iter().filter(|row| key.cluster == Some(row.cluster)) {
            if roots.is_still_valid(&row.symbol, &row.package_root) {
                let counts = learned.uses.entry(row.symbol).or_default();
                *counts = (counts.0.saturating_add(row.used), counts.1.saturating_add(row.unused));
            }
        }
        let words = rows.words.iter().filter(|word| key.keywords.contains(&word.keyword));
        let valid = words.filter(|word| roots.is_still_valid(&word.symbol, &word.package_root));
        learned.vocabulary = vocabulary::weigh_symbols(&key.keywords, valid);
        learned.recall =
            task_memory::recall_symbols(&key.keywords, &rows.remembered, &mut roots, rows.read_at);
        learned
    }

    /// Returns the report on a damaged or missing database, for the next warning.
    pub fn salvage_report(&self) -> Option<&SalvageReport> {
        self.salvage.as_ref()
    }

    /// Sets the session boosts.
    #[must_use]
    pub fn with_session_boosts(mut self, boosts: HashMap<Hash, f64>) -> Self {
        self.session = boosts;
        self
    }

    /// Removes the session boosts.
    #[must_use]
    pub fn without_boosts(self) -> Self {
        Self { session: HashMap::new(), ..self }
    }

    /// Returns all evidence in a fixed order, to compare it or to derive a key from it.
    pub fn sorted_entries(&self) -> impl std::fmt::Debug + use<> {
        let sort = |counts: &HashMap<Hash, (u32, u32)>| -> BTreeMap<Hash, (u32, u32)> {
            counts.iter().map(|(symbol, counts)| (*symbol, *counts)).collect()
        };
        let (feedback, uses) = (sort(&self.feedback), sort(&self.uses));
        let session: BTreeMap<Hash, f64> =
            self.session.iter().map(|(symbol, boost)| (*symbol, *boost)).collect();
        (feedback, uses, self.vocabulary.clone(), self.recall.clone(), session)
    }

    /// Returns the numbers of answers that called a symbol useful, and not useful.
    pub fn feedback_counts(&self, symbol: &Hash) -> (u32, u32) {
        self.feedback.get(symbol).copied().unwrap_or_default()
    }
}

impl EvidenceSource for LearnedEvidence {
    fn evidence_for(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence {
        let (useful, not_useful) = self.feedback_counts(&symbol.hash);
        let (used, unused) = self.uses.get(&symbol.hash).copied().unwrap_or_default();
        SymbolEvidence {
            feedback: share_of(useful, not_useful),
            usage: share_of(used, unused),
            vocabulary: self.vocabulary.get(&symbol.hash).copied().unwrap_or_default(),
            recall: self.recall.get(&symbol.hash).copied().unwrap_or_default(),
            session: self.session.get(&symbol.hash).copied().unwrap_or_default(),
            ..SymbolEvidence::default()
        }
    }

    fn associated_symbols(&self) -> Vec<Hash> {
        self.vocabulary.keys().copied().collect()
    }
}

/// Returns the share of `yes` among all answers; `None` without answers.
fn share_of(yes: u32, no: u32) -> Option<f64> {
    let all = f64::from(yes) + f64::from(no);
    (all > 0.0).then(|| f64::from(yes) / all)
}

/// Returns the event of a use that happens now, without symbols that are not declared in the
/// workspace. Returns `None` if no symbol remains.
pub fn build_use_event(snapshot: &Snapshot, pack_use: &PackUse) -> Option<UseEvent> {
    let add_root = |hash: &Hash| {
        let symbol = snapshot.symbol_by_hash(hash).and_then(|id| snapshot.symbol(id))?;
        Some(RootedSymbol { symbol: *hash, package_root: package_root(snapshot, &symbol)? })
    };
    let event = UseEvent {
        cluster: pack_use.cluster,
        keywords: pack_use.keywords.clone(),
        used: pack_use.used.iter().filter_map(add_root).collect(),
        unused: pack_use.unused.iter().filter_map(add_root).collect(),
        at: seconds_since_epoch(),
    };
    (!event.used.is_empty() || !event.unused.is_empty()).then_some(event)
}

/// Returns the time now, in seconds since the Unix epoch.
pub fn seconds_since_epoch() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |age| age.as_secs())
}

/// Returns the structure root of a symbol's package, for which its feedback is valid; `None` for a
/// symbol without a file.
pub fn package_root(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> Option<Hash> {
    symbol.file?;
    snapshot.package_root(parent_folder(symbol.path)).map(|roots| roots.structure)
}

/// The structure roots of packages, each computed once: the root of a package with unsaved edits is
/// computed from all its files.
pub struct PackageRootCache<'a> {
    snapshot: &'a Snapshot,
    roots: HashMap<&'a str, Option<Hash>>,
}

impl<'a> PackageRootCache<'a> {
    /// Creates an empty cache for a snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, roots: HashMap::new() }
    }

    /// Whether learned data on a symbol is still valid: the symbol exists, and the structure root
    /// of its package is `root`, as at the time of the record.
    pub fn is_still_valid(&mut self, symbol: &Hash, root: &Hash) -> bool {
        let snapshot = self.snapshot;
        let symbol = snapshot.symbol_by_hash(symbol).and_then(|id| snapshot.symbol(id));
        let Some(symbol) = symbol else { return false };
        let current = self.roots.entry(parent_folder(symbol.path));
        *current.or_insert_with(|| package_root(snapshot, &symbol)) == Some(*root)
    }
}
