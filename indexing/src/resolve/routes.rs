//! Endpoints: from each to who serves it, and to it from who calls it.
//!
//! An endpoint is one node for method and path, whoever names it: that joins a call to its handler. Where all methods
//! are served, or none is named, the method is `ANY`; a call of `GET /x` reaches `ANY /x` as well, less surely.

use super::edges::{Edges, MAX_CANDIDATES, Strength};
use super::family::Family;
use super::meaning::{Found, Meaning};
use super::mounts::{self, Standing};
use super::own::Own;
use crate::extract::routes::{ANY, FileTree, VERBS, is_below, join, normalised, trees};
use kenning_graph::facts::{RouteFact, StringIndex};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::{EdgeKind, SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashMap;

/// What the routers of a file's routes stand for, by their names.
type Routers = FxHashMap<StringIndex, Vec<SymbolId>>;

/// Makes the edges of all routes of the file.
pub(super) fn routes(own: &Own, edges: &mut Edges) {
    let mut routers = Routers::default();
    for route in &own.facts.routes {
        let (standings, mounted) = standings(own, route, &mut routers);
        // Who puts a router below a path shows that it is one.
        if !(mounted || shown(own, route)) {
            continue;
        }
        let (method, path) = (own.facts.strings.get(route.method), own.facts.strings.get(route.path));
        let line = route.at.line;
        if route.client {
            let (source, less) = (own.id(route.scope), Strength::INFERRED.shared(2));
            let mut calls = |method, path: &str, strength| {
                edges.outside(source, endpoint(method, path), EdgeKind::ConsumesEndpoint, strength, line);
            };
            calls(method, path, Strength::RESOLVED);
            if method != ANY {
                calls(ANY, path, less);
            }
            // What is called may be a server for which case says nothing.
            if let Some(path) = in_lower_case(own, path) {
                calls(method, &path, less);
            }
            continue;
        }
        let handlers = handlers(own, route);
        for Standing { path, whole } in standings {
            let strength = if whole {
                Strength::RESOLVED.shared(handlers.len())
            } else {
                Strength::INFERRED.shared(handlers.len().max(2))
            };
            let lower = in_lower_case(own, &path);
            for path in [Some(path), lower].iter().flatten() {
                for &handler in &handlers {
                    edges.outside(handler, endpoint(method, path), EdgeKind::HandlesRoute, strength, line);
                }
            }
        }
    }
    for tree in trees(own.r.family.key()) {
        of_tree(own, tree, edges);
    }
}

/// C#: ASP.NET serves a path in whatever case; callers mostly write lower case. `None` where the path is in lower case.
fn in_lower_case(own: &Own, path: &str) -> Option<String> {
    let lower = path.to_lowercase();
    (own.r.family == Family::CSharp && lower != path).then_some(lower)
}

fn endpoint(method: &str, path: &str) -> EdgeTarget {
    EdgeTarget::Phantom { kind: SymbolKind::Route, package: String::new(), name: format!("{method} {path}") }
}

/// Where the path of a route stands, as far as other places of the workspace say it, and whether these show that it is one.
fn standings(own: &Own, route: &RouteFact, routers: &mut Routers) -> (Vec<Standing>, bool) {
    let (path, made) = (own.facts.strings.get(route.path), own.facts.strings.get(route.own));
    let alone = || Standing { path: path.to_owned(), whole: !route.partial };
    let router = own.facts.strings.get(route.router);
    if router.is_empty() {
        return (vec![alone()], false);
    }
    own.begin();
    let for_tests = own.r.family.is_test_path(own.r.path);
    let Some(mounts) = own.r.view.mounts(own.r.project, for_tests) else { return (vec![alone()], false) };
    let (mut all, mut others) = (Vec::new(), Vec::new());
    for &router in routers.entry(route.router).or_insert_with(|| mounts::routers(own, router)).iter() {
        // Another file's router was made there.
        let elsewhere = own.r.view.found(router).is_some_and(|symbol| symbol.path != own.r.path);
        let made = if elsewhere { mounts.made_with(router) } else { made };
        let path = if elsewhere && !made.is_empty() { join(made, path) } else { path.to_owned() };
        all.extend(mounts.standings((router, route.parameter), (&path, made)));
        others.extend((elsewhere && !made.is_empty()).then_some(Standing { path, whole: false }));
    }
    let mounted = !all.is_empty();
    if !mounted && !route.elsewhere {
        all = if others.is_empty() { vec![alone()] } else { others };
    }
    all.sort();
    all.dedup();
    (all, mounted)
}

/// Whether this is a route: the file shows it, or what its router comes from.
fn shown(own: &Own, route: &RouteFact) -> bool {
    let evidence = own.facts.strings.get(route.evidence);
    if evidence.is_empty() {
        return true;
    }
    own.begin();
    let router = own.as_value(&own.eval(evidence, route.scope, route.at.start));
    let packages = own.facts.strings.get(route.packages);
    router.meanings.iter().any(|meaning| match meaning {
        Meaning::External(external) => {
            let path = format!("{}.{}", external.package, external.name);
            packages.split(' ').any(|package| is_below(&path, package))
        }
        _ => false,
    })
}

/// Who serves a route.
fn handlers(own: &Own, route: &RouteFact) -> Vec<SymbolId> {
    let handler = own.facts.strings.get(route.handler);
    if handler.is_empty() {
        return vec![own.id(route.scope)];
    }
    own.begin();
    let mut found = own.eval(handler, route.scope, route.at.start);
    if found.is_empty() {
        found = own.r.type_path(own.place(route.scope), handler);
    }
    let mut targets: Vec<SymbolRef> = symbols(&found).collect();
    if targets.iter().any(|s| s.kind.is_callable()) {
        targets.retain(|s| s.kind.is_callable());
    }
    targets.retain(|s| s.kind.is_callable() || s.kind.is_type() || s.kind == SymbolKind::Constant);
    if targets.len() > MAX_CANDIDATES { Vec::new() } else { targets.iter().map(|s| s.id).collect() }
}

fn symbols<'f, 'a>(found: &'f Found<'a>) -> impl Iterator<Item = SymbolRef<'a>> + 'f {
    found.meanings.iter().filter_map(|meaning| match meaning {
        // A value that serves does so by its type's methods.
        Meaning::Symbol(s) | Meaning::Instance(s) => Some(*s),
        _ => None,
    })
}

/// A file whose path is the path of its routes.
fn of_tree(own: &Own, tree: &FileTree, edges: &mut Edges) {
    let Some(path) = tree_path(own.r.path, tree) else { return };
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
            edges.outside(
                symbol.id,
                endpoint(method, &path),
                EdgeKind::HandlesRoute,
                Strength::RESOLVED,
                line,
            );
        }
    }
}

/// The path that a file serves by where it stands; `None` where it serves none.
fn tree_path(path: &str, tree: &FileTree) -> Option<String> {
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
    // Groups and slots are no part of the path.
    inner.retain(|part| !(part.starts_with('(') || part.starts_with('@')));
    normalised(&inner.join("/"), true, false)
}
