//! The channel of named locations: finds the symbols at stack frames and paths in the task.

use super::{Channel, ChannelHit, ChannelInput, ListUsage, ScoreScale, is_result_kind};
use crate::config::{ChannelConfig, RankConfig};
use crate::path_role::is_secondary;
use crate::query::locations;
use kenning_graph::{FileId, Snapshot, SymbolId};
use rustc_hash::FxHashSet;

/// Decay of the scores: the i-th symbol (from 0) has the score `1 / (1 + DECAY × i)`, like the
/// seeds of the walk.
const DECAY: f64 = 0.1;

/// Score of each top-level symbol of a file that is named without a line, because any of them may
/// be the target.
const FILE_SCORE: f64 = 0.1;

/// Maximum number of top-level symbols per file that is named without a line. Some files have
/// hundreds of functions.
const MAX_FILE_SYMBOLS: usize = 20;

/// The channel of named locations.
pub(super) struct LocationsChannel;

impl Channel for LocationsChannel {
    fn display_name(&self) -> &'static str {
        "location"
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.locations
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Absolute)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let mut symbols_at_lines = Vec::new();
        let mut whole_files = Vec::new();
        for location in &input.query.locations {
            for file in locations::files_for_path(input.snapshot, &location.path) {
                match location.line.and_then(|line| locations::enclosing_symbol(input.snapshot, file, line)) {
                    Some(symbol) => symbols_at_lines.push(symbol),
                    None => whole_files.push(file),
                }
            }
        }
        let is_test = |id| input.snapshot.symbol(id).is_some_and(|symbol| is_secondary(&symbol));
        // A failing test is in its own stack trace, but is rarely the cause. The channel of named
        // tests finds the code under test instead.
        let has_named_tests = !input.query.tests.is_empty();
        let mut seen = FxHashSet::default();
        let mut hits = Vec::new();
        for symbol in symbols_at_lines {
            if !(has_named_tests && is_test(symbol)) && seen.insert(symbol) {
                let score = 1.0 / (1.0 + DECAY * hits.len() as f64);
                hits.push(ChannelHit { symbol, score, reason: "line" });
            }
        }
        let files = whole_files.into_iter().flat_map(|file| top_level_symbols(input.snapshot, file));
        hits.extend(files.filter(|&symbol| seen.insert(symbol)).map(|symbol| ChannelHit {
            symbol,
            score: FILE_SCORE,
            reason: "file",
        }));
        hits
    }
}

fn top_level_symbols(snapshot: &Snapshot, file: FileId) -> Vec<SymbolId> {
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    symbols
        .filter(|s| is_result_kind(s.kind) && s.container.is_empty())
        .map(|s| s.id)
        .take(MAX_FILE_SYMBOLS)
        .collect()
}
