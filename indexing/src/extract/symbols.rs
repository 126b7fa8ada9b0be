//! Builds symbols from drafts: determines their nesting, containers, kinds, signatures and
//! parameters.
//!
//! All drafts are sorted so that an enclosing declaration comes before those inside it. One pass
//! with a stack then finds the parent and container of each. The kind of a symbol may depend on its
//! parent (a function in a type is a method), and a variable in a function is not a symbol. Members
//! declared by assignments in methods move to their type.

use super::declaration::{Declaration, DeclarationReader};
use super::dialects::VisibilityInput;
use super::raw_facts::{DraftKind, SymbolDraft};
use crate::languages::ClauseKey;
use kenning_graph::facts::{FILE_SCOPE, SymbolFact};
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// The symbols of a file, and an index to find the one around a byte.
#[derive(Default)]
pub(crate) struct FileSymbols {
    pub facts: Vec<SymbolFact>,
    /// Start and end of the symbols' bodies, in the order of `facts`.
    pub bodies: Vec<Option<(u32, u32)>>,
    /// Starts of comments that are documentation, with the symbol that they document.
    pub doc_comments: FxHashMap<u32, u32>,
    /// Starts of docstrings, with the symbol that they document.
    pub docstrings: FxHashMap<u32, u32>,
    /// Starts of the names in all clauses of a function but the first.
    pub clause_names: FxHashSet<u32>,
    /// The spans of the symbols that enclose text, in source order. Members declared by an
    /// assignment in a method are not included.
    spans: Vec<SymbolSpan>,
}

/// The bytes that a symbol encloses.
struct SymbolSpan {
    start: u32,
    end: u32,
    symbol: u32,
    /// The index of the enclosing span.
    outer: Option<u32>,
}

/// An entry of the stack of declarations around the current one.
struct EnclosingEntry {
    end: u32,
    start: u32,
    /// Index into `placed`, or `None` for scopes, which are not symbols.
    symbol: Option<usize>,
    qualified: String,
    kind: Option<SymbolKind>,
    /// Whether symbols directly inside it are static members of a class.
    is_static: bool,
}

/// A draft with its kind and its position in the hierarchy of symbols.
struct PlacedSymbol<'d, 't> {
    draft: &'d SymbolDraft<'t>,
    declaration: Declaration,
    /// The end of its last clause, or of its declaration if it has only one.
    end: u32,
    /// The starts of the names in its other clauses.
    clauses: Vec<u32>,
    kind: SymbolKind,
    parent: Option<usize>,
    container: String,
    parent_kind: Option<SymbolKind>,
    /// Whether an assignment in a method declares it.
    is_assigned_member: bool,
    is_static: bool,
}

/// Prefix of the signature of a member that is added to a class outside its body: see
/// [`kenning_graph::static_members::is_static_member`].
const STATIC_PREFIX: &str = "static ";

impl FileSymbols {
    /// Creates the symbols of a file from its drafts.
    pub fn from_drafts(drafts: &[SymbolDraft], reader: &DeclarationReader) -> Self {
        let mut declared: Vec<(&SymbolDraft, Declaration)> =
            drafts.iter().map(|draft| (draft, reader.locate_declaration(draft))).collect();
        // Enclosing declarations come first. Among equal spans, scopes come before symbols.
        declared.sort_by(|(left, left_declaration), (right, right_declaration)| {
            let key = |d: &SymbolDraft, at: &Declaration| {
                (
                    at.start,
                    std::cmp::Reverse(at.end),
                    !matches!(d.kind, DraftKind::Scope(_)),
                    d.name_span.start,
                )
            };
            key(left, left_declaration).cmp(&key(right, right_declaration))
        });
        let mut placed = nest_drafts(declared, reader);
        move_members_to_types(&mut placed);
        finish_symbols(placed, reader)
    }

    /// Returns the innermost symbol around a byte, or [`FILE_SCOPE`].
    pub fn symbol_at(&self, byte: u32) -> u32 {
        self.span_index_at(byte).map_or(FILE_SCOPE, |index| self.spans[index].symbol)
    }

    /// Returns the index of the innermost span around a byte.
    fn span_index_at(&self, byte: u32) -> Option<usize> {
        let mut index = self.spans.partition_point(|span| span.start <= byte).checked_sub(1)?;
        while self.spans[index].end <= byte {
            index = self.spans[index].outer? as usize;
        }
        Some(index)
    }

    /// Returns the innermost symbol around a byte whose kind is wanted, or [`FILE_SCOPE`].
    pub fn enclosing_symbol(&self, byte: u32, is_wanted: impl Fn(SymbolKind) -> bool) -> u32 {
        let mut index = self.span_index_at(byte);
        while let Some(inner) = index {
            let SymbolSpan { symbol, outer, .. } = self.spans[inner];
            if is_wanted(self.facts[symbol as usize].kind) {
                return symbol;
            }
            index = outer.map(|outer| outer as usize);
        }
        FILE_SCOPE
    }
}

fn join_names(container: &str, name: &str) -> String {
    match (container.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => container.to_owned(),
        _ => [container, ".", name].concat(),
    }
}

impl EnclosingEntry {
    /// Whether a declaration with this span is outside the entry. Equal spans are siblings
    /// (`a, b = 1, 2`), unless the entry is a scope.
    fn excludes_span(&self, start: u32, end: u32) -> bool {
        self.end < end
            || self.end <= start
            || (self.start == start && self.end == end && self.symbol.is_some())
    }
}

/// Places the declarations of a file inside one another, in the order of the text.
struct DraftNester<'r, 'd, 't> {
    reader: &'r DeclarationReader<'r>,
    placed: Vec<PlacedSymbol<'d, 't>>,
    enclosing: Vec<EnclosingEntry>,
    /// The last symbol in each enclosing symbol.
    last_siblings: FxHashMap<Option<usize>, usize>,
}

/// Returns the symbols of a file with their kinds and parents, in the order of the text.
fn nest_drafts<'d, 't>(
    declared: Vec<(&'d SymbolDraft<'t>, Declaration)>,
    reader: &DeclarationReader,
) -> Vec<PlacedSymbol<'d, 't>> {
    let placed = Vec::with_capacity(declared.len());
    let mut nester =
        DraftNester { reader, placed, enclosing: Vec::new(), last_siblings: FxHashMap::default() };
    for (draft, declaration) in declared {
        nester.add_draft(draft, declaration);
    }
    nester.placed
}

impl<'d, 't> DraftNester<'_, 'd, 't> {
    fn add_draft(&mut self, draft: &'d SymbolDraft<'t>, declaration: Declaration) {
        let (start, end) = (declaration.start, declaration.end);
        while self.enclosing.last().is_some_and(|a| a.excludes_span(start, end)) {
            self.enclosing.pop();
        }
        if draft.name.is_empty() && !matches!(draft.kind, DraftKind::Scope(_)) {
            // The name is a blank key, or the parser inserted a missing name.
            return;
        }
        let outer = self.enclosing.last();
        let mut container = outer.map_or("", |a| a.qualified.as_str()).to_owned();
        if let Some(explicit) = &draft.container {
            container = join_names(&container, explicit);
        }
        match draft.kind {
            DraftKind::Scope(kind) => {
                let qualified = join_names(&container, &draft.name);
                let nameless = draft.name.is_empty() && !has_body(kind);
                let kind = if nameless { outer.and_then(|a| a.kind) } else { Some(kind) };
                let is_static = draft.is_static;
                self.enclosing.push(EnclosingEntry { start, end, symbol: None, qualified, kind, is_static });
            }
            DraftKind::Member => {
                let parent = self.innermost_symbol();
                self.placed.push(PlacedSymbol {
                    draft,
                    end,
                    clauses: Vec::new(),
                    declaration,
                    kind: SymbolKind::Field,
                    parent,
                    container,
                    parent_kind: None,
                    is_assigned_member: true,
                    is_static: false,
                });
            }
            DraftKind::Symbol(kind) => self.add_symbol(draft, declaration, kind, container),
        }
    }

    fn innermost_symbol(&self) -> Option<usize> {
        self.enclosing.iter().rev().find_map(|a| a.symbol)
    }

    fn add_symbol(
        &mut self,
        draft: &'d SymbolDraft<'t>,
        declaration: Declaration,
        kind: SymbolKind,
        container: String,
    ) {
        let (start, end) = (declaration.start, declaration.end);
        let outer = self.enclosing.last();
        // The kind of the symbol's owner. An explicit container or a scope counts as a type.
        let owner_kind =
            if draft.container.is_some() { Some(SymbolKind::Class) } else { outer.and_then(|a| a.kind) };
        let Some(kind) = kind_in_context(kind, owner_kind, draft, self.reader) else { return };
        let is_static = draft.is_static || outer.is_some_and(|a| a.is_static);
        let parent = self.innermost_symbol();
        let qualified = join_names(&container, &draft.name);
        let first_clause = self.last_siblings.get(&parent).copied().filter(|&sibling| {
            let first: &PlacedSymbol = &self.placed[sibling];
            first.kind == kind && first.container == container && are_clauses(first.draft, draft, self.reader)
        });
        let symbol = first_clause.unwrap_or(self.placed.len());
        self.enclosing.push(EnclosingEntry {
            start,
            end,
            symbol: Some(symbol),
            qualified,
            kind: Some(kind),
            is_static: false,
        });
        if first_clause.is_some() {
            let first = &mut self.placed[symbol];
            first.end = end;
            first.clauses.push(draft.name_span.start);
            return;
        }
        self.last_siblings.insert(parent, symbol);
        self.placed.push(PlacedSymbol {
            draft,
            end,
            clauses: Vec::new(),
            declaration,
            kind,
            parent,
            container,
            parent_kind: owner_kind,
            is_assigned_member: false,
            is_static,
        });
    }
}

/// Whether a declaration is a further clause of the function that another one begins.
fn are_clauses(first: &SymbolDraft, next: &SymbolDraft, reader: &DeclarationReader) -> bool {
    let is_callable =
        |draft: &SymbolDraft| matches!(draft.kind, DraftKind::Symbol(kind) if kind.is_callable());
    let share_name = || is_callable(first) && is_callable(next) && first.name == next.name;
    match reader.row.joins_clauses {
        ClauseKey::Never => false,
        ClauseKey::Name => share_name(),
        ClauseKey::Arity => share_name() && reader.count_parameters(first) == reader.count_parameters(next),
    }
}

/// Returns the kind of a symbol with this parent, or `None` if it is not a symbol there (a local
/// variable).
fn kind_in_context(
    kind: SymbolKind,
    parent: Option<SymbolKind>,
    draft: &SymbolDraft,
    reader: &DeclarationReader,
) -> Option<SymbolKind> {
    let row = reader.row;
    let in_type = parent.is_some_and(|p| p.is_type() && (p != SymbolKind::Module || row.methods_in_modules));
    let in_callable = parent.is_some_and(has_body);
    let in_value = matches!(parent, Some(SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field));
    Some(match kind {
        SymbolKind::Function | SymbolKind::Method if draft.is_test => SymbolKind::Function,
        SymbolKind::Function | SymbolKind::Method if in_type => {
            if row.constructors.contains(&draft.name) {
                SymbolKind::Constructor
            } else {
                SymbolKind::Method
            }
        }
        SymbolKind::Method if in_value => SymbolKind::Method,
        SymbolKind::Method => SymbolKind::Function,
        SymbolKind::Field if row.record_constructors && parent == Some(SymbolKind::Constructor) => kind,
        SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field if in_callable => return None,
        SymbolKind::Variable if in_type && parent != Some(SymbolKind::Module) => SymbolKind::Field,
        SymbolKind::Variable if in_value => return None,
        SymbolKind::Variable if row.constants_by_case && is_constant_case(&draft.name) => {
            SymbolKind::Constant
        }
        kind => kind,
    })
}

/// Whether symbols of this kind contain statements: callables, and properties with accessors.
pub(crate) fn has_body(kind: SymbolKind) -> bool {
    kind.is_callable() || kind == SymbolKind::Property
}

/// Whether a name has the case of a constant: upper-case letters, at least two characters.
pub(crate) fn is_constant_case(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase) && name.len() > 1
}

/// Moves members that are declared by assignments in methods to their types. Keeps the first
/// declaration of each.
fn move_members_to_types(placed: &mut Vec<PlacedSymbol>) {
    if !placed.iter().any(|symbol| symbol.is_assigned_member) {
        return;
    }
    let mut fields: FxHashSet<(usize, String)> = FxHashSet::default();
    for symbol in placed.iter().filter(|s| !s.is_assigned_member) {
        if let Some(parent) = symbol.parent {
            fields.insert((parent, symbol.draft.name.clone()));
        }
    }
    // In JavaScript a function can be a class.
    let is_type = |s: &PlacedSymbol| {
        let may_be_class = s.kind == SymbolKind::Function && s.draft.name.starts_with(char::is_uppercase);
        s.kind.is_type() && s.kind != SymbolKind::Module || may_be_class && s.container.is_empty()
    };
    let owners: Vec<Option<usize>> = (0..placed.len())
        .map(|index| {
            let mut owner = placed[index].parent;
            while let Some(inner) = owner.filter(|&owner| !is_type(&placed[owner])) {
                owner = placed[inner].parent;
            }
            owner
        })
        .collect();
    let containers: Vec<String> = placed.iter().map(|s| join_names(&s.container, &s.draft.name)).collect();
    let mut keep = vec![true; placed.len()];
    for (index, symbol) in placed.iter_mut().enumerate().filter(|(_, s)| s.is_assigned_member) {
        match owners[index] {
            Some(owner) if fields.insert((owner, symbol.draft.name.clone())) => {
                symbol.parent = Some(owner);
                symbol.container.clone_from(&containers[owner]);
                symbol.parent_kind = Some(SymbolKind::Class);
            }
            _ => keep[index] = false,
        }
    }
    let mut renumbered = vec![usize::MAX; placed.len()];
    let mut next = 0;
    for (index, &kept) in keep.iter().enumerate() {
        if kept {
            renumbered[index] = next;
            next += 1;
        }
    }
    let mut keep = keep.into_iter();
    placed.retain(|_| keep.next().unwrap_or(true));
    for symbol in placed.iter_mut() {
        symbol.parent = symbol.parent.map(|p| renumbered[p]);
    }
}

/// Returns the qualified names of the types and functions to which assignments may add members from
/// outside. Such members are static.
fn types_with_added_members(placed: &[PlacedSymbol]) -> FxHashSet<String> {
    if !placed.iter().any(|symbol| symbol.is_static) {
        return FxHashSet::default();
    }
    let is_owner = |s: &&PlacedSymbol| {
        (s.kind.is_type() && s.kind != SymbolKind::Module) || s.kind == SymbolKind::Function
    };
    placed.iter().filter(is_owner).map(|s| join_names(&s.container, &s.draft.name)).collect()
}

/// Converts placed symbols to facts and indexes the text that they enclose.
fn finish_symbols(placed: Vec<PlacedSymbol>, reader: &DeclarationReader) -> FileSymbols {
    let mut out = FileSymbols::default();
    let mut span_indices: FxHashMap<usize, u32> = FxHashMap::default();
    let owners = types_with_added_members(&placed);
    for (index, symbol) in placed.into_iter().enumerate() {
        let PlacedSymbol {
            draft,
            declaration,
            end,
            clauses,
            kind,
            parent,
            container,
            parent_kind,
            is_assigned_member,
            is_static,
        } = symbol;
        out.clause_names.extend(clauses);
        if !is_assigned_member {
            let outer = parent.and_then(|p| span_indices.get(&p).copied());
            span_indices.insert(index, out.spans.len() as u32);
            out.spans.push(SymbolSpan { start: declaration.start, end, symbol: index as u32, outer });
        }
        let mut head = reader.describe_head(draft, &declaration, kind);
        if is_static && owners.contains(&container) {
            head.signature.insert_str(0, STATIC_PREFIX);
        }
        let declared = VisibilityInput { name: &draft.name, head: &head.head, kind, parent: parent_kind };
        let mut fact = SymbolFact {
            name: draft.name.clone(),
            parent: parent.map(|p| p as u32),
            container,
            kind,
            span: reader.span_with_lines(declaration.start, end),
            name_span: draft.name_span,
            signature: head.signature,
            doc: declaration.doc,
            params: head.params,
            arity: head.arity,
            ty: head.ty,
            bases: Vec::new(),
            visibility: reader.dialect.symbol_visibility(&declared),
            is_test: false,
            body_hash: reader.body_hash(declaration.start, end),
        };
        let parent_is_test = parent.is_some_and(|p| out.facts[p].is_test);
        fact.is_test = parent_is_test || draft.is_test || reader.is_marked_test(&fact);
        let with_symbol = |start: u32| (start, index as u32);
        out.doc_comments.extend(declaration.doc_comments.into_iter().map(with_symbol));
        out.docstrings.extend(declaration.docstring.map(with_symbol));
        out.bodies
            .push(reader.body_node(draft).map(|body| (body.start_byte() as u32, body.end_byte() as u32)));
        out.facts.push(fact);
    }
    out
}
