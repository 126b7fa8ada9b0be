//! How one symbol fared in a ranking run, as data and as text.

use super::json::{SCHEMA, rounded};
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{ChannelPlace, Explanation, Packed};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;

/// The JSON form: places from 1, null where the symbol took no part.
#[derive(Serialize)]
pub struct ExplanationJson<'a> {
    schema: u32,
    qualified_name: &'a str,
    config: &'a str,
    rank: Option<usize>,
    candidates: usize,
    score: Option<f64>,
    components: Map<String, Value>,
    channels: Vec<ChannelJson>,
    fused: Option<PlaceJson>,
    seed: Option<PlaceJson>,
    walk: Option<f64>,
    distance: Option<u32>,
    authority: Option<f64>,
    hub: Option<f64>,
    path: &'a [String],
    noise: bool,
    packed: Option<PackedJson>,
}

#[derive(Serialize)]
struct ChannelJson {
    channel: &'static str,
    reason: &'static str,
    rank: usize,
    score: f64,
    weight: f64,
}

#[derive(Serialize)]
struct PlaceJson {
    rank: usize,
    score: f64,
}

#[derive(Serialize)]
struct PackedJson {
    detail: &'static str,
    tokens: usize,
}

impl<'a> ExplanationJson<'a> {
    /// The JSON form of an explanation.
    pub fn new(explanation: &'a Explanation) -> Self {
        let ranked = explanation.ranked.as_ref();
        let place = |(rank, score): (usize, f64)| PlaceJson { rank, score: rounded(score) };
        let hits = ranked.and_then(|ranked| ranked.hits);
        let components = ranked.into_iter().flat_map(|ranked| &ranked.components);
        Self {
            schema: SCHEMA,
            qualified_name: &explanation.qualified_name,
            config: &explanation.config,
            rank: explanation.rank,
            candidates: explanation.candidates,
            score: ranked.map(|ranked| rounded(ranked.score)),
            components: components.map(|c| (c.name.to_owned(), rounded(c.value).into())).collect(),
            channels: explanation.channels.iter().map(channel).collect(),
            fused: explanation.fused.map(place),
            seed: explanation.seed.map(place),
            walk: ranked.map(|ranked| rounded(ranked.walk)),
            distance: ranked.map(|ranked| ranked.distance),
            authority: hits.map(|hits| rounded(hits.authority)),
            hub: hits.map(|hits| rounded(hits.hub)),
            path: &explanation.path,
            noise: explanation.noise,
            packed: explanation.packed.map(packed),
        }
    }
}

fn channel(place: &ChannelPlace) -> ChannelJson {
    let &ChannelPlace { channel, reason, rank, score, weight } = place;
    ChannelJson { channel, reason, rank, score: rounded(score), weight }
}

fn packed(packed: Packed) -> PackedJson {
    PackedJson { detail: packed.detail.as_str(), tokens: packed.tokens }
}

/// The text form, ending with a line break.
pub fn text(explanation: &Explanation) -> String {
    let mut out = format!("# Why {}\n\n", code_span(&explanation.qualified_name));
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
    if explanation.noise {
        out.push_str("- removed by a noise rule\n");
    }
    let _ = match explanation.packed {
        Some(packed) => {
            writeln!(out, "- in the pack as {}, {} tokens", packed.detail.as_str(), packed.tokens)
        }
        None => writeln!(out, "- not in the pack"),
    };
    if let Some(ranked) = &explanation.ranked {
        let _ = writeln!(out, "\n## Score {:.4}\n", ranked.score);
        for component in &ranked.components {
            let _ = writeln!(out, "- {}: {:+.4}", component.name, component.value);
        }
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
        let _ = writeln!(out, "- reached by {}", path.join(" → "));
    }
    out.push_str("\n## Channels\n\n");
    for place in &explanation.channels {
        let reason = if place.reason.is_empty() { String::new() } else { format!(" ({})", place.reason) };
        let _ = writeln!(
            out,
            "- {}{reason}: rank {}, score {:.4}, weight {}",
            place.channel, place.rank, place.score, place.weight
        );
    }
    if explanation.channels.is_empty() {
        out.push_str("- found by none\n");
    }
    if let Some((rank, score)) = explanation.fused {
        let _ = writeln!(out, "- fused: rank {rank}, score {score:.4}");
    }
    out
}
