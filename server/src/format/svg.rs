//! Draws a neighborhood as SVG, in columns: symbols that lead to the requested one are on its left,
//! symbols that it leads to are on its right.
//!
//! The diagram depends only on the graph. It names no font file, runs no script and loads nothing.

use super::graph::{GraphEdgeJson, GraphJson, NodeJson, describe_position};
use kenning_retrieval::pack::escape_control_chars;
use std::cmp::Ordering;
use std::fmt::Write;

/// Height of a box in pixels, like all lengths here.
const BOX_HEIGHT: i32 = 40;

/// Space between two boxes of a column.
const GAP: i32 = 16;

/// Space between two columns.
const COLUMN_GAP: i32 = 110;

/// Space around the diagram.
const MARGIN: i32 = 24;

/// Width of a character of a name, in the fixed-width font.
const NAME_CHAR_WIDTH: f64 = 7.9;

/// Width of a character of a position.
const POSITION_CHAR_WIDTH: f64 = 6.1;

/// Maximum length of a text in a box, in characters. Paths can be far longer.
const MAX_CHARS: usize = 42;

/// Number of rounds in which the boxes of a column are sorted by their neighbors.
const ORDERING_ROUNDS: usize = 4;

/// Style sheet with light and dark colors; the viewer chooses.
const STYLE: &str = "\
.back{fill:#fff}.box{fill:#f6f8fa;stroke:#8c959f}.own{stroke:#0969da;stroke-width:2.5}\
.name{fill:#1f2328;font:13px monospace}.at{fill:#59636e;font:10px monospace}.edge{fill:none;stroke:#8c959f;stroke-width:1.2}\
.maybe{stroke-dasharray:5 4}.kind{fill:#59636e;font:9px sans-serif;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3}.tip{fill:#8c959f}\
@media(prefers-color-scheme:dark){.back{fill:#0d1117}.box{fill:#151b23;stroke:#6e7681}.own{stroke:#4493f8}\
.name{fill:#f0f6fc}.at,.kind{fill:#9198a1}.kind{stroke:#0d1117}.edge{stroke:#6e7681}.tip{fill:#6e7681}}";

/// The position and width of a box.
#[derive(Clone, Copy, Default)]
struct BoxLayout {
    x: i32,
    y: i32,
    width: i32,
}

/// Draws the diagram, ending with a line break.
pub fn draw_graph(graph: &GraphJson<'_>) -> String {
    let columns = layout_columns(graph);
    let (boxes, width, height) = place_boxes(graph, &columns);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">"
    );
    let title = graph.nodes.first().map(|node| node.symbol.qualified_name.as_str()).unwrap_or_default();
    let _ = writeln!(out, "<title>{}</title>", escape_xml(title));
    let _ = writeln!(out, "<style>{STYLE}</style>");
    out.push_str("<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n");
    let _ = writeln!(out, "<rect class=\"back\" width=\"{width}\" height=\"{height}\"/>");
    draw_edges(graph, &boxes, &mut out);
    for (node, layout) in graph.nodes.iter().zip(&boxes) {
        draw_box(node, *layout, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

/// Assigns the nodes to columns, from left to right. A breadth-first search from the requested
/// symbol reaches each node over an edge and puts it one column left of the edge's target or one
/// column right of its source.
fn layout_columns(graph: &GraphJson<'_>) -> Vec<Vec<usize>> {
    let count = graph.nodes.len();
    let mut rank: Vec<Option<i32>> = vec![None; count];
    let mut queue = std::collections::VecDeque::new();
    if count > 0 {
        rank[0] = Some(0);
        queue.push_back(0);
    }
    while let Some(node) = queue.pop_front() {
        let Some(node_rank) = rank[node] else { continue };
        for edge in &graph.edges {
            let (other, other_rank) = match (edge.source == node, edge.target == node) {
                (true, false) => (edge.target, node_rank + 1),
                (false, true) => (edge.source, node_rank - 1),
                _ => continue,
            };
            if rank[other].is_none() {
                rank[other] = Some(other_rank);
                queue.push_back(other);
            }
        }
    }
    let leftmost = rank.iter().flatten().min().copied().unwrap_or(0);
    let rightmost = rank.iter().flatten().max().copied().unwrap_or(0);
    let mut columns = vec![Vec::new(); (rightmost - leftmost + 1) as usize];
    for (node, rank) in rank.iter().enumerate() {
        // A node without a shown edge goes into the column of the requested symbol.
        columns[(rank.unwrap_or(0) - leftmost) as usize].push(node);
    }
    for _ in 0..ORDERING_ROUNDS {
        order_columns(graph, &mut columns);
    }
    columns
}

/// Sorts the boxes of each column by the mean position of their neighbors, so that fewer edges
/// cross.
fn order_columns(graph: &GraphJson<'_>, columns: &mut [Vec<usize>]) {
    let mut positions = vec![0.0; graph.nodes.len()];
    let record_positions = |column: &[usize], positions: &mut Vec<f64>| {
        for (index, &node) in column.iter().enumerate() {
            positions[node] = (index as f64 + 0.5) / column.len() as f64;
        }
    };
    for column in columns.iter() {
        record_positions(column, &mut positions);
    }
    for column in columns.iter_mut() {
        let mean = |node: usize| {
            let (mut sum, mut count) = (0.0, 0.0);
            for edge in &graph.edges {
                let other = match (edge.source == node, edge.target == node) {
                    (true, false) => edge.target,
                    (false, true) => edge.source,
                    _ => continue,
                };
                sum += positions[other];
                count += 1.0;
            }
            if count > 0.0 { sum / count } else { positions[node] }
        };
        let mut keyed: Vec<(f64, usize)> = column.iter().map(|&node| (mean(node), node)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        *column = keyed.into_iter().map(|(_, node)| node).collect();
        record_positions(column, &mut positions);
    }
}

/// Computes the position of each box, and the width and height of the diagram.
fn place_boxes(graph: &GraphJson<'_>, columns: &[Vec<usize>]) -> (Vec<BoxLayout>, i32, i32) {
    let mut boxes = vec![BoxLayout::default(); graph.nodes.len()];
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0) as i32;
    let height = (tallest * (BOX_HEIGHT + GAP) - GAP).max(0) + 2 * MARGIN;
    let mut x = MARGIN;
    for column in columns {
        let width = column.iter().map(|&node| box_width(&graph.nodes[node])).max().unwrap_or(0);
        let column_height = column.len() as i32 * (BOX_HEIGHT + GAP) - GAP;
        let mut y = (height - column_height) / 2;
        for &node in column {
            boxes[node] = BoxLayout { x, y, width };
            y += BOX_HEIGHT + GAP;
        }
        x += width + COLUMN_GAP;
    }
    // Edges between two boxes of the last column bend out to the right.
    let last = columns.last().map_or(&[][..], Vec::as_slice);
    let bends = graph.edges.iter().any(|edge| last.contains(&edge.source) && last.contains(&edge.target));
    let right = if bends { COLUMN_GAP / 2 } else { MARGIN };
    (boxes, (x - COLUMN_GAP).max(0) + right, height)
}

fn box_width(node: &NodeJson) -> i32 {
    let chars = |text: &str| shorten_text(text).chars().count() as f64;
    let name = chars(&node.symbol.name) * NAME_CHAR_WIDTH;
    let position = chars(&describe_position(&node.symbol)) * POSITION_CHAR_WIDTH;
    (name.max(position)).ceil() as i32 + 20
}

fn draw_edges(graph: &GraphJson<'_>, boxes: &[BoxLayout], out: &mut String) {
    for (number, edge) in graph.edges.iter().enumerate() {
        let (from, to) = (boxes[edge.source], boxes[edge.target]);
        // Edges between the same two boxes are drawn side by side.
        let before = graph.edges[..number].iter();
        let parallel_edges = before.filter(|earlier| have_same_ends(earlier, edge)).count() as i32;
        let shift = parallel_edges * 9;
        let (y1, y2) = (from.y + BOX_HEIGHT / 2 + shift, to.y + BOX_HEIGHT / 2 + shift);
        let bend = COLUMN_GAP / 2;
        let (x1, x2, bend1, bend2) = match from.x.cmp(&to.x) {
            Ordering::Less => (from.x + from.width, to.x, bend, -bend),
            Ordering::Greater => (from.x, to.x + to.width, -bend, bend),
            Ordering::Equal => (from.x + from.width, to.x + to.width, bend, bend),
        };
        let maybe_class = if edge.ambiguous { " maybe" } else { "" };
        let _ = writeln!(
            out,
            "<path class=\"edge{maybe_class}\" d=\"M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}\" marker-end=\"url(#tip)\"/>",
            x1 + bend1,
            x2 + bend2
        );
        // The label is at the middle of the curve.
        let x = (x1 + 3 * (x1 + bend1) + 3 * (x2 + bend2) + x2) / 8;
        let _ = writeln!(
            out,
            "<text class=\"kind\" x=\"{x}\" y=\"{}\">{}</text>",
            i32::midpoint(y1, y2) - 3,
            escape_xml(&edge.kind.replace('_', " "))
        );
    }
}

/// Whether two edges connect the same nodes, in either direction.
fn have_same_ends(first: &GraphEdgeJson, second: &GraphEdgeJson) -> bool {
    let ends = (first.source, first.target);
    ends == (second.source, second.target) || ends == (second.target, second.source)
}

fn draw_box(node: &NodeJson, layout: BoxLayout, out: &mut String) {
    let own_class = if node.distance == 0 { " own" } else { "" };
    let BoxLayout { x, y, width } = layout;
    let symbol = &node.symbol;
    let _ = writeln!(
        out,
        "<g><title>{} ({})</title><rect class=\"box{own_class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/><text class=\"name\" x=\"{}\" y=\"{}\">{}</text><text class=\"at\" x=\"{}\" y=\"{}\">{}</text></g>",
        escape_xml(&symbol.qualified_name),
        escape_xml(symbol.kind),
        x + 10,
        y + 17,
        escape_xml(&shorten_text(&symbol.name)),
        x + 10,
        y + 31,
        escape_xml(&shorten_text(&describe_position(symbol)))
    );
}

/// Shortens a long text to its end, which is the most informative part of a path or a qualified
/// name.
fn shorten_text(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_CHARS {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(count - MAX_CHARS + 1)).collect()
}

/// Escapes a text for XML, safe to print. Drops the characters that XML cannot represent.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape_control_chars(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
