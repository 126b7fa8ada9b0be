//! The thesaurus: clusters of words for the same concept, read from `data/thesaurus.toml`
//! (`docs/ranking.md`).

use super::keywords::KeywordSet;
use super::terms::QueryTerm;
use crate::config::{TextConfig, TextQueryKind};
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::sync::LazyLock;

/// The contents of `data/thesaurus.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThesaurusFile {
    cluster: Vec<WordCluster>,
}

/// A cluster of words for the same concept, as written in the data.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordCluster {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the cluster for people; a test reads it"))]
    id: String,
    words: Vec<String>,
}

/// Clusters of stems, and the indices of the clusters that contain each stem.
struct Thesaurus {
    clusters: Vec<Vec<String>>,
    clusters_by_stem: FxHashMap<String, Vec<usize>>,
}

fn parse_data_file() -> ThesaurusFile {
    toml::from_str(include_str!("../../data/thesaurus.toml")).expect("thesaurus.toml is checked by a test")
}

static THESAURUS: LazyLock<Thesaurus> = LazyLock::new(|| {
    let mut analyzer = Analyzer::default();
    let mut thesaurus = Thesaurus { clusters: Vec::new(), clusters_by_stem: FxHashMap::default() };
    for cluster in parse_data_file().cluster {
        let mut stems: Vec<String> = Vec::new();
        for word in &cluster.words {
            if let Some(stem) = analyzer.stem_part(word)
                && !stems.iter().any(|known| known == stem)
            {
                stems.push(stem.to_owned());
            }
        }
        for stem in &stems {
            thesaurus.clusters_by_stem.entry(stem.clone()).or_default().push(thesaurus.clusters.len());
        }
        thesaurus.clusters.push(stems);
    }
    thesaurus
});

/// A synonym: a word for the same concept as a word of the task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskSynonym {
    /// The stem of the task's word.
    pub task_stem: String,
    /// The stem to search for.
    pub token: String,
    /// Factor of its contribution.
    pub weight: f32,
}

/// Returns the synonyms of a task's words that occur in the index. The query kind of the
/// configuration determines the words. Synonyms of the first words come first.
pub(crate) fn find_synonyms(
    config: &TextConfig,
    keywords: &KeywordSet,
    terms: &[QueryTerm],
    frequency: impl Fn(&str) -> u32,
) -> Vec<TaskSynonym> {
    if config.thesaurus.weight <= 0.0 {
        return Vec::new();
    }
    let words: Vec<(String, f32)> = match config.query {
        TextQueryKind::Weighted => {
            let stems = terms.iter().filter(|term| !term.token.starts_with(WHOLE_TOKEN_PREFIX));
            stems.map(|term| (term.token.clone(), term.weight)).collect()
        }
        TextQueryKind::Keywords => {
            let mut analyzer = Analyzer::default();
            let stems =
                keywords.components.iter().filter_map(|word| analyzer.stem_part(word).map(str::to_owned));
            stems.map(|stem| (stem, 1.0)).collect()
        }
    };
    let thesaurus = &*THESAURUS;
    let mut known: FxHashSet<&str> = words.iter().map(|(stem, _)| stem.as_str()).collect();
    let mut found = Vec::new();
    for (stem, weight) in &words {
        let clusters = thesaurus.clusters_by_stem.get(stem).into_iter().flatten();
        for token in clusters.flat_map(|&cluster| &thesaurus.clusters[cluster]) {
            if found.len() < config.thesaurus.max_terms && known.insert(token) && frequency(token) > 0 {
                let weight = weight * config.thesaurus.weight;
                found.push(TaskSynonym { task_stem: stem.clone(), token: token.clone(), weight });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankConfig;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn clusters_are_short_lists_of_lower_case_words() {
        let clusters = parse_data_file().cluster;
        assert!(clusters.len() >= 80, "{} clusters", clusters.len());
        let ids: BTreeSet<&str> = clusters.iter().map(|cluster| cluster.id.as_str()).collect();
        assert_eq!(ids.len(), clusters.len());
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for cluster in &clusters {
            assert!((3..=10).contains(&cluster.words.len()), "{}", cluster.id);
            for word in &cluster.words {
                assert!(word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{word}");
                *uses.entry(word).or_default() += 1;
            }
        }
        for (word, uses) in uses {
            assert!(uses <= 2, "{word} is in {uses} clusters");
        }
    }

    fn synonyms_of_task(config: &RankConfig, task: &str, known: &[&str]) -> Vec<String> {
        let keywords = KeywordSet::from_text(task);
        let frequency = |token: &str| u32::from(known.contains(&token) || task.contains(token));
        let terms = {
            let weights = super::super::terms::token_weights(
                &super::super::AnnotatedText::from_plain(task),
                &config.query,
            );
            super::super::terms::weighted_terms(&weights, task, &config.query, 100, frequency)
        };
        let found = find_synonyms(&config.text, &keywords, &terms, frequency);
        found.iter().map(|s| format!("{} {} {:.2}", s.task_stem, s.token, s.weight)).collect()
    }

    #[test]
    fn both_query_kinds_use_synonyms_that_the_index_contains() {
        let known = ["login", "credenti"];
        assert_eq!(
            synonyms_of_task(&RankConfig::seeds_preset(), "auth broken", &known),
            ["auth login 1.00", "auth credenti 1.00"]
        );
        let mut config = RankConfig::default();
        config.text.thesaurus.weight = 0.5;
        assert_eq!(
            synonyms_of_task(&config, "auth broken", &known),
            ["auth login 0.50", "auth credenti 0.50"]
        );
        config.text.thesaurus.max_terms = 1;
        assert_eq!(synonyms_of_task(&config, "auth broken", &known), ["auth login 0.50"]);
        config.text.thesaurus.weight = 0.0;
        assert!(synonyms_of_task(&config, "auth broken", &known).is_empty());
    }
}
