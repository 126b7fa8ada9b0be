//! Java, and what C# shares with it: declared packages, imports of types and of their members.

use super::super::meaning::{Found, Meaning, Module, Place};
use super::super::named::Region;
use super::super::resolver::{Resolver, Target};
use super::super::view::split_last;
use crate::project::folder_of;
use kenning_graph::facts::Import;

pub(super) fn import_target<'a>(r: &Resolver<'a>, import: &Import) -> Target<'a> {
    if !r.view.files_of_package(&import.path).is_empty() {
        return Target::Modules(vec![Module::Package(import.path.clone())]);
    }
    // `import a.b.Outer.Inner`, `import static a.b.Type.member`: the path ends in types.
    let (mut package, mut types) = (import.path.as_str(), Vec::new());
    while !package.is_empty() {
        let (outer, simple) = split_last(package);
        types.push(simple);
        package = outer;
        if package.is_empty() || r.view.files_of_package(package).is_empty() {
            continue;
        }
        let mut found = Found::of(vec![Meaning::Module(Module::Package(package.to_owned()))]);
        for name in types.iter().rev() {
            found = r.step(&found, name);
        }
        return if found.is_empty() { Target::Unknown } else { Target::Types(found.meanings) };
    }
    Target::External(import.path.clone())
}

/// The other files of the package.
pub(super) fn implicit<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    let package = r.package_of(place.path);
    if package.is_empty() {
        return r.at_top_within(Region::Folder(folder_of(place.path)), name, |_| true);
    }
    (*r.export(&Module::Package(package.to_owned()), name)).clone()
}

pub(super) fn submodules(r: &Resolver, module: &Module, name: &str) -> Vec<Module> {
    let Module::Package(package) = module else { return Vec::new() };
    let below = format!("{package}.{name}");
    if r.view.files_of_package(&below).is_empty() { Vec::new() } else { vec![Module::Package(below)] }
}
