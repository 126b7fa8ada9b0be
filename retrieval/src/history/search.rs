//! Searches for commits that resemble a task, by BM25 over their messages on an absolute scale.

use super::{CommitHistory, Posting};
use crate::config::HistoryConfig;
use std::collections::BTreeMap;

impl CommitHistory {
    /// Returns the indices of at most `config.best` commits with their similarity, best first,
    /// equally similar commits newest first. The similarity is relative to the maximum score of a message, from 0 to a
    /// little above 1, so a weak match stays weak even if it is the best. Empty if no term has a
    /// weight.
    pub(super) fn similar_commits(
        &self,
        terms: &BTreeMap<String, f32>,
        config: &HistoryConfig,
    ) -> Vec<(u32, f64)> {
        let mut scores = vec![0.0f64; self.commits.len()];
        let mut max_score = 0.0;
        for (token, &weight) in terms {
            let (weight, idf) = (f64::from(weight), self.inverse_document_frequency(token));
            max_score += weight * idf.min(config.idf_cap);
            for &Posting { commit, count } in self.postings.get(token.as_str()).into_iter().flatten() {
                let count = f64::from(count);
                let length = f64::from(self.commits[commit as usize].length) / self.mean_length;
                let norm = config.k1 * (1.0 - config.b + config.b * length);
                scores[commit as usize] += weight * idf * count * (config.k1 + 1.0) / (count + norm);
            }
        }
        if max_score <= 0.0 {
            return Vec::new();
        }
        let scored = (0u32..).zip(scores).filter(|(_, score)| *score > 0.0);
        let mut found: Vec<(u32, f64)> =
            scored.map(|(commit, score)| (commit, score / (config.full_match * max_score))).collect();
        found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(config.best);
        found
    }

    /// Returns the inverse document frequency of a token among the messages.
    fn inverse_document_frequency(&self, token: &str) -> f64 {
        let all = self.commits.len() as f64;
        let with_token = self.postings.get(token).map_or(0, Vec::len) as f64;
        (1.0 + (all - with_token + 0.5) / (with_token + 0.5)).ln()
    }
}
