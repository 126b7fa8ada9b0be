//! The resolution rules of a language family, as data.
//!
//! Some families have Rust code of their own in `resolve/lang`. Every other family is a
//! `[[family]]` table of `languages.toml`, which this module reads. The module must not name any
//! language.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The rules by which the names of a family of languages resolve: a `[[family]]` table of
/// `languages.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FamilyRules {
    /// The name of the family, as in [`super::LanguageRow::family`].
    pub id: String,
    /// The region in which a top-level name is visible without an import.
    #[serde(default)]
    pub visible_in: VisibleRegion,
    /// Whether a name that several top-level symbols of the workspace share refers to the symbols
    /// in the nearest files.
    #[serde(default)]
    pub nearest_names: bool,
    /// Whether members of the enclosing types are visible without a receiver.
    #[serde(default)]
    pub implicit_receiver: bool,
    /// Whether a type's members can be declared in other files than the type.
    #[serde(default)]
    pub open_types: bool,
    /// Whether a function declared outside a type can be called like a member of the type, even if
    /// the type is outside the workspace.
    #[serde(default)]
    pub extension_functions: bool,
    /// Whether callables can share a name and differ in their parameters.
    #[serde(default)]
    pub overloads: bool,
    /// Whether the arguments of a call have labels, which must match the callee's parameters.
    #[serde(default)]
    pub argument_labels: bool,
    /// The name of the result type of methods that return the type of their receiver: `Self`. Empty
    /// if there is none.
    #[serde(default)]
    pub receiver_type: String,
    /// Whether a call must have exactly as many arguments as the callee has parameters, except for
    /// variadic callees.
    #[serde(default)]
    pub exact_arity: bool,
    /// Whether parameters can have defaults, marked by a `=` after their types. A call needs
    /// arguments only for parameters without a default.
    #[serde(default)]
    pub optional_parameters: bool,
    /// Whether a symbol can be declared in one file and defined in another. A declaration's type
    /// begins with `~`; its definition replaces it. Macros, internal constants and private
    /// top-level symbols are visible only in their own file and in the files that import it.
    #[serde(default)]
    pub separate_definitions: bool,
    /// Whether a symbol can have one declaration for each platform, in different files. A reference
    /// leads to the nearest one.
    #[serde(default)]
    pub platform_variants: bool,
    /// Whether a value of a type may be a pointer to several values of the type, so that an indexed
    /// element has the same type.
    #[serde(default)]
    pub pointer_types: bool,
    /// Names of the receiver in a method: `this`, `self`.
    #[serde(default)]
    pub receivers: Vec<String>,
    /// Names of the inherited receiver: `super`, `parent`.
    #[serde(default)]
    pub inherited_receivers: Vec<String>,
    /// The name of constructors among the members of a type; empty if constructors are named after
    /// their type or have no name.
    #[serde(default)]
    pub constructor: String,
    /// Whether a method is called by naming it: `list.size`.
    #[serde(default)]
    pub names_call_methods: bool,
    /// The name of the method that a call of a type or a value reaches: `apply`, `__invoke`. Empty
    /// if there is none.
    #[serde(default)]
    pub call_method: String,
    /// Whether the files without a package form one package, which all other files see.
    #[serde(default)]
    pub global_package: bool,
    /// Whether the path of an import can start at the packages around the importing file.
    #[serde(default)]
    pub relative_imports: bool,
    /// Whether imports name declared packages: `a.b` is the package `a.b`.
    #[serde(default)]
    pub package_imports: bool,
    /// Whether an import that names a symbol or all symbols (`*`) leads to a namespace or type by
    /// its dotted path, unlike an import that names only a path.
    #[serde(default)]
    pub namespace_imports: bool,
    /// The files that an import path can name, most likely first, with `{path}` for the path. They
    /// are looked up next to the importing file and then in the [`Self::import_folders`].
    #[serde(default)]
    pub import_files: Vec<String>,
    /// Names of folders from which import paths start, besides the root of the workspace.
    #[serde(default)]
    pub import_folders: Vec<String>,
    /// Whether the search paths in a `compile_commands.json` are import folders as well.
    #[serde(default)]
    pub compile_commands: bool,
    /// Whether an import that binds no name makes all names of its target visible.
    #[serde(default)]
    pub wildcard_imports: bool,
    /// Whether files that import a file see the names that it imports.
    #[serde(default)]
    pub reexports: bool,
    /// Whether import paths are the qualified names of types or modules in any file. Such names are
    /// also visible without an import.
    #[serde(default)]
    pub qualified_imports: bool,
    /// Whether every file is a module with the capitalized name of the file, visible in all files.
    #[serde(default)]
    pub file_modules: bool,
    /// Whether a file is a type: its top-level names are the members of the values of the type.
    #[serde(default)]
    pub file_types: bool,
    /// Whether the package of a file names the value that the file returns. Files that import it
    /// see the members of the value.
    #[serde(default)]
    pub returned_values: bool,
    /// The manifest of a package, the prefix of imports by package name, and the folder from which
    /// the rest of such an import starts.
    pub packages: Option<PackageRules>,
    /// Whether a call of a name that no file declares reaches a program outside the workspace.
    #[serde(default)]
    pub unknown_calls_external: bool,
    /// Whether a call without a receiver can reach a symbol by its name if no scope declares the
    /// name. With implicit receivers, the symbol is a method of the receiver of a function literal.
    #[serde(default)]
    pub calls_by_name: bool,
    /// Whether a name on which a symbol depends can be the path of a file, relative to the folder
    /// of the file that names it.
    #[serde(default)]
    pub file_dependencies: bool,
    /// Whether the environment variables that a file names are set there and not read.
    #[serde(default)]
    pub sets_environment: bool,
    /// Whether a dependency that no symbol declares is a container image.
    #[serde(default)]
    pub depends_on_images: bool,
    /// Whether the endpoints of a file are specified there and served elsewhere.
    #[serde(default)]
    pub specifies_endpoints: bool,
    /// The shared resources that the symbols of a kind define, by the name of the kind.
    #[serde(default)]
    pub defines: BTreeMap<String, DefinedResource>,
    /// Folder names that mark the files below them as tests.
    #[serde(default)]
    pub test_folders: Vec<String>,
    /// File stems that mark tests, with one `*` at the beginning or the end.
    #[serde(default)]
    pub test_stems: Vec<String>,
}

/// A resource that code of all languages shares and that a schema defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DefinedResource {
    /// A table of a database, or a column in it.
    Table,
    /// An RPC service.
    Rpc,
    /// A field of a root type of a GraphQL schema.
    #[serde(rename = "root_field")]
    RootField,
}

/// The imports of a package by its name, such as `package:app/src/a.dart`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackageRules {
    /// File name of the manifest in the folder of the package. The manifest has a line `name: ...`.
    pub manifest: String,
    /// The prefix of an import path that begins with the name of a package.
    pub prefix: String,
    /// The folder of the package in which the rest of the path starts.
    pub source_folder: String,
}

/// The region in which a top-level name is visible without an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VisibleRegion {
    /// Its own file.
    #[default]
    File,
    /// All files of its declared package; without a package, the files of its folder.
    Package,
    /// All files of the family.
    Workspace,
}

impl FamilyRules {
    /// Whether a file at this path has tests.
    pub fn is_test_path(&self, path: &str) -> bool {
        let (folder, file) = kenning_graph::paths::split_folder(path);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        self.test_stems.iter().any(|pattern| matches_stem(pattern, stem))
            || folder.split('/').any(|part| self.test_folders.iter().any(|name| name == part))
    }
}

/// Whether a stem matches a pattern with one `*` at its beginning or end.
fn matches_stem(pattern: &str, stem: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => stem.ends_with(end),
        (None, Some(start)) => stem.starts_with(start),
        (None, None) => stem == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_paths_are_identified_by_stem_and_folder() {
        let rules: FamilyRules = toml::from_str(
            "id = \"x\"\ntest_folders = [\"spec\"]\ntest_stems = [\"test_*\", \"*_test\", \"all\"]",
        )
        .expect("rules");
        let is_test = |path| rules.is_test_path(path);
        assert!(is_test("a/spec/b.x") && is_test("a/test_b.x") && is_test("b_test.x") && is_test("all.x"));
        assert!(!is_test("a/specs/b.x") && !is_test("a/contest.x") && !is_test("spec.x"));
    }
}
