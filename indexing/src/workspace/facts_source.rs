//! The source of file facts. It looks up a text in the cache by content hash, and extracts the
//! facts if the cache does not have them.

use super::WorkspaceError;
use super::facts_cache::{ConnectionUse, FactsCache};
use crate::extract::{EditedTree, Extractor};
use crate::named_file::read_source;
use kenning_graph::blame::FileBlame;
use kenning_graph::commits::CommitFacts;
use kenning_graph::derived::DerivedReason;
use kenning_graph::store::{BlameKey, FactsStore, HistoryKey, StoreError, decode_facts};
use kenning_graph::{FileFacts, Hash};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tree_sitter::Tree;

/// The content of a file to index.
pub(super) struct ReadFile {
    pub bytes: Vec<u8>,
    pub content_hash: Hash,
    /// The reason that the text gives why no one edits the file.
    pub derived: Option<DerivedReason>,
}

/// A text whose facts are requested.
pub(super) struct FactsRequest {
    pub content_hash: Hash,
    pub language: String,
    pub bytes: Vec<u8>,
}

/// The facts of a batch of texts.
pub(super) struct FactsBatch {
    /// In the order of the requests.
    pub facts: Vec<Arc<FileFacts>>,
    /// Number of texts whose facts were extracted, not found.
    pub parsed: usize,
}

/// The origin of the facts of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FactsOrigin {
    /// The cache of facts on disk.
    Cache,
    /// An open buffer with the same text.
    Editor,
    /// The text itself, parsed for this request.
    Extraction,
}

/// A source of facts for one purpose: the cache, the facts of open buffers, and extraction.
pub(super) struct FactsSource {
    cache: Arc<FactsCache>,
    /// The connection of the cache that this source uses.
    connection: ConnectionUse,
    /// Facts of texts that are open in an editor. A saved file contains one of these texts.
    open_texts: Mutex<FxHashMap<Hash, Arc<FileFacts>>>,
}

thread_local! {
    /// The extractor of each thread, which keeps its parsers.
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::new());
}

/// Extracts facts on the current thread.
fn extract_facts(language: &str, bytes: &[u8]) -> Arc<FileFacts> {
    EXTRACTOR.with_borrow_mut(|extractor| {
        extractor.set_parallel(false);
        let mut facts = extractor.extract_file(language, bytes);
        facts.shrink_to_fit();
        Arc::new(facts)
    })
}

/// The handling of facts that the cache does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NewFacts {
    /// They are stored in the cache.
    Store,
    /// They are not stored.
    Discard,
}

/// The extraction of a text that a user waits for.
pub(super) struct BufferExtraction {
    pub facts: Arc<FileFacts>,
    /// The tree from which the next parse may start.
    pub tree: Option<Tree>,
    /// The value of [`Extraction::provisional`](crate::extract::Extraction::provisional).
    pub provisional: bool,
}

/// Extracts a text that a user waits for, incrementally if there is an `old` tree
/// ([`Extractor::extract_with_tree`]).
pub(super) fn extract_incrementally(
    language: &str,
    bytes: &[u8],
    old: Option<EditedTree<'_>>,
) -> BufferExtraction {
    EXTRACTOR.with_borrow_mut(|extractor| {
        extractor.set_parallel(true);
        let mut extraction = extractor.extract_with_tree(language, bytes, old);
        extraction.facts.shrink_to_fit();
        BufferExtraction {
            facts: Arc::new(extraction.facts),
            tree: extraction.tree.filter(|_| extraction.reusable),
            provisional: extraction.provisional,
        }
    })
}

/// Calls [`Extractor::reproduces_tree`].
pub(super) fn tree_matches_text(language: &str, bytes: &[u8], tree: &Tree) -> bool {
    EXTRACTOR.with_borrow_mut(|extractor| extractor.reproduces_tree(language, bytes, tree))
}

impl FactsSource {
    /// Creates a source that uses one of a cache's connections.
    pub fn new(cache: &Arc<FactsCache>, connection: ConnectionUse) -> Self {
        Self { cache: Arc::clone(cache), connection, open_texts: Mutex::default() }
    }

    /// Returns the path of the cache's database.
    pub fn cache_path(&self) -> &Path {
        self.cache.database_path()
    }

    /// Calls [`FactsCache::was_replaced`].
    pub fn was_replaced(&self) -> bool {
        self.cache.was_replaced()
    }

    fn with_store<T>(
        &self,
        query: impl Fn(&mut FactsStore) -> Result<T, StoreError>,
    ) -> Result<T, WorkspaceError> {
        self.cache.with_store(self.connection, query)
    }

    /// Replaces the facts of open buffers, by the hashes of their texts.
    pub fn set_extracted_facts(&self, facts: impl IntoIterator<Item = (Hash, Arc<FileFacts>)>) {
        *self.open_texts.lock().unwrap_or_else(PoisonError::into_inner) = facts.into_iter().collect();
    }

    /// Returns the facts of texts: from the cache, from open buffers, or extracted. Stores new
    /// facts with [`NewFacts::Store`].
    pub fn facts_of_texts(
        &self,
        requests: Vec<FactsRequest>,
        new_facts: NewFacts,
    ) -> Result<FactsBatch, WorkspaceError> {
        let stored = self.with_store(|store| {
            requests
                .iter()
                .map(|text| store.load_encoded(&text.content_hash, &text.language))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let found: Vec<(Arc<FileFacts>, FactsOrigin)> = requests
            .par_iter()
            .zip(stored)
            .map(|(text, data)| {
                if let Some(facts) = data.and_then(|data| decode_facts(&data)) {
                    return (Arc::new(facts), FactsOrigin::Cache);
                }
                match self.find_extracted(text) {
                    Some(facts) => (facts, FactsOrigin::Editor),
                    None => (extract_facts(&text.language, &text.bytes), FactsOrigin::Extraction),
                }
            })
            .collect();
        if new_facts == NewFacts::Store {
            let mut new: Vec<(Hash, Arc<FileFacts>)> = Vec::new();
            let mut used: Vec<Hash> = Vec::new();
            for (text, (facts, origin)) in requests.iter().zip(&found) {
                match origin {
                    FactsOrigin::Cache => used.push(text.content_hash),
                    FactsOrigin::Editor | FactsOrigin::Extraction => {
                        new.push((text.content_hash, facts.clone()));
                    }
                }
            }
            if !new.is_empty() {
                self.with_store(|store| store.insert_facts(current_day(), &new))?;
            }
            // The cache evicts the least recently used facts.
            if !used.is_empty() {
                self.with_store(|store| store.mark_used(current_day(), &used))?;
            }
        }
        let parsed = found.iter().filter(|(_, origin)| *origin == FactsOrigin::Extraction).count();
        Ok(FactsBatch { facts: found.into_iter().map(|(facts, _)| facts).collect(), parsed })
    }

    fn find_extracted(&self, text: &FactsRequest) -> Option<Arc<FileFacts>> {
        let open_texts = self.open_texts.lock().unwrap_or_else(PoisonError::into_inner);
        open_texts.get(&text.content_hash).filter(|facts| facts.language == text.language).cloned()
    }

    /// Returns the facts of a file with this content hash: from the cache, or else from the disk.
    /// Returns `None` if the file on disk has other content.
    pub fn facts_of_file(
        &self,
        root: &Path,
        path: &str,
        language: &str,
        content_hash: &Hash,
    ) -> Option<Arc<FileFacts>> {
        // If the cache fails, the file itself is read.
        let data = self.with_store(|store| store.load_encoded(content_hash, language)).ok().flatten();
        if let Some(facts) = data.and_then(|data| decode_facts(&data)) {
            return Some(Arc::new(facts));
        }
        let bytes = read_source(&root.join(path))?;
        (Hash::from_content(&bytes) == *content_hash).then(|| extract_facts(language, &bytes))
    }

    /// Returns the blame of this content of a path in the repository, and the head commit for which
    /// it was computed.
    pub fn load_blame(&self, path: &str, hash: &Hash) -> Result<Option<(String, FileBlame)>, WorkspaceError> {
        self.with_store(|store| store.load_blame(path, hash))
    }

    /// Stores the blame of a version of a file, computed at commit `head`.
    pub fn insert_blame(
        &self,
        key: BlameKey<'_>,
        head: &str,
        now: u64,
        blame: &FileBlame,
    ) -> Result<(), WorkspaceError> {
        self.with_store(|store| store.insert_blame(key, head, now, blame))
    }

    /// Calls [`FactsStore::load_known_commits`].
    pub fn load_known_commits(&self, rules: u32) -> Result<BTreeMap<String, bool>, WorkspaceError> {
        self.with_store(|store| store.load_known_commits(rules))
    }

    /// Calls [`FactsStore::insert_commits`].
    pub fn insert_commits(&self, rules: u32, commits: &[(CommitFacts, bool)]) -> Result<(), WorkspaceError> {
        self.with_store(|store| store.insert_commits(rules, commits))
    }

    /// Calls [`FactsStore::load_history_head`].
    pub fn load_history_head(&self, workspace: &str) -> Result<Option<String>, WorkspaceError> {
        self.with_store(|store| store.load_history_head(workspace))
    }

    /// Calls [`FactsStore::load_history_length`].
    pub fn load_history_length(&self, workspace: &str) -> Result<usize, WorkspaceError> {
        self.with_store(|store| store.load_history_length(workspace))
    }

    /// Calls [`FactsStore::replace_history`].
    pub fn replace_history(
        &self,
        key: HistoryKey<'_>,
        now: u64,
        ids: &[String],
    ) -> Result<(), WorkspaceError> {
        self.with_store(|store| store.replace_history(key, now, ids))
    }

    /// Calls [`FactsStore::load_history`].
    pub fn load_history(&self, workspace: &str, rules: u32) -> Result<Vec<CommitFacts>, WorkspaceError> {
        self.with_store(|store| store.load_history(workspace, rules))
    }

    /// Removes the facts of other extractor versions and, past the size limit of the cache, the
    /// least recently used facts.
    pub fn prune_unused(&self) -> Result<(), WorkspaceError> {
        self.with_store(|store| store.prune_unused(kenning_graph::store::DEFAULT_MAX_FACTS_BYTES)).map(drop)
    }
}

/// Returns the seconds since the Unix epoch.
pub(super) fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

fn current_day() -> u64 {
    now_seconds() / 86_400
}
