//! Members, bases and values of types.

use super::family::Family;
use super::lang;
use super::meaning::{External, Found, MAX_MEANINGS, MAX_OVERLOADS, Meaning, Module, Place};
use super::named::{Group, MAX_BASES, Region, note_passed};
use super::notation::Part;
use super::overloads;
use super::resolver::Resolver;
use super::shapes::structural;
use super::sides::{Side, type_of_value};
use super::types::{Levels, heads, split_top};
use super::view::split_last;
use crate::project::folder_of;
use kenning_graph::{SymbolId, SymbolKind, SymbolRef};
use std::rc::Rc;

impl<'a> Resolver<'a> {
    /// The members of a type with this name, its own or, where it has none, those of its bases.
    pub fn members(&self, ty: &SymbolRef<'a>, name: &str) -> Rc<Found<'a>> {
        if let Some(known) = self.members.borrow().get(&ty.id).and_then(|names| names.get(name)) {
            return known.clone();
        }
        self.members.borrow_mut().entry(ty.id).or_default().insert(name.into(), Rc::default());
        let found = self.deeper(|| {
            let mut own = self.own_members(ty, name);
            if !overloads::has_overloads(self.family) {
                if own.is_empty() {
                    own = self.inherited(ty, name);
                }
                if own.is_empty() && self.family == Family::Rust {
                    own.extend(&self.of_traits(ty, name));
                }
                return own;
            }
            // A constructor is no member that a name leads to: the name is that of the type.
            own.meanings.retain(|m| !matches!(m, Meaning::Symbol(s) if s.kind == SymbolKind::Constructor));
            own.bound = !own.is_empty();
            if own.meanings.is_empty() && self.family == Family::Java {
                own.extend(&lang::java::generated(self, ty, name));
            }
            let only_callables = own.meanings.iter().all(is_callable);
            if only_callables {
                add_overloads(&mut own, &self.inherited(ty, name));
            }
            own
        });
        let found = Rc::new(found.unwrap_or_default());
        self.members.borrow_mut().entry(ty.id).or_default().insert(name.into(), found.clone());
        found
    }

    /// Rust: the methods that a value of a type has by the traits that this file sees. A method that wrappers have as
    /// well leads to what is wrapped.
    fn of_traits(&self, ty: &SymbolRef<'a>, name: &str) -> Found<'a> {
        let may_have = !matches!(ty.kind, SymbolKind::Module | SymbolKind::TypeAlias);
        if may_have && !self.family.builtins().passthrough.contains(name) {
            (*self.in_traits(name)).clone()
        } else {
            Found::nothing()
        }
    }

    /// The members that are declared for the type itself, in any of its files.
    pub fn own_members(&self, ty: &SymbolRef<'a>, name: &str) -> Found<'a> {
        let container = ty.display_name();
        let anywhere = match self.family {
            Family::Go => self.view.named_within(Region::Folder(folder_of(ty.path)), &container, name),
            Family::CSharp => {
                self.view.named_within(Region::Package(self.package_of(ty.path)), &container, name)
            }
            Family::Rust => {
                let region = Region::of_crate(self.project, ty.path);
                let in_crate = self.view.named_within(region, &container, name);
                // `impl` blocks elsewhere mean the type only where it is the only one of its name in its crate.
                if !in_crate.lies_in_file(ty.path) && self.view.has_other_type(region, ty) {
                    return self.members_in_its_file(ty, &container, name);
                }
                in_crate
            }
            Family::Ruby if ty.kind.is_type() => self.view.named_of(&container, name),
            Family::Ruby | Family::Python | Family::Script | Family::Java => {
                return self.members_in_its_file(ty, &container, name);
            }
        };
        self.meant(anywhere.iter().collect())
    }

    fn members_in_its_file(&self, ty: &SymbolRef<'a>, container: &str, name: &str) -> Found<'a> {
        self.named_at_where(Place { path: ty.path, container }, name, |_| true)
    }

    /// Members of the bases of a type.
    pub fn inherited(&self, ty: &SymbolRef<'a>, name: &str) -> Found<'a> {
        let mut found = Found::nothing();
        for base in &self.bases(ty).meanings {
            note_passed(1);
            match base {
                Meaning::Symbol(base) | Meaning::Instance(base) if base.id != ty.id => {
                    if self.keeps_methods(ty, base) {
                        found.extend(&self.members(base, name));
                    } else {
                        found.extend(&self.made_as(base, name));
                    }
                    // Python looks through the bases in their order.
                    if self.family == Family::Python && !found.is_empty() {
                        break;
                    }
                }
                Meaning::Shaped(_) if self.family == Family::Script => {
                    found.extend(&self.step(&Found::of(vec![base.clone()]), name));
                }
                Meaning::External(_) | Meaning::Builtin => found.opaque = true,
                _ => {}
            }
        }
        if found.meanings.len() > self.max_meanings() { Found::bound() } else { found }
    }

    /// Whether a type has the methods of one of its bases. Go: a type that is made as another has its fields only, with
    /// what they bring, and the methods of an interface.
    pub(super) fn keeps_methods(&self, ty: &SymbolRef, base: &SymbolRef) -> bool {
        let defined =
            self.family == Family::Go && ty.kind == SymbolKind::TypeAlias && ty.ty().starts_with('~');
        !defined || base.kind == SymbolKind::Interface
    }

    /// The members that a type has because it is made as another: fields, and what they bring.
    fn made_as(&self, model: &SymbolRef<'a>, name: &str) -> Found<'a> {
        let mut own = self.own_members(model, name);
        own.meanings.retain(|m| !is_callable(m));
        if own.is_empty() { self.deeper(|| self.inherited(model, name)).unwrap_or_default() } else { own }
    }

    /// Symbols of one name beyond this number say nothing; of overloads there can be many.
    pub fn max_meanings(&self) -> usize {
        let overloads = overloads::has_overloads(self.family) || self.family == Family::Script;
        if overloads { MAX_OVERLOADS } else { MAX_MEANINGS }
    }

    /// The bases of a type, of all its parts where it is written in several; for an alias what it stands for.
    pub fn bases(&self, ty: &SymbolRef<'a>) -> Rc<Found<'a>> {
        let known = |id| self.base_lists.borrow().get(&id).cloned();
        if let Some(known) = known(ty.id) {
            return known;
        }
        let whole = self.whole(ty);
        let found = known(whole).unwrap_or_else(|| Rc::new(self.bases_fresh(ty)));
        self.base_lists.borrow_mut().extend([(ty.id, found.clone()), (whole, found.clone())]);
        found
    }

    fn bases_fresh(&self, ty: &SymbolRef<'a>) -> Found<'a> {
        let mut found = Found::nothing();
        let entries = self.base_entries(ty);
        for (part, base) in &entries {
            found.extend(&self.base(part, base));
        }
        if entries.len() >= MAX_BASES {
            // There may be more, of which nothing is known.
            found.push(Meaning::Builtin);
        }
        // Ruby has no aliases of types.
        let parts = if self.family == Family::Ruby { Vec::new() } else { self.declarations(ty) };
        for alias in parts.iter().filter(|part| part.kind == SymbolKind::TypeAlias && !part.ty().is_empty()) {
            let place = Place { path: alias.path, container: alias.container };
            found.extend(&self.type_of_text(place, alias.ty()));
        }
        found.extend(&self.implemented_here(ty));
        found
    }

    /// The entries of the base lists of a type, each with the part of the type that it stands in.
    pub(super) fn base_entries(&self, ty: &SymbolRef<'a>) -> Vec<(SymbolRef<'a>, &'a str)> {
        let parts: Vec<SymbolRef> = match self.family {
            Family::Ruby => self.view.deriving(ty.container, ty.name).iter().collect(),
            _ => self.declarations(ty),
        };
        let entries = parts.iter().flat_map(|part| part.bases().map(|(_, base)| (*part, base)));
        let mut entries: Vec<(SymbolRef, &str)> = entries.collect();
        if entries.len() > MAX_BASES {
            // Which of them count must not depend on the order of the parts in a file.
            entries.sort_by(|(a, base), (b, other)| (a.path, base).cmp(&(b.path, other)));
            entries.dedup_by(|(a, base), (b, other)| (a.path, base) == (b.path, other));
            entries.truncate(MAX_BASES);
        }
        entries
    }

    /// The places where a type is written: in most languages one.
    pub(super) fn declarations(&self, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
        let Some(named_so) = self.named_as(ty) else { return vec![*ty] };
        named_so.iter().filter(|s| s.id == ty.id || s.kind.is_type()).collect()
    }

    /// One of the places where a type is written, the same for all of them: by it is remembered what is known of the type.
    pub(super) fn whole(&self, ty: &SymbolRef<'a>) -> SymbolId {
        let first = self.named_as(ty).and_then(|named_so| named_so.iter().find(|s| s.kind.is_type()));
        first.filter(|_| ty.kind.is_type()).map_or(ty.id, |first| first.id)
    }

    /// What is named as a type, where types are written in several places.
    fn named_as(&self, ty: &SymbolRef<'a>) -> Option<Group<'a>> {
        match self.family {
            Family::CSharp => {
                let region = Region::Package(self.package_of(ty.path));
                Some(self.view.named_within(region, ty.container, ty.name))
            }
            Family::Ruby => Some(self.view.named_of(ty.container, ty.name)),
            _ => None,
        }
    }

    /// What an entry of the base list of a type stands for. An entry that is found nowhere is outside.
    pub fn base(&self, ty: &SymbolRef<'a>, base: &str) -> Found<'a> {
        self.base_at(Place { path: ty.path, container: ty.container }, ty, base)
    }

    /// What a base of a type stands for that is written at a place.
    pub(super) fn base_at(&self, place: Place, ty: &SymbolRef<'a>, base: &str) -> Found<'a> {
        let found = self.type_path(place, base);
        let mut types = Found::nothing();
        for meaning in found.meanings {
            match meaning {
                Meaning::Symbol(s) if s.id == ty.id => {}
                Meaning::Symbol(s) if s.kind.is_type() => types.push(Meaning::Symbol(s)),
                // In JavaScript a function can be a class.
                Meaning::Symbol(s) if s.kind == SymbolKind::Function && self.family == Family::Script => {
                    types.push(Meaning::Symbol(s));
                }
                Meaning::External(_) | Meaning::Builtin => types.push(meaning),
                _ => {}
            }
        }
        if types.is_empty() {
            types.push(Meaning::Builtin);
        }
        types
    }

    /// Whether a type outside the workspace, written so, says of a value only that nothing is known of it.
    pub(super) fn is_untyped(&self, written: &str, meaning: &Meaning) -> bool {
        let untyped = &self.family.builtins().untyped;
        match meaning {
            Meaning::External(e) => {
                !untyped.is_empty() && untyped.contains(&format!("{}.{}", e.package, e.name))
            }
            Meaning::Builtin => untyped.contains(written),
            _ => false,
        }
    }

    /// The values of a type expression that stands at a place.
    pub fn type_of_text(&self, place: Place, text: &str) -> Found<'a> {
        if self.family == Family::Script {
            return lang::script::types::read(self, place, text);
        }
        let text = text.strip_prefix('~').unwrap_or(text);
        if let Some(value) = text.strip_prefix('=') {
            return self.value_at(place, value);
        }
        if structural(self.family) {
            return self.typed(place, text);
        }
        let mut found = Found::nothing();
        for head in heads(text, self.family) {
            for meaning in self.type_path(place, &head.path).meanings {
                match meaning {
                    Meaning::Symbol(s) if s.kind.is_type() => {
                        found.push(Meaning::collected(s, head.levels));
                    }
                    outside if self.is_untyped(&head.path, &outside) => {}
                    Meaning::External(_) | Meaning::Builtin => found.push(meaning),
                    _ => {}
                }
            }
        }
        found
    }

    /// What a dotted path of names stands for, read as a type.
    pub fn type_path(&self, place: Place, path: &str) -> Found<'a> {
        let mut segments = path.split('.');
        let first = segments.next().unwrap_or("");
        if first == "Self" && self.family == Family::Rust {
            return self
                .enclosing_type(place)
                .map_or_else(Found::nothing, |ty| Found::of(vec![Meaning::Symbol(ty)]));
        }
        let mut found =
            lang::path_root(self, place, first).unwrap_or_else(|| (*self.lookup(place, first)).clone());
        for segment in segments {
            found = self.step(&found, segment);
        }
        if found.is_empty() && !found.bound {
            found = lang::type_fallback(self, place, path);
        }
        found
    }

    /// The type in which a place lies: the innermost container that is a type.
    pub fn enclosing_type(&self, place: Place) -> Option<SymbolRef<'a>> {
        let mut container = place.container;
        while !container.is_empty() {
            let (outer, simple) = split_last(container);
            let here = self.symbol_at(place.path, outer, simple);
            if let Some(symbol) = here.filter(|s| s.kind.is_type()) {
                return Some(symbol);
            }
            if here.is_none() && self.family.open_types() {
                let of_file = Place { path: place.path, container: outer };
                let found = self.lookup(of_file, simple);
                let ty = found.meanings.iter().find_map(|m| match m {
                    Meaning::Symbol(s) if s.kind.is_type() => Some(*s),
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

    /// What `name` is of each of these meanings.
    pub fn step(&self, found: &Found<'a>, name: &str) -> Found<'a> {
        let mut out = Found { bound: found.bound, likely: found.likely, ..Found::nothing() };
        for meaning in found.meanings.iter().take(MAX_MEANINGS) {
            match meaning {
                Meaning::Module(module) => out.extend(&self.export(module, name)),
                Meaning::Symbol(s) if s.kind == SymbolKind::Module && self.family == Family::Rust => {
                    // A block passes on what it imports, as the module of a file does.
                    let block = Module::File { path: s.path.to_owned(), container: s.display_name() };
                    out.extend(&self.export(&block, name));
                }
                Meaning::Symbol(s) if s.kind.is_type() => {
                    let members = self.members_of(s, name, Side::Type);
                    let empty = members.is_empty();
                    out.extend(&members);
                    if empty {
                        out.extend(&lang::static_member(self, s, name));
                    }
                }
                Meaning::Symbol(s) if self.family == Family::Script => {
                    // Functions and objects have members of their own.
                    let members = self.members_of(s, name, Side::Type);
                    out.extend(&members);
                    if members.is_empty() && !s.kind.is_callable() {
                        out.extend(&self.step(&self.value_of(s), name));
                    }
                }
                Meaning::Shaped(shape) if self.family == Family::Script => {
                    out.extend(&lang::script::types::member(self, shape, name));
                }
                Meaning::Symbol(s) => {
                    // A function's or variable's member is that of its value; of a function as such, nothing.
                    if !s.kind.is_callable() || s.kind == SymbolKind::Method {
                        out.extend(&self.step(&self.value_of(s), name));
                    }
                }
                Meaning::Instance(s) if self.gives_type(s, name) => out.push(type_of_value(s)),
                Meaning::Includer(module) => out.extend(&self.given_to_includers(module, name)),
                Meaning::Instance(s) => {
                    let members = self.members_of(s, name, Side::Value);
                    if members.is_empty() && self.family == Family::Go {
                        out.extend(&self.embedded(s, name));
                    }
                    if members.is_empty() && self.family == Family::Script && name == "then" {
                        // A promise stands for what it holds.
                        out.push(Meaning::Builtin);
                    } else if members.is_empty() && self.family.builtins().unwraps(name, members.opaque) {
                        out.push(meaning.clone());
                    } else if members.is_empty()
                        && self.family == Family::Rust
                        && self.family.builtins().methods.contains(name)
                    {
                        // A method of what holds the value, an `Option`, or of a derived trait.
                        out.push(Meaning::Builtin);
                    } else {
                        out.extend(&members);
                    }
                }
                Meaning::Collection(s, levels) => out.push(self.of_collection(*s, *levels, name)),
                Meaning::Shaped(shaped) => out.extend(&self.shaped_member(shaped, name)),
                Meaning::Super(s, side) => out.extend(&self.inherited_of(s, name, *side)),
                Meaning::This(object) => {
                    out.extend(&lang::script::this::member_of_this(self, object, name));
                }
                Meaning::External(external) => {
                    out.push(Meaning::External(Rc::new(self.outside_member(external, name))));
                }
                Meaning::Builtin => out.push(Meaning::Builtin),
            }
        }
        out
    }

    /// What a member of a collection gives.
    fn of_collection(&self, ty: SymbolRef<'a>, levels: Levels, name: &str) -> Meaning<'a> {
        let builtins = self.family.builtins();
        match name {
            "values" | "values_mut" | "into_values" if levels.holds_pairs() => {
                Meaning::Collection(ty, levels.holding_pairs(false))
            }
            "enumerate" if !levels.holds_pairs() => Meaning::Collection(ty, levels.holding_pairs(true)),
            _ if builtins.elements.contains(name) => Meaning::collected(ty, levels.inner()),
            _ if builtins.passthrough.contains(name) || builtins.collecting.contains(name) => {
                Meaning::Collection(ty, levels)
            }
            _ => Meaning::Builtin,
        }
    }

    /// A member of something outside; what the file imports as a module by its dotted name is a package of its own.
    fn outside_member(&self, external: &External, name: &str) -> External {
        let module = self.family == Family::Python
            && external.name.is_empty()
            && lang::python::is_imported_module(&self.view.imports_of(self.path), &external.package, name);
        if module {
            External::new(&format!("{}.{name}", external.package), "")
        } else {
            external.member(name)
        }
    }

    /// Rust: what stands at a place in a tuple struct or in the variant of an enum.
    pub fn positional(&self, found: &Found<'a>, at: usize) -> Found<'a> {
        let mut out = Found::bound();
        for meaning in &found.meanings {
            let (Meaning::Symbol(s) | Meaning::Instance(s)) = meaning else { continue };
            let holder = matches!(s.kind, SymbolKind::Struct | SymbolKind::EnumMember);
            let Some(parts) =
                s.ty().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).filter(|_| holder)
            else {
                continue;
            };
            if let Some(part) = split_top(parts, ',').get(at) {
                let ty = part.trim().trim_start_matches("pub(crate)").trim_start_matches("pub ").trim();
                // An enum's variants see what the enum sees.
                let place = Place { path: s.path, container: s.container };
                out.extend(&self.type_of_text(place, ty));
            }
        }
        out
    }

    /// What a segment of a path is of what stands before it. Rust: of a variant its parts, of a tuple what stands at a
    /// place.
    pub fn path_step(
        &self,
        found: &Found<'a>,
        name: &str,
        held: &dyn Fn(&Found<'a>) -> Found<'a>,
    ) -> Found<'a> {
        if self.family != Family::Rust {
            return self.step(&held(found), name);
        }
        let is_variant = |m: &Meaning| matches!(m, Meaning::Symbol(s) if s.kind == SymbolKind::EnumMember);
        let variant = found.meanings.iter().any(is_variant);
        if let Ok(at) = name.parse::<usize>() {
            return if variant { self.positional(found, at) } else { self.positional(&held(found), at) };
        }
        let mut out = Found::nothing();
        for meaning in found.meanings.iter().filter(|m| is_variant(m)) {
            if let Meaning::Symbol(s) = meaning {
                out.extend(&self.own_members(s, name));
            }
        }
        if out.is_empty() { self.step(&held(found), name) } else { out }
    }

    /// Go: the embedded type that is named like a field.
    fn embedded(&self, ty: &SymbolRef<'a>, name: &str) -> Found<'a> {
        let mut found = Found::nothing();
        for (_, base) in ty.bases().filter(|(_, base)| split_last(base).1 == name) {
            for meaning in self.base(ty, base).meanings {
                found.push(match meaning {
                    Meaning::Symbol(s) => Meaning::Instance(s),
                    other => other,
                });
            }
        }
        found
    }

    /// The value of a symbol: of a variable or field by its type, of a callable by its return type.
    pub fn value_of(&self, symbol: &SymbolRef<'a>) -> Found<'a> {
        if let Some(known) = self.values.borrow().get(&symbol.id) {
            return (**known).clone();
        }
        // A value that leads to itself is nothing; without this, types that name one another cost exponentially.
        self.values.borrow_mut().insert(symbol.id, Rc::default());
        let found = self.value_fresh(symbol);
        self.values.borrow_mut().insert(symbol.id, Rc::new(found.clone()));
        found
    }

    fn value_fresh(&self, symbol: &SymbolRef<'a>) -> Found<'a> {
        let place = Place { path: symbol.path, container: symbol.container };
        let run = || match symbol.kind {
            SymbolKind::Constructor | SymbolKind::EnumMember => self
                .enclosing_type(place)
                .map_or_else(Found::nothing, |ty| Found::of(vec![Meaning::Instance(ty)])),
            SymbolKind::Field if symbol.ty().is_empty() && self.family == Family::Script => {
                lang::script::values::of_literal(self, symbol)
            }
            _ if symbol.ty().is_empty() => Found::nothing(),
            _ if self.family == Family::Script => {
                let inside = lang::script::this::inside(symbol);
                self.type_of_text(lang::script::this::type_place(symbol, &inside), symbol.ty())
            }
            _ if matches!(symbol.ty(), "Self" | "self" | "this" | "typing.Self" | "t.Self") => self
                .enclosing_type(place)
                .map_or_else(Found::nothing, |ty| Found::of(vec![Meaning::Instance(ty)])),
            _ => self.type_of_text(place, symbol.ty()),
        };
        self.deeper(run).unwrap_or_default()
    }

    /// What a call of each of these meanings gives.
    pub fn called(&self, found: &Found<'a>) -> Found<'a> {
        let mut out = Found { bound: found.bound, likely: found.likely, ..Found::nothing() };
        for meaning in &found.meanings {
            match meaning {
                _ if self.family == Family::Script => {
                    out.extend(&lang::script::values::called(self, meaning));
                }
                Meaning::Symbol(s) if s.kind.is_type() => out.push(Meaning::Instance(*s)),
                Meaning::Symbol(s) if s.kind.is_callable() => out.extend(&self.value_of(s)),
                Meaning::Instance(s) if self.family.builtins().passthrough.contains("unwrap") => {
                    out.push(Meaning::Instance(*s));
                }
                Meaning::Instance(s) if s.kind == SymbolKind::TypeAlias && structural(self.family) => {
                    out.extend(&self.called(&self.underlying(s)));
                }
                Meaning::Instance(_) if self.family == Family::Python => {
                    out.extend(&self.part(&Found::of(vec![meaning.clone()]), Part::Called));
                }
                Meaning::Shaped(_) => {
                    out.extend(&self.part(&Found::of(vec![meaning.clone()]), Part::Called));
                }
                Meaning::Instance(_) | Meaning::Collection(..) | Meaning::Super(..) => {
                    out.push(meaning.clone());
                }
                // What a foreign function gives has no name; a call of a foreign type gives its instance.
                Meaning::External(external) if !external.is_type() => out.push(Meaning::Builtin),
                Meaning::External(_) | Meaning::Builtin => out.push(meaning.clone()),
                // Java calls no field: it calls the accessor that is written nowhere.
                Meaning::Symbol(s) if s.kind == SymbolKind::Field && self.family == Family::Java => {
                    if found.accessor || (found.meanings.len() == 1 && lang::java::is_component(self, s)) {
                        out.extend(&self.value_of(s));
                    }
                }
                // What is called by a variable or field is what it holds.
                Meaning::Symbol(s) if structural(self.family) => {
                    let held = self.deeper(|| self.called(&self.value_of(s)));
                    out.extend(&held.unwrap_or_default());
                }
                Meaning::Symbol(_) | Meaning::Module(_) | Meaning::Includer(_) | Meaning::This(_) => {}
            }
        }
        out
    }
}

/// Adds what a type inherits beside its own callables of a name: those with other parameters.
fn add_overloads<'a>(own: &mut Found<'a>, inherited: &Found<'a>) {
    if own.is_empty() {
        own.clone_from(inherited);
        return;
    }
    let taken: Vec<&str> = own.meanings.iter().filter_map(params).collect();
    let others = inherited.meanings.iter().filter(|m| params(m).is_some_and(|p| !taken.contains(&p)));
    let others: Vec<Meaning<'a>> = others.filter(|m| is_callable(m)).cloned().collect();
    for other in others {
        own.push(other);
    }
}

fn is_callable(meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Symbol(s) if s.kind.is_callable())
}

/// The parameters of a callable.
fn params<'a>(meaning: &Meaning<'a>) -> Option<&'a str> {
    match meaning {
        Meaning::Symbol(s) => Some(s.params()),
        _ => None,
    }
}
