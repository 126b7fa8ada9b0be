//! Declarations: reads the span, signature, parameters, type and documentation of one declaration
//! from its syntax.

use super::dialects::Dialect;
use super::doc_comments;
use super::expressions::{ExpressionReader, one_line, truncate_at_char};
use super::raw_facts::SymbolDraft;
use super::tree_scan::{LeafKind, TreeScan};
use crate::languages::{KindFlags, LanguageRow, OverloadKey};
use kenning_graph::analysis::raw_words;
use kenning_graph::facts::{BindingKind, Span, SymbolFact};
use kenning_graph::hash::Hash;
use kenning_graph::positions::LineIndex;
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// Maximum length of a signature in bytes. Generated signatures fill pages. The rest is cut off.
const MAX_SIGNATURE_BYTES: usize = 600;
/// Maximum length of a parameter's type in bytes. Types of objects and functions can fill pages.
/// The rest is cut off.
const MAX_PARAMETER_TYPE_BYTES: usize = 400;
/// Length in bytes from which the signature of a declaration without a body omits its value.
/// Constants can hold whole tables.
const MAX_BYTES_WITH_VALUE: usize = 160;

/// The position of a declaration, and its documentation.
pub(crate) struct Declaration {
    pub start: u32,
    pub end: u32,
    /// Start and end of the text that all declarations of one statement share (`private int ` in
    /// `private int a, b`).
    shared: Option<(u32, u32)>,
    pub doc: String,
    /// The starts of the doc comments.
    pub doc_comments: Vec<u32>,
    /// The start of the docstring in the body.
    pub docstring: Option<u32>,
}

/// The parts of a declaration before its body.
#[derive(Default)]
pub(crate) struct DeclarationHead {
    pub signature: String,
    /// The text before the name, without decorations.
    pub head: String,
    pub params: String,
    pub arity: Option<u8>,
    pub ty: String,
}

/// A reader of the declarations of one file.
pub(crate) struct DeclarationReader<'a> {
    pub expressions: ExpressionReader<'a>,
    pub row: &'a LanguageRow,
    pub dialect: &'a dyn Dialect,
    pub scan: &'a TreeScan<'a>,
    pub lines: &'a LineIndex,
}

impl<'a> DeclarationReader<'a> {
    fn text_between(&self, start: u32, end: u32) -> &'a str {
        self.expressions.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// Returns a span with its lines.
    pub fn span_with_lines(&self, start: u32, end: u32) -> Span {
        let start_line = self.lines.line_and_column(start).0;
        Span { start, end, start_line, end_line: self.lines.line_and_column(end.max(start + 1) - 1).0 }
    }

    /// Returns the first eight bytes of the hash of a span's text.
    pub fn body_hash(&self, start: u32, end: u32) -> u64 {
        Hash::from_content(self.text_between(start, end).as_bytes()).sort_prefix()
    }

    /// Locates a declaration together with its wrappers, decorators and documentation.
    pub fn locate_declaration(&self, draft: &SymbolDraft) -> Declaration {
        let node = draft.node;
        let (mut start, mut end) = (node.start_byte() as u32, node.end_byte() as u32);
        let mut shared = None;
        let mut id = node.id();
        while let Some(wrapper) = self.scan.wrappers.get(&id) {
            if shared.is_some() || !wrapper.sole {
                let shared_end = shared.map_or(wrapper.shared_end, |(_, end)| end);
                shared = Some((wrapper.start, shared_end));
                id = wrapper.id;
                continue;
            }
            (start, end, id) = (wrapper.start, wrapper.end, wrapper.id);
        }
        let end = start + self.text_between(start, end).trim_end().len() as u32;
        let mut before = doc_comments::read_leading_docs(start, self.expressions.text, self.scan, self.row);
        let mut docstring = None;
        if self.row.docstrings
            && let Some(body) = self.body_node(draft)
            && let Some((at, text)) = self.read_body_docstring(body)
        {
            docstring = Some(at);
            before.comments.clear();
            before.doc = text;
        }
        let doc_comments = before.comments;
        Declaration { start: before.start, end, shared, doc: before.doc, doc_comments, docstring }
    }

    /// Returns the start and the cleaned text of the docstring of a body.
    fn read_body_docstring(&self, body: Node) -> Option<(u32, String)> {
        let mut node = body.named_child(0)?;
        for _ in 0..4 {
            if self.expressions.kinds.kind_flags(node.kind_id()).string {
                return Some((
                    node.start_byte() as u32,
                    doc_comments::clean_docstring(self.expressions.node_text(node)),
                ));
            }
            if node.kind() != "expression_statement"
                && node.kind() != "string"
                && node.kind() != "string_start"
            {
                return None;
            }
            node = match node.kind() {
                "string" => node.named_child(1)?,
                _ => node.named_child(0)?,
            };
        }
        None
    }

    /// Returns the start of the content of the file's docstring.
    pub fn file_docstring_start(&self, root: Node) -> Option<u32> {
        let mut cursor = root.walk();
        let first = root
            .named_children(&mut cursor)
            .find(|node| !self.expressions.kinds.kind_flags(node.kind_id()).comment)?;
        if !self.row.docstrings || first.kind() != "expression_statement" {
            return None;
        }
        let string = first.named_child(0).filter(|node| node.kind() == "string")?;
        string.named_child(1).map(|content| content.start_byte() as u32)
    }

    fn child_by_field(node: Option<Node<'_>>, field: Option<u16>) -> Option<Node<'_>> {
        node?.child_by_field_id(field?)
    }

    fn value_node<'t>(&self, draft: &SymbolDraft<'t>) -> Option<Node<'t>> {
        let fields = &self.expressions.kinds.values;
        draft.value.or_else(|| fields.iter().find_map(|&field| draft.node.child_by_field_id(field)))
    }

    /// Returns the body of the declaration, or of the function that is its value.
    pub fn body_node<'t>(&self, draft: &SymbolDraft<'t>) -> Option<Node<'t>> {
        let kinds = self.expressions.kinds;
        draft
            .body
            .or_else(|| Self::child_by_field(Some(draft.node), kinds.body))
            .or_else(|| {
                let has_bodies = !self.row.bodies.is_empty();
                has_bodies.then(|| self.child_with_flag(draft.node, |flags| flags.body)).flatten()
            })
            .or_else(|| Self::child_by_field(draft.value, kinds.body))
    }

    /// Returns the node that holds the parameters of a declaration or of the function that is its
    /// value.
    fn parameters_node<'t>(&self, draft: &SymbolDraft<'t>, kind: SymbolKind) -> Option<Node<'t>> {
        let kinds = self.expressions.kinds;
        if draft.params.is_some() {
            return draft.params;
        }
        if !self.row.parameter_lists.is_empty() {
            return self.child_with_flag(draft.node, |flags| flags.parameter_list);
        }
        if !self.row.parameter_kinds.is_empty() {
            return Some(draft.node).filter(|_| kind.is_callable());
        }
        Self::child_by_field(Some(draft.node), kinds.parameters)
            .or_else(|| Self::child_by_field(draft.value, kinds.parameters))
    }

    /// Returns the first child of a node whose kind has a flag.
    fn child_with_flag<'t>(&self, node: Node<'t>, has_flag: fn(KindFlags) -> bool) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|child| has_flag(self.expressions.kinds.kind_flags(child.kind_id())))
    }

    /// Reads the head of a declaration.
    pub fn describe_head(&self, draft: &SymbolDraft, at: &Declaration, kind: SymbolKind) -> DeclarationHead {
        let mut out = DeclarationHead::default();
        let node_start = draft.node.start_byte() as u32;
        let (head_start, unshared_start) = match at.shared {
            Some((start, _)) => (start, node_start),
            None => (at.start, at.start),
        };
        if let Some((start, end)) = at.shared {
            self.undecorated_text(start, end).trim_end_matches('(').clone_into(&mut out.head);
        }
        out.head = format!(
            "{} {}",
            out.head,
            self.undecorated_text(unshared_start.max(head_start), draft.name_span.start)
        );
        out.signature = self.build_signature(draft, at, unshared_start);
        let list_node = self.parameters_node(draft, kind);
        let parameters = list_node.map_or_else(Vec::new, |list| self.parameter_list(list));
        if kind.is_callable() && kind != SymbolKind::Macro {
            out.arity = Some(parameters.len().min(254) as u8);
        }
        out.params = parameters.join(",");
        out.ty = self.declared_type(draft, kind);
        out
    }

    /// Returns the number of parameters of a declaration.
    pub fn count_parameters(&self, draft: &SymbolDraft) -> usize {
        draft.params.map_or(0, |list| self.parameter_list(list).len())
    }

    /// Returns the text between two bytes without decorations or comments.
    fn undecorated_text(&self, start: u32, end: u32) -> String {
        let decorations = &self.scan.decoration_list;
        let first = decorations.partition_point(|&(decoration, _)| decoration < start);
        let mut cuts: Vec<(u32, u32)> =
            decorations[first..].iter().copied().take_while(|&(decoration, _)| decoration < end).collect();
        let words = &self.scan.words;
        let first = words.partition_point(|leaf| leaf.start < start);
        let comments = words[first..].iter().take_while(|leaf| leaf.start < end);
        cuts.extend(
            comments.filter(|leaf| leaf.kind == LeafKind::Comment).map(|leaf| (leaf.start, leaf.end)),
        );
        cuts.sort_unstable();
        let mut out = String::new();
        let mut from = start;
        for (cut_start, cut_end) in cuts {
            out.push_str(self.text_between(from, cut_start.max(from)));
            from = cut_end.max(from);
        }
        out.push_str(self.text_between(from.min(end), end));
        out
    }

    fn build_signature(&self, draft: &SymbolDraft, at: &Declaration, unshared_start: u32) -> String {
        let value = self.value_node(draft);
        let end = match self
            .body_node(draft)
            .or_else(|| Self::child_by_field(value, self.expressions.kinds.body))
        {
            // A body may begin with its keyword: `interface { ... }`.
            Some(body) if body.start_byte() as u32 > draft.name_span.start => {
                let text = self.expressions.node_text(body);
                let brace = text.find('{').filter(|&brace| !text[..brace].contains('\n'));
                // In a text of nested mappings, a brace begins a value.
                let keyword = brace.filter(|_| draft.body.is_some() && self.row.key_paths.is_empty());
                (body.start_byte() + keyword.unwrap_or(0)) as u32
            }
            _ => at.end,
        };
        let end = match value {
            Some(value) if end - unshared_start > MAX_BYTES_WITH_VALUE as u32 && end == at.end => {
                (value.start_byte() as u32).max(draft.name_span.start + draft.name_span.len)
            }
            _ => end,
        };
        // Bound the work for a very long head.
        let end = end.min(unshared_start + 4 * MAX_SIGNATURE_BYTES as u32);
        let mut text = String::new();
        if let Some((start, shared_end)) = at.shared {
            let shared = self.undecorated_text(start, shared_end);
            text.push_str(shared.trim_end().trim_end_matches('('));
            text.push(' ');
        }
        text.push_str(&self.undecorated_text(unshared_start, end));
        let line = one_line(&text);
        let trimmed = line.trim_end_matches(|c: char| c.is_whitespace() || "{:=;,".contains(c));
        let trimmed = trimmed.strip_suffix("=>").or_else(|| trimmed.strip_suffix("= (")).unwrap_or(trimmed);
        let trimmed = trimmed.trim_end_matches(|c: char| c.is_whitespace() || "{:=;,".contains(c));
        truncate_at_char(trimmed, MAX_SIGNATURE_BYTES).to_owned()
    }

    /// Returns the parameters in a list, as types or names.
    fn parameter_list(&self, list: Node) -> Vec<String> {
        if self.expressions.kinds.expression_rule(list.kind_id()) == crate::languages::ExpressionRule::Name {
            return vec![self.expressions.node_text(list).to_owned()];
        }
        let mut out: Vec<String> = Vec::new();
        let mut cursor = list.walk();
        let mut more = cursor.goto_first_child();
        let mut position = 0;
        while more && out.len() < 250 {
            let (node, field) = (cursor.node(), cursor.field_id().map(std::num::NonZeroU16::get));
            let flags = self.expressions.kinds.kind_flags(node.kind_id());
            more = cursor.goto_next_sibling();
            if self.row.argument_labels
                && node.kind() == "="
                && let Some(last) = out.last_mut()
            {
                last.push('=');
            }
            if !node.is_named() || flags.comment || flags.receiver || flags.decoration {
                continue;
            }
            if !self.row.parameter_kinds.is_empty() {
                if flags.parameter {
                    self.push_parameters(node, position, &mut out);
                    position += 1;
                }
                continue;
            }
            // Some grammars put type and name of a variadic parameter directly into the list.
            if field.is_some_and(|field| self.expressions.kinds.types.contains(&field)) {
                let variadic = node.prev_sibling().is_some_and(|before| before.kind() == "params");
                out.push(format!("{}{}", if variadic { "..." } else { "" }, self.compact_type_text(node)));
            } else if field.is_none() || field != self.expressions.kinds.name || list.kind() == "parameters" {
                self.push_parameters(node, position, &mut out);
            }
            position += 1;
        }
        out
    }

    /// Returns the text of a type without white space.
    fn compact_type_text(&self, node: Node) -> String {
        let text = self.expressions.node_text(node).trim_start_matches(':');
        truncate_at_char(text, MAX_PARAMETER_TYPE_BYTES).chars().filter(|c| !c.is_whitespace()).collect()
    }

    /// Returns the text of a type without white space, except between words: `any Sequence<Int>`.
    fn spaced_type_text(&self, node: Node) -> String {
        let text = truncate_at_char(self.expressions.node_text(node), MAX_PARAMETER_TYPE_BYTES);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut out = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if out.ends_with(is_word) && word.starts_with(is_word) {
                out.push(' ');
            }
            out.push_str(word);
        }
        out
    }

    fn push_parameters(&self, node: Node, position: usize, out: &mut Vec<String>) {
        let kinds = self.expressions.kinds;
        let name_count = self.count_parameter_names(node);
        let name = self.parameter_name(node);
        if position == 0 && self.row.receiver_names.contains(&name) {
            return;
        }
        // `*`, `/` and similar marks separate parameters.
        let is_mark = |c: char| matches!(c, '*' | '/' | '&' | '|' | '.');
        if node.named_child_count() == 0 && name.chars().all(is_mark) && name != "..." {
            return;
        }
        let ty = kinds.types.iter().find_map(|&field| node.child_by_field_id(field));
        // Attributes may come before a type, in the same field.
        let is_decoration = |node: &Node| kinds.kind_flags(node.kind_id()).decoration;
        let ty = std::iter::successors(ty, Node::next_named_sibling).find(|node| !is_decoration(node));
        let text = match (self.row.params_by, ty) {
            (OverloadKey::Type, Some(ty)) => {
                let text = if self.row.argument_labels {
                    self.spaced_type_text(ty)
                } else {
                    self.compact_type_text(ty)
                };
                let variadic = self.expressions.node_text(node).contains("...") && !text.contains("...");
                let text = if variadic { format!("...{text}") } else { text };
                if self.row.overloads { self.with_parameter_marks(node, text) } else { text }
            }
            (OverloadKey::Type, None) if name_count == 0 => {
                // In `int... xs`, the type is the text before the name.
                let text = self.compact_type_text(node);
                text.strip_suffix(&name).filter(|ty| !ty.is_empty()).map(str::to_owned).unwrap_or(text)
            }
            _ if self.is_variadic_parameter(node) => format!("...{name}"),
            _ => name,
        };
        let text = match self.dialect.parameter_label(node, &self.expressions) {
            Some(label) => format!("{label}:{text}"),
            None => text,
        };
        let is_single = kinds.kind_flags(node.kind_id()).parameter;
        for _ in 0..if is_single { 1 } else { name_count.max(1) } {
            out.push(truncate_at_char(&text, MAX_PARAMETER_TYPE_BYTES).to_owned());
        }
    }

    /// Whether the kind of a parameter without a type, or the modifier before it, makes it
    /// variadic.
    fn is_variadic_parameter(&self, node: Node) -> bool {
        let before = node.prev_named_sibling().map_or("", |before| self.expressions.node_text(before));
        node.kind().starts_with("variadic") || before == "vararg"
    }

    /// Adds marks to the type of a parameter that affect which calls fit: the prefix `this ` for
    /// the receiver of an extension method, the suffix `=` for a parameter with a default.
    fn with_parameter_marks(&self, node: Node, ty: String) -> String {
        let mut cursor = node.walk();
        let (mut receiver, mut default) = (false, false);
        for child in node.children(&mut cursor) {
            receiver |= self.expressions.node_text(child) == "this";
            default |= child.kind() == "=";
        }
        format!("{}{ty}{}", if receiver { "this " } else { "" }, if default { "=" } else { "" })
    }

    /// Returns the number of names that one parameter node declares (`a, b int`).
    fn count_parameter_names(&self, node: Node) -> usize {
        let Some(field) = self.expressions.kinds.name.and_then(std::num::NonZeroU16::new) else { return 0 };
        let mut cursor = node.walk();
        node.children_by_field_id(field, &mut cursor).filter(Node::is_named).count()
    }

    /// Returns the name of a parameter, which may be wrapped in modifiers and patterns.
    fn parameter_name(&self, node: Node) -> String {
        let kinds = self.expressions.kinds;
        let mut node = node;
        for _ in 0..4 {
            if node.named_child_count() == 0 {
                return if node.is_named() {
                    self.expressions.node_text(node).to_owned()
                } else {
                    String::new()
                };
            }
            let fields = kinds.name.iter().chain(&kinds.patterns);
            let inner = fields
                .copied()
                .find_map(|field| node.child_by_field_id(field))
                .or_else(|| node.named_child(0));
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        String::new()
    }

    fn declared_type(&self, draft: &SymbolDraft, kind: SymbolKind) -> String {
        let fields = &self.expressions.kinds.types;
        let declared = draft.ty.or_else(|| {
            if kind.is_type() {
                return None;
            }
            let in_value = |field: u16| draft.value.filter(|_| kind.is_callable())?.child_by_field_id(field);
            // The type of a variable that holds a function is not the function's return type.
            let in_declaration = |field: u16| {
                draft.node.child_by_field_id(field).filter(|_| draft.value.is_none() || !kind.is_callable())
            };
            fields.iter().find_map(|&field| in_declaration(field).or_else(|| in_value(field)))
        });
        if let Some(ty) = declared {
            let text = one_line(self.expressions.node_text(ty));
            let text = text.trim_start_matches(':').trim_start_matches("->").trim();
            if text.is_empty() || text != self.row.inferred_type {
                let mark = if draft.defined { "~" } else { "" };
                return [mark, truncate_at_char(text, 300)].concat();
            }
        }
        if kind.is_callable() || kind.is_type() {
            return String::new();
        }
        let constructed = self.value_node(draft).and_then(|value| self.expressions.value_type(value));
        constructed
            .filter(|value| value.kind == BindingKind::Type)
            .map(|value| value.text)
            .unwrap_or_default()
    }

    /// Whether the name or the decorations mark the symbol as a test.
    pub fn is_marked_test(&self, symbol: &SymbolFact) -> bool {
        let prefixed = self.row.test_prefixes.iter().any(|prefix| symbol.name.starts_with(prefix.as_str()));
        if prefixed && symbol.kind.is_callable() && self.dialect.is_test_symbol(symbol) {
            return true;
        }
        let list = &self.scan.decoration_list;
        let first = list.partition_point(|&(start, _)| start < symbol.span.start);
        list[first..].iter().take_while(|&&(start, _)| start < symbol.name_span.start).any(|&(start, end)| {
            let text = self.text_between(start, end);
            let text = text.split('"').next().unwrap_or(text);
            !text.contains("not(test")
                && raw_words(text)
                    .any(|word| self.row.test_decorations.iter().any(|decoration| decoration == word))
        })
    }
}
