//! What one file's text says, before anything is resolved: a pure function of its bytes, its language and the
//! extractor version, cached by content hash.
//!
//! Nothing here depends on the path of the file or on any other file. Identifiers are kept as the text has them;
//! `kenning-indexing` turns them into edges in a second, project-wide pass.

mod strings;

pub use strings::{StringIndex, StringTable, StringTableBuilder};

use crate::sketch::BodySketch;
use crate::vocabulary::{SymbolKind, Visibility};
use serde::{Deserialize, Serialize};

/// Stands for "the file itself" where an index into [`FileFacts::symbols`] is expected.
pub const FILE_SCOPE: u32 = u32::MAX;

/// Everything extraction learns from one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Language id, a row of `languages.toml` (`"go"`, `"python"`, `"typescript"`, `"tsx"`, ...).
    pub language: String,
    /// The package or namespace that the file declares (`package x` in Go and Java, the file's first namespace
    /// in C#); empty where the language has none.
    pub package: String,
    /// Symbols in source order; a parent always stands before its children.
    pub symbols: Vec<SymbolFact>,
    /// Uses of names, in source order.
    pub references: Vec<ReferenceFact>,
    /// Imports, in source order.
    pub imports: Vec<ImportFact>,
    /// What local names are bound to: the input of receiver types.
    pub bindings: Vec<BindingFact>,
    /// Endpoints that are served or called, in source order.
    pub routes: Vec<RouteFact>,
    /// Routers that are put below a path, or given to a function, sorted; each once.
    pub mounts: Vec<MountFact>,
    /// Strings shared by [`ReferenceFact`], [`BindingFact`] and [`RouteFact`].
    pub strings: StringTable,
    /// Tokens for the text index.
    pub text: FileText,
    /// Number of lines of the text (at least 1).
    pub lines: u32,
    /// How the text was read.
    pub quality: ParseQuality,
    /// Sketches of the bodies of callables that are long enough to be compared, by index into the symbols, ascending.
    pub sketches: Vec<(u32, BodySketch)>,
}

impl FileFacts {
    /// Gives back the room that lists kept for growing: facts of a whole workspace are held at once.
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

/// How well a file could be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseQuality {
    /// The syntax tree holds error nodes.
    pub syntax_errors: bool,
    /// The bytes are not UTF-8; they were read with replacement characters.
    pub lossy: bool,
    /// Parsing was given up (time, nesting): no symbols, text tokens only.
    pub abandoned: bool,
}

/// A half-open range of bytes of the file, with the lines it touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte, 0-based.
    pub start_line: u32,
    /// Line of the last byte, 0-based.
    pub end_line: u32,
}

/// Where a name stands: its first byte, its line (0-based) and its column in bytes from the line's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameSpan {
    /// First byte of the name.
    pub start: u32,
    /// Length of the name in bytes.
    pub len: u32,
    /// 0-based line.
    pub line: u32,
    /// Byte column in that line.
    pub column: u32,
}

/// A symbol as its file declares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SymbolFact {
    /// Simple name (`before_request`, `ServeHTTP`, `Scaffold`). Never empty.
    pub name: String,
    /// Index of the enclosing symbol in this file, if it stands inside one (a Go method does not stand inside
    /// its type; a Rust method does not stand inside a symbol, since `impl` blocks are not symbols).
    pub parent: Option<u32>,
    /// Dotted path of what the symbol belongs to inside the file, without the file: `"Scaffold"`,
    /// `"Outer.Inner"`; for Go methods the receiver type, for Rust methods the implemented type, both without
    /// pointers, lifetimes and type arguments. Empty for top-level symbols. For a function nested in a function
    /// it includes the function's name.
    pub container: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole declaration including decorators and the body, without the doc comment before it.
    pub span: Span,
    /// Its name.
    pub name_span: NameSpan,
    /// One line as written: parameters, return type, generics, modifiers; no body, no doc.
    pub signature: String,
    /// Doc comment or docstring without comment markers; at most 2 000 bytes.
    pub doc: String,
    /// Parameter types, normalised (no spaces; parameter names where the language has no types), joined by `,`:
    /// tells overloads apart. Empty for what has no parameters.
    pub params: String,
    /// Number of parameters, receiver excluded; `None` for what is not callable.
    pub arity: Option<u8>,
    /// Type expression as written: the return type of a callable, the declared (or plainly constructed) type
    /// of a field, variable or constant, the aliased type of a type alias. Where only a value shows the type:
    /// `=` and the value in the notation of [`ReferenceFact::receiver`], free of local names (in TypeScript and JavaScript
    /// also for a part of the type: `{run:=run;}`). `~` stands first where a declaration further down takes the name
    /// (Python: overloads, alternatives of an `if`), and where a type is not another name of this one but made as it is (Go:
    /// `type A B`). Empty when unknown.
    pub ty: String,
    /// What it inherits from, in order.
    pub bases: Vec<BaseType>,
    /// Who may see it.
    pub visibility: Visibility,
    /// The text marks it as a test (`#[test]`, `func TestX(t *testing.T)`, `@Test`, `def test_x`, `it(...)`).
    pub is_test: bool,
    /// Hash of the text of `span`, first eight bytes.
    pub body_hash: u64,
}

impl SymbolFact {
    /// `container.name`, or the name alone at top level: the name inside the file.
    pub fn qualified_name(&self) -> String {
        if self.container.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.container, self.name)
        }
    }
}

/// One entry of a base list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseType {
    /// Type expression as written, dots for separators, without type arguments: `"http.Handler"`, `"Scaffold"`.
    pub name: String,
    /// How it is inherited.
    pub relation: BaseRelation,
}

/// How a type relates to an entry of its base list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaseRelation {
    /// `class A extends B`, `class A(B)`, `class A < B`; C# where the text cannot tell.
    Extends,
    /// `implements I`, Rust `impl Trait for T`.
    Implements,
    /// Go embedding, Ruby `include`/`extend`/`prepend`: members become available, no subtype is declared.
    Embeds,
}

/// A use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceFact {
    /// The used name alone, without receiver or path.
    pub name: StringIndex,
    /// The receiver or path before the name, normalised: see [`FileFacts`] and [`receiver` rules](ReferenceFact).
    ///
    /// Segments joined by `.`; each an identifier, with `()` behind it where the segment is a call
    /// (`self.app.make()` ; Rust `a::b` and Ruby `A::B` become `a.b`) and `[]` where an element of it is taken
    /// (`self.routes[].path`). Index 0 is the empty string: no
    /// receiver. The string `"?"` stands for an expression that cannot be written so.
    ///
    /// Where the language's row asks for it (`value_types`), more can stand behind a segment: `#each` and `#key` what a
    /// loop gives, `#0`, `#1` ... one of several values, `#enter` what a context manager gives; `{T}` stands for a value
    /// of the type `T`, and `|` between alternatives.
    pub receiver: StringIndex,
    /// What the use does.
    pub role: ReferenceRole,
    /// Index of the innermost enclosing symbol, or [`FILE_SCOPE`].
    pub scope: u32,
    /// Where the used **name** stands (not the receiver, not the call).
    pub at: NameSpan,
    /// Number of arguments of a call; 255 when unknown or not a call.
    pub arity: u8,
    /// What the text says of the arguments of a call, in languages with overloads; the empty string elsewhere. Joined
    /// by `,`; each an expression in the notation of [`ReferenceFact::receiver`], or `:` and a type (`:Foo` of
    /// `new Foo()`), `'` and the type of a literal (`'int`, `'null`), `=>` and the number of parameters of a function
    /// literal, or `?`. Rust: `!` for the call of a macro; of a base of a type that stands in another file that type.
    pub arguments: StringIndex,
}

/// What a use of a name does.
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
    /// `receiver.name` read or written, not called.
    Field,
    /// A decorator, annotation or attribute on `scope`.
    Decorator,
    /// `throw new Name`, `raise Name`.
    Throw,
    /// A function or type named as a value (callback registration, `&Name`, method reference).
    Value,
    /// An environment variable that is read; `name` is the variable.
    Env,
    /// A process that is started; `name` is the program.
    Process,
    /// A feature flag that is asked for; `name` is its key.
    Flag,
    /// A name in documentation (`[Foo]`, `{@link Foo#bar}`); `scope` is the documented symbol.
    Doc,
    /// The name of a test fixture in quotes (`usefixtures("app")`).
    Fixture,
    /// A name that stands alone as a value and is neither called nor an argument (`limit + 1`).
    Name,
    /// A name in quotes that a module says it exports (`__all__ = ["run"]`).
    Quoted,
}

/// A place that serves an endpoint or calls one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteFact {
    /// HTTP method in capitals; `ANY` where all are served, or none is named.
    pub method: StringIndex,
    /// Path template, normalised: begins with `/`, holes as `{}`, without query and trailing slash.
    pub path: StringIndex,
    /// The handler: a name with the receiver before it, in the notation of [`ReferenceFact::receiver`]. Empty for
    /// `scope` itself.
    pub handler: StringIndex,
    /// What must lead to one of `packages` for this to be a route; empty where the file itself shows it.
    pub evidence: StringIndex,
    /// Packages of the framework, separated by spaces; empty where `evidence` is.
    pub packages: StringIndex,
    /// What its path is relative to: the qualified name of the file's variable that is the router, or of the function that
    /// is given or gives it, or a name that the file imports. Empty where the path is whole.
    pub router: StringIndex,
    /// The parameter that is the router, where `router` is a function that is given one, from 0.
    pub parameter: Option<u8>,
    /// The beginning of the path that the router was made with.
    pub own: StringIndex,
    /// The router is meant to be mounted below a path: unless it is, the path is not whole.
    pub partial: bool,
    /// The file itself puts the router somewhere, which another entry tells: this one counts where a mount says so.
    pub elsewhere: bool,
    /// The endpoint is called, not served.
    pub client: bool,
    /// The symbol that serves or calls it, an index into the symbols, or [`FILE_SCOPE`].
    pub scope: u32,
    /// Where the path stands.
    pub at: NameSpan,
}

/// Stands for the path of a [`MountFact`] that is not known.
pub const UNKNOWN_PATH: &str = "?";

/// A router that a file puts below a path, or gives to a function; where `target` and `by` are the same, what the file's
/// variable of this name was made with, for routes that other files add to it. It says nothing of where: what others read of it must not
/// change with the lines before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MountFact {
    /// What it begins with, normalised as [`RouteFact::path`]; empty for the root, [`UNKNOWN_PATH`] where it is not known.
    pub path: String,
    /// The router, or the function that is given or gives one, read from outside of all functions: an expression in the
    /// notation of [`ReferenceFact::receiver`]; `import:` and a module's masked path ([`crate::receiver_notation`]) at its start stand for
    /// that module.
    pub target: String,
    /// The parameter that is the router, where `target` is a function: it is called with one, not for what it gives.
    pub parameter: Option<u8>,
    /// What it is put below, as [`RouteFact::router`].
    pub by: String,
    /// As [`RouteFact::parameter`], of `by`.
    pub by_parameter: Option<u8>,
    /// As [`RouteFact::own`], of what it is put below.
    pub own: String,
    /// As [`RouteFact::partial`], of what it is put below.
    pub partial: bool,
    /// The path stands in the place of the one that the router was made with.
    pub replaces: bool,
    /// The file itself shows that it puts routers somewhere; else that depends on who puts `by` somewhere.
    pub surely: bool,
}

/// One imported name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFact {
    /// What is imported from, as written but normalised: Go `net/http`; Python `flask.app`, `.app`, `..`;
    /// TS/JS `./foo`, `react`; Rust `crate.walk`, `super.args`, `std.fmt` (dots for `::`), `./a/b.rs` for a module whose
    /// file is named; Java the package or
    /// outer type `java.util`; C# the namespace; Ruby the required path, `./x` for `require_relative "x"`.
    pub path: String,
    /// The member imported from `path`: Python `from p import NAME`, TS `{NAME}`, Rust and Java the last
    /// segment, C# alias target's last segment; `*` for wildcards, `default` for JS default imports; empty
    /// where the module itself is imported.
    pub name: String,
    /// The name it is bound to in this file; empty where nothing is bound (side effect, wildcard).
    pub alias: String,
    /// The name is visible to importers of this file: `export ... from`, `pub use`.
    pub reexport: bool,
    /// Scope in which it stands, an index into the symbols, or [`FILE_SCOPE`].
    pub scope: u32,
    /// Where it stands (the module path, or the imported name).
    pub at: NameSpan,
}

/// A local name and what its text says of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BindingFact {
    /// Symbol whose body binds it (a function: parameters and locals), or [`FILE_SCOPE`]. For a type: its
    /// fields that are bound by assignment (`self.x = Foo()` has scope = the class and name `x`).
    pub scope: u32,
    /// The bound name.
    pub name: StringIndex,
    /// The type expression or the value expression, by `how`; empty where the text says nothing of the name but that
    /// it is bound.
    pub value: StringIndex,
    /// What `value` is.
    pub how: BindingKind,
    /// Byte at which the binding stands.
    pub at: u32,
    /// One past the last byte at which it holds: the end of the block that binds the name; [`u32::MAX`] where it
    /// holds in the whole scope.
    pub end: u32,
}

/// The kind of [`BindingFact::value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum BindingKind {
    /// A type expression in one line: annotation, parameter type, constructed type.
    Type,
    /// A value expression in the notation of [`ReferenceFact::receiver`] whose type is the name's type:
    /// `make_app()`, `self.app`, `other`. Empty: the value is unknown.
    Value,
    /// An element of such a value is bound (`for x in xs`, indexing).
    Element,
}

/// Tokens of a file for the text index, analysed by [`crate::analysis`], as counts per symbol and field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileText {
    /// The distinct terms of the file.
    pub terms: StringTable,
    /// One entry per symbol, in the order of [`FileFacts::symbols`]: its **own** text. Text inside a member that
    /// is itself a symbol belongs to the member, except that a function keeps the text of symbols nested in it.
    pub symbols: Vec<TermCounts>,
    /// The text of the file that lies in no symbol (fields `code`, `strings`, `comments` only).
    pub rest: TermCounts,
}

/// Occurrences of terms in the fields of one document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TermCounts {
    /// `(term, field, count)`, sorted by term and then field; term is an index into [`FileText::terms`], field a
    /// [`crate::text::TextField`] number.
    pub counts: Vec<(u32, u8, u16)>,
    /// Length of each field in word tokens (whole-identifier tokens do not count).
    pub lengths: [u16; crate::text::FIELDS],
}
