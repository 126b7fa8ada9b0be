//! Local names of JavaScript and TypeScript.
//!
//! One walk over the tree tracks the functions and blocks around each node. It binds parameters
//! (with their expected types), variables and destructured names, and records the types of
//! variables, fields and function results.

use super::{expected_types, expression_paths, jsdoc, object_types};
use crate::extract::bindings::RawBinding;
use crate::extract::expressions::{BoundValue, ExpressionReader, UNKNOWN, one_line_type};
use crate::extract::raw_facts::{DialectNote, RawFacts};
use kenning_graph::facts::BindingKind;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Maximum nesting of destructuring patterns. Hostile files nest thousands.
const MAX_PATTERN_DEPTH: u32 = 8;
/// Maximum number of successive replacements of local names in a path. Names can form a cycle (`a =
/// b.c` and `b = a.c`).
const MAX_REPLACEMENTS: u32 = 6;
/// Maximum length in bytes of the path of a binding. Each replacement can double the path.
const MAX_PATH_BYTES: usize = 400;
/// Maximum number of `return` values read per function. Generated parsers have hundreds.
const MAX_RETURNS: usize = 3;

/// A function or block around the current node.
pub(super) struct ScopeFrame {
    /// The byte at which the scope ends.
    end: u32,
    /// The function; `None` for a block.
    pub function: Option<EnclosingFunction>,
}

/// A function around the current node.
pub(super) struct EnclosingFunction {
    /// First byte of the name of the function's symbol, if it has one.
    name: Option<u32>,
    /// The return type, as written.
    pub annotated: Option<String>,
    /// The types of the returned values, or their paths after `=`.
    returned: Vec<String>,
}

/// The role of a bound name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BoundName {
    /// The name of a symbol of the file.
    Symbol,
    /// A local name only.
    Local,
}

/// The walk over one file.
pub(super) struct LocalBindingWalk<'x, 'o, 't> {
    pub expressions: &'x ExpressionReader<'x>,
    pub out: &'o mut RawFacts<'t>,
    pub frames: Vec<ScopeFrame>,
    /// Indices into the bindings of `out`, by name.
    bindings_by_name: FxHashMap<&'x str, Vec<usize>>,
    /// Whether the types in documentation comments are used, because the language has no type
    /// annotations.
    pub documented: bool,
}

/// Collects the bindings of the whole tree.
pub(super) fn collect_local_bindings<'t>(
    root: Node<'t>,
    expressions: &ExpressionReader,
    out: &mut RawFacts<'t>,
) {
    let documented = root.language().id_for_node_kind("type_annotation", true) == 0;
    let mut walk = LocalBindingWalk {
        expressions,
        out,
        frames: Vec::new(),
        bindings_by_name: FxHashMap::default(),
        documented,
    };
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_named() {
            walk.visit_node(node);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                walk.leave_frames(u32::MAX);
                return;
            }
        }
    }
}

/// Whether nodes of this kind are functions.
pub(super) fn is_function_kind(kind: &str) -> bool {
    matches!(
        kind,
        "arrow_function"
            | "function_expression"
            | "function_declaration"
            | "generator_function"
            | "generator_function_declaration"
            | "method_definition"
    )
}

impl<'t> LocalBindingWalk<'_, '_, 't> {
    fn visit_node(&mut self, node: Node<'t>) {
        let kind = node.kind();
        self.leave_frames(node.start_byte() as u32);
        match kind {
            _ if is_function_kind(kind) => self.visit_function(node, kind),
            "statement_block" | "class_body" | "for_statement" | "switch_body" | "catch_clause" => {
                self.push_block(node);
                if let Some(exception) = node.child_by_field_name("parameter") {
                    self.bind_pattern(exception, None, node.end_byte() as u32, 0);
                }
            }
            "for_in_statement" => self.visit_for_in(node),
            "class_declaration" | "abstract_class_declaration" => self.bind_declaration(node),
            "variable_declarator" => self.visit_variable(node),
            "assignment_expression" => self.visit_assignment(node),
            "public_field_definition" | "field_definition" => self.visit_field(node),
            "return_statement" => {
                if let Some(value) = node.named_child(0) {
                    self.record_return(value);
                }
            }
            "call_signature" | "construct_signature" => object_types::push_call_signature(node, self.out),
            _ => {}
        }
    }

    /// Leaves the frames that end at or before a byte.
    fn leave_frames(&mut self, at: u32) {
        while self.frames.last().is_some_and(|frame| frame.end <= at) {
            if let Some(ScopeFrame {
                function: Some(EnclosingFunction { name: Some(name), returned, .. }),
                ..
            }) = self.frames.pop()
                && !returned.is_empty()
            {
                self.record_symbol_type(name, returned.join("|"));
            }
        }
    }

    fn push_block(&mut self, node: Node) {
        self.frames.push(ScopeFrame { end: node.end_byte() as u32, function: None });
    }

    /// Returns the byte at which names declared here go out of scope.
    fn scope_end(&self) -> u32 {
        self.frames.last().map_or(u32::MAX, |frame| frame.end)
    }

    /// Returns the byte at which names declared here with `var` go out of scope.
    fn function_end(&self) -> u32 {
        let mut functions = self.frames.iter().rev().filter(|frame| frame.function.is_some());
        functions.next().map_or(u32::MAX, |frame| frame.end)
    }

    /// Binds a name to a value up to the byte `until`.
    fn bind_name(&mut self, name: Node, value: Option<BoundValue>, until: u32, bound: BoundName) {
        let text = self.expressions.node_text(name);
        if text.is_empty() || text.len() > 200 {
            return;
        }
        let value = value.filter(|value| !value.text.is_empty() && value.text.len() <= MAX_PATH_BYTES);
        self.bindings_by_name.entry(text).or_default().push(self.out.bindings.len());
        let (name, at) = (text.to_owned(), name.start_byte() as u32);
        self.out.bindings.push(RawBinding {
            name,
            value,
            at,
            range: Some((at, until)),
            whole_block: false,
            is_member: false,
            is_receiver: false,
            declares: bound == BoundName::Symbol,
            hides: until != u32::MAX,
        });
    }

    /// Binds the name of a function or class in the scope around it.
    fn bind_declaration(&mut self, node: Node) {
        if let Some(name) = node.child_by_field_name("name") {
            self.bind_name(name, None, self.scope_end(), BoundName::Symbol);
        }
    }

    fn visit_function(&mut self, node: Node<'t>, kind: &str) {
        if kind.ends_with("declaration") {
            self.bind_declaration(node);
        }
        let base = expected_types::expected_path(node, self, 0);
        let docs = if self.documented { jsdoc::find_jsdoc(node, self.expressions) } else { None };
        let annotation =
            |node: Node| self.expressions.node_text(node).trim_start_matches(':').trim().to_owned();
        let mut annotated = node.child_by_field_name("return_type").map(annotation);
        let name = symbol_name_start(node, kind);
        if let (None, Some(name), Some(ty)) =
            (&annotated, name, docs.as_ref().and_then(jsdoc::JsDocTags::return_type))
        {
            self.record_symbol_type(name, ty.to_owned());
            annotated = Some(ty.to_owned());
        }
        let end = node.end_byte() as u32;
        let expression_body =
            node.child_by_field_name("body").filter(|body| body.kind() != "statement_block");
        let has_annotation = annotated.is_some();
        self.frames.push(ScopeFrame {
            end,
            function: Some(EnclosingFunction { name, annotated, returned: Vec::new() }),
        });
        if let Some(parameter) = node.child_by_field_name("parameter") {
            let source = base.as_ref().map(|base| format!("{base}.@0"));
            self.bind_pattern(parameter, source, end, 0);
        }
        if let Some(parameters) = node.child_by_field_name("parameters") {
            self.bind_parameters(parameters, base.as_deref(), docs.as_ref(), end);
        }
        if let (Some(body), false) = (expression_body, has_annotation) {
            self.record_return(body);
        }
    }

    fn bind_parameters(
        &mut self,
        list: Node<'t>,
        base: Option<&str>,
        docs: Option<&jsdoc::JsDocTags>,
        end: u32,
    ) {
        let mut position = 0;
        for parameter in list.named_children(&mut list.walk()) {
            if parameter.is_extra() {
                continue;
            }
            let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
            if pattern.kind() == "this" {
                continue;
            }
            let source = self.parameter_source(parameter, pattern, docs);
            let source = source.or_else(|| base.map(|base| format!("{base}.@{position}")));
            self.bind_pattern(pattern, source, end, 0);
            position += 1;
        }
    }

    /// Returns the type of a parameter, or else its default value, as a path.
    fn parameter_source(
        &self,
        parameter: Node,
        pattern: Node,
        docs: Option<&jsdoc::JsDocTags>,
    ) -> Option<String> {
        if let Some(ty) = parameter.child_by_field_name("type") {
            return type_path(self.expressions.node_text(ty));
        }
        if let Some(ty) =
            docs.and_then(|docs| docs.parameter_type(self.expressions.node_text(parameter_name(pattern))))
        {
            return type_path(ty);
        }
        parameter.child_by_field_name("value").and_then(|value| self.known_path(value))
    }

    /// Binds the names of a pattern to parts of a value.
    fn bind_pattern(&mut self, pattern: Node<'t>, source: Option<String>, until: u32, depth: u32) {
        if depth > MAX_PATTERN_DEPTH {
            return;
        }
        match pattern.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                let value = source.and_then(expression_paths::binding_value);
                self.bind_name(pattern, value, until, BoundName::Local);
            }
            "object_pattern" => {
                for part in pattern.named_children(&mut pattern.walk()) {
                    self.bind_property(part, source.as_deref(), until, depth);
                }
            }
            "array_pattern" => {
                let mut position = 0;
                for part in pattern.children(&mut pattern.walk()) {
                    if part.kind() == "," {
                        position += 1;
                    } else if part.is_named() {
                        let is_rest = part.kind() == "rest_pattern";
                        let element = |source: &String| {
                            if is_rest { source.clone() } else { format!("{source}[{position}]") }
                        };
                        self.bind_pattern(part, source.as_ref().map(element), until, depth + 1);
                    }
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                let default = pattern.child_by_field_name("right").and_then(|value| self.known_path(value));
                if let Some(left) = pattern.child_by_field_name("left") {
                    self.bind_pattern(left, source.or(default), until, depth + 1);
                }
            }
            "rest_pattern" => {
                if let Some(inner) = pattern.named_child(0) {
                    self.bind_pattern(inner, source, until, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Binds the names in one part of an object pattern.
    fn bind_property(&mut self, part: Node<'t>, source: Option<&str>, until: u32, depth: u32) {
        let property_path = |key: &str| source.map(|source| format!("{source}.{key}"));
        match part.kind() {
            "shorthand_property_identifier_pattern" => {
                let value = property_path(self.expressions.node_text(part));
                self.bind_pattern(part, value, until, depth + 1);
            }
            "pair_pattern" => {
                let key = part
                    .child_by_field_name("key")
                    .and_then(|key| expression_paths::property_key(key, self.expressions));
                if let Some(value) = part.child_by_field_name("value") {
                    self.bind_pattern(value, key.and_then(|key| property_path(&key)), until, depth + 1);
                }
            }
            "object_assignment_pattern" => {
                let Some(left) = part.child_by_field_name("left") else { return };
                self.bind_pattern(left, property_path(self.expressions.node_text(left)), until, depth + 1);
            }
            "rest_pattern" => {
                if let Some(inner) = part.named_child(0) {
                    self.bind_pattern(inner, source.map(str::to_owned), until, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn visit_variable(&mut self, node: Node<'t>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let is_var = node.parent().is_some_and(|parent| parent.kind() == "variable_declaration");
        let until = if is_var { self.function_end() } else { self.scope_end() };
        let value = node.child_by_field_name("value");
        let required_call = value.filter(|value| value.kind() == "call_expression");
        // At the top level of a file this is an import.
        if until == u32::MAX
            && required_call
                .is_some_and(|call| expression_paths::required_module(call, self.expressions).is_some())
        {
            return;
        }
        let annotated =
            node.child_by_field_name("type").and_then(|ty| type_path(self.expressions.node_text(ty)));
        let documented = || {
            self.documented
                .then(|| jsdoc::find_jsdoc(node, self.expressions)?.declared_type().and_then(type_path))
                .flatten()
        };
        let source = annotated.or_else(documented).or_else(|| value.and_then(|value| self.value_path(value)));
        let declares = name.kind() == "identifier"
            && value.is_some_and(|value| is_function_kind(value.kind()) || value.kind() == "class");
        if declares {
            return self.bind_name(name, None, until, BoundName::Symbol);
        }
        if name.kind() == "identifier" {
            self.record_value_type(name, source.as_deref());
        }
        self.bind_pattern(name, source, until, 0);
    }

    /// Records the type of the symbol whose name begins at a byte.
    fn record_symbol_type(&mut self, start: u32, ty: String) {
        self.out.notes.push(DialectNote { start, end: start, content: ty, name: String::new() });
    }

    /// Records the type of a variable or field, which applies if it is a symbol.
    fn record_value_type(&mut self, name: Node, source: Option<&str>) {
        let Some(source) = source.and_then(|source| self.resolve_locals(source)) else { return };
        let ty = match expression_paths::binding_value(source) {
            Some(BoundValue { text, kind: BindingKind::Type }) => text,
            Some(BoundValue { text, .. }) => format!("={text}"),
            None => return,
        };
        if ty.len() <= MAX_PATH_BYTES {
            self.record_symbol_type(name.start_byte() as u32, ty);
        }
    }

    /// Reads `x = value` and `this.x = value`.
    fn visit_assignment(&mut self, node: Node<'t>) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        match left.kind() {
            "identifier" => {
                let Some(value) = self.value_path(right) else { return };
                let at = node.start_byte() as u32;
                let name = self.expressions.node_text(left);
                let declared = self.find_local(name, at).map(|binding| {
                    (
                        binding_end(binding),
                        binding.value.as_ref().is_some_and(|value| value.kind == BindingKind::Type)
                            || binding.declares,
                    )
                });
                if let Some((until, false)) = declared {
                    let value = expression_paths::binding_value(value);
                    self.bind_name(left, value, until, BoundName::Local);
                }
            }
            "member_expression" => {
                if let Some(property) = left.child_by_field_name("property") {
                    let source = self.value_path(right);
                    self.record_value_type(property, source.as_deref());
                }
            }
            _ => {}
        }
    }

    fn visit_field(&mut self, node: Node<'t>) {
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
        let (Some(name), None) = (name, node.child_by_field_name("type")) else { return };
        let documented = || {
            self.documented
                .then(|| jsdoc::find_jsdoc(node, self.expressions)?.declared_type().and_then(type_path))
                .flatten()
        };
        let source = documented()
            .or_else(|| node.child_by_field_name("value").and_then(|value| self.value_path(value)));
        self.record_value_type(name, source.as_deref());
    }

    fn visit_for_in(&mut self, node: Node<'t>) {
        self.push_block(node);
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        let is_for_of = node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "of");
        let source = if is_for_of {
            self.known_path(right).map(|path| format!("{path}[]"))
        } else {
            Some("String()".to_owned())
        };
        self.bind_pattern(left, source, node.end_byte() as u32, 0);
    }

    /// Returns an expression as a path. An object literal becomes its type.
    fn value_path(&self, node: Node) -> Option<String> {
        if node.kind() == "object" {
            let ty = object_types::object_literal_type(node, self, 0)?;
            let mut path = String::new();
            return expression_paths::write_type(&ty, &mut path).then_some(path);
        }
        self.known_path(node)
    }

    /// Returns an expression as a path. Returns `None` if its value is unknown.
    pub fn known_path(&self, node: Node) -> Option<String> {
        let path = self.expressions.path_text(node);
        (path != UNKNOWN).then_some(path)
    }

    fn record_return(&mut self, value: Node) {
        let Some(at) = self.frames.iter().rposition(|frame| frame.function.is_some()) else { return };
        let Some(function) = &self.frames[at].function else { return };
        if function.name.is_none() || function.annotated.is_some() || function.returned.len() >= MAX_RETURNS {
            return;
        }
        let mut value = value;
        while value.kind() == "parenthesized_expression" {
            let Some(inner) = value.named_child(0) else { return };
            value = inner;
        }
        let text = if value.kind() == "object" {
            object_types::object_literal_type(value, self, 0)
        } else if is_function_kind(value.kind()) {
            value.child_by_field_name("name").map(|name| format!("={}", self.expressions.node_text(name)))
        } else {
            self.known_path(value)
                .and_then(|path| self.resolve_locals(&path))
                .and_then(expression_paths::binding_value)
                .map(|BoundValue { text, kind }| match kind {
                    BindingKind::Type => text,
                    _ => format!("={text}"),
                })
        };
        let Some(text) =
            text.filter(|text| text.len() <= MAX_PATH_BYTES && text != "=null" && text != "=undefined")
        else {
            return;
        };
        if let Some(function) = &mut self.frames[at].function
            && !function.returned.contains(&text)
        {
            function.returned.push(text);
        }
    }

    /// Returns the binding of a name that is in effect at a byte.
    fn find_local(&self, name: &str, at: u32) -> Option<&RawBinding> {
        let indices = self.bindings_by_name.get(name)?;
        let bound = indices.iter().rev().map(|&index| &self.out.bindings[index]);
        bound.take(64).find(|binding| at < binding_end(binding))
    }

    /// Replaces the local names in a path, so that it is valid outside the function. Returns `None`
    /// if that is not possible.
    pub fn resolve_locals(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        for _ in 0..MAX_REPLACEMENTS {
            let end = path.find(['.', '(', '[']).unwrap_or(path.len());
            let (root, rest) = path.split_at(end);
            if root.starts_with(':') || root.contains(':') || matches!(root, "this" | "super") {
                return Some(path);
            }
            let Some(binding) = self.find_in_frame(root) else { return Some(path) };
            if binding_end(binding) == u32::MAX || binding.declares {
                return Some(path);
            }
            let BoundValue { text: value, kind } = binding.value.as_ref()?;
            path = match kind {
                BindingKind::Type => {
                    let mut start = String::new();
                    expression_paths::write_type(value, &mut start).then_some(start)? + rest
                }
                BindingKind::Value => format!("{value}{rest}"),
                BindingKind::Element => format!("{value}[]{rest}"),
            };
            if path.len() > MAX_PATH_BYTES {
                return None;
            }
        }
        None
    }

    /// Returns the last binding of a name that is in effect until the end of the innermost frame.
    fn find_in_frame(&self, name: &str) -> Option<&RawBinding> {
        let frame_end = self.frames.last().map_or(u32::MAX, |frame| frame.end);
        let indices = self.bindings_by_name.get(name)?;
        let bound = indices.iter().rev().map(|&index| &self.out.bindings[index]);
        bound.take(64).find(|binding| binding_end(binding) >= frame_end)
    }
}

/// Returns the byte at which a binding goes out of scope.
fn binding_end(binding: &RawBinding) -> u32 {
    binding.range.map_or(u32::MAX, |(_, end)| end)
}

/// Returns a type as the start of a path; `None` for `any` and `unknown`.
pub(super) fn type_path(ty: &str) -> Option<String> {
    let ty = one_line_type(ty);
    if matches!(ty.as_str(), "any" | "unknown") {
        return None;
    }
    let mut path = String::new();
    expression_paths::write_type(&ty, &mut path).then_some(path)
}

/// Returns the name in a parameter's pattern.
fn parameter_name(pattern: Node) -> Node {
    let mut node = pattern;
    for _ in 0..3 {
        match node.kind() {
            "assignment_pattern" => node = node.child_by_field_name("left").unwrap_or(node),
            "rest_pattern" => node = node.named_child(0).unwrap_or(node),
            _ => break,
        }
    }
    node
}

/// Returns the first byte of the name of the symbol that a function defines.
fn symbol_name_start(node: Node, kind: &str) -> Option<u32> {
    let parent = node.parent()?;
    let name = match parent.kind() {
        "variable_declarator" => {
            parent.child_by_field_name("name").filter(|name| name.kind() == "identifier")
        }
        "pair" => parent.child_by_field_name("key"),
        "public_field_definition" => parent.child_by_field_name("name"),
        "field_definition" => parent.child_by_field_name("property"),
        "assignment_expression" => {
            parent.child_by_field_name("left").and_then(|left| left.child_by_field_name("property"))
        }
        "export_statement" if kind == "arrow_function" || node.child_by_field_name("name").is_none() => {
            parent.children(&mut parent.walk()).find(|child| child.kind() == "default")
        }
        _ => None,
    };
    name.or_else(|| node.child_by_field_name("name")).map(|name| name.start_byte() as u32)
}
