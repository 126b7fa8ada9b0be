//! Features from the commits: the votes of similar commits, and the age and number of the changes
//! of a candidate.

use crate::channels::ChannelInput;
use kenning_graph::SymbolRef;

/// The names of the columns, in the order of the values of `candidate_values`.
pub(super) const NAMES: [&str; 7] = [
    "symbol_votes",
    "file_votes",
    "file_activity",
    "symbol_age",
    "symbol_commits",
    "file_age",
    "file_commits",
];

/// Half-life of a commit in `file_activity`, in days.
const ACTIVITY_DAYS: f64 = 365.0;

/// Age in days of code that no known commit touched.
const UNKNOWN_AGE_DAYS: f32 = 10_000.0;

/// The commits and their votes.
pub(super) struct HistoryFeatures<'a> {
    input: &'a ChannelInput<'a>,
}

impl<'a> HistoryFeatures<'a> {
    /// Creates the features for the candidates of one task.
    pub fn new(input: &'a ChannelInput<'a>) -> Self {
        Self { input }
    }

    /// Returns the values of a candidate, in the order of [`NAMES`].
    pub fn candidate_values(&self, symbol: &SymbolRef<'_>) -> [f32; NAMES.len()] {
        let votes = self.input.votes;
        let history = self.input.history;
        let changes = history.map(|history| history.count_changes(symbol)).unwrap_or_default();
        [
            votes.votes_for_symbol(symbol.id) as f32,
            symbol.file.map_or(0.0, |file| votes.votes_for_file(file)) as f32,
            history.map_or(0.0, |history| history.file_activity(symbol.path, ACTIVITY_DAYS)) as f32,
            changes.symbol_age.map_or(UNKNOWN_AGE_DAYS, |days| days as f32),
            changes.symbol_commits as f32,
            changes.file_age.map_or(UNKNOWN_AGE_DAYS, |days| days as f32),
            changes.file_commits as f32,
        ]
    }
}
