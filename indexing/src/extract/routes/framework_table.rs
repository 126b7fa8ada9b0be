//! The frameworks of `routes.toml`.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// HTTP methods that routes are made of.
pub(crate) const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// Stands for all methods.
pub(crate) const ANY: &str = "ANY";

/// How a framework writes its routes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebFramework {
    /// For readers of the table only.
    #[expect(dead_code, reason = "tells readers of the table what a row is about")]
    name: String,
    /// Languages by their family.
    languages: Vec<String>,
    /// Import paths of which one, or something below it, shows that a file uses the framework.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Texts that show the same.
    #[serde(default)]
    text: Vec<String>,
    /// Every file may use it.
    #[serde(default)]
    pub always: bool,
    /// It calls endpoints and serves none.
    #[serde(default)]
    pub client: bool,
    /// Calls by name, one for each HTTP method.
    #[serde(default)]
    call_verbs: Vec<String>,
    /// Calls by name, and where the method stands.
    #[serde(default)]
    calls: BTreeMap<String, String>,
    /// Calls have no receiver.
    #[serde(default)]
    pub bare: bool,
    /// The receivers that calls may have; none: any.
    #[serde(default)]
    pub receivers: Vec<String>,
    /// The argument that serves: its number, its keyword, `none` for a block; the last by default.
    #[serde(default)]
    pub handler: String,
    /// Paths need not begin with a slash.
    #[serde(default)]
    pub relative: bool,
    /// A client has an address, behind which a path needs no slash: one of these words stands in what it is called, if the file
    /// does not make it.
    #[serde(default)]
    pub addressed: Vec<String>,
    /// Where neither a method nor its type has a path: the one by convention, with names in brackets, for all (`*`) and further
    /// for methods by name. The application may have set another.
    #[serde(default)]
    pub convention: BTreeMap<String, String>,
    /// Bases that give no path; others may. None: bases give no paths.
    #[serde(default)]
    pub plain_bases: Vec<String>,
    /// Decorators by name, one for each HTTP method.
    #[serde(default)]
    decorator_verbs: Vec<String>,
    /// Decorators by name, and where the method stands.
    #[serde(default)]
    decorators: BTreeMap<String, String>,
    /// Decorators that give the path only.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Decorators of a type that give what all its paths begin with.
    #[serde(default)]
    pub prefixes: Vec<String>,
    /// Decorators of a type in which the decorators mean something else.
    #[serde(default)]
    pub not_in: Vec<String>,
    /// Decorators of a type in which alone the decorators mean this, and their keyword of what all its paths begin with.
    #[serde(default)]
    pub only_in: BTreeMap<String, String>,
    /// The type that the receiver of a call must have, with its package; none: any receiver will do where the file uses the
    /// framework.
    #[serde(default)]
    pub typed: String,
    /// Where another framework of the file has calls of the same names, the receiver has to show that it is this one's.
    #[serde(default)]
    pub yields: bool,
    /// Calls that give a router below a path: as their value, or to the function that is their argument.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Calls that give all that is written in the chain behind a path: `scope("/x").service(...)`.
    #[serde(default)]
    pub wraps: Vec<String>,
    /// Calls whose arguments name functions that serve below the path around: `service(index)`.
    #[serde(default)]
    pub services: Vec<String>,
    /// Calls that give the router to the functions that their arguments name: `configure(users::config)`.
    #[serde(default)]
    pub gives: Vec<String>,
    /// Calls that make a router, or a client, and the keyword of what its paths begin with; with the receiver before the
    /// name where there must be one.
    #[serde(default)]
    pub routers: BTreeMap<String, String>,
    /// Calls that put a router below a path: a keyword for it, or empty where path and router are the first arguments.
    #[serde(default)]
    pub mounts: BTreeMap<String, String>,
    /// Its routers may be put below a path by another file, and functions of other files be given them.
    #[serde(default)]
    pub mounted: bool,
    /// Extension methods are given the router that they are called on.
    #[serde(default)]
    pub extended: bool,
    /// The path of a mount stands in the place of the one that the router was made with.
    #[serde(default)]
    pub replaces: bool,
    /// Makers and types of what is never put below a path.
    #[serde(default)]
    pub applications: Vec<String>,
    /// Further types and makers of routers: what is given to a function is a router by them.
    #[serde(default)]
    pub router_types: Vec<String>,
    /// Calls on a router that give it as a handler: `users.routes()`.
    #[serde(default)]
    pub given_by: Vec<String>,
    /// The variable whose list routes belong to, where they stand in no other.
    #[serde(default)]
    pub list: String,
    /// The call that stands in the place of a handler and puts the routes of a module, or of a list, below the path.
    #[serde(default)]
    pub includes: String,
    /// The attribute of a router that is the list of its routes.
    #[serde(default)]
    pub listed_as: String,
    /// The variable that may be such a list.
    #[serde(default)]
    pub listed_in: String,
    /// Calls that make a router below what is registered at a path in another: `NestedSimpleRouter(router, "domains")`.
    #[serde(default)]
    pub nested: Vec<String>,
    /// What is registered serves the path, and what is one segment below it.
    #[serde(default)]
    pub details: bool,
    /// A call behind that names the methods: `Methods("GET")`.
    #[serde(default)]
    pub chained_methods: String,
    /// The routes are written in the language of Rails.
    #[serde(default)]
    pub rails: bool,
    /// A decorator that gives the path only serves all methods where none is named.
    #[serde(default)]
    pub alone: bool,
    #[serde(skip)]
    made_by: FxHashSet<String>,
    #[serde(skip)]
    by_call: FxHashMap<String, HttpMethodSource>,
    #[serde(skip)]
    by_decorator: FxHashMap<String, HttpMethodSource>,
}

/// Where files are routes by their path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileRouteTree {
    #[expect(dead_code, reason = "tells readers of the table what a row is about")]
    name: String,
    /// Languages by their family.
    pub languages: Vec<String>,
    /// The folder whose tree the paths mirror.
    pub folder: String,
    /// The folder in it that holds routes; empty for all.
    #[serde(default)]
    pub below: String,
    /// The name of the files, without extension; empty where a file's name is part of the path.
    #[serde(default)]
    pub file: String,
    /// Exported functions are named for the methods; else the default export serves all.
    pub exports: bool,
}

/// Where the HTTP method of a route stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HttpMethodSource {
    /// In the name.
    Named(&'static str),
    /// Before the path: `"GET /x"`.
    Pattern,
    /// In this argument.
    Argument(u32),
    /// In the options behind the path, or with it.
    Options,
    /// In the object that is the first argument, with path and handler.
    Object,
    /// In a call behind this one; or else this.
    Chain(&'static str),
    /// In the name of the call before.
    Receiver,
    /// In the names of the calls that hold the handlers.
    Handlers,
    /// In a keyword; or else this.
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
        framework.made_by = framework.routers.keys().map(|path| last_segment(path).to_owned()).collect();
        framework.by_decorator = methods_by_name(&framework.decorator_verbs, &framework.decorators);
    }
    table
});

/// The frameworks of a family of languages.
pub(crate) fn frameworks_of_family(family: &str) -> impl Iterator<Item = &'static WebFramework> {
    TABLE.framework.iter().filter(move |framework| framework.languages.iter().any(|known| known == family))
}

/// Where files of a family of languages are routes by their path.
pub(crate) fn file_route_trees(family: &str) -> impl Iterator<Item = &'static FileRouteTree> {
    TABLE.tree.iter().filter(move |tree| tree.languages.iter().any(|known| known == family))
}

impl WebFramework {
    /// The method of a call with this name.
    pub fn call_method(&self, name: &str) -> Option<&HttpMethodSource> {
        self.by_call.get(name)
    }

    /// The method of a decorator with this name.
    pub fn decorator_method(&self, name: &str) -> Option<&HttpMethodSource> {
        self.by_decorator.get(name)
    }

    /// Whether another framework has calls of the same names.
    pub fn shares_calls(&self, other: &Self) -> bool {
        self.by_call.keys().any(|name| other.by_call.contains_key(name))
    }

    /// Whether calls with this receiver can be the framework's.
    pub fn accepts_receiver(&self, receiver: &str) -> bool {
        if self.bare {
            return receiver.is_empty();
        }
        self.receivers.is_empty() || self.receivers.iter().any(|known| known == receiver)
    }

    /// Whether a call of this name, or a decorator, says something of routes.
    pub fn is_known_call(&self, name: &str) -> bool {
        self.by_call.contains_key(name)
            || [&self.groups, &self.wraps, &self.services, &self.gives, &self.nested]
                .into_iter()
                .flatten()
                .any(|known| known == name)
            || self.made_by.contains(name)
            || self.mounts.contains_key(name)
    }

    /// The keyword of what the paths of a router begin with, where this call makes one.
    pub fn router_keyword(&self, name: &str, receiver: &str) -> Option<&str> {
        let made = |path: &&String| match path.rsplit_once('.') {
            Some((object, last)) => last == name && object == receiver,
            None => path.as_str() == name && !(self.client && receiver.contains(['.', '('])),
        };
        let found = self.made_by.contains(name).then(|| self.routers.keys().find(made))??;
        self.routers.get(found).map(String::as_str)
    }

    /// Whether a text holds the name of a call and of a receiver of the framework: most do not.
    pub fn may_be_called_in(&self, text: &str) -> bool {
        let begins = |receiver: &String| text.contains(receiver.split(['.', '(']).next().unwrap_or(receiver));
        let received = self.receivers.is_empty() || self.receivers.iter().any(begins);
        received && (!self.always || self.by_call.keys().any(|name| text.contains(name.as_str())))
    }

    /// Whether one of these import paths is the framework's, or below it.
    pub fn is_imported<'i>(&self, mut paths: impl Iterator<Item = &'i str>) -> bool {
        paths.any(|path| self.packages.iter().any(|package| is_in_package(path, package)))
    }

    /// Whether a text shows that it uses the framework.
    pub fn is_mentioned(&self, text: &str) -> bool {
        self.always || self.text.iter().any(|mark| text.contains(mark.as_str()))
    }
}

/// Whether an import path is a package or something in it.
pub(crate) fn is_in_package(path: &str, package: &str) -> bool {
    path.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', ':']))
}

fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Methods by name.
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

/// An HTTP method written in any case, or [`ANY`].
pub(crate) fn parse_http_method(text: &str) -> Option<&'static str> {
    VERBS.into_iter().chain([ANY]).find(|verb| verb.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LanguageRegistry;

    #[test]
    fn every_entry_of_the_table_is_understood() {
        for framework in &TABLE.framework {
            for text in framework.calls.values().chain(framework.decorators.values()) {
                assert!(parse_method_source(text).is_some(), "{}: {text}", framework.packages.join(" "));
            }
            let shown = framework.always || !framework.packages.is_empty() || !framework.text.is_empty();
            assert!(shown, "{:?} needs something that shows it", framework.languages);
        }
    }

    #[test]
    fn every_entry_is_for_families_of_the_languages() {
        let known =
            |family: &String| LanguageRegistry::get().all_languages().iter().any(|l| l.row.family == *family);
        for families in
            TABLE.framework.iter().map(|f| &f.languages).chain(TABLE.tree.iter().map(|t| &t.languages))
        {
            assert!(!families.is_empty() && families.iter().all(known), "{families:?}");
        }
    }

    #[test]
    fn an_import_below_a_package_shows_the_framework() {
        assert!(is_in_package("github.com/go-chi/chi/v5", "github.com/go-chi/chi"));
        assert!(is_in_package("flask", "flask"));
        assert!(!is_in_package("flasks", "flask"));
    }
}
