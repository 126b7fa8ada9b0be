//! The query of a task: keywords in three tiers, weighted terms, path terms, named locations.
//!
//! [`TaskQuery::from_task`] truncates the text, splits it into parts by role (`report`), and finds
//! the locations, tests and messages that it names. Keywords, terms and path terms come from the
//! parts that can name code. The equivalence classes are added later, because they also depend on
//! the workspace.

mod cluster;
pub mod keywords;
mod learning_keywords;
pub(crate) mod literals;
pub mod locations;
mod messages;
mod named_tests;
mod named_values;
mod report;
mod respelling;
pub mod terms;
mod test_ids;
pub mod thesaurus;
pub(crate) mod vocabulary;

pub use cluster::{files_cluster, task_cluster};
pub use keywords::KeywordSet;
pub use learning_keywords::{TaskKeyword, learning_keywords, task_keywords};
pub use locations::NamedLocation;
pub use named_tests::NamedTest;
pub use terms::QueryTerm;
pub(crate) use terms::inverse_document_frequency;
pub use test_ids::TestId;

use crate::classes::ClassMatch;
use crate::config::RankConfig;
use kenning_graph::Snapshot;
use report::AnnotatedText;
use std::cell::LazyCell;
use std::collections::BTreeMap;

/// The parsed text of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskQuery {
    /// The text, truncated to the bytes that are read.
    pub text: String,
    /// The parts of the text that can name code, without the texts of templates and descriptions of
    /// the environment.
    pub searchable_text: String,
    /// The words of the text that are read as names of the workspace, with these names, separated
    /// by spaces.
    pub respelled: BTreeMap<String, String>,
    /// Keywords in three tiers.
    pub keywords: KeywordSet,
    /// Words that may name folders, longest first.
    pub path_terms: Vec<String>,
    /// Weighted terms, greatest contribution first.
    pub terms: Vec<QueryTerm>,
    /// All tokens with their weights, including tokens that the index does not know.
    pub weights: BTreeMap<String, f32>,
    /// Synonyms of the text's words.
    pub synonyms: Vec<thesaurus::TaskSynonym>,
    /// Equivalence classes that have a phrase in the text.
    pub classes: Vec<ClassMatch>,
    /// Files and lines that the text names, in its order.
    pub locations: Vec<NamedLocation>,
    /// Tests that the text names and the graph knows, in its order.
    pub tests: Vec<NamedTest>,
    /// Messages that the text quotes, in its order.
    pub messages: Vec<String>,
    /// Words of the text that may be the values of string literals, such as configuration keys, in
    /// its order. Names of symbols are not among them.
    pub values: Vec<String>,
    /// Whether the text mentions tests, so that tests rank like other code. False for a report that
    /// names a test, because it is about the code under test.
    pub is_about_tests: bool,
}

impl TaskQuery {
    /// Parses a task text. Any text is a valid task. Leaves the classes empty, because they also
    /// depend on the workspace.
    pub fn from_task(task: &str, snapshot: &Snapshot, config: &RankConfig) -> Self {
        let text = truncate_text(task.trim(), config.query.max_bytes);
        let roles = &config.query.roles;
        let mut report = if roles.distinguishes_roles() {
            AnnotatedText::parse_roles(text)
        } else {
            AnnotatedText::from_plain(text)
        };
        let visible = report.visible_text();
        // Most tasks name no file, so the paths are read only on demand.
        let extensions = LazyCell::new(|| locations::file_extensions(snapshot));
        let locations = locations::scan_locations(&visible, &|extension| extensions.contains(extension));
        let tests = if config.test_ids.channel.weight > 0.0 {
            named_tests::resolve_named_tests(snapshot, test_ids::scan_test_ids(&visible), &locations)
        } else {
            Vec::new()
        };
        for test in tests.iter().filter(|test| !test.id.written.is_empty()) {
            // The file and class of a test lead to other tests, not to the code under test.
            report.replace_text(&test.id.written, &test.id.test_words());
        }
        let respelled = if config.query.respells {
            respelling::find_respellings(&report.searchable_text(roles), snapshot)
        } else {
            BTreeMap::new()
        };
        report.replace_words(&respelled);
        let searchable_text = report.searchable_text(roles);
        let keywords = KeywordSet::from_text(&searchable_text);
        let frequency = |token: &str| snapshot.document_frequency(token);
        let weights = terms::token_weights(&report, &config.query);
        let terms = terms::weighted_terms(
            &weights,
            &searchable_text,
            &config.query,
            snapshot.document_count(),
            frequency,
        );
        Self {
            path_terms: keywords::path_terms(&searchable_text, &config.path_context),
            synonyms: thesaurus::find_synonyms(&config.text, &keywords, &terms, frequency),
            terms,
            weights,
            classes: Vec::new(),
            locations,
            messages: messages::scan_messages(&visible),
            values: find_values(&searchable_text, snapshot),
            is_about_tests: tests.is_empty() && keywords::mentions_tests(&searchable_text),
            tests,
            keywords,
            searchable_text,
            respelled,
            text: text.to_owned(),
        }
    }
}

/// Returns the words of a text that may be the values of string literals, without the names of
/// symbols.
fn find_values(text: &str, snapshot: &Snapshot) -> Vec<String> {
    let mut values = named_values::scan_values(text);
    values.retain(|value| snapshot.symbols_by_name(value).is_empty());
    values
}

/// Returns the longest prefix of `text` within `limit` bytes that ends at a character boundary.
fn truncate_text(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
