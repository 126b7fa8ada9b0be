//! Rates how well a workspace matches a question, as a factor of the scores of its hits.
//!
//! Ranks say nothing about whether the first hit is any good. The rule that decides whether a task
//! matches anything ([`crate::TaskMatch`]) was fitted on real tasks and on nonsense; its margin
//! becomes the factor.

use crate::config::MatchConfig;
use crate::task_match::TaskMatch;

/// The factor of a question that just matches. With the default least score of symbols, such a
/// question finds its best hit only, and one that does not match finds nothing.
pub(super) const BARE_MATCH: f64 = 0.5;

/// Returns the factor, from 0 to 1: at least one half exactly if the workspace matches.
pub(super) fn rate_match(found: &TaskMatch, rule: MatchConfig) -> f64 {
    if found.is_exact {
        return 1.0;
    }
    let margin = found.known + rule.strength * found.strength - rule.limit;
    let rated = BARE_MATCH + margin;
    if found.is_match { rated.clamp(BARE_MATCH, 1.0) } else { rated.clamp(0.0, BARE_MATCH.next_down()) }
}

#[cfg(test)]
mod tests {
    use super::rate_match;
    use crate::RankConfig;
    use crate::task_match::TaskMatch;

    fn rate(known: f64, strength: f64, is_exact: bool, is_match: bool) -> f64 {
        let rule = RankConfig::default().task_match.expect("the default judges tasks");
        rate_match(&TaskMatch { known, strength, is_exact, is_match }, rule)
    }

    #[test]
    fn only_a_match_is_rated_one_half_or_more() {
        assert_eq!(rate(0.0, 0.0, true, true), 1.0);
        assert_eq!(rate(0.2, 0.0, false, true), 0.5);
        assert_eq!(rate(0.0, 0.0, false, false), 0.0);
        assert!(rate(1.0, 0.9, false, false) < 0.5);
        let (weak, strong) = (rate(1.0, 0.1, false, true), rate(1.0, 0.4, false, true));
        assert!(0.5 < weak && weak < strong && strong < 1.0, "{weak} {strong}");
    }
}
