//! The registry of languages: the rows of `languages.toml`, joined with their grammars and queries.

#[cfg(test)]
mod added;
mod grammars;
mod node_kinds;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

pub(crate) use grammars::Grammar;
pub(crate) use node_kinds::{ExpressionRule, KindFlags, KindTable};

use crate::extract::LanguagePatterns;
use crate::extract::doc_links::DocLinkStyle;

/// A row of `languages.toml`: what a language calls the things that every language has.
///
/// Node kinds and field names are those of its grammar; a test checks that all of them exist.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageRow {
    /// The language id, as in [`kenning_graph::FileFacts::language`].
    pub id: String,
    /// What it shares with other languages, as tables call it: their symbols can name one another. By default the id.
    #[serde(default)]
    pub family: String,
    /// File name extensions, without the dot.
    pub extensions: Vec<String>,
    /// Whole file names.
    #[serde(default)]
    pub file_names: Vec<String>,
    /// Interpreters in a `#!` line; files without extension are scripts by it.
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// Node kinds of comments.
    pub comments: Vec<String>,
    /// What a line of a comment begins with, longest first, beside the marks that most languages share (`//`, `#`, `*`).
    #[serde(default)]
    pub comment_marks: Vec<String>,
    /// Leaf kinds that hold the content of string and character literals.
    pub strings: Vec<String>,
    /// Node kinds of decorators, annotations and attributes: part of a symbol's span, not of its signature.
    #[serde(default)]
    pub decorations: Vec<String>,
    /// Node kinds that only wrap a declaration (`export`, `type (...)`), and so belong to its span.
    #[serde(default)]
    pub wrappers: Vec<String>,
    /// Leaf kinds that are one segment of an expression such as `a.b()`.
    pub names: Vec<String>,
    /// `kind = [object, name]`: fields of `object.name`; `"?"` for an object that the node does not hold; both empty
    /// where the grammar has no fields for them.
    #[serde(default)]
    pub members: BTreeMap<String, [String; 2]>,
    /// `kind = function`: the field with the called expression.
    #[serde(default)]
    pub calls: BTreeMap<String, String>,
    /// `kind = [object, name]`: calls that hold receiver and method name themselves.
    #[serde(default)]
    pub method_calls: BTreeMap<String, [String; 2]>,
    /// `kind = type`: expressions that make a value of a named type.
    #[serde(default)]
    pub constructs: BTreeMap<String, String>,
    /// `kind = inner`: expressions that stand for their inner expression; `""` for the first named child.
    #[serde(default)]
    pub transparent: BTreeMap<String, String>,
    /// `kind = collection`: expressions that give an element of a collection.
    #[serde(default)]
    pub elements: BTreeMap<String, String>,
    /// Node kinds outside of which a name that is bound inside them is not known: blocks, closures.
    #[serde(default)]
    pub blocks: Vec<String>,
    /// Node kinds that list several values or names side by side.
    #[serde(default)]
    pub tuples: Vec<String>,
    /// Types are followed through values: bindings say which part of a value they hold, symbols without a
    /// declared type get that of their value.
    #[serde(default)]
    pub value_types: bool,
    /// Functions can share a name and differ in the types of their parameters: calls note what their arguments are.
    #[serde(default)]
    pub overloads: bool,
    /// `kind = type`: literals and their type in an argument list; `"=>"` for function literals.
    #[serde(default)]
    pub literals: BTreeMap<String, String>,
    /// How a line begins that starts a member of a type, though the grammar reads on from the line before. Where a text
    /// has errors, it is read again with a separator before such lines.
    #[serde(default)]
    pub lines_begin_members: String,
    /// The first string of a body is its documentation.
    #[serde(default)]
    pub docstrings: bool,
    /// How documentation names symbols.
    #[serde(default)]
    pub doc_links: DocLinkStyle,
    /// Members of the type around are named without receiver.
    #[serde(default)]
    pub bare_members: bool,
    /// Node kinds in which a name that stands alone is no value: patterns, parameters, labels, imports.
    #[serde(default)]
    pub not_values: Vec<String>,
    /// Documentation holds XML tags, which are removed.
    #[serde(default)]
    pub xml_docs: bool,
    /// What tells overloads apart: the types of parameters, or their names where a language has no types.
    #[serde(default)]
    pub params_by: OverloadKey,
    /// Parameter names that stand for the receiver.
    #[serde(default)]
    pub receiver_names: Vec<String>,
    /// Parameter kinds that stand for the receiver.
    #[serde(default)]
    pub receiver_kinds: Vec<String>,
    /// Names of methods that are constructors.
    #[serde(default)]
    pub constructors: Vec<String>,
    /// Functions in a module are its methods.
    #[serde(default)]
    pub methods_in_modules: bool,
    /// `Foo.new` makes a `Foo`.
    #[serde(default)]
    pub new_calls: bool,
    /// A variable in capitals is a constant.
    #[serde(default)]
    pub constants_by_case: bool,
    /// Generic types that stand for their first argument when a member is looked up.
    #[serde(default)]
    pub transparent_types: Vec<String>,
    /// Bounds of type parameters that say nothing of what a value offers: markers, traits of the standard library. A type
    /// of such a name in another language is one like any other.
    #[serde(default)]
    pub empty_bounds: Vec<String>,
    /// Type names that are no references.
    #[serde(default)]
    pub builtin_types: Vec<String>,
    /// Functions of the language itself that are no references when called without receiver.
    #[serde(default)]
    pub ignored_calls: Vec<String>,
    /// A callable whose name starts so is a test.
    #[serde(default)]
    pub test_prefixes: Vec<String>,
    /// A symbol with a decoration of this name is a test.
    #[serde(default)]
    pub test_decorations: Vec<String>,
    /// Base types whose methods with a test prefix are tests, by their last name.
    #[serde(default)]
    pub test_bases: Vec<String>,
    /// Methods of these names are run before each test of their type.
    #[serde(default)]
    pub setup_names: Vec<String>,
    /// So are methods with a decoration of these names.
    #[serde(default)]
    pub setup_decorations: Vec<String>,
    /// Calls whose first literal argument names an environment variable.
    #[serde(default)]
    pub env_calls: Vec<String>,
    /// Objects whose members are environment variables.
    #[serde(default)]
    pub env_objects: Vec<String>,
    /// Calls and constructions whose first literal argument is a program.
    #[serde(default)]
    pub process_calls: Vec<String>,
}

/// What tells overloads apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverloadKey {
    /// The types of the parameters.
    #[default]
    Type,
    /// Their names.
    Name,
}

/// A language: its row, and its grammar with everything compiled from it on first use.
pub struct Language {
    /// The row of `languages.toml`.
    pub row: LanguageRow,
    pub(crate) grammar: &'static Grammar,
    compiled: OnceLock<CompiledLanguage>,
}

/// What is derived once from a language's grammar, queries and row.
pub(crate) struct CompiledLanguage {
    pub language: tree_sitter::Language,
    pub patterns: LanguagePatterns,
    pub kinds: KindTable,
}

impl Language {
    /// A language with its grammar; nothing is compiled yet.
    fn new(mut row: LanguageRow, grammar: &'static Grammar) -> Self {
        if row.family.is_empty() {
            row.family.clone_from(&row.id);
        }
        Self { row, grammar, compiled: OnceLock::new() }
    }

    /// The language id (`"go"`, `"tsx"`, ...).
    pub fn language_id(&self) -> &str {
        &self.row.id
    }

    /// Its grammar.
    pub fn tree_sitter_language(&self) -> tree_sitter::Language {
        (self.grammar.language)()
    }

    pub(crate) fn get_or_compile(&self) -> &CompiledLanguage {
        self.compiled.get_or_init(|| {
            let language = self.tree_sitter_language();
            // Queries are part of the program; a test compiles all of them.
            let patterns = LanguagePatterns::compile_sources(&language, self.grammar.queries)
                .expect("an embedded query compiles");
            let mut kinds = KindTable::new(&language, &self.row);
            kinds.mark_looked_into(|kind| patterns.needs_children(kind));
            CompiledLanguage { language, patterns, kinds }
        })
    }
}

/// All languages.
pub struct LanguageRegistry {
    all: Vec<Language>,
}

#[derive(Deserialize)]
struct LanguageTable {
    language: Vec<LanguageRow>,
}

static LANGUAGES: LazyLock<LanguageRegistry> = LazyLock::new(|| {
    let table: LanguageTable =
        toml::from_str(include_str!("../languages.toml")).expect("languages.toml is part of the program");
    let all = table.language.into_iter().filter_map(|row| {
        let grammar = grammars::GRAMMARS.iter().find(|g| g.id == row.id)?;
        Some(Language::new(row, grammar))
    });
    LanguageRegistry { all: all.collect() }
});

impl LanguageRegistry {
    /// The registry.
    pub fn get() -> &'static Self {
        &LANGUAGES
    }

    /// Every language, in the order of `languages.toml`.
    pub fn all_languages(&self) -> &[Language] {
        &self.all
    }

    /// The language with this id.
    pub fn find_by_id(&self, id: &str) -> Option<&Language> {
        self.all.iter().find(|l| l.row.id == id)
    }

    /// The language of a path, by its whole file name or its extension (any case of ASCII letters).
    pub fn find_by_path(&self, path: impl AsRef<Path>) -> Option<&Language> {
        let path = path.as_ref();
        let name = path.file_name()?.to_str()?;
        if let Some(language) = self.all.iter().find(|l| l.row.file_names.iter().any(|n| n == name)) {
            return Some(language);
        }
        let extension = path.extension()?.to_str()?;
        self.all.iter().find(|l| l.row.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension)))
    }

    /// The language of a file: by its path, else by what it says if its name has [no extension](may_be_script).
    pub fn find_by_file(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Option<&Language> {
        let path = path.as_ref();
        self.find_by_path(path).or_else(|| self.find_by_shebang(bytes).filter(|_| may_be_script(path)))
    }

    /// The language of a script, by the interpreter in its `#!` line.
    pub fn find_by_shebang(&self, bytes: &[u8]) -> Option<&Language> {
        let line = bytes.strip_prefix(b"#!")?.split(|&b| b == b'\n' || b == b'\r').next()?;
        let line = std::str::from_utf8(line.get(..line.len().min(200))?).ok()?;
        let mut words = line.split_ascii_whitespace().map(|w| w.rsplit('/').next().unwrap_or(w));
        let mut interpreter = words.next()?;
        if interpreter == "env" {
            interpreter = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
        }
        self.all.iter().find(|l| l.row.shebangs.iter().any(|s| s == interpreter))
    }
}

/// Whether a file's first line may say its language: its name has no extension.
pub fn may_be_script(path: impl AsRef<Path>) -> bool {
    path.as_ref().extension().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_shebangs_tell_the_language() {
        let id = |path: &str| LanguageRegistry::get().find_by_path(path).map(Language::language_id);
        assert_eq!(id("a/b.go"), Some("go"));
        assert_eq!(id("x.PY"), Some("python"));
        assert_eq!(id("x.unknown"), None);
        assert_eq!(id("README"), None);
        let by_line =
            |line: &str| LanguageRegistry::get().find_by_shebang(line.as_bytes()).map(Language::language_id);
        assert_eq!(by_line("#!/usr/bin/env -S python3 -u\n"), Some("python"));
        assert_eq!(by_line("#!/bin/zz"), None);
        assert_eq!(by_line("#!"), None);
        assert_eq!(by_line("#!/usr/bin/ruby\rputs 1"), Some("ruby"));
        let of_file = |path| {
            LanguageRegistry::get().find_by_file(path, b"#!/bin/env node\n").map(Language::language_id)
        };
        assert_eq!(
            [of_file("bin/a"), of_file("a.go"), of_file("a.sh")],
            [Some("javascript"), Some("go"), None]
        );
    }

    #[test]
    fn every_row_has_a_grammar_and_every_grammar_a_row() {
        let table: LanguageTable = toml::from_str(include_str!("../languages.toml")).expect("parses");
        let mut rows: Vec<_> = table.language.iter().map(|r| r.id.as_str()).collect();
        let mut grammars: Vec<_> = grammars::GRAMMARS.iter().map(|g| g.id).collect();
        rows.sort_unstable();
        grammars.sort_unstable();
        assert_eq!(rows, grammars);
    }

    #[test]
    fn every_query_compiles() {
        for language in LanguageRegistry::get().all_languages() {
            let grammar = (language.grammar.language)();
            if let Err(error) = LanguagePatterns::compile_sources(&grammar, language.grammar.queries) {
                panic!("{}: {error}", language.language_id());
            }
        }
    }

    #[test]
    fn every_kind_and_field_of_a_row_exists_in_its_grammar() {
        for language in LanguageRegistry::get().all_languages() {
            let grammar = (language.grammar.language)();
            let missing = node_kinds::missing_kinds(&grammar, &language.row);
            assert!(missing.is_empty(), "{}: {missing:?}", language.language_id());
        }
    }
}
