//! Makes a pack fit its budget in the form in which the reader gets it.
//!
//! The strategies count the tokens of the items as Markdown. A form has other costs: a frame, tags,
//! escapes, edges. So the pack is filled, measured as a whole, and filled again with more or fewer
//! tokens for the items, until it uses nearly all of the budget or there is nothing more to show. A
//! pack over the budget is never the result.

use super::Pack;
use super::budget_fit::PackTrace;

/// Measures packs in the form in which the reader gets them.
pub trait PackSize: Sync {
    /// Returns the tokens of the rendered pack.
    fn count_rendered(&self, pack: &Pack) -> usize;
}

/// Maximum number of times that a pack is filled. Markdown takes two, JSON three.
const MAX_FILLS: usize = 6;

/// Share of the budget at which filling again gains too little.
const FULL: f64 = 0.95;

/// Fills a pack of at most `budget` rendered tokens. `fill` builds the pack from the tokens that its
/// items may take as Markdown. `Pack::tokens_used` of the result counts the rendered tokens.
pub(crate) fn fit_rendered(
    budget: usize,
    size: &dyn PackSize,
    mut fill: impl FnMut(usize) -> (Pack, PackTrace),
) -> (Pack, PackTrace) {
    let mut best = fill(0);
    let frame = measure_pack(&mut best.0, size);
    // The largest fill that fits, and the smallest that does not.
    let (mut fits, mut exceeds) = (0, usize::MAX);
    let mut items = budget.saturating_sub(frame);
    for _ in 0..MAX_FILLS {
        let (mut pack, trace) = fill(items);
        let rendered = measure_pack(&mut pack, size);
        let filled = trace.tokens;
        let is_complete = !pack.omitted_counts.contains_key("budget");
        if rendered <= budget {
            fits = fits.max(items);
            if rendered >= best.0.tokens_used {
                best = (pack, trace);
            }
            if is_complete || rendered as f64 >= FULL * budget as f64 {
                break;
            }
        } else {
            exceeds = exceeds.min(items);
        }
        // Tokens of the form per token of the items.
        let ratio = rendered.saturating_sub(frame).max(1) as f64 / filled.max(1) as f64;
        let aim = (budget.saturating_sub(frame) as f64 / ratio * 0.985) as usize;
        let low = fits + 1;
        let high = exceeds.saturating_sub(1);
        if low > high {
            break;
        }
        items =
            if (low..=high).contains(&aim) { aim } else { usize::midpoint(fits, high.min(2 * aim.max(low))) };
    }
    best
}

/// Counts the rendered tokens of a pack and stores them in it.
fn measure_pack(pack: &mut Pack, size: &dyn PackSize) -> usize {
    // The form shows the number itself. No smaller number has more tokens than the budget.
    pack.tokens_used = pack.budget;
    pack.tokens_used = size.count_rendered(pack);
    pack.tokens_used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::build_fixture;
    use crate::{Analysis, RankConfig, RequestOptions, TaskRequest};

    /// A form that needs `frame` tokens, and `ratio` tokens for each token of an item.
    struct LinearForm {
        frame: usize,
        ratio: f64,
    }

    impl PackSize for LinearForm {
        fn count_rendered(&self, pack: &Pack) -> usize {
            let items: usize = pack.symbols.iter().map(|symbol| symbol.tokens).sum();
            self.frame + (items as f64 * self.ratio).ceil() as usize
        }
    }

    /// A file with many functions about the same thing.
    fn many_functions() -> String {
        let function = |n: usize| {
            let lines = format!("  parse_config(step_{n})\n").repeat(1 + n % 7);
            format!("function load_config_{n}: Load the config number {n}. {{ parse }}\n{lines}")
        };
        format!("//- src/config.py\n{}", (0..80).map(function).collect::<String>())
    }

    #[test]
    fn every_form_uses_the_budget_and_never_more() {
        let fixture = build_fixture(&many_functions());
        let config = RankConfig::default();
        for (frame, ratio) in [(0, 1.0), (60, 1.0), (120, 1.9), (40, 0.2)] {
            let form = LinearForm { frame, ratio };
            let analysis =
                Analysis { size: Some(&form), ..Analysis::new(&fixture.snapshot, &config, &fixture) };
            for budget in [130, 300, 700, 1500, 3000, 100_000] {
                let options = RequestOptions { budget: Some(budget), ..RequestOptions::default() };
                let request = TaskRequest { task: "load the config".to_owned(), options };
                let pack = analysis.pack_task(&request).pack;
                assert!(pack.tokens_used <= budget, "{frame} {ratio}: {} of {budget}", pack.tokens_used);
                assert_eq!(pack.tokens_used, form.count_rendered(&pack));
                let used_up = pack.tokens_used as f64 >= 0.85 * budget as f64;
                let has_all = !pack.omitted_counts.contains_key("budget");
                assert!(
                    used_up || has_all || budget < 300,
                    "{frame} {ratio}: {} of {budget}",
                    pack.tokens_used
                );
            }
        }
    }
}
