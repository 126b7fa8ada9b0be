//! The result of a lookup: the definitions that a name or an expression can lead to.
//!
//! A `Definition` is a symbol, a module, or a value; a value is known by its type. A `Resolution`
//! has all possible definitions of one expression and flags that indicate how certain they are. The
//! lookups that produce it are in `resolver.rs`.

use super::named_types::CollectionLevels;
use super::static_members::Staticness;
use kenning_graph::SymbolRef;
use std::rc::Rc;

/// A definition that a name or an expression leads to.
#[derive(Clone, Debug)]
pub(super) enum Definition<'a> {
    /// A module, package or namespace of the workspace.
    Module(ModuleRef),
    /// A symbol itself, not its value: a type, a function, a variable.
    Symbol(SymbolRef<'a>),
    /// A value of a type of the workspace.
    Instance(SymbolRef<'a>),
    /// A collection, possibly nested, of values of a type of the workspace. Has at least one level.
    Collection(SymbolRef<'a>, CollectionLevels),
    /// A value of a type without a name: a collection, several values, a function.
    Structural(Rc<LocatedType>),
    /// `super`: the inherited members of a type of the workspace, or of its instances.
    Super(SymbolRef<'a>, Staticness),
    /// An unknown class that includes this module. Only the module is known.
    Includer(SymbolRef<'a>),
    /// The object that a variable or a field holds, as `this` in its methods.
    This(SymbolRef<'a>),
    /// A symbol outside the workspace.
    External(Rc<ExternalSymbol>),
    /// A builtin of the language.
    Builtin,
}

impl<'a> Definition<'a> {
    /// Returns a value of a type, nested in these collections.
    pub fn in_collections(ty: SymbolRef<'a>, levels: CollectionLevels) -> Self {
        if levels.is_none() { Self::Instance(ty) } else { Self::Collection(ty, levels) }
    }
}

impl PartialEq for Definition<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Module(a), Self::Module(b)) => a == b,
            (Self::Symbol(a), Self::Symbol(b))
            | (Self::Instance(a), Self::Instance(b))
            | (Self::Includer(a), Self::Includer(b))
            | (Self::This(a), Self::This(b)) => a.id == b.id,
            (Self::Super(a, staticness), Self::Super(b, other)) => a.id == b.id && staticness == other,
            (Self::Collection(a, levels), Self::Collection(b, other)) => a.id == b.id && levels == other,
            (Self::External(a), Self::External(b)) => a == b,
            (Self::Structural(a), Self::Structural(b)) => a == b,
            (Self::Builtin, Self::Builtin) => true,
            _ => false,
        }
    }
}

/// A type expression and the scope whose names it uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LocatedType {
    /// Workspace path of the file.
    pub path: String,
    /// Dotted container in the file.
    pub container: String,
    /// The type expression.
    pub text: String,
}

impl LocatedType {
    /// Returns the scope whose names the type expression uses.
    pub fn lookup_scope(&self) -> LookupScope<'_> {
        LookupScope { path: &self.path, container: &self.container }
    }
}

/// A symbol outside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExternalSymbol {
    /// Package or module that the symbol belongs to: `net/http`.
    pub package: String,
    /// Dotted name in the package; empty for the package itself.
    pub name: String,
}

impl ExternalSymbol {
    /// Creates a symbol of a package from its dotted name.
    pub fn new(package: &str, name: &str) -> Self {
        Self { package: package.to_owned(), name: name.to_owned() }
    }

    /// Whether the name starts with a capital, as names of types do.
    pub fn is_type(&self) -> bool {
        let simple_name = self.name.rsplit('.').next().unwrap_or("");
        simple_name.chars().next().is_some_and(char::is_uppercase)
    }

    /// Returns the member `name` of this symbol.
    pub fn member_named(&self, name: &str) -> Self {
        let name = if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) };
        Self { package: self.package.clone(), name }
    }
}

/// A module, package or namespace of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ModuleRef {
    /// A file, or a module written as a block in it.
    File {
        /// Workspace path.
        path: String,
        /// Dotted container of the block module in the file; empty for the file itself.
        container: String,
    },
    /// A folder: a Go package, a Python package without `__init__`, a Rust crate folder without its
    /// root file.
    Folder(String),
    /// A declared package or namespace: Java, C#.
    Package(String),
}

impl ModuleRef {
    /// Creates the module of the file at a workspace path.
    pub fn from_path(path: impl Into<String>) -> Self {
        Self::File { path: path.into(), container: String::new() }
    }
}

/// The definitions that a name leads to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resolution<'a> {
    /// The possible definitions; usually one.
    pub definitions: Vec<Definition<'a>>,
    /// Whether the name is bound here, by a local or by an import, even if the imported module is
    /// missing. A bound name must not be looked up elsewhere, even if `definitions` is empty.
    pub is_bound: bool,
    /// Whether some members of a type are unknown because it has bases outside the workspace.
    pub has_unknown_members: bool,
    /// Whether the result rests on names and their surroundings alone, not on a scope, import or
    /// type.
    pub is_likely: bool,
    /// Whether the fields in `definitions` have generated accessors, which no source contains: a
    /// call returns the value of the field.
    pub has_generated_accessor: bool,
}

impl<'a> Resolution<'a> {
    /// Returns the result of a lookup that found nothing.
    pub fn not_found() -> Self {
        Self::default()
    }

    /// Returns the result for a bound name whose value is unknown.
    pub fn bound_to_unknown() -> Self {
        Self { is_bound: true, ..Self::default() }
    }

    /// Returns a result with these definitions, which is bound if there are any.
    pub fn from_definitions(definitions: Vec<Definition<'a>>) -> Self {
        let is_bound = !definitions.is_empty();
        Self { definitions, is_bound, ..Self::default() }
    }

    /// Returns the result for a builtin of the language.
    pub fn builtin() -> Self {
        Self::from_definitions(vec![Definition::Builtin])
    }

    /// Whether there are no definitions. The name may be bound nevertheless.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// Adds a definition unless the resolution has it already.
    pub fn push(&mut self, definition: Definition<'a>) {
        if !self.definitions.contains(&definition) {
            self.definitions.push(definition);
            self.is_bound = true;
        }
    }

    /// Adds all definitions and flags of another resolution.
    pub fn extend(&mut self, other: &Self) {
        self.has_unknown_members |= other.has_unknown_members;
        self.is_likely |= other.is_likely;
        self.has_generated_accessor |= other.has_generated_accessor;
        self.is_bound |= other.is_bound;
        for definition in &other.definitions {
            self.push(definition.clone());
        }
    }
}

/// The scope from which names are looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookupScope<'s> {
    /// Workspace path of the file.
    pub path: &'s str,
    /// Dotted container: the qualified name of the innermost enclosing symbol, or empty.
    pub container: &'s str,
}

/// Maximum number of definitions of a name. A very common name has more, and none of them is a
/// likely target.
pub(super) const MAX_DEFINITIONS: usize = 8;

/// Maximum number of definitions of a name in languages with overloads: assertion and formatting
/// libraries overload one method dozens of times.
pub(super) const MAX_OVERLOADS: usize = 40;

/// Maximum number of definitions of a name in languages with argument labels, where all methods of
/// a delegate can have one name: `tableView(_:didSelectRowAt:)`.
pub(super) const MAX_LABELED_OVERLOADS: usize = 160;
