//! LAPACK's and LAPACKE's conventions: a call returns LAPACK's info.

use std::ffi::{c_char, c_int, c_void};

use affinimath_abi::boundary::{guarded, position};
use affinimath_abi::form::{Run, Standard, StandardLocation, Unreported, run_small};
use affinimath_abi::lapack::{Iterations as Location, Pivots, Unneeded};
use affinimath_abi::log;
use tracing::level_filters::LevelFilter;

use crate::call::{Language, Routine, tell};
use crate::kinds::{
    AdjointOp, Argument, ByValue, COLUMN_MAJOR, Diag, HermitianOp, Integer, Job, Norm, Number, Op, Range, Read, Side,
    Size, Uplo, Write,
};
use crate::{threads, xerbla};

/// Runs a call and returns its info: 0, -i for a wrong argument i, or a positive info. Wrong arguments are reported if
/// LAPACK does so.
///
/// # Safety
/// The contract of [`Run::run`].
#[inline(always)]
pub(crate) unsafe fn info<C: Run<Standard>>(routine: &'static Routine, call: &C) -> i64 {
    // SAFETY: this function has `Run::run`'s contract.
    unsafe { if run_small(call) { 0 } else { info_of_any(routine, call) } }
}

/// # Safety
/// The contract of [`Run::run`].
#[inline(never)]
unsafe fn info_of_any<C: Run<Standard>>(routine: &'static Routine, call: &C) -> i64 {
    log::start();
    threads::settle();
    if LevelFilter::current() >= LevelFilter::DEBUG {
        tell(routine);
    }
    // SAFETY: this function has `Run::run`'s contract.
    let Err(error) = guarded(|| unsafe { call.run(Standard) }) else {
        // SAFETY: `run` returned, and the call is still valid.
        return match unsafe { call.unreported() } {
            Unreported::Nothing => 0,
            Unreported::Argument(name) => {
                routine.arguments.iter().position(|argument| *argument == name).map_or(0, |index| -(index as i64 + 1))
            }
            Unreported::Info(info) | Unreported::Status(info) => info,
        };
    };
    if let Some(position) = position(&error, routine.arguments) {
        match routine.language {
            Language::Fortran { .. } => xerbla::report(routine, COLUMN_MAJOR, position, &error.to_string()),
            Language::Cblas { wide, .. } => xerbla::lapacke(routine.name, wide, position),
        }
        return -(position as i64);
    }
    let status = error.status();
    if status <= 0 {
        xerbla::say(&format!(" ** {}: {error}", routine.name.to_string_lossy().trim_end()));
    }
    status.into()
}

/// An argument's kind in LAPACKE, whose options are letters.
pub(crate) trait OfLapacke<I>: Argument<I> {
    /// The type in LAPACKE.
    type Lapacke;

    /// # Safety
    /// A pointer to a scalar must be valid.
    unsafe fn from_lapacke(given: &Self::Lapacke) -> Self::Given;
}

/// Pivots: integers of Fortran's width.
macro_rules! pivots {
    ($($name:ident, *$mutability:ident;)+) => {$(
        /// Pivots in memory.
        pub(crate) struct $name;

        impl<I: Integer> Argument<I> for $name {
            type Fortran = *$mutability I;
            type Cblas = *$mutability I;
            type Given = Pivots<StandardLocation<i32>>;

            unsafe fn from_fortran(given: &Self::Fortran) -> Self::Given {
                if I::WIDE { Pivots::Wide((*given) as *mut i64) } else { ((*given) as *mut i32).into() }
            }

            unsafe fn from_cblas(given: &Self::Cblas) -> Self::Given {
                // SAFETY: `from_fortran` reads no memory here.
                unsafe { <Self as Argument<I>>::from_fortran(given) }
            }
        }
    )+};
}
pivots! {
    PivotsIn, *const;
    PivotsOut, *mut;
}

/// The iterations of a refinement: an integer of Fortran's width.
pub(crate) struct Iterations;

impl<I: Integer> Argument<I> for Iterations {
    type Fortran = *mut I;
    type Cblas = *mut I;
    type Given = Location;

    unsafe fn from_fortran(given: &Self::Fortran) -> Self::Given {
        if I::WIDE { Location::Wide(given.cast()) } else { Location::Narrow(given.cast()) }
    }

    unsafe fn from_cblas(given: &Self::Cblas) -> Self::Given {
        // SAFETY: `from_fortran` reads no memory here.
        unsafe { <Self as Argument<I>>::from_fortran(given) }
    }
}

/// Workspace that is not accessed.
pub(crate) struct Unused;

impl<I> Argument<I> for Unused {
    type Fortran = *mut c_void;
    type Cblas = *mut c_void;
    type Given = Unneeded;

    unsafe fn from_fortran(_: &*mut c_void) -> Unneeded {
        Unneeded
    }

    unsafe fn from_cblas(_: &*mut c_void) -> Unneeded {
        Unneeded
    }
}

macro_rules! letters {
    ($($name:ident $(<$t:ident>)?),+) => {$(
        impl<I $(, $t: affinimath::Scalar)?> OfLapacke<I> for $name $(<$t>)? {
            type Lapacke = c_char;

            unsafe fn from_lapacke(given: &c_char) -> c_int {
                // SAFETY: the pointer is that of the reference `given`.
                unsafe { <Self as Argument<I>>::from_fortran(&std::ptr::from_ref(given)) }
            }
        }
    )+};
}
letters!(Op, AdjointOp<T>, HermitianOp, Uplo, Diag, Side, Norm, Job, Range);

macro_rules! as_in_cblas {
    ($($name:ident $(<$t:ident>)?: $($bound:ident)?),+) => {$(
        impl<I $(: $bound)? $(, $t)?> OfLapacke<I> for $name $(<$t>)? {
            type Lapacke = <Self as Argument<I>>::Cblas;

            unsafe fn from_lapacke(given: &Self::Lapacke) -> Self::Given {
                // SAFETY: `from_cblas` has this function's contract.
                unsafe { <Self as Argument<I>>::from_cblas(given) }
            }
        }
    )+};
}
as_in_cblas!(Size: Integer, Iterations: Integer, PivotsIn: Integer, PivotsOut: Integer, Unused:, Read<T>:, Write<T>:);

impl<I, T: ByValue> OfLapacke<I> for Number<T> {
    /// LAPACKE passes only real scalars so.
    type Lapacke = <Self as Argument<I>>::Cblas;

    unsafe fn from_lapacke(given: &Self::Lapacke) -> T {
        // SAFETY: `from_cblas` has this function's contract.
        unsafe { <Self as Argument<I>>::from_cblas(given) }
    }
}

/// Fortran's subroutines of a LAPACK routine, like `fortran!`, with the info as the last argument.
macro_rules! lapack {
    (
        $module:ident $fixed:tt $arguments:tt;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+;)+
    ) => {$(
        $(lapack!(@one $module $fixed $arguments $element, $name, i32, $lp64);)+
        $(lapack!(@one $module $fixed $arguments $element, $name, i64, $ilp64);)+
    )+};
    (
        @one $module:ident [$($field:ident = $value:expr),*] ($($argument:ident: $kind:ty),*)
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol($($argument: <$kind as Argument<I>>::Fortran,)* info: *mut I) {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &[$(stringify!($argument)),*],
                    language: Language::Fortran { wide: <I as Integer>::WIDE },
                };
                // SAFETY: LAPACK requires pointers that are valid for the elements that sizes, increments and leading
                // dimensions describe, and a writable info.
                unsafe {
                    let call = $module::Call::<T, Standard> {
                        $($field: $value,)*
                        $($argument: <$kind as Argument<I>>::from_fortran(&$argument)),*
                    };
                    info.write(<I as Integer>::from_wide(crate::lapack::info(&ROUTINE, &call)));
                }
            }
        };
    };
}

/// LAPACKE's functions of a routine. `own` is for those that allocate LAPACK's workspace with its length, `work` for
/// workspace without a length.
macro_rules! lapacke {
    (
        $module:ident $own:tt $arguments:tt;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+;)+
    ) => {$(
        $(lapacke!(@one $module $own $arguments $element, $name, i32, $lp64);)+
        $(lapacke!(@one $module $own $arguments $element, $name, i64, $ilp64);)+
    )+};
    (
        @one $module:ident [own $(, $field:ident = $value:expr)*] $arguments:tt
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        lapacke!(
            @one $module [work, lwork = affinimath_abi::lapack::NO_WORKSPACE $(, $field = $value)*] $arguments
            $element, $name, $integer, $symbol
        );
    };
    (
        @one $module:ident [work $(, $field:ident = $value:expr)*] $arguments:tt
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        lapacke!(
            @function $module
            [work = affinimath_abi::form::StandardLocation(std::ptr::null_mut()) $(, $field = $value)*]
            $arguments $element, $name, $integer, $symbol
        );
    };
    (@one $module:ident $own:tt $arguments:tt $element:ty, $name:literal, $integer:ty, $symbol:ident) => {
        lapacke!(@function $module $own $arguments $element, $name, $integer, $symbol);
    };
    (
        @function $module:ident [$($field:ident = $value:expr),*] ($($argument:ident: $kind:ty),*)
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol(
                layout: std::ffi::c_int,
                $($argument: <$kind as crate::lapack::OfLapacke<I>>::Lapacke),*
            ) -> I {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &["layout", $(stringify!($argument)),*],
                    language: Language::Cblas { wide: <I as Integer>::WIDE, exchanged: &[] },
                };
                // SAFETY: LAPACKE requires pointers that are valid for the elements that sizes, increments and leading
                // dimensions describe.
                unsafe {
                    let call = $module::Call::<T, Standard> {
                        layout,
                        $($field: $value,)*
                        $($argument: <$kind as crate::lapack::OfLapacke<I>>::from_lapacke(&$argument)),*
                    };
                    <I as Integer>::from_wide(crate::lapack::info(&ROUTINE, &call))
                }
            }
        };
    };
}

/// LAPACKE's functions of a routine without matrices, and so without a layout. `own` is workspace that is not accessed.
macro_rules! lapacke_plain {
    (
        $module:ident $own:tt $arguments:tt;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+;)+
    ) => {$(
        $(lapacke_plain!(@one $module $own $arguments $element, $name, i32, $lp64);)+
        $(lapacke_plain!(@one $module $own $arguments $element, $name, i64, $ilp64);)+
    )+};
    (
        @one $module:ident [$($field:ident = $value:expr),*] ($($argument:ident: $kind:ty),*)
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol($($argument: <$kind as crate::lapack::OfLapacke<I>>::Lapacke),*) -> I {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &[$(stringify!($argument)),*],
                    language: Language::Cblas { wide: <I as Integer>::WIDE, exchanged: &[] },
                };
                // SAFETY: LAPACKE requires pointers that are valid for the elements that sizes describe.
                unsafe {
                    let call = $module::Call::<T, Standard> {
                        $($field: $value,)*
                        $($argument: <$kind as crate::lapack::OfLapacke<I>>::from_lapacke(&$argument)),*
                    };
                    <I as Integer>::from_wide(crate::lapack::info(&ROUTINE, &call))
                }
            }
        };
    };
}

/// LAPACKE's functions that return a value: -i for a wrong argument i.
macro_rules! lapacke_function {
    (
        $module:ident $own:tt $arguments:tt -> $result:ty;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+;)+
    ) => {$(
        $(lapacke_function!(@one $module $own $arguments $result, $element, $name, i32, $lp64);)+
        $(lapacke_function!(@one $module $own $arguments $result, $element, $name, i64, $ilp64);)+
    )+};
    (
        @one $module:ident [$($field:ident = $value:expr),*] ($($argument:ident: $kind:ty),*) $result:ty,
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol(
                layout: std::ffi::c_int,
                $($argument: <$kind as crate::lapack::OfLapacke<I>>::Lapacke),*
            ) -> <$result as Returned<I>>::Cblas {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &["layout", $(stringify!($argument)),*],
                    language: Language::Cblas { wide: <I as Integer>::WIDE, exchanged: &[] },
                };
                let mut value = <$result as Returned<I>>::EMPTY;
                let location = &raw mut value;
                // SAFETY: LAPACKE requires pointers that are valid for the elements that sizes, increments and leading
                // dimensions describe.
                let info = unsafe {
                    let call = $module::Call::<T, Standard> {
                        layout,
                        $($field: $value,)*
                        $($argument: <$kind as crate::lapack::OfLapacke<I>>::from_lapacke(&$argument),)*
                        result: location.into(),
                    };
                    crate::lapack::info(&ROUTINE, &call)
                };
                if info < 0 {
                    value = affinimath::Scalar::from_parts(info as f64, 0.0);
                }
                <$result as Returned<I>>::to_cblas(value)
            }
        };
    };
}

pub(crate) use {lapack, lapacke, lapacke_function, lapacke_plain};
