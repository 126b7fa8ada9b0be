//! Learning: explicit feedback in `memory.db`, and the symbols that a session was shown recently.
//!
//! Feedback counts for one cluster of similar tasks, and only while the structure of the symbol's
//! package is unchanged. The record of shown symbols is kept in memory and ends with the session.
//! Both reach ranking as `LearnedEvidence`, one value per request.

mod recently_shown;
mod served_packs;
mod session;

pub use recently_shown::RecentlyShown;
pub use served_packs::{ServedPack, ServedPacks};
pub use session::SessionLearning;

use kenning_graph::paths::folder_of;
use kenning_graph::store::{FeedbackSum, MemoryLocation, SalvageReport, StoreError};
use kenning_graph::{Hash, Snapshot, SymbolRef};
use kenning_retrieval::{EvidenceSource, SymbolEvidence};
use std::collections::HashMap;

/// The learned evidence that applies to one request.
#[derive(Clone, Debug, Default)]
pub struct LearnedEvidence {
    /// Numbers of useful and not useful answers, by symbol.
    feedback: HashMap<Hash, (u32, u32)>,
    /// Session boosts, by symbol.
    session: HashMap<Hash, f64>,
    /// The report on a damaged or missing database, if there was one.
    salvage: Option<SalvageReport>,
}

impl LearnedEvidence {
    /// Reads the feedback for a cluster of tasks that applies to the current graph. Without a
    /// cluster or a database, the evidence is empty.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read. The file is left unchanged, unless it is
    /// damaged and belongs to Kenning: it is then set aside ([`LearnedEvidence::salvage_report`]).
    pub fn read_for_cluster(
        location: &MemoryLocation,
        cluster: Option<&Hash>,
        snapshot: &Snapshot,
    ) -> Result<Self, StoreError> {
        let mut learned = Self::default();
        let (Some(cluster), true) = (cluster, location.has_memory()) else { return Ok(learned) };
        let (store, salvage) = location.open_store()?;
        learned.salvage = salvage;
        for sum in store.load_feedback(Some(cluster))? {
            if is_still_valid(snapshot, &sum) {
                let counts = learned.feedback.entry(sum.symbol).or_default();
                *counts = (counts.0 + sum.useful, counts.1 + sum.not_useful);
            }
        }
        Ok(learned)
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

    /// Returns how often feedback called a symbol useful, and how often not useful.
    pub fn feedback_counts(&self, symbol: &Hash) -> (u32, u32) {
        self.feedback.get(symbol).copied().unwrap_or_default()
    }
}

impl EvidenceSource for LearnedEvidence {
    fn evidence_for(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence {
        let (useful, not_useful) = self.feedback_counts(&symbol.hash);
        let answers = useful + not_useful;
        SymbolEvidence {
            feedback: (answers > 0).then(|| f64::from(useful) / f64::from(answers)),
            session: self.session.get(&symbol.hash).copied().unwrap_or_default(),
            ..SymbolEvidence::default()
        }
    }
}

/// Returns the structure root of a symbol's package, for which its feedback is valid; `None` for a
/// symbol without a file.
pub fn package_root(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> Option<Hash> {
    symbol.file?;
    snapshot.package_root(folder_of(symbol.path)).map(|roots| roots.structure)
}

/// Whether feedback is still valid: the symbol exists, and the structure of its package is
/// unchanged.
pub fn is_still_valid(snapshot: &Snapshot, sum: &FeedbackSum) -> bool {
    let symbol = snapshot.symbol_by_hash(&sum.symbol).and_then(|id| snapshot.symbol(id));
    symbol.and_then(|symbol| package_root(snapshot, &symbol)) == Some(sum.package_root)
}
