//! Fits candidates into a budget: greedily by density, with less detail as the budget runs out
//! (`docs/ranking.md`).
//!
//! The budget is spent in this order: the names of the top ranks, then their signatures; bodies
//! of the best, up to a share of the budget; the other candidates by density, each with its
//! signature if that fits, else with its name.

use super::body::{declaration_lines, item_with_text, measure_tokens};
use super::{DetailLevel, OmittedSymbol, PackInput, PackSymbol, describe_symbol};
use crate::config::PackConfig;
use crate::parallel::par_halves;
use crate::path_role::is_secondary;
use crate::rank::RankedSymbol;
use kenning_graph::SymbolId;
use std::collections::BTreeMap;

/// The result of packing.
pub(crate) struct FittedPack {
    /// The symbols, in rank order.
    pub symbols: Vec<PackSymbol>,
    pub tokens: usize,
    pub omitted: Vec<OmittedSymbol>,
    pub omitted_counts: BTreeMap<&'static str, usize>,
    pub trace: PackTrace,
}

/// The record of the measurements and decisions of packing.
#[derive(Clone, Debug, PartialEq)]
pub struct PackTrace {
    /// The token budget.
    pub budget: usize,
    /// Tokens of the shown symbols.
    pub tokens: usize,
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
    /// The candidate is left out for this reason: `budget`, `noise` or `threshold`.
    LeftOut(&'static str),
}

/// A candidate with the cost of its cheap forms.
struct PackCandidate {
    /// Index in the ranked list.
    rank: usize,
    name: PackSymbol,
    signature: PackSymbol,
    density: f64,
    chosen: Option<PackSymbol>,
}

struct TokenBudget {
    remaining: usize,
}

impl TokenBudget {
    /// Replaces the form chosen for an item if the budget covers the difference, and returns
    /// whether it does.
    fn try_replace(&mut self, slot: &mut Option<PackSymbol>, new: &PackSymbol) -> bool {
        let old_tokens = slot.as_ref().map_or(0, |old| old.tokens);
        if new.tokens > self.remaining + old_tokens {
            return false;
        }
        self.remaining = self.remaining + old_tokens - new.tokens;
        *slot = Some(new.clone());
        true
    }
}

/// Packs the ranked candidates into `budget` tokens.
pub(crate) fn fit_budget(input: &PackInput<'_>, config: &PackConfig, budget: usize) -> FittedPack {
    let top = input.ranked.first().map_or(0.0, |r| r.score);
    let chosen = select_ranks(input, config, top);
    let exponent = (config.proximity + config.proximity_phantoms * input.phantoms).min(config.proximity_max);
    let mut items: Vec<PackCandidate> = par_halves(&chosen, |half| {
        half.iter().filter_map(|&rank| build_candidate(input, rank, exponent)).collect()
    });
    let mut remaining = TokenBudget { remaining: budget };
    let first = config.guaranteed.min(items.len());
    for item in &mut items[..first] {
        remaining.try_replace(&mut item.chosen, &item.name);
    }
    for item in &mut items[..first] {
        if item.chosen.is_some() {
            remaining.try_replace(&mut item.chosen, &item.signature);
        }
    }
    add_bodies(input, config, &mut items, &mut remaining, budget, top);
    let mut order: Vec<usize> = (0..items.len()).filter(|&i| items[i].chosen.is_none()).collect();
    order.sort_by(|&a, &b| items[b].density.total_cmp(&items[a].density).then(a.cmp(&b)));
    for i in order {
        let item = &mut items[i];
        if !remaining.try_replace(&mut item.chosen, &item.signature) {
            remaining.try_replace(&mut item.chosen, &item.name);
        }
    }
    let tokens = budget - remaining.remaining;
    let trace = PackTrace {
        budget,
        tokens,
        phantoms: input.phantoms,
        exponent,
        decisions: collect_decisions(input, &items),
    };
    build_report(input, config, items, trace)
}

/// Returns the indices of the candidates that may enter the pack, in order: the best by score, and
/// those that the walk found but no word matched. The latter include tests only if the task
/// mentions tests, because the walk reaches tests from nearly all code.
fn select_ranks(input: &PackInput<'_>, config: &PackConfig, top: f64) -> Vec<usize> {
    let ranked = input.ranked;
    let is_test = |r: &RankedSymbol| {
        !input.is_about_tests && input.snapshot.symbol(r.symbol).is_some_and(|s| is_secondary(&s))
    };
    let by_walk = |r: &RankedSymbol| r.fused.is_none();
    let direct = ranked.iter().enumerate().filter(|(_, r)| {
        r.is_above_threshold && (config.max_related == 0 || !by_walk(r)) && r.score >= config.min_share * top
    });
    let mut chosen: Vec<usize> = direct.map(|(i, _)| i).take(config.max_symbols).collect();
    let mut related: Vec<usize> = (0..ranked.len())
        .filter(|&i| by_walk(&ranked[i]) && ranked[i].is_above_threshold && !is_test(&ranked[i]))
        .collect();
    related.sort_by(|&a, &b| ranked[b].walk.total_cmp(&ranked[a].walk).then(a.cmp(&b)));
    chosen.extend(related.into_iter().take(config.max_related));
    chosen.sort_unstable();
    chosen
}

fn build_candidate(input: &PackInput<'_>, rank: usize, exponent: f64) -> Option<PackCandidate> {
    let ranked = &input.ranked[rank];
    let mut name = describe_symbol(input.snapshot, ranked)?;
    measure_tokens(&mut name);
    let mut signature = PackSymbol { detail: DetailLevel::Signature, ..name.clone() };
    measure_tokens(&mut signature);
    let proximity = if ranked.walk > 0.0 { ranked.walk.powf(exponent) } else { 1.0 };
    let density = ranked.score / name.tokens.max(1) as f64 * proximity;
    Some(PackCandidate { rank, name, signature, density, chosen: None })
}

/// Adds bodies to the best symbols, in rank order.
fn add_bodies(
    input: &PackInput<'_>,
    config: &PackConfig,
    items: &mut [PackCandidate],
    remaining: &mut TokenBudget,
    budget: usize,
    top: f64,
) {
    let mut body_budget = (config.bodies_share * budget as f64) as usize;
    let eligible = items.iter_mut().filter(|item| item.name.score > config.body_share * top);
    for item in eligible.take(config.max_bodies) {
        let Some(chosen) = &item.chosen else { continue };
        let limit = config.body_tokens.min(body_budget).min(remaining.remaining + chosen.tokens);
        let body = declaration_lines(input.snapshot, input.text, &item.name)
            .and_then(|text| item_with_text(&item.name, &text, limit));
        if let Some(body) = body
            && remaining.try_replace(&mut item.chosen, &body)
        {
            body_budget = body_budget.saturating_sub(body.tokens);
        }
    }
}

/// Returns the decisions about every candidate, in rank order, then those about noise.
fn collect_decisions(input: &PackInput<'_>, items: &[PackCandidate]) -> Vec<PackDecision> {
    // Items are in rank order.
    let mut items = items.iter().peekable();
    let mut decisions: Vec<PackDecision> = Vec::with_capacity(input.ranked.len() + input.noise.len());
    for (rank, ranked) in input.ranked.iter().enumerate() {
        let item = items.next_if(|item| item.rank == rank);
        let (outcome, tokens) = match item.map(|item| (&item.chosen, item.name.tokens)) {
            Some((Some(chosen), _)) => (PackOutcome::Shown(chosen.detail), chosen.tokens),
            Some((None, cheapest)) => (PackOutcome::LeftOut("budget"), cheapest),
            None => (PackOutcome::LeftOut("threshold"), 0),
        };
        let density = item.map(|item| item.density);
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
    let symbols = items.into_iter().filter_map(|item| item.chosen).collect();
    FittedPack { symbols, tokens: trace.tokens, omitted, omitted_counts: counts, trace }
}
