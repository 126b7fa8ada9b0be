//! Fits candidates into a token budget by the configured strategy.
//!
//! [`PackCandidates`] describes the symbols that may enter the pack, and measures their cheap forms,
//! once for all fills of a pack. [`fit_budget`] takes them and the texts of the symbols. It returns
//! the chosen symbols in rank order, each in the detail that fits, the omitted candidates with their
//! reasons, and a trace with one decision about every candidate. The chosen symbols never take more
//! tokens than the budget.

use super::declaration_text::PackTexts;
use super::density_fit::{DensityCandidates, fill_by_density};
use super::rank_fit::{RankCandidates, fill_by_rank};
use super::reading_order::sort_for_reading;
use super::{DetailLevel, OmittedSymbol, PackInput, PackSymbol, describe_symbol, measure_tokens};
use crate::config::{PackConfig, PackStrategy};
use kenning_graph::SymbolId;
use std::collections::BTreeMap;

/// The result of packing.
pub(crate) struct FittedPack {
    /// The symbols, in the order of reading.
    pub symbols: Vec<PackSymbol>,
    /// Tokens of the symbols.
    pub tokens: usize,
    /// The first omitted candidates, at most `PackConfig::max_omitted`.
    pub omitted: Vec<OmittedSymbol>,
    /// Number of all omitted candidates by reason.
    pub omitted_counts: BTreeMap<&'static str, usize>,
    /// The decisions.
    pub trace: PackTrace,
}

/// The record of the measurements and decisions of packing.
#[derive(Clone, Debug, PartialEq)]
pub struct PackTrace {
    /// The token budget.
    pub budget: usize,
    /// Tokens of the shown symbols.
    pub tokens: usize,
    /// Whether a larger budget would show nothing more: all symbols are shown, and no text is
    /// shortened for the budget.
    pub is_complete: bool,
    /// Share of phantoms among the nodes around the seeds, 0 to 1.
    pub phantoms: f64,
    /// Exponent of the walk's mass in the density. It grows with the share of phantoms.
    pub exponent: f64,
    /// One decision per candidate in rank order, then one per candidate that noise rules removed.
    pub decisions: Vec<PackDecision>,
}

/// The decision about a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackDecision {
    /// The symbol.
    pub symbol: SymbolId,
    /// Score per token of the cheapest form, times nearness to the seeds; `None` if the candidate
    /// was not considered.
    pub density: Option<f64>,
    /// The outcome.
    pub outcome: PackOutcome,
    /// Tokens of the shown form, or of the cheapest form; 0 if that was not computed.
    pub tokens: usize,
}

/// The outcome for a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackOutcome {
    /// The candidate is in the pack in this detail.
    Shown(DetailLevel),
    /// The candidate is left out for this reason: `budget`, `noise` or `threshold`, or `shown` if
    /// other items of the pack show all its lines.
    LeftOut(&'static str),
}

/// The symbols that may enter a pack, as its strategy uses them. They do not depend on the budget.
pub(crate) enum PackCandidates {
    /// The candidates of the strategy `rank`.
    Rank(Box<RankCandidates>),
    /// The candidates of the other strategies.
    Density(DensityCandidates),
}

impl PackCandidates {
    /// Selects, describes and measures the candidates of a request.
    pub fn collect(input: &PackInput<'_>, config: &PackConfig) -> Self {
        match config.strategy {
            PackStrategy::Rank => Self::Rank(Box::new(RankCandidates::collect(input, config))),
            PackStrategy::Density | PackStrategy::FileGrouped | PackStrategy::TopK => {
                Self::Density(DensityCandidates::collect(input, config))
            }
        }
    }
}

/// A candidate with the cost of its cheap forms.
#[derive(Clone)]
pub(super) struct PackCandidate {
    /// Index in the ranked list; `None` for a test that only the graph found.
    pub rank: Option<usize>,
    /// The form with the name only.
    pub name: PackSymbol,
    /// The form with the signature.
    pub signature: PackSymbol,
    /// The density, if the strategy uses it.
    pub density: Option<f64>,
    /// The form that the pack shows; `None` while no form fits.
    pub chosen: Option<PackSymbol>,
    /// Whether other items of the pack show all its lines.
    pub is_shown_elsewhere: bool,
}

impl PackCandidate {
    /// Describes the candidate at a rank. Returns `None` if its symbol is not in the snapshot.
    pub fn describe_ranked(input: &PackInput<'_>, rank: usize) -> Option<Self> {
        Some(Self {
            rank: Some(rank),
            ..Self::from_item(describe_symbol(input.snapshot, &input.ranked[rank])?)
        })
    }

    /// Measures the forms of an item that is not in the ranked list.
    pub fn from_item(mut name: PackSymbol) -> Self {
        measure_tokens(&mut name);
        let mut signature = PackSymbol { detail: DetailLevel::Signature, ..name.clone() };
        measure_tokens(&mut signature);
        Self { rank: None, name, signature, density: None, chosen: None, is_shown_elsewhere: false }
    }
}

/// The tokens of a budget that are not spent.
pub(super) struct TokenBudget {
    pub remaining: usize,
}

impl TokenBudget {
    /// Replaces the form chosen for an item if the budget covers the difference, and returns
    /// whether it does.
    pub fn try_replace(&mut self, slot: &mut Option<PackSymbol>, new: &PackSymbol) -> bool {
        let old_tokens = slot.as_ref().map_or(0, |old| old.tokens);
        if new.tokens > self.remaining + old_tokens {
            return false;
        }
        self.remaining = self.remaining + old_tokens - new.tokens;
        *slot = Some(new.clone());
        true
    }
}

/// The candidates that a strategy considered, with their chosen forms.
pub(super) struct FilledBudget {
    /// The candidates in rank order, then the tests that are not ranked.
    pub items: Vec<PackCandidate>,
    /// The exponent of the walk's mass in the density; 0 if the strategy does not use it.
    pub exponent: f64,
    /// Tokens of the chosen forms.
    pub tokens: usize,
    /// Whether a larger budget would make a text longer or add a test.
    pub is_shortened: bool,
}

/// Packs the ranked candidates into `budget` tokens.
pub(crate) fn fit_budget(
    input: &PackInput<'_>,
    candidates: &PackCandidates,
    texts: &PackTexts<'_>,
    config: &PackConfig,
    budget: usize,
) -> FittedPack {
    let filled = match candidates {
        PackCandidates::Rank(candidates) => fill_by_rank(input, candidates, texts, config, budget),
        PackCandidates::Density(candidates) => fill_by_density(candidates, texts, config, budget),
    };
    let decisions = collect_decisions(input, &filled.items);
    let is_left_out = |decision: &PackDecision| decision.outcome == PackOutcome::LeftOut("budget");
    let trace = PackTrace {
        budget,
        tokens: filled.tokens,
        is_complete: !filled.is_shortened && !decisions.iter().any(is_left_out),
        phantoms: input.phantoms,
        exponent: filled.exponent,
        decisions,
    };
    build_report(input, config, filled.items, trace)
}

/// Returns the decisions about the candidates in rank order, then the decisions about noise.
fn collect_decisions(input: &PackInput<'_>, items: &[PackCandidate]) -> Vec<PackDecision> {
    let by_rank: BTreeMap<usize, &PackCandidate> =
        items.iter().filter_map(|item| Some((item.rank?, item))).collect();
    let mut decisions: Vec<PackDecision> = Vec::with_capacity(input.ranked.len() + input.noise.len());
    for (rank, ranked) in input.ranked.iter().enumerate() {
        let item = by_rank.get(&rank);
        let (outcome, tokens) = match item {
            Some(PackCandidate { chosen: Some(chosen), .. }) => {
                (PackOutcome::Shown(chosen.detail), chosen.tokens)
            }
            Some(item) if item.is_shown_elsewhere => (PackOutcome::LeftOut("shown"), 0),
            Some(item) => (PackOutcome::LeftOut("budget"), item.name.tokens),
            None => (PackOutcome::LeftOut("threshold"), 0),
        };
        let density = item.and_then(|item| item.density);
        decisions.push(PackDecision { symbol: ranked.symbol, density, outcome, tokens });
    }
    decisions.extend(input.noise.iter().map(|removed| PackDecision {
        symbol: removed.symbol,
        density: None,
        outcome: PackOutcome::LeftOut("noise"),
        tokens: 0,
    }));
    decisions
}

/// Lists the symbols in the pack and the candidates left out.
fn build_report(
    input: &PackInput<'_>,
    config: &PackConfig,
    items: Vec<PackCandidate>,
    trace: PackTrace,
) -> FittedPack {
    let mut omitted = Vec::new();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for decision in &trace.decisions {
        let PackOutcome::LeftOut(reason) = decision.outcome else { continue };
        *counts.entry(reason).or_insert(0) += 1;
        if omitted.len() < config.max_omitted
            && let Some(symbol) = input.snapshot.symbol(decision.symbol)
        {
            omitted.push(OmittedSymbol { name: symbol.qualified_name(), reason, tokens: decision.tokens });
        }
    }
    let with_rank = |item: PackCandidate| {
        let rank = item.rank.map(|rank| rank + 1);
        item.chosen.map(|chosen| PackSymbol { rank, ..chosen })
    };
    let mut symbols: Vec<PackSymbol> = items.into_iter().filter_map(with_rank).collect();
    sort_for_reading(&mut symbols);
    FittedPack { symbols, tokens: trace.tokens, omitted, omitted_counts: counts, trace }
}
