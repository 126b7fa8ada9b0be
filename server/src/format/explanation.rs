//! The explanation of one symbol's rank, as JSON and as Markdown: in sentences, and on request with
//! the numbers of every stage.

use super::explanation_sentences::{count_mentioned_commits, render_effects, render_sentences};
use super::json::{SCHEMA, round_score};
use crate::freshness::Freshness;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{ChannelRank, CommitVote, PackDecision, PackOutcome, RankExplanation};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The results of one symbol in each stage of a ranking. Ranks count from 1; they are null if the
/// symbol took no part in a stage.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Explanation")]
pub struct ExplanationJson<'a> {
    /// Version of this format.
    schema: u32,
    /// The symbol's name as `path::Outer.Inner.name`.
    qualified_name: &'a str,
    /// The name of the ranking configuration.
    config: &'a str,
    /// The explanation in sentences, as paragraphs of Markdown.
    summary: String,
    /// Rank in the final list.
    rank: Option<usize>,
    /// Length of the final list.
    candidates: usize,
    /// The sum of the components.
    score: Option<f64>,
    /// The components of the score, by name.
    #[schemars(with = "BTreeMap<String, f64>")]
    components: Map<String, Value>,
    /// The contribution of each feature of the learned ranker to the score, by name. Together they
    /// are the components that begin with `learned_`, apart from `learned_base`.
    #[schemars(with = "BTreeMap<String, f64>")]
    features: Map<String, Value>,
    /// The symbol's ranks in the channels that found it.
    channels: Vec<ChannelJson>,
    /// The symbol's rank after the channels were fused.
    fused: Option<RankJson>,
    /// The symbol's rank among the seeds of the walk; `score` is the restart weight.
    seed: Option<RankJson>,
    /// Probability mass of the walk, relative to the best candidate.
    walk: Option<f64>,
    /// Hops from the symbols that the task matches directly (0).
    distance: Option<u32>,
    /// Authority among the best candidates of the walk; null if not computed.
    authority: Option<f64>,
    /// Hub score among the best candidates of the walk; null if not computed.
    hub: Option<f64>,
    /// The most probable path from a seed to the symbol, as qualified names.
    path: &'a [String],
    /// The related commits that contributed most to the symbol, then to its file; at most five.
    votes: Vec<VoteJson<'a>>,
    /// The number of commits that contributed to the symbol or its file.
    voters: usize,
    /// Whether a noise rule removed the symbol.
    noise: bool,
    /// The noise rule: `generated`, `built`, `vendored`, `minified`, `test helper`, `mock` or
    /// `short name`.
    noise_rule: Option<&'static str>,
    /// The symbol's rank among the symbols that strong framework classes move to the front.
    injected: Option<usize>,
    /// The symbol's rank among the symbols that the fallback for huge graphs raised or added.
    fallback: Option<usize>,
    /// Detail and size of the symbol in the pack; null if it is not in the pack.
    packed: Option<PackedJson>,
    /// The reason why a candidate is not in the pack: `budget`, `noise`, `threshold` or `shown`.
    left_out: Option<&'static str>,
    /// Score per token of the symbol's cheapest form, weighted by nearness to the seeds; null if
    /// packing did not compute it.
    density: Option<f64>,
    /// Freshness of the answer. Absent on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<&'a Freshness>,
    /// The answer in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The symbol's rank in the list of one channel.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChannelRank")]
struct ChannelJson {
    /// The channel's name.
    channel: &'static str,
    /// The rule that found the symbol; may be empty.
    reason: &'static str,
    /// Rank in the channel's list.
    rank: usize,
    /// Score within the channel.
    score: f64,
    /// Weight of the channel.
    weight: f64,
}

/// The contribution of one commit to a symbol.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CommitVote")]
struct VoteJson<'a> {
    /// The commit's id.
    commit: &'a str,
    /// The day of the commit, as YYYY-MM-DD in UTC; null if its time is invalid.
    date: Option<String>,
    /// The first line of its message.
    subject: &'a str,
    /// The contribution to the symbol; 0 if the commit touched only the file. The component
    /// `history` is the square root of the sum of all contributions, times the channel's weight.
    symbol: f64,
    /// The contribution to the symbol's file; the component `history_files` is computed from it in
    /// the same way.
    file: f64,
}

/// A rank in a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListRank")]
struct RankJson {
    /// The rank, from 1.
    rank: usize,
    /// The score behind the rank.
    score: f64,
}

/// Detail and size of a symbol in the pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackedForm")]
struct PackedJson {
    /// Level of detail: `body`, `trimmed`, `signature` or `name`.
    detail: &'static str,
    /// The number of tokens.
    tokens: usize,
}

impl<'a> ExplanationJson<'a> {
    /// Builds the JSON form of an explanation.
    pub fn new(explanation: &'a RankExplanation) -> Self {
        let ranked = explanation.ranked.as_ref();
        let to_json = |(rank, score): (usize, f64)| RankJson { rank, score: round_score(score) };
        let hits = ranked.and_then(|ranked| ranked.hits);
        let components = ranked.into_iter().flat_map(|ranked| &ranked.components);
        Self {
            schema: SCHEMA,
            qualified_name: &explanation.qualified_name,
            config: &explanation.config,
            summary: render_sentences(explanation).trim_end().to_owned(),
            rank: explanation.rank,
            candidates: explanation.candidates,
            score: ranked.map(|ranked| round_score(ranked.score)),
            components: components
                .map(|component| (component.name.to_owned(), round_score(component.value).into()))
                .collect(),
            features: explanation
                .features
                .iter()
                .map(|(name, value)| ((*name).to_owned(), round_score(*value).into()))
                .collect(),
            channels: explanation.channels.iter().map(channel_json).collect(),
            fused: explanation.fused.map(to_json),
            seed: explanation.seed.map(to_json),
            walk: ranked.map(|ranked| round_score(ranked.walk)),
            distance: ranked.map(|ranked| ranked.distance),
            authority: hits.map(|hits| round_score(hits.authority)),
            hub: hits.map(|hits| round_score(hits.hub)),
            path: &explanation.path,
            votes: explanation.votes.iter().map(vote_json).collect(),
            voters: explanation.voters,
            noise: explanation.noise.is_some(),
            noise_rule: explanation.noise,
            injected: explanation.injected,
            fallback: explanation.fallback,
            packed: explanation.packed.and_then(packed_json),
            left_out: explanation.packed.and_then(left_out_reason),
            density: explanation.packed.and_then(|decision| decision.density).map(round_to_six_decimals),
            freshness: None,
            text: None,
        }
    }
}

fn channel_json(entry: &ChannelRank) -> ChannelJson {
    let &ChannelRank { channel, reason, rank, score, weight } = entry;
    ChannelJson { channel, reason, rank, score: round_score(score), weight }
}

fn vote_json(vote: &CommitVote) -> VoteJson<'_> {
    VoteJson {
        commit: &vote.id,
        date: format_day(vote.time),
        subject: &vote.subject,
        symbol: round_score(vote.symbol),
        file: round_score(vote.file),
    }
}

/// The number of features that the Markdown form lists; the JSON form has all.
const LISTED_FEATURES: usize = 12;

/// Writes the features of the learned ranker that changed the score most.
fn write_features(out: &mut String, explanation: &RankExplanation) {
    if explanation.features.is_empty() {
        return;
    }
    out.push_str("\n## Features\n\n");
    for (name, value) in explanation.features.iter().take(LISTED_FEATURES) {
        let _ = writeln!(out, "- {name}: {value:+.4}");
    }
    let rest: f64 = explanation.features.iter().skip(LISTED_FEATURES).map(|feature| feature.1).sum();
    let count = explanation.features.len().saturating_sub(LISTED_FEATURES);
    if count > 0 {
        let _ = writeln!(out, "- {count} others: {rest:+.4}");
    }
}

/// Formats the day of a time in seconds since the Unix epoch, in UTC. Returns `None` if the time is
/// out of range.
fn format_day(time: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(time).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).date().to_string())
}

fn packed_json(decision: PackDecision) -> Option<PackedJson> {
    match decision.outcome {
        PackOutcome::Shown(detail) => Some(PackedJson { detail: detail.as_str(), tokens: decision.tokens }),
        PackOutcome::LeftOut(_) => None,
    }
}

fn left_out_reason(decision: PackDecision) -> Option<&'static str> {
    match decision.outcome {
        PackOutcome::Shown(_) => None,
        PackOutcome::LeftOut(reason) => Some(reason),
    }
}

/// Rounds to six decimals; densities are too small for four.
pub fn round_to_six_decimals(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// Describes the decision of packing in words.
pub fn render_decision(decision: Option<PackDecision>) -> String {
    let Some(PackDecision { outcome, tokens, density, .. }) = decision else {
        return "not in the pack".to_owned();
    };
    let density = density.map(|density| format!(", density {density:.6}")).unwrap_or_default();
    match outcome {
        PackOutcome::Shown(detail) => format!("in the pack as {}, {tokens} tokens{density}", detail.as_str()),
        PackOutcome::LeftOut(reason) => format!("not in the pack: omitted ({reason}){density}"),
    }
}

/// Writes the section of related commits; nothing if there are none.
fn write_votes(out: &mut String, explanation: &RankExplanation) {
    if explanation.votes.is_empty() {
        return;
    }
    out.push_str("\n## Related commits\n\n");
    for vote in &explanation.votes {
        let id: String = vote.id.chars().take(10).collect();
        let date = format_day(vote.time).unwrap_or_else(|| "no date".to_owned());
        let contribution = match (vote.symbol > 0.0, vote.file > 0.0) {
            (true, true) => format!("adds {:.4} to the symbol, {:.4} to its file", vote.symbol, vote.file),
            (true, false) => format!("adds {:.4} to the symbol", vote.symbol),
            _ => format!("adds {:.4} to its file", vote.file),
        };
        let _ = writeln!(out, "- {id}, {date}: {contribution}: {}", code_span(&vote.subject));
    }
    if let Some(more) = explanation.voters.checked_sub(explanation.votes.len()).filter(|more| *more > 0) {
        let _ = writeln!(out, "- {more} more");
    }
}

/// Renders the Markdown form in sentences, ending with a line break.
pub fn render_explanation(explanation: &RankExplanation) -> String {
    let facts = &explanation.reasons.facts;
    let kind = facts.kind.map_or_else(String::new, |kind| format!("{} in ", kind.as_str().replace('_', " ")));
    let mut out = format!("# Why {}\n\n{kind}{}\n\n", code_span(&facts.name), code_span(&facts.path));
    out.push_str(&render_sentences(explanation));
    write_commits(&mut out, explanation);
    out
}

/// The number of commits that the sentences list; the form with numbers lists all.
const LISTED_COMMITS: usize = 3;

/// Lists the commits that the sentences mention, the greatest votes first.
fn write_commits(out: &mut String, explanation: &RankExplanation) {
    let count = count_mentioned_commits(explanation).min(LISTED_COMMITS);
    if count == 0 || explanation.votes.is_empty() {
        return;
    }
    out.push_str("\nThe closest commits:\n\n");
    for vote in explanation.votes.iter().take(count) {
        let date = format_day(vote.time).unwrap_or_else(|| "no date".to_owned());
        let _ = writeln!(out, "- {date}: {}", code_span(&vote.subject));
    }
}

/// Renders the Markdown form in sentences, followed by the numbers of every stage.
pub fn render_with_numbers(explanation: &RankExplanation) -> String {
    let mut out = render_explanation(explanation);
    out.push_str("\n## Numbers\n\n");
    let _ = match explanation.rank {
        Some(rank) => {
            writeln!(out, "- rank {rank} of {} (config {})", explanation.candidates, explanation.config)
        }
        None => writeln!(
            out,
            "- not among the {} candidates (config {})",
            explanation.candidates, explanation.config
        ),
    };
    if let Some(rule) = explanation.noise {
        let _ = writeln!(out, "- removed by a noise rule: {rule}");
    }
    if let Some(position) = explanation.injected {
        let _ = writeln!(out, "- moved to the top by a framework's class, position {position}");
    }
    if let Some(position) = explanation.fallback {
        let _ = writeln!(out, "- raised by the fallback for huge graphs, position {position}");
    }
    let _ = writeln!(out, "- {}", render_decision(explanation.packed));
    write_effects(&mut out, explanation);
    write_stages(&mut out, explanation);
    write_votes(&mut out, explanation);
    out
}

/// Writes the effects of the causes.
fn write_effects(out: &mut String, explanation: &RankExplanation) {
    if !explanation.reasons.effects.is_empty() {
        out.push_str("\n## Causes\n\n");
        out.push_str(&render_effects(&explanation.reasons));
    }
}

/// Writes the results of the stages: the score, the graph and the channels.
fn write_stages(out: &mut String, explanation: &RankExplanation) {
    if let Some(ranked) = &explanation.ranked {
        let _ = writeln!(out, "\n## Score {:.4}\n", ranked.score);
        for component in &ranked.components {
            let _ = writeln!(out, "- {}: {:+.4}", component.name, component.value);
        }
        write_features(out, explanation);
        let _ = writeln!(out, "\n## Graph\n\n- walk: {:.4}, distance {}", ranked.walk, ranked.distance);
        if let Some(hits) = ranked.hits {
            let _ = writeln!(out, "- authority {:.4}, hub {:.4}", hits.authority, hits.hub);
        }
    }
    if let Some((rank, weight)) = explanation.seed {
        let _ = writeln!(out, "- seed {rank}, restart weight {weight:.4}");
    }
    if !explanation.path.is_empty() {
        let path: Vec<_> = explanation.path.iter().map(|name| code_span(name)).collect();
        let _ = writeln!(out, "- reached through {}", path.join(" → "));
    }
    out.push_str("\n## Channels\n\n");
    for entry in &explanation.channels {
        let reason = if entry.reason.is_empty() { String::new() } else { format!(" ({})", entry.reason) };
        let _ = writeln!(
            out,
            "- {}{reason}: rank {}, score {:.4}, weight {}",
            entry.channel, entry.rank, entry.score, entry.weight
        );
    }
    if explanation.channels.is_empty() {
        out.push_str("- no channel found it\n");
    }
    if let Some((rank, score)) = explanation.fused {
        let _ = writeln!(out, "- fused: rank {rank}, score {score:.4}");
    }
}
