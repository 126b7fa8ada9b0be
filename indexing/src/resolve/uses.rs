//! References to edges: calls, constructions, types, fields, decorators, throws, values, environment, processes.

mod by_name;
mod calls;
mod mentions;

use super::docs;
use super::edges::Edges;
use super::family::Family;
use super::meaning::{External, Found, Meaning};
use super::own::Own;
use kenning_graph::facts::{Reference, Role};
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
            Role::Quoted => self.quoted(edges),
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
        // The receiver is known: what it does not have is not to be looked for by name. Of the type that includes a module
        // it is not known what else it has.
        found.bound = !receiver.meanings.iter().all(|meaning| matches!(meaning, Meaning::Includer(_)));
        found
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
