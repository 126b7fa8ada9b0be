//! The difference between two packs of one session, in the documented JSON form.

use super::json::SCHEMA;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a client that has the pack `base` needs to have `pack`; both are the JSON forms of packs.
///
/// Symbols are told apart by id; one whose rank, score or detail moved is in `changed`. Edges name their ends by id,
/// since positions differ between the two packs.
pub fn delta(base: &Value, pack: &Value) -> Value {
    let (old, new) = (symbols(base), symbols(pack));
    let removed: Vec<_> = in_order(base).filter(|id| !new.contains_key(id)).collect();
    let added: Vec<_> = in_order(pack).filter(|id| !old.contains_key(id)).map(|id| new[id]).collect();
    let moved = |id: &&str| old.get(id).is_some_and(|&before| before != new[id]);
    let changed: Vec<_> = in_order(pack).filter(moved).map(|id| new[id]).collect();
    let (old_edges, new_edges) = (edges(base), edges(pack));
    let missing_in = |edges: &[Value], from: &[Value]| -> Vec<Value> {
        from.iter().filter(|edge| !edges.contains(edge)).cloned().collect()
    };
    json!({
        "schema": SCHEMA,
        "base_root": base["pack_root"],
        "pack_root": pack["pack_root"],
        "source_root": pack["source_root"],
        "snapshot": pack["snapshot"],
        "budget": pack["budget"],
        "tokens_used": pack["tokens_used"],
        "freshness": pack["freshness"],
        "removed": removed,
        "added": added,
        "changed": changed,
        "order": in_order(pack).collect::<Vec<_>>(),
        "edges_removed": missing_in(&new_edges, &old_edges),
        "edges_added": missing_in(&old_edges, &new_edges),
        "timings_ms": pack["timings_ms"],
    })
}

/// The answer to a client that has this very pack.
pub fn unchanged(pack: &Value) -> Value {
    let mut fields = Map::new();
    fields.insert("schema".to_owned(), SCHEMA.into());
    fields.insert("unchanged".to_owned(), true.into());
    for name in ["pack_root", "freshness", "timings_ms"] {
        fields.insert(name.to_owned(), pack[name].clone());
    }
    Value::Object(fields)
}

fn list<'a>(pack: &'a Value, field: &str) -> &'a [Value] {
    pack[field].as_array().map_or(&[], Vec::as_slice)
}

fn in_order(pack: &Value) -> impl Iterator<Item = &str> {
    list(pack, "symbols").iter().filter_map(|symbol| symbol["id"].as_str())
}

fn symbols(pack: &Value) -> BTreeMap<&str, &Value> {
    list(pack, "symbols").iter().filter_map(|symbol| Some((symbol["id"].as_str()?, symbol))).collect()
}

/// The edges with the ids of their ends.
fn edges(pack: &Value) -> Vec<Value> {
    let symbols = list(pack, "symbols");
    let id = |index: &Value| {
        let index = index.as_u64().and_then(|n| usize::try_from(n).ok())?;
        symbols.get(index).map(|symbol| symbol["id"].clone())
    };
    let edges = list(pack, "edges").iter().map(|edge| {
        let mut edge = edge.clone();
        let (source, target) = (id(&edge["source"]), id(&edge["target"]));
        edge["source"] = source.unwrap_or_default();
        edge["target"] = target.unwrap_or_default();
        edge
    });
    edges.collect()
}

/// Packs that a session keeps to answer with differences.
const KEPT: usize = 16;

/// The last packs of a session, oldest first.
#[derive(Debug, Default)]
pub struct SentPacks(Vec<Value>);

impl SentPacks {
    /// The answer for a client that says it has the pack `known`: that nothing changed, a difference, or, when that
    /// pack is not known here (any more), the whole pack. The pack is kept for the next time.
    pub fn answer(&mut self, known: Option<&str>, pack: Value) -> Value {
        let has_root = |value: &Value, root: &str| {
            value["pack_root"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(root))
        };
        let answer = match known {
            Some(root) if has_root(&pack, root) => unchanged(&pack),
            Some(root) => match self.0.iter().find(|kept| has_root(kept, root)) {
                Some(base) => delta(base, &pack),
                None => pack.clone(),
            },
            None => pack.clone(),
        };
        self.0.retain(|kept| kept["pack_root"] != pack["pack_root"]);
        self.0.push(pack);
        let excess = self.0.len().saturating_sub(KEPT);
        self.0.drain(..excess);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(root: &str, symbols: &[(&str, f64)], edges: &[(usize, usize)]) -> Value {
        let symbols: Vec<_> = symbols.iter().map(|(id, score)| json!({ "id": id, "score": score })).collect();
        let edges: Vec<_> = edges.iter().map(|(s, t)| json!({ "source": s, "target": t })).collect();
        json!({ "pack_root": root, "symbols": symbols, "edges": edges, "freshness": {}, "timings_ms": {} })
    }

    #[test]
    fn a_difference_tells_what_went_came_and_moved() {
        let base = pack("r1", &[("a", 1.0), ("b", 0.5), ("c", 0.2)], &[(0, 1), (1, 2)]);
        let next = pack("r2", &[("b", 0.9), ("d", 0.4), ("c", 0.2)], &[(0, 2), (1, 0)]);
        let delta = delta(&base, &next);
        assert_eq!(delta["base_root"], "r1");
        assert_eq!(delta["removed"], json!(["a"]));
        assert_eq!(delta["added"], json!([{ "id": "d", "score": 0.4 }]));
        assert_eq!(delta["changed"], json!([{ "id": "b", "score": 0.9 }]));
        assert_eq!(delta["order"], json!(["b", "d", "c"]));
        assert_eq!(delta["edges_removed"], json!([{ "source": "a", "target": "b" }]));
        assert_eq!(delta["edges_added"], json!([{ "source": "d", "target": "b" }]));
    }

    #[test]
    fn a_session_forgets_all_but_its_last_packs() {
        let mut sent = SentPacks::default();
        let one = pack("one", &[("a", 1.0)], &[]);
        assert_eq!(sent.answer(None, one.clone()), one);
        assert_eq!(sent.answer(Some("ONE"), one.clone())["unchanged"], true);
        let two = pack("two", &[("a", 0.5)], &[]);
        assert_eq!(sent.answer(Some("one"), two.clone())["base_root"], "one");
        for n in 0..KEPT {
            sent.answer(None, pack(&format!("later{n}"), &[], &[]));
        }
        assert_eq!(sent.answer(Some("one"), two.clone()), two, "unknown bases get the whole pack");
        assert_eq!(sent.0.len(), KEPT);
    }
}
