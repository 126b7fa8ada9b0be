//! Static and instance members: chooses between members of one name that belong to a type itself
//! and to its values.
//!
//! A lookup takes a `Staticness`. It searches the type and then its bases; a member of the other
//! staticness hides nothing. If no member of the requested staticness is found, all members with
//! the name are returned as likely targets, because programs also assign and mix in members at run
//! time.

use super::definition::{Definition, Resolution};
use super::family::LanguageFamily;
use super::resolver::Resolver;
use super::tracked_snapshot::split_last_segment;
use kenning_graph::static_members::is_static_member;
use kenning_graph::{SymbolId, SymbolKind, SymbolRef, Visibility};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// Types searched for a member, base types included.
const MAX_TYPES: usize = 40;

/// The module in a Ruby module whose methods become class methods of the types that include the
/// outer module.
const CLASS_METHODS: &str = "ClassMethods";

/// The owner of a member: the type or its values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Staticness {
    /// The type itself: a static member.
    Type,
    /// The values of the type: an instance member.
    Value,
}

impl Staticness {
    /// Returns the staticness of a member with this signature.
    pub fn from_signature(signature: &str) -> Self {
        if is_static_member(signature) { Self::Type } else { Self::Value }
    }

    /// Returns the staticness of a member. Returns `None` if both are possible: nested types,
    /// constants, enum members.
    fn from_member(member: &SymbolRef) -> Option<Self> {
        matches!(member.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field)
            .then(|| Self::from_signature(member.signature_text()))
    }

    /// Whether a definition can be a member with this staticness.
    fn admits_definition(self, definition: &Definition) -> bool {
        match definition {
            Definition::Symbol(s) => Self::from_member(s).is_none_or(|own| own == self),
            _ => true,
        }
    }
}

impl<'a> Resolver<'a> {
    /// Returns the members with this name that the type itself has, or its values. Returns a
    /// builtin if the type has no such member but the language gives one to every type. Otherwise
    /// returns all members with the name, and marks them as likely only, because members that a
    /// program assigns or mixes in at run time are not read. The mark is omitted if the type is
    /// known to respond to the members of its values.
    pub(super) fn members_with_staticness(
        &self,
        ty: &SymbolRef<'a>,
        name: &str,
        staticness: Staticness,
    ) -> Rc<Resolution<'a>> {
        let members = self.members_of_type(ty, name);
        // In JavaScript a function can be a class.
        let has_values = ty.kind.is_type() || ty.kind == SymbolKind::Function;
        if !has_values || self.all_have_staticness(&members, staticness) {
            return members;
        }
        let found = self.nearest_members([*ty].into(), name, staticness);
        Rc::new(if !found.is_empty() {
            found
        } else if self.is_universal_member(name, staticness) {
            Resolution::from_builtin()
        } else {
            let answers = staticness == Staticness::Type && self.answers_instance_members(ty, &members);
            Resolution { likely: members.likely || !answers, ..(*members).clone() }
        })
    }

    /// Whether a type itself responds to members that its values have. This is the case if one of
    /// its supertypes is a type outside the workspace that is known to do so; no other type outside
    /// is assumed to.
    fn answers_instance_members(&self, ty: &SymbolRef<'a>, members: &Resolution<'a>) -> bool {
        let is_public = |definition: &Definition| {
            matches!(definition, Definition::Symbol(s)
                if s.kind == SymbolKind::Method && s.visibility == Visibility::Public)
        };
        let answering = &self.family.language_builtins().answering;
        if answering.is_empty() || !members.definitions.iter().all(is_public) {
            return false;
        }
        let mut open = VecDeque::from([*ty]);
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(ty) = open.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(ty.id) {
                continue;
            }
            for (part, base) in self.base_entries(&ty) {
                for definition in self.resolve_base(&part, base).definitions {
                    match definition {
                        Definition::Symbol(base) => open.push_back(base),
                        _ if answering.contains(base.trim_start_matches('.')) => return true,
                        _ => {}
                    }
                }
            }
        }
        false
    }

    /// Returns the members with this name that the bases of a type give to the type itself, or to
    /// its values.
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
        let mut own = Resolution::not_found();
        let bases = self.collect_bases(ty, name, &mut own);
        own.extend(&self.nearest_members(bases, name, staticness));
        own
    }

    fn all_have_staticness(&self, found: &Resolution<'a>, staticness: Staticness) -> bool {
        !self.family.separates_static_members()
            || found.definitions.iter().all(|definition| staticness.admits_definition(definition))
    }

    /// Returns the members with this staticness of these types and their bases. A member of a type
    /// hides members further up, unless its staticness differs. Bases may form a cycle.
    fn nearest_members(
        &self,
        mut open: VecDeque<SymbolRef<'a>>,
        name: &str,
        staticness: Staticness,
    ) -> Resolution<'a> {
        let (mut found, mut lent) = (Resolution::not_found(), Resolution::not_found());
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        while let Some(ty) = open.pop_front() {
            if seen.len() >= MAX_TYPES || !seen.insert(ty.id) {
                continue;
            }
            let mut own = self.own_members(&ty, name);
            // In Ruby, the instance methods of a module are also class methods of what it extends,
            // which may be the module itself.
            let lends = self.family == LanguageFamily::Ruby && ty.kind == SymbolKind::Module;
            if lends && staticness == Staticness::Type && !self.is_universal_member(name, staticness) {
                lent.extend(&own);
            }
            own.definitions.retain(|definition| staticness.admits_definition(definition));
            if own.is_empty() {
                open.extend(self.collect_bases(&ty, name, &mut found));
            } else {
                found.extend(&own);
            }
        }
        if found.is_empty() {
            found.extend(&lent);
        }
        if found.definitions.len() > self.max_definitions() { Resolution::bound_to_unknown() } else { found }
    }

    /// Returns the bases of a type that are in the workspace. Adds to `found` the members of bases
    /// without a name, and marks it opaque if some bases are outside.
    fn collect_bases(
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
    fn is_universal_member(&self, name: &str, staticness: Staticness) -> bool {
        staticness == Staticness::Type && self.family.language_builtins().of_types.contains(name)
    }

    /// Whether this name returns the type of a value: `order.class`, `order.constructor`. A
    /// constructor does not count as a member. A value known only by an interface has a type with
    /// another name.
    pub(super) fn is_type_query(&self, ty: &SymbolRef<'a>, name: &str) -> bool {
        let constructs = |definition: &Definition| matches!(definition, Definition::Symbol(s) if s.kind == SymbolKind::Constructor);
        let other = match ty.kind {
            SymbolKind::Interface | SymbolKind::TypeAlias => true,
            SymbolKind::Module => self.family != LanguageFamily::Ruby,
            _ => false,
        };
        !other
            && self.family.language_builtins().type_of.contains(name)
            && self.members_of_type(ty, name).definitions.iter().all(constructs)
    }

    /// Returns the members with this name that a module gives to the types that include it, or that
    /// the modules it includes give to them: the members in its `class_methods` block and the
    /// instance methods of its `ClassMethods` module, which extend these types
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
            given.definitions.retain(|definition| Staticness::Type.admits_definition(definition));
            for nested in &self.own_members(&module, CLASS_METHODS).definitions {
                if let Definition::Symbol(nested) = nested
                    && nested.kind == SymbolKind::Module
                {
                    let mut own = self.own_members(nested, name);
                    own.definitions.retain(|definition| Staticness::Value.admits_definition(definition));
                    given.extend(&own);
                }
            }
            if given.is_empty() {
                open.extend(self.collect_bases(&module, name, &mut found));
            } else {
                found.extend(&given);
            }
        }
        // If nothing is found, the including type may have the member, as well as a type outside.
        found.opaque = false;
        if found.definitions.len() > self.max_definitions() { Resolution::bound_to_unknown() } else { found }
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

/// Drops the members without this staticness where a type has members of one name with and without
/// it.
pub(super) fn keep_staticness(members: &mut Vec<SymbolRef>, staticness: Staticness) {
    let on_side = |s: &SymbolRef| Staticness::from_signature(s.signature_text()) == staticness;
    let both: FxHashSet<(&str, &str)> =
        members.iter().filter(|s| on_side(s)).map(|s| (s.path, s.container)).collect();
    members.retain(|s| on_side(s) || !both.contains(&(s.path, s.container)));
}

/// Returns the staticness of a member access of which only the receiver's name is known. The
/// receiver is a type if its name is capitalised or returns the type of a value.
pub(super) fn staticness_by_name(family: LanguageFamily, receiver: &str) -> Staticness {
    let (_, last) = split_last_segment(receiver);
    let is_type = last.starts_with(char::is_uppercase) && !last.contains('(');
    let is_asked = || family.language_builtins().type_of.contains(last.trim_end_matches("()"));
    if is_type || is_asked() { Staticness::Type } else { Staticness::Value }
}
