//! Local names of JavaScript and TypeScript: one walk that knows functions and blocks, parameters and their expected
//! types, destructuring, and what functions return.

use super::{expected, jsdoc, paths, shapes};
use crate::extract::bindings::RawBinding;
use crate::extract::collected::{Collected, Mark};
use crate::extract::expressions::{Expressions, UNKNOWN, type_text};
use kenning_graph::facts::BindingKind;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Nesting of destructuring patterns that is read.
const MAX_PATTERN: u32 = 8;
/// Local names that lead to one another are replaced this often.
const MAX_REPLACED: u32 = 6;
/// Longest path that a binding keeps.
const MAX_BOUND: usize = 400;
/// Returns of one function that are read.
const MAX_RETURNS: usize = 3;

/// A function or a block around the node at hand.
pub(super) struct Frame {
    end: u32,
    /// `None` for a block.
    pub function: Option<Function>,
}

/// A function around the node at hand.
pub(super) struct Function {
    /// First byte of the name of the symbol that it is, if it is one.
    name: Option<u32>,
    /// Its return type as written.
    pub annotated: Option<String>,
    returned: Vec<String>,
}

/// The walk over one file.
pub(super) struct Walk<'x, 'o, 't> {
    pub x: &'x Expressions<'x>,
    pub out: &'o mut Collected<'t>,
    pub frames: Vec<Frame>,
    /// The bindings so far by name.
    known: FxHashMap<&'x str, Vec<usize>>,
    /// The language has no types of its own: those of documentation comments count.
    pub documented: bool,
}

/// Reads the whole tree.
pub(super) fn walk<'t>(root: Node<'t>, x: &Expressions, out: &mut Collected<'t>) {
    let documented = root.language().id_for_node_kind("type_annotation", true) == 0;
    let mut walk = Walk { x, out, frames: Vec::new(), known: FxHashMap::default(), documented };
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_named() {
            walk.enter(node);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                walk.leave(u32::MAX);
                return;
            }
        }
    }
}

/// Whether nodes of this kind are functions.
pub(super) fn is_function(kind: &str) -> bool {
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

impl<'t> Walk<'_, '_, 't> {
    fn enter(&mut self, node: Node<'t>) {
        let kind = node.kind();
        self.leave(node.start_byte() as u32);
        match kind {
            _ if is_function(kind) => self.function(node, kind),
            "statement_block" | "class_body" | "for_statement" | "switch_body" | "catch_clause" => {
                self.block(node);
                if let Some(caught) = node.child_by_field_name("parameter") {
                    self.pattern(caught, None, node.end_byte() as u32, 0);
                }
            }
            "for_in_statement" => self.iteration(node),
            "class_declaration" | "abstract_class_declaration" => self.declared(node),
            "variable_declarator" => self.variable(node),
            "assignment_expression" => self.assignment(node),
            "public_field_definition" | "field_definition" => self.field(node),
            "return_statement" => {
                if let Some(value) = node.named_child(0) {
                    self.returned(value);
                }
            }
            "call_signature" | "construct_signature" => shapes::call_signature(node, self.out),
            _ => {}
        }
    }

    /// Leaves what ends at or before a byte.
    fn leave(&mut self, at: u32) {
        while self.frames.last().is_some_and(|frame| frame.end <= at) {
            if let Some(Frame { function: Some(Function { name: Some(name), returned, .. }), .. }) =
                self.frames.pop()
                && !returned.is_empty()
            {
                self.mark(name, returned.join("|"));
            }
        }
    }

    fn block(&mut self, node: Node) {
        self.frames.push(Frame { end: node.end_byte() as u32, function: None });
    }

    /// Byte at which what is declared here is bound no more.
    fn until(&self) -> u32 {
        self.frames.last().map_or(u32::MAX, |frame| frame.end)
    }

    /// The same for `var`.
    fn function_until(&self) -> u32 {
        let mut functions = self.frames.iter().rev().filter(|frame| frame.function.is_some());
        functions.next().map_or(u32::MAX, |frame| frame.end)
    }

    pub fn bind(&mut self, name: Node, value: Option<(String, BindingKind)>, until: u32, declares: bool) {
        let text = self.x.text_of(name);
        if text.is_empty() || text.len() > 200 {
            return;
        }
        let value = value.filter(|(value, _)| !value.is_empty() && value.len() <= MAX_BOUND);
        self.known.entry(text).or_default().push(self.out.bindings.len());
        let (name, at) = (text.to_owned(), name.start_byte() as u32);
        self.out.bindings.push(RawBinding {
            name,
            value,
            at,
            holds: Some((at, until)),
            whole_block: false,
            member: false,
            receiver: false,
            declares,
            hides: until != u32::MAX,
        });
    }

    /// The name of a function or class is bound around it.
    fn declared(&mut self, node: Node) {
        if let Some(name) = node.child_by_field_name("name") {
            self.bind(name, None, self.until(), true);
        }
    }

    fn function(&mut self, node: Node<'t>, kind: &str) {
        if kind.ends_with("declaration") {
            self.declared(node);
        }
        let base = expected::of(node, self, 0);
        let docs = if self.documented { jsdoc::before(node, self.x) } else { None };
        let annotation = |node: Node| self.x.text_of(node).trim_start_matches(':').trim().to_owned();
        let mut annotated = node.child_by_field_name("return_type").map(annotation);
        let name = symbol_name(node, kind);
        if let (None, Some(name), Some(ty)) = (&annotated, name, docs.as_ref().and_then(jsdoc::Docs::returns))
        {
            self.mark(name, ty.to_owned());
            annotated = Some(ty.to_owned());
        }
        let end = node.end_byte() as u32;
        let expression = node.child_by_field_name("body").filter(|body| body.kind() != "statement_block");
        let written = annotated.is_some();
        self.frames.push(Frame { end, function: Some(Function { name, annotated, returned: Vec::new() }) });
        if let Some(single) = node.child_by_field_name("parameter") {
            let source = base.as_ref().map(|base| format!("{base}.@0"));
            self.pattern(single, source, end, 0);
        }
        if let Some(parameters) = node.child_by_field_name("parameters") {
            self.parameters(parameters, base.as_deref(), docs.as_ref(), end);
        }
        if let (Some(body), false) = (expression, written) {
            self.returned(body);
        }
    }

    fn parameters(&mut self, list: Node<'t>, base: Option<&str>, docs: Option<&jsdoc::Docs>, end: u32) {
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
            self.pattern(pattern, source, end, 0);
            position += 1;
        }
    }

    /// The type of a parameter, or else its default value, as a path.
    fn parameter_source(&self, parameter: Node, pattern: Node, docs: Option<&jsdoc::Docs>) -> Option<String> {
        if let Some(ty) = parameter.child_by_field_name("type") {
            return type_path(self.x.text_of(ty));
        }
        if let Some(ty) = docs.and_then(|docs| docs.parameter(self.x.text_of(parameter_name(pattern)))) {
            return type_path(ty);
        }
        parameter.child_by_field_name("value").and_then(|value| self.path(value))
    }

    /// Binds the names of a pattern to parts of a value.
    fn pattern(&mut self, pattern: Node<'t>, source: Option<String>, until: u32, depth: u32) {
        if depth > MAX_PATTERN {
            return;
        }
        match pattern.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                self.bind(pattern, source.and_then(paths::value), until, false);
            }
            "object_pattern" => {
                for part in pattern.named_children(&mut pattern.walk()) {
                    self.property(part, source.as_deref(), until, depth);
                }
            }
            "array_pattern" => {
                let mut position = 0;
                for part in pattern.children(&mut pattern.walk()) {
                    if part.kind() == "," {
                        position += 1;
                    } else if part.is_named() {
                        let rest = part.kind() == "rest_pattern";
                        let element = |source: &String| {
                            if rest { source.clone() } else { format!("{source}[{position}]") }
                        };
                        self.pattern(part, source.as_ref().map(element), until, depth + 1);
                    }
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                let default = pattern.child_by_field_name("right").and_then(|value| self.path(value));
                if let Some(left) = pattern.child_by_field_name("left") {
                    self.pattern(left, source.or(default), until, depth + 1);
                }
            }
            "rest_pattern" => {
                if let Some(inner) = pattern.named_child(0) {
                    self.pattern(inner, source, until, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// One part of an object pattern.
    fn property(&mut self, part: Node<'t>, source: Option<&str>, until: u32, depth: u32) {
        let of = |key: &str| source.map(|source| format!("{source}.{key}"));
        match part.kind() {
            "shorthand_property_identifier_pattern" => {
                let value = of(self.x.text_of(part));
                self.pattern(part, value, until, depth + 1);
            }
            "pair_pattern" => {
                let key = part.child_by_field_name("key").and_then(|key| paths::key(key, self.x));
                if let Some(value) = part.child_by_field_name("value") {
                    self.pattern(value, key.and_then(|key| of(&key)), until, depth + 1);
                }
            }
            "object_assignment_pattern" => {
                let Some(left) = part.child_by_field_name("left") else { return };
                self.pattern(left, of(self.x.text_of(left)), until, depth + 1);
            }
            "rest_pattern" => {
                if let Some(inner) = part.named_child(0) {
                    self.pattern(inner, source.map(str::to_owned), until, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn variable(&mut self, node: Node<'t>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let is_var = node.parent().is_some_and(|parent| parent.kind() == "variable_declaration");
        let until = if is_var { self.function_until() } else { self.until() };
        let value = node.child_by_field_name("value");
        let required = value.filter(|value| value.kind() == "call_expression");
        // At the top of a file this is an import.
        if until == u32::MAX && required.is_some_and(|call| paths::module(call, self.x).is_some()) {
            return;
        }
        let written = node.child_by_field_name("type").and_then(|ty| type_path(self.x.text_of(ty)));
        let documented =
            || self.documented.then(|| jsdoc::before(node, self.x)?.own().and_then(type_path)).flatten();
        let source = written.or_else(documented).or_else(|| value.and_then(|value| self.of_value(value)));
        let declares = name.kind() == "identifier"
            && value.is_some_and(|v| is_function(v.kind()) || v.kind() == "class");
        if declares {
            return self.bind(name, None, until, true);
        }
        if name.kind() == "identifier" {
            self.note_type(name, source.as_deref());
        }
        self.pattern(name, source, until, 0);
    }

    /// Notes the type of the symbol whose name begins at a byte.
    fn mark(&mut self, start: u32, ty: String) {
        self.out.marks.push(Mark { start, end: start, word: ty, name: String::new() });
    }

    /// Notes the type of a variable or field that is a symbol, if it is one.
    fn note_type(&mut self, name: Node, source: Option<&str>) {
        let Some(source) = source.and_then(|source| self.settled(source)) else { return };
        let ty = match paths::value(source) {
            Some((ty, BindingKind::Type)) => ty,
            Some((path, _)) => format!("={path}"),
            None => return,
        };
        if ty.len() <= MAX_BOUND {
            self.mark(name.start_byte() as u32, ty);
        }
    }

    /// `x = value`, `this.x = value`.
    fn assignment(&mut self, node: Node<'t>) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        match left.kind() {
            "identifier" => {
                let Some(value) = self.of_value(right) else { return };
                let at = node.start_byte() as u32;
                let name = self.x.text_of(left);
                let declared = self.local(name, at).map(|binding| {
                    (
                        end_of(binding),
                        matches!(binding.value, Some((_, BindingKind::Type))) || binding.declares,
                    )
                });
                if let Some((until, false)) = declared {
                    self.bind(left, paths::value(value), until, false);
                }
            }
            "member_expression" => {
                if let Some(property) = left.child_by_field_name("property") {
                    let source = self.of_value(right);
                    self.note_type(property, source.as_deref());
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, node: Node<'t>) {
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
        let (Some(name), None) = (name, node.child_by_field_name("type")) else { return };
        let documented =
            || self.documented.then(|| jsdoc::before(node, self.x)?.own().and_then(type_path)).flatten();
        let source =
            documented().or_else(|| node.child_by_field_name("value").and_then(|value| self.of_value(value)));
        self.note_type(name, source.as_deref());
    }

    fn iteration(&mut self, node: Node<'t>) {
        self.block(node);
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        let of = node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "of");
        let source =
            if of { self.path(right).map(|path| format!("{path}[]")) } else { Some("String()".to_owned()) };
        self.pattern(left, source, node.end_byte() as u32, 0);
    }

    /// An expression as a path, or an object literal as its type.
    fn of_value(&self, node: Node) -> Option<String> {
        if node.kind() == "object" {
            let ty = shapes::object(node, self, 0)?;
            let mut path = String::new();
            return paths::write_type(&ty, &mut path).then_some(path);
        }
        self.path(node)
    }

    pub fn path(&self, node: Node) -> Option<String> {
        let path = self.x.path(node);
        (path != UNKNOWN).then_some(path)
    }

    fn returned(&mut self, value: Node) {
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
            shapes::object(value, self, 0)
        } else if is_function(value.kind()) {
            value.child_by_field_name("name").map(|name| format!("={}", self.x.text_of(name)))
        } else {
            self.path(value).and_then(|path| self.settled(&path)).and_then(paths::value).map(|(text, how)| {
                match how {
                    BindingKind::Type => text,
                    _ => format!("={text}"),
                }
            })
        };
        let Some(text) =
            text.filter(|text| text.len() <= MAX_BOUND && text != "=null" && text != "=undefined")
        else {
            return;
        };
        if let Some(function) = &mut self.frames[at].function
            && !function.returned.contains(&text)
        {
            function.returned.push(text);
        }
    }

    /// The binding of a name that holds at a byte, where it is not that of the file.
    fn local(&self, name: &str, at: u32) -> Option<&RawBinding> {
        let known = self.known.get(name)?;
        let bound = known.iter().rev().map(|&binding| &self.out.bindings[binding]);
        bound.take(64).find(|binding| at < end_of(binding))
    }

    /// A path in which no local name is left, so that it can be read from outside; `None` where that cannot be done.
    pub fn settled(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        for _ in 0..MAX_REPLACED {
            let end = path.find(['.', '(', '[']).unwrap_or(path.len());
            let (root, rest) = path.split_at(end);
            if root.starts_with(':') || root.contains(':') || matches!(root, "this" | "super") {
                return Some(path);
            }
            let Some(binding) = self.innermost(root) else { return Some(path) };
            if end_of(binding) == u32::MAX || binding.declares {
                return Some(path);
            }
            let (value, how) = binding.value.as_ref()?;
            path = match how {
                BindingKind::Type => {
                    let mut start = String::new();
                    paths::write_type(value, &mut start).then_some(start)? + rest
                }
                BindingKind::Value => format!("{value}{rest}"),
                BindingKind::Element => format!("{value}[]{rest}"),
            };
            if path.len() > MAX_BOUND {
                return None;
            }
        }
        None
    }

    /// The last binding of a name that still holds in the innermost frame.
    fn innermost(&self, name: &str) -> Option<&RawBinding> {
        let inside = self.frames.last().map_or(u32::MAX, |frame| frame.end);
        let known = self.known.get(name)?;
        let bound = known.iter().rev().map(|&binding| &self.out.bindings[binding]);
        bound.take(64).find(|binding| end_of(binding) >= inside)
    }
}

/// Byte at which a binding holds no more.
fn end_of(binding: &RawBinding) -> u32 {
    binding.holds.map_or(u32::MAX, |(_, end)| end)
}

/// A type as the start of a path.
pub(super) fn type_path(ty: &str) -> Option<String> {
    let ty = type_text(ty);
    if matches!(ty.as_str(), "any" | "unknown") {
        return None;
    }
    let mut path = String::new();
    paths::write_type(&ty, &mut path).then_some(path)
}

/// The name in a parameter's pattern.
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

/// First byte of the name of the symbol that a function is.
fn symbol_name(node: Node, kind: &str) -> Option<u32> {
    let parent = node.parent()?;
    let named = match parent.kind() {
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
    named.or_else(|| node.child_by_field_name("name")).map(|name| name.start_byte() as u32)
}
