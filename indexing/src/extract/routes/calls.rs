//! Routes that are written as calls: `router.get("/x", handler)`, and calls of endpoints.

use super::path::{normalised, of_route};
use super::roots::{Root, Router, first};
use super::table::{ANY, Framework, Method, VERBS, verb};
use super::texts::HOLE;
use super::values::{Handler, handler, option};
use super::{Found, Scan, Site, Used};
use crate::languages::Rule;
use tree_sitter::Node;

/// Paths as they are normalised, each with its node and whether all of it is known.
type Paths<'t> = Vec<(Node<'t>, (String, bool))>;

impl<'t> Scan<'_, 't> {
    /// Reads all noted calls: where routers are put, then routers and routes in the order of the text.
    pub(super) fn calls(&mut self) {
        let sites = std::mem::take(&mut self.sites);
        for site in &sites {
            self.mount(site);
            self.router(site);
            self.client(site);
        }
        for site in &sites {
            self.service(site);
        }
        for site in &sites {
            for used in self.used.clone() {
                let framework = used.framework;
                let takes = || framework.takes(&site.receiver) || self.made(framework, site).is_some();
                if let Some(method) = framework.call(&site.name).filter(|_| takes()) {
                    let before = self.routes.len();
                    self.route(used, site, method);
                    if used.surely && !framework.client && self.routes.len() > before {
                        self.note_serving(&self.root(site), site.start());
                    }
                }
            }
        }
    }

    fn route(&mut self, used: Used, site: &Site<'t>, method: &Method) {
        let framework = used.framework;
        if !used.surely && (site.receiver.is_empty() || site.receiver.contains(['(', '?'])) {
            return;
        }
        // `router.route("/x").get(handler)` has its path in the chain before.
        let chained = || self.chained(framework, site.node).is_some_and(|groups| !groups.is_empty());
        let in_chain = || (chained() || self.is_wrapped(framework, site.node)).then(String::new);
        let found = self.path_of(framework, site, method);
        let found = found.or_else(|| in_chain().map(|path| (None, vec![(site.node, (path, true))])));
        let Some((at, paths)) = found else { return };
        // Much else is registered.
        if framework.details
            && !site.receiver.to_lowercase().contains("router")
            && !self.is_router_by_binding(&site.receiver, site.start())
        {
            return;
        }
        if !framework.client && self.is_of_client(first(&site.receiver)) {
            return;
        }
        for (node, (text, whole)) in paths {
            if framework.client {
                let path = self.below_base(framework, site, node, text);
                for method in self.methods(framework, site, method, node) {
                    let (path, receiver) = (path.clone(), &site.receiver);
                    let root = Root::whole();
                    self.push(Found { used, method, path, root, handler: None, receiver, at: node });
                }
                continue;
            }
            let unknown = || vec![Router::unknown("")];
            let routers = if whole { self.told(self.before(framework, site)) } else { unknown() };
            for router in routers.iter().map(|router| router.below(&text)) {
                self.serve(used, site, method, (at, node, &router));
                if framework.details {
                    self.serve(used, site, method, (at, node, &router.below(HOLE)));
                }
            }
        }
    }

    /// Adds the routes that a call gives to a router.
    fn serve(
        &mut self,
        used: Used,
        site: &Site<'t>,
        method: &Method,
        (place, at, router): (Option<usize>, Node<'t>, &Router),
    ) {
        if *method == Method::Handlers {
            return self.handlers(used, site, at, (place, router));
        }
        for method in self.methods(used.framework, site, method, at) {
            let Some(handler) = self.handler_of(used.framework, site, place) else { return };
            let (Router { prefix: path, root }, receiver) = (router.clone(), &site.receiver);
            self.push(Found { used, method, path, root, handler: Some(handler), receiver, at });
        }
    }

    /// Whether a name is imported from a package that calls endpoints.
    fn is_of_client(&self, name: &str) -> bool {
        let mut clients = self.used.iter().map(|used| used.framework).filter(|f| f.client && !f.always);
        let serves = || self.is_of_framework(name);
        let import = self.names.import(name).filter(|_| !serves());
        import.is_some_and(|import| clients.any(|f| f.imported([import.path.as_str()].into_iter())))
    }

    /// The argument that is the path, or a list of paths: its number, and each path's node and normalised text.
    fn path_of(
        &self,
        framework: &Framework,
        site: &Site<'t>,
        method: &Method,
    ) -> Option<(Option<usize>, Paths<'t>)> {
        if let Some(object) = site.object().filter(|_| matches!(method, Method::Options | Method::Object)) {
            let node = option(&self.x, object, "url").or_else(|| option(&self.x, object, "path"))?;
            return Some((None, vec![(node, self.path_in(framework, method, node)?)]));
        }
        if *method == Method::Object {
            return None;
        }
        let taken = if let Method::Argument(at) = method { Some(*at as usize) } else { None };
        let places = (0..3).filter(|at| Some(*at) != taken);
        // A server's path is its first argument; a client's may stand behind a context.
        let mut places = places.take(if framework.client { 3 } else { 1 });
        let first = places.clone().next();
        let positional = places.find_map(|at| {
            let node = site.positional(at)?;
            if Some(at) == first
                && let Some(path) = self.path_behind_address(framework, site, node)
            {
                return Some((Some(at), vec![(node, (path, true))]));
            }
            let mut cursor = node.walk();
            let is_list = node.kind() == "array" && !framework.client;
            let nodes = if is_list { node.named_children(&mut cursor).collect() } else { vec![node] };
            let paths =
                nodes.into_iter().filter_map(|node| Some((node, self.path_in(framework, method, node)?)));
            Some((Some(at), paths.collect())).filter(|(_, paths): &(_, Vec<_>)| !paths.is_empty())
        });
        positional.or_else(|| {
            let node = site.keyword("url").filter(|_| framework.client)?;
            Some((None, vec![(node, self.path_in(framework, method, node)?)]))
        })
    }

    /// An argument as a path.
    fn path_in(&self, framework: &Framework, method: &Method, node: Node) -> Option<(String, bool)> {
        let text = self.texts.template(node)?;
        let text = match method {
            Method::Pattern => text.split_once(' ').map_or(text.as_str(), |(_, path)| path.trim()),
            _ => &text,
        };
        let text = text.strip_suffix("{$}").unwrap_or(text);
        // `example.org/path` of Go's patterns.
        let text =
            if *method == Method::Pattern { text.find('/').map_or(text, |at| &text[at..]) } else { text };
        of_route(framework, text)
    }

    fn methods(
        &self,
        framework: &Framework,
        site: &Site<'t>,
        method: &Method,
        path: Node,
    ) -> Vec<&'static str> {
        let one = |method: Option<&'static str>| method.into_iter().collect();
        match method {
            Method::Named(method) => vec![method],
            Method::Pattern => {
                let text = self.texts.template(path).unwrap_or_default();
                vec![text.split_once(' ').and_then(|(method, _)| verb(method)).unwrap_or(ANY)]
            }
            Method::Argument(at) => one(site.positional(*at as usize).and_then(|node| self.method_in(node))),
            Method::Options | Method::Object if site.object().is_some() => {
                let other = if framework.client { "GET" } else { ANY };
                let named = site.object().and_then(|object| option(&self.x, object, "method"));
                named.map_or_else(|| vec![other], |node| self.methods_in(node))
            }
            Method::Options => {
                let options = site.positional(1).and_then(|node| option(&self.x, node, "method"));
                match options {
                    Some(node) => one(self.method_in(node)),
                    None => vec!["GET"],
                }
            }
            Method::Receiver => {
                let last = site.receiver.trim_end_matches("()").rsplit('.').next().unwrap_or("");
                one(verb(last))
            }
            Method::Keyword(other) => {
                let words = site.keyword("methods").or_else(|| site.keyword("method"));
                words.map_or_else(|| vec![*other], |node| verbs_in(self.x.text_of(node)))
            }
            Method::Chain(other) => {
                let mut chained = self.methods_behind(framework, site.node);
                if chained.is_empty() {
                    chained = self.methods_before(framework, site.node);
                }
                if chained.is_empty() { vec![other] } else { chained }
            }
            Method::Handlers | Method::Object => Vec::new(),
        }
    }

    /// The methods that an argument names: one, or a list.
    fn methods_in(&self, node: Node) -> Vec<&'static str> {
        let mut cursor = node.walk();
        let nodes =
            if node.kind() == "array" { node.named_children(&mut cursor).collect() } else { vec![node] };
        nodes.into_iter().filter_map(|node| self.method_in(node)).collect()
    }

    /// The method that an argument names: `"POST"`, `http.MethodPost`, `HttpMethod.POST`.
    fn method_in(&self, node: Node) -> Option<&'static str> {
        if let Some(text) = self.texts.template(node) {
            return verb(&text);
        }
        let path = self.x.path(node);
        let last = path.rsplit('.').next().unwrap_or("");
        verb(last.strip_prefix("Method").unwrap_or(last))
    }

    /// Who serves a route; `None` where nobody does.
    fn handler_of(&self, framework: &Framework, site: &Site<'t>, path: Option<usize>) -> Option<Handler<'t>> {
        if let Some(object) = site.object() {
            return handler(&self.x, option(&self.x, object, "handler")?);
        }
        let node = match framework.handler.as_str() {
            "none" => {
                let block = site.node.child_by_field_name("block")?;
                return Some(Handler::Inline(block));
            }
            "" => site.arguments.iter().rposition(|argument| argument.keyword.is_empty()).and_then(|last| {
                let positional = site.arguments.iter().filter(|a| a.keyword.is_empty()).count();
                (positional > path.map_or(0, |path| path + 1)).then(|| site.arguments[last].node)
            }),
            word => match word.parse::<usize>() {
                Ok(at) => site.positional(at),
                Err(_) => site.keyword(word).or_else(|| site.positional(2)),
            },
        };
        let keyword = || site.keyword("endpoint").or_else(|| site.keyword("handler"));
        handler(&self.x, node.or_else(keyword)?)
    }

    /// `get(list).post(create)`, `web::get().to(index)`: a route for each.
    fn handlers(
        &mut self,
        used: Used,
        site: &Site<'t>,
        at: Node<'t>,
        (place, router): (Option<usize>, &Router),
    ) {
        let Some(mut node) = site.positional(place.map_or(0, |place| place + 1)) else { return };
        let mut pending: Option<Node<'t>> = None;
        for _ in 0..=VERBS.len() {
            let Some((name, _)) = self.x.split(node) else { return };
            let name = self.x.text_of(name);
            let last = super::values::arguments(&self.x, node).last().map(|argument| argument.node);
            let method = if name == "any" { Some(ANY) } else { verb(name) };
            let serving = last.or(pending.take());
            if name == "to" {
                pending = last;
            } else if let (Some(method), Some(serving)) = (method, serving)
                && let Some(handler) = handler(&self.x, serving)
            {
                let (Router { prefix: path, root }, receiver) = (router.clone(), &site.receiver);
                self.push(Found { used, method, path, root, handler: Some(handler), receiver, at });
            }
            let Rule::Call(field) = self.x.kinds.rule(node.kind_id()) else { return };
            let Some(callee) = node.child_by_field_id(field) else { return };
            let Rule::Member(Some(object), _) = self.x.kinds.rule(callee.kind_id()) else { return };
            match callee.child_by_field_id(object) {
                Some(object) => node = object,
                None => return,
            }
        }
    }
}

/// A prefix as a path; the root adds nothing.
pub(super) fn prefix_path(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let path = normalised(text, true, false)?;
    Some(if path == "/" { String::new() } else { path })
}

/// The HTTP methods among the words of a text.
pub(super) fn verbs_in(text: &str) -> Vec<&'static str> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let mut found: Vec<&'static str> =
        words.filter_map(|word| verb(word.strip_prefix("Method").unwrap_or(word))).collect();
    found.sort_unstable();
    found.dedup();
    found
}
