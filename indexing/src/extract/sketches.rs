//! Sketches of the bodies of callables, to find similar ones: MinHash over shingles of their
//! tokens.

use super::symbols::FileSymbols;
use kenning_graph::sketch::{BodySketch, MINIMA};

/// Minimum number of tokens of a body. Shorter bodies are similar by chance.
const MIN_TOKENS: usize = 30;
/// Number of tokens per shingle. The similarity of two bodies is the share of common shingles
/// (w-shingling, Broder 1997).
const TOKENS_PER_SHINGLE: usize = 2;
/// Maximum number of callables around a callable. More deeply nested ones get no sketch, which
/// bounds how often a token is read.
const MAX_NESTING: u8 = 3;

/// A token of the code: its start, and the hash of its content.
pub(crate) type SketchToken = (u32, u32);

/// Returns the hash of a leaf of the syntax tree. Names, keywords and operators are hashed by their
/// text; all numbers are equal. Returns `None` for brackets and separators.
pub(crate) fn token_hash(text: &[u8]) -> Option<u32> {
    let first = *text.first()?;
    if first.is_ascii_digit() {
        return Some(hash_bytes(b"0"));
    }
    text.iter().any(|byte| !b"(){}[],;:. \t\r\n".contains(byte)).then(|| hash_bytes(text))
}

/// Returns the hash that all strings share.
pub(crate) fn string_token_hash() -> u32 {
    hash_bytes(b"\"")
}

/// Returns the FNV-1a hash, folded to 32 bits. It is equal on every machine.
fn hash_bytes(text: &[u8]) -> u32 {
    let hash = text.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as u32
}

/// Returns the sketches of the callables whose bodies are long enough, in the order of the symbols.
pub(crate) fn sketch_callables(symbols: &FileSymbols, tokens: &[SketchToken]) -> Vec<(u32, BodySketch)> {
    let mut out = Vec::new();
    let mut nesting = vec![0u8; symbols.facts.len()];
    for (index, fact) in symbols.facts.iter().enumerate() {
        if let Some(parent) = fact.parent.map(|parent| parent as usize).filter(|&parent| parent < index) {
            let callable = symbols.facts[parent].kind.is_callable();
            nesting[index] = nesting[parent].saturating_add(u8::from(callable));
        }
        let Some((start, end)) = symbols.bodies.get(index).copied().flatten() else { continue };
        // Tests get no sketch, because most of them resemble one another.
        if !fact.kind.is_callable() || fact.is_test || nesting[index] > MAX_NESTING {
            continue;
        }
        let from = tokens.partition_point(|&(token, _)| token < start);
        let to = tokens.partition_point(|&(token, _)| token < end);
        let body = tokens.get(from..to).unwrap_or(&[]);
        if body.len() >= MIN_TOKENS {
            out.push((index as u32, min_hash_sketch(body)));
        }
    }
    out
}

/// Returns the MinHash sketch of the shingles of a body.
fn min_hash_sketch(tokens: &[SketchToken]) -> BodySketch {
    let mut minima = [u32::MAX; MINIMA];
    for shingle in tokens.windows(TOKENS_PER_SHINGLE) {
        let element = shingle.iter().fold(0u64, |element, &(_, token)| mix_bits(element ^ u64::from(token)));
        for (minimum, &(factor, summand)) in minima.iter_mut().zip(&PERMUTATIONS) {
            let value = (element.wrapping_mul(factor).wrapping_add(summand) >> 32) as u32;
            *minimum = value.min(*minimum);
        }
    }
    BodySketch::new(&minima)
}

/// Mixes the bits of a number with the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
const fn mix_bits(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Factor and summand of each permutation: multiply-add-shift (Dietzfelbinger 1996).
const PERMUTATIONS: [(u64, u64); MINIMA] = {
    let mut out = [(0, 0); MINIMA];
    let mut at = 0;
    while at < MINIMA {
        out[at] = (mix_bits(2 * at as u64) | 1, mix_bits(2 * at as u64 + 1));
        at += 1;
    }
    out
};
