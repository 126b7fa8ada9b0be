//! Every constant of the ranking, with its source; named configurations of the one pipeline.
//!
//! "seed 000 §4" stands for the section of the retrieval pipeline's specification, "LEX" for the formula of
//! `ranking-experiments.md`. Nothing in this crate reads a constant from anywhere else.

mod walk_weights;

pub use walk_weights::EdgeWeights;

use kenning_graph::text::{FIELDS as FIELD_COUNT, Field, FieldParams, LengthNorm, TextParams};
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
    /// Types in folders that the task names.
    pub path_context: PathContextConfig,
    /// Files and lines that the task names.
    pub locations: ChannelConfig,
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
    /// Which candidates are not worth showing.
    pub noise: NoiseConfig,
    /// How the ranked list becomes a pack.
    pub pack: PackConfig,
}

/// How a task text becomes weighted terms (LEX, "Query weight").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryConfig {
    /// Weight of a word in the first line.
    pub first_line: f32,
    /// Weight of a word in a conventional commit's scope, `fix(router): ...`.
    pub scope: f32,
    /// Weight of a word after the first line.
    pub body: f32,
    /// Bound on a term's sum of weights.
    pub cap: f32,
    /// Weight of an identifier as a whole token; 0 leaves whole tokens out.
    pub identifier: f32,
    /// Terms kept, those that can contribute most first.
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

/// Tiered name search (seed 000 §2, channel 1).
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
    /// Weighted stems and whole identifiers (LEX).
    Weighted,
    /// The seeds' expression: compounds in the name, words anywhere, word pairs, path prefixes (seed 000 §2, 3).
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
    pub fn params(&self) -> TextParams {
        TextParams {
            k1: self.k1,
            idf_exponent: self.idf_exponent,
            fields: self.fields.map(|f| FieldParams { weight: f.weight, b: f.b }),
            norm: self.whole_row_b.map_or(LengthNorm::PerField, |b| LengthNorm::WholeRow { b }),
        }
    }
}

/// The file's own score added to that of its symbols (LEX, "File score").
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
    /// Factor of types (LEX: members are edited more often than the types that hold them).
    pub type_factor: f32,
    /// Factor of symbols in tests, benchmarks, examples and documentation.
    pub test_factor: f32,
    /// The same for a task that speaks of tests.
    pub test_factor_when_asked: f32,
    /// Results kept.
    pub limit: usize,
}

/// Types in folders that the task names (seed 000 §2, channel 4).
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
    /// Symbols looked at for one term.
    pub scan: usize,
    /// Seeds that may come from this channel.
    pub max_seeds: usize,
}

/// How ranked lists become one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum FusionConfig {
    /// Reciprocal rank fusion: `weight / (k + rank)`, ranks from 1 (seed 000 §2).
    ReciprocalRank {
        /// The constant k.
        k: f64,
        /// Symbols kept.
        limit: usize,
    },
    /// `weight × score / best score of the channel`, summed (LEX, "Final").
    Linear {
        /// Symbols kept.
        limit: usize,
    },
}

/// Which candidates start the walk (seed 000 §4).
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

/// Random walk with restart (seed 000 §4).
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
    /// Share of the best mass under which a node is no result.
    pub threshold: f64,
    /// Nodes that become candidates, greatest mass first.
    pub max_candidates: usize,
}

/// Authorities and hubs (seed 000 §5).
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
    /// The seven components (seed 000 §6).
    SevenComponents(SevenConfig),
    /// The fused score; the walk orders what stands below the first places and adds what words did not find.
    FusedWithWalk {
        /// First places that the walk leaves as they are.
        protected: usize,
        /// Weight of the walk's mass relative to the best.
        walk: f64,
    },
}

/// Weights of the seven components (seed 000 §6).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SevenConfig {
    /// Blast radius, confidence, recency and distance when HITS ran.
    pub with_hits: [f64; 4],
    /// The same without HITS.
    pub without_hits: [f64; 4],
    /// Gain of a symbol that was always useful.
    pub feedback_gain: f64,
    /// Loss of a symbol that never was.
    pub feedback_loss: f64,
    /// Gain of a symbol used in this session.
    pub session: f64,
    /// Session boost that counts as full.
    pub session_cap: f64,
    /// Gains of a last commit within 1, 7 and 30 days.
    pub commit: [f64; 3],
    /// Values of recency: observed at run time within 1, 7, 30 days, longer ago, never.
    pub recency: [f64; 5],
    /// Factor of test files unless the task speaks of tests.
    pub test_factor: f64,
    /// Least confidence of a symbol.
    pub min_confidence: f64,
}

/// Which candidates are not worth showing (seed 000 §3). Phantoms, files and minified code never are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseConfig {
    /// Names of one or two characters, except common ones.
    pub short_names: bool,
    /// Members of mocks, fakes and stubs.
    pub mocks: bool,
    /// Test fixtures and test helpers.
    pub test_helpers: bool,
}

/// How the ranked list becomes a pack (seed 000 §9, seed 004).
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

const fn field(weight: f32, b: f32) -> FieldWeight {
    FieldWeight { weight, b }
}

/// One text: every field counts the same, the name three times, lengths of the whole row.
const ONE_TEXT: Bm25Config = {
    let mut fields = [field(1.0, 0.75); FIELD_COUNT];
    fields[Field::Name as usize] = field(3.0, 0.75);
    fields[Field::Concepts as usize] = field(0.0, 0.75);
    Bm25Config { k1: 1.2, idf_exponent: 1.0, fields, whole_row_b: Some(0.75) }
};

/// The seeds' six columns (seed 000 §2, 3: `symbol_name` 10, concepts 5, `file_path` 4, `qualified_name` 3, doc 3,
/// signature 1). A qualified name is name, container and path, so each of these has 3 more.
const SIX_COLUMNS: Bm25Config = {
    let mut fields = [field(0.0, 0.75); FIELD_COUNT];
    fields[Field::Name as usize] = field(13.0, 0.75);
    fields[Field::Container as usize] = field(3.0, 0.75);
    fields[Field::Path as usize] = field(7.0, 0.75);
    fields[Field::Signature as usize] = field(1.0, 0.75);
    fields[Field::Doc as usize] = field(3.0, 0.75);
    fields[Field::Concepts as usize] = field(5.0, 0.75);
    Bm25Config { k1: 1.2, idf_exponent: 1.0, fields, whole_row_b: Some(0.75) }
};

/// LEX, "BM25F".
const LEX_SYMBOLS: Bm25Config = {
    let mut fields = [field(0.0, 0.75); FIELD_COUNT];
    fields[Field::Name as usize] = field(9.0, 0.75);
    fields[Field::Container as usize] = field(2.0, 0.75);
    fields[Field::Path as usize] = field(8.0, 0.3);
    fields[Field::Signature as usize] = field(1.0, 0.3);
    fields[Field::Doc as usize] = field(0.5, 0.75);
    fields[Field::Code as usize] = field(1.0, 0.75);
    fields[Field::Strings as usize] = field(1.0, 0.3);
    fields[Field::Comments as usize] = field(1.5, 0.5);
    Bm25Config { k1: 1.2, idf_exponent: 0.7, fields, whole_row_b: None }
};

/// LEX, "File score".
const LEX_FILES: Bm25Config = {
    let mut fields = [field(0.0, 0.75); FIELD_COUNT];
    fields[Field::Name as usize] = field(2.0, 0.75);
    fields[Field::Path as usize] = field(2.0, 0.75);
    fields[Field::Code as usize] = field(1.0, 0.75);
    fields[Field::Strings as usize] = field(1.0, 0.75);
    fields[Field::Comments as usize] = field(1.0, 0.75);
    Bm25Config { k1: 1.2, idf_exponent: 0.7, fields, whole_row_b: None }
};

impl Default for RankConfig {
    /// What measures best: BM25F leads with the file as a prior (LEX), named places are added, and the walk orders
    /// what stands below the fifth place.
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            query: QueryConfig {
                first_line: 1.0,
                scope: 2.0,
                body: 0.35,
                cap: 2.0,
                identifier: 1.0,
                max_terms: 64,
                max_bytes: 200_000,
            },
            names: NamesConfig {
                // Words lead. Names alone answer when the text index has almost nothing to say.
                channel: ChannelConfig { weight: 0.5, only_below: Some(5) },
                ..NamesConfig::seeds()
            },
            text: TextConfig {
                channel: ChannelConfig { weight: 1.0, only_below: None },
                query: TextQueryKind::Weighted,
                bm25: LEX_SYMBOLS,
                file_prior: Some(FilePriorConfig {
                    weight: 0.4,
                    bm25: LEX_FILES,
                    max_files: 30,
                    max_symbols: 2000,
                }),
                type_factor: 0.85,
                // LEX has 0.85 for tests that only look like product code: its candidates are without tests. Here
                // tests are candidates, and repeat the words of what they test; half keeps them below it.
                test_factor: 0.5,
                test_factor_when_asked: 0.85,
                limit: 1000,
            },
            path_context: PathContextConfig::seeds(),
            locations: ChannelConfig { weight: 1.0, only_below: None },
            fusion: FusionConfig::Linear { limit: 1000 },
            seeds: SeedConfig {
                prefer_types_above: usize::MAX,
                focus_above: None,
                implementors: false,
                ..SeedConfig::seeds()
            },
            // Below the first five places a near neighbourhood is enough: more nodes only cost time.
            walk: WalkConfig { hops: 3, max_nodes: 4_000, ..WalkConfig::seeds() },
            hits: None,
            score: ScoreConfig::FusedWithWalk { protected: 5, walk: 0.1 },
            noise: NoiseConfig { short_names: false, mocks: false, test_helpers: false },
            pack: PackConfig::standard(),
        }
    }
}

impl RankConfig {
    /// The constants of the seed documents: reciprocal rank fusion, walk, HITS, seven components.
    pub fn seeds() -> Self {
        Self {
            name: "seeds".to_owned(),
            query: Self::default().query,
            names: NamesConfig::seeds(),
            text: TextConfig {
                channel: ChannelConfig { weight: 2.0, only_below: None },
                query: TextQueryKind::Keywords,
                bm25: SIX_COLUMNS,
                file_prior: None,
                type_factor: 1.0,
                test_factor: 1.0,
                test_factor_when_asked: 1.0,
                limit: 30,
            },
            path_context: PathContextConfig::seeds(),
            locations: ChannelConfig { weight: 2.0, only_below: None },
            fusion: FusionConfig::ReciprocalRank { k: 60.0, limit: 40 },
            seeds: SeedConfig::seeds(),
            walk: WalkConfig::seeds(),
            hits: Some(HitsConfig {
                top: 200,
                iterations: 10,
                min_candidates: 5,
                seed_authority_above: 0.05,
                seed_authority: 0.25,
                other_authority_above: 0.2,
                other_authority: 0.15,
                seed_hub_above: 0.1,
                seed_hub: 0.10,
            }),
            score: ScoreConfig::SevenComponents(SevenConfig::seeds()),
            noise: NoiseConfig { short_names: true, mocks: true, test_helpers: true },
            // Everything that HITS looked at may enter; the budget decides.
            pack: PackConfig { max_symbols: 200, max_related: 0, min_share: 0.0, ..PackConfig::standard() },
        }
    }

    /// The baseline: BM25 over each symbol's text with its body as one field, the name three times; nothing else.
    pub fn bm25_bodies() -> Self {
        let base = Self::default();
        Self {
            name: "bm25-bodies".to_owned(),
            query: QueryConfig { scope: 1.0, body: 1.0, cap: 1.0, identifier: 0.0, ..base.query },
            text: TextConfig {
                bm25: ONE_TEXT,
                file_prior: None,
                type_factor: 1.0,
                test_factor: 1.0,
                test_factor_when_asked: 1.0,
                ..base.text
            },
            path_context: PathContextConfig { restart_weight: 0.0, ..base.path_context },
            locations: ChannelConfig { weight: 0.0, only_below: None },
            score: ScoreConfig::FusedWithWalk { protected: usize::MAX, walk: 0.0 },
            ..base
        }
    }

    /// The configuration with this name, as reported by [`RankConfig::name`].
    pub fn named(name: &str) -> Option<Self> {
        [Self::default, Self::seeds, Self::bm25_bodies]
            .map(|make| make())
            .into_iter()
            .find(|c| c.name == name)
    }
}

impl NamesConfig {
    const fn seeds() -> Self {
        Self {
            channel: ChannelConfig { weight: 2.0, only_below: None },
            prefix_below: 15,
            prefix_cap: 30,
            components_below: 5,
            substring_below: 5,
            substring_cap: 20,
            substring_min_chars: 4,
            path_below: 30,
            path_cap: 40,
            path_min_chars: 3,
        }
    }
}

impl PathContextConfig {
    const fn seeds() -> Self {
        Self {
            restart_weight: 0.3,
            max_terms: 5,
            min_chars: 4,
            rich_per_term: 5,
            lean_per_term: 10,
            all_per_term: 15,
            limit: 30,
            scan: 100,
            max_seeds: 10,
        }
    }
}

impl SeedConfig {
    const fn seeds() -> Self {
        Self {
            base: 15,
            medium: 20,
            large: 25,
            medium_graph: 10_000,
            large_graph: 40_000,
            prefer_types_above: 40_000,
            focus_above: Some(5),
            decay: 0.1,
            implementors: true,
        }
    }
}

impl WalkConfig {
    fn seeds() -> Self {
        Self {
            restart: 0.2,
            max_iterations: 20,
            min_iterations: 3,
            tolerance: 1e-3,
            stable_top: 10,
            stable_iterations: 2,
            hops: 4,
            max_nodes: 20_000,
            edges: EdgeWeights::seeds(),
            lsp_factor: 0.3,
            threshold: 0.02,
            max_candidates: 500,
        }
    }
}

impl SevenConfig {
    /// Seed 000 §6; the seven-component score is also that of packs for files and for a change.
    pub const fn seeds() -> Self {
        Self {
            with_hits: [0.35, 0.20, 0.15, 0.15],
            without_hits: [0.40, 0.25, 0.20, 0.15],
            feedback_gain: 0.25,
            feedback_loss: 0.05,
            session: 0.20,
            session_cap: 2.0,
            commit: [0.05, 0.03, 0.01],
            recency: [1.0, 0.8, 0.5, 0.2, 0.3],
            test_factor: 0.3,
            min_confidence: 0.5,
        }
    }
}

impl PackConfig {
    const fn standard() -> Self {
        Self {
            budget: 50_000,
            change_budget: 8_000,
            max_symbols: 30,
            max_related: 10,
            min_share: 0.15,
            guaranteed: 10,
            body_share: 0.5,
            max_bodies: 6,
            body_tokens: 500,
            bodies_share: 0.5,
            proximity: 0.3,
            proximity_phantoms: 0.2,
            proximity_max: 0.7,
            max_omitted: 50,
        }
    }
}
