//! Bindings of local names and fields: the name, the value, and the range in which the binding
//! applies.

use super::collector::{Collector, MatchCaptures};
use super::dialects::NamedPart;
use super::expressions::{BoundValue, UNKNOWN};
use super::patterns::Capture;
use super::raw_facts::RawFacts;
use kenning_graph::facts::BindingKind;
use tree_sitter::Node;

/// Maximum length in bytes of the name or the declared type of a binding. Longer texts are
/// generated code.
const MAX_BINDING_BYTES: usize = 200;
/// Maximum number of names in one list of a pattern. The names of a longer list are bound to
/// unknown values.
const MAX_NAMES_PER_LIST: usize = 64;
/// Maximum depth of lists in a pattern such as `a, (b, c)`. Hostile files nest thousands.
const MAX_PATTERN_DEPTH: usize = 4;

/// A binding before its scope is known.
pub(crate) struct RawBinding {
    pub name: String,
    /// The type or path of the value, if known.
    pub value: Option<BoundValue>,
    /// The byte at which the name starts.
    pub at: u32,
    /// The range of bytes in which the binding applies, if that is not the innermost block around
    /// it.
    pub range: Option<(u32, u32)>,
    /// Whether the binding applies from the start of the innermost block around it.
    pub whole_block: bool,
    /// Whether the binding is a field of the enclosing type.
    pub is_member: bool,
    /// Whether the name is the receiver of a method. The method determines its type.
    pub is_receiver: bool,
    /// Whether the binding declares a symbol of this name.
    pub declares: bool,
    /// Whether the binding hides outer bindings of the name even if its value is unknown.
    pub hides: bool,
}

impl Collector<'_> {
    /// Adds the binding of a name that a pattern captured.
    pub(super) fn collect_binding<'t>(
        &self,
        node: Node<'t>,
        is_member: bool,
        captures: MatchCaptures<'_, 't>,
        out: &mut RawFacts,
    ) {
        let expressions = &self.expressions;
        let name = expressions.node_text(node).to_owned();
        if name == "_" || name.is_empty() || name.len() > MAX_BINDING_BYTES {
            return;
        }
        let span = |node: Node| (node.start_byte() as u32, node.end_byte() as u32);
        let range = captures.find_capture(Capture::BindingBlock).map(span).or_else(|| {
            captures.find_capture(Capture::BindingAfter).map(|after| (after.end_byte() as u32, u32::MAX))
        });
        out.bindings.push(RawBinding {
            value: self.value_of_binding(node, captures),
            is_receiver: self.row.receiver_names.contains(&name) && is_first_parameter(node, captures),
            name,
            at: node.start_byte() as u32,
            range,
            whole_block: self.has_setting("whole_block", captures),
            is_member,
            declares: false,
            hides: false,
        });
    }

    fn value_of_binding<'t>(&self, name: Node<'t>, captures: MatchCaptures<'_, 't>) -> Option<BoundValue> {
        let expressions = &self.expressions;
        let type_template = self.find_setting("around", captures);
        if let Some(ty) = self.find_setting("type", captures) {
            return Some(BoundValue::new(ty.to_owned(), BindingKind::Type));
        }
        if let Some(ty) = captures.find_capture(Capture::BindingType) {
            let text = expressions.type_node_text(ty);
            let text = if text == self.row.inferred_type { String::new() } else { text };
            // The annotation of `*args` is the type of each argument.
            let text = type_template.map_or(text.clone(), |template| template.replace('_', &text));
            return (!text.is_empty() && text.len() < MAX_BINDING_BYTES)
                .then_some(BoundValue::new(text, BindingKind::Type));
        }
        // The patterns do not capture a value after a list of names: with many names, matching
        // would take quadratic time.
        for (key, mark) in [("value", ""), ("each", "#each")] {
            if let Some(field) = self.find_setting(key, captures) {
                let (positions, statement) = self.pattern_positions(name, captures)?;
                return self.destructured_component(positions, statement.child_by_field_name(field)?, mark);
            }
        }
        let tracks_value_types = self.row.value_types;
        if let Some(value) = captures.find_capture(Capture::BindingValue) {
            if tracks_value_types {
                return self.destructured_component(self.pattern_positions(name, captures)?.0, value, "");
            }
            return expressions.value_type(value).filter(|value| value.text != "require()");
        }
        if let Some(element) = captures.find_capture(Capture::BindingElement) {
            if tracks_value_types && self.has_setting("alone", captures) {
                let path = expressions.value_type(element)?.into_path();
                return Some(BoundValue::new(format!("{path}#each"), BindingKind::Value));
            }
            if tracks_value_types {
                return self.destructured_component(
                    self.pattern_positions(name, captures)?.0,
                    element,
                    "#each",
                );
            }
            let path = expressions.path_text(element);
            return (path != UNKNOWN).then_some(BoundValue::new(path, BindingKind::Element));
        }
        for (capture, mark) in [(Capture::BindingKey, "#key"), (Capture::BindingEntered, "#enter")] {
            if let Some(value) = captures.find_capture(capture) {
                let path = expressions.value_type(value)?.into_path();
                return Some(BoundValue::new(format!("{path}{mark}"), BindingKind::Value));
            }
        }
        None
    }

    /// Returns the part of a value that a name of a pattern is bound to. A `mark` such as `#each`
    /// selects the part of the value that the pattern destructures.
    fn destructured_component(
        &self,
        mut positions: Vec<(usize, usize)>,
        value: Node,
        mark: &str,
    ) -> Option<BoundValue> {
        let expressions = &self.expressions;
        let mut value = value;
        // In `a, b = f(), g()`, each name has a separate value.
        while mark.is_empty()
            && let Some(&(position, count)) = positions.first()
            && expressions.kinds.kind_flags(value.kind_id()).tuple
        {
            match value.named_child_count() {
                length if length == count => {
                    value = value.named_child(position as u32)?;
                    positions.remove(0);
                }
                1 => {
                    value = value.named_child(0)?;
                    break;
                }
                _ => return None,
            }
        }
        if value.kind() == "expression_list" && positions.is_empty() && value.named_child_count() == 1 {
            value = value.named_child(0)?;
        }
        if mark.is_empty() && !self.grammar.dialect.spreads_value(value) {
            // In `v, ok := m[k]` the value belongs to the first name.
            return if positions.iter().all(|&(position, _)| position == 0) {
                expressions.value_type(value)
            } else {
                None
            };
        }
        if mark.is_empty() && positions.is_empty() {
            return expressions.value_type(value);
        }
        match self.grammar.dialect.part_of_value(value, &positions, mark, expressions) {
            NamedPart::Common => {}
            NamedPart::Unknown => return None,
            NamedPart::Path(path) => return Some(BoundValue::new(path, BindingKind::Value)),
        }
        let mut path = expressions.value_type(value)?.into_path();
        path.push_str(mark);
        for (position, _) in positions {
            path.push('#');
            path.push_str(&position.to_string());
        }
        Some(BoundValue::new(path, BindingKind::Value))
    }

    /// Returns the position of a name in the pattern around it, and the node that holds the
    /// pattern. The position has an entry for each list, outermost first: index and length of the
    /// list.
    fn pattern_positions<'t>(
        &self,
        name: Node<'t>,
        captures: MatchCaptures<'_, 't>,
    ) -> Option<(Vec<(usize, usize)>, Node<'t>)> {
        let mut positions = Vec::new();
        let mut node = name;
        let statement = loop {
            let parent = captures.parent_node(node)?;
            if positions.len() >= MAX_PATTERN_DEPTH {
                return None;
            }
            if !self.expressions.kinds.kind_flags(parent.kind_id()).tuple {
                // Some grammars list the names directly in the statement.
                let is_short = parent.named_child_count() <= MAX_NAMES_PER_LIST;
                let field =
                    self.expressions.kinds.name.filter(|_| is_short).and_then(std::num::NonZeroU16::new);
                if positions.is_empty()
                    && let Some(field) = field
                {
                    let mut cursor = parent.walk();
                    let names: Vec<Node> =
                        parent.children_by_field_id(field, &mut cursor).filter(Node::is_named).collect();
                    if names.len() > 1
                        && let Some(position) = names.iter().position(|other| *other == name)
                    {
                        positions.push((position, names.len()));
                    }
                }
                break parent;
            }
            if parent.named_child_count() > MAX_NAMES_PER_LIST {
                return None;
            }
            let mut cursor = parent.walk();
            let position = parent.named_children(&mut cursor).position(|child| child == node)?;
            positions.push((position, parent.named_child_count()));
            node = parent;
        };
        // A list with one name (`a := f()`) is not a list.
        if let [(0, 1)] = positions[..] {
            positions.clear();
        }
        positions.reverse();
        Some((positions, statement))
    }
}

/// Whether a node is the first in a list of parameters.
fn is_first_parameter<'t>(node: Node<'t>, captures: MatchCaptures<'_, 't>) -> bool {
    captures
        .parent_node(node)
        .is_some_and(|parent| parent.kind() == "parameters" && parent.named_child(0) == Some(node))
}
