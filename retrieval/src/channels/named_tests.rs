//! The channel of named tests: finds the code under test of the tests that a report names, and adds
//! those tests as context.

use super::{Channel, ChannelHit, ChannelInput, ListUsage, ScoreScale, is_result_kind, sort_by_score};
use crate::config::{ChannelConfig, RankConfig, TestIdsConfig};
use crate::path_role::is_secondary;
use crate::query::NamedTest;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::{EdgeKind, Snapshot, SymbolId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Maximum number of edges followed from one test. Generated tests use thousands of symbols.
const MAX_EDGES: usize = 500;

/// Factor of a symbol that only a test helper calls, relative to one that the test calls itself.
const HELPER_FACTOR: f64 = 0.8;

/// Factor of a symbol if the test's name or title contains all words of the symbol's name.
const NAMED_FACTOR: f64 = 2.0;

/// The channel of named tests.
pub(super) struct NamedTestsChannel;

impl Channel for NamedTestsChannel {
    fn display_name(&self) -> &'static str {
        "tested"
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.test_ids.channel
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Absolute)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let (snapshot, config) = (input.snapshot, &input.config.test_ids);
        let mut tested: BTreeMap<SymbolId, f64> = BTreeMap::new();
        let mut tests: FxHashSet<SymbolId> = FxHashSet::default();
        for test in &input.query.tests {
            for (target, score) in test_targets(snapshot, test, config) {
                *tested.entry(target).or_default() += score;
            }
            tests.extend(test.symbols.iter().copied());
        }
        // The scores of several failing tests add up, because the cause is likely in the code that
        // they share. The scale stays 0..=1.
        let max_score = tested.values().copied().fold(1.0, f64::max);
        let mut hits: Vec<ChannelHit> = tested
            .into_iter()
            .filter(|(target, _)| !tests.contains(target))
            .map(|(symbol, score)| ChannelHit { symbol, score: score / max_score, reason: "" })
            .collect();
        if config.context > 0.0 {
            hits.extend(tests.into_iter().map(|symbol| ChannelHit {
                symbol,
                score: config.context,
                reason: "context",
            }));
        }
        sort_by_score(snapshot, &mut hits, |hit| hit.score, |hit| hit.symbol);
        hits
    }
}

/// Returns the symbols that a test tests, best first, each with a score of 0..=1.
fn test_targets(snapshot: &Snapshot, test: &NamedTest, config: &TestIdsConfig) -> Vec<(SymbolId, f64)> {
    let mut edges: BTreeMap<SymbolId, f64> = BTreeMap::new();
    let starts = if test.symbols.is_empty() { test.file.as_slice() } else { test.symbols.as_slice() };
    let mut helpers = Vec::new();
    for &start in starts {
        helpers.extend(collect_uses(snapshot, start, 1.0, &mut edges));
    }
    if edges.is_empty() {
        for helper in helpers {
            collect_uses(snapshot, helper, HELPER_FACTOR, &mut edges);
        }
    }
    let mut test_words = StemSet::default();
    test_words.add_text(&test.id.written);
    for symbol in test.symbols.iter().filter_map(|&symbol| snapshot.symbol(symbol)) {
        test_words.add_text(symbol.name);
    }
    // A symbol that many tests call, such as a client, is rarely the subject of one of them.
    let mut found: Vec<(SymbolId, f64, f64)> = edges
        .into_iter()
        .filter_map(|(target, confidence)| {
            let symbol = snapshot.symbol(target)?;
            let commonness =
                f64::from(1 + count_testers(snapshot, target, config.max_testers)).log2().max(1.0);
            let name_factor = 1.0 + (NAMED_FACTOR - 1.0) * test_words.word_share(symbol.name);
            Some((target, confidence, name_factor / commonness))
        })
        .collect();
    let best = found.iter().map(|f| f.2).fold(f64::MIN_POSITIVE, f64::max);
    sort_by_score(snapshot, &mut found, |f| f.1 * f.2, |f| f.0);
    found.truncate(config.max_targets);
    found.into_iter().map(|(target, confidence, relevance)| (target, confidence * relevance / best)).collect()
}

/// Adds the product symbols that a test or helper uses to `edges`, with the confidence of the edge
/// times `factor`. Returns the test helpers that it calls.
fn collect_uses(
    snapshot: &Snapshot,
    from: SymbolId,
    factor: f64,
    edges: &mut BTreeMap<SymbolId, f64>,
) -> Vec<SymbolId> {
    let (mut seen, mut helpers) = (0, Vec::new());
    snapshot.for_each_out_edge(from, |edge| {
        seen += 1;
        let counts = matches!(edge.kind, EdgeKind::Tests | EdgeKind::Calls);
        if seen > MAX_EDGES || !counts || edge.target == from {
            return;
        }
        let Some(symbol) = snapshot.symbol(edge.target).filter(|s| is_result_kind(s.kind)) else { return };
        if is_secondary(&symbol) {
            helpers.push(edge.target);
        } else {
            let strength = edges.entry(edge.target).or_insert(0.0);
            *strength = strength.max(factor * f64::from(edge.confidence));
        }
    });
    helpers
}

/// Counts the tests of a symbol, at most `limit`.
fn count_testers(snapshot: &Snapshot, target: SymbolId, limit: usize) -> u32 {
    let mut found = 0usize;
    snapshot.for_each_in_edge(target, |edge| found += usize::from(edge.kind == EdgeKind::Tests));
    found.min(limit) as u32
}

/// The stems of one or more texts.
#[derive(Default)]
struct StemSet {
    stems: FxHashSet<String>,
    analyzer: Analyzer,
}

impl StemSet {
    fn add_text(&mut self, text: &str) {
        let stems = &mut self.stems;
        self.analyzer.for_each_token(text, |token| {
            if !token.starts_with(WHOLE_TOKEN_PREFIX) {
                stems.insert(token.to_owned());
            }
        });
    }

    /// Returns the share of a name's words that are in the set.
    fn word_share(&mut self, name: &str) -> f64 {
        let (mut all, mut shared) = (0u32, 0u32);
        let stems = &self.stems;
        self.analyzer.for_each_token(name, |token| {
            if !token.starts_with(WHOLE_TOKEN_PREFIX) {
                all += 1;
                shared += u32::from(stems.contains(token));
            }
        });
        f64::from(shared) / f64::from(all.max(1))
    }
}
