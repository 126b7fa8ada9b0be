//! Channels: independent ways from a task to a ranked list of symbols.
//!
//! Each channel implements [`Channel`] and gets a [`ChannelInput`]: the snapshot, the configuration
//! and the query. It returns a [`ChannelList`], best first, each symbol once. [`run_channels`] runs
//! the built-in channels and then the channels that its caller adds. Channels that depend on no
//! other channel run first, the text channel on its own thread; the lists keep the order of the
//! channels. The fusion merges the lists. Lists of kind [`ListUsage::WalkSeeds`] only start the
//! walk.

mod adjacent_words;
mod classes;
mod editor;
mod literals;
mod locations;
mod named_tests;
mod names;
mod path_context;
mod request_symbols;
mod text;
mod vectors;

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
use crate::vectors::VectorSearch;
use kenning_graph::{Hash, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// A symbol that a channel found.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelHit {
    /// The symbol.
    pub symbol: SymbolId,
    /// The symbol's score, comparable only within this channel.
    pub score: f64,
    /// The rule of the channel that found it; empty if the channel has only one.
    pub reason: &'static str,
}

/// The scale of a channel's scores in a linear fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreScale {
    /// Scores whose ratios alone are meaningful. The fusion divides them by the best score.
    Relative,
    /// Scores from 0 to 1 that are comparable across tasks. A weak match stays weak even if it is
    /// the best one.
    Absolute,
}

/// The use of a channel's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListUsage {
    /// The list takes part in the fusion.
    Fused(ScoreScale),
    /// The symbols of the list start the walk at a low weight and take no part in the fusion.
    WalkSeeds,
}

/// The input of a channel.
#[derive(Clone, Copy)]
pub struct ChannelInput<'a> {
    /// The graph.
    pub snapshot: &'a Snapshot,
    /// The ranking configuration.
    pub config: &'a RankConfig,
    /// The task.
    pub query: &'a TaskQuery,
    /// The source of symbol bodies.
    pub text: &'a dyn TextSource,
    /// The commits of the repository, if they have been read.
    pub history: Option<&'a CommitHistory>,
    /// The votes of those commits for this task.
    pub(crate) votes: &'a CommitVotes,
    /// The vectors of the workspace, if it has any.
    pub vectors: Option<VectorSearch<'a>>,
    /// The lists of the channels before this one. Only channels with
    /// [`Channel::needs_earlier_lists`] may rely on them.
    pub earlier: &'a [ChannelList],
}

/// An independent way from a task to a ranked list of symbols.
pub trait Channel: Sync {
    /// Returns the name shown in packs and explanations.
    fn display_name(&self) -> &'static str;

    /// Returns the weight and condition in this configuration. A weight of 0 disables the channel.
    fn channel_config(&self, config: &RankConfig) -> ChannelConfig;

    /// Returns the use of the channel's list.
    fn list_usage(&self) -> ListUsage;

    /// Whether the channel reads [`ChannelInput::earlier`].
    fn needs_earlier_lists(&self) -> bool {
        false
    }

    /// Returns the symbols, best first, each once.
    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit>;
}

/// The result of one channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelList {
    /// The channel's name ([`Channel::display_name`]).
    pub name: &'static str,
    /// The channel's weight.
    pub weight: f64,
    /// The use of the list.
    pub usage: ListUsage,
    /// Whether the channel did not run because the channels before it had found enough.
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
        &path_context::PathContextChannel,
        &TouchedChannel,
    ];
    let with_vectors: [&dyn Channel; 2] = [&vectors::VectorChannel, &vectors::GapFillChannel];
    let with_vectors = with_vectors.into_iter().filter(|_| input.vectors.is_some());
    let enabled = built_in.into_iter().chain(with_vectors).chain(extra.iter().copied());
    let enabled = enabled.map(|channel| (channel, channel.channel_config(input.config)));
    let enabled: Vec<(&dyn Channel, ChannelConfig)> = enabled.filter(|(_, s)| s.weight > 0.0).collect();
    let mut early = find_early_hits(input, &enabled).into_iter();
    let mut found = FxHashSet::default();
    let mut lists: Vec<ChannelList> = Vec::new();
    for (channel, settings) in enabled {
        let skipped = settings.only_below.is_some_and(|limit| found.len() >= limit);
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

/// Runs the text channel alone.
pub(crate) fn find_text_list(input: &ChannelInput<'_>) -> ChannelList {
    let channel = text::TextChannel;
    ChannelList {
        name: TEXT,
        weight: channel.channel_config(input.config).weight,
        usage: channel.list_usage(),
        skipped: false,
        hits: channel.find_hits(input),
    }
}

/// The thread that runs a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChannelGroup {
    /// The text channel.
    Text,
    /// All other channels.
    Other,
}

impl ChannelGroup {
    fn for_channel(channel: &dyn Channel) -> Self {
        if channel.display_name() == TEXT { Self::Text } else { Self::Other }
    }
}

/// Runs the channels that neither read other lists nor depend on their length. The text channel
/// takes longest and runs on its own thread alongside the rest. Returns `None` for all other
/// channels.
fn find_early_hits(
    input: &ChannelInput<'_>,
    enabled: &[(&dyn Channel, ChannelConfig)],
) -> Vec<Option<Vec<ChannelHit>>> {
    let is_early = |channel: &dyn Channel, settings: &ChannelConfig| {
        settings.only_below.is_none() && !channel.needs_earlier_lists()
    };
    let find_hits = |group: ChannelGroup| {
        let is_wanted = move |channel: &dyn Channel| ChannelGroup::for_channel(channel) == group;
        let each = enabled.iter().map(move |(channel, settings)| {
            (is_wanted(*channel) && is_early(*channel, settings)).then(|| channel.find_hits(input))
        });
        each.collect::<Vec<Option<Vec<ChannelHit>>>>()
    };
    let (text, rest) = run_concurrently(|| find_hits(ChannelGroup::Text), || find_hits(ChannelGroup::Other));
    text.into_iter().zip(rest).map(|(text, rest)| text.or(rest)).collect()
}

/// Whether symbols of this kind can be results, because they have text in the workspace.
pub(crate) const fn is_result_kind(kind: SymbolKind) -> bool {
    !kind.is_phantom() && !matches!(kind, SymbolKind::File | SymbolKind::Section)
}

/// Sorts by score, best first; equal scores by qualified name.
pub(crate) fn sort_by_score<T>(
    snapshot: &Snapshot,
    items: &mut [T],
    score: impl Fn(&T) -> f64,
    symbol: impl Fn(&T) -> SymbolId,
) {
    items.sort_by(|a, b| score(b).total_cmp(&score(a)));
    // Building a name costs more than comparing two, so names are built once, and only for symbols
    // with equal scores.
    for equal in items.chunk_by_mut(|a, b| score(a).total_cmp(&score(b)).is_eq()) {
        if equal.len() > 1 {
            equal.sort_by_cached_key(|item| qualified_name_order(snapshot, symbol(item)));
        }
    }
}

/// Returns the sort key of a symbol: its qualified name, then its position for overloads.
fn qualified_name_order(snapshot: &Snapshot, id: SymbolId) -> Option<(String, u32, Hash)> {
    snapshot.symbol(id).map(|s| (s.qualified_name(), s.span.start, s.hash))
}
