//! Static and instance members: chooses between members with the same name that belong to a type
//! itself and to its values.
//!
//! A lookup takes a `Staticness`. It searches the type and then its bases; a member of the other
//! staticness hides nothing. If no member of the requested staticness is found, all members with
//! the name are returned as likely targets, because programs also assign and mix in members at run
//! time.

use super::definition::{Definition, Resolution};
use super::lang::family::LanguageFamily;
use super::resolver::Resolver;
use super::tracked_snapshot::split_last_segment;
use kenning_graph::static_members::is_static_member;
use kenning_graph::{SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// Maximum number of types searched for one member, including base types. Generated types can have
/// more, and broken code can have cycles.
pub(super) const MAX_TYPES: usize = 40;

/// The owner of a member: the type or its values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Staticness {
    /// The type itself: a static member.
    Static,
    /// The values of the type: an instance member.
    Instance,
}

impl Staticness {
    /// Returns the staticness of a member with this signature.
    pub fn from_signature(signature: &str) -> Self {
        if is_static_member(signature) { Self::Static } else { Self::Instance }
    }

    /// Returns the staticness of a member. Returns `None` if both are possible: nested types,
    /// constants, enum members.
    fn from_member(member: &SymbolRef) -> Option<Self> {
        matches!(member.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field)
            .then(|| Self::from_signature(member.signature_text()))
    }

    /// Whether a definition can be a member with this staticness.
    pub(super) fn admits_definition(self, definition: &Definition) -> bool {
        match definition {
            Definition::Symbol(s) => Self::from_member(s).is_none_or(|staticness| staticness == self),
            _ => true,
        }
    }
}

impl<'a> Resolver<'a> {
    /// Returns the members with this name and this staticness. If the type has no such member,
    /// returns a builtin if the language gives the member to every type. Otherwise returns all
    /// members with the name, marked as likely unless the type responds to the members of its
    /// values: a program may assign or mix in the requested member at run time.
    pub(super) fn members_with_staticness(
        &self,
        ty: &SymbolRef<'a>,
        name: &str,
        staticness: Staticness,
    ) -> Rc<Resolution<'a>> {
        let members = self.members_of_type(ty, name);
        // A function can be a class.
        let has_instances = ty.kind.is_type() || ty.kind == SymbolKind::Function;
        if !has_instances || self.all_have_staticness(&members, staticness) {
            return members;
        }
        let found = self.nearest_members([*ty].into(), name, staticness);
        Rc::new(if !found.is_empty() {
            found
        } else if self.is_universal_member(name, staticness) {
            Resolution::builtin()
        } else {
            let responds =
                staticness == Staticness::Static && self.responds_to_instance_members(ty, &members);
            Resolution { is_likely: members.is_likely || !responds, ..(*members).clone() }
        })
    }

    /// Whether a type itself responds to the members of its values, as a mailer class does: whether
    /// `builtins.toml` lists one of its supertypes in `instance_forwarding_types`.
    fn responds_to_instance_members(&self, ty: &SymbolRef<'a>, members: &Resolution<'a>) -> bool {
        let is_public = |definition: &Definition| {
            matches!(definition, Definition::Symbol(s)
                if s.kind == SymbolKind::Method && s.visibility == Visibility::Public)
        };
        let forwarding_types = &self.family.language_builtins().instance_forwarding_types;
        if forwarding_types.is_empty() || !members.definitions.iter().all(is_public) {
            return false;
        }
        let mut queue = VecDeque::from([*ty]);
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(ty) = queue.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(ty.id) {
                continue;
            }
            for (part, base) in self.base_entries(&ty) {
                for definition in self.resolve_base(&part, base).definitions {
                    match definition {
                        Definition::Symbol(base) => queue.push_back(base),
                        _ if forwarding_types.contains(base.trim_start_matches('.')) => return true,
                        _ => {}
                    }
                }
            }
        }
        false
    }

    /// Returns the members with this name and this staticness that a type inherits.
    pub(super) fn inherited_with_staticness(
        &self,
        ty: &SymbolRef<'a>,
        name: &str,
        staticness: Staticness,
    ) -> Resolution<'a> {
        let found = self.inherited_members(ty, name);
        if self.all_have_staticness(&found, staticness) {
            return found;
        }
        let mut members = Resolution::not_found();
        let bases = self.collect_bases(ty, name, &mut members);
        members.extend(&self.nearest_members(bases, name, staticness));
        members
    }

    fn all_have_staticness(&self, found: &Resolution<'a>, staticness: Staticness) -> bool {
        !self.family.separates_static_members()
            || found.definitions.iter().all(|definition| staticness.admits_definition(definition))
    }

    /// Returns the members with this staticness of these types and their bases. A member of a type
    /// hides members further up, unless its staticness differs. Bases may form a cycle.
    fn nearest_members(
        &self,
        mut queue: VecDeque<SymbolRef<'a>>,
        name: &str,
        staticness: Staticness,
    ) -> Resolution<'a> {
        let (mut found, mut extended) = (Resolution::not_found(), Resolution::not_found());
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(ty) = queue.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(ty.id) {
                continue;
            }
            let mut members = self.own_members(&ty, name);
            // The instance methods of a module become class methods of a type that the module
            // extends, which may be the module itself.
            let extends_types = self.family.mixes_in_modules() && ty.kind == SymbolKind::Module;
            if extends_types
                && staticness == Staticness::Static
                && !self.is_universal_member(name, staticness)
            {
                extended.extend(&members);
            }
            members.definitions.retain(|definition| staticness.admits_definition(definition));
            if members.is_empty() {
                queue.extend(self.collect_bases(&ty, name, &mut found));
            } else {
                found.extend(&members);
            }
        }
        if found.is_empty() {
            found.extend(&extended);
        }
        if found.definitions.len() > self.max_definitions() { Resolution::bound_to_unknown() } else { found }
    }

    /// Returns the bases of a type that are in the workspace. Adds the members of unnamed bases to
    /// `found`, and sets `has_unknown_members` if some bases are outside.
    pub(super) fn collect_bases(
        &self,
        ty: &SymbolRef<'a>,
        name: &str,
        found: &mut Resolution<'a>,
    ) -> VecDeque<SymbolRef<'a>> {
        let mut bases = VecDeque::new();
        for base in &self.resolve_bases(ty).definitions {
            match base {
                Definition::Symbol(base) | Definition::Instance(base) => bases.push_back(*base),
                Definition::Structural(_) => {
                    let unnamed_members = self.with_depth_limit(|| {
                        self.resolve_member(&Resolution::from_definitions(vec![base.clone()]), name)
                    });
                    found.extend(&unnamed_members.unwrap_or_default());
                }
                Definition::External(_) | Definition::Builtin => found.has_unknown_members = true,
                _ => {}
            }
        }
        bases
    }

    /// Whether the language gives every type a member with this name.
    fn is_universal_member(&self, name: &str, staticness: Staticness) -> bool {
        staticness == Staticness::Static && self.family.language_builtins().type_members.contains(name)
    }

    /// Whether this name returns the type of a value: `order.class`, `order.constructor`. A
    /// constructor does not count as a member. A value known only by an interface has a type with
    /// another name.
    pub(super) fn is_type_query(&self, ty: &SymbolRef<'a>, name: &str) -> bool {
        let is_constructor = |definition: &Definition| matches!(definition, Definition::Symbol(s) if s.kind == SymbolKind::Constructor);
        let has_other_name = match ty.kind {
            SymbolKind::Interface | SymbolKind::TypeAlias => true,
            SymbolKind::Module => !self.family.mixes_in_modules(),
            _ => false,
        };
        !has_other_name
            && self.family.language_builtins().type_of.contains(name)
            && self.members_of_type(ty, name).definitions.iter().all(is_constructor)
    }

    /// Whether a lookup of this name returned the type of a value.
    pub(super) fn is_type_of_value(&self, name: &str, found: &Resolution<'a>) -> bool {
        let is_type = |definition: &Definition| match definition {
            Definition::Symbol(s) => s.kind.is_type(),
            Definition::Includer(_) => true,
            _ => false,
        };
        self.family.language_builtins().type_of.contains(name) && found.definitions.iter().all(is_type)
    }
}

/// Returns the type of a value of `ty`. A value known only by a mixed-in module has a type with
/// another name.
pub(super) fn type_of_value<'a>(ty: &SymbolRef<'a>) -> Definition<'a> {
    if ty.kind == SymbolKind::Module { Definition::Includer(*ty) } else { Definition::Symbol(*ty) }
}

/// In each type that has members with this staticness, drops the members with the other.
pub(super) fn keep_staticness(members: &mut Vec<SymbolRef>, staticness: Staticness) {
    let matches = |s: &SymbolRef| Staticness::from_signature(s.signature_text()) == staticness;
    let types_with_match: FxHashSet<(&str, &str)> =
        members.iter().filter(|s| matches(s)).map(|s| (s.path, s.container)).collect();
    members.retain(|s| matches(s) || !types_with_match.contains(&(s.path, s.container)));
}

/// Guesses the staticness of a member access from the receiver's name. The receiver is a type if
/// its name is capitalized or returns the type of a value (`order.class`).
pub(super) fn staticness_by_name(family: LanguageFamily, receiver: &str) -> Staticness {
    let (_, last) = split_last_segment(receiver);
    let is_type = last.starts_with(char::is_uppercase) && !last.contains('(');
    let is_type_query = || family.language_builtins().type_of.contains(last.trim_end_matches("()"));
    if is_type || is_type_query() { Staticness::Static } else { Staticness::Instance }
}
