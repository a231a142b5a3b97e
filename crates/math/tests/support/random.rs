//! Random arguments.

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d049bb133111eb);
        z ^ z >> 31
    }

    /// Any number, infinities and quiet NaN included; exponents are equally likely.
    pub fn bits_double(&mut self) -> f64 {
        let x = f64::from_bits(self.bits());
        if x.is_nan() { f64::NAN } else { x }
    }

    /// Any number, infinities and quiet NaN included; exponents are equally likely.
    pub fn bits_single(&mut self) -> f32 {
        let x = f32::from_bits(self.bits() as u32);
        if x.is_nan() { f32::NAN } else { x }
    }

    /// Equally likely values.
    pub fn between(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }
}

/// Zeros, infinities, NaN, powers of two and the numbers next to them, and whole numbers.
pub fn special_doubles() -> impl Iterator<Item = f64> {
    let powers = (0..2046).map(|exponent| f64::from_bits(exponent << 52));
    let whole = (0..=2000).map(|k| f64::from(k) * 0.5);
    let limits = [0.0, f64::INFINITY, f64::NAN, f64::MAX, f64::from_bits(1)];
    let numbers = powers.chain(whole).chain(limits).filter(|x| !x.is_nan());
    let near = numbers.flat_map(|x| (-2..=2).map(move |step| f64::from_bits(x.to_bits().saturating_add_signed(step))));
    near.chain([f64::NAN]).flat_map(|x| [x, -x])
}
