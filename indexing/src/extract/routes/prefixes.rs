//! Where the file makes and puts routers: groups, mounts, and functions that are given a router.

use super::calls::prefix_path;
use super::mounts::{EXTENSION, Placed, module};
use super::parameters::FIRST;
use super::path::join;
use super::places::function_key;
use super::roots::{Root, first};
use super::table::Framework;
use super::texts::HOLE;
use super::values::{Handler, arguments, handler, option};
use super::{Base, Made, Mount, Outer, Scan, Site, Span, Spot, frameworks_of};
use crate::extract::expressions::UNKNOWN;
use crate::languages::Rule;
use kenning_graph::facts::SymbolFact;
use std::collections::BTreeSet;
use tree_sitter::{Node, Tree};

/// What something is put below, where that is written, and whether its path stands in the place of the router's own.
struct Below {
    by: String,
    at: u32,
    replaces: bool,
}

impl<'t> Scan<'_, 't> {
    /// `app.use("/api", router)`, `app.include_router(router, prefix="/api")`, `.nest("/api", routes())`.
    pub(super) fn mount(&mut self, site: &Site<'t>) {
        self.include(site);
        let mut mounting = self.used.iter().filter(|used| used.framework.mounts.contains_key(&site.name));
        let Some(used) = mounting.clone().find(|used| used.surely).or_else(|| mounting.next()) else {
            return;
        };
        let framework = used.framework;
        let Some(keyword) = framework.mounts.get(&site.name) else { return };
        // Where nothing shows the framework, a router may be what a function is given.
        if !(used.surely
            || !keyword.is_empty() && self.root_of(&self.root(site), site.start()).parameter.is_some())
        {
            return;
        }
        let plain = || site.arguments.iter().filter(|argument| argument.keyword.is_empty()).map(|a| a.node);
        if keyword.is_empty() {
            // Handlers may stand between the path and the router.
            let prefix = site.positional(0).and_then(|node| self.texts.template(node));
            for router in plain().skip(1).collect::<Vec<_>>() {
                self.put(site, router, prefix.as_deref().and_then(prefix_path));
            }
            // A router without a path is put where the other is.
            let names = |rule| {
                matches!(
                    rule,
                    Rule::Name | Rule::Member(..) | Rule::Scoped | Rule::Call(_) | Rule::MethodCall(..)
                )
            };
            if let (Some(router), None) = (site.positional(0), site.positional(1))
                && names(self.x.kinds.rule(router.kind_id()))
            {
                self.put(site, router, Some(String::new()));
            }
        } else if let Some(router) =
            site.positional(0).or_else(|| site.keyword("router")).or_else(|| site.keyword("blueprint"))
        {
            let options = || site.positional(1).and_then(|node| option(&self.x, node, keyword));
            let named = site.keyword(keyword).or_else(options);
            let prefix = named.map_or(Some(String::new()), |node| self.texts.template(node));
            let path = prefix.as_deref().and_then(prefix_path);
            let replaces = named.is_some() && framework.replaces;
            self.put_below(router, path, Below { by: self.root(site), at: site.start(), replaces });
        }
    }

    /// Django: `path("api/", include("shop.urls"))` and its like.
    fn include(&mut self, site: &Site<'t>) {
        let framework =
            self.used.iter().filter(|used| used.surely).map(|used| used.framework).find(|framework| {
                !framework.includes.is_empty()
                    && framework.call(&site.name).is_some()
                    && framework.takes(&site.receiver)
            });
        let (Some(framework), Some(included)) = (framework, site.positional(1)) else { return };
        let is_include =
            self.x.split(included).is_some_and(|(name, _)| self.x.text_of(name) == framework.includes);
        let given = arguments(&self.x, included).first().filter(|_| is_include).map(|argument| argument.node);
        let Some(mut routes) = given else { return };
        if routes.kind() == "tuple" {
            // With the name of the application behind it.
            let Some(inner) = routes.named_child(0) else { return };
            routes = inner;
        }
        let path = site.positional(0).and_then(|node| self.texts.template(node));
        let path = path.as_deref().and_then(prefix_path);
        let by = self.assigned(site.node).unwrap_or_else(|| framework.list.clone());
        if routes.kind().contains("string")
            && let Some(text) = self.texts.template(routes)
        {
            let (target, at) = (format!("{}.{}", module(&text), framework.list), site.start());
            self.place(target, None, Mount { path, by, at, replaces: false });
            return;
        }
        if routes.kind() == "list" {
            return self.put_around(routes, path.as_deref(), &by, site.start());
        }
        if self.names.import(first(&self.x.path(routes))).is_some() {
            // A module's, where it is one that is named.
            let target = format!("{}.{}", self.x.path(routes), framework.list);
            let (path, by, at) = (path.clone(), by.clone(), site.start());
            self.place(target, None, Mount { path, by, at, replaces: false });
        }
        self.put_below(routes, path, Below { by, at: site.start(), replaces: false });
    }

    /// All that is written in a node stands below a path.
    fn put_around(&mut self, node: Node<'t>, path: Option<&str>, by: &str, at: u32) {
        let base = Base { prefix: path.map(str::to_owned), outer: Outer::Router(by.to_owned(), at.into()) };
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        self.prefixes.spans.push(Span { start, end, base });
    }

    /// Notes that a router is put below a path.
    fn put(&mut self, site: &Site<'t>, router: Node<'t>, path: Option<String>) {
        self.put_below(router, path, Below { by: self.root(site), at: site.start(), replaces: false });
    }

    fn put_below(&mut self, router: Node<'t>, path: Option<String>, below: Below) {
        let Below { by, at, replaces } = below;
        if path.as_ref().is_some_and(|path| !path.is_empty()) {
            self.note_serving(&by, at);
        }
        if router.kind() == "macro_invocation" {
            // Rocket's `routes![index, users::show]`.
            let text = self.x.text_of(router);
            let names = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).skip(1);
            for name in names.filter(|name| !name.is_empty()) {
                let target = name.replace("::", ".");
                self.serves(&target, Mount { path: path.clone(), by: by.clone(), at, replaces });
            }
            return;
        }
        let named = self.dynamic(router).unwrap_or_else(|| self.given_as(self.x.path(router)));
        let is_module = named.starts_with("import:");
        let is_chain = !is_module && (named == UNKNOWN || named.contains(")."));
        if is_chain {
            self.put_around(router, path.as_deref(), &by, at);
        }
        let mount = Mount { path, by, at, replaces };
        if !is_chain && !is_module {
            self.note_mount(&named, router.start_byte() as u32, mount.clone());
        }
        // What a chain begins with stands there, too.
        let begins = is_chain.then(|| self.given_as(self.begins(router))).filter(|begins| *begins != named);
        for target in [named].into_iter().chain(begins).filter(|target| target != UNKNOWN) {
            let parameter = if target.ends_with("()") { None } else { Some(FIRST) };
            self.place(target, parameter, mount.clone());
        }
    }

    /// Notes what is put somewhere, for other files.
    fn place(&mut self, target: String, parameter: Option<u8>, mount: Mount) {
        self.prefixes.placed.push(Placed { target, parameter, mount });
    }

    /// Notes where what is written so stands.
    fn note_mount(&mut self, target: &str, written: u32, mount: Mount) {
        let called = target.strip_suffix("()");
        let function =
            self.names.function_named(called.unwrap_or(target), written).map(SymbolFact::qualified);
        match (function, called) {
            (Some(function), Some(_)) => {
                self.prefixes.mounts.entry(function_key(&function)).or_default().push(mount);
            }
            // It is called with the router.
            (Some(function), None) => {
                self.prefixes.given.entry((function, FIRST)).or_default().push(mount);
            }
            (None, _) => {
                let key = self.key(target, written);
                self.prefixes.mounts.entry(key).or_default().push(mount);
            }
        }
    }

    /// Notes that a function serves, which a path names.
    fn serves(&mut self, target: &str, mount: Mount) {
        let name = target.rsplit('.').next().unwrap_or(target);
        if name == target || self.names.symbol(target).is_some() {
            let function =
                self.names.function_named(target, mount.at).map_or(target.to_owned(), SymbolFact::qualified);
            self.prefixes.mounts.entry(function_key(&function)).or_default().push(mount.clone());
        }
        self.place(target.to_owned(), None, mount);
    }

    /// The call that a chain begins with, where it is no framework's.
    fn begins(&self, chain: Node<'t>) -> String {
        let (calls, _) = self.chain(chain);
        let path = calls.last().map_or_else(|| UNKNOWN.to_owned(), |call| self.x.path(*call));
        if self.is_of_framework(first(&path)) { UNKNOWN.to_owned() } else { path }
    }

    /// `import("./users")`: what the module gives by default.
    fn dynamic(&self, node: Node<'t>) -> Option<String> {
        let node = if node.kind() == "await_expression" { node.named_child(0)? } else { node };
        let is_import = self.is_script && node.child_by_field_name("function")?.kind() == "import";
        let given = arguments(&self.x, node).first().filter(|_| is_import)?.node;
        Some(format!("{}.default", module(&self.texts.template(given)?)))
    }

    /// The router behind calls that give it: `users.routes()`, `users::routes().layer(log)`, `router.urls`.
    fn given_as(&self, named: String) -> String {
        let gives = || frameworks_of(&self.used).flat_map(|framework| &framework.given_by);
        let mut rest = self.listed(&named).unwrap_or(&named);
        while let Some(given) = gives().find_map(|call| rest.strip_suffix(&format!(".{call}()"))) {
            rest = given;
        }
        rest.to_owned()
    }

    /// The router whose list of routes a path names.
    pub(super) fn listed<'p>(&self, path: &'p str) -> Option<&'p str> {
        let list = |f: &Framework| path.strip_suffix(f.listed_as.as_str())?.strip_suffix('.');
        frameworks_of(&self.used).filter(|framework| !framework.listed_as.is_empty()).find_map(list)
    }

    /// Django: `urlpatterns = router.urls`, `urlpatterns += router.urls`, `urlpatterns = [...] + router.urls`.
    pub(super) fn lists(&mut self, tree: &'t Tree) {
        let surely = self.used.iter().filter(|used| used.surely).map(|used| used.framework);
        let lists: BTreeSet<&str> =
            surely.map(|f| f.listed_in.as_str()).filter(|list| !list.is_empty()).collect();
        let mut open = if lists.is_empty() { Vec::new() } else { vec![tree.root_node()] };
        while let Some(node) = open.pop() {
            let assigned = node.child_by_field_name("left").map(|left| self.x.text_of(left));
            if let (Some(list), Some(sum)) = (assigned, node.child_by_field_name("right"))
                && lists.contains(list)
            {
                self.listed_in(list, sum);
            } else if !matches!(node.kind(), "class_definition" | "function_definition") {
                open.extend(node.named_children(&mut node.walk()));
            }
        }
    }

    /// Routers whose routes are parts of a list that is a sum.
    fn listed_in(&mut self, list: &str, sum: Node<'t>) {
        let mut open = vec![sum];
        while let Some(node) = open.pop() {
            if node.kind() == "binary_operator" {
                open.extend(node.named_children(&mut node.walk()));
                continue;
            }
            let path = self.x.path(node);
            let Some(router) = self.listed(&path).map(str::to_owned) else { continue };
            let (path, by, at) = (Some(String::new()), list.to_owned(), node.start_byte() as u32);
            let mount = Mount { path, by, at, replaces: false };
            self.note_mount(&router, at, mount.clone());
            self.place(router, None, mount);
        }
    }

    /// `g = r.Group("/x")`, `bp = Blueprint(..., url_prefix="/x")`, `r.Route("/x", func(r chi.Router) {...})`.
    pub(super) fn router(&mut self, site: &Site<'t>) {
        let frameworks = self.used.iter().map(|used| used.framework).filter(|framework| !framework.client);
        let own = frameworks.clone().find_map(|framework| framework.makes(&site.name, &site.receiver));
        let wraps = frameworks.clone().any(|framework| framework.wraps.contains(&site.name));
        // A function of the file's own may have the name.
        let maker = if site.receiver.is_empty() { site.name.as_str() } else { first(&site.receiver) };
        let wraps = wraps && self.is_of_framework(maker);
        let group = frameworks.clone().find(|framework| framework.groups.contains(&site.name));
        let assigned = self.assigned(site.node);
        let base = if frameworks.clone().any(|framework| framework.nested.contains(&site.name)) {
            let path = site.positional(1).and_then(|node| self.texts.template(node));
            let outer = site.positional(0).map_or(UNKNOWN.to_owned(), |router| self.x.path(router));
            let prefix = path.as_deref().and_then(prefix_path).map(|path| join(&path, HOLE));
            Base { prefix, outer: Outer::Router(outer, site.start().into()) }
        } else if let Some(keyword) = own {
            self.made_with(site, keyword, assigned.as_deref())
        } else if let Some(group) = group {
            if site.positional(0).is_none() {
                return;
            }
            let prefix = self.chained_path(group, site);
            if prefix.as_ref().is_some_and(|prefix| prefix != "/") {
                self.note_serving(&self.root(site), site.start());
            }
            Base { prefix, outer: Outer::Router(self.root(site), site.start().into()) }
        } else if wraps {
            let own = site.positional(0).and_then(|first| self.texts.template(first));
            let chain = self.top(site.node);
            let (start, end) = (chain.start_byte() as u32, chain.end_byte() as u32);
            let around = Spot { at: site.start(), beyond: end - start };
            let outer = Outer::Router(site.receiver.clone(), around);
            let base = Base { prefix: own.and_then(|text| prefix_path(&text)), outer };
            return self.prefixes.spans.push(Span { start, end, base });
        } else {
            return;
        };
        if let Some(name) = assigned {
            if let Outer::Root(root) = &base.outer
                && root.name == name
            {
                self.prefixes.made.push((name.clone(), root.own.clone()));
            }
            let (key, at) = (self.key(&name, site.start()), site.start());
            self.prefixes.routers.entry(key).or_default().push(Made { at, base: base.clone() });
        }
        let last = site.arguments.last().and_then(|argument| handler(&self.x, argument.node));
        if let (Some(Handler::Named(target)), Some(group), true) = (&last, group, site.arguments.len() > 1) {
            // `r.Route("/users", users.Routes)`: the function is given the group.
            let (path, by, at) = (self.chained_path(group, site), self.root(site), site.start());
            self.gives(target, FIRST, Mount { path, by, at, replaces: false });
        }
        // A block of Ruby is no argument.
        let block = || site.node.child_by_field_name("block").map(Handler::Inline);
        if let Some(Handler::Inline(function)) =
            last.filter(|h| matches!(h, Handler::Inline(_))).or_else(block)
        {
            let (start, end) = (function.start_byte() as u32, function.end_byte() as u32);
            self.prefixes.spans.push(Span { start, end, base });
        }
    }

    /// A router that a call makes, with what its paths begin with behind a keyword.
    fn made_with(&self, site: &Site<'t>, keyword: &str, assigned: Option<&str>) -> Base {
        let options = || site.positional(0).and_then(|node| option(&self.x, node, keyword));
        let named = site.keyword(keyword).or_else(options);
        let text = named.map_or(Some(String::new()), |node| self.texts.template(node));
        let Some(own) = text.and_then(|text| prefix_path(&text)) else {
            return Base { prefix: None, outer: Outer::Root(Root::whole()) };
        };
        let root = Root { own: own.clone(), ..self.root_of(assigned.unwrap_or(""), site.start()) };
        Base { prefix: Some(own), outer: Outer::Root(root) }
    }

    /// Notes that a function is given a router as one of its parameters.
    pub(super) fn gives(&mut self, target: &str, parameter: u8, mount: Mount) {
        let name = target.strip_prefix(EXTENSION).unwrap_or(target);
        if let Some(function) = self.names.function_named(name, mount.at) {
            let key = (function.qualified(), parameter);
            self.prefixes.given.entry(key).or_default().push(mount.clone());
        }
        self.place(target.to_owned(), Some(parameter), mount);
    }

    /// `scope("/x").service(index)`, `.service(users::scope())`, `.configure(users::config)`.
    pub(super) fn service(&mut self, site: &Site<'t>) {
        let mut surely = self.used.iter().filter(|used| used.surely).map(|used| used.framework);
        let serves = surely.clone().any(|framework| framework.services.contains(&site.name));
        let gives = surely.any(|framework| framework.gives.contains(&site.name));
        if !serves && !gives {
            return;
        }
        for argument in &site.arguments {
            let target = self.x.path(argument.node);
            let (by, at) = (String::new(), argument.node.start_byte() as u32);
            let called = target.strip_suffix("()");
            if called.unwrap_or(&target).contains(['(', '?']) {
                continue;
            }
            let mount = Mount { path: Some(String::new()), by, at, replaces: false };
            if gives {
                self.gives(&target, FIRST, mount);
            } else {
                self.serves(called.unwrap_or(&target), mount);
            }
        }
    }

    /// What a group adds to the path; `None` where it is not known.
    pub(super) fn group_path(&self, site: &Site<'t>) -> Option<String> {
        let first = site.positional(0)?;
        // A group without a path only shares what stands before its handlers.
        let shares = matches!(handler(&self.x, first), Some(Handler::Inline(_)));
        if shares { Some(String::new()) } else { prefix_path(&self.texts.template(first)?) }
    }

    /// What a group and those before it in its chain add to the path.
    fn chained_path(&self, framework: &Framework, site: &Site<'t>) -> Option<String> {
        let before = self.chained(framework, site.node)?;
        let before = before.iter().rev().fold(String::new(), |prefix, path| join(&prefix, path));
        Some(join(&before, &self.group_path(site)?))
    }
}
