//! The rows of `languages.toml`: the properties of a language as data.

use super::key_path_rules::KeyPathRule;
use crate::extract::DocumentFormat;
use crate::extract::doc_links::DocLinkStyle;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A row of `languages.toml`: the names that a language gives to the concepts all languages have.
///
/// Node kinds and field names are those of the language's grammar; a test checks that all of them
/// exist.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageRow {
    /// The language id, as in [`kenning_graph::FileFacts::language`].
    pub id: String,
    /// The name of the language family, whose members' symbols can refer to one another. Defaults
    /// to the id.
    #[serde(default)]
    pub family: String,
    /// File name extensions, without the dot.
    pub extensions: Vec<String>,
    /// Extensions of another language whose files belong to this language if one of their lines
    /// begins with one of the [`Self::line_markers`]. The first matching language of the list wins.
    #[serde(default)]
    pub marked_extensions: Vec<String>,
    /// Beginnings of lines that another language with the same extension does not have.
    #[serde(default)]
    pub line_markers: Vec<String>,
    /// Whole file names.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// File names without the extension of the files that are the module of their folder.
    #[serde(default)]
    pub module_files: Vec<String>,
    /// Whether the files contain GraphQL operations outside of literals.
    #[serde(default)]
    pub operation_files: bool,
    /// Whether the files are not parsed and have no symbols: manifests, which the module `project`
    /// reads.
    #[serde(default)]
    pub unparsed: bool,
    /// The format, for documents, which are not parsed with the grammar.
    #[serde(default)]
    pub(crate) document: Option<DocumentFormat>,
    /// Tags of the language on blocks of code in documents, besides its id and its extensions.
    #[serde(default)]
    pub block_tags: Vec<String>,
    /// Whether blocks of the language in documents are commands to type, which name no symbols.
    #[serde(default)]
    pub blocks_are_commands: bool,
    /// The registry of the packages that imports name, if their names show the package:
    /// [`PackageEcosystem::match_import`](kenning_graph::packages::PackageEcosystem::match_import).
    #[serde(default)]
    pub packages: Option<kenning_graph::packages::PackageEcosystem>,
    /// Ends of paths: parts separated by `/`, in each of which one `*` matches any characters.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Extensions whose files belong to this language if the outermost mapping of their text has
    /// all keys of one of the [`Self::claiming_keys`]. Other files with the extension are not read.
    #[serde(default)]
    pub claimed_extensions: Vec<String>,
    /// Lists of top-level keys of YAML or JSON, for [`Self::claimed_extensions`].
    #[serde(default)]
    pub claiming_keys: Vec<Vec<String>>,
    /// Interpreters in a `#!` line, which identify scripts without a file extension.
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// Node kinds of comments.
    pub comments: Vec<String>,
    /// Names of the elements that hold the scripts of a template. The rest of the text is not
    /// parsed. A file of such a language is a component, which other files import as its default
    /// export.
    #[serde(default)]
    pub script_sections: Vec<String>,
    /// Whether the text may contain expressions of a template in double braces, which are not
    /// parsed.
    #[serde(default)]
    pub template_expressions: bool,
    /// Whether the text assigns values to names (`NAME=value`) and only the names are read. See
    /// [`crate::hidden_values`].
    #[serde(default)]
    pub hides_assigned_values: bool,
    /// Keys of mappings in whose values only the keys are read. See [`crate::hidden_values`].
    #[serde(default)]
    pub hidden_keys: Vec<String>,
    /// The meanings of the values at paths of keys, in a language whose texts are nested mappings.
    #[serde(default)]
    pub(crate) key_paths: Vec<KeyPathRule>,
    /// Prefixes of comment lines, longest first, in addition to the prefixes that most languages
    /// share (`//`, `#`, `*`).
    #[serde(default)]
    pub comment_marks: Vec<String>,
    /// Leaf kinds that hold the content of string and character literals.
    pub strings: Vec<String>,
    /// Node kinds of decorators, annotations and attributes, which are part of a symbol's span but
    /// not of its signature.
    #[serde(default)]
    pub decorations: Vec<String>,
    /// Node kinds that only wrap a declaration (`export`, `type (...)`) and are part of its span.
    #[serde(default)]
    pub wrappers: Vec<String>,
    /// Leaf kinds that form one segment of an expression such as `a.b()`.
    pub names: Vec<String>,
    /// `kind = [object, name]`: the fields of `object.name`. `"?"` means that the node does not
    /// hold the object; both are empty if the grammar has no fields for them.
    #[serde(default)]
    pub members: BTreeMap<String, [String; 2]>,
    /// `kind = function`: the field that holds the called expression; `""` for the first named
    /// child.
    #[serde(default)]
    pub calls: BTreeMap<String, String>,
    /// `kind = [object, name]`: calls that hold the receiver and the method name themselves.
    #[serde(default)]
    pub method_calls: BTreeMap<String, [String; 2]>,
    /// `kind = type`: expressions that create a value of the type in a field; `""` for the first
    /// named child.
    #[serde(default)]
    pub constructs: BTreeMap<String, String>,
    /// `kind = inner`: expressions with the same meaning as their inner expression; `""` for the
    /// first named child.
    #[serde(default)]
    pub transparent: BTreeMap<String, String>,
    /// `kind = collection`: expressions that return an element of a collection.
    #[serde(default)]
    pub elements: BTreeMap<String, String>,
    /// Node kinds that limit the scope of the names bound inside them: blocks, closures.
    #[serde(default)]
    pub blocks: Vec<String>,
    /// Node kinds that list several values or names side by side.
    #[serde(default)]
    pub tuples: Vec<String>,
    /// Whether types are followed through values: bindings record which part of a value they hold,
    /// and symbols without a declared type get the type of their value.
    #[serde(default)]
    pub value_types: bool,
    /// Whether functions can share a name and differ in their parameter types. If so, calls record
    /// their arguments.
    #[serde(default)]
    pub overloads: bool,
    /// Whether arguments have labels, which distinguish callables with the same name. If so,
    /// parameters begin with their label, a `=` marks those with a default, and calls record the
    /// labels of their arguments.
    #[serde(default)]
    pub argument_labels: bool,
    /// `kind = type`: literals in an argument list and their types; `"=>"` for function literals.
    #[serde(default)]
    pub literals: BTreeMap<String, String>,
    /// The beginning of a line that starts a member of a type even though the grammar continues the
    /// line before. A text with errors is parsed again with a separator before such lines.
    #[serde(default)]
    pub lines_begin_members: String,
    /// Whether the first string of a body is its documentation.
    #[serde(default)]
    pub docstrings: bool,
    /// The notation in which documentation refers to symbols.
    #[serde(default)]
    pub doc_links: DocLinkStyle,
    /// Whether members of the enclosing type can be named without a receiver.
    #[serde(default)]
    pub bare_members: bool,
    /// Node kinds in which a lone name is not a value: patterns, parameters, labels, imports.
    #[serde(default)]
    pub not_values: Vec<String>,
    /// Whether documentation contains XML tags, which are removed.
    #[serde(default)]
    pub xml_docs: bool,
    /// The property that distinguishes overloads: the types of the parameters, or their names in
    /// languages without types.
    #[serde(default)]
    pub params_by: OverloadKey,
    /// Names of parameters that are the receiver.
    #[serde(default)]
    pub receiver_names: Vec<String>,
    /// Whether a `{` directly after the arguments of a call begins one more argument, a function
    /// literal.
    #[serde(default)]
    pub trailing_lambdas: bool,
    /// Node kinds of parameters that are the receiver.
    #[serde(default)]
    pub receiver_kinds: Vec<String>,
    /// Node kinds of bodies, for grammars without the field `body`.
    #[serde(default)]
    pub bodies: Vec<String>,
    /// Node kinds of parameter lists, for grammars without the field `parameters` or with other
    /// nodes in that field.
    #[serde(default)]
    pub parameter_lists: Vec<String>,
    /// Node kinds of parameters, for grammars that put other nodes next to them. Without a
    /// parameter list, they are children of the declaration.
    #[serde(default)]
    pub parameter_kinds: Vec<String>,
    /// Names of methods that are constructors.
    #[serde(default)]
    pub constructors: Vec<String>,
    /// Whether the constructors of a type declare its fields and contain no statements.
    #[serde(default)]
    pub record_constructors: bool,
    /// Whether functions in a module are its methods.
    #[serde(default)]
    pub methods_in_modules: bool,
    /// Whether `Foo.new` creates a `Foo`.
    #[serde(default)]
    pub new_calls: bool,
    /// Whether adjacent declarations of one function are its clauses and count as one symbol.
    #[serde(default)]
    pub joins_clauses: ClauseKey,
    /// Whether a local name without a known value hides other symbols with its name.
    #[serde(default)]
    pub hides_names: bool,
    /// Whether a variable in capitals is a constant.
    #[serde(default)]
    pub constants_by_case: bool,
    /// Generic types that are replaced by their first argument when a member is looked up.
    #[serde(default)]
    pub transparent_types: Vec<String>,
    /// Bounds of type parameters that do not determine the members of a value: markers, traits of
    /// the standard library. In other languages a type with such a name is an ordinary type.
    #[serde(default)]
    pub empty_bounds: Vec<String>,
    /// Kinds of clauses that bound a type parameter outside the parameter list and are direct
    /// children of the declaration.
    #[serde(default)]
    pub bound_clauses: Vec<String>,
    /// The keyword before the bounds of a type parameter. Empty if the query does not capture it.
    #[serde(default)]
    pub bound_keyword: String,
    /// Type names that are not references.
    #[serde(default)]
    pub builtin_types: Vec<String>,
    /// The keyword in place of a type that stands for the type of the value: `var`. Empty if there
    /// is none.
    #[serde(default)]
    pub inferred_type: String,
    /// Functions of the language itself, which are not references when called without a receiver.
    #[serde(default)]
    pub ignored_calls: Vec<String>,
    /// Prefixes of the names of callables that are tests.
    #[serde(default)]
    pub test_prefixes: Vec<String>,
    /// Names of decorations that mark a symbol as a test.
    #[serde(default)]
    pub test_decorations: Vec<String>,
    /// Base types, by the last part of their name, whose methods with a test prefix are tests.
    #[serde(default)]
    pub test_bases: Vec<String>,
    /// Names of methods that run before each test of their type.
    #[serde(default)]
    pub setup_names: Vec<String>,
    /// Names of decorations that mark such methods.
    #[serde(default)]
    pub setup_decorations: Vec<String>,
    /// Calls whose first argument, if a literal, names an environment variable.
    #[serde(default)]
    pub env_calls: Vec<String>,
    /// Objects whose members are environment variables.
    #[serde(default)]
    pub env_objects: Vec<String>,
    /// Calls and constructions whose first argument, if a literal, is a program.
    #[serde(default)]
    pub process_calls: Vec<String>,
}

/// The property that distinguishes overloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverloadKey {
    /// The types of the parameters.
    #[default]
    Type,
    /// The names of the parameters.
    Name,
}

/// The property that adjacent declarations share, besides their name, to be clauses of one
/// function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClauseKey {
    /// No property: each declaration is a separate function.
    #[default]
    Never,
    /// The number of parameters.
    Arity,
    /// Only the name.
    Name,
}
