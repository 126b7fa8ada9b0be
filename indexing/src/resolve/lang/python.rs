//! Python: modules are files, packages are folders, and absolute imports start at the source roots.

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::path_notation::ValuePart;
use super::super::resolver::{ImportTarget, Resolver};
use super::super::static_members::Staticness;
use kenning_graph::SymbolRef;
use kenning_graph::facts::ImportFact;
use kenning_graph::paths::{join_path, lies_in_folder, parent_folder};

/// Returns the target of an import in the file at `path`. `bound` is the name that is looked up.
pub(super) fn import_target<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    import: &ImportFact,
    bound: &str,
) -> ImportTarget<'a> {
    let dots = import.path.len() - import.path.trim_start_matches('.').len();
    let mut dotted = &import.path[dots..];
    // `import a.b` binds `a`.
    if import.name.is_empty()
        && let Some((first, _)) = dotted.split_once('.')
        && first == bound
        && first == import.alias
    {
        dotted = first;
    }
    if dots > 0 {
        let mut folder = parent_folder(path);
        for _ in 1..dots {
            folder = parent_folder(folder);
        }
        return match find_module_at(resolver, &join_path(folder, &dotted.replace('.', "/"))) {
            Some(module) => ImportTarget::Modules(vec![module]),
            None => ImportTarget::Unknown,
        };
    }
    let (first, relative) = (dotted.split('.').next().unwrap_or(""), dotted.replace('.', "/"));
    let mut has_first_module = false;
    // The first segment may be a folder without files, so the whole path is tried first.
    if relative != first {
        for root in source_roots(resolver, path) {
            if let Some(module) = find_module_at(resolver, &join_path(root, &relative)) {
                return ImportTarget::Modules(vec![module]);
            }
        }
    }
    for root in source_roots(resolver, path) {
        if find_module_at(resolver, &join_path(root, first)).is_none() {
            continue;
        }
        has_first_module = true;
        if relative == first
            && let Some(module) = find_module_at(resolver, &join_path(root, &relative))
        {
            return ImportTarget::Modules(vec![module]);
        }
    }
    if has_first_module { ImportTarget::Unknown } else { ImportTarget::External(dotted.to_owned()) }
}

/// Whether a file imports a module of an external package by its dotted name (`import os.path`). In
/// that case `os.path` counts as a package, not as a member of `os`.
pub(in super::super) fn is_imported_module(imports: &[ImportFact], package: &str, name: &str) -> bool {
    imports.iter().filter(|import| import.name.is_empty()).any(|import| {
        let rest = import.path.strip_prefix(package).and_then(|rest| rest.strip_prefix('.'));
        rest.and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Returns the source roots for a file: first the roots above it, the deepest first; then its own
/// folder, if it is a script outside packages; then the other roots.
fn source_roots<'r>(resolver: &'r Resolver, path: &'r str) -> impl Iterator<Item = &'r str> {
    let all = || resolver.project.python_roots.iter().map(String::as_str);
    let script_folder = Some(parent_folder(path))
        .filter(|folder| !resolver.view.file_exists(&join_path(folder, "__init__.py")));
    let above = all().filter(move |root| lies_in_folder(path, root));
    let rest = all().filter(move |root| !lies_in_folder(path, root));
    above.chain(script_folder).chain(rest)
}

/// Returns the module at a path without an extension: a file, a package, or a folder without
/// `__init__`.
fn find_module_at(resolver: &Resolver, path: &str) -> Option<ModuleRef> {
    if path.is_empty() {
        return None;
    }
    let candidates = [format!("{path}/__init__.py"), format!("{path}.py"), format!("{path}.pyi")];
    if let Some(file) = candidates.into_iter().find(|candidate| resolver.view.file_exists(candidate)) {
        return Some(ModuleRef::from_path(file));
    }
    (!resolver.view.files_in_folder(path).is_empty()).then(|| ModuleRef::Folder(path.to_owned()))
}

/// Returns the module with this name in a package.
pub(super) fn find_submodules(resolver: &Resolver, module: &ModuleRef, name: &str) -> Vec<ModuleRef> {
    let folder = match module {
        ModuleRef::File { path, .. } if path.ends_with("__init__.py") => parent_folder(path),
        ModuleRef::Folder(folder) => folder,
        _ => return Vec::new(),
    };
    find_module_at(resolver, &join_path(folder, name)).into_iter().collect()
}

/// Resolves `self`, `cls` and `super` at the start of a value's path. Returns `None` for other
/// names.
pub(super) fn resolve_receiver<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Option<Resolution<'a>> {
    if !matches!(name, "self" | "cls" | "super") {
        return None;
    }
    let Some(ty) = resolver.enclosing_type(scope) else { return Some(Resolution::bound_to_unknown()) };
    Some(Resolution::from_definitions(vec![match name {
        "self" => Definition::Instance(ty),
        "cls" => Definition::Symbol(ty),
        _ => Definition::Super(ty, Staticness::Instance),
    }]))
}

/// Returns the names of the special methods that return a part of an object, in the order of the
/// search.
pub(in super::super) const fn special_method_names(part: ValuePart) -> &'static [&'static str] {
    match part {
        ValuePart::CallResult => &["__call__"],
        ValuePart::Index => &["__getitem__"],
        ValuePart::Each | ValuePart::Component(_) => &["__iter__", "__aiter__"],
        ValuePart::EnterResult => &["__enter__", "__aenter__"],
        ValuePart::Key | ValuePart::ClosureArgument(_) => &[],
    }
}

/// Returns a part of an object, by the results of its special methods.
pub(super) fn part_of_object<'a>(
    resolver: &Resolver<'a>,
    definition: &Definition<'a>,
    ty: &SymbolRef<'a>,
    part: ValuePart,
) -> Resolution<'a> {
    for name in special_method_names(part) {
        let members = resolver.members_of_type(ty, name);
        if members.is_empty() {
            if members.has_unknown_members {
                return Resolution::builtin();
            }
            continue;
        }
        let results = resolver.call_results(&members);
        return match part {
            ValuePart::Each | ValuePart::Component(_) if results.definitions.contains(definition) => {
                let next = resolver.members_of_type(ty, "__next__");
                resolver.call_results(&next)
            }
            ValuePart::Each | ValuePart::Component(_) => resolver.part_of_values(&results, ValuePart::Each),
            _ => results,
        };
    }
    Resolution::not_found()
}
