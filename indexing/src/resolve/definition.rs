//! What a name or an expression can stand for.

use super::family::LanguageFamily;
use super::named_types::CollectionLevels;
use super::static_members::Staticness;
use kenning_graph::SymbolRef;
use std::rc::Rc;

/// One thing that a name or an expression can stand for.
#[derive(Clone, Debug)]
pub(super) enum Definition<'a> {
    /// A module, package or namespace of the workspace.
    Module(ModuleRef),
    /// A symbol itself: a type, a function, a variable, not its value.
    Symbol(SymbolRef<'a>),
    /// A value of a type of the workspace.
    Instance(SymbolRef<'a>),
    /// A collection of values of a type of the workspace, or of collections of them: at least one level.
    Collection(SymbolRef<'a>, CollectionLevels),
    /// A value of a type that has no name: a collection, several values, a function.
    Shaped(Rc<LocatedType>),
    /// Members that the bases of a type of the workspace, or their values, have: `super`.
    Super(SymbolRef<'a>, Staticness),
    /// Ruby: the type of a value of which a module that it includes is all that is known.
    Includer(SymbolRef<'a>),
    /// The object that a variable or a field holds, as `this` in its methods.
    This(SymbolRef<'a>),
    /// Something outside the workspace.
    External(Rc<ExternalSymbol>),
    /// Something that the language has built in.
    Builtin,
}

impl<'a> Definition<'a> {
    /// A value of a type, in these collections.
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
            (Self::Super(a, side), Self::Super(b, other)) => a.id == b.id && side == other,
            (Self::Collection(a, levels), Self::Collection(b, other)) => a.id == b.id && levels == other,
            (Self::External(a), Self::External(b)) => a == b,
            (Self::Shaped(a), Self::Shaped(b)) => a == b,
            (Self::Builtin, Self::Builtin) => true,
            _ => false,
        }
    }
}

/// A type expression and the place whose names it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocatedType {
    /// Workspace path of the file.
    pub path: String,
    /// Dotted container in the file.
    pub container: String,
    /// The type expression.
    pub text: String,
}

impl LocatedType {
    /// The place.
    pub fn lookup_scope(&self) -> LookupScope<'_> {
        LookupScope { path: &self.path, container: &self.container }
    }
}

/// Something outside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExternalSymbol {
    /// Package or module it comes from: `net/http`.
    pub package: String,
    /// Dotted name in it; empty for the package itself.
    pub name: String,
}

impl ExternalSymbol {
    pub fn new(package: &str, name: &str) -> Self {
        Self { package: package.to_owned(), name: name.to_owned() }
    }

    /// Whether its name is written as that of a type.
    pub fn is_type(&self) -> bool {
        let last = self.name.rsplit('.').next().unwrap_or("");
        last.chars().next().is_some_and(char::is_uppercase)
    }

    /// What `name` is of this.
    pub fn member_named(&self, name: &str) -> Self {
        let name = if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) };
        Self { package: self.package.clone(), name }
    }
}

/// A module, package or namespace of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ModuleRef {
    /// A file; the container is that of a module written as a block inside it, or empty.
    File {
        /// Workspace path.
        path: String,
        /// Dotted container in the file.
        container: String,
    },
    /// A folder: a Go package, a Python package without `__init__`, a Rust crate folder without its root file.
    Folder(String),
    /// A declared package or namespace: Java, C#.
    Package(String),
}

impl ModuleRef {
    pub fn from_path(path: impl Into<String>) -> Self {
        Self::File { path: path.into(), container: String::new() }
    }
}

/// The meanings of a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resolution<'a> {
    /// What it can stand for; usually one.
    pub meanings: Vec<Definition<'a>>,
    /// The name is bound here (a local, an import that leads to an unknown place): it must not be looked for
    /// elsewhere, even where `meanings` is empty.
    pub bound: bool,
    /// Part of a type's members cannot be seen: it has bases outside the workspace.
    pub opaque: bool,
    /// No scope, import or type decides, only names and what stands beside them.
    pub likely: bool,
    /// The fields among the meanings stand for accessors that are written nowhere: a call gives what they hold.
    pub accessor: bool,
}

impl<'a> Resolution<'a> {
    pub fn not_found() -> Self {
        Self::default()
    }

    pub fn bound_to_unknown() -> Self {
        Self { bound: true, ..Self::default() }
    }

    pub fn from_definitions(meanings: Vec<Definition<'a>>) -> Self {
        let bound = !meanings.is_empty();
        Self { meanings, bound, ..Self::default() }
    }

    pub fn from_builtin() -> Self {
        Self::from_definitions(vec![Definition::Builtin])
    }

    pub fn is_empty(&self) -> bool {
        self.meanings.is_empty()
    }

    /// Adds a meaning that is not there yet.
    pub fn push(&mut self, meaning: Definition<'a>) {
        if !self.meanings.contains(&meaning) {
            self.meanings.push(meaning);
            self.bound = true;
        }
    }

    /// Adds all meanings of another.
    pub fn extend(&mut self, other: &Self) {
        self.opaque |= other.opaque;
        self.likely |= other.likely;
        self.accessor |= other.accessor;
        self.bound |= other.bound;
        for meaning in &other.meanings {
            self.push(meaning.clone());
        }
    }
}

/// A place from which names are looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookupScope<'s> {
    /// Workspace path of the file.
    pub path: &'s str,
    /// Dotted container: the qualified name of the innermost enclosing symbol, or empty.
    pub container: &'s str,
}

/// Meanings of a path beyond this number say nothing.
pub(super) const MAX_MEANINGS: usize = 8;

/// Callables of one name that a type can have, in languages with overloads.
pub(super) const MAX_OVERLOADS: usize = 40;

/// Names of constructors among the members of a type.
pub(super) const fn constructor_name(family: LanguageFamily) -> Option<&'static str> {
    match family {
        LanguageFamily::Python => Some("__init__"),
        LanguageFamily::Script => Some("constructor"),
        LanguageFamily::Ruby => Some("initialize"),
        // Java and C#: the constructor bears the name of its type.
        _ => None,
    }
}
