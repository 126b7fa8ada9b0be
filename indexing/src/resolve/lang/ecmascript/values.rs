//! TypeScript and JavaScript values: paths, calls, elements, and the values that callbacks and
//! arguments are expected to be.

use super::super::super::definition::{
    Definition, LookupScope, MAX_MEANINGS, MAX_OVERLOADS, ModuleRef, Resolution,
};
use super::super::super::resolver::Resolver;
use super::super::super::tracked_snapshot::split_last_segment;
use super::this_value::resolve_this;
use super::type_syntax::split_outside_brackets;
use super::types;
use kenning_graph::receiver_notation::unmask_text;
use kenning_graph::{SymbolKind, SymbolRef};

/// Segments of a path that are followed.
const MAX_SEGMENTS: usize = 40;

/// Resolves a path as seen from outside all functions.
pub(in super::super::super) fn resolve_path<'a>(
    r: &Resolver<'a>,
    place: LookupScope,
    path: &str,
) -> Resolution<'a> {
    follow_path(r, path, |root| resolve_path_start(r, place, root))
}

/// Resolves the start of a path as seen from outside all functions.
fn resolve_path_start<'a>(r: &Resolver<'a>, place: LookupScope, root: &str) -> Resolution<'a> {
    match resolve_marked_root(r, place, root) {
        Some(found) => found,
        None if root == "this" => resolve_this(r, place, None),
        None => lookup_top_level(r, place, root),
    }
}

/// Looks up a name as seen from outside all functions, including the `exports` object of a CommonJS
/// module.
pub(in super::super::super) fn lookup_top_level<'a>(
    r: &Resolver<'a>,
    place: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let found = r.lookup_name(place, name);
    if name == super::EXPORTS && found.meanings.iter().all(|meaning| *meaning == Definition::Builtin) {
        return super::resolve_modules(r, vec![ModuleRef::from_path(place.path)]);
    }
    (*found).clone()
}

/// Resolves a type or a module at the start of a path. Returns `None` if the start is neither.
pub(in super::super::super) fn resolve_marked_root<'a>(
    r: &Resolver<'a>,
    place: LookupScope,
    root: &str,
) -> Option<Resolution<'a>> {
    if let Some(ty) = root.strip_prefix(':') {
        return Some(types::resolve_type(r, place, &unmask_text(ty)));
    }
    root.strip_prefix("import:").map(|module| types::resolve_module(r, place.path, &unmask_text(module)))
}

/// Follows a path whose first name is looked up by `start`.
pub(in super::super::super) fn follow_path<'a>(
    r: &Resolver<'a>,
    path: &str,
    start: impl FnOnce(&str) -> Resolution<'a>,
) -> Resolution<'a> {
    if path.is_empty() || path.contains('?') || path.split('.').count() > MAX_SEGMENTS {
        return Resolution::bound_to_unknown();
    }
    // `module.exports` and `exports` are the same.
    let path = path.strip_prefix("module.").filter(|rest| rest.starts_with("exports")).unwrap_or(path);
    let mut segments = path.split('.').peekable();
    let (root, marks) = split_marks(segments.next().unwrap_or(""));
    let mut found = apply_marks(r, start(root), marks);
    let (mut object, mut name) = (Resolution::not_found(), root);
    while let Some(segment) = segments.next() {
        if let Some((at, count)) = segment.strip_prefix('^').and_then(|rest| rest.split_once('/')) {
            let (Ok(at), Ok(count)) = (at.parse(), count.parse()) else {
                return Resolution::bound_to_unknown();
            };
            let parameter = segments.peek().and_then(|next| next.strip_prefix('@')?.parse().ok());
            let given =
                parameter.map(|parameter| callback_argument(r, &object, name, parameter)).unwrap_or_default();
            found = if given.is_empty() {
                expected_argument(r, &found, at, count)
            } else {
                segments.next();
                given
            };
            continue;
        }
        if let Some(parameter) = segment.strip_prefix('@').and_then(|at| at.parse().ok()) {
            found = self::parameter_values(r, &found, parameter);
            continue;
        }
        let (member, marks) = self::split_marks(segment);
        object = found;
        name = member;
        found = apply_marks(r, r.resolve_member(&object, member), marks);
    }
    found
}

/// Splits a segment into its name and the marks behind it (calls and indexes).
fn split_marks(segment: &str) -> (&str, &str) {
    segment.split_at(segment.find(['(', '[']).unwrap_or(segment.len()))
}

/// Applies the marks behind a name to the name's definitions.
fn apply_marks<'a>(r: &Resolver<'a>, mut found: Resolution<'a>, marks: &str) -> Resolution<'a> {
    let mut rest = marks;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("()") {
            found = r.call_results(&found);
            rest = after;
        } else if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            found = element_values(r, &found, index.parse().ok());
            rest = after;
        } else {
            return Resolution::bound_to_unknown();
        }
    }
    found
}

/// Replaces variables, fields and properties by the values they hold. Keeps other definitions.
pub(in super::super::super) fn held_values<'a>(r: &Resolver<'a>, found: &Resolution<'a>) -> Resolution<'a> {
    let mut out = Resolution { meanings: Vec::new(), ..*found };
    for meaning in &found.meanings {
        match meaning {
            Definition::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                out.extend(&r.value_of_symbol(s));
            }
            other => out.push(other.clone()),
        }
    }
    out
}

/// Returns the elements of these values; for a tuple, the one at position `at`.
pub(in super::super::super) fn element_values<'a>(
    r: &Resolver<'a>,
    found: &Resolution<'a>,
    at: Option<usize>,
) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    for meaning in &held_values(r, found).meanings {
        match meaning {
            Definition::Shaped(shape) => out.extend(&types::element_of_type(r, shape, at)),
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
    r: &Resolver<'a>,
    meaning: &Definition<'a>,
) -> Resolution<'a> {
    match meaning {
        Definition::Symbol(s) if s.kind.is_type() => {
            Resolution::from_definitions(vec![Definition::Instance(*s)])
        }
        Definition::Symbol(s) if s.kind.is_callable() => {
            let found = r.value_of_symbol(s);
            let capital = s.name.starts_with(char::is_uppercase);
            // In JavaScript a function can be a class.
            if found.is_empty() && s.type_text().is_empty() && capital && s.kind == SymbolKind::Function {
                return Resolution::from_definitions(vec![Definition::Instance(*s)]);
            }
            found
        }
        Definition::Symbol(s) => {
            let mut out = Resolution::bound_to_unknown();
            for held in r.value_of_symbol(s).meanings {
                out.extend(&call_results(r, &held));
            }
            out
        }
        Definition::Instance(s) => {
            let mut out = Resolution::bound_to_unknown();
            for signature in &r.members_of_type(s, "()").meanings {
                if let Definition::Symbol(signature) = signature {
                    out.extend(&r.value_of_symbol(signature));
                }
            }
            out
        }
        Definition::Shaped(shape) => types::call_result(r, shape),
        Definition::External(external) if external.is_type() => {
            Resolution::from_definitions(vec![meaning.clone()])
        }
        Definition::External(_) | Definition::Builtin => Resolution::from_builtin(),
        Definition::Super(..)
        | Definition::Includer(_)
        | Definition::This(_)
        | Definition::Collection(..)
        | Definition::Module(_) => Resolution::bound_to_unknown(),
    }
}

/// Returns the value of a member of an object literal that a constant or variable holds, from the
/// type of the constant.
pub(in super::super::super) fn value_of_literal<'a>(
    r: &Resolver<'a>,
    field: &SymbolRef<'a>,
) -> Resolution<'a> {
    let (outer, simple) = split_last_segment(field.container);
    let owner = r.find_symbol_at(field.path, outer, simple);
    let holds = |s: &SymbolRef| matches!(s.kind, SymbolKind::Constant | SymbolKind::Variable);
    let Some(owner) = owner.filter(holds) else { return Resolution::not_found() };
    let mut out = Resolution::not_found();
    for meaning in &r.value_of_symbol(&owner).meanings {
        if let Definition::Shaped(shape) = meaning {
            out.extend(&types::member_of_type(r, shape, field.name));
        }
    }
    out
}

/// Returns the argument that a method of a collection or promise passes to its callback.
fn callback_argument<'a>(
    r: &Resolver<'a>,
    object: &Resolution<'a>,
    method: &str,
    parameter: usize,
) -> Resolution<'a> {
    let known = r.family.language_builtins();
    let position = match method {
        _ if known.giving_elements.contains(method) => 0,
        _ if known.giving_pairs.contains(method) => parameter.min(1),
        "reduce" | "reduceRight" => 1,
        "then" | "finally" if parameter == 0 => {
            // A promise of a workspace type stands for the value it holds, unless the type itself
            // has `then`.
            let held = held_values(r, object);
            let mut own =
                held.meanings.iter().filter(|m| matches!(m, Definition::Instance(_) | Definition::Shaped(_)));
            return if own.any(|_| true)
                && r.resolve_member(&held, "then").meanings.iter().all(|m| *m == Definition::Builtin)
            {
                held
            } else {
                Resolution::not_found()
            };
        }
        _ => return Resolution::not_found(),
    };
    if parameter != position {
        return Resolution::not_found();
    }
    let held = held_values(r, object);
    let shapes = held.meanings.iter().filter_map(|meaning| match meaning {
        Definition::Shaped(shape) => Some(shape),
        _ => None,
    });
    let mut out = Resolution::not_found();
    for shape in shapes {
        if types::element_type_text(&shape.text).is_some() {
            out.extend(&types::element_of_type(r, shape, None));
        }
    }
    out
}

/// Returns the values that an argument of a call is expected to be, from the parameter types of the
/// overloads that fit.
fn expected_argument<'a>(
    r: &Resolver<'a>,
    callee: &Resolution<'a>,
    at: usize,
    count: usize,
) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    let mut overloads: Vec<SymbolRef<'a>> = Vec::new();
    for meaning in callee.meanings.iter().take(MAX_OVERLOADS) {
        match meaning {
            Definition::Symbol(s) if s.kind.is_callable() => overloads.push(*s),
            Definition::Symbol(s) if s.kind.is_type() => {
                overloads.extend(symbol_definitions(&r.members_of_type(s, "constructor")));
            }
            Definition::Symbol(s) => out.extend(&expected_argument(r, &r.value_of_symbol(s), at, count)),
            Definition::Instance(s) => overloads.extend(symbol_definitions(&r.members_of_type(s, "()"))),
            Definition::Shaped(shape) => {
                if let Some(list) = types::parameter_types(shape)
                    && let Some(ty) = parameter_type_text(&list, at)
                {
                    out.extend(&types::resolve_type(r, shape.lookup_scope(), ty));
                }
            }
            Definition::External(_) | Definition::Builtin => out.push(Definition::Builtin),
            _ => {}
        }
    }
    // JavaScript has no parameter types; the list holds names.
    overloads.retain(|s| s.language != "javascript");
    if overloads.iter().any(|s| accepts_argument_count(s, count)) {
        overloads.retain(|s| accepts_argument_count(s, count));
    }
    for overload in overloads.into_iter().take(MAX_OVERLOADS) {
        let list = split_outside_brackets(overload.param_types(), ',');
        if let Some(ty) = parameter_type_text(&list, at) {
            let place = LookupScope { path: overload.path, container: overload.container };
            out.extend(&types::resolve_type(r, place, ty));
        }
    }
    if out.meanings.len() > MAX_MEANINGS {
        out.meanings.clear();
    }
    out
}

fn symbol_definitions<'a>(found: &Resolution<'a>) -> Vec<SymbolRef<'a>> {
    let symbol = |meaning: &Definition<'a>| match meaning {
        Definition::Symbol(s) => Some(*s),
        _ => None,
    };
    found.meanings.iter().filter_map(symbol).collect()
}

/// Whether a callable accepts exactly this number of arguments, rest parameters included.
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

/// Returns the type of the parameter at a position, rest parameters included.
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
fn parameter_values<'a>(r: &Resolver<'a>, functions: &Resolution<'a>, at: usize) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    for meaning in functions.meanings.iter().take(MAX_OVERLOADS) {
        match meaning {
            Definition::Shaped(shape) => {
                if let Some(list) = types::parameter_types(shape)
                    && let Some(ty) = parameter_type_text(&list, at)
                {
                    out.extend(&types::resolve_type(r, shape.lookup_scope(), ty));
                }
            }
            Definition::Instance(s) => {
                for signature in symbol_definitions(&r.members_of_type(s, "()")) {
                    let place = LookupScope { path: signature.path, container: signature.container };
                    if let Some(ty) =
                        parameter_type_text(&split_outside_brackets(signature.param_types(), ','), at)
                    {
                        out.extend(&types::resolve_type(r, place, ty));
                    }
                }
            }
            Definition::Symbol(s) if s.kind.is_callable() && s.language != "javascript" => {
                let place = LookupScope { path: s.path, container: s.container };
                if let Some(ty) = parameter_type_text(&split_outside_brackets(s.param_types(), ','), at) {
                    out.extend(&types::resolve_type(r, place, ty));
                }
            }
            Definition::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                out.extend(&parameter_values(r, &r.value_of_symbol(s), at));
            }
            Definition::External(_) | Definition::Builtin => out.push(Definition::Builtin),
            _ => {}
        }
    }
    out
}
