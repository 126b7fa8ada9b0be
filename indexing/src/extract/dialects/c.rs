//! The dialect of C and C++: declarators of any depth, access sections, declarations that are
//! defined elsewhere, `using`, and text that is C only after preprocessing.
//!
//! A declaration without a body gets a type that begins with `~`. Resolution replaces such a symbol
//! by its definition, if there is one (`FamilyRules::separate_definitions`).

mod declaration_collector;
mod declarators;
mod preprocessor;

use super::{Dialect, VisibilityInput, strip_quotes};
use crate::extract::expressions::{ExpressionReader, one_line};
use crate::extract::raw_facts::{DialectNote, RawFacts, name_span};
use crate::extract::source_rewrites::SourceRewrite;
use declaration_collector::DeclarationCollector;
use declarators::{has_macro_before_type_name, read_declarator};
use kenning_graph::facts::{FILE_SCOPE, ImportFact, NameSpan, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

/// Functions with a type argument that return a value of that type.
const TYPED_CALLS: [&str; 9] = [
    "static_cast",
    "dynamic_cast",
    "reinterpret_cast",
    "const_cast",
    "make_unique",
    "make_shared",
    "static_pointer_cast",
    "dynamic_pointer_cast",
    "bit_cast",
];

/// The word of notes about symbols that are declared without a definition.
const DECLARED: &str = "declared";
/// The word of notes with the parameter types of a function, in [`DialectNote::name`].
const PARAMETERS: &str = "parameters";
/// The word of notes about aliases of a type that the same declaration defines.
const BESIDE_TYPE: &str = "beside type";
/// The word of notes about unnamed namespaces, whose names are visible only in the file.
const UNNAMED: &str = "unnamed";
/// Maximum length of a parameter's type in characters. Nested templates can fill pages. The rest is
/// cut off.
const MAX_PARAMETER_TYPE_CHARS: usize = 200;
/// The prefix of notes about an access section: `access private`.
const ACCESS: &str = "access ";

/// The dialect of C and C++.
pub(crate) struct CDialect;

impl Dialect for CDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        // A macro is visible where its file is included.
        if declared.head.trim_start().starts_with('#') {
            return Visibility::Internal;
        }
        let is_in_file = matches!(declared.parent, None | Some(SymbolKind::Module));
        let has_linkage =
            matches!(declared.kind, SymbolKind::Function | SymbolKind::Variable | SymbolKind::Constant);
        if is_in_file && has_linkage && declared.has_modifier("static") {
            Visibility::Private
        } else {
            Visibility::Public
        }
    }

    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        let path = strip_quotes(&import.path);
        path.trim_matches(['<', '>']).trim().clone_into(&mut import.path);
        !import.path.is_empty()
    }

    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let text = one_line(expressions.node_text(node));
        let text = text.trim_end_matches(';').trim();
        let (path, name, alias) = match text.split_once('=') {
            Some((alias, target)) => {
                let (path, name) = split_qualified(target);
                let alias = alias.trim_start_matches("namespace").trim().to_owned();
                if path.is_empty() { (name, String::new(), alias) } else { (path, name, alias) }
            }
            None => {
                let target = text.trim_start_matches("using").trim();
                if let Some(namespace) = target.strip_prefix("namespace ") {
                    (dotted_name(namespace), "*".to_owned(), String::new())
                } else {
                    let (path, name) = split_qualified(target.trim_start_matches("typename "));
                    (path, name.clone(), name)
                }
            }
        };
        if !path.is_empty() && !path.contains(' ') && (name != alias || !name.is_empty()) {
            out.push(ImportFact {
                path,
                name,
                alias,
                reexport: false,
                scope: FILE_SCOPE,
                at: name_span(node),
            });
        }
    }

    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        _depth: u32,
    ) -> Option<bool> {
        let ty = match node.kind() {
            "call_expression" => typed_call_argument(node, expressions)?,
            "cast_expression" => node.child_by_field_name("type")?,
            _ => return None,
        };
        let text = type_text(type_of_descriptor(ty), expressions)?;
        out.push('{');
        out.push_str(&text);
        out.push('}');
        Some(true)
    }

    fn collect_hook<'t>(&self, node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        let mut reader = DeclarationCollector { expressions, out };
        match node.kind() {
            "function_definition" => reader.collect_function(node),
            "declaration" => reader.collect_declaration(node),
            "field_declaration" => reader.collect_members(node),
            "type_definition" => reader.collect_type_definition(node),
            "namespace_definition" => reader.collect_namespace(node),
            "for_range_loop" => reader.bind_loop_variable(node),
            "preproc_arg" => reader.collect_opened_namespace(node),
            "attribute_specifier" => {
                let span = (node.start_byte() as u32, node.end_byte() as u32);
                reader.out.import_spans.push(span);
            }
            "parameter_list" => reader.bind_parameters(node),
            "class_specifier" => reader.note_access(node, "private"),
            "struct_specifier" | "union_specifier" => reader.note_access(node, "public"),
            _ => {}
        }
    }

    fn finish_symbols(&self, symbols: &mut [SymbolFact], notes: &[DialectNote]) {
        let declared: FxHashSet<u32> =
            notes.iter().filter(|note| note.content == DECLARED).map(|note| note.start).collect();
        let parameters: FxHashMap<u32, &str> = notes
            .iter()
            .filter(|note| note.content == PARAMETERS)
            .map(|note| (note.start, note.name.as_str()))
            .collect();
        let sections = access_sections(notes);
        let unnamed: Vec<&DialectNote> =
            notes.iter().filter(|note| note.content == UNNAMED).take(64).collect();
        let enum_containers: Vec<Option<String>> = symbols.iter().map(container_of_members).collect();
        attach_aliases(symbols, notes);
        for index in 0..symbols.len() {
            // A namespace that a macro opens is not in the macro.
            let parent = symbols[index].parent.and_then(|parent| symbols.get(parent as usize));
            if symbols[index].kind == SymbolKind::Module
                && let Some(SymbolFact { kind: SymbolKind::Constant, container, parent, .. }) = parent
            {
                let (container, parent) = (container.clone(), *parent);
                (symbols[index].container, symbols[index].parent) = (container, parent);
            }
        }
        for symbol in symbols {
            let at = symbol.name_span.start;
            if symbol.visibility == Visibility::Internal {
                // A macro belongs to no namespace.
                symbol.container.clear();
                symbol.parent = None;
                continue;
            }
            if declared.contains(&at) && !symbol.ty.starts_with('~') {
                symbol.ty.insert(0, '~');
            }
            if symbol.ty.contains('{') {
                // The type has no name.
                symbol.ty.clear();
            }
            if symbol.kind == SymbolKind::Method
                && symbol.container.rsplit('.').next() == Some(symbol.name.as_str())
            {
                symbol.kind = SymbolKind::Constructor;
            }
            if let Some(&parameters) = parameters.get(&at) {
                parameters.clone_into(&mut symbol.params);
                symbol.arity = Some(count_parameters(parameters));
            }
            let section = sections.partition_point(|&(start, _)| start <= at);
            match section.checked_sub(1).map_or("", |section| sections[section].1) {
                "private" => symbol.visibility = Visibility::Private,
                "protected" => symbol.visibility = Visibility::Protected,
                _ => {}
            }
            if unnamed.iter().any(|note| note.start <= at && at < note.end) {
                symbol.visibility = Visibility::Private;
            }
            if symbol.kind == SymbolKind::EnumMember
                && let Some(container) =
                    symbol.parent.and_then(|parent| enum_containers.get(parent as usize)?.as_ref())
            {
                symbol.container.clone_from(container);
            }
        }
    }

    fn rewrite_macros(&self, text: &str, root: Node) -> Vec<SourceRewrite> {
        let is_misread = root.has_error() || has_macro_before_type_name(root);
        if is_misread { preprocessor::rewrite_preprocessing(text) } else { Vec::new() }
    }
}

impl CDialect {
    /// Notes that the symbol with this name is declared without a definition.
    pub(super) fn note_declaration(at: NameSpan, out: &mut RawFacts) {
        let (start, end) = (at.start, at.start + at.len);
        out.notes.push(DialectNote { start, end, content: DECLARED.to_owned(), name: String::new() });
    }

    /// Notes the parameter types of the function with this name.
    pub(super) fn note_parameters(at: NameSpan, types: String, out: &mut RawFacts) {
        let (start, end) = (at.start, at.start + at.len);
        out.notes.push(DialectNote { start, end, content: PARAMETERS.to_owned(), name: types });
    }

    /// Returns the node of the name that a declarator declares.
    pub(super) fn declared_name<'t>(
        declarator: Node<'t>,
        expressions: &ExpressionReader,
    ) -> Option<Node<'t>> {
        Some(read_declarator(declarator, expressions)?.node)
    }
}

/// For each alias declared after the body of a type: sets its type to that type's name, and moves
/// the members of the body, which both declarations enclose, to the type.
fn attach_aliases(symbols: &mut [SymbolFact], notes: &[DialectNote]) {
    let starts: FxHashSet<u32> =
        notes.iter().filter(|note| note.content == BESIDE_TYPE).map(|note| note.start).collect();
    if starts.is_empty() {
        return;
    }
    let mut types: FxHashMap<u32, u32> = FxHashMap::default();
    let mut previous: Option<usize> = None;
    for index in 0..symbols.len() {
        let symbol = &symbols[index];
        if !starts.contains(&symbol.name_span.start) {
            previous = symbol.kind.is_type().then_some(index).or(previous);
        } else if let Some(ty) = previous.filter(|&ty| symbols[ty].span.start == symbol.span.start) {
            let name = symbols[ty].name.clone();
            symbols[index].ty = name;
            types.insert(index as u32, ty as u32);
        }
    }
    for index in 0..symbols.len() {
        if let Some(&ty) = symbols[index].parent.and_then(|parent| types.get(&parent)) {
            symbols[index].parent = Some(ty);
            symbols[index].container = symbols[ty as usize].qualified_name();
        }
    }
}

/// Returns the container of the members of an enum whose members are visible around it. Returns
/// `None` for `enum class` and for other symbols.
fn container_of_members(symbol: &SymbolFact) -> Option<String> {
    let mut words = symbol.signature.split_whitespace().skip_while(|word| *word != "enum").skip(1);
    let is_scoped = words.next().is_some_and(|word| word == "class" || word == "struct");
    (symbol.kind == SymbolKind::Enum && !is_scoped).then(|| symbol.container.clone())
}

/// Returns the number of parameters in a list of their types, without a final `...`.
fn count_parameters(parameters: &str) -> u8 {
    let mut depth = 0_i32;
    let mut count = usize::from(!parameters.is_empty());
    for c in parameters.chars() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth <= 0 => count += 1,
            _ => {}
        }
    }
    let is_open = parameters == "..." || parameters.ends_with(",...");
    count.saturating_sub(usize::from(is_open)).min(254) as u8
}

/// Returns the types of the parameters in a list, with marks for pointers, references and arrays,
/// and with `=` after the type of each parameter with a default.
fn parameter_types(list: Node, expressions: &ExpressionReader) -> String {
    let mut types: Vec<String> = Vec::new();
    let mut cursor = list.walk();
    for parameter in list.children(&mut cursor).take(500) {
        let mut text = match parameter.kind() {
            "..." | "variadic_parameter" => "...".to_owned(),
            _ if !parameter.is_named() || parameter.kind() == "comment" => continue,
            _ => {
                let Some(ty) = parameter.child_by_field_name("type") else { continue };
                let text = expressions.node_text(type_name_node(ty).unwrap_or(ty));
                text.chars().filter(|c| !c.is_whitespace()).take(MAX_PARAMETER_TYPE_CHARS).collect()
            }
        };
        if let Some(declarator) = parameter.child_by_field_name("declarator") {
            let marks =
                expressions.node_text(declarator).chars().filter(|c| matches!(c, '*' | '&' | '[')).take(4);
            text.extend(marks.map(|c| if c == '[' { '*' } else { c }));
        }
        if parameter.child_by_field_name("default_value").is_some() {
            text.push('=');
        }
        if parameter.kind() == "variadic_parameter_declaration" {
            text.insert_str(0, "...");
        }
        types.push(text);
    }
    if types == ["void"] { String::new() } else { types.join(",") }
}

/// Returns the starts of the access sections with their words; an empty word outside all of them.
fn access_sections(notes: &[DialectNote]) -> Vec<(u32, &str)> {
    let mut sections: Vec<(u32, u32, &str)> = notes
        .iter()
        .filter_map(|note| Some((note.start, note.end, note.content.strip_prefix(ACCESS)?)))
        .collect();
    sections.sort_by_key(|&(start, end, _)| (start, std::cmp::Reverse(end)));
    let mut out: Vec<(u32, &str)> = Vec::new();
    let mut open: Vec<(u32, &str)> = Vec::new();
    for (start, end, word) in sections {
        close_sections(&mut open, start, &mut out);
        out.push((start, word));
        open.push((end, word));
    }
    close_sections(&mut open, u32::MAX, &mut out);
    out
}

/// Ends the open sections that end before `until`. After each, the section around it continues.
fn close_sections<'n>(open: &mut Vec<(u32, &'n str)>, until: u32, out: &mut Vec<(u32, &'n str)>) {
    while let Some(&(end, _)) = open.last().filter(|(end, _)| *end <= until) {
        open.pop();
        out.push((end, open.last().map_or("", |(_, word)| word)));
    }
}

/// Returns a qualified name with dots instead of `::`, without white space.
fn dotted_name(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    name.trim_start_matches("::").replace("::", ".")
}

/// Splits a qualified name into the dotted path before the last segment, and the segment.
fn split_qualified(name: &str) -> (String, String) {
    let name = dotted_name(name);
    name.rsplit_once('.')
        .map_or((String::new(), name.clone()), |(path, last)| (path.to_owned(), last.to_owned()))
}

/// Returns the type argument of a call that returns a value of this type: `make_unique<Foo>()`.
fn typed_call_argument<'t>(call: Node<'t>, expressions: &ExpressionReader) -> Option<Node<'t>> {
    let mut function = call.child_by_field_name("function")?;
    if function.kind() == "qualified_identifier" {
        function = function.child_by_field_name("name")?;
    }
    if function.kind() != "template_function" {
        return None;
    }
    let name = expressions.node_text(function.child_by_field_name("name")?);
    let arguments = function.child_by_field_name("arguments").filter(|_| TYPED_CALLS.contains(&name))?;
    arguments.named_child(0)
}

fn type_of_descriptor(node: Node) -> Node {
    if node.kind() == "type_descriptor" { node.child_by_field_name("type").unwrap_or(node) } else { node }
}

/// Returns the node that names a type: the name of `struct name`, otherwise the node itself.
/// Returns `None` for types without a name, such as `auto`.
fn type_name_node(node: Node) -> Option<Node> {
    match node.kind() {
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => {
            node.child_by_field_name("name")
        }
        "placeholder_type_specifier" | "decltype" | "auto" => None,
        "type_descriptor" => type_name_node(node.child_by_field_name("type")?),
        _ => Some(node),
    }
}

fn type_text(node: Node, expressions: &ExpressionReader) -> Option<String> {
    let text = expressions.type_node_text(type_name_node(node)?);
    (!text.is_empty() && text.len() < 200 && text != "auto").then_some(text)
}
