//! Tests that each adaptive mechanism fires at its threshold and changes the result
//! (`docs/ranking.md`).

use super::*;
use crate::config::{FallbackConfig, PackConfig, RankConfig};
use kenning_graph::SymbolRef;
use std::collections::BTreeMap;

/// Two packages with the same word, a type among functions, an interface with two implementors, and
/// calls into a library.
const SHOP: &str = "\
//- src/cart/cart.py
function cart_total: Sum of a cart. { cart price } -> Price.round, lib.sum
class Cart: A cart of things. { cart }
method Cart.add: Put a thing into the cart. { cart } -> lib.append
method Cart.clear: Empty it. -> lib.clear
function empty_cart: A new cart. { cart } -> Cart.clear
//- src/cart/store.py
function load_cart: Read a cart. { cart } -> Store.read
//- src/price/price.py
class Price: What a thing costs.
method Price.round: To whole cents.
function cart_price: Price of a cart. { cart } -> Price.round
//- src/store/store.py
interface Store: Keeps things.
method Store.read: Read one.
//- src/disk/disk.py
class Disk: On a platter. => Store
class Memory: In chips. => Store
//- tests/conftest.py
function cart_fixture: A cart for tests. { cart } -> Cart.add
//- web/app.min.js
function cart_view: A cart on a page. { cart }
";

fn count_symbols(shop: &SnapshotFixture) -> usize {
    shop.snapshot.symbol_count()
}

fn seed_names(shop: &SnapshotFixture, config: &RankConfig, text: &str) -> Vec<String> {
    trace(shop, config, text).seeds.iter().map(|s| shop.symbol_name(s.symbol)).collect()
}

fn trace(shop: &SnapshotFixture, config: &RankConfig, text: &str) -> RunTrace {
    analyze(shop, config).pack_task(&task(text, None)).trace
}

fn ranked_names(shop: &SnapshotFixture, config: &RankConfig, text: &str) -> Vec<String> {
    trace(shop, config, text).ranked.iter().map(|r| shop.symbol_name(r.symbol)).collect()
}

/// Returns the constants of `seeds` without mechanisms that would hide the effect of the mechanism
/// under test.
fn isolated_config() -> RankConfig {
    let mut config = RankConfig::seeds_preset();
    config.seeds.focus_above = None;
    config.seeds.implementors = false;
    config.path_context.restart_weight = 0.0;
    config
}

#[test]
fn types_go_first_on_a_graph_above_the_threshold() {
    let shop = build_fixture(SHOP);
    let prefer_types_above = |threshold: usize| {
        let mut config = isolated_config();
        config.seeds.prefer_types_above = threshold;
        config
    };
    let (at_threshold, above_threshold) =
        (prefer_types_above(count_symbols(&shop)), prefer_types_above(count_symbols(&shop) - 1));
    assert!(!trace(&shop, &at_threshold, "cart total").selection.types_first);
    assert!(trace(&shop, &above_threshold, "cart total").selection.types_first);
    assert_eq!(seed_names(&shop, &at_threshold, "cart total")[0], "cart_total");
    assert_eq!(seed_names(&shop, &above_threshold, "cart total")[0], "Cart");
    assert_ne!(
        ranked_names(&shop, &at_threshold, "cart total"),
        ranked_names(&shop, &above_threshold, "cart total")
    );
    assert_eq!(RankConfig::seeds_preset().seeds.prefer_types_above, 40_000);
}

#[test]
fn larger_graphs_have_more_seeds() {
    let shop = build_fixture(SHOP);
    let size = count_symbols(&shop);
    let count = |medium: usize, large: usize| {
        let mut config = isolated_config();
        config.seeds = config::SeedConfig {
            base: 1,
            medium: 2,
            large: 3,
            medium_graph: medium,
            large_graph: large,
            ..config.seeds
        };
        let trace = trace(&shop, &config, "cart total");
        assert_eq!(trace.seeds.len(), trace.selection.limit);
        (trace.seeds.len(), trace.walk.paths.len())
    };
    let (small, medium, large) = (count(size, size), count(size - 1, size), count(size - 1, size - 1));
    assert_eq!((small.0, medium.0, large.0), (1, 2, 3));
    assert!(small.1 < large.1, "more seeds reach more: {small:?} {large:?}");
    let seeds = RankConfig::seeds_preset().seeds;
    assert_eq!((seeds.base, seeds.medium, seeds.large), (15, 20, 25));
    assert_eq!((seeds.medium_graph, seeds.large_graph), (10_000, 40_000));
}

#[test]
fn the_largest_group_of_candidates_goes_first_when_there_are_many() {
    let shop = build_fixture(SHOP);
    let focused = |threshold: Option<usize>| {
        let mut config = isolated_config();
        config.seeds.focus_above = threshold;
        let trace = trace(&shop, &config, "price of a cart");
        let names: Vec<String> = trace.seeds.iter().map(|s| shop.symbol_name(s.symbol)).collect();
        (trace.selection.focus, names)
    };
    let (focus_without, free) = focused(None);
    let (focus_at, kept) = focused(Some(free.len()));
    let (focus_above, changed) = focused(Some(free.len() - 1));
    assert_eq!((focus_without, focus_at), (None, None));
    assert_eq!(free, kept);
    assert_eq!(focus_above.as_deref(), Some("src/cart"));
    let folder = |name: &str| shop.snapshot.symbol(shop.symbol_id(name)).map(|s| s.path.to_owned());
    assert_eq!(folder(&free[0]).as_deref(), Some("src/price/price.py"));
    assert_eq!(folder(&changed[0]).as_deref(), Some("src/cart/cart.py"));
    assert_eq!(RankConfig::seeds_preset().seeds.focus_above, Some(5));
}

#[test]
fn implementors_of_a_found_interface_become_seeds() {
    let shop = build_fixture(SHOP);
    let mut config = isolated_config();
    let names_without = seed_names(&shop, &config, "`Store`");
    config.seeds.implementors = true;
    let trace_with = trace(&shop, &config, "`Store`");
    let names_with: Vec<String> = trace_with.seeds.iter().map(|s| shop.symbol_name(s.symbol)).collect();
    assert!(!names_without.iter().any(|name| name == "Disk" || name == "Memory"), "{names_without:?}");
    assert!(
        names_with.contains(&"Disk".to_owned()) && names_with.contains(&"Memory".to_owned()),
        "{names_with:?}"
    );
    assert_eq!(trace_with.selection.implementors, 2);
}

#[test]
fn each_noise_rule_removes_the_symbols_that_match_it() {
    let shop = build_fixture(
        "//- src/a.py\nfunction cart: Carts. { cart }\nfunction ca: Cart. { cart }\nfunction id: Cart. { cart }\n\
         //- src/mock.py\nclass MockCart: Fake cart.\nmethod MockCart.cart_total: Sum. { cart }\n\
         //- src/testutil/b.py\nfunction cart_helper: Cart. { cart }\n\
         //- web/app.min.js\nfunction cart_view: Cart. { cart }\n",
    );
    let removed = |noise: config::NoiseConfig| {
        let config = RankConfig { noise, ..isolated_config() };
        let trace = trace(&shop, &config, "cart");
        let mut removed: Vec<String> =
            trace.noise.iter().map(|r| format!("{} ({})", shop.symbol_name(r.symbol), r.rule)).collect();
        for gone in &trace.noise {
            assert!(trace.ranked.iter().all(|r| r.symbol != gone.symbol));
            assert!(trace.seeds.iter().all(|s| s.symbol != gone.symbol));
        }
        removed.sort();
        removed
    };
    let none = config::NoiseConfig { short_names: false, mocks: false, test_helpers: false };
    assert_eq!(removed(none), ["cart_view (minified)"]);
    assert_eq!(
        removed(config::NoiseConfig { short_names: true, ..none }),
        ["ca (short name)", "cart_view (minified)"]
    );
    assert_eq!(
        removed(config::NoiseConfig { mocks: true, ..none }),
        ["MockCart.cart_total (mock)", "cart_view (minified)"]
    );
    assert_eq!(
        removed(config::NoiseConfig { test_helpers: true, ..none }),
        ["cart_helper (test helper)", "cart_view (minified)"]
    );
    let seeds = RankConfig::seeds_preset().noise;
    assert!(seeds.short_names && seeds.mocks && seeds.test_helpers);
}

#[test]
fn edges_of_a_language_server_carry_less_walk_mass() {
    let shop = build_fixture(
        "//- a.py\nfunction start: Begins. -> !confirmed, parsed\n//- b.py\nfunction confirmed: One.\n//- c.py\nfunction parsed: Two.\n",
    );
    let mass = |factor: f64| {
        let mut config = isolated_config();
        config.walk.lsp_factor = factor;
        let trace = trace(&shop, &config, "`start`");
        let mass_of =
            |name: &str| trace.ranked.iter().find(|r| shop.symbol_name(r.symbol) == name).expect(name).walk;
        (mass_of("confirmed"), mass_of("parsed"), ranked_names(&shop, &config, "`start`"))
    };
    let (confirmed, parsed, equal) = mass(1.0);
    assert_eq!(confirmed, parsed);
    let (confirmed, parsed, attenuated) = mass(0.3);
    assert!((confirmed / parsed - 0.3).abs() < 1e-9, "{confirmed} {parsed}");
    assert_eq!(equal, ["start", "confirmed", "parsed"]);
    assert_eq!(attenuated, ["start", "parsed", "confirmed"]);
    assert_eq!(RankConfig::default().walk.lsp_factor, 0.3);
}

#[test]
fn symbols_that_name_the_same_library_type_are_near_only_with_shared_types() {
    let shop = build_fixture(
        "//- a.py\nfunction start: Begins. -> lib.Request, lib.log\n//- b.py\nfunction typed: One. -> lib.Request\n//- c.py\nfunction logged: Two. -> lib.log\n",
    );
    let found = |shared_types: bool| {
        let mut config = isolated_config();
        config.walk.shared_types = shared_types;
        ranked_names(&shop, &config, "`start`")
    };
    assert_eq!(found(false), ["start"]);
    assert_eq!(
        found(true),
        ["start", "typed"],
        "a common library call does not relate them, and the type itself is not a result"
    );
    assert!(RankConfig::seeds_preset().walk.shared_types);
    assert!(!RankConfig::default().walk.shared_types, "shared types did not help in bench/results");
}

/// Evidence that is equal for all symbols with the same name.
struct KnownEvidence(Vec<(&'static str, SymbolEvidence)>);

impl EvidenceSource for KnownEvidence {
    fn evidence_for(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence {
        let name = symbol.display_name();
        self.0.iter().find(|known| known.0 == name).map_or_else(SymbolEvidence::default, |known| known.1)
    }
}

fn component_value(ranked: &RankedSymbol, name: &str) -> f64 {
    ranked.components.iter().find(|c| c.name == name).map_or(0.0, |c| c.value)
}

fn rank_with_evidence(
    config: &RankConfig,
    known: KnownEvidence,
    no_learning: bool,
) -> Vec<(String, RankedSymbol)> {
    let shop = build_fixture(SHOP);
    let analysis = Analysis { evidence: Some(&known), ..analyze(&shop, config) };
    let options = RequestOptions { no_learning, ..RequestOptions::default() };
    let request = TaskRequest { task: "cart price".into(), options };
    analysis.rank_task(&request).into_iter().map(|r| (shop.symbol_name(r.symbol), r)).collect()
}

#[test]
fn a_recent_commit_adds_to_both_formulas_even_without_learning() {
    const SECONDS_PER_DAY: u64 = 86_400;
    for config in [RankConfig::linear_preset(), RankConfig::seeds_preset()] {
        for (age, gain) in [
            (SECONDS_PER_DAY, 0.05),
            (SECONDS_PER_DAY + 1, 0.03),
            (7 * SECONDS_PER_DAY, 0.03),
            (7 * SECONDS_PER_DAY + 1, 0.01),
            (30 * SECONDS_PER_DAY, 0.01),
            (30 * SECONDS_PER_DAY + 1, 0.0),
        ] {
            let known = || {
                KnownEvidence(vec![(
                    "load_cart",
                    SymbolEvidence { commit_age: Some(age), ..SymbolEvidence::default() },
                )])
            };
            for no_learning in [false, true] {
                let ranked = rank_with_evidence(&config, known(), no_learning);
                let (_, cart) = ranked.iter().find(|r| r.0 == "load_cart").expect("a candidate");
                assert_eq!(component_value(cart, "commit_recency"), gain, "{} {age}", config.name);
            }
        }
        let rank_of = |known: KnownEvidence| {
            rank_with_evidence(&config, known, false)
                .iter()
                .position(|r| r.0 == "load_cart")
                .expect("the symbol is ranked")
        };
        let fresh = KnownEvidence(vec![(
            "load_cart",
            SymbolEvidence { commit_age: Some(1), ..SymbolEvidence::default() },
        )]);
        assert!(rank_of(fresh) <= rank_of(KnownEvidence(vec![])), "{}", config.name);
    }
}

/// Evidence of the vocabulary for one symbol.
struct KnownWords(kenning_graph::Hash);

impl EvidenceSource for KnownWords {
    fn evidence_for(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence {
        let vocabulary = if symbol.hash == self.0 { 1.0 } else { 0.0 };
        SymbolEvidence { vocabulary, ..SymbolEvidence::default() }
    }

    fn associated_symbols(&self) -> Vec<kenning_graph::Hash> {
        vec![self.0]
    }
}

#[test]
fn the_vocabulary_adds_candidates_and_nothing_else_changes() {
    let shop =
        build_fixture("//- cart.py\nfunction load_cart: Loads the cart.\n//- far.py\nfunction settle\n");
    let settle = shop.snapshot.symbol(shop.symbol_id("settle")).expect("a symbol").hash;
    for config in [RankConfig::default(), RankConfig::linear_preset(), RankConfig::seeds_preset()] {
        let rank = |evidence: Option<&dyn EvidenceSource>, no_learning| {
            let options = RequestOptions { no_learning, ..RequestOptions::default() };
            let request = TaskRequest { task: "load the cart".into(), options };
            Analysis { evidence, ..analyze(&shop, &config) }.rank_task(&request)
        };
        let cold = rank(None, false);
        assert!(cold.iter().all(|r| r.symbol != shop.symbol_id("settle")), "{}", config.name);
        let known = KnownWords(settle);
        let learned = rank(Some(&known), false);
        let added = learned.iter().find(|r| r.symbol == shop.symbol_id("settle")).expect("a candidate");
        assert_eq!(component_value(added, "vocabulary"), 0.03, "{}", config.name);
        assert_eq!(added.channels, ["vocabulary"]);
        let others: Vec<&RankedSymbol> = learned.iter().filter(|r| r.symbol != added.symbol).collect();
        if config.name != "seeds" {
            assert_eq!(others, cold.iter().collect::<Vec<_>>(), "{}", config.name);
        }
        assert_eq!(rank(Some(&known), true), cold, "{}", config.name);
        assert_eq!(rank(Some(&KnownEvidence(vec![])), false), cold, "nothing learned: {}", config.name);
    }
}

#[test]
fn feedback_and_session_count_in_both_formulas_but_not_without_learning() {
    for (config, session) in [(RankConfig::default(), 0.10), (RankConfig::seeds_preset(), 0.20)] {
        let known = || {
            KnownEvidence(vec![
                ("load_cart", SymbolEvidence { feedback: Some(1.0), ..SymbolEvidence::default() }),
                ("empty_cart", SymbolEvidence { feedback: Some(0.0), ..SymbolEvidence::default() }),
                ("Price", SymbolEvidence { session: 1.0, ..SymbolEvidence::default() }),
                ("Price.round", SymbolEvidence { session: 5.0, ..SymbolEvidence::default() }),
            ])
        };
        let learned = rank_with_evidence(&config, known(), false);
        let component_of = |name: &str, part: &str| {
            component_value(&learned.iter().find(|r| r.0 == name).expect("the symbol is ranked").1, part)
        };
        assert_eq!(component_of("load_cart", "feedback"), 0.25, "{}", config.name);
        assert_eq!(component_of("empty_cart", "feedback"), -0.05, "{}", config.name);
        assert_eq!(component_of("Price", "session"), session / 2.0, "{}", config.name);
        assert_eq!(component_of("Price.round", "session"), session, "{}", config.name);
        let unlearned = rank_with_evidence(&config, KnownEvidence(vec![]), false);
        let rank_of = |list: &[(String, RankedSymbol)], name: &str| list.iter().position(|r| r.0 == name);
        assert!(rank_of(&learned, "load_cart") < rank_of(&unlearned, "load_cart"), "{}", config.name);
        assert_eq!(rank_with_evidence(&config, known(), true), unlearned, "{}", config.name);
    }
}

#[test]
fn a_flat_ranking_of_a_huge_graph_falls_back_to_words_and_members() {
    // Ten functions with equal words, and a type that the words find later.
    let functions: String = (0..10).map(|i| format!("function cart_{i}: Cart. {{ cart }}\n")).collect();
    let shop = build_fixture(&format!(
        "//- src/a.py\n{functions}//- src/b.py\nclass Box: What a shop puts things into, from a cart or from elsewhere.\n\
         method Box.seal: Close it.\nmethod Box.ship: Send it.\n//- src/c.py\nfunction zebra: One of very many other things that may at times be near some cart of a shop, if ever.\n"
    ));
    let run = |graph_above: usize, flat_ratio: f64| {
        // The reranker would distinguish these functions.
        let mut config = RankConfig { rerank: None, ..RankConfig::linear_preset() };
        config.fallback = config.fallback.map(|f| FallbackConfig { graph_above, flat_ratio, hits: 11, ..f });
        let trace = trace(&shop, &config, "cart");
        let names: Vec<String> = trace.ranked.iter().map(|r| shop.symbol_name(r.symbol)).collect();
        (trace, names)
    };
    let (at, before) = run(count_symbols(&shop), 1.2);
    assert_eq!(at.fallback, None);
    let (over, after) = run(count_symbols(&shop) - 1, 1.2);
    let fallback = over.fallback.as_ref().expect("the ranking is flat and the graph huge");
    assert_eq!(fallback.confidence, 0.0);
    assert_eq!(after[..10], before[..10], "the top stays");
    assert_eq!(after[10..], ["Box", "Box.seal", "Box.ship", "zebra"]);
    for (i, ranked) in over.ranked[10..13].iter().enumerate() {
        assert!((ranked.score - (0.7 - 0.01 * i as f64)).abs() < 1e-9, "{}", ranked.score);
        assert_eq!(ranked.score, total_score(&ranked.components));
    }
    let why = over.explain_symbol(&shop.snapshot, shop.symbol_id("Box.seal"));
    assert_eq!((why.rank, why.fallback.is_some()), (Some(12), true));
    assert_ne!(before[10..], after[10..]);
    let (steep, _) = run(count_symbols(&shop) - 1, 0.1);
    assert_eq!(steep.fallback, None, "not flat");
    let seeds = RankConfig::seeds_preset().fallback.expect("the preset has a fallback");
    assert_eq!((seeds.graph_above, seeds.top, seeds.confidence_below), (200_000, 10, 0.3));
}

#[test]
fn phantoms_increase_the_effect_of_the_walk_in_a_pack() {
    let shop = build_fixture("//- a.py\nfunction far_one: Far.\nfunction near_one: Near.\n");
    let ranked = |name: &str, score: f64, walk: f64| {
        let mut entry = RankedSymbol::new(shop.symbol_id(name), crate::rank::CandidateOrigin::Walk);
        (entry.score, entry.walk, entry.fused, entry.is_above_threshold) = (score, walk, Some(score), true);
        entry
    };
    let ranked = [ranked("far_one", 1.0, 0.2), ranked("near_one", 0.6, 1.0)];
    let config = PackConfig { guaranteed: 0, max_bodies: 0, ..RankConfig::seeds_preset().pack };
    let packed = |phantoms: f64| {
        let input = pack_input(&shop, &ranked, phantoms);
        let texts = pack::PackTexts::new(&shop.snapshot, &NoText);
        let candidates = pack::PackCandidates::collect(&input, &config);
        let fitted = pack::fit_budget(&input, &candidates, &texts, &config, 25);
        assert_eq!(fitted.symbols.len(), 1, "there is room for one");
        (fitted.symbols[0].name.clone(), fitted.trace.exponent)
    };
    assert_eq!(packed(0.0), ("far_one".to_owned(), 0.3));
    assert_eq!(packed(1.0), ("near_one".to_owned(), 0.5));
    assert_eq!(packed(9.0).1, 0.7, "bounded");
}

#[test]
fn phantoms_around_the_seeds_raise_the_exponent_of_a_run() {
    let shop = build_fixture(SHOP);
    let exponent = |text: &str| {
        let trace = trace(&shop, &isolated_config(), text);
        (trace.walk.phantoms, trace.packing.expect("the run packs").exponent)
    };
    let (none, usual) = exponent("`Disk`");
    let (some, raised) = exponent("`Cart`");
    assert_eq!((none, usual), (0, 0.3));
    assert!(some > 0 && raised > 0.3 && raised <= 0.5, "{some} {raised}");
}

/// One symbol that contains all the words, and a file with several symbols that contain nearly all.
const MAIL: &str = "\
//- src/lone.py
function send_mail: Send mail.
//- src/post.py
function send_mail_now: Send mail.
function send_mail_later: Send mail.
function send_mail_twice: Send mail.
function send_mail_again: Send mail.
function send_mail_home: Send mail.
function send_mail_back: Send mail.
function send_mail_on: Send mail.
";

#[test]
fn the_top_rank_goes_to_the_file_with_most_votes() {
    let mail = build_fixture(MAIL);
    let voting = |sharpness: f64| {
        let mut config = RankConfig::linear_preset();
        config.text.file_prior = None;
        let fitted = config.rerank.expect("the default reranks");
        config.rerank =
            Some(config::RerankConfig { file_vote: sharpness, weights: BTreeMap::new(), ..fitted });
        let ranked = trace(&mail, &config, "send mail").ranked;
        let vote = |r: &RankedSymbol| r.components.iter().any(|part| part.name == "file_vote");
        let votes: Vec<String> =
            ranked.iter().filter(|r| vote(r)).map(|r| mail.symbol_name(r.symbol)).collect();
        (ranked.iter().map(|r| mail.symbol_name(r.symbol)).collect::<Vec<_>>(), votes)
    };
    let (without, nobody) = voting(0.0);
    assert_eq!((without[0].as_str(), nobody), ("send_mail", vec![]));
    let (with, leader) = voting(8.5);
    assert_eq!(with[0], without[1], "the best candidate of the other file");
    assert_eq!(leader, with[..1]);
    let rest: Vec<&String> = without.iter().filter(|name| **name != with[0]).collect();
    assert_eq!(with[1..].iter().collect::<Vec<_>>(), rest, "the rest keeps its order");
    assert_eq!(voting(1e6).0, without, "a vote for the best candidate's file changes nothing");
}

#[test]
fn a_candidate_outside_the_lead_never_takes_the_top_rank() {
    let mail = build_fixture(MAIL);
    let first = |lead: usize| {
        let mut config = RankConfig::linear_preset();
        config.text.file_prior = None;
        let fitted = config.rerank.expect("the default reranks");
        // The only weight counts against the symbol that leads by its words.
        let weights = BTreeMap::from([("name_precision".to_owned(), -0.5)]);
        config.rerank = Some(config::RerankConfig { lead, file_vote: 8.5, weights, ..fitted });
        let ranked = trace(&mail, &config, "send mail").ranked;
        ranked[..2].iter().map(|r| mail.symbol_name(r.symbol)).collect::<Vec<_>>()
    };
    let all = first(60);
    assert_ne!(all[0], "send_mail");
    assert_eq!(first(1), ["send_mail", all[0].as_str()], "the others follow in their order");
}
