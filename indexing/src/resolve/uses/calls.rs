//! Calls and constructions: what is called, and the edges of it.

use super::{Use, symbols};
use crate::resolve::edges::{Edges, MAX_CANDIDATES, Strength};
use crate::resolve::family::Family;
use crate::resolve::meaning::{External, Meaning, constructor_name};
use crate::resolve::{extensions, lang, overloads};
use kenning_graph::facts::Role;
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};

/// Where a call leads.
pub(super) enum Callee<'a> {
    Symbols(Vec<SymbolRef<'a>>, Strength),
    External(Option<External>),
    Unknown,
}

impl<'a> Use<'_, 'a> {
    pub(super) fn call(&self, edges: &mut Edges) {
        let scope = self.reference.scope;
        let source = self.own.id(scope);
        match self.callee() {
            Callee::Symbols(targets, strength) => {
                let strength = strength.shared(targets.len());
                if targets.len() > 1 {
                    edges.calls.ambiguous += 1;
                } else {
                    edges.calls.resolved += 1;
                }
                let test = self.test_scope();
                for target in targets {
                    edges.symbol(source, target.id, EdgeKind::Calls, strength, Some(self.line()));
                    if let Some(test) = test
                        && !self.is_test_code(&target)
                    {
                        edges.symbol(
                            self.own.id(test),
                            target.id,
                            EdgeKind::Tests,
                            strength,
                            Some(self.line()),
                        );
                    }
                }
            }
            Callee::External(external) => {
                edges.calls.external += 1;
                if let Some(external) = external {
                    self.phantom(&external, EdgeKind::Calls, edges);
                }
            }
            Callee::Unknown => edges.calls.unresolved += 1,
        }
    }

    fn callee(&self) -> Callee<'a> {
        let found = self.meaning();
        let mut targets: Vec<SymbolRef<'a>> = Vec::new();
        let (mut external, mut outside) = (None, found.opaque);
        for meaning in &found.meanings {
            match meaning {
                Meaning::Symbol(s) if self.is_script_variable(s) => self.add_held(s, &mut targets),
                Meaning::Symbol(s) if self.asks_type(s) => outside = true,
                Meaning::Symbol(s) => self.add_targets(s, &mut targets),
                // Python's `super()` is no call of the base's constructor.
                Meaning::Super(..) if self.own.r.family == Family::Python => outside = true,
                Meaning::Super(s, _) => self.add_base_constructors(s, &mut targets, &mut outside),
                Meaning::Instance(s) if self.own.r.family == Family::Python => {
                    let called = self.own.r.members(s, "__call__");
                    targets.extend(symbols(&called).filter(|s| s.kind.is_callable()));
                }
                Meaning::External(e) => external = Some((**e).clone()),
                Meaning::Builtin | Meaning::Collection(..) | Meaning::Shaped(_) | Meaning::Includer(_) => {
                    outside = true;
                }
                // `this(...)`: another constructor of the type.
                Meaning::Instance(s) if self.receiver.is_empty() && self.name == "this" => {
                    targets.extend(self.constructors(s));
                }
                // A method of a wrapper (`unwrap`, `clone`) gives the receiver's own type.
                Meaning::Instance(_) if !self.receiver.is_empty() => outside = true,
                Meaning::Instance(_) | Meaning::Module(_) | Meaning::This(_) => {}
            }
        }
        if self.own.r.family == Family::Rust {
            targets.retain(|s| (s.kind == SymbolKind::Macro) == self.is_macro());
            outside |= self.is_macro() && self.own.r.family.builtins().names.contains(self.name);
        }
        self.keep_fitting(&mut targets);
        match targets.len() {
            1..=MAX_CANDIDATES => return Callee::Symbols(targets, Strength::of(&found)),
            0 => {}
            _ => return Callee::Unknown,
        }
        let (extensions, sure) = extensions::candidates(self.own, self.reference);
        if (1..=MAX_CANDIDATES).contains(&extensions.len()) {
            let strength = if sure { Strength::RESOLVED } else { Strength::INFERRED };
            return Callee::Symbols(extensions, strength);
        }
        if external.is_some() || outside {
            return Callee::External(external);
        }
        if found.bound {
            return Callee::Unknown;
        }
        self.by_name()
    }

    /// Ruby: whether a value is asked for its type (`self.class`): no construction.
    fn asks_type(&self, symbol: &SymbolRef) -> bool {
        let type_of = &self.own.r.family.builtins().type_of;
        self.reference.role == Role::Call && symbol.kind.is_type() && type_of.contains(self.name)
    }

    /// Rust: whether a macro is called.
    pub(super) fn is_macro(&self) -> bool {
        self.own.facts.strings.get(self.reference.arguments) == "!"
    }

    /// The symbols that a call of a symbol reaches: of a type its constructors, or the type where it has none.
    fn add_targets(&self, symbol: &SymbolRef<'a>, targets: &mut Vec<SymbolRef<'a>>) {
        if !symbol.kind.is_type() {
            return push_new(targets, *symbol);
        }
        let constructors = self.constructors(symbol);
        if constructors.is_empty() {
            push_new(targets, *symbol);
        }
        for constructor in constructors {
            push_new(targets, constructor);
        }
    }

    fn is_script_variable(&self, symbol: &SymbolRef) -> bool {
        self.own.r.family == Family::Script
            && matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Constant)
    }

    /// The functions and types that a variable stands for, or the variable itself; of one in a block nothing is known.
    fn add_held(&self, variable: &SymbolRef<'a>, targets: &mut Vec<SymbolRef<'a>>) {
        let held = self.own.r.value_of(variable);
        let called: Vec<_> = symbols(&held).filter(|s| s.kind.is_callable() || s.kind.is_type()).collect();
        for symbol in &called {
            self.add_targets(symbol, targets);
        }
        if called.is_empty() && !self.own.is_block_local(variable) {
            push_new(targets, *variable);
        }
    }

    fn constructors(&self, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
        let name = constructor_name(self.own.r.family).unwrap_or(ty.name);
        let found = self.own.r.own_members(ty, name);
        // One that runs by itself, as C#'s static ones, has no number of arguments.
        let mut all: Vec<SymbolRef<'a>> =
            symbols(&found).filter(|s| s.kind == SymbolKind::Constructor && s.arity.is_some()).collect();
        self.keep_fitting(&mut all);
        all
    }

    fn add_base_constructors(
        &self,
        ty: &SymbolRef<'a>,
        targets: &mut Vec<SymbolRef<'a>>,
        outside: &mut bool,
    ) {
        for base in &self.own.r.bases(ty).meanings {
            match base {
                Meaning::Symbol(base) => self.add_targets(base, targets),
                _ => *outside = true,
            }
        }
    }

    /// Of several callables keeps those that take the call's number of arguments, if there are any.
    pub(super) fn keep_fitting(&self, targets: &mut Vec<SymbolRef<'a>>) {
        if targets.len() < 2 {
            return;
        }
        if self.own.r.family == Family::Script {
            return lang::script::keep_meant(self.reference.arity, targets);
        }
        // A name that is both a callable and something else is called.
        // Ruby reads a property by a call.
        let ruby = self.own.r.family == Family::Ruby;
        let callable = |s: &SymbolRef| s.kind.is_callable() || (ruby && s.kind == SymbolKind::Property);
        if targets.iter().any(callable) {
            targets.retain(|s| callable(s) || s.kind.is_type());
        }
        if ruby {
            // A method beside `attr_writer` is what reading means.
            let methods: Vec<&str> =
                targets.iter().filter(|s| s.kind.is_callable()).map(|s| s.container).collect();
            targets.retain(|s| s.kind != SymbolKind::Property || !methods.contains(&s.container));
        }
        let fits = |s: &SymbolRef| self.takes_arguments(s);
        let exact = |s: &SymbolRef| s.arity.is_some_and(|arity| arity == self.reference.arity);
        if targets.iter().any(exact) {
            targets.retain(exact);
        } else if targets.iter().any(fits) {
            targets.retain(fits);
        }
        overloads::keep_best(self.own, self.reference, targets);
    }

    pub(super) fn takes_arguments(&self, symbol: &SymbolRef) -> bool {
        let (Some(arity), count) = (symbol.arity, self.reference.arity) else { return true };
        // A script's function takes any number of arguments. Signatures are not among what may be read of symbols of
        // other files; parameter types mark variadic ones in the other languages.
        let variadic = overloads::is_variadic(symbol.params()) || symbol.params().contains('*');
        if count == 255
            || self.own.r.family == Family::Script
            || (variadic && self.own.r.family != Family::Rust)
        {
            return true;
        }
        match self.own.r.family {
            Family::CSharp => count <= arity && usize::from(count) >= overloads::required(symbol.params()),
            family if family.exact_arity() => count == arity,
            _ => count <= arity,
        }
    }
}

fn push_new<'a>(targets: &mut Vec<SymbolRef<'a>>, symbol: SymbolRef<'a>) {
    if !targets.iter().any(|known| known.id == symbol.id) {
        targets.push(symbol);
    }
}
