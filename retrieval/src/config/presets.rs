//! The constants of the named configurations: `default`, `linear`, `seeds`, and the baseline
//! `bm25-bodies`. `docs/ranking.md` explains them.

use super::{
    Bm25Config, ChannelConfig, ComponentWeights, EdgeWeights, EquivalenceClassConfig, EvidenceConfig,
    FIELD_COUNT, FallbackConfig, FeedbackMode, FieldWeight, FilePriorConfig, FusionConfig, HistoryConfig,
    HitsConfig, LearnedConfig, LiteralsConfig, MatchConfig, NamesConfig, NoiseConfig, PackConfig,
    PackStrategy, PathContextConfig, QueryConfig, RankConfig, RerankConfig, RoleWeights, ScoreConfig,
    SeedConfig, TestIdsConfig, TextConfig, TextQueryKind, ThesaurusConfig, VectorConfig, WalkConfig,
};
use kenning_graph::text::TextField;

const fn field_weight(weight: f32, b: f32) -> FieldWeight {
    FieldWeight { weight, b }
}

/// BM25 over one text. Every field has the same weight, except that the name counts three times.
/// Lengths are the lengths of whole rows.
const BM25_ONE_TEXT: Bm25Config = {
    let mut fields = [field_weight(1.0, 0.75); FIELD_COUNT];
    fields[TextField::Name as usize] = field_weight(3.0, 0.75);
    fields[TextField::Concepts as usize] = field_weight(0.0, 0.75);
    Bm25Config { k1: 1.2, idf_exponent: 1.0, fields, whole_row_b: Some(0.75) }
};

/// BM25 over six columns: `symbol_name` 10, concepts 5, `file_path` 4, `qualified_name` 3, doc 3,
/// signature 1. A qualified name consists of name, container and path, so each of these fields
/// weighs 3 more.
const BM25_SIX_COLUMNS: Bm25Config = {
    let mut fields = [field_weight(0.0, 0.75); FIELD_COUNT];
    fields[TextField::Name as usize] = field_weight(13.0, 0.75);
    fields[TextField::Container as usize] = field_weight(3.0, 0.75);
    fields[TextField::Path as usize] = field_weight(7.0, 0.75);
    fields[TextField::Signature as usize] = field_weight(1.0, 0.75);
    fields[TextField::Doc as usize] = field_weight(3.0, 0.75);
    fields[TextField::Concepts as usize] = field_weight(5.0, 0.75);
    Bm25Config { k1: 1.2, idf_exponent: 1.0, fields, whole_row_b: Some(0.75) }
};

/// BM25F over symbols, fitted on the tuning sets.
const BM25F_SYMBOLS: Bm25Config = {
    let mut fields = [field_weight(0.0, 0.75); FIELD_COUNT];
    fields[TextField::Name as usize] = field_weight(9.0, 0.75);
    fields[TextField::Container as usize] = field_weight(2.0, 0.75);
    fields[TextField::Path as usize] = field_weight(8.0, 0.3);
    fields[TextField::Signature as usize] = field_weight(1.0, 0.3);
    fields[TextField::Doc as usize] = field_weight(0.5, 0.75);
    fields[TextField::Code as usize] = field_weight(1.0, 0.75);
    fields[TextField::Strings as usize] = field_weight(1.0, 0.3);
    fields[TextField::Comments as usize] = field_weight(1.5, 0.5);
    Bm25Config { k1: 1.2, idf_exponent: 0.7, fields, whole_row_b: None }
};

/// BM25F over files, fitted on the tuning sets.
const BM25F_FILES: Bm25Config = {
    let mut fields = [field_weight(0.0, 0.75); FIELD_COUNT];
    fields[TextField::Name as usize] = field_weight(2.0, 0.75);
    fields[TextField::Path as usize] = field_weight(2.0, 0.75);
    fields[TextField::Code as usize] = field_weight(1.0, 0.75);
    fields[TextField::Strings as usize] = field_weight(1.0, 0.75);
    fields[TextField::Comments as usize] = field_weight(1.0, 0.75);
    Bm25Config { k1: 1.2, idf_exponent: 0.7, fields, whole_row_b: None }
};

/// The restart weight of the editor position: that of a type in a folder that the task names.
const EDITOR_CHANNEL: ChannelConfig = ChannelConfig::unconditional(0.3);

impl Default for RankConfig {
    /// Returns the configuration that users get: the candidates of `linear`, ordered by the learned
    /// ranker. The trees already use the history and the best text hits, so neither adds to the
    /// score again.
    fn default() -> Self {
        let base = Self::linear_preset();
        Self {
            name: "default".to_owned(),
            evidence: EvidenceConfig { commit: [0.0; 3], ..base.evidence },
            fallback: None,
            rerank: None,
            learned: Some(LearnedConfig { top: 100 }),
            ..base
        }
    }
}

impl RankConfig {
    /// Returns the configuration without learned trees. BM25F with the file as a prior has the most
    /// weight; the walk only orders the candidates below the fifth rank; the linear reranker orders
    /// the best candidates.
    pub fn linear_preset() -> Self {
        Self {
            name: "linear".to_owned(),
            query: QueryConfig {
                first_line: 1.0,
                scope: 2.0,
                body: 0.35,
                roles: RoleWeights::standard_preset(),
                cap: 2.0,
                identifier: 1.0,
                respells: true,
                max_terms: 64,
                max_bytes: 200_000,
            },
            names: NamesConfig {
                // The name search runs only if the text index finds almost nothing.
                channel: ChannelConfig { weight: 0.5, only_below: Some(5) },
                substring_qualified: false,
                ..NamesConfig::seeds_preset()
            },
            text: TextConfig {
                channel: ChannelConfig::unconditional(1.0),
                query: TextQueryKind::Weighted,
                bm25: BM25F_SYMBOLS,
                file_prior: Some(FilePriorConfig {
                    weight: 0.4,
                    bm25: BM25F_FILES,
                    max_files: 30,
                    max_symbols: 2000,
                }),
                type_factor: 0.85,
                // Tests are candidates and repeat the words of the code under test. This factor
                // keeps them below it.
                test_factor: 0.5,
                test_factor_when_asked: 0.85,
                file_activity: 0.02,
                file_activity_days: 365.0,
                thesaurus: ThesaurusConfig { weight: 0.0, ..ThesaurusConfig::seeds_preset() },
                limit: 1000,
            },
            classes: EquivalenceClassConfig::measured_preset(),
            path_context: PathContextConfig::seeds_preset(),
            locations: ChannelConfig::unconditional(1.0),
            test_ids: TestIdsConfig::standard_preset(1.0),
            literals: LiteralsConfig::standard_preset(1.0),
            editor: EDITOR_CHANNEL,
            history: HistoryConfig::standard_preset(),
            vectors: VectorConfig::all_off(),
            fusion: FusionConfig::Linear { limit: 1000 },
            seeds: SeedConfig {
                prefer_types_above: usize::MAX,
                focus_above: None,
                implementors: false,
                ..SeedConfig::seeds_preset()
            },
            // Below the first five ranks, the near neighborhood suffices; more nodes only cost
            // time.
            walk: WalkConfig { hops: 3, max_nodes: 4_000, shared_types: false, ..WalkConfig::seeds_preset() },
            hits: None,
            score: ScoreConfig::FusedWithWalk { protected: 5, walk: 0.1 },
            // A symbol that was shown was not necessarily used, so it gains half as much as in
            // `seeds`.
            evidence: EvidenceConfig { session: 0.10, ..EvidenceConfig::seeds_preset() },
            fallback: Some(FallbackConfig::seeds_preset()),
            rerank: Some(RerankConfig::fitted_weights()),
            learned: None,
            task_match: Some(MatchConfig::fitted_preset()),
            noise: NoiseConfig { short_names: false, mocks: false, test_helpers: false },
            pack: PackConfig::standard_preset(),
        }
    }

    /// Returns the configuration with reciprocal rank fusion, a long walk, HITS and the
    /// seven-component score.
    pub fn seeds_preset() -> Self {
        Self {
            name: "seeds".to_owned(),
            query: QueryConfig { respells: false, ..Self::linear_preset().query },
            names: NamesConfig::seeds_preset(),
            text: TextConfig {
                channel: ChannelConfig::unconditional(2.0),
                query: TextQueryKind::Keywords,
                bm25: BM25_SIX_COLUMNS,
                file_prior: None,
                type_factor: 1.0,
                test_factor: 1.0,
                test_factor_when_asked: 1.0,
                file_activity: 0.0,
                file_activity_days: 365.0,
                thesaurus: ThesaurusConfig::seeds_preset(),
                limit: 30,
            },
            classes: EquivalenceClassConfig::seeds_preset(),
            path_context: PathContextConfig::seeds_preset(),
            locations: ChannelConfig::unconditional(2.0),
            test_ids: TestIdsConfig::standard_preset(2.0),
            literals: LiteralsConfig::standard_preset(2.0),
            editor: EDITOR_CHANNEL,
            history: HistoryConfig::all_off(),
            vectors: VectorConfig::seeds_preset(),
            fusion: FusionConfig::ReciprocalRank { k: 60.0, limit: 40 },
            seeds: SeedConfig::seeds_preset(),
            walk: WalkConfig::seeds_preset(),
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
            score: ScoreConfig::SevenComponents(ComponentWeights::seeds_preset()),
            evidence: EvidenceConfig::seeds_preset(),
            fallback: Some(FallbackConfig::seeds_preset()),
            rerank: None,
            learned: None,
            task_match: None,
            noise: NoiseConfig { short_names: true, mocks: true, test_helpers: true },
            // The pack may contain all nodes that HITS visits, if the budget allows.
            pack: PackConfig {
                strategy: PackStrategy::Density,
                budget: 50_000,
                max_symbols: 200,
                max_related: 0,
                min_share: 0.0,
                ..PackConfig::standard_preset()
            },
        }
    }

    /// Returns the baseline: BM25 over each symbol's text with its body as one field, the name
    /// three times, and nothing else.
    pub fn bm25_bodies() -> Self {
        let base = Self::linear_preset();
        Self {
            name: "bm25-bodies".to_owned(),
            task_match: None,
            query: QueryConfig {
                scope: 1.0,
                body: 1.0,
                roles: RoleWeights::all_off(),
                cap: 1.0,
                identifier: 0.0,
                respells: false,
                ..base.query
            },
            text: TextConfig {
                bm25: BM25_ONE_TEXT,
                file_prior: None,
                type_factor: 1.0,
                test_factor: 1.0,
                test_factor_when_asked: 1.0,
                file_activity: 0.0,
                ..base.text
            },
            classes: EquivalenceClassConfig::all_off(),
            path_context: PathContextConfig { restart_weight: 0.0, ..base.path_context },
            locations: ChannelConfig::unconditional(0.0),
            test_ids: TestIdsConfig::standard_preset(0.0),
            literals: LiteralsConfig::standard_preset(0.0),
            editor: ChannelConfig::unconditional(0.0),
            history: HistoryConfig::all_off(),
            score: ScoreConfig::FusedWithWalk { protected: usize::MAX, walk: 0.0 },
            evidence: EvidenceConfig::without_evidence(),
            fallback: None,
            rerank: None,
            ..base
        }
    }

    /// Returns the configuration with this name ([`RankConfig::name`]), or `None` if there is none.
    pub fn find_preset(name: &str) -> Option<Self> {
        [Self::default, Self::linear_preset, Self::seeds_preset, Self::bm25_bodies]
            .map(|make_preset| make_preset())
            .into_iter()
            .find(|config| config.name == name)
    }
}

impl NamesConfig {
    const fn seeds_preset() -> Self {
        Self {
            channel: ChannelConfig::unconditional(2.0),
            prefix_below: 15,
            prefix_cap: 30,
            components_below: 5,
            substring_below: 5,
            substring_cap: 20,
            substring_min_chars: 4,
            substring_qualified: true,
            path_below: 30,
            path_cap: 40,
            path_min_chars: 3,
        }
    }
}

impl ThesaurusConfig {
    /// Returns the constants of `seeds`.
    const fn seeds_preset() -> Self {
        Self { weight: 1.0, max_terms: 10 }
    }
}

impl PathContextConfig {
    const fn seeds_preset() -> Self {
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

impl HistoryConfig {
    /// Returns the constants that `docs/ranking.md` describes.
    const fn standard_preset() -> Self {
        Self {
            channel: ChannelConfig::unconditional(0.5),
            file_weight: 0.3,
            best: 30,
            max_files: 20,
            half_life_days: 1000.0,
            k1: 1.2,
            b: 0.4,
            idf_cap: 7.0,
            full_match: 1.5,
            symbol_exponent: 0.75,
            file_exponent: 0.5,
        }
    }

    /// Returns constants that disable the votes of commits.
    const fn all_off() -> Self {
        let standard = Self::standard_preset();
        Self { channel: ChannelConfig::unconditional(0.0), file_weight: 0.0, ..standard }
    }
}

impl SeedConfig {
    const fn seeds_preset() -> Self {
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
    fn seeds_preset() -> Self {
        Self {
            restart: 0.2,
            max_iterations: 20,
            min_iterations: 3,
            tolerance: 1e-3,
            stable_top: 10,
            stable_iterations: 2,
            hops: 4,
            max_nodes: 20_000,
            edges: EdgeWeights::seeds_preset(),
            lsp_factor: 0.3,
            shared_types: true,
            threshold: 0.02,
            max_candidates: 500,
        }
    }
}

impl ComponentWeights {
    /// Returns the weights of `seeds`. Packs for files and for a change use them in every
    /// configuration.
    pub const fn seeds_preset() -> Self {
        Self {
            with_hits: [0.35, 0.20, 0.15, 0.15],
            without_hits: [0.40, 0.25, 0.20, 0.15],
            recency: [1.0, 0.8, 0.5, 0.2, 0.3],
            test_factor: 0.3,
            min_confidence: 0.5,
        }
    }
}

impl EvidenceConfig {
    /// Factor of the task memory if a workspace turns it on.
    pub const TASK_MEMORY: f64 = 0.3;

    /// Returns the constants of `seeds`.
    pub const fn seeds_preset() -> Self {
        Self {
            feedback_mode: FeedbackMode::Asymmetric,
            feedback_gain: 0.25,
            feedback_loss: 0.05,
            usage_gain: 0.125,
            usage_loss: 0.025,
            // Words that tasks share are weak evidence. A larger gain loses on the curated tasks
            // (`docs/ranking.md`, "Learning").
            vocabulary: 0.03,
            // The task memory is off by default, because it has no measured gain.
            task_memory: 0.0,
            session: 0.20,
            session_cap: 2.0,
            session_half_life: 180.0,
            session_least: 0.01,
            session_uses: 20,
            commit: [0.05, 0.03, 0.01],
        }
    }

    /// Returns constants that ignore all evidence, for a baseline.
    const fn without_evidence() -> Self {
        Self {
            feedback_gain: 0.0,
            feedback_loss: 0.0,
            usage_gain: 0.0,
            usage_loss: 0.0,
            vocabulary: 0.0,
            task_memory: 0.0,
            session: 0.0,
            commit: [0.0; 3],
            ..Self::seeds_preset()
        }
    }
}

impl FallbackConfig {
    /// Returns the constants of both `default` and `seeds`. The confidence is 0 if the first of the
    /// top ten scores is at most 1.2 times the last, and 1 from 3 times.
    const fn seeds_preset() -> Self {
        Self {
            graph_above: 200_000,
            top: 10,
            flat_ratio: 1.2,
            steep_ratio: 3.0,
            confidence_below: 0.3,
            hits: 10,
            members: 10,
            first: 0.7,
            step: 0.01,
        }
    }
}

impl PackConfig {
    const fn standard_preset() -> Self {
        Self {
            strategy: PackStrategy::Rank,
            budget: 8_000,
            change_budget: 8_000,
            max_symbols: 200,
            max_related: 10,
            min_share: 0.0,
            guaranteed: 5,
            body_share: 0.5,
            max_bodies: 6,
            body_tokens: 500,
            bodies_share: 0.5,
            proximity: 0.3,
            proximity_phantoms: 0.2,
            proximity_max: 0.7,
            max_omitted: 50,
            subjects: 5,
            subject_likelihood: 0.2,
            edit_tokens: 4_000.0,
            whole_factor: 2.0,
            least_tokens: 200.0,
            places: 10,
            file_tokens: 60,
            file_line_value: 1.0,
            max_tests: 5,
        }
    }
}
