//! Functions with references, arguments, and errors in ulp. The tests and the example `exhaustive` share it.

pub mod double_double;
pub mod elementary;
pub mod gamma;
pub mod half_pi;
pub mod random;
pub mod special;

use double_double::{DoubleDouble, exponent_of, scale};

/// A function of one value in single precision.
pub struct Single {
    pub name: &'static str,
    pub function: fn(f32) -> f32,
    pub reference: fn(f64) -> f64,
    /// Largest error in ulp.
    pub bound: f64,
}

/// A function of two values in single precision.
pub struct SinglePair {
    pub name: &'static str,
    pub function: fn(f32, f32) -> f32,
    pub reference: fn(f64, f64) -> f64,
    pub arguments: fn(&mut random::Random) -> (f32, f32),
    pub bound: f64,
}

/// A function of one value in double precision.
pub struct Double {
    pub name: &'static str,
    pub function: fn(f64) -> f64,
    pub reference: fn(f64) -> Reference,
    /// Intervals of arguments, beyond those of all exponents.
    pub intervals: &'static [(f64, f64)],
    pub bound: f64,
}

/// A function of two values in double precision.
pub struct DoublePair {
    pub name: &'static str,
    pub function: fn(f64, f64) -> f64,
    pub reference: fn(f64, f64) -> Reference,
    pub arguments: fn(&mut random::Random) -> (f64, f64),
    pub bound: f64,
}

/// All functions of one value in single precision.
pub fn single() -> impl Iterator<Item = &'static Single> {
    elementary::SINGLE.iter().chain(special::SINGLE).chain(gamma::SINGLE)
}

/// All functions of two values in single precision.
pub fn single_pairs() -> impl Iterator<Item = &'static SinglePair> {
    elementary::SINGLE_PAIRS.iter().chain(special::SINGLE_PAIRS)
}

/// All functions of one value in double precision.
pub fn double() -> impl Iterator<Item = &'static Double> {
    elementary::DOUBLE.iter().chain(special::DOUBLE).chain(gamma::DOUBLE)
}

/// All functions of two values in double precision.
pub fn double_pairs() -> impl Iterator<Item = &'static DoublePair> {
    elementary::DOUBLE_PAIRS.iter().chain(special::DOUBLE_PAIRS)
}

/// The value of a function in double precision.
#[derive(Clone, Copy, Debug)]
pub enum Reference {
    /// NaN, an infinity, a zero, or a result that is a number.
    Exact(f64),
    /// value · 2^exponent
    Near { value: DoubleDouble, exponent: i32 },
}

impl From<DoubleDouble> for Reference {
    fn from(value: DoubleDouble) -> Self {
        Reference::Near { value, exponent: 0 }
    }
}

/// The error in ulp of the reference. Infinite where one is NaN and the other is not, and for a zero of the wrong sign.
///
/// An infinite result has the error of the next power of two.
pub fn error_single(result: f32, reference: f64) -> f64 {
    if let Some(error) = special_error(f64::from(result), reference, f64::from(f32::MAX) * (1.0 + 2f64.powi(-25))) {
        return error;
    }
    let result = if result.is_infinite() { 2f64.powi(128).copysign(f64::from(result)) } else { f64::from(result) };
    let ulp = exponent_of(reference).max(-126) - 23;
    // 1/ulp, by the bits of its exponent.
    (result - reference).abs() * f64::from_bits(((1023 - ulp) as u64) << 52)
}

/// The error in ulp of the reference, as that of [`error_single`].
pub fn error_double(result: f64, reference: Reference) -> f64 {
    let (value, exponent) = match reference {
        Reference::Exact(value) if result == value && value != 0.0 => return 0.0,
        Reference::Exact(value) => (DoubleDouble::from(value), 0),
        Reference::Near { value, exponent } => (value, exponent),
    };
    let is_overflow = value.hi.is_finite() && value.hi != 0.0 && exponent_of(value.hi) + exponent >= 1024;
    let nearest = if is_overflow { f64::INFINITY.copysign(value.hi) } else { value.hi };
    if let Some(error) = special_error(result, nearest, f64::INFINITY) {
        return error;
    }
    let result =
        if result.is_infinite() { scale(1.0_f64.copysign(result), 1024 - exponent) } else { scale(result, -exponent) };
    let ulp = (exponent_of(value.hi) + exponent).max(-1022) - 52 - exponent;
    scale(((result - value.hi) - value.lo).abs(), -ulp)
}

/// The error where the result or the reference is no finite number or zero. References from `overflow` on are infinite.
fn special_error(result: f64, reference: f64, overflow: f64) -> Option<f64> {
    let wrong_unless = |is_right: bool| Some(if is_right { 0.0 } else { f64::INFINITY });
    if result.is_nan() || reference.is_nan() {
        return wrong_unless(result.is_nan() && reference.is_nan());
    }
    if result == 0.0 && result.is_sign_negative() != reference.is_sign_negative() {
        return Some(f64::INFINITY);
    }
    if reference.abs() >= overflow {
        return wrong_unless(result.is_infinite() && result.signum() == reference.signum());
    }
    (reference == 0.0).then_some(if result == 0.0 { 0.0 } else { f64::INFINITY })
}

/// The largest error, with its argument.
#[derive(Clone, Copy, Debug)]
pub struct Largest<A> {
    pub error: f64,
    pub argument: A,
}

impl<A> Largest<A> {
    pub fn new(argument: A) -> Self {
        Largest { error: 0.0, argument }
    }

    pub fn add(&mut self, error: f64, argument: A) {
        if error > self.error {
            *self = Largest { error, argument };
        }
    }

    pub fn join(&mut self, other: Self) {
        self.add(other.error, other.argument);
    }
}

impl Single {
    /// The largest error over every `step`-th argument from `first` on, by bits, below `end`.
    pub fn largest_error(&self, first: u64, end: u64, step: usize) -> Largest<f32> {
        let mut largest = Largest::new(f32::NAN);
        for bits in (first..end).step_by(step) {
            let x = f32::from_bits(bits as u32);
            largest.add(error_single((self.function)(x), (self.reference)(f64::from(x))), x);
        }
        largest
    }
}

impl SinglePair {
    /// The largest error over random arguments.
    pub fn largest_error(&self, seed: u64, count: usize) -> Largest<(f32, f32)> {
        let mut random = random::Random::new(seed);
        let mut largest = Largest::new((f32::NAN, f32::NAN));
        for _ in 0..count {
            let (x, y) = (self.arguments)(&mut random);
            largest.add(error_single((self.function)(x, y), (self.reference)(x.into(), y.into())), (x, y));
        }
        largest
    }
}

impl Double {
    /// The largest error over special values, random bits, and random values of the intervals.
    pub fn largest_error(&self, seed: u64, count: usize) -> Largest<f64> {
        let mut random = random::Random::new(seed);
        let mut largest = Largest::new(f64::NAN);
        let mut add = |x: f64| largest.add(error_double((self.function)(x), (self.reference)(x)), x);
        random::special_doubles().for_each(&mut add);
        for i in 0..count {
            add(match i % (self.intervals.len() + 1) {
                0 => random.bits_double(),
                k => random.between(self.intervals[k - 1]),
            });
        }
        largest
    }
}

impl DoublePair {
    /// The largest error over random arguments.
    pub fn largest_error(&self, seed: u64, count: usize) -> Largest<(f64, f64)> {
        let mut random = random::Random::new(seed);
        let mut largest = Largest::new((f64::NAN, f64::NAN));
        for _ in 0..count {
            let (x, y) = (self.arguments)(&mut random);
            largest.add(error_double((self.function)(x, y), (self.reference)(x, y)), (x, y));
        }
        largest
    }
}
