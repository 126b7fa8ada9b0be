//! The JSON form of a pack, with its fields in the documented order.

use super::change::ChangeJson;
use super::ripple::{self, RippleJson};
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use crate::timings::StageTimings;
use kenning_retrieval::{OmittedSymbol, PackEdge, PackSymbol, RankConfidence, ScoreComponent};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Version of the JSON forms.
pub const SCHEMA: u32 = 1;

/// Renders a value as indented JSON that ends with a line break. Escapes the characters that
/// control a terminal; the decoded data stays the same.
///
/// # Errors
/// Returns an error if serde cannot serialize the value.
pub fn render_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    // Such characters occur only within strings, and each fits into four hex digits.
    let needs_escape = |c: char| {
        (c.is_control() && !c.is_ascii())
            || matches!(c, '\u{7f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(needs_escape) {
        return Ok(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if needs_escape(c) {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    Ok(safe)
}

/// A pack with the data about its request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pack")]
pub struct PackJson<'a> {
    /// Version of this format.
    schema: u32,
    /// The task as requested; empty for files and changes.
    task: &'a str,
    /// Identity of the pack's content; packs with equal content have equal roots.
    pack_root: String,
    /// Always null in a whole pack.
    base_root: Option<String>,
    /// Identity of the graph derived from the text.
    source_root: String,
    /// Identity of everything that the answer is based on.
    snapshot: String,
    /// The token budget.
    budget: usize,
    /// Tokens of all items; never more than the budget.
    tokens_used: usize,
    /// How likely the first ten symbols contain what the task needs: `high` (at least 0.8), `medium`
    /// (at least 0.5) or `low`. Absent for files and changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
    /// Freshness of the answer.
    freshness: &'a Freshness,
    /// The symbols, in rank order.
    symbols: Vec<PackSymbolJson<'a>>,
    /// The edges among the symbols.
    edges: Vec<PackEdgeJson>,
    /// The best candidates that are not in the pack, at most 50.
    omitted: Vec<OmittedJson<'a>>,
    /// Number of candidates that are not in the pack, by reason.
    omitted_counts: &'a BTreeMap<&'static str, usize>,
    /// Requested files that are not in the index.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unknown_files: &'a [String],
    /// Milliseconds per stage, and `total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, f64>")]
    timings_ms: Option<&'a StageTimings>,
    /// The change, if the request asked about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeJson>,
    /// Files that usually change together with the requested files or the change, the likeliest
    /// first; absent for a task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ripple: Vec<RippleJson>,
    /// The pack in the format that the request's `format` named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A symbol of a pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackSymbol")]
pub struct PackSymbolJson<'a> {
    /// The symbol's identity; edits elsewhere do not change it.
    id: String,
    /// The symbol's name as `path::Outer.Inner.name`.
    qualified_name: &'a str,
    /// The name inside the file.
    name: &'a str,
    /// Kind of symbol: `function`, `method`, `class` ...
    kind: &'static str,
    /// Language id.
    language: &'a str,
    /// Path in the workspace, with `/` as the separator.
    file: &'a str,
    /// 1-based line of the name.
    line: u32,
    /// 1-based last line of the declaration.
    end_line: u32,
    /// The signature on one line, as written.
    signature: &'a str,
    /// First sentence of the documentation.
    doc: &'a str,
    /// The sum of the components.
    #[serde(serialize_with = "four_decimals")]
    #[schemars(with = "f64")]
    score: f64,
    /// Hops from the symbols that the request matches directly (0).
    distance: u32,
    /// Confidence of the best edge that leads to the symbol, from 0 to 1.
    #[serde(serialize_with = "four_decimals")]
    #[schemars(with = "f64")]
    confidence: f64,
    /// Provenance of that edge.
    provenance: &'static str,
    /// The channels that found the symbol, with their rules: `tiered:exact`.
    channels: &'a [String],
    /// The components of the score, by name.
    #[schemars(with = "BTreeMap<String, f64>")]
    components: ScoreComponents<'a>,
    /// Level of detail: `body`, `trimmed`, `signature` or `name`.
    detail: &'static str,
    /// Tokens of the symbol's item.
    tokens: usize,
    /// The symbol's text, if the detail is `body` or `trimmed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// An edge between two symbols of a pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackEdge")]
pub struct PackEdgeJson {
    /// Index of the source in `symbols`; its id in a difference.
    source: usize,
    /// Index of the target in `symbols`; its id in a difference.
    target: usize,
    /// The kind of relation: `calls`, `implements` ...
    kind: &'static str,
    /// Provenance of the edge.
    provenance: &'static str,
    /// Confidence that the edge is right, from 0 to 1.
    #[serde(serialize_with = "four_decimals")]
    #[schemars(with = "f64")]
    confidence: f64,
}

/// A candidate that is not in the pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OmittedCandidate")]
struct OmittedJson<'a> {
    /// The candidate's qualified name.
    name: &'a str,
    /// Reason: `budget`, `noise` or `threshold`.
    reason: &'a str,
    /// Tokens of the candidate's cheapest form; 0 if not computed.
    tokens: usize,
}

/// The components of a score, in the order in which they are added.
struct ScoreComponents<'a>(&'a [ScoreComponent]);

impl Serialize for ScoreComponents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|component| (component.name, round_score(component.value))))
    }
}

/// Rounds to four decimals; more would make scores harder to read and compare.
pub fn round_score(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn four_decimals<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(round_score(*number))
}

impl<'a> PackJson<'a> {
    /// Builds the JSON form of a pack. Without `timings`, equal packs and freshness give equal
    /// bytes.
    pub fn new(
        answer: &'a AnsweredPack,
        freshness: &'a Freshness,
        timings: Option<&'a StageTimings>,
    ) -> Self {
        let pack = &answer.pack;
        Self {
            schema: SCHEMA,
            task: &pack.task,
            pack_root: pack.pack_root.to_hex(),
            base_root: None,
            source_root: pack.source_root.to_hex(),
            snapshot: answer.snapshot.to_hex(),
            budget: pack.budget,
            tokens_used: pack.tokens_used,
            confidence: pack.confidence.map(RankConfidence::as_str),
            freshness,
            symbols: pack.symbols.iter().map(symbol_json).collect(),
            edges: pack.edges.iter().map(edge_json).collect(),
            omitted: pack.omitted.iter().map(omitted_json).collect(),
            omitted_counts: &pack.omitted_counts,
            unknown_files: &pack.unknown_files,
            timings_ms: timings,
            change: answer.change.as_ref().map(ChangeJson::new),
            ripple: ripple::describe_files(&answer.ripple),
            text: None,
        }
    }
}

fn symbol_json(symbol: &PackSymbol) -> PackSymbolJson<'_> {
    PackSymbolJson {
        id: symbol.id.to_hex(),
        qualified_name: &symbol.qualified_name,
        name: &symbol.name,
        kind: symbol.kind.as_str(),
        language: &symbol.language,
        file: &symbol.file,
        line: symbol.line,
        end_line: symbol.end_line,
        signature: &symbol.signature,
        doc: &symbol.doc,
        score: symbol.score,
        distance: symbol.distance,
        confidence: symbol.confidence,
        provenance: symbol.provenance.as_str(),
        channels: &symbol.channels,
        components: ScoreComponents(&symbol.components),
        detail: symbol.detail.as_str(),
        tokens: symbol.tokens,
        text: symbol.text.as_deref(),
    }
}

fn edge_json(edge: &PackEdge) -> PackEdgeJson {
    PackEdgeJson {
        source: edge.source,
        target: edge.target,
        kind: edge.kind.as_str(),
        provenance: edge.provenance.as_str(),
        confidence: f64::from(edge.confidence),
    }
}

fn omitted_json(omitted: &OmittedSymbol) -> OmittedJson<'_> {
    OmittedJson { name: &omitted.name, reason: omitted.reason, tokens: omitted.tokens }
}
