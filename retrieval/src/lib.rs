//! Ranking and packing: turns a task, files or a change into a ranked, explained, token-budgeted
//! pack of symbols.
//!
//! An [`Analysis`] holds a snapshot, a [`RankConfig`] and a [`TextSource`]. It takes a request and
//! returns a [`TaskAnswer`]: the [`Pack`] and the [`RunTrace`] that explains it. A run has these
//! phases:
//!
//! * `query` reads the task text: keywords, weighted terms, named locations.
//! * `channels`, with `classes` and `history`, turns the query into ranked lists, and `fusion`
//!   merges them.
//! * `seeds` selects the symbols that start the walk, and `walk` finds the symbols near them.
//! * `rank` scores the candidates with `score`, `hits`, `evidence` and `rerank`.
//! * `fallback`, `injection` and `pins` adjust the ranked list.
//! * `task_match` decides whether anything in the workspace matches the task.
//! * `pack` fits the list into the token budget.
//!
//! `trace` records the run, and `causes` finds the reasons for the rank of one symbol in it.
//!
//! One pipeline serves every kind of request. Requests about files or changes start from symbols
//! instead of a task text, and use the seven-component score. Configurations differ only in their
//! constants. `features` answers questions about one symbol (blast radius, affected tests,
//! neighborhood), and `eval` scores ranked lists for the benchmark.
//!
//! The crate does no I/O and has no clock, so equal inputs give equal packs.

#![cfg_attr(test, allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them this way"))]
#![cfg_attr(
    test,
    allow(clippy::format_push_string, clippy::format_collect, reason = "tests read better this way")
)]

mod causes;
mod channels;
pub mod classes;
pub mod config;
pub mod eval;
mod evidence;
mod fallback;
pub mod features;
mod fusion;
mod history;
mod hits;
mod injection;
mod learned;
mod likelihood;
mod noise;
pub mod pack;
mod parallel;
mod path_role;
mod pins;
mod pipeline;
pub mod query;
mod rank;
mod request;
mod rerank;
pub mod ripple;
mod score;
pub mod search;
mod seeds;
mod task_match;
mod text_source;
mod trace;
mod vector_rerank;
pub mod vectors;
mod walk;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use causes::{
    CauseEffect, Circumstances, CommitMatches, FeatureValue, FieldWords, FoundNeighbor, FoundRelative,
    NamedParts, NeighborRole, RankCause, RankReasons, RankedName, RelativeRole, StandInPhrase, TaskWord,
    WordMatches,
};
pub use channels::{CLASSES as CLASSES_CHANNEL, TEXT as TEXT_CHANNEL};
pub use channels::{Channel, ChannelHit, ChannelInput, ChannelList, EditorPosition, ListUsage, ScoreScale};
pub use classes::WorkspaceFacts;
pub use config::RankConfig;
pub use evidence::session_boost;
pub use fallback::FallbackTrace;
pub use fusion::FusedCandidate;
pub use history::{ChangeSeed, CoChange, CommitHistory, CommitVote, VotingCommit, symbols_of_chains};
pub use hits::HitsScore;
pub use learned::{FeatureTable, LearnedConfig, LearnedTrace, feature_names};
pub use likelihood::{ConfidenceLevel, EditLikelihoods, FIRST_SYMBOLS, RankConfidence};
pub use pack::{
    DetailLevel, FirstSymbol, LineRange, OmittedSymbol, Pack, PackDecision, PackEdge, PackEnd, PackGroup,
    PackOutcome, PackSize, PackSymbol, PackTrace, render_item,
};
pub use path_role::{is_secondary, is_secondary_path};
pub use pipeline::{NoObserver, RunCancelled, StageObserver};
pub use query::TaskQuery;
pub use rank::{RankedSymbol, RemovedSymbol};
pub use request::{
    ChangeRequest, ChangedFile, EvidenceSource, FilesRequest, PackDocuments, RequestOptions, SymbolEvidence,
    TaskRequest,
};
pub use rerank::{FEATURES, FeatureVector, RerankConfig};
pub use score::{ScoreComponent, total_score};
pub use seeds::{Seed, SeedSelection};
pub use task_match::TaskMatch;
pub use text_source::{NoText, TextSource};
pub use trace::{ChannelRank, MAX_VOTES, RankExplanation, RunTrace, WalkTrace};
pub use walk::StopReason;

use history::CommitVotes;
use kenning_graph::{Snapshot, SymbolId};
use pipeline::{PackRequest, RunStart};
use rank::BlastSource;
use rustc_hash::FxHashSet;
use vectors::VectorSearch;

/// A snapshot to analyze, with the configuration and everything else that a run reads.
#[derive(Clone, Copy)]
pub struct Analysis<'a> {
    /// The graph.
    pub snapshot: &'a Snapshot,
    /// The constants of the ranking.
    pub config: &'a RankConfig,
    /// The source of symbol bodies.
    pub text: &'a dyn TextSource,
    /// Facts from the workspace's manifests and settings.
    pub workspace: &'a WorkspaceFacts,
    /// Additional channels. They run after the built-in channels, in this order.
    pub channels: &'a [&'a dyn Channel],
    /// Feedback, session uses, history and run-time observations, if available.
    pub evidence: Option<&'a dyn EvidenceSource>,
    /// The commits of the repository, if they have been read.
    pub history: Option<&'a CommitHistory>,
    /// The vectors of the workspace, if it has any.
    pub vectors: Option<VectorSearch<'a>>,
    /// The form in which the reader gets packs, which must fit the budget. Without it, the items
    /// alone must fit.
    pub size: Option<&'a dyn PackSize>,
}

/// A pack and the trace of the run that produced it.
#[derive(Clone, Debug)]
pub struct TaskAnswer {
    /// The ranked symbols within the token budget.
    pub pack: Pack,
    /// The decisions of each stage.
    pub trace: RunTrace,
}

/// Returns the symbols that a change touches, file by file. For a file without line numbers, these
/// are all its symbols. Files that are not in the snapshot are skipped.
pub fn changed_symbols(snapshot: &Snapshot, files: &[ChangedFile]) -> Vec<SymbolId> {
    channels::changed_symbols(snapshot, files).0
}

impl<'a> Analysis<'a> {
    /// Creates an analysis with the built-in channels only: no workspace facts, no evidence, no
    /// commit history.
    pub fn new(snapshot: &'a Snapshot, config: &'a RankConfig, text: &'a dyn TextSource) -> Self {
        let workspace = WorkspaceFacts::EMPTY;
        Self {
            snapshot,
            config,
            text,
            workspace,
            channels: &[],
            evidence: None,
            history: None,
            vectors: None,
            size: None,
        }
    }

    /// Returns the input of the channels for a query.
    pub(crate) fn channel_input<'b>(
        &'b self,
        query: &'b TaskQuery,
        votes: &'b CommitVotes,
    ) -> ChannelInput<'b> {
        let Self { snapshot, config, text, history, vectors, .. } = *self;
        ChannelInput { snapshot, config, query, text, history, votes, vectors, earlier: &[] }
    }

    /// Returns the pack for a task.
    pub fn pack_task(&self, request: &TaskRequest) -> TaskAnswer {
        self.pack_task_observed(request, &mut NoObserver).expect("no one cancels an unobserved run")
    }

    /// Returns the pack for a task, like [`Analysis::pack_task`], and notifies `observer` when each
    /// stage begins.
    ///
    /// # Errors
    /// Returns [`RunCancelled`] if the observer reports that the request was cancelled.
    pub fn pack_task_observed(
        &self,
        request: &TaskRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, RunCancelled> {
        let mut trace =
            pipeline::run_stages(self, RunStart::Task(&request.task), &request.options, observer)?;
        let packing = PackRequest {
            task: &request.task,
            request_parts: vec!["task", &request.task],
            options: &request.options,
            budget: self.config.pack.budget,
            unknown_files: Vec::new(),
        };
        let pack = pipeline::build_pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }

    /// Returns the full ranked list for a task, before packing.
    pub fn rank_task(&self, request: &TaskRequest) -> Vec<RankedSymbol> {
        self.trace_task(request).ranked
    }

    /// Returns the trace of a run for a task, before packing.
    pub fn trace_task(&self, request: &TaskRequest) -> RunTrace {
        pipeline::run_stages(self, RunStart::Task(&request.task), &request.options, &mut NoObserver)
            .expect("no one cancels an unobserved run")
    }

    /// Returns the record of the learned ranker for a task: its candidates with their features.
    /// `None` if the configuration does not use it.
    pub fn compute_learned_features(&self, request: &TaskRequest) -> Option<LearnedTrace> {
        pipeline::run_stages(self, RunStart::Task(&request.task), &request.options, &mut NoObserver)
            .expect("no one cancels an unobserved run")
            .learned
    }

    /// Returns the first `top` entries of the ranked list before reranking, with the features of
    /// each. The reranker's weights are fitted on these features.
    pub fn compute_rerank_features(
        &self,
        request: &TaskRequest,
        top: usize,
    ) -> (Vec<RankedSymbol>, Vec<FeatureVector>) {
        let plain = RankConfig { rerank: None, ..self.config.clone() };
        let analysis = Analysis { config: &plain, ..*self };
        let trace =
            pipeline::run_stages(&analysis, RunStart::Task(&request.task), &request.options, &mut NoObserver)
                .expect("no one cancels an unobserved run");
        let mut ranked = trace.ranked;
        ranked.truncate(top);
        let votes = CommitVotes::default();
        let input = self.channel_input(&trace.query, &votes);
        let rows = rerank::compute_features(&input, &ranked);
        (ranked, rows)
    }

    /// Returns the pack for files that someone is about to work on: their symbols and the symbols
    /// near them.
    pub fn pack_files(&self, request: &FilesRequest) -> TaskAnswer {
        self.pack_files_observed(request, &mut NoObserver).expect("no one cancels an unobserved run")
    }

    /// Returns the pack for files, like [`Analysis::pack_files`], and notifies `observer` when each
    /// stage begins.
    ///
    /// # Errors
    /// Returns [`RunCancelled`] if the observer reports that the request was cancelled.
    pub fn pack_files_observed(
        &self,
        request: &FilesRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, RunCancelled> {
        let (symbols, unknown_files) = channels::file_symbols(self.snapshot, &request.files);
        let start = RunStart::Symbols { symbols, blast: BlastSource::Callers };
        let mut trace = pipeline::run_stages(self, start, &request.options, observer)?;
        let packing = PackRequest {
            task: "",
            request_parts: std::iter::once("files").chain(request.files.iter().map(String::as_str)).collect(),
            options: &request.options,
            budget: self.config.pack.budget,
            unknown_files,
        };
        let pack = pipeline::build_pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }

    /// Returns the pack for a change: the symbols that it touches and the symbols near them.
    ///
    /// # Errors
    /// Returns [`RunCancelled`] if the observer reports that the request was cancelled.
    pub fn pack_change(
        &self,
        request: &ChangeRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, RunCancelled> {
        let (mut symbols, unknown_files) = channels::changed_symbols(self.snapshot, &request.files);
        let changed: FxHashSet<SymbolId> = symbols.iter().copied().collect();
        let has_text = |id| self.snapshot.symbol(id).is_some_and(|s| channels::is_result_kind(s.kind));
        let users = request.users.iter().copied().filter(|&user| has_text(user) && !changed.contains(&user));
        symbols.extend(users);
        let start = RunStart::Symbols { symbols, blast: BlastSource::Walk };
        let mut trace = pipeline::run_stages(self, start, &request.options, observer)?;
        let packing = PackRequest {
            task: "",
            request_parts: std::iter::once("change")
                .chain(request.files.iter().map(|f| f.path.as_str()))
                .collect(),
            options: &request.options,
            budget: self.config.pack.change_budget,
            unknown_files,
        };
        let pack = pipeline::build_pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }
}
