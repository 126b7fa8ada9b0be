//! The linear reranker: what the name, the kind and the neighbourhood of a candidate add to its words.
//!
//! Each feature times its weight is a component of the score. The weights are fitted on the tuning repositories, each
//! repository judged by weights that were fitted without it (`bench/scripts/fit`), and stand as data.

use crate::channels::{ChannelInput, sort_by_score};
use crate::history::History;
use crate::path_role::is_secondary;
use crate::query::TaskQuery;
use crate::rank::Ranked;
use crate::score::{Component, total};
use kenning_graph::analysis::{Analyzer, WHOLE};
use kenning_graph::{EdgeKind, Snapshot, SymbolId, SymbolRef, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The features, in the order of their columns; all of them lie between 0 and about 1. Those that
/// begin with `prose_` stand behind the others.
pub const FEATURES: [&str; 29] = [
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
    "active",
    "recent",
    "folder",
    "prose_type",
    "prose_size",
    "prose_users",
    "prose_doc_coverage",
];

/// Features before those that begin with [`PROSE`].
const PLAIN: usize = 25;

/// What follows is a feature that counts as far as the task is prose.
const PROSE: &str = "prose_";

/// One value for each of [`FEATURES`].
pub type Features = [f64; FEATURES.len()];

/// Weights of the features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RerankConfig {
    /// First places that are reordered.
    pub top: usize,
    /// Words of a task's first line from which it counts as prose, and at which it is prose wholly. A short line names a
    /// place to change; a sentence describes a subject, whose documented and much used types are wanted.
    pub prose: [f64; 2],
    /// Weight by the name of the feature; a feature that is not named has none.
    pub weights: BTreeMap<String, f64>,
}

impl RerankConfig {
    /// The fitted weights.
    ///
    /// # Panics
    /// Never: the data is part of the program, and a test reads it.
    pub fn fitted() -> Self {
        toml::from_str(include_str!("../data/rerank.toml")).expect("data/rerank.toml is part of the program")
    }

    fn weight(&self, feature: usize) -> f64 {
        self.weights.get(FEATURES[feature]).copied().unwrap_or(0.0)
    }
}

/// Adds the weighted features to the first places of a list in its order, and sorts these anew.
pub(crate) fn rerank(input: &ChannelInput<'_>, config: &RerankConfig, ranked: &mut [Ranked]) {
    let top = config.top.min(ranked.len());
    let rows = features(input, &ranked[..top]);
    for (candidate, row) in ranked[..top].iter_mut().zip(rows) {
        for (at, value) in row.iter().enumerate() {
            let value = value * config.weight(at);
            if value != 0.0 {
                add(&mut candidate.components, Component { name: FEATURES[at], value });
            }
        }
        candidate.score = total(&candidate.components);
    }
    sort_by_score(input.snapshot, &mut ranked[..top], |c| c.score, |c| c.symbol);
}

/// Adds a component; what has the same name (the walk is a stage and a feature) is one component.
fn add(components: &mut Vec<Component>, new: Component) {
    match components.iter_mut().find(|known| known.name == new.name) {
        Some(known) => known.value += new.value,
        None => components.push(new),
    }
}

/// The features of candidates that stand in their order.
pub(crate) fn features(input: &ChannelInput<'_>, ranked: &[Ranked]) -> Vec<Features> {
    let best = ranked.first().map_or(1.0, |first| first.score).max(f64::MIN_POSITIVE);
    let scores: FxHashMap<SymbolId, f64> = ranked.iter().map(|c| (c.symbol, c.score / best)).collect();
    let files = Files::of(input, &scores, ranked);
    let mut words = Words::of(input.query);
    let prose = input.config.rerank.as_ref().map_or(0.0, |config| prose(&input.query.text, config.prose));
    let row = |candidate: &Ranked| match input.snapshot.symbol(candidate.symbol) {
        Some(symbol) => {
            let plain = row(input.snapshot, &symbol, candidate, &scores, &files, &mut words);
            std::array::from_fn(|at| match FEATURES[at].strip_prefix(PROSE) {
                None => plain[at],
                Some(name) => FEATURES.iter().position(|f| *f == name).map_or(0.0, |f| prose * plain[f]),
            })
        }
        None => [0.0; FEATURES.len()],
    };
    ranked.iter().map(row).collect()
}

fn row(
    snapshot: &Snapshot,
    symbol: &SymbolRef<'_>,
    candidate: &Ranked,
    scores: &FxHashMap<SymbolId, f64>,
    files: &Files<'_>,
    words: &mut Words,
) -> [f64; PLAIN] {
    let near = Near::of(snapshot, symbol, scores);
    let name = words.read(symbol.name);
    let stem = symbol.path.rsplit('/').next().unwrap_or("");
    let stem = stem.split('.').next().unwrap_or("");
    let (file_best, file_sum) = files.beside(symbol, scores.get(&symbol.id).copied().unwrap_or(0.0));
    let lines = symbol.span.end_line.saturating_sub(symbol.span.start_line) + 1;
    let flag = |on: bool| f64::from(u8::from(on));
    let log = |count: u32| f64::from(1 + count).ln() / 6.0;
    [
        name.coverage,
        name.precision,
        flag(name.exact),
        words.read(symbol.container).coverage,
        words.read(stem).coverage,
        words.read(symbol.doc).coverage,
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
        files.activity(symbol),
        files.recent(symbol),
        files.folder(symbol),
    ]
}

/// How much a task is prose, 0..=1, by the words of its first line.
fn prose(task: &str, [from, to]: [f64; 2]) -> f64 {
    let words = task.lines().next().unwrap_or("").split_whitespace().count() as f64;
    ((words - from) / (to - from).max(1.0)).clamp(0.0, 1.0)
}

/// The words of the task, with the share of each in what the task says.
struct Words {
    shares: FxHashMap<String, f64>,
    analyzer: Analyzer,
}

/// How a text and the task share words.
#[derive(Default)]
struct Shared {
    /// Share of the task that the text holds.
    coverage: f64,
    /// Share of the text's words that the task holds.
    precision: f64,
    /// The text is an identifier of the task.
    exact: bool,
}

impl Words {
    fn of(query: &TaskQuery) -> Self {
        let said = |token: &str| !token.starts_with(WHOLE);
        let sum: f64 = query.terms.iter().filter(|t| said(&t.token)).map(|t| t.contribution).sum();
        let share = |contribution: f64| if sum > 0.0 { contribution / sum } else { 0.0 };
        let shares = query.terms.iter().map(|t| (t.token.clone(), share(t.contribution))).collect();
        Self { shares, analyzer: Analyzer::default() }
    }

    fn read(&mut self, text: &str) -> Shared {
        let mut shared = Shared::default();
        let (mut seen, mut known) = (FxHashSet::default(), 0u32);
        let shares = &self.shares;
        self.analyzer.name_tokens(text, |token| {
            let share = shares.get(token).copied();
            if token.starts_with(WHOLE) {
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

/// What the candidates of each file score together.
struct Files<'a> {
    by_file: FxHashMap<u32, (f64, f64, f64)>,
    greatest: f64,
    folders: FxHashMap<String, f64>,
    history: Option<&'a History>,
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl<'a> Files<'a> {
    /// Best, second best and sum by file.
    fn of(input: &ChannelInput<'a>, scores: &FxHashMap<SymbolId, f64>, ranked: &[Ranked]) -> Self {
        let snapshot = input.snapshot;
        let mut by_file: FxHashMap<u32, (f64, f64, f64)> = FxHashMap::default();
        for candidate in ranked {
            let Some(file) = snapshot.facets(candidate.symbol).and_then(|s| s.file) else { continue };
            let score = scores[&candidate.symbol];
            let entry = by_file.entry(file.0).or_default();
            if score > entry.0 {
                entry.1 = entry.0;
                entry.0 = score;
            } else {
                entry.1 = entry.1.max(score);
            }
            entry.2 += score;
        }
        let greatest = by_file.values().map(|entry| entry.2).fold(f64::MIN_POSITIVE, f64::max);
        let mut folders: FxHashMap<String, f64> = FxHashMap::default();
        for candidate in ranked {
            let Some(symbol) = snapshot.symbol(candidate.symbol) else { continue };
            *folders.entry(folder_of(symbol.path).to_owned()).or_default() += scores[&candidate.symbol];
        }
        let most = folders.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        folders.values_mut().for_each(|sum| *sum /= most);
        Self { by_file, greatest, folders, history: input.history }
    }

    fn folder(&self, symbol: &SymbolRef<'_>) -> f64 {
        self.folders.get(folder_of(symbol.path)).copied().unwrap_or(0.0)
    }

    fn activity(&self, symbol: &SymbolRef<'_>) -> f64 {
        self.history.map_or(0.0, |history| (1.0 + history.activity(symbol.path, 120.0)).ln() / 4.0)
    }

    fn recent(&self, symbol: &SymbolRef<'_>) -> f64 {
        let age = self.history.and_then(|history| history.age(symbol));
        age.map_or(0.0, |age| 0.5f64.powf(age as f64 / 86_400.0 / 120.0))
    }

    /// The best other candidate of the symbol's file, and the sum of its file relative to the greatest.
    fn beside(&self, symbol: &SymbolRef<'_>, own: f64) -> (f64, f64) {
        let Some((best, second, sum)) = symbol.file.and_then(|file| self.by_file.get(&file.0)) else {
            return (0.0, 0.0);
        };
        (if own >= *best { *second } else { *best }, sum / self.greatest)
    }
}

/// The best candidates around a symbol, and how much is around it.
#[derive(Default)]
struct Near {
    /// Uses it.
    caller: f64,
    /// It uses.
    callee: f64,
    /// Is its member.
    member: f64,
    /// Holds it.
    holder: f64,
    /// Is held by the same.
    sibling: f64,
    users: u32,
    uses: u32,
}

/// Members of a holder that are looked at: of a file of generated constants the first ones say enough.
const MAX_SIBLINGS: usize = 200;

impl Near {
    fn of(snapshot: &Snapshot, symbol: &SymbolRef<'_>, scores: &FxHashMap<SymbolId, f64>) -> Self {
        let mut near = Self::default();
        let score = |id: SymbolId| scores.get(&id).copied().unwrap_or(0.0);
        snapshot.for_each_in(symbol.id, |edge| {
            if edge.kind.is_use() {
                near.users += 1;
                near.caller = near.caller.max(score(edge.source) * f64::from(edge.confidence));
            }
        });
        snapshot.for_each_out(symbol.id, |edge| {
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
            snapshot.for_each_out(holder, |edge| {
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
    use super::{FEATURES, PLAIN, PROSE, RerankConfig, prose};

    #[test]
    fn the_data_names_features_only() {
        let fitted = RerankConfig::fitted();
        let unknown: Vec<_> =
            fitted.weights.keys().filter(|name| !FEATURES.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(fitted.top > 10);
    }

    #[test]
    fn features_of_prose_stand_behind_those_they_are_made_of() {
        for (at, name) in FEATURES.iter().enumerate() {
            assert_eq!(name.starts_with(PROSE), at >= PLAIN, "{name}");
            let plain = name.strip_prefix(PROSE).unwrap_or(name);
            assert!(FEATURES[..PLAIN].contains(&plain), "{name}");
        }
    }

    #[test]
    fn a_line_becomes_prose_with_its_words() {
        let words = |count: usize| prose(&vec!["word"; count].join(" "), [8.0, 16.0]);
        assert_eq!([words(0), words(8), words(12), words(16), words(40)], [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert_eq!(
            prose("fix it\n\nand many more words that say why this was done at all", [8.0, 16.0]),
            0.0
        );
    }
}
