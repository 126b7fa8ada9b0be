//! From a task, files or a change to a ranked, explained, token-budgeted pack of symbols.
//!
//! One pipeline serves every kind of request; requests differ in their seeds, configurations in their constants. The
//! crate does no I/O: it sees a snapshot, a configuration and a [`TextSource`], and has no clock.

#![cfg_attr(test, allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them so"))]
#![cfg_attr(test, allow(clippy::format_push_string, clippy::format_collect, reason = "tests read better so"))]

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
mod score;
mod seeds;
mod text_source;
mod trace;
mod walk;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use channels::{CLASSES as CLASSES_CHANNEL, TEXT as TEXT_CHANNEL};
pub use channels::{Channel, ChannelHit, ChannelInput, ChannelList, EditorPosition, ListUsage, ScoreScale};
pub use classes::WorkspaceFacts;
pub use config::RankConfig;
pub use evidence::session_boost;
pub use fallback::FallbackTrace;
pub use fusion::FusedCandidate;
pub use history::{CommitHistory, CommitVote, VotingCommit};
pub use hits::HitsScore;
pub use pack::{
    DetailLevel, OmittedSymbol, Pack, PackDecision, PackEdge, PackOutcome, PackSymbol, PackTrace, render_item,
};
pub use path_role::{is_secondary, is_secondary_path};
pub use pipeline::{NoObserver, RunCancelled, StageObserver};
pub use query::TaskQuery;
pub use rank::{RankedSymbol, RemovedSymbol};
pub use request::{
    ChangeRequest, ChangedFile, EvidenceSource, FilesRequest, RequestOptions, SymbolEvidence, TaskRequest,
};
pub use rerank::{FEATURES, FeatureVector, RerankConfig};
pub use score::{ScoreComponent, total_score};
pub use seeds::{Seed, SeedSelection};
pub use text_source::{NoText, TextSource};
pub use trace::{ChannelPlace, MAX_VOTES, RankExplanation, RunTrace, WalkTrace};
pub use walk::StopReason;

use kenning_graph::{Snapshot, SymbolId};
use pipeline::{PackRequest, RunStart};
use rank::BlastSource;
use rustc_hash::FxHashSet;

/// What is asked, of which graph, with which constants.
#[derive(Clone, Copy)]
pub struct Analysis<'a> {
    /// The graph.
    pub snapshot: &'a Snapshot,
    /// The constants.
    pub config: &'a RankConfig,
    /// The bodies.
    pub text: &'a dyn TextSource,
    /// What the manifests and settings of the workspace say.
    pub workspace: &'a WorkspaceFacts,
    /// Channels beside the built-in ones (history, vectors), in the order of their names in packs.
    pub channels: &'a [&'a dyn Channel],
    /// Feedback, session, history and run time, where known.
    pub evidence: Option<&'a dyn EvidenceSource>,
    /// What the commits of the repository say, where they were read.
    pub history: Option<&'a CommitHistory>,
}

/// A pack, and the record of how it came about.
#[derive(Clone, Debug)]
pub struct TaskAnswer {
    /// What was asked for.
    pub pack: Pack,
    /// What the run decided.
    pub trace: RunTrace,
}

/// The symbols that a change touches, file by file; all symbols of a file without lines. Files that are not in the
/// snapshot are passed over.
pub fn changed_symbols(snapshot: &Snapshot, files: &[ChangedFile]) -> Vec<SymbolId> {
    channels::changed_symbols(snapshot, files).0
}

impl<'a> Analysis<'a> {
    /// An analysis with the built-in channels, of a workspace of which nothing more is known, and no memory.
    pub fn new(snapshot: &'a Snapshot, config: &'a RankConfig, text: &'a dyn TextSource) -> Self {
        let workspace = WorkspaceFacts::EMPTY;
        Self { snapshot, config, text, workspace, channels: &[], evidence: None, history: None }
    }

    /// The pack for a task.
    pub fn for_task(&self, request: &TaskRequest) -> TaskAnswer {
        self.for_task_observed(request, &mut NoObserver).expect("nobody cancels an unobserved run")
    }

    /// [`Analysis::for_task`], telling `observer` when each stage begins.
    ///
    /// # Errors
    /// When the observer says that the run is to stop.
    pub fn for_task_observed(
        &self,
        request: &TaskRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, RunCancelled> {
        let mut trace =
            pipeline::run_stages(self, RunStart::Task(&request.task), &request.options, observer)?;
        let packing = PackRequest {
            task: &request.task,
            asked: vec!["task", &request.task],
            options: &request.options,
            budget: self.config.pack.budget,
            unknown_files: Vec::new(),
        };
        let pack = pipeline::build_pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }

    /// The whole ranked list for a task, as it is before packing.
    pub fn rank_task(&self, request: &TaskRequest) -> Vec<RankedSymbol> {
        pipeline::run_stages(self, RunStart::Task(&request.task), &request.options, &mut NoObserver)
            .expect("nobody cancels an unobserved run")
            .ranked
    }

    /// The ranked list for a task before it is reranked, with the features of its first `top` places: what weights are
    /// fitted on.
    pub fn features(&self, request: &TaskRequest, top: usize) -> (Vec<RankedSymbol>, Vec<FeatureVector>) {
        let plain = RankConfig { rerank: None, ..self.config.clone() };
        let analysis = Analysis { config: &plain, ..*self };
        let trace =
            pipeline::run_stages(&analysis, RunStart::Task(&request.task), &request.options, &mut NoObserver)
                .expect("nobody cancels an unobserved run");
        let mut ranked = trace.ranked;
        ranked.truncate(top);
        let votes = history::CommitVotes::default();
        let Self { snapshot, config, text, history, .. } = *self;
        let input = ChannelInput {
            snapshot,
            config,
            query: &trace.query,
            text,
            history,
            votes: &votes,
            earlier: &[],
        };
        let rows = rerank::compute_features(&input, &ranked);
        (ranked, rows)
    }

    /// The pack for files that someone is about to work on: their symbols and what is close to them.
    pub fn for_files(&self, request: &FilesRequest) -> TaskAnswer {
        self.for_files_observed(request, &mut NoObserver).expect("nobody cancels an unobserved run")
    }

    /// [`Analysis::for_files`], telling `observer` when each stage begins.
    ///
    /// # Errors
    /// When the observer says that the run is to stop.
    pub fn for_files_observed(
        &self,
        request: &FilesRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, RunCancelled> {
        let (symbols, unknown_files) = channels::file_symbols(self.snapshot, &request.files);
        let start = RunStart::Given { symbols, blast: BlastSource::Callers };
        let mut trace = pipeline::run_stages(self, start, &request.options, observer)?;
        let packing = PackRequest {
            task: "",
            asked: std::iter::once("files").chain(request.files.iter().map(String::as_str)).collect(),
            options: &request.options,
            budget: self.config.pack.budget,
            unknown_files,
        };
        let pack = pipeline::build_pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }

    /// The pack for a change: the symbols that it touches and what is close to them.
    ///
    /// # Errors
    /// When the observer says that the run is to stop.
    pub fn for_change(
        &self,
        request: &ChangeRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, RunCancelled> {
        let (mut symbols, unknown_files) = channels::changed_symbols(self.snapshot, &request.files);
        let changed: FxHashSet<SymbolId> = symbols.iter().copied().collect();
        let is_result = |id| self.snapshot.symbol(id).is_some_and(|s| channels::is_result_kind(s.kind));
        let users = request.users.iter().copied().filter(|&user| is_result(user) && !changed.contains(&user));
        symbols.extend(users);
        let start = RunStart::Given { symbols, blast: BlastSource::Walk };
        let mut trace = pipeline::run_stages(self, start, &request.options, observer)?;
        let packing = PackRequest {
            task: "",
            asked: std::iter::once("change").chain(request.files.iter().map(|f| f.path.as_str())).collect(),
            options: &request.options,
            budget: self.config.pack.change_budget,
            unknown_files,
        };
        let pack = pipeline::build_pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }
}
