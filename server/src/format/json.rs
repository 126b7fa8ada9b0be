//! JSON: the pack with its envelope, in the documented order of fields.

use crate::answer::Answer;
use crate::freshness::Freshness;
use crate::timings::Timings;
use kenning_retrieval::{Component, Omitted, PackEdge, PackSymbol};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Version of the pack's JSON form.
pub const SCHEMA: u32 = 1;

/// A value as indented JSON that ends with a line break.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}

/// The pack and its envelope.
#[derive(Serialize)]
pub struct PackJson<'a> {
    schema: u32,
    task: &'a str,
    pack_root: String,
    base_root: Option<String>,
    source_root: String,
    snapshot: String,
    budget: usize,
    tokens_used: usize,
    freshness: &'a Freshness,
    symbols: Vec<SymbolJson<'a>>,
    edges: Vec<EdgeJson>,
    omitted: Vec<OmittedJson<'a>>,
    omitted_counts: &'a BTreeMap<&'static str, usize>,
    /// Files that were asked for and are not in the index.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unknown_files: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    timings_ms: Option<&'a Timings>,
}

#[derive(Serialize)]
struct SymbolJson<'a> {
    id: String,
    qualified_name: &'a str,
    name: &'a str,
    kind: &'static str,
    language: &'a str,
    file: &'a str,
    line: u32,
    end_line: u32,
    signature: &'a str,
    doc: &'a str,
    #[serde(serialize_with = "four_decimals")]
    score: f64,
    distance: u32,
    #[serde(serialize_with = "four_decimals")]
    confidence: f64,
    provenance: &'static str,
    channels: &'a [String],
    components: Components<'a>,
    detail: &'static str,
    tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct EdgeJson {
    source: usize,
    target: usize,
    kind: &'static str,
    provenance: &'static str,
    #[serde(serialize_with = "four_decimals")]
    confidence: f64,
}

#[derive(Serialize)]
struct OmittedJson<'a> {
    name: &'a str,
    reason: &'a str,
    tokens: usize,
}

/// What a score is made of, in the order in which it adds up.
struct Components<'a>(&'a [Component]);

impl Serialize for Components<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|component| (component.name, rounded(component.value))))
    }
}

/// Scores are shown with four decimals: more would be noise to read and to compare.
pub fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn four_decimals<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*number))
}

impl<'a> PackJson<'a> {
    /// The JSON form of a pack; without `timings`, equal packs and freshness give equal bytes.
    pub fn new(answer: &'a Answer, freshness: &'a Freshness, timings: Option<&'a Timings>) -> Self {
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
            symbols: pack.symbols.iter().map(symbol).collect(),
            edges: pack.edges.iter().map(edge).collect(),
            omitted: pack.omitted.iter().map(omitted).collect(),
            omitted_counts: &pack.omitted_counts,
            unknown_files: &pack.unknown_files,
            timings_ms: timings,
        }
    }
}

fn symbol(symbol: &PackSymbol) -> SymbolJson<'_> {
    SymbolJson {
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
        components: Components(&symbol.components),
        detail: symbol.detail.as_str(),
        tokens: symbol.tokens,
        text: symbol.text.as_deref(),
    }
}

fn edge(edge: &PackEdge) -> EdgeJson {
    EdgeJson {
        source: edge.source,
        target: edge.target,
        kind: edge.kind.as_str(),
        provenance: edge.provenance.as_str(),
        confidence: f64::from(edge.confidence),
    }
}

fn omitted(omitted: &Omitted) -> OmittedJson<'_> {
    OmittedJson { name: &omitted.name, reason: omitted.reason, tokens: omitted.tokens }
}
