//! The symbols that a session was shown recently. The weight of each showing halves every three
//! minutes.
//!
//! A repeated question shows nothing new: it does not count twice, and its own earlier showings do
//! not affect it. A client that repeats a question therefore gets the same pack, or `unchanged` if
//! it names the pack that it has.

use kenning_graph::Hash;
use kenning_retrieval::config::EvidenceConfig;
use kenning_retrieval::session_boost;
use std::collections::{HashMap, VecDeque};
use std::time::Instant;

/// The times at which symbols of one folder were shown to one client.
#[derive(Clone, Debug, Default)]
pub struct RecentlyShown {
    /// The showings of each symbol, newest first, one per cluster of questions.
    shown: HashMap<Hash, VecDeque<ShowEvent>>,
}

/// One showing of a symbol.
#[derive(Clone, Copy, Debug)]
struct ShowEvent {
    at: Instant,
    /// The cluster of the question; `None` for a question without keywords.
    cluster: Option<Hash>,
}

impl RecentlyShown {
    /// Records that a question showed symbols, and removes showings that no longer count.
    pub fn record_shown(
        &mut self,
        symbols: impl IntoIterator<Item = Hash>,
        cluster: Option<Hash>,
        now: Instant,
        config: &EvidenceConfig,
    ) {
        self.shown.retain(|_, times| recency_boost(times.iter(), now, config) > 0.0);
        for symbol in symbols {
            let times = self.shown.entry(symbol).or_default();
            times.retain(|event| event.cluster != cluster);
            times.push_front(ShowEvent { at: now, cluster });
            times.truncate(config.session_uses);
        }
    }

    /// Returns the boosts for a question at this moment, without the showings of its own cluster.
    pub fn boosts_for_cluster(
        &self,
        cluster: Option<Hash>,
        now: Instant,
        config: &EvidenceConfig,
    ) -> HashMap<Hash, f64> {
        let boost_from_other_clusters = |times: &VecDeque<ShowEvent>| {
            recency_boost(times.iter().filter(|event| event.cluster != cluster), now, config)
        };
        let boosts = self.shown.iter().map(|(symbol, times)| (*symbol, boost_from_other_clusters(times)));
        boosts.filter(|(_, boost)| *boost > 0.0).collect()
    }
}

fn recency_boost<'a>(
    times: impl Iterator<Item = &'a ShowEvent>,
    now: Instant,
    config: &EvidenceConfig,
) -> f64 {
    session_boost(config, times.map(|event| now.saturating_duration_since(event.at).as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn hash(text: &str) -> Hash {
        Hash::from_content(text.as_bytes())
    }

    #[test]
    fn the_weight_of_a_showing_halves_every_three_minutes_until_it_is_dropped() {
        let config = EvidenceConfig::seeds_preset();
        let (one, two) = (hash("one"), hash("two"));
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut recent = RecentlyShown::default();
        recent.record_shown([one, two], Some(hash("first")), at(0), &config);
        recent.record_shown([one], Some(hash("second")), at(180), &config);
        let boosts = recent.boosts_for_cluster(Some(hash("third")), at(180), &config);
        assert_eq!((boosts[&one], boosts[&two]), (1.5, 0.5));
        for number in 0..30 {
            recent.record_shown([one], Some(hash(&number.to_string())), at(200), &config);
        }
        assert_eq!(recent.boosts_for_cluster(None, at(200), &config)[&one], 2.0);
        assert_eq!(recent.shown[&one].len(), 20);
        assert_eq!(recent.boosts_for_cluster(None, at(9000), &config).len(), 0);
        recent.record_shown([], None, at(9000), &config);
        assert_eq!(recent.shown.len(), 0, "showings without weight are dropped");
    }

    #[test]
    fn a_repeated_question_counts_once_and_does_not_boost_itself() {
        let config = EvidenceConfig::seeds_preset();
        let (symbol, now) = (hash("one"), Instant::now());
        let mut recent = RecentlyShown::default();
        for _ in 0..5 {
            recent.record_shown([symbol], Some(hash("task")), now, &config);
        }
        assert_eq!(recent.boosts_for_cluster(Some(hash("task")), now, &config).len(), 0);
        assert_eq!(recent.boosts_for_cluster(Some(hash("other")), now, &config)[&symbol], 1.0);
    }
}
