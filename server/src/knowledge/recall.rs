//! Ranks the notes, tasks and skills that a text is about.
//!
//! Entries are few, so a search scores each of them without an index. The tokens are those of the
//! text index (parts of identifiers, stems). The score of an entry is the larger of two numbers
//! from 0 to 1:
//!
//! * how much of the text the entry covers: BM25 (k1 1.2, b 0.75; Robertson, Zaragoza 2009, "The
//!   Probabilistic Relevance Framework") divided by the score of an entry of average length that
//!   has each token of the text once. A token that an entry repeats does not make up for another
//!   one that it lacks; and
//! * how much of the entry's title or of one of its phrases the text covers, by the weights of
//!   their tokens. This finds a short entry for a long text.
//!
//! Both are divided by the best possible and not by the best found, so that a text that is about
//! nothing here finds nothing.

use super::entry::{EntryDetails, KnowledgeEntry};
use kenning_graph::analysis::{Analyzer, raw_words};
use std::collections::{BTreeMap, BTreeSet};

/// BM25's saturation of repeated tokens.
const K1: f64 = 1.2;
/// BM25's normalization by length.
const B: f64 = 0.75;
/// The score from which an entry counts as found.
pub const MIN_SCORE: f64 = 0.3;

/// Limits on the returned entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecallLimits {
    /// Maximum number of entries. Entries with a trigger in the text do not count.
    pub max_entries: usize,
    /// Smallest score, from 0 to 1.
    pub min_score: f64,
}

impl Default for RecallLimits {
    fn default() -> Self {
        Self { max_entries: 5, min_score: MIN_SCORE }
    }
}

/// An entry that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecalledEntry<'e> {
    /// The entry.
    pub entry: &'e KnowledgeEntry,
    /// The fit to the text, from 0 to 1.
    pub score: f64,
    /// The trigger of a skill that the text contains.
    pub trigger: Option<&'e str>,
}

/// The number of occurrences of each token.
type TokenCounts = BTreeMap<String, u32>;

/// Finds the entries that a text is about, best first. Skills with a trigger that the text contains
/// come before all others, whatever their score, and are never left out.
pub fn search_entries<'e>(
    query: &str,
    entries: &'e [KnowledgeEntry],
    limits: RecallLimits,
) -> Vec<RecalledEntry<'e>> {
    let mut analyzer = Analyzer::default();
    let query_tokens: BTreeSet<String> = count_tokens(&mut analyzer, [query]).into_keys().collect();
    let query_words: Vec<String> = raw_words(query).map(str::to_lowercase).collect();
    let documents: Vec<TokenCounts> =
        entries.iter().map(|entry| count_tokens(&mut analyzer, searched_texts(entry))).collect();
    let weights = TokenWeights::new(&documents);
    let mut found: Vec<(RecalledEntry<'e>, f64)> = Vec::new();
    for (entry, document) in entries.iter().zip(&documents) {
        let (query_coverage, strength) = weights.coverage_of_query(&query_tokens, document);
        let phrase_coverages = key_phrases(entry)
            .map(|phrase| weights.coverage_of_phrase(&count_tokens(&mut analyzer, [phrase]), &query_tokens));
        let score = phrase_coverages.fold(query_coverage, f64::max);
        let trigger = find_trigger(entry, &query_words);
        if trigger.is_some() || score >= limits.min_score {
            found.push((RecalledEntry { entry, score, trigger }, strength));
        }
    }
    found.sort_by(|(a, strength), (b, other_strength)| {
        let order = b.trigger.is_some().cmp(&a.trigger.is_some()).then(b.score.total_cmp(&a.score));
        order.then(other_strength.total_cmp(strength)).then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    let mut found: Vec<RecalledEntry<'e>> = found.into_iter().map(|(found, _)| found).collect();
    let triggered = found.iter().filter(|found| found.trigger.is_some()).count();
    found.truncate(limits.max_entries.max(triggered));
    found
}

/// Returns the texts of an entry that the search covers.
fn searched_texts(entry: &KnowledgeEntry) -> Vec<&str> {
    let mut texts = vec![entry.title.as_str()];
    texts.extend(entry.tags.iter().map(String::as_str));
    match &entry.details {
        EntryDetails::Note | EntryDetails::Task(_) => texts.push(&entry.body),
        // The steps of a skill say how to do something, not when.
        EntryDetails::Skill(skill) => {
            texts.push(&skill.description);
            texts.extend(skill.triggers.iter().map(String::as_str));
        }
    }
    texts
}

/// Returns the short texts that describe the subject of an entry.
fn key_phrases(entry: &KnowledgeEntry) -> impl Iterator<Item = &str> {
    let triggers = entry.skill_details().into_iter().flat_map(|skill| &skill.triggers);
    [entry.title.as_str()].into_iter().chain(triggers.map(String::as_str))
}

fn count_tokens<'t>(analyzer: &mut Analyzer, texts: impl IntoIterator<Item = &'t str>) -> TokenCounts {
    let mut counts = TokenCounts::new();
    for text in texts {
        analyzer.for_each_token(text, |token| *counts.entry(token.to_owned()).or_default() += 1);
    }
    counts
}

/// Returns the first trigger whose words follow each other in the text.
fn find_trigger<'e>(entry: &'e KnowledgeEntry, query_words: &[String]) -> Option<&'e str> {
    let triggers = &entry.skill_details()?.triggers;
    triggers.iter().map(String::as_str).find(|trigger| {
        let words: Vec<String> = raw_words(trigger).map(str::to_lowercase).collect();
        !words.is_empty() && query_words.windows(words.len()).any(|window| window == words)
    })
}

/// The weights of tokens: the fewer entries have a token, the more it weighs.
struct TokenWeights {
    documents: f64,
    average_length: f64,
    frequencies: BTreeMap<String, u32>,
}

impl TokenWeights {
    fn new(documents: &[TokenCounts]) -> Self {
        let mut frequencies = BTreeMap::new();
        for token in documents.iter().flat_map(BTreeMap::keys) {
            *frequencies.entry(token.clone()).or_default() += 1;
        }
        let lengths: u32 = documents.iter().flat_map(BTreeMap::values).sum();
        let count = documents.len().max(1) as f64;
        Self { documents: count, average_length: (f64::from(lengths) / count).max(1.0), frequencies }
    }

    /// Returns the inverse document frequency of a token.
    fn token_weight(&self, token: &str) -> f64 {
        let frequency = f64::from(self.frequencies.get(token).copied().unwrap_or_default());
        ((self.documents - frequency + 0.5) / (frequency + 0.5) + 1.0).ln()
    }

    /// Returns the share of the query that a document covers, and its BM25 score.
    fn coverage_of_query(&self, query: &BTreeSet<String>, document: &TokenCounts) -> (f64, f64) {
        let length = f64::from(document.values().sum::<u32>());
        let norm = K1 * (1.0 - B + B * length / self.average_length);
        let (mut covered, mut score, mut best) = (0.0, 0.0, 0.0);
        for token in query {
            let weight = self.token_weight(token);
            let count = f64::from(document.get(token).copied().unwrap_or_default());
            let saturated = count * (K1 + 1.0) / (count + norm);
            covered += weight * saturated.min(1.0);
            score += weight * saturated;
            best += weight;
        }
        (if best > 0.0 { covered / best } else { 0.0 }, score)
    }

    /// Returns the share of a phrase that the query covers.
    fn coverage_of_phrase(&self, phrase: &TokenCounts, query: &BTreeSet<String>) -> f64 {
        let (mut covered, mut whole) = (0.0, 0.0);
        for token in phrase.keys() {
            let weight = self.token_weight(token);
            whole += weight;
            covered += if query.contains(token) { weight } else { 0.0 };
        }
        if whole > 0.0 { covered / whole } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::{EntryKind, SkillDetails, TaskDetails};
    use super::*;

    fn entry(kind: EntryKind, id: &str, title: &str, body: &str, details: EntryDetails) -> KnowledgeEntry {
        let (path, tags, links) = (format!("k/{id}.md"), Vec::new(), Vec::new());
        KnowledgeEntry {
            kind,
            id: id.into(),
            path,
            title: title.into(),
            tags,
            details,
            links,
            body: body.into(),
        }
    }

    fn skill(id: &str, title: &str, description: &str, triggers: &[&str]) -> KnowledgeEntry {
        let details = SkillDetails {
            description: description.into(),
            triggers: triggers.iter().map(|&trigger| trigger.into()).collect(),
            ..SkillDetails::default()
        };
        entry(EntryKind::Skill, id, title, "lasagna", EntryDetails::Skill(details))
    }

    fn base() -> Vec<KnowledgeEntry> {
        vec![
            skill("release", "Release a version", "Tag, build and publish a new version", &["cut a release"]),
            skill(
                "migrate",
                "Write a migration",
                "Change the database schema with a migration",
                &["schema change"],
            ),
            skill("debug", "Debug flaky tests", "Find why a test fails only sometimes", &["flaky test"]),
            entry(
                EntryKind::Note,
                "retry",
                "Retry policy",
                "The HttpClient retries requests on 503.",
                EntryDetails::Note,
            ),
            entry(
                EntryKind::Task,
                "login",
                "Fix login",
                "Users cannot log in.",
                EntryDetails::Task(TaskDetails::default()),
            ),
        ]
    }

    fn ids(query: &str) -> Vec<String> {
        let base = base();
        search_entries(query, &base, RecallLimits::default())
            .iter()
            .map(|found| found.entry.id.clone())
            .collect()
    }

    #[test]
    fn entries_are_found_by_what_they_are_about() {
        assert_eq!(ids("publish a new version"), ["release"]);
        assert_eq!(ids("why does httpClient retry the request"), ["retry"]);
        assert_eq!(ids("fix the login page"), ["login"]);
        let long = "We need to add a column to the orders table. The migration has to run without downtime, and \
                    the old column stays until every server reads the new one.";
        assert_eq!(ids(long), ["migrate"]);
    }

    #[test]
    fn nonsense_finds_nothing() {
        for nonsense in ["", "the of", "recipe for lasagna with béchamel", "purple elephants", "!?"] {
            assert_eq!(ids(nonsense), [""; 0], "{nonsense}");
        }
        assert!(search_entries("release", &[], RecallLimits::default()).is_empty());
    }

    #[test]
    fn a_trigger_that_the_text_contains_comes_first() {
        let base = base();
        let found = search_entries(
            "Fix the login after a SCHEMA-change, it fails since then and nobody knows why",
            &base,
            RecallLimits { max_entries: 1, ..RecallLimits::default() },
        );
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].entry.id.as_str(), found[0].trigger), ("migrate", Some("schema change")));
        assert_eq!(ids("the schema must change"), ["migrate"], "the entry is found without its trigger");
        let found = search_entries("schemas changed", &base, RecallLimits::default());
        assert!(found.iter().all(|found| found.trigger.is_none()));
    }

    #[test]
    fn a_repeated_word_does_not_make_up_for_a_missing_one() {
        let note = |id: &str, body: &str| entry(EntryKind::Note, id, "Title", body, EntryDetails::Note);
        let base = [note("once", "cache eviction"), note("often", &"cache ".repeat(50))];
        let found = search_entries("cache eviction", &base, RecallLimits::default());
        assert_eq!((found[0].entry.id.as_str(), found.len()), ("once", 1), "{:?}", found.get(1));
        let base = [note("a", "cache eviction"), note("b", &"cache eviction ".repeat(5))];
        let found = search_entries("cache eviction", &base, RecallLimits::default());
        assert_eq!(found[0].entry.id, "b", "the entry that repeats the words ranks first");
    }

    #[test]
    fn scores_are_from_0_to_1_and_in_order() {
        let base = base();
        let all = RecallLimits { max_entries: 9, min_score: 0.0 };
        for query in ["release release version", "fix flaky login tests on 503", "x"] {
            let found = search_entries(query, &base, all);
            assert_eq!(found.len(), base.len());
            assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.score)));
            assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }
}
