//! Creation and mounting of routers in the file: groups, mounts, and functions that have a router
//! as a parameter.
//!
//! The input is one call that a framework knows. The functions record the routers that the call
//! creates or mounts in [`RoutePrefixes`](super::RoutePrefixes). They record a mount for the
//! routers of this file, and as a [`WrittenMount`] for the routers that other files declare. A path
//! that cannot be evaluated is recorded as unknown.

use super::call_arguments::{RouteHandler, collect_arguments, object_entry, parse_handler};
use super::framework_table::WebFramework;
use super::mount_paths::function_key;
use super::mounts::WrittenMount;
use super::parameters::FIRST_PARAMETER;
use super::path_template::join_route_paths;
use super::route_calls::normalize_prefix;
use super::router_origin::{RouterOrigin, first_segment};
use super::string_evaluation::HOLE;
use super::{
    LookupPosition, RouteCallSite, RouteScan, RouterBase, RouterCreation, RouterMount, RouterParent,
    RouterSpan, serving_frameworks,
};
use crate::extract::expressions::UNKNOWN;
use crate::languages::ExpressionRule;
use kenning_graph::facts::{MountTarget, SymbolFact};
use kenning_graph::receiver_notation::{module_expression, strip_module_prefix};
use std::collections::BTreeSet;
use tree_sitter::{Node, Tree};

/// The router on which another is mounted, the position of the mount, and whether its path replaces
/// the path that the mounted router was created with.
struct RouterMountPoint {
    outer_router: String,
    at: u32,
    replaces: bool,
}

impl<'t> RouteScan<'_, 't> {
    /// Records mounts: `app.use("/api", router)`, `app.include_router(router, prefix="/api")`,
    /// `.nest("/api", routes())`.
    pub(super) fn record_mount_call(&mut self, site: &RouteCallSite<'t>) {
        self.record_include(site);
        let mut mounting = self.used.iter().filter(|used| used.framework.mounts.contains_key(&site.name));
        let Some(used) = mounting.clone().find(|used| used.is_certain).or_else(|| mounting.next()) else {
            return;
        };
        let framework = used.framework;
        let Some(keyword) = framework.mounts.get(&site.name) else { return };
        // If the file does not show that it uses the framework, a parameter may still be a router.
        if !(used.is_certain
            || !keyword.is_empty()
                && self.origin_of_router(&self.chain_root(site), site.start_byte()).parameter.is_some())
        {
            return;
        }
        let positional =
            || site.arguments.iter().filter(|argument| argument.keyword.is_empty()).map(|a| a.node);
        if keyword.is_empty() {
            // Handlers may come between the path and the router.
            let prefix = site.positional_argument(0).and_then(|node| self.texts.evaluate_template(node));
            for router in positional().skip(1).collect::<Vec<_>>() {
                self.mount_router(site, router, prefix.as_deref().and_then(normalize_prefix));
            }
            // Without a path, the router is mounted at the root of the other router.
            let may_be_router = |rule| {
                matches!(
                    rule,
                    ExpressionRule::Name
                        | ExpressionRule::Member(..)
                        | ExpressionRule::Scoped
                        | ExpressionRule::Call(_)
                        | ExpressionRule::MethodCall(..)
                )
            };
            if let (Some(router), None) = (site.positional_argument(0), site.positional_argument(1))
                && may_be_router(self.expressions.kinds.expression_rule(router.kind_id()))
            {
                self.mount_router(site, router, Some(String::new()));
            }
        } else if let Some(router) = site
            .positional_argument(0)
            .or_else(|| site.keyword_argument("router"))
            .or_else(|| site.keyword_argument("blueprint"))
        {
            let options = || {
                site.positional_argument(1).and_then(|node| object_entry(&self.expressions, node, keyword))
            };
            let prefix_node = site.keyword_argument(keyword).or_else(options);
            let prefix = prefix_node.map_or(Some(String::new()), |node| self.texts.evaluate_template(node));
            let path = prefix.as_deref().and_then(normalize_prefix);
            let replaces = prefix_node.is_some() && framework.mount_replaces_prefix;
            self.mount_router_at(
                router,
                path,
                RouterMountPoint { outer_router: self.chain_root(site), at: site.start_byte(), replaces },
            );
        }
    }

    /// Records Django's `path("api/", include("shop.urls"))` and similar calls.
    fn record_include(&mut self, site: &RouteCallSite<'t>) {
        let framework =
            self.used.iter().filter(|used| used.is_certain).map(|used| used.framework).find(|framework| {
                !framework.includes.is_empty()
                    && framework.call_method(&site.name).is_some()
                    && framework.accepts_receiver(&site.receiver)
            });
        let (Some(framework), Some(included)) = (framework, site.positional_argument(1)) else { return };
        let is_include = self
            .expressions
            .split_receiver(included)
            .is_some_and(|(name, _)| self.expressions.node_text(name) == framework.includes);
        let first_argument = collect_arguments(&self.expressions, included)
            .first()
            .filter(|_| is_include)
            .map(|argument| argument.node);
        let Some(mut routes) = first_argument else { return };
        if routes.kind() == "tuple" {
            // A tuple contains the routes and the name of the application.
            let Some(inner) = routes.named_child(0) else { return };
            routes = inner;
        }
        let path = site.positional_argument(0).and_then(|node| self.texts.evaluate_template(node));
        let path = path.as_deref().and_then(normalize_prefix);
        let outer_router = self.assigned_name(site.node).unwrap_or_else(|| framework.list.clone());
        if routes.kind().contains("string")
            && let Some(text) = self.texts.evaluate_template(routes)
        {
            let (target, at) =
                (format!("{}.{}", module_expression(&text), framework.list), site.start_byte());
            self.record_written_mount(
                target,
                None,
                RouterMount { path, outer_router, at, replaces_prefix: false },
            );
            return;
        }
        if routes.kind() == "list" {
            return self.record_mounted_span(routes, path.as_deref(), &outer_router, site.start_byte());
        }
        if self.names.find_import(first_segment(&self.expressions.path_text(routes))).is_some() {
            // The name may be an imported module.
            let target = format!("{}.{}", self.expressions.path_text(routes), framework.list);
            let (path, outer_router, at) = (path.clone(), outer_router.clone(), site.start_byte());
            self.record_written_mount(
                target,
                None,
                RouterMount { path, outer_router, at, replaces_prefix: false },
            );
        }
        self.mount_router_at(
            routes,
            path,
            RouterMountPoint { outer_router, at: site.start_byte(), replaces: false },
        );
    }

    /// Records that all routes inside a node are below a path.
    fn record_mounted_span(&mut self, node: Node<'t>, path: Option<&str>, outer_router: &str, at: u32) {
        let base = RouterBase {
            prefix: path.map(str::to_owned),
            outer: RouterParent::Router(outer_router.to_owned(), at.into()),
        };
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        self.prefixes.spans.push(RouterSpan { start, end, base });
    }

    /// Records that a router is mounted below a path of the router that a call is made on.
    fn mount_router(&mut self, site: &RouteCallSite<'t>, router: Node<'t>, path: Option<String>) {
        self.mount_router_at(
            router,
            path,
            RouterMountPoint { outer_router: self.chain_root(site), at: site.start_byte(), replaces: false },
        );
    }

    /// Records that the router that a node denotes is mounted below a path of the mount point.
    fn mount_router_at(&mut self, router: Node<'t>, path: Option<String>, mount_point: RouterMountPoint) {
        let RouterMountPoint { outer_router, at, replaces } = mount_point;
        if path.as_ref().is_some_and(|path| !path.is_empty()) {
            self.record_serving(&outer_router, at);
        }
        if router.kind() == "macro_invocation" {
            // Rocket lists functions in a macro: `routes![index, users::show]`.
            let text = self.expressions.node_text(router);
            let names = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).skip(1);
            for name in names.filter(|name| !name.is_empty()) {
                let target = name.replace("::", ".");
                self.mount_served_function(
                    &target,
                    RouterMount {
                        path: path.clone(),
                        outer_router: outer_router.clone(),
                        at,
                        replaces_prefix: replaces,
                    },
                );
            }
            return;
        }
        let target_path = self
            .dynamic_import_target(router)
            .unwrap_or_else(|| self.strip_router_getters(self.expressions.path_text(router)));
        let is_module = strip_module_prefix(&target_path).is_some();
        let is_chain = !is_module && (target_path == UNKNOWN || target_path.contains(")."));
        if is_chain {
            self.record_mounted_span(router, path.as_deref(), &outer_router, at);
        }
        let mount = RouterMount { path, outer_router, at, replaces_prefix: replaces };
        if !is_chain && !is_module {
            self.record_router_mount(&target_path, router.start_byte() as u32, mount.clone());
        }
        // The router at the beginning of a chain is also mounted there.
        let chain_start = is_chain
            .then(|| self.strip_router_getters(self.chain_start_path(router)))
            .filter(|chain_start| *chain_start != target_path);
        for target in [target_path].into_iter().chain(chain_start).filter(|target| target != UNKNOWN) {
            let parameter = if target.ends_with("()") { None } else { Some(FIRST_PARAMETER) };
            self.record_written_mount(target, parameter, mount.clone());
        }
    }

    /// Records a mount for other files.
    fn record_written_mount(&mut self, target: String, parameter: Option<u8>, mount: RouterMount) {
        self.prefixes.written_mounts.push(WrittenMount { target, parameter, mount });
    }

    /// Records a mount of a router of this file, or of a function that returns a router or has one
    /// as a parameter.
    fn record_router_mount(&mut self, target: &str, at: u32, mount: RouterMount) {
        let called = target.strip_suffix("()");
        let function = self.names.find_function(called.unwrap_or(target), at).map(SymbolFact::qualified_name);
        match (function, called) {
            (Some(function), Some(_)) => {
                self.prefixes.mounts.entry(function_key(&function)).or_default().push(mount);
            }
            // The framework calls the function with the router.
            (Some(function), None) => {
                self.prefixes.parameter_mounts.entry((function, FIRST_PARAMETER)).or_default().push(mount);
            }
            (None, _) => {
                let key = self.router_key(target, at);
                self.prefixes.mounts.entry(key).or_default().push(mount);
            }
        }
    }

    /// Records a mount of a function that serves the path.
    fn mount_served_function(&mut self, target: &str, mount: RouterMount) {
        let name = target.rsplit('.').next().unwrap_or(target);
        if name == target || self.names.find_symbol(target).is_some() {
            let function = self
                .names
                .find_function(target, mount.at)
                .map_or(target.to_owned(), SymbolFact::qualified_name);
            self.prefixes.mounts.entry(function_key(&function)).or_default().push(mount.clone());
        }
        self.record_written_mount(target.to_owned(), None, mount);
    }

    /// Returns the call at the beginning of a chain, unless it belongs to a framework.
    fn chain_start_path(&self, chain: Node<'t>) -> String {
        let (calls, _) = self.call_chain(chain);
        let path = calls.last().map_or_else(|| UNKNOWN.to_owned(), |call| self.expressions.path_text(*call));
        if self.is_framework_name(first_segment(&path)) { UNKNOWN.to_owned() } else { path }
    }

    /// Returns the default export of the module for `import("./users")`.
    fn dynamic_import_target(&self, node: Node<'t>) -> Option<String> {
        let node = if node.kind() == "await_expression" { node.named_child(0)? } else { node };
        let is_import = self.expressions.dialect.is_dynamic_import(node);
        let argument = collect_arguments(&self.expressions, node).first().filter(|_| is_import)?.node;
        Some(format!("{}.default", module_expression(&self.texts.evaluate_template(argument)?)))
    }

    /// Returns the router without the calls and attributes that return it: `users.routes()`,
    /// `users::routes().layer(log)`, `router.urls`.
    fn strip_router_getters(&self, path: String) -> String {
        let getters = || serving_frameworks(&self.used).flat_map(|framework| &framework.router_getters);
        let mut rest = self.router_of_list(&path).unwrap_or(&path);
        while let Some(router) = getters().find_map(|call| rest.strip_suffix(&format!(".{call}()"))) {
            rest = router;
        }
        rest.to_owned()
    }

    /// Returns the router whose list of routes a path denotes; `None` if it denotes no such list.
    pub(super) fn router_of_list<'p>(&self, path: &'p str) -> Option<&'p str> {
        let strip_attribute = |f: &WebFramework| path.strip_suffix(f.listed_as.as_str())?.strip_suffix('.');
        serving_frameworks(&self.used)
            .filter(|framework| !framework.listed_as.is_empty())
            .find_map(strip_attribute)
    }

    /// Records Django's lists of routes: `urlpatterns = router.urls`, `urlpatterns += router.urls`,
    /// `urlpatterns = [...] + router.urls`.
    pub(super) fn record_route_lists(&mut self, tree: &'t Tree) {
        let certain = self.used.iter().filter(|used| used.is_certain).map(|used| used.framework);
        let lists: BTreeSet<&str> =
            certain.map(|f| f.listed_in.as_str()).filter(|list| !list.is_empty()).collect();
        let mut pending = if lists.is_empty() { Vec::new() } else { vec![tree.root_node()] };
        while let Some(node) = pending.pop() {
            let assigned = node.child_by_field_name("left").map(|left| self.expressions.node_text(left));
            if let (Some(list), Some(sum)) = (assigned, node.child_by_field_name("right"))
                && lists.contains(list)
            {
                self.record_listed_routers(list, sum);
            } else if !matches!(node.kind(), "class_definition" | "function_definition") {
                pending.extend(node.named_children(&mut node.walk()));
            }
        }
    }

    /// Records the routers whose lists of routes are operands of a sum.
    fn record_listed_routers(&mut self, list: &str, sum: Node<'t>) {
        let mut pending = vec![sum];
        while let Some(node) = pending.pop() {
            if node.kind() == "binary_operator" {
                pending.extend(node.named_children(&mut node.walk()));
                continue;
            }
            let path = self.expressions.path_text(node);
            let Some(router) = self.router_of_list(&path).map(str::to_owned) else { continue };
            let (path, outer_router, at) = (Some(String::new()), list.to_owned(), node.start_byte() as u32);
            let mount = RouterMount { path, outer_router, at, replaces_prefix: false };
            self.record_router_mount(&router, at, mount.clone());
            self.record_written_mount(router, None, mount);
        }
    }

    /// Records the creation of a router: `g = r.Group("/x")`,
    /// `bp = Blueprint(..., url_prefix="/x")`, `r.Route("/x", func(r chi.Router) {...})`.
    pub(super) fn record_router(&mut self, site: &RouteCallSite<'t>) {
        let frameworks = self.used.iter().map(|used| used.framework).filter(|framework| !framework.client);
        let prefix_keyword =
            frameworks.clone().find_map(|framework| framework.router_keyword(&site.name, &site.receiver));
        let wraps_chain = frameworks.clone().any(|framework| framework.chain_scopes.contains(&site.name));
        // A function of the file itself may have the same name.
        let creator =
            if site.receiver.is_empty() { site.name.as_str() } else { first_segment(&site.receiver) };
        let wraps_chain = wraps_chain && self.is_framework_name(creator);
        let group = frameworks.clone().find(|framework| framework.groups.contains(&site.name));
        let assigned = self.assigned_name(site.node);
        let base = if frameworks.clone().any(|framework| framework.nested.contains(&site.name)) {
            let path = site.positional_argument(1).and_then(|node| self.texts.evaluate_template(node));
            let outer = site
                .positional_argument(0)
                .map_or(UNKNOWN.to_owned(), |router| self.expressions.path_text(router));
            let prefix = path.as_deref().and_then(normalize_prefix).map(|path| join_route_paths(&path, HOLE));
            RouterBase { prefix, outer: RouterParent::Router(outer, site.start_byte().into()) }
        } else if let Some(keyword) = prefix_keyword {
            self.created_router_base(site, keyword, assigned.as_deref())
        } else if let Some(group) = group {
            if site.positional_argument(0).is_none() {
                return;
            }
            let prefix = self.chained_group_prefix(group, site);
            if prefix.as_ref().is_some_and(|prefix| prefix != "/") {
                self.record_serving(&self.chain_root(site), site.start_byte());
            }
            RouterBase {
                prefix,
                outer: RouterParent::Router(self.chain_root(site), site.start_byte().into()),
            }
        } else if wraps_chain {
            let path = site.positional_argument(0).and_then(|first| self.texts.evaluate_template(first));
            let chain = self.last_in_chain(site.node);
            let (start, end) = (chain.start_byte() as u32, chain.end_byte() as u32);
            let position = LookupPosition { at: site.start_byte(), beyond: end - start };
            let outer = RouterParent::Router(site.receiver.clone(), position);
            let base = RouterBase { prefix: path.and_then(|text| normalize_prefix(&text)), outer };
            return self.prefixes.spans.push(RouterSpan { start, end, base });
        } else {
            return;
        };
        if let Some(name) = assigned {
            if let RouterParent::Root(origin) = &base.outer
                && origin.name == name
            {
                self.prefixes.prefixed_variables.push((name.clone(), origin.creation_prefix.clone()));
            }
            let (key, at) = (self.router_key(&name, site.start_byte()), site.start_byte());
            self.prefixes.routers.entry(key).or_default().push(RouterCreation { at, base: base.clone() });
        }
        let last = site.arguments.last().and_then(|argument| parse_handler(&self.expressions, argument.node));
        if let (Some(RouteHandler::Named(target)), Some(group), true) =
            (&last, group, site.arguments.len() > 1)
        {
            // In `r.Route("/users", users.Routes)` the function receives the group as an argument.
            let (path, outer_router, at) =
                (self.chained_group_prefix(group, site), self.chain_root(site), site.start_byte());
            self.mount_function_parameter(
                target,
                FIRST_PARAMETER,
                RouterMount { path, outer_router, at, replaces_prefix: false },
            );
        }
        // A Ruby block is not an argument.
        let block = || site.node.child_by_field_name("block").map(RouteHandler::Inline);
        if let Some(RouteHandler::Inline(function)) =
            last.filter(|h| matches!(h, RouteHandler::Inline(_))).or_else(block)
        {
            let (start, end) = (function.start_byte() as u32, function.end_byte() as u32);
            self.prefixes.spans.push(RouterSpan { start, end, base });
        }
    }

    /// Returns the base of a router that a call creates. The argument with the keyword is its
    /// prefix.
    fn created_router_base(
        &self,
        site: &RouteCallSite<'t>,
        keyword: &str,
        assigned: Option<&str>,
    ) -> RouterBase {
        let options =
            || site.positional_argument(0).and_then(|node| object_entry(&self.expressions, node, keyword));
        let prefix_node = site.keyword_argument(keyword).or_else(options);
        let text = prefix_node.map_or(Some(String::new()), |node| self.texts.evaluate_template(node));
        let Some(prefix) = text.and_then(|text| normalize_prefix(&text)) else {
            return RouterBase { prefix: None, outer: RouterParent::Root(RouterOrigin::at_root()) };
        };
        let origin = RouterOrigin {
            creation_prefix: prefix.clone(),
            ..self.origin_of_router(assigned.unwrap_or(""), site.start_byte())
        };
        RouterBase { prefix: Some(prefix), outer: RouterParent::Root(origin) }
    }

    /// Records that a router is passed to a function as this parameter.
    pub(super) fn mount_function_parameter(&mut self, target: &str, parameter: u8, mount: RouterMount) {
        let name = match MountTarget::parse(target) {
            MountTarget::ExtensionMethod(name) => name,
            MountTarget::InModule(_) | MountTarget::Expression(_) => target,
        };
        if let Some(function) = self.names.find_function(name, mount.at) {
            let key = (function.qualified_name(), parameter);
            self.prefixes.parameter_mounts.entry(key).or_default().push(mount.clone());
        }
        self.record_written_mount(target.to_owned(), Some(parameter), mount);
    }

    /// Records `scope("/x").service(index)`, `.service(users::scope())`,
    /// `.configure(users::config)`.
    pub(super) fn record_services(&mut self, site: &RouteCallSite<'t>) {
        let mut certain = self.used.iter().filter(|used| used.is_certain).map(|used| used.framework);
        let is_service = certain.clone().any(|framework| framework.services.contains(&site.name));
        let passes_router = certain.any(|framework| framework.router_passers.contains(&site.name));
        if !is_service && !passes_router {
            return;
        }
        for argument in &site.arguments {
            let target = self.expressions.path_text(argument.node);
            let (outer_router, at) = (String::new(), argument.node.start_byte() as u32);
            let called = target.strip_suffix("()");
            if called.unwrap_or(&target).contains(['(', '?']) {
                continue;
            }
            let mount = RouterMount { path: Some(String::new()), outer_router, at, replaces_prefix: false };
            if passes_router {
                self.mount_function_parameter(&target, FIRST_PARAMETER, mount);
            } else {
                self.mount_served_function(called.unwrap_or(&target), mount);
            }
        }
    }

    /// Returns the path of a group relative to its router, or `None` if unknown.
    pub(super) fn group_prefix(&self, site: &RouteCallSite<'t>) -> Option<String> {
        let first = site.positional_argument(0)?;
        // A group without a path only shares middleware.
        let is_without_path =
            matches!(parse_handler(&self.expressions, first), Some(RouteHandler::Inline(_)));
        if is_without_path {
            Some(String::new())
        } else {
            normalize_prefix(&self.texts.evaluate_template(first)?)
        }
    }

    /// Returns the joined paths of a group and of the groups before it in its chain, or `None` if
    /// unknown.
    fn chained_group_prefix(&self, framework: &WebFramework, site: &RouteCallSite<'t>) -> Option<String> {
        let before = self.chained_prefixes(framework, site.node)?;
        let before = before.iter().rev().fold(String::new(), |prefix, path| join_route_paths(&prefix, path));
        Some(join_route_paths(&before, &self.group_prefix(site)?))
    }
}
