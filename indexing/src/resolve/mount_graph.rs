//! Routers that are put below a path by other files: what stands before the paths of their routes.
//!
//! Mounts are few and lie anywhere, so all of a family are read together, once for the files that are resolved together; each is
//! read as its own file reads it. A file with routes that are not whole depends on all of them: it records that it looked them up,
//! and each file with mounts what these lead through ([`LookupKey::mount_path_number`]).

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

/// Mounts of mounts that are followed.
const MAX_DEPTH: usize = 4;
/// Mounts kept per router.
const MAX_PLACES: usize = 16;
/// Mounts of one family that are read: many more are no server's.
const MAX_MOUNTS: usize = 2_000;
/// Mounts that are passed on the ways from one router.
const MAX_STEPS: usize = 1_000;

/// A file that says nothing but what others can look up.
static NO_FACTS: LazyLock<FileFacts> = LazyLock::new(FileFacts::default);

/// A router: a variable, a function that gives one, or the parameter of a function that is given one.
pub(super) type RouterNode = (SymbolId, Option<u8>);

/// What the files of one family put somewhere.
#[derive(Default)]
pub(super) struct MountGraph {
    /// By the path of the file and the order in it.
    all: Vec<MountEdge>,
    /// By what is put somewhere.
    of: FxHashMap<RouterNode, Vec<usize>>,
    /// What variables were made with.
    made: FxHashMap<SymbolId, String>,
}

/// Something that is put below a path.
struct MountEdge {
    /// `None` where it is not known.
    path: Option<String>,
    /// What of it that stands below was made with, where it is put below a path itself.
    own: String,
    replaces: bool,
    surely: bool,
    by: MountParent,
}

/// What something is put below.
enum MountParent {
    /// An application; or what is not known, so that the path is not whole.
    Nothing(bool),
    /// A router, or the function that is given or gives one; it may be made to be put below a path itself.
    Router(Vec<RouterNode>, bool),
}

/// A path at which a router stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MountedPath {
    pub path: String,
    /// All of the path is known.
    pub whole: bool,
}

impl MountGraph {
    /// Reads the mounts of all families. What a test puts somewhere says nothing of the program: only tests want to know.
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
                    "too many routers are put below paths: these are not followed"
                );
                continue;
            }
            mounts.add_file((snapshot, shared, project), file, family);
        }
        families
    }

    /// Adds what one file mounts; gives what was looked up for that.
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
        let own = FileContext::new(resolver, &NO_FACTS, symbol, Vec::new());
        for mount in snapshot.file_mounts(file).iter() {
            own.reset_budget();
            if mount.target == mount.by && mount.parameter == mount.by_parameter {
                self.made
                    .extend(resolve_routers(&own, &mount.by).into_iter().map(|id| (id, mount.path.clone())));
                continue;
            }
            let at = self.all.len();
            let targets = mount_targets(&own, mount);
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
                own: own_path,
                replaces,
                surely,
                by: resolve_mount_parent(&own, mount),
            });
        }
        own.r.view.into_lookups()
    }

    /// Where a path of a router stands, sorted; empty where the router is not mounted. `own` is what the path
    /// begins with because the router was made so.
    pub fn mounted_paths(&self, router: RouterNode, (path, own): (&str, &str)) -> Vec<MountedPath> {
        let mut walk = MountWalk { mounts: self, passed: vec![router], found: Vec::new(), steps: 0 };
        walk.follow_last((path, own));
        let mut found = walk.found;
        found.sort();
        // What is known whole says more.
        found.dedup_by(|next, kept| {
            let same = next.path == kept.path;
            kept.whole |= same && next.whole;
            same
        });
        found.truncate(MAX_PLACES);
        found
    }

    /// What a router was made with, for routes that another file adds to it.
    pub fn creation_prefix(&self, router: SymbolId) -> &str {
        self.made.get(&router).map_or("", String::as_str)
    }
}

/// The ways from one router to what it is put below.
struct MountWalk<'m> {
    mounts: &'m MountGraph,
    /// The routers on the way.
    passed: Vec<RouterNode>,
    found: Vec<MountedPath>,
    steps: usize,
}

impl MountWalk<'_> {
    /// Follows the last of the routers that were passed.
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
                    self.follow_last((&path, &mount.own));
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

/// What is put somewhere: what is called with a router has it as a parameter.
fn mount_targets(own: &FileContext, mount: &MountFact) -> Vec<RouterNode> {
    let extension = mount.target.strip_prefix(EXTENSION);
    let found = match (extension, mount.target.strip_prefix("import:")) {
        (Some(name), _) => find_extension_methods(own, name),
        (_, Some(rest)) if own.r.family != LanguageFamily::Script => resolve_in_module(own, rest),
        _ => resolve_symbols(own, &mount.target),
    };
    let is_callable = |id| own.r.view.symbol_by_id(id).is_some_and(|symbol| symbol.kind.is_callable());
    // What a variable holds is given by the function that makes it.
    let makers = factory_functions(own, &found);
    let routers = found.into_iter().map(|id| (id, mount.parameter.filter(|_| is_callable(id))));
    routers.chain(makers.into_iter().map(|id| (id, None))).collect()
}

/// The extension method of a name that a file can mean: by the namespaces that it uses, where there are several. None where
/// that does not tell.
fn find_extension_methods(own: &FileContext, name: &str) -> Vec<SymbolId> {
    let r = &own.r;
    let named = r.view.extension_methods(name);
    let mut found: Vec<SymbolRef> = named.iter().filter(|s| r.is_visible(s)).collect();
    if found.len() > 1 {
        let imports = r.view.imports_of_file(r.path);
        let here = r.package_of_file(r.path);
        let is_used = |s: &SymbolRef| {
            let package = r.package_of_file(s.path);
            let around =
                here.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            around || imports.iter().any(|import| import.path == package)
        };
        found.retain(is_used);
    }
    // Overloads are one thing.
    let one = found.windows(2).all(|two| (two[0].path, two[0].container) == (two[1].path, two[1].container));
    if one { found.iter().map(|s| s.id).collect() } else { Vec::new() }
}

/// What a path behind a module's name stands for.
fn resolve_in_module(own: &FileContext, path: &str) -> Vec<SymbolId> {
    let (module, name) = path.split_once('.').unwrap_or((path, ""));
    let import = ImportFact { path: unmask_text(module), name: name.to_owned(), ..ImportFact::default() };
    symbol_ids(&own.r.resolve_import(own.r.path, &import, name).meanings)
}

/// What the mount is written below.
fn resolve_mount_parent(own: &FileContext, mount: &MountFact) -> MountParent {
    let routers = if mount.by.is_empty() { Vec::new() } else { resolve_routers(own, &mount.by) };
    let routers: Vec<RouterNode> = routers.into_iter().map(|id| (id, mount.by_parameter)).collect();
    if routers.is_empty() {
        MountParent::Nothing(mount.partial && mount.by.is_empty())
    } else {
        MountParent::Router(routers, mount.partial)
    }
}

/// What the name of a router stands for: a symbol of the file, or what the name leads to.
pub(super) fn resolve_routers(own: &FileContext, name: &str) -> Vec<SymbolId> {
    let (container, simple) = split_last_segment(name);
    match own.r.find_symbol_at(own.r.path, container, simple) {
        Some(symbol) => vec![symbol.id],
        None => {
            let mut found = resolve_symbols(own, name);
            found.extend(factory_functions(own, &found));
            found
        }
    }
}

fn resolve_symbols(own: &FileContext, path: &str) -> Vec<SymbolId> {
    let mut found = own.resolve_path(path, FILE_SCOPE, u32::MAX);
    if found.is_empty() {
        found = own.r.resolve_type_path(own.lookup_scope(FILE_SCOPE), path);
    }
    symbol_ids(&found.meanings)
}

/// The functions that make what variables hold: `export const users = makeUsers()`.
fn factory_functions(own: &FileContext, variables: &[SymbolId]) -> Vec<SymbolId> {
    if own.r.family != LanguageFamily::Script {
        return Vec::new();
    }
    let variables = variables.iter().filter_map(|&id| own.r.view.symbol_by_id(id));
    let maker = |variable: &SymbolRef| {
        let maker = variable.type_text().strip_prefix('=')?.strip_suffix("()")?;
        let place = LookupScope { path: variable.path, container: variable.container };
        Some(symbol_ids(&values::resolve_path(&own.r, place, maker).meanings))
    };
    variables.filter(|variable| !variable.kind.is_callable()).filter_map(|v| maker(&v)).flatten().collect()
}

fn symbol_ids(meanings: &[Definition]) -> Vec<SymbolId> {
    let symbols = meanings.iter().filter_map(|meaning| match meaning {
        Definition::Symbol(symbol) => Some(symbol.id),
        _ => None,
    });
    symbols.collect()
}

/// Records what the mounts of the file lead through.
pub(super) fn record_mount_lookups<'a>(
    own: &FileContext<'a>,
    (snapshot, project): (&'a Snapshot, &'a Project),
    file: FileId,
) {
    if own.facts.mounts.is_empty() {
        return;
    }
    let (view, family) = (&own.r.view, own.r.family);
    let looked_up = MountGraph::default().add_file((snapshot, view.shared_indexes(), project), file, family);
    view.log_lookups(looked_up.into_iter().map(LookupKey::mount_path_number));
}

impl<'a> TrackedSnapshot<'a> {
    /// What the files of the family put below paths, without or with what tests do; `None` where they put nothing.
    pub fn mounts_of_family(&self, project: &'a Project, for_tests: bool) -> Option<&'a MountGraph> {
        self.log_lookup(LookupKey::Mounts);
        self.shared_indexes().mounts_by_family(project, for_tests).get(&self.language_family())
    }
}
