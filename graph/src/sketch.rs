//! MinHash sketches of bodies, which estimate how much two bodies have in common without their
//! texts.
//!
//! The share of equal minima of two sets under random permutations estimates the share of elements
//! that the sets have in common, the Jaccard similarity (Broder 1997, "On the resemblance and
//! containment of documents"). Four bits of each minimum are enough for the comparison (Li, König
//! 2010, "b-Bit Minwise Hashing"). Bands of full minima find the pairs that are worth comparing
//! (Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", 3.4).

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// The number of permutations. The estimate's standard error is about 0.06.
pub const MINIMA: usize = 64;

/// The number of bands. Two bodies that share a band are compared: 98 in 100 pairs with a
/// similarity of 0.8 share one, and 6 in 100 pairs with a similarity of 0.3.
pub const BANDS: usize = 8;

/// The number of minima per band.
const ROWS: usize = 4;

/// The sketch of one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Pod, Zeroable)]
#[repr(C)]
pub struct BodySketch {
    /// The hash of each band, as little-endian bytes, whose encoding takes no additional space.
    bands: [[u8; 4]; BANDS],
    /// Four bits of each minimum.
    bits: [u8; MINIMA / 2],
}

impl BodySketch {
    /// Builds the sketch of a set with these minima.
    pub fn new(minima: &[u32; MINIMA]) -> Self {
        let mut sketch = Self::zeroed();
        for (band, rows) in sketch.bands.iter_mut().zip(minima.chunks_exact(ROWS)) {
            // FNV-1a over the rows, folded to 32 bits.
            let hash = rows
                .iter()
                .flat_map(|row| row.to_le_bytes())
                .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
            *band = ((hash ^ (hash >> 32)) as u32).to_le_bytes();
        }
        for (byte, pair) in sketch.bits.iter_mut().zip(minima.chunks_exact(2)) {
            *byte = (pair[0] & 15) as u8 | ((pair[1] & 15) << 4) as u8;
        }
        sketch
    }

    /// Returns the hashes of the bands. Similar bodies share at least one of them, at the same
    /// position.
    pub fn band_hashes(&self) -> [u32; BANDS] {
        std::array::from_fn(|band| {
            // The rotation makes bands at different positions differ: the first band of one body
            // must not match the second of another.
            u32::from_le_bytes(self.bands[band]).rotate_left(band as u32)
        })
    }

    /// Returns the estimated share of common elements, from 0 to 1.
    pub fn estimate_similarity(&self, other: &Self) -> f32 {
        let equal: u32 = self
            .bits
            .iter()
            .zip(&other.bits)
            .map(|(a, b)| {
                let differ = a ^ b;
                u32::from(differ.trailing_zeros() >= 4) + u32::from(differ.leading_zeros() >= 4)
            })
            .sum();
        // One in 16 pairs of unrelated minima is equal by chance.
        ((equal as f32 / MINIMA as f32 - 1.0 / 16.0) / (15.0 / 16.0)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_similarity_is_the_share_of_equal_minima() {
        let minima: [u32; MINIMA] = std::array::from_fn(|n| (n as u32).wrapping_mul(0x9e37_79b9));
        let mut other = minima;
        for minimum in &mut other[40..] {
            *minimum ^= 5;
        }
        let (a, b) = (BodySketch::new(&minima), BodySketch::new(&other));
        assert_eq!((a.estimate_similarity(&a), a.estimate_similarity(&b)), (1.0, 0.6));
        assert_eq!(a.band_hashes()[..8], b.band_hashes()[..8], "the bands use the first 32 minima");
        let shared_bands = |at: usize| {
            let mut changed = minima;
            changed[at] += 16;
            let bands = BodySketch::new(&changed).band_hashes();
            a.band_hashes().iter().zip(bands).filter(|(x, y)| **x == *y).count()
        };
        assert_eq!((shared_bands(0), shared_bands(31), shared_bands(32)), (7, 7, 8));
        assert_eq!(BodySketch::new(&[0; MINIMA]).estimate_similarity(&BodySketch::new(&[1; MINIMA])), 0.0);
    }
}
