//! Elementary functions, by the vectors of the machine.

use std::marker::PhantomData;

use affinimath_math::Functions;
use affinimath_math::machine::{Loop, LoopFn, Machine, Precision, Vectors, entry_of};
use pulp::Arch;

use super::MapCall;
use crate::definition::{Function, Type};

macro_rules! functions {
    ($($variant:ident $function:ident($($x:ident $index:literal),+),)+) => {
        $(struct $variant<R>(PhantomData<R>);

        impl<R: Precision + Functions> Loop<MapCall> for $variant<R> {
            #[inline(always)]
            unsafe fn run<M: Machine>(machine: M, call: &MapCall) {
                let (lanes, width) = (R::of(machine), <R::Of<M> as Vectors>::WIDTH);
                let to = call.to.cast::<R>();
                let mut i = 0;
                // SAFETY: by contract: types and lengths.
                unsafe {
                    // One call of the function, so that it is inlined once.
                    while i < call.n {
                        let n = call.n - i;
                        $(let $x = call.from[$index].cast::<R>().add(i);)+
                        $(let $x = if n < width { lanes.load_first($x, n) } else { lanes.load($x) };)+
                        let value = R::$function(lanes, $($x),+);
                        if n < width {
                            lanes.store_first(to.add(i), value, n);
                        } else {
                            lanes.store(to.add(i), value);
                        }
                        i += width;
                    }
                }
            }
        })+

        fn loops<R: Precision + Functions>(arch: Arch, function: Function) -> LoopFn<MapCall> {
            match function {
                $(Function::$variant => entry_of::<$variant<R>, _>(arch),)+
                other => unreachable!("{} is made of links", other.name()),
            }
        }
    };
}

functions! {
    Exp exp(x 0),
    Log ln(x 0),
    Sin sin(x 0),
    Cos cos(x 0),
    Tan tan(x 0),
    Asin asin(x 0),
    Acos acos(x 0),
    Atan atan(x 0),
    Sinh sinh(x 0),
    Cosh cosh(x 0),
    Tanh tanh(x 0),
    Atan2 atan2(x 0, y 1),
    Power pow(x 0, y 1),
}

/// A function of real numbers that is no link of a chain.
pub(in crate::host) fn function(arch: Arch, function: Function, kind: Type) -> LoopFn<MapCall> {
    if kind == Type::F32 { loops::<f32>(arch, function) } else { loops::<f64>(arch, function) }
}
