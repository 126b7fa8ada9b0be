//! SHA-256 identities of symbols, contents and graphs.
//!
//! In: byte strings, texts, numbers and other hashes. Out: a [`struct@Hash`], which is ordered,
//! and written as 64 hexadecimal digits.
//!
//! Inputs are separated by domain and prefixed by length, so that no two different inputs produce
//! the same byte string. Invariant: the same inputs give the same hash on every machine, because
//! databases and other processes keep hashes.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// A SHA-256 digest. Its text form is 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// Computes the hash of raw content, as used for file contents. It has no domain and equals
    /// `sha256sum`.
    pub fn from_content(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the hash as 64 lower-case hexadecimal digits.
    pub fn to_hex(self) -> String {
        use fmt::Write;
        self.0.iter().fold(String::with_capacity(64), |mut s, b| {
            let _ = write!(s, "{b:02x}");
            s
        })
    }

    /// Parses 64 hexadecimal digits of either case; returns `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != 64 {
            return None;
        }
        let mut out = [0u8; 32];
        for (slot, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
            let hi = (pair[0] as char).to_digit(16)?;
            let lo = (pair[1] as char).to_digit(16)?;
            *slot = (hi * 16 + lo) as u8;
        }
        Some(Self(out))
    }

    /// Returns the first eight bytes as a big-endian number, which sorts in the order of the
    /// hashes.
    pub fn sort_prefix(self) -> u64 {
        u64::from_be_bytes(self.0[..8].try_into().expect("a hash has 32 bytes"))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({}…)", &self.to_hex()[..12])
    }
}

/// Builds a [`struct@Hash`] from parts. Each part is preceded by its length as a little-endian
/// `u64`, and the whole by its domain, so that ("ab", "c") and ("a", "bc") differ and a symbol
/// never equals an edge.
pub struct HashBuilder(Sha256);

impl HashBuilder {
    /// Starts a hash in `domain`, for example `"symbol"`.
    pub fn new(domain: &str) -> Self {
        let mut hasher = Self(Sha256::new());
        hasher.add_bytes(domain.as_bytes());
        hasher
    }

    /// Adds a byte string.
    pub fn add_bytes(&mut self, part: &[u8]) -> &mut Self {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// Adds a text.
    pub fn add_text(&mut self, part: &str) -> &mut Self {
        self.add_bytes(part.as_bytes())
    }

    /// Adds another hash.
    pub fn add_hash(&mut self, part: &Hash) -> &mut Self {
        self.add_bytes(&part.0)
    }

    /// Adds a number.
    pub fn add_number(&mut self, part: u64) -> &mut Self {
        self.add_bytes(&part.to_le_bytes())
    }

    /// Returns the digest of everything added.
    pub fn finish(self) -> Hash {
        Hash(self.0.finalize().into())
    }
}

/// Computes the hash of a set of hashes, independent of their order: sorts them, then hashes them
/// under `domain`.
pub fn hash_of_set(domain: &str, hashes: impl IntoIterator<Item = Hash>) -> Hash {
    let mut sorted: Vec<Hash> = hashes.into_iter().collect();
    sorted.sort_unstable();
    let mut hasher = HashBuilder::new(domain);
    for hash in &sorted {
        hasher.add_hash(hash);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_other_boundaries_have_another_hash() {
        let mut a = HashBuilder::new("t");
        a.add_text("ab").add_text("c");
        let mut b = HashBuilder::new("t");
        b.add_text("a").add_text("bc");
        assert_ne!(a.finish(), b.finish());
        assert_ne!(HashBuilder::new("symbol").finish(), HashBuilder::new("edge").finish());
    }

    #[test]
    fn hex_round_trips_and_other_text_is_rejected() {
        let hash = Hash::from_content(b"abc");
        assert_eq!(hash.to_hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Hash::from_hex(&hash.to_hex()), Some(hash));
        assert_eq!(Hash::from_hex("ba78"), None);
        assert_eq!(Hash::from_hex(&"é".repeat(32)), None);
    }

    #[test]
    fn a_set_hash_ignores_order() {
        let (a, b) = (Hash::from_content(b"a"), Hash::from_content(b"b"));
        assert_eq!(hash_of_set("s", [a, b]), hash_of_set("s", [b, a]));
        assert_ne!(hash_of_set("s", [a]), hash_of_set("s", [a, b]));
    }
}
