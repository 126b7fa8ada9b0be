//! Checks that the locations in answers exist. A confused server, or one that hostile files misled,
//! may name files that do not exist or are not source of the language. Such locations are dropped
//! before they become phantoms.

use super::ServerSession;
use super::file_uris::file_from_uri;
use super::locations::LspLocation;
use crate::servers::{LanguageServers, package_of_path};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Capacity of the cache of files that exist. When it is full, it is emptied.
const MAX_FILES: usize = 20_000;

/// Files of answers that are known to exist. A missing file is checked again each time, because it
/// may be created later.
#[derive(Default)]
pub(crate) struct ExistingFiles(Mutex<HashSet<PathBuf>>);

impl ServerSession {
    /// Whether a location lies in an existing file that can belong to the language: one of its
    /// source files, or a file of one of its package stores. A location outside the file system
    /// (`jdt://contents/...`) counts if a store of the language covers it.
    pub(super) async fn is_existing_location(&self, location: &LspLocation) -> bool {
        let Ok(file) = file_from_uri(&location.uri) else {
            return package_of_path(&self.language.stores, &location.uri).is_some();
        };
        if !belongs_to_language(self.language, &file) {
            return false;
        }
        let workspace = Arc::clone(&self.workspace);
        self.existing_files.check_exists(file, move |file| workspace.is_file(file)).await
    }
}

impl ExistingFiles {
    /// Whether a file exists. Calls `exists` on a thread that may block, unless the file is cached.
    async fn check_exists(&self, file: PathBuf, exists: impl FnOnce(&Path) -> bool + Send + 'static) -> bool {
        let lock_cache = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lock_cache().contains(&file) {
            return true;
        }
        let path = file.clone();
        let is_file = tokio::task::spawn_blocking(move || exists(&path)).await;
        if !is_file.unwrap_or(false) {
            return false;
        }
        let mut cache = lock_cache();
        if cache.len() >= MAX_FILES {
            cache.clear();
        }
        // Another question may have inserted the file in the meantime.
        cache.insert(file);
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
    async fn two_concurrent_checks_of_one_file_both_find_it() {
        let files = ExistingFiles::default();
        let barrier = Arc::new(Barrier::new(2));
        let check = || {
            let barrier = Arc::clone(&barrier);
            files.check_exists(PathBuf::from("/x.go"), move |_| {
                barrier.wait();
                true
            })
        };
        assert_eq!(tokio::join!(check(), check()), (true, true));
        assert!(files.check_exists(PathBuf::from("/x.go"), |_| panic!("the file is cached")).await);
        assert!(!files.check_exists(PathBuf::from("/y.go"), |_| false).await);
    }

    #[test]
    fn a_file_belongs_to_a_language_by_its_extension_or_its_package_store() {
        let python = language_by_id("python").unwrap();
        for (file, expected) in [
            ("/elsewhere/x.py", true),
            ("/etc/passwd", false),
            ("/v/lib/python3.12/site-packages/fast/core.so", true),
            ("/elsewhere/x.rs", false),
        ] {
            assert_eq!(belongs_to_language(python, Path::new(file)), expected, "{file}");
        }
    }
}
