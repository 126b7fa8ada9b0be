//! The scorer of the curated set: compares the names of a ranked list with hand-picked names,
//! leniently (for comparison with published tables) and strictly.
//!
//! The lenient metrics let one result satisfy several truths and a bare name match anywhere. The
//! strict metrics credit each truth once, require a dotted suffix in the same case, and reject a
//! bare result for a qualified truth.

use super::curated_names::{matches_leniently, matches_strictly, parse_symbol};
use super::{ideal_gain, rank_discount};
use serde::{Deserialize, Serialize};

/// The names of the metrics in a row of [`score_names`], in order: four lenient ones, then the
/// strict ones.
pub const METRICS: [&str; 7] = ["P@10", "R@10", "NDCG@10", "MRR", "sP@10", "sR@10", "sNDCG@10"];

/// The column of `sP@10` in [`METRICS`].
pub const STRICT_P_10: usize = 4;

/// A task: a sentence and the names that answer it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct CuratedTask {
    /// Unique name of the task, which is the key of ranked lists.
    pub id: String,
    /// Short name of the repository, the folder under the corpus.
    pub repo: String,
    /// `easy`, `medium` or `hard`.
    pub tier: String,
    /// The task text.
    pub description: String,
    /// The names that answer the task, qualified or bare.
    pub ground_truth: Vec<String>,
}

/// Returns the metrics of one ranked list of names, best first, in the order of [`METRICS`]; all
/// zero for an empty list or a task without truths.
pub fn score_names(task: &CuratedTask, names: &[String]) -> [f64; METRICS.len()] {
    let truths: Vec<String> = task.ground_truth.iter().map(|truth| parse_symbol(truth)).collect();
    if truths.is_empty() {
        return [0.0; METRICS.len()];
    }
    let names: Vec<String> = names.iter().map(|name| parse_symbol(name)).collect();
    let top = &names[..names.len().min(10)];
    let hits = |name: &String| truths.iter().any(|truth| matches_leniently(name, truth));
    let relevant: Vec<bool> = top.iter().map(hits).collect();
    let found = truths.iter().filter(|truth| top.iter().any(|name| matches_leniently(name, truth))).count();
    let strict = strict_hits(top, &truths);
    let first = names.iter().position(hits);
    let ideal = ideal_gain(truths.len());
    [
        precision_at_ten(&relevant),
        found as f64 / truths.len() as f64,
        discounted_gain(&relevant) / ideal,
        first.map_or(0.0, |at| 1.0 / (at + 1) as f64),
        precision_at_ten(&strict),
        strict.iter().filter(|&&hit| hit).count() as f64 / truths.len() as f64,
        discounted_gain(&strict) / ideal,
    ]
}

/// Returns, for each result, whether it credits a truth that no earlier result has credited.
fn strict_hits(top: &[String], truths: &[String]) -> Vec<bool> {
    let mut uncredited: Vec<&String> = truths.iter().collect();
    let mut credit = |name: &String| {
        let at = uncredited.iter().position(|truth| matches_strictly(name, truth));
        at.map(|at| uncredited.remove(at)).is_some()
    };
    top.iter().map(&mut credit).collect()
}

/// Returns the number of hits divided by ten, even for a shorter list.
fn precision_at_ten(hits: &[bool]) -> f64 {
    hits.iter().filter(|&&hit| hit).count() as f64 / 10.0
}

fn discounted_gain(hits: &[bool]) -> f64 {
    (1..).zip(hits).filter(|(_, hit)| **hit).map(|(rank, _)| rank_discount(rank)).sum()
}

#[cfg(test)]
mod tests {
    use super::{CuratedTask, METRICS, score_names};

    fn score_row(truths: &[&str], names: &[&str]) -> [f64; METRICS.len()] {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let [id, repo, tier, description] = ["t", "caddy", "easy", "how"].map(str::to_owned);
        score_names(&CuratedTask { id, repo, tier, description, ground_truth: owned(truths) }, &owned(names))
    }

    #[test]
    fn one_result_satisfies_several_truths_only_leniently() {
        let [p, r, ndcg, mrr, strict_p, strict_r, strict_ndcg] =
            score_row(&["Encode.ServeHTTP", "Handler.ServeHTTP"], &["other", "ServeHTTP"]);
        assert_eq!((p, r, mrr), (0.1, 1.0, 0.5));
        assert_eq!(
            (strict_p, strict_r, strict_ndcg),
            (0.0, 0.0, 0.0),
            "a bare result does not match a qualified truth"
        );
        let gain = 3f64.log2().recip() / (1.0 + 3f64.log2().recip());
        assert!((ndcg - gain).abs() < 1e-12);
    }

    #[test]
    fn the_strict_figures_count_each_truth_once() {
        let [p, .., strict_p, strict_r, _] = score_row(&["Encode"], &["Encode", "encode.Encode"]);
        assert_eq!((p, strict_p, strict_r), (0.2, 0.1, 1.0));
    }

    #[test]
    fn only_the_reciprocal_rank_counts_hits_after_the_tenth() {
        let mut names = vec!["x"; 10];
        names.push("Encode");
        let [p, r, ndcg, mrr, ..] = score_row(&["Encode"], &names);
        assert_eq!((p, r, ndcg), (0.0, 0.0, 0.0));
        assert_eq!(mrr, 1.0 / 11.0);
    }

    #[test]
    fn no_names_or_no_truths_score_zero() {
        assert_eq!(score_row(&["Encode"], &[]), [0.0; METRICS.len()]);
        assert_eq!(score_row(&[], &["Encode"]), [0.0; METRICS.len()]);
    }
}
