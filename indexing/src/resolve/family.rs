//! Families of languages whose symbols can name one another.

use crate::builtins::{self, Builtins};
use kenning_graph::{SymbolKind, SymbolRef};

/// Languages among which names may resolve: never across two families.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Family {
    Go,
    Python,
    /// TypeScript and JavaScript, with and without JSX.
    Script,
    Rust,
    Java,
    CSharp,
    Ruby,
}

impl Family {
    /// The family of a language id of `languages.toml`; `None` for languages without resolution rules.
    pub fn of(language: &str) -> Option<Self> {
        Some(match language {
            "go" => Self::Go,
            "python" => Self::Python,
            "typescript" | "tsx" | "javascript" => Self::Script,
            "rust" => Self::Rust,
            "java" => Self::Java,
            "csharp" => Self::CSharp,
            "ruby" => Self::Ruby,
            _ => return None,
        })
    }

    /// Whether a symbol of a text, not one that stands for a file, is of this family.
    pub fn has(self, symbol: &SymbolRef<'_>) -> bool {
        symbol.kind != SymbolKind::File && Self::of(symbol.language) == Some(self)
    }

    /// Its name in `languages.toml`, `builtins.toml` and `routes.toml`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::Python => "python",
            Self::Script => "script",
            Self::Rust => "rust",
            Self::Java => "java",
            Self::CSharp => "csharp",
            Self::Ruby => "ruby",
        }
    }

    /// Whether members of the enclosing types are visible without a receiver.
    pub const fn implicit_receiver(self) -> bool {
        matches!(self, Self::Java | Self::CSharp | Self::Ruby)
    }

    /// Whether a member can stand in another file than its type.
    pub const fn open_types(self) -> bool {
        matches!(self, Self::Go | Self::Rust | Self::CSharp | Self::Ruby)
    }

    /// Whether a type itself and its values can each have a member of one name.
    pub const fn has_sides(self) -> bool {
        matches!(self, Self::Script | Self::Ruby)
    }

    /// Whether a call must have exactly as many arguments as the callee has parameters (variadic ones apart).
    pub const fn exact_arity(self) -> bool {
        matches!(self, Self::Go | Self::Rust | Self::Java)
    }

    /// Whether a file by this path holds tests, by the conventions of the language's test tools.
    pub fn is_test_path(self, path: &str) -> bool {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
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
        }
    }

    /// What the language has built in.
    pub fn builtins(self) -> &'static Builtins {
        builtins::of(self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_its_builtins() {
        for (family, name, method) in [
            (Family::Go, "make", "Close"),
            (Family::Python, "len", "get"),
            (Family::Script, "Promise", "push"),
            (Family::Rust, "println", "unwrap"),
            (Family::Java, "String", "get"),
            (Family::CSharp, "string", "ToString"),
            (Family::Ruby, "puts", "each"),
        ] {
            assert!(family.builtins().names.contains(name), "{name}");
            assert!(family.builtins().methods.contains(method), "{method}");
        }
    }

    #[test]
    fn a_language_resolves_by_the_rules_of_the_family_that_its_row_names() {
        for language in crate::languages::Languages::get().all() {
            assert_eq!(Family::of(language.id()).map(Family::key), Some(language.row.family.as_str()));
        }
    }

    #[test]
    fn test_files_are_known_by_their_path() {
        assert!(Family::Go.is_test_path("a/b_test.go"));
        assert!(!Family::Go.is_test_path("test/b.go"));
        assert!(Family::Python.is_test_path("tests/helpers.py"));
        assert!(Family::Script.is_test_path("src/a.spec.ts"));
        assert!(Family::Java.is_test_path("core/src/test/java/A.java"));
        assert!(Family::CSharp.is_test_path("test/Ocelot.UnitTests/A.cs"));
        assert!(Family::Ruby.is_test_path("spec/a_spec.rb"));
        assert!(!Family::Ruby.is_test_path("lib/contest.rb"));
    }
}
