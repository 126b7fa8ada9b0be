//! Makes a pack fit its budget in the form in which the reader gets it.
//!
//! The strategies count the tokens of the items as Markdown. A form has other costs: a frame, tags,
//! escapes, edges. [`fit_rendered`] therefore fills the pack, measures it as a whole, and fills it
//! again with more or fewer tokens for the items, until the pack uses nearly all of the budget or
//! there is nothing more to show. The result is never over the budget.

use super::Pack;
use super::budget_fit::PackTrace;

/// Measures packs in the form in which the reader gets them.
pub trait PackSize: Sync {
    /// Returns the tokens of the rendered pack.
    fn count_rendered(&self, pack: &Pack) -> usize;

    /// Whether the form shows the texts of symbols. If not, the pack has more symbols instead.
    fn shows_text(&self) -> bool {
        true
    }

    /// Whether the form shows sections of documents.
    fn shows_documents(&self) -> bool {
        true
    }
}

/// Number of times that a pack is filled to use all of the budget. Markdown takes two, JSON three.
const USUAL_FILLS: usize = 6;

/// Maximum number of times that a pack is filled. Small packs of forms with costly items need more
/// than the usual number.
const MAX_FILLS: usize = 20;

/// Number of fills after which the next one halves the range. The estimates have failed by then.
const ESTIMATED_FILLS: usize = 4;

/// Share of the budget at which filling again gains too little.
const FULL_SHARE: f64 = 0.95;

/// Share of the budget that is enough after the usual number of fills.
const NEARLY_FULL_SHARE: f64 = 0.87;

/// Number of larger fills to try if the search has left much of the budget. More tokens for the
/// items do not always give a larger pack: another choice of symbols has fewer edges.
const LARGER_FILLS: usize = 8;

/// Share of the tokens for the items by which the larger fills differ.
const LARGER_FILL_STEP: f64 = 0.06;

/// Share of the budget that an estimate aims at.
const AIMED_SHARE: f64 = 0.985;

/// Fills a pack of at most `budget` rendered tokens. `fill` builds the pack from the tokens that
/// its items may take as Markdown. `Pack::tokens_used` of the result counts the rendered tokens.
pub(crate) fn fit_rendered(
    budget: usize,
    size: &dyn PackSize,
    mut fill: impl FnMut(usize) -> (Pack, PackTrace),
) -> (Pack, PackTrace) {
    let mut best = fill(0);
    let frame = measure_pack(&mut best.0, size);
    let mut search = FillSearch::new(budget, frame);
    for count in 1..=MAX_FILLS {
        let (mut pack, trace) = fill(search.items);
        let rendered = measure_pack(&mut pack, size);
        let (filled, is_complete) = (trace.tokens, trace.is_complete);
        if rendered <= budget {
            if rendered >= best.0.tokens_used {
                best = (pack, trace);
            }
            if is_complete {
                break;
            }
        }
        let full = if count < USUAL_FILLS { FULL_SHARE } else { NEARLY_FULL_SHARE };
        if best.0.tokens_used as f64 >= full * budget as f64 {
            break;
        }
        if !search.record_fill(filled, rendered, count) {
            break;
        }
    }
    let used = best.0.tokens_used;
    if (used as f64) < NEARLY_FULL_SHARE * budget as f64 && search.smallest_excess != usize::MAX {
        best = try_larger_fills(used, &search, size, fill).unwrap_or(best);
    }
    best
}

/// Fills packs with somewhat more tokens for the items than the smallest fill that exceeded the
/// budget. Returns the largest pack that fits and has at least `min_tokens`, or `None`.
fn try_larger_fills(
    min_tokens: usize,
    search: &FillSearch,
    size: &dyn PackSize,
    mut fill: impl FnMut(usize) -> (Pack, PackTrace),
) -> Option<(Pack, PackTrace)> {
    let (mut largest, mut largest_tokens) = (None, min_tokens);
    for count in 1..=LARGER_FILLS {
        let items = search.smallest_excess as f64 * (1.0 + LARGER_FILL_STEP * count as f64);
        let (mut pack, trace) = fill(items as usize);
        let tokens = measure_pack(&mut pack, size);
        if (largest_tokens..=search.budget).contains(&tokens) {
            (largest, largest_tokens) = (Some((pack, trace)), tokens);
        }
    }
    largest
}

/// The search for the tokens that the items may take.
struct FillSearch {
    budget: usize,
    /// Rendered tokens of a pack without items.
    frame: usize,
    /// The tokens for the items of the next fill.
    items: usize,
    /// The tokens for the items of the largest fill that fits.
    largest_fit: usize,
    /// The tokens for the items of the smallest fill that does not fit; `usize::MAX` for none.
    smallest_excess: usize,
    /// The tokens of the items of the last fill and the rendered tokens of its pack.
    last: Option<(usize, usize)>,
}

impl FillSearch {
    fn new(budget: usize, frame: usize) -> Self {
        let items = budget.saturating_sub(frame);
        Self { budget, frame, items, largest_fit: 0, smallest_excess: usize::MAX, last: None }
    }

    /// Chooses the next fill from the outcome of this one. Returns `false` if there is none.
    fn record_fill(&mut self, filled: usize, rendered: usize, count: usize) -> bool {
        if rendered <= self.budget {
            self.largest_fit = self.largest_fit.max(self.items);
        } else {
            self.smallest_excess = self.smallest_excess.min(self.items);
        }
        let aim = self.estimate_items(filled, rendered);
        self.last = Some((filled, rendered));
        let (low, high) = (self.largest_fit + 1, self.smallest_excess.saturating_sub(1));
        if low > high {
            return false;
        }
        let is_plausible = (low..=high).contains(&aim) && count < ESTIMATED_FILLS;
        self.items = if is_plausible {
            aim
        } else {
            usize::midpoint(self.largest_fit, high.min(2 * aim.max(low))).max(low)
        };
        true
    }

    /// Estimates the tokens of the items that fill the budget: along the line through the last two
    /// fills, or else from the rendered tokens per token of the items.
    fn estimate_items(&self, filled: usize, rendered: usize) -> usize {
        if let Some((last_filled, last_rendered)) = self.last
            && (filled < last_filled) == (rendered < last_rendered)
            && filled != last_filled
            && rendered != last_rendered
        {
            let slope = filled.abs_diff(last_filled) as f64 / rendered.abs_diff(last_rendered) as f64;
            let missing = self.budget as f64 * AIMED_SHARE - rendered as f64;
            return (filled as f64 + missing * slope).max(0.0) as usize;
        }
        let ratio = rendered.saturating_sub(self.frame).max(1) as f64 / filled.max(1) as f64;
        (self.budget.saturating_sub(self.frame) as f64 / ratio * AIMED_SHARE) as usize
    }
}

/// Counts the rendered tokens of a pack and stores them in it.
pub(super) fn measure_pack(pack: &mut Pack, size: &dyn PackSize) -> usize {
    // The form shows the number itself. No smaller number has more tokens than the budget.
    pack.tokens_used = pack.budget;
    pack.tokens_used = size.count_rendered(pack);
    pack.tokens_used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::build_fixture;
    use crate::pack::DESCRIPTION_COUNT;
    use crate::{Analysis, RankConfig, RequestOptions, TaskRequest};
    use std::sync::atomic::{AtomicUsize, Ordering};

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

    /// Returns a file with many functions about the same thing.
    fn write_many_functions() -> String {
        let function = |n: usize| {
            let lines = format!("  parse_config(step_{n})\n").repeat(1 + n % 7);
            format!("function load_config_{n}: Load the config number {n}. {{ parse }}\n{lines}")
        };
        format!("//- src/config.py\n{}", (0..80).map(function).collect::<String>())
    }

    #[test]
    fn no_form_exceeds_the_budget_or_is_cut_far_below_it() {
        let fixture = build_fixture(&write_many_functions());
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
                let is_cut = pack.end.is_some_and(|end| end.is_cut);
                assert!(
                    pack.tokens_used as f64 >= 0.85 * budget as f64 || !is_cut || budget < 300,
                    "{frame} {ratio}: {} of {budget}",
                    pack.tokens_used
                );
            }
        }
    }

    /// A form that counts how often a pack is measured.
    struct CountedForm(LinearForm, AtomicUsize);

    impl PackSize for CountedForm {
        fn count_rendered(&self, pack: &Pack) -> usize {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.count_rendered(pack)
        }
    }

    #[test]
    fn candidates_are_described_once_however_often_a_pack_is_filled() {
        let fixture = build_fixture(&write_many_functions());
        let config = RankConfig::default();
        let count_descriptions = |size: Option<&dyn PackSize>| {
            let analysis = Analysis { size, ..Analysis::new(&fixture.snapshot, &config, &fixture) };
            let options = RequestOptions { budget: Some(1500), ..RequestOptions::default() };
            let before = DESCRIPTION_COUNT.get();
            analysis.pack_task(&TaskRequest { task: "load the config".to_owned(), options });
            DESCRIPTION_COUNT.get() - before
        };
        let form = CountedForm(LinearForm { frame: 120, ratio: 4.0 }, AtomicUsize::new(0));
        let with_form = count_descriptions(Some(&form));
        let fills = form.1.load(Ordering::Relaxed);
        assert!(fills > 2, "the pack is filled {fills} times");
        assert!(with_form >= 5);
        assert_eq!(with_form, count_descriptions(None), "without a form, a pack is filled once");
    }
}
