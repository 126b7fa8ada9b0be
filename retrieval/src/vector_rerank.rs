//! Sorts the best candidates again by the cosine between their vectors and the vector of the task.
//!
//! Symbols without a vector keep their ranks, so that a missing vector never hides a result. Each
//! rank keeps its score; a component `vectors` explains the difference.

use crate::channels::ChannelInput;
use crate::rank::RankedSymbol;
use crate::score::{ScoreComponent, total_score};

/// Sorts the best candidates of a ranked list, if the configuration and the workspace have vectors.
pub(crate) fn sort_by_vectors(input: &ChannelInput<'_>, ranked: &mut [RankedSymbol]) {
    let config = &input.config.vectors;
    let top = config.rerank_top.min(ranked.len());
    let Some(vectors) = input.vectors.filter(|_| top > 0) else { return };
    let Some(task) = vectors.embed_question(&input.query.searchable_text) else { return };
    let original = config.rerank_original.clamp(0.0, 1.0);
    let cosine_of = |entry: &RankedSymbol| {
        vectors.index.cosine_of_symbol(&input.snapshot.symbol(entry.symbol)?, &task).map(f64::from)
    };
    // The ranks of candidates with vectors, with the values that determine their new order.
    let rated: Vec<(usize, f64)> = ranked[..top]
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| {
            let before = 1.0 - at as f64 / top as f64;
            Some((at, original * before + (1.0 - original) * cosine_of(entry)?))
        })
        .collect();
    let mut order = rated.clone();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let moved: Vec<RankedSymbol> = rated
        .iter()
        .zip(&order)
        .map(|((rank, _), (old_rank, _))| {
            let mut entry = ranked[*old_rank].clone();
            if rank != old_rank {
                let value = ranked[*rank].score - entry.score;
                entry.components.push(ScoreComponent { name: "vectors", value });
                entry.score = total_score(&entry.components);
            }
            entry
        })
        .collect();
    for ((rank, _), entry) in rated.into_iter().zip(moved) {
        ranked[rank] = entry;
    }
}
