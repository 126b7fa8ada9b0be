//! The dialect of Kotlin: visibility modifiers, imports, and the modifiers of declarations for
//! several platforms.

use super::{Dialect, VisibilityInput};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::name_span;
use crate::extract::source_rewrites::SourceRewrite;
use kenning_graph::facts::{FILE_SCOPE, ImportFact};
use kenning_graph::vocabulary::Visibility;
use std::ops::Range;
use tree_sitter::Node;

/// Modifiers of declarations for several platforms, which the grammar parses as names.
const PLATFORM_MODIFIERS: [&str; 2] = ["actual", "expect"];

/// The other modifiers that a declaration can begin with.
const MODIFIERS: [&str; 23] = [
    "abstract",
    "annotation",
    "companion",
    "const",
    "data",
    "enum",
    "external",
    "final",
    "infix",
    "inline",
    "inner",
    "internal",
    "lateinit",
    "open",
    "operator",
    "override",
    "private",
    "protected",
    "public",
    "sealed",
    "suspend",
    "tailrec",
    "value",
];

/// The words after the modifiers of a declaration.
const DECLARATION_WORDS: [&str; 8] =
    ["class", "constructor", "fun", "interface", "object", "typealias", "val", "var"];

/// The dialect of Kotlin.
pub(crate) struct KotlinDialect;

impl Dialect for KotlinDialect {
    fn symbol_visibility(&self, declared: &VisibilityInput) -> Visibility {
        if declared.has_modifier("private") {
            Visibility::Private
        } else if declared.has_modifier("protected") {
            Visibility::Protected
        } else if declared.has_modifier("internal") {
            Visibility::Internal
        } else {
            Visibility::Public
        }
    }

    /// Writes `this@Outer` as a value of the outer type.
    fn write_path(
        &self,
        node: Node,
        expressions: &ExpressionReader,
        out: &mut String,
        _depth: u32,
    ) -> Option<bool> {
        let label =
            expressions.node_text(node).strip_prefix("this@").filter(|_| node.kind() == "this_expression")?;
        out.extend(["{", label, "}"]);
        Some(true)
    }

    /// Reads `import a.b.C`, `import a.b.C as D` and `import a.b.*`.
    fn parse_import_tree(&self, node: Node, expressions: &ExpressionReader, out: &mut Vec<ImportFact>) {
        let Some(target) = node.named_child(0) else { return };
        let whole: String =
            expressions.node_text(target).chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
        let is_wildcard = expressions.node_text(node).trim_end_matches([';', ' ']).ends_with('*');
        let (path, name) =
            if is_wildcard { (whole.as_str(), "*") } else { whole.rsplit_once('.').unwrap_or(("", &whole)) };
        // The members of a companion object are those of its class.
        let path = path.strip_suffix(".Companion").unwrap_or(path);
        let alias = match node.named_child(1) {
            _ if is_wildcard => "",
            Some(alias) if alias.kind() == "identifier" => expressions.node_text(alias),
            _ => name,
        };
        out.push(ImportFact {
            path: path.to_owned(),
            name: name.to_owned(),
            alias: alias.to_owned(),
            reexport: false,
            scope: FILE_SCOPE,
            at: name_span(last_segment(target)),
        });
    }

    /// Blanks `actual` and `expect` before declarations, and `fun` before `interface`.
    fn rewrite_macros(&self, text: &str, _root: Node) -> Vec<SourceRewrite> {
        let mut rewrites = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let range = start..start + line.len();
            let mut rewrite = SourceRewrite { range, bytes: Vec::new() };
            for modifier in platform_modifiers(line) {
                rewrite.blank(text, start + modifier.start..start + modifier.end);
            }
            if !rewrite.bytes.is_empty() {
                rewrites.push(rewrite);
            }
            start += line.len();
        }
        rewrites
    }

    fn declared_package(&self, captured: &[String]) -> String {
        captured.first().map(|name| name.replace('`', "")).unwrap_or_default()
    }
}

/// Returns the positions of `actual` and `expect` among the modifiers of the declaration that a
/// line begins, and of `fun` before `interface`.
fn platform_modifiers(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in line.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let range = at..at + word.len();
        at += piece.len();
        let letters = word.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        let is_before_interface = || word == "fun" && line[at..].trim_start().starts_with("interface ");
        if PLATFORM_MODIFIERS.contains(&word) || is_before_interface() {
            found.push(range);
        } else if DECLARATION_WORDS.contains(&letters) {
            return found;
        } else if !(word.is_empty() || word.starts_with('@') || MODIFIERS.contains(&word)) {
            break;
        }
    }
    Vec::new()
}

/// Returns the last segment of a dotted name.
fn last_segment(node: Node) -> Node {
    let last = node.named_child_count().checked_sub(1);
    last.and_then(|last| node.named_child(last as u32)).unwrap_or(node)
}
