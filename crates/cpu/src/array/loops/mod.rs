//! Loops over blocks: one for each operation and element type.
//!
//! Loops of machines' vectors read the copies of uniform operands again and again, so that one loop serves all forms of
//! an operation. Others are loops over slices, which the compiler turns into vectors.

mod complex;
mod copy;
mod fold;
mod function;
mod integer;
mod number;
mod pair;
mod philox;
mod real;
mod select;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use affinimath_array::ElementType;
use affinimath_array::function::{Binary, Unary};
use pulp::Arch;

use super::machine::{Call, Loop, LoopFn, Machine, Source, entry};

pub use complex::complex;
pub use copy::{copy_strided, copy_transposed, fill, join_parts, ramp, split_parts};
pub use fold::{Extreme, Fold, Folds, fold};
pub use pair::{Function, pair};
pub use philox::philox;
pub use select::{compare_select, select};

/// A function of one element.
pub trait Map1 {
    /// Its operand.
    type A: Copy;
    /// Its result.
    type R: Copy;

    /// The result.
    fn apply(a: Self::A) -> Self::R;
}

/// A function of two elements.
pub trait Map2 {
    /// Its first operand.
    type A: Copy;
    /// Its second operand.
    type B: Copy;
    /// Its result.
    type R: Copy;

    /// The result.
    fn apply(a: Self::A, b: Self::B) -> Self::R;
}

/// A function of three elements.
pub trait Map3 {
    /// Its first operand.
    type A: Copy;
    /// Its second and its third operand.
    type B: Copy;
    /// Its result.
    type R: Copy;

    /// The result.
    fn apply(a: Self::A, b: Self::B, c: Self::B) -> Self::R;
}

/// A function of two elements of one type and two of another.
pub trait Map4 {
    /// Its first two operands.
    type A: Copy;
    /// Its other operands and its result.
    type B: Copy;

    /// The result.
    fn apply(a: [Self::A; 2], b: [Self::B; 2]) -> Self::B;
}

/// Elements that a loop of slices takes at once: a uniform operand is copied as often.
const SPAN: usize = 256;

/// Elements of an operand, which slices of spans are taken from: its memory, or copies of a uniform value.
struct Spans<T> {
    at: *const T,
    step: usize,
    copies: [MaybeUninit<T>; SPAN],
}

impl<T: Copy> Spans<T> {
    /// Of a call's operand.
    ///
    /// # Safety
    /// The operand has the type and the call's elements.
    #[inline(always)]
    unsafe fn new(call: &Call, operand: usize) -> Self {
        let Source { at, step } = call.from[operand];
        let (at, mut copies) = (at.cast::<T>().cast_const(), [MaybeUninit::uninit(); SPAN]);
        if step == 0 {
            // SAFETY: by contract: an element.
            copies[..call.n.min(SPAN)].fill(MaybeUninit::new(unsafe { at.read_unaligned() }));
        }
        Spans { at, step, copies }
    }

    /// `n` elements from `i` on, at most a span and within the call.
    ///
    /// # Safety
    /// The operand's memory is as it was at the start, but for results that are apart from it.
    #[inline(always)]
    unsafe fn get(&self, i: usize, n: usize) -> &[T] {
        let at = if self.step == 0 { self.copies.as_ptr().cast() } else { self.at.wrapping_add(i) };
        // SAFETY: as many copies as a span or the call has are written, and other operands have the call's elements.
        unsafe { std::slice::from_raw_parts(at, n) }
    }
}

/// The results from `i` on, `n` of them.
///
/// # Safety
/// The result has the type and the call's elements, which nobody else uses.
#[inline(always)]
unsafe fn results<'a, T>(call: &Call, i: usize, n: usize) -> &'a mut [T] {
    // SAFETY: by contract: the elements.
    unsafe { std::slice::from_raw_parts_mut(call.to[0].cast::<T>().add(i), n) }
}

struct Each1<F>(PhantomData<F>);
struct Each2<F>(PhantomData<F>);
struct Each3<F>(PhantomData<F>);
struct Each4<F>(PhantomData<F>);

impl<F: Map1> Loop for Each1<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: the types and the length; results are apart from operands.
        unsafe {
            let a = Spans::<F::A>::new(call, 0);
            for i in (0..call.n).step_by(SPAN) {
                let n = SPAN.min(call.n - i);
                for (result, &a) in results(call, i, n).iter_mut().zip(a.get(i, n)) {
                    *result = F::apply(a);
                }
            }
        }
    }
}

impl<F: Map2> Loop for Each2<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: the types and the length; results are apart from operands.
        unsafe {
            let (a, b) = (Spans::<F::A>::new(call, 0), Spans::<F::B>::new(call, 1));
            for i in (0..call.n).step_by(SPAN) {
                let n = SPAN.min(call.n - i);
                let operands = a.get(i, n).iter().zip(b.get(i, n));
                for (result, (&a, &b)) in results(call, i, n).iter_mut().zip(operands) {
                    *result = F::apply(a, b);
                }
            }
        }
    }
}

impl<F: Map3> Loop for Each3<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: the types and the length; results are apart from operands.
        unsafe {
            let a = Spans::<F::A>::new(call, 0);
            let (b, c) = (Spans::<F::B>::new(call, 1), Spans::<F::B>::new(call, 2));
            for i in (0..call.n).step_by(SPAN) {
                let n = SPAN.min(call.n - i);
                let operands = a.get(i, n).iter().zip(b.get(i, n)).zip(c.get(i, n));
                for (result, ((&a, &b), &c)) in results(call, i, n).iter_mut().zip(operands) {
                    *result = F::apply(a, b, c);
                }
            }
        }
    }
}

impl<F: Map4> Loop for Each4<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: the types and the length; results are apart from operands.
        unsafe {
            let (a, b) = (Spans::<F::A>::new(call, 0), Spans::<F::A>::new(call, 1));
            let (c, d) = (Spans::<F::B>::new(call, 2), Spans::<F::B>::new(call, 3));
            for i in (0..call.n).step_by(SPAN) {
                let n = SPAN.min(call.n - i);
                let operands = a.get(i, n).iter().zip(b.get(i, n)).zip(c.get(i, n).iter().zip(d.get(i, n)));
                for (result, ((&a, &b), (&c, &d))) in results(call, i, n).iter_mut().zip(operands) {
                    *result = F::apply([a, b], [c, d]);
                }
            }
        }
    }
}

fn each1<F: Map1>(arch: Arch) -> LoopFn {
    entry::<Each1<F>>(arch)
}

fn each2<F: Map2>(arch: Arch) -> LoopFn {
    entry::<Each2<F>>(arch)
}

fn each3<F: Map3>(arch: Arch) -> LoopFn {
    entry::<Each3<F>>(arch)
}

fn each4<F: Map4>(arch: Arch) -> LoopFn {
    entry::<Each4<F>>(arch)
}

/// The loop of a function of one value.
pub fn unary(arch: Arch, function: Unary, element: ElementType) -> Option<LoopFn> {
    match element {
        ElementType::Bool => (function == Unary::Not).then(|| each1::<integer::LogicalNot>(arch)),
        ElementType::U8 => integer::unary::<u8>(arch, function),
        ElementType::I32 => integer::unary::<i32>(arch, function),
        ElementType::U32 => integer::unary::<u32>(arch, function),
        ElementType::I64 => integer::unary::<i64>(arch, function),
        ElementType::F32 => real::unary::<f32>(arch, function).or_else(|| function::unary::<f32>(arch, function)),
        ElementType::F64 => real::unary::<f64>(arch, function).or_else(|| function::unary::<f64>(arch, function)),
        ElementType::C32 | ElementType::C64 => None,
    }
}

/// The loop of a function of two values.
pub fn binary(arch: Arch, function: Binary, element: ElementType) -> Option<LoopFn> {
    match element {
        ElementType::Bool => integer::logical(arch, function).or_else(|| number::comparison::<u8>(arch, function)),
        ElementType::U8 => integer::binary::<u8>(arch, function),
        ElementType::I32 => integer::binary::<i32>(arch, function),
        ElementType::U32 => integer::binary::<u32>(arch, function),
        ElementType::I64 => integer::binary::<i64>(arch, function),
        ElementType::F32 => real::binary::<f32>(arch, function).or_else(|| function::binary::<f32>(arch, function)),
        ElementType::F64 => real::binary::<f64>(arch, function).or_else(|| function::binary::<f64>(arch, function)),
        ElementType::C32 | ElementType::C64 => None,
    }
}

/// The loop of a b + c.
pub fn fma(arch: Arch, element: ElementType) -> Option<LoopFn> {
    match element {
        ElementType::F32 => Some(entry::<real::Fma<f32>>(arch)),
        ElementType::F64 => Some(entry::<real::Fma<f64>>(arch)),
        _ => None,
    }
}

/// The loop of a conversion; none where bits stay as they are.
pub fn convert(arch: Arch, from: ElementType, to: ElementType) -> Option<LoopFn> {
    match from {
        ElementType::Bool | ElementType::U8 => number::convert::<u8>(arch, to),
        ElementType::I32 => number::convert::<i32>(arch, to),
        ElementType::U32 => number::convert::<u32>(arch, to),
        ElementType::I64 => number::convert::<i64>(arch, to),
        ElementType::F32 => number::convert::<f32>(arch, to),
        ElementType::F64 => number::convert::<f64>(arch, to),
        ElementType::C32 | ElementType::C64 => None,
    }
}
