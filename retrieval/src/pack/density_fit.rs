//! The packing strategies `density`, `file-grouped` and `top-k`, which fill the budget greedily,
//! with less detail as it runs out (`docs/ranking.md`).
//!
//! They spend the budget in this order: the names of the top ranks, then their signatures; bodies
//! of the best symbols, up to a share of the budget; the other candidates, each with its signature
//! if that fits, else with its name. The strategies differ in the order of the other candidates: by
//! score per token, file by file, or by score.

use super::PackInput;
use super::budget_fit::{FilledBudget, PackCandidate, TokenBudget};
use super::declaration_text::PackTexts;
use super::excerpt::{LineRelevance, fit_item_text};
use crate::config::{PackConfig, PackStrategy};
use crate::parallel::par_halves;
use crate::path_role::is_secondary;
use crate::rank::RankedSymbol;
use rustc_hash::FxHashMap;

/// The candidates of these strategies.
pub(crate) struct DensityCandidates {
    /// The candidates, in rank order.
    items: Vec<PackCandidate>,
    /// The exponent of the walk's mass in the density.
    exponent: f64,
    /// The best score of the ranked list.
    top: f64,
}

impl DensityCandidates {
    /// Selects, describes and measures the candidates of a request.
    pub fn collect(input: &PackInput<'_>, config: &PackConfig) -> Self {
        let top = input.ranked.first().map_or(0.0, |r| r.score);
        let chosen = select_ranks(input, config, top);
        let exponent =
            (config.proximity + config.proximity_phantoms * input.phantoms).min(config.proximity_max);
        let items = par_halves(&chosen, |half| {
            half.iter().filter_map(|&rank| build_candidate(input, rank, exponent)).collect()
        });
        Self { items, exponent, top }
    }
}

/// Packs candidates into `budget` tokens.
pub(super) fn fill_by_density(
    candidates: &DensityCandidates,
    texts: &PackTexts<'_>,
    config: &PackConfig,
    budget: usize,
) -> FilledBudget {
    let &DensityCandidates { ref items, exponent, top } = candidates;
    let mut items = items.clone();
    let mut left = TokenBudget { remaining: budget };
    let first = config.guaranteed.min(items.len());
    for item in &mut items[..first] {
        left.try_replace(&mut item.chosen, &item.name);
    }
    for item in &mut items[..first] {
        if item.chosen.is_some() {
            left.try_replace(&mut item.chosen, &item.signature);
        }
    }
    add_bodies(texts, config, &mut items, &mut left, budget, top);
    for index in order_others(&items, config.strategy) {
        let item = &mut items[index];
        if !left.try_replace(&mut item.chosen, &item.signature) {
            left.try_replace(&mut item.chosen, &item.name);
        }
    }
    // Texts have limits of their own, which a larger budget hardly changes.
    FilledBudget { items, exponent, tokens: budget - left.remaining, is_shortened: false }
}

/// Returns the positions of the items that have no form yet, in the order in which they get one.
fn order_others(items: &[PackCandidate], strategy: PackStrategy) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).filter(|&at| items[at].chosen.is_none()).collect();
    match strategy {
        // The items are in rank order.
        PackStrategy::Rank | PackStrategy::TopK => {}
        PackStrategy::Density => {
            let density = |at: usize| items[at].density.unwrap_or_default();
            order.sort_by(|&a, &b| density(b).total_cmp(&density(a)).then(a.cmp(&b)));
        }
        PackStrategy::FileGrouped => {
            let mut best: FxHashMap<&str, usize> = FxHashMap::default();
            for (at, item) in items.iter().enumerate() {
                best.entry(&item.name.file).or_insert(at);
            }
            order.sort_by_key(|&at| (best[items[at].name.file.as_str()], at));
        }
    }
    order
}

/// Returns the ranks of the candidates that may enter the pack, in order: the best candidates by
/// score, and candidates that the walk found but no word matched. The latter include tests only if
/// the task mentions tests, because the walk reaches tests from nearly all code.
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
    let mut candidate = PackCandidate::describe_ranked(input, rank)?;
    let proximity = if ranked.walk > 0.0 { ranked.walk.powf(exponent) } else { 1.0 };
    candidate.density = Some(ranked.score / candidate.name.tokens.max(1) as f64 * proximity);
    Some(candidate)
}

/// Adds bodies to the best symbols, in rank order.
fn add_bodies(
    texts: &PackTexts<'_>,
    config: &PackConfig,
    items: &mut [PackCandidate],
    left: &mut TokenBudget,
    budget: usize,
    top: f64,
) {
    let mut body_budget = (config.bodies_share * budget as f64) as usize;
    let relevance = LineRelevance::default();
    let eligible = items.iter_mut().filter(|item| item.name.score > config.body_share * top);
    for item in eligible.take(config.max_bodies) {
        let Some(chosen) = &item.chosen else { continue };
        let limit = config.body_tokens.min(body_budget).min(left.remaining + chosen.tokens);
        let body = texts
            .read_symbol(item.name.symbol)
            .and_then(|text| fit_item_text(&item.name, &text, &relevance, &|_| false, limit));
        if let Some(body) = body
            && left.try_replace(&mut item.chosen, &body)
        {
            body_budget = body_budget.saturating_sub(body.tokens);
        }
    }
}
