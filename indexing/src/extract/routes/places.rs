//! Where the file puts its routers: from a router to all that stands before the paths of its routes.

use super::path::join;
use super::roots::{Root, Router, first};
use super::{Base, Key, Mount, Outer, Scan, Span, Spot};
use kenning_graph::facts::{BindingKind, FILE_SCOPE};

/// Routers that are passed on the way from one.
const MAX_DEPTH: usize = 12;
/// Mounts that are passed on the ways from one router.
const MAX_STEPS: usize = 500;
/// Places at which one router stands.
const MAX_PLACES: usize = 16;

/// The ways from one router to what it stands in.
#[derive(Default)]
struct Walk {
    /// What was passed: names with their scopes, functions with their parameters.
    passed: Vec<(Key, Option<u8>)>,
    steps: usize,
    depth: usize,
}

impl Scan<'_, '_> {
    /// What stands before the paths of a router's routes at a byte: one for each place at which the file puts it, sorted, and
    /// at least one.
    pub(super) fn places(&self, receiver: &str, at: u32) -> Vec<Router> {
        let mut found = self.walk(receiver, at.into(), &mut Walk::default());
        if found.is_empty() {
            // Routers that are put below one another.
            found.push(Router::unknown(""));
        }
        found.sort();
        found.dedup();
        found.truncate(MAX_PLACES);
        found
    }

    fn walk(&self, receiver: &str, spot: Spot, walk: &mut Walk) -> Vec<Router> {
        if walk.depth >= MAX_DEPTH || walk.steps >= MAX_STEPS {
            return vec![Router::unknown("")];
        }
        walk.depth += 1;
        let key = self.key(receiver, spot.at);
        let mounts = self.mounts_of(&key, receiver, spot.at);
        let base = self.base(&key, receiver, spot);
        let found = if mounts.is_empty() {
            self.below(&base, spot, walk)
        } else {
            let own = |mount: &Mount| self.own_prefix(&key, &base, spot, mount);
            let mut found = self.below_all((key.clone(), None), mounts.into_iter(), own, walk);
            let made = self.prefixes.routers.get(&key).map_or(0, Vec::len);
            if key.1 == FILE_SCOPE && made < 2 && !found.is_empty() {
                found.extend(elsewhere(&base));
            }
            found
        };
        walk.depth -= 1;
        found
    }

    /// A router that is put nowhere itself.
    fn below(&self, base: &Base, spot: Spot, walk: &mut Walk) -> Vec<Router> {
        let prefix = base.prefix.as_deref();
        let root = match &base.outer {
            Outer::Router(by, outer) => {
                let outer = self.walk(by, *outer, walk);
                return outer.into_iter().map(|router| router.below_maybe(prefix)).collect();
            }
            Outer::Root(root) => root,
        };
        let around = self.symbols.at(spot.at);
        let mounts = self.given_at(root).iter().filter(|mount| self.symbols.at(mount.at) != around);
        if mounts.clone().next().is_none() {
            let router = Router { prefix: String::new(), root: root.clone() };
            return vec![router.below_maybe(prefix)];
        }
        let own = |_: &Mount| base.prefix.clone();
        let passed = ((root.name.clone(), FILE_SCOPE), Some(root.parameter.unwrap_or(u8::MAX)));
        let mut found = self.below_all(passed, mounts, own, walk);
        if !found.is_empty() {
            found.extend(elsewhere(base));
        }
        found
    }

    /// Where the file puts what a name means at a byte. One name may mean several things in one function: those mounts count
    /// that mean the same, if there are such.
    fn mounts_of(&self, key: &Key, receiver: &str, at: u32) -> Vec<&Mount> {
        let all = self.prefixes.mounts.get(key).map_or(&[][..], Vec::as_slice);
        let others = || all.iter().filter(|mount| mount.by != receiver);
        let means = |at: u32| {
            let bound = self.names.binding(first(receiver), at).map(|(_, binding)| binding.at);
            (bound, self.last_made(key, at.into()).map(|made| made.at))
        };
        let here = means(at);
        let same: Vec<&Mount> = others().filter(|mount| means(mount.at) == here).collect();
        if same.is_empty() { others().collect() } else { same }
    }

    /// What is put at several places; nothing where all ways lead back.
    fn below_all<'m>(
        &self,
        passed: (Key, Option<u8>),
        mounts: impl Iterator<Item = &'m Mount>,
        own: impl Fn(&Mount) -> Option<String>,
        walk: &mut Walk,
    ) -> Vec<Router> {
        if walk.passed.contains(&passed) {
            return Vec::new();
        }
        walk.passed.push(passed);
        let mut found = Vec::new();
        for mount in mounts.take(MAX_PLACES) {
            walk.steps += 1;
            let own = own(mount);
            for outer in self.walk(&mount.by, mount.at.into(), walk) {
                found.push(outer.below_maybe(mount.path.as_deref()).below_maybe(own.as_deref()));
            }
        }
        walk.passed.pop();
        found.truncate(MAX_PLACES * MAX_PLACES);
        found
    }

    /// What a router that is put somewhere begins with itself.
    fn own_prefix(&self, key: &Key, base: &Base, spot: Spot, mount: &Mount) -> Option<String> {
        let span = |spot: Spot| self.span(spot).map(|span| span.start);
        let beside = span(spot).is_some_and(|start| span(mount.at.into()) == Some(start));
        if beside && self.last_made(key, spot).is_none() {
            // What is put somewhere in the function around it does not begin with what that was given.
            return Some(String::new());
        }
        let Some(prefix) = base.prefix.as_deref() else {
            // What it was made with does not count where the path stands in its place.
            return mount.replaces.then(String::new);
        };
        let made_with = match &base.outer {
            Outer::Root(root) if mount.replaces => root.own.as_str(),
            _ => "",
        };
        Some(prefix.strip_prefix(made_with).unwrap_or(prefix).to_owned())
    }

    /// What a router itself begins with at a place, wherever it is put.
    fn base(&self, key: &Key, receiver: &str, spot: Spot) -> Base {
        match (self.span(spot), self.last_made(key, spot)) {
            (Some(span), Some(made)) if made.at >= span.start => made.base.clone(),
            (Some(span), _) => span.base.clone(),
            (None, Some(made)) => made.base.clone(),
            (None, None) => {
                Base { prefix: Some(String::new()), outer: Outer::Root(self.root_of(receiver, spot.at)) }
            }
        }
    }

    /// Where a router was made last before a place.
    fn last_made(&self, key: &Key, spot: Spot) -> Option<&super::Made> {
        let all = self.prefixes.routers.get(key)?;
        all.iter().rev().find(|made| made.at < spot.at)
    }

    /// The innermost function around a place that is given a router.
    fn span(&self, spot: Spot) -> Option<&Span> {
        let around =
            |span: &&Span| (span.start..span.end).contains(&spot.at) && span.end - span.start > spot.beyond;
        self.prefixes.spans.iter().filter(around).min_by_key(|span| (span.end - span.start, span.start))
    }

    /// Where the file puts a function, or what one gives.
    fn given_at(&self, root: &Root) -> &[Mount] {
        let found = match root.parameter {
            Some(parameter) => self.prefixes.given.get(&(root.name.clone(), parameter)),
            None => self.prefixes.mounts.get(&function_key(&root.name)),
        };
        found.map_or(&[], Vec::as_slice)
    }

    /// What a name stands for at a byte, as far as the file's scopes tell it apart.
    pub(super) fn key(&self, name: &str, at: u32) -> Key {
        let head = first(name);
        let rest = name.strip_prefix(head).and_then(|rest| rest.strip_prefix('.'));
        let Some((scope, binding)) = self.names.binding(head, at) else {
            let ty = if matches!(head, "self" | "this" | "cls") { self.names.type_around(at) } else { None };
            return match (ty, rest) {
                (Some(ty), Some(field)) => (format!("{}.{field}", ty.qualified()), FILE_SCOPE),
                _ => (name.to_owned(), FILE_SCOPE),
            };
        };
        // A field, by the type of what has it.
        match (&binding.value, rest) {
            (Some((ty, BindingKind::Type)), Some(field)) => {
                (format!("{}.{field}", self.x.type_name(ty)), FILE_SCOPE)
            }
            _ => (name.to_owned(), scope),
        }
    }
}

/// The router as other files may put it somewhere.
fn elsewhere(base: &Base) -> Option<Router> {
    let Outer::Root(root) = &base.outer else { return None };
    let root = Root { elsewhere: true, ..root.clone() };
    let prefix = base.prefix.clone().filter(|_| !root.name.is_empty())?;
    Some(Router { prefix, root })
}

/// The key of what a function gives.
pub(super) fn function_key(qualified: &str) -> Key {
    (format!("{qualified}()"), FILE_SCOPE)
}

impl Router {
    /// A path in it; the rest alone where that is not known.
    fn below_maybe(&self, path: Option<&str>) -> Self {
        path.map_or_else(|| Self::unknown(""), |path| self.below(path))
    }

    /// A path of which only the end is known.
    pub fn unknown(end: &str) -> Self {
        Self { prefix: join("", end), root: Root { partial: true, ..Root::whole() } }
    }
}
