//! Symbols from drafts: determines nesting, containers, kinds, signatures and parameters.
//!
//! All drafts are sorted so that an enclosing declaration comes before those inside it. One pass
//! with a stack then finds the parent and container of each. The kind of a symbol may depend on its
//! parent (a function in a type is a method), and a variable in a function is not a symbol. Members
//! declared by assignments in methods move to their type.

use super::declaration::{Declaration, DeclarationReader};
use super::dialects::VisibilityInput;
use super::raw_facts::{DraftKind, SymbolDraft};
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
    /// `(start, end, symbol, index of the enclosing entry)` of the symbols that enclose text, in
    /// source order. Members declared by an assignment in a method are not included.
    spans: Vec<(u32, u32, u32, u32)>,
}

/// An entry of the stack of declarations around the current one.
struct EnclosingEntry {
    end: u32,
    start: u32,
    /// Index into `placed`, or `None` for scopes, which are not symbols.
    symbol: Option<usize>,
    qualified: String,
    kind: Option<SymbolKind>,
    /// Whether symbols directly inside it belong to a class itself and not to its values.
    on_type: bool,
}

struct PlacedSymbol<'d, 't> {
    draft: &'d SymbolDraft<'t>,
    declaration: Declaration,
    kind: SymbolKind,
    parent: Option<usize>,
    container: String,
    parent_kind: Option<SymbolKind>,
    member: bool,
    on_type: bool,
}

const NONE: u32 = u32::MAX;
/// Prefix of the signature of a member that is added to a class outside of its body: see
/// [`kenning_graph::static_members::is_static_member`].
const STATIC: &str = "static ";

impl FileSymbols {
    /// Turns drafts into symbols.
    pub fn from_drafts(drafts: &[SymbolDraft], reader: &DeclarationReader) -> Self {
        let mut declared: Vec<(&SymbolDraft, Declaration)> =
            drafts.iter().map(|draft| (draft, reader.locate_declaration(draft))).collect();
        // Enclosing declarations come first. Among equal spans, scopes come before symbols.
        declared.sort_by(|(a, x), (b, y)| {
            let key = |d: &SymbolDraft, at: &Declaration| {
                (
                    at.start,
                    std::cmp::Reverse(at.end),
                    !matches!(d.kind, DraftKind::Scope(_)),
                    d.name_span.start,
                )
            };
            key(a, x).cmp(&key(b, y))
        });
        let mut placed = nest_drafts(declared, reader);
        move_members_to_types(&mut placed);
        finish_symbols(placed, reader)
    }

    /// Returns the innermost symbol around a byte, or [`FILE_SCOPE`].
    pub fn symbol_at(&self, byte: u32) -> u32 {
        self.entry_at(byte).map_or(FILE_SCOPE, |entry| self.spans[entry].2)
    }

    fn entry_at(&self, byte: u32) -> Option<usize> {
        let mut entry = self.spans.partition_point(|&(start, ..)| start <= byte).checked_sub(1)?;
        while self.spans[entry].1 <= byte {
            let outer = self.spans[entry].3;
            if outer == NONE {
                return None;
            }
            entry = outer as usize;
        }
        Some(entry)
    }

    /// Returns the innermost symbol around a byte whose kind fits, or [`FILE_SCOPE`].
    pub fn enclosing_symbol(&self, byte: u32, fits: impl Fn(SymbolKind) -> bool) -> u32 {
        let Some(mut entry) = self.entry_at(byte) else { return FILE_SCOPE };
        loop {
            let (_, _, symbol, outer) = self.spans[entry];
            if fits(self.facts[symbol as usize].kind) {
                return symbol;
            }
            if outer == NONE {
                return FILE_SCOPE;
            }
            entry = outer as usize;
        }
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
    fn is_left_at(&self, start: u32, end: u32) -> bool {
        self.end < end
            || self.end <= start
            || (self.start == start && self.end == end && self.symbol.is_some())
    }
}

fn nest_drafts<'d, 't>(
    declared: Vec<(&'d SymbolDraft<'t>, Declaration)>,
    reader: &DeclarationReader,
) -> Vec<PlacedSymbol<'d, 't>> {
    let mut placed: Vec<PlacedSymbol> = Vec::with_capacity(declared.len());
    let mut around: Vec<EnclosingEntry> = Vec::new();
    for (draft, declaration) in declared {
        let (start, end) = (declaration.start, declaration.end);
        while around.last().is_some_and(|a| a.is_left_at(start, end)) {
            around.pop();
        }
        let outer = around.last();
        if draft.name.is_empty() && !matches!(draft.kind, DraftKind::Scope(_)) {
            // A key of blanks, or a missing name that the parser inserted.
            continue;
        }
        let parent = around.iter().rev().find_map(|a| a.symbol);
        let outer_name = outer.map_or("", |a| a.qualified.as_str());
        let mut container = outer_name.to_owned();
        if let Some(explicit) = &draft.container {
            container = join_names(&container, explicit);
        }
        // The kind of what the symbol belongs to. An explicit container or a scope counts as a
        // type.
        let belongs =
            if draft.container.is_some() { Some(SymbolKind::Class) } else { outer.and_then(|a| a.kind) };
        match draft.kind {
            DraftKind::Scope(kind) => {
                let qualified = join_names(&container, &draft.name);
                let nameless = draft.name.is_empty() && !has_body(kind);
                let kind = if nameless { outer.and_then(|a| a.kind) } else { Some(kind) };
                around.push(EnclosingEntry {
                    start,
                    end,
                    symbol: None,
                    qualified,
                    kind,
                    on_type: draft.on_type,
                });
            }
            DraftKind::Member => placed.push(PlacedSymbol {
                draft,
                declaration,
                kind: SymbolKind::Field,
                parent,
                container,
                parent_kind: None,
                member: true,
                on_type: false,
            }),
            DraftKind::Symbol(kind) => {
                let Some(kind) = kind_by_place(kind, belongs, draft, reader) else { continue };
                let qualified = join_names(&container, &draft.name);
                let on_type = draft.on_type || outer.is_some_and(|a| a.on_type);
                let symbol = Some(placed.len());
                around.push(EnclosingEntry {
                    start,
                    end,
                    symbol,
                    qualified,
                    kind: Some(kind),
                    on_type: false,
                });
                placed.push(PlacedSymbol {
                    draft,
                    declaration,
                    kind,
                    parent,
                    container,
                    parent_kind: belongs,
                    member: false,
                    on_type,
                });
            }
        }
    }
    placed
}

/// Returns the kind that a symbol has at its place, or `None` if it is not a symbol there (a local
/// variable).
fn kind_by_place(
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

/// Whether a name is written like that of a constant.
pub(crate) fn is_constant_case(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase) && name.len() > 1
}

/// Moves members that are declared by assignments in methods to their types. Keeps the first
/// declaration of each.
fn move_members_to_types(placed: &mut Vec<PlacedSymbol>) {
    if !placed.iter().any(|symbol| symbol.member) {
        return;
    }
    let mut fields: FxHashSet<(usize, String)> = FxHashSet::default();
    for symbol in placed.iter().filter(|s| !s.member) {
        if let Some(parent) = symbol.parent {
            fields.insert((parent, symbol.draft.name.clone()));
        }
    }
    // In JavaScript a function can be a class.
    let is_type = |s: &PlacedSymbol| {
        let class = s.kind == SymbolKind::Function && s.draft.name.starts_with(char::is_uppercase);
        s.kind.is_type() && s.kind != SymbolKind::Module || class && s.container.is_empty()
    };
    let owners: Vec<Option<usize>> = (0..placed.len())
        .map(|at| {
            let mut owner = placed[at].parent;
            while let Some(o) = owner.filter(|&o| !is_type(&placed[o])) {
                owner = placed[o].parent;
            }
            owner
        })
        .collect();
    let containers: Vec<String> = placed.iter().map(|s| join_names(&s.container, &s.draft.name)).collect();
    let mut keep = vec![true; placed.len()];
    for (at, symbol) in placed.iter_mut().enumerate().filter(|(_, s)| s.member) {
        match owners[at] {
            Some(owner) if fields.insert((owner, symbol.draft.name.clone())) => {
                symbol.parent = Some(owner);
                symbol.container.clone_from(&containers[owner]);
                symbol.parent_kind = Some(SymbolKind::Class);
            }
            _ => keep[at] = false,
        }
    }
    let mut renumbered = vec![usize::MAX; placed.len()];
    let mut next = 0;
    for (at, &kept) in keep.iter().enumerate() {
        if kept {
            renumbered[at] = next;
            next += 1;
        }
    }
    let mut keep = keep.into_iter();
    placed.retain(|_| keep.next().unwrap_or(true));
    for symbol in placed.iter_mut() {
        symbol.parent = symbol.parent.map(|p| renumbered[p]);
    }
}

/// Returns the qualified names of the types and functions to which members may be added from
/// outside. Such members belong to the type itself.
fn types_given_members(placed: &[PlacedSymbol]) -> FxHashSet<String> {
    if !placed.iter().any(|symbol| symbol.on_type) {
        return FxHashSet::default();
    }
    let is_owner = |s: &&PlacedSymbol| {
        (s.kind.is_type() && s.kind != SymbolKind::Module) || s.kind == SymbolKind::Function
    };
    placed.iter().filter(is_owner).map(|s| join_names(&s.container, &s.draft.name)).collect()
}

fn finish_symbols(placed: Vec<PlacedSymbol>, reader: &DeclarationReader) -> FileSymbols {
    let mut out = FileSymbols::default();
    let mut entries: FxHashMap<usize, u32> = FxHashMap::default();
    let owners = types_given_members(&placed);
    for (at, symbol) in placed.into_iter().enumerate() {
        let PlacedSymbol { draft, declaration, kind, parent, container, parent_kind, member, on_type } =
            symbol;
        if !member {
            let outer = parent.and_then(|p| entries.get(&p).copied()).unwrap_or(NONE);
            entries.insert(at, out.spans.len() as u32);
            out.spans.push((declaration.start, declaration.end, at as u32, outer));
        }
        let mut described = reader.describe_head(draft, &declaration, kind);
        if on_type && owners.contains(&container) {
            described.signature.insert_str(0, STATIC);
        }
        let declared =
            VisibilityInput { name: &draft.name, head: &described.head, kind, parent: parent_kind };
        let mut fact = SymbolFact {
            name: draft.name.clone(),
            parent: parent.map(|p| p as u32),
            container,
            kind,
            span: reader.span_with_lines(declaration.start, declaration.end),
            name_span: draft.name_span,
            signature: described.signature,
            doc: declaration.doc,
            params: described.params,
            arity: described.arity,
            ty: described.ty,
            bases: Vec::new(),
            visibility: reader.dialect.symbol_visibility(&declared),
            is_test: false,
            body_hash: reader.body_hash(declaration.start, declaration.end),
        };
        let parent_is_test = parent.is_some_and(|p| out.facts[p].is_test);
        fact.is_test = parent_is_test || draft.is_test || reader.is_marked_test(&fact);
        let documented = |start: u32| (start, at as u32);
        out.doc_comments.extend(declaration.doc_comments.into_iter().map(documented));
        out.docstrings.extend(declaration.docstring.map(documented));
        out.bodies
            .push(reader.body_node(draft).map(|body| (body.start_byte() as u32, body.end_byte() as u32)));
        out.facts.push(fact);
    }
    out
}
