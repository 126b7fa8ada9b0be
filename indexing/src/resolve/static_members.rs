//! Members that belong to a type itself and members that belong to its values, where both may have one name.

use super::definition::{Definition, Resolution};
use super::family::LanguageFamily;
use super::resolver::Resolver;
use super::tracked_snapshot::split_last_segment;
use kenning_graph::static_members::is_static_member;
use kenning_graph::{SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// Types searched for a member on one side, including base types.
const MAX_TYPES: usize = 40;

/// The module of a module whose methods the types get that include the outer one.
const CLASS_METHODS: &str = "ClassMethods";

/// Who has a member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Staticness {
    /// The type itself.
    Type,
    /// Its values.
    Value,
}

impl Staticness {
    /// Who has a member with this signature.
    pub fn from_signature(signature: &str) -> Self {
        if is_static_member(signature) { Self::Type } else { Self::Value }
    }

    /// Who has this member; `None` where it may be either: nested types, constants, enum members.
    fn from_member(member: &SymbolRef) -> Option<Self> {
        matches!(member.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field)
            .then(|| Self::from_signature(member.signature_text()))
    }

    /// Whether the target can be a member on this side.
    fn admits_definition(self, meaning: &Definition) -> bool {
        match meaning {
            Definition::Symbol(s) => Self::from_member(s).is_none_or(|own| own == self),
            _ => true,
        }
    }
}

impl<'a> Resolver<'a> {
    /// The members with this name that a type itself has, or its values. Where nothing says that there is one, all members
    /// with the name, and these are only likely targets: what assigns or mixes in members at run time is not read.
    pub(super) fn members_with_staticness(
        &self,
        ty: &SymbolRef<'a>,
        name: &str,
        side: Staticness,
    ) -> Rc<Resolution<'a>> {
        let members = self.members_of_type(ty, name);
        // In JavaScript a function can be a class.
        let has_values = ty.kind.is_type() || ty.kind == SymbolKind::Function;
        if !has_values || self.all_have_staticness(&members, side) {
            return members;
        }
        let found = self.nearest_members([*ty].into(), name, side);
        Rc::new(if !found.is_empty() {
            found
        } else if self.is_universal_member(name, side) {
            Resolution::from_builtin()
        } else {
            let answers = side == Staticness::Type && self.answers_instance_members(ty, &members);
            Resolution { likely: members.likely || !answers, ..(*members).clone() }
        })
    }

    /// Whether a type answers itself to these members, which its values have: whether it leads to a type outside of which
    /// that is known. Nothing else outside is taken to do so.
    fn answers_instance_members(&self, ty: &SymbolRef<'a>, members: &Resolution<'a>) -> bool {
        let is_public = |meaning: &Definition| {
            matches!(meaning, Definition::Symbol(s)
                if s.kind == SymbolKind::Method && s.visibility == Visibility::Public)
        };
        let answering = &self.family.language_builtins().answering;
        if answering.is_empty() || !members.meanings.iter().all(is_public) {
            return false;
        }
        let mut open = VecDeque::from([*ty]);
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(ty) = open.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(ty.id) {
                continue;
            }
            for (part, base) in self.base_entries(&ty) {
                for meaning in self.resolve_base(&part, base).meanings {
                    match meaning {
                        Definition::Symbol(base) => open.push_back(base),
                        _ if answering.contains(base.trim_start_matches('.')) => return true,
                        _ => {}
                    }
                }
            }
        }
        false
    }

    /// The members with this name that the bases of a type give to the type itself, or to its values.
    pub(super) fn inherited_with_staticness(
        &self,
        ty: &SymbolRef<'a>,
        name: &str,
        side: Staticness,
    ) -> Resolution<'a> {
        let found = self.inherited_members(ty, name);
        if self.all_have_staticness(&found, side) {
            return found;
        }
        let mut own = Resolution::not_found();
        let bases = self.collect_bases(ty, name, &mut own);
        own.extend(&self.nearest_members(bases, name, side));
        own
    }

    fn all_have_staticness(&self, found: &Resolution<'a>, side: Staticness) -> bool {
        !self.family.separates_static_members()
            || found.meanings.iter().all(|meaning| side.admits_definition(meaning))
    }

    /// The members on a side of these types and of their bases: what a type has there hides what is further up, what it
    /// has on the other side does not. Bases may lead to one another.
    fn nearest_members(
        &self,
        mut open: VecDeque<SymbolRef<'a>>,
        name: &str,
        side: Staticness,
    ) -> Resolution<'a> {
        let (mut found, mut lent) = (Resolution::not_found(), Resolution::not_found());
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(ty) = open.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(ty.id) {
                continue;
            }
            let mut own = self.own_members(&ty, name);
            // Ruby: what a module has for values is had by what it extends, which may be itself.
            let lends = self.family == LanguageFamily::Ruby && ty.kind == SymbolKind::Module;
            if lends && side == Staticness::Type && !self.is_universal_member(name, side) {
                lent.extend(&own);
            }
            own.meanings.retain(|meaning| side.admits_definition(meaning));
            if own.is_empty() {
                open.extend(self.collect_bases(&ty, name, &mut found));
            } else {
                found.extend(&own);
            }
        }
        if found.is_empty() {
            found.extend(&lent);
        }
        if found.meanings.len() > self.max_definitions() { Resolution::bound_to_unknown() } else { found }
    }

    /// The bases of a type that stand in the workspace. What bases without a name have, and that some stand outside, is
    /// added to what is found.
    fn collect_bases(
        &self,
        ty: &SymbolRef<'a>,
        name: &str,
        found: &mut Resolution<'a>,
    ) -> VecDeque<SymbolRef<'a>> {
        let mut bases = VecDeque::new();
        for base in &self.resolve_bases(ty).meanings {
            match base {
                Definition::Symbol(base) | Definition::Instance(base) => bases.push_back(*base),
                Definition::Shaped(_) => {
                    let shaped = self.with_depth_limit(|| {
                        self.resolve_member(&Resolution::from_definitions(vec![base.clone()]), name)
                    });
                    found.extend(&shaped.unwrap_or_default());
                }
                Definition::External(_) | Definition::Builtin => found.opaque = true,
                _ => {}
            }
        }
        bases
    }

    /// Whether the language gives every type a member with this name.
    fn is_universal_member(&self, name: &str, side: Staticness) -> bool {
        side == Staticness::Type && self.family.language_builtins().of_types.contains(name)
    }

    /// Whether this name gives the type of a value: `order.class`, `order.constructor`. A constructor is no member; what is
    /// known by an interface is of a type with another name.
    pub(super) fn is_type_query(&self, ty: &SymbolRef<'a>, name: &str) -> bool {
        let constructs = |meaning: &Definition| matches!(meaning, Definition::Symbol(s) if s.kind == SymbolKind::Constructor);
        let other = match ty.kind {
            SymbolKind::Interface | SymbolKind::TypeAlias => true,
            SymbolKind::Module => self.family != LanguageFamily::Ruby,
            _ => false,
        };
        !other
            && self.family.language_builtins().type_of.contains(name)
            && self.members_of_type(ty, name).meanings.iter().all(constructs)
    }

    /// The members with this name that a module gives to the types that include it, or that the modules give which it includes
    /// itself: those in the block of its `class_methods`, and those of its `ClassMethods`, which these types are extended by
    /// (`ActiveSupport::Concern`, and the older `base.extend(ClassMethods)`).
    pub(super) fn includer_members(&self, module: &SymbolRef<'a>, name: &str) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        let mut open = VecDeque::from([*module]);
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(module) = open.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(module.id) {
                continue;
            }
            let mut given = self.own_members(&module, name);
            given.meanings.retain(|meaning| Staticness::Type.admits_definition(meaning));
            for nested in &self.own_members(&module, CLASS_METHODS).meanings {
                if let Definition::Symbol(nested) = nested
                    && nested.kind == SymbolKind::Module
                {
                    let mut own = self.own_members(nested, name);
                    own.meanings.retain(|meaning| Staticness::Value.admits_definition(meaning));
                    given.extend(&own);
                }
            }
            if given.is_empty() {
                open.extend(self.collect_bases(&module, name, &mut found));
            } else {
                found.extend(&given);
            }
        }
        // Where nothing is found, what includes the module may have it as well as what stands outside.
        found.opaque = false;
        if found.meanings.len() > self.max_definitions() { Resolution::bound_to_unknown() } else { found }
    }

    /// Whether what was found by this name is the type that a value was asked for.
    pub(super) fn is_type_of_value(&self, name: &str, found: &Resolution<'a>) -> bool {
        let is_type = |meaning: &Definition| match meaning {
            Definition::Symbol(s) => s.kind.is_type(),
            Definition::Includer(_) => true,
            _ => false,
        };
        self.family.language_builtins().type_of.contains(name) && found.meanings.iter().all(is_type)
    }
}

/// What a value of a type gives that is asked for its type: what is known by a mixed-in module is of a type with another name.
pub(super) fn type_of_value<'a>(ty: &SymbolRef<'a>) -> Definition<'a> {
    if ty.kind == SymbolKind::Module { Definition::Includer(*ty) } else { Definition::Symbol(*ty) }
}

/// Of the members with one name that a type has on both sides, keeps those on this one.
pub(super) fn keep_staticness(members: &mut Vec<SymbolRef>, side: Staticness) {
    let on_side = |s: &SymbolRef| Staticness::from_signature(s.signature_text()) == side;
    let both: FxHashSet<(&str, &str)> =
        members.iter().filter(|s| on_side(s)).map(|s| (s.path, s.container)).collect();
    members.retain(|s| on_side(s) || !both.contains(&(s.path, s.container)));
}

/// Who is asked for a member where only the name of a receiver is known: types have names with capitals, or are asked for.
pub(super) fn staticness_by_name(family: LanguageFamily, receiver: &str) -> Staticness {
    let (_, last) = split_last_segment(receiver);
    let is_type = last.starts_with(char::is_uppercase) && !last.contains('(');
    let is_asked = || family.language_builtins().type_of.contains(last.trim_end_matches("()"));
    if is_type || is_asked() { Staticness::Type } else { Staticness::Value }
}
