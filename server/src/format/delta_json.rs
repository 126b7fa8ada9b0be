//! The JSON forms of a difference between two packs and of the note that a pack is unchanged.

use super::change::ChangeJson;
use super::codec::PackView;
use super::delta::{EdgeEnds, PackDelta};
use super::json::{PACK_SCHEMA, PackHeadJson, PackSymbolJson, shown_hash};
use super::sent_pack::{SentPack, SentSymbol};
use crate::freshness::Freshness;
use crate::timings::StageTimings;
use kenning_graph::Hash;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The differences between a new pack and one that the client has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Delta")]
pub struct DeltaJson<'a> {
    /// Version of this format.
    schema: u32,
    /// The root of the pack that the client has.
    base_root: String,
    #[serde(flatten)]
    head: PackHeadJson,
    /// Freshness of the answer.
    freshness: &'a Freshness,
    /// The ids of the symbols that are no longer in the pack.
    removed: Vec<String>,
    /// Symbols that are new in the pack. Insert them in the order of their positions; the other symbols
    /// keep their order, unless `order` says otherwise.
    added: Vec<RankedSymbolJson<'a>>,
    /// Symbols whose detail, text, signature or group changed. Each replaces the symbol with its
    /// id.
    changed: Vec<RankedSymbolJson<'a>>,
    /// Symbols whose only change is the position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moved: Vec<MovedSymbolJson<'a>>,
    /// The ids of all symbols of the new pack in the order of reading, if the symbols that are in both packs
    /// changed their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    order: Vec<String>,
    /// The removed edges between symbols that are in both packs. The edges of a removed symbol are
    /// removed with it.
    edges_removed: Vec<DeltaEdgeJson<'a>>,
    /// The added edges.
    edges_added: Vec<DeltaEdgeJson<'a>>,
    /// All sections of documents of the new pack, if they changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<PackSymbolJson<'a>>>,
    /// The change, if the request asked about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeJson>,
    /// Milliseconds per stage, and `total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, f64>>")]
    timings_ms: Option<&'a StageTimings>,
    /// The difference in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A new or changed symbol, with its position.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RankedPackSymbol")]
struct RankedSymbolJson<'a> {
    /// The position in the new pack; the first is 1.
    position: usize,
    #[serde(flatten)]
    symbol: PackSymbolJson<'a>,
}

/// The new position of a symbol.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MovedSymbol")]
struct MovedSymbolJson<'a> {
    /// The symbol's identity.
    id: String,
    /// The path in the workspace, with `/` as the separator.
    file: &'a str,
    /// 1-based line of the name.
    line: u32,
    /// 1-based last line of the declaration.
    end_line: u32,
}

/// An edge that only one of two packs has. Its ends are ids, because positions differ between the
/// packs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeltaEdge")]
struct DeltaEdgeJson<'a> {
    /// The id of the source.
    source: String,
    /// The id of the target.
    target: String,
    /// The kind of relation.
    kind: &'a str,
}

impl<'a> DeltaJson<'a> {
    /// Builds the JSON form of a difference.
    pub fn new(delta: &PackDelta<'a>) -> Self {
        let PackView { answer, freshness, timings, explain } = delta.view;
        let pack = &answer.pack;
        let id = |symbol: &SentSymbol| shown_id(&symbol.id, explain);
        let ranked = |indices: &[usize]| {
            let symbols = indices.iter().filter_map(|&at| Some((at, pack.symbols.get(at)?)));
            let ranked = symbols.map(|(at, symbol)| RankedSymbolJson {
                position: at + 1,
                symbol: PackSymbolJson::new(symbol, explain),
            });
            ranked.collect()
        };
        let edges = |edges: &[EdgeEnds<'a>]| {
            let edges = edges.iter().map(|edge| DeltaEdgeJson {
                source: id(edge.source),
                target: id(edge.target),
                kind: edge.kind,
            });
            edges.collect()
        };
        let moved = delta.moved.iter().filter_map(|&at| pack.symbols.get(at));
        Self {
            schema: PACK_SCHEMA,
            base_root: shown_id(&delta.base.root, explain),
            head: PackHeadJson::new(answer, explain),
            freshness,
            removed: delta.removed.iter().map(|symbol| id(symbol)).collect(),
            added: ranked(&delta.added),
            changed: ranked(&delta.changed),
            moved: moved
                .map(|symbol| MovedSymbolJson {
                    id: shown_hash(&symbol.id, explain),
                    file: &symbol.file,
                    line: symbol.line,
                    end_line: symbol.end_line,
                })
                .collect(),
            order: if delta.is_reordered {
                delta.current.symbols.iter().map(id).collect()
            } else {
                Vec::new()
            },
            edges_removed: edges(&delta.edges_removed),
            edges_added: edges(&delta.edges_added),
            documents: delta.has_other_documents.then(|| {
                pack.documents.iter().map(|section| PackSymbolJson::new(section, explain)).collect()
            }),
            change: answer.change.as_ref().map(ChangeJson::new),
            timings_ms: timings,
            text: None,
        }
    }
}

/// Returns a stored id or root as an answer shows it.
fn shown_id(hex: &str, explain: bool) -> String {
    Hash::from_hex(hex).map(|hash| shown_hash(&hash, explain)).unwrap_or_default()
}

/// The answer to a client that already has the current pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UnchangedPack")]
pub struct UnchangedJson<'a> {
    /// Version of this format.
    schema: u32,
    /// Always true.
    unchanged: bool,
    /// The root of the pack that the client has.
    pack_root: String,
    /// Freshness of the answer.
    freshness: &'a Freshness,
    /// Milliseconds per stage, and `total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, f64>>")]
    timings_ms: Option<&'a StageTimings>,
    /// The note in the format that the request's `format` names, if that format has a form for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl<'a> UnchangedJson<'a> {
    /// Builds the note about the pack that `current` records.
    pub fn new(current: &SentPack, view: &PackView<'a>) -> Self {
        Self {
            schema: PACK_SCHEMA,
            unchanged: true,
            pack_root: shown_id(&current.root, view.explain),
            freshness: view.freshness,
            timings_ms: view.timings,
            text: None,
        }
    }
}
