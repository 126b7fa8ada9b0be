//! Tests of the search with vectors, over a small workspace and a model of a few words.

use super::{LimitOverrides, SearchMode, SearchRequest, SearchScope, SearchTarget};
use crate::fixture::{SnapshotFixture, build_fixture};
use crate::pipeline::NoObserver;
use crate::vectors::{TextEmbedder, VectorIndex, VectorSearch, embed_file};
use crate::{Analysis, RankConfig, TaskRequest};
use kenning_graph::FileId;
use kenning_graph::vectors::VectorBlock;
use std::sync::Arc;

/// A workspace with a cart, a stock and a session store.
const SHOP: &str = "//- src/cart.py\nclass Cart: The goods that a customer wants.\nmethod Cart.add_item: Adds an item to the cart. { item }\n\
                    method Cart.total: Sums up the prices. { price sum }\n\
                    //- src/stock.py\nfunction check_stock: Whether goods are in the warehouse. { warehouse shelf }\nfunction refill { order shelf }\n\
                    //- src/session_store.py\nclass SessionStore: Keeps sessions. { session key }\n";

/// A model that knows a few words, in groups of one meaning.
struct WordEmbedder;

impl TextEmbedder for WordEmbedder {
    fn embed_text(&self, text: &str) -> Vec<f32> {
        let groups: [&[&str]; 4] = [
            &["cart", "basket", "trolley"],
            &["session", "login", "sessions"],
            &["price", "cost", "prices", "total"],
            &["warehouse", "depot", "shelf", "stock"],
        ];
        let mut vector = vec![0.0; groups.len()];
        for word in text.split(' ').map(str::to_lowercase) {
            for (group, value) in groups.iter().zip(&mut vector) {
                *value += if group.contains(&word.as_str()) { 1.0 } else { 0.0 };
            }
        }
        vector
    }

    fn dimensions(&self) -> usize {
        4
    }
}

/// Returns the vectors of all files except `left_out`.
fn index_without(app: &SnapshotFixture, left_out: &[&str]) -> VectorIndex {
    let files = app.snapshot.files().into_iter().filter_map(|file| {
        let path = app.snapshot.file(file)?.path;
        let block = || embed_file(&app.snapshot, file, app, &WordEmbedder).map(Arc::new);
        (!left_out.contains(&path)).then(block)?.map(|block| (file, block))
    });
    let files: Vec<(FileId, Arc<VectorBlock>)> = files.collect();
    VectorIndex::new(files, &[])
}

fn search(app: &SnapshotFixture, index: Option<&VectorIndex>, query: &str, mode: SearchMode) -> Vec<String> {
    search_scope(app, index, query, mode, SearchScope::Code)
}

fn search_scope(
    app: &SnapshotFixture,
    index: Option<&VectorIndex>,
    query: &str,
    mode: SearchMode,
    scope: SearchScope,
) -> Vec<String> {
    let overrides = LimitOverrides { bfs_depth: Some(0), max_results: Some(20), ..LimitOverrides::default() };
    let request = SearchRequest { query: query.to_owned(), scope, mode, overrides };
    let config = RankConfig::default();
    let vectors = index.map(|index| VectorSearch { index, embedder: &WordEmbedder });
    let analysis = Analysis { vectors, ..Analysis::new(&app.snapshot, &config, app) };
    let answer =
        analysis.search_workspace(&request, &Vec::new, &mut NoObserver).expect("the search is not cancelled");
    let name = |target: &SearchTarget| match target {
        SearchTarget::Symbol(symbol) => app.symbol_name(*symbol),
        SearchTarget::File(file) => {
            app.snapshot.file(*file).expect("the snapshot has the file").path.to_owned()
        }
        SearchTarget::OtherFile(path) => path.clone(),
    };
    answer.hits.iter().map(|hit| format!("{:.2} {}", hit.score, name(&hit.target))).collect()
}

#[test]
fn a_meaning_is_found_without_its_words() {
    let app = build_fixture(SHOP);
    let index = index_without(&app, &[]);
    for mode in [SearchMode::Vector, SearchMode::Hybrid] {
        let found = search(&app, Some(&index), "trolley", mode);
        assert!(found.iter().any(|hit| hit.ends_with(" Cart.add_item")), "{found:?}");
        assert!(
            !found.iter().any(|hit| hit.ends_with("refill") || hit.ends_with("SessionStore")),
            "{found:?}"
        );
    }
    assert!(search(&app, None, "trolley", SearchMode::Hybrid).is_empty());
    assert!(search(&app, Some(&index), "trolley", SearchMode::Keyword).is_empty());
    let files = search_scope(&app, Some(&index), "depot", SearchMode::Vector, SearchScope::Files);
    assert_eq!(files, ["1.00 src/stock.py"]);
}

#[test]
fn nonsense_finds_nothing_with_vectors() {
    let app = build_fixture(SHOP);
    let index = index_without(&app, &[]);
    for mode in [SearchMode::Vector, SearchMode::Hybrid] {
        for scope in [SearchScope::Code, SearchScope::Files, SearchScope::All] {
            for query in ["recipe for lasagna", "qxzv", ""] {
                let found = search_scope(&app, Some(&index), query, mode, scope);
                assert!(found.is_empty(), "{query}: {found:?}");
            }
        }
    }
}

#[test]
fn missing_vectors_hide_no_hit_and_no_vectors_change_nothing() {
    let app = build_fixture(SHOP);
    let (all, none) = (index_without(&app, &[]), VectorIndex::default());
    let some = index_without(&app, &["src/cart.py"]);
    for query in ["add an item to the cart", "add_item", "goods in the warehouse", "cart", "order shelf"] {
        let without = search(&app, None, query, SearchMode::Hybrid);
        assert!(!without.is_empty(), "{query}");
        assert_eq!(search(&app, Some(&none), query, SearchMode::Hybrid), without);
        for index in [&all, &some] {
            let found = search(&app, Some(index), query, SearchMode::Hybrid);
            for hit in &without {
                let name = &hit[5..];
                let score = found.iter().find(|found| &found[5..] == name).map(|found| &found[..4]);
                assert!(score.is_some_and(|score| score >= &hit[..4]), "{query}: {hit} in {found:?}");
            }
        }
        let keyword = |index| search(&app, index, query, SearchMode::Keyword);
        assert_eq!(keyword(Some(&all)), keyword(None));
    }
}

#[test]
fn a_question_for_a_name_finds_it_first() {
    let app = build_fixture(SHOP);
    let index = index_without(&app, &[]);
    let found = search(&app, Some(&index), "total", SearchMode::Hybrid);
    assert!(found[0].ends_with(" Cart.total"), "{found:?}");
}

fn rank(app: &SnapshotFixture, index: Option<&VectorIndex>, task: &str, config: &RankConfig) -> Vec<String> {
    let vectors = index.map(|index| VectorSearch { index, embedder: &WordEmbedder });
    let analysis = Analysis { vectors, ..Analysis::new(&app.snapshot, config, app) };
    let ranked = analysis.rank_task(&TaskRequest::new(task));
    ranked.iter().map(|entry| format!("{} {:?}", app.symbol_name(entry.symbol), entry.score)).collect()
}

#[test]
fn the_ranking_uses_vectors_only_if_its_configuration_says_so() {
    let app = build_fixture(SHOP);
    let index = index_without(&app, &[]);
    let task = "check the warehouse before an item is added";
    for config in [RankConfig::default(), RankConfig::linear_preset()] {
        assert!(!config.vectors.is_used());
        assert_eq!(rank(&app, Some(&index), task, &config), rank(&app, None, task, &config));
    }
    let mut weighted = RankConfig::linear_preset();
    weighted.vectors.channel.weight = 1.0;
    let finds = |config: &RankConfig, task: &str| {
        rank(&app, Some(&index), task, config).iter().any(|entry| entry.starts_with("SessionStore "))
    };
    assert!(finds(&weighted, "login") && !finds(&RankConfig::linear_preset(), "login"));
    // The channels find nothing for this task, so that vectors fill the gap.
    assert!(finds(&RankConfig::seeds_preset(), "login"));
    let without = rank(&app, None, "login", &RankConfig::seeds_preset());
    assert!(!without.iter().any(|entry| entry.starts_with("SessionStore ")));
}

#[test]
fn the_best_candidates_are_sorted_again_by_their_vectors() {
    let app = build_fixture(SHOP);
    let index = index_without(&app, &[]);
    let task = "the cart of goods and the trolley in the warehouse shelf order";
    let mut config = RankConfig::linear_preset();
    let before = rank(&app, Some(&index), task, &config);
    config.vectors.rerank_top = 50;
    let after = rank(&app, Some(&index), task, &config);
    let parts = |list: &[String], part: usize| {
        list.iter().map(|entry| entry.split(' ').nth(part).unwrap().to_owned()).collect::<Vec<_>>()
    };
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert!(before.len() > 2 && before != after, "{before:?} {after:?}");
    assert_eq!(sorted(parts(&before, 0)), sorted(parts(&after, 0)));
    let scores = |list: &[String]| {
        parts(list, 1).iter().map(|score| format!("{:.6}", score.parse::<f64>().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(scores(&before), scores(&after), "each rank keeps its score");
    config.vectors.rerank_original = 1.0;
    assert_eq!(rank(&app, Some(&index), task, &config), before);
}
