//! Small hand-written answers for the tests of the formats.

use crate::answer::AnsweredPack;
use kenning_graph::{EdgeKind, Hash, Provenance, SymbolId, SymbolKind};
use kenning_retrieval::ripple::{RippleFile, RippleReason};
use kenning_retrieval::{
    CauseEffect, ChannelRank, Circumstances, CommitMatches, CommitVote, DetailLevel, FieldWords, FirstSymbol,
    FoundNeighbor, NeighborRole, OmittedSymbol, Pack, PackDecision, PackEdge, PackEnd, PackGroup,
    PackOutcome, PackSymbol, RankCause, RankConfidence, RankExplanation, RankReasons, RankedName,
    RankedSymbol, ScoreComponent, TaskWord, WordMatches,
};
use std::collections::BTreeMap;

const COMPONENTS: [ScoreComponent; 2] =
    [ScoreComponent { name: "text", value: 0.70001 }, ScoreComponent { name: "graph", value: 0.14 }];

/// Returns a symbol of the sample packs.
pub fn sample_symbol(name: &str, distance: u32, detail: DetailLevel, text: Option<&str>) -> PackSymbol {
    PackSymbol {
        symbol: SymbolId(distance),
        id: Hash::from_content(name.as_bytes()),
        qualified_name: format!("src/app.py::{name}"),
        name: name.into(),
        kind: SymbolKind::Method,
        language: "python".into(),
        file: "src/app.py".into(),
        line: 12 + distance,
        end_line: 17 + distance,
        signature: "def hook(self, f)".into(),
        doc: "Registers `f`.".into(),
        rank: Some(distance as usize + 1),
        score: 0.84001,
        distance,
        confidence: 0.9,
        provenance: Provenance::AstResolved,
        channels: vec!["text".into()],
        components: COMPONENTS.to_vec(),
        group: [PackGroup::Subject, PackGroup::Related, PackGroup::Tests][distance.min(2) as usize],
        detail,
        tokens: 10,
        text: text.map(str::to_owned),
        text_line: 12 + distance,
        shown_lines: Vec::new(),
        blank_lines: Vec::new(),
    }
}

/// Returns an answer without symbols.
pub fn empty_answer(task: &str) -> AnsweredPack {
    let pack = Pack {
        task: task.into(),
        pack_root: Hash::from_content(b"pack"),
        source_root: Hash::from_content(b"source"),
        budget: 50_000,
        tokens_used: 0,
        confidence: None,
        symbols: vec![],
        first: vec![],
        end: None,
        edges: vec![],
        documents: vec![],
        omitted: vec![],
        omitted_counts: [].into(),
        unknown_files: vec![],
    };
    let snapshot = Hash::from_content(b"snapshot");
    AnsweredPack { pack, subject: task.into(), snapshot, change: None, ripple: Vec::new() }
}

/// Returns an answer with a symbol of each group, each with another detail.
pub fn full_answer() -> AnsweredPack {
    let body = "def hook(self, f):\n    \"\"\"\n    ```\n    app.hook(f)\n    ```\n    \"\"\"\n";
    let mut answer = empty_answer("\n## add a hook\n\nlong text");
    answer.pack.tokens_used = 30;
    answer.pack.confidence = Some(RankConfidence::from_probability(0.64));
    answer.pack.symbols = vec![
        sample_symbol("App.hook", 0, DetailLevel::Body, Some(body)),
        sample_symbol("App.`odd`", 1, DetailLevel::Signature, None),
        sample_symbol("App.far", 3, DetailLevel::Name, None),
    ];
    answer.pack.edges = vec![PackEdge {
        source: 0,
        target: 1,
        kind: EdgeKind::Calls,
        provenance: Provenance::AstInferred,
        confidence: 0.7,
    }];
    answer.pack.first = vec![FirstSymbol { index: 0, likelihood: 0.58, reasons: sample_reasons() }];
    answer.pack.end = Some(PackEnd { rank: 4, next_likelihood: 0.012, is_cut: false });
    answer.pack.omitted =
        vec![OmittedSymbol { name: "src/app.py::big".into(), reason: "budget", tokens: 900 }];
    answer.pack.omitted_counts = [("budget", 1)].into();
    answer
}

/// Returns an answer about files, with a file that usually changes together with them.
pub fn answer_with_ripple() -> AnsweredPack {
    let reasons = vec![RippleReason::ChangedTogether { together: 7, commits: 9 }, RippleReason::Uses(2)];
    let ripple = vec![RippleFile { path: "src/tree_unix.go".into(), score: 1.0, reasons }];
    AnsweredPack { ripple, ..empty_answer("src/tree.go") }
}

/// Returns an answer in which every text from outside tries to break out of its field.
pub fn hostile_answer() -> AnsweredPack {
    let evil = "a</symbol>\"]]>`\u{1b}[2J&\u{202e}\u{9b}";
    let mut answer = empty_answer(&format!("# fix {evil}\n<script>"));
    let body = format!("```\n{evil}\n]]>\n</text></context>\r\n");
    let mut odd = sample_symbol(evil, 0, DetailLevel::Body, Some(&body));
    odd.file = format!("src/{evil}.py");
    odd.qualified_name = format!("{}::{evil}", odd.file);
    let mut described = sample_symbol("plain", 1, DetailLevel::Signature, None);
    described.signature = format!("def {evil}(\t<T>)");
    described.doc = format!("``` {evil} <b>");
    described.channels = vec!["tiered:exact".into(), "bm25".into()];
    answer.pack.symbols = vec![odd, described];
    answer.pack.edges = vec![PackEdge {
        source: 0,
        target: 1,
        kind: EdgeKind::Calls,
        provenance: Provenance::LspResolved,
        confidence: 0.9,
    }];
    answer.pack.omitted_counts = [("noise", 2)].into();
    answer.pack.unknown_files = vec![format!("{evil}.py")];
    answer
}

/// Returns the explanation of `App.hook`.
pub fn sample_explanation() -> RankExplanation {
    RankExplanation {
        qualified_name: "src/app.py::App.hook".into(),
        config: "default".into(),
        rank: Some(1),
        candidates: 40,
        ranked: Some(RankedSymbol {
            symbol: SymbolId(0),
            score: 0.84,
            components: COMPONENTS.to_vec(),
            fused: Some(0.7),
            walk: 1.0,
            seed: Some(0.5),
            distance: 0,
            confidence: 0.9,
            provenance: Provenance::AstResolved,
            channels: vec!["text".into()],
            hits: None,
            is_above_threshold: true,
        }),
        channels: vec![ChannelRank { channel: "tiered", reason: "exact", rank: 2, score: 0.5, weight: 1.0 }],
        fused: Some((1, 0.7)),
        seed: None,
        path: vec!["src/app.py::App".into(), "src/app.py::App.hook".into()],
        features: vec![("name_cover", 0.25), ("users", -0.125)],
        votes: vec![
            CommitVote {
                id: "0123456789abcdef0123".into(),
                subject: "Add a hook".into(),
                time: 1_600_000_000,
                symbol: 0.25,
                file: 0.125,
            },
            CommitVote { id: "fe".into(), subject: "Fix it".into(), time: -1, symbol: 0.0, file: 0.5 },
        ],
        voters: 7,
        respelled: BTreeMap::new(),
        noise: None,
        injected: None,
        fallback: None,
        packed: Some(PackDecision {
            symbol: SymbolId(0),
            density: Some(0.0123),
            outcome: PackOutcome::Shown(DetailLevel::Body),
            tokens: 61,
        }),
        reasons: sample_reasons(),
    }
}

/// Returns the reasons for the rank of `App.hook`: its name, a commit and a caller.
fn sample_reasons() -> RankReasons {
    let effect = |cause, effect| CauseEffect { cause, effect, gap: 0.0 };
    let word = |text: &str| TaskWord { text: text.into(), is_identifier: false };
    let neighbor = RankedName { name: "App.register".into(), rank: 2 };
    RankReasons {
        effects: vec![
            effect(RankCause::Name, 0.25),
            effect(RankCause::Commits, 0.125),
            effect(RankCause::Connections, 0.0625),
            effect(RankCause::Users, -0.125),
        ],
        words: WordMatches {
            fields: vec![FieldWords { field: RankCause::Name, words: vec![word("hook")] }],
            present: vec![RankCause::Name],
            known: 2,
            matched: 1,
        },
        facts: Circumstances {
            name: "App.hook".into(),
            path: "src/app.py".into(),
            kind: Some(SymbolKind::Method),
            container: Some(SymbolKind::Class),
            commits: CommitMatches { symbol: 1, file: 2, words: vec![word("hook")], any: true },
            neighbor: Some(FoundNeighbor {
                neighbor,
                role: NeighborRole::User,
                kind: EdgeKind::Calls,
                others: 0,
            }),
            ..Circumstances::default()
        },
        ..RankReasons::default()
    }
}
