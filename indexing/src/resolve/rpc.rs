//! RPC services: from the types that serve one and the functions that make a client of one.
//!
//! A service is one node, whoever names it: that joins a client to its server, as an endpoint does (seed 000 §4,
//! `implements_rpc`, `consumes_rpc`). Only what generated code is called is looked at; `rpc.toml` lists it. What is generated is
//! seldom part of the graph, so the package of a `.proto` is not known, and each language makes another name of it: services of one
//! name are one node, and every edge is inferred.

mod rules;

use super::edges::{Edges, Strength};
use super::meaning::{Found, Meaning};
use super::own::Own;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, Reference, Role};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};
use rules::{Named, Rules, Words};

/// Other names of what a path begins with that are followed.
const MAX_NAMES: usize = 4;
/// References behind the name of a call that are looked at for what it is given.
const MAX_BEHIND: usize = 6;

/// Makes the edges to the services that the file serves and calls.
pub(super) fn services(own: &Own, edges: &mut Edges) {
    for rules in rules::of(own.r.family) {
        let imports = || own.facts.imports.iter().any(|import| rules.imports.fit_in(&import.path));
        if rules.imports.is_empty() || imports() {
            served(own, rules, edges);
            called(own, rules, edges);
            handed(own, rules, edges);
        }
    }
}

/// The types that are made from those of a generator.
fn served(own: &Own, rules: &Rules, edges: &mut Edges) {
    if rules.server.is_empty() {
        return;
    }
    for (at, (fact, symbol)) in own.facts.symbols.iter().zip(&own.symbols).enumerate() {
        for base in &fact.bases {
            let scope = fact.parent.unwrap_or(FILE_SCOPE);
            let used = Use { own, rules, written: &base.name, scope, at: fact.name_span.start };
            let path = used.path();
            if let Some(named) = rules.server.named(&path)
                && used.is_shown(&path, named)
                && takes(own, rules, at)
            {
                let (kind, line) = (EdgeKind::ImplementsRpc, fact.name_span.line);
                edges.outside(symbol.id, node(named.service), kind, Strength::INFERRED, line);
            }
        }
    }
}

/// The calls that give a client.
fn called(own: &Own, rules: &Rules, edges: &mut Edges) {
    let calls = own.facts.references.iter().filter(|r| matches!(r.role, Role::Call | Role::Construct));
    for call in calls {
        let name = own.facts.strings.get(call.name);
        // Most calls are told by their name.
        if !rules.client.may_name(name) || rules.other.fit(name) {
            continue;
        }
        let counted = rules.arguments.is_none_or(|count| count == call.arity);
        if counted
            && let Some(service) = service_of(own, rules, &rules.client, call)
            && passes(own, rules, call)
        {
            edge(own, call, EdgeKind::ConsumesRpc, &service, edges);
        }
    }
}

/// The calls that are given a service as a value: the first that is named behind the name of the call.
fn handed(own: &Own, rules: &Rules, edges: &mut Edges) {
    if rules.given.is_empty() {
        return;
    }
    let references = &own.facts.references;
    for (at, call) in references.iter().enumerate().filter(|(_, call)| call.role == Role::Call) {
        let name = own.facts.strings.get(call.name);
        let kind = match (rules.serve.fit(name), rules.connect.fit(name)) {
            (true, _) => EdgeKind::ImplementsRpc,
            (_, true) => EdgeKind::ConsumesRpc,
            _ => continue,
        };
        let ends = |r: &Reference| matches!(r.role, Role::Call | Role::Construct) || r.scope != call.scope;
        let mut behind = references[at + 1..].iter().take(MAX_BEHIND).take_while(|&r| !ends(r));
        if let Some(service) = behind.find_map(|r| service_of(own, rules, &rules.given, r)) {
            edge(own, call, kind, &service, edges);
        }
    }
}

/// The service that a reference names by one of these patterns.
fn service_of(own: &Own, rules: &Rules, patterns: &Words, reference: &Reference) -> Option<String> {
    let (receiver, name) = (own.facts.strings.get(reference.receiver), own.facts.strings.get(reference.name));
    let written = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
    let used = Use { own, rules, written: &written, scope: reference.scope, at: reference.at.start };
    let path = used.path();
    let named = patterns.named(&path)?;
    used.is_shown(&path, named).then(|| named.service.to_owned())
}

fn edge(own: &Own, call: &Reference, kind: EdgeKind, service: &str, edges: &mut Edges) {
    edges.outside(own.id(call.scope), node(service), kind, Strength::INFERRED, call.at.line);
}

fn node(service: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Route, package: String::new(), name: format!("RPC {service}") }
}

/// Whether one of the methods of a type has a parameter that a server's has.
fn takes(own: &Own, rules: &Rules, ty: usize) -> bool {
    let is_taken = |param: &str| rules.takes.fit(param.rsplit('.').next().unwrap_or(param));
    let mut members = own.facts.symbols.iter().filter(|member| member.parent == u32::try_from(ty).ok());
    rules.takes.is_empty() || members.any(|member| member.params.split(',').any(is_taken))
}

/// Whether a call is given what the making of a client is given.
fn passes(own: &Own, rules: &Rules, call: &Reference) -> bool {
    if rules.passed.is_empty() {
        return true;
    }
    let first = own.facts.strings.get(call.arguments).split(',').next().unwrap_or("");
    own.begin();
    let (ty, _) = own.type_of_path(first, call.scope, call.at.start);
    let bound = own.bound_to(first, call.scope, call.at.start).map_or("", |(_, value)| value);
    [first, &ty, bound]
        .map(str::to_lowercase)
        .iter()
        .any(|text| rules.passed.iter().any(|w| text.contains(w)))
}

/// A name as the file uses it, with the path before it.
struct Use<'u, 'a> {
    own: &'u Own<'a>,
    rules: &'u Rules,
    written: &'u str,
    scope: u32,
    at: u32,
}

impl<'a> Use<'_, 'a> {
    /// The written path with what its first name is imported from, or is another name of.
    fn path(&self) -> String {
        let mut path = self.written.to_owned();
        for _ in 0..MAX_NAMES {
            let (first, rest) = path.split_once('.').unwrap_or((&path, ""));
            let facts = self.own.facts;
            let import = facts.imports.iter().find(|import| import.alias == first && !import.path.is_empty());
            let local = self.own.is_local(first, self.scope, self.at);
            if let Some(import) = import.filter(|_| !local) {
                return joined([&import.path, &import.name, rest]);
            }
            match self.own.bound_to(first, self.scope, self.at) {
                Some((BindingKind::Value, value)) if !value.is_empty() && value != first => {
                    path = joined([value, "", rest]);
                }
                _ => break,
            }
        }
        path
    }

    /// Whether the path, or where it leads, shows that this is generated.
    fn is_shown(&self, path: &str, named: Named) -> bool {
        let rules = self.rules;
        let within = || {
            // What the pattern names is no evidence for it.
            let (before, named_here) = (named.before(path), named.before(self.written));
            rules.within.is_empty() || [before, named_here].iter().any(|path| rules.within.fit_in(path))
        };
        if rules.files.is_empty() && !rules.nested && !rules.unseen {
            return within();
        }
        let found = self.target();
        let declared: Vec<SymbolRef> = found.meanings.iter().filter_map(symbol).collect();
        if !declared.is_empty() {
            return declared.iter().any(|symbol| is_generated(rules, symbol, named));
        }
        (rules.unseen && self.is_unseen(&found)) || within()
    }

    /// What is named; of a function that is not found what it is called on.
    fn target(&self) -> Found<'a> {
        let whole = self.means(self.written);
        match self.written.rsplit_once('.') {
            Some((type_path, _)) if whole.is_empty() && self.rules.nested => self.means(type_path),
            _ => whole,
        }
    }

    fn means(&self, path: &str) -> Found<'a> {
        self.own.begin();
        let found = self.own.eval(path, self.scope, self.at);
        if found.is_empty() { self.own.r.type_path(self.own.place(self.scope), path) } else { found }
    }

    /// Whether a path leads into the workspace, to something that is not there.
    fn is_unseen(&self, found: &Found) -> bool {
        let first = self.means(self.written.split('.').next().unwrap_or(""));
        let outside = |meaning: &Meaning| matches!(meaning, Meaning::External(_) | Meaning::Builtin);
        let mut all = found.meanings.iter().chain(&first.meanings);
        first.bound && !all.any(outside)
    }
}

fn joined(parts: [&str; 3]) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

fn symbol<'a>(meaning: &Meaning<'a>) -> Option<SymbolRef<'a>> {
    match meaning {
        Meaning::Symbol(symbol) | Meaning::Instance(symbol) => Some(*symbol),
        _ => None,
    }
}

/// Whether a symbol stands where a generator writes.
fn is_generated(rules: &Rules, symbol: &SymbolRef, named: Named) -> bool {
    if rules.nested {
        return symbol.container.split('.').any(|part| part == named.module());
    }
    let file = symbol.path.rsplit('/').next().unwrap_or(symbol.path);
    rules.files.fit(file)
}
