//! Which names a changed file declared before and declares no more.

use crate::extract::Extractor;
use crate::languages::LanguageRegistry;
use crate::walk::DEFAULT_MAX_FILE_BYTES;
use kenning_graph::{FileFacts, Hash};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file as it was where a change begins.
#[derive(Clone, Debug, PartialEq)]
pub struct FileBefore {
    /// The path that it had in the workspace.
    pub path: String,
    /// SHA-256 of its bytes.
    pub content_hash: Hash,
    /// Size in bytes.
    pub size: u64,
    /// What its text says.
    pub facts: Arc<FileFacts>,
}

thread_local! {
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::new());
}

/// The names that are gone, sorted, and the file as it was where names or its path are gone. Both sides with their
/// paths; without a new text nothing is declared any more.
pub(super) fn compare_names(
    (old_path, old): (&str, &[u8]),
    (path, new): (&str, Option<&[u8]>),
) -> (Vec<String>, Option<Arc<FileBefore>>) {
    let Some(before) = extract_facts(old_path, old) else { return (Vec::new(), None) };
    let after = new.and_then(|new| extract_facts(path, new)).unwrap_or_default();
    // Namesakes are counted: of two overloads one may go.
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for symbol in &after.symbols {
        *left.entry(symbol.qualified_name()).or_default() += 1;
    }
    let mut removed: Vec<String> = Vec::new();
    for symbol in &before.symbols {
        let name = symbol.qualified_name();
        match left.get_mut(&name).filter(|count| **count > 0) {
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
    let before = FileBefore { path: old_path.to_owned(), content_hash, size, facts: Arc::new(before) };
    (removed, Some(Arc::new(before)))
}

/// What a text says; `None` in no known language, and for what is too long to be indexed.
fn extract_facts(path: &str, text: &[u8]) -> Option<FileFacts> {
    let languages = LanguageRegistry::get();
    let language = languages.find_by_file(path, text)?;
    let fits = text.len() as u64 <= DEFAULT_MAX_FILE_BYTES;
    fits.then(|| EXTRACTOR.with_borrow_mut(|extractor| extractor.extract_file(language.language_id(), text)))
}
