//! The dialect of Elixir: modules with dotted names, `alias`, `import`, `require` and `use`, and
//! documentation in module attributes.

use super::{Dialect, VisibilityInput};
use crate::extract::expressions::{ExpressionReader, truncate_at_char};
use crate::extract::raw_facts::{DialectNote, RawFacts, name_span};
use kenning_graph::facts::{FILE_SCOPE, ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// Maximum length of documentation in bytes. Documentation of modules can fill pages. The rest is
/// cut off.
const MAX_DOC_BYTES: usize = 2_000;

/// The dialect of Elixir.
pub(crate) struct ElixirDialect;

impl Dialect for ElixirDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        let private = ["defp", "defmacrop", "defguardp", "defnp", "typep"];
        let is_private = private.iter().any(|word| declared.has_modifier(word));
        if is_private { Visibility::Private } else { Visibility::Public }
    }

    /// Reads `alias A.B`, `alias A.{B, C}`, `alias A.B, as: C`, and `import` and `use`, which make
    /// the names of a module visible.
    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let Some(word) = node.child_by_field_name("target") else { return };
        let word = expressions.node_text(word);
        let mut cursor = node.walk();
        let Some(arguments) = node.named_children(&mut cursor).find(|child| child.kind() == "arguments")
        else {
            return;
        };
        let Some(target) = arguments.named_child(0) else { return };
        let given_alias =
            arguments.named_child(1).and_then(|options| find_option(options, "as:", expressions));
        for (path, at) in module_paths(target, expressions) {
            let last = path.rsplit('.').next().unwrap_or(&path).to_owned();
            let (name, alias) = match (word, given_alias) {
                ("import" | "use", _) => ("*", String::new()),
                ("require", None) => ("", String::new()),
                (_, Some(alias)) => ("", expressions.node_text(alias).to_owned()),
                (_, None) => ("", last),
            };
            let at = name_span(at);
            out.push(ImportFact {
                path,
                name: name.to_owned(),
                alias,
                reexport: false,
                scope: FILE_SCOPE,
                at,
            });
        }
    }

    fn collect_hook<'t>(&self, node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        let Some(attribute) = node.child_by_field_name("operand") else { return };
        let Some(word) = attribute.child_by_field_name("target") else { return };
        let name = expressions.node_text(word);
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        if matches!(name, "spec" | "type" | "typep" | "opaque" | "callback" | "macrocallback") {
            // The calls in a specification are types.
            out.import_spans.push((start, end));
            return;
        }
        // An attribute is not a call of a function with its name.
        out.import_spans.push((word.start_byte() as u32, word.end_byte() as u32));
        if !matches!(name, "doc" | "moduledoc" | "typedoc") {
            return;
        }
        let mut cursor = attribute.walk();
        let arguments = attribute.named_children(&mut cursor).find(|child| child.kind() == "arguments");
        let Some(text) = arguments.and_then(|arguments| arguments.named_child(0)) else { return };
        let Some(word) = clean_doc(expressions.node_text(text)) else { return };
        out.notes.push(DialectNote { start, end, content: word, name: name.to_owned() });
    }

    /// Splits the dotted names of modules, and gives symbols their documentation.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], notes: &[DialectNote]) {
        for symbol in symbols.iter_mut() {
            if symbol.kind == SymbolKind::Field {
                let name = symbol.name.trim_end_matches(':').to_owned();
                symbol.name_span.len = name.len() as u32;
                symbol.name = name;
            }
            let Some((outer, last)) = symbol.name.rsplit_once('.').filter(|_| symbol.kind.is_type()) else {
                continue;
            };
            let separator = if symbol.container.is_empty() { "" } else { "." };
            symbol.container = [symbol.container.as_str(), separator, outer].concat();
            let cut = outer.len() as u32 + 1;
            symbol.name_span.start += cut;
            symbol.name_span.column += cut;
            symbol.name_span.len = last.len() as u32;
            symbol.name = last.to_owned();
        }
        for note in notes {
            let after = symbols.partition_point(|symbol| symbol.span.start < note.end);
            let documented = match note.name.as_str() {
                "moduledoc" => {
                    let mut around = symbols[..after].iter_mut().rev();
                    around.find(|symbol| symbol.kind.is_type() && note.end <= symbol.span.end)
                }
                _ => symbols.get_mut(after),
            };
            if let Some(symbol) = documented.filter(|symbol| symbol.doc.is_empty()) {
                symbol.doc.clone_from(&note.content);
            }
        }
    }
}

/// Returns the value of an option in a keyword list.
fn find_option<'t>(options: Node<'t>, key: &str, expressions: &ExpressionReader) -> Option<Node<'t>> {
    let mut cursor = options.walk();
    let mut pairs = options.named_children(&mut cursor);
    let is_wanted = |pair: &Node| {
        pair.child_by_field_name("key").is_some_and(|name| expressions.node_text(name).trim() == key)
    };
    pairs.find(is_wanted)?.child_by_field_name("value")
}

/// Returns the modules that `A.B` or `A.{B, C}` names, each with its node.
fn module_paths<'t>(target: Node<'t>, expressions: &ExpressionReader) -> Vec<(String, Node<'t>)> {
    let text = |node: Node| expressions.node_text(node).to_owned();
    if target.kind() == "alias" {
        return vec![(text(target), target)];
    }
    let (Some(prefix), Some(list)) =
        (target.child_by_field_name("left"), target.child_by_field_name("right"))
    else {
        return Vec::new();
    };
    if target.kind() != "dot" || prefix.kind() != "alias" || list.kind() != "tuple" {
        return Vec::new();
    }
    let mut cursor = list.walk();
    let names = list.named_children(&mut cursor).filter(|child| child.kind() == "alias");
    names.map(|name| (format!("{}.{}", text(prefix), text(name)), name)).collect()
}

/// Returns the content of a documentation string. Returns `None` for `false`.
fn clean_doc(text: &str) -> Option<String> {
    let text = text.trim_start_matches("~S").trim_start_matches("~s");
    let text = text.strip_prefix("\"\"\"").or_else(|| text.strip_prefix('"'))?;
    let text = text.trim_end_matches('"');
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let joined = lines.join("\n");
    let joined = truncate_at_char(joined.trim(), MAX_DOC_BYTES).to_owned();
    (!joined.is_empty()).then_some(joined)
}
