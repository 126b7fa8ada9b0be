//! The word lists for parsing task texts, read from `data/keywords.toml`.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::sync::LazyLock;

/// The contents of `data/keywords.toml`, which describes the fields.
#[derive(Deserialize)]
struct VocabularyFile {
    action_verbs: String,
    fillers: String,
    stop_words: String,
    path_stop_words: String,
    dotted_prose: String,
    generic_targets: String,
    generic_words: String,
    learning_noise: String,
    abbreviations: FxHashMap<String, String>,
}

/// Words that have a special meaning in a task text.
pub(crate) struct Vocabulary {
    pub action_verbs: FxHashSet<String>,
    pub fillers: FxHashSet<String>,
    pub stop_words: FxHashSet<String>,
    pub path_stop_words: FxHashSet<String>,
    pub dotted_prose: FxHashSet<String>,
    pub generic_targets: FxHashSet<String>,
    pub generic_words: FxHashSet<String>,
    pub learning_noise: FxHashSet<String>,
    pub abbreviations: FxHashMap<String, String>,
}

pub(crate) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let file: VocabularyFile =
        toml::from_str(include_str!("../../data/keywords.toml")).expect("keywords.toml is checked by a test");
    let parse_words = |words: String| words.split_whitespace().map(str::to_owned).collect();
    Vocabulary {
        action_verbs: parse_words(file.action_verbs),
        fillers: parse_words(file.fillers),
        stop_words: parse_words(file.stop_words),
        path_stop_words: parse_words(file.path_stop_words),
        dotted_prose: parse_words(file.dotted_prose),
        generic_targets: parse_words(file.generic_targets),
        generic_words: parse_words(file.generic_words),
        learning_noise: parse_words(file.learning_noise),
        abbreviations: file.abbreviations,
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_words_in_lower_case() {
        let vocabulary = &*VOCABULARY;
        for (set, minimum) in [
            (&vocabulary.action_verbs, 21),
            (&vocabulary.fillers, 10),
            (&vocabulary.stop_words, 70),
            (&vocabulary.path_stop_words, 150),
            (&vocabulary.generic_targets, 10),
            (&vocabulary.generic_words, 30),
            (&vocabulary.learning_noise, 80),
        ] {
            assert!(set.len() >= minimum, "{} words", set.len());
            assert!(set.iter().all(|w| *w == w.to_lowercase()));
        }
        assert!(vocabulary.abbreviations.len() >= 27);
        assert!(vocabulary.abbreviations.iter().all(|(short, long)| short.len() < long.len()));
    }
}
