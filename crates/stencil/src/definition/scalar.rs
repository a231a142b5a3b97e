//! Operations on numbers: the meaning of nodes, for constants and for the reference.
//!
//! Functions are those of `affinimath-math`, which have the same bits on hosts and devices.

use affinimath_math::{Functions, Scalar};

use super::types::{Function, Reduction, Type};

/// Powers by square and multiply, from the exponent's highest bit: x^3 is (x * x) * x, x^4 is (x * x) * (x * x).
pub(crate) fn power<T: Copy>(base: T, exponent: u32, one: T, multiply: impl Fn(T, T) -> T) -> T {
    if exponent == 0 {
        return one;
    }
    let mut result = base;
    for bit in (0..exponent.ilog2()).rev() {
        result = multiply(result, result);
        if exponent >> bit & 1 == 1 {
            result = multiply(result, base);
        }
    }
    result
}

/// Multiplications of an integer power, and the division of a negative one.
pub(crate) fn power_operations(exponent: i32) -> u64 {
    let magnitude = exponent.unsigned_abs();
    let multiplications = if magnitude == 0 { 0 } else { magnitude.ilog2() + magnitude.count_ones() - 1 };
    u64::from(multiplications) + u64::from(exponent < 0)
}

/// Numbers of a grid's type.
pub(crate) trait Number: Copy + PartialOrd + PartialEq {
    /// 1 of the type.
    const ONE: Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn negate(self) -> Self;
    fn remainder(self, other: Self) -> Self;
    fn call(function: Function, a: Self, b: Self) -> Self;

    fn lesser(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    fn greater(self, other: Self) -> Self {
        if self < other { other } else { self }
    }
}

macro_rules! integers {
    ($($T:ty)*) => {$(
        impl Number for $T {
            const ONE: Self = 1;
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn subtract(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn multiply(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn negate(self) -> Self {
                self.wrapping_neg()
            }
            fn remainder(self, other: Self) -> Self {
                if other == 0 {
                    return 0;
                }
                let rest = self.wrapping_rem(other);
                if rest != 0 && (rest < 0) != (other < 0) { rest + other } else { rest }
            }
            fn call(function: Function, a: Self, b: Self) -> Self {
                match function {
                    Function::Abs => a.wrapping_abs(),
                    Function::Min => a.lesser(b),
                    Function::Max => a.greater(b),
                    Function::Quotient if b == 0 => 0,
                    Function::Quotient => {
                        let quotient = a.wrapping_div(b);
                        let rest = a.wrapping_rem(b);
                        if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
                    }
                    other => unreachable!("{} takes real numbers", other.name()),
                }
            }
        }
    )*};
}

macro_rules! reals {
    ($($T:ty)*) => {$(
        impl Number for $T {
            const ONE: Self = 1.0;
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn subtract(self, other: Self) -> Self {
                self - other
            }
            fn multiply(self, other: Self) -> Self {
                self * other
            }
            fn negate(self) -> Self {
                -self
            }
            fn remainder(self, other: Self) -> Self {
                let rest = self % other;
                if rest != 0.0 && (rest < 0.0) != (other < 0.0) { rest + other } else { rest }
            }
            fn call(function: Function, a: Self, b: Self) -> Self {
                let one = Scalar::<$T>::new();
                match function {
                    Function::Abs => a.abs(),
                    Function::Min => a.lesser(b),
                    Function::Max => a.greater(b),
                    Function::Quotient => (a / b).floor(),
                    Function::Sqrt => a.sqrt(),
                    Function::Exp => <$T as Functions>::exp(one, a),
                    Function::Log => <$T as Functions>::ln(one, a),
                    Function::Sin => <$T as Functions>::sin(one, a),
                    Function::Cos => <$T as Functions>::cos(one, a),
                    Function::Tan => <$T as Functions>::tan(one, a),
                    Function::Asin => <$T as Functions>::asin(one, a),
                    Function::Acos => <$T as Functions>::acos(one, a),
                    Function::Atan => <$T as Functions>::atan(one, a),
                    Function::Atan2 => <$T as Functions>::atan2(one, a, b),
                    Function::Sinh => <$T as Functions>::sinh(one, a),
                    Function::Cosh => <$T as Functions>::cosh(one, a),
                    Function::Tanh => <$T as Functions>::tanh(one, a),
                    Function::Floor => a.floor(),
                    Function::Ceil => a.ceil(),
                    Function::Trunc => a.trunc(),
                    Function::Power => <$T as Functions>::pow(one, a, b),
                }
            }
        }
    )*};
}

integers! { i32 i64 }
reals! { f32 f64 }

/// A constant rounded once to a type.
pub(crate) fn rounded(value: f64, kind: Type) -> f64 {
    match kind {
        Type::F32 => f64::from(value as f32),
        _ => value,
    }
}

impl Reduction {
    /// Counts conditions, and the others take numbers.
    pub(crate) fn takes_condition(self) -> bool {
        self == Reduction::Count
    }
}
