//! What the patterns found in a text, still with its syntax nodes: drafts of symbols, of references and of the rest.

use super::bindings::RawBinding;
use super::doc_links::DocLink;
use super::expressions::{ExpressionReader, one_line};
use super::feature_flags::FlagCertainty;
use super::routes::RawRoute;
use super::type_bounds::RawBound;
use kenning_graph::facts::{BaseRelation, ImportFact, MountFact, NameSpan, ReferenceRole};
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// What a symbol draft will become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DraftKind {
    /// A symbol of this kind, subject to where it stands.
    Symbol(SymbolKind),
    /// A field of the enclosing type, declared by an assignment in a method.
    Member,
    /// No symbol: names the container of what it holds, which counts as a type of this kind.
    Scope(SymbolKind),
}

/// A symbol before its place in the file is known.
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
    /// Type that it belongs to without standing in it.
    pub container: Option<String>,
    pub is_test: bool,
    /// A type of its own that is made as `ty` is, not another name of it.
    pub defined: bool,
    /// Given to what its container names, or a scope whose members are: a class has it itself, not its values.
    pub on_type: bool,
}

/// A reference before its scope is known.
pub(crate) struct RawReference {
    pub name: String,
    pub receiver: String,
    pub role: ReferenceRole,
    pub at: NameSpan,
    pub arity: u8,
    /// See [`kenning_graph::facts::ReferenceFact::arguments`].
    pub arguments: String,
    /// A call only if the name is not bound.
    pub bare: bool,
    /// For [`super::patterns::Capture::Base`].
    pub base: Option<Box<RawBase>>,
}

/// What an entry of a base list says.
pub(crate) struct RawBase {
    /// The base as written.
    pub name: String,
    pub relation: BaseRelation,
    /// The name of the type when it does not enclose the reference.
    pub of: Option<String>,
}

impl RawReference {
    /// A use of this role, with no other fields set.
    pub fn with_role(role: ReferenceRole) -> Self {
        Self {
            name: String::new(),
            receiver: String::new(),
            role,
            at: NameSpan::default(),
            arity: 255,
            arguments: String::new(),
            bare: false,
            base: None,
        }
    }
}

/// What the code of a language notes of a place in the text, for its last look at the symbols.
pub(crate) struct DialectNote {
    /// From which byte it holds.
    pub start: u32,
    /// Up to which byte.
    pub end: u32,
    pub word: String,
    /// The name of what it is about; empty where it is about all that stands there.
    pub name: String,
}

/// Everything that the patterns found.
#[derive(Default)]
pub(crate) struct RawFacts<'t> {
    pub drafts: Vec<SymbolDraft<'t>>,
    pub references: Vec<RawReference>,
    pub bindings: Vec<RawBinding>,
    /// What functions return: where, and the value in the notation of bindings; empty where nothing is known of it.
    pub returns: Vec<(u32, String)>,
    /// Where functions yield.
    pub yields: Vec<u32>,
    pub imports: Vec<ImportFact>,
    pub type_params: Vec<(String, u32, u32)>,
    /// Type parameters with what they are bound by, as written, and the span in which they hold.
    pub type_bounds: Vec<RawBound>,
    pub packages: Vec<String>,
    /// Import statements: what stands in them is no reference.
    pub import_spans: Vec<(u32, u32)>,
    /// Starts of import statements that look like declarations (`x = require(...)`).
    pub import_starts: FxHashSet<u32>,
    /// Notes that [`Dialect::collect_hook`](super::dialects::Dialect::collect_hook) leaves.
    pub marks: Vec<DialectNote>,
    /// Nodes that the language's dialect reads afterwards.
    pub hooks: Vec<Node<'t>>,
    /// Environment variables and processes by calls of a name alone, which may be one of the file's own: the called name
    /// with the reference.
    pub by_name: Vec<(String, RawReference)>,
    /// Names in the place of a literal that would name an environment variable or a program.
    pub unnamed: Vec<(Node<'t>, ReferenceRole)>,
    /// Keys that are looked up in an object that may be the environment by another name: object and key.
    pub keys: Vec<(Node<'t>, Node<'t>)>,
    /// Feature flags that are asked for, and how sure it is that these are flags.
    pub flags: Vec<(FlagCertainty, RawReference)>,
    /// Endpoints that are served or called.
    pub routes: Vec<RawRoute>,
    /// Routers that are put somewhere.
    pub mounts: Vec<MountFact>,
    /// Names in documentation.
    pub links: Vec<DocLink>,
}

impl<'t> RawFacts<'t> {
    /// Adds a symbol draft with the name that `name` holds.
    pub fn push_named_draft(
        &mut self,
        mut draft: SymbolDraft<'t>,
        name: Node<'t>,
        expressions: &ExpressionReader,
    ) {
        let (text, at) = strip_name_marks(expressions.node_text(name), name_span(name));
        if !text.is_empty() && text.len() <= 200 {
            (draft.name, draft.name_span) = (one_line(text), at);
            self.drafts.push(draft);
        }
    }

    /// Orders the drafts and keeps the first pattern's where several name the same place.
    pub fn dedup_drafts(&mut self) {
        self.drafts.sort_by_key(|d| (d.name_span.start, matches!(d.kind, DraftKind::Scope(_)), d.pattern));
        // A named function that is the value of a declaration is that declaration; an import is no declaration; the
        // package's own namespace is its package.
        let values: FxHashSet<usize> = self.drafts.iter().filter_map(|d| d.value.map(|v| v.id())).collect();
        let package = self.packages.first();
        self.drafts.retain(|d| {
            let is_variable =
                matches!(d.kind, DraftKind::Symbol(SymbolKind::Variable | SymbolKind::Constant));
            let is_import = is_variable && self.import_starts.contains(&(d.node.start_byte() as u32));
            let is_package = d.kind == DraftKind::Symbol(SymbolKind::Module) && package == Some(&d.name);
            !is_import && !is_package && !values.contains(&d.node.id())
        });
        let mut taken: FxHashSet<u32> = FxHashSet::default();
        self.drafts.retain(|d| matches!(d.kind, DraftKind::Scope(_)) || taken.insert(d.name_span.start));
    }
}

/// Where a node stands.
pub(crate) fn name_span(node: Node) -> NameSpan {
    let at = node.start_position();
    NameSpan {
        start: node.start_byte() as u32,
        len: (node.end_byte() - node.start_byte()) as u32,
        line: at.row as u32,
        column: at.column as u32,
    }
}

/// A name without quotes and symbol marks (`"get"`, `:name`), and where it stands.
pub(super) fn strip_name_marks(text: &str, mut at: NameSpan) -> (&str, NameSpan) {
    let clean = text.trim_start_matches(['"', '\'', '`', ':']);
    let cut = (text.len() - clean.len()) as u32;
    let clean = clean.trim_end_matches(['"', '\'', '`']);
    at = NameSpan { start: at.start + cut, len: clean.len() as u32, line: at.line, column: at.column + cut };
    (clean, at)
}
