//! Types of TypeScript (and of JavaScript's documentation comments) to what their values are.

use super::super::super::meaning::{Found, MAX_MEANINGS, Meaning, Place, Shaped};
use super::super::super::resolver::{Resolver, Target};
use super::is_member;
use super::syntax::{Form, Function, entries, form, function, split};
use super::this::{this, without_side};
use super::values;
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// Longest type that is read.
const MAX_TYPE: usize = 2_000;
/// Alternatives of one type that are looked at.
const MAX_ALTERNATIVES: usize = 6;

/// What the values of a type are that is written at a place.
pub(in super::super::super) fn read<'a>(r: &Resolver<'a>, place: Place, text: &str) -> Found<'a> {
    if text.is_empty() || text.len() > MAX_TYPE {
        return Found::bound();
    }
    if let Some(known) = r.types.borrow().get(place.path, place.container, text) {
        return (**known).clone();
    }
    // A type that leads to itself is nothing.
    r.types.borrow_mut().insert(place.path, place.container, text, Rc::new(Found::bound()));
    let mut found = r.deeper(|| fresh(r, place, text)).unwrap_or_default();
    found.bound = true;
    if found.meanings.len() > MAX_MEANINGS {
        found.meanings.clear();
    }
    r.types.borrow_mut().insert(place.path, place.container, text, Rc::new(found.clone()));
    found
}

fn shape<'a>(place: Place, text: &str) -> Found<'a> {
    let shape =
        Shaped { text: text.trim().into(), path: place.path.into(), container: place.container.into() };
    Found::of(vec![Meaning::Shaped(Rc::new(shape))])
}

fn fresh<'a>(r: &Resolver<'a>, place: Place, text: &str) -> Found<'a> {
    match form(text) {
        Form::Nothing => Found::bound(),
        Form::Builtin => Found::builtin(),
        Form::Several(parts) => {
            let mut found = Found::bound();
            for part in parts.into_iter().take(MAX_ALTERNATIVES) {
                found.extend(&read(r, place, part));
            }
            // Beside a type of the workspace the language's own say nothing.
            if found.meanings.iter().any(|meaning| *meaning != Meaning::Builtin) {
                found.meanings.retain(|meaning| *meaning != Meaning::Builtin);
            }
            found
        }
        Form::Function(_) | Form::Object(_) | Form::Tuple(_) | Form::Array(_) => shape(place, text),
        Form::Indexed(base, index) => {
            let base = read(r, place, base);
            let key = index.trim_matches(['"', '\'']);
            if key.len() < index.len() {
                return values::held(r, &r.step(&base, key));
            }
            match index.parse::<usize>() {
                Ok(at) => values::element(r, &base, Some(at)),
                Err(_) if index == "number" => values::element(r, &base, None),
                Err(_) => Found::bound(),
            }
        }
        Form::Value(path) => {
            let found = values::path(r, place, path);
            // `typeof Foo` is the class itself, and `=x` what `x` holds.
            if found
                .meanings
                .iter()
                .any(|m| matches!(m, Meaning::Symbol(s) if s.kind.is_type() || s.kind.is_callable()))
            {
                found
            } else {
                values::held(r, &found)
            }
        }
        Form::Imported(module, name) => {
            let mut found = match super::import_target(r, place.path, module) {
                Target::Modules(modules) => Found::of(modules.into_iter().map(Meaning::Module).collect()),
                Target::External(_) => return Found::builtin(),
                _ => return Found::bound(),
            };
            for segment in name.split('.').filter(|segment| !segment.is_empty()) {
                found = r.step(&found, segment);
            }
            instances(r, &found)
        }
        Form::Named(name, arguments) => named(r, place, text, name, arguments),
    }
}

fn named<'a>(r: &Resolver<'a>, place: Place, text: &str, name: &str, arguments: &str) -> Found<'a> {
    let first = || split(arguments, ',').first().copied().unwrap_or("").trim();
    let builtins = r.family.builtins();
    match name {
        "this" => return this(r, place, None),
        "ReturnType" => return r.called(&read(r, place, first())),
        "InstanceType" => return r.called(&read(r, place, first())),
        "Record" if !arguments.is_empty() => return shape(place, text),
        "Pick" | "Omit" | "Extract" | "Exclude" => return read(r, place, first()),
        _ if !arguments.is_empty() && builtins.transparent.contains(name) => return read(r, place, first()),
        _ if !arguments.is_empty() && builtins.collections.contains(name) => return shape(place, text),
        _ => {}
    }
    instances(r, &r.type_path(place, name))
}

/// The values of the types among these meanings.
pub(super) fn instances<'a>(r: &Resolver<'a>, found: &Found<'a>) -> Found<'a> {
    let mut out = Found::bound();
    for meaning in &found.meanings {
        match meaning {
            Meaning::Symbol(s) if s.kind == SymbolKind::TypeAlias => out.extend(&alias(r, s)),
            // In JavaScript a function can be a class.
            Meaning::Symbol(s) if s.kind.is_type() || s.kind == SymbolKind::Function => {
                out.push(Meaning::Instance(*s));
            }
            // `exports.Foo = make()`, named as a type.
            Meaning::External(_) | Meaning::Builtin => out.push(meaning.clone()),
            _ => {}
        }
    }
    out
}

/// What an alias stands for; the alias itself where it has members of its own.
fn alias<'a>(r: &Resolver<'a>, alias: &SymbolRef<'a>) -> Found<'a> {
    let place = Place { path: alias.path, container: alias.container };
    match form(alias.ty()) {
        Form::Object(_) => Found::of(vec![Meaning::Instance(*alias)]),
        _ => {
            let mut found = if alias.ty().contains('{') {
                Found::of(vec![Meaning::Instance(*alias)])
            } else {
                Found::bound()
            };
            found.extend(&read(r, place, alias.ty()));
            found
        }
    }
}

/// What a member of a value is whose type has no name.
pub(in super::super::super) fn member<'a>(r: &Resolver<'a>, shape: &Shaped, name: &str) -> Found<'a> {
    let place = shape.place();
    match form(&shape.text) {
        Form::Object(inner) => object_member(r, place, inner, name),
        Form::Named("Record", arguments) => {
            split(arguments, ',').get(1).map_or_else(Found::bound, |ty| read(r, place, ty))
        }
        Form::Named(..) | Form::Array(_) | Form::Tuple(_) => {
            let whole = &shape.text;
            match (name, element_text(&shape.text)) {
                (
                    "filter" | "slice" | "concat" | "reverse" | "sort" | "toSorted" | "values" | "splice"
                    | "flat",
                    _,
                ) => self::shape(place, &format!("() => {whole}")),
                ("find" | "findLast" | "pop" | "shift" | "at" | "get", Some(element)) => {
                    self::shape(place, &format!("() => {element}"))
                }
                _ => Found::builtin(),
            }
        }
        _ => Found::builtin(),
    }
}

fn object_member<'a>(r: &Resolver<'a>, place: Place, inner: &str, name: &str) -> Found<'a> {
    let mut index = None;
    let mut spread = Vec::new();
    for (key, ty) in entries(inner) {
        match key {
            "" => index = Some(ty),
            "..." => spread.push(ty),
            key if key == name && function(ty).is_some_and(|_| ty.starts_with(['(', '<'])) => {
                return shape(place, ty);
            }
            // A function under another name is still that function.
            key if key == name => return entry_value(r, place, key, ty),
            _ => {}
        }
    }
    let mut found = Found::bound();
    for ty in spread {
        found.extend(&r.step(&read(r, place, ty), name));
    }
    if let (true, Some(ty)) = (found.is_empty(), index) {
        return read(r, place, ty);
    }
    found
}

/// What an entry of an object is: of `=run` the function itself. A method of the object is written under its own name, which
/// is no name that is known inside of the object.
fn entry_value<'a>(r: &Resolver<'a>, place: Place, key: &str, ty: &str) -> Found<'a> {
    match form(ty) {
        Form::Value(path) if ty.starts_with('=') => {
            let own = if path == key { own_method(r, place, key) } else { Found::nothing() };
            let mut found = if own.is_empty() { values::path(r, place, path) } else { own };
            found.bound = true;
            found
        }
        // What an object in an object has stands in that one, where it is a symbol.
        Form::Object(_) if ty.starts_with('{') => {
            let object = r.symbol_at(place.path, place.container, key);
            let inner = object.filter(|object| object.kind == SymbolKind::Field);
            let container = inner.map_or_else(|| place.container.to_owned(), |inner| inner.display_name());
            read(r, Place { container: &container, ..place }, ty)
        }
        _ => read(r, place, ty),
    }
}

/// A method of the object that a container stands for.
fn own_method<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    let container = without_side(place.container);
    r.named_at_where(Place { container, ..place }, name, is_member)
}

/// The type of the elements of a collection; of a map that of its values.
pub(super) fn element_text(text: &str) -> Option<&str> {
    match form(text) {
        Form::Array(element) => Some(element),
        Form::Named(_, arguments) => split(arguments, ',').last().copied(),
        Form::Tuple(inner) => split(inner, ',').first().copied(),
        _ => None,
    }
}

/// An element of a value whose type has no name.
pub(super) fn element<'a>(r: &Resolver<'a>, shape: &Shaped, at: Option<usize>) -> Found<'a> {
    let place = shape.place();
    match (form(&shape.text), at) {
        (Form::Tuple(inner), Some(at)) => {
            let parts = split(inner, ',');
            let part = parts.get(at).or_else(|| parts.last().filter(|last| last.trim().starts_with("...")));
            part.map_or_else(Found::bound, |part| read(r, place, tuple_part(part)))
        }
        (Form::Tuple(inner), None) => {
            let mut found = Found::bound();
            for part in split(inner, ',').into_iter().take(MAX_ALTERNATIVES) {
                found.extend(&read(r, place, tuple_part(part)));
            }
            found
        }
        (Form::Object(_), _) => Found::bound(),
        _ => element_text(&shape.text).map_or_else(Found::builtin, |element| read(r, place, element)),
    }
}

/// `...A[]`, `name: A`, `A?` in a tuple.
fn tuple_part(part: &str) -> &str {
    let part = part.trim();
    if let Some(rest) = part.strip_prefix("...") {
        return element_text(rest).unwrap_or(rest);
    }
    part.trim_end_matches('?')
}

/// What a call of a value gives whose type has no name.
pub(super) fn called<'a>(r: &Resolver<'a>, shape: &Shaped) -> Found<'a> {
    match form(&shape.text) {
        Form::Function(Function { result, .. }) => read(r, shape.place(), result),
        Form::Object(inner) => {
            call_signature(inner).map_or_else(Found::bound, |f| read(r, shape.place(), f.result))
        }
        _ => Found::builtin(),
    }
}

/// The types of the parameters of a value whose type has no name.
pub(super) fn parameters(shape: &Shaped) -> Option<Vec<&str>> {
    match form(&shape.text) {
        Form::Function(Function { parameters, .. }) => Some(parameters),
        Form::Object(inner) => call_signature(inner).map(|f| f.parameters),
        _ => None,
    }
}

/// `{ (a: A): B }`.
fn call_signature(inner: &str) -> Option<Function<'_>> {
    inner.starts_with(['(', '<']).then(|| function(inner)).flatten()
}

/// The module that a path in a value names.
pub(super) fn module<'a>(r: &Resolver<'a>, from: &str, specifier: &str) -> Found<'a> {
    match super::import_target(r, from, specifier) {
        Target::Modules(modules) => super::modules(r, modules),
        Target::External(package) => {
            let external = super::super::super::meaning::External::new(&package, "");
            Found::of(vec![Meaning::External(Rc::new(external))])
        }
        Target::Types(_) | Target::Unknown => Found::bound(),
    }
}
