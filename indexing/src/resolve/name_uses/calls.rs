//! Edges of calls and constructions, and the selection of the callee.
//!
//! `resolve_callee` collects the callables that the name and its receiver lead to and keeps the
//! callables that fit the arguments. If there are none, it tries extension methods and then, for an
//! unknown receiver, the name alone (`by_name.rs`).

use super::{NameUse, symbol_definitions};
use crate::resolve::definition::{Definition, ExternalSymbol};
use crate::resolve::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES};
use crate::resolve::path_notation::ValuePart;
use crate::resolve::tracked_snapshot::split_last_segment;
use crate::resolve::{argument_labels, extension_methods, lang, overloads};
use kenning_graph::facts::{ReferenceRole, UNKNOWN_ARITY};
use kenning_graph::{EdgeKind, SymbolKind, SymbolRef};

/// The target of a call.
pub(super) enum CallTarget<'a> {
    /// Possible callees in the workspace, with the strength of the evidence for all of them.
    Symbols(Vec<SymbolRef<'a>>, EdgeStrength),
    /// A callee outside the workspace, if known by name.
    External(Option<ExternalSymbol>),
    /// No target, or too many targets.
    Unknown,
}

impl<'a> NameUse<'_, 'a> {
    /// Adds the `calls` edges of the call, and `tests` edges if a test contains it. Counts the call
    /// in the statistics of `edges`.
    pub(super) fn add_call_edges(&self, edges: &mut EdgeCollector) {
        let scope = self.reference.scope;
        let source = self.context.symbol_id(scope);
        match self.resolve_callee() {
            CallTarget::Symbols(targets, strength) => {
                let strength = strength.split_among(targets.len());
                if targets.len() > 1 {
                    edges.calls.ambiguous += 1;
                } else {
                    edges.calls.resolved += 1;
                }
                let test = self.test_scope();
                for target in targets {
                    edges.add_symbol_edge(
                        source,
                        target.id,
                        EdgeKind::Calls,
                        strength,
                        Some(self.line_number()),
                    );
                    if let Some(test) = test
                        && !self.is_test_code(&target)
                    {
                        edges.add_symbol_edge(
                            self.context.symbol_id(test),
                            target.id,
                            EdgeKind::Tests,
                            strength,
                            Some(self.line_number()),
                        );
                    }
                }
            }
            CallTarget::External(external) => {
                edges.calls.external += 1;
                if let Some(external) = external {
                    self.add_external_edge(&external, EdgeKind::Calls, edges);
                }
            }
            CallTarget::Unknown => edges.calls.unresolved += 1,
        }
    }

    /// Returns the target of the call. Selects among overloads by the arguments.
    fn resolve_callee(&self) -> CallTarget<'a> {
        let found = self.resolve_use();
        let mut targets: Vec<SymbolRef<'a>> = Vec::new();
        let (mut external, mut is_external) = (None, found.has_unknown_members);
        for definition in &found.definitions {
            match definition {
                Definition::Symbol(s) if self.can_hold_callable(s) => {
                    self.add_callables_of_variable(s, &mut targets);
                }
                Definition::Symbol(s) if self.is_type_query(s) => is_external = true,
                Definition::Symbol(s) => self.add_call_targets(s, &mut targets),
                Definition::Super(..) if !self.context.resolver.family.super_calls_constructor() => {
                    is_external = true;
                }
                Definition::Super(s, _) => self.add_base_constructors(s, &mut targets, &mut is_external),
                Definition::Instance(s) if self.context.resolver.family.has_special_methods() => {
                    targets.extend(self.call_methods_of_value(s));
                }
                Definition::External(e) => external = Some((**e).clone()),
                Definition::Builtin
                | Definition::Collection(..)
                | Definition::Structural(_)
                | Definition::Includer(_) => {
                    is_external = true;
                }
                // `new self()`.
                Definition::Instance(s)
                    if self.receiver.is_empty()
                        && self.context.resolver.family.declares_receiver(self.name) =>
                {
                    self.add_call_targets(s, &mut targets);
                }
                Definition::Instance(s)
                    if self.receiver.is_empty() && !self.call_methods_of(s).is_empty() =>
                {
                    targets.extend(self.call_methods_of(s));
                }
                // `this(...)` calls another constructor of the type.
                Definition::Instance(s) if self.receiver.is_empty() && self.name == "this" => {
                    targets.extend(self.constructors_of(s));
                }
                // A method of a wrapper (`unwrap`, `clone`) returns the receiver's own type.
                Definition::Instance(_) if !self.receiver.is_empty() => is_external = true,
                Definition::Instance(_) | Definition::Module(_) | Definition::This(_) => {}
            }
        }
        if self.context.resolver.family.separates_macros() {
            targets.retain(|s| (s.kind == SymbolKind::Macro) == self.is_macro_call());
            is_external |= self.is_macro_call()
                && self.context.resolver.family.language_builtins().names.contains(self.name);
        }
        self.keep_matching_arity(&mut targets);
        self.prefer_constructed_type(&mut targets);
        match targets.len() {
            1..=MAX_CANDIDATES => return CallTarget::Symbols(targets, EdgeStrength::from_resolution(&found)),
            0 => {}
            _ => return CallTarget::Unknown,
        }
        let extensions = extension_methods::extension_candidates(self.context, self.reference);
        if (1..=MAX_CANDIDATES).contains(&extensions.methods.len()) {
            let is_confirmed = extensions.is_receiver_confirmed;
            let strength = if is_confirmed { EdgeStrength::RESOLVED } else { EdgeStrength::INFERRED };
            return CallTarget::Symbols(extensions.methods, strength);
        }
        if external.is_some() || is_external {
            return CallTarget::External(external);
        }
        if found.is_bound {
            return CallTarget::Unknown;
        }
        self.candidates_by_name()
    }

    /// Whether the call returns the type of a value (`self.class`) instead of constructing an
    /// instance.
    fn is_type_query(&self, symbol: &SymbolRef) -> bool {
        let type_of = &self.context.resolver.family.language_builtins().type_of;
        self.reference.role == ReferenceRole::Call && symbol.kind.is_type() && type_of.contains(self.name)
    }

    /// Whether the call invokes a macro.
    pub(super) fn is_macro_call(&self) -> bool {
        self.context.facts.strings.get(self.reference.arguments) == "!"
    }

    /// Adds the symbols that a call to `symbol` reaches. For a type these are its constructors, or
    /// the type itself if it has none.
    fn add_call_targets(&self, symbol: &SymbolRef<'a>, targets: &mut Vec<SymbolRef<'a>>) {
        if !symbol.kind.is_type() {
            return push_unique(targets, *symbol);
        }
        let mut constructors = self.constructors_of(symbol);
        if self.reference.role == ReferenceRole::Call {
            constructors.extend(self.call_methods_of(symbol));
        }
        if self.context.resolver.family.declared_rules().is_some() {
            // The constructor that fits may be a part of the type's declaration.
            constructors.retain(|constructor| self.accepts_arguments(constructor));
        }
        if constructors.is_empty() {
            push_unique(targets, *symbol);
        }
        for constructor in constructors {
            push_unique(targets, constructor);
        }
    }

    /// Returns the methods that a call of a type or of its values reaches
    /// (`FamilyRules::call_method`). Returns an empty list in families without such methods.
    fn call_methods_of(&self, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
        let resolver = &self.context.resolver;
        let name = resolver.family.declared_rules().map_or("", |rules| rules.call_method.as_str());
        if name.is_empty() {
            return Vec::new();
        }
        symbol_definitions(&resolver.members_of_type(ty, name)).filter(|s| s.kind.is_callable()).collect()
    }

    /// Returns the methods that a call of a value reaches in families with special methods.
    fn call_methods_of_value(&self, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
        let methods = lang::special_method_names(ValuePart::CallResult).iter();
        let members = methods.map(|name| self.context.resolver.members_of_type(ty, name));
        members
            .flat_map(|found| symbol_definitions(&found).collect::<Vec<_>>())
            .filter(|s| s.kind.is_callable())
            .collect()
    }

    /// Whether a symbol is a variable or constant that can hold the target of a call.
    fn can_hold_callable(&self, symbol: &SymbolRef) -> bool {
        self.context.resolver.family.calls_values_of_variables()
            && matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Constant)
    }

    /// Adds the functions and types that a variable holds. If its value is unknown, adds the
    /// variable itself, unless it is declared in a block.
    fn add_callables_of_variable(&self, variable: &SymbolRef<'a>, targets: &mut Vec<SymbolRef<'a>>) {
        let values = self.context.resolver.value_of_symbol(variable);
        let callables: Vec<_> =
            symbol_definitions(&values).filter(|s| s.kind.is_callable() || s.kind.is_type()).collect();
        for symbol in &callables {
            self.add_call_targets(symbol, targets);
        }
        if callables.is_empty() && !self.context.is_block_local(variable) {
            push_unique(targets, *variable);
        }
    }

    /// Returns the constructors of a type. Keeps only the constructors that fit the arguments of
    /// the call, if there are any.
    fn constructors_of(&self, ty: &SymbolRef<'a>) -> Vec<SymbolRef<'a>> {
        let name = lang::constructor_name(self.context.resolver.family).unwrap_or(ty.name);
        let found = self.context.resolver.own_members(ty, name);
        // A constructor without an arity, such as a static constructor in C#, runs without a call.
        let mut constructors: Vec<SymbolRef<'a>> = symbol_definitions(&found)
            .filter(|s| s.kind == SymbolKind::Constructor && s.arity.is_some())
            .collect();
        self.keep_matching_arity(&mut constructors);
        constructors
    }

    /// Adds the constructors of the bases of `ty`. Sets `is_external` if a base is outside the
    /// workspace.
    fn add_base_constructors(
        &self,
        ty: &SymbolRef<'a>,
        targets: &mut Vec<SymbolRef<'a>>,
        is_external: &mut bool,
    ) {
        for base in &self.context.resolver.resolve_bases(ty).definitions {
            match base {
                Definition::Symbol(base) => self.add_call_targets(base, targets),
                _ => *is_external = true,
            }
        }
    }

    /// In declared families, replaces several constructors of one type by the type itself, which is
    /// the certain target.
    fn prefer_constructed_type(&self, targets: &mut Vec<SymbolRef<'a>>) {
        let resolver = &self.context.resolver;
        let [first, rest @ ..] = targets.as_slice() else { return };
        let is_of_type = |s: &SymbolRef| {
            s.kind == SymbolKind::Constructor && (s.path, s.container) == (first.path, first.container)
        };
        if rest.is_empty() || resolver.family.declared_rules().is_none() || !targets.iter().all(is_of_type) {
            return;
        }
        let (outer, name) = split_last_segment(first.container);
        if let Some(ty) = resolver.find_symbol_at(first.path, outer, name).filter(|s| s.kind.is_type()) {
            *targets = vec![ty];
        }
    }

    /// Keeps the callables that take the call's number of arguments. Keeps all if none does.
    pub(super) fn keep_matching_arity(&self, targets: &mut Vec<SymbolRef<'a>>) {
        if targets.len() < 2 {
            return;
        }
        if self.context.resolver.family.has_overload_signatures() {
            return lang::keep_called_declarations(self.reference.arity, targets);
        }
        // If a name belongs to a callable and to other symbols, the call reaches the callable.
        let reads_properties = self.context.resolver.family.calls_read_properties();
        let is_callable =
            |s: &SymbolRef| s.kind.is_callable() || (reads_properties && s.kind == SymbolKind::Property);
        if targets.iter().any(is_callable) {
            targets.retain(|s| is_callable(s) || s.kind.is_type());
        }
        if reads_properties {
            // If a method has the name of a property, such as an `attr_writer`, the call reads through the method.
            let methods: Vec<&str> =
                targets.iter().filter(|s| s.kind.is_callable()).map(|s| s.container).collect();
            targets.retain(|s| s.kind != SymbolKind::Property || !methods.contains(&s.container));
        }
        if self.context.resolver.family.declares(|rules| rules.argument_labels) {
            return argument_labels::keep_best_fits(self.context, self.reference, targets);
        }
        let fits = |s: &SymbolRef<'a>| self.accepts_arguments(s);
        // If an overload takes a parameter pack, the exact number of arguments does not distinguish
        // the overloads.
        let has_packs = self.context.resolver.family.declares(|rules| rules.optional_parameters)
            && targets.iter().any(|s| overloads::is_variadic(s.param_types()) && fits(s));
        let has_enough = |s: &SymbolRef| {
            usize::from(self.reference.arity) >= overloads::count_before_pack(s.param_types())
        };
        if has_packs && targets.iter().any(has_enough) {
            targets.retain(has_enough);
        }
        let has_exact_arity =
            |s: &SymbolRef| !has_packs && s.arity.is_some_and(|arity| arity == self.reference.arity);
        if targets.iter().any(has_exact_arity) {
            targets.retain(has_exact_arity);
        } else if targets.iter().any(fits) {
            targets.retain(fits);
        }
        overloads::keep_best_overloads(self.context, self.reference, targets);
        self.context.resolver.keep_nearest_variant(targets);
    }

    /// Whether a callable accepts the number of arguments of the call, or the call's argument
    /// labels.
    pub(super) fn accepts_arguments(&self, symbol: &SymbolRef<'a>) -> bool {
        if self.context.resolver.family.declares(|rules| rules.argument_labels) {
            return argument_labels::accepts_labels(self.context, self.reference, symbol);
        }
        let (Some(arity), count) = (symbol.arity, self.reference.arity) else { return true };
        // The parameter types mark variadic parameters, because resolution may not read the
        // signatures of other files.
        let marks_pointers = self.context.resolver.family.declares(|rules| rules.pointer_types);
        let is_variadic = overloads::is_variadic(symbol.param_types())
            || (!marks_pointers && symbol.param_types().contains('*'));
        if count == UNKNOWN_ARITY
            || self.context.resolver.family.accepts_any_argument_count()
            || (is_variadic && self.context.resolver.family.has_variadic_callables())
        {
            return true;
        }
        match self.context.resolver.family {
            family if family.marks_optional_parameters() => {
                count <= arity && usize::from(count) >= overloads::required_count(symbol.param_types())
            }
            family if family.requires_exact_arity() => count == arity,
            _ => count <= arity,
        }
    }
}

fn push_unique<'a>(targets: &mut Vec<SymbolRef<'a>>, symbol: SymbolRef<'a>) {
    if !targets.iter().any(|target| target.id == symbol.id) {
        targets.push(symbol);
    }
}
