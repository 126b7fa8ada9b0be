//! The XML form of a pack for agents, in groups, and of the difference between two packs. The
//! writer escapes every text from outside. Data that only explains the ranking is absent unless the
//! request asks for it.

use super::codec::{PackCodec, PackView, RenderedPack, shows_signature};
use super::delta::{EdgeEnds, PackDelta};
use super::first_symbols::first_symbols;
use super::groups::{GROUPS, members_of_group};
use super::json::shown_hash;
use super::ripple;
use super::sent_pack::SentPack;
use super::wording::no_match_statement;
use kenning_graph::Hash;
use kenning_retrieval::pack::escape_control_chars;
use kenning_retrieval::{Pack, PackEdge, PackGroup, PackSymbol};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The codec of XML.
pub struct XmlCodec;

impl PackCodec for XmlCodec {
    fn render_pack(&self, view: &PackView<'_>) -> Result<RenderedPack, serde_json::Error> {
        Ok(RenderedPack::Text(render_pack(view)))
    }

    fn render_delta(&self, delta: &PackDelta<'_>) -> Result<Option<RenderedPack>, serde_json::Error> {
        Ok(Some(RenderedPack::Text(render_delta(delta))))
    }

    fn render_unchanged(
        &self,
        pack: &SentPack,
        view: &PackView<'_>,
    ) -> Result<Option<RenderedPack>, serde_json::Error> {
        let mut out = XmlWriter::default();
        let symbols = pack.symbols.len().to_string();
        let root = shown_id(&pack.root, view);
        out.open_element("unchanged", &[("pack_root", &root), ("symbols", &symbols)]);
        write_freshness(&mut out, view);
        out.close_element();
        Ok(Some(RenderedPack::Text(out.text)))
    }
}

/// Returns the element of a group.
const fn group_element(group: PackGroup) -> &'static str {
    match group {
        PackGroup::Pinned => "pinned_symbols",
        PackGroup::Subject => "target_symbols",
        PackGroup::Related => "related_symbols",
        PackGroup::Tests => "test_symbols",
        PackGroup::Documentation => "documentation",
    }
}

/// Returns a stored id or root as an answer shows it.
fn shown_id(hex: &str, view: &PackView<'_>) -> String {
    Hash::from_hex(hex).map(|hash| shown_hash(&hash, view.explain)).unwrap_or_default()
}

/// Renders the pack as an XML document, ending with a line break. The text contains no time, so
/// that equal packs give equal bytes.
fn render_pack(view: &PackView<'_>) -> String {
    let (answer, pack) = (view.answer, &view.answer.pack);
    let mut out = XmlWriter::default();
    let (used, budget) = (pack.tokens_used.to_string(), pack.budget.to_string());
    let pack_root = shown_hash(&pack.pack_root, view.explain);
    let (source_root, snapshot) = (pack.source_root.to_hex(), answer.snapshot.to_hex());
    let mut root = vec![("tokens_used", used.as_str()), ("token_budget", &budget), ("pack_root", &pack_root)];
    if view.explain {
        root.extend([("source_root", source_root.as_str()), ("snapshot", &snapshot)]);
    }
    let probability = pack.confidence.map(|found| format!("{:.2}", found.probability)).unwrap_or_default();
    if let Some(found) = pack.confidence {
        root.extend([("confidence", found.level.as_str()), ("probability", &probability)]);
    }
    out.open_element("context", &root);
    out.write_text_element("task", &[], &answer.subject);
    if let Some(statement) = no_match_statement(pack) {
        out.write_text_element("statement", &[], statement);
    }
    write_freshness(&mut out, view);
    write_changed_files(&mut out, view);
    for file in ripple::describe_files(&answer.ripple) {
        let reasons = file.reasons.join(", ");
        out.write_empty_element("likely_file", &[("path", &file.file), ("reasons", &reasons)]);
    }
    for path in &pack.unknown_files {
        out.write_empty_element("unknown_file", &[("path", path)]);
    }
    write_first_symbols(&mut out, pack);
    for group in GROUPS {
        write_symbols(&mut out, group_element(group), &members_of_group(pack, group), view);
    }
    write_documents(&mut out, view);
    if view.explain {
        pack.edges.iter().for_each(|edge| write_edge(&mut out, edge));
    } else {
        let by_number = pack
            .edges
            .iter()
            .map(|edge| (edge.kind.as_str(), format!("{}-{}", edge.source + 1, edge.target + 1)));
        write_edge_lists(&mut out, "edges", by_number);
    }
    for (reason, count) in &pack.omitted_counts {
        out.write_empty_element("omitted", &[("reason", reason), ("count", &count.to_string())]);
    }
    if view.explain {
        write_summary(&mut out, pack);
    }
    out.close_element();
    out.text
}

/// Renders the difference between two packs as an XML document.
fn render_delta(delta: &PackDelta<'_>) -> String {
    let view = &delta.view;
    let pack = &view.answer.pack;
    let mut out = XmlWriter::default();
    let (used, budget) = (pack.tokens_used.to_string(), pack.budget.to_string());
    let attributes = [
        ("base_root", shown_id(&delta.base.root, view)),
        ("pack_root", shown_id(&delta.current.root, view)),
        ("tokens_used", used),
        ("token_budget", budget),
    ];
    let attributes: Vec<(&str, &str)> =
        attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
    out.open_element("context_delta", &attributes);
    write_freshness(&mut out, view);
    write_changed_files(&mut out, view);
    for symbol in &delta.removed {
        out.write_empty_element("removed", &[("id", &shown_id(&symbol.id, view)), ("name", &symbol.name)]);
    }
    write_symbols(&mut out, "added", &delta.added, view);
    write_symbols(&mut out, "changed", &delta.changed, view);
    for symbol in delta.moved.iter().filter_map(|&at| pack.symbols.get(at)) {
        let attributes = [
            ("id", shown_hash(&symbol.id, view.explain)),
            ("at", render_position(symbol)),
            ("end_line", symbol.end_line.to_string()),
        ];
        let attributes = attributes.each_ref().map(|(name, value)| (*name, value.as_str()));
        out.write_empty_element("moved", &attributes);
    }
    if delta.is_reordered {
        let ids: Vec<String> =
            delta.current.symbols.iter().map(|symbol| shown_id(&symbol.id, view)).collect();
        out.write_text_element("order", &[], &ids.join(" "));
    }
    if delta.has_other_documents && pack.documents.is_empty() {
        out.write_empty_element(group_element(PackGroup::Documentation), &[]);
    } else if delta.has_other_documents {
        write_documents(&mut out, view);
    }
    for (element, edges) in [("edges_removed", &delta.edges_removed), ("edges_added", &delta.edges_added)] {
        let by_id = edges.iter().map(|EdgeEnds { source, target, kind }| {
            (*kind, format!("{}-{}", shown_id(&source.id, view), shown_id(&target.id, view)))
        });
        write_edge_lists(&mut out, element, by_id);
    }
    out.close_element();
    out.text
}

fn write_freshness(out: &mut XmlWriter, view: &PackView<'_>) {
    if let Some(line) = view.freshness.render_line() {
        out.write_text_element("freshness", &[], &line);
    }
}

fn write_changed_files(out: &mut XmlWriter, view: &PackView<'_>) {
    for file in view.answer.change.iter().flat_map(|change| &change.change_set.files) {
        out.write_empty_element("changed_file", &[("path", &file.path), ("status", file.status.as_str())]);
    }
}

/// Writes the list of the first symbols, at which a reader starts.
fn write_first_symbols(out: &mut XmlWriter, pack: &Pack) {
    for (at, (symbol, first)) in first_symbols(pack).enumerate() {
        let (rank, likelihood) = ((at + 1).to_string(), format!("{:.2}", first.likelihood));
        let place = render_position(symbol);
        let attributes = [
            ("rank", rank.as_str()),
            ("at", &place),
            ("name", &symbol.name),
            ("likelihood", &likelihood),
            ("reason", &first.reason),
        ];
        out.write_empty_element("start_here", &attributes);
    }
}

/// Writes an element with the symbols at these indices; nothing without symbols.
fn write_symbols(out: &mut XmlWriter, element: &'static str, indices: &[usize], view: &PackView<'_>) {
    if indices.is_empty() {
        return;
    }
    out.open_element(element, &[]);
    for &at in indices {
        if let Some(symbol) = view.answer.pack.symbols.get(at) {
            write_symbol(out, at + 1, symbol, view.explain);
        }
    }
    out.close_element();
}

/// Writes an element with the sections of documents; nothing without any.
fn write_documents(out: &mut XmlWriter, view: &PackView<'_>) {
    let documents = &view.answer.pack.documents;
    if documents.is_empty() {
        return;
    }
    out.open_element(group_element(PackGroup::Documentation), &[]);
    for (at, section) in documents.iter().enumerate() {
        write_symbol(out, at + 1, section, view.explain);
    }
    out.close_element();
}

fn render_position(symbol: &PackSymbol) -> String {
    format!("{}:{}", symbol.file, symbol.line)
}

/// Writes a symbol. Edges refer to its number.
fn write_symbol(out: &mut XmlWriter, number: usize, symbol: &PackSymbol, explain: bool) {
    let common = [
        ("n", number.to_string()),
        ("name", symbol.name.clone()),
        ("kind", symbol.kind.to_string()),
        ("at", render_position(symbol)),
        ("end_line", symbol.end_line.to_string()),
        ("detail", symbol.detail.as_str().to_owned()),
        ("id", shown_hash(&symbol.id, explain)),
    ];
    let mut attributes = common.to_vec();
    attributes.extend(symbol.rank.map(|rank| ("rank", rank.to_string())));
    if explain {
        attributes.extend([
            ("language", symbol.language.clone()),
            ("score", format!("{:.4}", symbol.score)),
            ("confidence", format!("{:.2}", symbol.confidence)),
            ("provenance", symbol.provenance.to_string()),
            ("distance", symbol.distance.to_string()),
            ("tokens", symbol.tokens.to_string()),
            ("channels", symbol.channels.join(" ")),
        ]);
    }
    let attributes: Vec<(&str, &str)> =
        attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let shows_signature = shows_signature(symbol, explain);
    let signature = Some(&symbol.signature).filter(|text| shows_signature && !text.is_empty());
    let doc = Some(&symbol.doc).filter(|text| shows_signature && !text.is_empty());
    let components: &[_] = if explain { &symbol.components } else { &[] };
    if signature.is_none() && doc.is_none() && components.is_empty() && symbol.text.is_none() {
        out.write_empty_element("symbol", &attributes);
        return;
    }
    out.open_element("symbol", &attributes);
    for (element, text) in [("signature", signature), ("doc", doc)] {
        if let Some(text) = text {
            out.write_text_element(element, &[], text);
        }
    }
    for component in components {
        let value = format!("{:.4}", component.value);
        out.write_empty_element("component", &[("name", component.name), ("value", &value)]);
    }
    if let Some(text) = &symbol.text {
        out.write_text_element("text", &[("first_line", &symbol.text_line.to_string())], text);
    }
    out.close_element();
}

/// Writes one element for each kind of edge, with the ends of each edge:
/// `<edges kind="calls">1-2 1-5</edges>`. An edge is its kind and its ends as written.
fn write_edge_lists<'a>(
    out: &mut XmlWriter,
    element: &'static str,
    edges: impl Iterator<Item = (&'a str, String)>,
) {
    let mut by_kind: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (kind, ends) in edges {
        by_kind.entry(kind).or_default().push(ends);
    }
    for (kind, ends) in by_kind {
        out.write_text_element(element, &[("kind", kind)], &ends.join(" "));
    }
}

/// Writes an edge with its evidence; its ends are numbers of symbols.
fn write_edge(out: &mut XmlWriter, edge: &PackEdge) {
    let PackEdge { source, target, kind, provenance, confidence } = edge;
    let (source, target) = ((source + 1).to_string(), (target + 1).to_string());
    let confidence = format!("{confidence:.2}");
    let attributes = [
        ("source", source.as_str()),
        ("target", &target),
        ("kind", kind.as_str()),
        ("provenance", provenance.as_str()),
        ("confidence", &confidence),
    ];
    out.write_empty_element("edge", &attributes);
}

/// Writes the number of symbols at each distance.
fn write_summary(out: &mut XmlWriter, pack: &Pack) {
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
    /// The names of the open elements, outermost first.
    open: Vec<&'static str>,
}

impl XmlWriter {
    fn begin_tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let indentation = self.open.len() * 2;
        let _ = write!(self.text, "{:indentation$}<{name}", "");
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escape_text(value, TextPlace::Attribute));
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
        let _ = writeln!(self.text, ">{}</{name}>", escape_text(text, TextPlace::Content));
    }
}

/// The place of a text in XML.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextPlace {
    /// The content of an element.
    Content,
    /// The value of an attribute.
    Attribute,
}

/// Escapes `text` for its place in XML. In attributes, line breaks and tabs are also escaped.
/// Control characters that XML cannot represent become the escapes of [`escape_control_chars`].
fn escape_text(text: &str, place: TextPlace) -> String {
    let is_attribute = place == TextPlace::Attribute;
    let mut out = String::with_capacity(text.len() + 16);
    for c in escape_control_chars(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_attribute => out.push_str("&quot;"),
            '\n' | '\t' | '\r' if is_attribute => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}
