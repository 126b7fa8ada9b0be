//! The file that is being resolved: its facts, the ids of its symbols, its scopes and local names.
//!
//! `FileContext` resolves the expressions of the file: paths in the notation of a reference's
//! receiver, names, `self` and `super`. It resolves local names (bindings, parameters, assigned
//! fields) itself and asks the `Resolver` for everything else. A budget limits the number of
//! bindings that one reference may read.

mod ecmascript;
mod ruby;

use super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::lang;
use super::path_notation::ValuePart;
use super::resolver::Resolver;
use super::static_members::Staticness;
use kenning_graph::facts::{
    BindingFact, BindingKind, FILE_SCOPE, FileFacts, ReferenceFact, StringIndex, SymbolFact,
};
use kenning_graph::{SymbolId, SymbolKind, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell, RefCell};

/// Maximum depth of bindings whose values are other bindings (`a = b`, `b = c`). Bindings can form
/// a cycle.
const MAX_BINDING_DEPTH: u32 = 12;
/// Maximum number of bindings that are read for one reference. A hostile file binds a name a
/// thousand times, each time to another such name, which would cause a million reads.
const MAX_BINDINGS_READ: u32 = 200;
/// Maximum number of bindings of one name in one scope that are checked for one use of it. Minified
/// code rebinds a short name hundreds of times.
const MAX_BINDINGS_CHECKED: usize = 32;

/// The facts of the file and the state needed to resolve its expressions.
pub(super) struct FileContext<'a> {
    pub resolver: Resolver<'a>,
    pub facts: &'a FileFacts,
    /// Symbol of the file.
    pub file: SymbolId,
    /// Symbols of the file, in the order of the facts.
    pub symbols: Vec<SymbolRef<'a>>,
    /// Qualified names of the symbols, in the order of the facts.
    qualified_names: Vec<String>,
    /// Bindings by scope and name, in text order.
    bindings: FxHashMap<(u32, &'a str), Vec<&'a BindingFact>>,
    /// Index into `symbols` by id.
    positions: FxHashMap<SymbolId, usize>,
    /// Index into `symbols` by the first byte of the symbol's name. Filled only in families in
    /// which a block can declare a symbol.
    declared: FxHashMap<u32, usize>,
    /// The keys of `declared` whose names are bound in a block or a function.
    block_locals: FxHashSet<u32>,
    /// Depth of the bindings that are being resolved.
    depth: Cell<u32>,
    /// Number of bindings that were read for the reference that is being resolved.
    bindings_read: Cell<u32>,
    /// Values of type expressions, by scope and text.
    type_values: RefCell<FxHashMap<(u32, StringIndex), Resolution<'a>>>,
    /// Names of all references, filled on first use.
    referenced_names: OnceCell<FxHashSet<&'a str>>,
}

impl<'a> FileContext<'a> {
    /// Indexes the facts of a file. `symbols` are those of the snapshot, in the order of the facts.
    pub fn new(
        resolver: Resolver<'a>,
        facts: &'a FileFacts,
        file: SymbolId,
        symbols: Vec<SymbolRef<'a>>,
    ) -> Self {
        let mut bindings: FxHashMap<(u32, &str), Vec<&BindingFact>> = FxHashMap::default();
        for binding in &facts.bindings {
            bindings.entry((binding.scope, facts.strings.get(binding.name))).or_default().push(binding);
        }
        let qualified_names = facts.symbols.iter().map(SymbolFact::qualified_name).collect();
        let positions = symbols.iter().enumerate().map(|(index, symbol)| (symbol.id, index)).collect();
        let (depth, bindings_read) = (Cell::new(0), Cell::new(0));
        let declared = if resolver.family.declares_symbols_in_blocks() {
            facts
                .symbols
                .iter()
                .take(symbols.len())
                .enumerate()
                .map(|(at, s)| (s.name_span.start, at))
                .collect()
        } else {
            FxHashMap::default()
        };
        let blocks =
            facts.bindings.iter().filter(|binding| binding.end != u32::MAX).map(|binding| binding.at);
        let block_locals = blocks.filter(|at| declared.contains_key(at)).collect();
        let (type_values, referenced_names) = (RefCell::default(), OnceCell::new());
        Self {
            resolver,
            facts,
            file,
            symbols,
            qualified_names,
            bindings,
            positions,
            declared,
            block_locals,
            depth,
            bindings_read,
            type_values,
            referenced_names,
        }
    }

    /// Resets the budget of bindings. Call this before each reference is resolved.
    pub fn reset_budget(&self) {
        self.bindings_read.set(0);
    }

    /// Whether a reference of the file has this name.
    pub fn mentions_name(&self, name: &str) -> bool {
        let name_of = |reference: &ReferenceFact| self.facts.strings.get(reference.name);
        self.referenced_names
            .get_or_init(|| self.facts.references.iter().map(name_of).collect())
            .contains(name)
    }

    /// Returns the symbol of a scope of the facts, or the symbol of the file for [`FILE_SCOPE`].
    pub fn symbol_id(&self, scope: u32) -> SymbolId {
        self.symbols.get(scope as usize).map_or(self.file, |symbol| symbol.id)
    }

    /// Returns the lookup scope for a scope of the facts.
    pub fn lookup_scope(&self, scope: u32) -> LookupScope<'_> {
        let container = self.qualified_names.get(scope as usize).map_or("", String::as_str);
        LookupScope { path: self.resolver.path, container }
    }

    /// Returns a scope and the scopes around it, innermost first, the file last.
    pub fn enclosing_scopes(&self, scope: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = Some(scope);
        std::iter::from_fn(move || {
            let current = next?;
            // A parent has a lower index than its children, so this ends.
            let symbol = self.facts.symbols.get(current as usize);
            next =
                symbol.map(|symbol| symbol.parent.filter(|&parent| parent < current).unwrap_or(FILE_SCOPE));
            Some(current)
        })
    }

    /// Returns the binding of a local name that is in effect at a byte, with its scope: the last
    /// binding before the byte, otherwise the first.
    fn find_binding(&self, name: &str, scope: u32, at: u32) -> Option<(u32, &'a BindingFact)> {
        for scope in self.enclosing_scopes(scope) {
            let is_type = self.facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_type());
            if is_type {
                continue;
            }
            if let Some(all) = self.bindings.get(&(scope, name)) {
                let before = all.partition_point(|binding| binding.at < at);
                let mut last = all[..before].iter().rev().take(MAX_BINDINGS_CHECKED);
                // Functions see declarations further down in the block around them.
                let sees_whole_block = self.resolver.family.declares_symbols_in_blocks();
                let is_in_effect = |binding: &&&BindingFact| {
                    binding.end == u32::MAX || (sees_whole_block && at < binding.end)
                };
                let found = last
                    .find(|binding| at < binding.end)
                    .or_else(|| all.iter().take(MAX_BINDINGS_CHECKED).find(is_in_effect));
                if let Some(binding) = found {
                    return Some((scope, *binding));
                }
            }
        }
        None
    }

    /// Whether `name` is bound at a byte by a function or block around it.
    pub fn is_local_name(&self, name: &str, scope: u32, at: u32) -> bool {
        self.find_binding(name, scope, at).is_some_and(|(scope, binding)| is_inner_binding(scope, binding))
    }

    /// Returns the kind and the text of the value that a local name has at a byte. Returns `None`
    /// if the name is not bound.
    pub fn binding_value(&self, name: &str, scope: u32, at: u32) -> Option<(BindingKind, &'a str)> {
        self.find_binding(name, scope, at)
            .map(|(_, binding)| (binding.kind, self.facts.strings.get(binding.value)))
    }

    fn resolve_binding(&self, scope: u32, binding: &BindingFact) -> Resolution<'a> {
        if self.depth.get() >= MAX_BINDING_DEPTH || self.bindings_read.get() >= MAX_BINDINGS_READ {
            return Resolution::bound_to_unknown();
        }
        self.depth.set(self.depth.get() + 1);
        self.bindings_read.set(self.bindings_read.get() + 1);
        let text = self.facts.strings.get(binding.value);
        let mut found = match binding.kind {
            BindingKind::Type => self.resolve_written_type(scope, binding.value),
            BindingKind::Value => self.receiver_values(&self.resolve_path(text, scope, binding.at)),
            BindingKind::Element => self.resolver.part_of_values(
                &self.read_values(&self.resolve_path(text, scope, binding.at)),
                ValuePart::Each,
            ),
        };
        self.depth.set(self.depth.get() - 1);
        found.is_bound = true;
        found
    }

    /// Returns the values of a type expression in a scope.
    fn resolve_written_type(&self, scope: u32, type_text: StringIndex) -> Resolution<'a> {
        if let Some(cached) = self.type_values.borrow().get(&(scope, type_text)) {
            return cached.clone();
        }
        let found =
            self.resolver.resolve_type_text(self.lookup_scope(scope), self.facts.strings.get(type_text));
        self.type_values.borrow_mut().insert((scope, type_text), found.clone());
        found
    }

    /// Resolves a path, in the notation of a reference's receiver, at a byte of a scope.
    pub fn resolve_path(&self, path: &str, scope: u32, at: u32) -> Resolution<'a> {
        if let Some(found) = lang::resolve_special_path(self, path, scope, at) {
            return found;
        }
        let resolve_first = |name: &str| self.resolve_name(name, scope, at);
        let read_values = |found: &Resolution<'a>| self.read_values(found);
        self.resolver.follow_path(path, self.lookup_scope(scope), &resolve_first, &read_values)
    }

    /// Returns the type of an expression: its text as written in the declaration, empty if unknown,
    /// and the values of that type.
    pub fn type_of_path(&self, path: &str, scope: u32, at: u32) -> (String, Resolution<'a>) {
        if let Some((_, binding)) = self.find_binding(path, scope, at)
            && binding.kind == BindingKind::Type
        {
            let found = self.resolve_name(path, scope, at);
            return (self.facts.strings.get(binding.value).to_owned(), found);
        }
        let callee = path.strip_suffix("()");
        let found = self.resolve_path(callee.unwrap_or(path), scope, at);
        let mut types = found.definitions.iter().map(|definition| match definition {
            Definition::Symbol(s) if callee.is_some() == s.kind.is_callable() => s.type_text(),
            _ => "",
        });
        let first = types.next().unwrap_or("");
        let type_text = if types.all(|ty| ty == first) { first.to_owned() } else { String::new() };
        let found = if callee.is_some() { self.resolver.call_results(&found) } else { found };
        (type_text, self.read_values(&found))
    }

    /// Resolves a name without a receiver in a scope.
    pub fn resolve_name(&self, name: &str, scope: u32, at: u32) -> Resolution<'a> {
        if let Some(found) = lang::resolve_special_name(self, name, scope, at) {
            return found;
        }
        let is_rebound =
            || self.resolver.family.can_rebind_receiver() && self.find_binding(name, scope, at).is_some();
        if let Some(found) = self.resolve_receiver_keyword(name, scope).filter(|_| !is_rebound()) {
            return found;
        }
        if self.resolver.family.has_instance_variables() && name.starts_with('@') {
            return self.resolve_instance_variable(name, scope);
        }
        if let Some((scope, binding)) = self.find_binding(name, scope, at) {
            let value = self.resolve_binding(scope, binding);
            if is_inner_binding(scope, binding) || !value.is_empty() {
                return value;
            }
        }
        if let Some(found) = self.resolve_own_method(name, scope) {
            return found;
        }
        (*self.resolver.lookup_name(self.lookup_scope(scope), name)).clone()
    }

    /// Resolves the name of a method without a receiver in a scope. Ignores local variables and
    /// fields.
    pub fn resolve_method_name(&self, name: &str, scope: u32) -> Resolution<'a> {
        if let Some(found) = self.resolve_receiver_keyword(name, scope) {
            return found;
        }
        let mut found = (*self.resolver.lookup_name(self.lookup_scope(scope), name)).clone();
        found.definitions.retain(|m| !matches!(m, Definition::Symbol(s) if !s.kind.is_callable()));
        found
    }

    /// Returns the symbols that a name without a receiver refers to in a scope. For an instance
    /// variable, returns the attribute with its name. Returns nothing for local names.
    pub fn symbols_of_name(&self, name: &str, scope: u32, at: u32) -> Resolution<'a> {
        if let Some(attribute) = name.strip_prefix('@') {
            let ty = self.resolver.enclosing_type(self.lookup_scope(scope));
            return ty.map_or_else(Resolution::not_found, |ty| {
                (*self.resolver.members_of_type(&ty, attribute)).clone()
            });
        }
        if self.is_local_name(name, scope, at) {
            return Resolution::not_found();
        }
        (*self.resolver.lookup_name(self.lookup_scope(scope), name)).clone()
    }

    /// Resolves `self`, `this`, `super` and their equivalents, and the keywords at the root of paths
    /// (`crate`). Returns `None` for any other name.
    fn resolve_receiver_keyword(&self, name: &str, scope: u32) -> Option<Resolution<'a>> {
        let family = self.resolver.family;
        let is_instance = family.is_receiver_name(name);
        let is_type = family.is_type_receiver_name(name);
        let is_base = family.is_inherited_receiver_name(name);
        let path_root = || lang::resolve_path_root(&self.resolver, self.lookup_scope(scope), name);
        if is_base
            && family.super_calls_overridden_method()
            && let Some(found) = self.overridden_methods(scope)
        {
            return Some(found);
        }
        if !(is_instance || is_type || is_base) {
            return path_root();
        }
        let Some(ty) = self.resolver.enclosing_type(self.lookup_scope(scope)) else {
            if let Some(module) = path_root().filter(|_| is_instance) {
                return Some(module);
            }
            return Some(if family.declares(|rules| rules.file_types) {
                Resolution::from_definitions(vec![Definition::Module(ModuleRef::from_path(
                    self.resolver.path,
                ))])
            } else {
                Resolution::bound_to_unknown()
            });
        };
        // A block module is not a value.
        if family.has_block_modules() && ty.kind == SymbolKind::Module {
            return path_root();
        }
        let staticness =
            if family.has_type_receivers() { self.receiver_staticness(scope) } else { Staticness::Instance };
        Some(Resolution::from_definitions(vec![if is_instance && staticness == Staticness::Instance {
            Definition::Instance(ty)
        } else if is_instance || is_type {
            Definition::Symbol(ty)
        } else {
            Definition::Super(ty, staticness)
        }]))
    }

    /// Returns the definitions whose members an access on `found` refers to: the values of
    /// variables and fields, or the variables themselves if they can declare members.
    pub fn receiver_values(&self, found: &Resolution<'a>) -> Resolution<'a> {
        if self.resolver.family.variables_declare_members() { found.clone() } else { self.read_values(found) }
    }

    /// Replaces variables and fields with the values they hold.
    pub fn read_values(&self, found: &Resolution<'a>) -> Resolution<'a> {
        let mut out = Resolution { definitions: Vec::new(), ..*found };
        let is_stored =
            |definition: &Definition| matches!(definition, Definition::Symbol(s) if !s.kind.is_callable());
        // A property and a method can share a name; without a call, the name is the property.
        let names_property =
            self.resolver.family.declared_rules().is_some() && found.definitions.iter().any(is_stored);
        for definition in &found.definitions {
            match definition {
                Definition::Symbol(s) if names_property && s.kind.is_callable() => {}
                Definition::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                    let mut value = self.resolver.value_of_symbol(s);
                    if value.is_empty() && s.path == self.resolver.path {
                        value = self.resolve_assigned_field(s);
                    }
                    out.extend(&value);
                }
                Definition::Symbol(s)
                    if self.resolver.family.names_call_methods() && s.kind.is_callable() =>
                {
                    out.extend(&self.resolver.value_of_symbol(s));
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    /// Returns the value of a field of this file, from the assignments to it.
    fn resolve_assigned_field(&self, field: &SymbolRef<'a>) -> Resolution<'a> {
        let Some(&at) = self.positions.get(&field.id) else { return Resolution::not_found() };
        let scope = self.facts.symbols[at].parent.unwrap_or(FILE_SCOPE);
        // A reader `x` returns the instance variable `@x`.
        let variable = format!("@{}", field.name);
        let assignments =
            self.bindings.get(&(scope, field.name)).or_else(|| self.bindings.get(&(scope, &variable)));
        match assignments.and_then(|all| all.first()) {
            Some(binding) => self.resolve_binding(scope, binding),
            None => Resolution::not_found(),
        }
    }
}

/// Whether a binding is visible only in a part of the file.
fn is_inner_binding(scope: u32, binding: &BindingFact) -> bool {
    scope != FILE_SCOPE || binding.end != u32::MAX
}
