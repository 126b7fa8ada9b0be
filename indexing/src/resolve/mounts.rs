//! Routers that are put below a path by other files: what stands before the paths of their routes.
//!
//! Mounts are few and lie anywhere, so all of a family are read together, once for the files that are resolved together; each is
//! read as its own file reads it. A file with routes that are not whole depends on all of them: it records that it looked them up,
//! and each file with mounts what these lead through ([`LookupKey::through_mounts`]).

use super::family::Family;
use super::lang::script::values;
use super::meaning::{Meaning, Place};
use super::own::Own;
use super::resolver::Resolver;
use super::view::{Shared, View, split_last};
use crate::extract::routes::{EXTENSION, join};
use crate::project::Project;
use kenning_graph::facts::{FILE_SCOPE, FileFacts, Import, MountFact, UNKNOWN_PATH};
use kenning_graph::notation::unmask;
use kenning_graph::snapshot::LookupKey;
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Mounts of mounts that are followed.
const MAX_DEPTH: usize = 4;
/// Places at which one router is told of.
const MAX_PLACES: usize = 16;
/// Mounts of one family that are read: many more are no server's.
const MAX_MOUNTS: usize = 2_000;
/// Mounts that are passed on the ways from one router.
const MAX_STEPS: usize = 1_000;

/// A file that says nothing but what others can look up.
static NO_FACTS: LazyLock<FileFacts> = LazyLock::new(FileFacts::default);

/// A router: a variable, a function that gives one, or the parameter of a function that is given one.
pub(super) type Router = (SymbolId, Option<u8>);

/// What the files of one family put somewhere.
#[derive(Default)]
pub(super) struct Mounts {
    /// By the path of the file and the order in it.
    all: Vec<Mounted>,
    /// By what is put somewhere.
    of: FxHashMap<Router, Vec<usize>>,
    /// What variables were made with.
    made: FxHashMap<SymbolId, String>,
}

/// Something that is put below a path.
struct Mounted {
    /// `None` where it is not known.
    path: Option<String>,
    /// What of it that stands below was made with, where it is put below a path itself.
    own: String,
    replaces: bool,
    surely: bool,
    by: By,
}

/// What something is put below.
enum By {
    /// An application; or what is not known, so that the path is not whole.
    Nothing(bool),
    /// A router, or the function that is given or gives one; it may be made to be put below a path itself.
    Router(Vec<Router>, bool),
}

/// A path at which a router stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Standing {
    pub path: String,
    /// All of the path is known.
    pub whole: bool,
}

impl Mounts {
    /// Reads the mounts of all families. What a test puts somewhere says nothing of the program: only tests want to know.
    pub fn read<'a>(
        snapshot: &'a Snapshot,
        shared: &'a Shared<'a>,
        project: &'a Project,
        for_tests: bool,
    ) -> FxHashMap<Family, Self> {
        let mut families: FxHashMap<Family, Self> = FxHashMap::default();
        for file in snapshot.files_with_mounts() {
            let Some(entry) = snapshot.file(file) else { continue };
            let Some(family) = Family::of(entry.language) else { continue };
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
            mounts.read_file((snapshot, shared, project), file, family);
        }
        families
    }

    /// Adds what one file mounts; gives what was looked up for that.
    fn read_file<'a>(
        &mut self,
        (snapshot, shared, project): (&'a Snapshot, &'a Shared<'a>, &'a Project),
        file: FileId,
        family: Family,
    ) -> Vec<u32> {
        let (Some(entry), Some(&symbol)) = (snapshot.file(file), snapshot.file_symbols(file).first()) else {
            return Vec::new();
        };
        let view = View::new(snapshot, shared, family);
        let resolver = Resolver::new(view, project, family, entry.path, entry.package);
        let own = Own::new(resolver, &NO_FACTS, symbol, Vec::new());
        for mount in snapshot.file_mounts(file).iter() {
            own.begin();
            if mount.target == mount.by && mount.parameter == mount.by_parameter {
                self.made.extend(routers(&own, &mount.by).into_iter().map(|id| (id, mount.path.clone())));
                continue;
            }
            let at = self.all.len();
            let targets = targets(&own, mount);
            if targets.is_empty() {
                continue;
            }
            for target in targets {
                self.of.entry(target).or_default().push(at);
            }
            let path = Some(mount.path.clone()).filter(|path| path != UNKNOWN_PATH);
            let (own_path, replaces, surely) = (mount.own.clone(), mount.replaces, mount.surely);
            self.all.push(Mounted { path, own: own_path, replaces, surely, by: by(&own, mount) });
        }
        own.r.view.into_lookups()
    }

    /// Where a path of a router stands, sorted; nowhere where nobody puts the router below a path. `own` is what the path
    /// begins with because the router was made so.
    pub fn standings(&self, router: Router, (path, own): (&str, &str)) -> Vec<Standing> {
        let mut walk = Walk { mounts: self, passed: vec![router], found: Vec::new(), steps: 0 };
        walk.follow((path, own));
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
    pub fn made_with(&self, router: SymbolId) -> &str {
        self.made.get(&router).map_or("", String::as_str)
    }
}

/// The ways from one router to what it is put below.
struct Walk<'m> {
    mounts: &'m Mounts,
    /// The routers on the way.
    passed: Vec<Router>,
    found: Vec<Standing>,
    steps: usize,
}

impl Walk<'_> {
    /// Follows the last of the routers that were passed.
    fn follow(&mut self, (behind, own): (&str, &str)) {
        let mounts = self.mounts;
        for &at in self.passed.last().and_then(|router| mounts.of.get(router)).into_iter().flatten() {
            let Some(mount) = mounts.all.get(at).filter(|_| self.steps < MAX_STEPS) else { return };
            self.steps += 1;
            let rest = behind.strip_prefix(own).filter(|_| mount.replaces).unwrap_or(behind);
            let Some(path) = mount.path.as_deref().map(|path| join(path, rest)) else {
                if !mount.surely {
                    continue;
                }
                self.found.push(Standing { path: join("", behind), whole: false });
                continue;
            };
            let (outer, partial) = match &mount.by {
                By::Router(outer, partial) => (outer, partial),
                By::Nothing(_) if !mount.surely => continue,
                By::Nothing(partial) => {
                    self.found.push(Standing { path, whole: !partial });
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
                    self.follow((&path, &mount.own));
                    self.passed.pop();
                }
            }
            if self.found.len() == before && !ends && mount.surely {
                // Nobody puts the outer router anywhere, or it is not followed that far.
                let whole = !partial && self.passed.len() <= MAX_DEPTH;
                self.found.push(Standing { path, whole });
            }
        }
    }
}

/// What is put somewhere: what is called with a router has it as a parameter.
fn targets(own: &Own, mount: &MountFact) -> Vec<Router> {
    let extension = mount.target.strip_prefix(EXTENSION);
    let found = match (extension, mount.target.strip_prefix("import:")) {
        (Some(name), _) => extensions(own, name),
        (_, Some(rest)) if own.r.family != Family::Script => in_module(own, rest),
        _ => symbols(own, &mount.target),
    };
    let is_callable = |id| own.r.view.found(id).is_some_and(|symbol| symbol.kind.is_callable());
    // What a variable holds is given by the function that makes it.
    let makers = makers(own, &found);
    let routers = found.into_iter().map(|id| (id, mount.parameter.filter(|_| is_callable(id))));
    routers.chain(makers.into_iter().map(|id| (id, None))).collect()
}

/// The extension method of a name that a file can mean: by the namespaces that it uses, where there are several. None where
/// that does not tell.
fn extensions(own: &Own, name: &str) -> Vec<SymbolId> {
    let r = &own.r;
    let named = r.view.extensions(name);
    let mut found: Vec<SymbolRef> = named.iter().filter(|s| r.visible(s)).collect();
    if found.len() > 1 {
        let imports = r.view.imports_of(r.path);
        let here = r.package_of(r.path);
        let is_used = |s: &SymbolRef| {
            let package = r.package_of(s.path);
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
fn in_module(own: &Own, path: &str) -> Vec<SymbolId> {
    let (module, name) = path.split_once('.').unwrap_or((path, ""));
    let import = Import { path: unmask(module), name: name.to_owned(), ..Import::default() };
    ids(&own.r.import_meaning(own.r.path, &import, name).meanings)
}

/// What the mount is written below.
fn by(own: &Own, mount: &MountFact) -> By {
    let routers = if mount.by.is_empty() { Vec::new() } else { routers(own, &mount.by) };
    let routers: Vec<Router> = routers.into_iter().map(|id| (id, mount.by_parameter)).collect();
    if routers.is_empty() {
        By::Nothing(mount.partial && mount.by.is_empty())
    } else {
        By::Router(routers, mount.partial)
    }
}

/// What the name of a router stands for: a symbol of the file, or what the name leads to.
pub(super) fn routers(own: &Own, name: &str) -> Vec<SymbolId> {
    let (container, simple) = split_last(name);
    match own.r.symbol_at(own.r.path, container, simple) {
        Some(symbol) => vec![symbol.id],
        None => {
            let mut found = symbols(own, name);
            found.extend(makers(own, &found));
            found
        }
    }
}

fn symbols(own: &Own, path: &str) -> Vec<SymbolId> {
    let mut found = own.eval(path, FILE_SCOPE, u32::MAX);
    if found.is_empty() {
        found = own.r.type_path(own.place(FILE_SCOPE), path);
    }
    ids(&found.meanings)
}

/// The functions that make what variables hold: `export const users = makeUsers()`.
fn makers(own: &Own, variables: &[SymbolId]) -> Vec<SymbolId> {
    if own.r.family != Family::Script {
        return Vec::new();
    }
    let variables = variables.iter().filter_map(|&id| own.r.view.found(id));
    let maker = |variable: &SymbolRef| {
        let maker = variable.ty().strip_prefix('=')?.strip_suffix("()")?;
        let place = Place { path: variable.path, container: variable.container };
        Some(ids(&values::path(&own.r, place, maker).meanings))
    };
    variables.filter(|variable| !variable.kind.is_callable()).filter_map(|v| maker(&v)).flatten().collect()
}

fn ids(meanings: &[Meaning]) -> Vec<SymbolId> {
    let symbols = meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Symbol(symbol) => Some(symbol.id),
        _ => None,
    });
    symbols.collect()
}

/// Records what the mounts of the file lead through.
pub(super) fn depend<'a>(own: &Own<'a>, (snapshot, project): (&'a Snapshot, &'a Project), file: FileId) {
    if own.facts.mounts.is_empty() {
        return;
    }
    let (view, family) = (&own.r.view, own.r.family);
    let looked_up = Mounts::default().read_file((snapshot, view.shared(), project), file, family);
    view.log_all(looked_up.into_iter().map(LookupKey::through_mounts));
}

impl<'a> View<'a> {
    /// What the files of the family put below paths, without or with what tests do; `None` where they put nothing.
    pub fn mounts(&self, project: &'a Project, for_tests: bool) -> Option<&'a Mounts> {
        self.log(LookupKey::Mounts);
        self.shared().mounts(project, for_tests).get(&self.family())
    }
}
