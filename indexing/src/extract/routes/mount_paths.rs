//! The prefixes of a router: follows the file's mounts from the router outwards and joins all paths
//! on the way.
//!
//! A router may be mounted at several positions, so the result is a list. The limits below keep
//! mounts that form cycles, or that multiply, from growing without bound.

use super::path_template::join_route_paths;
use super::router_origin::{RouterOrigin, RouterPrefix, first_segment};
use super::{LookupPosition, RouteScan, RouterBase, RouterKey, RouterMount, RouterParent, RouterSpan};
use crate::extract::expressions::BoundValue;
use kenning_graph::facts::{BindingKind, FILE_SCOPE};

/// Maximum number of levels of routers that are followed from one router. Routers can mount one
/// another in a cycle.
const MAX_ROUTER_DEPTH: usize = 12;
/// Maximum number of mounts that are followed from one router. Several mounts at each level
/// multiply.
const MAX_FOLLOWED_MOUNTS: usize = 500;
/// Maximum number of mount points of one router. Tests mount one router hundreds of times.
const MAX_MOUNT_POINTS: usize = 16;

/// A router on the path of a walk.
#[derive(PartialEq, Eq)]
struct VisitedRouter {
    key: RouterKey,
    /// If the key names a function: the parameter that is the router, or `u8::MAX` for the router
    /// that the function returns. `None` for a variable.
    parameter: Option<u8>,
}

/// The state of a walk from one router outwards.
#[derive(Default)]
struct RouterMountWalk {
    /// The routers being followed.
    visited: Vec<VisitedRouter>,
    /// The number of mounts followed.
    steps: usize,
    depth: usize,
}

impl RouteScan<'_, '_> {
    /// Returns the prefixes of a router's routes at a byte: one for each position at which the file
    /// mounts the router, sorted, and at least one.
    pub(super) fn prefixes_of_router(&self, receiver: &str, at: u32) -> Vec<RouterPrefix> {
        let mut prefixes = self.walk_mounts(receiver, at.into(), &mut RouterMountWalk::default());
        if prefixes.is_empty() {
            // The routers are mounted on one another in a cycle.
            prefixes.push(RouterPrefix::with_unknown_origin(""));
        }
        prefixes.sort();
        prefixes.dedup();
        prefixes.truncate(MAX_MOUNT_POINTS);
        prefixes
    }

    fn walk_mounts(
        &self,
        receiver: &str,
        position: LookupPosition,
        walk: &mut RouterMountWalk,
    ) -> Vec<RouterPrefix> {
        if walk.depth >= MAX_ROUTER_DEPTH || walk.steps >= MAX_FOLLOWED_MOUNTS {
            return vec![RouterPrefix::with_unknown_origin("")];
        }
        walk.depth += 1;
        let key = self.router_key(receiver, position.at);
        let mounts = self.mounts_of_router(&key, receiver, position.at);
        let base = self.router_base(&key, receiver, position);
        let prefixes = if mounts.is_empty() {
            self.prefixes_of_base(&base, position, walk)
        } else {
            let prefix_of_mount =
                |mount: &RouterMount| self.prefix_of_mounted_router(&key, &base, position, mount);
            let visited = VisitedRouter { key: key.clone(), parameter: None };
            let mut prefixes = self.prefixes_of_mounts(visited, mounts.into_iter(), prefix_of_mount, walk);
            let creations = self.prefixes.routers.get(&key).map_or(0, Vec::len);
            if key.1 == FILE_SCOPE && creations < 2 && !prefixes.is_empty() {
                prefixes.extend(prefix_mounted_elsewhere(&base));
            }
            prefixes
        };
        walk.depth -= 1;
        prefixes
    }

    /// Returns the prefixes of a router that is not mounted itself.
    fn prefixes_of_base(
        &self,
        base: &RouterBase,
        position: LookupPosition,
        walk: &mut RouterMountWalk,
    ) -> Vec<RouterPrefix> {
        let prefix = base.prefix.as_deref();
        let origin = match &base.outer {
            RouterParent::Router(outer_router, outer) => {
                let outer = self.walk_mounts(outer_router, *outer, walk);
                return outer.into_iter().map(|router| router.join_optional_path(prefix)).collect();
            }
            RouterParent::Root(origin) => origin,
        };
        let symbol = self.symbols.symbol_at(position.at);
        let mounts =
            self.mounts_of_origin(origin).iter().filter(|mount| self.symbols.symbol_at(mount.at) != symbol);
        if mounts.clone().next().is_none() {
            let router = RouterPrefix { prefix: String::new(), origin: origin.clone() };
            return vec![router.join_optional_path(prefix)];
        }
        let prefix_of_mount = |_: &RouterMount| base.prefix.clone();
        let visited = VisitedRouter {
            key: (origin.name.clone(), FILE_SCOPE),
            parameter: Some(origin.parameter.unwrap_or(u8::MAX)),
        };
        let mut prefixes = self.prefixes_of_mounts(visited, mounts, prefix_of_mount, walk);
        if !prefixes.is_empty() {
            prefixes.extend(prefix_mounted_elsewhere(base));
        }
        prefixes
    }

    /// Returns the file's mounts of the router that a name refers to at a byte. One name may refer
    /// to several routers in a function: if there are mounts of the same binding and creation, only
    /// those count.
    fn mounts_of_router(&self, key: &RouterKey, receiver: &str, at: u32) -> Vec<&RouterMount> {
        let all = self.prefixes.mounts.get(key).map_or(&[][..], Vec::as_slice);
        let others = || all.iter().filter(|mount| mount.outer_router != receiver);
        let binding_and_creation = |at: u32| {
            let bound = self.names.find_binding(first_segment(receiver), at).map(|(_, binding)| binding.at);
            (bound, self.last_creation(key, at.into()).map(|creation| creation.at))
        };
        let here = binding_and_creation(at);
        let same: Vec<&RouterMount> =
            others().filter(|mount| binding_and_creation(mount.at) == here).collect();
        if same.is_empty() { others().collect() } else { same }
    }

    /// Returns the prefixes of a router with these mounts; empty if all of them lead back to it.
    fn prefixes_of_mounts<'m>(
        &self,
        visited: VisitedRouter,
        mounts: impl Iterator<Item = &'m RouterMount>,
        prefix_of_mount: impl Fn(&RouterMount) -> Option<String>,
        walk: &mut RouterMountWalk,
    ) -> Vec<RouterPrefix> {
        if walk.visited.contains(&visited) {
            return Vec::new();
        }
        walk.visited.push(visited);
        let mut prefixes = Vec::new();
        for mount in mounts.take(MAX_MOUNT_POINTS) {
            walk.steps += 1;
            let prefix = prefix_of_mount(mount);
            for outer in self.walk_mounts(&mount.outer_router, mount.at.into(), walk) {
                prefixes.push(
                    outer.join_optional_path(mount.path.as_deref()).join_optional_path(prefix.as_deref()),
                );
            }
        }
        walk.visited.pop();
        prefixes.truncate(MAX_MOUNT_POINTS * MAX_MOUNT_POINTS);
        prefixes
    }

    /// Returns the prefix that a mounted router was created with.
    fn prefix_of_mounted_router(
        &self,
        key: &RouterKey,
        base: &RouterBase,
        position: LookupPosition,
        mount: &RouterMount,
    ) -> Option<String> {
        let span_start = |position: LookupPosition| self.enclosing_span(position).map(|span| span.start);
        let is_in_same_span =
            span_start(position).is_some_and(|start| span_start(mount.at.into()) == Some(start));
        if is_in_same_span && self.last_creation(key, position).is_none() {
            // If the function that has the router as a parameter also mounts it, the router does
            // not have the prefix of the parameter.
            return Some(String::new());
        }
        let Some(prefix) = base.prefix.as_deref() else {
            // The unknown prefix does not matter if the path of the mount replaces it.
            return mount.replaces_prefix.then(String::new);
        };
        let replaced_prefix = match &base.outer {
            RouterParent::Root(origin) if mount.replaces_prefix => origin.creation_prefix.as_str(),
            _ => "",
        };
        Some(prefix.strip_prefix(replaced_prefix).unwrap_or(prefix).to_owned())
    }

    /// Returns the prefix and parent that a router itself has at a position, regardless of its
    /// mounts.
    fn router_base(&self, key: &RouterKey, receiver: &str, position: LookupPosition) -> RouterBase {
        match (self.enclosing_span(position), self.last_creation(key, position)) {
            (Some(span), Some(creation)) if creation.at >= span.start => creation.base.clone(),
            (Some(span), _) => span.base.clone(),
            (None, Some(creation)) => creation.base.clone(),
            (None, None) => RouterBase {
                prefix: Some(String::new()),
                outer: RouterParent::Root(self.origin_of_router(receiver, position.at)),
            },
        }
    }

    /// Returns the last creation of a router before a position.
    fn last_creation(&self, key: &RouterKey, position: LookupPosition) -> Option<&super::RouterCreation> {
        let all = self.prefixes.routers.get(key)?;
        all.iter().rev().find(|creation| creation.at < position.at)
    }

    /// Returns the innermost span around a position, such as a function that has a router as a
    /// parameter.
    fn enclosing_span(&self, position: LookupPosition) -> Option<&RouterSpan> {
        let contains_position = |span: &&RouterSpan| {
            (span.start..span.end).contains(&position.at) && span.end - span.start > position.beyond
        };
        self.prefixes
            .spans
            .iter()
            .filter(contains_position)
            .min_by_key(|span| (span.end - span.start, span.start))
    }

    /// Returns the file's mounts of a function that has a router as a parameter, or of the router
    /// that a function returns.
    fn mounts_of_origin(&self, origin: &RouterOrigin) -> &[RouterMount] {
        let mounts = match origin.parameter {
            Some(parameter) => self.prefixes.parameter_mounts.get(&(origin.name.clone(), parameter)),
            None => self.prefixes.mounts.get(&function_key(&origin.name)),
        };
        mounts.map_or(&[], Vec::as_slice)
    }

    /// Returns the key of the router that a name refers to at a byte, as precisely as the file's
    /// scopes distinguish it.
    pub(super) fn router_key(&self, name: &str, at: u32) -> RouterKey {
        let head = first_segment(name);
        let rest = name.strip_prefix(head).and_then(|rest| rest.strip_prefix('.'));
        let Some((scope, binding)) = self.names.find_binding(head, at) else {
            let ty =
                if matches!(head, "self" | "this" | "cls") { self.names.enclosing_type(at) } else { None };
            return match (ty, rest) {
                (Some(ty), Some(field)) => (format!("{}.{field}", ty.qualified_name()), FILE_SCOPE),
                _ => (name.to_owned(), FILE_SCOPE),
            };
        };
        // A field is identified by the type of the value that has it.
        match (&binding.value, rest) {
            (Some(BoundValue { text: ty, kind: BindingKind::Type }), Some(field)) => {
                (format!("{}.{field}", self.expressions.normalized_type_name(ty)), FILE_SCOPE)
            }
            _ => (name.to_owned(), scope),
        }
    }
}

/// Returns the prefix that a router has if another file mounts it.
fn prefix_mounted_elsewhere(base: &RouterBase) -> Option<RouterPrefix> {
    let RouterParent::Root(origin) = &base.outer else { return None };
    let origin = RouterOrigin { is_mounted_in_file: true, ..origin.clone() };
    let prefix = base.prefix.clone().filter(|_| !origin.name.is_empty())?;
    Some(RouterPrefix { prefix, origin })
}

/// Returns the key of the router that a function returns.
pub(super) fn function_key(qualified: &str) -> RouterKey {
    (format!("{qualified}()"), FILE_SCOPE)
}

impl RouterPrefix {
    /// Returns the prefix extended by `path`. If the path is unknown, returns a prefix of unknown
    /// origin.
    fn join_optional_path(&self, path: Option<&str>) -> Self {
        path.map_or_else(|| Self::with_unknown_origin(""), |path| self.join_path(path))
    }

    /// Returns a prefix with an unknown beginning and a known end.
    pub fn with_unknown_origin(end: &str) -> Self {
        Self {
            prefix: join_route_paths("", end),
            origin: RouterOrigin { needs_mount: true, ..RouterOrigin::at_root() },
        }
    }
}
