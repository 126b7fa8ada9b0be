//! Tests which candidates each packing strategy prefers.

use super::*;
use crate::config::{PackConfig, PackStrategy, RankConfig};

#[test]
fn strategies_prefer_the_best_per_token_a_file_or_the_best() {
    let shop = build_fixture(
        "//- a.py\nfunction first: First.\nfunction fifth: Fifth.\n\
         //- b.py\nfunction second_with_a_name_that_is_so_long_that_it_takes_many_tokens: Second.\n\
         //- c.py\nfunction third: Third.\n//- d.py\nfunction fourth: Fourth.\n",
    );
    let long = "second_with_a_name_that_is_so_long_that_it_takes_many_tokens";
    let names = ["first", long, "third", "fourth", "fifth"];
    let ranked: Vec<RankedSymbol> = (names.iter().enumerate())
        .map(|(at, name)| {
            let mut entry = RankedSymbol::new(shop.symbol_id(name), crate::rank::CandidateOrigin::Walk);
            entry.score = 1.0 - 0.1 * at as f64;
            (entry.walk, entry.fused, entry.is_above_threshold) = (1.0, Some(entry.score), true);
            entry
        })
        .collect();
    let input = pack_input(&shop, &ranked, 0.0);
    let texts = pack::PackTexts::new(&shop.snapshot, &NoText);
    let packed = |strategy: PackStrategy, guaranteed: usize| {
        let config = PackConfig { strategy, guaranteed, max_bodies: 0, ..RankConfig::seeds_preset().pack };
        let candidates = pack::PackCandidates::collect(&input, &config);
        let fitted = pack::fit_budget(&input, &candidates, &texts, &config, 60);
        assert!(fitted.tokens <= 60);
        fitted.symbols.into_iter().map(|symbol| symbol.name).collect::<Vec<_>>()
    };
    assert_eq!(packed(PackStrategy::Density, 0), ["first", "third", "fourth"]);
    assert_eq!(packed(PackStrategy::FileGrouped, 0), ["first", "fifth", "third"]);
    assert_eq!(packed(PackStrategy::TopK, 0), ["first", long, "third"]);
    for strategy in [PackStrategy::Density, PackStrategy::FileGrouped, PackStrategy::TopK] {
        let names = packed(strategy, 2);
        assert!(["first", long].iter().all(|name| names.iter().any(|packed| packed == name)), "{names:?}");
    }
}
