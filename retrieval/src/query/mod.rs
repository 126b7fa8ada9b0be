//! A task text, read: keywords in three tiers, weighted terms, path terms, named places.

mod cluster;
pub mod keywords;
pub mod locations;
pub mod terms;
pub mod thesaurus;
pub(crate) mod vocabulary;

pub use cluster::{files_cluster, task_cluster};
pub use keywords::KeywordSet;
pub use locations::Location;
pub use terms::QueryTerm;

use crate::classes::ClassMatch;
use crate::config::RankConfig;
use kenning_graph::Snapshot;

/// What a task text asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskQuery {
    /// The text, cut to what is read.
    pub text: String,
    /// Keywords in three tiers (seed 000 §1).
    pub keywords: KeywordSet,
    /// Words that may name folders, longest first.
    pub path_terms: Vec<String>,
    /// Weighted terms (LEX), heaviest contribution first.
    pub terms: Vec<QueryTerm>,
    /// Words for the same concepts as the text's (seed 000 §2, "Concept thesaurus expansion").
    pub synonyms: Vec<thesaurus::Synonym>,
    /// Equivalence classes with a phrase in the text.
    pub classes: Vec<ClassMatch>,
    /// Files and lines that the text names, in its order.
    pub locations: Vec<Location>,
    /// The text speaks of tests, so tests are as good as other code (seed 000 §6).
    pub about_tests: bool,
}

impl TaskQuery {
    /// Reads a task text. Any text is a valid task. The classes come later: they depend on the workspace, too.
    pub fn read(task: &str, snapshot: &Snapshot, config: &RankConfig) -> Self {
        let text = cut(task.trim(), config.query.max_bytes);
        let keywords = KeywordSet::extract(text);
        let frequency = |token: &str| snapshot.document_frequency(token);
        let terms = terms::weighted(text, &config.query, snapshot.document_count(), frequency);
        Self {
            path_terms: keywords::path_terms(text, &config.path_context),
            synonyms: thesaurus::synonyms(&config.text, &keywords, &terms, frequency),
            terms,
            classes: Vec::new(),
            locations: locations::scan(text),
            about_tests: keywords::about_tests(text),
            keywords,
            text: text.to_owned(),
        }
    }
}

/// The longest beginning of `text` within `limit` bytes that ends between characters.
fn cut(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
