//! Raw facts: the results of the patterns in one file, which still contain syntax nodes. They
//! include drafts of symbols, references, bindings and imports.
//!
//! The collector fills [`RawFacts`] while it walks the tree. `symbols` then places the drafts
//! inside one another, and `references` assigns everything else to the symbols around it.

use super::bindings::RawBinding;
use super::doc_links::DocLink;
use super::expressions::{ExpressionReader, one_line};
use super::named_lookups::NamedLookup;
use super::routes::RawRoute;
use super::type_bounds::RawBound;
use kenning_graph::facts::{BaseRelation, ImportFact, MountFact, NameSpan, ReferenceRole, UNKNOWN_ARITY};
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// Maximum length in bytes of a name or of a quoted type annotation. Longer texts are data.
pub(super) const MAX_NAME_BYTES: usize = 200;

/// The kind of result that a symbol draft becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DraftKind {
    /// A symbol of this kind. Its position in the file may still change the kind.
    Symbol(SymbolKind),
    /// A field of the enclosing type, declared by an assignment in a method.
    Member,
    /// Not a symbol. Its name becomes the container of the symbols inside it, which treat it as a
    /// type of this kind.
    Scope(SymbolKind),
}

/// A symbol before its parent is known.
#[derive(Clone)]
pub(crate) struct SymbolDraft<'t> {
    pub node: Node<'t>,
    pub kind: DraftKind,
    pub pattern: usize,
    pub name: String,
    pub name_span: NameSpan,
    pub body: Option<Node<'t>>,
    pub ty: Option<Node<'t>>,
    pub params: Option<Node<'t>>,
    pub value: Option<Node<'t>>,
    /// The type that the symbol is a member of, if the type's declaration does not enclose it.
    pub container: Option<String>,
    pub is_test: bool,
    /// Whether the symbol is a new type that `ty` defines, rather than an alias of `ty`.
    pub defined: bool,
    /// Whether the symbol is a static member of its container rather than a member of the
    /// container's values. For a scope, this applies to its members.
    pub is_static: bool,
}

/// The rank of drafts that a dialect adds, after those of all patterns.
const AFTER_PATTERNS: usize = usize::MAX;

impl<'t> SymbolDraft<'t> {
    /// Creates a draft of a dialect, with no other fields set.
    pub fn without_parts(node: Node<'t>, kind: DraftKind) -> Self {
        Self {
            node,
            kind,
            pattern: AFTER_PATTERNS,
            name: String::new(),
            name_span: NameSpan::default(),
            body: None,
            ty: None,
            params: None,
            value: None,
            container: None,
            is_test: false,
            defined: false,
            is_static: false,
        }
    }
}

/// A reference before its scope is known.
pub(crate) struct RawReference {
    pub name: String,
    pub receiver: String,
    pub role: ReferenceRole,
    pub at: NameSpan,
    pub arity: u8,
    /// The types of the arguments: see [`kenning_graph::facts::ReferenceFact::arguments`].
    pub arguments: String,
    /// Whether the reference is a call only if the name is not bound.
    pub bare: bool,
    /// Whether an operator passes the call one more argument than its list has.
    pub piped: bool,
    /// The base-list entry of a [`super::patterns::Capture::Base`].
    pub base: Option<Box<RawBase>>,
}

/// One entry of a base list.
pub(crate) struct RawBase {
    /// The base as written.
    pub name: String,
    pub relation: BaseRelation,
    /// The name of the type that has the base, if that type does not enclose the reference.
    pub derived_type: Option<String>,
}

impl RawReference {
    /// Creates a reference of this role, with no other fields set.
    pub fn with_role(role: ReferenceRole) -> Self {
        Self {
            name: String::new(),
            receiver: String::new(),
            role,
            at: NameSpan::default(),
            arity: UNKNOWN_ARITY,
            arguments: String::new(),
            bare: false,
            piped: false,
            base: None,
        }
    }
}

/// A note of a language's dialect about a range of the text, for its final pass over the symbols.
pub(crate) struct DialectNote {
    /// The first byte of the range to which the note applies.
    pub start: u32,
    /// The byte after that range.
    pub end: u32,
    /// The content of the note, in a notation of the dialect.
    pub content: String,
    /// The name to which the note applies; empty if it applies to everything in its range.
    pub name: String,
}

/// Everything that the patterns of a language found in one file.
#[derive(Default)]
pub(crate) struct RawFacts<'t> {
    pub drafts: Vec<SymbolDraft<'t>>,
    pub references: Vec<RawReference>,
    pub bindings: Vec<RawBinding>,
    /// Values that functions return: position, and value in the notation of bindings. The value is
    /// empty if unknown.
    pub returns: Vec<(u32, String)>,
    /// Positions where functions yield.
    pub yields: Vec<u32>,
    pub imports: Vec<ImportFact>,
    /// Type parameters, with the first byte and the end of the span in which they apply.
    pub type_params: Vec<(String, u32, u32)>,
    /// Type parameters with their bounds, as written, and the span in which they apply.
    pub type_bounds: Vec<RawBound>,
    /// The packages or namespaces that the file declares.
    pub packages: Vec<String>,
    /// Spans of import statements. Names inside them are not references.
    pub import_spans: Vec<(u32, u32)>,
    /// Starts of import statements that look like declarations (`x = require(...)`).
    pub import_starts: FxHashSet<u32>,
    /// Notes left by [`Dialect::collect_hook`](super::dialects::Dialect::collect_hook).
    pub notes: Vec<DialectNote>,
    /// Nodes that the language's dialect reads after the walk.
    pub hooks: Vec<Node<'t>>,
    /// Environment variables and processes found through calls without a receiver: the called name,
    /// with the reference. The name may belong to a function of the file.
    pub calls_by_name: Vec<(String, RawReference)>,
    /// Arguments that should name an environment variable or a program but are not literals.
    pub unnamed_literals: Vec<(Node<'t>, ReferenceRole)>,
    /// Object and key of each lookup in an object that may be an alias of the environment.
    pub env_lookups: Vec<(Node<'t>, Node<'t>)>,
    /// Lookups of feature flags and topics, with their certainty.
    pub named_lookups: Vec<NamedLookup>,
    /// Endpoints that are served or called.
    pub routes: Vec<RawRoute>,
    /// Mounts of routers.
    pub mounts: Vec<MountFact>,
    /// Names in documentation.
    pub doc_links: Vec<DocLink>,
}

impl<'t> RawFacts<'t> {
    /// Adds a symbol draft with the name in the node `name`, unless it is empty or longer than
    /// [`MAX_NAME_BYTES`].
    pub fn push_named_draft(
        &mut self,
        mut draft: SymbolDraft<'t>,
        name: Node<'t>,
        expressions: &ExpressionReader,
    ) {
        let (text, at) = strip_name_marks(expressions.node_text(name), name_span(name));
        if !text.is_empty() && text.len() <= MAX_NAME_BYTES {
            (draft.name, draft.name_span) = (one_line(text), at);
            self.drafts.push(draft);
        }
    }

    /// Sorts the drafts by position. If several patterns match the same name, keeps the draft of
    /// the first pattern.
    pub fn dedup_drafts(&mut self) {
        self.drafts.sort_by_key(|d| (d.name_span.start, matches!(d.kind, DraftKind::Scope(_)), d.pattern));
        // Drops three kinds of drafts: a named function that is the value of a declaration (the
        // declaration is the symbol), an import that looks like a declaration, and the namespace of
        // the file's package.
        let values: FxHashSet<usize> = self.drafts.iter().filter_map(|d| d.value.map(|v| v.id())).collect();
        let package = self.packages.first();
        self.drafts.retain(|d| {
            let is_variable =
                matches!(d.kind, DraftKind::Symbol(SymbolKind::Variable | SymbolKind::Constant));
            let is_import = is_variable && self.import_starts.contains(&(d.node.start_byte() as u32));
            let is_package = d.kind == DraftKind::Symbol(SymbolKind::Module) && package == Some(&d.name);
            !is_import && !is_package && !values.contains(&d.node.id())
        });
        let mut name_starts: FxHashSet<u32> = FxHashSet::default();
        self.drafts
            .retain(|d| matches!(d.kind, DraftKind::Scope(_)) || name_starts.insert(d.name_span.start));
    }
}

/// Returns the span of a node.
pub(crate) fn name_span(node: Node) -> NameSpan {
    let at = node.start_position();
    NameSpan {
        start: node.start_byte() as u32,
        len: (node.end_byte() - node.start_byte()) as u32,
        line: at.row as u32,
        column: at.column as u32,
    }
}

/// Removes quotes and symbol marks from a name (`"get"`, `:name`), but not the prime at the end of
/// `name'`. Returns it with its span.
pub(super) fn strip_name_marks(text: &str, mut at: NameSpan) -> (&str, NameSpan) {
    let quotes = ['"', '\'', '`'];
    let is_quoted = text.trim_start_matches(':').starts_with(quotes);
    let clean = text.trim_start_matches(quotes).trim_start_matches(':').trim_start_matches(quotes);
    let cut = (text.len() - clean.len()) as u32;
    let clean = if is_quoted { clean.trim_end_matches(quotes) } else { clean };
    at = NameSpan { start: at.start + cut, len: clean.len() as u32, line: at.line, column: at.column + cut };
    (clean, at)
}
