//! Features of the task, which are equal for all its candidates: its type and its shape.

use crate::query::TaskQuery;
use crate::query::keywords::mentions_tests;
use crate::rank::{RankInput, RankedSymbol};
use kenning_graph::analysis::{WHOLE_TOKEN_PREFIX, is_compound, raw_words};
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The names of the columns, in the order of [`compute_task_values`].
pub(super) const NAMES: [&str; 20] = [
    "task_subject_words",
    "task_words",
    "task_terms",
    "task_identifiers",
    "task_known_names",
    "task_is_question",
    "task_asks_for_location",
    "task_is_fix",
    "task_is_addition",
    "task_is_removal",
    "task_is_about_tests",
    "task_locations",
    "task_tests",
    "task_messages",
    "task_voters",
    "task_best_vote",
    "index_documents",
    "task_second_share",
    "task_tenth_share",
    "task_candidates",
];

#[derive(Deserialize)]
struct TaskWordsFile {
    questions: String,
    places: String,
    fixes: String,
    additions: String,
    removals: String,
}

/// Words that indicate the type of a task, from `data/task_words.toml`.
struct TaskWords {
    questions: HashSet<String>,
    places: HashSet<String>,
    fixes: HashSet<String>,
    additions: HashSet<String>,
    removals: HashSet<String>,
}

static WORDS: LazyLock<TaskWords> = LazyLock::new(|| {
    let file: TaskWordsFile = toml::from_str(include_str!("../../data/task_words.toml"))
        .expect("task_words.toml is checked by a test");
    let set = |words: String| words.split_whitespace().map(str::to_owned).collect();
    TaskWords {
        questions: set(file.questions),
        places: set(file.places),
        fixes: set(file.fixes),
        additions: set(file.additions),
        removals: set(file.removals),
    }
});

/// Returns the features of the task.
pub(super) fn compute_task_values(input: &RankInput<'_>, ranked: &[RankedSymbol]) -> [f32; NAMES.len()] {
    let query = input.input.query;
    let subject = query.searchable_text.lines().next().unwrap_or("");
    let first_words: Vec<String> = raw_words(subject).map(str::to_lowercase).collect();
    let contains = |words: &HashSet<String>| first_words.iter().any(|word| words.contains(word));
    let starts_question = first_words.first().is_some_and(|word| WORDS.questions.contains(word));
    let best = ranked.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE);
    let share = |rank: usize| ranked.get(rank).map_or(0.0, |candidate| candidate.score / best);
    let identifiers = query.terms.iter().filter(|term| term.token.starts_with(WHOLE_TOKEN_PREFIX)).count();
    let voters = &input.input.votes.voters;
    let flag = |on: bool| f32::from(u8::from(on));
    [
        first_words.len() as f32,
        raw_words(&query.searchable_text).count() as f32,
        query.terms.len() as f32,
        identifiers as f32,
        count_known_names(input, query) as f32,
        flag(starts_question || subject.trim_end().ends_with('?')),
        flag(contains(&WORDS.places)),
        flag(contains(&WORDS.fixes)),
        flag(contains(&WORDS.additions)),
        flag(contains(&WORDS.removals)),
        flag(query.is_about_tests),
        query.locations.len() as f32,
        query.tests.len() as f32,
        query.messages.len() as f32,
        voters.len() as f32,
        voters.first().map_or(0.0, |voter| voter.similarity) as f32,
        input.input.snapshot.document_count() as f32,
        share(1) as f32,
        share(9) as f32,
        ranked.len() as f32,
    ]
}

/// Number of words at the beginning of a task with which it asks for tests: `tests of the parser`,
/// `add tests for`. Later words only mention tests: `fix the flaky test of the parser`.
const REQUEST_WORDS: usize = 2;

/// Whether a task asks for tests. The training data of the trees contains no such task, because its
/// answers are product code.
pub(super) fn asks_for_tests(query: &TaskQuery) -> bool {
    let subject = query.searchable_text.lines().next().unwrap_or("");
    let first_words: Vec<&str> = raw_words(subject).take(REQUEST_WORDS).collect();
    query.is_about_tests && mentions_tests(&first_words.join(" "))
}

/// Counts the compound words of a task that are names of symbols.
fn count_known_names(input: &RankInput<'_>, query: &TaskQuery) -> usize {
    let words: HashSet<&str> = raw_words(&query.searchable_text).filter(|word| is_compound(word)).collect();
    words.into_iter().filter(|word| !input.input.snapshot.symbols_by_name(word).is_empty()).count()
}
