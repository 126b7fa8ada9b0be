//! File facts: everything that extraction finds in one file, before names are resolved.
//!
//! Extraction writes [`FileFacts`]; resolution and the snapshot read them. They are a pure function
//! of the file's bytes, its language and the extractor version, and are cached by content hash.
//! Nothing in them depends on the path of the file or on any other file.
//!
//! Identifiers are stored as written. Expressions are stored in the notation of
//! [`ReferenceFact::receiver`]. In a second pass over the whole project, `kenning-indexing` turns
//! both into edges. Facts refer to symbols of their own file by index into [`FileFacts::symbols`],
//! and to repeated strings by index into [`FileFacts::strings`].

mod strings;

pub use strings::{StringIndex, StringTable, StringTableBuilder};

use crate::receiver_notation::{MODULE_PREFIX, strip_module_prefix};
use crate::sketch::BodySketch;
use crate::vocabulary::{SymbolKind, Visibility};
use serde::{Deserialize, Serialize};

/// The value for the file itself, instead of an index into [`FileFacts::symbols`].
pub const FILE_SCOPE: u32 = u32::MAX;

/// The arity of a reference whose number of arguments is unknown, or that is not a call.
pub const UNKNOWN_ARITY: u8 = 255;

/// Everything that extraction learns from one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The language id, a row of `languages.toml`: `"go"`, `"python"`, `"typescript"`, `"tsx"`.
    pub language: String,
    /// Whether the file is a document (Markdown, a notebook) rather than code. Its symbols are
    /// sections. Code never resolves to them, and their text has its own statistics.
    pub is_document: bool,
    /// The package or namespace that the file declares (`package x` in Go and Java, the file's
    /// first namespace in C#); empty if the language has none.
    pub package: String,
    /// The symbols in source order; a parent always comes before its children.
    pub symbols: Vec<SymbolFact>,
    /// The uses of names, in source order.
    pub references: Vec<ReferenceFact>,
    /// The imports, in source order.
    pub imports: Vec<ImportFact>,
    /// The types or values that local names are bound to, from which resolution infers receiver
    /// types.
    pub bindings: Vec<BindingFact>,
    /// The endpoints that the file serves or calls, in source order.
    pub routes: Vec<RouteFact>,
    /// The routers that the file mounts below a path or passes to a function; sorted, without
    /// duplicates.
    pub mounts: Vec<MountFact>,
    /// The strings shared by [`ReferenceFact`], [`BindingFact`] and [`RouteFact`].
    pub strings: StringTable,
    /// The tokens for the text index.
    pub text: FileText,
    /// The number of lines of the text (at least 1).
    pub lines: u32,
    /// The quality of the parse.
    pub quality: ParseQuality,
    /// The sketches of the bodies of callables that are long enough to be compared, sorted by index
    /// into the symbols.
    pub sketches: Vec<(u32, BodySketch)>,
}

impl FileFacts {
    /// Frees the spare capacity of all lists, because the facts of a whole workspace are in memory
    /// at once.
    pub fn shrink_to_fit(&mut self) {
        self.symbols.shrink_to_fit();
        self.references.shrink_to_fit();
        self.imports.shrink_to_fit();
        self.bindings.shrink_to_fit();
        self.routes.shrink_to_fit();
        self.mounts.shrink_to_fit();
        self.strings.shrink_to_fit();
        self.text.terms.shrink_to_fit();
        self.text.rest.counts.shrink_to_fit();
        for symbol in &mut self.text.symbols {
            symbol.counts.shrink_to_fit();
        }
        self.text.symbols.shrink_to_fit();
        self.sketches.shrink_to_fit();
    }
}

/// The quality of the parse of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseQuality {
    /// Whether the syntax tree contains error nodes.
    pub syntax_errors: bool,
    /// Whether the bytes are not UTF-8, so that they were read with replacement characters.
    pub lossy: bool,
    /// Whether parsing was abandoned (time, nesting). The facts then have no symbols, only text
    /// tokens.
    pub abandoned: bool,
}

/// A half-open range of bytes of the file, and the lines that it touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The line of the first byte, 0-based.
    pub start_line: u32,
    /// The line of the last byte, 0-based.
    pub end_line: u32,
}

/// The position of a name: its first byte, its line and its column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameSpan {
    /// The first byte of the name.
    pub start: u32,
    /// The length of the name in bytes.
    pub len: u32,
    /// The 0-based line.
    pub line: u32,
    /// The column in bytes from the start of the line.
    pub column: u32,
}

/// A symbol as its file declares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SymbolFact {
    /// The simple name (`before_request`, `ServeHTTP`, `Scaffold`); never empty.
    pub name: String,
    /// The index of the enclosing symbol in this file, if there is one. A Go method is not inside
    /// its type; a Rust method has no enclosing symbol, because `impl` blocks are not symbols.
    pub parent: Option<u32>,
    /// The dotted path of the symbol's container inside the file, without the file: `"Scaffold"`,
    /// `"Outer.Inner"`. For Go methods it is the receiver type and for Rust methods the implemented
    /// type, both without pointers, lifetimes and type arguments. Empty for top-level symbols. For
    /// a function nested in a function it includes the outer function's name.
    pub container: String,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The whole declaration including decorators and the body, without the doc comment before it.
    pub span: Span,
    /// The position of the name.
    pub name_span: NameSpan,
    /// The signature as written, on one line: parameters, return type, generics, modifiers; no
    /// body, no doc.
    pub signature: String,
    /// The doc comment or docstring without comment markers; at most 2,000 bytes.
    pub doc: String,
    /// The normalized parameter types, joined by `,`, without spaces; parameter names if the
    /// language has no types. In languages with argument labels, each begins with its label and a
    /// `:`, and ends with `=` if it has a default. Distinguishes overloads. Empty for symbols
    /// without parameters.
    pub params: String,
    /// The number of parameters without the receiver; `None` for symbols that are not callable.
    pub arity: Option<u8>,
    /// The type expression as written: the return type of a callable, the declared (or plainly
    /// constructed) type of a field, variable or constant, the aliased type of a type alias. Empty
    /// if unknown.
    ///
    /// If only a value shows the type, it is `=` and the value in the notation of
    /// [`ReferenceFact::receiver`], free of local names. In TypeScript and JavaScript this is also
    /// possible for a part of the type: `{run:=run;}`.
    ///
    /// A leading `~` marks a name that a later declaration replaces (Python: overloads,
    /// alternatives of an `if`), and a declaration of a new type rather than an alias (Go: `type A
    /// B`).
    pub ty: String,
    /// The base list, in order.
    pub bases: Vec<BaseType>,
    /// The visibility of the symbol.
    pub visibility: Visibility,
    /// Whether the text marks the symbol as a test (`#[test]`, `func TestX(t *testing.T)`, `@Test`,
    /// `def test_x`, `it(...)`).
    pub is_test: bool,
    /// The first eight bytes of the hash of the text of `span`.
    pub body_hash: u64,
}

impl SymbolFact {
    /// Returns the name inside the file: `container.name`, or the name alone at top level. The name
    /// of a section is the path of headings: `Install > Linux`.
    pub fn qualified_name(&self) -> String {
        if self.container.is_empty() {
            return self.name.clone();
        }
        [&self.container, self.kind.name_separator(), &self.name].concat()
    }
}

/// One entry of a base list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseType {
    /// The type expression as written, with dots as separators and without type arguments:
    /// `"http.Handler"`, `"Scaffold"`.
    pub name: String,
    /// The relation of the type to this entry.
    pub relation: BaseRelation,
}

/// The relation of a type to an entry of its base list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaseRelation {
    /// `class A extends B`, `class A(B)`, `class A < B`; in C#, this includes bases for which the
    /// text does not distinguish it from `Implements`.
    Extends,
    /// `implements I`, Rust `impl Trait for T`.
    Implements,
    /// Go embedding, Ruby `include`/`extend`/`prepend`: members become available, but no subtype is
    /// declared.
    Embeds,
}

/// A use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceFact {
    /// The used name alone, without a receiver or path.
    pub name: StringIndex,
    /// The receiver or path before the name, in a normalized notation that all facts share.
    ///
    /// It consists of segments joined by `.`. Each is an identifier, followed by `()` if the
    /// segment is a call (`self.app.make()`) and by `[]` for an element of it
    /// (`self.routes[].path`). Rust `a::b` and Ruby `A::B` become `a.b`. Index 0 is the empty
    /// string: there is no receiver. The string `"?"` is an expression that this notation
    /// cannot represent.
    ///
    /// If the language's row in `languages.toml` sets `value_types`, a segment can have a suffix:
    /// `#each` and `#key` for the values that a loop yields, `#0`, `#1` ... for one of several
    /// values, `#enter` for the value that a context manager returns, `#in0`, `#in1` ... for the
    /// values that a callable passes to a function literal. `{T}` is a value of the type `T`, and
    /// `|` separates alternatives.
    pub receiver: StringIndex,
    /// The role of the use.
    pub role: ReferenceRole,
    /// The index of the innermost enclosing symbol, or [`FILE_SCOPE`].
    pub scope: u32,
    /// The position of the used **name** (not of the receiver or the call).
    pub at: NameSpan,
    /// The number of arguments of a call; [`UNKNOWN_ARITY`] if unknown or not a call.
    pub arity: u8,
    /// The arguments of a call, in languages with overloads; the empty string elsewhere. They are
    /// joined by `,`. Each is an expression in the notation of [`ReferenceFact::receiver`], or `:`
    /// and a type (`:Foo` for `new Foo()`), `'` and the type of a literal (`'int`, `'null`), `=>`
    /// and the number of parameters of a function literal, or `?`. In Rust it is `!` for a call to
    /// a macro. In languages with argument labels, each begins with its label and a `:`; the label
    /// is `_` if there is none, and `{` for a function literal that follows the list; a member of
    /// the parameter's type is `.` and its name. For a base of a type that another file declares,
    /// it is that type.
    pub arguments: StringIndex,
}

/// The role of a use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ReferenceRole {
    /// `name(...)`; Ruby command calls; macros.
    Call,
    /// `new Name(...)`, a Go or Rust composite literal `Name{...}`.
    Construct,
    /// A type annotation.
    Type,
    /// A name in a base list (also in [`SymbolFact::bases`]).
    Base,
    /// `receiver.name`, read or written but not called.
    Field,
    /// A decorator, annotation or attribute on `scope`.
    Decorator,
    /// `throw new Name`, `raise Name`.
    Throw,
    /// A function or type named as a value (callback registration, `&Name`, method reference).
    Value,
    /// A read of an environment variable; `name` is the variable.
    Env,
    /// The start of a process; `name` is the program.
    Process,
    /// A query of a feature flag; `name` is its key.
    Flag,
    /// A use of a shared resource; `receiver` is the word for its kind (`table`, `topic`), `name`
    /// its name. The columns of a table are `table.column`.
    Resource,
    /// A resource of a configuration that `scope` needs: a service, a build stage, a target. A
    /// `receiver` names the resource that needs it instead of `scope`.
    Dependency,
    /// A file that `scope` needs; `name` is its path. `receiver` is the folder in which the path
    /// starts: `.` for the folder of the file, empty for the root of the workspace.
    File,
    /// A shared resource that `scope` deploys; `receiver` and `name` as for [`Self::Resource`].
    Deployment,
    /// A type that stands for a table, in an object-relational mapper; `name` is the table.
    Model,
    /// A name in documentation (`[Foo]`, `{@link Foo#bar}`); `scope` is the documented symbol, or
    /// the section of a document. The `arguments` of a name in a code block of a document are the
    /// language of the block, or `*`.
    Doc,
    /// The name of a test fixture in quotes (`usefixtures("app")`).
    Fixture,
    /// A name alone as a value, neither called nor an argument (`limit + 1`).
    Name,
    /// A quoted name in a module's list of exports (`__all__ = ["run"]`).
    Quoted,
    /// A link of a document. `name` is the path (`.` for the document itself), `receiver` the text
    /// after `#`. `arguments` are `[[` for a link of a wiki, which names a page, and a backtick for
    /// a path in code.
    Link,
}

/// A code location that serves an endpoint or calls one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteFact {
    /// The HTTP method in capitals; `ANY` if the route serves all methods or names none.
    pub method: StringIndex,
    /// The normalized path template: it starts with `/`, has `{}` for holes, and has no query and
    /// no trailing slash.
    pub path: StringIndex,
    /// The handler: a name with the receiver before it, in the notation of
    /// [`ReferenceFact::receiver`]. Empty if `scope` itself is the handler.
    pub handler: StringIndex,
    /// The name that must resolve to one of `packages` for this fact to be a route; empty if the
    /// file itself proves that it is a route.
    pub evidence: StringIndex,
    /// The packages of the framework, separated by spaces; empty if `evidence` is empty.
    pub packages: StringIndex,
    /// The router to which the path is relative: the qualified name of the file's variable that is
    /// the router, of the function that receives or returns it, or a name that the file imports.
    /// Empty if the path is complete.
    pub router: StringIndex,
    /// The index of the parameter that is the router, if `router` is a function that receives one.
    pub parameter: Option<u8>,
    /// The path prefix with which the router was created.
    pub creation_prefix: StringIndex,
    /// Whether the router is meant for mounting below a path. If nothing mounts it, the path is
    /// incomplete.
    pub needs_mount: bool,
    /// Whether the file itself mounts the router and another entry has the resulting path. This
    /// entry then counts only if a mount of another file applies to it.
    pub is_mounted_in_file: bool,
    /// Whether the endpoint is called rather than served.
    pub is_client_call: bool,
    /// The symbol that serves or calls the endpoint: an index into the symbols, or [`FILE_SCOPE`].
    pub scope: u32,
    /// The position of the path.
    pub at: NameSpan,
}

/// The path of a [`MountFact`] whose real path is unknown.
pub const UNKNOWN_PATH: &str = "?";

/// A router that a file mounts below a path or passes to a function. If `target` and `outer_router`
/// are the same variable, the fact instead records the prefix with which the file created that
/// router, for routes that other files add to it. The fact has no position, so that an edit above
/// it does not change the value that other files read.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MountFact {
    /// The path prefix, normalized as [`RouteFact::path`]; empty for the root, [`UNKNOWN_PATH`] if
    /// it is unknown.
    pub path: String,
    /// The router, or the function that receives or returns one, as seen from outside all
    /// functions: an expression in the notation of [`ReferenceFact::receiver`]. At its start,
    /// `import:` and a module's escaped path ([`crate::receiver_notation`]) denote that module.
    /// [`MountTarget`] distinguishes the forms.
    pub target: String,
    /// The index of the parameter that is the router, if `target` is a function that is called with
    /// one rather than for its result.
    pub parameter: Option<u8>,
    /// The outer router, in the form of [`RouteFact::router`].
    pub outer_router: String,
    /// The parameter of `outer_router` that is the outer router, as in [`RouteFact::parameter`].
    pub outer_parameter: Option<u8>,
    /// The prefix with which the outer router was created, as in [`RouteFact::creation_prefix`].
    pub outer_creation_prefix: String,
    /// Whether the outer router is itself meant for mounting, as in [`RouteFact::needs_mount`].
    pub outer_needs_mount: bool,
    /// Whether the path replaces the prefix with which the router was created.
    pub replaces_prefix: bool,
    /// Whether the file itself proves that this is a mount. If not, it is a mount only if something
    /// mounts `outer_router`.
    pub is_certain: bool,
}

/// The kinds of targets that [`MountFact::target`] encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MountTarget<'a> {
    /// The extension methods with this name.
    ExtensionMethod(&'a str),
    /// A module by its escaped path ([`crate::receiver_notation`]), or a name below it.
    InModule(&'a str),
    /// Any other expression.
    Expression(&'a str),
}

impl<'a> MountTarget<'a> {
    /// Prefix of the name of an extension method.
    const EXTENSION_PREFIX: &'static str = "extension:";

    /// Decodes a target.
    pub fn parse(target: &'a str) -> Self {
        if let Some(name) = target.strip_prefix(Self::EXTENSION_PREFIX) {
            Self::ExtensionMethod(name)
        } else if let Some(path) = strip_module_prefix(target) {
            Self::InModule(path)
        } else {
            Self::Expression(target)
        }
    }

    /// Encodes the target.
    pub fn encode(self) -> String {
        match self {
            Self::ExtensionMethod(name) => [Self::EXTENSION_PREFIX, name].concat(),
            Self::InModule(path) => [MODULE_PREFIX, path].concat(),
            Self::Expression(text) => text.to_owned(),
        }
    }
}

/// One imported name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFact {
    /// The module that is imported from, as written but normalized: Go `net/http`; Python
    /// `flask.app`, `.app`, `..`; TS/JS `./foo`, `react`; Rust `crate.walk`, `super.args`,
    /// `std.fmt` (dots for `::`), or `./a/b.rs` for a module with a named file; Java the package or
    /// outer type `java.util`; C# the namespace; Ruby the required path, `./x` for
    /// `require_relative "x"`.
    pub path: String,
    /// The member imported from `path`: Python `from p import NAME`, TS `{NAME}`, in Rust and Java
    /// the last segment, in C# the last segment of an alias's target; `*` for wildcards, `default`
    /// for JS default imports; empty if the module itself is imported.
    pub name: String,
    /// The local name; empty if nothing is bound (side effect, wildcard).
    pub alias: String,
    /// Whether the name is visible to importers of this file: `export ... from`, `pub use`.
    pub reexport: bool,
    /// The scope of the import: an index into the symbols, or [`FILE_SCOPE`].
    pub scope: u32,
    /// The position of the module path or of the imported name.
    pub at: NameSpan,
}

/// A local name, with the type or value that the text binds it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BindingFact {
    /// The symbol whose body binds the name (a function: parameters and locals), or [`FILE_SCOPE`].
    /// For fields that are bound by assignment it is the type: `self.x = Foo()` has the class as
    /// scope and the name `x`.
    pub scope: u32,
    /// The bound name.
    pub name: StringIndex,
    /// The type expression or the value expression, depending on `kind`; empty if the text binds
    /// the name without either.
    pub value: StringIndex,
    /// The kind of `value`.
    pub kind: BindingKind,
    /// The byte at which the binding is written.
    pub at: u32,
    /// One past the last byte at which the binding is valid: the end of the block that binds the
    /// name, or [`u32::MAX`] if the binding is valid in the whole scope.
    pub end: u32,
}

/// The kind of [`BindingFact::value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum BindingKind {
    /// A type expression on one line: annotation, parameter type, constructed type.
    Type,
    /// A value expression in the notation of [`ReferenceFact::receiver`], whose type is the type of
    /// the name: `make_app()`, `self.app`, `other`. Empty if the value is unknown.
    Value,
    /// A value expression; the name is an element of the value (`for x in xs`, indexing).
    Element,
}

/// The tokens of a file for the text index, analyzed by [`crate::analysis`], as counts per symbol
/// and field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileText {
    /// The distinct terms of the file.
    pub terms: StringTable,
    /// One entry per symbol, in the order of [`FileFacts::symbols`], with its **own** text. The
    /// text of a member that is itself a symbol belongs to the member, except that a function keeps
    /// the text of the symbols nested in it.
    pub symbols: Vec<TermCounts>,
    /// The text that belongs to no symbol (fields `code`, `strings`, `comments` only).
    pub rest: TermCounts,
}

/// The occurrences of terms in the fields of one document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TermCounts {
    /// `(term, field, count)`, sorted by term and then field. The term is an index into
    /// [`FileText::terms`], the field a [`crate::text::TextField`] number.
    pub counts: Vec<(u32, u8, u16)>,
    /// The length of each field in word tokens (tokens of whole identifiers do not count).
    pub lengths: [u16; crate::text::FIELDS],
}
