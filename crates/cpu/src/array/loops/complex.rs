//! Functions of complex numbers, from parts to parts, by the vectors of the machine.

use std::marker::PhantomData;

use affinimath_array::function::ComplexUnary;
use affinimath_math::complex;
use pulp::Arch;

use crate::array::machine::{Call, Loop, LoopFn, Machine, Precision, Vectors, entry};

macro_rules! complex_loops {
    ($($variant:ident $function:ident,)*) => {
        $(struct $variant<R>(PhantomData<R>);

        impl<R: Precision + complex::Precision> Loop for $variant<R> {
            #[inline(always)]
            unsafe fn run<M: Machine>(machine: M, call: &Call) {
                let lanes = R::of(machine);
                let ([a, b, ..], [re, im, ..]) = (call.from, call.to);
                for i in (0..call.n).step_by(<R::Of<M> as Vectors>::WIDTH) {
                    // SAFETY: by contract: two operands and two results of the type, and the length, which the width
                    // divides.
                    unsafe {
                        let x = lanes.load(a.at.cast::<R>().add(i * a.step));
                        let y = lanes.load(b.at.cast::<R>().add(i * b.step));
                        let (x, y) = complex::$function(lanes, x, y);
                        lanes.store(re.cast::<R>().add(i), x);
                        lanes.store(im.cast::<R>().add(i), y);
                    }
                }
            }
        })*

        /// The loop of a function, whose results are a real and an imaginary part.
        pub fn complex_unary<R: Precision + complex::Precision>(arch: Arch, function: ComplexUnary) -> LoopFn {
            match function {
                $(ComplexUnary::$variant => entry::<$variant<R>>(arch),)*
            }
        }
    };
}

complex_loops! {
    Exp exp,
    Ln ln,
    Sqrt sqrt,
    Recip recip,
}
