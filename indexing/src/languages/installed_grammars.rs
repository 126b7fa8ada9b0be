//! Loads the grammars of languages that are not built in from a folder of the user.
//!
//! The environment variable [`LIBRARIES_VARIABLE`] names the folder. It holds the libraries of the
//! grammars (`libtree_sitter_gleam.so`) and their tags queries (`queries/gleam/tags.scm`), which
//! define the symbols. `tree-sitter-language-pack` loads the libraries and maps file names to
//! languages. It downloads nothing. A workspace cannot name the folder, because a library is native
//! code.
//!
//! A language of this kind has symbols with their documentation and the text of its files, but no
//! references: a tags query says nothing about scopes and imports.

use super::grammars::{Grammar, GrammarSource};
use super::{InstalledGrammar, Language, LanguageRow};
use crate::extract::dialects::TagsDialect;
use kenning_graph::hash::Hash;
use std::path::{Path, PathBuf};
use tree_sitter_language_pack as pack;

/// The environment variable that names the folder with the libraries of grammars.
pub(super) const LIBRARIES_VARIABLE: &str = "TREE_SITTER_LANGUAGE_PACK_LIBS_DIR";

/// The languages whose grammars are installed.
#[derive(Default)]
pub(super) struct InstalledLanguages {
    /// The languages whose grammars could be loaded, in the order of their names.
    pub languages: Vec<Language>,
    /// The findings about all installed grammars, in the order of their names.
    pub grammars: Vec<InstalledGrammar>,
    /// A number that differs if a library or a query differs; 0 if there are none.
    pub fingerprint: u32,
}

/// Loads the grammars in the folder that the environment names. Languages for which `is_built_in`
/// returns true are left out.
pub(super) fn load_grammars(is_built_in: impl Fn(&str) -> bool) -> InstalledLanguages {
    let Some(folder) = std::env::var_os(LIBRARIES_VARIABLE).map(PathBuf::from) else {
        return InstalledLanguages::default();
    };
    let libraries = list_libraries(&folder);
    let registry = pack::LanguageRegistry::with_libs_dir(folder.clone());
    registry.add_extra_libs_dir(folder.clone());
    let mut installed =
        InstalledLanguages { fingerprint: fingerprint_files(&libraries), ..Default::default() };
    let mut loaded: Vec<tree_sitter::Language> = Vec::new();
    for name in registry.available_languages() {
        if is_built_in(&name) {
            continue;
        }
        let problem = match registry.get_language(&name) {
            // The name is an alias of a language in the list.
            Ok(language) if loaded.contains(&language) => continue,
            Ok(language) => {
                loaded.push(language.clone());
                let query = read_tags_query(&folder, &name);
                let hash = Hash::from_content(query.as_deref().unwrap_or_default().as_bytes());
                installed.fingerprint = combine_hashes(installed.fingerprint, hash);
                add_language(&mut installed.languages, &name, language, query.as_deref()).err()
            }
            Err(error) => Some(format!("the library cannot be loaded: {error}")),
        };
        installed.grammars.push(InstalledGrammar { language: name, problem });
    }
    installed
}

/// Returns the id of the language to which the name of a file belongs, whether or not its grammar
/// is installed.
pub(super) fn language_id_of_path(path: &Path) -> Option<&'static str> {
    pack::detect_language_from_path(path.to_str()?)
}

/// Returns the paths of the libraries in a folder, sorted.
fn list_libraries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut libraries: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    libraries.sort_unstable();
    libraries
}

/// Returns a number that differs if the content of a file differs.
fn fingerprint_files(paths: &[PathBuf]) -> u32 {
    paths.iter().fold(0, |fingerprint, path| {
        let content = std::fs::read(path).unwrap_or_default();
        combine_hashes(fingerprint, Hash::from_content(&content))
    })
}

fn combine_hashes(fingerprint: u32, hash: Hash) -> u32 {
    fingerprint.rotate_left(5) ^ (hash.sort_prefix() >> 32) as u32
}

/// Returns the tags query of a language from the folder, or else from the language pack.
fn read_tags_query(folder: &Path, name: &str) -> Option<String> {
    let file = folder.join("queries").join(name).join("tags.scm");
    std::fs::read_to_string(file).ok().or_else(|| pack::get_tags_query(name).map(str::to_owned))
}

/// Adds a language to the list. Its files have no symbols if its query is missing or does not
/// compile.
///
/// # Errors
/// Returns the reason why the language has no symbols.
fn add_language(
    languages: &mut Vec<Language>,
    name: &str,
    language: tree_sitter::Language,
    query: Option<&str>,
) -> Result<(), String> {
    let (dialect, problem) = match query.map(|query| TagsDialect::from_query(&language, query)) {
        Some(Ok(dialect)) => (dialect, None),
        Some(Err(error)) => {
            (TagsDialect::without_query(), Some(format!("its tags query does not compile: {error}")))
        }
        None => (
            TagsDialect::without_query(),
            Some(format!("it has no tags query (queries/{name}/tags.scm), so its files have no symbols")),
        ),
    };
    let row = describe_language(name, &language);
    // The registry lives as long as the process, and so do its grammars.
    let grammar = Box::leak(Box::new(Grammar {
        id: Box::leak(name.to_owned().into_boxed_str()),
        source: GrammarSource::Loaded(language),
        queries: &[],
        dialect: Box::leak(Box::new(dialect)),
    }));
    languages.push(Language::new(row, grammar));
    problem.map_or(Ok(()), Err)
}

/// Returns a row that identifies comments, strings and names by words that most grammars use in the
/// names of these node kinds.
fn describe_language(name: &str, language: &tree_sitter::Language) -> LanguageRow {
    let kinds = |word: &str| -> Vec<String> {
        let ids = 0..language.node_kind_count() as u16;
        let mut kinds: Vec<String> = ids
            .filter(|&id| language.node_kind_is_named(id) && language.node_kind_is_visible(id))
            .filter_map(|id| language.node_kind_for_id(id))
            .filter(|kind| kind.contains(word))
            .map(str::to_owned)
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    LanguageRow {
        id: name.to_owned(),
        comments: kinds("comment"),
        strings: kinds("string"),
        names: kinds("identifier"),
        ..LanguageRow::default()
    }
}
