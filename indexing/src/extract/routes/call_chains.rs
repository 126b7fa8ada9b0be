//! Chains of calls around a call, and the names that their values are given to.

use super::framework_table::{WebFramework, parse_http_method};
use super::route_calls::{normalize_prefix, parse_http_methods};
use super::router_origin::{RouterPrefix, first_segment};
use super::{RouteCallSite, RouteScan};
use crate::extract::expressions::UNKNOWN;
use crate::languages::ExpressionRule;
use tree_sitter::Node;

/// Calls and declarations visited around a chain.
const MAX_AROUND: usize = 8;
/// Calls visited per chain: all routes of a server may be one.
const MAX_LINKS: usize = 256;

impl<'t> RouteScan<'_, 't> {
    /// The name that a call's value is assigned to, directly or behind further calls.
    pub(super) fn assigned_name(&self, node: Node<'t>) -> Option<String> {
        let mut inner = self.last_in_chain(node);
        for _ in 0..MAX_AROUND {
            let outer = self.parent_node(inner)?;
            if outer.child_by_field_name("body") == Some(inner) {
                // What a function does gives its name to nothing.
                return None;
            }
            let target = ["left", "name", "pattern", "alias"]
                .iter()
                .find_map(|field| outer.child_by_field_name(field));
            let declares = ["assign", "decl", "as_pattern"].iter().any(|part| outer.kind().contains(part));
            if let Some(target) = target.filter(|target| declares && target.id() != inner.id()) {
                let holds = matches!(target.kind(), "expression_list" | "as_pattern_target");
                let first = if holds { target.named_child(0)? } else { target };
                return Some(self.x.path_text(first)).filter(|path| path != "?");
            }
            inner = outer;
        }
        None
    }

    /// Methods that calls behind this one name: `.Methods("GET")`, `.POST(body)`.
    pub(super) fn methods_after_call(&self, framework: &WebFramework, node: Node<'t>) -> Vec<&'static str> {
        let mut inner = node;
        for _ in 0..2 * MAX_AROUND {
            let Some(outer) = self.parent_node(inner) else { break };
            let rule = self.x.kinds.expression_rule(outer.kind_id());
            match rule {
                ExpressionRule::Call(_) | ExpressionRule::MethodCall(..) => {
                    let Some((name, _)) = self.x.split_receiver(outer) else { break };
                    let name = self.x.node_text(name);
                    if name == framework.chained_methods {
                        let arguments = outer.child_by_field_name("arguments");
                        return arguments
                            .map_or_else(Vec::new, |list| parse_http_methods(self.x.node_text(list)));
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

    /// Methods that calls before this one name: `Path("/x").Methods("GET").HandlerFunc(f)`.
    pub(super) fn methods_before_call(&self, framework: &WebFramework, node: Node<'t>) -> Vec<&'static str> {
        let named = |call: &Node<'t>| {
            self.x
                .split_receiver(*call)
                .is_some_and(|(name, _)| self.x.node_text(name) == framework.chained_methods)
        };
        let found = self.call_chain(node).0.into_iter().find(named);
        let arguments = found.and_then(|call| call.child_by_field_name("arguments"));
        arguments.map_or_else(Vec::new, |list| parse_http_methods(self.x.node_text(list)))
    }

    /// The calls that stand before one in its chain, the nearest first, and what the chain begins with.
    pub(super) fn call_chain(&self, node: Node<'t>) -> (Vec<Node<'t>>, Option<Node<'t>>) {
        let mut calls = Vec::new();
        let mut root = self.texts.call_receiver(node);
        while let Some((call, object)) = root.and_then(|call| Some((call, self.texts.call_receiver(call)?))) {
            if calls.len() == MAX_LINKS {
                return (calls, None);
            }
            calls.push(call);
            root = Some(object);
        }
        (calls, root)
    }

    /// What the routers in the chain before a call put before its path: `app.basePath("/x").get("/y", ...)`; empty where
    /// there are none.
    pub(super) fn chained_prefixes(&self, framework: &WebFramework, node: Node<'t>) -> Option<Vec<String>> {
        let is_group = |call: &Node<'t>| {
            let Some((name, _)) = self.x.split_receiver(*call) else { return false };
            let name = self.x.node_text(name);
            // With a router behind the path it is put there, and gives no other.
            let mounts = || {
                framework.mounts.contains_key(name)
                    && super::call_arguments::collect_arguments(&self.x, *call).len() > 1
            };
            framework.groups.iter().any(|group| group == name) && !mounts()
        };
        let groups = self.call_chain(node).0.into_iter().filter(is_group);
        let path = |call: Node<'t>| {
            let first = super::call_arguments::collect_arguments(&self.x, call).first()?.node;
            normalize_prefix(&self.texts.evaluate_template(first)?)
        };
        groups.map(path).collect()
    }

    /// What the chain of a call begins with: where that is the framework's, the name that the chain's value is given to.
    pub(super) fn chain_root(&self, site: &RouteCallSite<'t>) -> String {
        let (calls, begin) = self.call_chain(site.node);
        let root = match begin {
            _ if calls.is_empty() => site.receiver.clone(),
            Some(begin) => self.x.path_text(begin),
            None => UNKNOWN.to_owned(),
        };
        let made = self.is_framework_name(first_segment(&root)).then(|| self.assigned_chain_name(site.node));
        made.flatten().unwrap_or(root)
    }

    /// The name that the value of a call's chain is assigned to.
    fn assigned_chain_name(&self, node: Node<'t>) -> Option<String> {
        let top = self.last_in_chain(node);
        let outer = self.parent_node(top)?;
        let value = outer.child_by_field_name("value").or_else(|| outer.child_by_field_name("right"))?;
        if value.id() == top.id() { self.assigned_name(node) } else { None }
    }

    /// What stands before the path of a call, at each place: by the router that its chain begins with, and by those in the
    /// chain.
    pub(super) fn prefixes_of_call(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
    ) -> Vec<RouterPrefix> {
        let Some(chained) = self.chained_prefixes(framework, site.node) else { return Vec::new() };
        // What stands in a list belongs to that.
        let root = if framework.list.is_empty() {
            self.chain_root(site)
        } else {
            self.assigned_name(site.node).unwrap_or_else(|| framework.list.clone())
        };
        let places = self
            .prefixes_of_router(&root, site.start_byte())
            .into_iter()
            .map(|router| router.for_framework(framework));
        places
            .map(|router| chained.iter().rev().fold(router, |router, path| router.join_path(path)))
            .collect()
    }

    /// The last call of the chain that a call stands in.
    pub(super) fn last_in_chain(&self, node: Node<'t>) -> Node<'t> {
        let mut inner = node;
        while let Some(outer) = self.parent_node(inner) {
            let is_link = match self.x.kinds.expression_rule(outer.kind_id()) {
                ExpressionRule::Call(field) => outer.child_by_field_id(field) == Some(inner),
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

    /// Whether the chain of a call begins with one that gives all of it a path.
    pub(super) fn is_in_scope_chain(&self, framework: &WebFramework, node: Node<'t>) -> bool {
        let first = self.call_chain(node).0.last().and_then(|call| self.x.split_receiver(*call));
        first.is_some_and(|(name, _)| framework.wraps.iter().any(|wraps| wraps == self.x.node_text(name)))
    }
}
