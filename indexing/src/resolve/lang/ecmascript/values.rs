//! TypeScript and JavaScript values: follows paths, calls and element accesses, and finds the types
//! that a call expects of its arguments and passes to its callbacks.
//!
//! A path has the notation of a reference's receiver. Its segments are separated by dots:
//!
//! * a name, followed by `()` for a call and `[0]` for an element;
//! * `^0/2` for the value that a call expects as the first of two arguments;
//! * `@1` for the value that the second parameter of a function receives.
//!
//! The first segment may also be `:` with a type, or `import:` with a module. [`follow_path`]
//! applies the segments to a [`Resolution`] from left to right.

use super::super::super::definition::{
    Definition, LookupScope, MAX_DEFINITIONS, MAX_OVERLOADS, ModuleRef, Resolution,
};
use super::super::super::resolver::Resolver;
use super::super::super::tracked_snapshot::split_last_segment;
use super::this_value::resolve_this;
use super::type_syntax::split_outside_brackets;
use super::types;
use kenning_graph::receiver_notation::{strip_module_prefix, unescape_text};
use kenning_graph::{SymbolKind, SymbolRef};

/// Maximum number of segments of a path. Fluent builders have dozens.
const MAX_SEGMENTS: usize = 40;

/// Resolves a path without the local names of functions.
pub(in super::super::super) fn resolve_path<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    path: &str,
) -> Resolution<'a> {
    follow_path(resolver, path, |root| resolve_path_start(resolver, scope, root))
}

/// Resolves the start of a path without the local names of functions.
fn resolve_path_start<'a>(resolver: &Resolver<'a>, scope: LookupScope, root: &str) -> Resolution<'a> {
    match resolve_marked_root(resolver, scope, root) {
        Some(found) => found,
        None if root == "this" => resolve_this(resolver, scope, None),
        None => lookup_top_level(resolver, scope, root),
    }
}

/// Looks up a name without the local names of functions. Includes the `exports` object of a
/// CommonJS module.
pub(in super::super::super) fn lookup_top_level<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let found = resolver.lookup_name(scope, name);
    if name == super::EXPORTS && found.definitions.iter().all(|definition| *definition == Definition::Builtin)
    {
        return super::resolve_modules(resolver, vec![ModuleRef::from_path(scope.path)]);
    }
    (*found).clone()
}

/// Resolves a type or a module at the start of a path. Returns `None` if the start is neither.
pub(in super::super::super) fn resolve_marked_root<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    root: &str,
) -> Option<Resolution<'a>> {
    if let Some(ty) = root.strip_prefix(':') {
        return Some(types::resolve_type(resolver, scope, &unescape_text(ty)));
    }
    strip_module_prefix(root)
        .map(|module| types::resolve_module(resolver, scope.path, &unescape_text(module)))
}

/// Follows a path. `resolve_root` resolves its first name.
pub(in super::super::super) fn follow_path<'a>(
    resolver: &Resolver<'a>,
    path: &str,
    resolve_root: impl FnOnce(&str) -> Resolution<'a>,
) -> Resolution<'a> {
    if path.is_empty() || path.contains('?') || path.split('.').count() > MAX_SEGMENTS {
        return Resolution::bound_to_unknown();
    }
    // `module.exports` and `exports` are the same.
    let path = path.strip_prefix("module.").filter(|rest| rest.starts_with("exports")).unwrap_or(path);
    let mut segments = path.split('.').peekable();
    let (root, marks) = split_marks(segments.next().unwrap_or(""));
    let mut found = apply_marks(resolver, resolve_root(root), marks);
    let (mut object, mut name) = (Resolution::not_found(), root);
    while let Some(segment) = segments.next() {
        if let Some((at, count)) = segment.strip_prefix('^').and_then(|rest| rest.split_once('/')) {
            let (Ok(at), Ok(count)) = (at.parse(), count.parse()) else {
                return Resolution::bound_to_unknown();
            };
            let parameter = segments.peek().and_then(|next| next.strip_prefix('@')?.parse().ok());
            let arguments = parameter
                .map(|parameter| callback_argument(resolver, &object, name, parameter))
                .unwrap_or_default();
            found = if arguments.is_empty() {
                expected_argument(resolver, &found, at, count)
            } else {
                segments.next();
                arguments
            };
            continue;
        }
        if let Some(parameter) = segment.strip_prefix('@').and_then(|at| at.parse().ok()) {
            found = parameter_values(resolver, &found, parameter);
            continue;
        }
        let (member, marks) = split_marks(segment);
        object = found;
        name = member;
        found = apply_marks(resolver, resolver.resolve_member(&object, member), marks);
    }
    found
}

/// Splits a segment into its name and the marks after it (calls and indexes).
fn split_marks(segment: &str) -> (&str, &str) {
    segment.split_at(segment.find(['(', '[']).unwrap_or(segment.len()))
}

/// Applies the calls and indexes after a name to the definitions of the name.
fn apply_marks<'a>(resolver: &Resolver<'a>, mut found: Resolution<'a>, marks: &str) -> Resolution<'a> {
    let mut rest = marks;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("()") {
            found = resolver.call_results(&found);
            rest = after;
        } else if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            found = element_values(resolver, &found, index.parse().ok());
            rest = after;
        } else {
            return Resolution::bound_to_unknown();
        }
    }
    found
}

/// Replaces variables, fields and properties by their values. Keeps other definitions.
pub(in super::super::super) fn read_values<'a>(
    resolver: &Resolver<'a>,
    found: &Resolution<'a>,
) -> Resolution<'a> {
    let mut out = Resolution { definitions: Vec::new(), ..*found };
    for definition in &found.definitions {
        match definition {
            Definition::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                out.extend(&resolver.value_of_symbol(s));
            }
            other => out.push(other.clone()),
        }
    }
    out
}

/// Returns the elements of these values; for a tuple, the element at position `at`.
pub(in super::super::super) fn element_values<'a>(
    resolver: &Resolver<'a>,
    found: &Resolution<'a>,
    at: Option<usize>,
) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    for definition in &read_values(resolver, found).definitions {
        match definition {
            Definition::Structural(structural_type) => {
                out.extend(&types::element_of_type(resolver, structural_type, at));
            }
            Definition::Collection(s, levels) => {
                out.push(Definition::in_collections(*s, levels.inner_levels()));
            }
            Definition::External(_) | Definition::Builtin => out.push(Definition::Builtin),
            _ => {}
        }
    }
    out
}

/// Returns the results of calling a definition.
pub(in super::super::super) fn call_results<'a>(
    resolver: &Resolver<'a>,
    definition: &Definition<'a>,
) -> Resolution<'a> {
    match definition {
        Definition::Symbol(s) if s.kind.is_type() => {
            Resolution::from_definitions(vec![Definition::Instance(*s)])
        }
        Definition::Symbol(s) if s.kind.is_callable() => {
            let found = resolver.value_of_symbol(s);
            let is_capitalized = s.name.starts_with(char::is_uppercase);
            // In JavaScript a function can be a class.
            if found.is_empty()
                && s.type_text().is_empty()
                && is_capitalized
                && s.kind == SymbolKind::Function
            {
                return Resolution::from_definitions(vec![Definition::Instance(*s)]);
            }
            found
        }
        Definition::Symbol(s) => {
            let mut out = Resolution::bound_to_unknown();
            for value in resolver.value_of_symbol(s).definitions {
                let results = resolver.with_nesting_limit(|| call_results(resolver, &value));
                out.extend(&results.unwrap_or_else(Resolution::bound_to_unknown));
            }
            out
        }
        Definition::Instance(s) => {
            let mut out = Resolution::bound_to_unknown();
            for signature in &resolver.members_of_type(s, "()").definitions {
                if let Definition::Symbol(signature) = signature {
                    out.extend(&resolver.value_of_symbol(signature));
                }
            }
            out
        }
        Definition::Structural(structural_type) => types::call_result(resolver, structural_type),
        Definition::External(external) if external.is_type() => {
            Resolution::from_definitions(vec![definition.clone()])
        }
        Definition::External(_) | Definition::Builtin => Resolution::builtin(),
        Definition::Super(..)
        | Definition::Includer(_)
        | Definition::This(_)
        | Definition::Collection(..)
        | Definition::Module(_) => Resolution::bound_to_unknown(),
    }
}

/// Returns the value of a member of an object literal, from the declared type of the constant or
/// variable that holds the object.
pub(in super::super::super) fn value_of_literal<'a>(
    resolver: &Resolver<'a>,
    field: &SymbolRef<'a>,
) -> Resolution<'a> {
    let (outer, simple) = split_last_segment(field.container);
    let owner = resolver.find_symbol_at(field.path, outer, simple);
    let is_variable = |s: &SymbolRef| matches!(s.kind, SymbolKind::Constant | SymbolKind::Variable);
    let Some(owner) = owner.filter(is_variable) else { return Resolution::not_found() };
    let mut out = Resolution::not_found();
    for definition in &resolver.value_of_symbol(&owner).definitions {
        if let Definition::Structural(structural_type) = definition {
            out.extend(&types::member_of_type(resolver, structural_type, field.name));
        }
    }
    out
}

/// Returns the argument that a method of a collection or promise passes to its callback.
fn callback_argument<'a>(
    resolver: &Resolver<'a>,
    object: &Resolution<'a>,
    method: &str,
    parameter: usize,
) -> Resolution<'a> {
    let builtins = resolver.family.language_builtins();
    let position = match method {
        _ if builtins.element_callbacks.contains(method) => 0,
        _ if builtins.pair_callbacks.contains(method) => parameter.min(1),
        "reduce" | "reduceRight" => 1,
        "then" | "finally" if parameter == 0 => {
            // A promise is represented by the value it holds, unless the type of the value has
            // `then` itself.
            let values = read_values(resolver, object);
            let mut workspace_values = values
                .definitions
                .iter()
                .filter(|m| matches!(m, Definition::Instance(_) | Definition::Structural(_)));
            return if workspace_values.any(|_| true)
                && resolver
                    .resolve_member(&values, "then")
                    .definitions
                    .iter()
                    .all(|m| *m == Definition::Builtin)
            {
                values
            } else {
                Resolution::not_found()
            };
        }
        _ => return Resolution::not_found(),
    };
    if parameter != position {
        return Resolution::not_found();
    }
    let values = read_values(resolver, object);
    let structural_types = values.definitions.iter().filter_map(|definition| match definition {
        Definition::Structural(structural_type) => Some(structural_type),
        _ => None,
    });
    let mut out = Resolution::not_found();
    for structural_type in structural_types {
        if types::element_type_text(&structural_type.text).is_some() {
            out.extend(&types::element_of_type(resolver, structural_type, None));
        }
    }
    out
}

/// Returns values of the type that a call expects of an argument, from the parameter types of the
/// overloads that fit.
fn expected_argument<'a>(
    resolver: &Resolver<'a>,
    callee: &Resolution<'a>,
    at: usize,
    count: usize,
) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    let mut overloads: Vec<SymbolRef<'a>> = Vec::new();
    for definition in callee.definitions.iter().take(MAX_OVERLOADS) {
        match definition {
            Definition::Symbol(s) if s.kind.is_callable() => overloads.push(*s),
            Definition::Symbol(s) if s.kind.is_type() => {
                overloads.extend(symbol_definitions(&resolver.members_of_type(s, "constructor")));
            }
            Definition::Symbol(s) => {
                let value = resolver.value_of_symbol(s);
                let expected = resolver.with_nesting_limit(|| expected_argument(resolver, &value, at, count));
                out.extend(&expected.unwrap_or_else(Resolution::bound_to_unknown));
            }
            Definition::Instance(s) => {
                overloads.extend(symbol_definitions(&resolver.members_of_type(s, "()")));
            }
            Definition::Structural(structural_type) => {
                if let Some(list) = types::parameter_types(structural_type)
                    && let Some(ty) = parameter_type_text(&list, at)
                {
                    out.extend(&types::resolve_type(resolver, structural_type.lookup_scope(), ty));
                }
            }
            Definition::External(_) | Definition::Builtin => out.push(Definition::Builtin),
            _ => {}
        }
    }
    // JavaScript has no parameter types; its lists contain names.
    overloads.retain(|s| s.language != "javascript");
    if overloads.iter().any(|s| accepts_argument_count(s, count)) {
        overloads.retain(|s| accepts_argument_count(s, count));
    }
    for overload in overloads.into_iter().take(MAX_OVERLOADS) {
        let list = split_outside_brackets(overload.param_types(), ',');
        if let Some(ty) = parameter_type_text(&list, at) {
            let scope = LookupScope { path: overload.path, container: overload.container };
            out.extend(&types::resolve_type(resolver, scope, ty));
        }
    }
    if out.definitions.len() > MAX_DEFINITIONS {
        out.definitions.clear();
    }
    out
}

fn symbol_definitions<'a>(found: &Resolution<'a>) -> Vec<SymbolRef<'a>> {
    let symbol = |definition: &Definition<'a>| match definition {
        Definition::Symbol(s) => Some(*s),
        _ => None,
    };
    found.definitions.iter().filter_map(symbol).collect()
}

/// Whether a callable accepts exactly this number of arguments, including rest parameters.
fn accepts_argument_count(symbol: &SymbolRef, count: usize) -> bool {
    let list = split_outside_brackets(symbol.param_types(), ',');
    match list.last().and_then(|last| last.strip_prefix("...")) {
        Some(rest) if rest.starts_with('[') => {
            list.len() - 1 + split_outside_brackets(rest.trim_matches(['[', ']']), ',').len() == count
        }
        Some(_) => count + 1 >= list.len(),
        None => list.len() == count,
    }
}

/// Returns the type of the parameter at a position, including rest parameters.
fn parameter_type_text<'t>(list: &[&'t str], at: usize) -> Option<&'t str> {
    let rest = |part: &'t str| part.trim().strip_prefix("...");
    match list.get(at) {
        Some(part) if rest(part).is_none() => Some(part),
        _ => {
            let (last, before) = list.split_last()?;
            let rest = rest(last)?;
            if let Some(tuple) = rest.strip_prefix('[') {
                let parts = split_outside_brackets(tuple.strip_suffix(']').unwrap_or(tuple), ',');
                return parts.get(at - before.len()).or(parts.last()).copied();
            }
            types::element_type_text(rest)
        }
    }
}

/// Returns the values that a parameter of these functions receives.
fn parameter_values<'a>(resolver: &Resolver<'a>, functions: &Resolution<'a>, at: usize) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    for definition in functions.definitions.iter().take(MAX_OVERLOADS) {
        match definition {
            Definition::Structural(structural_type) => {
                if let Some(list) = types::parameter_types(structural_type)
                    && let Some(ty) = parameter_type_text(&list, at)
                {
                    out.extend(&types::resolve_type(resolver, structural_type.lookup_scope(), ty));
                }
            }
            Definition::Instance(s) => {
                for signature in symbol_definitions(&resolver.members_of_type(s, "()")) {
                    let scope = LookupScope { path: signature.path, container: signature.container };
                    if let Some(ty) =
                        parameter_type_text(&split_outside_brackets(signature.param_types(), ','), at)
                    {
                        out.extend(&types::resolve_type(resolver, scope, ty));
                    }
                }
            }
            Definition::Symbol(s) if s.kind.is_callable() && s.language != "javascript" => {
                let scope = LookupScope { path: s.path, container: s.container };
                if let Some(ty) = parameter_type_text(&split_outside_brackets(s.param_types(), ','), at) {
                    out.extend(&types::resolve_type(resolver, scope, ty));
                }
            }
            Definition::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                let value = resolver.value_of_symbol(s);
                let values = resolver.with_nesting_limit(|| parameter_values(resolver, &value, at));
                out.extend(&values.unwrap_or_else(Resolution::bound_to_unknown));
            }
            Definition::External(_) | Definition::Builtin => out.push(Definition::Builtin),
            _ => {}
        }
    }
    out
}
