//! The walk over a syntax tree. One pass collects words, comments, code tokens, calls, decorations,
//! blocks, and the wrappers of declarations, and calls a function for each node (which matches the
//! patterns).
//!
//! Below a string or a comment, the walk reads only the calls in interpolated strings.

use super::children::{self, ChildNode};
use super::sketches::{self, SketchToken};
use crate::languages::{KindFlags, KindTable};
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

/// The class of a leaf's words in the text index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    Code,
    String,
    Comment,
}

/// A leaf that contains words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLeaf {
    pub start: u32,
    pub end: u32,
    pub kind: LeafKind,
}

/// A node that encloses a declaration and is part of its span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclarationWrapper {
    /// Node id of the wrapper.
    pub id: usize,
    pub start: u32,
    pub end: u32,
    /// First byte of the wrapper's first child of the declaration's kind. All declarations share
    /// the text before it.
    pub shared_end: u32,
    /// Whether the wrapper contains only this declaration.
    pub sole: bool,
}

/// An identifier of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScannedName {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// 0-based line.
    pub line: u32,
    /// 0-based column in bytes.
    pub column: u32,
}

/// The result of the walk.
#[derive(Default)]
pub(crate) struct TreeScan<'t> {
    /// The leaves with words, in the order of the text.
    pub words: Vec<TextLeaf>,
    /// Tokens of the code, in the order of the text.
    pub tokens: Vec<SketchToken>,
    /// End (without trailing whitespace) to start of every comment.
    pub comments: FxHashMap<u32, u32>,
    /// End to start of every outermost decorator, annotation or attribute.
    pub decorations: FxHashMap<u32, u32>,
    /// The decorations as `(start, end)`, in the order of the text.
    pub decoration_list: Vec<(u32, u32)>,
    /// Calls and decorations in the order of the text, including those in interpolated strings.
    pub sites: Vec<Node<'t>>,
    /// The identifiers that may be read as values.
    pub names: Vec<ScannedName>,
    /// The wrapper of each declaration, by the declaration's node id.
    pub wrappers: FxHashMap<usize, DeclarationWrapper>,
    /// `(start, end, index of the enclosing block)` of the blocks that bind names, in the order of
    /// the text.
    blocks: Vec<(u32, u32, usize)>,
}

/// A wrapper whose children are being visited.
struct OpenWrapper<'t> {
    node: Node<'t>,
    depth: u32,
    /// Node id, kind and first byte of each child.
    children: Vec<(usize, u16, u32)>,
    /// Whether the wrapper contains a list in brackets: `const (A = 1)`.
    has_brackets: bool,
}

/// The state of the walk: the result so far, and the nodes around the current one.
struct TreeScanner<'a, 't> {
    out: TreeScan<'t>,
    text: &'a str,
    kinds: &'a KindTable,
    open: Vec<OpenWrapper<'t>>,
    depth: u32,
    /// The kinds of the nodes around the current one.
    enclosing: Vec<u16>,
    /// Whether the words contain text that no node covers, which is not in order.
    has_skipped_text: bool,
}

/// The part of the nodes below a node that the walk reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DescentRule {
    Everything,
    /// The calls in an interpolated string.
    Sites,
    Nothing,
}

impl<'t> TreeScan<'t> {
    /// Walks the tree and calls `visit` for every node, with its kind and children. Returns `None`
    /// if `visit` does, or if the tree has more than `max_depth` levels.
    pub fn scan_tree(
        tree: &'t Tree,
        text: &str,
        kinds: &KindTable,
        max_depth: u32,
        mut visit: impl FnMut(Node<'t>, u16, &[ChildNode<'t>]) -> Option<()>,
    ) -> Option<Self> {
        // Source code has one word per eight to eleven bytes.
        let words = text.len() / 8;
        let out =
            Self { words: Vec::with_capacity(words), tokens: Vec::with_capacity(words), ..Self::default() };
        let mut walk = TreeScanner {
            out,
            text,
            kinds,
            open: Vec::new(),
            depth: 0,
            enclosing: Vec::new(),
            has_skipped_text: false,
        };
        let mut cursor = tree.walk();
        // The nodes to visit at each open level, innermost last, and the start and next index of
        // each level.
        let mut nodes = vec![ChildNode::from_node(tree.root_node())];
        let mut levels = vec![(0, 0)];
        // The state inside a string or a comment: the part to read, and the number of levels below
        // the node.
        let mut leaf_state: Option<(DescentRule, u32)> = None;
        while let Some((start, next)) = levels.last_mut() {
            let Some(&child) = nodes.get(*next) else {
                nodes.truncate(*start);
                levels.pop();
                if !levels.is_empty() {
                    walk.leave_level(&mut leaf_state);
                }
                continue;
            };
            *next += 1;
            let below = nodes.len();
            let inspected = kinds.kind_flags(child.kind).inspected;
            let wants_field = |kind| inspected || kinds.kind_flags(kind).identifier;
            children::append_children(child.node, wants_field, &mut cursor, &mut nodes);
            visit(child.node, child.kind, &nodes[below..])?;
            if child.node.is_error() && leaf_state.is_none() {
                walk.push_skipped_text(child.node, &nodes[below..]);
            }
            walk.visit_node(child, nodes.len() > below, &mut leaf_state);
            if nodes.len() > below {
                levels.push((below, below));
                if walk.depth > max_depth {
                    return None;
                }
            }
        }
        Some(walk.finish_scan())
    }

    fn push_decoration(&mut self, node: Node) {
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        if self.decoration_list.last().is_none_or(|&(_, end)| end <= start) {
            self.decorations.insert(end, start);
            self.decoration_list.push((start, end));
        }
    }

    fn push_block(&mut self, node: Node) {
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        let enclosing = self.innermost_block_at(start).unwrap_or(usize::MAX);
        self.blocks.push((start, end, enclosing));
    }

    /// Returns the index of the innermost block found so far that contains a byte.
    fn innermost_block_at(&self, byte: u32) -> Option<usize> {
        let mut block = self.blocks.partition_point(|&(start, ..)| start <= byte).checked_sub(1)?;
        while self.blocks[block].1 <= byte {
            block = Some(self.blocks[block].2).filter(|&enclosing| enclosing != usize::MAX)?;
        }
        Some(block)
    }

    /// Returns the start and end of the innermost block around a byte that binds names.
    pub fn block_around(&self, byte: u32) -> Option<(u32, u32)> {
        self.innermost_block_at(byte).map(|block| (self.blocks[block].0, self.blocks[block].1))
    }

    fn push_leaf(&mut self, node: Node, kind: LeafKind) {
        self.words.push(TextLeaf { start: node.start_byte() as u32, end: node.end_byte() as u32, kind });
    }

    fn push_word(&mut self, node: Node, text: &str) {
        let range = node.byte_range();
        let token = text.as_bytes().get(range.clone()).and_then(sketches::token_hash);
        self.tokens.extend(token.map(|token| (range.start as u32, token)));
        let is_word = |&b: &u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        if text.as_bytes().get(range).is_some_and(|bytes| bytes.iter().any(is_word)) {
            self.push_leaf(node, LeafKind::Code);
        }
    }

    fn push_comment(&mut self, node: Node, text: &str) {
        let (start, end) = (node.start_byte(), node.end_byte());
        let trimmed = text.get(start..end).map_or(end, |comment| start + comment.trim_end().len());
        self.comments.insert(trimmed as u32, start as u32);
        self.words.push(TextLeaf { start: start as u32, end: trimmed as u32, kind: LeafKind::Comment });
    }

    /// Records the wrapper of each declaration in a wrapper that the walk has left.
    fn close_wrapper(&mut self, wrapper: Option<OpenWrapper>) {
        let Some(OpenWrapper { node, children, has_brackets, .. }) = wrapper else { return };
        for &(id, kind, _) in &children {
            let of_same_kind = || children.iter().filter(|&&(_, k, _)| k == kind);
            // Counts only in wrappers with at most 64 children, because counting is quadratic.
            let (sole, shared_end) = if children.len() <= 64 {
                (of_same_kind().nth(1).is_none(), of_same_kind().next().map_or(0, |&(_, _, start)| start))
            } else {
                (false, children[0].2)
            };
            let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
            let shared_end = if has_brackets { children[0].2 } else { shared_end };
            self.wrappers.insert(
                id,
                DeclarationWrapper { id: node.id(), start, end, shared_end, sole: sole && !has_brackets },
            );
        }
    }
}

impl<'t> TreeScanner<'_, 't> {
    /// Reads a node, and descends a level if it has children.
    fn visit_node(
        &mut self,
        child: ChildNode<'t>,
        has_children: bool,
        leaf_state: &mut Option<(DescentRule, u32)>,
    ) {
        match leaf_state {
            None => {
                let below = self.enter_node(child);
                *leaf_state = (below != DescentRule::Everything).then_some((below, 0));
            }
            Some((DescentRule::Sites, _)) => {
                self.push_call_site(child.node, self.kinds.kind_flags(child.kind));
            }
            Some(_) => {}
        }
        match (has_children, leaf_state.as_mut()) {
            (true, Some((_, levels))) => *levels += 1,
            (true, None) => {
                self.enclosing.push(child.kind);
                self.depth += 1;
            }
            (false, None) => self.out.push_word(child.node, self.text),
            (false, Some((_, 0))) => *leaf_state = None,
            (false, Some(_)) => {}
        }
    }

    /// Adds the text in an error that the parser skipped, which no node covers.
    fn push_skipped_text(&mut self, error: Node<'t>, children: &[ChildNode<'t>]) {
        if children.is_empty() {
            return;
        }
        let mut from = error.start_byte();
        let ends = children.iter().map(|child| (child.node.start_byte(), child.node.end_byte()));
        for (start, end) in ends.chain([(error.end_byte(), error.end_byte())]) {
            let skipped = self.text.get(from..start).unwrap_or("");
            if skipped.contains(|c: char| c.is_alphanumeric()) {
                let (start, end) = (from as u32, start as u32);
                self.out.words.push(TextLeaf { start, end, kind: LeafKind::Code });
                self.has_skipped_text = true;
            }
            from = end;
        }
    }

    /// Ascends a level.
    fn leave_level(&mut self, leaf_state: &mut Option<(DescentRule, u32)>) {
        if let Some((_, levels)) = leaf_state {
            *levels -= 1;
            if *levels == 0 {
                *leaf_state = None;
            }
        } else {
            self.enclosing.pop();
            self.depth -= 1;
        }
    }

    /// Reads a node. Returns the part of the nodes below it to read.
    fn enter_node(&mut self, child: ChildNode<'t>) -> DescentRule {
        let ChildNode { node, kind, field, .. } = child;
        let (kinds, depth) = (self.kinds, self.depth);
        let flags = kinds.kind_flags(kind);
        let is_value = || !self.enclosing.last().is_some_and(|&outer| kinds.kind_flags(outer).not_values);
        if flags.identifier && is_value() && !kinds.labels.contains(&field) {
            let (start, at) = (node.start_byte() as u32, node.start_position());
            self.out.names.push(ScannedName {
                start,
                end: node.end_byte() as u32,
                line: at.row as u32,
                column: at.column as u32,
            });
        }
        while self.open.last().is_some_and(|wrapper| wrapper.depth >= depth) {
            self.out.close_wrapper(self.open.pop());
        }
        if let Some(wrapper) = self.open.last_mut()
            && wrapper.depth + 1 == depth
        {
            if node.is_named() {
                wrapper.children.push((node.id(), kind, node.start_byte() as u32));
            } else {
                wrapper.has_brackets |= node.kind() == "(";
            }
        }
        if flags.decoration {
            self.out.push_decoration(node);
        }
        self.push_call_site(node, flags);
        if flags.block {
            self.out.push_block(node);
        }
        if flags.wrapper {
            self.open.push(OpenWrapper { node, depth, children: Vec::new(), has_brackets: false });
        }
        if flags.comment {
            self.out.push_comment(node, self.text);
            return DescentRule::Nothing;
        }
        if !flags.string {
            return DescentRule::Everything;
        }
        self.out.push_leaf(node, LeafKind::String);
        self.out.tokens.push((node.start_byte() as u32, sketches::string_token_hash()));
        // In all supported languages, a brace opens the code in a string.
        let interpolated = self.text.get(node.byte_range()).is_some_and(|text| text.contains('{'));
        if interpolated { DescentRule::Sites } else { DescentRule::Nothing }
    }

    fn push_call_site(&mut self, node: Node<'t>, flags: KindFlags) {
        if flags.call || flags.decoration {
            self.out.sites.push(node);
        }
    }

    fn finish_scan(mut self) -> TreeScan<'t> {
        while let Some(wrapper) = self.open.pop() {
            self.out.close_wrapper(Some(wrapper));
        }
        if self.has_skipped_text {
            self.out.words.sort_by_key(|leaf| leaf.start);
        }
        self.out
    }
}
