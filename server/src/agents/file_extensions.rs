//! The extensions of the source files that Kenning reads, with the language ids of LSP, for clients
//! that start language servers by extension.

use super::client_table::ClientTable;
use kenning_indexing::languages::LanguageRegistry;
use serde_json::{Map, Value};

/// Returns the extensions, with their dot, and the LSP ids of their languages, in the order of
/// `languages.toml`. Leaves out documents and manifests, about which agents ask no language server.
pub fn extension_map() -> Map<String, Value> {
    let ids = &ClientTable::get().language_ids;
    let languages = LanguageRegistry::get().all_languages().iter();
    let code = languages.filter(|language| !language.is_document() && !language.row.unparsed);
    let mut map = Map::new();
    for language in code {
        for extension in &language.row.extensions {
            let extension = format!(".{extension}");
            let id = ids.get(&extension).or(ids.get(language.language_id()));
            let id = Value::from(id.map_or(language.language_id(), String::as_str));
            map.entry(extension).or_insert(id);
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
        for (extension, id) in
            [(".rs", "rust"), (".js", "javascript"), (".jsx", "javascriptreact"), (".sh", "shellscript")]
        {
            assert_eq!(map.get(extension).and_then(Value::as_str), Some(id));
        }
        assert!(!map.contains_key(".md") && !map.contains_key(".gradle"));
    }

    #[test]
    fn every_language_id_belongs_to_a_language_or_extension() {
        for id in ClientTable::get().language_ids.keys() {
            let is_known = LanguageRegistry::get().find_by_id(id).is_some();
            assert!(is_known || extension_map().contains_key(id), "{id}");
        }
    }
}
