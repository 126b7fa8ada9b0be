//! Keywords of a task text in three tiers of specificity (`docs/ranking.md`).
//!
//! [`KeywordSet::from_text`] collects the keywords in this order: identifiers in backquotes
//! (exact); words that are clearly code and the object of a leading verb (compounds); every word
//! with several parts (a compound), and its parts (components); pairs of neighboring words
//! (compounds). A keyword keeps the tier in which it was found first. [`path_terms`] and
//! [`mentions_tests`] read the same text to find folders and to learn whether it is about tests.

use super::vocabulary::VOCABULARY;
use crate::config::PathContextConfig;
use kenning_graph::analysis::word_parts;
use rustc_hash::FxHashSet;

/// Maximum number of words read from a text. The rest of a pasted log does not help a name search.
const MAX_WORDS: usize = 400;

/// Maximum length of a keyword, in characters. Encoded data in pasted text can be far longer.
const MAX_CHARS: usize = 100;

/// Maximum number of words that are searched for a mention of tests. A pasted log has millions.
const MAX_SEARCHED_WORDS: usize = 10_000;

/// Keywords in three tiers. Each keyword is in one tier only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeywordSet {
    /// Identifiers in backquotes, as written and in lower case.
    pub exact: Vec<String>,
    /// Compound identifiers, calls, dotted names, and pairs of words joined like identifiers.
    pub compounds: Vec<String>,
    /// Single words: the verb's object first, then the longest first.
    pub components: Vec<String>,
}

/// Collects keywords, keeping the first occurrence of each.
#[derive(Default)]
struct KeywordCollector {
    seen: FxHashSet<String>,
}

impl KeywordCollector {
    fn add_keyword(&mut self, tier: &mut Vec<String>, keyword: &str) {
        if !keyword.is_empty() && self.seen.insert(keyword.to_owned()) {
            tier.push(keyword.to_owned());
        }
    }

    /// Adds `keyword` as written and in lower case.
    fn add_both_cases(&mut self, tier: &mut Vec<String>, keyword: &str) {
        self.add_keyword(tier, keyword);
        self.add_keyword(tier, &keyword.to_lowercase());
    }
}

impl KeywordSet {
    /// Extracts the keywords of `text`.
    pub fn from_text(text: &str) -> Self {
        let mut set = Self::default();
        let mut collector = KeywordCollector::default();
        for quoted in backquoted_names(text) {
            collector.add_both_cases(&mut set.exact, quoted);
        }
        let words: Vec<&str> = text.split_whitespace().take(MAX_WORDS).collect();
        for word in &words {
            add_code_pattern(word, &mut collector, &mut set.compounds);
        }
        let mut priority = Vec::new();
        add_verb_object(&words, &mut collector, &mut set.compounds, &mut priority);
        let mut single = Vec::new();
        for word in &words {
            add_word_parts(word, &mut collector, &mut set.compounds, &mut single);
        }
        add_bigrams(&words, &mut collector, &mut set.compounds);
        single.sort_by_key(|w| std::cmp::Reverse(w.chars().count()));
        set.components = priority;
        set.components.extend(single);
        set
    }

    /// Returns the exact keywords, then the compounds.
    pub fn primary_keywords(&self) -> impl Iterator<Item = &str> {
        self.exact.iter().chain(&self.compounds).map(String::as_str)
    }

    /// Returns all keywords, most specific tier first.
    pub fn all_keywords(&self) -> impl Iterator<Item = &str> {
        self.primary_keywords().chain(self.components.iter().map(String::as_str))
    }

    /// Whether there are no keywords.
    pub fn is_empty(&self) -> bool {
        self.all_keywords().next().is_none()
    }
}

/// Returns the identifiers in backquotes: no white space, at most [`MAX_CHARS`] characters. Skips
/// fences of code blocks.
pub(crate) fn backquoted_names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut pieces = text.split('`');
    pieces.next();
    let mut inside = true;
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        // No quote closes the last piece.
        if inside && pieces.peek().is_some() {
            let is_candidate = !piece.is_empty() && piece.chars().nth(MAX_CHARS).is_none();
            if is_candidate && !piece.contains(char::is_whitespace) {
                found.push(piece);
            }
        }
        inside = !inside;
    }
    found
}

/// Removes punctuation around a word.
fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| ".,;:!?\"'`()[]{}#<>".contains(c))
}

fn is_mixed_case(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && word.chars().any(char::is_lowercase)
}

/// Adds a word that is clearly code: `name()`, `Class.method`, dotted names with an underscore.
fn add_code_pattern(word: &str, collector: &mut KeywordCollector, compounds: &mut Vec<String>) {
    let word = word.trim_end_matches(|c: char| ",;:!?\"'`]}.".contains(c));
    let word = word.trim_start_matches(|c: char| "\"'`([{.".contains(c));
    let (name, called) = match word.find('(') {
        Some(at) if word.ends_with(')') => (&word[..at], true),
        _ => (word.trim_end_matches(')'), false),
    };
    let name = name.trim_matches('.');
    let length = name.chars().count();
    let numeric = name.chars().all(|c| c.is_numeric() || c == '.');
    if !(3..=MAX_CHARS).contains(&length) || numeric || VOCABULARY.dotted_prose.contains(&name.to_lowercase())
    {
        return;
    }
    if name.contains(|c: char| !(c.is_alphanumeric() || "_.:$".contains(c))) {
        return;
    }
    let dotted = name.contains('.') || name.contains("::");
    let upper_first = name.chars().next().is_some_and(char::is_uppercase);
    if called || (dotted && (upper_first || name.contains('_') || name.contains("::"))) {
        collector.add_both_cases(compounds, name);
        if let Some(last) = name.rsplit(['.', ':']).next().filter(|last| *last != name) {
            collector.add_both_cases(compounds, last);
        }
    }
}

/// Adds the object of a leading action verb: the first word after the verb that is not a filler.
fn add_verb_object(
    words: &[&str],
    collector: &mut KeywordCollector,
    compounds: &mut Vec<String>,
    priority: &mut Vec<String>,
) {
    let vocabulary = &*VOCABULARY;
    let Some((first, rest)) = words.split_first() else { return };
    if !vocabulary.action_verbs.contains(&trim_punctuation(first).to_lowercase()) {
        return;
    }
    let mut objects = rest.iter().map(|w| trim_punctuation(w)).filter(|w| !w.is_empty());
    let Some(object) = objects.find(|w| !vocabulary.fillers.contains(&w.to_lowercase())) else { return };
    let lower = object.to_lowercase();
    if object.contains(['_', '.']) || is_compound(object) {
        collector.add_keyword(compounds, &lower);
        collector.add_keyword(compounds, object);
    } else if !vocabulary.stop_words.contains(&lower) && lower.chars().nth(1).is_some() {
        collector.add_keyword(priority, &lower);
        if lower.chars().nth(2).is_some() {
            collector.add_keyword(priority, &capitalize_word(&lower));
        }
    }
}

fn is_compound(word: &str) -> bool {
    is_mixed_case(word) && kenning_graph::analysis::is_compound(word)
}

fn capitalize_word(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// Adds a word: the whole word if it is a compound, and its parts.
fn add_word_parts(
    word: &str,
    collector: &mut KeywordCollector,
    compounds: &mut Vec<String>,
    components: &mut Vec<String>,
) {
    let vocabulary = &*VOCABULARY;
    let word = trim_punctuation(word);
    if word.is_empty() || word.chars().nth(MAX_CHARS).is_some() {
        return;
    }
    // Characters that join words in prose and paths (`read-only`, `async/await`) separate keywords.
    for piece in word.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')) {
        let piece = piece.trim_matches('.');
        let pieces: Vec<&str> = piece.split('.').flat_map(word_parts).collect();
        let lower = piece.to_lowercase();
        let prose = vocabulary.dotted_prose.contains(&lower)
            || piece.split('.').any(|p| p.chars().all(char::is_numeric));
        if !prose
            && pieces.len() > 1
            && !vocabulary.stop_words.contains(&lower)
            && lower.chars().nth(2).is_some()
        {
            collector.add_keyword(compounds, &lower);
            if is_mixed_case(piece) {
                collector.add_keyword(compounds, piece);
            }
        }
        for part in pieces {
            let part = part.to_lowercase();
            if part.chars().nth(1).is_none() || vocabulary.stop_words.contains(&part) {
                continue;
            }
            collector.add_keyword(components, &part);
            if let Some(long) = vocabulary.abbreviations.get(&part) {
                collector.add_keyword(components, long);
            }
        }
    }
}

/// Joins neighboring words like identifiers: `blast radius` gives `BlastRadius` and
/// `blast_radius`.
fn add_bigrams(words: &[&str], collector: &mut KeywordCollector, compounds: &mut Vec<String>) {
    let vocabulary = &*VOCABULARY;
    let plain: Vec<Option<String>> = words
        .iter()
        .map(|w| {
            let word = trim_punctuation(w).to_lowercase();
            let is_candidate = word.chars().nth(2).is_some()
                && word.chars().all(char::is_alphabetic)
                && !vocabulary.stop_words.contains(&word)
                && !vocabulary.fillers.contains(&word)
                && !vocabulary.action_verbs.contains(&word);
            is_candidate.then_some(word)
        })
        .collect();
    for pair in plain.windows(2) {
        let [Some(first), Some(second)] = pair else { continue };
        if first.chars().nth(3).is_none() && second.chars().nth(3).is_none() {
            continue;
        }
        collector.add_keyword(compounds, &format!("{}{}", capitalize_word(first), capitalize_word(second)));
        collector.add_keyword(compounds, &format!("{first}_{second}"));
    }
}

/// Returns the words that may name a folder or package: the longest words that are not everyday
/// words.
pub(crate) fn path_terms(text: &str, config: &PathContextConfig) -> Vec<String> {
    let mut seen = FxHashSet::default();
    let mut terms: Vec<String> = text
        .split_whitespace()
        .take(MAX_WORDS)
        .flat_map(|word| word.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .map(str::to_lowercase)
        .filter(|word| {
            word.chars().count() >= config.min_chars
                && word.len() <= MAX_CHARS
                && !word.chars().all(char::is_numeric)
                && !VOCABULARY.path_stop_words.contains(word)
        })
        .filter(|word| seen.insert(word.clone()))
        .collect();
    terms.sort_by_key(|w| std::cmp::Reverse(w.chars().count()));
    terms.truncate(config.max_terms);
    terms
}

/// Whether a task mentions tests. Only whole words count: "latest" and "specific" do not.
pub(crate) fn mentions_tests(text: &str) -> bool {
    kenning_graph::analysis::raw_words(text).take(MAX_SEARCHED_WORDS).any(|word| {
        let lower = word.to_lowercase();
        matches!(
            lower.as_str(),
            "test"
                | "tests"
                | "testing"
                | "spec"
                | "specs"
                | "mock"
                | "mocks"
                | "fixture"
                | "fixtures"
                | "assert"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let keywords = KeywordSet::from_text(text);
        expect.assert_eq(&format!(
            "exact: {}\ncompounds: {}\ncomponents: {}\n",
            keywords.exact.join(" "),
            keywords.compounds.join(" "),
            keywords.components.join(" ")
        ));
    }

    #[test]
    fn a_plain_task_gives_the_verbs_object_and_word_pairs() {
        check(
            "add a new MCP tool for snapshot diffing",
            expect![[r#"
            exact: 
            compounds: McpTool mcp_tool SnapshotDiffing snapshot_diffing
            components: mcp Mcp snapshot diffing tool
        "#]],
        );
    }

    #[test]
    fn backquoted_names_come_first() {
        check(
            "fix the `buildPythonImportMap` to handle relative imports",
            expect![[r#"
            exact: buildPythonImportMap buildpythonimportmap
            compounds: HandleRelative handle_relative RelativeImports relative_imports
            components: relative imports python handle build map
        "#]],
        );
    }

    #[test]
    fn calls_and_dotted_names_are_compounds_and_versions_are_not() {
        check(
            "ModelAdmin.get_inlines and QuerySet.annotate() break on 3.9, e.g. foo.bar, django.utils.html.escape_x",
            expect![[r#"
                exact: 
                compounds: ModelAdmin.get_inlines modeladmin.get_inlines get_inlines QuerySet.annotate queryset.annotate annotate django.utils.html.escape_x escape_x foo.bar
                components: inlines django escape model admin query break utils html foo bar
            "#]],
        );
    }

    #[test]
    fn any_text_is_a_valid_task() {
        check(
            "read-only user's c++ v2.0 async/await config: \"quotes NEAR( 🙂 `",
            expect![[r#"
                exact: 
                compounds: ConfigQuotes config_quotes QuotesNear quotes_near
                components: config quotes async await read only user near
            "#]],
        );
        check(
            "",
            expect![[r#"
            exact: 
            compounds: 
            components: 
        "#]],
        );
        check(
            "add the new",
            expect![[r#"
            exact: 
            compounds: 
            components: 
        "#]],
        );
        check(
            "cfg für größeMessen",
            expect![[r#"
            exact: 
            compounds: größemessen größeMessen FürGrößemessen für_größemessen
            components: config messen größe cfg für
        "#]],
        );
    }

    #[test]
    fn path_terms_are_the_longest_uncommon_words() {
        let config = crate::config::RankConfig::default().path_context;
        expect!["migration scheduler read"].assert_eq(
            &path_terms("fix the migration operation in the read-only scheduler", &config).join(" "),
        );
    }

    #[test]
    fn only_whole_words_mention_tests() {
        assert!(mentions_tests("Add a test for x"));
        assert!(!mentions_tests("the latest specific contest"));
    }
}
