//! What a session was shown lately: each showing counts half after three minutes (seed 000 §7).

use kenning_graph::Hash;
use kenning_retrieval::config::EvidenceConfig;
use kenning_retrieval::session_boost;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Instant;

/// When the symbols of one folder were shown to one client.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// Newest first.
    shown: FxHashMap<Hash, VecDeque<Instant>>,
}

impl Recent {
    /// Notes that symbols were shown; forgets what no longer counts.
    pub fn record(&mut self, symbols: impl IntoIterator<Item = Hash>, now: Instant, config: &EvidenceConfig) {
        self.shown.retain(|_, times| boost(times, now, config) > 0.0);
        for symbol in symbols {
            let times = self.shown.entry(symbol).or_default();
            times.push_front(now);
            times.truncate(config.session_uses);
        }
    }

    /// The boosts at this moment.
    pub fn boosts(&self, now: Instant, config: &EvidenceConfig) -> FxHashMap<Hash, f64> {
        let boosts = self.shown.iter().map(|(symbol, times)| (*symbol, boost(times, now, config)));
        boosts.filter(|(_, boost)| *boost > 0.0).collect()
    }
}

fn boost(times: &VecDeque<Instant>, now: Instant, config: &EvidenceConfig) -> f64 {
    session_boost(config, times.iter().map(|time| now.saturating_duration_since(*time).as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_was_shown_counts_half_after_three_minutes_and_is_forgotten() {
        let config = EvidenceConfig::seeds();
        let (one, two) = (Hash::of_content(b"one"), Hash::of_content(b"two"));
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut recent = Recent::default();
        recent.record([one, two], at(0), &config);
        recent.record([one], at(180), &config);
        let boosts = recent.boosts(at(180), &config);
        assert_eq!((boosts[&one], boosts[&two]), (1.5, 0.5));
        for _ in 0..30 {
            recent.record([one], at(200), &config);
        }
        assert_eq!(recent.boosts(at(200), &config)[&one], 2.0);
        assert_eq!(recent.shown[&one].len(), 20);
        assert_eq!(recent.boosts(at(9000), &config).len(), 0);
        recent.record([], at(9000), &config);
        assert_eq!(recent.shown.len(), 0, "no memory is kept for what counts nothing");
    }
}
