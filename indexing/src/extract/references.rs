//! References, imports and bindings from raw facts: assigns each to its scope, keeps one reference
//! per name, and fills the base lists of types.
//!
//! The input is the [`RawFacts`] of a file and its symbols. The phases replace type parameters by
//! their bounds, give the bindings scopes and ends, infer the types of values, and drop the
//! references that are not uses: declared names, imports, type parameters and local names. The
//! output refers to strings by their index in one table.

use super::bindings::RawBinding;
use super::expressions::BoundValue;
use super::raw_facts::{RawBase, RawFacts};
use super::routes::RawRoute;
use super::symbols::{FileSymbols, has_body};
use super::tree_scan::TreeScan;
use super::type_bounds::TypeParamBounds;
use super::value_inference;
use crate::languages::LanguageRow;
use kenning_graph::facts::{
    BaseType, BindingFact, BindingKind, FILE_SCOPE, ImportFact, ReferenceFact, ReferenceRole, RouteFact,
    StringTable, StringTableBuilder, SymbolFact,
};
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of declarations per file whose type parameters have the same name. Generated code
/// declares thousands with a type parameter `T`.
const MAX_SPANS_PER_NAME: usize = 200;

/// The uses of names in one file.
pub(crate) struct ScopedUses {
    pub references: Vec<ReferenceFact>,
    pub imports: Vec<ImportFact>,
    pub bindings: Vec<BindingFact>,
    pub routes: Vec<RouteFact>,
    pub strings: StringTable,
}

/// Returns the rank of a role. If several roles are found for the same name, the role with the
/// lowest rank wins, because it is the most informative.
fn role_rank(role: ReferenceRole) -> u8 {
    match role {
        ReferenceRole::Construct => 0,
        ReferenceRole::Base => 1,
        ReferenceRole::Decorator => 2,
        ReferenceRole::Call => 3,
        ReferenceRole::Type => 4,
        ReferenceRole::Value => 5,
        ReferenceRole::Field => 6,
        ReferenceRole::Name => 7,
        ReferenceRole::Throw
        | ReferenceRole::Env
        | ReferenceRole::Process
        | ReferenceRole::Flag
        | ReferenceRole::Resource
        | ReferenceRole::Model
        | ReferenceRole::Dependency
        | ReferenceRole::File
        | ReferenceRole::Deployment
        | ReferenceRole::Doc
        | ReferenceRole::Fixture
        | ReferenceRole::Quoted
        | ReferenceRole::Link => 8,
    }
}

/// Returns the group of a role. For each name, one role per group is kept. Throws, environment
/// variables and some other roles have separate groups.
fn role_group(role: ReferenceRole) -> u8 {
    match role {
        ReferenceRole::Throw => 1,
        ReferenceRole::Env => 2,
        ReferenceRole::Process => 3,
        ReferenceRole::Flag => 4,
        ReferenceRole::Doc => 5,
        ReferenceRole::Fixture => 6,
        ReferenceRole::Resource => 7,
        ReferenceRole::Model => 8,
        ReferenceRole::Dependency => 9,
        ReferenceRole::File => 10,
        ReferenceRole::Deployment => 11,
        _ => 0,
    }
}

/// Assigns references, imports, bindings and routes to their scopes and fills the base lists.
pub(crate) fn resolve_scopes(
    raw_facts: &mut RawFacts,
    symbols: &mut FileSymbols,
    scan: &TreeScan,
    row: &LanguageRow,
) -> ScopedUses {
    let mut strings = StringTableBuilder::default();
    substitute_type_params(raw_facts, symbols);
    let bound = scope_bindings(raw_facts, symbols, scan, row);
    infer_reader_types(&bound, symbols);
    if row.value_types {
        value_inference::infer_value_types(&bound, &raw_facts.returns, &raw_facts.yields, symbols);
    }
    let locals: CallableLocals = bound
        .iter()
        .filter(|b| !b.declares && b.scope != FILE_SCOPE && has_body(symbols.facts[b.scope as usize].kind))
        .map(|b| (b.scope, b.name.as_str()))
        .collect();
    let bindings = bound.iter().filter_map(|b| b.to_binding_fact(symbols, row, &mut strings)).collect();
    let references = build_references(raw_facts, symbols, &locals, &mut strings);
    let routes = collect_route_facts(raw_facts, &mut strings);
    let mut imports = std::mem::take(&mut raw_facts.imports);
    imports.sort_by_key(|import| import.at.start);
    for import in &mut imports {
        import.scope = symbols.symbol_at(import.at.start);
    }
    ScopedUses { references, imports, bindings, routes, strings: strings.into_table() }
}

fn collect_route_facts(raw_facts: &mut RawFacts, strings: &mut StringTableBuilder) -> Vec<RouteFact> {
    let raw = std::mem::take(&mut raw_facts.routes);
    let fact = |route: RawRoute| RouteFact {
        method: strings.intern(&route.method),
        path: strings.intern(&route.path),
        handler: strings.intern(&route.handler),
        evidence: strings.intern(&route.evidence),
        packages: strings.intern(&route.packages),
        router: strings.intern(&route.router),
        parameter: route.parameter,
        creation_prefix: strings.intern(&route.creation_prefix),
        needs_mount: route.needs_mount,
        is_mounted_in_file: route.is_mounted_in_file,
        is_client_call: route.is_client_call,
        scope: route.scope,
        at: route.at,
    };
    raw.into_iter().map(fact).collect()
}

/// Replaces type parameters by their bounds in the types of values.
fn substitute_type_params(raw_facts: &mut RawFacts, symbols: &mut FileSymbols) {
    let bounds = TypeParamBounds::new(std::mem::take(&mut raw_facts.type_bounds));
    if bounds.is_empty() {
        return;
    }
    let mut spans: FxHashMap<&str, Vec<(u32, u32)>> = FxHashMap::default();
    for (name, start, end) in &raw_facts.type_params {
        let all = spans.entry(name).or_default();
        if all.len() < MAX_SPANS_PER_NAME {
            all.push((*start, *end));
        }
    }
    let is_param = |name: &str, at: u32| {
        spans.get(name).is_some_and(|spans| spans.iter().any(|&(start, end)| start <= at && at < end))
    };
    let substituted = |ty: &str, at: u32| bounds.substitute_params(ty, at, |name| is_param(name, at));
    for binding in &mut raw_facts.bindings {
        if let Some(BoundValue { text: ty, kind: BindingKind::Type }) = &mut binding.value
            && let Some(bound) = substituted(ty, binding.at)
        {
            *ty = bound;
        }
    }
    for symbol in symbols.facts.iter_mut().filter(|symbol| !symbol.ty.is_empty()) {
        if let Some(bound) = substituted(&symbol.ty, symbol.name_span.start) {
            symbol.ty = bound;
        }
    }
}

/// The names bound in callables: callable and name.
type CallableLocals<'b> = FxHashSet<(u32, &'b str)>;

/// A binding in its scope.
pub(crate) struct ScopedBinding {
    pub scope: u32,
    pub name: String,
    pub value: Option<BoundValue>,
    /// The byte from which the binding applies.
    pub at: u32,
    /// The position of the name. The binding may apply from an earlier or later byte on.
    pub name_start: u32,
    /// The byte at which the binding ends; `u32::MAX` if it applies to the rest of the scope.
    pub end: u32,
    /// The values of the [`RawBinding`] fields with the same names.
    pub is_member: bool,
    pub is_receiver: bool,
    pub declares: bool,
    pub hides: bool,
}

impl ScopedBinding {
    /// Returns the binding in the form that resolution needs. A binding without a value is kept
    /// only if it hides an outer one.
    fn to_binding_fact(
        &self,
        symbols: &FileSymbols,
        row: &LanguageRow,
        strings: &mut StringTableBuilder,
    ) -> Option<BindingFact> {
        let hides = (row.value_types || row.hides_names)
            && !self.is_receiver
            && (self.end != u32::MAX
                || symbols.facts.get(self.scope as usize).is_some_and(|s| has_body(s.kind)));
        let (value, kind) = match &self.value {
            Some(value) => (value.text.as_str(), value.kind),
            None if hides || self.hides => ("", BindingKind::Value),
            None => return None,
        };
        let (name, value) = (strings.intern(&self.name), strings.intern(value));
        Some(BindingFact { scope: self.scope, name, value, kind, at: self.at, end: self.end })
    }
}

/// Returns the bindings with their scopes and blocks, in the order in which they take effect.
fn scope_bindings(
    raw_facts: &mut RawFacts,
    symbols: &FileSymbols,
    scan: &TreeScan,
    row: &LanguageRow,
) -> Vec<ScopedBinding> {
    let mut raw = std::mem::take(&mut raw_facts.bindings);
    // If two patterns bind the same name, the more informative binding comes first.
    let rank = |b: &RawBinding| b.value.as_ref().map_or(u8::MAX, |value| value.kind as u8);
    let from = |b: &RawBinding| b.range.map_or(b.at, |(from, _)| from);
    raw.sort_by(|a, b| (from(a), &a.name, rank(a)).cmp(&(from(b), &b.name, rank(b))));
    raw.dedup_by(|next, kept| from(next) == from(kept) && next.name == kept.name);
    let is_type = |kind: SymbolKind| kind.is_type() && kind != SymbolKind::Module;
    let mut out = Vec::with_capacity(raw.len());
    for binding in raw {
        let (mut at, mut end) = (binding.at, u32::MAX);
        if let Some(range) = binding.range {
            (at, end) = range;
        } else if !binding.is_member
            && !row.blocks.is_empty()
            && let Some(block) = scan.block_around(at)
        {
            end = block.1;
            if binding.whole_block {
                at = block.0;
            }
        }
        if at >= end {
            // The binding would start at or after the end of its block, so it applies nowhere.
            continue;
        }
        let scope = if binding.is_member {
            symbols.enclosing_symbol(binding.at, is_type)
        } else {
            symbols.enclosing_symbol(binding.at, |kind| has_body(kind) || kind.is_type())
        };
        if binding.is_member && scope == FILE_SCOPE {
            continue;
        }
        let RawBinding { name, value, at: name_start, is_member, is_receiver, declares, hides, .. } = binding;
        // The name of a function is bound in the scope around it, not inside it.
        let scope = match symbols.facts.get(scope as usize) {
            Some(symbol) if declares && symbol.name_span.start == name_start => {
                enclosing_container(scope, symbols)
            }
            _ => scope,
        };
        out.push(ScopedBinding {
            scope,
            name,
            value,
            at,
            name_start,
            end,
            is_member,
            is_receiver,
            declares,
            hides,
        });
    }
    out.sort_by_key(|b| (b.at, b.name_start));
    out
}

/// Sets the type of a Ruby accessor `x` to that of the value assigned to `@x` in its class.
fn infer_reader_types(bound: &[ScopedBinding], symbols: &mut FileSymbols) {
    let mut readers = untyped_properties(symbols);
    for binding in bound.iter().filter(|binding| binding.is_member) {
        if let (Some(BoundValue { text: value, kind: BindingKind::Type }), Some(name)) =
            (&binding.value, binding.name.strip_prefix('@'))
            && let Some(reader) = readers.remove(&(binding.scope, name.to_owned()))
        {
            value.clone_into(&mut symbols.facts[reader].ty);
        }
    }
}

/// Returns the properties without a declared type, by class and name.
fn untyped_properties(symbols: &FileSymbols) -> FxHashMap<(u32, String), usize> {
    let untyped =
        symbols.facts.iter().enumerate().filter(|(_, s)| s.kind == SymbolKind::Property && s.ty.is_empty());
    untyped.filter_map(|(index, s)| Some(((s.parent?, s.name.clone()), index))).collect()
}

/// Returns the callable, type or file around a symbol.
fn enclosing_container(symbol: u32, symbols: &FileSymbols) -> u32 {
    let mut outer = symbols.facts[symbol as usize].parent;
    while let Some(at) = outer {
        let kind = symbols.facts[at as usize].kind;
        if has_body(kind) || kind.is_type() {
            return at;
        }
        outer = symbols.facts[at as usize].parent;
    }
    FILE_SCOPE
}

/// Whether a name is bound in a callable around the scope.
fn is_local_name(name: &str, mut scope: u32, symbols: &FileSymbols, locals: &CallableLocals) -> bool {
    while scope != FILE_SCOPE {
        if locals.contains(&(scope, name)) {
            return true;
        }
        scope = symbols.facts[scope as usize].parent.unwrap_or(FILE_SCOPE);
    }
    false
}

/// The spans of a file in which names are not references: imports, and type parameters in the
/// declaration that has them.
struct NoReferenceSpans {
    imports: Vec<(u32, u32)>,
    type_parameters: FxHashMap<String, Vec<(u32, u32)>>,
}

impl NoReferenceSpans {
    /// Moves the spans out of the collected facts.
    fn take_from(raw_facts: &mut RawFacts) -> Self {
        let mut type_parameters: FxHashMap<String, Vec<(u32, u32)>> = FxHashMap::default();
        for (name, start, end) in std::mem::take(&mut raw_facts.type_params) {
            type_parameters.entry(name).or_default().push((start, end));
        }
        let mut imports = std::mem::take(&mut raw_facts.import_spans);
        imports.sort_unstable();
        Self { imports, type_parameters }
    }

    /// Whether a name is a type parameter at a byte.
    fn is_type_parameter(&self, name: &str, at: u32) -> bool {
        let spans = self.type_parameters.get(name);
        spans.is_some_and(|spans| spans.iter().any(|&(start, end)| start <= at && at < end))
    }

    /// Whether a byte is inside an import.
    fn is_in_import(&self, at: u32) -> bool {
        let after = self.imports.partition_point(|&(start, _)| start <= at);
        after > 0 && at < self.imports[after - 1].1
    }
}

/// Returns the references of a file in the order of the text. Leaves out names that are
/// declarations, imports, type parameters or local names. Fills the base lists of the file's types.
fn build_references(
    raw_facts: &mut RawFacts,
    symbols: &mut FileSymbols,
    locals: &CallableLocals,
    strings: &mut StringTableBuilder,
) -> Vec<ReferenceFact> {
    let mut raw = std::mem::take(&mut raw_facts.references);
    // References are large, so sorting moves only their keys.
    raw.sort_by_cached_key(|r| {
        (r.at.start, role_group(r.role), r.bare, role_rank(r.role), !r.piped, r.arity)
    });
    raw.dedup_by_key(|r| (r.at.start, role_group(r.role)));
    let spans = NoReferenceSpans::take_from(raw_facts);
    let mut declared: FxHashSet<u32> = symbols.facts.iter().map(|s| s.name_span.start).collect();
    declared.extend(&symbols.clause_names);
    let mut out = Vec::with_capacity(raw.len());
    for reference in raw {
        let at = reference.at.start;
        if (role_group(reference.role) == 0 && declared.contains(&at)) || spans.is_in_import(at) {
            continue;
        }
        if reference.role == ReferenceRole::Type
            && reference.receiver.is_empty()
            && spans.is_type_parameter(&reference.name, at)
        {
            continue;
        }
        // Names inside a function or class are not exports.
        let encloses_names = |kind: SymbolKind| has_body(kind) || kind.is_type();
        if reference.role == ReferenceRole::Quoted
            && symbols.enclosing_symbol(at, encloses_names) != FILE_SCOPE
        {
            continue;
        }
        let mut scope = symbols.symbol_at(at);
        let bare = reference.receiver.is_empty();
        if (reference.bare || (matches!(reference.role, ReferenceRole::Value | ReferenceRole::Name) && bare))
            && is_local_name(&reference.name, scope, symbols, locals)
        {
            continue;
        }
        let mut arguments = reference.arguments.as_str();
        if let Some(base) = &reference.base {
            match find_type_with_base(base, at, symbols) {
                Some(ty) => {
                    symbols.facts[ty]
                        .bases
                        .push(BaseType { name: base.name.clone(), relation: base.relation });
                    scope = ty as u32;
                }
                None => {
                    let is_type = |name: &&str| !spans.is_type_parameter(name, at);
                    arguments = base.derived_type.as_deref().filter(is_type).unwrap_or("");
                }
            }
        }
        out.push(ReferenceFact {
            name: strings.intern(&reference.name),
            receiver: strings.intern(&reference.receiver),
            role: reference.role,
            scope,
            at: reference.at,
            arity: reference.arity,
            arguments: strings.intern(arguments),
        });
    }
    for link in std::mem::take(&mut raw_facts.doc_links) {
        out.push(ReferenceFact {
            name: strings.intern(&link.reference.name),
            receiver: strings.intern(&link.reference.receiver),
            role: link.reference.role,
            scope: link.scope,
            at: link.reference.at,
            arity: link.reference.arity,
            arguments: 0,
        });
    }
    out.sort_by_key(|reference| reference.at.start);
    out
}

/// Returns the index of the type that has a base, or `None` if the type is in another file.
fn find_type_with_base(base: &RawBase, at: u32, symbols: &FileSymbols) -> Option<usize> {
    let Some(type_name) = &base.derived_type else {
        let scope = symbols.enclosing_symbol(at, SymbolKind::is_type) as usize;
        return (scope < symbols.facts.len()).then_some(scope);
    };
    let last = type_name.rsplit('.').next().unwrap_or(type_name);
    let declared = symbols.facts.iter().position(|s| s.kind.is_type() && s.name == last);
    // In JavaScript a function can be a class.
    let is_function =
        |s: &SymbolFact| s.kind == SymbolKind::Function && s.container.is_empty() && s.name == last;
    declared.or_else(|| symbols.facts.iter().position(is_function))
}
