//! What the tests of several modules share.

use faer::Mat;

use crate::Scalar;

/// A matrix with elements in (-1, 1), the same in every run and different for each seed.
pub(crate) fn filled<T: Scalar>(rows: usize, columns: usize, seed: u64) -> Mat<T> {
    Mat::from_fn(rows, columns, |i, j| {
        let index = seed << 50 | (i as u64) << 25 | j as u64;
        T::from_parts(unit(2 * index), unit(2 * index + 1))
    })
}

/// A number in (-1, 1) by the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
fn unit(index: u64) -> f64 {
    let mut bits = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) >> 40) as f64 / (1u64 << 23) as f64 - 1.0
}

/// Calls a generic function for each of the four element types.
macro_rules! for_each_type {
    ($check:ident($($argument:expr),*)) => {
        $check::<f32>($($argument),*);
        $check::<f64>($($argument),*);
        $check::<crate::Complex32>($($argument),*);
        $check::<crate::Complex64>($($argument),*);
    };
}
pub(crate) use for_each_type;
