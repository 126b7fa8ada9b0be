//! The stages of a run, in their order.
//!
//! [`run_stages`] takes a task or a list of symbols and returns the trace with the ranked list. It
//! reads the query, runs the channels, fuses their lists, selects seeds, walks, scores, and applies
//! the fallback, injection and pins. [`build_pack`] then fits the ranked list into the budget.
//! Requests for files and changes skip the channels and the fusion: their seeds are the symbols
//! of the request, all with the same weight. Before each stage, the observer can cancel the run.

use crate::Analysis;
use crate::causes::RankReasons;
use crate::channels;
use crate::classes;
use crate::config::{ComponentWeights, PackConfig, RankConfig, ScoreConfig, WalkConfig};
use crate::fallback;
use crate::fusion::{FusedCandidate, fuse_lists};
use crate::history::CommitVotes;
use crate::injection::inject_classes;
use crate::likelihood::{ConfidenceLevel, EditLikelihoods, FIRST_SYMBOLS};
use crate::pack::{
    self, DocumentInput, FirstSymbol, FittedPack, Pack, PackCandidates, PackEdge, PackEnd, PackInput,
    PackSize, PackSymbol, PackTexts,
};
use crate::pins;
use crate::query::TaskQuery;
use crate::rank::{BlastSource, RankInput, RankOutcome, RankedSymbol, ReachedNode, rank_candidates};
use crate::request::RequestOptions;
use crate::score::ScoreComponent;
use crate::search::MatchingSections;
use crate::seeds::{self, Seed, SeedSelection};
use crate::task_match::{MatchInput, judge_match};
use crate::text_source::NoText;
use crate::trace::{RunTrace, WalkTrace};
use crate::vector_rerank;
use crate::walk::{Adjacency, WalkNeighborhood, top_nodes};
use kenning_graph::snapshot::NeighborBuffer;
use kenning_graph::{EdgeKind, Provenance, Snapshot, SymbolId};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// An observer of a run's stages, which can measure how long each stage takes and cancel the run.
pub trait StageObserver {
    /// Notifies the observer that stage `name` begins: `query`, `channels`, `fusion`, `walk`,
    /// `score`, `pack`, or `done` at the end.
    fn begin_stage(&mut self, name: &'static str);

    /// Whether the request was cancelled. The pipeline calls this before each stage.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The error of a run that its observer cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCancelled;

/// Begins a stage, or returns [`RunCancelled`] if the observer cancelled the run.
pub(crate) fn enter_stage(observer: &mut dyn StageObserver, stage: &'static str) -> Result<(), RunCancelled> {
    if observer.is_cancelled() {
        return Err(RunCancelled);
    }
    observer.begin_stage(stage);
    Ok(())
}

/// An observer that ignores every stage and never cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl StageObserver for NoObserver {
    fn begin_stage(&mut self, _name: &'static str) {}
}

/// Number of top ranks of the ranked list whose paths through the graph are recorded.
const RECORDED_PATHS: usize = 100;

/// The start of a run.
pub(crate) enum RunStart<'a> {
    /// The words of a task.
    Task(&'a str),
    /// The symbols of the request, all with the same weight.
    Symbols { symbols: Vec<SymbolId>, blast: BlastSource },
}

/// The input of packing, apart from the run itself.
pub(crate) struct PackRequest<'a> {
    /// The task as written; empty for files and changes.
    pub task: &'a str,
    /// The texts of the request that the pack root is computed from.
    pub request_parts: Vec<&'a str>,
    pub options: &'a RequestOptions,
    /// Budget in tokens for requests that specify none.
    pub budget: usize,
    pub unknown_files: Vec<String>,
}

/// Runs all stages before packing.
pub(crate) fn run_stages(
    analysis: &Analysis<'_>,
    start: RunStart<'_>,
    options: &RequestOptions,
    observer: &mut dyn StageObserver,
) -> Result<RunTrace, RunCancelled> {
    let Analysis { snapshot, config, .. } = *analysis;
    enter_stage(observer, "query")?;
    let mut query = match start {
        RunStart::Task(task) => TaskQuery::from_task(task, snapshot, config),
        RunStart::Symbols { .. } => TaskQuery::default(),
    };
    let is_task = matches!(start, RunStart::Task(_));
    let votes = match (&start, analysis.history) {
        (RunStart::Task(_), Some(history)) => CommitVotes::cast_votes(history, &query, snapshot, config),
        _ => CommitVotes::default(),
    };
    query.classes = classes::match_classes(&query.searchable_text, snapshot, analysis.workspace, config);
    let input = analysis.channel_input(&query, &votes);
    let (lists, fused, (seeds, selection), blast, score) = match start {
        RunStart::Task(_) => {
            enter_stage(observer, "channels")?;
            let lists = channels::run_channels(&input, analysis.channels);
            enter_stage(observer, "fusion")?;
            let fused = fuse_lists(snapshot, &lists, &config.fusion, |symbol| {
                votes.file_vote_component(&input, symbol)
            });
            let seeds = seeds::select_seeds(snapshot, &fused, &lists, config);
            (lists, fused, seeds, BlastSource::Walk, config.score)
        }
        RunStart::Symbols { symbols, blast } => {
            let (fused, seeds) = build_equal_seeds(&symbols);
            let score = ScoreConfig::SevenComponents(ComponentWeights::seeds_preset());
            (Vec::new(), fused, (seeds, SeedSelection::default()), blast, score)
        }
    };
    enter_stage(observer, "walk")?;
    let walked = walk_from_seeds(snapshot, &config.walk, &seeds, score);
    enter_stage(observer, "score")?;
    let RankOutcome { mut ranked, noise, learned } = rank_candidates(&RankInput {
        input,
        lists: &lists,
        fused: &fused,
        seeds: &seeds,
        reached: &walked.reached,
        score,
        blast,
        evidence: analysis.evidence,
        learning: !options.no_learning,
    });
    // The fallback runs before injected symbols and pins change the first scores.
    let fallback = fallback::apply_fallback(snapshot, config, &lists, &mut ranked);
    let injected = config.classes.injection.map(|injection| inject_classes(&input, &injection, &mut ranked));
    vector_rerank::sort_by_vectors(&input, &mut ranked);
    pins::apply_pins(snapshot, options, &mut ranked);
    let (lists_found, has_candidates) = (&lists, !ranked.is_empty());
    let match_input = MatchInput { snapshot, lists: lists_found, ranked: &ranked, has_candidates, options };
    let match_config = config.task_match.filter(|_| is_task);
    let task_match = match_config.map(|config| judge_match(&query, &match_input, config));
    Ok(RunTrace {
        config: config.name.clone(),
        query,
        voters: votes.voters,
        channels: lists,
        fused,
        selection,
        seeds,
        walk: walked.into_trace(&ranked),
        likelihoods: EditLikelihoods::for_request(&ranked, is_task),
        ranked,
        injected: injected.unwrap_or_default(),
        noise,
        excluded: options.excluded.clone(),
        learned,
        fallback,
        task_match,
        packing: None,
    })
}

/// Returns the symbols of a request as candidates and seeds, all with the same weight.
fn build_equal_seeds(symbols: &[SymbolId]) -> (Vec<FusedCandidate>, Vec<Seed>) {
    let fused = symbols.iter().map(|&symbol| {
        let parts = vec![ScoreComponent { name: "given", value: 1.0 }];
        FusedCandidate { symbol, score: 1.0, parts }
    });
    (fused.collect(), symbols.iter().map(|&symbol| Seed { symbol, weight: 1.0 }).collect())
}

/// The neighborhood that was walked and the nodes that the walk reached.
struct WalkResult {
    near: WalkNeighborhood<SymbolId>,
    reached: Vec<ReachedNode>,
    trace: WalkTrace,
}

impl WalkResult {
    /// Returns the trace with the strongest paths to the top ranks of the ranked list.
    fn into_trace(mut self, ranked: &[RankedSymbol]) -> WalkTrace {
        let recorded: FxHashSet<SymbolId> = ranked.iter().take(RECORDED_PATHS).map(|r| r.symbol).collect();
        let numbers: Vec<u32> = (0..self.near.nodes.len() as u32)
            .filter(|&n| recorded.contains(&self.near.nodes[n as usize]))
            .collect();
        for (node, path) in self.near.strongest_paths(&numbers) {
            let names = path.iter().map(|&n| self.near.nodes[n as usize]).collect();
            self.trace.paths.insert(self.near.nodes[node as usize], names);
        }
        self.trace
    }
}

/// Loads the neighborhood of the seeds, walks it, and records the walk.
fn walk_from_seeds(
    snapshot: &Snapshot,
    config: &WalkConfig,
    seeds: &[Seed],
    score: ScoreConfig,
) -> WalkResult {
    // A configuration that gives the walk no weight skips it.
    let skips_walk = matches!(score, ScoreConfig::FusedWithWalk { walk, .. } if walk <= 0.0);
    let starts: Vec<(SymbolId, f64)> =
        if skips_walk { Vec::new() } else { seeds.iter().map(|s| (s.symbol, s.weight)).collect() };
    let graph = SnapshotEdges {
        snapshot,
        weights: config.edges.weight_table(),
        lsp_factor: config.lsp_factor,
        shared_types: config.shared_types,
        skipped_phantoms: RefCell::default(),
        buffer: RefCell::default(),
    };
    let near = WalkNeighborhood::load_around(&graph, &starts, config);
    let walked = near.run_walk(config);
    let order = top_nodes(&walked.mass, config.max_candidates);
    let best = order.first().map_or(0.0, |&n| walked.mass[n as usize]);
    let reached = order
        .iter()
        .map(|&n| n as usize)
        .map(|n| ReachedNode { symbol: near.nodes[n], mass: walked.mass[n] / best, hops: near.hops[n] })
        .collect();
    let entered_phantoms: Vec<SymbolId> =
        near.nodes.iter().copied().filter(|&node| graph.is_phantom(node)).collect();
    let mut phantoms = graph.skipped_phantoms.into_inner();
    phantoms.extend(&entered_phantoms);
    let trace = WalkTrace {
        nodes: near.nodes.len() - entered_phantoms.len(),
        phantoms: near.refused + phantoms.len(),
        iterations: walked.iterations,
        stop: walked.stop,
        paths: BTreeMap::new(),
    };
    WalkResult { near, reached, trace }
}

/// The edges of a snapshot, weighted by kind and provenance, and the calls that traces recorded,
/// weighted by their confidence.
///
/// Phantoms are never results. With `shared_types`, the walk passes through them along edges to
/// types that signatures name, and along no others: two functions that call the same library
/// function (`print`) are not related. Without `shared_types`, it enters no phantom.
struct SnapshotEdges<'a> {
    snapshot: &'a Snapshot,
    weights: [f64; EdgeKind::ALL.len()],
    lsp_factor: f64,
    shared_types: bool,
    /// With `shared_types`: phantoms next to visited nodes that the walk did not enter.
    skipped_phantoms: RefCell<FxHashSet<SymbolId>>,
    buffer: RefCell<NeighborBuffer>,
}

impl SnapshotEdges<'_> {
    fn edge_weight(&self, kind: EdgeKind, provenance: Provenance) -> f64 {
        let factor = if provenance == Provenance::LspResolved { self.lsp_factor } else { 1.0 };
        self.weights[kind.number() as usize] * factor
    }

    fn is_phantom(&self, node: SymbolId) -> bool {
        self.snapshot.symbol_facets(node).is_none_or(|facets| facets.kind.is_phantom())
    }
}

impl Adjacency for SnapshotEdges<'_> {
    type Node = SymbolId;

    fn visit_neighbors(&self, node: SymbolId, visit: &mut dyn FnMut(SymbolId, f64)) {
        let buffer = &mut self.buffer.borrow_mut();
        let from_phantom = self.shared_types && self.is_phantom(node);
        self.snapshot.for_each_neighbor(node, buffer, |end, kind, provenance| {
            let names_type = kind == EdgeKind::TypeHintOf;
            let may_pass = !self.shared_types || names_type;
            if may_pass || !(from_phantom || self.is_phantom(end)) {
                visit(end, self.edge_weight(kind, provenance));
            } else if !from_phantom {
                self.skipped_phantoms.borrow_mut().insert(end);
            }
        });
        let weight = self.weights[EdgeKind::RuntimeCalls.number() as usize];
        for edge in self.snapshot.runtime_callers(node) {
            visit(edge.source, weight * f64::from(edge.confidence));
        }
        for edge in self.snapshot.runtime_callees(node) {
            visit(edge.target, weight * f64::from(edge.confidence));
        }
    }

    fn can_enter(&self, node: SymbolId) -> bool {
        self.shared_types || !self.is_phantom(node)
    }

    fn dense_index(&self, node: SymbolId) -> usize {
        node.0 as usize
    }

    fn dense_len(&self) -> usize {
        self.snapshot.base_symbol_count()
    }
}

/// Explains the first symbols of a task's ranking, at which a reader starts.
fn explain_first_symbols(
    trace: &RunTrace,
    snapshot: &Snapshot,
    task: &str,
) -> Vec<(SymbolId, f64, RankReasons)> {
    let first = trace.ranked.iter().take(FIRST_SYMBOLS).filter(|_| !task.is_empty());
    let explain = |(rank, found): (usize, &RankedSymbol)| {
        let reasons = RankReasons::collect(trace, snapshot, found.symbol);
        (found.symbol, trace.likelihoods.at_rank(rank), reasons)
    };
    first.enumerate().map(explain).collect()
}

/// Returns the place in the ranking at which a pack ends.
fn find_end(trace: &RunTrace, fitted: &FittedPack) -> Option<PackEnd> {
    let rank = fitted.symbols.iter().filter_map(|symbol| symbol.rank).max()?;
    let is_cut = fitted.omitted_counts.contains_key("budget");
    Some(PackEnd { rank, next_likelihood: trace.likelihoods.at_rank(rank), is_cut })
}

/// Returns the first symbols that a pack shows, with their places in it.
fn place_first_symbols(first: &[(SymbolId, f64, RankReasons)], symbols: &[PackSymbol]) -> Vec<FirstSymbol> {
    let place = |(symbol, likelihood, reasons): &(SymbolId, f64, RankReasons)| {
        let index = symbols.iter().position(|shown| shown.symbol == *symbol)?;
        Some(FirstSymbol { index, likelihood: *likelihood, reasons: reasons.clone() })
    };
    first.iter().filter_map(place).collect()
}

/// How much of a ranking a pack shows.
struct PackExtent {
    /// The number of first symbols that the pack lists without their texts; `None` to show texts.
    listed: Option<usize>,
    /// Whether nothing matches the task.
    is_weak: bool,
}

impl PackExtent {
    /// Chooses the extent by the confidence. If nothing matches the task, the pack lists only the
    /// closest candidates, and if the match is doubtful, the likeliest places. Their texts would cost
    /// a reader more than another question.
    fn choose(trace: &RunTrace, config: &RankConfig, options: &RequestOptions) -> Self {
        let level = trace.confidence().map(|found| found.level).filter(|_| !options.keep_weak);
        let listed = match level {
            Some(ConfidenceLevel::None) => Some(config.task_match.map_or(0, |config| config.closest)),
            // Who asks for more than an earlier pack has, wants to see it.
            Some(ConfidenceLevel::Low) if options.excluded.is_empty() => Some(config.pack.places),
            _ => None,
        };
        let listed = listed.map(|places| places.min(trace.ranked.len()));
        Self { listed, is_weak: level == Some(ConfidenceLevel::None) }
    }

    /// Returns the constants of packing for this extent.
    fn limit_config(&self, mut config: PackConfig) -> PackConfig {
        if self.listed.is_some() {
            // A place needs no room for its text.
            config.least_tokens = 0.0;
        }
        if self.is_weak {
            config.max_tests = 0;
        }
        config
    }
}

/// Packs the ranked list of a run into the budget and records the decisions in `trace`.
pub(crate) fn build_pack(
    analysis: &Analysis<'_>,
    request: PackRequest<'_>,
    trace: &mut RunTrace,
    observer: &mut dyn StageObserver,
) -> Result<Pack, RunCancelled> {
    enter_stage(observer, "pack")?;
    let Analysis { snapshot, config, text, .. } = *analysis;
    let budget = request.options.budget.unwrap_or(request.budget);
    let seen_nodes = trace.walk.nodes + trace.walk.phantoms;
    let confidence = trace.confidence();
    let extent = PackExtent::choose(trace, config, request.options);
    let (listed, is_weak) = (extent.listed, extent.is_weak);
    let pack_config = extent.limit_config(config.pack);
    let input = PackInput {
        snapshot,
        likelihoods: &trace.likelihoods,
        ranked: listed.map_or(&trace.ranked[..], |places| &trace.ranked[..places]),
        noise: if is_weak { &[] } else { &trace.noise },
        phantoms: trace.walk.phantoms as f64 / seen_nodes.max(1) as f64,
        is_about_tests: trace.query.is_about_tests,
        terms: &trace.query.terms,
        is_task: !request.task.is_empty(),
        pinned: &request.options.pinned,
        excluded: &request.options.excluded,
        budget,
    };
    let mut request_parts = request.request_parts;
    request_parts
        .extend([config.name.as_str(), if request.options.no_learning { "no learning" } else { "learning" }]);
    let shows_text = listed.is_none() && analysis.size.is_none_or(PackSize::shows_text);
    let texts = PackTexts::new(snapshot, if shows_text { text } else { &NoText });
    let compute_root = |symbols: &[PackSymbol], edges: &[PackEdge], documents: &[PackSymbol]| {
        pack::root_hash(&request_parts, budget, symbols, edges, documents)
    };
    let candidates = PackCandidates::collect(&input, &pack_config);
    let first = if is_weak { Vec::new() } else { explain_first_symbols(trace, snapshot, request.task) };
    let fill = |items: usize| {
        let fitted = pack::fit_budget(&input, &candidates, &texts, &pack_config, items);
        let edges = pack::edges_between(snapshot, &fitted.symbols);
        let pack = Pack {
            task: request.task.to_owned(),
            pack_root: compute_root(&fitted.symbols, &edges, &[]),
            source_root: snapshot.source_root(),
            budget,
            tokens_used: fitted.tokens,
            confidence,
            end: find_end(trace, &fitted).filter(|_| !request.task.is_empty()),
            first: place_first_symbols(&first, &fitted.symbols),
            symbols: fitted.symbols,
            edges,
            documents: Vec::new(),
            omitted: fitted.omitted,
            omitted_counts: fitted.omitted_counts,
            unknown_files: request.unknown_files.clone(),
        };
        (pack, fitted.trace)
    };
    let (mut pack, packing) = match analysis.size {
        Some(size) => pack::fit_rendered(budget, size, fill),
        None => fill(budget),
    };
    let has_place =
        analysis.size.is_none_or(PackSize::shows_documents) && !request.task.is_empty() && !is_weak;
    if let Some(documents) = request.options.documents.as_ref().filter(|_| has_place) {
        let sections = MatchingSections::find(snapshot, config, &trace.query).clear_matches();
        let (terms, size) = (&trace.query.terms, analysis.size);
        let input = DocumentInput { snapshot, texts: &texts, terms, size, documents };
        pack::add_documents(&mut pack, &input, sections);
        pack.pack_root = compute_root(&pack.symbols, &pack.edges, &pack.documents);
    }
    trace.packing = Some(packing);
    observer.begin_stage("done");
    Ok(pack)
}
