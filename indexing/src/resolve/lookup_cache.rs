//! Caches for the lookups of one file. Resolution looks up the same names very often, so a cache
//! hit does not allocate: keys are borrowed strings, in nested maps.

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
    pub fn insert(&mut self, path: &str, container: &str, text: &str, result: V) {
        let texts = self.0.entry(path.into()).or_default().entry(container.into()).or_default();
        texts.insert(text.into(), result);
    }
}
