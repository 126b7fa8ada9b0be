//! A decoder of the graph profile of GCF for the tests, strict about everything that the
//! specification demands of a payload.

use std::collections::{BTreeMap, BTreeSet};

/// A decoded payload.
#[derive(Debug, Default)]
pub struct GraphPayload {
    pub header: BTreeMap<String, String>,
    pub nodes: Vec<PayloadNode>,
    /// The numbers of the symbols that the payload refers to without their names.
    pub references: Vec<usize>,
    /// Source, target and kind.
    pub edges: Vec<(usize, usize, String)>,
    /// Kind and name of the removed nodes.
    pub removed: Vec<(String, String)>,
    /// Source, target and kind.
    pub edges_removed: Vec<(String, String, String)>,
    /// Source, target and kind.
    pub edges_added: Vec<(String, String, String)>,
}

/// A decoded node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadNode {
    pub id: usize,
    pub kind: String,
    /// The name as it was before it was encoded.
    pub name: String,
    pub score: String,
    pub provenance: String,
    pub distance: u32,
}

/// Decodes a payload.
///
/// # Errors
/// Returns the line and the rule that it violates.
pub fn decode_payload(text: &str) -> Result<GraphPayload, String> {
    let mut lines = text.strip_suffix('\n').ok_or("no line break at the end")?.split('\n');
    let mut payload =
        GraphPayload { header: decode_header(lines.next().unwrap_or(""))?, ..GraphPayload::default() };
    let is_delta = payload.header.get("delta").is_some_and(|value| value == "true");
    let mut section = String::new();
    let mut edge_count = 0;
    let mut declared: BTreeSet<usize> = BTreeSet::new();
    for line in lines {
        let fail = |rule: &str| format!("{rule}: {line:?}");
        if line.starts_with("# ") {
            continue;
        }
        if line.ends_with(' ') || line.is_empty() {
            return Err(fail("white space at the end, or an empty line"));
        }
        if let Some(name) = line.strip_prefix("## ") {
            let (name, count) = name.split_once(" [").unwrap_or((name, "0]"));
            edge_count += count
                .strip_suffix(']')
                .and_then(|number| number.parse::<usize>().ok())
                .ok_or(fail("count"))?;
            section = name.to_owned();
            continue;
        }
        match (section.as_str(), is_delta) {
            ("edges", false) => {
                let (target, rest) = line.split_once('<').ok_or(fail("edge"))?;
                let (source, kind) = rest.split_once(' ').ok_or(fail("edge"))?;
                let source = parse_id(source).ok_or(fail("id"))?;
                let target = parse_id(target).ok_or(fail("id"))?;
                if !declared.contains(&source) || !declared.contains(&target) {
                    return Err(fail("undeclared id"));
                }
                payload.edges.push((source, target, parse_word(kind)?));
            }
            ("removed", true) => {
                let (kind, name) = line.split_once(' ').ok_or(fail("removed"))?;
                payload.removed.push((parse_word(kind)?, decode_name(name)?));
            }
            ("edges_removed" | "edges_added", true) => {
                let words: Vec<&str> = line.split(' ').collect();
                let [source, "->", target, kind] = words[..] else { return Err(fail("edge")) };
                let edge = (decode_name(source)?, decode_name(target)?, parse_word(kind)?);
                match section.as_str() {
                    "edges_added" => payload.edges_added.push(edge),
                    _ => payload.edges_removed.push(edge),
                }
            }
            ("added", true) => payload.nodes.push(decode_node(line, None)?),
            (name, false) => {
                let distance = match name {
                    "targets" => 0,
                    "related" => 1,
                    "extended" => 2,
                    far => far
                        .strip_prefix("distance_")
                        .and_then(|number| number.parse().ok())
                        .ok_or(fail("section"))?,
                };
                if let Some(id) = line.strip_suffix("  # previously transmitted") {
                    let id = parse_id(id).ok_or(fail("id"))?;
                    payload.references.push(id);
                    declared.insert(id);
                } else {
                    let node = decode_node(line, Some(distance))?;
                    if !declared.insert(node.id) {
                        return Err(fail("an id that is already declared"));
                    }
                    payload.nodes.push(node);
                }
            }
            (_, true) => return Err(fail("section of a difference")),
        }
    }
    if edge_count != payload.edges.len() {
        return Err(format!("{edge_count} edges are announced"));
    }
    Ok(payload)
}

fn decode_header(line: &str) -> Result<BTreeMap<String, String>, String> {
    let fields = line.strip_prefix("GCF profile=graph").ok_or(format!("header: {line}"))?;
    let mut header = BTreeMap::new();
    for field in fields.split(' ').skip(1) {
        let (key, value) = field.split_once('=').ok_or(format!("header field: {field:?}"))?;
        if header.insert(key.to_owned(), parse_word(value)?).is_some() {
            return Err(format!("repeated field: {key}"));
        }
    }
    Ok(header)
}

fn decode_node(line: &str, distance: Option<u32>) -> Result<PayloadNode, String> {
    let fail = || format!("node: {line:?}");
    let words: Vec<&str> = line.split(' ').collect();
    let (id, kind, name, score, provenance, distance) = match (words[..].as_ref(), distance) {
        (&[id, kind, name, score, provenance], Some(distance)) => {
            (id, kind, name, score, provenance, distance)
        }
        (&[id, kind, name, score, provenance, distance], None) => {
            (id, kind, name, score, provenance, distance.parse().map_err(|_| fail())?)
        }
        _ => return Err(fail()),
    };
    let decimals = score.split_once('.').filter(|(whole, decimals)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole.trim_start_matches('-')) && digits(decimals) && decimals.len() == 2
    });
    decimals.ok_or_else(fail)?;
    Ok(PayloadNode {
        id: parse_id(id).ok_or_else(fail)?,
        kind: parse_word(kind)?,
        name: decode_name(name)?,
        score: score.to_owned(),
        provenance: parse_word(provenance)?,
        distance,
    })
}

/// Returns the number after an `@`.
fn parse_id(text: &str) -> Option<usize> {
    text.strip_prefix('@')?.parse().ok()
}

/// Returns a field, which must be printable ASCII without white space.
fn parse_word(text: &str) -> Result<String, String> {
    let is_word = !text.is_empty() && text.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    if is_word { Ok(text.to_owned()) } else { Err(format!("field: {text:?}")) }
}

fn decode_name(text: &str) -> Result<String, String> {
    let name = parse_word(text)?;
    let mut bytes = Vec::new();
    let mut parts = name.split('%');
    bytes.extend_from_slice(parts.next().unwrap_or("").as_bytes());
    for part in parts {
        let digits = part.get(..2).ok_or(format!("escape: {text:?}"))?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|error| format!("{error}: {text:?}"))?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).map_err(|error| error.to_string())
}
