//! Kinds of arguments: their types in Fortran, in CBLAS and in the library's calls.

use std::ffi::{c_char, c_int};

use affinimath::{Complex32, Complex64, Scalar};
use affinimath_abi::form::StandardLocation;

/// The real type of an element type.
pub(crate) type Real<T> = <T as Scalar>::RealScalar;

/// The layout of Fortran's matrices.
pub(crate) const COLUMN_MAJOR: c_int = 102;
const ROW_MAJOR: c_int = 101;
/// A code that no option has.
const NONE: c_int = 0;

/// BLAS's integers: 32 bits (LP64), or 64 (ILP64).
pub(crate) trait Integer: Copy + 'static {
    /// True for 64 bits.
    const WIDE: bool;
    fn wide(self) -> i64;
    fn from_wide(value: i64) -> Self;
}

impl Integer for i32 {
    const WIDE: bool = false;
    #[inline]
    fn wide(self) -> i64 {
        self.into()
    }
    #[inline]
    fn from_wide(value: i64) -> Self {
        value as i32
    }
}

impl Integer for i64 {
    const WIDE: bool = true;
    #[inline]
    fn wide(self) -> i64 {
        self
    }
    #[inline]
    fn from_wide(value: i64) -> Self {
        value
    }
}

/// A kind of argument, where integers are `I`.
pub(crate) trait Argument<I> {
    /// The type in Fortran.
    type Fortran;
    /// The type in CBLAS.
    type Cblas;
    /// The type in the library's calls.
    type Given;

    /// # Safety
    /// A pointer to a scalar or letter must be valid.
    unsafe fn from_fortran(given: &Self::Fortran) -> Self::Given;

    /// # Safety
    /// A pointer to a scalar must be valid.
    unsafe fn from_cblas(given: &Self::Cblas) -> Self::Given;
}

/// An option: a letter in Fortran, a code in CBLAS. `$letters` maps a letter to its code, `$codes` refuses illegal
/// codes.
macro_rules! option {
    ($(#[$meta:meta])* $name:ident $(<$t:ident>)?, |$letter:ident| $letters:expr, |$code:ident| $codes:expr) => {
        $(#[$meta])*
        pub(crate) struct $name $(<$t>(std::marker::PhantomData<$t>))?;

        impl<I $(, $t: Scalar)?> Argument<I> for $name $(<$t>)? {
            type Fortran = *const c_char;
            type Cblas = c_int;
            type Given = c_int;

            #[inline]
            unsafe fn from_fortran(given: &*const c_char) -> c_int {
                // SAFETY: `from_fortran` requires a readable letter.
                let $letter = unsafe { given.cast::<u8>().read() }.to_ascii_uppercase();
                $letters
            }

            #[inline]
            unsafe fn from_cblas(given: &c_int) -> c_int {
                let $code = *given;
                $codes
            }
        }
    };
}

const fn three(letter: u8) -> c_int {
    match letter {
        b'N' => 111,
        b'T' => 112,
        b'C' => 113,
        _ => NONE,
    }
}

const fn four(letter: u8) -> c_int {
    if letter == b'R' { 114 } else { three(letter) }
}

/// An op of routines with a symmetric result, which excludes conjugation.
const fn symmetric(complex: bool, code: c_int) -> c_int {
    if complex && code != 111 && code != 112 { NONE } else { code }
}

/// An op of routines with a Hermitian result.
const fn hermitian(code: c_int) -> c_int {
    if code == 111 || code == 113 { code } else { NONE }
}

/// No op or the adjoint: LAPACK takes `T` for real types only, and `C` for complex ones.
const fn adjoint(complex: bool, code: c_int) -> c_int {
    if code == 111 || code == if complex { 113 } else { 112 } { code } else { NONE }
}

option!(
    /// `N`, `T` or `C`.
    Op,
    |letter| three(letter),
    |code| code
);
option!(
    /// `N`, `T`, `C` or `R`.
    AnyOp,
    |letter| four(letter),
    |code| code
);
option!(
    /// `N` or `T`, for real types also `C`.
    SymmetricOp<T>,
    |letter| symmetric(T::KIND.is_complex(), three(letter)),
    |code| symmetric(T::KIND.is_complex(), code)
);
option!(
    /// `N` or `C`.
    HermitianOp,
    |letter| hermitian(three(letter)),
    |code| hermitian(code)
);
option!(
    /// `N`, and for real types `T`, for complex ones `C`.
    AdjointOp<T>,
    |letter| adjoint(T::KIND.is_complex(), three(letter)),
    |code| adjoint(T::KIND.is_complex(), code)
);
option!(
    /// `U` or `L`.
    Uplo,
    |letter| match letter {
        b'U' => 121,
        b'L' => 122,
        _ => NONE,
    },
    |code| code
);
option!(
    /// `N` or `U`.
    Diag,
    |letter| match letter {
        b'N' => 131,
        b'U' => 132,
        _ => NONE,
    },
    |code| code
);
option!(
    /// `L` or `R`.
    Side,
    |letter| match letter {
        b'L' => 141,
        b'R' => 142,
        _ => NONE,
    },
    |code| code
);
option!(
    /// `1` or `O`, `I`, `F` or `E`, and `M`.
    Norm,
    |letter| match letter {
        b'1' | b'O' => 171,
        b'F' | b'E' => 174,
        b'I' => 175,
        b'M' => 177,
        _ => NONE,
    },
    |code| code
);
option!(
    /// `N`, `V`, `A`, `S`, `O`, `I` or `U`: vectors of an eigenvalue or singular value problem. `Q` or `P`: a factor.
    Job,
    |letter| match letter {
        b'N' => 181,
        b'V' => 182,
        b'A' => 183,
        b'S' => 184,
        b'O' => 185,
        b'I' => 186,
        b'Q' => 187,
        b'P' => 188,
        b'U' => 189,
        _ => NONE,
    },
    |code| code
);
option!(
    /// `A`, `V` or `I`: which eigenvalues.
    Range,
    |letter| match letter {
        b'A' => 191,
        b'V' => 192,
        b'I' => 193,
        _ => NONE,
    },
    |code| code
);
option!(
    /// CBLAS's layout. Fortran's extensions take `C` or `R`.
    Order,
    |letter| match letter {
        b'C' => COLUMN_MAJOR,
        b'R' => ROW_MAJOR,
        _ => NONE,
    },
    |code| code
);

/// CBLAS's layout.
pub(crate) type Layout = Order;

/// An integer: a size, a leading dimension, an increment.
pub(crate) struct Size;

impl<I: Integer> Argument<I> for Size {
    type Fortran = *const I;
    type Cblas = I;
    type Given = i64;

    #[inline]
    unsafe fn from_fortran(given: &*const I) -> i64 {
        // SAFETY: `from_fortran` requires a readable integer.
        unsafe { given.read() }.wide()
    }

    #[inline]
    unsafe fn from_cblas(given: &I) -> i64 {
        given.wide()
    }
}

/// Scalars in CBLAS: real ones by value, complex ones by pointer.
pub(crate) trait ByValue: Scalar {
    type Given;

    /// # Safety
    /// A pointer must be valid.
    unsafe fn take(given: &Self::Given) -> Self;
}

macro_rules! by_value {
    ($($real:ident, $complex:ident);+) => {$(
        impl ByValue for $real {
            type Given = $real;
            #[inline]
            unsafe fn take(given: &$real) -> $real {
                *given
            }
        }
        impl ByValue for $complex {
            type Given = *const $complex;
            #[inline]
            unsafe fn take(given: &*const $complex) -> $complex {
                // SAFETY: `take` requires a readable element.
                unsafe { given.read() }
            }
        }
    )+};
}
by_value!(f32, Complex32; f64, Complex64);

/// A scalar.
pub(crate) struct Number<T>(std::marker::PhantomData<T>);

impl<I, T: ByValue> Argument<I> for Number<T> {
    type Fortran = *const T;
    type Cblas = T::Given;
    type Given = T;

    #[inline]
    unsafe fn from_fortran(given: &*const T) -> T {
        // SAFETY: `from_fortran` requires a readable element.
        unsafe { given.read() }
    }

    #[inline]
    unsafe fn from_cblas(given: &T::Given) -> T {
        // SAFETY: `take` has this function's contract.
        unsafe { T::take(given) }
    }
}

/// A scalar by pointer in Fortran and by value in CBLAS; the library's call takes a pointer.
pub(crate) struct Value<T>(std::marker::PhantomData<T>);

impl<I, T> Argument<I> for Value<T> {
    type Fortran = *const T;
    type Cblas = T;
    type Given = StandardLocation<T>;

    #[inline]
    unsafe fn from_fortran(given: &*const T) -> StandardLocation<T> {
        (*given).into()
    }

    #[inline]
    unsafe fn from_cblas(given: &T) -> StandardLocation<T> {
        std::ptr::from_ref(given).into()
    }
}

macro_rules! memory {
    ($(#[$meta:meta])* $name:ident, *$mutability:ident) => {
        $(#[$meta])*
        pub(crate) struct $name<T>(std::marker::PhantomData<T>);

        impl<I, T> Argument<I> for $name<T> {
            type Fortran = *$mutability T;
            type Cblas = *$mutability T;
            type Given = StandardLocation<T>;

            #[inline]
            unsafe fn from_fortran(given: &Self::Fortran) -> StandardLocation<T> {
                (*given).into()
            }

            #[inline]
            unsafe fn from_cblas(given: &Self::Cblas) -> StandardLocation<T> {
                (*given).into()
            }
        }
    };
}

memory!(
    /// A vector or matrix that is read.
    Read, *const
);
memory!(
    /// A vector, matrix or scalar that is written.
    Write, *mut
);

/// A result that a function returns.
pub(crate) trait Returned<I> {
    /// The type that the library's call writes.
    type Value: Copy;
    /// The type that the function returns in Fortran.
    type Fortran;
    /// The type that it returns in CBLAS.
    type Cblas;
    /// The result for no elements.
    const EMPTY: Self::Value;

    fn to_fortran(value: Self::Value) -> Self::Fortran;
    fn to_cblas(value: Self::Value) -> Self::Cblas;
}

/// A sum or a norm.
pub(crate) struct Sum<T>(std::marker::PhantomData<T>);

impl<I, T: Scalar> Returned<I> for Sum<T> {
    type Value = T;
    type Fortran = T;
    type Cblas = T;
    const EMPTY: T = T::ZERO;

    #[inline]
    fn to_fortran(value: T) -> T {
        value
    }
    #[inline]
    fn to_cblas(value: T) -> T {
        value
    }
}

/// An index, from 1 in Fortran and from 0 in CBLAS; 0 in both for no elements.
pub(crate) struct Index;

impl<I: Integer> Returned<I> for Index {
    type Value = i64;
    type Fortran = I;
    type Cblas = usize;
    const EMPTY: i64 = -1;

    #[inline]
    fn to_fortran(value: i64) -> I {
        I::from_wide(value + 1)
    }
    #[inline]
    fn to_cblas(value: i64) -> usize {
        value.max(0) as usize
    }
}
