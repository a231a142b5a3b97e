//! Formulas of the numbers that solvers compute with, as data: the host evaluates them, and devices get them as text.

use std::fmt::{self, Display};
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::scalar::Scalar;

/// A number that a solver keeps where its vectors are, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub usize);

impl Number {
    /// Numbers there are.
    pub const COUNT: usize = 48;
    /// The first ones are the sums of the pass before.
    pub const SUMS: usize = 4;
    /// 0 while the solver runs, then a [`super::Reason`]'s code.
    pub const STATUS: Number = Number(4);
    /// Iterations done.
    pub const ITERATIONS: Number = Number(5);
    /// The norm of the residual, as the recurrence has it.
    pub const RESIDUAL: Number = Number(6);
    /// Residual norm at which the iteration has converged.
    pub const TARGET: Number = Number(7);
    /// Maximum of iterations.
    pub const LIMIT: Number = Number(8);
    /// The smallest norm of a residual whose x has been saved, or that of the x that the run began with.
    pub const BEST: Number = Number(9);
    /// 1 where a pass saves x before it changes it, else 0.
    pub const SAVE: Number = Number(10);
    /// The norm of the residual before an iteration.
    pub const BEFORE: Number = Number(11);
    /// Those after it are the methods' own.
    pub const OWN: usize = 12;
}

/// A sum of the pass before.
pub fn sum(index: usize) -> Formula {
    debug_assert!(index < Number::SUMS);
    Number(index).into()
}

/// An expression of numbers.
#[derive(Clone, Debug)]
pub enum Formula {
    Number(Number),
    /// A small whole number: exact in every precision.
    Constant(i16),
    Plus(Box<Formula>, Box<Formula>),
    Minus(Box<Formula>, Box<Formula>),
    Times(Box<Formula>, Box<Formula>),
    Over(Box<Formula>, Box<Formula>),
    /// The square root of the real part.
    Root(Box<Formula>),
    /// The real part.
    Real(Box<Formula>),
    /// The complex conjugate.
    Conjugate(Box<Formula>),
    /// 1 where the first one's real part is less than the second one's, else 0: also where one is not a number.
    Less(Box<Formula>, Box<Formula>),
    /// 1 where it is finite, else 0.
    Finite(Box<Formula>),
    /// The second one where the first one is not 0, else the third one.
    Choice(Box<[Formula; 3]>),
}

impl From<Number> for Formula {
    fn from(number: Number) -> Self {
        Formula::Number(number)
    }
}

impl From<i16> for Formula {
    fn from(constant: i16) -> Self {
        Formula::Constant(constant)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $variant:ident) => {
        impl<F: Into<Formula>> $trait<F> for Formula {
            type Output = Formula;
            fn $method(self, other: F) -> Formula {
                Formula::$variant(self.into(), Box::new(other.into()))
            }
        }
        impl<F: Into<Formula>> $trait<F> for Number {
            type Output = Formula;
            fn $method(self, other: F) -> Formula {
                Formula::from(self).$method(other)
            }
        }
    };
}
operator!(Add, add, Plus);
operator!(Sub, sub, Minus);
operator!(Mul, mul, Times);
operator!(Div, div, Over);

impl Neg for Formula {
    type Output = Formula;
    fn neg(self) -> Formula {
        Formula::from(0) - self
    }
}

impl Neg for Number {
    type Output = Formula;
    fn neg(self) -> Formula {
        -Formula::from(self)
    }
}

/// The square root of a formula's real part.
pub fn root(value: impl Into<Formula>) -> Formula {
    Formula::Root(Box::new(value.into()))
}

/// A formula's real part.
pub fn real(value: impl Into<Formula>) -> Formula {
    Formula::Real(Box::new(value.into()))
}

/// A formula's complex conjugate.
pub fn conjugate(value: impl Into<Formula>) -> Formula {
    Formula::Conjugate(Box::new(value.into()))
}

/// 1 if one real part is less than another, else 0.
pub fn less(a: impl Into<Formula>, b: impl Into<Formula>) -> Formula {
    Formula::Less(Box::new(a.into()), Box::new(b.into()))
}

/// 1 if the value is finite, else 0.
pub fn finite(value: impl Into<Formula>) -> Formula {
    Formula::Finite(Box::new(value.into()))
}

/// One formula where the condition is not 0, else another.
pub fn choice(condition: Formula, then: impl Into<Formula>, otherwise: impl Into<Formula>) -> Formula {
    Formula::Choice(Box::new([condition, then.into(), otherwise.into()]))
}

impl Formula {
    /// Its value.
    pub fn value<T: Scalar>(&self, scalars: &[T]) -> T {
        let truth = |truth: bool| if truth { T::ONE } else { T::ZERO };
        match self {
            Formula::Number(number) => scalars[number.0],
            Formula::Constant(constant) => T::from_parts(f64::from(*constant), 0.0),
            Formula::Plus(a, b) => a.value(scalars) + b.value(scalars),
            Formula::Minus(a, b) => a.value(scalars) - b.value(scalars),
            Formula::Times(a, b) => a.value(scalars) * b.value(scalars),
            Formula::Over(a, b) => quotient(a.value(scalars), b.value(scalars)),
            // A root in f64, rounded, is the root in f32.
            Formula::Root(a) => T::from_parts(a.value(scalars).re().sqrt(), 0.0),
            Formula::Real(a) => T::from_parts(a.value(scalars).re(), 0.0),
            Formula::Conjugate(a) => a.value(scalars).conjugate(),
            Formula::Less(a, b) => truth(a.value(scalars).re() < b.value(scalars).re()),
            Formula::Finite(a) => truth(a.value(scalars).finite()),
            Formula::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                if condition.value(scalars) == T::ZERO { otherwise.value(scalars) } else { then.value(scalars) }
            }
        }
    }

    /// Calls `visit` for each number that it reads.
    pub fn scalars(&self, visit: &mut impl FnMut(Number)) {
        match self {
            Formula::Number(number) => visit(*number),
            Formula::Constant(_) => {}
            Formula::Plus(a, b)
            | Formula::Minus(a, b)
            | Formula::Times(a, b)
            | Formula::Over(a, b)
            | Formula::Less(a, b) => {
                a.scalars(visit);
                b.scalars(visit);
            }
            Formula::Root(a) | Formula::Real(a) | Formula::Conjugate(a) | Formula::Finite(a) => a.scalars(visit),
            Formula::Choice(parts) => parts.iter().for_each(|part| part.scalars(visit)),
        }
    }
}

/// a / b without undue overflow and underflow (Smith, 1962), as devices divide. Quotients of `f64` rounded to `f32` are
/// those of `f32`.
fn quotient<T: Scalar>(a: T, b: T) -> T {
    let (re, im) = (b.re(), b.im());
    if im == 0.0 {
        return T::from_parts(a.re() / re, if a.im() == 0.0 { 0.0 } else { a.im() / re });
    }
    if re.abs() >= im.abs() {
        let ratio = im / re;
        let size = re + im * ratio;
        T::from_parts((a.re() + a.im() * ratio) / size, (a.im() - a.re() * ratio) / size)
    } else {
        let ratio = re / im;
        let size = re * ratio + im;
        T::from_parts((a.re() * ratio + a.im()) / size, (a.im() * ratio - a.re()) / size)
    }
}

impl Display for Formula {
    /// Its text in OpenCL C, where the number k is called `n`k.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Number(number) => write!(f, "n{}", number.0),
            Formula::Constant(constant) => write!(f, "from_real((real)({constant}))"),
            Formula::Plus(a, b) => write!(f, "({a} + {b})"),
            Formula::Minus(a, b) => write!(f, "({a} - {b})"),
            Formula::Times(a, b) => write!(f, "multiply({a}, {b})"),
            Formula::Over(a, b) => write!(f, "divide({a}, {b})"),
            Formula::Root(a) => write!(f, "from_real(sqrt(real_part({a})))"),
            Formula::Real(a) => write!(f, "from_real(real_part({a}))"),
            Formula::Conjugate(a) => write!(f, "conjugate_if(1, {a})"),
            Formula::Less(a, b) => write!(f, "from_real((real)(real_part({a}) < real_part({b})))"),
            Formula::Finite(a) => write!(f, "from_real((real)(is_finite({a}) != 0))"),
            Formula::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                write!(f, "(real_part({condition}) != 0 ? {then} : {otherwise})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;
    use crate::scalar::{Complex32, Complex64};

    #[test]
    fn quotients_neither_overflow_nor_underflow_on_the_way() {
        let value = |a: Complex64, b: Complex64| (Number(0) / Number(1)).value(&[a, b]);
        for size in [1e-200, 1.0, 1e200] {
            let (a, b) = (Complex64::new(3.0, 4.0) * size, Complex64::new(1.0, 2.0) * size);
            let error = (value(a, b) - Complex64::new(2.2, -0.4)).norm();
            assert_abs_diff_eq!(error, 0.0, epsilon = 8.0 * f64::EPSILON);
            assert_eq!(value(a, Complex64::from(size)), Complex64::new(3.0, 4.0), "{size:e}");
        }
        let single = (Number(0) / Number(1)).value(&[Complex32::from(1.0), Complex32::from(1e30)]);
        assert_eq!(single, Complex32::from(1.0 / 1e30));
        assert!(!value(Complex64::ONE, Complex64::ZERO).is_finite());
    }
}
