//! Ruby: constants are global, and `require` loads a file without binding a name.
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "Ruby itself compares case-sensitively")]

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::super::static_members::{MAX_TYPES, Staticness};
use super::super::tracked_snapshot::split_last_segment;
use kenning_graph::paths::{join_path, join_relative, parent_folder};
use kenning_graph::{SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The module in a module whose methods become class methods of the types that include the outer
/// module.
const CLASS_METHODS: &str = "ClassMethods";

/// Returns the file that `require` or `require_relative` loads.
pub(super) fn import_target<'a>(resolver: &Resolver<'a>, path: &str, import: &str) -> ImportTarget<'a> {
    let with_extension = |path: String| if path.ends_with(".rb") { path } else { format!("{path}.rb") };
    if import.starts_with("./") || import.starts_with("../") {
        let file = join_relative(parent_folder(path), import).map(with_extension);
        return match file.filter(|file| resolver.view.file_exists(file)) {
            Some(file) => ImportTarget::Modules(vec![ModuleRef::from_path(file)]),
            None => ImportTarget::Unknown,
        };
    }
    let mut files =
        resolver.project.ruby_load_paths.iter().map(|folder| with_extension(join_path(folder, import)));
    match files.find(|file| resolver.view.file_exists(file)) {
        Some(file) => ImportTarget::Modules(vec![ModuleRef::from_path(file)]),
        None => ImportTarget::External(import.to_owned()),
    }
}

/// Looks up a name among the top-level constants and functions of all files.
pub(super) fn resolve_unimported_name<'a>(resolver: &Resolver<'a>, name: &str) -> Resolution<'a> {
    resolver.top_level_where(name, |_| true)
}

/// Resolves a constant that no enclosing module declares: returns the type whose qualified name
/// ends with the path, if there is only one.
pub(super) fn resolve_type_fallback<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    path: &str,
) -> Resolution<'a> {
    let (outer, name) = split_last_segment(path);
    if !name.chars().next().is_some_and(char::is_uppercase) || scope.path.is_empty() {
        return Resolution::not_found();
    }
    let ends_with_outer = |container: &str| {
        outer.is_empty()
            || container == outer
            || container.strip_suffix(outer).is_some_and(|rest| rest.ends_with('.'))
    };
    let found = resolver.symbols_named_where(name, |s| s.kind.is_type() && ends_with_outer(s.container));
    match found.definitions.as_slice() {
        [Definition::Symbol(_)] => found,
        _ => Resolution::not_found(),
    }
}

/// Returns the members `name` of the class that a variable is named after (`site`, `@site`,
/// `page.site`). Returns `None` unless exactly one of the classes with that name has such members.
pub(in super::super) fn members_by_receiver_name<'a>(
    resolver: &Resolver<'a>,
    receiver: &str,
    name: &str,
) -> Option<Vec<SymbolRef<'a>>> {
    let (_, last) = split_last_segment(receiver);
    let variable = last.trim_end_matches("()").trim_start_matches('@');
    if variable.is_empty() || !variable.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let class: String = variable.split('_').map(capitalize_word).collect();
    let found = resolver.symbols_named_where(&class, |s| s.kind == SymbolKind::Class);
    let mut candidates = found.definitions.iter().filter_map(|definition| match definition {
        Definition::Symbol(class) => {
            Some(callable_members(resolver, class, name)).filter(|members| !members.is_empty())
        }
        _ => None,
    });
    candidates.next().filter(|_| candidates.next().is_none())
}

/// Returns the methods and properties with a name that instances of a class have.
fn callable_members<'a>(resolver: &Resolver<'a>, class: &SymbolRef<'a>, name: &str) -> Vec<SymbolRef<'a>> {
    let members = resolver.members_with_staticness(class, name, Staticness::Instance);
    let callable = |s: &SymbolRef| s.kind.is_callable() || s.kind == SymbolKind::Property;
    let symbols = members.definitions.iter().filter_map(|definition| match definition {
        Definition::Symbol(s) if callable(s) => Some(*s),
        _ => None,
    });
    symbols.collect()
}

fn capitalize_word(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

/// Whether a method's name alone can identify it. Many unrelated methods have a plain word as their
/// name: `content`, `files`.
pub(in super::super) fn is_distinctive_name(name: &str) -> bool {
    name.contains(['_', '?', '!', '='])
}

/// Returns the value of `Order[...]`: the result of the method `[]`, by convention an
/// instance of the type.
pub(super) fn bracket_result<'a>(resolver: &Resolver<'a>, ty: &SymbolRef<'a>) -> Resolution<'a> {
    let methods = resolver.members_with_staticness(ty, "[]", Staticness::Static);
    if methods.is_empty() || methods.is_likely {
        Resolution::from_definitions(vec![Definition::Instance(*ty)])
    } else {
        resolver.call_results(&methods)
    }
}

/// Returns the members with this name that a module gives, as class methods, to the types
/// that include it: the members in its `class_methods` block and the instance methods of its
/// `ClassMethods` module (`ActiveSupport::Concern`, and the older `base.extend(ClassMethods)`).
/// If the module has none, searches the modules that it includes.
pub(in super::super) fn includer_members<'a>(
    resolver: &Resolver<'a>,
    module: &SymbolRef<'a>,
    name: &str,
) -> Resolution<'a> {
    let mut found = Resolution::not_found();
    let mut queue = VecDeque::from([*module]);
    let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
    while let Some(module) = queue.pop_front() {
        if seen.len() >= MAX_TYPES || !seen.insert(module.id) {
            continue;
        }
        let mut members = resolver.own_members(&module, name);
        members.definitions.retain(|definition| Staticness::Static.admits_definition(definition));
        for nested in &resolver.own_members(&module, CLASS_METHODS).definitions {
            if let Definition::Symbol(nested) = nested
                && nested.kind == SymbolKind::Module
            {
                let mut class_methods = resolver.own_members(nested, name);
                class_methods
                    .definitions
                    .retain(|definition| Staticness::Instance.admits_definition(definition));
                members.extend(&class_methods);
            }
        }
        if members.is_empty() {
            queue.extend(resolver.collect_bases(&module, name, &mut found));
        } else {
            found.extend(&members);
        }
    }
    // Bases outside the workspace do not matter here, because the caller also searches the
    // including type.
    found.has_unknown_members = false;
    if found.definitions.len() > resolver.max_definitions() { Resolution::bound_to_unknown() } else { found }
}
