//! What stands before the paths of a router's routes: groups, mounts, and functions that are given a router.

use super::calls::prefix_path;
use super::mounts::{Placed, module};
use super::path::join;
use super::roots::{Root, Router, first};
use super::table::Framework;
use super::values::{Handler, arguments, handler, option};
use super::{Mount, Scan, Site, frameworks_of};
use crate::extract::expressions::UNKNOWN;
use crate::languages::Rule;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Mounts of mounts that are followed.
const MAX_MOUNTS: u32 = 4;

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
        let mut surely = self.used.iter().filter(|used| used.surely).map(|used| used.framework);
        let framework = surely.find(|framework| framework.mounts.contains_key(&site.name));
        let Some((framework, keyword)) = framework.and_then(|f| Some((f, f.mounts.get(&site.name)?))) else {
            return;
        };
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
            self.prefixes.placed.push(Placed { target, path, by, at, replaces: false, others_only: true });
            return;
        }
        if routes.kind() == "list" {
            return self.put_around(routes, path.as_deref(), &by, site.start());
        }
        if self.names.import(first(&self.x.path(routes))).is_some() {
            // A module's, where it is one that is named.
            let target = format!("{}.{}", self.x.path(routes), framework.list);
            let (path, by, at) = (path.clone(), by.clone(), site.start());
            self.prefixes.placed.push(Placed { target, path, by, at, replaces: false, others_only: true });
        }
        self.put_below(routes, path, Below { by, at: site.start(), replaces: false });
    }

    /// All that is written in a node stands below a path.
    fn put_around(&mut self, node: Node<'t>, path: Option<&str>, by: &str, at: u32) {
        let around = self.span(at).map(|(.., router)| router.clone());
        let around =
            around.unwrap_or_else(|| Some(Router { prefix: String::new(), root: self.root_of(by, at) }));
        let inner = around.zip(path).map(|(outer, path)| outer.below(path));
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        self.prefixes.spans.push((start, end, inner));
    }

    /// Notes that a router is put below a path.
    fn put(&mut self, site: &Site<'t>, router: Node<'t>, path: Option<String>) {
        self.put_below(router, path, Below { by: self.root(site), at: site.start(), replaces: false });
    }

    fn put_below(&mut self, router: Node<'t>, path: Option<String>, below: Below) {
        let Below { by, at, replaces } = below;
        let mount = |path| Mount { path, by: by.clone(), at, replaces };
        let placed = |target, path| Placed { target, path, by: by.clone(), at, replaces, others_only: true };
        if router.kind() == "macro_invocation" {
            // Rocket's `routes![index, users::show]`.
            let text = self.x.text_of(router);
            let names = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).skip(1);
            for name in names.filter(|name| !name.is_empty()) {
                let last = name.rsplit(':').next().unwrap_or(name);
                self.prefixes.mounts.insert(format!("{last}()"), mount(path.clone()));
                self.prefixes.placed.push(placed(name.replace("::", "."), path.clone()));
            }
            return;
        }
        let named = self.dynamic(router).unwrap_or_else(|| self.given_as(self.x.path(router)));
        let is_module = named.starts_with("import:");
        if named != UNKNOWN {
            self.prefixes.placed.push(placed(named.clone(), path.clone()));
        }
        if !is_module && (named == UNKNOWN || named.contains(").")) {
            self.put_around(router, path.as_deref(), &by, at);
        } else {
            self.prefixes.mounts.insert(named, mount(path));
        }
    }

    /// `import("./users")`: what the module gives by default.
    fn dynamic(&self, node: Node<'t>) -> Option<String> {
        let node = if node.kind() == "await_expression" { node.named_child(0)? } else { node };
        let is_import = self.is_script && node.child_by_field_name("function")?.kind() == "import";
        let given = arguments(&self.x, node).first().filter(|_| is_import)?.node;
        Some(format!("{}.default", module(&self.texts.template(given)?)))
    }

    /// The router behind calls that give it: `users.routes()`, `users::routes().layer(log)`.
    fn given_as(&self, named: String) -> String {
        let gives = || frameworks_of(&self.used).flat_map(|framework| &framework.given_by);
        let mut rest = named.as_str();
        while let Some(given) = gives().find_map(|call| rest.strip_suffix(&format!(".{call}()"))) {
            rest = given;
        }
        rest.to_owned()
    }

    /// A router that the file puts at several places has no one prefix: it is told of like those of other files.
    pub(super) fn settle_mounts(&mut self) {
        let mut places: FxHashMap<String, Vec<(Option<String>, String)>> = FxHashMap::default();
        for placed in &self.prefixes.placed {
            places.entry(placed.target.clone()).or_default().push((placed.path.clone(), placed.by.clone()));
        }
        for (target, mut all) in places {
            all.sort();
            all.dedup();
            if all.len() > 1 && self.names.is_of_file(&target) {
                self.prefixes.mounts.remove(&target);
                let same = self.prefixes.placed.iter_mut().filter(|placed| placed.target == target);
                same.for_each(|placed| placed.others_only = false);
            }
        }
    }

    /// `g = r.Group("/x")`, `bp = Blueprint(..., url_prefix="/x")`, `r.Route("/x", func(r chi.Router) {...})`.
    pub(super) fn router(&mut self, site: &Site<'t>) {
        let frameworks = self.used.iter().map(|used| used.framework).filter(|framework| !framework.client);
        let own = frameworks.clone().find_map(|framework| framework.makes(&site.name, &site.receiver));
        let wraps = frameworks.clone().any(|framework| framework.wraps.contains(&site.name));
        let group = frameworks.clone().find(|framework| framework.groups.contains(&site.name));
        let assigned = self.assigned(site.node);
        let made = if let Some(keyword) = own {
            let options = || site.positional(0).and_then(|node| option(&self.x, node, keyword));
            let named = site.keyword(keyword).or_else(options);
            let text = named.map_or(Some(String::new()), |node| self.texts.template(node));
            let prefix = text.and_then(|text| prefix_path(&text));
            let root = self.root_of(assigned.as_deref().unwrap_or(""), site.start());
            prefix.map(|prefix| Router { root: Root { own: prefix.clone(), ..root }, prefix })
        } else if let Some(group) = group {
            if site.positional(0).is_none() {
                return;
            }
            let outer = self.group_around(group, site);
            outer.zip(self.group_path(site)).map(|(outer, own)| outer.below(&own))
        } else if wraps {
            let own = site.positional(0).and_then(|first| self.texts.template(first));
            let outer = self.inside(&site.receiver, site.start());
            let made =
                outer.zip(own.and_then(|text| prefix_path(&text))).map(|(outer, own)| outer.below(&own));
            let chain = self.top(site.node);
            let (start, end) = (chain.start_byte() as u32, chain.end_byte() as u32);
            return self.prefixes.spans.push((start, end, made));
        } else {
            return;
        };
        if let Some(name) = assigned {
            if let Some(router) = made.as_ref().filter(|router| router.root.name == name) {
                self.prefixes.made.push((name.clone(), router.root.own.clone()));
            }
            self.prefixes.routers.entry(name).or_default().push((site.start(), made.clone()));
        }
        let last = site.arguments.last().and_then(|argument| handler(&self.x, argument.node));
        if let (Some(Handler::Named(target)), Some(_), true) = (&last, group, site.arguments.len() > 1) {
            // `r.Route("/users", users.Routes)`: the function is given the group.
            let (path, by, at) = (self.chained_path(group, site), self.root(site), site.start());
            self.prefixes.placed.push(Placed {
                target: target.clone(),
                path,
                by,
                at,
                replaces: false,
                others_only: false,
            });
        }
        // A block of Ruby is no argument.
        let block = || site.node.child_by_field_name("block").map(Handler::Inline);
        if let Some(Handler::Inline(function)) =
            last.filter(|h| matches!(h, Handler::Inline(_))).or_else(block)
        {
            let (start, end) = (function.start_byte() as u32, function.end_byte() as u32);
            self.prefixes.spans.push((start, end, made));
        }
    }

    /// `scope("/x").service(index)`: the function serves below the path.
    pub(super) fn service(&mut self, site: &Site<'t>) {
        if !self.used.iter().any(|used| used.surely && used.framework.services.contains(&site.name)) {
            return;
        }
        for argument in &site.arguments {
            let target = self.x.path(argument.node);
            if target.contains(['(', '?']) {
                continue;
            }
            let (by, at) = (String::new(), argument.node.start_byte() as u32);
            let name = target.rsplit('.').next().unwrap_or(&target);
            if name == target || self.names.symbol(&target).is_some() {
                let mount = Mount { path: Some(String::new()), by: by.clone(), at, replaces: false };
                self.prefixes.mounts.insert(format!("{name}()"), mount);
            }
            let path = Some(String::new());
            self.prefixes.placed.push(Placed { target, path, by, at, replaces: false, others_only: true });
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
    fn chained_path(&self, framework: Option<&Framework>, site: &Site<'t>) -> Option<String> {
        let before = self.chained(framework?, site.node)?;
        let before = before.iter().rev().fold(String::new(), |prefix, path| join(&prefix, path));
        Some(join(&before, &self.group_path(site)?))
    }

    /// What a group begins with: by where it stands and by the groups before it in the chain.
    fn group_around(&self, framework: &Framework, site: &Site<'t>) -> Option<Router> {
        let chained = self.chained(framework, site.node)?;
        let router = self.inside(&self.root(site), site.start())?;
        Some(chained.iter().rev().fold(router, |router, path| router.below(path)))
    }

    /// The innermost function at a byte that is given a router.
    fn span(&self, at: u32) -> Option<&(u32, u32, Option<Router>)> {
        self.prefixes.spans.iter().rev().find(|(start, end, _)| (*start..*end).contains(&at))
    }

    /// What a router itself begins with at a byte, wherever it is put.
    fn inside(&self, receiver: &str, at: u32) -> Option<Router> {
        let made = self.prefixes.routers.get(receiver).and_then(|all| all.iter().rev().find(|r| r.0 <= at));
        match (self.span(at), made) {
            (Some((start, ..)), Some((made, router))) if made >= start => router.clone(),
            (Some((.., router)), _) | (None, Some((_, router))) => router.clone(),
            (None, None) => Some(Router { prefix: String::new(), root: self.root_of(receiver, at) }),
        }
    }

    /// What stands before the paths of a router's routes at a byte; `None` where that is not known.
    pub(super) fn prefix(&self, receiver: &str, at: u32) -> Option<Router> {
        self.mounted(receiver, at, 0)
    }

    fn mounted(&self, receiver: &str, at: u32, depth: u32) -> Option<Router> {
        if depth > MAX_MOUNTS {
            return None;
        }
        let place = |at| self.span(at).map(|(start, ..)| *start);
        if let Some(mount) = self.prefixes.mounts.get(receiver).filter(|mount| mount.by != receiver) {
            // What is put somewhere in the function around it does not begin with what that was given.
            let beside = place(at).is_some_and(|start| place(mount.at) == Some(start));
            let made =
                self.prefixes.routers.get(receiver).and_then(|all| all.iter().rev().find(|r| r.0 <= at));
            let own = match made {
                _ if !beside => self.inside(receiver, at)?,
                Some((_, made)) => made.clone()?,
                None => Router::whole(String::new()),
            };
            let own = if mount.replaces { own.without_own() } else { &own.prefix };
            let outer = self.mounted(&mount.by, mount.at, depth + 1)?;
            return Some(outer.below(&join(mount.path.as_deref()?, own)));
        }
        let own = self.inside(receiver, at)?;
        let around = self.symbols.at(at);
        let function = self.symbols.facts.get(around as usize).map(|symbol| format!("{}()", symbol.name));
        let mount = function.and_then(|function| self.prefixes.mounts.get(&function));
        let Some(mount) = mount.filter(|mount| self.symbols.at(mount.at) != around) else { return Some(own) };
        let outer = self.mounted(&mount.by, mount.at, depth + 1)?;
        Some(outer.below(&join(mount.path.as_deref()?, &own.prefix)))
    }
}
