//! The difference between two packs of one session, so that a client need not receive a pack again
//! that it already has.
//!
//! `SentPacks` keeps the last packs of a session as JSON. A request that names a known pack root
//! gets a short answer if the pack is the same, else a difference; any other request gets the whole
//! pack.

use super::json::{PackEdgeJson, PackSymbolJson, SCHEMA};
use crate::freshness::Freshness;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The differences between a new pack and one that the client has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Delta")]
pub struct DeltaJson {
    /// Version of this format.
    schema: u32,
    /// The root of the pack that the client has.
    #[schemars(with = "String")]
    base_root: Value,
    /// The root of the new pack.
    #[schemars(with = "String")]
    pack_root: Value,
    /// Identity of the graph derived from the text.
    #[schemars(with = "String")]
    source_root: Value,
    /// Identity of everything that the answer is based on.
    #[schemars(with = "String")]
    snapshot: Value,
    /// The token budget.
    #[schemars(with = "usize")]
    budget: Value,
    /// Tokens of all items of the new pack.
    #[schemars(with = "usize")]
    tokens_used: Value,
    /// How likely the first ten symbols contain what the task needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "&'static str")]
    confidence: Option<Value>,
    /// Freshness of the answer.
    #[schemars(with = "Freshness")]
    freshness: Value,
    /// Ids of the symbols that are no longer in the pack.
    removed: Vec<String>,
    /// Symbols that are new in the pack.
    #[schemars(with = "Vec<PackSymbolJson<'static>>")]
    added: Vec<Value>,
    /// Symbols whose rank, score, detail or text changed.
    #[schemars(with = "Vec<PackSymbolJson<'static>>")]
    changed: Vec<Value>,
    /// The ids of all symbols of the new pack, in rank order.
    order: Vec<String>,
    /// The removed edges. Their ends are ids, because positions differ between the two packs.
    #[schemars(with = "Vec<PackEdgeJson>")]
    edges_removed: Vec<Value>,
    /// The added edges. Their ends are ids.
    #[schemars(with = "Vec<PackEdgeJson>")]
    edges_added: Vec<Value>,
    /// Milliseconds per stage, and `total`.
    #[schemars(with = "BTreeMap<String, f64>")]
    timings_ms: Value,
    /// The whole new pack in the format that the request's `format` named.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    text: Option<Value>,
}

/// The answer to a client that already has the current pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UnchangedPack")]
pub struct UnchangedJson {
    /// Version of this format.
    schema: u32,
    /// Always true.
    unchanged: bool,
    /// The root of the pack that the client has.
    #[schemars(with = "String")]
    pack_root: Value,
    /// Freshness of the answer.
    #[schemars(with = "Freshness")]
    freshness: Value,
    /// Milliseconds per stage, and `total`.
    #[schemars(with = "BTreeMap<String, f64>")]
    timings_ms: Value,
}

/// Builds the difference that turns the pack `base` into `pack`; both are JSON forms of packs.
///
/// Symbols are matched by id; a symbol whose fields differ is in `changed`. Edges name their ends
/// by id, because positions differ between the two packs.
fn build_delta(base: &Value, pack: &Value) -> DeltaJson {
    let (old, new) = (symbols_by_id(base), symbols_by_id(pack));
    let ids = |ids: &mut dyn Iterator<Item = &str>| ids.map(str::to_owned).collect();
    let differs = |id: &&str| old.get(id).is_some_and(|&before| before != new[id]);
    let (old_edges, new_edges) = (edges_with_ids(base), edges_with_ids(pack));
    let edges_without = |edges: &[Value], others: &[Value]| -> Vec<Value> {
        edges.iter().filter(|edge| !others.contains(edge)).cloned().collect()
    };
    DeltaJson {
        schema: SCHEMA,
        base_root: base["pack_root"].clone(),
        pack_root: pack["pack_root"].clone(),
        source_root: pack["source_root"].clone(),
        snapshot: pack["snapshot"].clone(),
        budget: pack["budget"].clone(),
        tokens_used: pack["tokens_used"].clone(),
        confidence: pack.get("confidence").cloned(),
        freshness: pack["freshness"].clone(),
        removed: ids(&mut symbol_ids(base).filter(|id| !new.contains_key(id))),
        added: symbol_ids(pack).filter(|id| !old.contains_key(id)).map(|id| new[id].clone()).collect(),
        changed: symbol_ids(pack).filter(differs).map(|id| new[id].clone()).collect(),
        order: ids(&mut symbol_ids(pack)),
        edges_removed: edges_without(&old_edges, &new_edges),
        edges_added: edges_without(&new_edges, &old_edges),
        timings_ms: pack["timings_ms"].clone(),
        text: pack.get("text").cloned(),
    }
}

fn unchanged_answer(pack: &Value) -> UnchangedJson {
    UnchangedJson {
        schema: SCHEMA,
        unchanged: true,
        pack_root: pack["pack_root"].clone(),
        freshness: pack["freshness"].clone(),
        timings_ms: pack["timings_ms"].clone(),
    }
}

fn array_field<'a>(pack: &'a Value, field: &str) -> &'a [Value] {
    pack[field].as_array().map_or(&[], Vec::as_slice)
}

fn symbol_ids(pack: &Value) -> impl Iterator<Item = &str> {
    array_field(pack, "symbols").iter().filter_map(|symbol| symbol["id"].as_str())
}

fn symbols_by_id(pack: &Value) -> BTreeMap<&str, &Value> {
    array_field(pack, "symbols").iter().filter_map(|symbol| Some((symbol["id"].as_str()?, symbol))).collect()
}

/// Returns the edges of a pack, with ids instead of positions as their ends.
fn edges_with_ids(pack: &Value) -> Vec<Value> {
    let symbols = array_field(pack, "symbols");
    let id = |index: &Value| {
        let index = index.as_u64().and_then(|n| usize::try_from(n).ok())?;
        symbols.get(index).map(|symbol| symbol["id"].clone())
    };
    let edges = array_field(pack, "edges").iter().map(|edge| {
        let mut edge = edge.clone();
        let (source, target) = (id(&edge["source"]), id(&edge["target"]));
        edge["source"] = source.unwrap_or_default();
        edge["target"] = target.unwrap_or_default();
        edge
    });
    edges.collect()
}

/// Maximum number of packs that a session keeps.
const MAX_PACKS: usize = 16;

/// The last packs of a session, oldest first.
#[derive(Debug, Default)]
pub struct SentPacks(Vec<Value>);

impl SentPacks {
    /// Returns the answer for a client that has the pack with the root `known`: a note that the
    /// pack is unchanged, or the difference. Returns the whole pack if `known` is `None` or names a
    /// pack that was already dropped. Stores the pack for later requests.
    ///
    /// # Errors
    /// Returns an error if serde cannot serialize the answer as JSON.
    pub fn answer_with_delta(
        &mut self,
        known: Option<&str>,
        pack: Value,
    ) -> Result<Value, serde_json::Error> {
        let has_root = |value: &Value, root: &str| {
            value["pack_root"].as_str().is_some_and(|known_root| known_root.eq_ignore_ascii_case(root))
        };
        let answer = match known {
            Some(root) if has_root(&pack, root) => serde_json::to_value(unchanged_answer(&pack))?,
            Some(root) => match self.0.iter().find(|sent| has_root(sent, root)) {
                Some(base) => serde_json::to_value(build_delta(base, &pack))?,
                None => pack.clone(),
            },
            None => pack.clone(),
        };
        self.0.retain(|sent| sent["pack_root"] != pack["pack_root"]);
        self.0.push(pack);
        let excess = self.0.len().saturating_sub(MAX_PACKS);
        self.0.drain(..excess);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pack(root: &str, symbols: &[(&str, f64)], edges: &[(usize, usize)]) -> Value {
        let symbols: Vec<_> = symbols.iter().map(|(id, score)| json!({ "id": id, "score": score })).collect();
        let edges: Vec<_> = edges.iter().map(|(s, t)| json!({ "source": s, "target": t })).collect();
        json!({ "pack_root": root, "symbols": symbols, "edges": edges, "freshness": {}, "timings_ms": {} })
    }

    #[test]
    fn a_difference_lists_removed_added_and_changed_symbols() {
        let base = pack("r1", &[("a", 1.0), ("b", 0.5), ("c", 0.2)], &[(0, 1), (1, 2)]);
        let next = pack("r2", &[("b", 0.9), ("d", 0.4), ("c", 0.2)], &[(0, 2), (1, 0)]);
        let delta = serde_json::to_value(build_delta(&base, &next)).unwrap();
        assert_eq!(delta["base_root"], "r1");
        assert_eq!(delta["removed"], json!(["a"]));
        assert_eq!(delta["added"], json!([{ "id": "d", "score": 0.4 }]));
        assert_eq!(delta["changed"], json!([{ "id": "b", "score": 0.9 }]));
        assert_eq!(delta["order"], json!(["b", "d", "c"]));
        assert_eq!(delta["edges_removed"], json!([{ "source": "a", "target": "b" }]));
        assert_eq!(delta["edges_added"], json!([{ "source": "d", "target": "b" }]));
    }

    #[test]
    fn a_session_keeps_only_its_last_packs() {
        let mut sent = SentPacks::default();
        let one = pack("one", &[("a", 1.0)], &[]);
        assert_eq!(sent.answer_with_delta(None, one.clone()).unwrap(), one);
        assert_eq!(sent.answer_with_delta(Some("ONE"), one.clone()).unwrap()["unchanged"], true);
        let two = pack("two", &[("a", 0.5)], &[]);
        assert_eq!(sent.answer_with_delta(Some("one"), two.clone()).unwrap()["base_root"], "one");
        for n in 0..MAX_PACKS {
            sent.answer_with_delta(None, pack(&format!("later{n}"), &[], &[])).unwrap();
        }
        assert_eq!(
            sent.answer_with_delta(Some("one"), two.clone()).unwrap(),
            two,
            "unknown bases get the whole pack"
        );
        assert_eq!(sent.0.len(), MAX_PACKS);
    }
}
