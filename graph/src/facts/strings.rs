//! Interned strings: a table stores each text once, and facts refer to the text by its index.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher as _;

/// The index of a string in a [`StringTable`]; 0 is the empty string.
pub type StringIndex = u32;

/// Interned strings; index 0 is the empty string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StringTable {
    bytes: String,
    ends: Vec<u32>,
}

impl Default for StringTable {
    fn default() -> Self {
        Self { bytes: String::new(), ends: vec![0] }
    }
}

impl StringTable {
    /// Returns the string with this index; the empty string for an index that is not in the table.
    pub fn get(&self, index: StringIndex) -> &str {
        let index = index as usize;
        let Some(&end) = self.ends.get(index) else { return "" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.bytes.get(start as usize..end as usize).unwrap_or("")
    }

    /// Returns the concatenation of all strings.
    pub fn joined_text(&self) -> &str {
        &self.bytes
    }

    /// Returns the end of each string in [`Self::joined_text`].
    pub fn string_ends(&self) -> &[u32] {
        &self.ends
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Returns the number of strings, including the empty string.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the table contains only the empty string.
    pub fn is_empty(&self) -> bool {
        self.ends.len() == 1
    }
}

/// Builds a [`StringTable`]. Equal strings get equal indexes, in the order of their first use.
#[derive(Default)]
pub struct StringTableBuilder {
    table: StringTable,
    /// The indexes of strings, by the hash of their bytes; the table holds the strings themselves.
    indexes: HashTable<StringIndex>,
}

impl StringTableBuilder {
    /// Returns the index of `text`; adds it if it is new.
    pub fn intern(&mut self, text: &str) -> StringIndex {
        if text.is_empty() {
            return 0;
        }
        let Self { table, indexes } = self;
        let hash = |text: &str| FxBuildHasher.hash_one(text);
        let entry =
            indexes.entry(hash(text), |&index| table.get(index) == text, |&index| hash(table.get(index)));
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let index = table.ends.len() as u32;
                entry.insert(index);
                table.bytes.push_str(text);
                table.ends.push(table.bytes.len() as u32);
                index
            }
        }
    }

    /// Returns the strings interned so far.
    pub fn as_table(&self) -> &StringTable {
        &self.table
    }

    /// Returns the finished table.
    pub fn into_table(self) -> StringTable {
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interning_gives_equal_strings_equal_indexes() {
        let mut builder = StringTableBuilder::default();
        let (a, b, again) = (builder.intern("alpha"), builder.intern("beta"), builder.intern("alpha"));
        assert_eq!(builder.intern(""), 0);
        let table = builder.into_table();
        assert_eq!((a, table.get(a), table.get(b), table.get(0)), (again, "alpha", "beta", ""));
        assert_eq!(table.get(99), "");
    }
}
