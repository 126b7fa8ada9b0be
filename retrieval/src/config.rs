//! Every constant of the ranking, with its source; named configurations of the one pipeline.
//!
//! `docs/ranking.md` explains the stages. Nothing in this crate reads a constant from anywhere else.

mod classes;
mod presets;
mod reports;
mod walk_weights;

pub use crate::rerank::RerankConfig;
pub use classes::{ClassesConfig, InjectionConfig, LayerWeights};
pub use reports::{LiteralsConfig, RoleWeights, TestIdsConfig};
pub use walk_weights::EdgeWeights;

use kenning_graph::text::{FIELDS as FIELD_COUNT, FieldParams, LengthNorm, TextParams};
use serde::{Deserialize, Serialize};

/// All constants of one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankConfig {
    /// The name under which results are reported.
    pub name: String,
    /// How a task text becomes weighted terms.
    pub query: QueryConfig,
    /// Tiered name search.
    pub names: NamesConfig,
    /// Search in the text index.
    pub text: TextConfig,
    /// Equivalence classes.
    pub classes: ClassesConfig,
    /// Types in folders that the task names.
    pub path_context: PathContextConfig,
    /// Files and lines that the task names.
    pub locations: ChannelConfig,
    /// Tests that the task names.
    pub test_ids: TestIdsConfig,
    /// Messages that the task quotes.
    pub literals: LiteralsConfig,
    /// Where the person stands: its restart weight in the walk. It never takes part in the fusion.
    pub editor: ChannelConfig,
    /// What the commits of the repository say.
    pub history: HistoryConfig,
    /// How the channels' lists become one.
    pub fusion: FusionConfig,
    /// Which candidates start the walk.
    pub seeds: SeedConfig,
    /// Random walk with restart.
    pub walk: WalkConfig,
    /// Authorities and hubs; `None` leaves the stage out.
    pub hits: Option<HitsConfig>,
    /// What a candidate's score is made of.
    pub score: ScoreConfig,
    /// What use and history add to any score.
    pub evidence: EvidenceConfig,
    /// What happens when a huge graph gives a flat ranking; `None` leaves the stage out.
    pub fallback: Option<FallbackConfig>,
    /// What the neighbourhood of a candidate adds to its score; `None` leaves the stage out.
    pub rerank: Option<RerankConfig>,
    /// Which candidates are not worth showing.
    pub noise: NoiseConfig,
    /// How the ranked list becomes a pack.
    pub pack: PackConfig,
}

/// How a task text becomes weighted terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryConfig {
    /// Weight of a word in the first line.
    pub first_line: f32,
    /// Weight of a word in a conventional commit's scope, `fix(router): ...`.
    pub scope: f32,
    /// Weight of a word after the first line.
    pub body: f32,
    /// Factors of the words after the first line by what they stand in.
    pub roles: RoleWeights,
    /// Bound on a term's sum of weights.
    pub cap: f32,
    /// Weight of an identifier as a whole token; 0 leaves whole tokens out.
    pub identifier: f32,
    /// Terms kept, the ones that can contribute most first.
    pub max_terms: usize,
    /// Bytes of a task that are read; a longer text (a pasted log) is cut there.
    pub max_bytes: usize,
}

/// When a channel runs and what it weighs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelConfig {
    /// Weight in the fusion.
    pub weight: f64,
    /// The channel runs only while the channels before it found fewer symbols than this; `None`: always.
    pub only_below: Option<usize>,
}

/// Tiered name search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamesConfig {
    /// Weight and condition.
    pub channel: ChannelConfig,
    /// The prefix tier runs while there are fewer results.
    pub prefix_below: usize,
    /// Results after which the prefix tier stops.
    pub prefix_cap: usize,
    /// Single words are tried while identifiers gave fewer results.
    pub components_below: usize,
    /// The substring tier runs while there are fewer results.
    pub substring_below: usize,
    /// Results after which the substring tier stops.
    pub substring_cap: usize,
    /// Shortest keyword of the substring tier, in characters.
    pub substring_min_chars: usize,
    /// The path tier runs while there are fewer results.
    pub path_below: usize,
    /// Results after which the path tier stops.
    pub path_cap: usize,
    /// Shortest keyword of the path tier, in characters.
    pub path_min_chars: usize,
}

/// What is searched for in the text index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextQueryKind {
    /// Weighted stems and whole identifiers.
    Weighted,
    /// The seeds' expression: compounds in the name, words anywhere, word pairs, path prefixes.
    Keywords,
}

/// Weight and length normalisation of one field of the text index.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldWeight {
    /// Factor of a term's count.
    pub weight: f32,
    /// BM25's b, 0..=1.
    pub b: f32,
}

/// Parameters of BM25 over fields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bm25Config {
    /// Saturation of term counts.
    pub k1: f32,
    /// Exponent of the inverse document frequency; 1 is BM25.
    pub idf_exponent: f32,
    /// By field number.
    pub fields: [FieldWeight; FIELD_COUNT],
    /// b of the whole row, as FTS5 normalises; `None`: each field by its own length (BM25F).
    pub whole_row_b: Option<f32>,
}

impl Bm25Config {
    /// These parameters as the text index takes them.
    pub fn text_params(&self) -> TextParams {
        TextParams {
            k1: self.k1,
            idf_exponent: self.idf_exponent,
            fields: self.fields.map(|f| FieldParams { weight: f.weight, b: f.b }),
            norm: self.whole_row_b.map_or(LengthNorm::PerField, |b| LengthNorm::WholeRow { b }),
        }
    }
}

/// The file's own score added to that of its symbols.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePriorConfig {
    /// Factor of the file score.
    pub weight: f32,
    /// Fields of files.
    pub bm25: Bm25Config,
    /// Best files whose symbols become candidates even where they match nothing themselves.
    pub max_files: usize,
    /// Bound on such candidates.
    pub max_symbols: usize,
}

/// Search in the text index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextConfig {
    /// Weight and condition.
    pub channel: ChannelConfig,
    /// How the query is made.
    pub query: TextQueryKind,
    /// Fields of symbols.
    pub bm25: Bm25Config,
    /// The prior of the file; `None`: no prior.
    pub file_prior: Option<FilePriorConfig>,
    /// Factor of types (members are edited more often than the types that hold them).
    pub type_factor: f32,
    /// Factor of symbols in tests, benchmarks, examples and documentation.
    pub test_factor: f32,
    /// The same for a task that speaks of tests.
    pub test_factor_when_asked: f32,
    /// How much a busy file gains: the factor is `1 + file_activity × ln(1 + commits)`, each commit worth half for every
    /// `file_activity_days` of its age.
    pub file_activity: f64,
    /// Days.
    pub file_activity_days: f64,
    /// Words for the same concepts as the task's.
    pub thesaurus: ThesaurusConfig,
    /// Results kept.
    pub limit: usize,
}

/// Commits that are about the same as the task vote for what they touched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryConfig {
    /// Weight of the root of a symbol's votes, and condition.
    pub channel: ChannelConfig,
    /// Weight of the root of a file's votes; added to the symbols of the file that some channel found.
    pub file_weight: f64,
    /// Commits that vote at most.
    pub best: usize,
    /// A commit that touched more files does not vote.
    pub max_files: u32,
    /// Days after which a vote is worth half.
    pub half_life_days: f64,
    /// Saturation of token counts in messages.
    pub k1: f64,
    /// Length normalisation of messages, 0..=1.
    pub b: f64,
    /// The largest inverse document frequency that counts in what a message could score.
    pub idf_cap: f64,
    /// The share of the sum of all terms that counts as a full match.
    pub full_match: f64,
    /// A commit gives each of its n symbols `1 / n^symbol_exponent` of its vote.
    pub symbol_exponent: f64,
    /// The same for its files.
    pub file_exponent: f64,
}

/// Words for the same concept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThesaurusConfig {
    /// Weight of such a word relative to the one in the task; 0 leaves the thesaurus out.
    pub weight: f32,
    /// Words added.
    pub max_terms: usize,
}

/// Types in folders that the task names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathContextConfig {
    /// Restart weight of such a type in the walk; they take no part in the fusion. 0 leaves the channel out.
    pub restart_weight: f64,
    /// Longest terms of the task that are tried.
    pub max_terms: usize,
    /// Shortest term, in characters.
    pub min_chars: usize,
    /// Types with members kept for one term.
    pub rich_per_term: usize,
    /// Symbols kept for one term after types without members.
    pub lean_per_term: usize,
    /// Symbols kept for one term in all.
    pub all_per_term: usize,
    /// Symbols kept in all.
    pub limit: usize,
    /// Symbols visited for one term.
    pub scan: usize,
    /// Seeds that may come from this channel.
    pub max_seeds: usize,
}

/// How ranked lists become one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum FusionConfig {
    /// Reciprocal rank fusion: `weight / (k + rank)`, ranks from 1.
    ReciprocalRank {
        /// The constant k.
        k: f64,
        /// Symbols kept.
        limit: usize,
    },
    /// `weight × score / best score of the channel`, summed.
    Linear {
        /// Symbols kept.
        limit: usize,
    },
}

/// Which candidates start the walk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedConfig {
    /// Seeds on a graph of any size.
    pub base: usize,
    /// Seeds on a graph of more than `medium_graph` symbols.
    pub medium: usize,
    /// Seeds on a graph of more than `large_graph` symbols.
    pub large: usize,
    /// Symbols of a medium graph.
    pub medium_graph: usize,
    /// Symbols of a large graph.
    pub large_graph: usize,
    /// Types go first on graphs of more symbols than this.
    pub prefer_types_above: usize,
    /// The largest group of candidates from one folder goes first when there are more candidates than this;
    /// `None`: the order of the fusion is kept.
    pub focus_above: Option<usize>,
    /// The i-th seed (from 0) has restart weight `1 / (1 + decay × i)`.
    pub decay: f64,
    /// Symbols that implement a found interface become candidates.
    pub implementors: bool,
}

/// Random walk with restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WalkConfig {
    /// Probability of returning to a seed at each step (the seeds' alpha).
    pub restart: f64,
    /// Bound on iterations.
    pub max_iterations: usize,
    /// Iterations before any early stop.
    pub min_iterations: usize,
    /// Sum of absolute changes below which the walk has converged.
    pub tolerance: f64,
    /// The walk stops when this many best nodes keep their order ...
    pub stable_top: usize,
    /// ... for this many iterations.
    pub stable_iterations: usize,
    /// Hops from the seeds that are loaded.
    pub hops: u32,
    /// Bound on loaded nodes, nearest first.
    pub max_nodes: usize,
    /// Weight of each kind of edge.
    pub edges: EdgeWeights,
    /// Factor of edges that a language server found.
    pub lsp_factor: f64,
    /// Symbols whose signatures name the same type of a library are neighbours by way of that type, a phantom
    /// (shared-type reachability). Otherwise the walk enters no phantom.
    pub shared_types: bool,
    /// Share of the best mass under which a node is no result.
    pub threshold: f64,
    /// Nodes that become candidates, greatest mass first.
    pub max_candidates: usize,
}

/// Authorities and hubs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HitsConfig {
    /// Best nodes of the walk that take part.
    pub top: usize,
    /// Iterations.
    pub iterations: usize,
    /// Runs only with more candidates than this.
    pub min_candidates: usize,
    /// A seed whose authority is above this gains ...
    pub seed_authority_above: f64,
    /// ... this factor of it.
    pub seed_authority: f64,
    /// Another node whose authority is above this loses ...
    pub other_authority_above: f64,
    /// ... this factor of it.
    pub other_authority: f64,
    /// A seed whose hub score is above this gains ...
    pub seed_hub_above: f64,
    /// ... this factor of it.
    pub seed_hub: f64,
}

/// What a candidate's score is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "formula")]
pub enum ScoreConfig {
    /// The seven components.
    SevenComponents(SevenConfig),
    /// The fused score; the walk orders what stands below the first places and adds what words did not find.
    FusedWithWalk {
        /// First places that the walk leaves as they are.
        protected: usize,
        /// Weight of the walk's mass relative to the best.
        walk: f64,
    },
}

/// Weights of the seven components.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SevenConfig {
    /// Blast radius, confidence, recency and distance when HITS ran.
    pub with_hits: [f64; 4],
    /// The same without HITS.
    pub without_hits: [f64; 4],
    /// Values of recency: observed at run time within 1, 7, 30 days, longer ago, never.
    pub recency: [f64; 5],
    /// Factor of test files unless the task speaks of tests.
    pub test_factor: f64,
    /// Least confidence of a symbol.
    pub min_confidence: f64,
}

/// What use and history add to a score, whichever formula made it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceConfig {
    /// Gain of a symbol that every report for such a task found useful.
    pub feedback_gain: f64,
    /// Loss of a symbol that no report found useful.
    pub feedback_loss: f64,
    /// Gain of a symbol whose session boost is full.
    pub session: f64,
    /// Session boost that counts as full.
    pub session_cap: f64,
    /// Seconds after which a use in the session counts half.
    pub session_half_life: f64,
    /// Session boosts below this count nothing.
    pub session_least: f64,
    /// Last uses of a symbol that count.
    pub session_uses: usize,
    /// Gains of a last commit within 1, 7 and 30 days.
    pub commit: [f64; 3],
}

/// What happens when a huge graph gives a flat ranking: what the words find directly, and the
/// members of the types among it, stand right behind the top.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FallbackConfig {
    /// Runs only on graphs of more symbols than this.
    pub graph_above: usize,
    /// Places whose scores are compared; with fewer results it does not run.
    pub top: usize,
    /// Ratio of the first to the last of these scores at which the confidence is 0 ...
    pub flat_ratio: f64,
    /// ... and at which it is 1; linear between.
    pub steep_ratio: f64,
    /// Runs only at a confidence below this.
    pub confidence_below: f64,
    /// Direct hits taken.
    pub hits: usize,
    /// Members taken of one type.
    pub members: usize,
    /// Score of the first of them, as far as the top leaves room ...
    pub first: f64,
    /// ... and how much less each next one has.
    pub step: f64,
}

/// Which candidates are not worth showing. Phantoms, files and minified code never are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseConfig {
    /// Names of one or two characters, except common ones.
    pub short_names: bool,
    /// Members of mocks, fakes and stubs.
    pub mocks: bool,
    /// Test fixtures and test helpers.
    pub test_helpers: bool,
}

/// How the ranked list becomes a pack.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackConfig {
    /// Tokens of a pack for a task or for files.
    pub budget: usize,
    /// Tokens of a pack for a change.
    pub change_budget: usize,
    /// Symbols in a pack. A reader has no use for more, and it keeps a default pack small.
    pub max_symbols: usize,
    /// Further symbols that the walk found and no word did, nearest first; 0: they compete with the others.
    pub max_related: usize,
    /// Share of the best score under which a candidate is left out ("threshold").
    pub min_share: f64,
    /// First places that lose detail rather than their place.
    pub guaranteed: usize,
    /// Share of the best score above which a symbol may show its body.
    pub body_share: f64,
    /// Symbols that may show their body.
    pub max_bodies: usize,
    /// Tokens of a body above which it is trimmed.
    pub body_tokens: usize,
    /// Share of the budget that bodies may take.
    pub bodies_share: f64,
    /// Exponent of the walk's mass in the density without phantoms.
    pub proximity: f64,
    /// Growth of that exponent with the share of phantoms around the seeds.
    pub proximity_phantoms: f64,
    /// Bound on that exponent.
    pub proximity_max: f64,
    /// Left-out symbols listed by name.
    pub max_omitted: usize,
}
