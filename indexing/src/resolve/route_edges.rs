//! Endpoints: adds edges from each endpoint's handlers and callers to its node.
//!
//! An endpoint is one node for a method and a path, whichever file names it; this joins a call to
//! its handler. If all methods are served, or none is named, the method is `ANY`. A call of `GET
//! /x` also reaches `ANY /x`, with less confidence. A route's full path depends on where its router
//! is mounted (`mount_graph`).

use super::definition::{Definition, Resolution};
use super::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES};
use super::family::LanguageFamily;
use super::file_context::FileContext;
use super::mount_graph::{self, MountedPath};
use crate::extract::routes::{
    ANY, FileRouteTree, VERBS, file_route_trees, is_in_package, join_route_paths, normalize_route_path,
};
use kenning_graph::facts::{RouteFact, StringIndex};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashMap;

/// Symbols that the router names of a file's routes stand for.
type RoutersByName = FxHashMap<StringIndex, Vec<SymbolId>>;

/// Adds the edges of all routes of the file.
pub(super) fn add_route_edges(own: &FileContext, edges: &mut EdgeCollector) {
    let mut routers = RoutersByName::default();
    for route in &own.facts.routes {
        let (standings, mounted) = resolve_mounted_paths(own, route, &mut routers);
        // A router that is mounted is certainly a router.
        if !(mounted || is_confirmed_route(own, route)) {
            continue;
        }
        let (method, path) = (own.facts.strings.get(route.method), own.facts.strings.get(route.path));
        let line = route.at.line;
        if route.client {
            let (source, less) = (own.symbol_id(route.scope), EdgeStrength::INFERRED.split_among(2));
            let mut calls = |method, path: &str, strength| {
                edges.add_outside_edge(
                    source,
                    endpoint_target(method, path),
                    EdgeKind::ConsumesEndpoint,
                    strength,
                    line,
                );
            };
            calls(method, path, EdgeStrength::RESOLVED);
            if method != ANY {
                calls(ANY, path, less);
            }
            // The server that is called may ignore case.
            if let Some(path) = lowercase_path(own, path) {
                calls(method, &path, less);
            }
            continue;
        }
        let handlers = resolve_handlers(own, route);
        for MountedPath { path, whole } in standings {
            let strength = if whole {
                EdgeStrength::RESOLVED.split_among(handlers.len())
            } else {
                EdgeStrength::INFERRED.split_among(handlers.len().max(2))
            };
            let lower = lowercase_path(own, &path);
            for path in [Some(path), lower].iter().flatten() {
                for &handler in &handlers {
                    edges.add_outside_edge(
                        handler,
                        endpoint_target(method, path),
                        EdgeKind::HandlesRoute,
                        strength,
                        line,
                    );
                }
            }
        }
    }
    for tree in file_route_trees(own.r.family.toml_key()) {
        add_file_route_edges(own, tree, edges);
    }
}

/// C#: returns a path in lower case. ASP.NET ignores case in paths, and callers usually write lower
/// case. Returns `None` if the path is in lower case already, or for other languages.
fn lowercase_path(own: &FileContext, path: &str) -> Option<String> {
    let lower = path.to_lowercase();
    (own.r.family == LanguageFamily::CSharp && lower != path).then_some(lower)
}

fn endpoint_target(method: &str, path: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Route, package: String::new(), name: format!("{method} {path}") }
}

/// Returns the full paths of a route, as far as mounts in the workspace determine them, and whether
/// a mount was found, which confirms the route.
fn resolve_mounted_paths(
    own: &FileContext,
    route: &RouteFact,
    routers: &mut RoutersByName,
) -> (Vec<MountedPath>, bool) {
    let (path, made) = (own.facts.strings.get(route.path), own.facts.strings.get(route.own));
    let alone = || MountedPath { path: path.to_owned(), whole: !route.partial };
    let router = own.facts.strings.get(route.router);
    if router.is_empty() {
        return (vec![alone()], false);
    }
    own.reset_budget();
    let for_tests = own.r.family.is_test_path(own.r.path);
    let Some(mounts) = own.r.view.mounts_of_family(own.r.project, for_tests) else {
        return (vec![alone()], false);
    };
    let (mut all, mut others) = (Vec::new(), Vec::new());
    for &router in
        routers.entry(route.router).or_insert_with(|| mount_graph::resolve_routers(own, router)).iter()
    {
        // A router of another file was created there.
        let elsewhere = own.r.view.symbol_by_id(router).is_some_and(|symbol| symbol.path != own.r.path);
        let made = if elsewhere { mounts.creation_prefix(router) } else { made };
        let path = if elsewhere && !made.is_empty() { join_route_paths(made, path) } else { path.to_owned() };
        all.extend(mounts.mounted_paths((router, route.parameter), (&path, made)));
        others.extend((elsewhere && !made.is_empty()).then_some(MountedPath { path, whole: false }));
    }
    let mounted = !all.is_empty();
    if !mounted && !route.elsewhere {
        all = if others.is_empty() { vec![alone()] } else { others };
    }
    all.sort();
    all.dedup();
    (all, mounted)
}

/// Whether this is certainly a route: the file itself shows it, or the package of its router does.
fn is_confirmed_route(own: &FileContext, route: &RouteFact) -> bool {
    let evidence = own.facts.strings.get(route.evidence);
    if evidence.is_empty() {
        return true;
    }
    own.reset_budget();
    let router = own.held_values(&own.resolve_path(evidence, route.scope, route.at.start));
    let packages = own.facts.strings.get(route.packages);
    router.meanings.iter().any(|meaning| match meaning {
        Definition::External(external) => {
            let path = format!("{}.{}", external.package, external.name);
            packages.split(' ').any(|package| is_in_package(&path, package))
        }
        _ => false,
    })
}

/// Returns the symbols that serve a route.
fn resolve_handlers(own: &FileContext, route: &RouteFact) -> Vec<SymbolId> {
    let handler = own.facts.strings.get(route.handler);
    if handler.is_empty() {
        return vec![own.symbol_id(route.scope)];
    }
    own.reset_budget();
    let mut found = own.resolve_path(handler, route.scope, route.at.start);
    if found.is_empty() {
        found = own.r.resolve_type_path(own.lookup_scope(route.scope), handler);
    }
    let mut targets: Vec<SymbolRef> = symbol_definitions(&found).collect();
    if targets.iter().any(|s| s.kind.is_callable()) {
        targets.retain(|s| s.kind.is_callable());
    }
    targets.retain(|s| s.kind.is_callable() || s.kind.is_type() || s.kind == SymbolKind::Constant);
    if targets.len() > MAX_CANDIDATES { Vec::new() } else { targets.iter().map(|s| s.id).collect() }
}

fn symbol_definitions<'f, 'a>(found: &'f Resolution<'a>) -> impl Iterator<Item = SymbolRef<'a>> + 'f {
    found.meanings.iter().filter_map(|meaning| match meaning {
        // A value serves a route through the methods of its type.
        Definition::Symbol(s) | Definition::Instance(s) => Some(*s),
        _ => None,
    })
}

/// Adds the routes of a file whose path is the path of its routes.
fn add_file_route_edges(own: &FileContext, tree: &FileRouteTree, edges: &mut EdgeCollector) {
    let Some(path) = file_route_path(own.r.path, tree) else { return };
    for (fact, symbol) in own.facts.symbols.iter().zip(&own.symbols) {
        if !symbol.container.is_empty() || symbol.visibility != Visibility::Public {
            continue;
        }
        let served = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Constant);
        let default = fact.signature.contains("export default");
        let method = match VERBS.into_iter().find(|verb| *verb == symbol.name) {
            Some(method) if tree.exports => method,
            None if !tree.exports && default => ANY,
            _ => continue,
        };
        if served {
            let line = fact.name_span.line;
            edges.add_outside_edge(
                symbol.id,
                endpoint_target(method, &path),
                EdgeKind::HandlesRoute,
                EdgeStrength::RESOLVED,
                line,
            );
        }
    }
}

/// Returns the path that a file serves because of its own path. Returns `None` if it serves none.
fn file_route_path(path: &str, tree: &FileRouteTree) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let stem = file.split('.').next()?;
    let parts: Vec<&str> = folder.split('/').collect();
    let root = parts.iter().rposition(|part| *part == tree.folder)?;
    let mut inner: Vec<&str> = parts[root + 1..].to_vec();
    if tree.file.is_empty() {
        if stem != "index" {
            inner.push(stem);
        }
    } else if stem != tree.file {
        return None;
    }
    if !tree.below.is_empty() && inner.first() != Some(&tree.below.as_str()) {
        return None;
    }
    // Groups and slots are not part of the path.
    inner.retain(|part| !(part.starts_with('(') || part.starts_with('@')));
    normalize_route_path(&inner.join("/"), true, false)
}
