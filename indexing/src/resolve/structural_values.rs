//! Values of structural types in Go and Python: collections, tuples, functions.
//!
//! A structural type has no name, so its values are `Definition::Structural` with the text of the
//! type. `follow_path` resolves a path segment by segment; `part_of_values` returns a part of a
//! value: an element, a key, a component, a call result.

use super::definition::{Definition, LocatedType, LookupScope, MAX_DEFINITIONS, Resolution};
use super::lang;
use super::lang::type_ref::{TypeRef, find_field_type, parse_type_ref};
use super::path_notation::{PathSegment, ValuePart, parse_segments, split_alternatives};
use super::resolver::Resolver;
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// Maximum number of segments of a path that is followed. Fluent interfaces chain dozens of calls.
/// Does not apply to Rust, Java and C#, where most receivers have a declared type.
const MAX_SEGMENTS: usize = 8;

impl<'a> Resolver<'a> {
    /// Returns the values of the type expression `text` in `scope`, structural ones included.
    pub(super) fn resolve_structural_type(&self, scope: LookupScope, text: &str) -> Resolution<'a> {
        self.with_depth_limit(|| self.resolve_structural_type_uncached(scope, text)).unwrap_or_default()
    }

    fn resolve_structural_type_uncached(&self, scope: LookupScope, text: &str) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        match parse_type_ref(text, self.family) {
            TypeRef::Named(path) => {
                if self.family.is_self_type(path) {
                    return self.enclosing_type(scope).map_or_else(Resolution::not_found, |ty| {
                        Resolution::from_definitions(vec![Definition::Instance(ty)])
                    });
                }
                for definition in self.resolve_type_path(scope, path).definitions {
                    match definition {
                        Definition::Symbol(s) if s.kind.is_type() => found.push(Definition::Instance(s)),
                        external if self.is_dynamic_type(path, &external) => {}
                        Definition::External(_) | Definition::Builtin => found.push(definition),
                        _ => {}
                    }
                }
            }
            TypeRef::Class(inner) => {
                for definition in self.resolve_structural_type(scope, inner).definitions {
                    found.push(match definition {
                        Definition::Instance(s) => Definition::Symbol(s),
                        other => other,
                    });
                }
            }
            TypeRef::Union(parts) => {
                for part in parts.into_iter().take(MAX_DEFINITIONS) {
                    found.extend(&self.resolve_structural_type(scope, part));
                }
            }
            TypeRef::Collection { .. } | TypeRef::Tuple(_) | TypeRef::Function(_) | TypeRef::Struct(_) => {
                found.push(Definition::Structural(Rc::new(LocatedType {
                    path: scope.path.to_owned(),
                    container: scope.container.to_owned(),
                    text: text.to_owned(),
                })));
            }
            TypeRef::None => {}
        }
        found
    }

    /// Resolves a path. `resolve_first` resolves its first name; `read_values` replaces variables
    /// with their values.
    pub(super) fn follow_path(
        &self,
        path: &str,
        scope: LookupScope,
        resolve_first: &dyn Fn(&str) -> Resolution<'a>,
        read_values: &dyn Fn(&Resolution<'a>) -> Resolution<'a>,
    ) -> Resolution<'a> {
        let mut out = Resolution::not_found();
        for path in split_alternatives(path) {
            if path.is_empty() || path.contains('?') {
                continue;
            }
            let segments = parse_segments(path);
            if segments.len() > MAX_SEGMENTS && !self.family.states_value_types() {
                out.extend(&Resolution::bound_to_unknown());
                continue;
            }
            let mut found = Resolution::not_found();
            for (at, segment) in segments.iter().enumerate() {
                let receivers = self.receivers_of_segment((at > 0).then_some(&found), scope, read_values);
                found = match segment.type_text() {
                    Some(text) if at == 0 => self.resolve_type_text(scope, text),
                    _ if at == 0 => resolve_first(segment.name),
                    _ => self.resolve_path_segment(&found, segment.name, read_values),
                };
                found = self.apply_parts(found, segment, &receivers, read_values);
            }
            out.extend(&found);
        }
        out
    }

    /// Applies the parts of a segment (`()`, `[]`, ...) to its values, one after another.
    /// `receivers` are the values on which the segment is called.
    fn apply_parts(
        &self,
        mut found: Resolution<'a>,
        segment: &PathSegment,
        receivers: &[Definition<'a>],
        read_values: &dyn Fn(&Resolution<'a>) -> Resolution<'a>,
    ) -> Resolution<'a> {
        for &part in &segment.parts {
            found = match part {
                // `order.class` is the class itself, not an instance of it.
                ValuePart::CallResult if self.is_type_of_value(segment.name, &found) => found,
                ValuePart::CallResult => self.call_results_on(&found, receivers),
                ValuePart::ClosureArgument(position) => self.closure_argument(&found, position),
                _ => self.part_of_values(&read_values(&found), part),
            };
        }
        found
    }

    /// Returns the value of an expression in `scope`, without the local names of functions.
    pub(super) fn resolve_value_path(&self, scope: LookupScope, path: &str) -> Resolution<'a> {
        let resolve_first = |name: &str| {
            lang::resolve_receiver_of_value(self, scope, name)
                .unwrap_or_else(|| (*self.lookup_name(scope, name)).clone())
        };
        let read_values = |found: &Resolution<'a>| self.read_values(found);
        let follow = || self.follow_path(path, scope, &resolve_first, &read_values);
        self.read_values(&self.with_nesting_limit(follow).unwrap_or_else(Resolution::bound_to_unknown))
    }

    /// Replaces variables and fields by their values.
    pub(super) fn read_values(&self, found: &Resolution<'a>) -> Resolution<'a> {
        let mut out = Resolution { definitions: Vec::new(), ..*found };
        for definition in &found.definitions {
            match definition {
                Definition::Symbol(s) if !s.kind.is_type() && !s.kind.is_callable() => {
                    out.extend(&self.value_of_symbol(s));
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    /// Returns a part of each of these values.
    pub(super) fn part_of_values(&self, found: &Resolution<'a>, part: ValuePart) -> Resolution<'a> {
        let collect_parts = || {
            let mut out = Resolution::bound_to_unknown();
            for definition in found.definitions.iter().take(MAX_DEFINITIONS) {
                out.extend(&self.part_of_definition(definition, part));
            }
            out
        };
        self.with_depth_limit(collect_parts).unwrap_or_else(Resolution::bound_to_unknown)
    }

    /// Returns a part of one value, by the rules of its language.
    fn part_of_definition(&self, definition: &Definition<'a>, part: ValuePart) -> Resolution<'a> {
        match definition {
            Definition::Structural(structural_type) => self.part_of_type(structural_type, part),
            Definition::Instance(s) if s.kind == SymbolKind::TypeAlias => {
                self.part_of_values(&self.underlying_type(s), part)
            }
            _ => lang::part_of_special_value(self, definition, part)
                .unwrap_or_else(|| self.part_of_common_value(definition, part)),
        }
    }

    /// Returns a part of a value in languages without rules of their own for it.
    fn part_of_common_value(&self, definition: &Definition<'a>, part: ValuePart) -> Resolution<'a> {
        match definition {
            Definition::Collection(s, levels) if part != ValuePart::Key => {
                Resolution::from_definitions(vec![Definition::in_collections(*s, levels.inner_levels())])
            }
            // `Box[int]` is `Box`; the values of an enum are its members.
            Definition::Symbol(s) if s.kind.is_type() && part == ValuePart::Index => {
                Resolution::from_definitions(vec![definition.clone()])
            }
            Definition::Symbol(s) if s.kind.is_type() && part == ValuePart::Each => {
                Resolution::from_definitions(vec![Definition::Instance(*s)])
            }
            Definition::Instance(_)
                if part == ValuePart::Index && self.family.declares(|rules| rules.pointer_types) =>
            {
                Resolution::from_definitions(vec![definition.clone()])
            }
            Definition::External(_) | Definition::Builtin => Resolution::builtin(),
            _ => Resolution::not_found(),
        }
    }

    /// Returns the values of the type on which a defined type is based.
    pub(super) fn underlying_type(&self, alias: &SymbolRef<'a>) -> Resolution<'a> {
        self.resolve_type_text(
            LookupScope { path: alias.path, container: alias.container },
            alias.type_text(),
        )
    }

    /// Returns a part of the values of a structural type.
    fn part_of_type(&self, structural_type: &LocatedType, part: ValuePart) -> Resolution<'a> {
        let scope = LookupScope { path: &structural_type.path, container: &structural_type.container };
        match (parse_type_ref(&structural_type.text, self.family), part) {
            (TypeRef::Function(result), ValuePart::CallResult) => self.resolve_structural_type(scope, result),
            (TypeRef::Tuple(parts), ValuePart::Component(at)) => parts
                .get(at)
                .map_or_else(Resolution::not_found, |text| self.resolve_structural_type(scope, text)),
            (TypeRef::Tuple(parts), ValuePart::Each) => {
                let mut out = Resolution::not_found();
                parts
                    .iter()
                    .take(MAX_DEFINITIONS)
                    .for_each(|text| out.extend(&self.resolve_structural_type(scope, text)));
                out
            }
            (TypeRef::Collection { index, .. }, ValuePart::Index) => {
                self.resolve_structural_type(scope, index)
            }
            (
                TypeRef::Collection { each, .. },
                ValuePart::Each | ValuePart::Component(_) | ValuePart::EnterResult,
            ) => self.resolve_structural_type(scope, each),
            (TypeRef::Collection { key, .. }, ValuePart::Key) => self.resolve_structural_type(scope, key),
            _ => Resolution::not_found(),
        }
    }

    /// Returns a member of a value whose type has no name.
    pub(super) fn structural_member(&self, structural_type: &Rc<LocatedType>, name: &str) -> Resolution<'a> {
        if self.family.has_unnamed_structs() {
            let TypeRef::Struct(fields) = parse_type_ref(&structural_type.text, self.family) else {
                return Resolution::builtin();
            };
            let scope = LookupScope { path: &structural_type.path, container: &structural_type.container };
            return match find_field_type(fields, name) {
                Some(ty) => Resolution { is_bound: true, ..self.resolve_structural_type(scope, ty) },
                None => Resolution::builtin(),
            };
        }
        let TypeRef::Collection { index, each, key } = parse_type_ref(&structural_type.text, self.family)
        else {
            return Resolution::builtin();
        };
        let with_text = |text: String| {
            let structural_type = LocatedType { text, ..(**structural_type).clone() };
            Resolution::from_definitions(vec![Definition::Structural(Rc::new(structural_type))])
        };
        // A method is represented as a function type with the method's result.
        match (name, key.is_empty()) {
            ("get" | "pop" | "setdefault", false) | ("pop" | "popleft" | "__getitem__", true) => {
                with_text(format!("Callable[[], {index}]"))
            }
            ("items", false) => with_text(format!("Callable[[], list[tuple[{key}, {index}]]]")),
            ("values", false) => with_text(format!("Callable[[], list[{index}]]")),
            ("keys", false) => with_text(format!("Callable[[], list[{each}]]")),
            ("copy", _) => {
                with_text(format!("Callable[[], {}]", structural_type.text.trim_matches(['"', '\''])))
            }
            _ => Resolution::builtin(),
        }
    }
}
