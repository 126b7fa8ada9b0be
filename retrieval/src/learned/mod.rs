//! The learned ranker: orders the first candidates by an ensemble of regression trees.
//!
//! Each candidate becomes a row of features ([`feature_names`]). Features use only data that the
//! pipeline already has: the scores of its stages, the words of the task and of the candidate, the
//! graph around it, the history, and the shape of the task. Nothing depends on the name of a
//! repository. The trees are data (`data/ranker.bin`), learned from the commits of many public
//! repositories (`docs/ranking.md`).

mod feature_table;
mod history_features;
mod list_features;
mod order_features;
mod ranker;
mod relative_features;
mod symbol_features;
mod task_features;
mod term_features;
mod trees;
mod word_features;

pub use feature_table::{FeatureTable, feature_names};
pub use ranker::{LearnedConfig, LearnedTrace};

pub(crate) use ranker::reorder_candidates;

#[cfg(test)]
mod tests {
    use super::{LearnedTrace, feature_names};
    use crate::fixture::{SnapshotFixture, build_fixture};
    use crate::{Analysis, RankConfig, RankedSymbol, TaskRequest, total_score};
    use std::collections::BTreeSet;

    const APP: &str = "//- src/session.py\nclass Session: A session.\nmethod Session.save: Saves it. { store key } -> store\n\
                       //- src/store.py\nfunction store: Writes to the store. { write session }\nfunction drop { remove key }\n\
                       //- tests/test_session.py\ntest function test_save { session save } -> Session.save\n";

    fn rank_task(app: &SnapshotFixture, task: &str) -> (Vec<RankedSymbol>, LearnedTrace) {
        let config = RankConfig::default();
        let analysis = Analysis::new(&app.snapshot, &config, app);
        let request = TaskRequest::new(task);
        let learned = analysis.compute_learned_features(&request).expect("the default configuration");
        (analysis.rank_task(&request), learned)
    }

    #[test]
    fn names_of_features_are_unique_and_every_row_has_all_of_them() {
        let names: BTreeSet<&str> = feature_names().iter().copied().collect();
        assert_eq!(names.len(), feature_names().len());
        let app = build_fixture(APP);
        let (ranked, learned) = rank_task(&app, "save the session to the store");
        assert_eq!(learned.features.width, feature_names().len());
        assert_eq!(learned.features.rows().count(), ranked.len());
        assert_eq!(learned.symbols.len(), ranked.len());
    }

    #[test]
    fn features_describe_the_words_that_task_and_candidate_share() {
        let app = build_fixture(APP);
        let (_, learned) = rank_task(&app, "where is Session.save defined?");
        let value = |symbol: &str, feature: &str| {
            let at = learned.symbols.iter().position(|&id| id == app.symbol_id(symbol)).unwrap();
            let column = feature_names().iter().position(|name| *name == feature).unwrap();
            learned.features.rows().nth(at).unwrap()[column]
        };
        assert_eq!(value("Session.save", "qualified_written"), 1.0);
        assert_eq!(value("Session", "qualified_written"), 0.0);
        assert_eq!(value("Session", "name_written"), 2.0, "as written, in the first line");
        assert_eq!(value("Session", "is_type"), 1.0);
        assert_eq!(value("test_save", "is_secondary"), 1.0);
        assert_eq!(
            [value("Session", "task_is_question"), value("Session", "task_asks_for_location")],
            [1.0, 1.0]
        );
    }

    #[test]
    fn tests_come_first_only_if_the_task_asks_for_them() {
        let app = build_fixture(APP);
        let first = |task: &str| app.symbol_name(rank_task(&app, task).0[0].symbol);
        assert_eq!(first("test save"), "test_save");
        assert_eq!(first("save fails in a test"), "Session.save");
    }

    #[test]
    fn contributions_of_features_add_up_to_the_components() {
        let app = build_fixture(APP);
        let (ranked, learned) = rank_task(&app, "save the session to the store");
        for candidate in &ranked {
            assert_eq!(candidate.score, total_score(&candidate.components));
            let base: f64 = candidate
                .components
                .iter()
                .filter(|part| part.name == "learned_base")
                .map(|part| part.value)
                .sum();
            let features: f64 = learned.contributions(candidate.symbol).iter().map(|part| part.1).sum();
            assert_eq!(base + features, candidate.score, "{:?}", candidate.components);
        }
    }
}
