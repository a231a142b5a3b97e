//! A generator of pseudo-random numbers, and of elements that find errors.

use crate::element::{ElementType, Value};

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same numbers for the same seed.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the choices, of which there is one at least.
    pub fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A value of a type that is not complex: mostly small numbers, also zeros of both signs, extremes, infinities,
    /// subnormal numbers and NaN.
    pub fn value(&mut self, element: ElementType) -> Value {
        let small = self.below(41) as i64 - 20;
        let bits = self.bits();
        let is_special = self.chance(8);
        match element {
            ElementType::Bool => Value::Bool(bits & 1 == 1),
            ElementType::U8 => Value::U8(if is_special { bits as u8 } else { small as u8 & 15 }),
            ElementType::I32 => {
                Value::I32(if is_special { self.choose(&[i32::MIN, i32::MAX, bits as i32]) } else { small as i32 })
            }
            ElementType::U32 => {
                Value::U32(if is_special { self.choose(&[u32::MAX, bits as u32]) } else { small.unsigned_abs() as u32 })
            }
            ElementType::I64 => {
                Value::I64(if is_special { self.choose(&[i64::MIN, i64::MAX, bits as i64]) } else { small })
            }
            ElementType::F32 | ElementType::C32 => {
                Value::F32(self.real(small, is_special, f32::from_bits(bits as u32 & 0x807F_FFFF) as f64) as f32)
            }
            ElementType::F64 | ElementType::C64 => {
                Value::F64(self.real(small, is_special, f64::from_bits(bits & 0x800F_FFFF_FFFF_FFFF)))
            }
        }
    }

    fn real(&mut self, small: i64, is_special: bool, subnormal: f64) -> f64 {
        match is_special {
            true => self.choose(&[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, -1e-30, subnormal]),
            false if self.chance(30) => small as f64 / 2.0,
            false => (self.bits() >> 11) as f64 / (1u64 << 53) as f64 * 8.0 - 4.0,
        }
    }
}
