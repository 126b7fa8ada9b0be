//! Chains of calls: the calls before and after a call, and the names to which their values are
//! assigned.
//!
//! Fluent frameworks spread a route over a chain: `app.basePath("/x").get("/y", handler)` has the
//! router at its beginning, a prefix in the middle and the route at its end. The functions here
//! walk a chain in either direction within fixed limits. A prefix beyond a limit is unknown.

use super::framework_table::{WebFramework, parse_http_method};
use super::route_calls::{normalize_prefix, parse_http_methods};
use super::router_origin::{RouterPrefix, first_segment};
use super::{RouteCallSite, RouteScan};
use crate::extract::expressions::{UNKNOWN, field_or_first_child};
use crate::languages::ExpressionRule;
use tree_sitter::Node;

/// Maximum number of calls and declarations that are visited around a chain. Fluent builders chain
/// hundreds of calls.
const MAX_ANCESTORS: usize = 8;
/// Maximum number of calls visited per chain. All routes of a server may form one chain.
const MAX_CALLS_IN_CHAIN: usize = 256;

impl<'t> RouteScan<'_, 't> {
    /// Returns the name that a call's value is assigned to, directly or after further calls.
    pub(super) fn assigned_name(&self, node: Node<'t>) -> Option<String> {
        let mut inner = self.last_in_chain(node);
        for _ in 0..MAX_ANCESTORS {
            let outer = self.parent_node(inner)?;
            if outer.child_by_field_name("body") == Some(inner) {
                // The value is inside the body of a function. It is not assigned to the name of the
                // function.
                return None;
            }
            let target = ["left", "name", "pattern", "alias"]
                .iter()
                .find_map(|field| outer.child_by_field_name(field));
            let is_assignment =
                ["assign", "decl", "as_pattern"].iter().any(|part| outer.kind().contains(part));
            if let Some(target) = target.filter(|target| is_assignment && target.id() != inner.id()) {
                let is_list = matches!(target.kind(), "expression_list" | "as_pattern_target");
                let first = if is_list { target.named_child(0)? } else { target };
                return Some(self.expressions.path_text(first)).filter(|path| path != "?");
            }
            inner = outer;
        }
        None
    }

    /// Returns the methods that the calls after this one name: `.Methods("GET")`, `.POST(body)`.
    pub(super) fn methods_after_call(&self, framework: &WebFramework, node: Node<'t>) -> Vec<&'static str> {
        let mut inner = node;
        for _ in 0..2 * MAX_ANCESTORS {
            let Some(outer) = self.parent_node(inner) else { break };
            let rule = self.expressions.kinds.expression_rule(outer.kind_id());
            match rule {
                ExpressionRule::Call(_) | ExpressionRule::MethodCall(..) => {
                    let Some((name, _)) = self.expressions.split_receiver(outer) else { break };
                    let name = self.expressions.node_text(name);
                    if name == framework.chained_methods {
                        let arguments = outer.child_by_field_name("arguments");
                        return arguments.map_or_else(Vec::new, |list| {
                            parse_http_methods(self.expressions.node_text(list))
                        });
                    }
                    if framework.client
                        && let Some(method) = parse_http_method(name).filter(|_| outer.id() != node.id())
                    {
                        return vec![method];
                    }
                }
                ExpressionRule::Member(..) | ExpressionRule::Through(_) => {}
                _ => break,
            }
            inner = outer;
        }
        Vec::new()
    }

    /// Returns the methods that the calls before this one name:
    /// `Path("/x").Methods("GET").HandlerFunc(f)`.
    pub(super) fn methods_before_call(&self, framework: &WebFramework, node: Node<'t>) -> Vec<&'static str> {
        let names_methods = |call: &Node<'t>| {
            self.expressions
                .split_receiver(*call)
                .is_some_and(|(name, _)| self.expressions.node_text(name) == framework.chained_methods)
        };
        let call_with_methods = self.call_chain(node).0.into_iter().find(names_methods);
        let arguments = call_with_methods.and_then(|call| call.child_by_field_name("arguments"));
        arguments.map_or_else(Vec::new, |list| parse_http_methods(self.expressions.node_text(list)))
    }

    /// Returns the calls before this one in its chain, the nearest first, and the expression that
    /// the chain begins with.
    pub(super) fn call_chain(&self, node: Node<'t>) -> (Vec<Node<'t>>, Option<Node<'t>>) {
        let mut calls = Vec::new();
        let mut root = self.texts.call_receiver(node);
        while let Some((call, object)) = root.and_then(|call| Some((call, self.texts.call_receiver(call)?))) {
            if calls.len() == MAX_CALLS_IN_CHAIN {
                return (calls, None);
            }
            calls.push(call);
            root = Some(object);
        }
        (calls, root)
    }

    /// Returns the prefixes of the groups in the chain before a call, the nearest first:
    /// `app.basePath("/x").get("/y", ...)`. Empty if there are none; `None` if a prefix is unknown.
    pub(super) fn chained_prefixes(&self, framework: &WebFramework, node: Node<'t>) -> Option<Vec<String>> {
        let is_group = |call: &Node<'t>| {
            let Some((name, _)) = self.expressions.split_receiver(*call) else { return false };
            let name = self.expressions.node_text(name);
            // With a router after the path, the call mounts that router and returns no group.
            let is_mount = || {
                framework.mounts.contains_key(name)
                    && super::call_arguments::collect_arguments(&self.expressions, *call).len() > 1
            };
            framework.groups.iter().any(|group| group == name) && !is_mount()
        };
        let groups = self.call_chain(node).0.into_iter().filter(is_group);
        let path = |call: Node<'t>| {
            let first = super::call_arguments::collect_arguments(&self.expressions, call).first()?.node;
            normalize_prefix(&self.texts.evaluate_template(first)?)
        };
        groups.map(path).collect()
    }

    /// Returns the expression that the chain of a call begins with. If that is the framework,
    /// returns the name that the chain's value is assigned to.
    pub(super) fn chain_root(&self, site: &RouteCallSite<'t>) -> String {
        let (calls, first) = self.call_chain(site.node);
        let root = match first {
            _ if calls.is_empty() => site.receiver.clone(),
            Some(first) => self.expressions.path_text(first),
            None => UNKNOWN.to_owned(),
        };
        let assigned =
            self.is_framework_name(first_segment(&root)).then(|| self.assigned_chain_name(site.node));
        assigned.flatten().unwrap_or(root)
    }

    /// Returns the name that the value of a call's chain is assigned to.
    fn assigned_chain_name(&self, node: Node<'t>) -> Option<String> {
        let top = self.last_in_chain(node);
        let outer = self.parent_node(top)?;
        let value = outer.child_by_field_name("value").or_else(|| outer.child_by_field_name("right"))?;
        if value.id() == top.id() { self.assigned_name(node) } else { None }
    }

    /// Returns the prefixes of a call's path, one for each mount point. Each joins a prefix of the
    /// router that the chain begins with and the paths of the groups in the chain. Empty if the
    /// prefix of a group is unknown.
    pub(super) fn prefixes_of_call(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
    ) -> Vec<RouterPrefix> {
        let Some(group_paths) = self.chained_prefixes(framework, site.node) else { return Vec::new() };
        // Routes in a list belong to the list.
        let root = if framework.list.is_empty() {
            self.chain_root(site)
        } else {
            self.assigned_name(site.node).unwrap_or_else(|| framework.list.clone())
        };
        let routers = self
            .prefixes_of_router(&root, site.start_byte())
            .into_iter()
            .map(|router| router.for_framework(framework));
        routers
            .map(|router| group_paths.iter().rev().fold(router, |router, path| router.join_path(path)))
            .collect()
    }

    /// Returns the last call of the chain that a call is in.
    pub(super) fn last_in_chain(&self, node: Node<'t>) -> Node<'t> {
        let mut inner = node;
        while let Some(outer) = self.parent_node(inner) {
            let is_link = match self.expressions.kinds.expression_rule(outer.kind_id()) {
                ExpressionRule::Call(field) => field_or_first_child(outer, field) == Some(inner),
                ExpressionRule::MethodCall(object, _) | ExpressionRule::Member(Some(object), _) => {
                    outer.child_by_field_id(object) == Some(inner)
                }
                _ => false,
            };
            if !is_link {
                break;
            }
            inner = outer;
        }
        inner
    }

    /// Whether the chain of a call begins with a call that puts all routes in the chain below a
    /// path.
    pub(super) fn is_in_scope_chain(&self, framework: &WebFramework, node: Node<'t>) -> bool {
        let first = self.call_chain(node).0.last().and_then(|call| self.expressions.split_receiver(*call));
        first.is_some_and(|(name, _)| {
            framework.chain_scopes.iter().any(|wraps| wraps == self.expressions.node_text(name))
        })
    }
}
