//! The prefixes of a router: follows the file's mounts from the router outwards and joins all paths
//! on the way.
//!
//! A router may be mounted at several places, so the result is a list. The limits below keep mounts
//! that form cycles, or that multiply, from growing without bound.

use super::path_template::join_route_paths;
use super::router_origin::{RouterOrigin, RouterPrefix, first_segment};
use super::{LookupPosition, RouteScan, RouterBase, RouterKey, RouterMount, RouterParent, RouterSpan};
use kenning_graph::facts::{BindingKind, FILE_SCOPE};

/// Levels of routers followed from one router.
const MAX_DEPTH: usize = 12;
/// Mounts followed from one router.
const MAX_STEPS: usize = 500;
/// Places at which one router is mounted.
const MAX_PLACES: usize = 16;

/// The state of a walk from one router outwards.
#[derive(Default)]
struct RouterMountWalk {
    /// The routers being followed: names with their scopes, functions with their parameters.
    passed: Vec<(RouterKey, Option<u8>)>,
    steps: usize,
    depth: usize,
}

impl RouteScan<'_, '_> {
    /// Returns the prefixes of a router's routes at a byte: one for each place at which the file
    /// mounts the router, sorted, and at least one.
    pub(super) fn prefixes_of_router(&self, receiver: &str, at: u32) -> Vec<RouterPrefix> {
        let mut found = self.walk_mounts(receiver, at.into(), &mut RouterMountWalk::default());
        if found.is_empty() {
            // The routers are mounted on one another in a cycle.
            found.push(RouterPrefix::with_unknown_origin(""));
        }
        found.sort();
        found.dedup();
        found.truncate(MAX_PLACES);
        found
    }

    fn walk_mounts(
        &self,
        receiver: &str,
        spot: LookupPosition,
        walk: &mut RouterMountWalk,
    ) -> Vec<RouterPrefix> {
        if walk.depth >= MAX_DEPTH || walk.steps >= MAX_STEPS {
            return vec![RouterPrefix::with_unknown_origin("")];
        }
        walk.depth += 1;
        let key = self.router_key(receiver, spot.at);
        let mounts = self.mounts_of_router(&key, receiver, spot.at);
        let base = self.router_base(&key, receiver, spot);
        let found = if mounts.is_empty() {
            self.prefixes_of_base(&base, spot, walk)
        } else {
            let own = |mount: &RouterMount| self.own_prefix(&key, &base, spot, mount);
            let mut found = self.prefixes_of_mounts((key.clone(), None), mounts.into_iter(), own, walk);
            let made = self.prefixes.routers.get(&key).map_or(0, Vec::len);
            if key.1 == FILE_SCOPE && made < 2 && !found.is_empty() {
                found.extend(prefix_mounted_elsewhere(&base));
            }
            found
        };
        walk.depth -= 1;
        found
    }

    /// Returns the prefixes of a router that is not mounted itself.
    fn prefixes_of_base(
        &self,
        base: &RouterBase,
        spot: LookupPosition,
        walk: &mut RouterMountWalk,
    ) -> Vec<RouterPrefix> {
        let prefix = base.prefix.as_deref();
        let root = match &base.outer {
            RouterParent::Router(by, outer) => {
                let outer = self.walk_mounts(by, *outer, walk);
                return outer.into_iter().map(|router| router.join_optional_path(prefix)).collect();
            }
            RouterParent::Root(root) => root,
        };
        let around = self.symbols.symbol_at(spot.at);
        let mounts =
            self.mounts_of_origin(root).iter().filter(|mount| self.symbols.symbol_at(mount.at) != around);
        if mounts.clone().next().is_none() {
            let router = RouterPrefix { prefix: String::new(), root: root.clone() };
            return vec![router.join_optional_path(prefix)];
        }
        let own = |_: &RouterMount| base.prefix.clone();
        let passed = ((root.name.clone(), FILE_SCOPE), Some(root.parameter.unwrap_or(u8::MAX)));
        let mut found = self.prefixes_of_mounts(passed, mounts, own, walk);
        if !found.is_empty() {
            found.extend(prefix_mounted_elsewhere(base));
        }
        found
    }

    /// Returns the file's mounts of the router that a name refers to at a byte. One name may refer
    /// to several routers in a function: if there are mounts of the same binding and creation, only
    /// those count.
    fn mounts_of_router(&self, key: &RouterKey, receiver: &str, at: u32) -> Vec<&RouterMount> {
        let all = self.prefixes.mounts.get(key).map_or(&[][..], Vec::as_slice);
        let others = || all.iter().filter(|mount| mount.by != receiver);
        let means = |at: u32| {
            let bound = self.names.find_binding(first_segment(receiver), at).map(|(_, binding)| binding.at);
            (bound, self.last_creation(key, at.into()).map(|made| made.at))
        };
        let here = means(at);
        let same: Vec<&RouterMount> = others().filter(|mount| means(mount.at) == here).collect();
        if same.is_empty() { others().collect() } else { same }
    }

    /// Returns the prefixes of a router with these mounts; empty if all of them lead back to it.
    fn prefixes_of_mounts<'m>(
        &self,
        passed: (RouterKey, Option<u8>),
        mounts: impl Iterator<Item = &'m RouterMount>,
        own: impl Fn(&RouterMount) -> Option<String>,
        walk: &mut RouterMountWalk,
    ) -> Vec<RouterPrefix> {
        if walk.passed.contains(&passed) {
            return Vec::new();
        }
        walk.passed.push(passed);
        let mut found = Vec::new();
        for mount in mounts.take(MAX_PLACES) {
            walk.steps += 1;
            let own = own(mount);
            for outer in self.walk_mounts(&mount.by, mount.at.into(), walk) {
                found
                    .push(outer.join_optional_path(mount.path.as_deref()).join_optional_path(own.as_deref()));
            }
        }
        walk.passed.pop();
        found.truncate(MAX_PLACES * MAX_PLACES);
        found
    }

    /// Returns the prefix that a mounted router was created with.
    fn own_prefix(
        &self,
        key: &RouterKey,
        base: &RouterBase,
        spot: LookupPosition,
        mount: &RouterMount,
    ) -> Option<String> {
        let span = |spot: LookupPosition| self.enclosing_span(spot).map(|span| span.start);
        let beside = span(spot).is_some_and(|start| span(mount.at.into()) == Some(start));
        if beside && self.last_creation(key, spot).is_none() {
            // A router that its own function mounts does not have the prefix of a parameter.
            return Some(String::new());
        }
        let Some(prefix) = base.prefix.as_deref() else {
            // The unknown prefix does not matter if the path of the mount replaces it.
            return mount.replaces.then(String::new);
        };
        let made_with = match &base.outer {
            RouterParent::Root(root) if mount.replaces => root.own.as_str(),
            _ => "",
        };
        Some(prefix.strip_prefix(made_with).unwrap_or(prefix).to_owned())
    }

    /// Returns the prefix and parent that a router itself has at a position, regardless of its
    /// mounts.
    fn router_base(&self, key: &RouterKey, receiver: &str, spot: LookupPosition) -> RouterBase {
        match (self.enclosing_span(spot), self.last_creation(key, spot)) {
            (Some(span), Some(made)) if made.at >= span.start => made.base.clone(),
            (Some(span), _) => span.base.clone(),
            (None, Some(made)) => made.base.clone(),
            (None, None) => RouterBase {
                prefix: Some(String::new()),
                outer: RouterParent::Root(self.origin_of_router(receiver, spot.at)),
            },
        }
    }

    /// Returns the last creation of a router before a position.
    fn last_creation(&self, key: &RouterKey, spot: LookupPosition) -> Option<&super::RouterCreation> {
        let all = self.prefixes.routers.get(key)?;
        all.iter().rev().find(|made| made.at < spot.at)
    }

    /// Returns the innermost span around a position, such as a function that takes a router.
    fn enclosing_span(&self, spot: LookupPosition) -> Option<&RouterSpan> {
        let around = |span: &&RouterSpan| {
            (span.start..span.end).contains(&spot.at) && span.end - span.start > spot.beyond
        };
        self.prefixes.spans.iter().filter(around).min_by_key(|span| (span.end - span.start, span.start))
    }

    /// Returns the file's mounts of a function that takes a router, or of what a function returns.
    fn mounts_of_origin(&self, root: &RouterOrigin) -> &[RouterMount] {
        let found = match root.parameter {
            Some(parameter) => self.prefixes.given.get(&(root.name.clone(), parameter)),
            None => self.prefixes.mounts.get(&function_key(&root.name)),
        };
        found.map_or(&[], Vec::as_slice)
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
            (Some((ty, BindingKind::Type)), Some(field)) => {
                (format!("{}.{field}", self.x.normalized_type_name(ty)), FILE_SCOPE)
            }
            _ => (name.to_owned(), scope),
        }
    }
}

/// Returns the router's prefix for the case that another file mounts it.
fn prefix_mounted_elsewhere(base: &RouterBase) -> Option<RouterPrefix> {
    let RouterParent::Root(root) = &base.outer else { return None };
    let root = RouterOrigin { elsewhere: true, ..root.clone() };
    let prefix = base.prefix.clone().filter(|_| !root.name.is_empty())?;
    Some(RouterPrefix { prefix, root })
}

/// Returns the key of what a function returns.
pub(super) fn function_key(qualified: &str) -> RouterKey {
    (format!("{qualified}()"), FILE_SCOPE)
}

impl RouterPrefix {
    /// Returns the prefix extended by `path`. If the path is unknown, returns a prefix of unknown
    /// origin.
    fn join_optional_path(&self, path: Option<&str>) -> Self {
        path.map_or_else(|| Self::with_unknown_origin(""), |path| self.join_path(path))
    }

    /// Returns a prefix of which only the end is known.
    pub fn with_unknown_origin(end: &str) -> Self {
        Self {
            prefix: join_route_paths("", end),
            root: RouterOrigin { partial: true, ..RouterOrigin::at_root() },
        }
    }
}
