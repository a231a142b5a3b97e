//! Functions from lines of the routine table: each converts its arguments, by their kinds, to the library's call.

pub(crate) use affinimath::{Complex32, Complex64};
pub(crate) use affinimath_abi::form::Standard;

pub(crate) use crate::call::{Language, Routine, complete, complete_with_layout};
pub(crate) use crate::kinds::*;
pub(crate) use crate::walk::Walking;

/// A call that runs unchanged.
pub(crate) use std::convert::identity as Plain;

/// Fortran's subroutines of a routine: for each type the names with 32-bit integers and those with 64-bit integers.
macro_rules! fortran {
    (
        $module:ident $run:ident $fixed:tt $arguments:tt;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+;)+
    ) => {$(
        $(fortran!(@one $module $run $fixed $arguments $element, $name, i32, $lp64);)+
        $(fortran!(@one $module $run $fixed $arguments $element, $name, i64, $ilp64);)+
    )+};
    (
        @one $module:ident $run:ident [$($field:ident = $value:expr)?] ($($argument:ident: $kind:ty),*)
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol($($argument: <$kind as Argument<I>>::Fortran),*) {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &[$(stringify!($argument)),*],
                    language: Language::Fortran { wide: <I as Integer>::WIDE },
                };
                // SAFETY: BLAS requires pointers that are valid for the elements that sizes, increments and leading
                // dimensions describe.
                unsafe {
                    complete(&ROUTINE, &$run($module::Call::<T, Standard> {
                        $($field: $value,)?
                        $($argument: <$kind as Argument<I>>::from_fortran(&$argument)),*
                    }));
                }
            }
        };
    };
}

/// Fortran's functions, and the reference's subroutine, if any, that returns the result in a last argument.
macro_rules! fortran_function {
    (
        $module:ident $run:ident $fixed:tt $arguments:tt -> $result:ty;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+ $(, $sub:ident)?;)+
    ) => {$(
        $(fortran_function!(@one $module $run $fixed $arguments $result, $element, $name, i32, $lp64);)+
        $(fortran_function!(@one $module $run $fixed $arguments $result, $element, $name, i64, $ilp64);)+
        $(fortran_function!(@sub $module $run $fixed $arguments $result, $element, $name, i32, $sub);)?
    )+};
    (
        @one $module:ident $run:ident $fixed:tt ($($argument:ident: $kind:ty),*) $result:ty,
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol(
                $($argument: <$kind as Argument<I>>::Fortran),*
            ) -> <$result as Returned<I>>::Fortran {
                fortran_function!(@body $module $run $fixed ($($argument: $kind),*) $result, $name)
            }
        };
    };
    (
        @sub $module:ident $run:ident $fixed:tt ($($argument:ident: $kind:ty),*) $result:ty,
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol(
                $($argument: <$kind as Argument<I>>::Fortran,)*
                result: *mut <$result as Returned<I>>::Fortran,
            ) {
                let value = fortran_function!(@body $module $run $fixed ($($argument: $kind),*) $result, $name);
                // SAFETY: the reference's subroutine requires a writable result.
                unsafe { result.write(value) };
            }
        };
    };
    (
        @body $module:ident $run:ident [$($field:ident = $value:expr)?] ($($argument:ident: $kind:ty),*)
        $result:ty, $name:literal
    ) => {{
        static ROUTINE: Routine = Routine {
            name: $name,
            arguments: &[$(stringify!($argument)),*],
            language: Language::Fortran { wide: <I as Integer>::WIDE },
        };
        let mut value = <$result as Returned<I>>::EMPTY;
        let location = &raw mut value;
        // SAFETY: BLAS requires pointers that are valid for the elements that sizes and increments describe; `value` is
        // the result's.
        unsafe {
            complete(&ROUTINE, &$run($module::Call::<T, Standard> {
                $($field: $value,)?
                $($argument: <$kind as Argument<I>>::from_fortran(&$argument),)*
                result: location.into(),
            }));
        }
        <$result as Returned<I>>::to_fortran(value)
    }};
}

/// CBLAS's functions without a result.
macro_rules! cblas {
    (
        $module:ident $run:ident $special:tt $arguments:tt;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+;)+
    ) => {$(
        $(cblas!(@one $module $run $special $arguments $element, $name, i32, $lp64);)+
        $(cblas!(@one $module $run $special $arguments $element, $name, i64, $ilp64);)+
    )+};
    (
        @one $module:ident $run:ident
        [$($layout:ident)? $(; $($one:ident $other:ident),+)?] ($($argument:ident: $kind:ty),*)
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol($($argument: <$kind as Argument<I>>::Cblas),*) {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &[$(stringify!($argument)),*],
                    language: Language::Cblas {
                        wide: <I as Integer>::WIDE,
                        exchanged: &[$($([stringify!($one), stringify!($other)]),+)?],
                    },
                };
                // SAFETY: CBLAS requires pointers that are valid for the elements that sizes, increments and leading
                // dimensions describe.
                unsafe {
                    let call = $run($module::Call::<T, Standard> {
                        $($argument: <$kind as Argument<I>>::from_cblas(&$argument)),*
                    });
                    cblas!(@complete &ROUTINE, &call $(, $layout)?);
                }
            }
        };
    };
    (@complete $routine:expr, $call:expr, $layout:ident) => {
        complete_with_layout($routine, $layout, $call)
    };
    (@complete $routine:expr, $call:expr) => {
        complete($routine, $call)
    };
}

/// CBLAS's functions with a result.
macro_rules! cblas_function {
    (
        $module:ident $run:ident [] $arguments:tt -> $result:ty;
        $($element:ty, $name:literal: $($lp64:ident)+, $($ilp64:ident)+;)+
    ) => {$(
        $(cblas_function!(@one $module $run $arguments $result, $element, $name, i32, $lp64);)+
        $(cblas_function!(@one $module $run $arguments $result, $element, $name, i64, $ilp64);)+
    )+};
    (
        @one $module:ident $run:ident ($($argument:ident: $kind:ty),*) $result:ty,
        $element:ty, $name:literal, $integer:ty, $symbol:ident
    ) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $element;
            type I = $integer;
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $symbol(
                $($argument: <$kind as Argument<I>>::Cblas),*
            ) -> <$result as Returned<I>>::Cblas {
                static ROUTINE: Routine = Routine {
                    name: $name,
                    arguments: &[$(stringify!($argument)),*],
                    language: Language::Cblas { wide: <I as Integer>::WIDE, exchanged: &[] },
                };
                let mut value = <$result as Returned<I>>::EMPTY;
                let location = &raw mut value;
                // SAFETY: CBLAS requires pointers that are valid for the elements that sizes and increments describe;
                // `value` is the result's.
                unsafe {
                    complete(&ROUTINE, &$run($module::Call::<T, Standard> {
                        $($argument: <$kind as Argument<I>>::from_cblas(&$argument),)*
                        result: location.into(),
                    }));
                }
                <$result as Returned<I>>::to_cblas(value)
            }
        };
    };
}

pub(crate) use {cblas, cblas_function, fortran, fortran_function};
