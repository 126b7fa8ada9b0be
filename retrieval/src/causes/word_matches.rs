//! The words of a task as its author wrote them, and the fields of a symbol that contain them.
//!
//! [`TaskWords`] maps each token of the query to the word in the task. [`TaskWords::match_symbol`]
//! looks the tokens up in the text index and returns the words of one symbol by field. It lists
//! each word once, in the most informative field, and an identifier instead of its parts.

use super::cause_table::RankCause;
use crate::query::TaskQuery;
use kenning_graph::analysis::{
    Analyzer, WHOLE_TOKEN_PREFIX, is_compound, raw_words, whole_token, word_parts,
};
use kenning_graph::text::{FIELDS, SymbolSet};
use kenning_graph::{Snapshot, SymbolId};
use std::collections::{BTreeMap, BTreeSet};

/// A word of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskWord {
    /// The word as written, or the part of an identifier.
    pub text: String,
    /// Whether it is a whole identifier such as `save_session`.
    pub is_identifier: bool,
}

/// Words of a task that one field of a symbol contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldWords {
    /// The cause of the field, one of [`RankCause::FIELDS`].
    pub field: RankCause,
    /// The words, the word with the most information first. A word is listed in one field only.
    pub words: Vec<TaskWord>,
}

/// The words of a task that a symbol contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordMatches {
    /// The matching words by field, in the order of [`RankCause::FIELDS`].
    pub fields: Vec<FieldWords>,
    /// All fields that contain a word of the task.
    pub present: Vec<RankCause>,
    /// Number of different words of the task that the workspace has.
    pub known: usize,
    /// Number of known words that the symbol contains.
    pub matched: usize,
}

/// The words of a task by their tokens.
pub(super) struct TaskWords {
    written: BTreeMap<String, TaskWord>,
    /// The stems of each identifier, by its whole token.
    parts: BTreeMap<String, BTreeSet<String>>,
}

impl TaskWords {
    /// Reads the words of a task.
    pub fn from_query(query: &TaskQuery) -> Self {
        let (mut words, mut inner) = (BTreeMap::new(), BTreeMap::new());
        let mut parts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut analyzer = Analyzer::default();
        for raw in raw_words(&query.searchable_text) {
            let is_identifier = is_compound(raw);
            let mut stems = BTreeSet::new();
            for part in word_parts(raw) {
                let Some(stem) = analyzer.stem_part(part) else { continue };
                stems.insert(stem.to_owned());
                let word = TaskWord { text: part.to_owned(), is_identifier: false };
                let target = if is_identifier { &mut inner } else { &mut words };
                target.entry(stem.to_owned()).or_insert(word);
            }
            let token = whole_token(raw);
            let word = TaskWord { text: raw.to_owned(), is_identifier: true };
            words.entry(token.clone()).or_insert(word);
            if is_identifier {
                parts.entry(token).or_default().extend(stems);
            }
        }
        // A word that also occurs outside identifiers is shown as written there.
        for (stem, word) in inner {
            words.entry(stem).or_insert(word);
        }
        Self { written: words, parts }
    }

    /// Whether a stem is a part of one of these identifiers, which are whole tokens.
    pub fn is_part_of_any(&self, stem: &str, identifiers: &[&str]) -> bool {
        let parts = |token: &&str| self.parts.get(*token).is_some_and(|parts| parts.contains(stem));
        identifiers.iter().any(parts)
    }

    /// Returns the word behind a token of the query.
    pub fn find_word(&self, token: &str) -> Option<&TaskWord> {
        self.written.get(token)
    }

    /// Returns the words of the task that a symbol contains. A word in several fields is listed in
    /// the first one.
    pub fn match_symbol(&self, snapshot: &Snapshot, query: &TaskQuery, symbol: SymbolId) -> WordMatches {
        let symbols: SymbolSet = std::iter::once(symbol).collect();
        let mut matches = WordMatches::default();
        let mut found: Vec<(&str, [u16; FIELDS])> = Vec::new();
        for term in &query.terms {
            let counts = snapshot.token_counts(&term.token, &symbols).into_iter().next();
            let is_word = !term.token.starts_with(WHOLE_TOKEN_PREFIX);
            matches.known += usize::from(is_word);
            let Some((_, counts)) = counts else { continue };
            matches.matched += usize::from(is_word);
            found.push((&term.token, counts));
        }
        let mut listed: BTreeSet<&str> = BTreeSet::new();
        for (cause, field) in RankCause::FIELDS {
            let in_field: Vec<&str> = found
                .iter()
                .filter(|(_, counts)| counts[field as usize] > 0)
                .map(|(token, _)| *token)
                .collect();
            matches.present.extend((!in_field.is_empty()).then_some(cause));
            // A whole identifier is listed instead of its parts.
            let mut new = Vec::new();
            for &token in in_field.iter().filter(|token| token.starts_with(WHOLE_TOKEN_PREFIX)) {
                let parts = self.parts.get(token).into_iter().flatten();
                let is_new = self.parts.contains_key(token) && listed.insert(token);
                let known_parts =
                    parts.filter_map(|part| found.iter().find(|(token, _)| *token == part.as_str()));
                listed.extend(known_parts.map(|(token, _)| *token));
                new.extend(is_new.then_some(token));
            }
            new.extend(
                in_field
                    .iter()
                    .copied()
                    .filter(|token| !token.starts_with(WHOLE_TOKEN_PREFIX) && listed.insert(token)),
            );
            let words: Vec<TaskWord> =
                new.iter().filter_map(|token| self.find_word(token)).cloned().collect();
            if !words.is_empty() {
                matches.fields.push(FieldWords { field: cause, words });
            }
        }
        matches
    }
}
