//! The keywords of a task for which uses of symbols are remembered (`docs/ranking.md`, "Learning").

use super::vocabulary::VOCABULARY;
use super::{KeywordSet, truncate_text};
use crate::config::RankConfig;
use std::collections::BTreeSet;

/// Maximum number of keywords that a task teaches. A pasted log has hundreds of words.
const MAX_KEYWORDS: usize = 32;

/// Minimum length of a keyword in characters. Shorter words have too many meanings.
const MIN_CHARS: usize = 3;

/// A keyword of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskKeyword {
    /// The keyword, in lower case.
    pub word: String,
    /// The reason why no use is remembered for it: `noise word`, `short`, `number` or `limit`;
    /// `None` if uses are remembered.
    pub rejection: Option<&'static str>,
}

/// Returns the keywords of a task that are worth remembering, most specific first, each once.
pub fn learning_keywords(task: &str, config: &RankConfig) -> Vec<String> {
    let keywords = task_keywords(task, config).into_iter();
    keywords.filter(|keyword| keyword.rejection.is_none()).map(|keyword| keyword.word).collect()
}

/// Returns the identifiers in backquotes and the single words of a task, most specific first, each
/// once, and whether uses are remembered for them.
pub fn task_keywords(task: &str, config: &RankConfig) -> Vec<TaskKeyword> {
    let keywords = KeywordSet::from_text(truncate_text(task.trim(), config.query.max_bytes));
    let words = keywords.exact.iter().chain(&keywords.components).map(|word| word.to_lowercase());
    let mut seen = BTreeSet::new();
    let mut kept = 0;
    let classify = |word: String| {
        let rejection = reject_word(&word).or((kept >= MAX_KEYWORDS).then_some("limit"));
        kept += usize::from(rejection.is_none());
        TaskKeyword { word, rejection }
    };
    words.filter(|word| seen.insert(word.clone())).map(classify).collect()
}

/// Returns the reason why no use is remembered for a word.
fn reject_word(word: &str) -> Option<&'static str> {
    if word.chars().all(|c| c.is_numeric() || c == '.') {
        Some("number")
    } else if word.chars().count() < MIN_CHARS {
        Some("short")
    } else if VOCABULARY.learning_noise.contains(word) || VOCABULARY.stop_words.contains(word) {
        Some("noise word")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_the_domain_are_remembered() {
        let config = RankConfig::default();
        let keywords = |task: &str| learning_keywords(task, &config).join(" ");
        assert_eq!(keywords("find whether the payment is not settled"), "payment settled");
        assert_eq!(keywords("Payment and PAYMENT in `settle_ledger`"), "settle_ledger payment settle ledger");
        assert_eq!(keywords("use it if not"), "");
        let rejected = task_keywords("use HTTP 404 in io", &config);
        let rejected: Vec<(&str, Option<&str>)> =
            rejected.iter().map(|keyword| (keyword.word.as_str(), keyword.rejection)).collect();
        assert_eq!(
            rejected,
            [("http", None), ("use", Some("noise word")), ("404", Some("number")), ("io", Some("short"))]
        );
    }

    #[test]
    fn a_pasted_log_teaches_a_limited_number_of_words() {
        let config = RankConfig::default();
        let task: String = (0..100)
            .map(|n| {
                format!("word{} ", char::from(b'a' + n % 26).to_string().repeat(1 + usize::from(n) / 26))
            })
            .collect();
        assert_eq!(learning_keywords(&task, &config).len(), MAX_KEYWORDS);
        assert!(task_keywords(&task, &config).iter().any(|keyword| keyword.rejection == Some("limit")));
    }
}
