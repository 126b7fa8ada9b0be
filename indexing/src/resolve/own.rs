//! The file that is being resolved: its facts, its symbols' ids, its scopes and local names.

mod script;

use super::family::Family;
use super::meaning::{Found, Meaning, Place};
use super::notation::Part;
use super::resolver::Resolver;
use super::sides::Side;
use kenning_graph::facts::{Binding, BindingKind, FILE_SCOPE, FileFacts, Reference, StringIndex, SymbolFact};
use kenning_graph::{SymbolId, SymbolKind, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell, RefCell};

/// Bindings that lead to other bindings are followed this far.
const MAX_BINDINGS: u32 = 12;
/// Bindings that are read for one reference: a name that a file binds a thousand times, each time to another name of
/// its kind, would else be read a thousand times a thousand times.
const MAX_BINDINGS_READ: u32 = 200;
/// Bindings of one name in one scope that are looked at for one use of it.
const MAX_LOOKED_AT: usize = 32;

/// The facts of the file, with what is needed to read its expressions.
pub(super) struct Own<'a> {
    pub r: Resolver<'a>,
    pub facts: &'a FileFacts,
    /// The symbol of the file.
    pub file: SymbolId,
    /// The symbols, in the order of the facts.
    pub symbols: Vec<SymbolRef<'a>>,
    qualified: Vec<String>,
    bindings: FxHashMap<(u32, &'a str), Vec<&'a Binding>>,
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
    typed: RefCell<FxHashMap<(u32, StringIndex), Found<'a>>>,
    /// The names of all references, once one asks.
    mentioned: OnceCell<FxHashSet<&'a str>>,
}

impl<'a> Own<'a> {
    pub fn new(r: Resolver<'a>, facts: &'a FileFacts, file: SymbolId, symbols: Vec<SymbolRef<'a>>) -> Self {
        let mut bindings: FxHashMap<(u32, &str), Vec<&Binding>> = FxHashMap::default();
        for binding in &facts.bindings {
            bindings.entry((binding.scope, facts.strings.get(binding.name))).or_default().push(binding);
        }
        let qualified = facts.symbols.iter().map(SymbolFact::qualified).collect();
        let places = symbols.iter().enumerate().map(|(place, symbol)| (symbol.id, place)).collect();
        let (depth, read) = (Cell::new(0), Cell::new(0));
        let declared = if r.family == Family::Script {
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
    pub fn begin(&self) {
        self.read.set(0);
    }

    /// Whether the file refers to something by this name.
    pub fn mentions(&self, name: &str) -> bool {
        let named = |reference: &Reference| self.facts.strings.get(reference.name);
        self.mentioned.get_or_init(|| self.facts.references.iter().map(named).collect()).contains(name)
    }

    /// The symbol that a scope of the facts stands for; the file's for [`FILE_SCOPE`].
    pub fn id(&self, scope: u32) -> SymbolId {
        self.symbols.get(scope as usize).map_or(self.file, |symbol| symbol.id)
    }

    /// The place of a scope.
    pub fn place(&self, scope: u32) -> Place<'_> {
        let container = self.qualified.get(scope as usize).map_or("", String::as_str);
        Place { path: self.r.path, container }
    }

    /// A scope and the scopes around it, the file last.
    pub fn scopes(&self, scope: u32) -> impl Iterator<Item = u32> + '_ {
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
    fn binding(&self, name: &str, scope: u32, at: u32) -> Option<(u32, &'a Binding)> {
        for scope in self.scopes(scope) {
            let is_type = self.facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_type());
            if is_type {
                continue;
            }
            if let Some(all) = self.bindings.get(&(scope, name)) {
                let before = all.partition_point(|binding| binding.at < at);
                let mut last = all[..before].iter().rev().take(MAX_LOOKED_AT);
                // In scripts what is declared further down in a block is known in functions before it.
                let blocks = self.r.family == Family::Script;
                let anywhere = |binding: &&&Binding| binding.end == u32::MAX || (blocks && at < binding.end);
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
    pub fn is_local(&self, name: &str, scope: u32, at: u32) -> bool {
        self.binding(name, scope, at).is_some_and(|(scope, binding)| is_inner(scope, binding))
    }

    /// What a local name is bound to that holds at a byte, and how; `None` where it is not bound.
    pub fn bound_to(&self, name: &str, scope: u32, at: u32) -> Option<(BindingKind, &'a str)> {
        self.binding(name, scope, at).map(|(_, binding)| (binding.how, self.facts.strings.get(binding.value)))
    }

    fn bound_value(&self, scope: u32, binding: &Binding) -> Found<'a> {
        if self.depth.get() >= MAX_BINDINGS || self.read.get() >= MAX_BINDINGS_READ {
            return Found::bound();
        }
        self.depth.set(self.depth.get() + 1);
        self.read.set(self.read.get() + 1);
        let text = self.facts.strings.get(binding.value);
        let mut found = match binding.how {
            BindingKind::Type => self.typed(scope, binding.value),
            BindingKind::Value => self.as_receiver(&self.eval(text, scope, binding.at)),
            BindingKind::Element => {
                self.r.part(&self.as_value(&self.eval(text, scope, binding.at)), Part::Each)
            }
        };
        self.depth.set(self.depth.get() - 1);
        found.bound = true;
        found
    }

    /// The values of a type that is written in a scope.
    fn typed(&self, scope: u32, written: StringIndex) -> Found<'a> {
        if let Some(known) = self.typed.borrow().get(&(scope, written)) {
            return known.clone();
        }
        let found = self.r.type_of_text(self.place(scope), self.facts.strings.get(written));
        self.typed.borrow_mut().insert((scope, written), found.clone());
        found
    }

    /// What a path in the notation of a reference's receiver stands for at a byte of a scope.
    pub fn eval(&self, path: &str, scope: u32, at: u32) -> Found<'a> {
        if self.r.family == Family::Script {
            return self.script_path(path, scope, at);
        }
        let first = |name: &str| self.first(name, scope, at);
        let held = |found: &Found<'a>| self.as_value(found);
        self.r.follow(path, self.place(scope), &first, &held)
    }

    /// The type of an expression: as its declaration writes it, where that can be said, and what that stands for.
    pub fn type_of_path(&self, path: &str, scope: u32, at: u32) -> (String, Found<'a>) {
        if let Some((_, binding)) = self.binding(path, scope, at)
            && binding.how == BindingKind::Type
        {
            let found = self.first(path, scope, at);
            return (self.facts.strings.get(binding.value).to_owned(), found);
        }
        let called = path.strip_suffix("()");
        let found = self.eval(called.unwrap_or(path), scope, at);
        let mut types = found.meanings.iter().map(|meaning| match meaning {
            Meaning::Symbol(s) if called.is_some() == s.kind.is_callable() => s.ty(),
            _ => "",
        });
        let first = types.next().unwrap_or("");
        let written = if types.all(|ty| ty == first) { first.to_owned() } else { String::new() };
        let found = if called.is_some() { self.r.called(&found) } else { found };
        (written, self.as_value(&found))
    }

    /// What a name without receiver stands for in a scope.
    pub fn first(&self, name: &str, scope: u32, at: u32) -> Found<'a> {
        if self.r.family == Family::Script {
            return self.script_name(name, scope, at);
        }
        // Python's receiver is a parameter like others, and so can be bound anew.
        let bound_anew = || self.r.family == Family::Python && self.binding(name, scope, at).is_some();
        if let Some(found) = self.receiver_word(name, scope).filter(|_| !bound_anew()) {
            return found;
        }
        if self.r.family == Family::Ruby && name.starts_with('@') {
            return self.instance_variable(name, scope);
        }
        if let Some((scope, binding)) = self.binding(name, scope, at) {
            let value = self.bound_value(scope, binding);
            if is_inner(scope, binding) || !value.is_empty() {
                return value;
            }
        }
        if let Some(found) = self.ruby_method(name, scope) {
            return found;
        }
        (*self.r.lookup(self.place(scope), name)).clone()
    }

    /// Ruby: the methods of the type around a scope that a name stands for, at the side of the type that the scope is on.
    fn ruby_method(&self, name: &str, scope: u32) -> Option<Found<'a>> {
        if self.r.family != Family::Ruby || !name.starts_with(|c: char| c.is_lowercase() || c == '_') {
            return None;
        }
        let ty = self.r.enclosing_type(self.place(scope))?;
        let mut found = (*self.r.members_of(&ty, name, self.ruby_side(scope))).clone();
        // What the body of a class calls of its values it calls in a block that is run for one: `setup do`.
        found.likely &= self.ruby_method_around(scope).is_some();
        (!found.is_empty()).then_some(found)
    }

    /// What a method's name without receiver stands for in a scope, local variables and fields apart.
    pub fn method(&self, name: &str, scope: u32) -> Found<'a> {
        if let Some(found) = self.receiver_word(name, scope) {
            return found;
        }
        let mut found = (*self.r.lookup(self.place(scope), name)).clone();
        found.meanings.retain(|m| !matches!(m, Meaning::Symbol(s) if !s.kind.is_callable()));
        found
    }

    /// The symbols that a name without receiver stands for in a scope; of a Ruby instance variable the attribute of its
    /// name. Nothing for local names.
    pub fn first_symbol(&self, name: &str, scope: u32, at: u32) -> Found<'a> {
        if let Some(attribute) = name.strip_prefix('@') {
            let ty = self.r.enclosing_type(self.place(scope));
            return ty.map_or_else(Found::nothing, |ty| (*self.r.members(&ty, attribute)).clone());
        }
        if self.is_local(name, scope, at) {
            return Found::nothing();
        }
        (*self.r.lookup(self.place(scope), name)).clone()
    }

    /// The value of a Ruby instance variable, by what this file assigns to it.
    fn instance_variable(&self, name: &str, scope: u32) -> Found<'a> {
        let mut scopes = self.scopes(scope);
        let ty =
            scopes.find(|&scope| self.facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_type()));
        let bound = ty.and_then(|ty| Some((ty, self.bindings.get(&(ty, name))?.first()?)));
        bound.map_or_else(Found::bound, |(ty, binding)| self.bound_value(ty, binding))
    }

    /// Ruby: what `super` calls in a method, the methods of its name further up. `None` where it is the base as such: outside
    /// of methods, and in a constructor that overrides none.
    fn overridden(&self, scope: u32) -> Option<Found<'a>> {
        let mut around = self.scopes(scope).filter_map(|scope| self.facts.symbols.get(scope as usize));
        let method = around.find(|symbol| symbol.kind.is_callable())?;
        let ty = self.r.enclosing_type(self.place(scope))?;
        let mut found = self.r.inherited_of(&ty, &method.name, self.ruby_side(scope));
        found.bound = true;
        (!found.is_empty() || method.kind != SymbolKind::Constructor).then_some(found)
    }

    /// Ruby: what `self` is in a scope: the class in its body and in its singleton methods.
    fn ruby_side(&self, scope: u32) -> Side {
        self.ruby_method_around(scope).map_or(Side::Type, |method| Side::of(&method.signature))
    }

    /// Ruby: the method around a scope; `None` in the body of a class.
    fn ruby_method_around(&self, scope: u32) -> Option<&'a SymbolFact> {
        let facts = self.facts;
        let mut around = self.scopes(scope).filter_map(|scope| facts.symbols.get(scope as usize));
        let innermost = around.find(|symbol| symbol.kind.is_callable() || symbol.kind.is_type());
        innermost.filter(|symbol| symbol.kind.is_callable())
    }

    /// `self`, `this`, `super` and their like.
    fn receiver_word(&self, name: &str, scope: u32) -> Option<Found<'a>> {
        let family = self.r.family;
        let instance = match family {
            Family::Python => matches!(name, "self"),
            Family::Rust | Family::Ruby => name == "self",
            Family::Script | Family::Java | Family::CSharp => name == "this",
            Family::Go => false,
        };
        let itself =
            (family == Family::Python && name == "cls") || (family == Family::Rust && name == "Self");
        let base = match family {
            Family::CSharp => name == "base",
            Family::Go | Family::Rust => false,
            _ => name == "super",
        };
        if base
            && family == Family::Ruby
            && let Some(found) = self.overridden(scope)
        {
            return Some(found);
        }
        if !(instance || itself || base) {
            return match family {
                Family::Rust => super::lang::path_root(&self.r, self.place(scope), name),
                _ => None,
            };
        }
        let Some(ty) = self.r.enclosing_type(self.place(scope)) else {
            return match family {
                Family::Rust if instance => super::lang::path_root(&self.r, self.place(scope), name),
                _ => Some(Found::bound()),
            };
        };
        // Rust: a block module is not a value.
        if family == Family::Rust && ty.kind == SymbolKind::Module {
            return super::lang::path_root(&self.r, self.place(scope), name);
        }
        let side = if family == Family::Ruby { self.ruby_side(scope) } else { Side::Value };
        Some(Found::of(vec![if instance && side == Side::Value {
            Meaning::Instance(ty)
        } else if instance || itself {
            Meaning::Symbol(ty)
        } else {
            Meaning::Super(ty, side)
        }]))
    }

    /// What members are looked for in: values; in scripts also the variables themselves, which may have members.
    pub fn as_receiver(&self, found: &Found<'a>) -> Found<'a> {
        if self.r.family == Family::Script { found.clone() } else { self.as_value(found) }
    }

    /// Variables, fields and the like replaced by what they hold.
    pub fn as_value(&self, found: &Found<'a>) -> Found<'a> {
        let mut out = Found { meanings: Vec::new(), ..*found };
        for meaning in &found.meanings {
            match meaning {
                Meaning::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                    let mut value = self.r.value_of(s);
                    if value.is_empty() && s.path == self.r.path {
                        value = self.bound_field(s);
                    }
                    out.extend(&value);
                }
                // Ruby calls a method by naming it.
                Meaning::Symbol(s) if self.r.family == Family::Ruby && s.kind.is_callable() => {
                    out.extend(&self.r.value_of(s));
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    /// The value of a field of this file by what is assigned to it.
    fn bound_field(&self, field: &SymbolRef<'a>) -> Found<'a> {
        let Some(&at) = self.places.get(&field.id) else { return Found::nothing() };
        let scope = self.facts.symbols[at].parent.unwrap_or(FILE_SCOPE);
        // Ruby: `attr_reader :x` reads `@x`.
        let variable = format!("@{}", field.name);
        let named =
            self.bindings.get(&(scope, field.name)).or_else(|| self.bindings.get(&(scope, &variable)));
        match named.and_then(|all| all.first()) {
            Some(binding) => self.bound_value(scope, binding),
            None => Found::nothing(),
        }
    }
}

/// Whether a binding of a scope is known only in a part of the file.
fn is_inner(scope: u32, binding: &Binding) -> bool {
    scope != FILE_SCOPE || binding.end != u32::MAX
}
