//! The origin of a router: the variable, function or import that the paths of its routes are
//! relative to, according to one file.
//!
//! If the router is a variable at file level or a field, that variable or field is its origin. If
//! it is a local variable or a parameter, its origin is the enclosing function. Paths of
//! applications, which are never mounted, have no origin.

use super::framework_table::WebFramework;
use super::parameters::parameter_position;
use super::path_template::join_route_paths;
use super::{RouteScan, serving_frameworks};
use crate::extract::bindings::RawBinding;
use crate::extract::dialects::is_extension_method;
use crate::extract::expressions::BoundValue;
use crate::extract::symbols::FileSymbols;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, ImportFact, SymbolFact};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Maximum number of steps from one name to another. Names can form a cycle (`a = b` and `b = a`).
const MAX_FOLLOWED_NAMES: u32 = 8;

/// The origin that paths are relative to: see [`kenning_graph::facts::RouteFact::router`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RouterOrigin {
    pub name: String,
    /// The parameter that is the router, if `name` is a function with such a parameter.
    pub parameter: Option<u8>,
    /// The path that the router was created with, which begins the prefix of its routes.
    pub creation_prefix: String,
    pub needs_mount: bool,
    /// Whether the file itself also mounts the router. If so, this origin counts only if another
    /// file mounts the router.
    pub is_mounted_in_file: bool,
}

impl RouterOrigin {
    /// Returns the empty origin, which means that the path is complete.
    pub fn at_root() -> Self {
        Self::default()
    }

    /// Returns the origin with this name, for a router that needs no mount.
    fn from_name(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Returns the origin of a router that is a parameter of `function`.
    fn from_parameter(function: &SymbolFact, parameter: u8) -> Self {
        Self { parameter: Some(parameter), needs_mount: true, ..Self::from_name(function.qualified_name()) }
    }
}

/// The prefix of a router's routes, and the origin that it is relative to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RouterPrefix {
    pub prefix: String,
    pub origin: RouterOrigin,
}

impl RouterPrefix {
    /// Returns a prefix without an origin.
    pub fn from_absolute_path(prefix: String) -> Self {
        Self { prefix, origin: RouterOrigin::at_root() }
    }

    /// Returns the prefix extended by `path`, with the same origin.
    pub fn join_path(&self, path: &str) -> Self {
        Self { prefix: join_route_paths(&self.prefix, path), origin: self.origin.clone() }
    }

    /// Returns the prefix without its origin if the framework does not mount routers.
    pub fn for_framework(self, framework: &WebFramework) -> Self {
        if framework.mounted { self } else { Self::from_absolute_path(self.prefix) }
    }
}

/// The local names of one file.
pub(super) struct LocalNames<'s> {
    imports: &'s [ImportFact],
    bindings: &'s [RawBinding],
    symbols: &'s FileSymbols,
    /// The index, built at the first lookup: most files have no routes.
    index: OnceCell<LocalNameIndex<'s>>,
}

/// The imports, bindings and symbols of a file by name.
#[derive(Default)]
struct LocalNameIndex<'s> {
    imports: FxHashMap<&'s str, &'s ImportFact>,
    /// Bindings by name and scope, in the order of the text.
    bindings: FxHashMap<(&'s str, u32), Vec<&'s RawBinding>>,
    /// Names that are bound inside a function.
    local: FxHashSet<&'s str>,
    /// Symbols by qualified name.
    symbols: FxHashMap<String, &'s SymbolFact>,
}

impl<'s> LocalNames<'s> {
    pub fn new(imports: &'s [ImportFact], bindings: &'s [RawBinding], symbols: &'s FileSymbols) -> Self {
        Self { imports, bindings, symbols, index: OnceCell::new() }
    }

    /// Finds the import that binds a name in the file.
    pub fn find_import(&self, name: &str) -> Option<&'s ImportFact> {
        self.name_index().imports.get(name).copied()
    }

    /// Finds the symbol of the file with this qualified name.
    pub fn find_symbol(&self, qualified: &str) -> Option<&'s SymbolFact> {
        self.name_index().symbols.get(qualified).copied()
    }

    /// Finds the binding of a name that is in effect at a byte, and its scope: the last one before
    /// the byte in the innermost scope that binds the name, or the first one of that scope if none
    /// is before it.
    pub fn find_binding(&self, name: &str, offset: u32) -> Option<(u32, &'s RawBinding)> {
        let bindings = &self.name_index().bindings;
        self.enclosing_scopes(offset).find_map(|scope| {
            let in_scope = bindings.get(&(name, scope))?;
            let before = in_scope.partition_point(|binding| binding.at <= offset);
            in_scope.get(before.saturating_sub(1)).map(|binding| (scope, *binding))
        })
    }

    /// Finds the function of the file that a name refers to at a byte.
    pub fn find_function(&self, name: &str, offset: u32) -> Option<&'s SymbolFact> {
        let in_scope = |scope| match self.symbol_fact(scope) {
            Some(symbol) => self.find_symbol(&format!("{}.{name}", symbol.qualified_name())),
            None => self.find_symbol(name),
        };
        let member = name.strip_prefix("self.").or(name.strip_prefix("this.")).or(name.strip_prefix("Self."));
        let symbol_of_name = match member {
            Some(name) => {
                self.find_symbol(&format!("{}.{name}", self.enclosing_type(offset)?.qualified_name()))
            }
            None => self.enclosing_scopes(offset).find_map(in_scope),
        };
        symbol_of_name.filter(|fact| fact.kind.is_callable())
    }

    /// Returns the innermost type around a byte.
    pub fn enclosing_type(&self, offset: u32) -> Option<&'s SymbolFact> {
        self.enclosing_scopes(offset)
            .filter_map(|scope| self.symbol_fact(scope))
            .find(|fact| fact.kind.is_type())
    }

    fn name_index(&self) -> &LocalNameIndex<'s> {
        self.index.get_or_init(|| {
            let mut index = LocalNameIndex::default();
            for import in self.imports.iter().filter(|import| !import.path.is_empty()) {
                index.imports.entry(&import.alias).or_insert(import);
            }
            for fact in &self.symbols.facts {
                index.symbols.entry(fact.qualified_name()).or_insert(fact);
            }
            for binding in self.bindings.iter().filter(|binding| !binding.is_member) {
                let mut scope = self.symbols.symbol_at(binding.at);
                // The declaration of a symbol binds its name in the scope around it.
                if let Some(fact) = self.symbol_fact(scope).filter(|fact| fact.name_span.start == binding.at)
                {
                    scope = fact.parent.unwrap_or(FILE_SCOPE);
                }
                if scope != FILE_SCOPE {
                    index.local.insert(&binding.name);
                }
                index.bindings.entry((&binding.name, scope)).or_default().push(binding);
            }
            index.bindings.values_mut().for_each(|all| all.sort_by_key(|binding| binding.at));
            index
        })
    }

    fn symbol_fact(&self, scope: u32) -> Option<&'s SymbolFact> {
        self.symbols.facts.get(scope as usize)
    }

    /// Returns the scopes around a byte from the innermost outwards, the file last.
    fn enclosing_scopes(&self, offset: u32) -> impl Iterator<Item = u32> {
        let mut next = Some(self.symbols.symbol_at(offset));
        std::iter::from_fn(move || {
            let current = next?;
            next = self.symbol_fact(current).map(|fact| fact.parent.unwrap_or(FILE_SCOPE));
            Some(current)
        })
    }

    /// Returns the function that is this scope, or the innermost one around it.
    fn enclosing_function(&self, scope: u32) -> Option<&'s SymbolFact> {
        let mut fact = self.symbol_fact(scope);
        while let Some(inner) = fact.filter(|fact| !fact.kind.is_callable()) {
            fact = inner.parent.and_then(|parent| self.symbol_fact(parent));
        }
        fact
    }

    /// Returns the function that is this scope, and the position of its parameter with this name.
    fn find_parameter(&self, name: &str, scope: u32) -> Option<(&'s SymbolFact, u8)> {
        let function = self.symbol_fact(scope).filter(|fact| fact.kind.is_callable())?;
        Some((function, parameter_position(&function.signature, &function.name, name)?))
    }
}

/// Whether a text contains a name as a whole word.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|word| word == name)
}

/// Returns the name at the beginning of a path.
pub(super) fn first_segment(path: &str) -> &str {
    path.split(['.', '(', '[', '#']).next().unwrap_or("")
}

/// Returns the path of the function or type that an expression calls, or the whole expression if it
/// is not a call: `express.Router` for `express.Router()`.
fn called_path(expression: &str) -> &str {
    expression.split('(').next().unwrap_or("")
}

impl RouteScan<'_, '_> {
    /// Returns the origin of the router that the expression `receiver` denotes at a byte,
    /// regardless of where the file mounts it.
    pub(super) fn origin_of_router(&self, receiver: &str, offset: u32) -> RouterOrigin {
        if !serving_frameworks(&self.used).any(|framework| framework.mounted) {
            return RouterOrigin::at_root();
        }
        self.origin_of_receiver(receiver, offset, 0)
    }

    /// Returns the origin of a router after `depth` steps from one name to another.
    fn origin_of_receiver(&self, receiver: &str, offset: u32, depth: u32) -> RouterOrigin {
        let name = first_segment(receiver);
        if depth > MAX_FOLLOWED_NAMES {
            return RouterOrigin::at_root();
        }
        if matches!(name, "self" | "this" | "cls") {
            return receiver
                .split_once('.')
                .map_or_else(RouterOrigin::at_root, |(_, field)| self.origin_of_field(field, offset));
        }
        if let Some((scope, binding)) = self.names.find_binding(name, offset) {
            // The content of a variable's field is unknown.
            return if name == receiver {
                self.origin_of_binding(name, scope, binding, depth)
            } else {
                RouterOrigin::at_root()
            };
        }
        let is_framework = self.is_framework_name(name);
        if is_framework || name.is_empty() || receiver.contains(['(', '?']) {
            return self.origin_of_enclosing_symbol(offset);
        }
        if name == receiver || self.names.find_import(name).is_some() {
            return RouterOrigin::from_name(receiver);
        }
        self.origin_of_enclosing_symbol(offset)
    }

    /// Returns the origin of a field of the type around a byte.
    fn origin_of_field(&self, field: &str, offset: u32) -> RouterOrigin {
        let ty = self.names.enclosing_type(offset);
        let Some(field) =
            ty.and_then(|ty| self.names.find_symbol(&format!("{}.{field}", ty.qualified_name())))
        else {
            return RouterOrigin::at_root();
        };
        let creator = called_path(field.ty.trim_start_matches('='));
        if self.is_application_type(creator) {
            return RouterOrigin::at_root();
        }
        RouterOrigin {
            needs_mount: self.creates_router(creator),
            ..RouterOrigin::from_name(field.qualified_name())
        }
    }

    /// Whether calling this function or type creates a router that other routers can mount.
    fn creates_router(&self, creator: &str) -> bool {
        let (object, call) = creator.rsplit_once('.').unwrap_or(("", creator));
        serving_frameworks(&self.used).any(|framework| framework.router_keyword(call, object).is_some())
    }

    /// Whether a name is imported from a framework's package, or is the package.
    pub(super) fn is_framework_name(&self, name: &str) -> bool {
        let Some(import) = self.names.find_import(name) else {
            return serving_frameworks(&self.used)
                .any(|framework| framework.packages.iter().any(|p| p == name));
        };
        let member = format!("{}.{}", import.path, import.name);
        let paths = || [import.path.as_str(), member.as_str()].into_iter();
        serving_frameworks(&self.used).any(|framework| framework.is_imported(paths()))
    }

    /// Returns the origin of the router that a name is bound to.
    fn origin_of_binding(&self, name: &str, scope: u32, binding: &RawBinding, depth: u32) -> RouterOrigin {
        let parameter = self.names.find_parameter(name, scope);
        match &binding.value {
            Some(BoundValue { text: ty, kind: BindingKind::Type })
                if self.is_application_type(&self.expressions.normalized_type_name(ty)) =>
            {
                RouterOrigin::at_root()
            }
            Some(BoundValue { text: value, kind: BindingKind::Value | BindingKind::Element })
                if parameter.is_none() =>
            {
                let (creator, source) = (called_path(value), first_segment(value));
                if self.is_application_type(creator) {
                    return RouterOrigin::at_root();
                }
                // The value comes from another name in `api = app.group("/x")` and `r = app`.
                let is_derived = source != name && (value.contains('.') || !value.contains('('));
                // The variable that is assigned the list of a router's routes is the parent of
                // these routes, not a copy of the router.
                let is_derived = is_derived && self.router_of_list(value).is_none();
                if is_derived && self.names.find_binding(source, binding.at).is_some() {
                    return self.origin_of_receiver(source, binding.at, depth + 1);
                }
                self.origin_of_variable(scope, name, self.creates_router(creator))
            }
            _ => match parameter {
                Some((function, _)) if !self.accepts_any_router(function) => RouterOrigin::at_root(),
                Some((function, parameter)) => RouterOrigin::from_parameter(function, parameter),
                None => self.origin_of_variable(scope, name, false),
            },
        }
    }

    /// Returns a variable of the file as the origin, or, for a local variable, the function around
    /// it.
    fn origin_of_variable(&self, scope: u32, name: &str, needs_mount: bool) -> RouterOrigin {
        if scope == FILE_SCOPE {
            return RouterOrigin { needs_mount, ..RouterOrigin::from_name(name) };
        }
        let function = self.names.enclosing_function(scope);
        function.map_or_else(RouterOrigin::at_root, |function| RouterOrigin {
            needs_mount,
            ..RouterOrigin::from_name(function.qualified_name())
        })
    }

    /// Returns the function around a byte as the origin, or the variable of the file that is
    /// declared there.
    fn origin_of_enclosing_symbol(&self, offset: u32) -> RouterOrigin {
        let inner = self.symbols.symbol_at(offset);
        let Some(fact) =
            self.names.enclosing_function(inner).or_else(|| self.symbols.facts.get(inner as usize))
        else {
            return RouterOrigin::at_root();
        };
        let position_of_type = |ty: &String| {
            parameter_position(&fact.signature, &fact.name, ty.rsplit('.').next().unwrap_or(ty))
        };
        let router_parameter = serving_frameworks(&self.used).find_map(|framework| {
            let application = || framework.applications.iter().find_map(position_of_type);
            framework.router_types.iter().find_map(position_of_type).filter(|_| application().is_none())
        });
        match router_parameter.filter(|_| fact.kind.is_callable() && self.accepts_any_router(fact)) {
            Some(parameter) => RouterOrigin::from_parameter(fact, parameter),
            None => RouterOrigin::from_name(fact.qualified_name()),
        }
    }

    /// Whether any router may be passed to a function. In C#, an extension method can be called on
    /// any router; other methods receive the application itself.
    fn accepts_any_router(&self, function: &SymbolFact) -> bool {
        let extended = serving_frameworks(&self.used).any(|framework| framework.has_extension_methods);
        !extended || is_extension_method(function)
    }

    /// Whether this is the name of an application type, or of a function that creates one.
    fn is_application_type(&self, name: &str) -> bool {
        serving_frameworks(&self.used)
            .any(|framework| framework.applications.iter().any(|known| known == name))
    }

    /// Whether a name is bound to a router.
    pub(super) fn is_bound_to_router(&self, name: &str, offset: u32) -> bool {
        let Some((_, binding)) = self.names.find_binding(name, offset) else { return false };
        let Some(BoundValue { text, kind }) = &binding.value else { return false };
        let creator = match kind {
            BindingKind::Type => self.expressions.normalized_type_name(text),
            _ => called_path(text).to_owned(),
        };
        let knows_creator =
            |f: &WebFramework| f.applications.contains(&creator) || f.router_types.contains(&creator);
        serving_frameworks(&self.used).any(knows_creator) || self.creates_router(&creator)
    }
}
