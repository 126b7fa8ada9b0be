//! Clients that a file makes: `s = requests.Session()`, `const api = axios.create({ baseURL: "/v1" })`.

use super::path::{join, normalised};
use super::table::Framework;
use super::values::option;
use super::{Client, Scan, Site};
use tree_sitter::Node;

/// What types of media begin with (RFC 6838, section 4.2).
const MEDIA: [&str; 9] =
    ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

impl<'t> Scan<'_, 't> {
    /// Notes the client that a call makes.
    pub(super) fn client(&mut self, site: &Site<'t>) {
        for used in self.used.clone().into_iter().filter(|used| used.framework.client) {
            let framework = used.framework;
            let Some(keyword) = framework.makes(&site.name, &site.receiver) else { continue };
            // What a client is asked for is no client.
            if self.top(site.node) != site.node {
                return;
            }
            let options = || site.positional(0).and_then(|node| option(&self.x, node, keyword));
            let named = site.keyword(keyword).or_else(options).and_then(|node| self.texts.template(node));
            // An address of which nothing is known is that of a host.
            let base = named.and_then(|text| normalised(&text, false, true)).filter(|path| path != "/");
            if let Some(name) = self.assigned(site.node) {
                let (start, scope) = (site.start(), self.symbols.at(site.start()));
                let client = Client { framework, start, scope, base: base.unwrap_or_default() };
                self.prefixes.clients.entry(name).or_default().push(client);
            }
        }
    }

    /// The client of a framework that a call is made on.
    pub(super) fn made(&self, framework: &Framework, site: &Site<'t>) -> Option<&Client> {
        let all = self.prefixes.clients.get(&site.receiver)?;
        let is_own = |client: &&Client| std::ptr::eq(client.framework, framework);
        let member = site.receiver.contains('.');
        all.iter().rev().filter(is_own).find(|client| member || self.reaches(client, site.start()))
    }

    /// Whether a client is known by its name at a byte: a function's own only in it, and behind where it is made.
    fn reaches(&self, client: &Client, at: u32) -> bool {
        let is_local =
            self.symbols.facts.get(client.scope as usize).is_some_and(|fact| fact.kind.is_callable());
        let mut scope = Some(self.symbols.at(at));
        while let Some(around) = scope.filter(|scope| is_local && *scope != client.scope) {
            scope = self.symbols.facts.get(around as usize).and_then(|fact| fact.parent);
        }
        !is_local || (scope.is_some() && client.start <= at)
    }

    /// A path behind what the client's paths begin with, unless the call has a whole address.
    pub(super) fn below_base(
        &self,
        framework: &Framework,
        site: &Site<'t>,
        node: Node<'t>,
        path: String,
    ) -> String {
        let Some(client) = self.made(framework, site).filter(|client| !client.base.is_empty()) else {
            return path;
        };
        let is_path = |text: String| text.starts_with('/') || is_behind_address(&text);
        if self.texts.template(node).is_some_and(is_path) { join(&client.base, &path) } else { path }
    }

    /// A path without a slash before it, which a client takes for one behind its address: `"api/users"`.
    pub(super) fn path_behind_address(
        &self,
        framework: &Framework,
        site: &Site<'t>,
        node: Node<'t>,
    ) -> Option<String> {
        let receiver = site.receiver.to_lowercase();
        let called_so = || framework.addressed.iter().any(|word| receiver.contains(word.as_str()));
        if framework.addressed.is_empty() || !(self.made(framework, site).is_some() || called_so()) {
            return None;
        }
        let text = self.texts.template(node).filter(|text| is_behind_address(text))?;
        normalised(&text, true, true)
    }
}

/// Whether a text can be a path that has no slash before it: no word, no type of media, no address.
fn is_behind_address(text: &str) -> bool {
    let Some((first, _)) = text.split_once('/') else { return false };
    first.starts_with(|c: char| c.is_ascii_alphabetic()) && !first.contains(':') && !MEDIA.contains(&first)
}
