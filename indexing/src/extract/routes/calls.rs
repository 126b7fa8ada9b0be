//! Routes that are written as calls: `router.get("/x", handler)`, and calls of endpoints.

use super::path::{join, normalised};
use super::table::{ANY, Framework, Method, VERBS, verb};
use super::values::{Handler, handler, option};
use super::{Found, Scan, Site, Used};
use crate::languages::Rule;
use tree_sitter::Node;

/// Calls and declarations around a call that are looked at.
const MAX_AROUND: usize = 8;

impl<'t> Scan<'_, 't> {
    /// Reads all noted calls: where routers are put, then routers and routes in the order of the text.
    pub(super) fn calls(&mut self) {
        let sites = std::mem::take(&mut self.sites);
        for site in &sites {
            self.mount(site);
        }
        for site in &sites {
            self.router(site);
        }
        for site in &sites {
            for used in self.used.clone() {
                let framework = used.framework;
                if let Some(method) = framework.call(&site.name).filter(|_| framework.takes(&site.receiver)) {
                    self.route(used, site, method);
                }
            }
        }
    }

    /// `app.use("/api", router)`, `app.include_router(router, prefix="/api")`, `.nest("/api", routes())`.
    fn mount(&mut self, site: &Site<'t>) {
        let keyword = self.used.iter().filter(|u| u.surely).find_map(|u| u.framework.mounts.get(&site.name));
        let Some(keyword) = keyword else { return };
        let (prefix, router) = if keyword.is_empty() {
            let Some(router) = site.positional(1) else { return };
            (site.positional(0).and_then(|node| self.texts.template(node)), router)
        } else {
            let Some(router) = site.positional(0) else { return };
            let options = || site.positional(1).and_then(|node| option(&self.x, node, keyword));
            let named = site.keyword(keyword).or_else(options);
            (named.map_or(Some(String::new()), |node| self.texts.template(node)), router)
        };
        let prefix = prefix.and_then(|text| prefix_path(&text));
        let path = self.x.path(router);
        if path == crate::extract::expressions::UNKNOWN || path.contains(").") {
            let (start, end) = (router.start_byte() as u32, router.end_byte() as u32);
            self.prefixes.spans.push((start, end, prefix));
        } else {
            self.prefixes.mounts.insert(path, prefix);
        }
    }

    /// `g = r.Group("/x")`, `bp = Blueprint(..., url_prefix="/x")`, `r.Route("/x", func(r chi.Router) {...})`.
    fn router(&mut self, site: &Site<'t>) {
        let frameworks = self.used.iter().map(|used| used.framework);
        let own = frameworks.clone().find_map(|framework| framework.routers.get(&site.name));
        let group = frameworks.clone().find(|framework| framework.groups.contains(&site.name));
        let made = if let Some(keyword) = own {
            let options = || site.positional(0).and_then(|node| option(&self.x, node, keyword));
            let named = site.keyword(keyword).or_else(options);
            named.map_or(Some(String::new()), |node| self.texts.template(node)).and_then(|p| prefix_path(&p))
        } else if let Some(group) = group {
            let Some(first) = site.positional(0) else { return };
            // A group without a path only shares what stands before its handlers.
            let shares = matches!(handler(&self.x, first), Some(Handler::Inline(_)));
            let text = if shares { Some(String::new()) } else { self.texts.template(first) };
            let outer = self.before(group, site);
            outer.zip(text.and_then(|text| prefix_path(&text))).map(|(outer, own)| join(&outer, &own))
        } else {
            return;
        };
        if let Some(name) = self.assigned(site.node) {
            self.prefixes.routers.entry(name).or_default().push((site.start(), made.clone()));
        }
        let last = site.arguments.last().and_then(|argument| handler(&self.x, argument.node));
        if let Some(Handler::Inline(function)) = last {
            let (start, end) = (function.start_byte() as u32, function.end_byte() as u32);
            self.prefixes.spans.push((start, end, made));
        }
    }

    /// The name that a call's value is assigned to, directly or behind further calls.
    fn assigned(&self, node: Node<'t>) -> Option<String> {
        let mut inner = node;
        for _ in 0..MAX_AROUND {
            let outer = self.parent(inner)?;
            let target =
                ["left", "name", "pattern"].iter().find_map(|field| outer.child_by_field_name(field));
            let declares = outer.kind().contains("assign") || outer.kind().contains("decl");
            if let Some(target) = target.filter(|target| declares && target.id() != inner.id()) {
                let first = if target.kind() == "expression_list" { target.named_child(0)? } else { target };
                return Some(self.x.path(first)).filter(|path| path != "?");
            }
            inner = outer;
        }
        None
    }

    /// What stands before the paths of a router's routes at a byte; `None` where that is not known.
    pub(super) fn prefix(&self, receiver: &str, at: u32) -> Option<String> {
        let span = self.prefixes.spans.iter().rev().find(|(start, end, _)| (*start..*end).contains(&at));
        let made = self.prefixes.routers.get(receiver).and_then(|all| all.iter().rev().find(|r| r.0 <= at));
        let below = match (span, made) {
            (Some((start, ..)), Some((made, prefix))) if made >= start => prefix,
            (Some((.., prefix)), _) | (None, Some((_, prefix))) => prefix,
            (None, None) => &Some(String::new()),
        };
        let mut path = below.clone()?;
        let around = self.symbols.facts.get(self.symbols.at(at) as usize);
        let function = around.map(|symbol| format!("{}()", symbol.name)).unwrap_or_default();
        for mounted in [receiver, function.as_str()] {
            if let Some(prefix) = self.prefixes.mounts.get(mounted) {
                path = join(prefix.as_ref()?, &path);
            }
        }
        Some(path)
    }

    fn route(&mut self, used: Used, site: &Site<'t>, method: &Method) {
        let framework = used.framework;
        if !used.surely && (site.receiver.is_empty() || site.receiver.contains(['(', '?'])) {
            return;
        }
        // `router.route("/x").get(handler)` has its path in the chain before.
        let chained = || self.chained(framework, site.node).filter(|groups| !groups.is_empty());
        let in_chain = || chained().map(|_| (None, site.node, String::new()));
        let Some((at, node, text)) = self.path_of(framework, site, method).or_else(in_chain) else { return };
        if framework.client {
            for method in self.methods(framework, site, method, node) {
                let path = text.clone();
                let receiver = &site.receiver;
                self.push(Found { used, method, path, handler: None, receiver, at: node });
            }
            return;
        }
        let Some(prefix) = self.before(framework, site) else { return };
        let path = join(&prefix, &text);
        if *method == Method::Handlers {
            return self.handlers(used, site, node, &path);
        }
        for method in self.methods(framework, site, method, node) {
            let Some(handler) = self.handler_of(framework, site, at) else { return };
            let (path, receiver) = (path.clone(), &site.receiver);
            self.push(Found { used, method, path, handler: Some(handler), receiver, at: node });
        }
    }

    /// The argument that is the path: its number, its node and its normalised text.
    fn path_of(
        &self,
        framework: &Framework,
        site: &Site<'t>,
        method: &Method,
    ) -> Option<(Option<usize>, Node<'t>, String)> {
        let taken = if let Method::Argument(at) = method { Some(*at as usize) } else { None };
        let places = (0..3).filter(|at| Some(*at) != taken);
        // A server's path is its first argument; a client's may stand behind a context.
        let places = places.take(if framework.client { 3 } else { 1 });
        places.into_iter().find_map(|at| {
            let node = site.positional(at)?;
            let text = self.texts.template(node)?;
            let text = match method {
                Method::Pattern => text.split_once(' ').map_or(text.as_str(), |(_, path)| path.trim()),
                _ => &text,
            };
            let text = text.strip_suffix("{$}").unwrap_or(text);
            // `example.org/path` of Go's patterns.
            let text =
                if *method == Method::Pattern { text.find('/').map_or(text, |at| &text[at..]) } else { text };
            Some((Some(at), node, normalised(text, framework.relative, framework.client)?))
        })
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
            Method::Handlers => Vec::new(),
        }
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

    /// Methods that calls behind this one name: `.Methods("GET")`, `.POST(body)`.
    fn methods_behind(&self, framework: &Framework, node: Node<'t>) -> Vec<&'static str> {
        let mut inner = node;
        for _ in 0..2 * MAX_AROUND {
            let Some(outer) = self.parent(inner) else { break };
            let rule = self.x.kinds.rule(outer.kind_id());
            match rule {
                Rule::Call(_) | Rule::MethodCall(..) => {
                    let Some((name, _)) = self.x.split(outer) else { break };
                    let name = self.x.text_of(name);
                    if name == framework.chained_methods {
                        let arguments = outer.child_by_field_name("arguments");
                        return arguments.map_or_else(Vec::new, |list| verbs_in(self.x.text_of(list)));
                    }
                    if framework.client
                        && let Some(method) = verb(name).filter(|_| outer.id() != node.id())
                    {
                        return vec![method];
                    }
                }
                Rule::Member(..) | Rule::Through(_) => {}
                _ => break,
            }
            inner = outer;
        }
        Vec::new()
    }

    /// Methods that calls before this one name: `Path("/x").Methods("GET").HandlerFunc(f)`.
    fn methods_before(&self, framework: &Framework, node: Node<'t>) -> Vec<&'static str> {
        let named = |call: &Node<'t>| {
            self.x.split(*call).is_some_and(|(name, _)| self.x.text_of(name) == framework.chained_methods)
        };
        let found = self.chain(node).0.into_iter().find(named);
        let arguments = found.and_then(|call| call.child_by_field_name("arguments"));
        arguments.map_or_else(Vec::new, |list| verbs_in(self.x.text_of(list)))
    }

    /// The calls that stand before one in its chain, the nearest first, and what the chain begins with.
    fn chain(&self, node: Node<'t>) -> (Vec<Node<'t>>, Option<Node<'t>>) {
        let mut calls = Vec::new();
        let mut root = self.texts.object(node);
        while let Some(call) = root.filter(|_| calls.len() < MAX_AROUND)
            && let Some((_, object)) = self.x.split(call).zip(self.texts.object(call))
        {
            calls.push(call);
            root = Some(object);
        }
        (calls, root)
    }

    /// What the routers in the chain before a call put before its path: `app.basePath("/x").get("/y", ...)`; empty where
    /// there are none.
    fn chained(&self, framework: &Framework, node: Node<'t>) -> Option<Vec<String>> {
        let is_group = |call: &Node<'t>| {
            let name = self.x.split(*call).map(|(name, _)| self.x.text_of(name));
            name.is_some_and(|name| framework.groups.iter().any(|group| group == name))
        };
        let groups = self.chain(node).0.into_iter().filter(is_group);
        let path = |call: Node<'t>| {
            let first = super::values::arguments(&self.x, call).first()?.node;
            prefix_path(&self.texts.template(first)?)
        };
        groups.map(path).collect()
    }

    /// What stands before the path of a call: by the router that its chain begins with, and by those in the chain.
    fn before(&self, framework: &Framework, site: &Site<'t>) -> Option<String> {
        let root = match self.chain(site.node) {
            (calls, Some(root)) if !calls.is_empty() => self.x.path(root),
            _ => site.receiver.clone(),
        };
        let chained = self.chained(framework, site.node)?;
        let prefix = self.prefix(&root, site.start())?;
        Some(chained.iter().rev().fold(prefix, |prefix, path| join(&prefix, path)))
    }

    /// Who serves a route; `None` where nobody does.
    fn handler_of(&self, framework: &Framework, site: &Site<'t>, path: Option<usize>) -> Option<Handler<'t>> {
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
    fn handlers(&mut self, used: Used, site: &Site<'t>, at: Node<'t>, path: &str) {
        let Some(mut node) = site.positional(1) else { return };
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
                let (path, receiver) = (path.to_owned(), &site.receiver);
                self.push(Found { used, method, path, handler: Some(handler), receiver, at });
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
