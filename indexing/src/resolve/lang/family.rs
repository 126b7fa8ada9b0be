//! Families of languages whose symbols can refer to one another, and the properties that
//! distinguish the families.
//!
//! The language of a file determines its family. A family with Rust code in `resolve/lang` is a
//! variant of [`LanguageFamily`]; every other family is [`LanguageFamily::Declared`], and its
//! properties are the [`FamilyRules`] of `languages.toml`. The methods answer the yes-or-no
//! questions of the code that all families share.

use crate::builtins::{self, Builtins};
use crate::languages::{FamilyRules, LanguageRegistry, VisibleRegion};
use kenning_graph::{SymbolKind, SymbolRef};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// A family of languages. Names resolve within a family, never across two families.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::resolve) enum LanguageFamily {
    Go,
    Python,
    /// TypeScript and JavaScript, with and without JSX.
    Script,
    Rust,
    Java,
    CSharp,
    Ruby,
    /// A family whose rules are data: the index of its table in `languages.toml`.
    Declared(u8),
}

/// The declared families and the script family, by the ids of their languages.
static DECLARED_FAMILIES: LazyLock<FxHashMap<&'static str, LanguageFamily>> = LazyLock::new(|| {
    let registry = LanguageRegistry::get();
    let families = registry.family_rules().iter().zip(0..);
    let scripts = registry.all_languages().iter().filter(|language| language.row.family == "script");
    let scripts = scripts.map(|language| (language.language_id(), LanguageFamily::Script));
    let languages = families.flat_map(|(rules, index)| {
        let members = registry.all_languages().iter().filter(|language| language.row.family == rules.id);
        members.map(move |language| (language.language_id(), LanguageFamily::Declared(index)))
    });
    languages.chain(scripts).collect()
});

impl LanguageFamily {
    /// Returns the family of a language id from `languages.toml`. Returns `None` for languages
    /// without resolution rules.
    pub fn from_language(language: &str) -> Option<Self> {
        Some(match language {
            "go" => Self::Go,
            "python" => Self::Python,
            "typescript" | "tsx" | "javascript" => Self::Script,
            "rust" => Self::Rust,
            "java" => Self::Java,
            "csharp" => Self::CSharp,
            "ruby" => Self::Ruby,
            _ => return DECLARED_FAMILIES.get(language).copied(),
        })
    }

    /// Returns the rules of a declared family. Returns `None` for a family with Rust code of its
    /// own.
    pub fn declared_rules(self) -> Option<&'static FamilyRules> {
        match self {
            Self::Declared(index) => LanguageRegistry::get().family_rules().get(usize::from(index)),
            _ => None,
        }
    }

    /// Whether a declared family has a property. Returns `false` for a family with Rust code of its
    /// own.
    pub fn declares(self, property: impl FnOnce(&FamilyRules) -> bool) -> bool {
        self.declared_rules().is_some_and(property)
    }

    /// Whether a symbol belongs to this family and is not the symbol of a file.
    pub fn contains_symbol(self, symbol: &SymbolRef<'_>) -> bool {
        symbol.kind != SymbolKind::File && Self::from_language(symbol.language) == Some(self)
    }

    /// Returns the family's name in `languages.toml`, `builtins.toml` and `routes.toml`.
    pub fn toml_key(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::Python => "python",
            Self::Script => "script",
            Self::Rust => "rust",
            Self::Java => "java",
            Self::CSharp => "csharp",
            Self::Ruby => "ruby",
            Self::Declared(_) => self.declared_rules().map_or("", |rules| &rules.id),
        }
    }

    /// Whether members of the enclosing types are visible without a receiver.
    pub fn has_implicit_receiver(self) -> bool {
        matches!(self, Self::Java | Self::CSharp | Self::Ruby) || self.declares(|r| r.implicit_receiver)
    }

    /// Whether a member can be declared in another file than its type.
    pub fn has_open_types(self) -> bool {
        matches!(self, Self::Go | Self::Rust | Self::CSharp | Self::Ruby) || self.declares(|r| r.open_types)
    }

    /// Whether a type can have several declarations that count as one.
    pub fn joins_type_declarations(self) -> bool {
        matches!(self, Self::CSharp | Self::Ruby) || self.declares(|r| r.open_types)
    }

    /// Whether types with the same name in different packages are different types.
    pub fn separates_packages(self) -> bool {
        let by_package = |rules: &FamilyRules| rules.visible_in == VisibleRegion::Package;
        matches!(self, Self::CSharp) || self.declares(by_package)
    }

    /// Whether a name is a receiver keyword of a declared family: `this`, `self`.
    pub fn declares_receiver(self, name: &str) -> bool {
        self.declares(|rules| rules.receivers.iter().any(|receiver| receiver == name))
    }

    /// Whether a type itself and its values can each have a member with the same name.
    pub const fn separates_static_members(self) -> bool {
        matches!(self, Self::Script | Self::Ruby)
    }

    /// Whether a method can be called like a member of its first parameter's type (C#'s extension
    /// methods).
    pub const fn has_extension_methods(self) -> bool {
        matches!(self, Self::CSharp)
    }

    /// Whether a call must have exactly as many arguments as the callee has parameters, except for
    /// variadic callees.
    pub fn requires_exact_arity(self) -> bool {
        matches!(self, Self::Go | Self::Rust | Self::Java) || self.declares(|r| r.exact_arity)
    }

    /// Whether a file at this path has tests, by the conventions of the language's test tools.
    pub fn is_test_path(self, path: &str) -> bool {
        let (folder, file) = kenning_graph::paths::split_folder(path);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let in_folder = |names: &[&str]| folder.split('/').any(|part| names.contains(&part));
        match self {
            Self::Go => stem.ends_with("_test"),
            Self::Python => {
                stem.starts_with("test_") || stem.ends_with("_test") || in_folder(&["tests", "test"])
            }
            Self::Script => {
                [".test", ".spec", "_test"].iter().any(|end| stem.ends_with(end))
                    || in_folder(&["__tests__", "test", "tests"])
            }
            Self::Rust => stem == "tests" || in_folder(&["tests"]),
            Self::Java => {
                in_folder(&["test", "integrationTest"]) || stem.ends_with("Test") || stem.ends_with("Tests")
            }
            Self::CSharp => {
                stem.ends_with("Tests")
                    || stem.ends_with("Test")
                    || folder.split('/').any(|part| part.ends_with("Tests") || part.ends_with(".Test"))
                    || in_folder(&["test", "tests"])
            }
            Self::Ruby => {
                stem.ends_with("_spec") || stem.starts_with("test_") || in_folder(&["spec", "test"])
            }
            Self::Declared(_) => self.declares(|rules| rules.is_test_path(path)),
        }
    }

    /// Returns the builtins of the language.
    pub fn language_builtins(self) -> &'static Builtins {
        builtins::for_family(self.toml_key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_builtins() {
        for (family, name, method) in [
            (LanguageFamily::Go, "make", "Close"),
            (LanguageFamily::Python, "len", "get"),
            (LanguageFamily::Script, "Promise", "push"),
            (LanguageFamily::Rust, "println", "unwrap"),
            (LanguageFamily::Java, "String", "get"),
            (LanguageFamily::CSharp, "string", "ToString"),
            (LanguageFamily::Ruby, "puts", "each"),
        ] {
            assert!(family.language_builtins().names.contains(name), "{name}");
            assert!(family.language_builtins().methods.contains(method), "{method}");
        }
    }

    #[test]
    fn the_family_of_each_language_matches_languages_toml() {
        for language in crate::languages::LanguageRegistry::get().all_languages() {
            assert_eq!(
                LanguageFamily::from_language(language.language_id()).map(LanguageFamily::toml_key),
                // Documents have no family, because they name symbols of all families.
                (!language.is_document()).then_some(language.row.family.as_str())
            );
        }
    }

    #[test]
    fn test_files_are_recognized_by_their_path() {
        assert!(LanguageFamily::Go.is_test_path("a/b_test.go"));
        assert!(!LanguageFamily::Go.is_test_path("test/b.go"));
        assert!(LanguageFamily::Python.is_test_path("tests/helpers.py"));
        assert!(LanguageFamily::Script.is_test_path("src/a.spec.ts"));
        assert!(LanguageFamily::Java.is_test_path("core/src/test/java/A.java"));
        assert!(LanguageFamily::CSharp.is_test_path("test/Ocelot.UnitTests/A.cs"));
        assert!(LanguageFamily::Ruby.is_test_path("spec/a_spec.rb"));
        assert!(!LanguageFamily::Ruby.is_test_path("lib/contest.rb"));
    }
}
