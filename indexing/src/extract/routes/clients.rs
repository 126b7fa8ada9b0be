//! HTTP clients that a file creates: `s = requests.Session()`,
//! `const api = axios.create({ baseURL: "/v1" })`.

use super::call_arguments::object_entry;
use super::framework_table::WebFramework;
use super::path_template::{PathForm, PathUse, join_route_paths, normalize_route_path};
use super::{HttpClient, RouteCallSite, RouteScan};
use tree_sitter::Node;

/// The top-level media types (RFC 6838, section 4.2).
const MEDIA_TYPES: [&str; 9] =
    ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

impl<'t> RouteScan<'_, 't> {
    /// Records the client that a call creates.
    pub(super) fn record_client(&mut self, site: &RouteCallSite<'t>) {
        for used in self.used.clone().into_iter().filter(|used| used.framework.client) {
            let framework = used.framework;
            let Some(keyword) = framework.router_keyword(&site.name, &site.receiver) else { continue };
            // A chained call on a new client returns a response, not a client.
            if self.last_in_chain(site.node) != site.node {
                return;
            }
            let options = || {
                site.positional_argument(0).and_then(|node| object_entry(&self.expressions, node, keyword))
            };
            let base_url = site
                .keyword_argument(keyword)
                .or_else(options)
                .and_then(|node| self.texts.evaluate_template(node));
            // Treats an unknown base URL as a host without a path.
            let base = base_url
                .and_then(|text| normalize_route_path(&text, PathForm::Absolute, PathUse::Called))
                .filter(|path| path != "/");
            if let Some(name) = self.assigned_name(site.node) {
                let (start, scope) = (site.start_byte(), self.symbols.symbol_at(site.start_byte()));
                let client = HttpClient { framework, start, scope, base: base.unwrap_or_default() };
                self.prefixes.clients.entry(name).or_default().push(client);
            }
        }
    }

    /// Returns the client of a framework on which a call is made.
    pub(super) fn find_client(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
    ) -> Option<&HttpClient> {
        let all = self.prefixes.clients.get(&site.receiver)?;
        let belongs_to_framework = |client: &&HttpClient| std::ptr::eq(client.framework, framework);
        let is_member = site.receiver.contains('.');
        all.iter()
            .rev()
            .filter(belongs_to_framework)
            .find(|client| is_member || self.is_client_visible(client, site.start_byte()))
    }

    /// Whether the name of a client is visible at a byte. A client that is local to a function is
    /// visible only inside it and after its creation.
    fn is_client_visible(&self, client: &HttpClient, at: u32) -> bool {
        let is_local =
            self.symbols.facts.get(client.scope as usize).is_some_and(|fact| fact.kind.is_callable());
        let mut scope = Some(self.symbols.symbol_at(at));
        while let Some(symbol) = scope.filter(|scope| is_local && *scope != client.scope) {
            scope = self.symbols.facts.get(symbol as usize).and_then(|fact| fact.parent);
        }
        !is_local || (scope.is_some() && client.start <= at)
    }

    /// Puts the client's base path before a path, unless the call has an absolute URL.
    pub(super) fn join_client_base(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
        node: Node<'t>,
        path: String,
    ) -> String {
        let Some(client) = self.find_client(framework, site).filter(|client| !client.base.is_empty()) else {
            return path;
        };
        let is_path = |text: String| text.starts_with('/') || is_relative_path(&text);
        if self.texts.evaluate_template(node).is_some_and(is_path) {
            join_route_paths(&client.base, &path)
        } else {
            path
        }
    }

    /// Returns a path without a leading slash, which a client appends to its base URL:
    /// `"api/users"`. Returns `None` if the receiver is not such a client, or the text is not such
    /// a path.
    pub(super) fn relative_client_path(
        &self,
        framework: &WebFramework,
        site: &RouteCallSite<'t>,
        node: Node<'t>,
    ) -> Option<String> {
        let receiver = site.receiver.to_lowercase();
        let has_client_name = || framework.addressed.iter().any(|word| receiver.contains(word.as_str()));
        if framework.addressed.is_empty()
            || !(self.find_client(framework, site).is_some() || has_client_name())
        {
            return None;
        }
        let text = self.texts.evaluate_template(node).filter(|text| is_relative_path(text))?;
        normalize_route_path(&text, PathForm::Relative, PathUse::Called)
    }
}

/// Whether a text can be a path without a leading slash: not a single word, a media type or a URL.
fn is_relative_path(text: &str) -> bool {
    let Some((first, _)) = text.split_once('/') else { return false };
    first.starts_with(|c: char| c.is_ascii_alphabetic())
        && !first.contains(':')
        && !MEDIA_TYPES.contains(&first)
}
