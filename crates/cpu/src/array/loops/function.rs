//! Elementary and special functions, by the vectors of the machine.

use std::marker::PhantomData;

use affinimath_array::function::{Binary, Unary};
use affinimath_math::{Functions, binary_functions, unary_functions};
use pulp::Arch;

use crate::array::machine::{Call, Loop, LoopFn, Machine, Precision, Vectors, entry};

/// Declares a loop for each function of one value, and their table.
macro_rules! unary_loops {
    ({} $($variant:ident $function:ident,)*) => {
        $(struct $variant<R>(PhantomData<R>);

        impl<R: Precision + Functions> Loop for $variant<R> {
            #[inline(always)]
            unsafe fn run<M: Machine>(machine: M, call: &Call) {
                let lanes = R::of(machine);
                let (to, from) = (call.to[0].cast::<R>(), call.from[0].at.cast::<R>());
                for i in (0..call.n).step_by(<R::Of<M> as Vectors>::WIDTH) {
                    // SAFETY: by contract: the types and the length, which the width divides.
                    unsafe { lanes.store(to.add(i), R::$function(lanes, lanes.load(from.add(i)))) };
                }
            }
        })*

        /// The loop of a function of one real.
        pub fn unary<R: Precision + Functions>(arch: Arch, function: Unary) -> Option<LoopFn> {
            match function {
                $(Unary::$variant => Some(entry::<$variant<R>>(arch)),)*
                _ => None,
            }
        }
    };
}

/// Declares a loop for each function of two values, and their table.
macro_rules! binary_loops {
    ({} $($variant:ident $function:ident,)*) => {
        $(struct $variant<R>(PhantomData<R>);

        impl<R: Precision + Functions> Loop for $variant<R> {
            #[inline(always)]
            unsafe fn run<M: Machine>(machine: M, call: &Call) {
                let lanes = R::of(machine);
                let ([a, b, ..], to) = (call.from, call.to[0].cast::<R>());
                for i in (0..call.n).step_by(<R::Of<M> as Vectors>::WIDTH) {
                    // SAFETY: by contract: the types and the length, which the width divides.
                    unsafe {
                        let x = lanes.load(a.element(i));
                        let y = lanes.load(b.element(i));
                        lanes.store(to.add(i), R::$function(lanes, x, y));
                    }
                }
            }
        })*

        /// The loop of a function of two reals.
        pub fn binary<R: Precision + Functions>(arch: Arch, function: Binary) -> Option<LoopFn> {
            let _ = arch;
            match function {
                $(Binary::$variant => Some(entry::<$variant<R>>(arch)),)*
                _ => None,
            }
        }
    };
}

unary_functions!(unary_loops);
binary_functions!(binary_loops);
