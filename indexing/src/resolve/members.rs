//! Members and bases of types: the part of `Resolver` that follows paths such as `a.b.c`.
//!
//! A member lookup searches the declarations of a type, then its bases. Bases outside the workspace
//! make the result opaque: they may have the member. Results are cached by type and name; a lookup
//! that leads back to itself finds nothing, so cyclic bases end.

use super::definition::{
    Definition, ExternalSymbol, LocatedType, LookupScope, MAX_DEFINITIONS, MAX_LABELED_OVERLOADS,
    MAX_OVERLOADS, ModuleRef, Resolution,
};
use super::lang::{self, MemberRegion};
use super::named_types::{CollectionLevels, parse_named_types, split_top_level};
use super::resolver::Resolver;
use super::same_name_symbols::{FileRegion, MAX_BASES, count_visits};
use super::static_members::{Staticness, type_of_value};
use super::tracked_snapshot::split_last_segment;
use kenning_graph::paths::parent_folder;
use kenning_graph::{SymbolKind, SymbolRef};
use std::rc::Rc;

impl<'a> Resolver<'a> {
    /// Returns the members of a type with this name: its own, otherwise the inherited ones. In
    /// languages with overloads, also adds inherited overloads with other parameters.
    pub fn members_of_type(&self, ty: &SymbolRef<'a>, name: &str) -> Rc<Resolution<'a>> {
        if let Some(cached) = self.members.borrow().get(&ty.id).and_then(|names| names.get(name)) {
            return cached.clone();
        }
        self.members.borrow_mut().entry(ty.id).or_default().insert(name.into(), Rc::default());
        let found = self.with_depth_limit(|| {
            let mut members = self.own_members(ty, name);
            if !self.family.has_overloads() {
                if name == ty.name && self.family.declares(|rules| rules.constructor.is_empty()) {
                    drop_constructors(&mut members);
                }
                if members.is_empty() {
                    members = self.inherited_members(ty, name);
                }
                if members.is_empty() && self.family.has_trait_methods() {
                    members.extend(&self.methods_from_traits(ty, name));
                }
                return members;
            }
            // A constructor has the name of its type, but an access by that name does not reach it.
            drop_constructors(&mut members);
            if members.definitions.is_empty() {
                members.extend(&lang::find_generated_accessor(self, ty, name));
            }
            let all_callable = members.definitions.iter().all(is_callable);
            if all_callable {
                add_inherited_overloads(&mut members, &self.inherited_members(ty, name));
            }
            members
        });
        let found = Rc::new(found.unwrap_or_default());
        self.members.borrow_mut().entry(ty.id).or_default().insert(name.into(), found.clone());
        found
    }

    /// Returns the methods that values of `ty` get from the traits visible in this file.
    /// Returns nothing for a method that wrappers such as `Option` also have, because a call to it
    /// reaches the wrapper.
    fn methods_from_traits(&self, ty: &SymbolRef<'a>, name: &str) -> Resolution<'a> {
        let can_implement_traits = !matches!(ty.kind, SymbolKind::Module | SymbolKind::TypeAlias);
        if can_implement_traits && !self.family.language_builtins().passthrough.contains(name) {
            (*self.visible_trait_methods(name)).clone()
        } else {
            Resolution::not_found()
        }
    }

    /// Returns the members with this name that the type itself declares, in any of its files.
    pub fn own_members(&self, ty: &SymbolRef<'a>, name: &str) -> Resolution<'a> {
        let container = ty.display_name();
        let symbols = match self.family.member_region() {
            MemberRegion::Folder => {
                self.view.symbols_in_region(FileRegion::Folder(parent_folder(ty.path)), &container, name)
            }
            MemberRegion::Package => self.view.symbols_in_region(
                FileRegion::Package(self.package_of_file(ty.path)),
                &container,
                name,
            ),
            MemberRegion::Crate => {
                let region = FileRegion::for_crate(self.project, ty.path);
                let in_crate = self.view.symbols_in_region(region, &container, name);
                // `impl` blocks in other files refer to this type only if no other type of the
                // crate has its name.
                if !in_crate.lies_in_file(ty.path) && self.view.has_other_type(region, ty) {
                    return self.members_in_file(ty, &container, name);
                }
                in_crate
            }
            MemberRegion::Workspace if ty.kind.is_type() || !self.family.only_types_are_open() => {
                let found = self.view.symbols_in_container(&container, name);
                return self.resolution_of_symbols(
                    found.iter().filter(|member| self.is_member_of(member, ty)).collect(),
                );
            }
            MemberRegion::Workspace | MemberRegion::File => {
                return self.members_in_file(ty, &container, name);
            }
        };
        self.resolution_of_symbols(symbols.iter().collect())
    }

    fn members_in_file(&self, ty: &SymbolRef<'a>, container: &str, name: &str) -> Resolution<'a> {
        self.symbols_in_scope_where(LookupScope { path: ty.path, container }, name, |_| true)
    }

    /// Returns the members with this name that a type has from its bases.
    pub fn inherited_members(&self, ty: &SymbolRef<'a>, name: &str) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        for base in &self.resolve_bases(ty).definitions {
            count_visits(1);
            match base {
                Definition::Symbol(base) | Definition::Instance(base) if base.id != ty.id => {
                    if self.inherits_base_methods(ty, base) {
                        found.extend(&self.members_of_type(base, name));
                    } else {
                        found.extend(&self.members_from_model(base, name));
                    }
                    if self.family.searches_bases_in_order() && !found.is_empty() {
                        break;
                    }
                }
                Definition::Structural(_) if self.family.has_unnamed_bases() => {
                    found.extend(
                        &self.resolve_member(&Resolution::from_definitions(vec![base.clone()]), name),
                    );
                }
                Definition::External(_) | Definition::Builtin => found.has_unknown_members = true,
                _ => {}
            }
        }
        if found.definitions.len() > self.max_definitions() { Resolution::bound_to_unknown() } else { found }
    }

    /// Whether a type has the methods of one of its bases. A type defined from another type
    /// (`type A B`) has the fields of `B` and the members of its embedded fields, but the methods
    /// of `B` only if `B` is an interface.
    pub(super) fn inherits_base_methods(&self, ty: &SymbolRef, base: &SymbolRef) -> bool {
        let is_defined_type = self.family.has_defined_types()
            && ty.kind == SymbolKind::TypeAlias
            && ty.type_text().starts_with('~');
        !is_defined_type || base.kind == SymbolKind::Interface
    }

    /// Returns the members that a type has because it is defined from `model`: the fields, and
    /// the members of embedded fields.
    fn members_from_model(&self, model: &SymbolRef<'a>, name: &str) -> Resolution<'a> {
        let mut members = self.own_members(model, name);
        members.definitions.retain(|m| !is_callable(m));
        if members.is_empty() {
            self.with_depth_limit(|| self.inherited_members(model, name)).unwrap_or_default()
        } else {
            members
        }
    }

    /// Returns the maximum number of definitions of a name. A name with more is too common to
    /// resolve. The limit is higher in languages with overloads.
    pub fn max_definitions(&self) -> usize {
        if self.family.declares(|rules| rules.argument_labels) {
            return MAX_LABELED_OVERLOADS;
        }
        let has_overloads = self.family.has_overloads()
            || self.family.has_overload_signatures()
            || self.family.declares(|rules| rules.overloads || rules.optional_parameters);
        if has_overloads { MAX_OVERLOADS } else { MAX_DEFINITIONS }
    }

    /// Returns the bases of a type, from all of its declarations if it has several. For an alias,
    /// returns the type that it names.
    pub fn resolve_bases(&self, ty: &SymbolRef<'a>) -> Rc<Resolution<'a>> {
        let find_cached = |id| self.base_lists.borrow().get(&id).cloned();
        if let Some(cached) = find_cached(ty.id) {
            return cached;
        }
        let canonical = self.canonical_declaration(ty);
        let found = find_cached(canonical).unwrap_or_else(|| {
            Rc::new(self.with_nesting_limit(|| self.resolve_bases_uncached(ty)).unwrap_or_default())
        });
        self.base_lists.borrow_mut().extend([(ty.id, found.clone()), (canonical, found.clone())]);
        found
    }

    fn resolve_bases_uncached(&self, ty: &SymbolRef<'a>) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        let entries = self.base_entries(ty);
        for (part, base) in &entries {
            found.extend(&self.resolve_base(part, base));
        }
        if entries.len() >= MAX_BASES {
            // There may be more bases, which are unknown.
            found.push(Definition::Builtin);
        }
        let declarations =
            if self.family.has_type_aliases() { self.type_declarations(ty) } else { Vec::new() };
        let is_alias = |part: &&SymbolRef| part.kind == SymbolKind::TypeAlias && !part.type_text().is_empty();
        for alias in declarations.iter().filter(is_alias) {
            let scope = LookupScope { path: alias.path, container: alias.container };
            found.extend(&self.resolve_type_text(scope, alias.type_text()));
        }
        found.extend(&self.traits_implemented_here(ty));
        found
    }

    /// Returns the entries of a type's base lists, each with the declaration of the type that
    /// contains it.
    pub(super) fn base_entries(&self, ty: &SymbolRef<'a>) -> Vec<(SymbolRef<'a>, &'a str)> {
        let parts: Vec<SymbolRef> = if self.family.declarations_add_bases() {
            self.view.deriving_types(ty.container, ty.name).iter().collect()
        } else {
            self.type_declarations(ty)
        };
        let entries = parts.iter().flat_map(|part| part.base_types().map(|(_, base)| (*part, base)));
        let mut entries: Vec<(SymbolRef, &str)> = entries.collect();
        if entries.len() > MAX_BASES {
            // The selection must not depend on the order of the declarations in a file.
            entries.sort_by(|(a, base), (b, other)| (a.path, base).cmp(&(b.path, other)));
            entries.dedup_by(|(a, base), (b, other)| (a.path, base) == (b.path, other));
            entries.truncate(MAX_BASES);
        }
        entries
    }

    /// Resolves an entry of a type's base list. Treats an entry that is not found as a type outside
    /// the workspace.
    pub fn resolve_base(&self, ty: &SymbolRef<'a>, base: &str) -> Resolution<'a> {
        self.resolve_base_at(LookupScope { path: ty.path, container: ty.container }, ty, base)
    }

    /// Resolves a base of a type that is written in `scope`.
    pub(super) fn resolve_base_at(
        &self,
        scope: LookupScope,
        ty: &SymbolRef<'a>,
        base: &str,
    ) -> Resolution<'a> {
        let found = self.resolve_type_path(scope, base);
        let mut types = Resolution::not_found();
        for definition in found.definitions {
            match definition {
                Definition::Symbol(s) if s.id == ty.id => {}
                Definition::Symbol(s) if s.kind.is_type() => types.push(Definition::Symbol(s)),
                Definition::Symbol(s)
                    if s.kind == SymbolKind::Function && self.family.functions_are_bases() =>
                {
                    types.push(Definition::Symbol(s));
                }
                Definition::External(_) | Definition::Builtin => types.push(definition),
                _ => {}
            }
        }
        if types.is_empty() {
            types.push(Definition::Builtin);
        }
        types
    }

    /// Whether a type outside the workspace leaves its values untyped: `typing.Any`. `path` is the
    /// type as the source writes it.
    pub(super) fn is_dynamic_type(&self, path: &str, definition: &Definition) -> bool {
        let untyped = &self.family.language_builtins().untyped;
        match definition {
            Definition::External(e) => {
                !untyped.is_empty() && untyped.contains(&format!("{}.{}", e.package, e.name))
            }
            Definition::Builtin => untyped.contains(path),
            _ => false,
        }
    }

    /// Returns the values of the type expression `text` that is written in `scope`.
    pub fn resolve_type_text(&self, scope: LookupScope, text: &str) -> Resolution<'a> {
        if let Some(found) = lang::resolve_special_type(self, scope, text) {
            return found;
        }
        let text = text.strip_prefix('~').unwrap_or(text);
        if let Some(value) = text.strip_prefix('=') {
            return self.resolve_value_path(scope, value);
        }
        if self.family.has_structural_types() {
            return self.resolve_structural_type(scope, text);
        }
        let mut found = Resolution::not_found();
        for named in parse_named_types(text, self.family) {
            for definition in self.resolve_type_path(scope, &named.path).definitions {
                match definition {
                    Definition::Symbol(s) if s.kind.is_type() => {
                        found.push(Definition::in_collections(s, named.levels));
                    }
                    external if self.is_dynamic_type(&named.path, &external) => {}
                    Definition::External(_) | Definition::Builtin => found.push(definition),
                    Definition::Module(_) if self.family.declares(|rules| rules.file_types) => {
                        found.push(definition);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Resolves a dotted path of names as a type.
    pub fn resolve_type_path(&self, scope: LookupScope, path: &str) -> Resolution<'a> {
        let mut segments = path.split('.');
        let first = segments.next().unwrap_or("");
        if first == "\\" {
            return lang::resolve_absolute_path(self, path);
        }
        if self.family.names_enclosing_type(first) {
            let ty = self.enclosing_type(scope).map(Definition::Symbol);
            return Resolution::from_definitions(ty.into_iter().collect());
        }
        let mut found = lang::resolve_path_root(self, scope, first)
            .unwrap_or_else(|| (*self.lookup_name(scope, first)).clone());
        for segment in segments {
            found = self.resolve_member(&found, segment);
        }
        if found.is_empty() && !found.is_bound {
            found = lang::resolve_type_fallback(self, scope, path);
        }
        found
    }

    /// Returns the type around a scope: the innermost container that is a type.
    pub fn enclosing_type(&self, scope: LookupScope) -> Option<SymbolRef<'a>> {
        let mut container = scope.container;
        while !container.is_empty() {
            let (outer, simple) = split_last_segment(container);
            let symbol = self.find_symbol_at(scope.path, outer, simple);
            if let Some(symbol) = symbol.filter(|s| s.kind.is_type()) {
                return Some(symbol);
            }
            if let (None, Some(ty)) = (symbol, self.type_declared_elsewhere(scope.path, container)) {
                return Some(ty);
            }
            if symbol.is_none() && self.family.has_open_types() {
                let outer_scope = LookupScope { path: scope.path, container: outer };
                let found = self.lookup_name(outer_scope, simple);
                let ty = found.definitions.iter().find_map(|m| match m {
                    Definition::Symbol(s) if s.kind.is_type() => Some(*s),
                    _ => None,
                });
                if ty.is_some() {
                    return ty;
                }
            }
            container = outer;
        }
        None
    }

    /// Looks up the member `name` of each of these definitions.
    pub fn resolve_member(&self, found: &Resolution<'a>, name: &str) -> Resolution<'a> {
        let find_members = || self.members_of_definitions(found, name);
        self.with_nesting_limit(find_members).unwrap_or_else(Resolution::bound_to_unknown)
    }

    fn members_of_definitions(&self, found: &Resolution<'a>, name: &str) -> Resolution<'a> {
        let mut out =
            Resolution { is_bound: found.is_bound, is_likely: found.is_likely, ..Resolution::not_found() };
        for definition in found.definitions.iter().take(MAX_DEFINITIONS) {
            match definition {
                Definition::Module(module) => out.extend(&self.resolve_export(module, name)),
                Definition::Symbol(s) if s.kind == SymbolKind::Module && self.family.has_block_modules() => {
                    // A block module re-exports its imports, as the module of a file does.
                    let block = ModuleRef::File { path: s.path.to_owned(), container: s.display_name() };
                    out.extend(&self.resolve_export(&block, name));
                }
                Definition::Symbol(s) if s.kind.is_type() => {
                    let members = self.members_with_staticness(s, name, Staticness::Static);
                    out.extend(&members);
                    if members.is_empty() {
                        out.extend(&lang::find_universal_member(self, s, name));
                    }
                }
                Definition::Symbol(s) if self.family.variables_declare_members() => {
                    let members = self.members_with_staticness(s, name, Staticness::Static);
                    out.extend(&members);
                    if members.is_empty() && !s.kind.is_callable() {
                        out.extend(&self.resolve_member(&self.value_of_symbol(s), name));
                    }
                }
                Definition::Symbol(s) => {
                    // For a variable or method, looks up the member of its value. A function itself
                    // has no members.
                    if !s.kind.is_callable() || s.kind == SymbolKind::Method {
                        out.extend(&self.resolve_member(&self.value_of_symbol(s), name));
                    }
                }
                Definition::Instance(s) if self.is_type_query(s, name) => out.push(type_of_value(s)),
                Definition::Includer(module) => out.extend(&lang::includer_members(self, module, name)),
                Definition::Instance(s) => self.add_instance_member(s, name, &mut out),
                Definition::Collection(s, levels) => out.push(self.collection_member(*s, *levels, name)),
                Definition::Structural(structural_type) => {
                    out.extend(&self.member_of_structural_type(structural_type, name));
                }
                Definition::Super(s, staticness) => {
                    out.extend(&self.inherited_with_staticness(s, name, *staticness));
                }
                Definition::This(object) => {
                    out.extend(&lang::resolve_this_member(self, object, name));
                }
                Definition::External(external) => {
                    out.push(Definition::External(Rc::new(self.external_member(external, name))));
                }
                Definition::Builtin => out.push(Definition::Builtin),
            }
        }
        out
    }

    /// Returns the members with this name of a type that has no name. An object can spread others
    /// (`{ ...base }`), in a cycle, in a chain of any length, or the same one several times.
    fn member_of_structural_type(&self, ty: &Rc<LocatedType>, name: &str) -> Rc<Resolution<'a>> {
        let find_cached = || self.structural_members.borrow().get(ty)?.get(name).cloned();
        if let Some(cached) = find_cached() {
            return cached;
        }
        let insert = |found: Rc<Resolution<'a>>| {
            self.structural_members.borrow_mut().entry(Rc::clone(ty)).or_default().insert(name.into(), found);
        };
        // A lookup that leads back to itself finds nothing.
        insert(Rc::new(Resolution::bound_to_unknown()));
        let special = lang::find_structural_member(self, ty, name);
        let found = Rc::new(special.unwrap_or_else(|| self.structural_member(ty, name)));
        insert(Rc::clone(&found));
        found
    }

    /// Adds the member `name` of a value of a type.
    fn add_instance_member(&self, ty: &SymbolRef<'a>, name: &str, out: &mut Resolution<'a>) {
        let members = self.members_with_staticness(ty, name, Staticness::Instance);
        if !members.is_empty() {
            return out.extend(&members);
        }
        if self.family.embeds_types_as_fields() {
            out.extend(&self.find_embedded_type(ty, name));
        }
        let builtins = self.family.language_builtins();
        if self.family.is_promise_callback(name) {
            out.push(Definition::Builtin);
        } else if builtins.is_unwrapping_member(name, members.has_unknown_members) {
            out.push(Definition::Instance(*ty));
        } else if self.family.represents_wrappers_by_content() && builtins.methods.contains(name) {
            // A method of the wrapper around the value (`Option`) or of a derived trait.
            out.push(Definition::Builtin);
        } else {
            out.extend(&members);
        }
    }

    /// Returns the value that a member of a collection has or returns.
    fn collection_member(&self, ty: SymbolRef<'a>, levels: CollectionLevels, name: &str) -> Definition<'a> {
        let builtins = self.family.language_builtins();
        match name {
            "values" | "values_mut" | "into_values" if levels.holds_pairs() => {
                Definition::Collection(ty, levels.with_pairs(false))
            }
            "enumerate" if !levels.holds_pairs() => Definition::Collection(ty, levels.with_pairs(true)),
            _ if builtins.elements.contains(name) => Definition::in_collections(ty, levels.inner_levels()),
            _ if builtins.passthrough.contains(name) || builtins.same_element_collections.contains(name) => {
                Definition::Collection(ty, levels)
            }
            _ => Definition::Builtin,
        }
    }

    /// Returns the member `name` of a symbol outside the workspace. A module that the file imports
    /// by its dotted name (`import os.path`) counts as a package.
    fn external_member(&self, external: &ExternalSymbol, name: &str) -> ExternalSymbol {
        if external.name.is_empty() && lang::is_imported_module(self, &external.package, name) {
            ExternalSymbol::new(&format!("{}.{name}", external.package), "")
        } else {
            external.member_named(name)
        }
    }

    /// Returns the values of the field at position `at` in a tuple struct or an enum variant.
    pub fn positional_field(&self, found: &Resolution<'a>, at: usize) -> Resolution<'a> {
        let mut out = Resolution::bound_to_unknown();
        for definition in &found.definitions {
            let (Definition::Symbol(s) | Definition::Instance(s)) = definition else { continue };
            let has_positions = matches!(s.kind, SymbolKind::Struct | SymbolKind::EnumMember);
            let Some(parts) = s
                .type_text()
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'))
                .filter(|_| has_positions)
            else {
                continue;
            };
            if let Some(part) = split_top_level(parts, ',').get(at) {
                let ty = part.trim().trim_start_matches("pub(crate)").trim_start_matches("pub ").trim();
                // A variant sees the same names as its enum.
                let scope = LookupScope { path: s.path, container: s.container };
                out.extend(&self.resolve_type_text(scope, ty));
            }
        }
        out
    }

    /// Resolves a segment of a path against `found`, the definitions of the part before it.
    /// `read_values` replaces variables with their values. In families with positional fields, the
    /// segment may also be a field of an enum variant or a position in a tuple.
    pub fn resolve_path_segment(
        &self,
        found: &Resolution<'a>,
        name: &str,
        read_values: &dyn Fn(&Resolution<'a>) -> Resolution<'a>,
    ) -> Resolution<'a> {
        if !self.family.has_positional_fields() {
            return self.resolve_member(&read_values(found), name);
        }
        let is_variant =
            |m: &Definition| matches!(m, Definition::Symbol(s) if s.kind == SymbolKind::EnumMember);
        let variant = found.definitions.iter().any(is_variant);
        if let Ok(at) = name.parse::<usize>() {
            return if variant {
                self.positional_field(found, at)
            } else {
                self.positional_field(&read_values(found), at)
            };
        }
        let mut out = Resolution::not_found();
        for definition in found.definitions.iter().filter(|m| is_variant(m)) {
            if let Definition::Symbol(s) = definition {
                out.extend(&self.own_members(s, name));
            }
        }
        if out.is_empty() { self.resolve_member(&read_values(found), name) } else { out }
    }

    /// Returns the embedded type that a field name refers to.
    fn find_embedded_type(&self, ty: &SymbolRef<'a>, name: &str) -> Resolution<'a> {
        let mut found = Resolution::not_found();
        for (_, base) in ty.base_types().filter(|(_, base)| split_last_segment(base).1 == name) {
            for definition in self.resolve_base(ty, base).definitions {
                found.push(match definition {
                    Definition::Symbol(s) => Definition::Instance(s),
                    other => other,
                });
            }
        }
        found
    }
}

/// Drops the constructors, which an access by the name of their type does not reach.
fn drop_constructors(members: &mut Resolution) {
    let is_constructor =
        |m: &Definition| matches!(m, Definition::Symbol(s) if s.kind == SymbolKind::Constructor);
    members.definitions.retain(|m| !is_constructor(m));
    members.is_bound = !members.is_empty();
}

/// Adds the inherited callables whose parameters differ from the parameters of the type's own
/// callables with the same name.
fn add_inherited_overloads<'a>(members: &mut Resolution<'a>, inherited: &Resolution<'a>) {
    if members.is_empty() {
        members.clone_from(inherited);
        return;
    }
    let declared_lists: Vec<&str> = members.definitions.iter().filter_map(parameter_list).collect();
    let others = inherited
        .definitions
        .iter()
        .filter(|m| parameter_list(m).is_some_and(|p| !declared_lists.contains(&p)));
    let others: Vec<Definition<'a>> = others.filter(|m| is_callable(m)).cloned().collect();
    for other in others {
        members.push(other);
    }
}

fn is_callable(definition: &Definition) -> bool {
    matches!(definition, Definition::Symbol(s) if s.kind.is_callable())
}

/// Returns the parameter types of a callable.
fn parameter_list<'a>(definition: &Definition<'a>) -> Option<&'a str> {
    match definition {
        Definition::Symbol(s) => Some(s.param_types()),
        _ => None,
    }
}
