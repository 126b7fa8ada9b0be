//! The dialect of Objective-C: classes, categories, protocols, methods with selectors, and
//! messages. For everything else, it delegates to [`CDialect`].

use super::c::CDialect;
use super::{Dialect, VisibilityInput};
use crate::extract::bindings::RawBinding;
use crate::extract::expressions::{BoundValue, ExpressionReader, UNKNOWN};
use crate::extract::raw_facts::{
    DialectNote, DraftKind, RawBase, RawFacts, RawReference, SymbolDraft, name_span,
};
use crate::extract::source_rewrites::SourceRewrite;
use kenning_graph::facts::{BaseRelation, BindingKind, ImportFact, ReferenceRole, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// Maximum number of parts of a selector. Hostile files chain thousands.
const MAX_SELECTOR_PARTS: usize = 24;
/// The path of the inherited receiver, as in `inherited_receivers` of `languages.toml`. C code has
/// variables called `super`.
const INHERITED_RECEIVER: &str = "@super";

/// The dialect of Objective-C.
pub(crate) struct ObjectiveCDialect;

impl Dialect for ObjectiveCDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        CDialect.symbol_visibility(declared)
    }

    fn normalize_import(&self, import: &mut ImportFact, statement: &str) -> bool {
        CDialect.normalize_import(import, statement)
    }

    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        depth: u32,
    ) -> Option<bool> {
        match node.kind() {
            "identifier" if expressions.node_text(node) == "self" => out.push_str("this"),
            "identifier" if expressions.node_text(node) == "super" => out.push_str(INHERITED_RECEIVER),
            "message_expression" => return Some(write_message(node, expressions, out, depth).is_some()),
            _ => return CDialect.write_path(node, expressions, out, depth),
        }
        Some(true)
    }

    fn collect_hook<'t>(&self, node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        let mut collector = ClassCollector { expressions, out };
        match node.kind() {
            "class_interface" => collector.collect_interface(node),
            "class_implementation" => collector.push_scope(node),
            "protocol_declaration" => collector.collect_protocol(node),
            "method_declaration" | "method_definition" => collector.collect_method(node),
            "property_declaration" => collector.collect_fields(node, SymbolKind::Property),
            "instance_variable" => collector.collect_fields(node, SymbolKind::Field),
            "message_expression" => collector.collect_message(node),
            _ => CDialect.collect_hook(node, expressions, out),
        }
    }

    fn is_test_symbol(&self, symbol: &SymbolFact) -> bool {
        symbol.kind == SymbolKind::Method && !symbol.name.contains(':')
    }

    fn finish_symbols(&self, symbols: &mut [SymbolFact], notes: &[DialectNote]) {
        CDialect.finish_symbols(symbols, notes);
        for symbol in symbols.iter_mut().filter(|symbol| symbol.kind == SymbolKind::Method) {
            // A method that returns `instancetype` returns a value of its own class.
            if symbol.ty.trim_start_matches('~') == "instancetype" {
                let mark = if symbol.ty.starts_with('~') { "~" } else { "" };
                symbol.ty = format!("{mark}{}", symbol.container);
            }
        }
    }

    fn rewrite_macros(&self, text: &str, root: Node) -> Vec<SourceRewrite> {
        CDialect.rewrite_macros(text, root)
    }
}

/// Writes a message as a path. A message that allocates or initializes an object is the object.
fn write_message(node: Node, expressions: &ExpressionReader, out: &mut String, depth: u32) -> Option<()> {
    let receiver = node.child_by_field_name("receiver")?;
    let selector = read_selector(node, expressions)?.0;
    let receiver_text = expressions.node_text(receiver);
    let allocates = matches!(selector.as_str(), "alloc" | "new");
    if allocates && receiver_text.starts_with(char::is_uppercase) {
        out.push('{');
        out.push_str(receiver_text);
        out.push('}');
        return Some(());
    }
    expressions.write_as_path(receiver, out, depth + 1)?;
    if !allocates && !selector.starts_with("init") && !matches!(selector.as_str(), "autorelease" | "retain") {
        out.push('.');
        out.push_str(&selector);
        out.push_str("()");
    }
    Some(())
}

/// Returns the selector of a message, the node of its first part, and the number of arguments.
fn read_selector<'t>(node: Node<'t>, expressions: &ExpressionReader) -> Option<(String, Node<'t>, usize)> {
    let mut cursor = node.walk();
    let parts: Vec<Node> =
        node.children_by_field_name("method", &mut cursor).take(MAX_SELECTOR_PARTS).collect();
    let first = *parts.first()?;
    let arguments = node.named_child_count().saturating_sub(parts.len() + 1);
    let mut selector = String::new();
    for part in &parts {
        selector.push_str(expressions.node_text(*part));
        if arguments > 0 {
            selector.push(':');
        }
    }
    let is_named = first.end_byte() > first.start_byte();
    (is_named && selector.len() <= 200).then_some((selector, first, arguments))
}

/// Collects the facts of the classes of one file.
struct ClassCollector<'c, 't, 'x> {
    expressions: &'c ExpressionReader<'x>,
    out: &'c mut RawFacts<'t>,
}

impl<'t> ClassCollector<'_, 't, '_> {
    fn collect_interface(&mut self, node: Node<'t>) {
        let Some(name) = child_of_kind(node, "identifier") else { return };
        let is_category = node.child_by_field_name("category").is_some()
            || self
                .expressions
                .node_text(node)
                .split(['\n', '{'])
                .next()
                .is_some_and(|head| head.contains('('));
        let subtype = is_category.then(|| self.expressions.node_text(name).to_owned());
        if is_category {
            self.push_scope(node);
        } else {
            self.push_type(node, name, SymbolKind::Class);
        }
        if let Some(superclass) = node.child_by_field_name("superclass") {
            self.push_base(superclass, BaseRelation::Extends, None);
        }
        let Some(protocols) = child_of_kind(node, "parameterized_arguments") else { return };
        let mut cursor = protocols.walk();
        for protocol in protocols.named_children(&mut cursor).take(64) {
            let protocol = protocol.named_child(0).unwrap_or(protocol);
            self.push_base(protocol, BaseRelation::Implements, subtype.clone());
        }
    }

    fn collect_protocol(&mut self, node: Node<'t>) {
        let Some(name) = child_of_kind(node, "identifier") else { return };
        self.push_type(node, name, SymbolKind::Interface);
        let Some(bases) = child_of_kind(node, "protocol_reference_list") else { return };
        let mut cursor = bases.walk();
        for base in bases.named_children(&mut cursor).take(64) {
            self.push_base(base, BaseRelation::Extends, None);
        }
    }

    /// Makes a category or an implementation the container of its members.
    fn push_scope(&mut self, node: Node<'t>) {
        let Some(name) = child_of_kind(node, "identifier") else { return };
        self.out.drafts.push(SymbolDraft {
            name: self.expressions.node_text(name).to_owned(),
            name_span: name_span(node),
            ..SymbolDraft::without_parts(node, DraftKind::Scope(SymbolKind::Class))
        });
    }

    fn push_type(&mut self, node: Node<'t>, name: Node<'t>, kind: SymbolKind) {
        // The signature ends where the members begin.
        let mut cursor = node.walk();
        let is_member = |child: &Node| {
            matches!(
                child.kind(),
                "instance_variables"
                    | "property_declaration"
                    | "method_declaration"
                    | "qualified_protocol_interface_declaration"
            )
        };
        let body = node.named_children(&mut cursor).find(is_member);
        let draft = SymbolDraft { body, ..SymbolDraft::without_parts(node, DraftKind::Symbol(kind)) };
        self.out.push_named_draft(draft, name, self.expressions);
    }

    fn push_base(&mut self, node: Node, relation: BaseRelation, subtype: Option<String>) {
        let name = self.expressions.node_text(node).to_owned();
        if name.is_empty() {
            return;
        }
        let base = Some(Box::new(RawBase { name: name.clone(), relation, derived_type: subtype }));
        self.out.references.push(RawReference {
            name,
            at: name_span(node),
            base,
            ..RawReference::with_role(ReferenceRole::Base)
        });
    }

    /// Adds a method under its selector, and binds its parameters.
    fn collect_method(&mut self, node: Node<'t>) {
        let expressions = self.expressions;
        let is_definition = node.kind() == "method_definition";
        let (mut selector, mut part, mut first) = (String::new(), "", None);
        let (mut types, mut ty) = (Vec::new(), None);
        let mut cursor = node.walk();
        let children: Vec<Node> = node.named_children(&mut cursor).collect();
        for child in children.iter().take(2 * MAX_SELECTOR_PARTS) {
            match child.kind() {
                "method_type" if ty.is_none() && first.is_none() => ty = child.named_child(0),
                // Attributes that are macros follow the last parameter; they also are identifiers.
                "identifier" => {
                    part = expressions.node_text(*child);
                    first = first.or(Some(*child));
                }
                "method_parameter" => {
                    selector.push_str(std::mem::take(&mut part));
                    selector.push(':');
                    let written = child_of_kind(*child, "method_type").and_then(|ty| ty.named_child(0));
                    let text = written.map_or("", |ty| expressions.node_text(ty));
                    types.push(text.chars().filter(|c| !c.is_whitespace()).collect::<String>());
                    if let Some(name) = child_of_kind(*child, "identifier").filter(|_| is_definition) {
                        let ty = text.trim_end_matches([' ', '*']);
                        self.bind_parameter(name, ty);
                    }
                }
                _ => {}
            }
        }
        let Some(first) = first else { return };
        if selector.is_empty() {
            selector.push_str(expressions.node_text(first));
        }
        if selector.len() > 200 {
            return;
        }
        let at = name_span(first);
        let in_protocol = || node.parent().is_some_and(|parent| parent.kind().contains("protocol"));
        if !is_definition && !in_protocol() {
            CDialect::note_declaration(at, self.out);
        }
        CDialect::note_parameters(at, types.join(","), self.out);
        // Drop the pointer from the type.
        let ty = ty.map(|ty| ty.named_child(0).unwrap_or(ty));
        let body = children.iter().rev().find(|child| child.kind() == "compound_statement").copied();
        self.out.drafts.push(SymbolDraft {
            name: selector,
            name_span: at,
            ty,
            body,
            ..SymbolDraft::without_parts(node, DraftKind::Symbol(SymbolKind::Function))
        });
    }

    fn bind_parameter(&mut self, name: Node, ty: &str) {
        let value =
            (!ty.is_empty() && ty.len() < 200).then(|| BoundValue::new(ty.to_owned(), BindingKind::Type));
        self.out.bindings.push(RawBinding {
            name: self.expressions.node_text(name).to_owned(),
            value,
            at: name.start_byte() as u32,
            range: None,
            whole_block: false,
            is_member: false,
            is_receiver: false,
            declares: false,
            hides: true,
        });
    }

    /// Adds the properties or instance variables of a declaration.
    fn collect_fields(&mut self, node: Node<'t>, kind: SymbolKind) {
        let Some(declaration) = child_of_kind(node, "struct_declaration") else { return };
        let ty = declaration.named_child(0).filter(|ty| ty.kind() != "struct_declarator");
        let mut cursor = declaration.walk();
        let declarators =
            declaration.named_children(&mut cursor).filter(|child| child.kind() == "struct_declarator");
        for declarator in declarators.take(64) {
            let Some(declared) =
                declarator.named_child(0).and_then(|inner| CDialect::declared_name(inner, self.expressions))
            else {
                continue;
            };
            let draft = SymbolDraft { ty, ..SymbolDraft::without_parts(node, DraftKind::Symbol(kind)) };
            self.out.push_named_draft(draft, declared, self.expressions);
        }
    }

    /// Adds a message as a call of its selector.
    fn collect_message(&mut self, node: Node<'t>) {
        let Some((name, first, arguments)) = read_selector(node, self.expressions) else { return };
        let receiver = node.child_by_field_name("receiver");
        let receiver = receiver.map_or(UNKNOWN.to_owned(), |receiver| self.expressions.path_text(receiver));
        self.out.references.push(RawReference {
            name,
            receiver,
            at: name_span(first),
            arity: arguments.min(254) as u8,
            ..RawReference::with_role(ReferenceRole::Call)
        });
    }
}

fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}
