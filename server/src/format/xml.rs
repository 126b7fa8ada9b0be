//! The XML form of a pack for agents, grouped by distance. Every text from outside is escaped.

use super::ripple;
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use kenning_retrieval::pack::escape_control_chars;
use kenning_retrieval::{Pack, PackEdge, PackSymbol};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The groups of a pack: the element, and the distances from the task that belong to it.
const GROUPS: [(&str, RangeInclusive<u32>); 3] =
    [("target_symbols", 0..=0), ("related_symbols", 1..=1), ("extended_context", 2..=u32::MAX)];

/// Renders the pack as an XML document, ending with a line break. The text contains no time, so
/// that equal packs give equal bytes.
pub fn render_pack(answer: &AnsweredPack, freshness: &Freshness) -> String {
    let pack = &answer.pack;
    let mut out = XmlWriter::default();
    let (used, budget) = (pack.tokens_used.to_string(), pack.budget.to_string());
    let root = [
        ("tokens_used", used.as_str()),
        ("token_budget", &budget),
        ("pack_root", &pack.pack_root.to_hex()),
        ("source_root", &pack.source_root.to_hex()),
        ("snapshot", &answer.snapshot.to_hex()),
    ];
    let confidence = pack.confidence.map(|confidence| ("confidence", confidence.as_str()));
    out.open_element("context", &root.into_iter().chain(confidence).collect::<Vec<_>>());
    out.write_text_element("task", &[], &answer.subject);
    if let Some(line) = freshness.render_line() {
        out.write_text_element("freshness", &[], &line);
    }
    for path in answer.change.iter().flat_map(|change| &change.change_set.files) {
        out.write_empty_element("changed_file", &[("path", &path.path), ("status", path.status.as_str())]);
    }
    for file in ripple::describe_files(&answer.ripple) {
        let reasons = file.reasons.join(", ");
        out.write_empty_element("likely_file", &[("path", &file.file), ("reasons", &reasons)]);
    }
    for path in &pack.unknown_files {
        out.write_empty_element("unknown_file", &[("path", path)]);
    }
    for (group, distances) in GROUPS {
        let members: Vec<&PackSymbol> =
            pack.symbols.iter().filter(|s| distances.contains(&s.distance)).collect();
        if !members.is_empty() {
            out.open_element(group, &[]);
            for member in members {
                write_symbol(&mut out, member);
            }
            out.close_element();
        }
    }
    write_relations(&mut out, pack);
    out.close_element();
    out.text
}

fn write_symbol(out: &mut XmlWriter, symbol: &PackSymbol) {
    let (id, score) = (symbol.id.to_hex(), format!("{:.4}", symbol.score));
    let (line, end_line) = (symbol.line.to_string(), symbol.end_line.to_string());
    let (confidence, distance) = (format!("{:.2}", symbol.confidence), symbol.distance.to_string());
    let tokens = symbol.tokens.to_string();
    let position = format!("{}:{line}", symbol.file);
    let attributes = [
        ("name", symbol.name.as_str()),
        ("kind", symbol.kind.as_str()),
        ("at", &position),
        ("end_line", &end_line),
        ("language", &symbol.language),
        ("score", &score),
        ("confidence", &confidence),
        ("provenance", symbol.provenance.as_str()),
        ("distance", &distance),
        ("detail", symbol.detail.as_str()),
        ("tokens", &tokens),
        ("channels", &symbol.channels.join(" ")),
        ("id", &id),
    ];
    out.open_element("symbol", &attributes);
    if !symbol.signature.is_empty() {
        out.write_text_element("signature", &[], &symbol.signature);
    }
    if !symbol.doc.is_empty() {
        out.write_text_element("doc", &[], &symbol.doc);
    }
    for component in &symbol.components {
        let value = format!("{:.4}", component.value);
        out.write_empty_element("component", &[("name", component.name), ("value", &value)]);
    }
    if let Some(text) = &symbol.text {
        out.write_text_element("text", &[("first_line", &symbol.text_line.to_string())], text);
    }
    out.close_element();
}

/// Writes the edges by name, the numbers of omitted candidates, and the number of symbols at each
/// distance.
fn write_relations(out: &mut XmlWriter, pack: &Pack) {
    for PackEdge { source, target, kind, provenance, confidence } in &pack.edges {
        let confidence = format!("{confidence:.2}");
        let name = |at: &usize| pack.symbols.get(*at).map_or("", |symbol| symbol.qualified_name.as_str());
        let attributes = [
            ("source", name(source)),
            ("target", name(target)),
            ("kind", kind.as_str()),
            ("provenance", provenance.as_str()),
            ("confidence", &confidence),
        ];
        out.write_empty_element("edge", &attributes);
    }
    for (reason, count) in &pack.omitted_counts {
        out.write_empty_element("omitted", &[("reason", reason), ("count", &count.to_string())]);
    }
    let mut distances: BTreeMap<u32, usize> = BTreeMap::new();
    for symbol in &pack.symbols {
        *distances.entry(symbol.distance).or_insert(0) += 1;
    }
    out.open_element("relationship_summary", &[]);
    out.write_text_element("total_symbols", &[], &pack.symbols.len().to_string());
    out.open_element("by_distance", &[]);
    for (hop, count) in distances {
        out.write_empty_element("distance", &[("hop", &hop.to_string()), ("count", &count.to_string())]);
    }
    out.close_element();
    out.close_element();
}

/// Writes a document element by element.
#[derive(Default)]
struct XmlWriter {
    text: String,
    open: Vec<&'static str>,
}

impl XmlWriter {
    fn begin_tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let indentation = self.open.len() * 2;
        let _ = write!(self.text, "{:indentation$}<{name}", "");
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escape_text(value, true));
        }
    }

    fn open_element(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.begin_tag(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    fn close_element(&mut self) {
        if let Some(name) = self.open.pop() {
            let indentation = self.open.len() * 2;
            let _ = writeln!(self.text, "{:indentation$}</{name}>", "");
        }
    }

    fn write_empty_element(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin_tag(name, attributes);
        self.text.push_str("/>\n");
    }

    fn write_text_element(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.begin_tag(name, attributes);
        let _ = writeln!(self.text, ">{}</{name}>", escape_text(text, false));
    }
}

/// Escapes `text` for XML, as character data or as the value of an attribute. In attributes, line
/// breaks and tabs are also escaped. Control characters that XML cannot represent are written as
/// [`escape_control_chars`] writes them.
fn escape_text(text: &str, attribute: bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in escape_control_chars(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            '\n' | '\t' | '\r' if attribute => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}
