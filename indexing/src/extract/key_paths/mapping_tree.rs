//! Reads nested mappings: the entries, items and scalars in a syntax tree of YAML, which includes
//! JSON.

use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::name_span;
use kenning_graph::facts::NameSpan;
use tree_sitter::Node;

/// A key or a single value.
#[derive(Clone, Copy)]
pub(super) struct ScalarText<'x> {
    /// The content, without quotes.
    pub text: &'x str,
    /// The position of the content.
    pub at: NameSpan,
}

impl<'x> ScalarText<'x> {
    /// Whether the content can be a name: one line, not empty, at most 200 bytes, and without
    /// template expressions or variables.
    pub fn is_name(&self) -> bool {
        !self.text.is_empty() && self.text.len() <= 200 && !self.is_computed() && !self.text.contains('\n')
    }

    /// Whether the content has template expressions or variables, so that its value is unknown.
    pub fn is_computed(&self) -> bool {
        ["{{", "${", "$(", "<%"].iter().any(|open| self.text.contains(open)) || self.text.starts_with('$')
    }

    /// Returns a part of the content with its position. `part` must be a part of the content.
    pub fn narrow_to(&self, part: &'x str) -> Self {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..offset).unwrap_or("");
        let (lines, line_start) = (before.matches('\n').count() as u32, before.rfind('\n'));
        let column = match line_start {
            Some(start) => (offset - start - 1) as u32,
            None => self.at.column + offset as u32,
        };
        let at = NameSpan {
            start: self.at.start + offset as u32,
            len: part.len() as u32,
            line: self.at.line + lines,
            column,
        };
        Self { text: part, at }
    }
}

/// Returns the mapping, list or scalar inside a node, without its anchor and tag.
pub(super) fn unwrap_content(node: Node) -> Option<Node> {
    let mut node = node;
    while matches!(node.kind(), "document" | "block_node" | "flow_node") {
        let mut cursor = node.walk();
        let mut children = node.named_children(&mut cursor);
        node = children.find(|child| {
            !matches!(child.kind(), "anchor" | "tag" | "comment") && !child.kind().ends_with("_directive")
        })?;
    }
    Some(node)
}

/// Returns the entries of a mapping: the pair, its key, and the content of its value.
pub(super) fn mapping_entries(mapping: Node<'_>) -> Vec<(Node<'_>, Node<'_>, Option<Node<'_>>)> {
    if !matches!(mapping.kind(), "block_mapping" | "flow_mapping") {
        return Vec::new();
    }
    let mut cursor = mapping.walk();
    let pairs = mapping.named_children(&mut cursor);
    pairs
        .filter(|pair| matches!(pair.kind(), "block_mapping_pair" | "flow_pair"))
        .filter_map(|pair| {
            let key = unwrap_content(pair.child_by_field_name("key")?)?;
            Some((pair, key, pair.child_by_field_name("value").and_then(unwrap_content)))
        })
        .collect()
}

/// Returns the contents of the items of a list.
pub(super) fn list_items(list: Node) -> Vec<Node> {
    if !matches!(list.kind(), "block_sequence" | "flow_sequence") {
        return Vec::new();
    }
    let mut cursor = list.walk();
    let items = list.named_children(&mut cursor).filter_map(|item| match item.kind() {
        "block_sequence_item" => {
            let mut cursor = item.walk();
            let mut inner = item.named_children(&mut cursor);
            inner.find(|node| matches!(node.kind(), "block_node" | "flow_node")).and_then(unwrap_content)
        }
        "flow_node" => unwrap_content(item),
        _ => None,
    });
    items.collect()
}

/// Returns the content of a scalar node. Returns `None` for other nodes.
pub(super) fn read_scalar<'x>(node: Node, expressions: &ExpressionReader<'x>) -> Option<ScalarText<'x>> {
    let whole = ScalarText { text: expressions.node_text(node), at: name_span(node) };
    match node.kind() {
        "plain_scalar" => Some(whole),
        "double_quote_scalar" | "single_quote_scalar" => {
            let text = whole.text.get(1..)?;
            Some(whole.narrow_to(text.strip_suffix(['"', '\'']).unwrap_or(text)))
        }
        // The first line is the header, which says how the others are folded.
        "block_scalar" => {
            let (_, text) = whole.text.split_once('\n')?;
            Some(whole.narrow_to(text))
        }
        _ => None,
    }
}

/// Returns the scalars of a value: the value itself, or the items of a list.
pub(super) fn read_scalars<'x>(value: Node, expressions: &ExpressionReader<'x>) -> Vec<ScalarText<'x>> {
    match read_scalar(value, expressions) {
        Some(scalar) => vec![scalar],
        None => list_items(value).into_iter().filter_map(|item| read_scalar(item, expressions)).collect(),
    }
}

/// Returns the scalars at a path of keys from a node. `[]` in the path stands for each list item.
pub(super) fn scalars_at<'x>(
    from: Node,
    path: &str,
    expressions: &ExpressionReader<'x>,
) -> Vec<ScalarText<'x>> {
    let mut nodes = vec![from];
    for part in path.split('/') {
        nodes = nodes
            .into_iter()
            .flat_map(|node| match part {
                "[]" => list_items(node),
                key => {
                    let is_wanted =
                        |node| read_scalar(node, expressions).is_some_and(|scalar| scalar.text == key);
                    let found = mapping_entries(node).into_iter().filter(|(_, key, _)| is_wanted(*key));
                    found.filter_map(|(_, _, value)| value).collect()
                }
            })
            .collect();
    }
    nodes.into_iter().flat_map(|node| read_scalars(node, expressions)).collect()
}

/// Replaces template expressions in double braces: by spaces if they take up whole lines, else by
/// letters. Every other byte stays in its place. Returns `None` if there are no such expressions.
pub(crate) fn blank_template_expressions(text: &str) -> Option<String> {
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(open) = text[at..].find("{{").map(|found| at + found) {
        let close = text[open..].find("}}").map_or(text.len(), |end| open + end + 2);
        at = close;
        let line_start = text[..open].rfind('\n').map_or(0, |end| end + 1);
        let line_end = text[close..].find('\n').map_or(text.len(), |end| close + end);
        let bytes = out.get_or_insert_with(|| text.as_bytes().to_vec());
        let is_blank = |range: &[u8]| range.iter().all(u8::is_ascii_whitespace);
        let is_alone = is_blank(&bytes[line_start..open]) && is_blank(&text.as_bytes()[close..line_end]);
        let filler = if is_alone { b' ' } else { b'x' };
        for byte in bytes[open..close].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = filler;
        }
    }
    // Expressions begin and end at ASCII characters, so the result is UTF-8.
    String::from_utf8(out?).ok()
}
