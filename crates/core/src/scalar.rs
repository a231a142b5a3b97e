//! The four element types, and what the rest of the library needs to know of them; and half precision, which is only
//! stored.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A complex number of two `f32`: the layout of C99's `float complex`.
pub type Complex32 = num_complex::Complex<f32>;
/// A complex number of two `f64`: the layout of C99's `double complex`.
pub type Complex64 = num_complex::Complex<f64>;
/// A number in IEEE half precision (binary16), the crate `half`'s: 11 bits, up to 65,504. It is stored in this type,
/// and computed with in `f32`; it is no [`Scalar`].
pub type Half = half::f16;

/// An element type as plain data: what plans, program keys and reports name it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum ScalarKind {
    /// `f32`, BLAS's S.
    S,
    /// `f64`, BLAS's D.
    D,
    /// [`Complex32`], BLAS's C.
    C,
    /// [`Complex64`], BLAS's Z.
    Z,
}

impl ScalarKind {
    /// All four, in BLAS's order.
    pub const ALL: [ScalarKind; 4] = [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z];

    /// BLAS's letter for the type: `S`, `D`, `C` or `Z`.
    #[inline]
    pub const fn letter(self) -> char {
        match self {
            ScalarKind::S => 'S',
            ScalarKind::D => 'D',
            ScalarKind::C => 'C',
            ScalarKind::Z => 'Z',
        }
    }

    /// True for double precision, which not every device supports.
    #[inline]
    pub const fn is_double(self) -> bool {
        matches!(self, ScalarKind::D | ScalarKind::Z)
    }

    /// True if it is complex.
    #[inline]
    pub const fn is_complex(self) -> bool {
        matches!(self, ScalarKind::C | ScalarKind::Z)
    }

    /// Bytes of one real number of the type: 4 or 8.
    #[inline]
    pub const fn real_bytes(self) -> usize {
        if self.is_double() { 8 } else { 4 }
    }

    /// Bytes of one element.
    #[inline]
    pub const fn bytes(self) -> usize {
        if self.is_complex() { 2 * self.real_bytes() } else { self.real_bytes() }
    }

    /// Real operations that one multiplication and one addition count as: 2 for a real type, 8 for a complex one.
    #[inline]
    pub const fn multiply_add_operations(self) -> u64 {
        if self.is_complex() { 8 } else { 2 }
    }
}

mod sealed {
    /// Closes [`super::Scalar`] to the four types, and gives the host backend faer's arithmetic and wide vectors of
    /// each.
    pub trait Sealed: faer::traits::ComplexField + crate::simd::Wide {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for super::Complex32 {}
    impl Sealed for super::Complex64 {}

    /// Closes [`super::Element`].
    pub trait SealedElement {}
    impl<T: super::Scalar> SealedElement for T {}
    impl SealedElement for i32 {}
    impl SealedElement for i64 {}
    impl SealedElement for super::Half {}
}

/// Types of elements in memory: a [`Scalar`], a [`Half`], an index such as iamax's result (`i64`), pivots and LAPACK's
/// info (`i32`).
pub trait Element: sealed::SealedElement + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The type as plain data, where a device must be able to compute with it.
    const SCALAR: Option<ScalarKind>;
}

impl<T: Scalar> Element for T {
    const SCALAR: Option<ScalarKind> = Some(T::KIND);
}

impl Element for i32 {
    const SCALAR: Option<ScalarKind> = None;
}

impl Element for i64 {
    const SCALAR: Option<ScalarKind> = None;
}

impl Element for Half {
    // Every device loads and stores it.
    const SCALAR: Option<ScalarKind> = None;
}

/// An element of a vector or matrix: `f32`, `f64`, [`Complex32`] or [`Complex64`].
pub trait Scalar:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + MulAssign
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// The real type of the same precision.
    type RealScalar: Scalar<RealScalar = Self::RealScalar> + PartialOrd + Into<f64>;

    /// The type as plain data.
    const KIND: ScalarKind;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The unit roundoff's double: the distance from 1 to the next larger number of the precision.
    const EPSILON: f64;

    /// The number `re + i im`, rounded to the precision; `im` is dropped by the real types.
    fn from_parts(re: f64, im: f64) -> Self;
    /// The real part, exact.
    fn re(self) -> f64;
    /// The imaginary part, exact; zero for the real types.
    fn im(self) -> f64;
    /// The complex conjugate; the number itself for the real types.
    fn conjugate(self) -> Self;

    /// The number times a real one, part by part.
    fn scaled(self, factor: Self::RealScalar) -> Self;
    /// |re| + |im|, in the number's own precision: BLAS's measure in asum and iamax.
    fn sum_of_moduli(self) -> Self::RealScalar;

    /// The modulus, computed in `f64` without undue overflow.
    #[inline]
    fn modulus(self) -> f64 {
        self.re().hypot(self.im())
    }

    /// True if both parts are finite.
    #[inline]
    fn finite(self) -> bool {
        self.re().is_finite() && self.im().is_finite()
    }
}

/// `f32` or `f64`.
pub trait Real: Scalar<RealScalar = Self> + PartialOrd + Into<f64> {}
impl<R: Scalar<RealScalar = R> + PartialOrd + Into<f64>> Real for R {}

/// `f64` or [`Complex64`]: a type with one of half its precision beside it, in which factorisations are faster.
pub trait Double: Scalar {
    /// `f32` or [`Complex32`].
    type Single: Scalar;
}
impl Double for f64 {
    type Single = f32;
}
impl Double for Complex64 {
    type Single = Complex32;
}

macro_rules! real_scalar {
    ($real:ident, $kind:ident) => {
        impl Scalar for $real {
            type RealScalar = $real;
            const KIND: ScalarKind = ScalarKind::$kind;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = $real::EPSILON as f64;

            #[inline]
            fn from_parts(re: f64, _im: f64) -> Self {
                re as $real
            }
            #[inline]
            fn re(self) -> f64 {
                self.into()
            }
            #[inline]
            fn im(self) -> f64 {
                0.0
            }
            #[inline]
            fn conjugate(self) -> Self {
                self
            }
            #[inline]
            fn scaled(self, factor: $real) -> Self {
                self * factor
            }
            #[inline]
            fn sum_of_moduli(self) -> $real {
                self.abs()
            }
        }
    };
}

macro_rules! complex_scalar {
    ($complex:ident, $real:ident, $kind:ident) => {
        impl Scalar for $complex {
            type RealScalar = $real;
            const KIND: ScalarKind = ScalarKind::$kind;
            const ZERO: Self = $complex::new(0.0, 0.0);
            const ONE: Self = $complex::new(1.0, 0.0);
            const EPSILON: f64 = $real::EPSILON as f64;

            #[inline]
            fn from_parts(re: f64, im: f64) -> Self {
                $complex::new(re as $real, im as $real)
            }
            #[inline]
            fn re(self) -> f64 {
                self.re.into()
            }
            #[inline]
            fn im(self) -> f64 {
                self.im.into()
            }
            #[inline]
            fn conjugate(self) -> Self {
                self.conj()
            }
            #[inline]
            fn scaled(self, factor: $real) -> Self {
                self * factor
            }
            #[inline]
            fn sum_of_moduli(self) -> $real {
                self.re.abs() + self.im.abs()
            }
        }
    };
}

real_scalar!(f32, S);
real_scalar!(f64, D);
complex_scalar!(Complex32, f32, C);
complex_scalar!(Complex64, f64, Z);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_tells_the_size_of_its_type() {
        fn check<T: Scalar>() {
            assert_eq!(T::KIND.bytes(), size_of::<T>());
            assert_eq!(T::KIND.real_bytes(), size_of::<T::RealScalar>());
            assert_eq!(T::from_parts(3.0, 4.0).modulus(), if T::KIND.is_complex() { 5.0 } else { 3.0 });
        }
        check::<f32>();
        check::<f64>();
        check::<Complex32>();
        check::<Complex64>();
    }
}
