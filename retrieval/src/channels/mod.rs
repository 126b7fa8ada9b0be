//! Channels: independent ways from a task to a ranked list of symbols.
//!
//! The pipeline runs the built-in channels and whatever channels its caller adds (history, vectors), in this order, and hands their lists to the fusion.

mod classes;
mod editor;
mod literals;
mod locations;
mod named_tests;
mod names;
mod paths;
mod request_symbols;
mod text;

pub use classes::NAME as CLASSES;
pub use editor::EditorPosition;
pub(crate) use editor::NAME as EDITOR;
pub(crate) use request_symbols::{changed_symbols, file_symbols};
pub use text::NAME as TEXT;

use crate::config::{ChannelConfig, RankConfig};
use crate::history::{CommitHistory, CommitVotes, TouchedChannel};
use crate::parallel::run_concurrently;
use crate::query::TaskQuery;
use crate::text_source::TextSource;
use kenning_graph::{Hash, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// A symbol that a channel found.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelHit {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its score, comparable inside this channel only.
    pub score: f64,
    /// Which rule of the channel found it; empty where there is one rule.
    pub reason: &'static str,
}

/// What the scores of a channel mean to a linear fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreScale {
    /// Only their ratios mean something: they are divided by the best.
    Relative,
    /// 0..=1 with a meaning of its own: a weak match stays weak when it is the best one.
    Absolute,
}

/// What becomes of a channel's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListUsage {
    /// It takes part in the fusion.
    Fused(ScoreScale),
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
    pub history: Option<&'a CommitHistory>,
    /// What they say about the task.
    pub(crate) votes: &'a CommitVotes,
    /// What the channels before this one found.
    pub earlier: &'a [ChannelList],
}

/// A way from a task to a ranked list of symbols.
pub trait Channel: Sync {
    /// The name shown in packs and explanations.
    fn display_name(&self) -> &'static str;

    /// Weight and condition in this configuration; a weight of 0 leaves the channel out.
    fn channel_config(&self, config: &RankConfig) -> ChannelConfig;

    /// What becomes of the list.
    fn list_usage(&self) -> ListUsage;

    /// Whether it looks at [`ChannelInput::earlier`].
    fn needs_earlier_lists(&self) -> bool {
        false
    }

    /// The symbols, best first, each once.
    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit>;
}

/// The result of one channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelList {
    /// [`Channel::display_name`].
    pub name: &'static str,
    /// Its weight.
    pub weight: f64,
    /// What becomes of the list.
    pub usage: ListUsage,
    /// The channel did not run, since those before it had found enough.
    pub skipped: bool,
    /// The symbols, best first.
    pub hits: Vec<ChannelHit>,
}

/// Runs the built-in channels, then `extra`.
pub(crate) fn run_channels(input: &ChannelInput<'_>, extra: &[&dyn Channel]) -> Vec<ChannelList> {
    let built_in: [&dyn Channel; 8] = [
        &text::TextChannel,
        &locations::LocationsChannel,
        &named_tests::NamedTestsChannel,
        &literals::LiteralsChannel,
        &names::NamesChannel,
        &classes::ClassesChannel,
        &paths::PathContextChannel,
        &TouchedChannel,
    ];
    let used = built_in.into_iter().chain(extra.iter().copied());
    let used = used.map(|channel| (channel, channel.channel_config(input.config)));
    let used: Vec<(&dyn Channel, ChannelConfig)> = used.filter(|(_, s)| s.weight > 0.0).collect();
    let mut early = find_early_hits(input, &used).into_iter();
    let mut found = FxHashSet::default();
    let mut lists: Vec<ChannelList> = Vec::new();
    for (channel, settings) in used {
        let skipped = settings.only_below.is_some_and(|enough| found.len() >= enough);
        let hits = match early.next().flatten() {
            Some(hits) => hits,
            None if skipped => Vec::new(),
            None => channel.find_hits(&ChannelInput { earlier: &lists, ..*input }),
        };
        found.extend(hits.iter().map(|hit| hit.symbol));
        lists.push(ChannelList {
            name: channel.display_name(),
            weight: settings.weight,
            usage: channel.list_usage(),
            skipped,
            hits,
        });
    }
    lists
}

/// What those channels find that neither see nor wait for the others: the text channel, which takes longest, on a thread
/// of its own beside the rest.
fn find_early_hits(
    input: &ChannelInput<'_>,
    used: &[(&dyn Channel, ChannelConfig)],
) -> Vec<Option<Vec<ChannelHit>>> {
    let is_early = |channel: &dyn Channel, settings: &ChannelConfig| {
        settings.only_below.is_none() && !channel.needs_earlier_lists()
    };
    let find = |of_text: bool| {
        let wanted = move |channel: &dyn Channel| (channel.display_name() == TEXT) == of_text;
        let each = used.iter().map(move |(channel, settings)| {
            (wanted(*channel) && is_early(*channel, settings)).then(|| channel.find_hits(input))
        });
        each.collect::<Vec<Option<Vec<ChannelHit>>>>()
    };
    let (text, rest) = run_concurrently(|| find(true), || find(false));
    text.into_iter().zip(rest).map(|(text, rest)| text.or(rest)).collect()
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
    items.sort_by(|a, b| score(b).total_cmp(&score(a)));
    // Names cost more to put together than to compare: once for each symbol that has the score of another one.
    for equal in items.chunk_by_mut(|a, b| score(a).total_cmp(&score(b)).is_eq()) {
        if equal.len() > 1 {
            equal.sort_by_cached_key(|item| qualified_name_order(snapshot, symbol(item)));
        }
    }
}

/// The order of qualified names; overloads by position.
fn qualified_name_order(snapshot: &Snapshot, id: SymbolId) -> Option<(String, u32, Hash)> {
    snapshot.symbol(id).map(|s| (s.qualified_name(), s.span.start, s.hash))
}
