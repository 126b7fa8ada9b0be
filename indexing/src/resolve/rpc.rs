//! RPC services: from the types that serve one and the functions that make a client of one.
//!
//! A service is one node, whoever names it: that joins a client to its server, as an endpoint does (seed 000 §4,
//! `implements_rpc`, `consumes_rpc`). Only what generated code is called is looked at; `rpc.toml` lists it.

use super::edges::{Edges, Strength};
use super::own::Own;
use kenning_graph::facts::{FileFacts, Import, Role};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, SymbolKind};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    server: String,
    client: String,
    #[serde(default)]
    within: String,
}

/// How the generated code of one family is used.
struct Rules {
    server: Vec<String>,
    client: Vec<String>,
    within: Vec<String>,
}

impl From<Lists> for Rules {
    fn from(lists: Lists) -> Self {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Self { server: words(&lists.server), client: words(&lists.client), within: words(&lists.within) }
    }
}

static RULES: LazyLock<FxHashMap<String, Rules>> = LazyLock::new(|| {
    let lists: FxHashMap<String, Lists> =
        toml::from_str(include_str!("../../rpc.toml")).expect("the embedded rpc.toml is checked by a test");
    lists.into_iter().map(|(family, lists)| (family, lists.into())).collect()
});

/// Makes the edges to the services that the file serves and calls.
pub(super) fn services(own: &Own, edges: &mut Edges) {
    let Some(rules) = RULES.get(own.r.family.key()) else { return };
    let facts = own.facts;
    if !rules.within.is_empty() && !facts.imports.iter().any(|import| holds(rules, import)) {
        return;
    }
    for (fact, symbol) in facts.symbols.iter().zip(&own.symbols).filter(|(fact, _)| !fact.bases.is_empty()) {
        for base in &fact.bases {
            let path = full(facts, &base.name);
            if let Some(service) = rules.server.iter().find_map(|pattern| named(pattern, &path)) {
                let line = fact.name_span.line;
                let kind = EdgeKind::ImplementsRpc;
                edges.outside(symbol.id, node(service), kind, Strength::RESOLVED, line);
            }
        }
    }
    for reference in facts.references.iter().filter(|r| matches!(r.role, Role::Call | Role::Construct)) {
        let (receiver, name) = (facts.strings.get(reference.receiver), facts.strings.get(reference.name));
        // Most calls are told by their name.
        if !rules.client.iter().any(|pattern| fits(last(pattern), name).is_some()) {
            continue;
        }
        let written = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
        let path = full(facts, &written);
        if let Some(service) = rules.client.iter().find_map(|pattern| named(pattern, &path)) {
            let (source, line) = (own.id(reference.scope), reference.at.line);
            edges.outside(source, node(service), EdgeKind::ConsumesRpc, Strength::INFERRED, line);
        }
    }
}

fn node(service: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Route, package: String::new(), name: format!("RPC {service}") }
}

/// Whether an import shows that the file knows generated code of services.
fn holds(rules: &Rules, import: &Import) -> bool {
    rules.within.iter().any(|word| import.path.contains(word.as_str()) || import.name.contains(word.as_str()))
}

/// A written path with what its first name is imported from.
fn full(facts: &FileFacts, written: &str) -> String {
    let (first, rest) = written.split_once('.').map_or((written, ""), |(first, rest)| (first, rest));
    let import = facts.imports.iter().find(|import| import.alias == first && !import.path.is_empty());
    let Some(import) = import else { return written.to_owned() };
    [import.path.as_str(), import.name.as_str(), rest]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(".")
}

fn last(pattern: &str) -> &str {
    pattern.rsplit('.').next().unwrap_or(pattern)
}

/// The service that the end of a path names by a pattern.
fn named<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    let mut service: Option<&str> = None;
    let mut segments = path.rsplit('.');
    for part in pattern.rsplit('.') {
        let found = fits(part, segments.next()?)?;
        if part.contains("{}") {
            if service.is_some_and(|known| known != found) {
                return None;
            }
            service = Some(found);
        }
    }
    service.filter(|service| service.starts_with(char::is_uppercase))
}

/// What stands for `{}` or `*` where a segment of a path fits one of a pattern; the segment where that has neither.
fn fits<'p>(pattern: &str, segment: &'p str) -> Option<&'p str> {
    let Some((before, behind)) = pattern.split_once("{}").or_else(|| pattern.split_once('*')) else {
        return (pattern == segment).then_some(segment);
    };
    let inner = segment.strip_prefix(before)?.strip_suffix(behind)?;
    (!inner.is_empty()).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_the_service() {
        for (pattern, path, service) in [
            ("Unimplemented{}Server", "m/pb.UnimplementedGreeterServer", Some("Greeter")),
            ("Unimplemented{}Server", "m/pb.UnimplementedServer", None),
            ("{}.{}Base", "Helloworld.Greeter.GreeterBase", Some("Greeter")),
            ("{}.{}Base", "Greeter.OtherBase", None),
            ("*_server.{}", "hello.greeter_server.Greeter", Some("Greeter")),
            ("*_client.{}Client.connect", "hello.greeter_client.GreeterClient.connect", Some("Greeter")),
            ("{}.Stub.new", "Helloworld.Greeter.Stub.new", Some("Greeter")),
            ("{}.Stub.new", "Stub.new", None),
        ] {
            assert_eq!(named(pattern, path), service, "{pattern} {path}");
        }
        assert!(RULES.contains_key("go") && RULES.len() == 7);
    }
}
