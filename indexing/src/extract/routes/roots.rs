//! What the paths of a router's routes are relative to, as far as the file says it.

use super::parameters::parameter;
use super::path::join;
use super::table::Framework;
use super::{Scan, frameworks_of};
use crate::extract::bindings::RawBinding;
use crate::extract::symbols::Symbols;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, Import, SymbolFact};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Names that lead to other names are followed this far.
const MAX_NAMES: u32 = 8;

/// What paths are relative to: see [`kenning_graph::facts::RouteFact::router`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Root {
    pub name: String,
    /// The parameter that is the router, where `name` is a function that is given one.
    pub parameter: Option<u8>,
    /// What the router was made with: the beginning of what stands before its routes.
    pub own: String,
    pub partial: bool,
    /// The file itself puts it somewhere: this counts where another file does, too.
    pub elsewhere: bool,
}

impl Root {
    /// Nothing: the path is whole.
    pub fn whole() -> Self {
        Self::default()
    }

    fn named(name: impl Into<String>, partial: bool) -> Self {
        Self { name: name.into(), partial, ..Self::default() }
    }

    /// The parameter of a function that is given a router.
    fn given(function: &SymbolFact, parameter: u8) -> Self {
        Self { parameter: Some(parameter), ..Self::named(function.qualified(), true) }
    }
}

/// What stands before the paths of a router's routes, and what that is relative to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Router {
    pub prefix: String,
    pub root: Root,
}

impl Router {
    /// A path that is relative to nothing.
    pub fn whole(prefix: String) -> Self {
        Self { prefix, root: Root::whole() }
    }

    /// A path in it.
    pub fn below(&self, path: &str) -> Self {
        Self { prefix: join(&self.prefix, path), root: self.root.clone() }
    }

    /// As a framework has it: not all put routers below others.
    pub fn of(self, framework: &Framework) -> Self {
        if framework.mounted { self } else { Self::whole(self.prefix) }
    }
}

/// The local names of one file.
pub(super) struct Names<'s> {
    imports: &'s [Import],
    bindings: &'s [RawBinding],
    symbols: &'s Symbols,
    /// Made when the first name is looked for: most files have no routes.
    index: OnceCell<Index<'s>>,
}

#[derive(Default)]
struct Index<'s> {
    imports: FxHashMap<&'s str, &'s Import>,
    /// By name and scope, in the order of the text.
    bindings: FxHashMap<(&'s str, u32), Vec<&'s RawBinding>>,
    /// Names that are bound in a function.
    local: FxHashSet<&'s str>,
    /// Symbols by qualified name.
    symbols: FxHashMap<String, &'s SymbolFact>,
}

impl<'s> Names<'s> {
    pub fn new(imports: &'s [Import], bindings: &'s [RawBinding], symbols: &'s Symbols) -> Self {
        Self { imports, bindings, symbols, index: OnceCell::new() }
    }

    /// The import that binds a name in the file.
    pub fn import(&self, name: &str) -> Option<&'s Import> {
        self.index().imports.get(name).copied()
    }

    /// The symbol of the file with a qualified name.
    pub fn symbol(&self, qualified: &str) -> Option<&'s SymbolFact> {
        self.index().symbols.get(qualified).copied()
    }

    /// The binding of a name that holds at a byte, with its scope: the last before it in the innermost scope, or else the
    /// first there.
    pub fn binding(&self, name: &str, at: u32) -> Option<(u32, &'s RawBinding)> {
        let bindings = &self.index().bindings;
        self.scopes(at).find_map(|scope| {
            let here = bindings.get(&(name, scope))?;
            let before = here.partition_point(|binding| binding.at <= at);
            here.get(before.saturating_sub(1)).map(|binding| (scope, *binding))
        })
    }

    /// The function of the file that a name means at a byte.
    pub fn function_named(&self, name: &str, at: u32) -> Option<&'s SymbolFact> {
        let inner = |scope| match self.fact(scope) {
            Some(around) => self.symbol(&format!("{}.{name}", around.qualified())),
            None => self.symbol(name),
        };
        let own = name.strip_prefix("self.").or(name.strip_prefix("this.")).or(name.strip_prefix("Self."));
        let found = match own {
            Some(name) => self.symbol(&format!("{}.{name}", self.type_around(at)?.qualified())),
            None => self.scopes(at).find_map(inner),
        };
        found.filter(|fact| fact.kind.is_callable())
    }

    /// The type around a byte.
    pub fn type_around(&self, at: u32) -> Option<&'s SymbolFact> {
        self.scopes(at).filter_map(|scope| self.fact(scope)).find(|fact| fact.kind.is_type())
    }

    fn index(&self) -> &Index<'s> {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for import in self.imports.iter().filter(|import| !import.path.is_empty()) {
                index.imports.entry(&import.alias).or_insert(import);
            }
            for fact in &self.symbols.facts {
                index.symbols.entry(fact.qualified()).or_insert(fact);
            }
            for binding in self.bindings.iter().filter(|binding| !binding.member) {
                let mut scope = self.symbols.at(binding.at);
                // What declares a symbol stands in the scope around it.
                if let Some(fact) = self.fact(scope).filter(|fact| fact.name_span.start == binding.at) {
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

    fn fact(&self, scope: u32) -> Option<&'s SymbolFact> {
        self.symbols.facts.get(scope as usize)
    }

    /// The scopes around a byte, the file last.
    fn scopes(&self, at: u32) -> impl Iterator<Item = u32> {
        let mut next = Some(self.symbols.at(at));
        std::iter::from_fn(move || {
            let current = next?;
            next = self.fact(current).map(|fact| fact.parent.unwrap_or(FILE_SCOPE));
            Some(current)
        })
    }

    /// The function that is a scope, or the one around it.
    fn function(&self, scope: u32) -> Option<&'s SymbolFact> {
        let mut fact = self.fact(scope);
        while let Some(inner) = fact.filter(|fact| !fact.kind.is_callable()) {
            fact = inner.parent.and_then(|parent| self.fact(parent));
        }
        fact
    }

    /// The function and the number of its parameter that has a name in a scope.
    fn parameter(&self, name: &str, scope: u32) -> Option<(&'s SymbolFact, u8)> {
        let function = self.fact(scope).filter(|fact| fact.kind.is_callable())?;
        Some((function, parameter(&function.signature, &function.name, name)?))
    }
}

/// Whether a text has a name as a whole word.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|word| word == name)
}

/// The name that a path begins with.
pub(super) fn first(path: &str) -> &str {
    path.split(['.', '(', '[', '#']).next().unwrap_or("")
}

impl Scan<'_, '_> {
    /// What the routes of a router are relative to that is written so at a byte, wherever the file puts it.
    pub(super) fn root_of(&self, receiver: &str, at: u32) -> Root {
        if !frameworks_of(&self.used).any(|framework| framework.mounted) {
            return Root::whole();
        }
        self.root_at(receiver, at, 0)
    }

    fn root_at(&self, receiver: &str, at: u32, depth: u32) -> Root {
        let name = first(receiver);
        if depth > MAX_NAMES {
            return Root::whole();
        }
        if matches!(name, "self" | "this" | "cls") {
            return receiver
                .split_once('.')
                .map_or_else(Root::whole, |(_, field)| self.root_field(field, at));
        }
        if let Some((scope, binding)) = self.names.binding(name, at) {
            // Of what a field holds nothing is known.
            return if name == receiver {
                self.root_bound(name, scope, binding, depth)
            } else {
                Root::whole()
            };
        }
        let outside = self.is_of_framework(name);
        if outside || name.is_empty() || receiver.contains(['(', '?']) {
            return self.root_around(at);
        }
        if name == receiver || self.names.import(name).is_some() {
            return Root::named(receiver, false);
        }
        self.root_around(at)
    }

    /// A field of the type around a byte.
    fn root_field(&self, field: &str, at: u32) -> Root {
        let ty = self.names.type_around(at);
        let Some(field) = ty.and_then(|ty| self.names.symbol(&format!("{}.{field}", ty.qualified()))) else {
            return Root::whole();
        };
        let maker = field.ty.trim_start_matches('=').split('(').next().unwrap_or("");
        if self.is_application(maker) {
            return Root::whole();
        }
        Root::named(field.qualified(), self.makes(maker))
    }

    /// Whether a maker, or a type, is one of routers that are made to be put below a path.
    fn makes(&self, maker: &str) -> bool {
        let (object, call) = maker.rsplit_once('.').unwrap_or(("", maker));
        frameworks_of(&self.used).any(|framework| framework.makes(call, object).is_some())
    }

    /// Whether a name is imported from a framework's package, or is the package.
    pub(super) fn is_of_framework(&self, name: &str) -> bool {
        let Some(import) = self.names.import(name) else {
            return frameworks_of(&self.used).any(|framework| framework.packages.iter().any(|p| p == name));
        };
        let member = format!("{}.{}", import.path, import.name);
        let paths = || [import.path.as_str(), member.as_str()].into_iter();
        frameworks_of(&self.used).any(|framework| framework.imported(paths()))
    }

    fn root_bound(&self, name: &str, scope: u32, binding: &RawBinding, depth: u32) -> Root {
        let parameter = self.names.parameter(name, scope);
        match &binding.value {
            Some((ty, BindingKind::Type)) if self.is_application(&self.x.type_name(ty)) => Root::whole(),
            Some((value, BindingKind::Value | BindingKind::Element)) if parameter.is_none() => {
                let (maker, inner) = (value.split('(').next().unwrap_or(""), first(value));
                if self.is_application(maker) {
                    return Root::whole();
                }
                // `api = app.group("/x")`, `r = app`.
                let made_of = inner != name && (value.contains('.') || !value.contains('('));
                // The list of a router's routes is what these stand in.
                let made_of = made_of && self.listed(value).is_none();
                if made_of && self.names.binding(inner, binding.at).is_some() {
                    return self.root_at(inner, binding.at, depth + 1);
                }
                self.root_in(scope, name, self.makes(maker))
            }
            _ => match parameter {
                Some((function, _)) if !self.is_given(function) => Root::whole(),
                Some((function, parameter)) => Root::given(function, parameter),
                None => self.root_in(scope, name, false),
            },
        }
    }

    /// A variable of the file, or the function in which one is local.
    fn root_in(&self, scope: u32, name: &str, partial: bool) -> Root {
        if scope == FILE_SCOPE {
            return Root::named(name, partial);
        }
        let function = self.names.function(scope);
        function.map_or_else(Root::whole, |function| Root::named(function.qualified(), partial))
    }

    /// The function around a byte, or the variable of the file that is declared there.
    fn root_around(&self, at: u32) -> Root {
        let inner = self.symbols.at(at);
        let Some(fact) = self.names.function(inner).or_else(|| self.symbols.facts.get(inner as usize)) else {
            return Root::whole();
        };
        let given = |ty: &String| parameter(&fact.signature, &fact.name, ty.rsplit('.').next().unwrap_or(ty));
        let given = frameworks_of(&self.used).find_map(|framework| {
            let application = || framework.applications.iter().find_map(given);
            framework.router_types.iter().find_map(given).filter(|_| application().is_none())
        });
        match given.filter(|_| fact.kind.is_callable() && self.is_given(fact)) {
            Some(parameter) => Root::given(fact, parameter),
            None => Root::named(fact.qualified(), false),
        }
    }

    /// Whether what a function is given may be any router. C#: an extension method is called on one; what other methods are given,
    /// the application gives.
    fn is_given(&self, function: &SymbolFact) -> bool {
        let extended = frameworks_of(&self.used).any(|framework| framework.extended);
        !extended || function.signature.contains("(this ")
    }

    /// Whether a maker or a type is one of applications.
    fn is_application(&self, name: &str) -> bool {
        frameworks_of(&self.used).any(|framework| framework.applications.iter().any(|known| known == name))
    }

    /// Whether a name stands for a router by what it is bound to.
    pub(super) fn is_router_by_binding(&self, name: &str, at: u32) -> bool {
        let Some((_, binding)) = self.names.binding(name, at) else { return false };
        let Some((text, how)) = &binding.value else { return false };
        let named = match how {
            BindingKind::Type => self.x.type_name(text),
            _ => text.split('(').next().unwrap_or("").to_owned(),
        };
        let known = |f: &Framework| f.applications.contains(&named) || f.router_types.contains(&named);
        frameworks_of(&self.used).any(known) || self.makes(&named)
    }
}
