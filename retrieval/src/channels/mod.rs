//! Channels: independent ways from a task to a ranked list of symbols.
//!
//! The pipeline runs the built-in channels and whatever channels its caller adds (history, vectors), in this order, and hands their lists to the fusion.

mod classes;
mod editor;
mod given;
mod literals;
mod locations;
mod named_tests;
mod names;
mod paths;
mod text;

pub use classes::NAME as CLASSES;
pub use editor::Editor;
pub(crate) use editor::NAME as EDITOR;
pub(crate) use given::{changed_symbols, file_symbols};
pub use text::NAME as TEXT;

use crate::config::{ChannelConfig, RankConfig};
use crate::history::{History, Touched, Votes};
use crate::query::TaskQuery;
use crate::source::TextSource;
use kenning_graph::{Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// A symbol that a channel found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its score, comparable inside this channel only.
    pub score: f64,
    /// Which rule of the channel found it; empty where there is one rule.
    pub reason: &'static str,
}

/// What the scores of a channel mean to a linear fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Only their ratios mean something: they are divided by the best.
    Relative,
    /// 0..=1 with a meaning of its own: a weak match stays weak when it is the best one.
    Absolute,
}

/// What becomes of a channel's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It takes part in the fusion.
    Fused(Scale),
    /// Its symbols start the walk at a low weight and take no part in the fusion.
    WalkSeeds,
}

/// What a channel sees.
#[derive(Clone, Copy)]
pub struct ChannelInput<'a> {
    /// The graph.
    pub snapshot: &'a Snapshot,
    /// The constants.
    pub config: &'a RankConfig,
    /// The task.
    pub query: &'a TaskQuery,
    /// The bodies.
    pub text: &'a dyn TextSource,
    /// What the commits of the repository say, where they were read.
    pub history: Option<&'a History>,
    /// What they say about the task.
    pub(crate) votes: &'a Votes,
    /// What the channels before this one found.
    pub earlier: &'a [ChannelList],
}

/// A way from a task to a ranked list of symbols.
pub trait Channel: Sync {
    /// The name shown in packs and explanations.
    fn name(&self) -> &'static str;

    /// Weight and condition in this configuration; a weight of 0 leaves the channel out.
    fn settings(&self, config: &RankConfig) -> ChannelConfig;

    /// What becomes of the list.
    fn usage(&self) -> Use;

    /// The symbols, best first, each once.
    fn find(&self, input: &ChannelInput<'_>) -> Vec<Hit>;
}

/// The result of one channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelList {
    /// [`Channel::name`].
    pub name: &'static str,
    /// Its weight.
    pub weight: f64,
    /// What becomes of the list.
    pub usage: Use,
    /// The channel did not run, since those before it had found enough.
    pub skipped: bool,
    /// The symbols, best first.
    pub hits: Vec<Hit>,
}

/// Runs the built-in channels, then `extra`.
pub(crate) fn run(input: &ChannelInput<'_>, extra: &[&dyn Channel]) -> Vec<ChannelList> {
    let built_in: [&dyn Channel; 8] = [
        &text::Text,
        &locations::Locations,
        &named_tests::NamedTests,
        &literals::Literals,
        &names::Names,
        &classes::Classes,
        &paths::PathContext,
        &Touched,
    ];
    let mut found = FxHashSet::default();
    let mut lists: Vec<ChannelList> = Vec::new();
    for channel in built_in.into_iter().chain(extra.iter().copied()) {
        let settings = channel.settings(input.config);
        if settings.weight <= 0.0 {
            continue;
        }
        let skipped = settings.only_below.is_some_and(|enough| found.len() >= enough);
        let hits =
            if skipped { Vec::new() } else { channel.find(&ChannelInput { earlier: &lists, ..*input }) };
        found.extend(hits.iter().map(|hit| hit.symbol));
        lists.push(ChannelList {
            name: channel.name(),
            weight: settings.weight,
            usage: channel.usage(),
            skipped,
            hits,
        });
    }
    lists
}

/// Whether symbols of this kind can be results: they have text in the workspace.
pub(crate) const fn is_result_kind(kind: SymbolKind) -> bool {
    !kind.is_phantom() && !matches!(kind, SymbolKind::File)
}

/// Sorts by score, best first; equal scores by qualified name.
pub(crate) fn sort_by_score<T>(
    snapshot: &Snapshot,
    items: &mut [T],
    score: impl Fn(&T) -> f64,
    symbol: impl Fn(&T) -> SymbolId,
) {
    items.sort_by(|a, b| {
        score(b).total_cmp(&score(a)).then_with(|| compare_names(snapshot, symbol(a), symbol(b)))
    });
}

/// The order of qualified names; overloads by position.
pub(crate) fn compare_names(snapshot: &Snapshot, a: SymbolId, b: SymbolId) -> std::cmp::Ordering {
    let key = |id| snapshot.symbol(id).map(|s| (s.qualified_name(), s.span.start, s.hash));
    key(a).cmp(&key(b))
}
