//! Kinds of arguments of routines on Hessenberg and Schur forms.

use std::ffi::{c_char, c_int, c_void};

use affinimath_abi::lapack::job;
use affinimath_abi::lapack::schur::{Flags, Selection};

use crate::kinds::{Argument, Integer};
use crate::lapack::OfLapacke;

/// A code that no option has.
const NONE: c_int = 0;

/// Options that are letters, with their codes.
macro_rules! choices {
    ($($(#[$meta:meta])* $name:ident { $($letter:literal => $code:ident),+ })+) => {$(
        $(#[$meta])*
        pub(crate) struct $name;

        impl<I> Argument<I> for $name {
            type Fortran = *const c_char;
            type Cblas = c_int;
            type Given = c_int;

            unsafe fn from_fortran(given: &*const c_char) -> c_int {
                // SAFETY: `from_fortran` requires a readable letter.
                match unsafe { given.cast::<u8>().read() }.to_ascii_uppercase() {
                    $($letter => job::$code,)+
                    _ => NONE,
                }
            }

            unsafe fn from_cblas(given: &c_int) -> c_int {
                *given
            }
        }

        impl<I> OfLapacke<I> for $name {
            type Lapacke = c_char;

            unsafe fn from_lapacke(given: &c_char) -> c_int {
                // SAFETY: the pointer is that of the reference `given`.
                unsafe { <Self as Argument<I>>::from_fortran(&std::ptr::from_ref(given)) }
            }
        }
    )+};
}

choices! {
    /// The parts of a balancing.
    Balance {
        b'N' => BALANCE_NONE, b'P' => BALANCE_PERMUTE, b'S' => BALANCE_SCALE, b'B' => BALANCE_BOTH
    }
    /// Condition numbers.
    Sense {
        b'N' => SENSE_NONE, b'E' => SENSE_VALUES, b'V' => SENSE_VECTORS, b'B' => SENSE_BOTH
    }
    /// Eigenvalues, or the Schur form.
    SchurJob {
        b'E' => EIGENVALUES, b'S' => SCHUR_FORM
    }
    /// Eigenvectors of a Schur form.
    HowMany {
        b'A' => EIGENVECTORS_ALL, b'B' => EIGENVECTORS_PRODUCT, b'S' => EIGENVECTORS_SELECTED
    }
    /// Left or right eigenvectors.
    Sides {
        b'L' => LEFT_VECTORS, b'R' => RIGHT_VECTORS, b'B' => BOTH_VECTORS
    }
    /// Selected eigenvalues first.
    Sort {
        b'N' => UNSORTED, b'S' => SORTED
    }
    /// Factors of an expert driver.
    Fact {
        b'N' => FACT_COMPUTED, b'E' => FACT_EQUILIBRATED, b'F' => FACT_GIVEN
    }
}

/// Arguments that are the same in all languages, with their type and their value for a call.
macro_rules! pointers {
    ($($(#[$meta:meta])* $name:ident $(<$t:ident>)?: $pointer:ty => $given:ty, |$value:ident| $call:expr;)+) => {$(
        $(#[$meta])*
        pub(crate) struct $name $(<$t>(std::marker::PhantomData<$t>))?;

        impl<I: Integer $(, $t)?> Argument<I> for $name $(<$t>)? {
            type Fortran = $pointer;
            type Cblas = $pointer;
            type Given = $given;

            unsafe fn from_fortran(given: &$pointer) -> $given {
                let $value = *given;
                $call
            }

            unsafe fn from_cblas(given: &$pointer) -> $given {
                // SAFETY: `from_fortran` reads no memory here.
                unsafe { <Self as Argument<I>>::from_fortran(given) }
            }
        }

        impl<I: Integer $(, $t)?> OfLapacke<I> for $name $(<$t>)? {
            type Lapacke = $pointer;

            unsafe fn from_lapacke(given: &$pointer) -> $given {
                // SAFETY: `from_fortran` reads no memory here.
                unsafe { <Self as Argument<I>>::from_fortran(given) }
            }
        }
    )+};
}

pointers! {
    /// Logical values that are read: of the width of integers.
    FlagsIn: *const I => Flags, |flags| flags_of::<I>(flags.cast_mut());
    /// Logical values that are written.
    FlagsOut: *mut I => Flags, |flags| flags_of::<I>(flags);
    /// A letter that is read or written.
    Letter: *mut c_char => *mut c_char, |letter| letter;
    /// A scalar that is written on the host.
    Out<T>: *mut T => *mut T, |scalar| scalar;
    /// A function that selects eigenvalues.
    Select: *const c_void => Selection, |function| Selection { function, wide: I::WIDE };
}

const fn flags_of<I: Integer>(flags: *mut I) -> Flags {
    if I::WIDE { Flags::Wide(flags.cast()) } else { Flags::Narrow(flags.cast()) }
}
