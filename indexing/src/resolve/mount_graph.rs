//! Mounts: the paths at which files attach routers, which determine the full paths of routes.
//!
//! Input: the mount facts of all files of a family. They are few and can be in any file, so
//! `build_by_family` reads them once for all files that are resolved together, and resolves the
//! names in a mount in the file that contains it. Output: the paths at which a router is mounted,
//! found by following the mounts of outer routers up to an application.
//!
//! A file with incomplete routes depends on all mounts of its family: it records one lookup for
//! them (`LookupKey::Mounts`). A file with mounts records the lookups that resolve them
//! ([`LookupKey::mount_path_number`]).

use super::definition::{Definition, LookupScope};
use super::file_context::FileContext;
use super::lang;
use super::lang::family::LanguageFamily;
use super::resolver::Resolver;
use super::tracked_snapshot::{SharedIndexes, TrackedSnapshot, split_last_segment};
use crate::extract::routes::join_route_paths;
use crate::project::Project;
use kenning_graph::facts::{FILE_SCOPE, FileFacts, ImportFact, MountFact, MountTarget, UNKNOWN_PATH};
use kenning_graph::receiver_notation::unescape_text;
use kenning_graph::snapshot::LookupKey;
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Maximum number of nested mounts that are followed. Routers can mount one another in a cycle.
const MAX_DEPTH: usize = 4;
/// Maximum number of mount points of one router. Tests can mount one router hundreds of times.
const MAX_MOUNT_POINTS: usize = 16;
/// Number of mounts after which the mounts of further files of a family are ignored. Only generated
/// code has more.
const MAX_MOUNTS: usize = 2_000;
/// Maximum number of mounts visited to find the paths of one router. The number of paths grows
/// exponentially if many routers mount one another.
const MAX_STEPS: usize = 1_000;

/// Empty facts. Mounts are resolved without the facts of their file, only from data that lookups of
/// other files also read.
static NO_FACTS: LazyLock<FileFacts> = LazyLock::new(FileFacts::default);

/// A router: a variable, a function that returns a router, or a parameter of a function that takes
/// a router.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RouterNode {
    /// The variable or function.
    pub symbol: SymbolId,
    /// Position of the parameter, if the router is a parameter of the function.
    pub parameter: Option<u8>,
}

/// The mounts in the files of one family.
#[derive(Default)]
pub(super) struct MountGraph {
    /// The mounts, ordered by the path of the file and their order in the file.
    edges: Vec<MountEdge>,
    /// Indexes into `edges`, by the router that is mounted.
    mounts_of_router: FxHashMap<RouterNode, Vec<usize>>,
    /// Path prefixes that routers were created with, by the router's variable.
    creation_prefixes: FxHashMap<SymbolId, String>,
}

/// One mount: a router attached below a path.
struct MountEdge {
    /// Path of the mount; `None` if unknown.
    path: Option<String>,
    /// The part of the path that the outer router was created with. A mount of the outer router can
    /// replace it.
    outer_creation_prefix: String,
    /// Whether `path` replaces the prefix that the mounted router was created with.
    replaces: bool,
    /// Whether the file itself shows that this is a mount. Otherwise, it counts as a mount only if
    /// the outer router is mounted.
    is_certain: bool,
    parent: MountParent,
}

/// The object that a router is mounted on.
enum MountParent {
    /// An application, or an unknown object.
    Application {
        /// Whether the path of the mount is incomplete.
        is_partial: bool,
    },
    /// Possible outer routers.
    Routers {
        nodes: Vec<RouterNode>,
        /// Whether the outer router exists only to be mounted itself, so that the path is
        /// incomplete if no mount of it is found.
        is_partial: bool,
    },
}

/// The files whose mounts count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MountScope {
    /// All files except tests, whose mounts do not apply to the program.
    Program,
    /// All files.
    ProgramAndTests,
}

/// A path at which a router is mounted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MountedPath {
    pub path: String,
    /// Whether the whole path is known.
    pub whole: bool,
}

impl MountGraph {
    /// Returns the mounts of all files in `scope`, by family.
    pub fn build_by_family<'a>(
        snapshot: &'a Snapshot,
        shared: &'a SharedIndexes<'a>,
        project: &'a Project,
        scope: MountScope,
    ) -> FxHashMap<LanguageFamily, Self> {
        let mut families: FxHashMap<LanguageFamily, Self> = FxHashMap::default();
        for file in snapshot.files_with_mounts() {
            let Some(entry) = snapshot.file(file) else { continue };
            let Some(family) = LanguageFamily::from_language(entry.language) else { continue };
            if scope == MountScope::Program && family.is_test_path(entry.path) {
                continue;
            }
            let mounts = families.entry(family).or_default();
            if mounts.edges.len() >= MAX_MOUNTS {
                tracing::warn!(
                    path = entry.path,
                    "the limit of mounts is reached; ignoring the mounts of this file"
                );
                continue;
            }
            mounts.add_file(snapshot, shared, project, file);
        }
        families
    }

    /// Adds the mounts of one file. Returns the key numbers of the lookups that resolved them.
    fn add_file<'a>(
        &mut self,
        snapshot: &'a Snapshot,
        shared: &'a SharedIndexes<'a>,
        project: &'a Project,
        file: FileId,
    ) -> Vec<u32> {
        let (Some(entry), Some(&symbol)) = (snapshot.file(file), snapshot.file_symbols(file).first()) else {
            return Vec::new();
        };
        let Some(family) = LanguageFamily::from_language(entry.language) else { return Vec::new() };
        let view = TrackedSnapshot::new(snapshot, shared, family);
        let resolver = Resolver::new(view, project, family, entry.path, entry.package);
        let context = FileContext::new(resolver, &NO_FACTS, symbol, Vec::new());
        for mount in snapshot.file_mounts(file).iter() {
            context.reset_budget();
            if mount.target == mount.outer_router && mount.parameter == mount.outer_parameter {
                self.creation_prefixes.extend(
                    resolve_routers(&context, &mount.outer_router)
                        .into_iter()
                        .map(|id| (id, mount.path.clone())),
                );
                continue;
            }
            let at = self.edges.len();
            let targets = mount_targets(&context, mount);
            if targets.is_empty() {
                continue;
            }
            for target in targets {
                self.mounts_of_router.entry(target).or_default().push(at);
            }
            let path = Some(mount.path.clone()).filter(|path| path != UNKNOWN_PATH);
            let (outer_creation_prefix, replaces, is_certain) =
                (mount.outer_creation_prefix.clone(), mount.replaces_prefix, mount.is_certain);
            self.edges.push(MountEdge {
                path,
                outer_creation_prefix,
                replaces,
                is_certain,
                parent: resolve_mount_parent(&context, mount),
            });
        }
        context.resolver.view.into_lookups()
    }

    /// Returns the full paths of a route of a router, sorted. Returns an empty list if the router
    /// is not mounted. `path` is the route's path in the router and starts with `creation_prefix`,
    /// the path that the router was created with.
    pub fn mounted_paths(&self, router: RouterNode, path: &str, creation_prefix: &str) -> Vec<MountedPath> {
        let mut walk = MountWalk { mounts: self, current_path: vec![router], found: Vec::new(), steps: 0 };
        walk.follow_mounts(path, creation_prefix);
        let mut found = walk.found;
        found.sort();
        // A path is complete if one mount shows it completely.
        found.dedup_by(|next, previous| {
            let is_same = next.path == previous.path;
            previous.whole |= is_same && next.whole;
            is_same
        });
        found.truncate(MAX_MOUNT_POINTS);
        found
    }

    /// Returns the path that a router was created with, for routes that another file adds to it.
    /// Returns an empty string if the router has no such path.
    pub fn creation_prefix(&self, router: SymbolId) -> &str {
        self.creation_prefixes.get(&router).map_or("", String::as_str)
    }
}

/// The walk from one router along its mounts, outwards to the applications.
struct MountWalk<'m> {
    mounts: &'m MountGraph,
    /// Routers on the current path of the walk, innermost first.
    current_path: Vec<RouterNode>,
    found: Vec<MountedPath>,
    steps: usize,
}

impl MountWalk<'_> {
    /// Follows the mounts of the last router in `current_path`. `suffix` is the path collected so
    /// far and starts with `creation_prefix`, the path that this router was created with.
    fn follow_mounts(&mut self, suffix: &str, creation_prefix: &str) {
        let mounts = self.mounts;
        for &at in self
            .current_path
            .last()
            .and_then(|router| mounts.mounts_of_router.get(router))
            .into_iter()
            .flatten()
        {
            let Some(mount) = mounts.edges.get(at).filter(|_| self.steps < MAX_STEPS) else { return };
            self.steps += 1;
            let rest = suffix.strip_prefix(creation_prefix).filter(|_| mount.replaces).unwrap_or(suffix);
            let Some(path) = mount.path.as_deref().map(|path| join_route_paths(path, rest)) else {
                if !mount.is_certain {
                    continue;
                }
                self.found.push(MountedPath { path: join_route_paths("", suffix), whole: false });
                continue;
            };
            let (outer_routers, is_partial) = match &mount.parent {
                MountParent::Routers { nodes, is_partial } => (nodes, is_partial),
                MountParent::Application { .. } if !mount.is_certain => continue,
                MountParent::Application { is_partial } => {
                    self.found.push(MountedPath { path, whole: !is_partial });
                    continue;
                }
            };
            let found_before = self.found.len();
            let mut has_cycle = false;
            for &router in outer_routers {
                if self.current_path.contains(&router) {
                    has_cycle = true;
                } else if self.current_path.len() <= MAX_DEPTH {
                    self.current_path.push(router);
                    self.follow_mounts(&path, &mount.outer_creation_prefix);
                    self.current_path.pop();
                }
            }
            if self.found.len() == found_before && !has_cycle && mount.is_certain {
                // The outer router is not mounted, or the walk does not follow it that far.
                let whole = !is_partial && self.current_path.len() <= MAX_DEPTH;
                self.found.push(MountedPath { path, whole });
            }
        }
    }
}

/// Returns the routers that a mount attaches. A router that a function takes is the function's
/// parameter.
fn mount_targets(context: &FileContext, mount: &MountFact) -> Vec<RouterNode> {
    let found = match MountTarget::parse(&mount.target) {
        MountTarget::ExtensionMethod(name) => find_extension_methods(context, name),
        MountTarget::InModule(rest) if !context.resolver.family.mounts_names_directly() => {
            resolve_in_module(context, rest)
        }
        _ => resolve_symbols(context, &mount.target),
    };
    let is_callable =
        |id| context.resolver.view.symbol_by_id(id).is_some_and(|symbol| symbol.kind.is_callable());
    // A variable holds the return value of its factory function.
    let factories = factory_functions(context, &found);
    let routers = found
        .into_iter()
        .map(|symbol| RouterNode { symbol, parameter: mount.parameter.filter(|_| is_callable(symbol)) });
    routers.chain(factories.into_iter().map(|symbol| RouterNode { symbol, parameter: None })).collect()
}

/// Returns the extension methods with this name that a file can refer to. If several types declare
/// one, keeps the methods in the namespaces that the file uses. Returns an empty list if the
/// remaining methods belong to several types.
fn find_extension_methods(context: &FileContext, name: &str) -> Vec<SymbolId> {
    let resolver = &context.resolver;
    let methods = resolver.view.extension_methods(name);
    let mut found: Vec<SymbolRef> = methods.iter().filter(|s| resolver.is_visible(s)).collect();
    if found.len() > 1 {
        let imports = resolver.view.imports_of_file(resolver.path);
        let own_package = resolver.package_of_file(resolver.path);
        let is_used = |s: &SymbolRef| {
            let package = resolver.package_of_file(s.path);
            let is_enclosing = own_package
                .strip_prefix(package)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            is_enclosing || imports.iter().any(|import| import.path == package)
        };
        found.retain(is_used);
    }
    // Overloads count as one method.
    let is_one_method =
        found.windows(2).all(|pair| (pair[0].path, pair[0].container) == (pair[1].path, pair[1].container));
    if is_one_method { found.iter().map(|s| s.id).collect() } else { Vec::new() }
}

/// Resolves a path that starts with the escaped path of a module.
fn resolve_in_module(context: &FileContext, path: &str) -> Vec<SymbolId> {
    let (module, name) = path.split_once('.').unwrap_or((path, ""));
    let import = ImportFact { path: unescape_text(module), name: name.to_owned(), ..ImportFact::default() };
    symbol_ids(&context.resolver.resolve_import(context.resolver.path, &import, name).definitions)
}

/// Returns the object that a mount attaches its router to.
fn resolve_mount_parent(context: &FileContext, mount: &MountFact) -> MountParent {
    let routers = if mount.outer_router.is_empty() {
        Vec::new()
    } else {
        resolve_routers(context, &mount.outer_router)
    };
    let to_node = |symbol| RouterNode { symbol, parameter: mount.outer_parameter };
    let routers: Vec<RouterNode> = routers.into_iter().map(to_node).collect();
    if routers.is_empty() {
        MountParent::Application { is_partial: mount.outer_needs_mount && mount.outer_router.is_empty() }
    } else {
        MountParent::Routers { nodes: routers, is_partial: mount.outer_needs_mount }
    }
}

/// Resolves the name of a router: to a symbol of the file, or else by the rules for names,
/// including the functions that create the router.
pub(super) fn resolve_routers(context: &FileContext, name: &str) -> Vec<SymbolId> {
    let (container, simple) = split_last_segment(name);
    match context.resolver.find_symbol_at(context.resolver.path, container, simple) {
        Some(symbol) => vec![symbol.id],
        None => {
            let mut found = resolve_symbols(context, name);
            found.extend(factory_functions(context, &found));
            found
        }
    }
}

fn resolve_symbols(context: &FileContext, path: &str) -> Vec<SymbolId> {
    let mut found = context.resolve_path(path, FILE_SCOPE, u32::MAX);
    if found.is_empty() {
        found = context.resolver.resolve_type_path(context.lookup_scope(FILE_SCOPE), path);
    }
    symbol_ids(&found.definitions)
}

/// Returns the functions that create the values of variables: `export const users = makeUsers()`.
fn factory_functions(context: &FileContext, variables: &[SymbolId]) -> Vec<SymbolId> {
    if !context.resolver.family.exports_factory_results() {
        return Vec::new();
    }
    let variables = variables.iter().filter_map(|&id| context.resolver.view.symbol_by_id(id));
    let factories_of = |variable: &SymbolRef| {
        let factory = variable.type_text().strip_prefix('=')?.strip_suffix("()")?;
        let scope = LookupScope { path: variable.path, container: variable.container };
        Some(symbol_ids(&lang::resolve_factory(&context.resolver, scope, factory).definitions))
    };
    variables
        .filter(|variable| !variable.kind.is_callable())
        .filter_map(|variable| factories_of(&variable))
        .flatten()
        .collect()
}

fn symbol_ids(definitions: &[Definition]) -> Vec<SymbolId> {
    let symbols = definitions.iter().filter_map(|definition| match definition {
        Definition::Symbol(symbol) => Some(symbol.id),
        _ => None,
    });
    symbols.collect()
}

/// Records the lookups that resolve the mounts of the file.
pub(super) fn record_mount_lookups<'a>(
    context: &FileContext<'a>,
    snapshot: &'a Snapshot,
    project: &'a Project,
    file: FileId,
) {
    if context.facts.mounts.is_empty() {
        return;
    }
    let view = &context.resolver.view;
    let lookups = MountGraph::default().add_file(snapshot, view.shared_indexes(), project, file);
    view.log_lookups(lookups.into_iter().map(LookupKey::mount_path_number));
}

impl<'a> TrackedSnapshot<'a> {
    /// Returns the mounts of the family in `scope`. Returns `None` if the family has none.
    pub fn mounts_of_family(&self, project: &'a Project, scope: MountScope) -> Option<&'a MountGraph> {
        self.log_lookup(LookupKey::Mounts);
        self.shared_indexes().mounts_by_family(project, scope).get(&self.language_family())
    }
}
