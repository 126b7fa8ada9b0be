//! The constants of the ranking, grouped by stage, and the named configurations of the pipeline.
//!
//! `docs/ranking.md` explains the stages. [`RankConfig::default`] is the configuration that users
//! get. `presets` also has `linear`, which orders by linear weights instead of trees, `seeds`,
//! which ranks by reciprocal rank fusion, walk and hubs, and `bm25-bodies`, the baseline.

mod equivalence_classes;
mod matching;
mod presets;
mod reports;
mod vectors;
mod walk_weights;

pub use crate::learned::LearnedConfig;
pub use crate::rerank::RerankConfig;
pub use equivalence_classes::{EquivalenceClassConfig, InjectionConfig, LayerWeights};
pub use matching::MatchConfig;
pub use reports::{LiteralsConfig, RoleWeights, TestIdsConfig};
pub use vectors::VectorConfig;
pub use walk_weights::EdgeWeights;

use kenning_graph::text::{FIELDS as FIELD_COUNT, FieldParams, LengthNorm, TextParams};
use serde::{Deserialize, Serialize};

/// All constants of one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankConfig {
    /// The name under which results are reported: that of the preset, and any overridden constants.
    pub name: String,
    /// The weighting of a task text's terms.
    pub query: QueryConfig,
    /// The tiered name search.
    pub names: NamesConfig,
    /// The search in the text index.
    pub text: TextConfig,
    /// The equivalence classes.
    pub classes: EquivalenceClassConfig,
    /// The search for types in folders that the task names.
    pub path_context: PathContextConfig,
    /// The channel of files and lines that the task names.
    pub locations: ChannelConfig,
    /// The channel of tests that the task names.
    pub test_ids: TestIdsConfig,
    /// The channel of messages that the task quotes.
    pub literals: LiteralsConfig,
    /// The editor position: its weight is the restart weight in the walk. It never takes part in
    /// the fusion.
    pub editor: ChannelConfig,
    /// Votes of the repository's commits.
    pub history: HistoryConfig,
    /// The uses of vectors.
    pub vectors: VectorConfig,
    /// The method that merges the channels' lists.
    pub fusion: FusionConfig,
    /// The selection of the candidates that start the walk.
    pub seeds: SeedConfig,
    /// The random walk with restart.
    pub walk: WalkConfig,
    /// Authorities and hubs; `None` skips the stage.
    pub hits: Option<HitsConfig>,
    /// The formula of a candidate's score.
    pub score: ScoreConfig,
    /// The weights of feedback, session and history in any score.
    pub evidence: EvidenceConfig,
    /// The fallback for a flat ranking on a huge graph; `None` skips the stage.
    pub fallback: Option<FallbackConfig>,
    /// The weights of the reranker; `None` skips the stage.
    pub rerank: Option<RerankConfig>,
    /// The learned ranker, which replaces [`Self::rerank`]; `None` skips the stage.
    pub learned: Option<LearnedConfig>,
    /// The rule that decides whether a task matches the workspace; `None` skips the stage.
    pub task_match: Option<MatchConfig>,
    /// The rules for candidates that are not worth showing.
    pub noise: NoiseConfig,
    /// The limits and shares for packing the ranked list.
    pub pack: PackConfig,
}

/// The weighting of a task text's terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryConfig {
    /// Weight of a word in the first line.
    pub first_line: f32,
    /// Weight of a word in a conventional commit's scope, `fix(router): ...`.
    pub scope: f32,
    /// Weight of a word after the first line.
    pub body: f32,
    /// Factors of the words after the first line, by the role of the part that contains them.
    pub roles: RoleWeights,
    /// Upper bound of a term's summed weight.
    pub cap: f32,
    /// Weight of an identifier as a whole token; 0 disables whole tokens.
    pub identifier: f32,
    /// Whether a word that the workspace only has as a compound name is read as this name:
    /// `requestcontext` as `RequestContext`.
    pub respells: bool,
    /// Maximum number of terms. The terms that can contribute most are kept.
    pub max_terms: usize,
    /// Maximum number of bytes of a task that are read. A longer text, such as a pasted log, is
    /// truncated.
    pub max_bytes: usize,
}

/// The weight of a channel and the condition under which it runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelConfig {
    /// Weight in the fusion.
    pub weight: f64,
    /// The channel runs only while the channels before it have found fewer symbols than this;
    /// `None` always runs it.
    pub only_below: Option<usize>,
}

impl ChannelConfig {
    /// Returns the configuration of a channel that always runs, or never if `weight` is 0.
    pub(crate) const fn unconditional(weight: f64) -> Self {
        Self { weight, only_below: None }
    }
}

/// The constants of the tiered name search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamesConfig {
    /// Weight and condition of the channel.
    pub channel: ChannelConfig,
    /// The prefix tier runs while there are fewer results than this.
    pub prefix_below: usize,
    /// Number of results at which the prefix tier stops.
    pub prefix_cap: usize,
    /// Single words are tried while identifiers have given fewer results than this.
    pub components_below: usize,
    /// The substring tier runs while there are fewer results than this.
    pub substring_below: usize,
    /// Number of results at which the substring tier stops.
    pub substring_cap: usize,
    /// Shortest keyword for the substring tier, in characters.
    pub substring_min_chars: usize,
    /// Whether the substring tier also searches the containers and paths of symbols, once their
    /// names are searched.
    pub substring_qualified: bool,
    /// The path tier runs while there are fewer results than this.
    pub path_below: usize,
    /// Number of results at which the path tier stops.
    pub path_cap: usize,
    /// Shortest keyword for the path tier, in characters.
    pub path_min_chars: usize,
}

/// The kind of query that is sent to the text index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextQueryKind {
    /// Weighted stems and whole identifiers.
    Weighted,
    /// The query of the `seeds` configuration: compounds in the name, words anywhere, word pairs,
    /// path prefixes.
    Keywords,
}

/// Weight and length normalization of one field of the text index.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldWeight {
    /// Factor of a term's count.
    pub weight: f32,
    /// BM25's b, the strength of the length normalization, 0..=1.
    pub b: f32,
}

/// Parameters of BM25 over fields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bm25Config {
    /// BM25's k1, the saturation of term counts.
    pub k1: f32,
    /// Exponent of the inverse document frequency; 1 is BM25.
    pub idf_exponent: f32,
    /// Weights by field number.
    pub fields: [FieldWeight; FIELD_COUNT],
    /// BM25's b for the length of the whole row, as FTS5 normalizes; `None` normalizes each field
    /// by its own length (BM25F).
    pub whole_row_b: Option<f32>,
}

impl Bm25Config {
    /// Returns these parameters in the type of the text index.
    pub fn text_params(&self) -> TextParams {
        TextParams {
            k1: self.k1,
            idf_exponent: self.idf_exponent,
            fields: self.fields.map(|f| FieldParams { weight: f.weight, b: f.b }),
            norm: self.whole_row_b.map_or(LengthNorm::PerField, |b| LengthNorm::WholeRow { b }),
        }
    }
}

/// The prior of a file: a share of the file's score that is added to the score of its symbols.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePriorConfig {
    /// Factor of the file score.
    pub weight: f32,
    /// BM25 parameters for files.
    pub bm25: Bm25Config,
    /// Number of best files whose symbols become candidates even if they match nothing themselves.
    pub max_files: usize,
    /// Maximum number of candidates that are added for their file alone.
    pub max_symbols: usize,
}

/// The constants of the search in the text index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextConfig {
    /// Weight and condition of the channel.
    pub channel: ChannelConfig,
    /// The kind of query.
    pub query: TextQueryKind,
    /// BM25 parameters for symbols.
    pub bm25: Bm25Config,
    /// The prior of the file; `None` for no prior.
    pub file_prior: Option<FilePriorConfig>,
    /// Factor of types. Members are edited more often than the types that contain them.
    pub type_factor: f32,
    /// Factor of symbols in tests, benchmarks, examples and documentation.
    pub test_factor: f32,
    /// The same factor for a task that mentions tests.
    pub test_factor_when_asked: f32,
    /// The gain of a frequently changed file. The factor is `1 + file_activity × ln(1 + commits)`,
    /// where each commit halves in value every `file_activity_days` of its age.
    pub file_activity: f64,
    /// Half-life of a commit in [`Self::file_activity`], in days.
    pub file_activity_days: f64,
    /// The addition of synonyms to the task's words.
    pub thesaurus: ThesaurusConfig,
    /// Maximum number of results.
    pub limit: usize,
}

/// The constants of commit votes: commits that resemble the task vote for the code that they
/// touched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryConfig {
    /// Weight of the square root of a symbol's votes, and condition of the channel.
    pub channel: ChannelConfig,
    /// Weight of the square root of a file's votes. It is added to those symbols of the file that
    /// some channel found.
    pub file_weight: f64,
    /// Maximum number of commits that vote.
    pub best: usize,
    /// Maximum number of files of a voting commit; a commit that touched more does not vote.
    pub max_files: u32,
    /// Half-life of a vote, in days.
    pub half_life_days: f64,
    /// BM25's k1 for messages, the saturation of token counts.
    pub k1: f64,
    /// BM25's b for messages, the strength of the length normalization, 0..=1.
    pub b: f64,
    /// Upper bound of the inverse document frequency in the maximum score of a message.
    pub idf_cap: f64,
    /// The multiple of that maximum score that counts as a full match.
    pub full_match: f64,
    /// Exponent of a commit's number of symbols: each of its n symbols gets `1 / n^symbol_exponent`
    /// of its vote.
    pub symbol_exponent: f64,
    /// The same exponent for its files.
    pub file_exponent: f64,
}

/// The constants of the thesaurus, which maps words to synonyms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThesaurusConfig {
    /// Weight of a synonym relative to its word in the task; 0 disables the thesaurus.
    pub weight: f32,
    /// Maximum number of synonyms.
    pub max_terms: usize,
}

/// The constants of the search for types in folders that the task names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathContextConfig {
    /// Restart weight of such a type in the walk. These types take no part in the fusion. 0
    /// disables the channel.
    pub restart_weight: f64,
    /// Number of terms tried, longest first.
    pub max_terms: usize,
    /// Shortest term, in characters.
    pub min_chars: usize,
    /// Maximum number of types with members per term.
    pub rich_per_term: usize,
    /// Maximum number of types per term, with and without members.
    pub lean_per_term: usize,
    /// Maximum number of symbols per term.
    pub all_per_term: usize,
    /// Maximum number of symbols in all.
    pub limit: usize,
    /// Maximum number of symbols visited per term.
    pub scan: usize,
    /// Maximum number of seeds from this channel.
    pub max_seeds: usize,
}

/// A method that merges ranked lists.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum FusionConfig {
    /// Reciprocal rank fusion: `weight / (k + rank)`, ranks from 1, summed over the channels.
    ReciprocalRank {
        /// The constant k.
        k: f64,
        /// Maximum number of symbols.
        limit: usize,
    },
    /// The sum of `weight × score / best score of the channel`. Channels with absolute scores are
    /// not divided by their best.
    Linear {
        /// Maximum number of symbols.
        limit: usize,
    },
}

/// The selection of the candidates that start the walk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedConfig {
    /// Number of seeds on a small graph.
    pub base: usize,
    /// Number of seeds on a graph of more than `medium_graph` symbols.
    pub medium: usize,
    /// Number of seeds on a graph of more than `large_graph` symbols.
    pub large: usize,
    /// Number of symbols above which a graph is medium-sized.
    pub medium_graph: usize,
    /// Number of symbols above which a graph is large.
    pub large_graph: usize,
    /// Number of symbols above which types are preferred as seeds.
    pub prefer_types_above: usize,
    /// Number of candidates above which the largest group from one folder goes first; `None` keeps
    /// the order of the fusion.
    pub focus_above: Option<usize>,
    /// Decay of the restart weights: the i-th seed (from 0) has weight `1 / (1 + decay × i)`.
    pub decay: f64,
    /// Whether symbols that implement a candidate interface become candidates.
    pub implementors: bool,
}

/// The constants of the random walk with restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WalkConfig {
    /// Probability of returning to a seed at each step.
    pub restart: f64,
    /// Maximum number of iterations.
    pub max_iterations: usize,
    /// Minimum number of iterations before any early stop.
    pub min_iterations: usize,
    /// Sum of absolute changes below which the walk has converged.
    pub tolerance: f64,
    /// Number of best nodes whose order must be stable for the walk to stop.
    pub stable_top: usize,
    /// Number of iterations for which that order must be stable.
    pub stable_iterations: usize,
    /// Hops from the seeds within which nodes are loaded.
    pub hops: u32,
    /// Maximum number of loaded nodes, nearest first.
    pub max_nodes: usize,
    /// Weight of each kind of edge.
    pub edges: EdgeWeights,
    /// Factor of edges that a language server found.
    pub lsp_factor: f64,
    /// Whether the walk connects symbols whose signatures name the same library type, by way of the
    /// phantom of that type. If not, the walk enters no phantom.
    pub shared_types: bool,
    /// Share of the best mass below which a node is not a result.
    pub threshold: f64,
    /// Maximum number of nodes that become candidates, greatest mass first.
    pub max_candidates: usize,
}

/// The constants of authorities and hubs (HITS).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HitsConfig {
    /// Number of best nodes of the walk that take part.
    pub top: usize,
    /// Number of iterations.
    pub iterations: usize,
    /// Number of candidates above which the stage runs.
    pub min_candidates: usize,
    /// Authority above which a seed gains [`Self::seed_authority`].
    pub seed_authority_above: f64,
    /// Gain of such a seed, as a factor of its authority.
    pub seed_authority: f64,
    /// Authority above which any other node loses [`Self::other_authority`].
    pub other_authority_above: f64,
    /// Loss of such a node, as a factor of its authority.
    pub other_authority: f64,
    /// Hub score above which a seed gains [`Self::seed_hub`].
    pub seed_hub_above: f64,
    /// Gain of such a seed, as a factor of its hub score.
    pub seed_hub: f64,
}

/// The formula of a candidate's score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "formula")]
pub enum ScoreConfig {
    /// The sum of the seven components.
    SevenComponents(ComponentWeights),
    /// The fused score. The walk reorders the candidates below the top ranks and adds candidates
    /// that no word matched.
    FusedWithWalk {
        /// Number of top ranks that the walk does not change.
        protected: usize,
        /// Weight of the walk's mass relative to the best.
        walk: f64,
    },
}

/// The weights and other constants of the seven score components.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComponentWeights {
    /// Weights of blast radius, confidence, recency and distance when HITS ran.
    pub with_hits: [f64; 4],
    /// The same weights without HITS.
    pub without_hits: [f64; 4],
    /// Values of recency for a symbol observed at run time within 1, 7 or 30 days, earlier, or
    /// never.
    pub recency: [f64; 5],
    /// Factor of test files unless the task mentions tests.
    pub test_factor: f64,
    /// Minimum confidence of a symbol.
    pub min_confidence: f64,
}

/// The weights of feedback, session and history in a score. They apply to every base formula.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceConfig {
    /// The curve from the share of useful reports, or of readers who used a symbol, to its gain.
    pub feedback_mode: FeedbackMode,
    /// Gain of a symbol that every report for similar tasks found useful.
    pub feedback_gain: f64,
    /// Loss of a symbol that no such report found useful.
    pub feedback_loss: f64,
    /// Gain of a symbol that every reader of packs for similar tasks used.
    pub usage_gain: f64,
    /// Loss of a symbol that no such reader used.
    pub usage_loss: f64,
    /// Gain of a symbol with the strongest association with the task's words.
    pub vocabulary: f64,
    /// Factor of the task memory's signal, which counts like feedback; 0 turns the memory off.
    pub task_memory: f64,
    /// Gain of a symbol with a full session boost.
    pub session: f64,
    /// Session boost that counts as full.
    pub session_cap: f64,
    /// Half-life of a use in the session, in seconds.
    pub session_half_life: f64,
    /// Session boost below which it counts as 0.
    pub session_least: f64,
    /// Maximum number of uses of a symbol that count, newest first.
    pub session_uses: usize,
    /// Gains for a last commit within 1, 7 and 30 days.
    pub commit: [f64; 3],
}

/// The curve from the share of useful reports, or of readers who used a symbol, to a gain or loss.
/// The signal is -1 for a share of 0, 0 for a half and 1 for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedbackMode {
    /// No gain and no loss.
    None,
    /// The gain times the square root of the signal, which keeps its sign. Few reports suffice for
    /// most of the gain.
    Sqrt,
    /// The gain times the signal. A loss is as large as a gain.
    Linear,
    /// The gain times a positive signal, the loss times a negative one.
    Asymmetric,
}

/// The constants of the fallback for a flat ranking on a huge graph. It places the direct text
/// hits, and the members of the types among them, right behind the top.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FallbackConfig {
    /// Number of symbols of the graph above which the stage runs.
    pub graph_above: usize,
    /// Number of top ranks whose scores are compared. With fewer results the stage does not run.
    pub top: usize,
    /// Ratio of the first to the last of these scores up to which the confidence is 0.
    pub flat_ratio: f64,
    /// Ratio from which the confidence is 1. It rises linearly between the two ratios.
    pub steep_ratio: f64,
    /// Confidence below which the stage runs.
    pub confidence_below: f64,
    /// Maximum number of direct hits.
    pub hits: usize,
    /// Maximum number of members per type.
    pub members: usize,
    /// Score of the first direct hit or member, at most just below the scores of the top.
    pub first: f64,
    /// Difference between the score of one such symbol and the next.
    pub step: f64,
}

/// The rules for candidates that are not worth showing. Phantoms, files and minified code are
/// always removed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseConfig {
    /// Whether names of one or two characters are removed, except common ones.
    pub short_names: bool,
    /// Whether members of mocks, fakes and stubs are removed.
    pub mocks: bool,
    /// Whether test fixtures and test helpers are removed.
    pub test_helpers: bool,
}

/// The limits and shares for packing the ranked list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PackConfig {
    /// The way in which a pack fills its budget.
    pub strategy: PackStrategy,
    /// Default budget of a pack for a task or for files, in tokens.
    pub budget: usize,
    /// Default budget of a pack for a change, in tokens.
    pub change_budget: usize,
    /// Maximum number of symbols in a pack. Readers do not use more, and the limit keeps a default
    /// pack small.
    pub max_symbols: usize,
    /// Maximum number of further symbols that the walk found but no word matched, greatest mass
    /// first; 0 lets them compete with the others.
    pub max_related: usize,
    /// Share of the best score below which a candidate is left out (reason `threshold`).
    pub min_share: f64,
    /// Number of top-ranked symbols that lose detail before they are dropped.
    pub guaranteed: usize,
    /// Share of the best score above which a symbol may show its body.
    pub body_share: f64,
    /// Maximum number of symbols that show their body.
    pub max_bodies: usize,
    /// Number of tokens above which a body is trimmed.
    pub body_tokens: usize,
    /// Maximum share of the budget for bodies.
    pub bodies_share: f64,
    /// Exponent of the walk's mass in the density if there are no phantoms.
    pub proximity: f64,
    /// Increase of that exponent per share of phantoms around the seeds.
    pub proximity_phantoms: f64,
    /// Upper bound of that exponent.
    pub proximity_max: f64,
    /// Maximum number of left-out symbols that are listed by name.
    pub max_omitted: usize,
    /// Maximum number of symbols that are the subject of a task.
    pub subjects: usize,
    /// The likelihood of an edit from which a symbol is a subject of a task. The first symbol always
    /// is one.
    pub subject_likelihood: f64,
    /// Number of tokens that the text of a symbol may take at the default budget if the task surely
    /// edits it. Others get as much in proportion to their likelihoods, and at another budget all get
    /// more or fewer in proportion.
    pub edit_tokens: f64,
    /// The factor by which a text may exceed its room if it is then shown whole. Half of a function
    /// is worth less than half of its use.
    pub whole_factor: f64,
    /// Number of tokens below which a symbol is left out: a shorter part would not show what it is.
    pub least_tokens: f64,
    /// Number of symbols that a pack of low confidence lists, without their texts.
    pub places: usize,
    /// Number of tokens for the lines of one file that are outside of its symbols.
    pub file_tokens: usize,
    /// The least value of such a line: the sum of the shares of the task's words in it, where the
    /// rarest word has 1.
    pub file_line_value: f64,
    /// Maximum number of tests.
    pub max_tests: usize,
}

/// The way in which a pack fills its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackStrategy {
    /// Adds texts in the order of the ranking, then tests.
    Rank,
    /// Adds symbols by their score per token: a few texts, and signatures of the others.
    Density,
    /// Like `density`, but the others follow file by file, in the order of each file's best symbol.
    FileGrouped,
    /// Like `density`, but the others follow in the order of their scores.
    TopK,
}
