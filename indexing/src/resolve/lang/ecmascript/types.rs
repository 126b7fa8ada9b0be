//! TypeScript types, including those in JavaScript documentation comments: resolves a type
//! expression to its values, and returns members, elements and call results of structural types.
//!
//! `type_syntax` parses the outermost form of an expression; this module resolves the form in the
//! scope whose names the expression uses. A named type becomes an instance of its symbol. An
//! object, tuple, array or function type has no symbol: [`LocatedType`] keeps its text and its
//! scope, and the text is parsed again when a member, an element or a result is needed. Results are
//! cached by scope and text, and a type that leads back to itself has no values.

use super::super::super::definition::{Definition, LocatedType, LookupScope, MAX_DEFINITIONS, Resolution};
use super::super::super::resolver::{ImportTarget, Resolver};
use super::is_member_symbol;
use super::this_value::{resolve_this, strip_static_marker};
use super::type_syntax::{
    TsFunctionType, TsTypeRef, parse_function, parse_object_entries, parse_type, split_outside_brackets,
};
use super::values;
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// Maximum length in bytes of a type expression that is parsed. Generated declarations have longer
/// types.
const MAX_TYPE_BYTES: usize = 2_000;
/// Maximum number of alternatives of a union that are resolved. Unions of syntax nodes or events
/// have hundreds.
const MAX_ALTERNATIVES: usize = 6;

/// Returns the values of the type expression `text` in `scope`.
pub(in super::super::super) fn resolve_type<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    text: &str,
) -> Resolution<'a> {
    if text.is_empty() || text.len() > MAX_TYPE_BYTES {
        return Resolution::bound_to_unknown();
    }
    if let Some(cached) = resolver.types.borrow().get(scope.path, scope.container, text) {
        return (**cached).clone();
    }
    // A type that leads back to itself has no values.
    resolver.types.borrow_mut().insert(
        scope.path,
        scope.container,
        text,
        Rc::new(Resolution::bound_to_unknown()),
    );
    let mut found =
        resolver.with_depth_limit(|| resolve_type_uncached(resolver, scope, text)).unwrap_or_default();
    found.is_bound = true;
    if found.definitions.len() > MAX_DEFINITIONS {
        found.definitions.clear();
    }
    resolver.types.borrow_mut().insert(scope.path, scope.container, text, Rc::new(found.clone()));
    found
}

/// Returns a value of the type without a name that `text` describes in `scope`.
fn structural_value<'a>(scope: LookupScope, text: &str) -> Resolution<'a> {
    let structural_type =
        LocatedType { text: text.trim().into(), path: scope.path.into(), container: scope.container.into() };
    Resolution::from_definitions(vec![Definition::Structural(Rc::new(structural_type))])
}

fn resolve_type_uncached<'a>(resolver: &Resolver<'a>, scope: LookupScope, text: &str) -> Resolution<'a> {
    match parse_type(text) {
        TsTypeRef::Nothing => Resolution::bound_to_unknown(),
        TsTypeRef::Builtin => Resolution::builtin(),
        TsTypeRef::Alternatives(parts) => {
            let mut found = Resolution::bound_to_unknown();
            for part in parts.into_iter().take(MAX_ALTERNATIVES) {
                found.extend(&resolve_type(resolver, scope, part));
            }
            // A type of the workspace takes precedence over builtins.
            if found.definitions.iter().any(|definition| *definition != Definition::Builtin) {
                found.definitions.retain(|definition| *definition != Definition::Builtin);
            }
            found
        }
        TsTypeRef::Function(_) | TsTypeRef::Object(_) | TsTypeRef::Tuple(_) | TsTypeRef::Array(_) => {
            structural_value(scope, text)
        }
        TsTypeRef::Indexed(base, index) => {
            let base = resolve_type(resolver, scope, base);
            let key = index.trim_matches(['"', '\'']);
            if key.len() < index.len() {
                return values::read_values(resolver, &resolver.resolve_member(&base, key));
            }
            match index.parse::<usize>() {
                Ok(at) => values::element_values(resolver, &base, Some(at)),
                Err(_) if index == "number" => values::element_values(resolver, &base, None),
                Err(_) => Resolution::bound_to_unknown(),
            }
        }
        TsTypeRef::Value(path) => {
            let found = values::resolve_path(resolver, scope, path);
            // `typeof Foo` is the class itself, but `=x` is the value of `x`.
            if found
                .definitions
                .iter()
                .any(|m| matches!(m, Definition::Symbol(s) if s.kind.is_type() || s.kind.is_callable()))
            {
                found
            } else {
                values::read_values(resolver, &found)
            }
        }
        TsTypeRef::Imported(module, name) => {
            let mut found = match super::import_target(resolver, scope.path, module) {
                ImportTarget::Modules(modules) => {
                    Resolution::from_definitions(modules.into_iter().map(Definition::Module).collect())
                }
                ImportTarget::External(_) => return Resolution::builtin(),
                _ => return Resolution::bound_to_unknown(),
            };
            for segment in name.split('.').filter(|segment| !segment.is_empty()) {
                found = resolver.resolve_member(&found, segment);
            }
            instances_of_types(resolver, &found)
        }
        TsTypeRef::Named(name, arguments) => resolve_named_type(resolver, scope, text, name, arguments),
    }
}

fn resolve_named_type<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    text: &str,
    name: &str,
    arguments: &str,
) -> Resolution<'a> {
    let first = || split_outside_brackets(arguments, ',').first().copied().unwrap_or("").trim();
    let builtins = resolver.family.language_builtins();
    match name {
        "this" => return resolve_this(resolver, scope, None),
        "ReturnType" => return resolver.call_results(&resolve_type(resolver, scope, first())),
        "InstanceType" => return resolver.call_results(&resolve_type(resolver, scope, first())),
        "Record" if !arguments.is_empty() => return structural_value(scope, text),
        "Pick" | "Omit" | "Extract" | "Exclude" => return resolve_type(resolver, scope, first()),
        _ if !arguments.is_empty() && builtins.transparent.contains(name) => {
            return resolve_type(resolver, scope, first());
        }
        _ if !arguments.is_empty() && builtins.collections.contains(name) => {
            return structural_value(scope, text);
        }
        _ => {}
    }
    instances_of_types(resolver, &resolver.resolve_type_path(scope, name))
}

/// Returns instances of the types among these definitions.
pub(super) fn instances_of_types<'a>(resolver: &Resolver<'a>, found: &Resolution<'a>) -> Resolution<'a> {
    let mut out = Resolution::bound_to_unknown();
    for definition in &found.definitions {
        match definition {
            Definition::Symbol(s) if s.kind == SymbolKind::TypeAlias => {
                out.extend(&resolve_alias(resolver, s));
            }
            // In JavaScript a function can be a class.
            Definition::Symbol(s) if s.kind.is_type() || s.kind == SymbolKind::Function => {
                out.push(Definition::Instance(*s));
            }
            // `exports.Foo = make()` can be used as a type.
            Definition::External(_) | Definition::Builtin => out.push(definition.clone()),
            _ => {}
        }
    }
    out
}

/// Returns the values of an alias's type, and an instance of the alias itself if it declares
/// members.
fn resolve_alias<'a>(resolver: &Resolver<'a>, alias: &SymbolRef<'a>) -> Resolution<'a> {
    let scope = LookupScope { path: alias.path, container: alias.container };
    match parse_type(alias.type_text()) {
        TsTypeRef::Object(_) => Resolution::from_definitions(vec![Definition::Instance(*alias)]),
        _ => {
            let mut found = if alias.type_text().contains('{') {
                Resolution::from_definitions(vec![Definition::Instance(*alias)])
            } else {
                Resolution::bound_to_unknown()
            };
            found.extend(&resolve_type(resolver, scope, alias.type_text()));
            found
        }
    }
}

/// Returns a member of a value of a structural type.
pub(in super::super::super) fn member_of_type<'a>(
    resolver: &Resolver<'a>,
    structural_type: &LocatedType,
    name: &str,
) -> Resolution<'a> {
    let scope = structural_type.lookup_scope();
    match parse_type(&structural_type.text) {
        TsTypeRef::Object(inner) => object_type_member(resolver, scope, inner, name),
        TsTypeRef::Named("Record", arguments) => split_outside_brackets(arguments, ',')
            .get(1)
            .map_or_else(Resolution::bound_to_unknown, |ty| resolve_type(resolver, scope, ty)),
        TsTypeRef::Named(..) | TsTypeRef::Array(_) | TsTypeRef::Tuple(_) => {
            let whole = &structural_type.text;
            match (name, element_type_text(&structural_type.text)) {
                (
                    "filter" | "slice" | "concat" | "reverse" | "sort" | "toSorted" | "values" | "splice"
                    | "flat",
                    _,
                ) => structural_value(scope, &format!("() => {whole}")),
                ("find" | "findLast" | "pop" | "shift" | "at" | "get", Some(element)) => {
                    structural_value(scope, &format!("() => {element}"))
                }
                _ => Resolution::builtin(),
            }
        }
        _ => Resolution::builtin(),
    }
}

fn object_type_member<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    inner: &str,
    name: &str,
) -> Resolution<'a> {
    let mut index = None;
    let mut spread = Vec::new();
    for (key, ty) in parse_object_entries(inner) {
        match key {
            "" => index = Some(ty),
            "..." => spread.push(ty),
            key if key == name && parse_function(ty).is_some_and(|_| ty.starts_with(['(', '<'])) => {
                return structural_value(scope, ty);
            }
            // An entry can hold a function with another name.
            key if key == name => return resolve_entry_value(resolver, scope, key, ty),
            _ => {}
        }
    }
    let mut found = Resolution::bound_to_unknown();
    for ty in spread {
        found.extend(&resolver.resolve_member(&resolve_type(resolver, scope, ty), name));
    }
    if let (true, Some(ty)) = (found.is_empty(), index) {
        return resolve_type(resolver, scope, ty);
    }
    found
}

/// Returns the value of an entry of an object: for `=run`, the function itself. If the function is
/// a method of the object, looks it up as a member, because its name is not visible inside the
/// object.
fn resolve_entry_value<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    key: &str,
    ty: &str,
) -> Resolution<'a> {
    match parse_type(ty) {
        TsTypeRef::Value(path) if ty.starts_with('=') => {
            let method =
                if path == key { find_own_method(resolver, scope, key) } else { Resolution::not_found() };
            // Two modules can export each other's members, so that the path leads back to this
            // entry.
            let follow = || resolver.with_depth_limit(|| values::resolve_path(resolver, scope, path));
            let mut found = if method.is_empty() { follow().unwrap_or_default() } else { method };
            found.is_bound = true;
            found
        }
        // If the nested object is a symbol, it is the container of its members.
        TsTypeRef::Object(_) if ty.starts_with('{') => {
            let object = resolver.find_symbol_at(scope.path, scope.container, key);
            let inner = object.filter(|object| object.kind == SymbolKind::Field);
            let container = inner.map_or_else(|| scope.container.to_owned(), |inner| inner.display_name());
            resolve_type(resolver, LookupScope { container: &container, ..scope }, ty)
        }
        _ => resolve_type(resolver, scope, ty),
    }
}

/// Returns the members with this name of the object around a scope.
fn find_own_method<'a>(resolver: &Resolver<'a>, scope: LookupScope, name: &str) -> Resolution<'a> {
    let container = strip_static_marker(scope.container);
    resolver.symbols_in_scope_where(LookupScope { container, ..scope }, name, is_member_symbol)
}

/// Returns the element type of a collection, or the value type of a map.
pub(super) fn element_type_text(text: &str) -> Option<&str> {
    match parse_type(text) {
        TsTypeRef::Array(element) => Some(element),
        TsTypeRef::Named(_, arguments) => split_outside_brackets(arguments, ',').last().copied(),
        TsTypeRef::Tuple(inner) => split_outside_brackets(inner, ',').first().copied(),
        _ => None,
    }
}

/// Returns an element of a value of a structural type; for a tuple, the element at a 0-based
/// position.
pub(super) fn element_of_type<'a>(
    resolver: &Resolver<'a>,
    structural_type: &LocatedType,
    at: Option<usize>,
) -> Resolution<'a> {
    let scope = structural_type.lookup_scope();
    match (parse_type(&structural_type.text), at) {
        (TsTypeRef::Tuple(inner), Some(at)) => {
            let parts = split_outside_brackets(inner, ',');
            let part = parts.get(at).or_else(|| parts.last().filter(|last| last.trim().starts_with("...")));
            part.map_or_else(Resolution::bound_to_unknown, |part| {
                resolve_type(resolver, scope, tuple_element_type(part))
            })
        }
        (TsTypeRef::Tuple(inner), None) => {
            let mut found = Resolution::bound_to_unknown();
            for part in split_outside_brackets(inner, ',').into_iter().take(MAX_ALTERNATIVES) {
                found.extend(&resolve_type(resolver, scope, tuple_element_type(part)));
            }
            found
        }
        (TsTypeRef::Object(_), _) => Resolution::bound_to_unknown(),
        _ => element_type_text(&structural_type.text)
            .map_or_else(Resolution::builtin, |element| resolve_type(resolver, scope, element)),
    }
}

/// Returns the type of a tuple element: `...A[]`, `name: A`, `A?`.
fn tuple_element_type(part: &str) -> &str {
    let part = part.trim();
    if let Some(rest) = part.strip_prefix("...") {
        return element_type_text(rest).unwrap_or(rest);
    }
    part.trim_end_matches('?')
}

/// Returns the result of calling a value of a structural type.
pub(super) fn call_result<'a>(resolver: &Resolver<'a>, structural_type: &LocatedType) -> Resolution<'a> {
    match parse_type(&structural_type.text) {
        TsTypeRef::Function(TsFunctionType { result, .. }) => {
            resolve_type(resolver, structural_type.lookup_scope(), result)
        }
        TsTypeRef::Object(inner) => find_call_signature(inner)
            .map_or_else(Resolution::bound_to_unknown, |f| {
                resolve_type(resolver, structural_type.lookup_scope(), f.result)
            }),
        _ => Resolution::builtin(),
    }
}

/// Returns the parameter types of a structural type. Returns `None` if it is not callable.
pub(super) fn parameter_types(structural_type: &LocatedType) -> Option<Vec<&str>> {
    match parse_type(&structural_type.text) {
        TsTypeRef::Function(TsFunctionType { parameters, .. }) => Some(parameters),
        TsTypeRef::Object(inner) => find_call_signature(inner).map(|f| f.parameters),
        _ => None,
    }
}

/// Parses the call signature of an object type: `{ (a: A): B }`.
fn find_call_signature(inner: &str) -> Option<TsFunctionType<'_>> {
    inner.starts_with(['(', '<']).then(|| parse_function(inner)).flatten()
}

/// Returns the module that an `import:` segment of a value path names.
pub(super) fn resolve_module<'a>(resolver: &Resolver<'a>, from: &str, specifier: &str) -> Resolution<'a> {
    match super::import_target(resolver, from, specifier) {
        ImportTarget::Modules(modules) => super::resolve_modules(resolver, modules),
        ImportTarget::External(package) => {
            let external = super::super::super::definition::ExternalSymbol::new(&package, "");
            Resolution::from_definitions(vec![Definition::External(Rc::new(external))])
        }
        ImportTarget::Types(_) | ImportTarget::Unknown => Resolution::bound_to_unknown(),
    }
}
