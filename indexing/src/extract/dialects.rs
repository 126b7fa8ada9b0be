//! What a query cannot say of a language: the little Rust code that some languages need.

mod csharp;
mod ecmascript;
mod go;
mod java;
mod python;
mod ruby;
mod rust;

pub(crate) use csharp::CSharpDialect;
pub(crate) use ecmascript::EcmaScriptDialect;
pub(crate) use go::GoDialect;
pub(crate) use java::JavaDialect;
pub(crate) use python::PythonDialect;
pub(crate) use ruby::RubyDialect;
pub(crate) use rust::RustDialect;

use super::expressions::ExpressionReader;
use super::raw_facts::{DialectNote, RawFacts};
use kenning_graph::facts::{BindingKind, ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// What decides a symbol's visibility.
pub(crate) struct VisibilityInput<'a> {
    pub name: &'a str,
    /// The declaration's text before the name, without decorations.
    pub head: &'a str,
    pub kind: SymbolKind,
    /// Kind of the type it belongs to or stands in.
    pub parent: Option<SymbolKind>,
}

impl VisibilityInput<'_> {
    /// Whether `word` stands before the name.
    pub fn has_modifier(&self, word: &str) -> bool {
        self.head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == word)
    }
}

/// What a name of a pattern is bound to.
pub(crate) enum NamedPart {
    /// The common rules say it.
    Common,
    /// An unknown value.
    Unknown,
    /// The value of this path.
    Path(String),
}

/// The Rust part of a language that has none: its row and its queries say all.
#[cfg_attr(not(test), expect(dead_code, reason = "each of the languages so far has more to say"))]
pub(crate) struct PlainDialect;

impl Dialect for PlainDialect {}

/// The Rust part of a language.
pub(crate) trait Dialect: Sync {
    /// Who may see a symbol.
    fn symbol_visibility(&self, _declared: &VisibilityInput) -> Visibility {
        Visibility::Public
    }

    /// Normalises an import whose parts are still as written; `statement` is the text of the main capture. False
    /// drops it.
    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        import.path = strip_quotes(&import.path);
        !import.path.is_empty()
    }

    /// Reads an import statement that holds several imports.
    fn parse_import_tree(&self, _node: Node, _expressions: &ExpressionReader, _out: &mut Vec<ImportFact>) {}

    /// Writes an expression that the node kinds of the language's row do not describe, as
    /// [`ExpressionReader::write_as_path`] does: whether it can be written; `None` leaves it to the row.
    fn write_path(&self, _node: Node, _x: &ExpressionReader, _out: &mut String, _depth: u32) -> Option<bool> {
        None
    }

    /// Reads a node captured as `@hook`.
    fn collect_hook<'t>(&self, _node: Node<'t>, _expressions: &ExpressionReader, _out: &mut RawFacts<'t>) {}

    /// Whether a callable whose name starts with a test prefix is a test.
    fn is_test_symbol(&self, _symbol: &SymbolFact) -> bool {
        true
    }

    /// What a value of a form that only this language has says of its type; `None` where the common rules say it.
    fn typed_value(&self, _node: Node, _expressions: &ExpressionReader) -> Option<(String, BindingKind)> {
        None
    }

    /// What an expression takes of the one it holds, in the notation of receivers.
    fn receiver_mark(&self, _node: Node, _text: &str) -> &'static str {
        ""
    }

    /// Whether several names are bound to the parts of this one value.
    fn spreads_value(&self, _value: Node) -> bool {
        true
    }

    /// The part of a value that the common rules do not see: `places` is where the name stands in its pattern,
    /// `mark` what is taken of the value first.
    fn part_of_value(
        &self,
        _value: Node,
        _places: &[(usize, usize)],
        _mark: &str,
        _expressions: &ExpressionReader,
    ) -> NamedPart {
        NamedPart::Common
    }

    /// The package that the file declares, from what the patterns captured.
    fn declared_package(&self, captured: &[String]) -> String {
        captured.first().cloned().unwrap_or_default()
    }

    /// A last look at all symbols of a file, with the marks that [`Dialect::collect_hook`] left.
    fn finish_symbols(&self, _symbols: &mut [SymbolFact], _marks: &[DialectNote]) {}
}

/// The text without quotes.
fn strip_quotes(text: &str) -> String {
    text.trim().trim_matches(['"', '\'', '`']).to_owned()
}
