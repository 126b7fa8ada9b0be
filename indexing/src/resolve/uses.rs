//! References to edges: calls, constructions, types, fields, decorators, throws, values, environment, processes.

use super::docs;
use super::edges::{Edges, MAX_CANDIDATES, Strength};
use super::extensions;
use super::family::Family;
use super::meaning::{External, Found, Meaning, constructor_name};
use super::overloads;
use super::own::Own;
use super::resolver::Target;
use super::shapes::structural;
use kenning_graph::facts::{FILE_SCOPE, Reference, Role};
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};

/// Makes the edges of all references of the file.
pub(super) fn references(own: &Own, edges: &mut Edges) {
    let in_test_file = own.r.family.is_test_path(own.r.path);
    for reference in &own.facts.references {
        Use::new(own, reference, in_test_file).edges(edges);
    }
}

/// Makes the edges of one reference of the file.
pub(super) fn reference(own: &Own, reference: &Reference, edges: &mut Edges) {
    Use::new(own, reference, own.r.family.is_test_path(own.r.path)).edges(edges);
}

/// The test in which a reference of the file stands, as a scope; see [`Use::test_scope`].
pub(super) fn test_around(own: &Own, reference: &Reference) -> Option<u32> {
    Use::new(own, reference, own.r.family.is_test_path(own.r.path)).test_scope()
}

/// One use of a name.
struct Use<'s, 'a> {
    own: &'s Own<'a>,
    reference: &'s Reference,
    name: &'s str,
    receiver: &'s str,
    in_test_file: bool,
}

/// Where a call leads.
enum Callee<'a> {
    Symbols(Vec<SymbolRef<'a>>, Strength),
    External(Option<External>),
    Unknown,
}

impl<'s, 'a> Use<'s, 'a> {
    fn new(own: &'s Own<'a>, reference: &'s Reference, in_test_file: bool) -> Self {
        Self {
            own,
            reference,
            name: own.facts.strings.get(reference.name),
            receiver: own.facts.strings.get(reference.receiver),
            in_test_file,
        }
    }

    fn edges(&self, edges: &mut Edges) {
        self.own.begin();
        match self.reference.role {
            Role::Call | Role::Construct => self.call(edges),
            Role::Type => self.ty(edges),
            // Made from the base lists of the symbols.
            Role::Base => {}
            Role::Field => self.field(edges),
            Role::Decorator => self.decorator(edges),
            Role::Throw => self.throw(edges),
            Role::Value => self.value(edges),
            Role::Name => self.name(edges),
            Role::Env => self.outside(SymbolKind::EnvVar, EdgeKind::ReadsEnv, edges),
            Role::Process => self.outside(SymbolKind::Process, EdgeKind::ExecutesProcess, edges),
            Role::Flag => self.outside(SymbolKind::Flag, EdgeKind::GatedByFlag, edges),
            Role::Doc => docs::documents(self.own, self.reference, edges),
            // Made for the whole file.
            Role::Fixture => {}
        }
    }

    fn is_local(&self) -> bool {
        self.own.is_local(self.name, self.reference.scope, self.reference.at.start)
    }

    fn line(&self) -> u32 {
        self.reference.at.line
    }

    fn call(&self, edges: &mut Edges) {
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
                Meaning::Symbol(s) => self.add_targets(s, &mut targets),
                // Python's `super()` is no call of the base's constructor.
                Meaning::Super(_) if self.own.r.family == Family::Python => outside = true,
                Meaning::Super(s) => self.add_base_constructors(s, &mut targets, &mut outside),
                Meaning::Instance(s) if self.own.r.family == Family::Python => {
                    let called = self.own.r.members(s, "__call__");
                    targets.extend(symbols(&called).filter(|s| s.kind.is_callable()));
                }
                Meaning::External(e) => external = Some((**e).clone()),
                Meaning::Builtin | Meaning::Collection(_) | Meaning::Shaped(_) => outside = true,
                // `this(...)`: another constructor of the type.
                Meaning::Instance(s) if self.receiver.is_empty() && self.name == "this" => {
                    targets.extend(self.constructors(s));
                }
                // A method of a wrapper (`unwrap`, `clone`) gives the receiver's own type.
                Meaning::Instance(_) if !self.receiver.is_empty() => outside = true,
                Meaning::Instance(_) | Meaning::Module(_) => {}
            }
        }
        if self.own.r.family == Family::Rust {
            targets.retain(|s| (s.kind == SymbolKind::Macro) == self.is_macro());
            outside |= self.is_macro() && self.own.r.family.builtins().names.contains(self.name);
        }
        self.keep_fitting(&mut targets);
        match targets.len() {
            1..=MAX_CANDIDATES => return Callee::Symbols(targets, Strength::RESOLVED),
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

    /// Rust: whether a macro is called.
    fn is_macro(&self) -> bool {
        self.own.facts.strings.get(self.reference.arguments) == "!"
    }

    /// What the used name stands for.
    fn meaning(&self) -> Found<'a> {
        let (own, scope, at) = (self.own, self.reference.scope, self.reference.at.start);
        if self.receiver.is_empty() {
            // Java: variables and methods do not hide one another.
            let is_method = own.r.family == Family::Java && self.reference.role == Role::Call;
            let found =
                if is_method { own.method(self.name, scope) } else { own.first(self.name, scope, at) };
            if found.is_empty() && !found.bound && self.reference.role != Role::Call {
                return own.r.type_path(own.place(scope), self.name);
            }
            return found;
        }
        let receiver = own.as_receiver(&own.eval(self.receiver, scope, at));
        if receiver.is_empty() {
            // A type that only its name leads to (global usings, autoloaded constants).
            if !self.receiver.contains(['(', '[', '?'])
                && !receiver.bound
                && !own.is_local(self.receiver, scope, at)
            {
                let path = own.r.type_path(own.place(scope), self.receiver);
                return own.r.step(&path, self.name);
            }
            return Found::nothing();
        }
        let mut found = own.r.step(&receiver, self.name);
        // The receiver is known: what it does not have is not to be looked for by name.
        found.bound = true;
        found
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
        let mut all: Vec<SymbolRef<'a>> =
            symbols(&found).filter(|s| s.kind == SymbolKind::Constructor).collect();
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
    fn keep_fitting(&self, targets: &mut Vec<SymbolRef<'a>>) {
        if targets.len() < 2 {
            return;
        }
        if self.own.r.family == Family::Script {
            return super::lang::script::keep_meant(self.reference.arity, targets);
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

    fn takes_arguments(&self, symbol: &SymbolRef) -> bool {
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

    /// Candidates by the name alone.
    fn by_name(&self) -> Callee<'a> {
        let r = &self.own.r;
        let common = r.family.builtins().methods.contains(self.name);
        // Where most receivers have a known type, one that has none is mostly of a type from outside.
        let known =
            matches!(r.family, Family::Rust | Family::Java | Family::CSharp | Family::Ruby | Family::Script);
        if known && common && !self.receiver.is_empty() {
            return Callee::External(None);
        }
        if self.names_foreign_type() {
            return Callee::External(None);
        }
        if self.receiver.is_empty() && !self.unqualified_by_name() {
            return if self.foreign_wildcard() { Callee::External(None) } else { Callee::Unknown };
        }
        let named = r.view.named(self.name);
        // What no symbol of the workspace is called is declared elsewhere; without a receiver it may be a local.
        if named.is_empty() && !self.receiver.is_empty() {
            return Callee::External(None);
        }
        let mut candidates: Vec<SymbolRef<'a>> = named
            .iter()
            .filter(|s| {
                let fitting = if self.receiver.is_empty() {
                    s.kind.is_callable() || s.kind.is_type()
                } else {
                    matches!(s.kind, SymbolKind::Method | SymbolKind::Property)
                };
                let namespace = r.family != Family::Rust || (s.kind == SymbolKind::Macro) == self.is_macro();
                fitting
                    && !s.ty().starts_with('~')
                    && namespace
                    && r.visible(s)
                    && self.takes_arguments(s)
                    && (self.in_test_file || !r.family.is_test_path(s.path))
            })
            .copied()
            .collect();
        if candidates.is_empty() {
            return if common { Callee::External(None) } else { Callee::Unknown };
        }
        self.keep_fitting(&mut candidates);
        let near = |s: &SymbolRef| super::lang::rust::same_crate(r.project, s.path, r.path);
        if self.is_macro() && candidates.iter().any(near) {
            candidates.retain(near);
        }
        if r.family == Family::Ruby {
            if let Some(members) = super::lang::ruby::members_by_receiver_name(r, self.receiver, self.name) {
                candidates = members;
                self.keep_fitting(&mut candidates);
            } else if !super::lang::ruby::is_telling(self.name) && self.reference.arity == 0 {
                return Callee::Unknown;
            }
        }
        // C#: an untyped parameter of a function literal is often the object itself (`this.Given(x => x.Start())`).
        if r.family == Family::CSharp
            && candidates.len() > 1
            && let Some(own) = r.enclosing_type(self.own.place(self.reference.scope))
        {
            let members = r.members(&own, self.name);
            let is_own = |s: &SymbolRef| symbols(&members).any(|member| member.id == s.id);
            if candidates.iter().any(is_own) {
                candidates.retain(is_own);
            }
        }
        // A name that the standard library has as well and that several types share says nothing.
        if r.family == Family::Script && candidates.len() > 1 {
            return Callee::Unknown;
        }
        let telling = !structural(r.family);
        if candidates.len() > MAX_CANDIDATES || (common && (candidates.len() > 1 || !telling)) {
            return Callee::Unknown;
        }
        let strength = if common { Strength::INFERRED.common() } else { Strength::INFERRED };
        Callee::Symbols(candidates, strength)
    }

    /// Whether the path starts at a type that is declared nowhere in the workspace, in languages where a type is
    /// always declared somewhere.
    fn names_foreign_type(&self) -> bool {
        let r = &self.own.r;
        if !matches!(r.family, Family::Java | Family::CSharp | Family::Ruby) {
            return false;
        }
        // A longer chain may end at something of the workspace after all: an extension method.
        let first = match (self.receiver, self.reference.role) {
            ("", Role::Construct) => self.name,
            ("", _) => return false,
            (receiver, _) => receiver.trim_end_matches("()").trim_end_matches("[]"),
        };
        // Ruby: a path of constants begins with the one that counts.
        let first = match r.family {
            Family::Ruby if first.split('.').all(|part| part.starts_with(char::is_uppercase)) => {
                first.split('.').next().unwrap_or(first)
            }
            _ => first,
        };
        let is_type =
            first.chars().next().is_some_and(char::is_uppercase) && !first.contains(['.', '(', '[', '?']);
        is_type && !r.view.named(first).iter().any(|s| s.kind.is_type() || s.kind == SymbolKind::Property)
    }

    /// Whether a wildcard import leads out of the workspace, and so can bring any name.
    fn foreign_wildcard(&self) -> bool {
        let own = self.own;
        let mut wild =
            own.facts.imports.iter().filter(|import| super::lang::is_wildcard(own.r.family, import));
        matches!(own.r.family, Family::Java | Family::Python | Family::Rust)
            && wild.any(|import| {
                matches!(
                    super::lang::import_target(&own.r, own.r.path, import, self.name),
                    Target::External(_)
                )
            })
    }

    /// Whether a call without receiver that no scope explains can reach a symbol elsewhere in the workspace.
    fn unqualified_by_name(&self) -> bool {
        let facts = self.own.facts;
        match self.own.r.family {
            // The scoping rules are complete: what they do not find is a local or comes from outside.
            Family::Go | Family::Java => false,
            Family::Python => facts.imports.iter().any(|import| import.name == "*"),
            // Scripts without imports share one global scope.
            Family::Script => facts.imports.is_empty() && !self.is_local(),
            // Macros are visible throughout a crate; glob imports of foreign crates hide what they bring.
            Family::Rust => !self.is_local(),
            Family::CSharp | Family::Ruby => true,
        }
    }

    fn ty(&self, edges: &mut Edges) {
        let (own, scope) = (self.own, self.reference.scope);
        let found = own.r.type_path(own.place(scope), &self.path());
        let in_signature = own
            .facts
            .symbols
            .get(scope as usize)
            .is_some_and(|symbol| symbol.kind.is_callable() && has_word(&symbol.signature, self.name));
        let kind = if in_signature { EdgeKind::TypeHintOf } else { EdgeKind::References };
        self.mention(&found, kind, edges, |s| s.kind.is_type());
    }

    fn field(&self, edges: &mut Edges) {
        let own = self.own;
        let receiver =
            own.as_receiver(&own.eval(self.receiver, self.reference.scope, self.reference.at.start));
        if receiver.is_empty() {
            return;
        }
        let found = own.r.step(&receiver, self.name);
        let source = own.id(self.reference.scope);
        let targets: Vec<SymbolRef> = symbols(&found).collect();
        if targets.len() > MAX_CANDIDATES {
            return;
        }
        // The accessors of one property are one thing.
        let one = targets.iter().all(|s| (s.path, s.container) == (targets[0].path, targets[0].container));
        let strength = if one { Strength::RESOLVED } else { Strength::RESOLVED.shared(targets.len()) };
        for target in targets {
            let member = matches!(target.kind, SymbolKind::Field | SymbolKind::Property);
            let kind = if member { EdgeKind::AccessesField } else { EdgeKind::References };
            edges.symbol(source, target.id, kind, strength, Some(self.line()));
        }
    }

    fn value(&self, edges: &mut Edges) {
        let found = self.meaning();
        // In Ruby the name of a module is mostly the beginning of a path.
        let prefix = |s: &SymbolRef| self.own.r.family == Family::Ruby && s.kind == SymbolKind::Module;
        let member = |s: SymbolRef| matches!(s.kind, SymbolKind::Field | SymbolKind::Property);
        let reads = symbols(&found).next().is_some() && symbols(&found).all(member);
        let kind = if reads { EdgeKind::AccessesField } else { EdgeKind::References };
        self.mention(&found, kind, edges, |s| !prefix(s));
    }

    /// A name that stands alone: a field of the type around, a constant, a variable, a function as a value. What it
    /// stands for outside of the workspace says nothing.
    fn name(&self, edges: &mut Edges) {
        let found = self.own.first_symbol(self.name, self.reference.scope, self.reference.at.start);
        let targets: Vec<SymbolRef> = symbols(&found).filter(|s| s.kind != SymbolKind::Module).collect();
        if targets.len() > MAX_CANDIDATES {
            return;
        }
        let strength = Strength::RESOLVED.shared(targets.len());
        for target in targets {
            let member = matches!(target.kind, SymbolKind::Field | SymbolKind::Property);
            let kind = if member { EdgeKind::AccessesField } else { EdgeKind::References };
            edges.symbol(self.own.id(self.reference.scope), target.id, kind, strength, Some(self.line()));
        }
    }

    fn throw(&self, edges: &mut Edges) {
        let mut found = self.meaning();
        if found.is_empty() {
            found = self.own.r.type_path(self.own.place(self.reference.scope), &self.path());
        }
        // `throw makeError()` throws what the function gives.
        let found =
            if symbols(&found).any(|s| s.kind.is_callable()) { self.own.r.called(&found) } else { found };
        let mut types = Found::nothing();
        for meaning in &found.meanings {
            match meaning {
                Meaning::Symbol(s) if !s.kind.is_type() => {
                    let value = self.own.as_value(&Found::of(vec![meaning.clone()]));
                    // Go compares with the error value itself: it is what callers look for, not its type.
                    let itself = value.is_empty() || self.own.r.family == Family::Go;
                    types.extend(if itself { &found } else { &value });
                }
                _ => types.push(meaning.clone()),
            }
        }
        for meaning in &mut types.meanings {
            if let Meaning::Instance(s) = meaning {
                *meaning = Meaning::Symbol(*s);
            }
        }
        let thrown =
            |s: &SymbolRef| s.kind.is_type() || matches!(s.kind, SymbolKind::Variable | SymbolKind::Constant);
        self.mention(&types, EdgeKind::Throws, edges, thrown);
        if types.meanings.contains(&Meaning::Builtin) && self.receiver.is_empty() {
            self.throw_builtin(edges);
        }
    }

    /// An error of the language itself. Rust's panics are one, whatever the macro says of the reason.
    fn throw_builtin(&self, edges: &mut Edges) {
        let family = self.own.r.family;
        if !family.builtins().names.contains(self.name) || self.is_local() {
            return;
        }
        let name = if family == Family::Rust { "panic" } else { self.name };
        self.phantom(&External::new("", name), EdgeKind::Throws, edges);
    }

    /// Adds an edge of this kind to what is meant, if it fits.
    fn mention(
        &self,
        found: &Found<'a>,
        kind: EdgeKind,
        edges: &mut Edges,
        fits: impl Fn(&SymbolRef<'a>) -> bool,
    ) {
        let source = self.own.id(self.reference.scope);
        let targets: Vec<SymbolRef> = symbols(found).filter(|s| fits(s)).collect();
        if targets.len() <= MAX_CANDIDATES {
            let strength = Strength::RESOLVED.shared(targets.len());
            for target in &targets {
                edges.symbol(source, target.id, kind, strength, Some(self.line()));
            }
        }
        if targets.is_empty() {
            for meaning in &found.meanings {
                if let Meaning::External(external) = meaning {
                    self.phantom(external, kind, edges);
                }
            }
        }
    }

    fn decorator(&self, edges: &mut Edges) {
        let own = self.own;
        let decorated = own.id(self.reference.scope);
        if self.reference.scope == FILE_SCOPE {
            return;
        }
        let mut found = self.meaning();
        if found.is_empty() {
            found = own.r.type_path(own.place(self.reference.scope), &self.path());
        }
        if found.is_empty() && own.r.family == Family::CSharp {
            let long = format!("{}Attribute", self.path());
            found = own.r.type_path(own.place(self.reference.scope), &long);
        }
        let targets: Vec<SymbolRef> = symbols(&found).collect();
        if targets.len() <= MAX_CANDIDATES {
            let strength = Strength::RESOLVED.shared(targets.len());
            for target in &targets {
                edges.symbol(target.id, decorated, EdgeKind::Decorates, strength, Some(self.line()));
            }
        }
        if targets.is_empty() {
            for meaning in &found.meanings {
                if let Meaning::External(external) = meaning {
                    // An edge starts in the workspace: what is decorated refers to the decorator outside.
                    self.phantom(external, EdgeKind::References, edges);
                }
            }
        }
    }

    fn outside(&self, kind: SymbolKind, edge: EdgeKind, edges: &mut Edges) {
        edges.phantom(self.own.id(self.reference.scope), (kind, "", self.name), edge, self.line());
    }

    fn phantom(&self, external: &External, kind: EdgeKind, edges: &mut Edges) {
        let target = (SymbolKind::External, external.package.as_str(), external.name.as_str());
        edges.phantom(self.own.id(self.reference.scope), target, kind, self.line());
    }

    /// Receiver and name as one path.
    fn path(&self) -> String {
        if self.receiver.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}.{}", self.receiver, self.name)
        }
    }

    /// The test in which the use stands: the innermost scope marked as one, or the function in a test file.
    fn test_scope(&self) -> Option<u32> {
        let facts = self.own.facts;
        let mut scopes = self.own.scopes(self.reference.scope);
        // pytest collects no functions from other files, whatever their names.
        let may_hold = self.in_test_file || self.own.r.family != Family::Python;
        let is_test = |scope: &u32| facts.symbols.get(*scope as usize).is_some_and(|s| s.is_test);
        let marked = scopes.find(|scope| may_hold && is_test(scope));
        marked.or_else(|| {
            let scope = self.reference.scope;
            let callable = facts.symbols.get(scope as usize).is_some_and(|s| s.kind.is_callable());
            (self.in_test_file && callable).then_some(scope)
        })
    }

    fn is_test_code(&self, symbol: &SymbolRef) -> bool {
        symbol.is_test || self.own.r.family.is_test_path(symbol.path)
    }
}

/// The symbols among the meanings.
fn symbols<'f, 'a>(found: &'f Found<'a>) -> impl Iterator<Item = SymbolRef<'a>> + 'f {
    found.meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Symbol(symbol) => Some(*symbol),
        _ => None,
    })
}

fn push_new<'a>(targets: &mut Vec<SymbolRef<'a>>, symbol: SymbolRef<'a>) {
    if !targets.iter().any(|known| known.id == symbol.id) {
        targets.push(symbol);
    }
}

/// Whether a text holds a word by itself.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next())
        })
}
