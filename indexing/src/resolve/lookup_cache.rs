//! Answers that are remembered while one file is resolved. A name is asked for many times: nothing is allocated to find a
//! known answer.

use rustc_hash::FxHashMap;

/// Answers by path, container and a name or another text.
#[derive(Debug)]
pub(super) struct ScopeCache<V>(TextMap<TextMap<TextMap<V>>>);

/// Answers by a thing and a name.
pub(super) type NameCache<K, V> = FxHashMap<K, TextMap<V>>;

type TextMap<V> = FxHashMap<Box<str>, V>;

impl<V> Default for ScopeCache<V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<V> ScopeCache<V> {
    /// The answer, if there is one.
    pub fn get(&self, path: &str, container: &str, text: &str) -> Option<&V> {
        self.0.get(path)?.get(container)?.get(text)
    }

    /// Remembers an answer in the place of an earlier one.
    pub fn insert(&mut self, path: &str, container: &str, text: &str, answer: V) {
        let texts = self.0.entry(path.into()).or_default().entry(container.into()).or_default();
        texts.insert(text.into(), answer);
    }
}
