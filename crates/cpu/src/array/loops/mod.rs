//! Loops over blocks: one for each operation and element type.
//!
//! A loop takes [`GRANULE`] elements at once, which the compiler turns into vectors. Uniform operands are copies that
//! are read again and again, so that one loop serves all forms of an operation.

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

use affinimath_array::ElementType;
use affinimath_array::function::{Binary, Unary};
use pulp::Arch;

use super::machine::{Call, GRANULE, Loop, LoopFn, Machine, entry};

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

/// A granule of an operand.
///
/// # Safety
/// The operand has the type, and elements from `i` on.
#[inline(always)]
unsafe fn granule<T: Copy>(call: &Call, operand: usize, i: usize) -> [T; GRANULE] {
    let source = call.from[operand];
    // SAFETY: by contract: the elements.
    unsafe { source.at.cast::<T>().add(i * source.step).cast::<[T; GRANULE]>().read_unaligned() }
}

/// Writes a granule of the result.
///
/// # Safety
/// The result has the type, and elements from `i` on.
#[inline(always)]
unsafe fn put<T: Copy>(call: &Call, i: usize, value: [T; GRANULE]) {
    // SAFETY: by contract: the elements.
    unsafe { call.to[0].cast::<T>().add(i).cast::<[T; GRANULE]>().write_unaligned(value) }
}

struct Each1<F>(PhantomData<F>);
struct Each2<F>(PhantomData<F>);
struct Each3<F>(PhantomData<F>);
struct Each4<F>(PhantomData<F>);

impl<F: Map1> Loop for Each1<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        for i in (0..call.n).step_by(GRANULE) {
            // SAFETY: by contract: the types and the length.
            unsafe {
                let a = granule::<F::A>(call, 0, i);
                let mut result = [F::apply(a[0]); GRANULE];
                for lane in 1..GRANULE {
                    result[lane] = F::apply(a[lane]);
                }
                put(call, i, result);
            }
        }
    }
}

impl<F: Map2> Loop for Each2<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        for i in (0..call.n).step_by(GRANULE) {
            // SAFETY: by contract: the types and the length.
            unsafe {
                let (a, b) = (granule::<F::A>(call, 0, i), granule::<F::B>(call, 1, i));
                let mut result = [F::apply(a[0], b[0]); GRANULE];
                for lane in 1..GRANULE {
                    result[lane] = F::apply(a[lane], b[lane]);
                }
                put(call, i, result);
            }
        }
    }
}

impl<F: Map3> Loop for Each3<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        for i in (0..call.n).step_by(GRANULE) {
            // SAFETY: by contract: the types and the length.
            unsafe {
                let a = granule::<F::A>(call, 0, i);
                let (b, c) = (granule::<F::B>(call, 1, i), granule::<F::B>(call, 2, i));
                let mut result = [F::apply(a[0], b[0], c[0]); GRANULE];
                for lane in 1..GRANULE {
                    result[lane] = F::apply(a[lane], b[lane], c[lane]);
                }
                put(call, i, result);
            }
        }
    }
}

impl<F: Map4> Loop for Each4<F> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        for i in (0..call.n).step_by(GRANULE) {
            // SAFETY: by contract: the types and the length.
            unsafe {
                let (a, b) = (granule::<F::A>(call, 0, i), granule::<F::A>(call, 1, i));
                let (c, d) = (granule::<F::B>(call, 2, i), granule::<F::B>(call, 3, i));
                let mut result = [F::apply([a[0], b[0]], [c[0], d[0]]); GRANULE];
                for lane in 1..GRANULE {
                    result[lane] = F::apply([a[lane], b[lane]], [c[lane], d[lane]]);
                }
                put(call, i, result);
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
