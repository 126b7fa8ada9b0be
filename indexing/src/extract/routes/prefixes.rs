//! What stands before the paths of a router's routes: groups, mounts, and functions that are given a router.

use super::calls::prefix_path;
use super::path::join;
use super::table::Framework;
use super::values::{Handler, handler, option};
use super::{Mount, Scan, Site};
use crate::extract::expressions::UNKNOWN;
use crate::languages::Rule;
use tree_sitter::Node;

/// Mounts of mounts that are followed.
const MAX_MOUNTS: u32 = 4;

impl<'t> Scan<'_, 't> {
    /// `app.use("/api", router)`, `app.include_router(router, prefix="/api")`, `.nest("/api", routes())`.
    pub(super) fn mount(&mut self, site: &Site<'t>) {
        let keyword = self.used.iter().filter(|u| u.surely).find_map(|u| u.framework.mounts.get(&site.name));
        let Some(keyword) = keyword else { return };
        let plain = || site.arguments.iter().filter(|argument| argument.keyword.is_empty()).map(|a| a.node);
        if keyword.is_empty() {
            // Handlers may stand between the path and the router.
            let prefix = site.positional(0).and_then(|node| self.texts.template(node));
            for router in plain().skip(1).collect::<Vec<_>>() {
                self.put(site, router, prefix.as_deref().and_then(prefix_path));
            }
            // A router without a path is put where the other is.
            if let (Some(router), None) = (site.positional(0), site.positional(1))
                && matches!(self.x.kinds.rule(router.kind_id()), Rule::Name | Rule::Member(..))
            {
                self.put(site, router, Some(String::new()));
            }
        } else if let Some(router) = site.positional(0) {
            let options = || site.positional(1).and_then(|node| option(&self.x, node, keyword));
            let named = site.keyword(keyword).or_else(options);
            let prefix = named.map_or(Some(String::new()), |node| self.texts.template(node));
            self.put(site, router, prefix.as_deref().and_then(prefix_path));
        }
    }

    /// Notes that a router is put below a path.
    fn put(&mut self, site: &Site<'t>, router: Node<'t>, path: Option<String>) {
        let (by, at) = (self.root(site), site.start());
        let mount = |path| Mount { path, by: by.clone(), at };
        if router.kind() == "macro_invocation" {
            // Rocket's `routes![index, show]`.
            let text = self.x.text_of(router);
            let names = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).skip(1);
            let last = names.filter_map(|name| name.rsplit(':').next()).filter(|name| !name.is_empty());
            self.prefixes.mounts.extend(last.map(|name| (format!("{name}()"), mount(path.clone()))));
            return;
        }
        let named = self.x.path(router);
        if named == UNKNOWN || named.contains(").") {
            let path = self.inside("", at).zip(path).map(|(outer, path)| join(&outer, &path));
            let (start, end) = (router.start_byte() as u32, router.end_byte() as u32);
            self.prefixes.spans.push((start, end, path));
        } else {
            self.prefixes.mounts.insert(named, mount(path));
        }
    }

    /// `g = r.Group("/x")`, `bp = Blueprint(..., url_prefix="/x")`, `r.Route("/x", func(r chi.Router) {...})`.
    pub(super) fn router(&mut self, site: &Site<'t>) {
        let frameworks = self.used.iter().map(|used| used.framework).filter(|framework| !framework.client);
        let own = frameworks.clone().find_map(|framework| framework.makes(&site.name, &site.receiver));
        let wraps = frameworks.clone().any(|framework| framework.wraps.contains(&site.name));
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
            let outer = self.group_around(group, site);
            outer.zip(text.and_then(|text| prefix_path(&text))).map(|(outer, own)| join(&outer, &own))
        } else if wraps {
            let own = site.positional(0).and_then(|first| self.texts.template(first));
            let outer = self.inside(&site.receiver, site.start());
            let made =
                outer.zip(own.and_then(|text| prefix_path(&text))).map(|(outer, own)| join(&outer, &own));
            let chain = self.top(site.node);
            let (start, end) = (chain.start_byte() as u32, chain.end_byte() as u32);
            return self.prefixes.spans.push((start, end, made));
        } else {
            return;
        };
        if let Some(name) = self.assigned(site.node) {
            self.prefixes.routers.entry(name).or_default().push((site.start(), made.clone()));
        }
        let last = site.arguments.last().and_then(|argument| handler(&self.x, argument.node));
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
            let path = self.x.path(argument.node);
            if !path.contains(['(', '?']) {
                let name = path.rsplit('.').next().unwrap_or(&path);
                let (by, at) = (String::new(), argument.node.start_byte() as u32);
                let mount = Mount { path: Some(String::new()), by, at };
                self.prefixes.mounts.insert(format!("{name}()"), mount);
            }
        }
    }

    /// What a group begins with: by where it stands and by the groups before it in the chain.
    fn group_around(&self, framework: &Framework, site: &Site<'t>) -> Option<String> {
        let chained = self.chained(framework, site.node)?;
        let prefix = self.inside(&self.root(site), site.start())?;
        Some(chained.iter().rev().fold(prefix, |prefix, path| join(&prefix, path)))
    }

    /// The innermost function at a byte that is given a router.
    fn span(&self, at: u32) -> Option<&(u32, u32, Option<String>)> {
        self.prefixes.spans.iter().rev().find(|(start, end, _)| (*start..*end).contains(&at))
    }

    /// What a router itself begins with at a byte, wherever it is put.
    fn inside(&self, receiver: &str, at: u32) -> Option<String> {
        let made = self.prefixes.routers.get(receiver).and_then(|all| all.iter().rev().find(|r| r.0 <= at));
        match (self.span(at), made) {
            (Some((start, ..)), Some((made, prefix))) if made >= start => prefix.clone(),
            (Some((.., prefix)), _) | (None, Some((_, prefix))) => prefix.clone(),
            (None, None) => Some(String::new()),
        }
    }

    /// What stands before the paths of a router's routes at a byte; `None` where that is not known.
    pub(super) fn prefix(&self, receiver: &str, at: u32) -> Option<String> {
        self.mounted(receiver, at, 0)
    }

    fn mounted(&self, receiver: &str, at: u32, depth: u32) -> Option<String> {
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
                None => String::new(),
            };
            let outer = self.mounted(&mount.by, mount.at, depth + 1)?;
            return Some(join(&outer, &join(mount.path.as_deref()?, &own)));
        }
        let own = self.inside(receiver, at)?;
        let around = self.symbols.at(at);
        let function = self.symbols.facts.get(around as usize).map(|symbol| format!("{}()", symbol.name));
        let mount = function.and_then(|function| self.prefixes.mounts.get(&function));
        let Some(mount) = mount.filter(|mount| self.symbols.at(mount.at) != around) else { return Some(own) };
        let outer = self.mounted(&mount.by, mount.at, depth + 1)?;
        Some(join(&outer, &join(mount.path.as_deref()?, &own)))
    }
}
