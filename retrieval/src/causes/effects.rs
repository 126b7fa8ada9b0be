//! The effect of each cause on the score of a symbol, relative to other candidates.
//!
//! A score is a sum of contributions of features and components, so the contributions of a cause
//! add up to its share. A share alone says little, because all candidates of a task have a similar
//! one. The effect is therefore the difference from the mean of the candidates, and the gap is the
//! difference from the mean of the first candidates that rank before the symbol.
//!
//! Two causes mean nothing to a reader, so they are divided among others. The order of the earlier
//! stages is divided among the channels that found the symbol, by their parts of the fused score.
//! Words anywhere are divided among the fields that contain them, by the information of the words
//! and the weight of the field. Both shares are measured from the weakest candidate, so that they
//! are never negative.

use super::cause_table::RankCause;
use crate::config::RankConfig;
use crate::score::ScoreComponent;
use crate::trace::RunTrace;
use kenning_graph::text::{FIELDS, SymbolSet};
use kenning_graph::{Snapshot, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of candidates that are compared if the learned ranker did not reorder the list.
const COMPARED_CANDIDATES: usize = 100;

/// Number of leading candidates with which a symbol is compared. A reader sees these instead of the
/// symbol.
const LEADERS: usize = 10;

/// The effect of a cause on the score of a symbol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CauseEffect {
    /// The cause.
    pub cause: RankCause,
    /// The difference from the mean of all compared candidates.
    pub effect: f64,
    /// The difference from the mean of the first ten candidates that rank before the symbol; 0 if
    /// there are none.
    pub gap: f64,
}

/// The share of each cause in a score, by the number of the cause.
type CauseShares = [f64; RankCause::ALL.len()];

/// Returns the effects of all causes that have one, the greatest effect first.
pub(super) fn cause_effects(trace: &RunTrace, snapshot: &Snapshot, symbol: SymbolId) -> Vec<CauseEffect> {
    let compared = compared_candidates(trace, symbol);
    let Some(own) = compared.iter().position(|&at| trace.ranked[at].symbol == symbol) else {
        return Vec::new();
    };
    let mut shares: Vec<CauseShares> = compared.iter().map(|&at| summed_shares(trace, at)).collect();
    divide_order(trace, &compared, &mut shares);
    divide_words(trace, snapshot, &compared, &mut shares);
    let mean = mean_shares(&shares);
    let leaders: Vec<CauseShares> = shares[..own].iter().take(LEADERS).copied().collect();
    let leading = mean_shares(&leaders);
    let effect = |&cause: &RankCause| {
        let at = cause as usize;
        let gap = if leaders.is_empty() { 0.0 } else { shares[own][at] - leading[at] };
        CauseEffect { cause, effect: shares[own][at] - mean[at], gap }
    };
    let mut effects: Vec<CauseEffect> = RankCause::ALL.iter().map(effect).collect();
    effects.retain(|effect| effect.effect != 0.0 || effect.gap != 0.0);
    effects.sort_by(|a, b| b.effect.total_cmp(&a.effect));
    effects
}

/// Returns the positions in the ranked list of the candidates whose scores are comparable with that
/// of `symbol`. If the trees reordered `symbol`, these are all reordered candidates; otherwise they
/// are the first [`COMPARED_CANDIDATES`] others and `symbol` itself.
fn compared_candidates(trace: &RunTrace, symbol: SymbolId) -> Vec<usize> {
    let learned: FxHashSet<SymbolId> =
        trace.learned.iter().flat_map(|learned| learned.symbols.iter().copied()).collect();
    let is_learned = learned.contains(&symbol);
    let alike = trace.ranked.iter().enumerate().filter(|(_, r)| learned.contains(&r.symbol) == is_learned);
    let mut compared: Vec<usize> = alike.map(|(at, _)| at).collect();
    let own = compared.iter().position(|&at| trace.ranked[at].symbol == symbol);
    let kept = if is_learned { compared.len() } else { COMPARED_CANDIDATES };
    match own.filter(|&own| own >= kept) {
        Some(own) => {
            compared.swap(kept, own);
            compared.truncate(kept + 1);
        }
        None => compared.truncate(kept),
    }
    compared
}

/// Sums the contributions to a score by cause, before any share is divided.
fn summed_shares(trace: &RunTrace, at: usize) -> CauseShares {
    let candidate = &trace.ranked[at];
    let mut shares = [0.0; RankCause::ALL.len()];
    // The components of the trees are sums of their features, which are added one by one.
    for part in candidate.components.iter().filter(|part| !part.name.starts_with("learned_")) {
        shares[RankCause::from_signal(part.name) as usize] += part.value;
    }
    let features = trace.learned.iter().flat_map(|learned| learned.contributions(candidate.symbol));
    for (name, value) in features {
        shares[RankCause::from_signal(name) as usize] += value;
    }
    shares
}

/// Divides the order of the earlier stages among the channels that found each candidate.
fn divide_order(trace: &RunTrace, compared: &[usize], shares: &mut [CauseShares]) {
    let fused: FxHashMap<SymbolId, &[ScoreComponent]> =
        trace.fused.iter().map(|fused| (fused.symbol, fused.parts.as_slice())).collect();
    let parts = compared.iter().map(|&at| {
        let parts = fused.get(&trace.ranked[at].symbol).copied().unwrap_or_default();
        let mut weights = [0.0; RankCause::ALL.len()];
        for part in parts {
            weights[RankCause::from_signal(part.name) as usize] += part.value.max(0.0);
        }
        if parts.is_empty() {
            weights[RankCause::Connections as usize] = trace.ranked[at].walk;
        }
        weights
    });
    divide_share(RankCause::Order, &parts.collect::<Vec<CauseShares>>(), shares);
}

/// Divides the share of words anywhere among the fields that contain the words.
fn divide_words(trace: &RunTrace, snapshot: &Snapshot, compared: &[usize], shares: &mut [CauseShares]) {
    let positions: FxHashMap<SymbolId, usize> =
        compared.iter().enumerate().map(|(number, &at)| (trace.ranked[at].symbol, number)).collect();
    let symbols: SymbolSet = positions.keys().copied().collect();
    let fields = &RankConfig::default().text.bm25.fields;
    let mut weights = vec![[0.0; RankCause::ALL.len()]; compared.len()];
    for term in &trace.query.terms {
        for (symbol, counts) in snapshot.token_counts(&term.token, &symbols) {
            add_field_weights(&mut weights[positions[&symbol]], &counts, |field| {
                term.contribution * f64::from(fields[field].weight)
            });
        }
    }
    divide_share(RankCause::Words, &weights, shares);
}

fn add_field_weights(
    weights: &mut CauseShares,
    counts: &[u16; FIELDS],
    weight_of_field: impl Fn(usize) -> f64,
) {
    for (cause, field) in RankCause::FIELDS {
        if counts[field as usize] > 0 {
            weights[cause as usize] += weight_of_field(field as usize);
        }
    }
}

/// Divides the share of one cause among others in proportion to `weights`. A candidate whose
/// weights are all 0 keeps the share. Shares are measured from the weakest candidate.
fn divide_share(divided: RankCause, weights: &[CauseShares], shares: &mut [CauseShares]) {
    let divided = divided as usize;
    let least = shares.iter().map(|shares| shares[divided]).fold(f64::INFINITY, f64::min);
    for (shares, weights) in shares.iter_mut().zip(weights) {
        let above = shares[divided] - least;
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            shares[divided] = above;
            continue;
        }
        shares[divided] = 0.0;
        for (share, weight) in shares.iter_mut().zip(weights) {
            *share += above * weight / sum;
        }
    }
}

fn mean_shares(shares: &[CauseShares]) -> CauseShares {
    let count = shares.len().max(1) as f64;
    std::array::from_fn(|at| shares.iter().map(|shares| shares[at]).sum::<f64>() / count)
}
