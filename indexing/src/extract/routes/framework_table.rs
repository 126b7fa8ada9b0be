//! The frameworks of `routes.toml`, with their notations for routes, routers, mounts and clients.
//!
//! The table is parsed once. Each row becomes a [`WebFramework`], with indexes of its calls and
//! decorators by name; a row of file-based routes becomes a [`FileRouteTree`]. Tests parse the
//! table, so it is always valid at run time.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The HTTP methods of routes.
pub(crate) const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// The method of a route that serves all methods.
pub(crate) const ANY: &str = "ANY";

/// A web framework: its notation for routes, routers, mounts and clients.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebFramework {
    /// The framework's name, for readers of the table only.
    #[expect(dead_code, reason = "documents the row for readers of the table")]
    name: String,
    /// The language families that have the framework.
    languages: Vec<String>,
    /// Import paths; a file that imports one of them, or something below it, uses the framework.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Texts that show that a file uses the framework.
    #[serde(default)]
    text: Vec<String>,
    /// Whether every file may use the framework, without an import.
    #[serde(default)]
    pub always: bool,
    /// Whether the framework calls endpoints and serves none.
    #[serde(default)]
    pub client: bool,
    /// Names of calls that exist once for each HTTP method.
    #[serde(default)]
    call_verbs: Vec<String>,
    /// Calls by name, with the source of the method.
    #[serde(default)]
    calls: BTreeMap<String, String>,
    /// Whether calls have no receiver.
    #[serde(default)]
    pub bare: bool,
    /// The receivers that calls may have; empty for any.
    #[serde(default)]
    pub receivers: Vec<String>,
    /// The argument that is the handler: its number, its keyword, or `none` for a block. Defaults
    /// to the last argument.
    #[serde(default)]
    pub handler: String,
    /// Whether paths may begin without a slash.
    #[serde(default)]
    pub relative: bool,
    /// Words in the names of clients with a base address, whose paths need no slash. They identify
    /// a client that the file itself does not create.
    #[serde(default)]
    pub addressed: Vec<String>,
    /// Paths by convention, which apply if neither the method nor its type has a path: `*` for all
    /// methods, and others by method name. Names in brackets are replaced. The application may have
    /// set another convention.
    #[serde(default)]
    pub convention: BTreeMap<String, String>,
    /// Bases that give no path to derived types; other bases may. Empty if bases never give paths.
    #[serde(default)]
    pub plain_bases: Vec<String>,
    /// Names of decorators that exist once for each HTTP method.
    #[serde(default)]
    decorator_verbs: Vec<String>,
    /// Decorators by name, with the source of the method.
    #[serde(default)]
    decorators: BTreeMap<String, String>,
    /// Decorators that give only the path.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Decorators of a type that give the prefix of all its paths.
    #[serde(default)]
    pub prefixes: Vec<String>,
    /// Decorators of a type inside which the framework's decorators mean something else.
    #[serde(default)]
    pub not_in: Vec<String>,
    /// Decorators of a type, with the keyword of the type's prefix. The framework's decorators have
    /// a meaning only inside such a type.
    #[serde(default)]
    pub only_in: BTreeMap<String, String>,
    /// The type that the receiver of a call must have, with its package. Empty if any receiver
    /// counts in a file that uses the framework.
    #[serde(default)]
    pub typed: String,
    /// Whether the framework yields to another one whose calls have the same names: in a file that
    /// uses both, a call counts only if its receiver leads to this framework.
    #[serde(default)]
    pub yields: bool,
    /// Calls that create a router below a path. They return it or pass it to the function that is
    /// their argument.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Calls that put all later routes in the chain below a path: `scope("/x").service(...)`.
    #[serde(default)]
    pub chain_scopes: Vec<String>,
    /// Calls whose arguments name functions that serve below the surrounding path:
    /// `service(index)`.
    #[serde(default)]
    pub services: Vec<String>,
    /// Calls that pass the router to the functions that their arguments name:
    /// `configure(users::config)`.
    #[serde(default)]
    pub router_passers: Vec<String>,
    /// Calls that create a router or a client, with the keyword of the prefix of its paths. A name
    /// with a receiver (`a.b`) matches only calls with that receiver.
    #[serde(default)]
    pub routers: BTreeMap<String, String>,
    /// Calls that mount a router below a path, with the keyword of the path. Empty if path and
    /// router are the first arguments.
    #[serde(default)]
    pub mounts: BTreeMap<String, String>,
    /// Whether other files may mount the framework's routers below a path, and functions of other
    /// files may have them as parameters.
    #[serde(default)]
    pub mounted: bool,
    /// Whether extension methods receive the router that they are called on.
    #[serde(default)]
    pub has_extension_methods: bool,
    /// Whether the path of a mount replaces the one that the router was created with.
    #[serde(default)]
    pub mount_replaces_prefix: bool,
    /// Functions that create applications, and application types. An application is never mounted
    /// below a path.
    #[serde(default)]
    pub applications: Vec<String>,
    /// Further types of routers and functions that create them. They identify the parameters that
    /// are routers.
    #[serde(default)]
    pub router_types: Vec<String>,
    /// Calls on a router that return it as a handler: `users.routes()`.
    #[serde(default)]
    pub router_getters: Vec<String>,
    /// The variable with the list of all routes that are in no other list.
    #[serde(default)]
    pub list: String,
    /// The call that, as the handler, mounts the routes of a module or of a list below the path.
    #[serde(default)]
    pub includes: String,
    /// The attribute of a router that holds the list of its routes.
    #[serde(default)]
    pub listed_as: String,
    /// The variable that may be assigned such a list.
    #[serde(default)]
    pub listed_in: String,
    /// Calls that create a router below a path that is registered in another router:
    /// `NestedSimpleRouter(router, "domains")`.
    #[serde(default)]
    pub nested: Vec<String>,
    /// Whether a registration serves both the path and one segment below it.
    #[serde(default)]
    pub details: bool,
    /// The chained call that names the methods: `Methods("GET")`.
    #[serde(default)]
    pub chained_methods: String,
    /// Whether the routes are written in the language of Rails.
    #[serde(default)]
    pub rails: bool,
    /// Whether a decorator that gives only the path serves all methods if the function names none.
    #[serde(default)]
    pub path_means_all_methods: bool,
    #[serde(skip)]
    router_call_names: FxHashSet<String>,
    #[serde(skip)]
    by_call: FxHashMap<String, HttpMethodSource>,
    #[serde(skip)]
    by_decorator: FxHashMap<String, HttpMethodSource>,
}

/// A folder whose files are routes by their path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileRouteTree {
    /// The framework's name.
    #[expect(dead_code, reason = "documents the row for readers of the table")]
    name: String,
    /// The language families that have the tree.
    pub languages: Vec<String>,
    /// The folder whose tree the paths mirror.
    pub folder: String,
    /// The folder inside it that holds routes; empty for the whole tree.
    #[serde(default)]
    pub below: String,
    /// The name of route files, without an extension; empty if a file's name is part of the path.
    #[serde(default)]
    pub file: String,
    /// Whether exported functions are named after the methods they serve. If not, the default
    /// export serves all methods.
    pub exports: bool,
}

/// The source of a route's HTTP method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HttpMethodSource {
    /// The name of the call or decorator.
    Named(&'static str),
    /// The text before the path: `"GET /x"`.
    Pattern,
    /// The argument at this position.
    Argument(u32),
    /// The options after the path, or the object that also contains the path.
    Options,
    /// The object that is the first argument, with path and handler.
    Object,
    /// A chained call; this method if there is none.
    Chain(&'static str),
    /// The name of the preceding call.
    Receiver,
    /// The names of the calls that hold the handlers.
    Handlers,
    /// A keyword; this method if there is none.
    Keyword(&'static str),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameworkTable {
    framework: Vec<WebFramework>,
    tree: Vec<FileRouteTree>,
}

static TABLE: LazyLock<FrameworkTable> = LazyLock::new(|| {
    let mut table: FrameworkTable = toml::from_str(include_str!("../../../routes.toml"))
        .expect("the embedded routes.toml is checked by a test");
    for framework in &mut table.framework {
        framework.by_call = methods_by_name(&framework.call_verbs, &framework.calls);
        framework.router_call_names =
            framework.routers.keys().map(|path| last_segment(path).to_owned()).collect();
        framework.by_decorator = methods_by_name(&framework.decorator_verbs, &framework.decorators);
    }
    table
});

/// Returns the frameworks of a language family.
pub(crate) fn frameworks_of_family(family: &str) -> impl Iterator<Item = &'static WebFramework> {
    TABLE.framework.iter().filter(move |framework| framework.languages.iter().any(|known| known == family))
}

/// Returns the trees of file-based routes of a language family.
pub(crate) fn file_route_trees(family: &str) -> impl Iterator<Item = &'static FileRouteTree> {
    TABLE.tree.iter().filter(move |tree| tree.languages.iter().any(|known| known == family))
}

impl WebFramework {
    /// Returns the source of the method for a call with this name; `None` if the call defines no
    /// route.
    pub fn call_method(&self, name: &str) -> Option<&HttpMethodSource> {
        self.by_call.get(name)
    }

    /// Returns the source of the method for a decorator with this name; `None` if the decorator
    /// defines no route.
    pub fn decorator_method(&self, name: &str) -> Option<&HttpMethodSource> {
        self.by_decorator.get(name)
    }

    /// Whether the other framework has calls with the same names.
    pub fn shares_calls(&self, other: &Self) -> bool {
        self.by_call.keys().any(|name| other.by_call.contains_key(name))
    }

    /// Whether calls with this receiver can belong to the framework.
    pub fn accepts_receiver(&self, receiver: &str) -> bool {
        if self.bare {
            return receiver.is_empty();
        }
        self.receivers.is_empty() || self.receivers.iter().any(|known| known == receiver)
    }

    /// Whether a call with this name can define a route, a router or a mount.
    pub fn is_known_call(&self, name: &str) -> bool {
        self.by_call.contains_key(name)
            || [&self.groups, &self.chain_scopes, &self.services, &self.router_passers, &self.nested]
                .into_iter()
                .flatten()
                .any(|known| known == name)
            || self.router_call_names.contains(name)
            || self.mounts.contains_key(name)
    }

    /// Returns the keyword of a router's prefix if this call creates a router or a client.
    pub fn router_keyword(&self, name: &str, receiver: &str) -> Option<&str> {
        let creates = |path: &&String| match path.rsplit_once('.') {
            Some((object, last)) => last == name && object == receiver,
            None => path.as_str() == name && !(self.client && receiver.contains(['.', '('])),
        };
        let creation = self.router_call_names.contains(name).then(|| self.routers.keys().find(creates))??;
        self.routers.get(creation).map(String::as_str)
    }

    /// Whether a text contains the name of a receiver and, for a framework without imports, of a
    /// call. Most texts do not.
    pub fn may_be_called_in(&self, text: &str) -> bool {
        let has_first_name =
            |receiver: &String| text.contains(receiver.split(['.', '(']).next().unwrap_or(receiver));
        let has_receiver = self.receivers.is_empty() || self.receivers.iter().any(has_first_name);
        has_receiver && (!self.always || self.by_call.keys().any(|name| text.contains(name.as_str())))
    }

    /// Whether one of these import paths is a package of the framework, or below one.
    pub fn is_imported<'i>(&self, mut paths: impl Iterator<Item = &'i str>) -> bool {
        paths.any(|path| self.packages.iter().any(|package| is_in_package(path, package)))
    }

    /// Whether the text itself shows that it uses the framework.
    pub fn is_mentioned(&self, text: &str) -> bool {
        self.always || self.text.iter().any(|mark| text.contains(mark.as_str()))
    }
}

/// Whether an import path is a package or in it.
pub(crate) fn is_in_package(path: &str, package: &str) -> bool {
    path.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', ':']))
}

fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Returns the sources of the HTTP method by the name of the call or decorator.
fn methods_by_name(
    verbs: &[String],
    special: &BTreeMap<String, String>,
) -> FxHashMap<String, HttpMethodSource> {
    let mut out = FxHashMap::default();
    for pattern in verbs {
        for verb in VERBS {
            let lower = verb.to_lowercase();
            let title = format!("{}{}", &verb[..1], &lower[1..]);
            let name = pattern.replace("{lower}", &lower).replace("{upper}", verb).replace("{title}", &title);
            out.insert(name, HttpMethodSource::Named(verb));
        }
    }
    for (name, text) in special {
        out.extend(parse_method_source(text).map(|method| (name.clone(), method)));
    }
    out
}

fn parse_method_source(text: &str) -> Option<HttpMethodSource> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(match word {
        "pattern" => HttpMethodSource::Pattern,
        "argument" => HttpMethodSource::Argument(rest.parse().ok()?),
        "options" => HttpMethodSource::Options,
        "object" => HttpMethodSource::Object,
        "chain" => HttpMethodSource::Chain(parse_http_method(rest)?),
        "receiver" => HttpMethodSource::Receiver,
        "handlers" => HttpMethodSource::Handlers,
        "methods" => HttpMethodSource::Keyword(parse_http_method(rest)?),
        word => HttpMethodSource::Named(parse_http_method(word)?),
    })
}

/// Parses an HTTP method in any case, or [`ANY`].
pub(crate) fn parse_http_method(text: &str) -> Option<&'static str> {
    VERBS.into_iter().chain([ANY]).find(|verb| verb.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LanguageRegistry;

    #[test]
    fn every_method_source_of_the_table_is_valid() {
        for framework in &TABLE.framework {
            for text in framework.calls.values().chain(framework.decorators.values()) {
                assert!(parse_method_source(text).is_some(), "{}: {text}", framework.packages.join(" "));
            }
            let is_recognizable =
                framework.always || !framework.packages.is_empty() || !framework.text.is_empty();
            assert!(is_recognizable, "{:?} needs `packages`, `text` or `always`", framework.languages);
        }
    }

    #[test]
    fn every_row_names_known_language_families() {
        let known =
            |family: &String| LanguageRegistry::get().all_languages().iter().any(|l| l.row.family == *family);
        for families in
            TABLE.framework.iter().map(|f| &f.languages).chain(TABLE.tree.iter().map(|t| &t.languages))
        {
            assert!(!families.is_empty() && families.iter().all(known), "{families:?}");
        }
    }

    #[test]
    fn import_paths_below_a_package_belong_to_it() {
        assert!(is_in_package("github.com/go-chi/chi/v5", "github.com/go-chi/chi"));
        assert!(is_in_package("flask", "flask"));
        assert!(!is_in_package("flasks", "flask"));
    }
}
