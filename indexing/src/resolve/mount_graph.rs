//! Mounts: the paths below which other files attach routers, and so the full paths of the routes in
//! these routers.
//!
//! Input: the mount facts of all files of a family. They are few and can be in any file, so they
//! are read together, once for all files that are resolved together, each as its own file sees it.
//! Output: for a router, the paths at which it is mounted, found by following mounts of mounts up
//! to an application.
//!
//! A file with incomplete routes depends on all mounts of its family: it records one lookup for
//! them (`LookupKey::Mounts`). Each file with mounts records what its own mounts lead through
//! ([`LookupKey::mount_path_number`]).

use super::definition::{Definition, LookupScope};
use super::family::LanguageFamily;
use super::file_context::FileContext;
use super::lang::ecmascript::values;
use super::resolver::Resolver;
use super::tracked_snapshot::{SharedIndexes, TrackedSnapshot, split_last_segment};
use crate::extract::routes::{EXTENSION, join_route_paths};
use crate::project::Project;
use kenning_graph::facts::{FILE_SCOPE, FileFacts, ImportFact, MountFact, UNKNOWN_PATH};
use kenning_graph::receiver_notation::unmask_text;
use kenning_graph::snapshot::LookupKey;
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Depth to which mounts of mounts are followed.
const MAX_DEPTH: usize = 4;
/// Mount points kept per router.
const MAX_PLACES: usize = 16;
/// Mounts read per family. No server has many more.
const MAX_MOUNTS: usize = 2_000;
/// Mounts passed while all paths from one router are followed.
const MAX_STEPS: usize = 1_000;

/// Empty facts, for a file whose mounts are resolved only from what other files can look up.
static NO_FACTS: LazyLock<FileFacts> = LazyLock::new(FileFacts::default);

/// A router: a variable, a function that returns one, or the parameter of a function that takes
/// one.
pub(super) type RouterNode = (SymbolId, Option<u8>);

/// The mounts in the files of one family.
#[derive(Default)]
pub(super) struct MountGraph {
    /// All mounts, by the path of the file and the order in it.
    all: Vec<MountEdge>,
    /// Indexes into `all`, by the router that is mounted.
    of: FxHashMap<RouterNode, Vec<usize>>,
    /// Paths that routers were created with, by variable.
    made: FxHashMap<SymbolId, String>,
}

/// One mount: a router attached below a path.
struct MountEdge {
    /// Path of the mount; `None` if unknown.
    path: Option<String>,
    /// The part of the path that the outer router was created with. A mount of the outer router can
    /// replace it.
    own_path: String,
    replaces: bool,
    surely: bool,
    by: MountParent,
}

/// The object that a router is mounted on.
enum MountParent {
    /// An application, or something unknown. The flag says that the path is incomplete.
    Nothing(bool),
    /// A router, or the function that takes or returns one. The flag says that the router is made
    /// to be mounted itself, so that the path is incomplete if no mount of it is found.
    Router(Vec<RouterNode>, bool),
}

/// A path at which a router is mounted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MountedPath {
    pub path: String,
    /// Whether the whole path is known.
    pub whole: bool,
}

impl MountGraph {
    /// Reads the mounts of all files, by family. Mounts in tests say nothing about the program:
    /// they are read only if `for_tests` is set.
    pub fn build_by_family<'a>(
        snapshot: &'a Snapshot,
        shared: &'a SharedIndexes<'a>,
        project: &'a Project,
        for_tests: bool,
    ) -> FxHashMap<LanguageFamily, Self> {
        let mut families: FxHashMap<LanguageFamily, Self> = FxHashMap::default();
        for file in snapshot.files_with_mounts() {
            let Some(entry) = snapshot.file(file) else { continue };
            let Some(family) = LanguageFamily::from_language(entry.language) else { continue };
            if !for_tests && family.is_test_path(entry.path) {
                continue;
            }
            let mounts = families.entry(family).or_default();
            if mounts.all.len() >= MAX_MOUNTS {
                tracing::warn!(
                    path = entry.path,
                    "the limit of mounts is reached; ignoring the mounts of this file"
                );
                continue;
            }
            mounts.add_file((snapshot, shared, project), file, family);
        }
        families
    }

    /// Adds the mounts of one file. Returns the key numbers of the lookups that this took.
    fn add_file<'a>(
        &mut self,
        (snapshot, shared, project): (&'a Snapshot, &'a SharedIndexes<'a>, &'a Project),
        file: FileId,
        family: LanguageFamily,
    ) -> Vec<u32> {
        let (Some(entry), Some(&symbol)) = (snapshot.file(file), snapshot.file_symbols(file).first()) else {
            return Vec::new();
        };
        let view = TrackedSnapshot::new(snapshot, shared, family);
        let resolver = Resolver::new(view, project, family, entry.path, entry.package);
        let context = FileContext::new(resolver, &NO_FACTS, symbol, Vec::new());
        for mount in snapshot.file_mounts(file).iter() {
            context.reset_budget();
            if mount.target == mount.by && mount.parameter == mount.by_parameter {
                self.made.extend(
                    resolve_routers(&context, &mount.by).into_iter().map(|id| (id, mount.path.clone())),
                );
                continue;
            }
            let at = self.all.len();
            let targets = mount_targets(&context, mount);
            if targets.is_empty() {
                continue;
            }
            for target in targets {
                self.of.entry(target).or_default().push(at);
            }
            let path = Some(mount.path.clone()).filter(|path| path != UNKNOWN_PATH);
            let (own_path, replaces, surely) = (mount.own.clone(), mount.replaces, mount.surely);
            self.all.push(MountEdge {
                path,
                own_path,
                replaces,
                surely,
                by: resolve_mount_parent(&context, mount),
            });
        }
        context.resolver.view.into_lookups()
    }

    /// Returns the full paths of a route of a router, sorted; nothing if the router is not mounted.
    /// `path` is the route's path in the router. `own` is the prefix of it that the router was
    /// created with.
    pub fn mounted_paths(&self, router: RouterNode, (path, own): (&str, &str)) -> Vec<MountedPath> {
        let mut walk = MountWalk { mounts: self, passed: vec![router], found: Vec::new(), steps: 0 };
        walk.follow_last((path, own));
        let mut found = walk.found;
        found.sort();
        // If a path is known completely from one mount, that wins.
        found.dedup_by(|next, kept| {
            let same = next.path == kept.path;
            kept.whole |= same && next.whole;
            same
        });
        found.truncate(MAX_PLACES);
        found
    }

    /// Returns the path that a router was created with, for routes that another file adds to it.
    pub fn creation_prefix(&self, router: SymbolId) -> &str {
        self.made.get(&router).map_or("", String::as_str)
    }
}

/// The walk from one router over everything that it is mounted on.
struct MountWalk<'m> {
    mounts: &'m MountGraph,
    /// Routers on the current path, from the first to the last.
    passed: Vec<RouterNode>,
    found: Vec<MountedPath>,
    steps: usize,
}

impl MountWalk<'_> {
    /// Follows the mounts of the last router in `passed`. `behind` is the path collected so far,
    /// `own` the prefix of it that this router was created with.
    fn follow_last(&mut self, (behind, own): (&str, &str)) {
        let mounts = self.mounts;
        for &at in self.passed.last().and_then(|router| mounts.of.get(router)).into_iter().flatten() {
            let Some(mount) = mounts.all.get(at).filter(|_| self.steps < MAX_STEPS) else { return };
            self.steps += 1;
            let rest = behind.strip_prefix(own).filter(|_| mount.replaces).unwrap_or(behind);
            let Some(path) = mount.path.as_deref().map(|path| join_route_paths(path, rest)) else {
                if !mount.surely {
                    continue;
                }
                self.found.push(MountedPath { path: join_route_paths("", behind), whole: false });
                continue;
            };
            let (outer, partial) = match &mount.by {
                MountParent::Router(outer, partial) => (outer, partial),
                MountParent::Nothing(_) if !mount.surely => continue,
                MountParent::Nothing(partial) => {
                    self.found.push(MountedPath { path, whole: !partial });
                    continue;
                }
            };
            let before = self.found.len();
            let mut ends = false;
            for &router in outer {
                if self.passed.contains(&router) {
                    ends = true;
                } else if self.passed.len() <= MAX_DEPTH {
                    self.passed.push(router);
                    self.follow_last((&path, &mount.own_path));
                    self.passed.pop();
                }
            }
            if self.found.len() == before && !ends && mount.surely {
                // The outer router is not mounted, or it is not followed that far.
                let whole = !partial && self.passed.len() <= MAX_DEPTH;
                self.found.push(MountedPath { path, whole });
            }
        }
    }
}

/// Returns the routers that a mount attaches. A function that is called with a router stands for
/// its parameter.
fn mount_targets(context: &FileContext, mount: &MountFact) -> Vec<RouterNode> {
    let extension = mount.target.strip_prefix(EXTENSION);
    let found = match (extension, mount.target.strip_prefix("import:")) {
        (Some(name), _) => find_extension_methods(context, name),
        (_, Some(rest)) if context.resolver.family != LanguageFamily::Script => {
            resolve_in_module(context, rest)
        }
        _ => resolve_symbols(context, &mount.target),
    };
    let is_callable =
        |id| context.resolver.view.symbol_by_id(id).is_some_and(|symbol| symbol.kind.is_callable());
    // A variable holds what its factory function returns.
    let makers = factory_functions(context, &found);
    let routers = found.into_iter().map(|id| (id, mount.parameter.filter(|_| is_callable(id))));
    routers.chain(makers.into_iter().map(|id| (id, None))).collect()
}

/// Returns the extension methods of a name that a file can refer to. If several types declare one,
/// only those in the namespaces that the file uses remain; returns nothing if that does not leave
/// one type.
fn find_extension_methods(context: &FileContext, name: &str) -> Vec<SymbolId> {
    let resolver = &context.resolver;
    let named = resolver.view.extension_methods(name);
    let mut found: Vec<SymbolRef> = named.iter().filter(|s| resolver.is_visible(s)).collect();
    if found.len() > 1 {
        let imports = resolver.view.imports_of_file(resolver.path);
        let here = resolver.package_of_file(resolver.path);
        let is_used = |s: &SymbolRef| {
            let package = resolver.package_of_file(s.path);
            let around =
                here.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            around || imports.iter().any(|import| import.path == package)
        };
        found.retain(is_used);
    }
    // Overloads count as one method.
    let one = found.windows(2).all(|two| (two[0].path, two[0].container) == (two[1].path, two[1].container));
    if one { found.iter().map(|s| s.id).collect() } else { Vec::new() }
}

/// Resolves a path that starts with the masked path of a module.
fn resolve_in_module(context: &FileContext, path: &str) -> Vec<SymbolId> {
    let (module, name) = path.split_once('.').unwrap_or((path, ""));
    let import = ImportFact { path: unmask_text(module), name: name.to_owned(), ..ImportFact::default() };
    symbol_ids(&context.resolver.resolve_import(context.resolver.path, &import, name).definitions)
}

/// Returns the object that a mount attaches its router to.
fn resolve_mount_parent(context: &FileContext, mount: &MountFact) -> MountParent {
    let routers = if mount.by.is_empty() { Vec::new() } else { resolve_routers(context, &mount.by) };
    let routers: Vec<RouterNode> = routers.into_iter().map(|id| (id, mount.by_parameter)).collect();
    if routers.is_empty() {
        MountParent::Nothing(mount.partial && mount.by.is_empty())
    } else {
        MountParent::Router(routers, mount.partial)
    }
}

/// Resolves the name of a router: a symbol of the file, or what the name leads to.
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
    if context.resolver.family != LanguageFamily::Script {
        return Vec::new();
    }
    let variables = variables.iter().filter_map(|&id| context.resolver.view.symbol_by_id(id));
    let maker = |variable: &SymbolRef| {
        let maker = variable.type_text().strip_prefix('=')?.strip_suffix("()")?;
        let place = LookupScope { path: variable.path, container: variable.container };
        Some(symbol_ids(&values::resolve_path(&context.resolver, place, maker).definitions))
    };
    variables.filter(|variable| !variable.kind.is_callable()).filter_map(|v| maker(&v)).flatten().collect()
}

fn symbol_ids(definitions: &[Definition]) -> Vec<SymbolId> {
    let symbols = definitions.iter().filter_map(|definition| match definition {
        Definition::Symbol(symbol) => Some(symbol.id),
        _ => None,
    });
    symbols.collect()
}

/// Records the lookups that resolving the file's mounts takes.
pub(super) fn record_mount_lookups<'a>(
    context: &FileContext<'a>,
    (snapshot, project): (&'a Snapshot, &'a Project),
    file: FileId,
) {
    if context.facts.mounts.is_empty() {
        return;
    }
    let (view, family) = (&context.resolver.view, context.resolver.family);
    let looked_up = MountGraph::default().add_file((snapshot, view.shared_indexes(), project), file, family);
    view.log_lookups(looked_up.into_iter().map(LookupKey::mount_path_number));
}

impl<'a> TrackedSnapshot<'a> {
    /// Returns the mounts of the family, with or without the mounts of tests. Returns `None` if the
    /// family has none.
    pub fn mounts_of_family(&self, project: &'a Project, for_tests: bool) -> Option<&'a MountGraph> {
        self.log_lookup(LookupKey::Mounts);
        self.shared_indexes().mounts_by_family(project, for_tests).get(&self.language_family())
    }
}
