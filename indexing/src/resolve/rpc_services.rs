//! RPC services: adds edges from the types that implement a service and from the functions that
//! create a client of it.
//!
//! All services with the same name share one node, in all languages; like the node of an endpoint,
//! it connects clients to servers. The evidence is the use of generated code, whose names
//! `rpc.toml` lists by language. Generated code is seldom part of the graph, so the package of a
//! `.proto` is unknown, and each language changes the service's name differently. Every edge is
//! therefore inferred.

mod rules;

use super::definition::{Definition, Resolution};
use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, ReferenceFact, ReferenceRole};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};
use rules::{GlobPatterns, RpcRules, ServiceMatch};

/// Maximum number of aliases expanded at the start of a path. Aliases can form a cycle.
const MAX_EXPANSIONS: usize = 4;
/// Maximum number of references after the name of a call that are searched for a service among its
/// arguments. Argument lists of generated code can be long.
const MAX_ARGUMENT_REFERENCES: usize = 6;

/// Adds the edges to the services that the file serves and calls.
pub(super) fn add_service_edges(context: &FileContext, edges: &mut EdgeCollector) {
    for rules in rules::rules_for_family(context.resolver.family) {
        let has_import =
            || context.facts.imports.iter().any(|import| rules.imports.matches_path_segment(&import.path));
        if rules.imports.is_empty() || has_import() {
            add_server_edges(context, rules, edges);
            add_client_edges(context, rules, edges);
            add_passed_service_edges(context, rules, edges);
        }
    }
}

/// Adds edges for the types that extend, embed or implement a generated server type.
fn add_server_edges(context: &FileContext, rules: &RpcRules, edges: &mut EdgeCollector) {
    if rules.server.is_empty() {
        return;
    }
    for (at, (fact, symbol)) in context.facts.symbols.iter().zip(&context.symbols).enumerate() {
        for base in &fact.bases {
            let scope = fact.parent.unwrap_or(FILE_SCOPE);
            let service_use =
                ServiceUse { context, rules, path: &base.name, scope, at: fact.name_span.start };
            let path = service_use.full_path();
            if let Some(named) = rules.server.match_service(&path)
                && service_use.is_generated_use(&path, named)
                && has_server_parameter(context, rules, at)
            {
                let (kind, line) = (EdgeKind::ImplementsRpc, fact.name_span.line);
                edges.add_outside_edge(
                    symbol.id,
                    service_target(named.service),
                    kind,
                    EdgeStrength::INFERRED,
                    line,
                );
            }
        }
    }
}

/// Adds edges for the calls that return a client.
fn add_client_edges(context: &FileContext, rules: &RpcRules, edges: &mut EdgeCollector) {
    let calls = context
        .facts
        .references
        .iter()
        .filter(|reference| matches!(reference.role, ReferenceRole::Call | ReferenceRole::Construct));
    for call in calls {
        let name = context.facts.strings.get(call.name);
        // The name alone rules out most calls.
        if !rules.client.may_match_name(name) || rules.other.matches_name(name) {
            continue;
        }
        let has_argument_count = rules.arguments.is_none_or(|count| count == call.arity);
        if has_argument_count
            && let Some(service) = find_service(context, rules, &rules.client, call)
            && passes_client_argument(context, rules, call)
        {
            add_rpc_edge(context, call, EdgeKind::ConsumesRpc, &service, edges);
        }
    }
}

/// Adds edges for the calls that take a service as an argument: the first service among the
/// references after the name of the call.
fn add_passed_service_edges(context: &FileContext, rules: &RpcRules, edges: &mut EdgeCollector) {
    if rules.given.is_empty() {
        return;
    }
    let references = &context.facts.references;
    for (at, call) in references.iter().enumerate().filter(|(_, call)| call.role == ReferenceRole::Call) {
        let name = context.facts.strings.get(call.name);
        let kind = match (rules.serve.matches_name(name), rules.connect.matches_name(name)) {
            (true, _) => EdgeKind::ImplementsRpc,
            (_, true) => EdgeKind::ConsumesRpc,
            _ => continue,
        };
        let ends_arguments = |reference: &ReferenceFact| {
            matches!(reference.role, ReferenceRole::Call | ReferenceRole::Construct)
                || reference.scope != call.scope
        };
        let mut arguments = references[at + 1..]
            .iter()
            .take(MAX_ARGUMENT_REFERENCES)
            .take_while(|&reference| !ends_arguments(reference));
        if let Some(service) =
            arguments.find_map(|reference| find_service(context, rules, &rules.given, reference))
        {
            add_rpc_edge(context, call, kind, &service, edges);
        }
    }
}

/// Returns the service that a reference to generated code names, if one of these patterns matches.
fn find_service(
    context: &FileContext,
    rules: &RpcRules,
    patterns: &GlobPatterns,
    reference: &ReferenceFact,
) -> Option<String> {
    let (receiver, name) =
        (context.facts.strings.get(reference.receiver), context.facts.strings.get(reference.name));
    let path = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
    let service_use =
        ServiceUse { context, rules, path: &path, scope: reference.scope, at: reference.at.start };
    let path = service_use.full_path();
    let named = patterns.match_service(&path)?;
    service_use.is_generated_use(&path, named).then(|| named.service.to_owned())
}

fn add_rpc_edge(
    context: &FileContext,
    call: &ReferenceFact,
    kind: EdgeKind,
    service: &str,
    edges: &mut EdgeCollector,
) {
    edges.add_outside_edge(
        context.symbol_id(call.scope),
        service_target(service),
        kind,
        EdgeStrength::INFERRED,
        call.at.line,
    );
}

/// Returns the node of a service, which is the same in all languages.
pub(super) fn service_target(service: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Route, package: String::new(), name: format!("RPC {service}") }
}

/// Whether a method of a type has a parameter of a type that server methods take. Returns `true` if
/// the rules list no such types. `type_index` is the position of the type in the facts of the file.
fn has_server_parameter(context: &FileContext, rules: &RpcRules, type_index: usize) -> bool {
    let is_server_parameter =
        |param: &str| rules.takes.matches_name(param.rsplit('.').next().unwrap_or(param));
    let mut members =
        context.facts.symbols.iter().filter(|member| member.parent == u32::try_from(type_index).ok());
    rules.takes.is_empty() || members.any(|member| member.params.split(',').any(is_server_parameter))
}

/// Whether the first argument of a call is of a kind that clients are created with. Returns `true`
/// if the rules list no such kinds.
fn passes_client_argument(context: &FileContext, rules: &RpcRules, call: &ReferenceFact) -> bool {
    if rules.passed.is_empty() {
        return true;
    }
    let first = context.facts.strings.get(call.arguments).split(',').next().unwrap_or("");
    context.reset_budget();
    let (ty, _) = context.type_of_path(first, call.scope, call.at.start);
    let value = context.binding_value(first, call.scope, call.at.start).map_or("", |(_, value)| value);
    [first, &ty, value]
        .map(str::to_lowercase)
        .iter()
        .any(|text| rules.passed.iter().any(|word| text.contains(word)))
}

/// A use of a name in the file that may belong to a service.
struct ServiceUse<'u, 'a> {
    context: &'u FileContext<'a>,
    rules: &'u RpcRules,
    path: &'u str,
    scope: u32,
    at: u32,
}

impl<'a> ServiceUse<'_, 'a> {
    /// Returns the path with its first name replaced: an import by the imported path, an alias by
    /// its value.
    fn full_path(&self) -> String {
        let mut path = self.path.to_owned();
        for _ in 0..MAX_EXPANSIONS {
            let (first, rest) = path.split_once('.').unwrap_or((&path, ""));
            let facts = self.context.facts;
            let import = facts.imports.iter().find(|import| import.alias == first && !import.path.is_empty());
            let local = self.context.is_local_name(first, self.scope, self.at);
            if let Some(import) = import.filter(|_| !local) {
                return join_path([&import.path, &import.name, rest]);
            }
            match self.context.binding_value(first, self.scope, self.at) {
                Some((BindingKind::Value, value)) if !value.is_empty() && value != first => {
                    path = join_path([value, "", rest]);
                }
                _ => break,
            }
        }
        path
    }

    /// Whether the expanded path `path`, or its target, shows that the code is generated.
    fn is_generated_use(&self, path: &str, matched: ServiceMatch) -> bool {
        let rules = self.rules;
        let is_within = || {
            // The segments that the pattern matched do not count as evidence again.
            let prefixes = [matched.prefix_before(path), matched.prefix_before(self.path)];
            rules.within.is_empty() || prefixes.iter().any(|path| rules.within.matches_path_segment(path))
        };
        if rules.files.is_empty() && !rules.nested && !rules.unseen {
            return is_within();
        }
        let found = self.resolve_target();
        let symbols: Vec<SymbolRef> = found.definitions.iter().filter_map(definition_symbol).collect();
        if !symbols.is_empty() {
            return symbols.iter().any(|symbol| is_generated_symbol(rules, symbol, matched));
        }
        (rules.unseen && self.is_missing_target(&found)) || is_within()
    }

    /// Returns the target of the path. If a function is not found, returns the type on which it is
    /// called.
    fn resolve_target(&self) -> Resolution<'a> {
        let target = self.resolve_path(self.path);
        match self.path.rsplit_once('.') {
            Some((type_path, _)) if target.is_empty() && self.rules.nested => self.resolve_path(type_path),
            _ => target,
        }
    }

    fn resolve_path(&self, path: &str) -> Resolution<'a> {
        self.context.reset_budget();
        let found = self.context.resolve_path(path, self.scope, self.at);
        if found.is_empty() {
            self.context.resolver.resolve_type_path(self.context.lookup_scope(self.scope), path)
        } else {
            found
        }
    }

    /// Whether the path leads to a missing symbol of the workspace.
    fn is_missing_target(&self, found: &Resolution) -> bool {
        let first = self.resolve_path(self.path.split('.').next().unwrap_or(""));
        let is_external =
            |definition: &Definition| matches!(definition, Definition::External(_) | Definition::Builtin);
        let mut all = found.definitions.iter().chain(&first.definitions);
        first.is_bound && !all.any(is_external)
    }
}

/// Joins the parts that are not empty with dots.
fn join_path(parts: [&str; 3]) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(".")
}

fn definition_symbol<'a>(definition: &Definition<'a>) -> Option<SymbolRef<'a>> {
    match definition {
        Definition::Symbol(symbol) | Definition::Instance(symbol) => Some(*symbol),
        _ => None,
    }
}

/// Whether a symbol is in a module or file with a name that the generator uses.
fn is_generated_symbol(rules: &RpcRules, symbol: &SymbolRef, matched: ServiceMatch) -> bool {
    if rules.nested {
        return symbol.container.split('.').any(|part| part == matched.module_name());
    }
    let file = symbol.path.rsplit('/').next().unwrap_or(symbol.path);
    rules.files.matches_name(file)
}
