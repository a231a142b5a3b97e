//! Random operands: the same in every run.

use affinimath::Scalar;
use rayon::prelude::*;

/// Increment of the state for each value.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
/// Elements that a thread makes at least.
const SHARE: usize = 1 << 14;

/// A small generator (splitmix64), fast enough for matrices of gigabytes.
pub struct Random(u64);

impl Random {
    /// The generator with a seed.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between -0.5 and 0.5, and never zero.
    fn real(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64 - 0.5
    }

    /// An integer below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// An element, each of whose parts lies between -0.5 and 0.5.
    pub fn element<T: Scalar>(&mut self) -> T {
        let re = self.real();
        T::from_parts(re, if T::KIND.is_complex() { self.real() } else { 0.0 })
    }

    /// A vector of values of successive calls of [`Self::element`], computed on all threads.
    pub fn elements<T: Scalar>(&mut self, count: usize) -> Vec<T> {
        let (start, numbers) = (self.0, if T::KIND.is_complex() { 2 } else { 1 });
        let behind = |elements: usize| start.wrapping_add(STEP.wrapping_mul((elements * numbers) as u64));
        self.0 = behind(count);
        (0..count).into_par_iter().with_min_len(SHARE).map(|index| Random(behind(index)).element()).collect()
    }
}

#[cfg(test)]
mod tests {
    use affinimath::Complex64;

    use super::*;

    #[test]
    fn threads_make_the_elements_of_one_sequence() {
        let (mut together, mut single) = (Random::new(7), Random::new(7));
        for count in [0, 1, 3 * SHARE + 5] {
            let elements: Vec<Complex64> = together.elements(count);
            assert!(elements.iter().all(|element| *element == single.element::<Complex64>()));
        }
        assert_eq!(together.0, single.0);
    }
}
