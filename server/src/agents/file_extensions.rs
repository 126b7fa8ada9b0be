//! The extensions of the source files that Kenning reads, with the language ids of LSP, for clients
//! that start language servers by extension.

use super::client_table::ClientTable;
use kenning_indexing::languages::LanguageRegistry;
use serde_json::{Map, Value};

/// Returns the extensions, with their dot, and the LSP ids of their languages, in the order of
/// `languages.toml`. Documents and manifests are left out: there, an agent asks no language server.
pub fn extension_map() -> Map<String, Value> {
    let ids = &ClientTable::get().language_ids;
    let languages = LanguageRegistry::get().all_languages().iter();
    let code = languages.filter(|language| !language.is_document() && !language.row.unparsed);
    let mut map = Map::new();
    for language in code {
        let id = ids.get(language.language_id()).map_or(language.language_id(), String::as_str);
        for extension in &language.row.extensions {
            map.entry(format!(".{extension}")).or_insert_with(|| Value::from(id));
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_file_has_a_language_that_editors_know() {
        let map = extension_map();
        for (extension, id) in [(".rs", "rust"), (".tsx", "typescriptreact"), (".sh", "shellscript")] {
            assert_eq!(map.get(extension).and_then(Value::as_str), Some(id));
        }
        assert!(!map.contains_key(".md") && !map.contains_key(".gradle"));
    }

    #[test]
    fn the_language_ids_name_languages() {
        for id in ClientTable::get().language_ids.keys() {
            assert!(LanguageRegistry::get().find_by_id(id).is_some(), "{id}");
        }
    }
}
