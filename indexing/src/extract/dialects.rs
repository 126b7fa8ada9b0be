//! Dialects: the Rust code for the rules of a language that its row and patterns cannot express.
//!
//! A dialect implements [`Dialect`]. All methods have defaults, so a dialect implements only the
//! methods that differ. During the walk over the tree, patterns capture nodes as `@hook`; after the
//! walk, [`Dialect::collect_hook`] reads them and may leave notes. At the end,
//! [`Dialect::finish_symbols`] sees all symbols of the file together with these notes.

mod bash;
mod c;
mod csharp;
mod dart;
mod ecmascript;
mod elixir;
mod go;
mod haskell;
mod java;
mod kotlin;
mod lua;
mod makefile;
mod objc;
mod ocaml;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
#[cfg(feature = "language-pack")]
mod tags;
mod zig;

pub(crate) use bash::BashDialect;
pub(crate) use c::CDialect;
pub(crate) use csharp::{CSharpDialect, is_extension_method};
pub(crate) use dart::DartDialect;
pub(crate) use ecmascript::EcmaScriptDialect;
pub(crate) use elixir::ElixirDialect;
pub(crate) use go::GoDialect;
pub(crate) use haskell::HaskellDialect;
pub(crate) use java::JavaDialect;
pub(crate) use kotlin::KotlinDialect;
pub(crate) use lua::LuaDialect;
pub(crate) use makefile::MakefileDialect;
pub(crate) use objc::ObjectiveCDialect;
pub(crate) use ocaml::OcamlDialect;
pub(crate) use php::PhpDialect;
pub(crate) use python::PythonDialect;
pub(crate) use ruby::RubyDialect;
pub(crate) use rust::{RustDialect, closure_argument};
pub(crate) use scala::ScalaDialect;
pub(crate) use swift::SwiftDialect;
#[cfg(feature = "language-pack")]
pub(crate) use tags::TagsDialect;
pub(crate) use zig::ZigDialect;

use super::arguments::LabeledArgument;
use super::expressions::{BoundValue, ExpressionReader};
use super::raw_facts::{DialectNote, RawFacts};
use super::source_rewrites::SourceRewrite;
use crate::bounded_parse::StepBudget;
use kenning_graph::facts::{ImportFact, SymbolFact};
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use tree_sitter::Node;

/// The properties that decide a symbol's visibility.
pub(crate) struct VisibilityInput<'a> {
    pub name: &'a str,
    /// The declaration's text before the name, without decorations.
    pub head: &'a str,
    pub kind: SymbolKind,
    /// The kind of the symbol that it is a member of or nested in.
    pub parent: Option<SymbolKind>,
}

impl VisibilityInput<'_> {
    /// Whether `word` is among the words before the name.
    pub fn has_modifier(&self, word: &str) -> bool {
        self.head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word)
    }
}

/// The value that a name in a pattern is bound to.
pub(crate) enum NamedPart {
    /// The value that the common rules determine.
    Common,
    /// An unknown value.
    Unknown,
    /// The value of this path.
    Path(String),
}

/// The dialect of a language whose row and patterns are sufficient.
pub(crate) struct PlainDialect;

impl Dialect for PlainDialect {}

/// The code that is specific to one language.
pub(crate) trait Dialect: Sync {
    /// Returns the visibility of a symbol.
    fn symbol_visibility(&self, _declared: &VisibilityInput) -> Visibility {
        Visibility::Public
    }

    /// Normalizes an import whose parts are still as written. `statement` is the text of the main
    /// capture. Returns whether to keep the import.
    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        import.path = strip_quotes(&import.path);
        !import.path.is_empty()
    }

    /// Reads an import statement that contains several imports.
    fn parse_import_tree(&self, _node: Node, _expressions: &ExpressionReader, _out: &mut Vec<ImportFact>) {}

    /// Writes an expression that the node kinds of the language's row do not describe, like
    /// [`ExpressionReader::write_as_path`]. Returns whether it can be written, or `None` to apply
    /// the row.
    fn write_path(
        &self,
        _node: Node,
        _expressions: &ExpressionReader,
        _out: &mut String,
        _depth: u32,
    ) -> Option<bool> {
        None
    }

    /// Returns the receiver of a path of one segment: a mark of the root if the path is absolute.
    fn path_root(&self, _path: &str) -> &'static str {
        ""
    }

    /// Reads a node captured as `@hook`.
    fn collect_hook<'t>(&self, _node: Node<'t>, _expressions: &ExpressionReader, _out: &mut RawFacts<'t>) {}

    /// Reads the whole tree of a file, after the walk. Stops when the steps are used up.
    fn collect_tree<'t>(
        &self,
        _root: Node<'t>,
        _expressions: &ExpressionReader,
        _steps: &StepBudget,
        _out: &mut RawFacts<'t>,
    ) {
    }

    /// Whether a callable whose name starts with a test prefix is a test.
    fn is_test_symbol(&self, _symbol: &SymbolFact) -> bool {
        true
    }

    /// Returns the label of an argument for a parameter, `_` if it has none, in a language with
    /// argument labels.
    fn parameter_label(&self, _parameter: Node, _expressions: &ExpressionReader) -> Option<String> {
        None
    }

    /// Returns the arguments of a call in a language with argument labels. `_list` is the node
    /// captured as `@args.labeled`.
    fn labeled_arguments(&self, _list: Node, _expressions: &ExpressionReader) -> Vec<LabeledArgument> {
        Vec::new()
    }

    /// Returns the type or path of a value whose syntax is specific to this language, or `None` to
    /// apply the common rules.
    fn typed_value(&self, _node: Node, _expressions: &ExpressionReader) -> Option<BoundValue> {
        None
    }

    /// Writes a value of a type as the start of an expression, for a variable whose value is
    /// unknown.
    fn value_of_type(&self, ty: &str) -> String {
        format!("{{{ty}}}")
    }

    /// Whether a call imports a module at run time.
    fn is_dynamic_import(&self, _call: Node) -> bool {
        false
    }

    /// Whether private fields keep their declared value unless their own file assigns them. They do
    /// not if frameworks set them, as in Java and C#.
    fn keeps_private_fields(&self) -> bool {
        false
    }

    /// Returns the suffix, in the notation of receivers, for the part of the inner value that an
    /// expression selects; empty if it selects all of it.
    fn receiver_mark(&self, _node: Node, _text: &str) -> &'static str {
        ""
    }

    /// Whether a pattern with several names destructures this value.
    fn spreads_value(&self, _value: Node) -> bool {
        true
    }

    /// Returns the part of a value that the common rules cannot determine. `_positions` is the
    /// position of the name in its pattern; `_mark` selects the part of the value that the pattern
    /// destructures, such as `#each`.
    fn part_of_value(
        &self,
        _value: Node,
        _positions: &[(usize, usize)],
        _mark: &str,
        _expressions: &ExpressionReader,
    ) -> NamedPart {
        NamedPart::Common
    }

    /// Returns the package that the file declares, from the captures of the patterns.
    fn declared_package(&self, captured: &[String]) -> String {
        captured.first().cloned().unwrap_or_default()
    }

    /// Returns rewrites after which the grammar finds the declarations inside macro calls.
    fn rewrite_macros(&self, _text: &str, _root: Node) -> Vec<SourceRewrite> {
        Vec::new()
    }

    /// Makes a final pass over all symbols of a file, with the notes that [`Dialect::collect_hook`]
    /// left.
    fn finish_symbols(&self, _symbols: &mut [SymbolFact], _notes: &[DialectNote]) {}
}

/// Removes white space and quotes around a text.
fn strip_quotes(text: &str) -> String {
    text.trim().trim_matches(['"', '\'', '`']).to_owned()
}

/// Moves the members of types whose kind `is_transparent` accepts to the container of their type.
/// Code uses these members by their bare names, like constructors and record fields of functional
/// languages.
fn lift_members(symbols: &mut [SymbolFact], is_transparent: impl Fn(SymbolKind) -> bool) {
    // A parent has a lower index than its members.
    for index in 0..symbols.len() {
        let parent = symbols[index].parent.and_then(|parent| symbols.get(parent as usize));
        if let Some(container) =
            parent.filter(|parent| is_transparent(parent.kind)).map(|parent| parent.container.clone())
        {
            symbols[index].container = container;
        }
    }
}
