//! What use taught Kenning: explicit answers from `memory.db`, and what this session was shown lately.

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

/// What was learned, as far as it counts for one request.
#[derive(Clone, Debug, Default)]
pub struct LearnedEvidence {
    /// Useful and not useful answers, by symbol.
    feedback: HashMap<Hash, (u32, u32)>,
    /// Session boosts, by symbol.
    session: HashMap<Hash, f64>,
    /// What became of a damaged database.
    salvage: Option<SalvageReport>,
}

impl LearnedEvidence {
    /// What the answers for this cluster of tasks say of the graph as it is. A database that is not there has none.
    ///
    /// # Errors
    /// When the database cannot be read; it is left as it is, unless it is damaged and Kenning's own ([`LearnedEvidence::salvage_report`]).
    pub fn read_for_cluster(
        place: &MemoryLocation,
        cluster: Option<&Hash>,
        snapshot: &Snapshot,
    ) -> Result<Self, StoreError> {
        let mut learned = Self::default();
        let (Some(cluster), true) = (cluster, place.has_memory()) else { return Ok(learned) };
        let (store, salvage) = place.open_store()?;
        learned.salvage = salvage;
        for sum in store.load_feedback(Some(cluster))? {
            if is_still_valid(snapshot, &sum) {
                let known = learned.feedback.entry(sum.symbol).or_default();
                *known = (known.0 + sum.useful, known.1 + sum.not_useful);
            }
        }
        Ok(learned)
    }

    /// The fate of a damaged database, for the next report.
    pub fn salvage_report(&self) -> Option<&SalvageReport> {
        self.salvage.as_ref()
    }

    /// With these session boosts.
    #[must_use]
    pub fn with_session_boosts(mut self, boosts: HashMap<Hash, f64>) -> Self {
        self.session = boosts;
        self
    }

    /// The answers for a symbol: how often it was useful, how often not.
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

/// The structure root of a symbol's package, which its answers hold for; `None` for what is in no file.
pub fn package_root(snapshot: &Snapshot, symbol: &SymbolRef<'_>) -> Option<Hash> {
    symbol.file?;
    snapshot.package_root(folder_of(symbol.path)).map(|roots| roots.structure)
}

/// Whether answers still hold: the symbol is there, and its package is as it was.
pub fn is_still_valid(snapshot: &Snapshot, sum: &FeedbackSum) -> bool {
    let symbol = snapshot.symbol_by_hash(&sum.symbol).and_then(|id| snapshot.symbol(id));
    symbol.and_then(|symbol| package_root(snapshot, &symbol)) == Some(sum.package_root)
}
