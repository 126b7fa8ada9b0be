//! Routers that are put below a path, or given to a function, that other files may declare.

use super::parameters::FIRST;
use super::path::join;
use super::roots::{Root, Router, first};
use super::values::{Argument, arguments};
use super::{Mount, Prefixes, Scan, Site, frameworks_of};
use crate::languages::Rule;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, MountFact, UNKNOWN_PATH};
use kenning_graph::notation::mask;
use tree_sitter::Node;

/// Mounts of one file, at most.
const MAX_MOUNTS: usize = 500;
/// Before the name of an extension method that is put somewhere.
pub(crate) const EXTENSION: &str = "extension:";
/// Arguments of a call that may be a router.
const MAX_ARGUMENTS: u8 = 6;

/// Something that is put below a path, as it is written.
pub(super) struct Placed {
    pub target: String,
    /// The parameter that is the router, where the target is a function that is given one.
    pub parameter: Option<u8>,
    pub mount: Mount,
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
        let made =
            self.prefixes.made.iter().filter(|(_, path)| !path.is_empty()).map(|(name, path)| MountFact {
                path: path.clone(),
                target: name.clone(),
                by: name.clone(),
                partial: true,
                surely: true,
                ..MountFact::default()
            });
        let placed = self.prefixes.placed.iter().take(2 * MAX_MOUNTS);
        let mut all: Vec<MountFact> =
            placed.flat_map(|placed| self.mount_facts(placed)).chain(made).collect();
        all.sort();
        all.dedup();
        all.truncate(MAX_MOUNTS);
        all
    }

    fn mount_facts(&self, placed: &Placed) -> Vec<MountFact> {
        let Some(target) = self.target(placed) else { return Vec::new() };
        let surely = self.used.iter().any(|used| used.surely && used.framework.mounted);
        let fact = |router: Router| {
            let Router { prefix, root: Root { name: by, parameter: by_parameter, own, partial, elsewhere } } =
                router;
            let surely = surely && !elsewhere;
            let path =
                placed.mount.path.as_deref().map_or(UNKNOWN_PATH.to_owned(), |path| join(&prefix, path));
            let (target, parameter, replaces) = (target.clone(), placed.parameter, placed.mount.replaces);
            MountFact { path, target, parameter, by, by_parameter, own, partial, replaces, surely }
        };
        let facts = self.places(&placed.mount.by, placed.mount.at).into_iter().map(fact);
        facts.filter(|fact| (&fact.target, fact.parameter) != (&fact.by, fact.by_parameter)).collect()
    }

    /// What is put somewhere, as it can be read from outside of all functions; `None` where that cannot be said, and where
    /// it is the framework's.
    fn target(&self, placed: &Placed) -> Option<String> {
        let written = placed.target.as_str();
        let target = written.strip_suffix("()").unwrap_or(written);
        if target.is_empty() || target.contains(['?', '|']) {
            return None;
        }
        if target.starts_with("import:") || target.starts_with(EXTENSION) {
            return Some(target.to_owned());
        }
        let name = first(target);
        let rest = target.get(name.len()..).unwrap_or("");
        match self.names.binding(name, placed.mount.at) {
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
            _ => Some(target.to_owned()),
        }
    }

    /// Notes the functions that are given a router: `users.Register(api)`, `RegisterUsers(r.Group("/users"))`.
    pub(super) fn given(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            self.extended(call);
            let given = arguments(&self.x, call);
            let plain = given.iter().filter(|argument| argument.keyword.is_empty());
            for (parameter, Argument { node, .. }) in (0..MAX_ARGUMENTS).zip(plain) {
                let at = node.start_byte() as u32;
                let Some((by, path)) = self.given_router(*node) else { continue };
                if !self.is_router(&by, at) {
                    continue;
                }
                let target = self.x.path(call);
                let target = target.strip_suffix("()").unwrap_or(&target);
                // What is called on the router itself is the framework's.
                if !self.is_router(first(target), at) && !target.starts_with("super") {
                    self.gives(target, parameter, Mount { path, by, at, replaces: false });
                }
            }
        }
    }

    /// C#: an extension method is given the router that it is called on: `app.MapGroup("/users").MapUsers()`.
    fn extended(&mut self, call: Node<'t>) {
        let extended = self.used.iter().any(|used| used.surely && used.framework.extended);
        let Some((name, _)) = self.x.split(call).filter(|_| extended) else { return };
        let name = self.x.text_of(name);
        let Some(object) = self.texts.object(call) else { return };
        if frameworks_of(&self.used).any(|framework| framework.knows(name)) {
            return;
        }
        let at = object.start_byte() as u32;
        let Some((by, path)) = self.given_router(object) else { return };
        // `orders = app.NewVersionedApi("Orders")` is as good as `app`.
        let made = self.names.binding(&by, at).and_then(|(_, b)| Some((&b.value.as_ref()?.0, b.at)));
        let of_router =
            || made.is_some_and(|(made, at)| made.contains('.') && self.is_router(first(made), at));
        if !(self.is_router(&by, at) || of_router()) {
            return;
        }
        let mount = Mount { path, by, at, replaces: false };
        self.gives(&format!("{EXTENSION}{name}"), FIRST, mount);
    }

    /// Whether a name stands for a router: by what it is bound to, or because routes or routers are given to it.
    fn is_router(&self, name: &str, at: u32) -> bool {
        if name.is_empty() || first(name) != name {
            return false;
        }
        let key = self.key(name, at);
        let Prefixes { serving, routers, .. } = &self.prefixes;
        serving.contains(&key) || routers.contains_key(&key) || self.is_router_by_binding(name, at)
    }

    /// Notes that routes were given to what a call is made on, or routers below a path.
    pub(super) fn note_serving(&mut self, receiver: &str, at: u32) {
        if !receiver.is_empty() && first(receiver) == receiver && !self.is_of_framework(receiver) {
            let key = self.key(receiver, at);
            self.prefixes.serving.insert(key);
        }
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
