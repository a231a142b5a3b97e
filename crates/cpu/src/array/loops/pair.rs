//! Two operations of reals in one loop: the result of the first stays in a register of the processor.

use std::marker::PhantomData;

use affinimath_array::ElementType;
use affinimath_array::function::{Binary, Unary};
use affinimath_math::Lanes;
use pulp::Arch;

use super::real::RealNumber;
use crate::array::machine::{Call, GRANULE, Loop, LoopFn, Machine, Vectors, entry};

/// One of two operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Of one value.
    Unary(Unary),
    /// Of two values.
    Binary(Binary),
    /// a b + c, rounded once.
    Fma,
    /// sqrt(|x|)
    RootOfModulus,
}

/// An operation on two vectors.
trait Operation {
    /// The result.
    fn apply<L: Lanes>(l: L, a: L::F, b: L::F) -> L::F;
}

macro_rules! operations {
    ($($name:ident |$l:ident, $a:ident, $b:pat_param| $value:expr;)+) => {
        $(struct $name;

        impl Operation for $name {
            #[inline(always)]
            fn apply<L: Lanes>($l: L, $a: L::F, $b: L::F) -> L::F {
                $value
            }
        })+
    };
}

operations! {
    Plus |l, a, b| l.add(a, b);
    Minus |l, a, b| l.sub(a, b);
    Times |l, a, b| l.mul(a, b);
    Quotient |l, a, b| l.div(a, b);
    Negative |l, a, _| l.neg(a);
    Modulus |l, a, _| l.abs(a);
    Square |l, a, _| l.mul(a, a);
    Root |l, a, _| l.sqrt(a);
    RootOfModulus |l, a, _| l.sqrt(l.abs(a));
}

/// G(F(a, b), c), or G(c, F(a, b)) if it is `REVERSED`.
struct Pair<R, F, G, const REVERSED: bool>(PhantomData<(R, F, G)>);

impl<R: RealNumber, F: Operation, G: Operation, const REVERSED: bool> Loop for Pair<R, F, G, REVERSED> {
    #[inline(always)]
    unsafe fn run<M: Machine>(machine: M, call: &Call) {
        let (l, to) = (R::of(machine), call.to[0].cast::<R>());
        let [a, b, c, _] = call.from;
        let width = <R::Of<M> as Vectors>::WIDTH;
        for granule in (0..call.n).step_by(GRANULE) {
            for i in (granule..granule + GRANULE).step_by(width) {
                // SAFETY: by contract: the types and the length, which the width divides.
                unsafe {
                    let [x, y, z] = [a, b, c].map(|from| l.load(from.element(i)));
                    let first = F::apply(l, x, y);
                    let value = if REVERSED { G::apply(l, z, first) } else { G::apply(l, first, z) };
                    l.store(to.add(i), value);
                }
            }
        }
    }
}

/// F(a, b) c + d, or with F(a, b) as the term: c d + F(a, b) if it is a `TERM`.
struct FmaAfter<R, F, const TERM: bool>(PhantomData<(R, F)>);

impl<R: RealNumber, F: Operation, const TERM: bool> Loop for FmaAfter<R, F, TERM> {
    #[inline(always)]
    unsafe fn run<M: Machine>(machine: M, call: &Call) {
        let (l, to) = (R::of(machine), call.to[0].cast::<R>());
        let width = <R::Of<M> as Vectors>::WIDTH;
        for granule in (0..call.n).step_by(GRANULE) {
            for i in (granule..granule + GRANULE).step_by(width) {
                // SAFETY: by contract: the types and the length, which the width divides.
                unsafe {
                    let [x, y, z, w] = call.from.map(|from| l.load(from.element(i)));
                    let first = F::apply(l, x, y);
                    let value = if TERM { l.fma(z, w, first) } else { l.fma(first, z, w) };
                    l.store(to.add(i), value);
                }
            }
        }
    }
}

/// The loop of two operations: the second one has the first one's result as its left operand, or as its right one. A
/// second operation of one value has no other operand. The result is a factor of a second [`Function::Fma`], or its
/// term if it is the right one.
pub fn pair(arch: Arch, element: ElementType, first: Function, second: Function, is_right: bool) -> Option<LoopFn> {
    if (first, second) == (Function::Unary(Unary::Abs), Function::Unary(Unary::Sqrt)) {
        return root_of_modulus(arch, element);
    }
    match element {
        ElementType::F32 => of_type::<f32>(arch, first, second, is_right),
        ElementType::F64 => of_type::<f64>(arch, first, second, is_right),
        _ => None,
    }
}

fn of_type<R: RealNumber>(arch: Arch, first: Function, second: Function, is_right: bool) -> Option<LoopFn> {
    match first {
        Function::Binary(Binary::Add) => then::<R, Plus>(arch, second, is_right),
        Function::Binary(Binary::Sub) => then::<R, Minus>(arch, second, is_right),
        Function::Binary(Binary::Mul) => then::<R, Times>(arch, second, is_right),
        Function::Binary(Binary::Div) => then::<R, Quotient>(arch, second, is_right),
        // Two operations of one value are rare.
        Function::Unary(_) if matches!(second, Function::Unary(_)) => None,
        Function::Unary(Unary::Neg) => then::<R, Negative>(arch, second, is_right),
        Function::Unary(Unary::Abs) => then::<R, Modulus>(arch, second, is_right),
        Function::Unary(Unary::Square) => then::<R, Square>(arch, second, is_right),
        Function::Unary(Unary::Sqrt) => then::<R, Root>(arch, second, is_right),
        Function::RootOfModulus => then::<R, RootOfModulus>(arch, second, is_right),
        _ => None,
    }
}

/// The loop of sqrt(|x|).
fn root_of_modulus(arch: Arch, element: ElementType) -> Option<LoopFn> {
    match element {
        ElementType::F32 => Some(entry::<Pair<f32, Modulus, Root, false>>(arch)),
        ElementType::F64 => Some(entry::<Pair<f64, Modulus, Root, false>>(arch)),
        _ => None,
    }
}

fn then<R: RealNumber, F: Operation>(arch: Arch, second: Function, is_right: bool) -> Option<LoopFn> {
    Some(match (second, is_right) {
        (Function::Binary(Binary::Add), false) => entry::<Pair<R, F, Plus, false>>(arch),
        (Function::Binary(Binary::Add), true) => entry::<Pair<R, F, Plus, true>>(arch),
        (Function::Binary(Binary::Mul), false) => entry::<Pair<R, F, Times, false>>(arch),
        (Function::Binary(Binary::Mul), true) => entry::<Pair<R, F, Times, true>>(arch),
        (Function::Binary(Binary::Sub), false) => entry::<Pair<R, F, Minus, false>>(arch),
        (Function::Binary(Binary::Sub), true) => entry::<Pair<R, F, Minus, true>>(arch),
        (Function::Binary(Binary::Div), false) => entry::<Pair<R, F, Quotient, false>>(arch),
        (Function::Binary(Binary::Div), true) => entry::<Pair<R, F, Quotient, true>>(arch),
        (Function::Fma, false) => entry::<FmaAfter<R, F, false>>(arch),
        (Function::Fma, true) => entry::<FmaAfter<R, F, true>>(arch),
        (Function::Unary(Unary::Abs), _) => entry::<Pair<R, F, Modulus, false>>(arch),
        (Function::Unary(Unary::Square), _) => entry::<Pair<R, F, Square, false>>(arch),
        (Function::Unary(Unary::Sqrt), _) => entry::<Pair<R, F, Root, false>>(arch),
        _ => return None,
    })
}
