//! Ripple: finds the files that a change is also likely to touch.
//!
//! The input is the edited symbols ([`RippleSeeds`]); the output is files, the likeliest first,
//! each with the reasons for it. There are two kinds of evidence:
//!
//! * the history: files that changed together with the seeds (`history/co_changes.rs`);
//! * the graph: files that use the seeds, that the seeds use, that override or implement the same
//!   symbols, that declare the same names, or whose path resembles the seeds' paths.
//!
//! [`features`] computes the features of every candidate file from both, and [`model`] combines
//! them into one score. Nothing is read from disk, and no pair of files is stored.

mod features;
mod model;
mod test_files;
#[cfg(test)]
mod tests;

pub use features::{FEATURES, FeatureRow, candidate_features};
pub use test_files::{TestFile, likely_test_files};

use crate::history::CommitHistory;
use kenning_graph::{Snapshot, SymbolId};

/// Maximum number of reasons of one file. The first reasons tell most.
const MAX_REASONS: usize = 3;

/// The symbols that a change edits. The symbol of a file represents the whole file.
#[derive(Clone, Copy, Debug)]
pub struct RippleSeeds<'a> {
    /// The symbols. At most [`RippleSeeds::MAX_SYMBOLS`] are followed.
    pub symbols: &'a [SymbolId],
}

impl RippleSeeds<'_> {
    /// Maximum number of symbols whose edges are followed. Generated files have tens of thousands.
    pub const MAX_SYMBOLS: usize = 400;
}

/// A reason why a file may also have to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RippleReason {
    /// The file changed in `together` of the `commits` commits that touched a seed.
    ChangedTogether {
        /// Commits that touched both.
        together: u32,
        /// Commits that touched a seed.
        commits: u32,
    },
    /// This many of the file's symbols use a seed.
    Uses(u32),
    /// The seeds use this many of the file's symbols.
    IsUsed(u32),
    /// This many of the file's symbols override or implement the same symbols as a seed, or have
    /// the same name.
    Parallel(u32),
    /// The file's name resembles that of a seed's file.
    SimilarName,
    /// The file is in the folder of a seed.
    SameFolder,
    /// The file uses other symbols of a seed's file, or is used by them.
    RelatedFile,
}

/// A file that the change may also touch.
#[derive(Clone, Debug, PartialEq)]
pub struct RippleFile {
    /// The path in the workspace.
    pub path: String,
    /// The score of the model, which has a meaning only in comparison with others.
    pub score: f64,
    /// The reasons, the strongest first, at most three.
    pub reasons: Vec<RippleReason>,
}

/// Returns the files that a change to the seeds may also touch, the likeliest first, at most
/// `limit`. Leaves out the files of the seeds. Equal scores are in the order of their paths.
pub fn ripple_files(
    snapshot: &Snapshot,
    history: Option<&CommitHistory>,
    seeds: RippleSeeds<'_>,
    limit: usize,
) -> Vec<RippleFile> {
    let mut rows = candidate_features(snapshot, history, seeds);
    for row in &mut rows {
        row.score = model::score_features(&row.values);
    }
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    rows.truncate(limit);
    rows.into_iter()
        .map(|row| {
            let mut reasons = row.reasons;
            reasons.truncate(MAX_REASONS);
            RippleFile { path: row.path, score: row.score, reasons }
        })
        .collect()
}
