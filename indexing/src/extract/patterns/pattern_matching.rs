//! The matcher of patterns: at each node of the walk, it tries only the patterns that begin at the
//! node's kind.
//!
//! The semantics are those of tree-sitter's queries; a test compares the two. A tree-sitter query
//! takes up to half a second to compile, once per grammar, and a third of the parsing time to run.
//! These patterns compile instantly and take a sixth of the parsing time.

use super::pattern_syntax::{CaptureCondition, ChildSlot, NodeShape, Pattern, TextTest};
use crate::bounded_parse::StepBudget;
use crate::extract::STEP_LIMIT;
use crate::extract::children::{self, ChildNode};
use rustc_hash::FxHashSet;
use tree_sitter::{Node, Tree, TreeCursor};

/// A match of a pattern at a node.
#[derive(Clone, Copy)]
pub(crate) struct PatternMatch<'m, 't> {
    /// The index of the pattern.
    pub pattern: usize,
    /// The node that the match begins at.
    pub root: Node<'t>,
    /// The captured nodes with the numbers of their captures, in the order of the pattern.
    pub captures: &'m [(Node<'t>, u16)],
}

/// The patterns of a language, by the kind of node that they begin at.
#[derive(Debug)]
pub(crate) struct PatternIndex {
    by_kind: Vec<KindCandidates>,
}

/// The patterns that may begin at a kind of node.
#[derive(Clone, Debug, Default)]
struct KindCandidates {
    /// The indexes of the patterns, each with the index of the root in it.
    roots: Vec<(u32, u32)>,
    /// Whether one of them inspects children.
    inspects_children: bool,
}

impl PatternIndex {
    pub fn new(patterns: &[Pattern], kinds: usize) -> Self {
        let mut by_kind = vec![KindCandidates::default(); kinds];
        for (number, pattern) in patterns.iter().enumerate() {
            for (root, shape) in pattern.roots.iter().enumerate() {
                if let Some(candidates) = shape.kind.and_then(|kind| by_kind.get_mut(usize::from(kind))) {
                    candidates.roots.push((number as u32, root as u32));
                    candidates.inspects_children |= !shape.children.is_empty();
                }
            }
        }
        Self { by_kind }
    }

    /// Whether a pattern that begins at this kind of node inspects its children.
    pub fn needs_children(&self, kind: u16) -> bool {
        self.by_kind.get(usize::from(kind)).is_some_and(|candidates| candidates.inspects_children)
    }
}

/// Number of visited nodes per step of the budget.
const OPERATIONS_PER_STEP: u64 = 100;

/// Kind of the nodes for text that could not be parsed (`ts_builtin_sym_error`).
const ERROR_KIND: u16 = u16::MAX;

/// Number of operations at one node after which matching stops there. They use up all steps of the
/// file.
const MAX_OPERATIONS_PER_NODE: u64 = OPERATIONS_PER_STEP * STEP_LIMIT;

/// Number of capture lists up to which duplicates are found by comparison. Longer collections use a
/// hash set.
const MAX_COMPARED_LISTS: usize = 16;

/// Lists of captures, stored one after the other.
#[derive(Default)]
struct CaptureLists<'t> {
    captures: Vec<(Node<'t>, u16)>,
    ends: Vec<usize>,
    /// The same lists as a set, once there are many.
    known: FxHashSet<Vec<(Node<'t>, u16)>>,
}

impl<'t> CaptureLists<'t> {
    fn capture_lists(&self) -> impl Iterator<Item = &[(Node<'t>, u16)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.captures[start..end])
    }

    /// Adds a list unless it is known: matches with equal captures are reported once.
    fn push_unique(&mut self, captures: &[(Node<'t>, u16)]) {
        if self.ends.len() == MAX_COMPARED_LISTS {
            self.known = self.capture_lists().map(<[_]>::to_vec).collect();
        }
        let is_new = if self.ends.len() < MAX_COMPARED_LISTS {
            !self.capture_lists().any(|known| known == captures)
        } else {
            self.known.insert(captures.to_vec())
        };
        if is_new {
            self.captures.extend_from_slice(captures);
            self.ends.push(self.captures.len());
        }
    }

    fn clear_lists(&mut self) {
        self.captures.clear();
        self.ends.clear();
        self.known.clear();
    }
}

/// Matches patterns in one tree.
pub(crate) struct PatternMatcher<'p, 't> {
    patterns: &'p [Pattern],
    index: &'p PatternIndex,
    text: &'p [u8],
    cursor: TreeCursor<'t>,
    /// The children of the nodes being visited, innermost last.
    children: Vec<ChildNode<'t>>,
    /// The captures of the partial match.
    captures: Vec<(Node<'t>, u16)>,
    /// The matches of one pattern at one node.
    found: CaptureLists<'t>,
    /// Number of nodes and children visited.
    operations: u64,
}

impl<'p, 't> PatternMatcher<'p, 't> {
    pub fn new(patterns: &'p [Pattern], index: &'p PatternIndex, text: &'p str, tree: &'t Tree) -> Self {
        Self {
            patterns,
            index,
            text: text.as_bytes(),
            cursor: tree.walk(),
            children: Vec::new(),
            captures: Vec::new(),
            found: CaptureLists::default(),
            operations: 0,
        }
    }

    /// Calls `report` for each match that begins at a node with these children, in the order of the
    /// patterns. Returns `None` if the step budget is used up.
    pub fn match_node(
        &mut self,
        node: Node<'t>,
        kind: u16,
        children: &[ChildNode<'t>],
        steps: &StepBudget,
        mut report: impl FnMut(PatternMatch<'_, 't>),
    ) -> Option<()> {
        self.operations += 1;
        while self.operations >= OPERATIONS_PER_STEP {
            self.operations -= OPERATIONS_PER_STEP;
            steps.take_steps(1).continue_value()?;
        }
        let (index, patterns) = (self.index, self.patterns);
        let Some(candidates) = index.by_kind.get(usize::from(kind)) else { return Some(()) };
        if candidates.inspects_children {
            self.children.extend_from_slice(children);
            self.operations += children.len() as u64;
        }
        for &(pattern, root) in &candidates.roots {
            let pattern = pattern as usize;
            self.match_root(&patterns[pattern].roots[root as usize], node);
            let found = std::mem::take(&mut self.found);
            for captures in found.capture_lists() {
                if self.satisfies_conditions(&patterns[pattern].conditions, captures) {
                    report(PatternMatch { pattern, root: node, captures });
                }
            }
            self.found = found;
            self.found.clear_lists();
        }
        self.children.clear();
        Some(())
    }

    /// Finds all ways in which a shape matches a node whose children are on the stack.
    fn match_root(&mut self, shape: &NodeShape, node: Node<'t>) {
        if has_forbidden_field(shape, node) {
            return;
        }
        self.captures.extend(shape.captures.iter().map(|&capture| (node, capture)));
        let end = self.children.len();
        self.match_slots(&shape.children, 0, end, &mut |matcher| {
            matcher.found.push_unique(&matcher.captures);
        });
        self.captures.clear();
    }

    /// Pushes the children of a node on the stack.
    fn push_children(&mut self, node: Node<'t>) {
        let from = self.children.len();
        children::append_children(node, |_| true, &mut self.cursor, &mut self.children);
        self.operations += (self.children.len() - from) as u64;
    }

    /// Calls `then` for each way in which the children in `from..end` fill the slots.
    fn match_slots(&mut self, slots: &[ChildSlot], from: usize, end: usize, then: &mut dyn FnMut(&mut Self)) {
        let Some((slot, rest)) = slots.split_first() else { return then(self) };
        for at in from..end {
            self.operations += 1;
            if self.operations > MAX_OPERATIONS_PER_NODE {
                return;
            }
            let child = self.children[at];
            for option in &slot.options {
                if matches_child_shape(option, child) {
                    self.match_child(option, child.node, &mut |matcher| {
                        matcher.match_slots(rest, at + 1, end, then);
                    });
                }
            }
            if slot.immediate && child.is_named {
                break;
            }
        }
    }

    /// Calls `then` for each way in which a shape matches a child that has the right kind and
    /// field.
    fn match_child(&mut self, shape: &NodeShape, node: Node<'t>, then: &mut dyn FnMut(&mut Self)) {
        if has_forbidden_field(shape, node) {
            return;
        }
        let (captured, from) = (self.captures.len(), self.children.len());
        self.captures.extend(shape.captures.iter().map(|&capture| (node, capture)));
        if shape.children.is_empty() {
            then(self);
        } else {
            self.push_children(node);
            let end = self.children.len();
            self.match_slots(&shape.children, from, end, then);
            self.children.truncate(from);
        }
        self.captures.truncate(captured);
    }

    fn satisfies_conditions(&self, conditions: &[CaptureCondition], captures: &[(Node<'t>, u16)]) -> bool {
        conditions.iter().all(|condition| {
            let mut captured = captures.iter().filter(|(_, capture)| *capture == condition.capture);
            captured.all(|(node, _)| {
                let text = self.text.get(node.byte_range()).unwrap_or_default();
                let succeeds = match &condition.test {
                    TextTest::OneOf(texts) => texts.iter().any(|wanted| wanted.as_bytes() == text),
                    TextTest::Match(regex) => regex.is_match(text),
                };
                succeeds == condition.must_succeed
            })
        })
    }
}

/// Whether kind, field and position of a child match a shape. Does not check the child's own
/// children.
fn matches_child_shape(shape: &NodeShape, child: ChildNode) -> bool {
    shape.kind.map_or(child.is_named && child.kind != ERROR_KIND, |kind| kind == child.kind)
        && shape.field.is_none_or(|field| field == child.field)
        && (!shape.last || child.is_last)
}

/// Whether a node has a field that the shape forbids.
fn has_forbidden_field(shape: &NodeShape, node: Node) -> bool {
    shape.without.iter().any(|&field| node.child_by_field_id(field).is_some())
}
