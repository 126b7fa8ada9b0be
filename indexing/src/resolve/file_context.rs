//! The file that is being resolved: its facts, its symbols' ids, its scopes and local names.

mod ecmascript;

use super::definition::{Definition, LookupScope, Resolution};
use super::family::LanguageFamily;
use super::path_notation::ValuePart;
use super::resolver::Resolver;
use super::static_members::Staticness;
use kenning_graph::facts::{
    BindingFact, BindingKind, FILE_SCOPE, FileFacts, ReferenceFact, StringIndex, SymbolFact,
};
use kenning_graph::{SymbolId, SymbolKind, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell, RefCell};

/// Bindings that lead to other bindings are followed this far.
const MAX_BINDINGS: u32 = 12;
/// Bindings that are read for one reference: a name that a file binds a thousand times, each time to another name of
/// its kind, would else be read a thousand times a thousand times.
const MAX_BINDINGS_READ: u32 = 200;
/// Bindings of one name in one scope that are visited for one use of it.
const MAX_LOOKED_AT: usize = 32;

/// The facts of the file, with what is needed to read its expressions.
pub(super) struct FileContext<'a> {
    pub r: Resolver<'a>,
    pub facts: &'a FileFacts,
    /// The symbol of the file.
    pub file: SymbolId,
    /// The symbols, in the order of the facts.
    pub symbols: Vec<SymbolRef<'a>>,
    qualified: Vec<String>,
    bindings: FxHashMap<(u32, &'a str), Vec<&'a BindingFact>>,
    /// The symbols of the facts by id.
    places: FxHashMap<SymbolId, usize>,
    /// The symbols of the facts by the first byte of their name, in languages with block scopes.
    declared: FxHashMap<u32, usize>,
    /// Of these names those that are bound in a block or a function.
    in_blocks: FxHashSet<u32>,
    depth: Cell<u32>,
    /// Bindings that were read for the reference that is being resolved.
    read: Cell<u32>,
    /// What written types stand for, by scope and text.
    typed: RefCell<FxHashMap<(u32, StringIndex), Resolution<'a>>>,
    /// The names of all references, once one asks.
    mentioned: OnceCell<FxHashSet<&'a str>>,
}

impl<'a> FileContext<'a> {
    pub fn new(r: Resolver<'a>, facts: &'a FileFacts, file: SymbolId, symbols: Vec<SymbolRef<'a>>) -> Self {
        let mut bindings: FxHashMap<(u32, &str), Vec<&BindingFact>> = FxHashMap::default();
        for binding in &facts.bindings {
            bindings.entry((binding.scope, facts.strings.get(binding.name))).or_default().push(binding);
        }
        let qualified = facts.symbols.iter().map(SymbolFact::qualified_name).collect();
        let places = symbols.iter().enumerate().map(|(place, symbol)| (symbol.id, place)).collect();
        let (depth, read) = (Cell::new(0), Cell::new(0));
        let declared = if r.family == LanguageFamily::Script {
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
        let in_blocks = blocks.filter(|at| declared.contains_key(at)).collect();
        let (typed, mentioned) = (RefCell::default(), OnceCell::new());
        Self {
            r,
            facts,
            file,
            symbols,
            qualified,
            bindings,
            places,
            declared,
            in_blocks,
            depth,
            read,
            typed,
            mentioned,
        }
    }

    /// Another reference is read from here on: what one may cost is bounded.
    pub fn reset_budget(&self) {
        self.read.set(0);
    }

    /// Whether the file refers to something by this name.
    pub fn mentions_name(&self, name: &str) -> bool {
        let named = |reference: &ReferenceFact| self.facts.strings.get(reference.name);
        self.mentioned.get_or_init(|| self.facts.references.iter().map(named).collect()).contains(name)
    }

    /// The symbol that a scope of the facts stands for; the file's for [`FILE_SCOPE`].
    pub fn symbol_id(&self, scope: u32) -> SymbolId {
        self.symbols.get(scope as usize).map_or(self.file, |symbol| symbol.id)
    }

    /// The place of a scope.
    pub fn lookup_scope(&self, scope: u32) -> LookupScope<'_> {
        let container = self.qualified.get(scope as usize).map_or("", String::as_str);
        LookupScope { path: self.r.path, container }
    }

    /// A scope and the scopes around it, the file last.
    pub fn enclosing_scopes(&self, scope: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = Some(scope);
        std::iter::from_fn(move || {
            let current = next?;
            // Parents stand before their children, so this ends.
            let symbol = self.facts.symbols.get(current as usize);
            next =
                symbol.map(|symbol| symbol.parent.filter(|&parent| parent < current).unwrap_or(FILE_SCOPE));
            Some(current)
        })
    }

    /// The binding of a local name that holds at a byte: the last one before it, or else the first.
    fn find_binding(&self, name: &str, scope: u32, at: u32) -> Option<(u32, &'a BindingFact)> {
        for scope in self.enclosing_scopes(scope) {
            let is_type = self.facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_type());
            if is_type {
                continue;
            }
            if let Some(all) = self.bindings.get(&(scope, name)) {
                let before = all.partition_point(|binding| binding.at < at);
                let mut last = all[..before].iter().rev().take(MAX_LOOKED_AT);
                // In scripts what is declared further down in a block is known in functions before it.
                let blocks = self.r.family == LanguageFamily::Script;
                let anywhere =
                    |binding: &&&BindingFact| binding.end == u32::MAX || (blocks && at < binding.end);
                let found = last
                    .find(|binding| at < binding.end)
                    .or_else(|| all.iter().take(MAX_LOOKED_AT).find(anywhere));
                if let Some(binding) = found {
                    return Some((scope, *binding));
                }
            }
        }
        None
    }

    /// Whether a name is bound at a byte in a function around it.
    pub fn is_local_name(&self, name: &str, scope: u32, at: u32) -> bool {
        self.find_binding(name, scope, at).is_some_and(|(scope, binding)| is_inner_binding(scope, binding))
    }

    /// What a local name is bound to that holds at a byte, and how; `None` where it is not bound.
    pub fn binding_value(&self, name: &str, scope: u32, at: u32) -> Option<(BindingKind, &'a str)> {
        self.find_binding(name, scope, at)
            .map(|(_, binding)| (binding.how, self.facts.strings.get(binding.value)))
    }

    fn resolve_binding(&self, scope: u32, binding: &BindingFact) -> Resolution<'a> {
        if self.depth.get() >= MAX_BINDINGS || self.read.get() >= MAX_BINDINGS_READ {
            return Resolution::bound_to_unknown();
        }
        self.depth.set(self.depth.get() + 1);
        self.read.set(self.read.get() + 1);
        let text = self.facts.strings.get(binding.value);
        let mut found = match binding.how {
            BindingKind::Type => self.resolve_written_type(scope, binding.value),
            BindingKind::Value => self.receiver_values(&self.resolve_path(text, scope, binding.at)),
            BindingKind::Element => self.r.part_of_values(
                &self.held_values(&self.resolve_path(text, scope, binding.at)),
                ValuePart::Each,
            ),
        };
        self.depth.set(self.depth.get() - 1);
        found.bound = true;
        found
    }

    /// The values of a type that is written in a scope.
    fn resolve_written_type(&self, scope: u32, written: StringIndex) -> Resolution<'a> {
        if let Some(known) = self.typed.borrow().get(&(scope, written)) {
            return known.clone();
        }
        let found = self.r.resolve_type_text(self.lookup_scope(scope), self.facts.strings.get(written));
        self.typed.borrow_mut().insert((scope, written), found.clone());
        found
    }

    /// What a path in the notation of a reference's receiver stands for at a byte of a scope.
    pub fn resolve_path(&self, path: &str, scope: u32, at: u32) -> Resolution<'a> {
        if self.r.family == LanguageFamily::Script {
            return self.resolve_script_path(path, scope, at);
        }
        let first = |name: &str| self.resolve_name(name, scope, at);
        let held = |found: &Resolution<'a>| self.held_values(found);
        self.r.follow_path(path, self.lookup_scope(scope), &first, &held)
    }

    /// The type of an expression: as its declaration writes it, where that can be said, and what that stands for.
    pub fn type_of_path(&self, path: &str, scope: u32, at: u32) -> (String, Resolution<'a>) {
        if let Some((_, binding)) = self.find_binding(path, scope, at)
            && binding.how == BindingKind::Type
        {
            let found = self.resolve_name(path, scope, at);
            return (self.facts.strings.get(binding.value).to_owned(), found);
        }
        let called = path.strip_suffix("()");
        let found = self.resolve_path(called.unwrap_or(path), scope, at);
        let mut types = found.meanings.iter().map(|meaning| match meaning {
            Definition::Symbol(s) if called.is_some() == s.kind.is_callable() => s.type_text(),
            _ => "",
        });
        let first = types.next().unwrap_or("");
        let written = if types.all(|ty| ty == first) { first.to_owned() } else { String::new() };
        let found = if called.is_some() { self.r.call_results(&found) } else { found };
        (written, self.held_values(&found))
    }

    /// What a name without receiver stands for in a scope.
    pub fn resolve_name(&self, name: &str, scope: u32, at: u32) -> Resolution<'a> {
        if self.r.family == LanguageFamily::Script {
            return self.resolve_script_name(name, scope, at);
        }
        // Python's receiver is a parameter like others, and so can be rebound.
        let bound_anew =
            || self.r.family == LanguageFamily::Python && self.find_binding(name, scope, at).is_some();
        if let Some(found) = self.resolve_receiver_keyword(name, scope).filter(|_| !bound_anew()) {
            return found;
        }
        if self.r.family == LanguageFamily::Ruby && name.starts_with('@') {
            return self.resolve_instance_variable(name, scope);
        }
        if let Some((scope, binding)) = self.find_binding(name, scope, at) {
            let value = self.resolve_binding(scope, binding);
            if is_inner_binding(scope, binding) || !value.is_empty() {
                return value;
            }
        }
        if let Some(found) = self.resolve_ruby_method(name, scope) {
            return found;
        }
        (*self.r.lookup_name(self.lookup_scope(scope), name)).clone()
    }

    /// Ruby: the methods of the type around a scope that a name stands for, at the side of the type that the scope is on.
    fn resolve_ruby_method(&self, name: &str, scope: u32) -> Option<Resolution<'a>> {
        if self.r.family != LanguageFamily::Ruby || !name.starts_with(|c: char| c.is_lowercase() || c == '_')
        {
            return None;
        }
        let ty = self.r.enclosing_type(self.lookup_scope(scope))?;
        let mut found = (*self.r.members_with_staticness(&ty, name, self.ruby_staticness(scope))).clone();
        // What the body of a class calls of its values it calls in a block that is run for one: `setup do`.
        found.likely &= self.enclosing_ruby_method(scope).is_some();
        (!found.is_empty()).then_some(found)
    }

    /// What a method's name without receiver stands for in a scope, local variables and fields apart.
    pub fn resolve_method_name(&self, name: &str, scope: u32) -> Resolution<'a> {
        if let Some(found) = self.resolve_receiver_keyword(name, scope) {
            return found;
        }
        let mut found = (*self.r.lookup_name(self.lookup_scope(scope), name)).clone();
        found.meanings.retain(|m| !matches!(m, Definition::Symbol(s) if !s.kind.is_callable()));
        found
    }

    /// The symbols that a name without receiver stands for in a scope; of a Ruby instance variable the attribute of its
    /// name. Nothing for local names.
    pub fn symbols_of_name(&self, name: &str, scope: u32, at: u32) -> Resolution<'a> {
        if let Some(attribute) = name.strip_prefix('@') {
            let ty = self.r.enclosing_type(self.lookup_scope(scope));
            return ty
                .map_or_else(Resolution::not_found, |ty| (*self.r.members_of_type(&ty, attribute)).clone());
        }
        if self.is_local_name(name, scope, at) {
            return Resolution::not_found();
        }
        (*self.r.lookup_name(self.lookup_scope(scope), name)).clone()
    }

    /// The value of a Ruby instance variable, by what this file assigns to it.
    fn resolve_instance_variable(&self, name: &str, scope: u32) -> Resolution<'a> {
        let mut scopes = self.enclosing_scopes(scope);
        let ty =
            scopes.find(|&scope| self.facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_type()));
        let bound = ty.and_then(|ty| Some((ty, self.bindings.get(&(ty, name))?.first()?)));
        bound.map_or_else(Resolution::bound_to_unknown, |(ty, binding)| self.resolve_binding(ty, binding))
    }

    /// Ruby: what `super` calls in a method, the methods of its name further up. `None` where it is the base as such: outside
    /// of methods, and in a constructor that overrides none.
    fn overridden_methods(&self, scope: u32) -> Option<Resolution<'a>> {
        let mut around =
            self.enclosing_scopes(scope).filter_map(|scope| self.facts.symbols.get(scope as usize));
        let method = around.find(|symbol| symbol.kind.is_callable())?;
        let ty = self.r.enclosing_type(self.lookup_scope(scope))?;
        let mut found = self.r.inherited_with_staticness(&ty, &method.name, self.ruby_staticness(scope));
        found.bound = true;
        (!found.is_empty() || method.kind != SymbolKind::Constructor).then_some(found)
    }

    /// Ruby: what `self` is in a scope: the class in its body and in its singleton methods.
    fn ruby_staticness(&self, scope: u32) -> Staticness {
        self.enclosing_ruby_method(scope)
            .map_or(Staticness::Type, |method| Staticness::from_signature(&method.signature))
    }

    /// Ruby: the method around a scope; `None` in the body of a class.
    fn enclosing_ruby_method(&self, scope: u32) -> Option<&'a SymbolFact> {
        let facts = self.facts;
        let mut around = self.enclosing_scopes(scope).filter_map(|scope| facts.symbols.get(scope as usize));
        let innermost = around.find(|symbol| symbol.kind.is_callable() || symbol.kind.is_type());
        innermost.filter(|symbol| symbol.kind.is_callable())
    }

    /// `self`, `this`, `super` and their like.
    fn resolve_receiver_keyword(&self, name: &str, scope: u32) -> Option<Resolution<'a>> {
        let family = self.r.family;
        let instance = match family {
            LanguageFamily::Python => matches!(name, "self"),
            LanguageFamily::Rust | LanguageFamily::Ruby => name == "self",
            LanguageFamily::Script | LanguageFamily::Java | LanguageFamily::CSharp => name == "this",
            LanguageFamily::Go => false,
        };
        let itself = (family == LanguageFamily::Python && name == "cls")
            || (family == LanguageFamily::Rust && name == "Self");
        let base = match family {
            LanguageFamily::CSharp => name == "base",
            LanguageFamily::Go | LanguageFamily::Rust => false,
            _ => name == "super",
        };
        if base
            && family == LanguageFamily::Ruby
            && let Some(found) = self.overridden_methods(scope)
        {
            return Some(found);
        }
        if !(instance || itself || base) {
            return match family {
                LanguageFamily::Rust => {
                    super::lang::resolve_path_root(&self.r, self.lookup_scope(scope), name)
                }
                _ => None,
            };
        }
        let Some(ty) = self.r.enclosing_type(self.lookup_scope(scope)) else {
            return match family {
                LanguageFamily::Rust if instance => {
                    super::lang::resolve_path_root(&self.r, self.lookup_scope(scope), name)
                }
                _ => Some(Resolution::bound_to_unknown()),
            };
        };
        // Rust: a block module is not a value.
        if family == LanguageFamily::Rust && ty.kind == SymbolKind::Module {
            return super::lang::resolve_path_root(&self.r, self.lookup_scope(scope), name);
        }
        let side =
            if family == LanguageFamily::Ruby { self.ruby_staticness(scope) } else { Staticness::Value };
        Some(Resolution::from_definitions(vec![if instance && side == Staticness::Value {
            Definition::Instance(ty)
        } else if instance || itself {
            Definition::Symbol(ty)
        } else {
            Definition::Super(ty, side)
        }]))
    }

    /// What members are looked for in: values; in scripts also the variables themselves, which may have members.
    pub fn receiver_values(&self, found: &Resolution<'a>) -> Resolution<'a> {
        if self.r.family == LanguageFamily::Script { found.clone() } else { self.held_values(found) }
    }

    /// Variables, fields and the like replaced by what they hold.
    pub fn held_values(&self, found: &Resolution<'a>) -> Resolution<'a> {
        let mut out = Resolution { meanings: Vec::new(), ..*found };
        for meaning in &found.meanings {
            match meaning {
                Definition::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                    let mut value = self.r.value_of_symbol(s);
                    if value.is_empty() && s.path == self.r.path {
                        value = self.resolve_assigned_field(s);
                    }
                    out.extend(&value);
                }
                // Ruby calls a method by naming it.
                Definition::Symbol(s) if self.r.family == LanguageFamily::Ruby && s.kind.is_callable() => {
                    out.extend(&self.r.value_of_symbol(s));
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    /// The value of a field of this file by what is assigned to it.
    fn resolve_assigned_field(&self, field: &SymbolRef<'a>) -> Resolution<'a> {
        let Some(&at) = self.places.get(&field.id) else { return Resolution::not_found() };
        let scope = self.facts.symbols[at].parent.unwrap_or(FILE_SCOPE);
        // Ruby: `attr_reader :x` reads `@x`.
        let variable = format!("@{}", field.name);
        let named =
            self.bindings.get(&(scope, field.name)).or_else(|| self.bindings.get(&(scope, &variable)));
        match named.and_then(|all| all.first()) {
            Some(binding) => self.resolve_binding(scope, binding),
            None => Resolution::not_found(),
        }
    }
}

/// Whether a binding of a scope is known only in a part of the file.
fn is_inner_binding(scope: u32, binding: &BindingFact) -> bool {
    scope != FILE_SCOPE || binding.end != u32::MAX
}
