//! The text channel: BM25 over the fields of symbols with the file as a prior, or BM25 over six
//! columns without bodies.
//!
//! [`TextQueryKind`] selects the query. The channel multiplies scores by factors for types, tests
//! and frequently changed files. The best files add a share of their scores to their symbols, so
//! that symbols that match nothing themselves become candidates.

use super::adjacent_words::{PairFinder, WordPair};
use super::{Channel, ChannelHit, ChannelInput, ListUsage, ScoreScale, sort_by_score};
use crate::config::{ChannelConfig, FilePriorConfig, RankConfig, TextQueryKind};
use crate::history::CommitHistory;
use crate::parallel::run_concurrently;
use crate::path_role::PathRoles;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX, is_compound, whole_token};
use kenning_graph::text::{TextField, TextParams, TextQuery, TextQueryTerm};
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of pairs of adjacent words that are searched. Pasted logs have thousands.
const MAX_WORD_PAIRS: usize = 5;

/// Shortest word of a pair of adjacent words, and shortest part of a compound that is searched on
/// its own, in bytes.
const MIN_WORD_BYTES: usize = 3;

/// The channel's name in packs and explanations.
pub const NAME: &str = "bm25";

/// The text channel.
pub(super) struct TextChannel;

impl Channel for TextChannel {
    fn display_name(&self) -> &'static str {
        NAME
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.text.channel
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Relative)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let config = &input.config.text;
        let (query, pairs) = match config.query {
            TextQueryKind::Weighted => (weighted_query(input), Vec::new()),
            TextQueryKind::Keywords => (keyword_query(input), word_pairs(input)),
        };
        let params = config.bm25.text_params();
        let mut hits = match &config.file_prior {
            Some(prior) => scores_with_file_prior(input.snapshot, &query, &params, prior),
            None => scores_with_pairs(input.snapshot, &query, &pairs, &params),
        };
        drop_derived(input.snapshot, &mut hits);
        let mut factors = ScoreFactors::new(input);
        let (lowest, highest) = factors.factor_range();
        keep_best(&mut hits, config.limit, lowest / highest);
        for (id, score) in &mut hits {
            *score *= factors.factor_of_symbol(*id);
        }
        hits.retain(|&(_, score)| score > 0.0);
        keep_best(&mut hits, config.limit, 1.0);
        sort_by_score(input.snapshot, &mut hits, |hit| hit.1, |hit| hit.0);
        hits.truncate(config.limit);
        hits.into_iter().map(|(symbol, score)| ChannelHit { symbol, score, reason: "" }).collect()
    }
}

/// Removes the hits in files that no one edits. The rules against noise would remove them only after
/// they have taken the places of source.
fn drop_derived(snapshot: &Snapshot, hits: &mut Vec<(SymbolId, f64)>) {
    if !snapshot.count_derived_files().is_empty() {
        let file_of = |id| snapshot.symbol_facets(id).and_then(|symbol| symbol.file);
        hits.retain(|&(id, _)| file_of(id).is_none_or(|file| snapshot.derived_reason(file).is_none()));
    }
}

/// Removes the hits that cannot be among the best `limit`. `spread`, at most 1, is the smallest
/// factor that a later step may apply to one score relative to another. Hits with the same score as
/// the last one stay, because names decide among equal scores.
fn keep_best(hits: &mut Vec<(SymbolId, f64)>, limit: usize, spread: f64) {
    if limit == 0 || hits.len() <= limit {
        return;
    }
    let (_, &mut (_, last), _) = hits.select_nth_unstable_by(limit - 1, |a, b| b.1.total_cmp(&a.1));
    hits.retain(|&(_, score)| score >= last * spread);
}

/// The factors of a symbol's score by its kind and file. Each path is classified once.
struct ScoreFactors<'a> {
    snapshot: &'a Snapshot,
    type_factor: f64,
    test_factor: f64,
    /// Tests that the task names, whose factor is 0. The task repeats the words of their names, and
    /// the channel of named tests finds them.
    named_tests: FxHashSet<SymbolId>,
    history: Option<&'a CommitHistory>,
    activity: f64,
    activity_days: f64,
    roles: PathRoles<'a>,
    /// The factor of each file by its history, and whether the file is secondary.
    files: FxHashMap<FileId, (f64, bool)>,
}

impl<'a> ScoreFactors<'a> {
    fn new(input: &ChannelInput<'a>) -> Self {
        let text = &input.config.text;
        let test_factor =
            if input.query.is_about_tests { text.test_factor_when_asked } else { text.test_factor };
        Self {
            snapshot: input.snapshot,
            type_factor: f64::from(text.type_factor),
            test_factor: f64::from(test_factor),
            named_tests: input.query.tests.iter().flat_map(|test| &test.symbols).copied().collect(),
            history: input.history.filter(|_| text.file_activity > 0.0),
            activity: text.file_activity,
            activity_days: text.file_activity_days,
            roles: PathRoles::default(),
            files: FxHashMap::default(),
        }
    }

    /// Returns the least and the greatest factor that a symbol can have.
    fn factor_range(&self) -> (f64, f64) {
        let history_factor =
            self.activity * (1.0 + self.history.map_or(0.0, CommitHistory::max_file_activity)).ln();
        let factors = |pick: fn(f64, f64) -> f64| pick(self.type_factor, 1.0) * pick(self.test_factor, 1.0);
        (factors(f64::min), factors(f64::max) * (1.0 + history_factor))
    }

    fn factor_of_symbol(&mut self, id: SymbolId) -> f64 {
        let Some(symbol) = self.snapshot.symbol_facets(id) else { return 1.0 };
        if self.named_tests.contains(&id) {
            return 0.0;
        }
        let kind_factor = if symbol.kind.is_type() { self.type_factor } else { 1.0 };
        let (file_factor, in_secondary) = symbol.file.map_or((1.0, false), |file| self.factor_of_file(file));
        kind_factor * file_factor * if symbol.is_test || in_secondary { self.test_factor } else { 1.0 }
    }

    fn factor_of_file(&mut self, file: FileId) -> (f64, bool) {
        if let Some(&known) = self.files.get(&file) {
            return known;
        }
        let path = self.snapshot.file(file).map_or("", |file| file.path);
        let commits = self.history.map_or(0.0, |history| history.file_activity(path, self.activity_days));
        let found = (1.0 + self.activity * (1.0 + commits).ln(), self.roles.is_secondary_path(path));
        self.files.insert(file, found);
        found
    }
}

/// Returns the symbols with a score above 0.
fn positive_scores(scores: &[f32]) -> impl Iterator<Item = (SymbolId, f64)> {
    let with_ids = (0u32..).zip(scores).filter(|(_, score)| **score > 0.0);
    with_ids.map(|(id, &score)| (SymbolId(id), f64::from(score)))
}

/// Returns the scores of symbols, including the scores of the pairs of words that are adjacent in
/// the symbol.
fn scores_with_pairs(
    snapshot: &Snapshot,
    query: &TextQuery,
    pairs: &[WordPair],
    params: &TextParams,
) -> Vec<(SymbolId, f64)> {
    let mut scores = snapshot.symbol_scores(query, params);
    let mut finder = PairFinder::new(snapshot);
    for pair in pairs {
        let both = TextQuery { terms: vec![query_term(pair.to_vec(), None)] };
        let with_both = snapshot.symbol_scores(&both, params);
        for (at, (score, pair_score)) in (0u32..).zip(scores.iter_mut().zip(with_both)) {
            if pair_score > 0.0 && finder.has_pair(SymbolId(at), pair) {
                *score += pair_score;
            }
        }
    }
    positive_scores(&scores).collect()
}

/// Returns the scores of symbols, each with the weighted score of its file added. Symbols of the
/// best files become candidates even without a score of their own.
fn scores_with_file_prior(
    snapshot: &Snapshot,
    query: &TextQuery,
    params: &TextParams,
    prior: &FilePriorConfig,
) -> Vec<(SymbolId, f64)> {
    // The two searches are independent.
    let (by_file, scores) = run_concurrently(
        || snapshot.file_scores(query, &prior.bm25.text_params()),
        || snapshot.symbol_scores(query, params),
    );
    let file_score = |file: FileId| by_file.get(file.0 as usize).copied().unwrap_or(0.0);
    let mut hits: Vec<(SymbolId, f64)> = positive_scores(&scores).collect();
    let best_file_symbols = best_files(snapshot, &by_file, prior.max_files)
        .into_iter()
        .flat_map(|file| indexed_documents(snapshot, file));
    let without_score =
        best_file_symbols.filter(|id| scores.get(id.0 as usize).is_none_or(|&score| score <= 0.0));
    hits.extend(without_score.take(prior.max_symbols).map(|id| (id, 0.0)));
    for (id, score) in &mut hits {
        let file = snapshot.symbol_facets(*id).and_then(|symbol| symbol.file);
        *score += f64::from(prior.weight) * f64::from(file.map_or(0.0, file_score));
    }
    hits
}

/// Returns the files with the best scores above 0, best first, equal scores by path, because ids
/// depend on the order in which files were indexed.
fn best_files(snapshot: &Snapshot, scores: &[f32], limit: usize) -> Vec<FileId> {
    let mut files: Vec<(u32, f32)> =
        (0u32..).zip(scores.iter().copied()).filter(|(_, score)| *score > 0.0).collect();
    let path = |id: u32| snapshot.file(FileId(id)).map(|file| file.path);
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then_with(|| path(a.0).cmp(&path(b.0)));
    if (1..files.len()).contains(&limit) {
        files.select_nth_unstable_by(limit - 1, order);
    }
    files.truncate(limit);
    files.sort_unstable_by(order);
    files.into_iter().map(|(file, _)| FileId(file)).collect()
}

/// Returns the symbols of a file that are documents of the text index.
fn indexed_documents(snapshot: &Snapshot, file: FileId) -> Vec<SymbolId> {
    let in_callable = |symbol: &SymbolRef<'_>| {
        let mut parent = symbol.parent;
        while let Some(outer) = parent.and_then(|id| snapshot.symbol(id)) {
            if outer.kind.is_callable() {
                return true;
            }
            parent = outer.parent;
        }
        false
    };
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    symbols
        .filter(|s| !matches!(s.kind, SymbolKind::File | SymbolKind::Field | SymbolKind::EnumMember))
        .filter(|s| !in_callable(s))
        .map(|s| s.id)
        .collect()
}

/// Returns a term of weight 1 that matches whole tokens.
fn query_term(tokens: Vec<String>, field: Option<TextField>) -> TextQueryTerm {
    TextQueryTerm { tokens, weight: 1.0, field, prefix: false }
}

fn weighted_query(input: &ChannelInput<'_>) -> TextQuery {
    let terms = input.query.terms.iter();
    let terms = terms.map(|t| TextQueryTerm { weight: t.weight, ..query_term(vec![t.token.clone()], None) });
    TextQuery { terms: terms.chain(synonym_terms(input)).collect() }
}

fn synonym_terms(input: &ChannelInput<'_>) -> impl Iterator<Item = TextQueryTerm> {
    let synonyms = input.query.synonyms.iter();
    synonyms.map(|s| TextQueryTerm { weight: s.weight, ..query_term(vec![s.token.clone()], None) })
}

/// Returns the first [`MAX_WORD_PAIRS`] pairs of adjacent words of the task.
fn word_pairs(input: &ChannelInput<'_>) -> Vec<WordPair> {
    let mut analyzer = Analyzer::default();
    let mut pairs: Vec<WordPair> = Vec::new();
    for words in input.query.keywords.components.windows(2).take(MAX_WORD_PAIRS) {
        let mut stem = |word: &String| {
            (word.len() >= MIN_WORD_BYTES).then(|| analyzer.stem_part(word).map(str::to_owned)).flatten()
        };
        if let [first, second] = words
            && let (Some(first), Some(second)) = (stem(first), stem(second))
        {
            pairs.push([first, second]);
        }
    }
    let mut seen = FxHashSet::default();
    pairs.retain(|pair| seen.insert(pair.clone()));
    pairs
}

/// Builds the query of the `seeds` configuration: compounds in the name, words anywhere, prefixes
/// of paths. If the keywords find nothing, splits compounds into their parts. [`word_pairs`]
/// returns the pairs of adjacent words.
fn keyword_query(input: &ChannelInput<'_>) -> TextQuery {
    let keywords = &input.query.keywords;
    let mut analyzer = Analyzer::default();
    let mut primary: Vec<TextQueryTerm> =
        keywords.all_keywords().filter_map(|keyword| keyword_term(keyword, &mut analyzer)).collect();
    let query = TextQuery { terms: primary.clone() };
    if input.snapshot.search_symbols(&query, &input.config.text.bm25.text_params()).is_empty() {
        primary =
            keywords.all_keywords().flat_map(|keyword| decompose_keyword(keyword, &mut analyzer)).collect();
    }
    let mut terms = primary;
    for path_term in &input.query.path_terms {
        if let Some(stem) = analyzer.stem_part(path_term) {
            let term = query_term(vec![stem.to_owned()], Some(TextField::Path));
            terms.push(TextQueryTerm { prefix: true, ..term });
        }
    }
    terms.extend(synonym_terms(input));
    let mut seen = FxHashSet::default();
    terms.retain(|t| seen.insert((t.tokens.clone(), t.field, t.prefix)));
    terms.truncate(input.config.query.max_terms);
    TextQuery { terms }
}

fn keyword_term(keyword: &str, analyzer: &mut Analyzer) -> Option<TextQueryTerm> {
    let last = keyword.rsplit(['.', ':']).next().unwrap_or(keyword);
    if last.contains('_') || is_compound(last) || last.len() < keyword.len() {
        let token = whole_token(last);
        return (token.len() > WHOLE_TOKEN_PREFIX.len_utf8())
            .then(|| query_term(vec![token], Some(TextField::Name)));
    }
    analyzer.stem_part(keyword).map(|stem| query_term(vec![stem.to_owned()], None))
}

fn decompose_keyword(keyword: &str, analyzer: &mut Analyzer) -> Vec<TextQueryTerm> {
    let mut tokens = Vec::new();
    let segments: Vec<&str> =
        keyword.split(['.', ':']).filter(|s| !s.is_empty() && !s.starts_with("__")).collect();
    for segment in segments.iter().rev().take(2) {
        for part in kenning_graph::analysis::word_parts(segment) {
            if part.len() >= MIN_WORD_BYTES {
                tokens.extend(analyzer.stem_part(part).map(str::to_owned));
            }
        }
    }
    tokens.into_iter().map(|token| query_term(vec![token], Some(TextField::Name))).collect()
}
