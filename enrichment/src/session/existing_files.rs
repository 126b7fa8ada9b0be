//! Checks that the places in answers exist. A server that is confused, or misled by the files it
//! reads, may lead to files that do not exist or are not source of the language. Such places are
//! dropped before they become phantoms.

use super::ServerSession;
use super::file_uris::file_from_uri;
use super::locations::LspLocation;
use crate::servers::{LanguageServers, package_of_path};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Capacity of the cache of files known to exist; when it is full, it is emptied.
const MAX_FILES: usize = 20_000;

/// Files of answers that are known to exist. A missing file is checked again each time, because it
/// may be created later.
#[derive(Default)]
pub(crate) struct ExistingFiles(Mutex<HashSet<PathBuf>>);

impl ServerSession {
    /// Whether a place lies in an existing file that can belong to the language: one of its source
    /// files, or a file of one of its package stores. A place that is not a file counts if a store
    /// of the language covers it (`jdt://contents/...`).
    pub(super) async fn is_existing_location(&self, place: &LspLocation) -> bool {
        let Ok(file) = file_from_uri(&place.uri) else {
            return package_of_path(&self.language.stores, &place.uri).is_some();
        };
        if !belongs_to_language(self.language, &file) {
            return false;
        }
        let workspace = Arc::clone(&self.workspace);
        self.real.check_exists(file, move |file| workspace.is_file(file)).await
    }
}

impl ExistingFiles {
    /// Whether a file exists. Calls `exists` on a thread that may block, unless the file is cached.
    async fn check_exists(&self, file: PathBuf, exists: impl FnOnce(&Path) -> bool + Send + 'static) -> bool {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&file) {
            return true;
        }
        let looked_at = file.clone();
        let is_file = tokio::task::spawn_blocking(move || exists(&looked_at)).await;
        if !is_file.unwrap_or(false) {
            return false;
        }
        let mut known = known();
        if known.len() >= MAX_FILES {
            known.clear();
        }
        // Another question may have inserted the file in the meantime.
        known.insert(file);
        true
    }
}

fn belongs_to_language(language: &LanguageServers, file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    language.document_ids.contains_key(extension)
        || package_of_path(&language.stores, &file.to_string_lossy()).is_some()
}

#[cfg(test)]
mod tests {
    use super::{ExistingFiles, belongs_to_language};
    use crate::servers::language_by_id;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Barrier};

    #[tokio::test]
    async fn a_file_that_two_questions_look_for_at_once_exists_for_both() {
        let files = ExistingFiles::default();
        let both = Arc::new(Barrier::new(2));
        let look = || {
            let both = Arc::clone(&both);
            files.check_exists(PathBuf::from("/x.go"), move |_| {
                both.wait();
                true
            })
        };
        assert_eq!(tokio::join!(look(), look()), (true, true));
        assert!(files.check_exists(PathBuf::from("/x.go"), |_| panic!("it is remembered")).await);
        assert!(!files.check_exists(PathBuf::from("/y.go"), |_| false).await);
    }

    #[test]
    fn a_file_is_of_a_language_by_its_name_or_by_the_store_that_it_lies_in() {
        let python = language_by_id("python").unwrap();
        for (file, is) in [
            ("/elsewhere/x.py", true),
            ("/etc/passwd", false),
            ("/v/lib/python3.12/site-packages/fast/core.so", true),
            ("/elsewhere/x.rs", false),
        ] {
            assert_eq!(belongs_to_language(python, Path::new(file)), is, "{file}");
        }
    }
}
