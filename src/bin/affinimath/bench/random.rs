//! Random operands: the same in every run.

use affinimath::Scalar;

/// A small generator (splitmix64), fast enough for matrices of gigabytes.
pub struct Random(u64);

impl Random {
    /// The generator with a number of its own.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between -0.5 and 0.5, and never zero.
    fn real(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64 - 0.5
    }

    /// A whole number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// An element, each of whose parts lies between -0.5 and 0.5.
    pub fn element<T: Scalar>(&mut self) -> T {
        let re = self.real();
        T::from_parts(re, if T::KIND.is_complex() { self.real() } else { 0.0 })
    }

    /// So many elements.
    pub fn elements<T: Scalar>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.element()).collect()
    }
}
