//! The resolution rules of a language family, as data.
//!
//! The families of the first rank have Rust code of their own in `resolve/lang`. Every other family
//! is a `[[family]]` table of `languages.toml`, which this module reads. It must not know any
//! language.

use serde::Deserialize;

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
    /// Whether members of the enclosing types are visible without a receiver.
    #[serde(default)]
    pub implicit_receiver: bool,
    /// Whether a type's members can be declared in other files than the type.
    #[serde(default)]
    pub open_types: bool,
    /// Whether types with the same name in one package count as one: a class and its companion.
    #[serde(default)]
    pub companions: bool,
    /// Whether a function declared outside a type can be called like a member of the type, even if
    /// the type is outside the workspace.
    #[serde(default)]
    pub extension_functions: bool,
    /// Whether callables can share a name and differ in their parameters.
    #[serde(default)]
    pub overloads: bool,
    /// Whether a call must have exactly as many arguments as the callee has parameters, except for
    /// variadic callees.
    #[serde(default)]
    pub exact_arity: bool,
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
    /// The name of the method that a call of a type or a value reaches: `apply`, `__invoke`. Empty if
    /// there is none.
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
    /// The files that an import path can name, most likely first, with `{path}` for the path. They
    /// are looked up next to the importing file and then in the [`Self::import_folders`].
    #[serde(default)]
    pub import_files: Vec<String>,
    /// Names of folders from which import paths start, besides the root of the workspace.
    #[serde(default)]
    pub import_folders: Vec<String>,
    /// Whether an import that binds no name makes all names of its target visible.
    #[serde(default)]
    pub wildcard_imports: bool,
    /// Whether files that import a file see the names that it imports.
    #[serde(default)]
    pub reexports: bool,
    /// Whether a call without a receiver that no scope explains can reach a symbol by its name. With
    /// implicit receivers, this is a method: of the receiver of a function literal.
    #[serde(default)]
    pub calls_by_name: bool,
    /// Folder names that mark the files below them as tests.
    #[serde(default)]
    pub test_folders: Vec<String>,
    /// File stems that mark tests, with one `*` at the beginning or the end.
    #[serde(default)]
    pub test_stems: Vec<String>,
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
    fn test_paths_are_told_by_stem_and_folder() {
        let rules: FamilyRules = toml::from_str(
            "id = \"x\"\ntest_folders = [\"spec\"]\ntest_stems = [\"test_*\", \"*_test\", \"all\"]",
        )
        .expect("rules");
        let is_test = |path| rules.is_test_path(path);
        assert!(is_test("a/spec/b.x") && is_test("a/test_b.x") && is_test("b_test.x") && is_test("all.x"));
        assert!(!is_test("a/specs/b.x") && !is_test("a/contest.x") && !is_test("spec.x"));
    }
}
