//! The ranking: collects candidates and scores them by one of two formulas.
//!
//! Candidates are the fused list and the symbols that the walk reached, without noise.
//! [`rank_candidates`] scores them with the seven components, or with the fused score plus
//! evidence, the walk and the reranker. The components of a candidate add up to its score exactly.

use crate::channels::{ChannelInput, ChannelList, EDITOR, is_result_kind, sort_by_score};
use crate::config::{ComponentWeights, HitsConfig, RankConfig, ScoreConfig};
use crate::evidence;
use crate::fusion::FusedCandidate;
use crate::hits::{HitsScore, compute_hits};
use crate::learned::{LearnedTrace, reorder_candidates};
use crate::noise::noise_reason;
use crate::parallel::par_halves;
use crate::path_role::is_secondary;
use crate::request::{EvidenceSource, SymbolEvidence};
use crate::rerank::rerank_top;
use crate::score::{ScoreComponent, SevenInput, compute_seven, total_score};
use crate::seeds::Seed;
use kenning_graph::{Edge, EdgeKind, Provenance, Snapshot, SymbolId, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// A candidate with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedSymbol {
    /// The symbol.
    pub symbol: SymbolId,
    /// The sum of the components.
    pub score: f64,
    /// The components of the score.
    pub components: Vec<ScoreComponent>,
    /// Fused score of the channels; `None` if only the walk found the symbol.
    pub fused: Option<f64>,
    /// Walk mass relative to the best.
    pub walk: f64,
    /// Restart weight, if the symbol is a seed of the walk.
    pub seed: Option<f64>,
    /// Hops from the symbols that the request itself matches, which have 0.
    pub distance: u32,
    /// Best confidence of an edge to the symbol, at least the configuration's minimum.
    pub confidence: f64,
    /// Provenance of that edge; `structural` if there is none.
    pub provenance: Provenance,
    /// The channels that found the symbol, with their rules.
    pub channels: Vec<String>,
    /// Authority and hub score, if HITS ran and included the symbol.
    pub hits: Option<HitsScore>,
    /// Whether its walk mass or a word match makes it a result.
    pub is_above_threshold: bool,
}

/// A candidate that a noise rule removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedSymbol {
    /// The symbol.
    pub symbol: SymbolId,
    /// The rule: `generated`, `built`, `vendored`, `minified`, `test helper`, `mock`, `short name`.
    pub rule: &'static str,
}

/// The origin of a candidate that no channel found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidateOrigin {
    /// The walk.
    Walk,
    /// The fallback on huge graphs.
    Fallback,
    /// An equivalence class whose targets are injected, with the reason that explanations show.
    Classes(&'static str),
    /// A pin of the user.
    Pinned,
    /// The tests of the first symbols.
    Tests,
    /// The rest of a file of candidates.
    File,
    /// The learned vocabulary.
    Vocabulary,
    /// The text of a document.
    Documents,
}

impl CandidateOrigin {
    /// Returns the name in packs and explanations.
    fn display_name(self) -> Cow<'static, str> {
        match self {
            Self::Walk => "walk".into(),
            Self::Fallback => "fallback".into(),
            Self::Classes(reason) => format!("classes:{reason}").into(),
            Self::Pinned => "pinned".into(),
            Self::Tests => "tests".into(),
            Self::File => "file".into(),
            Self::Vocabulary => "vocabulary".into(),
            Self::Documents => "documents".into(),
        }
    }
}

impl RankedSymbol {
    /// Creates a candidate that no channel found, with score 0 and distance 1.
    pub(crate) fn new(symbol: SymbolId, origin: CandidateOrigin) -> Self {
        Self {
            symbol,
            score: 0.0,
            components: Vec::new(),
            fused: None,
            walk: 0.0,
            seed: None,
            distance: 1,
            confidence: 0.0,
            provenance: Provenance::Structural,
            channels: vec![origin.display_name().into_owned()],
            hits: None,
            is_above_threshold: false,
        }
    }
}

/// The source of a candidate's blast radius.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlastSource {
    /// The walk mass.
    Walk,
    /// The number of direct callers.
    Callers,
}

/// A symbol that the walk reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReachedNode {
    pub symbol: SymbolId,
    /// The walk's mass, relative to the greatest one.
    pub mass: f64,
    /// Number of hops from the nearest seed.
    pub hops: u32,
}

/// The input of the ranking.
pub(crate) struct RankInput<'a> {
    pub input: ChannelInput<'a>,
    pub lists: &'a [ChannelList],
    pub fused: &'a [FusedCandidate],
    pub seeds: &'a [Seed],
    /// The symbols that the walk reached.
    pub reached: &'a [ReachedNode],
    pub score: ScoreConfig,
    pub blast: BlastSource,
    pub evidence: Option<&'a dyn EvidenceSource>,
    /// Whether feedback, uses, vocabulary and session count.
    pub learning: bool,
}

impl RankInput<'_> {
    /// Returns the candidates of the learned vocabulary that are not among `candidates`, in the
    /// order of their ids; none without learning.
    fn associated_candidates(&self, candidates: &[RankedSymbol]) -> Vec<RankedSymbol> {
        let Some(source) = self.evidence.filter(|_| self.learning) else { return Vec::new() };
        let ChannelInput { snapshot, config, .. } = self.input;
        let known: FxHashSet<SymbolId> = candidates.iter().map(|candidate| candidate.symbol).collect();
        let is_result = |&id: &SymbolId| {
            snapshot.symbol(id).is_some_and(|symbol| {
                is_result_kind(symbol.kind) && noise_reason(&symbol, config.noise).is_none()
            })
        };
        let associated = source.associated_symbols();
        let symbols = associated.iter().filter_map(|hash| snapshot.symbol_by_hash(hash));
        let mut added: Vec<SymbolId> = symbols.filter(|id| !known.contains(id)).filter(is_result).collect();
        added.sort_unstable();
        added.dedup();
        let to_candidate = |symbol| RankedSymbol {
            is_above_threshold: true,
            ..RankedSymbol::new(symbol, CandidateOrigin::Vocabulary)
        };
        added.into_iter().map(to_candidate).collect()
    }

    /// Returns the evidence for a symbol beyond the graph; without learning, only history and run
    /// time. The age of its last change comes from the evidence source (blame), or else from the
    /// commits that were read, and counts from the newest of them. The age of its last run counts
    /// from the newest record.
    fn find_evidence(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence {
        let known = self.evidence.map_or_else(SymbolEvidence::default, |source| source.evidence_for(symbol));
        let age =
            || self.input.history.and_then(|history| history.symbol_age(symbol, evidence::MAX_CHANGE_AGE));
        let observed = || self.input.snapshot.last_run_age(symbol.id);
        let known = SymbolEvidence {
            commit_age: known.commit_age.or_else(age),
            observed_age: known.observed_age.or_else(observed),
            ..known
        };
        if self.learning {
            return known;
        }
        SymbolEvidence { feedback: None, usage: None, vocabulary: 0.0, recall: 0.0, session: 0.0, ..known }
    }
}

/// The result of the ranking.
pub(crate) struct RankOutcome {
    /// The ranked list, best first.
    pub ranked: Vec<RankedSymbol>,
    /// The candidates that noise rules removed.
    pub noise: Vec<RemovedSymbol>,
    /// The record of the learned ranker, if it ran.
    pub learned: Option<LearnedTrace>,
}

/// Returns the ranked list of the candidates.
pub(crate) fn rank_candidates(input: &RankInput<'_>) -> RankOutcome {
    let (mut candidates, noise) = collect_candidates(input);
    let RankConfig { rerank, learned, .. } = input.input.config;
    let mut trace = None;
    match (input.score, learned) {
        (ScoreConfig::SevenComponents(config), _) => {
            candidates.extend(input.associated_candidates(&candidates));
            score_seven_components(input, &config, &mut candidates);
        }
        (ScoreConfig::FusedWithWalk { protected, walk }, Some(config)) => {
            add_walk_score(input.input.snapshot, protected, walk, &mut candidates);
            trace = Some(reorder_candidates(input, *config, &mut candidates));
            // The trees know nothing about this user, whose evidence counts after them.
            candidates.extend(input.associated_candidates(&candidates));
            add_evidence(input, &mut candidates);
            sort_by_total(&mut candidates);
        }
        (ScoreConfig::FusedWithWalk { protected, walk }, None) => {
            candidates.extend(input.associated_candidates(&candidates));
            add_evidence(input, &mut candidates);
            add_walk_score(input.input.snapshot, protected, walk, &mut candidates);
            if let Some(config) = rerank {
                rerank_top(&input.input, config, &mut candidates);
            }
        }
    }
    RankOutcome { ranked: candidates, noise, learned: trace }
}

/// Sorts by the sum of the components, best first. Equal candidates keep their order.
fn sort_by_total(candidates: &mut [RankedSymbol]) {
    for candidate in candidates.iter_mut() {
        candidate.score = total_score(&candidate.components);
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// Returns the fused symbols and the symbols that the walk reached as candidates without a score,
/// and the fused symbols that noise rules removed.
fn collect_candidates(input: &RankInput<'_>) -> (Vec<RankedSymbol>, Vec<RemovedSymbol>) {
    let ChannelInput { snapshot, config, .. } = input.input;
    let fused: FxHashMap<SymbolId, &FusedCandidate> = input.fused.iter().map(|f| (f.symbol, f)).collect();
    let seeds: FxHashMap<SymbolId, f64> = input.seeds.iter().map(|s| (s.symbol, s.weight)).collect();
    let reached: FxHashMap<SymbolId, &ReachedNode> =
        input.reached.iter().map(|node| (node.symbol, node)).collect();
    let channels = channel_names(input.lists);
    let mut seen = FxHashSet::default();
    let all = input.fused.iter().map(|f| f.symbol).chain(input.reached.iter().map(|node| node.symbol));
    let (mut found, mut removed) = (Vec::new(), Vec::new());
    for id in all.filter(|&id| seen.insert(id)) {
        let Some(symbol) = snapshot.symbol(id) else { continue };
        let direct = fused.get(&id);
        if let Some(rule) = noise_reason(&symbol, config.noise) {
            if is_result_kind(symbol.kind) && direct.is_some() {
                removed.push(RemovedSymbol { symbol: id, rule });
            }
            continue;
        }
        let (mass, hops) = reached.get(&id).map_or((0.0, 1), |node| (node.mass, node.hops));
        let seed = seeds.get(&id).copied();
        let mut entry = RankedSymbol::new(id, CandidateOrigin::Walk);
        if let Some(channels) = channels.get(&id) {
            entry.channels.clone_from(channels);
        }
        // The task does not name the editor position, so it is one step away.
        let only_at_cursor = entry.channels.iter().all(|name| name.starts_with(EDITOR));
        found.push(RankedSymbol {
            components: direct.map(|f| f.parts.clone()).unwrap_or_default(),
            fused: direct.map(|f| f.score),
            walk: mass,
            seed,
            distance: match (seed, direct) {
                (Some(_), _) => u32::from(only_at_cursor),
                (None, Some(_)) => 1,
                (None, None) => hops.max(1),
            },
            is_above_threshold: mass >= config.walk.threshold,
            ..entry
        });
    }
    (found, removed)
}

fn channel_names(lists: &[ChannelList]) -> FxHashMap<SymbolId, Vec<String>> {
    let mut names: FxHashMap<SymbolId, Vec<String>> = FxHashMap::default();
    for list in lists {
        for hit in &list.hits {
            let name = match hit.reason {
                "" => list.name.to_owned(),
                reason => format!("{}:{reason}", list.name),
            };
            names.entry(hit.symbol).or_default().push(name);
        }
    }
    names
}

/// Returns the confidence and provenance of the strongest edge to a symbol, ignoring structural and
/// git edges. The confidence is at least `minimum`; without such an edge the provenance is
/// structural.
pub(crate) fn strongest_support(snapshot: &Snapshot, id: SymbolId, minimum: f64) -> (f64, Provenance) {
    let mut best: Option<(f32, Provenance)> = None;
    let mut consider = |edge: Edge| {
        let is_evidence = !matches!(edge.provenance, Provenance::Structural | Provenance::Git);
        if is_evidence && best.is_none_or(|b| (edge.confidence, edge.provenance) > b) {
            best = Some((edge.confidence, edge.provenance));
        }
    };
    snapshot.for_each_in_edge(id, &mut consider);
    snapshot.runtime_callers(id).into_iter().for_each(&mut consider);
    best.map_or((minimum, Provenance::Structural), |(c, p)| (f64::from(c).max(minimum), p))
}

/// Scores candidates with the seven components, and sorts them: results above the threshold first,
/// by score.
fn score_seven_components(input: &RankInput<'_>, config: &ComponentWeights, candidates: &mut [RankedSymbol]) {
    let ChannelInput { snapshot, query, config: rank_config, .. } = input.input;
    let hits_config = rank_config.hits.as_ref().filter(|h| candidates.len() > h.min_candidates);
    if let Some(hits) = hits_config {
        add_hits_scores(snapshot, hits, candidates);
    }
    let blast: Vec<f64> = candidates.iter().map(|c| blast_score(snapshot, input.blast, c)).collect();
    let max_blast = blast.iter().copied().fold(0.0, f64::max);
    for (candidate, blast) in candidates.iter_mut().zip(blast) {
        let Some(symbol) = snapshot.symbol(candidate.symbol) else { continue };
        (candidate.confidence, candidate.provenance) =
            strongest_support(snapshot, candidate.symbol, config.min_confidence);
        // The request names the seeds, and all other symbols are one step away.
        candidate.distance = u32::from(candidate.seed.is_none());
        let parts = SevenInput {
            blast_radius: if max_blast > 0.0 { blast / max_blast } else { 0.0 },
            confidence: candidate.confidence,
            distance: candidate.distance,
            is_seed: candidate.seed.is_some(),
            hits: hits_config.map(|_| candidate.hits.unwrap_or_default()),
            evidence: input.find_evidence(&symbol),
            penalized_test: !query.is_about_tests && is_secondary(&symbol),
        };
        candidate.components = compute_seven(config, hits_config, &rank_config.evidence, &parts);
        candidate.score = total_score(&candidate.components);
    }
    sort_by_score(snapshot, candidates, |c| c.score, |c| c.symbol);
    candidates.sort_by_key(|c| !c.is_above_threshold);
}

/// Adds feedback, session and history to scores that consist of the channels' parts.
fn add_evidence(input: &RankInput<'_>, candidates: &mut [RankedSymbol]) {
    if input.evidence.is_none() && input.input.history.is_none() {
        return;
    }
    let ChannelInput { snapshot, config, .. } = input.input;
    let evidence_parts = |candidate: &RankedSymbol| {
        let evidence = snapshot.symbol(candidate.symbol).map(|symbol| input.find_evidence(&symbol));
        evidence.map(|evidence| evidence::evidence_components(&config.evidence, &evidence))
    };
    let parts = par_halves(candidates, |half| half.iter().map(evidence_parts).collect());
    for (candidate, parts) in candidates.iter_mut().zip(parts) {
        candidate.components.extend(parts.into_iter().flatten());
    }
}

/// Returns the walk's mass in whole hundredths, or the number of direct callers of a seed (0 for
/// other candidates).
fn blast_score(snapshot: &Snapshot, blast: BlastSource, candidate: &RankedSymbol) -> f64 {
    match blast {
        BlastSource::Walk => (candidate.walk * 100.0).floor(),
        BlastSource::Callers if candidate.seed.is_none() => 0.0,
        BlastSource::Callers => {
            let mut callers = 0;
            snapshot.for_each_in_edge(candidate.symbol, |edge| {
                callers += u32::from(edge.kind == EdgeKind::Calls);
            });
            f64::from(callers)
        }
    }
}

/// Computes hub and authority scores for the candidates with the greatest walk mass.
fn add_hits_scores(snapshot: &Snapshot, config: &HitsConfig, candidates: &mut [RankedSymbol]) {
    let mut best: Vec<usize> = (0..candidates.len()).collect();
    best.sort_by(|&a, &b| candidates[b].walk.total_cmp(&candidates[a].walk).then(a.cmp(&b)));
    best.truncate(config.top);
    let index_by_symbol: FxHashMap<SymbolId, u32> =
        best.iter().enumerate().map(|(n, &i)| (candidates[i].symbol, n as u32)).collect();
    let mut edges = Vec::new();
    for (from, &i) in best.iter().enumerate() {
        snapshot.for_each_out_edge(candidates[i].symbol, |edge| {
            if let Some(&to) = index_by_symbol.get(&edge.target) {
                edges.push((from as u32, to));
            }
        });
    }
    for (score, &i) in compute_hits(best.len(), &edges, config.iterations).into_iter().zip(&best) {
        candidates[i].hits = Some(score);
    }
}

/// Scores by the fused score and adds the walk's share below the protected top ranks. The walk
/// never moves a candidate above the protected ranks.
fn add_walk_score(snapshot: &Snapshot, protected: usize, weight: f64, candidates: &mut [RankedSymbol]) {
    for candidate in candidates.iter_mut() {
        candidate.score = total_score(&candidate.components);
        // A word match is a result whether or not the walk reaches it.
        candidate.is_above_threshold |= candidate.fused.is_some();
    }
    sort_by_score(snapshot, candidates, |c| c.score, |c| c.symbol);
    let protected = protected.min(candidates.iter().filter(|c| c.fused.is_some()).count());
    let bound = protected.checked_sub(1).map_or(f64::INFINITY, |last| candidates[last].score.next_down());
    for candidate in &mut candidates[protected..] {
        let gain = (weight * candidate.walk).min(bound - candidate.score);
        if gain > 0.0 {
            candidate.components.push(ScoreComponent { name: "walk", value: gain });
            candidate.score = total_score(&candidate.components);
        }
    }
    sort_by_score(snapshot, &mut candidates[protected..], |c| c.score, |c| c.symbol);
    for candidate in &mut candidates[..protected] {
        candidate.distance = 0;
    }
}
