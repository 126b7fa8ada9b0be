//! Values of types without a name: collections, tuples, functions, and what is taken of them.

use super::family::Family;
use super::meaning::{Found, MAX_MEANINGS, Meaning, Place, Shaped};
use super::notation::{Part, Segment, alternatives, segments};
use super::resolver::Resolver;
use super::shapes::{Shape, field, shape};
use super::sides::Side;
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// Segments of a path that are followed, in families where most receivers have no declared types.
const MAX_SEGMENTS: usize = 8;

impl<'a> Resolver<'a> {
    /// The values of a type expression that stands at a place, with their structure.
    pub(super) fn typed(&self, place: Place, text: &str) -> Found<'a> {
        self.deeper(|| self.typed_fresh(place, text)).unwrap_or_default()
    }

    fn typed_fresh(&self, place: Place, text: &str) -> Found<'a> {
        let mut found = Found::nothing();
        match shape(text, self.family) {
            Shape::Named(path) => {
                if matches!(path, "Self" | "t.Self" | "typing.Self") && self.family == Family::Python {
                    return self
                        .enclosing_type(place)
                        .map_or_else(Found::nothing, |ty| Found::of(vec![Meaning::Instance(ty)]));
                }
                for meaning in self.type_path(place, path).meanings {
                    match meaning {
                        Meaning::Symbol(s) if s.kind.is_type() => found.push(Meaning::Instance(s)),
                        outside if self.is_untyped(path, &outside) => {}
                        Meaning::External(_) | Meaning::Builtin => found.push(meaning),
                        _ => {}
                    }
                }
            }
            Shape::Class(inner) => {
                for meaning in self.typed(place, inner).meanings {
                    found.push(match meaning {
                        Meaning::Instance(s) => Meaning::Symbol(s),
                        other => other,
                    });
                }
            }
            Shape::Union(parts) => {
                for part in parts.into_iter().take(MAX_MEANINGS) {
                    found.extend(&self.typed(place, part));
                }
            }
            Shape::Collection { .. } | Shape::Tuple(_) | Shape::Function(_) | Shape::Struct(_) => {
                found.push(Meaning::Shaped(Rc::new(Shaped {
                    path: place.path.to_owned(),
                    container: place.container.to_owned(),
                    text: text.to_owned(),
                })));
            }
            Shape::None => {}
        }
        found
    }

    /// What a path stands for: `first` says it of its first name, `held` of what the variables in it hold.
    pub(super) fn follow(
        &self,
        path: &str,
        place: Place,
        first: &dyn Fn(&str) -> Found<'a>,
        held: &dyn Fn(&Found<'a>) -> Found<'a>,
    ) -> Found<'a> {
        let mut out = Found::nothing();
        for path in alternatives(path) {
            if path.is_empty() || path.contains('?') {
                continue;
            }
            let segments = segments(path);
            let typed = matches!(self.family, Family::Rust | Family::Java | Family::CSharp);
            if segments.len() > MAX_SEGMENTS && !typed {
                out.extend(&Found::bound());
                continue;
            }
            let mut found = Found::nothing();
            for (at, segment) in segments.iter().enumerate() {
                found = match segment.type_text() {
                    Some(text) if at == 0 => self.type_of_text(place, text),
                    _ if at == 0 => first(segment.name),
                    _ => self.path_step(&found, segment.name, held),
                };
                found = self.parts(found, segment, held);
            }
            out.extend(&found);
        }
        out
    }

    fn parts(
        &self,
        mut found: Found<'a>,
        segment: &Segment,
        held: &dyn Fn(&Found<'a>) -> Found<'a>,
    ) -> Found<'a> {
        for &part in &segment.parts {
            found = match part {
                // Ruby: the class that a call of `class` gives is none that is called itself.
                Part::Called if self.is_type_asked(segment.name, &found) => found,
                Part::Called => self.called(&found),
                _ => self.part(&held(&found), part),
            };
        }
        found
    }

    /// The value of an expression that stands in a file without local names around it.
    pub(super) fn value_at(&self, place: Place, path: &str) -> Found<'a> {
        let first = |name: &str| {
            let word = self.family == Family::Python && matches!(name, "self" | "cls" | "super");
            if !word {
                return (*self.lookup(place, name)).clone();
            }
            let Some(ty) = self.enclosing_type(place) else { return Found::bound() };
            Found::of(vec![match name {
                "self" => Meaning::Instance(ty),
                "cls" => Meaning::Symbol(ty),
                _ => Meaning::Super(ty, Side::Value),
            }])
        };
        let held = |found: &Found<'a>| self.held(found);
        self.held(&self.follow(path, place, &first, &held))
    }

    /// Variables, fields and the like replaced by what they hold.
    pub(super) fn held(&self, found: &Found<'a>) -> Found<'a> {
        let mut out = Found { meanings: Vec::new(), ..*found };
        for meaning in &found.meanings {
            match meaning {
                Meaning::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                    out.extend(&self.value_of(s));
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    /// A part of each of these values.
    pub(super) fn part(&self, found: &Found<'a>, part: Part) -> Found<'a> {
        let run = || {
            let mut out = Found::bound();
            for meaning in found.meanings.iter().take(MAX_MEANINGS) {
                out.extend(&self.part_of(meaning, part));
            }
            out
        };
        self.deeper(run).unwrap_or_else(Found::bound)
    }

    fn part_of(&self, meaning: &Meaning<'a>, part: Part) -> Found<'a> {
        match meaning {
            Meaning::Shaped(shaped) => self.part_of_shape(shaped, part),
            Meaning::Instance(s) if s.kind == SymbolKind::TypeAlias => self.part(&self.underlying(s), part),
            _ if self.family == Family::Rust => self.part_in_rust(meaning, part),
            Meaning::Instance(s) if self.family == Family::Python => self.part_of_object(meaning, s, part),
            Meaning::Collection(s, levels) if part != Part::Key => {
                Found::of(vec![Meaning::collected(*s, levels.inner())])
            }
            Meaning::Symbol(s) if s.kind.is_type() && part == Part::Index && self.family == Family::Ruby => {
                self.made_in_brackets(s)
            }
            // `Box[int]` is `Box`; the values of an enum are its members.
            Meaning::Symbol(s) if s.kind.is_type() && part == Part::Index => Found::of(vec![meaning.clone()]),
            Meaning::Symbol(s) if s.kind.is_type() && part == Part::Each => {
                Found::of(vec![Meaning::Instance(*s)])
            }
            Meaning::External(_) | Meaning::Builtin => Found::builtin(),
            _ => Found::nothing(),
        }
    }

    /// Ruby: `Order[...]` is what its method `[]` gives, by convention one of its values.
    fn made_in_brackets(&self, ty: &SymbolRef<'a>) -> Found<'a> {
        let own = self.members_of(ty, "[]", Side::Type);
        if own.is_empty() || own.likely { Found::of(vec![Meaning::Instance(*ty)]) } else { self.called(&own) }
    }

    /// Rust: the first component is what a function gets that is given to a method of a collection, the second the second
    /// part of such a pair, the third what a function gets that is given to a method that an `Option` has as well.
    fn part_in_rust(&self, meaning: &Meaning<'a>, part: Part) -> Found<'a> {
        let instance = |s: &SymbolRef<'a>| Found::of(vec![Meaning::Instance(*s)]);
        match (meaning, part) {
            (Meaning::Collection(s, levels), _) => {
                let gives = match part {
                    Part::Index => true,
                    Part::Component(1) => levels.holds_pairs(),
                    Part::Each | Part::Component(0) => !levels.holds_pairs(),
                    _ => false,
                };
                let held = gives.then(|| Meaning::collected(*s, levels.inner()));
                held.map_or_else(Found::nothing, |held| Found::of(vec![held]))
            }
            (Meaning::Instance(s), Part::Each | Part::Component(0 | 2)) => {
                let next = self.members(s, "next");
                if !next.is_empty() {
                    return self.called(&next);
                }
                // What an `Option` holds stands for it, unless it has such methods itself.
                let own =
                    self.family.builtins().giving_held.iter().any(|name| !self.members(s, name).is_empty());
                if part == Part::Component(2) && !own {
                    return instance(s);
                }
                Found::nothing()
            }
            (Meaning::Symbol(s), Part::Each) if s.kind.is_type() => instance(s),
            (Meaning::External(_) | Meaning::Builtin, Part::Index | Part::Each) => Found::builtin(),
            _ => Found::nothing(),
        }
    }

    /// What a defined type is made of.
    pub(super) fn underlying(&self, alias: &SymbolRef<'a>) -> Found<'a> {
        self.type_of_text(Place { path: alias.path, container: alias.container }, alias.ty())
    }

    fn part_of_shape(&self, shaped: &Shaped, part: Part) -> Found<'a> {
        let place = Place { path: &shaped.path, container: &shaped.container };
        match (shape(&shaped.text, self.family), part) {
            (Shape::Function(result), Part::Called) => self.typed(place, result),
            (Shape::Tuple(parts), Part::Component(at)) => {
                parts.get(at).map_or_else(Found::nothing, |text| self.typed(place, text))
            }
            (Shape::Tuple(parts), Part::Each) => {
                let mut out = Found::nothing();
                parts.iter().take(MAX_MEANINGS).for_each(|text| out.extend(&self.typed(place, text)));
                out
            }
            (Shape::Collection { index, .. }, Part::Index) => self.typed(place, index),
            (Shape::Collection { each, .. }, Part::Each | Part::Component(_) | Part::Entered) => {
                self.typed(place, each)
            }
            (Shape::Collection { key, .. }, Part::Key) => self.typed(place, key),
            _ => Found::nothing(),
        }
    }

    /// Python: what the special methods of an object give.
    fn part_of_object(&self, meaning: &Meaning<'a>, ty: &SymbolRef<'a>, part: Part) -> Found<'a> {
        let names: &[&str] = match part {
            Part::Called => &["__call__"],
            Part::Index => &["__getitem__"],
            Part::Each | Part::Component(_) => &["__iter__", "__aiter__"],
            Part::Entered => &["__enter__", "__aenter__"],
            Part::Key => return Found::nothing(),
        };
        for name in names {
            let members = self.members(ty, name);
            if members.is_empty() {
                if members.opaque {
                    return Found::builtin();
                }
                continue;
            }
            let given = self.called(&members);
            return match part {
                Part::Each | Part::Component(_) if given.meanings.contains(meaning) => {
                    let next = self.members(ty, "__next__");
                    self.called(&next)
                }
                Part::Each | Part::Component(_) => self.part(&given, Part::Each),
                _ => given,
            };
        }
        Found::nothing()
    }

    /// A member of a value of a type without a name.
    pub(super) fn shaped_member(&self, shaped: &Rc<Shaped>, name: &str) -> Found<'a> {
        if self.family != Family::Python {
            let Shape::Struct(fields) = shape(&shaped.text, self.family) else { return Found::builtin() };
            let place = Place { path: &shaped.path, container: &shaped.container };
            return match field(fields, name) {
                Some(ty) => Found { bound: true, ..self.typed(place, ty) },
                None => Found::builtin(),
            };
        }
        let Shape::Collection { index, each, key } = shape(&shaped.text, self.family) else {
            return Found::builtin();
        };
        let with = |text: String| {
            let shaped = Shaped { text, ..(**shaped).clone() };
            Found::of(vec![Meaning::Shaped(Rc::new(shaped))])
        };
        // A method of it: a function with the result that the method has.
        match (name, key.is_empty()) {
            ("get" | "pop" | "setdefault", false) | ("pop" | "popleft" | "__getitem__", true) => {
                with(format!("Callable[[], {index}]"))
            }
            ("items", false) => with(format!("Callable[[], list[tuple[{key}, {index}]]]")),
            ("values", false) => with(format!("Callable[[], list[{index}]]")),
            ("keys", false) => with(format!("Callable[[], list[{each}]]")),
            ("copy", _) => with(format!("Callable[[], {}]", shaped.text.trim_matches(['"', '\'']))),
            _ => Found::builtin(),
        }
    }
}
