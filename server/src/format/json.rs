//! JSON: the pack with its envelope, in the documented order of fields.

use super::change::ChangeJson;
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use crate::timings::StageTimings;
use kenning_retrieval::{OmittedSymbol, PackEdge, PackSymbol, ScoreComponent};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Version of the pack's JSON form.
pub const SCHEMA: u32 = 1;

/// A value as indented JSON that ends with a line break. What a terminal would obey is escaped; the data is the same.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn render_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    // Only strings hold such characters, and none of them is beyond four digits.
    let is_order = |c: char| {
        (c.is_control() && !c.is_ascii())
            || matches!(c, '\u{7f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_order) {
        return Ok(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_order(c) {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    Ok(safe)
}

/// A pack and its envelope.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pack")]
pub struct PackJson<'a> {
    /// Version of this form.
    schema: u32,
    /// The task as asked; empty for files and changes.
    task: &'a str,
    /// Identity of the content: equal roots, equal content.
    pack_root: String,
    /// Always null in a whole pack.
    base_root: Option<String>,
    /// Identity of the text-derived graph.
    source_root: String,
    /// Identity of everything that the answer rests on.
    snapshot: String,
    /// Tokens allowed.
    budget: usize,
    /// Tokens of all items; never more than the budget.
    tokens_used: usize,
    /// How true the answer is.
    freshness: &'a Freshness,
    /// In rank order.
    symbols: Vec<PackSymbolJson<'a>>,
    /// Between the symbols.
    edges: Vec<PackEdgeJson>,
    /// The best candidates that are not in the pack, at most 50.
    omitted: Vec<OmittedJson<'a>>,
    /// How many were left out, by reason.
    omitted_counts: &'a BTreeMap<&'static str, usize>,
    /// Files that were asked for and are not in the index.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unknown_files: &'a [String],
    /// Milliseconds of each stage, and `total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, f64>")]
    timings_ms: Option<&'a StageTimings>,
    /// What changed, where a change was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeJson>,
    /// The form that `format` asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A symbol of a pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackSymbol")]
pub struct PackSymbolJson<'a> {
    /// Its identity, stable over edits elsewhere.
    id: String,
    /// `path::Outer.Inner.name`.
    qualified_name: &'a str,
    /// The name inside the file.
    name: &'a str,
    /// What it is: `function`, `method`, `class` ...
    kind: &'static str,
    /// Language id.
    language: &'a str,
    /// Path in the workspace, with `/`.
    file: &'a str,
    /// 1-based line of the name.
    line: u32,
    /// 1-based last line of the declaration.
    end_line: u32,
    /// One line, as written.
    signature: &'a str,
    /// First sentence of the documentation.
    doc: &'a str,
    /// The sum of the components.
    #[serde(serialize_with = "four_decimals")]
    #[schemars(with = "f64")]
    score: f64,
    /// Hops from what the request matches itself (0).
    distance: u32,
    /// Of the best edge that points to it, 0 to 1.
    #[serde(serialize_with = "four_decimals")]
    #[schemars(with = "f64")]
    confidence: f64,
    /// How that edge is known.
    provenance: &'static str,
    /// The channels that found it, with their rules: `tiered:exact`.
    channels: &'a [String],
    /// What the score is made of.
    #[schemars(with = "BTreeMap<String, f64>")]
    components: ScoreComponents<'a>,
    /// How much is shown: `body`, `trimmed`, `signature` or `name`.
    detail: &'static str,
    /// Tokens of its item.
    tokens: usize,
    /// Its text, where detail is `body` or `trimmed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// An edge between two symbols of a pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackEdge")]
pub struct PackEdgeJson {
    /// Index of the source in `symbols`; in a difference its id.
    source: usize,
    /// Index of the target in `symbols`; in a difference its id.
    target: usize,
    /// What it says: `calls`, `implements` ...
    kind: &'static str,
    /// How it is known.
    provenance: &'static str,
    /// 0 to 1.
    #[serde(serialize_with = "four_decimals")]
    #[schemars(with = "f64")]
    confidence: f64,
}

/// A candidate that is not in the pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Omitted")]
struct OmittedJson<'a> {
    /// Its qualified name.
    name: &'a str,
    /// `budget`, `noise` or `threshold`.
    reason: &'a str,
    /// Tokens of its cheapest form; 0 where it was not computed.
    tokens: usize,
}

/// What a score is made of, in the order in which it adds up.
struct ScoreComponents<'a>(&'a [ScoreComponent]);

impl Serialize for ScoreComponents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|component| (component.name, round_score(component.value))))
    }
}

/// Scores are shown with four decimals: more would be noise to read and to compare.
pub fn round_score(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn four_decimals<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(round_score(*number))
}

impl<'a> PackJson<'a> {
    /// The JSON form of a pack; without `timings`, equal packs and freshness give equal bytes.
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
            freshness,
            symbols: pack.symbols.iter().map(symbol_json).collect(),
            edges: pack.edges.iter().map(edge_json).collect(),
            omitted: pack.omitted.iter().map(omitted_json).collect(),
            omitted_counts: &pack.omitted_counts,
            unknown_files: &pack.unknown_files,
            timings_ms: timings,
            change: answer.change.as_ref().map(ChangeJson::new),
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
