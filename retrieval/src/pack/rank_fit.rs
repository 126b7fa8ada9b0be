//! The packing strategy `rank`: texts in the order of the ranking, and a share of the budget for
//! tests.
//!
//! In rank order, each symbol shows its whole text if that takes at most its share of the budget,
//! else the most relevant lines (`excerpt`), else its signature. No line is shown twice: a type
//! leaves out the members that are candidates themselves, and a candidate whose lines are all shown
//! is skipped. The tests of the first symbols follow. The rest of the budget extends the shortened
//! texts, in rank order.

use super::budget_fit::{FilledBudget, PackCandidate, TokenBudget};
use super::declaration_text::{DeclarationText, LineRange, PackTexts};
use super::excerpt::{LineRelevance, fit_item_text};
use super::test_choice::choose_tests;
use super::{DetailLevel, PackGroup, PackInput, PackSymbol, describe_symbol};
use crate::config::PackConfig;
use crate::rank::{CandidateOrigin, RankedSymbol};
use kenning_graph::snapshot::identity::file_symbol_hash;
use kenning_graph::{FileId, SymbolId, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of tokens below which an excerpt says less than a signature.
const MIN_EXCERPT_TOKENS: usize = 40;

/// Number of candidates whose names make a line of another symbol relevant.
const RELEVANT_NAMES: usize = 30;

/// The candidates of this strategy.
pub(crate) struct RankCandidates {
    /// The code, in rank order.
    code: Vec<PackCandidate>,
    /// The files of the code, in the order of their best symbol, each with the number of symbols that
    /// have their turn before the rest of the file.
    files: Vec<(usize, PackCandidate)>,
    /// The tests, the best first.
    tests: Vec<PackCandidate>,
    /// The symbols of the code.
    symbols: FxHashSet<SymbolId>,
    relevance: LineRelevance,
}

impl RankCandidates {
    /// Selects, describes and measures the candidates of a request.
    pub fn collect(input: &PackInput<'_>, config: &PackConfig) -> Self {
        let (code, tests) = split_candidates(input, config);
        let symbols = || code.iter().map(|&rank| input.ranked[rank].symbol);
        let names = symbols().take(RELEVANT_NAMES).filter_map(|id| Some(input.snapshot.symbol(id)?.name));
        let tokens = input.terms.iter().map(|term| (term.token.as_str(), term.contribution));
        let relevance = LineRelevance::new(tokens, names);
        let tests = choose_tests(input, &code, &tests, config.max_tests);
        let described = describe_candidates(input, config, &code);
        Self {
            files: describe_files(input, config, &described),
            tests: tests.into_iter().map(PackCandidate::from_item).collect(),
            symbols: symbols().collect(),
            code: described,
            relevance,
        }
    }
}

/// Packs candidates into `budget` tokens.
pub(super) fn fill_by_rank(
    input: &PackInput<'_>,
    candidates: &RankCandidates,
    texts: &PackTexts<'_>,
    config: &PackConfig,
    budget: usize,
) -> FilledBudget {
    let mut filler = PackFiller::new(input, candidates, texts, config);
    let (mut code, mut files) = (candidates.code.clone(), candidates.files.clone());
    let mut tests = candidates.tests.clone();
    let test_budget = if tests.is_empty() { 0 } else { (config.tests_share * budget as f64) as usize };
    let mut left = TokenBudget { remaining: budget - test_budget };
    // The pack contains at least the names of the first ranks.
    let first = config.guaranteed.min(code.len());
    for item in &mut code[..first] {
        left.try_replace(&mut item.chosen, &item.name);
    }
    for item in &mut code[..first] {
        if item.chosen.is_some() {
            left.try_replace(&mut item.chosen, &item.signature);
        }
    }
    let mut next_file = files.iter_mut().peekable();
    for (at, item) in code.iter_mut().enumerate() {
        let limit = filler.item_limit;
        while let Some((_, file)) = next_file.next_if(|(position, _)| *position <= at) {
            filler.add_text(file, &mut left, filler.file_limit);
        }
        filler.add_text(item, &mut left, limit);
    }
    for (_, file) in next_file {
        filler.add_text(file, &mut left, filler.file_limit);
    }
    left.remaining += test_budget;
    let test_limit = (filler.item_limit / 2).max(config.item_tokens);
    for item in &mut tests {
        filler.add_text(item, &mut left, test_limit);
    }
    let trimmed = |item: &&mut PackCandidate| {
        item.chosen.as_ref().is_none_or(|chosen| chosen.detail != DetailLevel::Body)
            && !item.is_shown_elsewhere
    };
    let mut is_shortened = false;
    for item in
        code.iter_mut().chain(files.iter_mut().map(|(_, file)| file)).chain(&mut tests).filter(trimmed)
    {
        is_shortened |= filler.add_text(item, &mut left, usize::MAX) == ShownExtent::Shortened;
    }
    let files = files.into_iter().map(|(_, file)| file);
    code.extend(files.chain(tests).filter(|item| item.chosen.is_some()));
    FilledBudget { items: code, exponent: 0.0, tokens: budget - left.remaining, is_shortened }
}

/// Returns the ranks of the code that may enter the pack, and the ranks of the tests.
fn split_candidates(input: &PackInput<'_>, config: &PackConfig) -> (Vec<usize>, Vec<usize>) {
    let top = input.ranked.first().map_or(0.0, |ranked| ranked.score);
    let is_candidate =
        |ranked: &RankedSymbol| ranked.is_above_threshold && ranked.score >= config.min_share * top;
    let is_test = |ranked: &RankedSymbol| {
        let facets = input.snapshot.symbol_facets(ranked.symbol);
        !input.is_about_tests && ranked.distance > 0 && facets.is_some_and(|facets| facets.is_test)
    };
    let (tests, mut code): (Vec<usize>, Vec<usize>) = (0..input.ranked.len())
        .filter(|&rank| is_candidate(&input.ranked[rank]))
        .partition(|&rank| is_test(&input.ranked[rank]));
    code.truncate(config.max_symbols);
    (code, tests)
}

/// Describes the candidates, and assigns each to its group.
fn describe_candidates(input: &PackInput<'_>, config: &PackConfig, ranks: &[usize]) -> Vec<PackCandidate> {
    let mut items = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        let Some(mut item) = PackCandidate::describe_ranked(input, rank) else { continue };
        let is_subject =
            if input.is_task { items.len() < config.subjects } else { input.ranked[rank].distance == 0 };
        let group = if input.pinned.contains(&item.name.symbol) {
            PackGroup::Pinned
        } else if is_subject {
            PackGroup::Subject
        } else {
            PackGroup::Related
        };
        (item.name.group, item.signature.group) = (group, group);
        items.push(item);
    }
    items
}

/// Describes the files of the candidates, in the order of their best candidate, each with the
/// number of candidates that have their turn before the rest of the file.
fn describe_files(
    input: &PackInput<'_>,
    config: &PackConfig,
    code: &[PackCandidate],
) -> Vec<(usize, PackCandidate)> {
    let snapshot = input.snapshot;
    let mut known = FxHashSet::default();
    let mut files = Vec::new();
    for (at, item) in code.iter().enumerate() {
        let path = &item.name.file;
        if !known.insert(path) || files.len() >= config.max_files {
            continue;
        }
        let Some(symbol) = snapshot.symbol_by_hash(&file_symbol_hash(path)) else { continue };
        let ranked = RankedSymbol::new(symbol, CandidateOrigin::File);
        let Some(file) = describe_symbol(snapshot, &ranked) else { continue };
        let turn = (config.file_delay * (files.len() + 1)).max(at + 1);
        // The user pinned a symbol, not the rest of its file.
        let group = item.name.group.max(PackGroup::Subject);
        let file = PackSymbol { group, ..file };
        files.push((turn, PackCandidate::from_item(file)));
    }
    files
}

/// The extent to which a candidate is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownExtent {
    /// All lines of the candidate that no other item shows.
    Whole,
    /// Fewer lines, because a limit or the budget allows no more.
    Shortened,
}

/// Chooses the texts of candidates, and records the lines that are shown.
struct PackFiller<'a> {
    input: &'a PackInput<'a>,
    texts: &'a PackTexts<'a>,
    /// Tokens that the text of one symbol may take in the first pass.
    item_limit: usize,
    /// Tokens that the rest of a file may take in the first pass.
    file_limit: usize,
    relevance: &'a LineRelevance,
    /// The lines that items of the pack show, by file and symbol.
    shown: FxHashMap<FileId, Vec<(SymbolId, LineRange)>>,
    /// The candidates among the code.
    candidates: &'a FxHashSet<SymbolId>,
}

impl<'a> PackFiller<'a> {
    fn new(
        input: &'a PackInput<'a>,
        candidates: &'a RankCandidates,
        texts: &'a PackTexts<'a>,
        config: &PackConfig,
    ) -> Self {
        let share = (config.item_share * input.budget as f64).max(1.0);
        let item_limit = round_to_power_of_two(share);
        // The same factor for both limits, so that they change at the same budgets.
        let file_limit = config.file_share * input.budget as f64 * item_limit / share;
        Self {
            input,
            texts,
            item_limit: (item_limit as usize).max(config.item_tokens),
            file_limit: (file_limit as usize).max(config.item_tokens),
            relevance: &candidates.relevance,
            shown: FxHashMap::default(),
            candidates: &candidates.symbols,
        }
    }

    /// Shows as much of a candidate's text as `limit` and the budget allow, else its signature or
    /// its name.
    fn add_text(&mut self, item: &mut PackCandidate, left: &mut TokenBudget, limit: usize) -> ShownExtent {
        let chosen_tokens = item.chosen.as_ref().map_or(0, |chosen| chosen.tokens);
        let limit = limit.min(left.remaining + chosen_tokens);
        let Some(file) = self.input.snapshot.file_of_symbol(item.name.symbol) else {
            return ShownExtent::Whole;
        };
        let text = self.texts.read_symbol(item.name.symbol);
        let mut extent = if text.is_some() { ShownExtent::Shortened } else { ShownExtent::Whole };
        if limit >= MIN_EXCERPT_TOKENS.max(chosen_tokens)
            && let Some(text) = text
        {
            let hidden = self.hidden_lines(file, &item.name);
            let is_hidden = |line: u32| hidden.iter().any(|&(first, last)| (first..=last).contains(&line));
            let visible = text.code_lines().filter(|&line| !is_hidden(line)).count();
            if visible == 0 {
                left.remaining += chosen_tokens;
                (item.chosen, item.is_shown_elsewhere) = (None, true);
                return ShownExtent::Whole;
            }
            if let Some(excerpt) = fit_item_text(&item.name, &text, self.relevance, &is_hidden, limit)
                && left.try_replace(&mut item.chosen, &excerpt)
            {
                let shown = self.shown.entry(file).or_default();
                shown.retain(|(symbol, _)| *symbol != item.name.symbol);
                shown.extend(excerpt.shown_lines.iter().map(|&range| (item.name.symbol, range)));
                return if count_code_lines(&excerpt, &text) == visible {
                    ShownExtent::Whole
                } else {
                    extent
                };
            }
        }
        if item.name.kind == SymbolKind::File {
            return extent;
        }
        if item.chosen.is_none() && !left.try_replace(&mut item.chosen, &item.signature) {
            left.try_replace(&mut item.chosen, &item.name);
        }
        if item.chosen.as_ref().is_none_or(|chosen| chosen.detail == DetailLevel::Name) {
            extent = ShownExtent::Shortened;
        }
        extent
    }

    /// Returns the lines of a symbol's file that the symbol leaves out: the lines that other items
    /// show, the lines of excluded symbols, and, for a type, the lines of its members that are
    /// candidates themselves.
    fn hidden_lines(&self, file: FileId, item: &PackSymbol) -> Vec<LineRange> {
        let shown = self.shown.get(&file).into_iter().flatten();
        let mut hidden: Vec<LineRange> =
            shown.filter(|(symbol, _)| *symbol != item.symbol).map(|(_, range)| *range).collect();
        for excluded in self.input.excluded.iter().filter_map(|&id| self.input.snapshot.symbol(id)) {
            if excluded.file == Some(file) {
                hidden.push((excluded.span.start_line + 1, excluded.span.end_line + 1));
            }
        }
        if item.kind.is_callable() {
            return hidden;
        }
        for member in self.input.snapshot.file_symbol_refs(file) {
            let (first, last) = (member.span.start_line + 1, member.span.end_line + 1);
            let is_inside = first > item.text_line && last <= item.end_line && member.id != item.symbol;
            if is_inside && member.kind.is_callable() && self.candidates.contains(&member.id) {
                hidden.push((first, last));
            }
        }
        hidden
    }
}

/// Rounds a limit to the nearest power of two, so that packs with somewhat different budgets show the
/// same texts, and the differences between them are small.
fn round_to_power_of_two(tokens: f64) -> f64 {
    tokens.log2().round().exp2()
}

/// Returns the number of lines that an item shows of its text, without the blank ones.
fn count_code_lines(item: &PackSymbol, text: &DeclarationText) -> usize {
    let is_shown = |line: &u32| item.shown_lines.iter().any(|(first, last)| (first..=last).contains(&line));
    text.code_lines().filter(is_shown).count()
}
