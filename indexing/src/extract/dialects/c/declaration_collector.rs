//! Symbols, notes and local names of the declarations of C and C++.

use super::declarators::{DeclaredName, read_declarator};
use super::{
    ACCESS, BESIDE_TYPE, CDialect, UNNAMED, parameter_types, split_qualified, type_name_node, type_text,
};
use crate::extract::bindings::RawBinding;
use crate::extract::expressions::{BoundValue, ExpressionReader, one_line};
use crate::extract::raw_facts::{DialectNote, DraftKind, MAX_NAME_BYTES, RawFacts, SymbolDraft, name_span};
use kenning_graph::facts::{BindingKind, NameSpan};
use kenning_graph::vocabulary::SymbolKind;
use tree_sitter::Node;

/// Macros that declare a test and whose last argument is its name: GoogleTest, Boost.Test,
/// Criterion.
const NAMED_TESTS: [&str; 9] = [
    "TEST",
    "TEST_F",
    "TEST_P",
    "TYPED_TEST",
    "TYPED_TEST_P",
    "BOOST_AUTO_TEST_CASE",
    "BOOST_FIXTURE_TEST_CASE",
    "Test",
    "TEST_METHOD",
];
/// Macros that declare a test and whose first argument is its title: Catch2, doctest.
pub(super) const TITLED_TESTS: [&str; 5] =
    ["TEST_CASE", "SCENARIO", "TEMPLATE_TEST_CASE", "DOCTEST_TEST_CASE", "CATCH_TEST_CASE"];

/// Collects the facts of the declarations of one file.
pub(super) struct DeclarationCollector<'c, 't, 'x> {
    pub expressions: &'c ExpressionReader<'x>,
    pub out: &'c mut RawFacts<'t>,
}

impl<'t> DeclarationCollector<'_, 't, '_> {
    /// Adds a function with a body, or a test that a macro declares.
    pub fn collect_function(&mut self, node: Node<'t>) {
        let Some(declarator) = node.child_by_field_name("declarator") else { return };
        let Some(declared) = read_declarator(declarator, self.expressions) else { return };
        let (params, is_typed) = (declared.params, node.child_by_field_name("type").is_some());
        let body = node.child_by_field_name("body");
        if !declared.is_function {
            return;
        }
        if !is_typed
            && let Some(params) = params
            && let Some((name, at, container)) = self.test_name(&declared.name, params)
        {
            let mut draft = self.new_draft(node, SymbolKind::Function, &declared);
            (draft.name, draft.name_span, draft.container) = (name, at, container);
            (draft.is_test, draft.body, draft.params) = (true, body, None);
            self.out.drafts.push(draft);
            return;
        }
        let mut draft = self.new_draft(node, SymbolKind::Function, &declared);
        draft.body = body;
        self.out.drafts.push(draft);
        if let Some(params) = params {
            self.bind_parameters(params);
        }
    }

    /// Returns the name of the test that a macro declares, its span, and the name of its suite.
    fn test_name(&self, called: &str, params: Node) -> Option<(String, NameSpan, Option<String>)> {
        let text = self.expressions.node_text(params);
        if TITLED_TESTS.contains(&called) {
            let open = text.find('"')? + 1;
            let title = text.get(open..)?.split('"').next()?;
            let mut at = name_span(params);
            (at.start, at.column, at.len) =
                (at.start + open as u32, at.column + open as u32, title.len() as u32);
            let name: String = one_line(title).chars().map(|c| if c == '.' { ' ' } else { c }).collect();
            return (!name.is_empty() && name.len() <= MAX_NAME_BYTES).then_some((name, at, None));
        }
        if !NAMED_TESTS.contains(&called) {
            return None;
        }
        let last = params.named_child(u32::try_from(params.named_child_count()).ok()?.checked_sub(1)?)?;
        let first = params.named_child(0).filter(|first| *first != last);
        let text = |node: Node| self.expressions.normalized_type_name(self.expressions.node_text(node));
        let name = text(last);
        (!name.is_empty() && name.len() <= MAX_NAME_BYTES).then(|| (name, name_span(last), first.map(text)))
    }

    /// Adds the functions and variables of a declaration, or binds its names if it is in a
    /// function.
    pub fn collect_declaration(&mut self, node: Node<'t>) {
        let is_local = self.is_in_function(node);
        let before = self.expressions.text.get(..node.start_byte()).unwrap_or("");
        if before.trim_end().ends_with("friend") {
            return;
        }
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            if declarator.kind() == "structured_binding_declarator" {
                self.bind_unknown_names(declarator);
                continue;
            }
            let Some(declared) = read_declarator(declarator, self.expressions) else { continue };
            if is_local {
                let value = declared.value.or_else(|| node.child_by_field_name("value"));
                self.bind_name(&declared, node.child_by_field_name("type"), value);
            } else if declared.is_function {
                self.push_declared(node, SymbolKind::Function, &declared);
            } else {
                self.collect_variable(node, &declared);
            }
        }
    }

    /// Adds a variable or constant outside functions.
    fn collect_variable(&mut self, node: Node<'t>, declared: &DeclaredName<'t>) {
        let head = self.expressions.text.get(node.start_byte()..declared.node.start_byte()).unwrap_or("");
        let has_word =
            |word: &str| head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word);
        let is_constant = has_word("constexpr") || (has_word("const") && !declared.is_indirect);
        let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Variable };
        if has_word("extern") && declared.value.is_none() {
            self.push_declared(node, kind, declared);
        } else if node.child_by_field_name("type").is_some() {
            let draft = self.new_draft(node, kind, declared);
            self.out.drafts.push(draft);
        }
    }

    /// Adds the fields and methods that a member declaration declares.
    pub fn collect_members(&mut self, node: Node<'t>) {
        let is_pure = node.child_by_field_name("default_value").is_some();
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let Some(declared) = read_declarator(declarator, self.expressions) else { continue };
            if declared.is_function && !is_pure {
                self.push_declared(node, SymbolKind::Function, &declared);
            } else {
                let kind = if declared.is_function { SymbolKind::Function } else { SymbolKind::Field };
                let mut draft = self.new_draft(node, kind, &declared);
                draft.value = draft.value.filter(|_| !declared.is_function);
                self.out.drafts.push(draft);
            }
        }
    }

    /// Adds the types that a `typedef` names. An unnamed struct gets the name of its `typedef`.
    pub fn collect_type_definition(&mut self, node: Node<'t>) {
        let Some(ty) = node.child_by_field_name("type") else { return };
        let body = ty.child_by_field_name("body");
        let tag = ty.child_by_field_name("name").map_or("", |name| self.expressions.node_text(name));
        let mut cursor = node.walk();
        for (index, declarator) in node.children_by_field_name("declarator", &mut cursor).enumerate() {
            let Some(declared) = read_declarator(declarator, self.expressions) else { continue };
            let kind = match ty.kind() {
                "struct_specifier" => Some(SymbolKind::Struct),
                "union_specifier" => Some(SymbolKind::Union),
                "enum_specifier" => Some(SymbolKind::Enum),
                _ => None,
            };
            let names_body = index == 0 && tag.is_empty() && body.is_some() && !declared.is_indirect;
            let mut draft = match kind.filter(|_| names_body) {
                Some(kind) => self.new_draft(node, kind, &declared),
                None if declared.name == tag => continue,
                // `typedef struct { ... } Name, *Pointer;`: an alias beside the type of this name.
                None if index > 0 && tag.is_empty() && body.is_some() => {
                    let at = name_span(declared.node);
                    self.push_note(at.start, at.start + at.len, BESIDE_TYPE);
                    self.new_draft(node, SymbolKind::TypeAlias, &declared)
                }
                None => self.new_draft(node, SymbolKind::TypeAlias, &declared),
            };
            if names_body && kind.is_some() {
                (draft.body, draft.ty) = (body, None);
            }
            draft.params = None;
            self.out.drafts.push(draft);
        }
    }

    /// Adds a namespace. Notes the range of a namespace without a name, which hides its contents
    /// from other files.
    pub fn collect_namespace(&mut self, node: Node<'t>) {
        let Some(name) = node.child_by_field_name("name") else {
            return self.push_note(node.start_byte() as u32, node.end_byte() as u32, UNNAMED);
        };
        let (path, last) = split_qualified(self.expressions.node_text(name));
        let mut at = name_span(name);
        let offset = at.len.saturating_sub(last.len() as u32);
        (at.start, at.column, at.len) = (at.start + offset, at.column + offset, last.len() as u32);
        if last.is_empty() || last.len() > MAX_NAME_BYTES {
            return;
        }
        self.out.drafts.push(SymbolDraft {
            name: last,
            name_span: at,
            container: Some(path).filter(|path| !path.is_empty()),
            ..SymbolDraft::without_parts(node, DraftKind::Symbol(SymbolKind::Module))
        });
    }

    /// Adds the namespace that a macro opens: `#define BEGIN namespace app {`.
    pub fn collect_opened_namespace(&mut self, value: Node<'t>) {
        let text = self.expressions.node_text(value);
        let Some((before, name)) = text.split_once("namespace ") else { return };
        let name = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !before.trim().is_empty() || !text.contains('{')
        {
            return;
        }
        let offset = text.len() - text[before.len()..].len() + "namespace ".len();
        let mut at = name_span(value);
        (at.start, at.column, at.len) =
            (at.start + offset as u32, at.column + offset as u32, name.len() as u32);
        self.out.drafts.push(SymbolDraft {
            name: name.to_owned(),
            name_span: at,
            ..SymbolDraft::without_parts(value, DraftKind::Symbol(SymbolKind::Module))
        });
    }

    /// Notes the access sections of a class.
    pub fn note_access(&mut self, node: Node<'t>, default: &str) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut from = body.start_byte() as u32;
        let mut word = default.to_owned();
        let mut cursor = body.walk();
        for child in body.children(&mut cursor).filter(|child| child.kind() == "access_specifier") {
            let start = child.start_byte() as u32;
            self.push_access(from, start, &word);
            (from, word) = (start, self.expressions.node_text(child).trim().to_owned());
        }
        self.push_access(from, body.end_byte() as u32, &word);
    }

    fn push_access(&mut self, start: u32, end: u32, word: &str) {
        self.push_note(start, end, &format!("{ACCESS}{}", word.split([' ', ':']).next().unwrap_or("")));
    }

    fn push_note(&mut self, start: u32, end: u32, word: &str) {
        self.out.notes.push(DialectNote { start, end, content: word.to_owned(), name: String::new() });
    }

    /// Whether a node is in the body of a function that was collected shortly before.
    fn is_in_function(&self, node: Node) -> bool {
        let at = node.start_byte();
        let mut recent = self.out.drafts.iter().rev().take(8);
        recent.any(|draft| {
            matches!(draft.kind, DraftKind::Symbol(SymbolKind::Function))
                && draft.body.is_some_and(|body| body.start_byte() <= at && at < body.end_byte())
        })
    }

    fn new_draft(
        &mut self,
        node: Node<'t>,
        kind: SymbolKind,
        declared: &DeclaredName<'t>,
    ) -> SymbolDraft<'t> {
        if declared.is_function {
            let types = declared.params.map_or(String::new(), |list| parameter_types(list, self.expressions));
            CDialect::note_parameters(name_span(declared.node), types, self.out);
        }
        let written = node.child_by_field_name("type").and_then(type_name_node);
        let container = Some(declared.container.clone()).filter(|container| !container.is_empty());
        SymbolDraft {
            name: declared.name.clone(),
            name_span: name_span(declared.node),
            ty: declared.trailing_type.or(written),
            params: declared.params.filter(|_| declared.is_function),
            value: declared.value.filter(|_| !declared.is_function),
            container,
            ..SymbolDraft::without_parts(node, DraftKind::Symbol(kind))
        }
    }

    /// Adds a symbol that is declared without a definition.
    fn push_declared(&mut self, node: Node<'t>, kind: SymbolKind, declared: &DeclaredName<'t>) {
        let draft = self.new_draft(node, kind, declared);
        CDialect::note_declaration(draft.name_span, self.out);
        self.out.drafts.push(draft);
    }

    /// Binds the parameters of a function or lambda.
    pub fn bind_parameters(&mut self, list: Node<'t>) {
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor).take(250) {
            if let Some(declarator) = parameter.child_by_field_name("declarator")
                && let Some(declared) = read_declarator(declarator, self.expressions)
            {
                self.bind_name(&declared, parameter.child_by_field_name("type"), None);
            }
        }
    }

    /// Binds the variable of `for (auto x : items)`.
    pub fn bind_loop_variable(&mut self, node: Node<'t>) {
        let Some(declarator) = node.child_by_field_name("declarator") else { return };
        if declarator.kind() == "structured_binding_declarator" {
            return self.bind_unknown_names(declarator);
        }
        let Some(declared) = read_declarator(declarator, self.expressions) else { return };
        let written = node.child_by_field_name("type").and_then(|ty| type_text(ty, self.expressions));
        let value = match written {
            Some(ty) => Some(BoundValue::new(ty, BindingKind::Type)),
            None => node.child_by_field_name("right").and_then(|right| {
                let path = self.expressions.path_text(right);
                (path != "?").then_some(BoundValue::new(path, BindingKind::Element))
            }),
        };
        self.push_binding(declared.node, declared.name, value);
    }

    /// Binds a local name to its declared type, or to its value if the type is `auto`.
    fn bind_name(&mut self, declared: &DeclaredName<'t>, ty: Option<Node<'t>>, value: Option<Node<'t>>) {
        let written = ty
            .and_then(|ty| type_text(ty, self.expressions))
            .map(|ty| BoundValue::new(ty, BindingKind::Type));
        let bound = written.or_else(|| self.expressions.value_type(value?));
        self.push_binding(declared.node, declared.name.clone(), bound);
    }

    fn bind_unknown_names(&mut self, list: Node<'t>) {
        let mut cursor = list.walk();
        for name in list.named_children(&mut cursor).take(64) {
            self.push_binding(name, self.expressions.node_text(name).to_owned(), None);
        }
    }

    fn push_binding(&mut self, node: Node, name: String, value: Option<BoundValue>) {
        if name.is_empty() || name.len() > MAX_NAME_BYTES {
            return;
        }
        self.out.bindings.push(RawBinding {
            name,
            value,
            at: node.start_byte() as u32,
            range: None,
            whole_block: false,
            is_member: false,
            is_receiver: false,
            declares: false,
            hides: true,
        });
    }
}
