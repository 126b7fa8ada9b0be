//! Endpoints: adds edges from handlers and callers to the node of their endpoint.
//!
//! A method and a path have one node in the whole workspace, which connects a call to its handler.
//! The method is `ANY` if the handler serves all methods or the text names none. A call to `GET /x`
//! also gets an edge to `ANY /x`, with less confidence. The full path of a route depends on where
//! its router is mounted (`mount_graph`).

use super::definition::{Definition, Resolution};
use super::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES};
use super::file_context::FileContext;
use super::mount_graph::{self, MountScope, MountedPath, RouterNode};
use crate::extract::routes::{
    ANY, FileRouteTree, PathForm, PathUse, VERBS, file_route_trees, is_in_package, join_route_paths,
    normalize_route_path,
};
use kenning_graph::facts::{RouteFact, StringIndex};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashMap;

/// The symbols that the names of routers in a file refer to.
type RoutersByName = FxHashMap<StringIndex, Vec<SymbolId>>;

/// Adds the edges of all routes of the file.
pub(super) fn add_route_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let mut routers = RoutersByName::default();
    for route in &context.facts.routes {
        let MountResult { paths, is_mounted } = resolve_mounted_paths(context, route, &mut routers);
        // A mount confirms that its target is a router.
        if !(is_mounted || is_confirmed_route(context, route)) {
            continue;
        }
        let (method, path) = (context.facts.strings.get(route.method), context.facts.strings.get(route.path));
        let line = route.at.line;
        if route.is_client_call {
            let (source, weaker) = (context.symbol_id(route.scope), EdgeStrength::INFERRED.split_among(2));
            let mut add_call = |method, path: &str, strength| {
                edges.add_outside_edge(
                    source,
                    endpoint_target(method, path),
                    EdgeKind::ConsumesEndpoint,
                    strength,
                    line,
                );
            };
            add_call(method, path, EdgeStrength::RESOLVED);
            if method != ANY {
                add_call(ANY, path, weaker);
            }
            // The called server may ignore case.
            if let Some(path) = lowercase_path(context, path) {
                add_call(method, &path, weaker);
            }
            continue;
        }
        if context.resolver.family.declares(|rules| rules.specifies_endpoints) {
            add_specified_endpoints(context, route, &paths, edges);
            continue;
        }
        let handlers = resolve_handlers(context, route);
        for MountedPath { path, whole } in paths {
            let strength = if whole {
                EdgeStrength::RESOLVED.split_among(handlers.len())
            } else {
                EdgeStrength::INFERRED.split_among(handlers.len().max(2))
            };
            let lowercase = lowercase_path(context, &path);
            for path in [Some(path), lowercase].iter().flatten() {
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
    for tree in file_route_trees(context.resolver.family.toml_key()) {
        add_file_route_edges(context, tree, edges);
    }
}

/// Returns a path in lower case in families whose web framework ignores case in paths, because
/// callers usually write lower case. Returns `None` if the path is in lower case already, and in
/// other families.
fn lowercase_path(context: &FileContext, path: &str) -> Option<String> {
    let lowercase = path.to_lowercase();
    (context.resolver.family.ignores_case_in_paths() && lowercase != path).then_some(lowercase)
}

/// Adds the edges from endpoints to the symbol that specifies them. Also adds a weaker edge from
/// `ANY`, because a handler may serve all methods of a path.
fn add_specified_endpoints(
    context: &FileContext,
    route: &RouteFact,
    paths: &[MountedPath],
    edges: &mut EdgeCollector,
) {
    let method = context.facts.strings.get(route.method);
    let mut add_edge = |method, path: &str, strength| {
        let target = endpoint_target(method, path);
        let symbol = context.symbol_id(route.scope);
        edges.add_outside_edge(symbol, target, EdgeKind::DefinedBy, strength, route.at.line);
    };
    for MountedPath { path, whole } in paths {
        let weaker = EdgeStrength::INFERRED.split_among(2);
        add_edge(method, path, if *whole { EdgeStrength::RESOLVED } else { weaker });
        if *whole {
            add_edge(ANY, path, weaker);
        }
    }
}

fn endpoint_target(method: &str, path: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Route, package: String::new(), name: format!("{method} {path}") }
}

/// The result of resolving the mounts of a route's router.
struct MountResult {
    /// The full paths of the route.
    paths: Vec<MountedPath>,
    /// Whether a mount of the router exists, which confirms the route.
    is_mounted: bool,
}

/// Resolves the full paths of a route. Caches the symbols of router names in `routers`.
fn resolve_mounted_paths(
    context: &FileContext,
    route: &RouteFact,
    routers: &mut RoutersByName,
) -> MountResult {
    let (path, creation_prefix) =
        (context.facts.strings.get(route.path), context.facts.strings.get(route.creation_prefix));
    let path_in_file = || MountedPath { path: path.to_owned(), whole: !route.needs_mount };
    let unmounted = || MountResult { paths: vec![path_in_file()], is_mounted: false };
    let router = context.facts.strings.get(route.router);
    if router.is_empty() {
        return unmounted();
    }
    context.reset_budget();
    let is_test = context.resolver.family.is_test_path(context.resolver.path);
    let scope = if is_test { MountScope::ProgramAndTests } else { MountScope::Program };
    let Some(mounts) = context.resolver.view.mounts_of_family(context.resolver.project, scope) else {
        return unmounted();
    };
    let (mut paths, mut partial_paths) = (Vec::new(), Vec::new());
    for &router in
        routers.entry(route.router).or_insert_with(|| mount_graph::resolve_routers(context, router)).iter()
    {
        // A router of another file has the prefix that it was created with there.
        let is_foreign = context
            .resolver
            .view
            .symbol_by_id(router)
            .is_some_and(|symbol| symbol.path != context.resolver.path);
        let creation_prefix = if is_foreign { mounts.creation_prefix(router) } else { creation_prefix };
        let path = if is_foreign && !creation_prefix.is_empty() {
            join_route_paths(creation_prefix, path)
        } else {
            path.to_owned()
        };
        let node = RouterNode { symbol: router, parameter: route.parameter };
        paths.extend(mounts.mounted_paths(node, &path, creation_prefix));
        partial_paths.extend(
            (is_foreign && !creation_prefix.is_empty()).then_some(MountedPath { path, whole: false }),
        );
    }
    let is_mounted = !paths.is_empty();
    if !is_mounted && !route.is_mounted_in_file {
        paths = if partial_paths.is_empty() { vec![path_in_file()] } else { partial_paths };
    }
    paths.sort();
    paths.dedup();
    MountResult { paths, is_mounted }
}

/// Whether the text of the file or the package of the router confirms that this is a route.
fn is_confirmed_route(context: &FileContext, route: &RouteFact) -> bool {
    let evidence = context.facts.strings.get(route.evidence);
    if evidence.is_empty() {
        return true;
    }
    context.reset_budget();
    let router = context.read_values(&context.resolve_path(evidence, route.scope, route.at.start));
    let packages = context.facts.strings.get(route.packages);
    router.definitions.iter().any(|definition| match definition {
        Definition::External(external) => {
            let path = format!("{}.{}", external.package, external.name);
            packages.split(' ').any(|package| is_in_package(&path, package))
        }
        _ => false,
    })
}

/// Returns the symbols that serve a route. Returns an empty list if too many match.
fn resolve_handlers(context: &FileContext, route: &RouteFact) -> Vec<SymbolId> {
    let handler = context.facts.strings.get(route.handler);
    if handler.is_empty() {
        return vec![context.symbol_id(route.scope)];
    }
    context.reset_budget();
    let mut found = context.resolve_path(handler, route.scope, route.at.start);
    if found.is_empty() {
        found = context.resolver.resolve_type_path(context.lookup_scope(route.scope), handler);
    }
    let mut targets: Vec<SymbolRef> = symbol_definitions(&found).collect();
    if targets.iter().any(|s| s.kind.is_callable()) {
        targets.retain(|s| s.kind.is_callable());
    }
    targets.retain(|s| s.kind.is_callable() || s.kind.is_type() || s.kind == SymbolKind::Constant);
    if targets.len() > MAX_CANDIDATES { Vec::new() } else { targets.iter().map(|s| s.id).collect() }
}

fn symbol_definitions<'f, 'a>(found: &'f Resolution<'a>) -> impl Iterator<Item = SymbolRef<'a>> + 'f {
    found.definitions.iter().filter_map(|definition| match definition {
        // A value serves a route through the methods of its type.
        Definition::Symbol(s) | Definition::Instance(s) => Some(*s),
        _ => None,
    })
}

/// Adds the routes of a file in a framework that derives the paths of routes from the paths of
/// files.
fn add_file_route_edges(context: &FileContext, tree: &FileRouteTree, edges: &mut EdgeCollector) {
    let Some(path) = file_route_path(context.resolver.path, tree) else { return };
    for (fact, symbol) in context.facts.symbols.iter().zip(&context.symbols) {
        if !symbol.container.is_empty() || symbol.visibility != Visibility::Public {
            continue;
        }
        let can_serve = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Constant);
        let is_default_export = fact.signature.contains("export default");
        let method = match VERBS.into_iter().find(|verb| *verb == symbol.name) {
            Some(method) if tree.exports => method,
            None if !tree.exports && is_default_export => ANY,
            _ => continue,
        };
        if can_serve {
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

/// Returns the route path that a framework derives from a file path. Returns `None` if the file
/// serves no route.
fn file_route_path(path: &str, tree: &FileRouteTree) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let stem = file.split('.').next()?;
    let parts: Vec<&str> = folder.split('/').collect();
    let root = parts.iter().rposition(|part| *part == tree.folder)?;
    let mut segments: Vec<&str> = parts[root + 1..].to_vec();
    if tree.file.is_empty() {
        if stem != "index" {
            segments.push(stem);
        }
    } else if stem != tree.file {
        return None;
    }
    if !tree.below.is_empty() && segments.first() != Some(&tree.below.as_str()) {
        return None;
    }
    // Groups and slots are not part of the path.
    segments.retain(|part| !(part.starts_with('(') || part.starts_with('@')));
    normalize_route_path(&segments.join("/"), PathForm::Relative, PathUse::Served)
}
