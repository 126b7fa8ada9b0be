//! Bindings of local names and fields: the name, the value, and the range in which the binding
//! applies.

use super::collector::{Collector, MatchCaptures};
use super::dialects::NamedPart;
use super::expressions::{UNKNOWN, value_as_path};
use super::patterns::Capture;
use super::raw_facts::RawFacts;
use kenning_graph::facts::BindingKind;
use tree_sitter::Node;

/// Maximum number of names in one list of a pattern. The names of a longer list are bound to
/// unknown values.
const MAX_NAMES: usize = 64;
/// Maximum nesting of names in a pattern such as `a, (b, c)`.
const MAX_NESTING: usize = 4;

/// A binding before its scope is known.
pub(crate) struct RawBinding {
    pub name: String,
    pub value: Option<(String, BindingKind)>,
    pub at: u32,
    /// The range of bytes in which it applies, if that is not the innermost block around it.
    pub holds: Option<(u32, u32)>,
    /// Whether it applies from the start of the innermost block around it.
    pub whole_block: bool,
    /// Whether it binds a field of the enclosing type.
    pub member: bool,
    /// Whether it is the receiver of a method, whose type the method determines.
    pub receiver: bool,
    /// Whether it is the name of a symbol that is declared here.
    pub declares: bool,
    /// Whether it hides outer bindings of the name even if its value is unknown.
    pub hides: bool,
}

impl Collector<'_> {
    pub(super) fn collect_binding<'t>(
        &self,
        node: Node<'t>,
        member: bool,
        captures: MatchCaptures<'_, 't>,
        out: &mut RawFacts,
    ) {
        let x = &self.expressions;
        let name = x.node_text(node).to_owned();
        if name == "_" || name.is_empty() || name.len() > 200 {
            return;
        }
        let span = |n: Node| (n.start_byte() as u32, n.end_byte() as u32);
        let holds = captures.find_capture(Capture::BindingBlock).map(span).or_else(|| {
            captures.find_capture(Capture::BindingAfter).map(|n| (n.end_byte() as u32, u32::MAX))
        });
        out.bindings.push(RawBinding {
            value: self.value_of_binding(node, captures),
            receiver: self.row.receiver_names.contains(&name) && is_first_parameter(node, captures),
            name,
            at: node.start_byte() as u32,
            holds,
            whole_block: self.has_setting("whole_block", captures),
            member,
            declares: false,
            hides: false,
        });
    }

    fn value_of_binding<'t>(
        &self,
        name: Node<'t>,
        captures: MatchCaptures<'_, 't>,
    ) -> Option<(String, BindingKind)> {
        let x = &self.expressions;
        let around = self.find_setting("around", captures);
        if let Some(ty) = self.find_setting("type", captures) {
            return Some((ty.to_owned(), BindingKind::Type));
        }
        if let Some(ty) = captures.find_capture(Capture::BindingType) {
            let text = x.type_node_text(ty);
            let text = if text == "var" || text == "auto" { String::new() } else { text };
            // The annotation of `*args` is the type of each argument.
            let text = around.map_or(text.clone(), |around| around.replace('_', &text));
            return (!text.is_empty() && text.len() < 200).then_some((text, BindingKind::Type));
        }
        // A value after a list of names is not captured: with many names that takes quadratic time.
        for (key, mark) in [("value", ""), ("each", "#each")] {
            if let Some(field) = self.find_setting(key, captures) {
                let (places, statement) = self.pattern_positions(name, captures)?;
                return self.destructured_component(places, statement.child_by_field_name(field)?, mark);
            }
        }
        let rich = self.row.value_types;
        if let Some(value) = captures.find_capture(Capture::BindingValue) {
            if rich {
                return self.destructured_component(self.pattern_positions(name, captures)?.0, value, "");
            }
            return x.value_type(value).filter(|(value, _)| value != "require()");
        }
        if let Some(element) = captures.find_capture(Capture::BindingElement) {
            if rich && self.has_setting("alone", captures) {
                return Some((format!("{}#each", value_as_path(x.value_type(element)?)), BindingKind::Value));
            }
            if rich {
                return self.destructured_component(
                    self.pattern_positions(name, captures)?.0,
                    element,
                    "#each",
                );
            }
            let path = x.path_text(element);
            return (path != UNKNOWN).then_some((path, BindingKind::Element));
        }
        for (capture, mark) in [(Capture::BindingKey, "#key"), (Capture::BindingEntered, "#enter")] {
            if let Some(value) = captures.find_capture(capture) {
                let path = value_as_path(x.value_type(value)?);
                return Some((format!("{path}{mark}"), BindingKind::Value));
            }
        }
        None
    }

    /// Returns the part of a value that a name of a pattern is bound to. `mark` says what is taken
    /// from the value first.
    fn destructured_component(
        &self,
        mut places: Vec<(usize, usize)>,
        value: Node,
        mark: &str,
    ) -> Option<(String, BindingKind)> {
        let x = &self.expressions;
        let mut value = value;
        // In `a, b = f(), g()` each name has a value of its own.
        while mark.is_empty()
            && let Some(&(place, count)) = places.first()
            && x.kinds.kind_flags(value.kind_id()).tuple
        {
            match value.named_child_count() {
                listed if listed == count => {
                    value = value.named_child(place as u32)?;
                    places.remove(0);
                }
                1 => {
                    value = value.named_child(0)?;
                    break;
                }
                _ => return None,
            }
        }
        if value.kind() == "expression_list" && places.is_empty() && value.named_child_count() == 1 {
            value = value.named_child(0)?;
        }
        if mark.is_empty() && !self.grammar.dialect.spreads_value(value) {
            // In `v, ok := m[k]` the value belongs to the first name.
            return if places.iter().all(|&(place, _)| place == 0) { x.value_type(value) } else { None };
        }
        if mark.is_empty() && places.is_empty() {
            return x.value_type(value);
        }
        match self.grammar.dialect.part_of_value(value, &places, mark, x) {
            NamedPart::Common => {}
            NamedPart::Unknown => return None,
            NamedPart::Path(path) => return Some((path, BindingKind::Value)),
        }
        let mut path = value_as_path(x.value_type(value)?);
        path.push_str(mark);
        for (place, _) in places {
            path.push('#');
            path.push_str(&place.to_string());
        }
        Some((path, BindingKind::Value))
    }

    /// Returns the position of a name in the pattern around it, and the node that holds the
    /// pattern. The position has an entry for each list, outermost first: index and length of the
    /// list.
    fn pattern_positions<'t>(
        &self,
        name: Node<'t>,
        captures: MatchCaptures<'_, 't>,
    ) -> Option<(Vec<(usize, usize)>, Node<'t>)> {
        let mut places = Vec::new();
        let mut node = name;
        let statement = loop {
            let parent = captures.parent_node(node)?;
            if places.len() >= MAX_NESTING {
                return None;
            }
            if !self.expressions.kinds.kind_flags(parent.kind_id()).tuple {
                // Some grammars list the names in the statement itself.
                let few = parent.named_child_count() <= MAX_NAMES;
                let field = self.expressions.kinds.name.filter(|_| few).and_then(std::num::NonZeroU16::new);
                if places.is_empty()
                    && let Some(field) = field
                {
                    let mut cursor = parent.walk();
                    let names: Vec<Node> =
                        parent.children_by_field_id(field, &mut cursor).filter(Node::is_named).collect();
                    if names.len() > 1
                        && let Some(place) = names.iter().position(|n| *n == name)
                    {
                        places.push((place, names.len()));
                    }
                }
                break parent;
            }
            if parent.named_child_count() > MAX_NAMES {
                return None;
            }
            let mut cursor = parent.walk();
            let place = parent.named_children(&mut cursor).position(|child| child == node)?;
            places.push((place, parent.named_child_count()));
            node = parent;
        };
        // A list with one name (`a := f()`) is not a list.
        if let [(0, 1)] = places[..] {
            places.clear();
        }
        places.reverse();
        Some((places, statement))
    }
}

/// Whether a node is the first in a list of parameters.
fn is_first_parameter<'t>(node: Node<'t>, captures: MatchCaptures<'_, 't>) -> bool {
    captures
        .parent_node(node)
        .is_some_and(|parent| parent.kind() == "parameters" && parent.named_child(0) == Some(node))
}
