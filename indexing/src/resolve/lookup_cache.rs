//! Caches for the lookups of one file. Names are looked up very often, so a cache hit allocates
//! nothing.

use rustc_hash::FxHashMap;

/// Cached results by path, container, and a name or another text.
#[derive(Debug)]
pub(super) struct ScopeCache<V>(TextMap<TextMap<TextMap<V>>>);

/// Cached results by a key and a name.
pub(super) type NameCache<K, V> = FxHashMap<K, TextMap<V>>;

type TextMap<V> = FxHashMap<Box<str>, V>;

impl<V> Default for ScopeCache<V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<V> ScopeCache<V> {
    /// Returns the cached result, if any.
    pub fn get(&self, path: &str, container: &str, text: &str) -> Option<&V> {
        self.0.get(path)?.get(container)?.get(text)
    }

    /// Caches a result, replacing an earlier one.
    pub fn insert(&mut self, path: &str, container: &str, text: &str, answer: V) {
        let texts = self.0.entry(path.into()).or_default().entry(container.into()).or_default();
        texts.insert(text.into(), answer);
    }
}
