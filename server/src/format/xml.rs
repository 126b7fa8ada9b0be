//! XML: the pack as agents take it, grouped by distance (seed 004, "Output Formats"). Everything from outside is escaped.

use crate::answer::Answer;
use crate::freshness::Freshness;
use kenning_retrieval::pack::printable;
use kenning_retrieval::{Pack, PackEdge, PackSymbol};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The groups of a pack: element and the distances from the task that belong to it.
const GROUPS: [(&str, RangeInclusive<u32>); 3] =
    [("target_symbols", 0..=0), ("related_symbols", 1..=1), ("extended_context", 2..=u32::MAX)];

/// The pack as an XML document, ending with a line break. Never holds a time, so that equal packs give equal bytes.
pub fn pack(answer: &Answer, freshness: &Freshness) -> String {
    let pack = &answer.pack;
    let mut out = Xml::default();
    let (used, budget) = (pack.tokens_used.to_string(), pack.budget.to_string());
    let root = [
        ("tokens_used", used.as_str()),
        ("token_budget", &budget),
        ("pack_root", &pack.pack_root.to_hex()),
        ("source_root", &pack.source_root.to_hex()),
        ("snapshot", &answer.snapshot.to_hex()),
    ];
    out.open("context", &root);
    out.text("task", &[], &answer.subject);
    if let Some(line) = freshness.line() {
        out.text("freshness", &[], &line);
    }
    for path in answer.change.iter().flat_map(|change| &change.seen.files) {
        out.empty("changed_file", &[("path", &path.path), ("status", path.status.as_str())]);
    }
    for path in &pack.unknown_files {
        out.empty("unknown_file", &[("path", path)]);
    }
    for (group, distances) in GROUPS {
        let members: Vec<&PackSymbol> =
            pack.symbols.iter().filter(|s| distances.contains(&s.distance)).collect();
        if !members.is_empty() {
            out.open(group, &[]);
            for member in members {
                symbol(&mut out, member);
            }
            out.close();
        }
    }
    relations(&mut out, pack);
    out.close();
    out.text
}

fn symbol(out: &mut Xml, symbol: &PackSymbol) {
    let (id, score) = (symbol.id.to_hex(), format!("{:.4}", symbol.score));
    let (line, end_line) = (symbol.line.to_string(), symbol.end_line.to_string());
    let (confidence, distance) = (format!("{:.2}", symbol.confidence), symbol.distance.to_string());
    let tokens = symbol.tokens.to_string();
    let place = format!("{}:{line}", symbol.file);
    let attributes = [
        ("name", symbol.name.as_str()),
        ("kind", symbol.kind.as_str()),
        ("at", &place),
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
    out.open("symbol", &attributes);
    if !symbol.signature.is_empty() {
        out.text("signature", &[], &symbol.signature);
    }
    if !symbol.doc.is_empty() {
        out.text("doc", &[], &symbol.doc);
    }
    for component in &symbol.components {
        let value = format!("{:.4}", component.value);
        out.empty("component", &[("name", component.name), ("value", &value)]);
    }
    if let Some(text) = &symbol.text {
        out.text("text", &[("first_line", &symbol.text_line.to_string())], text);
    }
    out.close();
}

/// The edges by name, what is left out, and how many symbols stand at which distance.
fn relations(out: &mut Xml, pack: &Pack) {
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
        out.empty("edge", &attributes);
    }
    for (reason, count) in &pack.omitted_counts {
        out.empty("omitted", &[("reason", reason), ("count", &count.to_string())]);
    }
    let mut distances: BTreeMap<u32, usize> = BTreeMap::new();
    for symbol in &pack.symbols {
        *distances.entry(symbol.distance).or_insert(0) += 1;
    }
    out.open("relationship_summary", &[]);
    out.text("total_symbols", &[], &pack.symbols.len().to_string());
    out.open("by_distance", &[]);
    for (hop, count) in distances {
        out.empty("distance", &[("hop", &hop.to_string()), ("count", &count.to_string())]);
    }
    out.close();
    out.close();
}

/// A document that is being written.
#[derive(Default)]
struct Xml {
    text: String,
    open: Vec<&'static str>,
}

impl Xml {
    fn begin(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let indentation = self.open.len() * 2;
        let _ = write!(self.text, "{:indentation$}<{name}", "");
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escaped(value, true));
        }
    }

    fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let indentation = self.open.len() * 2;
            let _ = writeln!(self.text, "{:indentation$}</{name}>", "");
        }
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.text.push_str("/>\n");
    }

    fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.begin(name, attributes);
        let _ = writeln!(self.text, ">{}</{name}>", escaped(text, false));
    }
}

/// `text` as character data or, with line breaks and tabs written out, as the value of an attribute. What XML cannot hold
/// (control characters) is written as [`printable`] writes it.
fn escaped(text: &str, attribute: bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in printable(text).chars() {
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
