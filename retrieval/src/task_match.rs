//! Decides whether anything in the workspace matches a task.
//!
//! Two signals distinguish a task of this workspace from nonsense and from tasks of other domains:
//! the share of its words that occur in the workspace at all, and the share of their information
//! that the best hit of the text search has. A linear rule over both decides ([`MatchConfig`]).
//! Words count by inverse document frequency, so that `file` and `value` say little.
//!
//! Whatever the rule says, a task matches if it names something exactly (locations, tests, quoted
//! messages and values, symbols), if the request has a pin or a position in the editor, or if the
//! workspace learned something about the task.

use crate::channels::{ChannelList, EDITOR, TEXT};
use crate::config::MatchConfig;
use crate::query::keywords::backquoted_names;
use crate::query::{TaskQuery, inverse_document_frequency};
use crate::rank::RankedSymbol;
use crate::request::RequestOptions;
use kenning_graph::Snapshot;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX, is_compound, raw_words};
use rustc_hash::FxHashSet;

/// The channels whose hits a task names exactly.
const EXACT_CHANNELS: [&str; 4] = ["location", "tested", "literal", EDITOR];

/// The components of scores that come from earlier work on similar tasks.
const LEARNED_COMPONENTS: [&str; 3] = ["feedback", "usage", "vocabulary"];

/// Maximum number of words of a task that are looked up as names. Pasted logs have thousands.
const MAX_NAMES: usize = 100;

/// The result of matching a task against the workspace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskMatch {
    /// Share of the information of the task's words that words of the workspace have, from 0 to 1:
    /// the share of all words, or of the words in the first line if it is greater.
    pub known: f64,
    /// Score of the best hit of the text search per information of all words of the task.
    pub strength: f64,
    /// Whether the task names something exactly that the workspace has.
    pub is_exact: bool,
    /// Whether the pack has something to show.
    pub is_match: bool,
}

/// The inputs of a decision besides the query.
pub(crate) struct MatchInput<'a> {
    pub snapshot: &'a Snapshot,
    pub lists: &'a [ChannelList],
    /// The ranked candidates; none if the list was not ranked further.
    pub ranked: &'a [RankedSymbol],
    /// Whether there is any candidate.
    pub has_candidates: bool,
    pub options: &'a RequestOptions,
}

/// Decides whether the workspace matches a task.
pub(crate) fn judge_match(query: &TaskQuery, input: &MatchInput<'_>, config: MatchConfig) -> TaskMatch {
    let words = WordInformation::from_task(query, input.snapshot.document_count(), |token| {
        input.snapshot.document_frequency(token)
    });
    let find_hits = |name: &str| input.lists.iter().find(|list| list.name == name).map(|list| &list.hits);
    let best_score = find_hits(TEXT).and_then(|hits| hits.first()).map_or(0.0, |hit| hit.score);
    let (known, strength) = (words.known_share(), words.share_of_all(best_score));
    let is_exact = EXACT_CHANNELS.iter().any(|name| find_hits(name).is_some_and(|hits| !hits.is_empty()))
        || !input.options.pinned.is_empty()
        || names_symbol(query, input.snapshot)
        || input.ranked.iter().any(was_useful);
    let passes_rule = if input.snapshot.document_count() < config.least_documents {
        known > 0.0
    } else {
        known + config.strength * strength >= config.limit
    };
    let is_match = is_exact || (passes_rule && input.has_candidates);
    TaskMatch { known, strength, is_exact, is_match }
}

/// Decides whether the documents of the workspace match a question whose best section has this
/// score. Applies the rule even to few sections, because prose has most words of a question that it
/// answers.
pub(crate) fn judge_documents(
    query: &TaskQuery,
    snapshot: &Snapshot,
    best_score: f64,
    config: MatchConfig,
) -> TaskMatch {
    let sections = snapshot.section_count();
    let words = WordInformation::from_task(query, sections, |token| snapshot.section_frequency(token));
    let (known, strength) = (words.known_share(), words.share_of_all(best_score));
    let passes_rule = known + config.strength * strength >= config.limit;
    TaskMatch { known, strength, is_exact: false, is_match: passes_rule && best_score > 0.0 }
}

/// Whether earlier work on similar tasks speaks for a candidate.
fn was_useful(candidate: &RankedSymbol) -> bool {
    candidate.components.iter().any(|part| part.value > 0.0 && LEARNED_COMPONENTS.contains(&part.name))
}

/// Whether a compound word or the only word of a task is the beginning of a symbol's name, or a
/// name in backquotes is the name of a symbol.
fn names_symbol(query: &TaskQuery, snapshot: &Snapshot) -> bool {
    let is_only_word = raw_words(&query.searchable_text).nth(1).is_none();
    let is_beginning = |word: &str| {
        (is_compound(word) || is_only_word) && !snapshot.symbols_by_prefix(&word.to_lowercase(), 1).is_empty()
    };
    let quoted = backquoted_names(&query.searchable_text).into_iter().flat_map(raw_words);
    raw_words(&query.searchable_text).take(MAX_NAMES).any(is_beginning)
        || quoted.take(MAX_NAMES).any(|name| !snapshot.symbols_by_name(name).is_empty())
}

/// The information of the words of a task.
#[derive(Default)]
struct WordInformation {
    all: f64,
    all_known: f64,
    first_line: f64,
    first_line_known: f64,
}

impl WordInformation {
    /// Sums up the information of the stems of a task, by weight and inverse document frequency.
    /// `frequency` returns the number of documents that contain a stem. Leaves out numbers, such as
    /// the numbers of issues.
    fn from_task(query: &TaskQuery, documents: u32, frequency: impl Fn(&str) -> u32) -> Self {
        let first_line = first_line_stems(&query.searchable_text);
        let mut sums = Self::default();
        let is_word =
            |token: &str| !token.starts_with(WHOLE_TOKEN_PREFIX) && !token.contains(|c: char| c.is_numeric());
        for (token, &weight) in query.weights.iter().filter(|(token, _)| is_word(token)) {
            let frequency = frequency(token);
            let information = f64::from(weight) * inverse_document_frequency(documents, frequency);
            let known = if frequency > 0 { information } else { 0.0 };
            sums.all += information;
            sums.all_known += known;
            if first_line.contains(token) {
                sums.first_line += information;
                sums.first_line_known += known;
            }
        }
        sums
    }

    /// Returns the share of known words, of all or of the first line; 1 without words, because such
    /// a task says nothing about itself.
    fn known_share(&self) -> f64 {
        if self.all <= 0.0 {
            return 1.0;
        }
        let first_line = if self.first_line > 0.0 { self.first_line_known / self.first_line } else { 0.0 };
        first_line.max(self.all_known / self.all)
    }

    /// Returns `score` per information of all words, 1 without words.
    fn share_of_all(&self, score: f64) -> f64 {
        if self.all > 0.0 { score / self.all } else { 1.0 }
    }
}

fn first_line_stems(text: &str) -> FxHashSet<String> {
    let mut stems = FxHashSet::default();
    Analyzer::default().for_each_token(text.lines().next().unwrap_or(""), |token| {
        stems.insert(token.to_owned());
    });
    stems
}

#[cfg(test)]
mod tests {
    use super::TaskMatch;
    use crate::config::MatchConfig;
    use crate::fixture::{SnapshotFixture, build_fixture};
    use crate::likelihood::RankConfidence;
    use crate::{Analysis, RankConfig, RequestOptions, TaskAnswer, TaskRequest};

    /// A workspace that saves sessions in a store.
    const APP: &str = "//- src/session.py\nclass Session: A session of a user.\nmethod Session.save_all: Saves it. { store key value } -> store\n\
                       //- src/store.py\nfunction store: Writes a file to the store. { write session value error \"no room is left in the store\" }\n\
                       function drop { remove key value }\nconstant ROOM_KEY { \"store.max.room\" }\n";

    /// Returns the answer by the fitted rule, or by the rule for small workspaces.
    fn answer(
        app: &SnapshotFixture,
        task: &str,
        least_documents: u32,
        options: RequestOptions,
    ) -> TaskAnswer {
        let rule = RankConfig::default().task_match.map(|rule| MatchConfig { least_documents, ..rule });
        let config = RankConfig { task_match: rule, ..RankConfig::default() };
        Analysis::new(&app.snapshot, &config, app).pack_task(&TaskRequest { task: task.to_owned(), options })
    }

    fn judge(task: &str) -> TaskMatch {
        let answer = answer(&build_fixture(APP), task, 0, RequestOptions::default());
        answer.trace.task_match.expect("the configuration judges tasks")
    }

    #[test]
    fn nonsense_matches_nothing_and_tasks_of_the_workspace_match() {
        for task in ["recipe for lasagna with b\u{e9}chamel", "Fix the error of a wrong tax value", "qxzv"] {
            let found = judge(task);
            assert!(!found.is_match && found.known < 0.5, "{task}: {found:?}");
        }
        for wordless in ["\u{1f642}", "7"] {
            let found = judge(wordless);
            assert!(!found.is_match && found.known == 1.0, "without words nothing is found: {found:?}");
        }
        for task in ["save the session", "the store of a session", "remove a key"] {
            let found = judge(task);
            assert!(found.is_match && !found.is_exact && found.known == 1.0, "{task}: {found:?}");
        }
    }

    #[test]
    fn a_task_that_names_something_exactly_matches() {
        for task in [
            "Cook lasagna like `drop`",
            "cook lasagna like save_all does",
            "cook lasagna as save_al",
            "sto",
            "aveall",
            "cook lasagna: src/store.py:2",
            "cook lasagna: error: no room is left in the store",
        ] {
            let found = judge(task);
            assert!(found.is_match && found.is_exact, "{task}: {found:?}");
        }
        for task in ["cook lasagna like `grandma` with cookPasta", "veall"] {
            assert!(!judge(task).is_match, "{task}");
        }
    }

    #[test]
    fn numbers_and_later_lines_do_not_count_against_a_task() {
        let plain = judge("save the session");
        assert_eq!(judge("save the session 16319").known, plain.known);
        assert_eq!(judge("save the session\n\nReviewers: Grandma <grandma@lasagna.example>").known, 1.0);
        assert!(judge("lasagna\n\nsave the session").known < 1.0);
    }

    #[test]
    fn in_a_small_workspace_one_known_word_is_a_match() {
        let app = build_fixture(APP);
        let is_match = |task, least| {
            answer(&app, task, least, RequestOptions::default())
                .trace
                .task_match
                .is_some_and(|found| found.is_match)
        };
        let task = "fix the error of a wrong tax value";
        assert_eq!([is_match(task, 0), is_match(task, 100)], [false, true]);
        assert!(!is_match("cook lasagna", 100));
    }

    #[test]
    fn the_pack_of_nonsense_only_lists_the_closest_unless_the_reader_wants_weak_candidates() {
        let app = build_fixture(APP);
        let pack = |options| answer(&app, "fix the error of a wrong tax value", 0, options).pack;
        let listed = pack(RequestOptions::default());
        assert_eq!(listed.confidence, Some(RankConfidence::NO_MATCH));
        assert!(!listed.symbols.is_empty() && listed.symbols.len() <= 10);
        assert!(listed.symbols.iter().all(|symbol| symbol.text.is_none()));
        assert!(listed.omitted_counts.is_empty());
        let excluded = vec![app.symbol_id("drop")];
        let next = pack(RequestOptions { excluded, ..RequestOptions::default() });
        assert_eq!(next.confidence, Some(RankConfidence::NO_MATCH), "an exclusion is no match");
        let weak = pack(RequestOptions { keep_weak: true, ..RequestOptions::default() });
        assert_eq!(weak.confidence, Some(RankConfidence::NO_MATCH));
        assert!(weak.symbols.iter().any(|symbol| symbol.text.is_some()));
        let pinned = vec![app.symbol_id("drop")];
        let pinned = pack(RequestOptions { pinned, ..RequestOptions::default() });
        assert_ne!(pinned.confidence, Some(RankConfidence::NO_MATCH));
        assert!(!pinned.symbols.is_empty());
    }
}
