//! The linear reranker: adds the name, kind and neighborhood of a candidate to the score of its
//! words.
//!
//! Each feature times its weight is a component of the score. The weights are data
//! (`data/rerank.toml`). They are fitted on the tuning repositories, and each repository is
//! evaluated with weights that were fitted without it (`bench/scripts/fit.py`).

use crate::channels::{ChannelInput, sort_by_score};
use crate::parallel::par_halves;
use crate::path_role::is_secondary;
use crate::query::TaskQuery;
use crate::rank::RankedSymbol;
use crate::score::{ScoreComponent, total_score};
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::{EdgeKind, FileId, Snapshot, SymbolId, SymbolRef, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The names of the features, in the order of their columns. All values lie between 0 and about 1.
/// Features that begin with `prose_` come last.
pub const FEATURES: [&str; 26] = [
    "name_coverage",
    "name_precision",
    "name_exact",
    "container_coverage",
    "file_name_coverage",
    "doc_coverage",
    "file_best",
    "file_sum",
    "caller",
    "callee",
    "member",
    "holder",
    "sibling",
    "type",
    "callable",
    "constructor",
    "test",
    "public",
    "size",
    "users",
    "uses",
    "walk",
    "prose_type",
    "prose_size",
    "prose_users",
    "prose_doc_coverage",
];

/// Number of features whose names do not begin with [`PROSE_PREFIX`].
const PLAIN_FEATURES: usize = 22;

/// Lead of the voted file's candidate over the previous top-ranked one, relative to the latter's
/// score.
const FILE_VOTE_LEAD: f64 = 1e-6;

/// Prefix of features that are scaled by the prose share of the task ([`prose_share`]). The rest of
/// the name is the scaled feature.
const PROSE_PREFIX: &str = "prose_";

/// The values of one candidate, one for each of [`FEATURES`].
pub type FeatureVector = [f64; FEATURES.len()];

/// Weights of the features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RerankConfig {
    /// Number of top ranks that are reordered.
    pub top: usize,
    /// Number of top ranks before reranking whose candidates may take the top rank. Other
    /// candidates can come second at best, because the words select the top rank better than the
    /// features do.
    pub lead: usize,
    /// Number of words in a task's first line above which it starts to count as prose, and at which
    /// it fully counts as prose. A short line names a location to change. A sentence describes a
    /// subject, whose documented, widely used types are likely answers.
    pub prose: [f64; 2],
    /// Sharpness of the vote that selects the file of the top rank. A candidate votes for its
    /// file with `exp(sharpness × (score / best score - 1))`. 0 disables the vote, and at high
    /// values the best candidate alone decides.
    pub file_vote: f64,
    /// Weight by name of the feature; a feature without an entry has weight 0.
    pub weights: BTreeMap<String, f64>,
}

impl RerankConfig {
    /// Returns the fitted weights.
    ///
    /// # Panics
    /// Never: the data is part of the program, and a test reads it.
    pub fn fitted_weights() -> Self {
        static FITTED: LazyLock<RerankConfig> = LazyLock::new(|| {
            toml::from_str(include_str!("../data/rerank.toml"))
                .expect("data/rerank.toml is part of the program")
        });
        FITTED.clone()
    }

    fn feature_weight(&self, feature: usize) -> f64 {
        self.weights.get(FEATURES[feature]).copied().unwrap_or(0.0)
    }
}

/// Adds the weighted features to the top ranks of a sorted list, and sorts these again.
pub(crate) fn rerank_top(input: &ChannelInput<'_>, config: &RerankConfig, ranked: &mut [RankedSymbol]) {
    let top = config.top.min(ranked.len());
    let leaders = ranked.iter().take(config.lead.min(top)).map(|candidate| candidate.symbol).collect();
    let rows = compute_features(input, &ranked[..top]);
    for (candidate, row) in ranked[..top].iter_mut().zip(rows) {
        for (at, value) in row.iter().enumerate() {
            let value = value * config.feature_weight(at);
            if value != 0.0 {
                add_component(&mut candidate.components, ScoreComponent { name: FEATURES[at], value });
            }
        }
        candidate.score = total_score(&candidate.components);
    }
    sort_by_score(input.snapshot, &mut ranked[..top], |c| c.score, |c| c.symbol);
    lead_with_voted_file(input.snapshot, config.file_vote, &leaders, &mut ranked[..top]);
}

/// Moves the best candidate of the file with the most votes to the top rank. If a single symbol
/// barely leads, several good candidates of another file are better evidence for the right file.
fn lead_with_voted_file(
    snapshot: &Snapshot,
    sharpness: f64,
    leaders: &FxHashSet<SymbolId>,
    ranked: &mut [RankedSymbol],
) {
    let is_leader = |candidate: &&RankedSymbol| leaders.contains(&candidate.symbol);
    let Some(best) =
        ranked.iter().find(is_leader).map(|first| first.score).filter(|&b| b > 0.0 && sharpness > 0.0)
    else {
        return;
    };
    let find_file =
        |candidate: &RankedSymbol| snapshot.symbol_facets(candidate.symbol).and_then(|symbol| symbol.file);
    // Files are in the order of their best candidates, so that the result does not depend on the
    // order of a hash map.
    let mut votes: Vec<(FileId, f64, usize)> = Vec::new();
    for (position, candidate) in ranked.iter().enumerate().filter(|(_, candidate)| is_leader(candidate)) {
        let Some(file) = find_file(candidate) else { continue };
        let vote = (sharpness * (candidate.score / best - 1.0)).exp();
        match votes.iter_mut().find(|known| known.0 == file) {
            Some(known) => known.1 += vote,
            None => votes.push((file, vote, position)),
        }
    }
    let Some(&(_, _, position)) = votes.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    if position > 0 {
        let value = ranked[0].score * (1.0 + FILE_VOTE_LEAD) - ranked[position].score;
        let leader = &mut ranked[position];
        leader.components.push(ScoreComponent { name: "file_vote", value });
        leader.score = total_score(&leader.components);
        ranked[..=position].rotate_right(1);
    }
}

/// Adds a component, or adds its value to the component with the same name (the walk is both a
/// stage and a feature).
fn add_component(components: &mut Vec<ScoreComponent>, new: ScoreComponent) {
    match components.iter_mut().find(|known| known.name == new.name) {
        Some(known) => known.value += new.value,
        None => components.push(new),
    }
}

/// Returns the features of candidates, which must be in ranked order.
pub(crate) fn compute_features(input: &ChannelInput<'_>, ranked: &[RankedSymbol]) -> Vec<FeatureVector> {
    let best = ranked.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE);
    let scores: FxHashMap<SymbolId, f64> = ranked.iter().map(|c| (c.symbol, c.score / best)).collect();
    let files = FileScores::from_ranked(input.snapshot, &scores, ranked);
    let prose =
        input.config.rerank.as_ref().map_or(0.0, |config| prose_share(&input.query.text, config.prose));
    let row = |words: &mut TaskWords, candidate: &RankedSymbol| match input.snapshot.symbol(candidate.symbol)
    {
        Some(symbol) => {
            let plain = feature_row(input.snapshot, &symbol, candidate, &scores, &files, words);
            std::array::from_fn(|at| match FEATURES[at].strip_prefix(PROSE_PREFIX) {
                None => plain[at],
                Some(name) => FEATURES.iter().position(|f| *f == name).map_or(0.0, |f| prose * plain[f]),
            })
        }
        None => [0.0; FEATURES.len()],
    };
    par_halves(ranked, |half| {
        let mut words = TaskWords::from_query(input.query);
        half.iter().map(|candidate| row(&mut words, candidate)).collect()
    })
}

/// Returns the plain features of one candidate, in the order of [`FEATURES`].
fn feature_row(
    snapshot: &Snapshot,
    symbol: &SymbolRef<'_>,
    candidate: &RankedSymbol,
    scores: &FxHashMap<SymbolId, f64>,
    files: &FileScores,
    words: &mut TaskWords,
) -> [f64; PLAIN_FEATURES] {
    let near = NearbyScores::around_symbol(snapshot, symbol, scores);
    let name = words.word_overlap(symbol.name);
    let stem = symbol.path.rsplit('/').next().unwrap_or("");
    let stem = stem.split('.').next().unwrap_or("");
    let (file_best, file_sum) = files.sibling_scores(symbol, scores.get(&symbol.id).copied().unwrap_or(0.0));
    let lines = symbol.span.end_line.saturating_sub(symbol.span.start_line) + 1;
    let flag = |on: bool| f64::from(u8::from(on));
    let log = |count: u32| f64::from(1 + count).ln() / 6.0;
    [
        name.coverage,
        name.precision,
        flag(name.exact),
        words.word_overlap(symbol.container).coverage,
        words.word_overlap(stem).coverage,
        words.word_overlap(symbol.doc_text()).coverage,
        file_best,
        file_sum,
        near.caller,
        near.callee,
        near.member,
        near.holder,
        near.sibling,
        flag(symbol.kind.is_type()),
        flag(symbol.kind.is_callable()),
        flag(symbol.kind == kenning_graph::SymbolKind::Constructor),
        flag(symbol.is_test || is_secondary(symbol)),
        flag(symbol.visibility == Visibility::Public),
        log(lines),
        log(near.users),
        log(near.uses),
        candidate.walk,
    ]
}

/// Returns the prose share of a task, 0..=1, by the number of words in its first line.
fn prose_share(task: &str, [from, to]: [f64; 2]) -> f64 {
    let words = task.lines().next().unwrap_or("").split_whitespace().count() as f64;
    ((words - from) / (to - from).max(1.0)).clamp(0.0, 1.0)
}

/// The words of the task, each with its share of the task's total contribution.
struct TaskWords {
    shares: FxHashMap<String, f64>,
    analyzer: Analyzer,
}

/// The overlap of a text's words with the words of the task.
#[derive(Default)]
struct WordOverlap {
    /// Share of the task's contribution whose words are in the text.
    coverage: f64,
    /// Share of the text's words that are in the task.
    precision: f64,
    /// Whether the text is an identifier of the task.
    exact: bool,
}

impl TaskWords {
    fn from_query(query: &TaskQuery) -> Self {
        let is_word = |token: &str| !token.starts_with(WHOLE_TOKEN_PREFIX);
        let sum: f64 = query.terms.iter().filter(|t| is_word(&t.token)).map(|t| t.contribution).sum();
        let share = |contribution: f64| if sum > 0.0 { contribution / sum } else { 0.0 };
        let shares = query.terms.iter().map(|t| (t.token.clone(), share(t.contribution))).collect();
        Self { shares, analyzer: Analyzer::default() }
    }

    fn word_overlap(&mut self, text: &str) -> WordOverlap {
        let mut shared = WordOverlap::default();
        let (mut seen, mut known) = (FxHashSet::default(), 0u32);
        let shares = &self.shares;
        self.analyzer.for_each_name_token(text, |token| {
            let share = shares.get(token).copied();
            if token.starts_with(WHOLE_TOKEN_PREFIX) {
                shared.exact |= share.is_some();
            } else if seen.insert(token.to_owned())
                && let Some(share) = share
            {
                known += 1;
                shared.coverage += share;
            }
        });
        shared.precision = f64::from(known) / (seen.len().max(1) as f64);
        shared
    }
}

/// The scores of the candidates in each file.
struct FileScores {
    by_file: FxHashMap<FileId, FileScore>,
    /// The greatest sum of a file.
    greatest_sum: f64,
}

/// The scores of the candidates in one file.
#[derive(Default)]
struct FileScore {
    best: f64,
    second: f64,
    sum: f64,
}

impl FileScores {
    /// Collects the best score, the second best and the sum for each file.
    fn from_ranked(snapshot: &Snapshot, scores: &FxHashMap<SymbolId, f64>, ranked: &[RankedSymbol]) -> Self {
        let mut by_file: FxHashMap<FileId, FileScore> = FxHashMap::default();
        for candidate in ranked {
            let Some(file) = snapshot.symbol_facets(candidate.symbol).and_then(|s| s.file) else { continue };
            let score = scores[&candidate.symbol];
            let entry = by_file.entry(file).or_default();
            if score > entry.best {
                entry.second = entry.best;
                entry.best = score;
            } else {
                entry.second = entry.second.max(score);
            }
            entry.sum += score;
        }
        let greatest_sum = by_file.values().map(|entry| entry.sum).fold(f64::MIN_POSITIVE, f64::max);
        Self { by_file, greatest_sum }
    }

    /// Returns the score of the best other candidate in the symbol's file, and the sum of its file
    /// relative to the greatest sum.
    fn sibling_scores(&self, symbol: &SymbolRef<'_>, own_score: f64) -> (f64, f64) {
        let Some(file) = symbol.file.and_then(|file| self.by_file.get(&file)) else {
            return (0.0, 0.0);
        };
        (if own_score >= file.best { file.second } else { file.best }, file.sum / self.greatest_sum)
    }
}

/// The best scores of the candidates around a symbol, and the numbers of its users and uses.
#[derive(Default)]
pub(crate) struct NearbyScores {
    /// Best score of a symbol that uses it, times the confidence of the edge.
    pub caller: f64,
    /// Best score of a symbol that it uses, times the confidence of the edge.
    pub callee: f64,
    /// Best score of a member.
    pub member: f64,
    /// Score of the container.
    pub holder: f64,
    /// Best score of another member of the container.
    pub sibling: f64,
    pub users: u32,
    pub uses: u32,
    /// Number of candidates that use it.
    pub listed_callers: u32,
}

/// Maximum number of members visited per container, for files of generated constants.
const MAX_SIBLINGS: usize = 200;

impl NearbyScores {
    /// Reads the edges of a symbol and the members of its container. `scores` has the scores of the
    /// candidates.
    pub fn around_symbol(
        snapshot: &Snapshot,
        symbol: &SymbolRef<'_>,
        scores: &FxHashMap<SymbolId, f64>,
    ) -> Self {
        let mut near = Self::default();
        let score = |id: SymbolId| scores.get(&id).copied().unwrap_or(0.0);
        snapshot.for_each_in_edge(symbol.id, |edge| {
            if edge.kind.is_use() {
                near.users += 1;
                near.listed_callers += u32::from(scores.contains_key(&edge.source));
                near.caller = near.caller.max(score(edge.source) * f64::from(edge.confidence));
            }
        });
        snapshot.for_each_out_edge(symbol.id, |edge| {
            if edge.kind.is_use() {
                near.uses += 1;
                near.callee = near.callee.max(score(edge.target) * f64::from(edge.confidence));
            } else if edge.kind == EdgeKind::Contains {
                near.member = near.member.max(score(edge.target));
            }
        });
        if let Some(holder) = symbol.parent {
            near.holder = score(holder);
            let mut seen = 0;
            snapshot.for_each_out_edge(holder, |edge| {
                if edge.kind == EdgeKind::Contains && edge.target != symbol.id && seen < MAX_SIBLINGS {
                    seen += 1;
                    near.sibling = near.sibling.max(score(edge.target));
                }
            });
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::{FEATURES, PLAIN_FEATURES, PROSE_PREFIX, RerankConfig, prose_share};

    #[test]
    fn the_data_has_only_known_features() {
        let fitted = RerankConfig::fitted_weights();
        let unknown: Vec<_> =
            fitted.weights.keys().filter(|name| !FEATURES.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(fitted.lead > 10 && fitted.top > fitted.lead);
    }

    #[test]
    fn prose_features_come_after_the_features_that_they_scale() {
        for (at, name) in FEATURES.iter().enumerate() {
            assert_eq!(name.starts_with(PROSE_PREFIX), at >= PLAIN_FEATURES, "{name}");
            let plain = name.strip_prefix(PROSE_PREFIX).unwrap_or(name);
            assert!(FEATURES[..PLAIN_FEATURES].contains(&plain), "{name}");
        }
    }

    #[test]
    fn a_longer_line_is_more_prose() {
        let words = |count: usize| prose_share(&vec!["word"; count].join(" "), [8.0, 16.0]);
        assert_eq!([words(0), words(8), words(12), words(16), words(40)], [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert_eq!(
            prose_share("fix it\n\nand many more words that say why this was done at all", [8.0, 16.0]),
            0.0
        );
    }
}
