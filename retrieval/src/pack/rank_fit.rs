//! The packing strategy `rank`: texts in the order of the ranking, each as long as it is likely to be
//! of use.
//!
//! A symbol gets room in proportion to the likelihood that the task edits it, so that each token has
//! about the same use, and the pack ends where a symbol would get too little room to show what it is.
//! In rank order, each symbol shows its whole text if that fits into its room, else the most relevant
//! lines (`excerpt`), else its signature. No line is shown twice: a type leaves out the members that
//! are candidates themselves, and a candidate whose lines are all shown is skipped. The tests of the
//! first symbols follow, then the lines outside of symbols that have the task's words. The budget is
//! a ceiling.

use super::budget_fit::{FilledBudget, PackCandidate, TokenBudget};
use super::declaration_text::{DeclarationText, LineRange, PackTexts};
use super::excerpt::{LineRelevance, fit_item_text};
use super::test_choice::choose_tests;
use super::{DetailLevel, PackGroup, PackInput, PackSymbol, describe_symbol};
use crate::config::PackConfig;
use crate::likelihood::FIRST_SYMBOLS;
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
    /// The files of the code, in the order of their best symbol.
    files: Vec<PackCandidate>,
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
        let relevance = LineRelevance::new(tokens, names).with_file_lines(config.file_line_value);
        let tests = choose_tests(input, &code, &tests, config.max_tests);
        let described = describe_candidates(input, config, &code);
        Self {
            files: describe_files(input, &described),
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
    let mut filler = PackFiller::new(input, candidates, texts, config.whole_factor);
    let scale = room_scale(input, config);
    let (mut code, mut files) = (candidates.code.clone(), candidates.files.clone());
    let mut tests = candidates.tests.clone();
    let mut left = TokenBudget { remaining: budget };
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
    let mut is_shortened = false;
    for item in &mut code {
        let likelihood = item.rank.map_or(0.0, |rank| input.likelihoods.at_rank(rank));
        let room = likelihood * config.edit_tokens * scale;
        is_shortened |= filler.add_text(item, &mut left, room as usize) == ShownExtent::Shortened;
    }
    // Tests show their signatures, and files a few lines.
    for (items, room) in [(&mut tests, 0), (&mut files, config.file_tokens)] {
        for item in items {
            is_shortened |= filler.add_text(item, &mut left, room) == ShownExtent::Shortened;
        }
    }
    code.extend(tests.into_iter().chain(files).filter(|item| item.chosen.is_some()));
    FilledBudget { items: code, exponent: 0.0, tokens: budget - left.remaining, is_shortened }
}

/// Returns the factor by which a request's budget makes the room of each item larger or smaller.
/// Without it, a small budget would have one long text, and a large one would show nothing more.
fn room_scale(input: &PackInput<'_>, config: &PackConfig) -> f64 {
    input.budget as f64 / config.budget.max(1) as f64
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
    let scale = room_scale(input, config);
    let has_room = |&rank: &usize| {
        let room = input.likelihoods.at_rank(rank) * config.edit_tokens * scale;
        rank < FIRST_SYMBOLS || room >= config.least_tokens || is_pinned(input, rank)
    };
    code.retain(has_room);
    (code, tests)
}

fn is_pinned(input: &PackInput<'_>, rank: usize) -> bool {
    input.pinned.contains(&input.ranked[rank].symbol)
}

/// Describes the candidates, and assigns each to its group.
fn describe_candidates(input: &PackInput<'_>, config: &PackConfig, ranks: &[usize]) -> Vec<PackCandidate> {
    let mut items = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        let Some(mut item) = PackCandidate::describe_ranked(input, rank) else { continue };
        let is_subject = if input.is_task {
            is_subject_of_task(input, config, rank)
        } else {
            input.ranked[rank].distance == 0
        };
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

/// Whether a task probably edits the symbol at a rank.
fn is_subject_of_task(input: &PackInput<'_>, config: &PackConfig, rank: usize) -> bool {
    let likelihood = input.likelihoods.at_rank(rank);
    rank == 0 || (rank < config.subjects && likelihood >= config.subject_likelihood)
}

/// Describes the files of the subjects, in the order of their best symbol, for lines outside of symbols
/// that have words of the task.
fn describe_files(input: &PackInput<'_>, code: &[PackCandidate]) -> Vec<PackCandidate> {
    let snapshot = input.snapshot;
    let mut known = FxHashSet::default();
    let mut files = Vec::new();
    for item in code.iter().filter(|item| item.name.group <= PackGroup::Subject) {
        let path = &item.name.file;
        if !known.insert(path) {
            continue;
        }
        let Some(symbol) = snapshot.symbol_by_hash(&file_symbol_hash(path)) else { continue };
        let ranked = RankedSymbol::new(symbol, CandidateOrigin::File);
        let Some(file) = describe_symbol(snapshot, &ranked) else { continue };
        // The user pinned a symbol, not the rest of its file.
        let group = item.name.group.max(PackGroup::Subject);
        files.push(PackCandidate::from_item(PackSymbol { group, ..file }));
    }
    files
}

/// The extent to which a candidate is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownExtent {
    /// As many lines as the candidate has room for.
    Whole,
    /// Fewer lines, because the budget allows no more.
    Shortened,
}

/// Chooses the texts of candidates, and records the lines that are shown.
struct PackFiller<'a> {
    input: &'a PackInput<'a>,
    texts: &'a PackTexts<'a>,
    relevance: &'a LineRelevance,
    /// The factor by which a text may exceed its room if it is then shown whole.
    whole_factor: f64,
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
        whole_factor: f64,
    ) -> Self {
        let (relevance, candidates) = (&candidates.relevance, &candidates.symbols);
        Self { input, texts, relevance, whole_factor, shown: FxHashMap::default(), candidates }
    }

    /// Shows as much of a candidate's text as its room and the budget allow, else its signature or
    /// its name.
    fn add_text(&mut self, item: &mut PackCandidate, left: &mut TokenBudget, room: usize) -> ShownExtent {
        let chosen_tokens = item.chosen.as_ref().map_or(0, |chosen| chosen.tokens);
        let limit = room.min(left.remaining + chosen_tokens);
        let Some(file) = self.input.snapshot.file_of_symbol(item.name.symbol) else {
            return ShownExtent::Whole;
        };
        let text = self.texts.read_symbol(item.name.symbol);
        let is_cut = text.is_some() && limit < room;
        let mut extent = if is_cut { ShownExtent::Shortened } else { ShownExtent::Whole };
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
            let fit = |tokens: usize| fit_item_text(&item.name, &text, self.relevance, &is_hidden, tokens);
            let most = ((room as f64 * self.whole_factor) as usize).min(left.remaining + chosen_tokens);
            let whole = fit(most).filter(|excerpt| count_code_lines(excerpt, &text) == visible);
            if let Some(excerpt) = whole.or_else(|| fit(limit))
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
    /// show, the lines of excluded symbols, for a type the lines of its members that are candidates
    /// themselves, and for a file the lines of all its symbols.
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
        let is_file = item.kind == SymbolKind::File;
        for member in self.input.snapshot.file_symbol_refs(file) {
            let (first, last) = (member.span.start_line + 1, member.span.end_line + 1);
            let is_inside = is_file || (first > item.text_line && last <= item.end_line);
            let stands_apart = is_file || (member.kind.is_callable() && self.candidates.contains(&member.id));
            if is_inside && stands_apart && member.id != item.symbol {
                hidden.push((first, last));
            }
        }
        hidden
    }
}

/// Returns the number of lines that an item shows of its text, without the blank ones.
fn count_code_lines(item: &PackSymbol, text: &DeclarationText) -> usize {
    let is_shown = |line: &u32| item.shown_lines.iter().any(|(first, last)| (first..=last).contains(&line));
    text.code_lines().filter(is_shown).count()
}
