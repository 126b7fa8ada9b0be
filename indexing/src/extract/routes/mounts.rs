//! Routers that are put below a path, or given to a function, that other files may declare.

use super::path::join;
use super::roots::{Root, Router, first};
use super::values::{Argument, arguments};
use super::{Scan, Site, frameworks_of};
use crate::languages::Rule;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, MountFact, UNKNOWN_PATH};
use kenning_graph::notation::mask;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// Mounts of one file, at most.
const MAX_MOUNTS: usize = 500;
/// Arguments of a call that may be a router.
const MAX_ARGUMENTS: usize = 6;

/// Something that is put below a path, as it is written.
pub(super) struct Placed {
    pub target: String,
    /// `None` where it is not known.
    pub path: Option<String>,
    /// The router that it is put below, and where that is written.
    pub by: String,
    pub at: u32,
    /// See [`MountFact::replaces`].
    pub replaces: bool,
    /// What the file itself declares is not worth telling: it was read with that in mind.
    pub others_only: bool,
}

/// A module of the workspace in the notation of targets.
pub(super) fn module(path: &str) -> String {
    format!("import:{}", mask(path))
}

impl<'t> Scan<'_, 't> {
    /// All that the file puts somewhere.
    pub(super) fn mounts(&self) -> Vec<MountFact> {
        if !frameworks_of(&self.used).any(|framework| framework.mounted) {
            return Vec::new();
        }
        let made = self.prefixes.made.iter().filter(|(_, path)| !path.is_empty()).map(|(name, path)| {
            let (path, target, by) = (path.clone(), name.clone(), name.clone());
            MountFact { path, target, by, own: String::new(), partial: true, replaces: false }
        });
        let placed = self.prefixes.placed.iter().take(2 * MAX_MOUNTS);
        let mut all: Vec<MountFact> =
            placed.filter_map(|placed| self.mount_fact(placed)).chain(made).collect();
        all.sort();
        all.dedup();
        all.truncate(MAX_MOUNTS);
        all
    }

    fn mount_fact(&self, placed: &Placed) -> Option<MountFact> {
        let target = self.target(placed)?;
        let known = self.prefix(&placed.by, placed.at).zip(placed.path.as_deref());
        let (path, root) = match known {
            Some((Router { prefix, root }, path)) => (join(&prefix, path), root),
            None => (UNKNOWN_PATH.to_owned(), Root::whole()),
        };
        let Root { name: by, own, partial } = root;
        (target != by).then_some(MountFact { path, target, by, own, partial, replaces: placed.replaces })
    }

    /// What is put somewhere, as it can be read from outside of all functions; `None` where that cannot be said, and where
    /// it is the framework's.
    fn target(&self, placed: &Placed) -> Option<String> {
        let written = placed.target.as_str();
        let target = written.strip_suffix("()").unwrap_or(written);
        if target.is_empty() || target.contains(['?', '|']) {
            return None;
        }
        if target.starts_with("import:") {
            return Some(target.to_owned());
        }
        let name = first(target);
        let rest = target.get(name.len()..).unwrap_or("");
        match self.names.binding(name, placed.at) {
            Some((FILE_SCOPE, _)) if self.names.import(name).is_none() => {
                (!placed.others_only || !rest.is_empty()).then(|| target.to_owned())
            }
            Some((scope, binding)) if scope != FILE_SCOPE => {
                let (text, how) = binding.value.as_ref()?;
                let value = match how {
                    BindingKind::Value => text.clone(),
                    BindingKind::Type if self.is_script => format!(":{}", mask(text)),
                    BindingKind::Type => format!("{{{text}}}"),
                    BindingKind::Element => return None,
                };
                // A value that a call gives is the function's that is called.
                let value = if rest.is_empty() { value.strip_suffix("()").unwrap_or(&value) } else { &value };
                let is_own = self.is_of_framework(first(value)) || first(value) == name;
                (!is_own && !value.contains(['?', '|'])).then(|| format!("{value}{rest}"))
            }
            _ if self.is_of_framework(name) => None,
            _ if placed.others_only && rest.is_empty() && self.names.symbol(name).is_some() => None,
            _ => Some(target.to_owned()),
        }
    }

    /// Notes the functions that are given a router: `users.Register(api)`, `RegisterUsers(r.Group("/users"))`.
    pub(super) fn given(&mut self, sites: &[Site<'t>]) {
        let calls = std::mem::take(&mut self.calls);
        if calls.is_empty() {
            return;
        }
        let roots = self.receivers(sites);
        let is_router = |name: &str, at: u32| {
            let plain = !name.is_empty() && first(name) == name;
            plain && (roots.contains(name) || self.is_router_by_binding(name, at))
        };
        let mut found = Vec::new();
        for call in calls {
            let given = arguments(&self.x, call);
            let plain = given.iter().filter(|argument| argument.keyword.is_empty()).take(MAX_ARGUMENTS);
            for Argument { node, .. } in plain {
                let at = node.start_byte() as u32;
                let Some((by, path)) = self.given_router(*node) else { continue };
                if !is_router(&by, at) {
                    continue;
                }
                let target = self.x.path(call);
                // What is called on the router itself is the framework's.
                if !is_router(first(&target), at) && !target.starts_with("super") {
                    found.push(Placed { target, path, by, at, replaces: false, others_only: false });
                }
                break;
            }
        }
        self.prefixes.placed.append(&mut found);
    }

    /// The names on which routers' calls are made.
    fn receivers(&self, sites: &[Site<'t>]) -> FxHashSet<String> {
        let makes_routes = |site: &&Site| {
            self.used.iter().filter(|used| used.surely && used.framework.mounted).any(|used| {
                let framework = used.framework;
                framework.call(&site.name).is_some()
                    || framework.groups.contains(&site.name)
                    || framework.mounts.contains_key(&site.name)
            })
        };
        let roots = sites.iter().filter(makes_routes).map(|site| self.root(site));
        roots.filter(|root| !root.is_empty() && first(root) == root && !self.is_of_framework(root)).collect()
    }

    /// The router that an argument may be: the name that its chain begins with, and what the groups in it add.
    fn given_router(&self, node: Node<'t>) -> Option<(String, Option<String>)> {
        if !matches!(self.x.kinds.rule(node.kind_id()), Rule::Call(_) | Rule::MethodCall(..)) {
            let name = self.x.path(node);
            return (first(&name) == name).then(|| (name, Some(String::new())));
        }
        let (name, receiver) = self.x.split(node)?;
        let site = Site {
            node,
            name: self.x.text_of(name).to_owned(),
            receiver,
            arguments: arguments(&self.x, node),
        };
        let chained = |framework| Some((framework, self.chained(framework, node)));
        let (framework, before) = frameworks_of(&self.used).filter(|f| f.mounted).find_map(|framework| {
            let own = framework.groups.contains(&site.name);
            chained(framework).filter(|(_, before)| own || before.as_ref().is_none_or(|b| !b.is_empty()))
        })?;
        let own =
            if framework.groups.contains(&site.name) { self.group_path(&site) } else { Some(String::new()) };
        let before = before.map(|before| before.iter().rev().fold(String::new(), |a, b| join(&a, b)));
        Some((self.root(&site), before.zip(own).map(|(before, own)| join(&before, &own))))
    }
}
