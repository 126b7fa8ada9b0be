//! Rates how well a workspace matches a question, as a factor of the scores of its hits.
//!
//! Ranks do not tell whether the first hit is any good. The rule that decides whether a task
//! matches anything ([`crate::TaskMatch`]) was fitted on real tasks and on nonsense. Its margin
//! becomes the factor.

use crate::config::MatchConfig;
use crate::task_match::TaskMatch;

/// The factor of a question that just matches. With the default minimum score of symbols, such a
/// question finds only its best hit, and a question that does not match finds nothing.
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

    fn rate(found: TaskMatch) -> f64 {
        rate_match(&found, RankConfig::default().task_match.expect("the default judges tasks"))
    }

    #[test]
    fn only_a_match_is_rated_one_half_or_more() {
        let mismatch = TaskMatch { known: 0.0, strength: 0.0, is_exact: false, is_match: false };
        let matching = TaskMatch { is_match: true, ..mismatch };
        assert_eq!(rate(TaskMatch { is_exact: true, ..matching }), 1.0);
        assert_eq!(rate(TaskMatch { known: 0.2, ..matching }), 0.5);
        assert_eq!(rate(mismatch), 0.0);
        assert!(rate(TaskMatch { known: 1.0, strength: 0.9, ..mismatch }) < 0.5);
        let weak = rate(TaskMatch { known: 1.0, strength: 0.1, ..matching });
        let strong = rate(TaskMatch { known: 1.0, strength: 0.4, ..matching });
        assert!(0.5 < weak && weak < strong && strong < 1.0, "{weak} {strong}");
    }
}
