//! Hubs and authorities (Kleinberg 1999) over the best nodes of the walk (`docs/ranking.md`).

/// The authority and hub score of a node. The scores of all nodes have unit length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HitsScore {
    /// Authority score, high if good hubs point to the node.
    pub authority: f64,
    /// Hub score, high if the node points to good authorities.
    pub hub: f64,
}

/// Computes the scores of `nodes` nodes with directed, unweighted edges. Edges to other nodes are
/// ignored.
pub(crate) fn compute_hits(nodes: usize, edges: &[(u32, u32)], iterations: usize) -> Vec<HitsScore> {
    let valid: Vec<(usize, usize)> = edges
        .iter()
        .map(|&(from, to)| (from as usize, to as usize))
        .filter(|&(from, to)| from < nodes && to < nodes)
        .collect();
    let mut scores = vec![HitsScore { authority: 1.0, hub: 1.0 }; nodes];
    for _ in 0..iterations {
        let mut authority = vec![0.0; nodes];
        for &(from, to) in &valid {
            authority[to] += scores[from].hub;
        }
        normalize_length(&mut authority);
        let mut hub = vec![0.0; nodes];
        for &(from, to) in &valid {
            hub[from] += authority[to];
        }
        normalize_length(&mut hub);
        for (score, (authority, hub)) in scores.iter_mut().zip(authority.into_iter().zip(hub)) {
            *score = HitsScore { authority, hub };
        }
    }
    scores
}

fn normalize_length(values: &mut [f64]) {
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in values {
            *value /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_node_with_most_edges_to_it_is_the_authority_and_its_best_source_the_hub() {
        let scores = compute_hits(4, &[(0, 3), (1, 3), (2, 3), (0, 2), (9, 3)], 10);
        let best = |f: fn(&HitsScore) -> f64| (0..4).max_by(|&a, &b| f(&scores[a]).total_cmp(&f(&scores[b])));
        assert_eq!((best(|s| s.authority), best(|s| s.hub)), (Some(3), Some(0)));
    }

    #[test]
    fn without_edges_all_scores_are_zero() {
        assert_eq!(compute_hits(2, &[], 10), [HitsScore::default(); 2]);
        assert!(compute_hits(0, &[], 10).is_empty());
    }
}
