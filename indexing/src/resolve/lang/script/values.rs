//! Values of TypeScript and JavaScript: paths, calls, elements, and what is expected of arguments.

use super::super::super::meaning::{Found, MAX_MEANINGS, MAX_OVERLOADS, Meaning, Module, Place};
use super::super::super::resolver::Resolver;
use super::super::super::view::split_last;
use super::syntax::split;
use super::this::this;
use super::types;
use kenning_graph::notation::unmask;
use kenning_graph::{SymbolKind, SymbolRef};

/// Segments of a path that are followed.
const MAX_SEGMENTS: usize = 40;

/// What a path stands for, read from outside of all functions.
pub(in super::super::super) fn path<'a>(r: &Resolver<'a>, place: Place, path: &str) -> Found<'a> {
    follow(r, path, |root| start(r, place, root))
}

/// What stands at the start of a path, read from outside of all functions.
fn start<'a>(r: &Resolver<'a>, place: Place, root: &str) -> Found<'a> {
    match marked_root(r, place, root) {
        Some(found) => found,
        None if root == "this" => this(r, place, None),
        None => looked_up(r, place, root),
    }
}

/// What a name stands for outside of all functions, the object of a CommonJS module's exports included.
pub(in super::super::super) fn looked_up<'a>(r: &Resolver<'a>, place: Place, name: &str) -> Found<'a> {
    let found = r.lookup(place, name);
    if name == super::EXPORTS && found.meanings.iter().all(|meaning| *meaning == Meaning::Builtin) {
        return super::modules(r, vec![Module::file(place.path)]);
    }
    (*found).clone()
}

/// A type or a module at the start of a path.
pub(in super::super::super) fn marked_root<'a>(
    r: &Resolver<'a>,
    place: Place,
    root: &str,
) -> Option<Found<'a>> {
    if let Some(ty) = root.strip_prefix(':') {
        return Some(types::read(r, place, &unmask(ty)));
    }
    root.strip_prefix("import:").map(|module| types::module(r, place.path, &unmask(module)))
}

/// Follows a path whose start is looked up by `start`.
pub(in super::super::super) fn follow<'a>(
    r: &Resolver<'a>,
    path: &str,
    start: impl FnOnce(&str) -> Found<'a>,
) -> Found<'a> {
    if path.is_empty() || path.contains('?') || path.split('.').count() > MAX_SEGMENTS {
        return Found::bound();
    }
    // `module.exports` and `exports` are one thing.
    let path = path.strip_prefix("module.").filter(|rest| rest.starts_with("exports")).unwrap_or(path);
    let mut segments = path.split('.').peekable();
    let (root, marks) = marks(segments.next().unwrap_or(""));
    let mut found = marked(r, start(root), marks);
    let (mut object, mut name) = (Found::nothing(), root);
    while let Some(segment) = segments.next() {
        if let Some((at, count)) = segment.strip_prefix('^').and_then(|rest| rest.split_once('/')) {
            let (Ok(at), Ok(count)) = (at.parse(), count.parse()) else { return Found::bound() };
            let parameter = segments.peek().and_then(|next| next.strip_prefix('@')?.parse().ok());
            let given = parameter.map(|parameter| given(r, &object, name, parameter)).unwrap_or_default();
            found = if given.is_empty() {
                expected(r, &found, at, count)
            } else {
                segments.next();
                given
            };
            continue;
        }
        if let Some(parameter) = segment.strip_prefix('@').and_then(|at| at.parse().ok()) {
            found = self::parameter(r, &found, parameter);
            continue;
        }
        let (member, marks) = self::marks(segment);
        object = found;
        name = member;
        found = marked(r, r.step(&object, member), marks);
    }
    found
}

/// A segment without the marks behind its name, and these.
fn marks(segment: &str) -> (&str, &str) {
    segment.split_at(segment.find(['(', '[']).unwrap_or(segment.len()))
}

/// What the marks behind a name make of what it stands for.
fn marked<'a>(r: &Resolver<'a>, mut found: Found<'a>, marks: &str) -> Found<'a> {
    let mut rest = marks;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("()") {
            found = r.called(&found);
            rest = after;
        } else if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            found = element(r, &found, index.parse().ok());
            rest = after;
        } else {
            return Found::bound();
        }
    }
    found
}

/// What variables, fields and properties hold; other meanings as they are.
pub(in super::super::super) fn held<'a>(r: &Resolver<'a>, found: &Found<'a>) -> Found<'a> {
    let mut out = Found { meanings: Vec::new(), ..*found };
    for meaning in &found.meanings {
        match meaning {
            Meaning::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => out.extend(&r.value_of(s)),
            other => out.push(other.clone()),
        }
    }
    out
}

/// Elements of these values; of tuples the one at a position.
pub(in super::super::super) fn element<'a>(
    r: &Resolver<'a>,
    found: &Found<'a>,
    at: Option<usize>,
) -> Found<'a> {
    let mut out = Found::bound();
    for meaning in &held(r, found).meanings {
        match meaning {
            Meaning::Shaped(shape) => out.extend(&types::element(r, shape, at)),
            Meaning::Collection(s, levels) => out.push(Meaning::collected(*s, levels.inner())),
            Meaning::External(_) | Meaning::Builtin => out.push(Meaning::Builtin),
            _ => {}
        }
    }
    out
}

/// What a call of this meaning gives.
pub(in super::super::super) fn called<'a>(r: &Resolver<'a>, meaning: &Meaning<'a>) -> Found<'a> {
    match meaning {
        Meaning::Symbol(s) if s.kind.is_type() => Found::of(vec![Meaning::Instance(*s)]),
        Meaning::Symbol(s) if s.kind.is_callable() => {
            let found = r.value_of(s);
            let capital = s.name.starts_with(char::is_uppercase);
            // In JavaScript a function can be a class.
            if found.is_empty() && s.ty().is_empty() && capital && s.kind == SymbolKind::Function {
                return Found::of(vec![Meaning::Instance(*s)]);
            }
            found
        }
        Meaning::Symbol(s) => {
            let mut out = Found::bound();
            for held in r.value_of(s).meanings {
                out.extend(&called(r, &held));
            }
            out
        }
        Meaning::Instance(s) => {
            let mut out = Found::bound();
            for signature in &r.members(s, "()").meanings {
                if let Meaning::Symbol(signature) = signature {
                    out.extend(&r.value_of(signature));
                }
            }
            out
        }
        Meaning::Shaped(shape) => types::called(r, shape),
        Meaning::External(external) if external.is_type() => Found::of(vec![meaning.clone()]),
        Meaning::External(_) | Meaning::Builtin => Found::builtin(),
        Meaning::Super(..)
        | Meaning::Includer(_)
        | Meaning::This(_)
        | Meaning::Collection(..)
        | Meaning::Module(_) => Found::bound(),
    }
}

/// The value of a member of an object that a constant holds: the type of the constant says it.
pub(in super::super::super) fn of_literal<'a>(r: &Resolver<'a>, field: &SymbolRef<'a>) -> Found<'a> {
    let (outer, simple) = split_last(field.container);
    let owner = r.symbol_at(field.path, outer, simple);
    let holds = |s: &SymbolRef| matches!(s.kind, SymbolKind::Constant | SymbolKind::Variable);
    let Some(owner) = owner.filter(holds) else { return Found::nothing() };
    let mut out = Found::nothing();
    for meaning in &r.value_of(&owner).meanings {
        if let Meaning::Shaped(shape) = meaning {
            out.extend(&types::member(r, shape, field.name));
        }
    }
    out
}

/// What the callbacks of collections and promises are given.
fn given<'a>(r: &Resolver<'a>, object: &Found<'a>, method: &str, parameter: usize) -> Found<'a> {
    let known = r.family.builtins();
    let position = match method {
        _ if known.giving_elements.contains(method) => 0,
        _ if known.giving_pairs.contains(method) => parameter.min(1),
        "reduce" | "reduceRight" => 1,
        "then" | "finally" if parameter == 0 => {
            // A promise of the workspace stands for what it holds, but for types that have `then` themselves.
            let held = held(r, object);
            let mut own =
                held.meanings.iter().filter(|m| matches!(m, Meaning::Instance(_) | Meaning::Shaped(_)));
            return if own.any(|_| true)
                && r.step(&held, "then").meanings.iter().all(|m| *m == Meaning::Builtin)
            {
                held
            } else {
                Found::nothing()
            };
        }
        _ => return Found::nothing(),
    };
    if parameter != position {
        return Found::nothing();
    }
    let held = held(r, object);
    let shapes = held.meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Shaped(shape) => Some(shape),
        _ => None,
    });
    let mut out = Found::nothing();
    for shape in shapes {
        if types::element_text(&shape.text).is_some() {
            out.extend(&types::element(r, shape, None));
        }
    }
    out
}

/// What is expected of an argument of a call: the types of the parameter of the overloads that fit.
fn expected<'a>(r: &Resolver<'a>, callee: &Found<'a>, at: usize, count: usize) -> Found<'a> {
    let mut out = Found::bound();
    let mut overloads: Vec<SymbolRef<'a>> = Vec::new();
    for meaning in callee.meanings.iter().take(MAX_OVERLOADS) {
        match meaning {
            Meaning::Symbol(s) if s.kind.is_callable() => overloads.push(*s),
            Meaning::Symbol(s) if s.kind.is_type() => {
                overloads.extend(symbols(&r.members(s, "constructor")));
            }
            Meaning::Symbol(s) => out.extend(&expected(r, &r.value_of(s), at, count)),
            Meaning::Instance(s) => overloads.extend(symbols(&r.members(s, "()"))),
            Meaning::Shaped(shape) => {
                if let Some(list) = types::parameters(shape)
                    && let Some(ty) = parameter_text(&list, at)
                {
                    out.extend(&types::read(r, shape.place(), ty));
                }
            }
            Meaning::External(_) | Meaning::Builtin => out.push(Meaning::Builtin),
            _ => {}
        }
    }
    // Names stand for the parameters of languages without types.
    overloads.retain(|s| s.language != "javascript");
    if overloads.iter().any(|s| takes(s, count)) {
        overloads.retain(|s| takes(s, count));
    }
    for overload in overloads.into_iter().take(MAX_OVERLOADS) {
        let list = split(overload.params(), ',');
        if let Some(ty) = parameter_text(&list, at) {
            let place = Place { path: overload.path, container: overload.container };
            out.extend(&types::read(r, place, ty));
        }
    }
    if out.meanings.len() > MAX_MEANINGS {
        out.meanings.clear();
    }
    out
}

fn symbols<'a>(found: &Found<'a>) -> Vec<SymbolRef<'a>> {
    let symbol = |meaning: &Meaning<'a>| match meaning {
        Meaning::Symbol(s) => Some(*s),
        _ => None,
    };
    found.meanings.iter().filter_map(symbol).collect()
}

/// Whether a callable has just this number of parameters, those of a rest counted.
fn takes(symbol: &SymbolRef, count: usize) -> bool {
    let list = split(symbol.params(), ',');
    match list.last().and_then(|last| last.strip_prefix("...")) {
        Some(rest) if rest.starts_with('[') => {
            list.len() - 1 + split(rest.trim_matches(['[', ']']), ',').len() == count
        }
        Some(_) => count + 1 >= list.len(),
        None => list.len() == count,
    }
}

/// The type of a parameter in a list, rest parameters counted.
fn parameter_text<'t>(list: &[&'t str], at: usize) -> Option<&'t str> {
    let rest = |part: &'t str| part.trim().strip_prefix("...");
    match list.get(at) {
        Some(part) if rest(part).is_none() => Some(part),
        _ => {
            let (last, before) = list.split_last()?;
            let rest = rest(last)?;
            if let Some(tuple) = rest.strip_prefix('[') {
                let parts = split(tuple.strip_suffix(']').unwrap_or(tuple), ',');
                return parts.get(at - before.len()).or(parts.last()).copied();
            }
            types::element_text(rest)
        }
    }
}

/// What a parameter of these functions is given.
fn parameter<'a>(r: &Resolver<'a>, functions: &Found<'a>, at: usize) -> Found<'a> {
    let mut out = Found::bound();
    for meaning in functions.meanings.iter().take(MAX_OVERLOADS) {
        match meaning {
            Meaning::Shaped(shape) => {
                if let Some(list) = types::parameters(shape)
                    && let Some(ty) = parameter_text(&list, at)
                {
                    out.extend(&types::read(r, shape.place(), ty));
                }
            }
            Meaning::Instance(s) => {
                for signature in symbols(&r.members(s, "()")) {
                    let place = Place { path: signature.path, container: signature.container };
                    if let Some(ty) = parameter_text(&split(signature.params(), ','), at) {
                        out.extend(&types::read(r, place, ty));
                    }
                }
            }
            Meaning::Symbol(s) if s.kind.is_callable() && s.language != "javascript" => {
                let place = Place { path: s.path, container: s.container };
                if let Some(ty) = parameter_text(&split(s.params(), ','), at) {
                    out.extend(&types::read(r, place, ty));
                }
            }
            Meaning::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                out.extend(&parameter(r, &r.value_of(s), at));
            }
            Meaning::External(_) | Meaning::Builtin => out.push(Meaning::Builtin),
            _ => {}
        }
    }
    out
}
