//! Vectors with one byte per number, and the cosine between them.
//!
//! Each vector is divided by its greatest number, so that all numbers fit -127..=127 (symmetric
//! quantization). The scale gives the quantized vector length 1. Products are sums of integers,
//! which do not depend on the order of additions, so that scores are equal on every machine.

use wide::{i8x16, i16x16, i32x8};

/// A vector of length 1, quantized.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedVector {
    /// The numbers.
    pub values: Vec<i8>,
    /// The factor that gives the vector length 1.
    pub scale: f32,
}

impl QuantizedVector {
    /// Quantizes a vector of any length. Returns `None` for a vector without a direction: empty,
    /// all zeros, or with numbers that are not finite.
    pub fn from_floats(floats: &[f32]) -> Option<Self> {
        let greatest = floats.iter().fold(0.0_f32, |greatest, value| greatest.max(value.abs()));
        if greatest <= 0.0 || !floats.iter().all(|value| value.is_finite()) {
            return None;
        }
        let quantize = |value: &f32| (value / greatest * 127.0).round() as i8;
        let values: Vec<i8> = floats.iter().map(quantize).collect();
        let length = (dot_product(&values, &values) as f32).sqrt();
        Some(Self { values, scale: 1.0 / length })
    }

    /// Returns the cosine of the angle to a row with these values and scale.
    pub fn cosine_to(&self, values: &[i8], scale: f32) -> f32 {
        dot_product(&self.values, values) as f32 * self.scale * scale
    }
}

/// The numbers that one SIMD step multiplies.
const LANES: usize = 16;

/// Returns the sum of the products of two vectors. If their lengths differ, cuts the longer one.
/// The sum fits an `i32` for up to 133,000 numbers.
pub(super) fn dot_product(a: &[i8], b: &[i8]) -> i32 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    if a.len() != b.len() {
        let length = a.len().min(b.len());
        return dot_product(&a[..length], &b[..length]);
    }
    let mut sums = i32x8::ZERO;
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        sums += i16x16::from_i8x16(i8x16::new(*a)).dot(i16x16::from_i8x16(i8x16::new(*b)));
    }
    let rest: i32 = a_rest.iter().zip(b_rest).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sums.reduce_add() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_vector_without_direction_has_no_quantized_form() {
        for floats in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(QuantizedVector::from_floats(floats), None, "{floats:?}");
        }
        let vector = QuantizedVector::from_floats(&[3.0, -1.5, 0.0]).unwrap();
        assert_eq!(vector.values, [127, -64, 0]);
        assert!((vector.cosine_to(&vector.values, vector.scale) - 1.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn simd_gives_the_sum_of_the_products(pairs in prop::collection::vec((any::<i8>(), any::<i8>()), 0..200)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let expected: i32 = pairs.iter().map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            prop_assert_eq!(dot_product(&a, &b), expected);
            prop_assert_eq!(dot_product(&a, &b[..b.len() / 2]), dot_product(&a[..b.len() / 2], &b[..b.len() / 2]));
        }

        #[test]
        fn quantization_keeps_the_cosine(floats in prop::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 16..64)) {
            let (a, b): (Vec<f32>, Vec<f32>) = floats.iter().copied().unzip();
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let exact = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
            let (Some(a), Some(b)) = (QuantizedVector::from_floats(&a), QuantizedVector::from_floats(&b)) else {
                return Ok(());
            };
            prop_assert!((a.cosine_to(&b.values, b.scale) - exact).abs() < 0.02);
        }
    }
}
