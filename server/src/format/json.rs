//! The JSON form of a pack, with its fields in the documented order. Fields that only explain the
//! ranking are absent unless the request asks for them.

use super::change::ChangeJson;
use super::codec::{PackCodec, PackView, RenderedPack, shows_signature};
use super::delta::PackDelta;
use super::delta_json::{DeltaJson, UnchangedJson};
use super::first_symbols::{FirstSymbolJson, describe_first_symbols};
use super::json_rows::RowFormatter;
use super::ripple::{self, RippleJson};
use super::sent_pack::SentPack;
use super::wording::no_match_statement;
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use crate::hash_prefix::short_hex;
use crate::timings::StageTimings;
use kenning_graph::Hash;
use kenning_retrieval::pack::is_unsafe_to_print;
use kenning_retrieval::{OmittedSymbol, PackEdge, PackSymbol, ScoreComponent};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Version of the JSON forms, except those of packs.
pub const SCHEMA: u32 = 1;

/// Version of the JSON forms of packs.
pub const PACK_SCHEMA: u32 = 2;

/// The codec of JSON.
pub struct JsonCodec;

impl PackCodec for JsonCodec {
    fn render_pack(&self, view: &PackView<'_>) -> Result<RenderedPack, serde_json::Error> {
        render_rows(&PackJson::new(view)).map(RenderedPack::Text)
    }

    fn render_delta(&self, delta: &PackDelta<'_>) -> Result<Option<RenderedPack>, serde_json::Error> {
        render_rows(&DeltaJson::new(delta)).map(|text| Some(RenderedPack::Text(text)))
    }

    fn render_unchanged(
        &self,
        pack: &SentPack,
        view: &PackView<'_>,
    ) -> Result<Option<RenderedPack>, serde_json::Error> {
        render_rows(&UnchangedJson::new(pack, view)).map(|text| Some(RenderedPack::Text(text)))
    }
}

/// Renders a value as indented JSON that ends with a line break. Escapes the characters that
/// control a terminal; the decoded data stays the same.
///
/// # Errors
/// Returns an error if serde cannot serialize the value.
pub fn render_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(escape_for_terminal)
}

/// Renders a value as JSON with few spaces: one line for each field of the value, and one for each
/// entry of a list there. Ends and escapes as [`render_json`] does.
///
/// # Errors
/// Returns an error if serde cannot serialize the value.
pub fn render_rows(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, RowFormatter::default()))?;
    String::from_utf8(bytes).map(escape_for_terminal).map_err(serde::ser::Error::custom)
}

fn escape_for_terminal(mut text: String) -> String {
    text.push('\n');
    // The characters to escape occur only in strings, and each fits into four hex digits.
    let needs_escape = |c: char| c == '\u{7f}' || (is_unsafe_to_print(c) && !c.is_ascii());
    if !text.contains(needs_escape) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if needs_escape(c) {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// The fields that a pack and the difference from a pack share: the pack's identity and its size.
#[derive(Serialize, JsonSchema)]
pub(super) struct PackHeadJson {
    /// Identity of the pack's content; packs with equal content have equal roots. The first 12
    /// hexadecimal digits; all 64 with `explain`.
    pack_root: String,
    /// Identity of the graph derived from the text. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_root: Option<String>,
    /// Identity of everything that the answer is based on. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<String>,
    /// The token budget.
    budget: usize,
    /// Tokens of the whole pack as its reader gets it: in the format of `text`, or else in this one
    /// as the command line prints it. Includes the freshness but not the timings.
    tokens_used: usize,
    /// The likelihood that the task edits one of the first five symbols: `high` (at least 0.8),
    /// `medium` (at least 0.4), `low`, or `none` if nothing in the workspace matches. Absent for files
    /// and changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
    /// The same as a number from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

impl PackHeadJson {
    /// Builds the shared fields of an answer.
    pub(super) fn new(answer: &AnsweredPack, explain: bool) -> Self {
        let pack = &answer.pack;
        Self {
            pack_root: shown_hash(&pack.pack_root, explain),
            source_root: explain.then(|| pack.source_root.to_hex()),
            snapshot: explain.then(|| answer.snapshot.to_hex()),
            budget: pack.budget,
            tokens_used: pack.tokens_used,
            confidence: pack.confidence.map(|found| found.level.as_str()),
            probability: pack.confidence.map(|found| round_to_two_decimals(found.probability)),
        }
    }
}

/// A pack with the data about its request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pack")]
pub struct PackJson<'a> {
    /// Version of this format.
    schema: u32,
    /// The task as requested; empty for files and changes.
    task: &'a str,
    #[serde(flatten)]
    head: PackHeadJson,
    /// The statement that nothing in the workspace matches, in words; only if the confidence is
    /// `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<&'static str>,
    /// Freshness of the answer.
    freshness: &'a Freshness,
    /// The first symbols of the ranking, best first, at which a reader starts. Absent for files and
    /// changes, and if nothing matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first: Vec<FirstSymbolJson>,
    /// The symbols, in the order of reading, which all forms share: group by group, the file of the
    /// best symbol first, and the symbols of a file by rank.
    symbols: Vec<PackSymbolJson<'a>>,
    /// The edges among the symbols.
    edges: Vec<PackEdgeJson>,
    /// Sections of documents that match the task, best first; the name of a section has its headings.
    /// Absent without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<PackSymbolJson<'a>>,
    /// The best candidates that are not in the pack, at most 50. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<Vec<OmittedJson<'a>>>,
    /// The number of candidates that are not in the pack, by reason.
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
    /// The pack in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A symbol of a pack. The fields that explain its rank come only with `explain`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackSymbol")]
pub struct PackSymbolJson<'a> {
    /// The symbol's identity; edits elsewhere do not change it. The first 12 hexadecimal digits, which
    /// every command accepts; all 64 with `explain`.
    id: String,
    /// The symbol's name as `path::Outer.Inner.name`. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<&'a str>,
    /// The name inside the file.
    name: &'a str,
    /// The kind of symbol: `function`, `method`, `class` ...
    kind: &'static str,
    /// Language id. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    /// The path in the workspace, with `/` as the separator.
    file: &'a str,
    /// 1-based line of the name.
    line: u32,
    /// 1-based last line of the declaration.
    end_line: u32,
    /// The signature on one line, as written. Without `explain`, only if the detail is `signature`.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a str>,
    /// First sentence of the documentation. Without `explain`, only if the detail is `signature`.
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<&'a str>,
    /// The place in the ranking, from 1; absent for a test or a part of a file that is not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    /// The sum of the components: two decimals, four with `explain`.
    score: f64,
    /// The part of the pack: `pinned`, `subject` (what the request is about), `related`, `tests` or
    /// `documentation`.
    group: &'static str,
    /// Hops from the symbols that the request matches directly (0).
    distance: u32,
    /// Confidence of the best edge that leads to the symbol, from 0 to 1. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// The provenance of that edge. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'static str>,
    /// The channels that found the symbol, with their rules: `tiered:exact`. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<&'a [String]>,
    /// The components of the score, by name. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, f64>>")]
    components: Option<ScoreComponents<'a>>,
    /// Level of detail: `body`, `trimmed`, `signature` or `name`.
    detail: &'static str,
    /// Tokens of the symbol's item in Markdown. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    /// The symbol's text, if the detail is `body` or `trimmed`. A line like `⋮ lines 8-19` replaces
    /// lines that are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    /// 1-based line of the first line of `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_line: Option<u32>,
}

/// An edge between two symbols of a pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackEdge")]
pub struct PackEdgeJson {
    /// Index of the source in `symbols`.
    source: usize,
    /// Index of the target in `symbols`.
    target: usize,
    /// The kind of relation: `calls`, `implements` ...
    kind: &'static str,
    /// The provenance of the edge. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'static str>,
    /// Confidence that the edge is right, from 0 to 1. Only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

/// A candidate that is not in the pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OmittedCandidate")]
struct OmittedJson<'a> {
    /// The candidate's qualified name.
    name: &'a str,
    /// Reason: `budget`, `noise` or `threshold`, or `shown` if other items show all its lines.
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

/// Rounds to two decimals, which are enough to compare symbols.
fn round_to_two_decimals(number: f64) -> f64 {
    (number * 1e2).round() / 1e2
}

/// Returns an id or a root as an answer shows it: all digits with `explain`, otherwise the first.
pub fn shown_hash(hash: &Hash, explain: bool) -> String {
    if explain { hash.to_hex() } else { short_hex(hash) }
}

impl<'a> PackJson<'a> {
    /// Builds the JSON form of a pack. Without timings, equal packs and freshness give equal bytes.
    pub fn new(view: &PackView<'a>) -> Self {
        let PackView { answer, freshness, timings, explain } = *view;
        let pack = &answer.pack;
        Self {
            schema: PACK_SCHEMA,
            task: &pack.task,
            head: PackHeadJson::new(answer, explain),
            statement: no_match_statement(pack),
            freshness,
            first: describe_first_symbols(pack),
            symbols: pack.symbols.iter().map(|symbol| PackSymbolJson::new(symbol, explain)).collect(),
            edges: pack.edges.iter().map(|edge| edge_json(edge, explain)).collect(),
            documents: pack.documents.iter().map(|section| PackSymbolJson::new(section, explain)).collect(),
            omitted: explain.then(|| pack.omitted.iter().map(omitted_json).collect()),
            omitted_counts: &pack.omitted_counts,
            unknown_files: &pack.unknown_files,
            timings_ms: timings,
            change: answer.change.as_ref().map(ChangeJson::new),
            ripple: ripple::describe_files(&answer.ripple),
            text: None,
        }
    }
}

impl<'a> PackSymbolJson<'a> {
    /// Builds the JSON form of a symbol.
    pub fn new(symbol: &'a PackSymbol, explain: bool) -> Self {
        let shows_signature = shows_signature(symbol, explain);
        let signature_text =
            |text: &'a str| Some(text).filter(|text| explain || (shows_signature && !text.is_empty()));
        Self {
            id: shown_hash(&symbol.id, explain),
            qualified_name: explain.then_some(&symbol.qualified_name),
            name: &symbol.name,
            kind: symbol.kind.as_str(),
            language: explain.then_some(&symbol.language),
            file: &symbol.file,
            line: symbol.line,
            end_line: symbol.end_line,
            signature: signature_text(&symbol.signature),
            doc: signature_text(&symbol.doc),
            rank: symbol.rank,
            score: if explain { round_score(symbol.score) } else { round_to_two_decimals(symbol.score) },
            group: symbol.group.as_str(),
            distance: symbol.distance,
            confidence: explain.then(|| round_score(symbol.confidence)),
            provenance: explain.then(|| symbol.provenance.as_str()),
            channels: explain.then_some(&symbol.channels),
            components: explain.then_some(ScoreComponents(&symbol.components)),
            detail: symbol.detail.as_str(),
            tokens: explain.then_some(symbol.tokens),
            text: symbol.text.as_deref(),
            text_line: symbol.text.is_some().then_some(symbol.text_line),
        }
    }
}

fn edge_json(edge: &PackEdge, explain: bool) -> PackEdgeJson {
    PackEdgeJson {
        source: edge.source,
        target: edge.target,
        kind: edge.kind.as_str(),
        provenance: explain.then(|| edge.provenance.as_str()),
        confidence: explain.then(|| round_score(f64::from(edge.confidence))),
    }
}

fn omitted_json(omitted: &OmittedSymbol) -> OmittedJson<'_> {
    OmittedJson { name: &omitted.name, reason: omitted.reason, tokens: omitted.tokens }
}
