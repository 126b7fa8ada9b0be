//! Members that belong to a type itself and members that belong to its values, where both may have one name.

use super::family::Family;
use super::meaning::{Found, Meaning};
use super::resolver::Resolver;
use kenning_graph::sides::is_static;
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

/// Who has a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
}

impl<'a> Resolver<'a> {
    /// The members with this name that a type itself has, or its values. Where nothing says that there is one, all members
    /// with the name: what assigns or mixes in members at run time is not read.
    pub(super) fn members_of(&self, ty: &SymbolRef<'a>, name: &str, side: Side) -> Rc<Found<'a>> {
        let members = self.members(ty, name);
        if !matches!(self.family, Family::Script | Family::Ruby) || !ty.kind.is_type() {
            return members;
        }
        let fits = |meaning: &Meaning<'a>| match meaning {
            Meaning::Symbol(s) => Side::of_member(s).is_none_or(|own| own == side),
            _ => true,
        };
        if members.meanings.iter().all(fits) {
            return members;
        }
        let fitting = |found: &Found<'a>| {
            let mut found = found.clone();
            found.meanings.retain(fits);
            Some(found).filter(|found| !found.is_empty())
        };
        // A member of the other side hides none of the bases.
        let found = fitting(&members).or_else(|| fitting(&self.inherited(ty, name)));
        found.map_or(members, Rc::new)
    }
}
