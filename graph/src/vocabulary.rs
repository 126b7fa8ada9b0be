//! The vocabulary of the graph: kinds of symbols and edges, provenance and visibility.
//!
//! Numbers and names are stored in files and are part of formats, so existing ones never change.
//! The weights of edge kinds in the random walk are in `kenning-retrieval`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Declares an enum with stable numbers (stored in files) and stable snake_case names (shown and
/// stored).
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $number:literal $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant = $number,)+ }

        impl $name {
            /// All values, in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// Returns the stable name, as shown to users and stored in text formats.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// Returns the value with this stable name.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }

            /// Returns the stable number, as stored in files.
            pub const fn number(self) -> u8 { self as u8 }

            /// Returns the value with this stable number.
            pub const fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some($name::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

vocabulary! {
    /// The kind of a symbol.
    SymbolKind {
        /// The file itself, the source of file-level references and imports; never a search result.
        File = 0 "file",
        /// A free function.
        Function = 1 "function",
        /// A function that belongs to a type.
        Method = 2 "method",
        /// A constructor (`__init__`, `constructor`, Java and C# constructors, Ruby `initialize`).
        Constructor = 3 "constructor",
        /// A class.
        Class = 4 "class",
        /// A struct.
        Struct = 5 "struct",
        /// An enum type.
        Enum = 6 "enum",
        /// An interface.
        Interface = 7 "interface",
        /// A Rust trait.
        Trait = 8 "trait",
        /// A type alias, or a defined type that is none of the others.
        TypeAlias = 9 "type",
        /// A record type.
        Record = 10 "record",
        /// A module or namespace written as a block.
        Module = 11 "module",
        /// A field of a type.
        Field = 12 "field",
        /// A property with accessors.
        Property = 13 "property",
        /// A constant outside functions.
        Constant = 14 "constant",
        /// A variable outside functions.
        Variable = 15 "variable",
        /// A member of an enum.
        EnumMember = 16 "enum_member",
        /// A macro definition.
        Macro = 17 "macro",
        /// A union type.
        Union = 18 "union",
        /// An endpoint: method and normalized path (`GET /users/{}`), or `RPC` and the service. Its
        /// servers and its consumers share one symbol.
        Route = 19 "route",
        /// A symbol outside the workspace, known only by its name.
        External = 20 "external",
        /// An environment variable.
        EnvVar = 21 "env_var",
        /// A process that is executed.
        Process = 22 "process",
        /// An owner of files: a user, a team or an address of `CODEOWNERS`.
        Owner = 23 "owner",
        /// An author of lines, according to version control.
        Author = 24 "author",
        /// A feature flag.
        Flag = 25 "flag",
        /// A table or a view of a database.
        Table = 26 "table",
        /// Something that code in several languages names and shares: a table or a column of a
        /// database, a topic or a queue, a package of a registry, a root field of a GraphQL schema,
        /// an image of a container, an environment of a deployment. Its package is the word for its
        /// kind.
        Resource = 27 "resource",
        /// A section of a document: a heading with its text, up to the next heading of the same or
        /// a higher level.
        Section = 28 "section",
    }
}

/// The text between the headings in the qualified name of a [`SymbolKind::Section`].
pub const SECTION_SEPARATOR: &str = " > ";

/// The package of the [`SymbolKind::Resource`]s that are tables and columns of databases.
pub const TABLE_PACKAGE: &str = "table";

/// The package of the [`SymbolKind::Resource`]s that are fields of the root types of a GraphQL
/// schema: `Query.user`.
pub const GRAPHQL_PACKAGE: &str = "graphql";

/// The package of the [`SymbolKind::Resource`]s that are images of containers.
pub const IMAGE_PACKAGE: &str = "image";

impl SymbolKind {
    /// Whether symbols of this kind are types, that is, have members and can be inherited from or
    /// aliased.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Enum
                | Self::Interface
                | Self::Trait
                | Self::TypeAlias
                | Self::Record
                | Self::Module
                | Self::Union
                | Self::Table
        )
    }

    /// Whether symbols of this kind can be called.
    pub const fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro)
    }

    /// Returns the text between the container and the name of a symbol of this kind.
    pub const fn name_separator(self) -> &'static str {
        if matches!(self, Self::Section) { SECTION_SEPARATOR } else { "." }
    }

    /// Whether symbols of this kind have no text in the workspace.
    pub const fn is_phantom(self) -> bool {
        matches!(
            self,
            Self::External
                | Self::EnvVar
                | Self::Process
                | Self::Route
                | Self::Flag
                | Self::Resource
                | Self::Owner
                | Self::Author
        )
    }
}

vocabulary! {
    /// The relation that an edge expresses, from its source to its target.
    EdgeKind {
        /// Caller to callee.
        Calls = 0 "calls",
        /// Type to the interface or trait it implements.
        Implements = 1 "implements",
        /// Server type to RPC service.
        ImplementsRpc = 2 "implements_rpc",
        /// Method to the method it overrides.
        Overrides = 3 "overrides",
        /// Route to its handler.
        HandlesRoute = 4 "handles_route",
        /// Type to its base.
        Extends = 5 "extends",
        /// Test to the symbol it tests.
        Tests = 6 "tests",
        /// Function to RPC service it calls.
        ConsumesRpc = 7 "consumes_rpc",
        /// File to imported file, symbol or package.
        Imports = 8 "imports",
        /// Resource to resource.
        DependsOn = 9 "depends_on",
        /// Function to endpoint it calls.
        ConsumesEndpoint = 10 "consumes_endpoint",
        /// Symbol to its test.
        TestedBy = 11 "tested_by",
        /// Symbol to a symbol it mentions.
        References = 12 "references",
        /// Function to error type.
        Throws = 13 "throws",
        /// Deployment target (an environment, an image) to the job of a workflow that deploys it.
        DeployedBy = 14 "deployed_by",
        /// Function to feature flag.
        GatedByFlag = 15 "gated_by_flag",
        /// Decorator to decorated symbol.
        Decorates = 16 "decorates",
        /// Documented symbol or section of a document to a symbol that the text names.
        Documents = 17 "documents",
        /// Symbol to another symbol that the same test uses.
        CoTestedWith = 18 "co_tested_with",
        /// Function to the type in an annotation.
        TypeHintOf = 19 "type_hint_of",
        /// Symbol to a symbol with a similar body.
        SimilarTo = 20 "similar_to",
        /// Symbol to owner.
        OwnedBy = 21 "owned_by",
        /// Symbol to author.
        AuthoredBy = 22 "authored_by",
        /// Method to a field it reads or writes.
        AccessesField = 23 "accesses_field",
        /// Function to environment variable.
        ReadsEnv = 24 "reads_env",
        /// Function to process.
        ExecutesProcess = 25 "executes_process",
        /// Type to member.
        Contains = 26 "contains",
        /// Member to type.
        MemberOf = 27 "member_of",
        /// Type to a method it inherits.
        Inherits = 28 "inherits",
        /// Test to a symbol that a recorded run of it executed.
        Covers = 29 "covers",
        /// Caller to a symbol that a trace shows it to call.
        RuntimeCalls = 30 "runtime_calls",
        /// Shared resource, endpoint or RPC service to the symbol that defines it.
        DefinedBy = 31 "defined_by",
    }
}

impl EdgeKind {
    /// Whether the text of the source needs the target. Similarity, ownership, membership, mirrors
    /// and mentions in documentation do not need it.
    pub const fn is_use(self) -> bool {
        !matches!(
            self,
            Self::Contains
                | Self::MemberOf
                | Self::TestedBy
                | Self::CoTestedWith
                | Self::SimilarTo
                | Self::Documents
                | Self::OwnedBy
                | Self::AuthoredBy
        )
    }

    /// Whether edges of this kind start at a phantom and end in the workspace.
    pub const fn starts_outside(self) -> bool {
        matches!(self, Self::HandlesRoute | Self::DefinedBy | Self::DeployedBy)
    }
}

vocabulary! {
    /// The evidence for an edge. The numbers are in order of strength, weakest first.
    Provenance {
        /// By its name alone (confidence 0.7, lower when ambiguous).
        AstInferred = 0 "ast_inferred",
        /// Through an import, a scope or a known receiver type (0.85).
        AstResolved = 1 "ast_resolved",
        /// Observed at run time (0.2 to 0.95).
        Runtime = 2 "runtime",
        /// From a language server (0.9).
        LspResolved = 3 "lsp_resolved",
        /// From the structure of the text: containment (1.0).
        Structural = 4 "structural",
        /// From version control (1.0).
        Git = 5 "git",
    }
}

impl Provenance {
    /// Returns the confidence of an unambiguous edge of this provenance, from 0 to 1.
    pub const fn base_confidence(self) -> f32 {
        match self {
            Self::AstInferred => 0.7,
            Self::AstResolved => 0.85,
            Self::Runtime => 0.5,
            Self::LspResolved => 0.9,
            Self::Structural | Self::Git => 1.0,
        }
    }
}

vocabulary! {
    /// The visibility of a symbol according to the text.
    Visibility {
        /// Visible everywhere.
        Public = 0 "public",
        /// Visible to subclasses.
        Protected = 1 "protected",
        /// Visible in its package, crate, module or assembly.
        Internal = 2 "internal",
        /// Visible in its type or file.
        Private = 3 "private",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_round_trip() {
        for &kind in SymbolKind::ALL {
            assert_eq!(SymbolKind::parse(kind.as_str()), Some(kind));
            assert_eq!(SymbolKind::from_number(kind.number()), Some(kind));
        }
        for &kind in EdgeKind::ALL {
            assert_eq!(EdgeKind::parse(kind.as_str()), Some(kind));
            assert_eq!(EdgeKind::from_number(kind.number()), Some(kind));
        }
        for &provenance in Provenance::ALL {
            assert_eq!(Provenance::parse(provenance.as_str()), Some(provenance));
        }
        assert_eq!(EdgeKind::from_number(200), None);
        assert!(Provenance::LspResolved > Provenance::AstResolved);
    }
}
