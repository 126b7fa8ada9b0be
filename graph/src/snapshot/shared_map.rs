//! A hash map whose copies share the parts that they do not change.
//!
//! Each edit of the workspace creates a snapshot with its own overlay, whose maps differ from those
//! of the former snapshot in a few entries. The entries are distributed over shards by the hash of
//! their keys. Copying a map copies the references to its shards; changing an entry clones at most
//! the one shard that has it.
//!
//! Invariant: a change to a map is visible in none of its copies.

use rustc_hash::{FxHashMap, FxHasher};
use std::borrow::Borrow;
use std::hash::{Hash, Hasher as _};
use std::sync::Arc;

/// The number of shards. Cloning a map increments this many reference counts; changing one entry
/// clones one shard.
const SHARDS: usize = 256;

/// A map that consists of shards. Copies share a shard until one of them changes it.
#[derive(Clone, Debug)]
pub(crate) struct SharedMap<K, V> {
    shards: Vec<Arc<FxHashMap<K, V>>>,
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self { shards: vec![Arc::default(); SHARDS] }
    }
}

fn shard_index<Q: Hash + ?Sized>(key: &Q) -> usize {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    // The map inside the shard uses the lowest and the highest bits.
    (hasher.finish() >> 24) as usize % SHARDS
}

impl<K: Eq + Hash + Clone, V: Clone> SharedMap<K, V> {
    /// Returns the value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.shards[shard_index(key)].get(key)
    }

    /// Whether the map has a key.
    pub fn contains_key<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// Returns the value of a key, to be changed. Clones the key's shard if it is shared.
    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let shard = &mut self.shards[shard_index(key)];
        if shard.contains_key(key) { Arc::make_mut(shard).get_mut(key) } else { None }
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        let at = shard_index(&key);
        Arc::make_mut(&mut self.shards[at]).insert(key, value);
    }

    /// Removes a key, if the map has it.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        let shard = &mut self.shards[shard_index(key)];
        if shard.contains_key(key) {
            Arc::make_mut(shard).remove(key);
        }
    }

    /// Returns the value of a key; inserts the result of `make` if the key is new.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = shard_index(&key);
        Arc::make_mut(&mut self.shards[at]).entry(key).or_insert_with(make)
    }

    /// Returns all entries, in unspecified order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.shards.iter().flat_map(|shard| shard.iter())
    }

    /// Returns the entries of the shards that `other` does not share. All other entries are the
    /// same in both maps.
    pub fn entries_differing_from<'m>(&'m self, other: &'m Self) -> impl Iterator<Item = (&'m K, &'m V)> {
        let parts = self.shards.iter().zip(&other.shards).filter(|(shard, other)| !Arc::ptr_eq(shard, other));
        parts.flat_map(|(shard, _)| shard.iter())
    }

    /// Returns all values, in unspecified order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// Whether the map has no entry.
    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(|shard| shard.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_its_entries_and_shares_unchanged_shards() {
        let mut map = SharedMap::<u32, u32>::default();
        assert!(map.is_empty());
        for n in 0..10_000 {
            map.insert(n, n * 2);
        }
        let copy = map.clone();
        map.insert(7, 1);
        map.remove(&8);
        *map.get_or_insert_with(20_000, || 5) += 1;
        *map.get_mut(&9).expect("the key exists") = 3;
        map.remove(&99_999);
        let values = |map: &SharedMap<u32, u32>| [7, 8, 9, 20_000].map(|n| map.get(&n).copied());
        assert_eq!(values(&map), [Some(1), None, Some(3), Some(6)]);
        assert_eq!(values(&copy), [Some(14), Some(16), Some(18), None]);
        assert_eq!((map.iter().count(), copy.values().count()), (10_000, 10_000));
        let shared = map.shards.iter().zip(&copy.shards).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert!(shared >= SHARDS - 4, "{shared} shards are shared");
    }
}
