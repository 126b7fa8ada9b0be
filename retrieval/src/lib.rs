//! From a task, files or a change to a ranked, explained, token-budgeted pack of symbols.
//!
//! One pipeline serves every kind of request; requests differ in their seeds, configurations in their constants. The
//! crate does no I/O: it sees a snapshot, a configuration and a [`TextSource`], and has no clock.

#![cfg_attr(test, allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them so"))]
#![cfg_attr(test, allow(clippy::format_push_string, clippy::format_collect, reason = "tests read better so"))]

mod beside;
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
mod path_role;
mod pipeline;
pub mod query;
mod rank;
mod request;
mod rerank;
mod score;
mod seeds;
mod source;
mod trace;
mod walk;
mod wanted;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use channels::{CLASSES as CLASSES_CHANNEL, TEXT as TEXT_CHANNEL};
pub use channels::{Channel, ChannelInput, ChannelList, Editor, Hit, Scale, Use};
pub use classes::WorkspaceFacts;
pub use config::RankConfig;
pub use evidence::session_boost;
pub use fallback::FallbackTrace;
pub use fusion::Fused;
pub use history::{History, Vote, Voter};
pub use hits::HitsScore;
pub use pack::{Detail, Omitted, Outcome, Pack, PackDecision, PackEdge, PackSymbol, PackTrace, render_item};
pub use path_role::{is_secondary, is_secondary_path};
pub use pipeline::{Cancelled, StageObserver, Unobserved};
pub use query::TaskQuery;
pub use rank::{Ranked, Removed};
pub use request::{
    ChangeRequest, ChangedFile, Evidence, EvidenceSource, FilesRequest, RequestOptions, TaskRequest,
};
pub use rerank::{FEATURES, Features, RerankConfig};
pub use score::{Component, total};
pub use seeds::{Seed, SeedSelection};
pub use source::{NoText, TextSource};
pub use trace::{ChannelPlace, Explanation, MAX_VOTES, Trace, WalkTrace};
pub use walk::Stop;

use kenning_graph::{Snapshot, SymbolId};
use pipeline::{PackRequest, Start};
use rank::Blast;
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
    pub history: Option<&'a History>,
}

/// A pack, and the record of how it came about.
#[derive(Clone, Debug)]
pub struct TaskAnswer {
    /// What was asked for.
    pub pack: Pack,
    /// What the run decided.
    pub trace: Trace,
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
        self.for_task_observed(request, &mut Unobserved).expect("nobody cancels an unobserved run")
    }

    /// [`Analysis::for_task`], telling `observer` when each stage begins.
    ///
    /// # Errors
    /// When the observer says that the run is to stop.
    pub fn for_task_observed(
        &self,
        request: &TaskRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, Cancelled> {
        let mut trace = pipeline::run(self, Start::Task(&request.task), &request.options, observer)?;
        let packing = PackRequest {
            task: &request.task,
            asked: vec!["task", &request.task],
            options: &request.options,
            budget: self.config.pack.budget,
            unknown_files: Vec::new(),
        };
        let pack = pipeline::pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }

    /// The whole ranked list for a task, as it is before packing.
    pub fn rank_task(&self, request: &TaskRequest) -> Vec<Ranked> {
        pipeline::run(self, Start::Task(&request.task), &request.options, &mut Unobserved)
            .expect("nobody cancels an unobserved run")
            .ranked
    }

    /// The ranked list for a task before it is reranked, with the features of its first `top` places: what weights are
    /// fitted on.
    pub fn features(&self, request: &TaskRequest, top: usize) -> (Vec<Ranked>, Vec<Features>) {
        let plain = RankConfig { rerank: None, ..self.config.clone() };
        let analysis = Analysis { config: &plain, ..*self };
        let trace = pipeline::run(&analysis, Start::Task(&request.task), &request.options, &mut Unobserved)
            .expect("nobody cancels an unobserved run");
        let mut ranked = trace.ranked;
        ranked.truncate(top);
        let votes = history::Votes::default();
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
        let rows = rerank::features(&input, &ranked);
        (ranked, rows)
    }

    /// The pack for files that someone is about to work on: their symbols and what is close to them.
    pub fn for_files(&self, request: &FilesRequest) -> TaskAnswer {
        self.for_files_observed(request, &mut Unobserved).expect("nobody cancels an unobserved run")
    }

    /// [`Analysis::for_files`], telling `observer` when each stage begins.
    ///
    /// # Errors
    /// When the observer says that the run is to stop.
    pub fn for_files_observed(
        &self,
        request: &FilesRequest,
        observer: &mut dyn StageObserver,
    ) -> Result<TaskAnswer, Cancelled> {
        let (symbols, unknown_files) = channels::file_symbols(self.snapshot, &request.files);
        let start = Start::Given { symbols, blast: Blast::Callers };
        let mut trace = pipeline::run(self, start, &request.options, observer)?;
        let packing = PackRequest {
            task: "",
            asked: std::iter::once("files").chain(request.files.iter().map(String::as_str)).collect(),
            options: &request.options,
            budget: self.config.pack.budget,
            unknown_files,
        };
        let pack = pipeline::pack(self, packing, &mut trace, observer)?;
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
    ) -> Result<TaskAnswer, Cancelled> {
        let (mut symbols, unknown_files) = channels::changed_symbols(self.snapshot, &request.files);
        let changed: FxHashSet<SymbolId> = symbols.iter().copied().collect();
        let is_result = |id| self.snapshot.symbol(id).is_some_and(|s| channels::is_result_kind(s.kind));
        let users = request.users.iter().copied().filter(|&user| is_result(user) && !changed.contains(&user));
        symbols.extend(users);
        let start = Start::Given { symbols, blast: Blast::Walk };
        let mut trace = pipeline::run(self, start, &request.options, observer)?;
        let packing = PackRequest {
            task: "",
            asked: std::iter::once("change").chain(request.files.iter().map(|f| f.path.as_str())).collect(),
            options: &request.options,
            budget: self.config.pack.change_budget,
            unknown_files,
        };
        let pack = pipeline::pack(self, packing, &mut trace, observer)?;
        Ok(TaskAnswer { pack, trace })
    }
}
