//! A generator of random numbers that is the same everywhere.

/// Splitmix64 (Steele, Lea and Flood, 2014): its whole state is a number.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `end`, which is not 0.
    pub const fn below(&mut self, end: usize) -> usize {
        ((self.bits() as u128 * end as u128) >> 64) as usize
    }

    /// A number from 0 on and below 1.
    pub const fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The numbers below `end` in a random order (Fisher and Yates).
    pub fn order(&mut self, end: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..end).collect();
        for last in (1..end).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}
