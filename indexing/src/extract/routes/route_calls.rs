//! Routes written as calls, `router.get("/x", handler)`, and calls to endpoints by clients.
//!
//! The walk has recorded all calls with a name that some framework uses. They are read in three
//! rounds: mounts, routers and clients, then services, then routes, because a route's prefix
//! depends on the first two. For each route, the functions find the path or paths, the HTTP
//! methods and the handler among the arguments.

use super::call_arguments::{RouteHandler, object_entry, parse_handler};
use super::framework_table::{ANY, HttpMethodSource, VERBS, WebFramework, parse_http_method};
use super::path_template::{PathForm, PathUse, normalize_route_path, parse_route_path};
use super::router_origin::{RouterOrigin, RouterPrefix, first_segment};
use super::string_evaluation::HOLE;
use super::{FoundRoute, RouteCallSite, RouteScan, UsedFramework};
use crate::extract::expressions::field_or_first_child;
use crate::languages::ExpressionRule;
use tree_sitter::Node;

/// Normalized paths, each with its node and whether all of it is known.
type RoutePaths<'t> = Vec<(Node<'t>, (String, bool))>;

impl<'t> RouteScan<'_, 't> {
    /// Reads all recorded calls: first mounts, routers and clients, then services, then routes,
    /// each in the order of the text.
    pub(super) fn collect_call_routes(&mut self) {
        let sites = std::mem::take(&mut self.sites);
        for site in &sites {
            self.record_mount_call(site);
            self.record_router(site);
            self.record_client(site);
        }
        for site in &sites {
            self.record_services(site);
        }
        for site in &sites {
            for used in self.used.clone() {
                let framework = used.framework;
                let accepts_receiver = || {
                    framework.accepts_receiver(&site.receiver) || self.find_client(framework, site).is_some()
                };
                if let Some(method) = framework.call_method(&site.name).filter(|_| accepts_receiver()) {
                    let before = self.routes.len();
                    self.push_call_routes(used, site, method);
                    if used.is_certain && !framework.client && self.routes.len() > before {
                        self.record_serving(&self.chain_root(site), site.start_byte());
                    }
                }
            }
        }
    }

    fn push_call_routes(&mut self, used: UsedFramework, site: &RouteCallSite<'t>, method: &HttpMethodSource) {
        let framework = used.framework;
        if !used.is_certain && (site.receiver.is_empty() || site.receiver.contains(['(', '?'])) {
            return;
        }
        // The path of `router.route("/x").get(handler)` is in the chain before the call.
        let is_in_group_chain =
            || self.chained_prefixes(framework, site.node).is_some_and(|groups| !groups.is_empty());
        let in_chain =
            || (is_in_group_chain() || self.is_in_scope_chain(framework, site.node)).then(String::new);
        let path_argument = self.find_route_paths(framework, site, method);
        let path_argument =
            path_argument.or_else(|| in_chain().map(|path| (None, vec![(site.node, (path, true))])));
        let Some((at, paths)) = path_argument else { return };
        // Methods that are unrelated to routes may also be named `register`.
        if framework.details
            && !site.receiver.to_lowercase().contains("router")
            && !self.is_bound_to_router(&site.receiver, site.start_byte())
        {
            return;
        }
        if !framework.client && self.is_client_import(first_segment(&site.receiver)) {
            return;
        }
        for (node, (text, whole)) in paths {
            if framework.client {
                let path = self.join_client_base(framework, site, node, text);
                for method in self.route_methods(framework, site, method, node) {
                    let (path, receiver) = (path.clone(), &site.receiver);
                    let origin = RouterOrigin::at_root();
                    self.push_route(FoundRoute {
                        used,
                        method,
                        path,
                        origin,
                        handler: None,
                        receiver,
                        at: node,
                    });
                }
                continue;
            }
            let unknown = || vec![RouterPrefix::with_unknown_origin("")];
            let routers = if whole {
                self.limit_router_prefixes(self.prefixes_of_call(framework, site))
            } else {
                unknown()
            };
            for router in routers.iter().map(|router| router.join_path(&text)) {
                self.push_served_routes(used, site, method, at, node, &router);
                if framework.details {
                    self.push_served_routes(used, site, method, at, node, &router.join_path(HOLE));
                }
            }
        }
    }

    /// Adds the routes that a call registers on a router.
    fn push_served_routes(
        &mut self,
        used: UsedFramework,
        site: &RouteCallSite<'t>,
        method: &HttpMethodSource,
        path_position: Option<usize>,
        at: Node<'t>,
        router: &RouterPrefix,
    ) {
        if *method == HttpMethodSource::Handlers {
            return self.push_handler_chain(used, site, at, path_position, router);
        }
        for method in self.route_methods(used.framework, site, method, at) {
            let Some(handler) = self.find_handler(used.framework, site, path_position) else { return };
            let (RouterPrefix { prefix: path, origin }, receiver) = (router.clone(), &site.receiver);
            self.push_route(FoundRoute { used, method, path, origin, handler: Some(handler), receiver, at });
        }
    }

    /// Whether a name is imported from a package that calls endpoints.
    fn is_client_import(&self, name: &str) -> bool {
        let mut clients = self.used.iter().map(|used| used.framework).filter(|f| f.client && !f.always);
        let is_server_framework = || self.is_framework_name(name);
        let import = self.names.find_import(name).filter(|_| !is_server_framework());
        import.is_some_and(|import| clients.any(|f| f.is_imported([import.path.as_str()].into_iter())))
    }

    /// Finds the argument that is the path, or a list of paths. Returns its position and, for each
    /// path, the node and the normalized text.
    fn find_route_paths(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
        method: &HttpMethodSource,
    ) -> Option<(Option<usize>, RoutePaths<'t>)> {
        if let Some(object) = site
            .options_object()
            .filter(|_| matches!(method, HttpMethodSource::Options | HttpMethodSource::Object))
        {
            let node = object_entry(&self.expressions, object, "url")
                .or_else(|| object_entry(&self.expressions, object, "path"))?;
            return Some((None, vec![(node, self.parse_path_argument(framework, method, node)?)]));
        }
        if *method == HttpMethodSource::Object {
            return None;
        }
        let method_position =
            if let HttpMethodSource::Argument(at) = method { Some(*at as usize) } else { None };
        let positions = (0..3).filter(|at| Some(*at) != method_position);
        // The path of a server's route is its first argument; that of a client may come after a
        // context.
        let mut positions = positions.take(if framework.client { 3 } else { 1 });
        let first = positions.clone().next();
        let positional = positions.find_map(|at| {
            let node = site.positional_argument(at)?;
            if Some(at) == first
                && let Some(path) = self.relative_client_path(framework, site, node)
            {
                return Some((Some(at), vec![(node, (path, true))]));
            }
            let mut cursor = node.walk();
            let is_list = node.kind() == "array" && !framework.client;
            let nodes = if is_list { node.named_children(&mut cursor).collect() } else { vec![node] };
            let paths = nodes
                .into_iter()
                .filter_map(|node| Some((node, self.parse_path_argument(framework, method, node)?)));
            Some((Some(at), paths.collect())).filter(|(_, paths): &(_, Vec<_>)| !paths.is_empty())
        });
        positional.or_else(|| {
            let node = site.keyword_argument("url").filter(|_| framework.client)?;
            Some((None, vec![(node, self.parse_path_argument(framework, method, node)?)]))
        })
    }

    /// Parses an argument as a path.
    fn parse_path_argument(
        &self,
        framework: &WebFramework,
        method: &HttpMethodSource,
        node: Node,
    ) -> Option<(String, bool)> {
        let text = self.texts.evaluate_template(node)?;
        let text = match method {
            HttpMethodSource::Pattern => text.split_once(' ').map_or(text.as_str(), |(_, path)| path.trim()),
            _ => &text,
        };
        let text = text.strip_suffix("{$}").unwrap_or(text);
        // Go's patterns may begin with a host: `example.org/path`.
        let text = if *method == HttpMethodSource::Pattern {
            text.find('/').map_or(text, |at| &text[at..])
        } else {
            text
        };
        parse_route_path(framework, text)
    }

    /// Returns the HTTP methods of a route with this path, according to the framework's source of
    /// methods.
    fn route_methods(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
        method: &HttpMethodSource,
        path: Node,
    ) -> Vec<&'static str> {
        let into_list = |method: Option<&'static str>| method.into_iter().collect();
        match method {
            HttpMethodSource::Named(method) => vec![method],
            HttpMethodSource::Pattern => {
                let text = self.texts.evaluate_template(path).unwrap_or_default();
                vec![text.split_once(' ').and_then(|(method, _)| parse_http_method(method)).unwrap_or(ANY)]
            }
            HttpMethodSource::Argument(at) => into_list(
                site.positional_argument(*at as usize).and_then(|node| self.method_of_argument(node)),
            ),
            HttpMethodSource::Options | HttpMethodSource::Object if site.options_object().is_some() => {
                let default = if framework.client { "GET" } else { ANY };
                let method_entry = site
                    .options_object()
                    .and_then(|object| object_entry(&self.expressions, object, "method"));
                method_entry.map_or_else(|| vec![default], |node| self.methods_of_argument(node))
            }
            HttpMethodSource::Options => {
                let options = site
                    .positional_argument(1)
                    .and_then(|node| object_entry(&self.expressions, node, "method"));
                match options {
                    Some(node) => into_list(self.method_of_argument(node)),
                    None => vec!["GET"],
                }
            }
            HttpMethodSource::Receiver => {
                let last = site.receiver.trim_end_matches("()").rsplit('.').next().unwrap_or("");
                into_list(parse_http_method(last))
            }
            HttpMethodSource::Keyword(default) => {
                let words = site.keyword_argument("methods").or_else(|| site.keyword_argument("method"));
                words.map_or_else(
                    || vec![*default],
                    |node| parse_http_methods(self.expressions.node_text(node)),
                )
            }
            HttpMethodSource::Chain(default) => {
                let mut chained = self.methods_after_call(framework, site.node);
                if chained.is_empty() {
                    chained = self.methods_before_call(framework, site.node);
                }
                if chained.is_empty() { vec![default] } else { chained }
            }
            HttpMethodSource::Handlers | HttpMethodSource::Object => Vec::new(),
        }
    }

    /// Returns the methods in an argument, which names one method or is a list.
    fn methods_of_argument(&self, node: Node) -> Vec<&'static str> {
        let mut cursor = node.walk();
        let nodes =
            if node.kind() == "array" { node.named_children(&mut cursor).collect() } else { vec![node] };
        nodes.into_iter().filter_map(|node| self.method_of_argument(node)).collect()
    }

    /// Returns the method that an argument names: `"POST"`, `http.MethodPost`, `HttpMethod.POST`.
    fn method_of_argument(&self, node: Node) -> Option<&'static str> {
        if let Some(text) = self.texts.evaluate_template(node) {
            return parse_http_method(&text);
        }
        let path = self.expressions.path_text(node);
        let last = path.rsplit('.').next().unwrap_or("");
        parse_http_method(last.strip_prefix("Method").unwrap_or(last))
    }

    /// Returns the handler of a route; `None` if it has none.
    fn find_handler(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
        path: Option<usize>,
    ) -> Option<RouteHandler<'t>> {
        if let Some(object) = site.options_object() {
            return parse_handler(&self.expressions, object_entry(&self.expressions, object, "handler")?);
        }
        let node = match framework.handler.as_str() {
            "none" => {
                let block = site.node.child_by_field_name("block")?;
                return Some(RouteHandler::Inline(block));
            }
            "" => site.arguments.iter().rposition(|argument| argument.keyword.is_empty()).and_then(|last| {
                let positional = site.arguments.iter().filter(|a| a.keyword.is_empty()).count();
                (positional > path.map_or(0, |path| path + 1)).then(|| site.arguments[last].node)
            }),
            name => match name.parse::<usize>() {
                Ok(at) => site.positional_argument(at),
                Err(_) => site.keyword_argument(name).or_else(|| site.positional_argument(2)),
            },
        };
        let keyword = || site.keyword_argument("endpoint").or_else(|| site.keyword_argument("handler"));
        parse_handler(&self.expressions, node.or_else(keyword)?)
    }

    /// Adds a route for each call in `get(list).post(create)` or `web::get().to(index)`.
    fn push_handler_chain(
        &mut self,
        used: UsedFramework,
        site: &RouteCallSite<'t>,
        at: Node<'t>,
        path_position: Option<usize>,
        router: &RouterPrefix,
    ) {
        let Some(mut node) = site.positional_argument(path_position.map_or(0, |position| position + 1))
        else {
            return;
        };
        let mut pending: Option<Node<'t>> = None;
        for _ in 0..=VERBS.len() {
            let Some((name, _)) = self.expressions.split_receiver(node) else { return };
            let name = self.expressions.node_text(name);
            let last = super::call_arguments::collect_arguments(&self.expressions, node)
                .last()
                .map(|argument| argument.node);
            let method = if name == "any" { Some(ANY) } else { parse_http_method(name) };
            let handler_node = last.or(pending.take());
            if name == "to" {
                pending = last;
            } else if let (Some(method), Some(handler_node)) = (method, handler_node)
                && let Some(handler) = parse_handler(&self.expressions, handler_node)
            {
                let (RouterPrefix { prefix: path, origin }, receiver) = (router.clone(), &site.receiver);
                self.push_route(FoundRoute {
                    used,
                    method,
                    path,
                    origin,
                    handler: Some(handler),
                    receiver,
                    at,
                });
            }
            let ExpressionRule::Call(field) = self.expressions.kinds.expression_rule(node.kind_id()) else {
                return;
            };
            let Some(callee) = field_or_first_child(node, field) else { return };
            let ExpressionRule::Member(Some(object), _) =
                self.expressions.kinds.expression_rule(callee.kind_id())
            else {
                return;
            };
            match callee.child_by_field_id(object) {
                Some(object) => node = object,
                None => return,
            }
        }
    }
}

/// Normalizes a prefix. The root becomes the empty text, because it adds nothing to a path.
pub(super) fn normalize_prefix(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let path = normalize_route_path(text, PathForm::Relative, PathUse::Served)?;
    Some(if path == "/" { String::new() } else { path })
}

/// Returns the HTTP methods among the words of a text, sorted and without duplicates.
pub(super) fn parse_http_methods(text: &str) -> Vec<&'static str> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let mut methods: Vec<&'static str> =
        words.filter_map(|word| parse_http_method(word.strip_prefix("Method").unwrap_or(word))).collect();
    methods.sort_unstable();
    methods.dedup();
    methods
}
