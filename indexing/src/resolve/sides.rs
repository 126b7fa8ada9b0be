//! Members that belong to a type itself and members that belong to its values, where both may have one name.

use super::family::Family;
use super::meaning::{Found, Meaning};
use super::resolver::Resolver;
use super::view::split_last;
use kenning_graph::sides::is_static;
use kenning_graph::{SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// Types that are looked at for a member on one side, those of bases included.
const MAX_TYPES: usize = 40;

/// The module of a module whose methods the types get that include the outer one.
const CLASS_METHODS: &str = "ClassMethods";

/// Who has a member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Side {
    /// The type itself.
    Type,
    /// Its values.
    Value,
}

impl Side {
    /// Who has a member with this signature.
    pub fn of(signature: &str) -> Self {
        if is_static(signature) { Self::Type } else { Self::Value }
    }

    /// Who has this member; `None` where it may be either: nested types, constants, enum members.
    fn of_member(member: &SymbolRef) -> Option<Self> {
        matches!(member.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field)
            .then(|| Self::of(member.signature()))
    }

    /// Whether what is meant can be a member on this side.
    fn has(self, meaning: &Meaning) -> bool {
        match meaning {
            Meaning::Symbol(s) => Self::of_member(s).is_none_or(|own| own == self),
            _ => true,
        }
    }
}

impl<'a> Resolver<'a> {
    /// The members with this name that a type itself has, or its values. Where nothing says that there is one, all members
    /// with the name, and that they are meant is only likely: what assigns or mixes in members at run time is not read.
    pub(super) fn members_of(&self, ty: &SymbolRef<'a>, name: &str, side: Side) -> Rc<Found<'a>> {
        let members = self.members(ty, name);
        // In JavaScript a function can be a class.
        let has_values = ty.kind.is_type() || ty.kind == SymbolKind::Function;
        if !has_values || self.all_on(&members, side) {
            return members;
        }
        let found = self.nearest([*ty].into(), name, side);
        Rc::new(if !found.is_empty() {
            found
        } else if self.every_type_has(name, side) {
            Found::builtin()
        } else {
            let answers = side == Side::Type && self.answers_for_values(ty, &members);
            Found { likely: members.likely || !answers, ..(*members).clone() }
        })
    }

    /// Whether a type answers itself to these members, which its values have: whether it leads to a type outside of which
    /// that is known. Nothing else outside is taken to do so.
    fn answers_for_values(&self, ty: &SymbolRef<'a>, members: &Found<'a>) -> bool {
        let is_public = |meaning: &Meaning| {
            matches!(meaning, Meaning::Symbol(s)
                if s.kind == SymbolKind::Method && s.visibility == Visibility::Public)
        };
        let answering = &self.family.builtins().answering;
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
                for meaning in self.base(&part, base).meanings {
                    match meaning {
                        Meaning::Symbol(base) => open.push_back(base),
                        _ if answering.contains(base.trim_start_matches('.')) => return true,
                        _ => {}
                    }
                }
            }
        }
        false
    }

    /// The members with this name that the bases of a type give to the type itself, or to its values.
    pub(super) fn inherited_of(&self, ty: &SymbolRef<'a>, name: &str, side: Side) -> Found<'a> {
        let found = self.inherited(ty, name);
        if self.all_on(&found, side) {
            return found;
        }
        let mut own = Found::nothing();
        let bases = self.bases_into(ty, name, &mut own);
        own.extend(&self.nearest(bases, name, side));
        own
    }

    fn all_on(&self, found: &Found<'a>, side: Side) -> bool {
        !self.family.has_sides() || found.meanings.iter().all(|meaning| side.has(meaning))
    }

    /// The members on a side of these types and of their bases: what a type has there hides what is further up, what it
    /// has on the other side does not. Bases may lead to one another.
    fn nearest(&self, mut open: VecDeque<SymbolRef<'a>>, name: &str, side: Side) -> Found<'a> {
        let (mut found, mut lent) = (Found::nothing(), Found::nothing());
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(ty) = open.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(ty.id) {
                continue;
            }
            let mut own = self.own_members(&ty, name);
            // Ruby: what a module has for values is had by what it extends, which may be itself.
            let lends = self.family == Family::Ruby && ty.kind == SymbolKind::Module;
            if lends && side == Side::Type && !self.every_type_has(name, side) {
                lent.extend(&own);
            }
            own.meanings.retain(|meaning| side.has(meaning));
            if own.is_empty() {
                open.extend(self.bases_into(&ty, name, &mut found));
            } else {
                found.extend(&own);
            }
        }
        if found.is_empty() {
            found.extend(&lent);
        }
        if found.meanings.len() > self.max_meanings() { Found::bound() } else { found }
    }

    /// The bases of a type that stand in the workspace. What bases without a name have, and that some stand outside, is
    /// added to what is found.
    fn bases_into(&self, ty: &SymbolRef<'a>, name: &str, found: &mut Found<'a>) -> VecDeque<SymbolRef<'a>> {
        let mut bases = VecDeque::new();
        for base in &self.bases(ty).meanings {
            match base {
                Meaning::Symbol(base) | Meaning::Instance(base) => bases.push_back(*base),
                Meaning::Shaped(_) => {
                    let shaped = self.deeper(|| self.step(&Found::of(vec![base.clone()]), name));
                    found.extend(&shaped.unwrap_or_default());
                }
                Meaning::External(_) | Meaning::Builtin => found.opaque = true,
                _ => {}
            }
        }
        bases
    }

    /// Whether the language gives every type a member with this name.
    fn every_type_has(&self, name: &str, side: Side) -> bool {
        side == Side::Type && self.family.builtins().of_types.contains(name)
    }

    /// Whether this name gives the type of a value: `order.class`, `order.constructor`. A constructor is no member; what is
    /// known by an interface is of a type with another name.
    pub(super) fn gives_type(&self, ty: &SymbolRef<'a>, name: &str) -> bool {
        let constructs =
            |meaning: &Meaning| matches!(meaning, Meaning::Symbol(s) if s.kind == SymbolKind::Constructor);
        let other = match ty.kind {
            SymbolKind::Interface | SymbolKind::TypeAlias => true,
            SymbolKind::Module => self.family != Family::Ruby,
            _ => false,
        };
        !other
            && self.family.builtins().type_of.contains(name)
            && self.members(ty, name).meanings.iter().all(constructs)
    }

    /// The members with this name that a module gives to the types that include it, or that the modules give which it includes
    /// itself: those in the block of its `class_methods`, and those of its `ClassMethods`, which these types are extended by
    /// (`ActiveSupport::Concern`, and the older `base.extend(ClassMethods)`).
    pub(super) fn given_to_includers(&self, module: &SymbolRef<'a>, name: &str) -> Found<'a> {
        let mut found = Found::nothing();
        let mut open = VecDeque::from([*module]);
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(module) = open.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(module.id) {
                continue;
            }
            let mut given = self.own_members(&module, name);
            given.meanings.retain(|meaning| Side::Type.has(meaning));
            for nested in &self.own_members(&module, CLASS_METHODS).meanings {
                if let Meaning::Symbol(nested) = nested
                    && nested.kind == SymbolKind::Module
                {
                    let mut own = self.own_members(nested, name);
                    own.meanings.retain(|meaning| Side::Value.has(meaning));
                    given.extend(&own);
                }
            }
            if given.is_empty() {
                open.extend(self.bases_into(&module, name, &mut found));
            } else {
                found.extend(&given);
            }
        }
        // Where nothing is found, what includes the module may have it as well as what stands outside.
        found.opaque = false;
        if found.meanings.len() > self.max_meanings() { Found::bound() } else { found }
    }

    /// Whether what was found by this name is the type that a value was asked for.
    pub(super) fn is_type_asked(&self, name: &str, found: &Found<'a>) -> bool {
        let is_type = |meaning: &Meaning| match meaning {
            Meaning::Symbol(s) => s.kind.is_type(),
            Meaning::Includer(_) => true,
            _ => false,
        };
        self.family.builtins().type_of.contains(name) && found.meanings.iter().all(is_type)
    }
}

/// What a value of a type gives that is asked for its type: what is known by a mixed-in module is of a type with another name.
pub(super) fn type_of_value<'a>(ty: &SymbolRef<'a>) -> Meaning<'a> {
    if ty.kind == SymbolKind::Module { Meaning::Includer(*ty) } else { Meaning::Symbol(*ty) }
}

/// Of the members with one name that a type has on both sides, keeps those on this one.
pub(super) fn keep_side(members: &mut Vec<SymbolRef>, side: Side) {
    let on_side = |s: &SymbolRef| Side::of(s.signature()) == side;
    let both: FxHashSet<(&str, &str)> =
        members.iter().filter(|s| on_side(s)).map(|s| (s.path, s.container)).collect();
    members.retain(|s| on_side(s) || !both.contains(&(s.path, s.container)));
}

/// Who is asked for a member where only the name of a receiver is known: types have names with capitals, or are asked for.
pub(super) fn side_by_name(family: Family, receiver: &str) -> Side {
    let (_, last) = split_last(receiver);
    let is_type = last.starts_with(char::is_uppercase) && !last.contains('(');
    let is_asked = || family.builtins().type_of.contains(last.trim_end_matches("()"));
    if is_type || is_asked() { Side::Type } else { Side::Value }
}
