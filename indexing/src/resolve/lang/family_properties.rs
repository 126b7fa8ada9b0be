//! The properties by which the families with Rust code differ in the code that all families share:
//! scopes and names, types and members, calls and arguments.
//!
//! A property of a declared family belongs to [`crate::languages::FamilyRules`] instead.

use super::family::LanguageFamily;

/// The files in which a member of a type can be declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::resolve) enum MemberRegion {
    /// The file of the type.
    File,
    /// The folder of the type.
    Folder,
    /// The crate of the type.
    Crate,
    /// The files with the package of the type.
    Package,
    /// All files.
    Workspace,
}

/// The calls without a receiver that can reach a symbol elsewhere in the workspace although no
/// scope binds their name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::resolve) enum UnboundCalls {
    /// No call: the scoping rules are complete, so the name is local or external.
    Never,
    /// Calls in files with a wildcard import.
    WithWildcardImport,
    /// Calls of names that are not local, in files without imports: they share one global scope.
    WithoutImports,
    /// Calls of names that are not local.
    UnlessLocal,
    /// All calls.
    Always,
    /// Calls that the rules of the family allow.
    ByRules,
}

/// Properties of scopes and names.
impl LanguageFamily {
    /// Whether a block can declare a symbol, which functions in the block see before its
    /// declaration.
    pub const fn declares_symbols_in_blocks(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether a module that is declared inside a file has a scope and imports of its own.
    pub const fn has_block_modules(self) -> bool {
        matches!(self, Self::Rust)
    }

    /// Whether the members of a type are in scope inside the type.
    pub const fn types_are_scopes(self) -> bool {
        !matches!(self, Self::Go | Self::Rust)
    }

    /// Whether code in the methods of a type sees the types that the type declares.
    pub const fn methods_see_nested_types(self) -> bool {
        !matches!(self, Self::Python)
    }

    /// Whether a module can have methods. The constants of such a module are visible everywhere
    /// inside the module, its methods only in its own methods.
    pub const fn modules_have_methods(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether a later declaration of a name in a file replaces an earlier one.
    pub const fn redeclares_names(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether a file can declare a name as a substitute for an import that fails.
    pub const fn has_import_fallbacks(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether an import of a dotted path binds the first segment and imports the whole path.
    pub const fn imports_whole_paths(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether an import without a path names a module: `use name;`.
    pub const fn imports_modules_by_name(self) -> bool {
        matches!(self, Self::Rust)
    }

    /// Whether documentation can refer to a symbol by its full path without an import.
    pub const fn docs_use_full_paths(self) -> bool {
        matches!(self, Self::Python | Self::Java)
    }

    /// Whether a name that starts with `@` is a variable of the receiver.
    pub const fn has_instance_variables(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether variables and methods with the same name do not hide one another.
    pub const fn separates_methods_from_variables(self) -> bool {
        matches!(self, Self::Java)
    }

    /// Whether macros and functions with the same name do not hide one another.
    pub const fn separates_macros(self) -> bool {
        matches!(self, Self::Rust)
    }

    /// Whether the segments of a module's path name modules that themselves are rarely the target
    /// of a mention.
    pub const fn mentions_modules_as_path_starts(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether only types and constants start with a capital letter, so that a capitalized receiver
    /// without a declaration is a type from outside the workspace.
    pub const fn capitalizes_types(self) -> bool {
        matches!(self, Self::Java | Self::CSharp | Self::Ruby)
    }

    /// Whether the first segment of a path of types shows whether the path leads out of the
    /// workspace.
    pub const fn first_segment_locates_path(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether a wildcard import can bind the name of a call.
    pub const fn wildcards_bind_calls(self) -> bool {
        matches!(self, Self::Java | Self::Python | Self::Rust | Self::Declared(_))
    }

    /// Returns the calls without a receiver that can reach a symbol that no scope binds.
    pub const fn unbound_calls(self) -> UnboundCalls {
        match self {
            Self::Go | Self::Java => UnboundCalls::Never,
            Self::Python => UnboundCalls::WithWildcardImport,
            Self::Script => UnboundCalls::WithoutImports,
            // Macros are visible throughout a crate, and glob imports of external crates bind names
            // that no text shows.
            Self::Rust => UnboundCalls::UnlessLocal,
            Self::CSharp | Self::Ruby => UnboundCalls::Always,
            Self::Declared(_) => UnboundCalls::ByRules,
        }
    }

    /// Whether paths of endpoints ignore case, by the family's usual web framework.
    pub const fn ignores_case_in_paths(self) -> bool {
        matches!(self, Self::CSharp)
    }

    /// Whether a name that is mounted in a module is looked up like every other name.
    pub const fn mounts_names_directly(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether a variable that holds a router can hold the result of a function of the workspace.
    pub const fn exports_factory_results(self) -> bool {
        matches!(self, Self::Script)
    }
}

/// Properties of receivers: `self`, `this`, `super`.
impl LanguageFamily {
    /// Whether a name refers to the receiver of a method.
    pub fn is_receiver_name(self, name: &str) -> bool {
        match self {
            Self::Python | Self::Rust | Self::Ruby => name == "self",
            Self::Script | Self::Java | Self::CSharp => name == "this",
            Self::Go => false,
            Self::Declared(_) => self.declares_receiver(name),
        }
    }

    /// Whether a name refers to the enclosing type in the body of a method: `cls`, `Self`.
    pub fn is_type_receiver_name(self, name: &str) -> bool {
        match self {
            Self::Python => name == "cls",
            Self::Rust => name == "Self",
            _ => false,
        }
    }

    /// Whether a name refers to the inherited part of the receiver: `super`, `base`.
    pub fn is_inherited_receiver_name(self, name: &str) -> bool {
        match self {
            Self::CSharp => name == "base",
            Self::Go | Self::Rust => false,
            Self::Declared(_) => {
                self.declares(|rules| rules.inherited_receivers.iter().any(|receiver| receiver == name))
            }
            Self::Python | Self::Script | Self::Java | Self::Ruby => name == "super",
        }
    }

    /// Whether the first segment of a type's path refers to the enclosing type.
    pub fn names_enclosing_type(self, first: &str) -> bool {
        (first == "Self" && matches!(self, Self::Rust)) || self.declares_receiver(first)
    }

    /// Whether a type expression refers to a value of the enclosing type.
    pub fn is_self_type(self, path: &str) -> bool {
        matches!(self, Self::Python) && matches!(path, "Self" | "t.Self" | "typing.Self")
    }

    /// Whether the receiver is an ordinary parameter, to which a method can assign.
    pub const fn can_rebind_receiver(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether the receiver in a static member, and in the body of a type, is the type itself.
    pub const fn has_type_receivers(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether the keyword for the inherited receiver calls the overridden method.
    pub const fn super_calls_overridden_method(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether a call of the inherited receiver calls a constructor of a base.
    pub const fn super_calls_constructor(self) -> bool {
        !matches!(self, Self::Python)
    }
}

/// Properties of types and members.
impl LanguageFamily {
    /// Returns the files in which a member of a type can be declared.
    pub fn member_region(self) -> MemberRegion {
        match self {
            Self::Go => MemberRegion::Folder,
            Self::Rust => MemberRegion::Crate,
            Self::CSharp => MemberRegion::Package,
            Self::Ruby => MemberRegion::Workspace,
            Self::Declared(_) if self.has_open_types() => MemberRegion::Workspace,
            Self::Python | Self::Script | Self::Java | Self::Declared(_) => MemberRegion::File,
        }
    }

    /// Whether only types can have members in other files.
    pub const fn only_types_are_open(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether files can add trait methods to the types of other files.
    pub const fn has_trait_methods(self) -> bool {
        matches!(self, Self::Rust)
    }

    /// Whether a type implements an interface by having its methods, without naming it.
    pub const fn has_implicit_interfaces(self) -> bool {
        matches!(self, Self::Go)
    }

    /// Whether an embedded type is a part of the type that embeds it: a field with its name, whose
    /// members are members of the type.
    pub const fn embeds_types_as_fields(self) -> bool {
        matches!(self, Self::Go)
    }

    /// Whether a type can be defined from another type, from which it has the fields but not the
    /// methods.
    pub const fn has_defined_types(self) -> bool {
        matches!(self, Self::Go)
    }

    /// Whether a type can be an alias of another type.
    pub const fn has_type_aliases(self) -> bool {
        !matches!(self, Self::Ruby)
    }

    /// Whether each declaration of a type can add bases to it.
    pub const fn declarations_add_bases(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether the bases of a type are searched in order, so that a member of one base hides the
    /// members of the next.
    pub const fn searches_bases_in_order(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether a base can be a type without a name.
    pub const fn has_unnamed_bases(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether a function can be the base of a type.
    pub const fn functions_are_bases(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether variables and functions can declare members of their own.
    pub const fn variables_declare_members(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether a member is a callback of a promise, which is represented by the value it holds.
    pub fn is_promise_callback(self, name: &str) -> bool {
        matches!(self, Self::Script) && name == "then"
    }

    /// Whether a wrapper such as `Option` is represented by the value it holds, so that a member
    /// that the type of the value lacks belongs to the wrapper.
    pub const fn represents_wrappers_by_content(self) -> bool {
        matches!(self, Self::Rust)
    }

    /// Whether structs and enum variants can have fields that are numbered instead of named.
    pub const fn has_positional_fields(self) -> bool {
        matches!(self, Self::Rust)
    }

    /// Whether a module is a type that the values of other types can have.
    pub const fn mixes_in_modules(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether overrides ignore the visibility of a method.
    pub const fn overrides_private_methods(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether a static method can hide an inherited static method but not override it.
    pub const fn hides_static_methods(self) -> bool {
        matches!(self, Self::Java)
    }

    /// Whether a method can name the interface whose method it implements: `IRunner.Run`.
    pub const fn has_explicit_interface_members(self) -> bool {
        matches!(self, Self::CSharp)
    }

    /// Whether [`super::type_ref`] parses the type expressions.
    pub const fn has_structural_types(self) -> bool {
        matches!(self, Self::Go | Self::Python)
    }

    /// Whether special methods determine the results of calls, brackets and loops on a value.
    pub const fn has_special_methods(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether type expressions can be structs without a name, whose fields are in the expression.
    pub const fn has_unnamed_structs(self) -> bool {
        !matches!(self, Self::Python)
    }

    /// Whether declarations state most types, so that long paths of values can be followed.
    pub const fn states_value_types(self) -> bool {
        matches!(self, Self::Rust | Self::Java | Self::CSharp)
    }

    /// Returns the suffix that the name of a decorator's type can have in addition to the name of
    /// the decorator. Empty if there is none.
    pub const fn decorator_suffix(self) -> &'static str {
        match self {
            Self::CSharp => "Attribute",
            _ => "",
        }
    }

    /// Whether an interface with one method is the type of a function.
    pub const fn has_functional_interfaces(self) -> bool {
        matches!(self, Self::Java)
    }
}

/// Properties of calls and arguments.
impl LanguageFamily {
    /// Whether callables of one type can share a name and differ in their parameter types.
    pub const fn has_overloads(self) -> bool {
        matches!(self, Self::Java | Self::CSharp)
    }

    /// Whether a callable can have several declared signatures, by which it has several symbols.
    pub const fn has_overload_signatures(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether most receivers have a known type. A receiver with an unknown type then usually has a
    /// type from outside the workspace.
    pub const fn has_typed_receivers(self) -> bool {
        !matches!(self, Self::Go | Self::Python)
    }

    /// Whether the name of a receiver and the distinctiveness of a method's name decide which
    /// methods a call can reach by name.
    pub const fn narrows_by_receiver_name(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether a call of a name prefers the members of the enclosing type, because a parameter of a
    /// function literal without a type is often the object itself: `this.Given(x => x.Start())`.
    pub const fn prefers_own_members(self) -> bool {
        matches!(self, Self::CSharp)
    }

    /// Whether a variable can hold the function or type that a call of the variable reaches.
    pub const fn calls_values_of_variables(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether the name of a method without a call is the result of the method.
    pub const fn names_call_methods(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether a call without arguments can read a property.
    pub const fn calls_read_properties(self) -> bool {
        matches!(self, Self::Ruby)
    }

    /// Whether a callable accepts any number of arguments.
    pub const fn accepts_any_argument_count(self) -> bool {
        matches!(self, Self::Script)
    }

    /// Whether a callable can accept more arguments than it has parameters.
    pub const fn has_variadic_callables(self) -> bool {
        !matches!(self, Self::Rust)
    }

    /// Whether the parameter types of a callable mark the parameters that a call can omit.
    pub fn marks_optional_parameters(self) -> bool {
        matches!(self, Self::CSharp) || self.declares(|rules| rules.optional_parameters)
    }

    /// Whether callers compare a thrown error with a value and not with its type.
    pub const fn throws_values(self) -> bool {
        matches!(self, Self::Go)
    }

    /// Whether a function whose result is thrown states the type of the error. Elsewhere, code can
    /// throw any value.
    pub const fn states_thrown_types(self) -> bool {
        matches!(self, Self::Java | Self::CSharp)
    }

    /// Returns the name under which a builtin that throws is recorded.
    pub const fn builtin_throw_name(self, builtin: &str) -> &str {
        match self {
            Self::Rust => "panic",
            _ => builtin,
        }
    }

    /// Whether a test framework runs fixtures for the tests that request them by name.
    pub const fn has_requested_fixtures(self) -> bool {
        matches!(self, Self::Python)
    }

    /// Whether test frameworks collect tests from test files only.
    pub const fn collects_tests_by_path(self) -> bool {
        matches!(self, Self::Python)
    }
}
