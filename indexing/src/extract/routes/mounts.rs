//! Mounts that affect other files. They put a router below a path or pass one to a function; other
//! files may declare the router or the function.
//!
//! The input is the mounts that `router_creation` recorded, and the calls that receive a router as
//! an argument. The output is a [`MountFact`] for each mount and each prefix of the router that it
//! is mounted on. Its target is a name that is valid outside all functions.

use super::call_arguments::{RouteArgument, collect_arguments};
use super::parameters::FIRST_PARAMETER;
use super::path_template::join_route_paths;
use super::router_origin::{RouterOrigin, RouterPrefix, first_segment};
use super::{RouteCallSite, RoutePrefixes, RouteScan, RouterMount, serving_frameworks};
use crate::extract::expressions::BoundValue;
use crate::languages::ExpressionRule;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, MountFact, MountTarget, UNKNOWN_PATH};
use tree_sitter::Node;

/// Maximum number of mounts of one file. Generated files have thousands.
const MAX_MOUNTS: usize = 500;
/// Number of leading arguments of a call that may be routers.
const MAX_ARGUMENTS: u8 = 6;

/// A mount as written in the file.
pub(super) struct WrittenMount {
    pub target: String,
    /// The parameter that is the router, if the target is a function with such a parameter.
    pub parameter: Option<u8>,
    pub mount: RouterMount,
}

impl<'t> RouteScan<'_, 't> {
    /// Returns all mounts of the file, sorted and without duplicates.
    pub(super) fn collect_mounts(&self) -> Vec<MountFact> {
        if !serving_frameworks(&self.used).any(|framework| framework.mounted) {
            return Vec::new();
        }
        let variables = self.prefixes.prefixed_variables.iter().filter(|(_, path)| !path.is_empty()).map(
            |(name, path)| MountFact {
                path: path.clone(),
                target: name.clone(),
                outer_router: name.clone(),
                outer_needs_mount: true,
                is_certain: true,
                ..MountFact::default()
            },
        );
        let written = self.prefixes.written_mounts.iter().take(2 * MAX_MOUNTS);
        let mut all: Vec<MountFact> =
            written.flat_map(|written| self.mount_facts(written)).chain(variables).collect();
        all.sort();
        all.dedup();
        all.truncate(MAX_MOUNTS);
        all
    }

    /// Returns the facts of one mount: one for each prefix of the router that it is mounted on.
    fn mount_facts(&self, written: &WrittenMount) -> Vec<MountFact> {
        let Some(target) = self.mount_target(written) else { return Vec::new() };
        let is_certain = self.used.iter().any(|used| used.is_certain && used.framework.mounted);
        let fact = |router: RouterPrefix| {
            let RouterPrefix {
                prefix,
                origin:
                    RouterOrigin {
                        name: outer_router,
                        parameter: outer_parameter,
                        creation_prefix: outer_creation_prefix,
                        needs_mount: outer_needs_mount,
                        is_mounted_in_file,
                    },
            } = router;
            let is_certain = is_certain && !is_mounted_in_file;
            let path = written
                .mount
                .path
                .as_deref()
                .map_or(UNKNOWN_PATH.to_owned(), |path| join_route_paths(&prefix, path));
            let (target, parameter, replaces) =
                (target.clone(), written.parameter, written.mount.replaces_prefix);
            MountFact {
                path,
                target,
                parameter,
                outer_router,
                outer_parameter,
                outer_creation_prefix,
                outer_needs_mount,
                replaces_prefix: replaces,
                is_certain,
            }
        };
        let facts =
            self.prefixes_of_router(&written.mount.outer_router, written.mount.at).into_iter().map(fact);
        facts
            .filter(|fact| (&fact.target, fact.parameter) != (&fact.outer_router, fact.outer_parameter))
            .collect()
    }

    /// Returns the target of a mount in a form that is valid outside all functions. Returns `None`
    /// if there is no such form or the target belongs to the framework.
    fn mount_target(&self, written: &WrittenMount) -> Option<String> {
        let target = written.target.as_str();
        let target = target.strip_suffix("()").unwrap_or(target);
        if target.is_empty() || target.contains(['?', '|']) {
            return None;
        }
        if !matches!(MountTarget::parse(target), MountTarget::Expression(_)) {
            return Some(target.to_owned());
        }
        let name = first_segment(target);
        let rest = target.get(name.len()..).unwrap_or("");
        match self.names.find_binding(name, written.mount.at) {
            Some((scope, binding)) if scope != FILE_SCOPE => {
                let BoundValue { text, kind } = binding.value.as_ref()?;
                let value = match kind {
                    BindingKind::Value => text.clone(),
                    BindingKind::Type => self.expressions.dialect.value_of_type(text),
                    BindingKind::Element => return None,
                };
                // The value that a call returns is identified by the function that is called.
                let value = if rest.is_empty() { value.strip_suffix("()").unwrap_or(&value) } else { &value };
                let is_framework_or_itself =
                    self.is_framework_name(first_segment(value)) || first_segment(value) == name;
                (!is_framework_or_itself && !value.contains(['?', '|'])).then(|| format!("{value}{rest}"))
            }
            _ if self.is_framework_name(name) => None,
            _ => Some(target.to_owned()),
        }
    }

    /// Records the functions that receive a router as an argument: `users.Register(api)`,
    /// `RegisterUsers(r.Group("/users"))`.
    pub(super) fn record_router_arguments(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            self.record_extension_call(call);
            let arguments = collect_arguments(&self.expressions, call);
            let positional = arguments.iter().filter(|argument| argument.keyword.is_empty());
            for (parameter, RouteArgument { node, .. }) in (0..MAX_ARGUMENTS).zip(positional) {
                let at = node.start_byte() as u32;
                let Some((outer_router, path)) = self.router_of_argument(*node) else { continue };
                if !self.is_router(&outer_router, at) {
                    continue;
                }
                let target = self.expressions.path_text(call);
                let target = target.strip_suffix("()").unwrap_or(&target);
                // Methods called on the router itself belong to the framework.
                if !self.is_router(first_segment(target), at) && !target.starts_with("super") {
                    self.mount_function_parameter(
                        target,
                        parameter,
                        RouterMount { path, outer_router, at, replaces_prefix: false },
                    );
                }
            }
        }
    }

    /// Records that a C# extension method receives the router that it is called on:
    /// `app.MapGroup("/users").MapUsers()`.
    fn record_extension_call(&mut self, call: Node<'t>) {
        let extended = self.used.iter().any(|used| used.is_certain && used.framework.has_extension_methods);
        let Some((name, _)) = self.expressions.split_receiver(call).filter(|_| extended) else { return };
        let name = self.expressions.node_text(name);
        let Some(object) = self.texts.call_receiver(call) else { return };
        if serving_frameworks(&self.used).any(|framework| framework.is_known_call(name)) {
            return;
        }
        let at = object.start_byte() as u32;
        let Some((outer_router, path)) = self.router_of_argument(object) else { return };
        // `orders = app.NewVersionedApi("Orders")` is treated as `app`.
        let value_and_start = self
            .names
            .find_binding(&outer_router, at)
            .and_then(|(_, b)| Some((&b.value.as_ref()?.text, b.at)));
        let is_router_value = || {
            value_and_start
                .is_some_and(|(value, at)| value.contains('.') && self.is_router(first_segment(value), at))
        };
        if !(self.is_router(&outer_router, at) || is_router_value()) {
            return;
        }
        let mount = RouterMount { path, outer_router, at, replaces_prefix: false };
        self.mount_function_parameter(&MountTarget::ExtensionMethod(name).encode(), FIRST_PARAMETER, mount);
    }

    /// Whether a name refers to a router, because of its binding, or because routes or routers are
    /// added to it.
    fn is_router(&self, name: &str, at: u32) -> bool {
        if name.is_empty() || first_segment(name) != name {
            return false;
        }
        let key = self.router_key(name, at);
        let RoutePrefixes { routers_in_use, routers, .. } = &self.prefixes;
        routers_in_use.contains(&key) || routers.contains_key(&key) || self.is_bound_to_router(name, at)
    }

    /// Records that routes, or routers below a path, are added to the receiver of a call.
    pub(super) fn record_serving(&mut self, receiver: &str, at: u32) {
        if !receiver.is_empty() && first_segment(receiver) == receiver && !self.is_framework_name(receiver) {
            let key = self.router_key(receiver, at);
            self.prefixes.routers_in_use.insert(key);
        }
    }

    /// Returns the router that an argument may refer to, as the first name of its chain, and the
    /// path that the groups of the chain add (`None` if unknown).
    fn router_of_argument(&self, node: Node<'t>) -> Option<(String, Option<String>)> {
        if !matches!(
            self.expressions.kinds.expression_rule(node.kind_id()),
            ExpressionRule::Call(_) | ExpressionRule::MethodCall(..)
        ) {
            let name = self.expressions.path_text(node);
            return (first_segment(&name) == name).then(|| (name, Some(String::new())));
        }
        let (name, receiver) = self.expressions.split_receiver(node)?;
        let site = RouteCallSite {
            node,
            name: self.expressions.node_text(name).to_owned(),
            receiver,
            arguments: collect_arguments(&self.expressions, node),
        };
        let chained = |framework| Some((framework, self.chained_prefixes(framework, node)));
        let (framework, before) =
            serving_frameworks(&self.used).filter(|f| f.mounted).find_map(|framework| {
                let is_group = framework.groups.contains(&site.name);
                chained(framework)
                    .filter(|(_, before)| is_group || before.as_ref().is_none_or(|b| !b.is_empty()))
            })?;
        let group_path = if framework.groups.contains(&site.name) {
            self.group_prefix(&site)
        } else {
            Some(String::new())
        };
        let before =
            before.map(|before| before.iter().rev().fold(String::new(), |a, b| join_route_paths(&a, b)));
        Some((
            self.chain_root(&site),
            before.zip(group_path).map(|(before, path)| join_route_paths(&before, &path)),
        ))
    }
}
