//! Tests that the components of every ranked symbol add up to its score, in all configurations and
//! with any evidence.

use super::*;
use kenning_graph::SymbolRef;
use kenning_graph::commits::{CommitFacts, TouchedFile};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Evidence that is assigned to the symbols in turn.
struct RandomEvidence(Vec<SymbolEvidence>);

impl EvidenceSource for RandomEvidence {
    fn evidence_for(&self, symbol: &SymbolRef<'_>) -> SymbolEvidence {
        self.0[symbol.id.0 as usize % self.0.len()]
    }
}

fn evidence() -> impl Strategy<Value = SymbolEvidence> {
    let age = prop::option::of(0u64..4_000_000);
    let share = prop::option::of(0.0f64..=1.0);
    (share.clone(), share, 0.0f64..=1.0, 0.0f64..=1.0, 0.0f64..4.0, age.clone(), age).prop_map(
        |(feedback, usage, vocabulary, recall, session, commit_age, observed_age)| SymbolEvidence {
            feedback,
            usage,
            vocabulary,
            recall,
            session,
            commit_age,
            observed_age,
        },
    )
}

/// Generates tasks with words of the fixture, among others.
fn tasks() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "request",
        "config",
        "`before_request`",
        "hook",
        "App.dispatch",
        "tests",
        "load",
        "a",
        "fix",
        "view",
        "src/app/app.py:3",
        "scaffold",
        "Build",
        "`load_config()`",
        "elephant",
        "register function",
    ]);
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

/// Generates a commit with words of the fixture that touched one or two of its files.
fn commit() -> impl Strategy<Value = CommitFacts> {
    let file = prop::sample::select(vec![
        ("src/app/scaffold.py", "Scaffold.before_request"),
        ("src/app/app.py", "App.dispatch"),
        ("src/app/config.py", ""),
    ]);
    (tasks(), 0i64..1000, prop::collection::vec(file, 1..3)).prop_map(|(message, days, mut files)| {
        files.dedup();
        let mut tokens = Vec::new();
        kenning_graph::analysis::Analyzer::default()
            .for_each_token(&message, |token| tokens.push(token.to_owned()));
        let file = |(path, symbol): &(&str, &str)| TouchedFile {
            path: (*path).into(),
            old_path: None,
            symbols: symbol.split_whitespace().map(Into::into).collect(),
        };
        CommitFacts {
            id: format!("{days:04}").into(),
            time: (1000 - days) * 86_400,
            subject: message.as_str().into(),
            subject_tokens: tokens.join(" ").into(),
            body_tokens: "".into(),
            touched_count: files.len() as u32,
            files: files.iter().map(file).collect(),
        }
    })
}

/// Checks that the commit votes in an explanation add up to their part of the score.
fn check_votes(
    config: &RankConfig,
    components: &[ScoreComponent],
    votes: &[CommitVote],
) -> Result<(), TestCaseError> {
    let history_config = &config.history;
    let symbol: f64 = votes.iter().map(|vote| vote.symbol).sum();
    let file: f64 = votes.iter().map(|vote| vote.file).sum();
    for (name, weight, sum) in [
        ("history", history_config.channel.weight, symbol),
        ("history_files", history_config.file_weight, file),
    ] {
        let part = components.iter().find(|part| part.name == name).map(|part| part.value);
        if let Some(value) = part {
            prop_assert!((value - weight * sum.sqrt()).abs() < 1e-9, "{name}: {value}, {votes:?}");
        }
    }
    Ok(())
}

fn configurations() -> Vec<RankConfig> {
    let with_flat_fallback = |mut config: RankConfig| {
        config.evidence.task_memory = config::EvidenceConfig::TASK_MEMORY;
        config.fallback = config.fallback.map(|f| config::FallbackConfig {
            graph_above: 0,
            top: 2,
            flat_ratio: 9.0,
            steep_ratio: 10.0,
            ..f
        });
        config
    };
    let mut all = vec![
        RankConfig::default(),
        RankConfig::linear_preset(),
        RankConfig::seeds_preset(),
        RankConfig::bm25_bodies(),
    ];
    all.extend([
        with_flat_fallback(RankConfig::linear_preset()),
        with_flat_fallback(RankConfig::seeds_preset()),
    ]);
    let weights = FEATURES.iter().map(|feature| ((*feature).to_owned(), 0.1)).collect();
    let rerank = Some(config::RerankConfig { top: 5, lead: 3, prose: [1.0, 3.0], file_vote: 2.0, weights });
    all.push(RankConfig { rerank, ..RankConfig::linear_preset() });
    all
}

fn check(ranked: &[RankedSymbol]) -> Result<(), TestCaseError> {
    for r in ranked {
        prop_assert!(r.score.is_finite());
        prop_assert_eq!(r.score, total_score(&r.components));
        let names: BTreeSet<&str> = r.components.iter().map(|c| c.name).collect();
        prop_assert_eq!(names.len(), r.components.len(), "each component once: {:?}", &r.components);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn components_add_up_to_the_score(
        task in tasks(),
        random_evidence in prop::collection::vec(evidence(), 1..6),
        line in 1u32..8,
        commits in prop::collection::vec(commit(), 0..5),
        no_learning: bool,
    ) {
        let app = build_fixture(APP);
        let history = CommitHistory::new(commits);
        let (random_evidence, editor) = (RandomEvidence(random_evidence), EditorPosition { path: "src/app/app.py".into(), line });
        let channels: [&dyn Channel; 1] = [&editor];
        let options = RequestOptions { no_learning, ..RequestOptions::default() };
        for config in configurations() {
            let analysis = Analysis { channels: &channels, evidence: Some(&random_evidence), history: Some(&history), ..analyze(&app, &config) };
            let answer = analysis.pack_task(&TaskRequest { task: task.clone(), options: options.clone() });
            check(&answer.trace.ranked)?;
            for shown in &answer.pack.symbols {
                prop_assert_eq!(shown.score, total_score(&shown.components));
                let why = answer.trace.explain_symbol(&app.snapshot, shown.symbol);
                prop_assert_eq!(why.voters, why.votes.len(), "the fixture has too few commits to truncate the list");
                check_votes(&config, &shown.components, &why.votes)?;
                match why.ranked {
                    Some(ranked) => prop_assert_eq!(ranked.score, shown.score),
                    // The rest of a file, and a test that only the graph found.
                    None => prop_assert!(matches!(shown.channels[0].as_str(), "file" | "tests") && shown.score == 0.0),
                }
            }
            let files = FilesRequest { files: vec!["src/app/app.py".into()], options: options.clone() };
            check(&analysis.pack_files(&files).trace.ranked)?;
        }
    }
}
