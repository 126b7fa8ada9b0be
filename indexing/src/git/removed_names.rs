//! The names that a changed file declared before and no longer declares.

use crate::extract::Extractor;
use crate::languages::LanguageRegistry;
use crate::walk::DEFAULT_MAX_FILE_BYTES;
use kenning_graph::{FileFacts, Hash};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file as it was at the base of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseFile {
    /// The path that the file had in the workspace.
    pub path: String,
    /// SHA-256 of the file's bytes.
    pub content_hash: Hash,
    /// Size in bytes.
    pub size: u64,
    /// The facts of the file's text.
    pub facts: Arc<FileFacts>,
}

thread_local! {
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::new());
}

/// Returns the removed names, sorted, and the old file if any name or its path is gone. Takes both
/// versions with their paths; without a new text, all names are removed. Returns nothing if the
/// language of the old file is unknown.
pub(super) fn compare_names(
    old_path: &str,
    old: &[u8],
    path: &str,
    new: Option<&[u8]>,
) -> (Vec<String>, Option<Arc<BaseFile>>) {
    let Some(before) = extract_facts(old_path, old) else { return (Vec::new(), None) };
    let after = new.and_then(|new| extract_facts(path, new)).unwrap_or_default();
    // Counts equal names, because one of two overloads may be removed.
    let mut remaining: BTreeMap<String, usize> = BTreeMap::new();
    for symbol in &after.symbols {
        *remaining.entry(symbol.qualified_name()).or_default() += 1;
    }
    let mut removed: Vec<String> = Vec::new();
    for symbol in &before.symbols {
        let name = symbol.qualified_name();
        match remaining.get_mut(&name).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => removed.push(name),
        }
    }
    removed.sort();
    removed.dedup();
    if removed.is_empty() && old_path == path && new.is_some() {
        return (removed, None);
    }
    let (content_hash, size) = (Hash::from_content(old), old.len() as u64);
    let before = BaseFile { path: old_path.to_owned(), content_hash, size, facts: Arc::new(before) };
    (removed, Some(Arc::new(before)))
}

/// Returns the facts of a text of code, or `None` if its language is unknown or it is too long to
/// be indexed. A document has no names that code uses.
fn extract_facts(path: &str, text: &[u8]) -> Option<FileFacts> {
    let languages = LanguageRegistry::get();
    let language = languages.find_by_file(path, text).filter(|language| !language.is_document())?;
    let fits = text.len() as u64 <= DEFAULT_MAX_FILE_BYTES;
    fits.then(|| EXTRACTOR.with_borrow_mut(|extractor| extractor.extract_file(language.language_id(), text)))
}
