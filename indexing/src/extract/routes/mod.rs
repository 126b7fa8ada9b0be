//! The HTTP endpoints that a file serves or calls, found by the call and decorator forms that
//! `routes.toml` lists.
//!
//! The input is the syntax tree of one file with its imports, bindings and symbols. The output is
//! [`RawRouteFacts`]: the routes that the file serves or calls, and the mounts of routers. No other
//! file is read. A route whose router another file may mount records what its path is relative to
//! ([`RouterOrigin`]); resolution joins the paths later.
//!
//! The phases:
//!
//! 1. Select the frameworks that the file uses (`framework_table`). A framework is certain if the
//!    file's imports or text show that the file uses it. Otherwise each route records the receiver
//!    that must lead to the framework's package.
//! 2. Collect the calls and decorators that these frameworks know. A separate module reads the
//!    routes of Rails (`rails`).
//! 3. Record routers, mounts and clients in [`RoutePrefixes`] (`router_creation`, `mounts`,
//!    `clients`).
//! 4. Read the routes of calls (`route_calls`) and decorators (`decorators`). `mount_paths` finds
//!    each router's prefix at every position where the file mounts it, and `router_origin` what
//!    that prefix is relative to.
//! 5. Collect the mounts for other files, sort the routes and remove duplicates.
//!
//! Paths are normalized (`path_template`): unknown parts and parameters are `{}`.

mod call_arguments;
mod call_chains;
mod clients;
mod decorators;
mod framework_table;
mod mount_paths;
mod mounts;
mod parameters;
mod path_template;
mod rails;
mod route_calls;
mod router_creation;
mod router_origin;
mod string_evaluation;

pub(crate) use framework_table::{ANY, FileRouteTree, VERBS, file_route_trees, is_in_package};
pub(crate) use path_template::{PathForm, PathUse, join_route_paths, normalize_route_path};

use super::bindings::RawBinding;
use super::constants::StringConstants;
use super::expressions::ExpressionReader;
use super::raw_facts::name_span;
use super::symbols::FileSymbols;
use super::tree_scan::TreeScan;
use call_arguments::{RouteArgument, RouteHandler};
use decorators::RouteDecorator;
use framework_table::{WebFramework, frameworks_of_family};
use kenning_graph::facts::{ImportFact, MountFact, NameSpan};
use router_origin::{RouterOrigin, RouterPrefix};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use string_evaluation::StringEvaluator;
use tree_sitter::{Node, Tree};

/// Maximum number of routes of one file. Generated API clients and servers have thousands.
const MAX_ROUTES: usize = 5_000;

/// Maximum number of steps for finding the parents of nodes. Finding one parent takes up to as many
/// steps as the tree has nodes, because tree-sitter searches for it from the root.
const MAX_STEPS: usize = 200_000_000;

/// A [`RouteFact`](kenning_graph::facts::RouteFact) before its strings are interned.
pub(crate) struct RawRoute {
    pub method: String,
    pub path: String,
    pub handler: String,
    pub evidence: String,
    pub packages: String,
    pub router: String,
    pub parameter: Option<u8>,
    pub creation_prefix: String,
    pub needs_mount: bool,
    pub is_mounted_in_file: bool,
    pub is_client_call: bool,
    pub scope: u32,
    pub at: NameSpan,
}

/// The routes and mounts of one file.
#[derive(Default)]
pub(crate) struct RawRouteFacts {
    /// The routes, in the order of the text.
    pub routes: Vec<RawRoute>,
    /// The mounts, sorted.
    pub mounts: Vec<MountFact>,
}

impl RawRoute {
    fn sort_key(&self) -> (u32, &str, &str, bool, &str, &str, Option<u8>, bool) {
        let Self { method, path, handler, router, parameter, is_mounted_in_file, .. } = self;
        (self.at.start, method, path, self.is_client_call, handler, router, *parameter, *is_mounted_in_file)
    }
}

/// A framework that a file uses, or may use.
#[derive(Clone, Copy)]
struct UsedFramework {
    framework: &'static WebFramework,
    /// Whether the file itself shows that it uses the framework. If not, the receiver of a call has
    /// to show it.
    is_certain: bool,
}

/// A call that may define routes, routers or mounts.
struct RouteCallSite<'t> {
    node: Node<'t>,
    name: String,
    receiver: String,
    arguments: Vec<RouteArgument<'t>>,
}

impl<'t> RouteCallSite<'t> {
    /// Returns the argument at this position among those without a keyword.
    fn positional_argument(&self, at: usize) -> Option<Node<'t>> {
        self.arguments.iter().filter(|argument| argument.keyword.is_empty()).nth(at).map(|a| a.node)
    }

    fn keyword_argument(&self, name: &str) -> Option<Node<'t>> {
        self.arguments.iter().find(|argument| argument.keyword == name).map(|a| a.node)
    }

    /// Returns the object literal that is the first argument and contains path, method and handler.
    fn options_object(&self) -> Option<Node<'t>> {
        self.positional_argument(0).filter(|node| node.kind() == "object")
    }

    fn start_byte(&self) -> u32 {
        self.node.start_byte() as u32
    }
}

/// A name and the scope in which it is bound.
type RouterKey = (String, u32);

/// The routers, mounts and clients of a file, which determine the prefixes of its routes.
#[derive(Default)]
struct RoutePrefixes {
    /// Created routers, in the order of the text.
    routers: FxHashMap<RouterKey, Vec<RouterCreation>>,
    /// Mounts of routers, and of the functions that return one.
    mounts: FxHashMap<RouterKey, Vec<RouterMount>>,
    /// Mounts of functions that have a router as a parameter, by qualified name and parameter.
    parameter_mounts: FxHashMap<(String, u8), Vec<RouterMount>>,
    /// Parts of the text whose routes are relative to a router.
    spans: Vec<RouterSpan>,
    /// All mounts of the file, as written.
    written_mounts: Vec<mounts::WrittenMount>,
    /// Variables of the file that were created with a path: name and path.
    prefixed_variables: Vec<(String, String)>,
    /// Names of the routers to which routes, or routers below a path, are added.
    routers_in_use: FxHashSet<RouterKey>,
    /// The clients, by name.
    clients: FxHashMap<String, Vec<HttpClient>>,
}

/// A router that the file creates, or that is a parameter of a function.
#[derive(Clone)]
struct RouterBase {
    /// The prefix of its paths, relative to the parent; `None` if unknown.
    prefix: Option<String>,
    outer: RouterParent,
}

/// The parent of a router.
#[derive(Clone)]
enum RouterParent {
    /// Another router: its expression, and the position of the expression.
    Router(String, LookupPosition),
    /// The origin of a router whose parent is not in the file.
    Root(RouterOrigin),
}

/// A position in the text.
#[derive(Clone, Copy)]
struct LookupPosition {
    at: u32,
    /// A length in bytes: only longer spans around the position are considered.
    beyond: u32,
}

impl From<u32> for LookupPosition {
    fn from(at: u32) -> Self {
        Self { at, beyond: 0 }
    }
}

/// The creation of a router.
struct RouterCreation {
    at: u32,
    base: RouterBase,
}

/// A function with a router as a parameter, or a chain with a path.
struct RouterSpan {
    start: u32,
    end: u32,
    base: RouterBase,
}

/// A mount of a router.
#[derive(Clone)]
struct RouterMount {
    /// The path of the mount; `None` if unknown.
    path: Option<String>,
    /// The router that it is mounted on; `at` is the position of that expression.
    outer_router: String,
    at: u32,
    /// See [`MountFact::replaces_prefix`].
    replaces_prefix: bool,
}

/// An HTTP client that the file creates.
struct HttpClient {
    framework: &'static WebFramework,
    start: u32,
    /// The symbol in which it is created.
    scope: u32,
    /// The prefix of its paths.
    base: String,
}

/// A reader of the routes of one file.
struct RouteScan<'s, 't> {
    expressions: ExpressionReader<'s>,
    texts: StringEvaluator<'s>,
    symbols: &'s FileSymbols,
    names: router_origin::LocalNames<'s>,
    used: Vec<UsedFramework>,
    /// Calls that may pass a router to a function.
    calls: Vec<Node<'t>>,
    sites: Vec<RouteCallSite<'t>>,
    decorators: Vec<RouteDecorator<'t>>,
    prefixes: RoutePrefixes,
    routes: Vec<RawRoute>,
    /// Number of parent lookups left for the file.
    parent_lookups_left: Cell<usize>,
}

/// The names that a file binds: its imports and its variables.
#[derive(Clone, Copy)]
pub(crate) struct BoundNames<'s> {
    pub imports: &'s [ImportFact],
    pub bindings: &'s [RawBinding],
}

/// Collects the routes that a file serves, the endpoints that it calls, and the routers that it
/// mounts.
pub(crate) fn collect_routes<'s, 't>(
    family: &str,
    tree: &'t Tree,
    tree_scan: &TreeScan<'t>,
    expressions: ExpressionReader<'s>,
    names: BoundNames<'s>,
    symbols: &'s FileSymbols,
    constants: StringConstants<'s>,
) -> RawRouteFacts {
    let BoundNames { imports, bindings } = names;
    let used = used_frameworks(family, expressions.text, imports);
    if used.is_empty() {
        return RawRouteFacts::default();
    }
    let (calls, sites, decorators, routes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let names = router_origin::LocalNames::new(imports, bindings, symbols);
    let parent_lookups_left = Cell::new(MAX_STEPS / tree.root_node().descendant_count().max(1));
    let texts = StringEvaluator { expressions, constants };
    let mut scan = RouteScan {
        expressions,
        texts,
        symbols,
        names,
        used,
        calls,
        sites,
        decorators,
        prefixes: RoutePrefixes::default(),
        routes,
        parent_lookups_left,
    };
    scan.record_sites(&tree_scan.sites);
    if scan.used.iter().any(|used| used.framework.rails) {
        rails::collect_rails_routes(&mut scan, tree);
    }
    scan.record_route_lists(tree);
    scan.collect_call_routes();
    scan.collect_decorated_routes();
    scan.record_router_arguments();
    let mounts = scan.collect_mounts();
    // Among equal routes, one without evidence comes first and is kept, because it is certain.
    scan.routes.sort_by(|a, b| (a.sort_key(), &a.evidence).cmp(&(b.sort_key(), &b.evidence)));
    scan.routes.dedup_by(|next, kept| {
        next.sort_key() == kept.sort_key() && (kept.evidence.is_empty() || next.packages == kept.packages)
    });
    scan.routes.truncate(MAX_ROUTES);
    RawRouteFacts { routes: scan.routes, mounts }
}

/// Returns the frameworks that a file uses according to its imports and text. If the file contains
/// paths, also returns the frameworks that it may use through objects of other files.
fn used_frameworks(family: &str, text: &str, imports: &[ImportFact]) -> Vec<UsedFramework> {
    let has_paths = ["(\"/", "('/", "(`/"].iter().any(|mark| text.contains(mark));
    let may_mount = |framework: &WebFramework| {
        let mut keywords = framework.mounts.iter().filter(|(_, keyword)| !keyword.is_empty());
        keywords.any(|(call, keyword)| text.contains(call.as_str()) && text.contains(keyword.as_str()))
    };
    let mut used = Vec::new();
    for framework in frameworks_of_family(family) {
        let members = imports.iter().map(|import| format!("{}.{}", import.path, import.name));
        let members: Vec<String> = if framework.packages.is_empty() { Vec::new() } else { members.collect() };
        let paths = imports.iter().map(|import| import.path.as_str());
        let is_certain = framework.is_imported(paths.chain(members.iter().map(String::as_str)))
            || (framework.is_mentioned(text) && framework.may_be_called_in(text));
        let by_receiver = !framework.client && !framework.bare && framework.receivers.is_empty();
        let may_have_routes = has_paths || may_mount(framework);
        if is_certain || (may_have_routes && by_receiver && !framework.packages.is_empty()) {
            used.push(UsedFramework { framework, is_certain: is_certain && framework.typed.is_empty() });
        }
    }
    let yields: Vec<bool> =
        used.iter().map(|entry| entry.framework.yields && has_rival_framework(entry, &used)).collect();
    for (entry, yields) in used.iter_mut().zip(yields) {
        entry.is_certain &= !yields;
    }
    used
}

/// Returns the frameworks with which a file serves endpoints.
fn serving_frameworks(used: &[UsedFramework]) -> impl Iterator<Item = &'static WebFramework> {
    used.iter().map(|used| used.framework).filter(|framework| !framework.client)
}

/// Whether a file certainly uses another serving framework whose calls have the same names.
fn has_rival_framework(entry: &UsedFramework, all: &[UsedFramework]) -> bool {
    let is_rival =
        |other: &&UsedFramework| !std::ptr::eq(entry.framework, other.framework) && other.is_certain;
    all.iter()
        .filter(is_rival)
        .any(|other| !other.framework.client && entry.framework.shares_calls(other.framework))
}

impl<'t> RouteScan<'_, 't> {
    /// Records the calls and decorators that a framework knows.
    fn record_sites(&mut self, sites: &[Node<'t>]) {
        let mounted = self.used.iter().any(|used| used.is_certain && used.framework.mounted);
        for &node in sites {
            let flags = self.expressions.kinds.kind_flags(node.kind_id());
            if flags.call {
                self.record_call(node);
                if mounted && self.calls.len() < MAX_ROUTES {
                    self.calls.push(node);
                }
            }
            if flags.decoration {
                decorators::collect_decorators(&self.texts, node, &mut self.decorators);
            }
        }
    }

    /// Limits the prefixes to one per route if the file has more than half of [`MAX_ROUTES`].
    fn limit_router_prefixes(&self, mut prefixes: Vec<RouterPrefix>) -> Vec<RouterPrefix> {
        if self.routes.len() > MAX_ROUTES / 2 {
            prefixes.truncate(1);
        }
        prefixes
    }

    /// Returns the parent of a node, or `None` when the file's budget for such lookups is used up.
    fn parent_node(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.parent_lookups_left.set(self.parent_lookups_left.get().checked_sub(1)?);
        node.parent()
    }

    fn record_call(&mut self, node: Node<'t>) {
        let Some((name, receiver)) = self.expressions.split_receiver(node) else { return };
        let name = self.expressions.node_text(name);
        if self.sites.len() < MAX_ROUTES && self.used.iter().any(|used| used.framework.is_known_call(name)) {
            let arguments = call_arguments::collect_arguments(&self.expressions, node);
            self.sites.push(RouteCallSite { node, name: name.to_owned(), receiver, arguments });
        }
    }

    /// Adds a route. A `handler` of `None` means the symbol that contains the route.
    fn push_route(&mut self, route: FoundRoute<'_, 't>) {
        let FoundRoute { used, method, path, mut origin, handler, receiver, at } = route;
        // If the file certainly uses another framework whose calls have the same names, a mount
        // does not identify this one.
        if !used.is_certain && has_rival_framework(&used, &self.used) {
            origin = RouterOrigin::at_root();
        }
        // Discards a path whose first segment is unknown: it would match every path with a
        // parameter there.
        let is_unusable = used.framework.client && path.split('/').nth(1) == Some(string_evaluation::HOLE);
        // The same holds for a path whose beginning is unknown and whose end has only parameters.
        let has_only_holes =
            || path.split('/').all(|segment| segment.is_empty() || segment == string_evaluation::HOLE);
        let is_unusable = is_unusable || (origin.needs_mount && origin.name.is_empty() && has_only_holes());
        if is_unusable || self.routes.len() > 2 * MAX_ROUTES {
            return;
        }
        let (handler, start) = match handler {
            Some(RouteHandler::Named(name)) => (name, at.start_byte()),
            Some(RouteHandler::Inline(node)) => (String::new(), node.start_byte()),
            None => (String::new(), at.start_byte()),
        };
        let (evidence, packages) = if used.is_certain {
            (String::new(), String::new())
        } else {
            let WebFramework { typed, packages, .. } = used.framework;
            (receiver.to_owned(), if typed.is_empty() { packages.join(" ") } else { typed.clone() })
        };
        self.routes.push(RawRoute {
            method: method.to_owned(),
            path,
            handler,
            evidence,
            packages,
            router: origin.name,
            parameter: origin.parameter,
            creation_prefix: origin.creation_prefix,
            needs_mount: origin.needs_mount,
            is_mounted_in_file: origin.is_mounted_in_file,
            is_client_call: used.framework.client,
            scope: self.symbols.symbol_at(start as u32),
            at: name_span(at),
        });
    }
}

/// A route as the scan finds it. [`RouteScan::push_route`] makes a [`RawRoute`] from it.
struct FoundRoute<'f, 't> {
    used: UsedFramework,
    method: &'f str,
    path: String,
    /// The origin that the path is relative to.
    origin: RouterOrigin,
    handler: Option<RouteHandler<'t>>,
    receiver: &'f str,
    at: Node<'t>,
}
