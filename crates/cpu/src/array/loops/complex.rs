//! Functions of complex numbers, from parts to parts.

use std::marker::PhantomData;

use affinimath_array::ElementType;
use affinimath_array::function::ComplexUnary;
use affinimath_math::complex::{self, Precision as ComplexPrecision};
use pulp::Arch;

use crate::array::machine::{Call, Loop, LoopFn, Machine, Precision, Vectors, entry};

/// Declares a loop for each function, and their table.
macro_rules! complex_loops {
    ($($variant:ident $function:ident,)*) => {
        $(struct $variant<R>(PhantomData<R>);

        impl<R: Precision + ComplexPrecision> Loop for $variant<R> {
            #[inline(always)]
            unsafe fn run<M: Machine>(machine: M, call: &Call) {
                let lanes = R::of(machine);
                let ([re, im, ..], [to_re, to_im, ..]) = (call.from, call.to);
                for i in (0..call.n).step_by(<R::Of<M> as Vectors>::WIDTH) {
                    // SAFETY: by contract: the types and the length, which the width divides.
                    unsafe {
                        let x = lanes.load(re.element(i));
                        let y = lanes.load(im.element(i));
                        let (x, y) = complex::$function(lanes, x, y);
                        lanes.store(to_re.cast::<R>().add(i), x);
                        lanes.store(to_im.cast::<R>().add(i), y);
                    }
                }
            }
        })*

        fn of_precision<R: Precision + ComplexPrecision>(arch: Arch, function: ComplexUnary) -> LoopFn {
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

/// The loop of a complex function with parts of the type, to the real and the imaginary part.
pub fn complex(arch: Arch, function: ComplexUnary, part: ElementType) -> Option<LoopFn> {
    match part {
        ElementType::F32 => Some(of_precision::<f32>(arch, function)),
        ElementType::F64 => Some(of_precision::<f64>(arch, function)),
        _ => None,
    }
}
